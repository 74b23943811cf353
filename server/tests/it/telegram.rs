//! The webhook of a Telegram bot: its secret, its key, and whose chat it is.

use crate::harness::{Answer, Site};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use foundation::op::Actor;
use foundation::testing::key;
use foundation::{Error, audit, identity};
use remembrancer::chat;
use serde_json::{Value, json};
use uuid::Uuid;
use wire::{AuditFilter, BotId, KeyId, KeyScope, UserId};

struct Wired {
    site: Site,
    bot: BotId,
    secret: String,
    key: KeyId,
}

const VERA: UserId = UserId(Uuid::from_u128(11));

/// A bot of atlas, with Vera's chat 4711.
async fn wired(scopes: &[KeyScope]) -> Wired {
    let site = Site::new().await;
    let world = &site.world;
    let (ctx, _) = key(&world.engine, &world.system, world.atlas.agent_id().unwrap(), scopes).await;
    let Actor::Agent { key_id, .. } = ctx.actor else { panic!("a key is an agent's") };
    let (bot, secret) = chat::create_bot(&world.engine, &world.system, key_id, "atlas on Telegram").await.unwrap();
    chat::bind_chat(&world.engine, &world.system, bot, "4711", VERA).await.unwrap();
    Wired { site, bot, secret, key: key_id }
}

impl Wired {
    async fn post(&self, bot: &str, secret: Option<&str>, body: String) -> Answer {
        let mut request = Request::post(format!("/api/adapters/telegram/{bot}")).header(header::CONTENT_TYPE, "application/json");
        if let Some(secret) = secret {
            request = request.header("X-Telegram-Bot-Api-Secret-Token", secret);
        }
        self.site.send(request.body(Body::from(body)).unwrap()).await
    }

    async fn update(&self, body: Value) -> Value {
        let answer = self.post(&self.bot.to_string(), Some(&self.secret), body.to_string()).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        answer.json()
    }

    async fn say(&self, chat: i64, text: &str) -> String {
        // As Telegram sends it, with fields that the server ignores.
        let message = json!({ "message_id": 5, "date": 1_780_000_000, "chat": { "id": chat, "type": "private", "first_name": "Vera" },
            "from": { "id": chat, "is_bot": false, "first_name": "Vera" }, "text": text });
        let call = self.update(json!({ "update_id": 1, "message": message })).await;
        assert_eq!(
            (&call["method"], &call["chat_id"], &call["parse_mode"]),
            (&json!("sendMessage"), &json!(chat), &json!("HTML")),
            "{call}"
        );
        call["text"].as_str().unwrap().to_owned()
    }

    async fn remember(&self, user: Option<UserId>, content: &str) -> String {
        let input = json!({ "content": content, "category": "context", "user_id": user });
        self.site.atlas("add_to_memory", input).await.json()["memory"]["id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_bound_chat_sees_and_deletes_what_is_its_persons_and_no_other_does() {
    let wired = wired(&[KeyScope::MemoryRead, KeyScope::MemoryForget]).await;
    let id = wired.remember(Some(VERA), "Vera works from Bern").await;
    let idris = wired.remember(Some(UserId(Uuid::from_u128(12))), "Idris works from Basel").await;
    let expected =
        format!("📝 Your memories:\n\n<b>Context</b>\n• [{id}] Vera works from Bern\n\nUse /memory delete &lt;id&gt; to remove a memory.");
    assert_eq!(wired.say(4711, "/memory").await, expected);
    assert!(wired.say(4711, &format!("/memory delete {idris}")).await.starts_with("There is no memory"));
    for text in ["/memory", "/memory list", &format!("/memory delete {id}")] {
        let unbound = wired.say(4712, text).await;
        assert!(unbound.contains("\n/memory or /memory list shows") && unbound.contains("Its id is 4712"), "{unbound}");
    }
    let unbound = wired.say(4712, "Who are you?").await;
    assert!(unbound.contains("Use /help") && !unbound.contains("/memory") && unbound.contains("Its id is 4712"), "{unbound}");
    assert_eq!(wired.say(4711, &format!("/memory delete {id}")).await, "Deleted: 'Vera works from Bern'");
    let world = &wired.site.world;
    chat::unbind_chat(&world.engine, &world.system, wired.bot, "4711").await.unwrap();
    assert!(wired.say(4711, "/memory").await.contains("Its id is 4711"));
    assert!(chat::unbind_chat(&world.engine, &world.system, wired.bot, "4711").await.is_err());
}

#[tokio::test]
async fn a_long_list_has_pages_through_which_every_memory_can_be_deleted() {
    let wired = wired(&[KeyScope::MemoryRead, KeyScope::MemoryForget]).await;
    let mut ids = Vec::new();
    for number in 0..30 {
        ids.push(wired.remember(Some(VERA), &format!("Crate {number} in the cellar holds {}", "jars of plums, ".repeat(28))).await);
    }
    let (mut shown, mut page) = (Vec::new(), wired.say(4711, "/memory").await);
    for number in 2.. {
        assert!(page.starts_with("📝 Your memories:\n\n<b>Context</b>\n• [") && page.encode_utf16().count() <= 4096, "{page}");
        shown.extend(page.split("• [").skip(1).map(|entry| entry[..8].to_owned()));
        if !page.contains(&format!("Use /memory list {number} to see the next one")) {
            break;
        }
        page = wired.say(4711, &format!("/memory list {number}")).await;
    }
    assert_eq!(shown, ids);
    assert!(page.contains("\nPage 4 of 4.\n"), "{page}");
    let last = ids.last().unwrap();
    assert!(wired.say(4711, &format!("/memory delete {last}")).await.starts_with("Deleted: 'Crate 29"));
    assert!(!wired.say(4711, "/memory list 4").await.contains(last));
}

#[tokio::test]
async fn small_talk_gets_a_line_and_a_command_gets_help() {
    let wired = wired(&[KeyScope::MemoryRead]).await;
    wired.remember(Some(VERA), "Vera works from Bern").await;
    for text in ["Good morning!", "Where do I work from?"] {
        let line = wired.say(4711, text).await;
        assert!(line.contains("/help") && !line.contains("/memory") && !line.contains('\n'), "{line}");
    }
    for text in ["/start", "/help", "/memory forget everything"] {
        let help = wired.say(4711, text).await;
        assert!(help.contains("/memory list 2") && help.contains("/memory delete &lt;id&gt;") && !help.contains("Bern"), "{help}");
    }
}

#[tokio::test]
async fn what_looks_like_markup_is_shown_as_it_was_written() {
    let wired = wired(&[KeyScope::MemoryRead, KeyScope::MemoryForget]).await;
    let id = wired.remember(Some(VERA), "Vera writes <b>**x**</b>, _y_ & `z` as [a](https://a.example)").await;
    let list = wired.say(4711, "/memory").await;
    let shown = "Vera writes &lt;b&gt;**x**&lt;/b&gt;, _y_ &amp; `z` as [a](https://a.example)";
    assert!(list.contains(&format!("<b>Context</b>\n• [{id}] {shown}\n")), "{list}");
    assert_eq!(wired.say(4711, &format!("/memory delete {id}")).await, format!("Deleted: '{shown}'"));
    let unknown = wired.say(4711, "/memory delete <i>nothing</i>").await;
    assert!(unknown.contains("the id &lt;i&gt;nothing&lt;/i&gt;."), "{unknown}");
    assert!(wired.say(-100, "/memory").await.contains("/memory delete &lt;id&gt;"));
}

/// In a group everybody would act as the person it is bound to.
#[tokio::test]
async fn a_group_belongs_to_nobody() {
    let wired = wired(&[KeyScope::MemoryRead]).await;
    wired.remember(Some(VERA), "Vera works from Bern").await;
    let world = &wired.site.world;
    for group in ["-100123", "@acme"] {
        let refused = chat::bind_chat(&world.engine, &world.system, wired.bot, group, VERA).await.unwrap_err();
        assert_eq!(refused.fields()[0].field, "chat", "{group}");
    }
    // A chat that was bound before such ids were refused.
    let mut tx = world.engine.db().control.begin_system().await.unwrap();
    chat::store::bind_chat(&mut tx, world.system.tenant_id, wired.bot, "-100123", VERA, world.engine.clock().now()).await.unwrap();
    tx.commit().await.unwrap();
    for chat in [
        json!({ "id": -100_123, "type": "supergroup" }),
        json!({ "id": -100_123, "type": "group" }),
        json!({ "id": 4711, "type": "group" }),
        json!({ "id": 4711 }),
    ] {
        let answer = wired.update(json!({ "message": { "chat": chat, "text": "/memory" } })).await;
        let text = answer["text"].as_str().unwrap();
        assert!(text.contains("/memory or") && text.contains("private chats only") && !text.contains("Bern"), "{chat}: {answer}");
    }
    assert!(wired.say(4711, "/memory").await.contains("Bern"));
}

#[tokio::test]
async fn a_wrong_secret_an_unknown_bot_and_a_revoked_key_read_the_same() {
    let wired = wired(&[KeyScope::MemoryRead]).await;
    let update = || json!({ "message": { "chat": { "id": 4711 }, "text": "/memory" } }).to_string();
    let (bot, secret) = (wired.bot.to_string(), wired.secret.clone());
    let longer = format!("{secret}x");
    let mut texts = Vec::new();
    for (bot, secret) in [
        (bot.as_str(), None),
        (bot.as_str(), Some("")),
        (bot.as_str(), Some(&secret[1..])),
        (bot.as_str(), Some(longer.as_str())),
        ("01900000-0000-7000-8000-000000000000", Some(secret.as_str())),
        ("nobody", Some(secret.as_str())),
    ] {
        let answer = wired.post(bot, secret, update()).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (StatusCode::UNAUTHORIZED, "unauthenticated"), "{bot} {secret:?}");
        texts.push(answer.json()["error"]["message"].clone());
    }
    let world = &wired.site.world;
    assert_eq!(wired.post(&bot, Some(&secret), update()).await.status, StatusCode::OK);
    identity::revoke_key(&world.engine, &world.system, wired.key).await.unwrap();
    let answer = wired.post(&bot, Some(&secret), update()).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    texts.push(answer.json()["error"]["message"].clone());
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
}

#[tokio::test]
async fn what_the_key_may_not_do_is_said_in_the_chat_and_other_updates_are_left_alone() {
    let wired = wired(&[KeyScope::MemoryRead]).await;
    let id = wired.remember(Some(VERA), "Vera works from Bern").await;
    let answer = wired.say(4711, &format!("/memory delete {id}")).await;
    assert!(answer.starts_with("That is not possible") && answer.contains("memory:forget"), "{answer}");
    for update in [json!({ "update_id": 2, "edited_message": {} }), json!({ "message": { "chat": { "id": 4711 }, "sticker": {} } })] {
        assert_eq!(wired.update(update).await, json!({}));
    }
    for body in ["{", "[]", r#"{"message": {"text": "/memory"}}"#] {
        let answer = wired.post(&wired.bot.to_string(), Some(&wired.secret), body.into()).await;
        assert_eq!((answer.status, answer.error().1.as_deref()), (StatusCode::BAD_REQUEST, Some("body")), "{body}");
    }
}

#[tokio::test]
async fn a_foreign_key_and_a_foreign_bot_are_not_there() {
    let (one, other) = (wired(&[KeyScope::MemoryRead]).await, Site::new().await);
    let world = &other.world;
    assert!(chat::create_bot(&world.engine, &world.system, one.key, "x").await.is_err());
    assert!(chat::bind_chat(&world.engine, &world.system, one.bot, "4711", VERA).await.is_err());
    assert!(chat::remove_bot(&world.engine, &world.system, one.bot).await.is_err());
    assert!(chat::create_bot(&world.engine, &world.atlas, one.key, "x").await.is_err(), "an agent makes no bots");
}

#[tokio::test]
async fn a_removed_bot_answers_no_chat_and_leaves_its_key() {
    let wired = wired(&[KeyScope::MemoryRead]).await;
    let world = &wired.site.world;
    wired.remember(Some(VERA), "Vera works from Bern").await;
    assert!(wired.say(4711, "/memory").await.contains("Bern"));
    chat::remove_bot(&world.engine, &world.vera, wired.bot).await.unwrap();
    let update = json!({ "message": { "chat": { "id": 4711, "type": "private" }, "text": "/memory" } }).to_string();
    let refused = wired.post(&wired.bot.to_string(), Some(&wired.secret), update).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{}", refused.text);
    let there = chat::bots(&world.engine, &world.vera).await.unwrap();
    assert!(there.iter().all(|bot| bot.id != wired.bot), "{there:?}");
    assert!(matches!(chat::remove_bot(&world.engine, &world.vera, wired.bot).await, Err(Error::NotFound("bot"))));
    chat::create_bot(&world.engine, &world.vera, wired.key, "the next one").await.unwrap();
    let filter = AuditFilter { action: Some("bot.removed".into()), ..AuditFilter::default() };
    let entry = audit::browse(&world.engine, &world.vera, &filter).await.unwrap().rows.remove(0);
    assert_eq!(
        (&entry.changes["bot"]["before"]["name"], &entry.changes["bot"]["before"]["chats"]),
        (&json!("atlas on Telegram"), &json!(1))
    );
}
