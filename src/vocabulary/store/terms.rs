//! SQL of terms and aliases.

use crate::api::{TenantId, TermFilter, TermId};
use crate::db::cursor::Seek;
use crate::db::like;
use crate::db::{DbError, Tx};
use crate::vocabulary::model::{Alias, Plan, State, TermName};
use chrono::{DateTime, Utc};
use pgvector::Vector;
use sqlx::{FromRow, Postgres, QueryBuilder};
use uuid::Uuid;

const TERM: &str = "t.id, t.lineage, t.term, t.normal, t.definition, t.category, t.created_at, t.valid_from";
const ALIAS: &str = "a.id, a.term_id, a.alias, a.normal, a.valid_from";

/// Everything in force.
pub async fn state(tx: &mut Tx, tenant: TenantId) -> Result<State, DbError> {
    in_force(tx, tenant, None).await
}

/// Everything that was in force at a moment.
pub async fn state_at(tx: &mut Tx, tenant: TenantId, at: DateTime<Utc>) -> Result<State, DbError> {
    in_force(tx, tenant, Some(at)).await
}

async fn in_force(tx: &mut Tx, tenant: TenantId, at: Option<DateTime<Utc>>) -> Result<State, DbError> {
    let narrow = |query: &mut QueryBuilder<Postgres>, table: &str| {
        match at {
            None => query.push(format!(" and {table}.valid_to is null")),
            Some(at) => query
                .push(format!(" and {table}.valid_from <= "))
                .push_bind(at)
                .push(format!(" and ({table}.valid_to is null or {table}.valid_to > "))
                .push_bind(at)
                .push(")"),
        };
        query.push(format!(" order by {table}.normal"));
    };
    let mut terms = QueryBuilder::<Postgres>::new(format!("select {TERM} from canonical_terms t where t.tenant_id = "));
    narrow(terms.push_bind(tenant), "t");
    let mut aliases = QueryBuilder::<Postgres>::new(format!("select {ALIAS} from term_aliases a where a.tenant_id = "));
    narrow(aliases.push_bind(tenant), "a");
    Ok(State { terms: terms.build_query_as().fetch_all(&mut **tx).await?, aliases: aliases.build_query_as().fetch_all(&mut **tx).await? })
}

/// Rows of terms and aliases by their ids, in force or not.
pub async fn rows(tx: &mut Tx, tenant: TenantId, terms: &[Uuid], aliases: &[Uuid]) -> Result<(Vec<TermName>, Vec<Alias>), DbError> {
    let mut query = QueryBuilder::<Postgres>::new(format!("select {TERM} from canonical_terms t where t.tenant_id = "));
    query.push_bind(tenant).push(" and t.id = any(").push_bind(terms.to_vec()).push(")");
    let found = query.build_query_as().fetch_all(&mut **tx).await?;
    let mut query = QueryBuilder::<Postgres>::new(format!("select {ALIAS} from term_aliases a where a.tenant_id = "));
    query.push_bind(tenant).push(" and a.id = any(").push_bind(aliases.to_vec()).push(")");
    Ok((found, query.build_query_as().fetch_all(&mut **tx).await?))
}

/// Closes and opens what a plan says.
pub async fn apply(tx: &mut Tx, tenant: TenantId, plan: &Plan, now: DateTime<Utc>) -> Result<(), DbError> {
    for (table, ids) in [("canonical_terms", &plan.close_terms), ("term_aliases", &plan.close_aliases)] {
        let mut query = QueryBuilder::<Postgres>::new(format!("update {table} set valid_to = "));
        query.push_bind(now).push(" where tenant_id = ").push_bind(tenant).push(" and valid_to is null and id = any(");
        query.push_bind(ids.clone()).push(")").build().execute(&mut **tx).await?;
    }
    for term in &plan.open_terms {
        sqlx::query(
            r"insert into canonical_terms (tenant_id, id, lineage, term, normal, definition, category, status, created_at, valid_from)
              values ($1, $2, $3, $4, $5, $6, $7, 'active', $8, $9)",
        )
        .bind(tenant)
        .bind(term.id)
        .bind(term.lineage)
        .bind(&term.term)
        .bind(&term.normal)
        .bind(&term.definition)
        .bind(&term.category)
        .bind(term.created_at)
        .bind(term.valid_from)
        .execute(&mut **tx)
        .await?;
    }
    for alias in &plan.open_aliases {
        sqlx::query("insert into term_aliases (tenant_id, id, term_id, alias, normal, valid_from) values ($1, $2, $3, $4, $5, $6)")
            .bind(tenant)
            .bind(alias.id)
            .bind(alias.term_id)
            .bind(&alias.alias)
            .bind(&alias.normal)
            .bind(alias.valid_from)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Moves the version on; the new one.
pub async fn next_version(tx: &mut Tx, tenant: TenantId, now: DateTime<Utc>) -> Result<i64, DbError> {
    Ok(sqlx::query_scalar(
        r"insert into vocabularies (tenant_id, version, updated_at) values ($1, 1, $2)
          on conflict (tenant_id) do update set version = vocabularies.version + 1, updated_at = excluded.updated_at returning version",
    )
    .bind(tenant)
    .bind(now)
    .fetch_one(&mut **tx)
    .await?)
}

/// A term, in force or retired, with the aliases of the last moment at which it was in force.
#[derive(Clone, Debug, FromRow)]
pub struct TermRow {
    #[sqlx(flatten)]
    pub name: TermName,
    pub valid_to: Option<DateTime<Utc>>,
    pub aliases: Vec<String>,
}

/// Narrows to the newest row of each term in force; of each retired term if the filter says so.
fn narrow(query: &mut QueryBuilder<Postgres>, tenant: TenantId, filter: &TermFilter) {
    query.push(" from canonical_terms t where t.tenant_id = ").push_bind(tenant);
    if filter.retired == Some(true) {
        query.push(
            " and t.valid_to is not null and not exists (select 1 from canonical_terms n where n.tenant_id = t.tenant_id and \
             n.lineage = t.lineage and (n.valid_to is null or (n.valid_to, n.id) > (t.valid_to, t.id)))",
        );
    } else {
        query.push(" and t.valid_to is null");
    }
    if let Some(q) = &filter.q {
        let like = like::contains(q);
        query.push(" and (t.term ilike ").push_bind(like.clone()).push(" or t.definition ilike ").push_bind(like.clone());
        query.push(" or exists (select 1 from term_aliases a where a.tenant_id = t.tenant_id and a.term_id = t.lineage and a.alias ilike ");
        query.push_bind(like).push(" and a.valid_to is not distinct from t.valid_to))");
    }
}

const ALIASES: &str = ", t.valid_to, array(select a.alias from term_aliases a where a.tenant_id = t.tenant_id and a.term_id = t.lineage \
    and a.valid_to is not distinct from t.valid_to order by a.normal) as aliases";

/// How many terms a filter matches.
pub async fn count_terms(tx: &mut Tx, tenant: TenantId, filter: &TermFilter) -> Result<i64, DbError> {
    let mut query = QueryBuilder::new("select count(*)");
    narrow(&mut query, tenant, filter);
    Ok(query.build_query_scalar().fetch_one(&mut **tx).await?)
}

/// One page's terms and one more, in reading order; by normal form.
pub async fn list_terms(
    tx: &mut Tx,
    tenant: TenantId,
    filter: &TermFilter,
    seek: &Seek<String>,
    size: usize,
) -> Result<Vec<TermRow>, DbError> {
    let mut query = QueryBuilder::new(format!("select {TERM}{ALIASES}"));
    narrow(&mut query, tenant, filter);
    seek.push(&mut query, "t.normal", "t.id", false, size);
    Ok(query.build_query_as().fetch_all(&mut **tx).await?)
}

/// A term's newest row.
pub async fn newest(tx: &mut Tx, tenant: TenantId, id: TermId) -> Result<Option<TermRow>, DbError> {
    let mut query = QueryBuilder::new(format!("select {TERM}{ALIASES} from canonical_terms t where t.tenant_id = "));
    query.push_bind(tenant).push(" and t.lineage = ").push_bind(id);
    query.push(" order by t.valid_to is null desc, t.valid_to desc, t.id desc limit 1");
    Ok(query.build_query_as().fetch_optional(&mut **tx).await?)
}

/// The term in force with this id, or whose name or alias has this normal form; the id comes first.
pub async fn term_named(tx: &mut Tx, tenant: TenantId, id: Option<TermId>, form: &str) -> Result<Option<(TermId, String)>, DbError> {
    Ok(sqlx::query_as(
        r"select t.lineage, t.term from canonical_terms t
           where t.tenant_id = $1 and t.valid_to is null
             and (t.lineage = $2 or t.normal = $3 or exists (
                 select 1 from term_aliases a
                  where a.tenant_id = t.tenant_id and a.term_id = t.lineage and a.normal = $3 and a.valid_to is null))
           order by t.lineage = $2 desc nulls last limit 1",
    )
    .bind(tenant)
    .bind(id)
    .bind(form)
    .fetch_optional(&mut **tx)
    .await?)
}

/// Terms in force that have no vector of a model, or one of an older name: lineage and name.
pub async fn unembedded(tx: &mut Tx, tenant: TenantId, model: &str, most: i64) -> Result<Vec<(TermId, String)>, DbError> {
    Ok(sqlx::query_as(
        r"select t.lineage, t.term from canonical_terms t
           where t.tenant_id = $1 and t.valid_to is null and not exists (
                 select 1 from term_embeddings e
                  where e.tenant_id = t.tenant_id and e.term_id = t.lineage and e.model = $2 and e.term = t.term)
           order by t.normal limit $3",
    )
    .bind(tenant)
    .bind(model)
    .bind(most)
    .fetch_all(&mut **tx)
    .await?)
}

/// Stores a term's vector.
pub async fn put_term_vector(tx: &mut Tx, tenant: TenantId, id: TermId, model: &str, term: &str, vector: &[f32]) -> Result<(), DbError> {
    sqlx::query(
        r"insert into term_embeddings (tenant_id, term_id, model, term, embedding) values ($1, $2, $3, $4, $5)
          on conflict (tenant_id, term_id, model) do update set term = excluded.term, embedding = excluded.embedding",
    )
    .bind(tenant)
    .bind(id)
    .bind(model)
    .bind(term)
    .bind(Vector::from(vector.to_vec()))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The terms in force nearest in meaning, with their cosine.
pub async fn nearest_terms(
    tx: &mut Tx,
    tenant: TenantId,
    model: &str,
    vector: &[f32],
    most: i64,
) -> Result<Vec<(TermId, String, f64)>, DbError> {
    Ok(sqlx::query_as(
        r"select t.lineage, t.term, 1 - (e.embedding <=> $3)
            from term_embeddings e join canonical_terms t on t.tenant_id = e.tenant_id and t.lineage = e.term_id and t.valid_to is null
           where e.tenant_id = $1 and e.model = $2 order by 3 desc, t.normal limit $4",
    )
    .bind(tenant)
    .bind(model)
    .bind(Vector::from(vector.to_vec()))
    .bind(most)
    .fetch_all(&mut **tx)
    .await?)
}
