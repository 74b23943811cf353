//! The memory block, `/api/memory/` and its two tools: a short list of categorised memories that a prompt holds whole, by short id.
//!
//! An entry is an ordinary live memory with a category and content of 5 to 500 characters.

mod add;
mod command;
mod pages;
mod prompt;
pub mod store;

pub use add::add;
pub use command::command;
pub(crate) use command::{Line, answer, help, lines};
pub use prompt::{Block, prompt};
pub(crate) use prompt::{Entries, block_entries};
use store::EntryFilter;

use crate::memories;
use crate::memories::access::{self, Purpose};
use crate::memories::model::Memory;
use crate::memories::remember::check_source;
use db::Tx;
use foundation::idempotency::Once;
use foundation::identity::acting_for;
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext};
use verb::verb;
use wire::{
    CONTENT_MAX, Category, ENTRY_MAX, ENTRY_MIN, ForgetRequest, ForgetResponse, KeyScope, MemoryListResponse, MemoryRef, MemoryResponse,
    MemoryVersion, MemoryVersionResponse, MemoryWithVersions, ReviseRequest, ReviseResponse, Source, UpdateMemoryRequest,
    UpdateMemoryResponse, UserRef,
};

/// The categorised memories of an agent and of the commons, by category, then creation, then id.
///
/// # Errors
/// `Forbidden` without `memory:read`, `Invalid` for an agent that must name its user and does not.
#[verb]
pub async fn list(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>) -> Result<MemoryListResponse, Error> {
    let memories: Vec<MemoryResponse> = entries(engine, ctx, user).await?.into_iter().filter_map(response).collect();
    Ok(MemoryListResponse { total: i64::try_from(memories.len()).unwrap_or(i64::MAX), memories })
}

/// One of them, with every version.
///
/// # Errors
/// As [`list`], and `NotFound` for what is not in the list.
#[verb]
pub async fn get(engine: &Engine, ctx: &OpContext, name: &MemoryRef, user: Option<&UserRef>) -> Result<MemoryWithVersions, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryRead)?;
    let ctx = &acting_for(engine, ctx, user).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = find(engine, ctx, &mut tx, name, EntryFilter::Categorised).await?;
    let mut versions = memories::store::versions(&mut tx, ctx.tenancy(), memory.agent_id, memory.id).await?;
    tx.commit().await?;
    versions.reverse();
    let memory = response(memory).ok_or(Error::NotFound("memory"))?;
    Ok(MemoryWithVersions { memory, versions: versions.into_iter().map(version).collect() })
}

/// Gives one of them new content, as its next version. Its source is that of the request, or else the platform `via`.
///
/// # Errors
/// `Forbidden` without `memory:write`; `Invalid` for content outside its limits; `NotFound` for what is not in the list.
#[verb]
pub async fn update(
    engine: &Engine,
    ctx: &OpContext,
    request: UpdateMemoryRequest,
    via: &str,
) -> Result<(MemoryResponse, UpdateMemoryResponse), Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryWrite)?;
    let request = Admitted::new(request)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    let mut checks = Checks::default();
    check_content(&mut checks, &request.content);
    if let Some(source) = &request.source {
        check_source(&mut checks, source);
    }
    checks.done()?;
    let once = Once::new(engine, ctx, "update", &request)?;
    if let Some(answer) = once.stored_answer(&engine.db().memory).await? {
        return Ok(answer);
    }
    let memory = find_entry(engine, ctx, &request.memory_id, EntryFilter::Categorised).await?;
    let category = memory.category.ok_or(Error::NotFound("memory"))?;
    let request = request.into_inner();
    let revision = Admitted::new(ReviseRequest {
        memory: memory.id.into(),
        content: request.content,
        source: request.source,
        confidence: None,
        summary: None,
        rationale: None,
        evidence_ref: None,
        user_id: None,
    })?;
    let cause = memories::Cause { here: Some(by_way_of(via)), ..memories::Cause::default() };
    let answer = |now: Memory, revised: ReviseResponse| {
        let change = UpdateMemoryResponse {
            id: revised.short_id,
            old_content: revised.old_content,
            new_content: revised.new_content,
            version: revised.version,
        };
        (entry(now, category), change)
    };
    let updated = memories::revise_from(engine, ctx, revision, cause, &once, answer).await;
    // Forgotten or superseded meanwhile: it is no longer in the list.
    updated.map_err(|error| match error {
        Error::Conflict(_) => Error::NotFound("memory"),
        error => error,
    })
}

/// Forgets one of them and returns it. Returns nothing if the same idempotent request has forgotten it before.
///
/// # Errors
/// `Forbidden` without `memory:forget`, or for a shared one that the agent did not write; `NotFound` for what is not in the list.
#[verb]
pub async fn delete(engine: &Engine, ctx: &OpContext, name: &MemoryRef, user: Option<&UserRef>) -> Result<Option<MemoryResponse>, Error> {
    Ok(remove(engine, ctx, name, user, EntryFilter::Categorised).await?.and_then(response))
}

/// As [`delete`], of what one of the lists has.
///
/// # Errors
/// As [`delete`].
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
async fn remove(
    engine: &Engine,
    ctx: &OpContext,
    name: &MemoryRef,
    user: Option<&UserRef>,
    filter: EntryFilter,
) -> Result<Option<Memory>, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryForget)?;
    let ctx = &acting_for(engine, ctx, user).await?;
    let once = Once::new(engine, ctx, "delete", &Admitted::new(name.clone())?)?;
    if once.stored_answer::<ForgetResponse>(&engine.db().memory).await?.is_some() {
        return Ok(None);
    }
    let memory = find_entry(engine, ctx, name, filter).await?;
    let request = ForgetRequest { memory_id: memory.id.into(), reason: None, user_id: None };
    if memories::forget_once(engine, ctx, &request, &once).await?.already_forgotten {
        return Err(Error::NotFound("memory"));
    }
    Ok(Some(memory))
}

async fn entries(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>) -> Result<Vec<Memory>, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::MemoryRead)?;
    let ctx = &acting_for(engine, ctx, user).await?;
    of_user(engine, ctx).await
}

/// The categorised memories that the operation may see, by category, then creation, then id. It checks no scope.
pub(crate) async fn of_user(engine: &Engine, ctx: &OpContext) -> Result<Vec<Memory>, Error> {
    let agent = ctx.agent_id()?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let found = store::entries(&mut tx, ctx.tenancy(), &[agent, ctx.commons_id], EntryFilter::Categorised, engine.clock().now()).await?;
    tx.commit().await?;
    Ok(found)
}

/// As [`find`], in a transaction of its own.
async fn find_entry(engine: &Engine, ctx: &OpContext, name: &MemoryRef, filter: EntryFilter) -> Result<Memory, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory = find(engine, ctx, &mut tx, name, filter).await?;
    tx.commit().await?;
    Ok(memory)
}

/// A memory of the list by its name; `NotFound` for any other memory.
async fn find(engine: &Engine, ctx: &OpContext, tx: &mut Tx, name: &MemoryRef, filter: EntryFilter) -> Result<Memory, Error> {
    let memory = access::find(tx, ctx, name, Purpose::Read, engine.clock().now()).await?;
    let in_list = memory.category.is_some() || (filter == EntryFilter::All && memory.role.is_none());
    if memory.live && in_list { Ok(memory) } else { Err(Error::NotFound("memory")) }
}

/// The source of a change that names none: the platform that it came through.
fn by_way_of(via: &str) -> Source {
    Source { platform: via.into(), ..Source::default() }
}

fn check_content<'a>(checks: &'a mut Checks, content: &str) -> &'a mut Checks {
    let characters = content.chars().count();
    let message = format!("has {characters} characters; it may have {ENTRY_MIN} to {ENTRY_MAX}");
    checks.that((ENTRY_MIN..=ENTRY_MAX).contains(&characters), "content", message).content("content", content, CONTENT_MAX)
}

fn response(memory: Memory) -> Option<MemoryResponse> {
    let category = memory.category?;
    Some(entry(memory, category))
}

fn entry(memory: Memory, category: Category) -> MemoryResponse {
    MemoryResponse {
        id: memory.short_id,
        category,
        subject: memory.subject,
        content: memory.content,
        version: memory.version,
        created_at: memory.created_at,
        updated_at: Some(memory.updated_at),
    }
}

fn version(version: MemoryVersion) -> MemoryVersionResponse {
    MemoryVersionResponse {
        version_number: version.version,
        content: version.content,
        created_at: version.valid_from,
        created_by: version.actor_name,
        source: version.source,
    }
}
