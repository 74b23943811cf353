//! SQL of terms and aliases.

use chrono::{DateTime, Utc};
use db::cursor::Seek;
use db::{DbError, Tx, like, sql};
use foundation::terms::{Alias, Plan, TermName};
use pgvector::Vector;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;
use wire::{TenantId, TermFilter, TermId};

/// The columns of [`TermRow`], for a table called `t`; its aliases are those that were in force as long as it was.
macro_rules! term_row {
    () => {
        "t.id, t.lineage, t.term, t.normal, t.definition, t.category, t.created_at, t.valid_from, t.valid_to, \
         array(select a.alias from term_aliases a where a.tenant_id = $1 and a.term_id = t.lineage \
         and a.valid_to is not distinct from t.valid_to order by a.normal) as aliases"
    };
}

/// Rows of terms and aliases by their ids, in force or not.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, terms = terms.len()))]
pub async fn rows(tx: &mut Tx, tenant: TenantId, terms: &[Uuid], aliases: &[Uuid]) -> Result<(Vec<TermName>, Vec<Alias>), DbError> {
    let terms = tx
        .rows(sql!(
            [tenant, terms],
            r"select id, lineage, term, normal, definition, category, created_at, valid_from
            from canonical_terms where tenant_id = $1 and id = any($2)"
        ))
        .await?;
    let aliases = tx
        .rows(sql!(
            [tenant, aliases],
            "select id, term_id, alias, normal, valid_from from term_aliases where tenant_id = $1 and id = any($2)"
        ))
        .await?;
    Ok((terms, aliases))
}

/// Closes and opens the rows of a plan. No row ends before it begins, even if the clock that opened it was ahead, and a row that another
/// clock ended later than now ends now: a name and the next one are never in force at once.
pub async fn apply(tx: &mut Tx, tenant: TenantId, plan: &Plan, now: DateTime<Utc>) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, &plan.close_terms, now],
        r"update canonical_terms t set valid_to = greatest(t.valid_from, $3)
           where t.tenant_id = $1 and ((t.valid_to is null and t.id = any($2)) or (t.valid_to > $3 and t.lineage in (
                 select c.lineage from canonical_terms c where c.tenant_id = $1 and c.id = any($2))))"
    ))
    .await?;
    tx.run(sql!(
        [tenant, &plan.close_aliases, now],
        r"update term_aliases a set valid_to = greatest(a.valid_from, $3)
           where a.tenant_id = $1 and ((a.valid_to is null and a.id = any($2)) or (a.valid_to > $3 and exists (
                 select from term_aliases c where c.tenant_id = $1 and c.id = any($2) and c.term_id = a.term_id and c.normal = a.normal)))"
    ))
    .await?;
    for term in &plan.open_terms {
        tx.run(sql!(
            [tenant, term.id, term.lineage, &term.term, &term.normal, &term.definition, &term.category, term.created_at, term.valid_from],
            r"insert into canonical_terms (tenant_id, id, lineage, term, normal, definition, category, status, created_at, valid_from)
              values ($1, $2, $3, $4, $5, $6, $7, 'active', $8, $9)"
        ))
        .await?;
    }
    for alias in &plan.open_aliases {
        tx.run(sql!(
            [tenant, alias.id, alias.term_id, &alias.alias, &alias.normal, alias.valid_from],
            "insert into term_aliases (tenant_id, id, term_id, alias, normal, valid_from) values ($1, $2, $3, $4, $5, $6)"
        ))
        .await?;
    }
    Ok(())
}

/// Increases the version; returns the new one.
pub async fn next_version(tx: &mut Tx, tenant: TenantId, now: DateTime<Utc>) -> Result<i64, DbError> {
    tx.value(sql!(
        [tenant, now],
        r"insert into vocabularies (tenant_id, version, updated_at) values ($1, 1, $2)
          on conflict (tenant_id) do update set version = vocabularies.version + 1, updated_at = excluded.updated_at returning version"
    ))
    .await
}

/// A term, in force or retired, with the aliases of the last moment at which it was in force.
#[derive(Clone, Debug, FromRow)]
pub struct TermRow {
    #[sqlx(flatten)]
    pub name: TermName,
    pub valid_to: Option<DateTime<Utc>>,
    pub aliases: Vec<String>,
}

/// Narrows to the newest row of each term in force, or of each retired term if the filter says so.
fn narrow(query: &mut QueryBuilder<Postgres>, tenant: TenantId, filter: &TermFilter) {
    query.push(" from canonical_terms t where t.tenant_id = ").push_bind(tenant);
    if filter.retired == Some(true) {
        query.push(
            " and t.valid_to is not null and not exists (select 1 from canonical_terms n where n.tenant_id = $1 and \
             n.lineage = t.lineage and (n.valid_to is null or (n.valid_to, n.id) > (t.valid_to, t.id)))",
        );
    } else {
        query.push(" and t.valid_to is null");
    }
    if let Some(q) = &filter.q {
        let like = like::contains(q);
        query.push(" and (t.term ilike ").push_bind(like.clone()).push(" or t.definition ilike ").push_bind(like.clone());
        query.push(" or exists (select 1 from term_aliases a where a.tenant_id = $1 and a.term_id = t.lineage and a.alias ilike ");
        query.push_bind(like).push(" and a.valid_to is not distinct from t.valid_to))");
    }
}

/// How many terms a filter matches.
pub async fn count_terms(tx: &mut Tx, tenant: TenantId, filter: &TermFilter) -> Result<i64, DbError> {
    let mut query = QueryBuilder::new("select count(*)");
    narrow(&mut query, tenant, filter);
    tx.value(query).await
}

/// One page's terms and one more, in reading order; by normal form.
pub async fn list_terms(
    tx: &mut Tx,
    tenant: TenantId,
    filter: &TermFilter,
    seek: &Seek<String>,
    size: usize,
) -> Result<Vec<TermRow>, DbError> {
    let mut query = QueryBuilder::new(concat!("select ", term_row!()));
    narrow(&mut query, tenant, filter);
    seek.push(&mut query, "t.normal", "t.id", filter.reversed, size);
    tx.rows(query).await
}

/// A term's newest row.
pub async fn newest(tx: &mut Tx, tenant: TenantId, id: TermId) -> Result<Option<TermRow>, DbError> {
    tx.row_if_any(sql!(
        [tenant, id],
        "select ",
        term_row!(),
        r" from canonical_terms t where t.tenant_id = $1 and t.lineage = $2
           order by t.valid_to is null desc, t.valid_to desc, t.id desc limit 1"
    ))
    .await
}

/// The newest names of terms, in force or not.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn term_names(tx: &mut Tx, tenant: TenantId, ids: &[TermId]) -> Result<Vec<(TermId, String)>, DbError> {
    tx.rows(sql!(
        [tenant, ids],
        r"select distinct on (t.lineage) t.lineage, t.term from canonical_terms t where t.tenant_id = $1 and t.lineage = any($2)
           order by t.lineage, t.valid_to is null desc, t.valid_to desc, t.id desc"
    ))
    .await
}

/// The term in force with this id, or whose name or alias has this normal form; the id comes first.
pub async fn term_named(tx: &mut Tx, tenant: TenantId, id: Option<TermId>, form: &str) -> Result<Option<(TermId, String)>, DbError> {
    tx.row_if_any(sql!(
        [tenant, id, form],
        r"select t.lineage, t.term from canonical_terms t
           where t.tenant_id = $1 and t.valid_to is null
             and (t.lineage = $2 or t.normal = $3 or exists (
                 select 1 from term_aliases a
                  where a.tenant_id = $1 and a.term_id = t.lineage and a.normal = $3 and a.valid_to is null))
           order by t.lineage = $2 desc nulls last limit 1"
    ))
    .await
}

/// Terms in force that have no vector of a model, or one of an older name: lineage and name.
pub async fn unembedded(tx: &mut Tx, tenant: TenantId, model: &str, most: i64) -> Result<Vec<(TermId, String)>, DbError> {
    tx.rows(sql!(
        [tenant, model, most],
        r"select t.lineage, t.term from canonical_terms t
           where t.tenant_id = $1 and t.valid_to is null and not exists (
                 select 1 from term_embeddings e
                  where e.tenant_id = $1 and e.term_id = t.lineage and e.model = $2 and e.term = t.term)
           order by t.normal limit $3"
    ))
    .await
}

/// Stores a term's vector.
pub async fn put_term_vector(tx: &mut Tx, tenant: TenantId, id: TermId, model: &str, term: &str, vector: &[f32]) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, id, model, term, Vector::from(vector.to_vec())],
        r"insert into term_embeddings (tenant_id, term_id, model, term, embedding) values ($1, $2, $3, $4, $5)
          on conflict (tenant_id, term_id, model) do update set term = excluded.term, embedding = excluded.embedding"
    ))
    .await
}

/// The terms in force nearest in meaning, with their cosine.
pub async fn nearest_terms(
    tx: &mut Tx,
    tenant: TenantId,
    model: &str,
    vector: &[f32],
    most: i64,
) -> Result<Vec<(TermId, String, f64)>, DbError> {
    tx.rows(sql!(
        [tenant, model, Vector::from(vector.to_vec()), most],
        r"select t.lineage, t.term, 1 - (e.embedding <=> $3)
            from term_embeddings e join canonical_terms t on t.tenant_id = e.tenant_id and t.lineage = e.term_id and t.valid_to is null
           where e.tenant_id = $1 and e.model = $2 order by 3 desc, t.normal limit $4"
    ))
    .await
}
