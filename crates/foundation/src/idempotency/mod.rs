//! Idempotent requests: a write that is sent again with the same `Idempotency-Key` runs once, and its first answer is repeated.
//!
//! A verb claims the request in the transaction of its change, before anything else, and stores its answer there at the end. The change and
//! the answer are committed together or not at all. A second caller waits at the unique index until the first transaction ends. A request
//! that fails leaves no row, so the caller can send it again.
//!
//! An answer is repeated as long as none of its memories is forgotten, which erases it, or expired.

pub mod store;

use crate::engine::Engine;
use crate::error::Error;
use crate::intake::Admitted;
use crate::op::{Actor, IdempotencyKey, OpContext};
use chrono::{DateTime, Duration, Utc};
use db::{Database, DbError, Tx};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::{Request, StoredRequest};
use wire::{AgentId, IDEMPOTENCY_KEY_MAX, KeyId, MemoryId};

/// How long an answer is kept.
const KEPT: Duration = Duration::hours(24);
/// Rows deleted by one statement of a sweep.
const SWEEP: i64 = 10_000;

/// Reads the header `Idempotency-Key`.
///
/// # Errors
/// `Invalid` for anything but 1 to 255 visible ASCII characters.
pub fn parse(header: &[u8]) -> Result<String, Error> {
    let visible = header.iter().all(u8::is_ascii_graphic);
    match std::str::from_utf8(header) {
        Ok(text) if visible && (1..=IDEMPOTENCY_KEY_MAX).contains(&text.len()) => Ok(text.to_owned()),
        _ => {
            let message =
                format!("must have 1 to {IDEMPOTENCY_KEY_MAX} visible ASCII characters, without spaces; it has {} bytes", header.len());
            Err(Error::invalid("Idempotency-Key", message))
        }
    }
}

/// A request that runs once if it has a key. Without a key, nothing is read or written.
pub struct Once<'a> {
    ctx: &'a OpContext,
    now: DateTime<Utc>,
    keyed: Option<Keyed<'a>>,
}

struct Keyed<'a> {
    key: &'a IdempotencyKey,
    agent: AgentId,
    key_id: KeyId,
    operation: &'static str,
    fingerprint: Vec<u8>,
}

impl<'a> Once<'a> {
    /// The request under the name of its operation. `ctx` must already be in the name of the request's user.
    ///
    /// # Errors
    /// `Internal` when the request cannot be serialised.
    pub fn new(engine: &Engine, ctx: &'a OpContext, operation: &'static str, request: &Admitted<impl Serialize>) -> Result<Self, Error> {
        let keyed = match (&ctx.actor, &ctx.idempotency) {
            (Actor::Agent { id, key_id, .. }, Some(key)) => {
                let text = serde_json::to_vec(&(ctx.user(), request)).map_err(Error::failed("a request cannot be serialised"))?;
                Some(Keyed { key, agent: *id, key_id: *key_id, operation, fingerprint: Sha256::digest(text).to_vec() })
            }
            _ => None,
        };
        Ok(Self { ctx, now: engine.clock().now(), keyed })
    }

    /// Whether the operation has a key. Without one, a fingerprint need not be computed.
    pub fn has_key(ctx: &OpContext) -> bool {
        ctx.idempotency.is_some()
    }

    /// The stored answer, if the request ran before. For verbs that read something before their transaction, and for verbs with several
    /// transactions, which claim the request in the last one.
    ///
    /// # Errors
    /// As [`Once::claim`].
    pub async fn stored_answer<T: DeserializeOwned>(&self, database: &Database) -> Result<Option<T>, Error> {
        let Some(keyed) = &self.keyed else { return Ok(None) };
        let mut tx = database.begin(self.ctx.tenancy()).await?;
        match store::find(&mut tx, self.ctx.tenancy(), keyed.request(), self.now - KEPT).await? {
            Some(stored) => self.answer(&mut tx, keyed, stored).await,
            None => Ok(None),
        }
    }

    /// Claims the request for this transaction, or returns the stored answer if the request ran before. Waits while another transaction has
    /// claimed it.
    ///
    /// # Errors
    /// `KeyReused` when the key was used with another request or for another user, `Conflict` when the answer was erased, or when a memory
    /// in it is deleted or expired by now.
    pub async fn claim<T: DeserializeOwned>(&self, tx: &mut Tx) -> Result<Option<T>, Error> {
        let Some(keyed) = &self.keyed else { return Ok(None) };
        let (tenancy, since) = (self.ctx.tenancy(), self.now - KEPT);
        store::delete_expired(tx, tenancy, keyed.request(), since).await?;
        if store::insert(tx, tenancy, keyed.request(), self.now).await? {
            return Ok(None);
        }
        // The row of another user exists, but is not visible.
        let stored = store::find(tx, tenancy, keyed.request(), since).await?.ok_or(Error::KeyReused)?;
        self.answer(tx, keyed, stored).await
    }

    /// The stored answer, as long as the caller may read the memories whose words it holds.
    async fn answer<T: DeserializeOwned>(&self, tx: &mut Tx, keyed: &Keyed<'_>, stored: StoredRequest) -> Result<Option<T>, Error> {
        let memories = stored.memory_ids.clone();
        let answer = keyed.answer(stored)?;
        if !memories.is_empty() && store::is_out_of_reach(tx, self.ctx.tenancy(), &memories, self.now).await? {
            let message = "this request already ran, and its answer cannot be repeated because a memory in it was deleted or has expired";
            return Err(Error::Conflict(message.into()));
        }
        keyed.key.set_replayed();
        serde_json::from_value(answer).map(Some).map_err(Error::failed("a stored answer cannot be read"))
    }

    /// Adds memories whose words the request may hold, if it was committed before they were stored.
    pub async fn add_memories(&self, engine: &Engine, memories: &[MemoryId]) -> Result<(), Error> {
        let Some(keyed) = &self.keyed else { return Ok(()) };
        let mut tx = engine.db().memory.begin(self.ctx.tenancy()).await?;
        store::add_memories(&mut tx, self.ctx.tenancy(), keyed.request(), memories).await?;
        Ok(tx.commit().await?)
    }

    /// Commits the change together with its answer. `memories` are those whose words the request or the answer may hold.
    ///
    /// # Errors
    /// When the database is out of reach: then nothing is changed.
    pub async fn commit(&self, mut tx: Tx, answer: &impl Serialize, memories: &[MemoryId]) -> Result<(), Error> {
        if let Some(keyed) = &self.keyed {
            let answer = serde_json::to_value(answer).map_err(Error::failed("an answer cannot be serialised"))?;
            store::put_answer(&mut tx, self.ctx.tenancy(), keyed.request(), &answer, memories).await?;
        }
        Ok(tx.commit().await?)
    }
}

impl Keyed<'_> {
    fn request(&self) -> Request<'_> {
        Request {
            agent: self.agent,
            key: self.key_id,
            operation: self.operation,
            idempotency_key: self.key.text(),
            fingerprint: &self.fingerprint,
        }
    }

    /// What is stored for the same request.
    fn answer(&self, stored: StoredRequest) -> Result<Value, Error> {
        let (fingerprint, answer) = match stored {
            StoredRequest { fingerprint: Some(fingerprint), answer: Some(answer), .. } => (fingerprint, answer),
            _ => {
                let message = "this request already ran, and its answer was erased because a memory in it was forgotten";
                return Err(Error::Conflict(message.into()));
            }
        };
        if fingerprint != self.fingerprint {
            return Err(Error::KeyReused);
        }
        Ok(answer)
    }
}

/// Deletes the requests of all tenants that are older than a day; returns how many.
pub async fn sweep(engine: &Engine, now: DateTime<Utc>) -> Result<i64, DbError> {
    let mut swept = 0;
    for database in [&engine.db().memory, &engine.db().kb, &engine.db().control] {
        loop {
            let gone = store::sweep(database.system(), now - KEPT, SWEEP).await?;
            swept += gone;
            if gone < SWEEP {
                break;
            }
        }
    }
    Ok(swept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_and_visible() {
        assert_eq!(parse(b"order-7").unwrap(), "order-7");
        assert_eq!(parse(&[b'a'; 255]).unwrap().len(), 255);
        for bad in [&b""[..], &[b'a'; 256], &[b'a'; 10_240], b"two words", b"tab\t", "caf\u{e9}".as_bytes(), b"\xff"] {
            assert_eq!(parse(bad).unwrap_err().fields()[0].field, "Idempotency-Key", "{bad:?}");
        }
    }
}
