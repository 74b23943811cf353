//! Tenants, agents, API keys, operators with their saved views, sessions: who exists and who asks.

mod agents;
mod client_documents;
mod invitations;
mod issuing;
mod keys;
mod lifecycle;
mod managing;
mod model;
pub mod oauth;
mod operators;
mod password;
mod policy;
mod provider;
mod quota;
mod staff;
pub mod store;
mod trouble;
mod users;
mod views;

pub use crate::engine::uses::{KeyRef, SeenKey, Use, Uses};
pub use agents::{acting_as, adopt_agent, agent, agent_holder, all_agents, check_id as check_agent_id, scopes_of};
pub use agents::{agent_by_slug, create_agent, create_agent_with_id, set_blocked};
use async_recursion::async_recursion as boxed;
pub use invitations::{accept_invitation, invitation, invite, list_invitations, offer_password, withdraw_invitation};
pub use issuing::{add_key, api_key, create_key, list_keys, revoke_key, rotate_key};
pub use keys::same as same_hash;
pub use lifecycle::{days_with_log, history_days};
pub use lifecycle::{lifecycle, lifecycle_policy, set_lifecycle};
pub use managing::{agent_settings, change_agent, list_agents, put_agent, retire_agent};
use model::KeyRecord;
pub use model::{Admin, Admission, Agent, OauthClient, Tenant, User};
pub use operators::{
    admins, change_password, create_operator, operator, operator_by_login, reset_password, resume, session_create, session_delete,
    session_load, session_save, sign_in, sign_out,
};
pub use policy::{
    SearchSettings, capture_policy, check_search_policy, knowledge_categories, policy, search_policy, set_keeps_context_texts,
    set_knowledge_categories, set_policy, set_search_policy,
};
pub use policy::{keeps_context_texts, search_settings};
pub use provider::{Identity, NotAdmitted, detach_identity, sign_in_with_provider};
pub use quota::count_source;
pub use staff::{change_operator, disable_operator, end_sessions, list_operators, restore_operator, set_roles};
pub use trouble::troubled;
pub use users::{acting_for, adopt_user, check as check_user, known_user, user_names, user_of_agent, users_named};
pub use users::{add_user, find_users, list_users, named_by_caller, person, put_user, user, users, users_by_id, users_with};
use verb::verb;
pub use views::{delete_view, rename_view, save_view, share_view, views};

use crate::audit::{self, NewEntry};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::idempotency::Once;
use crate::op::{Access, Actor, OpContext};
use db::{DbError, Tx};
use serde::Serialize;
use serde_json::json;
use wire::{AgentId, CapturePolicy, ErrorCode, KeyId, RequestId, TenantId, Toolset, is_slug};

/// Longest name of an agent, in characters.
pub const AGENT_NAME_MAX: usize = 500;

/// The context of a request that carries an API key.
///
/// # Errors
/// `Unauthenticated` for a key that is malformed, unknown, expired or revoked; all read the same. `Forbidden` while its agent is blocked.
#[boxed]
pub async fn authenticate(engine: &Engine, key: &str, request_id: RequestId) -> Result<OpContext, Error> {
    authenticate_seen(engine, key, request_id, &SeenKey::default()).await
}

/// The same; `seen` learns which key it is, also of one that is refused.
///
/// # Errors
/// As [`authenticate`].
#[boxed]
pub async fn authenticate_seen(engine: &Engine, key: &str, request_id: RequestId, seen: &SeenKey) -> Result<OpContext, Error> {
    const REFUSED: Error = Error::Unauthenticated("this API key is not valid");
    let prefix = keys::prefix_of(key).ok_or(REFUSED)?;
    let pool = engine.db().control.system();
    let record = store::key_by_prefix(pool, prefix).await?.ok_or(REFUSED)?;
    if !keys::same(&record.secret_hash, &keys::hash(key)) {
        return Err(REFUSED);
    }
    seen.set((record.tenant_id, record.key_id));
    if record.is_lapsed(engine.clock().now()) {
        seen.lapse();
    }
    admit(engine, record, request_id)
}

/// The context of a key, for a caller that has proved by other means that it acts with the key, as a bot does.
///
/// # Errors
/// `Unauthenticated` for a key that is unknown, expired or revoked.
#[tracing::instrument(skip_all, fields(%tenant))]
pub async fn context_of_key(engine: &Engine, tenant: TenantId, key: KeyId, request_id: RequestId) -> Result<OpContext, Error> {
    let record = store::key_by_id(engine.db().control.system(), tenant, key).await?;
    admit(engine, record.ok_or(Error::Unauthenticated("this API key is not valid"))?, request_id)
}

/// Writes how keys were used since the last time. What cannot be written is kept for the next time.
#[boxed]
pub async fn flush_uses(engine: &Engine) -> Result<(), Error> {
    let uses = engine.key_uses().take();
    if uses.is_empty() {
        return Ok(());
    }
    let written = store::write_uses(engine.db().control.system(), &uses).await;
    if written.is_err() {
        for (key, what) in uses {
            engine.key_uses().note(key, what);
        }
    }
    Ok(written?)
}

fn admit(engine: &Engine, record: KeyRecord, request_id: RequestId) -> Result<OpContext, Error> {
    let now = engine.clock().now();
    if record.revoked_at.is_some() || record.expires_at.is_some_and(|expires| expires <= now) {
        return Err(Error::Unauthenticated("this API key is not valid"));
    }
    // Not `Unauthenticated`: the key is right, and the gate must not remember it as a wrong one.
    if record.blocked {
        return Err(Error::Forbidden(format!("the agent {} is blocked; an administrator can unblock it", record.agent_slug)));
    }
    let KeyRecord { require_user, is_granted, .. } = record;
    Ok(OpContext {
        tenant_id: record.tenant_id,
        commons_id: record.commons_id,
        actor: Actor::Agent { id: record.agent_id, slug: record.agent_slug, key_id: record.key_id, require_user, is_granted },
        access: Access::KeyScopes(record.scopes),
        users: record.user_id.into(),
        idempotency: None,
        only_reads: false,
        may_lag: false,
        session: None,
        request_id,
        zone: chrono_tz::Tz::UTC,
    })
}

/// Makes a tenant with its commons. Its context may do everything: tenants are made on the command line.
///
/// # Errors
/// `Invalid` for a slug that is not `a-z 0-9 -`, `Conflict` when it is taken.
#[boxed]
pub async fn create_tenant(engine: &Engine, slug: &str, name: &str) -> Result<OpContext, Error> {
    make_tenant(engine, slug, name, None).await
}

/// The same for a person who uses every agent: with [`CapturePolicy::of_one_person`] from the beginning.
///
/// # Errors
/// As [`create_tenant`].
#[boxed]
pub async fn create_own_tenant(engine: &Engine, slug: &str, name: &str) -> Result<OpContext, Error> {
    make_tenant(engine, slug, name, Some(CapturePolicy::of_one_person())).await
}

async fn make_tenant(engine: &Engine, slug: &str, name: &str, policy: Option<CapturePolicy>) -> Result<OpContext, Error> {
    check_slug(slug)?;
    let now = engine.clock().now();
    let tenant =
        Tenant { id: TenantId(engine.clock().id()), slug: slug.into(), name: name.into(), commons_id: AgentId(engine.clock().id()) };
    let ctx = OpContext::system(tenant.id, tenant.commons_id, RequestId(engine.clock().id()));
    let mut entries = vec![NewEntry::new(engine, &ctx, "tenant.created", "tenant", tenant.id, format!("organisation {slug} created"))];
    let mut tx = engine.db().control.begin_system().await?;
    store::insert_tenant(&mut tx, &tenant, now).await.map_err(|error| name_conflict(error, "tenant", slug))?;
    if let Some(policy) = policy {
        store::set_capture_policy(&mut tx, tenant.id, &policy, ctx.actor.name(), now).await?;
        entries.push(policy::changed(engine, &ctx, &CapturePolicy::default(), &policy)?);
    }
    audit::append_in(engine, &mut tx, tenant.id, &entries).await?;
    tx.commit().await?;
    Ok(ctx)
}

/// The context of the command line for an existing tenant.
///
/// # Errors
/// `NotFound`.
#[boxed]
pub async fn open_tenant(engine: &Engine, slug: &str) -> Result<OpContext, Error> {
    let tenant = store::tenant(engine.db().control.system(), slug).await?.ok_or(Error::NotFound("tenant"))?;
    Ok(OpContext::system(tenant.id, tenant.commons_id, RequestId(engine.clock().id())))
}

/// The sets of tools that the caller's key lists besides `core`: every set for a caller without a key.
#[verb]
pub async fn toolsets(engine: &Engine, ctx: &OpContext) -> Result<Vec<Toolset>, Error> {
    let Actor::Agent { key_id, .. } = ctx.actor else { return Ok(vec![Toolset::All]) };
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let sets = store::toolsets(&mut tx, ctx.tenant_id, key_id).await?;
    tx.commit().await?;
    Ok(sets.unwrap_or_else(|| vec![Toolset::All]))
}

/// Chooses the sets of tools that a key lists besides `core`.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign key.
#[verb(role = Admin)]
pub async fn set_toolsets(engine: &Engine, ctx: &OpContext, key: KeyId, sets: &[Toolset]) -> Result<(), Error> {
    let mut tx = engine.db().control.begin_system().await?;
    store::lock_key(&mut tx, ctx.tenant_id, key).await?;
    let before = store::toolsets(&mut tx, ctx.tenant_id, key).await?.ok_or(Error::NotFound("key"))?;
    store::set_toolsets(&mut tx, ctx.tenant_id, key, sets).await?;
    let names: Vec<&str> = sets.iter().map(|set| set.as_str()).collect();
    let message = format!("toolsets besides core: {}", if names.is_empty() { "none".into() } else { names.join(", ") });
    let (before, after) = (json!({ "toolsets": before }), json!({ "toolsets": sets }));
    let entry = NewEntry::new(engine, ctx, "key.toolsets_set", "key", key, message);
    finish(engine, tx, ctx, entry.changes(audit::differences(Some(&before), &after)?)).await
}

/// Commits a change of the control database together with its audit row: both happen or neither does.
pub async fn finish(engine: &Engine, mut tx: Tx, ctx: &OpContext, entry: NewEntry) -> Result<(), Error> {
    audit::append_in(engine, &mut tx, ctx.tenant_id, &[with_key(ctx, entry)]).await?;
    Ok(tx.commit().await?)
}

/// Commits a change of the control database with its audit rows and the answer to its request: all of it happens, or nothing.
pub async fn settle(
    engine: &Engine,
    ctx: &OpContext,
    mut tx: Tx,
    once: &Once<'_>,
    entries: &[NewEntry],
    answer: &(impl Serialize + Sync),
) -> Result<(), Error> {
    if !entries.is_empty() {
        let entries: Vec<NewEntry> = entries.iter().map(|entry| with_key(ctx, entry.clone())).collect();
        audit::append_in(engine, &mut tx, ctx.tenant_id, &entries).await?;
    }
    once.commit(tx, answer, &[]).await
}

/// An entry with the key that acts, if one does: its agent may have several.
fn with_key(ctx: &OpContext, mut entry: NewEntry) -> NewEntry {
    if let Actor::Agent { key_id, .. } = ctx.actor {
        entry.changes["by_key"] = key_id.to_string().into();
    }
    entry
}

/// What a slug may be, as [`is_slug`] says.
pub fn check_slug(slug: &str) -> Result<(), Error> {
    Checks::default()
        .that(is_slug(slug), "slug", "must have 1 to 63 characters of a-z, 0-9 and '-', and start with a letter or digit")
        .done()
}

fn name_conflict(error: DbError, what: &str, name: &str) -> Error {
    let error = Error::from(error);
    match &error {
        Error::Db(DbError::Unique { .. }) => Error::Conflict(format!("the {what} {name} exists already")),
        _ => {
            debug_assert!(error.code() != ErrorCode::Conflict);
            error
        }
    }
}
