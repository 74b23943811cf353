//! A reviewer edits a candidate before confirming it: both texts are kept, and undoing brings back what was proposed.

use crate::capture::{captured, inbox};
use crate::support::{Told, alone, ask, number, remember, work};
use foundation::testing::{World, fact};
use foundation::{Error, identity};
use remembrancer::{consolidation, memories};
use wire::{
    CapturePolicy, InboxEdit, InboxItem, InboxVerdict, MemoryId, MemoryKind, MemoryRecord, MemoryScope, Promotion, RememberRequest,
    Retention, Speaker, Trust,
};

const TALK: &str = "[2026-05-21 09:12] Idris: We decided to keep the archive in Bern because the cellar is dry.\n";
const EDITED: &str = "The archive stays in the Bern office until 2028.";

async fn decide(world: &World, id: MemoryId, verdict: InboxVerdict) -> wire::InboxOutcome {
    consolidation::decide(&world.engine, &world.vera, &[id], verdict, &Default::default()).await.unwrap()
}

fn edit(content: &str) -> InboxEdit {
    InboxEdit { content: Some(content.into()), ..InboxEdit::default() }
}

/// The only candidate, with any version.
async fn waiting(world: &World) -> InboxItem {
    let [item] = <[InboxItem; 1]>::try_from(inbox(world).await).unwrap();
    InboxItem { version: 0, ..item }
}

async fn record(world: &World, id: MemoryId) -> MemoryRecord {
    memories::record(&world.engine, &world.vera, &id.into(), None).await.unwrap()
}

/// How far the first hit is trusted, how it is attributed, and what it says.
async fn told(world: &World) -> (Trust, String, String) {
    let hit = ask(world, &world.atlas, "archive in Bern").await.told().remove(0);
    (hit.memory.trust, hit.attribution, hit.memory.content)
}

#[tokio::test]
async fn an_edited_candidate_is_the_reviewers_and_undoing_brings_back_the_proposal() {
    let world = alone().await;
    captured(&world, &world.atlas, TALK).await;
    let seen = waiting(&world).await;
    assert_eq!((seen.kind, seen.rationale.is_some()), (MemoryKind::Decision, true), "{seen:?}");

    let asked = InboxEdit { kind: Some(MemoryKind::Artifact), topic: Some("where the archive is".into()), ..edit(EDITED) };
    assert_eq!(decide(&world, seen.id, InboxVerdict::Confirm(asked)).await.changed, [seen.id]);
    let day = world.engine.clock().now().format("%-d %B %Y");
    assert_eq!(told(&world).await, (Trust::Captured, format!("According to Vera (on {day}):"), EDITED.to_owned()));
    let confirmed = record(&world, seen.id).await;
    assert_eq!((confirmed.kind, confirmed.topic.as_str(), &confirmed.rationale), (MemoryKind::Artifact, "where the archive is", &None));
    let texts: Vec<_> =
        confirmed.versions.iter().map(|version| (version.change.as_str(), version.content.as_str(), version.kind)).collect();
    assert_eq!(texts, [("promoted", EDITED, Some(MemoryKind::Artifact)), ("proposed", seen.content.as_str(), Some(MemoryKind::Decision))]);
    assert_eq!(confirmed.quotes[0].quote, "We decided to keep the archive in Bern because the cellar is dry.");

    decide(&world, seen.id, InboxVerdict::Undo).await;
    assert_eq!(waiting(&world).await, seen);
    decide(&world, seen.id, InboxVerdict::confirm()).await;
    let (trust, attribution, _) = told(&world).await;
    assert_eq!((trust, attribution.as_str()), (Trust::Captured, "According to Idris (on 21 May 2026):"));
}

#[tokio::test]
async fn a_correction_since_stays_when_the_decision_is_undone() {
    for asked in [InboxEdit::default(), edit(EDITED)] {
        let world = alone().await;
        captured(&world, &world.atlas, TALK).await;
        let seen = waiting(&world).await;
        let asked = InboxEdit { kind: Some(MemoryKind::Artifact), ..asked };
        decide(&world, seen.id, InboxVerdict::Confirm(asked.clone())).await;
        let corrected = "The archive stays in the Bern office until 2030.";
        memories::correct(&world.engine, &world.vera, seen.id, None, corrected.into(), "the lease was renewed").await.unwrap();
        decide(&world, seen.id, InboxVerdict::Undo).await;
        let item = waiting(&world).await;
        assert_eq!((item.content.as_str(), item.kind), (corrected, seen.kind), "{asked:?}");
    }
}

#[tokio::test]
async fn a_proposal_that_is_back_gets_a_vector_before_anybody_confirms_it() {
    let world = alone().await;
    captured(&world, &world.atlas, TALK).await;
    let id = waiting(&world).await.id;
    let vectors = "select count(*) from agent_memories where id = $1 and not awaiting_vector";
    decide(&world, id, InboxVerdict::Confirm(edit(EDITED))).await;
    work(&world).await;
    decide(&world, id, InboxVerdict::Undo).await;
    assert_eq!(number(&world, vectors, id).await, 0, "that of the edited text is gone");
    work(&world).await;
    assert_eq!(number(&world, vectors, id).await, 1);
}

#[tokio::test]
async fn the_text_that_a_form_showed_is_no_edit() {
    let world = alone().await;
    captured(&world, &world.atlas, TALK).await;
    let seen = waiting(&world).await;
    decide(&world, seen.id, InboxVerdict::Confirm(InboxEdit { kind: Some(seen.kind), ..edit(&format!("{}\r\n", seen.content)) })).await;
    let confirmed = record(&world, seen.id).await;
    assert_eq!((&confirmed.content, &confirmed.rationale), (&seen.content, &seen.rationale));
    assert_eq!(told(&world).await.1, "According to Idris (on 21 May 2026):");
}

#[tokio::test]
async fn an_edited_text_is_checked_like_any_other() {
    let world = alone().await;
    captured(&world, &world.atlas, TALK).await;
    captured(&world, &world.atlas, &TALK.replace("archive", "kitchen")).await;
    let ids: Vec<MemoryId> = inbox(&world).await.iter().map(|item| item.id).collect();
    assert_eq!(ids.len(), 2);
    for (ids, content) in [(&ids[..], EDITED), (&ids[..1], " \n"), (&ids[..1], "…")] {
        let verdict = InboxVerdict::Confirm(edit(content));
        let refused = consolidation::decide(&world.engine, &world.vera, ids, verdict, &Default::default()).await.unwrap_err();
        assert!(matches!(refused, Error::Invalid(_)) && refused.fields()[0].field == "content", "{refused:?}");
    }
    decide(&world, ids[0], InboxVerdict::Confirm(edit("The key of the archive is AKIAIOSFODNN7EXAMPLE."))).await;
    let content = record(&world, ids[0]).await.memory.content;
    assert!(content.starts_with("The key of the archive is ") && !content.contains("AKIA"), "{content}");
}

#[tokio::test]
async fn an_edited_candidate_that_is_known_is_merged_and_comes_back() {
    let world = alone().await;
    captured(&world, &world.atlas, TALK).await;
    let seen = waiting(&world).await;
    let known = RememberRequest { kind: Some(seen.kind), scope: Some(seen.scope), ..fact("archive", EDITED) };
    let known = remember(&world, &world.atlas, known).await.memory_id;
    assert_eq!(decide(&world, seen.id, InboxVerdict::Confirm(edit(EDITED))).await.merged, [seen.id]);
    assert_eq!(record(&world, known).await.quotes.len(), 1);
    decide(&world, seen.id, InboxVerdict::Undo).await;
    assert_eq!(InboxItem { pairs: vec![], ..waiting(&world).await }, InboxItem { pairs: vec![], ..seen });
}

#[tokio::test]
async fn what_becomes_an_episode_is_kept_as_long_as_one() {
    let world = alone().await;
    captured(&world, &world.atlas, TALK).await;
    let id = waiting(&world).await.id;
    let kept = async || {
        let record = record(&world, id).await;
        (record.kind, record.retention, record.expires_at.is_some())
    };
    let proposed = (MemoryKind::Decision, Retention::Permanent, false);
    assert_eq!(kept().await, proposed);
    decide(&world, id, InboxVerdict::Confirm(InboxEdit { kind: Some(MemoryKind::Episode), ..InboxEdit::default() })).await;
    assert_eq!(kept().await, (MemoryKind::Episode, Retention::Task, true));
    decide(&world, id, InboxVerdict::Undo).await;
    assert_eq!(kept().await, proposed);
}

#[tokio::test]
async fn a_proposal_of_an_agent_is_its_own_again() {
    let world = alone().await;
    let (engine, binky) = (&world.engine, &world.binky);
    identity::set_policy(engine, &world.system, CapturePolicy { commons: Promotion::Review, ..CapturePolicy::default() }).await.unwrap();
    let shared = RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("archive", "The archive in Bern is closed.") };
    remember(&world, binky, shared).await;
    let seen = waiting(&world).await;
    let said_by = async || memories::record(engine, binky, &seen.id.into(), None).await.unwrap().provenance.said_by;
    decide(&world, seen.id, InboxVerdict::Confirm(edit(EDITED))).await;
    assert_eq!(said_by().await, Speaker::Person);
    decide(&world, seen.id, InboxVerdict::Undo).await;
    assert_eq!(waiting(&world).await, seen);
    decide(&world, seen.id, InboxVerdict::confirm()).await;
    assert_eq!(said_by().await, Speaker::Agent);
}
