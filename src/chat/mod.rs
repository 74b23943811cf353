//! Chat bots: chats through which people reach an agent's memories of them. A bot acts with one key; a chat belongs to one person.

pub mod store;
mod telegram;

pub use telegram::telegram;

use async_recursion::async_recursion as boxed;
use foundation::audit::{self, NewEntry};
use foundation::idempotency::Once;
use foundation::identity::{self, SeenKey};
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext};
use serde_json::json;
use sha2::{Digest, Sha256};
use verb::verb;
use wire::{AdminBot, BotId, KeyId, RequestId, UserId};

/// Characters of a bot's secret: 43 of 62 symbols are 256 bits, which is why a fast hash is enough. Telegram takes up to 256.
const SECRET_LENGTH: usize = 43;
/// Longest id of a chat, in characters.
const CHAT_MAX: usize = 64;

fn hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret).to_vec()
}

/// Binds a new bot to an agent's key, and returns the secret that its webhook must show: the only time it can be read.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign key, `Invalid` for its name.
#[verb(role = Admin)]
pub async fn create_bot(engine: &Engine, ctx: &OpContext, key: KeyId, name: &str) -> Result<(BotId, String), Error> {
    let name = &*Admitted::text("name", name.to_owned())?;
    Checks::default().text("name", name, 100).done()?;
    let (id, secret) = (BotId(engine.clock().id()), engine.clock().secret(SECRET_LENGTH));
    let mut tx = engine.db().control.begin_system().await?;
    if !store::insert_bot(&mut tx, ctx.tenant_id, id, key, name, &hash(&secret), engine.clock().now()).await? {
        return Err(Error::NotFound("key"));
    }
    let entry = NewEntry::new(engine, ctx, "bot.created", "bot", id, format!("bot {name} created"));
    identity::finish(engine, tx, ctx, entry).await?;
    Ok((id, secret))
}

/// The bots of the organisation, by name.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[verb(role = Admin)]
pub async fn bots(engine: &Engine, ctx: &OpContext) -> Result<Vec<AdminBot>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let bots = store::bots(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    Ok(bots)
}

/// Binds a private chat to a user, in place of the user it was bound to before.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign bot, `Invalid` for the chat's id.
#[verb(role = Admin)]
pub async fn bind_chat(engine: &Engine, ctx: &OpContext, bot: BotId, chat: &str, user: UserId) -> Result<(), Error> {
    // Telegram's ids of groups and channels are negative.
    let private = chat.bytes().all(|byte| byte.is_ascii_digit());
    Checks::default().text("chat", chat, CHAT_MAX).that(private, "chat", "must be a private chat, whose id has digits only").done()?;
    let mut tx = engine.db().control.begin_system().await?;
    if !store::bind_chat(&mut tx, ctx.tenant_id, bot, chat, user, engine.clock().now()).await? {
        return Err(Error::NotFound("bot"));
    }
    let entry = NewEntry::new(engine, ctx, "bot.chat_bound", "bot", bot, format!("chat {chat} bound to the user {user}"));
    identity::finish(engine, tx, ctx, entry).await
}

/// Unbinds a chat from its user: from now on it gets the help text and its id.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a chat that is not bound.
#[verb(role = Admin)]
pub async fn unbind_chat(engine: &Engine, ctx: &OpContext, bot: BotId, chat: &str) -> Result<(), Error> {
    let mut tx = engine.db().control.begin_system().await?;
    if !store::unbind_chat(&mut tx, ctx.tenant_id, bot, chat).await? {
        return Err(Error::NotFound("chat"));
    }
    let entry = NewEntry::new(engine, ctx, "bot.chat_unbound", "bot", bot, format!("chat {chat} unbound"));
    identity::finish(engine, tx, ctx, entry).await
}

/// Removes a bot and unbinds its chats: calls of its webhook are refused from now on. Its key and all memories stay, and the platform keeps
/// the messages of its chats.
///
/// # Errors
/// `Forbidden` without the role `admin`, `NotFound` for a foreign bot.
#[verb(role = Admin)]
pub async fn remove_bot(engine: &Engine, ctx: &OpContext, id: BotId) -> Result<(), Error> {
    let once = Once::new(engine, ctx, "admin.remove_bot", &Admitted::new(id)?)?;
    let mut tx = engine.db().control.begin_system().await?;
    if once.claim::<bool>(&mut tx).await?.is_some() {
        return Ok(());
    }
    let bot = store::bot_to_remove(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("bot"))?;
    store::delete_bot(&mut tx, ctx.tenant_id, id).await?;
    let gone = audit::differences(Some(&json!({ "bot": bot })), &json!({ "bot": null }))?;
    let entry = NewEntry::new(engine, ctx, "bot.removed", "bot", id, format!("bot {} removed", bot.name)).changes(gone);
    identity::settle(engine, ctx, tx, &once, &[entry], &true).await
}

/// A bot that showed its secret, and what its key allows.
pub struct Bot {
    pub id: BotId,
    pub ctx: OpContext,
}

/// The bot that a webhook is called for.
///
/// # Errors
/// `Unauthenticated` for an unknown bot, a wrong secret, or a key that is revoked or expired; all read the same. `seen` learns the key of a
/// bot that showed its secret.
#[boxed]
pub async fn authenticate(engine: &Engine, bot: &str, secret: &str, request_id: RequestId, seen: &SeenKey) -> Result<Bot, Error> {
    const REFUSED: Error = Error::Unauthenticated("this bot's secret is not valid");
    let pool = engine.db().control.system();
    let id: BotId = bot.parse().map_err(|_| REFUSED)?;
    let found = store::bot(pool, id).await?;
    // Compares even if there is no such bot, in constant time: the time must reveal nothing.
    let kept = found.as_ref().map_or(&[0; 32][..], |found| &found.secret_hash);
    let same = identity::same_hash(kept, &hash(secret));
    let found = found.filter(|_| same).ok_or(REFUSED)?;
    seen.set((found.tenant_id, found.key_id));
    let ctx = identity::context_of_key(engine, found.tenant_id, found.key_id, request_id).await.map_err(|error| match error {
        Error::Unauthenticated(_) => REFUSED,
        error => error,
    })?;
    Ok(Bot { id, ctx })
}

/// The user that a chat is bound to.
async fn user_of(engine: &Engine, bot: &Bot, chat: &str) -> Result<Option<UserId>, Error> {
    Ok(store::user_of(engine.db().control.system(), bot.ctx.tenant_id, bot.id, chat).await?)
}
