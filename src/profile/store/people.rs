//! SQL of what operators read: profiles of all agents, and the observations that leaves cite.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tenancy, Tx, like, of_user, sql, statement};
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{AgentId, PeopleFilter, SourceId, TenantId, UserId};

/// A profile in a list.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct StoredPerson {
    pub id: Uuid,
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub updated_at: DateTime<Utc>,
}

/// `select …` of the profiles that a filter shows; `named` are users whose reference or name begins with its text.
fn matching(what: &str, tenant: TenantId, filter: &PeopleFilter, named: &[UserId]) -> Result<QueryBuilder<Postgres>, DbError> {
    let mut query = statement!(format!("select {what} from profiles p where p.tenant_id = $1"), tenant);
    if let Some(agent) = filter.agent_id {
        query.push(" and p.agent_id = ").push_bind(agent);
    }
    if let Some(user) = &filter.user {
        let id: Option<UserId> = user.parse().ok();
        query.push(" and (p.user_id = any(").push_bind([named, id.as_slice()].concat()).push(")");
        // Only a whole id has an index.
        if id.is_none() {
            query.push(" or p.user_id::text like ").push_bind(like::starts_with(&user.to_lowercase()));
        }
        query.push(")");
    }
    Ok(query)
}

/// How many profiles a filter shows.
pub async fn count_people(tx: &mut Tx, tenant: TenantId, filter: &PeopleFilter, named: &[UserId]) -> Result<i64, DbError> {
    tx.value(matching("count(*)", tenant, filter, named)?).await
}

/// One page of profiles and one more, those that changed last first.
pub async fn people(
    tx: &mut Tx,
    tenant: TenantId,
    filter: &PeopleFilter,
    named: &[UserId],
    seek: &Seek,
    size: usize,
) -> Result<Vec<StoredPerson>, DbError> {
    let mut query = matching("p.id, p.agent_id, p.user_id, p.updated_at", tenant, filter, named)?;
    seek.push(&mut query, "p.updated_at", "p.id", !filter.reversed, size);
    tx.rows(query).await
}

/// A source that a leaf cites.
#[derive(Clone, Debug, FromRow)]
pub struct Cited {
    pub id: SourceId,
    pub content: String,
    pub session_id: Option<Uuid>,
    pub created_at: DateTime<Utc>,
}

/// The texts of some sources of an agent, as far as they are there.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, %agent, sources = sources.len()))]
pub async fn cited(tx: &mut Tx, tenancy: Tenancy, agent: AgentId, sources: &[Uuid]) -> Result<Vec<Cited>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, agent, sources, tenancy.users],
        r"select s.id, s.content, s.session_id, s.created_at from sources s
           where s.tenant_id = $1 and s.agent_id = $2 and s.id = any($3) and s.content is not null and ",
        of_user!("s", "$4")
    ))
    .await
}
