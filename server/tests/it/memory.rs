//! The tools over HTTP, as an agent uses them.

use crate::harness::Site;
use crate::mcp::Session;
use axum::http::StatusCode;
use serde_json::json;

#[tokio::test]
async fn a_memory_from_drive_is_recalled_on_slack_with_its_provenance() {
    let site = Site::new().await;
    let source =
        json!({ "platform": "drive", "channel_id": "D1", "thread_id": "T7", "message_id": "M3", "observed_at": "2026-05-03T09:00:00Z" });
    let input = json!({ "topic_raw": "invoice deadline", "content": "Invoices are due on the fifth.", "source": source });
    let remembered = site.atlas("agent_memory_remember", input).await;
    assert_eq!(remembered.status, StatusCode::OK, "{}", remembered.text);
    let recalled = site.atlas("agent_memory_recall", json!({ "query": "invoice deadline" })).await.json();
    let hit = &recalled["hits"][0];
    assert_eq!(hit["memory_id"], remembered.json()["memory_id"]);
    assert_eq!(hit["source"], source);
    assert_eq!(hit["source_tag"], "private");
    for field in ["topic", "topic_raw", "content", "similarity", "recency_score", "score", "status", "short_id", "reason", "attribution"] {
        assert!(!hit[field].is_null(), "{field} is missing");
    }
}

#[tokio::test]
async fn a_forgotten_memory_is_gone_at_once() {
    let site = Site::new().await;
    let input = json!({ "topic_raw": "coffee", "content": "Mina takes it black.", "source": { "platform": "slack" } });
    let remembered = site.atlas("agent_memory_remember", input).await.json();
    let forgotten = site.atlas("agent_memory_forget", json!({ "memory_id": remembered["short_id"] })).await.json();
    assert_eq!((&forgotten["memory_id"], &forgotten["already_forgotten"]), (&remembered["memory_id"], &json!(false)));
    let recalled = site.atlas("agent_memory_recall", json!({ "query": "coffee" })).await.json();
    assert_eq!((recalled["hits"].as_array().unwrap().len(), &recalled["zero_hit"]), (0, &json!(true)));
    let session = Session::open(&site, &site.world.atlas_key).await;
    for id in ["memory_id", "short_id"] {
        let again = session.tool("agent_memory_forget", json!({ "memory_id": remembered[id] })).await;
        assert_eq!(again["structuredContent"]["already_forgotten"], true, "{again}");
    }
}

#[tokio::test]
async fn a_revision_of_a_decision_gives_its_new_reason_and_is_the_agents_own() {
    let site = Site::new().await;
    let decision = json!({ "topic_raw": "sessions", "content": "We keep sessions in Valkey.", "kind": "decision",
        "rationale": "Restarts lost them.", "source": { "platform": "slack", "speaker": "Idris" } });
    let id = site.atlas("agent_memory_remember", decision).await.json()["memory_id"].clone();
    let revision = json!({ "memory": id, "content": "We keep sessions in Postgres.", "rationale": "One database is enough." });
    let revised = site.atlas("agent_memory_revise", revision).await;
    assert_eq!(revised.status, StatusCode::OK, "{}", revised.text);
    let memory = site.atlas("explain", json!({ "memory_id": id })).await.json()["memory"].clone();
    assert_eq!(memory["rationale"], "One database is enough.");
    assert_eq!((&memory["source"]["platform"], memory["source"].get("speaker")), (&json!("tool"), None));
    let long = json!({ "memory": id, "content": "We keep sessions in Postgres.", "rationale": "x".repeat(2001) });
    let refused = site.atlas("agent_memory_revise", long).await;
    assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some("rationale")));
}

#[tokio::test]
async fn another_agents_key_sees_nothing_but_the_commons() {
    let site = Site::new().await;
    let own = json!({ "topic_raw": "release day", "content": "Releases go out on Tuesday.", "source": { "platform": "slack" } });
    let id = site.atlas("agent_memory_remember", own).await.json()["memory_id"].clone();
    let shared = json!({ "topic_raw": "release owner", "content": "Mina owns the release.", "source": { "platform": "slack" }, "scope": "global", "commons": true });
    site.atlas("agent_memory_remember", shared).await;
    let recalled = site.binky("agent_memory_recall", json!({ "query": "release" })).await.json();
    let hits = recalled["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 1, "{hits:?}");
    assert_eq!((&hits[0]["source_tag"], &hits[0]["content"]), (&json!("shared"), &json!("Mina owns the release.")));
    assert_eq!(site.binky("agent_memory_forget", json!({ "memory_id": id })).await.status, StatusCode::NOT_FOUND);
    assert_eq!(Site::new().await.atlas("agent_memory_forget", json!({ "memory_id": id })).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_listing_tells_a_model_everything_it_needs() {
    let site = Site::new().await;
    let key = format!("Bearer {}", site.world.atlas_key);
    let list = site.get("/api/tools", &[(axum::http::header::AUTHORIZATION, &key)]).await.json();
    let tools = list["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "agent_memory_recall",
        "agent_memory_search",
        "agent_memory_list",
        "context_for",
        "assemble_context",
        "agent_memory_remember",
        "agent_memory_forget",
        "agent_memory_revise",
        "agent_memory_link",
        "explain",
        "upsert_profile_fact",
        "add_to_memory",
        "update_memory",
        "add_session_messages",
        "list_session_messages",
        "capture_text",
        "capture_conversation",
        "capture_session",
        "ingest",
        "consolidate",
        "record_observation",
        "update_user_context",
        "update_connection_context",
        "get_user_profile",
        "search_user_context",
        "forget_profile_leaf",
        "search_my_memories",
        "record_action",
        "record_workflow_step",
        "canonical_terms_lookup",
        "canonical_terms_propose",
        "shared_kb_search",
        "shared_kb_topology",
        "list_projects",
        "create_project",
    ];
    assert_eq!(names, expected);
    for tool in tools {
        assert!(tool["description"].as_str().unwrap().len() > 80);
        let schema = &tool["input_schema"];
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false, "{}", tool["name"]);
        assert!(schema["properties"].get("agent_id").is_none(), "the identity is the key's");
        for (name, property) in schema["properties"].as_object().unwrap() {
            let described = property.to_string();
            assert!(described.contains("description") || described.contains("$ref"), "{name} of {} says nothing", tool["name"]);
        }
    }
}
