//! Projects over HTTP: keys with `commons:write` make them, every agent of the tenant sees them.

use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use foundation::testing::key;
use serde_json::{Value, json};
use wire::KeyScope;

async fn call(site: &Site, key: &str, method: Method, path: &str, body: Value) -> Answer {
    let request = Request::builder().method(method).uri(path).header(header::AUTHORIZATION, format!("Bearer {key}"));
    site.send(request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body.to_string())).unwrap()).await
}

#[tokio::test]
async fn projects_have_repositories_and_links_that_hold_both_ways() {
    let site = Site::new().await;
    let (atlas, binky) = (site.world.atlas_key.clone(), site.world.binky_key.clone());
    let mut ids = Vec::new();
    for slug in ["zephyr", "mistral"] {
        let made = call(&site, &atlas, Method::POST, "/api/projects", json!({ "slug": slug, "name": slug })).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
        ids.push(made.json()["id"].clone());
    }
    let repo = call(&site, &atlas, Method::POST, "/api/projects/zephyr/repos", json!({ "slug": "core", "name": "Core" })).await;
    assert_eq!((repo.status, &repo.json()["project_id"]), (StatusCode::CREATED, &ids[0]));
    let link = |project: String, other: Value, remove: bool| {
        let (site, atlas) = (&site, &atlas);
        async move {
            call(site, atlas, Method::POST, &format!("/api/projects/{project}/links"), json!({ "project": other, "remove": remove })).await
        }
    };
    assert_eq!(link("zephyr".into(), ids[1].clone(), false).await.json(), json!({ "changed": true }));
    assert_eq!(link("mistral".into(), json!("zephyr"), false).await.json(), json!({ "changed": false }), "it was so, the other way");
    let seen = call(&site, &binky, Method::GET, "/api/projects", json!({})).await.json();
    let links: Vec<_> = seen["projects"].as_array().unwrap().iter().map(|p| (p["slug"].clone(), p["linked"].clone())).collect();
    assert_eq!(links, [(json!("mistral"), json!([ids[0]])), (json!("zephyr"), json!([ids[1]]))]);
    assert_eq!(seen["projects"][1]["repos"][0]["slug"], "core");
    assert_eq!(link(ids[1].as_str().unwrap().into(), json!("zephyr"), true).await.json(), json!({ "changed": true }));
    assert_eq!(call(&site, &binky, Method::GET, "/api/projects", json!({})).await.json()["projects"][0]["linked"], json!([]));
    let other = Site::new().await;
    assert_eq!(call(&other, &other.world.atlas_key, Method::GET, "/api/projects", json!({})).await.json(), json!({ "projects": [] }));
}

#[tokio::test]
async fn what_is_remembered_or_captured_names_its_project_by_slug() {
    let site = Site::new().await;
    let atlas = site.world.atlas_key.clone();
    let zephyr = call(&site, &atlas, Method::POST, "/api/projects", json!({ "slug": "zephyr", "name": "Zephyr" })).await.json();
    let fact = |project: &str| json!({ "topic_raw": "mast", "content": "The mast is oak.", "source": { "platform": "slack" }, "scope": "project", "project_id": project });
    let known = site.atlas("agent_memory_remember", fact("zephyr")).await.json();
    let record = call(&site, &atlas, Method::GET, &format!("/api/memories/{}", known["short_id"].as_str().unwrap()), json!({})).await;
    assert_eq!(record.json()["project_id"], zephyr["id"], "{}", record.text);
    let again = site.atlas("agent_memory_remember", fact(zephyr["id"].as_str().unwrap())).await.json();
    assert_eq!((&again["memory_id"], &again["unchanged"]), (&known["memory_id"], &json!(true)));

    let stored =
        Request::post("/api/sources").header(header::AUTHORIZATION, format!("Bearer {atlas}")).header(header::CONTENT_TYPE, "text/plain");
    let stored = site.send(stored.body(Body::from("Vera: the keel is larch.")).unwrap()).await.json();
    let body = |tool: &str, project: &str| match tool {
        "agent_memory_remember" => fact(project),
        "ingest" => json!({ "memory_input": { "topic_raw": "keel", "content": "The keel is larch.", "project_id": project } }),
        _ => json!({ "source_ref": stored["source_id"], "project_id": project }),
    };
    for tool in ["agent_memory_remember", "capture_session", "capture_conversation", "ingest"] {
        let answer = site.atlas(tool, body(tool, "zephyr")).await;
        assert_eq!(answer.status, StatusCode::OK, "{tool}: {}", answer.text);
        for unknown in ["mistral", "The mistral"] {
            let refused = site.atlas(tool, body(tool, unknown)).await;
            assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{tool}: {}", refused.text);
            assert!(refused.error().1.unwrap().ends_with("project_id"), "{tool}: {}", refused.text);
        }
    }
}

#[tokio::test]
async fn invalid_requests_are_refused_and_leave_nothing() {
    let site = Site::new().await;
    let atlas = site.world.atlas_key.clone();
    call(&site, &atlas, Method::POST, "/api/projects", json!({ "slug": "zephyr", "name": "Zephyr" })).await;
    let agent = site.world.atlas.agent_id().unwrap();
    let others: Vec<KeyScope> = KeyScope::ALL.iter().copied().filter(|scope| *scope != KeyScope::CommonsWrite).collect();
    let (_, reader) = key(&site.world.engine, &site.world.system, agent, &others).await;
    let before = site.rows().await;
    for (path, body, status, field) in [
        ("/api/projects", json!({ "slug": "Zephyr", "name": "x" }), 400, Some("slug")),
        ("/api/projects", json!({ "slug": "z", "name": " " }), 400, Some("name")),
        ("/api/projects", json!({ "slug": "z" }), 400, Some("name")),
        ("/api/projects", json!({ "slug": "zephyr", "name": "again" }), 409, None),
        ("/api/projects/nowhere/repos", json!({ "slug": "core", "name": "Core" }), 404, None),
        ("/api/projects/zephyr/links", json!({ "project": "zephyr" }), 400, Some("project")),
        ("/api/projects/zephyr/links", json!({ "project": "nowhere" }), 404, None),
    ] {
        let refused = call(&site, &atlas, Method::POST, path, body.clone()).await;
        assert_eq!((refused.status.as_u16(), refused.error().1.as_deref()), (status, field), "{path} {body} {}", refused.text);
        assert_eq!(call(&site, &reader, Method::POST, path, body).await.status, StatusCode::FORBIDDEN);
    }
    let kept = |rows: Vec<(String, i64)>| rows.into_iter().filter(|(table, _)| !table.starts_with("audit_")).collect::<Vec<_>>();
    assert_eq!(kept(site.rows().await), kept(before));
}
