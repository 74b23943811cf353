//! Whatever happened to an organisation's memories: they come out elsewhere as they went in.

use crate::portability::{body, exported, forget, import, link, newcomer, shared};
use crate::support::remember;
use foundation::testing::{FakeClock, TestDatabases, World, fact};
use portability::Selection;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use remembrancer::memories;
use wire::{MemoryId, Relation};

#[derive(Clone, Debug)]
enum Step {
    Remember { binky: bool, topic: usize, content: usize },
    Share { topic: usize, content: usize },
    Forget(usize),
    Restore(usize),
    Link { from: usize, to: usize, relation: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (topic, content, place) = (0..TOPICS.len(), 0..CONTENTS.len(), 0..32_usize);
    prop::collection::vec(
        prop_oneof![
            4 => (proptest::bool::ANY, topic.clone(), content.clone()).prop_map(|(binky, topic, content)| Step::Remember { binky, topic, content }),
            1 => (topic, content).prop_map(|(topic, content)| Step::Share { topic, content }),
            1 => place.clone().prop_map(Step::Forget),
            1 => place.clone().prop_map(Step::Restore),
            2 => (place.clone(), place, 0..Relation::ALL.len()).prop_map(|(from, to, relation)| Step::Link { from, to, relation }),
        ],
        1..14,
    )
}

const TOPICS: [&str; 4] = ["tea", "door code", "Größe \"42\"", "снег"];
const CONTENTS: [&str; 5] =
    ["It is 4711.", "Vera likes it\tblack\r\nand hot", "a\\b \u{2028} \u{7f} 🫖", "quarterly", "The lift stands still, again"];

async fn live_through(world: &World, steps: &[Step]) {
    let mut own: Vec<MemoryId> = vec![];
    for step in steps {
        match step {
            Step::Remember { binky, topic, content } => {
                let ctx = if *binky { &world.binky } else { &world.atlas };
                let id = remember(world, ctx, fact(TOPICS[*topic], CONTENTS[*content])).await.memory_id;
                if !*binky && !own.contains(&id) {
                    own.push(id);
                }
            }
            Step::Share { topic, content } => drop(shared(world, TOPICS[*topic], CONTENTS[*content]).await),
            Step::Forget(n) if !own.is_empty() => forget(world, &world.atlas, own[n % own.len()]).await,
            Step::Restore(n) if !own.is_empty() => {
                memories::restore(&world.engine, &world.vera, &[own[n % own.len()]], "again").await.unwrap();
            }
            Step::Link { from, to, relation } if own.len() > 1 && from % own.len() != to % own.len() => {
                link(world, &world.atlas, own[from % own.len()], own[to % own.len()], Relation::ALL[*relation]).await;
            }
            _ => {}
        }
    }
}

#[test]
fn any_world_comes_out_elsewhere_as_it_went_in() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let there = runtime.block_on(async { World::on(TestDatabases::fresh(&FakeClock::default()).await).await });
    let mut runner = TestRunner::new(Config { cases: 12, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&steps(), |steps| {
        runtime.block_on(async {
            let world = World::new().await;
            live_through(&world, &steps).await;
            let before = exported(&world.engine, &world.system, &Selection::All).await;
            let ctx = newcomer(&there.engine).await;
            let report = import(&there.engine, &ctx, &before).await.unwrap();
            prop_assert_eq!(report.total().added as usize, body(&before).len());
            let after = exported(&there.engine, &ctx, &Selection::All).await;
            prop_assert_eq!(body(&after), body(&before));
            world.engine.db().close().await;
            Ok(())
        })
    });
    outcome.unwrap();
}
