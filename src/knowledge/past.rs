//! The words of knowledge that is no longer in force: its texts are kept but its words are not, so they are counted again.

use super::found::{is_found, searched_text};
use super::store::{self, RetiredChunk};
use chrono::{DateTime, Utc};
use db::Tenancy;
use foundation::heavy::off_thread;
use foundation::index::WordMatches;
use foundation::{Engine, Error};
use std::collections::HashSet;
use wire::{ChunkId, DocumentKind};
use words::bm25::{Statistics, Words};
use words::stems;

/// Most chunks whose words one question about the past counts, and most bytes of their texts.
const PAST_MAX: i64 = 20_000;
const PAST_BYTES_MAX: i64 = 32 * 1024 * 1024;

/// Compares the words at a moment with those of today: the words in chunks that were in force and are not any more, and how many more chunks
/// and terms there were then; negative: fewer. Chunks of kinds that the search is not for are set apart.
///
/// # Errors
/// `Invalid` when more than [`PAST_MAX`] chunks or [`PAST_BYTES_MAX`] bytes were retired since; `Unavailable` when the database is out of
/// reach.
#[tracing::instrument(skip_all, fields(tenant = %tenancy.tenant))]
pub async fn difference(
    engine: &Engine,
    tenancy: Tenancy,
    words: &Words,
    kinds: &[DocumentKind],
    at: DateTime<Utc>,
) -> Result<WordMatches<ChunkId>, Error> {
    let _turn = engine.past_words().acquire().await.map_err(Error::failed("words of the past are no longer counted"))?;
    let mut tx = engine.db().kb.begin(tenancy).await?;
    let (count, bytes) = store::count_retired_since(&mut tx, tenancy.tenant, at).await?;
    if count > PAST_MAX {
        return Err(Error::invalid("as_of", format!("needs the words of {count} retired chunks; at most {PAST_MAX} are possible")));
    }
    if bytes > PAST_BYTES_MAX {
        let message = format!("needs the words of {bytes} bytes of retired knowledge; at most {PAST_BYTES_MAX} are possible");
        return Err(Error::invalid("as_of", message));
    }
    let (chunks, terms) = store::added_since(&mut tx, tenancy.tenant, at).await?;
    let retired = store::retired_since(&mut tx, tenancy.tenant, at).await?;
    tx.commit().await?;
    let (words, kinds) = (words.clone(), kinds.to_vec());
    let counted = off_thread(move || count_words(&retired, &words, &kinds)).await?;
    let Statistics { documents, terms: then } = counted.statistics;
    Ok(WordMatches { statistics: Statistics { documents: documents - chunks, terms: then - terms }, ..counted })
}

fn count_words(retired: &[RetiredChunk], words: &Words, kinds: &[DocumentKind]) -> WordMatches<ChunkId> {
    let mut counted = WordMatches { postings: vec![], apart: HashSet::new(), statistics: Statistics::default() };
    for chunk in retired.iter().filter(|chunk| is_found(&chunk.status)) {
        let terms = stems::terms(&searched_text(chunk.reference.as_deref(), &chunk.title, &chunk.heading_path, &chunk.content));
        if terms.is_empty() {
            continue;
        }
        counted.statistics.documents += 1;
        counted.statistics.terms += i64::from(terms.values().sum::<u32>());
        counted.postings.extend(words.postings(chunk.chunk_id, &terms));
        if !kinds.is_empty() && !kinds.contains(&chunk.kind) {
            counted.apart.insert(chunk.chunk_id);
        }
    }
    counted
}
