//! What clients of the Model Context Protocol list, and how they may write arguments.

use crate::console::sign_in;
use crate::forms::{FIELDS, post};
use crate::harness::{Site, with_token};
use crate::mcp::{Session, message, without_session};
use axum::http::{StatusCode, header};
use foundation::identity;
use foundation::op::Actor;
use foundation::testing::{PASSWORD, key};
use serde_json::{Value, json};
use wire::{KeyScope, Toolset};

/// What a key lists at an address.
pub async fn list_of(site: &Site, key: &str, query: &str) -> Vec<Value> {
    let mut request = without_session(key, "tools/list", json!({}));
    *request.uri_mut() = format!("/mcp{query}").parse().unwrap();
    let answer = site.send(request).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    message(&answer)["result"]["tools"].as_array().unwrap().clone()
}

/// The names of listed tools.
pub fn names_of(listed: &[Value]) -> Vec<&str> {
    listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_client_lists_the_sets_of_its_key_or_of_its_address() {
    const CORE: [&str; 7] = [
        "agent_memory_recall",
        "context_for",
        "agent_memory_remember",
        "agent_memory_forget",
        "agent_memory_revise",
        "explain",
        "find_tools",
    ];
    let site = Site::new().await;
    let world = &site.world;
    let (ctx, key) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), KeyScope::ALL).await;
    let listed = list_of(&site, &key, "").await;
    assert_eq!(names_of(&listed), CORE, "a new key");
    assert!(listed[0]["inputSchema"]["properties"].get("ranking").is_none(), "{}", listed[0]);
    let of_vocabulary = ["canonical_terms_lookup", "canonical_terms_propose", "find_tools"];
    assert_eq!(names_of(&list_of(&site, &key, "?toolset=vocabulary").await), of_vocabulary);
    let two = list_of(&site, &key, "/?toolset=core,vocabulary").await;
    assert_eq!(two.len(), CORE.len() + 2);

    let Actor::Agent { key_id, .. } = ctx.actor else { panic!("{ctx:?}") };
    let (cookie, agent) = (sign_in(&site, &world.login, PASSWORD).await.1, world.atlas.agent_id().unwrap());
    let path = "/console/api/set_key_toolsets";
    let fields = format!("id={key_id}&agent={agent}&toolsets[]=vocabulary");
    post(&site, &cookie, path, FIELDS, with_token(&cookie, path, &fields)).await;
    assert_eq!(list_of(&site, &key, "").await, two, "an admin chose them");
    let page = site.get(&format!("/agents/{agent}"), &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    assert!(page.text.contains("Toolsets: core, vocabulary") && page.text.contains("Save toolsets"), "{}", page.text);
    identity::set_toolsets(&world.engine, &world.system, key_id, &[Toolset::All]).await.unwrap();
    let all = list_of(&site, &key, "").await;
    assert_eq!(all.len(), remembrancer::tools::all().len());
    assert!(!names_of(&all).contains(&"find_tools"));

    let mut request = without_session(&key, "tools/list", json!({}));
    *request.uri_mut() = "/mcp?toolset=core,magic".parse().unwrap();
    let refused = site.send(request).await;
    assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some("toolset")));
    assert!(refused.text.contains("must be one of core, capture, knowledge, vocabulary, profile, all"), "{refused:?}");
}

#[tokio::test]
async fn a_tool_tells_of_the_tools_that_are_not_listed() {
    let site = Site::new().await;
    let session = Session::open(&site, &site.world.atlas_key).await;
    let answer = session.tool("find_tools", Value::Null).await;
    let sets: Vec<_> = answer["structuredContent"]["toolsets"].as_array().unwrap().iter().map(|set| &set["toolset"]).collect();
    assert_eq!(sets, ["capture", "knowledge", "vocabulary", "profile"]);
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("canonical_terms_lookup") && text.contains("?toolset=core,capture"), "{text}");
    let one = session.tool("find_tools", json!({ "name": "agent_memory_recall" })).await;
    assert!(one["structuredContent"]["input_schema"]["properties"].get("ranking").is_some(), "{one}");
    let ranked = session.tool("agent_memory_recall", json!({ "query": "tea", "ranking": "decay" })).await;
    assert_eq!(ranked["isError"], json!(false), "an argument that is not listed: {ranked}");
    assert_eq!(session.tool("find_tools", json!({ "name": "nothing" })).await["structuredContent"]["error"]["code"], "not_found");
}

/// Over HTTP each of these arguments is refused.
#[tokio::test]
async fn arguments_are_read_as_clients_send_them() {
    let site = Site::new().await;
    let session = Session::open(&site, &site.world.atlas_key).await;
    let source = json!({ "platform": "slack", "thread_id": "", "observed_at": "2026-11-20" }).to_string();
    let sent = json!({ "topic_raw": "tea", "content": "Vera likes green tea", "source": source, "kind": "Profile", "title": null, "confidence": "0.5" });
    assert_eq!(site.atlas("agent_memory_remember", sent.clone()).await.status, StatusCode::BAD_REQUEST);
    let stored = session.tool("agent_memory_remember", sent).await;
    assert_eq!(stored["isError"], json!(false), "{stored}");
    assert!(stored["structuredContent"].get("ignored_arguments").is_none(), "{stored}");
    let recalled = session.tool("agent_memory_recall", json!({ "query": "green tea", "k": "3", "limit": 3 })).await;
    assert_eq!(recalled["structuredContent"]["hits"][0]["content"], "Vera likes green tea", "{recalled}");
    assert_eq!(recalled["structuredContent"]["ignored_arguments"], json!(["limit"]));
    assert_eq!(recalled["content"][1]["text"], "Ignored, because this tool has no such argument: “limit”");
    let many: serde_json::Map<String, Value> =
        (10..100).map(|n| (format!("x{n}"), json!(n))).chain([("query".into(), json!("tea"))]).collect();
    let recalled = session.tool("agent_memory_recall", Value::Object(many)).await;
    assert_eq!(recalled["structuredContent"]["ignored_arguments"].as_array().unwrap().len(), 10, "{recalled}");
    assert!(recalled["content"][1]["text"].as_str().unwrap().ends_with("“x19”, …"), "{recalled}");
    let id = &recalled["structuredContent"]["hits"][0]["memory_id"];
    let tried = session.tool("agent_memory_forget", json!({ "memory_id": id, "dry_run": true })).await;
    assert_eq!(tried["structuredContent"]["error"]["fields"][0]["field"], "dry_run", "{tried}");
    let kept = session.tool("agent_memory_recall", json!({ "query": "green tea" })).await;
    assert_eq!(&kept["structuredContent"]["hits"][0]["memory_id"], id, "{kept}");
    let refused = session.tool("agent_memory_recall", json!({ "query": "green tea", "k": "many" })).await;
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, "invalid: k must be a whole number from 1 to 100, for example 10");
}
