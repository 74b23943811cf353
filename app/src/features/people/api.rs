use super::path::{LeafPath, PersonPath};
use crate::{ConsoleError, Flash, guard::operator, query::Query, submit::submit};
use leptos::prelude::*;
use remembrancer::profile::{self, Subject};
use wire::{Page, PeopleFilter, PersonDetail, PersonRow};

/// One page of profiles, those that changed last first.
pub async fn browse_people(filter: PeopleFilter) -> Result<Page<PersonRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(profile::people(&engine, &ctx, &filter).await?)
}

/// One profile with what its leaves cite, and its changes before a version.
pub async fn read_person(person: PersonPath, before: Option<i64>) -> Result<PersonDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(profile::person(&engine, &ctx, subject(person), before).await?)
}

/// Forgets a leaf, then redirects to the profile.
#[server(endpoint = "forget_entry")]
pub async fn forget_entry(entry: LeafPath, #[server(default)] reason: String) -> Result<(), ConsoleError> {
    let here = entry.person.href();
    submit(&here, Query::default().with("entry", entry).with("reason", &reason), |engine, ctx| async move {
        profile::forget_leaf_of(&engine, &ctx, subject(entry.person), entry.leaf, &reason).await?;
        let text = "Forgotten. Agents no longer read it, and the same value does not come back.";
        Ok(Flash::done(text).undone_by("restore_entry", [("entry", entry.to_string())]))
    })
    .await
}

/// Takes back that a leaf was forgotten, then redirects to the profile.
#[server(endpoint = "restore_entry")]
pub async fn restore_entry(entry: LeafPath) -> Result<(), ConsoleError> {
    let here = entry.person.href();
    submit(&here, Query::default(), |engine, ctx| async move {
        profile::restore_leaf(&engine, &ctx, subject(entry.person), entry.leaf).await?;
        Ok(Flash::done("Undone. Agents read the entry again."))
    })
    .await
}

fn subject(person: PersonPath) -> Subject {
    Subject { agent_id: person.agent, user_id: person.user }
}
