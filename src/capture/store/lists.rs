//! What the console lists: sources and their numbers.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tx, sql, statement};
use extract::parts::StoredTurn;
use sqlx::types::Json;
use sqlx::{FromRow, Postgres, QueryBuilder};
use wire::{AgentId, EventState, MemoryId, MemoryStatus, SourceFilter, SourceForm, SourceId, TenantId, UserId};

/// The first part of a source.
#[derive(FromRow)]
pub struct Located {
    pub id: SourceId,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub form: SourceForm,
    pub title: String,
    pub media_type: Option<String>,
    pub parts: i32,
    pub created_at: DateTime<Utc>,
}

const LOCATED: &str = "s.id, s.agent_id, s.user_id, s.form, coalesce(s.title, s.reference) as title, s.media_type, s.parts, s.created_at";

fn sources(what: &str, tenant: TenantId, filter: &SourceFilter) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(format!("select {what} from sources s where s.tenant_id = $1 and s.part = 1"), tenant);
    if let Some(agent) = filter.agent_id {
        query.push(" and s.agent_id = ").push_bind(agent);
    }
    if let Some(form) = filter.form {
        query.push(" and s.form = ").push_bind(form);
    }
    if let Some(session) = filter.session_id {
        query.push(" and s.session_id = ").push_bind(session);
    }
    if let Some(wire::UserRef::Id(user)) = filter.user_id {
        query.push(" and s.user_id = ").push_bind(user);
    }
    Ok(query)
}

/// How many sources a filter matches.
pub async fn source_count(tx: &mut Tx, tenant: TenantId, filter: &SourceFilter) -> Result<i64, DbError> {
    tx.value(sources("count(*)", tenant, filter)?).await
}

/// One page of sources and one more, newest first.
pub async fn source_list(tx: &mut Tx, tenant: TenantId, filter: &SourceFilter, seek: &Seek, size: usize) -> Result<Vec<Located>, DbError> {
    let mut query = sources(LOCATED, tenant, filter)?;
    seek.push(&mut query, "s.created_at", "s.id", !filter.reversed, size);
    tx.rows(query).await
}

/// Titles of sources, by id.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn source_titles(tx: &mut Tx, tenant: TenantId, ids: &[SourceId]) -> Result<Vec<(SourceId, String)>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        "select s.id, coalesce(s.title, s.reference) from sources s where s.tenant_id = $1 and s.id = any($2) and s.part = 1"
    ))
    .await
}

/// A part of a source with its text.
#[derive(FromRow)]
pub struct SourcePart {
    #[sqlx(flatten)]
    pub located: Located,
    pub content: Option<String>,
    pub turns: Option<Json<Vec<StoredTurn>>>,
}

/// The parts of a source, in order.
pub async fn source_parts(tx: &mut Tx, tenant: TenantId, source: SourceId) -> Result<Vec<SourcePart>, DbError> {
    tx.rows(sql!(
        [tenant, source],
        r"select s.id, s.agent_id, s.user_id, s.form, coalesce(s.title, s.reference) as title, s.media_type, s.parts,
                 s.created_at, s.content, s.turns
            from sources s where s.tenant_id = $1 and (s.id = $2 or s.whole_id = $2) order by s.part"
    ))
    .await
}

/// What became of a source.
#[derive(FromRow)]
pub struct SourceNumbers {
    pub whole_id: SourceId,
    pub bytes: i64,
    pub turns: i64,
    /// The state of its events: one that is open or dead before one that is done.
    pub state: Option<EventState>,
    pub progress: f64,
    pub waiting: i64,
    pub active: i64,
    pub rejected: i64,
    pub quarantined: i64,
}

/// The numbers of some sources, over all their parts.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn source_numbers(tx: &mut Tx, tenant: TenantId, ids: &[SourceId]) -> Result<Vec<SourceNumbers>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        r"with part as (
              select coalesce(s.whole_id, s.id) as whole_id, s.agent_id, s.id,
                   coalesce(octet_length(s.content), octet_length(s.bytes), 0)::bigint as bytes,
                     coalesce(jsonb_array_length(s.turns), 0)::bigint as turns
                from sources s where s.tenant_id = $1 and coalesce(s.whole_id, s.id) = any($2))
          select p.whole_id, sum(p.bytes)::bigint as bytes, sum(p.turns)::bigint as turns,
                 (array_agg(e.state order by array_position(array['dead', 'failed', 'running', 'pending', 'done', 'imported'], e.state))
                      filter (where e.state is not null))[1] as state,
                 coalesce(sum(e.share * p.bytes) / nullif(sum(p.bytes), 0), 0)::float8 as progress,
                 coalesce(sum(m.waiting), 0)::bigint as waiting, coalesce(sum(m.active), 0)::bigint as active,
                 coalesce(sum(m.rejected), 0)::bigint as rejected, coalesce(sum(q.quarantined), 0)::bigint as quarantined
            from part p
            left join lateral (
                -- A synthesis reads an observation, whose own event is done as soon as it is stored.
                select case when e.kind <> 'observation' or e.state = 'imported' then e.state
                            when e.processed_at is null then 'pending' else 'done' end as state,
                       case e.state when 'done' then 1
                                else coalesce((e.outcome->>'read')::float8 / nullif((e.outcome->>'of')::float8, 0), 0) end as share
                  from events e where e.tenant_id = $1 and e.agent_id = p.agent_id and e.source_id = p.id
                 order by e.created_at desc, e.id desc limit 1) e on true
            left join lateral (
                select count(*) filter (where m.status = 'inbox' and m.deleted_at is null) as waiting,
                       count(*) filter (where m.live) as active,
                       count(*) filter (where m.deleted_at is not null) as rejected
                  from (select distinct v.memory_id, v.agent_id from evidence v
                         where v.tenant_id = $1 and v.source_id = p.id) v
                  join agent_memories m on m.tenant_id = $1 and m.agent_id = v.agent_id and m.id = v.memory_id) m on true
            left join lateral (
                select count(*) as quarantined from quarantine q
                 where q.tenant_id = $1 and q.agent_id = p.agent_id and q.source_id = p.id and q.state = 'waiting') q on true
           group by p.whole_id"
    ))
    .await
}

/// A place of a source that a memory quotes, or that is in quarantine.
#[derive(FromRow)]
pub struct Quoted {
    pub source_id: SourceId,
    pub starts: i32,
    pub ends: i32,
    pub memory_id: Option<MemoryId>,
    pub content: Option<String>,
    pub status: Option<MemoryStatus>,
    pub deleted: bool,
    pub reasons: Vec<String>,
}

/// The places of a part between two bytes, in their order.
pub async fn quoted(tx: &mut Tx, tenant: TenantId, source: SourceId, from: i32, until: i32) -> Result<Vec<Quoted>, DbError> {
    tx.rows(sql!(
        [tenant, source, from, until],
        r"select v.source_id, v.starts, v.ends, m.id as memory_id, m.content, m.status,
                 coalesce(m.deleted_at is not null, false) as deleted,
                 '{}'::text[] as reasons
            from evidence v join agent_memories m on m.tenant_id = v.tenant_id and m.agent_id = v.agent_id and m.id = v.memory_id
           where v.tenant_id = $1 and v.source_id = $2 and v.starts < $4 and v.ends > $3
          union all
          select q.source_id, q.starts, q.ends, null, null, null, false, q.reasons
            from quarantine q
           where q.tenant_id = $1 and q.source_id = $2 and q.starts < $4 and q.ends > $3 and q.state = 'waiting'
           order by starts, ends desc"
    ))
    .await
}
