//! Vectors that come late, and the queue that brings them.

use crate::support::{Fetch, Told, agent, alone, alone_with, ask, contents, impatient, number, remember, work};
use chrono::Duration;
use db::clock::Clock;
use foundation::jobs::State;
use foundation::jobs::store::{Ending, Load, claim, depth, extend, finish};
use foundation::testing::{World, fact};
use remembrancer::{memories, overview, workers};
use tokio_util::sync::CancellationToken;
use wire::{EventId, MatchedBy, MemoryId, MemoryStatus, NothingReason, Relation};

const VECTORS: &str = "select count(*) from embeddings_384 where memory_id = $1";

async fn once(world: &World) -> usize {
    workers::work(&world.engine, &CancellationToken::new()).await.unwrap()
}

async fn states(world: &World) -> Vec<(String, i64)> {
    let mut depth = depth(world.engine.db().memory.system()).await.unwrap();
    depth.sort_unstable();
    depth
}

fn state(state: &str) -> Vec<(String, i64)> {
    vec![(state.to_owned(), 1)]
}

#[tokio::test]
async fn a_model_that_hangs_delays_the_vector_and_not_the_memory() {
    let world = alone_with(impatient()).await;
    world.embedder.hang();
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    assert_eq!(number(&world, VECTORS, id).await, 0);
    // Neither the memory nor the question has a vector: only words count.
    let answer = ask(&world, &world.atlas, "Which tea does Vera like?").await;
    assert_eq!(answer.degraded, ["embedding"]);
    assert_eq!((answer.memories().len(), answer.memories()[0].matched_by), (1, MatchedBy::Lexical));
    assert!(answer.memories()[0].explanation.starts_with("Matches by words ("), "{}", answer.memories()[0].explanation);
    let nothing = ask(&world, &world.atlas, "quarterly figures").await;
    assert_eq!((nothing.zero_hit, nothing.reason), (true, Some(NothingReason::Degraded)), "an answer that may be wrong says so");
    // The job cannot be done either, and does not hang for ever.
    assert_eq!((once(&world).await, states(&world).await), (1, state("failed")));
    world.embedder.work();
    // Now the question has one, the memory still not.
    let answer = ask(&world, &world.atlas, "Which tea does Vera like?").await;
    assert_eq!((answer.degraded.len(), answer.memories()[0].matched_by), (0, MatchedBy::Lexical));
    let late = async || overview::overview(&world.engine, &world.vera).await.unwrap().attention.late_vectors;
    assert_eq!(late().await, 0, "a vector of the last minute is not late");
    world.clock.advance(Duration::minutes(2));
    assert_eq!(late().await, 1);
    work(&world).await;
    assert_eq!(late().await, 0);
    assert_eq!((number(&world, VECTORS, id).await, states(&world).await), (1, vec![]));
    let answer = ask(&world, &world.atlas, "Which tea does Vera like?").await;
    assert_eq!((answer.memories().len(), answer.memories()[0].matched_by), (1, MatchedBy::Both));
}

#[tokio::test]
async fn a_clock_that_is_set_back_delays_the_vector_and_loses_nothing() {
    let world = alone().await;
    let ahead = Duration::hours(1);
    world.clock.advance(ahead);
    world.embedder.fail();
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    world.embedder.work();
    world.clock.advance(-ahead);
    let next = remember(&world, &world.atlas, fact("billing", "Invoices leave on Monday")).await.memory_id;
    work(&world).await;
    // The job became due at a time that has not come yet. What is written now does not wait for it.
    assert_eq!((number(&world, VECTORS, id).await, number(&world, VECTORS, next).await), (0, 1));
    world.clock.advance(ahead);
    work(&world).await;
    assert_eq!((number(&world, VECTORS, id).await, states(&world).await), (1, vec![]));
}

#[tokio::test]
async fn a_memory_without_a_vector_stands_beside_those_that_have_one() {
    let world = alone().await;
    let with = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    world.embedder.fail();
    let without = remember(&world, &world.atlas, fact("breakfast", "Vera takes tea with toast")).await.memory_id;
    remember(&world, &world.atlas, fact("billing", "Invoices leave on Monday")).await;
    world.embedder.work();
    let answer = ask(&world, &world.atlas, "Vera tea").await;
    let mut found: Vec<_> = answer.memories().iter().map(|hit| (hit.memory_id, hit.matched_by)).collect();
    found.sort_unstable_by_key(|(_, by)| by.as_str());
    assert_eq!(found, [(with, MatchedBy::Both), (without, MatchedBy::Lexical)]);
}

#[tokio::test]
async fn a_near_duplicate_that_is_found_late_is_superseded_and_linked() {
    let world = alone().await;
    world.embedder.fail();
    let first = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    let second = remember(&world, &world.atlas, fact("tea", "Vera likes tea!")).await.memory_id;
    let other = remember(&world, &world.atlas, fact("tea", "The kettle is broken")).await.memory_id;
    assert_ne!(first, second);
    assert_eq!(contents(&world, &world.atlas, "tea").await.len(), 3);
    world.embedder.work();
    work(&world).await;
    let detail = |id: MemoryId| memories::detail(&world.engine, &world.vera, id);
    let (old, new, kept) = (detail(first).await.unwrap(), detail(second).await.unwrap(), detail(other).await.unwrap());
    assert_eq!(
        (old.memory.status, new.memory.status, kept.memory.status),
        (MemoryStatus::Superseded, MemoryStatus::Active, MemoryStatus::Active)
    );
    assert_eq!(old.record.versions.iter().map(|v| v.change.as_str()).collect::<Vec<_>>(), ["superseded", "created"]);
    assert_eq!(
        (new.record.links[0].relation, new.record.links[0].outgoing, new.record.links[0].other_id),
        (Relation::Supersedes, true, first)
    );
    let mut left = contents(&world, &world.atlas, "tea").await;
    left.sort_unstable();
    assert_eq!(left, ["The kettle is broken", "Vera likes tea!"]);
    assert_eq!(number(&world, "select count(*) from memory_terms where memory_id = $1", first).await, 0);
    crate::support::settle(&world).await;
    assert!(detail(first).await.unwrap().audit.iter().any(|entry| entry.action == "memory.superseded" && entry.actor_kind == "system"));
}

#[tokio::test]
async fn the_newer_stands_even_if_its_vector_came_first() {
    let world = alone().await;
    world.embedder.fail();
    let older = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    world.embedder.work();
    let newer = remember(&world, &world.atlas, fact("tea", "Vera likes tea!")).await.memory_id;
    assert_ne!(older, newer, "a memory without a vector cannot be compared");
    work(&world).await;
    assert_eq!(contents(&world, &world.atlas, "tea").await, ["Vera likes tea!"]);
    assert_eq!(number(&world, "select count(*) from embeddings_384 where memory_id = $1 and live", older).await, 0);
}

#[tokio::test]
async fn decisions_stay_apart_even_when_found_late() {
    let world = alone().await;
    world.embedder.fail();
    for content in ["We keep Postgres", "We keep Postgres!"] {
        let mut request = fact("storage", content);
        request.kind = Some(wire::MemoryKind::Decision);
        remember(&world, &world.atlas, request).await;
    }
    world.embedder.work();
    work(&world).await;
    assert_eq!(contents(&world, &world.atlas, "keep Postgres").await.len(), 2);
}

#[tokio::test]
async fn what_was_forgotten_meanwhile_gets_no_vector() {
    let world = alone().await;
    world.embedder.fail();
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    memories::delete(&world.engine, &world.vera, &[id], "wrong").await.unwrap();
    world.embedder.work();
    work(&world).await;
    assert_eq!((number(&world, VECTORS, id).await, states(&world).await), (0, vec![]));
    memories::restore(&world.engine, &world.vera, &[id], "right after all").await.unwrap();
    assert_eq!(ask(&world, &world.atlas, "tea").await.told()[0].matched_by, MatchedBy::Lexical);
    work(&world).await;
    assert_eq!(ask(&world, &world.atlas, "tea").await.told()[0].matched_by, MatchedBy::Both);
}

#[tokio::test]
async fn a_failed_job_is_tried_again_later_and_later_until_it_is_dead() {
    let world = alone().await;
    world.embedder.fail();
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    for attempt in 1..=8_u32 {
        assert_eq!(once(&world).await, 1, "attempt {attempt}");
        assert_eq!(once(&world).await, 0, "not at once");
        let expected = if attempt < 8 { "failed" } else { "dead" };
        assert_eq!(states(&world).await, state(expected), "attempt {attempt}");
        // Due after 2, 4, 8, … seconds and not before.
        world.clock.advance(Duration::seconds(2_i64.pow(attempt) / 2));
        assert_eq!(once(&world).await, 0, "attempt {attempt} was not due");
        world.clock.advance(Duration::seconds(2_i64.pow(attempt) / 2));
    }
    world.embedder.work();
    world.clock.advance(Duration::days(365));
    assert_eq!(once(&world).await, 0, "dead is dead");
    let (error, finished): (String, bool) =
        sqlx::query_as("select error, finished_at is not null from events where state = 'dead'").one(&world.engine).await;
    assert!(error.contains("the fake was told to fail") && finished, "{error}");
}

#[tokio::test]
async fn whoever_lost_the_lease_cannot_end_the_job() {
    let world = alone().await;
    world.embedder.fail();
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let pool = world.engine.db().memory.system();
    let take = || async {
        let now = world.clock.now();
        claim(pool, Load::Light, now, now + Duration::seconds(30), 10).await.unwrap()
    };
    let first = take().await.pop().unwrap();
    assert_eq!((first.attempt, first.agent_id), (1, agent(&world.atlas)));
    assert!(take().await.is_empty(), "a lease that runs is respected");
    world.clock.advance(Duration::seconds(25));
    assert!(extend(pool, &first, world.clock.now() + Duration::seconds(30)).await.unwrap());
    world.clock.advance(Duration::seconds(25));
    assert!(take().await.is_empty(), "a lease that was prolonged is respected");
    world.clock.advance(Duration::seconds(10));
    let second = take().await.pop().unwrap();
    assert_eq!((second.id, second.attempt), (first.id, 2));
    let ending =
        || Ending { state: State::Done, error: None, outcome: None, run_after: world.clock.now(), now: world.clock.now(), counts: true };
    assert!(!extend(pool, &first, world.clock.now() + Duration::seconds(30)).await.unwrap());
    assert!(!finish(pool, &first, &ending()).await.unwrap(), "the first has lost it");
    assert_eq!(states(&world).await, state("running"));
    assert!(finish(pool, &second, &ending()).await.unwrap());
    assert!(!finish(pool, &second, &ending()).await.unwrap(), "it ends once");
    assert_eq!(states(&world).await, vec![]);
}

#[tokio::test]
async fn a_job_that_kills_its_worker_ends_too() {
    let world = alone().await;
    world.embedder.fail();
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    world.embedder.work();
    for _ in 0..8 {
        let now = world.clock.now();
        assert_eq!(claim(world.engine.db().memory.system(), Load::Light, now, now + Duration::seconds(30), 10).await.unwrap().len(), 1);
        // That worker never reports back.
        world.clock.advance(Duration::seconds(31));
    }
    assert_eq!((once(&world).await, states(&world).await), (1, state("dead")));
    assert_eq!(number(&world, VECTORS, id).await, 0);
}

#[tokio::test]
async fn concurrent_workers_never_claim_the_same_event() {
    let world = alone().await;
    world.embedder.fail();
    for n in 0..30 {
        remember(&world, &world.atlas, fact(&format!("topic {n}"), "x")).await;
    }
    let now = world.clock.now();
    let pool = world.engine.db().memory.system();
    let claims = (0..6).map(|_| claim(pool, Load::Light, now, now + Duration::seconds(30), 10));
    let mut ids: Vec<EventId> =
        futures_util::future::join_all(claims).await.into_iter().flat_map(Result::unwrap).map(|leased| leased.id).collect();
    ids.extend(claim(pool, Load::Light, now, now + Duration::seconds(30), 100).await.unwrap().into_iter().map(|leased| leased.id));
    let claimed = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((claimed, ids.len()), (30, 30));
}
