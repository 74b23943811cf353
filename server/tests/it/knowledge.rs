//! Knowledge and prompts over HTTP.

use crate::harness::{Answer, Site, token};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use foundation::identity;
use foundation::testing::{PASSWORD, key};
use remembrancer::knowledge;
use serde_json::{Value, json};
use wire::{AgentSettings, Discipline, KeyScope, OperatorRole};

async fn post(site: &Site, key: &str, body: impl Into<Body>) -> Answer {
    let request = Request::post("/api/kb/documents")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .body(body.into())
        .unwrap();
    site.send(request).await
}

async fn get(site: &Site, path: &str) -> Answer {
    site.get(path, &[(header::AUTHORIZATION, &format!("Bearer {}", site.world.atlas_key))]).await
}

fn document(path: &str, content: &str) -> Value {
    json!({ "collection": "wiki", "documents": [{ "path": path, "content": content }] })
}

const ADR: &str =
    "---\nid: ADR-001\ntitle: Tea before coffee\nstatus: accepted\n---\n\n# Tea\n\n## Decision\n\nThe kitchen serves tea first.\n";

#[tokio::test]
async fn a_document_goes_in_and_its_index_comes_out() {
    let site = Site::new().await;
    let report = post(&site, &site.world.atlas_key, document("docs/adr/0001-tea.md", ADR).to_string()).await;
    assert_eq!((report.status, report.json()["added"].clone()), (StatusCode::OK, json!(1)), "{}", report.text);
    let again = post(&site, &site.world.atlas_key, document("docs/adr/0001-tea.md", ADR).to_string()).await.json();
    assert_eq!((again["unchanged"].clone(), again["failures"].clone()), (json!(1), json!([])));
    let pages = get(&site, "/api/kb/index").await.json();
    assert_eq!(pages["pages"][0]["path"], "docs/adr/INDEX.md");
    let page = get(&site, "/api/kb/index?path=docs/adr/INDEX.md").await;
    assert!(page.header(header::CONTENT_TYPE).starts_with("text/markdown"));
    assert!(page.text.contains("ADR-001") && page.text.contains("Tea before coffee"), "{}", page.text);
    assert_eq!(get(&site, "/api/kb/index?path=nowhere.md").await.status, StatusCode::NOT_FOUND);
    let answer = site.atlas("shared_kb_search", json!({ "query": "The kitchen serves tea first." })).await.json();
    assert_eq!(answer["hits"][0]["adr_id"], "ADR-001", "{answer}");
}

#[tokio::test]
async fn bad_documents_are_named_and_the_rest_goes_in() {
    let site = Site::new().await;
    let body = json!({ "collection": "wiki", "documents": [
        { "path": "good.md", "content": "# Good\n\nText." },
        { "path": "../out.md", "content": "# Out" },
        { "path": "bad.md", "content": "---\ntitle: [unclosed\n---\n\n# Bad" },
    ] });
    let report = post(&site, &site.world.atlas_key, body.to_string()).await.json();
    let failed: Vec<_> = report["failures"].as_array().unwrap().iter().map(|failure| failure["path"].as_str().unwrap()).collect();
    assert_eq!((report["added"].clone(), failed), (json!(1), vec!["../out.md", "bad.md"]));
}

#[tokio::test]
async fn invalid_requests_leave_nothing() {
    let site = Site::new().await;
    let before = site.rows().await;
    let many: Vec<_> = (0..101).map(|n| json!({ "path": format!("{n}.md"), "content": "x" })).collect();
    for (body, field) in [
        ("{".to_owned(), "body"),
        (json!({ "documents": [] }).to_string(), "documents"),
        (json!({ "documents": many }).to_string(), "documents"),
        (json!({ "documents": [{ "path": "a.md" }] }).to_string(), "documents[0].content"),
        (json!({ "documents": [{ "path": "a.md", "content": "x" }], "mood": 1 }).to_string(), "mood"),
        (json!({ "collection": "", "documents": [{ "path": "a.md", "content": "x" }] }).to_string(), "collection"),
        (json!({ "documents": [{ "path": "a.md", "content": "x\0" }] }).to_string(), "documents[0].content"),
    ] {
        let refused = post(&site, &site.world.atlas_key, body.clone()).await;
        assert_eq!((refused.status, refused.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some(field)), "{body} {}", refused.text);
    }
    let huge = post(&site, &site.world.atlas_key, vec![b' '; server::api::KNOWLEDGE_BODY_MAX + 1]).await;
    assert_eq!(huge.status, StatusCode::PAYLOAD_TOO_LARGE);
    let (_, reader) = key(&site.world.engine, &site.world.system, site.world.atlas.agent_id().unwrap(), &[KeyScope::KbRead]).await;
    let keys = site.rows().await;
    assert_eq!(post(&site, &reader, document("a.md", "# A\n\nx").to_string()).await.status, StatusCode::FORBIDDEN);
    assert_eq!(site.rows().await, keys);
    let kept = |rows: &[(String, i64)]| {
        rows.iter().filter(|(table, _)| table != "api_keys" && !table.starts_with("audit_")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(kept(&keys), kept(&before));
}

#[tokio::test]
async fn prompts_come_with_the_names_of_the_tools_and_the_agents_own_discipline() {
    let site = Site::new().await;
    let prompts = get(&site, "/api/prompts").await.json();
    let names: Vec<_> = prompts["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["recall", "write", "vocabulary", "capture", "decision_points"]);
    assert!(prompts["prompts"][0]["text"].as_str().unwrap().contains("`agent_memory_recall`"));
    let world = &site.world;
    let confirming = AgentSettings { discipline: Some(Discipline::Confirming), ..AgentSettings::default() };
    identity::put_agent(&world.engine, &world.system, "atlas", confirming).await.unwrap();
    let prompts = get(&site, "/api/prompts").await.json();
    let names: Vec<_> = prompts["prompts"].as_array().unwrap().iter().map(|prompt| prompt["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["recall", "write_confirming", "vocabulary", "capture", "decision_points"]);
    let text = prompts["prompts"][1]["text"].as_str().unwrap();
    assert!(text.contains("`add_to_memory`") && text.contains("`update_memory`"), "{text}");
}

/// A form with files, as a browser sends it.
pub async fn upload(site: &Site, cookie: &str, fields: &[(&str, Option<&str>, &str)]) -> Answer {
    let mut body = String::new();
    let token = token(cookie, "/console/upload");
    let token = token.as_deref().map(|token| (app::FORM_TOKEN, None, token));
    for (name, file, value) in token.iter().chain(fields) {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body.push_str(&format!("--tea\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n{value}\r\n"));
    }
    body.push_str("--tea--\r\n");
    let request = Request::post("/console/upload")
        .header("sec-fetch-site", "same-origin")
        .header(header::COOKIE, cookie)
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=tea")
        .body(Body::from(body))
        .unwrap();
    site.send(request).await
}

#[tokio::test]
async fn uploaded_files_are_ingested_and_each_shows_what_became_of_it() {
    let site = Site::new().await;
    let world = &site.world;
    let (_, cookie) = crate::console::sign_in(&site, &world.login, PASSWORD).await;
    let fields = [
        ("collection", None, "wiki"),
        ("files", Some("good.md"), "# Good\n\nMina shows newcomers around."),
        ("files", Some("bad.md"), "---\ntitle: [unclosed\n---\n\n# Bad"),
        ("files", Some(""), ""),
        ("name", None, "notes"),
        ("text", None, "# Notes\r\n\r\nTea at four."),
    ];
    let answer = upload(&site, &cookie, &fields).await;
    assert_eq!((answer.status, answer.header(header::LOCATION)), (StatusCode::SEE_OTHER, "/knowledge/upload"), "{}", answer.text);
    let page = site.get("/knowledge/upload", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await.text;
    for shown in ["3 files for “wiki”: 2 added, 1 failed.", "good.md", "notes.md", "bad.md", "Line 2:"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let stored = knowledge::documents(&world.engine, &world.vera, &Default::default()).await.unwrap();
    let mut stored: Vec<_> = stored.rows.iter().map(|row| (row.collection.as_str(), row.path.as_str())).collect();
    stored.sort_unstable();
    assert_eq!(stored, [("wiki", "good.md"), ("wiki", "notes.md")]);

    // The same again changes nothing, and a mistake is named.
    upload(&site, &cookie, &fields[..2]).await;
    let page = site.get("/knowledge/upload", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await.text;
    assert!(page.contains("1 file for “wiki”: 1 unchanged."), "{page}");
    upload(&site, &cookie, &fields[1..2]).await;
    let page = site.get("/knowledge/upload", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await.text;
    assert!(page.contains("choose a collection, or name a new one"), "{page}");
}

#[tokio::test]
async fn an_uploaded_page_is_linked_replaced_downloaded_and_retired() {
    let site = Site::new().await;
    let world = &site.world;
    let (_, cookie) = crate::console::sign_in(&site, &world.login, PASSWORD).await;
    let show = async |path: &str| site.get(path, &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    let current = async || knowledge::documents(&world.engine, &world.vera, &Default::default()).await.unwrap().rows;
    let version = |text| [("collection", None, "wiki"), ("path", None, "tea/rules.html"), ("files", Some("new rules.html"), text)];
    upload(&site, &cookie, &version("<title>Tea</title><p>Mina pours.</p>")).await;
    let first = current().await.remove(0);
    assert_eq!((first.path.as_str(), first.title.as_str()), ("tea/rules.html", "Tea"));
    let link = format!("/knowledge/documents/{}", first.id);
    assert!(show("/knowledge/upload").await.text.contains(&format!("href=\"{link}\"")), "the result leads to its document");

    upload(&site, &cookie, &version("<title>Tea</title><p>Idris pours.</p>")).await;
    let second = current().await;
    assert_eq!((second.len(), second[0].path.as_str()), (1, "tea/rules.html"));
    assert_ne!(second[0].id, first.id);
    let old = show(&link).await.text;
    assert!(old.contains("Show the current text") && !old.contains("Retire document"), "{old}");

    let link = format!("/knowledge/documents/{}", second[0].id);
    let file = show(&format!("{link}/document.md")).await;
    assert_eq!((file.header(header::CONTENT_TYPE), file.text.as_str()), ("text/markdown; charset=utf-8", "# Tea\n\nIdris pours.\n"));
    assert_eq!(file.header(header::CONTENT_DISPOSITION), "attachment; filename=\"rules.md\"");
    let body = format!("id={}&reason=nobody+drinks+it", second[0].id);
    assert!(crate::console::form(&site, "retire_document", &cookie, &body).await.status.is_success());
    assert!(current().await.is_empty());
    let retired = show(&link).await.text;
    assert!(retired.contains("Recalls no longer find this text") && retired.contains("Upload a new version"), "{retired}");
}

#[tokio::test]
async fn only_a_reviewer_of_this_site_uploads() {
    let site = Site::new().await;
    let world = &site.world;
    let fields = [("collection", None, "wiki"), ("files", Some("good.md"), "# Good\n\nText.")];
    assert_eq!(upload(&site, "", &fields).await.header(header::LOCATION), "/sign-in?next=/knowledge/upload");
    let login = format!("mina@{}", world.tenant_slug);
    let roles = [OperatorRole::Viewer, OperatorRole::Operator];
    identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &roles).await.unwrap();
    let (_, mina) = crate::console::sign_in(&site, &login, PASSWORD).await;
    upload(&site, &mina, &fields).await;
    let page = site.get("/knowledge/upload", &[(header::COOKIE, &mina), (header::ACCEPT, "text/html")]).await.text;
    assert!(page.contains("This needs the role reviewer."), "the refusal names the role: {page}");
    let (_, vera) = crate::console::sign_in(&site, &world.login, PASSWORD).await;
    let foreign = Request::post("/console/upload").header("sec-fetch-site", "cross-site").header(header::COOKIE, &vera).body(Body::empty());
    assert_eq!(site.send(foreign.unwrap()).await.status, StatusCode::FORBIDDEN);
    assert_eq!(knowledge::documents(&world.engine, &world.vera, &Default::default()).await.unwrap().total, 0);
}
