//! The audit log for people: found by what they call things.

use crate::support::settle;
use foundation::projects;
use foundation::testing::{World, fact};
use remembrancer::vocabulary::NewTerm;
use remembrancer::{memories, overview, vocabulary};
use wire::{AuditFilter, ForgetRequest, NewProject};

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
    let forget = ForgetRequest { memory_id: tea.memory_id.into(), reason: Some("asked for".into()), user_id: None };
    memories::forget(&world.engine, &world.atlas, forget).await.unwrap();
    settle(world).await;

    let name = format!("green tea · {}", tea.short_id);
    let both = (2, vec![name.clone(), name]);
    for target in ["green", "GREEN TEA", &tea.short_id, &tea.memory_id.to_string(), &tea.memory_id.to_string()[..30]] {
        assert_eq!(about(world, target).await, both, "{target}");
    }
    assert_eq!(about(world, &boat.short_id).await, (1, vec![format!("boat · {}", boat.short_id)]));
    assert_eq!(about(world, "%").await.0, 0, "a per cent sign is no wildcard");
    assert_eq!(about(world, "atlas").await, (1, vec!["atlas".to_owned()]));
    assert_eq!(about(&World::new().await, "green tea").await.0, 0);
}

#[tokio::test]
async fn what_is_no_memory_is_found_by_its_name_and_has_it() {
    let world = &World::new().await;
    let term = NewTerm { term: "harbour crane", aliases: &["big hook"], ..NewTerm::default() };
    vocabulary::add(&world.engine, &world.system, term).await.unwrap();
    let project = |slug: &str| NewProject { slug: slug.into(), name: slug.into() };
    projects::create(&world.engine, &world.system, project("quay")).await.unwrap();
    projects::create(&world.engine, &world.system, project("dock")).await.unwrap();
    projects::link(&world.engine, &world.system, "quay", "dock").await.unwrap();
    settle(world).await;

    for text in ["harbour", "BIG HOOK"] {
        assert_eq!(about(world, text).await, (1, vec!["harbour crane".to_owned()]), "{text}: the decision that added the term");
    }
    assert_eq!(about(world, "h%r").await.0, 0, "a per cent sign is no wildcard");
    assert_eq!(about(world, "quay").await, (2, vec!["quay".to_owned(); 2]), "created and linked");
    let filter = AuditFilter { action: Some("project.linked".into()), ..AuditFilter::default() };
    let linked = overview::audit_log(&world.engine, &world.vera, &filter).await.unwrap().rows;
    assert_eq!(linked[0].message, "linked to dock");
    let stranger = World::new().await;
    assert_eq!((about(&stranger, "harbour").await.0, about(&stranger, "quay").await.0), (0, 0));
}
