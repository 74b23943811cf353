//! What one API key may send in a day to be captured.

use crate::capture::send;
use crate::support::{alone_with, observation};
use chrono::{Duration, NaiveTime};
use db::clock::Clock;
use foundation::testing::World;
use foundation::{Engine, Error, OpContext, Settings};
use remembrancer::capture;
use std::sync::Arc;
use wire::{ErrorCode, ObservationCategory, SourceDetails};

const LIMIT: usize = 1000;

fn settings() -> Settings {
    Settings { source_bytes_per_day: LIMIT as u64, ..Settings::default() }
}

/// Sends a text of so many bytes.
async fn sent(engine: &Engine, ctx: &OpContext, bytes: usize) -> Result<(), Error> {
    capture::add_source(engine, ctx, SourceDetails::default(), vec![b'a'; bytes]).await.map(|_| ())
}

/// Begins a new day.
fn next_day(world: &World) {
    let now = world.clock.now();
    let midnight = (now + Duration::days(1)).date_naive().and_time(NaiveTime::MIN).and_utc();
    world.clock.advance(midnight - now);
}

#[tokio::test]
async fn a_key_sends_its_share_of_a_day_whichever_server_it_asks() {
    let world = alone_with(settings()).await;
    next_day(&world);
    world.clock.advance(Duration::hours(6));
    let other = Engine::open(world.engine.urls().clone(), Arc::new(world.embedder.clone()), world.clock.clone(), settings()).await.unwrap();
    sent(&world.engine, &world.atlas, 600).await.unwrap();
    let error = sent(&other, &world.atlas, 401).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::RateLimited);
    let end = (world.clock.now() + Duration::days(1)).date_naive().format("%Y-%m-%dT00:00:00Z").to_string();
    assert!(error.message().contains(&end) && error.message().contains("SOURCE_MIB_PER_DAY"), "{error}");
    assert!(matches!(error, Error::OverQuota { wait, .. } if wait.as_secs().div_ceil(60) == 18 * 60));
    sent(&other, &world.atlas, 400).await.unwrap();
    // Everything that is sent to be captured counts.
    let request = observation(ObservationCategory::Fact, "Vera likes tea.");
    assert_eq!(capture::record_observation(&world.engine, &world.atlas, request).await.unwrap_err().code(), ErrorCode::RateLimited);
    // Another key and another day.
    send(&world, &world.binky, "Mina: I live in Thun.").await;
    next_day(&world);
    sent(&world.engine, &world.atlas, LIMIT).await.unwrap();
}

#[tokio::test]
async fn one_source_larger_than_the_share_is_refused_for_good() {
    let world = alone_with(settings()).await;
    let error = sent(&world.engine, &world.atlas, LIMIT + 1).await.unwrap_err();
    assert_eq!((error.code(), error.fields()[0].field.as_str()), (ErrorCode::Invalid, "content"));
    sent(&world.engine, &world.atlas, LIMIT).await.unwrap();
}
