//! The queries of chat bots.

use super::queries::{Case, Pooled, control, kept};
use db::{DbError, Tx};
use remembrancer::chat::store as chat;
use uuid::Uuid;
use wire::{BotId, UserId};

/// A bot that speaks with the case's key, if the tenant has it.
async fn bot(tx: &mut Tx, c: &Case, place: u128) -> Result<(BotId, bool), DbError> {
    let id = BotId(Uuid::from_u128(c.fresh.as_u128() + place));
    Ok((id, chat::insert_bot(tx, c.tenant, id, c.key, "x", &[], c.now).await?))
}

/// Such a bot with a bound chat; whether it was bound.
async fn bound(tx: &mut Tx, c: &Case, place: u128) -> Result<(BotId, bool), DbError> {
    let (id, _) = bot(tx, c, place).await?;
    Ok((id, chat::bind_chat(tx, c.tenant, id, "7", UserId(c.fresh), c.now).await?))
}

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![
        control("chat::insert_bot", |pool, c| kept!(pool, |tx| usize::from(bot(tx, c, 1).await?.1))),
        control("chat::bind_chat", |pool, c| kept!(pool, |tx| usize::from(bound(tx, c, 2).await?.1))),
        control("chat::bots", |pool, c| {
            kept!(pool, |tx| {
                bot(tx, c, 5).await?;
                chat::bots(tx, c.tenant).await?.len()
            })
        }),
        control("chat::bot_to_remove", |pool, c| {
            kept!(pool, |tx| {
                let (id, _) = bot(tx, c, 6).await?;
                usize::from(chat::bot_to_remove(tx, c.tenant, id).await?.is_some())
            })
        }),
        control("chat::delete_bot", |pool, c| {
            kept!(pool, |tx| {
                let (id, _) = bound(tx, c, 7).await?;
                usize::from(chat::delete_bot(tx, c.tenant, id).await?)
            })
        }),
        control("chat::user_of", |pool, c| {
            Box::pin(async move {
                let mut tx = db::begin(pool).await?;
                let (id, _) = bound(&mut tx, c, 3).await?;
                tx.commit().await?;
                Ok(usize::from(chat::user_of(pool, c.tenant, id, "7").await?.is_some()))
            })
        }),
        control("chat::unbind_chat", |pool, c| {
            kept!(pool, |tx| {
                let (id, _) = bound(tx, c, 4).await?;
                usize::from(chat::unbind_chat(tx, c.tenant, id, "7").await?)
            })
        }),
    ]
}
