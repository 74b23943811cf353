//! The vocabulary in remember and recall, and the proposals of unknown phrases.

use crate::capture::{captured, inbox};
use crate::support::{Fetch, agent, alone, ask, keep_outbox, owner, remember, settle, undo_delivery};
use foundation::testing::{World, fact};
use foundation::{Error, OpContext};
use remembrancer::{consolidation, vocabulary, workers};
use wire::{EventId, InboxEdit, InboxVerdict};

async fn add(world: &World, term: &str, aliases: &[&str]) -> Result<(), Error> {
    vocabulary::add(&world.engine, &world.system, vocabulary::NewTerm { term, aliases, ..Default::default() }).await.map(|_| ())
}

/// (phrase, normal form, count, memories) of every proposal of a tenant.
async fn proposals(world: &World, ctx: &OpContext) -> Vec<(String, String, i64, i64)> {
    sqlx::query_as(
        r"select p.phrase, p.normal, p.count,
                 (select count(distinct memory_id) from proposal_memories m where m.tenant_id = p.tenant_id and m.proposal_id = p.id)
            from term_proposals p where p.tenant_id = $1 order by p.normal",
    )
    .bind(ctx.tenant_id)
    .all(&world.engine.urls().shared_kb)
    .await
}

#[tokio::test]
async fn an_alias_resolves_to_its_canonical_term() {
    let world = World::new().await;
    assert!(!remember(&world, &world.atlas, fact("infra", "Everything is in modules")).await.is_canonical);
    add(&world, "terraform managed infra", &["infra", "the-terraform-stuff"]).await.unwrap();
    let first = remember(&world, &world.atlas, fact("The Terraform_Stuff", "We keep state in a bucket")).await;
    assert!(first.is_canonical, "the server that decided knows at once");
    assert_eq!(first.topic, "terraform managed infra");
    let second = remember(&world, &world.atlas, fact("INFRA", "We keep state in a bucket")).await;
    assert!(second.unchanged, "two phrases for one term are one topic");
    assert_eq!(second.memory_id, first.memory_id);
    let answer = ask(&world, &world.atlas, "infra").await;
    assert_eq!(answer.query_canonical.as_deref(), Some("terraform managed infra"));
    let hit = answer.memories().into_iter().find(|hit| hit.memory_id == first.memory_id).unwrap();
    assert!(hit.is_canonical && hit.topic_raw == "The Terraform_Stuff");
}

#[tokio::test]
async fn a_quotation_is_filed_under_the_longest_term_that_it_contains() {
    let world = alone().await;
    add(&world, "database", &[]).await.unwrap();
    add(&world, "production database", &["prod-db"]).await.unwrap();
    let text = "[2026-05-21 09:12] Vera: We decided to move the Prod-DB, and no other database, to Basel.\n\
        [2026-05-21 09:13] Idris: I'm allergic to peanuts.\n";
    captured(&world, &world.atlas, text).await;
    let mut topics: Vec<(String, bool)> = inbox(&world).await.into_iter().map(|item| (item.topic, item.is_canonical)).collect();
    topics.sort();
    assert_eq!(topics, [("allergic peanuts".to_owned(), false), ("production database".to_owned(), true)]);
}

#[tokio::test]
async fn another_tenant_has_a_vocabulary_of_its_own() {
    let (world, other) = (World::new().await, World::new().await);
    add(&world, "terraform", &["infra"]).await.unwrap();
    assert!(!remember(&other, &other.atlas, fact("infra", "x")).await.is_canonical);
    add(&other, "terraform", &["infra"]).await.unwrap();
    assert!(remember(&other, &other.atlas, fact("infra", "x")).await.is_canonical);
}

#[tokio::test]
async fn a_form_stands_for_one_term_only() {
    let world = World::new().await;
    add(&world, "terraform", &["infra"]).await.unwrap();
    for (term, aliases) in [("Terraform", &[][..]), ("tf", &["INFRA"]), ("infra", &[]), ("tf", &["terraform"]), ("tf", &["t f", "t_f"])] {
        let error = add(&world, term, aliases).await.unwrap_err();
        assert!(matches!(error, Error::Conflict(_)), "{term} {aliases:?}: {error}");
    }
    add(&world, "tf", &["t f"]).await.unwrap();
}

#[tokio::test]
async fn a_candidate_proposes_its_topic_when_it_is_confirmed_and_never_when_it_is_rejected() {
    let world = alone().await;
    let talk = "Mina: I moved to Bergen last month.\nIdris: We decided to keep the archive in Bern because the cellar is dry.\n";
    captured(&world, &world.atlas, talk).await;
    settle(&world).await;
    let waiting = inbox(&world).await;
    assert!(waiting.len() >= 2, "{waiting:#?}");
    assert_eq!(proposals(&world, &world.system).await, [], "all of them wait");
    let (kept, rejected) = waiting.split_first().unwrap();
    let rejected: Vec<_> = rejected.iter().map(|item| item.id).collect();
    let reject = InboxVerdict::Reject { reason: "nobody needs it".into() };
    consolidation::decide(&world.engine, &world.vera, &rejected, reject, &Default::default()).await.unwrap();
    settle(&world).await;
    assert_eq!(proposals(&world, &world.system).await, [], "what is rejected proposes nothing");
    let confirm = InboxVerdict::Confirm(InboxEdit { topic: Some("Harbour Office".into()), share: Some(false), ..InboxEdit::default() });
    consolidation::decide(&world.engine, &world.vera, &[kept.id], confirm, &Default::default()).await.unwrap();
    settle(&world).await;
    assert_eq!(proposals(&world, &world.system).await, [("Harbour Office".into(), "harbour office".into(), 1, 1)]);
}

#[tokio::test]
async fn an_unknown_topic_leaves_one_proposal_that_counts_and_holds_no_content() {
    let world = alone().await;
    let secret = "The vault code is heptagon";
    let first = remember(&world, &world.atlas, fact("Office-Vault", secret)).await;
    remember(&world, &world.atlas, fact("office vault", "Only Vera has a key")).await;
    remember(&world, &world.binky, fact("OFFICE_vault", secret)).await;
    add(&world, "coffee", &[]).await.unwrap();
    remember(&world, &world.atlas, fact("Coffee", "The machine is broken")).await;
    settle(&world).await;
    assert_eq!(proposals(&world, &world.system).await, [("Office-Vault".into(), "office vault".into(), 3, 3)]);
    let mut kb = owner(&world.engine.urls().shared_kb).await;
    let agents: Vec<(uuid::Uuid, uuid::Uuid)> =
        sqlx::query_as("select agent_id, memory_id from proposal_memories order by seen_at").fetch_all(&mut kb).await.unwrap();
    assert_eq!(agents[0], (agent(&world.atlas).0, first.memory_id.0));
    assert_eq!(agents[2].0, agent(&world.binky).0);
    // No column of the knowledge database holds the content.
    for (table, rows) in crate::support::row_counts(&world.engine.urls().shared_kb).await {
        let sql = sqlx::AssertSqlSafe(format!("select count(*) from {table} t where t::text ilike '%heptagon%' or t::text ilike '%vera%'"));
        assert_eq!(sqlx::query_scalar::<_, i64>(sql).fetch_one(&mut kb).await.unwrap(), 0, "{table} with {rows} rows");
    }
}

#[tokio::test]
async fn a_second_delivery_of_the_same_row_counts_nothing() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("vault", "Only Vera has a key")).await;
    keep_outbox(&world).await;
    settle(&world).await;
    let log = |world: &World| {
        let url = world.engine.urls().internal_shared.clone();
        async move { sqlx::query_scalar::<_, i64>("select count(*) from audit_log").one(&url).await }
    };
    let logged = log(&world).await;
    // As if the relay had died between delivering and marking.
    assert_eq!(undo_delivery(&world).await, 2);
    assert_eq!(workers::drain(&world.engine).await.unwrap(), 2);
    assert_eq!(proposals(&world, &world.system).await, [("vault".into(), "vault".into(), 1, 1)]);
    assert_eq!(log(&world).await, logged);
}

#[tokio::test]
async fn a_phrase_that_grows_when_normalised_is_proposed_all_the_same() {
    let world = alone().await;
    // U+FDFA is one character and eighteen once normalised.
    let phrase = "\u{fdfa}".repeat(256);
    remember(&world, &world.atlas, fact(&phrase, "A long salutation")).await;
    remember(&world, &world.atlas, fact("vault", "Only Vera has a key")).await;
    settle(&world).await;
    let proposals = proposals(&world, &world.system).await;
    assert_eq!(proposals.len(), 2);
    assert!(proposals.iter().any(|(as_met, ..)| *as_met == phrase));
    add(&world, &phrase, &[]).await.unwrap();
    assert!(remember(&world, &world.atlas, fact(&phrase, "A long salutation")).await.is_canonical);
}

#[tokio::test]
async fn concurrent_deliveries_of_one_phrase_open_one_proposal() {
    let world = alone().await;
    let kb = world.engine.db().kb.system();
    let deliveries = (0..24).map(|n| {
        let (tenant, memory_id) = (world.system.tenant_id, wire::MemoryId(uuid::Uuid::from_u128(n)));
        let proposal = foundation::audit::Proposal {
            phrase: "vault".into(),
            normal: "vault".into(),
            agent_id: agent(&world.atlas),
            memory_id: Some(memory_id),
            seen_at: db::clock::Clock::now(world.clock.as_ref()),
        };
        // Each row comes twice.
        let (event, id) = (EventId(uuid::Uuid::from_u128(n / 2)), uuid::Uuid::from_u128(1000 + n));
        async move { vocabulary::store::deliver_proposal(kb, tenant, event, id, &proposal).await.unwrap() }
    });
    futures_util::future::join_all(deliveries).await;
    assert_eq!(proposals(&world, &world.system).await.iter().map(|p| p.2).collect::<Vec<_>>(), [12]);
}
