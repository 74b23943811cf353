//! `POST /api/context` and `GET /api/context/{id}` over HTTP.

use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};

async fn post(site: &Site, body: impl Into<Body>) -> Answer {
    let request = Request::post("/api/context").header(header::CONTENT_TYPE, "application/json");
    site.send(request.header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key)).body(body.into()).unwrap()).await
}

#[tokio::test]
async fn a_context_is_assembled_and_read_again_from_the_log() {
    let site = Site::new().await;
    let fact = json!({ "topic_raw": "deploy day", "content": "We deploy on Fridays.", "source": { "platform": "slack" } });
    assert_eq!(site.atlas("agent_memory_remember", fact).await.status, StatusCode::OK);
    let input = json!({
        "query": "Which day do we deploy?",
        "system_prompt": "You are atlas.",
        "turns": [{ "role": "user", "name": "Vera", "content": "Which day do we deploy?" }],
    });
    let answer = post(&site, input.to_string()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let context = answer.json();
    let text = context["text"].as_str().unwrap();
    assert!(text.starts_with("You are atlas.\n\n") && text.contains("We deploy on Fridays.") && text.contains("**user (Vera)**"), "{text}");
    assert_eq!(context["tokenizer"], "o200k_base");
    assert_eq!(context["messages"][0]["cache_breakpoint"], true);
    let tool = site.atlas("assemble_context", input).await;
    assert_eq!((tool.status, &tool.json()["tokens"]), (StatusCode::OK, &context["tokens"]), "the tool is the same");
    let measured = post(&site, json!({ "query": "Which day do we deploy?", "tiers": "none", "vectors": false }).to_string()).await.json();
    assert_eq!((measured["blocks"].as_array().unwrap().len(), &measured["blocks"][0]["name"]), (1, &json!("time")));

    site.world.engine.finish_deferred().await;
    let path = format!("/api/context/{}", context["id"].as_str().unwrap());
    let read = async |key: &str| site.get(&path, &[(header::AUTHORIZATION, &format!("Bearer {key}"))]).await;
    let logged = read(&site.world.atlas_key).await;
    assert_eq!((logged.status, &logged.json()["text"]), (StatusCode::OK, &context["text"]));
    assert_eq!(read(&site.world.binky_key).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_wrong_is_named_with_its_limit() {
    let site = Site::new().await;
    let turn = |content: &str| json!({ "role": "user", "content": content });
    let long = "x".repeat(256 * 1024 + 1);
    let cases = [
        (json!({ "query": "" }), "query", "must not be empty"),
        (json!({ "query": "x".repeat(4097) }), "query", "at most 4096"),
        (json!({ "query": "tea", "budget": 0 }), "budget", "100 to 1000000"),
        (json!({ "query": "tea", "budget": 1 }), "budget", "100 to 1000000"),
        (json!({ "query": "tea", "budget": 10_000_000 }), "budget", "100 to 1000000"),
        (json!({ "query": "tea", "budget": 100, "system_prompt": "Be kind. ".repeat(100) }), "budget", "that are never cut have"),
        (json!({ "query": "tea", "order": "seed" }), "order", "stable_first"),
        (json!({ "query": "tea", "tiers": "some" }), "tiers", "working_memory"),
        (json!({ "query": "tea", "vectors": "no" }), "vectors", "boolean"),
        (json!({ "query": "tea", "model": " " }), "model", "must not be empty"),
        (json!({ "query": "tea", "system_prompt": long }), "system_prompt", "at most 262144"),
        (json!({ "query": "tea", "directives": "a\0b" }), "directives", "NUL"),
        (json!({ "query": "tea", "turns": [turn("a"), turn(" ")] }), "turns[1].content", "must not be empty"),
        (json!({ "query": "tea", "turns": [{ "role": "system", "content": "a" }] }), "turns[0].role", "user"),
        (json!({ "query": "tea", "turns": vec![turn("a"); 1001] }), "turns", "at most 1000"),
        (json!({ "query": "tea", "tool_results": [{ "tool": "", "content": "a" }] }), "tool_results[0].tool", "must not be empty"),
        (json!({ "query": "tea", "agent_id": "x" }), "agent_id", ""),
    ];
    for (input, field, message) in cases {
        let answer = post(&site, input.to_string()).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{field}: {}", answer.text);
        assert_eq!(answer.error(), ("invalid".to_owned(), Some(field.to_owned())), "{}", answer.text);
        let said: &Value = &answer.json()["error"]["fields"][0]["message"];
        assert!(said.as_str().unwrap().contains(message), "{field}: {said}");
    }
    assert_eq!(post(&site, "{").await.error().0, "invalid");
    let huge = json!({ "query": "tea", "system_prompt": "x".repeat(4 * 1024 * 1024) }).to_string();
    assert_eq!(post(&site, huge).await.status, StatusCode::PAYLOAD_TOO_LARGE);
}
