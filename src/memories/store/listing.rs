//! Lists and counts, for the console and for agents.

use super::COLUMNS;
use super::versions::confirmed;
use crate::memories::model::Memory;
use chrono::{DateTime, NaiveDate, Utc};
use db::cursor::Seek;
use db::{COUNTED, DbError, Tenancy, Tx, Users, count_rows, like, of_user, sql, statement};
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, MemoryFilter, MemoryId, MemoryStatus, StateFilter, TenantId, UserId, UserRef};

/// What a list shows, for a table called `m`: deleted memories, those that are not, or both.
pub fn push_deleted(query: &mut QueryBuilder<Postgres>, filter: &MemoryFilter) {
    match (filter.deleted, filter.state) {
        (Some(true), _) => drop(query.push(" and m.deleted_at is not null")),
        (None, Some(StateFilter::All)) => {}
        _ => drop(query.push(" and m.deleted_at is null")),
    }
}

/// The other conditions of a list, for a table called `m`.
pub fn narrow(query: &mut QueryBuilder<Postgres>, filter: &MemoryFilter) {
    if let Some(agent) = filter.agent_id {
        query.push(" and m.agent_id = ").push_bind(agent);
    }
    if let Some(topic) = &filter.topic {
        let (ilike, like) = (like::in_any_case(topic), like::contains(topic));
        query.push(" and (m.topic").push(ilike).push_bind(like.clone());
        // Most topics are the words of the agent.
        query.push(" or m.topic_raw <> m.topic and m.topic_raw").push(ilike).push_bind(like).push(")");
    }
    if let Some(canonical) = filter.canonical {
        query.push(" and m.is_canonical = ").push_bind(canonical);
    }
    if let Some(kind) = filter.kind {
        query.push(" and m.kind = ").push_bind(kind);
    }
    if let Some(category) = filter.category {
        query.push(" and m.category = ").push_bind(category);
    }
    if let Some(scope) = filter.scope {
        query.push(" and m.scope = ").push_bind(scope);
    }
    if filter.status == Some(MemoryStatus::Archived) {
        query.push(" and m.archived_at is not null");
    } else if let Some(status) = filter.status {
        query.push(" and m.archived_at is null and m.status = ").push_bind(status);
    }
    if filter.unreviewed == Some(true) {
        query.push(concat!(" and m.live and m.agent_id = nullif(current_setting('rmb.commons', true), '')::uuid and not ", confirmed!()));
    }
    if let Some(project) = filter.project_id {
        query.push(" and m.project_id = ").push_bind(project);
    }
    if let Some(session) = &filter.session {
        of_session(query, session);
    }
    if let Some(platform) = &filter.platform {
        query.push(" and m.platform = ").push_bind(platform.clone());
    }
    if let Some(channel) = &filter.channel {
        query.push(" and m.source->>'channel_id' = ").push_bind(channel.clone());
    }
    match filter.user_id {
        Some(UserRef::Id(user)) => drop(query.push(" and m.user_id = ").push_bind(user)),
        // Nobody has looked up whom it means: no list shows everybody's memories in place of one person's.
        Some(UserRef::External(_)) => drop(query.push(" and false")),
        None => {}
    }
    if let Some(from) = filter.from {
        query.push(" and m.updated_at >= ").push_bind(from);
    }
    if let Some(until) = filter.until {
        query.push(" and m.updated_at < ").push_bind(until);
    }
}

/// The condition that a memory belongs to a session of this name or id. A name may be a UUID, and a session whose id a request named has no
/// row.
fn of_session(query: &mut QueryBuilder<Postgres>, session: &str) {
    query.push(" and (");
    if let Ok(id) = session.parse::<Uuid>() {
        query.push("m.session_id = ").push_bind(id).push(" or ");
    }
    query
        .push(
            "(m.agent_id, m.session_id) in (select s.agent_id, s.id from sessions s \
              where s.tenant_id = $1 and s.external_ref = ",
        )
        .push_bind(session.to_owned())
        .push("))");
}

/// `select …` of the memories that a filter matches.
fn select(what: &str, tenant: TenantId, filter: &MemoryFilter) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(format!("select {what} from agent_memories m where m.tenant_id = $1"), tenant);
    push_deleted(&mut query, filter);
    if filter.status.is_none() && filter.state != Some(StateFilter::All) {
        // Candidates have a page of their own, and the archive a filter.
        query.push(" and m.status <> 'inbox' and m.archived_at is null");
    }
    narrow(&mut query, filter);
    Ok(query)
}

/// How many memories a filter matches, up to [`wire::TOTAL_MAX`] and one more.
pub async fn count(tx: &mut Tx, tenant: TenantId, filter: &MemoryFilter) -> Result<i64, DbError> {
    count_rows(tx, select(COUNTED, tenant, filter)?, "m.updated_at desc, m.id desc").await
}

/// One page's memories and one more, in reading order; newest write first.
pub async fn list(tx: &mut Tx, tenant: TenantId, filter: &MemoryFilter, seek: &Seek, size: usize) -> Result<Vec<Memory>, DbError> {
    let mut query = select(COLUMNS, tenant, filter)?;
    seek.push(&mut query, "m.updated_at", "m.id", !filter.reversed, size);
    tx.rows(query).await
}

/// `select …` of the live memories of some agents that the caller may see and a filter matches.
fn reachable(
    what: &str,
    (tenancy, agents): (Tenancy, &[AgentId]),
    filter: &MemoryFilter,
    now: DateTime<Utc>,
) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(
        format!(
            concat!(
                "select {what} from agent_memories m where m.tenant_id = $1 and m.agent_id = any($2) and m.live \
                 and (m.expires_at is null or m.expires_at > $3) and ",
                of_user!("m", "$4")
            ),
            what = what
        ),
        tenancy.tenant,
        agents,
        now,
        tenancy.users
    );
    narrow(&mut query, filter);
    Ok(query)
}

/// How many live memories of some agents the caller may see and a filter matches, up to [`wire::TOTAL_MAX`] and one more, with one page of them
/// and one more; newest write first.
pub async fn of_agent(
    tx: &mut Tx,
    reach: (Tenancy, &[AgentId]),
    filter: &MemoryFilter,
    (seek, size): (&Seek, usize),
    now: DateTime<Utc>,
) -> Result<(i64, Vec<Memory>), DbError> {
    let total = count_rows(tx, reachable(COUNTED, reach, filter, now)?, "m.updated_at desc, m.id desc").await?;
    let mut query = reachable(COLUMNS, reach, filter, now)?;
    seek.push(&mut query, "m.updated_at", "m.id", true, size);
    Ok((total, tx.rows(query).await?))
}

/// The memories with this short id, or with this text in their topic, deleted ones included; the last written first.
pub async fn named(tx: &mut Tx, tenant: TenantId, text: &str, most: i64) -> Result<Vec<MemoryId>, DbError> {
    tx.values(sql!(
        [tenant, text, like::contains(text), most],
        r"select m.id from agent_memories m
           where m.tenant_id = $1 and (m.short_id = $2 or m.topic ilike $3 or m.topic_raw ilike $3)
           order by m.updated_at desc, m.id desc limit $4"
    ))
    .await
}

/// An agent's numbers.
#[derive(FromRow)]
pub struct Counts {
    pub agent_id: AgentId,
    pub live: i64,
    pub deleted: i64,
    pub last_write: Option<DateTime<Utc>>,
    pub last_recall: Option<DateTime<Utc>>,
}

/// The numbers of agents. Live memories are counted for the ranking already; of the rest each is counted in the index that has few other
/// rows, and one step in an index finds a last write or recall.
pub async fn counts(tx: &mut Tx, tenant: TenantId, agents: &[AgentId], now: DateTime<Utc>) -> Result<Vec<Counts>, DbError> {
    tx.rows(sql!(
        [tenant, now, agents],
        r"with live as (
              select agent_id, sum(documents)::bigint as memories from memory_term_counts
               where tenant_id = $1 and agent_id = any($3) group by 1),
            expired as (
              select agent_id, count(*) as memories from agent_memories
               where tenant_id = $1 and agent_id = any($3) and live and expires_at <= $2 group by 1),
            deleted as (
              select agent_id, count(*) as memories from agent_memories
               where tenant_id = $1 and agent_id = any($3) and deleted_at is not null and status <> 'inbox' and archived_at is null
                    group by 1)
          select a.agent_id, coalesce(live.memories, 0) - coalesce(expired.memories, 0) as live,
                 coalesce(deleted.memories, 0) as deleted,
                 (select m.updated_at from agent_memories m where m.tenant_id = $1 and m.agent_id = a.agent_id
                   order by m.updated_at desc, m.id desc limit 1) as last_write,
                 (select max(r.at) from retrievals r where r.tenant_id = $1 and r.agent_id = a.agent_id) as last_recall
            from unnest($3) a (agent_id)
            left join live using (agent_id) left join expired using (agent_id) left join deleted using (agent_id)"
    ))
    .await
}

/// How many memories of an agent that are not deleted have each status.
pub async fn status_counts(tx: &mut Tx, tenant: TenantId, agent: AgentId) -> Result<Vec<(MemoryStatus, i64)>, DbError> {
    tx.rows(sql!(
        [tenant, agent],
        r"select status, count(*) from agent_memories
           where tenant_id = $1 and agent_id = $2 and deleted_at is null group by 1 order by 1"
    ))
    .await
}

/// The users with the most memories of an agent, with the number of memories and of users.
pub async fn user_counts(tx: &mut Tx, tenant: TenantId, agent: AgentId, most: i64) -> Result<Vec<(UserId, i64, i64)>, DbError> {
    tx.rows(sql!(
        [tenant, agent, most],
        r"select user_id, count(*), count(*) over () from agent_memories
           where tenant_id = $1 and agent_id = $2 and user_id is not null and deleted_at is null
           group by 1 order by 2 desc, 1 limit $3"
    ))
    .await
}

/// Memories stored per agent and day (UTC), from `first` on. Candidates do not count.
pub async fn written_by_day(
    tx: &mut Tx,
    tenant: TenantId,
    agent: Option<AgentId>,
    first: NaiveDate,
) -> Result<Vec<(AgentId, NaiveDate, i64)>, DbError> {
    // A comparison with a date would not be leakproof, and a policy would keep it from the index.
    tx.rows(sql!(
        [tenant, first, agent],
        r"select agent_id, (created_at at time zone 'UTC')::date, count(*)
            from agent_memories where tenant_id = $1 and created_at >= $2::timestamp at time zone 'UTC' and status <> 'inbox'
             and ($3::uuid is null or agent_id = $3)
           group by 1, 2"
    ))
    .await
}

/// Memories stored in each of the spans with these starts and ends, in their order; an end is not included. Candidates do not count. Each
/// span is counted by its place in the index: to compute the day of every memory takes three times as long.
pub async fn stored_by(
    tx: &mut Tx,
    tenant: TenantId,
    agent: Option<AgentId>,
    starts: &[DateTime<Utc>],
    ends: &[DateTime<Utc>],
) -> Result<Vec<i64>, DbError> {
    let mut query = statement!(
        r"select counted.memories
            from unnest($2::timestamptz[], $3::timestamptz[]) with ordinality as bar (start, until, place)
            cross join lateral (
                select count(*) as memories from agent_memories m
                 where m.tenant_id = $1 and m.created_at >= bar.start and m.created_at < bar.until and m.status <> 'inbox'",
        tenant,
        starts,
        ends,
    );
    narrowed(&mut query, agent);
    query.push(") counted order by bar.place");
    tx.values(query).await
}

/// When a memory was last stored or revised.
pub async fn last_write(tx: &mut Tx, tenant: TenantId, agent: Option<AgentId>) -> Result<Option<DateTime<Utc>>, DbError> {
    let mut query = statement!("select m.updated_at from agent_memories m where m.tenant_id = $1 and m.status <> 'inbox'", tenant);
    narrowed(&mut query, agent);
    query.push(" order by m.updated_at desc limit 1");
    tx.value_if_any(query).await
}

fn narrowed(query: &mut QueryBuilder<Postgres>, agent: Option<AgentId>) {
    if let Some(agent) = agent {
        query.push(" and m.agent_id = ").push_bind(agent);
    }
}

/// A memory of [`newest`].
#[derive(Clone, Debug, FromRow)]
pub struct Newest {
    pub id: MemoryId,
    pub agent_id: AgentId,
    pub topic: String,
    /// The beginning of its content.
    pub content: String,
    pub created_at: DateTime<Utc>,
}

/// Characters of a memory's content that a list of the newest shows.
const LINE: i32 = 200;

/// The newest live memories, newest first.
pub async fn newest(tx: &mut Tx, tenant: TenantId, most: i64) -> Result<Vec<Newest>, DbError> {
    tx.rows(sql!(
        [tenant, most, LINE],
        r"select id, agent_id, topic, left(content, $3) as content, created_at from agent_memories
           where tenant_id = $1 and status <> 'inbox' and live order by created_at desc, id desc limit $2"
    ))
    .await
}

/// How many memories of some agents are in reach and have waited for a vector since before a moment.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, agents = agents.len()))]
pub async fn late_vectors(tx: &mut Tx, tenant: TenantId, agents: &[AgentId], before: DateTime<Utc>) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenant, agents, before],
        r"select count(*) from agent_memories m
           where m.tenant_id = $1 and m.agent_id = any($2) and m.live and m.awaiting_vector and m.updated_at < $3"
    ))
    .await
}

/// How many memories of some agents a recall for these users can return, from the counts that are kept for the ranking.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, agents = agents.len()))]
pub async fn in_reach(tx: &mut Tx, tenant: TenantId, users: Users, agents: &[AgentId], now: DateTime<Utc>) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenant, agents, now, users],
        "select (select coalesce(sum(c.documents), 0) from memory_term_counts c
                  where c.tenant_id = $1 and c.agent_id = any($2) and ",
        of_user!("c", "$4"),
        ")::bigint
                - (select count(*) from agent_memories m
                    where m.tenant_id = $1 and m.agent_id = any($2) and m.live and m.expires_at <= $3 and ",
        of_user!("m", "$4"),
        ")"
    ))
    .await
}
