//! What calls of models cost, and what happens when nothing is left to pay for them.

use crate::capture::{captured, inbox};
use crate::capture_model::with_model;
use crate::support::{agent, alone, alone_with, ask, number, patient, remember, work};
use chrono::Duration;
use db::Users;
use db::clock::Clock;
use foundation::jobs::store::depth;
use foundation::testing::{World, fact};
use foundation::usage::{self, Payer, Price, Purpose};
use foundation::{Engine, Error, OpContext, Settings};
use models::TokenUse;
use remembrancer::{memories, workers};
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use wire::{Exhausted, MatchedBy, UsageFilter, UsageLimits, UsageRequest, Usd, UserId};

const MODEL: &str = "all-MiniLM-L6-v2";
const VECTORS: &str = "select count(*) from embeddings_384 where memory_id = $1";
/// What one token costs below.
const TOKEN: Usd = Usd::from_micros(1);
const IDRIS: UserId = UserId(Uuid::from_u128(1));
const MINA: UserId = UserId(Uuid::from_u128(2));

/// Makes the embedding model a paid one.
async fn priced(world: &World) {
    usage::set_price(&world.engine, MODEL, Price { input: Usd::from_dollars(1), output: Usd::ZERO }).await.unwrap();
}

async fn grant(world: &World, dollars: Usd) {
    usage::grant_credit(&world.engine, &world.system, None, dollars, "the test").await.unwrap();
}

fn as_user(ctx: &OpContext, user: UserId) -> OpContext {
    OpContext { users: Users::One(user), ..ctx.clone() }
}

#[tokio::test]
async fn a_memory_that_cannot_be_paid_for_is_found_by_words_and_gets_its_vector_after_a_grant() {
    let world = alone().await;
    priced(&world).await;
    grant(&world, TOKEN).await;
    let paid = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    assert!(paid.degraded.is_empty(), "something was left when the call began");
    let calls = world.embedder.calls();
    let unpaid = remember(&world, &world.atlas, fact("bread", "Idris bakes sourdough bread")).await;
    assert_eq!((unpaid.degraded.as_slice(), number(&world, VECTORS, unpaid.memory_id).await), (["balance".to_owned()].as_slice(), 0));
    let answer = ask(&world, &world.atlas, "Who bakes bread?").await;
    assert_eq!((answer.degraded.as_slice(), answer.memories()[0].matched_by), (["balance".to_owned()].as_slice(), MatchedBy::Lexical));
    // Its job waits, however often it comes up: that is no attempt.
    for _ in 0..10 {
        workers::work(&world.engine, &CancellationToken::new()).await.unwrap();
        world.clock.advance(Duration::hours(2));
    }
    workers::work(&world.engine, &CancellationToken::new()).await.unwrap();
    assert_eq!(depth(world.engine.db().memory.system()).await.unwrap(), [("failed".to_owned(), 1)]);
    assert_eq!(world.embedder.calls(), calls, "no call begins that cannot be paid for");

    grant(&world, Usd::from_dollars(5)).await;
    work(&world).await;
    assert_eq!(number(&world, VECTORS, unpaid.memory_id).await, 1);
    let answer = ask(&world, &world.atlas, "Who bakes bread?").await;
    assert_eq!((answer.degraded.len(), answer.memories()[0].matched_by), (0, MatchedBy::Both));

    // A correction takes the rest; a question that was paid for is not paid for again.
    grant(&world, Usd::from_dollars(-6)).await;
    assert!(ask(&world, &world.atlas, "Who bakes bread?").await.degraded.is_empty());
    let balances = usage::balances(&world.engine, &world.vera).await.unwrap();
    assert_eq!(balances.credits.len(), 3);
    assert_eq!(balances.accounts[0].exhausted, Some(Exhausted { user_id: None, renews: None }));
    let spent = Usd::from_dollars(-1) + TOKEN - balances.accounts[0].credit.unwrap();
    assert!(spent > TOKEN && spent < Usd::from_micros(100), "the overshoot is the cost of calls that had begun: {spent}");
    let log = remembrancer::overview::audit_log(&world.engine, &world.vera, &Default::default()).await.unwrap().rows;
    let granted = log.iter().filter(|entry| entry.action.starts_with("usage.credit") && entry.reason.as_deref() == Some("the test"));
    assert_eq!(granted.count(), 3);
}

#[tokio::test]
async fn of_callers_at_the_same_moment_one_takes_the_last_credit() {
    let world = alone_with(patient()).await;
    priced(&world).await;
    grant(&world, TOKEN).await;
    world.embedder.hang();
    let mut callers = JoinSet::new();
    for caller in 0..8 {
        let (engine, ctx) = (world.engine.clone(), world.atlas.clone());
        callers.spawn(
            async move { memories::remember(&engine, &ctx, fact("tea", &format!("Vera has {caller} kinds of tea"))).await.unwrap() },
        );
    }
    for _ in 0..7 {
        assert_eq!(callers.join_next().await.unwrap().unwrap().degraded, ["balance"]);
    }
    world.embedder.work();
    assert!(callers.join_next().await.unwrap().unwrap().degraded.is_empty());
    assert_eq!(world.embedder.calls(), 1);

    // Another server knows it when the ledger was written.
    usage::flush(&world.engine).await.unwrap();
    let urls = world.engine.urls().clone();
    let other = Engine::open(urls, Arc::new(world.embedder.clone()), world.clock.clone(), Settings::default()).await.unwrap();
    assert_eq!(memories::remember(&other, &world.atlas, fact("tea", "The kettle is red")).await.unwrap().degraded, ["balance"]);
}

#[tokio::test]
async fn a_limit_holds_for_its_user_and_its_organisation_only() {
    let world = alone().await;
    priced(&world).await;
    let neighbour = World::on(world.engine.urls().clone()).await;
    let none = UsageLimits { month_tokens: Some(0), ..UsageLimits::default() };
    usage::set_limits(&world.engine, &world.system, Some(&IDRIS.to_string().parse().unwrap()), none).await.unwrap();
    let store = async |ctx: &OpContext, engine: &Engine, content: &str| {
        memories::remember(engine, ctx, fact("tea", content)).await.unwrap().degraded
    };
    assert_eq!(store(&as_user(&world.atlas, IDRIS), &world.engine, "Idris likes tea").await, ["balance"]);
    assert!(store(&as_user(&world.atlas, MINA), &world.engine, "Mina likes tea").await.is_empty());
    assert!(store(&world.atlas, &world.engine, "Everybody likes tea").await.is_empty());
    assert!(store(&as_user(&neighbour.atlas, IDRIS), &neighbour.engine, "Idris likes tea").await.is_empty());

    let seen = usage::balances(&world.engine, &world.vera).await.unwrap();
    let renews = seen.accounts[0].exhausted.unwrap().renews.unwrap();
    assert!(renews > world.clock.now().date_naive(), "a quota renews with the next month");
    assert!(usage::balances(&neighbour.engine, &neighbour.vera).await.unwrap().accounts.is_empty());
    let refusal = Error::Exhausted(seen.accounts[0].exhausted.unwrap());
    assert_eq!(refusal.code().status(), 402);
    assert!(refusal.message().contains(&IDRIS.to_string()) && refusal.message().contains(&renews.to_string()), "{refusal}");

    // No limit is the default again.
    usage::set_limits(&world.engine, &world.system, Some(&IDRIS.to_string().parse().unwrap()), UsageLimits::default()).await.unwrap();
    assert!(store(&as_user(&world.atlas, IDRIS), &world.engine, "Idris likes coffee").await.is_empty());
    assert!(usage::balances(&world.engine, &world.vera).await.unwrap().accounts.is_empty());
}

#[tokio::test]
async fn a_quota_counts_the_calls_of_its_month_that_cost_less_than_a_micro_dollar() {
    let world = alone().await;
    usage::set_price(&world.engine, MODEL, Price { input: Usd::from_micros(20_000), output: Usd::ZERO }).await.unwrap();
    let payer = Payer { tenant_id: world.system.tenant_id, agent_id: Some(agent(&world.atlas)), user_id: None };
    for _ in 0..10 {
        world.engine.book_call(payer, MODEL, Purpose::Embedding, TokenUse::reading(20), world.clock.now());
    }
    // A model without a price counts towards no limit.
    world.engine.book_call(payer, "example-free", Purpose::Embedding, TokenUse::reading(7), world.clock.now());
    usage::flush(&world.engine).await.unwrap();
    let thousand = UsageLimits { month_tokens: Some(1000), ..UsageLimits::default() };
    usage::set_limits(&world.engine, &world.system, None, thousand).await.unwrap();
    let account = usage::balances(&world.engine, &world.vera).await.unwrap().accounts.remove(0);
    assert_eq!((account.used_tokens, account.used_dollars), (200, Usd::ZERO));
}

#[tokio::test]
async fn quoting_goes_on_when_nothing_is_left_for_the_chat_model() {
    let (world, server) = with_model().await;
    let none = UsageLimits { month_dollars: Some(Usd::ZERO), ..UsageLimits::default() };
    usage::set_limits(&world.engine, &world.system, None, none).await.unwrap();
    captured(&world, &world.atlas, "Vera: I live in Bern since March.\n").await;
    assert!(!inbox(&world).await.is_empty(), "something is quoted");
    assert!(server.received_requests().await.unwrap().is_empty(), "the chat model is not called");
    let outcomes = remembrancer::capture::events(&world.engine, &world.vera, &Default::default()).await.unwrap().rows;
    let outcome = outcomes.into_iter().find_map(|event| event.outcome.filter(|text| text.contains("by quoting")));
    assert!(outcome.as_deref().is_some_and(|text| text.ends_with("by quoting, because the balance is used up")), "{outcome:?}");
}

#[tokio::test]
async fn wrong_amounts_and_unknown_people_are_named() {
    let world = alone().await;
    let field = |result: Result<(), Error>| match result {
        Err(Error::Invalid(fields)) => fields.into_iter().map(|error| error.field).collect::<Vec<_>>().join(" "),
        other => panic!("{other:?}"),
    };
    for amount in [0, 10_000_000, -10_000_000].map(Usd::from_dollars) {
        assert_eq!(field(usage::grant_credit(&world.engine, &world.system, None, amount, "because").await), "dollars", "{amount}");
    }
    assert_eq!(field(usage::grant_credit(&world.engine, &world.system, None, Usd::from_dollars(1), " ").await), "reason");
    let stranger = "crm-unknown".parse().unwrap();
    assert_eq!(field(usage::grant_credit(&world.engine, &world.system, Some(&stranger), Usd::from_dollars(1), "because").await), "user");
    let negative = UsageLimits { month_dollars: Some(Usd::from_dollars(-1)), month_tokens: Some(-1), ..UsageLimits::default() };
    assert_eq!(field(usage::set_limits(&world.engine, &world.system, None, negative).await), "month_dollars month_tokens");
    let long = UsageRequest { from: "2026-01-01".parse().ok(), until: "2026-06-01".parse().ok(), user_id: None };
    assert_eq!(field(usage::own(&world.engine, &world.atlas, &long).await.map(drop)), "from");
}

#[tokio::test]
async fn agents_and_users_see_their_own_calls() {
    let world = alone().await;
    let now = world.clock.now();
    let record = |who: &OpContext, user, model: &str, read| {
        let payer = Payer { tenant_id: world.system.tenant_id, agent_id: Some(agent(who)), user_id: user };
        world.engine.book_call(payer, model, Purpose::Extraction, TokenUse { read, written: 1 }, now);
    };
    record(&world.atlas, Some(IDRIS), "=cmd|' /C calc'!A0", 10);
    record(&world.atlas, Some(MINA), "gpt-4o-mini", 200);
    record(&world.atlas, None, "gpt-4o-mini", 3000);
    record(&world.binky, None, "gpt-4o-mini", 40_000);
    usage::flush(&world.engine).await.unwrap();
    let read = async |ctx: &OpContext| usage::own(&world.engine, ctx, &UsageRequest::default()).await.unwrap();
    let of_idris = read(&as_user(&world.atlas, IDRIS)).await;
    assert_eq!((of_idris.total.calls, of_idris.total.tokens_in), (2, 3010));
    assert_eq!(read(&as_user(&world.atlas, MINA)).await.total.tokens_in, 3200);
    assert_eq!(read(&world.binky).await.total.tokens_in, 40_000);
    let csv = String::from_utf8(usage::as_csv(&of_idris).unwrap()).unwrap();
    assert!(csv.starts_with("day,model,purpose,calls,tokens_in,tokens_out,dollars\r\n"), "{csv}");
    assert!(csv.contains(",'=cmd|' /C calc'!A0,extraction,1,10,1,0.000000\r\n"), "{csv}");

    let all = usage::overview(&world.engine, &world.vera, &UsageFilter::default()).await.unwrap();
    assert_eq!((all.total.calls, all.total.tokens_in, all.days.len()), (4, 43_210, 30));
    assert_eq!(all.agents[0].usage.tokens_in, 40_000, "the dearest first");
    assert_eq!(all.users.iter().map(|share| share.usage.calls).collect::<Vec<_>>(), [2, 1, 1]);
    let one = UsageFilter { agent: Some(agent(&world.binky)), model: Some("gpt-4o-mini".into()), ..UsageFilter::default() };
    assert_eq!(usage::overview(&world.engine, &world.vera, &one).await.unwrap().total.calls, 1);
    let mut file = Vec::new();
    assert_eq!(usage::export(&world.engine, &world.vera, &UsageFilter::default(), &mut file).await.unwrap(), 4);
}
