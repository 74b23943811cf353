//! The data that the queries run on.

use super::queries::Case;
use super::{capture, context, expectations, lifecycle, profile};
use crate::support::{Run, agent, ask, ingest, memory_owner, owner, remember, settle};
use db::Users;
use db::cursor::Seek;
use foundation::testing::{World, fact, workers as nodes};
use foundation::{OpContext, idempotency, identity, projects, usage, webhooks};
use remembrancer::memories::model::Owner;
use remembrancer::{activity, knowledge, memories, tools, vocabulary, workers};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use wire::{LinkRequest, NewInvitation, NewProject, NewWebhook, NoticeKind, OperatorRole, Relation, Usd};

/// Something in every table of knowledge, an unknown phrase, and a recall that found nothing but a document.
async fn know(world: &World, atlas: &OpContext) {
    remember(world, atlas, fact("kettle lore", "Tea water is never boiled twice")).await;
    workers::drain(&world.engine).await.unwrap();
    let text = "# Architecture\n\nThe kettle is the heart.\n\n## Components\n\n| Component | Depends on |\n|---|---|\n| kettle | mains |\n";
    let files = vec![("ARCHITECTURE.md".to_owned(), text.as_bytes().to_vec()), ("broken.md".to_owned(), vec![0])];
    assert_eq!(ingest(world, "acme", files).await.added, 1);
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
    let aside = "insert into outbox (tenant_id, agent_id, id, destination, payload, created_at, delivered_at, error) \
                 values ($1, $2, gen_random_uuid(), 'audit', '{}', now(), null, 'set aside'), \
                        ($1, $2, gen_random_uuid(), 'audit', '{\"message\": \"delivered\"}', now(), now(), null)";
    sqlx::query(aside).bind(tenant).bind(commons).run(&world.engine.urls().shared_kb).await;
    let unfiled = "update agent_memories set vocabulary_version = 0 where tenant_id = $1 and topic_normal = 'tea'";
    sqlx::query(unfiled).bind(tenant).run(&world.engine).await;
}

/// What the kept memory supersedes.
pub const EARLIER: &str = "The ferry leaves at nine.";

/// On a cluster, lets every role see the hashes of a tenant's rows in some tables.
async fn show_fingerprints(world: &World) {
    static SHOWN: OnceCell<()> = OnceCell::const_new();
    let show = || async {
        for (url, anchor) in [(&world.engine.urls().agent_memory, "agent_memories"), (&world.engine.urls().shared_kb, "vocabularies")] {
            let mut owner = owner(url).await;
            let function = r"
                create or replace function witness.fingerprint(tenant uuid, tables text[]) returns text[]
                    language plpgsql security definer set search_path = public, pg_temp as $$
                declare
                    place text;
                    hash text;
                    hashes text[] := '{}';
                begin
                    foreach place in array tables loop
                        execute format('select md5(string_agg(t::text, ''|'' order by t::text)) from %I t where tenant_id = $1', place)
                           into hash using tenant;
                        hashes := hashes || hash;
                    end loop;
                    return hashes;
                end
                $$";
            for sql in ["create schema if not exists witness", "grant usage on schema witness to public", function] {
                sqlx::raw_sql(sql).execute(&mut owner).await.unwrap();
            }
            let distribute = "select create_distributed_function('witness.fingerprint(uuid, text[])', 'tenant', colocate_with => $1, force_delegation => true)";
            sqlx::query(distribute).bind(anchor).execute(&mut owner).await.unwrap();
        }
    };
    if !nodes().is_empty() {
        SHOWN.get_or_init(show).await;
    }
}

pub struct Two {
    pub a: World,
    pub b: World,
    /// The first tenant's agent, as the fixture was written.
    pub atlas: OpContext,
    pub case: Case,
}

impl Two {
    /// Two tenants, of which the first has something in every table that a query reads.
    pub async fn new() -> Self {
        Self::of(Users::Nobody).await
    }

    /// The same, where everything that the agent has belongs to one user.
    pub async fn of(users: Users) -> Self {
        let (a, b) = (World::new().await, World::new().await);
        show_fingerprints(&a).await;
        let atlas = OpContext { users, ..a.atlas.clone() };
        identity::user(&a.engine, &a.system, &"crm-1".parse().unwrap()).await.unwrap();
        identity::add_user(&a.engine, &a.system, "crm-2", Some("Idris"), None).await.unwrap();
        vocabulary::add(&a.engine, &a.system, vocabulary::NewTerm { term: "tea", aliases: &["infusion"], ..Default::default() })
            .await
            .unwrap();
        let kept = remember(&a, &atlas, fact("tea", "Vera likes black tea")).await.memory_id;
        let other = remember(&a, &atlas, fact("tea", "The kettle is broken")).await.memory_id;
        let earlier = remember(&a, &atlas, fact("ferry", EARLIER)).await.memory_id;
        let request = LinkRequest { from: kept.into(), to: earlier.into(), relation: Relation::Supersedes, remove: false, user_id: None };
        memories::link(&a.engine, &atlas, request).await.unwrap();
        know(&a, &atlas).await;
        for slug in ["zephyr", "mistral"] {
            projects::create(&a.engine, &a.system, NewProject { slug: slug.into(), name: slug.into() }).await.unwrap();
        }
        projects::create_repo(&a.engine, &a.system, "zephyr", NewProject { slug: "core".into(), name: "Core".into() }).await.unwrap();
        projects::link(&a.engine, &a.system, "zephyr", "mistral").await.unwrap();
        settle(&a).await;
        usage::flush(&a.engine).await.unwrap();
        usage::grant_credit(&a.engine, &a.system, None, Usd::from_dollars(5), "the first grant").await.unwrap();
        let report = serde_json::json!({ "action": "tea.brew", "message": "Brewed black tea for Vera." });
        let report = activity::record_action(&a.engine, &atlas, tools::read(report).unwrap()).await.unwrap();
        let steps = serde_json::json!({ "steps": [{ "step_name": "pour", "output": "The tea is poured." }] });
        let steps = activity::record_steps(&a.engine, &atlas, "tea".into(), tools::read(steps).unwrap()).await.unwrap();
        let case = Case { reports: (report.action_id, steps.step_ids[0]), ..Case::new(&a, agent(&a.atlas), kept, other).await };
        let mut tx = a.engine.db().memory.begin(atlas.tenancy()).await.unwrap();
        for relation in [Relation::Supports, Relation::Contradicts] {
            memories::store::link(&mut tx, &atlas, Owner { agent_id: case.agent, user_id: users.id() }, kept, other, relation, case.now)
                .await
                .unwrap();
        }
        let mut further = case.draft();
        (further.topic_raw, further.key.topic) = ("attic".into(), "attic".into());
        assert!(memories::store::add_topic(&mut tx, atlas.tenancy(), &case.memory, &further, case.now).await.unwrap());
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
        sqlx::query(later).bind(kept).run(&a.engine).await;
        let restored = "update agent_memory_versions v set change = 'forgotten', deleted = true, valid_from = $2 where v.memory_id = $1";
        sqlx::query(restored).bind(other).bind(case.now).run(&a.engine).await;
        // Workers of other tests serve every tenant: rows that wait here must not change in the middle of the test.
        for url in [&a.engine.urls().agent_memory, &a.engine.urls().shared_kb] {
            let hold = "update events set state = 'pending', attempt = attempt + 1, leased_until = null, run_after = now() + interval '1 year' \
                        where tenant_id = $1 and state in ('pending', 'running', 'failed')";
            sqlx::query(hold).bind(a.system.tenant_id).run(url).await;
        }
        let done = "insert into events (tenant_id, agent_id, id, kind, task, state, run_after, created_at, finished_at)
                    values ($1, $2, gen_random_uuid(), 'maintenance', 'embed_terms', 'done', now(), now(), now())";
        sqlx::query(done).bind(case.tenant).bind(case.commons).run(&a.engine.urls().shared_kb).await;
        capture::fill(&a, &mut memory_owner(&a.engine).await, &case).await;
        lifecycle::fill(&mut memory_owner(&a.engine).await, &case).await;
        profile::fill(&mut memory_owner(&a.engine).await, &case).await;
        for (ctx, name) in [(&a.vera, "mole"), (&a.system, "newt")] {
            let (login, roles) = (format!("{name}@{}", a.tenant_slug), vec![OperatorRole::Viewer]);
            let new = NewInvitation { login, name: name.into(), roles, hours: 1 };
            identity::invite(&a.engine, ctx, new).await.unwrap();
        }
        expectations::fill(&mut memory_owner(&a.engine).await, &case).await;
        identity::set_policy(&a.engine, &a.system, Default::default()).await.unwrap();
        identity::set_lifecycle(&a.engine, &a.system, None, Default::default()).await.unwrap();
        identity::set_search_policy(&a.engine, &a.system, Default::default()).await.unwrap();
        let new = NewWebhook { url: "https://example.org/tea".into(), events: vec![NoticeKind::ErasureConfirmed], agent: None };
        webhooks::add(&a.engine, &a.system, new).await.unwrap();
        identity::set_knowledge_categories(&a.engine, &a.system, case.agent, &["adr".into()]).await.unwrap();
        Self { a, b, atlas, case }
    }
}
