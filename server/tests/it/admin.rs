//! `/api/admin`: a platform makes agents and keys as it needs them, and reaches nobody else's.

use crate::console::form;
use crate::doors::tables_with;
use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use db::clock::SystemClock;
use foundation::audit;
use foundation::testing::{TestDatabases, World, key};
use serde_json::{Value, json};
use wire::{AuditFilter, KeyScope};

/// A password as a form sends it.
const PASSWORD_SENT: &str = "a+long+enough+password";

/// A site, and a key of atlas that may only manage.
async fn managed(world: World) -> (Site, String) {
    let (_, manages) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::Admin]).await;
    (Site::on(world, &[]), manages)
}

async fn send(site: &Site, key: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
    let request = Request::builder().method(method).uri(path).header(header::AUTHORIZATION, format!("Bearer {key}"));
    let request = request.header(header::CONTENT_TYPE, "application/json");
    site.send(request.body(body.map_or_else(Body::empty, |body| Body::from(body.to_string()))).unwrap()).await
}

async fn audited(site: &Site) -> i64 {
    audit::browse(&site.world.engine, &site.world.vera, &AuditFilter::default()).await.unwrap().total
}

#[tokio::test]
async fn a_platform_makes_an_agent_and_a_key_with_which_it_works() {
    let (site, manages) = managed(World::on(TestDatabases::fresh(&SystemClock).await).await).await;
    let settings = || Some(json!({ "name": "Zephyr", "discipline": "confirming", "knowledge_categories": ["adr"] }));
    let made = send(&site, &manages, Method::PUT, "/api/admin/agents/zephyr", settings()).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let before = audited(&site).await;
    let again = send(&site, &manages, Method::PUT, "/api/admin/agents/zephyr", settings()).await;
    assert_eq!((again.status, again.json()), (StatusCode::OK, made.json()));
    assert_eq!(audited(&site).await, before, "the same body twice is one change");

    let new = json!({ "agent": "zephyr", "name": "worker", "preset": "agent" });
    let made = send(&site, &manages, Method::POST, "/api/admin/keys", Some(new)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let (first, id) = (made.json()["secret"].as_str().unwrap().to_owned(), made.json()["key"]["id"].as_str().unwrap().to_owned());
    assert_eq!(tables_with(&site, &first).await, Vec::<String>::new(), "the secret is stored nowhere");
    let recall = json!({ "query": "tea" }).to_string();
    assert_eq!(site.post(Some(&first), "agent_memory_recall", recall.clone()).await.status, StatusCode::OK);
    let listed = send(&site, &manages, Method::GET, "/api/admin/keys?agent=zephyr", None).await;
    assert_eq!((listed.json()["keys"][0]["id"].as_str(), listed.text.contains(&first)), (Some(&*id), false), "{}", listed.text);

    let path = format!("/api/admin/keys/{id}/rotate");
    let rotated = send(&site, &manages, Method::POST, &path, Some(json!({ "overlap_hours": 0 }))).await;
    let second = rotated.json()["secret"].as_str().unwrap().to_owned();
    assert_eq!(site.post(Some(&first), "agent_memory_recall", recall.clone()).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(site.post(Some(&second), "agent_memory_recall", recall.clone()).await.status, StatusCode::OK);

    let retired = send(&site, &manages, Method::DELETE, "/api/admin/agents/zephyr", None).await;
    assert!(retired.json()["retired_at"].is_string(), "{}", retired.text);
    assert_eq!(site.post(Some(&second), "agent_memory_recall", recall).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_invited_person_chooses_a_password_and_is_signed_in() {
    let (site, manages) = managed(World::new().await).await;
    let new = json!({ "login": format!("mina@{}", site.world.tenant_slug), "name": "Mina", "roles": ["viewer"] });
    let made = send(&site, &manages, Method::POST, "/api/admin/invitations", Some(new)).await;
    let link = made.json()["link"].as_str().unwrap().to_owned();
    let token = link.split_once("?token=").unwrap().1;
    let html = [(header::ACCEPT, "text/html")];
    let page = site.get(&link, &html).await;
    assert!(page.text.contains("atlas invited you") && page.text.contains("action=\"/console/api/accept_invitation\""), "{}", page.text);
    let accept = async |password: &str| form(&site, "accept_invitation", "", &format!("token={token}&password={password}")).await;
    assert_eq!(accept("short").await.status, StatusCode::BAD_REQUEST);
    let accepted = accept(PASSWORD_SENT).await;
    let cookie = accepted.cookies().into_iter().find(|cookie| cookie.starts_with("rmb=")).unwrap();
    assert_eq!(site.get("/agents", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await.status, StatusCode::OK);
    assert_eq!(accept(PASSWORD_SENT).await.status, StatusCode::UNAUTHORIZED, "a link is used once");
    assert!(site.get(&link, &html).await.text.contains("This link is not valid"));
}

#[tokio::test]
async fn a_key_that_manages_reads_no_memory_and_makes_no_admin() {
    let (site, manages) = managed(World::new().await).await;
    assert_eq!(site.post(Some(&manages), "agent_memory_recall", r#"{"query": "tea"}"#).await.status, StatusCode::FORBIDDEN);
    let admin = json!({ "login": format!("mole@{}", site.world.tenant_slug), "name": "Mole", "roles": ["admin"] });
    let admins_key = json!({ "agent": "atlas", "name": "more", "scopes": ["admin"] });
    for (path, body) in [("/api/admin/invitations", admin), ("/api/admin/keys", admins_key)] {
        let refused = send(&site, &manages, Method::POST, path, Some(body)).await;
        assert_eq!((refused.status, refused.error().0.as_str()), (StatusCode::FORBIDDEN, "forbidden"), "{path}: {}", refused.text);
    }
    let vera = format!("/api/admin/operators/{}", site.world.login);
    assert_eq!(send(&site, &manages, Method::DELETE, &vera, None).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn what_belongs_to_another_organisation_is_not_found() {
    let ((site, _), (stranger, theirs)) = (managed(World::new().await).await, managed(World::new().await).await);
    let world = &site.world;
    let (ctx, ours) = key(&world.engine, &world.system, world.binky.agent_id().unwrap(), &[KeyScope::MemoryRead]).await;
    foundation::identity::create_agent(&world.engine, &world.system, "zephyr", "Zephyr", false).await.unwrap();
    let foundation::op::Actor::Agent { key_id, .. } = ctx.actor else { panic!("a key acts as an agent") };
    let (of_key, of_operator) = (format!("/api/admin/keys/{key_id}"), format!("/api/admin/operators/{}", world.login));
    for (method, path, body) in [
        (Method::GET, "/api/admin/agents/zephyr", None),
        (Method::DELETE, "/api/admin/agents/zephyr", None),
        (Method::GET, "/api/admin/keys?agent=zephyr", None),
        (Method::POST, "/api/admin/keys", Some(json!({ "agent": "zephyr", "name": "x", "preset": "reader" }))),
        (Method::POST, &*format!("{of_key}/rotate"), Some(json!({}))),
        (Method::DELETE, &*of_key, None),
        (Method::PUT, &*of_operator, Some(json!({ "name": "Mole" }))),
        (Method::DELETE, &*of_operator, None),
        (Method::POST, &*format!("{of_operator}/restore"), None),
        (Method::DELETE, &*format!("{of_operator}/sessions"), None),
        (Method::DELETE, &*format!("{of_operator}/identity"), None),
        (Method::DELETE, "/api/admin/operators/a%00b", None),
    ] {
        let answer = send(&stranger, &theirs, method.clone(), path, body).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{method} {path}: {}", answer.text);
    }
    let kept = send(&site, &ours, Method::GET, "/api/memories", None).await;
    assert_eq!(kept.status, StatusCode::OK, "nothing of ours was changed");
}
