//! Claims where tables are distributed. No statement locks rows of two tenants there: the tenants with work are listed first, without a lock,
//! and each is claimed from alone, in a transaction of its own on the tenant's node.

use super::{DELIVERIES_OF_TENANT, Leased, Load};
use chrono::{DateTime, Utc};
use db::{DbError, SystemPool, sql};
use wire::{TenantId, WebhookId};

/// The condition of events `w` that are due at `$now`, or whose worker died: of `$tasks`, or of all others if `$among` is false.
macro_rules! is_due {
    ($now:literal, $tasks:literal, $among:literal) => {
        concat!(
            "w.run_after <= ",
            $now,
            " and w.kind <> 'observation' \
             and (w.state in ('pending', 'failed') or (w.state = 'running' and w.leased_until < ",
            $now,
            ")) \
             and (w.task = any(",
            $tasks,
            ")) = ",
            $among
        )
    };
}

/// Ends a claim: takes the events that are `due` from `$tenant`, and returns a [`Leased`] of each.
macro_rules! claimed {
    ($tenant:literal) => {
        concat!(
            " update events e set state = 'running', attempt = e.attempt + 1, leased_until = $2 from due d \
               where e.tenant_id = ",
            $tenant,
            " and e.agent_id = d.agent_id and e.id = d.id \
             returning e.tenant_id, e.agent_id, e.id, e.task, e.payload, e.attempt, e.attempt - e.attempts_before as tries"
        )
    };
}

/// The tenants with events that are due, or whose worker died; the one that waits longest first. While a node is down, those of the others.
async fn due(pool: &SystemPool, tasks: &[&str], among: bool, now: DateTime<Utc>) -> Result<Vec<TenantId>, DbError> {
    match due_anywhere(pool, tasks, among, now).await {
        Err(error) if error.is_away() => {
            pool.values(sql!(
                [now, tasks, among],
                r"select split_part(t.line, ' ', 1)::uuid
                    from run_command_on_shards('events', format(
                         $shard$select string_agg(d.tenant_id || ' ' || extract(epoch from d.since), ',')
                                  from (select w.tenant_id, min(w.run_after) as since from %%s w where ",
                is_due!("%1$L", "%2$L", "%3$L"),
                r" group by w.tenant_id) d$shard$, $1::timestamptz, $2::text[], $3::boolean)) r
                   cross join unnest(string_to_array(r.result, ',')) as t (line)
                   where r.success order by split_part(t.line, ' ', 2)::numeric, 1"
            ))
            .await
        }
        tenants => tenants,
    }
}

async fn due_anywhere(pool: &SystemPool, tasks: &[&str], among: bool, now: DateTime<Utc>) -> Result<Vec<TenantId>, DbError> {
    pool.values(sql!(
        [now, tasks, among],
        "select w.tenant_id from events w where ",
        is_due!("$1", "$2", "$3"),
        " group by w.tenant_id order by min(w.run_after), w.tenant_id"
    ))
    .await
}

/// As [`claim`](super::claim). Each tenant gets an equal share; what is left of one that has less is not given to another.
pub(super) async fn claim(
    pool: &SystemPool,
    load: Load,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    most: i64,
) -> Result<Vec<Leased>, DbError> {
    let (tasks, among) = load.tasks();
    let tenants = due(pool, &tasks, among, now).await?;
    let share = (most / count(tenants.len()).max(1)).max(1);
    let mut claimed: Vec<Leased> = Vec::new();
    for tenant in tenants {
        let left = most - count(claimed.len());
        if left <= 0 {
            break;
        }
        let some: Vec<Leased> = pool
            .rows(sql!(
                [now, lease_until, share.min(left), &tasks, among, tenant],
                r"with due as (
                      select w.agent_id, w.id from events w
                       where w.tenant_id = $6 and ",
                is_due!("$1", "$4", "$5"),
                " order by w.run_after limit $3 for update skip locked)",
                claimed!("$6")
            ))
            .await?;
        claimed.extend(some);
    }
    Ok(claimed)
}

/// As [`claim_step`](super::claim_step).
pub(super) async fn claim_step(
    pool: &SystemPool,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    last: Option<TenantId>,
    busy: &[TenantId],
) -> Result<Option<Leased>, DbError> {
    let (tasks, among) = Load::Heavy.tasks();
    let mut tenants = due(pool, &tasks, among, now).await?;
    tenants.retain(|tenant| !busy.contains(tenant));
    // In a circle: those after the last one come first.
    tenants.sort_unstable_by_key(|tenant| (last.is_some_and(|last| tenant.0 <= last.0), tenant.0));
    for tenant in tenants {
        let step: Option<Leased> = pool
            .row_if_any(sql!(
                [now, lease_until, &tasks, tenant],
                r"with due as (
                      select w.agent_id, w.id
                        from (select distinct on (o.agent_id) o.agent_id, o.id, coalesce(o.leased_until, o.run_after) as since
                                from events o
                               where o.tenant_id = $4 and o.run_after <= $1 and o.kind <> 'observation' and o.task = any($3)
                                 and (o.state in ('pending', 'failed') or (o.state = 'running' and o.leased_until < $1))
                               order by o.agent_id, o.run_after, o.id) first
                        join events w on w.tenant_id = $4 and w.agent_id = first.agent_id and w.id = first.id
                       where w.state in ('pending', 'failed') or (w.state = 'running' and w.leased_until < $1)
                       order by first.since limit 1 for update of w skip locked)",
                claimed!("$4")
            ))
            .await?;
        if step.is_some() {
            return Ok(step);
        }
    }
    Ok(None)
}

/// As [`claim_deliveries`](super::claim_deliveries), also in stepping from webhook to webhook: along an index that only a distributed database
/// has, because a node holds the webhooks of many tenants.
pub(super) async fn claim_deliveries(
    pool: &SystemPool,
    webhook: Option<WebhookId>,
    (paused, kept): (&[String], DateTime<Utc>),
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
    most: i64,
) -> Result<Vec<Leased>, DbError> {
    // Chance: a statement that changes rows may not ask Postgres for it.
    let seed = now.timestamp_micros().to_string();
    let webhook = webhook.map(|id| id.to_string());
    let tenants = match due_deliveries(pool, webhook.as_deref(), now, &seed).await {
        Err(error) if error.is_away() => due_deliveries_where_answered(pool, webhook.as_deref(), now, &seed).await?,
        tenants => tenants?,
    };
    let mut claimed: Vec<Leased> = Vec::new();
    for tenant in tenants {
        let left = most - count(claimed.len());
        if left <= 0 {
            break;
        }
        let some: Vec<Leased> = pool
            .rows(sql!(
                [now, lease_until, left, &webhook, DELIVERIES_OF_TENANT, tenant, &seed, paused, kept],
                r"with recursive webhook as (
                      select coalesce($4::text, (
                             select coalesce(w.payload->>'webhook_id', '') from events w
                              where w.tenant_id = $6 and w.task = 'webhook' and w.state in ('pending', 'failed', 'running')
                              order by coalesce(w.payload->>'webhook_id', '') limit 1)) as id
                      union all
                      select (select coalesce(w.payload->>'webhook_id', '') from events w
                               where w.tenant_id = $6 and w.task = 'webhook' and w.state in ('pending', 'failed', 'running')
                                 and coalesce(w.payload->>'webhook_id', '') > before.id
                               order by coalesce(w.payload->>'webhook_id', '') limit 1)
                        from webhook before where before.id is not null and $4::text is null),
                  waiting as (
                      select e.agent_id, e.id
                        from webhook
                       cross join lateral (
                             select w.agent_id, w.id, w.created_at from events w
                              where w.tenant_id = $6 and w.task = 'webhook' and w.state in ('pending', 'failed', 'running')
                                and coalesce(w.payload->>'webhook_id', '') = webhook.id and w.run_after <= $1
                                and (w.state in ('pending', 'failed') or w.leased_until < $1)
                              order by w.run_after, w.id limit 1) e
                       where (webhook.id <> all($8) or e.created_at < $9)
                         and not exists (select from events r
                                          where r.tenant_id = $6 and r.task = 'webhook' and r.state = 'running' and r.leased_until >= $1
                                            and coalesce(r.payload->>'webhook_id', '') = webhook.id)),
                  first as (
                      select agent_id, id from waiting order by md5(id::text || $7)
                       limit greatest(least($3, $5 - (select count(*) from events r
                                                       where r.tenant_id = $6 and r.task = 'webhook' and r.state = 'running'
                                                         and r.leased_until >= $1)), 0)),
                  due as (
                      select w.agent_id, w.id
                        from first f join events w on w.tenant_id = $6 and w.agent_id = f.agent_id and w.id = f.id
                       where w.state in ('pending', 'failed') or (w.state = 'running' and w.leased_until < $1)
                         for update of w skip locked)",
                claimed!("$6")
            ))
            .await?;
        claimed.extend(some);
    }
    Ok(claimed)
}

/// The tenants with deliveries that are due, in an order of chance.
async fn due_deliveries(pool: &SystemPool, webhook: Option<&str>, now: DateTime<Utc>, seed: &str) -> Result<Vec<TenantId>, DbError> {
    pool.values(sql!(
        [now, webhook, seed],
        r"select w.tenant_id from events w
           where w.task = 'webhook' and w.state in ('pending', 'failed', 'running') and w.run_after <= $1
             and (w.state in ('pending', 'failed') or w.leased_until < $1)
             and ($2::text is null or w.payload->>'webhook_id' = $2)
           group by w.tenant_id order by md5(w.tenant_id::text || $3)"
    ))
    .await
}

/// The same, of the nodes that answer.
async fn due_deliveries_where_answered(
    pool: &SystemPool,
    webhook: Option<&str>,
    now: DateTime<Utc>,
    seed: &str,
) -> Result<Vec<TenantId>, DbError> {
    pool.values(sql!(
        [now, webhook, seed],
        r"select t.id::uuid
            from run_command_on_shards('events', format(
                 $shard$select string_agg(distinct w.tenant_id::text, ',') from %%s w
                         where w.task = 'webhook' and w.state in ('pending', 'failed', 'running') and w.run_after <= %1$L
                           and (w.state in ('pending', 'failed') or w.leased_until < %1$L)
                           and (%2$L::text is null or w.payload->>'webhook_id' = %2$L)$shard$, $1::timestamptz, $2::text)) r
           cross join unnest(string_to_array(r.result, ',')) as t (id)
           where r.success order by md5(t.id || $3)"
    ))
    .await
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
