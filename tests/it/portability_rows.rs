//! What exports and imports leave in the audit log.

use crate::portability::{exported, file, import};
use crate::support::{agent, remember, settle};
use foundation::op::{Access, Actor};
use foundation::testing::{World, fact, rows_of};
use foundation::{Engine, OpContext, audit};
use portability::Selection;
use wire::{AuditEntry, AuditFilter, AuditVisibility, MemoryFilter, OperatorRole};

async fn rows(engine: &Engine, ctx: &OpContext, action: &str) -> Vec<AuditEntry> {
    audit::browse(engine, ctx, &AuditFilter { action: Some(action.into()), ..AuditFilter::default() }).await.unwrap().rows
}

#[tokio::test]
async fn exports_and_imports_of_everybody_leave_rows_with_counts() {
    let world = World::new().await;
    remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await;
    let text = exported(&world.engine, &world.atlas, &Selection::Agent(agent(&world.atlas))).await;
    exported(&world.engine, &world.vera, &Selection::All).await;
    let filter = MemoryFilter { topic: Some("a private matter".into()), agent_id: Some(agent(&world.atlas)), ..MemoryFilter::default() };
    exported(&world.engine, &world.vera, &Selection::Filter(Box::new(filter))).await;
    let folder = tempfile::tempdir().unwrap();
    portability::markdown(&world.engine, &world.system, &Selection::All, folder.path(), &|_| {}).await.unwrap();
    for ctx in [&world.atlas, &world.vera, &world.system] {
        import(&world.engine, ctx, &text).await.unwrap();
    }
    settle(&world).await;
    let (started, done) =
        (rows(&world.engine, &world.vera, "memory.export_started").await, rows(&world.engine, &world.vera, "memory.exported").await);
    let actors = |rows: &[AuditEntry]| rows.iter().rev().map(|row| row.actor_kind.clone()).collect::<Vec<_>>();
    assert_eq!(actors(&started), ["agent", "operator", "operator", "system"]);
    assert_eq!(actors(&done), ["agent", "operator", "operator", "system"]);
    let details: Vec<_> = done.iter().rev().map(|row| row.changes.clone()).collect();
    assert_eq!(details[0], serde_json::json!({ "format": "jsonl", "lines": { "agent": 1, "event": 1, "memory": 1, "version": 1 } }));
    assert_eq!(details[1]["lines"]["agent"], 2);
    assert_eq!(details[2], serde_json::json!({ "format": "jsonl", "filter": ["agent_id", "topic"], "lines": {} }));
    assert_eq!(details[3], serde_json::json!({ "format": "markdown", "lines": { "memory": 1 } }));
    assert_eq!((done[3].visibility, done[3].agent_id), (AuditVisibility::Organisation, Some(agent(&world.atlas))));
    assert_eq!(actors(&rows(&world.engine, &world.vera, "memory.imported").await), ["agent", "operator", "system"]);
}

/// A writer that accepts nothing.
struct Closed;

impl tokio::io::AsyncWrite for Closed {
    fn poll_write(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>, _: &[u8]) -> std::task::Poll<std::io::Result<usize>> {
        std::task::Poll::Ready(Err(std::io::ErrorKind::BrokenPipe.into()))
    }
    fn poll_flush(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(Err(std::io::ErrorKind::BrokenPipe.into()))
    }
    fn poll_shutdown(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(Err(std::io::ErrorKind::BrokenPipe.into()))
    }
}

#[tokio::test]
async fn an_export_that_breaks_off_leaves_the_row_of_its_start_and_one_that_is_refused_leaves_none() {
    let world = World::new().await;
    for n in 0..20 {
        remember(&world, &world.atlas, fact(&format!("topic {n}"), "It is known.")).await;
    }
    let error = portability::export(&world.engine, &world.vera, &Selection::All, Closed, &|_| {}).await.unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
    settle(&world).await;
    let started = rows(&world.engine, &world.vera, "memory.export_started").await;
    assert_eq!((started.len(), started[0].actor_name.as_str()), (1, "Vera"));
    assert!(rows(&world.engine, &world.vera, "memory.exported").await.is_empty());

    let before = rows_of(&world.engine, world.system.tenant_id).await;
    let viewer = OpContext { access: Access::Roles(vec![OperatorRole::Viewer]), ..world.vera.clone() };
    assert!(matches!(viewer.actor, Actor::Operator { .. }));
    portability::export(&world.engine, &viewer, &Selection::All, Vec::new(), &|_| {}).await.unwrap_err();
    portability::import(&world.engine, &viewer, file("x").await, portability::ImportOptions::default(), &|_| {}).await.unwrap_err();
    assert_eq!(rows_of(&world.engine, world.system.tenant_id).await, before);
}
