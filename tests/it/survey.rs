//! The survey of active memories: what may say the same or contradict, as suggestions for a person.

use crate::capture::captured;
use crate::portability::{exported, import, newcomer};
use crate::support::{Run, Told, agent, alone, ask, number, remember, work};
use chrono::Duration;
use foundation::OpContext;
use foundation::testing::{World, fact, key, nowhere};
use portability::Selection;
use remembrancer::{consolidation, memories};
use wire::{
    AgentId, ErrorCode, KeyScope, MemoryKind, MemoryStatus, RememberRequest, Suggestion, SuggestionFilter, SuggestionId, SuggestionRelation,
};

async fn suggestions(world: &World) -> Vec<Suggestion> {
    consolidation::suggestions(&world.engine, &world.vera, &SuggestionFilter::default()).await.unwrap().rows
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
    let mina = RememberRequest { user_id: Some(wire::UserId(nowhere()).into()), ..fact("home", "Vera lives in Chur with her cat.") };
    remember(&world, &world.atlas, mina).await;
    let episode = RememberRequest { kind: Some(MemoryKind::Episode), ..fact("today", "Vera lives in Sion with her cat.") };
    remember(&world, &world.atlas, episode).await;
    told(&world, &world.atlas, "address of Vera", "Vera lives in Thun with her cat.").await;

    assert!(survey(&world).await);
    let found = suggestions(&world).await;
    let said: Vec<_> = found.iter().map(|one| (one.relation, one.from.content.as_str(), one.to.content.as_str())).collect();
    assert_eq!(said, [(SuggestionRelation::Contradicts, "Vera lives in Thun with her cat.", "Vera lives in Bern with her cat.")]);
    assert!(!survey(&world).await, "once a day");

    consolidation::decide_suggestion(&world.engine, &world.vera, found[0].id, false).await.unwrap();
    told(&world, &world.atlas, "Vera of address", "Vera lives in Thun with her cat").await;
    world.clock.advance(Duration::days(1));
    assert!(survey(&world).await);
    let found = suggestions(&world).await;
    let relations: Vec<_> = found.iter().map(|one| (one.relation, one.from.content.as_str())).collect();
    let later = "Vera lives in Thun with her cat";
    assert!(relations.contains(&(SuggestionRelation::Duplicates, later)), "{relations:?}");
    assert!(relations.iter().all(|(_, from)| *from == later), "what was declined does not come back: {relations:?}");
    let duplicate = found.iter().find(|one| one.relation == SuggestionRelation::Duplicates).unwrap();
    consolidation::decide_suggestion(&world.engine, &world.vera, duplicate.id, true).await.unwrap();
    work(&world).await;
    let thun = ask(&world, &world.atlas, "Vera lives in Thun").await.told().into_iter().filter(|hit| hit.content.contains("Thun")).count();
    assert_eq!(thun, 1, "they were merged");
}

#[tokio::test]
async fn the_memories_of_one_agent_are_compared_without_those_of_others() {
    let world = alone().await;
    let (engine, vera, atlas) = (&world.engine, &world.vera, world.atlas.agent_id().unwrap());
    for ctx in [&world.atlas, &world.binky] {
        told(&world, ctx, "ferry", "The ferry to Malta leaves on Monday from pier two.").await;
        told(&world, ctx, "ferry times", "The ferry to Malta leaves on Friday from pier two.").await;
    }
    assert_eq!(consolidation::survey_now(engine, vera, Some(AgentId(nowhere()))).await.unwrap_err().code(), ErrorCode::NotFound);
    assert!(suggestions(&world).await.is_empty());

    consolidation::survey_now(engine, vera, Some(atlas)).await.unwrap();
    work(&world).await;
    let of: Vec<_> = suggestions(&world).await.iter().map(|one| one.agent_id).collect();
    assert_eq!(of, [atlas]);
    // It was no survey of all: those of others are still to be compared.
    assert!(survey(&world).await);
    assert_eq!(suggestions(&world).await.len(), 2);
}

/// Three suggestions about live memories, one of each relation, and one of another agent.
async fn three(world: &World) -> Vec<Suggestion> {
    for (topic, earlier, later) in [
        ("gate", "The gate of the harbour opens at seven every day.", "The gate of the harbour opens at seven every day"),
        ("ferry", "The ferry to Malta leaves on Monday from pier two.", "The ferry to Malta leaves on Friday from pier two."),
    ] {
        told(world, &world.atlas, topic, earlier).await;
        told(world, &world.atlas, &format!("{topic} times"), later).await;
    }
    told(world, &world.binky, "office", "The office of Idris is in Oslo near the port.").await;
    told(world, &world.binky, "office place", "The office of Idris is in Bergen near the port.").await;
    assert!(survey(world).await);
    suggestions(world).await
}

async fn states(world: &World, ctx: &OpContext, suggestion: &Suggestion) -> [(MemoryStatus, usize); 2] {
    let mut states = Vec::new();
    for id in [suggestion.from.id, suggestion.to.id] {
        let record = memories::record(&world.engine, &world.vera, &id.into(), None).await.unwrap();
        states.push((record.status, ask(world, ctx, &record.content).await.told().into_iter().filter(|hit| hit.memory_id == id).count()));
    }
    states.try_into().unwrap()
}

#[tokio::test]
async fn every_decision_about_active_memories_can_be_undone() {
    let world = alone().await;
    let all = three(&world).await;
    let of_binky = SuggestionFilter { agent_id: world.binky.agent_id().ok(), ..SuggestionFilter::default() };
    let page = consolidation::suggestions(&world.engine, &world.vera, &of_binky).await.unwrap();
    assert_eq!((page.rows.len(), page.total), (1, 1));
    assert_eq!(page.rows[0].agent_id, world.binky.agent_id().unwrap());

    let (engine, vera) = (&world.engine, &world.vera);
    let of = |relation| all.iter().find(|one| one.relation == relation && one.agent_id == world.atlas.agent_id().unwrap()).unwrap();
    // A correction needs somebody who corrects: the statement is the same for the rest.
    let corrected = of(SuggestionRelation::Contradicts).clone();
    let correct = "insert into memory_proposals (tenant_id, agent_id, id, from_id, to_id, relation, reason, state, created_at)
                   select tenant_id, agent_id, $2, from_id, to_id, 'supersedes', reason, state, created_at from memory_proposals where id = $1";
    let correction = SuggestionId(world.engine.clock().id());
    sqlx::query(correct).bind(corrected.id).bind(correction).run(engine).await;
    let correction = Suggestion { id: correction, relation: SuggestionRelation::Supersedes, ..corrected.clone() };

    for suggestion in [of(SuggestionRelation::Duplicates), &corrected, &correction] {
        let before = states(&world, &world.atlas, suggestion).await;
        for accept in [true, false] {
            consolidation::decide_suggestion(engine, vera, suggestion.id, accept).await.unwrap();
            work(&world).await;
            assert_eq!(states(&world, &world.atlas, suggestion).await == before, !accept, "{} {accept}", suggestion.relation);
            consolidation::undo_suggestion(engine, vera, suggestion.id).await.unwrap();
            work(&world).await;
            assert_eq!(states(&world, &world.atlas, suggestion).await, before, "{} {accept}", suggestion.relation);
            assert_eq!(consolidation::undo_suggestion(engine, vera, suggestion.id).await.unwrap_err().code(), ErrorCode::NotFound);
        }
    }
    assert_eq!(suggestions(&world).await.len(), all.len() + 1, "all of them wait again");

    // What changed since is not overwritten.
    let merged = of(SuggestionRelation::Duplicates);
    consolidation::decide_suggestion(engine, vera, merged.id, true).await.unwrap();
    memories::delete(engine, vera, &[merged.from.id], "wrong").await.unwrap();
    let error = consolidation::undo_suggestion(engine, vera, merged.id).await.unwrap_err();
    assert!(error.code() == ErrorCode::Conflict && error.message().contains(&merged.from.short_id), "{error}");
}

#[tokio::test]
async fn memories_that_say_the_same_are_merged_although_a_contradiction_was_suggested() {
    let world = alone().await;
    let (engine, vera, all) = (&world.engine, &world.vera, three(&world).await);
    let is_found = |one: &&Suggestion| one.relation == SuggestionRelation::Contradicts && one.agent_id == agent(&world.atlas);
    let found = all.iter().find(is_found).unwrap();
    captured(&world, &world.atlas, "Vera: My sister Lena works as a nurse in Zurich.\n").await;
    assert_eq!(sqlx::query("update evidence set memory_id = $1").bind(found.from.id).run(engine).await, 1);
    let quotes = async || {
        let of = |id| number(&world, "select count(*) from evidence where memory_id = $1", id);
        (of(found.from.id).await, of(found.to.id).await)
    };
    let before = states(&world, &world.atlas, found).await;

    consolidation::merge_suggestions(engine, vera, &[found.id], &Default::default()).await.unwrap();
    work(&world).await;
    let [(merged, hits), (kept, _)] = states(&world, &world.atlas, found).await;
    assert_eq!((merged, hits, kept), (MemoryStatus::Superseded, 0, before[1].0));
    assert_eq!(quotes().await, (0, 1), "the memory that stays has the quotes of the other");

    consolidation::undo_suggestion(engine, vera, found.id).await.unwrap();
    work(&world).await;
    assert_eq!((states(&world, &world.atlas, found).await, quotes().await), (before, (1, 0)));
    let open = suggestions(&world).await;
    assert!(open.iter().any(|one| one.id == found.id && one.relation == SuggestionRelation::Contradicts), "{open:?}");
}

#[tokio::test]
async fn duplicates_of_one_another_are_merged_in_one_step_into_the_earliest_and_taken_apart_again() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    // Under topics of their own nobody compared them when they were written.
    for (n, content) in
        ["The gate opens at seven every day.", "The gate opens at seven every day", "Every day the gate opens at seven."].iter().enumerate()
    {
        told(&world, &world.atlas, &format!("gate {n}"), content).await;
    }
    told(&world, &world.atlas, "gate 9", "The gate opens at nine every day.").await;
    assert!(survey(&world).await);
    let found = suggestions(&world).await;
    let duplicates: Vec<SuggestionId> =
        found.iter().filter(|one| one.relation == SuggestionRelation::Duplicates).map(|one| one.id).collect();
    assert_eq!(duplicates.len(), 3, "{found:?}");
    let open = || async {
        ask(&world, &world.atlas, "When does the gate open?").await.told().into_iter().map(|hit| hit.memory.content).collect::<Vec<_>>()
    };
    assert_eq!(open().await.len(), 4);

    let decided = consolidation::decide_suggestions(engine, vera, &duplicates, true, &Default::default()).await.unwrap();
    work(&world).await;
    let mut left = open().await;
    left.sort();
    assert_eq!(left, ["The gate opens at nine every day.", "The gate opens at seven every day."]);
    assert!(suggestions(&world).await.iter().all(|one| one.relation != SuggestionRelation::Duplicates));

    consolidation::undo_suggestions(engine, vera, &decided).await.unwrap();
    work(&world).await;
    assert_eq!(open().await.len(), 4);
    assert_eq!(
        consolidation::decide_suggestions(engine, vera, &[], true, &Default::default()).await.unwrap_err().code(),
        ErrorCode::Invalid
    );
}

/// The memory that stays is as it was, but for the topic of the other: an import brings that, too, and it finds the memory.
#[tokio::test]
async fn the_topic_of_a_merged_duplicate_follows_to_where_both_are_known() {
    let (here, there) = (alone().await, alone().await);
    told(&here, &here.atlas, "gate", "The gate opens at seven every day.").await;
    told(&here, &here.atlas, "quayside", "Every day the gate opens at seven.").await;
    let ctx = newcomer(&there.engine).await;
    import(&there.engine, &ctx, &exported(&here.engine, &here.system, &Selection::All).await).await.unwrap();
    let (atlas, _) = key(&there.engine, &ctx, agent(&here.atlas), KeyScope::ALL).await;

    assert!(survey(&here).await);
    let found = suggestions(&here).await;
    assert_eq!(found.iter().map(|one| one.relation).collect::<Vec<_>>(), [SuggestionRelation::Duplicates]);
    consolidation::decide_suggestion(&here.engine, &here.vera, found[0].id, true).await.unwrap();
    work(&here).await;
    import(&there.engine, &ctx, &exported(&here.engine, &here.system, &Selection::All).await).await.unwrap();
    for (world, atlas) in [(&here, &here.atlas), (&there, &atlas)] {
        world.embedder.fail();
        let told = ask(world, atlas, "quayside").await.told();
        assert_eq!(told.iter().map(|hit| hit.content.as_str()).collect::<Vec<_>>(), ["The gate opens at seven every day."]);
    }
}
