//! Review: people decide what agents propose. Every decision can be previewed, is audited, and can be undone.

use super::lookup;
use super::plan::Planner;
use super::store::{self, DecisionRow, ProposalRow};
use crate::memories;
use db::Tx;
use db::cursor::{Cursor, Seek};
use foundation::audit::{self, NewEntry};
use foundation::intake::{Admitted, Reason};
use foundation::jobs::{self, NewEvent, Task};
use foundation::terms::{self, Plan, State};
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::{BTreeMap, HashMap};
use verb::verb;
use wire::{
    AgentId, BULK_MAX, CATEGORY_MAX, DEFINITION_MAX, Decision, DecisionId, DecisionKind, Effect, Evidence, Page, Proposal, ProposalDetail,
    ProposalFilter, ProposalId, ProposalStatus, REASON_MAX, TOPIC_MAX, TermId, Verdict,
};
use words::normal;

/// Rows on one page of the console.
const PAGE: usize = 50;
/// Memories and terms shown beside a proposal.
const SHOWN: i64 = 5;

/// A page of proposals, the most frequent first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor or text.
#[verb(role = Viewer)]
pub async fn proposals(engine: &Engine, ctx: &OpContext, filter: &ProposalFilter) -> Result<Page<Proposal>, Error> {
    Checks::default().optional_text("q", filter.q.as_deref(), TOPIC_MAX).done()?;
    let seek = Seek::<i64>::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let mut tx = engine.db().kb.begin_snapshot(ctx.tenancy()).await?;
    let total = store::count_proposals(&mut tx, ctx.tenant_id, filter).await?;
    let rows = store::list_proposals(&mut tx, ctx.tenant_id, filter, &seek, PAGE).await?;
    let decisions = decisions_on(&mut tx, ctx, &rows).await?;
    tx.commit().await?;
    let page = seek.page(rows, PAGE, total, |row: &ProposalRow| Cursor { key: row.count, id: row.id.0 });
    let Page { rows, next, previous, total } = page;
    Ok(Page { rows: with_decisions(engine, ctx, rows, decisions).await?, next, previous, total })
}

/// Proposals by id, in the order of `ids`; ids that name none of the tenant's proposals are left out.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for more than [`BULK_MAX`] ids.
#[verb(role = Viewer)]
pub async fn proposals_by_id(engine: &Engine, ctx: &OpContext, ids: &[ProposalId]) -> Result<Vec<Proposal>, Error> {
    check_number(&mut Checks::default(), ids).done()?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let rows = store::proposals(&mut tx, ctx.tenant_id, ids, false).await?;
    let decisions = decisions_on(&mut tx, ctx, &rows).await?;
    tx.commit().await?;
    let mut proposals = with_decisions(engine, ctx, rows, decisions).await?;
    proposals.sort_by_key(|proposal| ids.iter().position(|id| *id == proposal.id));
    Ok(proposals)
}

/// One proposal with evidence, the nearest terms and the effect of a decision on it.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `NotFound` for another tenant's.
#[verb(role = Viewer)]
pub async fn proposal(engine: &Engine, ctx: &OpContext, id: ProposalId) -> Result<ProposalDetail, Error> {
    let slugs = memories::slugs(engine, ctx).await?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let row = store::proposals(&mut tx, ctx.tenant_id, &[id], false).await?.pop().ok_or(Error::NotFound("proposal"))?;
    let met = store::met_in(&mut tx, ctx.tenant_id, id, SHOWN).await?;
    let decisions = decisions_on(&mut tx, ctx, std::slice::from_ref(&row)).await?;
    tx.commit().await?;
    let decision = with_progress(engine, ctx, decisions).await?.pop();
    let met: Vec<_> = met.into_iter().map(|(_, memory)| memory).collect();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let evidence = memories::store::with_phrase(&mut tx, ctx.tenant_id, &row.normal, &met, SHOWN).await?;
    let (memories, agents) = memories::store::count_phrases(&mut tx, ctx.tenant_id, std::slice::from_ref(&row.normal)).await?;
    tx.commit().await?;
    let nearest = lookup::nearest_terms(engine, ctx, &row.phrase).await?;
    let slug = |id: AgentId| slugs.get(&id).cloned().unwrap_or_default();
    let evidence = evidence.into_iter().map(|memory| Evidence {
        memory_id: memory.id,
        agent_slug: slug(memory.agent_id),
        topic_raw: memory.topic_raw,
        content: memory.content,
        platform: memory.source.platform,
        updated_at: memory.updated_at,
    });
    let effect = Effect { memories, agents, phrases: vec![(row.normal.clone(), None)] };
    Ok(ProposalDetail { evidence: evidence.collect(), nearest, effect, proposal: shown(row, decision, &slugs) })
}

/// What a verdict would change, without changing it.
///
/// # Errors
/// As [`decide`].
#[verb(role = Viewer)]
pub async fn preview(engine: &Engine, ctx: &OpContext, ids: &[ProposalId], verdict: &Verdict) -> Result<Effect, Error> {
    check(ids, verdict)?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let rows = open_ones(&mut tx, ctx, ids, false).await?;
    tx.commit().await?;
    let plan = planner(engine, &state, &|| engine.clock().id()).verdict(&phrases(&rows), verdict)?;
    concerned(engine, ctx, state.changes(&plan)?).await
}

/// Decides proposals, all or none. If two reviewers decide the same one at once, the second learns that the other was faster.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` with the field; `NotFound` for a foreign proposal or term; `Conflict` when a proposal
/// was decided meanwhile, or its phrase already means something.
#[verb(role = Reviewer)]
pub async fn decide(engine: &Engine, ctx: &OpContext, ids: &[ProposalId], verdict: &Verdict) -> Result<Decision, Error> {
    let verdict = &*Admitted::new(verdict.clone())?;
    check(ids, verdict)?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_vocabulary(&mut tx, ctx.tenant_id).await?;
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let rows = open_ones(&mut tx, ctx, ids, true).await?;
    let new_id = || engine.clock().id();
    let plan = planner(engine, &state, &new_id).verdict(&phrases(&rows), verdict)?;
    let (kind, status, reason) = match verdict {
        Verdict::Approve { .. } => (DecisionKind::Approve, ProposalStatus::Approved, None),
        Verdict::Merge { .. } => (DecisionKind::Merge, ProposalStatus::Merged, None),
        Verdict::Reject { reason } => (DecisionKind::Reject, ProposalStatus::Rejected, Some(reason.trim().to_owned())),
    };
    let term = match (verdict, plan.open_terms.as_slice()) {
        (Verdict::Merge { term_id }, _) => Some((*term_id, state.term(*term_id)?.term.clone())),
        (_, [only]) => Some((only.lineage, only.term.clone())),
        _ => None,
    };
    let made =
        Made { kind, status, subjects: rows.iter().map(|row| row.phrase.clone()).collect(), term, reason, proposals: ids, undoes: None };
    commit(engine, ctx, tx, &state, plan, made).await
}

/// Undoes a decision: closes the rows that it opened, opens those that it closed, and opens its proposals again.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for a foreign one; `Conflict` when it was undone already, or a later decision
/// depends on it.
#[verb(role = Reviewer)]
pub async fn undo(engine: &Engine, ctx: &OpContext, id: DecisionId) -> Result<Decision, Error> {
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_vocabulary(&mut tx, ctx.tenant_id).await?;
    let row = store::decisions(&mut tx, ctx.tenant_id, &[id]).await?.pop().ok_or(Error::NotFound("decision"))?;
    if row.undone_by.is_some() || row.kind == DecisionKind::Undo {
        return Err(Error::Conflict("this decision was already undone".into()));
    }
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let opened = store::rows(&mut tx, ctx.tenant_id, &row.opened_terms, &row.opened_aliases).await?;
    let closed = store::rows(&mut tx, ctx.tenant_id, &row.closed_terms, &row.closed_aliases).await?;
    let new_id = || engine.clock().id();
    let plan = planner(engine, &state, &new_id).undo(opened, closed)?;
    store::reopen(&mut tx, ctx.tenant_id, id).await?;
    let made = Made {
        kind: DecisionKind::Undo,
        status: ProposalStatus::Merged,
        subjects: row.subjects.clone(),
        term: row.term_id.zip(row.term.clone()),
        reason: None,
        proposals: &[],
        undoes: Some(id),
    };
    commit(engine, ctx, tx, &state, plan, made).await
}

/// A page of decisions, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for a foreign cursor.
#[verb(role = Viewer)]
pub async fn decisions(engine: &Engine, ctx: &OpContext, after: Option<&str>, before: Option<&str>) -> Result<Page<Decision>, Error> {
    let seek = Seek::from_parameters(after, before)?;
    let mut tx = engine.db().kb.begin_snapshot(ctx.tenancy()).await?;
    let total = store::count_decisions(&mut tx, ctx.tenant_id).await?;
    let rows = store::list_decisions(&mut tx, ctx.tenant_id, &seek, PAGE).await?;
    tx.commit().await?;
    let page = seek.page(rows, PAGE, total, |row: &DecisionRow| Cursor { key: row.at, id: row.id.0 });
    let Page { rows, next, previous, total } = page;
    Ok(Page { rows: with_progress(engine, ctx, rows).await?, next, previous, total })
}

/// A decision to be written.
pub(super) struct Made<'a> {
    pub kind: DecisionKind,
    /// The new status of the proposals.
    pub status: ProposalStatus,
    pub subjects: Vec<String>,
    pub term: Option<(TermId, String)>,
    pub reason: Option<String>,
    pub proposals: &'a [ProposalId],
    pub undoes: Option<DecisionId>,
}

pub(super) fn planner<'a>(engine: &Engine, state: &'a State, new_id: &'a (dyn Fn() -> uuid::Uuid + Send + Sync)) -> Planner<'a> {
    Planner { state, now: engine.clock().now(), new_id }
}

/// How many memories and agents the changed meanings concern.
pub(super) async fn concerned(engine: &Engine, ctx: &OpContext, changes: BTreeMap<String, Option<String>>) -> Result<Effect, Error> {
    let forms: Vec<String> = changes.keys().cloned().collect();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let (memories, agents) = memories::store::count_phrases(&mut tx, ctx.tenant_id, &forms).await?;
    tx.commit().await?;
    Ok(terms::effect(changes, memories, agents))
}

/// Writes a plan with everything that follows from it, in the one transaction that holds the vocabulary's lock: rows, version, decision,
/// proposals, audit row, and the job that refiles memories.
pub(super) async fn commit(
    engine: &Engine,
    ctx: &OpContext,
    mut tx: Tx,
    state: &State,
    plan: Plan,
    made: Made<'_>,
) -> Result<Decision, Error> {
    let (tenant, now) = (ctx.tenant_id, engine.clock().now());
    let changes = state.changes(&plan)?;
    let effect = concerned(engine, ctx, changes.clone()).await?;
    let forms: Vec<String> = changes.keys().cloned().collect();
    let known: Vec<String> = changes.iter().filter(|(_, term)| term.is_some()).map(|(form, _)| form.clone()).collect();
    store::apply(&mut tx, tenant, &plan, now).await?;
    // A rejection changes no meaning, so snapshots stay valid.
    let version = if plan == Plan::default() {
        terms::store::version(&mut tx, tenant).await?
    } else {
        store::next_version(&mut tx, tenant, now).await?
    };
    let row = DecisionRow {
        id: DecisionId(engine.clock().id()),
        kind: made.kind,
        subjects: made.subjects,
        term_id: made.term.as_ref().map(|(id, _)| *id),
        term: made.term.map(|(_, term)| term),
        reason: made.reason,
        actor_kind: ctx.actor.kind().to_owned(),
        actor_id: ctx.actor.id(),
        actor_name: ctx.actor.name().to_owned(),
        at: now,
        version,
        forms,
        memories: effect.memories,
        opened_terms: plan.open_terms.iter().map(|term| term.id).collect(),
        closed_terms: plan.close_terms,
        opened_aliases: plan.open_aliases.iter().map(|alias| alias.id).collect(),
        closed_aliases: plan.close_aliases,
        undone_by: None,
        stands: true,
    };
    store::insert_decision(&mut tx, tenant, &row).await?;
    if let Some(undone) = made.undoes {
        store::mark_undone(&mut tx, tenant, undone, row.id).await?;
    }
    store::settle(&mut tx, tenant, made.proposals, &known, made.status, row.id).await?;
    let entry = NewEntry::new(engine, ctx, format!("vocabulary.{}", row.kind), "decision", row.id, message(&row))
        .reason(row.reason.as_deref().map(Reason::new).as_ref())
        .changes(serde_json::json!({ "phrases": changes, "memories": row.memories, "version": version }));
    audit::record(&mut tx, tenant, ctx.commons_id, &entry).await?;
    if !row.forms.is_empty() {
        let work = super::recanonicalise::Work { forms: row.forms.clone(), version };
        super::recanonicalise::request(engine, ctx, &mut tx, &work).await?;
    }
    if !plan.open_terms.is_empty() {
        let event = NewEvent::pending(engine, Task::EmbedTerms, serde_json::json!({}));
        jobs::store::insert(&mut tx, tenant, ctx.commons_id, &event).await?;
    }
    tx.commit().await?;
    // The reviewer sees the decision at once; other servers learn it within a second.
    engine.vocabulary().outdate(tenant);
    engine.relay().settle().await;
    engine.jobs().wake();
    metrics::counter!("remembrancer_vocabulary_decisions_total", "kind" => row.kind.as_str()).increment(1);
    with_progress(engine, ctx, vec![row]).await?.pop().ok_or_else(|| Error::internal("the decision that was made is missing"))
}

fn message(row: &DecisionRow) -> String {
    let subjects = row.subjects.iter().take(5).map(|subject| format!("“{subject}”")).collect::<Vec<_>>().join(", ");
    let more = row.subjects.len().saturating_sub(5);
    let subjects = if more > 0 { format!("{subjects} and {more} more") } else { subjects };
    let term = row.term.as_deref().unwrap_or_default();
    match row.kind {
        DecisionKind::Approve if row.term.is_some() => format!("approved {subjects} as “{term}”"),
        DecisionKind::Approve => format!("approved {subjects}"),
        DecisionKind::Merge => format!("made {subjects} an alias of “{term}”"),
        DecisionKind::Reject => format!("rejected {subjects}"),
        DecisionKind::Add => format!("added {subjects}"),
        DecisionKind::Rename => format!("renamed {subjects} to “{term}”"),
        DecisionKind::Define => format!("described {subjects} again"),
        DecisionKind::Alias => format!("added the alias {subjects} to “{term}”"),
        DecisionKind::Unalias => format!("removed the alias {subjects} from “{term}”"),
        DecisionKind::Combine => format!("combined {subjects} into “{term}”"),
        DecisionKind::Retire => format!("retired {subjects}"),
        DecisionKind::Undo => format!("undid the decision on {subjects}"),
    }
}

/// The decisions on some proposals.
async fn decisions_on(tx: &mut Tx, ctx: &OpContext, rows: &[ProposalRow]) -> Result<Vec<DecisionRow>, Error> {
    let ids: Vec<DecisionId> = rows.iter().filter_map(|row| row.decision_id).collect();
    Ok(store::decisions(tx, ctx.tenant_id, &ids).await?)
}

/// Proposals with the slugs of their agents and their decisions.
async fn with_decisions(
    engine: &Engine,
    ctx: &OpContext,
    rows: Vec<ProposalRow>,
    decisions: Vec<DecisionRow>,
) -> Result<Vec<Proposal>, Error> {
    let slugs = memories::slugs(engine, ctx).await?;
    let decisions: HashMap<DecisionId, Decision> =
        with_progress(engine, ctx, decisions).await?.into_iter().map(|decision| (decision.id, decision)).collect();
    let proposal = |row: ProposalRow| {
        let decision = row.decision_id.and_then(|id| decisions.get(&id).cloned());
        shown(row, decision, &slugs)
    };
    Ok(rows.into_iter().map(proposal).collect())
}

/// Decisions with the number of memories that are still to be refiled.
pub(super) async fn with_progress(engine: &Engine, ctx: &OpContext, rows: Vec<DecisionRow>) -> Result<Vec<Decision>, Error> {
    let running: Vec<_> = rows.iter().filter(|row| row.memories > 0).map(|row| (row.id, row.version, row.forms.clone())).collect();
    let mut remaining = HashMap::new();
    if !running.is_empty() {
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        remaining = memories::store::unresolved(&mut tx, ctx.tenant_id, &running).await?.into_iter().collect();
        tx.commit().await?;
    }
    let decision = |row: DecisionRow| Decision {
        remaining: remaining.get(&row.id).copied().unwrap_or(0),
        undone: row.undone_by.is_some(),
        undoable: row.undone_by.is_none() && row.kind != DecisionKind::Undo && row.stands,
        id: row.id,
        kind: row.kind,
        subjects: row.subjects,
        term: row.term,
        term_id: row.term_id,
        reason: row.reason,
        by: row.actor_name,
        at: row.at,
        version: row.version,
        memories: row.memories,
    };
    Ok(rows.into_iter().map(decision).collect())
}

fn check(ids: &[ProposalId], verdict: &Verdict) -> Result<(), Error> {
    let mut checks = Checks::default();
    check_number(&mut checks, ids).that(!ids.is_empty(), "ids", "must name at least one proposal");
    match verdict {
        Verdict::Approve { term, definition, category } => {
            check_term(&mut checks, term.as_deref(), definition, category.as_deref());
        }
        Verdict::Merge { .. } => {}
        Verdict::Reject { reason } => {
            checks.text("reason", reason, REASON_MAX);
        }
    }
    checks.done()
}

fn check_number<'a>(checks: &'a mut Checks, ids: &[ProposalId]) -> &'a mut Checks {
    checks.that(ids.len() <= BULK_MAX, "ids", format!("names {} proposals; at most {BULK_MAX} are allowed", ids.len()))
}

pub(super) fn check_term(checks: &mut Checks, term: Option<&str>, definition: &str, category: Option<&str>) {
    checks
        .optional_text("term", term, TOPIC_MAX)
        .that(term.is_none_or(|term| !normal(term).is_empty()), "term", "must have letters or digits")
        .limit("definition", definition, DEFINITION_MAX)
        .limit("category", category.unwrap_or_default(), CATEGORY_MAX);
}

/// The proposals by these ids, if all of them are open.
async fn open_ones(tx: &mut Tx, ctx: &OpContext, ids: &[ProposalId], lock: bool) -> Result<Vec<ProposalRow>, Error> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let rows = store::proposals(tx, ctx.tenant_id, &ids, lock).await?;
    if rows.len() < ids.len() {
        return Err(Error::NotFound("proposal"));
    }
    if let Some(decided) = rows.iter().find(|row| row.status != ProposalStatus::Open) {
        let made = store::decisions(tx, ctx.tenant_id, &decided.decision_id.into_iter().collect::<Vec<_>>()).await?.pop();
        let by = made.map_or("somebody".to_owned(), |made| made.actor_name);
        return Err(Error::Conflict(format!("“{}” was {} by {by} meanwhile", decided.phrase, decided.status)));
    }
    Ok(rows)
}

fn phrases(rows: &[ProposalRow]) -> Vec<&str> {
    rows.iter().map(|row| row.phrase.as_str()).collect()
}

fn shown(row: ProposalRow, decision: Option<Decision>, slugs: &HashMap<AgentId, String>) -> Proposal {
    let mut agents: Vec<String> = row.agents.iter().filter_map(|id| slugs.get(&AgentId(*id)).cloned()).collect();
    agents.sort_unstable();
    Proposal {
        id: row.id,
        phrase: row.phrase,
        status: row.status,
        count: row.count,
        agents,
        first_seen: row.first_seen,
        last_seen: row.last_seen,
        decision,
    }
}
