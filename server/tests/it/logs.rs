//! The logs of an agent as each of its keys may read them.

use crate::harness::Site;
use crate::mcp::{message, without_session};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use foundation::testing::key;
use remembrancer::workers;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use wire::KeyScope;

/// What only the documents say: in the title and the text of each.
const MARKS: [&str; 4] = ["Wombat register", "Quokka", "Bilby register", "Numbat"];
const QUESTION: &str = "What is the gantry of berth nine called?";

async fn ingest(site: &Site, path: &str, title: &str, text: &str) {
    let body = json!({ "collection": "harbour", "documents": [{ "path": path, "content": format!("# {title}\n\n{text}\n") }] });
    let request = Request::post("/api/kb/documents")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key))
        .body(body.to_string().into())
        .unwrap();
    let report = site.send(request).await;
    assert_eq!(report.json()["added"], 1, "{}", report.text);
}

async fn get(site: &Site, key: &str, path: &str) -> String {
    site.get(path, &[(header::AUTHORIZATION, &format!("Bearer {key}"))]).await.text
}

/// Calls a tool over the Model Context Protocol.
async fn mcp(site: &Site, key: &str, tool: &str, arguments: Value) -> String {
    message(&site.send(without_session(key, "tools/call", json!({ "name": tool, "arguments": arguments }))).await).to_string()
}

#[tokio::test]
async fn a_key_without_kb_read_reads_no_document_through_the_logs_of_another_key() {
    let site = Site::new().await;
    let world = &site.world;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    ingest(&site, "one.md", MARKS[0], "The gantry of berth nine is called Quokka.").await;
    let fact = json!({ "topic_raw": "gantry", "content": "The gantry of berth nine is painted red.", "source": { "platform": "slack" } });
    let memory = site.atlas("agent_memory_remember", fact).await.json()["memory_id"].as_str().unwrap().to_owned();
    let answer = site.atlas("agent_memory_recall", json!({ "query": QUESTION })).await;
    assert!(answer.text.contains(MARKS[1]) && answer.text.contains("painted red"), "{}", answer.text);
    let recall = answer.json()["retrieval_id"].as_str().unwrap().to_owned();
    world.engine.log().flush().await;
    let context = site.atlas("assemble_context", json!({ "query": QUESTION, "directives": "Be brief." })).await;
    assert!(context.text.contains(MARKS[1]));
    let context = context.json()["id"].as_str().unwrap().to_owned();
    world.engine.finish_deferred().await;
    ingest(&site, "two.md", MARKS[2], "The gantry of berth nine was called Numbat.").await;

    let scopes: Vec<KeyScope> = KeyScope::ALL.iter().copied().filter(|scope| *scope != KeyScope::KbRead).collect();
    let (_, blind) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &scopes).await;
    let seeing = &world.atlas_key;

    let mut answers: Vec<(String, String)> = Vec::new();
    for route in server::api::routes() {
        if route.method != Method::GET || route.path.starts_with("/mcp") || route.path == "/api/events/stream" {
            continue;
        }
        let id = match route.path {
            path if path.starts_with("/api/retrievals") => &recall,
            path if path.starts_with("/api/context") => &context,
            _ => &memory,
        };
        let path = route.path.replace("{id}", id).replace("{memory_id}", id).replace("{session}", "none");
        answers.push((path.clone(), get(&site, &blind, &path).await));
    }
    let query = json!({ "query": QUESTION });
    for (tool, arguments) in [
        ("explain", json!({ "retrieval_id": recall })),
        ("explain", json!({ "memory_id": memory })),
        ("agent_memory_recall", query.clone()),
        ("agent_memory_recall", json!({ "query": QUESTION, "as_of": world.engine.clock().now() })),
        ("agent_memory_search", query.clone()),
        ("search_my_memories", query.clone()),
        ("assemble_context", query.clone()),
        ("search_user_context", query),
        ("context_for", json!({ "task": QUESTION })),
    ] {
        answers.push((format!("{tool} over HTTP"), site.post(Some(&blind), tool, arguments.to_string()).await.text));
        answers.push((format!("{tool} over MCP"), mcp(&site, &blind, tool, arguments).await));
    }
    for (door, text) in &answers {
        for mark in MARKS {
            assert!(!text.contains(mark), "{door}: {text}");
        }
        assert!(!text.contains("\"document_id\":\"") && !text.contains("\"chunk_id\":\""), "{door}: {text}");
    }

    // The other key sees all of it, and what is left for this one is whole.
    let replay = format!("/api/retrievals/{recall}/replay");
    let (whole, part): (Value, Value) = (
        serde_json::from_str(&get(&site, seeing, &replay).await).unwrap(),
        serde_json::from_str(&get(&site, &blind, &replay).await).unwrap(),
    );
    let titles = |list: &Value| list.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert!(titles(&whole["today"]).contains(&MARKS[2].to_owned()), "{whole}");
    assert_eq!((titles(&part["logged"]["considered"]), titles(&part["today"])), (vec!["gantry".to_owned()], vec!["gantry".to_owned()]));
    assert_eq!((part["logged"]["considered"][0]["rank"].clone(), part["same"].clone()), (json!(1), json!(true)), "{part}");
    assert_eq!((whole["logged"]["retrieval"]["knowledge_hits"].clone(), whole["same"].clone()), (json!(1), json!(true)), "{whole}");
    for list in ["/api/retrievals", &format!("/api/retrievals/{recall}")] {
        assert!(get(&site, &blind, list).await.contains("\"knowledge_hits\":0"), "{list}");
    }
    let path = format!("/api/context/{context}");
    let (whole, part) = (get(&site, seeing, &path).await, get(&site, &blind, &path).await);
    assert!(whole.contains(MARKS[1]), "{whole}");
    assert!(part.contains("painted red") && part.contains("Be brief.") && part.contains("\"kept\""), "{part}");
    assert!(!part.contains("\"knowledge\""), "{part}");
}

#[tokio::test]
async fn a_get_for_an_unknown_user_makes_no_user() {
    let site = Site::new().await;
    let key = &site.world.atlas_key;
    let users = async || site.rows().await.into_iter().find(|(table, _)| table == "users").unwrap();
    let before = users().await;
    // A stream ends at once when the server stops.
    site.stop.cancel();
    for route in server::api::routes().into_iter().filter(|route| route.method == Method::GET && !route.path.starts_with("/mcp")) {
        let path = route.path.replace("{id}", "01900000-0000-7000-8000-000000000000").replace("{memory_id}", "abcd2345");
        let path = path.replace("{session}", "none");
        let named = format!("{path}?user_id=crm-99");
        for (path, header) in [(&named, None), (&path, Some("crm-99")), (&named, Some("crm-99"))] {
            let mut request = Request::get(path).header(header::AUTHORIZATION, format!("Bearer {key}"));
            if let Some(user) = header {
                request = request.header("X-Remembrancer-User", user);
            }
            let answer = site.send(request.body(Body::empty()).unwrap()).await;
            let status = answer.status;
            assert!(status != StatusCode::FORBIDDEN && !status.is_server_error(), "{path} {header:?}: {}", answer.text);
        }
    }
    assert_eq!(users().await, before);
}

#[tokio::test]
async fn a_header_that_names_two_users_is_refused() {
    let site = Site::new().await;
    let key = &site.world.atlas_key;
    for headers in [&["crm-1", "crm-1"][..], &["crm-1", "crm-2"], &["crm-1, crm-2"], &["crm-1,crm-2"], &["crm-1,"]] {
        let mut request = Request::get("/api/profile").header(header::AUTHORIZATION, format!("Bearer {key}"));
        for user in headers {
            request = request.header("X-Remembrancer-User", *user);
        }
        let answer = site.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!((answer.status, answer.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some("x-remembrancer-user")), "{headers:?}");
    }
}
