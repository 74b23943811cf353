//! `/api/memory/` over HTTP, as its clients use it, and `/memory` in a chat.

use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use foundation::testing::key;
use serde_json::{Value, json};
use wire::KeyScope;

async fn call(site: &Site, method: Method, path: &str, body: Option<Value>) -> Answer {
    call_as(site, &site.world.atlas_key, method, path, body.map(|body| body.to_string())).await
}

async fn call_as(site: &Site, key: &str, method: Method, path: &str, body: Option<String>) -> Answer {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.unwrap_or_default()))
        .unwrap();
    site.send(request).await
}

async fn create(site: &Site, category: &str, subject: Option<&str>, content: &str) -> Answer {
    call(site, Method::POST, "/api/memory/", Some(json!({ "content": content, "category": category, "subject": subject }))).await
}

async fn command(site: &Site, text: &str) -> String {
    let answer = call(site, Method::POST, "/api/commands/memory", Some(json!({ "text": text }))).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    answer.json()["text"].as_str().unwrap().to_owned()
}

async fn prompt(site: &Site, known: Option<&str>) -> Answer {
    let mut request = Request::get("/api/memory/prompt").header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key));
    if let Some(known) = known {
        request = request.header(header::IF_NONE_MATCH, known);
    }
    site.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn what_was_learned_is_in_the_prompt_of_the_next_session() {
    let site = Site::new().await;
    assert_eq!(prompt(&site, None).await.text, "", "nothing to say yet");
    let made = create(&site, "person", Some("Mina"), "Mina is Vera's boss").await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    create(&site, "preference", None, "Vera prefers due dates on Fridays").await;
    let block = prompt(&site, None).await;
    assert!(block.header(header::CONTENT_TYPE).starts_with("text/markdown"));
    assert!(block.text.starts_with("## Your Memory\n"), "{}", block.text);
    assert!(
        block.text.contains(&format!("### Person\n- [id:{id}] [Mina] Mina is Vera's boss\n\n### Preference\n- [id:")),
        "{}",
        block.text
    );
    let etag = block.header(header::ETAG).to_owned();
    for known in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}"), "*".into()] {
        let unchanged = prompt(&site, Some(&known)).await;
        assert_eq!((unchanged.status, unchanged.text.as_str()), (StatusCode::NOT_MODIFIED, ""), "{known}");
        assert_eq!(unchanged.header(header::ETAG), etag);
    }
    assert_eq!(prompt(&site, Some("\"other\"")).await.text, block.text);
    create(&site, "context", None, "Vera works on the Platform team").await;
    assert_eq!(prompt(&site, Some(&etag)).await.status, StatusCode::OK);
}

#[tokio::test]
async fn changed_information_updates_the_memory_and_keeps_its_history() {
    let site = Site::new().await;
    let made = create(&site, "person", Some("Mina"), "Mina works on the Platform team").await.json();
    let id = made["id"].as_str().unwrap();
    let refused = create(&site, "person", Some("Mina"), "Mina works on the Design team").await;
    assert_eq!((refused.status, refused.error().0.as_str()), (StatusCode::CONFLICT, "same_subject"));
    let other = &refused.json()["same_subject"][0];
    assert_eq!((&other["id"], &other["content"]), (&made["id"], &made["content"]));
    let tool = site.atlas("add_to_memory", json!({ "content": "Mina works on the Design team", "category": "person", "subject": "Mina" }));
    let tool = tool.await.json();
    assert_eq!((&tool["stored"], &tool["same_subject"][0]["id"]), (&json!(false), &made["id"]));

    let updated = site.atlas("update_memory", json!({ "memory_id": id, "content": "Mina works on the Design team" })).await.json();
    let expected = json!({ "id": id, "old_content": made["content"], "new_content": "Mina works on the Design team", "version": 2 });
    assert_eq!(updated, expected);
    let put = call(&site, Method::PUT, &format!("/api/memory/{id}"), Some(json!({ "content": "Mina is Design team lead" }))).await;
    assert_eq!((put.status, &put.json()["version"]), (StatusCode::OK, &json!(3)), "{}", put.text);
    let whole = call(&site, Method::GET, &format!("/api/memory/{id}"), None).await.json();
    assert_eq!((&whole["content"], &whole["id"], &whole["version"]), (&json!("Mina is Design team lead"), &json!(id), &json!(3)));
    let history: Vec<_> =
        whole["versions"].as_array().unwrap().iter().map(|v| (v["version_number"].clone(), v["content"].clone())).collect();
    let expected = ["Mina works on the Platform team", "Mina works on the Design team", "Mina is Design team lead"];
    assert_eq!(history, expected.iter().zip(1..).map(|(text, n)| (json!(n), json!(text))).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_conversation_is_noted_with_what_it_changed() {
    let site = Site::new().await;
    let source = json!({ "platform": "slack", "channel_id": "C1", "thread_id": "T7", "message_id": "M3" });
    let body = json!({ "content": "Mina works on the Platform team", "category": "person", "subject": "Mina", "source": source });
    let made = call(&site, Method::POST, "/api/memory/", Some(body)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let path = format!("/api/memory/{}", made.json()["id"].as_str().unwrap());
    let change = json!({ "platform": "telegram", "channel_id": "4711" });
    let put = call(&site, Method::PUT, &path, Some(json!({ "content": "Mina is Design team lead", "source": change }))).await;
    assert_eq!(put.status, StatusCode::OK, "{}", put.text);
    let whole = call(&site, Method::GET, &path, None).await.json();
    let (first, second) = (&whole["versions"][0]["source"], &whole["versions"][1]["source"]);
    assert_eq!(first, &source);
    assert_eq!((&second["platform"], &second["channel_id"]), (&change["platform"], &change["channel_id"]));
    let refused = json!({ "content": "Mina is Design team lead", "source": { "platform": "" } });
    let refused = call(&site, Method::PUT, &path, Some(refused)).await;
    assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::UNPROCESSABLE_ENTITY, Some("source.platform")));
}

#[tokio::test]
async fn the_command_lists_without_an_agent() {
    let site = Site::new().await;
    assert_eq!(command(&site, "/memory").await, "I remember nothing yet.");
    let mut ids = Vec::new();
    for (category, content) in [
        ("person", "Mina is Vera's boss"),
        ("preference", "Vera prefers Thursday due dates"),
        ("person", "Idris works on\nthe Design team"),
    ] {
        ids.push(create(&site, category, None, content).await.json()["id"].as_str().unwrap().to_owned());
    }
    let expected = format!(
        "📝 Your memories:\n\n**Person**\n• [{}] Mina is Vera's boss\n• [{}] Idris works on the Design team\n\n**Preference**\n\
         • [{}] Vera prefers Thursday due dates\n\nUse /memory delete <id> to remove a memory.",
        ids[0], ids[2], ids[1]
    );
    assert_eq!(command(&site, "/memory").await, expected);
    assert_eq!(command(&site, "/memory list").await, expected);
    for text in ["/help", "/memory purge", "/memory delete"] {
        assert!(command(&site, text).await.contains("/memory delete <id>"), "{text}");
    }
    let talk = command(&site, "What do you know about Idris?").await;
    assert!(talk.contains("/help") && !talk.contains("/memory"), "{talk}");
    assert_eq!(command(&site, "/memory list 2").await, "There is no page 2: the list has 1 page. Use /memory list to see the first one.");
}

#[tokio::test]
async fn the_command_lists_what_is_shared_with_its_origin_and_what_has_no_category() {
    let site = Site::new().await;
    call(&site, Method::POST, "/api/projects", Some(json!({ "slug": "orchard", "name": "Orchard" }))).await;
    let source = json!({ "platform": "slack" });
    let trees = json!({
        "topic_raw": "trees", "content": "Pear trees bloom in April.", "category": "context", "source": source, "scope": "project",
        "project_id": "orchard", "commons": true,
    });
    let trees = site.binky("agent_memory_remember", trees).await.json();
    let tea = json!({ "topic_raw": "tea", "content": "Vera likes tea.", "source": source });
    let tea = site.atlas("agent_memory_remember", tea).await.json()["short_id"].as_str().unwrap().to_owned();
    let expected = format!(
        "📝 Your memories:\n\n**Context**\n• [{}] Pear trees bloom in April. (shared by binky, project orchard)\n\n\
         **Other**\n• [{tea}] Vera likes tea.\n\nUse /memory delete <id> to remove a memory.",
        trees["short_id"].as_str().unwrap()
    );
    assert_eq!(command(&site, "/memory").await, expected);
    assert_eq!(command(&site, &format!("/memory delete {tea}")).await, "Deleted: 'Vera likes tea.'");
    assert!(!command(&site, "/memory").await.contains("tea"));
}

#[tokio::test]
async fn the_command_deletes_without_an_agent() {
    let site = Site::new().await;
    let id = create(&site, "preference", None, "Vera prefers Thursday due dates").await.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(command(&site, &format!("/memory delete {id}")).await, "Deleted: 'Vera prefers Thursday due dates'");
    assert!(command(&site, &format!("/memory delete {id}")).await.starts_with("There is no memory with the id"));
    assert!(command(&site, "/memory delete nonsense-id").await.starts_with("There is no memory with the id"));
    assert_eq!(call(&site, Method::GET, &format!("/api/memory/{id}"), None).await.status, StatusCode::NOT_FOUND);
    assert_eq!(prompt(&site, None).await.text, "");
    assert_eq!(site.atlas("agent_memory_recall", json!({ "query": "Thursday due dates" })).await.json()["hits"], json!([]));
}

#[tokio::test]
async fn entries_have_their_fields_and_codes() {
    let site = Site::new().await;
    let made = create(&site, "project", Some("Zephyr"), "Zephyr uses Rust 1.96").await;
    assert_eq!(made.status, StatusCode::CREATED);
    let mut fields: Vec<_> = made.json().as_object().unwrap().keys().cloned().collect();
    fields.sort();
    assert_eq!(fields, ["category", "content", "created_at", "id", "subject", "updated_at", "version"]);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert!(id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    for path in ["/api/memory/", "/api/memory"] {
        let list = call(&site, Method::GET, path, None).await;
        assert_eq!((list.status, &list.json()["total"], &list.json()["memories"][0]), (StatusCode::OK, &json!(1), &made.json()));
    }
    let gone = call(&site, Method::DELETE, &format!("/api/memory/{id}"), None).await;
    assert_eq!((gone.status, gone.text.as_str()), (StatusCode::NO_CONTENT, ""));
    for (method, body) in [(Method::GET, None), (Method::DELETE, None), (Method::PUT, Some(json!({ "content": "long enough" })))] {
        for name in [id.as_str(), "aaaaaaaa", "no-id"] {
            let answer = call(&site, method.clone(), &format!("/api/memory/{name}"), body.clone()).await;
            assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::NOT_FOUND, "not_found"), "{method} {name}");
        }
    }
    let uncategorised = json!({ "topic_raw": "t", "content": "no category here", "source": { "platform": "slack" } });
    let uncategorised = site.atlas("agent_memory_remember", uncategorised).await.json();
    let path = format!("/api/memory/{}", uncategorised["short_id"].as_str().unwrap());
    assert_eq!(call(&site, Method::GET, &path, None).await.status, StatusCode::NOT_FOUND);
    assert_eq!(call(&site, Method::PATCH, "/api/memory/", None).await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn what_is_outside_the_limits_is_422_in_our_shape_and_leaves_nothing() {
    let site = Site::new().await;
    let whole = json!({ "content": "long enough", "category": "person", "subject": "Mina" });
    let id = create(&site, "person", None, "This one is there before").await.json()["id"].as_str().unwrap().to_owned();
    let before = site.rows().await;
    let with = |field: &str, value: Value| {
        let mut body = whole.clone();
        body[field] = value;
        body.to_string()
    };
    for (body, field) in [
        (with("content", json!("four")), "content"),
        (with("content", json!("é".repeat(501))), "content"),
        (with("content", json!("      ")), "content"),
        (with("content", json!("long\0enough")), "content"),
        (with("category", json!("hobby")), "category"),
        (with("category", Value::Null), "category"),
        (with("subject", json!("s".repeat(201))), "subject"),
        (with("mood", json!("good")), "mood"),
        (json!({ "category": "person" }).to_string(), "content"),
        ("{".into(), "body"),
    ] {
        let answer = call_as(&site, &site.world.atlas_key, Method::POST, "/api/memory/", Some(body.clone())).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{body} {}", answer.text);
        assert_eq!(answer.error(), ("invalid".to_owned(), Some(field.to_owned())), "{body}");
    }
    let short = call(&site, Method::PUT, &format!("/api/memory/{id}"), Some(json!({ "content": "four" }))).await;
    assert_eq!((short.status, short.error().1.as_deref()), (StatusCode::UNPROCESSABLE_ENTITY, Some("content")));
    let user = call(&site, Method::GET, "/api/memory/?user_id=%20", None).await;
    assert_eq!((user.status, user.error().1.as_deref()), (StatusCode::UNPROCESSABLE_ENTITY, Some("user_id")));
    assert_eq!(site.rows().await, before);
    for (content, letter) in [("fives".to_owned(), "s"), ("é".repeat(500), "t")] {
        let edge = json!({ "content": content, "category": "context", "subject": letter.repeat(200) });
        assert_eq!(call(&site, Method::POST, "/api/memory/", Some(edge)).await.status, StatusCode::CREATED);
    }
}

#[tokio::test]
async fn each_call_for_entries_needs_its_scope_and_sees_its_own_agent() {
    let site = Site::new().await;
    let id = create(&site, "person", None, "Mina is Vera's boss").await.json()["id"].as_str().unwrap().to_owned();
    let atlas = site.world.atlas.agent_id().unwrap();
    let body = || Some(json!({ "content": "Mina left", "category": "person" }).to_string());
    let calls = [
        (Method::GET, "/api/memory/".to_owned(), None, KeyScope::MemoryRead),
        (Method::GET, format!("/api/memory/{id}"), None, KeyScope::MemoryRead),
        (Method::GET, "/api/memory/prompt".into(), None, KeyScope::MemoryRead),
        (Method::GET, format!("/api/memories/{id}"), None, KeyScope::MemoryRead),
        (Method::GET, format!("/api/memories/{id}/versions"), None, KeyScope::MemoryRead),
        (Method::POST, "/api/commands/memory".into(), Some(json!({ "text": "/memory" }).to_string()), KeyScope::MemoryRead),
        (Method::POST, "/api/memory/".into(), body(), KeyScope::MemoryWrite),
        (Method::PUT, format!("/api/memory/{id}"), body(), KeyScope::MemoryWrite),
        (Method::DELETE, format!("/api/memory/{id}"), None, KeyScope::MemoryForget),
    ];
    for (method, path, body, scope) in calls {
        let others: Vec<KeyScope> = KeyScope::ALL.iter().copied().filter(|other| *other != scope).collect();
        let (_, without) = key(&site.world.engine, &site.world.system, atlas, &others).await;
        let answer = call_as(&site, &without, method.clone(), &path, body).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path} {}", answer.text);
        assert!(answer.text.contains(scope.as_str()), "{method} {path} {}", answer.text);
    }
    for path in [format!("/api/memory/{id}"), format!("/api/memories/{id}"), format!("/api/memories/{id}/versions")] {
        assert_eq!(call_as(&site, &site.world.binky_key, Method::GET, &path, None).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn a_memory_is_shown_in_full_by_either_id_with_versions_and_links() {
    let site = Site::new().await;
    let made = create(&site, "person", Some("Mina"), "Mina is Vera's boss").await.json();
    let short = made["id"].as_str().unwrap();
    let record = call(&site, Method::GET, &format!("/api/memories/{short}"), None).await.json();
    assert_eq!((&record["category"], &record["subject"], &record["topic"]), (&json!("person"), &json!("Mina"), &json!("Mina")));
    let id = record["memory_id"].as_str().unwrap();
    call(&site, Method::PUT, &format!("/api/memory/{short}"), Some(json!({ "content": "Mina was Vera's boss" }))).await;
    let other = create(&site, "context", None, "Vera reports to Idris now").await.json();
    site.atlas("agent_memory_link", json!({ "from": other["id"], "to": id, "relation": "contradicts" })).await;
    let record = call(&site, Method::GET, &format!("/api/memories/{id}"), None).await.json();
    assert_eq!((&record["status"], record["versions"].as_array().unwrap().len()), (&json!("contradicted"), 3));
    assert_eq!((&record["links"][0]["other_short_id"], &record["links"][0]["relation"]), (&other["id"], &json!("contradicts")));
    let versions = call(&site, Method::GET, &format!("/api/memories/{id}/versions"), None).await.json();
    assert_eq!(versions["versions"].as_array().unwrap().len(), 3);
    let both = call(&site, Method::GET, &format!("/api/memories/{id}/versions?from=1&to=2"), None).await.json();
    assert_eq!((&both["from"]["content"], &both["to"]["content"]), (&json!("Mina is Vera's boss"), &json!("Mina was Vera's boss")));
    for (query, field) in [("from=1", "to"), ("to=1", "from"), ("from=1&to=x", "to"), ("from=0&to=2", "from")] {
        let answer = call(&site, Method::GET, &format!("/api/memories/{id}/versions?{query}"), None).await;
        assert_eq!((answer.status, answer.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some(field)), "{query}");
    }
}

#[tokio::test]
async fn system_tools_are_flagged_and_count_to_no_limit() {
    let site = Site::new().await;
    let list = |path: &'static str| async { call(&site, Method::GET, path, None).await.json()["tools"].as_array().unwrap().clone() };
    let system = |tools: &[Value]| tools.iter().filter(|tool| tool["system"] == true).map(|tool| tool["name"].clone()).collect::<Vec<_>>();
    let all = list("/api/tools").await;
    assert_eq!(system(&all), ["add_to_memory", "update_memory"]);
    for (path, domain) in [("/api/tools?limit=0", 0), ("/api/tools?limit=2", 2), ("/api/tools?limit=999", all.len() - 2)] {
        let some = list(path).await;
        assert_eq!((system(&some).len(), some.len() - 2), (2, domain), "{path}");
    }
    assert_eq!(call(&site, Method::GET, "/api/tools?limit=few", None).await.error().1.as_deref(), Some("limit"));
}
