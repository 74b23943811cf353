//! SQL of messages of sessions, and of what a sweep looks at.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tenancy, Tx, not_held, of_user, sql, statement};
use serde_json::Value;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, ExpiringDay, SessionMessage, SweepRun, TenantId};
use words::aging::{WEEK, WEEKLY};

/// Whether an agent and a user have a session.
pub async fn session_exists(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: Uuid) -> Result<bool, DbError> {
    tx.value(sql!(
        [tenancy.tenant, agent, id, tenancy.users],
        "select exists (select from sessions s where s.tenant_id = $1 and s.agent_id = $2 and s.id = $3 and ",
        of_user!("s", "$4"),
        ")"
    ))
    .await
}

/// `select …` of the live messages of a session.
fn of_session(what: &str, tenancy: Tenancy, agent: AgentId, id: Uuid, now: DateTime<Utc>) -> Result<QueryBuilder<Postgres>, DbError> {
    Ok(statement!(
        format!(
            concat!(
                r"select {what} from agent_memories m
                   where m.tenant_id = $1 and m.agent_id = $2 and m.session_id = $3 and m.kind = 'episode' and m.live
                     and (m.expires_at is null or m.expires_at > $4) and ",
                of_user!("m", "$5")
            ),
            what = what
        ),
        tenancy.tenant,
        agent,
        id,
        now,
        tenancy.users,
    ))
}

/// How many live messages a session has.
pub async fn count_session(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, id: Uuid, now: DateTime<Utc>) -> Result<i64, DbError> {
    tx.value(of_session("count(*)", tenancy, agent, id, now)?).await
}

/// One page of the live messages of a session and one more, oldest first.
pub async fn list_session(
    tx: &mut Tx,
    tenancy: Tenancy,
    agent: AgentId,
    id: Uuid,
    seek: &Seek,
    size: usize,
    now: DateTime<Utc>,
) -> Result<Vec<SessionMessage>, DbError> {
    let columns = r"m.id as memory_id, m.short_id, m.role, m.content, m.source->>'message_id' as message_id, m.observed_at, m.created_at,
                    m.importance, m.retention, m.expires_at";
    let mut query = of_session(columns, tenancy, agent, id, now)?;
    seek.push(&mut query, "m.created_at", "m.id", false, size);
    tx.rows(query).await
}

/// The memories of an agent that can age, as the sweep and its forecast see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Aging {
    pub agent_id: AgentId,
    /// Live memories.
    pub live: i64,
    /// Episodes that may fade; expired ones are not among them.
    pub fading: i64,
    pub pinned: i64,
    /// Their retention ended; no read finds them.
    pub expired: i64,
    /// Their retention ends within seven days.
    pub expiring: i64,
    /// Episodes whose decayed importance is below the floor now.
    pub faded: i64,
    /// Episodes whose decayed importance falls below the floor within seven days, unless they are retrieved.
    pub soon_faded: i64,
    pub archived: i64,
}

/// How the memories of agents age at `now`, each with the floor of its policy. Nothing ages under a legal hold. Live
/// memories are counted for the ranking already; of those that fade, the rows are read.
pub async fn aging(tx: &mut Tx, tenancy: Tenancy, floors: &[(AgentId, f64)], now: DateTime<Utc>) -> Result<Vec<Aging>, DbError> {
    let (agents, floors): (Vec<AgentId>, Vec<f64>) = floors.iter().copied().unzip();
    /// `select … by agent` of memories, with a condition.
    macro_rules! of_agents {
        ($counts:literal, $($condition:tt)+) => {
            concat!(
                "(select m.agent_id, ",
                $counts,
                " from agent_memories m where m.tenant_id = $1 and m.agent_id = any($2) and ",
                of_user!("m", "$7"),
                " and ",
                $($condition)+,
                " group by 1)"
            )
        };
    }
    tx.rows(sql!(
        [tenancy.tenant, agents, now, floors, WEEKLY, WEEK, tenancy.users],
        "with live as (
              select c.agent_id, sum(c.documents)::bigint as live from memory_term_counts c
               where c.tenant_id = $1 and c.agent_id = any($2) and ",
        of_user!("c", "$7"),
        " group by 1), pinned as ",
        of_agents!("count(*) as pinned", "m.live and m.pinned"),
        ", expiring as ",
        of_agents!("count(*) as expiring", "m.live and m.expires_at > $3 and m.expires_at <= $3 + interval '7 days'"),
        ", expired as ",
        of_agents!("count(*) as expired", concat!("m.live and m.expires_at <= $3 and ", not_held!("m"))),
        ", archived as ",
        of_agents!("count(*) as archived", "m.archived_at is not null and m.deleted_at is null"),
        ", fading as (
              select agent_id, count(*) as fading,
                     count(*) filter (where decayed < floor) as faded,
                     count(*) filter (where decayed >= floor and decayed * $5 < floor) as soon_faded
                from (select m.agent_id, f.floor,
                             m.importance
                             * power($5, greatest(extract(epoch from $3 - coalesce(m.last_accessed_at, m.created_at))::float8, 0) / $6)
                               as decayed
                        from agent_memories m join unnest($2, $4) f (agent_id, floor) using (agent_id)
                       where m.tenant_id = $1 and m.live and m.kind = 'episode' and m.retention <> 'permanent' and not m.pinned
                         and (m.expires_at is null or m.expires_at > $3) and ",
        of_user!("m", "$7"),
        " and ",
        not_held!("m"),
        r") m group by 1)
          select a.agent_id, coalesce(live, 0) as live, coalesce(fading, 0) as fading, coalesce(pinned, 0) as pinned,
                 coalesce(expired, 0) as expired, coalesce(expiring, 0) as expiring, coalesce(faded, 0) as faded,
                 coalesce(soon_faded, 0) as soon_faded, coalesce(archived, 0) as archived
            from unnest($2) a (agent_id)
            left join live using (agent_id) left join pinned using (agent_id) left join expiring using (agent_id)
            left join expired using (agent_id) left join archived using (agent_id) left join fading using (agent_id)"
    ))
    .await
}

/// When the last sweep of a tenant was requested.
pub async fn last_sweep(tx: &mut Tx, tenant: TenantId) -> Result<Option<DateTime<Utc>>, DbError> {
    tx.value(sql!([tenant], "select max(created_at) from events where tenant_id = $1 and task = 'sweep' and payload->>'after' is null"))
        .await
}

/// The latest sweeps of a tenant with all of their parts, newest first.
pub async fn sweep_runs(tx: &mut Tx, tenant: TenantId, most: i64) -> Result<Vec<SweepRun>, DbError> {
    tx.rows(sql!(
        [tenant, most],
        r"select min(created_at) as started_at,
                 case when bool_and(state in ('done', 'dead')) then max(finished_at) end as finished_at,
                 max(error) as error,
                 coalesce(sum((outcome->>'agents')::bigint), 0)::bigint as agents,
                 coalesce(sum((outcome->>'faded')::bigint), 0)::bigint as faded,
                 coalesce(sum((outcome->>'expired')::bigint), 0)::bigint as expired,
                 coalesce(sum((outcome->>'early')::bigint), 0)::bigint as early,
                 coalesce(sum((outcome->>'limit')::bigint), 0)::bigint as over_limit,
                 coalesce(sum((outcome->>'history')::bigint), 0)::bigint as history
            from events where tenant_id = $1 and task = 'sweep'
           group by payload->>'run' order by min(created_at) desc limit $2"
    ))
    .await
}

/// How many live memories of agents expire on each of the next seven days, by retention.
pub async fn expiring(tx: &mut Tx, tenancy: Tenancy, agents: &[AgentId], now: DateTime<Utc>) -> Result<Vec<ExpiringDay>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, agents, now, tenancy.users],
        r"select (m.expires_at at time zone 'UTC')::date as day, m.retention, count(*) as memories
            from agent_memories m
           where m.tenant_id = $1 and m.agent_id = any($2) and m.live and m.expires_at > $3 and m.expires_at <= $3 + interval '7 days'
                and ",
        of_user!("m", "$4"),
        " group by 1, 2 order by 1, 2"
    ))
    .await
}

/// What is kept beside a memory for its history, or for that of the work on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// Former states of memories.
    Versions,
    /// When memories were remembered again and got their vectors.
    Moments,
    /// Finished events of the bus of memories.
    Events,
    /// Finished events of the bus of knowledge.
    KnowledgeEvents,
    /// Turns in quarantine that were decided.
    Quarantine,
    /// Schemas of tools that are out of date.
    Schemas,
    /// Sessions without messages that nothing refers to.
    Sessions,
}

impl Record {
    /// In the order in which a sweep deletes them: a moment ends with the last version of its text.
    pub const ALL: [Self; 7] =
        [Self::Versions, Self::Moments, Self::Events, Self::KnowledgeEvents, Self::Quarantine, Self::Schemas, Self::Sessions];

    /// What several of them are called.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Versions => "versions",
            Self::Moments => "moments",
            Self::Events => "finished events",
            Self::KnowledgeEvents => "finished events of knowledge",
            Self::Quarantine => "decided turns in quarantine",
            Self::Schemas => "out-of-date schemas",
            Self::Sessions => "sessions without messages",
        }
    }
}

/// Deletes at most `most` records of an agent that were replaced, finished or decided before a time; how many.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, %agent, ?record))]
pub async fn sweep_records(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    record: Record,
    before: DateTime<Utc>,
    most: i64,
) -> Result<i64, DbError> {
    let sql = match record {
        Record::Versions => "select sweep_versions($1, $2, $3, $4)",
        Record::Moments => "select sweep_moments($1, $2, $3, $4)",
        Record::Events => "select sweep_events($1, $2, $3, $4)",
        Record::Quarantine => "select sweep_quarantine($1, $2, $3, $4)",
        Record::Schemas => "select expire_schemas($1, $2, $3, $4)",
        Record::Sessions => "select sweep_sessions($1, $2, $3, $4)",
        Record::KnowledgeEvents => return Ok(0),
    };
    tx.value(statement!(sql, tenant, agent, before, most)).await
}

/// Deletes at most `most` leaves of an agent's profiles that nobody observed since the time that `ended` names for one of their matters; how
/// many.
pub async fn sweep_leaves(tx: &mut Tx, tenant: TenantId, agent: AgentId, ended: &Value, most: i64) -> Result<i64, DbError> {
    tx.value(sql!([tenant, agent, ended, most], "select sweep_leaves($1, $2, $3, $4)")).await
}
