//! Imports that are killed, and two at once.

use crate::portability::{body, elsewhere, exported, file, forget, import, newcomer, of_type, rich};
use crate::support::remember;
use foundation::testing::{World, fact};
use foundation::{Engine, OpContext};
use portability::{ImportOptions, Selection};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;
use wire::Area;

/// How many steps an import has that checks a file.
async fn steps_of(engine: &Engine, ctx: &OpContext, text: &str) -> usize {
    let batches = AtomicUsize::new(0);
    let count = |_| {
        batches.fetch_add(1, Ordering::Relaxed);
    };
    portability::import(engine, ctx, file(text).await, ImportOptions { dry_run: true, ..ImportOptions::default() }, &count).await.unwrap();
    batches.load(Ordering::Relaxed)
}

/// Imports a file and drops the import at its next wait after a number of steps, if it waits once more.
async fn import_killed(engine: &Engine, ctx: &OpContext, text: &str, steps: usize) {
    let (kill, done) = (Notify::new(), AtomicUsize::new(0));
    let tell = |_| {
        if done.fetch_add(1, Ordering::Relaxed) + 1 == steps {
            kill.notify_one();
        }
    };
    tokio::select! {
        biased;
        () = kill.notified() => {}
        _ = portability::import(engine, ctx, file(text).await, ImportOptions::default(), &tell) => {}
    }
}

#[tokio::test]
async fn an_import_that_is_killed_is_repeated_and_two_at_once_are_one() {
    let world = World::new().await;
    let tea = rich(&world).await;
    let before = exported(&world.engine, &world.system, &Selection::All).await;
    let there = &elsewhere().await;
    let ctx = newcomer(there).await;
    let batches = steps_of(there, &ctx, &before).await;
    // Killed after each step of writing: of agents without memory there is nothing, and the next import writes all of it. A step that waits
    // for nothing is not killed, so all of it may be there, too, but never a part.
    let memory = Selection::Only([Area::Memory].into());
    let kinds = ["project", "source", "memory", "version", "link", "tombstone", "event"];
    let of = |text: &str| kinds.map(|kind| of_type(text, kind).len());
    let all = of(&exported(&world.engine, &world.system, &memory).await);
    let mut killed = 0;
    for step in 1..batches {
        import_killed(there, &ctx, &before, batches + step).await;
        let there = of(&exported(there, &ctx, &memory).await);
        if there == all {
            break;
        }
        assert_eq!(there, [0; 7], "killed after step {step} of {batches}");
        killed += 1;
    }
    assert!(killed > 0, "no import was killed in time");
    import(there, &ctx, &before).await.unwrap();
    assert_eq!(body(&exported(there, &ctx, &Selection::All).await), body(&before));

    // Agents, projects, repositories, their links, sources and memories: an agent that has memory gets it batch by batch.
    forget(&world, &world.atlas, tea).await;
    remember(&world, &world.atlas, fact("boat", "Mina has a boat")).await;
    let later = exported(&world.engine, &world.system, &Selection::All).await;
    import_killed(there, &ctx, &later, steps_of(there, &ctx, &later).await + 6).await;
    let half = exported(there, &ctx, &Selection::All).await;
    let (memories, events) = (of_type(&half, "memory").len(), of_type(&half, "event").len());
    assert_eq!(memories, of_type(&later, "memory").len());
    assert!((of_type(&before, "event").len()..=of_type(&later, "event").len()).contains(&events), "half of it is there: {events}");
    import(there, &ctx, &later).await.unwrap();
    assert_eq!(body(&exported(there, &ctx, &Selection::All).await), body(&later));

    let other = World::new().await;
    rich(&other).await;
    let before = exported(&other.engine, &other.system, &Selection::All).await;
    let ctx = newcomer(there).await;
    let (one, two) = tokio::join!(import(there, &ctx, &before), import(there, &ctx, &before));
    let added = one.unwrap().total().added + two.unwrap().total().added;
    let agents = of_type(&before, "agent").len() as i64;
    let lines = body(&before).len() as i64;
    assert!((lines..=lines + agents).contains(&added), "{added} of {lines}: agents may be counted by both, records by one");
    assert_eq!(body(&exported(there, &ctx, &Selection::All).await), body(&before), "once");
}
