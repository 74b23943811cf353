//! Both sides of a search from memories that this process keeps packed. They only propose: the database compares what may be nearest, and reads
//! every row of the answer.

use super::store::{self, Meaning, Narrowing, Reach, Sides};
use crate::memories::store::VECTORS;
use db::{DbError, Tx, Users};
use foundation::Engine;
use foundation::heavy::off_thread_if;
use foundation::index::WordMatches;
use foundation::recall_cache::{self, Cached};
use packed::{Cell, Mask, Places, Sought, Times, nearest};
use std::collections::HashSet;
use std::sync::Arc;
use uuid::Uuid;
use wire::MemoryId;
use words::bm25::{Posting, Statistics};

/// An agent and the commons.
const AGENTS_MAX: usize = 2;

/// The memories that may be nearest: those that the search is for, and those of other projects.
struct Proposed {
    ids: Vec<Uuid>,
    besides: Vec<Uuid>,
}

/// Whether the cache can answer a search: not for operators who see every user, and not by the filters of the console.
fn can_answer(reach: &Reach<'_>) -> bool {
    let is_console = matches!(reach.filters, Narrowing::Console(_));
    !is_console && reach.tenancy.users != Users::Every && reach.agents.len() <= AGENTS_MAX
}

/// The cells of a search, as far as the cache has them. To be called before the search's transaction begins.
pub(super) fn look_up(engine: &Engine, reach: &Reach<'_>) -> Option<Cached> {
    if can_answer(reach) { recall_cache::look_up(engine, reach.tenancy, reach.agents, VECTORS) } else { None }
}

/// Fills the cache after a search that the database answered, for the next one.
pub(super) fn fill_later(engine: &Engine, reach: &Reach<'_>, documents: i64) {
    if can_answer(reach) {
        recall_cache::fill_later(engine, reach.tenancy, reach.agents, VECTORS, documents);
    }
}

/// The two sides of a search; nothing if the database must search: because too much changed, or because too many memories are equally near.
#[tracing::instrument(level = "debug", skip_all, fields(tenant = %reach.tenancy.tenant, terms = terms.len()))]
pub(super) async fn sides(
    cached: Cached,
    tx: &mut Tx,
    engine: &Engine,
    reach: &Reach<'_>,
    terms: &[String],
    meaning: Option<&Meaning<'_>>,
) -> Result<Option<Sides>, DbError> {
    let Some(cells) = cached.catch_up(tx, engine, reach.tenancy).await? else { return Ok(None) };
    let near = meaning.map(|meaning| Near::new(reach, meaning)).transpose()?;
    let (is_large, search) = (recall_cache::is_large(&cells), Search::new(cells, reach, terms, near));
    // A search that ends early is left to the database.
    let Ok((words, proposed)) = off_thread_if(is_large, move || search.run()).await else { return Ok(None) };
    let nearest = match (meaning, proposed) {
        (None, _) => vec![],
        (Some(_), None) => return Ok(None),
        (Some(meaning), Some(Proposed { ids, besides })) => {
            let nearest = store::nearest_of(tx, reach, meaning, &ids, &besides).await?;
            // All that was proposed is there. If the database disagrees, it is right.
            let compared = nearest.iter().filter(|near| ids.contains(&near.id.0)).count();
            if compared < ids.len().min(meaning.most) {
                return Ok(None);
            }
            nearest
        }
    };
    if !engine.settings().backfill {
        metrics::counter!("agent_memory_recall_cache_total", "outcome" => "hit").increment(1);
    }
    Ok(Some(Sides { words, nearest }))
}

/// A search of cells. It owns what it needs, so that a thread of its own can run it.
struct Search {
    cells: Vec<(Arc<Cell>, Places)>,
    times: Times,
    terms: Vec<String>,
    near: Option<Near>,
}

/// What is sought by meaning.
struct Near {
    vector: Vec<f32>,
    decayed_above: Option<f64>,
    most: usize,
    /// The least cosine of memories of other projects; absent if no project narrows the search.
    besides_from: Option<f64>,
}

impl Near {
    fn new(reach: &Reach<'_>, &Meaning { vector, decayed_above, most, .. }: &Meaning<'_>) -> Result<Self, DbError> {
        let besides_from = reach.scoping.narrow.then_some(reach.scoping.strong);
        Ok(Self { vector: store::as_stored(vector)?, decayed_above, most, besides_from })
    }
}

impl Search {
    fn new(cells: Vec<Arc<Cell>>, reach: &Reach<'_>, terms: &[String], near: Option<Near>) -> Self {
        let times = Times { now: reach.now.timestamp_micros(), said: reach.period() };
        let with_places = |cell: Arc<Cell>| {
            let places = cell.places(|place| reach.fits(place));
            (cell, places)
        };
        Self { cells: cells.into_iter().map(with_places).collect(), times, terms: terms.to_vec(), near }
    }

    /// Counts the memories in reach, then finds the words of a question in them, and what may be nearest to its vector.
    fn run(&self) -> (WordMatches<MemoryId>, Option<Proposed>) {
        let masks: Vec<Mask> = self.cells.iter().map(|(cell, places)| cell.mask(&self.times, places)).collect();
        let masked: Vec<(&Cell, &Mask)> = self.cells.iter().map(|(cell, _)| cell.as_ref()).zip(&masks).collect();
        let (mut postings, mut apart) = (Vec::new(), HashSet::new());
        for (cell, mask) in &masked {
            cell.words(mask, &self.terms, |word| {
                let (id, term) = (MemoryId(word.id), i32::try_from(word.place).unwrap_or(i32::MAX));
                postings.push(Posting { term, id, tf: word.count, length: word.length });
                if word.apart {
                    apart.insert(id);
                }
            });
        }
        let sum = |count: fn(&Mask) -> i64| -> i64 { masks.iter().map(count).sum() };
        let statistics = Statistics { documents: sum(|mask| mask.documents), terms: sum(|mask| mask.terms) };
        (WordMatches { postings, apart, statistics }, self.near.as_ref().and_then(|near| propose(&masked, near)))
    }
}

/// The memories that may be nearest, unless these are too many.
fn propose(masked: &[(&Cell, &Mask)], near: &Near) -> Option<Proposed> {
    let Near { vector, decayed_above, most, besides_from } = near;
    // With a floor below 0 a nearer memory may rank lower.
    if decayed_above.is_some_and(|floor| floor < 0.0) {
        return None;
    }
    let rank = |cosine, weight| store::rank(*decayed_above, cosine, weight);
    let sought = Sought { vector, most: *most, at_least: f64::NEG_INFINITY, rank: &rank, apart: false };
    let ids = nearest(masked, &sought)?;
    let besides = match besides_from {
        Some(at_least) => nearest(masked, &Sought { at_least: *at_least, apart: true, ..sought })?,
        None => vec![],
    };
    Some(Proposed { ids, besides })
}
