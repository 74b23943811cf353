//! The user of a call over HTTP: by header, by key, by argument.

use crate::console::sign_in;
use crate::harness::Site;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use foundation::op::Actor;
use foundation::testing::{PASSWORD, fact, nowhere};
use foundation::{identity, sessions};
use remembrancer::memories;
use serde_json::json;
use wire::{KeyScope, OperatorRole, RememberRequest, UserId, UserRef};

/// A key of atlas with some scopes, bound to a user or not.
async fn key(site: &Site, scopes: &[KeyScope], user: Option<&str>) -> String {
    let Actor::Agent { id, .. } = site.world.atlas.actor else { panic!("atlas is an agent") };
    let user = user.map(|user| user.parse().unwrap());
    identity::create_key(&site.world.engine, &site.world.system, id, "test", scopes, user.as_ref(), None).await.unwrap().1
}

async fn call(
    site: &Site,
    key: &str,
    user: Option<&str>,
    method: Method,
    path: &str,
    body: Option<serde_json::Value>,
) -> (StatusCode, String) {
    let mut request = Request::builder().method(method).uri(path).header(header::AUTHORIZATION, format!("Bearer {key}"));
    if let Some(user) = user {
        request = request.header("X-Remembrancer-User", user);
    }
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    let answer = site.send(request.header(header::CONTENT_TYPE, "application/json").body(body).unwrap()).await;
    (answer.status, answer.text)
}

const REMEMBER: &str = "/api/tools/agent_memory_remember";
const RECALL: &str = "/api/tools/agent_memory_recall";

#[tokio::test]
async fn the_header_names_the_user_of_every_door() {
    let site = Site::new().await;
    let key = key(&site, &[KeyScope::MemoryRead, KeyScope::MemoryWrite, KeyScope::MemoryForget], None).await;
    let fact =
        json!({ "topic_raw": "tea", "content": "Idris likes green tea", "source": { "platform": "slack" }, "category": "preference" });
    let stored = call(&site, &key, Some("crm-1"), Method::POST, REMEMBER, Some(fact)).await;
    assert_eq!(stored.0, StatusCode::OK, "{}", stored.1);
    let stored: serde_json::Value = serde_json::from_str(&stored.1).unwrap();
    let id = stored["memory_id"].as_str().unwrap();
    for (method, path, body) in [
        (Method::POST, RECALL.to_owned(), Some(json!({ "query": "green tea" }))),
        (Method::GET, format!("/api/memories/{id}"), None),
        (Method::GET, format!("/api/memories/{id}/versions"), None),
        (Method::GET, "/api/memory/".to_owned(), None),
        (Method::GET, "/api/memory/prompt".to_owned(), None),
        (Method::POST, "/api/commands/memory".to_owned(), Some(json!({ "text": "/memory list" }))),
    ] {
        let told = async |user| call(&site, &key, user, method.clone(), &path, body.clone()).await.1.contains("green tea");
        assert!(told(Some("crm-1")).await, "{path}");
        for other in [Some("crm-2"), None] {
            assert!(!told(other).await, "{path} for {other:?}");
        }
    }
}

#[tokio::test]
async fn a_key_or_a_header_that_names_somebody_else_is_403() {
    let site = Site::new().await;
    let (bound, plain) = (key(&site, KeyScope::ALL, Some("crm-1")).await, key(&site, &[KeyScope::MemoryRead], None).await);
    let named = |user: &str| Some(json!({ "query": "tea", "user_id": user }));
    for (key, header, body, status) in [
        (&bound, None, named("crm-1"), StatusCode::OK),
        (&bound, Some("crm-1"), None, StatusCode::OK),
        (&bound, None, named("crm-2"), StatusCode::FORBIDDEN),
        (&bound, Some("crm-2"), None, StatusCode::FORBIDDEN),
        (&plain, Some("crm-2"), named("crm-2"), StatusCode::OK),
        (&plain, Some("crm-2"), named("crm-1"), StatusCode::FORBIDDEN),
        (&plain, None, named("crm-1"), StatusCode::FORBIDDEN),
        (&plain, Some(" "), None, StatusCode::BAD_REQUEST),
    ] {
        let body = body.unwrap_or_else(|| json!({ "query": "tea" }));
        let (answered, text) = call(&site, key, header, Method::POST, RECALL, Some(body.clone())).await;
        assert_eq!(answered, status, "{header:?} {body}: {text}");
    }
}

#[tokio::test]
async fn the_header_names_the_session_of_a_call() {
    let site = Site::new().await;
    let text = json!([{ "role": "user", "content": "I moved to Basel in May." }]).to_string();
    let send = async |named: &[&str]| {
        let mut request = Request::builder().method(Method::POST).uri("/api/sources");
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key));
        for session in named {
            request = request.header("X-Remembrancer-Session", *session);
        }
        site.send(request.header(header::CONTENT_TYPE, "application/json").body(Body::from(text.clone())).unwrap()).await
    };
    let secret = format!("codex/sk-proj-{}", "a1B2".repeat(12));
    for wrong in [vec!["codex"], vec!["codex/one; tokens=many"], vec!["codex/one", "codex/two"], vec![secret.as_str()]] {
        let answer = send(&wrong).await;
        assert!(answer.status == StatusCode::BAD_REQUEST && answer.text.contains("x-remembrancer-session"), "{wrong:?}: {}", answer.text);
    }
    let answer = send(&["codex/one; tokens=12"]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let rows = sessions::list(&site.world.engine, &site.world.vera, &Default::default()).await.unwrap().rows;
    assert_eq!(rows.iter().map(|row| (row.name.as_str(), row.messages, row.tokens)).collect::<Vec<_>>(), [("codex/one", 1, 12)]);
    // Its agent lists it, too.
    let list = async |path: &str| call(&site, &site.world.atlas_key, None, Method::GET, path, None).await;
    let (status, listed) = list("/api/sessions?host=codex").await;
    assert_eq!(status, StatusCode::OK, "{listed}");
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let row = &listed["rows"][0];
    assert_eq!((&row["name"], &row["host"], &row["tokens"]), (&json!("codex/one"), &json!("codex"), &json!(12)));
    for wrong in ["host=Codex", "after=1", "sort=name", "agent_id=01900000-0000-7000-8000-000000000000"] {
        let (status, text) = list(&format!("/api/sessions?{wrong}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}: {text}");
    }
    let (status, others) = call(&site, &site.world.binky_key, None, Method::GET, "/api/sessions", None).await;
    assert!(status == StatusCode::OK && others.contains("\"rows\":[]"), "{others}");
}

#[tokio::test]
async fn tools_are_listed_without_an_argument_that_decides_nothing() {
    let site = Site::new().await;
    let (chooses, plain) = (key(&site, KeyScope::ALL, None).await, key(&site, &[KeyScope::MemoryRead], None).await);
    let list = async |key: &str, user| call(&site, key, user, Method::GET, "/api/tools", None).await.1;
    assert!(list(&chooses, None).await.contains("\"user_id\""));
    for text in [list(&plain, None).await, list(&chooses, Some("crm-1")).await] {
        let tools: serde_json::Value = serde_json::from_str(&text).unwrap();
        let tools = tools["tools"].as_array().unwrap();
        assert!(!tools.is_empty());
        for tool in tools {
            assert!(tool["input_schema"]["properties"].get("user_id").is_none(), "{}", tool["name"]);
        }
    }
}

#[tokio::test]
async fn the_page_of_a_person_has_what_every_agent_knows_and_nothing_of_others() {
    let site = Site::new().await;
    let world = &site.world;
    let mina = identity::add_user(&world.engine, &world.system, "crm-mina", Some("Mina Roth"), None).await.unwrap().id;
    let told = [
        (&world.atlas, Some(mina), "Mina takes oat milk."),
        (&world.binky, Some(mina), "Mina works from Basel."),
        (&world.atlas, None, "The kettle is red."),
        (&world.atlas, Some(UserId(nowhere())), "Idris lives in Chur."),
    ];
    let mut ids = Vec::new();
    for (ctx, user, content) in told {
        let request = RememberRequest { user_id: user.map(UserRef::Id), ..fact("notes", content) };
        ids.push(memories::remember(&world.engine, ctx, request).await.unwrap().memory_id);
    }
    memories::delete(&world.engine, &world.vera, &ids[..1], "because").await.unwrap();
    let login = format!("idris@{}", world.tenant_slug);
    identity::create_operator(&world.engine, &world.system, &login, "Idris", PASSWORD, &[OperatorRole::Viewer]).await.unwrap();
    let page = format!("/people/{mina}");
    let (export, erase) = (format!("/export.jsonl?person={mina}"), format!("/erasure/new?user={mina}"));
    for (login, is_admin) in [(&world.login, true), (&login, false)] {
        let (_, cookie) = sign_in(&site, login, PASSWORD).await;
        let get = async |path: &str| site.get(path, &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
        let shown = get(&page).await;
        assert_eq!(shown.status, StatusCode::OK, "{}", shown.text);
        for there in ["Mina Roth", "crm-mina", "Mina takes oat milk.", "deleted", "Mina works from Basel."] {
            assert!(shown.text.contains(there), "{there}: {}", shown.text);
        }
        assert!(!shown.text.contains("kettle") && !shown.text.contains("Chur"), "{}", shown.text);
        for way in [&export, &erase] {
            assert_eq!(shown.text.contains(way.as_str()), is_admin, "{way}");
        }
        let found = get("/people?user=mina").await;
        assert!(found.text.contains(&page), "who has no profile is found: {}", found.text);
        assert_eq!(get(&format!("/people/{}", UserId(uuid::Uuid::from_u128(7)))).await.status, StatusCode::NOT_FOUND);
    }
}
