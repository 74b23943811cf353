//! Corrections by operators: what an agent believes becomes what a person knows, with a reason, and can be undone.

use crate::support::{alone, contents, remember, settle};
use foundation::testing::{World, fact};
use remembrancer::memories;
use wire::{AuditVisibility, ErrorCode, MemoryScope, RememberRequest};

#[tokio::test]
async fn a_correction_is_recalled_at_once_and_can_be_undone() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let opening = RememberRequest { summary: Some("opens at nine".into()), ..fact("opening of the harbour", "The harbour opens at nine.") };
    let id = remember(&world, &world.atlas, opening).await.memory_id;
    let shared =
        RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("gate of the harbour", "The gate closes at ten.") };
    let shared = remember(&world, &world.atlas, shared).await.memory_id;

    let corrected = memories::correct(engine, vera, id, None, "The harbour opens at seven.".into(), "Idris rang the office").await.unwrap();
    assert_eq!((corrected.previous_version, corrected.version, corrected.unchanged), (1, 2, false));
    assert_eq!(contents(&world, &world.atlas, "When does the harbour open?").await[0], "The harbour opens at seven.");
    settle(&world).await;
    let detail = memories::detail(engine, vera, id).await.unwrap();
    let versions: Vec<_> = detail.record.versions.iter().map(|v| (v.version, v.change.as_str(), v.actor_name.as_str())).collect();
    assert_eq!(versions, [(2, "revised", "Vera"), (1, "created", "atlas")]);
    assert_eq!(detail.record.versions[0].source.platform, "console", "not the place where the agent heard it");
    let entry = detail.audit.iter().find(|entry| entry.action == "memory.revised").unwrap();
    assert_eq!((entry.reason.as_deref(), entry.visibility), (Some("Idris rang the office"), AuditVisibility::Operators));

    let undone = memories::undo_correction(engine, vera, id, 2).await.unwrap();
    assert_eq!((undone.version, undone.new_content.as_str()), (3, "The harbour opens at nine."));
    let summary = async || memories::detail(engine, vera, id).await.unwrap().record.memory.summary;
    assert_eq!(summary().await.as_deref(), Some("opens at nine"), "it was dropped with the content that it sums up");
    let again = memories::undo_correction(engine, vera, id, 2).await.unwrap_err();
    assert!(again.code() == ErrorCode::Conflict && again.message().contains("changed since"), "{again}");

    let same = memories::correct(engine, vera, id, None, "The harbour opens at nine.".into(), "to be sure").await.unwrap();
    assert!(same.unchanged && same.version == 3);
    memories::correct(engine, vera, shared, None, "The gate closes at eight.".into(), "it is winter").await.unwrap();
    assert_eq!(contents(&world, &world.binky, "When does the gate close?").await[0], "The gate closes at eight.");
}

#[tokio::test]
async fn a_correction_that_cannot_be_made_changes_nothing() {
    let (world, stranger) = (World::new().await, World::new().await);
    let (engine, vera) = (&world.engine, &world.vera);
    let id = remember(&world, &world.atlas, fact("colour of the boat", "The boat is red.")).await.memory_id;
    let refused = |content: &str, reason: &'static str| memories::correct(engine, vera, id, None, content.to_owned(), reason);
    for (content, reason, field) in [("", "because", "content"), ("The boat is blue.", " ", "reason")] {
        let error = refused(content, reason).await.unwrap_err();
        assert!(error.code() == ErrorCode::Invalid && error.to_string().contains(field), "{error}");
    }
    let foreign = memories::correct(&stranger.engine, &stranger.vera, id, None, "The boat is blue.".into(), "why").await.unwrap_err();
    assert_eq!(foreign.code(), ErrorCode::NotFound);
    let unseen = memories::correct(engine, vera, id, Some(2), "The boat is blue.".into(), "why").await.unwrap_err();
    assert!(unseen.code() == ErrorCode::Conflict && unseen.message().contains("changed since"), "{unseen}");
    memories::delete(engine, vera, &[id], "sold").await.unwrap();
    assert_eq!(refused("The boat is blue.", "why").await.unwrap_err().code(), ErrorCode::Conflict);
    let detail = memories::detail(engine, vera, id).await.unwrap();
    assert_eq!(detail.memory.content, "The boat is red.");
    assert_eq!(detail.record.versions.len(), 2);
}
