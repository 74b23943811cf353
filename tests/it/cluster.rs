//! On a cluster of Citus, which `TEST_WORKERS` names: what an agent waits for is one task on the node of its tenant, and background work goes
//! on tenant by tenant. On one Postgres these tests have nothing to look at.

use crate::support::{Fetch, Run, Told, ask, remember, work};
use db::clock::Clock;
use db::distributed::{self, Node};
use db::{DatabaseUrls, create_databases, drop_databases, migrate, migrate_to, versions};
use foundation::testing::{FakeClock, TestDatabases, World, fact, workers};
use foundation::{Engine, Settings};
use futures_util::future::join_all;
use remembrancer::{context, memories};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use wire::{ContextRequest, ForgetRequest, ListMemoriesRequest, MemoryScope, RememberRequest};

/// Databases in which a statement with tasks on several nodes, or several tasks, fails.
async fn without_fan_out() -> DatabaseUrls {
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    for url in [&urls.agent_memory, &urls.shared_kb] {
        let options = PgConnectOptions::from_str(url).unwrap();
        let name = options.get_database().unwrap().to_owned();
        let mut owner = options.connect().await.unwrap();
        let refuse = format!("alter database {name} set citus.multi_task_query_log_level = 'error'");
        sqlx::raw_sql(AssertSqlSafe(refuse)).execute(&mut owner).await.unwrap();
        owner.close().await.unwrap();
    }
    urls
}

#[tokio::test]
async fn what_an_agent_waits_for_is_one_task_on_one_node() {
    if workers().is_empty() {
        return;
    }
    let world = World::on(without_fan_out().await).await;
    let commons = RememberRequest { commons: true, scope: Some(MemoryScope::Global), ..fact("house", "Everybody takes tea at four") };
    let (engine, atlas) = (&world.engine, &world.atlas);
    let tea = remember(&world, atlas, fact("tea", "Vera likes green tea")).await.memory_id;
    let again = remember(&world, atlas, fact("tea", "Vera likes green tea")).await;
    assert!(again.unchanged);
    let changed = remember(&world, atlas, fact("tea", "Vera likes black tea now")).await.memory_id;
    remember(&world, &world.binky, commons).await;
    assert!(!ask(&world, atlas, "which tea does Vera like").await.told().is_empty());
    context::context_for(engine, atlas, ContextRequest::new("make tea for Vera")).await.unwrap();
    assert!(!memories::list(engine, atlas, ListMemoriesRequest::default()).await.unwrap().rows.is_empty());
    for id in [changed, tea] {
        memories::forget(engine, atlas, ForgetRequest { memory_id: id.into(), reason: None, user_id: None }).await.unwrap();
    }
    let left = ask(&world, atlas, "which tea does Vera like").await.told();
    assert!(left.iter().all(|hit| !hit.memory.content.contains("Vera")), "{left:?}");
}

#[tokio::test]
async fn a_statement_without_a_tenant_is_more_than_one_task() {
    if workers().is_empty() {
        return;
    }
    let urls = without_fan_out().await;
    let mut owner = PgConnectOptions::from_str(&urls.agent_memory).unwrap().connect().await.unwrap();
    let refused = sqlx::query("select 1 from agent_memories").execute(&mut owner).await.unwrap_err();
    assert!(refused.to_string().contains("multi-task"), "{refused}");
}

#[tokio::test]
async fn the_work_of_two_tenants_is_claimed_and_what_they_changed_is_delivered() {
    if workers().is_empty() {
        return;
    }
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    let worlds = [World::on(urls.clone()).await, World::on(urls).await];
    for world in &worlds {
        world.embedder.fail();
        remember(world, &world.atlas, fact("tea", "Vera likes green tea")).await;
        world.embedder.work();
    }
    let [world, _] = &worlds;
    // What is delivered makes work, and work makes what is delivered.
    work(world).await;
    work(world).await;
    for world in &worlds {
        let embedded = "select count(*) from embeddings_384 where tenant_id = $1 and live";
        let embedded: i64 = sqlx::query_scalar(embedded).bind(world.system.tenant_id).one(&world.engine).await;
        let waiting = "select count(*) from outbox where tenant_id = $1 and delivered_at is null";
        let waiting: i64 = sqlx::query_scalar(waiting).bind(world.system.tenant_id).one(&world.engine).await;
        assert_eq!((embedded, waiting), (1, 0));
    }
}

#[tokio::test]
async fn a_tenant_moves_to_another_node_with_everything() {
    let all = workers();
    let Some(last) = all.last() else { return };
    let world = World::on(TestDatabases::fresh(&FakeClock::default()).await).await;
    let id = remember(&world, &world.atlas, fact("tea", "Vera likes green tea")).await.memory_id;
    let steps = Mutex::new(Vec::new());
    for to in all.iter().chain([last]) {
        distributed::move_tenant(world.engine.urls(), world.system.tenant_id, to, &|step: &str| {
            steps.lock().unwrap().push(step.to_owned())
        })
        .await
        .unwrap();
        assert_eq!(ask(&world, &world.atlas, "tea").await.told().len(), 1, "it is read where it is: {to}");
        remember(&world, &world.atlas, fact("tea", "Vera likes green tea")).await;
    }
    let steps = steps.into_inner().unwrap();
    assert!(steps.iter().any(|step| step.contains("moving the tenant from")), "{steps:?}");
    let live: i64 = sqlx::query_scalar("select count(*) from agent_memories where id = $1 and live").bind(id).one(&world.engine).await;
    assert_eq!(live, 1);
    let nowhere = Node { host: "db-9.example.org".into(), port: 5432 };
    let refused = distributed::move_tenant(world.engine.urls(), world.system.tenant_id, &nowhere, &|_: &str| {}).await.unwrap_err();
    assert!(refused.to_string().contains("db-9.example.org:5432 is not a worker of this cluster"), "{refused}");
}

#[tokio::test]
async fn a_cluster_of_an_earlier_program_opens_in_the_newest() {
    if workers().is_empty() {
        return;
    }
    let urls = TestDatabases::urls(&format!("rmb_test_{}", FakeClock::default().secret(8).to_lowercase()));
    create_databases(&urls).await.unwrap();
    distributed::join(&urls, &workers()).await.unwrap();
    // Later ones make indexes, rename columns and drop policies, several in one text.
    let earlier = versions().into_iter().nth(1).unwrap();
    migrate_to(&urls, earlier).await.unwrap();
    distributed::distribute(&urls, 4, &|_: &str| {}).await.unwrap();
    migrate(&urls).await.unwrap();
    let world = World::on(urls.clone()).await;
    remember(&world, &world.atlas, fact("tea", "Vera likes green tea")).await;
    assert!(!ask(&world, &world.atlas, "which tea does Vera like").await.told().is_empty());
    world.engine.db().close().await;
    drop_databases(&urls).await.unwrap();
}

#[tokio::test]
async fn servers_that_upgrade_at_once_distribute_a_new_table_once() {
    if workers().is_empty() {
        return;
    }
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    let new = "create table charts (tenant_id uuid not null, id uuid not null, primary key (tenant_id, id))";
    sqlx::query(new).run(&urls.agent_memory).await;
    let migrated = join_all((0..3).map(|_| migrate(&urls))).await;
    assert!(migrated.iter().all(Result::is_ok), "{migrated:?}");
    let distributed = "select count(*) from pg_dist_partition where logicalrelid = 'charts'::regclass";
    let distributed: i64 = sqlx::query_scalar(distributed).one(&urls.agent_memory).await;
    assert_eq!(distributed, 1);
}

#[tokio::test]
async fn distributing_again_changes_nothing_and_one_that_was_interrupted_keeps_servers_out() {
    if workers().is_empty() {
        return;
    }
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    let world = World::on(urls.clone()).await;
    remember(&world, &world.atlas, fact("tea", "Vera likes green tea")).await;
    let steps = Mutex::new(Vec::new());
    let progress = |step: &str| steps.lock().unwrap().push(step.to_owned());
    distributed::distribute(&urls, 4, &progress).await.unwrap();
    let distributed_again = steps.into_inner().unwrap().into_iter().filter(|step| step.starts_with("distributing")).count();
    assert_eq!(distributed_again, 0);
    let begun = "create or replace function distribution() returns text language sql immutable as $$select 'begun'$$";
    sqlx::query(begun).run(&urls.agent_memory).await;
    let engine = Engine::open(urls, Arc::new(world.embedder.clone()), Arc::new(FakeClock::default()), Settings::default()).await.unwrap();
    let refused = engine.db().prove().await.unwrap_err();
    assert!(refused.to_string().contains("run 'remembrancer distribute'"), "{refused}");
}
