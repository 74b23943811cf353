//! The doors that the description of the API does not have: the protocol of models, the forms of the console, the webhook of a bot.

use crate::console::{self, sign_in};
use crate::doors::{Filled, LONG, REFUSING, alone, doors, encoded, ids, is_id, secret, tables_with, with};
use crate::forms::{Control, FIELDS, Found, furnish, post, walk};
use crate::harness::{Answer, Site, with_token};
use crate::knowledge;
use crate::mcp::Session;
use axum::body::Body;
use axum::http::{Request, header};
use foundation::identity;
use foundation::op::Actor;
use foundation::testing::PASSWORD;
use remembrancer::chat;
use remembrancer::vocabulary::{self, NewTerm};
use serde_json::json;
use wire::UserRef;

/// What stands where a secret stood.
const REMOVED: &str = "[secret removed: API key]";

#[tokio::test]
async fn no_tool_of_the_protocol_lets_a_secret_into_a_table() {
    let (site, secret) = (alone().await, secret());
    let session = Session::open(&site, &site.world.atlas_key).await;
    let (mut refused, mut tools) = (Vec::new(), 0);
    for door in doors() {
        let Some(tool) = door.path.strip_prefix("/api/tools/") else { continue };
        tools += 1;
        let ids = ids(&site).await;
        let Some(Filled { body, texts }) = door.filled(&ids) else { continue };
        // Each says something else, or it would be known; no field takes fewer characters.
        let said = format!("use {secret} for {tools}");
        let all = texts.iter().filter(|pointer| !is_id(pointer)).fold(body.clone(), |body, pointer| with(&body, pointer, &said));
        let answer = session.tool(tool, all).await;
        if answer["isError"] == json!(true) && !REFUSING.contains(&door.name().as_str()) {
            refused.push(format!("{tool}: {answer}"));
        }
        for pointer in texts.iter().filter(|pointer| is_id(pointer)) {
            session.tool(tool, with(&body, pointer, &said)).await;
        }
    }
    assert!(tools > 20, "{tools}");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    site.world.engine.finish_deferred().await;
    assert_eq!(tables_with(&site, &secret).await, Vec::<String>::new());
    assert!(!tables_with(&site, REMOVED).await.is_empty(), "something was stored");
}

#[tokio::test]
async fn a_tool_of_the_protocol_names_the_field_that_is_too_long_or_has_nul() {
    let (site, long) = (alone().await, "x".repeat(LONG));
    let session = Session::open(&site, &site.world.atlas_key).await;
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for door in doors() {
        let Some(tool) = door.path.strip_prefix("/api/tools/") else { continue };
        let ids = ids(&site).await;
        let Some(Filled { body, texts }) = door.filled(&ids) else { continue };
        for pointer in &texts {
            tried += 1;
            for text in [long.as_str(), "a\0b"] {
                let answer = session.tool(tool, with(&body, pointer, text)).await;
                let error = &answer["structuredContent"]["error"];
                let names = pointer.split('/').filter(|part| !part.is_empty() && part.parse::<usize>().is_err());
                let named = names.into_iter().any(|name| error["fields"].to_string().contains(name));
                let fine = match error["code"].as_str() {
                    Some("invalid") => named,
                    // A project is named by its slug, and none has such a name.
                    Some("not_found") => text.len() == LONG && pointer == "/project",
                    None => text.len() == LONG && ["assemble_context", "capture_text"].contains(&tool),
                    _ => false,
                };
                if !fine {
                    wrong.push(format!("{tool} {pointer} with {} bytes: {:.300}", text.len(), answer.to_string()));
                }
            }
        }
    }
    assert!(tried > 20, "{tried} fields");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What fields take that hold no free text.
fn fixed(field: &Control) -> Option<&str> {
    match field.name.as_str() {
        "slug" => Some("harbour"),
        "url" => Some("https://example.org/notices"),
        "into" => Some("kettle"),
        "user" => Some("crm-4711"),
        "reference" => Some("crm-31"),
        "login" => Some("mina@acme.example"),
        "time_zone" => Some("UTC"),
        "dollars" => Some("1"),
        "month_dollars" | "month_tokens" | "similarity_min" | "confidence" | "importance" => Some(""),
        _ => (!field.typed || field.value.parse::<f64>().is_ok()).then_some(&field.value),
    }
}

/// Sends a form as its page shows it, with `said` in every field that people type text into.
async fn send(site: &Site, cookie: &str, form: &Found, said: &str) -> Answer {
    let fields = form.fields.iter().filter(|field| field.name != app::FORM_TOKEN);
    let pair = |field: &Control| format!("{}={}", encoded(&field.name), encoded(fixed(field).unwrap_or(said)));
    console::form(site, form.action.strip_prefix("/console/api/").unwrap(), cookie, &fields.map(pair).collect::<Vec<_>>().join("&")).await
}

#[tokio::test]
async fn no_form_of_the_console_lets_a_secret_into_a_table() {
    let site = alone().await;
    let more = furnish(&site).await;
    let term = NewTerm { term: "kettle", definition: "What boils water.", category: None, aliases: &[] };
    vocabulary::add(&site.world.engine, &site.world.vera, term).await.unwrap();
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let found = walk(&site, &cookie, &more).await;
    let said = format!("use {} for it", secret());
    let says = |form: &&Found| form.fields.iter().any(|field| fixed(field).is_none());
    // Files are sent in another form.
    let typed: Vec<&Found> = found.values().filter(says).filter(|form| form.action != "/console/upload").collect();
    let mut refused = Vec::new();
    for (form, number) in typed.iter().zip(1..) {
        let answer = send(&site, &cookie, form, &format!("{said} {number}")).await;
        if !answer.status.is_success() {
            refused.push(format!("{} on {}: {} {:.300}", form.action, form.page, answer.status, answer.text));
        }
    }
    // It takes ids of memories, which no form shows.
    refused.retain(|line: &String| !line.starts_with("/console/api/add_expectation"));
    assert!(typed.len() >= 15, "{}", typed.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    // The second is refused, and the session keeps what was typed.
    for name in ["tea", &said] {
        let fields =
            [("collection", None, "policies"), ("name", None, name), ("text", None, &said), ("files", Some(said.as_str()), "# Tea")];
        assert!(knowledge::upload(&site, &cookie, &fields).await.status.is_redirection());
    }
    site.world.engine.finish_deferred().await;
    assert_eq!(tables_with(&site, &secret()).await, Vec::<String>::new());
    assert!(!tables_with(&site, REMOVED).await.is_empty(), "something was stored");
}

#[tokio::test]
async fn no_message_to_a_bot_lets_a_secret_into_a_table() {
    let site = alone().await;
    let world = &site.world;
    let Actor::Agent { key_id, .. } = world.atlas.actor else { panic!("a key is an agent's") };
    let (bot, token) = chat::create_bot(&world.engine, &world.system, key_id, &format!("bot {}", secret())).await.unwrap();
    let user = identity::user(&world.engine, &world.atlas, &UserRef::External("crm-4711".into())).await.unwrap();
    chat::bind_chat(&world.engine, &world.system, bot, "4711", user).await.unwrap();
    for text in ["/memory", "/forget", "/delete 1", "what do you know?", "/start"] {
        let said = format!("{text} {}", secret());
        let from = json!({ "id": 4711, "is_bot": false, "first_name": said, "username": said });
        let message = json!({ "message_id": 5, "date": 1_780_000_000, "chat": { "id": 4711, "type": "private", "first_name": said },
            "from": from, "text": said, "caption": said });
        let request = Request::post(format!("/api/adapters/telegram/{bot}"))
            .header(header::CONTENT_TYPE, "application/json")
            .header("X-Telegram-Bot-Api-Secret-Token", &token)
            .body(Body::from(json!({ "update_id": 1, "message": message }).to_string()))
            .unwrap();
        let answer = site.send(request).await;
        assert!(answer.status.is_success(), "{answer:?}");
    }
    site.world.engine.finish_deferred().await;
    assert_eq!(tables_with(&site, &secret()).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_refused_reason_is_shown_again_without_its_secret() {
    let site = Site::new().await;
    let (_, cookie) = sign_in(&site, &site.world.login, PASSWORD).await;
    let (id, action) = (site.world.atlas.agent_id().unwrap(), "/console/api/set_agent_blocked");
    let reason = format!("Mina = {}.{}", secret(), " She insists.".repeat(50));
    let body = with_token(&cookie, action, &format!("id={id}&blocked=true&reason={}", encoded(&reason)));
    assert!(post(&site, &cookie, action, FIELDS, body).await.status.is_redirection());
    let page = site.get(&format!("/agents/{id}"), &[(header::COOKIE, &cookie), (header::ACCEPT, "text/html")]).await.text;
    assert!(page.contains(&format!("Mina = {REMOVED}. She insists. She insists.")), "{page}");
    assert!(!page.contains(&secret()));
}
