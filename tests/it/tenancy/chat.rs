//! The queries of chat bots.

use super::queries::{Case, Pooled, control};
use db::{DbError, SystemPool};
use remembrancer::chat::store as chat;
use uuid::Uuid;
use wire::{BotId, UserId};

/// A bot that speaks with the case's key, if the tenant has it.
async fn bot(pool: &SystemPool, c: &Case, place: u128) -> Result<(BotId, bool), DbError> {
    let id = BotId(Uuid::from_u128(c.fresh.as_u128() + place));
    Ok((id, chat::insert_bot(pool, c.tenant, id, c.key, "x", &[], c.now).await?))
}

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![
        control("chat::insert_bot", |pool, c| Box::pin(async move { bot(pool, c, 1).await.map(|(_, made)| usize::from(made)) })),
        control("chat::bind_chat", |pool, c| {
            Box::pin(async move {
                let (id, _) = bot(pool, c, 2).await?;
                chat::bind_chat(pool, c.tenant, id, "7", UserId(c.fresh), c.now).await.map(usize::from)
            })
        }),
        control("chat::bots", |pool, c| {
            Box::pin(async move {
                bot(pool, c, 5).await?;
                let mut tx = db::begin(pool).await?;
                let bots = chat::bots(&mut tx, c.tenant).await?;
                tx.commit().await?;
                Ok(bots.len())
            })
        }),
        control("chat::user_of", |pool, c| {
            Box::pin(async move {
                let (id, _) = bot(pool, c, 3).await?;
                chat::bind_chat(pool, c.tenant, id, "7", UserId(c.fresh), c.now).await?;
                Ok(usize::from(chat::user_of(pool, c.tenant, id, "7").await?.is_some()))
            })
        }),
        control("chat::unbind_chat", |pool, c| {
            Box::pin(async move {
                let (id, _) = bot(pool, c, 4).await?;
                chat::bind_chat(pool, c.tenant, id, "7", UserId(c.fresh), c.now).await?;
                chat::unbind_chat(pool, c.tenant, id, "7").await.map(usize::from)
            })
        }),
    ]
}
