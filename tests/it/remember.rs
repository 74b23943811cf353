//! remember: what becomes a memory, what a version, and what neither.

use crate::support::{Fetch, Told, agent, ask, contents, number, remember};
use chrono::Duration;
use db::clock::Clock;
use foundation::Error;
use foundation::testing::{World, fact, key};
use remembrancer::memories;
use uuid::Uuid;
use wire::{KeyScope, MemoryDetail, MemoryId, MemoryKind, MemoryScope, Relation, RememberRequest, Retention, SourceTag, UserId};

async fn detail(world: &World, id: MemoryId) -> MemoryDetail {
    memories::detail(&world.engine, &world.vera, id).await.unwrap()
}

fn changes(detail: &MemoryDetail) -> Vec<(i32, &str)> {
    detail.record.versions.iter().map(|version| (version.version, version.change.as_str())).collect()
}

#[tokio::test]
async fn a_new_memory_is_stored_verbatim_with_its_provenance() {
    let world = World::new().await;
    let content = "  Vera likes her tea ☕ black.\n\tNo sugar — “ever”.  ";
    let mut request = fact(" Vera's tea ", content);
    request.source.thread_id = Some("T9".into());
    let answer = remember(&world, &world.atlas, request.clone()).await;
    assert!(!answer.was_update && !answer.unchanged && !answer.is_canonical);
    assert_eq!((answer.topic.as_str(), answer.previous_version), ("Vera's tea", None));
    let detail = detail(&world, answer.memory_id).await;
    let memory = &detail.memory;
    assert_eq!((memory.content.as_str(), memory.topic_raw.as_str()), (content, " Vera's tea "));
    assert_eq!((&memory.source, &memory.short_id), (&request.source, &answer.short_id));
    assert_eq!((memory.agent_slug.as_str(), detail.record.created_by), ("atlas", agent(&world.atlas)));
    assert_eq!((memory.kind, memory.scope, detail.record.retention), (MemoryKind::Profile, MemoryScope::Agent, Retention::Permanent));
    assert_eq!((memory.version, memory.remembered_count, memory.expires_at), (1, 0, None));
    assert_eq!(detail.embedded_by, ["all-MiniLM-L6-v2"]);
    assert_eq!(changes(&detail), [(1, "created")]);
    assert_eq!(detail.record.versions[0].actor_name, "atlas");
}

#[tokio::test]
async fn saying_the_same_again_counts_and_refreshes_and_makes_no_version() {
    let world = World::new().await;
    let first = remember(&world, &world.atlas, fact("tea", "Vera likes tea.")).await;
    let before = detail(&world, first.memory_id).await;
    world.clock.advance(Duration::days(30));
    let again = remember(&world, &world.atlas, fact("tea", "Vera likes tea.")).await;
    assert!(again.unchanged && !again.was_update);
    assert_eq!((again.memory_id, again.short_id, again.previous_version), (first.memory_id, first.short_id, None));
    let after = detail(&world, first.memory_id).await;
    assert_eq!((after.memory.version, after.memory.remembered_count, after.record.versions.len()), (1, 1, 1));
    assert!(after.memory.updated_at - before.memory.updated_at >= Duration::days(30));
    assert_eq!(after.memory.created_at, before.memory.created_at);
    let hit = ask(&world, &world.atlas, "tea").await.told().remove(0);
    assert!(hit.recency_score > 0.999, "it weighs as much as a new one: {}", hit.recency_score);
}

#[tokio::test]
async fn a_near_duplicate_becomes_a_new_version() {
    let world = World::new().await;
    let first = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    let second = remember(&world, &world.atlas, fact("tea", "Vera likes the black tea!")).await;
    assert!(second.was_update && !second.unchanged);
    assert_eq!((second.memory_id, second.previous_version), (first.memory_id, Some(1)));
    let detail = detail(&world, first.memory_id).await;
    assert_eq!(
        (detail.memory.content.as_str(), detail.memory.version, detail.memory.remembered_count),
        ("Vera likes the black tea!", 2, 1)
    );
    assert_eq!(changes(&detail), [(2, "revised"), (1, "created")]);
    assert_eq!(detail.record.versions[1].content, "Vera likes black tea", "nothing is overwritten");
    assert_eq!(contents(&world, &world.atlas, "black tea").await, ["Vera likes the black tea!"]);
    let third = remember(&world, &world.atlas, fact("tea", "Quarterly figures arrive on Monday")).await;
    assert_ne!(third.memory_id, first.memory_id, "what only shares the topic is another memory");
}

#[tokio::test]
async fn the_words_and_the_vector_follow_the_new_version() {
    let world = World::new().await;
    let words = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo";
    let first = remember(&world, &world.atlas, fact("letters", &format!("They begin {words}"))).await;
    assert_eq!(remember(&world, &world.atlas, fact("letters", &format!("They start {words}"))).await.previous_version, Some(1));
    let term = "select count(*) from memory_terms where memory_id = $1 and term = 'start'";
    assert_eq!(number(&world, term, first.memory_id).await, 1);
    assert_eq!(number(&world, "select count(*) from memory_terms where memory_id = $1 and term = 'begin'", first.memory_id).await, 0);
    let hit = ask(&world, &world.atlas, &format!("letters They start {words}")).await.told().remove(0);
    assert!(hit.similarity > 0.999, "the vector is that of the new words: {}", hit.similarity);
}

#[tokio::test]
async fn what_differs_in_user_kind_scope_or_agent_is_not_merged() {
    let world = World::new().await;
    let base = fact("tea", "Vera likes tea");
    let project = Some(Uuid::from_u128(1));
    let variants = [
        base.clone(),
        RememberRequest { user_id: Some(UserId(Uuid::from_u128(1)).into()), ..base.clone() },
        RememberRequest { user_id: Some(UserId(Uuid::from_u128(2)).into()), ..base.clone() },
        RememberRequest { kind: Some(MemoryKind::Episode), ..base.clone() },
        RememberRequest { scope: Some(MemoryScope::Global), ..base.clone() },
        RememberRequest { scope: Some(MemoryScope::Global), commons: true, ..base.clone() },
        RememberRequest { scope: Some(MemoryScope::Project), project_id: project.map(Into::into), ..base.clone() },
        RememberRequest { scope: Some(MemoryScope::Project), project_id: Some(Uuid::from_u128(2).into()), ..base.clone() },
        RememberRequest { scope: Some(MemoryScope::Repo), repo_id: project, ..base.clone() },
        RememberRequest { scope: Some(MemoryScope::Session), session_id: project, ..base.clone() },
    ];
    let mut ids = Vec::new();
    for variant in &variants {
        ids.push(remember(&world, &world.atlas, variant.clone()).await.memory_id);
    }
    ids.push(remember(&world, &world.binky, base).await.memory_id);
    // Once more: each is recognised.
    for (variant, id) in variants.iter().zip(&ids) {
        let again = remember(&world, &world.atlas, variant.clone()).await;
        assert!(again.unchanged && again.memory_id == *id, "{variant:?}");
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), variants.len() + 1);
}

#[tokio::test]
async fn a_decision_that_resembles_another_stands_beside_it_linked() {
    let world = World::new().await;
    let decision = |content: &str| RememberRequest { kind: Some(MemoryKind::Decision), ..fact("storage", content) };
    let first = remember(&world, &world.atlas, decision("We store vectors in Postgres")).await;
    let second = remember(&world, &world.atlas, decision("We store vectors in Postgres.")).await;
    assert!(!second.was_update && second.memory_id != first.memory_id);
    let (from, to) = (detail(&world, second.memory_id).await, detail(&world, first.memory_id).await);
    let link = |detail: &MemoryDetail| detail.record.links.iter().map(|l| (l.relation, l.outgoing, l.other_id)).collect::<Vec<_>>();
    assert_eq!(link(&from), [(Relation::RelatedTo, true, first.memory_id)]);
    assert_eq!(link(&to), [(Relation::RelatedTo, false, second.memory_id)]);
    assert_eq!(contents(&world, &world.atlas, "store vectors in Postgres").await.len(), 2);
    assert!(remember(&world, &world.atlas, decision("We store vectors in Postgres")).await.unchanged);
}

#[tokio::test]
async fn retention_sets_the_end_and_what_has_ended_is_out_of_reach() {
    let world = World::new().await;
    let keep = |retention, content: &str| RememberRequest { retention: Some(retention), ..fact(content, content) };
    for (retention, days) in [(Retention::Routine, 7), (Retention::Error, 14), (Retention::Task, 30), (Retention::Decision, 90)] {
        let answer = remember(&world, &world.atlas, keep(retention, &format!("kept {retention}"))).await;
        let memory = detail(&world, answer.memory_id).await.memory;
        assert_eq!(memory.expires_at, Some(memory.updated_at + Duration::days(days)), "{retention}");
    }
    remember(&world, &world.atlas, keep(Retention::Permanent, "kept permanent")).await;
    assert_eq!(contents(&world, &world.atlas, "kept").await.len(), 5);
    world.clock.advance(Duration::days(14));
    let mut left = contents(&world, &world.atlas, "kept").await;
    left.sort_unstable();
    assert_eq!(left, ["kept decision", "kept permanent", "kept task"]);
    world.clock.advance(Duration::days(3650));
    assert_eq!(contents(&world, &world.atlas, "kept").await, ["kept permanent"]);
    let again = remember(&world, &world.atlas, keep(Retention::Task, "kept task")).await;
    assert!(!again.unchanged, "what has ended is not what is remembered now");
}

#[tokio::test]
async fn saying_it_again_never_shortens_how_long_it_is_kept() {
    let world = World::new().await;
    let keep = |retention, content: &str| RememberRequest { retention: Some(retention), ..fact("deploys", content) };
    let id = remember(&world, &world.atlas, keep(Retention::Routine, "Deploys are on Friday")).await.memory_id;
    for (content, retention) in [
        ("Deploys are on Friday", Retention::Permanent),
        ("Deploys are on Friday", Retention::Routine),
        ("Deploys are on Friday!", Retention::Routine),
        ("Deploys are on Friday!", Retention::Error),
    ] {
        assert_eq!(remember(&world, &world.atlas, keep(retention, content)).await.memory_id, id);
        let detail = detail(&world, id).await;
        assert_eq!((detail.record.retention, detail.memory.expires_at), (Retention::Permanent, None), "{content} {retention}");
    }
}

#[tokio::test]
async fn shared_memories_need_the_scope_and_belong_to_the_commons() {
    let world = World::new().await;
    let shared = RememberRequest { scope: Some(MemoryScope::Global), commons: true, ..fact("holidays", "The office is closed in August") };
    let (reader, _) = key(&world.engine, &world.system, agent(&world.binky), &[KeyScope::MemoryRead, KeyScope::MemoryWrite]).await;
    let refused = memories::remember(&world.engine, &reader, shared.clone()).await.unwrap_err();
    assert!(matches!(refused, Error::Forbidden(_)), "{refused}");
    let detail = detail(&world, remember(&world, &world.atlas, shared).await.memory_id).await;
    assert_eq!((detail.memory.agent_id, detail.record.created_by), (world.system.commons_id, agent(&world.atlas)));
    let hit = ask(&world, &reader, "when is the office closed in August").await.told().remove(0);
    assert_eq!((hit.source_tag, hit.matched_scope), (SourceTag::Shared, MemoryScope::Global));
}

#[tokio::test]
async fn every_write_leaves_its_trace_on_the_bus() {
    let world = World::new().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let traces: Vec<(String, String, String)> = sqlx::query_as(
        "select kind, state, payload->>'outcome' from events where payload->>'memory_id' = $1::text order by created_at, id",
    )
    .bind(id)
    .all(&world.engine)
    .await;
    let trace = |outcome: &str| ("manual_write".to_owned(), "done".to_owned(), outcome.to_owned());
    assert_eq!(traces, [trace("created"), trace("unchanged")]);
    assert!(world.clock.now() > detail(&world, id).await.memory.created_at);
}

#[tokio::test]
async fn the_answer_says_which_secrets_were_replaced() {
    let world = World::new().await;
    let told = RememberRequest { title: Some("password: hunter2horse".into()), ..fact("mailer", "The mailer's password is Tr0ub4dor&3x.") };
    let answer = remember(&world, &world.atlas, told.clone()).await;
    assert_eq!(answer.redacted, ["password", "password"]);
    let batch =
        memories::remember_batch(&world.engine, &world.atlas, None, vec![Ok(told), Ok(fact("tea", "Vera likes tea"))]).await.unwrap();
    assert_eq!(batch.results.iter().map(|one| one.memory.as_ref().unwrap().redacted.len()).collect::<Vec<_>>(), [2, 0]);
    let stored = detail(&world, answer.memory_id).await;
    assert!(!format!("{stored:?}").contains("Tr0ub4dor") && !format!("{stored:?}").contains("hunter2"));
}
