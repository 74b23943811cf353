//! History that ends: versions, moments, finished events, decided quarantine, delivered rows of the outboxes.

use crate::lifecycle::sweep;
use crate::support::{Fetch, agent, alone_with, ask, memory_owner, number, remember, settle, work};
use chrono::Duration;
use db::columns::{Kept, TABLES};
use foundation::testing::{World, fact, question};
use foundation::{Settings, audit, identity};
use remembrancer::{capture, lifecycle, memories, recall};
use serde_json::json;
use sqlx::AssertSqlSafe;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use wire::{ErrorCode, HistoryDays, LifecyclePolicy, MemoryId, RecallRequest, ReviseRequest, SourceDetails, SourceForm};

/// A world whose log is kept for `log` days and whose history is kept for twenty.
async fn world(log: u32) -> World {
    let world = alone_with(Settings { retrieval_log_days: NonZeroU32::new(log), ..Settings::default() }).await;
    let history_days = HistoryDays { versions: 20, moments: 20, events: 20, quarantine: 20 };
    identity::set_lifecycle(&world.engine, &world.system, None, LifecyclePolicy { history_days, ..Default::default() }).await.unwrap();
    world
}

async fn revise(world: &World, id: MemoryId, content: &str) {
    let request: ReviseRequest = serde_json::from_value(json!({ "memory": id, "content": content })).unwrap();
    memories::revise(&world.engine, &world.atlas, request).await.unwrap();
}

async fn versions(world: &World, id: MemoryId) -> Vec<i32> {
    let mut versions: Vec<i32> =
        memories::history(&world.engine, &world.atlas, &id.into(), None).await.unwrap().into_iter().map(|one| one.version).collect();
    versions.sort_unstable();
    versions
}

/// Ten memories with a version and a repetition each five days, for sixty days, and one that never changes.
async fn sixty_days(world: &World) -> (Vec<MemoryId>, MemoryId) {
    let still = remember(world, &world.atlas, fact("harbour", "The harbour opens at eight.")).await.memory_id;
    let mut ids = Vec::new();
    for boat in 0..10 {
        ids.push(remember(world, &world.atlas, fact(&format!("boat {boat}"), &format!("Boat {boat} sails on day 0."))).await.memory_id);
    }
    for day in (5..=60).step_by(5) {
        world.clock.advance(Duration::days(5));
        for (boat, id) in ids.iter().enumerate() {
            revise(world, *id, &format!("Boat {boat} sails on day {day}.")).await;
            remember(world, &world.atlas, fact(&format!("boat {boat}"), &format!("Boat {boat} sails on day {day}."))).await;
        }
        work(world).await;
    }
    (ids, still)
}

#[tokio::test]
async fn old_versions_end_and_every_moment_that_is_kept_has_the_same_answer() {
    let world = world(10).await;
    let (ids, still) = sixty_days(&world).await;
    let today = world.engine.clock().now();
    let then = |days: i64| RecallRequest { as_of: Some(today - Duration::days(days)), ..question("boat 7") };
    let answer = async |days: i64| {
        let answer = recall::recall(&world.engine, &world.atlas, then(days)).await.unwrap();
        answer.memories().iter().map(|hit| (hit.content.clone(), hit.score.to_bits())).collect::<Vec<_>>()
    };
    let (before, now) = ((answer(19).await, answer(7).await, answer(1).await), ask(&world, &world.atlas, "boat 7").await.hits.len());
    assert!(before.0.iter().any(|(content, _)| content == "Boat 7 sails on day 40."), "{before:?}");
    let moments = "select count(*) from memory_moments where memory_id = $1";
    let counted = number(&world, moments, ids[7]).await;

    sweep(&world).await;
    assert_eq!((answer(19).await, answer(7).await, answer(1).await), before);
    assert_eq!(ask(&world, &world.atlas, "boat 7").await.hits.len(), now);
    assert_eq!(versions(&world, still).await, [1], "the current version stays, however old it is");
    // The version of day 40 held twenty days ago.
    for id in &ids {
        assert_eq!(versions(&world, *id).await, [9, 10, 11, 12, 13]);
    }
    assert!(number(&world, moments, ids[7]).await < counted);

    let error = recall::recall(&world.engine, &world.atlas, then(21)).await.unwrap_err();
    assert_eq!((error.code(), error.fields()[0].field.as_str()), (ErrorCode::Invalid, "as_of"));
    let error = memories::compare(&world.engine, &world.atlas, &ids[0].into(), None, 2, 13).await.unwrap_err();
    assert!(error.fields()[0].message.contains("9, 10, 11, 12, 13 of this memory are kept"), "{error:?}");
    let swept = lifecycle::forecast(&world.engine, &world.vera).await.unwrap().sweeps[0].history;
    assert!(swept >= 10 * 8, "{swept}");
    settle(&world).await;
    let entries = audit::browse(&world.engine, &world.vera, &Default::default()).await.unwrap();
    assert!(entries.rows.iter().any(|entry| entry.action == "history.swept" && entry.message.contains("versions")));
    assert!(audit::verify(&world.engine, &world.vera, None).await.is_ok());
}

#[tokio::test]
async fn versions_stay_as_long_as_the_log() {
    let world = world(90).await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes tea.")).await.memory_id;
    world.clock.advance(Duration::days(5));
    revise(&world, id, "Vera likes green tea.").await;
    world.clock.advance(Duration::days(60));
    sweep(&world).await;
    assert_eq!(versions(&world, id).await, [1, 2]);
    world.clock.advance(Duration::days(40));
    sweep(&world).await;
    assert_eq!(versions(&world, id).await, [2]);
}

#[tokio::test]
async fn finished_work_ends_and_unfinished_work_stays() {
    let world = world(10).await;
    let text = |n: i32| format!("Vera: I live in Bern, house {n}. We decided to ship on Mondays because the dock is free.").into_bytes();
    let details = || SourceDetails { form: Some(SourceForm::Transcript), ..SourceDetails::default() };
    let read = capture::add_source(&world.engine, &world.atlas, details(), text(1)).await.unwrap().source_id;
    let unread = capture::add_source(&world.engine, &world.atlas, details(), text(2)).await.unwrap().source_id;
    for source in [read, read, unread] {
        let request = serde_json::from_value(json!({ "source_ref": source })).unwrap();
        capture::capture_conversation(&world.engine, &world.atlas, request).await.unwrap();
    }
    remember(&world, &world.atlas, fact("tea", "Vera likes tea.")).await;
    work(&world).await;
    let mut owner = memory_owner(&world.engine).await;
    sqlx::query("update events set state = 'dead', error = 'x' where source_id = $1").bind(unread).execute(&mut owner).await.unwrap();
    for (id, state) in [(1_u128, "waiting"), (2, "dismissed")] {
        sqlx::query(
            r"insert into quarantine (tenant_id, agent_id, id, source_id, event_id, starts, ends, quote, reasons, state, created_at, decided_at)
              values ($1, $2, $3, $4, $3, $6, $6 + 4, 'Vera', '{}', $5, $7, case when $5 <> 'waiting' then $7 end)",
        )
        .bind(world.atlas.tenant_id)
        .bind(agent(&world.atlas))
        .bind(uuid::Uuid::from_u128(id))
        .bind(read)
        .bind(state)
        .bind(i32::try_from(id).unwrap())
        .bind(world.engine.clock().now())
        .execute(&mut owner)
        .await
        .unwrap();
    }
    let sources = capture::sources(&world.engine, &world.vera, &Default::default()).await.unwrap().rows;
    world.clock.advance(Duration::days(21));
    sweep(&world).await;

    let after = capture::sources(&world.engine, &world.vera, &Default::default()).await.unwrap().rows;
    let states = |rows: &[wire::SourceRow]| rows.iter().map(|row| (row.id, row.state, row.progress)).collect::<Vec<_>>();
    assert_eq!(states(&after), states(&sources), "the newest event of a source stays");
    let left: Vec<(String, String)> = sqlx::query_as("select task, state from events where agent_id = $1 order by 1, 2")
        .bind(agent(&world.atlas))
        .fetch_all(&mut owner)
        .await
        .unwrap();
    let pair = |task: &str, state: &str| (task.to_owned(), state.to_owned());
    assert_eq!(left, [pair("extract", "dead"), pair("extract", "done")]);
    assert_eq!(sqlx::query_scalar::<_, String>("select state from quarantine").fetch_all(&mut owner).await.unwrap(), ["waiting"]);

    // What the sweep itself delivered is younger than a day.
    let delivered = "select count(*) from outbox where delivered_at is not null";
    let count = async |owner: &mut sqlx::PgConnection| sqlx::query_scalar::<_, i64>(delivered).fetch_one(owner).await.unwrap();
    let all = count(&mut owner).await;
    audit::sweep(&world.engine, world.engine.clock().now()).await.unwrap();
    let young = count(&mut owner).await;
    assert!(young > 0 && young < all, "{young} of {all}");
    world.clock.advance(Duration::days(2));
    audit::sweep(&world.engine, world.engine.clock().now()).await.unwrap();
    assert_eq!(count(&mut owner).await, 0);
}

/// A table that a sweep deletes from is listed with an end, and no other table is.
#[tokio::test]
async fn the_list_of_columns_says_how_long_rows_are_kept() {
    let world = World::new().await;
    let urls = world.engine.urls();
    for (database, url) in
        [("agent_memory", &urls.agent_memory), ("shared_kb", &urls.shared_kb), ("internal_shared", &urls.internal_shared)]
    {
        let bodies: Vec<String> =
            sqlx::query_scalar("select prosrc from pg_proc where proname like 'sweep\\_%' and pronamespace = 'public'::regnamespace")
                .all(url)
                .await;
        let mut swept: BTreeSet<String> = bodies
            .iter()
            .flat_map(|body| body.split("delete from ").skip(1))
            .map(|rest| rest.split_whitespace().next().unwrap().to_owned())
            .collect();
        // Rows that go with a row that is swept.
        let cascade =
            "select conrelid::regclass::text, confrelid::regclass::text from pg_constraint where contype = 'f' and confdeltype = 'c'";
        let with: Vec<(String, String)> = sqlx::query_as(cascade).all(url).await;
        swept.extend(with.into_iter().filter(|(_, parent)| swept.contains(parent)).map(|(table, _)| table).collect::<Vec<_>>());
        for table in TABLES.iter().filter(|table| table.database == database) {
            let ends =
                matches!(table.kept, Kept::Day | Kept::History | Kept::RetrievalLog | Kept::ContextTexts | Kept::Matter | Kept::Used);
            assert_eq!(swept.contains(table.name), ends, "{database}.{} is {:?}", table.name, table.kept);
        }
        for table in swept {
            let sql = format!("select has_table_privilege('rmb_app', '{table}', 'delete')");
            let deletes: bool = sqlx::query_scalar(AssertSqlSafe(sql)).one(url).await;
            // Documents of profiles are made again from what they derive from.
            let derived = table.starts_with("profile_document") || table.starts_with("profile_embeddings");
            assert!(!deletes || table == "idempotent_requests" || derived, "{database}.{table} can be deleted by a request");
        }
    }
}
