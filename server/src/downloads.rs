//! What a signed-in operator takes along from the console as a file.

use crate::api::{portability, respond};
use app::SESSION_OPERATOR;
use axum::Extension;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get};
use remembrancer::api::{ErrorCode, MemoryFilter, OperatorId, RequestId};
use remembrancer::portability::Selection;
use remembrancer::{Engine, Error, identity};
use std::collections::BTreeMap;
use tower_sessions::Session;

/// `GET /export.jsonl?…`: what a filter shows, with the fields of [`MemoryFilter`] by their names, or everything without any. Admins only.
pub fn export<S: Clone + Send + Sync + 'static>(engine: Engine) -> MethodRouter<S> {
    get(move |session: Session, Extension(id): Extension<RequestId>, names: Parameters, filter: Filtered| {
        let engine = engine.clone();
        async move { answer(engine, session, id, names, filter).await }
    })
}

type Parameters = Result<Query<BTreeMap<String, String>>, QueryRejection>;
type Filtered = Result<Query<MemoryFilter>, QueryRejection>;

async fn answer(engine: Engine, session: Session, id: RequestId, names: Parameters, filter: Filtered) -> Response {
    let Ok(operator) = session.get::<OperatorId>(SESSION_OPERATOR).await else { return StatusCode::SERVICE_UNAVAILABLE.into_response() };
    let Some(operator) = operator else { return Redirect::to("/sign-in").into_response() };
    let ctx = match identity::operator(&engine, operator, id).await {
        Ok((ctx, _)) => ctx,
        Err(error) if error.code() == ErrorCode::Unauthenticated => return Redirect::to("/sign-in").into_response(),
        Err(error) => return respond::error(&error, Some(id)),
    };
    match selection(names, filter) {
        Ok(selection) => portability::send(engine, ctx, selection).await,
        Err(error) => respond::error(&error, Some(id)),
    }
}

/// A parameter that is misspelt must not let everything out.
fn selection(names: Parameters, filter: Filtered) -> Result<Selection, Error> {
    let (Ok(Query(names)), Ok(Query(filter))) = (names, filter) else {
        return Err(Error::invalid("filter", "cannot be read: times are RFC 3339, ids are UUIDs, and the rest is true or false"));
    };
    let fields = serde_json::to_value(MemoryFilter::default()).map_err(Error::failed("the filter cannot be serialised"))?;
    match names.keys().find(|name| fields.get(name.as_str()).is_none()) {
        Some(name) => Err(Error::invalid(name, "is not a field of a filter")),
        None if names.is_empty() => Ok(Selection::All),
        None => Ok(Selection::Filter(Box::new(filter))),
    }
}
