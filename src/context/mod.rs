//! What an agent reads: `context_for`, facts and decisions before a task; `assemble`, the whole prompt of a model call.

mod assembly;
mod budget;
mod compare;
mod diff;
mod items;
mod list;
mod log;
mod preview;
pub mod profile;
mod sources;
pub mod store;

pub use assembly::assemble;
pub use compare::compare;
pub use list::{entries, entry};
pub use log::{logged, sweep};
pub use preview::preview;

use crate::memories::{self, model::Memory};
use crate::recall;
use budget::{Piece, TOKEN, fit};
use foundation::engine::log::Entry;
use foundation::identity::acting_for;
use foundation::{Checks, Engine, Error, OpContext, projects};
use items::{Marks, from_knowledge, from_memory, line, section, standing};
use std::collections::{BTreeMap, HashMap, HashSet};
use store::Wanted;
use verb::verb;
use wire::{
    ContextBundle, ContextItem, ContextRequest, ContextSection, Hit, KeyScope, Level, MemoryId, QUERY_MAX, RecallFilters, RecallRequest,
    SectionName,
};

/// Tokens that may be asked for.
const BUDGET: std::ops::RangeInclusive<u32> = 100..=32_000;
/// Most hits of the search for a task.
const FOUND: u32 = 50;
/// Most memories that each section gets besides those that the search found.
const STANDING: i64 = 50;
/// Most episodes; only those that the search found are included.
const EPISODES: usize = 8;

/// Puts together what an agent should know for a task: profile facts, facts of the project and its repository, decisions in force,
/// documents about the task, and recent events. Everything gets one line first; then the most relevant items get more text, as far as the
/// level and the budget allow. The search behind it is logged like any other.
///
/// # Errors
/// As [`crate::recall::search`]; `Invalid` for a budget outside 100..=32,000 or a slug that names no project or repository.
#[verb]
pub async fn context_for(engine: &Engine, ctx: &OpContext, request: ContextRequest) -> Result<ContextBundle, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::MemoryRead)?;
    let ctx = &acting_for(engine, ctx, request.user_id.as_ref()).await?;
    Checks::default()
        .bytes("task", &request.task, QUERY_MAX)
        .that(
            BUDGET.contains(&request.budget),
            "budget",
            format!("is {}; it may be {} to {}", request.budget, BUDGET.start(), BUDGET.end()),
        )
        .done()?;
    let (project, repo) = projects::named(engine, ctx, request.project.as_deref(), request.repo.as_deref()).await?;
    let filters = RecallFilters { for_project: project, for_repo: repo, ..RecallFilters::default() };
    let search = RecallRequest { k: FOUND, filters, ..RecallRequest::new(&request.task) };
    let (found, entry) = recall::for_task(engine, ctx, search).await?;

    let hits: Vec<&Hit> = found.memories();
    let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.memory_id).collect();
    let wanted = Wanted { tenancy: ctx.tenancy(), agents: &[agent, ctx.commons_id], project, repo, found: &ids, now: engine.clock().now() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let chosen = store::memories(&mut tx, &wanted, STANDING).await?;
    tx.commit().await?;
    let chosen_ids: Vec<MemoryId> = chosen.iter().map(|memory| memory.id).collect();
    let mut disputes = memories::contradictions(engine, ctx, &chosen_ids).await?;
    let reviewed = memories::reviewed(engine, ctx, &chosen_ids).await?;

    let places: HashMap<MemoryId, (usize, &Hit)> = hits.iter().enumerate().map(|(place, hit)| (hit.memory_id, (place, *hit))).collect();
    let mut ordered: Vec<(Option<&(usize, &Hit)>, Memory)> = chosen.into_iter().map(|memory| (places.get(&memory.id), memory)).collect();
    // What the search found comes first, in its order; the rest keeps its order: the most important first, then the newest.
    ordered.sort_by_key(|(found, _)| found.map_or(usize::MAX, |(place, _)| *place));
    let mut contents = HashSet::new();
    ordered.retain(|(_, memory)| contents.insert(memory.content_hash.clone()));
    let mut sections: BTreeMap<SectionName, Vec<(ContextItem, Piece)>> = BTreeMap::new();
    for (found, memory) in ordered {
        let section = sections.entry(section(&memory, project)).or_default();
        let marks = Marks::new(&memory, &reviewed, disputes.remove(&memory.id).unwrap_or_default(), ctx);
        let because = found.map_or_else(|| standing(&memory, project).to_owned(), |(_, hit)| hit.explanation.clone());
        section.push(from_memory(&memory, because, marks, agent));
    }
    sections.entry(SectionName::Episodes).and_modify(|episodes| episodes.truncate(EPISODES));
    sections.entry(SectionName::Knowledge).or_default().extend(found.knowledge().into_iter().map(from_knowledge));

    let (text, sections) = render(sections, request.level, request.budget);
    if let Some(entry) = entry {
        let given = sections.iter().map(|section| section.items.len()).sum::<usize>();
        engine.log().write(Entry { given: Some(i32::try_from(given).unwrap_or(i32::MAX)), ..*entry });
    }
    Ok(ContextBundle {
        tokens: u32::try_from(text.chars().count().div_ceil(TOKEN)).unwrap_or(u32::MAX),
        text,
        level: request.level,
        budget: request.budget,
        sections,
        retrieval_id: found.retrieval_id,
        degraded: found.degraded,
    })
}

fn heading(name: SectionName) -> &'static str {
    match name {
        SectionName::Profile => "## Profile\n\n",
        SectionName::Project => "## Project\n\n",
        SectionName::Decisions => "## Decisions\n\n",
        SectionName::Knowledge => "## Knowledge\n\n",
        SectionName::Episodes => "## Lately\n\n",
        SectionName::OtherProjects => "## From other projects\n\n",
    }
}

fn render(sections: BTreeMap<SectionName, Vec<(ContextItem, Piece)>>, level: Level, budget: u32) -> (String, Vec<ContextSection>) {
    let sections: Vec<(SectionName, Vec<(ContextItem, Piece)>)> = sections.into_iter().filter(|(_, items)| !items.is_empty()).collect();
    let pieces: Vec<Vec<Piece>> = sections.iter().map(|(_, items)| items.iter().map(|(_, piece)| piece.clone()).collect()).collect();
    // An empty line separates sections.
    let headings: Vec<usize> = sections.iter().map(|(name, _)| heading(*name).chars().count() + 1).collect();
    let chosen = fit(&pieces, &headings, level, usize::try_from(budget).unwrap_or(usize::MAX).saturating_mul(TOKEN));
    let (mut text, mut told) = (String::new(), Vec::new());
    for ((name, items), levels) in sections.into_iter().zip(chosen) {
        let all = items.len();
        let mut shown = Vec::new();
        for ((item, piece), level) in items.into_iter().zip(levels) {
            if let Some(level) = level {
                shown.push(ContextItem { level, text: piece.text(level).to_owned(), ..item });
            }
        }
        if !shown.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n" };
            let lines: String = shown.iter().map(|item| format!("{}\n", line(item, &item.text))).collect();
            text.push_str(&format!("{gap}{}{lines}", heading(name)));
        }
        told.push(ContextSection { name, cut: u32::try_from(all - shown.len()).unwrap_or(u32::MAX), items: shown });
    }
    (text, told)
}
