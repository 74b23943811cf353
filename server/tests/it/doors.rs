//! Every door for text, from the description of the API: secrets, marks, NUL and long texts in every field of every operation.
//!
//! Bodies are made from the schemas, so a new operation and a new field are tried without a line here.

use crate::harness::{Answer, Site};
use crate::idempotency::set_of_expectations;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use db::clock::SystemClock;
use foundation::testing::{TestDatabases, World, fact};
use foundation::{identity, usage, webhooks};
use remembrancer::capture::{self, Paste};
use remembrancer::memories;
use remembrancer::profile::{self, Citation, Drawn, NewLeaf, Part, Subject};
use remembrancer::vocabulary::{self, NewTerm};
use serde_json::{Map, Value, json};
use server::api::document;
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{CaptureMode, EventId, KeyScope, NewWebhook, NoticeKind, OperatorId, OperatorRole, SourceId, TermChange, Usd};

/// Operations that take a file or a protocol of their own, or do not end; other tests send them.
const ELSEWHERE: &[&str] = &["/api/import", "/api/adapters/telegram/{bot}", "/api/events/stream"];
/// The text of every field that is not tried.
const PLAIN: &str = "black tea";
/// Longer than any field may be, and shorter than any body may be.
pub const LONG: usize = 120_000;

/// A credential that no scanner takes for one in this file.
pub fn secret() -> String {
    format!("gh{}_{}", "p", ["a1B2c3D4e5F6", "g7H8i9J0k1L2", "m3N4o5P6q7R8"].concat())
}

/// What a request needs to be carried out, made anew for each operation.
pub struct Ids(BTreeMap<&'static str, String>);

impl Ids {
    /// The id for a parameter or a field of an operation.
    fn of(&self, path: &str, name: &str) -> String {
        let what = match (path, name) {
            ("/api/admin/keys/{id}/rotate", _) => "key",
            ("/api/admin/webhooks/{id}" | "/api/admin/webhooks/{id}/rotate", _) => "webhook",
            (_, "login") => "login",
            (_, "connection_id" | "connections") => "connection",
            (path, "id") if path.starts_with("/api/connections") => "connection",
            (path, "id") if path.starts_with("/api/context") => "context",
            (path, "id") if path.starts_with("/api/expectations") => "set",
            (path, "id") if path.starts_with("/api/profile/leaves") => "leaf",
            (path, "id") if path.starts_with("/api/retrievals") => "retrieval",
            (path, "id") if path.starts_with("/api/memory/") => "entry",
            ("/api/tools/update_memory", _) => "entry",
            (_, "source_ref") => "source",
            (_, "leaf_id") => "leaf",
            (_, "retrieval_id") => "retrieval",
            (_, "to" | "inbox_items") => "other",
            _ => "own",
        };
        self.0.get(what).unwrap_or_else(|| panic!("{what}")).clone()
    }
}

/// One operation of the document.
pub struct Door {
    method: Method,
    pub path: &'static str,
    operation: &'static Value,
}

/// A body with the places of its texts, as JSON pointers.
pub struct Filled {
    pub body: Value,
    pub texts: Vec<String>,
}

fn resolved(mut value: &'static Value) -> &'static Value {
    while let Some(reference) = value["$ref"].as_str() {
        value = document().pointer(reference.trim_start_matches('#')).unwrap();
    }
    value
}

pub fn doors() -> Vec<Door> {
    let mut doors = Vec::new();
    for (path, operations) in document()["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap().iter().filter(|(method, _)| *method != "parameters") {
            if !ELSEWHERE.contains(&path.as_str()) {
                doors.push(Door { method: method.to_uppercase().parse().unwrap(), path, operation });
            }
        }
    }
    doors
}

impl Door {
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The schema of its body, and the media type.
    fn schema(&self) -> Option<(&'static str, &'static Value)> {
        let content = resolved(&self.operation["requestBody"])["content"].as_object()?;
        content.iter().next().map(|(media, content)| (media.as_str(), resolved(&content["schema"])))
    }

    /// Its parameters of one place: path, query or header.
    fn parameters(&self, place: &str) -> Vec<&'static Value> {
        let all = self.operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().map(resolved).filter(|parameter| parameter["in"] == place).collect()
    }

    /// A body with a text in every field, if it takes one.
    pub fn filled(&self, ids: &Ids) -> Option<Filled> {
        let (_, schema) = self.schema()?;
        let mut texts = Vec::new();
        let mut body = self.value(schema, "", "", ids, &mut texts);
        self.mend(&mut body);
        texts.retain(|pointer| body.pointer(pointer).is_some_and(Value::is_string));
        // What was prepared is nobody's: only the tries name a user.
        if let Some(fields) = body.as_object_mut() {
            fields.remove("user_id");
        }
        Some(Filled { body, texts })
    }

    fn value(&self, schema: &'static Value, name: &str, at: &str, ids: &Ids, texts: &mut Vec<String>) -> Value {
        let schema = resolved(schema);
        let text = |texts: &mut Vec<String>| {
            texts.push(at.to_owned());
            json!(PLAIN)
        };
        if let Some(variants) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
            let variant = variants.iter().find(|variant| resolved(variant)["type"] != "null").unwrap();
            return self.value(variant, name, at, ids, texts);
        }
        if let Some(one) = schema.get("const").or_else(|| schema["enum"].get(0)) {
            return one.clone();
        }
        let kinds = [&schema["type"]].into_iter().chain(schema["type"].as_array().into_iter().flatten());
        let kind = kinds.filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or_default();
        match (kind, schema["format"].as_str(), schema.get("pattern")) {
            ("object", ..) => self.object(schema, at, ids, texts),
            ("array", ..) => json!([self.value(&schema["items"], name, &format!("{at}/0"), ids, texts)]),
            ("string", Some("uuid"), _) => json!(ids.of(self.path, name)),
            ("string", Some("date-time"), _) => json!("2026-01-02T03:04:05Z"),
            ("string", _, Some(_)) if name == "slug" => json!(format!("s{}", Uuid::new_v4().simple())),
            ("string", _, Some(_)) => json!(ids.of(self.path, name)),
            ("string", ..) => text(texts),
            ("integer", ..) => schema.get("minimum").cloned().unwrap_or(json!(1)),
            ("number", ..) => json!(0.5),
            ("boolean", ..) => json!(false),
            _ if at.is_empty() => Value::Null,
            // Any JSON.
            _ => {
                let key = format!("{at}/said");
                texts.extend([key.clone(), format!("{at}/list/0")]);
                json!({ "said": PLAIN, "list": [PLAIN] })
            }
        }
    }

    fn object(&self, schema: &'static Value, at: &str, ids: &Ids, texts: &mut Vec<String>) -> Value {
        let mut fields = Map::new();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            fields.insert(name.clone(), self.value(schema, name, &format!("{at}/{name}"), ids, texts));
        }
        if schema.get("additionalProperties").is_some_and(|more| *more != json!(false)) && fields.is_empty() {
            texts.push(format!("{at}/habit"));
            fields.insert("habit".into(), json!(PLAIN));
        }
        Value::Object(fields)
    }

    /// What the schema alone does not say: fields that exclude each other.
    fn mend(&self, body: &mut Value) {
        let mut put = |pointer: &str, value: Value| {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            match body.pointer_mut(parent) {
                Some(Value::Object(fields)) if value.is_null() => drop(fields.remove(name)),
                Some(Value::Object(fields)) => drop(fields.insert(name.to_owned(), value)),
                _ => panic!("{} has no {pointer}", self.name()),
            }
        };
        match self.path {
            "/api/sources" => {
                *body = json!([{ "role": "user", "name": PLAIN, "content": PLAIN }]);
            }
            "/api/memories/batch" => put("/items/0/user_id", Value::Null),
            "/api/memory/" | "/api/tools/add_to_memory" => put("/force", json!(true)),
            "/api/projects/{project}/links" => put("/project", json!("meadow")),
            "/api/kb/documents" => put("/documents/0/path", json!("tea.md")),
            "/api/connections/{id}" => put("/schema_ttl_seconds", json!(60)),
            "/api/tools/agent_memory_recall" | "/api/tools/agent_memory_search" => {
                put("/filters", json!({ "platform": PLAIN }));
                put("/as_of", Value::Null);
            }
            "/api/context" | "/api/tools/assemble_context" => {
                put("/budget", json!(40_000));
                put("/project", Value::Null);
                put("/repo", Value::Null);
            }
            "/api/tools/context_for" => {
                put("/project", Value::Null);
                put("/repo", Value::Null);
            }
            "/api/admin/keys" => {
                put("/agent", json!("atlas"));
                put("/expires_at", Value::Null);
            }
            "/api/admin/webhooks" => {
                put("/url", json!("https://example.org/tea"));
                put("/agent", Value::Null);
            }
            "/api/admin/webhooks/{id}" => put("/url", json!("https://example.org/mate")),
            "/api/tools/explain" => put("/retrieval_id", Value::Null),
            "/api/tools/agent_memory_list" | "/api/tools/list_session_messages" => put("/after", Value::Null),
            "/api/tools/capture_text" => put("/time_zone", Value::Null),
            _ => {}
        }
    }

    /// The address with plain parameters, or with `text` in the parameter of this name.
    fn uri(&self, ids: &Ids, tried: Option<(&str, &str)>) -> String {
        let value = |parameter: &Value| {
            let name = parameter["name"].as_str().unwrap();
            match (tried, name) {
                (Some((one, text)), name) if one == name => encoded(text),
                (_, "project") => "orchard".into(),
                (_, "name" | "session") => encoded(PLAIN),
                _ => ids.of(self.path, name),
            }
        };
        let mut uri = self.path.to_owned();
        for parameter in self.parameters("path") {
            uri = uri.replace(&format!("{{{}}}", parameter["name"].as_str().unwrap()), &value(parameter));
        }
        let mut query: Vec<String> = Vec::new();
        if self.path == "/api/usage" || self.path == "/api/usage.csv" {
            query.push("from=2026-01-01".into());
        }
        if let Some((name, text)) = tried.filter(|(name, _)| self.parameters("query").iter().any(|one| one["name"] == *name)) {
            query.push(format!("{name}={}", encoded(text)));
        }
        if query.is_empty() { uri } else { format!("{uri}?{}", query.join("&")) }
    }

    async fn send(&self, site: &Site, uri: &str, body: Option<&Value>, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(self.method.clone()).uri(uri);
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = match body {
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        let answer = site.send(request.body(body).unwrap()).await;
        assert!(!answer.status.is_server_error(), "{} {uri}: {} {}", self.method, answer.status, answer.text);
        answer
    }
}

pub fn encoded(text: &str) -> String {
    text.bytes().map(|byte| if byte.is_ascii_alphanumeric() { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// A site with databases of its own, because they are searched whole.
pub async fn alone() -> Site {
    let site = Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[("RATE_LIMIT_PER_MINUTE", "1000000")]);
    for slug in ["orchard", "meadow"] {
        let body = json!({ "slug": slug, "name": slug });
        let door = Door { method: Method::POST, path: "/api/projects", operation: &Value::Null };
        assert_eq!(door.send(&site, "/api/projects", Some(&body), &[]).await.status, StatusCode::CREATED);
    }
    site
}

/// Memories, a source, a leaf, a context and a connection for one operation.
pub async fn ids(site: &Site) -> Ids {
    let text = |answer: &Answer, pointer: &str| {
        answer.json().pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer}: {}", answer.text)).to_owned()
    };
    let word = Uuid::new_v4().simple().to_string();
    let fact = |what: &str| json!({ "topic_raw": what, "content": format!("{what} {word}"), "source": { "platform": "slack" } });
    let (own, other) = (site.atlas("agent_memory_remember", fact("kettle")).await, site.atlas("agent_memory_remember", fact("cup")).await);
    let entry = json!({ "content": format!("Mina keeps {word}"), "category": "person", "force": true });
    let entry = site.atlas("add_to_memory", entry).await;
    let recalled = site.atlas("agent_memory_recall", json!({ "query": "kettle" })).await;
    let context = site.atlas("assemble_context", json!({ "query": "kettle" })).await;
    let source = Request::post("/api/sources")
        .header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key))
        .header(header::CONTENT_TYPE, "text/plain");
    let source = site.send(source.body(Body::from(format!("Vera: I moved to {word}."))).unwrap()).await;
    let connection = Uuid::new_v4().to_string();
    let put = Door { method: Method::PUT, path: "/api/connections/{id}", operation: &Value::Null };
    let body = json!({ "tool_id": "jira", "name": "Jira" });
    assert!(put.send(site, &format!("/api/connections/{connection}"), Some(&body), &[]).await.status.is_success());
    site.world.engine.finish_deferred().await;
    let (key, login) = managed(site, &word).await;
    let webhook = webhook(site).await;
    Ids(BTreeMap::from([
        ("key", key),
        ("login", login),
        ("webhook", webhook),
        ("own", text(&own, "/memory_id")),
        ("other", text(&other, "/memory_id")),
        ("entry", text(&entry, "/memory/id")),
        ("retrieval", text(&recalled, "/retrieval_id")),
        ("context", text(&context, "/id")),
        ("source", text(&source, "/source_id")),
        ("leaf", leaf(site, &word).await),
        ("set", set_of_expectations(site, text(&own, "/memory_id").parse().unwrap()).await),
        ("connection", connection),
    ]))
}

/// A key, and the login of an operator who has no password: to hash one takes time.
async fn managed(site: &Site, word: &str) -> (String, String) {
    let World { engine, system, binky, .. } = &site.world;
    let (key, _) =
        identity::create_key(engine, system, binky.agent_id().unwrap(), word, &[KeyScope::MemoryRead], None, None).await.unwrap();
    let (id, login, roles) = (OperatorId(engine.clock().id()), format!("{word}@acme.example"), &[OperatorRole::Viewer]);
    let operator = identity::store::NewOperator { id, login: &login, name: "Mole", password_hash: "none", roles };
    let mut tx = engine.db().control.begin_system().await.unwrap();
    identity::store::insert_operator(&mut tx, system.tenant_id, &operator, engine.clock().now()).await.unwrap();
    tx.commit().await.unwrap();
    (key.to_string(), login)
}

/// The webhook that is there, or a new one.
async fn webhook(site: &Site) -> String {
    let World { engine, system, .. } = &site.world;
    let new = NewWebhook { url: "https://example.org/".into(), events: vec![NoticeKind::JobDead], agent: None };
    match webhooks::list(engine, system).await.unwrap().pop() {
        Some(webhook) => webhook.id.to_string(),
        None => webhooks::add(engine, system, new).await.unwrap().webhook.id.to_string(),
    }
}

/// A leaf of a profile.
async fn leaf(site: &Site, word: &str) -> String {
    let world = &site.world;
    let id = world.engine.clock().id();
    let proposal = NewLeaf {
        part: Part::Scaffold,
        connection_id: None,
        path: vec![word.to_owned()],
        value: json!("Bern"),
        listed: false,
        corrects: false,
        cites: vec![Citation { source_id: SourceId(id), event_id: EventId(id), session_id: None, at: world.engine.clock().now() }],
    };
    let subject = Subject { agent_id: world.atlas.agent_id().unwrap(), user_id: None };
    let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
    profile::apply(&world.engine, &world.system, &mut tx, subject, Drawn { new_leaves: vec![proposal], ..Drawn::default() }).await.unwrap();
    tx.commit().await.unwrap();
    let known = site.atlas("get_user_profile", json!({})).await.json();
    known["leaves"].as_array().unwrap().iter().find(|leaf| leaf.to_string().contains(word)).unwrap()["leaf_id"].as_str().unwrap().to_owned()
}

/// The tables that hold a text, as words or as bytes.
pub async fn tables_with(site: &Site, text: &str) -> Vec<String> {
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let urls = site.world.engine.urls();
    let mut found = Vec::new();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let mut connection = PgConnection::connect(url).await.unwrap();
        let tables = "select table_name::text from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'";
        let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut connection).await.unwrap();
        assert!(!tables.is_empty());
        for table in tables {
            let sql = format!("select t::text from \"{table}\" t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0 limit 1");
            let row: Option<String> =
                sqlx::query_scalar(AssertSqlSafe(sql)).bind(text).bind(&hex).fetch_optional(&mut connection).await.unwrap();
            found.extend(row.map(|row| format!("{table}: {row}")));
        }
        connection.close().await.unwrap();
    }
    found
}

/// Puts a text into one place of a body.
pub fn with(body: &Value, pointer: &str, text: &str) -> Value {
    let mut body = body.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match body.pointer_mut(parent).unwrap() {
        Value::Object(fields) => drop(fields.insert(name.to_owned(), json!(text))),
        other => other[name.parse::<usize>().unwrap()] = json!(text),
    }
    body
}

/// Whether a field holds an id of another system, which is refused instead of rewritten.
pub fn is_id(pointer: &str) -> bool {
    ["_id", "/path", "/project", "/collection", "/session", "/external_ref", "/login", "/url"].iter().any(|end| pointer.ends_with(end))
}

/// Operations that answer 404 for a name that nothing has.
pub const REFUSING: &[&str] = &["POST /api/tools/shared_kb_topology", "POST /api/tools/list_session_messages", "POST /api/admin/keys"];

#[tokio::test]
async fn no_door_lets_a_secret_into_a_table() {
    let (site, secret) = (alone().await, secret());
    let mut refused = Vec::new();
    for (door, number) in doors().into_iter().zip(1..) {
        // Each says something else, or it would be known.
        let said = format!("use {secret} for door {number}");
        let ids = ids(&site).await;
        if let Some(Filled { body, texts }) = door.filled(&ids) {
            // Everything at once, as far as it is no id: this must be carried out, or what follows would show nothing.
            let mut all = body.clone();
            for pointer in texts.iter().filter(|pointer| !is_id(pointer)) {
                all = with(&all, pointer, &said);
            }
            for map in ["/meta", "/learned", "/scaffold_updates"] {
                if let Some(Value::Object(fields)) = all.pointer_mut(map) {
                    fields.insert(secret.clone(), json!({ "password": "hunter2horse", "said": said }));
                }
            }
            let answer = door.send(&site, &door.uri(&ids, None), Some(&all), &[("Idempotency-Key", door.path)]).await;
            if !answer.status.is_success() {
                refused.push(format!("{}: {}", door.name(), answer.text));
            }
            for pointer in &texts {
                // A mark that hides, one that reorders, a control character.
                door.send(&site, &door.uri(&ids, None), Some(&with(&body, pointer, &format!("{said}\u{200b}\u{202e}\u{7}"))), &[]).await;
            }
        }
        for place in ["path", "query"] {
            for parameter in door.parameters(place) {
                let uri = door.uri(&ids, parameter["name"].as_str().map(|name| (name, said.as_str())));
                door.send(&site, &uri, door.filled(&ids).map(|filled| filled.body).as_ref(), &[]).await;
            }
        }
        door.send(&site, &door.uri(&ids, None), door.filled(&ids).map(|filled| filled.body).as_ref(), &[("X-Remembrancer-User", &secret)])
            .await;
    }
    refused.retain(|line| !REFUSING.iter().any(|path| line.contains(path)));
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    site.world.engine.finish_deferred().await;
    assert_eq!(tables_with(&site, &secret).await, Vec::<String>::new());
    assert_eq!(tables_with(&site, "hunter2horse").await, Vec::<String>::new());
    assert!(!tables_with(&site, "[secret removed: API key]").await.is_empty(), "something was stored");
}

#[tokio::test]
async fn a_text_that_is_too_long_or_has_nul_is_refused_with_the_name_of_its_field() {
    let (site, long) = (alone().await, "x".repeat(LONG));
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for door in doors() {
        let ids = ids(&site).await;
        let Some(Filled { body, texts }) = door.filled(&ids) else { continue };
        for pointer in &texts {
            tried += 1;
            for text in [long.as_str(), "a\0b"] {
                let answer = door.send(&site, &door.uri(&ids, None), Some(&with(&body, pointer, text)), &[]).await;
                let names: Vec<&str> = pointer.split('/').filter(|part| !part.is_empty() && part.parse::<usize>().is_err()).collect();
                let named = |error: &Value| names.iter().any(|name| error["fields"].to_string().contains(name));
                let fine = match answer.status.as_u16() {
                    413 => text.len() == LONG,
                    400 | 422 => named(&answer.json()["error"]),
                    // Each item of a batch has an error of its own.
                    200 if door.path == "/api/memories/batch" => named(&answer.json()["results"][0]["error"]),
                    // A document that cannot be read is reported beside the others.
                    200 if door.path == "/api/kb/documents" && !answer.json()["failures"][0].is_null() => true,
                    // Projects and agents are named by their slugs, and none has such a name.
                    404 => text.len() == LONG && ["/project", "/agent"].contains(&pointer.as_str()),
                    200 | 201 => text.len() == LONG && !is_id(pointer) && takes_long(door.path),
                    _ => false,
                };
                if !fine {
                    wrong.push(format!("{} {pointer} with {} bytes: {} {:.200}", door.name(), text.len(), answer.status, answer.text));
                }
            }
        }
    }
    assert!(tried > 50, "{tried} fields");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether an operation has texts that may be longer than [`LONG`].
fn takes_long(path: &str) -> bool {
    let long = ["/api/context", "/api/tools/assemble_context", "/api/tools/capture_text", "/api/sources", "/api/kb/documents"];
    long.iter().any(|long| path.starts_with(long))
}

#[tokio::test]
async fn what_people_type_loses_its_secrets() {
    let (site, said) = (alone().await, format!("use {} for it", secret()));
    let (engine, vera) = (&site.world.engine, &site.world.vera);
    let id = memories::remember(engine, &site.world.atlas, fact("door", "It is green.")).await.unwrap().memory_id;
    memories::correct(engine, vera, id, None, said.clone(), &said).await.unwrap();
    memories::delete(engine, vera, &[id], &said).await.unwrap();
    memories::restore(engine, vera, &[id], &said).await.unwrap();
    let term = NewTerm { term: "kettle", definition: &said, category: None, aliases: &[&said] };
    let term = vocabulary::add(engine, vera, term).await.unwrap().term_id.unwrap();
    vocabulary::change(engine, vera, term, &TermChange::Retire { reason: said.clone() }).await.unwrap();
    identity::set_blocked(engine, vera, site.world.binky.agent_id().unwrap(), true, &said).await.unwrap();
    identity::create_agent(engine, vera, "clover", &said, false).await.unwrap();
    usage::grant_credit(engine, vera, None, Usd::from_dollars(1), &said).await.unwrap();
    let paste = Paste {
        agent_id: site.world.atlas.agent_id().unwrap(),
        mode: CaptureMode::Note,
        scope: None,
        project_id: None,
        title: Some(said.clone()),
        filename: Some(said.clone()),
        time_zone: None,
        user_id: None,
        text: said.clone(),
    };
    capture::paste(engine, vera, paste).await.unwrap();
    assert_eq!(tables_with(&site, &secret()).await, Vec::<String>::new());
    assert!(!tables_with(&site, "[secret removed: API key]").await.is_empty(), "something was stored");
}

#[tokio::test]
async fn an_imported_file_loses_its_secrets() {
    let (from, to) = (alone().await, alone().await);
    let (word, secret) = ("placeholderofasecret", secret());
    from.atlas("agent_memory_remember", json!({ "topic_raw": word, "content": word, "title": word, "source": { "platform": word } })).await;
    from.atlas("record_action", json!({ "action": word, "message": word, "meta": { word: word } })).await;
    let key = |site: &Site| format!("Bearer {}", site.world.atlas_key);
    let file = from.get("/api/export", &[(header::AUTHORIZATION, &key(&from))]).await.text.replace(word, &secret);
    let (lines, footer) = file.trim_end().rsplit_once('\n').unwrap();
    let lines = format!("{lines}\n");
    let mut footer: Value = serde_json::from_str(footer).unwrap();
    footer["sha256"] = json!(Sha256::digest(&lines).iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let request = Request::post("/api/import").header(header::AUTHORIZATION, key(&to)).header(header::CONTENT_TYPE, "application/x-ndjson");
    let answer = to.send(request.body(Body::from(format!("{lines}{footer}\n"))).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(tables_with(&to, &secret).await, Vec::<String>::new());
    assert!(!tables_with(&to, "[secret removed: API key]").await.is_empty(), "something was stored");
}
