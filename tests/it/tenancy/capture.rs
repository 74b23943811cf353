//! The queries of capture, the event bus and consolidation. Agents send in; people and background work do the rest.

use super::queries::{Case, Query, queries};
use db::cursor::Seek;
use extract::Role;
use foundation::jobs::{Held, NewEvent, Origin, State, Task, store as jobs};
use foundation::testing::World;
use remembrancer::capture::StoredTurn;
use remembrancer::capture::store::{self as capture, Body, NewSource};
use remembrancer::consolidation::{NewCandidate, Owner, Place, Spot, SurveyPayload, store as consolidation};
use remembrancer::erasure::store as erasure;
use remembrancer::memories::model::Memory;
use remembrancer::memories::store as memories;
use remembrancer::profile::store as profile;
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;
use wire::{
    EventBus, EventFilter, EventId, EventKind, InboxFilter, MemoryKind, QuarantineId, QuarantineState, SourceDetails, SourceFilter,
    SourceForm, SourceId, SourceKind, SuggestionId,
};

/// The id of a row of the fixture, derived from the memory that everything is about.
fn id(case: &Case, place: u128) -> Uuid {
    Uuid::from_u128(case.id.0.as_u128() ^ (place << 8))
}

pub fn source(case: &Case) -> SourceId {
    SourceId(id(case, 1))
}

pub fn held(case: &Case) -> Held {
    Held { tenant_id: case.tenant, agent_id: case.agent, id: EventId(id(case, 2)), attempt: 1 }
}

fn observation(case: &Case) -> EventId {
    EventId(id(case, 3))
}

fn dead(case: &Case) -> EventId {
    EventId(id(case, 4))
}

pub fn quarantined(case: &Case) -> QuarantineId {
    QuarantineId(id(case, 5))
}

pub fn suggestion(case: &Case) -> SuggestionId {
    SuggestionId(id(case, 6))
}

fn declined(case: &Case) -> SuggestionId {
    SuggestionId(id(case, 10))
}

pub fn evidence(case: &Case) -> Uuid {
    id(case, 8)
}

fn candidate(case: &Case) -> wire::MemoryId {
    wire::MemoryId(id(case, 7))
}

fn owner(case: &Case) -> Owner {
    Owner { agent_id: case.agent, user_id: case.memory.user_id }
}

fn spot(case: &Case, starts: usize) -> Spot {
    let (source_id, event_id) = (source(case), held(case).id);
    Spot { source_id, event_id, starts, ends: starts + 4, quote: "Vera".into(), speaker: None }
}

fn statement(case: &Case, starts: usize) -> NewCandidate {
    NewCandidate { topic: "tea".into(), ..NewCandidate::statement("Vera likes black tea".into(), spot(case, starts)) }
}

fn event(case: &Case, task: Task) -> NewEvent {
    let (kind, origin) = (EventKind::ConversationCapture, Origin::default());
    NewEvent { id: EventId(case.fresh), kind, task, payload: json!({}), state: State::Done, origin, now: case.now }
}

/// Copies a row, with other values in some columns.
pub async fn copy(owner: &mut PgConnection, table: &str, key: &str, id: Uuid, values: &serde_json::Value) {
    let columns: String = sqlx::query_scalar(
        "select string_agg(column_name, ', ') from information_schema.columns
          where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'",
    )
    .bind(table)
    .fetch_one(&mut *owner)
    .await
    .unwrap();
    let sql = format!(
        "insert into {table} ({columns}) select {columns} from (select (jsonb_populate_record(t, $2)).* from {table} t where {key} = $1) t"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(id).bind(values).execute(owner).await.unwrap();
}

/// A source with a running event, an observation, a dead event, evidence, a turn in quarantine, two proposals and a candidate.
pub async fn fill(world: &World, owner: &mut PgConnection, case: &Case) {
    let (tenant, agent, user) = (world.system.tenant_id, case.agent, case.memory.user_id);
    let state =
        json!({ "id": candidate(case), "short_id": "inboxone", "status": "inbox", "live": false, "content": "Vera likes mint tea" });
    copy(owner, "agent_memories", "id", case.id.0, &state).await;
    let proposed = json!({ "memory_id": candidate(case), "change": "proposed" });
    copy(owner, "agent_memory_versions", "version = 1 and memory_id", case.id.0, &proposed).await;
    sqlx::query(
        "insert into memory_proposals (tenant_id, agent_id, id, user_id, from_id, to_id, relation, reason, state, created_at, decided_at)
         values ($1, $2, $3, $4, $5, $6, 'supersedes', 'because', 'declined', now(), now())",
    )
    .bind(tenant)
    .bind(agent)
    .bind(declined(case))
    .bind(user)
    .bind(case.id)
    .bind(case.other)
    .execute(&mut *owner)
    .await
    .unwrap();
    for sql in [
        "insert into sources (tenant_id, agent_id, id, user_id, kind, reference, content, created_at, form, title, turns, whole_id)
         values ($1, $2, $3, $4, 'conversation', 'talk', 'Vera likes tea. Vera likes cocoa.', now(), 'note', 'talk', '[]', $3)",
        "insert into events (tenant_id, agent_id, id, user_id, kind, task, state, attempt, run_after, leased_until, created_at, source_id)
         values ($1, $2, $5, $4, 'maintenance', 'synthesise', 'running', 1, now(), now() + interval '1 year', now(), $3)",
        "insert into events (tenant_id, agent_id, id, user_id, kind, task, state, run_after, created_at, source_id)
         values ($1, $2, $6, $4, 'observation', 'observe', 'pending', now(), now(), $3)",
        "insert into events (tenant_id, agent_id, id, user_id, kind, task, state, run_after, created_at, source_id, outcome)
         values ($1, $2, gen_random_uuid(), $4, 'observation', 'observe', 'done', now(), now(), $3, '{\"extractor\": \"rules\"}')",
        "insert into events (tenant_id, agent_id, id, user_id, kind, task, state, attempt, run_after, created_at)
         values ($1, $2, $7, $4, 'conversation_capture', 'extract', 'dead', 8, now(), now())",
        "insert into events (tenant_id, agent_id, id, kind, task, state, run_after, created_at)
         values ($1, $2, gen_random_uuid(), 'maintenance', 'survey', 'done', now(), now())",
        "update agent_memory_versions set change = 'promoted', actor_kind = 'operator'
          where tenant_id = $1 and agent_id = $2 and memory_id = $10 and version = 1",
        "insert into quarantine (tenant_id, agent_id, id, user_id, source_id, event_id, starts, ends, quote, reasons, state, created_at)
         values ($1, $2, $8, $4, $3, $5, 0, 4, 'Vera', '{because}', 'waiting', now())",
        "insert into memory_proposals (tenant_id, agent_id, id, user_id, from_id, to_id, relation, reason, state, created_at)
         values ($1, $2, $9, $4, $10, $11, 'contradicts', 'because', 'open', now())",
        "insert into evidence (tenant_id, agent_id, id, memory_id, user_id, candidate_id, source_id, event_id, starts, ends, quote,
                               speaker, created_at)
         values ($1, $2, $12, $10, $4, $11, $3, $5, 0, 4, 'Vera', 'Vera', now())",
        "insert into erased_sources (tenant_id, agent_id, source_id, memory_id, request_id, erased_at)
         values ($1, $2, $3, $10, $5, now())",
        "insert into tombstones (tenant_id, agent_id, memory_id, content_hash, user_id, source, created_at)
         values ($1, $2, gen_random_uuid(), '\\x07', $4, '{\"platform\": \"slack\"}', now())",
    ] {
        // Every statement gets every value: the places of those that it does not use are typed here.
        let sql = format!(
            "with unused as (select $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::uuid, $7::uuid, $8::uuid, $9::uuid, $10::uuid,
                                    $11::uuid, $12::uuid) {sql}"
        );
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(tenant)
            .bind(agent)
            .bind(source(case))
            .bind(user)
            .bind(held(case).id)
            .bind(observation(case))
            .bind(dead(case))
            .bind(quarantined(case))
            .bind(suggestion(case))
            .bind(case.id)
            .bind(case.other)
            .bind(evidence(case))
            .execute(&mut *owner)
            .await
            .unwrap();
    }
}

/// What agents' calls run.
pub const CAPTURE: &[Query] = queries! {
    "capture::insert_source" |tx, c| {
        let details = SourceDetails::default();
        let new = NewSource {
            id: SourceId(c.fresh), whole: SourceId(c.fresh), part: 1, parts: 1, kind: SourceKind::Manual, form: SourceForm::Note,
            title: "x", details: &details, body: Body::Text("x"), turns: json!([]), user: c.memory.user_id, now: c.now,
        };
        capture::insert_source(tx, c.ctx.tenancy(), c.agent, &new).await?;
        0
    };
    "capture::parts" |tx, c| capture::parts(tx, c.ctx.tenancy(), c.agent, source(c)).await?.len();
    "jobs::insert_with_origin" |tx, c| {
        let origin = Origin { user_id: c.memory.user_id, ..Origin::default() };
        jobs::insert_with_origin(tx, c.ctx.tenancy(), c.agent, &NewEvent { origin, ..event(c, Task::Extract) }).await?;
        0
    };
    "jobs::request_synthesis" |tx, c| {
        sqlx::query("update events set run_after = now() where tenant_id = $1 and (user_id is null or user_id = $2 or $2 = 'ffffffff-ffff-ffff-ffff-ffffffffffff')")
            .bind(c.tenant).bind(c.ctx.users).execute(&mut **tx).await?;
        jobs::request_synthesis(tx, c.ctx.tenancy(), c.agent, c.memory.user_id, &event(c, Task::Synthesise)).await?;
        0
    };
    "memories::waiting_texts" |tx, c| memories::waiting_texts(tx, c.ctx.tenancy(), c.agent, c.agent, 10).await?.len();
    "memories::evidence_of" |tx, c| memories::evidence_of(tx, c.ctx.tenancy(), &[c.id], 10).await?.len();
    "consolidation::candidates" |tx, c| consolidation::candidates(tx, c.ctx.tenancy(), c.agent, &[candidate(c)]).await?.len();
};

/// What the console and background work run.
pub const INBOX: &[Query] = queries! {
    "erasure::erased_by" |tx, c| erasure::erased_by(tx, c.tenant, &[c.id.0, source(c).0]).await?.len();
    "capture::source_of_event" |tx, c| usize::from(capture::source_of_event(tx, c.ctx.tenancy(), held(c)).await?.is_some());
    "capture::captured_parts" |tx, c| capture::captured_parts(tx, c.ctx.tenancy(), source(c)).await?.len();
    "capture::user_of_event" |tx, c| {
        sqlx::query("update events set user_id = $2 where tenant_id = $1").bind(c.tenant).bind(c.fresh).execute(&mut **tx).await?;
        usize::from(capture::user_of_event(tx, c.ctx.tenancy(), held(c)).await?.is_some())
    };
    "capture::observations" |tx, c| capture::observations(tx, c.ctx.tenancy(), owner(c), 10).await?.len();
    "capture::read_by_rules" |tx, c| capture::read_by_rules(tx, c.ctx.tenancy(), owner(c), &[source(c).0], 10).await?.len();
    "capture::has_observations" |tx, c| usize::from(capture::has_observations(tx, c.ctx.tenancy(), owner(c)).await?);
    "capture::mark_processed" |tx, c| {
        capture::mark_processed(tx, c.ctx.tenancy(), c.agent, &[observation(c)], true, c.now).await?;
        0
    };
    "capture::end_synthesis" |tx, c| { capture::end_synthesis(tx, c.ctx.tenancy(), held(c), &json!({}), c.now).await?; 0 };
    "capture::insert_quarantine" |tx, c| {
        capture::insert_quarantine(tx, c.ctx.tenancy(), owner(c), QuarantineId(c.fresh), &spot(c, 5), &["because".into()], c.now).await?;
        0
    };
    "capture::source_count" |tx, c| capture::source_count(tx, c.tenant, &SourceFilter::default()).await? as usize;
    "capture::source_list" |tx, c| capture::source_list(tx, c.tenant, &SourceFilter::default(), &Seek::First, 10).await?.len();
    "capture::source_parts" |tx, c| capture::source_parts(tx, c.tenant, source(c)).await?.len();
    "capture::source_titles" |tx, c| capture::source_titles(tx, c.tenant, &[source(c)]).await?.len();
    "capture::source_numbers" |tx, c| capture::source_numbers(tx, c.tenant, &[source(c)]).await?.len();
    "capture::quoted" |tx, c| capture::quoted(tx, c.tenant, source(c), 0, 10).await?.len();
    "capture::lock_parts" |tx, c| capture::lock_parts(tx, c.ctx.tenancy(), source(c)).await?.len();
    "capture::put_turns" |tx, c| {
        let turn = StoredTurn { speaker: Some("intruder".into()), role: Role::Person, at: None, start: 0, end: 4 };
        capture::put_turns(tx, c.ctx.tenancy(), c.agent, source(c), &[turn]).await?;
        0
    };
    "capture::interrupt" |tx, c| { capture::interrupt(tx, c.ctx.tenancy(), &[source(c)], c.now).await?; 0 };
    "capture::quoting" |tx, c| capture::quoting(tx, c.ctx.tenancy(), &[source(c)], "Vera").await?.len();
    "capture::rename_in_evidence" |tx, c| {
        capture::rename_in_evidence(tx, c.ctx.tenancy(), &[source(c)], "Vera", "intruder").await?;
        0
    };
    "capture::equal" |tx, c| capture::equal(tx, c.ctx.tenancy(), &[c.agent], std::slice::from_ref(&c.memory.content_hash)).await?.len();
    "capture::rename_memory" |tx, c| {
        capture::rename_memory(tx, c.ctx.tenancy(), &Memory { content: "intruded".into(), ..c.memory.clone() }).await?;
        0
    };
    "capture::event_count" |tx, c| capture::event_count(tx, c.tenant, &EventFilter::default()).await? as usize;
    "capture::event_list" |tx, c| capture::event_list(tx, c.tenant, &EventFilter::default(), &Seek::First, 10).await?.len();
    "capture::events_of_source" |tx, c| capture::events_of_source(tx, c.tenant, source(c), 10).await?.len();
    "capture::retry" |tx, c| capture::retry(tx, c.tenant, &[dead(c)], c.now).await?.len();
    "memories::status_counts" |tx, c| memories::status_counts(tx, c.tenant, c.agent).await?.len();
    "memories::user_counts" |tx, c| {
        let own = "update agent_memories set user_id = $2 where tenant_id = $1 and user_id is null";
        sqlx::query(own).bind(c.tenant).bind(c.fresh).execute(&mut **tx).await?;
        memories::user_counts(tx, c.tenant, c.agent, 10).await?.len()
    };
    "profile::counts" |tx, c| {
        let (profiles, connections) = profile::counts(tx, c.tenant, c.agent).await?;
        (profiles + connections) as usize
    };
    "jobs::hold" |tx, c| usize::from(jobs::hold(tx, held(c)).await?);
    "jobs::record_progress" |tx, c| { jobs::record_progress(tx, held(c), &json!({ "read": 1 })).await?; 0 };
    "consolidation::memory_at" |tx, c| usize::from(consolidation::memory_at(tx, c.ctx.tenancy(), owner(c), &spot(c, 0)).await?.is_some());
    "consolidation::quarantine_at" |tx, c| consolidation::quarantine_at(tx, c.ctx.tenancy(), owner(c), &spot(c, 0)).await?.len();
    "consolidation::is_forgotten" |tx, c| usize::from(consolidation::is_forgotten(tx, c.ctx.tenancy(), owner(c), &[7]).await?);
    "consolidation::same_content" |tx, c| {
        let found = consolidation::same_content(tx, c.ctx.tenancy(), owner(c), &statement(c, 0), &c.memory.content_hash, c.now).await?;
        usize::from(found.is_some())
    };
    "consolidation::nearest" |tx, c| consolidation::nearest(tx, c.ctx.tenancy(), owner(c), c.embedded(), Place::of_memory(&c.memory), 5, c.now).await?.len();
    "consolidation::rewrite" |tx, c| {
        consolidation::rewrite(tx, c.ctx.tenancy(), &Memory { id: candidate(c), topic_raw: "intruded".into(), ..c.memory.clone() }).await?;
        0
    };
    "consolidation::insert_evidence" |tx, c| {
        consolidation::insert_evidence(tx, c.ctx.tenancy(), owner(c), c.id, c.fresh, &statement(c, 5), c.now).await?;
        0
    };
    "memories::copy_evidence" |tx, c| {
        memories::copy_evidence(tx, c.ctx.tenancy(), c.agent, c.id, c.ctx.commons_id, c.id).await?;
        0
    };
    "memories::take_evidence" |tx, c| {
        let commons = c.ctx.commons_id;
        memories::copy_evidence(tx, c.ctx.tenancy(), c.agent, c.id, commons, wire::MemoryId(c.fresh)).await?;
        memories::take_evidence(tx, c.ctx.tenancy(), c.agent, c.id, commons, c.id).await?;
        0
    };
    "consolidation::move_evidence" |tx, c| { consolidation::move_evidence(tx, c.ctx.tenancy(), c.agent, c.id, c.other).await?; 0 };
    "consolidation::give_evidence_back" |tx, c| {
        consolidation::give_evidence_back(tx, c.ctx.tenancy(), c.agent, c.id, c.other, &[evidence(c)]).await?;
        0
    };
    "consolidation::take_evidence_back" |tx, c| {
        consolidation::take_evidence_back(tx, c.ctx.tenancy(), c.agent, c.other).await?;
        0
    };
    "consolidation::merged_into" |tx, c| consolidation::merged_into(tx, c.ctx.tenancy(), c.agent, c.other).await?.len();
    "consolidation::surroundings" |tx, c| {
        let place = wire::MemoryEvidence {
            source_id: source(c), source_title: String::new(), speaker: None, observed_at: None, starts: 5, ends: 10, quote: String::new(),
        };
        consolidation::surroundings(tx, c.ctx.tenancy(), &place, 5).await?.0.len()
    };
    "consolidation::count" |tx, c| consolidation::count(tx, c.tenant, &InboxFilter::default()).await? as usize;
    "consolidation::list" |tx, c| {
        let filter = InboxFilter { kind: Some(MemoryKind::Profile), ..InboxFilter::default() };
        consolidation::list(tx, c.tenant, &filter, &Seek::First, 10).await?.len()
    };
    "consolidation::was_candidate" |tx, c|
        usize::from(consolidation::was_candidate(tx, c.ctx.tenancy(), c.agent, candidate(c)).await?);
    "consolidation::proposed" |tx, c|
        usize::from(consolidation::proposed(tx, c.ctx.tenancy(), c.agent, candidate(c)).await?.is_some());
    "consolidation::suggestions_of" |tx, c| consolidation::suggestions_of(tx, c.ctx.tenancy(), &[c.id]).await?.len();
    "consolidation::open_suggestion" |tx, c| usize::from(consolidation::open_suggestion(tx, c.ctx.tenancy(), suggestion(c)).await?.is_some());
    "consolidation::close_suggestion" |tx, c| { consolidation::close_suggestion(tx, c.ctx.tenancy(), suggestion(c), true, "x", None, c.now).await?; 0 };
    "memories::accepted" |tx, c| {
        consolidation::close_suggestion(tx, c.ctx.tenancy(), suggestion(c), true, "x", Some(&json!({ "what": "linked" })), c.now).await?;
        memories::accepted(tx, c.ctx.tenancy(), c.agent, c.id).await?.len()
    };
    "consolidation::decided" |tx, c| usize::from(consolidation::decided(tx, c.ctx.tenancy(), declined(c)).await?.is_some());
    "consolidation::reopen_suggestion" |tx, c| { consolidation::reopen_suggestion(tx, c.ctx.tenancy(), declined(c)).await?; 0 };
    "consolidation::disputed" |tx, c| consolidation::disputed(tx, c.ctx.tenancy(), &[c.other]).await?.len();
    "consolidation::suggestion_count" |tx, c| consolidation::suggestion_count(tx, c.ctx.tenancy(), None).await? as usize;
    "consolidation::suggestion_list" |tx, c| consolidation::suggestion_list(tx, c.ctx.tenancy(), None, &Seek::First, 10).await?.len();
    "consolidation::last_survey" |tx, c| usize::from(consolidation::last_survey(tx, c.tenant).await?.is_some());
    "consolidation::to_survey" |tx, c| {
        let (model, vector) = (c.embedded().model, c.embedded().vector.len());
        consolidation::to_survey(tx, c.ctx.tenancy(), model, vector, &SurveyPayload::default(), 10).await?.len()
    };
    "consolidation::is_linked" |tx, c| usize::from(consolidation::is_linked(tx, c.ctx.tenancy(), c.id, c.other).await?);
    "jobs::request_once" |tx, c| { jobs::request_once(tx, c.tenant, c.agent, &event(c, Task::Survey), c.now).await?; 0 };
    "jobs::request_expectations" |tx, c| { jobs::request_expectations(tx, c.tenant, c.agent, &event(c, Task::RunExpectations)).await?; 0 };
    "consolidation::quarantine_count" |tx, c| consolidation::quarantine_count(tx, c.ctx.tenancy()).await? as usize;
    "consolidation::quarantine_list" |tx, c| consolidation::quarantine_list(tx, c.ctx.tenancy(), &Seek::First, 10).await?.len();
    "consolidation::quarantined" |tx, c|
        usize::from(consolidation::quarantined(tx, c.ctx.tenancy(), quarantined(c)).await?.is_some());
    "consolidation::reopen_quarantined" |tx, c| {
        consolidation::close_quarantined(tx, c.ctx.tenancy(), quarantined(c), QuarantineState::Dismissed, "x", c.now).await?;
        usize::from(consolidation::reopen_quarantined(tx, c.ctx.tenancy(), quarantined(c)).await?)
    };
    "consolidation::close_quarantined" |tx, c| {
        consolidation::close_quarantined(tx, c.ctx.tenancy(), quarantined(c), QuarantineState::Dismissed, "x", c.now).await?;
        0
    };
};

fn of_knowledge() -> EventFilter {
    EventFilter { bus: Some(EventBus::Knowledge), ..EventFilter::default() }
}

/// In the database of knowledge: the bus that the console reads.
pub const CAPTURE_KB: &[Query] = queries! {
    "capture::event_count" |tx, c| capture::event_count(tx, c.tenant, &of_knowledge()).await? as usize;
    "capture::event_list" |tx, c| capture::event_list(tx, c.tenant, &of_knowledge(), &Seek::First, 10).await?.len();
    "capture::retry_knowledge" |tx, c| {
        sqlx::query("update events set state = 'dead' where tenant_id = $1").bind(c.tenant).execute(&mut **tx).await?;
        let ids: Vec<EventId> = sqlx::query_scalar("select id from events").fetch_all(&mut **tx).await?;
        capture::retry_knowledge(tx, c.tenant, &ids, c.now).await?.len()
    };
};
