//! What admins manage: agents, keys, users, operators and one-time links, each change with its audit entry and none without a change.

use crate::support::{agent, remember};
use chrono::Duration;
use db::clock::Clock;
use foundation::op::{Access, Actor};
use foundation::testing::{PASSWORD, World, fact, key};
use foundation::{Error, OpContext, audit, identity};
use remembrancer::{chat, memories, overview};
use wire::{
    AgentSettings, AuditEntry, AuditFilter, AuditVisibility, Discipline, KeyPreset, KeyScope, MadeApiKey, MadeInvitation, NewApiKey,
    NewInvitation, OperatorId, OperatorRole, OperatorSettings, RequestId, UserRef, UserSettings,
};

async fn entries(world: &World, action: &str) -> Vec<AuditEntry> {
    let filter = AuditFilter { action: Some(action.into()), ..AuditFilter::default() };
    audit::browse(&world.engine, &world.vera, &filter).await.unwrap().rows
}

async fn total(world: &World) -> i64 {
    audit::browse(&world.engine, &world.vera, &AuditFilter::default()).await.unwrap().total
}

async fn authenticate(world: &World, key: &str) -> Result<OpContext, Error> {
    identity::authenticate(&world.engine, key, RequestId(world.clock.id())).await
}

fn new_key(name: &str, preset: KeyPreset) -> NewApiKey {
    let (agent, name, preset) = ("atlas".to_owned(), name.to_owned(), Some(preset));
    NewApiKey { agent, name, scopes: vec![], preset, user_id: None, expires_at: None, toolsets: vec![] }
}

async fn make_key(world: &World, new: NewApiKey) -> (MadeApiKey, String) {
    let made = identity::add_key(&world.engine, &world.vera, new).await.unwrap();
    let secret = made.secret.clone().unwrap();
    (made, secret)
}

/// An operator, signed in.
pub async fn operator(world: &World, name: &str, roles: &[OperatorRole]) -> OpContext {
    let login = format!("{name}@{}", world.tenant_slug);
    let id = identity::create_operator(&world.engine, &world.system, &login, name, PASSWORD, roles).await.unwrap();
    identity::operator(&world.engine, id, RequestId(world.clock.id())).await.unwrap().0
}

fn id_of(ctx: &OpContext) -> OperatorId {
    ctx.actor.id().parse().unwrap()
}

fn invitation(world: &World, roles: &[OperatorRole]) -> NewInvitation {
    NewInvitation { login: format!("mina@{}", world.tenant_slug), name: "Mina".into(), roles: roles.to_vec(), hours: 2 }
}

fn token(made: &MadeInvitation) -> String {
    made.link.as_ref().unwrap().split_once("token=").unwrap().1.to_owned()
}

async fn accept(world: &World, token: &str) -> Result<identity::Admission, Error> {
    identity::accept_invitation(&world.engine, token, PASSWORD, RequestId(world.clock.id())).await
}

#[tokio::test]
async fn the_same_settings_of_an_agent_twice_are_one_change() {
    let world = World::new().await;
    let put = async |settings: AgentSettings| identity::put_agent(&world.engine, &world.vera, "zephyr", settings).await.unwrap();
    let confirming = AgentSettings { discipline: Some(Discipline::Confirming), ..AgentSettings::default() };
    let (made, is_new) = put(confirming.clone()).await;
    assert_eq!((made.slug.as_str(), made.name.as_str(), made.discipline, is_new), ("zephyr", "zephyr", Discipline::Confirming, true));
    let before = total(&world).await;
    assert_eq!(put(confirming).await, (made.clone(), false));
    assert_eq!(put(AgentSettings::default()).await, (made.clone(), false), "what is left out stays");
    assert_eq!(total(&world).await, before, "nothing changed, so nothing is audited");

    let (renamed, _) = put(AgentSettings { name: Some("Zephyr".into()), ..AgentSettings::default() }).await;
    assert_eq!((renamed.id, renamed.name.as_str()), (made.id, "Zephyr"));
    let entry = &entries(&world, "agent.changed").await[0];
    assert_eq!(entry.changes, serde_json::json!({ "name": { "before": "zephyr", "after": "Zephyr" } }));
    let commons = identity::put_agent(&world.engine, &world.vera, "commons", AgentSettings::default()).await.unwrap_err();
    assert!(matches!(commons, Error::Conflict(_)), "{commons}");
    let bad = identity::put_agent(&world.engine, &world.vera, "Zephyr", AgentSettings::default()).await.unwrap_err();
    assert_eq!(bad.fields()[0].field, "slug");
}

#[tokio::test]
async fn two_who_change_an_agent_at_once_are_both_audited_with_what_was_before() {
    let world = World::new().await;
    let named = |name: &str| AgentSettings { name: Some(name.into()), ..AgentSettings::default() };
    let (one, other) = tokio::join!(
        identity::put_agent(&world.engine, &world.vera, "atlas", named("North")),
        identity::put_agent(&world.engine, &world.vera, "atlas", named("South"))
    );
    assert_eq!((one.unwrap().1, other.unwrap().1), (false, false));
    let mut names: Vec<(String, String)> = vec![];
    for entry in entries(&world, "agent.changed").await {
        let name = &entry.changes["name"];
        names.push((name["before"].as_str().unwrap().to_owned(), name["after"].as_str().unwrap().to_owned()));
    }
    // The newest first.
    let there = identity::agent_settings(&world.engine, &world.vera, "atlas").await.unwrap().name;
    assert_eq!((names.len(), &names[0].1), (2, &there), "the last writer's name holds: {names:?}");
    assert_eq!((names[1].0.as_str(), &names[0].0), ("atlas", &names[1].1), "each entry begins where the other ends: {names:?}");
}

#[tokio::test]
async fn a_retired_agent_has_no_keys_and_its_memories_stay() {
    let world = World::new().await;
    let kept = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    let retire = async || identity::retire_agent(&world.engine, &world.vera, "atlas", Some("replaced")).await.unwrap();
    assert!(retire().await.retired_at.is_some());
    let before = total(&world).await;
    retire().await;
    assert_eq!(total(&world).await, before, "the second time changes nothing");
    assert!(matches!(authenticate(&world, &world.atlas_key).await, Err(Error::Unauthenticated(_))));
    let refused = identity::add_key(&world.engine, &world.vera, new_key("laptop", KeyPreset::Agent)).await.unwrap_err();
    assert!(matches!(&refused, Error::Conflict(message) if message.contains("atlas is retired")), "{refused}");
    let refused = identity::create_key(&world.engine, &world.vera, agent(&world.atlas), "x", KeyScope::ALL, None, None).await;
    assert!(matches!(refused, Err(Error::NotFound("agent"))));
    assert!(memories::detail(&world.engine, &world.vera, kept).await.is_ok(), "operators still read its memories");
    let names = overview::agent_names(&world.engine, &world.vera).await.unwrap();
    assert!(names.iter().find(|name| name.slug == "atlas").unwrap().retired);

    let renamed = AgentSettings { name: Some("Atlas".into()), ..AgentSettings::default() };
    let refused = identity::change_agent(&world.engine, &world.vera, "atlas", renamed).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "only who asks for it brings an agent back: {refused:?}");
    let (back, is_new) = identity::put_agent(&world.engine, &world.vera, "atlas", AgentSettings::default()).await.unwrap();
    assert_eq!((back.retired_at, back.id, is_new), (None, agent(&world.atlas), false));
    assert!(authenticate(&world, &world.atlas_key).await.is_err(), "its old keys stay revoked");
    let (_, secret) = make_key(&world, new_key("laptop", KeyPreset::Agent)).await;
    assert!(authenticate(&world, &secret).await.is_ok());
    assert_eq!((entries(&world, "agent.retired").await.len(), entries(&world, "agent.restored").await.len()), (1, 1));
}

#[tokio::test]
async fn a_key_is_replaced_without_a_gap() {
    let world = World::new().await;
    let mut new = new_key("laptop", KeyPreset::Reader);
    new.expires_at = Some(world.clock.now() + Duration::days(30));
    let (first, old) = make_key(&world, new).await;
    let (bot, _) = chat::create_bot(&world.engine, &world.vera, first.key.id, "telegram").await.unwrap();
    world.clock.advance(Duration::days(10));
    let second = identity::rotate_key(&world.engine, &world.vera, first.key.id, 24).await.unwrap();
    let fresh = second.secret.as_deref().unwrap();
    assert_eq!((&second.key.name, &second.key.scopes), (&first.key.name, &first.key.scopes));
    let life = |made: &MadeApiKey| made.key.expires_at.unwrap() - made.key.created_at;
    assert!((life(&second) - life(&first)).abs() < Duration::hours(1), "as long a life as the first");
    assert!(authenticate(&world, &old).await.is_ok() && authenticate(&world, fresh).await.is_ok(), "both work for a day");
    let of_bot: uuid::Uuid = {
        let mut owner = crate::support::owner(&world.engine.urls().internal_shared).await;
        sqlx::query_scalar("select key_id from bots where id = $1").bind(bot).fetch_one(&mut owner).await.unwrap()
    };
    assert_eq!(of_bot, second.key.id.0, "a bot follows its key");
    world.clock.advance(Duration::hours(25));
    assert!(authenticate(&world, &old).await.is_err() && authenticate(&world, fresh).await.is_ok());
    let (twice, _) = make_key(&world, new_key("phone", KeyPreset::Reader)).await;
    let rotate = || identity::rotate_key(&world.engine, &world.vera, twice.key.id, 24);
    let (one, other) = tokio::join!(rotate(), rotate());
    assert!(one.is_ok() != other.is_ok(), "two who rotate a key at once make one: {one:?} {other:?}");

    let third = identity::rotate_key(&world.engine, &world.vera, second.key.id, 0).await.unwrap();
    assert!(authenticate(&world, fresh).await.is_err(), "without an overlap the old one ends at once");
    assert!(authenticate(&world, &third.secret.unwrap()).await.is_ok());
    let too_long = identity::rotate_key(&world.engine, &world.vera, third.key.id, 721).await.unwrap_err();
    assert_eq!(too_long.fields()[0].field, "overlap_hours");
    let stranger = World::new().await;
    let foreign = identity::rotate_key(&stranger.engine, &stranger.vera, third.key.id, 1).await;
    assert!(matches!(foreign, Err(Error::NotFound("key"))));
    let rotated = entries(&world, "key.rotated").await;
    assert!(rotated.iter().all(|entry| !entry.changes.to_string().contains(&old)) && rotated.len() == 3, "{rotated:?}");
}

#[tokio::test]
async fn an_organisation_keeps_an_admin_also_when_two_remove_each_other() {
    let world = World::new().await;
    let (engine, vera) = (&world.engine, id_of(&world.vera));
    let demotion = || OperatorSettings { name: None, roles: Some(vec![OperatorRole::Viewer]) };
    for ctx in [&world.vera, &world.system] {
        let removed = identity::disable_operator(engine, ctx, vera).await.unwrap_err();
        assert!(matches!(&removed, Error::Conflict(message) if message.contains("last admin")), "{removed}");
        let demoted = identity::change_operator(engine, ctx, vera, demotion()).await.unwrap_err();
        assert!(matches!(demoted, Error::Conflict(_)), "{demoted}");
    }
    assert!(identity::operator(engine, vera, RequestId(world.clock.id())).await.is_ok(), "nothing was changed");
    let idris = operator(&world, "Idris", &[OperatorRole::Admin]).await;
    let (one, other) = tokio::join!(
        identity::disable_operator(engine, &world.vera, id_of(&idris)),
        identity::change_operator(engine, &idris, vera, demotion())
    );
    assert!(one.is_ok() != other.is_ok(), "one of two wins: {one:?} {other:?}");
    assert_eq!(identity::admins(engine, &world.system).await.unwrap().len(), 1);
}

#[tokio::test]
async fn ended_sessions_are_over_and_the_operator_may_sign_in_again() {
    let world = World::new().await;
    let sign_in = async || identity::sign_in(&world.engine, &world.login, PASSWORD, RequestId(world.clock.id())).await.unwrap();
    let before = sign_in().await;
    identity::end_sessions(&world.engine, &world.vera, id_of(&world.vera)).await.unwrap();
    assert!(identity::resume(&world.engine, &before, RequestId(world.clock.id())).await.is_err());
    assert!(identity::resume(&world.engine, &sign_in().await, RequestId(world.clock.id())).await.is_ok());
}

#[tokio::test]
async fn a_link_lets_one_person_in_once_and_in_time() {
    let world = World::new().await;
    let (engine, roles) = (&world.engine, [OperatorRole::Reviewer, OperatorRole::Viewer]);
    let invite = async || identity::invite(engine, &world.vera, invitation(&world, &roles)).await.unwrap();
    let replaced = token(&invite().await);
    let made = invite().await;
    assert_eq!(
        identity::list_invitations(engine, &world.vera).await.unwrap(),
        std::slice::from_ref(&made.invitation),
        "one link for a login"
    );
    let short = identity::accept_invitation(engine, &token(&made), "eleven char", RequestId(world.clock.id())).await.unwrap_err();
    assert_eq!(short.fields()[0].field, "password");
    let (one, other) = (token(&made), token(&made));
    let (one, other) = tokio::join!(accept(&world, &one), accept(&world, &other));
    assert!(one.is_ok() != other.is_ok(), "a link is used once: {one:?} {other:?}");
    let admission = one.or(other).unwrap();
    let (ctx, profile) = identity::resume(engine, &admission, RequestId(world.clock.id())).await.unwrap();
    assert_eq!((profile.name.as_str(), ctx.tenant_id), ("Mina", world.system.tenant_id));
    assert_eq!(profile.roles, [OperatorRole::Viewer, OperatorRole::Reviewer]);
    assert!(identity::sign_in(engine, &profile.login, PASSWORD, RequestId(world.clock.id())).await.is_ok());

    let taken = identity::invite(engine, &world.vera, invitation(&world, &roles)).await.unwrap_err();
    assert!(matches!(taken, Error::Conflict(_)), "{taken}");
    let heron = || NewInvitation { login: format!("heron@{}", world.tenant_slug), ..invitation(&world, &roles) };
    let invite_heron = async || identity::invite(engine, &world.vera, heron()).await.unwrap();
    let late = token(&invite_heron().await);
    world.clock.advance(Duration::hours(2));
    let withdrawn = invite_heron().await;
    identity::withdraw_invitation(engine, &world.vera, withdrawn.invitation.id).await.unwrap();
    let mut messages = vec![];
    for token in [&replaced, &token(&made), &late, &token(&withdrawn), "", "rmi_x", "\0"] {
        let refused = accept(&world, token).await.unwrap_err();
        assert!(matches!(refused, Error::Unauthenticated(_)), "{refused}");
        messages.push(refused.message());
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "who guesses learns nothing");
    identity::disable_operator(engine, &world.vera, admission.operator).await.unwrap();
    let refused = identity::invite(engine, &world.vera, invitation(&world, &roles)).await.unwrap_err();
    assert!(matches!(&refused, Error::Conflict(message) if message.contains("restore the operator")), "{refused}");
    identity::restore_operator(engine, &world.vera, admission.operator).await.unwrap();
    assert!(identity::sign_in(engine, &profile.login, PASSWORD, RequestId(world.clock.id())).await.is_ok());
    assert_eq!((entries(&world, "operator.created").await.len(), entries(&world, "operator.restored").await.len()), (2, 1));
    let all = entries(&world, "operator.").await;
    assert!(all.iter().all(|entry| !entry.changes.to_string().contains("rmi_") && !entry.message.contains("rmi_")));
}

#[tokio::test]
async fn an_old_invitation_lets_nobody_back_in() {
    let world = World::new().await;
    let made = identity::invite(&world.engine, &world.vera, invitation(&world, &[OperatorRole::Viewer])).await.unwrap();
    let mina = operator(&world, "mina", &[OperatorRole::Viewer]).await;
    assert_eq!(entries(&world, "operator.invitation_withdrawn").await.len(), 1, "who has access needs no invitation");
    identity::disable_operator(&world.engine, &world.vera, id_of(&mina)).await.unwrap();
    assert!(matches!(accept(&world, &token(&made)).await, Err(Error::Unauthenticated(_))));
}

#[tokio::test]
async fn a_link_ends_with_the_rights_of_who_made_it() {
    let world = World::new().await;
    let idris = operator(&world, "Idris", &[OperatorRole::Admin]).await;
    let made = identity::invite(&world.engine, &idris, invitation(&world, &[OperatorRole::Admin])).await.unwrap();
    identity::set_roles(&world.engine, &world.vera, id_of(&idris), &[OperatorRole::Viewer]).await.unwrap();
    assert!(matches!(accept(&world, &token(&made)).await, Err(Error::Unauthenticated(_))));
    assert_eq!(entries(&world, "operator.invitation_withdrawn").await.len(), 1);
    let late = identity::invite(&world.engine, &idris, invitation(&world, &[OperatorRole::Viewer])).await;
    assert!(matches!(late, Err(Error::Unauthenticated(_))), "a request from before the change: {late:?}");
}

#[tokio::test]
async fn a_new_password_by_link_ends_the_sessions_of_before() {
    let world = World::new().await;
    let idris = operator(&world, "Idris", &[OperatorRole::Viewer]).await;
    let login = format!("Idris@{}", world.tenant_slug);
    let before = identity::sign_in(&world.engine, &login, PASSWORD, RequestId(world.clock.id())).await.unwrap();
    let made = identity::offer_password(&world.engine, &world.vera, id_of(&idris), 1).await.unwrap();
    assert!(identity::resume(&world.engine, &before, RequestId(world.clock.id())).await.is_ok(), "until the link is used");
    let secret = token(&made);
    let new = identity::accept_invitation(&world.engine, &secret, "another long password", RequestId(world.clock.id()));
    let new = new.await.unwrap();
    assert!(identity::resume(&world.engine, &before, RequestId(world.clock.id())).await.is_err());
    assert!(identity::resume(&world.engine, &new, RequestId(world.clock.id())).await.is_ok());
    assert!(identity::sign_in(&world.engine, &login, PASSWORD, RequestId(world.clock.id())).await.is_err());
}

#[tokio::test]
async fn an_operator_changes_the_own_password_and_stays_signed_in() {
    let world = World::new().await;
    let sign_in = async |password: &str| identity::sign_in(&world.engine, &world.login, password, RequestId(world.clock.id())).await;
    let before = sign_in(PASSWORD).await.unwrap();
    let change = async |ctx: &OpContext, current: &str, new: &str| identity::change_password(&world.engine, ctx, current, new).await;
    assert_eq!(change(&world.vera, "not the password", "another long password").await.unwrap_err().fields()[0].field, "current");
    assert_eq!(change(&world.vera, PASSWORD, "eleven char").await.unwrap_err().fields()[0].field, "new");
    assert!(matches!(change(&world.atlas, PASSWORD, "another long password").await, Err(Error::Forbidden(_))));
    let new = change(&world.vera, PASSWORD, "another long password").await.unwrap();
    assert!(identity::resume(&world.engine, &before, RequestId(world.clock.id())).await.is_err(), "other sessions end");
    assert!(identity::resume(&world.engine, &new, RequestId(world.clock.id())).await.is_ok());
    assert!(sign_in(PASSWORD).await.is_err() && sign_in("another long password").await.is_ok());
    assert_eq!(entries(&world, "operator.password_changed").await.len(), 1);
}

#[tokio::test]
async fn a_key_that_manages_cannot_make_what_outlives_it() {
    let world = World::new().await;
    let (engine, vera) = (&world.engine, id_of(&world.vera));
    let (ctx, _) = key(engine, &world.system, agent(&world.atlas), &[KeyScope::Admin]).await;
    let (without, _) = key(engine, &world.system, agent(&world.atlas), &[KeyScope::MemoryRead]).await;
    assert!(matches!(without.as_admin(), Err(Error::Forbidden(_))));
    let admin = ctx.as_admin().unwrap();
    assert_eq!(admin.access, Access::Roles(vec![OperatorRole::Admin]));
    assert!(admin.require(KeyScope::MemoryRead).is_err(), "it manages, and reads no memory");

    identity::put_agent(engine, &admin, "zephyr", AgentSettings::default()).await.unwrap();
    let entry = entries(&world, "agent.created").await.remove(0);
    let Actor::Agent { key_id, .. } = ctx.actor else { panic!("a key acts as an agent") };
    assert_eq!((entry.visibility, entry.actor_name.as_str()), (AuditVisibility::Operators, "atlas"));
    assert_eq!(entry.changes["by_key"], key_id.to_string());
    identity::invite(engine, &admin, invitation(&world, &[OperatorRole::Operator])).await.unwrap();

    let mut admins_key = new_key("more", KeyPreset::Reader);
    admins_key.scopes = vec![KeyScope::Admin];
    let made = identity::add_key(engine, &world.vera, admins_key.clone()).await.unwrap().key;
    let reset = identity::offer_password(engine, &world.vera, vera, 1).await.unwrap().invitation.id;
    let mut heir = invitation(&world, &[OperatorRole::Admin]);
    heir.login = format!("heir@{}", world.tenant_slug);
    let invited = identity::invite(engine, &world.vera, heir.clone()).await.unwrap().invitation.id;
    heir.roles = vec![OperatorRole::Viewer];
    let idris = id_of(&operator(&world, "Idris", &[OperatorRole::Viewer]).await);
    let refused = [
        identity::withdraw_invitation(engine, &admin, reset).await,
        identity::withdraw_invitation(engine, &admin, invited).await,
        identity::invite(engine, &admin, heir).await.map(drop),
        identity::offer_password(engine, &admin, idris, 1).await.map(drop),
        identity::add_key(engine, &admin, admins_key).await.map(drop),
        identity::rotate_key(engine, &admin, made.id, 1).await.map(drop),
        identity::invite(engine, &admin, invitation(&world, &[OperatorRole::Viewer, OperatorRole::Admin])).await.map(drop),
        identity::offer_password(engine, &admin, vera, 1).await.map(drop),
        identity::end_sessions(engine, &admin, vera).await,
        identity::detach_identity(engine, &admin, vera).await.map(drop),
        identity::disable_operator(engine, &admin, vera).await,
        identity::set_roles(engine, &admin, vera, &[OperatorRole::Viewer]).await,
        identity::create_operator(engine, &admin, "mole", "Mole", PASSWORD, &[OperatorRole::Admin]).await.map(drop),
    ];
    for (number, refused) in refused.into_iter().enumerate() {
        assert!(matches!(refused, Err(Error::Forbidden(_))), "{number}: {refused:?}");
    }
}

#[tokio::test]
async fn users_are_named_and_renamed_and_their_words_stay_out_of_the_audit_log() {
    let (world, stranger) = (World::new().await, World::new().await);
    let put = async |user: UserRef, name: Option<&str>, reference: Option<&str>| {
        let settings = UserSettings { name: name.map(str::to_owned), external_ref: reference.map(str::to_owned) };
        identity::put_user(&world.engine, &world.vera, &user, settings).await
    };
    let named = |text: &str| text.parse::<UserRef>().unwrap();
    let (mina, is_new) = put(named("crm-7"), Some("Mina"), None).await.unwrap();
    assert!(is_new && mina.name.as_deref() == Some("Mina"));
    let before = total(&world).await;
    assert_eq!(put(named("crm-7"), Some("Mina"), None).await.unwrap(), (mina.clone(), false));
    assert_eq!(total(&world).await, before);
    let (renamed, _) = put(mina.id.into(), None, Some("crm-8")).await.unwrap();
    assert_eq!((renamed.id, renamed.external_ref.as_str(), renamed.name.as_deref()), (mina.id, "crm-8", Some("Mina")));
    let (unnamed, is_new) = put(mina.id.into(), Some(" "), None).await.unwrap();
    assert_eq!((unnamed.name, is_new), (None, false), "an empty name is removed");
    put(named("crm-9"), None, None).await.unwrap();
    for user in [mina.id.into(), named("crm-8"), wire::UserId(world.clock.id()).into()] {
        let taken = put(user, None, Some("crm-9")).await.unwrap_err();
        assert!(matches!(&taken, Error::Conflict(message) if message.contains("the reference crm-9")), "{taken}");
    }
    let nobody = wire::UserId(world.clock.id());
    assert_eq!(put(nobody.into(), None, None).await.unwrap_err().fields()[0].field, "external_ref");
    let rename = async || put(named("crm-10"), None, Some("crm-11")).await.unwrap();
    let (added, is_new) = rename().await;
    assert_eq!((added.external_ref.as_str(), is_new), ("crm-11", true));
    assert_eq!(rename().await, (added, false), "the same request again is about the same user");
    let changed = entries(&world, "user.changed").await;
    assert_eq!(changed[0].changes, serde_json::json!({ "fields": ["name"] }));
    assert_eq!(changed[1].changes, serde_json::json!({ "fields": ["external_ref"] }));
    assert!(!changed[1].message.contains("crm-8"), "{}", changed[1].message);
    let listed = identity::list_users(&world.engine, &world.vera, Some("crm-8")).await.unwrap();
    assert_eq!((listed.users.len(), listed.users[0].external_ref.as_str(), listed.next), (1, "crm-9", None), "crm-11 sorts before");
    assert!(identity::list_users(&stranger.engine, &stranger.vera, None).await.unwrap().users.is_empty());
}
