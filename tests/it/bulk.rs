//! Bulk actions of operators: deleting and restoring up to a hundred memories at once, all or none, with a reason.

use crate::support::{Fetch, Run, Told, agent, all_row_counts, alone, contents, number, remember, settle, work};
use foundation::op::Access;
use foundation::testing::{World, fact, nowhere};
use foundation::{Error, OpContext};
use remembrancer::{Workers, memories};
use wire::{AuditVisibility, BULK_MAX, MemoryId, MemoryStatus, OperatorRole};

async fn several(world: &World, ctx: &OpContext, count: usize) -> Vec<MemoryId> {
    let mut ids = Vec::new();
    for n in 0..count {
        ids.push(remember(world, ctx, fact(&format!("stone {n}"), &format!("stone number {n}"))).await.memory_id);
    }
    ids
}

#[tokio::test]
async fn deleting_and_restoring_say_what_they_changed() {
    let world = World::new().await;
    let mut ids = several(&world, &world.atlas, 3).await;
    ids.extend(several(&world, &world.binky, 2).await);
    let mut outcome = memories::delete(&world.engine, &world.vera, &ids[..2], "outdated").await.unwrap();
    outcome.changed.sort_unstable();
    assert_eq!((outcome.changed, outcome.unchanged), (ids[..2].to_vec(), vec![]));
    let twice: Vec<MemoryId> = ids.iter().chain(&ids).copied().collect();
    let mut outcome = memories::delete(&world.engine, &world.vera, &twice, "outdated").await.unwrap();
    outcome.changed.sort_unstable();
    outcome.unchanged.sort_unstable();
    let mut rest = ids[2..].to_vec();
    rest.sort_unstable();
    assert_eq!((outcome.changed, outcome.unchanged), (rest, ids[..2].to_vec()), "of two agents, each once");
    assert!(contents(&world, &world.atlas, "stone number").await.is_empty());
    let outcome = memories::restore(&world.engine, &world.vera, &ids[1..], "not outdated").await.unwrap();
    assert_eq!((outcome.changed.len(), outcome.unchanged.len()), (4, 0));
    let outcome = memories::restore(&world.engine, &world.vera, &ids[1..], "not outdated").await.unwrap();
    assert_eq!((outcome.changed.len(), outcome.unchanged.len()), (0, 4));
    let mut found = contents(&world, &world.atlas, "stone number").await;
    found.sort_unstable();
    assert_eq!(found, ["stone number 1", "stone number 2"]);
    let detail = memories::detail(&world.engine, &world.vera, ids[1]).await.unwrap();
    let versions: Vec<_> =
        detail.record.versions.iter().map(|v| (v.version, v.change.as_str(), v.deleted, v.actor_name.as_str())).collect();
    assert_eq!(versions, [(3, "restored", false, "Vera"), (2, "forgotten", true, "Vera"), (1, "created", false, "atlas")]);
    assert_eq!((detail.memory.deleted_at, detail.memory.deleted_by, detail.memory.delete_reason), (None, None, None));
    assert_eq!(number(&world, "select count(*) from tombstones where memory_id = $1", ids[0]).await, 1);
    assert_eq!(number(&world, "select count(*) from tombstones where memory_id = $1", ids[1]).await, 0);
}

#[tokio::test]
async fn memories_come_in_the_order_of_their_ids() {
    let (world, stranger) = (World::new().await, World::new().await);
    let mut ids = several(&world, &world.binky, 1).await;
    ids.extend(several(&world, &world.atlas, 2).await);
    memories::delete(&world.engine, &world.vera, &ids[..1], "outdated").await.unwrap();
    let named = [ids[2], MemoryId(nowhere()), ids[0], ids[1], ids[2]];
    let rows = memories::rows_by_id(&world.engine, &world.vera, &named).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.id).collect::<Vec<_>>(), [ids[2], ids[0], ids[1]], "each once, unknown ids left out");
    assert_eq!(rows.iter().map(|row| row.agent_slug.as_str()).collect::<Vec<_>>(), ["atlas", "binky", "atlas"]);
    assert!(rows[1].deleted_at.is_some(), "deleted ones too");
    assert_eq!(memories::rows_by_id(&stranger.engine, &stranger.vera, &named).await.unwrap(), []);
    assert!(matches!(memories::rows_by_id(&world.engine, &world.atlas, &named).await, Err(Error::Forbidden(_))));
    let many = vec![ids[0]; BULK_MAX + 1];
    assert!(matches!(memories::rows_by_id(&world.engine, &world.vera, &many).await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn a_refusal_changes_nothing_at_all() {
    let (world, stranger) = (alone().await, World::new().await);
    let ids = several(&world, &world.atlas, 101).await;
    let foreign = several(&stranger, &stranger.atlas, 1).await;
    settle(&world).await;
    let before = all_row_counts(world.engine.urls()).await;
    let with = |id: MemoryId| [&ids[..3], &[id]].concat();
    for (ids, reason, field) in [
        (ids[..2].to_vec(), "", Some("reason")),
        (ids[..2].to_vec(), " \t", Some("reason")),
        (ids[..2].to_vec(), "a\0b", Some("reason")),
        (ids[..2].to_vec(), &*"x".repeat(501), Some("reason")),
        (vec![], "why", Some("ids")),
        (ids.clone(), "why", Some("ids")),
        (with(MemoryId(nowhere())), "why", None),
        (with(foreign[0]), "why", None),
    ] {
        for restore in [false, true] {
            let error = match restore {
                false => memories::delete(&world.engine, &world.vera, &ids, reason).await.unwrap_err(),
                true => memories::restore(&world.engine, &world.vera, &ids, reason).await.unwrap_err(),
            };
            match field {
                Some(field) => assert_eq!(error.fields().iter().map(|f| f.field.as_str()).collect::<Vec<_>>(), [field], "{reason:?}"),
                None => assert!(matches!(error, Error::NotFound("memory")), "{error}"),
            }
        }
    }
    let viewer = OpContext { access: Access::Roles(vec![OperatorRole::Viewer, OperatorRole::Admin]), ..world.vera.clone() };
    for ctx in [&viewer, &world.atlas] {
        assert!(matches!(memories::delete(&world.engine, ctx, &ids[..1], "why").await, Err(Error::Forbidden(_))));
        assert!(matches!(memories::restore(&world.engine, ctx, &ids[..1], "why").await, Err(Error::Forbidden(_))));
    }
    assert_eq!(all_row_counts(world.engine.urls()).await, before);
    let live: i64 = sqlx::query_scalar("select count(*) from agent_memories where live and version = 1").one(&world.engine).await;
    assert_eq!(live, 101);
    assert_eq!(memories::delete(&world.engine, &world.vera, &ids[..100], "a hundred is allowed").await.unwrap().changed.len(), 100);
}

#[tokio::test]
async fn the_audit_row_is_there_when_the_page_reloads() {
    let world = alone().await;
    let ids = several(&world, &world.atlas, 2).await;
    let workers = Workers::start(&world.engine);
    memories::delete(&world.engine, &world.vera, &ids, "wrong person").await.unwrap();
    // Nobody waits here: the deletion itself waited for the relay.
    for id in &ids {
        let entry = memories::detail(&world.engine, &world.vera, *id).await.unwrap().audit.remove(0);
        assert_eq!((entry.action.as_str(), entry.reason.as_deref()), ("memory.forgotten", Some("wrong person")));
        assert_eq!((entry.actor_kind.as_str(), entry.actor_id), ("operator", world.vera.actor.id()));
        assert_eq!((entry.agent_id, entry.visibility), (Some(agent(&world.atlas)), AuditVisibility::Operators));
        assert_eq!(entry.request_id, Some(world.vera.request_id));
    }
    workers.stop().await;
}

#[tokio::test]
async fn what_was_superseded_before_it_was_deleted_comes_back_as_superseded() {
    let world = alone().await;
    world.embedder.fail();
    let older = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea!")).await;
    world.embedder.work();
    work(&world).await;
    memories::delete(&world.engine, &world.vera, &[older], "really gone").await.unwrap();
    memories::restore(&world.engine, &world.vera, &[older], "not quite").await.unwrap();
    work(&world).await;
    let memory = memories::detail(&world.engine, &world.vera, older).await.unwrap().memory;
    assert_eq!((memory.status, memory.deleted_at), (MemoryStatus::Superseded, None));
    assert_eq!(number(&world, "select count(*) from memory_terms where memory_id = $1", older).await, 0);
    assert_eq!(number(&world, "select count(*) from embeddings_384 where memory_id = $1 and live", older).await, 0);
    assert_eq!(contents(&world, &world.atlas, "tea").await, ["Vera likes tea!"]);
}

#[tokio::test]
async fn what_was_said_again_since_it_was_deleted_is_not_there_twice_once_restored() {
    let world = alone().await;
    let first = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    memories::delete(&world.engine, &world.vera, &[first], "wrong").await.unwrap();
    let second = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    assert_ne!(first, second);
    memories::restore(&world.engine, &world.vera, &[first], "right").await.unwrap();
    work(&world).await;
    assert_eq!(crate::support::ask(&world, &world.atlas, "tea").await.told().iter().map(|hit| hit.memory_id).collect::<Vec<_>>(), [second]);
}

#[tokio::test]
async fn undoing_a_restoration_from_the_archive_deletes_nothing() {
    let world = alone().await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await.memory_id;
    sqlx::query("update agent_memories set archived_at = now(), live = false where id = $1").bind(id).run(&world.engine).await;
    let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
    memories::store::sync_live(&mut tx, world.system.tenancy(), agent(&world.atlas), &[id]).await.unwrap();
    memories::store::drop_words(&mut tx, world.system.tenancy(), agent(&world.atlas), id).await.unwrap();
    tx.commit().await.unwrap();
    let restored = memories::restore(&world.engine, &world.vera, &[id], "still needed").await.unwrap();
    assert_eq!((restored.changed, restored.undoable), (vec![id], vec![]));
    let undone = memories::undo(&world.engine, &world.vera, &[id], restored.at).await.unwrap();
    assert_eq!((undone.changed, undone.unchanged), (vec![], vec![id]));
    assert_eq!(contents(&world, &world.atlas, "tea").await, ["Vera likes tea"]);
}
