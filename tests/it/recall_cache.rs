//! The recall cache changes no answer: the same questions with it, without it, cold, behind the writes of another server, and too small.

use crate::narrowing::{Row, WORDS, narrowed, organisation, user_id};
use crate::portability::{exported, import, newcomer};
use crate::support::{agent, ingestion, patient, work};
use chrono::{DateTime, Duration, Utc};
use db::clock::Clock;
use foundation::testing::{Fake, FakeClock, TestDatabases, World, fact, workers};
use foundation::{Engine, OpContext, Settings};
use portability::Selection;
use remembrancer::erasure::store as erasure;
use remembrancer::knowledge::{self, CandidateQuery, Extent, Ingestion, PreparedQuery, RankedChunk};
use remembrancer::memories::store as records;
use remembrancer::{memories, recall};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wire::{
    Area, DocumentId, DocumentKind, ForgetRequest, MemoryId, MemoryStatus, Ranking, RecallFilters, RecallRequest, RememberRequest,
    Retention, UserRef,
};

const ROOM: usize = 64 * 1024 * 1024;
/// Holds no agent of these tests.
const NO_ROOM: usize = 16 * 1024;

fn settings(recall_cache_bytes: usize) -> Settings {
    Settings { recall_cache_bytes, recall_cache_from: 1, ..patient() }
}

/// Servers on one database: one without the cache, whose answers are right, and others.
struct Servers {
    world: World,
    others: Vec<(&'static str, Engine)>,
}

impl Servers {
    async fn new() -> Self {
        let fake = Fake::new();
        let urls = TestDatabases::fresh(&FakeClock::default()).await;
        let world = World::with(urls.clone(), Arc::new(fake.clone()), fake, settings(0)).await;
        let mut others = Vec::new();
        for (name, room) in [("cached", ROOM), ("another cached one", ROOM), ("without room", NO_ROOM)] {
            let (embedder, clock) = (Arc::new(world.embedder.clone()), Arc::<FakeClock>::clone(&world.clock));
            others.push((name, Engine::open(urls.clone(), embedder, clock, settings(room)).await.unwrap()));
        }
        Self { world, others }
    }

    fn right(&self) -> &Engine {
        &self.world.engine
    }

    fn cached(&self) -> &Engine {
        &self.others[0].1
    }

    /// Any of them.
    fn any(&self, dice: &mut Dice) -> &Engine {
        match dice.below(self.others.len() + 1) {
            0 => self.right(),
            other => &self.others[other - 1].1,
        }
    }

    /// The answer of all, which is one.
    async fn ask(&self, ctx: &OpContext, request: &RecallRequest) -> Value {
        // Scores change with time.
        let at = Stopped(self.world.clock.now());
        let right = answer(self.right(), at, ctx, request).await;
        for (name, engine) in &self.others {
            assert_eq!(answer(engine, at, ctx, request).await, right, "{name}: {request:?}");
            // What the cache lacked is there for the next question.
            engine.finish_deferred().await;
        }
        right
    }

    /// The chunks that all find, which are the same.
    async fn look_up(&self, ctx: &OpContext, asked: &Asked) -> Vec<RankedChunk> {
        let right = asked.chunks(self.right(), ctx).await;
        for (name, engine) in &self.others {
            assert_eq!(asked.chunks(engine, ctx).await, right, "{name}: {asked:?}");
            engine.finish_deferred().await;
        }
        right
    }
}

/// A question about knowledge.
#[derive(Debug)]
struct Asked {
    query: String,
    kinds: Vec<DocumentKind>,
    categories: Vec<String>,
    ranking: Ranking,
    most: usize,
}

impl Asked {
    /// What is found, relevant or not.
    async fn chunks(&self, engine: &Engine, ctx: &OpContext) -> Vec<RankedChunk> {
        let prepared = PreparedQuery::new(engine, ctx.into(), self.query.clone()).await;
        let query = CandidateQuery {
            prepared: &prepared,
            kinds: &self.kinds,
            categories: &self.categories,
            ranking: self.ranking,
            floors: engine.model().floors,
            most: self.most,
            at: None,
        };
        knowledge::candidates(engine, ctx.tenancy(), &query).await.unwrap()
    }
}

/// A clock that stands.
#[derive(Clone, Copy)]
struct Stopped(DateTime<Utc>);

impl Clock for Stopped {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// The whole answer, explanations included, without its id.
async fn answer(engine: &Engine, at: Stopped, ctx: &OpContext, request: &RecallRequest) -> Value {
    let engine = engine.with_clock(Arc::new(at));
    let mut answer = serde_json::to_value(recall::without_floor(&engine, ctx, request.clone()).await.unwrap()).unwrap();
    answer["retrieval_id"] = Value::Null;
    answer
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn words(&mut self, most: usize) -> String {
        let words: Vec<&str> = (0..=self.below(most)).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }

    fn user(&mut self) -> Option<UserRef> {
        (self.below(2) == 0).then(|| UserRef::Id(user_id(self.below(4) as u64)))
    }

    fn question(&mut self, filters: &[RecallFilters]) -> RecallRequest {
        let ranking = [Ranking::Decay, Ranking::Hybrid, Ranking::HybridDecay][self.below(3)];
        let filters = if self.below(2) == 0 { RecallFilters::default() } else { filters[self.below(filters.len())].clone() };
        let k = 1 + u32::try_from(self.below(30)).unwrap();
        RecallRequest { k, user_id: self.user(), ranking: Some(ranking), filters, ..RecallRequest::new(&self.words(6)) }
    }

    /// One of all documents that there may be, in some edition; some are drafts, which nobody finds.
    fn document(&mut self, edition: usize) -> (String, Vec<u8>) {
        let folder = ["docs/adr", "docs/specs/approved", "notes"][self.below(3)];
        let path = format!("{folder}/00{}-manual.md", 1 + self.below(6));
        let status = if self.below(5) == 0 { "draft" } else { "accepted" };
        let sections: String = (0..6).map(|part| format!("## Part {part}\n\nEdition {edition}: {}.\n\n", self.words(14))).collect();
        (path, format!("---\nstatus: {status}\n---\n\n# Manual\n\n{sections}").into_bytes())
    }

    fn asked(&mut self) -> Asked {
        let kinds = [vec![], vec![], vec![DocumentKind::Adr], vec![DocumentKind::Spec, DocumentKind::Document]];
        let categories = [vec![], vec![], vec!["payments"], vec!["adr", "imported"]];
        Asked {
            query: self.words(6),
            kinds: kinds[self.below(4)].clone(),
            categories: categories[self.below(4)].iter().map(|name| (*name).to_owned()).collect(),
            ranking: [Ranking::Decay, Ranking::Hybrid, Ranking::HybridDecay][self.below(3)],
            most: 1 + self.below(30),
        }
    }

    fn memory(&mut self, number: usize) -> RememberRequest {
        let retention = [Retention::Permanent, Retention::Routine, Retention::Decision][self.below(3)];
        let content = format!("Remark {number}: {}.", self.words(9));
        RememberRequest { user_id: self.user(), retention: Some(retention), ..fact(WORDS[self.below(WORDS.len())], &content) }
    }
}

/// Whether the servers keep anything: not on a cluster, where each node numbers its own transactions.
fn is_kept() -> bool {
    workers().is_empty()
}

#[tokio::test]
async fn no_answer_depends_on_the_cache() {
    let servers = Servers::new().await;
    let (world, mut dice) = (&servers.world, Dice(7));
    let now = world.clock.now();
    let rows: Vec<Row> = (0..400).map(|n| Row::new(n, now)).collect();
    let ctx = organisation(servers.right(), 1, rows.iter()).await;
    work(world).await;
    let filters: Vec<RecallFilters> = narrowed(now).into_iter().map(|case| case.filters).collect();
    let mut remembered: Vec<(MemoryId, Option<UserRef>)> = Vec::new();
    let mut answers = 0;
    for round in 0..8 {
        for number in 0..6 {
            let request = dice.memory(round * 6 + number);
            let user = request.user_id.clone();
            // Some get their vectors only later.
            if number == 5 {
                world.embedder.fail();
            }
            let memory = memories::remember(servers.any(&mut dice), &ctx, request).await.unwrap().memory_id;
            if !remembered.iter().any(|(known, _)| *known == memory) {
                remembered.push((memory, user));
            }
            world.embedder.work();
        }
        for _ in 0..2 {
            let (memory, user_id) = remembered.swap_remove(dice.below(remembered.len()));
            let request = ForgetRequest { memory_id: memory.into(), reason: None, user_id };
            memories::forget(servers.any(&mut dice), &ctx, request).await.unwrap();
        }
        if round % 3 == 2 {
            work(world).await;
            world.clock.advance(Duration::days(4));
        }
        for _ in 0..24 {
            let answer = servers.ask(&ctx, &dice.question(&filters)).await;
            answers += usize::from(answer["zero_hit"] == false);
        }
    }
    assert!(answers > 100, "only {answers} questions found anything");
    assert_eq!(servers.right().recall_cache().bytes(), 0);
    for (name, engine) in &servers.others {
        assert_eq!(engine.recall_cache().bytes() > 0, is_kept() && *name != "without room", "{name}");
    }
}

#[tokio::test]
async fn a_change_that_commits_late_and_an_erasure_are_seen() {
    let servers = Servers::new().await;
    let (right, mut dice) = (servers.right(), Dice(11));
    let now = servers.world.clock.now();
    let rows: Vec<Row> = (0..120).map(|n| Row::new(n, now)).collect();
    let ctx = organisation(right, 1, rows.iter()).await;
    work(&servers.world).await;
    let of_nobody = |topic: &str, request: RememberRequest| RememberRequest {
        user_id: None,
        retention: Some(Retention::Permanent),
        topic_raw: topic.to_owned(),
        ..request
    };
    let contradicted = RecallFilters { statuses: vec![MemoryStatus::Contradicted], ..RecallFilters::default() };
    let question = RecallRequest { k: 100, filters: contradicted, ..RecallRequest::new("gasket for the pump valve") };
    let all = RecallRequest { filters: RecallFilters::default(), ..question.clone() };
    let first = memories::remember(right, &ctx, of_nobody("beacon", dice.memory(1))).await.unwrap().memory_id;
    servers.ask(&ctx, &all).await;
    let read = servers.cached().recall_cache().bytes();
    assert_eq!(read > 0, is_kept(), "the cache was filled");

    let mut late = right.db().memory.begin(ctx.tenancy()).await.unwrap();
    records::set_status(&mut late, ctx.tenancy(), agent(&ctx), first, MemoryStatus::Contradicted).await.unwrap();
    let second = memories::remember(right, &ctx, of_nobody("lighthouse", dice.memory(2))).await.unwrap().memory_id;
    let before = servers.ask(&ctx, &question).await;
    assert!(!names(&before, first));
    assert_eq!(servers.cached().recall_cache().bytes() > read, is_kept(), "what was written since was read");
    late.commit().await.unwrap();
    assert!(names(&servers.ask(&ctx, &question).await, first), "the older transaction committed later");

    assert!(names(&servers.ask(&ctx, &all).await, second));
    let mut tx = right.db().memory.begin_erasure(ctx.tenant_id).await.unwrap();
    let doomed = erasure::doomed(&mut tx, ctx.tenant_id, &[second]).await.unwrap();
    erasure::delete_memories(&mut tx, ctx.tenant_id, &doomed).await.unwrap();
    tx.commit().await.unwrap();
    for _ in 0..2 {
        assert!(!names(&servers.ask(&ctx, &all).await, second));
    }
}

/// Adds and replaces documents of a collection, and retires that of a path.
async fn ingest(engine: &Engine, ctx: &OpContext, collection: &str, files: Vec<(String, Vec<u8>)>, gone: &str) {
    let extent = Extent::Part { gone: vec![gone.to_owned()] };
    let report = knowledge::ingest(engine, ctx, Ingestion { extent, ..ingestion(collection, files) }, &|_, _| {}).await.unwrap();
    assert_eq!(report.failures, []);
}

#[tokio::test]
async fn no_answer_about_knowledge_depends_on_the_cache() {
    let servers = Servers::new().await;
    let (world, right, mut dice) = (&servers.world, servers.right(), Dice(5));
    let elsewhere = newcomer(right).await;
    let files = |dice: &mut Dice, edition: usize, most: usize| -> Vec<(String, Vec<u8>)> {
        (0..most).map(|_| dice.document(edition)).collect::<BTreeMap<_, _>>().into_iter().collect()
    };
    ingest(right, &elsewhere, "imported", files(&mut dice, 0, 6), "none").await;
    let file = exported(right, &elsewhere, &Selection::Only(BTreeSet::from([Area::Knowledge]))).await;
    for collection in ["acme", "payments"] {
        ingest(right, &world.system, collection, files(&mut dice, 0, 24), "none").await;
    }
    work(world).await;
    let mut found = 0;
    for round in 1..8 {
        // New chunks get their vectors only later.
        let collection = ["acme", "payments"][dice.below(2)];
        let files = files(&mut dice, round, 3);
        let (gone, _) = dice.document(round);
        ingest(servers.any(&mut dice), &world.system, collection, files, &gone).await;
        if round == 3 {
            import(right, &world.system, &file).await.unwrap();
        }
        for turn in 0..8 {
            if turn == 4 && round % 2 == 0 {
                work(world).await;
            }
            found += servers.look_up(&world.atlas, &dice.asked()).await.len();
        }
        // Otherwise it was refused, because it differed from the counts of words.
        assert_eq!(servers.cached().recall_cache().bytes() > 0, is_kept(), "round {round}");
    }
    assert!(found > 400, "only {found} chunks were found");

    let all = Asked { query: "pump valve".into(), kinds: vec![], categories: vec![], ranking: Ranking::Hybrid, most: 100 };
    let doomed = servers.look_up(&world.atlas, &all).await[0].found.document_id;
    let is_found = |chunks: &[RankedChunk], document: DocumentId| chunks.iter().any(|chunk| chunk.found.document_id == document);
    let mut late = right.db().kb.begin(world.system.tenancy()).await.unwrap();
    assert!(knowledge::store::retire(&mut late, world.system.tenant_id, doomed, world.clock.now()).await.unwrap());
    assert!(is_found(&servers.look_up(&world.atlas, &all).await, doomed));
    late.commit().await.unwrap();
    assert!(!is_found(&servers.look_up(&world.atlas, &all).await, doomed), "the older transaction committed later");
    for (name, engine) in &servers.others {
        assert_eq!(engine.recall_cache().bytes() > 0, is_kept() && *name != "without room", "{name}");
    }
}

/// Whether an answer has a memory.
fn names(answer: &Value, memory: MemoryId) -> bool {
    answer["hits"].as_array().unwrap().iter().any(|hit| hit["memory_id"] == memory.to_string())
}

/// Statements that change nothing of what a search narrows by, counts or compares.
const UNSEEN: [&str; 7] = [
    "set access_count = m.access_count + hits.count",
    "set awaiting_vector = false",
    "set awaiting_vector = not m.awaiting_vector",
    "set trust = 'captured'",
    "set version = version + 1 where",
    "set version = version + case when (topic, is_canonical)",
    "set word_rules = 0",
];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// What is not narrowed by, counted or compared of a chunk.
const UNSEEN_OF_CHUNKS: [&str; 1] = ["set awaiting_vector = not c.awaiting_vector"];

/// Functions that change the words, the vectors or the validity of chunks, each with what marks the chunks as written in its transaction.
const CHANGES_OF_CHUNKS: [(&str, &str); 5] = [
    ("put_chunk_vector", "it marks the chunk"),
    ("put_words", "the chunks are new, or `mark_sections` follows"),
    ("retire", "it marks the chunks"),
    ("drop_words_of_sections", "`mark_sections` follows"),
    ("put_chunks", "the chunks are new"),
];

/// The sources with statements, each on one line.
fn statements() -> Vec<(PathBuf, String)> {
    let (root, mut files) = (Path::new(env!("CARGO_MANIFEST_DIR")), Vec::new());
    for folder in ["src", "crates/foundation/src", "server/portability/src"] {
        sources(&root.join(folder), &mut files);
    }
    let text = |file: &PathBuf| std::fs::read_to_string(file).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    files.into_iter().map(|file| (file.clone(), text(&file))).collect()
}

/// The cache reads again what was written since: a statement that did not say that it writes would not be seen.
#[test]
fn every_statement_that_changes_what_a_search_reads_says_so() {
    let mut statements_of = BTreeMap::new();
    for (file, text) in statements() {
        for (table, unseen) in [("update agent_memories", &UNSEEN[..]), ("update chunks ", &UNSEEN_OF_CHUNKS[..])] {
            for statement in text.split(table).skip(1) {
                let statement: String = statement.chars().take(600).collect();
                let says = statement.contains("written = pg_current_xact_id()") || unseen.iter().any(|unseen| statement.contains(unseen));
                assert!(says, "{}: {statement}", file.display());
                *statements_of.entry(table).or_insert(0) += 1;
            }
        }
    }
    assert!(statements_of["update agent_memories"] > 15 && statements_of["update chunks "] == 4, "{statements_of:?}");
}

#[test]
fn every_function_that_changes_chunks_marks_them() {
    const CHANGES: [&str; 5] = [
        "insert into chunk_terms",
        "delete from chunk_terms",
        "update chunk_embeddings_",
        "insert into {table} (tenant_id, chunk_id",
        "update documents ",
    ];
    let mut changing = BTreeSet::new();
    for (_, text) in statements() {
        for function in text.split("pub async fn ").skip(1).filter(|function| CHANGES.iter().any(|change| function.contains(change))) {
            changing.insert(function.split(['(', '<']).next().unwrap().to_owned());
        }
    }
    assert_eq!(changing, CHANGES_OF_CHUNKS.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<String>>());
}
