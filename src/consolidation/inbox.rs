//! The inbox as a person reads it: candidates beside the places that they come from.

use super::store::{self, End, OpenSuggestion};
use crate::erasure;
use crate::memories::model::Memory;
use crate::memories::{slugs, store as memories};
use db::Tx;
use db::cursor::{Cursor, Seek};
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::HashMap;
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, BULK_MAX, ErasureId, InboxFilter, InboxItem, InboxQuote, InboxSuggestion, MemoryEvidence, MemoryId, Page, TOPIC_MAX};

/// Candidates on one page.
const PAGE: usize = 25;
/// Places that a candidate shows.
const QUOTES: i64 = 5;
/// Bytes of text before and after a place.
const AROUND: i32 = 200;

/// A page of candidates, oldest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid filter or cursor.
#[verb(role = Viewer)]
pub async fn inbox(engine: &Engine, ctx: &OpContext, filter: &InboxFilter) -> Result<Page<InboxItem>, Error> {
    Checks::default().optional_text("q", filter.q.as_deref(), TOPIC_MAX).done()?;
    let seek = Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let total = store::count(&mut tx, ctx.tenant_id, filter).await?;
    let memories = store::list(&mut tx, ctx.tenant_id, filter, &seek, PAGE).await?;
    let page = seek.page(memories, PAGE, total, |memory: &Memory| Cursor { key: memory.created_at, id: memory.id.0 });
    let Page { rows, next, previous, total } = page;
    let rows = described(&mut tx, ctx, rows, &slugs).await?;
    tx.commit().await?;
    Ok(Page { rows, next, previous, total })
}

/// Candidates by id, decided or not, in the order of `ids`; ids that name none of the tenant's memories are left out.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for more than 100 ids.
#[verb(role = Viewer)]
pub async fn items(engine: &Engine, ctx: &OpContext, ids: &[MemoryId]) -> Result<Vec<InboxItem>, Error> {
    let message = format!("names {} candidates; at most {BULK_MAX} are allowed", ids.len());
    Checks::default().that(ids.len() <= BULK_MAX, "ids", message).done()?;
    let slugs = slugs(engine, ctx).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut memories = memories::by_ids(&mut tx, ctx.tenancy(), None, ids, false).await?;
    memories.sort_by_key(|memory| ids.iter().position(|id| *id == memory.id));
    let items = described(&mut tx, ctx, memories, &slugs).await?;
    tx.commit().await?;
    Ok(items)
}

/// The places in sources that say what some memories say, with the text around them: by memory, newest first.
#[verb(role = Viewer, ids = ids.len())]
pub async fn quotes(engine: &Engine, ctx: &OpContext, ids: &[MemoryId]) -> Result<Vec<(MemoryId, InboxQuote)>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let mut quotes = Vec::new();
    for (id, evidence) in memories::evidence_of(&mut tx, ctx.tenancy(), ids, QUOTES).await? {
        quotes.push((id, in_context(&mut tx, ctx, evidence).await?));
    }
    tx.commit().await?;
    Ok(quotes)
}

async fn described(tx: &mut Tx, ctx: &OpContext, memories: Vec<Memory>, slugs: &HashMap<AgentId, String>) -> Result<Vec<InboxItem>, Error> {
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    let suggestions = store::suggestions_of(tx, ctx.tenancy(), &ids).await?;
    let others: Vec<MemoryId> =
        suggestions.iter().flat_map(|suggestion| [suggestion.from.id, suggestion.to.id]).filter(|id| !ids.contains(id)).collect();
    let all: Vec<MemoryId> = ids.iter().chain(&others).copied().collect();
    let mut evidence: HashMap<MemoryId, Vec<MemoryEvidence>> = HashMap::new();
    for (id, one) in memories::evidence_of(tx, ctx.tenancy(), &all, QUOTES).await? {
        evidence.entry(id).or_default().push(one);
    }
    let uuids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let erased: HashMap<Uuid, ErasureId> = erasure::store::erased_by(tx, ctx.tenant_id, &uuids).await?.into_iter().collect();
    let mut items = Vec::with_capacity(memories.len());
    for memory in memories {
        let mut quotes = Vec::new();
        for one in evidence.get(&memory.id).cloned().unwrap_or_default() {
            quotes.push(in_context(tx, ctx, one).await?);
        }
        let own = suggestions.iter().filter(|suggestion| memory.id == suggestion.from.id || memory.id == suggestion.to.id);
        let suggestions = own.map(|suggestion| seen_from(suggestion, &memory, &evidence)).collect();
        let erased_by = erased.get(&memory.id.0).copied();
        items.push(InboxItem { erased_by, ..item(memory, quotes, suggestions, slugs) });
    }
    Ok(items)
}

fn seen_from(suggestion: &OpenSuggestion, memory: &Memory, evidence: &HashMap<MemoryId, Vec<MemoryEvidence>>) -> InboxSuggestion {
    let outgoing = suggestion.from.id == memory.id;
    let End { id, short_id, version, content, status, .. } = if outgoing { suggestion.to.clone() } else { suggestion.from.clone() };
    InboxSuggestion {
        id: suggestion.id,
        relation: suggestion.relation,
        outgoing,
        reason: suggestion.reason.clone(),
        other_id: id,
        other_short_id: short_id,
        other_version: version,
        other_content: content,
        other_status: status,
        other_quote: evidence.get(&id).and_then(|places| places.first().cloned()),
    }
}

/// A place with the text around it: whole lines if there are any, else words, and never a part of a character.
async fn in_context(tx: &mut Tx, ctx: &OpContext, evidence: MemoryEvidence) -> Result<InboxQuote, Error> {
    let (before, after) = store::surroundings(tx, ctx.tenancy(), &evidence, AROUND).await?;
    let starts_whole = evidence.starts <= AROUND;
    Ok(InboxQuote { before: before_words(&before, starts_whole), after: after_words(&after), evidence })
}

fn before_words(bytes: &[u8], is_whole: bool) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches(char::REPLACEMENT_CHARACTER);
    if is_whole {
        return text.trim_start().to_owned();
    }
    match text.find('\n') {
        Some(line) => text.get(line..).unwrap_or_default().trim_start().to_owned(),
        None => format!("…{}", text.get(text.find(char::is_whitespace).unwrap_or(0)..).unwrap_or_default()),
    }
}

fn after_words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    if bytes.len() < usize::try_from(AROUND).unwrap_or(usize::MAX) {
        return text.trim_end().to_owned();
    }
    match text.rfind('\n') {
        Some(line) => text.get(..line).unwrap_or_default().trim_end().to_owned(),
        None => format!("{}…", text.get(..text.rfind(char::is_whitespace).unwrap_or(text.len())).unwrap_or_default().trim_end()),
    }
}

fn item(memory: Memory, quotes: Vec<InboxQuote>, suggestions: Vec<InboxSuggestion>, slugs: &HashMap<AgentId, String>) -> InboxItem {
    InboxItem {
        id: memory.id,
        agent_slug: slugs.get(&memory.agent_id).cloned().unwrap_or_else(|| memory.agent_id.to_string()),
        agent_id: memory.agent_id,
        short_id: memory.short_id,
        version: memory.version,
        user_id: memory.user_id,
        kind: memory.kind,
        category: memory.category,
        subject: memory.subject,
        scope: memory.scope,
        project_id: memory.project_id,
        topic: memory.topic,
        is_canonical: memory.is_canonical,
        content: memory.content,
        rationale: memory.rationale,
        alternatives: memory.alternatives.unwrap_or_default(),
        confidence: memory.confidence,
        importance: memory.importance,
        observed_at: memory.observed_at,
        created_at: memory.created_at,
        status: memory.status,
        deleted: memory.deleted_at.is_some(),
        quotes,
        erased_by: None,
        pairs: suggestions,
    }
}
