//! What the server's roles may never do, even if the code tries.

use crate::support::{Fetch, agent, memory_owner, owner, remember, settle};
use db::clock::Clock;
use db::{DatabaseUrls, Logins};
use foundation::Settings;
use foundation::testing::{Fake, TestDatabases, World, fact, workers as nodes};
use remembrancer::memories;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection};
use std::str::FromStr;
use std::sync::Arc;
use wire::MemoryFilter;

/// Runs a statement as a role, over all tenants' rows; the SQLSTATE of its refusal.
async fn refusal(owner: &mut PgConnection, role: &str, sql: &str) -> Option<String> {
    let result = sqlx::raw_sql(AssertSqlSafe(format!("begin; set local role {role}; {sql}"))).execute(&mut *owner).await;
    sqlx::raw_sql("rollback").execute(owner).await.unwrap();
    match result {
        Ok(_) => None,
        Err(sqlx::Error::Database(error)) => error.code().map(Into::into),
        Err(error) => panic!("{sql}: {error}"),
    }
}

const NOT_PERMITTED: Option<&str> = Some("42501");

#[tokio::test]
async fn memories_cannot_be_erased_nor_their_past_rewritten() {
    let world = World::new().await;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    let mut owner = memory_owner(&world.engine).await;
    let tenant = format!(
        "select set_config('rmb.tenant', '{}', true), set_config('rmb.agent', '{}', true);",
        world.system.tenant_id,
        agent(&world.atlas)
    );
    for sql in [
        "delete from agent_memories",
        "truncate agent_memories cascade",
        "update agent_memory_versions set content = 'x'",
        "delete from agent_memory_versions",
        "truncate agent_memory_versions",
        "delete from retrievals",
        "delete from events",
        "update outbox set delivered_at = now()",
        "delete from outbox",
        "update memory_terms set tf = 0",
        "update tombstones set content_hash = ''",
        "alter table agent_memories disable row level security",
        "drop policy agent_memories_app on agent_memories",
    ] {
        let refused = refusal(&mut owner, "rmb_app", &format!("{tenant} {sql}")).await;
        // A cluster finds another reason first: it looks at every table that would be emptied.
        let any_reason = sql.ends_with("cascade") && !nodes().is_empty();
        assert!(refused.as_deref() == NOT_PERMITTED || any_reason && refused.is_some(), "{sql}: {refused:?}");
        assert_eq!(refusal(&mut owner, "rmb_system", sql).await.is_some(), sql != "update outbox set delivered_at = now()", "{sql}");
    }
    for table in ["agent_memories", "agent_memory_versions", "embeddings_384", "memory_terms", "retrievals", "tombstones"] {
        let read = refusal(&mut owner, "rmb_system", &format!("select 1 from {table}")).await;
        assert_eq!(read.as_deref(), NOT_PERMITTED, "what works across tenants does not read {table}");
    }
    assert_eq!(refusal(&mut owner, "rmb_app", &format!("{tenant} update agent_memories set pinned = true")).await, None);
}

#[tokio::test]
async fn the_audit_log_only_grows() {
    let world = World::new().await;
    remember(&world, &world.atlas, fact("tea", "Vera likes tea")).await;
    settle(&world).await;
    let mut owner = owner(&world.engine.urls().internal_shared).await;
    for sql in ["update audit_log set reason = 'x'", "delete from audit_log", "truncate audit_log cascade"] {
        for role in ["rmb_app", "rmb_operator", "rmb_system"] {
            assert_eq!(refusal(&mut owner, role, sql).await.as_deref(), NOT_PERMITTED, "{role}: {sql}");
        }
        assert_eq!(refusal(&mut owner, "none", sql).await.as_deref(), Some("P0001"), "the owner meets the trigger: {sql}");
    }
    for (role, refused) in [("rmb_app", NOT_PERMITTED), ("rmb_system", NOT_PERMITTED), ("none", Some("P0001"))] {
        let change = "update audit_texts set message = 'x'";
        assert_eq!(refusal(&mut owner, role, change).await.as_deref(), refused, "{role}: texts can be erased, not changed");
    }
    assert_eq!(refusal(&mut owner, "rmb_app", "delete from audit_texts").await.as_deref(), NOT_PERMITTED);
    assert_eq!(refusal(&mut owner, "rmb_app", "insert into audit_log select * from audit_log limit 1").await.as_deref(), NOT_PERMITTED);
}

#[tokio::test]
async fn the_role_that_serves_requests_reads_no_secret_across_tenants() {
    let (world, stranger) = (World::new().await, World::new().await);
    let mut owner = owner(&world.engine.urls().internal_shared).await;
    assert_eq!(refusal(&mut owner, "rmb_app", "select 1 from oauth_clients").await.as_deref(), NOT_PERMITTED);
    for table in ["tenants", "agents", "api_keys", "operators", "audit_log"] {
        let column = if table == "tenants" { "id" } else { "tenant_id" };
        let count = format!(
            "select set_config('rmb.tenant', '{}', true); do $$ begin if exists (select from {table} where {column} = '{}') then raise exception 'seen'; end if; end $$",
            world.system.tenant_id, stranger.system.tenant_id
        );
        assert_eq!(refusal(&mut owner, "rmb_app", &count).await, None, "{table}");
        let own = count.replace(&stranger.system.tenant_id.to_string(), &world.system.tenant_id.to_string());
        assert_eq!(refusal(&mut owner, "rmb_app", &own).await.as_deref(), Some("P0001"), "{table}: its own rows are seen");
    }
    assert_eq!(refusal(&mut owner, "rmb_app", "select 1 from sessions").await.as_deref(), NOT_PERMITTED);
    let secrets = [
        "password_hash from operators",
        "secret_hash from api_keys",
        "secret_hash from bots",
        "turn_hash from oauth_grants",
        "token_hash from operator_invitations",
        "secret from webhooks",
    ];
    for secret in secrets {
        assert_eq!(refusal(&mut owner, "rmb_app", &format!("select {secret}")).await.as_deref(), NOT_PERMITTED, "{secret}");
        assert_eq!(refusal(&mut owner, "rmb_system", &format!("select {secret}")).await, None, "sign-in reads {secret}");
    }
}

/// With logins of their own, the pools cannot become the owner again.
#[tokio::test]
async fn roles_that_log_in_themselves_cannot_become_the_owner() {
    let world = World::new().await;
    let urls = world.engine.urls().clone();
    let mut owner = owner(&urls.internal_shared).await;
    let suffix = world.clock.secret(8).to_lowercase();
    let mut login = async |role: &str| {
        let name = format!("{role}_{suffix}");
        let create = format!("create role {name} login password 'secret' in role {role}");
        sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut owner).await.unwrap();
        let url = |url: &str| PgConnectOptions::from_str(url).unwrap().username(&name).password("secret").to_url_lossy().to_string();
        let (agent_memory, shared_kb, internal_shared) = (url(&urls.agent_memory), url(&urls.shared_kb), url(&urls.internal_shared));
        Some(DatabaseUrls { agent_memory, shared_kb, internal_shared })
    };
    let settings = Settings {
        logins: Logins { app: login("rmb_app").await, system: login("rmb_system").await, ..Logins::default() },
        ..Settings::default()
    };
    let fake = Fake::new();
    let own = World::with(urls, Arc::new(fake.clone()), fake, settings).await;
    remember(&own, &own.atlas, fact("tea", "Vera likes tea")).await;
    settle(&own).await;
    assert_eq!(memories::browse(&own.engine, &own.vera, &MemoryFilter::default()).await.unwrap().total, 1, "operators see every agent's");
    for (engine, becomes) in [(&own.engine, false), (&world.engine, true)] {
        let mut tx = engine.db().memory.begin(own.atlas.tenancy()).await.unwrap();
        sqlx::query("set local role none").execute(&mut *tx).await.unwrap();
        let deleted = sqlx::query("delete from agent_memory_versions where false").execute(&mut *tx).await;
        assert_eq!(deleted.is_ok(), becomes, "{deleted:?}");
    }
}

/// Fails for a new table without protection.
#[tokio::test]
async fn every_table_of_tenants_has_policies_and_belongs_to_no_role_of_the_server() {
    let world = World::new().await;
    let urls = world.engine.urls();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let open: Vec<String> = sqlx::query_scalar(
            r"select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
               where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname not in ('_sqlx_migrations', 'models', 'model_prices')
                 and (not c.relrowsecurity or pg_get_userbyid(c.relowner) in ('rmb_app', 'rmb_operator', 'rmb_system')
                      or not exists (select from pg_policy p where p.polrelid = c.oid))",
        )
        .all(url)
        .await;
        assert!(open.is_empty(), "{open:?}");
    }
    let strong: i64 = sqlx::query_scalar("select count(*) from pg_roles where rolname like 'rmb\\_%' and (rolsuper or rolbypassrls)")
        .one(&urls.agent_memory)
        .await;
    assert_eq!(strong, 0);
}

/// What looks beyond the rows of its caller has a role of its own, so that the rights of a function end at its columns.
#[tokio::test]
async fn functions_that_look_further_belong_to_a_role_that_owns_nothing_else_and_has_rights_by_column() {
    let urls = TestDatabases::shared().await;
    let mut seen = 0;
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let mut owner = owner(url).await;
        let functions: Vec<(String, String)> = sqlx::query_as(
            "select proname::text, pg_get_userbyid(proowner)::text from pg_proc where prosecdef and pronamespace = 'public'::regnamespace",
        )
        .fetch_all(&mut owner)
        .await
        .unwrap();
        let others: Vec<_> = functions.iter().filter(|(_, owner)| owner != "rmb_definer").collect();
        assert!(others.is_empty(), "{others:?}");
        seen += functions.len();
        let owned: Vec<String> = sqlx::query_scalar(
            r"select pg_describe_object(classid, objid, objsubid) from pg_shdepend
               where refobjid = 'rmb_definer'::regrole and deptype = 'o'
                 and dbid = (select oid from pg_database where datname = current_database())
                 and not (classid = 'pg_proc'::regclass and objid in (select oid from pg_proc where prosecdef))",
        )
        .fetch_all(&mut owner)
        .await
        .unwrap();
        assert!(owned.is_empty(), "{owned:?}");
        let whole: Vec<String> = sqlx::query_scalar(
            r"select c.relname || ' ' || p from pg_class c, unnest(array['select', 'insert', 'update', 'truncate']) p
               where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege('rmb_definer', c.oid, p)",
        )
        .fetch_all(&mut owner)
        .await
        .unwrap();
        // On a cluster, rights to a system column do not reach the nodes, and sweeping moments takes `ctid`.
        let known = if nodes().is_empty() { "" } else { "memory_moments select" };
        assert!(whole.iter().all(|right| right == known), "{whole:?}");
        let creates: bool =
            sqlx::query_scalar("select has_schema_privilege('rmb_definer', 'public', 'create')").fetch_one(&mut owner).await.unwrap();
        assert!(!creates);
    }
    assert!(seen >= 19, "only {seen} functions were looked at");
}
