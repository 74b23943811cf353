//! Sessions and roles of the console, over HTTP.

use crate::doors::alone;
use crate::harness::{Answer, Site, with_token};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use foundation::testing::{PASSWORD, fact};
use foundation::{identity, registry};
use remembrancer::{memories, vocabulary, workers};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use tokio_util::sync::CancellationToken;
use wire::{MemoryId, OperatorRole, RequestId};

pub async fn form(site: &Site, function: &str, cookie: &str, body: &str) -> Answer {
    let path = format!("/console/api/{function}");
    let body = with_token(cookie, &path, body);
    let request = Request::post(path)
        .header("sec-fetch-site", "same-origin")
        .header(header::ACCEPT, "application/json")
        .header(header::COOKIE, cookie)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body))
        .unwrap();
    site.send(request).await
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| if byte.is_ascii_alphanumeric() { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Signs in and returns the cookie that the browser would send.
pub async fn sign_in(site: &Site, login: &str, password: &str) -> (Answer, String) {
    let answer = form(site, "sign_in", "", &format!("login={}&password={}", encoded(login), encoded(password))).await;
    let session = answer.cookies().into_iter().find(|cookie| cookie.starts_with("rmb=")).unwrap_or_default();
    (answer, session)
}

#[tokio::test]
async fn a_session_lasts_from_sign_in_to_sign_out() {
    let site = Site::new().await;
    let (answer, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    assert!(!cookie.is_empty(), "{answer:?}");
    let set = answer.headers[header::SET_COOKIE].to_str().unwrap();
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax"), "{set}");
    let page = site.get("/agents", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("atlas") && page.text.contains("Vera"), "the page is whole without JavaScript");
    form(&site, "sign_out", &cookie, "").await;
    let page = site.get("/agents", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    assert!(page.status.is_redirection(), "{}", page.status);
}

#[tokio::test]
async fn a_wrong_password_opens_nothing() {
    let site = Site::new().await;
    let (_, cookie) = sign_in(&site, &site.world.login, "not the password").await;
    let page = site.get("/agents", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    assert!(page.status.is_redirection(), "{}", page.status);
}

#[tokio::test]
async fn a_viewer_reads_and_cannot_delete() {
    let site = Site::new().await;
    let world = &site.world;
    let login = format!("mina@{}", world.tenant_slug);
    identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &[OperatorRole::Viewer]).await.unwrap();
    let memory = memories::remember(&world.engine, &world.atlas, fact("door code", "It is 4711.")).await.unwrap();
    let (_, cookie) = sign_in(&site, &login, PASSWORD).await;
    let page = site.get(&format!("/memories/{}", memory.memory_id), &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    assert!(page.text.contains("It is 4711."), "{}", page.status);
    let body = format!("ids={}&reason=because", memory.memory_id);
    form(&site, "delete_memories", &cookie, &body).await;
    let detail = memories::detail(&world.engine, &world.vera, memory.memory_id).await.unwrap();
    assert!(detail.memory.deleted_at.is_none(), "a viewer's form deleted a memory");

    let (_, vera) = sign_in(&site, &world.login, PASSWORD).await;
    form(&site, "delete_memories", &vera, &body).await;
    let detail = memories::detail(&world.engine, &world.vera, memory.memory_id).await.unwrap();
    assert_eq!(detail.memory.delete_reason.as_deref(), Some("because"), "the same form works for an operator");
}

#[tokio::test]
async fn a_page_keeps_the_numbers_of_waiting_work_until_a_form_changes_something() {
    let site = Site::new().await;
    let world = &site.world;
    let memory = memories::remember(&world.engine, &world.atlas, fact("jetty", "The jetty is wet.")).await.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let kept = async || world.engine.review_numbers().get(&world.system.tenant_id).await;
    assert_eq!(kept().await, None);
    let page = site.get("/agents", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    assert_eq!((page.status, kept().await.is_some()), (StatusCode::OK, true), "the next page need not count again");
    form(&site, "delete_memories", &cookie, &format!("ids={}&reason=", memory.memory_id)).await;
    assert!(kept().await.is_some(), "a refused form changes nothing");
    form(&site, "delete_memories", &cookie, &format!("ids={}&reason=because", memory.memory_id)).await;
    assert_eq!(kept().await, None, "the next page counts again");
}

#[tokio::test]
async fn a_disabled_operators_session_ends_at_once() {
    let site = Site::new().await;
    let world = &site.world;
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let id = world.vera.actor.id().parse().unwrap();
    let idris = format!("idris@{}", world.tenant_slug);
    identity::create_operator(&world.engine, &world.system, &idris, "Idris", PASSWORD, OperatorRole::ALL).await.unwrap();
    identity::disable_operator(&world.engine, &world.system, id).await.unwrap();
    let page = site.get("/agents", &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    assert!(page.status.is_redirection(), "{}", page.status);
    assert!(identity::operator(&world.engine, id, RequestId(uuid::Uuid::nil())).await.is_err());
}

#[tokio::test]
async fn a_new_password_ends_the_session() {
    let site = Site::new().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    identity::reset_password(&site.world.engine, &site.world.login, "another long password").await.unwrap();
    for path in ["/agents", "/export.jsonl"] {
        let page = site.get(path, &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
        assert!(page.status.is_redirection(), "{path}: {}", page.status);
    }
    let (_, again) = sign_in(&site, &site.world.login, "another long password").await;
    assert_eq!(site.get("/agents", &[(header::COOKIE, &again), (header::ACCEPT, "text/html")]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn signing_in_leads_to_pages_of_this_site_only() {
    let site = Site::new().await;
    let login = encoded(&site.world.login);
    for (next, expected) in [
        ("/memories?q=tea", "/memories?q=tea"),
        ("/\t/example.org", "/"),
        ("/\u{1}x", "/"),
        ("/\n/example.org", "/"),
        ("/\u{7f}", "/"),
        ("/\\example.org", "/"),
        ("//example.org", "/"),
    ] {
        let answer = form(&site, "sign_in", "", &format!("login={login}&password={}&next={}", encoded(PASSWORD), encoded(next))).await;
        assert_eq!(answer.header(header::LOCATION), expected, "{next:?}: {answer:?}");
    }
}

#[tokio::test]
async fn another_tenants_memory_is_not_found() {
    let (ours, theirs) = (Site::new().await, Site::new().await);
    let memory = memories::remember(&theirs.world.engine, &theirs.world.atlas, fact("secret", "Theirs alone.")).await.unwrap();
    let (_, cookie) = sign_in(&ours, &ours.world.login, PASSWORD).await;
    let page = ours.get(&format!("/memories/{}", memory.memory_id), &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(!page.text.contains("Theirs alone."));
}

#[tokio::test]
async fn what_was_typed_survives_a_session_that_ends_and_a_wrong_password_keeps_the_login() {
    let site = Site::new().await;
    let world = &site.world;
    let memory = memories::remember(&world.engine, &world.atlas, fact("door code", "It is 4711.")).await.unwrap();
    let page = format!("/memories/{}", memory.memory_id);
    let body = format!("ids={}&reason={}&form={}", memory.memory_id, encoded("Mina <left> in May"), encoded(&page));
    let post = |cookie: String| {
        Request::post("/console/api/delete_memories")
            .header("sec-fetch-site", "same-origin")
            .header(header::ACCEPT, "text/html")
            .header(header::REFERER, format!("http://127.0.0.1:3000{page}"))
            .header(header::COOKIE, cookie)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body.clone()))
            .unwrap()
    };
    assert!(!site.send(post(String::new())).await.cookies().iter().any(|cookie| cookie.starts_with("rmb-typed=")), "nobody signed in here");
    let (signed_in, _) = sign_in(&site, &world.login, PASSWORD).await;
    let ended = site.send(post(signed_in.cookies().into_iter().find(|cookie| cookie.starts_with("rmb-who=")).unwrap())).await;
    assert!(ended.header(header::LOCATION).starts_with("/sign-in?next="), "{ended:?}");
    let kept = ended.cookies().into_iter().find(|cookie| cookie.starts_with("rmb-typed=")).unwrap();
    let roles = [OperatorRole::Viewer, OperatorRole::Operator];
    let idris = format!("idris@{}", world.tenant_slug);
    identity::create_operator(&world.engine, &world.system, &idris, "Idris", PASSWORD, &roles).await.unwrap();
    let (_, other) = sign_in(&site, &idris, PASSWORD).await;
    let seen = site.get(&page, &[(header::COOKIE, &format!("{other}; {kept}")), (header::ACCEPT, "text/html")]).await;
    assert!(!seen.text.contains("in May"), "another operator does not see it");
    let (_, session) = sign_in(&site, &world.login, PASSWORD).await;
    let both = format!("{session}; {kept}");
    let elsewhere = site.get("/agents", &[(header::COOKIE, &both), (header::ACCEPT, "text/html")]).await;
    assert!(!elsewhere.text.contains("in May"), "another page does not show it");
    let back = site.get(&page, &[(header::COOKIE, &both), (header::ACCEPT, "text/html")]).await;
    assert!(back.text.contains("Mina &lt;left> in May") && back.text.contains("You were signed out"), "{}", back.text);
    assert!(back.cookies().contains(&"rmb-typed=".to_owned()), "it is shown once");
    assert!(memories::detail(&world.engine, &world.vera, memory.memory_id).await.unwrap().memory.deleted_at.is_none(), "nothing was sent");

    let (refused, _) = sign_in(&site, &world.login, "not the password").await;
    assert!(!refused.header(header::LOCATION).contains(&world.login), "the address holds no login");
    let kept = refused.cookies().into_iter().find(|cookie| cookie.starts_with("rmb-login=")).unwrap();
    let again = site.get("/sign-in?error=refused", &[(header::COOKIE, &kept), (header::ACCEPT, "text/html")]).await;
    assert!(again.text.contains(&format!("value=\"{}\"", world.login)), "{}", again.text);
}

/// Sends a form as a browser without JavaScript does, from a page.
async fn submit(site: &Site, function: &str, cookie: &str, page: &str, body: &str) -> Answer {
    let path = format!("/console/api/{function}");
    let body = with_token(cookie, &path, body);
    let request = Request::post(path)
        .header("sec-fetch-site", "same-origin")
        .header(header::ACCEPT, "text/html")
        .header(header::REFERER, format!("http://127.0.0.1:3000{page}"))
        .header(header::COOKIE, cookie)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body))
        .unwrap();
    site.send(request).await
}

async fn page(site: &Site, path: &str, cookie: &str) -> Answer {
    site.get(path, &[(header::COOKIE, cookie), (header::ACCEPT, "text/html")]).await
}

#[tokio::test]
async fn a_title_is_only_text() {
    let site = Site::new().await;
    let (world, markup) = (&site.world, "</title><script>alert(1)</script>");
    let memory = memories::remember(&world.engine, &world.atlas, fact(&format!("{markup} & tea"), "Vera likes tea.")).await.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let page = page(&site, &format!("/memories/{}", memory.memory_id), &cookie).await;
    let title = page.text.split("<title>").nth(1).unwrap().split("</title>").next().unwrap();
    assert_eq!(title, "&lt;/title>&lt;script>alert(1)&lt;/script> &amp; tea · Remembrancer");
    assert!(!page.text.contains(markup));
}

/// The value of a hidden field of the form that undoes what the toast is about.
fn undo_field(page: &str, name: &str) -> String {
    let toast = &page[page.find("data-testid=\"flash\"").unwrap()..];
    let toast = &toast[..toast.find("Dismiss").unwrap()];
    let field =
        toast.split("<input").find(|field| field.contains(&format!("name=\"{name}\""))).unwrap_or_else(|| panic!("{name}: {toast}"));
    field.split("value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

async fn is_deleted(site: &Site, id: MemoryId) -> bool {
    memories::detail(&site.world.engine, &site.world.vera, id).await.unwrap().memory.deleted_at.is_some()
}

#[tokio::test]
async fn undo_restores_what_one_deletion_removed_and_nothing_else() {
    let (site, foreign) = (Site::new().await, Site::new().await);
    let world = &site.world;
    let mut ids = Vec::new();
    for n in 0..6 {
        ids.push(
            memories::remember(&world.engine, &world.atlas, fact(&format!("door {n}"), &format!("Door {n} is locked.")))
                .await
                .unwrap()
                .memory_id,
        );
    }
    memories::delete(&world.engine, &world.vera, &ids[..2], "deleted before").await.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let all = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let body = format!("ids={}&reason=outdated&done=/memories", encoded(&all));
    assert_eq!(submit(&site, "delete_memories", &cookie, "/memories/delete", &body).await.header(header::LOCATION), "/memories");
    let shown = page(&site, "/memories", &cookie).await;
    assert!(shown.text.contains("Deleted 4 memories. 2 were deleted before."), "{}", shown.text);
    let (undoable, at) = (undo_field(&shown.text, "ids"), undo_field(&shown.text, "at"));
    assert_eq!(undoable.split(',').count(), 4, "those that were deleted before are not the form's");
    assert!(!page(&site, "/memories", &cookie).await.text.contains("data-testid=\"flash\""), "the message shows once");

    let undo = format!("ids={}&at={}&done=/memories", encoded(&all), encoded(&at));
    let (_, stranger) = sign_in(&foreign, &foreign.world.login, PASSWORD).await;
    submit(&foreign, "undo_memories", &stranger, "/memories", &undo).await;
    assert!(is_deleted(&site, ids[3]).await, "an operator of another organisation undid it");

    // Even a form that names all six restores only those that this deletion removed; and one was deleted again meanwhile.
    memories::restore(&world.engine, &world.vera, &ids[5..], "still needed").await.unwrap();
    memories::delete(&world.engine, &world.vera, &ids[5..], "for another reason").await.unwrap();
    submit(&site, "undo_memories", &cookie, "/memories", &undo).await;
    let mut deleted = Vec::new();
    for id in &ids {
        deleted.push(is_deleted(&site, *id).await);
    }
    assert_eq!(deleted, [true, true, false, false, false, true]);
    assert!(page(&site, "/memories", &cookie).await.text.contains("Undone for 3 memories."));

    memories::delete(&world.engine, &world.vera, &ids[2..3], "after all").await.unwrap();
    submit(&site, "undo_memories", &cookie, "/memories", &undo).await;
    assert!(is_deleted(&site, ids[2]).await, "a second undo undid a later deletion");
    assert!(page(&site, "/memories", &cookie).await.text.contains("Nothing was undone"));
}

#[tokio::test]
async fn a_restoration_is_undone() {
    let site = Site::new().await;
    let world = &site.world;
    let id = memories::remember(&world.engine, &world.atlas, fact("door code", "It is 4711.")).await.unwrap().memory_id;
    memories::delete(&world.engine, &world.vera, &[id], "wrong").await.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let here = format!("/memories/{id}");
    submit(&site, "restore_memories", &cookie, &here, &format!("ids={id}&reason=right&done={here}&form={here}")).await;
    let shown = page(&site, &here, &cookie).await;
    let (undoable, at) = (undo_field(&shown.text, "ids"), undo_field(&shown.text, "at"));
    assert_eq!(undoable, id.to_string());
    submit(&site, "undo_memories", &cookie, &here, &format!("ids={id}&at={}&done={here}", encoded(&at))).await;
    assert!(is_deleted(&site, id).await);
    assert_eq!(memories::detail(&world.engine, &world.vera, id).await.unwrap().memory.delete_reason.as_deref(), Some("Undo"));
}

#[tokio::test]
async fn the_forms_of_rows_keep_a_refused_reason() {
    let site = Site::new().await;
    let world = &site.world;
    let id = memories::remember(&world.engine, &world.atlas, fact("door code", "It is 4711.")).await.unwrap().memory_id;
    memories::delete(&world.engine, &world.vera, &[id], "wrong").await.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let here = format!("/recall/diagnose?agent={}&q={}&memory={id}", world.atlas.actor.id(), encoded("door code"));
    let plain = page(&site, &here, &cookie).await;
    assert!(plain.text.contains("Restore this memory"), "{}", plain.text);
    let long = "x".repeat(501);
    let body = format!("ids={id}&reason={}&done={}&form={}", encoded(&format!("Mina asked {long}")), encoded(&here), encoded(&here));
    assert_eq!(submit(&site, "restore_memories", &cookie, &here, &body).await.header(header::LOCATION), here);
    let again = page(&site, &here, &cookie).await;
    assert!(again.text.contains("Mina asked xxx") && again.text.contains("aria-invalid=\"true\""), "{}", again.text);
    // Another memory's form stays empty.
    let other = memories::remember(&world.engine, &world.atlas, fact("door bell", "It is broken.")).await.unwrap().memory_id;
    memories::delete(&world.engine, &world.vera, &[other], "wrong").await.unwrap();
    let there = format!("/recall/diagnose?agent={}&q={}&memory={other}", world.atlas.actor.id(), encoded("door bell"));
    let body = format!("ids={id}&reason={}&done={}&form={}", encoded(&format!("Mina asked {long}")), encoded(&there), encoded(&there));
    assert_eq!(submit(&site, "restore_memories", &cookie, &there, &body).await.header(header::LOCATION), there);
    let shown = page(&site, &there, &cookie).await.text;
    assert!(shown.contains("Restore this memory") && !shown.contains("Mina asked xxx"), "{shown}");
}

#[tokio::test]
async fn times_come_in_the_zone_of_the_cookie() {
    let site = Site::new().await;
    let world = &site.world;
    memories::remember(&world.engine, &world.atlas, fact("door code", "It is 4711.")).await.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    for (zone, expected) in [
        ("", "Times in UTC"),
        ("; rmb-zone=Asia/Kathmandu", "Times in Asia/Kathmandu"),
        ("; rmb-zone=Nowhere/Atlantis", "Times in UTC"),
        ("; rmb-zone=\"><script>", "Times in UTC"),
    ] {
        let shown = page(&site, "/memories", &format!("{cookie}{zone}")).await;
        assert_eq!(shown.status, StatusCode::OK, "{zone}");
        assert!(shown.text.contains(expected), "{zone}: {}", shown.text);
        let title = if expected.ends_with("UTC") { " UTC\"" } else { " Asia/Kathmandu\"" };
        assert!(shown.text.contains(title), "{zone}: the exact time names its zone");
        assert!(shown.text.contains("+00:00\""), "the machine-readable time stays in UTC");
        assert!(!shown.text.contains("Atlantis") && !shown.text.contains("<script>\""));
    }
}

#[tokio::test]
async fn days_of_a_filter_are_those_of_the_shown_zone() {
    let site = Site::new().await;
    let world = &site.world;
    memories::remember(&world.engine, &world.atlas, fact("door code", "It is 4711.")).await.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    // In Kiritimati it is always the day after that of Pago Pago, and in UTC it is one of the two.
    let today = (world.engine.clock().now() + chrono::TimeDelta::hours(14)).date_naive();
    let yesterday = today.pred_opt().unwrap();
    let cases = [
        ("Pacific/Kiritimati", format!("from={today}"), true),
        ("Pacific/Kiritimati", format!("until={yesterday}"), false),
        ("Pacific/Pago_Pago", format!("from={today}"), false),
        ("Pacific/Pago_Pago", format!("until={yesterday}"), true),
    ];
    for (zone, filter, found) in cases {
        let shown = page(&site, &format!("/memories?{filter}"), &format!("{cookie}; rmb-zone={zone}")).await;
        assert_eq!((shown.status, shown.text.contains("It is 4711.")), (StatusCode::OK, found), "{zone}: {filter}");
    }
    let wrong = page(&site, "/memories?from=yesterday", &cookie).await.text;
    assert_eq!((wrong.matches("Updated from<!></strong>").count(), wrong.matches(">From<").count()), (1, 0), "{wrong}");
}

#[tokio::test]
async fn the_search_page_names_what_the_organisation_has() {
    let (site, foreign) = (Site::new().await, Site::new().await);
    let world = &site.world;
    let theirs = memories::remember(&foreign.world.engine, &foreign.world.atlas, fact("harbour", "Theirs alone.")).await.unwrap();
    let ours = memories::remember(&world.engine, &world.atlas, fact("harbour", "The harbour is closed.")).await.unwrap();
    let short = memories::detail(&world.engine, &world.vera, ours.memory_id).await.unwrap().memory.short_id;
    let term = vocabulary::NewTerm { term: "harbour pilot", definition: "Guides ships.", ..Default::default() };
    let term = vocabulary::add(&world.engine, &world.system, term).await.unwrap().term_id.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let memory = format!("href=\"/memories/{}\"", ours.memory_id);
    for (q, link) in [
        ("harbour", memory.as_str()),
        ("harbour", &format!("href=\"/vocabulary/terms/{term}\"")),
        (&short, &memory),
        (&ours.memory_id.to_string(), &memory),
        ("atlas", &format!("href=\"/agents/{}\"", world.atlas.actor.id())),
        ("audit", "href=\"/audit\""),
    ] {
        let shown = page(&site, &format!("/search?q={q}"), &cookie).await;
        // The list of the page, not that of the menu.
        let results = shown.text.split_once("aria-label=\"Results\" class=\"card").map(|(_, after)| after.split("</ul>").next());
        let results = results.flatten().unwrap_or_else(|| panic!("{q}: no results in {}", shown.text));
        assert!(results.contains(link), "{q}: {link} in {}", shown.text);
        assert!(!shown.text.contains(&theirs.memory_id.to_string()), "{q}: another organisation's memory");
    }
    let none = page(&site, &format!("/search?q={}", theirs.memory_id), &cookie).await;
    assert!(none.text.contains("No results"), "{}", none.text);
}

#[tokio::test]
async fn the_page_of_a_person_says_that_rules_stood_in() {
    let site = alone().await;
    let (engine, atlas) = (&site.world.engine, site.world.atlas.agent_id().unwrap());
    site.atlas("record_observation", json!({ "content": "Mina prefers tea.", "category": "preference" })).await;
    while workers::drain(engine).await.unwrap() + workers::work(engine, &CancellationToken::new()).await.unwrap() > 0 {}
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let person = format!("/people/{atlas}/nobody");
    let shown = page(&site, &person, &cookie).await.text;
    assert!(shown.contains("Mina prefers tea.") && !shown.contains("rules read"), "{shown}");
    let mut owner = PgConnection::connect(&engine.urls().agent_memory).await.unwrap();
    sqlx::query("update events set outcome = '{\"extractor\": \"rules\"}' where kind = 'observation'").execute(&mut owner).await.unwrap();
    let shown = page(&site, &person, &cookie).await.text;
    assert!(shown.contains("The chat model did not answer, so rules read 1 observation."), "{shown}");
    assert_eq!(site.atlas("get_user_profile", json!({})).await.json()["read_by_rules"], 1);
}

#[tokio::test]
async fn a_page_asks_once_who_the_operator_is() {
    let site = alone().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let mut owner = PgConnection::connect(&site.world.engine.urls().internal_shared).await.unwrap();
    // There is one operator, so this counts the statements that read it.
    let counted = "create sequence reads; grant usage on sequence reads to rmb_system; \
                   create policy counted on operators as restrictive for select to rmb_system using (nextval('reads') > 0)";
    sqlx::raw_sql(counted).execute(&mut owner).await.unwrap();
    assert_eq!(page(&site, "/agents", &cookie).await.status, StatusCode::OK);
    let next: i64 = sqlx::query_scalar("select nextval('reads')").fetch_one(&mut owner).await.unwrap();
    assert_eq!(next - 1, 1);
}

#[tokio::test]
async fn the_page_of_the_embedding_model_shows_the_progress_of_a_kept_model_and_that_it_could_not_be_loaded() {
    let site = alone().await;
    let (world, kept) = (&site.world, "text-embedding-3-small");
    memories::remember(&world.engine, &world.atlas, fact("tea", "Vera likes tea")).await.unwrap();
    let (_, cookie) = sign_in(&site, &world.login, PASSWORD).await;
    let before = page(&site, "/recall/model", &cookie).await.text;
    assert!(before.contains("The server has one model.") && before.contains(&format!("remembrancer model add {kept}")), "{before}");

    let pool = world.engine.db().control.system();
    assert!(registry::store::set_kept(pool, kept, true).await.unwrap());
    registry::store::set_fault(pool, kept, Some("no provider answers")).await.unwrap();
    let shown = page(&site, "/recall/model", &cookie).await.text;
    for text in ["Missing vectors are added in the background.", "could not load it", &format!("remembrancer model switch {kept}")] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("no provider answers"), "it may name folders of the server: {shown}");
    // The fake embedder stands for a third model, so neither of the two has the vector.
    assert_eq!(shown.matches("0 of 1").count(), 2, "{shown}");
}

#[tokio::test]
async fn a_later_page_without_rows_leads_to_the_first_one_with_the_same_filters() {
    const TIMES: &[&str] = &[
        "/memories",
        "/inbox",
        "/inbox/suggestions",
        "/inbox/quarantine",
        "/vocabulary",
        "/vocabulary/decisions",
        "/knowledge",
        "/knowledge/runs",
        "/recall/log",
        "/recall/contexts",
        "/sources",
        "/sessions",
        "/events",
        "/people",
        "/audit",
    ];
    let site = Site::new().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let (agent, id) = (site.world.atlas.agent_id().unwrap(), "0".repeat(32));
    for (list, key) in TIMES.iter().map(|list| (*list, "0")).chain([("/vocabulary/terms", "61")]) {
        let first = format!("{list}?agent={agent}");
        let page = site.get(&format!("{first}&after={key}-{id}"), &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await;
        for part in ["Nothing is left on this page", "First page", &format!("href=\"{first}\"")] {
            assert!(page.text.contains(part), "{list}: {part}: {}", page.text);
        }
    }
}
