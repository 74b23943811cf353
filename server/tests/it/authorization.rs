//! Authorization coverage: every route, tool and server function is tested here, and a new one without a test fails.

use crate::harness::Site;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use server::api::Guard;
use std::collections::BTreeSet;

/// Routes that anybody may call, by intent.
const OPEN: &[&str] = &["/healthz", "/readyz"];

/// Server functions that work without a session, by intent: nobody is signed in before signing in, and a theme is no secret.
const WITHOUT_SESSION: &[&str] = &["/console/api/sign_in", "/console/api/set_theme"];

/// Arguments that a server function requires. A function that needs some and is not here answers 400 and fails the test.
const ARGUMENTS: &[(&str, &str)] = &[
    ("/console/api/set_theme", "theme=dark"),
    ("/console/api/memory", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/recalls_of_memory", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/read_document", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/try_recall", "request[agent_id]=01900000-0000-7000-8000-000000000000&request[query]=tea&request[k]=5"),
    ("/console/api/delete_memories", "ids=01900000-0000-7000-8000-000000000000&reason=because"),
    ("/console/api/restore_memories", "ids=01900000-0000-7000-8000-000000000000&reason=because"),
    ("/console/api/proposal", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/consider_proposals", "ids=01900000-0000-7000-8000-000000000000&what=approve"),
    ("/console/api/decide_proposals", "ids=01900000-0000-7000-8000-000000000000&what=reject&reason=because"),
    ("/console/api/undo_decision", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/term", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/foresee_change", "id=01900000-0000-7000-8000-000000000000&what=rename&term=tea"),
    ("/console/api/read_retrieval", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/replay_retrieval", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/saved_views", "page=memories"),
    ("/console/api/save_view", "page=memories&name=tea&query=q%3Dtea"),
    ("/console/api/rename_view", "id=01900000-0000-7000-8000-000000000000&name=tea"),
    ("/console/api/delete_view", "id=01900000-0000-7000-8000-000000000000"),
    ("/console/api/change_term", "id=01900000-0000-7000-8000-000000000000&what=rename&term=tea"),
];

/// Pages that show without a session.
const PUBLIC_PAGES: &[&str] = &["/sign-in"];

#[tokio::test]
async fn every_route_of_the_api_demands_a_key() {
    let site = Site::new().await;
    let open: BTreeSet<_> = server::api::routes().into_iter().filter(|route| route.guard == Guard::Open).map(|route| route.path).collect();
    assert_eq!(open, OPEN.iter().copied().collect(), "a route is open that is not listed as open");
    for route in server::api::routes().into_iter().filter(|route| route.guard == Guard::Key) {
        let path = route.path.replace("{name}", "agent_memory_recall").replace(['{', '}'], "");
        let request = Request::builder().method(route.method.clone()).uri(&path).body(Body::empty()).unwrap();
        let answer = site.send(request).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{} {path}", route.method);
    }
}

#[tokio::test]
async fn every_route_of_a_bot_demands_its_secret_and_takes_no_key() {
    let site = Site::new().await;
    let bots: Vec<_> = server::api::routes().into_iter().filter(|route| route.guard == Guard::Bot).collect();
    assert!(!bots.is_empty());
    for route in bots {
        let path = route.path.replace("{bot}", "01900000-0000-7000-8000-000000000000");
        let request = Request::builder().method(route.method.clone()).uri(&path);
        let request = request.header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key)).body(Body::from("{}")).unwrap();
        let answer = site.send(request).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{} {path}", route.method);
    }
}

#[tokio::test]
async fn every_tool_demands_a_key_and_its_scope() {
    let site = Site::new().await;
    let world = &site.world;
    for tool in remembrancer::tools::all() {
        assert_eq!(site.post(None, tool.name, "{}").await.status, StatusCode::UNAUTHORIZED, "{}", tool.name);
        let none = remembrancer::OpContext { access: remembrancer::op::Access::Scopes(vec![]), ..world.atlas.clone() };
        let refused = tool.call(&world.engine, &none, serde_json::json!({})).await.unwrap_err();
        assert_eq!(refused.code(), remembrancer::api::ErrorCode::Forbidden, "{}", tool.name);
        // An operator's session is no key: tools act as agents.
        let operator = tool.call(&world.engine, &world.vera, serde_json::json!({})).await.unwrap_err();
        assert_eq!(operator.code(), remembrancer::api::ErrorCode::Forbidden, "{}", tool.name);
    }
}

#[tokio::test]
async fn every_server_function_demands_a_session_and_its_own_origin() {
    let site = Site::new().await;
    let functions = app::server_functions();
    assert!(functions.len() >= 8, "the console's functions are registered: {functions:?}");
    assert_eq!(WITHOUT_SESSION, app::PUBLIC_SERVER_FUNCTIONS, "a function answers without a session and is not listed");
    for (path, method) in functions {
        if method != Method::GET {
            let foreign = call(&site, &method, path, "cross-site").await;
            assert_eq!(foreign, StatusCode::FORBIDDEN, "{path} takes forms from other sites");
        }
        let status = call(&site, &method, path, "same-origin").await;
        if path == "/console/api/sign_in" {
            // Empty credentials are refused as a wrong password is.
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
        } else if WITHOUT_SESSION.contains(&path) {
            assert!(status.is_success() || status.is_redirection(), "{path} answers {status}");
        } else {
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{method} {path}");
        }
    }
}

async fn call(site: &Site, method: &Method, path: &str, fetch_site: &str) -> StatusCode {
    let arguments = ARGUMENTS.iter().find(|(function, _)| *function == path).map_or("", |(_, arguments)| arguments);
    let (uri, body) = if method == Method::GET { (format!("{path}?{arguments}"), "") } else { (path.to_owned(), arguments) };
    let request = Request::builder()
        .method(method.clone())
        .uri(uri)
        .header("sec-fetch-site", fetch_site)
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body))
        .unwrap();
    site.send(request).await.status
}

#[tokio::test]
async fn every_page_but_sign_in_sends_strangers_to_sign_in() {
    let site = Site::new().await;
    for route in server::console::pages() {
        let path =
            route.path().replace(":id", "01900000-0000-7000-8000-000000000000").replace("{id}", "01900000-0000-7000-8000-000000000000");
        if path.contains(['*', ':', '{']) {
            continue;
        }
        let answer = site.get(&path, &[(header::ACCEPT, "text/html")]).await;
        if PUBLIC_PAGES.contains(&path.as_str()) {
            assert_eq!(answer.status, StatusCode::OK, "{path}");
        } else {
            assert!(answer.status.is_redirection(), "{path} answers {}", answer.status);
            assert!(answer.header(header::LOCATION).starts_with("/sign-in"), "{path} leads to {}", answer.header(header::LOCATION));
        }
    }
}
