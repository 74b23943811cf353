//! Vocabulary and knowledge of a file: staged, compared as a whole with the existing ones, and merged. The check does the same as the
//! import and rolls it back, so it finds every failure and counts every change.

use super::lines::Section;
use super::read::{Batch, at};
use super::store::{self, ChunkWords, MissingChunk};
use super::{import, put};
use chrono::{DateTime, Utc};
use db::{Tx, lift_statement_timeout};
use foundation::jobs::{self, NewEvent, Task};
use foundation::{Engine, Error, OpContext};
use remembrancer::knowledge;
use remembrancer::vocabulary;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use wire::{Area, DocumentId, ImportCount, ImportReport};
use words::stems;

/// The vocabulary and the knowledge of a file, on their way into the database.
pub struct Shared<'a> {
    engine: &'a Engine,
    ctx: &'a OpContext,
    /// False: everything is rolled back.
    keep: bool,
    /// When the file was written.
    moment: DateTime<Utc>,
    /// The area whose lines are being read, and the transaction that holds them.
    open: Option<(Area, Tx)>,
    staged: BTreeMap<Section, u64>,
}

impl<'a> Shared<'a> {
    /// For an import that is kept, or for a check.
    pub fn new(engine: &'a Engine, ctx: &'a OpContext, keep: bool, moment: DateTime<Utc>) -> Self {
        Self { engine, ctx, keep, moment, open: None, staged: BTreeMap::new() }
    }

    /// Merges the staged lines before lines of type `next` or the end of the file: now they are complete.
    ///
    /// # Errors
    /// `Invalid`, naming the line, if it contradicts existing records.
    pub async fn before(&mut self, next: Option<Section>, report: &mut ImportReport) -> Result<(), Error> {
        let area = next.map(Section::area);
        let whole = match self.open.as_ref().map(|(area, _)| *area) {
            Some(Area::Knowledge) => next != Some(Section::Document),
            open => open != area,
        };
        if whole && !self.staged.is_empty() {
            self.merge(report).await?;
        }
        if let Some((_, tx)) = self.open.take_if(|(open, _)| Some(*open) != area) {
            tx.rollback().await?;
        }
        Ok(())
    }

    /// Stages or writes one batch of lines.
    ///
    /// # Errors
    /// As [`Shared::before`].
    pub async fn take(&mut self, batch: &Batch, report: &mut ImportReport) -> Result<(), Error> {
        match batch.section {
            Section::Chunk => self.chunks(batch, report).await,
            Section::Component => self.components(batch, report).await,
            _ => self.stage(batch).await,
        }
    }

    async fn begin(&self) -> Result<Tx, Error> {
        let mut tx = self.engine.db().kb.begin(self.ctx.tenancy()).await?;
        lift_statement_timeout(&mut tx).await?;
        Ok(tx)
    }

    async fn stage(&mut self, batch: &Batch) -> Result<(), Error> {
        if self.open.is_none() {
            let mut tx = self.begin().await?;
            match batch.section.area() {
                Area::Knowledge => store::begin_knowledge(&mut tx).await?,
                Area::Memory | Area::Vocabulary | Area::Activity => store::begin_vocabulary(&mut tx).await?,
            }
            self.open = Some((batch.section.area(), tx));
        }
        let Some((_, tx)) = &mut self.open else { return Ok(()) };
        let mut rows = put::rows(batch, None)?;
        for (row, (line, _)) in rows.as_array_mut().into_iter().flatten().zip(&batch.lines) {
            row["line"] = (*line).into();
            row["tenant_id"] = self.ctx.tenant_id.to_string().into();
        }
        store::stage(tx, batch.section, &rows).await?;
        *self.staged.entry(batch.section).or_default() += batch.lines.len() as u64;
        Ok(())
    }

    async fn merge(&mut self, report: &mut ImportReport) -> Result<(), Error> {
        let staged = std::mem::take(&mut self.staged);
        let Some((area, mut tx)) = self.open.take() else { return Ok(()) };
        store::adopt_times(&mut tx, self.ctx.tenant_id, area, self.moment).await?;
        let merged = match area {
            Area::Knowledge => merge_documents(self.ctx, &mut tx).await?,
            Area::Memory | Area::Vocabulary | Area::Activity => merge_vocabulary(self.engine, self.ctx, &mut tx).await?,
        };
        for (section, lines) in staged {
            let (updated, added) = merged.get(&section).copied().unwrap_or_default();
            count(report, section, lines, added, updated);
        }
        match (self.keep, area) {
            (true, _) => {
                tx.commit().await?;
                // The memories that follow are compared with the new vocabulary.
                self.engine.vocabulary().outdate(self.ctx.tenant_id);
            }
            // Chunks and components are compared with the documents of the file.
            (false, Area::Knowledge) => self.open = Some((area, tx)),
            (false, _) => tx.rollback().await?,
        }
        Ok(())
    }

    async fn chunks(&mut self, batch: &Batch, report: &mut ImportReport) -> Result<(), Error> {
        let (tenant, lines) = (self.ctx.tenant_id, batch.lines.len() as u64);
        let rows = put::rows(batch, None)?;
        if let Some((_, tx)) = &mut self.open {
            refuse_other_chunks(self.ctx, tx, batch, &rows).await?;
            count(report, Section::Chunk, lines, store::missing_chunks(tx, tenant, &rows).await?.len() as u64, 0);
            return Ok(());
        }
        let mut tx = self.begin().await?;
        knowledge::store::lock_knowledge(&mut tx, tenant).await?;
        refuse_other_chunks(self.ctx, &mut tx, batch, &rows).await?;
        let missing = store::missing_chunks(&mut tx, tenant, &rows).await?;
        let found: Vec<&MissingChunk> = missing.iter().filter(|chunk| chunk.in_force && knowledge::is_found(&chunk.status)).collect();
        let words: Vec<ChunkWords> = found.iter().map(|chunk| words_of(chunk)).collect();
        store::put_chunks(&mut tx, tenant, &rows, &words).await?;
        let documents: BTreeSet<DocumentId> = found.iter().map(|chunk| chunk.document_id).collect();
        for id in documents {
            let event = NewEvent::pending(self.engine, Task::EmbedDocument, json!({ "document_id": id }));
            jobs::store::insert(&mut tx, tenant, self.ctx.commons_id, &event).await?;
        }
        tx.commit().await?;
        count(report, Section::Chunk, lines, missing.len() as u64, 0);
        Ok(())
    }

    async fn components(&mut self, batch: &Batch, report: &mut ImportReport) -> Result<(), Error> {
        let (tenant, lines) = (self.ctx.tenant_id, batch.lines.len() as u64);
        let rows = put::rows(batch, None)?;
        if let Some((_, tx)) = &mut self.open {
            count(report, Section::Component, lines, store::missing_components(tx, tenant, &rows).await?.unsigned_abs(), 0);
            return Ok(());
        }
        let mut tx = self.begin().await?;
        knowledge::store::lock_knowledge(&mut tx, tenant).await?;
        let missing = store::missing_components(&mut tx, tenant, &rows).await?.unsigned_abs();
        store::put_components(&mut tx, tenant, &rows).await?;
        tx.commit().await?;
        count(report, Section::Component, lines, missing, 0);
        Ok(())
    }
}

/// How many lines of a type were brought forward, and how many added.
type Merged = BTreeMap<Section, (u64, u64)>;

fn count(report: &mut ImportReport, section: Section, lines: u64, added: u64, updated: u64) {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let unchanged = number(lines.saturating_sub(added + updated));
    import::add(report, section, ImportCount { added: number(added), updated: number(updated), unchanged });
}

fn refuse(line: Option<i64>, message: impl Into<String>) -> Result<(), Error> {
    match line.and_then(|line| u64::try_from(line).ok()) {
        Some(line) => Err(at(line, Error::invalid("", message))),
        None => Ok(()),
    }
}

const ANOTHER_PAST: &str = "conflicts with the history on this server: it was changed on both sides";

async fn merge_vocabulary(engine: &Engine, ctx: &OpContext, tx: &mut Tx) -> Result<Merged, Error> {
    let (tenant, by) = (ctx.tenant_id, ctx.actor.name());
    vocabulary::store::lock_vocabulary(tx, tenant).await?;
    refuse(store::differing_vocabulary(tx, tenant).await?, ANOTHER_PAST)?;
    refuse(store::undone_by_nothing(tx).await?, "undone_by names a decision that is not in this file")?;
    refuse(store::open_twice(tx).await?, "phrase repeats an open proposal of an earlier line")?;
    let closed = store::close_rows(tx, tenant).await?;
    if let Some((line, phrase, owner)) = store::taken_phrase(tx, tenant).await? {
        refuse(Some(line), format!("has the phrase “{phrase}”, which already stands for “{owner}”"))?;
    }
    let (twice, homeless) = store::misnamed(tx, tenant).await?;
    refuse(twice, "is in force, but another name of the same term is in force, too")?;
    refuse(homeless, "would leave an alias in force although its term is not in force")?;
    let added = store::add_rows(tx, tenant, by).await?;
    let decisions = store::merge_decisions(tx, tenant, by).await?;
    let proposals = (store::forward_proposals(tx, tenant).await?, store::add_proposals(tx, tenant, by).await?);
    let memories = store::add_proposal_memories(tx, tenant).await?;
    store::settle_proposals(tx, tenant).await?;
    if closed.0 + closed.1 + added.0 + added.1 > 0 {
        vocabulary::store::next_version(tx, tenant, engine.clock().now()).await?;
    }
    if added.0 > 0 {
        let event = NewEvent::pending(engine, Task::EmbedTerms, json!({}));
        jobs::store::insert(tx, tenant, ctx.commons_id, &event).await?;
    }
    Ok(Merged::from([
        (Section::Term, (closed.0, added.0)),
        (Section::Alias, (closed.1, added.1)),
        (Section::Decision, decisions),
        (Section::Proposal, proposals),
        (Section::ProposalMemory, (0, memories)),
    ]))
}

async fn merge_documents(ctx: &OpContext, tx: &mut Tx) -> Result<Merged, Error> {
    let (tenant, by) = (ctx.tenant_id, ctx.actor.name());
    knowledge::store::lock_knowledge(tx, tenant).await?;
    refuse(store::differing_documents(tx, tenant).await?, ANOTHER_PAST)?;
    let ended = store::ended_documents(tx, tenant).await?;
    for (id, when) in &ended {
        knowledge::store::retire(tx, tenant, *id, *when).await?;
    }
    store::leave_known(tx, tenant).await?;
    if let Some((line, path)) = store::taken_path(tx, tenant).await? {
        refuse(Some(line), format!("is {path}, but another text is in force at this path"))?;
    }
    let added = store::add_documents(tx, tenant, by).await?;
    Ok(Merged::from([(Section::Document, (ended.len() as u64, added))]))
}

async fn refuse_other_chunks(ctx: &OpContext, tx: &mut Tx, batch: &Batch, rows: &Value) -> Result<(), Error> {
    let Some(id) = store::differing_chunk(tx, ctx.tenant_id, rows).await? else { return Ok(()) };
    Err(at(batch.line_of(&id.to_string()), Error::invalid("", ANOTHER_PAST)))
}

fn words_of(chunk: &MissingChunk) -> ChunkWords {
    let text = knowledge::searched_text(chunk.reference.as_deref(), &chunk.title, &chunk.heading_path, &chunk.content);
    ChunkWords { id: chunk.id, terms: stems::terms(&text).into_iter().collect() }
}
