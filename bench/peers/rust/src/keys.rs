use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant, SystemTime},
};

use axum::{
    extract::{Request, State},
    http::{StatusCode, header::AUTHORIZATION},
    middleware::Next,
    response::Response,
};
use sha2::{Digest, Sha256};

use crate::{App, Shared, failure::Failure};

const REMEMBERED: Duration = Duration::from_secs(2);
const FIND: &str = "SELECT expires_at FROM api_keys WHERE hash = $1 AND revoked_at IS NULL";

/// When a key expires, by the hash of its token; remembered for two seconds, as by the other peers.
#[derive(Default)]
pub struct KnownKeys(Mutex<HashMap<[u8; 32], (Instant, Option<SystemTime>)>>);

/// Lets requests with a valid API key pass.
pub async fn require(State(app): State<Shared>, request: Request, next: Next) -> Result<Response, Failure> {
    let header = request.headers().get(AUTHORIZATION).map(|value| value.as_bytes());
    let valid = match header.and_then(bearer_token) {
        Some(token) => app.is_valid(Sha256::digest(token).into()).await?,
        None => false,
    };
    if !valid {
        return Err(Failure(
            StatusCode::UNAUTHORIZED,
            "The API key is not valid.".into(),
        ));
    }
    Ok(next.run(request).await)
}

fn bearer_token(header: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = header.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}

impl App {
    async fn is_valid(&self, hash: [u8; 32]) -> Result<bool, Failure> {
        let known = self.keys.0.lock().unwrap().get(&hash).copied();
        let expires = match known {
            Some((until, expires)) if Instant::now() < until => expires,
            _ => self.look_up(hash).await?,
        };
        Ok(expires.is_some_and(|at| at > SystemTime::now()))
    }

    async fn look_up(&self, hash: [u8; 32]) -> Result<Option<SystemTime>, Failure> {
        let client = self.pool.get().await?;
        let find = client.prepare_cached(FIND).await?;
        let row = client.query_opt(&find, &[&hash.as_slice()]).await?;
        let expires = row.map(|row| row.get(0));
        let mut known = self.keys.0.lock().unwrap();
        if known.len() >= 10_000 {
            known.clear();
        }
        known.insert(hash, (Instant::now() + REMEMBERED, expires));
        Ok(expires)
    }
}
