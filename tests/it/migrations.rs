//! Databases, roles and tables: made once, by the first process, and compared with the model.

use crate::support::{Fetch, Run, row_counts};
use db::clock::Clock;
use db::{DatabaseUrls, Databases, Logins, Patience, create_databases, drop_databases, migrate};
use foundation::testing::{Fake, FakeClock, TestDatabases, World, fact};
use foundation::{Engine, Error, Settings, registry};
use futures_util::future::BoxFuture;
use models::{EmbedError, Embedder, Role};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

fn names() -> DatabaseUrls {
    TestDatabases::urls(&format!("rmb_test_{}", FakeClock::default().secret(8).to_lowercase()))
}

/// How many migrations the databases lack, as the server asks.
async fn pending_migrations(urls: &DatabaseUrls) -> usize {
    let second = Duration::from_secs(1);
    let databases = Databases::connect(
        urls,
        &Logins::default(),
        Patience { connection: second, lookup: second, statement: 15 * second, replica: second },
    )
    .unwrap();
    let pending = databases.ping().await.into_iter().map(|(_, pending)| pending.unwrap()).sum();
    databases.close().await;
    pending
}

async fn schema(urls: &DatabaseUrls) -> Vec<(String, String, String)> {
    let mut columns = Vec::new();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let found: Vec<(String, String, String)> = sqlx::query_as(
            r"select table_name::text, column_name::text, data_type::text from information_schema.columns
               where table_schema = 'public' and table_name not in ('citus_tables', 'citus_schemas') order by 1, 2",
        )
        .all(url)
        .await;
        columns.extend(found);
    }
    columns
}

/// Which transaction wrote each table's row in the catalogue. Every grant writes it again.
async fn catalogue(urls: &DatabaseUrls) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let found: Vec<(String, String)> = sqlx::query_as(
            "select relname::text, xmin::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1",
        )
        .all(url)
        .await;
        rows.extend(found);
    }
    rows
}

#[tokio::test]
async fn applying_twice_changes_nothing() {
    let world = crate::support::alone().await;
    crate::support::remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let urls = world.engine.urls();
    let (columns, rows, tables) = (schema(urls).await, row_counts(&urls.agent_memory).await, catalogue(urls).await);
    create_databases(urls).await.unwrap();
    migrate(urls).await.unwrap();
    // Commands migrate at every start. Two at once would collide in what they write.
    assert_eq!(catalogue(urls).await, tables);
    assert_eq!(pending_migrations(urls).await, 0);
    assert_eq!((schema(urls).await, row_counts(&urls.agent_memory).await), (columns, rows));
}

#[tokio::test]
async fn servers_that_start_at_once_make_one_set_of_databases() {
    let urls = names();
    let start = || async {
        create_databases(&urls).await.unwrap();
        migrate(&urls).await.unwrap();
    };
    tokio::join!(start(), start(), start(), start());
    assert_eq!(pending_migrations(&urls).await, 0);
    assert_eq!(schema(&urls).await, schema(&TestDatabases::shared().await).await);
}

#[tokio::test]
async fn what_is_not_applied_is_counted() {
    let urls = names();
    create_databases(&urls).await.unwrap();
    assert!(pending_migrations(&urls).await >= 3, "an empty database lacks them all");
    migrate(&urls).await.unwrap();
    sqlx::query("delete from _sqlx_migrations").run(&urls.shared_kb).await;
    assert!(pending_migrations(&urls).await >= 1);
}

#[tokio::test]
async fn a_migration_that_was_changed_since_stops_the_start() {
    let urls = names();
    create_databases(&urls).await.unwrap();
    migrate(&urls).await.unwrap();
    sqlx::query("update _sqlx_migrations set checksum = '\\x00'").run(&urls.shared_kb).await;
    let error = migrate(&urls).await.unwrap_err().to_string();
    for words in ["shared_kb", "another build", "`remembrancer export`"] {
        assert!(error.contains(words), "{error}");
    }
}

/// A migration of another version of the program.
async fn apply_unknown(urls: &DatabaseUrls, version: i64) -> String {
    let row = "insert into _sqlx_migrations (version, description, success, checksum, execution_time) values ($1, 'x', true, '\\x00', 0)";
    sqlx::query(row).bind(version).run(&urls.agent_memory).await;
    migrate(urls).await.unwrap_err().to_string()
}

#[tokio::test]
async fn an_older_or_a_newer_installation_is_refused_with_a_sentence() {
    let urls = names();
    create_databases(&urls).await.unwrap();
    migrate(&urls).await.unwrap();
    let newer = apply_unknown(&urls, 99_991_231_000_000).await;
    for words in ["agent_memory", "newer version", "99991231000000", "Start the newer program"] {
        assert!(newer.contains(words), "{newer}");
    }
    // An installation from before the baseline has migrations with numbers below and above its own.
    let older = apply_unknown(&urls, 20_260_506_000_000).await;
    for words in ["agent_memory", "older version", "`remembrancer export`", "`remembrancer import`"] {
        assert!(older.contains(words), "{older}");
    }
}

/// So that a tenant's rows lie together, and tables can be distributed by tenant.
#[tokio::test]
async fn every_key_starts_with_the_tenant() {
    let urls = TestDatabases::shared().await;
    for url in [&urls.agent_memory, &urls.shared_kb] {
        let keys: Vec<(String, String)> = sqlx::query_as(
            r"with first as (
                  select c.conrelid as relation, c.conname::text as name, c.conkey[1] as number
                    from pg_constraint c where c.connamespace = 'public'::regnamespace and c.contype in ('p', 'u', 'f')
                  union all
                  select c.confrelid, c.conname || ' (referenced)', c.confkey[1]
                    from pg_constraint c where c.connamespace = 'public'::regnamespace and c.contype = 'f'
                  union all
                  select i.indrelid, i.indexrelid::regclass::text, i.indkey[0]
                    from pg_index i join pg_class t on t.oid = i.indrelid
                   where t.relnamespace = 'public'::regnamespace and i.indisunique)
              select f.name, coalesce(a.attname::text, 'an expression')
                from first f left join pg_attribute a on a.attrelid = f.relation and a.attnum = f.number
               where f.relation <> '_sqlx_migrations'::regclass order by 1",
        )
        .all(url)
        .await;
        let wrong: Vec<_> = keys.iter().filter(|(_, first)| first != "tenant_id").collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert!(keys.len() > 40, "only {} keys were looked at", keys.len());
    }
}

#[tokio::test]
async fn no_policy_holds_a_subquery_and_no_table_has_a_trigger() {
    let urls = TestDatabases::shared().await;
    for url in [&urls.agent_memory, &urls.shared_kb] {
        let policies: i64 = sqlx::query_scalar("select count(*) from pg_policies where schemaname = 'public'").one(url).await;
        assert!(policies > 20, "only {policies} policies were looked at");
        let found: Vec<String> = sqlx::query_scalar(
            r"select 'a sub-query in ' || policyname from pg_policies
               where schemaname = 'public' and concat_ws(' ', qual, with_check) ~* '\mselect\M'
              union all
              select 'the trigger ' || tgname from pg_trigger join pg_class c on c.oid = tgrelid
               where not tgisinternal and c.relnamespace = 'public'::regnamespace",
        )
        .all(url)
        .await;
        assert!(found.is_empty(), "{found:?}");
    }
}

struct Odd(&'static str, usize);

impl Embedder for Odd {
    fn model(&self) -> &str {
        self.0
    }
    fn dimension(&self) -> usize {
        self.1
    }
    fn embed(&self, _: Vec<String>, _: Role) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async { Err(EmbedError::Unavailable("never asked".into())) })
    }
}

#[tokio::test]
async fn a_model_that_is_not_the_registered_one_stops_the_start_with_advice() {
    let open = |embedder: Arc<dyn Embedder>| async move {
        let urls = TestDatabases::shared().await;
        Engine::open(urls, embedder, Arc::new(FakeClock::default()), Settings::default()).await.map(|engine| engine.model().clone())
    };
    let Err(Error::Misconfigured(unknown)) = open(Arc::new(Odd("all-maxilm", 384))).await else { panic!("an unknown model was taken") };
    for word in ["all-maxilm", "EMBEDDING_MODEL", "models"] {
        assert!(unknown.contains(word), "{unknown}");
    }
    let Err(Error::Misconfigured(other)) = open(Arc::new(Odd("all-MiniLM-L6-v2", 768))).await else { panic!("768 is not 384") };
    for word in ["all-MiniLM-L6-v2", "768", "384", "EMBEDDING_MODEL"] {
        assert!(other.contains(word), "{other}");
    }
    assert_eq!(open(Arc::new(Fake::new())).await.unwrap().dimension, 384);
    assert_eq!(open(Arc::new(Fake::with_dimension(1536))).await.unwrap().name, "text-embedding-3-small");
}

#[tokio::test]
async fn an_owner_who_may_do_too_little_is_told_so_before_anything_changes() {
    // The shared set makes the roles of the server.
    let urls = TestDatabases::shared().await;
    let mut superuser = PgConnectOptions::from_str(&urls.agent_memory).unwrap().database("postgres").connect().await.unwrap();
    let mut run = async |sql: String| sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut superuser).await.unwrap();
    let name = format!("rmb_owner_{}", FakeClock::default().secret(8).to_lowercase());
    run(format!("create role {name} login createrole password 'p/w'")).await;
    let own = names();
    let of_owner = |url: &str| PgConnectOptions::from_str(url).unwrap().username(&name).password("p/w").to_url_lossy().to_string();
    let as_owner = DatabaseUrls {
        agent_memory: of_owner(&own.agent_memory),
        shared_kb: of_owner(&own.shared_kb),
        internal_shared: of_owner(&own.internal_shared),
    };
    let refused = create_databases(&as_owner).await.unwrap_err().to_string();
    assert!(refused.contains(&format!("owner {name}' as a superuser")) && refused.contains("nothing was changed"), "{refused}");
    run(format!("alter role {name} createdb")).await;
    create_databases(&as_owner).await.unwrap();
    let refused = migrate(&as_owner).await.unwrap_err().to_string();
    assert!(refused.contains(&format!("rmb_system to {name} with admin option'")), "{refused}");
    run(format!("grant rmb_app, rmb_operator, rmb_system, rmb_eraser, rmb_definer to {name} with admin option")).await;
    let refused = migrate(&as_owner).await.unwrap_err().to_string();
    assert!(refused.contains("run 'create extension vector' in the database"), "{refused}");
    assert!(schema(&own).await.is_empty(), "nothing was changed");
    drop_databases(&own).await.unwrap();
    run(format!("drop role {name}")).await;
}

#[tokio::test]
async fn three_names_for_fewer_databases_are_refused() {
    let urls = World::new().await.engine.urls().clone();
    assert!(urls.clone().check().is_ok());
    let sentence = DatabaseUrls { shared_kb: urls.agent_memory.clone(), ..urls }.check().unwrap_err();
    assert!(sentence.contains("three"), "{sentence}");
}

#[tokio::test]
async fn databases_keep_the_model_that_they_began_with() {
    let urls = TestDatabases::fresh(&FakeClock::default()).await;
    let first = async |wanted| registry::current(&urls, wanted).await.unwrap().unwrap();
    assert_eq!(first(None).await, "multilingual-e5-small");
    assert_eq!(first(Some("all-MiniLM-L6-v2")).await, "all-MiniLM-L6-v2");
    assert_eq!(first(None).await, "all-MiniLM-L6-v2", "it is remembered");
    assert_eq!(first(Some("multilingual-e5-small")).await, "multilingual-e5-small");
    let world = World::on(urls.clone()).await;
    assert_eq!(first(Some("all-MiniLM-L6-v2")).await, "multilingual-e5-small", "there is an organisation now");

    // As if the databases were from before this model.
    let before = "alter table models drop column is_current, drop column is_kept, drop column current_since, drop column current_until, \
                  drop column fault, drop column filler, drop column filler_until; \
                  delete from models where name = 'multilingual-e5-small'";
    let migration = include_str!("../../migrations/internal_shared/20261128000000_multilingual.sql");
    let kept = include_str!("../../migrations/internal_shared/20261128000030_kept_models.sql");
    let mut connection = PgConnection::connect(&world.engine.urls().internal_shared).await.unwrap();
    for statements in [before, migration, kept] {
        sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
    }
    assert_eq!(first(None).await, "all-MiniLM-L6-v2");

    // As if the configuration had named another model than the databases began with.
    let used = "insert into usage_ledger (tenant_id, hour, agent_id, user_id, model, purpose, calls, tokens_in, tokens_out, cost_microusd) \
                select id, now(), '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', \
                       'text-embedding-3-small', 'embedding', 1, 1, 0, 0 from tenants";
    for statements in [before, used, migration, kept] {
        sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
    }
    assert_eq!(first(None).await, "text-embedding-3-small", "the model that made the vectors stays");
}
