//! All SQL of chat bots.

use chrono::{DateTime, Utc};
use db::{DbError, SystemPool};
use sqlx::FromRow;
use wire::{BotId, KeyId, TenantId, UserId};

/// What a bot's id resolves to.
#[derive(FromRow)]
pub struct BotRecord {
    pub tenant_id: TenantId,
    pub key_id: KeyId,
    pub secret_hash: Vec<u8>,
}

/// A bot by its id.
pub async fn bot(pool: &SystemPool, id: BotId) -> Result<Option<BotRecord>, DbError> {
    Ok(sqlx::query_as("select tenant_id, key_id, secret_hash from bots where id = $1").bind(id).fetch_optional(pool).await?)
}

/// Inserts a bot of Telegram; false when the tenant has no such key.
pub async fn insert_bot(
    pool: &SystemPool,
    tenant: TenantId,
    id: BotId,
    key: KeyId,
    name: &str,
    secret_hash: &[u8],
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    let done = sqlx::query(
        r"insert into bots (tenant_id, id, platform, name, key_id, secret_hash, created_at)
          select tenant_id, $3, 'telegram', $4, id, $5, $6 from api_keys where tenant_id = $1 and id = $2",
    )
    .bind(tenant)
    .bind(key)
    .bind(id)
    .bind(name)
    .bind(secret_hash)
    .bind(now)
    .execute(pool)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Binds a chat to a person; false when the tenant has no such bot.
pub async fn bind_chat(
    pool: &SystemPool,
    tenant: TenantId,
    bot: BotId,
    chat: &str,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<bool, DbError> {
    let done = sqlx::query(
        r"insert into bot_chats (tenant_id, bot_id, chat_id, user_id, created_at)
          select tenant_id, id, $3, $4, $5 from bots where tenant_id = $1 and id = $2
          on conflict (tenant_id, bot_id, chat_id) do update set user_id = excluded.user_id, created_at = excluded.created_at",
    )
    .bind(tenant)
    .bind(bot)
    .bind(chat)
    .bind(user)
    .bind(now)
    .execute(pool)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Unbinds a chat; whether it was bound.
pub async fn unbind_chat(pool: &SystemPool, tenant: TenantId, bot: BotId, chat: &str) -> Result<bool, DbError> {
    let done = sqlx::query("delete from bot_chats where tenant_id = $1 and bot_id = $2 and chat_id = $3")
        .bind(tenant)
        .bind(bot)
        .bind(chat)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// The user that a chat is bound to.
pub async fn user_of(pool: &SystemPool, tenant: TenantId, bot: BotId, chat: &str) -> Result<Option<UserId>, DbError> {
    Ok(sqlx::query_scalar("select user_id from bot_chats where tenant_id = $1 and bot_id = $2 and chat_id = $3")
        .bind(tenant)
        .bind(bot)
        .bind(chat)
        .fetch_optional(pool)
        .await?)
}
