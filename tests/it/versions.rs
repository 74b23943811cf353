//! A person decides about the text that a page showed: what changed meanwhile is refused, details included.

use crate::support::{alone, remember, work};
use chrono::Duration;
use foundation::testing::{World, fact};
use foundation::{Error, identity};
use remembrancer::memories::Shown;
use remembrancer::{consolidation, memories};
use serde_json::json;
use wire::{
    CapturePolicy, InboxEdit, InboxFilter, InboxItem, InboxVerdict, MemoryId, MemoryKind, MemoryScope, MemoryVersion, Promotion,
    RememberRequest, ReviseRequest, SuggestionFilter, SuggestionRelation, Trust,
};

pub fn shared(topic: &str, content: &str) -> RememberRequest {
    RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact(topic, content) }
}

fn revision(memory: MemoryId, content: &str) -> ReviseRequest {
    serde_json::from_value(json!({ "memory": memory, "content": content })).unwrap()
}

/// The version of a memory and how far it is trusted.
async fn now(world: &World, id: MemoryId) -> (i32, Trust) {
    let detail = memories::detail(&world.engine, &world.vera, id).await.unwrap();
    (detail.memory.version, detail.record.trust)
}

fn shown(id: MemoryId, version: i32) -> Shown {
    [(id, version)].into_iter().collect()
}

#[tokio::test]
async fn only_the_text_that_a_page_showed_is_reviewed() {
    let world = alone().await;
    let (engine, vera, binky) = (&world.engine, &world.vera, &world.binky);
    let said = || RememberRequest {
        kind: Some(MemoryKind::Decision),
        rationale: Some("Few people work then".into()),
        ..shared("release day", "Releases happen on Tuesday mornings")
    };
    let id = remember(&world, binky, said()).await.memory_id;
    for change in [
        RememberRequest { title: Some("Releases".into()), ..said() },
        RememberRequest { summary: Some("Tuesdays".into()), ..said() },
        RememberRequest { rationale: Some("The auditors demand it".into()), ..said() },
        RememberRequest { alternatives: vec!["Fridays".into()], ..said() },
        RememberRequest { evidence_ref: Some("minutes of May".into()), ..said() },
    ] {
        let (seen, _) = now(&world, id).await;
        memories::review(engine, vera, &[id], &shown(id, seen)).await.unwrap();
        let (seen, trust) = now(&world, id).await;
        assert_eq!(trust, Trust::Reviewed);
        assert_eq!(memories::changed_since(engine, vera, &shown(id, seen)).await.unwrap(), []);
        remember(&world, binky, change.clone()).await;
        assert_eq!(now(&world, id).await.1, Trust::Unreviewed, "nobody confirmed {change:?}");
        let refused = memories::review(engine, vera, &[id], &shown(id, seen)).await.unwrap_err();
        assert!(matches!(&refused, Error::Conflict(message) if message.contains("read it again")), "{refused:?}");
        assert_eq!(now(&world, id).await.1, Trust::Unreviewed);
    }
    let (seen, _) = now(&world, id).await;
    memories::revise(engine, binky, revision(id, "Releases happen on Friday nights")).await.unwrap();
    assert!(matches!(memories::review(engine, vera, &[id], &shown(id, seen)).await, Err(Error::Conflict(_))));
    let changed = memories::changed_since(engine, vera, &shown(id, seen)).await.unwrap();
    let texts: Vec<_> = changed.iter().map(|one| (one.then.content.as_str(), one.now.content.as_str())).collect();
    assert_eq!(texts, [("Releases happen on Tuesday mornings", "Releases happen on Friday nights")]);

    // Going back to the words that were reviewed is a change, too; what a person corrects stays confirmed no longer either.
    let (seen, _) = now(&world, id).await;
    memories::review(engine, vera, &[id], &shown(id, seen)).await.unwrap();
    memories::revise(engine, binky, revision(id, "Releases happen on Sundays")).await.unwrap();
    memories::revise(engine, binky, revision(id, "Releases happen on Friday nights")).await.unwrap();
    assert_eq!(now(&world, id).await.1, Trust::Unreviewed);
}

#[tokio::test]
async fn both_reasons_are_shown_if_they_changed_after_a_page_showed_them() {
    let world = alone().await;
    let (engine, vera, binky) = (&world.engine, &world.vera, &world.binky);
    let decided = |rationale: &str, rejected: &[&str]| RememberRequest {
        kind: Some(MemoryKind::Decision),
        rationale: Some(rationale.into()),
        alternatives: rejected.iter().map(|&text| text.into()).collect(),
        ..shared("ferry line", "Mina takes the ferry to the island")
    };
    let id = remember(&world, binky, decided("The bridge is closed", &[])).await.memory_id;
    let (seen, _) = now(&world, id).await;
    remember(&world, binky, decided("Idris gets seasick on the bus", &["The bus", "A rowing boat"])).await;
    assert!(matches!(memories::review(engine, vera, &[id], &shown(id, seen)).await, Err(Error::Conflict(_))));
    let changed = memories::changed_since(engine, vera, &shown(id, seen)).await.unwrap().remove(0);
    let reasons = |version: &MemoryVersion| (version.rationale.clone().unwrap(), version.alternatives.clone().unwrap());
    assert_eq!(reasons(&changed.then), ("The bridge is closed".to_owned(), vec![]));
    let rejected = ["The bus", "A rowing boat"].map(str::to_owned).to_vec();
    assert_eq!(reasons(&changed.now), ("Idris gets seasick on the bus".to_owned(), rejected.clone()));

    // Every kind of change records them.
    memories::revise(engine, binky, revision(id, "Mina takes the ferry to the island.")).await.unwrap();
    memories::review(engine, vera, &[id], &shown(id, now(&world, id).await.0)).await.unwrap();
    let versions = memories::history(engine, binky, &id.into(), None).await.unwrap();
    assert_eq!(versions.len(), 4, "{versions:?}");
    assert!(versions[..3].iter().all(|version| version.alternatives.as_ref() == Some(&rejected)), "{versions:?}");
}

async fn waiting(world: &World) -> InboxItem {
    consolidation::inbox(&world.engine, &world.vera, &InboxFilter::default()).await.unwrap().rows.remove(0)
}

async fn policy(world: &World, commons: Promotion) {
    identity::set_policy(&world.engine, &world.system, CapturePolicy { commons, ..CapturePolicy::default() }).await.unwrap();
}

#[tokio::test]
async fn only_the_candidate_that_a_page_showed_is_decided_and_no_agent_changes_it() {
    let world = alone().await;
    let (engine, vera, binky) = (&world.engine, &world.vera, &world.binky);
    policy(&world, Promotion::Review).await;
    remember(&world, binky, shared("release day", "Releases happen on Tuesday mornings")).await;
    let seen = waiting(&world).await;
    policy(&world, Promotion::Automatic).await;
    let refused = memories::revise(engine, binky, revision(seen.id, "Releases happen on Friday nights")).await.unwrap_err();
    assert!(matches!(&refused, Error::Conflict(message) if message.contains("waits for review")), "{refused:?}");
    assert_eq!(waiting(&world).await, seen);

    // Somebody else confirms it under another topic and takes that back.
    let confirm = |topic: Option<&str>| InboxVerdict::Confirm(InboxEdit { topic: topic.map(str::to_owned), ..InboxEdit::default() });
    consolidation::decide(engine, vera, &[seen.id], confirm(Some("tea")), &shown(seen.id, seen.version)).await.unwrap();
    consolidation::decide(engine, vera, &[seen.id], InboxVerdict::Undo, &Shown::default()).await.unwrap();
    let changed = waiting(&world).await;
    assert_eq!((changed.topic.as_str(), changed.version > seen.version), ("release day", true));
    for verdict in [confirm(None), InboxVerdict::Reject { reason: "a joke".into() }] {
        let refused = consolidation::decide(engine, vera, &[seen.id], verdict, &shown(seen.id, seen.version)).await.unwrap_err();
        assert!(matches!(refused, Error::Conflict(_)), "{refused:?}");
    }
    assert_eq!(waiting(&world).await, changed);
    let told = memories::changed_since(engine, vera, &shown(seen.id, seen.version)).await.unwrap().remove(0);
    assert_eq!((told.then.change.as_str(), told.now.change.as_str()), ("proposed", "returned"));
    consolidation::decide(engine, vera, &[seen.id], confirm(None), &shown(seen.id, changed.version)).await.unwrap();
    assert_eq!(now(&world, seen.id).await.1, Trust::Reviewed);
}

#[tokio::test]
async fn only_the_texts_that_a_page_showed_are_merged() {
    let world = alone().await;
    let (engine, vera, atlas) = (&world.engine, &world.vera, &world.atlas);
    for (topic, content) in [("gate", "The gate opens at seven every day."), ("quayside", "Every day the gate opens at seven.")] {
        remember(&world, atlas, fact(topic, content)).await;
        world.clock.advance(Duration::minutes(1));
    }
    consolidation::request_survey(engine, &world.system).await.unwrap();
    work(&world).await;
    let open_suggestions = async || consolidation::suggestions(engine, vera, &SuggestionFilter::default()).await.unwrap().rows;
    let seen = open_suggestions().await.remove(0);
    assert_eq!(seen.relation, SuggestionRelation::Duplicates);
    let shown = |one: &wire::Suggestion| -> Shown { [&one.from, &one.to].map(|memory| (memory.id, memory.version)).into_iter().collect() };
    memories::revise(engine, atlas, revision(seen.from.id, "Every day the gate opens at seven, except on Sundays.")).await.unwrap();
    for accept in [true, false] {
        let refused = consolidation::decide_suggestions(engine, vera, &[seen.id], accept, &shown(&seen)).await.unwrap_err();
        assert!(matches!(&refused, Error::Conflict(message) if message.contains(&seen.from.short_id)), "{refused:?}");
    }
    let open = open_suggestions().await;
    assert_eq!(open.len(), 1, "nothing was decided");
    consolidation::decide_suggestions(engine, vera, &[seen.id], false, &shown(&open[0])).await.unwrap();
    assert!(open_suggestions().await.is_empty());
}
