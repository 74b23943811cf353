//! Memories: a list, one in full, for a caller that has its id from a hit or a summary, and many to remember at once.

use super::body::UnreadBody;
use super::caller::Caller;
use super::error::Answer;
use super::params::{OfUser, Parameters, Query, Segment, parameters};
use axum::Json;
use foundation::Error;
use remembrancer::{memories, tools};
use wire::{
    BatchRequest, BatchResponse, KeyScope, ListMemoriesRequest, ListedMemory, MemoryRecord, MemoryRef, Page, PinResponse, ShareResponse,
    UserRef, VersionsResponse,
};

/// Largest body of a batch, in bytes.
const BATCH_BODY_MAX: usize = 16 * 1024 * 1024;

/// `POST /api/memories/batch`: remembers up to 500 facts, each by itself.
pub async fn batch(Caller(engine, ctx): Caller, body: UnreadBody<BatchRequest>) -> Answer<BatchResponse> {
    let BatchRequest { user_id, items } = body.at_most(BATCH_BODY_MAX).read(&ctx, KeyScope::MemoryWrite).await?;
    let items = items.into_iter().map(tools::read).collect();
    Ok(Json(memories::remember_batch(&engine, &ctx, user_id, items).await?))
}

/// `GET /api/memories`: what the agent can recall, newest write first, 20 at a time.
pub async fn list(Caller(engine, ctx): Caller, Query(request): Query<ListMemoriesRequest>) -> Answer<Page<ListedMemory>> {
    Ok(Json(memories::list(&engine, &ctx, request).await?))
}

/// `GET /api/memories/{memory_id}`: everything about a memory, by id or short id.
pub async fn record(Caller(engine, ctx): Caller, id: Segment<MemoryRef>, parameters: Parameters<OfUser>) -> Answer<MemoryRecord> {
    Ok(Json(memories::record(&engine, &ctx, &id.id("memory")?, parameters.user()?.as_ref()).await?))
}

/// `PUT /api/memories/{memory_id}/pin`: pins a memory. A pinned memory never expires and is never archived.
pub async fn pin(Caller(engine, ctx): Caller, id: Segment<MemoryRef>, parameters: Parameters<OfUser>) -> Answer<PinResponse> {
    Ok(Json(memories::set_pinned(&engine, &ctx, &id.id("memory")?, parameters.user()?, true).await?))
}

/// `PUT /api/memories/{memory_id}/share`: shares a memory of the agent with all agents of the organisation.
pub async fn share(Caller(engine, ctx): Caller, id: Segment<MemoryRef>, parameters: Parameters<OfUser>) -> Answer<ShareResponse> {
    Ok(Json(memories::set_shared(&engine, &ctx, &id.id("memory")?, parameters.user()?, true).await?))
}

/// `DELETE /api/memories/{memory_id}/share`: makes a shared memory that the agent wrote private again.
pub async fn unshare(Caller(engine, ctx): Caller, id: Segment<MemoryRef>, parameters: Parameters<OfUser>) -> Answer<ShareResponse> {
    Ok(Json(memories::set_shared(&engine, &ctx, &id.id("memory")?, parameters.user()?, false).await?))
}

/// `DELETE /api/memories/{memory_id}/pin`: unpins a memory. Its retention begins now.
pub async fn unpin(Caller(engine, ctx): Caller, id: Segment<MemoryRef>, parameters: Parameters<OfUser>) -> Answer<PinResponse> {
    Ok(Json(memories::set_pinned(&engine, &ctx, &id.id("memory")?, parameters.user()?, false).await?))
}

parameters! {
    /// The parameters of `GET /api/memories/{memory_id}/versions`.
    OfVersions {
        /// The person you are talking to, as a user's id or your own reference to a user. Needs a key that may choose its user.
        user_id: UserRef,
        /// The older of two versions to compare, by its number. Goes with `to`.
        from: i32,
        /// The newer of two versions to compare, by its number. Goes with `from`.
        to: i32,
    }
}

/// `GET /api/memories/{memory_id}/versions`: every version, newest first; with `from` and `to`, those two and what differs.
pub async fn versions(Caller(engine, ctx): Caller, id: Segment<MemoryRef>, parameters: Parameters<OfVersions>) -> Answer<VersionsResponse> {
    let memory = id.id("memory")?;
    let OfVersions { user_id, from, to } = parameters.read()?;
    match (from, to) {
        (None, None) => {
            let versions = memories::history(&engine, &ctx, &memory, user_id.as_ref()).await?;
            Ok(Json(VersionsResponse::All { versions }))
        }
        (Some(from), Some(to)) => {
            let compared = memories::compare(&engine, &ctx, &memory, user_id.as_ref(), from, to).await?;
            Ok(Json(VersionsResponse::Compared(Box::new(compared))))
        }
        (None, Some(_)) => Err(Error::invalid("from", "is required with to").into()),
        (Some(_), None) => Err(Error::invalid("to", "is required with from").into()),
    }
}
