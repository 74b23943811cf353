//! Open streams of events: what happens, sent while a client keeps the connection open. Nothing is buffered for a client that reads slowly:
//! its next part is read from the database when it has taken the one before.

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use foundation::notices::{self, Following};
use foundation::op::Actor;
use foundation::{Engine, Error, OpContext, identity};
use futures_util::{StreamExt, stream};
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use wire::TenantId;

/// The media type of server-sent events.
pub const EVENT_STREAM: &str = "text/event-stream";
/// The header in which a client names the last event that it got.
pub const LAST_EVENT_ID: &str = "last-event-id";

/// Most open streams of one key or operator, of one organisation, and in all: each holds a connection.
const STREAMS_OF_ONE: usize = 8;
const STREAMS_OF_TENANT: usize = 64;
const STREAMS: usize = 256;
/// When a client that finds no room should try again.
const FULL: Duration = Duration::from_secs(5);
/// How often the process looks for new notices of those who follow.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a stream is silent at most. Its client is authenticated again at least as often.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a stream stays open. Its client then connects again, and goes on where it was.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// What a client is sent that may have missed something: it must read what it follows again.
const MISSED: &str = "data: {\"type\":\"missed\"}\n";

/// A key or an operator.
type Caller = (TenantId, Uuid);
/// The number of the newest notice of each tenant that somebody follows.
type Heads = HashMap<TenantId, i64>;

/// The open streams of a process.
pub struct Streams {
    engine: Engine,
    stop: CancellationToken,
    open: Arc<Open>,
    heads: watch::Receiver<Heads>,
}

impl Streams {
    /// Streams that end at `stop`.
    pub fn new(engine: &Engine, stop: CancellationToken) -> Self {
        let (sender, heads) = watch::channel(Heads::new());
        let open = Arc::<Open>::default();
        tokio::spawn(look(engine.clone(), Arc::clone(&open), sender, stop.clone()));
        Self { engine: engine.clone(), stop, open, heads }
    }

    /// Everything that happens after a number that the caller may see; without one, from now on.
    ///
    /// # Errors
    /// `Forbidden` without the scope `memory:read` or the role `viewer`, `Busy` while the caller, its organisation or all
    /// callers have too many streams open.
    pub async fn open(&self, ctx: OpContext, seen: Option<i64>) -> Result<Response, Error> {
        let newest = notices::newest(&self.engine, &ctx).await?;
        // A number that no notice has yet is not of this database, which may have been restored from a backup.
        let is_ahead = seen.is_some_and(|seen| seen > newest);
        let seen = seen.map_or(newest, |seen| seen.min(newest));
        let place = Open::enter(&self.open, &ctx)?;
        let (engine, stop, heads, until) = (self.engine.clone(), self.stop.clone(), self.heads.clone(), Instant::now() + LONGEST);
        let reader = Reader { engine, stop, heads, until, ctx, seen, sent: Instant::now(), _place: place };
        let first = format!("retry: 2000\nid: {seen}\n{}\n", if is_ahead { MISSED } else { "" });
        let rest = stream::unfold(reader, |mut reader: Reader| async move { Some((reader.next().await?, reader)) });
        let chunks = stream::iter([first]).chain(rest).map(Ok::<_, Infallible>);
        let headers = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-store")];
        // Some proxies would keep an answer until it is complete.
        Ok((headers, [("x-accel-buffering", "no")], Body::from_stream(chunks)).into_response())
    }
}

/// The number of the last event that a client got, if it says one.
pub struct LastEventId(pub Option<i64>);

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let sent = parts.headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok());
        // This server sends numbers only. A client with another id starts from now.
        Ok(Self(sent.and_then(|text| text.trim().parse().ok()).filter(|seen| *seen >= 0)))
    }
}

/// One client's side of a stream.
struct Reader {
    engine: Engine,
    stop: CancellationToken,
    heads: watch::Receiver<Heads>,
    until: Instant,
    ctx: OpContext,
    seen: i64,
    /// When it was sent the last part.
    sent: Instant,
    _place: Place,
}

impl Reader {
    /// The next part of the stream; nothing when it ends.
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.stop.is_cancelled() || self.until <= Instant::now() {
                return None;
            }
            // Whoever lost the right meanwhile hears nothing more. A client connects again after an error, too.
            self.ctx = reauthenticate(&self.engine, &self.ctx).await.ok()?;
            let following = notices::after(&self.engine, &self.ctx, self.seen).await.ok()?;
            self.seen = following.seen;
            let has_news = following.missed || !following.notices.is_empty();
            if has_news || self.sent.elapsed() >= HEARTBEAT {
                self.sent = Instant::now();
                return Some(if has_news { events(&following) } else { format!(": nothing happened\nid: {}\n\n", self.seen) });
            }
            if !self.moved().await {
                return None;
            }
        }
    }

    /// Waits until something happened, the stream was silent for long, or it ends; false if nobody looks for notices any more. What happens
    /// out of the client's sight does not put the next comment off.
    async fn moved(&mut self) -> bool {
        let Self { heads, ctx, seen, sent, stop, .. } = self;
        let moved = async { heads.wait_for(|heads| heads.get(&ctx.tenant_id).is_some_and(|head| *head > *seen)).await.is_ok() };
        tokio::select! {
            () = stop.cancelled() => true,
            moved = moved => moved,
            () = tokio::time::sleep_until(*sent + HEARTBEAT) => true,
        }
    }
}

/// The context of a caller who may still do what it may do.
async fn reauthenticate(engine: &Engine, ctx: &OpContext) -> Result<OpContext, Error> {
    let now = match ctx.actor {
        Actor::Agent { key_id, .. } => identity::context_of_key(engine, ctx.tenant_id, key_id, ctx.request_id).await?,
        Actor::Operator { id, .. } => identity::operator(engine, id, ctx.request_id).await?.0,
        Actor::System => return Ok(ctx.clone()),
    };
    let has_changed =
        matches!((&ctx.actor, &now.actor), (Actor::Operator { epoch: before, .. }, Actor::Operator { epoch, .. }) if before != epoch);
    if has_changed { Err(Error::Unauthenticated("sign in again")) } else { Ok(OpContext { users: ctx.users, ..now }) }
}

/// Notices as server-sent events.
fn events(following: &Following) -> String {
    let mut text = String::new();
    // Writing to a text never fails.
    if following.missed {
        let _ = writeln!(text, "{MISSED}");
    }
    for (seq, notice) in &following.notices {
        let _ = write!(text, "id: {seq}\ndata: {}\n\n", serde_json::to_string(notice).unwrap_or_default());
    }
    let _ = write!(text, "id: {}\n\n", following.seen);
    text
}

/// Looks for new notices of those who follow, until nobody can follow any more.
async fn look(engine: Engine, open: Arc<Open>, heads: watch::Sender<Heads>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = heads.closed() => return,
            () = tokio::time::sleep(PAUSE) => {}
        }
        let tenants = open.tenants();
        if tenants.is_empty() {
            continue;
        }
        match notices::store::heads(engine.db().control.system(), &tenants).await {
            Ok(found) => drop(heads.send_replace(found.into_iter().collect())),
            Err(error) => tracing::debug!(%error, "open streams learn of nothing new at the moment"),
        }
    }
}

/// Open streams, counted by caller.
#[derive(Default)]
struct Open(Mutex<HashMap<Caller, usize>>);

impl Open {
    fn enter(open: &Arc<Self>, ctx: &OpContext) -> Result<Place, Error> {
        let id = match ctx.actor {
            Actor::Agent { key_id, .. } => key_id.0,
            Actor::Operator { id, .. } => id.0,
            Actor::System => Uuid::nil(),
        };
        let (caller, mut counts) = ((ctx.tenant_id, id), open.counts());
        let of_one = counts.get(&caller).copied().unwrap_or(0);
        let of_tenant: usize = counts.iter().filter(|((tenant, _), _)| *tenant == ctx.tenant_id).map(|(_, count)| count).sum();
        if of_one >= STREAMS_OF_ONE || of_tenant >= STREAMS_OF_TENANT || counts.values().sum::<usize>() >= STREAMS {
            return Err(Error::Busy { reason: "too many streams of events are open", wait: FULL });
        }
        *counts.entry(caller).or_default() += 1;
        Ok(Place { open: Arc::clone(open), caller })
    }

    /// Whoever follows.
    fn tenants(&self) -> Vec<Uuid> {
        let mut tenants: Vec<Uuid> = self.counts().keys().map(|(tenant, _)| tenant.0).collect();
        tenants.sort_unstable();
        tenants.dedup();
        tenants
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Caller, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a stream among those that are open.
struct Place {
    open: Arc<Open>,
    caller: Caller,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.open.counts();
        if let Some(count) = counts.get_mut(&self.caller) {
            *count -= 1;
        }
        counts.retain(|_, count| *count > 0);
    }
}
