//! Answers that a model pays for: brief unless a caller asks to explain.

use crate::harness::Site;
use remembrancer::tools;
use serde_json::{Value, json};

const ROOMS: [&str; 10] = ["kitchen", "archive", "garage", "studio", "cellar", "library", "workshop", "greenhouse", "attic", "office"];

/// Ten memories of usual length, some 300 characters each.
async fn ten_memories(site: &Site) {
    for (n, room) in ROOMS.iter().enumerate() {
        let content = format!(
            "The lock of the {room} was changed on day {n} of the move. Mina keeps one key in the drawer of her desk, Idris has the other, and \
             the spare one hangs in the cupboard beside the front door. Whoever takes the spare key signs the list on the inside of the \
             cupboard, and brings it back before the cleaners arrive at six."
        );
        let source = json!({ "platform": "slack", "channel_id": "C-move", "observed_at": "2026-05-03T09:00:00Z" });
        let input = json!({ "topic_raw": format!("{room} key"), "content": content, "source": source });
        assert_eq!(site.atlas("agent_memory_remember", input).await.json()["was_update"], false);
    }
}

fn ask(more: &Value) -> Value {
    let mut input = json!({ "query": "Who has the spare key of the cupboard?" });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

#[tokio::test]
async fn ten_hits_cost_little_more_than_their_contents() {
    let site = Site::new().await;
    ten_memories(&site).await;
    let brief = site.atlas("agent_memory_recall", ask(&json!({}))).await;
    let answer = brief.json();
    let hits = answer["hits"].as_array().unwrap();
    let contents: usize = hits.iter().map(|hit| hit["content"].as_str().unwrap().len()).sum();
    assert_eq!(hits.len(), 10);
    assert!(brief.text.len() * 10 <= contents * 25, "{} bytes for {contents}", brief.text.len());
    assert!(!brief.text.contains("null"), "{}", brief.text);
    let hit = &hits[0];
    assert_eq!((&hit["attribution"], &hit["breakdown"]), (&json!("I remember (from 3 May 2026):"), &Value::Null));
    let digits = |number: &Value| number.to_string().split('.').nth(1).map_or(0, str::len);
    assert!(["similarity", "recency_score", "score"].iter().all(|name| digits(&hit[name]) <= 3), "{hit}");

    let explained = site.atlas("agent_memory_recall", ask(&json!({ "explain": true }))).await.json();
    let whole = &explained["hits"][0];
    assert_eq!(whole["memory_id"], hit["memory_id"]);
    assert_eq!((&whole["attribution"], &whole["content"]), (&hit["attribution"], &hit["content"]), "quoted the same way in both forms");
    assert!(whole["breakdown"]["parts"].is_array() && whole.get("expires_at").is_some_and(Value::is_null), "{whole}");
    assert_eq!(site.atlas("agent_memory_recall", ask(&json!({ "explain": "yes" }))).await.json()["error"]["fields"][0]["field"], "explain");

    // The text that MCP gives to a model.
    let text = tools::find("agent_memory_recall").unwrap().call(&site.world.engine, &site.world.atlas, ask(&json!({}))).await.unwrap().text;
    assert!(text.len() * 10 <= contents * 14, "{} bytes for {contents}: {text}", text.len());
    assert!(text.starts_with("1. I remember (from 3 May 2026): The lock of the"), "{text}");
}

/// Counted as what a host puts before a model: name, description and schema of each tool as compact JSON, four characters to a token. The key
/// has every scope, so its list is the longest.
#[tokio::test]
async fn a_list_of_tools_costs_250_tokens_a_tool_at_most() {
    let site = Site::new().await;
    let list = site.get("/api/tools", &[(axum::http::header::AUTHORIZATION, &format!("Bearer {}", site.world.atlas_key))]).await.json();
    let tools = list["tools"].as_array().unwrap();
    let length = |text: &str| text.chars().count();
    let costs: Vec<(&str, usize)> = tools
        .iter()
        .map(|tool| {
            let (name, description) = (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap());
            (name, (length(name) + length(description) + length(&tool["input_schema"].to_string())) / 4)
        })
        .collect();
    let sum: usize = costs.iter().map(|(_, cost)| cost).sum();
    assert!(costs.len() == remembrancer::tools::all().len() && sum <= 250 * costs.len(), "{sum} tokens: {costs:#?}");
}
