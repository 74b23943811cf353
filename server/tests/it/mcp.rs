//! The Model Context Protocol, over HTTP and over standard input and output.

use crate::harness::{Answer, Site};
use crate::process::databases;
use crate::toolsets::{list_of, names_of};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use foundation::testing::{TestDatabases, World, key};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpListener;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use tower::ServiceExt;
use wire::KeyScope;

/// The last version with sessions, and the first one without.
const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";
const PATIENCE: Duration = Duration::from_secs(20);

fn request(method: Method, key: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Request<Body> {
    let mut request = Request::builder().method(method).uri("/mcp").body(body.into()).unwrap();
    let bearer = format!("Bearer {key}");
    let usual = [
        ("host", "127.0.0.1"),
        ("authorization", bearer.as_str()),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ];
    for (name, value) in usual.iter().chain(headers) {
        request.headers_mut().insert(axum::http::HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
    }
    request
}

/// The message in an answer, which is JSON or a stream of events.
pub fn message(answer: &Answer) -> Value {
    let data = answer.text.lines().rev().find_map(|line| line.strip_prefix("data:")).unwrap_or(&answer.text);
    serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn call(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

fn initialize() -> Value {
    call(1, "initialize", json!({ "protocolVersion": OLD, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }))
}

/// A session of a key.
pub struct Session<'a> {
    site: &'a Site,
    key: String,
    id: String,
    user: Option<&'static str>,
}

impl<'a> Session<'a> {
    pub async fn open(site: &'a Site, key: &str) -> Self {
        let answer = site.send(request(Method::POST, key, &[], initialize().to_string())).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        assert_eq!(message(&answer)["result"]["protocolVersion"], OLD);
        let session = Self { site, key: key.to_owned(), id: answer.headers["mcp-session-id"].to_str().unwrap().to_owned(), user: None };
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(session.post(initialized.to_string()).await.status, StatusCode::ACCEPTED);
        session
    }

    fn request(&self, method: Method, key: &str, body: impl Into<Body>) -> Request<Body> {
        let mut headers = vec![("mcp-session-id", self.id.as_str()), ("mcp-protocol-version", OLD)];
        headers.extend(self.user.map(|user| ("x-remembrancer-user", user)));
        request(method, key, &headers, body)
    }

    async fn post(&self, body: impl Into<Body>) -> Answer {
        self.site.send(self.request(Method::POST, &self.key, body)).await
    }

    /// The message that answers a request.
    pub async fn ask(&self, method: &str, params: Value) -> Value {
        let answer = self.post(call(2, method, params).to_string()).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        message(&answer)
    }

    pub async fn tool(&self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": name, "arguments": arguments })).await["result"].clone()
    }

    pub async fn read(&self, uri: &str) -> Value {
        self.ask("resources/read", json!({ "uri": uri })).await
    }
}

/// A request that stands for itself, as clients send it from the newest version on.
pub fn without_session(key: &str, method: &str, mut params: Value) -> Request<Body> {
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let headers = [("mcp-protocol-version", NEW), ("mcp-method", method), ("mcp-name", name.as_str())];
    request(Method::POST, key, if name.is_empty() { &headers[..2] } else { &headers }, call(9, method, params).to_string())
}

fn fact(content: &str) -> Value {
    json!({ "topic_raw": "tea", "content": content, "source": { "platform": "slack" } })
}

#[tokio::test]
async fn tools_are_listed_as_the_key_may_call_them() {
    let site = Site::new().await;
    let world = &site.world;
    let (ctx, reader) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::MemoryRead]).await;
    let listed = list_of(&site, &reader, "?toolset=all").await;
    let names = names_of(&listed);
    assert_eq!(names, remembrancer::tools::offered(&ctx, None).iter().map(|tool| tool.name).collect::<Vec<_>>());
    assert!(names.contains(&"agent_memory_recall") && !names.contains(&"agent_memory_remember"), "{names:?}");
    for tool in &listed {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool.get("outputSchema").is_none(), "clients check errors against it, too: {tool}");
        assert!(tool["inputSchema"]["properties"].get("user_id").is_none(), "{tool}");
    }
    let listed = list_of(&site, &world.atlas_key, "?toolset=all").await;
    let hints = |name: &str| {
        let tool = listed.iter().find(|tool| tool["name"] == name).unwrap();
        ["readOnlyHint", "destructiveHint", "idempotentHint"].map(|hint| tool["annotations"][hint].as_bool().unwrap())
    };
    assert_eq!(hints("agent_memory_recall"), [true, false, true]);
    assert_eq!(hints("agent_memory_remember"), [false, false, true]);
    assert_eq!(hints("update_memory"), [false, false, false]);
    assert_eq!(hints("agent_memory_forget"), [false, true, true]);
}

#[tokio::test]
async fn a_tool_answers_with_text_and_structure_in_both_generations() {
    let site = Site::new().await;
    let session = Session::open(&site, &site.world.atlas_key).await;
    let stored = session.tool("agent_memory_remember", fact("Vera likes green tea")).await;
    let short_id = stored["structuredContent"]["short_id"].as_str().unwrap_or_else(|| panic!("{stored}"));
    let recalled = session.tool("agent_memory_recall", json!({ "query": "green tea" })).await;
    assert_eq!(recalled["structuredContent"]["hits"][0]["content"], "Vera likes green tea", "{recalled}");
    let text = recalled["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("1. ") && text.contains(short_id) && text.contains("Vera likes green tea"), "{text}");
    let input = json!({ "name": "agent_memory_recall", "arguments": { "query": "green tea" } });
    let answer = site.send(without_session(&site.world.atlas_key, "tools/call", input)).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    assert!(answer.headers.get("mcp-session-id").is_none());
    assert_eq!(message(&answer)["result"]["content"], recalled["content"]);
}

#[tokio::test]
async fn an_error_of_a_tool_has_the_code_and_the_fields_of_http() {
    let site = Site::new().await;
    let world = &site.world;
    let (_, reader) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::MemoryRead]).await;
    for (key, tool, input, code) in [
        (&world.atlas_key, "agent_memory_recall", json!({ "query": "" }), "invalid"),
        (&world.atlas_key, "agent_memory_remember", json!({ "topic_raw": "", "content": "", "source": { "platform": "" } }), "invalid"),
        (&world.atlas_key, "agent_memory_forget", json!({ "memory_id": "01900000-0000-7000-8000-000000000000" }), "not_found"),
        (&reader, "agent_memory_remember", fact("Vera likes tea"), "forbidden"),
    ] {
        let result = Session::open(&site, key).await.tool(tool, input.clone()).await;
        let expected = site.post(Some(key), tool, input.to_string()).await.json();
        let (error, expected) = (&result["structuredContent"]["error"], &expected["error"]);
        assert_eq!((&result["isError"], &error["code"]), (&json!(true), &json!(code)), "{result}");
        for part in ["code", "message", "fields"] {
            assert_eq!(error.get(part), expected.get(part), "{tool}");
        }
        assert_ne!(error["request_id"], expected["request_id"]);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(&format!("{code}: ")), "{text}");
        for field in error["fields"].as_array().into_iter().flatten() {
            assert!(text.contains(field["message"].as_str().unwrap()), "{text}");
        }
    }
    let session = Session::open(&site, &world.atlas_key).await;
    assert_eq!(session.ask("tools/call", json!({ "name": "nothing" })).await["error"]["code"], -32602);
    assert_eq!(session.ask("prompts/get", json!({ "name": "nothing" })).await["error"]["code"], -32602);
}

#[tokio::test]
async fn requests_are_read_as_clients_send_them() {
    let site = Site::new().await;
    let session = Session::open(&site, &site.world.atlas_key).await;
    let list = call(2, "tools/list", Value::Null).to_string();
    for accept in [None, Some("*/*"), Some("application/json;q=0.9, */*;q=0.8")] {
        let mut request = session.request(Method::POST, &session.key, list.clone());
        *request.uri_mut() = "/mcp/".parse().unwrap();
        request.headers_mut().remove("accept");
        request.headers_mut().extend(accept.map(|accept| (axum::http::header::ACCEPT, accept.parse().unwrap())));
        let answer = site.send(request).await;
        assert_eq!(answer.status, StatusCode::OK, "{accept:?}: {answer:?}");
        assert!(!message(&answer)["result"]["tools"].as_array().unwrap().is_empty(), "{answer:?}");
    }
}

#[tokio::test]
async fn the_user_comes_from_the_header_of_each_request() {
    let site = Site::new().await;
    let scopes = [KeyScope::MemoryRead, KeyScope::MemoryWrite];
    let (_, key) = key(&site.world.engine, &site.world.system, site.world.atlas.agent_id().unwrap(), &scopes).await;
    let mut session = Session::open(&site, &key).await;
    session.user = Some("crm-1");
    session.tool("agent_memory_remember", fact("Idris likes mint tea")).await;
    let mut found = Vec::new();
    for user in [Some("crm-1"), Some("crm-2"), None] {
        session.user = user;
        let recalled = session.tool("agent_memory_recall", json!({ "query": "mint tea" })).await;
        found.push(recalled["structuredContent"]["hits"].as_array().unwrap().len());
    }
    assert_eq!(found, [1, 0, 0], "one session, three users");
    session.user = Some("crm-1");
    let refused = session.tool("agent_memory_recall", json!({ "query": "tea", "user_id": "crm-2" })).await;
    assert_eq!(refused["structuredContent"]["error"]["code"], "forbidden");
}

#[tokio::test]
async fn bad_messages_are_refused_with_a_status_and_a_code() {
    let site = Site::new().await;
    let session = Session::open(&site, &site.world.atlas_key).await;
    let ping = call(2, "ping", json!({})).to_string();
    let with = |name: &str, value: Value| {
        let mut message = call(2, "tools/list", json!({}));
        message[name] = value;
        message.to_string()
    };
    let deep = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}{}}}"#, "[".repeat(5000), "]".repeat(5000));
    let large = call(2, "tools/call", json!({ "name": "explain", "arguments": { "memory": "x".repeat(10_000_000) } })).to_string();
    let table: Vec<(&str, Vec<u8>, u16, Option<i32>)> = vec![
        ("cut", ping.as_bytes()[..ping.len() - 4].to_vec(), 400, Some(-32700)),
        ("doubled", ping.repeat(2).into_bytes(), 400, Some(-32700)),
        ("empty", vec![], 400, Some(-32700)),
        ("not UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}".to_vec(), 400, Some(-32700)),
        ("deep", deep.into_bytes(), 400, Some(-32700)),
        ("10 MB", large.into_bytes(), 413, Some(-32600)),
        ("a batch", format!("[{ping},{ping}]").into_bytes(), 400, Some(-32600)),
        ("an empty batch", b"[]".to_vec(), 400, Some(-32600)),
        ("a string", b"\"ping\"".to_vec(), 400, Some(-32600)),
        ("another version of JSON-RPC", with("jsonrpc", json!("1.0")).into_bytes(), 400, Some(-32600)),
        ("no version of JSON-RPC", with("jsonrpc", Value::Null).into_bytes(), 400, Some(-32600)),
        ("neither method nor result", br#"{"jsonrpc": "2.0", "id": 1}"#.to_vec(), 400, Some(-32600)),
        ("a number as method", with("method", json!(1)).into_bytes(), 400, Some(-32600)),
        ("params in a list", with("params", json!([])).into_bytes(), 400, Some(-32600)),
        ("id 1.5", with("id", json!(1.5)).into_bytes(), 400, Some(-32600)),
        ("id true", with("id", json!(true)).into_bytes(), 400, Some(-32600)),
        ("id null", with("id", Value::Null).into_bytes(), 400, Some(-32600)),
        ("id in a list", with("id", json!([1])).into_bytes(), 400, Some(-32600)),
        ("an object as id", with("id", json!({})).into_bytes(), 400, Some(-32600)),
        ("id of more than 64 bits", with("id", json!(u64::MAX)).into_bytes(), 400, Some(-32600)),
        ("id 0", with("id", json!(0)).into_bytes(), 200, None),
        ("a negative id", with("id", json!(-1)).into_bytes(), 200, None),
        ("an empty string as id", with("id", json!("")).into_bytes(), 200, None),
        ("an unknown method", with("method", json!("x/y")).into_bytes(), 200, Some(-32601)),
        ("a call without a name", call(2, "tools/call", json!({})).to_string().into_bytes(), 200, Some(-32602)),
        (
            "arguments in a list",
            call(2, "tools/call", json!({ "name": "explain", "arguments": [] })).to_string().into_bytes(),
            200,
            Some(-32602),
        ),
        ("an answer to nothing", br#"{"jsonrpc": "2.0", "id": 77, "result": {}}"#.to_vec(), 202, None),
        ("an unknown notification", br#"{"jsonrpc": "2.0", "method": "notifications/x"}"#.to_vec(), 202, None),
    ];
    for (what, body, status, code) in table {
        let answer = session.post(body).await;
        assert_eq!(answer.status.as_u16(), status, "{what}: {answer:?}");
        if status != 202 {
            assert_eq!(message(&answer)["error"]["code"].as_i64(), code.map(i64::from), "{what}: {answer:?}");
        }
    }
    assert!(session.ask("ping", json!({})).await["result"].is_object(), "the session still works");
}

#[tokio::test]
async fn versions_and_headers_that_do_not_fit_are_refused() {
    let site = Site::new().await;
    let key = &site.world.atlas_key;
    for version in ["1999-01-01", "x", NEW] {
        let mut message_ = initialize();
        message_["params"]["protocolVersion"] = json!(version);
        let answer = site.send(request(Method::POST, key, &[], message_.to_string())).await;
        assert_eq!(message(&answer)["result"]["protocolVersion"], OLD, "{version}: {answer:?}");
    }
    let list = || without_session(key, "tools/list", json!({}));
    let status = async |change: &dyn Fn(&mut Request<Body>)| {
        let mut request = list();
        change(&mut request);
        site.send(request).await.status.as_u16()
    };
    let set = |name: &'static str, value: &'static str| {
        move |request: &mut Request<Body>| drop(request.headers_mut().insert(name, value.parse().unwrap()))
    };
    assert_eq!(status(&|_| {}).await, 200);
    assert_eq!(status(&set("mcp-protocol-version", "2030-01-01")).await, 400);
    assert_eq!(status(&set("mcp-method", "tools/call")).await, 400);
    assert_eq!(status(&set("accept", "application/json")).await, 406);
    assert_eq!(status(&set("content-type", "text/plain")).await, 415);
    assert_eq!(status(&set("mcp-session-id", "nobody's")).await, 404);
    let put = site.send(request(Method::PUT, key, &[], "{}")).await;
    assert_eq!((put.status, put.error().0.as_str()), (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"));
}

#[tokio::test]
async fn a_session_is_of_use_to_its_key_only() {
    let site = Site::new().await;
    let session = Session::open(&site, &site.world.atlas_key).await;
    let thief = &site.world.binky_key;
    let list = call(2, "tools/list", json!({})).to_string();
    for method in [Method::GET, Method::POST, Method::DELETE] {
        let answer = site.send(session.request(method.clone(), thief, list.clone())).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::NOT_FOUND, "not_found"), "{method}");
    }
    let mut stolen = without_session(thief, "tools/list", json!({}));
    stolen.headers_mut().insert("mcp-session-id", session.id.parse().unwrap());
    assert_eq!(site.send(stolen).await.status, StatusCode::NOT_FOUND);
    assert_eq!(session.post(list.clone()).await.status, StatusCode::OK);
    assert_eq!(site.send(session.request(Method::DELETE, &session.key, Body::empty())).await.status, StatusCode::NO_CONTENT);
    assert_eq!(session.post(list).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_session_that_was_idle_longest_makes_room() {
    let site = Site::new().await;
    let first = Session::open(&site, &site.world.atlas_key).await;
    let other = Session::open(&site, &site.world.binky_key).await;
    let second = Session::open(&site, &site.world.atlas_key).await;
    first.ask("ping", json!({})).await;
    for _ in 0..31 {
        Session::open(&site, &site.world.atlas_key).await;
    }
    let ping = call(2, "ping", json!({})).to_string();
    assert_eq!(second.post(ping.clone()).await.status, StatusCode::NOT_FOUND);
    assert_eq!(first.post(ping.clone()).await.status, StatusCode::OK);
    assert_eq!(other.post(ping).await.status, StatusCode::OK, "another key has room of its own");
}

#[tokio::test]
async fn web_pages_of_other_sites_are_refused() {
    let site = Site::with(&[("PUBLIC_URL", "https://memory.example.org")]).await;
    let key = &site.world.atlas_key;
    let body = initialize().to_string();
    for (origin, status) in [
        ("https://memory.example.org", 200),
        ("http://localhost:6274", 200),
        ("https://evil.example", 403),
        ("https://memory.example.org.evil.example", 403),
        ("null", 403),
        ("file://", 403),
    ] {
        let answer = site.send(request(Method::POST, key, &[("origin", origin)], body.clone())).await;
        assert_eq!(answer.status.as_u16(), status, "{origin}");
        if status == 403 {
            assert_eq!(answer.error().0, "forbidden");
        }
    }
    let answer = site.send(request(Method::POST, key, &[("host", "evil.example")], body)).await;
    assert_eq!((answer.status, answer.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some("Host")));
}

const ADR: &str = concat!(
    "---\nid: ADR-001\ntitle: Tea before coffee\nstatus: accepted\n---\n\n",
    "# Tea\n\n## Decision\n\nTea comes first.\n\n## Reasons\n\nTaste.\n",
);

async fn ingest(site: &Site, key: &str, path: &str) {
    let body = json!({ "collection": "wiki", "documents": [{ "path": path, "content": ADR }] });
    let mut request = request(Method::POST, key, &[], body.to_string());
    *request.uri_mut() = "/api/kb/documents".parse().unwrap();
    assert_eq!(site.send(request).await.status, StatusCode::OK);
}

#[tokio::test]
async fn resources_and_prompts_are_read() {
    let site = Site::new().await;
    let world = &site.world;
    ingest(&site, &world.atlas_key, "docs/adr/0001 tea.md").await;
    let session = Session::open(&site, &world.atlas_key).await;
    let entry = session.tool("add_to_memory", json!({ "content": "Vera works from Bern", "category": "context" })).await;
    let id = entry["structuredContent"]["memory"]["id"].as_str().unwrap_or_else(|| panic!("{entry}"));
    let text = async |uri: &str| {
        let answer = session.read(uri).await;
        answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{uri}: {answer}")).to_owned()
    };
    let listed = session.ask("resources/list", json!({})).await;
    let uris: Vec<_> = listed["result"]["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["remembrancer://memory/prompt", "remembrancer://knowledge/docs/adr/INDEX.md"]);
    assert!(text(uris[0]).await.contains("Vera works from Bern"));
    assert!(text(uris[1]).await.contains("Tea before coffee"));
    assert!(text(&format!("remembrancer://memories/{id}")).await.contains("Vera works from Bern"));
    for name in ["ADR-001", "docs/adr/0001%20tea.md", "wiki/docs/adr/0001%20tea.md"] {
        let document = text(&format!("remembrancer://documents/{name}")).await;
        assert!(document.starts_with("# Tea before coffee\n\nADR-001 · accepted · wiki/docs/adr/0001 tea.md\n"), "{document}");
        let (decision, reasons) =
            (document.find("## Decision\n\n> Tea comes first.").unwrap(), document.find("## Reasons\n\n> Taste.").unwrap());
        assert!(decision < reasons, "{document}");
    }
    for uri in
        ["remembrancer://memories/aaaaaaaa", "remembrancer://documents/ADR-404", "remembrancer://knowledge/no.md", "file:///etc/passwd"]
    {
        let error = session.read(uri).await["error"].clone();
        assert_eq!((&error["code"], &error["data"]["error"]["code"]), (&json!(-32002), &json!("not_found")), "{uri}");
    }
    let stranger = Session::open(&site, &world.binky_key).await;
    assert_eq!(stranger.read(&format!("remembrancer://memories/{id}")).await["error"]["code"], -32002, "another agent's memory");
    assert_eq!(session.ask("resources/templates/list", json!({})).await["result"]["resourceTemplates"].as_array().unwrap().len(), 2);
    let prompts = session.ask("prompts/list", json!({})).await;
    let names: Vec<_> = prompts["result"]["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["recall", "write", "vocabulary", "capture", "decision_points"]);
    let prompt = session.ask("prompts/get", json!({ "name": "recall" })).await;
    assert!(prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("agent_memory_recall"));

    let (_, writer) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::MemoryWrite]).await;
    let session = Session::open(&site, &writer).await;
    assert_eq!(session.ask("resources/list", json!({})).await["result"]["resources"], json!([]));
    for uri in ["remembrancer://memory/prompt", &format!("remembrancer://memories/{id}"), "remembrancer://documents/ADR-001"] {
        assert_eq!(session.read(uri).await["error"]["data"]["error"]["code"], "forbidden", "{uri}");
    }
}

#[tokio::test]
async fn changes_are_announced_until_the_server_stops() {
    let site = Site::new().await;
    let session = Session::open(&site, &site.world.atlas_key).await;
    let opened = site.router.clone().oneshot(session.request(Method::GET, &session.key, Body::empty())).await.unwrap();
    assert_eq!(opened.status(), StatusCode::OK);
    let mut stream = opened.into_body();
    ingest(&site, &site.world.atlas_key, "docs/adr/0001-tea.md").await;
    let mut text = String::new();
    while !text.contains("notifications/resources/list_changed") {
        let frame = tokio::time::timeout(PATIENCE, stream.frame()).await.unwrap().unwrap().unwrap();
        text.push_str(&String::from_utf8_lossy(&frame.into_data().unwrap()));
    }
    site.stop.cancel();
    tokio::time::timeout(PATIENCE, stream.collect()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_key_holds_only_so_many_streams() {
    let site = Site::new().await;
    let mut streams = Vec::new();
    for _ in 0..8 {
        let session = Session::open(&site, &site.world.atlas_key).await;
        let opened = site.router.clone().oneshot(session.request(Method::GET, &session.key, Body::empty())).await.unwrap();
        assert_eq!(opened.status(), StatusCode::OK);
        streams.push(opened);
    }
    let session = Session::open(&site, &site.world.atlas_key).await;
    let get = || session.request(Method::GET, &session.key, Body::empty());
    let refused = site.send(get()).await;
    assert_eq!((refused.status, refused.error().0.as_str()), (StatusCode::TOO_MANY_REQUESTS, "rate_limited"));
    streams.pop();
    assert_eq!(site.router.clone().oneshot(get()).await.unwrap().status(), StatusCode::OK, "a closed stream makes room");
}

/// A process that serves its standard input to this client.
struct Piped {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Piped {
    fn start(arguments: &[&str], variables: Vec<(&'static str, String)>) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_remembrancer"))
            .arg("mcp")
            .args(arguments)
            .env_remove("DATABASE_URL")
            .env_remove("REMEMBRANCER_URL")
            .env_remove("REMEMBRANCER_KEY")
            .envs(variables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()).lines());
        Self { process, input, output }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// The message that comes next.
    fn receive(&mut self) -> Value {
        serde_json::from_str(&self.output.next().unwrap().unwrap()).unwrap()
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.receive()
    }
}

#[tokio::test]
async fn a_process_serves_its_standard_input() {
    let world = World::on(TestDatabases::fresh(&db::clock::SystemClock).await).await;
    let mut piped = Piped::start(&["--user", "crm-1"], databases(&world));
    assert_eq!(piped.ask(&initialize())["result"]["serverInfo"]["name"], "remembrancer");
    piped.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let store = call(2, "tools/call", json!({ "name": "agent_memory_remember", "arguments": fact("Vera likes green tea") }));
    let stored = piped.ask(&store);
    assert!(stored["result"]["structuredContent"]["memory_id"].is_string(), "{stored}");
    let recall = call(3, "tools/call", json!({ "name": "agent_memory_recall", "arguments": { "query": "green tea" } }));
    // The client leaves before it has the answer.
    piped.send(&recall);
    drop(piped.input);
    let recalled: Value = serde_json::from_str(&piped.output.next().unwrap().unwrap()).unwrap();
    assert_eq!(recalled["result"]["structuredContent"]["hits"][0]["content"], "Vera likes green tea", "{recalled}");
    assert!(piped.process.wait().unwrap().success());
}

#[test]
fn a_client_is_answered_before_the_databases_are_open() {
    // Takes connections, and never says anything.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://vera@{}/memory", silent.local_addr().unwrap());
    let mut piped = Piped::start(&[], vec![("DATABASE_URL", url)]);
    assert_eq!(piped.ask(&initialize())["result"]["serverInfo"]["name"], "remembrancer");
    piped.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let listed = piped.ask(&call(2, "tools/list", json!({})));
    let names: Vec<&str> = listed["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"agent_memory_recall") && names.contains(&"canonical_terms_lookup"), "{names:?}");
    piped.process.kill().unwrap();
    piped.process.wait().unwrap();
}
