//! All SQL of sessions.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{COUNTED, DbError, Tenancy, Tx, count_rows, of_user, sql, statement};
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, AgentSession, AgentSessionFilter, SessionRef, TenantId, UserId, UserRef};

/// What is added to a session, which is made with the first of it.
#[derive(Clone, Debug)]
pub struct Touch {
    pub agent: AgentId,
    pub id: Uuid,
    pub user: Option<UserId>,
    /// What its host or its agent calls it.
    pub name: String,
    pub host: Option<String>,
    pub project: Option<Uuid>,
    pub messages: i64,
    pub recalls: i64,
    pub contexts: i64,
    /// Tokens that it was given so far: they are not added to those of before.
    pub tokens: u32,
    /// When the first and the last of it happened.
    pub from: DateTime<Utc>,
    pub until: DateTime<Utc>,
}

impl Touch {
    /// Nothing that is added to a session of a coding agent.
    pub fn of(agent: AgentId, id: Uuid, session: &SessionRef, at: DateTime<Utc>) -> Self {
        let (host, project, tokens) = (Some(session.host.clone()), session.project, session.tokens);
        Self { host, project, tokens, ..Self::named(agent, id, session.name(), at) }
    }

    /// Nothing that is added to a session that its agent named.
    pub fn named(agent: AgentId, id: Uuid, name: String, at: DateTime<Utc>) -> Self {
        let (user, host, project) = (None, None, None);
        Self { agent, id, user, name, host, project, messages: 0, recalls: 0, contexts: 0, tokens: 0, from: at, until: at }
    }
}

/// Adds to a session of an agent and a user.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, agent = %touch.agent))]
pub async fn touch(tx: &mut Tx, tenant: TenantId, touch: &Touch) -> Result<(), DbError> {
    tx.run(sql!(
        [
            tenant,
            touch.agent,
            touch.id,
            touch.user,
            &touch.name,
            &touch.host,
            touch.project,
            touch.messages,
            touch.recalls,
            touch.contexts,
            i64::from(touch.tokens),
            touch.from,
            touch.until
        ],
        r"insert into sessions
            (tenant_id, agent_id, id, user_id, external_ref, host, project_id, messages, recalls, contexts, tokens, started_at, last_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
          on conflict (tenant_id, agent_id, id) do update
             set host = coalesce(sessions.host, excluded.host), project_id = coalesce(excluded.project_id, sessions.project_id),
                 messages = sessions.messages + excluded.messages, recalls = sessions.recalls + excluded.recalls,
                 contexts = sessions.contexts + excluded.contexts, tokens = greatest(sessions.tokens, excluded.tokens),
                 started_at = least(sessions.started_at, excluded.started_at), last_at = greatest(sessions.last_at, excluded.last_at)
           where sessions.tenant_id = excluded.tenant_id and sessions.user_id is not distinct from excluded.user_id"
    ))
    .await
}

/// `select … from …` of the sessions that a filter matches.
fn select(from: &str, tenancy: Tenancy, filter: &AgentSessionFilter) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(
        format!(concat!("select {from} where s.tenant_id = $1 and ", of_user!("s", "$2")), from = from),
        tenancy.tenant,
        tenancy.users,
    );
    if let Some(agent) = filter.agent_id {
        query.push(" and s.agent_id = ").push_bind(agent);
    }
    if let Some(host) = &filter.host {
        query.push(" and s.host = ").push_bind(host);
    }
    if let Some(project) = filter.project_id {
        query.push(" and s.project_id = ").push_bind(project);
    }
    if let Some(UserRef::Id(user)) = filter.user_id {
        query.push(" and s.user_id = ").push_bind(user);
    }
    Ok(query)
}

/// How many sessions a filter matches, up to [`wire::TOTAL_MAX`] and one more.
pub async fn count(tx: &mut Tx, tenancy: Tenancy, filter: &AgentSessionFilter) -> Result<i64, DbError> {
    count_rows(tx, select(&format!("{COUNTED} from sessions s"), tenancy, filter)?, "s.last_at desc, s.id desc").await
}

/// The columns of an [`AgentSession`] and their tables.
macro_rules! row {
    () => {
        r"s.id, s.agent_id, s.user_id, s.host, s.external_ref as name, s.project_id, p.slug as project, s.started_at, s.last_at,
          s.messages, s.recalls, s.contexts, s.tokens
          from sessions s left join projects p on p.tenant_id = s.tenant_id and p.id = s.project_id"
    };
}

/// One page of sessions and one more, the last active first.
pub async fn list(
    tx: &mut Tx,
    tenancy: Tenancy,
    filter: &AgentSessionFilter,
    seek: &Seek,
    size: usize,
) -> Result<Vec<AgentSession>, DbError> {
    let mut query = select(row!(), tenancy, filter)?;
    seek.push(&mut query, "s.last_at", "s.id", !filter.reversed, size);
    tx.rows(query).await
}

/// One session.
pub async fn session(tx: &mut Tx, tenancy: Tenancy, id: Uuid) -> Result<Option<AgentSession>, DbError> {
    tx.row_if_any(sql!(
        [tenancy.tenant, id, tenancy.users],
        "select ",
        row!(),
        " where s.tenant_id = $1 and s.id = $2 and ",
        of_user!("s", "$3")
    ))
    .await
}

/// What was made from the sources of a session.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct Made {
    pub session_id: Uuid,
    /// Candidates that wait for review.
    pub candidates: i64,
    /// Live memories.
    pub memories: i64,
}

/// What was made from the sources of some sessions; nothing for those without any.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, ids = ids.len()))]
pub async fn made(tx: &mut Tx, tenancy: Tenancy, ids: &[Uuid]) -> Result<Vec<Made>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, ids, tenancy.users],
        r"select o.session_id, count(distinct m.id) filter (where m.status = 'inbox' and m.deleted_at is null) as candidates,
                 count(distinct m.id) filter (where m.live) as memories
            from sources o
            join evidence v on v.tenant_id = o.tenant_id and v.source_id = o.id
            join agent_memories m on m.tenant_id = v.tenant_id and m.agent_id = v.agent_id and m.id = v.memory_id
           where o.tenant_id = $1 and o.session_id = any($2) and ",
        of_user!("o", "$3"),
        " group by o.session_id"
    ))
    .await
}
