//! Requests that are carried out once: at the same moment, across a crash, for each key and user, and what forgetting leaves of them.

use crate::support::{Fetch, Run, agent, alone, remember};
use chrono::Duration;
use db::lock;
use foundation::op::IdempotencyKey;
use foundation::testing::{World, fact, key};
use foundation::{Error, OpContext, idempotency, identity};
use futures_util::future::join_all;
use remembrancer::memories;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wire::{ForgetRequest, KeyScope, ReviseRequest, ReviseResponse, UserRef};

/// The same operation with an idempotency key, and whether its answer was given before.
fn with_key(ctx: &OpContext, text: &str) -> (OpContext, Arc<AtomicBool>) {
    let replayed = Arc::<AtomicBool>::default();
    (OpContext { idempotency: Some(Arc::new(IdempotencyKey::new(text.into(), Arc::clone(&replayed)))), ..ctx.clone() }, replayed)
}

pub async fn count(world: &World, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).bind(world.system.tenant_id).one(&world.engine).await
}

const VERSIONS: &str = "select count(*) from agent_memory_versions where tenant_id = $1";
const REQUESTS: &str = "select count(*) from idempotent_requests where tenant_id = $1";

fn revision(memory: wire::MemoryId, content: &str) -> ReviseRequest {
    serde_json::from_value(serde_json::json!({ "memory": memory, "content": content })).unwrap()
}

async fn revise(world: &World, ctx: &OpContext, request: &ReviseRequest) -> Result<ReviseResponse, Error> {
    memories::revise(&world.engine, ctx, request.clone()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_at_once_are_carried_out_once() {
    let world = World::new().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    let calls = (0..50).map(|_| {
        let (engine, (ctx, replayed), request) =
            (world.engine.clone(), with_key(&world.atlas, "once"), revision(id, "Vera likes green tea"));
        tokio::spawn(async move { (memories::revise(&engine, &ctx, request).await.unwrap(), replayed.load(Ordering::Relaxed)) })
    });
    let answers: Vec<_> = join_all(calls).await.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|(answer, _)| *answer == answers[0].0));
    assert_eq!((answers[0].0.version, answers[0].0.old_content.as_str()), (2, "Vera likes black tea"));
    assert_eq!(answers.iter().filter(|(_, replayed)| !replayed).count(), 1);
    assert_eq!(count(&world, VERSIONS).await, 2);
}

/// The first caller dies after it claimed the request and before its commit. The second waits, and then does the work.
#[tokio::test]
async fn a_caller_that_dies_leaves_the_request_to_be_done() {
    let world = World::new().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    let mut tx = world.engine.db().memory.begin(world.atlas.tenancy()).await.unwrap();
    let memory = memories::store::by_ids(&mut tx, world.atlas.tenancy(), None, &[id], false).await.unwrap().remove(0);
    // Whoever revises waits for this, having claimed the request.
    lock(&mut tx, memory.key().lock()).await.unwrap();
    let request = revision(id, "Vera likes green tea");
    let (engine, (ctx, _), first) = (world.engine.clone(), with_key(&world.atlas, "once"), request.clone());
    let dying = tokio::spawn(async move { memories::revise(&engine, &ctx, first).await });
    let waiting = "select count(*) from pg_locks l join pg_stat_activity a using (pid) where l.locktype = 'advisory' and not l.granted \
                   and a.datname = current_database() and $1::uuid is not null";
    while count(&world, waiting).await == 0 {
        tokio::task::yield_now().await;
    }
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    tx.rollback().await.unwrap();

    let (ctx, replayed) = with_key(&world.atlas, "once");
    let answer = revise(&world, &ctx, &request).await.unwrap();
    assert_eq!((answer.version, replayed.load(Ordering::Relaxed)), (2, false));
    assert_eq!(revise(&world, &ctx, &request).await.unwrap(), answer);
    assert!(replayed.load(Ordering::Relaxed));
    assert_eq!(count(&world, VERSIONS).await, 2);
}

#[tokio::test]
async fn a_request_that_failed_leaves_its_key_free() {
    let world = World::new().await;
    let (ctx, replayed) = with_key(&world.atlas, "once");
    assert!(memories::remember(&world.engine, &ctx, fact("tea", "")).await.is_err());
    let missing = revision(wire::MemoryId(foundation::testing::nowhere()), "Vera likes green tea");
    assert!(matches!(revise(&world, &ctx, &missing).await, Err(Error::NotFound(_))));
    assert_eq!(count(&world, REQUESTS).await, 0);
    let stored = remember(&world, &ctx, fact("tea", "Vera likes black tea")).await;
    assert!(!replayed.load(Ordering::Relaxed));
    assert_eq!(remember(&world, &ctx, fact("tea", "Vera likes black tea")).await, stored);
    let accesses = "select sum(access_count)::bigint from agent_memories where tenant_id = $1";
    assert_eq!(count(&world, accesses).await, 0, "the second request was no repetition of the fact");
}

#[tokio::test]
async fn a_key_belongs_to_one_api_key_and_one_user() {
    let world = World::new().await;
    let tea = || fact("tea", "Vera likes black tea");
    let (ctx, _) = with_key(&world.atlas, "once");
    remember(&world, &ctx, tea()).await;
    // The same agent with another API key, and another agent.
    let (sibling, _) = key(&world.engine, &world.system, agent(&world.atlas), KeyScope::ALL).await;
    for other in [&sibling, &world.binky] {
        let (ctx, replayed) = with_key(other, "once");
        remember(&world, &ctx, fact("tea", "Idris likes black tea")).await;
        assert!(!replayed.load(Ordering::Relaxed));
    }
    // Another user: the row is hidden from them, and nothing of it shows.
    let for_user = |user: &str| {
        let user: UserRef = user.parse().unwrap();
        wire::RememberRequest { user_id: Some(user), ..tea() }
    };
    let (ctx, _) = with_key(&world.atlas, "for one");
    remember(&world, &ctx, for_user("crm-1")).await;
    for other in [for_user("crm-2"), tea()] {
        let refused = memories::remember(&world.engine, &ctx, other).await.unwrap_err();
        assert!(matches!(refused, Error::KeyReused), "{refused}");
    }
}

#[tokio::test]
async fn forgetting_erases_the_answers_that_hold_the_words() {
    let world = World::new().await;
    let held =
        "select count(*) from idempotent_requests where tenant_id = $1 and (answer::text like '%green%' or answer::text like '%black%')";
    // By the agent itself, by an operator, and a shared memory by the agent that wrote it, after another agent revised it.
    for (name, shared, operator) in [("own", false, false), ("operator", false, true), ("shared", true, false)] {
        let mut tea = fact(name, "Vera likes black tea");
        if shared {
            (tea.commons, tea.scope) = (true, Some(wire::MemoryScope::Global));
        }
        let id = remember(&world, &with_key(&world.atlas, name).0, tea.clone()).await.memory_id;
        let (ctx, _) = with_key(if shared { &world.binky } else { &world.atlas }, "revise");
        let request = revision(id, &format!("Vera likes green tea, {name}"));
        revise(&world, &ctx, &request).await.unwrap();
        assert_eq!(count(&world, held).await, 1, "{name}");
        if operator {
            memories::delete(&world.engine, &world.vera, &[id], "wrong").await.unwrap();
        } else {
            let forget = ForgetRequest { memory_id: id.into(), reason: None, user_id: None };
            memories::forget(&world.engine, &world.atlas, forget).await.unwrap();
        }
        assert_eq!(count(&world, held).await, 0, "{name}");
        for refused in [revise(&world, &ctx, &request).await.map(drop), {
            let (ctx, _) = with_key(&world.atlas, name);
            memories::remember(&world.engine, &ctx, tea).await.map(drop)
        }] {
            assert!(matches!(&refused, Err(Error::Conflict(message)) if message.contains("erased")), "{name}: {refused:?}");
        }
        let alive = "select count(*) from agent_memories where tenant_id = $1 and live";
        assert_eq!(count(&world, alive).await, 0, "{name}: nothing came back");
        sqlx::query("delete from idempotent_requests where tenant_id = $1 and operation = 'revise'")
            .bind(world.system.tenant_id)
            .run(&world.engine)
            .await;
    }
}

#[tokio::test]
async fn an_answer_is_repeated_only_while_its_memories_can_be_read() {
    let world = alone().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    let (ctx, replayed) = with_key(&world.atlas, "once");
    let request = revision(id, "Vera likes green tea");
    let first = revise(&world, &ctx, &request).await.unwrap();
    assert_eq!(revise(&world, &ctx, &request).await.unwrap(), first);
    assert!(replayed.swap(false, Ordering::Relaxed));
    // The memory expires before the key does.
    let ends = "update agent_memories set expires_at = $2 where tenant_id = $1";
    sqlx::query(ends).bind(world.system.tenant_id).bind(world.engine.clock().now() + Duration::hours(1)).run(&world.engine).await;
    world.clock.advance(Duration::hours(2));
    let refused = revise(&world, &ctx, &request).await.unwrap_err();
    assert!(matches!(&refused, Error::Conflict(message) if message.contains("expired") && !message.contains("tea")), "{refused:?}");
    assert!(!replayed.load(Ordering::Relaxed));
}

/// What an answer says of other memories goes with these.
#[tokio::test]
async fn forgetting_erases_the_answers_that_quote_the_memory_beside_their_own() {
    let world = alone().await;
    let near = remember(&world, &world.atlas, fact("room", "The harbour meeting is in room A101")).await.memory_id;
    let (ctx, _) = with_key(&world.atlas, "once");
    let other = fact("room", "The harbour meeting is in room A102");
    let answer = remember(&world, &ctx, other.clone()).await;
    assert_eq!(answer.similar.iter().map(|one| one.memory_id).collect::<Vec<_>>(), [near], "{answer:?}");
    let forget = ForgetRequest { memory_id: near.into(), reason: None, user_id: None };
    memories::forget(&world.engine, &world.atlas, forget).await.unwrap();
    let refused = memories::remember(&world.engine, &ctx, other).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(_)), "{refused:?}");
}

#[tokio::test]
async fn a_key_is_kept_for_a_day() {
    let world = alone().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    let (ctx, replayed) = with_key(&world.atlas, "once");
    let request = revision(id, "Vera likes green tea");
    revise(&world, &ctx, &request).await.unwrap();
    world.clock.advance(Duration::hours(23));
    assert_eq!(revise(&world, &ctx, &request).await.unwrap().version, 2);
    assert!(replayed.swap(false, Ordering::Relaxed));
    assert_eq!(idempotency::sweep(&world.engine, world.engine.clock().now()).await.unwrap(), 0);

    world.clock.advance(Duration::hours(2));
    assert_eq!(revise(&world, &ctx, &revision(id, "Vera likes white tea")).await.unwrap().version, 3, "the key is free again");
    assert!(!replayed.load(Ordering::Relaxed));
    world.clock.advance(Duration::hours(25));
    assert_eq!(idempotency::sweep(&world.engine, world.engine.clock().now()).await.unwrap(), 1);
    assert_eq!(sqlx::query_scalar::<_, i64>("select count(*) from idempotent_requests").one(&world.engine.urls().agent_memory).await, 0);
}

#[tokio::test]
async fn another_reason_is_another_request() {
    let world = World::new().await;
    identity::create_agent(&world.engine, &world.vera, "zephyr", "Zephyr", false).await.unwrap();
    let (ctx, _) = with_key(&world.atlas.as_admin().unwrap(), "once");
    let retire = async |reason: &str| identity::retire_agent(&world.engine, &ctx, "zephyr", Some(reason)).await;
    let retired = retire("replaced").await.unwrap();
    assert_eq!(retire("replaced").await.unwrap(), retired);
    assert!(matches!(retire("sold").await, Err(Error::KeyReused)));
}
