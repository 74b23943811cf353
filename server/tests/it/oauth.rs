//! OAuth for clients of the Model Context Protocol: the way of a client that gets access, and of those that lie.

use crate::console::sign_in;
use crate::forms::{FIELDS, post};
use crate::harness::{Answer, Site, with_token};
use crate::mcp::Session;
use app::Query;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use chrono::Duration;
use db::clock::SystemClock;
use foundation::audit;
use foundation::identity::oauth::{self, Consent};
use foundation::identity::{self, OauthClient};
use foundation::testing::{PASSWORD, TestDatabases, World};
use remembrancer::overview;
use serde_json::{Value, json};
use wire::{AgentKey, AuditFilter, ErrorCode, KeyScope, OperatorRole, RequestId};

const ISSUER: &str = "http://127.0.0.1:3000";
const CALLBACK: &str = "http://127.0.0.1:4711/callback";
/// RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
pub const READ: &[&str] = &["memory:read"];
/// How a page leads elsewhere by itself.
const LEADS_TO: &str = "http-equiv=\"refresh\" content=\"0;url=";

async fn register(site: &Site, client: Value) -> Answer {
    site.send(Request::post("/oauth/register").body(Body::from(client.to_string())).unwrap()).await
}

/// A client that may be anywhere on the person's machine, and what it asks for.
pub struct Client<'a> {
    site: &'a Site,
    cookie: String,
    pub id: String,
    pub asked: Query,
}

impl<'a> Client<'a> {
    async fn new(site: &'a Site) -> Self {
        Self::of(site, sign_in(site, &site.world.login, PASSWORD).await.1).await
    }

    async fn of(site: &'a Site, cookie: String) -> Self {
        let made = register(site, json!({ "client_name": "Claude", "redirect_uris": ["http://127.0.0.1/callback"] })).await;
        assert_eq!(made.status, StatusCode::CREATED, "{made:?}");
        Self::with(site, cookie, made.json()["client_id"].as_str().unwrap().to_owned())
    }

    /// A client with this id.
    pub fn with(site: &'a Site, cookie: String, id: String) -> Self {
        let asked = Query::default()
            .with("response_type", "code")
            .with("client_id", &id)
            .with("redirect_uri", CALLBACK)
            .with("code_challenge", CHALLENGE)
            .with("code_challenge_method", "S256")
            .with("scope", "memory:read memory:write")
            .with("resource", format!("{ISSUER}/mcp"))
            .with("state", "x&y");
        Self { site, cookie, id, asked }
    }

    pub async fn page(&self, asked: &Query) -> Answer {
        self.site.get(&asked.href("/oauth/authorize"), &[(header::COOKIE, &self.cookie), (header::ACCEPT, "text/html")]).await
    }

    pub async fn decide(&self, asked: &Query, decision: &str, scopes: &[&str], user: &str) -> Answer {
        let agent = self.site.world.atlas.agent_id().unwrap();
        let fields = Query::default().with("asked", asked.href("")).with("decision", decision).with("agent", agent).with("user_id", user);
        let scopes: String = scopes.iter().map(|scope| format!("&scopes[]={scope}")).collect();
        let path = "/console/api/authorize_client";
        let body = with_token(&self.cookie, path, &format!("{}{scopes}", fields.href("").trim_start_matches('?')));
        post(self.site, &self.cookie, path, FIELDS, body).await
    }

    /// The code that the person's consent gives.
    pub async fn code(&self) -> String {
        let answer = self.decide(&self.asked, "allow", READ, "").await;
        answer_of(&answer).get("code").unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    }

    pub async fn send(&self, path: &str, fields: Query) -> Answer {
        let body = fields.href("").trim_start_matches('?').to_owned();
        self.site.send(Request::post(path).header(header::CONTENT_TYPE, FIELDS).body(Body::from(body)).unwrap()).await
    }

    /// A right exchange of a code.
    pub fn exchange_of(&self, code: &str) -> Query {
        Query::default()
            .with("grant_type", "authorization_code")
            .with("client_id", &self.id)
            .with("code", code)
            .with("redirect_uri", CALLBACK)
            .with("code_verifier", VERIFIER)
            .with("resource", format!("{ISSUER}/mcp"))
    }

    async fn exchange(&self, code: &str) -> Answer {
        self.send("/oauth/token", self.exchange_of(code)).await
    }

    pub async fn refresh(&self, token: &str) -> Answer {
        let fields = Query::default().with("grant_type", "refresh_token").with("client_id", &self.id).with("refresh_token", token);
        self.send("/oauth/token", fields).await
    }

    /// Access and refresh token.
    pub async fn tokens(&self) -> (String, String) {
        tokens(&self.exchange(&self.code().await).await)
    }

    /// The keys of the agent whose name says that a client holds them.
    pub async fn keys(&self) -> Vec<AgentKey> {
        let world = &self.site.world;
        let detail = overview::agent(&world.engine, &world.vera, world.atlas.agent_id().unwrap()).await.unwrap();
        detail.keys.into_iter().filter(|key| key.name.starts_with("Claude (")).collect()
    }
}

/// The parameters with which a client is answered, at the address that it registered. A page of this server leads there: its forms may lead
/// here only.
fn answer_of(answer: &Answer) -> Query {
    assert!(answer.header(header::CONTENT_SECURITY_POLICY).contains("form-action 'self';"), "{answer:?}");
    assert_eq!((answer.status, answer.header(header::CACHE_CONTROL)), (StatusCode::OK, "no-store"), "{answer:?}");
    let (_, address) = answer.text.split_once(LEADS_TO).unwrap_or_else(|| panic!("{answer:?}"));
    let (address, query) = address.split('"').next().and_then(|address| address.split_once('?')).unwrap_or_else(|| panic!("{answer:?}"));
    assert_eq!(address, CALLBACK);
    assert!(answer.text.contains(&format!("href=\"{CALLBACK}?{query}\"")), "browsers without a refresh have a link: {answer:?}");
    Query::parse(&query.replace("&amp;", "&"))
}

pub fn tokens(answer: &Answer) -> (String, String) {
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let token = |name: &str| answer.json()[name].as_str().unwrap().to_owned();
    (token("access_token"), token("refresh_token"))
}

pub fn refused(answer: &Answer, code: &str) {
    assert_eq!((answer.status, answer.json()["error"].as_str()), (StatusCode::BAD_REQUEST, Some(code)), "{answer:?}");
    assert_eq!(answer.header(header::CACHE_CONTROL), "no-store");
}

async fn recall_for(site: &Site, key: &str, user: &str) -> StatusCode {
    let request = Request::post("/api/tools/agent_memory_recall")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .header("x-remembrancer-user", user);
    site.send(request.body(Body::from(r#"{"query": "tea"}"#)).unwrap()).await.status
}

pub async fn recall(site: &Site, key: &str) -> StatusCode {
    site.post(Some(key), "agent_memory_recall", r#"{"query": "tea"}"#).await.status
}

#[tokio::test]
async fn a_client_finds_its_way_gets_access_renews_it_and_gives_it_up() {
    let site = Site::new().await;
    let world = &site.world;
    let challenged = site.send(Request::post("/mcp").body(Body::empty()).unwrap()).await;
    assert_eq!(challenged.status, StatusCode::UNAUTHORIZED);
    let metadata = format!("resource_metadata=\"{ISSUER}/.well-known/oauth-protected-resource/mcp\"");
    assert!(challenged.header(header::WWW_AUTHENTICATE).contains(&metadata), "{challenged:?}");
    assert!(!challenged.header(header::WWW_AUTHENTICATE).contains("error"), "{challenged:?}");
    let expired = site.send(Request::post("/mcp").header(header::AUTHORIZATION, "Bearer rmb_gone").body(Body::empty()).unwrap()).await;
    assert_eq!(expired.status, StatusCode::UNAUTHORIZED);
    assert!(expired.header(header::WWW_AUTHENTICATE).starts_with(&format!("Bearer error=\"invalid_token\", {metadata}")), "{expired:?}");
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let resource = site.get(path, &[]).await.json();
        assert_eq!((&resource["resource"], &resource["authorization_servers"]), (&json!(format!("{ISSUER}/mcp")), &json!([ISSUER])));
    }
    let server = site.get("/.well-known/oauth-authorization-server", &[]).await.json();
    assert_eq!((&server["issuer"], &server["code_challenge_methods_supported"]), (&json!(ISSUER), &json!(["S256"])));
    assert_eq!(server["client_id_metadata_document_supported"], json!(true));
    assert!(!server["scopes_supported"].as_array().unwrap().contains(&json!("users:any")), "{server}");

    let client = Client::new(&site).await;
    let stranger = site.get(&client.asked.href("/oauth/authorize"), &[(header::ACCEPT, "text/html")]).await;
    assert!(stranger.header(header::LOCATION).starts_with("/sign-in?next=/oauth/authorize"), "{stranger:?}");
    let page = client.page(&client.asked).await;
    assert_eq!(page.status, StatusCode::OK, "{page:?}");
    for part in ["Claude", "http://127.0.0.1:4711", "memory:write", "atlas", "Deny access"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    assert!(page.header(header::CONTENT_SECURITY_POLICY).contains("form-action 'self';"), "{page:?}");
    let padded = format!("{}&state=eyJhIjoxfQ==", client.asked.without(&["state"]).href("/oauth/authorize"));
    let page = site.get(&padded, &[(header::COOKIE, &client.cookie), (header::ACCEPT, "text/html")]).await;
    assert_eq!(page.status, StatusCode::OK, "a value may end like an empty field: {page:?}");
    assert!(page.text.contains("state=eyJhIjoxfQ%3D%3D"), "{}", page.text);

    let mina = identity::add_user(&world.engine, &world.system, "crm-4711", Some("Mina"), None).await.unwrap().id;
    let allowed = answer_of(&client.decide(&client.asked, "allow", READ, "crm-4711").await);
    assert_eq!((allowed.get("state"), allowed.get("iss")), (Some("x&y"), Some(ISSUER)));
    let answer = client.exchange(allowed.get("code").unwrap()).await;
    assert_eq!((&answer.json()["scope"], &answer.json()["expires_in"]), (&json!("memory:read"), &json!(3600)));
    assert_eq!(answer.header(header::CACHE_CONTROL), "no-store");
    let (access, refresh) = tokens(&answer);
    let ctx = identity::authenticate(&world.engine, &access, RequestId(world.engine.clock().id())).await.unwrap();
    assert_eq!((ctx.user(), ctx.agent_id().unwrap()), (Some(mina), world.atlas.agent_id().unwrap()));
    let session = Session::open(&site, &access).await;
    let tools = session.ask("tools/list", json!({})).await.to_string();
    assert!(tools.contains("agent_memory_recall") && !tools.contains("\"agent_memory_forget\""), "{tools}");
    let key = client.keys().await.pop().unwrap();
    assert!(key.renewable_until.is_some() && key.name.ends_with("(http://127.0.0.1:4711)"), "{key:?}");

    let (newer, _) = tokens(&client.refresh(&refresh).await);
    assert_eq!((recall(&site, &access).await, recall(&site, &newer).await), (StatusCode::UNAUTHORIZED, StatusCode::OK));
    assert_eq!(client.keys().await.len(), 1, "the key stays the same");
    let other = Client::new(&site).await;
    for (who, expected) in [(&other, StatusCode::OK), (&client, StatusCode::UNAUTHORIZED)] {
        let revoked = who.send("/oauth/revoke", Query::default().with("client_id", &who.id).with("token", &newer)).await;
        assert_eq!((revoked.status, recall(&site, &newer).await), (StatusCode::OK, expected), "a client gives up its own access only");
    }
    assert!(client.keys().await[0].revoked_at.is_some());
}

#[tokio::test]
async fn a_client_that_lies_about_its_address_is_told_nothing() {
    let site = Site::new().await;
    for uris in [json!([]), json!(["http://claude.example/callback"]), json!(["https://claude.example/#x"]), json!(["cursor://callback"])] {
        refused(&register(&site, json!({ "client_name": "Claude", "redirect_uris": uris })).await, "invalid_redirect_uri");
    }
    refused(&register(&site, json!({ "client_name": "x".repeat(101), "redirect_uris": [CALLBACK] })).await, "invalid_client_metadata");
    refused(&register(&site, json!("Claude")).await, "invalid_client_metadata");

    let client = Client::new(&site).await;
    for (name, value) in [
        ("redirect_uri", "http://127.0.0.1:4711/callback/elsewhere"),
        ("redirect_uri", "https://attacker.example/callback"),
        ("client_id", "01900000-0000-7000-8000-000000000000"),
    ] {
        let asked = client.asked.with(name, value);
        let page = client.page(&asked).await;
        assert!(page.status.is_client_error() && page.header(header::LOCATION).is_empty(), "{value}: {page:?}");
        assert!(!page.text.contains("href=\"https://attacker.example"), "{}", page.text);
        for decision in ["allow", "deny"] {
            let answer = client.decide(&asked, decision, READ, "").await;
            assert!(answer.header(header::LOCATION).starts_with("/oauth/authorize?"), "{value}: {answer:?}");
        }
    }
    assert!(client.keys().await.is_empty(), "nobody was let in");
    let elsewhere = client.exchange_of(&client.code().await).with("redirect_uri", "http://127.0.0.1:4712/callback");
    refused(&client.send("/oauth/token", elsewhere).await, "invalid_grant");
}

#[tokio::test]
async fn what_no_operator_can_give_leads_away_only_by_a_click_and_a_denial_by_itself() {
    let site = Site::new().await;
    let client = Client::new(&site).await;
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("scope", "users:any", "invalid_scope"),
        ("resource", "https://other.example/mcp", "invalid_target"),
    ] {
        let page = client.page(&client.asked.with(name, value)).await;
        assert_eq!((page.status, page.header(header::LOCATION)), (StatusCode::BAD_REQUEST, ""), "only a click leads away: {page:?}");
        for part in
            [&*format!("href=\"{CALLBACK}?error={error}&amp;error_description="), "&amp;state=x%26y&amp;", "Back to http://127.0.0.1:4711"]
        {
            assert!(page.text.contains(part), "{name}={value}: {part}: {}", page.text);
        }
        assert!(!page.text.contains("Allow access") && !page.text.contains(LEADS_TO), "{}", page.text);
    }
    let denied = answer_of(&client.decide(&client.asked, "deny", READ, "").await);
    assert_eq!((denied.get("error"), denied.get("code")), (Some("access_denied"), None));
    assert!(client.keys().await.is_empty());
    for unknown in ["01900000-0000-7000-8000-000000000000", "nobody@acme.example"] {
        let answer = client.decide(&client.asked, "allow", READ, unknown).await;
        assert!(answer.header(header::LOCATION).starts_with("/oauth/authorize?"), "{answer:?}");
        let page = client.page(&client.asked).await;
        assert!(page.text.contains(unknown) && page.text.contains("no user has this reference"), "{}", page.text);
    }
    assert!(client.keys().await.is_empty());
}

#[tokio::test]
async fn an_organisation_without_agents_can_deny_access() {
    let site = Site::new().await;
    let (engine, slug) = (&site.world.engine, format!("{}2", site.world.tenant_slug));
    let (system, login) = (identity::create_tenant(engine, &slug, "Harbour").await.unwrap(), format!("mina@{slug}"));
    identity::create_operator(engine, &system, &login, "Mina", PASSWORD, &[OperatorRole::Viewer]).await.unwrap();
    let client = Client::of(&site, sign_in(&site, &login, PASSWORD).await.1).await;
    let page = client.page(&client.asked).await.text;
    assert!(page.contains("There are no agents yet") && page.contains("Deny access") && !page.contains("value=\"allow\""), "{page}");
    let (path, fields) = ("/console/api/authorize_client", Query::default().with("asked", client.asked.href("")).with("decision", "deny"));
    let body = with_token(&client.cookie, path, fields.href("").trim_start_matches('?'));
    let denied = answer_of(&post(&site, &client.cookie, path, FIELDS, body).await);
    assert_eq!(denied.get("error"), Some("access_denied"));
}

#[tokio::test]
async fn whoever_gave_access_sees_for_whom_and_revokes_it() {
    let site = Site::new().await;
    let world = &site.world;
    let agent = world.atlas.agent_id().unwrap();
    let mina = identity::add_user(&world.engine, &world.system, "crm-4711", Some("Mina"), None).await.unwrap().id;
    let login = format!("idris@{}", world.tenant_slug);
    let idris = identity::create_operator(&world.engine, &world.system, &login, "Idris", PASSWORD, &[OperatorRole::Viewer]).await.unwrap();
    let client = Client::of(&site, sign_in(&site, &login, PASSWORD).await.1).await;
    let allowed = answer_of(&client.decide(&client.asked, "allow", READ, "crm-4711").await);
    let (access, _) = tokens(&client.exchange(allowed.get("code").unwrap()).await);
    let key = client.keys().await.pop().unwrap();
    assert_eq!((key.user, key.given_by), (Some((mina, Some("Mina".into()))), Some((idris, "Idris".into()))));
    let page = site.get(&format!("/agents/{agent}"), &[(header::COOKIE, &client.cookie), (header::ACCEPT, "text/html")]).await.text;
    assert!(page.contains("Access given by Idris") && page.contains("Mina") && page.contains("Toolsets: core"), "{page}");
    let path = "/console/api/revoke_key";
    assert_eq!(page.matches(path).count(), 1, "only the key that Idris gave: {page}");

    let detail = overview::agent(&world.engine, &world.vera, agent).await.unwrap();
    let other = detail.keys.into_iter().find(|key| world.atlas_key.starts_with(key.hint.trim_end_matches('…'))).unwrap();
    for id in [other.id, key.id] {
        post(&site, &client.cookie, path, FIELDS, with_token(&client.cookie, path, &format!("id={id}&agent={agent}"))).await;
    }
    assert_eq!(recall(&site, &world.atlas_key).await, StatusCode::OK, "only admins revoke the keys of others");
    assert_eq!(recall(&site, &access).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_code_is_good_once_for_its_client_its_verifier_and_a_minute() {
    let site = Site::new().await;
    let client = Client::new(&site).await;
    let other = Client::new(&site).await;
    let code = client.code().await;
    let right = client.exchange_of(&code);
    let wrong_verifier = VERIFIER.replace('d', "e");
    for (name, value, error) in [
        ("code_verifier", wrong_verifier.as_str(), "invalid_grant"),
        ("code_verifier", "short", "invalid_request"),
        ("client_id", other.id.as_str(), "invalid_grant"),
        ("client_id", "01900000-0000-7000-8000-000000000000", "invalid_client"),
        ("client_id", "unheard-of", "invalid_client"),
        ("resource", "https://other.example/mcp", "invalid_target"),
        ("grant_type", "password", "unsupported_grant_type"),
        ("code", "", "invalid_request"),
        ("code", "unheard-of", "invalid_grant"),
    ] {
        refused(&client.send("/oauth/token", right.with(name, value)).await, error);
    }
    let (access, _) = tokens(&client.exchange(&code).await);
    assert_eq!(recall(&site, &access).await, StatusCode::OK);
    refused(&client.exchange(&code).await, "invalid_grant");
    assert_eq!(recall(&site, &access).await, StatusCode::UNAUTHORIZED, "a replayed code ends what it gave");

    let old = client.code().await;
    let (access, _) = tokens(&client.exchange(&old).await);
    site.world.clock.advance(Duration::minutes(12));
    refused(&client.exchange(&old).await, "invalid_grant");
    assert_eq!(recall(&site, &access).await, StatusCode::OK, "an old code ends nothing");

    let late = client.code().await;
    site.world.clock.advance(Duration::seconds(61));
    refused(&client.exchange(&late).await, "invalid_grant");
}

#[tokio::test]
async fn a_refresh_token_is_good_once_and_an_access_token_for_an_hour() {
    let site = Site::new().await;
    let client = Client::new(&site).await;
    let (first, used) = client.tokens().await;
    assert_eq!(recall(&site, &first).await, StatusCode::OK);
    site.world.clock.advance(Duration::hours(2));
    for _ in 0..2 {
        assert_eq!(recall(&site, &first).await, StatusCode::UNAUTHORIZED);
    }
    identity::flush_uses(&site.world.engine).await.unwrap();
    let key = client.keys().await.pop().unwrap();
    assert_eq!((key.requests, key.refused, key.last_refused_at), (1, 0, None), "a client renews its token after this refusal");
    let (second, refresh) = tokens(&client.refresh(&used).await);
    site.world.clock.advance(Duration::seconds(15));
    for _ in 0..2 {
        assert_eq!(tokens(&client.refresh(&used).await), (second.clone(), refresh.clone()), "requests side by side get the same tokens");
    }
    assert_eq!(recall(&site, &second).await, StatusCode::OK);
    let (third, last) = tokens(&client.refresh(&refresh).await);
    // Two turns ago: whoever holds the first one must not go on unseen.
    refused(&client.refresh(&used).await, "invalid_grant");
    assert_eq!(recall(&site, &third).await, StatusCode::UNAUTHORIZED, "a token that is used twice ends the access");
    refused(&client.refresh(&last).await, "invalid_grant");

    let (_, used) = client.tokens().await;
    let (renewed, _) = tokens(&client.refresh(&used).await);
    site.world.clock.advance(Duration::seconds(31));
    refused(&client.refresh(&used).await, "invalid_grant");
    assert_eq!(recall(&site, &renewed).await, StatusCode::UNAUTHORIZED, "a late repeat ends the access, too");

    let (_, unused) = client.tokens().await;
    site.world.clock.advance(Duration::days(31));
    refused(&client.refresh(&unused).await, "invalid_grant");
}

#[tokio::test]
async fn a_new_client_takes_the_place_of_the_oldest_without_access_and_nobody_registers_without_end() {
    let site = Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[]);
    let engine = &site.world.engine;
    let (client, oldest) = (Client::new(&site).await, Client::new(&site).await);
    client.tokens().await;
    let mut tx = engine.db().control.begin_system().await.unwrap();
    for _ in 1..1_000 {
        let other = OauthClient { id: engine.clock().id(), name: "Claude".into(), redirect_uris: vec![CALLBACK.into()], host: None };
        identity::store::insert_client(&mut tx, &other, engine.clock().now()).await.unwrap();
    }
    tx.commit().await.unwrap();
    refused(&oldest.exchange("unheard-of").await, "invalid_grant");
    let newest = Client::new(&site).await;
    for (who, error) in [(&oldest, "invalid_client"), (&newest, "invalid_grant"), (&client, "invalid_grant")] {
        refused(&who.exchange("unheard-of").await, error);
    }

    let mut answer = register(&site, json!("Claude")).await;
    while answer.status == StatusCode::BAD_REQUEST {
        answer = register(&site, json!("Claude")).await;
    }
    assert_eq!((answer.status, &answer.json()["error"]), (StatusCode::TOO_MANY_REQUESTS, &json!("temporarily_unavailable")));
    assert_eq!(answer.header(header::CACHE_CONTROL), "no-store");
    assert!(!answer.header(header::RETRY_AFTER).is_empty(), "{answer:?}");
}

#[tokio::test]
async fn clients_go_a_day_after_registration_or_long_after_their_access() {
    let site = Site::on(World::on(TestDatabases::fresh(&SystemClock).await).await, &[]);
    let world = &site.world;
    let (client, idle) = (Client::new(&site).await, Client::new(&site).await);
    let (_, refresh) = client.tokens().await;
    for (days, of_client, of_idle) in
        [(0, "invalid_grant", "invalid_grant"), (2, "invalid_grant", "invalid_client"), (117, "invalid_grant", "invalid_client")]
    {
        world.clock.advance(Duration::days(days));
        oauth::sweep(&world.engine).await.unwrap();
        refused(&client.exchange("unheard-of").await, of_client);
        refused(&idle.exchange("unheard-of").await, of_idle);
    }
    refused(&client.refresh(&refresh).await, "invalid_grant");
    world.clock.advance(Duration::days(2));
    oauth::sweep(&world.engine).await.unwrap();
    refused(&client.refresh(&refresh).await, "invalid_client");
}

#[tokio::test]
async fn nobody_gives_more_than_their_roles_allow_and_access_ends_with_them() {
    let site = Site::new().await;
    let world = &site.world;
    let login = format!("mina@{}", world.tenant_slug);
    let mina = identity::create_operator(&world.engine, &world.system, &login, "Mina", PASSWORD, &[OperatorRole::Viewer]).await.unwrap();
    let client = Client::of(&site, sign_in(&site, &login, PASSWORD).await.1).await;
    let page = client.page(&client.asked).await;
    assert!(page.text.contains("Your roles do not allow: memory:write."), "{}", page.text);
    assert!(!page.text.contains("value=\"memory:write\""), "{}", page.text);
    for scopes in [&["memory:read", "memory:write"][..], &["users:any"], &["unheard-of"], &[]] {
        let answer = client.decide(&client.asked, "allow", scopes, "").await;
        assert!(!answer.text.contains(LEADS_TO) && !answer.header(header::LOCATION).starts_with(CALLBACK), "{scopes:?}: {answer:?}");
    }
    assert!(client.keys().await.is_empty());

    let (access, refresh) = client.tokens().await;
    assert_eq!(site.post(Some(&access), "agent_memory_forget", "{}").await.status, StatusCode::FORBIDDEN);
    assert_eq!(recall_for(&site, &world.atlas_key, "crm-4710").await, StatusCode::OK, "a key that a person made may name anybody");
    assert_eq!(recall_for(&site, &access, "crm-4711").await, StatusCode::FORBIDDEN, "access for nobody acts for nobody");
    let stranger = identity::known_user(&world.engine, &world.system, &"crm-4711".parse().unwrap()).await.unwrap();
    assert_eq!(stranger, None, "a refused name is not stored");
    let (ctx, _) = identity::operator(&world.engine, mina, RequestId(world.engine.clock().id())).await.unwrap();
    identity::set_roles(&world.engine, &world.system, mina, &[OperatorRole::Reviewer]).await.unwrap();
    let ended = AuditFilter { action: Some("key.revoked".into()), ..AuditFilter::default() };
    let ended: Vec<String> =
        audit::browse(&world.engine, &world.vera, &ended).await.unwrap().rows.into_iter().map(|entry| entry.target_id).collect();
    assert_eq!(ended, [client.keys().await[0].id.to_string()], "the audit log names the key");
    let late = Consent {
        client_id: client.id.clone(),
        redirect_uri: CALLBACK.into(),
        challenge: CHALLENGE.into(),
        agent: world.atlas.agent_id().unwrap(),
        user: None,
        scopes: vec![KeyScope::MemoryRead],
    };
    let late = oauth::consent(&world.engine, &ctx, late).await;
    assert_eq!(late.unwrap_err().code(), ErrorCode::Unauthenticated, "a consent that began before the change");
    assert_eq!(recall(&site, &access).await, StatusCode::UNAUTHORIZED);
    refused(&client.refresh(&refresh).await, "invalid_grant");
}
