//! Quality: results of answers end with the context's row of the log, and the numbers count by day and by agent.

use crate::profile::observe;
use crate::support::{Fetch, agent, alone, remember, work};
use chrono::{Duration, NaiveTime};
use db::clock::Clock;
use foundation::testing::{World, fact};
use foundation::{Error, OpContext, identity};
use remembrancer::{context, quality};
use wire::{AnswerRequest, AssembleRequest, ContextId, ObservationCategory, QualityFilter, UserRef};

async fn assemble(world: &World, ctx: &OpContext, query: &str) -> ContextId {
    let id = context::assemble(&world.engine, ctx, AssembleRequest::new(query)).await.unwrap().id;
    world.engine.finish_deferred().await;
    id
}

async fn report(world: &World, ctx: &OpContext, id: ContextId, text: &str) -> Result<i64, Error> {
    quality::report_answer(&world.engine, ctx, id, AnswerRequest { text: text.into(), user_id: None }).await.map(|answer| answer.injected)
}

#[tokio::test]
async fn a_result_goes_with_its_context() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("tea", "Vera drinks black tea.")).await;
    let id = assemble(&world, &world.atlas, "What does Vera drink?").await;
    assert_eq!(report(&world, &world.atlas, id, "Black tea, as always.").await.unwrap(), 1);
    let rows = async || -> i64 { sqlx::query_scalar("select count(*) from context_answers").one(&world.engine).await };
    assert_eq!(rows().await, 1);
    world.clock.advance(Duration::days(91));
    context::sweep(&world.engine, world.engine.clock().now()).await.unwrap();
    assert_eq!(rows().await, 0, "it is kept as long as the log");
    assert!(matches!(report(&world, &world.atlas, id, "Black tea.").await, Err(Error::NotFound("context"))));
}

#[tokio::test]
async fn numbers_count_by_day_and_agent() {
    let world = alone().await;
    // Far from midnight, at which days end.
    let now = world.clock.now();
    let noon = now.date_naive().and_time(NaiveTime::MIN).and_utc() + Duration::hours(36);
    world.clock.advance(noon - now);
    observe(&world, &world.atlas, ObservationCategory::Fact, "Time zone: Europe/Zurich").await;
    observe(&world, &world.atlas, ObservationCategory::Preference, "Vera prefers short e-mails.").await;
    work(&world).await;
    assemble(&world, &world.atlas, "Which e-mails does Vera prefer?").await;
    world.clock.advance(Duration::days(1));
    observe(&world, &world.atlas, ObservationCategory::Correction, "Time zone: Europe/London").await;
    work(&world).await;
    report(&world, &world.atlas, assemble(&world, &world.atlas, "Which e-mails does Vera prefer").await, "Short ones.").await.unwrap();
    assemble(&world, &world.binky, "Which e-mails does Vera prefer?").await;
    let idris: UserRef = "crm-1".parse().unwrap();
    identity::user(&world.engine, &world.system, &idris).await.unwrap();
    let of_idris = AssembleRequest { user_id: Some(idris), ..AssembleRequest::new("Which e-mails does Vera prefer?") };
    context::assemble(&world.engine, &world.atlas, of_idris).await.unwrap();
    world.engine.finish_deferred().await;

    let of_atlas = QualityFilter { days: Some(7), agent_id: Some(agent(&world.atlas)) };
    let quality = quality::measure(&world.engine, &world.vera, &of_atlas).await.unwrap();
    assert_eq!((quality.days.len(), quality.questions_cut), (7, false));
    let [before, first, second] = &quality.days[4..] else { panic!("seven days") };
    assert_eq!(before.1, wire::QualityCounts::default());
    let of = |day: &wire::QualityCounts| (day.contexts, day.observations, day.corrections, day.leaves, day.profiles);
    // The corrected value is not shown any more, so only the other one of the first day counts.
    assert_eq!((of(&first.1), of(&second.1)), ((1, 2, 0, 1, 1), (2, 1, 1, 1, 1)));
    assert_eq!(
        (first.1.questions, first.1.repeated, second.1.questions, second.1.repeated),
        (1, 0, 2, 1),
        "Idris asked for the first time"
    );
    let totals = quality.totals;
    let rates = [totals.observation_rate(), totals.correction_rate(), totals.growth()].map(wire::Ratio::value);
    assert_eq!(rates, [Some(1.0), Some(1.0 / 3.0), Some(1.0)]);
    assert_eq!(totals.utilisation().value(), None, "no memory was in the context");

    let all = quality::measure(&world.engine, &world.vera, &QualityFilter::default()).await.unwrap();
    assert_eq!((all.days.len(), all.totals.contexts, all.totals.questions, all.totals.repeated), (30, 4, 4, 1));
    let wrong = QualityFilter { days: Some(8), agent_id: None };
    assert!(matches!(quality::measure(&world.engine, &world.vera, &wrong).await, Err(Error::Invalid(_))));
}
