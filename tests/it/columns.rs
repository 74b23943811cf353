//! The list of columns, compared with the databases.

use crate::support::Fetch;
use db::columns::{Erasure, Holds, TABLES};
use foundation::testing::World;
use portability::lines::Section;
use portability::store;
use std::collections::BTreeSet;

/// Fails for a new column that is not classified.
#[tokio::test]
async fn every_column_that_can_hold_words_is_classified() {
    let world = World::new().await;
    let urls = world.engine.urls();
    for (database, url) in
        [("agent_memory", &urls.agent_memory), ("shared_kb", &urls.shared_kb), ("internal_shared", &urls.internal_shared)]
    {
        let there: Vec<String> = sqlx::query_scalar(
            r"select table_name || '.' || column_name from information_schema.columns
               where table_schema = 'public' and table_name not in ('_sqlx_migrations', 'citus_tables', 'citus_schemas')
                 and data_type in ('text', 'character varying', 'character', 'json', 'jsonb', 'bytea', 'ARRAY', 'USER-DEFINED', 'bit')",
        )
        .all(url)
        .await;
        let there: BTreeSet<String> = there.into_iter().collect();
        let tables = TABLES.iter().filter(|table| table.database == database);
        let listed: BTreeSet<String> =
            tables.flat_map(|table| table.columns.iter().map(move |(column, ..)| format!("{}.{column}", table.name))).collect();
        assert_eq!(
            there.difference(&listed).collect::<Vec<_>>(),
            [] as [&String; 0],
            "{database}: not classified in crates/db/src/columns.rs"
        );
        assert_eq!(listed.difference(&there).collect::<Vec<_>>(), [] as [&String; 0], "{database}: no such column");
    }
}

/// Rows of users are found by a column of their own, which the policies compare.
#[tokio::test]
async fn every_table_with_users_words_knows_its_user() {
    let world = World::new().await;
    for table in TABLES.iter().filter(|table| table.database == "agent_memory") {
        let has_words = table.columns.iter().any(|(_, holds, _)| *holds == Holds::Words);
        assert!(!has_words || table.erasure == Erasure::Row, "{} holds words that erasure leaves", table.name);
        let compares: bool = sqlx::query_scalar(
            "select exists (select from pg_policies where tablename = $1 and policyname = $1 || '_app' and qual like '%rmb.user%')",
        )
        .bind(table.name)
        .one(&world.engine.urls().agent_memory)
        .await;
        assert_eq!(compares, table.erasure == Erasure::Row, "{}", table.name);
    }
}

#[test]
fn what_is_exported_is_what_the_format_has() {
    let files = Section::ALL.into_iter().map(|section| (section.table(), section.columns()));
    let files: Vec<(&str, Vec<&str>)> = files.chain([("memory_topics", store::TOPIC.to_vec())]).collect();
    // Sources and events of knowledge have the names of those of memory.
    let shared = ["sources", "events", "idempotent_requests"];
    for table in TABLES.iter().filter(|table| table.database != "internal_shared") {
        let named = |name: &str| name == table.name && (table.database == "agent_memory" || !shared.contains(&name));
        let columns = files.iter().find(|(name, _)| named(name)).map_or(&[][..], |(_, columns)| columns);
        for (column, _, exported) in table.columns {
            assert_eq!(columns.contains(column), *exported, "{}.{column}", table.name);
        }
    }
}
