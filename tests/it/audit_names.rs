//! The audit log for people: found by what they call things.

use crate::support::settle;
use remembrancer::api::{AuditFilter, ForgetRequest};
use remembrancer::testing::{World, fact};
use remembrancer::{memories, overview};

/// What a search for a target finds: how many entries, and the names of their targets.
async fn about(world: &World, target: &str) -> (i64, Vec<String>) {
    let filter = AuditFilter { target: Some(target.into()), ..AuditFilter::default() };
    let page = overview::audit_log(&world.engine, &world.vera, &filter).await.unwrap();
    (page.total, page.rows.into_iter().filter_map(|row| row.about).collect())
}

#[tokio::test]
async fn entries_are_found_by_topic_and_by_any_id_or_its_beginning() {
    let world = &World::new().await;
    let tea = memories::remember(&world.engine, &world.atlas, fact("green tea", "Vera likes green tea.")).await.unwrap();
    let boat = memories::remember(&world.engine, &world.binky, fact("boat", "The Kestrel is a boat.")).await.unwrap();
    let forget = ForgetRequest { memory_id: tea.memory_id, reason: Some("asked for".into()), user_id: None };
    memories::forget(&world.engine, &world.atlas, forget).await.unwrap();
    settle(world).await;

    let name = format!("green tea · {}", tea.short_id);
    let both = (2, vec![name.clone(), name]);
    for target in ["green", "GREEN TEA", &tea.short_id, &tea.memory_id.to_string(), &tea.memory_id.to_string()[..30]] {
        assert_eq!(about(world, target).await, both, "{target}");
    }
    assert_eq!(about(world, &boat.short_id).await, (1, vec![format!("boat · {}", boat.short_id)]));
    assert_eq!(about(world, "%").await.0, 0, "a per cent sign is no wildcard");
    assert!(about(world, "atlas").await.1.iter().all(|name| name == "atlas"));
    let stranger = World::new().await;
    assert_eq!(about(&stranger, "green tea").await.0, 0);
}
