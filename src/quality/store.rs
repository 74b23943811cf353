//! All SQL of quality: reported answers, and counts by day (UTC).

use super::repeat::Question;
use chrono::{DateTime, NaiveDate, Utc};
use db::{DbError, Tenancy, Tx, insert, sql};
use wire::{AgentId, ContextId, MemoryId, TenantId, UserId};

/// What became of the memories in a context.
pub struct Answer<'a> {
    pub agent_id: AgentId,
    pub context_id: ContextId,
    /// Whose context it is.
    pub user_id: Option<UserId>,
    pub at: DateTime<Utc>,
    pub injected: i32,
    /// Those that the answer uses.
    pub memory_ids: &'a [MemoryId],
}

/// Stores the result of an answer, in place of an earlier one.
pub async fn put_answer(tx: &mut Tx, tenancy: Tenancy, answer: &Answer<'_>) -> Result<(), DbError> {
    let query = insert!("insert into context_answers" {
        tenant_id: tenancy.tenant,
        agent_id: answer.agent_id,
        context_id: answer.context_id,
        user_id: answer.user_id,
        at: answer.at,
        injected: answer.injected,
        memory_ids: answer.memory_ids,
    } r"on conflict (tenant_id, agent_id, context_id) do update
           set at = excluded.at, injected = excluded.injected, memory_ids = excluded.memory_ids
         where context_answers.tenant_id = excluded.tenant_id and context_answers.user_id is not distinct from excluded.user_id");
    tx.run(query).await
}

/// What is counted: rows of a tenant, or of one of its agents, since a moment.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    pub tenant: TenantId,
    pub agent: Option<AgentId>,
    pub since: DateTime<Utc>,
}

/// Reported answers, memories in their contexts, and those that they use, by day.
pub async fn answers(tx: &mut Tx, period: &Period) -> Result<Vec<(NaiveDate, i64, i64, i64)>, DbError> {
    tx.rows(sql!(
        [period.tenant, period.since, period.agent],
        r"select (a.at at time zone 'UTC')::date, count(*), sum(a.injected)::bigint, sum(cardinality(a.memory_ids))::bigint
            from context_answers a
           where a.tenant_id = $1 and a.at >= $2 and ($3::uuid is null or a.agent_id = $3) group by 1"
    ))
    .await
}

/// Assembled contexts by day.
pub async fn contexts(tx: &mut Tx, period: &Period) -> Result<Vec<(NaiveDate, i64)>, DbError> {
    tx.rows(sql!(
        [period.tenant, period.since, period.agent],
        r"select (c.at at time zone 'UTC')::date, count(*) from context_log c
           where c.tenant_id = $1 and c.at >= $2 and ($3::uuid is null or c.agent_id = $3) group by 1"
    ))
    .await
}

/// Observations, and those that correct an earlier one, by day.
pub async fn observations(tx: &mut Tx, period: &Period) -> Result<Vec<(NaiveDate, i64, i64)>, DbError> {
    tx.rows(sql!(
        [period.tenant, period.since, period.agent],
        r"select (e.created_at at time zone 'UTC')::date, count(*), count(*) filter (where e.event_type = 'correction')
            from events e
           where e.tenant_id = $1 and e.kind = 'observation' and e.created_at >= $2 and ($3::uuid is null or e.agent_id = $3) group by 1"
    ))
    .await
}

/// Values of structured profiles that are shown, by the day on which they were first seen.
pub async fn leaves(tx: &mut Tx, period: &Period) -> Result<Vec<(NaiveDate, i64)>, DbError> {
    tx.rows(sql!(
        [period.tenant, period.since, period.agent],
        r"select (l.first_seen at time zone 'UTC')::date, count(*) from profile_leaves l
           where l.tenant_id = $1 and l.first_seen >= $2 and l.part = 'scaffold' and l.state = 'shown'
             and ($3::uuid is null or l.agent_id = $3) group by 1"
    ))
    .await
}

/// Profiles by the day on which they were made; those from before the period without a day.
pub async fn profiles(tx: &mut Tx, period: &Period) -> Result<Vec<(Option<NaiveDate>, i64)>, DbError> {
    tx.rows(sql!(
        [period.tenant, period.since, period.agent],
        r"select case when p.created_at >= $2 then (p.created_at at time zone 'UTC')::date end, count(*) from profiles p
           where p.tenant_id = $1 and ($3::uuid is null or p.agent_id = $3) group by 1"
    ))
    .await
}

/// What agents asked: queries of recalls, and those of contexts whose texts are kept. At most `most`, the newest first.
pub async fn questions(tx: &mut Tx, period: &Period, most: i64) -> Result<Vec<Question>, DbError> {
    tx.rows(sql!(
        [period.tenant, period.since, period.agent, most],
        r"(select r.agent_id, r.user_id, r.at, r.query from retrievals r
            where r.tenant_id = $1 and r.at >= $2 and ($3::uuid is null or r.agent_id = $3) order by r.at desc limit $4)
          union all
          (select t.agent_id, t.user_id, t.at, coalesce(t.query, '') from context_texts t
            where t.tenant_id = $1 and t.at >= $2 and ($3::uuid is null or t.agent_id = $3) order by t.at desc limit $4)
          order by at desc limit $4"
    ))
    .await
}
