//! Review: people decide what agents propose. Every decision can be previewed, is audited, and can be undone.

use super::lookup;
use super::store::{self, DecisionRow, ProposalRow};
use crate::memories;
use db::Tx;
use db::cursor::{Cursor, Seek};
use foundation::audit::{self, NewEntry};
use foundation::intake::{Admitted, Reason};
use foundation::jobs::{self, NewEvent, Task};
use foundation::terms::{self, Plan, Planner, State};
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::{BTreeMap, HashMap, HashSet};
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
    let rows = with_decisions(engine, ctx, rows, decisions).await?;
    Ok(seek.page(rows, PAGE, total, |row: &Proposal| Cursor { key: row.count, id: row.id.0 }))
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
    let plans = planner(engine, &state, &|| engine.clock().id()).verdict(&phrases(&rows), verdict)?;
    concerned(engine, ctx, state.changes(&Plan::whole(plans))?).await
}

/// Decides proposals, all or none, with a decision for each. If two reviewers decide the same one at once, the second learns that the other
/// was faster.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` with the field; `NotFound` for a foreign proposal or term; `Conflict` when a proposal
/// was decided meanwhile, or its phrase already means something.
#[verb(role = Reviewer)]
pub async fn decide(engine: &Engine, ctx: &OpContext, ids: &[ProposalId], verdict: &Verdict) -> Result<Vec<Decision>, Error> {
    let verdict = &*Admitted::new(verdict.clone())?;
    check(ids, verdict)?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_vocabulary(&mut tx, ctx.tenant_id).await?;
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let rows = open_ones(&mut tx, ctx, ids, true).await?;
    let new_id = || engine.clock().id();
    let plans = planner(engine, &state, &new_id).verdict(&phrases(&rows), verdict)?;
    let after = state.after(&Plan::whole(plans.clone()))?;
    let given = |(row, plan): (&ProposalRow, Plan)| decision(&after, row, plan, verdict);
    let mut made = rows.iter().zip(plans).map(given).collect::<Result<Vec<_>, _>>()?;
    // A term before its aliases.
    made.sort_by_key(|made| made.plan.open_terms.is_empty());
    commit(engine, ctx, tx, state, made).await
}

/// The decision on one proposal; `after` is the vocabulary with all of them.
fn decision(after: &State, row: &ProposalRow, plan: Plan, verdict: &Verdict) -> Result<Made, Error> {
    let (kind, reason) = match verdict {
        Verdict::Reject { reason } => (DecisionKind::Reject, Some(reason.trim().to_owned())),
        _ if plan.open_terms.is_empty() => (DecisionKind::Merge, None),
        _ => (DecisionKind::Approve, None),
    };
    let id = plan.open_terms.first().map(|term| term.lineage).or_else(|| plan.open_aliases.first().map(|alias| alias.term_id));
    let term = id.map(|id| after.term(id).map(|term| (id, term.term.clone()))).transpose()?;
    Ok(Made { kind, subjects: vec![row.phrase.clone()], term, reason, plan, undoes: None })
}

/// The decisions that were made in one step, or one of them by its own id, and what undoing those of them that can be undone would change.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `NotFound` when no decision has the id, and none share it.
#[verb(role = Viewer)]
pub async fn preview_undo(engine: &Engine, ctx: &OpContext, together: DecisionId) -> Result<(Vec<Decision>, Effect), Error> {
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let rows = store::decided_together(&mut tx, ctx.tenant_id, together).await?;
    if rows.is_empty() {
        return Err(Error::NotFound("decision"));
    }
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let undoable = rows.iter().filter(|row| row.undoable()).cloned().collect();
    let plans = inverses(engine, ctx, &mut tx, &state, undoable).await?.into_iter().map(|made| made.plan);
    tx.commit().await?;
    let effect = concerned(engine, ctx, state.changes(&Plan::whole(plans))?).await?;
    Ok((with_progress(engine, ctx, rows).await?, effect))
}

/// Undoes decisions, all or none: closes the rows that they opened, opens those that they closed, and opens their proposals again. Phrases
/// that were merged into a term since are proposed again if the term goes. Undoing an undo makes the decision again.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for a foreign one; `Conflict` when one was undone already, or a later decision
/// depends on it.
#[verb(role = Reviewer)]
pub async fn undo(engine: &Engine, ctx: &OpContext, ids: &[DecisionId]) -> Result<Vec<Decision>, Error> {
    let several = (1..=BULK_MAX).contains(&ids.len());
    Checks::default().that(several, "ids", format!("must name 1 to {BULK_MAX} decisions")).done()?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_vocabulary(&mut tx, ctx.tenant_id).await?;
    let rows = store::decisions(&mut tx, ctx.tenant_id, ids).await?;
    if rows.len() < ids.len() {
        return Err(Error::NotFound("decision"));
    }
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let made = inverses(engine, ctx, &mut tx, &state, rows).await?;
    commit(engine, ctx, tx, state, made).await
}

/// The decisions that undo others, in an order in which that is possible: terms come back before their aliases, and go after them.
async fn inverses(engine: &Engine, ctx: &OpContext, tx: &mut Tx, state: &State, mut rows: Vec<DecisionRow>) -> Result<Vec<Made>, Error> {
    rows.sort_by_key(|row| (row.closed_terms.is_empty(), !row.opened_terms.is_empty()));
    let (mut state, mut made) = (state.clone(), Vec::with_capacity(rows.len()));
    for row in rows {
        if row.undone_by.is_some() {
            return Err(Error::Conflict("this decision was already undone".into()));
        }
        if !row.stands {
            return Err(Error::Conflict("a later decision depends on this one: undo that one first".into()));
        }
        let opened = store::rows(tx, ctx.tenant_id, &row.opened_terms, &row.opened_aliases).await?;
        let closed = store::rows(tx, ctx.tenant_id, &row.closed_terms, &row.closed_aliases).await?;
        let plan = planner(engine, &state, &|| engine.clock().id()).undo(opened, closed)?;
        state = state.after(&plan)?;
        let again = if row.kind == DecisionKind::Undo { store::undone_by(tx, ctx.tenant_id, row.id).await? } else { None };
        let (kind, reason) = again.unwrap_or((DecisionKind::Undo, None));
        made.push(Made { kind, subjects: row.subjects, term: row.term_id.zip(row.term), reason, plan, undoes: Some(row.id) });
    }
    Ok(made)
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
    let rows = with_progress(engine, ctx, rows).await?;
    Ok(seek.page(rows, PAGE, total, |row: &Decision| Cursor { key: row.at, id: row.id.0 }))
}

/// Hides open proposals whose phrase no live memory has any more, and shows those whose phrase is used again.
///
/// # Errors
/// When a database is out of reach: the next sweep tries again.
#[verb]
pub async fn hide_unused(engine: &Engine, ctx: &OpContext) -> Result<(), Error> {
    // Memories that are written after they were read here propose their phrases with a later time.
    let since = engine.clock().now();
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let mut phrases = store::met_phrases(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let used: HashSet<String> = memories::store::phrases_in_use(&mut tx, ctx.tenant_id, &phrases).await?.into_iter().collect();
    tx.commit().await?;
    phrases.retain(|phrase| !used.contains(phrase));
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::mark_unused(&mut tx, ctx.tenant_id, &phrases, since).await?;
    Ok(tx.commit().await?)
}

/// A decision to be written.
pub(super) struct Made {
    pub kind: DecisionKind,
    /// The phrase of a proposal, or a term.
    pub subjects: Vec<String>,
    pub term: Option<(TermId, String)>,
    pub reason: Option<String>,
    pub plan: Plan,
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

/// Writes decisions with everything that follows from them, in the one transaction that holds the vocabulary's lock: rows, version,
/// decisions, proposals, audit rows, and the job that refiles memories.
pub(super) async fn commit(
    engine: &Engine,
    ctx: &OpContext,
    mut tx: Tx,
    mut state: State,
    made: Vec<Made>,
) -> Result<Vec<Decision>, Error> {
    let (tenant, now) = (ctx.tenant_id, engine.clock().now());
    let opens = made.iter().any(|made| !made.plan.open_terms.is_empty());
    // A rejection changes no meaning, so snapshots stay valid.
    let version = if made.iter().all(|made| made.plan == Plan::default()) {
        terms::store::version(&mut tx, tenant).await?
    } else {
        store::next_version(&mut tx, tenant, now).await?
    };
    let together = (made.len() > 1).then(|| DecisionId(engine.clock().id()));
    let mut planned = Vec::with_capacity(made.len());
    for made in made {
        let changes = state.changes(&made.plan)?;
        state = state.after(&made.plan)?;
        planned.push((DecisionId(engine.clock().id()), made, changes));
    }
    let forms = |changes: &BTreeMap<String, Option<String>>| changes.keys().cloned().collect::<Vec<_>>();
    let refiled: Vec<_> = planned.iter().map(|(id, _, changes)| (*id, version, forms(changes))).collect();
    let refiled = unresolved(engine, ctx, &refiled).await?;
    let mut rows = Vec::with_capacity(planned.len());
    for (id, made, changes) in planned {
        store::apply(&mut tx, tenant, &made.plan, now).await?;
        let row = DecisionRow {
            id,
            together,
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
            forms: forms(&changes),
            memories: refiled.get(&id).copied().unwrap_or(0),
            opened_terms: made.plan.open_terms.iter().map(|term| term.id).collect(),
            closed_terms: made.plan.close_terms,
            opened_aliases: made.plan.open_aliases.iter().map(|alias| alias.id).collect(),
            closed_aliases: made.plan.close_aliases,
            undone_by: None,
            stands: true,
        };
        record(engine, ctx, &mut tx, &row, made.undoes, changes).await?;
        rows.push(row);
    }
    let forms: Vec<String> = rows.iter().flat_map(|row| row.forms.iter().cloned()).collect();
    if !forms.is_empty() {
        super::recanonicalise::request(engine, ctx, &mut tx, &super::recanonicalise::Work { forms, version }).await?;
    }
    if opens {
        let event = NewEvent::pending(engine, Task::EmbedTerms, serde_json::json!({}));
        jobs::store::insert(&mut tx, tenant, ctx.commons_id, &event).await?;
    }
    tx.commit().await?;
    // The reviewer sees the decision at once; other servers learn it within a second.
    engine.vocabulary().outdate(tenant);
    engine.relay().settle().await;
    engine.jobs().wake();
    for row in &rows {
        metrics::counter!("remembrancer_vocabulary_decisions_total", "kind" => row.kind.as_str()).increment(1);
    }
    with_progress(engine, ctx, rows).await
}

/// Writes one decision, what it does to another and to proposals, and its audit row.
async fn record(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    row: &DecisionRow,
    undoes: Option<DecisionId>,
    changes: BTreeMap<String, Option<String>>,
) -> Result<(), Error> {
    let tenant = ctx.tenant_id;
    store::insert_decision(tx, tenant, row).await?;
    let forms = |known: bool| changes.iter().filter(|(_, term)| term.is_some() == known).map(|(form, _)| form.clone()).collect::<Vec<_>>();
    if let Some(undone) = undoes {
        store::mark_undone(tx, tenant, undone, row.id).await?;
        store::reopen(tx, tenant, undone, &forms(false)).await?;
    }
    let status = match row.kind {
        DecisionKind::Reject => ProposalStatus::Rejected,
        DecisionKind::Approve | DecisionKind::Add => ProposalStatus::Approved,
        _ => ProposalStatus::Merged,
    };
    let on_proposal = matches!(row.kind, DecisionKind::Reject | DecisionKind::Approve | DecisionKind::Merge);
    let phrases = if on_proposal { row.subjects.as_slice() } else { &[] };
    store::settle(tx, tenant, phrases, &forms(true), status, row.id).await?;
    let message = terms::message(row.kind, &row.subjects, row.term.as_deref());
    let entry = NewEntry::new(engine, ctx, format!("vocabulary.{}", row.kind), "decision", row.id, message)
        .reason(row.reason.as_deref().map(Reason::new).as_ref())
        .changes(serde_json::json!({ "phrases": changes, "memories": row.memories, "version": row.version }));
    audit::record(tx, tenant, ctx.commons_id, &entry).await
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
    let remaining = unresolved(engine, ctx, &running).await?;
    let decision = |row: DecisionRow| Decision {
        remaining: remaining.get(&row.id).copied().unwrap_or(0),
        undone: row.undone_by.is_some(),
        undoable: row.undoable(),
        id: row.id,
        together: row.together,
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

/// How many memories decisions, each with its version and phrases (normal forms), have yet to refile. One that has none may be absent.
async fn unresolved(engine: &Engine, ctx: &OpContext, made: &[(DecisionId, i64, Vec<String>)]) -> Result<HashMap<DecisionId, i64>, Error> {
    if made.iter().all(|(.., forms)| forms.is_empty()) {
        return Ok(HashMap::new());
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let counted = memories::store::unresolved(&mut tx, ctx.tenant_id, made).await?;
    tx.commit().await?;
    Ok(counted.into_iter().collect())
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
