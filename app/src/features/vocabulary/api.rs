use super::asked::Asked;
#[cfg(feature = "ssr")]
use super::words::said;
use crate::{ConsoleError, ids::Ids};
#[cfg(feature = "ssr")]
use crate::{
    Flash,
    guard::{finish, operator, own_path, set_status},
    ui::text::count,
};
use leptos::{prelude::*, server_fn::codec::GetUrl};
use remembrancer::api::{
    Decision, DecisionId, Effect, NamedTerm, Page, Proposal, ProposalDetail, ProposalFilter, ProposalId, Term, TermDetail, TermFilter,
    TermId,
};
#[cfg(feature = "ssr")]
use remembrancer::{
    Engine, OpContext,
    api::{BULK_MAX, FieldError, Verdict},
    vocabulary,
};
use serde::{Deserialize, Serialize};

/// Proposals that are about to be decided, and what that would change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Considered {
    pub proposals: Vec<Proposal>,
    /// Absent as long as a field is missing, and for a rejection, which changes no term.
    pub effect: Option<Effect>,
    /// The term to merge into.
    pub into: Option<NamedTerm>,
    /// What is wrong with the entered term, if no term is called so.
    pub unknown: Option<String>,
}

/// A term that is about to be changed, and what that would change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Foreseen {
    pub term: Term,
    pub effect: Effect,
    /// The term to combine it with.
    pub into: Option<NamedTerm>,
}

/// One page of proposals, the most frequent first.
#[server(endpoint = "proposals", input = GetUrl)]
pub async fn browse_proposals(#[server(default)] filter: ProposalFilter) -> Result<Page<Proposal>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::proposals(&engine, &ctx, &filter).await?)
}

/// A proposal with its evidence, the nearest terms, and what deciding it would change.
#[server(endpoint = "proposal", input = GetUrl)]
pub async fn read_proposal(id: ProposalId) -> Result<ProposalDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::proposal(&engine, &ctx, id).await?)
}

/// What a verdict on several proposals would change.
#[server(endpoint = "consider_proposals", input = GetUrl)]
pub async fn consider_proposals(
    #[server(default)] ids: Ids<ProposalId>,
    #[server(flatten)] asked: Asked,
) -> Result<Considered, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let ids: Vec<_> = ids.0.into_iter().take(BULK_MAX).collect();
    let into = named(&engine, &ctx, &asked.into).await?;
    let verdict = asked.verdict(into.as_ref().map(|term| term.id));
    let effect = effect(&engine, &ctx, &ids, verdict.as_ref().ok()).await?;
    let unknown = verdict.err().filter(|_| !asked.into.trim().is_empty()).map(|field| field.message);
    Ok(Considered { proposals: vocabulary::proposals_by_id(&engine, &ctx, &ids).await?, effect, into, unknown })
}

/// Decides proposals alike, then goes on to `done`; or back to `form` if it was refused. Another name than the one whose effect was `shown`
/// is confirmed first.
#[server(endpoint = "decide_proposals")]
pub async fn decide_proposals(
    ids: Ids<ProposalId>,
    #[server(flatten)] asked: Asked,
    #[server(default)] shown: String,
    #[server(default)] done: String,
    #[server(default)] form: String,
) -> Result<(), ConsoleError> {
    if asked.renames(&shown) {
        operator().await?;
        leptos_axum::redirect(&asked.query().with("ids", String::from(ids)).with("back", &done).href("/vocabulary/decide"));
        return Ok(());
    }
    let result = decided(&ids.0, &asked).await;
    let typed = asked.query().with("ids", String::from(ids)).href("");
    finish(result, own_path(&done, "/vocabulary"), own_path(&form, "/vocabulary"), &typed).await
}

/// Takes a decision back, then goes on to `done`.
#[server(endpoint = "undo_decision")]
pub async fn undo_decision(id: DecisionId, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let result = async {
        let (engine, ctx) = operator().await?;
        Ok(told(&vocabulary::undo(&engine, &ctx, id).await?))
    };
    let done = own_path(&done, "/vocabulary/decisions");
    finish(result.await, done, done, "").await
}

/// One page of decisions, newest first.
#[server(endpoint = "decisions", input = GetUrl)]
pub async fn browse_decisions(
    #[server(default)] after: Option<String>,
    #[server(default)] before: Option<String>,
) -> Result<Page<Decision>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::decisions(&engine, &ctx, after.as_deref(), before.as_deref()).await?)
}

/// One page of terms, in alphabetical order.
#[server(endpoint = "terms", input = GetUrl)]
pub async fn browse_terms(#[server(default)] filter: TermFilter) -> Result<Page<Term>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::terms(&engine, &ctx, &filter).await?)
}

/// Names of terms in use that hold `q`, for the choice of one; as many as a page has.
#[server(endpoint = "term_names", input = GetUrl)]
pub async fn term_names(#[server(default)] q: String) -> Result<Vec<String>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::term_names(&engine, &ctx, &q).await?)
}

/// A term with its usage and its history.
#[server(endpoint = "term", input = GetUrl)]
pub async fn read_term(id: TermId) -> Result<TermDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(vocabulary::term(&engine, &ctx, id).await?)
}

/// What a change of a term would change besides.
#[server(endpoint = "foresee_change", input = GetUrl)]
pub async fn foresee_change(id: TermId, #[server(flatten)] asked: Asked) -> Result<Foreseen, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let term = vocabulary::term(&engine, &ctx, id).await?.term;
    let into = named(&engine, &ctx, &asked.into).await?;
    let change = asked.change(into.as_ref().map(|term| term.id)).map_err(incomplete)?;
    Ok(Foreseen { term, effect: vocabulary::preview_change(&engine, &ctx, id, &change).await?, into })
}

/// Changes a term, then goes on to the term that came of it; or back to `form` if it was refused.
#[server(endpoint = "change_term")]
pub async fn change_term(id: TermId, #[server(flatten)] asked: Asked, #[server(default)] form: String) -> Result<(), ConsoleError> {
    let result = changed(id, &asked).await;
    let to = result.as_ref().ok().and_then(|decision| decision.term_id).unwrap_or(id);
    finish(result.map(|decision| told(&decision)), &format!("/vocabulary/terms/{to}"), own_path(&form, "/vocabulary/terms"), "").await
}

#[cfg(feature = "ssr")]
async fn decided(ids: &[ProposalId], asked: &Asked) -> Result<Flash, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let into = named(&engine, &ctx, &asked.into).await?.map(|term| term.id);
    let verdict = asked.verdict(into).map_err(incomplete)?;
    Ok(told(&vocabulary::decide(&engine, &ctx, ids, &verdict).await?))
}

#[cfg(feature = "ssr")]
async fn changed(id: TermId, asked: &Asked) -> Result<Decision, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let into = named(&engine, &ctx, &asked.into).await?.map(|term| term.id);
    let change = asked.change(into).map_err(incomplete)?;
    Ok(vocabulary::change(&engine, &ctx, id, &change).await?)
}

/// What a verdict would change, if it is complete and changes a term at all.
#[cfg(feature = "ssr")]
async fn effect(engine: &Engine, ctx: &OpContext, ids: &[ProposalId], verdict: Option<&Verdict>) -> Result<Option<Effect>, ConsoleError> {
    match verdict {
        None | Some(Verdict::Reject { .. }) => Ok(None),
        Some(_) if ids.is_empty() => Ok(None),
        Some(verdict) => Ok(Some(vocabulary::preview(engine, ctx, ids, verdict).await?)),
    }
}

/// The term in use that the text of a field means, if there is any text.
#[cfg(feature = "ssr")]
async fn named(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Option<NamedTerm>, ConsoleError> {
    if text.trim().is_empty() { Ok(None) } else { Ok(vocabulary::term_named(engine, ctx, text).await?) }
}

/// The error for a form with a field that is missing or wrong.
#[cfg(feature = "ssr")]
fn incomplete(field: FieldError) -> ConsoleError {
    let error = ConsoleError::invalid(vec![field]);
    set_status(error.code);
    error
}

/// What a decision did, with the way back if there is one.
#[cfg(feature = "ssr")]
fn told(decision: &Decision) -> Flash {
    let mut text = said(decision);
    if decision.memories > 0 {
        text.push_str(&format!(" {} read anew.", count(decision.memories, "memory is", "memories are")));
    }
    Flash { undo: decision.undoable.then_some(decision.id), ..Flash::done(text) }
}
