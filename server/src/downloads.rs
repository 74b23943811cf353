//! What a signed-in operator reads from the console besides pages: files, and the stream of what happens.

use crate::api::body::NDJSON;
use crate::api::params::Query;
use crate::api::usage::CSV;
use crate::api::{ApiError, Transfers, portability};
use crate::streams::{LastEventId, Streams};
use ::portability::Selection;
use app::{SESSION_ADMISSION, may_lag, zone_of};
use axum::extract::{Extension, FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get};
use chrono::NaiveDate;
use extract::transcript::zone::day_start;
use foundation::identity::{self, Admission};
use foundation::{Engine, Error, OpContext, usage};
use remembrancer::{erasure, knowledge, overview};
use std::collections::BTreeMap;
use std::sync::Arc;
use tower_sessions::Session;
use wire::{AuditFilter, AuditFormat, DocumentId, ErasureId, ErrorCode, MemoryFilter, RequestId, UsageFilter, UserRef};

const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// The routes of `GET /export.jsonl?…`: the memories of a filter, with the fields of [`MemoryFilter`] by their names. Without fields:
/// everything of the organisation, or the areas that `only` names, separated by commas, or everything of the `person` with this id, reference
/// or name. Admins only.
pub fn export<S: Clone + Send + Sync + 'static>(engine: Engine, transfers: Arc<Transfers>) -> MethodRouter<S> {
    get(download).with_state(Downloads { engine, transfers })
}

/// The route of `GET /audit.csv?…` or `/audit.jsonl?…`: the audit log with the fields of the page's filter. For everybody who may read the
/// page.
pub fn audit_log<S: Clone + Send + Sync + 'static>(engine: Engine, transfers: Arc<Transfers>, format: AuditFormat) -> MethodRouter<S> {
    let send = async move |State(downloads): State<Downloads>, SignedIn(ctx): SignedIn, Query(query): Query<AuditQuery>| {
        let filter = query.filter(&ctx)?;
        downloads.audit_log(ctx, filter, format).await
    };
    get(send).with_state(Downloads { engine, transfers })
}

/// The route of `GET /usage.csv?…`: a report of the usage ledger with the fields of the page's filter. For everybody who may read the page.
pub fn usage<S: Clone + Send + Sync + 'static>(engine: Engine, transfers: Arc<Transfers>) -> MethodRouter<S> {
    let send = async move |State(downloads): State<Downloads>, SignedIn(ctx): SignedIn, Query(filter): Query<UsageFilter>| {
        let Downloads { engine, transfers } = downloads;
        let turn = transfers.export(&ctx)?;
        let export = async move |writer| {
            let _turn = turn;
            usage::export(&engine, &ctx, &filter, writer).await.map(drop)
        };
        portability::stream_file(&transfers, (CSV, "remembrancer-usage.csv"), export).await
    };
    get(send).with_state(Downloads { engine, transfers })
}

/// The route of `GET /live`: what happens in the organisation, as server-sent events, for pages that follow it. For everybody who may read
/// the front page. If too many streams are open, the answer is 204, after which a browser does not try again.
pub fn live<S: Clone + Send + Sync + 'static>(engine: Engine, transfers: Arc<Transfers>, streams: Arc<Streams>) -> MethodRouter<S> {
    let follow = async move |SignedIn(ctx): SignedIn, LastEventId(seen): LastEventId| match streams.open(ctx, seen).await {
        Err(Error::Busy { .. }) => Ok(StatusCode::NO_CONTENT.into_response()),
        opened => opened.map_err(ApiError::from),
    };
    get(follow).with_state(Downloads { engine, transfers })
}

/// The route of `GET /erasure/{id}/report.json`: the signed report of an erasure, as `remembrancer erasure verify` reads it. Admins only.
pub fn erasure_report<S: Clone + Send + Sync + 'static>(engine: Engine, transfers: Arc<Transfers>) -> MethodRouter<S> {
    let send = async move |State(downloads): State<Downloads>, SignedIn(ctx): SignedIn, Path(id): Path<ErasureId>| {
        downloads.erasure_report(ctx, id).await
    };
    get(send).with_state(Downloads { engine, transfers })
}

/// The route of `GET /knowledge/documents/{id}/document.md`: a document as a Markdown file. For everybody who may read its page.
pub fn document<S: Clone + Send + Sync + 'static>(engine: Engine, transfers: Arc<Transfers>) -> MethodRouter<S> {
    let send = async move |State(downloads): State<Downloads>, SignedIn(ctx): SignedIn, Path(id): Path<String>| {
        let id = id.parse::<DocumentId>().map_err(|_| Error::NotFound("document"))?;
        let (path, text) = knowledge::markdown(&downloads.engine, &ctx, id).await?;
        let disposition = format!("attachment; filename=\"{}\"", file_name(&path));
        Ok::<_, ApiError>(([(header::CONTENT_TYPE, MARKDOWN.to_owned()), (header::CONTENT_DISPOSITION, disposition)], text))
    };
    get(send).with_state(Downloads { engine, transfers })
}

/// The name of the file for a document: letters, digits, dots and dashes, as every browser and header takes them.
fn file_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let plain = stem.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' });
    format!("{}.md", plain.collect::<String>())
}

/// The fields of the audit page. Days are whole days in the zone of the reader, the last one included. The place in the list is not part of
/// the file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AuditQuery {
    actor: Option<String>,
    action: Option<String>,
    target: Option<String>,
    from: Option<NaiveDate>,
    until: Option<NaiveDate>,
    #[serde(rename = "after")]
    _after: Option<String>,
    #[serde(rename = "before")]
    _before: Option<String>,
}

impl AuditQuery {
    fn filter(self, ctx: &OpContext) -> Result<AuditFilter, Error> {
        let day = |day: NaiveDate| day_start(day, ctx.zone);
        let until = self.until.map(|last| last.succ_opt().ok_or_else(|| Error::invalid("until", "is too far away"))).transpose()?;
        let (from, until) = (self.from.map(day), until.map(day));
        Ok(AuditFilter { actor: self.actor, action: self.action, target: self.target, from, until, ..AuditFilter::default() })
    }
}

#[derive(Clone)]
struct Downloads {
    engine: Engine,
    transfers: Arc<Transfers>,
}

impl Downloads {
    async fn erasure_report(self, ctx: OpContext, id: ErasureId) -> Result<Response, ApiError> {
        let report = erasure::report(&self.engine, &ctx, id).await?;
        let text = serde_json::to_string_pretty(&report).map_err(Error::failed("a report cannot be serialised"))?;
        let name = format!("attachment; filename=\"erasure-{id}.json\"");
        Ok(([(header::CONTENT_TYPE, "application/json".to_owned()), (header::CONTENT_DISPOSITION, name)], text).into_response())
    }

    async fn audit_log(self, ctx: OpContext, filter: AuditFilter, format: AuditFormat) -> Result<Response, ApiError> {
        let Self { engine, transfers } = self;
        let turn = transfers.export(&ctx)?;
        let file = match format {
            AuditFormat::Csv => (CSV, "remembrancer-audit.csv"),
            AuditFormat::Jsonl => (NDJSON, "remembrancer-audit.jsonl"),
        };
        let export = async move |writer| {
            let _turn = turn;
            overview::export_audit_log(&engine, &ctx, &filter, format, writer).await.map(drop)
        };
        portability::stream_file(&transfers, file, export).await
    }
}

/// The operator who is signed in. Anybody else is sent to the sign-in page.
struct SignedIn(OpContext);

impl FromRequestParts<Downloads> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, downloads: &Downloads) -> Result<Self, Response> {
        match operator(parts, &downloads.engine).await {
            Ok(ctx) => Ok(Self(ctx)),
            Err(error) if error.code() == ErrorCode::Unauthenticated => Err(Redirect::to("/sign-in").into_response()),
            Err(error) => Err(ApiError::from(error).into_response()),
        }
    }
}

/// The operator of the session.
///
/// # Errors
/// `Unauthenticated` if nobody is signed in.
pub async fn operator(parts: &mut Parts, engine: &Engine) -> Result<OpContext, Error> {
    let missing = |layer| Error::internal(format!("a layer is missing: {layer}"));
    let session = Session::from_request_parts(parts, engine).await.map_err(|_| missing("sessions"))?;
    let Extension(request_id) = Extension::<RequestId>::from_request_parts(parts, engine).await.map_err(|_| missing("request ids"))?;
    let admission = session.get::<Admission>(SESSION_ADMISSION).await.map_err(|error| Error::Unavailable(format!("session: {error}")))?;
    let admission = admission.ok_or(Error::Unauthenticated("nobody is signed in"))?;
    let (ctx, _) = identity::resume(engine, &admission, request_id).await?;
    Ok(OpContext { zone: zone_of(&parts.headers).unwrap_or(ctx.zone), may_lag: may_lag(parts), ..ctx })
}

/// The parameter that restricts an export to areas.
const ONLY: &str = "only";
/// The parameter that restricts an export to what concerns one person.
const PERSON: &str = "person";

type Names = Result<Query<BTreeMap<String, String>>, ApiError>;
type Filter = Result<Query<MemoryFilter>, ApiError>;

async fn download(
    State(Downloads { engine, transfers }): State<Downloads>,
    SignedIn(ctx): SignedIn,
    names: Names,
    filter: Filter,
) -> Result<Response, ApiError> {
    let selection = selection(&engine, &ctx, names, filter).await?;
    portability::send(engine, &transfers, ctx, selection).await
}

/// The selection of a query. A misspelt parameter is refused: without it the export would hold more than intended.
async fn selection(engine: &Engine, ctx: &OpContext, names: Names, filter: Filter) -> Result<Selection, Error> {
    let (Ok(Query(names)), Ok(Query(filter))) = (names, filter) else {
        return Err(Error::invalid("filter", "is not valid: times are RFC 3339, ids are UUIDs, other values are true or false"));
    };
    if let Some(only) = names.get(ONLY) {
        return match names.len() {
            1 => Selection::only(only),
            _ => Err(Error::invalid(ONLY, "cannot be combined with a filter: a filter exports only memory")),
        };
    }
    if let Some(person) = names.get(PERSON) {
        let named = person.parse::<UserRef>().map_err(|message| Error::invalid(PERSON, message))?;
        return match identity::person(engine, ctx, Some(&named)).await? {
            Some(user) if names.len() == 1 => Ok(Selection::Person(user)),
            _ => Err(Error::invalid(PERSON, "cannot be combined with a filter: the file holds everything of the person")),
        };
    }
    let fields = serde_json::to_value(MemoryFilter::default()).map_err(Error::failed("the filter cannot be serialised"))?;
    match names.keys().find(|name| fields.get(name.as_str()).is_none()) {
        Some(name) => Err(Error::invalid(name, "is not a field of a filter")),
        None if names.is_empty() => Ok(Selection::All),
        // The audit log keeps the filter: it has an id there, and no reference or name.
        None => {
            let user_id = identity::person(engine, ctx, filter.user_id.as_ref()).await?.map(UserRef::Id);
            Ok(Selection::Filter(Box::new(MemoryFilter { user_id, ..filter })))
        }
    }
}
