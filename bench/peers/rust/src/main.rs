//! What an engineer who wants speed writes in Rust: axum, tokio-postgres, a pool, prepared statements, typed JSON.
mod failure;
mod keys;
mod pets;

use std::{env, error::Error, sync::Arc};

use axum::{Router, middleware, routing::get};
use deadpool_postgres::{Manager, Pool};
use tokio::net::TcpListener;
use tokio_postgres::NoTls;

use keys::KnownKeys;

struct App {
    pool: Pool,
    keys: KnownKeys,
}

type Shared = Arc<App>;

/// The application has one core, so further threads would only add hand-overs.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let manager = Manager::new(env::var("DATABASE_URL")?.parse()?, NoTls);
    let pool = Pool::builder(manager).max_size(10).build()?;
    let app = Arc::new(App {
        pool,
        keys: KnownKeys::default(),
    });
    let routes = Router::new()
        .route("/v1/pets", get(pets::list).post(pets::create))
        .route("/v1/pets/{id}", get(pets::get))
        .layer(middleware::from_fn_with_state(app.clone(), keys::require))
        .with_state(app);
    let listener = TcpListener::bind(("127.0.0.1", env::var("PORT")?.parse()?)).await?;
    Ok(axum::serve(listener, routes).await?)
}
