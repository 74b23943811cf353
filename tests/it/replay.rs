//! The retrieval log: told as it stood, and asked again as of its time.

use crate::records::revision;
use crate::support::{alone, alone_with, remember};
use chrono::Duration;
use remembrancer::api::{Page, RecallRequest, RecallResponse, Replay, Retrieval, RetrievalFilter, RetrievalId, TermChange, UserId};
use remembrancer::knowledge::{self, Extent, Ingestion};
use remembrancer::testing::{World, fact, nowhere, question};
use remembrancer::vocabulary::{self, NewTerm};
use remembrancer::{Error, Settings, memories, recall, workers};
use std::num::NonZeroU32;
use tokio_util::sync::CancellationToken;

async fn logged() -> World {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    world
}

async fn asked(world: &World, request: RecallRequest) -> RecallResponse {
    let answer = recall::recall(&world.engine, &world.atlas, request).await.unwrap();
    world.engine.log().flush().await;
    world.clock.advance(Duration::seconds(1));
    answer
}

async fn again(world: &World, id: RetrievalId) -> Replay {
    recall::replay(&world.engine, &world.vera, id, None).await.unwrap()
}

fn contents(list: &[remembrancer::api::Considered]) -> Vec<&str> {
    list.iter().filter(|one| one.rank.is_some()).map(|one| one.content.as_str()).collect()
}

async fn tea(world: &World) -> [remembrancer::api::MemoryId; 3] {
    let mut ids = vec![];
    for content in ["Vera likes black tea", "Idris likes green tea", "Mina likes tea with milk"] {
        ids.push(remember(world, &world.atlas, fact("tea", content)).await.memory_id);
        world.clock.advance(Duration::days(1));
    }
    ids.try_into().unwrap()
}

#[tokio::test]
async fn a_recall_gives_the_same_answer_after_deletion_revision_and_term_merge() {
    let world = logged().await;
    let [black, green, _] = tea(&world).await;
    let first = asked(&world, question("who likes which tea")).await;
    let then = again(&world, first.retrieval_id).await;
    assert!(then.same, "{:?}", then.lost);
    assert_eq!(contents(&then.logged.considered), contents(&then.today));
    assert_eq!(then.lost, [] as [&str; 0]);

    memories::delete(&world.engine, &world.vera, &[black], "she changed her mind").await.unwrap();
    remember(&world, &world.atlas, fact("tea", "Idris likes green tea!")).await;
    vocabulary::add(&world.engine, &world.vera, NewTerm { term: "hot drink", aliases: &["tea"], ..NewTerm::default() }).await.unwrap();
    crate::support::work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?} {:?} {:?}", now.lost, contents(&now.replayed), contents(&now.logged.considered));
    assert_eq!(contents(&now.replayed), contents(&then.logged.considered));
    let gone: Vec<_> = now.logged.considered.iter().filter(|one| one.gone).map(|one| one.memory_id.unwrap()).collect();
    assert_eq!(gone, [black]);
    assert!(!now.today.iter().any(|one| one.memory_id == Some(black)));
    let revised = now.today.iter().find(|one| one.memory_id == Some(green)).unwrap();
    assert_eq!((revised.content.as_str(), revised.title.as_str()), ("Idris likes green tea!", "hot drink"));
    let score = |list: &[remembrancer::api::Considered]| list.iter().map(|one| (one.score * 1e4).round()).collect::<Vec<_>>();
    assert_eq!(score(&now.replayed), score(&then.replayed), "to the score");
}

#[tokio::test]
async fn what_was_said_again_since_was_as_old_as_it_was() {
    let world = logged().await;
    let mut ids = vec![];
    for name in ["Vera", "Idris", "Mina"] {
        ids.push(remember(&world, &world.atlas, fact(&format!("tea of {name}"), "likes tea")).await.memory_id);
        world.clock.advance(Duration::days(20));
    }
    let first = asked(&world, question("likes tea")).await;
    assert_eq!(first.memories().last().unwrap().memory_id, ids[0], "the oldest comes last");
    assert!(remember(&world, &world.atlas, fact("tea of Vera", "likes tea")).await.unchanged);
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!(now.today[0].memory_id, Some(ids[0]));
}

#[tokio::test]
async fn knowledge_is_asked_as_it_was_in_force() {
    let world = logged().await;
    let text = |content: &str| Ingestion {
        collection: "acme".into(),
        files: vec![("tea.md".to_owned(), content.as_bytes().to_vec())],
        extent: Extent::Whole,
        revision: None,
        dry_run: false,
        failures: vec![],
    };
    knowledge::ingest(&world.engine, &world.system, text("# Tea\n\nThe house tea is Assam.\n"), &|_, _| {}).await.unwrap();
    crate::support::work(&world).await;
    world.clock.advance(Duration::seconds(1));
    let first = asked(&world, question("the house tea is")).await;
    assert_eq!(first.knowledge().len(), 1);
    knowledge::ingest(&world.engine, &world.system, text("# Tea\n\nThe house tea is Darjeeling.\n"), &|_, _| {}).await.unwrap();
    crate::support::work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!(contents(&now.replayed), ["The house tea is Assam."]);
    assert_eq!(contents(&now.today), ["The house tea is Darjeeling."]);
}

#[tokio::test]
async fn what_had_no_vector_then_is_found_by_its_words_again() {
    let world = logged().await;
    world.embedder.fail();
    remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    let first = asked(&world, question("black tea")).await;
    assert_eq!((first.hits.len(), first.degraded.as_slice()), (1, ["embedding".to_owned()].as_slice()));
    world.embedder.work();
    crate::support::work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!(now.replayed[0].matched_by, remembrancer::api::MatchedBy::Lexical);
    assert_eq!(now.today[0].matched_by, remembrancer::api::MatchedBy::Both);
}

#[tokio::test]
async fn as_of_asks_what_was_known_and_leaves_no_trace() {
    let world = logged().await;
    let [black, ..] = tea(&world).await;
    let before = world.engine.clock().now();
    world.clock.advance(Duration::days(1));
    memories::revise(&world.engine, &world.atlas, revision(black, "Vera likes cocoa")).await.unwrap();
    let past = RecallRequest { as_of: Some(before), ..question("black tea") };
    assert_eq!(asked(&world, past).await.memories()[0].content, "Vera likes black tea");
    assert!(asked(&world, question("black tea")).await.memories().iter().all(|hit| hit.content != "Vera likes black tea"));
    let log = recall::retrievals(&world.engine, &world.vera, &RetrievalFilter::default()).await.unwrap();
    assert_eq!(log.rows.len(), 1, "the question about the past is not in it");

    let future = RecallRequest { as_of: Some(world.engine.clock().now() + Duration::days(1)), ..question("tea") };
    let error = recall::recall(&world.engine, &world.atlas, future).await.unwrap_err();
    assert_eq!(error.fields()[0].field, "as_of");
}

#[tokio::test]
async fn the_log_is_read_by_whom_it_concerns() {
    let world = logged().await;
    let [black, ..] = tea(&world).await;
    let first = asked(&world, question("black tea")).await;
    asked(&world, RecallRequest { user_id: Some(UserId(nowhere()).into()), ..question("quarterly budget") }).await;
    let ids = |page: Page<Retrieval>| page.rows.into_iter().map(|row| row.query).collect::<Vec<_>>();
    let list = |filter: RetrievalFilter, ctx: remembrancer::OpContext| {
        let engine = world.engine.clone();
        async move { recall::retrievals(&engine, &ctx, &filter).await }
    };
    let all = RetrievalFilter::default();
    assert_eq!(ids(list(all.clone(), world.vera.clone()).await.unwrap()), ["quarterly budget", "black tea"]);
    let own = ids(list(all.clone(), world.atlas.clone()).await.unwrap());
    assert_eq!(own, ["black tea"], "what another user asked is not told");
    assert_eq!(ids(list(all.clone(), world.binky.clone()).await.unwrap()).len(), 0);
    let returned = RetrievalFilter { memory_id: Some(black), ..all.clone() };
    assert_eq!(ids(list(returned, world.vera.clone()).await.unwrap()), ["black tea"]);
    let silent = RetrievalFilter { zero_hit: Some(true), q: Some("BUDGET".into()), ..all.clone() };
    assert_eq!(ids(list(silent, world.vera.clone()).await.unwrap()), ["quarterly budget"]);
    let foreign = RetrievalFilter { agent_id: Some(world.binky.agent_id().unwrap()), ..all };
    assert_eq!(list(foreign, world.atlas.clone()).await.unwrap_err().fields()[0].field, "agent_id");
    assert!(matches!(recall::retrieval(&world.engine, &world.binky, first.retrieval_id, None).await.unwrap_err(), Error::NotFound(_)));
    assert!(matches!(recall::replay(&world.engine, &world.vera, RetrievalId(nowhere()), None).await.unwrap_err(), Error::NotFound(_)));
}

#[tokio::test]
async fn the_log_is_kept_for_as_long_as_it_is_told() {
    let world = alone_with(Settings { retrieval_log_days: NonZeroU32::new(30), ..Settings::default() }).await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    tea(&world).await;
    asked(&world, question("black tea")).await;
    world.clock.advance(Duration::days(20));
    let kept = asked(&world, question("green tea")).await;
    world.clock.advance(Duration::days(20));
    assert_eq!(recall::sweep(&world.engine, world.engine.clock().now()).await.unwrap(), 1);
    let left = recall::retrievals(&world.engine, &world.vera, &RetrievalFilter::default()).await.unwrap();
    assert_eq!(left.rows.iter().map(|row| row.id).collect::<Vec<_>>(), [kept.retrieval_id]);
}

#[tokio::test]
async fn a_retired_term_is_what_it_was() {
    let world = logged().await;
    let term =
        vocabulary::add(&world.engine, &world.vera, NewTerm { term: "chai", aliases: &["masala"], ..NewTerm::default() }).await.unwrap();
    remember(&world, &world.atlas, fact("masala", "Mina adds cardamom")).await;
    world.clock.advance(Duration::seconds(2));
    let first = asked(&world, question("masala")).await;
    assert_eq!(first.query_canonical.as_deref(), Some("chai"));
    let retire = TermChange::Retire { reason: "nobody says so".into() };
    vocabulary::change(&world.engine, &world.vera, term.term_id.unwrap(), &retire).await.unwrap();
    crate::support::work(&world).await;
    let now = again(&world, first.retrieval_id).await;
    assert!(now.same, "{:?}", now.lost);
    assert_eq!(now.replayed[0].title, "chai");
}
