//! All SQL of the event bus.

mod by_tenant;

use super::{Held, NewEvent, PostedJob, State, Task};
use crate::error::Error;
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, Tenancy, Tx, insert, sql, statement};
use sqlx::{Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, EventId, Notice, NoticeKind, TenantId, UserId, WebhookId};

/// The channel on which heavy work is announced to workers of other processes, when its transaction commits.
pub const CHANNEL: &str = "remembrancer_captures";

/// Deliveries of one tenant that are under way at a time: receivers that hang take the places of no other tenant.
const DELIVERIES_OF_TENANT: i64 = 4;

/// Puts an event on the bus.
pub async fn insert(tx: &mut Tx, tenant: TenantId, agent: AgentId, event: &NewEvent) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, agent, event.id, event.kind, event.task, &event.payload, event.state, event.now],
        r"insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at, finished_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $8, case when $7 = 'done' then $8 end)"
    ))
    .await
}

/// Puts an event of capture on the bus of memories, with where it came from. It belongs to the user that it names, or to the one in whose name
/// the transaction runs.
pub async fn insert_with_origin(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, event: &NewEvent) -> Result<(), DbError> {
    let origin = &event.origin;
    let query = insert!("insert into events" {
        tenant_id: tenancy.tenant,
        agent_id: agent,
        id: event.id,
        user_id: origin.user_id.or(tenancy.users.id()),
        kind: event.kind,
        task: event.task,
        payload: &event.payload,
        state: event.state,
        run_after: event.now,
        created_at: event.now,
        source_id: origin.source_id,
        session_id: origin.session_id,
        connection_id: origin.connection_id,
        requested_scope: origin.requested_scope,
        event_type: origin.event_type,
        source_metadata: origin.metadata.clone().unwrap_or_else(|| serde_json::json!({})),
    } "");
    if event.state == State::Pending && Task::HEAVY.contains(&event.task) {
        return run_announced(tx, query).await.map(drop);
    }
    tx.run(query).await
}

/// Runs a statement that may put heavy work on the bus, and announces it if it did; whether it did. In the same statement where Postgres
/// takes it, because the caller waits for every round trip: the nodes of a cluster announce nothing to those who listen at the coordinator.
async fn run_announced(tx: &mut Tx, mut query: QueryBuilder<Postgres>) -> Result<bool, DbError> {
    if !tx.is_distributed() {
        query.push(" returning pg_notify(").push_bind(CHANNEL).push(", '')");
        return tx.changed_any(query).await;
    }
    let is_new = tx.changed_any(query).await?;
    if is_new {
        announce(tx).await?;
    }
    Ok(is_new)
}

/// Announces heavy work.
pub async fn announce(tx: &mut Tx) -> Result<(), DbError> {
    tx.run(sql!([CHANNEL], "select pg_notify($1, '')")).await
}

/// Makes sure that a synthesis of an agent's and user's observations is due. One that is already open is locked until the transaction ends,
/// so that it cannot end without seeing what this transaction adds.
pub async fn request_synthesis(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    user: Option<UserId>,
    event: &NewEvent,
) -> Result<(), DbError> {
    let query = sql!(
        [tenancy.tenant, agent, event.id, event.kind, event.task, &event.payload, event.now, user],
        r"insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at, user_id)
          values ($1, $2, $3, $4, $5, $6, 'pending', $7, $7, $8)
          on conflict (tenant_id, agent_id, coalesce(user_id, '00000000-0000-0000-0000-000000000000'))
                where task = 'synthesise' and state in ('pending', 'running', 'failed')
             do update set run_after = least(events.run_after, excluded.run_after) where events.tenant_id = excluded.tenant_id"
    );
    run_announced(tx, query).await.map(drop)
}

/// Puts work on a tenant's memories as a whole on the bus, or the next part of it, which names where it goes on; false: such work waits
/// already.
pub async fn request_once(tx: &mut Tx, tenant: TenantId, agent: AgentId, event: &NewEvent, due: DateTime<Utc>) -> Result<bool, DbError> {
    let query = sql!(
        [tenant, agent, event.id, event.kind, event.task, &event.payload, event.now, due],
        r"insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at)
          values ($1, $2, $3, $4, $5, $6, 'pending', $8, $7)
          on conflict (tenant_id, task)
                where task in ('survey', 'sweep') and payload->>'after' is null and state in ('pending', 'failed') do nothing"
    );
    run_announced(tx, query).await
}

/// Puts the run of a set of expectations on the bus, whose payload names the set; false: one waits already, or is under way. It belongs to
/// nobody, whoever requests it.
pub async fn request_expectations(tx: &mut Tx, tenant: TenantId, agent: AgentId, event: &NewEvent) -> Result<bool, DbError> {
    let query = sql!(
        [tenant, agent, event.id, event.kind, event.task, &event.payload, event.now],
        r"insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at, user_id)
          values ($1, $2, $3, $4, $5, $6, 'pending', $7, $7, null)
          on conflict (tenant_id, (payload->>'set_id'))
                where task = 'run_expectations' and state in ('pending', 'running', 'failed') do nothing"
    );
    run_announced(tx, query).await
}

/// Puts a job from another database on the bus; delivering it again changes nothing.
pub async fn deliver(
    pool: &SystemPool,
    tenant: TenantId,
    agent: AgentId,
    id: EventId,
    posted: &PostedJob,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    pool.run(sql!(
        [tenant, agent, id, posted.task.kind(), posted.task, &posted.payload, posted.run_after, now],
        r"insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at)
          values ($1, $2, $3, $4, $5, $6, 'pending', $7, $8) on conflict do nothing"
    ))
    .await
}

/// An event that this worker holds. `attempt` is its fencing token.
#[derive(sqlx::FromRow)]
pub struct Leased {
    pub tenant_id: TenantId,
    pub agent_id: AgentId,
    pub id: EventId,
    pub task: String,
    pub payload: serde_json::Value,
    pub attempt: i32,
    /// Attempts since it was requested or retried, this one included.
    pub tries: i32,
}

impl Leased {
    /// Its lease.
    pub fn held(&self) -> Held {
        Held { tenant_id: self.tenant_id, agent_id: self.agent_id, id: self.id, attempt: self.attempt }
    }

    /// What it asks for, if this program knows it.
    pub fn task(&self) -> Option<Task> {
        serde_json::from_value(self.task.clone().into()).ok()
    }

    /// What its work needs to know.
    ///
    /// # Errors
    /// `Internal` for a payload of another form.
    pub fn payload<T: serde::de::DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_value(self.payload.clone()).map_err(Error::failed("the event's payload cannot be read"))
    }
}

/// The kinds of work. Each has workers of its own, so that none waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// What takes milliseconds.
    Light,
    /// [`Task::HEAVY`].
    Heavy,
    /// [`Task::UPKEEP`].
    Upkeep,
    /// [`Task::ERASURE`].
    Erasure,
}

impl Load {
    /// Its tasks; with false, all tasks but these.
    fn tasks(self) -> (Vec<&'static str>, bool) {
        let tasks: Vec<Task> = match self {
            Self::Light => [&Task::HEAVY[..], &Task::UPKEEP, &Task::ERASURE, &Task::OUTBOUND].concat(),
            Self::Heavy => Task::HEAVY.to_vec(),
            Self::Upkeep => Task::UPKEEP.to_vec(),
            Self::Erasure => Task::ERASURE.to_vec(),
        };
        (tasks.into_iter().map(Task::as_str).collect(), self != Self::Light)
    }
}

/// Begins a statement with `tenants`, those whose events wait or run, one after the other: each is one look into an index.
macro_rules! tenants {
    () => {
        r"with recursive tenants as (
              (select tenant_id from events where state in ('pending', 'failed', 'running') and kind <> 'observation'
                   order by tenant_id limit 1)
              union all
              select (select e.tenant_id from events e
                       where e.state in ('pending', 'failed', 'running') and e.kind <> 'observation' and e.tenant_id > t.tenant_id
                       order by e.tenant_id limit 1)
                from tenants t where t.tenant_id is not null)"
    };
}

/// Claims events that are due, and those whose worker died. Tenants take turns: the first event of each tenant comes before the second of
/// any. Observations are never claimed.
pub async fn claim(
    pool: &SystemPool,
    load: Load,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    most: i64,
) -> Result<Vec<Leased>, DbError> {
    if pool.finds_distributed().await? {
        return by_tenant::claim(pool, load, now, lease_until, most).await;
    }
    let (tasks, among) = load.tasks();
    pool.rows(sql!(
        [now, lease_until, most, tasks, among],
        tenants!(),
        r",
          due as (
              select e.tenant_id, e.agent_id, e.id, row_number() over (partition by e.tenant_id order by e.run_after) as turn, e.run_after
                from tenants t
               cross join lateral (
                     select w.tenant_id, w.agent_id, w.id, w.run_after from events w
                      where w.tenant_id = t.tenant_id and w.run_after <= $1 and w.kind <> 'observation'
                        and (w.state in ('pending', 'failed') or (w.state = 'running' and w.leased_until < $1))
                        and (w.task = any($4)) = $5
                      order by w.run_after limit $3 for update skip locked) e)
          update events set state = 'running', attempt = attempt + 1, leased_until = $2
           where (tenant_id, agent_id, id) in (select tenant_id, agent_id, id from due order by turn, run_after limit $3)
          returning tenant_id, agent_id, id, task, payload, attempt, attempt - attempts_before as tries"
    ))
    .await
}

/// Claims one heavy event: of the next tenant after `last` that is not in `busy`, in a circle, and of its agents the one that waits longest.
/// The events of an agent come in the order in which they became due, so that the parts of a source are placed in theirs.
pub async fn claim_step(
    pool: &SystemPool,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    last: Option<TenantId>,
    busy: &[TenantId],
) -> Result<Option<Leased>, DbError> {
    if pool.finds_distributed().await? {
        return by_tenant::claim_step(pool, now, lease_until, last, busy).await;
    }
    let (tasks, _) = Load::Heavy.tasks();
    pool.row_if_any(sql!(
        [now, lease_until, tasks, busy, last],
        tenants!(),
        r",
          circle as (
              select tenant_id, coalesce(tenant_id <= $5, false) as served from tenants
               where tenant_id is not null and tenant_id <> all($4) order by served, tenant_id),
          next as (
              select e.tenant_id, e.agent_id, e.id
                from circle c
               cross join lateral (
                     select w.tenant_id, w.agent_id, w.id
                       from (select distinct on (o.agent_id) o.agent_id, o.id, coalesce(o.leased_until, o.run_after) as since
                               from events o
                              where o.tenant_id = c.tenant_id and o.run_after <= $1 and o.kind <> 'observation' and o.task = any($3)
                                and (o.state in ('pending', 'failed') or (o.state = 'running' and o.leased_until < $1))
                              order by o.agent_id, o.run_after, o.id) first
                       join events w on w.tenant_id = c.tenant_id and w.agent_id = first.agent_id and w.id = first.id
                      where w.state in ('pending', 'failed') or (w.state = 'running' and w.leased_until < $1)
                      order by first.since limit 1 for update of w skip locked) e
               order by c.served, c.tenant_id limit 1)
          update events set state = 'running', attempt = attempt + 1, leased_until = $2
           where (tenant_id, agent_id, id) in (select tenant_id, agent_id, id from next)
          returning tenant_id, agent_id, id, task, payload, attempt, attempt - attempts_before as tries"
    ))
    .await
}

/// Claims deliveries to webhooks that are due, and those whose worker died: of each webhook the one that waits longest, unless another one is
/// under way; with a webhook, only its own. No tenant has more than a few under way. If there are more webhooks than `most`, chance chooses:
/// those that hang would come first in any fixed order. It steps from webhook to webhook along an index, however much waits for each. Of those
/// that are `paused`, only what was requested before `kept` is claimed.
pub async fn claim_deliveries(
    pool: &SystemPool,
    webhook: Option<WebhookId>,
    (paused, kept): (&[WebhookId], DateTime<Utc>),
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    most: i64,
) -> Result<Vec<Leased>, DbError> {
    let paused: Vec<String> = paused.iter().map(ToString::to_string).collect();
    if pool.finds_distributed().await? {
        return by_tenant::claim_deliveries(pool, webhook, (&paused, kept), now, lease_until, most).await;
    }
    pool.rows(sql!(
        [now, lease_until, most, webhook.map(|id| id.to_string()), DELIVERIES_OF_TENANT, paused, kept],
        r"with recursive webhook as (
              select coalesce($4::text, (
                     select coalesce(w.payload->>'webhook_id', '') from events w
                      where w.task = 'webhook' and w.state in ('pending', 'failed', 'running')
                      order by coalesce(w.payload->>'webhook_id', '') limit 1)) as id
              union all
              select (select coalesce(w.payload->>'webhook_id', '') from events w
                       where w.task = 'webhook' and w.state in ('pending', 'failed', 'running')
                         and coalesce(w.payload->>'webhook_id', '') > before.id
                       order by coalesce(w.payload->>'webhook_id', '') limit 1)
                from webhook before where before.id is not null and $4::text is null),
          waiting as (
              select e.tenant_id, e.agent_id, e.id
                from webhook
               cross join lateral (
                     select w.tenant_id, w.agent_id, w.id, w.created_at from events w
                      where w.task = 'webhook' and w.state in ('pending', 'failed', 'running')
                        and coalesce(w.payload->>'webhook_id', '') = webhook.id and w.run_after <= $1
                        and (w.state in ('pending', 'failed') or w.leased_until < $1)
                      order by w.run_after, w.id limit 1) e
               where (webhook.id <> all($6) or e.created_at < $7)
                 and not exists (select from events r
                                  where r.task = 'webhook' and r.state = 'running' and r.leased_until >= $1
                                    and r.tenant_id = e.tenant_id and coalesce(r.payload->>'webhook_id', '') = webhook.id)),
          turns as (
              select w.tenant_id, w.agent_id, w.id,
                     row_number() over (partition by w.tenant_id order by random())
                     + (select count(*) from events r
                         where r.task = 'webhook' and r.state = 'running' and r.leased_until >= $1 and r.tenant_id = w.tenant_id) as turn
                from waiting w),
          first as (select tenant_id, agent_id, id from turns where turn <= $5 order by random() limit $3),
          due as (
              select w.tenant_id, w.agent_id, w.id
                from first f
                join events w on w.tenant_id = f.tenant_id and w.agent_id = f.agent_id and w.id = f.id
               where w.state in ('pending', 'failed') or (w.state = 'running' and w.leased_until < $1)
                 for update of w skip locked)
          update events set state = 'running', attempt = attempt + 1, leased_until = $2
           where (tenant_id, agent_id, id) in (select tenant_id, agent_id, id from due)
          returning tenant_id, agent_id, id, task, payload, attempt, attempt - attempts_before as tries"
    ))
    .await
}

/// Locks an event for a transaction that ends it or stores a part of its effects; false when the lease was lost.
pub async fn hold(tx: &mut Tx, held: Held) -> Result<bool, DbError> {
    let there: Option<i32> = tx
        .value_if_any(sql!(
            [held.tenant_id, held.agent_id, held.id, held.attempt],
            "select 1 from events where tenant_id = $1 and agent_id = $2 and id = $3 and attempt = $4 and state = 'running' for update"
        ))
        .await?;
    Ok(there.is_some())
}

/// Records how far an event has come, in the transaction that stores this part of its effects.
pub async fn record_progress(tx: &mut Tx, held: Held, outcome: &serde_json::Value) -> Result<(), DbError> {
    tx.run(sql!(
        [held.tenant_id, held.agent_id, held.id, outcome],
        "update events set outcome = $4 where tenant_id = $1 and agent_id = $2 and id = $3"
    ))
    .await
}

/// Extends a lease; false when it was lost.
pub async fn extend(pool: &SystemPool, event: &Leased, lease_until: DateTime<Utc>) -> Result<bool, DbError> {
    pool.changed_any(sql!(
        [event.tenant_id, event.agent_id, event.id, event.attempt, lease_until],
        "update events set leased_until = $5 where tenant_id = $1 and agent_id = $2 and id = $3 and attempt = $4 and state = 'running'"
    ))
    .await
}

/// How an attempt ended.
pub struct Ending<'a> {
    pub state: State,
    pub error: Option<&'a str>,
    pub outcome: Option<serde_json::Value>,
    pub run_after: DateTime<Utc>,
    pub now: DateTime<Utc>,
    /// Whether it counts among the attempts after which an event is dead.
    pub counts: bool,
}

/// Ends an attempt; false when the lease was lost meanwhile, in which case nothing changes.
pub async fn finish(pool: &SystemPool, event: &Leased, ending: &Ending<'_>) -> Result<bool, DbError> {
    macro_rules! ended {
        () => {
            r"update events set state = $5, error = $6, outcome = coalesce($7, outcome), run_after = $8, leased_until = null,
                     finished_at = case when $5 in ('done', 'dead') then $9 end,
                     attempts_before = attempts_before + case when $10 then 0 else 1 end
               where tenant_id = $1 and agent_id = $2 and id = $3 and attempt = $4 and state = 'running'"
        };
    }
    let notice = death(event, ending);
    let text = if notice.is_some() { concat!("with ended as (", ended!(), " returning 1)") } else { ended!() };
    let mut query = statement!(
        text,
        event.tenant_id,
        event.agent_id,
        event.id,
        event.attempt,
        ending.state,
        ending.error,
        &ending.outcome,
        ending.run_after,
        ending.now,
        ending.counts,
    );
    if let Some(notice) = notice {
        let payload = serde_json::to_value(&notice).map_err(|error| sqlx::Error::Encode(error.into()))?;
        query.push(", announced as (insert into outbox (tenant_id, agent_id, id, destination, payload, created_at) select $1, $2, ");
        query.push_bind(notice.id).push(", 'notice', ").push_bind(payload);
        query.push(", $9 from ended on conflict do nothing) select 1 from ended");
    }
    pool.changed_any(query).await
}

/// The notice that a job is dead. That of a notice which no webhook took would be another such job.
fn death(event: &Leased, ending: &Ending<'_>) -> Option<Notice> {
    let is_heard = ending.state == State::Dead && event.task() != Some(Task::Webhook);
    // A job that a person retries may die again.
    let id = EventId(Uuid::new_v5(&event.id.0, &event.attempt.to_be_bytes()));
    let (agent_id, target_id) = (Some(event.agent_id), event.id.to_string());
    is_heard.then_some(Notice { id, kind: NoticeKind::JobDead, agent_id, target_id, at: ending.now })
}

/// Gives an event back whose next step is due: its place among those of its agent stays, and its earlier failures no longer count. False when
/// the lease was lost meanwhile, in which case nothing changes.
pub async fn give_back(pool: &SystemPool, event: &Leased, now: DateTime<Utc>) -> Result<bool, DbError> {
    pool.changed_any(sql!(
        [event.tenant_id, event.agent_id, event.id, event.attempt, now],
        r"update events set state = 'pending', error = null, leased_until = $5, attempts_before = attempt
           where tenant_id = $1 and agent_id = $2 and id = $3 and attempt = $4 and state = 'running'"
    ))
    .await
}

/// Makes the failed events of a tenant due now instead of later.
pub async fn hasten(pool: &SystemPool, tenant: TenantId, now: DateTime<Utc>) -> Result<(), DbError> {
    pool.run(sql!(
        [tenant, now],
        "update events set run_after = $2 where tenant_id = $1 and state = 'failed' and run_after > $2 and kind <> 'observation'"
    ))
    .await
}

/// How many events wait or run, by state.
pub async fn depth(pool: &SystemPool) -> Result<Vec<(String, i64)>, DbError> {
    pool.rows(sql!(
        [],
        r"select state, count(*) from events where state in ('pending', 'running', 'failed', 'dead') and kind <> 'observation'
                 group by state"
    ))
    .await
}

/// The same for one tenant.
pub async fn depth_of(tx: &mut Tx, tenant: TenantId) -> Result<Vec<(String, i64)>, DbError> {
    tx.rows(sql!(
        [tenant],
        r"select state, count(*) from events
           where tenant_id = $1 and state in ('pending', 'running', 'failed', 'dead') and kind <> 'observation' group by state"
    ))
    .await
}

/// How many memories the waiting jobs of re-canonicalisation still have to refile.
pub async fn unfiled(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenant],
        r"select count(distinct (m.agent_id, m.id))
            from events e
            join agent_memories m
              on m.tenant_id = e.tenant_id and m.deleted_at is null and m.vocabulary_version < (e.payload->>'version')::bigint
             and m.topic_normal in (select jsonb_array_elements_text(e.payload->'forms'))
           where e.tenant_id = $1 and e.task = 'recanonicalise' and e.state in ('pending', 'running', 'failed')"
    ))
    .await
}

/// Deletes at most `most` finished events of a tenant's knowledge that ended before a time; how many.
pub async fn sweep(tx: &mut Tx, tenant: TenantId, before: DateTime<Utc>, most: i64) -> Result<i64, DbError> {
    tx.value(sql!([tenant, before, most], "select sweep_events($1, $2, $3)")).await
}

/// The commons of a tenant; a worker needs it to act for the tenant, and agents' rows carry the tenant only.
pub async fn commons(control: &SystemPool, tenant: TenantId) -> Result<Option<AgentId>, DbError> {
    control.value_if_any(sql!([tenant], "select id from agents where tenant_id = $1 and kind = 'commons'")).await
}
