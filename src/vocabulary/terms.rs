//! Terms: the list, one term's history, and changes to it.

use super::review::{self, Made, check_term, planner};
use super::store::{self, TermRow};
use crate::memories::{self, store::TopicUse};
use db::cursor::{Cursor, Seek};
use db::{Planned, Tx};
use foundation::intake::Admitted;
use foundation::terms::{self, NewTerm, Plan};
use foundation::{Checks, Engine, Error, OpContext};
use tracing::instrument;
use verb::verb;
use wire::{
    AgentId, Decision, DecisionKind, Effect, NamedTerm, OperatorRole, Page, REASON_MAX, TOPIC_MAX, Term, TermChange, TermDetail,
    TermFilter, TermId, TermUsage,
};
use words::normal;

/// Terms on one page of the console.
const PAGE: usize = 50;
/// Decisions shown on a term's page.
const HISTORY: i64 = 50;

/// A page of terms, in alphabetical order of their normal forms.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor or text.
#[verb(role = Viewer)]
pub async fn terms(engine: &Engine, ctx: &OpContext, filter: &TermFilter) -> Result<Page<Term>, Error> {
    Checks::default().optional_text("q", filter.q.as_deref(), TOPIC_MAX).done()?;
    let seek = &Seek::<String>::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let read = |mut tx: Tx| async move {
        let total = store::count_terms(&mut tx, ctx.tenant_id, filter).await?;
        let rows = store::list_terms(&mut tx, ctx.tenant_id, filter, seek, PAGE).await?;
        tx.commit().await?;
        Ok::<_, Error>((total, rows))
    };
    let (total, rows) = ctx.read(&engine.db().kb, Planned::ByPostgres, read).await?;
    let uses = usage(engine, ctx, rows.iter().map(|row| row.name.term.clone()).collect()).await?;
    let page = seek.clone().page(rows, PAGE, total, |row: &TermRow| Cursor { key: row.name.normal.clone(), id: row.name.id });
    Ok(page.map(|row| shown(row, &uses)))
}

/// A term with its usage and its history, in force or retired.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `NotFound` for another tenant's.
#[verb(role = Viewer)]
pub async fn term(engine: &Engine, ctx: &OpContext, id: TermId) -> Result<TermDetail, Error> {
    let slugs = memories::slugs(engine, ctx).await?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let row = store::newest(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("term"))?;
    let made = store::history(&mut tx, ctx.tenant_id, id, HISTORY).await?;
    tx.commit().await?;
    let uses = usage(engine, ctx, vec![row.name.term.clone()]).await?;
    let slug = |id: AgentId| slugs.get(&id).cloned().unwrap_or_default();
    let by_agent = uses.iter().map(|used| TermUsage {
        agent_id: used.agent_id,
        agent_slug: slug(used.agent_id),
        memories: used.memories,
        last_write: used.last_write,
    });
    Ok(TermDetail { usage: by_agent.collect(), history: review::with_progress(engine, ctx, made).await?, term: shown(row, &uses) })
}

/// The term in use whose id, name or alias is `text`; a name or an alias in any spelling with the same normal form.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an empty or over-long text.
#[verb(role = Viewer)]
pub async fn term_named(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Option<NamedTerm>, Error> {
    Checks::default().text("term", text, TOPIC_MAX).done()?;
    let id = text.trim().parse().ok();
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let term = store::term_named(&mut tx, ctx.tenant_id, id, &normal(text)).await?;
    tx.commit().await?;
    Ok(term.map(|(id, term)| NamedTerm { id, term }))
}

/// Names of the terms in use whose name, alias or definition contains `q`: at most a page of them, in alphabetical order.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an over-long text.
#[verb(role = Viewer)]
pub async fn term_names(engine: &Engine, ctx: &OpContext, q: &str) -> Result<Vec<String>, Error> {
    let filter = TermFilter { q: Some(q.trim().to_owned()).filter(|q| !q.is_empty()), ..TermFilter::default() };
    Checks::default().optional_text("q", filter.q.as_deref(), TOPIC_MAX).done()?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let rows = store::list_terms(&mut tx, ctx.tenant_id, &filter, &Seek::First, PAGE).await?;
    tx.commit().await?;
    Ok(rows.into_iter().take(PAGE).map(|row| row.name.term).collect())
}

/// Adds a term without a proposal: from the command line or the demo.
///
/// # Errors
/// `Forbidden` without the role `reviewer`, `Invalid` with the field, `Conflict` when a form already means something.
#[instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn add(engine: &Engine, ctx: &OpContext, new: NewTerm<'_>) -> Result<Decision, Error> {
    ctx.require_role(OperatorRole::Reviewer)?;
    let [term, definition] =
        [("term", new.term), ("definition", new.definition)].map(|(field, text)| Admitted::text(field, text.to_owned()));
    let (term, definition) = (term?, definition?);
    let category = new.category.map(|category| Admitted::text("category", category.to_owned())).transpose()?;
    let aliases = Admitted::new(new.aliases.iter().map(|alias| (*alias).to_owned()).collect::<Vec<String>>())?;
    let aliases: Vec<&str> = aliases.iter().map(String::as_str).collect();
    let category = category.as_ref().map(|category| category.as_str());
    let new = NewTerm { term: &term, definition: &definition, category, aliases: &aliases };
    check_new(&new)?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_vocabulary(&mut tx, ctx.tenant_id).await?;
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let new_id = || engine.clock().id();
    let plan = planner(engine, &state, &new_id).add(new);
    alone(review::commit(engine, ctx, tx, state, vec![added(new.term, plan)]).await?)
}

/// Adopts an entry of a glossary: adds the term, or gives it this definition, category and further aliases. Whether anything changed. The
/// caller has checked that the glossary may be trusted.
///
/// # Errors
/// `Invalid` with the field, `Conflict` when the term or an alias means another term.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(crate) async fn define(engine: &Engine, ctx: &OpContext, new: NewTerm<'_>) -> Result<bool, Error> {
    check_new(&new)?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_vocabulary(&mut tx, ctx.tenant_id).await?;
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let new_id = || engine.clock().id();
    let planner = planner(engine, &state, &new_id);
    let form = normal(new.term);
    let Some(known) = state.terms.iter().find(|term| term.normal == form) else {
        let plan = planner.add(new);
        review::commit(engine, ctx, tx, state, vec![added(new.term, plan)]).await?;
        return Ok(true);
    };
    let mut plan = Plan::default();
    let category = new.category.map(str::to_owned).or_else(|| known.category.clone());
    // A glossary that only lists a name does not remove a definition that people wrote.
    let definition = if new.definition.trim().is_empty() { known.definition.clone() } else { new.definition.trim().to_owned() };
    if definition != known.definition || category != known.category {
        plan = planner.change(known.lineage, &TermChange::Define { definition, category })?;
    }
    for alias in new.aliases {
        let form = normal(alias);
        if form != known.normal && !state.aliases_of(known.lineage).any(|alias| alias.normal == form) {
            plan.open_aliases.extend(planner.change(known.lineage, &TermChange::Alias { alias: (*alias).to_owned() })?.open_aliases);
        }
    }
    if plan == Plan::default() {
        return Ok(false);
    }
    let term = Some((known.lineage, known.term.clone()));
    let made = Made { kind: DecisionKind::Define, term, ..added(new.term, plan) };
    review::commit(engine, ctx, tx, state, vec![made]).await?;
    Ok(true)
}

/// The decision that adds a term.
fn added(subject: &str, plan: Plan) -> Made {
    let term = plan.open_terms.first().map(|term| (term.lineage, term.term.clone()));
    Made { kind: DecisionKind::Add, subjects: vec![subject.trim().to_owned()], term, reason: None, plan, undoes: None }
}

/// The only decision of a step.
fn alone(mut decisions: Vec<Decision>) -> Result<Decision, Error> {
    decisions.pop().ok_or_else(|| Error::internal("the decision that was made is missing"))
}

fn check_new(new: &NewTerm<'_>) -> Result<(), Error> {
    let mut checks = Checks::default();
    check_term(&mut checks, Some(new.term), new.definition, new.category);
    for alias in new.aliases {
        checks.text("aliases", alias, TOPIC_MAX);
    }
    checks.done()
}

/// The effect of a change to a term, without making it.
///
/// # Errors
/// As [`change`].
#[verb(role = Viewer)]
pub async fn preview_change(engine: &Engine, ctx: &OpContext, id: TermId, change: &TermChange) -> Result<Effect, Error> {
    check(change)?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let new_id = || engine.clock().id();
    let plan = planner(engine, &state, &new_id).change(id, change)?;
    review::concerned(engine, ctx, state.changes(&plan)?).await
}

/// Renames, defines, combines or retires a term, or changes its aliases.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `Invalid` with the field; `NotFound` for a term or alias that is not in force; `Conflict` when
/// a form means another term.
#[verb(role = Reviewer)]
pub async fn change(engine: &Engine, ctx: &OpContext, id: TermId, change: &TermChange) -> Result<Decision, Error> {
    let change = &*Admitted::new(change.clone())?;
    check(change)?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    store::lock_vocabulary(&mut tx, ctx.tenant_id).await?;
    let state = terms::store::state(&mut tx, ctx.tenant_id).await?;
    let new_id = || engine.clock().id();
    let plan = planner(engine, &state, &new_id).change(id, change)?;
    let name = state.term(id)?.term.clone();
    let (kind, subject, term, reason) = match change {
        TermChange::Rename { term } => (DecisionKind::Rename, name, (id, term.trim().to_owned()), None),
        TermChange::Define { .. } => (DecisionKind::Define, name.clone(), (id, name), None),
        TermChange::Alias { alias } => (DecisionKind::Alias, alias.trim().to_owned(), (id, name), None),
        TermChange::Unalias { alias } => (DecisionKind::Unalias, alias.trim().to_owned(), (id, name), None),
        TermChange::Combine { into } => (DecisionKind::Combine, name, (*into, state.term(*into)?.term.clone()), None),
        TermChange::Retire { reason } => (DecisionKind::Retire, name.clone(), (id, name), Some(reason.trim().to_owned())),
    };
    let made = Made { kind, subjects: vec![subject], term: Some(term), reason, plan, undoes: None };
    alone(review::commit(engine, ctx, tx, state, vec![made]).await?)
}

fn check(change: &TermChange) -> Result<(), Error> {
    let mut checks = Checks::default();
    match change {
        TermChange::Rename { term } => check_term(&mut checks, Some(term), "", None),
        TermChange::Define { definition, category } => check_term(&mut checks, None, definition, category.as_deref()),
        TermChange::Alias { alias } | TermChange::Unalias { alias } => {
            checks.text("alias", alias, TOPIC_MAX);
        }
        TermChange::Combine { .. } => {}
        TermChange::Retire { reason } => {
            checks.text("reason", reason, REASON_MAX);
        }
    }
    checks.done()
}

async fn usage(engine: &Engine, ctx: &OpContext, terms: Vec<String>) -> Result<Vec<TopicUse>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let uses = memories::store::topic_use(&mut tx, ctx.tenant_id, &terms).await?;
    tx.commit().await?;
    Ok(uses)
}

fn shown(row: TermRow, uses: &[TopicUse]) -> Term {
    let own = || uses.iter().filter(|used| used.topic == row.name.term);
    Term {
        memories: own().map(|used| used.memories).sum(),
        agents: i64::try_from(own().count()).unwrap_or(i64::MAX),
        id: row.name.lineage,
        definition: row.name.definition,
        category: row.name.category,
        aliases: row.aliases,
        since: row.name.valid_from,
        retired_at: row.valid_to,
        term: row.name.term,
    }
}
