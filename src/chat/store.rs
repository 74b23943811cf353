//! All SQL of chat bots.

use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tx, sql};
use sqlx::FromRow;
use wire::{AdminBot, BotId, KeyId, TenantId, UserId};

/// What a bot's id resolves to.
#[derive(FromRow)]
pub struct BotRecord {
    pub tenant_id: TenantId,
    pub key_id: KeyId,
    pub secret_hash: Vec<u8>,
}

pub async fn bot(pool: &SystemPool, id: BotId) -> Result<Option<BotRecord>, DbError> {
    pool.row_if_any(sql!([id], "select tenant_id, key_id, secret_hash from bots where id = $1")).await
}

/// Inserts a bot of Telegram; false when the tenant has no such key.
pub async fn insert_bot(
    tx: &mut Tx,
    tenant: TenantId,
    id: BotId,
    key: KeyId,
    name: &str,
    secret_hash: &[u8],
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, key, id, name, secret_hash, now],
        r"insert into bots (tenant_id, id, platform, name, key_id, secret_hash, created_at)
          select tenant_id, $3, 'telegram', $4, id, $5, $6 from api_keys where tenant_id = $1 and id = $2"
    ))
    .await
}

/// Bots of a tenant, by name.
pub async fn bots(tx: &mut Tx, tenant: TenantId) -> Result<Vec<AdminBot>, DbError> {
    tx.rows(sql!(
        [tenant],
        r"select b.id, b.platform, b.name, b.key_id, b.created_at,
                 (select count(*) from bot_chats c where c.tenant_id = b.tenant_id and c.bot_id = b.id) as chats
            from bots b where b.tenant_id = $1 order by b.name, b.id"
    ))
    .await
}

/// A bot of a tenant. The row is locked: a chat that somebody binds meanwhile waits for the transaction.
pub async fn bot_to_remove(tx: &mut Tx, tenant: TenantId, id: BotId) -> Result<Option<AdminBot>, DbError> {
    tx.row_if_any(sql!(
        [tenant, id],
        r"select b.id, b.platform, b.name, b.key_id, b.created_at,
                 (select count(*) from bot_chats c where c.tenant_id = b.tenant_id and c.bot_id = b.id) as chats
            from bots b where b.tenant_id = $1 and b.id = $2 for update of b"
    ))
    .await
}

/// Deletes a bot with the bindings of its chats; whether the tenant has it.
pub async fn delete_bot(tx: &mut Tx, tenant: TenantId, id: BotId) -> Result<bool, DbError> {
    tx.run(sql!([tenant, id], "delete from bot_chats where tenant_id = $1 and bot_id = $2")).await?;
    tx.changed_any(sql!([tenant, id], "delete from bots where tenant_id = $1 and id = $2")).await
}

/// Binds a chat to a person; false when the tenant has no such bot.
pub async fn bind_chat(tx: &mut Tx, tenant: TenantId, bot: BotId, chat: &str, user: UserId, now: DateTime<Utc>) -> Result<bool, DbError> {
    tx.changed_any(sql!(
        [tenant, bot, chat, user, now],
        r"insert into bot_chats (tenant_id, bot_id, chat_id, user_id, created_at)
          select tenant_id, id, $3, $4, $5 from bots where tenant_id = $1 and id = $2 for key share
          on conflict (tenant_id, bot_id, chat_id) do update set user_id = excluded.user_id, created_at = excluded.created_at"
    ))
    .await
}

/// Unbinds a chat; whether it was bound.
pub async fn unbind_chat(tx: &mut Tx, tenant: TenantId, bot: BotId, chat: &str) -> Result<bool, DbError> {
    tx.changed_any(sql!([tenant, bot, chat], "delete from bot_chats where tenant_id = $1 and bot_id = $2 and chat_id = $3")).await
}

/// The user that a chat is bound to.
pub async fn user_of(pool: &SystemPool, tenant: TenantId, bot: BotId, chat: &str) -> Result<Option<UserId>, DbError> {
    pool.value_if_any(sql!([tenant, bot, chat], "select user_id from bot_chats where tenant_id = $1 and bot_id = $2 and chat_id = $3"))
        .await
}
