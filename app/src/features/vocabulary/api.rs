use super::{
    input::DecisionInput,
    words::{aliases_lost, inverse, summaries},
};
use crate::{
    ConsoleError, Flash,
    guard::{finish, incomplete, operator, own_path},
    ids::Ids,
    query::Query,
    submit::submit,
    ui::text::count,
};
use foundation::{Engine, OpContext};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::vocabulary::{self, NewTerm};
use wire::{
    BULK_MAX, Decision, DecisionId, Effect, FieldError, NamedTerm, OperatorRole, Page, Proposal, ProposalDetail, ProposalFilter,
    ProposalId, Term, TermChange, TermDetail, TermFilter, TermId, Verdict,
};

/// The effect of a verdict on proposals, before it is given.
pub struct VerdictPreview {
    pub proposals: Vec<Proposal>,
    /// Absent while a field is missing, and for a rejection, which changes no term.
    pub effect: Option<Effect>,
    pub into: Option<NamedTerm>,
    /// The error of the field for a term, if the entered text names none.
    pub unknown: Option<String>,
}

/// The effect of a change of a term, before it is made.
pub struct ChangePreview {
    pub term: Term,
    pub effect: Effect,
    pub into: Option<NamedTerm>,
}

/// Names of terms in use that contain `q`, to choose one; at most a page of them.
#[server(endpoint = "term_names", input = GetUrl)]
pub async fn term_names(#[server(default)] q: String) -> Result<Vec<String>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::term_names(&engine, &ctx, &q).await?)
}

/// One page of proposals, the most frequent first.
pub async fn browse_proposals(filter: ProposalFilter) -> Result<Page<Proposal>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::proposals(&engine, &ctx, &filter).await?)
}

/// A proposal with its evidence, the nearest terms and the effect of a decision.
pub async fn read_proposal(id: ProposalId) -> Result<ProposalDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::proposal(&engine, &ctx, id).await?)
}

pub async fn consider_proposals(ids: Vec<ProposalId>, input: DecisionInput) -> Result<VerdictPreview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let ids: Vec<_> = ids.into_iter().take(BULK_MAX).collect();
    let into = named(&engine, &ctx, &input.into).await?;
    let verdict = input.verdict(into.as_ref().map(|term| term.id));
    let effect = effect(&engine, &ctx, &ids, verdict.as_ref().ok()).await?;
    let unknown = verdict.err().filter(|_| !input.into.trim().is_empty()).map(|field| field.message);
    Ok(VerdictPreview { proposals: vocabulary::proposals_by_id(&engine, &ctx, &ids).await?, effect, into, unknown })
}

/// Gives several proposals the same verdict, then redirects to `done`, or back to `form` if it is refused. A term with another name than
/// the one whose effect was `shown` is confirmed first.
#[server(endpoint = "decide_proposals")]
pub async fn decide_proposals(
    ids: Ids<ProposalId>,
    #[server(flatten)] input: DecisionInput,
    #[server(default)] shown: String,
    #[server(default)] done: String,
    #[server(default)] form: String,
) -> Result<(), ConsoleError> {
    let typed = input.query().with("ids", String::from(ids.clone()));
    let result = match input.renames(&shown) {
        false => decide(&ids.0, &input).await,
        true => match operator().await {
            Ok(_) => {
                leptos_axum::redirect(&typed.with("back", &done).href("/vocabulary/decide"));
                return Ok(());
            }
            Err(error) => Err(error),
        },
    };
    finish(result, own_path(&done, "/vocabulary"), own_path(&form, "/vocabulary"), &typed.href("")).await
}

/// The decisions that were made in one step, or one by its own id, and the effect of undoing them.
pub async fn consider_undo(together: DecisionId) -> Result<(Vec<Decision>, Effect), ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::preview_undo(&engine, &ctx, together).await?)
}

/// Undoes decisions, then redirects to `done`. Without their ids, those that were made `together` are shown first, and so is one decision
/// that takes aliases with it, unless that was `confirmed`.
#[server(endpoint = "undo_decision")]
pub async fn undo_decision(
    #[server(default)] id: Ids<DecisionId>,
    #[server(default)] together: String,
    #[server(default)] confirmed: bool,
    #[server(default)] done: String,
) -> Result<(), ConsoleError> {
    let done = own_path(&done, "/vocabulary/decisions");
    if let [one] = id.0.as_slice()
        && !confirmed
        && takes_aliases(*one).await
    {
        leptos_axum::redirect(&all_of(&one.to_string(), done));
        return Ok(());
    }
    if id.0.is_empty() && !together.is_empty() && operator().await.is_ok() {
        leptos_axum::redirect(&all_of(&together, done));
        return Ok(());
    }
    submit(done, Query::default(), |engine, ctx| async move { Ok(flash(&vocabulary::undo(&engine, &ctx, &id.0).await?)) }).await
}

/// Whether undoing a decision takes aliases that it did not give. One that cannot be undone says so when it is tried.
async fn takes_aliases(id: DecisionId) -> bool {
    consider_undo(id).await.is_ok_and(|(decisions, effect)| !aliases_lost(&decisions, &effect).is_empty())
}

/// The URL of the page that shows decisions of one step before they are undone.
pub fn all_of(together: &str, back: &str) -> String {
    Query::default().with("together", together).with("back", back).href("/vocabulary/decisions/undo")
}

/// One page of decisions, newest first.
pub async fn browse_decisions(after: Option<String>, before: Option<String>) -> Result<Page<Decision>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::decisions(&engine, &ctx, after.as_deref(), before.as_deref()).await?)
}

/// One page of terms, in alphabetical order.
pub async fn browse_terms(filter: TermFilter) -> Result<Page<Term>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::terms(&engine, &ctx, &filter).await?)
}

/// A term with its usage and its history.
pub async fn read_term(id: TermId) -> Result<TermDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::term(&engine, &ctx, id).await?)
}

pub async fn foresee_change(id: TermId, input: DecisionInput) -> Result<ChangePreview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let term = vocabulary::term(&engine, &ctx, id).await?.term;
    let into = named(&engine, &ctx, &input.into).await?;
    let change = input.change(into.as_ref().map(|term| term.id)).map_err(incomplete)?;
    Ok(ChangePreview { term, effect: vocabulary::preview_change(&engine, &ctx, id, &change).await?, into })
}

/// Changes a term, then redirects to the resulting term, or back to `form` if it is refused.
#[server(endpoint = "change_term")]
pub async fn change_term(id: TermId, #[server(flatten)] input: DecisionInput, #[server(default)] form: String) -> Result<(), ConsoleError> {
    let result = change(id, &input).await;
    let to = result.as_ref().ok().and_then(|decision| decision.term_id).unwrap_or(id);
    finish(result.map(|decision| flash(&[decision])), &format!("/vocabulary/terms/{to}"), own_path(&form, "/vocabulary/terms"), "").await
}

/// Creates a term with its aliases, one a line, then redirects to the term, or back to the form if it is refused.
#[server(endpoint = "create_term")]
pub async fn create_term(
    #[server(default)] term: String,
    #[server(default)] definition: String,
    #[server(default)] category: String,
    #[server(default)] aliases: String,
) -> Result<(), ConsoleError> {
    let typed = Query::default().with("term", &term).with("definition", &definition).with("category", &category).with("aliases", &aliases);
    let result = async {
        let (engine, ctx) = operator().await?;
        let lines: Vec<&str> = aliases.lines().map(str::trim).filter(|alias| !alias.is_empty()).collect();
        let category = Some(category.trim()).filter(|category| !category.is_empty());
        let new = NewTerm { term: &term, definition: &definition, category, aliases: &lines };
        Ok(vocabulary::add(&engine, &ctx, new).await?)
    };
    created(result.await, &typed.with("what", "term")).await
}

/// Adds an alias to the term that `into` names, then redirects to the term, or back to the form if it is refused.
#[server(endpoint = "create_alias")]
pub async fn create_alias(#[server(default)] alias: String, #[server(default)] into: String) -> Result<(), ConsoleError> {
    let typed = Query::default().with("alias", &alias).with("into", &into);
    let result = async {
        let (engine, ctx) = operator().await?;
        ctx.require_role(OperatorRole::Reviewer)?;
        let term = named(&engine, &ctx, &into).await?;
        let term = term.ok_or_else(|| incomplete(FieldError::new("into", "names no term in use. Enter a term or one of its aliases.")))?;
        Ok(vocabulary::change(&engine, &ctx, term.id, &TermChange::Alias { alias }).await?)
    };
    created(result.await, &typed.with("what", "alias")).await
}

/// Redirects to the term that was created or has a new alias, or back to the form.
async fn created(result: Result<Decision, ConsoleError>, typed: &Query) -> Result<(), ConsoleError> {
    let term = result.as_ref().ok().and_then(|decision| decision.term_id);
    let done = term.map_or_else(|| "/vocabulary/terms".to_owned(), |id| format!("/vocabulary/terms/{id}"));
    finish(result.map(|decision| flash(&[decision])), &done, "/vocabulary/terms/new", &typed.href("")).await
}

async fn decide(ids: &[ProposalId], input: &DecisionInput) -> Result<Flash, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let into = named(&engine, &ctx, &input.into).await?.map(|term| term.id);
    let verdict = input.verdict(into).map_err(incomplete)?;
    Ok(flash(&vocabulary::decide(&engine, &ctx, ids, &verdict).await?))
}

async fn change(id: TermId, input: &DecisionInput) -> Result<Decision, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let into = named(&engine, &ctx, &input.into).await?.map(|term| term.id);
    let change = input.change(into).map_err(incomplete)?;
    Ok(vocabulary::change(&engine, &ctx, id, &change).await?)
}

/// The effect of a verdict that is complete and changes a term.
async fn effect(engine: &Engine, ctx: &OpContext, ids: &[ProposalId], verdict: Option<&Verdict>) -> Result<Option<Effect>, ConsoleError> {
    match verdict {
        None | Some(Verdict::Reject { .. }) => Ok(None),
        Some(_) if ids.is_empty() => Ok(None),
        Some(verdict) => Ok(Some(vocabulary::preview(engine, ctx, ids, verdict).await?)),
    }
}

/// The term in use that the text of a field names, unless the field is empty.
async fn named(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Option<NamedTerm>, ConsoleError> {
    if text.trim().is_empty() { Ok(None) } else { Ok(vocabulary::term_named(engine, ctx, text).await?) }
}

/// The message after decisions of one step, with their undo if they can be undone.
fn flash(decisions: &[Decision]) -> Flash {
    let mut text = summaries(decisions);
    let memories: i64 = decisions.iter().map(|decision| decision.memories).sum();
    if memories > 0 {
        text.push_str(&format!(" {} being refiled.", count(memories, "memory is", "memories are")));
    }
    let done = Flash::done(text);
    let Some(decision) = decisions.first().filter(|decision| decision.undoable) else { return done };
    let (field, id) = decision.together.map_or(("id", decision.id), |together| ("together", together));
    done.undone_by("undo_decision", [(field, id.to_string())]).undo_named(inverse(decision))
}
