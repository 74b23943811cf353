//! explain: where a memory comes from, and why a recall answered as it did.

use crate::support::{alone, remember};
use foundation::Error;
use foundation::testing::{World, fact, nowhere, question};
use remembrancer::{memories, recall, workers};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use wire::{ExplainRequest, Explanation, LinkRequest, MemoryRef, Relation, RememberRequest, ReviseRequest, UserId};

async fn explain(world: &World, request: ExplainRequest) -> Result<Explanation, Error> {
    recall::explain(&world.engine, &world.atlas, request).await
}

#[tokio::test]
async fn a_memory_and_the_recall_that_returned_it_are_explained() {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    let mut said = fact("tea", "Vera takes her tea without milk");
    said.source.observed_at = Some("2026-04-01T09:00:00Z".parse().unwrap());
    let tea = remember(&world, &world.atlas, said).await;
    let other = remember(&world, &world.atlas, fact("milk", "Vera takes milk in everything")).await;
    let link = LinkRequest {
        from: MemoryRef::Id(tea.memory_id),
        to: MemoryRef::Id(other.memory_id),
        relation: Relation::Contradicts,
        remove: false,
        user_id: None,
    };
    memories::link(&world.engine, &world.atlas, link).await.unwrap();
    let revised = ReviseRequest {
        memory: MemoryRef::Short(tea.short_id.clone()),
        content: "Vera takes her tea black, without milk".into(),
        source: None,
        confidence: None,
        summary: None,
        rationale: None,
        evidence_ref: None,
        user_id: None,
    };
    memories::revise(&world.engine, &world.atlas, revised).await.unwrap();
    let answer = recall::recall(&world.engine, &world.atlas, question("how does Vera take her tea")).await.unwrap();
    world.engine.log().flush().await;

    let told =
        explain(&world, ExplainRequest { memory_id: Some(MemoryRef::Short(tea.short_id)), ..ExplainRequest::default() }).await.unwrap();
    assert_eq!(told.recalled_by.iter().map(|recall| recall.id).collect::<Vec<_>>(), [answer.retrieval_id]);
    let memory = told.memory.unwrap();
    assert_eq!((memory.memory_id, memory.links.len()), (tea.memory_id, 1));
    for part in [", from slack/C1, said on 1 April 2026", "revised", "one memory says otherwise", "one recall in the log returned it"] {
        assert!(told.sentence.contains(part), "{}", told.sentence);
    }

    let told = explain(&world, ExplainRequest { retrieval_id: Some(answer.retrieval_id), ..ExplainRequest::default() }).await.unwrap();
    let logged = told.retrieval.unwrap();
    let hit = answer.memories()[0].clone();
    let first = &logged.considered[0];
    assert_eq!((first.memory_id, first.rank, &first.parts), (Some(hit.memory_id), Some(1), &hit.breakdown.parts));
    assert_eq!((first.explanation.as_str(), &first.matched_words), (hit.explanation.as_str(), &hit.matched_words));
    assert!(told.sentence.contains("“how does Vera take her tea”") && told.sentence.contains("hybrid_decay"), "{}", told.sentence);
}

#[tokio::test]
async fn words_of_title_and_summary_are_shown_as_matched() {
    let world = alone().await;
    tokio::spawn(workers::write_log(world.engine.clone(), CancellationToken::new()));
    let request = RememberRequest {
        title: Some("Zephyr's releases".into()),
        summary: Some("Mina approves".into()),
        ..fact("rollout", "She signs off every one of them.")
    };
    remember(&world, &world.atlas, request).await;
    let answer = recall::recall(&world.engine, &world.atlas, question("who approves a zephyr rollout")).await.unwrap();
    world.engine.log().flush().await;
    let hit = answer.memories()[0];
    assert_eq!(hit.matched_words, ["rollout", "Zephyr's", "approves"]);
    assert!(hit.explanation.contains("shares “rollout”, “Zephyr's”, “approves”"), "{}", hit.explanation);
    let logged = recall::retrieval(&world.engine, &world.atlas, answer.retrieval_id, None).await.unwrap();
    assert_eq!(logged.considered[0].matched_words, hit.matched_words);
}

#[tokio::test]
async fn an_agent_learns_when_its_own_memory_was_forgotten_and_nothing_else() {
    let world = World::new().await;
    let vera = UserId(Uuid::from_u128(1));
    let tea = remember(&world, &world.atlas, RememberRequest { user_id: Some(vera.into()), ..fact("tea", "Vera likes green tea") }).await;
    memories::delete(&world.engine, &world.vera, &[tea.memory_id], "wrong").await.unwrap();
    let today = world.engine.clock().now().format("%-d %B %Y");
    for name in [MemoryRef::Id(tea.memory_id), MemoryRef::Short(tea.short_id)] {
        let request = ExplainRequest { memory_id: Some(name), user_id: Some(vera.into()), ..ExplainRequest::default() };
        let told = explain(&world, request.clone()).await.unwrap();
        assert_eq!(told.sentence, format!("This memory was forgotten on {today}. No agent can read it any more."));
        assert!(told.memory.is_none() && told.recalled_by.is_empty());
        let for_nobody = ExplainRequest { user_id: None, ..request.clone() };
        assert!(matches!(explain(&world, for_nobody).await, Err(Error::NotFound("memory"))), "another user's");
        assert!(matches!(recall::explain(&world.engine, &world.binky, request).await, Err(Error::NotFound("memory"))), "another agent's");
    }
}

#[tokio::test]
async fn one_thing_is_explained_at_a_time_and_only_ones_own() {
    let world = World::new().await;
    assert_eq!(explain(&world, ExplainRequest::default()).await.unwrap_err().fields()[0].field, "memory_id");
    let tea = remember(&world, &world.binky, fact("tea", "Idris likes green tea")).await;
    let named = ExplainRequest { memory_id: Some(MemoryRef::Id(tea.memory_id)), ..ExplainRequest::default() };
    let both = ExplainRequest { retrieval_id: Some(wire::RetrievalId(nowhere())), ..named.clone() };
    assert_eq!(explain(&world, both).await.unwrap_err().fields()[0].field, "retrieval_id");
    assert!(matches!(explain(&world, named).await, Err(Error::NotFound("memory"))), "another agent's");
    let unknown = ExplainRequest { retrieval_id: Some(wire::RetrievalId(nowhere())), ..ExplainRequest::default() };
    assert!(matches!(explain(&world, unknown).await, Err(Error::NotFound("retrieval"))));
}
