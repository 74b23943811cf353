//! How memories age: messages of sessions, retention, fading, limits, the archive.

use crate::support::{Fetch, agent, alone, contents, remember, work};
use chrono::Duration;
use foundation::op::IdempotencyKey;
use foundation::testing::{World, fact, question};
use foundation::{OpContext, identity};
use futures_util::future::join_all;
use remembrancer::{context, lifecycle, memories, memory_block, recall, workers};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use wire::{
    ErrorCode, ExplainRequest, Factor, LifecyclePolicy, LinkRequest, MemoryFilter, MemoryId, MemoryKind, MemoryStatus, MessagesRequest,
    MessagesResponse, NewMessage, RecallRequest, Relation, RememberRequest, Retention, RetentionDays, RetentionRule, Role, SearchRequest,
    SessionFilter, StateFilter, UserRef,
};
use words::aging::decayed;

pub fn message(role: Role, content: impl Into<String>) -> NewMessage {
    NewMessage { role, content: content.into(), message_id: None, observed_at: None, importance: None, retention: None }
}

fn messages(list: Vec<NewMessage>) -> MessagesRequest {
    MessagesRequest { messages: list, topic: None, platform: None, user_id: None }
}

async fn say(world: &World, ctx: &OpContext, session: &str, list: Vec<NewMessage>) -> MessagesResponse {
    lifecycle::add_messages(&world.engine, ctx, session, messages(list)).await.unwrap()
}

async fn set(world: &World, policy: LifecyclePolicy) {
    identity::set_lifecycle(&world.engine, &world.system, None, policy).await.unwrap();
}

/// Sweeps until nothing is left to do.
pub async fn sweep(world: &World) {
    lifecycle::sweep_now(&world.engine, &world.vera).await.unwrap();
    work(world).await;
}

/// The memories of an agent that are archived.
async fn archived(world: &World, ctx: &OpContext) -> BTreeSet<MemoryId> {
    let sql = "select id from agent_memories where agent_id = $1 and archived_at is not null";
    let ids: Vec<MemoryId> = sqlx::query_scalar(sql).bind(agent(ctx)).all(&world.engine).await;
    ids.into_iter().collect()
}

/// Live episodes that may fade, as the table has them, and as the counts of words say how many memories are live.
async fn live(world: &World, ctx: &OpContext) -> (i64, i64) {
    let sql = r"select (select count(*) from agent_memories where agent_id = $1 and live),
                       (select coalesce(sum(documents), 0)::bigint from memory_term_counts where agent_id = $1)";
    sqlx::query_as(sql).bind(agent(ctx)).one(&world.engine).await
}

#[tokio::test]
async fn messages_are_episodes_with_importance_and_an_end() {
    let world = World::new().await;
    let list = vec![
        message(Role::User, "Remember this: the boiler's key is K-17."),
        message(Role::User, "We decided to ship on Mondays."),
        message(Role::Assistant, "I have deployed the harbour service."),
        message(Role::ToolResult, "backup: failed after 30 s"),
        message(Role::User, "ok"),
        message(Role::User, "ok"),
        NewMessage { importance: Some(0.7), retention: Some(Retention::Task), ..message(Role::System, "You help Acme.") },
    ];
    let answer = say(&world, &world.atlas, "thread 42 / Lisbon", list).await;
    let rules: Vec<_> = answer.messages.iter().map(|one| one.retention_rule).collect();
    let expected = [
        Some(RetentionRule::Explicit),
        Some(RetentionRule::Decision),
        Some(RetentionRule::Task),
        Some(RetentionRule::Error),
        Some(RetentionRule::Routine),
        Some(RetentionRule::Routine),
        None,
    ];
    assert_eq!(rules, expected);
    let importances: Vec<_> = answer.messages.iter().map(|one| (one.importance * 100.0).round() as i32).collect();
    assert_eq!(importances, [100, 70, 60, 40, 15, 15, 70]);
    assert_ne!(answer.messages[4].memory_id, answer.messages[5].memory_id, "equal messages stay separate");
    let days: Vec<_> =
        answer.messages.iter().map(|one| one.expires_at.map(|end| (end - world.engine.clock().now()).num_hours() / 24 + 1)).collect();
    assert_eq!(days, [None, Some(90), Some(30), Some(14), Some(7), Some(7), Some(30)]);

    let record = memories::record(&world.engine, &world.atlas, &answer.messages[1].memory_id.into(), None).await.unwrap();
    assert_eq!((record.kind, record.role, record.session_id), (MemoryKind::Episode, Some(Role::User), Some(answer.session_id)));
    assert_eq!((record.importance_factors[0].factor, record.importance_factors[0].words.as_str()), (Factor::Decision, "decided"));
    assert_eq!(record.source.thread_id.as_deref(), Some("thread 42 / Lisbon"));
    assert!(contents(&world, &world.atlas, "boiler key").await[0].contains("K-17"));

    let again = say(&world, &world.atlas, "thread 42 / Lisbon", vec![message(Role::User, "The tide is low.")]).await;
    let other = say(&world, &world.binky, "thread 42 / Lisbon", vec![message(Role::User, "The tide is low.")]).await;
    assert_eq!(again.session_id, answer.session_id);
    assert_ne!(other.session_id, answer.session_id, "another agent's session with the same name");
    let (count, proposals): (i64, i64) = sqlx::query_as(
        r"select (select messages from sessions where id = $1),
                 (select count(*) from outbox where tenant_id = $2 and destination = 'shared_kb')",
    )
    .bind(answer.session_id)
    .bind(world.system.tenant_id)
    .one(&world.engine)
    .await;
    assert_eq!((count, proposals), (8, 0), "messages propose no vocabulary");
}

#[tokio::test]
async fn a_batch_that_is_half_wrong_names_the_half_and_stores_nothing() {
    let world = World::new().await;
    let before = foundation::testing::rows_of(&world.engine, world.system.tenant_id).await;
    let wrong = vec![
        message(Role::User, "I live in Bern."),
        message(Role::User, "  "),
        NewMessage { importance: Some(f32::NAN), ..message(Role::User, "I like tea.") },
        NewMessage { importance: Some(-0.1), ..message(Role::User, "I like rain.") },
        message(Role::User, "x".repeat(16 * 1024 + 1)),
    ];
    let error = lifecycle::add_messages(&world.engine, &world.atlas, "s", messages(wrong)).await.unwrap_err();
    let fields: Vec<_> = error.fields().iter().map(|field| field.field.as_str()).collect();
    assert_eq!(fields, ["messages[1].content", "messages[2].importance", "messages[3].importance", "messages[4].content"]);
    for (session, list) in [("", vec![message(Role::User, "Hi")]), ("s", vec![]), (&*"s".repeat(257), vec![message(Role::User, "Hi")])] {
        let error = lifecycle::add_messages(&world.engine, &world.atlas, session, messages(list)).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Invalid);
    }
    let many = (0..101).map(|n| message(Role::User, format!("Boat {n}"))).collect();
    let error = lifecycle::add_messages(&world.engine, &world.atlas, "s", messages(many)).await.unwrap_err();
    assert!(error.message().contains("101 entries"), "{error}");
    assert_eq!(foundation::testing::rows_of(&world.engine, world.system.tenant_id).await, before);
}

/// Every path by which an agent can read a memory.
async fn paths(world: &World, ctx: &OpContext, id: MemoryId, neighbour: MemoryId) -> BTreeMap<&'static str, bool> {
    let engine = &world.engine;
    let has = |json: serde_json::Value| json.to_string().contains("Kestrel");
    let hits = recall::recall(engine, ctx, question("Kestrel schedule")).await.unwrap();
    let request: SearchRequest = serde_json::from_value(json!({ "query": "Kestrel schedule" })).unwrap();
    let search = recall::search(engine, ctx, request).await.unwrap();
    let bundle = context::context_for(engine, ctx, serde_json::from_value(json!({ "task": "Kestrel schedule" })).unwrap());
    let mut file = Vec::new();
    portability::export(engine, ctx, &portability::Selection::Agent(agent(ctx)), &mut file, &|_| ()).await.unwrap();
    let explained = recall::explain(engine, ctx, ExplainRequest { memory_id: Some(id.into()), ..ExplainRequest::default() }).await;
    let linked = memories::record(engine, ctx, &neighbour.into(), None).await.unwrap();
    BTreeMap::from([
        ("recall", has(serde_json::to_value(hits).unwrap())),
        ("search", has(serde_json::to_value(search).unwrap())),
        ("context", bundle.await.unwrap().text.contains("Kestrel")),
        ("record", memories::record(engine, ctx, &id.into(), None).await.is_ok()),
        ("history", memories::history(engine, ctx, &id.into(), None).await.is_ok()),
        ("explain", explained.is_ok()),
        ("links", has(serde_json::to_value(linked.links).unwrap())),
        ("entries", has(serde_json::to_value(memory_block::list(engine, ctx, None).await.unwrap()).unwrap())),
        ("prompt", memory_block::prompt(engine, ctx, None).await.unwrap().text.contains("Kestrel")),
        ("export", String::from_utf8(file).unwrap().contains("Kestrel")),
    ])
}

#[tokio::test]
async fn what_is_expired_or_archived_is_on_no_path() {
    let world = alone().await;
    let ctx = &world.atlas;
    let short = RememberRequest {
        retention: Some(Retention::Routine),
        category: Some(wire::Category::Person),
        ..fact("schedule", "The Kestrel sails at nine.")
    };
    let id = remember(&world, ctx, short).await.memory_id;
    let neighbour = remember(&world, ctx, fact("harbour", "The harbour opens at eight.")).await.memory_id;
    let link = LinkRequest { from: neighbour.into(), to: id.into(), relation: Relation::RelatedTo, remove: false, user_id: None };
    memories::link(&world.engine, ctx, link).await.unwrap();
    let before = paths(&world, ctx, id, neighbour).await;
    assert!(before.values().all(|found| *found), "{before:?}");

    world.clock.advance(Duration::days(8));
    let expired = paths(&world, ctx, id, neighbour).await;
    assert!(expired.values().all(|found| !found), "expired, not swept: {expired:?}");
    sweep(&world).await;
    assert_eq!(archived(&world, ctx).await, BTreeSet::from([id]));
    let swept = paths(&world, ctx, id, neighbour).await;
    assert!(swept.values().all(|found| !found), "archived: {swept:?}");

    let filter = MemoryFilter { status: Some(MemoryStatus::Archived), ..MemoryFilter::default() };
    assert_eq!(memories::browse(&world.engine, &world.vera, &filter).await.unwrap().rows.len(), 1);
    memories::restore(&world.engine, &world.vera, &[id], "Vera needs it").await.unwrap();
    work(&world).await;
    let restored = paths(&world, ctx, id, neighbour).await;
    assert!(restored.values().all(|found| *found), "restored: {restored:?}");
    let versions = memories::history(&world.engine, ctx, &id.into(), None).await.unwrap();
    let changes: Vec<_> = versions.iter().rev().map(|version| (version.version, version.change.as_str())).collect();
    assert_eq!(changes, [(1, "created"), (2, "archived"), (3, "restored")]);
}

#[tokio::test]
async fn what_makes_room_is_hidden_today_and_stays_in_answers_about_the_past() {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    set(&world, LifecyclePolicy { episodes_max: 1, ..LifecyclePolicy::default() }).await;
    let ctx = &world.atlas;
    let weak = NewMessage { importance: Some(0.1), ..message(Role::User, "The Kestrel sails at nine.") };
    let id = say(&world, ctx, "harbour", vec![weak]).await.messages[0].memory_id;
    let asked = recall::recall(&world.engine, ctx, question("Kestrel")).await.unwrap();
    assert_eq!(asked.memories().len(), 1);
    world.engine.log().flush().await;
    let then = world.engine.clock().now();
    world.clock.advance(Duration::minutes(1));
    say(&world, ctx, "office", vec![NewMessage { importance: Some(0.9), ..message(Role::User, "The office has a new door.") }]).await;
    assert_eq!(archived(&world, ctx).await, BTreeSet::from([id]));

    assert!(contents(&world, ctx, "Kestrel").await.is_empty());
    assert!(memories::record(&world.engine, ctx, &id.into(), None).await.is_err());
    let past = recall::recall(&world.engine, ctx, RecallRequest { as_of: Some(then), ..question("Kestrel") }).await.unwrap();
    assert_eq!(past.memories()[0].memory_id, id);
    let replay = recall::replay(&world.engine, ctx, asked.retrieval_id, None).await.unwrap();
    assert!(replay.same && replay.today.is_empty(), "{:?}", replay.lost);
    assert_eq!(replay.replayed[0].content, "The Kestrel sails at nine.");
    let request = ExplainRequest { retrieval_id: Some(asked.retrieval_id), ..ExplainRequest::default() };
    let explained = recall::explain(&world.engine, ctx, request).await.unwrap().retrieval.unwrap();
    assert_eq!((explained.considered[0].content.as_str(), explained.considered[0].gone), ("The Kestrel sails at nine.", true));
}

#[tokio::test]
async fn a_pinned_memory_never_expires_and_an_unpinned_one_begins_again() {
    let world = alone().await;
    let short = RememberRequest { retention: Some(Retention::Routine), ..fact("schedule", "The Kestrel sails at nine.") };
    let id = remember(&world, &world.atlas, short).await.memory_id;
    let pinned = memories::set_pinned(&world.engine, &world.atlas, &id.into(), None, true).await.unwrap();
    assert_eq!((pinned.pinned, pinned.expires_at), (true, None));
    world.clock.advance(Duration::days(400));
    sweep(&world).await;
    assert_eq!(contents(&world, &world.atlas, "Kestrel").await.len(), 1);
    assert!(memories::set_pinned(&world.engine, &world.vera, &id.into(), None, false).await.unwrap().expires_at.is_some());
    world.clock.advance(Duration::days(8));
    assert!(contents(&world, &world.atlas, "Kestrel").await.is_empty());
    let error = memories::set_pinned(&world.engine, &world.binky, &id.into(), None, true).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound, "another agent's memory");
}

#[tokio::test]
async fn days_of_a_policy_hold_for_a_tenant_and_for_an_agent() {
    let world = World::new().await;
    let days =
        |routine| LifecyclePolicy { retention_days: RetentionDays { routine, ..RetentionDays::default() }, ..LifecyclePolicy::default() };
    set(&world, days(3)).await;
    identity::set_lifecycle(&world.engine, &world.system, Some(agent(&world.binky)), days(300)).await.unwrap();
    for ctx in [&world.atlas, &world.binky] {
        say(&world, ctx, "s", vec![message(Role::User, "The tide is low.")]).await;
    }
    world.clock.advance(Duration::days(4));
    assert!(contents(&world, &world.atlas, "tide").await.is_empty());
    assert_eq!(contents(&world, &world.binky, "tide").await.len(), 1);
    assert_eq!(identity::set_lifecycle(&world.engine, &world.atlas, None, days(1)).await.unwrap_err().code(), ErrorCode::Forbidden);
}

#[tokio::test]
async fn the_weakest_episodes_make_room_and_writers_never_pass_the_limit() {
    let world = alone().await;
    set(&world, LifecyclePolicy { episodes_max: 40, memories_max: 60, ..LifecyclePolicy::default() }).await;
    let weak: Vec<_> = (0..10).map(|n| NewMessage { importance: Some(0.2), ..message(Role::User, format!("Weak {n}")) }).collect();
    let weak = say(&world, &world.atlas, "weak", weak).await;
    let kept = remember(&world, &world.atlas, fact("port", "The port is 8443.")).await.memory_id;
    let pinned = say(&world, &world.atlas, "pinned", vec![NewMessage { importance: Some(0.0), ..message(Role::User, "Pinned") }]).await;
    memories::set_pinned(&world.engine, &world.atlas, &pinned.messages[0].memory_id.into(), None, true).await.unwrap();
    let batches = (0..8).map(|batch| {
        let world = &world;
        async move {
            let list = (0..5).map(|n| NewMessage { importance: Some(0.5), ..message(Role::User, format!("Batch {batch}, message {n}")) });
            say(world, &world.atlas, &format!("session {batch}"), list.collect()).await;
            live(world, &world.atlas).await.0
        }
    });
    for seen in join_all(batches).await {
        assert!(seen <= 42, "{seen} live memories; 40 episodes, a fact and a pinned one are allowed");
    }
    let gone = archived(&world, &world.atlas).await;
    assert_eq!(gone, weak.messages.iter().map(|one| one.memory_id).collect(), "the ten weakest");
    assert!(!gone.contains(&kept) && !gone.contains(&pinned.messages[0].memory_id));
    assert_eq!(live(&world, &world.atlas).await, (42, 42), "the counts of words follow");

    for n in 0..18 {
        remember(&world, &world.atlas, fact(&format!("boat {n}"), &format!("Boat {n} is painted in colour {n}."))).await;
    }
    let error = memories::remember(&world.engine, &world.atlas, fact("boat 18", "Boat 18 is green.")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Conflict);
    assert!(error.message().contains("60 are allowed") && error.message().contains("memories_max"), "{error}");
    remember(&world, &world.binky, fact("boat 18", "Boat 18 is green.")).await;
    let again = remember(&world, &world.atlas, fact("boat 17", "Boat 17 is painted in colour 17.")).await;
    assert!(again.unchanged, "what is known needs no room");
}

#[tokio::test]
async fn an_expired_episode_takes_no_place_before_the_sweep() {
    let world = alone().await;
    set(&world, LifecyclePolicy { episodes_max: 3, ..LifecyclePolicy::default() }).await;
    let of = |importance, retention, content: &str| NewMessage {
        importance: Some(importance),
        retention: Some(retention),
        ..message(Role::User, content)
    };
    // The strongest ones end first.
    let short = vec![of(0.9, Retention::Routine, "The ferry leaves at six."), of(0.8, Retention::Routine, "The ferry is late.")];
    say(&world, &world.atlas, "monday", short).await;
    let long = say(&world, &world.atlas, "monday", vec![of(0.3, Retention::Decision, "We take the ferry.")]).await.messages[0].memory_id;
    world.clock.advance(Duration::days(8));
    let more = vec![of(0.5, Retention::Decision, "Mina books the cabin."), of(0.6, Retention::Decision, "Idris brings the maps.")];
    let more = say(&world, &world.atlas, "tuesday", more).await;
    assert!(archived(&world, &world.atlas).await.is_empty(), "three episodes are in force, and three are allowed");
    let one = say(&world, &world.atlas, "tuesday", vec![of(0.7, Retention::Decision, "Vera waits at the pier.")]).await;
    assert_eq!(archived(&world, &world.atlas).await, BTreeSet::from([long]), "the weakest one in force makes room");
    sweep(&world).await;
    for id in more.messages.iter().chain(&one.messages).map(|one| one.memory_id) {
        assert!(memories::record(&world.engine, &world.atlas, &id.into(), None).await.is_ok());
    }
    assert_eq!(live(&world, &world.atlas).await, (3, 3));
}

#[tokio::test]
async fn a_full_agent_still_answers_what_was_sent_before() {
    let world = World::new().await;
    set(&world, LifecyclePolicy { episodes_max: 1, memories_max: 1, ..LifecyclePolicy::default() }).await;
    let replayed = Arc::new(AtomicBool::new(false));
    let ctx = OpContext { idempotency: Some(Arc::new(IdempotencyKey::new("boat".into(), Arc::clone(&replayed)))), ..world.atlas.clone() };
    let first = remember(&world, &ctx, fact("boat", "The boat is green.")).await;
    assert_eq!(remember(&world, &ctx, fact("boat", "The boat is green.")).await, first);
    assert!(replayed.load(Ordering::Relaxed));
}

#[tokio::test]
async fn what_an_archived_memory_contradicted_is_contradicted_no_longer() {
    let world = alone().await;
    let ctx = &world.atlas;
    let short = RememberRequest { retention: Some(Retention::Routine), ..fact("schedule", "The Kestrel sails at nine.") };
    let short = remember(&world, ctx, short).await.memory_id;
    let lasting = remember(&world, ctx, fact("timetable", "The Kestrel sails at ten.")).await.memory_id;
    let link = LinkRequest { from: short.into(), to: lasting.into(), relation: Relation::Contradicts, remove: false, user_id: None };
    memories::link(&world.engine, ctx, link).await.unwrap();
    let status = async || memories::record(&world.engine, ctx, &lasting.into(), None).await.unwrap().status;
    assert_eq!(status().await, MemoryStatus::Contradicted);
    world.clock.advance(Duration::days(8));
    sweep(&world).await;
    assert_eq!(status().await, MemoryStatus::Active);
}

/// A year in weeks: nothing pinned, permanent or no episode is ever archived, and what is archived was weaker than what stays.
#[tokio::test]
async fn a_simulated_year_archives_the_weakest_first() {
    let world = alone().await;
    let days = RetentionDays { routine: 3650, task: 3650, decision: 3650, error: 3650 };
    set(&world, LifecyclePolicy { retention_days: days, ..LifecyclePolicy::default() }).await;
    let ctx = &world.atlas;
    let (mut protected, mut fading) = (BTreeSet::new(), BTreeMap::new());
    for week in 0..52_u32 {
        let list: Vec<_> = (0..6)
            .map(|n| NewMessage {
                importance: Some(((week * 7 + n * 13) % 100) as f32 / 100.0),
                ..message(Role::User, format!("Week {week}, {n}"))
            })
            .collect();
        let importances: Vec<f32> = list.iter().filter_map(|one| one.importance).collect();
        for ((one, importance), n) in say(&world, ctx, &format!("week {week}"), list).await.messages.iter().zip(importances).zip(0..) {
            if n == 0 {
                memories::set_pinned(&world.engine, ctx, &one.memory_id.into(), None, true).await.unwrap();
                protected.insert(one.memory_id);
            } else {
                fading.insert(one.memory_id, (importance, world.engine.clock().now()));
            }
        }
        protected.insert(remember(&world, ctx, fact(&format!("fact {week}"), &format!("Fact number {week} holds."))).await.memory_id);
        world.clock.advance(Duration::days(7));
        sweep(&world).await;
        let now = world.engine.clock().now();
        let gone = archived(&world, ctx).await;
        assert!(gone.is_disjoint(&protected), "week {week}");
        let left = |id: &MemoryId| fading.get(id).map(|(importance, written)| decayed(*importance, *written, now)).unwrap();
        assert!(gone.iter().all(|id| left(id) < 0.1), "week {week}");
        assert!(fading.keys().filter(|id| !gone.contains(id)).all(|id| left(id) > 0.099), "week {week}");
    }
    assert!(archived(&world, ctx).await.len() > 50);
    let (rows, counted) = live(&world, ctx).await;
    assert_eq!(rows, counted);
    let sql = "select count(*) from agent_memory_versions v
                 join agent_memories m on m.tenant_id = v.tenant_id and m.id = v.memory_id and m.version = v.version
                where v.stated_at is distinct from m.stated_at";
    let undated: i64 = sqlx::query_scalar(sql).one(&world.engine).await;
    assert_eq!(undated, 0, "a version says when its words were said, also that of an archived memory");
}

#[tokio::test]
async fn a_clock_that_was_set_back_archives_nothing() {
    let world = alone().await;
    say(&world, &world.atlas, "s", vec![message(Role::User, "The tide is low.")]).await;
    world.clock.advance(Duration::days(-400));
    sweep(&world).await;
    assert!(archived(&world, &world.atlas).await.is_empty());
}

/// Polls a future some times and drops it, as if the process died there.
async fn killed_after<T>(polls: usize, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    for _ in 0..polls {
        let ended = std::future::poll_fn(|context: &mut Context<'_>| match work.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => Poll::Ready(None),
        })
        .await;
        if ended.is_some() {
            return ended;
        }
        tokio::task::yield_now().await;
    }
    None
}

#[tokio::test]
async fn a_killed_sweep_is_resumed_and_archives_each_memory_once() {
    let world = alone().await;
    for batch in 0..6 {
        let list = (0..60).map(|n| message(Role::User, format!("Batch {batch}, message {n}"))).collect();
        say(&world, &world.atlas, &format!("session {batch}"), list).await;
    }
    world.clock.advance(Duration::days(8));
    let payload = lifecycle::SweepPayload { run: world.engine.clock().id(), after: None };
    let stop = CancellationToken::new();
    let mut seen = BTreeSet::new();
    for polls in (5..400).step_by(7) {
        if killed_after(polls, lifecycle::sweep(&world.engine, &world.system, &payload, &stop)).await.is_some() {
            break;
        }
        seen.insert(archived(&world, &world.atlas).await.len());
    }
    sweep(&world).await;
    assert!(!seen.is_empty() && seen.iter().all(|count| count % 100 == 0), "only whole steps are committed: {seen:?}");
    assert_eq!(archived(&world, &world.atlas).await.len(), 360);
    assert_eq!(live(&world, &world.atlas).await, (0, 0));
    let sql = "select count(*) from agent_memory_versions where agent_id = $1 and change = 'archived'";
    assert_eq!(sqlx::query_scalar::<_, i64>(sql).bind(agent(&world.atlas)).one(&world.engine).await, 360, "each memory was archived once");
    let sql = "select count(*) from agent_memory_versions where agent_id = $1 and alternatives is null";
    let unknown: i64 = sqlx::query_scalar(sql).bind(agent(&world.atlas)).one(&world.engine).await;
    assert_eq!(unknown, 0, "archiving records the alternatives, too");
    let runs = lifecycle::forecast(&world.engine, &world.vera).await.unwrap().sweeps;
    assert!(runs[0].finished_at.is_some() && runs[0].error.is_none(), "{runs:?}");
}

#[tokio::test]
async fn a_session_is_listed_in_pages_for_its_agent_and_user_only() {
    let world = World::new().await;
    let list = async |ctx: &OpContext, session: &str, filter: SessionFilter| {
        lifecycle::session_messages(&world.engine, ctx, session, &filter).await
    };
    for batch in 0..3 {
        let batch = (0..50).map(|n| message(Role::User, format!("Boat {:03} leaves.", batch * 50 + n))).collect();
        say(&world, &world.atlas, "harbour", batch).await;
        world.clock.advance(Duration::minutes(1));
    }
    let first = list(&world.atlas, "harbour", SessionFilter::default()).await.unwrap();
    let rest = list(&world.atlas, "harbour", SessionFilter { after: first.next.clone(), ..SessionFilter::default() }).await.unwrap();
    assert_eq!((first.rows.len(), rest.rows.len(), first.total, rest.next), (100, 50, 150, None));
    let texts: Vec<_> = first.rows.iter().chain(&rest.rows).map(|row| row.content.clone()).collect();
    assert_eq!(texts, (0..150).map(|n| format!("Boat {n:03} leaves.")).collect::<Vec<_>>());
    assert_eq!(
        list(&world.atlas, "harbour", SessionFilter { before: rest.previous, ..SessionFilter::default() }).await.unwrap().rows,
        first.rows
    );

    let mina = UserRef::from_str("crm-4711").unwrap();
    identity::add_user(&world.engine, &world.system, "crm-4711", Some("Mina"), None).await.unwrap();
    let for_mina = MessagesRequest { user_id: Some(mina.clone()), ..messages(vec![message(Role::User, "Mina sails alone.")]) };
    lifecycle::add_messages(&world.engine, &world.atlas, "harbour", for_mina).await.unwrap();
    let of_mina = SessionFilter { user_id: Some(mina), ..SessionFilter::default() };
    assert_eq!(list(&world.atlas, "harbour", of_mina).await.unwrap().rows[0].content, "Mina sails alone.");
    assert_eq!(list(&world.atlas, "harbour", SessionFilter::default()).await.unwrap().total, 150);

    for (ctx, session) in [(&world.binky, "harbour"), (&world.atlas, "no such session")] {
        assert_eq!(list(ctx, session, SessionFilter::default()).await.unwrap_err().code(), ErrorCode::NotFound);
    }
    let foreign = SessionFilter { after: Some("x".into()), ..SessionFilter::default() };
    assert_eq!(list(&world.atlas, "harbour", foreign).await.unwrap_err().fields()[0].field, "after");
    memories::delete(&world.engine, &world.vera, &[first.rows[0].memory_id], "wrong").await.unwrap();
    assert_eq!(list(&world.atlas, "harbour", SessionFilter::default()).await.unwrap().rows[0].content, "Boat 001 leaves.");
    world.clock.advance(Duration::days(8));
    let expired = list(&world.atlas, "harbour", SessionFilter::default()).await.unwrap();
    assert_eq!((expired.rows.len(), expired.total), (0, 0), "expired, not swept");
}

/// Agents read what is live; operators read what expired, was archived or deleted, too, by the name of the session or by its id.
#[tokio::test]
async fn operators_see_every_message_of_a_session_whatever_became_of_it() {
    let world = alone().await;
    let named = Uuid::from_u128(0x5e55).to_string();
    let mut all = Vec::new();
    for (ctx, session) in [(&world.atlas, "quay"), (&world.atlas, named.as_str()), (&world.binky, "quay")] {
        let list = ["Idris moored the Petrel.", "Mina paid for the berth.", "The Petrel sails on Sunday."];
        let kept = Some(Retention::Permanent);
        let list = list.iter().zip([None, kept, kept]);
        let list = list.map(|(text, retention)| NewMessage { retention, ..message(Role::User, *text) }).collect();
        all.push(say(&world, ctx, session, list).await);
    }
    memories::delete(&world.engine, &world.vera, &[all[0].messages[1].memory_id], "wrong").await.unwrap();
    let ids = |answer: &MessagesResponse| answer.messages.iter().map(|message| message.memory_id).collect::<BTreeSet<_>>();
    let browse = async |filter: MemoryFilter| {
        memories::browse(&world.engine, &world.vera, &filter).await.unwrap().rows.into_iter().map(|row| row.id).collect::<BTreeSet<_>>()
    };
    let of = |session: &str, state| MemoryFilter { session: Some(session.to_owned()), state, ..MemoryFilter::default() };
    let (atlas, every) = (Some(agent(&world.atlas)), Some(StateFilter::All));
    let of_atlas = |session: &str, state| MemoryFilter { agent_id: atlas, ..of(session, state) };

    world.clock.advance(Duration::days(8));
    sweep(&world).await;
    let [first, second, third] = [0, 1, 2].map(|place| all[0].messages[place].memory_id);
    assert_eq!(browse(of_atlas("quay", None)).await, BTreeSet::from([third]), "neither archived nor deleted");
    assert_eq!(browse(of_atlas("quay", every)).await, ids(&all[0]));
    assert_eq!(browse(MemoryFilter { deleted: Some(true), ..of_atlas("quay", every) }).await, BTreeSet::from([second]));
    let archived = MemoryFilter { status: Some(MemoryStatus::Archived), ..of_atlas("quay", every) };
    let row = memories::browse(&world.engine, &world.vera, &archived).await.unwrap().rows.remove(0);
    assert_eq!((row.id, row.archived_at.is_some(), row.deleted_at), (first, true, None));
    assert_eq!(browse(of(&all[0].session_id.to_string(), every)).await, ids(&all[0]), "by the id of the session");
    assert_eq!(browse(of(&named, every)).await, ids(&all[1]), "by a name that is a UUID");
    assert_eq!(browse(of("quay", every)).await, &ids(&all[0]) | &ids(&all[2]), "of every agent");
    assert_eq!(browse(of("qua", every)).await, BTreeSet::new());
    let found = MemoryFilter { q: Some("The Petrel sails on Sunday.".into()), ..of("quay", None) };
    let found = recall::search_console(&world.engine, &world.vera, &found).await.unwrap();
    let found: BTreeSet<_> = found.hits.iter().map(|hit| hit.memory.id).collect();
    let same = [third, all[2].messages[2].memory_id];
    assert!(found.iter().any(|id| same.contains(id)) && found.is_subset(&(&ids(&all[0]) | &ids(&all[2]))), "{found:?}");

    let asked = SessionFilter { state: every, ..SessionFilter::default() };
    let refused = lifecycle::session_messages(&world.engine, &world.atlas, "quay", &asked).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Forbidden);
    assert!(refused.to_string().contains("only operators read expired, archived and deleted messages"), "{refused}");
    let live = SessionFilter { state: Some(StateFilter::Live), ..SessionFilter::default() };
    let live = lifecycle::session_messages(&world.engine, &world.atlas, "quay", &live).await.unwrap();
    assert_eq!(live.rows.iter().map(|row| row.memory_id).collect::<Vec<_>>(), [third]);
}
