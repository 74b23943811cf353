//! Export and import over HTTP: both are streams, and neither is ever in memory as a whole.

use super::Api;
use super::body::{NDJSON, UnreadLines};
use super::caller::Caller;
use super::error::{Answer, ApiError};
use super::openapi::{Describe, Operation, Refusal};
use super::params::Query;
use super::transfers::{Impatient, Transfers};
use axum::Json;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use foundation::{Engine, Error, OpContext};
use futures_util::{StreamExt, stream};
use portability::{ImportOptions, Selection};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::io::{Error as IoError, SeekFrom};
use std::time::Duration;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;
use wire::{ImportReport, KeyScope};

/// Largest file over HTTP, in bytes; the command line takes any.
pub const FILE_MAX: u64 = 1024 * 1024 * 1024;
/// Longest time that an import or an export may take.
pub const LONGEST: Duration = Duration::from_secs(3600);
/// Bytes between the export and its reader.
const PIPE: usize = 64 * 1024;

/// An export, as it is sent.
pub struct Sent(Response);

impl IntoResponse for Sent {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Describe for Sent {
    fn describe(operation: &mut Operation) {
        let lines = json!({ "type": "string", "description": "Lines of JSON. The last line says how many there are." });
        operation.answers(StatusCode::OK, "Success. If the last line is missing, the export broke off.", &[(NDJSON, lines)]);
        operation.refuses(Refusal::Conflict);
    }
}

/// `GET /api/export`: everything of the key's agent.
pub async fn export(State(api): State<Api>, Caller(engine, ctx): Caller) -> Result<Sent, ApiError> {
    let agent = ctx.agent_id()?;
    send(engine, &api.transfers, ctx, Selection::Agent(agent)).await.map(Sent)
}

/// An export as a stream. Without its footer it broke off.
pub async fn send(engine: Engine, transfers: &Transfers, ctx: OpContext, selection: Selection) -> Result<Response, ApiError> {
    let turn = transfers.export(&ctx)?;
    let export = async move |writer| {
        let _turn = turn;
        portability::export(&engine, &ctx, &selection, writer, &|_| {}).await.map(drop)
    };
    stream_file(transfers, (NDJSON, "remembrancer-export.jsonl"), export).await
}

/// What a file is written to while it is sent.
pub type FileWriter = Impatient<DuplexStream>;

/// A file that is sent while it is written. A refusal has its own status; a later failure breaks the transfer off. A client that takes
/// nothing for too long is such a failure.
pub async fn stream_file<F>(
    transfers: &Transfers,
    (media_type, name): (&'static str, &str),
    write: impl FnOnce(FileWriter) -> F,
) -> Result<Response, ApiError>
where
    F: Future<Output = Result<(), Error>> + Send + 'static,
{
    let (writer, mut reader) = tokio::io::duplex(PIPE);
    let writing = tokio::time::timeout(LONGEST, write(Impatient::new(writer, transfers.stall)));
    let work: Work =
        tokio::spawn(async move { writing.await.unwrap_or_else(|_| Err(Error::Unavailable("the client reads too slowly".into()))) });
    let first = match read(&mut reader).await {
        Ok(first) if !first.is_empty() => first,
        _ => return Err(outcome(work).await.err().unwrap_or_else(|| Error::internal("the export is empty")).into()),
    };
    // The compression layer polls once more after the end.
    let rest = stream::unfold(Some((reader, work)), |state| async {
        let (mut reader, work) = state?;
        match read(&mut reader).await {
            Ok(part) if !part.is_empty() => Some((Ok(part), Some((reader, work)))),
            Ok(_) => match outcome(work).await {
                Ok(()) => None,
                Err(error) => {
                    tracing::error!(error = error.chain(), "an export broke off");
                    Some((Err(IoError::other("the export broke off")), None))
                }
            },
            Err(error) => Some((Err(error), None)),
        }
    })
    .fuse();
    let body = Body::from_stream(stream::iter([Ok::<Bytes, IoError>(first)]).chain(rest));
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok(([(header::CONTENT_TYPE, media_type.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body).into_response())
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

/// The parameters of `POST /api/import`. A misspelt one is refused: it could be a dry run that writes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportParameters {
    /// True: says what would be imported, and writes nothing.
    #[serde(default)]
    dry_run: bool,
}

/// `POST /api/import`: imports an exported file with records of the key's agent. The body is stored in a temporary file first.
pub async fn import(
    State(api): State<Api>,
    Caller(engine, ctx): Caller,
    parameters: Result<Query<ImportParameters>, ApiError>,
    body: UnreadLines,
) -> Answer<ImportReport> {
    ctx.require(KeyScope::MemoryWrite)?;
    let parts = body.stream(&ctx, KeyScope::Export)?;
    let Query(ImportParameters { dry_run }) =
        parameters.map_err(|_| Error::invalid("dry_run", "must be true or false, and there must be no other parameter"))?;
    let _turn = api.transfers.import(&ctx)?;
    let file = spool(parts, api.transfers.stall).await?;
    Ok(Json(portability::import(&engine, &ctx, file, ImportOptions { agent: None, dry_run }, &|_| {}).await?))
}

/// Writes a body into a temporary file without a name, which is gone when it is closed.
async fn spool(mut parts: BodyDataStream, stall: Duration) -> Result<File, ApiError> {
    let failed = |error: IoError| Error::failed("no temporary file could be written")(error);
    let (mut file, mut length) = (temporary().await.map_err(failed)?, 0_u64);
    let slow = |_| Error::invalid("body", format!("stopped arriving: no byte arrived for {} s", stall.as_secs()));
    while let Some(part) = tokio::time::timeout(stall, parts.next()).await.map_err(slow)? {
        let part = part.map_err(|_| Error::invalid("body", "could not be read to its end"))?;
        length += part.len() as u64;
        if length > FILE_MAX {
            return Err(ApiError::TooLarge(format!("the file is larger than {FILE_MAX} bytes")));
        }
        file.write_all(&part).await.map_err(failed)?;
    }
    file.flush().await.map_err(failed)?;
    file.seek(SeekFrom::Start(0)).await.map_err(failed)?;
    Ok(file)
}

/// A file that nobody else can open.
pub async fn temporary() -> Result<File, IoError> {
    let file = tokio::task::spawn_blocking(tempfile::tempfile).await.map_err(IoError::other)??;
    Ok(File::from_std(file))
}
