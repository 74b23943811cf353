//! The queries of cutting words again: background work of one organisation, over all its agents and users.

use super::queries::{Query, queries};
use remembrancer::activity::Reports;
use remembrancer::knowledge::store as knowledge;
use remembrancer::reindex::store;
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{AgentId, ChunkId, MemoryId};

/// As if former rules had cut the words.
const MEMORIES_BEFORE: &str = "update agent_memories set word_rules = 1 where tenant_id = $1";
const SECTIONS_BEFORE: &str = "update chunks set word_rules = 1 where tenant_id = $1";
const ACTIONS_BEFORE: &str = "update actions set word_rules = 1 where tenant_id = $1";

fn words() -> BTreeMap<String, u32> {
    [("pier".to_owned(), 1)].into()
}

/// In the database of memories.
pub const REINDEX: &[Query] = queries! {
    "reindex::agents" |tx, c| {
        sqlx::query(MEMORIES_BEFORE).bind(c.tenant).execute(&mut **tx).await?;
        store::agents(tx, c.tenant).await?.len()
    };
    "reindex::memories" |tx, c| {
        sqlx::query(MEMORIES_BEFORE).bind(c.tenant).execute(&mut **tx).await?;
        store::memories(tx, c.tenant, c.agent, MemoryId(Uuid::nil()), 10).await?.len()
    };
    "reindex::documents" |tx, c| store::documents(tx, c.tenant, (AgentId(Uuid::nil()), Uuid::nil()), 10).await?.len();
    "reindex::put_words_of_document" |tx, c| {
        for document in store::documents(tx, c.tenant, (AgentId(Uuid::nil()), Uuid::nil()), 1).await? {
            store::put_words_of_document(tx, c.tenant, document.agent_id, document.id, words()).await?;
        }
        0
    };
};

/// In the database of knowledge.
pub const REINDEX_KB: &[Query] = queries! {
    "reindex::lock_sections_counts" |tx, c| store::lock_sections_counts(tx, c.tenant).await? as usize;
    "reindex::sections" |tx, c| {
        sqlx::query(SECTIONS_BEFORE).bind(c.tenant).execute(&mut **tx).await?;
        store::sections(tx, c.tenant, ChunkId(Uuid::nil()), 10).await?.len()
    };
    "reindex::drop_words_of_sections" |tx, c| {
        store::drop_words_of_sections(tx, c.tenant, &[c.shared.chunk]).await?;
        0
    };
    "reindex::mark_sections" |tx, c| {
        sqlx::query(SECTIONS_BEFORE).bind(c.tenant).execute(&mut **tx).await?;
        store::mark_sections(tx, c.tenant, &[c.shared.chunk]).await?;
        0
    };
    "knowledge::put_words" |tx, c| {
        knowledge::put_words(tx, c.tenant, &[(c.shared.chunk, words())]).await?;
        0
    };
};

/// In the control database.
pub const REINDEX_CONTROL: &[Query] = queries! {
    "reindex::drop_words_of_reports" |tx, c| {
        sqlx::query(ACTIONS_BEFORE).bind(c.tenant).execute(&mut **tx).await?;
        store::drop_words_of_reports(tx, c.tenant, Reports::Actions, 10).await?.len()
    };
};
