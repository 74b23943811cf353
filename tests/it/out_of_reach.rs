//! Deleted and expired memories do not return to an agent by any path, and operators keep the history.

use crate::records::revision;
use crate::support::{Run, agent, remember};
use chrono::Duration;
use foundation::testing::{World, fact, question};
use foundation::{Error, OpContext};
use remembrancer::{memories, recall, tools, workers};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use wire::{LinkRequest, MemoryId, MemoryRef, RecallRequest, RecallResponse, Relation, RememberRequest, Retention};

const SECRET: &str = "the vault code is swordfish";

struct Gone {
    world: World,
    id: MemoryId,
    other: MemoryId,
    /// A recall that returned it, and the moment of it.
    asked: RecallResponse,
    then: chrono::DateTime<chrono::Utc>,
}

/// A memory that was recalled and linked, and then left reach.
async fn gone(leave: impl AsyncFnOnce(&World, MemoryId)) -> Gone {
    let world = World::new().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    let id = remember(&world, &world.atlas, RememberRequest { retention: Some(Retention::Task), ..fact("vault", SECRET) }).await.memory_id;
    let other = remember(&world, &world.atlas, fact("door", "The vault has one door")).await.memory_id;
    let link = LinkRequest { from: other.into(), to: id.into(), relation: Relation::Supports, remove: false, user_id: None };
    memories::link(&world.engine, &world.atlas, link).await.unwrap();
    let asked = recall::recall(&world.engine, &world.atlas, question("vault code")).await.unwrap();
    assert!(asked.memories().iter().any(|hit| hit.memory_id == id));
    world.engine.log().flush().await;
    let then = world.engine.clock().now();
    world.clock.advance(Duration::hours(1));
    leave(&world, id).await;
    Gone { world, id, other, asked, then }
}

async fn told(tool: &str, gone: &Gone, ctx: &OpContext, input: serde_json::Value) -> String {
    match tools::find(tool).unwrap().call(&gone.world.engine, ctx, input).await {
        Ok(answer) => format!("{} {}", answer.value, answer.text),
        Err(error) => error.to_string(),
    }
}

/// Every answer about it that an agent can get, as text.
async fn all_that_an_agent_is_told(gone: &Gone) -> Vec<(&'static str, String)> {
    let (engine, atlas) = (&gone.world.engine, &gone.world.atlas);
    let retrieval = recall::retrieval(engine, atlas, gone.asked.retrieval_id, None).await.unwrap();
    let replay = recall::replay(engine, atlas, gone.asked.retrieval_id, None).await.unwrap();
    let past = RecallRequest { as_of: Some(gone.then), ..question("vault code") };
    let past = recall::recall(engine, atlas, past).await.unwrap();
    assert!(!past.memories().is_empty(), "the other memory was known then and still is");
    let other = memories::record(engine, atlas, &gone.other.into(), None).await.unwrap();
    vec![
        ("log", json!(retrieval).to_string()),
        ("replay", json!(replay).to_string()),
        ("as_of", json!(past).to_string()),
        ("links of another memory", json!(other).to_string()),
        ("search", told("agent_memory_search", gone, atlas, json!({ "query": "vault code", "as_of": gone.then })).await),
        ("explain a recall", told("explain", gone, atlas, json!({ "retrieval_id": gone.asked.retrieval_id })).await),
        ("explain it", told("explain", gone, atlas, json!({ "memory_id": gone.id })).await),
        ("revise it", told("agent_memory_revise", gone, atlas, json!({ "memory": gone.id, "content": "x" })).await),
        ("context", told("context_for", gone, atlas, json!({ "task": "open the vault", "level": "L2" })).await),
    ]
}

#[tokio::test]
async fn a_deleted_memory_is_told_to_no_agent() {
    let gone = gone(async |world, id| {
        memories::delete(&world.engine, &world.vera, &[id], "a secret").await.unwrap();
    })
    .await;
    for (path, text) in all_that_an_agent_is_told(&gone).await {
        assert!(!text.contains("swordfish"), "{path}: {text}");
    }
    let (engine, atlas) = (&gone.world.engine, &gone.world.atlas);
    let replay = recall::replay(engine, atlas, gone.asked.retrieval_id, None).await.unwrap();
    assert!(replay.same && replay.lost.iter().any(|lost| lost.contains("left out")), "{:?}", replay.lost);

    let operator = recall::replay(engine, &gone.world.vera, gone.asked.retrieval_id, None).await.unwrap();
    assert!(operator.same, "{:?}", operator.lost);
    assert!(json!(operator).to_string().contains("swordfish"), "operators keep the history");
    assert!(
        json!(recall::retrieval(engine, &gone.world.vera, gone.asked.retrieval_id, None).await.unwrap()).to_string().contains("swordfish")
    );
}

#[tokio::test]
async fn an_expired_memory_is_told_to_no_agent() {
    let gone = gone(async |world, _| world.clock.advance(Duration::days(31))).await;
    for (path, text) in all_that_an_agent_is_told(&gone).await {
        assert!(!text.contains("swordfish"), "{path}: {text}");
    }
    let (engine, atlas, name) = (&gone.world.engine, &gone.world.atlas, MemoryRef::Id(gone.id));
    let link = LinkRequest { from: name.clone(), to: gone.other.into(), relation: Relation::Supports, remove: false, user_id: None };
    let refused = [
        memories::record(engine, atlas, &name, None).await.err(),
        memories::history(engine, atlas, &name, None).await.err(),
        memories::revise(engine, atlas, revision(gone.id, "x")).await.err(),
        memories::link(engine, atlas, link).await.err(),
    ];
    for (place, error) in refused.into_iter().enumerate() {
        assert!(matches!(error, Some(Error::NotFound("memory"))), "{place}: {error:?}");
    }
    assert!(memories::record(engine, &gone.world.vera, &name, None).await.is_ok());
}

/// Questions about the past are limited in number at a time, in memories and in bytes.
#[tokio::test]
async fn a_question_about_the_past_is_bounded() {
    let world = World::new().await;
    let id = remember(&world, &world.atlas, fact("vault", "It has one door")).await.memory_id;
    let past = || RecallRequest { as_of: Some(world.engine.clock().now()), ..question("door") };
    let ask = || recall::recall(&world.engine, &world.atlas, past());
    assert!(ask().await.is_ok());
    let turns: Vec<_> = std::iter::from_fn(|| world.engine.past_searches().try_acquire().ok()).collect();
    assert!(matches!(ask().await, Err(Error::Busy { .. })));
    drop(turns);
    assert!(ask().await.is_ok());

    // 2,100 memories of 16 KiB: more bytes than a question about the past may read, and far fewer memories.
    sqlx::query(
        r"insert into agent_memories (tenant_id, agent_id, id, short_id, created_by, kind, retention, scope, status, topic, topic_raw, topic_normal,
              topic_key, is_canonical, vocabulary_version, content, source, source_kind, confidence, importance, content_hash, version, live,
              awaiting_vector, stated_at, created_at, updated_at)
          select m.tenant_id, m.agent_id, gen_random_uuid(), lpad(n::text, 8, 'x'), m.created_by, m.kind, m.retention, m.scope, m.status, m.topic,
                 m.topic_raw, m.topic_normal, m.topic_key, m.is_canonical, m.vocabulary_version, repeat('door ', 3276), m.source, m.source_kind,
                 m.confidence, m.importance, m.content_hash, m.version, m.live, m.awaiting_vector, m.stated_at, m.created_at, m.updated_at
            from agent_memories m cross join generate_series(1, 2100) n where m.id = $1",
    )
    .bind(id)
    .run(&world.engine)
    .await;
    sqlx::query(
        r"insert into agent_memory_versions (tenant_id, agent_id, memory_id, version, change, content, topic, topic_raw, is_canonical, status,
              deleted, updated_at, valid_from, actor_kind, actor_id, actor_name, source)
          select m.tenant_id, m.agent_id, m.id, m.version, 'created', m.content, m.topic, m.topic_raw, m.is_canonical, m.status, false,
                 m.updated_at, m.created_at, 'agent', '', 'atlas', m.source
            from agent_memories m where m.tenant_id = $1 and m.agent_id = $2 and m.id <> $3",
    )
    .bind(world.system.tenant_id)
    .bind(agent(&world.atlas))
    .bind(id)
    .run(&world.engine)
    .await;
    let error = ask().await.unwrap_err();
    assert!(error.fields().first().is_some_and(|field| field.field == "as_of" && field.message.contains("bytes")), "{error}");
}
