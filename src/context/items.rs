//! Items of a context: a memory or a part of a document, as lines of a text.

use super::budget::Piece;
use crate::memories::{self, Whose, model::Memory};
use crate::ranking::explain;
use foundation::OpContext;
use uuid::Uuid;
use wire::{AgentId, ContextItem, KnowledgeHit, Level, MemoryId, MemoryKind, MemoryScope, Provenance, SectionName, SourceTag, Trust};
use words::minutes::format_day;
use words::quote::{Origin, Quote, inline, spoken};
use words::shorten;

/// Characters of a line and of a summary.
const LINE: usize = 120;
const SUMMARY: usize = 400;
/// Characters of the reason in a summary of a decision.
const REASON: usize = 200;

/// The section of a memory for a task in `project`. What holds for another project has a section of its own, so that its rules are not taken
/// for those of this one.
pub(super) fn section(memory: &Memory, project: Option<Uuid>) -> SectionName {
    let is_elsewhere = project.is_some() && memory.project_id.is_some() && memory.project_id != project;
    match (memory.kind, memory.scope) {
        (_, MemoryScope::Project | MemoryScope::Repo) if is_elsewhere => SectionName::OtherProjects,
        (MemoryKind::Decision, _) => SectionName::Decisions,
        (MemoryKind::Episode, _) => SectionName::Episodes,
        (_, MemoryScope::Project | MemoryScope::Repo) => SectionName::Project,
        _ => SectionName::Profile,
    }
}

/// What is known of a memory besides its record.
pub(super) struct Marks {
    pub trust: Trust,
    pub provenance: Provenance,
    /// The memories that say otherwise.
    pub contradicts: Vec<MemoryId>,
}

impl Marks {
    /// The marks of a memory for the caller, given those that a person confirmed.
    pub fn new(memory: &Memory, reviewed: &[MemoryId], contradicts: Vec<MemoryId>, ctx: &OpContext) -> Self {
        let provenance = memories::provenance(memory, ctx.agent_id().ok(), reviewed.contains(&memory.id));
        Self { trust: memories::trust(memory, reviewed, ctx), provenance, contradicts }
    }
}

/// A memory as an item for the agent `reader`, with the reason for including it.
pub(super) fn from_memory(memory: &Memory, because: String, marks: Marks, reader: AgentId) -> (ContextItem, Piece) {
    let Marks { trust, provenance, contradicts } = marks;
    let origin = memories::origin(memory, reader, trust == Trust::Reviewed);
    let day = format_day(memory.said_on());
    let citation = explain::cited(memory).map_or_else(|| day.clone(), |evidence| format!("{evidence}, {day}"));
    // The line names the speaker, and the citation the day.
    let said = spoken(&memory.content, &memories::opening(memory, Whose::Own));
    let content = said.as_deref().unwrap_or(&memory.content);
    let headline = memory.title.as_deref().or(memory.summary.as_deref()).unwrap_or(content);
    let quoted = |text: &str| Quote::new(text, &origin).line();
    let whole = with_alternatives(memory, content, &origin);
    let summary = memory.summary.clone().unwrap_or_else(|| shorten(content, SUMMARY));
    let summary = quoted(&summary) + &reason(memory, &summary, &origin, REASON);
    let summary = if summary.chars().count() > whole.chars().count() { whole.clone() } else { summary };
    let texts = [quoted(&shorten(headline, LINE)), summary, whole].map(|text| format!("{}: {text}", inline(&memory.topic)));
    let item = ContextItem {
        memory_id: Some(memory.id),
        short_id: Some(memory.short_id.clone()),
        agent_id: Some(memory.agent_id),
        document_id: None,
        source_tag: if matches!(trust, Trust::Own | Trust::Captured) { SourceTag::Private } else { SourceTag::Shared },
        status: Some(memory.status),
        trust: Some(trust),
        provenance: Some(provenance),
        level: Level::Line,
        text: String::new(),
        citation,
        contradicts,
        because,
    };
    let piece = piece(&item, texts);
    (item, piece)
}

/// Why something was decided, in at most so many characters, unless the text says so already.
fn reason(memory: &Memory, text: &str, origin: &Origin, most: usize) -> String {
    let rationale = memory.rationale.as_deref().filter(|rationale| !text.contains(*rationale));
    let why = |rationale: &str| format!(" Why: {}", Quote::new(&shorten(rationale, most), origin).inline());
    rationale.map(why).unwrap_or_default()
}

/// The content in full, with the reason of a decision and what was rejected.
fn with_alternatives(memory: &Memory, content: &str, origin: &Origin) -> String {
    let mut text = Quote::new(content, origin).line() + &reason(memory, content, origin, usize::MAX);
    if let Some(alternatives) = memory.alternatives.as_ref().filter(|alternatives| !alternatives.is_empty()) {
        text.push_str(&format!(" Rejected: {}.", Quote::new(&alternatives.join(", "), origin).inline()));
    }
    text
}

/// A part of a document as an item.
pub(super) fn from_knowledge(hit: &KnowledgeHit) -> (ContextItem, Piece) {
    let about = |text: String| format!("{}: {}", inline(&hit.title), inline(&text));
    let texts = [about(shorten(&hit.content, LINE)), about(shorten(&hit.content, SUMMARY)), about(hit.content.clone())];
    let item = ContextItem {
        memory_id: None,
        short_id: None,
        agent_id: None,
        document_id: Some(hit.document_id),
        source_tag: SourceTag::Canonical,
        status: None,
        trust: None,
        provenance: None,
        level: Level::Line,
        text: String::new(),
        citation: hit.citation.clone(),
        contradicts: Vec::new(),
        because: hit.explanation.clone(),
    };
    let piece = piece(&item, texts);
    (item, piece)
}

/// Why an item is included that the search did not find.
pub(super) fn standing(memory: &Memory, project: Option<Uuid>) -> &'static str {
    match section(memory, project) {
        SectionName::Decisions => "A decision in force.",
        SectionName::Project => "A fact of the project that you work on.",
        _ => "A fact that holds for every task.",
    }
}

fn piece(item: &ContextItem, texts: [String; 3]) -> Piece {
    Piece { texts, around: line(item, "").chars().count() + 1 }
}

/// A line of the text: short id, what it says, where it comes from and where it holds, and whether somebody else's words were confirmed.
pub(super) fn line(item: &ContextItem, text: &str) -> String {
    let id = item.short_id.as_ref().map(|id| format!("[id:{id}] ")).unwrap_or_default();
    let place = item.provenance.as_ref().and_then(Provenance::place).map(|place| format!("; {place}")).unwrap_or_default();
    let disputed = if item.contradicts.is_empty() { "" } else { "; others say otherwise" };
    let confirmed = item.provenance.as_ref().is_some_and(|provenance| provenance.confirmed);
    let unconfirmed = match item.trust {
        Some(Trust::Unreviewed) => "; unreviewed",
        Some(Trust::Captured) if !confirmed => "; unconfirmed",
        _ => "",
    };
    format!("- {id}{text} ({}{place}{disputed}{unconfirmed})", inline(&item.citation))
}
