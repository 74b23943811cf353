//! Rows that an erasure removes: those that name their user in a column, made from the list of columns, and those that it chose by id.

use crate::columns::{Erasure, TABLES};
use crate::{DbError, Tx, sql, statement};
use uuid::Uuid;
use wire::{TenantId, UserId};

/// The tables of a database whose rows go with their user, those that refer to others before them.
pub fn tables(database: &str) -> impl Iterator<Item = &'static str> {
    TABLES.iter().rev().filter(move |table| table.database == database && table.erasure == Erasure::Row).map(|table| table.name)
}

/// How many rows of a table have the user in a column. The names are those of the list.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, table))]
pub async fn count(tx: &mut Tx, table: &'static str, column: &'static str, tenant: TenantId, user: UserId) -> Result<i64, DbError> {
    let sql = format!("select count(*) from {table} where tenant_id = $1 and {column} = $2");
    tx.value(statement!(sql, tenant, user)).await
}

/// The ids of a user's rows in a table.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, table))]
pub async fn ids_of(tx: &mut Tx, table: &'static str, tenant: TenantId, user: UserId) -> Result<Vec<Uuid>, DbError> {
    let sql = format!("select id from {table} where tenant_id = $1 and user_id = $2");
    tx.values(statement!(sql, tenant, user)).await
}

/// Removes a user's rows from a table, leaves of profiles with their documents; how many.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, table))]
pub async fn delete(tx: &mut Tx, table: &'static str, tenant: TenantId, user: UserId) -> Result<u64, DbError> {
    if table == "profile_leaves" {
        // Work that ran meanwhile may have written documents since theirs were removed.
        tx.run(sql!(
            [tenant, user],
            r"delete from profile_documents d using profile_leaves l
               where l.tenant_id = $1 and l.user_id = $2 and d.tenant_id = l.tenant_id and d.agent_id = l.agent_id and d.origin_id = l.id"
        ))
        .await?;
    }
    let sql = format!("delete from {table} where tenant_id = $1 and user_id = $2");
    tx.changed(statement!(sql, tenant, user)).await
}

/// Removes jobs about memories that are no more.
pub async fn delete_orphaned_jobs(tx: &mut Tx, tenant: TenantId) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant],
        r"delete from events e
           where e.tenant_id = $1 and e.task in ('embed', 'settle_links', 'remember') and e.payload ? 'memory_id'
             and not exists (select from agent_memories m where m.tenant_id = $1 and m.id::text = e.payload->>'memory_id')"
    ))
    .await
}

/// Removes rows by a column. The names are literals of the caller.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, table))]
pub async fn delete_where(tx: &mut Tx, table: &'static str, column: &'static str, tenant: TenantId, ids: &[Uuid]) -> Result<u64, DbError> {
    let sql = format!("delete from {table} where tenant_id = $1 and {column} = any($2)");
    tx.changed(statement!(sql, tenant, ids)).await
}

/// Removes logged recalls with their hits and citations.
pub async fn delete_retrievals(tx: &mut Tx, tenant: TenantId, ids: &[Uuid]) -> Result<(), DbError> {
    for table in ["retrieval_hits", "citations"] {
        delete_where(tx, table, "retrieval_id", tenant, ids).await?;
    }
    delete_where(tx, "retrievals", "id", tenant, ids).await?;
    Ok(())
}

/// Removes what agents reported, with its words, and what BM25 counts of it.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, table))]
pub async fn delete_reports(tx: &mut Tx, table: &'static str, terms: &'static str, tenant: TenantId, ids: &[Uuid]) -> Result<(), DbError> {
    let sql = format!(
        r"with gone as (
              select t.user_id, max(w.length) as length from {table} t
                join {terms} w on w.tenant_id = t.tenant_id and w.id = t.id
               where t.tenant_id = $1 and t.id = any($2) group by t.user_id, t.id),
          sums as (select user_id, count(*) as documents, sum(length) as terms from gone group by user_id)
          update activity_counts c set documents = c.documents - s.documents, terms = c.terms - s.terms
            from sums s
           where c.tenant_id = $1 and c.source = '{table}' and c.user_id is not distinct from s.user_id
             and c.slot = (select min(o.slot) from activity_counts o
                            where o.tenant_id = $1 and o.source = '{table}' and o.user_id is not distinct from s.user_id)"
    );
    tx.run(statement!(sql, tenant, ids)).await?;
    delete_where(tx, terms, "id", tenant, ids).await?;
    delete_where(tx, table, "id", tenant, ids).await?;
    Ok(())
}

/// Removes normal forms of topics that no memory has any more from the records of finished re-canonicalisations.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, forms = forms.len()))]
pub async fn strip_forms(tx: &mut Tx, tenant: TenantId, forms: &[String]) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, forms],
        r"with gone as (
              select array_agg(f.form) as forms from unnest($2::text[]) f (form)
               where not exists (select from agent_memories m where m.tenant_id = $1 and m.topic_normal = f.form)
                 and not exists (select from memory_topics t where t.tenant_id = $1 and t.topic_normal = f.form))
          update events e set payload = jsonb_set(e.payload, '{forms}', (e.payload->'forms') - g.forms)
            from gone g where e.tenant_id = $1 and e.task = 'recanonicalise' and e.payload->'forms' ?| g.forms"
    ))
    .await
}
