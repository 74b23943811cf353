//! Many callers at the same moment.

use crate::support::{Fetch, alone_with, patient, remember, work};
use foundation::testing::{World, fact, question};
use futures_util::future::join_all;
use remembrancer::{Workers, memories, recall};
use std::collections::HashMap;
use wire::{MemoryId, RememberResponse};

const CALLERS: usize = 200;

/// Runs `CALLERS` copies of a call on several threads at once.
async fn at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(call: impl Fn(usize) -> F) -> Vec<T> {
    let running: Vec<_> = (0..CALLERS).map(|n| tokio::spawn(call(n))).collect();
    join_all(running).await.into_iter().map(Result::unwrap).collect()
}

async fn remember_at_once(world: &World, content: impl Fn(usize) -> String) -> Vec<RememberResponse> {
    at_once(|n| {
        let (engine, ctx, request) = (world.engine.clone(), world.atlas.clone(), fact("tea", &content(n)));
        async move { memories::remember(&engine, &ctx, request).await.unwrap() }
    })
    .await
}

async fn one(world: &World, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).one(&world.engine).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_who_say_the_same_leave_one_memory() {
    let world = alone_with(patient()).await;
    let answers = remember_at_once(&world, |_| "Vera likes tea".into()).await;
    assert_eq!(answers.iter().filter(|answer| !answer.unchanged).count(), 1);
    assert!(answers.iter().all(|answer| answer.memory_id == answers[0].memory_id && !answer.was_update));
    assert_eq!(one(&world, "select count(*) from agent_memories").await, 1);
    assert_eq!(one(&world, "select access_count from agent_memories").await, CALLERS as i64 - 1);
    assert_eq!(one(&world, "select count(*) from agent_memory_versions").await, 1);
    assert_eq!(one(&world, "select sum(documents)::bigint from memory_term_counts").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_wordings_of_one_fact_leave_one_memory_and_every_version() {
    let world = alone_with(patient()).await;
    let answers = remember_at_once(&world, |n| format!("Vera likes tea{}", "!".repeat(n))).await;
    assert_eq!(answers.iter().filter(|answer| !answer.was_update).count(), 1);
    assert_eq!(one(&world, "select count(*) from agent_memories").await, 1);
    assert_eq!(one(&world, "select version::bigint from agent_memories").await, CALLERS as i64);
    assert_eq!(one(&world, "select count(distinct content) from agent_memory_versions").await, CALLERS as i64);
    let mut previous: Vec<i32> = answers.iter().filter_map(|answer| answer.previous_version).collect();
    previous.sort_unstable();
    assert_eq!(previous, (1..CALLERS as i32).collect::<Vec<_>>(), "each saw the version before its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_wordings_without_a_model_come_together_when_it_is_back() {
    let world = alone_with(patient()).await;
    world.embedder.fail();
    remember_at_once(&world, |n| format!("Vera likes tea{}", "!".repeat(n % 20))).await;
    assert_eq!(one(&world, "select count(*) from agent_memories where live").await, 20, "equal content needs no model");
    world.embedder.work();
    work(&world).await;
    assert_eq!(one(&world, "select count(*) from agent_memories where live").await, 1);
    assert_eq!(one(&world, "select count(*) from agent_memories where status = 'superseded'").await, 19);
    assert_eq!(one(&world, "select count(*) from memory_links where relation = 'supersedes'").await, 19);
    assert_eq!(one(&world, "select count(*) from embeddings_384 where live").await, 1);
    assert_eq!(one(&world, "select sum(documents)::bigint from memory_term_counts").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_overlapping_recalls_neither_deadlock_nor_lose_a_count() {
    let world = alone_with(patient()).await;
    let workers = Workers::start(&world.engine);
    let words = ["amber", "basalt", "cobalt", "dolomite", "emerald", "feldspar", "garnet", "halite"];
    for (n, pair) in words.windows(2).enumerate() {
        remember(&world, &world.atlas, fact(&format!("stone {n}"), &pair.join(" "))).await;
    }
    let answers = at_once(|n| {
        let (engine, ctx) = (world.engine.clone(), if n % 2 == 0 { world.atlas.clone() } else { world.binky.clone() });
        // Overlapping sets, asked for in opposite orders.
        let mut asked: Vec<_> = words.iter().cycle().skip(n % words.len()).take(5).copied().collect();
        if n % 3 == 0 {
            asked.reverse();
        }
        async move { recall::recall(&engine, &ctx, question(&asked.join(" "))).await.unwrap() }
    })
    .await;
    world.engine.log().flush().await;
    workers.stop().await;
    let mut expected: HashMap<MemoryId, i64> = HashMap::new();
    for hit in answers.iter().flat_map(|answer| answer.memories()) {
        *expected.entry(hit.memory_id).or_default() += 1;
    }
    assert!(expected.len() == words.len() - 1 && expected.values().all(|count| *count > 1), "they overlap: {expected:?}");
    let counted: Vec<(MemoryId, i64)> = sqlx::query_as("select id, access_count from agent_memories").all(&world.engine).await;
    assert_eq!(counted.into_iter().collect::<HashMap<_, _>>(), expected);
    assert_eq!(one(&world, "select count(*) from retrievals").await, CALLERS as i64);
    assert_eq!(one(&world, "select sum(hits) from retrievals").await, expected.values().sum::<i64>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn bulk_deletions_at_once_do_not_wait_for_each_other_in_a_circle() {
    let world = alone_with(patient()).await;
    let mut ids = Vec::new();
    for n in 0..160 {
        ids.push(remember(&world, &world.atlas, fact(&format!("topic {n}"), &format!("content {n}"))).await.memory_id);
    }
    // Disjoint sets, whose counts of words share the same few rows.
    let changes = (0..8).map(|part| {
        let (engine, vera) = (world.engine.clone(), world.vera.clone());
        let mine: Vec<MemoryId> = ids.iter().copied().skip(part).step_by(8).collect();
        tokio::spawn(async move {
            memories::delete(&engine, &vera, &mine, "spring cleaning").await.unwrap();
            memories::restore(&engine, &vera, &mine, "too clean").await.unwrap();
        })
    });
    for change in join_all(changes).await {
        change.unwrap();
    }
    assert_eq!(one(&world, "select count(*) from agent_memories where live and version = 3").await, 160);
    assert_eq!(one(&world, "select sum(documents)::bigint from memory_term_counts").await, 160);
    assert_eq!(one(&world, "select count(*) from tombstones").await, 0);
}
