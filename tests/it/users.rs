//! Whose memories a call may touch: who names the user, and what follows.

use crate::support::{Fetch, agent, contents, remember};
use db::Users;
use foundation::testing::{World, fact, key, nowhere, question};
use foundation::{Error, OpContext, identity};
use futures_util::future::join_all;
use remembrancer::{memories, recall, tools};
use serde_json::json;
use wire::{KeyScope, MemoryRef, RecallRequest, RequestId, RetrievalFilter, UserId, UserRef};

fn reference(text: &str) -> UserRef {
    text.parse().unwrap()
}

async fn ctx_of(world: &World, scopes: &[KeyScope], user: Option<&UserRef>) -> OpContext {
    let (_, key) = identity::create_key(&world.engine, &world.system, agent(&world.atlas), "test", scopes, user, None).await.unwrap();
    identity::authenticate(&world.engine, &key, RequestId(nowhere())).await.unwrap()
}

const READ_WRITE: &[KeyScope] = &[KeyScope::MemoryRead, KeyScope::MemoryWrite];

async fn users_of(world: &World) -> i64 {
    sqlx::query_scalar("select count(*) from users where tenant_id = $1")
        .bind(world.system.tenant_id)
        .one(&world.engine.urls().internal_shared)
        .await
}

#[tokio::test]
async fn a_bound_key_acts_for_its_user_whatever_the_arguments_say() {
    let world = World::new().await;
    let bound = ctx_of(&world, KeyScope::ALL, Some(&reference("crm-1"))).await;
    let idris = identity::user(&world.engine, &world.system, &reference("crm-1")).await.unwrap();
    assert_eq!(bound.users, Users::One(idris));
    let id = remember(&world, &bound, fact("tea", "Idris likes green tea")).await.memory_id;
    let stored: Option<UserId> = sqlx::query_scalar("select user_id from agent_memories where id = $1").bind(id).one(&world.engine).await;
    assert_eq!(stored, Some(idris));

    for same in [reference("crm-1"), idris.into()] {
        let request = RecallRequest { user_id: Some(same), ..question("green tea") };
        assert_eq!(recall::recall(&world.engine, &bound, request).await.unwrap().memories().len(), 1);
    }
    for other in [reference("crm-2"), UserId(nowhere()).into()] {
        let request = RecallRequest { user_id: Some(other), ..question("green tea") };
        let error = recall::recall(&world.engine, &bound, request).await.unwrap_err();
        assert!(matches!(&error, Error::Forbidden(message) if message.contains("user_id")), "{error}");
    }
    assert!(matches!(identity::named_by_caller(&world.engine, bound.clone(), &reference("crm-2")).await.unwrap_err(), Error::Forbidden(_)));
    assert_eq!(users_of(&world).await, 1, "a name that cannot stand leaves no row");
    assert_eq!(identity::named_by_caller(&world.engine, bound.clone(), &idris.into()).await.unwrap(), bound);
    assert!(contents(&world, &world.atlas, "green tea").await.is_empty(), "without a user, only what is nobody's");
}

#[tokio::test]
async fn a_key_without_users_any_leaves_the_choice_to_the_caller() {
    let world = World::new().await;
    let plain = ctx_of(&world, READ_WRITE, None).await;
    let request = RecallRequest { user_id: Some(reference("crm-1")), ..question("tea") };
    let error = recall::recall(&world.engine, &plain, request.clone()).await.unwrap_err();
    assert!(matches!(&error, Error::Forbidden(message) if message.contains("X-Remembrancer-User")), "{error}");
    assert_eq!(users_of(&world).await, 0, "a refused name leaves no row");

    let named = identity::named_by_caller(&world.engine, plain.clone(), &reference("crm-1")).await.unwrap();
    remember(&world, &named, fact("tea", "Idris likes green tea")).await;
    assert_eq!(recall::recall(&world.engine, &named, request).await.unwrap().memories().len(), 1);
    assert!(contents(&world, &plain, "green tea").await.is_empty());
    let other = identity::named_by_caller(&world.engine, plain, &reference("crm-2")).await.unwrap();
    assert!(contents(&world, &other, "green tea").await.is_empty());
}

#[tokio::test]
async fn the_argument_stands_in_the_schema_only_where_it_chooses() {
    let world = World::new().await;
    let (chooses, plain) = (ctx_of(&world, KeyScope::ALL, None).await, ctx_of(&world, READ_WRITE, None).await);
    let bound = ctx_of(&world, KeyScope::ALL, Some(&reference("crm-1"))).await;
    let named = identity::named_by_caller(&world.engine, chooses.clone(), &reference("crm-1")).await.unwrap();
    let mut with_user = 0;
    for tool in tools::all() {
        let offers = |ctx: &OpContext| tool.describe(ctx).input_schema["properties"].get("user_id").is_some();
        with_user += usize::from(offers(&chooses));
        assert!(!offers(&plain) && !offers(&bound) && !offers(&named), "{}", tool.name);
        assert!(!tool.describe(&plain).input_schema.to_string().contains("user_id"), "{}", tool.name);
    }
    assert_eq!(with_user, 30);
}

#[tokio::test]
async fn a_reference_and_the_id_behind_it_are_one_user() {
    let world = World::new().await;
    let mina = UserId(nowhere());
    remember(&world, &world.atlas, wire::RememberRequest { user_id: Some(mina.into()), ..fact("tea", "Mina likes milk") }).await;
    identity::add_user(&world.engine, &world.system, "crm-3", Some("Mina"), Some(mina)).await.unwrap();
    let request = RecallRequest { user_id: Some(reference("crm-3")), ..question("milk") };
    assert_eq!(recall::recall(&world.engine, &world.atlas, request).await.unwrap().memories().len(), 1);
    for (reference, id) in [("crm-3", None), ("crm-4", Some(mina))] {
        let error = identity::add_user(&world.engine, &world.system, reference, None, id).await.unwrap_err();
        assert!(matches!(error, Error::Conflict(_)), "{error}");
    }
    let error = identity::add_user(&world.engine, &world.system, &mina.to_string(), None, None).await.unwrap_err();
    assert_eq!(error.fields()[0].field, "external_ref");
    assert!(matches!(identity::add_user(&world.engine, &world.atlas, "crm-5", None, None).await, Err(Error::Forbidden(_))));
    let stranger = World::new().await;
    assert_ne!(
        identity::user(&stranger.engine, &stranger.system, &reference("crm-3")).await.unwrap(),
        mina,
        "references are the tenant's own"
    );
    let listed = identity::users(&world.engine, &world.system).await.unwrap();
    assert_eq!(listed.iter().map(|user| (user.id, user.name.as_deref())).collect::<Vec<_>>(), [(mina, Some("Mina"))]);
}

#[tokio::test]
async fn an_operator_names_a_person_by_id_reference_or_name_and_an_agent_does_not() {
    let world = World::new().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let add = async |reference: &str, name: &str| identity::add_user(engine, &world.system, reference, Some(name), None).await.unwrap().id;
    let (idris, mina) = (add("crm-1", "Idris Roth").await, add("Idris Roth", "Mina").await);
    let whom = async |ctx: &OpContext, text: &str| identity::person(engine, ctx, Some(&reference(text))).await;
    let id = idris.to_string();
    for (text, expected) in [("crm-1", idris), ("idris roth", idris), ("Idris Roth", mina), ("MINA", mina), (id.as_str(), idris)] {
        assert_eq!(whom(vera, text).await.unwrap(), Some(expected), "{text}: a reference counts before a name");
    }
    assert_eq!(whom(vera, "Idris").await.unwrap_err().fields()[0].field, "user_id", "a part of a name is nobody's");
    assert_eq!(identity::known_user(engine, &world.atlas, &reference("Mina")).await.unwrap(), None, "a model must not guess");
    let stranger = World::on(engine.urls().clone()).await;
    assert!(whom(&stranger.vera, "Mina").await.is_err() && whom(&stranger.vera, "crm-1").await.is_err());

    let milk = wire::RememberRequest { user_id: Some(mina.into()), ..fact("milk", "Mina takes oat milk") };
    remember(&world, &world.atlas, milk).await;
    remember(&world, &world.atlas, fact("milk", "The milk is in the fridge")).await;
    let named = |text: &str| wire::MemoryFilter { user_id: Some(reference(text)), ..wire::MemoryFilter::default() };
    assert_eq!(memories::browse(engine, vera, &named("mina")).await.unwrap().total, 1);
    assert_eq!(memories::browse(engine, vera, &named("nobody")).await.unwrap_err().fields()[0].field, "user_id");

    add("crm-4", "mina").await;
    let refused = memories::browse(engine, vera, &named("Mina")).await.unwrap_err();
    let message = &refused.fields()[0].message;
    assert!(message.contains("Idris Roth") && message.contains("crm-4"), "{message}");
    assert_eq!(memories::browse(engine, vera, &named("Idris Roth")).await.unwrap().total, 1, "the reference is enough");
}

#[tokio::test]
async fn a_new_reference_met_twenty_times_at_once_is_one_user() {
    let world = World::new().await;
    let reference = reference("crm-9");
    let met = join_all((0..20).map(|_| identity::user(&world.engine, &world.system, &reference))).await;
    let ids: std::collections::HashSet<UserId> = met.into_iter().map(Result::unwrap).collect();
    assert_eq!((ids.len(), users_of(&world).await), (1, 1));
}

#[test]
fn a_reference_is_short_and_printable_and_never_every_user() {
    for bad in ["", " ", "a\u{0}b", "line\nbreak", "ffffffff-ffff-ffff-ffff-ffffffffffff", &"x".repeat(257)] {
        assert!(bad.parse::<UserRef>().is_err(), "{bad:?}");
    }
    assert_eq!(reference("crm-4711"), UserRef::External("crm-4711".into()));
    assert!(matches!(reference("01a2070c-82fc-760c-937c-33dec46eaa81"), UserRef::Id(_)));
}

/// Every read of an agent that must name its user refuses to answer without one.
#[tokio::test]
async fn an_agent_that_must_name_its_user_reads_nothing_without() {
    let world = World::new().await;
    let made = identity::create_agent(&world.engine, &world.system, "mina-helper", "Mina's helper", true).await.unwrap();
    let (ctx, _) = key(&world.engine, &world.system, made.id, KeyScope::ALL).await;
    let idris = reference("crm-1");
    let named = identity::named_by_caller(&world.engine, ctx.clone(), &idris).await.unwrap();
    let stored = remember(&world, &named, fact("tea", "Idris likes green tea")).await;
    let name = MemoryRef::Id(stored.memory_id);
    let (engine, retrieval) = (&world.engine, wire::RetrievalId(nowhere()));
    let refused = [
        memories::record(engine, &ctx, &name, None).await.err(),
        memories::history(engine, &ctx, &name, None).await.err(),
        memories::compare(engine, &ctx, &name, None, 1, 1).await.err(),
        recall::recall(engine, &ctx, question("tea")).await.err(),
        recall::retrievals(engine, &ctx, &RetrievalFilter::default()).await.err(),
        recall::retrieval(engine, &ctx, retrieval, None).await.err(),
        recall::replay(engine, &ctx, retrieval, None).await.err(),
        remembrancer::memory_block::list(engine, &ctx, None).await.err(),
        tools::find("explain").unwrap().call(engine, &ctx, json!({ "memory_id": stored.memory_id })).await.err(),
        tools::find("context_for").unwrap().call(engine, &ctx, json!({ "task": "tea" })).await.err(),
    ];
    for (place, error) in refused.into_iter().enumerate() {
        assert_eq!(error.unwrap().fields()[0].field, "user_id", "{place}");
    }
    assert!(memories::record(engine, &ctx, &name, Some(&idris)).await.is_ok());
}

/// The log, its replay and its explanation follow the same rule as the memories in it.
#[tokio::test]
async fn what_one_user_asked_is_not_told_to_another() {
    let world = World::new().await;
    let stop = tokio_util::sync::CancellationToken::new();
    let log = tokio::spawn(remembrancer::workers::write_log(world.engine.clone(), stop.clone()));
    let [idris, mina] = ["crm-1", "crm-2"].map(reference);
    let asked =
        recall::recall(&world.engine, &world.atlas, RecallRequest { user_id: Some(idris.clone()), ..question("my salary") }).await.unwrap();
    let nobody = recall::recall(&world.engine, &world.atlas, question("the weather")).await.unwrap();
    world.engine.log().flush().await;
    let (engine, atlas) = (&world.engine, &world.atlas);
    for (user, sees) in [(Some(&idris), true), (Some(&mina), false), (None, false)] {
        let filter = RetrievalFilter { user_id: user.cloned(), ..RetrievalFilter::default() };
        let list = recall::retrievals(engine, atlas, &filter).await.unwrap();
        assert_eq!((list.total, list.rows.iter().any(|row| row.query == "my salary")), (1 + i64::from(sees), sees), "{user:?}");
        assert_eq!(recall::retrieval(engine, atlas, asked.retrieval_id, user).await.is_ok(), sees);
        assert_eq!(recall::replay(engine, atlas, asked.retrieval_id, user).await.is_ok(), sees);
        let explain = json!({ "retrieval_id": asked.retrieval_id, "user_id": user });
        let explain = if user.is_some() { explain } else { json!({ "retrieval_id": asked.retrieval_id }) };
        assert_eq!(tools::find("explain").unwrap().call(engine, atlas, explain).await.is_ok(), sees);
        assert!(recall::retrieval(engine, atlas, nobody.retrieval_id, user).await.is_ok());
    }
    assert_eq!(recall::retrievals(engine, &world.vera, &RetrievalFilter::default()).await.unwrap().total, 2, "operators see every user's");
    let theirs = RetrievalFilter { user_id: Some(idris), ..RetrievalFilter::default() };
    let theirs = recall::retrievals(engine, &world.vera, &theirs).await.unwrap();
    let queries: Vec<&str> = theirs.rows.iter().map(|row| row.query.as_str()).collect();
    assert_eq!((theirs.total, queries), (1, vec!["my salary"]), "a person's recalls, without those of nobody");
    stop.cancel();
    log.await.unwrap();
}

/// Another user's link decides a memory's status for every caller.
#[tokio::test]
async fn a_status_outlives_the_link_that_somebody_cannot_see() {
    let world = World::new().await;
    let idris = identity::named_by_caller(&world.engine, world.atlas.clone(), &reference("crm-1")).await.unwrap();
    let shared = remember(&world, &world.atlas, fact("tea", "The tea is served at four")).await.memory_id;
    let own = remember(&world, &idris, fact("tea time", "Tea is at five")).await.memory_id;
    let other = remember(&world, &world.atlas, fact("tea hour", "It is served at six")).await.memory_id;
    let link = |from: wire::MemoryId| wire::LinkRequest {
        from: from.into(),
        to: shared.into(),
        relation: wire::Relation::Contradicts,
        remove: false,
        user_id: None,
    };
    memories::link(&world.engine, &idris, link(own)).await.unwrap();
    memories::link(&world.engine, &world.atlas, link(other)).await.unwrap();
    memories::unlink(&world.engine, &world.atlas, link(other)).await.unwrap();
    let seen = memories::record(&world.engine, &world.atlas, &shared.into(), None).await.unwrap();
    assert_eq!(seen.status, wire::MemoryStatus::Contradicted);
    assert!(seen.links.is_empty(), "the link itself is Idris's");
    assert_eq!(memories::record(&world.engine, &idris, &shared.into(), None).await.unwrap().links.len(), 1);
}

/// Forgetting one end of a contradiction reinstates the other, even if the link belongs to a user whom the caller does not act for.
#[tokio::test]
async fn a_contradiction_ends_whoever_forgets_the_other_end() {
    let world = World::new().await;
    let idris = identity::named_by_caller(&world.engine, world.atlas.clone(), &reference("crm-1")).await.unwrap();
    let shared = remember(&world, &world.atlas, fact("tea", "The tea is served at four")).await.memory_id;
    let own = remember(&world, &idris, fact("tea time", "Tea is at five")).await.memory_id;
    let link =
        wire::LinkRequest { from: own.into(), to: shared.into(), relation: wire::Relation::Contradicts, remove: false, user_id: None };
    memories::link(&world.engine, &idris, link).await.unwrap();
    let request = wire::ForgetRequest { memory_id: shared.into(), reason: None, user_id: None };
    memories::forget(&world.engine, &world.atlas, request).await.unwrap();
    crate::support::work(&world).await;
    assert_eq!(memories::record(&world.engine, &idris, &own.into(), None).await.unwrap().status, wire::MemoryStatus::Active);
}
