//! Keys, operators and sessions: who gets in, and who does not any more.

use crate::administration;
use crate::support::{Fetch, agent, owner};
use chrono::Duration;
use db::clock::Clock;
use db::lock_key;
use foundation::identity::{Admission, SeenKey, Use};
use foundation::op::{Access, Actor};
use foundation::testing::{PASSWORD, World, nowhere};
use foundation::{Engine, Error, OpContext, Settings, audit, identity};
use remembrancer::overview;
use serde_json::json;
use sha2::Digest;
use std::sync::Arc;
use wire::{AgentId, AuditFilter, CapturePolicy, KeyScope, OperatorProfile, OperatorRole, RequestId};

async fn authenticate(world: &World, key: &str) -> Result<OpContext, Error> {
    identity::authenticate(&world.engine, key, RequestId(world.clock.id())).await
}

async fn sign_in(world: &World, login: &str, password: &str) -> Result<Admission, Error> {
    let result = identity::sign_in(&world.engine, login, password, RequestId(world.clock.id())).await;
    world.engine.finish_deferred().await;
    result
}

async fn resume(world: &World, admission: &Admission) -> Result<OperatorProfile, Error> {
    identity::resume(&world.engine, admission, RequestId(world.clock.id())).await.map(|(_, profile)| profile)
}

/// How often an action is in the audit log.
async fn audited(world: &World, action: &str) -> i64 {
    audit::browse(&world.engine, &world.vera, &AuditFilter { action: Some(action.into()), ..AuditFilter::default() }).await.unwrap().total
}

#[tokio::test]
async fn a_key_tells_who_calls_and_what_it_may() {
    let world = World::new().await;
    let scopes = [KeyScope::MemoryRead, KeyScope::CommonsWrite];
    let (id, key) = identity::create_key(&world.engine, &world.system, agent(&world.atlas), "laptop", &scopes, None, None).await.unwrap();
    let ctx = authenticate(&world, &key).await.unwrap();
    assert_eq!((ctx.tenant_id, ctx.commons_id), (world.system.tenant_id, world.system.commons_id));
    assert_eq!(ctx.access, Access::KeyScopes(scopes.to_vec()));
    assert_eq!(
        ctx.actor,
        Actor::Agent { id: agent(&world.atlas), slug: "atlas".into(), key_id: id, require_user: false, is_granted: false }
    );
    assert!(ctx.require(KeyScope::MemoryRead).is_ok() && ctx.require(KeyScope::MemoryForget).is_err());
    assert!(ctx.require_role(OperatorRole::Viewer).is_err(), "an agent is no operator");
    assert!(world.vera.require(KeyScope::MemoryRead).is_err(), "an operator is no agent");
    let stored: Vec<u8> = sqlx::query_scalar("select secret_hash || prefix::bytea from api_keys where id = $1")
        .bind(id)
        .one(&world.engine.urls().internal_shared)
        .await;
    let secret = key.rsplit('_').next().unwrap();
    assert!(!stored.windows(secret.len()).any(|window| window == secret.as_bytes()), "the secret is not stored");
}

#[tokio::test]
async fn keys_that_are_wrong_ended_or_revoked_are_refused_alike() {
    let world = World::new().await;
    let soon = Some(world.clock.now() + Duration::hours(1));
    let create = |expires| identity::create_key(&world.engine, &world.system, agent(&world.atlas), "test", KeyScope::ALL, None, expires);
    let ((_, ending), (revoked_id, revoked), (_, good)) =
        (create(soon).await.unwrap(), create(None).await.unwrap(), create(None).await.unwrap());
    for key in [&ending, &revoked, &good] {
        assert!(authenticate(&world, key).await.is_ok());
    }
    world.clock.advance(Duration::hours(1));
    identity::revoke_key(&world.engine, &world.system, revoked_id).await.unwrap();
    let (prefix, _) = good.rsplit_once('_').unwrap();
    let other_secret = revoked.rsplit('_').next().unwrap();
    let forged = format!("{prefix}_{other_secret}");
    let unknown = format!("rmb_{}_{other_secret}", world.clock.secret(12));
    let mut messages = Vec::new();
    for key in [ending.as_str(), &revoked, &forged, &unknown, "", "rmb_", "Bearer x", &good.to_lowercase(), "rmb_\0_", &format!("{good} ")]
    {
        let error = authenticate(&world, key).await.unwrap_err();
        assert!(matches!(error, Error::Unauthenticated(_)), "{key}: {error}");
        messages.push(error.message());
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "all read the same");
    assert!(authenticate(&world, &good).await.is_ok());
    assert!(matches!(identity::revoke_key(&world.engine, &world.system, revoked_id).await, Err(Error::NotFound("key"))));
    assert_eq!(audited(&world, "key.revoked").await, 1);
}

#[tokio::test]
async fn uses_of_a_key_on_two_servers_add_up() {
    let world = World::new().await;
    let atlas = agent(&world.atlas);
    let (id, key) = identity::create_key(&world.engine, &world.system, atlas, "x", KeyScope::ALL, None, None).await.unwrap();
    let embedder = Arc::new(world.embedder.clone());
    let other = Engine::open(world.engine.urls().clone(), embedder, world.clock.clone(), Settings::default()).await.unwrap();
    let listed =
        async || overview::agent(&world.engine, &world.vera, atlas).await.unwrap().keys.into_iter().find(|listed| listed.id == id).unwrap();
    let seen = SeenKey::default();
    identity::authenticate_seen(&world.engine, &key, RequestId(world.clock.id()), &seen).await.unwrap();
    let (key_ref, now) = (seen.get().unwrap(), world.clock.now());
    let from = |text: &str| text.parse().ok();
    for _ in 0..1000 {
        world.engine.key_uses().note(key_ref, Use::request(false, from("192.0.2.7"), now));
    }
    other.key_uses().note(key_ref, Use::request(false, from("2001:db8::1"), now + Duration::seconds(3)));
    other.key_uses().note(key_ref, Use::request(true, from("203.0.113.9"), now + Duration::seconds(5)));
    other.key_uses().note(key_ref, Use::refusal(now + Duration::seconds(6)));
    assert_eq!((listed().await.requests, listed().await.last_used_at), (0, None), "a busy key costs no write per request");
    // The server with the later use writes first.
    identity::flush_uses(&other).await.unwrap();
    identity::flush_uses(&world.engine).await.unwrap();
    identity::flush_uses(&world.engine).await.unwrap();
    let key = listed().await;
    assert_eq!((key.requests, key.refused), (1002, 2));
    assert_eq!((key.last_used_at, key.last_used_from.as_deref()), (Some(now + Duration::seconds(3)), Some("2001:db8::1")));
    assert_eq!(key.last_refused_at, Some(now + Duration::seconds(6)));
}

#[tokio::test]
async fn a_key_is_recognised_although_it_is_refused() {
    let world = World::new().await;
    let (id, key) = identity::create_key(&world.engine, &world.system, agent(&world.atlas), "x", KeyScope::ALL, None, None).await.unwrap();
    identity::revoke_key(&world.engine, &world.system, id).await.unwrap();
    let forged = format!("{}{}", &key[..key.len() - 1], if key.ends_with('a') { 'b' } else { 'a' });
    for (key, known) in [(&key, Some((world.system.tenant_id, id))), (&forged, None)] {
        let seen = SeenKey::default();
        assert!(identity::authenticate_seen(&world.engine, key, RequestId(world.clock.id()), &seen).await.is_err());
        assert_eq!(seen.get(), known, "a wrong secret is no use");
    }
}

#[tokio::test]
async fn keys_are_made_by_admins_for_agents_of_their_tenant() {
    let (world, stranger) = (World::new().await, World::new().await);
    let create = |ctx: &OpContext, agent: AgentId, scopes: &'static [KeyScope], expires| {
        let (engine, ctx) = (world.engine.clone(), ctx.clone());
        async move { identity::create_key(&engine, &ctx, agent, "x", scopes, None, expires).await }
    };
    let atlas = agent(&world.atlas);
    assert!(create(&world.vera, atlas, KeyScope::ALL, None).await.is_ok(), "Vera has every role");
    let viewer = OpContext { access: Access::Roles(vec![OperatorRole::Viewer, OperatorRole::Operator]), ..world.vera.clone() };
    for ctx in [&viewer, &world.atlas] {
        assert!(matches!(create(ctx, atlas, KeyScope::ALL, None).await, Err(Error::Forbidden(_))));
    }
    for foreign in [agent(&stranger.atlas), AgentId(nowhere()), world.system.commons_id] {
        assert!(matches!(create(&world.system, foreign, KeyScope::ALL, None).await, Err(Error::NotFound("agent"))), "{foreign}");
    }
    assert_eq!(create(&world.system, atlas, &[], None).await.unwrap_err().fields()[0].field, "scopes");
    let past = Some(world.clock.now() - Duration::seconds(1));
    assert_eq!(create(&world.system, atlas, KeyScope::ALL, past).await.unwrap_err().fields()[0].field, "expires_at");
    let (foreign_key, _) =
        identity::create_key(&stranger.engine, &stranger.system, agent(&stranger.atlas), "x", KeyScope::ALL, None, None).await.unwrap();
    assert!(matches!(identity::revoke_key(&world.engine, &world.system, foreign_key).await, Err(Error::NotFound("key"))));
}

#[tokio::test]
async fn tenants_agents_and_operators_have_names_of_their_own() {
    let world = World::new().await;
    let taken = identity::create_tenant(&world.engine, &world.tenant_slug, "Again").await.unwrap_err();
    assert!(matches!(taken, Error::Conflict(_)), "{taken}");
    let own = identity::create_own_tenant(&world.engine, &format!("own-{}", world.tenant_slug), "Own").await.unwrap();
    assert_eq!(identity::capture_policy(&world.engine, &own).await.unwrap(), CapturePolicy::of_one_person());
    assert!(matches!(identity::create_agent(&world.engine, &world.system, "atlas", "x", false).await, Err(Error::Conflict(_))));
    assert!(matches!(identity::create_agent(&world.engine, &world.system, "commons", "x", false).await, Err(Error::Conflict(_))));
    for slug in ["", "Atlas", "-a", "a b", "ä", &"a".repeat(64)] {
        let error = identity::create_agent(&world.engine, &world.system, slug, "x", false).await.unwrap_err();
        assert_eq!(error.fields()[0].field, "slug", "{slug}");
    }
    let twice = identity::create_agent_with_id(&world.engine, &world.system, AgentId(world.clock.id()), "atlas", "x", false).await;
    assert_eq!(twice.unwrap_err().to_string(), "the agent atlas exists already");
    let operator = |login: &str, password: &str, roles: &'static [OperatorRole]| {
        let (engine, system, login, password) = (world.engine.clone(), world.system.clone(), login.to_owned(), password.to_owned());
        async move { identity::create_operator(&engine, &system, &login, "Tom", &password, roles).await }
    };
    assert!(matches!(operator(&world.login, PASSWORD, OperatorRole::ALL).await, Err(Error::Conflict(_))));
    assert_eq!(operator("tom", "eleven char", OperatorRole::ALL).await.unwrap_err().fields()[0].field, "password");
    assert_eq!(operator("tom", PASSWORD, &[]).await.unwrap_err().fields()[0].field, "roles");
    assert_eq!(operator(" ", PASSWORD, OperatorRole::ALL).await.unwrap_err().fields()[0].field, "login");
    assert_eq!(identity::open_tenant(&world.engine, &world.tenant_slug).await.unwrap().commons_id, world.system.commons_id);
    assert!(matches!(identity::open_tenant(&world.engine, "nobody").await, Err(Error::NotFound("tenant"))));
}

#[tokio::test]
async fn an_agent_keeps_the_id_that_it_has_elsewhere_and_shares_it_with_nobody() {
    let (world, stranger) = (World::new().await, World::new().await);
    let (engine, id) = (&world.engine, AgentId(world.clock.id()));
    let create = |ctx: &OpContext, id: AgentId, slug: &str| {
        let (ctx, slug) = (ctx.clone(), slug.to_owned());
        async move { identity::create_agent_with_id(engine, &ctx, id, &slug, "Zephyr", false).await }
    };
    assert_eq!(create(&world.system, id, "zephyr").await.unwrap().id, id);
    assert_eq!(identity::agent_by_slug(engine, &world.system, "zephyr").await.unwrap().id, id);
    for slug in ["zephyr", "breeze"] {
        let taken = create(&world.system, id, slug).await.unwrap_err();
        assert!(
            matches!(taken, Error::Conflict(_)) && taken.to_string() == format!("the id {id} belongs to the agent zephyr already"),
            "{taken}"
        );
    }
    let commons = create(&world.system, world.system.commons_id, "breeze").await.unwrap_err();
    assert!(matches!(commons, Error::Conflict(_)) && commons.to_string().contains("the agent commons"), "{commons}");
    let foreign = create(&stranger.system, id, "zephyr").await.unwrap_err();
    assert!(matches!(foreign, Error::Conflict(_)) && foreign.to_string().contains("an agent of another organisation"), "{foreign}");
    for id in [0, u128::MAX] {
        assert_eq!(create(&world.system, AgentId(uuid::Uuid::from_u128(id)), "breeze").await.unwrap_err().fields()[0].field, "id", "{id}");
    }
    for ctx in [&world.system, &stranger.system] {
        assert!(matches!(identity::agent_by_slug(engine, ctx, "breeze").await, Err(Error::NotFound(_))));
    }
}

#[tokio::test]
async fn signing_in_needs_the_right_password_of_an_operator_in_office() {
    let world = World::new().await;
    let profile = resume(&world, &sign_in(&world, &world.login, PASSWORD).await.unwrap()).await.unwrap();
    assert_eq!((profile.name.as_str(), profile.login.as_str(), profile.tenant_name.as_str()), ("Vera", world.login.as_str(), "Acme"));
    assert_eq!((profile.tenant_id, profile.roles.as_slice()), (world.system.tenant_id, OperatorRole::ALL));
    assert_eq!((audited(&world, "operator.signed_in").await, audited(&world, "operator.sign_in_failed").await), (1, 0));
    let mut messages = Vec::new();
    for (login, password) in [
        (world.login.as_str(), "a long enough passworD"),
        (&world.login, ""),
        (&world.login.to_uppercase(), PASSWORD),
        ("nobody", PASSWORD),
        ("", ""),
        ("\0", PASSWORD),
    ] {
        let error = sign_in(&world, login, password).await.unwrap_err();
        assert!(matches!(error, Error::Unauthenticated(_)), "{login:?}: {error}");
        messages.push(error.message());
    }
    assert_eq!((audited(&world, "operator.signed_in").await, audited(&world, "operator.sign_in_failed").await), (1, 2));
    assert!(matches!(identity::disable_operator(&world.engine, &World::new().await.vera, profile.id).await, Err(Error::NotFound(_))));
    // An organisation keeps an admin.
    administration::operator(&world, "Idris", &[OperatorRole::Admin]).await;
    identity::disable_operator(&world.engine, &world.system, profile.id).await.unwrap();
    messages.push(sign_in(&world, &world.login, PASSWORD).await.unwrap_err().message());
    messages.dedup();
    assert_eq!(messages.len(), 1, "nobody learns what was wrong: {messages:?}");
    assert_eq!(audited(&world, "operator.sign_in_failed").await, 3);
    let gone = identity::operator(&world.engine, profile.id, RequestId(world.clock.id())).await.unwrap_err();
    assert!(matches!(gone, Error::Unauthenticated(_)), "a session of theirs is worth nothing now");
}

/// Writing the entry of a known login's failure takes time, and the answer does not wait for it.
#[tokio::test]
async fn a_failed_sign_in_is_answered_before_it_is_audited() {
    let world = World::new().await;
    let mut holder = owner(&world.engine.urls().internal_shared).await;
    let chain = lock_key(&[b"audit", world.system.tenant_id.0.as_bytes()]);
    sqlx::query("select pg_advisory_lock($1)").bind(chain).execute(&mut holder).await.unwrap();
    let refused = identity::sign_in(&world.engine, &world.login, "not the password", RequestId(world.clock.id())).await;
    assert!(matches!(refused, Err(Error::Unauthenticated(_))), "{refused:?}");
    assert_eq!(audited(&world, "operator.sign_in_failed").await, 0);
    drop(holder);
    world.engine.finish_deferred().await;
    assert_eq!(audited(&world, "operator.sign_in_failed").await, 1);
}

#[tokio::test]
async fn a_session_ends_when_the_access_changes_or_after_a_week() {
    let world = World::new().await;
    let id = world.vera.actor.id().parse().unwrap();
    let (viewer, password) = ([OperatorRole::Viewer], "another long password");

    // An organisation keeps an admin.
    administration::operator(&world, "Idris", &[OperatorRole::Admin]).await;
    let before = sign_in(&world, &world.login, PASSWORD).await.unwrap();
    assert_eq!(resume(&world, &before).await.unwrap().roles, OperatorRole::ALL);
    assert!(matches!(identity::set_roles(&world.engine, &world.atlas, id, &viewer).await, Err(Error::Forbidden(_))));
    assert_eq!(identity::set_roles(&world.engine, &world.vera, id, &[]).await.unwrap_err().fields()[0].field, "roles");
    assert!(matches!(identity::set_roles(&world.engine, &World::new().await.vera, id, &viewer).await, Err(Error::NotFound("operator"))));
    assert!(resume(&world, &before).await.is_ok(), "nothing changed so far");

    identity::set_roles(&world.engine, &world.vera, id, &viewer).await.unwrap();
    assert!(matches!(resume(&world, &before).await, Err(Error::Unauthenticated(_))));
    assert_eq!(audited(&world, "operator.roles_set").await, 1);
    let with_roles = sign_in(&world, &world.login, PASSWORD).await.unwrap();
    assert_eq!(resume(&world, &with_roles).await.unwrap().roles, viewer);

    identity::reset_password(&world.engine, &world.login, password).await.unwrap();
    assert!(matches!(resume(&world, &with_roles).await, Err(Error::Unauthenticated(_))));

    let last = sign_in(&world, &world.login, password).await.unwrap();
    world.clock.advance(Duration::days(7) - Duration::minutes(10));
    assert!(resume(&world, &last).await.is_ok());
    world.clock.advance(Duration::minutes(11));
    assert!(matches!(resume(&world, &last).await, Err(Error::Unauthenticated(_))), "seven days are the most");
}

#[tokio::test]
async fn a_new_password_replaces_the_old_one() {
    let world = World::new().await;
    assert!(identity::reset_password(&world.engine, &world.login, "short").await.is_err());
    assert!(matches!(identity::reset_password(&world.engine, "nobody", PASSWORD).await, Err(Error::NotFound("operator"))));
    identity::reset_password(&world.engine, &world.login, "another long password").await.unwrap();
    assert!(sign_in(&world, &world.login, PASSWORD).await.is_err());
    assert!(sign_in(&world, &world.login, "another long password").await.is_ok());
    assert_eq!(audited(&world, "operator.password_reset").await, 1);
}

#[tokio::test]
async fn a_session_lives_until_it_ends_or_is_ended() {
    let world = World::new().await;
    let engine = &world.engine;
    let id = world.clock.secret(22);
    let (data, ends) = (json!({ "operator": "vera" }), world.clock.now() + Duration::hours(1));
    assert_eq!(identity::session_load(engine, &id).await.unwrap(), None);
    assert!(!identity::session_save(engine, &id, &data, ends).await.unwrap(), "saving makes no session");
    assert!(identity::session_create(engine, &id, &data, ends).await.unwrap());
    assert!(!identity::session_create(engine, &id, &json!({}), ends).await.unwrap(), "the id is taken");
    assert_eq!(identity::session_load(engine, &id).await.unwrap(), Some((data.clone(), ends)));
    let later = ends + Duration::hours(1);
    assert!(identity::session_save(engine, &id, &json!({ "more": 1 }), later).await.unwrap());
    assert_eq!(identity::session_load(engine, &id).await.unwrap(), Some((json!({ "more": 1 }), later)));
    let hashed: i64 = sqlx::query_scalar("select count(*) from sessions where id_hash = sha256(convert_to($1, 'UTF8'))")
        .bind(&id)
        .one(&engine.urls().internal_shared)
        .await;
    assert_eq!(hashed, 1, "the table tells no id");
    let over = world.clock.secret(22);
    identity::session_create(engine, &over, &data, ends).await.unwrap();
    world.clock.advance(Duration::minutes(61));
    assert_eq!(identity::session_load(engine, &over).await.unwrap(), None, "it has ended");
    assert!(identity::session_load(engine, &id).await.unwrap().is_some());
    identity::session_delete(engine, &id).await.unwrap();
    assert_eq!(identity::session_load(engine, &id).await.unwrap(), None);
    assert!(!identity::session_save(engine, &id, &data, later).await.unwrap(), "a late save does not undo a sign-out");
    assert_eq!(identity::session_load(engine, &id).await.unwrap(), None);
    let hashes = [&id, &over].map(|id| sha2::Sha256::digest(id).to_vec());
    let left: i64 = sqlx::query_scalar("select count(*) from sessions where id_hash = any($1)")
        .bind(&hashes[..])
        .one(&engine.urls().internal_shared)
        .await;
    assert_eq!(left, 0, "what has ended is swept along");
}

#[tokio::test]
async fn a_blocked_agent_is_refused_with_the_reason_and_comes_back_with_its_keys() {
    let world = World::new().await;
    let atlas = agent(&world.atlas);
    let (id, key) = identity::create_key(&world.engine, &world.system, atlas, "laptop", &[KeyScope::MemoryRead], None, None).await.unwrap();
    authenticate(&world, &key).await.unwrap();
    let refused = identity::set_blocked(&world.engine, &world.system, atlas, true, " ").await.unwrap_err();
    assert_eq!(refused.fields()[0].field, "reason");
    for (agent, ctx) in [(world.system.commons_id, &world.system), (AgentId(nowhere()), &world.system), (atlas, &World::new().await.system)]
    {
        let error = identity::set_blocked(&world.engine, ctx, agent, true, "lost").await.unwrap_err();
        assert!(matches!(error, Error::NotFound(_)), "{error}");
    }
    for (blocked, changed) in [(true, true), (true, false)] {
        assert_eq!(identity::set_blocked(&world.engine, &world.system, atlas, blocked, "the laptop was lost").await.unwrap(), changed);
    }
    let refused = authenticate(&world, &key).await.unwrap_err();
    assert!(matches!(&refused, Error::Forbidden(message) if message.contains("atlas is blocked")), "{refused}");
    let page = overview::agent(&world.engine, &world.vera, atlas).await.unwrap();
    assert!(page.blocked_at.is_some() && page.summary.blocked);
    let listed = page.keys.iter().find(|listed| listed.id == id).unwrap();
    assert!(key.starts_with(listed.hint.trim_end_matches('…')), "{listed:?}");
    assert!(!serde_json::to_string(&page).unwrap().contains(key.rsplit('_').next().unwrap()), "the secret is on no page");
    assert!(identity::set_blocked(&world.engine, &world.system, atlas, false, "found again").await.unwrap());
    authenticate(&world, &key).await.unwrap();
    assert_eq!((audited(&world, "agent.blocked").await, audited(&world, "agent.unblocked").await), (1, 1));
}
