//! Both sides of a search from memories that this process keeps packed. They only propose: the database compares what may be nearest, and reads
//! every row of the answer.

use super::store::{self, Meaning, Narrowing, Reach, Sides};
use crate::memories::store::VECTORS;
use db::{DbError, Tx, Users};
use foundation::Engine;
use foundation::recall_cache::{self, Cached, Masked, Searched};
use packed::{Sought, Times};
use uuid::Uuid;
use wire::MemoryId;

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
    can_answer(reach).then(|| recall_cache::look_up(engine, reach.tenancy, Searched::Memories(reach.agents), VECTORS)).flatten()
}

/// Fills the cache after a search that the database answered, for the next one.
pub(super) fn fill_later(engine: &Engine, reach: &Reach<'_>, documents: i64) {
    if can_answer(reach) {
        recall_cache::fill_later(engine, reach.tenancy, Searched::Memories(reach.agents), VECTORS, documents);
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
    let times = Times { now: reach.now.timestamp_micros(), said: reach.period() };
    let (terms, near) = (terms.to_vec(), meaning.map(|meaning| Near::new(reach, meaning)).transpose()?);
    let find = move |masked: &Masked| {
        let by_words = || masked.words(&terms, MemoryId, masked.statistics());
        masked.both(by_words, || near.and_then(|near| propose(masked, &near)))
    };
    // A search that ends early is left to the database.
    let Ok((words, proposed)) = recall_cache::search(cells, times, |place| reach.fits(place), find).await else { return Ok(None) };
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
    Searched::Memories(reach.agents).count(engine, "hit");
    Ok(Some(Sides { words, nearest }))
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

/// The memories that may be nearest, unless these are too many.
fn propose(masked: &Masked, near: &Near) -> Option<Proposed> {
    let Near { vector, decayed_above, most, besides_from } = near;
    // With a floor below 0 a nearer memory may rank lower.
    if decayed_above.is_some_and(|floor| floor < 0.0) {
        return None;
    }
    let rank = |cosine, weight| store::rank(*decayed_above, cosine, weight);
    let sought = Sought { vector, most: *most, at_least: f64::NEG_INFINITY, rank: &rank, apart: false };
    let ids = masked.nearest(&sought)?;
    let besides = match besides_from {
        Some(at_least) => masked.nearest(&Sought { at_least: *at_least, apart: true, ..sought })?,
        None => vec![],
    };
    Some(Proposed { ids, besides })
}
