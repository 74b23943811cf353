//! Export and import over HTTP, from the console and on the command line.

use crate::console::sign_in;
use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use db::clock::SystemClock;
use foundation::identity;
use foundation::testing::{PASSWORD, TestDatabases, World, fact, key};
use http_body_util::BodyExt;
use portability::Selection;
use remembrancer::knowledge::{self, Extent, Ingestion};
use remembrancer::memories;
use remembrancer::vocabulary::{self, NewTerm};
use serde_json::json;
use std::collections::BTreeSet;
use std::process::{Command, Output};
use tower::ServiceExt;
use wire::{KeyScope, OperatorRole, RememberRequest};

async fn export(site: &Site, key: &str) -> Answer {
    site.get("/api/export", &[(header::AUTHORIZATION, &format!("Bearer {key}"))]).await
}

async fn import(site: &Site, key: &str, query: &str, body: impl Into<Body>) -> Answer {
    let request = Request::post(format!("/api/import{query}"))
        .header(header::CONTENT_TYPE, "application/x-ndjson")
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .body(body.into())
        .unwrap();
    site.send(request).await
}

async fn remember(world: &World, topic: &str, content: &str) {
    memories::remember(&world.engine, &world.atlas, fact(topic, content)).await.unwrap();
}

#[tokio::test]
async fn an_agent_takes_its_memory_out_and_in() {
    let site = Site::new().await;
    let (world, atlas) = (&site.world, &site.world.atlas_key);
    for n in 0..300 {
        remember(world, &format!("topic {n}"), &format!("Fact number {n} is {}.", "long ".repeat(50))).await;
    }
    let answer = export(&site, atlas).await;
    assert_eq!((answer.status, answer.header(header::CONTENT_TYPE)), (StatusCode::OK, "application/x-ndjson"));
    assert!(answer.text.lines().last().unwrap().contains("\"type\":\"footer\""), "more than one piece, to the end");
    let report = import(&site, atlas, "", answer.text.clone()).await;
    assert_eq!(
        (report.status, report.json()["lines"]["memory"].clone()),
        (StatusCode::OK, json!({ "added": 0, "updated": 0, "unchanged": 300 }))
    );
    assert_eq!(import(&site, atlas, "?dry_run=true", answer.text.clone()).await.json()["dry_run"], true);
    let cut = import(&site, atlas, "", answer.text[..answer.text.len() / 2].to_owned()).await;
    assert_eq!(cut.status, StatusCode::BAD_REQUEST);
    assert!(cut.error().1.unwrap().starts_with("line ") && cut.text.contains("cut off"), "{}", cut.text);
    assert_eq!(import(&site, &world.binky_key, "", answer.text.clone()).await.status, StatusCode::BAD_REQUEST, "binky is not atlas");
}

#[tokio::test]
async fn invalid_requests_are_refused() {
    let site = Site::new().await;
    let (world, atlas) = (&site.world, &site.world.atlas_key);
    let (_, reader) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::MemoryRead]).await;
    assert_eq!(export(&site, &reader).await.status, StatusCode::FORBIDDEN);
    assert_eq!(import(&site, &reader, "", "x").await.status, StatusCode::FORBIDDEN);
    assert_eq!(import(&site, atlas, "?dry_run=perhaps", "x").await.error().1.as_deref(), Some("dry_run"));
    assert_eq!(import(&site, atlas, "?dryrun=true", "x").await.error().1.as_deref(), Some("dry_run"), "a slip does not write");
    let json = Request::post("/api/import")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, format!("Bearer {atlas}"));
    assert_eq!(site.send(json.body(Body::from("{}")).unwrap()).await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(import(&site, atlas, "", "").await.error().1.as_deref(), Some("line 1"));
}

#[tokio::test]
async fn an_admin_downloads_what_a_filter_shows_and_nobody_else_does() {
    let site = Site::new().await;
    let world = &site.world;
    remember(world, "tea", "Vera likes black tea").await;
    remember(world, "lift", "The lift is out of order").await;
    let (_, vera) = sign_in(&site, &world.login, PASSWORD).await;
    let get = |path: &'static str, cookie: String| {
        let site = &site;
        async move { site.get(path, &[(header::COOKIE, &cookie)]).await }
    };
    let all = get("/export.jsonl", vera.clone()).await;
    assert!(all.status == StatusCode::OK && all.text.contains("black tea") && all.text.contains("out of order"), "{all:?}");
    assert_eq!(all.header(header::CACHE_CONTROL), "no-store");
    assert!(all.header(header::CONTENT_DISPOSITION).starts_with("attachment"));
    let tea = get("/export.jsonl?topic=tea", vera.clone()).await;
    assert!(tea.text.contains("black tea") && !tea.text.contains("out of order"), "{}", tea.text);
    for (path, field) in [("/export.jsonl?topik=tea", "topik"), ("/export.jsonl?deleted=perhaps", "filter"), ("/export.jsonl?q=tea", "q")] {
        let refused = get(path, vera.clone()).await;
        assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some(field)), "{path}");
    }
    let mina = identity::add_user(&world.engine, &world.system, "crm-mina", Some("Mina"), None).await.unwrap().id;
    let milk = RememberRequest { user_id: Some(mina.into()), ..fact("milk", "Mina takes oat milk") };
    memories::remember(&world.engine, &world.atlas, milk).await.unwrap();
    for path in ["/export.jsonl?person=mina", "/export.jsonl?person=crm-mina", "/export.jsonl?user_id=mina"] {
        let theirs = get(path, vera.clone()).await;
        assert!(theirs.text.contains("oat milk") && !theirs.text.contains("black tea"), "{path}: {}", theirs.text);
    }
    for (path, field) in [("/export.jsonl?person=idris", "user_id"), ("/export.jsonl?person=mina&topic=tea", "person")] {
        let refused = get(path, vera.clone()).await;
        assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some(field)), "{path}");
    }
    let stranger = get("/export.jsonl", String::new()).await;
    assert!(stranger.status.is_redirection() && stranger.header(header::LOCATION).starts_with("/sign-in"), "{stranger:?}");
    let login = format!("mina@{}", world.tenant_slug);
    identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &[OperatorRole::Viewer, OperatorRole::Operator])
        .await
        .unwrap();
    let (_, mina) = sign_in(&site, &login, PASSWORD).await;
    assert_eq!(get("/export.jsonl", mina).await.status, StatusCode::FORBIDDEN);
}

/// The types of the lines between header and footer, each once.
fn types(text: &str) -> BTreeSet<String> {
    let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].as_str().unwrap().to_owned();
    text.lines().map(value).filter(|kind| kind != "header" && kind != "footer").collect()
}

/// A term with an alias and a document.
async fn know(world: &World) {
    let new = NewTerm { term: "secret store", aliases: &["vault"], ..NewTerm::default() };
    vocabulary::add(&world.engine, &world.system, new).await.unwrap();
    let files = vec![("a.md".to_owned(), b"# A\n\nThe kettle is red.\n".to_vec())];
    let ingestion = Ingestion { collection: "acme".into(), files, extent: Extent::Whole, revision: None, dry_run: false, failures: vec![] };
    knowledge::ingest(&world.engine, &world.system, ingestion, &|_, _| {}).await.unwrap();
}

fn names(types: &[&str]) -> BTreeSet<String> {
    types.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn an_admin_downloads_vocabulary_and_knowledge_and_no_agent_brings_them() {
    let site = Site::new().await;
    let world = &site.world;
    know(world).await;
    remember(world, "vault", "Tokens rotate on Mondays").await;
    let (_, vera) = sign_in(&site, &world.login, PASSWORD).await;
    let get = |path: &'static str| {
        let (site, vera) = (&site, vera.clone());
        async move { site.get(path, &[(header::COOKIE, &vera)]).await }
    };
    let all = get("/export.jsonl").await.text;
    let memory = names(&["agent", "event", "memory", "version"]);
    let shared = names(&["alias", "chunk", "decision", "document", "term"]);
    assert_eq!(types(&all), memory.union(&shared).cloned().collect());
    assert_eq!(types(&get("/export.jsonl?only=vocabulary").await.text), names(&["alias", "decision", "term"]));
    assert_eq!(types(&get("/export.jsonl?only=knowledge,vocabulary").await.text), shared);
    assert_eq!(types(&get("/export.jsonl?only=memory").await.text), memory);
    assert_eq!(types(&get("/export.jsonl?topic=secret").await.text), names(&["agent", "memory", "version"]));
    for path in ["/export.jsonl?only=dreams", "/export.jsonl?only=memory&topic=tea"] {
        let refused = get(path).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path}: {refused:?}");
        assert_eq!(refused.error().1.as_deref(), Some("only"), "{path}");
    }
    let own = export(&site, &world.atlas_key).await;
    assert_eq!(types(&own.text), memory, "an agent's key exports its own memory alone");
    let refused = import(&site, &world.atlas_key, "", all.clone()).await;
    let line = all.lines().position(|line| line.contains("\"type\":\"term\"")).unwrap() + 1;
    assert_eq!((refused.status, refused.error().1), (StatusCode::BAD_REQUEST, Some(format!("line {line}"))));
    assert!(refused.text.contains("is a term of the shared vocabulary: only an admin can import it"), "{}", refused.text);
}

#[tokio::test]
async fn the_command_line_moves_vocabulary_and_knowledge() {
    let world = World::on(TestDatabases::fresh(&SystemClock).await).await;
    know(&world).await;
    remember(&world, "boiler", "The boiler is descaled in March").await;
    let there = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let elsewhere = identity::create_tenant(&there.engine, "elsewhere", "Elsewhere").await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("acme.jsonl").to_string_lossy().into_owned();
    let export = |more: &[&str]| command(&world, &[&["export", "--tenant", &world.tenant_slug], more].concat());
    let written = |more: &[&str]| types(&String::from_utf8(export(more).stdout).unwrap());
    let vocabulary = names(&["agent", "alias", "decision", "proposal", "proposal_memory", "term"]);
    assert_eq!(written(&["--only", "vocabulary"]), vocabulary, "the proposal was delivered first");
    let shared: BTreeSet<String> = vocabulary.union(&names(&["chunk", "document"])).cloned().collect();
    assert_eq!(written(&["--only", "vocabulary,knowledge"]), shared);
    assert_eq!(written(&["--only", "knowledge", "--only", "vocabulary"]), shared);
    for wrong in [&["--only", "dreams"][..], &["--only", "memory", "--agent", "atlas"], &["--only", "memory", "--markdown", "x"]] {
        let refused = export(wrong);
        assert!(!refused.status.success() && text_of(&refused).contains("--only"), "{}", text_of(&refused));
    }
    assert!(text_of(&export(&["--help"])).contains("Areas to export, separated by commas: memory, vocabulary, knowledge, activity"));

    let done = export(&["--out", &file]);
    assert!(done.status.success() && text_of(&done).contains("1 document") && text_of(&done).contains("1 term"), "{}", text_of(&done));
    let done = command(&there, &["import", &file, "--tenant", "elsewhere"]);
    assert!(done.status.success() && text_of(&done).contains("chunk: 1 added"), "{}", text_of(&done));
    let mut again = Vec::new();
    portability::export(&there.engine, &elsewhere, &Selection::All, &mut again, &|_| {}).await.unwrap();
    let lines =
        |text: &str| text.lines().skip(1).filter(|line| !line.contains("\"type\":\"footer\"")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&String::from_utf8(again).unwrap()), lines(&std::fs::read_to_string(&file).unwrap()));
    // The command makes the vectors, those of knowledge, too.
    let documents = knowledge::documents(&there.engine, &elsewhere, &Default::default()).await.unwrap().rows;
    assert_eq!((documents.len(), documents[0].embedded), (1, 1));
}

fn command(world: &World, arguments: &[&str]) -> Output {
    let urls = world.engine.urls();
    Command::new(env!("CARGO_BIN_EXE_remembrancer"))
        .args(arguments)
        .env("AGENT_MEMORY_DATABASE_URL", &urls.agent_memory)
        .env("SHARED_KB_DATABASE_URL", &urls.shared_kb)
        .env("INTERNAL_SHARED_DATABASE_URL", &urls.internal_shared)
        .env_remove("PUBLIC_URL")
        .output()
        .unwrap()
}

fn text_of(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[tokio::test]
async fn the_command_line_moves_a_tenant_to_another_machine() {
    let world = World::new().await;
    remember(&world, "tea", "Vera likes black tea").await;
    let there = World::on(TestDatabases::fresh(&SystemClock).await).await;
    let elsewhere = identity::create_tenant(&there.engine, "elsewhere", "Elsewhere").await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let file = path("acme.jsonl");

    let done = command(&world, &["export", "--tenant", &world.tenant_slug, "--out", &file]);
    assert!(done.status.success() && text_of(&done).contains("1 memory"), "{}", text_of(&done));
    let text = std::fs::read_to_string(&file).unwrap();
    let piped = command(&world, &["export", "--tenant", &world.tenant_slug, "--agent", "atlas"]);
    let piped = String::from_utf8(piped.stdout).unwrap();
    assert!(piped.contains("black tea") && !piped.contains("\"slug\":\"binky\""), "{piped}");

    let dry = command(&there, &["import", &file, "--tenant", "elsewhere", "--dry-run"]);
    assert!(dry.status.success() && text_of(&dry).contains("would be: memory: 1 added"), "{}", text_of(&dry));
    let done = command(&there, &["import", &file, "--tenant", "elsewhere"]);
    assert!(done.status.success() && text_of(&done).contains("memory: 1 added"), "{}", text_of(&done));
    let mut again = Vec::new();
    portability::export(&there.engine, &elsewhere, &Selection::All, &mut again, &|_| {}).await.unwrap();
    let lines =
        |text: &str| text.lines().skip(1).filter(|line| !line.contains("\"type\":\"footer\"")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&String::from_utf8(again).unwrap()), lines(&text));

    std::fs::write(path("half.jsonl"), &text[..text.len() / 2]).unwrap();
    let cut = command(&there, &["import", &path("half.jsonl"), "--tenant", "elsewhere"]);
    assert!(!cut.status.success() && text_of(&cut).contains("cut off"), "{}", text_of(&cut));
    let read = command(&there, &["export", "--tenant", "elsewhere", "--markdown", &path("read")]);
    assert!(read.status.success() && folder.path().join("read/atlas/INDEX.md").exists(), "{}", text_of(&read));
    let wrong = command(&there, &["export", "--tenant", "elsewhere", "--agent", "nobody", "--out", &path("none")]);
    assert!(!wrong.status.success() && !folder.path().join("none").exists(), "{}", text_of(&wrong));
}

/// Enough memories that no pipe between server and client holds the export.
async fn many(world: &World) {
    for n in 0..300 {
        remember(world, &format!("topic {n}"), &format!("Fact number {n} is {}.", "long ".repeat(50))).await;
    }
}

async fn begin_export(site: &Site, key: &str) -> Response {
    let request = Request::get("/api/export").header(header::HOST, "localhost").header(header::AUTHORIZATION, format!("Bearer {key}"));
    site.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

#[tokio::test]
async fn a_second_export_with_a_key_waits_for_the_first() {
    let site = Site::new().await;
    let (world, atlas) = (&site.world, &site.world.atlas_key);
    many(world).await;
    let first = begin_export(&site, atlas).await;
    assert_eq!(first.status(), StatusCode::OK);
    let second = export(&site, atlas).await;
    assert_eq!((second.status, second.header(header::RETRY_AFTER)), (StatusCode::TOO_MANY_REQUESTS, "5"));
    assert!(second.text.contains("an export with this key or by this operator is under way; try again in 5 s"), "{}", second.text);
    assert_eq!(export(&site, &world.binky_key).await.status, StatusCode::OK, "binky has a turn of its own");
    assert!(String::from_utf8_lossy(&first.into_body().collect().await.unwrap().to_bytes()).contains("\"type\":\"footer\""));
    assert_eq!(export(&site, atlas).await.status, StatusCode::OK);

    let (_, vera) = sign_in(&site, &world.login, PASSWORD).await;
    let download =
        || Request::get("/export.jsonl").header(header::HOST, "localhost").header(header::COOKIE, &vera).body(Body::empty()).unwrap();
    let first = site.router.clone().oneshot(download()).await.unwrap();
    assert_eq!(first.status(), StatusCode::OK);
    assert_eq!(site.send(download()).await.status, StatusCode::TOO_MANY_REQUESTS, "an operator has one turn, too");
    first.into_body().collect().await.unwrap();
    assert_eq!(site.send(download()).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_dropped_and_its_transaction_ends() {
    let site = Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[("TRANSFER_STALL_SECONDS", "0")]);
    many(&site.world).await;
    let stalled = begin_export(&site, &site.world.atlas_key).await;
    // The pipe is full and nobody reads: the engine returns its connection, for which closing waits.
    site.world.engine.db().close().await;
    assert!(stalled.into_body().collect().await.is_err(), "the file is not whole");
}

#[tokio::test]
async fn a_second_import_with_a_key_waits_for_the_first() {
    let site = Site::new().await;
    let atlas = &site.world.atlas_key;
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel::<Vec<u8>>();
    let asked = std::sync::Arc::new(tokio::sync::Notify::new());
    let polled = std::sync::Arc::clone(&asked);
    let body = Body::from_stream(futures_util::stream::poll_fn(move |context| {
        polled.notify_one();
        receiver.poll_recv(context).map(|part| part.map(Ok::<_, std::io::Error>))
    }));
    let first = import(&site, atlas, "", body);
    let others = async {
        asked.notified().await;
        let second = import(&site, atlas, "", "x").await;
        assert_eq!((second.status, second.header(header::RETRY_AFTER)), (StatusCode::TOO_MANY_REQUESTS, "5"));
        assert!(second.text.contains("an import with this key is under way"), "{}", second.text);
        assert_eq!(import(&site, &site.world.binky_key, "", "x").await.status, StatusCode::BAD_REQUEST, "binky has a turn of its own");
        drop(sender);
    };
    let (first, ()) = tokio::join!(first, others);
    assert_eq!(first.error().1.as_deref(), Some("line 1"));
    assert_eq!(import(&site, atlas, "", "x").await.status, StatusCode::BAD_REQUEST, "the turn was given back");
}

#[tokio::test]
async fn an_import_that_sends_nothing_is_dropped_and_one_without_the_right_to_write_is_refused() {
    let site = Site::with(&[("TRANSFER_STALL_SECONDS", "0")]).await;
    let never = Body::from_stream(futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let dropped = import(&site, &site.world.atlas_key, "", never).await;
    assert_eq!((dropped.status, dropped.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some("body")));
    assert!(dropped.text.contains("no byte arrived for 0 s"), "{}", dropped.text);
    let world = &site.world;
    let (_, exporter) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), &[KeyScope::Export]).await;
    let refused = import(&site, &exporter, "", "x").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(refused.text.contains("memory:write"), "{}", refused.text);
}

#[tokio::test]
async fn the_command_line_verifies_the_audit_chain_against_an_anchor() {
    let world = World::new().await;
    let verify = |expected: &[&str]| command(&world, &[&["audit", "verify", "--tenant", &world.tenant_slug], expected].concat());
    let whole = verify(&[]);
    assert!(whole.status.success(), "{}", text_of(&whole));
    let text = String::from_utf8(whole.stdout).unwrap();
    let anchor = text.lines().last().unwrap().strip_prefix("anchor ").unwrap();
    assert!(verify(&["--expect", anchor]).status.success());
    let (entries, hash) = anchor.split_once(':').unwrap();
    let longer = verify(&["--expect", &format!("{}:{hash}", entries.parse::<i64>().unwrap() + 1)]);
    assert!(!longer.status.success() && text_of(&longer).contains("its end was cut off"), "{}", text_of(&longer));
    let other = verify(&["--expect", &format!("{entries}:{}", "0".repeat(64))]);
    assert!(!other.status.success() && text_of(&other).contains("it was rewritten"), "{}", text_of(&other));
    let wrong = verify(&["--expect", "12"]);
    assert!(!wrong.status.success() && text_of(&wrong).contains("must be <number of entries>:<hash>"), "{}", text_of(&wrong));
}
