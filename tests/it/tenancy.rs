//! Runs every query of a store as the wrong tenant, agent or user: it sees nothing and changes nothing. Policies and predicates are two
//! walls, and each must hold alone.

mod capture;
mod context;
mod lifecycle;
mod portability;
mod profile;
mod queries;

use crate::support::{agent, ask, memory_owner, owner, remember, settle};
use capture::{CAPTURE, INBOX};
use context::{CONTEXT, QUALITY, QUALITY_COUNTS};
use lifecycle::{LIFECYCLE, SWEEPS};
use portability::{PORTABILITY, PORTABILITY_INBOX, PORTABILITY_KB};
use profile::{PEOPLE, PROFILE};
use queries::{
    ACTIVITY, BY_SETTINGS, CONTROL, Case, EXEMPT, IDEMPOTENCY, KB, MEMORY, OF_EVERY_USER, PROJECTS, Query, WITHOUT_USERS, pooled,
};
use remembrancer::api::{NewProject, Scope, UserId};
use remembrancer::db::cursor::Seek;
use remembrancer::db::{Database, Tx, Users};
use remembrancer::knowledge::{self, Extent, Ingestion};
use remembrancer::testing::{World, fact, key};
use remembrancer::{OpContext, activity, idempotency, identity, memories, projects, tools, usage, vocabulary, workers};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use std::str::FromStr;
use tokio_util::sync::CancellationToken;

/// Every query of the database of memories whose rows belong to agents.
fn of_agents() -> impl Iterator<Item = &'static Query> {
    MEMORY.iter().chain(PORTABILITY).chain(IDEMPOTENCY).chain(CAPTURE).chain(LIFECYCLE).chain(PROFILE).chain(CONTEXT).chain(QUALITY)
}

/// A hash over every row of a tenant, per table.
async fn fingerprint(connection: &mut PgConnection, tenant: remembrancer::api::TenantId) -> Vec<(String, Option<String>)> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select table_name::text from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id' order by 1",
    )
    .fetch_all(&mut *connection)
    .await
    .unwrap();
    assert!(!tables.is_empty());
    let mut hashes = Vec::new();
    for table in tables {
        let sql = format!("select md5(string_agg(t::text, '|' order by t::text)) from {table} t where tenant_id = $1");
        hashes.push((table, sqlx::query_scalar(AssertSqlSafe(sql)).bind(tenant).fetch_one(&mut *connection).await.unwrap()));
    }
    hashes
}

/// Runs a query in a transaction that is rolled back; how many rows it saw, and whether rows of `victim` changed. An error is a refusal.
async fn outcome(mut tx: Tx, query: &Query, case: &Case, victim: remembrancer::api::TenantId) -> (usize, bool) {
    let role: String = sqlx::query_scalar("select current_setting('role')").fetch_one(&mut *tx).await.unwrap();
    sqlx::query("set local role none").execute(&mut *tx).await.unwrap();
    let before = fingerprint(&mut tx, victim).await;
    sqlx::query("select set_config('role', $1, true)").bind(role).execute(&mut *tx).await.unwrap();
    let Ok(seen) = (query.run)(&mut tx, case).await else { return (0, false) };
    sqlx::query("set local role none").execute(&mut *tx).await.unwrap();
    (seen, fingerprint(&mut tx, victim).await != before)
}

async fn pool(url: &str, role: &str) -> PgPool {
    let options = PgConnectOptions::from_str(url).unwrap().options([("role", role)]);
    PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap()
}

/// Something in every table of knowledge, an unknown phrase, and a recall that found nothing but a document.
async fn know(world: &World, atlas: &OpContext) {
    remember(world, atlas, fact("kettle lore", "Tea water is never boiled twice")).await;
    workers::drain(&world.engine).await.unwrap();
    let text = "# Architecture\n\nThe kettle is the heart.\n\n## Components\n\n| Component | Depends on |\n|---|---|\n| kettle | mains |\n";
    let files = vec![("ARCHITECTURE.md".to_owned(), text.as_bytes().to_vec()), ("broken.md".to_owned(), vec![0])];
    let ingestion = Ingestion { collection: "acme".into(), files, extent: Extent::Whole, revision: None, dry_run: false, failures: vec![] };
    assert_eq!(knowledge::ingest(&world.engine, &world.system, ingestion, &|_, _| {}).await.unwrap().added, 1);
    let mut tx = world.engine.db().kb.begin(world.system.tenancy()).await.unwrap();
    let ids = knowledge::store::list_documents(&mut tx, world.system.tenant_id, &Default::default(), &Seek::First, 9).await.unwrap();
    tx.commit().await.unwrap();
    knowledge::embed_document(&world.engine, &world.system, ids[0].id).await.unwrap();
    vocabulary::embed_terms(&world.engine, &world.system).await.unwrap();
    let stop = CancellationToken::new();
    let log = tokio::spawn(workers::write_log(world.engine.clone(), stop.clone()));
    assert!(!ask(world, atlas, "The kettle is the heart").await.knowledge().is_empty());
    assert!(ask(world, atlas, "quarterly budget").await.zero_hit);
    assert!(!ask(world, atlas, "Vera likes black tea").await.zero_hit);
    world.engine.log().flush().await;
    stop.cancel();
    log.await.unwrap();
    // Otherwise a relay of another test would deliver our rows in the middle of the test.
    settle(world).await;
    let (tenant, commons) = (world.system.tenant_id, world.system.commons_id);
    let aside = "insert into outbox (tenant_id, agent_id, id, destination, payload, created_at, error) \
                 values ($1, $2, gen_random_uuid(), 'audit', '{}', now(), 'set aside')";
    sqlx::query(aside).bind(tenant).bind(commons).execute(&mut owner(&world.engine.urls().shared_kb).await).await.unwrap();
    let unfiled = "update agent_memories set vocabulary_version = 0 where tenant_id = $1 and topic_normal = 'tea'";
    sqlx::query(unfiled).bind(tenant).execute(&mut memory_owner(&world.engine).await).await.unwrap();
}

struct Two {
    a: World,
    b: World,
    /// The first tenant's agent, as the fixture was written.
    atlas: OpContext,
    case: Case,
}

impl Two {
    /// Two tenants, of which the first has something in every table that a query reads.
    async fn new() -> Self {
        Self::of(Users::Nobody).await
    }

    /// The same, where everything that the agent has belongs to one user.
    async fn of(users: Users) -> Self {
        let (a, b) = (World::new().await, World::new().await);
        let atlas = OpContext { users, ..a.atlas.clone() };
        identity::user(&a.engine, &a.system, &"crm-1".parse().unwrap()).await.unwrap();
        vocabulary::add(&a.engine, &a.system, vocabulary::NewTerm { term: "tea", aliases: &["infusion"], ..Default::default() })
            .await
            .unwrap();
        let kept = remember(&a, &atlas, fact("tea", "Vera likes black tea")).await.memory_id;
        let other = remember(&a, &atlas, fact("tea", "The kettle is broken")).await.memory_id;
        know(&a, &atlas).await;
        for slug in ["zephyr", "mistral"] {
            projects::create(&a.engine, &a.system, NewProject { slug: slug.into(), name: slug.into() }).await.unwrap();
        }
        projects::create_repo(&a.engine, &a.system, "zephyr", NewProject { slug: "core".into(), name: "Core".into() }).await.unwrap();
        projects::link(&a.engine, &a.system, "zephyr", "mistral").await.unwrap();
        settle(&a).await;
        usage::flush(&a.engine).await.unwrap();
        usage::grant_credit(&a.engine, &a.system, None, 5.0, "the first grant").await.unwrap();
        let report = serde_json::json!({ "action": "tea.brew", "message": "Brewed black tea for Vera." });
        let report = activity::record_action(&a.engine, &atlas, tools::read(report).unwrap()).await.unwrap();
        let steps = serde_json::json!({ "steps": [{ "step_name": "pour", "output": "The tea is poured." }] });
        let steps = activity::record_steps(&a.engine, &atlas, "tea".into(), tools::read(steps).unwrap()).await.unwrap();
        let case = Case { reports: (report.action_id, steps.step_ids[0]), ..Case::new(&a, agent(&a.atlas), kept, other).await };
        let mut tx = a.engine.db().memory.begin(atlas.tenancy()).await.unwrap();
        for relation in [remembrancer::api::Relation::Supports, remembrancer::api::Relation::Contradicts] {
            memories::store::link(&mut tx, &atlas, (case.agent, users.id()), kept, other, relation, case.now).await.unwrap();
        }
        let entry = context::entry(&case, context::logged(&case));
        remembrancer::context::store::insert_context(&mut tx, atlas.tenancy(), &entry).await.unwrap();
        remembrancer::context::store::insert_text(&mut tx, atlas.tenancy(), &entry, &context::kept_text()).await.unwrap();
        remembrancer::quality::store::put_answer(&mut tx, atlas.tenancy(), &context::answer(&case)).await.unwrap();
        tx.commit().await.unwrap();
        for database in [&a.engine.db().memory, &a.engine.db().kb, &a.engine.db().control] {
            let mut tx = database.begin(atlas.tenancy()).await.unwrap();
            idempotency::store::insert(&mut tx, atlas.tenancy(), case.request("tea-1"), case.now).await.unwrap();
            let (answer, of) = (serde_json::json!("tea"), [kept]);
            idempotency::store::put_answer(&mut tx, atlas.tenancy(), case.request("tea-1"), &answer, &of).await.unwrap();
            tx.commit().await.unwrap();
        }
        // So that moving vectors into the live set changes something.
        let later = "update embeddings_384 set expires_at = now() + interval '1 year' where memory_id = $1";
        sqlx::query(later).bind(kept).execute(&mut memory_owner(&a.engine).await).await.unwrap();
        let restored = "update agent_memory_versions v set change = 'forgotten', deleted = true, valid_from = $2 where v.memory_id = $1";
        sqlx::query(restored).bind(other).bind(case.now).execute(&mut memory_owner(&a.engine).await).await.unwrap();
        // Workers of other tests serve every tenant: rows that wait here must not change in the middle of the test.
        for url in [&a.engine.urls().agent_memory, &a.engine.urls().shared_kb] {
            let hold = "update events set state = 'pending', attempt = attempt + 1, leased_until = null, run_after = now() + interval '1 year' \
                        where tenant_id = $1 and state in ('pending', 'running', 'failed')";
            sqlx::query(hold).bind(a.system.tenant_id).execute(&mut owner(url).await).await.unwrap();
        }
        let done = "insert into events (tenant_id, agent_id, id, kind, task, state, run_after, created_at, finished_at)
                    values ($1, $2, gen_random_uuid(), 'maintenance', 'embed_terms', 'done', now(), now(), now())";
        sqlx::query(done).bind(case.tenant).bind(case.commons).execute(&mut owner(&a.engine.urls().shared_kb).await).await.unwrap();
        capture::fill(&a, &mut memory_owner(&a.engine).await, &case).await;
        lifecycle::fill(&mut memory_owner(&a.engine).await, &case).await;
        profile::fill(&mut memory_owner(&a.engine).await, &case).await;
        identity::set_policy(&a.engine, &a.system, Default::default()).await.unwrap();
        identity::set_lifecycle(&a.engine, &a.system, None, Default::default()).await.unwrap();
        identity::set_search_policy(&a.engine, &a.system, Default::default()).await.unwrap();
        identity::set_knowledge_categories(&a.engine, &a.system, case.agent, &["adr".into()]).await.unwrap();
        Self { a, b, atlas, case }
    }

    fn databases(&self) -> [(&Database, &String, &'static [Query]); 20] {
        let (db, urls) = (self.a.engine.db(), self.a.engine.urls());
        [
            (&db.memory, &urls.agent_memory, MEMORY),
            (&db.memory, &urls.agent_memory, PROJECTS),
            (&db.memory, &urls.agent_memory, CAPTURE),
            (&db.memory, &urls.agent_memory, INBOX),
            (&db.memory, &urls.agent_memory, LIFECYCLE),
            (&db.memory, &urls.agent_memory, CONTEXT),
            (&db.memory, &urls.agent_memory, QUALITY),
            (&db.memory, &urls.agent_memory, QUALITY_COUNTS),
            (&db.memory, &urls.agent_memory, SWEEPS),
            (&db.memory, &urls.agent_memory, PROFILE),
            (&db.memory, &urls.agent_memory, PEOPLE),
            (&db.memory, &urls.agent_memory, PORTABILITY),
            (&db.memory, &urls.agent_memory, PORTABILITY_INBOX),
            (&db.memory, &urls.agent_memory, IDEMPOTENCY),
            (&db.kb, &urls.shared_kb, IDEMPOTENCY),
            (&db.kb, &urls.shared_kb, KB),
            (&db.kb, &urls.shared_kb, PORTABILITY_KB),
            (&db.control, &urls.internal_shared, CONTROL),
            (&db.control, &urls.internal_shared, ACTIVITY),
            (&db.control, &urls.internal_shared, IDEMPOTENCY),
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
        let owner = pool(url, "none").await;
        for query in queries.iter().filter(|query| !BY_SETTINGS.contains(&query.name)) {
            let (seen, changed) = outcome(owner.begin().await.unwrap(), query, &right, two.a.system.tenant_id).await;
            assert!(seen > 0 || changed, "{} does nothing even where it may", query.name);
            let result = outcome(owner.begin().await.unwrap(), query, &wrong, two.a.system.tenant_id).await;
            assert_eq!(result, (0, false), "{}", query.name);
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
    let of_control = ACTIVITY.iter().chain(IDEMPOTENCY).map(|query| (&db.control, query));
    let all = of_agents().map(|query| (&db.memory, query)).chain(of_control);
    for (database, query) in all.filter(|(_, query)| !WITHOUT_USERS.iter().any(|(name, _)| *name == query.name)) {
        for users in [Users::One(IDRIS), Users::Every] {
            let (seen, changed) = two.as_seen_by(database, query, &OpContext { users, ..two.atlas.clone() }).await;
            failed.extend((seen == 0 && !changed).then_some((query.name, users, (seen, changed))));
        }
        for users in wrong_users() {
            let ctx = OpContext { users, ..two.atlas.clone() };
            let outcome = two.as_seen_by(database, query, &ctx).await;
            failed.extend((outcome != (0, false)).then_some((query.name, users, outcome)));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[tokio::test]
async fn predicates_alone_keep_users_apart() {
    let two = Two::of(Users::One(IDRIS)).await;
    let urls = two.a.engine.urls();
    let (memory, control) = (pool(&urls.agent_memory, "none").await, pool(&urls.internal_shared, "none").await);
    let mut failed = Vec::new();
    let exempt = |name: &str| BY_SETTINGS.contains(&name) || WITHOUT_USERS.iter().chain(OF_EVERY_USER).any(|(exempt, _)| *exempt == name);
    let of_control = ACTIVITY.iter().chain(IDEMPOTENCY).map(|query| (&control, query));
    let all = of_agents().chain(PORTABILITY_INBOX).map(|query| (&memory, query)).chain(of_control);
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
        let app = pool(url, "rmb_app").await;
        for query in queries {
            let result = outcome(app.begin().await.unwrap(), query, &two.case, two.a.system.tenant_id).await;
            assert_eq!(result, (0, false), "{}", query.name);
        }
    }
    let app = pool(&two.a.engine.urls().agent_memory, "rmb_app").await;
    for query in of_agents() {
        let mut tx = app.begin().await.unwrap();
        let tenant_only = "select set_config('rmb.tenant', $1::text, true), set_config('rmb.agent', '', true)";
        sqlx::query(tenant_only).bind(two.a.system.tenant_id.0).execute(&mut *tx).await.unwrap();
        assert_eq!(outcome(tx, query, &two.case, two.a.system.tenant_id).await, (0, false), "{} with a tenant and no agent", query.name);
    }
}

#[tokio::test]
async fn queries_of_the_system_take_the_tenants_word_for_nothing() {
    let two = Two::new().await;
    let (control, kb) = (pool(&two.a.engine.urls().internal_shared, "none").await, pool(&two.a.engine.urls().shared_kb, "none").await);
    let (_, text) = key(&two.a.engine, &two.a.system, two.case.agent, &[Scope::MemoryRead]).await;
    let key_id: uuid::Uuid = sqlx::query_scalar("select id from api_keys where prefix = $1")
        .bind(text.split('_').nth(1).unwrap())
        .fetch_one(&control)
        .await
        .unwrap();
    let case = Case { key: remembrancer::api::KeyId(key_id), ..two.case.clone() };
    let urls = two.a.engine.urls();
    for query in pooled() {
        let url = if query.kb { &urls.shared_kb } else { &urls.internal_shared };
        let pool = if query.kb { &kb } else { &control };
        let before = fingerprint(&mut owner(url).await, two.a.system.tenant_id).await;
        let wrong = case.clone().of(&two.b.system);
        assert_eq!((query.run)(pool, &wrong).await.unwrap_or(0), 0, "{}", query.name);
        assert_eq!(fingerprint(&mut owner(url).await, two.a.system.tenant_id).await, before, "{}", query.name);
        let seen = (query.run)(pool, &case).await.unwrap();
        let changed = fingerprint(&mut owner(url).await, two.a.system.tenant_id).await != before;
        assert!(seen > 0 || changed, "{} does nothing even where it may", query.name);
    }
}

/// Fails for a new query of a store that is not in a table of `queries.rs` and not exempt with a reason.
#[test]
fn every_query_of_every_store_is_in_a_table() {
    let sources = [
        ("activity", include_str!("../../src/activity/store.rs")),
        ("portability", include_str!("../../src/portability/store/activity.rs")),
        ("memories", include_str!("../../src/memories/store/mod.rs")),
        ("memories", include_str!("../../src/memories/store/archive.rs")),
        ("memories", include_str!("../../src/memories/store/evidence.rs")),
        ("memories", include_str!("../../src/memories/store/links.rs")),
        ("memories", include_str!("../../src/memories/store/listing.rs")),
        ("memories", include_str!("../../src/memories/store/recalls.rs")),
        ("memories", include_str!("../../src/memories/store/status.rs")),
        ("memories", include_str!("../../src/memories/store/versions.rs")),
        ("chat", include_str!("../../src/chat/store.rs")),
        ("projects", include_str!("../../src/projects/store.rs")),
        ("context", include_str!("../../src/context/store/mod.rs")),
        ("context", include_str!("../../src/context/store/log.rs")),
        ("contract", include_str!("../../src/contract/store.rs")),
        ("quality", include_str!("../../src/quality/store.rs")),
        ("memories", include_str!("../../src/memories/store/topics.rs")),
        ("memories", include_str!("../../src/memories/store/vectors.rs")),
        ("memories", include_str!("../../src/memories/store/words.rs")),
        ("recall", include_str!("../../src/recall/store/mod.rs")),
        ("recall", include_str!("../../src/recall/store/health.rs")),
        ("recall", include_str!("../../src/recall/store/candidates.rs")),
        ("recall", include_str!("../../src/recall/store/gates.rs")),
        ("recall", include_str!("../../src/recall/store/past.rs")),
        ("recall", include_str!("../../src/recall/store/retrievals.rs")),
        ("knowledge", include_str!("../../src/knowledge/store/mod.rs")),
        ("knowledge", include_str!("../../src/knowledge/store/citations.rs")),
        ("knowledge", include_str!("../../src/knowledge/store/lists.rs")),
        ("knowledge", include_str!("../../src/knowledge/store/search.rs")),
        ("idempotency", include_str!("../../src/idempotency/store.rs")),
        ("capture", include_str!("../../src/capture/store/mod.rs")),
        ("capture", include_str!("../../src/capture/store/events.rs")),
        ("capture", include_str!("../../src/capture/store/lists.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/mod.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/evidence.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/inbox.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/pairs.rs")),
        ("consolidation", include_str!("../../src/consolidation/store/survey.rs")),
        ("jobs", include_str!("../../src/jobs/store.rs")),
        ("usage", include_str!("../../src/usage/store/mod.rs")),
        ("usage", include_str!("../../src/usage/store/accounts.rs")),
        ("models", include_str!("../../src/models/store.rs")),
        ("portability", include_str!("../../src/portability/store/mod.rs")),
        ("portability", include_str!("../../src/portability/store/capture.rs")),
        ("portability", include_str!("../../src/portability/store/check.rs")),
        ("portability", include_str!("../../src/portability/store/knowledge.rs")),
        ("portability", include_str!("../../src/portability/store/profile.rs")),
        ("portability", include_str!("../../src/portability/store/vocabulary.rs")),
        ("portability", include_str!("../../src/portability/store/write.rs")),
        ("vocabulary", include_str!("../../src/vocabulary/store/mod.rs")),
        ("vocabulary", include_str!("../../src/vocabulary/store/decisions.rs")),
        ("vocabulary", include_str!("../../src/vocabulary/store/terms.rs")),
        ("audit", include_str!("../../src/audit/store.rs")),
        ("identity", include_str!("../../src/identity/store/mod.rs")),
        ("identity", include_str!("../../src/identity/store/keys.rs")),
        ("identity", include_str!("../../src/identity/store/operators.rs")),
        ("identity", include_str!("../../src/identity/store/policies.rs")),
        ("identity", include_str!("../../src/identity/store/users.rs")),
        ("identity", include_str!("../../src/identity/store/views.rs")),
        ("lifecycle", include_str!("../../src/lifecycle/store.rs")),
        ("profile", include_str!("../../src/profile/store/mod.rs")),
        ("profile", include_str!("../../src/profile/store/people.rs")),
        ("documents", include_str!("../../src/profile/documents/store/mod.rs")),
        ("documents", include_str!("../../src/profile/documents/store/search.rs")),
    ];
    let tables = [
        MEMORY,
        CAPTURE,
        INBOX,
        LIFECYCLE,
        CONTEXT,
        QUALITY,
        QUALITY_COUNTS,
        SWEEPS,
        PROFILE,
        PEOPLE,
        IDEMPOTENCY,
        PROJECTS,
        PORTABILITY,
        PORTABILITY_INBOX,
        KB,
        PORTABILITY_KB,
        CONTROL,
        ACTIVITY,
    ];
    let mut known: Vec<&str> = tables.into_iter().flatten().map(|query| query.name).collect();
    known.extend(pooled().iter().map(|query| query.name));
    known.extend(EXEMPT.iter().map(|(name, _)| *name));
    let mut written = Vec::new();
    for (module, source) in sources {
        for rest in source.split("\npub async fn ").skip(1) {
            written.push(format!("{module}::{}", rest.split('(').next().unwrap()));
        }
    }
    assert!(written.len() > 50);
    let missing: Vec<_> = written.iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "nobody proved these: {missing:?}");
    let gone: Vec<_> = known.iter().filter(|name| !written.iter().any(|there| there == *name)).collect();
    assert!(gone.is_empty(), "these are no more: {gone:?}");
}
