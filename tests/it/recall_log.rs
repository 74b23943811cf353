//! What a recall leaves in the log.

use crate::support::{Fetch, agent, alone, ask, remember};
use chrono::Duration;
use foundation::testing::{World, fact, question};
use remembrancer::{Workers, recall};
use serde_json::{Value, json};
use uuid::Uuid;
use wire::{NothingReason, Ranking, RecallFilters, RecallRequest, RetrievalId, UserId};

async fn logged(world: &World, id: RetrievalId) -> Value {
    let row: sqlx::types::Json<Value> =
        sqlx::query_scalar("select to_jsonb(r) from retrievals r where id = $1").bind(id).one(&world.engine).await;
    row.0
}

#[tokio::test]
async fn the_log_keeps_the_question_the_answer_and_the_near_misses() {
    let world = alone().await;
    let workers = Workers::start(&world.engine);
    for n in 0..4 {
        remember(&world, &world.atlas, fact(&format!("stone {n}"), &format!("the stone number {n} is grey"))).await;
    }
    let far = remember(&world, &world.atlas, fact("lunch", "noodles at noon")).await.memory_id;
    world.clock.advance(Duration::days(9));
    let user = UserId(Uuid::from_u128(7));
    let filters = RecallFilters { platform: Some("slack".into()), ..RecallFilters::default() };
    let request = RecallRequest {
        k: 2,
        expected: true,
        user_id: Some(user.into()),
        ranking: Some(Ranking::Decay),
        filters,
        ..question("stone number grey")
    };
    let answer = recall::recall(&world.engine, &world.atlas, request).await.unwrap();
    world.engine.log().flush().await;
    let row = logged(&world, answer.retrieval_id).await;
    let plain = json!({
        "tenant_id": world.atlas.tenant_id, "agent_id": agent(&world.atlas), "user_id": user, "query": "stone number grey",
        "query_canonical": null, "k": 2, "expected": true, "ranking": "decay", "filters": { "platform": "slack" },
        "model": "all-MiniLM-L6-v2", "vector_floor": 0.25, "lexical_floor": 0.2, "vocabulary_version": 0, "hits": 2, "zero_hit": false,
        "reason": null, "degraded": [],
    });
    for (column, value) in plain.as_object().unwrap() {
        assert_eq!(&row[column], value, "{column}");
    }
    assert_eq!(row["statistics"]["documents"], 5);
    assert!(row["took_ms"].as_f64().unwrap() > 0.0);
    let candidates = row["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 5, "two hits, and what came behind them");
    for (rank, (candidate, hit)) in candidates.iter().zip(answer.memories()).enumerate() {
        let expected = json!({
            "memory_id": hit.memory_id, "agent_id": agent(&world.atlas), "version": 1, "matched_by": "vector", "passed": true, "rank": rank + 1,
            "similarity": hit.similarity, "recency": hit.recency_score, "score": hit.score,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&candidate[name], value, "{name}");
        }
    }
    let cut: Vec<_> = candidates[2..].iter().map(|c| (c["passed"].as_bool().unwrap(), c["rank"].is_null())).collect();
    assert_eq!(cut, [(true, true), (true, true), (false, true)]);
    assert_eq!(candidates[4]["memory_id"], json!(far), "the nearest below the floor is a near miss");
    // Returned memories were recalled, the others were not; to remember one again is no recall.
    for n in 0..4 {
        assert!(remember(&world, &world.atlas, fact(&format!("stone {n}"), &format!("the stone number {n} is grey"))).await.unchanged);
    }
    let accessed: Vec<(Uuid, i64, bool)> =
        sqlx::query_as("select id, recalled_count, last_accessed_at is not null from agent_memories order by id").all(&world.engine).await;
    assert_eq!(accessed.len(), 5);
    for (id, count, timed) in accessed {
        let returned = answer.memories().iter().any(|hit| hit.memory_id.0 == id);
        assert_eq!((count, timed), (i64::from(returned), returned));
    }
    workers.stop().await;
}

#[tokio::test]
async fn an_empty_answer_is_logged_with_its_reason() {
    let world = alone().await;
    let workers = Workers::start(&world.engine);
    let nothing = ask(&world, &world.atlas, "tea").await;
    remember(&world, &world.atlas, fact("lunch", "noodles at noon")).await;
    let below = ask(&world, &world.atlas, "tea").await;
    world.embedder.fail();
    let degraded = ask(&world, &world.atlas, "coffee").await;
    world.engine.log().flush().await;
    for (answer, reason) in
        [(nothing, NothingReason::NothingFound), (below, NothingReason::BelowFloor), (degraded, NothingReason::Degraded)]
    {
        let row = logged(&world, answer.retrieval_id).await;
        assert_eq!((&row["zero_hit"], &row["hits"], &row["reason"]), (&json!(true), &json!(0), &json!(reason)));
        assert_eq!(row["degraded"], json!(answer.degraded));
        assert_eq!(row["candidates"].as_array().unwrap().len(), usize::from(reason == NothingReason::BelowFloor));
    }
    workers.stop().await;
}

#[tokio::test]
async fn stopping_writes_what_is_still_held() {
    let world = alone().await;
    let workers = Workers::start(&world.engine);
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let mut asked = Vec::new();
    for _ in 0..5 {
        asked.push(ask(&world, &world.atlas, "tea").await.retrieval_id);
    }
    workers.stop().await;
    for id in asked {
        assert_eq!(logged(&world, id).await["hits"], 1);
    }
    // The writer has stopped, and nobody waits for it.
    world.engine.log().flush().await;
}

#[tokio::test]
async fn a_log_of_two_tenants_is_written_to_each() {
    let world = alone().await;
    let other = foundation::identity::create_tenant(&world.engine, "other", "Other").await.unwrap();
    let agent = foundation::identity::create_agent(&world.engine, &other, "atlas", "Atlas", false).await.unwrap();
    let (stranger, _) = foundation::testing::key(&world.engine, &other, agent.id, wire::KeyScope::ALL).await;
    let mine = ask(&world, &world.atlas, "tea").await.retrieval_id;
    let theirs = ask(&world, &stranger, "tea").await.retrieval_id;
    let workers = Workers::start(&world.engine);
    world.engine.log().flush().await;
    workers.stop().await;
    assert_eq!(logged(&world, mine).await["tenant_id"], json!(world.atlas.tenant_id));
    assert_eq!(logged(&world, theirs).await["tenant_id"], json!(other.tenant_id));
}
