//! The OpenAPI document: that it is the one in the repository, and that nothing is missing in it.

use crate::harness::Site;
use axum::http::{Method, StatusCode, header};
use remembrancer::tools::Effect;
use serde_json::Value;
use server::api::{Guard, document, routes};
use std::collections::BTreeSet;
use std::path::Path;

/// Routes that are left out, intentionally.
const UNDESCRIBED: &[(&str, &str)] = &[
    // Each tool has an operation of its own.
    ("POST", "/api/tools/{name}"),
    // A protocol of its own.
    ("GET", "/mcp"),
    ("POST", "/mcp"),
    ("DELETE", "/mcp"),
    // The same with and without a slash.
    ("GET", "/mcp/"),
    ("POST", "/mcp/"),
    ("DELETE", "/mcp/"),
    ("GET", "/api/memory"),
    ("POST", "/api/memory"),
];

fn operation(method: &Method, path: &str) -> &'static Value {
    &document()["paths"][path][method.as_str().to_lowercase()]
}

#[test]
fn the_document_is_the_one_in_the_repository() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    let now = serde_json::to_string_pretty(document()).unwrap() + "\n";
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let changed = now.lines().zip(kept.lines()).find(|(now, kept)| now != kept);
    assert!(now == kept, "the API changed; look at the difference and keep it: UPDATE_OPENAPI=1 cargo test openapi\nfirst: {changed:?}");
}

#[test]
fn every_route_and_every_tool_is_described() {
    let undescribed: BTreeSet<_> = UNDESCRIBED.iter().copied().collect();
    let mut left_out = BTreeSet::new();
    let mut ids = BTreeSet::new();
    let routes = routes();
    for route in &routes {
        let operation = operation(&route.method, route.path);
        if operation.is_null() {
            left_out.insert((route.method.as_str(), route.path));
            continue;
        }
        let what = format!("{} {}", route.method, route.path);
        assert!(!route.summary.is_empty() && operation["summary"] == route.summary, "{what}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{what}: the id is taken");
        assert_eq!(operation.get("security").is_none(), route.guard == Guard::Open, "{what}");
    }
    assert_eq!(left_out, undescribed);
    for tool in remembrancer::tools::all() {
        let operation = operation(&Method::POST, &format!("/api/tools/{}", tool.name));
        assert_eq!(operation["operationId"], tool.name);
        assert_eq!(operation["security"][0]["apiKey"][0], tool.scope.as_str());
        assert!(ids.insert(tool.name), "{}: the id is taken", tool.name);
    }
    let described: usize = document()["paths"].as_object().unwrap().values().map(|methods| methods.as_object().unwrap().len()).sum();
    assert_eq!(described, ids.len(), "an operation is neither a route nor a tool");
}

#[test]
fn every_reference_leads_to_a_component_and_every_component_is_used() {
    let mut references = BTreeSet::new();
    collect(document(), &mut references);
    for reference in &references {
        assert!(document().pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    for kind in ["schemas", "responses", "parameters", "headers"] {
        for name in document()["components"][kind].as_object().unwrap().keys() {
            assert!(references.contains(format!("#/components/{kind}/{name}").as_str()), "{kind}/{name} is not used");
        }
    }
}

fn collect<'a>(value: &'a Value, references: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}

#[test]
fn writes_take_an_idempotency_key_and_reads_do_not() {
    let takes_key = |operation: &Value| operation.to_string().contains("#/components/parameters/IdempotencyKey");
    for route in routes() {
        let operation = operation(&route.method, route.path);
        if !operation.is_null() {
            let writes = route.guard == Guard::Key && route.method != Method::GET && !route.reads;
            assert_eq!(takes_key(operation), writes, "{} {}", route.method, route.path);
        }
    }
    for tool in remembrancer::tools::all() {
        assert_eq!(takes_key(operation(&Method::POST, &format!("/api/tools/{}", tool.name))), tool.effect != Effect::Read, "{}", tool.name);
    }
}

#[tokio::test]
async fn anybody_may_read_the_document() {
    let answer = Site::new().await.get("/api/openapi.json", &[]).await;
    assert_eq!((answer.status, answer.header(header::CONTENT_TYPE)), (StatusCode::OK, "application/json"));
    assert_eq!(&answer.json(), document());
}

#[tokio::test]
async fn the_reference_has_every_operation_and_needs_no_script() {
    let answer = Site::new().await.get("/api/docs", &[(header::COOKIE, "rmb-theme=dark")]).await;
    assert_eq!((answer.status, answer.header(header::CONTENT_TYPE)), (StatusCode::OK, "text/html; charset=utf-8"));
    assert!(answer.header(header::CONTENT_SECURITY_POLICY).starts_with("default-src 'none'; style-src 'self'"));
    assert!(
        answer.text.contains("data-theme=\"dark\"") && answer.text.contains("<title>HTTP API · Remembrancer</title>"),
        "{}",
        answer.text
    );
    let mut tags = answer.text.split('<').filter_map(|part| part.split('>').next());
    assert!(!tags.any(|tag| tag.starts_with("script") || tag.contains(" style=") || tag.contains(" on")), "{}", answer.text);
    for methods in document()["paths"].as_object().unwrap().values().filter_map(Value::as_object) {
        for operation in methods.values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(answer.text.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }
}
