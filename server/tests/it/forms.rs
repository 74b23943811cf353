//! The forms of the console: each holds the token of its session, and none is taken without it.

use crate::console::sign_in;
use crate::harness::{Answer, Site, token, with_token};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use foundation::testing::{PASSWORD, fact};
use foundation::{identity, projects};
use remembrancer::memories;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use wire::{
    CapturePolicy, LinkRequest, MemoryKind, MemoryScope, NewProject, Promotion, Relation, RememberRequest, ReviseRequest, Trust, UserRef,
};

const EXPIRED: &str = "This form has expired";

/// Pages that the walk reads at most.
const PAGES: usize = 160;

/// A form as a page shows it: where it posts to, and its fields in their order.
pub struct Found {
    pub page: String,
    pub action: String,
    pub fields: Vec<Control>,
}

/// A field of a form.
pub struct Control {
    pub name: String,
    /// As the page sends it if nobody touches it.
    pub value: String,
    /// Whether people type text into it.
    pub typed: bool,
}

/// The value of an attribute of the first tag in `html`.
fn attribute(html: &str, name: &str) -> Option<String> {
    let tag = html.split('>').next()?;
    Some(tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.replace("&quot;", "\"").replace("&lt;", "<").replace("&amp;", "&"))
}

fn forms(page: &str, html: &str) -> Vec<Found> {
    let posts = html.split("<form").skip(1).filter(|form| attribute(form, "method").as_deref() == Some("post"));
    let found = posts.map(|form| {
        let tags = form.split("</form>").next().unwrap_or_default().split('<');
        let fields = tags.fold(Vec::new(), |mut fields: Vec<Control>, tag| {
            match (tag.strip_prefix("option "), fields.last_mut()) {
                // The first of a choice, unless another one is selected.
                (Some(option), Some(choice)) if choice.value.is_empty() || option.contains(" selected") => {
                    choice.value = attribute(tag, "value").unwrap_or_default();
                }
                _ => fields.extend(control(tag)),
            }
            fields
        });
        Found { page: page.to_owned(), action: attribute(form, "action").unwrap(), fields }
    });
    found.collect()
}

/// The field that a tag is; none for a box that is not chosen.
fn control(tag: &str) -> Option<Control> {
    let (kind, name) = (tag.split([' ', '>']).next()?, attribute(tag, "name")?);
    let value = attribute(tag, "value").unwrap_or_default();
    match (kind, attribute(tag, "type").as_deref()) {
        ("input", Some("checkbox" | "radio")) => tag.contains(" checked").then_some(Control { name, value, typed: false }),
        ("input", Some("text" | "search") | None) | ("textarea", _) => Some(Control { name, value, typed: true }),
        ("input" | "button" | "select", _) => Some(Control { name, value, typed: false }),
        _ => None,
    }
}

/// The pages of the console that `html` links to, without their parts.
fn links(html: &str) -> impl Iterator<Item = String> {
    let targets = html.split("<a ").skip(1).filter_map(|link| attribute(&format!(" {link}"), "href"));
    let pages = targets.map(|href| href.split('#').next().unwrap_or_default().to_owned());
    pages.filter(|href| href.starts_with('/') && !href.starts_with("/api/") && !href.split('?').next().unwrap_or_default().contains('.'))
}

async fn page(site: &Site, path: &str, cookie: &str) -> Answer {
    site.get(path, &[(header::COOKIE, cookie), (header::ACCEPT, "text/html")]).await
}

/// Every form of every page that can be reached from the sidebar, one for each action.
pub async fn walk(site: &Site, cookie: &str, more: &[String]) -> BTreeMap<String, Found> {
    let fixed = server::console::pages().into_iter().map(|route| route.path().to_owned()).filter(|path| !path.contains(':'));
    let mut queue: VecDeque<String> = more.iter().cloned().chain(fixed).filter(|path| path != "/sign-in").collect();
    let mut seen: BTreeSet<String> = queue.iter().cloned().collect();
    let mut found = BTreeMap::new();
    for _ in 0..PAGES {
        let Some(path) = queue.pop_front() else { break };
        let shown = page(site, &path, cookie).await;
        assert!(!shown.status.is_server_error() && !shown.status.is_redirection(), "{path}: {} {}", shown.status, shown.text);
        for form in forms(&path, &shown.text) {
            found.entry(form.action.clone()).or_insert(form);
        }
        queue.extend(links(&shown.text).filter(|link| seen.insert(link.clone())));
    }
    found
}

pub async fn post(site: &Site, cookie: &str, path: &str, kind: &str, body: String) -> Answer {
    let request = Request::post(path)
        .header("sec-fetch-site", "same-origin")
        .header(header::ACCEPT, "text/html")
        .header(header::REFERER, "http://127.0.0.1:3000/inbox?agent=a&kind=profile")
        .header(header::COOKIE, cookie)
        .header(header::CONTENT_TYPE, kind)
        .body(Body::from(body))
        .unwrap();
    site.send(request).await
}

pub const FIELDS: &str = "application/x-www-form-urlencoded";
const FILES: &str = "multipart/form-data; boundary=tea";

/// The body of a form with this token, or without one.
fn body(kind: &str, token: Option<&str>) -> String {
    match (kind, token) {
        (FILES, Some(token)) => {
            format!("--tea\r\ncontent-disposition: form-data; name=\"{}\"\r\n\r\n{token}\r\n--tea--\r\n", app::FORM_TOKEN)
        }
        (FILES, None) => "--tea\r\ncontent-disposition: form-data; name=\"text\"\r\n\r\n# Tea\r\n--tea--\r\n".to_owned(),
        (_, Some(token)) => format!("{}={token}&reason=tea", app::FORM_TOKEN),
        (_, None) => "reason=tea".to_owned(),
    }
}

fn kind(path: &str) -> &'static str {
    if path == "/console/upload" { FILES } else { FIELDS }
}

fn shared(topic: &str, content: &str) -> RememberRequest {
    RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact(topic, content) }
}

/// What gives the pages their forms, and the addresses that no link leads to.
pub async fn furnish(site: &Site) -> Vec<String> {
    let world = &site.world;
    let (engine, vera) = (&world.engine, &world.vera);
    let code = memories::remember(engine, &world.atlas, fact("door code", "It is 4711.")).await.unwrap().memory_id;
    let lock = memories::remember(engine, &world.atlas, fact("door lock", "It was changed in May.")).await.unwrap().memory_id;
    let link = LinkRequest { from: lock.into(), to: code.into(), relation: Relation::Supports, remove: false, user_id: None };
    memories::link(engine, &world.atlas, link).await.unwrap();
    memories::remember(engine, &world.atlas, shared("release day", "Releases happen on Tuesday mornings.")).await.unwrap();
    let gone = memories::remember(engine, &world.atlas, fact("door bell", "It is broken.")).await.unwrap().memory_id;
    memories::delete(engine, vera, &[gone], "wrong").await.unwrap();
    identity::set_policy(engine, &world.system, CapturePolicy { commons: Promotion::Review, ..CapturePolicy::default() }).await.unwrap();
    let waits = memories::remember(engine, &world.atlas, shared("lunch", "Lunch is at noon in the canteen.")).await.unwrap().memory_id;
    let of_mina = RememberRequest { user_id: Some(UserRef::External("crm-4711".into())), ..fact("tea", "She likes green tea.") };
    memories::remember(engine, &world.atlas, of_mina).await.unwrap();
    engine.relay().settle().await;
    vec![
        format!("/memories/{gone}"),
        format!("/inbox?focus={waits}"),
        format!("/inbox/review?ids={waits}&what=reject"),
        format!("/memories/delete?ids={gone}"),
        "/memories?q=door".to_owned(),
        "/erasure/new?user=crm-4711".to_owned(),
        format!("/memories/{code}"),
    ]
}

#[tokio::test]
async fn every_form_of_every_page_holds_its_token_and_no_other_is_taken() {
    let site = Site::new().await;
    let more = furnish(&site).await;
    let (_, vera) = sign_in(&site, &site.world.login, PASSWORD).await;
    let (_, again) = sign_in(&site, &site.world.login, PASSWORD).await;
    let found = walk(&site, &vera, &more).await;
    for form in found.values() {
        let expected = (app::FORM_TOKEN.to_owned(), token(&vera, &form.action).unwrap());
        let first = form.fields.first().map(|field| (field.name.clone(), field.value.clone()));
        assert_eq!(first, Some(expected), "the form to {} on {}", form.action, form.page);
    }
    let actions: Vec<&str> = found.keys().map(|action| action.trim_start_matches("/console/api/")).collect();
    for expected in
        ["sign_out", "decide_candidates", "delete_memories", "restore_memories", "review_memories", "request_erasure", "capture"]
    {
        assert!(actions.contains(&expected), "{expected}: {actions:?}");
    }
    assert!(actions.len() > 20, "{actions:?}");

    let rows = site.rows().await;
    let posted = app::server_functions().into_iter().filter(|(path, method)| *method != Method::GET && *path != app::SIGN_IN);
    for path in posted.map(|(path, _)| path).chain(["/console/upload"]) {
        let (own, foreign) = (token(&vera, path).unwrap(), token(&again, path).unwrap());
        let other = token(&vera, if path.ends_with("capture") { "/console/api/sweep" } else { "/console/api/capture" }).unwrap();
        for wrong in [None, Some(""), Some(&own[..63]), Some(foreign.as_str()), Some(other.as_str())] {
            let refused = post(&site, &vera, path, kind(path), body(kind(path), wrong)).await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path} with {wrong:?}: {}", refused.text);
            assert!(
                refused.text.contains(EXPIRED) && refused.text.contains("href=\"/inbox?agent=a&amp;kind=profile\""),
                "{}",
                refused.text
            );
        }
        assert_eq!(
            post(&site, &vera, path, FIELDS, format!("reason=tea&{}={own}", app::FORM_TOKEN)).await.status,
            StatusCode::FORBIDDEN,
            "{path}: the token is not the first field"
        );
    }
    assert_eq!(site.rows().await, rows, "a form without its token changed something");
}

#[tokio::test]
async fn the_right_token_passes_everywhere() {
    let site = Site::new().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let mut posted: Vec<_> =
        app::server_functions().into_iter().filter(|(_, method)| *method != Method::GET).map(|(path, _)| path).collect();
    posted.push("/console/upload");
    // It ends the session.
    posted.sort_by_key(|path| path.ends_with("sign_out"));
    for path in posted {
        let answer = post(&site, &cookie, path, kind(path), body(kind(path), token(&cookie, path).as_deref())).await;
        assert!(answer.status != StatusCode::FORBIDDEN && !answer.text.contains(EXPIRED), "{path}: {answer:?}");
    }
}

#[tokio::test]
async fn a_form_of_a_session_that_ended_is_kept_and_one_of_an_older_session_is_refused() {
    let site = Site::new().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let path = "/console/api/create_project";
    let sent = with_token(&cookie, path, "slug=harbour");
    post(&site, &cookie, "/console/api/sign_out", FIELDS, with_token(&cookie, "/console/api/sign_out", "")).await;
    let ended = post(&site, &cookie, path, FIELDS, sent.clone()).await;
    assert!(ended.header(header::LOCATION).starts_with("/sign-in?next="), "{ended:?}");
    let (_, new) = sign_in(&site, &site.world.login, PASSWORD).await;
    assert_eq!(post(&site, &new, path, FIELDS, sent).await.status, StatusCode::FORBIDDEN);
    assert!(projects::list(&site.world.engine, &site.world.vera).await.unwrap().is_empty());
    let fresh = post(&site, &new, path, FIELDS, with_token(&new, path, "slug=harbour")).await;
    assert!(fresh.status.is_redirection(), "{fresh:?}");
    assert_eq!(projects::list(&site.world.engine, &site.world.vera).await.unwrap().len(), 1);
}

/// The value of a hidden field of the form that posts to `action`.
fn field(html: &str, action: &str, name: &str) -> String {
    let form =
        html.split("<form").find(|form| attribute(form, "action").as_deref() == Some(action)).unwrap_or_else(|| panic!("{action}: {html}"));
    let inputs = form.split("</form>").next().unwrap().split("<input").skip(1);
    inputs.filter(|input| attribute(input, "name").as_deref() == Some(name)).find_map(|input| attribute(input, "value")).unwrap()
}

#[tokio::test]
async fn a_review_of_a_text_that_changed_meanwhile_is_refused_and_the_page_shows_both() {
    let site = Site::new().await;
    let (engine, vera) = (&site.world.engine, &site.world.vera);
    let id = memories::remember(engine, &site.world.atlas, shared("release day", "Releases happen on Tuesdays.")).await.unwrap().memory_id;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let (here, action) = (format!("/memories/{id}"), "/console/api/review_memories");
    let seen = field(&page(&site, &here, &cookie).await.text, action, "shown");
    let fresh: ReviseRequest = serde_json::from_value(json!({ "memory": id, "content": "Releases happen on Fridays." })).unwrap();
    memories::revise(engine, &site.world.atlas, fresh).await.unwrap();

    let fields = |shown: &str| with_token(&cookie, action, &format!("ids={id}&shown={}&done={here}", shown.replace(':', "%3A")));
    let request = Request::post(action)
        .header("sec-fetch-site", "same-origin")
        .header(header::ACCEPT, "application/json")
        .header(header::COOKIE, &cookie)
        .header(header::CONTENT_TYPE, FIELDS)
        .body(Body::from(fields(&seen)))
        .unwrap();
    assert_eq!(site.send(request).await.status, StatusCode::CONFLICT);
    assert_eq!(post(&site, &cookie, action, FIELDS, fields(&seen)).await.header(header::LOCATION), here);
    let both = page(&site, &here, &cookie).await.text;
    let (_, changed) = both.split_once("data-testid=\"changed\"").unwrap_or_else(|| panic!("{both}"));
    assert!(changed.contains("You saw") && changed.contains("<del>Tuesdays") && changed.contains("<ins>Fridays"), "{changed}");
    assert_eq!(memories::detail(engine, vera, id).await.unwrap().record.trust, Trust::Unreviewed);

    let none = post(&site, &cookie, action, FIELDS, with_token(&cookie, action, &format!("ids={id}&shown=&done={here}"))).await;
    assert_eq!(none.header(header::LOCATION), here);
    assert_eq!(
        memories::detail(engine, vera, id).await.unwrap().record.trust,
        Trust::Unreviewed,
        "a form that shows nothing reviews nothing"
    );
    let again = field(&both, action, "shown");
    assert_ne!(again, seen);
    post(&site, &cookie, action, FIELDS, fields(&again)).await;
    assert_eq!(memories::detail(engine, vera, id).await.unwrap().record.trust, Trust::Reviewed);
    let reviewed = page(&site, &here, &cookie).await.text;
    let (_, history) = reviewed.split_once("data-testid=\"history\"").unwrap_or_else(|| panic!("{reviewed}"));
    assert!(history.contains("A person confirmed the content."), "{history}");
}

#[tokio::test]
async fn a_person_writes_a_memory_and_a_refused_one_stays_in_its_form() {
    let site = Site::new().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let action = "/console/api/new_memory";
    let fields = format!("agent={}&topic_raw=tea&content=Mina+takes+milk.&kind=profile", site.world.atlas.agent_id().unwrap());
    let there = format!("{cookie}; rmb-zone=America/New_York");
    let send = async |more: &str| {
        let body = with_token(&cookie, action, &format!("{fields}{more}"));
        post(&site, &there, action, FIELDS, body).await.header(header::LOCATION).to_owned()
    };
    let form = send("&confidence=sure").await;
    assert_eq!(form, "/memories/new");
    let html = page(&site, &form, &cookie).await.text;
    assert!(html.contains("Enter a number from 0 to 1.") && html.contains("Mina takes milk."), "{html}");
    let added = send("&confidence=0.5&said_on=2025-05-03").await;
    let html = page(&site, &added, &cookie).await.text;
    assert!(added.starts_with("/memories/0") && html.contains("The memory was added.") && html.contains("Mina takes milk."), "{html}");
    assert!(html.contains("datetime=\"2025-05-03T04:00:00+00:00\""), "the day began at four in UTC: {html}");
    assert_eq!(send("").await, added, "it is known already");
    let fields =
        fields.replace("topic_raw=tea&content=Mina+takes+milk.", "topic_raw=ferry&content=The+ferry+leaves+at+nine.&said_on=2025-05-03");
    let there = format!("{cookie}; rmb-zone=Asia/Tokyo");
    let answer = post(&site, &there, action, FIELDS, with_token(&cookie, action, &fields)).await;
    let html = page(&site, answer.header(header::LOCATION), &cookie).await.text;
    assert!(html.contains("datetime=\"2025-05-03T00:00:00+00:00\""), "agents read the day in UTC: {html}");
}

#[tokio::test]
async fn a_candidate_says_for_which_project_it_holds() {
    let site = Site::new().await;
    let (engine, system) = (&site.world.engine, &site.world.system);
    let project = projects::create(engine, system, NewProject { slug: "harbour".into(), name: "Harbour".into() }).await.unwrap().id;
    identity::set_policy(engine, system, CapturePolicy { commons: Promotion::Review, ..CapturePolicy::default() }).await.unwrap();
    let of_project = RememberRequest {
        scope: Some(MemoryScope::Project),
        project_id: Some(project.into()),
        ..shared("lunch", "Lunch is at noon in the canteen.")
    };
    let waits = memories::remember(engine, &site.world.atlas, of_project).await.unwrap().memory_id;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let html = page(&site, &format!("/inbox?focus={waits}"), &cookie).await.text;
    let (_, facts) = html.split_once("data-testid=\"facts\"").unwrap_or_else(|| panic!("{html}"));
    let facts = facts.split("</dl>").next().unwrap();
    assert!(facts.contains(&format!("/memories?project={project}")) && facts.contains(">harbour<"), "{facts}");
}

#[tokio::test]
async fn the_page_of_a_refused_review_shows_both_rationales_and_alternatives() {
    let site = Site::new().await;
    let (engine, atlas) = (&site.world.engine, &site.world.atlas);
    let decided = |rationale: &str, rejected: &str| RememberRequest {
        kind: Some(MemoryKind::Decision),
        rationale: Some(rationale.into()),
        alternatives: vec![rejected.into()],
        ..shared("ferry line", "Mina takes the ferry to the island.")
    };
    let id = memories::remember(engine, atlas, decided("The bridge is closed", "a rowing boat")).await.unwrap().memory_id;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let (here, action) = (format!("/memories/{id}"), "/console/api/review_memories");
    let seen = field(&page(&site, &here, &cookie).await.text, action, "shown");
    memories::remember(engine, atlas, decided("The bridge is narrow", "a rowing team")).await.unwrap();
    let fields = with_token(&cookie, action, &format!("ids={id}&shown={}&done={here}", seen.replace(':', "%3A")));
    assert_eq!(post(&site, &cookie, action, FIELDS, fields).await.header(header::LOCATION), here);
    let html = page(&site, &here, &cookie).await.text;
    let (_, changed) = html.split_once("data-testid=\"changed\"").unwrap_or_else(|| panic!("{html}"));
    let changed = changed.split("</section>").next().unwrap();
    for shown in ["Rationale", "<del>closed", "<ins>narrow", "Rejected alternatives", "<del>boat", "<ins>team"] {
        assert!(changed.contains(shown), "{shown}: {changed}");
    }
    assert!(!changed.contains("The content is the same"), "{changed}");
    assert_eq!(html.matches("data-testid=\"changed-reasons\"").count(), 2, "in the history, too: {html}");
    let (_, history) = html.split_once("data-testid=\"history\"").unwrap();
    assert!(!history.split("</ol>").next().unwrap().contains("content is the same"), "the reasons changed: {html}");
}

#[tokio::test]
async fn every_response_confines_its_page() {
    let site = Site::new().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    for (path, scripts) in [
        ("/", true),
        ("/memories?q=tea", true),
        ("/sign-in", true),
        ("/nowhere", true),
        ("/erasure/new?user=%3Cb%3E", true),
        ("/api/docs", false),
    ] {
        let policy = page(&site, path, &cookie).await.header(header::CONTENT_SECURITY_POLICY).to_owned();
        let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
        // Nothing is allowed that is not named: objects, frames, workers and media have no directive of their own.
        for expected in ["default-src 'none'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "style-src 'self'"] {
            assert!(directives.contains(&expected), "{path}: {expected} in {policy}");
        }
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'") && !policy.contains('*'), "{path}: {policy}");
        assert_eq!(directives.iter().any(|directive| directive.starts_with("script-src")), scripts, "{path}: {policy}");
    }
    let refused = post(&site, &cookie, "/console/api/sweep", FIELDS, String::new()).await;
    assert!(refused.header(header::CONTENT_SECURITY_POLICY).contains("default-src 'none'"), "{refused:?}");
}
