//! The survey of active memories: what may say the same or contradict, as suggestions for a person.

use crate::support::{Told, alone, ask, remember, work};
use chrono::Duration;
use remembrancer::api::{MemoryKind, PairRelation, RememberRequest, SuggestedPair};
use remembrancer::testing::{World, fact, nowhere};
use remembrancer::{OpContext, consolidation};

async fn suggestions(world: &World) -> Vec<SuggestedPair> {
    consolidation::suggestions(&world.engine, &world.vera, None).await.unwrap().rows
}

async fn survey(world: &World) -> bool {
    let requested = consolidation::request_survey(&world.engine, &world.system).await.unwrap();
    work(world).await;
    requested
}

async fn told(world: &World, ctx: &OpContext, topic: &str, content: &str) {
    remember(world, ctx, fact(topic, content)).await;
    world.clock.advance(Duration::minutes(1));
}

#[tokio::test]
async fn contradictions_and_duplicates_among_active_memories_are_suggested_once() {
    let world = alone().await;
    // More than one event surveys, and nothing of it resembles anything else.
    for n in 0..450 {
        told(&world, &world.atlas, &format!("w{n}"), &format!("w{n}a w{n}b w{n}c w{n}d")).await;
    }
    told(&world, &world.atlas, "home of Vera", "Vera lives in Bern with her cat.").await;
    told(&world, &world.binky, "home of Vera", "Vera lives in Olten with her cat.").await;
    let mina =
        RememberRequest { user_id: Some(remembrancer::api::UserId(nowhere()).into()), ..fact("home", "Vera lives in Chur with her cat.") };
    remember(&world, &world.atlas, mina).await;
    let episode = RememberRequest { kind: Some(MemoryKind::Episode), ..fact("today", "Vera lives in Sion with her cat.") };
    remember(&world, &world.atlas, episode).await;
    told(&world, &world.atlas, "address of Vera", "Vera lives in Thun with her cat.").await;

    assert!(survey(&world).await);
    let found = suggestions(&world).await;
    let said: Vec<_> = found.iter().map(|one| (one.relation, one.from.content.as_str(), one.to.content.as_str())).collect();
    assert_eq!(said, [(PairRelation::Contradicts, "Vera lives in Thun with her cat.", "Vera lives in Bern with her cat.")]);
    assert!(!survey(&world).await, "once a day");

    consolidation::decide_pair(&world.engine, &world.vera, found[0].id, false).await.unwrap();
    told(&world, &world.atlas, "Vera of address", "Vera lives in Thun with her cat").await;
    world.clock.advance(Duration::days(1));
    assert!(survey(&world).await);
    let found = suggestions(&world).await;
    let relations: Vec<_> = found.iter().map(|one| (one.relation, one.from.content.as_str())).collect();
    let later = "Vera lives in Thun with her cat";
    assert!(relations.contains(&(PairRelation::Duplicates, later)), "{relations:?}");
    assert!(relations.iter().all(|(_, from)| *from == later), "what was declined does not come back: {relations:?}");
    let duplicate = found.iter().find(|one| one.relation == PairRelation::Duplicates).unwrap();
    consolidation::decide_pair(&world.engine, &world.vera, duplicate.id, true).await.unwrap();
    work(&world).await;
    let thun = ask(&world, &world.atlas, "Vera lives in Thun").await.told().into_iter().filter(|hit| hit.content.contains("Thun")).count();
    assert_eq!(thun, 1, "they were merged");
}
