//! The audit log: one unbroken chain per tenant, however many relays feed it.

use crate::support::{Fetch, Run, alone, owner, remember, settle};
use db::clock::Clock;
use foundation::audit::{self, Fault, NewEntry, Verification};
use foundation::intake::Reason;
use foundation::testing::{World, fact};
use foundation::{Engine, OpContext, identity};
use futures_util::future::join_all;
use remembrancer::workers;
use serde_json::json;
use wire::{AuditFilter, AuditVisibility, EventId, TenantId};

fn entry(world: &World, ctx: &OpContext, action: &str, target: usize) -> NewEntry {
    NewEntry::new(&world.engine, ctx, action, "thing", target, "tested")
}

/// The length of the chain, which is whole.
async fn entries(world: &World) -> i64 {
    let verified = audit::verify(&world.engine, &world.vera, None).await.unwrap();
    assert_eq!((verified.fault, verified.erased), (None, 0));
    verified.head.entries
}

/// Changes the log as nobody may, with the trigger out of the way.
pub async fn tamper(engine: &Engine, tenant: TenantId, sql: &'static str) {
    let mut owner = owner(&engine.urls().internal_shared).await;
    sqlx::query("set session_replication_role = replica").execute(&mut owner).await.unwrap();
    assert_eq!(sqlx::query(sql).bind(tenant).execute(&mut owner).await.unwrap().rows_affected(), 1, "{sql}");
}

/// A tenant whose log has its creation and `count` more entries.
pub async fn with_entries(world: &World, count: usize) -> OpContext {
    let tenant = identity::create_tenant(&world.engine, &format!("t{}", world.clock.secret(16).to_lowercase()), "Audited").await.unwrap();
    let entries: Vec<NewEntry> = (0..count).map(|n| entry(world, &tenant, "test.done", n)).collect();
    audit::append_all(&world.engine, tenant.tenant_id, &entries).await.unwrap();
    tenant
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn relays_at_once_make_one_chain_and_carry_everything_once() {
    let world = alone().await;
    let before = entries(&world).await;
    for n in 0..60 {
        remember(&world, &world.atlas, fact(&format!("topic {n}"), "content")).await;
    }
    let relays: Vec<_> = (0..4)
        .map(|_| {
            let engine = world.engine.clone();
            tokio::spawn(async move { workers::drain(&engine).await.unwrap() })
        })
        .collect();
    let direct = (0..20).map(|n| audit::append(&world.engine, world.system.tenant_id, entry(&world, &world.system, "test.direct", n)));
    for appended in join_all(direct).await {
        appended.unwrap();
    }
    join_all(relays).await.into_iter().for_each(|relay| {
        relay.unwrap();
    });
    settle(&world).await;
    assert_eq!(entries(&world).await, before + 80);
    let page =
        audit::browse(&world.engine, &world.vera, &AuditFilter { action: Some("memory.".into()), ..Default::default() }).await.unwrap();
    assert_eq!(page.total, 60);
}

#[tokio::test]
async fn a_change_a_removal_and_an_insertion_are_found_where_they_are() {
    let world = World::new().await;
    for (sql, place) in [
        ("update audit_log set target_id = 'nothing' where tenant_id = $1 and seq = 7", 7),
        ("update audit_log set actor_id = 'binky' where tenant_id = $1 and seq = 9", 9),
        ("update audit_log set texts_hash = '\\x00' where tenant_id = $1 and seq = 10", 10),
        ("update audit_log set texts_hash = null where tenant_id = $1 and seq = 8", 8),
        ("update audit_log set visibility = 'organisation' where tenant_id = $1 and seq = 1", 1),
        ("update audit_log set at = at + interval '1 microsecond' where tenant_id = $1 and seq = 3", 3),
        ("update audit_log set seq = 1000 where tenant_id = $1 and seq = 4", 4),
        ("delete from audit_log where tenant_id = $1 and seq = 5", 5),
    ] {
        let tenant = with_entries(&world, 11).await;
        let verify = || audit::verify(&world.engine, &tenant, None);
        let before = verify().await.unwrap();
        assert_eq!((before.head.entries, before.fault), (12, None));
        tamper(&world.engine, tenant.tenant_id, sql).await;
        let after = verify().await.unwrap();
        assert_eq!((after.head.entries, after.fault), (place - 1, Some(Fault::Entry(place))), "{sql}");
    }
}

#[tokio::test]
async fn a_chain_longer_than_one_read_verifies_and_shows_its_break() {
    let world = World::new().await;
    let tenant = with_entries(&world, 2100).await;
    let whole = audit::verify(&world.engine, &tenant, None).await.unwrap();
    assert_eq!((whole.head.entries, &whole.fault), (2101, &None));
    // A page verifies a part before it answers, and the rest behind its answer.
    let part = audit::integrity(&world.engine, &tenant).await.unwrap();
    assert_eq!((part.verified.head.entries, part.waiting), (1000, 1101));
    world.engine.finish_deferred().await;
    let all = audit::integrity(&world.engine, &tenant).await.unwrap();
    assert_eq!((&all.verified, all.waiting), (&whole, 0));
    assert_eq!(audit::verify_end(&world.engine, &tenant, 100).await.unwrap(), whole);
    tamper(&world.engine, tenant.tenant_id, "update audit_log set action = 'x' where tenant_id = $1 and seq = 2050").await;
    assert_eq!(audit::verify(&world.engine, &tenant, None).await.unwrap().fault, Some(Fault::Entry(2050)));
    for (most, fault) in [(100, Some(Fault::Entry(2050))), (10, None)] {
        assert_eq!(audit::verify_end(&world.engine, &tenant, most).await.unwrap().fault, fault, "the last {most}");
    }
}

#[tokio::test]
async fn the_chain_is_verified_as_it_grows_and_once_an_hour_from_its_beginning() {
    let world = World::new().await;
    let state = async |tenant: &OpContext| {
        let Verification { verified, waiting, .. } = audit::integrity(&world.engine, tenant).await.unwrap();
        (verified.head.entries, waiting, verified.fault)
    };
    let tenant = with_entries(&world, 11).await;
    assert_eq!(state(&tenant).await, (12, 0, None));
    audit::append(&world.engine, tenant.tenant_id, entry(&world, &tenant, "test.done", 12)).await.unwrap();
    assert_eq!(state(&tenant).await, (13, 0, None));
    // What was verified before is verified again only after a while; the page says since when it counts.
    tamper(&world.engine, tenant.tenant_id, "update audit_log set action = 'x' where tenant_id = $1 and seq = 4").await;
    assert_eq!(state(&tenant).await, (13, 0, None));
    world.clock.advance(chrono::Duration::hours(1));
    assert_eq!(state(&tenant).await, (3, 10, Some(Fault::Entry(4))));

    // Without an anchor, nobody can see that the end of a chain was cut off or replaced.
    for (sql, fault) in [
        ("delete from audit_log where tenant_id = $1 and seq = 12", Fault::Cut),
        ("update audit_log set hash = sha256('x') where tenant_id = $1 and seq = 12", Fault::Replaced),
    ] {
        let tenant = with_entries(&world, 11).await;
        assert_eq!(state(&tenant).await, (12, 0, None));
        tamper(&world.engine, tenant.tenant_id, sql).await;
        assert_eq!(state(&tenant).await, (12, 0, Some(fault)), "{sql}");
        world.clock.advance(chrono::Duration::hours(1));
        assert!(state(&tenant).await.2.is_some(), "{sql}: the process still knows the earlier end");
    }
}

#[tokio::test]
async fn delivering_twice_appends_once() {
    let world = World::new().await;
    let three: Vec<NewEntry> = (0..3).map(|n| entry(&world, &world.system, "test.done", n)).collect();
    let before = entries(&world).await;
    for batch in [&three[..2], &three[1..], &three[..]] {
        audit::append_all(&world.engine, world.system.tenant_id, batch).await.unwrap();
    }
    assert_eq!(entries(&world).await, before + 3);
}

#[tokio::test]
async fn the_order_of_keys_does_not_matter_to_the_hash() {
    let world = World::new().await;
    for changes in [
        json!({ "zebra": [null, "1"], "a": { "y": 1.5, "x": [{ "b": 1, "a": 2 }] }, "mm": 1, "é": "ü\u{1f600}\n\"" }),
        json!({ "longer key": true, "b": -1, "aa": 1e300, "c": 0.1 }),
        // Parsed carelessly, this number becomes …556.
        json!({ "score": 0.9048373711859555_f64 }),
        json!([3, 2, 1]),
        json!("text"),
    ] {
        let entry = entry(&world, &world.vera, "test.done", 1).changes(changes).reason(Some(&Reason::new("“quoted” \\ and \u{2028} odd")));
        audit::append(&world.engine, world.system.tenant_id, entry).await.unwrap();
    }
    entries(&world).await;
}

#[tokio::test]
async fn a_row_that_nobody_can_read_is_set_aside_and_blocks_no_other() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("tea", "one")).await;
    let broken = "update outbox set payload = '{\"odd\": true}', created_at = $2 where destination = $1";
    for destination in ["audit", "proposal"] {
        let earlier = world.clock.now() - chrono::Duration::hours(1);
        assert_eq!(sqlx::query(broken).bind(destination).bind(earlier).run(&world.engine).await, 1);
    }
    // The row can be read, but no table accepts it.
    let insert =
        "insert into outbox (tenant_id, agent_id, id, destination, payload, created_at) values ($1, $2, $3, 'proposal', $4, now())";
    sqlx::query(insert)
        .bind(world.system.tenant_id)
        .bind(world.system.commons_id)
        .bind(world.clock.id())
        .bind(json!({
            "phrase": "x".repeat(300), "normal": "x", "agent_id": world.clock.id(), "memory_id": world.clock.id(), "seen_at": world.clock.now(),
        }))
        .run(&world.engine)
        .await;
    let whole = entries(&world).await;
    for n in 0..3 {
        remember(&world, &world.atlas, fact("coffee", &format!("number{n}"))).await;
    }
    workers::drain(&world.engine).await.unwrap();
    let (waiting, aside, delivered): (i64, i64, i64) = sqlx::query_as(
        r"select count(*) filter (where delivered_at is null and error is null), count(*) filter (where error is not null and attempts = 1),
                 count(*) filter (where delivered_at is not null) from outbox",
    )
    .one(&world.engine)
    .await;
    assert_eq!((waiting, aside, delivered), (0, 3, 6));
    assert_eq!(entries(&world).await, whole + 3);
    assert_eq!(audit::store::lag(world.engine.db().memory.system()).await.unwrap().0, 3, "what was set aside is seen in the metric");
    assert_eq!(workers::drain(&world.engine).await.unwrap(), 0, "it is not tried again");
}

/// Offers what both sources delivered once more; how many rows.
async fn offered_again(world: &World) -> u64 {
    let mut offered = 0;
    for database in db::backup::DATABASES {
        offered += db::backup::offer_again(world.engine.urls(), database).await.unwrap();
    }
    offered
}

#[tokio::test]
async fn what_is_not_delivered_is_delivered_later_in_order() {
    let world = alone().await;
    remember(&world, &world.atlas, fact("tea", "one")).await;
    remember(&world, &world.atlas, fact("coffee", "two")).await;
    let before = entries(&world).await;
    // The relay dies before it marks a row: the transaction that held the rows is gone.
    let mut tx = world.engine.db().memory.system().begin().await.unwrap();
    let held = match tx.is_distributed() {
        true => audit::store::take_of(&mut tx, world.system.tenant_id, 100).await,
        false => audit::store::take(&mut tx, 100).await,
    };
    assert_eq!(held.unwrap().len(), 4);
    assert_eq!(workers::drain(&world.engine).await.unwrap(), 0, "another relay leaves alone what is on its way");
    tx.rollback().await.unwrap();
    assert_eq!(workers::drain(&world.engine).await.unwrap(), 4);
    assert_eq!(entries(&world).await, before + 2);
    // As after a restore: what the log has is ignored.
    assert_eq!(offered_again(&world).await, 4);
    assert_eq!(workers::drain(&world.engine).await.unwrap(), 4);
    assert_eq!(entries(&world).await, before + 2);
    audit::empty_delivered(&world.engine, world.system.tenant_id).await.unwrap();
    assert_eq!(offered_again(&world).await, 0, "what was erased is not delivered again");
}

#[tokio::test]
async fn the_log_pages_and_filters() {
    let world = World::new().await;
    for n in 0..120 {
        world.clock.advance(chrono::Duration::milliseconds(1));
        let ctx = if n % 3 == 0 { &world.vera } else { &world.atlas };
        let action = if n % 2 == 0 { "test_done" } else { "testxdone" };
        audit::append(&world.engine, world.system.tenant_id, entry(&world, ctx, action, n)).await.unwrap();
    }
    let browse = |filter: AuditFilter| {
        let world = &world;
        async move { audit::browse(&world.engine, &world.vera, &filter).await.unwrap() }
    };
    let all = browse(AuditFilter::default()).await.total;
    let mut filter = AuditFilter { actor: Some("ATLAS".into()), ..AuditFilter::default() };
    let mut seen: Vec<EventId> = Vec::new();
    loop {
        let page = browse(filter.clone()).await;
        assert_eq!(page.total, 80);
        assert!(page.rows.iter().all(|row| row.actor_name == "atlas" && row.visibility == AuditVisibility::Organisation));
        assert!(page.rows.windows(2).all(|pair| pair[0].seq > pair[1].seq), "newest first");
        seen.extend(page.rows.iter().map(|row| row.event_id));
        let Some(next) = page.next else { break };
        filter.after = Some(next);
    }
    assert_eq!(seen.len(), 80);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 80);
    let reversed = AuditFilter { reversed: true, after: None, ..filter };
    let oldest = browse(reversed.clone()).await;
    let later = browse(AuditFilter { after: oldest.next, ..reversed }).await;
    let rows: Vec<i64> = oldest.rows.into_iter().chain(later.rows).map(|row| row.seq).collect();
    assert_eq!(rows.len(), 80);
    assert!(rows.windows(2).all(|pair| pair[0] < pair[1]), "oldest first, on both pages");
    let by = |change: fn(&mut AuditFilter)| {
        let mut filter = AuditFilter::default();
        change(&mut filter);
        browse(filter)
    };
    assert_eq!(by(|f| f.action = Some("test_".into())).await.total, 60, "an underscore is no wildcard");
    assert_eq!(by(|f| f.action = Some("test".into())).await.total, 120);
    assert_eq!(by(|f| f.target = Some("17".into())).await.total, 1);
    assert_eq!(by(|f| f.actor = Some("%".into())).await.total, 0);
    let half = browse(AuditFilter::default()).await.rows[30].at;
    let (from, until) = (AuditFilter { from: Some(half), ..Default::default() }, AuditFilter { until: Some(half), ..Default::default() });
    assert_eq!((browse(from).await.total, browse(until).await.total), (31, all - 31));
    let stranger = World::new().await;
    assert!(
        audit::browse(&stranger.engine, &stranger.vera, &AuditFilter { action: Some("test".into()), ..Default::default() })
            .await
            .unwrap()
            .rows
            .is_empty()
    );
}
