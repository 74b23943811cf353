//! SQL of cutting words again: the texts whose words were cut by former rules, each locked unless somebody else holds it.
//!
//! Background work of an organisation: it reads the rows of all its agents and users.

use crate::activity::Reports;
use crate::knowledge;
use crate::memories::model::Memory;
use crate::memories::store::columns;
use crate::profile::documents::Details;
use db::{DbError, Tx, lift_statement_timeout, sql, statement};
use foundation::index::WordRows;
use sqlx::FromRow;
use sqlx::types::Json;
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{AgentId, ChunkId, MemoryId, TenantId};
use words::stems;

/// A section of a document in force.
#[derive(Clone, Debug, FromRow)]
pub struct Section {
    pub id: ChunkId,
    pub title: String,
    pub reference: Option<String>,
    pub heading_path: Vec<String>,
    pub content: String,
    /// Of its document.
    pub status: String,
}

impl Section {
    /// What is searched of it.
    pub fn searched_text(&self) -> String {
        knowledge::searched_text(self.reference.as_deref(), &self.title, &self.heading_path, &self.content)
    }
}

/// A document of a profile.
#[derive(Clone, Debug, FromRow)]
pub struct Document {
    pub agent_id: AgentId,
    pub id: Uuid,
    pub content: String,
    pub metadata: Json<Details>,
}

/// The agents with live memories whose words were cut by former rules.
pub async fn agents(tx: &mut Tx, tenant: TenantId) -> Result<Vec<AgentId>, DbError> {
    lift_statement_timeout(tx).await?;
    tx.values(sql!(
        [tenant, stems::RULES],
        "select distinct m.agent_id from agent_memories m where m.tenant_id = $1 and m.live and m.word_rules < $2 order by 1"
    ))
    .await
}

/// Live memories of an agent after an id, in the order of their ids.
pub async fn memories(tx: &mut Tx, tenant: TenantId, agent: AgentId, after: MemoryId, most: i64) -> Result<Vec<Memory>, DbError> {
    tx.rows(sql!(
        [tenant, agent, after, most, stems::RULES],
        "select ",
        columns!(),
        r" from agent_memories m
           where m.tenant_id = $1 and m.agent_id = $2 and m.id > $3 and m.live and m.word_rules < $5
           order by m.id limit $4 for update of m skip locked"
    ))
    .await
}

/// Locks what is counted of an organisation's sections; how many rows.
pub async fn lock_sections_counts(tx: &mut Tx, tenant: TenantId) -> Result<u64, DbError> {
    tx.changed(sql!([tenant], "select 1 from chunk_counts n where n.tenant_id = $1 for update")).await
}

/// Sections after an id, in the order of their ids. Their documents are locked, so that none is retired meanwhile.
pub async fn sections(tx: &mut Tx, tenant: TenantId, after: ChunkId, most: i64) -> Result<Vec<Section>, DbError> {
    tx.rows(sql!(
        [tenant, after, most, stems::RULES],
        r"select c.id, d.title, d.reference, c.heading_path, c.content, d.status
            from chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id and d.valid_to is null
           where c.tenant_id = $1 and c.id > $2 and c.word_rules < $4 order by c.id limit $3 for update of d skip locked"
    ))
    .await
}

/// Removes the words of sections from the search, and from what is counted.
pub async fn drop_words_of_sections(tx: &mut Tx, tenant: TenantId, ids: &[ChunkId]) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, ids],
        r"with gone as (delete from chunk_terms t where t.tenant_id = $1 and t.chunk_id = any($2) returning t.chunk_id, t.tf),
          less as (select count(distinct chunk_id) as chunks, coalesce(sum(tf), 0)::bigint as terms from gone)
          update chunk_counts n set chunks = n.chunks - less.chunks, terms = n.terms - less.terms from less where n.tenant_id = $1"
    ))
    .await
}

/// Says that the words of sections were cut by the rules of today.
pub async fn mark_sections(tx: &mut Tx, tenant: TenantId, ids: &[ChunkId]) -> Result<(), DbError> {
    tx.run(sql!(
        [tenant, ids, stems::RULES],
        "update chunks set word_rules = $3, written = pg_current_xact_id() where tenant_id = $1 and id = any($2)"
    ))
    .await
}

/// Documents of profiles after a key, in the order of their keys.
pub async fn documents(tx: &mut Tx, tenant: TenantId, after: (AgentId, Uuid), most: i64) -> Result<Vec<Document>, DbError> {
    tx.rows(sql!(
        [tenant, after.0, after.1, most, stems::RULES],
        r"select d.agent_id, d.id, d.content, d.metadata from profile_documents d
           where d.tenant_id = $1 and (d.agent_id, d.id) > ($2, $3) and d.word_rules < $5
           order by d.agent_id, d.id limit $4 for update of d skip locked"
    ))
    .await
}

/// Makes the words of a document of a profile findable, instead of its former ones.
pub async fn put_words_of_document(
    tx: &mut Tx,
    tenant: TenantId,
    agent: AgentId,
    id: Uuid,
    terms: BTreeMap<String, u32>,
) -> Result<(), DbError> {
    let length = i32::try_from(terms.values().sum::<u32>()).unwrap_or(i32::MAX);
    let rows: WordRows<Uuid> = [(id, terms)].into_iter().collect();
    tx.run(sql!([tenant, agent, id], "delete from profile_document_terms where tenant_id = $1 and agent_id = $2 and document_id = $3"))
        .await?;
    tx.run(sql!(
        [tenant, agent, id, length, stems::RULES],
        "update profile_documents set length = $4, word_rules = $5 where tenant_id = $1 and agent_id = $2 and id = $3"
    ))
    .await?;
    tx.run(sql!(
        [tenant, agent, id, rows.terms, rows.counts],
        r"insert into profile_document_terms (tenant_id, agent_id, document_id, user_id, term, tf)
          select d.tenant_id, d.agent_id, d.id, d.user_id, t.term, t.tf
            from profile_documents d cross join unnest($4::text[], $5::real[]) as t (term, tf)
           where d.tenant_id = $1 and d.agent_id = $2 and d.id = $3"
    ))
    .await
}

/// Removes the words of some actions or steps from the search, and from what is counted; which ones. They are to be cut by the rules of today.
pub async fn drop_words_of_reports(tx: &mut Tx, tenant: TenantId, of: Reports, most: i64) -> Result<Vec<Uuid>, DbError> {
    let (table, terms) = (of.table(), of.terms());
    let sql = format!(
        r"with old as (select r.id from {table} r where r.tenant_id = $1 and r.searchable and r.word_rules < $2
                        order by r.word_rules limit $3 for update of r skip locked),
          marked as (update {table} r set word_rules = $2 from old o where r.tenant_id = $1 and r.id = o.id returning r.id, r.user_id),
          gone as (delete from {terms} t using marked m where t.tenant_id = $1 and t.id = m.id returning t.id, t.length),
          less as (select m.user_id, count(*) as documents, coalesce(sum(g.length), 0)::bigint as terms
                     from marked m left join (select distinct id, length from gone) g on g.id = m.id group by m.user_id),
          counted as (update activity_counts n set documents = n.documents - l.documents, terms = n.terms - l.terms from less l
                       where n.tenant_id = $1 and n.source = '{table}' and n.user_id is not distinct from l.user_id
                         and n.slot = (select min(o.slot) from activity_counts o where o.tenant_id = $1 and o.source = '{table}'
                                                                                   and o.user_id is not distinct from l.user_id))
          select m.id from marked m"
    );
    // Table names are constants.
    tx.values(statement!(sql, tenant, stems::RULES, most)).await
}
