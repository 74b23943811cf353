//! The queries of a change of the embedding model: background work of one organisation, over all its agents and users.

use super::queries::{FLOORS, Query, queries};
use foundation::registry::EmbeddingModel;
use remembrancer::model_change::store;
use uuid::Uuid;
use wire::{AgentId, ChunkId, MemoryId, TermId};

/// The model of the fixture's vectors.
const FIXTURE: &str = "all-MiniLM-L6-v2";

fn model(name: &str) -> EmbeddingModel {
    EmbeddingModel {
        name: name.to_owned(),
        dimension: 384,
        dedup_threshold: 0.9,
        suggestion_threshold: 0.8,
        related_threshold: 0.6,
        term_threshold: 0.5,
        floors: FLOORS,
    }
}

/// In the database of memories.
pub const MODEL_CHANGE: &[Query] = queries! {
    "model_change::memories_without" |tx, c|
        store::memories_without(tx, c.tenant, &model("another"), (AgentId(Uuid::nil()), MemoryId(Uuid::nil())), 10).await?.len();
    "model_change::documents_without" |tx, c|
        store::documents_without(tx, c.tenant, &model("another"), (AgentId(Uuid::nil()), Uuid::nil()), 10).await?.len();
    "model_change::count_memories" |tx, c| store::count_memories(tx, c.tenant, &model(FIXTURE)).await?.total as usize;
    "model_change::count_documents" |tx, c| store::count_documents(tx, c.tenant, &model(FIXTURE)).await?.total as usize;
    "model_change::mark_awaiting_memories" |tx, c| store::mark_awaiting_memories(tx, c.tenant, &model("another")).await? as usize;
    "model_change::drop_memory_vectors" |tx, c| store::drop_memory_vectors(tx, c.tenant, &model(FIXTURE), 10).await? as usize;
};

/// In the database of knowledge.
pub const MODEL_CHANGE_KB: &[Query] = queries! {
    "model_change::sections_without" |tx, c|
        store::sections_without(tx, c.tenant, &model("another"), ChunkId(Uuid::nil()), 10).await?.len();
    "model_change::terms_without" |tx, c| store::terms_without(tx, c.tenant, &model("another"), TermId(Uuid::nil()), 10).await?.len();
    "model_change::count_sections" |tx, c| store::count_sections(tx, c.tenant, &model(FIXTURE)).await?.total as usize;
    "model_change::count_terms" |tx, c| store::count_terms(tx, c.tenant, &model(FIXTURE)).await?.total as usize;
    "model_change::mark_awaiting_sections" |tx, c| store::mark_awaiting_sections(tx, c.tenant, &model("another")).await? as usize;
    "model_change::drop_knowledge_vectors" |tx, c| store::drop_knowledge_vectors(tx, c.tenant, &model(FIXTURE), 10).await? as usize;
};
