use axum::{
    Json,
    extract::{
        Path, Query, State,
        rejection::{JsonRejection, PathRejection, QueryRejection},
    },
    http::{
        StatusCode,
        header::{LINK, LOCATION},
    },
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use tokio_postgres::Row;

use crate::{
    Shared,
    failure::{Failure, bad_request},
};

const PAGE: &str = "SELECT id, name, category_id, status FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
const PAGE_BY_STATUS: &str = "SELECT id, name, category_id, status FROM pets \
    WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2";
const ONE: &str = "SELECT id, name, category_id, status FROM pets WHERE id = $1";
const INSERT: &str = "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) \
    RETURNING id, name, category_id, status";

/// An animal, whose texts are those of the row.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pet<'row> {
    id: i64,
    name: &'row str,
    category_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'row str>,
}

impl<'row> From<&'row Row> for Pet<'row> {
    fn from(row: &'row Row) -> Self {
        Self {
            id: row.get(0),
            name: row.get(1),
            category_id: row.get(2),
            status: row.get(3),
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Available,
    Pending,
    Sold,
}

impl Status {
    fn text(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Pending => "pending",
            Self::Sold => "sold",
        }
    }
}

#[derive(Deserialize)]
pub struct ListPets {
    #[serde(default = "default_limit")]
    limit: i64,
    #[serde(default)]
    after: i64,
    status: Option<Status>,
}

fn default_limit() -> i64 {
    20
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPet {
    name: String,
    category_id: i64,
    status: Option<Status>,
}

pub async fn list(
    State(app): State<Shared>,
    query: Result<Query<ListPets>, QueryRejection>,
) -> Result<Response, Failure> {
    let Query(ListPets { limit, after, status }) = query?;
    if !(1..=100).contains(&limit) {
        return Err(bad_request("limit must be from 1 to 100"));
    }
    let client = app.pool.get().await?;
    let mut rows = match status {
        Some(status) => {
            let page = client.prepare_cached(PAGE_BY_STATUS).await?;
            client
                .query(&page, &[&after, &(limit + 1), &status.text()])
                .await?
        }
        None => {
            let page = client.prepare_cached(PAGE).await?;
            client.query(&page, &[&after, &(limit + 1)]).await?
        }
    };
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let pets: Vec<Pet> = rows.iter().map(Pet::from).collect();
    Ok(match pets.last() {
        Some(last) if has_more => ([(LINK, next_link(limit, status, last.id))], Json(pets)).into_response(),
        _ => Json(pets).into_response(),
    })
}

fn next_link(limit: i64, status: Option<Status>, after: i64) -> String {
    let status = status
        .map(|status| format!("&status={}", status.text()))
        .unwrap_or_default();
    format!("</v1/pets?limit={limit}{status}&after={after}>; rel=\"next\"")
}

pub async fn create(
    State(app): State<Shared>,
    body: Result<Json<NewPet>, JsonRejection>,
) -> Result<Response, Failure> {
    let Json(NewPet {
        name,
        category_id,
        status,
    }) = body?;
    if !(1..=255).contains(&name.chars().count()) {
        return Err(bad_request("name must have 1 to 255 characters"));
    }
    let client = app.pool.get().await?;
    let insert = client.prepare_cached(INSERT).await?;
    let row = client
        .query_one(&insert, &[&name, &category_id, &status.map(Status::text)])
        .await?;
    let pet = Pet::from(&row);
    let location = format!("/v1/pets/{}", pet.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(pet)).into_response())
}

pub async fn get(
    State(app): State<Shared>,
    id: Result<Path<i64>, PathRejection>,
) -> Result<Response, Failure> {
    let Path(id) = id?;
    let client = app.pool.get().await?;
    let one = client.prepare_cached(ONE).await?;
    match client.query_opt(&one, &[&id]).await? {
        Some(row) => Ok(Json(Pet::from(&row)).into_response()),
        None => Err(Failure(StatusCode::NOT_FOUND, "There is no such animal.".into())),
    }
}
