//! Cutting the words of stored texts again, after the rules for words have changed (`words::stems::RULES`). The rows say by which rules their
//! words were cut, so a process that is killed loses nothing, and the next one goes on.

pub mod store;

use crate::activity::Reports;
use crate::activity::store::{self as reports, Text};
use crate::knowledge::{self, store as sections};
use crate::memories::store as memories;
use crate::profile::documents;
use db::{Tenancy, Users};
use foundation::{Engine, Error, OpContext};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, ChunkId, MemoryId, UserId};
use words::stems;

/// Texts of one transaction: few enough that a writer who needs the same counts hardly waits.
const BATCH: i64 = 50;

/// Cuts the words of an organisation's memories, sections of documents, documents of profiles, actions and steps again that were cut by former
/// rules; how many texts. It ends early when it is stopped. A text that somebody is changing is left to the next call.
///
/// # Errors
/// When a database is out of reach: what is done stays.
#[verb]
pub async fn reindex(engine: &Engine, ctx: &OpContext, stop: &CancellationToken) -> Result<usize, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let agents = store::agents(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let mut count = 0;
    for agent in agents {
        let mut next = Some(MemoryId(Uuid::nil()));
        while let Some(after) = next.filter(|_| !stop.is_cancelled()) {
            let cut = memories_after(engine, ctx, agent, after).await?;
            (count, next) = (count + cut.len(), cut.last().copied());
        }
    }
    let mut next = Some(ChunkId(Uuid::nil()));
    while let Some(after) = next.filter(|_| !stop.is_cancelled()) {
        let cut = sections_after(engine, ctx, after).await?;
        (count, next) = (count + cut.len(), cut.last().copied());
    }
    let mut next = Some((AgentId(Uuid::nil()), Uuid::nil()));
    while let Some(after) = next.filter(|_| !stop.is_cancelled()) {
        let cut = documents_after(engine, ctx, after).await?;
        (count, next) = (count + cut.len(), cut.last().copied());
    }
    for of in [Reports::Actions, Reports::Steps] {
        let mut cut = 1;
        while cut > 0 && !stop.is_cancelled() {
            cut = some_reports(engine, ctx, of).await?;
            count += cut;
        }
    }
    Ok(count)
}

/// Some live memories of an agent after an id.
async fn memories_after(engine: &Engine, ctx: &OpContext, agent: AgentId, after: MemoryId) -> Result<Vec<MemoryId>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    // The counts first, as all who change many memories do.
    memories::lock_counts(&mut tx, ctx.tenancy(), &[agent]).await?;
    let batch = store::memories(&mut tx, ctx.tenant_id, agent, after, BATCH).await?;
    for memory in &batch {
        memories::put_words(&mut tx, ctx.tenancy(), agent, memory.id, &memory.topic, &memory.wording()).await?;
    }
    tx.commit().await?;
    Ok(batch.into_iter().map(|memory| memory.id).collect())
}

/// Some sections of documents in force after an id.
async fn sections_after(engine: &Engine, ctx: &OpContext, after: ChunkId) -> Result<Vec<ChunkId>, Error> {
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    // The counts first, so that an ingestion waits here or not at all.
    store::lock_sections_counts(&mut tx, ctx.tenant_id).await?;
    let batch = store::sections(&mut tx, ctx.tenant_id, after, BATCH).await?;
    let ids: Vec<ChunkId> = batch.iter().map(|section| section.id).collect();
    store::drop_words_of_sections(&mut tx, ctx.tenant_id, &ids).await?;
    // Nobody finds a draft, so it has no words.
    let found = batch.iter().filter(|section| knowledge::is_found(&section.status));
    let words: Vec<(ChunkId, BTreeMap<String, u32>)> = found.map(|section| (section.id, stems::terms(&section.searched_text()))).collect();
    sections::put_words(&mut tx, ctx.tenant_id, &words).await?;
    store::mark_sections(&mut tx, ctx.tenant_id, &ids).await?;
    tx.commit().await?;
    Ok(ids)
}

/// Some documents of profiles after a key.
async fn documents_after(engine: &Engine, ctx: &OpContext, after: (AgentId, Uuid)) -> Result<Vec<(AgentId, Uuid)>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let batch = store::documents(&mut tx, ctx.tenant_id, after, BATCH).await?;
    for document in &batch {
        let terms = stems::terms(&documents::searched_text(&document.metadata, &document.content));
        store::put_words_of_document(&mut tx, ctx.tenant_id, document.agent_id, document.id, terms).await?;
    }
    tx.commit().await?;
    Ok(batch.into_iter().map(|document| (document.agent_id, document.id)).collect())
}

/// Some actions or steps; how many.
async fn some_reports(engine: &Engine, ctx: &OpContext, of: Reports) -> Result<usize, Error> {
    let mut tx = engine.db().control.begin(ctx.tenancy()).await?;
    let ids = store::drop_words_of_reports(&mut tx, ctx.tenant_id, of, BATCH).await?;
    let mut texts: BTreeMap<Option<UserId>, Vec<Text>> = BTreeMap::new();
    for report in reports::by_ids(&mut tx, ctx.tenancy(), of, &ids).await? {
        texts.entry(report.user_id).or_default().push(Text::new(report.id, report.indexed_kind(), &report.searched_text()));
    }
    for (user, texts) in texts {
        reports::put_words(&mut tx, Tenancy { users: Users::from(user), ..ctx.tenancy() }, of, &texts).await?;
    }
    tx.commit().await?;
    Ok(ids.len())
}
