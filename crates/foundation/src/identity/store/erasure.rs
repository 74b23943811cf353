//! What an erasure does in the control database: what the organisation knows of a person, and the texts of audit entries.

use chrono::{DateTime, Utc};
use db::{DbError, Tx, like, sql};
use sqlx::FromRow;
use uuid::Uuid;
use wire::{TenantId, UserId};

/// What the organisation calls a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Known {
    pub external_ref: Option<String>,
    pub name: Option<String>,
    /// Chats of bots that are bound to the user.
    pub chats: Vec<String>,
}

/// What the organisation calls a user; empty if it calls them nothing.
pub async fn known(tx: &mut Tx, tenant: TenantId, user: UserId) -> Result<Known, DbError> {
    tx.row(sql!(
        [tenant, user],
        r"select (select external_ref from users where tenant_id = $1 and id = $2) as external_ref,
                 (select name from users where tenant_id = $1 and id = $2) as name,
                 array(select chat_id from bot_chats where tenant_id = $1 and user_id = $2) as chats"
    ))
    .await
}

/// Removes the reference and the name of a user, and the answers about the user that are kept for repeated requests of admins.
pub async fn erase_user(tx: &mut Tx, tenant: TenantId, user: UserId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, user],
        r"delete from idempotent_requests
           where tenant_id = $1 and operation like 'admin.%'
             and $2::uuid::text in (answer -> 0 ->> 'id', answer -> 'key' ->> 'user_id')"
    ))
    .await?;
    tx.run(sql!([tenant, user], "delete from users where tenant_id = $1 and id = $2")).await
}

/// Revokes the keys that are bound to a user and takes their names; their ids. A revoked key acts for nobody.
pub async fn revoke_keys(tx: &mut Tx, tenant: TenantId, user: UserId, now: DateTime<Utc>) -> Result<Vec<Uuid>, DbError> {
    tx.values(sql!(
        [tenant, user, now],
        r"update api_keys set revoked_at = coalesce(revoked_at, $3), user_id = null, name = 'erased', last_used_from = null
           where tenant_id = $1 and user_id = $2 returning id"
    ))
    .await
}

/// Moves what a user cost to nobody.
pub async fn erase_ledger(tx: &mut Tx, tenant: TenantId, user: UserId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, user, Uuid::nil()],
        r"with gone as (delete from usage_ledger where tenant_id = $1 and user_id = $2 returning *)
          insert into usage_ledger (tenant_id, hour, agent_id, user_id, model, purpose, calls, tokens_in, tokens_out, cost_microusd)
          select tenant_id, hour, agent_id, $3, model, purpose, calls, tokens_in, tokens_out, cost_microusd from gone
          on conflict (tenant_id, hour, agent_id, user_id, model, purpose) do update
             set calls = usage_ledger.calls + excluded.calls, tokens_in = usage_ledger.tokens_in + excluded.tokens_in,
                 tokens_out = usage_ledger.tokens_out + excluded.tokens_out,
                 cost_microusd = usage_ledger.cost_microusd + excluded.cost_microusd"
    ))
    .await
}

fn texts(ids: &[Uuid]) -> Vec<String> {
    ids.iter().map(Uuid::to_string).collect()
}

/// Patterns of texts that name a user: by id, by reference, or by a chat, as words of their own. The names of people are searched as
/// mentions.
fn patterns(user: UserId, known: &Known) -> Vec<String> {
    let chats = known.chats.iter().map(|chat| format!("chat {chat}"));
    [user.to_string()].into_iter().chain(known.external_ref.clone()).chain(chats).map(|text| like::referred(&text)).collect()
}

/// How many texts of audit entries are about these rows or name a user.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, targets = targets.len()))]
pub async fn count_texts(tx: &mut Tx, tenant: TenantId, targets: &[Uuid], user: UserId, known: &Known) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenant, texts(targets), patterns(user, known)],
        r"select count(*) from audit_log l join audit_texts x on x.tenant_id = l.tenant_id and x.event_id = l.event_id
           where l.tenant_id = $1
             and (l.target_id = any($2) or x.message ~ any($3) or x.reason ~ any($3) or x.changes::text ~ any($3))"
    ))
    .await
}

/// Erases the texts of audit entries about these rows. The entries stay, and the chain stays whole.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, targets = targets.len()))]
pub async fn erase_texts_about(tx: &mut Tx, tenant: TenantId, targets: &[Uuid]) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, texts(targets)],
        r"delete from audit_texts x using audit_log l
           where x.tenant_id = $1 and l.tenant_id = $1 and l.event_id = x.event_id and l.target_id = any($2)"
    ))
    .await
}

/// Erases the texts of audit entries that name a user.
pub async fn erase_texts_naming(tx: &mut Tx, tenant: TenantId, user: UserId, known: &Known) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, patterns(user, known)],
        "delete from audit_texts where tenant_id = $1 and (message ~ any($2) or reason ~ any($2) or changes::text ~ any($2))"
    ))
    .await
}
