//! forget: soft, idempotent, only the agent's own memories, with everything derived.

use crate::support::{Fetch, Told, agent, alone, ask, number, remember, settle};
use chrono::Duration;
use db::clock::Clock;
use foundation::testing::{World, fact, key, nowhere};
use foundation::{Error, OpContext};
use remembrancer::memories;
use uuid::Uuid;
use wire::{AuditVisibility, ForgetRequest, KeyScope, MemoryId, MemoryRef, MemoryScope, RememberRequest, UserId};

fn please(memory_id: MemoryId) -> ForgetRequest {
    ForgetRequest { memory_id: memory_id.into(), reason: None, user_id: None }
}

async fn refused(world: &World, ctx: &OpContext, request: ForgetRequest) -> Error {
    memories::forget(&world.engine, ctx, request).await.unwrap_err()
}

async fn is_live(world: &World, id: MemoryId) -> bool {
    number(world, "select count(*) from agent_memories where id = $1 and live and deleted_at is null", id).await == 1
}

#[tokio::test]
async fn forgetting_takes_everything_derived_along_and_leaves_a_tombstone() {
    let world = World::new().await;
    let mut request = fact("tea", "Vera likes tea");
    request.source.thread_id = Some("T1".into());
    let id = remember(&world, &world.atlas, request).await.memory_id;
    let other = remember(&world, &world.atlas, fact("lunch", "noodles at noon")).await.memory_id;
    let answer = memories::forget(&world.engine, &world.atlas, please(id)).await.unwrap();
    assert!(!answer.already_forgotten && answer.memory_id == id);
    assert_eq!(number(&world, "select count(*) from memory_terms where memory_id = $1", id).await, 0);
    assert_eq!(number(&world, "select count(*) from embeddings_384 where memory_id = $1 and live", id).await, 0);
    assert_eq!(number(&world, "select count(*) from embeddings_384 where memory_id = $1 and live", other).await, 1);
    let (hash, source, columns): (Vec<u8>, serde_json::Value, String) =
        sqlx::query_as("select content_hash, source, t::text from tombstones t where memory_id = $1").bind(id).one(&world.engine).await;
    assert_eq!((hash, &source["thread_id"]), (remembrancer::memories::model::content_hash("Vera likes tea"), &"T1".into()));
    assert!(!columns.contains("likes"), "never its content: {columns}");
    let detail = memories::detail(&world.engine, &world.vera, id).await.unwrap();
    assert_eq!((detail.memory.content.as_str(), detail.memory.deleted_at), ("Vera likes tea", Some(answer.forgotten_at)));
    assert_eq!((detail.memory.deleted_by.as_deref(), detail.memory.delete_reason), (Some("atlas"), None));
    let versions: Vec<_> = detail.record.versions.iter().map(|v| (v.version, v.change.as_str(), v.deleted)).collect();
    assert_eq!(versions, [(2, "forgotten", true), (1, "created", false)]);
    let documents = "select sum(documents)::bigint from memory_term_counts c
                       join agent_memories m on m.tenant_id = c.tenant_id and m.agent_id = c.agent_id where m.id = $1";
    assert_eq!(number(&world, documents, id).await, 1, "what is left counts");
    assert!(!remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.unchanged, "said again, it is a new memory");
}

#[tokio::test]
async fn forgetting_twice_is_no_error_and_changes_nothing() {
    let world = World::new().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    let first = memories::forget(&world.engine, &world.atlas, please(id)).await.unwrap();
    world.clock.advance(Duration::hours(1));
    let second = memories::forget(&world.engine, &world.atlas, please(id)).await.unwrap();
    assert!(second.already_forgotten);
    assert_eq!(second.forgotten_at, first.forgotten_at);
    assert!(second.forgotten_at < world.clock.now() - Duration::minutes(59));
    assert_eq!(number(&world, "select count(*) from agent_memory_versions where memory_id = $1", id).await, 2);
}

#[tokio::test]
async fn a_short_id_names_a_memory_of_the_agent() {
    let world = World::new().await;
    let tea = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let request = ForgetRequest { memory_id: MemoryRef::Short(tea.short_id), reason: None, user_id: None };
    assert!(matches!(refused(&world, &world.binky, request.clone()).await, Error::NotFound("memory")));
    assert!(is_live(&world, tea.memory_id).await);
    for already_forgotten in [false, true] {
        let answer = memories::forget(&world.engine, &world.atlas, request.clone()).await.unwrap();
        assert_eq!((answer.memory_id, answer.already_forgotten), (tea.memory_id, already_forgotten));
    }
}

#[tokio::test]
async fn what_is_not_the_agents_is_not_found() {
    let (world, stranger) = (World::new().await, World::new().await);
    let (vera, tom) = (UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
    let own = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    let hers = remember(&world, &world.atlas, RememberRequest { user_id: Some(vera.into()), ..fact("tea", "Hers") }).await.memory_id;
    for (ctx, request) in [
        (&world.binky, please(own)),
        (&stranger.atlas, please(own)),
        (&world.atlas, please(MemoryId(nowhere()))),
        (&world.atlas, please(hers)),
        (&world.atlas, ForgetRequest { user_id: Some(tom.into()), ..please(hers) }),
    ] {
        assert!(matches!(refused(&world, ctx, request.clone()).await, Error::NotFound("memory")), "{request:?}");
    }
    assert!(is_live(&world, own).await && is_live(&world, hers).await);
    let (reader, _) = key(&world.engine, &world.system, agent(&world.atlas), &[KeyScope::MemoryRead, KeyScope::MemoryWrite]).await;
    assert!(matches!(refused(&world, &reader, please(own)).await, Error::Forbidden(_)));
    assert!(matches!(refused(&world, &world.vera, please(own)).await, Error::Forbidden(_)));
    for reason in ["", " ", "\0", &"x".repeat(501)] {
        let error = refused(&world, &world.atlas, ForgetRequest { reason: Some(reason.into()), ..please(own) }).await;
        assert_eq!(error.fields()[0].field, "reason");
    }
    assert!(is_live(&world, own).await);
    memories::forget(&world.engine, &world.atlas, ForgetRequest { user_id: Some(vera.into()), ..please(hers) }).await.unwrap();
    memories::forget(&world.engine, &world.atlas, ForgetRequest { user_id: Some(tom.into()), ..please(own) }).await.unwrap();
    assert!(!is_live(&world, own).await && !is_live(&world, hers).await);
}

#[tokio::test]
async fn a_shared_memory_is_forgotten_by_who_wrote_it_or_by_an_operator() {
    let world = World::new().await;
    let shared = |content: &str| RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("office", content) };
    let id = remember(&world, &world.atlas, shared("The office is closed in August")).await.memory_id;
    assert!(matches!(refused(&world, &world.binky, please(id)).await, Error::Forbidden(_)), "it can be seen, so it is no secret");
    let (unshared, _) = key(&world.engine, &world.system, agent(&world.atlas), &[KeyScope::MemoryForget]).await;
    assert!(matches!(refused(&world, &unshared, please(id)).await, Error::Forbidden(_)));
    assert!(is_live(&world, id).await);
    memories::forget(&world.engine, &world.atlas, please(id)).await.unwrap();
    assert!(ask(&world, &world.binky, "when is the office closed").await.told().is_empty());
    let id = remember(&world, &world.atlas, shared("The office is open in May")).await.memory_id;
    assert_eq!(memories::delete(&world.engine, &world.vera, &[id], "not true").await.unwrap().changed, [id]);
}

#[tokio::test]
async fn the_audit_trail_says_who_and_why_and_never_what() {
    let world = alone().await;
    let id = remember(&world, &world.atlas, fact("vault", "The vault code is heptagon")).await.memory_id;
    remember(&world, &world.atlas, fact("vault", "The vault code is heptagon")).await;
    remember(&world, &world.atlas, fact("vault", "The vault code is the heptagon!")).await;
    memories::forget(&world.engine, &world.atlas, please(id)).await.unwrap();
    memories::restore(&world.engine, &world.vera, &[id], "still needed").await.unwrap();
    world.clock.advance(Duration::seconds(1));
    memories::forget(&world.engine, &world.atlas, ForgetRequest { reason: Some("the user asked".into()), ..please(id) }).await.unwrap();
    settle(&world).await;
    let trail = memories::detail(&world.engine, &world.vera, id).await.unwrap().audit;
    let lines: Vec<_> = trail.iter().rev().map(|e| (e.action.as_str(), e.actor_name.as_str(), e.reason.as_deref(), e.visibility)).collect();
    let (all, few) = (AuditVisibility::Organisation, AuditVisibility::Operators);
    assert_eq!(
        lines,
        [
            ("memory.remembered", "atlas", None, all),
            ("memory.repeated", "atlas", None, all),
            ("memory.revised", "atlas", None, all),
            ("memory.forgotten", "atlas", None, all),
            ("memory.restored", "Vera", Some("still needed"), few),
            ("memory.forgotten", "atlas", Some("the user asked"), few),
        ]
    );
    let forgotten = &trail[0];
    assert_eq!((forgotten.actor_kind.as_str(), forgotten.actor_id.clone()), ("agent", agent(&world.atlas).to_string()));
    assert_eq!((forgotten.agent_id, forgotten.request_id), (Some(agent(&world.atlas)), Some(world.atlas.request_id)));
    let revised = &trail[3].changes["content"];
    assert!(revised[0].as_str().unwrap().len() == 64 && revised[0] != revised[1], "hashes of before and after: {revised}");
    let leaks: i64 = sqlx::query_scalar("select count(*) from audit_log a where a::text ilike '%heptagon%'")
        .one(&world.engine.urls().internal_shared)
        .await;
    assert_eq!(leaks, 0);
}

#[tokio::test]
async fn a_memory_of_nothing_but_function_words_keeps_them_as_its_terms() {
    let world = alone().await;
    let documents = "select coalesce(sum(documents), 0)::bigint from memory_term_counts where $1::uuid is not null";
    let terms = "select coalesce(sum(terms), 0)::bigint from memory_term_counts where $1::uuid is not null";
    let id = remember(&world, &world.atlas, fact("the", "it is what it is")).await.memory_id;
    assert_eq!((number(&world, documents, id).await, number(&world, terms, id).await), (1, 6));
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    memories::forget(&world.engine, &world.atlas, please(id)).await.unwrap();
    assert_eq!((number(&world, documents, id).await, number(&world, terms, id).await), (1, 4));
    memories::restore(&world.engine, &world.vera, &[id], "it is").await.unwrap();
    assert_eq!((number(&world, documents, id).await, number(&world, terms, id).await), (2, 10));
}
