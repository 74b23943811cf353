//! The tables of the stores' queries.

use chrono::{DateTime, Utc};
use remembrancer::OpContext;
use remembrancer::activity::store::{self as activity, Text};
use remembrancer::activity::{Body, NewReport, Reports};
use remembrancer::api::{
    ActionKind, AgentId, AgentKind, AuditFilter, AuditVisibility, BarUnit, BotId, CapturePolicy, ChunkId, DecisionId, Discipline,
    DocumentId, DocumentKind, EventBus, EventFilter, EventId, EventKind, HealthFilter, KeyId, LifecyclePolicy, MatchedBy, MemoryFilter,
    MemoryId, MemoryStatus, OperatorId, OperatorRole, Project, ProposalId, ProposalStatus, Ranking, RecallFilters, Relation, Repo,
    Retention, RetrievalId, RunId, SavedView, Scope, SearchPolicy, SourceKind, TenantId, TermId, UsageLimits, UserId, ViewId, ViewPage,
    ZeroHitCause,
};
use remembrancer::audit::{NewEntry, store as audit};
use remembrancer::capture::store as capture;
use remembrancer::chat::store as chat;
use remembrancer::clock::Clock;
use remembrancer::context::store::{self as context, Wanted};
use remembrancer::contract::store::{self as contract, Likeness};
use remembrancer::db::Tenancy;
use remembrancer::db::cursor::Seek;
use remembrancer::db::{DbError, Tx, begin};
use remembrancer::idempotency::store as idempotency;
use remembrancer::identity::{Agent, save_view, store as identity};
use remembrancer::jobs::{NewEvent, Origin, PostedJob, State, Task, store as jobs};
use remembrancer::knowledge::store::{self as knowledge, Lookup, NewChunk, NewText};
use remembrancer::memories::model::{Change, DedupKey, Details, Draft, Memory};
use remembrancer::memories::store::{self as memories, Birth, Embedded};
use remembrancer::models::{Floors, Model};
use remembrancer::portability::store::{self as portability, ReportedBy};
use remembrancer::projects::store as projects;
use remembrancer::recall::log::{Access, Entry, LoggedChunk};
use remembrancer::recall::near::Silent;
use remembrancer::recall::period::Span;
use remembrancer::recall::scope::Scoping;
use remembrancer::recall::store::{self as recall, Meaning, Narrowing, Reach, Recalls};
use remembrancer::testing::World;
use remembrancer::usage::store as usage;
use remembrancer::vocabulary::store as vocabulary;
use remembrancer::vocabulary::{Plan, Resolved};
use serde_json::json;
use sqlx::PgPool;
use std::pin::Pin;
use uuid::Uuid;

type Answer<'a> = Pin<Box<dyn Future<Output = Result<usize, DbError>> + 'a>>;

/// A query with the arguments of a [`Case`]; how many rows of the case's agent it saw.
pub struct Query {
    pub name: &'static str,
    pub run: for<'a> fn(&'a mut Tx, &'a Case) -> Answer<'a>,
}

/// A query of the pool that sees all tenants; its argument names the tenant.
pub struct Pooled {
    pub name: &'static str,
    pub kb: bool,
    pub run: for<'a> fn(&'a PgPool, &'a Case) -> Answer<'a>,
}

/// Arguments: a tenant, and the ids of one of its agents' rows.
#[derive(Clone)]
pub struct Case {
    pub tenant: TenantId,
    pub ctx: OpContext,
    pub agent: AgentId,
    pub commons: AgentId,
    pub id: MemoryId,
    pub other: MemoryId,
    pub memory: Memory,
    pub vector: Vec<f32>,
    /// The collection of the document.
    pub categories: Vec<String>,
    pub now: DateTime<Utc>,
    pub fresh: Uuid,
    pub key: KeyId,
    pub operator: OperatorId,
    /// A saved view of that operator.
    pub view: ViewId,
    pub shared: Shared,
    /// An action and a step that the agent reported.
    pub reports: (Uuid, Uuid),
}

/// Ids of the tenant's rows in the database of knowledge.
#[derive(Clone)]
pub struct Shared {
    pub term: TermId,
    pub proposal: ProposalId,
    pub decision: DecisionId,
    pub document: DocumentId,
    pub chunk: ChunkId,
    pub run: RunId,
    pub projects: (Uuid, Uuid),
}

impl Shared {
    async fn new(world: &World) -> Self {
        let tenant = world.system.tenant_id;
        let mut tx = world.engine.db().kb.begin(world.system.tenancy()).await.unwrap();
        let state = vocabulary::state(&mut tx, tenant).await.unwrap();
        let proposal = vocabulary::list_proposals(&mut tx, tenant, &Default::default(), &Seek::First, 1).await.unwrap().remove(0);
        let decision = vocabulary::list_decisions(&mut tx, tenant, &Seek::First, 1).await.unwrap().remove(0);
        let document = knowledge::list_documents(&mut tx, tenant, &Default::default(), &Seek::First, 1).await.unwrap().remove(0);
        let chunk = knowledge::chunks(&mut tx, tenant, document.id).await.unwrap().remove(0);
        let run = knowledge::list_runs(&mut tx, tenant, &Seek::First, 1).await.unwrap().remove(0);
        tx.commit().await.unwrap();
        let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
        let projects = projects::links(&mut tx, tenant).await.unwrap().remove(0);
        tx.commit().await.unwrap();
        Self {
            projects,
            term: state.terms[0].lineage,
            proposal: proposal.id,
            decision: decision.id,
            document: document.id,
            chunk: chunk.id,
            run: run.id,
        }
    }
}

impl Case {
    pub async fn new(world: &World, agent: AgentId, id: MemoryId, other: MemoryId) -> Self {
        let mut tx = world.engine.db().memory.begin(world.system.tenancy()).await.unwrap();
        let memory = memories::by_ids(&mut tx, world.system.tenancy(), None, &[id], false).await.unwrap().pop().unwrap();
        tx.commit().await.unwrap();
        Self {
            tenant: world.system.tenant_id,
            ctx: world.system.clone(),
            agent,
            commons: world.system.commons_id,
            id,
            other,
            memory,
            vector: world.embedder.vector("tea\nVera likes black tea"),
            categories: vec!["acme".to_owned()],
            now: world.clock.now(),
            fresh: world.clock.id(),
            key: KeyId(Uuid::nil()),
            operator: world.vera.actor.id().parse().unwrap(),
            view: save_view(&world.engine, &world.vera, ViewPage::Memories, "decisions", "kind=decision").await.unwrap().id,
            shared: Shared::new(world).await,
            reports: (Uuid::nil(), Uuid::nil()),
        }
    }

    /// The same ids, used by another tenant.
    pub fn of(self, ctx: &OpContext) -> Self {
        Self { tenant: ctx.tenant_id, ctx: ctx.clone(), ..self }
    }

    fn long_ago(&self) -> DateTime<Utc> {
        self.now - chrono::Duration::days(30)
    }

    /// A search in knowledge now, of one kind, and as of a moment.
    fn lookups(&self) -> [Lookup<'_>; 4] {
        let (vector, categories) = (Some(&self.vector[..]), &[][..]);
        let now = Lookup { tenant: self.tenant, model: "all-MiniLM-L6-v2", vector, kinds: &[], categories, at: None };
        let of_collection = Lookup { categories: &self.categories, ..now };
        [now, of_collection, Lookup { kinds: &[DocumentKind::Architecture], ..now }, Lookup { at: Some(self.now), ..now }]
    }

    /// Takes a document out of force a little later than now.
    async fn retire(&self, tx: &mut Tx) -> Result<(), DbError> {
        sqlx::query("update documents set valid_to = $2 where tenant_id = $1 and valid_to is null")
            .bind(self.tenant)
            .bind(self.now + chrono::Duration::seconds(1))
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    pub fn embedded(&self) -> Embedded<'_> {
        Embedded { model: "all-MiniLM-L6-v2", vector: &self.vector }
    }

    /// A request of the agent with an idempotency key; the fixture has the one with the key `tea-1`.
    pub fn request(&self, idempotency_key: &'static str) -> idempotency::Request<'_> {
        idempotency::Request { agent: self.agent, key: self.key, operation: "remember", idempotency_key, fingerprint: &[7; 32] }
    }

    fn new_reports(&self) -> [NewReport; 1] {
        let body = Body::Step { workflow: "tea".into(), step_name: "spill".into(), output: "x".into(), completed_at: self.now };
        [NewReport { id: self.fresh, session_id: None, importance: 0.5, searchable: true, created_at: self.now, body }]
    }

    fn reported(&self) -> ReportedBy {
        ReportedBy { tenancy: self.ctx.tenancy(), agent: Some(self.agent), of_person: false }
    }

    fn key(&self) -> DedupKey {
        self.memory.key()
    }

    fn filter(&self) -> MemoryFilter {
        MemoryFilter { agent_id: Some(self.agent), ..MemoryFilter::default() }
    }

    fn draft(&self) -> Draft {
        Draft {
            review: false,
            key: self.key(),
            created_by: self.agent,
            topic_raw: "tea".into(),
            is_canonical: true,
            vocabulary_version: 1,
            content: "intruded".into(),
            content_hash: vec![1; 32],
            source: self.memory.source.clone(),
            origin: None,
            source_kind: SourceKind::Manual,
            lifecycle: LifecyclePolicy::default(),
            retention: Retention::Permanent,
            details: Details::default(),
        }
    }

    fn entry(&self) -> NewEntry {
        NewEntry {
            event_id: EventId(self.fresh),
            at: self.now,
            actor_kind: "system".into(),
            actor_id: String::new(),
            actor_name: "system".into(),
            action: "test".into(),
            target_kind: "memory".into(),
            target_id: self.id.to_string(),
            agent_id: Some(self.agent),
            message: "intruded".into(),
            reason: None,
            request_id: None,
            changes: json!({}),
            visibility: AuditVisibility::Operators,
        }
    }

    fn log(&self) -> Entry {
        Entry {
            tenancy: Tenancy { agent: self.agent, ..self.ctx.tenancy() },
            agent_id: self.agent,
            id: RetrievalId(self.fresh),
            at: self.now,
            user_id: self.memory.user_id,
            query: "tea".into(),
            query_canonical: None,
            k: 1,
            expected: false,
            fewer: false,
            ranking: Ranking::Decay,
            filters: json!({}),
            model: "all-MiniLM-L6-v2".into(),
            floors: FLOORS,
            vocabulary_version: 0,
            statistics: json!({}),
            candidates: vec![],
            knowledge: vec![LoggedChunk {
                document_id: self.shared.document,
                chunk_id: self.shared.chunk,
                similarity: 1.0,
                score: None,
                parts: vec![],
                matched_by: MatchedBy::Vector,
                passed: true,
                rank: Some(1),
            }],
            zero_hit: true,
            reason: None,
            considered: 0,
            vector: None,
            degraded: vec![],
            took_ms: 0.0,
        }
    }
}

const FLOORS: Floors = Floors { vector: 0.0, lexical: 0.0 };

macro_rules! queries {
    ($($name:literal |$tx:ident, $case:ident| $body:expr;)*) => {
        &[$(Query { name: $name, run: |$tx, $case| Box::pin(async move { Ok($body) }) }),*]
    };
}

macro_rules! reach {
    ($case:ident) => {
        Reach {
            tenancy: $case.ctx.tenancy(),
            agents: &[$case.agent],
            filters: Narrowing::Agent(&RecallFilters::default()),
            scoping: &Scoping::default(),
            now: $case.now,
        }
    };
}

/// Only recalls of the case's agent.
fn of_agent(case: &Case) -> HealthFilter {
    HealthFilter { agent_id: Some(case.agent), ..HealthFilter::default() }
}

fn recalls<'a>(case: &Case, filter: &'a HealthFilter) -> Recalls<'a> {
    Recalls { tenant: case.tenant, span: Span { from: case.long_ago(), until: case.now + chrono::Duration::days(1) }, filter }
}

fn new_event(case: &Case, task: Task, state: State) -> NewEvent {
    let (kind, origin) = (EventKind::Maintenance, Origin::default());
    NewEvent { id: EventId(case.fresh), kind, task, payload: json!({}), state, origin, now: case.now }
}

/// In the databases of memories and of knowledge.
pub const IDEMPOTENCY: &[Query] = queries! {
    "idempotency::insert" |tx, c| { idempotency::insert(tx, c.ctx.tenancy(), c.request("tea-2"), c.now).await?; 0 };
    "idempotency::find" |tx, c| usize::from(idempotency::find(tx, c.ctx.tenancy(), c.request("tea-1"), c.long_ago()).await?.is_some());
    "idempotency::delete_expired" |tx, c| {
        let tomorrow = c.now + chrono::Duration::days(1);
        idempotency::delete_expired(tx, c.ctx.tenancy(), c.request("tea-1"), tomorrow).await? as usize
    };
    "idempotency::add_memories" |tx, c|
        idempotency::add_memories(tx, c.ctx.tenancy(), c.request("tea-1"), &[c.other]).await? as usize;
    "idempotency::put_answer" |tx, c| idempotency::put_answer(tx, c.ctx.tenancy(), c.request("tea-1"), &json!("intruded"), &[]).await? as usize;
};

/// In the database of memories; kept apart by tenant and by agent.
pub const MEMORY: &[Query] = queries! {
    "memories::by_ids" |tx, c| memories::by_ids(tx, c.ctx.tenancy(), None, &[c.id, c.other], true).await?.len();
    "memories::waiting" |tx, c|
        usize::from(memories::waiting(tx, c.ctx.tenancy(), &c.key(), &c.memory.content_hash).await?.is_some());
    "memories::reviewed" |tx, c| memories::reviewed(tx, c.ctx.tenancy(), &[c.id]).await?.len();
    "memories::same_content" |tx, c|
        usize::from(memories::same_content(tx, c.ctx.tenancy(), &c.key(), &c.memory.content_hash, c.now).await?.is_some());
    "memories::nearest" |tx, c| usize::from(memories::nearest(tx, c.ctx.tenancy(), &c.key(), c.embedded(), None, c.now).await?.is_some());
    "memories::insert" |tx, c| {
        let status = MemoryStatus::Active;
        let birth = Birth { id: MemoryId(c.fresh), short_id: "intruder", now: c.now, expires_at: None, awaiting_vector: true, status };
        memories::insert(tx, c.ctx.tenancy(), &c.draft(), &birth).await?;
        0
    };
    "memories::touch" |tx, c| { memories::touch(tx, c.ctx.tenancy(), &c.memory, (Retention::Task, &Details::default()), None, c.now).await?; 0 };
    "memories::revise" |tx, c| { memories::revise(tx, c.ctx.tenancy(), &c.memory, &c.draft(), None, c.now).await?; 0 };
    "memories::write_version" |tx, c| {
        sqlx::query("update agent_memories set version = version + 1 where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        memories::write_version(tx, &c.ctx, c.agent, c.id, Change::Revised, None, c.now).await?;
        0
    };
    "memories::mark_deleted" |tx, c| { memories::mark_deleted(tx, c.ctx.tenancy(), &c.memory, "intruder", None, c.now).await?; 0 };
    "memories::mark_restored" |tx, c| usize::from(memories::mark_restored(tx, c.ctx.tenancy(), &c.memory).await?);
    "memories::next_version" |tx, c| { memories::next_version(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::mark_superseded" |tx, c| { memories::mark_superseded(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::link" |tx, c| { memories::link(tx, &c.ctx, (c.agent, c.memory.user_id), c.other, c.id, Relation::Contradicts, c.now).await?; 0 };
    "memories::links" |tx, c| memories::links(tx, c.ctx.tenancy(), c.id).await?.len();
    "memories::unlink" |tx, c| usize::from(memories::unlink(tx, c.ctx.tenancy(), c.agent, c.id, c.other, Relation::Supports).await?);
    "idempotency::erase" |tx, c| {
        memories::mark_deleted(tx, c.ctx.tenancy(), &c.memory, "intruder", None, c.now).await?;
        idempotency::erase(tx, c.ctx.tenancy(), c.id).await? as usize
    };
    "memories::still_linked" |tx, c| usize::from(memories::still_linked(tx, c.ctx.tenancy(), c.id).await?.1);
    "memories::contradictions" |tx, c|
        memories::contradictions(tx, c.ctx.tenancy(), &[c.agent, c.commons], &[c.id], c.now).await?.len();
    "memories::set_status" |tx, c|
        usize::from(memories::set_status(tx, c.ctx.tenancy(), c.agent, c.id, MemoryStatus::Superseded).await?.is_some());
    "memories::by_short" |tx, c| memories::by_short(tx, c.ctx.tenancy(), &[c.agent], &c.memory.short_id, true).await?.len();
    "memories::profile_fact" |tx, c| {
        sqlx::query("update agent_memories set profile_fact = true where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        usize::from(memories::profile_fact(tx, c.ctx.tenancy(), &c.draft(), c.now).await?.is_some())
    };
    "contract::entries" |tx, c| {
        sqlx::query("update agent_memories set category = 'person' where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        contract::entries(tx, c.ctx.tenancy(), &[c.agent], c.now).await?.len()
    };
    "contract::alike" |tx, c| {
        sqlx::query("update agent_memories set category = 'person' where tenant_id = $1 and id = $2 and (user_id is null or user_id = $3 or $3 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.id).bind(c.ctx.users).execute(&mut **tx).await?;
        let model = Model {
            name: "all-MiniLM-L6-v2".into(),
            dimension: 384,
            dedup_threshold: 0.9,
            suggestion_threshold: 0.8,
            floors: FLOORS,
        };
        let likeness = Likeness { agents: &[c.agent], vector: Some(&c.vector), model: &model, with_subject: true, now: c.now };
        usize::from(contract::alike(tx, c.ctx.tenancy(), &c.draft(), &likeness).await?.is_some())
    };
    "memories::recalls" |tx, c| memories::recalls(tx, c.ctx.tenancy(), c.id, 10).await?.1.len();
    "memories::removals_at" |tx, c| memories::removals_at(tx, c.ctx.tenancy(), &[c.other], c.now).await?.len();
    "memories::versions" |tx, c| memories::versions(tx, c.ctx.tenancy(), c.agent, c.id).await?.len();
    "memories::count" |tx, c| memories::count(tx, c.tenant, &c.filter()).await? as usize;
    "memories::list" |tx, c| memories::list(tx, c.tenant, &c.filter(), &Seek::First, 10).await?.len();
    "memories::named" |tx, c| memories::named(tx, c.tenant, "e", 100).await?.len();
    "memories::counts" |tx, c| memories::counts(tx, c.tenant, &[c.agent], c.now).await?.iter().filter(|row| row.last_write.is_some() || row.last_recall.is_some()).count();
    "memories::written_by_day" |tx, c| {
        let since = c.now.date_naive() - chrono::Duration::days(2);
        memories::written_by_day(tx, c.tenant, None, since).await?.iter().filter(|row| row.0 == c.agent).count()
    };
    "memories::stored_by" |tx, c| {
        let span = (c.long_ago(), c.now + chrono::Duration::days(1));
        memories::stored_by(tx, (c.tenant, Some(c.agent)), span, BarUnit::Hour).await?.len()
    };
    "memories::last_write" |tx, c| memories::last_write(tx, c.tenant, Some(c.agent)).await?.iter().count();
    "memories::newest" |tx, c| memories::newest(tx, c.tenant, 100).await?.iter().filter(|row| row.agent_id == c.agent).count();
    "memories::in_reach" |tx, c| memories::in_reach(tx, c.tenant, &[c.agent], c.now).await? as usize;
    "memories::put_vector" |tx, c| {
        let vector: Vec<f32> = c.vector.iter().rev().copied().collect();
        memories::put_vector(tx, c.ctx.tenancy(), c.agent, c.id, Embedded { vector: &vector, ..c.embedded() }, c.now).await?;
        0
    };
    "memories::drop_vectors" |tx, c| { memories::drop_vectors(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::sync_live" |tx, c| { memories::sync_live(tx, c.ctx.tenancy(), c.agent, &[c.id]).await?; 0 };
    "memories::embedded_by" |tx, c| memories::embedded_by(tx, c.ctx.tenancy(), c.agent, c.id).await?.len();
    "memories::refresh_vectors" |tx, c| {
        memories::refresh_vectors(tx, c.ctx.tenancy(), c.agent, c.id, None, c.now + chrono::Duration::days(1)).await?;
        0
    };
    "memories::put_words" |tx, c| { memories::put_words(tx, c.ctx.tenancy(), c.agent, c.id, "intruded", "words").await?; 0 };
    "memories::drop_words" |tx, c| { memories::drop_words(tx, c.ctx.tenancy(), c.agent, c.id).await?; 0 };
    "memories::lock_counts" |tx, c| memories::lock_counts(tx, c.ctx.tenancy(), &[c.agent]).await? as usize;
    "context::memories" |tx, c| {
        let agents = [c.agent, c.ctx.commons_id];
        let wanted = Wanted { tenancy: c.ctx.tenancy(), agents: &agents, project: None, repo: None, found: &[c.id], now: c.now };
        context::memories(tx, &wanted, 10).await?.len()
    };
    "recall::sides" |tx, c| {
        // A narrowed search counts for itself.
        let narrow = Scoping { narrow: true, project: Some(c.id.0), ..Scoping::default() };
        let mut seen = 0;
        for scoping in [Scoping::default(), narrow] {
            let meaning = Meaning { model: "all-MiniLM-L6-v2", vector: &c.vector, decayed_above: Some(0.0), most: 10 };
            let sides = recall::sides(tx, &Reach { scoping: &scoping, ..reach!(c) }, &["tea".into()], Some(&meaning)).await?;
            seen += sides.postings.len() + sides.nearest.len() + sides.statistics.documents as usize;
        }
        seen
    };
    "recall::awaiting" |tx, c| {
        memories::drop_vectors(tx, c.ctx.tenancy(), c.agent, c.id).await?;
        recall::awaiting(tx, &reach!(c)).await?.len()
    };
    "recall::updated_at" |tx, c| recall::updated_at(tx, &reach!(c), &[c.id]).await?.len();
    "recall::totals" |tx, c| {
        let (memories, passed) = recall::totals(tx, &reach!(c), "all-MiniLM-L6-v2", Some(&c.vector), FLOORS, &[]).await?;
        (memories + passed) as usize
    };
    "recall::turns" |tx, c| recall::turns(tx, &reach!(c), "all-MiniLM-L6-v2", Some(&c.vector), true, &[c.id]).await?.0.len();
    "recall::compared" |tx, c| {
        let model = Model {
            name: "all-MiniLM-L6-v2".into(), dimension: 384, dedup_threshold: 0.9, suggestion_threshold: 0.8, floors: FLOORS,
        };
        recall::compared(tx, c.ctx.tenancy(), (c.agent, c.id), &model, Some(&c.vector)).await?.iter().count()
    };
    "recall::lets_through" |tx, c| {
        let filters = RecallFilters { platform: Some("slack".into()), ..RecallFilters::default() };
        recall::lets_through(tx, c.ctx.tenancy(), (c.agent, c.id), &[filters]).await?.len()
    };
    "recall::count_past" |tx, c| recall::count_past(tx, &reach!(c)).await?.0 as usize;
    "recall::past" |tx, c| recall::past(tx, &reach!(c), "all-MiniLM-L6-v2", 384, true, c.now).await?.len();
    "recall::count_retrievals" |tx, c| recall::count_retrievals(tx, c.ctx.tenancy(), &Default::default()).await? as usize;
    "recall::list_retrievals" |tx, c| recall::list_retrievals(tx, c.ctx.tenancy(), &Default::default(), &Seek::First, 10).await?.len();
    "recall::retrieval" |tx, c| {
        let newest = recall::list_retrievals(tx, c.ctx.tenancy(), &Default::default(), &Seek::First, 1).await?.pop();
        match newest {
            Some(newest) => usize::from(recall::retrieval(tx, c.ctx.tenancy(), newest.id).await?.is_some()),
            None => 0,
        }
    };
    "recall::versions_seen" |tx, c| recall::versions_seen(tx, c.ctx.tenancy(), &[(c.agent, c.id, 1)], true, c.now).await?.len();
    "recall::insert_log" |tx, c| { recall::insert_log(tx, &c.log(), Some(ZeroHitCause::BelowFloor), &[]).await?; 0 };
    "recall::nearest_of_all" |tx, c| {
        let silent = Silent {
            tenant: c.tenant,
            agents: &[c.agent],
            user_id: None,
            at: c.now,
            model: "all-MiniLM-L6-v2",
            floor: 0.0,
            reason: None,
            considered: 0,
            vector: Some(&c.vector),
        };
        recall::nearest_of_all(tx, &silent, &c.vector, 10).await?.len()
    };
    "recall::by_bar" |tx, c| recall::by_bar(tx, recalls(c, &of_agent(c)), BarUnit::Day).await?.len();
    "recall::shares" |tx, c| {
        // The total is there even if it is 0.
        let shares = recall::shares(tx, recalls(c, &of_agent(c)), 10).await?;
        shares.iter().map(|share| share.counts.recalls).sum::<i64>() as usize
    };
    "recall::count_silent" |tx, c| recall::count_silent(tx, recalls(c, &of_agent(c))).await? as usize;
    "recall::list_silent" |tx, c| recall::list_silent(tx, recalls(c, &of_agent(c)), &Seek::First, 10).await?.len();
    "knowledge::citations_of" |tx, c| knowledge::citations_of(tx, c.ctx.tenancy(), c.shared.document, 10).await?.len();
    "knowledge::citation_counts" |tx, c| knowledge::citation_counts(tx, c.ctx.tenancy(), &[c.shared.document], c.long_ago()).await?.len();
    "memories::count_phrases" |tx, c| memories::count_phrases(tx, c.tenant, &["tea".into()]).await?.0 as usize;
    "memories::with_phrase" |tx, c| memories::with_phrase(tx, c.tenant, "tea", &[c.id], 10).await?.len();
    "memories::unresolved" |tx, c|
        memories::unresolved(tx, c.tenant, &[(c.shared.decision, i64::MAX, vec!["tea".into()])]).await?.len();
    "memories::stale" |tx, c| memories::stale(tx, c.tenant, &["tea".into()], i64::MAX, 10).await?.len();
    "memories::file_under" |tx, c| {
        let resolved = Resolved { topic: "intruded".into(), is_canonical: false, version: 9 };
        memories::file_under(tx, c.tenant, &c.memory, &resolved).await?;
        0
    };
    "memories::topic_use" |tx, c| memories::topic_use(tx, c.tenant, &["tea".into()]).await?.len();
    "jobs::unfiled" |tx, c| jobs::unfiled(tx, c.tenant).await? as usize;
    "recall::count_accesses" |tx, c| {
        recall::count_accesses(tx, c.tenant, &[Access { agent_id: c.agent, memory_id: c.id, count: 1, last: c.now }]).await?;
        0
    };
    "jobs::insert" |tx, c| {
        let event = new_event(c, Task::Embed, State::Done);
        jobs::insert(tx, c.tenant, c.agent, &event).await?;
        0
    };
    "audit::post" |tx, c| {
        audit::post(tx, c.tenant, c.agent, EventId(c.fresh), audit::Destination::Audit, &json!({}), c.now).await?;
        0
    };
};

/// In the database of memories, shared by the agents of a tenant; kept apart by tenant.
pub const PROJECTS: &[Query] = queries! {
    "projects::projects" |tx, c| projects::projects(tx, c.tenant).await?.len();
    "projects::repos" |tx, c| projects::repos(tx, c.tenant).await?.len();
    "projects::links" |tx, c| projects::links(tx, c.tenant).await?.len();
    "projects::linked" |tx, c| projects::linked(tx, c.tenant, c.shared.projects.0, c.now).await?.len();
    "projects::unlink" |tx, c| usize::from(projects::unlink(tx, c.tenant, c.shared.projects, c.now).await?);
    "projects::link" |tx, c| {
        sqlx::query("update project_links set valid_to = $2 where tenant_id = $1").bind(c.tenant).bind(c.now).execute(&mut **tx).await?;
        usize::from(projects::link(tx, &c.ctx, c.shared.projects, c.now).await?)
    };
    "projects::insert_project" |tx, c| {
        let (slug, name) = ("intruder".to_owned(), "x".to_owned());
        let project = Project { id: c.fresh, slug, name, created_at: c.now, repos: vec![], linked: vec![] };
        projects::insert_project(tx, &c.ctx, &project).await?;
        0
    };
    "projects::insert_repo" |tx, c| {
        let (slug, name) = ("intruder".to_owned(), "x".to_owned());
        let repo = Repo { id: c.fresh, project_id: c.shared.projects.0, slug, name, created_at: c.now };
        projects::insert_repo(tx, &c.ctx, &repo).await?;
        0
    };
};

fn of_knowledge() -> EventFilter {
    EventFilter { bus: Some(EventBus::Knowledge), ..EventFilter::default() }
}

/// In the database of knowledge; kept apart by tenant.
pub const KB: &[Query] = queries! {
    "vocabulary::version" |tx, c| vocabulary::version(tx, c.tenant).await? as usize;
    "vocabulary::state" |tx, c| vocabulary::state(tx, c.tenant).await?.terms.len();
    "vocabulary::state_at" |tx, c| vocabulary::state_at(tx, c.tenant, c.now).await?.terms.len();
    "vocabulary::version_at" |tx, c| vocabulary::version_at(tx, c.tenant, c.now).await? as usize;
    "vocabulary::decided_at" |tx, c| usize::from(vocabulary::decided_at(tx, c.tenant, 1).await?.is_some());
    "vocabulary::next_version" |tx, c| vocabulary::next_version(tx, c.tenant, c.now).await.map(|_| 0)?;
    "vocabulary::count_terms" |tx, c| vocabulary::count_terms(tx, c.tenant, &Default::default()).await? as usize;
    "vocabulary::list_terms" |tx, c| vocabulary::list_terms(tx, c.tenant, &Default::default(), &Seek::First, 10).await?.len();
    "vocabulary::count_proposals" |tx, c| vocabulary::count_proposals(tx, c.tenant, &Default::default()).await? as usize;
    "vocabulary::list_proposals" |tx, c| vocabulary::list_proposals(tx, c.tenant, &Default::default(), &Seek::First, 10).await?.len();
    "vocabulary::count_decisions" |tx, c| vocabulary::count_decisions(tx, c.tenant).await? as usize;
    "knowledge::collections" |tx, c| knowledge::collections(tx, c.tenant, 10).await?.len();
    "jobs::depth_of" |tx, c| jobs::depth_of(tx, c.tenant).await?.len();
    "capture::event_count" |tx, c| capture::event_count(tx, c.tenant, &of_knowledge()).await? as usize;
    "capture::event_list" |tx, c| capture::event_list(tx, c.tenant, &of_knowledge(), &Seek::First, 10).await?.len();
    "capture::retry_knowledge" |tx, c| {
        sqlx::query("update events set state = 'dead' where tenant_id = $1").bind(c.tenant).execute(&mut **tx).await?;
        let ids: Vec<EventId> = sqlx::query_scalar("select id from events").fetch_all(&mut **tx).await?;
        capture::retry_knowledge(tx, c.tenant, &ids, c.now).await?.len()
    };
    "jobs::sweep" |tx, c| jobs::sweep(tx, c.tenant, c.now + chrono::Duration::days(3650), 9).await? as usize;
    "audit::lag_of" |tx, c| audit::lag_of(tx, c.tenant).await?.0 as usize;
    "vocabulary::rows" |tx, c| vocabulary::rows(tx, c.tenant, &[c.shared.term.0], &[]).await?.0.len();
    "vocabulary::apply" |tx, c| {
        let plan = Plan { close_terms: vec![c.shared.term.0], ..Plan::default() };
        vocabulary::apply(tx, c.tenant, &plan, c.now).await?;
        0
    };
    "vocabulary::term_names" |tx, c| vocabulary::term_names(tx, c.tenant, &[c.shared.term]).await?.len();
    "vocabulary::newest" |tx, c| usize::from(vocabulary::newest(tx, c.tenant, c.shared.term).await?.is_some());
    "vocabulary::term_named" |tx, c| usize::from(vocabulary::term_named(tx, c.tenant, Some(c.shared.term), "tea").await?.is_some());
    "vocabulary::unembedded" |tx, c| vocabulary::unembedded(tx, c.tenant, "another", 10).await?.len();
    "vocabulary::put_term_vector" |tx, c| {
        vocabulary::put_term_vector(tx, c.tenant, c.shared.term, "all-MiniLM-L6-v2", "intruded", &c.vector).await?;
        0
    };
    "vocabulary::nearest_terms" |tx, c| vocabulary::nearest_terms(tx, c.tenant, "all-MiniLM-L6-v2", &c.vector, 10).await?.len();
    "vocabulary::proposals" |tx, c| vocabulary::proposals(tx, c.tenant, &[c.shared.proposal], true).await?.len();
    "vocabulary::met_in" |tx, c| vocabulary::met_in(tx, c.tenant, c.shared.proposal, 10).await?.len();
    "vocabulary::settle" |tx, c| {
        vocabulary::settle(tx, c.tenant, &[c.shared.proposal], &[], ProposalStatus::Rejected, c.shared.decision).await?;
        0
    };
    "vocabulary::reopen" |tx, c| {
        vocabulary::settle(tx, c.tenant, &[c.shared.proposal], &[], ProposalStatus::Rejected, c.shared.decision).await?;
        sqlx::query("update term_proposals set count = count + 1 where tenant_id = $1 and id = $2")
            .bind(c.tenant).bind(c.shared.proposal).execute(&mut **tx).await?;
        vocabulary::reopen(tx, c.tenant, c.shared.decision).await?;
        0
    };
    "vocabulary::insert_decision" |tx, c| {
        let mut row = vocabulary::decisions(tx, c.tenant, &[c.shared.decision]).await?.pop().ok_or(DbError::NotFound)?;
        row.id = DecisionId(c.fresh);
        vocabulary::insert_decision(tx, c.tenant, &row).await?;
        0
    };
    "vocabulary::mark_undone" |tx, c|
        usize::from(vocabulary::mark_undone(tx, c.tenant, c.shared.decision, DecisionId(c.fresh)).await?);
    "vocabulary::decisions" |tx, c| vocabulary::decisions(tx, c.tenant, &[c.shared.decision]).await?.len();
    "vocabulary::history" |tx, c| vocabulary::history(tx, c.tenant, c.shared.term, 10).await?.len();
    "knowledge::in_force" |tx, c| knowledge::in_force(tx, c.tenant, "acme").await?.len();
    "knowledge::retire" |tx, c| usize::from(knowledge::retire(tx, c.tenant, c.shared.document, c.now).await?);
    "knowledge::insert_document" |tx, c| {
        let text = NewText {
            id: DocumentId(c.fresh),
            kind: DocumentKind::Document,
            reference: None,
            collection: "acme",
            path: "intruded.md",
            title: "x",
            status: "",
            front_matter: &json!({}),
            content_hash: &[],
            chunking: "",
            now: c.now,
        };
        knowledge::insert_document(tx, c.tenant, &text).await?;
        0
    };
    "knowledge::insert_chunks" |tx, c| {
        let (id, terms) = (ChunkId(c.fresh), vec![("intruded".to_owned(), 1)]);
        let chunk = NewChunk { id, heading_path: &[], start_byte: 0, end_byte: 0, content: "intruded", terms };
        knowledge::insert_chunks(tx, c.tenant, c.shared.document, &[chunk], true).await?;
        0
    };
    "knowledge::insert_components" |tx, c| {
        sqlx::query("update documents set title = title || 'x' where tenant_id = $1 and id = $2")
            .bind(c.tenant).bind(c.shared.document).execute(&mut **tx).await?;
        knowledge::insert_components(tx, c.tenant, c.shared.document, &[]).await?;
        0
    };
    "knowledge::unembedded" |tx, c| {
        sqlx::query("update chunks set awaiting_vector = true where tenant_id = $1").bind(c.tenant).execute(&mut **tx).await?;
        knowledge::unembedded(tx, c.tenant, c.shared.document, 10).await?.len()
    };
    "knowledge::put_chunk_vector" |tx, c| {
        let vector: Vec<f32> = c.vector.iter().rev().copied().collect();
        knowledge::put_chunk_vector(tx, c.tenant, c.shared.chunk, "all-MiniLM-L6-v2", &vector, c.now).await?;
        0
    };
    "knowledge::begin_run" |tx, c| { knowledge::begin_run(tx, c.tenant, RunId(c.fresh), "acme", None, "x", c.now).await?; 0 };
    "knowledge::end_run" |tx, c| { knowledge::end_run(tx, c.tenant, c.shared.run, &Default::default(), c.now).await?; 0 };
    "knowledge::sides" |tx, c| {
        let mut found = 0;
        for lookup in c.lookups() {
            let sides = knowledge::sides(tx, &lookup, &["kettl".into()], 10).await?;
            found += sides.postings.len() + sides.nearest.len() + sides.chunks as usize;
        }
        found
    };
    "knowledge::added_since" |tx, c| knowledge::added_since(tx, c.tenant, c.long_ago()).await?.0 as usize;
    "knowledge::count_retired_since" |tx, c| {
        c.retire(tx).await?;
        knowledge::count_retired_since(tx, c.tenant, c.now).await?.0 as usize
    };
    "knowledge::retired_since" |tx, c| {
        c.retire(tx).await?;
        knowledge::retired_since(tx, c.tenant, c.now).await?.len()
    };
    "knowledge::passages" |tx, c| knowledge::passages(tx, c.tenant, &[c.shared.chunk]).await?.len();
    "knowledge::chunks_by_id" |tx, c| {
        let mut found = 0;
        for lookup in c.lookups() {
            found += knowledge::chunks_by_id(tx, &lookup, &[c.shared.chunk]).await?.len();
        }
        found
    };
    "knowledge::count_documents" |tx, c| knowledge::count_documents(tx, c.tenant, &Default::default()).await? as usize;
    "knowledge::list_documents" |tx, c| knowledge::list_documents(tx, c.tenant, &Default::default(), &Seek::First, 10).await?.len();
    "knowledge::titles" |tx, c| knowledge::titles(tx, c.tenant, &[c.shared.document]).await?.len();
    "knowledge::document" |tx, c| usize::from(knowledge::document(tx, c.tenant, c.shared.document).await?.is_some());
    "knowledge::versions" |tx, c| knowledge::versions(tx, c.tenant, "acme", "ARCHITECTURE.md").await?.len();
    "knowledge::chunks" |tx, c| knowledge::chunks(tx, c.tenant, c.shared.document).await?.len();
    "knowledge::components" |tx, c| knowledge::components(tx, c.tenant).await?.len();
    "knowledge::count_runs" |tx, c| knowledge::count_runs(tx, c.tenant).await? as usize;
    "knowledge::list_runs" |tx, c| knowledge::list_runs(tx, c.tenant, &Seek::First, 10).await?.len();
    "knowledge::last_failures" |tx, c| knowledge::last_failures(tx, c.tenant).await? as usize;
    "knowledge::front_matters" |tx, c| knowledge::front_matters(tx, c.tenant).await?.len();
    "vocabulary::list_decisions" |tx, c| vocabulary::list_decisions(tx, c.tenant, &Seek::First, 10).await?.len();
};

/// Every line of a tenant's ledger.
fn ledger_lines(c: &Case) -> usage::Lines<'static> {
    usage::Lines { tenant: c.tenant, span: (c.long_ago(), c.now + chrono::Duration::days(1)), agent: None, model: None }
}

/// In the control database; kept apart by tenant.
pub const CONTROL: &[Query] = queries! {
    "identity::agents" |tx, c| identity::agents(tx, c.tenant).await?.iter().filter(|agent| agent.id == c.agent).count();
    "audit::count" |tx, c| {
        let about = AuditFilter { target: Some(c.agent.to_string()), ..AuditFilter::default() };
        audit::count(tx, c.tenant, &about).await? as usize
    };
    "audit::list" |tx, c| {
        let about = AuditFilter { target: Some(c.agent.to_string()), ..AuditFilter::default() };
        audit::list(tx, c.tenant, &about, &Seek::First, 10).await?.len()
    };
    "audit::of_target" |tx, c| audit::of_target(tx, c.tenant, &c.agent.to_string(), 10).await?.len();
    "usage::used" |tx, c| usage::used(tx, c.tenant, c.now - chrono::Duration::days(9999)).await?.len();
    "usage::parts" |tx, c| usage::parts(tx, ledger_lines(c)).await?.len();
    "usage::exported" |tx, c| usage::exported(tx, ledger_lines(c)).await?.len();
    "usage::names" |tx, c| usage::names(tx, c.tenant, &[c.agent.0]).await?.len();
    "usage::accounts" |tx, c| usage::accounts(tx, c.tenant, c.long_ago(), 10).await?.len();
    "usage::credits" |tx, c| usage::credits(tx, c.tenant, 10).await?.len();
    "identity::lifecycle_policy" |tx, c| usize::from(identity::lifecycle_policy(tx, c.tenant, c.agent).await?.is_some());
    "identity::capture_policy" |tx, c| usize::from(identity::capture_policy(tx, c.tenant).await?.is_some());
    "identity::search_policy" |tx, c| usize::from(identity::search_policy(tx, c.tenant).await?.is_some());
    "identity::knowledge_categories" |tx, c| identity::knowledge_categories(tx, c.tenant, c.agent).await?.len();
    "identity::keeps_context_texts" |tx, c| usize::from(identity::keeps_context_texts(tx, c.tenant, c.agent).await?);
    "identity::users" |tx, c| identity::users(tx, c.tenant).await?.len();
    "identity::users_named" |tx, c| identity::users_named(tx, c.tenant, "crm-", 9).await?.len();
    "identity::users_by_id" |tx, c| {
        let of_anybody = sqlx::query_scalar("select id from users where external_ref = 'crm-1'").fetch_all(&mut **tx).await?;
        identity::users_by_id(tx, c.tenant, &of_anybody).await?.len()
    };
    "identity::views" |tx, c| identity::views(tx, c.tenant, c.operator, ViewPage::Memories).await?.len();
    "identity::count_views" |tx, c| identity::count_views(tx, c.tenant, c.operator).await? as usize;
    "identity::insert_view" |tx, c| {
        let view = SavedView { id: ViewId(c.fresh), page: ViewPage::Memories, name: "intruder".into(), query: "q=x".into() };
        identity::insert_view(tx, c.tenant, c.operator, &view, c.now).await.map(|()| 0)?
    };
    "identity::rename_view" |tx, c| usize::from(identity::rename_view(tx, c.tenant, c.operator, c.view, "renamed").await?);
    "identity::delete_view" |tx, c| usize::from(identity::delete_view(tx, c.tenant, c.operator, c.view).await?.is_some());
};

/// In the control database; kept apart by tenant and by user. Agents read what others reported.
pub const ACTIVITY: &[Query] = queries! {
    "usage::of_agent" |tx, c| {
        let own = Tenancy { agent: c.agent, ..c.ctx.tenancy() };
        usage::of_agent(tx, own, (c.long_ago(), c.now + chrono::Duration::days(1))).await?.len()
    };
    "activity::insert" |tx, c| { activity::insert(tx, c.ctx.tenancy(), c.agent, &c.new_reports()).await?; 0 };
    "activity::put_words" |tx, c| {
        let text = [Text::new(c.reports.0, "action", "intruder")];
        activity::put_words(tx, c.ctx.tenancy(), Reports::Actions, &text).await?;
        0
    };
    "activity::matches" |tx, c| {
        let words = ["tea".to_owned()];
        let mut found = 0;
        for of in [Reports::Actions, Reports::Steps] {
            let matches = activity::matches(tx, c.ctx.tenancy(), of, &words, &[]).await?;
            found += matches.postings.len() + matches.statistics.documents as usize + matches.frequencies[0] as usize;
        }
        found + activity::matches(tx, c.ctx.tenancy(), Reports::Actions, &words, &[ActionKind::Action]).await?.postings.len()
    };
    "activity::by_ids" |tx, c| {
        activity::by_ids(tx, c.ctx.tenancy(), Reports::Actions, &[c.reports.0]).await?.len()
            + activity::by_ids(tx, c.ctx.tenancy(), Reports::Steps, &[c.reports.1]).await?.len()
    };
    "portability::actions" |tx, c| portability::actions(tx, c.reported(), None, 10).await?.len();
    "portability::workflow_steps" |tx, c| portability::workflow_steps(tx, c.reported(), None, 10).await?.len();
    "portability::count_reports" |tx, c|
        portability::count_reports(tx, c.ctx.tenancy(), Reports::Steps, &[c.reports.1]).await? as usize;
    "portability::put_reports" |tx, c| {
        let row = json!([{ "agent_id": c.agent, "id": c.fresh, "user_id": c.memory.user_id, "workflow": "tea", "step_name": "spill",
            "output": "x", "importance": 0.5, "searchable": true, "content_hash": "\\x00", "completed_at": c.now, "created_at": c.now }]);
        portability::put_reports(tx, c.ctx.tenancy(), Reports::Steps, &row).await?;
        0
    };
};

/// A query in a transaction of its own, which is committed.
macro_rules! kept {
    ($pool:ident, |$tx:ident| $body:expr) => {
        Box::pin(async move {
            let mut opened = begin($pool).await?;
            let $tx = &mut opened;
            let seen = $body;
            opened.commit().await?;
            Ok(seen)
        })
    };
}

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    let control = |name, run| Pooled { name, kb: false, run };
    vec![
        control("audit::append", |pool, c| {
            kept!(pool, |tx| audit::append(tx, c.tenant, &[(&c.entry(), "salt".into())]).await.map(|()| 0)?)
        }),
        control("audit::erase_texts", |pool, c| {
            kept!(pool, |tx| {
                // Those of the agent's tenant; the one that was appended above is both tenants'.
                let entries =
                    "select l.event_id from audit_log l join agents a on a.tenant_id = l.tenant_id where a.id = $1 and l.event_id <> $2";
                let entries: Vec<EventId> = sqlx::query_scalar(entries).bind(c.agent).bind(c.fresh).fetch_all(&mut **tx).await?;
                audit::erase_texts(tx, c.tenant, &entries).await? as usize
            })
        }),
        control("audit::links", |pool, c| {
            Box::pin(async move {
                let links = audit::links(pool, c.tenant, 0, 1000).await?;
                Ok(links.iter().filter(|link| link.entry.target_id == c.agent.to_string()).count())
            })
        }),
        control("identity::insert_agent", |pool, c| {
            let id = AgentId(c.fresh);
            let agent = Agent {
                id,
                kind: AgentKind::Agent,
                slug: "intruder".into(),
                name: "x".into(),
                require_user: false,
                discipline: Discipline::Aggressive,
                blocked_at: None,
            };
            kept!(pool, |tx| identity::insert_agent(tx, c.tenant, &agent, c.now).await.map(|()| 0)?)
        }),
        control("identity::adopt_agent", |pool, c| {
            let id = AgentId(c.id.0);
            let agent = Agent {
                id,
                kind: AgentKind::Agent,
                slug: "adopted".into(),
                name: "x".into(),
                require_user: false,
                discipline: Discipline::Confirming,
                blocked_at: None,
            };
            kept!(pool, |tx| identity::adopt_agent(tx, c.tenant, &agent, c.now).await.map(|_| 0)?)
        }),
        control("identity::insert_key", |pool, c| {
            let prefix = &c.ctx.tenant_id.0.simple().to_string()[20..];
            let (id, prefix) = (KeyId(c.fresh), prefix.to_owned());
            kept!(pool, |tx| {
                let scopes = &[Scope::MemoryRead];
                let key = identity::NewKey {
                    id,
                    agent_id: c.agent,
                    prefix: &prefix,
                    secret_hash: &[],
                    name: "x",
                    scopes,
                    user_id: None,
                    expires_at: None,
                };
                identity::insert_key(tx, c.tenant, &key, c.now).await.map(usize::from)?
            })
        }),
        control("identity::insert_user", |pool, c| {
            let reference = c.fresh.to_string();
            let tenant = c.ctx.tenant_id;
            kept!(pool, |tx| identity::insert_user(tx, tenant, UserId(c.fresh), &reference, None, c.now).await.map(|_| 0)?)
        }),
        control("identity::user_by_reference", |pool, c| {
            Box::pin(async move { Ok(usize::from(identity::user_by_reference(pool, c.tenant, "crm-1").await?.is_some())) })
        }),
        control("identity::set_lifecycle_policy", |pool, c| {
            let policy = LifecyclePolicy::default();
            kept!(pool, |tx| identity::set_lifecycle_policy(tx, c.tenant, c.agent, &policy, "x", c.now).await.map(|()| 0)?)
        }),
        control("usage::left", |pool, c| Box::pin(async move { Ok(usage::left(pool, c.tenant, c.now).await?.len()) })),
        control("usage::set_limits", |pool, c| {
            let limits = UsageLimits { month_tokens: Some(1), ..UsageLimits::default() };
            kept!(pool, |tx| usage::set_limits(tx, (c.tenant, None), limits, ("x", c.now, c.now)).await.map(|()| 0)?)
        }),
        control("usage::require_credit", |pool, c| {
            kept!(pool, |tx| usage::require_credit(tx, (c.tenant, None), ("y", c.now)).await.map(|_| 0)?)
        }),
        control("usage::add_credit", |pool, c| {
            let (reason, created_by) = ("x".to_owned(), "x".to_owned());
            let credit = usage::StoredCredit { id: c.fresh, user_id: None, dollars: 1.0, reason, created_at: c.now, created_by };
            kept!(pool, |tx| usage::add_credit(tx, c.tenant, &credit).await.map(|()| 0)?)
        }),
        control("identity::set_capture_policy", |pool, c| {
            kept!(pool, |tx| identity::set_capture_policy(tx, c.tenant, &CapturePolicy::default(), "x", c.now).await.map(|()| 0)?)
        }),
        control("identity::set_search_policy", |pool, c| {
            kept!(pool, |tx| identity::set_search_policy(tx, c.tenant, &SearchPolicy::default(), "x", c.now).await.map(|()| 0)?)
        }),
        control("identity::set_knowledge_categories", |pool, c| {
            kept!(pool, |tx| identity::set_knowledge_categories(tx, c.tenant, c.agent, &["intruded".into()]).await.map(usize::from)?)
        }),
        control("identity::set_keeps_context_texts", |pool, c| {
            kept!(pool, |tx| identity::set_keeps_context_texts(tx, c.tenant, c.agent, false).await.map(usize::from)?)
        }),
        control("identity::set_blocked", |pool, c| {
            kept!(pool, |tx| identity::set_blocked(tx, c.tenant, c.agent, Some(c.now)).await.map(usize::from)?)
        }),
        control("identity::set_discipline", |pool, c| {
            kept!(pool, |tx| identity::set_discipline(tx, c.tenant, c.agent, Discipline::Confirming).await.map(usize::from)?)
        }),
        control("identity::key_by_id", |pool, c| {
            Box::pin(async move { Ok(usize::from(identity::key_by_id(pool, c.tenant, c.key).await?.is_some())) })
        }),
        control("chat::insert_bot", |pool, c| Box::pin(async move { bot(pool, c, 1).await.map(|(_, made)| usize::from(made)) })),
        control("chat::bind_chat", |pool, c| {
            Box::pin(async move {
                let (id, _) = bot(pool, c, 2).await?;
                chat::bind_chat(pool, c.tenant, id, "7", UserId(c.fresh), c.now).await.map(usize::from)
            })
        }),
        control("chat::user_of", |pool, c| {
            Box::pin(async move {
                let (id, _) = bot(pool, c, 3).await?;
                chat::bind_chat(pool, c.tenant, id, "7", UserId(c.fresh), c.now).await?;
                Ok(usize::from(chat::user_of(pool, c.tenant, id, "7").await?.is_some()))
            })
        }),
        control("chat::unbind_chat", |pool, c| {
            Box::pin(async move {
                let (id, _) = bot(pool, c, 4).await?;
                chat::bind_chat(pool, c.tenant, id, "7", UserId(c.fresh), c.now).await?;
                chat::unbind_chat(pool, c.tenant, id, "7").await.map(usize::from)
            })
        }),
        control("identity::key_used", |pool, c| {
            let later = c.now + chrono::Duration::hours(1);
            Box::pin(async move { identity::key_used(pool, c.tenant, c.key, later).await.map(|()| 0) })
        }),
        control("identity::keys_of", |pool, c| {
            kept!(pool, |tx| identity::keys_of(tx, c.tenant, c.agent, 10).await.map(|keys| keys.len())?)
        }),
        control("identity::scopes_of", |pool, c| {
            kept!(pool, |tx| identity::scopes_of(tx, c.tenant, c.agent, c.now).await.map(|scopes| scopes.len())?)
        }),
        control("identity::revoke_key", |pool, c| {
            kept!(pool, |tx| identity::revoke_key(tx, c.tenant, c.key, c.now).await.map(usize::from)?)
        }),
        control("identity::insert_operator", |pool, c| {
            let login = format!("intruder@{}", c.tenant);
            kept!(pool, |tx| {
                let roles = &[OperatorRole::Viewer];
                let operator = identity::NewOperator { id: OperatorId(c.fresh), login: &login, name: "x", password_hash: "x", roles };
                identity::insert_operator(tx, c.tenant, &operator, c.now).await.map(|()| 0)?
            })
        }),
        control("identity::set_roles", |pool, c| {
            kept!(pool, |tx| identity::set_roles(tx, c.tenant, c.operator, &[OperatorRole::Viewer]).await.map(usize::from)?)
        }),
        control("identity::disable_operator", |pool, c| {
            kept!(pool, |tx| identity::disable_operator(tx, c.tenant, c.operator, c.now).await.map(usize::from)?)
        }),
        control("jobs::commons", |pool, c| {
            Box::pin(async move { Ok(usize::from(jobs::commons(pool, c.tenant).await? == Some(c.commons))) })
        }),
        Pooled {
            name: "jobs::deliver",
            kb: true,
            run: |pool, c| {
                let posted = PostedJob { task: Task::EmbedTerms, payload: json!({}), run_after: c.now };
                Box::pin(async move { jobs::deliver(pool, c.tenant, c.agent, EventId(c.fresh), &posted, c.now).await.map(|()| 0) })
            },
        },
        Pooled {
            name: "vocabulary::deliver_proposal",
            kb: true,
            run: |pool, c| {
                let (phrase, normal) = ("intruded".to_owned(), "intruded".to_owned());
                let proposal = vocabulary::Proposal { phrase, normal, agent_id: c.agent, memory_id: Some(c.id), seen_at: c.now };
                Box::pin(
                    async move { vocabulary::deliver_proposal(pool, c.tenant, EventId(c.fresh), c.fresh, &proposal).await.map(|()| 0) },
                )
            },
        },
    ]
}

/// A bot that speaks with the case's key, if the tenant has it.
async fn bot(pool: &PgPool, c: &Case, place: u128) -> Result<(BotId, bool), DbError> {
    let id = BotId(Uuid::from_u128(c.fresh.as_u128() + place));
    Ok((id, chat::insert_bot(pool, c.tenant, id, c.key, "x", &[], c.now).await?))
}

/// Queries of rows that belong to no user, with the reason.
pub const WITHOUT_USERS: &[(&str, &str)] = &[
    ("activity::insert", "what is written belongs to whoever writes"),
    ("activity::put_words", "what is written belongs to whoever writes"),
    ("memories::live", "a number over all users of an agent"),
    ("jobs::insert", "what is written belongs to whoever writes"),
    ("audit::post", "what is written belongs to whoever writes"),
    ("jobs::insert_with_origin", "what is written belongs to whoever writes"),
    ("jobs::request_synthesis", "what is written belongs to whoever writes"),
    ("capture::insert_source", "what is written belongs to whoever writes"),
    ("lifecycle::touch_session", "what is written belongs to whoever writes"),
    ("idempotency::insert", "what is written belongs to whoever writes"),
    ("portability::put_projects", "projects belong to the organisation"),
    ("portability::put_repos", "projects belong to the organisation"),
    ("portability::put_project_links", "projects belong to the organisation"),
    ("portability::projects", "projects belong to the organisation"),
    ("portability::repos", "projects belong to the organisation"),
    ("portability::project_links", "projects belong to the organisation"),
    ("portability::same_slugs", "projects belong to the organisation"),
];

/// Queries of database functions that follow the settings of the transaction: without settings they return nothing.
pub const BY_SETTINGS: &[&str] = &[
    "memories::live",
    "memories::still_linked",
    "idempotency::erase",
    "lifecycle::sweep_records",
    "lifecycle::sweep_leaves",
    "jobs::sweep",
];

/// Queries without a user: operators' views of every user, which only policies protect, and inserts of rows that a verb has checked.
pub const OF_EVERY_USER: &[(&str, &str)] = &[
    ("memories::count", "the console's list"),
    ("memories::list", "the console's list"),
    ("memories::named", "the console's audit log"),
    ("memories::counts", "the console's page of agents"),
    ("memories::written_by_day", "the console's page of agents"),
    ("memories::stored_by", "the console's page of recall health"),
    ("memories::last_write", "the console's page of recall health"),
    ("memories::newest", "the console's front page"),
    ("memories::in_reach", "the console's front page"),
    ("memories::count_phrases", "the review of the vocabulary"),
    ("memories::with_phrase", "the review of the vocabulary"),
    ("memories::unresolved", "the review of the vocabulary"),
    ("memories::stale", "re-canonicalisation"),
    ("memories::file_under", "re-canonicalisation"),
    ("memories::topic_use", "the console's page of a term"),
    ("memories::insert", "the draft has the user"),
    ("memories::link", "the user is given beside the agent"),
    ("context::insert_context", "the entry has the user"),
    ("quality::put_answer", "the answer has the user of its context"),
    ("context::insert_text", "the entry has the user"),
    ("recall::insert_log", "the log writer"),
    ("recall::count_accesses", "the log writer"),
    ("recall::nearest_of_all", "the diagnosis for operators"),
    ("recall::by_bar", "the console's page of recall health"),
    ("recall::shares", "the console's page of recall health"),
    ("recall::count_silent", "the console's page of recall health"),
    ("recall::list_silent", "the console's page of recall health"),
    ("profile::put_leaf", "the subject names the user"),
    ("profile::put_narrative", "the subject names the user"),
    ("profile::insert_version", "the subject names the user"),
    ("profile::put_connection", "the subject names the user"),
    ("documents::put_documents", "the subject names the user"),
    ("documents::put_entities", "the subject names the user"),
    ("portability::same_short_ids", "a short id is unique among all users of an agent"),
    ("jobs::depth_of", "the console's front page"),
    ("jobs::unfiled", "the console's front page"),
    ("audit::lag_of", "the console's front page"),
];

pub const EXEMPT: &[(&str, &str)] = &[
    ("recall::sweep", "the log of every tenant ends"),
    ("context::sweep", "the log of every tenant ends"),
    ("idempotency::sweep", "the requests of every tenant end"),
    ("models::model", "the model registry has no tenants"),
    ("usage::add", "each line names its tenant"),
    ("usage::prices", "prices have no tenants"),
    ("usage::set_price", "prices have no tenants"),
    ("jobs::hasten", "names its tenant, and changes only when its events are tried again"),
    ("chat::bot", "finds the tenant by a bot's id"),
    ("identity::tenant", "finds the tenant"),
    ("identity::tenant_slugs", "the command line's list of tenants"),
    ("identity::insert_tenant", "makes the tenant"),
    ("identity::key_by_prefix", "finds the tenant by a key"),
    ("identity::agent_holder", "tells whose an id is, for imports"),
    ("portability::begin_check", "a temporary table of its own transaction"),
    ("portability::note", "a temporary table of its own transaction"),
    ("portability::note_texts", "a temporary table of its own transaction"),
    ("portability::misquoted", "a temporary table of its own transaction"),
    ("portability::begin_vocabulary", "temporary tables of its own transaction"),
    ("portability::begin_knowledge", "a temporary table of its own transaction"),
    ("portability::stage", "temporary tables of its own transaction"),
    ("portability::undone_by_nothing", "a temporary table of its own transaction"),
    ("portability::open_twice", "a temporary table of its own transaction"),
    ("portability::missing", "a temporary table of its own transaction"),
    ("portability::held_elsewhere", "tells that an id it was given is taken, and by whom not"),
    ("identity::operator_by_login", "finds the tenant by a login, which is unique over all"),
    ("identity::operator", "finds the tenant by a session's operator"),
    ("identity::set_password", "by an operator's id, found before"),
    ("identity::lock_views", "an advisory lock: no row is read"),
    ("identity::session", "by a session's id, which is a secret"),
    ("identity::insert_session", "by a session's id, which is a secret"),
    ("identity::save_session", "by a session's id, which is a secret"),
    ("identity::delete_session", "by a session's id, which is a secret; and all that have ended"),
    ("jobs::claim", "workers serve all tenants"),
    ("jobs::extend", "by a lease that was claimed"),
    ("jobs::finish", "by a lease that was claimed"),
    ("jobs::depth", "a metric over all tenants"),
    ("vocabulary::lock_vocabulary", "an advisory lock: no row is read"),
    ("knowledge::lock_knowledge", "an advisory lock: no row is read"),
    ("audit::take", "the relay serves all tenants"),
    ("audit::delivered", "by rows that were taken"),
    ("audit::set_aside", "by a row that was taken"),
    ("audit::sweep", "the delivered rows of every tenant end"),
    ("audit::lag", "a metric over all tenants"),
    ("audit::heads", "the anchors of all chains, for the log and a metric"),
];
