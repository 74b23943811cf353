//! Gathers the blocks of a context side by side, each within a deadline. What is late or fails is left out, and its name is reported.

use super::block::{Block, Piece};
use super::reports::{action_piece, report_piece};
use super::{Timed, timed};
use crate::activity::{self, SuggestedAction};
use crate::context::items::{Marks, from_memory, line};
use crate::context::profile::profile_blocks;
use crate::knowledge::{self, CandidateQuery, RankedChunk};
use crate::memories::{self, model::Memory};
use crate::ranking::{Ranked, explain};
use crate::recall::{self, Narrowing, PreparedQuestion};
use crate::search::top_reports;
use crate::{memory_block, profile, ranking};
use async_recursion::async_recursion as boxed;
use foundation::op::Actor;
use foundation::registry::Floors;
use foundation::{Engine, Error, OpContext};
use std::collections::HashSet;
use tokio::time::timeout;
use uuid::Uuid;
use wire::{
    AgentId, AssembleRequest, BlockItem, BlockName, ContextDocument, ContextTiers, ContextType, ItemOrigin, KeyScope, KnowledgeHit, Level,
    MatchedBy, MemoryId, MemoryKind, Provenance, RecallFilters, SearchUserContextRequest, SourceTag,
};
use words::bm25::Words;
use words::guard;
use words::stems;

/// Memories of each kind, and parts of documents.
const MOST: usize = 5;
/// Parts of attachments after the facts.
const ATTACHMENTS: usize = 3;
/// Memories of other projects among those of each kind.
const ELSEWHERE: usize = 1;
/// Candidates of the search in memories, of which some are in the memory block already.
const CANDIDATES: usize = 50;

/// Actions that are suggested.
const SUGGESTIONS: usize = 3;

/// The project and the repository that a context is for.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub project: Option<Uuid>,
    pub repo: Option<Uuid>,
}

/// What the server contributes to a context.
#[derive(Default)]
pub(super) struct Gathered {
    pub blocks: Vec<Block>,
    /// The entries of the memory block.
    pub entries: memory_block::Entries,
    /// Blocks and steps that could not be provided, by name, in order.
    pub degraded: Vec<String>,
    /// Steps with their milliseconds.
    pub timings: Vec<(String, f64)>,
}

impl Gathered {
    /// What a source gave; nothing if it is lost, and then `blocks` are missing.
    fn take<T: Default>(&mut self, step: &str, source: Timed<Option<T>>, blocks: &[BlockName]) -> T {
        self.timings.push((step.to_owned(), source.millis));
        source.value.unwrap_or_else(|| {
            self.degraded.extend(blocks.iter().map(ToString::to_string));
            T::default()
        })
    }
}

/// Gathers skills, and as far as the request wants them the memory block, the profile, and what answers the query.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn gather(engine: &Engine, ctx: &OpContext, request: &AssembleRequest, place: Place) -> Gathered {
    let mut gathered = Gathered::default();
    gathered.blocks.extend(skills(engine, ctx, request.role.as_deref(), &mut gathered.degraded));
    match request.tiers {
        ContextTiers::None => {}
        ContextTiers::WorkingMemory => {
            let profile = timed(leg(engine, "profile", profile_blocks(engine, ctx, request.connections.as_deref()))).await;
            let blocks = gathered.take("profile", profile, &[BlockName::WorkingMemory]);
            gathered.blocks.extend(blocks.into_iter().filter(|block| block.name == BlockName::WorkingMemory));
        }
        ContextTiers::All => gather_memory(engine, ctx, request, place, &mut gathered).await,
    }
    gathered
}

/// Gathers everything that memory and knowledge have, side by side.
#[boxed]
async fn gather_memory(engine: &Engine, ctx: &OpContext, request: &AssembleRequest, place: Place, gathered: &mut Gathered) {
    let query = guard::without_secrets(request.query.clone());
    let connections = request.connections.as_deref();
    let filters = RecallFilters { for_project: place.project, for_repo: place.repo, ..RecallFilters::default() };
    let search = async {
        let question = timed(async {
            match request.vectors {
                true => recall::prepare(engine, ctx, &query).await,
                false => recall::prepare_words(engine, ctx, &query).await,
            }
        });
        let Timed { value: question, millis } = question.await;
        let found = timed(leg(engine, "facts, episodes", relevant_memories(engine, ctx, &question, &filters)));
        let chunks = timed(leg(engine, "knowledge", found_chunks(engine, ctx, &question)));
        let documents = timed(leg(engine, "connections", found_documents(engine, ctx, &query, connections, &question)));
        let reports = timed(leg(engine, "reports", top_reports(engine, ctx, &query, &question)));
        let (found, chunks, documents, reports) = tokio::join!(found, chunks, documents, reports);
        (question.degraded, millis, found, chunks, documents, reports)
    };
    let entries = timed(leg(engine, "memory", memory_block::block_entries(engine, ctx, place.project)));
    let profile = timed(leg(engine, "profile", profile_blocks(engine, ctx, connections)));
    // Actions are suggested by words alone, so they do not wait for the vector.
    let actions = timed(leg(engine, "suggested_actions", suggested_actions(engine, ctx, &query)));
    let ((steps, millis, found, chunks, documents, reports), entries, profile, actions) = tokio::join!(search, entries, profile, actions);

    let entries = gathered.take("memory block", entries, &[BlockName::Memory]);
    let of_profile = [BlockName::WorkingMemory, BlockName::StructuredData, BlockName::LearnedInfo];
    let profile = gathered.take("profile", profile, &of_profile);
    gathered.timings.push(("embed the query".into(), millis));
    let found = gathered.take("search memories", found, &[BlockName::Facts, BlockName::Episodes]);
    let chunks = gathered.take("search knowledge", chunks, &[BlockName::Knowledge]);
    let (documents, missing) = gathered.take("search connections", documents, &[BlockName::Connections]);
    let reports = gathered.take("search reports", reports, &[BlockName::Reports]);
    let actions = gathered.take("search actions", actions, &[BlockName::SuggestedActions]);
    gathered.degraded.extend(missing);
    gathered.degraded.extend(steps.iter().map(ToString::to_string));
    let shown: HashSet<Vec<u8>> = entries.memories().map(|memory| memory.content_hash.clone()).collect();
    gathered.blocks.extend(memory_block(&entries, entries.len()));
    gathered.entries = entries;
    gathered.blocks.extend(profile);
    let (attachments, documents): (Vec<_>, Vec<_>) = documents.into_iter().partition(is_attachment);
    gathered.blocks.extend(memory_blocks(found, &attachments, shown));
    gathered.blocks.extend(block(BlockName::Knowledge, chunks.iter().map(chunk_piece).collect()));
    gathered.blocks.extend(block(BlockName::Connections, documents.iter().map(document_piece).collect()));
    gathered.blocks.extend(block(BlockName::Reports, reports.iter().map(report_piece).collect()));
    gathered.blocks.extend(block(BlockName::SuggestedActions, actions.iter().map(action_piece).collect()));
}

/// Runs one source within its deadline; nothing if it fails.
async fn leg<T>(engine: &Engine, name: &'static str, work: impl Future<Output = Result<T, Error>>) -> Option<T> {
    match timeout(engine.settings().source_deadline, work).await {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            tracing::warn!(name, error = %error.chain(), "assembling a context without a block");
            None
        }
        Err(_) => {
            tracing::warn!(name, "assembling a context without a late block");
            None
        }
    }
}

fn block(name: BlockName, pieces: Vec<Piece>) -> Option<Block> {
    (!pieces.is_empty()).then(|| Block::new(name, pieces))
}

/// The skills of the agent in its role.
fn skills(engine: &Engine, ctx: &OpContext, role: Option<&str>, degraded: &mut Vec<String>) -> Option<Block> {
    let Actor::Agent { slug, .. } = &ctx.actor else { return None };
    let skills = engine.skills().skills();
    if !skills.faults.is_empty() {
        degraded.push(BlockName::Skills.to_string());
    }
    let piece = |skill: &crate::skills::Skill| {
        let item = BlockItem { path: Some(skill.path.clone()), ..BlockItem::of(ItemOrigin::Skill) };
        Piece::counted(skill.section(), skill.tokens, vec![item])
    };
    block(BlockName::Skills, skills.all.iter().filter(|skill| skill.is_for(slug, role)).map(piece).collect())
}

/// The memory block of `/api/memory/`, with so many of its entries at most.
pub(super) fn memory_block(entries: &memory_block::Entries, most: usize) -> Option<Block> {
    let (memories, text) = entries.most_used(most);
    let items = memories.into_iter().map(|(memory, provenance)| memory_item(memory, provenance.clone())).collect();
    block(BlockName::Memory, if text.is_empty() { vec![] } else { vec![Piece::paragraph(text.trim_end(), items)] })
}

fn memory_item(memory: &Memory, provenance: Provenance) -> BlockItem {
    BlockItem {
        provenance: Some(provenance),
        memory_id: Some(memory.id),
        agent_id: Some(memory.agent_id),
        short_id: Some(memory.short_id.clone()),
        version: Some(memory.version),
        ..BlockItem::of(ItemOrigin::Memory)
    }
}

/// A memory that answers the query.
struct RelevantMemory {
    memory: Memory,
    text: String,
    item: BlockItem,
    /// Whether it holds for another project than the one that the context is for.
    is_elsewhere: bool,
}

/// The memories that answer the query, best first.
async fn relevant_memories(
    engine: &Engine,
    ctx: &OpContext,
    question: &PreparedQuestion,
    filters: &RecallFilters,
) -> Result<Vec<RelevantMemory>, Error> {
    let (agents, filters) = ([ctx.agent_id()?, ctx.commons_id], Narrowing::Agent(filters));
    let ranked = recall::candidates(engine, ctx, &agents, question, filters, engine.model().floors, CANDIDATES).await?;
    let ids: Vec<MemoryId> = ranked.iter().map(|one| one.candidate.memory.id).collect();
    let (disputes, reviewed) = tokio::try_join!(memories::contradictions(engine, ctx, &ids), memories::reviewed(engine, ctx, &ids))?;
    let now = engine.clock().now();
    let agent = ctx.agent_id()?;
    let found = |ranked: Ranked| {
        let because = explain::sentence(&ranked, &explain::matched(&ranked, &question.prepared.terms), now);
        let Ranked { candidate: ranking::Candidate { memory, .. }, score, is_elsewhere, .. } = ranked;
        let marks = Marks::new(&memory, &reviewed, disputes.get(&memory.id).cloned().unwrap_or_default(), ctx);
        let provenance = marks.provenance.clone();
        let (item, piece) = from_memory(&memory, because, marks, agent);
        let text = line(&item, piece.text(Level::Summary));
        let item = BlockItem {
            source_tag: Some(item.source_tag),
            score: Some(score),
            citation: Some(item.citation),
            because: Some(item.because),
            ..memory_item(&memory, provenance)
        };
        RelevantMemory { memory, text, item, is_elsewhere }
    };
    Ok(ranked.into_iter().map(found).collect())
}

/// Facts and episodes, the best of each, and after the facts what attachments say. No content is repeated, neither that of the memory block (`shown`, by hash) nor another's. Of other
/// projects there is at most one of each, and only where there is room.
fn memory_blocks(found: Vec<RelevantMemory>, attachments: &[ContextDocument], mut shown: HashSet<Vec<u8>>) -> impl Iterator<Item = Block> {
    let (mut facts, mut episodes) = ((Vec::new(), 0), (Vec::new(), 0));
    for RelevantMemory { memory, text, item, is_elsewhere } in found.into_iter().filter(|one| shown.insert(one.memory.content_hash.clone()))
    {
        let (of, elsewhere) = if memory.kind == MemoryKind::Episode { &mut episodes } else { &mut facts };
        *elsewhere += usize::from(is_elsewhere);
        if of.len() < MOST && (!is_elsewhere || *elsewhere <= ELSEWHERE) {
            of.push(Piece::line(&text, item));
        }
    }
    let (mut facts, episodes) = (facts.0, episodes.0);
    facts.extend(attachments.iter().take(ATTACHMENTS).map(document_piece));
    [block(BlockName::Facts, facts), block(BlockName::Episodes, episodes)].into_iter().flatten()
}

/// The parts of documents that answer the query, for keys that may read knowledge.
async fn found_chunks(engine: &Engine, ctx: &OpContext, question: &PreparedQuestion) -> Result<Vec<KnowledgeHit>, Error> {
    if ctx.require(KeyScope::KbRead).is_err() {
        return Ok(vec![]);
    }
    let query = CandidateQuery {
        prepared: &question.prepared,
        kinds: &[],
        categories: &[],
        ranking: recall::RANKING,
        floors: engine.model().floors,
        most: MOST,
        at: None,
    };
    let found = knowledge::candidates(engine, ctx.tenancy(), &query).await?;
    let passed = found.into_iter().filter(RankedChunk::passed).take(MOST);
    Ok(passed.map(|chunk| knowledge::hit(chunk, &question.prepared.terms)).collect())
}

fn chunk_piece(hit: &KnowledgeHit) -> Piece {
    let item = BlockItem {
        document_id: Some(hit.document_id),
        chunk_id: Some(hit.chunk_id),
        source_tag: Some(SourceTag::Canonical),
        score: Some(hit.score),
        citation: Some(hit.citation.clone()),
        because: Some(hit.explanation.clone()),
        ..BlockItem::of(ItemOrigin::Knowledge)
    };
    Piece::quote(&hit.citation, &hit.content, item)
}

/// What the tools of connections can do and hold, and what attachments say, as far as it answers the query, and what the search had to do
/// without. What was learned about them, and the rest of the profile, has blocks of its own.
async fn found_documents(
    engine: &Engine,
    ctx: &OpContext,
    query: &str,
    connections: Option<&[Uuid]>,
    question: &PreparedQuestion,
) -> Result<(Vec<ContextDocument>, Vec<String>), Error> {
    let request = SearchUserContextRequest {
        context_types: vec![ContextType::ToolSchema, ContextType::ToolEntity, ContextType::ToolAttachmentContent],
        connections: connections.map(<[Uuid]>::to_vec),
        ..SearchUserContextRequest::new(query)
    };
    let found = profile::documents::find(engine, ctx, &request, question.prepared.vector.clone()).await?;
    let relevant = found.documents.into_iter().filter(|document| is_relevant(document, engine.model().floors)).take(MOST).collect();
    Ok((relevant, found.degraded))
}

/// What succeeded or failed for similar tasks, as agents of the organisation reported it: those of no user, and those of the user of the operation.
async fn suggested_actions(engine: &Engine, ctx: &OpContext, query: &str) -> Result<Vec<SuggestedAction>, Error> {
    let terms = stems::terms(query);
    let words = Words::new(&terms, std::slice::from_ref(&terms));
    Ok(activity::suggest(engine, ctx, &words, engine.model().floors.lexical, SUGGESTIONS).await?)
}

fn is_relevant(document: &ContextDocument, floors: Floors) -> bool {
    let floor = if document.matched_by == MatchedBy::Vector { floors.vector } else { floors.lexical };
    1.0 - document.distance >= floor
}

fn is_attachment(document: &ContextDocument) -> bool {
    document.metadata.context_type == ContextType::ToolAttachmentContent
}

fn document_piece(document: &ContextDocument) -> Piece {
    let is_file = document.metadata.filename.is_some() || document.metadata.attachment_id.is_some();
    let tool = document.metadata.tool_id.as_deref().unwrap_or(if is_file { "attachment" } else { "tool" });
    let citation = match document.metadata.entity.as_ref().or(document.metadata.filename.as_ref()) {
        Some(name) => format!("{tool}, {name}"),
        None => tool.to_owned(),
    };
    let item =
        BlockItem { score: Some(1.0 - document.distance), citation: Some(citation.clone()), ..BlockItem::of(ItemOrigin::Connection) };
    Piece::quote(&citation, &document.content, item)
}

/// The retrieved memories in blocks: a context counts as an access of them.
pub(super) fn retrieved(blocks: &[Block]) -> Vec<(AgentId, MemoryId)> {
    let retrieved = blocks.iter().filter(|block| matches!(block.name, BlockName::Facts | BlockName::Episodes));
    let items = retrieved.flat_map(|block| block.pieces.iter().flat_map(|piece| &piece.items));
    items.filter_map(|item| item.agent_id.zip(item.memory_id)).collect()
}
