//! Webhooks: what is sent, to whom, and what follows when a receiver does not take it.

use crate::support::{Fetch, Run, agent, alone, alone_with, remember, settle, work};
use chrono::Duration;
use db::clock::Clock;
use foundation::testing::{World, fact, question};
use foundation::{Error, OpContext, Settings, audit, jobs, notices, webhooks};
use remembrancer::{capture, recall, workers};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use wire::{
    AuditFilter, EventFilter, EventId, EventState, MadeWebhook, NewWebhook, NoticeKind, RecallRequest, Webhook, WebhookId, WebhookSettings,
    WebhookState,
};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// A world whose server calls receivers on this machine.
async fn world() -> World {
    alone_with(Settings { allow_private_addresses: true, ..Settings::default() }).await
}

/// A receiver that answers with a status at each of some paths.
async fn receiver(answers: &[(&'static str, u16)]) -> MockServer {
    let server = MockServer::start().await;
    for (place, status) in answers {
        Mock::given(method("POST")).and(path(*place)).respond_with(ResponseTemplate::new(*status)).mount(&server).await;
    }
    server
}

async fn add(world: &World, server: &MockServer, place: &str, events: &[NoticeKind], agent: Option<&str>) -> MadeWebhook {
    let new = NewWebhook { url: format!("{}{place}", server.uri()), events: events.to_vec(), agent: agent.map(str::to_owned) };
    webhooks::add(&world.engine, &world.vera, new).await.unwrap()
}

/// Carries notices to the webhooks and sends what is due.
async fn send(world: &World) {
    settle(world).await;
    webhooks::work(&world.engine, &CancellationToken::new()).await.unwrap();
}

/// What a receiver got at a path.
async fn received(server: &MockServer, place: &str) -> Vec<Request> {
    server.received_requests().await.unwrap().into_iter().filter(|request| request.url.path() == place).collect()
}

async fn one(world: &World, id: WebhookId) -> Webhook {
    webhooks::list(&world.engine, &world.vera).await.unwrap().into_iter().find(|webhook| webhook.id == id).unwrap()
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

#[tokio::test]
async fn a_receiver_gets_signed_ids_of_what_it_wants_and_no_text() {
    let world = world().await;
    let server = receiver(&[("/all", 200), ("/binky", 204), ("/jobs", 200)]).await;
    let all = add(&world, &server, "/all", &[NoticeKind::MemoryStored], None).await;
    add(&world, &server, "/binky", &[NoticeKind::MemoryStored], Some("binky")).await;
    add(&world, &server, "/jobs", &[NoticeKind::JobDead], None).await;
    let kept = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    send(&world).await;
    // A second look sends nothing again.
    send(&world).await;

    let requests = received(&server, "/all").await;
    assert_eq!(requests.len(), 1);
    let sent = body(&requests[0]);
    assert_eq!(sent["type"], "memory.stored");
    assert_eq!(sent["data"], serde_json::json!({ "id": kept, "agent": "atlas" }));
    let text = String::from_utf8(requests[0].body.clone()).unwrap();
    assert!(!text.contains("tea") && !text.contains("Vera"), "{text}");
    let header = |name: &str| requests[0].headers[name].to_str().unwrap().to_owned();
    assert!(header("webhook-id").parse::<Uuid>().is_ok() && header("webhook-timestamp").parse::<i64>().is_ok());
    assert!(header("webhook-signature").starts_with("v1,"));
    assert!(all.secret.unwrap().starts_with("whsec_"));
    assert_eq!(one(&world, all.webhook.id).await.error, None);
    assert!(one(&world, all.webhook.id).await.delivered_at.is_some());
    assert_eq!(received(&server, "/binky").await.len() + received(&server, "/jobs").await.len(), 0);

    remember(&world, &world.binky, fact("tea", "Mina likes green tea")).await;
    send(&world).await;
    assert_eq!(body(&received(&server, "/binky").await[0])["data"]["agent"], "binky");
    assert_eq!(received(&server, "/all").await.len(), 2);
}

#[tokio::test]
async fn a_receiver_that_fails_for_days_is_disabled_and_holds_up_no_other() {
    let world = world().await;
    let server = receiver(&[("/broken", 500), ("/whole", 200)]).await;
    let broken = add(&world, &server, "/broken", &[NoticeKind::MemoryStored], None).await.webhook.id;
    add(&world, &server, "/whole", &[NoticeKind::MemoryStored], None).await;
    remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    send(&world).await;
    assert_eq!((received(&server, "/broken").await.len(), received(&server, "/whole").await.len()), (1, 1));
    send(&world).await;
    assert_eq!(received(&server, "/broken").await.len(), 1, "the next attempt is not due");
    let error = one(&world, broken).await.error.unwrap();
    assert_eq!(error, "the receiver answers with the status 500 instead of 200");

    // Its attempts are not used up, but it waited longer than all of them take.
    for _ in 0..5 {
        world.clock.advance(Duration::hours(15));
        send(&world).await;
    }
    assert_eq!(received(&server, "/broken").await.len(), 6);
    let webhook = one(&world, broken).await;
    assert_eq!(webhook.state, WebhookState::Disabled);
    assert!(webhook.reason.unwrap().starts_with("nothing was delivered for 3 days"));
    let filter = AuditFilter { action: Some("webhook.disabled".into()), ..AuditFilter::default() };
    assert_eq!(audit::browse(&world.engine, &world.vera, &filter).await.unwrap().total, 1);
    let filter = EventFilter { task: Some("webhook".into()), state: Some(EventState::Dead), ..EventFilter::default() };
    let dead = capture::events(&world.engine, &world.vera, &filter).await.unwrap().rows;
    assert_eq!(dead.iter().map(|event| event.error.clone()).collect::<Vec<_>>(), [Some(error)], "the page of events shows it");
    let following = notices::after(&world.engine, &world.vera, 0).await.unwrap();
    assert!(following.notices.iter().all(|(_, notice)| notice.kind != NoticeKind::JobDead), "its own failure is no notice");

    // What happens meanwhile is not sent later.
    remember(&world, &world.atlas, fact("tea", "Idris drinks mate")).await;
    send(&world).await;
    let resume = WebhookSettings { state: Some(WebhookState::Active), ..WebhookSettings::default() };
    let resumed = webhooks::change(&world.engine, &world.vera, broken, resume).await.unwrap();
    assert_eq!((resumed.state, resumed.reason, resumed.failing_since), (WebhookState::Active, None, None));
    send(&world).await;
    assert_eq!(received(&server, "/broken").await.len(), 6);
    remember(&world, &world.atlas, fact("tea", "Mina drinks cocoa")).await;
    send(&world).await;
    assert_eq!((received(&server, "/broken").await.len(), received(&server, "/whole").await.len()), (7, 3));
}

#[tokio::test]
async fn a_delivery_that_cannot_be_read_dies_and_holds_up_no_other() {
    let world = world().await;
    let server = receiver(&[("/", 200)]).await;
    let id = add(&world, &server, "/", &[NoticeKind::MemoryStored], None).await.webhook.id;
    let unreadable = "insert into events (tenant_id, agent_id, id, kind, task, payload, state, attempt, run_after, created_at)
                      values ($1, $2, gen_random_uuid(), 'maintenance', 'webhook', jsonb_build_object('webhook_id', $3::uuid), 'pending', 7,
                              '2000-01-01', '2000-01-01')";
    sqlx::query(unreadable).bind(world.system.tenant_id).bind(agent(&world.atlas)).bind(id.0).run(&world.engine).await;
    remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    send(&world).await;
    let filter = EventFilter { task: Some("webhook".into()), state: Some(EventState::Dead), ..EventFilter::default() };
    assert_eq!(capture::events(&world.engine, &world.vera, &filter).await.unwrap().rows.len(), 1);
    assert_eq!(received(&server, "/").await.len(), 1);
}

#[tokio::test]
async fn what_waits_for_a_paused_webhook_is_sent_when_it_is_resumed() {
    let world = world().await;
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(503)).up_to_n_times(1).mount(&server).await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    let id = add(&world, &server, "/", &[NoticeKind::MemoryStored], None).await.webhook.id;
    let set = async |state: WebhookState| {
        let settings = WebhookSettings { state: Some(state), ..WebhookSettings::default() };
        webhooks::change(&world.engine, &world.vera, id, settings).await.unwrap();
    };
    let sent = async || -> Vec<String> {
        let requests = received(&server, "/").await;
        requests.iter().map(|request| body(request)["data"]["id"].as_str().unwrap().to_owned()).collect()
    };
    let first = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id.to_string();
    send(&world).await;
    set(WebhookState::Paused).await;
    let second = remember(&world, &world.atlas, fact("mate", "Idris drinks mate")).await.memory_id.to_string();
    world.clock.advance(Duration::hours(2));
    send(&world).await;
    assert_eq!(sent().await, std::slice::from_ref(&first), "nothing is sent while it is paused");
    set(WebhookState::Active).await;
    for _ in 0..2 {
        send(&world).await;
    }
    assert_eq!(sent().await, [first.clone(), first, second], "what failed before, and what happened meanwhile");

    // A delivery that waits for too long is dropped.
    let late = remember(&world, &world.atlas, fact("cocoa", "Mina drinks cocoa")).await.memory_id.to_string();
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(503)).up_to_n_times(1).with_priority(1).mount(&server).await;
    send(&world).await;
    set(WebhookState::Paused).await;
    world.clock.advance(Duration::hours(33));
    send(&world).await;
    set(WebhookState::Active).await;
    send(&world).await;
    assert_eq!(sent().await[3..], [late], "one attempt before the pause");
    let filter = EventFilter { task: Some("webhook".into()), state: Some(EventState::Done), ..EventFilter::default() };
    assert_eq!(capture::events(&world.engine, &world.vera, &filter).await.unwrap().rows.len(), 3);
}

#[tokio::test]
async fn of_each_webhook_the_delivery_that_waits_longest_is_claimed() {
    let world = world().await;
    let (pool, now) = (world.engine.db().memory.system(), world.clock.now());
    let (one, other) = (WebhookId(Uuid::from_u128(1)), WebhookId(Uuid::from_u128(2)));
    let wait = async |webhook: Option<WebhookId>, minutes: i64| -> EventId {
        let waiting = "insert into events (tenant_id, agent_id, id, kind, task, payload, state, run_after, created_at)
                       values ($1, $2, gen_random_uuid(), 'maintenance', 'webhook',
                               jsonb_strip_nulls(jsonb_build_object('webhook_id', $3::uuid)), 'pending', $4, $4) returning id";
        let insert =
            sqlx::query_scalar(waiting).bind(world.system.tenant_id).bind(agent(&world.atlas)).bind(webhook.map(|webhook| webhook.0));
        insert.bind(now - Duration::minutes(minutes)).one(&world.engine).await
    };
    let claim = async |webhook: Option<WebhookId>| -> Vec<EventId> {
        let claimed = jobs::store::claim_deliveries(pool, webhook, (&[], now), now, now + Duration::seconds(30), 16).await.unwrap();
        claimed.into_iter().map(|event| event.id).collect()
    };
    assert!(claim(None).await.is_empty());
    let (second, first) = (wait(Some(one), 5).await, wait(Some(one), 9).await);
    let (unreadable, of_other) = (wait(None, 7).await, wait(Some(other), 1).await);
    wait(Some(WebhookId(Uuid::from_u128(3))), -1).await;
    let (mut claimed, mut due) = (claim(None).await, vec![first, unreadable, of_other]);
    claimed.sort_unstable();
    due.sort_unstable();
    assert_eq!(claimed, due, "one of each that is due");
    assert!(claim(None).await.is_empty() && claim(Some(one)).await.is_empty(), "they are under way");
    let end = "update events set state = 'done', leased_until = null where tenant_id = $1 and id = $2";
    sqlx::query(end).bind(world.system.tenant_id).bind(first).run(&world.engine).await;
    assert_eq!(claim(Some(one)).await, [second]);
    assert!(claim(Some(other)).await.is_empty());
}

#[tokio::test]
async fn a_short_failure_disables_nothing_and_one_delivery_ends_it() {
    let world = world().await;
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(503)).up_to_n_times(2).mount(&server).await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    let id = add(&world, &server, "/", &[NoticeKind::MemoryStored], None).await.webhook.id;
    remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    for _ in 0..3 {
        send(&world).await;
        world.clock.advance(Duration::minutes(6));
    }
    let requests = server.received_requests().await.unwrap();
    let ids: Vec<&str> = requests.iter().map(|request| request.headers["webhook-id"].to_str().unwrap()).collect();
    assert_eq!((ids.len(), ids[0] == ids[1] && ids[1] == ids[2]), (3, true), "every attempt has one id");
    let webhook = one(&world, id).await;
    assert_eq!((webhook.state, webhook.error, webhook.failing_since), (WebhookState::Active, None, None));
}

#[tokio::test]
async fn redirects_are_not_followed_and_a_receiver_that_is_gone_is_left_alone() {
    let world = world().await;
    let server = receiver(&[("/gone", 410), ("/inside", 200)]).await;
    let redirect = ResponseTemplate::new(307).insert_header("location", format!("{}/inside", server.uri()));
    Mock::given(method("POST")).and(path("/elsewhere")).respond_with(redirect).mount(&server).await;
    let gone = add(&world, &server, "/gone", &[NoticeKind::MemoryStored], None).await.webhook.id;
    let url = format!("{}/inside", server.uri());
    let elsewhere = add(&world, &server, "/elsewhere", &[NoticeKind::MemoryStored], None).await.webhook.id;
    remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    send(&world).await;
    assert_eq!(received(&server, "/inside").await.len(), 0);
    assert_eq!(one(&world, elsewhere).await.error.unwrap(), "the receiver answers with the status 307 instead of 200");
    assert_eq!(one(&world, gone).await.state, WebhookState::Disabled, "410 means that it wants nothing any more");
    let settings = WebhookSettings { url: Some(url), ..WebhookSettings::default() };
    let moved = webhooks::change(&world.engine, &world.vera, elsewhere, settings).await.unwrap();
    assert_eq!((moved.error, moved.failing_since), (None, None), "a new address begins anew");
}

#[tokio::test]
async fn only_public_addresses_without_secrets_are_taken() {
    let world = alone().await;
    let refused = async |url: &str| {
        let new = NewWebhook { url: url.into(), events: vec![NoticeKind::JobDead], agent: None };
        match webhooks::add(&world.engine, &world.vera, new).await {
            Err(Error::Invalid(fields)) => fields[0].field.clone(),
            other => panic!("{url}: {other:?}"),
        }
    };
    let with_a_key = format!("https://example.org/?key=ghp_{}", "a1B2".repeat(9));
    for url in [
        "",
        "not an address",
        "http://example.org/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.0.0.1/hook",
        "https://169.254.169.254/latest",
        "https://vera:hunter2@example.org/",
        "https://example.org/#there",
        with_a_key.as_str(),
    ] {
        assert_eq!(refused(url).await, "url", "{url}");
    }
    let events = NewWebhook { url: "https://example.org".into(), events: vec![], agent: None };
    assert!(matches!(webhooks::add(&world.engine, &world.vera, events).await, Err(Error::Invalid(_))));
    let stranger = NewWebhook { url: "https://example.org".into(), events: vec![NoticeKind::JobDead], agent: Some("nobody".into()) };
    assert!(matches!(webhooks::add(&world.engine, &world.vera, stranger).await, Err(Error::NotFound("agent"))));
    let events = vec![NoticeKind::JobDead, NoticeKind::MemoryStored, NoticeKind::JobDead];
    let shared = NewWebhook { url: "https://example.org".into(), events, agent: Some("commons".into()) };
    let made = webhooks::add(&world.engine, &world.vera, shared).await.unwrap().webhook;
    assert_eq!(made.events, [NoticeKind::MemoryStored, NoticeKind::JobDead], "each once");
    assert_eq!((made.url.as_str(), made.agent.as_deref()), ("https://example.org/", Some("commons")), "in its usual form");
    let disable = WebhookSettings { state: Some(WebhookState::Disabled), ..WebhookSettings::default() };
    assert!(matches!(webhooks::change(&world.engine, &world.vera, made.id, disable).await, Err(Error::Invalid(_))));
    assert!(matches!(webhooks::remove(&world.engine, &alone().await.vera, made.id).await, Err(Error::NotFound("webhook"))));
}

#[tokio::test]
async fn a_replaced_secret_is_forgotten_when_it_signs_no_more() {
    let world = alone().await;
    let new = NewWebhook { url: "https://example.org".into(), events: vec![NoticeKind::JobDead], agent: None };
    let id = webhooks::add(&world.engine, &world.vera, new).await.unwrap().webhook.id;
    webhooks::rotate(&world.engine, &world.vera, id).await.unwrap();
    webhooks::sweep(&world.engine).await.unwrap();
    assert!(one(&world, id).await.previous_secret_until.is_some());
    world.clock.advance(Duration::hours(25));
    assert_eq!(one(&world, id).await.previous_secret_until, None, "it signs no more");
    webhooks::sweep(&world.engine).await.unwrap();
    let kept = "select count(*) from webhooks where previous_secret is not null";
    let kept: i64 = sqlx::query_scalar(kept).one(&world.engine.urls().internal_shared).await;
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn people_follow_everything_and_agents_what_they_can_read() {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    let (engine, vera) = (&world.engine, &world.vera);
    assert_eq!(notices::newest(engine, vera).await.unwrap(), 0);
    let kept = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    let idris = OpContext { users: db::Users::One(wire::UserId(Uuid::from_u128(1))), ..world.atlas.clone() };
    let of_idris = remember(&world, &idris, fact("mate", "Idris drinks mate")).await.memory_id;
    let asked = RecallRequest { expected: true, ..question("quarterly budget") };
    assert!(recall::recall(engine, &world.atlas, asked).await.unwrap().zero_hit);
    engine.log().flush().await;
    let die = "insert into events (tenant_id, agent_id, id, kind, task, state, attempt, run_after, created_at)
               values ($1, $2, gen_random_uuid(), 'maintenance', 'fold_laundry', 'pending', 8, now(), now())";
    sqlx::query(die).bind(world.system.tenant_id).bind(agent(&world.atlas)).run(engine).await;
    work(&world).await;
    settle(&world).await;

    let seen = |ctx: OpContext| {
        let engine = engine.clone();
        async move {
            let following = notices::after(&engine, &ctx, 0).await.unwrap();
            assert!(!following.missed);
            following.notices.into_iter().map(|(_, notice)| (notice.kind, notice.data.id)).collect::<Vec<_>>()
        }
    };
    let mut kinds: Vec<NoticeKind> = seen(vera.clone()).await.into_iter().map(|(kind, _)| kind).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [NoticeKind::MemoryStored, NoticeKind::MemoryStored, NoticeKind::ZeroHitExpected, NoticeKind::JobDead]);
    assert_eq!(seen(world.atlas.clone()).await, [(NoticeKind::MemoryStored, kept.to_string())], "nobody else's user");
    let both = [(NoticeKind::MemoryStored, kept.to_string()), (NoticeKind::MemoryStored, of_idris.to_string())];
    assert_eq!(seen(idris).await, both);
    assert!(seen(world.binky.clone()).await.is_empty());

    let newest = notices::newest(engine, vera).await.unwrap();
    assert_eq!(newest, 4, "numbers have no gaps");
    assert!(notices::after(engine, vera, newest).await.unwrap().notices.is_empty());
    assert_eq!(notices::after(engine, vera, 3).await.unwrap().notices.len(), 1);
    assert_eq!(notices::after(engine, &alone().await.vera, 0).await.unwrap().seen, 0);

    // A day later they are gone, and whoever missed them learns it.
    world.clock.advance(Duration::days(2));
    audit::sweep(engine, engine.clock().now()).await.unwrap();
    let gone = notices::after(engine, vera, 1).await.unwrap();
    assert_eq!((gone.notices.len(), gone.seen, gone.missed), (0, 4, true));
    assert!(!notices::after(engine, vera, 4).await.unwrap().missed);
    let left: i64 = sqlx::query_scalar("select count(*) from notices").one(&engine.urls().internal_shared).await;
    assert_eq!(left, 0);
}
