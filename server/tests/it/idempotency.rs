//! `Idempotency-Key`: every write is carried out once under its key, and a new write without a line here fails.

use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use db::clock::SystemClock;
use foundation::identity::Identity;
use foundation::testing::{PASSWORD, TestDatabases, World};
use foundation::{identity, webhooks};
use remembrancer::chat;
use remembrancer::profile::{self, Citation, Drawn, NewLeaf, Part, Subject};
use remembrancer::tools::{self, Effect};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use wire::{EventId, ExpectationOrigin, KeyScope, MemoryId, NewExpectation, NewInvitation, NewWebhook, NoticeKind, OperatorRole, SourceId};

/// A write, in terms of what [`prepare`] made; `{own}` and the like are replaced.
struct Write {
    /// As in the route table.
    method: Method,
    route: &'static str,
    path: &'static str,
    body: &'static str,
    status: u16,
}

const fn write(method: Method, route: &'static str, path: &'static str, body: &'static str, status: u16) -> Write {
    Write { method, route, path, body, status }
}

/// A write whose path has no parameters.
const fn plain(method: Method, path: &'static str, body: &'static str, status: u16) -> Write {
    write(method, path, path, body, status)
}

const fn tool(path: &'static str, body: &'static str) -> Write {
    write(Method::POST, "/api/tools/{name}", path, body, 200)
}

/// In an order in which each is possible.
const WRITES: &[Write] = &[
    plain(Method::POST, "/api/memory/", r#"{"content": "Vera works from Bern", "category": "context"}"#, 201),
    plain(Method::POST, "/api/memory", r#"{"content": "Idris plays the cello", "category": "person"}"#, 201),
    write(Method::PUT, "/api/memory/{id}", "/api/memory/{entry}", r#"{"content": "Mina drinks cocoa"}"#, 200),
    write(Method::DELETE, "/api/memory/{id}", "/api/memory/{entry}", "", 204),
    plain(Method::POST, "/api/commands/memory", r#"{"text": "/memory delete {second}"}"#, 200),
    plain(
        Method::POST,
        "/api/memories/batch",
        r#"{"items": [{"topic_raw": "lunch", "content": "Mina has soup.", "source": {"platform": "slack"}}, {"content": "no topic"}]}"#,
        200,
    ),
    plain(Method::POST, "/api/projects", r#"{"slug": "harbour", "name": "Harbour"}"#, 201),
    write(Method::POST, "/api/projects/{project}/repos", "/api/projects/orchard/repos", r#"{"slug": "core", "name": "Core"}"#, 201),
    write(Method::POST, "/api/projects/{project}/links", "/api/projects/orchard/links", r#"{"project": "meadow"}"#, 200),
    plain(Method::POST, "/api/kb/documents", r##"{"collection": "wiki", "documents": [{"path": "a.md", "content": "# A"}]}"##, 200),
    plain(Method::POST, "/api/import", "", 200),
    tool("/api/tools/agent_memory_remember", r#"{"topic_raw": "tea", "content": "Black, no sugar.", "source": {"platform": "slack"}}"#),
    tool("/api/tools/agent_memory_revise", r#"{"memory": "{own}", "content": "Ready on Friday."}"#),
    tool("/api/tools/agent_memory_link", r#"{"from": "{own}", "to": "{other}", "relation": "supports"}"#),
    tool("/api/tools/upsert_profile_fact", r#"{"topic_raw": "editor", "content": "Helix", "source": {"platform": "slack"}}"#),
    tool("/api/tools/add_to_memory", r#"{"content": "Vera has two cats", "category": "person", "subject": "Vera"}"#),
    tool("/api/tools/update_memory", r#"{"memory_id": "{third}", "content": "Binky deploys on Fridays"}"#),
    write(Method::PUT, "/api/memories/{memory_id}/pin", "/api/memories/{own}/pin", "", 200),
    write(Method::DELETE, "/api/memories/{memory_id}/pin", "/api/memories/{own}/pin", "", 200),
    write(
        Method::POST,
        "/api/sessions/{session}/messages",
        "/api/sessions/thread-42/messages",
        r#"{"messages": [{"role": "user", "content": "I moved to Thun in May."}]}"#,
        200,
    ),
    plain(Method::POST, "/api/sources", r#"[{"role": "user", "content": "I moved to Thun in May."}]"#, 200),
    tool("/api/tools/capture_conversation", r#"{"source_ref": "{source}"}"#),
    tool("/api/tools/capture_session", r#"{"source_ref": "{source}"}"#),
    tool("/api/tools/capture_text", r#"{"content": "Mina: I will water the plants on Mondays."}"#),
    tool("/api/tools/add_session_messages", r#"{"session": "thread-43", "messages": [{"role": "user", "content": "I moved to Bern."}]}"#),
    tool("/api/tools/create_project", r#"{"slug": "lagoon", "name": "Lagoon"}"#),
    tool("/api/tools/ingest", r#"{"memory_input": {"topic_raw": "tea", "content": "Vera likes tea."}}"#),
    tool("/api/tools/consolidate", r#"{"inbox_items": ["{other}"]}"#),
    tool("/api/tools/record_observation", r#"{"content": "Vera likes tea.", "category": "fact"}"#),
    tool("/api/tools/update_user_context", r#"{"persistent_info_additions": ["Vera likes tea."]}"#),
    write(Method::PUT, "/api/connections/{id}", "/api/connections/{own}", r#"{"tool_id": "jira", "name": "Jira"}"#, 200),
    tool("/api/tools/update_connection_context", r#"{"connection_id": "{own}", "learned": {"project": "PROJ"}}"#),
    plain(Method::POST, "/api/actions", r#"{"action": "tea.brew", "message": "Brewed tea for Mina."}"#, 201),
    write(
        Method::POST,
        "/api/workflows/{name}/steps",
        "/api/workflows/tea/steps",
        r#"{"steps": [{"step_name": "boil", "output": "The water boils."}, {"step_name": "pour", "output": "Poured."}]}"#,
        201,
    ),
    tool(
        "/api/tools/record_action",
        r#"{"action": "tea.serve", "message": "Served tea.", "kind": "outcome", "outcome": "Mina was happy"}"#,
    ),
    tool("/api/tools/record_workflow_step", r#"{"workflow": "tea", "step_name": "wash", "output": "All cups are clean."}"#),
    write(Method::POST, "/api/expectations/{id}/runs", "/api/expectations/{set}/runs", "", 200),
    write(Method::POST, "/api/context/{id}/answer", "/api/context/{context}/answer", r#"{"text": "On Tuesday."}"#, 200),
    write(
        Method::PUT,
        "/api/connections/{id}/entities",
        "/api/connections/{own}/entities",
        r#"{"entities": [{"key": "PROJ", "content": "The harbour project"}]}"#,
        200,
    ),
    write(Method::DELETE, "/api/profile/leaves/{id}", "/api/profile/leaves/{leaf}", "", 200),
    tool("/api/tools/forget_profile_leaf", r#"{"leaf_id": "{second_leaf}"}"#),
    tool("/api/tools/canonical_terms_propose", r#"{"phrase": "slow brew"}"#),
    write(Method::PUT, "/api/memories/{memory_id}/share", "/api/memories/{third}/share", "", 200),
    write(Method::DELETE, "/api/memories/{memory_id}/share", "/api/memories/{third}/share", "", 200),
    write(Method::PUT, "/api/admin/agents/{slug}", "/api/admin/agents/zephyr", r#"{"name": "Zephyr"}"#, 201),
    plain(Method::POST, "/api/admin/keys", r#"{"agent": "zephyr", "name": "laptop", "preset": "reader"}"#, 201),
    write(Method::POST, "/api/admin/keys/{id}/rotate", "/api/admin/keys/{key}/rotate", r#"{"overlap_hours": 1}"#, 201),
    write(Method::DELETE, "/api/admin/keys/{id}", "/api/admin/keys/{key}", "", 204),
    write(Method::PUT, "/api/admin/users/{user}", "/api/admin/users/crm-31", r#"{"name": "Mina"}"#, 201),
    plain(Method::POST, "/api/admin/invitations", r#"{"login": "mole@acme.example", "name": "Mole", "roles": ["viewer"]}"#, 201),
    write(Method::DELETE, "/api/admin/invitations/{id}", "/api/admin/invitations/{invitation}", "", 204),
    write(Method::PUT, "/api/admin/operators/{login}", "/api/admin/operators/{login}", r#"{"name": "Newt"}"#, 200),
    write(Method::DELETE, "/api/admin/operators/{login}/sessions", "/api/admin/operators/{login}/sessions", "", 204),
    write(Method::DELETE, "/api/admin/operators/{login}/identity", "/api/admin/operators/{provided}/identity", "", 204),
    write(Method::DELETE, "/api/admin/operators/{login}", "/api/admin/operators/{login}", "", 204),
    write(Method::POST, "/api/admin/operators/{login}/restore", "/api/admin/operators/{login}/restore", "", 204),
    write(Method::DELETE, "/api/admin/agents/{slug}", "/api/admin/agents/zephyr", "", 200),
    write(Method::DELETE, "/api/admin/bots/{id}", "/api/admin/bots/{bot}", "", 204),
    plain(Method::POST, "/api/admin/webhooks", r#"{"url": "https://example.org/tea", "events": ["job.dead"]}"#, 201),
    write(Method::PUT, "/api/admin/webhooks/{id}", "/api/admin/webhooks/{webhook}", r#"{"state": "paused"}"#, 200),
    write(Method::POST, "/api/admin/webhooks/{id}/rotate", "/api/admin/webhooks/{webhook}/rotate", "", 201),
    write(Method::DELETE, "/api/admin/webhooks/{id}", "/api/admin/webhooks/{webhook}", "", 204),
    tool("/api/tools/agent_memory_forget", r#"{"memory_id": "{own}"}"#),
];

/// Writes whose answer has a secret, and the field that has it. It is shown once.
const SECRETS: &[(&str, &str)] = &[
    ("/api/admin/keys", "secret"),
    ("/api/admin/keys/{id}/rotate", "secret"),
    ("/api/admin/invitations", "link"),
    ("/api/admin/webhooks", "secret"),
    ("/api/admin/webhooks/{id}/rotate", "secret"),
];

impl Write {
    async fn send(&self, site: &Site, names: &[(&str, String)], key: &str, idempotency_key: &[u8]) -> Answer {
        let fill = |text: &str| names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
        let (body, media_type) = match self.path {
            "/api/import" => (names.iter().find(|(name, _)| *name == "{file}").unwrap().1.clone(), "application/x-ndjson"),
            _ => (fill(self.body), "application/json"),
        };
        let request = Request::builder()
            .method(self.method.clone())
            .uri(fill(self.path))
            .header(header::AUTHORIZATION, format!("Bearer {key}"))
            .header(header::CONTENT_TYPE, media_type)
            .header("Idempotency-Key", idempotency_key);
        site.send(request.body(Body::from(body)).unwrap()).await
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

fn replayed(answer: &Answer) -> bool {
    answer.headers.get("idempotent-replayed").is_some_and(|value| value == "true")
}

/// A site with databases of its own: it counts rows, and exports of other tests deliver what waits in the outboxes that they share.
async fn alone() -> Site {
    Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[])
}

/// Memories, entries and projects that the writes name, and a file to import.
async fn prepare(site: &Site) -> Vec<(&'static str, String)> {
    let fact = |topic: &str, content: &str| json!({ "topic_raw": topic, "content": content, "source": { "platform": "slack" } });
    let entry = |content: &str| json!({ "content": content, "category": "person" });
    let text = |answer: &Answer, pointer: &str| answer.json().pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
    let own = site.atlas("agent_memory_remember", fact("release day", "Releases go out on Tuesday.")).await;
    let other = site.atlas("agent_memory_remember", fact("release owner", "Mina owns the release.")).await;
    let mut names = vec![("{own}", text(&own, "/memory_id")), ("{other}", text(&other, "/memory_id"))];
    for (name, content) in [("{entry}", "Mina drinks coffee"), ("{second}", "Idris lives in Oslo"), ("{third}", "Binky deploys on Mondays")]
    {
        names.push((name, text(&site.atlas("add_to_memory", entry(content)).await, "/memory/id")));
    }
    for slug in ["orchard", "meadow"] {
        let body = json!({ "slug": slug, "name": slug }).to_string();
        let request = Request::post("/api/projects")
            .header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key))
            .header(header::CONTENT_TYPE, "application/json");
        assert_eq!(site.send(request.body(Body::from(body)).unwrap()).await.status, StatusCode::CREATED);
    }
    let source = Request::post("/api/sources")
        .header(header::AUTHORIZATION, format!("Bearer {}", site.world.atlas_key))
        .header(header::CONTENT_TYPE, "text/plain");
    names.push(("{source}", text(&site.send(source.body(Body::from("Vera: I moved to Basel.")).unwrap()).await, "/source_id")));
    names.extend(leaves(site).await);
    names.extend(managed(site).await);
    names.push(("{context}", text(&site.atlas("assemble_context", json!({ "query": "When do releases go out?" })).await, "/id")));
    names.push(("{set}", set_of_expectations(site, text(&other, "/memory_id").parse().unwrap()).await));
    site.world.engine.finish_deferred().await;
    names.push(("{file}", site.get("/api/export", &[(header::AUTHORIZATION, &format!("Bearer {}", site.world.atlas_key))]).await.text));
    names
}

/// A set of expectations with one that a memory meets.
pub async fn set_of_expectations(site: &Site, memory: MemoryId) -> String {
    let new = NewExpectation {
        set: "releases".into(),
        query: "Who owns the release?".into(),
        agent_id: site.world.atlas.agent_id().unwrap(),
        user_id: None,
        memories: vec![memory.into()],
        origin: ExpectationOrigin::Playground,
        note: None,
    };
    expectations::expect(&site.world.engine, &site.world.vera, new).await.unwrap().0.to_string()
}

/// A key, a bot that uses it, an operator, one of an identity provider, a link for another one, and a webhook.
async fn managed(site: &Site) -> [(&'static str, String); 6] {
    let World { engine, system, binky, .. } = &site.world;
    let (key, _) =
        identity::create_key(engine, system, binky.agent_id().unwrap(), "laptop", &[KeyScope::MemoryRead], None, None).await.unwrap();
    let (login, roles) = ("newt@acme.example".to_owned(), vec![OperatorRole::Viewer]);
    identity::create_operator(engine, system, &login, "N", PASSWORD, &roles).await.unwrap();
    let (issuer, provided) = ("https://id.example".to_owned(), "shrew@acme.example".to_owned());
    let roles_there = vec![(site.world.tenant_slug.clone(), OperatorRole::Viewer)];
    let shrew = Identity { issuer, subject: "4711".into(), login: provided.clone(), name: "Shrew".into(), roles: roles_there };
    identity::sign_in_with_provider(engine, &shrew, system.request_id).await.unwrap().unwrap();
    let new = NewInvitation { login: "vole@acme.example".into(), name: "Vole".into(), roles, hours: 1 };
    let invited = identity::invite(engine, system, new).await.unwrap().invitation.id;
    let new = NewWebhook { url: "https://example.org/mate".into(), events: vec![NoticeKind::JobDead], agent: None };
    let webhook = webhooks::add(engine, system, new).await.unwrap().webhook.id;
    let (bot, _) = chat::create_bot(engine, system, key, "telegram").await.unwrap();
    [
        ("{key}", key.to_string()),
        ("{bot}", bot.to_string()),
        ("{login}", login),
        ("{provided}", provided),
        ("{invitation}", invited.to_string()),
        ("{webhook}", webhook.to_string()),
    ]
}

/// Two leaves of a profile.
async fn leaves(site: &Site) -> [(&'static str, String); 2] {
    let world = &site.world;
    let id = world.engine.clock().id();
    let proposal = |key: &str| NewLeaf {
        part: Part::Scaffold,
        connection_id: None,
        path: vec![key.to_owned()],
        value: json!("Bern"),
        listed: false,
        corrects: false,
        cites: vec![Citation { source_id: SourceId(id), event_id: EventId(id), session_id: None, at: world.engine.clock().now() }],
    };
    let drawn = Drawn { new_leaves: ["Home", "Office"].map(proposal).to_vec(), ..Drawn::default() };
    let subject = Subject { agent_id: world.atlas.agent_id().unwrap(), user_id: None };
    let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
    profile::apply(&world.engine, &world.system, &mut tx, subject, drawn).await.unwrap();
    tx.commit().await.unwrap();
    let known = site.atlas("get_user_profile", json!({})).await.json();
    let leaf = |place: usize| known["leaves"][place]["leaf_id"].as_str().unwrap().to_owned();
    [("{leaf}", leaf(0)), ("{second_leaf}", leaf(1))]
}

#[test]
fn every_write_has_a_line() {
    let routes = server::api::routes();
    let writes: BTreeSet<_> =
        routes.iter().filter(|route| route.is_idempotent()).map(|route| (route.method.to_string(), route.path)).collect();
    let listed: BTreeSet<_> = WRITES.iter().map(|write| (write.method.to_string(), write.route)).collect();
    assert_eq!(writes, listed);
    let tools: BTreeSet<_> = tools::all().iter().filter(|tool| tool.effect != Effect::Read).map(|tool| tool.name).collect();
    assert_eq!(tools, WRITES.iter().filter_map(|write| write.path.strip_prefix("/api/tools/")).collect::<BTreeSet<_>>());
}

#[tokio::test]
async fn every_write_is_carried_out_once_under_its_key() {
    let site = alone().await;
    let (names, key) = (prepare(&site).await, site.world.atlas_key.clone());
    for (number, write) in WRITES.iter().enumerate() {
        let idempotency_key = format!("{number}-{}", write.path.replace(['{', '}'], ""));
        let first = write.send(&site, &names, &key, idempotency_key.as_bytes()).await;
        assert_eq!(first.status.as_u16(), write.status, "{}: {}", write.name(), first.text);
        assert!(!replayed(&first), "{}", write.name());

        let rows = site.rows().await;
        let again = write.send(&site, &names, &key, idempotency_key.as_bytes()).await;
        assert!(replayed(&again), "{}: {}", write.name(), again.text);
        assert_eq!(again.status, first.status, "{}", write.name());
        if let Some((_, field)) = SECRETS.iter().find(|(route, _)| *route == write.route) {
            let (mut shown, repeated) = (first.json(), again.json());
            let secret = shown[*field].take();
            assert!(secret.is_string() && shown == repeated, "{}: {} is shown once", write.name(), again.text);
        // The answer to a command quotes what it deleted, which is erased.
        } else if write.route != "/api/commands/memory" {
            assert_eq!(again.text, first.text, "{}", write.name());
        }
        assert_eq!(site.rows().await, rows, "{} wrote something the second time", write.name());
    }
}

#[tokio::test]
async fn a_key_with_another_request_is_refused_and_changes_nothing() {
    let site = alone().await;
    let (names, key) = (prepare(&site).await, site.world.atlas_key.clone());
    let [one, other] = ["Black, no sugar.", "White, two sugars."]
        .map(|content| json!({ "topic_raw": "tea", "content": content, "source": { "platform": "slack" } }).to_string());
    let remember = |body: &str| {
        Request::post("/api/tools/agent_memory_remember")
            .header(header::AUTHORIZATION, format!("Bearer {key}"))
            .header(header::CONTENT_TYPE, "application/json")
            .header("Idempotency-Key", "tea")
            .body(Body::from(body.to_owned()))
            .unwrap()
    };
    assert_eq!(site.send(remember(&one)).await.status, StatusCode::OK);
    let rows = site.rows().await;
    let refused = site.send(remember(&other)).await;
    assert_eq!((refused.status.as_u16(), refused.error().0.as_str()), (422, "key_reused"));
    assert_eq!(site.rows().await, rows);
    // The key of another operation, or of another agent, is another key.
    assert_eq!(WRITES.last().unwrap().send(&site, &names, &key, b"tea").await.status, StatusCode::OK);
    let of_binky = Request::post("/api/tools/agent_memory_remember")
        .header(header::AUTHORIZATION, format!("Bearer {}", site.world.binky_key))
        .header(header::CONTENT_TYPE, "application/json")
        .header("Idempotency-Key", "tea");
    let stored = site.send(of_binky.body(Body::from(other)).unwrap()).await;
    assert_eq!((stored.status, replayed(&stored)), (StatusCode::OK, false));
}

#[tokio::test]
async fn a_key_that_cannot_be_one_is_refused_before_anything_is_done() {
    let site = alone().await;
    let (names, key) = (prepare(&site).await, site.world.atlas_key.clone());
    let rows = site.rows().await;
    for bad in [&b""[..], &[b'k'; 256], &[b'k'; 10_240], b"two words", b"\xc3\xa9"] {
        for (write, status) in [(&WRITES[0], 422), (&WRITES[11], 400)] {
            let refused = write.send(&site, &names, &key, bad).await;
            assert_eq!(refused.status.as_u16(), status, "{}", refused.text);
            assert_eq!(refused.error(), ("invalid".into(), Some("Idempotency-Key".into())));
        }
    }
    let twice = Request::post("/api/tools/agent_memory_remember")
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .header("Idempotency-Key", "a")
        .header("Idempotency-Key", "b");
    assert_eq!(site.send(twice.body(Body::from("{}")).unwrap()).await.error().1.as_deref(), Some("Idempotency-Key"));
    assert_eq!(site.rows().await, rows);
    // Nobody learns from it whether a key of ours is valid.
    assert_eq!(WRITES[11].send(&site, &names, "rmb_no_such", &[b'k'; 256]).await.status, StatusCode::UNAUTHORIZED);
    // A request that only reads has no use for one.
    let headers = [(header::AUTHORIZATION, &*format!("Bearer {key}")), (header::HeaderName::from_static("idempotency-key"), "two words")];
    assert_eq!(site.get("/api/memory/", &headers).await.status, StatusCode::OK);
}
