//! Changing the embedding model while everything runs.

use crate::support::{Fetch, agent, ingest, number, remember, work};
use chrono::Duration;
use foundation::engine::Loader;
use foundation::testing::{Fake, FakeClock, TestDatabases, World, fact, question};
use foundation::{Engine, Error, registry};
use futures_util::future::BoxFuture;
use models::Embedder;
use remembrancer::model_change::{self, Comparison, Filled, Filler, Kind};
use remembrancer::{knowledge, memories, recall, workers};
use serde_json::json;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use wire::{KnowledgeRequest, MatchedBy, MemoryId};

/// The names of the models that the fakes stand for.
const OLD: &str = "all-MiniLM-L6-v2";
const NEW: &str = "text-embedding-3-small";
const VECTORS_OF_NEW: &str = "select count(*) from embeddings_1536 where memory_id = $1";

/// Loads the two fakes.
struct Fakes([Fake; 2]);

impl Loader for Fakes {
    fn load<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Arc<dyn Embedder>, String>> {
        let found = self.0.iter().find(|fake| fake.model() == name).cloned();
        Box::pin(async move {
            let fake: Arc<dyn Embedder> = Arc::new(found.ok_or_else(|| format!("the folder of {name} is empty"))?);
            Ok(fake)
        })
    }
}

/// A world whose model is the old one, and a fake of the new one.
async fn changeable() -> (World, Fake) {
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    registry::current(&urls, Some(OLD)).await.unwrap();
    let (mut world, new) = (World::on(urls).await, Fake::with_dimension(1536));
    world.engine = world.engine.clone().with_loader(Arc::new(Fakes([world.embedder.clone(), new.clone()])));
    (world, new)
}

/// A process: what it has loaded, and what it fills in.
struct Process {
    kept: workers::Kept,
    filler: Filler,
}

impl Process {
    fn new(engine: &Engine) -> Self {
        Self { kept: workers::Kept::default(), filler: Filler::new(engine, CancellationToken::new()) }
    }

    /// One round of its workers; how many texts got a vector.
    async fn round(&self, engine: &Engine) -> usize {
        workers::follow_once(engine, &self.kept).await.unwrap();
        workers::fill_once(engine, &self.kept, &self.filler).await.unwrap()
    }
}

async fn models_of(world: &World, id: MemoryId) -> Vec<String> {
    let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
    memories::store::embedded_by(&mut tx, world.system.tenancy(), agent(&world.atlas), id).await.unwrap()
}

/// How the memory about tea is found by an engine.
async fn found_by(engine: &Engine, world: &World) -> Option<MatchedBy> {
    let answer = recall::recall(engine, &world.atlas, question("Which tea does Vera like?")).await.unwrap();
    assert!(answer.degraded.is_empty(), "{:?}", answer.degraded);
    answer.memories().first().map(|hit| hit.matched_by)
}

#[tokio::test]
async fn a_switch_comes_between_two_requests_and_writes_before_it_have_both_vectors() {
    let (world, _) = changeable().await;
    let (engine, process) = (&world.engine, Process::new(&world.engine));
    let before = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    assert_eq!(process.round(engine).await, 0, "a model that was never changed needs no filling in");
    model_change::add(engine, NEW).await.unwrap();
    assert_eq!(process.round(engine).await, 1);
    let meanwhile = remember(&world, &world.atlas, fact("billing", "Invoices leave on Monday")).await.memory_id;
    assert_eq!((process.round(engine).await, process.round(engine).await), (1, 0));
    for id in [before, meanwhile] {
        assert_eq!(models_of(&world, id).await, [OLD, NEW]);
    }

    let begun = engine.current();
    model_change::switch(engine, NEW, false).await.unwrap();
    assert_eq!(process.round(engine).await, 0);
    let now = engine.current();
    assert_eq!([begun.model().name.as_str(), now.model().name.as_str()], [OLD, NEW]);
    assert_eq!((found_by(&begun, &world).await, found_by(&now, &world).await), (Some(MatchedBy::Both), Some(MatchedBy::Both)));

    let after = memories::remember(&now, &world.atlas, fact("backups", "Backups run at night")).await.unwrap().memory_id;
    assert_eq!(models_of(&world, after).await, [NEW]);
    assert_eq!(
        (process.round(&now).await, models_of(&world, after).await),
        (1, vec![OLD.to_owned(), NEW.to_owned()]),
        "until it is dropped"
    );
    assert_eq!(model_change::rollback(engine, false).await.unwrap(), OLD);
    process.round(engine).await;
    assert_eq!((engine.current().model().name.as_str(), found_by(&engine.current(), &world).await), (OLD, Some(MatchedBy::Both)));
}

#[tokio::test]
async fn another_process_goes_on_where_one_was_killed() {
    let (world, new) = changeable().await;
    let (engine, killed) = (&world.engine, Process::new(&world.engine));
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    model_change::add(engine, NEW).await.unwrap();
    new.fail();
    assert_eq!(killed.round(engine).await, 0);
    new.work();
    let next = Process::new(engine);
    assert_eq!((next.round(engine).await, number(&world, VECTORS_OF_NEW, id).await), (0, 0), "one fills in at a time");
    world.clock.advance(Duration::minutes(2));
    assert_eq!((next.round(engine).await, number(&world, VECTORS_OF_NEW, id).await), (1, 1));
    let model = registry::registered(&engine.db().control, NEW).await.unwrap().unwrap();
    let progress = model_change::progress(engine, &world.system, &model).await.unwrap();
    assert_eq!(progress[0], (Kind::Memories, Filled { total: 1, filled: 1 }));
}

#[tokio::test]
async fn a_new_content_takes_the_vectors_of_the_former_one_away() {
    let (world, _) = changeable().await;
    let (engine, process) = (&world.engine, Process::new(&world.engine));
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    model_change::add(engine, NEW).await.unwrap();
    process.round(engine).await;
    let revision = serde_json::from_value(json!({ "memory": id, "content": "Vera likes coffee" })).unwrap();
    memories::revise(engine, &world.atlas, revision).await.unwrap();
    assert_eq!(models_of(&world, id).await, [OLD]);
    assert_eq!((process.round(engine).await, models_of(&world, id).await), (1, vec![OLD.to_owned(), NEW.to_owned()]));
}

#[tokio::test]
async fn what_lacks_a_vector_after_a_switch_is_found_by_its_words_until_it_has_one() {
    let (world, new) = changeable().await;
    let (engine, process) = (&world.engine, Process::new(&world.engine));
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    model_change::add(engine, NEW).await.unwrap();
    model_change::switch(engine, NEW, true).await.unwrap();
    new.fail();
    process.round(engine).await;
    new.work();
    let awaiting = "select count(*) from agent_memories where live and awaiting_vector";
    assert_eq!(sqlx::query_scalar::<_, i64>(awaiting).one(engine).await, 1);
    assert_eq!(found_by(&engine.current(), &world).await, Some(MatchedBy::Lexical));
    assert_eq!(process.round(engine).await, 1);
    assert_eq!(sqlx::query_scalar::<_, i64>(awaiting).one(engine).await, 0);
    assert_eq!(found_by(&engine.current(), &world).await, Some(MatchedBy::Both));
}

#[tokio::test]
async fn a_change_that_cannot_be_is_refused_and_changes_nothing() {
    let (world, new) = changeable().await;
    let engine = &world.engine;
    for n in 0..40 {
        remember(&world, &world.atlas, fact(&format!("shelf {n}"), &format!("Box {n} holds cables"))).await;
    }
    let unknown = model_change::add(engine, "all-maxilm").await.unwrap_err();
    assert!(unknown.to_string().contains(OLD), "{unknown}");
    let broken = model_change::add(engine, "multilingual-e5-small").await.unwrap_err();
    assert!(matches!(&broken, Error::Misconfigured(reason) if reason.contains("is empty")), "{broken}");
    let refused = [
        (model_change::switch(engine, NEW, false).await.unwrap_err(), "model add"),
        (model_change::rollback(engine, false).await.unwrap_err(), "no earlier model"),
        (model_change::drop_model(engine, OLD).await.unwrap_err(), "is the current model"),
    ];
    for (error, sentence) in refused {
        assert!(matches!(error, Error::Conflict(_)) && error.to_string().contains(sentence), "{error}");
    }
    new.fail();
    let silent = model_change::add(engine, NEW).await.unwrap_err();
    assert!(matches!(&silent, Error::Misconfigured(reason) if reason.contains("gives no vectors")), "{silent}");
    new.work();
    model_change::add(engine, NEW).await.unwrap();
    let early = model_change::switch(engine, NEW, false).await.unwrap_err();
    assert!(early.to_string().starts_with("40 texts lack a vector"), "{early}");
    let kept: Vec<_> =
        model_change::models(engine).await.unwrap().into_iter().map(|model| (model.name, model.is_current, model.is_kept)).collect();
    assert_eq!(kept[..2], [(OLD.to_owned(), true, true), (NEW.to_owned(), false, true)]);
    assert!(kept[2..].iter().all(|(_, is_current, is_kept)| !is_current && !is_kept), "{kept:?}");
}

#[tokio::test]
async fn a_document_that_nobody_finds_gets_no_vector() {
    let (world, _) = changeable().await;
    let (engine, process) = (&world.engine, Process::new(&world.engine));
    let file =
        |status: &str| format!("---\nstatus: {status}\n---\n# Tea\n\nThe kettle of the {status} plan is boiled twice.\n").into_bytes();
    let files = ["accepted", "superseded"].map(|status| (format!("{status}.md"), file(status)));
    assert_eq!(ingest(&world, "plans", files.into()).await.added, 2);
    work(&world).await;
    model_change::add(engine, NEW).await.unwrap();
    process.round(engine).await;
    model_change::switch(engine, NEW, false).await.unwrap();
    process.round(engine).await;
    let engine = &engine.current();
    let progress = model_change::progress(engine, &world.system, engine.model()).await.unwrap();
    assert_eq!(progress[1], (Kind::Sections, Filled { total: 1, filled: 1 }));
    let request = KnowledgeRequest { query: "the kettle of the superseded plan".into(), k: 5, kinds: vec![] };
    let found = knowledge::search(engine, &world.atlas, request).await.unwrap().hits;
    assert_eq!(found.iter().map(|hit| hit.matched_by).collect::<Vec<_>>(), [MatchedBy::Both]);
    let awaiting = "select count(*) from chunks where awaiting_vector";
    assert_eq!(sqlx::query_scalar::<_, i64>(awaiting).one(&engine.urls().shared_kb).await, 0);
}

#[tokio::test]
async fn a_dropped_model_has_no_vectors_and_the_other_one_keeps_its_own() {
    let (world, _) = changeable().await;
    let (engine, process) = (&world.engine, Process::new(&world.engine));
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    model_change::add(engine, NEW).await.unwrap();
    process.round(engine).await;
    model_change::switch(engine, NEW, false).await.unwrap();
    process.round(engine).await;
    assert_eq!(model_change::drop_model(engine, OLD).await.unwrap(), 1);
    assert_eq!((process.round(engine).await, models_of(&world, id).await), (0, vec![NEW.to_owned()]));
    assert_eq!(found_by(&engine.current(), &world).await, Some(MatchedBy::Both));
    let nothing = model_change::rollback(engine, false).await.unwrap_err();
    assert!(nothing.to_string().contains("no earlier model"), "{nothing}");
}

#[tokio::test]
async fn a_comparison_asks_the_logged_questions_and_logs_none() {
    let (world, _) = changeable().await;
    let (engine, process) = (&world.engine, Process::new(&world.engine));
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    model_change::add(engine, NEW).await.unwrap();
    process.round(engine).await;
    let stop = CancellationToken::new();
    let log = tokio::spawn(workers::write_log(engine.clone(), stop.clone()));
    for _ in 0..2 {
        recall::recall(engine, &world.atlas, question("Which tea does Vera like?")).await.unwrap();
    }
    engine.log().flush().await;
    let mut questions = model_change::logged(engine, &world.system, 10).await.unwrap();
    assert_eq!(questions.len(), 1, "the same question twice is one");
    questions[0].memory_ids = vec![id];
    let (other, mut sum) = (engine.with_model(engine.load(NEW).await.unwrap()), Comparison::default());
    model_change::compare(engine, &other, &world.system, &questions, &mut sum).await.unwrap();
    assert_eq!((sum.overlap(), sum.recall(), sum.skipped), (Some(1.0), Some([1.0, 1.0]), 0));
    engine.log().flush().await;
    stop.cancel();
    log.await.unwrap();
    assert_eq!(sqlx::query_scalar::<_, i64>("select count(*) from retrievals").one(engine).await, 2);
}
