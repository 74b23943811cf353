//! Expectations: what a run finds, what it leaves out, and when one is requested.

use crate::support::{Fetch, agent, all_row_counts, alone, memory_owner, remember, settle, work};
use chrono::TimeDelta;
use db::Users;
use db::clock::Clock;
use foundation::testing::{World, fact};
use foundation::{Error, OpContext};
use remembrancer::vocabulary::{self, NewTerm};
use remembrancer::{erasure, memories, workers};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use wire::{
    EXPECTATIONS_MAX, EXPECTED_MEMORIES_MAX, ExpectationOrigin, ExpectationRun, ExpectationRunId, ExpectationSetDetail, ExpectationSetId,
    ForgetRequest, Gate, LinkRequest, MemoryId, MemoryRef, NewExpectation, Relation, RunCause, UserId, UserRef,
};

const MINA: UserId = UserId(Uuid::from_u128(0x41));
const FERRY: &str = "When does the heron ferry leave?";

/// A world whose workers run expectations.
async fn evaluating() -> World {
    let mut world = alone().await;
    world.engine = world.engine.clone().with_evaluator(Arc::new(expectations::Runner));
    world
}

fn new(world: &World, query: &str, memories: &[MemoryId]) -> NewExpectation {
    NewExpectation {
        set: "ferries".into(),
        query: query.into(),
        agent_id: agent(&world.atlas),
        user_id: None,
        memories: memories.iter().copied().map(MemoryRef::Id).collect(),
        origin: ExpectationOrigin::ZeroHit,
        note: None,
    }
}

async fn expect(world: &World, new: NewExpectation) -> ExpectationSetId {
    expectations::expect(&world.engine, &world.vera, new).await.unwrap().0
}

async fn run(world: &World, set: ExpectationSetId) -> ExpectationRun {
    let id = ExpectationRunId(world.clock.id());
    expectations::evaluate(&world.engine, &world.system, set, RunCause::Requested, id).await.unwrap()
}

async fn detail(world: &World, set: ExpectationSetId) -> ExpectationSetDetail {
    expectations::set(&world.engine, &world.vera, set).await.unwrap()
}

async fn stored(world: &World, ctx: &OpContext, content: &str) -> MemoryId {
    // Of one topic they might become one memory.
    remember(world, ctx, fact(&content[content.len() - 20..], content)).await.memory_id
}

async fn forget(world: &World, id: MemoryId) {
    memories::forget(&world.engine, &world.atlas, ForgetRequest { memory_id: id.into(), reason: None, user_id: None }).await.unwrap();
}

#[tokio::test]
async fn a_run_finds_what_the_agent_and_the_user_would_and_leaves_no_trace() {
    let world = evaluating().await;
    let of_mina = OpContext { users: Users::One(MINA), ..world.atlas.clone() };
    let ferry = stored(&world, &world.atlas, "The heron ferry leaves from pier four at noon.").await;
    let minas = stored(&world, &of_mina, "The heron ferry carries the bicycle of Mina for free.").await;
    let foreign = stored(&world, &world.binky, "The heron ferry is painted green every spring.").await;
    let set = expect(&world, new(&world, FERRY, &[ferry])).await;
    expect(&world, NewExpectation { user_id: Some(UserRef::Id(MINA)), ..new(&world, "The heron ferry", &[minas, ferry]) }).await;
    expect(&world, new(&world, "Does the heron ferry carry a bicycle?", &[minas])).await;
    expect(&world, NewExpectation { user_id: Some(UserRef::Id(MINA)), ..new(&world, "Does the heron ferry carry a bicycle?", &[minas]) })
        .await;
    expect(&world, new(&world, "Which colour is the heron ferry?", &[foreign, ferry])).await;
    settle(&world).await;
    let before = all_row_counts(world.engine.urls()).await;
    let accesses: i64 = sqlx::query_scalar("select sum(access_count)::bigint from agent_memories").one(&world.engine).await;

    let stop = CancellationToken::new();
    let log = tokio::spawn(workers::write_log(world.engine.clone(), stop.clone()));
    let found = run(&world, set).await;
    world.engine.log().flush().await;
    stop.cancel();
    log.await.unwrap();
    let after = all_row_counts(world.engine.urls()).await;
    let changed: Vec<&str> = after.iter().filter(|count| !before.contains(count)).map(|(table, _)| table.as_str()).collect();
    assert_eq!(changed, ["expectation_results", "expectation_runs"], "no recall was logged or counted");
    let accessed: i64 = sqlx::query_scalar("select sum(access_count)::bigint from agent_memories").one(&world.engine).await;
    assert_eq!(accessed, accesses);

    assert_eq!((found.expectations, found.counted, found.met), (5, 5, 3));
    assert_eq!(found.recall, Some((1.0 + 1.0 + 0.0 + 1.0 + 0.5) / 5.0));
    let detail = detail(&world, set).await;
    let outcome = |place: usize| detail.rows[place].outcome.unwrap();
    // Newest first.
    assert_eq!((outcome(0).found, outcome(0).expected, outcome(0).stopped_by), (1, 2, Some(Gate::Agent)), "not what binky has");
    assert!(outcome(1).is_met(), "as Mina sees it: {:?}", outcome(1));
    assert_eq!((outcome(2).rank, outcome(2).stopped_by), (None, Some(Gate::User)), "not as nobody sees it");
    assert_eq!((outcome(3).found, outcome(3).rank, outcome(3).stopped_by), (2, Some(1), None), "both in one answer");
    assert_eq!((outcome(4).rank, outcome(4).stopped_by), (Some(1), None));
}

#[tokio::test]
async fn what_was_forgotten_counts_in_no_number_and_what_was_superseded_leads_to_its_successor() {
    let world = evaluating().await;
    let old = stored(&world, &world.atlas, "The heron ferry leaves at nine from the old pier.").await;
    let gone = stored(&world, &world.atlas, "The otter barge needs a permit from the harbour.").await;
    let set = expect(&world, new(&world, FERRY, &[old])).await;
    expect(&world, new(&world, "Does the otter barge need a permit?", &[gone])).await;
    assert_eq!(run(&world, set).await.met, 2);

    let newer = stored(&world, &world.atlas, "The heron ferry leaves at ten from the new pier.").await;
    let request = LinkRequest { from: newer.into(), to: old.into(), relation: Relation::Supersedes, remove: false, user_id: None };
    memories::link(&world.engine, &world.atlas, request).await.unwrap();
    forget(&world, gone).await;
    let last = run(&world, set).await;
    assert_eq!((last.expectations, last.counted, last.met, last.recall), (2, 1, 1, Some(1.0)));
    let now = detail(&world, set).await;
    assert!(now.rows[0].is_gone() && now.rows[0].change.is_none(), "forgotten on purpose is not lost: {:?}", now.rows[0]);
    assert_eq!((now.rows[1].memories[0].id, now.rows[1].memories[0].is_gone), (newer, false));
}

#[tokio::test]
async fn a_miss_passes_once_its_cause_is_mended_and_the_change_is_shown() {
    let world = evaluating().await;
    let tea = remember(&world, &world.atlas, fact("beverages", "Assam at nine, without sugar.")).await.memory_id;
    let set = expect(&world, new(&world, "quarterly infusion", &[tea])).await;
    let missed = run(&world, set).await;
    assert_eq!((missed.met, missed.recall, missed.mrr), (0, Some(0.0), Some(0.0)));
    let aliases = &["quarterly infusion"][..];
    vocabulary::add(&world.engine, &world.system, NewTerm { term: "beverages", aliases, ..NewTerm::default() }).await.unwrap();
    work(&world).await;
    assert_eq!(run(&world, set).await.met, 1);
    let sets = expectations::sets(&world.engine, &world.vera).await.unwrap();
    assert_eq!((sets[0].won, sets[0].lost, sets[0].expectations), (1, 0, 1));
    assert_eq!(sets[0].set.before.as_ref().map(|before| before.met), Some(0));
    forget(&world, tea).await;
    run(&world, set).await;
    assert_eq!(expectations::sets(&world.engine, &world.vera).await.unwrap()[0].lost, 0, "forgotten is not lost");
}

/// How many events of runs there are in each state.
async fn runs(world: &World) -> Vec<(String, i64)> {
    sqlx::query_as("select state, count(*) from events where task = 'run_expectations' group by state order by state")
        .all(&world.engine)
        .await
}

#[tokio::test]
async fn one_run_of_a_set_waits_and_a_change_requests_another() {
    let world = evaluating().await;
    let ferry = stored(&world, &world.atlas, "The heron ferry leaves from pier four at noon.").await;
    let set = expect(&world, new(&world, FERRY, &[ferry])).await;
    let changed = || expectations::request_changed(&world.engine, &world.system);
    assert_eq!(changed().await.unwrap(), 0, "nobody has run it");
    assert!(expectations::request_run(&world.engine, &world.vera, set).await.unwrap());
    assert!(!expectations::request_run(&world.engine, &world.vera, set).await.unwrap());
    assert!(detail(&world, set).await.set.waiting);
    assert_eq!(runs(&world).await, [("pending".to_owned(), 1)]);
    work(&world).await;
    assert_eq!(runs(&world).await, [("done".to_owned(), 1)]);
    assert_eq!(changed().await.unwrap(), 0, "nothing changed");

    vocabulary::add(&world.engine, &world.system, NewTerm { term: "harbour crane", ..NewTerm::default() }).await.unwrap();
    settle(&world).await;
    work(&world).await;
    assert_eq!((changed().await.unwrap(), changed().await.unwrap()), (1, 0), "another server sees the same change");
    work(&world).await;
    let detail = detail(&world, set).await;
    assert_eq!(detail.runs.iter().map(|run| run.cause).collect::<Vec<_>>(), [RunCause::Changed, RunCause::Requested]);
    assert!(detail.runs[0].vocabulary_version > detail.runs[1].vocabulary_version && !detail.set.waiting);

    // A job that is done again stores its run once.
    let id = detail.runs[0].id;
    expectations::evaluate(&world.engine, &world.system, set, RunCause::Changed, id).await.unwrap();
    assert_eq!(expectations::set(&world.engine, &world.vera, set).await.unwrap().runs.len(), 2);
    expectations::delete_set(&world.engine, &world.vera, set).await.unwrap();
    assert!(matches!(expectations::set(&world.engine, &world.vera, set).await, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn a_search_that_runs_in_part_is_no_measure() {
    let world = evaluating().await;
    let ferry = stored(&world, &world.atlas, "The heron ferry leaves from pier four at noon.").await;
    let set = expect(&world, new(&world, FERRY, &[ferry])).await;
    world.embedder.fail();
    let id = ExpectationRunId(world.clock.id());
    let refused = expectations::evaluate(&world.engine, &world.system, set, RunCause::Requested, id).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    assert!(expectations::request_run(&world.engine, &world.vera, set).await.unwrap());
    let attempts = async || -> (String, i32) {
        let attempts = "select state, attempt - attempts_before from events where task = 'run_expectations'";
        sqlx::query_as(attempts).one(&world.engine).await
    };
    work(&world).await;
    assert_eq!(attempts().await, ("failed".to_owned(), 0), "waiting is no attempt");
    assert!(detail(&world, set).await.runs.is_empty());
    work(&world).await;
    assert_eq!(runs(&world).await, [("failed".to_owned(), 1)], "it waits");

    world.embedder.work();
    world.clock.advance(TimeDelta::minutes(10));
    work(&world).await;
    assert_eq!(attempts().await, ("done".to_owned(), 1));
    assert_eq!(detail(&world, set).await.runs.len(), 1);
}

#[tokio::test]
async fn what_cannot_be_expected_is_refused_by_its_field() {
    let world = World::new().await;
    let ferry = stored(&world, &world.atlas, "The heron ferry leaves from pier four at noon.").await;
    let stranger = World::new().await;
    let theirs = stored(&stranger, &stranger.atlas, "The heron ferry leaves from pier four at noon.").await;
    let good = || new(&world, FERRY, &[ferry]);
    let many = vec![MemoryRef::Id(ferry); EXPECTED_MEMORIES_MAX + 1];
    for (wrong, field) in [
        (NewExpectation { set: " ".into(), ..good() }, "set"),
        (NewExpectation { set: "two\nlines".into(), ..good() }, "set"),
        (NewExpectation { set: "s".repeat(65), ..good() }, "set"),
        (NewExpectation { query: String::new(), ..good() }, "query"),
        (NewExpectation { memories: vec![], ..good() }, "memories"),
        (NewExpectation { memories: many, ..good() }, "memories"),
        (NewExpectation { memories: vec![theirs.into()], ..good() }, "memories"),
        (NewExpectation { note: Some("n".repeat(501)), ..good() }, "note"),
        (NewExpectation { user_id: Some("nobody-4711".parse().unwrap()), ..good() }, "user_id"),
    ] {
        let error = expectations::expect(&world.engine, &world.vera, wrong.clone()).await.unwrap_err();
        assert_eq!(error.fields().first().map(|first| first.field.as_str()), Some(field), "{wrong:?}: {error:?}");
    }
    let foreign = NewExpectation { agent_id: agent(&stranger.atlas), ..good() };
    assert!(matches!(expectations::expect(&world.engine, &world.vera, foreign).await, Err(Error::NotFound("agent"))));
    assert!(expectations::sets(&world.engine, &world.vera).await.unwrap().is_empty(), "nothing was made");

    let (set, id) = expectations::expect(&world.engine, &world.vera, good()).await.unwrap();
    let fill = "insert into expectations (tenant_id, agent_id, id, set_id, query, memory_ids, origin, added_by, created_at) \
                select tenant_id, agent_id, gen_random_uuid(), set_id, query, memory_ids, origin, added_by, created_at \
                  from expectations, generate_series(2, $2) where id = $1";
    let mut owner = memory_owner(&world.engine).await;
    sqlx::query(fill).bind(id).bind(EXPECTATIONS_MAX).execute(&mut owner).await.unwrap();
    assert!(matches!(expectations::expect(&world.engine, &world.vera, good()).await, Err(Error::Conflict(_))), "the set is full");
    for stranger_sees in [
        expectations::set(&stranger.engine, &stranger.vera, set).await.map(drop),
        expectations::remove(&stranger.engine, &stranger.vera, id).await.map(drop),
        expectations::request_run(&stranger.engine, &stranger.vera, set).await.map(drop),
        expectations::delete_set(&stranger.engine, &stranger.vera, set).await.map(drop),
    ] {
        assert!(matches!(stranger_sees, Err(Error::NotFound(_))), "{stranger_sees:?}");
    }
}

#[tokio::test]
async fn a_legal_hold_keeps_the_expectations_of_its_user() {
    let world = World::new().await;
    let ferry = stored(&world, &world.atlas, "The heron ferry leaves from pier four at noon.").await;
    let held = UserRef::Id(MINA);
    let of_mina = NewExpectation { user_id: Some(held.clone()), ..new(&world, FERRY, &[ferry]) };
    let (set, id) = expectations::expect(&world.engine, &world.vera, of_mina).await.unwrap();
    let (_, other) = expectations::expect(&world.engine, &world.vera, new(&world, FERRY, &[ferry])).await.unwrap();
    assert_eq!(expectations::expect(&world.engine, &world.vera, new(&world, FERRY, &[ferry])).await.unwrap(), (set, other), "once");
    assert_eq!(detail(&world, set).await.rows.len(), 2);
    erasure::hold(&world.engine, &world.vera, &held, "case 31").await.unwrap();
    assert!(matches!(expectations::remove(&world.engine, &world.vera, id).await, Err(Error::Conflict(_))));
    assert!(matches!(expectations::delete_set(&world.engine, &world.vera, set).await, Err(Error::Conflict(_))));
    expectations::remove(&world.engine, &world.vera, other).await.unwrap();
    erasure::lift_hold(&world.engine, &world.vera, &held, "closed").await.unwrap();
    expectations::delete_set(&world.engine, &world.vera, set).await.unwrap();
}

/// A key of an agent sees the numbers of a set and no word of it.
#[tokio::test]
async fn a_key_of_an_agent_reads_numbers_alone() {
    let world = World::new().await;
    let foreign = stored(&world, &world.binky, "The heron ferry is painted green every spring.").await;
    let asked = NewExpectation { agent_id: agent(&world.binky), ..new(&world, "Which colour is zqxferry?", &[foreign]) };
    let set = expect(&world, asked).await;
    run(&world, set).await;
    let list = expectations::list(&world.engine, &world.atlas).await.unwrap();
    assert_eq!(list.sets.iter().map(|set| set.name.as_str()).collect::<Vec<_>>(), ["ferries"]);
    assert!(list.sets[0].last.is_some() && !serde_json::to_string(&list).unwrap().contains("zqxferry"));
    let requested = expectations::request_run_by_key(&world.engine, &world.atlas, set).await.unwrap();
    assert!(requested.requested);
    assert!(!expectations::request_run_by_key(&world.engine, &world.atlas, set).await.unwrap().requested);
}
