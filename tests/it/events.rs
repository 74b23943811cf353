//! The events of both buses as operators see them: what each concerns, how many are open, and a retry.

use crate::support::{Run, alone, remember, work};
use foundation::audit;
use foundation::testing::{World, fact};
use remembrancer::capture;
use wire::{EventBus, EventCount, EventFilter, EventState};

async fn ingest(world: &World) {
    let files = (0..60).map(|n| (format!("adr-{n}.md"), format!("# Kettle {n}\n\nTea water is boiled once.\n").into_bytes())).collect();
    assert_eq!(crate::support::ingest(world, "acme", files).await.added, 60);
}

async fn events(world: &World, filter: EventFilter) -> wire::Page<wire::EventRow> {
    capture::events(&world.engine, &world.vera, &filter).await.unwrap()
}

#[tokio::test]
async fn dead_events_of_knowledge_are_counted_listed_with_their_document_and_retried() {
    let world = alone().await;
    ingest(&world).await;
    let kb = &world.engine.urls().shared_kb;
    let die = "update events set state = 'dead', attempt = 8, error = 'the model is out of reach', finished_at = now() where task = 'embed_document'";
    assert_eq!(sqlx::query(die).run(kb).await, 60);
    let dead = EventCount { bus: EventBus::Knowledge, state: EventState::Dead, events: 60 };
    assert!(capture::event_counts(&world.engine, &world.vera).await.unwrap().contains(&dead));

    let filter = EventFilter {
        bus: Some(EventBus::Knowledge),
        task: Some("embed_document".into()),
        state: Some(EventState::Dead),
        ..EventFilter::default()
    };
    let first = events(&world, filter.clone()).await;
    assert_eq!((first.total, first.rows.len()), (60, 50));
    assert!(first.rows.iter().all(|row| row.document_id.is_some() && row.about.as_ref().is_some_and(|title| title.starts_with("Kettle"))));
    assert_eq!(first.rows[0].error.as_deref(), Some("the model is out of reach"));
    let rest = events(&world, EventFilter { after: first.next, ..filter.clone() }).await;
    assert_eq!(rest.rows.len(), 10);
    let oldest = events(&world, EventFilter { reversed: true, ..filter.clone() }).await.rows;
    assert!(oldest[..10].iter().rev().map(|row| row.id).eq(rest.rows.iter().map(|row| row.id)), "oldest first");
    assert_eq!(events(&world, EventFilter { task: Some("embed_terms".into()), ..filter.clone() }).await.total, 0);

    let id = rest.rows[0].id;
    assert_eq!(capture::retry(&world.engine, &world.vera, &[id, id]).await.unwrap(), 1);
    assert_eq!(capture::retry(&world.engine, &world.vera, &[id]).await.unwrap(), 0, "it is not dead any more");
    work(&world).await;
    assert_eq!(events(&world, filter).await.total, 59);
    let log = audit::browse(&world.engine, &world.vera, &Default::default()).await.unwrap();
    assert!(
        log.rows.iter().any(|entry| entry.action == "event.retried" && entry.target_id == id.to_string()),
        "the retry is in the audit log"
    );
}

#[tokio::test]
async fn an_event_of_memories_names_the_memory_that_it_concerns() {
    let world = alone().await;
    let kept = remember(&world, &world.atlas, fact("kettle lore", "Tea water is never boiled twice")).await.memory_id;
    let row = events(&world, EventFilter { task: Some("remember".into()), ..EventFilter::default() }).await.rows.remove(0);
    assert_eq!((row.memory_id, row.about.as_deref(), row.bus), (Some(kept), Some("kettle lore"), EventBus::Memories));
    assert_eq!(events(&alone().await, EventFilter::default()).await.total, 0);
}
