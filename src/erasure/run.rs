//! The job that erases a person. Every step is committed and can be repeated, so an attempt that was killed is followed by one that begins
//! again and finds what is left.

use super::key::Key;
use super::memories::{self, PART};
use super::store::{self, Stored};
use super::{mentions, report, rows};
use chrono::TimeDelta;
use foundation::audit::{self, NewEntry};
use foundation::jobs::Work;
use foundation::{Engine, Error, OpContext};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use verb::verb;
use wire::{ErasureId, ErasureState, UserId};

/// How often the person's rows are removed while agents go on writing new ones.
const ROUNDS: usize = 3;
/// How long the job waits for deliveries.
const PAUSE: TimeDelta = TimeDelta::seconds(5);

/// Which request is carried out.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ErasePayload {
    pub request_id: ErasureId,
}

/// Why the job ends before its end.
enum Pause {
    Stopped,
    Held,
}

struct Run<'a> {
    engine: &'a Engine,
    ctx: &'a OpContext,
    id: ErasureId,
    user: UserId,
    stop: &'a CancellationToken,
}

/// Carries out a confirmed request: counts the person's rows, removes them and the chosen mentions, counts again, and signs the report.
///
/// # Errors
/// When a database is out of reach: the job is tried again.
#[verb(request = %payload.request_id)]
pub async fn carry_out(engine: &Engine, ctx: &OpContext, payload: &ErasePayload, stop: &CancellationToken) -> Result<Work, Error> {
    let id = payload.request_id;
    let stored = read(engine, ctx, id).await?;
    let Some(stored) = stored.filter(|stored| stored.request.state == ErasureState::Confirmed) else {
        return Ok("no confirmed request".into());
    };
    let run = Run { engine, ctx, id, user: stored.request.user_id, stop };
    if run.is_waiting(&stored).await? {
        return Ok(Work::Failed { error: "it waits until earlier changes are delivered".into(), again: Some(PAUSE) });
    }
    audit::empty_delivered(engine, ctx.tenant_id).await?;
    match run.erase(&stored).await? {
        Ok(()) => run.finish().await,
        Err(Pause::Stopped) => Ok(Work::Stopped),
        Err(Pause::Held) => Ok(Work::Failed { error: "the user, or the owner of a mention, is under a legal hold".into(), again: None }),
    }
}

async fn read(engine: &Engine, ctx: &OpContext, id: ErasureId) -> Result<Option<Stored>, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let stored = store::request(&mut tx, ctx.tenant_id, id, engine.clock().now()).await?;
    tx.commit().await?;
    Ok(stored)
}

impl Run<'_> {
    /// Whether what was written before the confirmation is still on its way to another database.
    async fn is_waiting(&self, stored: &Stored) -> Result<bool, Error> {
        let before = stored.request.confirmed_at.unwrap_or(stored.request.requested_at);
        self.engine.relay().settle().await;
        for database in [&self.engine.db().memory, &self.engine.db().kb] {
            let mut tx = database.begin(self.ctx.tenancy()).await?;
            let waiting = store::is_waiting(&mut tx, self.ctx.tenant_id, before).await?;
            tx.commit().await?;
            if waiting {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Notes the step that begins, unless the job is to end.
    async fn step(&self, name: &str) -> Result<Option<Pause>, Error> {
        if self.stop.is_cancelled() {
            return Ok(Some(Pause::Stopped));
        }
        if self.is_held(&[self.user]).await? {
            return Ok(Some(Pause::Held));
        }
        store::begin_step(self.engine.db().control.system(), self.ctx.tenant_id, self.id, name).await?;
        Ok(None)
    }

    /// Whether one of some users is under a legal hold.
    async fn is_held(&self, users: &[UserId]) -> Result<bool, Error> {
        let mut tx = self.engine.db().memory.begin(self.ctx.tenancy()).await?;
        let hold = store::hold_of(&mut tx, self.ctx.tenant_id, users).await?;
        tx.commit().await?;
        Ok(hold.is_some())
    }

    async fn erase(&self, stored: &Stored) -> Result<Result<(), Pause>, Error> {
        macro_rules! step {
            ($($name:tt)*) => {
                if let Some(pause) = self.step(&format!($($name)*)).await? {
                    return Ok(Err(pause));
                }
            };
        }
        let (engine, ctx, user) = (self.engine, self.ctx, self.user);
        let key = Key::find_or_make(engine, ctx.tenant_id).await?;
        step!("counting");
        if stored.found.is_none() {
            let found = rows::counts(engine, ctx, user).await?;
            store::put_found(engine.db().control.system(), ctx.tenant_id, self.id, &found).await?;
        }
        self.remember_user(&key).await?;
        for _ in 0..ROUNDS {
            step!("erasing sources and events");
            rows::erase_work(engine, ctx, self.id, user).await?;
            let all = self.memories().await?;
            for (part, done) in all.chunks(PART).zip((0..).step_by(PART)) {
                step!("erasing memories: {done} of {}", all.len());
                memories::erase(engine, ctx, &key, part).await?;
            }
            step!("erasing the remaining records");
            rows::erase_rows(engine, ctx, user).await?;
            step!("erasing reports, keys and texts of the audit log");
            rows::erase_control(engine, ctx, user).await?;
            if rows::counts(engine, ctx, user).await?.iter().all(|table| table.rows == 0) {
                break;
            }
        }
        step!("erasing mentions");
        if self.is_held(&mentions::owners(engine, ctx, &stored.ticked).await?).await? {
            return Ok(Err(Pause::Held));
        }
        mentions::erase(engine, ctx, &key, stored).await?;
        // Recalls would drop what is no more, but only when somebody asks.
        engine.recall_cache().clear(ctx.tenant_id.0);
        Ok(Ok(()))
    }

    /// Keeps the fingerprint of the person, so that an import of an old file brings nothing back.
    async fn remember_user(&self, key: &Key) -> Result<(), Error> {
        let mut tx = self.engine.db().memory.begin_erasure(self.ctx.tenant_id).await?;
        let fingerprint = [(self.ctx.commons_id, key.user(self.user))];
        store::put_fingerprints(&mut tx, self.ctx.tenant_id, &fingerprint, self.engine.clock().now()).await?;
        Ok(tx.commit().await?)
    }

    async fn memories(&self) -> Result<Vec<wire::MemoryId>, Error> {
        let mut tx = self.engine.db().memory.begin_erasure(self.ctx.tenant_id).await?;
        let ids = store::memories_of(&mut tx, self.ctx.tenant_id, self.user).await?;
        tx.commit().await?;
        Ok(ids)
    }

    /// Empties what was delivered during the rounds, counts what is left, signs the report, and empties the request of names.
    async fn finish(&self) -> Result<Work, Error> {
        let (engine, ctx, now) = (self.engine, self.ctx, self.engine.clock().now());
        audit::empty_delivered(engine, ctx.tenant_id).await?;
        let left = rows::counts(engine, ctx, self.user).await?;
        let Some(Stored { request, ticked, found: Some(found), .. }) = read(engine, ctx, self.id).await? else {
            return Err(Error::internal("the counts of the request are not there"));
        };
        let report = report::write(ctx, &request, &found, &left, &ticked, now);
        let text = report::text(&report)?;
        let signature = Key::find_or_make(engine, ctx.tenant_id).await?.signature(&text);
        let mut tx = engine.db().control.begin_system().await?;
        if store::finish(&mut tx, ctx.tenant_id, self.id, &text, &signature, now).await? {
            let entry = NewEntry::new(engine, ctx, "erasure.done", "erasure", self.id, "erasure of a person carried out");
            audit::append_in(engine, &mut tx, ctx.tenant_id, &[entry]).await?;
        }
        tx.commit().await?;
        let rows: i64 = found.iter().map(|table| table.rows).sum();
        Ok(Work::Done(json!({ "rows": rows, "mentions": ticked.len(), "left": left.iter().map(|table| table.rows).sum::<i64>() })))
    }
}
