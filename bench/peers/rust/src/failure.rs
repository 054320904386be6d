use axum::{
    Json,
    extract::rejection::{JsonRejection, PathRejection, QueryRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;

/// A failure, which is answered with an Error body.
pub struct Failure(pub StatusCode, pub String);

#[derive(Serialize)]
struct Body {
    code: &'static str,
    message: String,
    status: u16,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self(status, message) = self;
        let code = match status {
            StatusCode::UNAUTHORIZED => "invalid_api_key",
            StatusCode::NOT_FOUND => "not_found",
            StatusCode::INTERNAL_SERVER_ERROR => "internal",
            _ => "bad_request",
        };
        (
            status,
            Json(Body {
                code,
                message,
                status: status.as_u16(),
            }),
        )
            .into_response()
    }
}

pub fn bad_request(message: impl Into<String>) -> Failure {
    Failure(StatusCode::BAD_REQUEST, message.into())
}

impl From<QueryRejection> for Failure {
    fn from(rejection: QueryRejection) -> Self {
        bad_request(rejection.body_text())
    }
}

impl From<PathRejection> for Failure {
    fn from(rejection: PathRejection) -> Self {
        bad_request(rejection.body_text())
    }
}

impl From<JsonRejection> for Failure {
    fn from(rejection: JsonRejection) -> Self {
        bad_request(rejection.body_text())
    }
}

fn internal(error: impl std::error::Error) -> Failure {
    eprintln!("{error}");
    Failure(StatusCode::INTERNAL_SERVER_ERROR, "The request failed.".into())
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        internal(error)
    }
}

impl From<deadpool_postgres::PoolError> for Failure {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        internal(error)
    }
}
