use super::input::{Look, SearchInput, categories as read_categories};
use crate::{
    ConsoleError, Flash,
    guard::{invalid, operator},
    query::Query,
    submit::submit,
};
use foundation::identity;
use leptos::prelude::*;
use remembrancer::search;
use wire::{AgentId, SearchPolicy, SourceHit};

const PAGE: &str = "/recall/policy";

/// How a search over all sources ranks.
pub async fn read_search_policy() -> Result<SearchPolicy, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(identity::search_policy(&engine, &ctx).await?)
}

/// Changes how a search over all sources ranks, then redirects to the page.
#[server(endpoint = "set_search_policy")]
pub async fn set_search_policy(#[server(flatten)] input: SearchInput) -> Result<(), ConsoleError> {
    submit(PAGE, input.query(), |engine, ctx| async move {
        identity::set_search_policy(&engine, &ctx, input.policy().map_err(invalid)?).await?;
        Ok(Flash::done("The weights were saved. They apply from the next search on."))
    })
    .await
}

/// The documents that are relevant to an agent, by kind or collection; all of them if empty. Nothing without an agent.
pub async fn read_knowledge_categories(look: Look) -> Result<Vec<String>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(identity::knowledge_categories(&engine, &ctx, look.agent).await?)
}

/// The hits of a search with the weights in force, and with those to try; nothing without an agent, a question and weights.
pub async fn try_weights(look: Look) -> Result<Option<[Vec<SourceHit>; 2]>, ConsoleError> {
    let (Some(agent), Some(policy), false) = (look.agent, look.policy, look.q.is_empty()) else { return Ok(None) };
    let (engine, ctx) = operator().await?;
    let now = search::preview(&engine, &ctx, agent, &look.q, None).await?;
    let tried = search::preview(&engine, &ctx, agent, &look.q, Some(policy)).await?;
    Ok(Some([now, tried]))
}

/// Chooses the documents that are relevant to an agent, then redirects to the page.
#[server(endpoint = "set_knowledge_categories")]
pub async fn set_knowledge_categories(agent: AgentId, #[server(default)] categories: String) -> Result<(), ConsoleError> {
    let page = Query::default().with("agent", agent).href(PAGE);
    submit(&page, Query::default().with("categories", &categories), |engine, ctx| async move {
        identity::set_knowledge_categories(&engine, &ctx, agent, &read_categories(&categories)).await?;
        Ok(Flash::done("The categories were saved. They apply from the next search on."))
    })
    .await
}
