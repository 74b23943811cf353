//! What the server's roles may not do at all, whatever the code asks.

use crate::support::{agent, memory_owner, owner, remember, settle};
use remembrancer::testing::{World, fact};
use sqlx::{AssertSqlSafe, PgConnection};

/// Runs a statement as a role, over all tenants' rows; the SQLSTATE of its refusal.
async fn refusal(owner: &mut PgConnection, role: &str, sql: &str) -> Option<String> {
    let statement = format!("begin; set local role {role}; {sql}");
    let result = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *owner).await;
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
        assert_eq!(refusal(&mut owner, "rmb_app", &format!("{tenant} {sql}")).await.as_deref(), NOT_PERMITTED, "{sql}");
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
    for sql in ["update audit_log set reason = 'x'", "delete from audit_log", "truncate audit_log"] {
        for role in ["rmb_app", "rmb_system"] {
            assert_eq!(refusal(&mut owner, role, sql).await.as_deref(), NOT_PERMITTED, "{role}: {sql}");
        }
        assert_eq!(refusal(&mut owner, "none", sql).await.as_deref(), Some("P0001"), "the owner meets the trigger: {sql}");
    }
    let insert = "insert into audit_log select * from audit_log limit 1";
    assert_eq!(refusal(&mut owner, "rmb_app", insert).await.as_deref(), NOT_PERMITTED);
}

#[tokio::test]
async fn the_role_that_serves_requests_reads_no_secret_across_tenants() {
    let (world, stranger) = (World::new().await, World::new().await);
    let mut owner = owner(&world.engine.urls().internal_shared).await;
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
}

/// A table that somebody adds and forgets to protect fails here.
#[tokio::test]
async fn every_table_of_tenants_has_policies_and_belongs_to_no_role_of_the_server() {
    let world = World::new().await;
    let urls = world.engine.urls();
    for url in [&urls.agent_memory, &urls.shared_kb, &urls.internal_shared] {
        let open: Vec<String> = sqlx::query_scalar(
            r"select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
               where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname not in ('_sqlx_migrations', 'models')
                 and (not c.relrowsecurity or pg_get_userbyid(c.relowner) in ('rmb_app', 'rmb_system')
                      or not exists (select from pg_policy p where p.polrelid = c.oid))",
        )
        .fetch_all(&mut owner(url).await)
        .await
        .unwrap();
        assert!(open.is_empty(), "{open:?}");
    }
    let strong: i64 = sqlx::query_scalar("select count(*) from pg_roles where rolname like 'rmb\\_%' and (rolsuper or rolbypassrls)")
        .fetch_one(&mut owner(&urls.agent_memory).await)
        .await
        .unwrap();
    assert_eq!(strong, 0);
}
