//! A search in the past: versions, deletions and vectors as they were at a moment, scored in this process instead of in the database.

use super::gather;
use super::question::{Lost, Measure, MemorySide, Question};
use super::store::{self, Feature, Past};
use crate::knowledge::PreparedQuery;
use crate::memories;
use crate::memories::model::{self, Memory, embedded_text};
use crate::ranking::{self, Candidate, Order};
use async_recursion::async_recursion as boxed;
use chrono::{DateTime, TimeDelta, Utc};
use db::Tenancy;
use foundation::heavy::off_thread;
use foundation::registry::Floors;
use foundation::usage::Payer;
use foundation::{Engine, Error, OpContext, identity};
use pgvector::Vector;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use wire::{AgentId, MemoryId, Ranking};
use words::bm25::{Postings, Statistics};
use words::hybrid::{self, Place, Reading};
use words::identifiers::{Identifiers, NamedIds};
use words::stems;

/// Most memories that a question about the past may read: it reads them all.
pub const PAST_MAX: i64 = 20_000;
/// Most bytes of text that a question about the past may read.
pub const PAST_BYTES_MAX: i64 = 32 * 1024 * 1024;
/// How long a caller waits before it tries again while too many questions about the past are being answered.
const BUSY: Duration = Duration::from_secs(1);
/// Most former texts of memories that one question embeds again.
const EMBEDDED_ANEW: usize = 200;

/// Most memories that one sentence names.
const NAMED: usize = 10;

/// Refuses a moment from before the history of an agent's memories: versions of that time may be gone.
///
/// # Errors
/// `Invalid` for such a moment; `Unavailable` when the database is out of reach.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, %agent))]
pub(super) async fn check(engine: &Engine, ctx: &OpContext, agent: AgentId, at: DateTime<Utc>, now: DateTime<Utc>) -> Result<(), Error> {
    let Some(days) = identity::history_days(engine, ctx, agent).await? else { return Ok(()) };
    match now.checked_sub_signed(TimeDelta::days(days.into())) {
        Some(start) if at < start => {
            Err(Error::invalid("as_of", format!("is before {}: the history of memories is kept for {days} days", start.date_naive())))
        }
        _ => Ok(()),
    }
}

/// The memories that the agents in reach had at `reach.now`, ranked. `lost` gets what could no longer be compared by meaning.
///
/// # Errors
/// `Invalid` for more than [`PAST_MAX`] memories or [`PAST_BYTES_MAX`] bytes; `Busy` while as many such questions as the server
/// allows are being answered; `Unavailable` when the database is out of reach.
#[boxed]
#[tracing::instrument(skip_all, fields(tenant = %tenancy.tenant))]
pub async fn memory(
    engine: &Engine,
    tenancy: Tenancy,
    question: &Question<'_>,
    prepared: &PreparedQuery,
    floors: Floors,
    lost: &mut Lost,
) -> Result<MemorySide, Error> {
    let (model, reach) = (engine.model(), &question.reach);
    let turn = Arc::clone(engine.past_searches())
        .try_acquire_owned()
        .map_err(|_| Error::Busy { reason: "as many questions about the past as the server allows are being answered", wait: BUSY })?;
    let mut tx = engine.db().memory.begin(tenancy).await?;
    let (count, bytes) = store::count_past(&mut tx, reach).await?;
    if count > PAST_MAX {
        return Err(Error::invalid("as_of", format!("needs {count} memories of that time; at most {PAST_MAX} can be searched")));
    }
    if bytes > PAST_BYTES_MAX {
        return Err(Error::invalid(
            "as_of",
            format!("needs {bytes} bytes of memories of that time; at most {PAST_BYTES_MAX} can be searched"),
        ));
    }
    let with_deleted = question.past.as_ref().is_some_and(|past| past.with_deleted);
    let mut past = store::past(&mut tx, reach, &model.name, model.dimension, with_deleted, engine.clock().now()).await?;
    let ids: Vec<MemoryId> = past.iter().map(|one| one.memory.id).collect();
    let mut topics: HashMap<MemoryId, Vec<String>> = HashMap::new();
    for (id, topic) in memories::store::topics_of(&mut tx, tenancy, &ids, reach.now).await? {
        topics.entry(id).or_default().push(topic);
    }
    tx.commit().await?;
    lost.unrecorded.extend(past.iter().filter(|one| !one.recorded).map(|one| one.memory.id));
    let semantic = match &prepared.vector {
        Some(vector) => cosines(engine, tenancy.into(), &store::as_stored(vector)?, &mut past, lost).await?,
        None => vec![None; past.len()],
    };
    let (measure, prepared) = (question.measure(), prepared.clone());
    off_thread(move || {
        // A caller that goes away does not end the work, so the work holds the turn.
        let _turn = turn;
        rank(documents(past, semantic, &topics), &measure, &prepared, floors)
    })
    .await
}

/// The memories in reach, with their cosines and their words.
fn documents(past: Vec<Past>, semantic: Vec<Option<f64>>, topics: &HashMap<MemoryId, Vec<String>>) -> Vec<Document> {
    let in_reach = past.into_iter().zip(semantic).filter(|(past, _)| past.in_reach);
    let document = |(past, semantic): (Past, _)| {
        let terms = stems::terms(&searched_text(&past.memory, topics.get(&past.memory.id)));
        Document { past, semantic, terms }
    };
    in_reach.map(document).collect()
}

/// The text of a memory whose words are searched: its topics, its content and the rest.
fn searched_text(memory: &Memory, further: Option<&Vec<String>>) -> String {
    let topics = further.map_or_else(|| memory.topic.clone(), |further| embedded_text(&memory.topic, &further.join("\n")));
    model::searched_text(memory.role, &topics, &memory.wording())
}

/// A memory as it was, with its score's inputs.
struct Document {
    past: Past,
    /// Its cosine with the question.
    semantic: Option<f64>,
    terms: BTreeMap<String, u32>,
}

/// Scores the memories of that time, and orders those that the caller may read.
fn rank(mut documents: Vec<Document>, measure: &Measure, prepared: &PreparedQuery, floors: Floors) -> MemorySide {
    let scoping = &measure.scoping;
    let is_foreign = |memory: &Memory| scoping.fit(memory.scope, memory.project_id, memory.repo_id) == 0.0;
    let foreign: HashSet<MemoryId> = documents.iter().filter(|one| is_foreign(&one.past.memory)).map(|one| one.past.memory.id).collect();
    let counted = || {
        let own = || documents.iter().filter(|one| !foreign.contains(&one.past.memory.id));
        let terms = own().flat_map(|one| one.terms.values()).map(|count| i64::from(*count)).sum();
        Statistics { documents: count_of(own().count()), terms }
    };
    let statistics = measure.statistics.unwrap_or_else(counted);
    let words = prepared.question_words();
    let rows: Vec<_> = documents.iter().flat_map(|one| words.postings(one.past.memory.id, &one.terms)).collect();
    let postings = Postings::new(&words, statistics, &rows, |id| !foreign.contains(id));
    let lengths = documents.iter().map(|one| (one.past.memory.id, one.terms.values().sum())).collect();
    let compared = documents.iter_mut().filter(|one| one.semantic.is_some());
    let vectors = compared.filter_map(|one| Some((one.past.memory.id, one.past.vector.take()?))).collect();
    let names = NamedIds::read(&measure.query);
    let is_named = |memory: &Memory| names.name(memory.id, &memory.short_id);
    let candidate =
        |Document { past, semantic, .. }| Candidate { lexical: postings.relevance(past.memory.id), semantic, memory: past.memory };
    let wanted = |one: Candidate| match is_named(&one.memory) {
        true => Candidate { lexical: Some(1.0), semantic: None, ..one },
        false => one,
    };
    let reached: Vec<Candidate> = documents.into_iter().filter(|one| one.past.readable).map(candidate).collect();
    let order = match measure.ranking {
        Ranking::Decay => {
            let related = |one: &Candidate| one.semantic.or(one.lexical).is_some();
            let strong = |one: &Candidate| scoping.shows(0.0, one.semantic, one.lexical.filter(|_| one.semantic.is_none()));
            let shown = |one: &Candidate| related(one) && (!foreign.contains(&one.memory.id) || strong(one));
            let shown = reached.into_iter().map(wanted).filter(shown).collect();
            ranking::decayed(shown, floors, measure.now, |memory| foreign.contains(&memory.id))
        }
        Ranking::Hybrid | Ranking::HybridDecay => {
            let searched = Searched { foreign: &foreign, postings: &postings, statistics, lengths, vectors };
            hybrid(reached, &searched, measure, prepared, floors)
        }
    };
    let (scored, below_floor) = (count_of(order.passed.len() + order.below.len()), count_of(order.below.len()));
    MemorySide { order, postings, statistics, scored, below_floor, totals: None }
}

/// The words of the memories of that time, and what those of the question are worth among them.
struct Searched<'a> {
    foreign: &'a HashSet<MemoryId>,
    postings: &'a Postings<MemoryId>,
    statistics: Statistics,
    lengths: HashMap<MemoryId, u32>,
    /// Those that were compared with the question.
    vectors: HashMap<MemoryId, Vector>,
}

/// The same as `gather::by_hybrid`, over memories in this process.
fn hybrid(mut reached: Vec<Candidate>, searched: &Searched<'_>, measure: &Measure, prepared: &PreparedQuery, floors: Floors) -> Order {
    let Searched { foreign, postings, statistics, .. } = searched;
    let most = gather::anchors_of(measure);
    let mut near: Vec<(f64, MemoryId)> = reached.iter().filter_map(|one| Some((one.semantic?, one.memory.id))).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let strong: HashSet<MemoryId> = reached
        .iter()
        .filter(|one| one.semantic.is_some_and(|semantic| semantic >= measure.scoping.strong))
        .map(|one| one.memory.id)
        .collect();
    let own = near.iter().map(|(_, id)| *id).filter(|id| !foreign.contains(id)).take(most);
    let others = near.iter().map(|(_, id)| *id).filter(|id| foreign.contains(id) && strong.contains(id)).take(most);
    let identifiers = Identifiers::in_memories(&measure.query, &prepared.question_words().terms);
    let names = NamedIds::read(&measure.query);
    let named = reached.iter().map(|one| &one.memory).filter(|memory| names.name(memory.id, &memory.short_id)).map(|memory| memory.id);
    let anchors = gather::anchors(postings, foreign, most, &identifiers, named.collect(), *statistics, own.chain(others));
    reached
        .sort_by(|a, b| thread(a).cmp(&thread(b)).then_with(|| (a.memory.said_at(), a.memory.id).cmp(&(b.memory.said_at(), b.memory.id))));
    let mut places = HashMap::new();
    for turns in reached.chunk_by(|a, b| thread(a) == thread(b)) {
        let own = turns.iter().filter(|one| !foreign.contains(&one.memory.id));
        let line: Vec<_> = own.map(|one| (one.memory.id, one.memory.said_at())).collect();
        places.extend(hybrid::places(&line, &anchors.all));
    }
    places.extend(anchors.all.iter().filter(|id| foreign.contains(id)).map(|id| (*id, Place::default())));
    let (contexts, scored) = (hybrid::contexts(&places), hybrid::scored(&places, &anchors.wide));
    let reading = Reading::new(measure.ranking, &measure.query, &prepared.terms);
    let scored = reached.iter().filter(|one| scored.contains(&one.memory.id));
    let may_name = |one: &Candidate| anchors.holders.contains(&one.memory.id);
    let feature = |one: &Candidate| feature(one, searched, reading.asks_when(), may_name(one));
    let turns = scored.map(|one| gather::turn(feature(one), measure, &identifiers, &anchors)).collect();
    let (chosen, ..) = gather::choose(hybrid::score(&reading, postings, &contexts, turns), measure, floors);
    gather::order(chosen, reached.into_iter().map(|one| (one.memory.id, one.memory)).collect(), floors, &reading)
}

/// The conversation of a memory: its agent, and its place.
fn thread(one: &Candidate) -> (AgentId, &str, Option<&str>, Option<&str>) {
    let source = &one.memory.source;
    (one.memory.agent_id, &source.platform, source.channel_id.as_deref(), source.thread_id.as_deref())
}

fn feature(one: &Candidate, searched: &Searched<'_>, asks_when: bool, may_name: bool) -> Feature {
    let memory = &one.memory;
    let terms = searched.lengths.get(&memory.id).copied().unwrap_or_default();
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    Feature {
        id: memory.id,
        said_at: memory.said_at(),
        speaker: memory.speaker(),
        characters: count(memory.content.chars().count()),
        scope: memory.scope,
        project_id: memory.project_id,
        repo_id: memory.repo_id,
        stated_at: memory.stated_at,
        content_hash: memory.content_hash.clone(),
        confidence: memory.confidence,
        semantic: one.semantic,
        vector: searched.vectors.get(&memory.id).cloned(),
        is_timed: memory.observed_at.is_some(),
        asks: memory.content.trim_end_matches([' ', '\t', '\r', '\n']).ends_with('?'),
        terms: i32::try_from(terms).unwrap_or(i32::MAX),
        punctuation: count(memory.content.chars().filter(char::is_ascii_punctuation).count()),
        topic: may_name.then(|| memory.topic.clone()),
        text: (asks_when || may_name).then(|| memory.content.clone()),
    }
}

fn count_of(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The cosine of each text that had its vector then. Texts that were rewritten since are embedded again, and get their vectors.
async fn cosines(engine: &Engine, payer: Payer, query: &[f32], past: &mut [Past], lost: &mut Lost) -> Result<Vec<Option<f64>>, Error> {
    let anew: Vec<usize> = (0..past.len()).filter(|place| past[*place].embedded && past[*place].vector.is_none()).collect();
    let texts = anew.iter().take(EMBEDDED_ANEW).map(|place| past[*place].memory.embedded_text());
    let texts: Vec<String> = texts.collect();
    let vectors = if texts.is_empty() { Ok(Vec::new()) } else { engine.embed_batch_for_job(payer, texts).await };
    let vectors = vectors.unwrap_or_else(|error| {
        tracing::warn!(%error, "former texts could not be embedded; they are compared by their words only");
        Vec::new()
    });
    let without: Vec<&str> = anew.iter().skip(vectors.len()).map(|place| past[*place].memory.short_id.as_str()).collect();
    if !without.is_empty() {
        let more = if without.len() > NAMED { format!(" and {} more", without.len() - NAMED) } else { String::new() };
        let names = without[..without.len().min(NAMED)].join(", ");
        lost.reasons.push(format!("Text of memory {names}{more} has been rewritten since and could not be compared by meaning."));
    }
    for (place, vector) in anew.into_iter().zip(vectors) {
        past[place].vector = Some(store::as_stored(&vector)?.into());
    }
    let compared = past.iter().map(|one| one.vector.as_ref().filter(|_| one.embedded));
    Ok(compared.map(|vector| Some(hybrid::cosine(query, vector?.as_slice()))).collect())
}
