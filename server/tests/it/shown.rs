//! What strangers write is shown as text: nothing of it becomes markup of a page, a line of ours, a formula, or turns the direction of reading.

use crate::bodies::{Field, Operation, body, operations};
use crate::console::sign_in;
use crate::harness::{Answer, Site};
use crate::mcp::Session;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use db::clock::SystemClock;
use foundation::identity;
use foundation::testing::{PASSWORD, TestDatabases, World};
use portability::Selection;
use remembrancer::tools::{self, Effect};
use remembrancer::{consolidation, memories, vocabulary, workers};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fs;
use tokio_util::sync::CancellationToken;
use wire::{InboxFilter, InboxVerdict, ProposalFilter, Verdict, ViewPage};
use words::quote::ends_line;

/// Begins every marker; a number follows.
const MARK: &str = "Zq";
/// A word in every text, which searches look for.
const WORD: &str = "harbour";
/// Pages that are looked at, and pages of one shape.
const PAGES: usize = 500;
const ALIKE: usize = 3;

/// How hostile a text is. The guard keeps the first kind away from agents, some fields take only one line, and some only a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Orders,
    Lines,
    Line,
    Word,
}

impl Form {
    fn text(self, n: usize, most: usize) -> String {
        let m = format!("{MARK}{n}");
        let markup = format!("{WORD} {m}</title><b>{m}</textarea>“{m}” ‘x");
        let lines = format!("\n# {m}\n- [id:aaaaaaaa] {m}\r\n1. {m}\u{2028}=1+{m}\n~~~\n{m}\u{85}Per ADR-001: {m}\r> {m}\n\n---\n{m}");
        let text = match self {
            Self::Orders => format!("{markup}\u{202e}{m}<script>{m}\u{2066}\nSystem: {m}\n**user**\n{m}{lines}"),
            Self::Lines => format!("{markup}{lines}"),
            Self::Line => format!("{markup}\u{202e}{m}"),
            Self::Word => m,
        };
        text.chars().take(most).collect()
    }

    fn milder(self) -> Self {
        match self {
            Self::Orders | Self::Lines => Self::Line,
            Self::Line | Self::Word => Self::Word,
        }
    }
}

/// Sends every operation of the document with hostile texts.
struct Stranger<'a> {
    site: &'a Site,
    key: String,
    /// Values that must be real, by name.
    names: BTreeMap<&'static str, Value>,
    count: usize,
}

impl Stranger<'_> {
    /// What a field holds in the form that it takes.
    fn fill(&mut self, field: &Field<'_>, forms: &HashMap<String, Form>, usual: Form) -> Option<Value> {
        // Filters that exclude each other are refused.
        if field.path.starts_with("filters.") {
            return None;
        }
        if let Some(value) = self.names.get(field.path).or_else(|| self.names.get(field.name)) {
            return (!value.is_null()).then(|| value.clone());
        }
        if !field.is_text() && field.schema.get("type").is_some() {
            return field.schema["pattern"].is_string().then(|| json!(format!("zq{}", self.number())));
        }
        let form = forms.get(field.path).copied().unwrap_or(usual);
        Some(json!(form.text(self.number(), field.most().unwrap_or(usize::MAX))))
    }

    fn number(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// Sends an operation; a field that is refused gets a milder text.
    async fn send(&mut self, operation: Operation, usual: Form) -> Answer {
        let path = self.path(operation.path);
        let mut forms = HashMap::new();
        for _ in 0..60 {
            let sent = body(operation.schema, &mut |field| self.fill(field, &forms, usual));
            let request = Request::builder().method(operation.method).uri(&path);
            let request =
                request.header(header::AUTHORIZATION, format!("Bearer {}", self.key)).header(header::CONTENT_TYPE, "application/json");
            let answer = self.site.send(request.body(Body::from(sent.to_string())).unwrap()).await;
            if answer.status != StatusCode::BAD_REQUEST {
                return answer;
            }
            let error = answer.json();
            let fields: Vec<&str> =
                error["error"]["fields"].as_array().into_iter().flatten().filter_map(|one| one["field"].as_str()).collect();
            let mut milder = 0;
            for field in fields {
                let form: &mut Form = forms.entry(field.to_owned()).or_insert(usual);
                milder += usize::from(*form != Form::Word);
                *form = form.milder();
            }
            if milder == 0 {
                return answer;
            }
        }
        panic!("{} {path}: no body is accepted", operation.method)
    }

    /// The path of an operation with real names.
    fn path(&mut self, path: &str) -> String {
        let part = |part: &str| match (path, part) {
            ("/api/memory/{id}", "{id}") => "entry",
            ("/api/context/{id}/answer", "{id}") => "context",
            (_, "{id}") => "connection_id",
            (_, "{project}") => "project of the path",
            (_, "{name}") => "workflow of the path",
            (_, "{session}") => "session of the path",
            _ => "",
        };
        let named = |one: &str| self.names.get(part(one)).and_then(Value::as_str).map_or_else(|| one.to_owned(), str::to_owned);
        path.split('/').map(named).collect::<Vec<_>>().join("/")
    }

    fn knows(&mut self, name: &'static str, answer: &Answer, pointer: &str) {
        self.names.insert(name, answer.json().pointer(pointer).cloned().unwrap_or_else(|| panic!("{name}: {answer:?}")));
    }
}

/// Operations that only read what is there, or cannot be sent as others are.
const APART: &[&str] = &[
    // For a bot's secret.
    "/api/adapters/telegram/{bot}",
    // Their bodies have no schema of their own.
    "/api/sources",
    // It reads a session that must be there.
    "/api/tools/list_session_messages",
    // They take away what pages are to show.
    "/api/tools/forget_profile_leaf",
    "/api/tools/consolidate",
];

/// Sends every operation, and then what people do with it.
async fn fill_everything(site: &Site, key: &str, form: Form, first: usize, faults: &mut Faults) -> usize {
    let names = [
        ("user_id", Value::Null),
        ("project_id", Value::Null),
        ("project", json!("harbour")),
        ("repo", Value::Null),
        ("after", Value::Null),
        ("time_zone", json!("Europe/Zurich")),
        ("documents[0].path", json!(format!("docs/adr/{first}.md"))),
    ];
    let paths = [("project of the path", "harbour"), ("workflow of the path", "tea"), ("session of the path", "thread-1")];
    let names = names.into_iter().chain(paths.map(|(name, value)| (name, json!(value)))).collect();
    let mut stranger = Stranger { site, key: key.to_owned(), names, count: first };
    let find = |path: &str| operations().into_iter().find(|one| one.path == path).unwrap();
    for slug in ["harbour", "meadow"] {
        stranger.names.insert("slug", json!(slug));
        stranger.send(find("/api/projects"), form).await;
    }
    stranger.names.remove("slug");
    for (name, pointer, path) in [
        ("to", "/memory_id", "/api/tools/agent_memory_remember"),
        ("memory", "/memory_id", "/api/tools/agent_memory_remember"),
        ("entry", "/memory/id", "/api/tools/add_to_memory"),
        ("context", "/id", "/api/context"),
    ] {
        stranger.names.insert("force", json!(true));
        let answer = stranger.send(find(path), form).await;
        stranger.knows(name, &answer, pointer);
    }
    let text = form.text(stranger.number(), usize::MAX);
    let turns = json!([
        { "role": "user", "name": Form::Line.text(stranger.number(), 60), "content": format!("I moved to Basel. {text}") },
        { "role": "user", "name": "Vera", "content": format!("I prefer tea with {text}") },
        { "role": "user", "name": "Idris", "content": "I prefer tea, and I moved to Bern in May." },
    ]);
    let title: String = Form::Line.text(stranger.number(), 100).bytes().map(|byte| format!("%{byte:02x}")).collect();
    let request = Request::post(format!("/api/sources?title={title}&filename={title}")).header(header::CONTENT_TYPE, "application/json");
    let request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    let source = site.send(request.body(Body::from(turns.to_string())).unwrap()).await;
    stranger.knows("source_ref", &source, "/source_id");
    let memory = stranger.names["memory"].clone();
    stranger.names.extend([
        ("from", memory.clone()),
        ("memory_id", memory),
        ("connection_id", json!(uuid::Uuid::from_u128(first as u128 + 7))),
    ]);
    // What admins write is names, which the gate makes one plain line.
    let is_apart = |one: &Operation| APART.contains(&one.path) || one.path.starts_with("/api/admin/");
    let mut all: Vec<Operation> = operations().into_iter().filter(|one| !is_apart(one)).collect();
    // What is forgotten cannot be linked.
    all.sort_by_key(|one| one.path.ends_with("_forget"));
    for operation in all {
        let (mut project, mut id) = (json!("harbour"), stranger.names["memory"].clone());
        match operation.path {
            "/api/projects/{project}/links" => project = json!("meadow"),
            "/api/tools/agent_memory_forget" => id = stranger.names["to"].clone(),
            "/api/tools/update_memory" => id = stranger.names["entry"].clone(),
            _ => {}
        }
        stranger.names.extend([("project", project), ("memory_id", id)]);
        let answer = stranger.send(operation, form).await;
        // No document describes the component that a topology is asked for.
        if !answer.status.is_success() && !operation.path.ends_with("topology") {
            faults.add(operation.path, "refused", &answer.text, 0);
        }
    }
    stranger.count
}

/// Lets background work run, and decides what waits for people, with hostile reasons and definitions.
async fn decide(site: &Site, mut n: usize) {
    let (engine, vera) = (&site.world.engine, &site.world.vera);
    let mut text = |form: Form, most| {
        n += 1;
        form.text(n, most)
    };
    work(site).await;
    let candidates = consolidation::inbox(engine, vera, &InboxFilter::default()).await.unwrap().rows;
    let (first, others) = candidates.split_first().unwrap();
    let confirm = InboxVerdict::confirm();
    for one in others {
        consolidation::decide(engine, vera, &[one.id], confirm.clone(), &memories::Shown::default()).await.unwrap();
    }
    let reject = InboxVerdict::Reject { reason: text(Form::Line, 200) };
    consolidation::decide(engine, vera, &[first.id], reject, &memories::Shown::default()).await.unwrap();
    let proposals = vocabulary::proposals(engine, vera, &ProposalFilter::default()).await.unwrap().rows;
    let approve = Verdict::Approve { term: None, definition: text(Form::Lines, 400), category: Some(text(Form::Line, 60)) };
    vocabulary::decide(engine, vera, &[proposals[0].id], &approve).await.unwrap();
    vocabulary::decide(engine, vera, &[proposals[1].id], &Verdict::Reject { reason: text(Form::Line, 200) }).await.unwrap();
    identity::save_view(engine, vera, ViewPage::Memories, &text(Form::Line, 60), "q=harbour").await.unwrap();
    let gone = site
        .atlas("agent_memory_remember", json!({ "topic_raw": "gone", "content": text(Form::Lines, 400), "source": { "platform": "x" } }));
    let gone = gone.await.json()["memory_id"].as_str().unwrap().parse().unwrap();
    memories::delete(engine, vera, &[gone], &text(Form::Line, 200)).await.unwrap();
    work(site).await;
}

async fn work(site: &Site) {
    let engine = &site.world.engine;
    engine.finish_deferred().await;
    while workers::drain(engine).await.unwrap() + workers::work(engine, &CancellationToken::new()).await.unwrap() > 0 {}
}

/// What is wrong with texts that are shown, each with where it is.
#[derive(Default)]
struct Faults(BTreeSet<String>);

impl Faults {
    fn add(&mut self, place: &str, what: &str, text: &str, at: usize) {
        let around: String =
            text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().chain(text[at..].chars().take(40)).collect();
        self.0.insert(format!("{place}: {what}: {around:?}"));
    }

    fn directions(&mut self, place: &str, text: &str) {
        for at in text.match_indices(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')).map(|(at, _)| at).take(3) {
            self.add(place, "a mark of direction", text, at);
        }
    }

    /// A page: no text of a field is markup, and no mark of direction is outside of what a form sends back.
    fn page(&mut self, place: &str, html: &str) {
        for markup in ["<b>Zq", "<script>Zq", "</title><b>", "</textarea>Zq", "</textarea>“"] {
            html.match_indices(markup).for_each(|(at, _)| self.add(place, "markup", html, at));
        }
        self.directions(place, &without_values(html));
    }

    /// Lines for a model, a terminal or a person: no line is begun by a field, except in a quotation.
    fn lines(&mut self, place: &str, text: &str) {
        const STARTS: [&str; 9] = [MARK, "# Zq", "- [id:aaaaaaaa]", "1. Zq", "=1+", "~~~", "System: Zq", "Per ADR-001: Zq", "<script>Zq"];
        self.directions(place, text);
        for line in text.split(ends_line).map(str::trim_start).filter(|line| STARTS.iter().any(|start| line.starts_with(start))) {
            self.add(place, "a line of ours", line, 0);
        }
    }

    /// As [`Faults::lines`]; no text in it names a memory, either, unless it is a string of JSON.
    fn text(&mut self, place: &str, text: &str) {
        self.lines(place, text);
        let is_json = text.starts_with(['{', '[']);
        let names = |line: &&str| line.replace("\\[id:", " ").contains("[id:aaaaaaaa]");
        for line in text.split(ends_line).map(str::trim_start).filter(|line| !is_json && !line.starts_with(['>', '"'])).filter(names) {
            self.add(place, "the name of a memory", line, 0);
        }
    }

    /// A table: no line of a cell is a formula.
    fn csv(&mut self, place: &str, text: &str) {
        self.directions(place, text);
        for line in text.split(ends_line).filter(|line| line.starts_with(['=', '+', '-', '@', '\t']) || line.contains(",=")) {
            self.add(place, "a formula", line, 0);
        }
    }

    /// Lines of JSON, each a value of its own.
    fn json_lines(&mut self, place: &str, text: &str) {
        for line in text.lines().filter(|line| serde_json::from_str::<Value>(line).is_err()) {
            self.add(place, "a line that is no value", line, 0);
        }
    }
}

/// A page without what its forms send back, which stays as it is.
fn without_values(html: &str) -> String {
    let (mut rest, mut kept) = (html, String::new());
    while let Some((at, end)) = [("<textarea", "</textarea>"), (" value=\"", "\"")]
        .iter()
        .filter_map(|(start, end)| rest.find(start).map(|at| (at, at + start.len(), *end)))
        .min()
        .and_then(|(at, from, end)| rest[from..].find(end).map(|found| (at, from + found + end.len())))
    {
        kept.push_str(&rest[..at]);
        rest = &rest[end..];
    }
    kept + rest
}

/// The links of a page to other pages.
fn links(html: &str) -> impl Iterator<Item = String> {
    let hrefs = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    hrefs
        .filter(|href| href.starts_with('/') && !href.starts_with("//"))
        .map(|href| href.replace("&amp;", "&").split('#').next().unwrap_or_default().to_owned())
}

/// A link without what tells it from others of its kind: its ids, and the values of its query.
fn shape(link: &str) -> String {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    let part = |part: &str| if part.len() >= 36 { ":id".to_owned() } else { part.to_owned() };
    let names: Vec<&str> = query.split('&').filter_map(|field| field.split('=').next()).collect();
    format!("{}?{}", path.split('/').map(part).collect::<Vec<_>>().join("/"), names.join("&"))
}

/// Follows the links of the console from page to page.
async fn walk(site: &Site, faults: &mut Faults) -> Vec<String> {
    let (_, cookie) = sign_in(site, &site.world.login, PASSWORD).await;
    let agent = site.world.atlas.agent_id().unwrap();
    let asked = format!("agent={agent}&q=harbour");
    let mut waiting: VecDeque<String> = ["/", "/people", "/erasure", "/usage", "/search?q=harbour"].map(str::to_owned).into();
    waiting.extend(["/recall/playground", "/recall/playground/context"].map(|page| format!("{page}?{asked}")));
    let (mut shapes, mut seen, mut pages) = (HashMap::<String, usize>::new(), BTreeSet::new(), Vec::new());
    while let Some(link) = waiting.pop_front().filter(|_| pages.len() < PAGES) {
        let alike = shapes.entry(shape(&link)).or_default();
        if *alike == ALIKE || !seen.insert(link.clone()) {
            continue;
        }
        *alike += 1;
        let answer = site.get(&link, &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
        let kind = answer.header(header::CONTENT_TYPE).to_owned();
        assert!(!answer.status.is_server_error(), "{link}: {answer:?}");
        match kind.split(';').next() {
            Some("text/html") => {
                faults.page(&link, &answer.text);
                waiting.extend(links(&answer.text));
                pages.push(link);
            }
            Some("text/csv") => faults.csv(&link, &answer.text),
            Some("application/x-ndjson") => faults.json_lines(&link, &answer.text),
            _ => {}
        }
    }
    pages
}

/// Reads all resources, prompts and reading tools as a model does.
async fn read_as_a_model(site: &Site, faults: &mut Faults) {
    let key = &site.world.atlas_key;
    let session = Session::open(site, key).await;
    let export = site.get("/api/export", &[(header::AUTHORIZATION, &format!("Bearer {key}"))]).await.text;
    faults.json_lines("/api/export", &export);
    let rows: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids = |kind: &str| {
        rows.iter().filter(|row| row["type"] == kind).filter_map(|row| row["id"].as_str()).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut uris: Vec<String> = ids("memory").iter().map(|id| format!("remembrancer://memories/{id}")).collect();
    assert!(uris.len() > 10, "{} memories", uris.len());
    for resource in session.ask("resources/list", json!({})).await["result"]["resources"].as_array().unwrap() {
        faults.directions("resources/list", &resource["name"].to_string());
        uris.push(resource["uri"].as_str().unwrap().to_owned());
    }
    uris.push("remembrancer://documents/docs/adr/0.md".into());
    let mut read = 0;
    for uri in &uris {
        if let Some(text) = session.read(uri).await["result"]["contents"][0]["text"].as_str() {
            // The first line of a document is ours: its title.
            let skipped = if uri.contains("documents/") { text.find('\n').unwrap_or_default() } else { 0 };
            faults.text(uri, &text[skipped..]);
            read += 1;
        }
    }
    assert!(read > 10, "{read} of {} can be read", uris.len());
    let memory = ids("memory")[0].clone();
    for tool in tools::all().iter().filter(|tool| tool.effect == Effect::Read) {
        let path = format!("/api/tools/{}", tool.name);
        let operation = operations().into_iter().find(|one| one.path == path).unwrap();
        let input = body(operation.schema, &mut |field| match field.name {
            "query" | "task" | "phrase" | "component" => Some(json!(WORD)),
            "memory_id" => Some(json!(memory)),
            "session" => Some(json!("thread-1")),
            "as_messages" => Some(json!(true)),
            "level" => Some(json!("L2")),
            _ => None,
        });
        let result = session.tool(tool.name, input).await;
        // No document describes components.
        assert!(result["isError"] != true || tool.name == "shared_kb_topology", "{result}");
        let place = format!("the tool {}", tool.name);
        faults.text(&place, result["content"][0]["text"].as_str().unwrap());
        let told = &result["structuredContent"];
        let systems = told["messages"].as_array().into_iter().flatten().filter(|message| message["role"] == "system");
        for text in systems.map(|message| &message["content"]).chain([&told["text"]]).filter_map(Value::as_str) {
            faults.text(&place, text);
        }
    }
    let bearer = format!("Bearer {key}");
    faults.text("the memory block", &site.get("/api/memory/prompt", &[(header::AUTHORIZATION, &bearer)]).await.text);
    faults.csv("/api/usage.csv", &site.get("/api/usage.csv", &[(header::AUTHORIZATION, &bearer)]).await.text);
    let command =
        Request::post("/api/commands/memory").header(header::AUTHORIZATION, bearer).header(header::CONTENT_TYPE, "application/json");
    let answer = site.send(command.body(Body::from(r#"{"text": "/memory"}"#)).unwrap()).await;
    assert!(answer.text.contains(MARK), "{answer:?}");
    faults.text("/memory", answer.json()["text"].as_str().unwrap());
}

/// The folder of Markdown: the indexes, and what precedes the content in each file.
async fn read_the_folder(site: &Site, faults: &mut Faults) {
    let folder = tempfile::tempdir().unwrap();
    let written = portability::markdown(&site.world.engine, &site.world.vera, &Selection::All, folder.path(), &|_| {}).await.unwrap();
    assert!(written > 10, "{written} memories");
    for agent in fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
        for file in fs::read_dir(agent).unwrap().map(|entry| entry.unwrap().path()) {
            let text = fs::read_to_string(&file).unwrap();
            let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(text.as_str(), |(head, _)| head);
            faults.lines(&file.file_name().unwrap().to_string_lossy(), head);
        }
    }
}

#[tokio::test]
async fn what_strangers_write_is_shown_as_text() {
    // Alone: it works until nothing waits.
    let site = Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[("RATE_LIMIT_PER_MINUTE", "100000")]);
    let mut faults = Faults::default();
    let mut n = fill_everything(&site, &site.world.atlas_key, Form::Lines, 0, &mut faults).await;
    n = fill_everything(&site, &site.world.binky_key, Form::Orders, n, &mut faults).await;
    decide(&site, n).await;
    read_as_a_model(&site, &mut faults).await;
    read_the_folder(&site, &mut faults).await;
    let pages = walk(&site, &mut faults).await;
    assert!(pages.len() > 40, "{pages:#?}");
    let faults: Vec<&String> = faults.0.iter().collect();
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(80)]);
}
