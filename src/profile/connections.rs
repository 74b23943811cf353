//! Connections: a tool as one person uses it, with what it can do and what was learned about using it.

use super::apply::lock_profile;
use super::documents::{index_schema, store::known_connections};
use super::model::Subject;
use super::read::{CONNECTIONS, View};
use super::store::{self, StoredConnection};
use chrono::TimeDelta;
use db::{Tenancy, Tx};
use foundation::idempotency::Once;
use foundation::identity::{self, acting_for};
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext};
use serde_json::Value;
use uuid::Uuid;
use verb::verb;
use wire::{
    Connection, ConnectionList, FILENAME_MAX, KeyScope, PutConnectionRequest, PutConnectionResponse, SCHEMA_TTL, SCHEMA_TTL_MAX,
    TOOL_SCHEMA_MAX, UserRef,
};
use words::tree;

/// The connections of a user, by name.
///
/// # Errors
/// `Forbidden` without `context:read`.
#[verb]
pub async fn connections(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>) -> Result<ConnectionList, Error> {
    let ctx = &reading(engine, ctx, user).await?;
    Ok(ConnectionList { connections: read(engine, ctx, None).await? })
}

/// One connection of a user.
///
/// # Errors
/// `Forbidden` without `context:read`, `NotFound` for a connection of another agent, user or organisation.
#[verb]
pub async fn connection(engine: &Engine, ctx: &OpContext, id: Uuid, user: Option<&UserRef>) -> Result<Connection, Error> {
    let ctx = &reading(engine, ctx, user).await?;
    read(engine, ctx, Some(id)).await?.pop().ok_or(Error::NotFound("connection"))
}

/// Stores a connection under the id that the caller's runtime has for it. What was learned about it stays. The ids of each person are their
/// own: the same id of another person is another connection, and nothing tells that there is one.
///
/// # Errors
/// `Forbidden` without `capture:write`; `Invalid` with every field that is empty, too long or out of range.
#[verb]
pub async fn put_connection(
    engine: &Engine,
    ctx: &OpContext,
    id: Uuid,
    request: PutConnectionRequest,
    user: Option<&UserRef>,
) -> Result<PutConnectionResponse, Error> {
    let agent_id = ctx.agent_id()?;
    ctx.require(KeyScope::CaptureWrite)?;
    let request = Admitted::new(id)?.with(Admitted::new(request)?);
    let ctx = &acting_for(engine, ctx, user).await?;
    check(&request.1)?;
    let once = Once::new(engine, ctx, "put_connection", &request)?;
    let (_, PutConnectionRequest { tool_id, name, tool_schema, schema_ttl_seconds, active }) = request.into_inner();
    let (subject, now) = (Subject { agent_id, user_id: ctx.user() }, engine.clock().now());
    let ttl = TimeDelta::seconds(i64::from(schema_ttl_seconds.unwrap_or(SCHEMA_TTL)));
    let stored = StoredConnection {
        id,
        tool_id,
        name,
        schema_expires_at: tool_schema.as_ref().map(|_| now + ttl),
        tool_schema,
        active,
        created_at: now,
        updated_at: now,
    };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    lock_profile(&mut tx, subject).await?;
    let known = store::connections(&mut tx, ctx.tenancy(), subject, None, CONNECTIONS, now).await?;
    if i64::try_from(known.len()).is_ok_and(|count| count >= CONNECTIONS) && known.iter().all(|one| one.id != id) {
        return Err(Error::invalid(
            "connection_id",
            format!("cannot be added: the person already has {CONNECTIONS} connections, which is the limit"),
        ));
    }
    store::put_connection(&mut tx, ctx.tenancy(), subject, &stored).await?;
    index_schema(engine, ctx, &mut tx, subject, (id, &stored.name, stored.tool_schema.as_ref())).await?;
    // What was learned is not part of the answer: a repeated answer would bring back what was forgotten since.
    let answer = PutConnectionResponse { connection_id: id, schema_expires_at: stored.schema_expires_at };
    once.commit(tx, &answer, &[]).await?;
    engine.jobs().wake();
    Ok(answer)
}

/// Whether a person has a connection: it was stored, or something was learned about it.
pub(crate) async fn has_connection(tx: &mut Tx, tenancy: Tenancy, subject: Subject, id: Uuid) -> Result<bool, Error> {
    Ok(!known_connections(tx, tenancy, subject, &[id]).await?.is_empty())
}

async fn reading(engine: &Engine, ctx: &OpContext, user: Option<&UserRef>) -> Result<OpContext, Error> {
    ctx.agent_id()?;
    ctx.require(KeyScope::ContextRead)?;
    acting_for(engine, ctx, user).await
}

async fn read(engine: &Engine, ctx: &OpContext, only: Option<Uuid>) -> Result<Vec<Connection>, Error> {
    let (subject, now) = (Subject { agent_id: ctx.agent_id()?, user_id: ctx.user() }, engine.clock().now());
    let policy = identity::capture_policy(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let view = View::load(&mut tx, ctx.tenancy(), subject, &policy, now).await?;
    let stored = store::connections(&mut tx, ctx.tenancy(), subject, only, CONNECTIONS, now).await?;
    tx.commit().await?;
    Ok(stored.into_iter().map(|one| described(&view, one)).collect())
}

/// A connection with what was learned about it.
pub(super) fn described(view: &View, stored: StoredConnection) -> Connection {
    let StoredConnection { id, tool_id, name, tool_schema, schema_expires_at, active, created_at, updated_at } = stored;
    let learned = view.learned_about(id);
    Connection { connection_id: id, tool_id, name, learned, tool_schema, schema_expires_at, active, created_at, updated_at }
}

fn check(request: &PutConnectionRequest) -> Result<(), Error> {
    let schema = request.tool_schema.as_ref().map(Value::to_string).unwrap_or_default();
    let ttl = request.schema_ttl_seconds.unwrap_or(SCHEMA_TTL);
    let mut checks = Checks::default();
    checks
        .text("tool_id", &request.tool_id, FILENAME_MAX)
        .text("name", &request.name, FILENAME_MAX)
        .that(schema.len() <= TOOL_SCHEMA_MAX, "tool_schema", format!("has {} bytes; at most {TOOL_SCHEMA_MAX} are allowed", schema.len()))
        .that(!schema.contains("\\u0000"), "tool_schema", "must not contain NUL")
        .that((1..=SCHEMA_TTL_MAX).contains(&ttl), "schema_ttl_seconds", format!("is {ttl}; it may be 1 to {SCHEMA_TTL_MAX}"));
    if let Some(Err(error)) = request.tool_schema.clone().map(tree::normalise) {
        checks.that(false, "tool_schema", error.to_string());
    }
    checks.done()
}
