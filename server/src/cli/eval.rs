//! `remembrancer eval`: measures how well the rankings find known answers, in databases that are dropped afterwards.

use super::Failure;
use super::file_clock::FileClock;
use crate::config::Config;
use crate::serve::{self, IfAbsent};
use chrono::{DateTime, Utc};
use clap::Subcommand;
use db::clock::{Clock, SystemClock};
use db::{DatabaseUrls, drop_databases, vacuum};
use foundation::{CACHED_QUERIES, Engine, OpContext, identity};
use indicatif::{ProgressBar, ProgressStyle};
use remembrancer::recall::eval::{Judged, Scores};
use remembrancer::{memories, recall};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use wire::{MemoryId, Ranking, RecallRequest, RememberRequest, Scope, Source};

#[derive(Subcommand)]
pub enum Eval {
    /// Load memories and questions (JSON lines) and print how well each ranking finds the evidence
    Retrieval {
        file: PathBuf,
        /// Only this ranking
        #[arg(long)]
        ranking: Option<Ranking>,
        /// Only as if everything had just been said; otherwise first at the age that the file gives (its newest memory is of today)
        #[arg(long)]
        fresh: bool,
        /// Write what each question found to this file (JSON lines)
        #[arg(long, value_name = "FILE")]
        questions: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Capture conversations (JSON lines), confirm what was extracted, and print how well recall finds the evidence of questions
    Capture { file: PathBuf },
    /// Record observations of people (JSON lines) and print how well the profiles fit what is known about them
    Profile {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Assemble contexts for tasks (JSON lines) and print how well they hold the facts of each, with parts of memory switched off
    Context {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Extract candidates from labelled turns (JSON lines) and print how well they fit what people noted
    Extraction {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// A line of the file.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
    Memory {
        /// Questions are asked among the memories of one scope.
        scope: String,
        key: String,
        text: String,
        #[serde(default)]
        at: Option<DateTime<Utc>>,
        /// Its topic; the scope by default.
        #[serde(default)]
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
}

/// Hits per question: as many as an agent would ask for.
pub(super) const HITS: u32 = 10;
const LINE_MAX: usize = 1024 * 1024;

/// What to measure.
#[derive(Debug, Default)]
pub struct Options {
    pub ranking: Option<Ranking>,
    pub fresh: bool,
    pub questions: Option<PathBuf>,
    pub json: bool,
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
    #[serde(skip)]
    questions: Vec<Value>,
}

/// Runs the evaluation in databases of its own.
///
/// # Errors
/// When a line cannot be read (the error names it), or a database is out of reach.
pub async fn retrieval(config: Config, file: &Path, options: Options) -> Result<(), Failure> {
    let lines: Vec<Line> = read(file).await?;
    let count = questions(&lines);
    if count as u64 > CACHED_QUERIES {
        return Err(format!("{} holds {count} questions; at most {CACHED_QUERIES} can be asked at once", file.display()).into());
    }
    let (only, fresh) = (options.ranking, options.fresh);
    let reports = in_own_databases(config, move |engine, urls| async move {
        let mut reports = Vec::new();
        for ages in if fresh { vec![Ages::Fresh] } else { vec![Ages::Dated, Ages::Fresh] } {
            reports.push(evaluate(&engine, &urls, &lines, (only, ages)).await?);
        }
        Ok(reports)
    })
    .await?;
    if let Some(path) = &options.questions {
        let text: String = reports.iter().flat_map(|report| &report.questions).map(|question| format!("{question}\n")).collect();
        tokio::fs::write(path, text).await.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&reports)?);
    } else {
        reports.iter().for_each(print);
    }
    Ok(())
}

/// Runs work in databases that are dropped afterwards, on a Postgres that exists.
///
/// # Errors
/// Those of the work, and when a database is out of reach.
pub(super) async fn in_own_databases<T: Send + 'static, F: Future<Output = Result<T, Failure>> + Send + 'static>(
    mut config: Config,
    work: impl FnOnce(Engine, DatabaseUrls) -> F,
) -> Result<T, Failure> {
    // No request waits, so every memory can wait for its vector.
    config.write_embedding_budget = Duration::from_secs(60);
    let (urls, postgres) = serve::databases(&config, IfAbsent::Refuse).await?;
    let urls = DatabaseUrls::beside(&urls, &format!("_eval_{}", std::process::id()))?;
    let done = async {
        let engine = serve::open_at(&config, urls.clone(), serve::embedder(&config).await?).await?;
        // On a worker thread, like requests: on this one every wake-up would cross threads.
        let done = tokio::spawn(work(engine.clone(), urls.clone())).await;
        engine.db().close().await;
        done?
    }
    .await;
    let dropped = drop_databases(&urls).await;
    if let Some(postgres) = postgres {
        postgres.stop().await?;
    }
    let done = done?;
    dropped?;
    Ok(done)
}

/// Reads a file of JSON lines; empty ones are skipped.
///
/// # Errors
/// When a line cannot be read; the error names it.
pub async fn read<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, Failure> {
    let opened = tokio::fs::File::open(file).await.map_err(|error| format!("{}: {error}", file.display()))?;
    let (mut lines, mut number) = (Vec::new(), 0);
    let mut reader = BufReader::new(opened).lines();
    while let Some(line) = reader.next_line().await.map_err(|error| format!("{}: line {}: {error}", file.display(), number + 1))? {
        number += 1;
        if line.len() > LINE_MAX {
            return Err(format!("{}: line {number} is longer than {LINE_MAX} bytes", file.display()).into());
        }
        if !line.trim().is_empty() {
            lines.push(serde_json::from_str(&line).map_err(|error| format!("{}: line {number}: {error}", file.display()))?);
        }
    }
    Ok(lines)
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

async fn evaluate(engine: &Engine, urls: &DatabaseUrls, lines: &[Line], (only, ages): (Option<Ranking>, Ages)) -> Result<Report, Failure> {
    let times = || lines.iter().filter_map(|line| if let Line::Memory { at, .. } = line { *at } else { None });
    // Nothing is stated after the moment when it is stored: before all of them, everything is new.
    let now = if ages == Ages::Dated { times().max() } else { times().min() };
    let engine = &engine.with_clock(Arc::new(FileClock::new(now.unwrap_or_else(|| SystemClock.now()))));
    let scopes = load(engine, lines, ages).await?;
    // As on a server that has run for a while.
    vacuum(urls).await?;
    let questions = prepare(engine, lines, &scopes).await?;
    let (mut scores, mut found) = (BTreeMap::new(), Vec::new());
    for ranking in Ranking::ALL.iter().copied().filter(|ranking| only.is_none_or(|only| only == *ranking)) {
        let judged = ask(engine, &questions, ranking).await?;
        found.extend(questions.iter().zip(&judged).map(|(question, judged)| question.line(ages, ranking, judged)));
        scores.insert(ranking.to_string(), Scores::of(&judged.into_iter().map(|(judged, _)| judged).collect::<Vec<_>>()));
    }
    Ok(Report {
        ages,
        memories: scopes.values().map(|loaded| loaded.ids.len()).sum(),
        swallowed: scopes.values().map(|loaded| loaded.swallowed.len()).sum(),
        scores,
        questions: found,
    })
}

pub(super) fn bar(len: usize, message: String) -> Result<ProgressBar, Failure> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}")?;
    Ok(ProgressBar::new(len as u64).with_style(style).with_message(message))
}

async fn load(engine: &Engine, lines: &[Line], ages: Ages) -> Result<HashMap<String, Loaded>, Failure> {
    let slug = if ages == Ages::Dated { "eval-dated" } else { "eval-fresh" };
    let tenant = identity::create_tenant(engine, slug, "Evaluation").await?;
    let bar = bar(lines.iter().filter(|line| matches!(line, Line::Memory { .. })).count(), "memories".into())?;
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

pub(super) async fn agent(engine: &Engine, tenant: &OpContext, number: usize) -> Result<OpContext, Failure> {
    let agent = identity::create_agent(engine, tenant, &format!("scope-{number}"), "A scope of the evaluation", false).await?;
    let scopes = [Scope::MemoryRead, Scope::MemoryWrite, Scope::CaptureWrite, Scope::ContextRead];
    let (_, key) = identity::create_key(engine, tenant, agent.id, "evaluation", &scopes, None, None).await?;
    Ok(identity::authenticate(engine, &key, wire::RequestId(SystemClock.id())).await?)
}

/// The request with which an agent would remember a turn: its words, time and place.
pub(super) fn memory(topic: &str, scope: &str, text: &str, at: Option<DateTime<Utc>>) -> RememberRequest {
    let source = Source { platform: "eval".into(), channel_id: Some(scope.into()), observed_at: at, ..Source::default() };
    let kind = Some(wire::MemoryKind::Episode);
    RememberRequest { topic_raw: topic.into(), content: text.into(), source, kind, ..RememberRequest::default() }
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
    let bar = bar(questions(lines), "embeddings".into())?;
    let mut prepared = Vec::new();
    for line in lines {
        let Line::Question { scope, query, evidence, .. } = line else { continue };
        let loaded = scopes.get(scope).ok_or_else(|| format!("a question names the scope {scope}, which has no memories"))?;
        if let Some(key) = evidence.iter().find(|key| !loaded.ids.contains_key(*key)) {
            return Err(format!("the evidence {key} is not a memory of the scope {scope}").into());
        }
        let there = evidence.iter().filter(|key| !loaded.swallowed.contains(*key));
        let wanted: Vec<MemoryId> = there.filter_map(|key| loaded.ids.get(key).copied()).collect();
        let start = Instant::now();
        // A question in a language that the model does not know is searched by its words.
        if engine.reads(query) {
            engine.embed_query((&loaded.ctx).into(), query).await.map_err(|_| "the embedding model does not answer")?;
        }
        prepared.push(Question { loaded, scope, query, evidence, wanted, embedding: start.elapsed().as_secs_f64() * 1000.0 });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(prepared)
}

fn questions(lines: &[Line]) -> usize {
    lines.iter().filter(|line| matches!(line, Line::Question { .. })).count()
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

fn print(report: &Report) {
    let scores = &report.scores;
    println!(
        "{}: {} memories, {} of them swallowed by a write\n",
        if report.ages == Ages::Dated { "At their age" } else { "As if just said" },
        report.memories,
        report.swallowed
    );
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>10} {:>7} {:>8} {:>13}",
        "ranking", "questions", "recall@1", "recall@5", "recall@10", "MRR", "nDCG@10", "under-return"
    );
    for (ranking, s) in scores {
        println!(
            "{ranking:<12} {:>9} {:>9.3} {:>9.3} {:>10.3} {:>7.3} {:>8.3} {:>13.3}",
            s.questions, s.recall_at_1, s.recall_at_5, s.recall_at_10, s.mrr, s.ndcg_at_10, s.under_return
        );
    }
    println!("\n{:<12} {:>15} {:>15} {:>15}", "ranking", "p50 / p95 ms", "with embedding", "tokens, 10 hits");
    for (ranking, s) in scores {
        let pair = |a: f64, b: f64| format!("{a:.1} / {b:.1}");
        println!(
            "{ranking:<12} {:>15} {:>15} {:>15.0}",
            pair(s.p50_ms, s.p95_ms),
            pair(s.p50_with_embedding_ms, s.p95_with_embedding_ms),
            s.tokens
        );
    }
    println!();
}
