//! Sign-in with an identity provider: a small one on this machine, and what goes wrong with it.

use crate::console::{form, sign_in};
use crate::harness::{Answer, Site};
use app::Query;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::TimeDelta;
use db::clock::Clock;
use foundation::testing::{Fake, PASSWORD, TestDatabases, World};
use foundation::{Settings, audit, identity};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use wire::{AdminOperator, AuditFilter, NewInvitation, OperatorId, OperatorRole, RequestId};

const SECRET: &str = "a secret & of the server";
const CALLBACK: &str = "http://127.0.0.1:3000/sign-in/sso/callback";

/// A key on the curve P-256 with its id.
struct Signer {
    id: &'static str,
    pair: EcdsaKeyPair,
}

impl Signer {
    fn new(id: &'static str) -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        Self { id, pair: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap() }
    }

    fn published(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
        json!({ "kty": "EC", "crv": "P-256", "kid": self.id, "x": x, "y": y })
    }

    fn sign(&self, claims: &Value) -> String {
        let header = json!({ "alg": "ES256", "kid": self.id }).to_string();
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }
}

/// What the provider knows. It takes a code more than once, as a good one would not.
struct Known {
    issuer: String,
    published: Signer,
    /// The key that signs, if it is another one.
    signing: Option<Signer>,
    /// The PKCE challenge and the claims of each code.
    codes: BTreeMap<String, (String, Value)>,
}

type Shared = Arc<Mutex<Known>>;

async fn configuration(State(known): State<Shared>) -> Json<Value> {
    let issuer = known.lock().unwrap().issuer.clone();
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "end_session_endpoint": format!("{issuer}/logout"),
    }))
}

async fn keys(State(known): State<Shared>) -> Json<Value> {
    Json(json!({ "keys": [{ "kty": "oct", "kid": "another kind" }, known.lock().unwrap().published.published()] }))
}

async fn exchange(State(known): State<Shared>, headers: HeaderMap, body: String) -> Result<Json<Value>, (StatusCode, Json<Value>)> {
    let refused = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({ "error": error })));
    let (known, form) = (known.lock().unwrap(), Query::parse(&body));
    let basic = format!("Basic {}", STANDARD.encode("memory:a+secret+%26+of+the+server"));
    assert_eq!(headers[header::AUTHORIZATION].to_str().unwrap(), basic);
    assert_eq!((form.get("grant_type"), form.get("redirect_uri")), (Some("authorization_code"), Some(CALLBACK)));
    if form.get("code") == Some("of-a-stranger") {
        return Err(refused("unauthorized_client"));
    }
    let (challenge, claims) = known.codes.get(&form.text("code")).ok_or_else(|| refused("invalid_grant"))?;
    if URL_SAFE_NO_PAD.encode(Sha256::digest(form.text("code_verifier"))) != *challenge {
        return Err(refused("invalid_grant"));
    }
    let token = known.signing.as_ref().unwrap_or(&known.published).sign(claims);
    Ok(Json(json!({ "access_token": "unused", "token_type": "Bearer", "id_token": token })))
}

/// A site, its provider, and the way between them.
struct Sso {
    site: Site,
    known: Shared,
}

/// A browser on its way to the provider.
struct Begun {
    /// What the address of the provider asks for.
    asked: Query,
    cookie: String,
}

impl Sso {
    async fn new() -> Self {
        Self::with(&[], Settings::default()).await
    }

    async fn with(more: &[(&str, &str)], settings: Settings) -> Self {
        let fake = Fake::new();
        let world = World::with(TestDatabases::shared().await, Arc::new(fake.clone()), fake, settings).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let known = Known { issuer: issuer.clone(), published: Signer::new("1"), signing: None, codes: BTreeMap::new() };
        let known = Arc::new(Mutex::new(known));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(configuration))
            .route("/keys", get(keys))
            .route("/token", post(exchange))
            .with_state(Arc::clone(&known));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let slug = &world.tenant_slug;
        let roles = format!("staff={slug}:viewer,heads={slug}:admin,both={slug}:viewer,both=elsewhere:viewer,gone=nowhere-{slug}:viewer");
        let settings = [
            ("OIDC_ISSUER", issuer.as_str()),
            ("OIDC_CLIENT_ID", "memory"),
            ("OIDC_CLIENT_SECRET", SECRET),
            ("OIDC_ROLES", roles.as_str()),
            ("OIDC_NAME", "Acme"),
            ("OIDC_PRIVATE_ADDRESSES", "true"),
        ];
        let site = Site::on(world, &[more, &settings].concat());
        Self { site, known }
    }

    /// Follows the button of the sign-in page.
    async fn begin(&self) -> Begun {
        let answer = self.site.get("/sign-in/sso?next=/agents", &[]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{answer:?}");
        let (address, asked) = answer.header(header::LOCATION).split_once('?').unwrap();
        assert_eq!(address, format!("{}/authorize", self.known.lock().unwrap().issuer));
        Begun { asked: Query::parse(asked), cookie: set_cookie(&answer, "rmb-sso=").unwrap() }
    }

    /// Lets a person of some groups in at the provider, with these claims in place of the usual ones: the query that leads back.
    fn vouch(&self, begun: &Begun, subject: &str, groups: &[&str], changes: &Value) -> String {
        let mut known = self.known.lock().unwrap();
        let now = self.site.world.clock.now().timestamp();
        let mut claims = json!({
            "iss": known.issuer, "aud": "memory", "sub": subject, "exp": now + 300, "iat": now, "nonce": begun.asked.get("nonce"),
            "groups": groups, "preferred_username": self.login(), "name": "Mina",
        });
        claims.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let code = format!("code-{}", known.codes.len());
        let challenge = begun.asked.text("code_challenge");
        known.codes.insert(code.clone(), (challenge, claims));
        Query::default().with("code", code).with("state", begun.asked.text("state")).href("")
    }

    async fn come_back(&self, query: &str, cookie: &str) -> Answer {
        self.site.get(&format!("/sign-in/sso/callback{query}"), &[(header::COOKIE, cookie)]).await
    }

    /// A whole sign-in.
    async fn sign_in(&self, subject: &str, groups: &[&str], changes: &Value) -> Answer {
        let begun = self.begin().await;
        let query = self.vouch(&begun, subject, groups, changes);
        self.come_back(&query, &begun.cookie).await
    }

    /// The login of the person at the provider.
    fn login(&self) -> String {
        format!("mina@{}", self.site.world.tenant_slug)
    }

    /// Everybody but Vera.
    async fn operators(&self) -> Vec<AdminOperator> {
        let world = &self.site.world;
        let all = identity::list_operators(&world.engine, &world.vera).await.unwrap();
        all.into_iter().filter(|operator| operator.login != world.login).collect()
    }

    async fn audited(&self, action: &str) -> usize {
        let filter = AuditFilter { action: Some(action.into()), ..AuditFilter::default() };
        audit::browse(&self.site.world.engine, &self.site.world.vera, &filter).await.unwrap().rows.len()
    }

    async fn page(&self, path: &str, cookie: &str) -> Answer {
        self.site.get(path, &[(header::COOKIE, cookie), (header::ACCEPT, "text/html")]).await
    }
}

/// The cookie that an answer sets, as the browser sends it back.
fn set_cookie(answer: &Answer, start: &str) -> Option<String> {
    answer.cookies().into_iter().find(|pair| pair.starts_with(start) && pair != start)
}

/// The session that a sign-in opened.
fn let_in(answer: &Answer) -> String {
    assert_eq!((answer.status, answer.header(header::LOCATION)), (StatusCode::SEE_OTHER, "/agents"), "{answer:?}");
    set_cookie(answer, "rmb=").unwrap()
}

/// That a sign-in led back with a code and opened nothing.
fn refused(answer: &Answer, code: &str) {
    assert!(answer.header(header::LOCATION).starts_with(&format!("/sign-in?error={code}")), "{code}: {answer:?}");
    assert_eq!((answer.status, set_cookie(answer, "rmb=")), (StatusCode::SEE_OTHER, None), "{code}: {answer:?}");
}

#[tokio::test]
async fn the_first_sign_in_makes_the_account_and_the_next_one_finds_it() {
    let sso = Sso::new().await;
    let page = sso.page("/sign-in?next=/agents", "").await;
    for part in ["Sign in with Acme", "href=\"/sign-in/sso?next=/agents\"", "type=\"password\""] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let begun = sso.begin().await;
    let asked = |name: &str| begun.asked.text(name);
    let fixed = [asked("response_type"), asked("client_id"), asked("redirect_uri"), asked("scope"), asked("code_challenge_method")];
    assert_eq!(fixed, ["code", "memory", CALLBACK, "openid profile email", "S256"]);
    let query = sso.vouch(&begun, "4711", &["staff", "strangers"], &json!({}));
    let cookie = let_in(&sso.come_back(&query, &begun.cookie).await);
    let page = sso.page("/agents", &cookie).await;
    assert!(page.status == StatusCode::OK && page.text.contains("Mina"), "{page:?}");
    let_in(&sso.sign_in("4711", &["staff"], &json!({ "preferred_username": "renamed", "email": sso.site.world.login })).await);
    let operators = sso.operators().await;
    assert_eq!(operators.len(), 1, "{operators:?}");
    assert_eq!((&operators[0].login, &operators[0].roles), (&sso.login(), &vec![OperatorRole::Viewer]));
    assert_eq!((sso.audited("operator.created").await, sso.audited("operator.signed_in").await), (2, 2), "Vera and Mina; Mina twice");
    form(&sso.site, "sign_out", &cookie, "").await;
    assert!(sso.page("/agents", &cookie).await.status.is_redirection());
    let page = sso.page("/sign-in?signed_out=yes", "").await;
    assert!(page.text.contains("/sign-in/sso/end"), "{}", page.text);
    let end = sso.page("/sign-in/sso/end", "").await;
    assert!(end.header(header::LOCATION).starts_with(&format!("{}/logout?client_id=memory", sso.known.lock().unwrap().issuer)), "{end:?}");
    let sign_in = sign_in(&sso.site, &sso.login(), "not a password at all").await;
    assert_eq!(sign_in.1, "", "an account of the provider has no password");
}

#[tokio::test]
async fn an_account_is_found_by_its_subject_alone() {
    let sso = Sso::new().await;
    let vera = json!({ "preferred_username": sso.site.world.login, "email": sso.site.world.login });
    let cookie = let_in(&sso.sign_in("intruder", &["staff"], &vera).await);
    let operators = sso.operators().await;
    assert!(operators.len() == 1 && operators[0].login.starts_with(&sso.site.world.login), "{operators:?}");
    assert_eq!(operators[0].roles, [OperatorRole::Viewer]);
    assert!(sso.page("/erasure", &cookie).await.text.contains("Your role does not allow this"));
    let_in(&sso.sign_in("another", &["staff"], &vera).await);
    assert_eq!(sso.operators().await.len(), 2);
}

#[tokio::test]
async fn a_token_that_proves_nothing_opens_nothing() {
    let sso = Sso::new().await;
    let now = sso.site.world.clock.now().timestamp();
    for changes in [
        json!({ "aud": "another server" }),
        json!({ "aud": ["memory", "another server"] }),
        json!({ "azp": "another server" }),
        json!({ "iss": "https://login.example" }),
        json!({ "exp": now - 120 }),
        json!({ "iat": now + 120 }),
        json!({ "nonce": "of another sign-in" }),
        json!({ "sub": "" }),
    ] {
        refused(&sso.sign_in("4711", &["heads"], &changes).await, "sso_invalid");
    }
    sso.known.lock().unwrap().signing = Some(Signer::new("1"));
    refused(&sso.sign_in("4711", &["heads"], &json!({})).await, "sso_invalid");
    let page = sso.page("/sign-in?error=sso_invalid", "").await;
    assert!(page.text.contains("cannot trust"), "{}", page.text);
    assert!(sso.operators().await.is_empty());
}

#[tokio::test]
async fn a_sign_in_ends_once_in_the_browser_that_began_it() {
    let sso = Sso::new().await;
    let (begun, other) = (sso.begin().await, sso.begin().await);
    let (query, of_other) = (sso.vouch(&begun, "4711", &["staff"], &json!({})), sso.vouch(&other, "4712", &["staff"], &json!({})));
    let state = begun.asked.text("state");
    for (query, cookie) in [
        (query.clone(), ""),
        (query.clone(), &*other.cookie),
        (of_other.clone(), &*begun.cookie),
        (String::new(), &*begun.cookie),
        (format!("?state={state}"), &*begun.cookie),
        (format!("?state={state}&code=unknown"), &*begun.cookie),
        (format!("{query}&iss=https://login.example"), &*begun.cookie),
        (format!("?state={state}&error=access_denied&iss=https://login.example"), &*begun.cookie),
    ] {
        let answer = sso.come_back(&query, cookie).await;
        refused(&answer, "sso_again");
        let ends = answer.cookies().iter().any(|pair| pair == "rmb-sso=");
        assert_eq!(ends, cookie == begun.cookie && query.contains(&state), "only its own state ends an attempt: {query}");
    }
    refused(&sso.come_back(&format!("?state={state}&error=access_denied"), &begun.cookie).await, "sso_denied");
    let misconfigured = format!("?state={state}&code=of-a-stranger");
    refused(&sso.come_back(&misconfigured, &begun.cookie).await, "sso_unavailable");
    let_in(&sso.come_back(&query, &begun.cookie).await);
    refused(&sso.come_back(&query, &begun.cookie).await, "sso_again");
    sso.site.world.clock.advance(TimeDelta::minutes(10));
    refused(&sso.come_back(&of_other, &other.cookie).await, "sso_again");
    assert_eq!(sso.operators().await.len(), 1);
}

#[tokio::test]
async fn a_provider_that_changes_its_key_is_read_again() {
    let sso = Sso::new().await;
    let_in(&sso.sign_in("4711", &["staff"], &json!({})).await);
    sso.known.lock().unwrap().published = Signer::new("2");
    refused(&sso.sign_in("4711", &["staff"], &json!({})).await, "sso_invalid");
    sso.site.world.clock.advance(TimeDelta::minutes(1));
    let_in(&sso.sign_in("4711", &["staff"], &json!({})).await);
}

#[tokio::test]
async fn a_provider_that_is_down_or_private_lets_nobody_in() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    for settings in
        [[("OIDC_ISSUER", &*closed), ("OIDC_PRIVATE_ADDRESSES", "true")], [("OIDC_ISSUER", "https://127.0.0.1"), ("OIDC_NAME", "x")]]
    {
        let more = [&settings[..], &[("OIDC_CLIENT_ID", "memory"), ("OIDC_ROLES", "staff=acme:viewer")]].concat();
        let site = Site::with(&more).await;
        refused(&site.get("/sign-in/sso", &[]).await, "sso_unavailable");
        let page = site.get("/sign-in?error=sso_unavailable", &[]).await;
        assert!(page.text.contains("The identity provider cannot be used at the moment"), "{}", page.text);
        assert!(!sign_in(&site, &site.world.login, PASSWORD).await.1.is_empty(), "passwords still open sessions");
    }
    let site = Site::new().await;
    assert_eq!(site.get("/sign-in/sso", &[]).await.status, StatusCode::NOT_FOUND, "nothing is there without a provider");
}

#[tokio::test]
async fn groups_give_the_roles_of_each_sign_in() {
    let sso = Sso::new().await;
    for (groups, code) in [
        (vec!["strangers"], "sso_no_role"),
        (vec![], "sso_no_role"),
        (vec!["both"], "sso_organisations"),
        (vec!["gone"], "sso_unavailable"),
    ] {
        refused(&sso.sign_in("4711", &groups, &json!({})).await, code);
    }
    assert!(sso.operators().await.is_empty());
    let viewer = let_in(&sso.sign_in("4711", &["staff"], &json!({})).await);
    let both = let_in(&sso.sign_in("4711", &["both"], &json!({})).await);
    for absent in [json!({ "groups": null }), json!({ "groups": null, "_claim_names": { "groups": "src1" } })] {
        refused(&sso.sign_in("4711", &[], &absent).await, "sso_no_role");
        assert_eq!(sso.page("/agents", &viewer).await.status, StatusCode::OK, "a token that says nothing of groups takes nothing");
    }
    assert_eq!(sso.audited("operator.roles_set").await, 0, "the account has its organisation, where the role is the same");
    let admin = let_in(&sso.sign_in("4711", &["heads", "staff"], &json!({})).await);
    assert_eq!(sso.operators().await[0].roles, [OperatorRole::Viewer, OperatorRole::Admin]);
    assert_eq!(sso.audited("operator.roles_set").await, 1);
    for ended in [&viewer, &both] {
        assert!(sso.page("/agents", ended).await.status.is_redirection(), "other roles end the sessions");
    }
    assert!(!sso.page("/erasure", &admin).await.text.contains("Your role does not allow this"));
    refused(&sso.sign_in("4711", &["strangers"], &json!({})).await, "sso_no_role");
    assert!(sso.page("/agents", &admin).await.status.is_redirection(), "whoever lost every role is out");
    assert_eq!(sso.audited("operator.sign_in_failed").await, 1);
    assert!(sso.operators().await[0].roles.is_empty(), "nothing that the account opens in another way has the old roles");
    let page = sso.page("/sign-in?error=sso_no_role", "").await;
    assert!(page.text.contains("None of your groups has a role here"), "{}", page.text);
    let world = &sso.site.world;
    let mina = sso.operators().await[0].id;
    identity::disable_operator(&world.engine, &world.vera, mina).await.unwrap();
    refused(&sso.sign_in("4711", &["heads"], &json!({})).await, "sso_disabled");
    assert_eq!((sso.operators().await.len(), sso.audited("operator.sign_in_failed").await), (1, 2));
    identity::restore_operator(&world.engine, &world.vera, mina).await.unwrap();
    assert!(identity::restore_operator(&world.engine, &world.vera, mina).await.is_err(), "who has access cannot get it again");
    let_in(&sso.sign_in("4711", &["heads"], &json!({})).await);
}

#[tokio::test]
async fn an_account_of_the_provider_has_no_password() {
    let sso = Sso::new().await;
    let cookie = let_in(&sso.sign_in("4711", &["staff"], &json!({})).await);
    let (world, mina) = (&sso.site.world, sso.operators().await[0].id);
    let page = sso.page("/password", &cookie).await;
    assert!(page.text.contains("Change your password there") && !page.text.contains("type=\"password\""), "{}", page.text);
    let page = sso.page("/agents", &cookie).await;
    assert!(!page.text.contains("href=\"/password\""), "{}", page.text);
    for refused in [
        identity::offer_password(&world.engine, &world.vera, mina, 1).await.map(drop),
        identity::reset_password(&world.engine, &sso.login(), PASSWORD).await,
    ] {
        assert!(refused.unwrap_err().to_string().contains("detach the identity first"));
    }
    let vera = sign_in(&sso.site, &world.login, PASSWORD).await.1;
    let page = sso.page(&format!("/accounts/{mina}"), &vera).await;
    assert!(page.text.contains("/console/api/detach_identity") && !page.text.contains("/console/api/offer_password"), "{}", page.text);
    identity::detach_identity(&world.engine, &world.vera, mina).await.unwrap();
    let link = identity::offer_password(&world.engine, &world.vera, mina, 1).await.unwrap().link.unwrap();
    let token = link.split_once("token=").unwrap().1;
    identity::accept_invitation(&world.engine, token, PASSWORD, RequestId(world.clock.id())).await.unwrap();
    let now = sso.operators().await;
    assert_eq!((&now[0].issuer, now[0].attach_until), (&None, None), "a password ends the wait for an identity");
    let error = identity::detach_identity(&world.engine, &world.vera, mina).await.unwrap_err();
    assert!(error.to_string().contains("signs in with a password"), "{error}");
    let_in(&sso.sign_in("4711", &["staff"], &json!({})).await);
    assert_eq!(sso.operators().await.len(), 2, "an account with a password goes to nobody");
}

#[tokio::test]
async fn a_detached_account_goes_to_the_next_sign_in_under_its_login() {
    let sso = Sso::new().await;
    let old = let_in(&sso.sign_in("4711", &["staff"], &json!({})).await);
    let (world, mina) = (&sso.site.world, sso.operators().await[0].id);
    identity::detach_identity(&world.engine, &world.vera, mina).await.unwrap();
    assert!(sso.page("/agents", &old).await.status.is_redirection(), "its sessions have ended");
    refused(&sso.sign_in("4712", &["strangers"], &json!({})).await, "sso_no_role");
    let another = json!({ "preferred_username": format!("idris@{}", world.tenant_slug) });
    let_in(&sso.sign_in("4713", &["staff"], &another).await);
    assert_eq!(sso.audited("operator.identity_attached").await, 0, "neither without a role nor under another login");

    let_in(&sso.sign_in("4712", &["heads"], &json!({})).await);
    let operators = sso.operators().await;
    let of_mina = operators.iter().find(|operator| operator.id == mina).unwrap();
    assert_eq!((operators.len(), &*of_mina.roles, of_mina.attach_until), (2, &[OperatorRole::Admin][..], None), "{operators:?}");
    assert_eq!((sso.audited("operator.identity_detached").await, sso.audited("operator.identity_attached").await), (1, 1));
    let_in(&sso.sign_in("4711", &["staff"], &json!({})).await);
    assert_eq!(sso.operators().await.len(), 3, "the identity from before has no account any more");

    // Three days ago: a session of the console would not be valid three days ahead.
    world.clock.advance(-TimeDelta::hours(72));
    identity::detach_identity(&world.engine, &world.vera, mina).await.unwrap();
    world.clock.advance(TimeDelta::hours(72));
    let_in(&sso.sign_in("4714", &["staff"], &json!({})).await);
    let operators = sso.operators().await;
    let of_mina = operators.iter().find(|operator| operator.id == mina).unwrap();
    assert_eq!((operators.len(), &of_mina.issuer), (4, &None), "the time is over");
    let vera = sign_in(&sso.site, &world.login, PASSWORD).await.1;
    let page = sso.page(&format!("/accounts/{mina}"), &vera).await;
    assert!(page.text.contains("the time for a new identity ended"), "{}", page.text);
}

#[tokio::test]
async fn without_passwords_the_provider_is_the_only_way_in() {
    let sso = Sso::with(&[("OIDC_ONLY", "true")], Settings { passwords: false, ..Settings::default() }).await;
    let world = &sso.site.world;
    let page = sso.page("/sign-in", "").await;
    assert!(page.text.contains("Sign in with Acme") && !page.text.contains("type=\"password\""), "{}", page.text);
    let (answer, cookie) = sign_in(&sso.site, &world.login, PASSWORD).await;
    assert_eq!((answer.header(header::LOCATION), &*cookie), ("/sign-in?error=passwords", ""), "{answer:?}");
    let new =
        NewInvitation { login: format!("idris@{}", world.tenant_slug), name: "Idris".into(), roles: vec![OperatorRole::Viewer], hours: 1 };
    let refused = [
        identity::invite(&world.engine, &world.vera, new).await.unwrap_err(),
        identity::offer_password(&world.engine, &world.vera, OperatorId(world.clock.id()), 1).await.unwrap_err(),
        identity::accept_invitation(&world.engine, "of no link", PASSWORD, RequestId(world.clock.id())).await.unwrap_err(),
    ];
    for error in refused {
        assert!(error.to_string().contains("takes no passwords"), "{error}");
    }
    let cookie = let_in(&sso.sign_in("4711", &["heads", "staff"], &json!({})).await);
    let page = sso.page("/accounts", &cookie).await;
    assert!(page.text.contains("account-row") && !page.text.contains("Make invitation"), "{}", page.text);
}
