use super::{
    leaf::plain,
    path::{LeafPath, PersonPath},
};
use crate::{
    ConsoleError, Flash,
    guard::{incomplete, operator, own_path},
    query::Query,
    submit::submit,
    ui::text,
};
use foundation::identity::{self, User};
use leptos::prelude::*;
use remembrancer::{
    capture,
    profile::{self, Subject},
};
use std::collections::HashMap;
use wire::{AdminUser, AdminUsers, FieldError, OperatorRole, Page, PeopleFilter, PersonDetail, PersonRow, UserId, UserRef, UserSettings};

/// Characters of an id.
const ID_LENGTH: usize = 36;

/// One page of profiles, those that changed last first.
pub async fn browse_people(filter: PeopleFilter) -> Result<Page<PersonRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(profile::people(&engine, &ctx, &filter).await?)
}

/// One profile with what its leaves cite, and its changes before a version.
pub async fn read_profile(person: PersonPath, before: Option<i64>) -> Result<PersonDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(profile::person(&engine, &ctx, subject(person), before).await?)
}

/// The people whom a text may mean: by id, or by the beginning of a reference or a name.
pub async fn find_people(text: String) -> Result<Vec<User>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(identity::find_users(&engine, &ctx, &text).await?)
}

/// The person with an id, if the organisation named them.
pub async fn read_user(id: UserId) -> Result<Option<User>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(identity::users_by_id(&engine, &ctx, &[id]).await?.pop())
}

/// What a page calls the people with these ids: by their name, or else by the organisation's reference. Whom nobody named is left out.
pub async fn person_names(ids: Vec<UserId>) -> HashMap<UserId, String> {
    match operator().await {
        Ok((engine, ctx)) if !ids.is_empty() => identity::user_names(&engine, &ctx, &ids).await.unwrap_or_default(),
        _ => HashMap::new(),
    }
}

/// The same for one person.
pub async fn person_name(id: UserId) -> Option<String> {
    person_names(vec![id]).await.remove(&id)
}

/// A sentence with the names of people in place of their ids, as far as they have names.
pub async fn with_names(sentence: String) -> String {
    let words = sentence.split(|c: char| !c.is_ascii_hexdigit() && c != '-');
    let ids: Vec<UserId> = words.filter(|word| word.len() == ID_LENGTH).filter_map(|word| word.parse().ok()).collect();
    let named = |sentence: String, (id, name): (UserId, String)| sentence.replace(&id.to_string(), &text::visible(&name));
    person_names(ids).await.into_iter().fold(sentence, named)
}

/// A page of the users whom the organisation named.
pub struct UsersRead {
    pub users: Vec<AdminUser>,
    /// The reference after which the next page begins.
    pub next: Option<String>,
    /// The user whom the form changes.
    pub chosen: Option<AdminUser>,
}

/// The users after the reference in a query, and the one whom it names.
pub async fn list_users(query: Query) -> Result<UsersRead, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let AdminUsers { users, next } = identity::list_users(&engine, &ctx, query.get("after")).await?;
    let chosen = match query.get("user").and_then(|id| id.parse::<UserId>().ok()) {
        Some(id) => identity::users_with(&engine, &ctx, &[id]).await?.pop(),
        None => None,
    };
    let chosen = chosen.map(|User { id, external_ref, name }| AdminUser { id, external_ref, name });
    Ok(UsersRead { users, next, chosen })
}

/// Adds a user, or changes the one with this id, then redirects to the list.
#[server(endpoint = "put_user")]
pub async fn put_user(
    #[server(default)] id: String,
    #[server(default)] reference: String,
    #[server(default)] name: String,
) -> Result<(), ConsoleError> {
    const LIST: &str = "/people/users";
    let form = Query::default().with("user", &id).href(LIST);
    submit((LIST, &form), Query::default().with("reference", &reference).with("name", &name), |engine, ctx| async move {
        ctx.require_role(OperatorRole::Admin)?;
        let (reference, is_known) = (reference.trim(), !id.is_empty());
        let named = if is_known { id.as_str() } else { reference };
        let user: UserRef = named.parse().map_err(|message: String| incomplete(FieldError::new("external_ref", message)))?;
        // Whoever adds a user that exists already keeps its name; whoever changes one sees the name, and removes it with an empty field.
        let name = Some(name.trim()).filter(|name| is_known || !name.is_empty()).map(str::to_owned);
        let settings = UserSettings { name, external_ref: is_known.then(|| reference.to_owned()) };
        let (user, is_new) = identity::put_user(&engine, &ctx, &user, settings).await?;
        let shown = text::visible(&user.external_ref);
        Ok(Flash::done(match (is_known, is_new) {
            (false, true) => format!("Added the user {shown}."),
            (false, false) => format!("{shown} already exists, and has the name that you typed."),
            (true, _) => format!("Saved the user {shown}."),
        }))
    })
    .await
}

/// Gives a leaf another value, then redirects to `done`, or to the profile.
#[server(endpoint = "correct_entry")]
pub async fn correct_entry(
    entry: LeafPath,
    #[server(default)] value: String,
    #[server(default)] reason: String,
    #[server(default)] done: String,
) -> Result<(), ConsoleError> {
    // Browsers end the lines of a field with both characters.
    let value = value.replace("\r\n", "\n");
    let profile = entry.person.href();
    let typed = Query::default().with("correct", entry).with("value", &value).with("reason", &reason);
    submit(own_path(&done, &profile), typed, |engine, ctx| async move {
        let (leaf, former) = capture::correct_entry(&engine, &ctx, subject(entry.person), entry.leaf, &value, &reason).await?;
        let fields = [
            ("entry", LeafPath { leaf, ..entry }.to_string()),
            ("value", plain(&former)),
            ("reason", "The correction was undone.".to_owned()),
        ];
        Ok(Flash::done("Corrected. Agents read the new value. The history keeps the former one.").undone_by("correct_entry", fields))
    })
    .await
}

/// Forgets a leaf, then redirects to `done`, or to the profile.
#[server(endpoint = "forget_entry")]
pub async fn forget_entry(entry: LeafPath, #[server(default)] reason: String, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let profile = entry.person.href();
    let here = own_path(&done, &profile);
    submit(here, Query::default().with("entry", entry).with("reason", &reason), |engine, ctx| async move {
        profile::forget_leaf_of(&engine, &ctx, subject(entry.person), entry.leaf, &reason).await?;
        let text = "Forgotten. Agents no longer read it, and the same value does not come back.";
        Ok(Flash::done(text).undone_by("restore_entry", [("entry", entry.to_string())]))
    })
    .await
}

/// Takes back that a leaf was forgotten, then redirects to `done`, or to the profile.
#[server(endpoint = "restore_entry")]
pub async fn restore_entry(entry: LeafPath, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let profile = entry.person.href();
    submit(own_path(&done, &profile), Query::default(), |engine, ctx| async move {
        profile::restore_leaf(&engine, &ctx, subject(entry.person), entry.leaf).await?;
        Ok(Flash::done("Undone. Agents read the entry again."))
    })
    .await
}

fn subject(person: PersonPath) -> Subject {
    Subject { agent_id: person.agent, user_id: person.user }
}
