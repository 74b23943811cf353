//! Heavy work is done in steps: organisations and agents take turns, and erasures wait for nobody.

use crate::capture::{conversation, send};
use crate::capture_killed::killed_after;
use crate::erasure::idris;
use crate::support::{alone, memory_owner};
use chrono::Duration;
use foundation::testing::World;
use foundation::{OpContext, identity};
use remembrancer::workers::{Turns, step};
use remembrancer::{capture, consolidation, erasure, workers};
use sqlx::PgConnection;
use tokio_util::sync::CancellationToken;
use wire::{CaptureMode, ErasureState, InboxFilter, NewErasure, SourceId, UserRef};

/// Statements of a large capture: many steps.
const STATEMENTS: usize = 250;

fn large(fleet: usize) -> String {
    (0..STATEMENTS).map(|n| format!("Vera: I prefer boat number {n} of fleet {fleet} in Basel.\n")).collect()
}

async fn capture_all(world: &World, ctx: &OpContext, text: &str) -> SourceId {
    let source = send(world, ctx, text).await.source_id;
    capture::capture_conversation(&world.engine, ctx, conversation(source)).await.unwrap();
    source
}

/// An organisation with an agent, for which an operator captures one line.
async fn small_capture(world: &World, slug: &str) -> OpContext {
    let ctx = identity::create_tenant(&world.engine, slug, slug).await.unwrap();
    let agent = identity::create_agent(&world.engine, &ctx, "binky", "Binky", false).await.unwrap();
    let mode = CaptureMode::Transcript;
    let text = "Mina: I live in Thun.".into();
    let paste = capture::Paste {
        agent_id: agent.id,
        mode,
        scope: None,
        project_id: None,
        title: None,
        filename: None,
        time_zone: None,
        user_id: None,
        text,
    };
    capture::paste(&world.engine, &ctx, paste).await.unwrap();
    ctx
}

/// Whether the only capture of a source is done. It must not have failed for good.
async fn is_done(owner: &mut PgConnection, source: SourceId) -> bool {
    let state = "select state from events where task = 'extract' and source_id = $1";
    let state: String = sqlx::query_scalar(state).bind(source).fetch_one(owner).await.unwrap();
    assert_ne!(state, "dead");
    state == "done"
}

async fn inbox(world: &World, ctx: &OpContext) -> i64 {
    consolidation::inbox(&world.engine, ctx, &InboxFilter::default()).await.unwrap().total
}

async fn next(world: &World, turns: &Turns) -> bool {
    step(&world.engine, turns, &CancellationToken::new()).await.unwrap() > 0
}

#[tokio::test]
async fn a_small_capture_waits_for_one_step_of_a_large_one() {
    let world = alone().await;
    let turns = Turns::default();
    // Several captures, so that what is queued first does not decide.
    for fleet in 0..3 {
        capture_all(&world, &world.atlas, &large(fleet)).await;
    }
    assert!(next(&world, &turns).await);
    let begun = inbox(&world, &world.vera).await;
    assert!((1..STATEMENTS as i64).contains(&begun), "a step is a part: {begun}");
    let others = [small_capture(&world, "quiet").await, small_capture(&world, "calm").await];
    for _ in 0..3 {
        next(&world, &turns).await;
    }
    for ctx in &others {
        assert_eq!(inbox(&world, ctx).await, 1, "three organisations need three steps");
    }
    // Another agent of the busy organisation waits for a step, too.
    let binkys = capture_all(&world, &world.binky, "Mina: I live in Thun.").await;
    for _ in 0..2 {
        next(&world, &turns).await;
    }
    assert!(is_done(&mut memory_owner(&world.engine).await, binkys).await);
    while next(&world, &turns).await {}
    assert_eq!(inbox(&world, &world.vera).await, 3 * STATEMENTS as i64 + 1);
}

#[tokio::test]
async fn an_erasure_waits_for_no_capture() {
    let world = alone().await;
    let (engine, vera) = (&world.engine, &world.vera);
    let user = identity::user(engine, &world.atlas, &UserRef::External("crm-4711".into())).await.unwrap();
    let new = NewErasure { user: user.into(), names: vec![], mentions: vec![], reason: "She asked for it".into() };
    let id = erasure::request(engine, vera, new).await.unwrap();
    erasure::confirm(engine, &idris(&world).await, id, &user.into()).await.unwrap();
    let state = async || erasure::show(engine, vera, id).await.unwrap().request.state;
    while next(&world, &Turns::default()).await {}
    assert_ne!(state().await, ErasureState::Done, "it is no heavy work");
    capture_all(&world, &world.atlas, &large(0)).await;
    workers::work(engine, &CancellationToken::new()).await.unwrap();
    assert_eq!(state().await, ErasureState::Done);
    assert!(inbox(&world, vera).await < STATEMENTS as i64, "the capture is still in work");
}

#[tokio::test]
async fn workers_never_serve_one_organisation_twice_at_a_time() {
    let world = alone().await;
    let turns = Turns::default();
    for fleet in 0..3 {
        capture_all(&world, &world.atlas, &large(fleet)).await;
    }
    let quiet = small_capture(&world, "quiet").await;
    let stop = CancellationToken::new();
    let (one, two, three) =
        tokio::join!(step(&world.engine, &turns, &stop), step(&world.engine, &turns, &stop), step(&world.engine, &turns, &stop));
    assert_eq!(one.unwrap() + two.unwrap() + three.unwrap(), 2, "two organisations have work");
    assert_eq!(inbox(&world, &quiet).await, 1);
}

#[tokio::test]
async fn a_capture_killed_between_and_inside_steps_is_whole() {
    let world = alone().await;
    let source = capture_all(&world, &world.atlas, &large(0)).await;
    // Each step is killed at a few moments, fewer than an event has attempts, and later by some polls than the step before.
    let (mut polls, mut killed, mut steps) = (1, 0, 0);
    let mut owner = memory_owner(&world.engine).await;
    while !is_done(&mut owner, source).await {
        // Each worker has turns of its own, as after a restart.
        if killed_after(polls, next(&world, &Turns::default())).await.is_none() {
            (killed, polls) = (killed + 1, polls * 5);
        } else {
            steps += 1;
            polls = 1 + steps;
        }
        world.clock.advance(Duration::minutes(1));
        // A transaction that was dropped ends a moment later, and until then no worker can claim its event.
        let claimable = "select 1 from events where tenant_id = $1 and task = 'extract' for update";
        sqlx::query(claimable).bind(world.system.tenant_id).execute(&mut owner).await.unwrap();
    }
    let evidence: i64 =
        sqlx::query_scalar("select count(*) from evidence where source_id = $1").bind(source).fetch_one(&mut owner).await.unwrap();
    assert_eq!((evidence, inbox(&world, &world.vera).await), (STATEMENTS as i64, STATEMENTS as i64));
    assert!(killed >= STATEMENTS / 25, "{killed} kills: fewer than steps");
}

#[tokio::test]
async fn failures_before_a_step_are_forgotten_after_it() {
    let world = alone().await;
    capture_all(&world, &world.atlas, &large(0)).await;
    let turns = Turns::default();
    let mut steps = 0;
    while next(&world, &turns).await {
        steps += 1;
    }
    assert!(steps > 8, "more steps than an event has attempts: {steps}");
    assert_eq!(inbox(&world, &world.vera).await, STATEMENTS as i64);
}
