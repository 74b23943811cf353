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
    Decision, DecisionId, Effect, Page, Proposal, ProposalDetail, ProposalFilter, ProposalId, Term, TermDetail, TermFilter, TermId,
};
#[cfg(feature = "ssr")]
use remembrancer::{
    Engine, OpContext,
    api::{BULK_MAX, ErrorCode, FieldError, Verdict},
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
    pub into: Option<(TermId, String)>,
    /// Why what was entered names no term.
    pub refused: Option<String>,
}

/// A term that is about to be changed, and what that would change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Foreseen {
    pub term: Term,
    pub effect: Effect,
    /// The term to combine it with.
    pub into: Option<(TermId, String)>,
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
    let proposals = chosen(&engine, &ctx, &ids).await?;
    let (into, refused) = match named(&engine, &ctx, &asked.into).await {
        Err(error) if error.code == ErrorCode::Invalid => (None, error.fields.into_iter().next().map(|field| field.message)),
        into => (into?, None),
    };
    let effect = effect(&engine, &ctx, &ids, asked.verdict(into.as_ref().map(|(id, _)| *id)).ok()).await?;
    Ok(Considered { proposals, effect, into, refused })
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
    let filter = TermFilter { q: Some(q).filter(|q| !q.trim().is_empty()), ..TermFilter::default() };
    Ok(vocabulary::terms(&engine, &ctx, &filter).await?.rows.into_iter().map(|term| term.term).collect())
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
    let into = named(&engine, &ctx, &asked.into).await.map_err(refused)?;
    let change = asked.change(into.as_ref().map(|(id, _)| *id)).map_err(incomplete)?;
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
    let into = named(&engine, &ctx, &asked.into).await.map_err(refused)?.map(|(id, _)| id);
    let verdict = asked.verdict(into).map_err(incomplete)?;
    Ok(told(&vocabulary::decide(&engine, &ctx, ids, &verdict).await?))
}

#[cfg(feature = "ssr")]
async fn changed(id: TermId, asked: &Asked) -> Result<Decision, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let into = named(&engine, &ctx, &asked.into).await.map_err(refused)?.map(|(id, _)| id);
    let change = asked.change(into).map_err(incomplete)?;
    Ok(vocabulary::change(&engine, &ctx, id, &change).await?)
}

/// What a verdict would change, if it is complete and changes a term at all.
#[cfg(feature = "ssr")]
async fn effect(engine: &Engine, ctx: &OpContext, ids: &[ProposalId], verdict: Option<Verdict>) -> Result<Option<Effect>, ConsoleError> {
    match verdict {
        None | Some(Verdict::Reject { .. }) => Ok(None),
        Some(_) if ids.is_empty() => Ok(None),
        Some(verdict) => Ok(Some(vocabulary::preview(engine, ctx, ids, &verdict).await?)),
    }
}

/// The proposals of `ids` that there are.
#[cfg(feature = "ssr")]
async fn chosen(engine: &Engine, ctx: &OpContext, ids: &[ProposalId]) -> Result<Vec<Proposal>, ConsoleError> {
    let mut proposals = Vec::with_capacity(ids.len());
    for id in ids {
        match vocabulary::proposal(engine, ctx, *id).await {
            Ok(found) => proposals.push(found.proposal),
            Err(error) if error.code() == ErrorCode::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(proposals)
}

/// The term in use that `text` means: its id, its name or an alias of it, in whatever case.
#[cfg(feature = "ssr")]
async fn named(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Option<(TermId, String)>, ConsoleError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Ok(id) = text.parse() {
        let term = vocabulary::term(engine, ctx, id).await?.term;
        return Ok(Some((term.id, term.term)));
    }
    let mut filter = TermFilter { q: Some(text.to_owned()), ..TermFilter::default() };
    loop {
        let page = vocabulary::terms(engine, ctx, &filter).await?;
        let same = |form: &String| form.to_lowercase() == text.to_lowercase();
        if let Some(term) = page.rows.into_iter().find(|term| same(&term.term) || term.aliases.iter().any(same)) {
            return Ok(Some((term.id, term.term)));
        }
        filter.after = page.next;
        if filter.after.is_none() {
            let message = format!("No term in use is called “{text}”. Choose one of the list.");
            return Err(ConsoleError::invalid(vec![FieldError { field: "into".into(), message }]));
        }
    }
}

#[cfg(feature = "ssr")]
fn incomplete(field: FieldError) -> ConsoleError {
    refused(ConsoleError::invalid(vec![field]))
}

#[cfg(feature = "ssr")]
fn refused(error: ConsoleError) -> ConsoleError {
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
