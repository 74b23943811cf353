//! All SQL of the vocabulary.

use crate::api::{AgentId, EventId, MemoryId, TenantId};
use crate::db::{DbError, Tx, lock, lock_key};
use chrono::{DateTime, Utc};
use sqlx::PgPool;
use uuid::Uuid;

/// The vocabulary's version; 0 while nothing was ever decided.
pub async fn version(tx: &mut Tx, tenant: TenantId) -> Result<i64, DbError> {
    Ok(sqlx::query_scalar("select version from vocabularies where tenant_id = $1")
        .bind(tenant)
        .fetch_optional(&mut **tx)
        .await?
        .unwrap_or(0))
}

/// Every normal form in use, of terms and of aliases, with the term it stands for.
pub async fn forms(tx: &mut Tx, tenant: TenantId) -> Result<Vec<(String, String)>, DbError> {
    Ok(sqlx::query_as(
        r"select a.normal, t.term
            from term_aliases a join canonical_terms t on t.tenant_id = a.tenant_id and t.id = a.term_id
           where a.tenant_id = $1 and a.valid_to is null and t.valid_to is null and t.status = 'active'
          union all
          select normal, term from canonical_terms where tenant_id = $1 and valid_to is null and status = 'active'",
    )
    .bind(tenant)
    .fetch_all(&mut **tx)
    .await?)
}

/// A phrase that a memory met and the vocabulary did not know.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Proposal {
    pub phrase: String,
    pub normal: String,
    pub agent_id: AgentId,
    pub memory_id: MemoryId,
    pub seen_at: DateTime<Utc>,
}

/// Counts a proposal once per delivery: opens one, or adds to the newest with this normal form, decided or not.
pub async fn deliver_proposal(kb: &PgPool, tenant: TenantId, event: EventId, id: Uuid, proposal: &Proposal) -> Result<(), DbError> {
    let mut tx = kb.begin().await?;
    lock(&mut tx, lock_key(&[b"proposal", tenant.0.as_bytes(), proposal.normal.as_bytes()])).await?;
    let known: Option<Uuid> = sqlx::query_scalar(
        "select id from term_proposals where tenant_id = $1 and normal = $2 order by (status = 'open') desc, last_seen desc limit 1",
    )
    .bind(tenant)
    .bind(&proposal.normal)
    .fetch_optional(&mut *tx)
    .await?;
    let proposal_id = match known {
        Some(id) => id,
        None => {
            sqlx::query(
                r"insert into term_proposals (tenant_id, id, phrase, normal, status, count, first_seen, last_seen)
                  values ($1, $2, $3, $4, 'open', 0, $5, $5)",
            )
            .bind(tenant)
            .bind(id)
            .bind(&proposal.phrase)
            .bind(&proposal.normal)
            .bind(proposal.seen_at)
            .execute(&mut *tx)
            .await?;
            id
        }
    };
    let counted = sqlx::query(
        r"insert into proposal_memories (tenant_id, event_id, proposal_id, agent_id, memory_id, seen_at) values ($1, $2, $3, $4, $5, $6)
          on conflict (tenant_id, event_id) do nothing",
    )
    .bind(tenant)
    .bind(event)
    .bind(proposal_id)
    .bind(proposal.agent_id)
    .bind(proposal.memory_id)
    .bind(proposal.seen_at)
    .execute(&mut *tx)
    .await?
    .rows_affected();
    if counted > 0 {
        sqlx::query("update term_proposals set count = count + 1, last_seen = greatest(last_seen, $3) where tenant_id = $1 and id = $2")
            .bind(tenant)
            .bind(proposal_id)
            .bind(proposal.seen_at)
            .execute(&mut *tx)
            .await?;
    }
    Ok(tx.commit().await?)
}

/// A term as it is loaded from the command line or the demo.
pub struct NewTerm<'a> {
    pub id: Uuid,
    pub term: &'a str,
    pub normal: &'a str,
    pub definition: &'a str,
    /// (id, alias, normal form)
    pub aliases: Vec<(Uuid, &'a str, String)>,
}

/// Whether a form of a new term is that of a term or alias in force, or stands twice in the new one. Others who add wait meanwhile.
pub async fn taken(tx: &mut Tx, tenant: TenantId, term: &NewTerm<'_>) -> Result<bool, DbError> {
    lock(tx, lock_key(&[b"vocabulary", tenant.0.as_bytes()])).await?;
    let mut forms: Vec<&str> = term.aliases.iter().map(|(_, _, normal)| normal.as_str()).chain([term.normal]).collect();
    forms.sort_unstable();
    let twice = forms.windows(2).any(|pair| pair[0] == pair[1]);
    let there: bool = sqlx::query_scalar(
        r"select exists (select 1 from canonical_terms where tenant_id = $1 and normal = any($2) and valid_to is null)
              or exists (select 1 from term_aliases where tenant_id = $1 and normal = any($2) and valid_to is null)",
    )
    .bind(tenant)
    .bind(forms)
    .fetch_one(&mut **tx)
    .await?;
    Ok(twice || there)
}

/// Adds a term with its aliases and moves the version.
pub async fn add_term(tx: &mut Tx, tenant: TenantId, term: &NewTerm<'_>, now: DateTime<Utc>) -> Result<(), DbError> {
    sqlx::query(
        r"insert into canonical_terms (tenant_id, id, term, normal, definition, status, created_at, valid_from)
          values ($1, $2, $3, $4, $5, 'active', $6, $6)",
    )
    .bind(tenant)
    .bind(term.id)
    .bind(term.term)
    .bind(term.normal)
    .bind(term.definition)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    for (id, alias, normal) in &term.aliases {
        sqlx::query("insert into term_aliases (tenant_id, id, term_id, alias, normal, valid_from) values ($1, $2, $3, $4, $5, $6)")
            .bind(tenant)
            .bind(id)
            .bind(term.id)
            .bind(alias)
            .bind(normal)
            .bind(now)
            .execute(&mut **tx)
            .await?;
    }
    sqlx::query(
        r"insert into vocabularies (tenant_id, version, updated_at) values ($1, 1, $2)
          on conflict (tenant_id) do update set version = vocabularies.version + 1, updated_at = excluded.updated_at",
    )
    .bind(tenant)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
