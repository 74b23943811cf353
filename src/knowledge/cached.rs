//! Both sides of a search from chunks that this process keeps packed. They only propose: the database compares what may be nearest, and reads
//! every row of the answer.

use super::store::{self, Lookup, Sides, VECTORS};
use db::{DbError, Tenancy, Tx};
use foundation::Engine;
use foundation::recall_cache::{self, Cached, Masked, Searched};
use packed::Times;
use wire::ChunkId;

/// Begins a search, in one snapshot, with its two sides: from the cache, or else from the database, which alone knows the past.
pub(super) async fn begin(
    engine: &Engine,
    tenancy: Tenancy,
    lookup: &Lookup<'_>,
    terms: &[String],
    most: usize,
) -> Result<(Tx, Sides), DbError> {
    let present = lookup.at.is_none();
    let cached = present.then(|| recall_cache::look_up(engine, tenancy, Searched::Knowledge, VECTORS)).flatten();
    // The snapshot of the transaction is later than that of every cell.
    let mut tx = engine.db().kb.begin_snapshot(tenancy).await?;
    if let Some(cached) = cached
        && let Some(found) = sides(cached, &mut tx, engine, tenancy, lookup, terms, most).await?
    {
        Searched::Knowledge.count(engine, "hit");
        return Ok((tx, found));
    }
    let found = store::sides(&mut tx, lookup, terms, most).await?;
    if present {
        recall_cache::fill_later(engine, tenancy, Searched::Knowledge, VECTORS, found.words.statistics.documents);
    }
    Ok((tx, found))
}

/// The two sides; nothing if the database must search: because too much changed, or because too many chunks are equally near.
async fn sides(
    cached: Cached,
    tx: &mut Tx,
    engine: &Engine,
    tenancy: Tenancy,
    lookup: &Lookup<'_>,
    terms: &[String],
    most: usize,
) -> Result<Option<Sides>, DbError> {
    let Some(cells) = cached.catch_up(tx, engine, tenancy).await? else { return Ok(None) };
    let near = lookup.vector.map(|vector| Ok::<_, DbError>(VECTORS.of(vector.len())?.as_stored(vector))).transpose()?;
    let terms = terms.to_vec();
    // Chunks of every kind count for how rare a word is.
    let find = move |masked: &Masked| {
        let by_words = || masked.words(&terms, ChunkId, masked.all());
        masked.both(by_words, || near.and_then(|vector| masked.nearest_by_cosine(&vector, most)))
    };
    // A search that ends early is left to the database.
    let Ok((words, proposed)) = recall_cache::search(cells, Times::ANY, |place| Some(lookup.wants(place)), find).await else {
        return Ok(None);
    };
    let nearest = match (lookup.vector, proposed) {
        (None, _) => vec![],
        (Some(_), None) => return Ok(None),
        (Some(_), Some(ids)) => {
            let nearest = store::nearest_of(tx, lookup, &ids, most).await?;
            // All that was proposed is there. If the database disagrees, it is right.
            if nearest.len() < ids.len().min(most) {
                return Ok(None);
            }
            nearest
        }
    };
    Ok(Some(Sides { words, nearest }))
}
