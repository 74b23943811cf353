//! A memory's page besides the record: its links, and the recalls that returned it.

use crate::support::{agent, alone, ask, remember};
use chrono::Duration;
use db::clock::Clock;
use foundation::op::Access;
use foundation::testing::{World, fact};
use foundation::{Error, OpContext};
use remembrancer::memories::model::Owner;
use remembrancer::memories::store;
use remembrancer::{Workers, memories};
use wire::{MemoryStatus, OperatorRole, Relation};

#[tokio::test]
async fn links_tell_what_the_other_end_says_and_whether_it_still_stands() {
    let world = World::new().await;
    let black = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    let long = format!("Vera likes {}", "very ".repeat(100));
    let green = remember(&world, &world.atlas, fact("taste", &long)).await.memory_id;
    let mut tx = world.engine.db().memory.begin(world.atlas.tenancy()).await.unwrap();
    store::link(
        &mut tx,
        &world.atlas,
        Owner { agent_id: agent(&world.atlas), user_id: None },
        green,
        black,
        Relation::Contradicts,
        world.clock.now(),
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();

    let told = memories::detail(&world.engine, &world.vera, black).await.unwrap().record.links.remove(0);
    assert_eq!((told.relation, told.outgoing, told.other_id, told.other_topic.as_str()), (Relation::Contradicts, false, green, "taste"));
    assert_eq!(told.other_content, long.chars().take(300).collect::<String>());
    assert_eq!((told.other_status, told.other_deleted, told.other_source.platform.as_str()), (MemoryStatus::Active, false, "slack"));
    memories::delete(&world.engine, &world.vera, &[green], "wrong").await.unwrap();
    assert!(memories::detail(&world.engine, &world.vera, black).await.unwrap().record.links[0].other_deleted);
    let told = memories::detail(&world.engine, &world.vera, green).await.unwrap().record.links.remove(0);
    assert_eq!((told.outgoing, told.other_id, told.other_deleted), (true, black, false));
}

#[tokio::test]
async fn a_memory_tells_which_recalls_returned_it_and_where() {
    let world = alone().await;
    let workers = Workers::start(&world.engine);
    let black = remember(&world, &world.atlas, fact("tea", "Vera likes black tea")).await.memory_id;
    world.clock.advance(Duration::days(1));
    let green = remember(&world, &world.atlas, fact("tea", "Idris likes green tea")).await.memory_id;
    let none = memories::recalls(&world.engine, &world.vera, black).await.unwrap();
    assert_eq!((none.total, none.latest), (0, vec![]));
    for n in 0..11 {
        world.clock.advance(Duration::minutes(1));
        ask(&world, &world.atlas, &format!("black tea {n}")).await;
    }
    let last = ask(&world, &world.atlas, "Idris likes green tea").await;
    world.engine.log().flush().await;
    workers.stop().await;

    let told = memories::recalls(&world.engine, &world.vera, green).await.unwrap();
    let rank = last.memories().iter().position(|hit| hit.memory_id == green).unwrap() + 1;
    assert_eq!((told.latest[0].retrieval_id, told.latest[0].rank as usize), (last.retrieval_id, rank));
    assert_eq!((told.latest[0].query.as_str(), told.latest[0].agent_slug.as_str()), ("Idris likes green tea", "atlas"));
    let told = memories::recalls(&world.engine, &world.vera, black).await.unwrap();
    assert!(told.total >= 11, "{}", told.total);
    assert_eq!(told.latest.len(), 10, "the page shows the latest");
    assert!(told.latest.windows(2).all(|pair| pair[0].at >= pair[1].at));

    assert_eq!(memories::recalls(&world.engine, &World::new().await.vera, black).await.unwrap().total, 0);
    for ctx in [&OpContext { access: Access::Roles(vec![OperatorRole::Reviewer]), ..world.vera.clone() }, &world.atlas] {
        assert!(matches!(memories::recalls(&world.engine, ctx, black).await, Err(Error::Forbidden(_))));
    }
}
