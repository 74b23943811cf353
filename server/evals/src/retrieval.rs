//! `remembrancer eval retrieval`: how well the rankings find known answers.

pub mod scores;

use crate::agents::{agent, memory};
use crate::file_clock::FileClock;
use crate::{Failure, HITS, bar};
use chrono::{DateTime, Utc};
use db::clock::{Clock, SystemClock};
use db::{DatabaseUrls, vacuum};
use foundation::{CACHED_QUERIES, Engine, OpContext, identity};
use remembrancer::{memories, recall};
use scores::{Judged, Scores};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{Display, Formatter, Result as Formatted};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use wire::{MemoryId, Ranking, RecallRequest};

/// A line of the file.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    Memory {
        /// Questions are asked among the memories of one scope.
        scope: String,
        key: String,
        text: String,
        at: Option<DateTime<Utc>>,
        /// Its topic; the scope by default.
        topic: Option<String>,
    },
    Question {
        scope: String,
        query: String,
        /// Keys of the memories that hold the answer.
        evidence: Vec<String>,
        #[serde(default, rename = "category")]
        _category: Option<serde_json::Value>,
    },
    /// A question that no memory of the scope answers.
    OffTopic { scope: String, query: String },
}

/// The age of the memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Ages {
    /// As the file gives it; its newest memory is of today.
    Dated,
    /// Everything was just said.
    Fresh,
}

/// What was measured at one age.
#[derive(Serialize)]
struct Report {
    ages: Ages,
    memories: usize,
    /// Memories whose text is in none of those that are in force, because a write took them for others. Questions about them count as missed.
    swallowed: usize,
    scores: BTreeMap<String, Scores>,
    /// What the floors do, if the file has questions that nothing answers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    floors: BTreeMap<String, Floors>,
    #[serde(skip)]
    questions: Vec<Value>,
}

/// What the floors keep out, with one ranking.
#[derive(Serialize)]
struct Floors {
    /// Questions that nothing answers, and those of them that found something all the same.
    off_topic: usize,
    off_topic_with_hits: usize,
    /// Questions whose answer is among the first ten without a floor, and those of them that find it no more with the floor.
    answered: usize,
    lost: usize,
}

/// What was measured, at each age.
#[derive(Serialize)]
pub struct Reports(Vec<Report>);

impl Reports {
    /// What each question found, as JSON lines.
    pub fn questions(&self) -> String {
        self.0.iter().flat_map(|report| &report.questions).map(|question| format!("{question}\n")).collect()
    }
}

/// Reads memories and questions.
///
/// # Errors
/// When a line cannot be read (the error names it), or the questions are too many.
pub async fn read(file: &Path) -> Result<Vec<Line>, Failure> {
    let lines = crate::read(file).await?;
    let count = questions(&lines);
    if count as u64 > CACHED_QUERIES {
        return Err(format!("{} holds {count} questions; at most {CACHED_QUERIES} can be asked at once", file.display()).into());
    }
    Ok(lines)
}

/// Asks all questions with one ranking or with each: first at the age that the file gives (its newest memory is of today), then as if
/// everything had just been said; if `fresh`, only the latter.
///
/// # Errors
/// When a question names what is not in the file, something is refused, or a database is out of reach.
pub async fn evaluate(
    engine: &Engine,
    urls: &DatabaseUrls,
    lines: &[Line],
    ranking: Option<Ranking>,
    fresh: bool,
) -> Result<Reports, Failure> {
    let mut reports = Vec::new();
    for ages in if fresh { vec![Ages::Fresh] } else { vec![Ages::Dated, Ages::Fresh] } {
        reports.push(at_age(engine, urls, lines, (ranking, ages)).await?);
    }
    Ok(Reports(reports))
}

/// An agent with the memories of one scope.
struct Loaded {
    ctx: OpContext,
    ids: HashMap<String, MemoryId>,
    /// The key of each memory that is in force; of several that it stands for, the one whose text it has.
    keys: HashMap<MemoryId, String>,
    /// Keys whose text is in no memory that is in force.
    swallowed: HashSet<String>,
}

async fn at_age(engine: &Engine, urls: &DatabaseUrls, lines: &[Line], (only, ages): (Option<Ranking>, Ages)) -> Result<Report, Failure> {
    let times = || lines.iter().filter_map(|line| if let Line::Memory { at, .. } = line { *at } else { None });
    // Nothing is stated after the moment when it is stored: before all of them, everything is new.
    let now = if ages == Ages::Dated { times().max() } else { times().min() };
    let engine = &engine.with_clock(Arc::new(FileClock::new(now.unwrap_or_else(|| SystemClock.now()))));
    let scopes = load(engine, lines, ages).await?;
    // As on a server that has run for a while.
    vacuum(urls).await?;
    let questions = prepare(engine, lines, &scopes).await?;
    let (mut scores, mut floors, mut found) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for ranking in Ranking::ALL.iter().copied().filter(|ranking| only.is_none_or(|only| only == *ranking)) {
        let judged = ask(engine, &questions, ranking).await?;
        if lines.iter().any(|line| matches!(line, Line::OffTopic { .. })) {
            floors.insert(ranking.to_string(), with_floors(engine, lines, &scopes, questions.iter().zip(&judged), ranking).await?);
        }
        found.extend(questions.iter().zip(&judged).map(|(question, judged)| question.line(ages, ranking, judged)));
        scores.insert(ranking.to_string(), Scores::of(&judged.into_iter().map(|(judged, _)| judged).collect::<Vec<_>>()));
    }
    Ok(Report {
        ages,
        memories: scopes.values().map(|loaded| loaded.ids.len()).sum(),
        swallowed: scopes.values().map(|loaded| loaded.swallowed.len()).sum(),
        scores,
        floors,
        questions: found,
    })
}

async fn load(engine: &Engine, lines: &[Line], ages: Ages) -> Result<HashMap<String, Loaded>, Failure> {
    let slug = if ages == Ages::Dated { "eval-dated" } else { "eval-fresh" };
    let tenant = identity::create_tenant(engine, slug, "Evaluation").await?;
    let bar = bar(lines.iter().filter(|line| matches!(line, Line::Memory { .. })).count(), "memories")?;
    let mut scopes: HashMap<String, Loaded> = HashMap::new();
    let mut texts: HashMap<MemoryId, &str> = HashMap::new();
    for line in lines {
        let Line::Memory { scope, key, text, at, topic } = line else { continue };
        if !scopes.contains_key(scope) {
            let ctx = agent(engine, &tenant, scopes.len()).await?;
            scopes.insert(scope.clone(), Loaded { ctx, ids: HashMap::new(), keys: HashMap::new(), swallowed: HashSet::new() });
        }
        let Some(loaded) = scopes.get_mut(scope) else { continue };
        let topic = topic.as_deref().unwrap_or(scope);
        let stored = memories::remember(engine, &loaded.ctx, memory(topic, scope, text, *at)).await?;
        if stored.was_update || !texts.contains_key(&stored.memory_id) {
            texts.insert(stored.memory_id, text);
        }
        if loaded.ids.insert(key.clone(), stored.memory_id).is_some() {
            return Err(format!("the key {key} occurs twice in the scope {scope}").into());
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    for line in lines {
        let Line::Memory { scope, key, text, .. } = line else { continue };
        let Some((loaded, id)) = scopes.get_mut(scope).and_then(|loaded| loaded.ids.get(key).copied().map(|id| (loaded, id))) else {
            continue;
        };
        if texts.get(&id) == Some(&text.as_str()) {
            loaded.keys.insert(id, key.clone());
        } else {
            loaded.swallowed.insert(key.clone());
        }
    }
    Ok(scopes)
}

/// A question to an agent, what answers it and what the ranking `hybrid` found.
pub(crate) struct Answered {
    pub query: String,
    pub wanted: HashSet<MemoryId>,
    /// All memories that hold the answer, those that a write swallowed included.
    pub evidence: usize,
    pub hits: Vec<MemoryId>,
}

/// The questions of each agent, for a comparison with another store of the same memories: as if everything had just been said.
pub(crate) async fn answers(engine: &Engine, urls: &DatabaseUrls, lines: &[Line]) -> Result<Vec<(OpContext, Vec<Answered>)>, Failure> {
    let first = lines.iter().filter_map(|line| if let Line::Memory { at, .. } = line { *at } else { None }).min();
    let engine = &engine.with_clock(Arc::new(FileClock::new(first.unwrap_or_else(|| SystemClock.now()))));
    let scopes = load(engine, lines, Ages::Fresh).await?;
    vacuum(urls).await?;
    let mut answers: BTreeMap<&str, (OpContext, Vec<Answered>)> = BTreeMap::new();
    for question in &prepare(engine, lines, &scopes).await? {
        let hits = judge(engine, question, Ranking::Hybrid).await?.1;
        let (query, wanted) = (question.query.to_owned(), question.wanted.iter().copied().collect());
        let answered = Answered { query, wanted, evidence: question.evidence.len(), hits };
        answers.entry(question.scope).or_insert_with(|| (question.loaded.ctx.clone(), vec![])).1.push(answered);
    }
    Ok(answers.into_values().collect())
}

/// A question with the memories that hold its answer, and the milliseconds that its embedding took.
struct Question<'a> {
    loaded: &'a Loaded,
    scope: &'a str,
    query: &'a str,
    evidence: &'a [String],
    /// The memories that are evidence; those that a write swallowed are not there to be found.
    wanted: Vec<MemoryId>,
    embedding: f64,
}

impl Question<'_> {
    /// What it found, as a line of the file of questions.
    fn line(&self, ages: Ages, ranking: Ranking, (judged, hits): &(Judged, Vec<MemoryId>)) -> Value {
        let hits: Vec<&String> = hits.iter().filter_map(|id| self.loaded.keys.get(id)).collect();
        json!({
            "ages": ages, "ranking": ranking, "scope": self.scope, "query": self.query, "evidence": self.evidence, "hits": hits,
            "found_at": judged.found,
        })
    }
}

/// Embeds every question before the first search, so that searches are timed with cached vectors and an idle model.
async fn prepare<'a>(engine: &Engine, lines: &'a [Line], scopes: &'a HashMap<String, Loaded>) -> Result<Vec<Question<'a>>, Failure> {
    let bar = bar(questions(lines), "embeddings")?;
    let mut prepared = Vec::new();
    let embed = async |loaded: &Loaded, query: &str| {
        // A question in a language that the model does not know is searched by its words.
        let embedded = if engine.reads(query) { engine.embed_query((&loaded.ctx).into(), query).await.map(drop) } else { Ok(()) };
        embedded.map_err(|_| "the embedding model does not answer")
    };
    for line in lines {
        let (scope, query, evidence) = match line {
            Line::Question { scope, query, evidence, .. } => (scope, query, evidence),
            Line::OffTopic { scope, query } => {
                embed(scope_of(scopes, scope)?, query).await?;
                bar.inc(1);
                continue;
            }
            Line::Memory { .. } => continue,
        };
        let loaded = scope_of(scopes, scope)?;
        if let Some(key) = evidence.iter().find(|key| !loaded.ids.contains_key(*key)) {
            return Err(format!("the evidence {key} is not a memory of the scope {scope}").into());
        }
        let there = evidence.iter().filter(|key| !loaded.swallowed.contains(*key));
        let wanted: Vec<MemoryId> = there.filter_map(|key| loaded.ids.get(key).copied()).collect();
        let start = Instant::now();
        embed(loaded, query).await?;
        prepared.push(Question { loaded, scope, query, evidence, wanted, embedding: start.elapsed().as_secs_f64() * 1000.0 });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(prepared)
}

fn scope_of<'a>(scopes: &'a HashMap<String, Loaded>, scope: &str) -> Result<&'a Loaded, Failure> {
    scopes.get(scope).ok_or_else(|| format!("a question names the scope {scope}, which has no memories").into())
}

/// Asks as an agent would: only what reaches its floor is returned.
async fn with_floors<'a>(
    engine: &Engine,
    lines: &[Line],
    scopes: &HashMap<String, Loaded>,
    judged: impl Iterator<Item = (&'a Question<'a>, &'a (Judged, Vec<MemoryId>))>,
    ranking: Ranking,
) -> Result<Floors, Failure> {
    let mut floors = Floors { off_topic: 0, off_topic_with_hits: 0, answered: 0, lost: 0 };
    let ask = async |loaded: &Loaded, query: &str| {
        let request = RecallRequest { ranking: Some(ranking), k: HITS, ..RecallRequest::new(query) };
        recall::recall(engine, &loaded.ctx, request).await
    };
    for line in lines {
        let Line::OffTopic { scope, query } = line else { continue };
        floors.off_topic += 1;
        floors.off_topic_with_hits += usize::from(!ask(scope_of(scopes, scope)?, query).await?.memories().is_empty());
    }
    for (question, (judged, _)) in judged.filter(|(_, (judged, _))| !judged.found.is_empty()) {
        let answer = ask(question.loaded, question.query).await?;
        let found = answer.memories().iter().filter(|hit| question.wanted.contains(&hit.memory_id)).count();
        floors.answered += 1;
        floors.lost += usize::from(found < judged.found.len());
    }
    Ok(floors)
}

fn questions(lines: &[Line]) -> usize {
    lines.iter().filter(|line| matches!(line, Line::Question { .. } | Line::OffTopic { .. })).count()
}

async fn ask(engine: &Engine, questions: &[Question<'_>], ranking: Ranking) -> Result<Vec<(Judged, Vec<MemoryId>)>, Failure> {
    let bar = bar(questions.len(), format!("questions, {ranking}"))?;
    let mut judged = Vec::new();
    for question in questions {
        judged.push(judge(engine, question, ranking).await?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(judged)
}

async fn judge(engine: &Engine, question: &Question<'_>, ranking: Ranking) -> Result<(Judged, Vec<MemoryId>), Failure> {
    let Question { loaded, query, evidence, wanted, embedding, .. } = question;
    let request = RecallRequest { ranking: Some(ranking), k: HITS, ..RecallRequest::new(query) };
    let start = Instant::now();
    let answer = recall::without_floor(engine, &loaded.ctx, request).await?;
    let without_embedding = start.elapsed().as_secs_f64() * 1000.0;
    let hits = answer.memories();
    let places = hits.iter().enumerate().filter(|(_, hit)| wanted.contains(&hit.memory_id)).map(|(place, _)| place).collect();
    let judged = Judged {
        found: places,
        evidence: evidence.len(),
        returned: hits.len(),
        possible: loaded.keys.len().min(HITS as usize),
        characters: hits.iter().map(|hit| hit.content.chars().count()).sum(),
        with_embedding: embedding + without_embedding,
        without_embedding,
    };
    Ok((judged, hits.iter().map(|hit| hit.memory_id).collect()))
}

impl Display for Reports {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        self.0.iter().try_for_each(|report| report.fmt(f))
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        let scores = &self.scores;
        writeln!(
            f,
            "{}: {} memories, {} of them swallowed by a write\n",
            if self.ages == Ages::Dated { "At their age" } else { "As if just said" },
            self.memories,
            self.swallowed
        )?;
        writeln!(
            f,
            "{:<12} {:>9} {:>9} {:>9} {:>10} {:>7} {:>8} {:>13}",
            "ranking", "questions", "recall@1", "recall@5", "recall@10", "MRR", "nDCG@10", "under-return"
        )?;
        for (ranking, s) in scores {
            writeln!(
                f,
                "{ranking:<12} {:>9} {:>9.3} {:>9.3} {:>10.3} {:>7.3} {:>8.3} {:>13.3}",
                s.questions, s.recall_at_1, s.recall_at_5, s.recall_at_10, s.mrr, s.ndcg_at_10, s.under_return
            )?;
        }
        writeln!(f, "\n{:<12} {:>15} {:>15} {:>15}", "ranking", "p50 / p95 ms", "with embedding", "tokens, 10 hits")?;
        for (ranking, s) in scores {
            let pair = |a: f64, b: f64| format!("{a:.1} / {b:.1}");
            writeln!(
                f,
                "{ranking:<12} {:>15} {:>15} {:>15.0}",
                pair(s.p50_ms, s.p95_ms),
                pair(s.p50_with_embedding_ms, s.p95_with_embedding_ms),
                s.tokens
            )?;
        }
        if !self.floors.is_empty() {
            writeln!(f, "\n{:<12} {:>22} {:>28}", "floors", "off topic, with hits", "answered, lost by the floor")?;
        }
        for (ranking, Floors { off_topic, off_topic_with_hits, answered, lost }) in &self.floors {
            writeln!(f, "{ranking:<12} {:>22} {:>28}", format!("{off_topic}, {off_topic_with_hits}"), format!("{answered}, {lost}"))?;
        }
        writeln!(f)
    }
}
