//! Export and import over HTTP: both are streams, and neither is ever held in memory.

use super::caller::Caller;
use super::{Api, respond};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use remembrancer::api::{ErrorCode, Scope};
use remembrancer::portability::{self, ImportOptions, Selection};
use remembrancer::{Engine, Error, OpContext};
use serde::Deserialize;
use std::io::{Error as IoError, SeekFrom};
use std::time::Duration;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt, DuplexStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Where an import is posted.
pub const IMPORT: &str = "/api/import";
/// Largest file over HTTP, in bytes; the command line takes any.
pub const FILE_MAX: u64 = 1024 * 1024 * 1024;
/// Longest time that an import or an export may take.
pub const LONGEST: Duration = Duration::from_secs(3600);
/// What lines of JSON are called.
const NDJSON: &str = "application/x-ndjson";
/// Bytes between the export and whoever reads it.
const PIPE: usize = 64 * 1024;

/// Exports at a time: each holds a connection for as long as its reader takes.
static EXPORTS: Semaphore = Semaphore::const_new(8);
/// How long to wait before asking for one more.
const BUSY: Duration = Duration::from_secs(5);

/// `GET /api/export`: everything of the key's agent.
pub async fn export(State(api): State<Api>, Caller(ctx): Caller) -> Response {
    match ctx.agent_id() {
        Ok(agent) => send(api.engine, ctx, Selection::Agent(agent)).await,
        Err(error) => respond::error(&error, Some(ctx.request_id)),
    }
}

/// An export as a stream. What is refused is told with its status; what fails later breaks the transfer off, and the footer is missing.
pub async fn send(engine: Engine, ctx: OpContext, selection: Selection) -> Response {
    let id = Some(ctx.request_id);
    let Ok(turn) = EXPORTS.try_acquire() else { return respond::error(&Error::RateLimited(BUSY), id) };
    let (writer, mut reader) = tokio::io::duplex(PIPE);
    let work: Work = tokio::spawn(async move {
        let _turn = turn;
        let export = portability::export(&engine, &ctx, &selection, writer, &|_| {});
        tokio::time::timeout(LONGEST, export).await.unwrap_or_else(|_| Err(Error::Unavailable("the reader is too slow".into()))).map(drop)
    });
    let first = match read(&mut reader).await {
        Ok(first) if !first.is_empty() => first,
        _ => return respond::error(&outcome(work).await.err().unwrap_or_else(|| Error::internal("the export is empty")), id),
    };
    // What compresses the body asks once more after its end.
    let rest = stream::unfold(Some((reader, work)), |state| async {
        let (mut reader, work) = state?;
        match read(&mut reader).await {
            Ok(part) if !part.is_empty() => Some((Ok(part), Some((reader, work)))),
            Ok(_) => match outcome(work).await {
                Ok(()) => None,
                Err(error) => {
                    tracing::error!(%error, "an export broke off");
                    Some((Err(IoError::other("the export broke off")), None))
                }
            },
            Err(error) => Some((Err(error), None)),
        }
    })
    .fuse();
    let body = Body::from_stream(stream::iter([Ok::<Bytes, IoError>(first)]).chain(rest));
    ([(header::CONTENT_TYPE, NDJSON), (header::CONTENT_DISPOSITION, "attachment; filename=\"remembrancer-export.jsonl\"")], body)
        .into_response()
}

type Work = JoinHandle<Result<(), Error>>;

async fn outcome(work: Work) -> Result<(), Error> {
    work.await.unwrap_or_else(|error| Err(Error::failed("the export ended early")(error)))
}

async fn read(reader: &mut DuplexStream) -> Result<Bytes, IoError> {
    let mut part = vec![0; PIPE];
    let length = reader.read(&mut part).await?;
    part.truncate(length);
    Ok(part.into())
}

/// What may be asked of an import.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct How {
    #[serde(default)]
    dry_run: bool,
}

/// `POST /api/import`: an exported file with what is the key's agent's. It is kept in a temporary file until all of it is there.
pub async fn import(
    State(api): State<Api>,
    Caller(ctx): Caller,
    how: Result<Query<How>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let id = Some(ctx.request_id);
    if let Err(error) = ctx.require(Scope::Export) {
        return respond::error(&error, id);
    }
    let Ok(Query(How { dry_run })) = how else {
        return respond::error(&Error::invalid("dry_run", "is true or false, and the only parameter"), id);
    };
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(NDJSON) {
        return respond::refused(ErrorCode::UnsupportedMediaType, &format!("send the file as {NDJSON}"), id);
    }
    let file = match spool(body).await {
        Ok(file) => file,
        Err(Spoiled::TooLarge) => {
            return respond::refused(ErrorCode::TooLarge, &format!("the file is larger than {FILE_MAX} bytes"), id);
        }
        Err(Spoiled::Cut) => return respond::error(&Error::invalid("body", "could not be read to its end"), id),
        Err(Spoiled::NoRoom(error)) => return respond::error(&Error::failed("no temporary file could be made")(error), id),
    };
    match portability::import(&api.engine, &ctx, file, ImportOptions { agent: None, dry_run }, &|_| {}).await {
        Ok(report) => Json(report).into_response(),
        Err(error) => respond::error(&error, id),
    }
}

enum Spoiled {
    TooLarge,
    Cut,
    NoRoom(IoError),
}

/// A body in a temporary file that has no name and is gone when it is closed.
async fn spool(body: Body) -> Result<File, Spoiled> {
    let mut file = temporary().await.map_err(Spoiled::NoRoom)?;
    let (mut parts, mut length) = (body.into_data_stream(), 0_u64);
    while let Some(part) = parts.next().await {
        let part = part.map_err(|_| Spoiled::Cut)?;
        length += part.len() as u64;
        if length > FILE_MAX {
            return Err(Spoiled::TooLarge);
        }
        file.write_all(&part).await.map_err(Spoiled::NoRoom)?;
    }
    file.flush().await.map_err(Spoiled::NoRoom)?;
    file.seek(SeekFrom::Start(0)).await.map_err(Spoiled::NoRoom)?;
    Ok(file)
}

/// A file that nobody else can open.
pub async fn temporary() -> Result<File, IoError> {
    let file = tokio::task::spawn_blocking(tempfile::tempfile).await.map_err(IoError::other)??;
    Ok(File::from_std(file))
}
