//! All SQL of documents: writing them with their words and vectors, and the entities that some of them derive from.

mod search;

pub use search::{FoundDocument, Lookup, by_ids, nearest, unembedded, waiting};

use super::draft::{Draft, UnindexedLeaf, searched_text};
use crate::profile::Subject;
use chrono::{DateTime, Utc};
use db::{DbError, Tenancy, Tx, of_user, same_user, sql, statement};
use foundation::index::{VectorTable, Vectors, WordRows};
use pgvector::HalfVector;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;
use wire::{ConnectionEntity, ContextType};
use words::stems;

/// The tables of documents' vectors.
pub const VECTORS: Vectors = Vectors {
    of_384: VectorTable { table: "profile_embeddings_384", column: "half" },
    of_1536: VectorTable { table: "profile_embeddings_1536", column: "half" },
};

/// Leaves of a subject that have no document: new ones, and imported ones.
pub async fn unindexed_leaves(tx: &mut Tx, tenancy: Tenancy, subject: Subject) -> Result<Vec<UnindexedLeaf>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users],
        r"select l.id, l.part, l.connection_id, l.path, l.value,
                 exists (select from events e where e.tenant_id = $1 and e.agent_id = $2 and e.id = any(l.event_ids)
                            and e.event_type in ('fact', 'preference', 'project_details', 'correction')) as is_provided
            from profile_leaves l
           where l.tenant_id = $1 and l.agent_id = $2 and ",
        same_user!("l", "$3"),
        r" and l.state = 'shown'
             and not exists (select from profile_documents d where d.tenant_id = $1 and d.agent_id = $2 and d.origin_id = l.id) and ",
        of_user!("l", "$4"),
        " order by l.id"
    ))
    .await
}

/// Connections of a subject whose schema is in date and has no document, with name and schema.
pub async fn unindexed_schemas(
    tx: &mut Tx,
    tenancy: Tenancy,
    subject: Subject,
    now: DateTime<Utc>,
) -> Result<Vec<(Uuid, String, Value)>, DbError> {
    tx.rows(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users, now],
        r"select c.id, c.name, c.tool_schema from connections c
           where c.tenant_id = $1 and c.agent_id = $2 and ",
        same_user!("c", "$3"),
        r" and c.schema_expires_at > $5
             and not exists (select from profile_documents d
                              where d.tenant_id = $1 and d.agent_id = $2 and d.origin_id = c.id and d.user_id is not distinct
                                   from c.user_id)
             and ",
        of_user!("c", "$4"),
        " order by c.id"
    ))
    .await
}

/// Stores documents with their words. One that is there already derives from the new origin from now on and keeps its vector. Returns the
/// keys of all, and whether any is new.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agent = %subject.agent_id, drafts = drafts.len()))]
pub async fn put_documents(
    tx: &mut Tx,
    tenancy: Tenancy,
    subject: Subject,
    drafts: &[(Uuid, Draft)],
    now: DateTime<Utc>,
) -> Result<(Vec<Uuid>, bool), DbError> {
    // In the order of the keys, so that two writers wait for each other in one order.
    let by_key: BTreeMap<Uuid, &(Uuid, Draft)> = drafts.iter().rev().map(|one| (one.1.key(subject.user_id), one)).collect();
    let (mut rows, mut terms) = (Vec::with_capacity(by_key.len()), Vec::with_capacity(by_key.len()));
    for (key, (id, draft)) in &by_key {
        let counts = stems::terms(&searched_text(&draft.details, &draft.content));
        rows.push(json!({
            "id": id, "document_key": key, "context_type": draft.context_type, "context_source": draft.source,
            "connection_id": draft.connection_id, "origin_id": draft.origin_id, "starts": draft.span.0, "ends": draft.span.1,
            "content": draft.content, "metadata": draft.details, "length": counts.values().sum::<u32>(),
        }));
        terms.push((*id, counts));
    }
    let stored: Vec<(Uuid, bool)> = tx
        .rows(sql!(
            [tenancy.tenant, subject.agent_id, subject.user_id, Value::from(rows), now, stems::RULES],
            r"insert into profile_documents (tenant_id, agent_id, id, user_id, document_key, context_type, context_source,
                 connection_id, origin_id,
                                         starts, ends, content, metadata, length, created_at, word_rules)
          select $1, $2, r.id, $3, r.document_key, r.context_type, r.context_source, r.connection_id, r.origin_id, r.starts, r.ends,
               r.content,
                 r.metadata, r.length, $5, $6
            from jsonb_populate_recordset(null::profile_documents, $4) r order by r.document_key
          on conflict (tenant_id, agent_id, user_id, document_key) do update
             set origin_id = excluded.origin_id, starts = excluded.starts, ends = excluded.ends
           where profile_documents.tenant_id = excluded.tenant_id
          returning id, xmax = 0"
        ))
        .await?;
    let new: HashSet<Uuid> = stored.iter().filter(|(_, is_new)| *is_new).map(|(id, _)| *id).collect();
    let words: WordRows<Uuid> = terms.into_iter().filter(|(id, _)| new.contains(id)).collect();
    tx.run(sql!(
        [tenancy.tenant, subject.agent_id, words.ids, words.terms, words.counts],
        r"insert into profile_document_terms (tenant_id, agent_id, document_id, user_id, term, tf)
          select d.tenant_id, d.agent_id, d.id, d.user_id, t.term, t.tf
            from unnest($3::uuid[], $4::text[], $5::real[]) as t (id, term, tf)
            join profile_documents d on d.tenant_id = $1 and d.agent_id = $2 and d.id = t.id"
    ))
    .await?;
    Ok((by_key.into_keys().collect(), !new.is_empty()))
}

/// Removes the documents of one type that a connection has, except those with some keys.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agent = %subject.agent_id, kept = kept.len()))]
pub async fn drop_documents(
    tx: &mut Tx,
    tenancy: Tenancy,
    subject: Subject,
    context_type: ContextType,
    connection: Uuid,
    kept: &[Uuid],
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users, context_type, connection, kept],
        r"delete from profile_documents d
           where d.tenant_id = $1 and d.agent_id = $2 and ",
        same_user!("d", "$3"),
        r" and d.context_type = $5 and d.connection_id = $6
             and d.document_key <> all($7) and ",
        of_user!("d", "$4")
    ))
    .await
}

/// Stores the vectors of documents that are still there.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agent = %subject.agent_id, vectors = vectors.len()))]
pub async fn put_vectors(
    tx: &mut Tx,
    tenancy: Tenancy,
    subject: Subject,
    model: &str,
    vectors: &[(Uuid, Vec<f32>)],
) -> Result<(), DbError> {
    for (id, vector) in vectors {
        let (table, of_user) = (VECTORS.of(vector.len())?.table, of_user!("d", "$5"));
        let sql = format!(
            r"insert into {table} (tenant_id, agent_id, document_id, model, user_id, half)
              select d.tenant_id, d.agent_id, d.id, $4, d.user_id, $6 from profile_documents d
               where d.tenant_id = $1 and d.agent_id = $2 and d.id = $3 and {of_user} for key share
              on conflict (tenant_id, agent_id, document_id, model) do nothing"
        );
        // The table is one of the literals above.
        tx.run(statement!(sql, tenancy.tenant, subject.agent_id, id, model, tenancy.users, HalfVector::from_f32_slice(vector))).await?;
    }
    Ok(())
}

/// Locks a source until the transaction ends, so that it is not erased meanwhile; whether it is there and still has this text.
pub async fn hold_source(tx: &mut Tx, tenancy: Tenancy, subject: Subject, source: Uuid, text: &str) -> Result<bool, DbError> {
    let held: Option<i32> = tx
        .value_if_any(sql!(
            [tenancy.tenant, subject.agent_id, source, tenancy.users, subject.user_id, text],
            r"select 1 from sources s
           where s.tenant_id = $1 and s.agent_id = $2 and s.id = $3 and s.content = $6 and ",
            same_user!("s", "$5"),
            " and ",
            of_user!("s", "$4"),
            " for key share"
        ))
        .await?;
    Ok(held.is_some())
}

/// Replaces the entities of a connection by others with their ids.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %tenancy.tenant, agent = %subject.agent_id, entities = entities.len()))]
pub async fn put_entities(
    tx: &mut Tx,
    tenancy: Tenancy,
    subject: Subject,
    connection: Uuid,
    entities: &[(Uuid, ConnectionEntity)],
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    tx.run(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users, connection],
        r"delete from connection_entities e
           where e.tenant_id = $1 and e.agent_id = $2 and ",
        same_user!("e", "$3"),
        r" and e.connection_id = $5 and ",
        of_user!("e", "$4")
    ))
    .await?;
    let rows: Vec<Value> = entities
        .iter()
        .map(|(id, entity)| json!({ "id": id, "key": entity.key, "content": entity.content, "message_id": entity.message_id }))
        .collect();
    tx.run(statement!(
        r"insert into connection_entities (tenant_id, agent_id, id, user_id, connection_id, key, content, message_id, created_at)
          select $1, $2, r.id, $3, $4, r.key, r.content, r.message_id, $6 from jsonb_populate_recordset(null::connection_entities, $5) r
          on conflict (tenant_id, agent_id, id) do nothing",
        tenancy.tenant,
        subject.agent_id,
        subject.user_id,
        connection,
        Value::from(rows),
        now,
    ))
    .await
}

/// Those of some connections that a subject has: that were stored, or that something was learned about.
pub async fn known_connections(tx: &mut Tx, tenancy: Tenancy, subject: Subject, ids: &[Uuid]) -> Result<Vec<Uuid>, DbError> {
    tx.values(sql!(
        [tenancy.tenant, subject.agent_id, subject.user_id, tenancy.users, ids],
        r"select c.id from connections c
           where c.tenant_id = $1 and c.agent_id = $2 and ",
        same_user!("c", "$3"),
        r" and c.id = any($5) and ",
        of_user!("c", "$4"),
        r" union
          select l.connection_id from profile_leaves l
           where l.tenant_id = $1 and l.agent_id = $2 and ",
        same_user!("l", "$3"),
        r" and l.connection_id = any($5) and ",
        of_user!("l", "$4")
    ))
    .await
}
