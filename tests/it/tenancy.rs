//! Runs every query of a store as the wrong tenant, agent or user: it sees nothing and changes nothing. Policies and predicates are two
//! walls, and each must hold alone.

mod activity;
mod audit;
mod capture;
mod chat;
mod context;
mod expectations;
mod fixture;
mod idempotency;
mod identity;
mod jobs;
mod knowledge;
mod lifecycle;
mod memories;
mod memory_block;
mod model_change;
mod notices;
mod portability;
mod profile;
mod projects;
mod queries;
mod recall;
mod reindex;
mod usage;
mod vocabulary;
mod webhooks;

use self::expectations::EXPECTATIONS;
use self::portability::{PORTABILITY, PORTABILITY_INBOX, PORTABILITY_KB};
use ::portability::lines::Section;
use activity::ACTIVITY;
use audit::{AUDIT, OUTBOX, OUTBOX_KB};
use capture::{CAPTURE, CAPTURE_KB, INBOX};
use context::{CONTEXT, QUALITY, QUALITY_COUNTS};
use db::{Database, SystemPool, Tx, Users};
use fixture::Two;
use foundation::OpContext;
use foundation::testing::key;
use idempotency::{IDEMPOTENCY, IDEMPOTENCY_MEMORY};
use identity::IDENTITY;
use jobs::{JOBS, JOBS_KB};
use knowledge::{CITATIONS, KNOWLEDGE};
use lifecycle::{LIFECYCLE, SWEEPS};
use memories::MEMORIES;
use memory_block::MEMORY_BLOCK;
use model_change::{MODEL_CHANGE, MODEL_CHANGE_KB};
use notices::{NOTICES, READABLE};
use profile::{PEOPLE, PROFILE};
use projects::PROJECTS;
use queries::{BY_SETTINGS, Case, EXEMPT, OF_EVERY_USER, Pooled, Query, WITHOUT_USERS};
use recall::RECALL;
use reindex::{REINDEX, REINDEX_CONTROL, REINDEX_KB};
use sqlx::AssertSqlSafe;
use usage::{USAGE, USAGE_OF_USERS};
use vocabulary::VOCABULARY;
use webhooks::WEBHOOKS;
use wire::{Area, KeyScope, UserId};

/// In the database of memories: rows that belong to agents.
const OF_AGENTS: &[&[Query]] = &[
    MEMORIES,
    MEMORY_BLOCK,
    RECALL,
    CITATIONS,
    JOBS,
    OUTBOX,
    IDEMPOTENCY_MEMORY,
    PORTABILITY,
    IDEMPOTENCY,
    CAPTURE,
    LIFECYCLE,
    PROFILE,
    CONTEXT,
    QUALITY,
    READABLE,
];

/// In the database of memories: all other rows.
const OF_MEMORY: &[&[Query]] = &[PROJECTS, INBOX, QUALITY_COUNTS, SWEEPS, PEOPLE, PORTABILITY_INBOX, MODEL_CHANGE, REINDEX, EXPECTATIONS];

/// In the database of knowledge.
const OF_KB: &[&[Query]] =
    &[IDEMPOTENCY, VOCABULARY, KNOWLEDGE, JOBS_KB, CAPTURE_KB, OUTBOX_KB, PORTABILITY_KB, MODEL_CHANGE_KB, REINDEX_KB];

/// In the control database: rows that belong to users.
const OF_USERS: &[&[Query]] = &[ACTIVITY, USAGE_OF_USERS, IDEMPOTENCY];

/// In the control database: all other rows.
const OF_CONTROL: &[&[Query]] = &[IDENTITY, AUDIT, USAGE, REINDEX_CONTROL, NOTICES, WEBHOOKS];

fn listed(tables: &'static [&'static [Query]]) -> impl Iterator<Item = &'static Query> {
    tables.iter().copied().flatten()
}

/// Every query of the database of memories whose rows belong to agents.
fn of_agents() -> impl Iterator<Item = &'static Query> {
    listed(OF_AGENTS)
}

/// Every query of the role that sees all tenants. What they write is kept, so their order matters within a room.
fn pooled() -> impl Iterator<Item = Pooled> {
    let rooms = [audit::pooled(), identity::pooled(), usage::pooled(), chat::pooled(), jobs::pooled(), vocabulary::pooled()];
    rooms.into_iter().chain([notices::pooled(), webhooks::pooled()]).flatten()
}

/// A hash over every row of a tenant, per table. On a cluster, a function of the owner sees the rows: a transaction that wrote on a node in
/// one role reads there in no other one.
async fn fingerprint(tx: &mut Tx, tenant: wire::TenantId) -> Vec<(String, Option<String>)> {
    let tables: Vec<String> = sqlx::query_scalar(
        r"select c.relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
           where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not a.attisdropped order by 1",
    )
    .fetch_all(&mut **tx)
    .await
    .unwrap();
    assert!(!tables.is_empty());
    if tx.is_distributed() {
        let hashes: Vec<Option<String>> =
            sqlx::query_scalar("select witness.fingerprint($1, $2)").bind(tenant).bind(&tables).fetch_one(&mut **tx).await.unwrap();
        return tables.into_iter().zip(hashes).collect();
    }
    let mut hashes = Vec::new();
    for table in tables {
        let sql = format!("select md5(string_agg(t::text, '|' order by t::text)) from {table} t where tenant_id = $1");
        hashes.push((table, sqlx::query_scalar(AssertSqlSafe(sql)).bind(tenant).fetch_one(&mut **tx).await.unwrap()));
    }
    hashes
}

/// Runs a query in a transaction that is rolled back; how many rows it saw, and whether rows of `victim` changed. An error is a refusal.
async fn outcome(mut tx: Tx, query: &Query, case: &Case, victim: wire::TenantId) -> (usize, bool) {
    let role: String = sqlx::query_scalar("select current_setting('role')").fetch_one(&mut *tx).await.unwrap();
    take_role(&mut tx, "none").await;
    let before = fingerprint(&mut tx, victim).await;
    take_role(&mut tx, &role).await;
    let Ok(seen) = (query.run)(&mut tx, case).await else { return (0, false) };
    take_role(&mut tx, "none").await;
    (seen, fingerprint(&mut tx, victim).await != before)
}

/// Goes on in another role, unless tables are distributed: see [`fingerprint`].
async fn take_role(tx: &mut Tx, role: &str) {
    if !tx.is_distributed() {
        sqlx::query("select set_config('role', $1, true)").bind(role).execute(&mut **tx).await.unwrap();
    }
}

fn pool(url: &str, role: &'static str) -> SystemPool {
    SystemPool::in_role(url, role).unwrap()
}

impl Two {
    /// The databases and all their queries.
    fn databases(&self) -> [(&Database, &String, Vec<&'static Query>); 3] {
        let (db, urls) = (self.a.engine.db(), self.a.engine.urls());
        [
            (&db.memory, &urls.agent_memory, listed(OF_AGENTS).chain(listed(OF_MEMORY)).collect()),
            (&db.kb, &urls.shared_kb, listed(OF_KB).collect()),
            (&db.control, &urls.internal_shared, listed(OF_USERS).chain(listed(OF_CONTROL)).collect()),
        ]
    }

    /// Whether a query saw or changed anything of the first tenant when it ran for `ctx` with the arguments of the first.
    async fn as_seen_by(&self, database: &Database, query: &Query, ctx: &OpContext) -> (usize, bool) {
        outcome(database.begin(ctx.tenancy()).await.unwrap(), query, &self.case, self.a.system.tenant_id).await
    }
}

#[tokio::test]
async fn policies_alone_keep_tenants_apart() {
    let two = Two::new().await;
    for (database, _, queries) in two.databases() {
        for query in queries {
            let (seen, changed) = two.as_seen_by(database, query, &two.a.system).await;
            assert!(seen > 0 || changed, "{} does nothing even where it may: the test would prove nothing", query.name);
            for ctx in [&two.b.system, &two.b.atlas] {
                assert_eq!(two.as_seen_by(database, query, ctx).await, (0, false), "{}", query.name);
            }
        }
    }
}

#[tokio::test]
async fn predicates_alone_keep_tenants_apart() {
    let two = Two::new().await;
    let right = two.case.clone();
    let wrong = right.clone().of(&two.b.system);
    for (_, url, queries) in two.databases() {
        let owner = pool(url, "none");
        for query in queries.into_iter().filter(|query| !BY_SETTINGS.contains(&query.name)) {
            let (seen, changed) = outcome(owner.begin().await.unwrap(), query, &right, two.a.system.tenant_id).await;
            assert!(seen > 0 || changed, "{} does nothing even where it may", query.name);
            assert_eq!(outcome(owner.begin().await.unwrap(), query, &wrong, two.a.system.tenant_id).await, (0, false), "{}", query.name);
        }
    }
}

#[tokio::test]
async fn policies_alone_keep_agents_apart() {
    let two = Two::new().await;
    for query in of_agents() {
        let (seen, changed) = two.as_seen_by(&two.a.engine.db().memory, query, &two.a.atlas).await;
        assert!(seen > 0 || changed, "{} does nothing even for the agent itself", query.name);
        assert_eq!(two.as_seen_by(&two.a.engine.db().memory, query, &two.a.binky).await, (0, false), "{}", query.name);
    }
}

/// Another user, and none.
fn wrong_users() -> [Users; 2] {
    [Users::One(UserId(uuid::Uuid::from_u128(7))), Users::Nobody]
}

const IDRIS: UserId = UserId(uuid::Uuid::from_u128(1));

#[tokio::test]
async fn policies_alone_keep_users_apart() {
    let two = Two::of(Users::One(IDRIS)).await;
    let (db, mut failed) = (two.a.engine.db(), Vec::new());
    let all = of_agents().map(|query| (&db.memory, query)).chain(listed(OF_USERS).map(|query| (&db.control, query)));
    for (database, query) in all.filter(|(_, query)| !WITHOUT_USERS.iter().any(|(name, _)| *name == query.name)) {
        for users in [Users::One(IDRIS), Users::Every] {
            let (seen, changed) = two.as_seen_by(database, query, &OpContext { users, ..two.atlas.clone() }).await;
            failed.extend((seen == 0 && !changed).then_some((query.name, users, (seen, changed))));
        }
        for users in wrong_users() {
            let outcome = two.as_seen_by(database, query, &OpContext { users, ..two.atlas.clone() }).await;
            failed.extend((outcome != (0, false)).then_some((query.name, users, outcome)));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[tokio::test]
async fn predicates_alone_keep_users_apart() {
    let two = Two::of(Users::One(IDRIS)).await;
    let urls = two.a.engine.urls();
    let (memory, control) = (pool(&urls.agent_memory, "none"), pool(&urls.internal_shared, "none"));
    let mut failed = Vec::new();
    let exempt = |name: &str| BY_SETTINGS.contains(&name) || WITHOUT_USERS.iter().chain(OF_EVERY_USER).any(|(exempt, _)| *exempt == name);
    let all = of_agents().chain(PORTABILITY_INBOX).map(|query| (&memory, query)).chain(listed(OF_USERS).map(|query| (&control, query)));
    for (owner, query) in all.filter(|(_, query)| !exempt(query.name)) {
        let case = |users| two.case.clone().of(&OpContext { users, ..two.a.system.clone() });
        let (seen, changed) = outcome(owner.begin().await.unwrap(), query, &case(Users::One(IDRIS)), two.a.system.tenant_id).await;
        failed.extend((seen == 0 && !changed).then_some((query.name, Users::One(IDRIS), (seen, changed))));
        for users in wrong_users() {
            let outcome = outcome(owner.begin().await.unwrap(), query, &case(users), two.a.system.tenant_id).await;
            failed.extend((outcome != (0, false)).then_some((query.name, users, outcome)));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[tokio::test]
async fn whoever_does_not_say_who_asks_sees_nothing() {
    let two = Two::new().await;
    for (_, url, queries) in two.databases() {
        let app = pool(url, "rmb_app");
        for query in queries {
            assert_eq!(outcome(app.begin().await.unwrap(), query, &two.case, two.a.system.tenant_id).await, (0, false), "{}", query.name);
        }
    }
    let app = pool(&two.a.engine.urls().agent_memory, "rmb_app");
    for query in of_agents() {
        let mut tx = app.begin().await.unwrap();
        for setting in [format!("set local rmb.tenant = '{}'", two.a.system.tenant_id), "set local rmb.agent = ''".to_owned()] {
            sqlx::raw_sql(AssertSqlSafe(setting)).execute(&mut *tx).await.unwrap();
        }
        assert_eq!(outcome(tx, query, &two.case, two.a.system.tenant_id).await, (0, false), "{} with a tenant and no agent", query.name);
    }
}

#[tokio::test]
async fn queries_of_the_system_take_the_tenants_word_for_nothing() {
    let two = Two::new().await;
    let (control, kb) = (pool(&two.a.engine.urls().internal_shared, "none"), pool(&two.a.engine.urls().shared_kb, "none"));
    let (_, text) = key(&two.a.engine, &two.a.system, two.case.agent, &[KeyScope::MemoryRead]).await;
    let key_id: uuid::Uuid = sqlx::query_scalar("select id from api_keys where prefix = $1")
        .bind(text.split('_').nth(1).unwrap())
        .fetch_one(&control)
        .await
        .unwrap();
    let case = Case { key: wire::KeyId(key_id), ..two.case.clone() };
    for query in pooled() {
        let pool = if query.kb { &kb } else { &control };
        let before = fingerprint(&mut pool.begin().await.unwrap(), two.a.system.tenant_id).await;
        assert_eq!((query.run)(pool, &case.clone().of(&two.b.system)).await.unwrap_or(0), 0, "{}", query.name);
        assert_eq!(fingerprint(&mut pool.begin().await.unwrap(), two.a.system.tenant_id).await, before, "{}", query.name);
        let seen = (query.run)(pool, &case).await.unwrap();
        let changed = fingerprint(&mut pool.begin().await.unwrap(), two.a.system.tenant_id).await != before;
        assert!(seen > 0 || changed, "{} does nothing even where it may", query.name);
    }
}

/// Types of memory whose records are stored by statements of their own.
const OWN_WRITES: [Section; 4] = [Section::Memory, Section::Version, Section::Link, Section::Tombstone];

/// Fails for a new query of a store that is not in a table and not exempt with a reason.
#[test]
fn every_query_of_every_store_is_in_a_table() {
    let sources = [
        ("activity", include_str!("../../src/activity/store.rs")),
        ("memories", include_str!("../../src/memories/store/mod.rs")),
        ("memories", include_str!("../../src/memories/store/archive.rs")),
        ("memories", include_str!("../../src/memories/store/evidence.rs")),
        ("memories", include_str!("../../src/memories/store/links.rs")),
        ("memories", include_str!("../../src/memories/store/listing.rs")),
        ("memories", include_str!("../../src/memories/store/recalls.rs")),
        ("memories", include_str!("../../src/memories/store/status.rs")),
        ("memories", include_str!("../../src/memories/store/suggestions.rs")),
        ("memories", include_str!("../../src/memories/store/versions.rs")),
        ("chat", include_str!("../../src/chat/store.rs")),
        ("projects", include_str!("../../crates/foundation/src/projects/store.rs")),
        ("context", include_str!("../../src/context/store/mod.rs")),
        ("context", include_str!("../../src/context/store/log.rs")),
        ("memory_block", include_str!("../../src/memory_block/store.rs")),
        ("quality", include_str!("../../src/quality/store.rs")),
        ("memories", include_str!("../../src/memories/store/topics.rs")),
        ("memories", include_str!("../../src/memories/store/vectors.rs")),
        ("memories", include_str!("../../src/memories/store/index.rs")),
        ("recall", include_str!("../../src/recall/store/mod.rs")),
        ("recall", include_str!("../../src/recall/store/health.rs")),
        ("recall", include_str!("../../src/recall/store/candidates.rs")),
        ("recall_cache", include_str!("../../crates/foundation/src/recall_cache/chunks.rs")),
        ("recall_cache", include_str!("../../crates/foundation/src/recall_cache/store.rs")),
        ("recall", include_str!("../../src/recall/store/gates.rs")),
        ("recall", include_str!("../../src/recall/store/past.rs")),
        ("recall", include_str!("../../src/recall/store/proposed.rs")),
        ("recall", include_str!("../../src/recall/store/retrievals.rs")),
        ("knowledge", include_str!("../../src/knowledge/store/mod.rs")),
        ("knowledge", include_str!("../../src/knowledge/store/citations.rs")),
        ("knowledge", include_str!("../../src/knowledge/store/lists.rs")),
        ("knowledge", include_str!("../../src/knowledge/store/search.rs")),
        ("idempotency", include_str!("../../crates/foundation/src/idempotency/store.rs")),
        ("capture", include_str!("../../src/capture/store/mod.rs")),
        ("capture", include_str!("../../src/capture/store/events.rs")),
        ("capture", include_str!("../../src/capture/store/lists.rs")),
        ("capture", include_str!("../../src/capture/store/speakers.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/mod.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/evidence.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/inbox.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/suggestions.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/survey.rs")),
        ("erasure", include_str!("../../src/erasure/store/erased.rs")),
        ("jobs", include_str!("../../crates/foundation/src/jobs/store/mod.rs")),
        ("balances", include_str!("../../crates/foundation/src/balances/store.rs")),
        ("usage", include_str!("../../crates/foundation/src/usage/store/mod.rs")),
        ("usage", include_str!("../../crates/foundation/src/usage/store/accounts.rs")),
        ("models", include_str!("../../crates/foundation/src/registry/store.rs")),
        ("model_change", include_str!("../../src/model_change/store.rs")),
        ("expectations", include_str!("../../server/expectations/src/store.rs")),
        ("portability", include_str!("../../server/portability/src/store/mod.rs")),
        ("portability", include_str!("../../server/portability/src/store/capture.rs")),
        ("portability", include_str!("../../server/portability/src/store/check.rs")),
        ("portability", include_str!("../../server/portability/src/store/knowledge.rs")),
        ("portability", include_str!("../../server/portability/src/store/vocabulary.rs")),
        ("portability", include_str!("../../server/portability/src/store/write.rs")),
        ("terms", include_str!("../../crates/foundation/src/terms/store.rs")),
        ("vocabulary", include_str!("../../src/vocabulary/store/mod.rs")),
        ("vocabulary", include_str!("../../src/vocabulary/store/decisions.rs")),
        ("vocabulary", include_str!("../../src/vocabulary/store/terms.rs")),
        ("audit", include_str!("../../crates/foundation/src/audit/store.rs")),
        ("identity", include_str!("../../crates/foundation/src/identity/store/mod.rs")),
        ("identity", include_str!("../../crates/foundation/src/identity/store/invitations.rs")),
        ("identity", include_str!("../../crates/foundation/src/identity/store/keys.rs")),
        ("identity", include_str!("../../crates/foundation/src/identity/store/oauth.rs")),
        ("identity", include_str!("../../crates/foundation/src/identity/store/operators.rs")),
        ("identity", include_str!("../../crates/foundation/src/identity/store/policies.rs")),
        ("identity", include_str!("../../crates/foundation/src/identity/store/users.rs")),
        ("identity", include_str!("../../crates/foundation/src/identity/store/views.rs")),
        ("lifecycle", include_str!("../../src/lifecycle/store.rs")),
        ("notices", include_str!("../../crates/foundation/src/notices/store.rs")),
        ("webhooks", include_str!("../../crates/foundation/src/webhooks/store.rs")),
        ("sessions", include_str!("../../crates/foundation/src/sessions/store.rs")),
        ("reindex", include_str!("../../src/reindex/store.rs")),
        ("profile", include_str!("../../src/profile/store/mod.rs")),
        ("profile", include_str!("../../src/profile/store/people.rs")),
        ("documents", include_str!("../../src/profile/documents/store/mod.rs")),
        ("documents", include_str!("../../src/profile/documents/store/search.rs")),
    ];
    let tables = [OF_AGENTS, OF_MEMORY, OF_KB, OF_USERS, OF_CONTROL];
    let mut known: Vec<&str> = tables.into_iter().flat_map(listed).map(|query| query.name).collect();
    known.extend(pooled().map(|query| query.name));
    known.extend(EXEMPT.iter().map(|(name, _)| *name));
    for section in Section::ALL.into_iter().filter(|section| ![Section::Agent, Section::User].contains(section)) {
        let is_put = section.area() == Area::Memory && !OWN_WRITES.contains(&section);
        for name in ["page"].into_iter().chain(is_put.then_some("put")) {
            let query = format!("portability::{name}/{}", section.as_str());
            assert!(known.contains(&query.as_str()), "nobody proved {query}");
        }
    }
    let known: Vec<&str> = known.into_iter().map(|name| name.split('/').next().unwrap()).collect();
    let mut written = Vec::new();
    for (module, source) in sources {
        for rest in source.split("\npub async fn ").skip(1) {
            written.push(format!("{module}::{}", rest.split(['(', '<']).next().unwrap()));
        }
    }
    assert!(written.len() > 50);
    let missing: Vec<_> = written.iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "nobody proved these: {missing:?}");
    let gone: Vec<_> = known.iter().filter(|name| !written.iter().any(|there| there == *name)).collect();
    assert!(gone.is_empty(), "these are no more: {gone:?}");
}
