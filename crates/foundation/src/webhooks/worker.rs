//! The deliveries of all organisations: notices become events of the queue, and each webhook's events are worked on one after the other,
//! beside those of other webhooks.

use super::send::{Delivery, LATE, deliver};
use super::store::{self, Behind};
use crate::engine::Engine;
use crate::error::Error;
use crate::jobs::store::{self as jobs, Leased};
use crate::jobs::{self as queue, LEASE, PostedJob, Task};
use crate::notices;
use crate::op::OpContext;
use async_recursion::async_recursion as boxed;
use db::SystemPool;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;
use wire::{EventId, RequestId, WebhookId};

/// Webhooks that are called at a time.
const AT_ONCE: usize = 16;
/// How long a webhook keeps its place while more is due for it.
const TURN: Duration = Duration::from_secs(2);
/// How often a worker looks for new notices and for deliveries that are due.
const PAUSE: Duration = Duration::from_secs(1);
/// Notices that become deliveries at a time.
const PAGE: i64 = 200;

/// Delivers until it is stopped; running requests are finished first.
pub async fn run(engine: Engine, stop: CancellationToken) {
    let (places, sending) = (Arc::new(Semaphore::new(AT_ONCE)), TaskTracker::new());
    while !stop.is_cancelled() {
        if let Err(error) = begin(&engine, &places, &sending, &stop).await {
            tracing::warn!(%error, "notices could not be sent to webhooks; it will be tried again");
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    sending.close();
    sending.wait().await;
}

/// Delivers what is due, once; returns when it is delivered or failed.
///
/// # Errors
/// When a database is out of reach.
#[boxed]
pub async fn work(engine: &Engine, stop: &CancellationToken) -> Result<(), Error> {
    let (places, sending) = (Arc::new(Semaphore::new(AT_ONCE)), TaskTracker::new());
    begin(engine, &places, &sending, stop).await?;
    sending.close();
    sending.wait().await;
    Ok(())
}

/// Begins deliveries while there are places: one of each webhook that is not being called.
async fn begin(engine: &Engine, places: &Arc<Semaphore>, sending: &TaskTracker, stop: &CancellationToken) -> Result<(), Error> {
    spread(engine).await?;
    let pool = engine.db().memory.system();
    let most = i64::try_from(places.available_permits()).unwrap_or(0);
    let paused: Arc<[WebhookId]> = store::paused(engine.db().control.system()).await?.into();
    for event in claim(engine, pool, None, &paused, most).await? {
        // Only this task takes places. What finds none is claimed again when its lease ends.
        let Ok(place) = Arc::clone(places).try_acquire_owned() else { return Ok(()) };
        let (engine, paused, stop) = (engine.clone(), Arc::clone(&paused), stop.clone());
        sending.spawn(async move {
            if let Err(error) = work_off(&engine, event, &paused, &stop).await {
                tracing::warn!(%error, "the deliveries to a webhook stopped; they will be tried again");
            }
            drop(place);
        });
    }
    Ok(())
}

/// Works on a delivery, and then on what else is due for its webhook, unless that was paused meanwhile.
async fn work_off(engine: &Engine, first: Leased, paused: &[WebhookId], stop: &CancellationToken) -> Result<(), Error> {
    let pool = engine.db().memory.system();
    let (webhook, begun) = (webhook_of(&first), Instant::now());
    let mut next = Some(first);
    while let Some(event) = next {
        let mut waits = false;
        let work = async {
            let result = perform(engine, &event).await;
            waits = matches!(result, Ok(queue::Work::Waits { .. }));
            result
        };
        queue::attempt(engine, pool, &event, work).await?;
        let goes_on = !waits && !stop.is_cancelled() && begun.elapsed() < TURN;
        next = if goes_on && webhook.is_some() { claim(engine, pool, webhook, paused, 1).await?.pop() } else { None };
    }
    Ok(())
}

/// The webhook of a delivery, even of one that cannot be read otherwise: its attempt must begin, so that it can fail.
fn webhook_of(event: &Leased) -> Option<WebhookId> {
    event.payload.get("webhook_id").and_then(|id| serde_json::from_value(id.clone()).ok())
}

async fn claim(
    engine: &Engine,
    pool: &SystemPool,
    webhook: Option<WebhookId>,
    paused: &[WebhookId],
    most: i64,
) -> Result<Vec<Leased>, Error> {
    let now = engine.clock().now();
    Ok(jobs::claim_deliveries(pool, webhook, (paused, now - LATE), now, now + LEASE, most).await?)
}

async fn perform(engine: &Engine, event: &Leased) -> Result<queue::Work, Error> {
    let commons = jobs::commons(engine.db().control.system(), event.tenant_id).await?.ok_or(Error::NotFound("tenant"))?;
    deliver(engine, &OpContext::system(event.tenant_id, commons, RequestId(event.id.0)), event).await
}

/// Puts the deliveries of new notices onto the bus of memories.
async fn spread(engine: &Engine) -> Result<(), Error> {
    loop {
        let behind = store::behind(engine.db().control.system()).await?;
        if behind.is_empty() {
            return Ok(());
        }
        for webhook in &behind {
            spread_page(engine, webhook).await?;
        }
    }
}

/// Puts a page of deliveries of one webhook onto the bus. Two servers that do the same make the same events.
async fn spread_page(engine: &Engine, webhook: &Behind) -> Result<(), Error> {
    let (tenant, now) = (webhook.tenant_id, engine.clock().now());
    let mut tx = engine.db().control.begin_system().await?;
    let head = notices::store::head(&mut tx, tenant).await?.unwrap_or(0);
    let of_agent = webhook.agent_id.unwrap_or(webhook.commons_id);
    let page = notices::store::after(&mut tx, tenant, webhook.seen, webhook.agent_id, of_agent, PAGE).await?;
    let slugs = notices::store::slugs(&mut tx, tenant).await?.into_iter().collect();
    tx.commit().await?;
    let is_full = i64::try_from(page.len()).is_ok_and(|rows| rows == PAGE);
    let last = page.last().map_or(head, |(seq, _)| *seq);
    for (_, notice) in page.iter().filter(|(_, notice)| webhook.wants(notice.kind)) {
        let id = EventId(Uuid::new_v5(&webhook.id.0, notice.id.0.as_bytes()));
        let delivery = Delivery { webhook_id: webhook.id, id: notice.id, body: notices::body(notice, &slugs) };
        let payload = serde_json::to_value(delivery).map_err(Error::failed("a delivery cannot be serialised"))?;
        let posted = PostedJob { task: Task::Webhook, payload, run_after: now };
        let agent = notice.agent_id.unwrap_or(webhook.commons_id);
        jobs::deliver(engine.db().memory.system(), tenant, agent, id, &posted, now).await?;
    }
    let seen = if is_full { last } else { last.max(head) };
    store::set_seen(engine.db().control.system(), tenant, webhook.id, seen).await?;
    Ok(())
}
