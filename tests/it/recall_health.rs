//! Recall health by hour and by day under every filter, beside another tenant's and another agent's rows; and the front page.

use crate::support::{agent, alone, memory_owner, remember, work};
use chrono::{DateTime, Duration, DurationRound, Timelike, Utc};
use db::clock::Clock;
use foundation::identity;
use foundation::testing::{World, fact};
use remembrancer::{memories, overview, recall};
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{AgentId, BarUnit, HealthFilter, RecallCounts, RecallHealth, ZeroHitCause};

/// Recalls of the fixture, one each quarter of an hour, newest first: more than 60 hours.
const RECALLS: i64 = 250;

/// A logged recall of the fixture.
struct Logged {
    at: DateTime<Utc>,
    agent: AgentId,
    topic: Option<&'static str>,
    cause: Option<ZeroHitCause>,
    expected: bool,
    took_ms: f64,
}

/// Moves the clock to ten minutes past an hour, so that no test begins in one hour and ends in the next.
fn start_of_hour(world: &World) -> DateTime<Utc> {
    let now = world.clock.now();
    let hour = now.duration_trunc(Duration::hours(1)).unwrap() + Duration::hours(1);
    world.clock.advance(hour + Duration::minutes(10) - now);
    hour
}

/// The `i`-th recall of the fixture; no two of its properties have the same rhythm.
fn logged(world: &World, hour: DateTime<Utc>, i: i64) -> Logged {
    let cause = match i % 8 {
        0 => Some(ZeroHitCause::NothingStored),
        4 => Some(ZeroHitCause::BelowFloor),
        _ => None,
    };
    Logged {
        at: hour + Duration::minutes(5) - Duration::minutes(15) * i32::try_from(i).unwrap(),
        agent: agent(if i % 3 == 0 { &world.atlas } else { &world.binky }),
        topic: (i % 7 < 3).then_some("tea"),
        cause,
        expected: i % 5 == 0,
        took_ms: f64::from(i32::try_from(i * 37 % 101).unwrap()),
    }
}

/// Logs the recalls of the fixture for a world.
async fn log_all(world: &World, hour: DateTime<Utc>) -> Vec<Logged> {
    let rows: Vec<Logged> = (0..RECALLS).map(|i| logged(world, hour, i)).collect();
    let mut owner = memory_owner(&world.engine).await;
    for row in &rows {
        sqlx::query(
            r"insert into retrievals (tenant_id, agent_id, id, at, query, query_canonical, k, expected, ranking, filters, model, vector_floor,
                                      lexical_floor, vocabulary_version, statistics, candidates, hits, zero_hit, cause, degraded, took_ms)
              values ($1, $2, $3, $4, 'which tea', $5, 10, $6, 'decay', '{}', 'm', 0, 0, 0, '{}', '[]', 0, $7, $8, '{}', $9)",
        )
        .bind(world.system.tenant_id)
        .bind(row.agent)
        .bind(Uuid::new_v4())
        .bind(row.at)
        .bind(row.topic)
        .bind(row.expected)
        .bind(row.cause.is_some())
        .bind(row.cause)
        .bind(row.took_ms)
        .execute(&mut owner)
        .await
        .unwrap();
    }
    rows
}

/// What a filter must count of the rows that `wanted` names.
fn expect(rows: &[Logged], filter: &HealthFilter, wanted: impl Fn(&Logged) -> bool) -> RecallCounts {
    let in_filter = |row: &&Logged| {
        filter.agent_id.is_none_or(|agent| row.agent == agent)
            && filter.topic.as_deref().is_none_or(|topic| row.topic.unwrap_or("other") == topic)
            && filter.expected.is_none_or(|expected| row.expected == expected)
            && wanted(row)
    };
    rows.iter()
        .filter(in_filter)
        .map(|row| {
            let zero = row.cause.is_some() && filter.cause.is_none_or(|cause| row.cause == Some(cause));
            let (zero_hits, expected) = (i64::from(zero), i64::from(row.expected));
            RecallCounts { recalls: 1, zero_hits, expected, expected_zero_hits: zero_hits * expected }
        })
        .sum()
}

async fn measure(world: &World, filter: &HealthFilter) -> RecallHealth {
    recall::health(&world.engine, &world.vera, filter).await.unwrap()
}

#[tokio::test]
async fn every_filter_narrows_every_number_of_the_hours() {
    let world = alone().await;
    let stranger = World::on(world.engine.urls().clone()).await;
    let hour = start_of_hour(&world);
    let rows = log_all(&world, hour).await;
    log_all(&stranger, hour).await;
    let day = HealthFilter { days: Some(1), ..HealthFilter::default() };
    let filters = [
        day.clone(),
        HealthFilter { agent_id: Some(agent(&world.atlas)), ..day.clone() },
        HealthFilter { topic: Some("tea".into()), ..day.clone() },
        HealthFilter { topic: Some("other".into()), expected: Some(true), ..day.clone() },
        HealthFilter { cause: Some(ZeroHitCause::BelowFloor), ..day.clone() },
        HealthFilter {
            agent_id: Some(agent(&world.binky)),
            cause: Some(ZeroHitCause::NothingStored),
            expected: Some(false),
            ..day.clone()
        },
    ];
    for filter in filters {
        let health = measure(&world, &filter).await;
        assert_eq!((health.unit, health.bars.len()), (BarUnit::Hour, 24));
        assert_eq!(health.bars[23].from, hour);
        for bar in &health.bars {
            let of_hour = expect(&rows, &filter, |row| (bar.from..bar.from + Duration::hours(1)).contains(&row.at));
            assert_eq!(bar.recalls, of_hour, "{filter:?} at {}", bar.from);
        }
        let since = health.bars[0].from;
        let all = expect(&rows, &filter, |row| row.at >= since);
        assert!(all.recalls > 0 && all.zero_hits > 0, "{filter:?}");
        assert_eq!(health.totals, all, "{filter:?}");
        assert_eq!(health.causes.iter().map(|(_, count)| count).sum::<i64>(), all.zero_hits, "{filter:?}");
        assert_eq!(health.agents.iter().map(|(.., counts)| *counts).sum::<RecallCounts>(), all, "{filter:?}");
        assert_eq!(health.topics.iter().map(|(_, counts)| *counts).sum::<RecallCounts>(), all, "{filter:?}");
        assert_eq!(recall::zero_hits(&world.engine, &world.vera, &filter).await.unwrap().total, all.zero_hits, "{filter:?}");
    }
}

#[tokio::test]
async fn a_day_and_an_hour_narrow_the_page() {
    let world = alone().await;
    let hour = start_of_hour(&world);
    let rows = log_all(&world, hour).await;
    let yesterday = (hour - Duration::days(1)).date_naive();
    let week = HealthFilter { days: Some(7), ..HealthFilter::default() };
    let by_day = measure(&world, &week).await;
    assert_eq!((by_day.unit, by_day.bars.len(), by_day.totals.recalls), (BarUnit::Day, 7, RECALLS));
    assert_eq!(by_day.bars[5].recalls, expect(&rows, &week, |row| row.at.date_naive() == yesterday));

    let day = HealthFilter { day: Some(yesterday), ..week.clone() };
    let by_hour = measure(&world, &day).await;
    assert_eq!((by_hour.unit, by_hour.bars.len(), by_hour.totals), (BarUnit::Hour, 24, by_day.bars[5].recalls));

    let nine = HealthFilter { hour: Some(9), ..day.clone() };
    let of_nine = measure(&world, &nine).await;
    assert_eq!(of_nine.totals, expect(&rows, &week, |row| row.at.date_naive() == yesterday && row.at.hour() == 9));
    assert_eq!((of_nine.totals, &of_nine.bars), (by_hour.bars[9].recalls, &by_hour.bars));
    let list = recall::zero_hits(&world.engine, &world.vera, &nine).await.unwrap();
    assert_eq!(list.rows.iter().map(|hit| (hit.at.date_naive(), hit.at.hour())).collect::<Vec<_>>(), [(yesterday, 9)]);
    assert_eq!(list.total, of_nine.totals.zero_hits);

    let outside = HealthFilter { day: Some(yesterday - Duration::days(9)), ..week };
    assert_eq!(recall::health(&world.engine, &world.vera, &outside).await.unwrap_err().fields()[0].field, "day");
    assert_eq!(recall::zero_hits(&world.engine, &world.vera, &outside).await.unwrap_err().fields()[0].field, "day");
}

#[tokio::test]
async fn memories_are_counted_in_the_hour_in_which_they_were_stored() {
    let world = alone().await;
    let stranger = World::on(world.engine.urls().clone()).await;
    let first = start_of_hour(&world);
    start_of_hour(&stranger);
    for n in 0..3 {
        remember(&world, &world.atlas, fact(&format!("shelf {n}"), &format!("Shelf {n} holds the jar {n}"))).await;
        remember(&stranger, &stranger.atlas, fact(&format!("shelf {n}"), &format!("Shelf {n} holds the jar {n}"))).await;
    }
    world.clock.advance(Duration::hours(2));
    remember(&world, &world.binky, fact("cellar", "The cellar is damp")).await;
    let gone = remember(&world, &world.binky, fact("attic", "The attic is dry")).await.memory_id;
    let candidate = remember(&world, &world.binky, fact("roof", "The roof leaks")).await.memory_id;
    let last_write = memories::detail(&world.engine, &world.vera, gone).await.unwrap().memory.updated_at;
    memories::delete(&world.engine, &world.vera, &[gone], "wrong").await.unwrap();
    sqlx::query("update agent_memories set status = 'inbox', live = false where id = $1")
        .bind(candidate)
        .execute(&mut memory_owner(&world.engine).await)
        .await
        .unwrap();
    world.clock.advance(Duration::hours(1));

    let stored = async |agent_id: Option<AgentId>| {
        // A topic narrows recalls only.
        let filter = HealthFilter { days: Some(1), agent_id, topic: Some("tea".into()), ..HealthFilter::default() };
        let health = measure(&world, &filter).await;
        let by_hour: BTreeMap<_, _> = health.bars.iter().filter(|bar| bar.stored > 0).map(|bar| (bar.from, bar.stored)).collect();
        (by_hour, health.last_write)
    };
    let later = first + Duration::hours(2);
    assert_eq!(stored(None).await, (BTreeMap::from([(first, 3), (later, 2)]), Some(last_write)), "deleted counts, a candidate does not");
    assert_eq!(stored(Some(agent(&world.binky))).await, (BTreeMap::from([(later, 2)]), Some(last_write)));
    let (of_atlas, last) = stored(Some(agent(&world.atlas))).await;
    assert_eq!(of_atlas, BTreeMap::from([(first, 3)]));
    assert!(last < Some(last_write));

    world.clock.advance(Duration::days(3));
    assert_eq!(stored(None).await, (BTreeMap::new(), Some(last_write)), "a writer that stopped");
}

#[tokio::test]
async fn the_front_page_has_what_needs_attention_and_what_is_new() {
    let world = alone().await;
    let stranger = World::on(world.engine.urls().clone()).await;
    let empty = overview::overview(&world.engine, &world.vera).await.unwrap();
    assert_eq!((empty.inventory.memories, empty.last_day.newest.len(), empty.attention.blocked_agents), (0, 0, 0));
    assert_eq!(empty.last_day.p95_ms, None);

    let hour = start_of_hour(&world);
    let rows = log_all(&world, hour).await;
    log_all(&stranger, hour).await;
    for n in 0..7 {
        let request = fact(&format!("shelf {n}"), &format!("Shelf {n} holds the jar {n}"));
        remember(&world, if n % 2 == 0 { &world.atlas } else { &world.binky }, request).await;
        remember(&stranger, &stranger.atlas, fact(&format!("stranger {n}"), &format!("The stranger has {n} hats"))).await;
        world.clock.advance(Duration::seconds(1));
    }
    let gone = remember(&world, &world.atlas, fact("lunch", "Lunch is at noon")).await.memory_id;
    memories::delete(&world.engine, &world.vera, &[gone], "wrong").await.unwrap();
    identity::set_blocked(&world.engine, &world.system, agent(&world.binky), true, "noisy").await.unwrap();
    work(&world).await;

    let page = overview::overview(&world.engine, &world.vera).await.unwrap();
    let all = HealthFilter::default();
    assert_eq!(page.attention.week, expect(&rows, &all, |_| true));
    assert_eq!((page.attention.blocked_agents, page.attention.exhausted_accounts), (1, 0));
    let hours: RecallCounts = page.last_day.bars.iter().map(|bar| bar.recalls).sum();
    assert_eq!(hours, expect(&rows, &all, |row| row.at >= page.last_day.bars[0].from));
    let mut took: Vec<f64> = rows.iter().filter(|row| row.at >= page.last_day.bars[0].from).map(|row| row.took_ms).collect();
    took.sort_by(f64::total_cmp);
    let slow = took[(took.len() * 95).div_ceil(100) - 1];
    assert!(slow < took[took.len() - 1], "neither the slowest, nor a mean, nor of older recalls: {took:?}");
    assert_eq!(page.last_day.p95_ms, Some(slow));
    assert_eq!(page.last_day.bars.iter().map(|bar| bar.stored).sum::<i64>(), 8);
    let newest: Vec<_> = page.last_day.newest.iter().map(|memory| (memory.topic.as_str(), memory.agent_slug.as_str())).collect();
    assert_eq!(newest, [("shelf 6", "atlas"), ("shelf 5", "binky"), ("shelf 4", "atlas"), ("shelf 3", "binky"), ("shelf 2", "atlas")]);
    assert_eq!((page.inventory.agents, page.inventory.memories), (2, 7));
}
