//! What remember refuses, and that a refusal leaves nothing behind.

use crate::support::{agent, all_row_counts, alone, remember};
use foundation::testing::{fact, key};
use foundation::{Error, identity};
use remembrancer::{memories, tools};
use serde_json::{Value, json};
use uuid::Uuid;
use wire::{ErrorCode, KeyScope, MemoryScope, RememberRequest, UserId};

fn with(change: impl FnOnce(&mut RememberRequest)) -> RememberRequest {
    let mut request = fact("topic", "content");
    change(&mut request);
    request
}

#[tokio::test]
async fn every_validation_error_names_its_field_and_leaves_no_row() {
    let world = alone().await;
    let before = all_row_counts(world.engine.urls()).await;
    let cases = [
        ("topic_raw", with(|r| r.topic_raw = String::new())),
        ("topic_raw", with(|r| r.topic_raw = " \n\t".into())),
        ("topic_raw", with(|r| r.topic_raw = "ü".repeat(257))),
        ("topic_raw", with(|r| r.topic_raw = "a\0b".into())),
        ("content", with(|r| r.content = String::new())),
        ("content", with(|r| r.content = "  ".into())),
        ("content", with(|r| r.content = "ü".repeat(8 * 1024 + 1))),
        ("content", with(|r| r.content = "a\0b".into())),
        ("source.platform", with(|r| r.source.platform = String::new())),
        ("source.platform", with(|r| r.source.platform = "p".repeat(65))),
        ("source.channel_id", with(|r| r.source.channel_id = Some("c".repeat(257)))),
        ("source.thread_id", with(|r| r.source.thread_id = Some("\0".into()))),
        ("source.message_id", with(|r| r.source.message_id = Some(String::new()))),
        ("confidence", with(|r| r.confidence = Some(1.1))),
        ("confidence", with(|r| r.confidence = Some(-0.1))),
        ("confidence", with(|r| r.confidence = Some(f32::NAN))),
        ("project_id", with(|r| r.scope = Some(MemoryScope::Project))),
        ("repo_id", with(|r| r.scope = Some(MemoryScope::Repo))),
        ("session_id", with(|r| r.scope = Some(MemoryScope::Session))),
        ("scope", with(|r| r.commons = true)),
        ("scope", with(|r| (r.commons, r.scope, r.session_id) = (true, Some(MemoryScope::Session), Some(Uuid::nil())))),
    ];
    for (field, request) in cases {
        let error = memories::remember(&world.engine, &world.atlas, request.clone()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Invalid, "{request:?}");
        assert_eq!(error.fields().iter().map(|f| f.field.as_str()).collect::<Vec<_>>(), [field], "{request:?}");
    }
    let both = with(|r| (r.topic_raw, r.content) = (String::new(), String::new()));
    let error = memories::remember(&world.engine, &world.atlas, both).await.unwrap_err();
    assert_eq!(error.fields().len(), 2, "all errors are reported at once");
    let (reader, _) = key(&world.engine, &world.system, agent(&world.atlas), &[KeyScope::MemoryRead]).await;
    let keyed = all_row_counts(world.engine.urls()).await;
    assert!(matches!(memories::remember(&world.engine, &reader, fact("a", "b")).await, Err(Error::Forbidden(_))));
    assert!(matches!(memories::remember(&world.engine, &world.vera, fact("a", "b")).await, Err(Error::Forbidden(_))));
    assert_eq!(all_row_counts(world.engine.urls()).await, keyed);
    let without_key = |counts: Vec<(String, i64)>| {
        counts.into_iter().filter(|(table, _)| !["api_keys", "audit_log", "audit_texts"].contains(&table.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(without_key(keyed), without_key(before), "a refusal leaves no row");
    assert_eq!(world.embedder.calls(), 0, "nor does it cost an embedding");
}

#[tokio::test]
async fn the_longest_texts_are_admitted() {
    let world = alone().await;
    let mut request = fact(&"ü".repeat(256), &"é".repeat(8 * 1024));
    request.source.channel_id = Some("c".repeat(256));
    let answer = remember(&world, &world.atlas, request.clone()).await;
    assert!(remember(&world, &world.atlas, request).await.unchanged);
    assert_eq!(answer.topic.chars().count(), 256);
}

#[tokio::test]
async fn an_agent_may_be_bound_to_name_its_user() {
    let world = alone().await;
    let strict = identity::create_agent(&world.engine, &world.system, "strict", "Strict", true).await.unwrap();
    let (ctx, _) = key(&world.engine, &world.system, strict.id, KeyScope::ALL).await;
    let before = all_row_counts(world.engine.urls()).await;
    assert_eq!(memories::remember(&world.engine, &ctx, fact("tea", "Vera likes tea")).await.unwrap_err().fields()[0].field, "user_id");
    assert_eq!(all_row_counts(world.engine.urls()).await, before);
    let request = RememberRequest { user_id: Some(UserId(Uuid::from_u128(7)).into()), ..fact("tea", "Vera likes tea") };
    assert!(!remember(&world, &ctx, request).await.unchanged);
}

#[tokio::test]
async fn the_tool_refuses_malformed_input_by_name_before_it_touches_a_row() {
    let world = alone().await;
    let tool = tools::find("agent_memory_remember").unwrap();
    let before = all_row_counts(world.engine.urls()).await;
    let whole = json!({ "topic_raw": "tea", "content": "black", "source": { "platform": "slack" } });
    let with = |key: &str, value: Value| {
        let mut input = whole.clone();
        input[key] = value;
        input
    };
    for (field, input) in [
        ("content", json!({ "topic_raw": "tea", "source": { "platform": "slack" } })),
        ("agent_id", with("agent_id", json!(Uuid::nil()))),
        ("user_id", with("user_id", json!(" "))),
        ("source.platform", with("source", json!({ "thread_id": "T1" }))),
        ("content", with("content", json!("a\u{0}b"))),
        ("retention", with("retention", json!("forever"))),
        ("topic_raw", with("topic_raw", json!(""))),
    ] {
        let error = tool.call(&world.engine, &world.atlas, input.clone()).await.unwrap_err();
        assert_eq!(error.fields().first().map(|f| f.field.as_str()), Some(field), "{input}: {error}");
    }
    assert_eq!(all_row_counts(world.engine.urls()).await, before);
    let answer = tool.call(&world.engine, &world.atlas, whole).await.unwrap().value;
    assert_eq!((&answer["topic"], &answer["was_update"]), (&json!("tea"), &json!(false)));
    assert_eq!(answer["short_id"].as_str().unwrap().len(), 8);
}
