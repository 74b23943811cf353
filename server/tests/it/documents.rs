//! `POST /api/profile/search` and `PUT /api/connections/{id}/entities` over HTTP.

use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use foundation::identity;
use remembrancer::profile;
use remembrancer::profile::documents::IndexPayload;
use serde_json::{Value, json};

const JIRA: &str = "/api/connections/0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d21";
const USER: &str = "x-remembrancer-user";

async fn send(site: &Site, method: Method, path: &str, user: Option<&str>, body: &Value) -> Answer {
    let mut request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    if let Some(user) = user {
        request = request.header(USER, user);
    }
    let key = format!("Bearer {}", site.world.atlas_key);
    site.send(request.header(header::AUTHORIZATION, key).body(Body::from(body.to_string())).unwrap()).await
}

async fn search(site: &Site, user: Option<&str>, body: Value) -> Answer {
    send(site, Method::POST, "/api/profile/search", user, &body).await
}

#[tokio::test]
async fn what_a_tool_holds_is_found_by_its_user_alone() {
    let site = Site::new().await;
    let connection = json!({ "tool_id": "jira", "name": "Jira", "tool_schema": { "operations": ["create"] } });
    let entities = json!({ "entities": [{ "key": "PROJ", "content": "The harbour project", "message_id": "m-1" }] });
    assert_eq!(send(&site, Method::PUT, JIRA, Some("crm-1"), &connection).await.status, StatusCode::OK);
    let stored = send(&site, Method::PUT, &format!("{JIRA}/entities"), Some("crm-1"), &entities).await;
    assert_eq!((stored.status, &stored.json()["entities"]), (StatusCode::OK, &json!(1)), "{}", stored.text);
    let world = &site.world;
    let user_id = Some(identity::user(&world.engine, &world.system, &"crm-1".parse().unwrap()).await.unwrap());
    profile::index_profile(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &IndexPayload { user_id }).await.unwrap();

    let query = json!({ "query": "the harbour project", "context_types": ["tool_entity"] });
    let found = search(&site, Some("crm-1"), query.clone()).await;
    let document = &found.json()["documents"][0];
    assert_eq!((&document["content"], &document["metadata"]["message_id"]), (&json!("PROJ: The harbour project"), &json!("m-1")));
    assert_eq!((&document["metadata"]["tool_id"], &document["matched_by"]), (&json!("jira"), &json!("vector")), "{}", found.text);
    assert!(document["distance"].as_f64().unwrap() < 0.5 && found.json()["degraded"] == json!([]), "{}", found.text);
    for other in [None, Some("crm-2")] {
        assert_eq!(search(&site, other, query.clone()).await.json()["documents"], json!([]), "{other:?}");
        let named = json!({ "query": "harbour", "connections": ["0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d21"] });
        assert_eq!(search(&site, other, named.clone()).await.status, StatusCode::NOT_FOUND);
        let stolen = send(&site, Method::PUT, &format!("{JIRA}/entities"), other, &entities).await;
        assert_eq!(stolen.status, StatusCode::NOT_FOUND, "{}", stolen.text);
    }
    let tool = site.atlas("search_user_context", query).await;
    assert_eq!((tool.status, &tool.json()["documents"]), (StatusCode::OK, &json!([])));
}

#[tokio::test]
async fn what_is_wrong_is_named_with_its_limit() {
    let site = Site::new().await;
    for (body, field, message) in [
        (json!({ "query": " " }), "query", "must not be empty"),
        (json!({ "query": "x".repeat(4097) }), "query", "at most 4096"),
        (json!({ "query": "tea", "n": 0 }), "n", "1 to 50"),
        (json!({ "query": "tea", "n": 51 }), "n", "1 to 50"),
        (json!({ "query": "tea", "max_distance": 2.5 }), "max_distance", "0 to 2"),
        (json!({ "query": "tea", "context_types": ["memory"] }), "context_types[0]", "user_profile"),
        (json!({ "query": "tea", "context_types": vec!["tool_entity"; 7] }), "context_types", "at most 6"),
        (json!({ "query": "tea", "connections": vec!["0193a1f2-7c1e-7a55-9d3e-5b0c4f6a7d21"; 201] }), "connections", "at most 200"),
        (json!({ "query": "tea", "agent_id": "x" }), "agent_id", ""),
    ] {
        refused(&search(&site, None, body).await, field, message);
    }
    assert_eq!(send(&site, Method::PUT, JIRA, None, &json!({ "tool_id": "jira", "name": "Jira" })).await.status, StatusCode::OK);
    let entity = |key: &str, content: &str| json!({ "key": key, "content": content });
    for (entities, field, message) in [
        (vec![entity("a", "x"); 1001], "entities", "at most 1000"),
        (vec![entity("a", &"x".repeat(8 * 1024)); 129], "entities", "at most 1048576"),
        (vec![entity(&"k".repeat(257), "x")], "entities[0].key", "at most 256"),
        (vec![entity("a", "x"), entity("a", "y")], "entities[1].key", "earlier entity"),
        (vec![entity("a", &"x".repeat(8 * 1024 + 1))], "entities[0].content", "at most 8192"),
        (vec![entity("a", "b\0c")], "entities[0].content", "NUL"),
    ] {
        refused(&send(&site, Method::PUT, &format!("{JIRA}/entities"), None, &json!({ "entities": entities })).await, field, message);
    }
}

fn refused(answer: &Answer, field: &str, message: &str) {
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{field}: {}", answer.text);
    assert_eq!(answer.error(), ("invalid".to_owned(), Some(field.to_owned())), "{}", answer.text);
    let said = &answer.json()["error"]["fields"][0]["message"];
    assert!(said.as_str().unwrap().contains(message), "{field}: {said}");
}
