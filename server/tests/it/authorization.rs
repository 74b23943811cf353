//! Authorization coverage: every route, tool and server function is tested here, and a new one without a test fails.

mod tables;

use crate::console::sign_in;
use crate::harness::{Site, with_token};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use foundation::identity;
use foundation::testing::{PASSWORD, key};
use server::api::Guard;
use std::collections::{BTreeMap, BTreeSet};
use tables::{ARGUMENTS, FUNCTIONS, OPEN, OR, PAGES, PUBLIC_PAGES, ROUTES, TOOLS, WITHOUT_SESSION};
use wire::{KeyScope, OperatorRole};

#[tokio::test]
async fn every_route_of_the_api_demands_a_key() {
    let site = Site::new().await;
    let open: BTreeSet<_> = server::api::routes().into_iter().filter(|route| route.guard == Guard::Open).map(|route| route.path).collect();
    assert_eq!(open, OPEN.iter().copied().collect(), "a route is open that is not listed as open");
    for route in server::api::routes().into_iter().filter(|route| route.guard == Guard::Key) {
        let path = route.path.replace("{name}", "agent_memory_recall").replace(['{', '}'], "");
        let answer = site.send(Request::builder().method(route.method.clone()).uri(&path).body(Body::empty()).unwrap()).await;
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
        assert_eq!(site.send(request).await.status, StatusCode::UNAUTHORIZED, "{} {path}", route.method);
    }
}

#[tokio::test]
async fn every_tool_demands_a_key_and_its_scope() {
    let site = Site::new().await;
    let world = &site.world;
    for tool in remembrancer::tools::all() {
        assert_eq!(site.post(None, tool.name, "{}").await.status, StatusCode::UNAUTHORIZED, "{}", tool.name);
        let none = foundation::OpContext { access: foundation::op::Access::KeyScopes(vec![]), ..world.atlas.clone() };
        let refused = tool.call(&world.engine, &none, serde_json::json!({})).await.unwrap_err();
        assert_eq!(refused.code(), wire::ErrorCode::Forbidden, "{}", tool.name);
        // An operator's session is no key: tools act as agents.
        let operator = tool.call(&world.engine, &world.vera, serde_json::json!({})).await.unwrap_err();
        assert_eq!(operator.code(), wire::ErrorCode::Forbidden, "{}", tool.name);
    }
}

/// Keys of atlas by their scopes, made once.
#[derive(Default)]
struct Keys(BTreeMap<Vec<&'static str>, String>);

impl Keys {
    async fn with(&mut self, site: &Site, scopes: &[KeyScope]) -> String {
        let names: Vec<&'static str> = scopes.iter().map(|scope| scope.as_str()).collect();
        if let Some(known) = self.0.get(&names) {
            return known.clone();
        }
        let world = &site.world;
        let (_, made) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), scopes).await;
        self.0.insert(names, made.clone());
        made
    }

    /// Sends a call with exactly the scopes that it needs, and, for each of them, with all scopes but that one.
    async fn check(&mut self, site: &Site, what: &str, needs: &[KeyScope], request: impl Fn(&str) -> Request<Body>) {
        // A key holds at least one scope; this one is not needed.
        let key = self.with(site, if needs.is_empty() { &[KeyScope::ContextRead] } else { needs }).await;
        let allowed = site.send(request(&key)).await;
        let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::METHOD_NOT_ALLOWED];
        assert!(!refused.contains(&allowed.status) && !allowed.status.is_server_error(), "{what} with {needs:?}: {allowed:?}");
        for lacking in needs {
            let others: Vec<KeyScope> = KeyScope::ALL.iter().copied().filter(|scope| scope != lacking).collect();
            let answer = site.send(request(&self.with(site, &others).await)).await;
            assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::FORBIDDEN, "forbidden"), "{what} without {lacking}");
            assert!(answer.text.contains(lacking.as_str()), "{what}: the answer names {lacking}: {}", answer.text);
        }
    }
}

fn request(method: &Method, path: &str, key: &str, body: &'static str) -> Request<Body> {
    let media_type = if path == "/api/import" { "application/x-ndjson" } else { "application/json" };
    let request = Request::builder().method(method.clone()).uri(path).header(header::CONTENT_TYPE, media_type);
    request.header(header::AUTHORIZATION, format!("Bearer {key}")).body(Body::from(body)).unwrap()
}

#[tokio::test]
async fn every_route_of_an_agents_key_takes_its_scope_and_no_other() {
    let site = Site::new().await;
    let of_keys = server::api::routes().into_iter().filter(|route| route.guard == Guard::Key && route.path != "/api/tools/{name}");
    let there: BTreeSet<_> = of_keys.map(|route| (route.path, route.method.to_string())).collect();
    let known: BTreeSet<_> = ROUTES.iter().map(|call| (call.path, call.method.to_string())).collect();
    assert_eq!(known, there, "which scope does a route take?");
    for route in server::api::routes().into_iter().filter(|route| route.guard == Guard::Key && route.path != "/api/tools/{name}") {
        let calls = ROUTES.iter().filter(|call| (call.path, &call.method) == (route.path, &route.method));
        let least = calls.map(|call| call.needs).min_by_key(|needs| needs.len());
        assert_eq!(least, Some(route.scopes), "{} {} names other scopes in its description", route.method, route.path);
    }
    let mut keys = Keys::default();
    for call in ROUTES {
        if call.path == "/api/events/stream" {
            site.stop.cancel();
        }
        let id = "01900000-0000-7000-8000-000000000000";
        let path = call.path.replace("{id}", id).replace("{memory_id}", id).replace("{project}", "harbour").replace("{name}", "tea");
        keys.check(&site, &format!("{} {path}", call.method), call.needs, |key| request(&call.method, &path, key, call.body)).await;
    }
}

#[tokio::test]
async fn every_tool_takes_its_scope_and_no_other() {
    let site = Site::new().await;
    let there: BTreeSet<_> = remembrancer::tools::all().iter().map(|tool| tool.name).collect();
    assert_eq!(TOOLS.iter().map(|(name, ..)| *name).collect::<BTreeSet<_>>(), there, "which scope does a tool take?");
    let mut keys = Keys::default();
    for (name, needs, body) in TOOLS {
        let path = format!("/api/tools/{name}");
        keys.check(&site, name, needs, |key| request(&Method::POST, &path, key, body)).await;
    }
}

#[tokio::test]
async fn every_server_function_takes_its_role_and_no_other() {
    let site = Site::new().await;
    let world = &site.world;
    let named = |name: &str| format!("/console/api/{name}");
    let there: BTreeMap<String, Method> = app::server_functions().into_iter().map(|(path, method)| (path.to_owned(), method)).collect();
    let known: BTreeSet<String> =
        FUNCTIONS.iter().map(|(name, _)| named(name)).chain(WITHOUT_SESSION.iter().map(|path| (*path).to_owned())).collect();
    assert_eq!(known, there.keys().cloned().collect(), "which role does a function take?");
    for role in OperatorRole::ALL {
        let login = format!("{role}@{}", world.tenant_slug);
        identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &[*role]).await.unwrap();
        let (_, cookie) = sign_in(&site, &login, PASSWORD).await;
        for (name, needs) in FUNCTIONS {
            let path = named(name);
            let status = call_with(&site, &there[&path], &path, "same-origin", &cookie).await;
            let expected = needs.is_some_and(|needed| needed != *role) && !OR.contains(&(*name, *role));
            assert_eq!(status == StatusCode::FORBIDDEN, expected, "{name} as {role}: {status}");
            assert!(status != StatusCode::UNAUTHORIZED && !status.is_server_error(), "{name} as {role}: {status}");
        }
        let (_, cookie) = sign_in(&site, &login, PASSWORD).await;
        let download = site.get("/export.jsonl", &[(header::COOKIE, &cookie)]).await;
        let expected = if *role == OperatorRole::Admin { StatusCode::OK } else { StatusCode::FORBIDDEN };
        assert_eq!(download.status, expected, "the download as {role}: {}", download.text);
        let report = site.get("/erasure/01900000-0000-7000-8000-000000000000/report.json", &[(header::COOKIE, &cookie)]).await;
        let expected = if *role == OperatorRole::Admin { StatusCode::NOT_FOUND } else { StatusCode::FORBIDDEN };
        assert_eq!(report.status, expected, "the report of an erasure as {role}: {}", report.text);
        let audit = site.get("/audit.csv", &[(header::COOKIE, &cookie)]).await;
        let expected = if *role == OperatorRole::Viewer { StatusCode::OK } else { StatusCode::FORBIDDEN };
        assert_eq!(audit.status, expected, "the audit log as {role}: {}", audit.text);
        let usage = site.get("/usage.csv", &[(header::COOKIE, &cookie)]).await;
        assert_eq!(usage.status, expected, "the usage as {role}: {}", usage.text);
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
            assert_eq!(call(&site, &method, path, "cross-site").await, StatusCode::FORBIDDEN, "{path} takes forms from other sites");
        }
        let status = call(&site, &method, path, "same-origin").await;
        if path == "/console/api/sign_in" {
            // Empty credentials are refused like a wrong password.
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{path}");
        } else if path == "/console/api/accept_invitation" {
            assert_eq!(status, StatusCode::BAD_REQUEST, "{path} takes no empty password");
        } else if WITHOUT_SESSION.contains(&path) {
            assert!(status.is_success() || status.is_redirection(), "{path} answers {status}");
        } else {
            assert_eq!(status, StatusCode::UNAUTHORIZED, "{method} {path}");
        }
    }
}

async fn call(site: &Site, method: &Method, path: &str, fetch_site: &str) -> StatusCode {
    call_with(site, method, path, fetch_site, "").await
}

async fn call_with(site: &Site, method: &Method, path: &str, fetch_site: &str, cookie: &str) -> StatusCode {
    let arguments = ARGUMENTS.iter().find(|(function, _)| *function == path).map_or("", |(_, arguments)| arguments);
    let form = || (path.to_owned(), with_token(cookie, path, arguments));
    let (uri, body) = if method == Method::GET { (format!("{path}?{arguments}"), String::new()) } else { form() };
    let request = Request::builder()
        .method(method.clone())
        .uri(uri)
        .header("sec-fetch-site", fetch_site)
        .header(header::COOKIE, cookie)
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body))
        .unwrap();
    site.send(request).await.status
}

/// The path of a page, with an id that nothing has for each parameter.
fn filled(path: &str) -> String {
    let part = |part| if str::starts_with(part, [':', '{']) { "01900000-0000-7000-8000-000000000000" } else { part };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_page_shows_all_to_its_roles_and_nothing_of_it_without_one_of_them() {
    let site = Site::new().await;
    let world = &site.world;
    let there: BTreeSet<String> = server::console::pages().iter().map(|route| filled(route.path())).collect();
    let known: BTreeSet<String> =
        PAGES.iter().map(|(path, ..)| filled(path)).chain(PUBLIC_PAGES.iter().map(|path| (*path).to_owned())).collect();
    assert_eq!(known, there, "which roles does a page need?");
    let mut cookies: BTreeMap<Vec<&str>, String> = BTreeMap::new();
    for (path, query, needs) in PAGES {
        let lacking = needs.iter().map(|lack| OperatorRole::ALL.iter().copied().filter(|role| role != lack).collect());
        let suffice = if needs.is_empty() { OperatorRole::ALL } else { *needs };
        for (roles, refused) in std::iter::once((suffice.to_vec(), false)).chain(lacking.map(|roles: Vec<_>| (roles, true))) {
            let names: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
            if !cookies.contains_key(&names) {
                let login = format!("{}@{}", names.join("-"), world.tenant_slug);
                identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &roles).await.unwrap();
                cookies.insert(names.clone(), sign_in(&site, &login, PASSWORD).await.1);
            }
            let url = format!("{}?{query}", filled(path));
            let answer = site.get(url.trim_end_matches('?'), &[(header::COOKIE, &cookies[&names]), (header::ACCEPT, "text/html")]).await;
            assert!(!answer.status.is_server_error() && !answer.status.is_redirection(), "{url} as {names:?}: {}", answer.status);
            assert_eq!(answer.text.contains("Your role does not allow this"), refused, "{url} as {names:?}: {}", answer.text);
            let (_, sidebar) = answer.text.split_once("aria-label=\"Main\"").unwrap_or_else(|| panic!("{url}: {}", answer.text));
            let sidebar = sidebar.split("</nav>").next().unwrap();
            for (other, _, needs) in PAGES.iter().filter(|(other, ..)| sidebar.contains(&format!("href=\"{other}\""))) {
                assert!(needs.iter().all(|role| roles.contains(role)), "{url} offers {other} to {names:?}");
            }
            assert_eq!(sidebar.contains("href=\"/people\""), roles.contains(&OperatorRole::Viewer), "{url}: {sidebar}");
        }
    }
}

#[tokio::test]
async fn every_page_but_sign_in_sends_strangers_to_sign_in() {
    let site = Site::new().await;
    for route in server::console::pages() {
        let path = filled(route.path());
        let answer = site.get(&path, &[(header::ACCEPT, "text/html")]).await;
        if PUBLIC_PAGES.contains(&path.as_str()) {
            assert_eq!(answer.status, StatusCode::OK, "{path}");
        } else {
            assert!(answer.status.is_redirection(), "{path} answers {}", answer.status);
            assert!(answer.header(header::LOCATION).starts_with("/sign-in"), "{path} leads to {}", answer.header(header::LOCATION));
        }
    }
}
