use super::input::ExpectationInput;
use crate::{
    ConsoleError, Flash,
    guard::{finish, invalid, operator},
    query::Query,
    submit::submit,
};
use leptos::prelude::*;
use remembrancer::overview;
use wire::{AgentName, ExpectationId, ExpectationSetDetail, ExpectationSetId, ExpectationSetRow};

/// The list of sets.
pub const LIST: &str = "/quality/expectations";
/// The form for a new expectation.
pub const NEW: &str = "/quality/expectations/new";

/// The page of a set.
pub fn page(set: ExpectationSetId) -> String {
    format!("{LIST}/{set}")
}

/// The sets with their last two runs, by name.
pub async fn sets() -> Result<Vec<ExpectationSetRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(expectations::sets(&engine, &ctx).await?)
}

pub async fn set(id: ExpectationSetId) -> Result<ExpectationSetDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(expectations::set(&engine, &ctx, id).await?)
}

/// The agents that can ask, without the commons and those that are retired, and the names of the sets.
pub async fn choices() -> Result<(Vec<AgentName>, Vec<String>), ConsoleError> {
    let (engine, ctx) = operator().await?;
    let mut agents = overview::agent_names(&engine, &ctx).await?;
    agents.retain(|agent| agent.id != ctx.commons_id && !agent.retired);
    Ok((agents, sets().await?.into_iter().map(|row| row.set.name).collect()))
}

/// Adds an expectation, then redirects to the page of its set, or back to the form if it is refused.
#[server(endpoint = "add_expectation")]
pub async fn add_expectation(#[server(flatten)] input: ExpectationInput) -> Result<(), ConsoleError> {
    let added = add(&input).await;
    let done = added.as_ref().map(|set| page(*set)).unwrap_or_default();
    let flash = added.map(|_| Flash::done("The expectation was added. Run the set to see whether it is met."));
    finish(flash, &done, NEW, &input.query().href("")).await
}

async fn add(input: &ExpectationInput) -> Result<ExpectationSetId, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let new = input.request().map_err(invalid)?;
    Ok(expectations::expect(&engine, &ctx, new).await?.0)
}

/// Requests a run, then redirects to the page of the set.
#[server(endpoint = "run_expectations")]
pub async fn run_expectations(id: ExpectationSetId) -> Result<(), ConsoleError> {
    submit(&page(id), Query::default(), |engine, ctx| async move {
        Ok(Flash::done(match expectations::request_run(&engine, &ctx, id).await? {
            true => "The run was requested. Its numbers appear here when it is done.",
            false => "A run of this set is already waiting or under way.",
        }))
    })
    .await
}

/// Removes an expectation, then redirects to the page of its set.
#[server(endpoint = "remove_expectation")]
pub async fn remove_expectation(id: ExpectationId, set: ExpectationSetId) -> Result<(), ConsoleError> {
    submit(&page(set), Query::default(), |engine, ctx| async move {
        expectations::remove(&engine, &ctx, id).await?;
        Ok(Flash::done("The expectation was removed. The numbers of earlier runs are unchanged."))
    })
    .await
}

/// Deletes a set, then redirects to the list.
#[server(endpoint = "delete_expectation_set")]
pub async fn delete_expectation_set(id: ExpectationSetId) -> Result<(), ConsoleError> {
    submit((LIST, &page(id)), Query::default(), |engine, ctx| async move {
        let name = expectations::delete_set(&engine, &ctx, id).await?;
        Ok(Flash::done(format!("Deleted the set “{name}” with its expectations and runs.")))
    })
    .await
}
