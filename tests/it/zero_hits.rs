//! Zero hits of each kind, what operators see of them, and the playground.

use crate::support::{agent, alone_with, impatient, ingest, remember};
use foundation::testing::{World, fact, key, nowhere, question};
use foundation::{Error, OpContext, Settings, identity};
use remembrancer::vocabulary::{self, NewTerm};
use remembrancer::{memories, overview, prompts, recall, workers};
use tokio_util::sync::CancellationToken;
use wire::{
    BarUnit, HealthFilter, KeyScope, MemoryKind, MemoryScope, NearMissState, NothingReason, PlaygroundRequest, Ranking, RecallFilters,
    RecallRequest, RecallResponse, RememberRequest, UserId, UserRef, ZeroHit, ZeroHitCause,
};

/// A world whose log is written.
async fn logged(settings: Settings) -> World {
    let world = alone_with(settings).await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    world
}

/// Sends a recall, and returns it with what operators see of it.
async fn zero_hit(world: &World, ctx: &OpContext, request: RecallRequest) -> (RecallResponse, ZeroHit) {
    let answer = recall::recall(&world.engine, ctx, request).await.unwrap();
    world.engine.log().flush().await;
    let rows = recall::zero_hits(&world.engine, &world.vera, &HealthFilter::default()).await.unwrap().rows;
    let row = rows.into_iter().find(|row| row.retrieval_id == answer.retrieval_id).unwrap();
    let alone = recall::zero_hit(&world.engine, &world.vera, answer.retrieval_id).await.unwrap();
    assert_eq!(alone.as_ref(), Some(&row), "the page of the recall tells the same story");
    (answer, row)
}

fn expected(query: &str) -> RecallRequest {
    RecallRequest { expected: true, ..question(query) }
}

/// Stores a memory that every agent recalls.
async fn share_kettle(world: &World) {
    let shared = fact("kettle", "The kettle is in the green cupboard");
    remember(world, &world.atlas, RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..shared }).await;
}

#[tokio::test]
async fn nothing_stored() {
    let world = logged(Settings::default()).await;
    let (answer, seen) = zero_hit(&world, &world.atlas, expected("tea")).await;
    assert_eq!((answer.zero_hit, answer.reason), (true, Some(NothingReason::NothingFound)));
    assert_eq!(
        (seen.cause, seen.near_misses.len(), seen.expected, seen.agent_slug.as_str()),
        (ZeroHitCause::NothingStored, 0, true, "atlas")
    );
}

#[tokio::test]
async fn all_below_the_floor() {
    let world = logged(Settings::default()).await;
    remember(&world, &world.atlas, fact("kettle", "The kettle is in the green cupboard")).await;
    let (answer, seen) = zero_hit(&world, &world.atlas, expected("quarterly budget")).await;
    assert_eq!(answer.reason, Some(NothingReason::BelowFloor));
    assert_eq!(seen.cause, ZeroHitCause::BelowFloor);
    let near = &seen.near_misses[0];
    assert_eq!((near.state, near.topic.as_str()), (NearMissState::BelowFloor, "kettle"));
    assert!(near.similarity < near.floor);
}

#[tokio::test]
async fn shared_memories_do_not_hide_an_empty_agent() {
    let world = logged(Settings::default()).await;
    let mina = UserId(nowhere());
    let causes = async || {
        let mut causes = Vec::new();
        for (ctx, user) in [(&world.atlas, None), (&world.binky, None), (&world.binky, Some(mina))] {
            let request = RecallRequest { user_id: user.map(Into::into), ..expected("quarterly budget") };
            let (answer, seen) = zero_hit(&world, ctx, request).await;
            assert_eq!(answer.reason, Some(NothingReason::BelowFloor), "a shared memory was scored");
            let near = seen.near_misses;
            assert!(!near.is_empty() && near.iter().all(|near| near.similarity < near.floor), "{near:?}");
            causes.push(seen.cause);
        }
        causes
    };
    use ZeroHitCause::{BelowFloor, NothingStored};
    share_kettle(&world).await;
    assert_eq!(causes().await, [NothingStored, NothingStored, NothingStored]);
    remember(&world, &world.atlas, fact("ladle", "The ladle hangs beside the stove")).await;
    let of_mina = RememberRequest { user_id: Some(mina.into()), ..fact("ladle", "The ladle hangs beside the stove") };
    let of_mina = remember(&world, &world.binky, of_mina).await.memory_id;
    assert_eq!(causes().await, [BelowFloor, NothingStored, BelowFloor], "another user's memory is not there for a recall without a user");
    memories::delete(&world.engine, &world.vera, &[of_mina], "wrong").await.unwrap();
    assert_eq!(causes().await, [BelowFloor, NothingStored, NothingStored]);
}

#[tokio::test]
async fn many_silences_at_once_have_their_causes() {
    let world = logged(Settings::default()).await;
    share_kettle(&world).await;
    for _ in 0..20 {
        recall::recall(&world.engine, &world.binky, question("quarterly budget")).await.unwrap();
    }
    world.engine.log().flush().await;
    let health = recall::health(&world.engine, &world.vera, &HealthFilter::default()).await.unwrap();
    assert_eq!(health.causes, [(ZeroHitCause::NothingStored, 20)]);
}

#[tokio::test]
async fn an_agent_that_recalls_and_has_no_memories_is_named() {
    let world = logged(Settings::default()).await;
    share_kettle(&world).await;
    remember(&world, &world.atlas, fact("ladle", "The ladle hangs beside the stove")).await;
    for ctx in [&world.atlas, &world.binky] {
        assert!(!recall::recall(&world.engine, ctx, question("kettle green cupboard")).await.unwrap().zero_hit);
    }
    let named = async |filter: HealthFilter| {
        world.engine.log().flush().await;
        recall::health(&world.engine, &world.vera, &filter).await.unwrap().without_memories
    };
    let binky = (agent(&world.binky), "binky".to_owned());
    assert_eq!(named(HealthFilter::default()).await, std::slice::from_ref(&binky), "shared memories answer it");
    assert!(named(HealthFilter { agent_id: Some(agent(&world.atlas)), ..HealthFilter::default() }).await.is_empty());

    // Ten agents with more zero hits leave it no place among the agents of the page.
    for n in 0..10 {
        let other = identity::create_agent(&world.engine, &world.system, &format!("clerk-{n}"), "Clerk", false).await.unwrap();
        let (other, _) = key(&world.engine, &world.system, other.id, &[KeyScope::MemoryRead]).await;
        recall::recall(&world.engine, &other, question("quarterly budget")).await.unwrap();
    }
    let all = named(HealthFilter::default()).await;
    assert_eq!((all.len(), all.last()), (11, Some(&binky)));
    let agents = recall::health(&world.engine, &world.vera, &HealthFilter::default()).await.unwrap().agents;
    assert!(agents.len() == 10 && agents.iter().all(|(id, ..)| *id != binky.0));

    remember(&world, &world.binky, fact("ladle", "The ladle hangs beside the stove")).await;
    assert!(named(HealthFilter { agent_id: Some(binky.0), ..HealthFilter::default() }).await.is_empty());
    world.clock.advance(chrono::Duration::days(2));
    assert!(named(HealthFilter { days: Some(1), ..HealthFilter::default() }).await.is_empty(), "none of them recalled in this period");
}

#[tokio::test]
async fn filtered_out() {
    let world = logged(Settings::default()).await;
    let mina = UserId(nowhere());
    let deleted = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    memories::delete(&world.engine, &world.vera, &[deleted], "wrong").await.unwrap();
    let (answer, seen) = zero_hit(&world, &world.atlas, expected("tea black")).await;
    assert_eq!(answer.reason, Some(NothingReason::NothingFound), "an agent does not learn that there was something");
    assert_eq!(
        (seen.cause, seen.near_misses[0].state, seen.near_misses[0].memory_id),
        (ZeroHitCause::FilteredOut, NearMissState::Deleted, deleted)
    );
    let near = &seen.near_misses[0];
    assert_eq!((near.deleted_by.as_deref(), near.delete_reason.as_deref()), (Some("Vera"), Some("wrong")), "whoever restores it sees why");

    let other = RecallRequest { user_id: Some(mina.into()), ..question("coffee") };
    remember(&world, &world.atlas, wire::RememberRequest { user_id: Some(mina.into()), ..fact("coffee", "Mina drinks coffee") }).await;
    let (_, seen) = zero_hit(&world, &world.atlas, expected("coffee Mina drinks")).await;
    assert_eq!((seen.cause, seen.near_misses[0].state), (ZeroHitCause::FilteredOut, NearMissState::OtherUser));
    assert!(!recall::recall(&world.engine, &world.atlas, other).await.unwrap().zero_hit);

    let brief = wire::RememberRequest { retention: Some(wire::Retention::Routine), ..fact("lunch", "Lunch is at noon") };
    remember(&world, &world.binky, brief).await;
    world.clock.advance(chrono::Duration::days(8));
    let (_, seen) = zero_hit(&world, &world.binky, expected("lunch noon")).await;
    assert_eq!((seen.cause, seen.near_misses[0].state), (ZeroHitCause::FilteredOut, NearMissState::Expired));
}

#[tokio::test]
async fn search_degraded() {
    let world = logged(impatient()).await;
    world.embedder.fail();
    let (answer, seen) = zero_hit(&world, &world.atlas, expected("tea")).await;
    assert_eq!(answer.reason, Some(NothingReason::Degraded));
    assert_eq!((seen.cause, seen.degraded.as_slice()), (ZeroHitCause::Degraded, ["embedding".to_owned()].as_slice()));
}

#[tokio::test]
async fn a_document_fulfils_what_was_expected() {
    let world = logged(Settings::default()).await;
    ingest(&world, "handbook", vec![("tea.md".to_owned(), b"# Tea\n\nThe kettle of the kitchen is green.\n".to_vec())]).await;
    let (answer, seen) = zero_hit(&world, &world.atlas, expected("kettle kitchen green")).await;
    assert!(answer.zero_hit && answer.hits.iter().any(|hit| hit.memory().is_none()), "{answer:?}");
    assert_eq!(seen.knowledge_hits, 1);
    zero_hit(&world, &world.atlas, expected("quarterly budget")).await;
    let totals = recall::health(&world.engine, &world.vera, &HealthFilter::default()).await.unwrap().totals;
    assert_eq!((totals.zero_hits, totals.expected, totals.expected_zero_hits), (2, 2, 1));
}

#[tokio::test]
async fn health_counts_by_day_cause_agent_and_topic() {
    let world = logged(Settings::default()).await;
    vocabulary::add(&world.engine, &world.system, NewTerm { term: "tea", aliases: &["chai"], ..NewTerm::default() }).await.unwrap();
    remember(&world, &world.atlas, fact("kettle", "The kettle is green")).await;
    zero_hit(&world, &world.atlas, expected("chai")).await;
    zero_hit(&world, &world.binky, question("quarterly budget")).await;
    let found = recall::recall(&world.engine, &world.atlas, question("kettle green")).await.unwrap();
    world.engine.log().flush().await;
    assert_eq!(recall::zero_hit(&world.engine, &world.vera, found.retrieval_id).await.unwrap(), None);
    let health = recall::health(&world.engine, &world.vera, &HealthFilter::default()).await.unwrap();
    let totals = health.totals;
    assert_eq!((totals.recalls, totals.zero_hits, totals.expected, totals.expected_zero_hits), (3, 2, 1, 1));
    assert_eq!((health.unit, health.bars.len()), (BarUnit::Day, 30));
    assert_eq!(health.bars.last().unwrap().recalls, totals);
    assert_eq!(health.causes.iter().map(|(_, count)| count).sum::<i64>(), 2);
    assert_eq!(
        health.agents.iter().map(|(_, slug, counts)| (slug.as_str(), counts.zero_hits)).collect::<Vec<_>>(),
        [("atlas", 1), ("binky", 1)]
    );
    let topics: Vec<_> = health.topics.iter().map(|(topic, counts)| (topic.as_str(), counts.zero_hits)).collect();
    assert_eq!(topics, [("other", 1), ("tea", 1)]);
    let narrow = HealthFilter { topic: Some("tea".into()), days: Some(7), ..HealthFilter::default() };
    assert_eq!(recall::health(&world.engine, &world.vera, &narrow).await.unwrap().totals.recalls, 1);
    let unexpected = HealthFilter { expected: Some(false), ..HealthFilter::default() };
    assert_eq!(recall::zero_hits(&world.engine, &world.vera, &unexpected).await.unwrap().total, 1);
    let odd = HealthFilter { days: Some(8), ..HealthFilter::default() };
    assert_eq!(recall::health(&world.engine, &world.vera, &odd).await.unwrap_err().fields()[0].field, "days");
    let overview = overview::overview(&world.engine, &world.vera).await.unwrap();
    assert_eq!((overview.inventory.agents, overview.inventory.memories, overview.inventory.terms), (2, 1, 1));
    assert_eq!((overview.attention.week, overview.last_day.bars.len()), (totals, 24));
    assert_eq!(overview.last_day.bars.iter().map(|bar| bar.recalls.recalls).sum::<i64>(), 3);
}

#[tokio::test]
async fn the_playground_lays_everything_open_and_leaves_no_trace() {
    let world = logged(Settings::default()).await;
    vocabulary::add(&world.engine, &world.system, NewTerm { term: "tea", aliases: &["chai"], ..NewTerm::default() }).await.unwrap();
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    remember(&world, &world.atlas, fact("kettle", "The kettle is green")).await;
    let before = crate::support::all_row_counts(world.engine.urls()).await;
    let ask = async |agent: &OpContext, query: &str| {
        let recall = RecallRequest { k: 5, ..question(query) };
        recall::playground(&world.engine, &world.vera, &PlaygroundRequest { agent_id: agent.agent_id().unwrap(), recall }).await.unwrap()
    };
    let whole = ask(&world.atlas, "Chai").await;
    assert_eq!((whole.query_canonical.as_deref(), whole.searched.as_str()), (Some("tea"), "tea"));
    assert_eq!((whole.candidates[0].rank, whole.memories, whole.passed), (Some(1), Some(2), Some(1)));
    let part = ask(&world.atlas, "which chai does Vera drink").await;
    assert_eq!((part.query_canonical, part.terms_inside.as_slice()), (None, ["tea".to_owned()].as_slice()));
    assert_eq!(part.hits[0].memory().unwrap().memory_id, id);
    let steps: Vec<_> = part.timings.iter().map(|(step, _)| step.as_str()).collect();
    assert!(["vocabulary", "embedding", "memory", "knowledge"].iter().all(|step| steps.contains(step)), "{steps:?}");
    let empty = ask(&world.binky, "Chai").await;
    assert_eq!((empty.zero_hit, empty.cause), (true, Some(ZeroHitCause::NothingStored)));
    assert_eq!(crate::support::all_row_counts(world.engine.urls()).await, before);
    let stranger = PlaygroundRequest { agent_id: wire::AgentId(nowhere()), recall: question("x") };
    assert!(matches!(recall::playground(&world.engine, &world.vera, &stranger).await, Err(Error::NotFound("agent"))));
}

#[tokio::test]
async fn the_playground_asks_as_the_agents_keys_may() {
    let world = World::new().await;
    let agent = identity::create_agent(&world.engine, &world.system, "clerk", "Clerk", true).await.unwrap();
    let reference: UserRef = "vera@example.org".parse().unwrap();
    let ask = async |recall: RecallRequest| {
        recall::playground(&world.engine, &world.vera, &PlaygroundRequest { agent_id: agent.id, recall }).await
    };
    for user_id in [None, Some(reference.clone())] {
        let refused = ask(RecallRequest { user_id, ..question("tea") }).await.unwrap_err();
        assert_eq!(refused.fields()[0].field, "user_id", "{refused}");
    }
    let (clerk, _) = key(&world.engine, &world.system, agent.id, &[KeyScope::MemoryRead, KeyScope::MemoryWrite, KeyScope::UsersAny]).await;
    let tea =
        RememberRequest { user_id: Some(reference.clone()), kind: Some(MemoryKind::Decision), ..fact("tea", "Vera takes the black tea") };
    remember(&world, &clerk, tea).await;
    let for_vera = || RecallRequest { user_id: Some(reference.clone()), ..question("which tea") };
    let answer = ask(for_vera()).await.unwrap();
    assert_eq!((answer.hits.len(), answer.may_recall, answer.may_read_knowledge), (1, true, false));
    let filters = RecallFilters { kinds: vec![MemoryKind::Artifact], ..RecallFilters::default() };
    let narrowed = ask(RecallRequest { filters, ..for_vera() }).await.unwrap();
    assert_eq!((narrowed.zero_hit, narrowed.memories), (true, Some(0)));
    let before = world.engine.clock().now() - chrono::Duration::days(1);
    let past = ask(RecallRequest { as_of: Some(before), ranking: Some(Ranking::Decay), ..for_vera() }).await.unwrap();
    assert_eq!((past.zero_hit, past.memories, past.cause), (true, None, None));
    let (_, _) = key(&world.engine, &world.system, agent.id, &[KeyScope::KbRead]).await;
    assert!(ask(for_vera()).await.unwrap().may_read_knowledge);
}

#[test]
fn prompts_name_the_tools_as_they_are_called() {
    let text = prompts::all().into_iter().map(|prompt| prompt.text).collect::<String>();
    for tool in ["agent_memory_recall", "agent_memory_remember", "canonical_terms_lookup", "canonical_terms_propose", "shared_kb_search"] {
        assert!(text.contains(&format!("`{tool}`")), "{tool}");
    }
}
