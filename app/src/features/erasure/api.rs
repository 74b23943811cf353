use super::names::{Names, addresses, lines};
use crate::{
    ConsoleError, Flash,
    features::people::person_name,
    form,
    guard::{incomplete, operator, own_path, set_status},
    ids::Ids,
    query::Query,
    submit::submit,
};
use foundation::{
    Engine, OpContext,
    identity::{self, Admin},
};
use leptos::prelude::*;
use remembrancer::{
    erasure,
    profile::{self, Subject},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wire::{
    Erasure, ErasureDetail, ErasureId, ErasurePreview, ErrorCode, FieldError, LegalHold, MentionPlace, MentionRef, NewErasure,
    PeopleFilter, UserId, UserRef,
};

/// Most profiles that are searched for addresses.
const PROFILES: usize = 10;

/// The requests and the open legal holds.
pub struct ErasureList {
    pub requests: Vec<Erasure>,
    pub holds: Vec<LegalHold>,
    /// Who can request and confirm.
    pub admins: Vec<Admin>,
}

/// Reads the page of erasures.
pub async fn erasures() -> Result<ErasureList, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let (requests, holds) = (erasure::requests(&engine, &ctx).await?, erasure::holds(&engine, &ctx).await?);
    Ok(ErasureList { requests, holds, admins: identity::admins(&engine, &ctx).await? })
}

/// Whom an erasure is about, the names that are searched for, and what it would remove.
pub struct Whom {
    pub id: UserId,
    pub names: Names,
    /// An error if a name is refused: the names can be corrected.
    pub preview: Result<ErasurePreview, ConsoleError>,
}

/// The subject of the page that requests an erasure, by its query; none if nobody has the name, reference or id. Without a person it is
/// somebody whom only texts name: a new id stands for them.
pub async fn whom(query: Query) -> Result<Option<Whom>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let only_named = query.get("user").is_none() && query.get("names").is_some();
    let found = match only_named {
        true => Some(UserId(engine.clock().id())),
        false => identity::known_user(&engine, &ctx, &reference("user", &query.text("user"))?).await?,
    };
    let Some(id) = found else {
        set_status(ErrorCode::NotFound);
        return Ok(None);
    };
    let user = identity::users_with(&engine, &ctx, &[id]).await?.pop();
    let names = Names::of(&query, user.as_ref(), &addresses_of(&engine, &ctx, id).await);
    let preview = erasure::preview(&engine, &ctx, &id.into(), &names.all()).await.map_err(ConsoleError::from);
    Ok(Some(Whom { id, names, preview }))
}

/// Addresses and handles in what agents keep of a person, as far as the viewer may read it.
async fn addresses_of(engine: &Engine, ctx: &OpContext, id: UserId) -> Vec<String> {
    let filter = PeopleFilter { user: Some(id.to_string()), ..PeopleFilter::default() };
    let rows = profile::people(engine, ctx, &filter).await.map(|page| page.rows).unwrap_or_default();
    let mut found = Vec::new();
    for row in rows.into_iter().take(PROFILES) {
        let subject = Subject { agent_id: row.agent_id, user_id: row.user_id };
        if let Ok(detail) = profile::person(engine, ctx, subject, None).await {
            found.extend(detail.profile.leaves.iter().filter_map(|leaf| leaf.value.as_str()).flat_map(addresses));
        }
    }
    found
}

/// A request, and who can confirm one.
pub struct ErasureRead {
    pub detail: ErasureDetail,
    pub admins: Vec<Admin>,
}

pub async fn read_erasure(id: ErasureId) -> Result<ErasureRead, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(ErasureRead { detail: erasure::show(&engine, &ctx, id).await?, admins: identity::admins(&engine, &ctx).await? })
}

/// The request that erased a source, turns of it, or what a memory quoted; by the id of the source or of the memory.
pub async fn erased_by(id: Uuid) -> Result<Option<ErasureId>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(erasure::erased_by(&engine, &ctx, id).await?)
}

/// Requests an erasure, then redirects to the list, or back to the form if it is refused. The form keeps what was chosen.
#[server(endpoint = "request_erasure")]
pub async fn request_erasure(
    #[server(default)] user: String,
    #[server(default)] names: String,
    #[server(default)] reason: String,
    #[server(default)] mentions: Vec<MentionText>,
) -> Result<(), ConsoleError> {
    let form = Query::default().with("user", &user).with("names", &names).with("searched", true).href("/erasure/new");
    let mentions: Vec<MentionRef> = mentions.into_iter().filter_map(|MentionText(row)| row).collect();
    let typed = ticks(&mentions).with("reason", &reason);
    submit(("/erasure", &form), typed, |engine, ctx| async move {
        let new = NewErasure { user: reference("user", &user)?, reason, names: lines(&names), mentions };
        erasure::request(&engine, &ctx, new).await?;
        Ok(Flash::done("Requested. Another admin must confirm it. The request says who can."))
    })
    .await
}

/// A mention in a form: `<place>:<id>`, or `keep` for one that is not chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MentionText(pub Option<MentionRef>);

impl TryFrom<String> for MentionText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text == "keep" { Ok(Self(None)) } else { text.parse().map(|row| Self(Some(row))) }
    }
}

impl From<MentionText> for String {
    fn from(MentionText(row): MentionText) -> Self {
        row.map_or_else(|| "keep".to_owned(), |row| row.to_string())
    }
}

/// The chosen mentions as a session keeps them: ids by place, in which nothing looks like a secret.
fn ticks(mentions: &[MentionRef]) -> Query {
    MentionPlace::ALL.iter().fold(Query::default(), |query, place| {
        let ids: Vec<Uuid> = mentions.iter().filter(|row| row.place == *place).map(|row| row.id).collect();
        query.with(place.as_str(), String::from(Ids(ids)))
    })
}

/// The mentions that were chosen in a form that was refused.
pub fn ticked(typed: &Query) -> Vec<MentionRef> {
    let of_place = |place: MentionPlace| {
        let ids = Ids::<Uuid>::try_from(typed.text(place.as_str())).unwrap_or_default();
        ids.0.into_iter().map(move |id| MentionRef { place, id })
    };
    MentionPlace::ALL.iter().flat_map(|place| of_place(*place)).collect()
}

/// Confirms a request of another admin, who typed the person's reference, then redirects to it.
#[server(endpoint = "confirm_erasure")]
pub async fn confirm_erasure(id: ErasureId, #[server(default)] person: String) -> Result<(), ConsoleError> {
    submit(&format!("/erasure/{id}"), Query::default().with("person", &person), |engine, ctx| async move {
        erasure::confirm(&engine, &ctx, id, &reference("person", &person)?).await?;
        Ok(Flash::done("Confirmed. The erasure is running and cannot be undone."))
    })
    .await
}

/// Withdraws a request, then redirects to the list.
#[server(endpoint = "withdraw_erasure")]
pub async fn withdraw_erasure(id: ErasureId) -> Result<(), ConsoleError> {
    submit(("/erasure", &format!("/erasure/{id}")), Query::default(), |engine, ctx| async move {
        erasure::withdraw(&engine, &ctx, id).await?;
        Ok(Flash::done("Withdrawn. Nothing was erased."))
    })
    .await
}

/// Puts a person under a legal hold, then redirects to `done`, or to the list.
#[server(endpoint = "set_hold")]
pub async fn set_hold(
    #[server(default)] user: String,
    #[server(default)] reason: String,
    #[server(default)] done: String,
) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/erasure"), Query::default().with("user", &user).with("reason", &reason), |engine, ctx| async move {
        erasure::hold(&engine, &ctx, &reference("user", &user)?, &reason).await?;
        // No undo: the form that lifts it is on the same page, and an old message could lift what somebody else has set since.
        let who = called(&user).await;
        Ok(Flash::done(format!("{who} is under a legal hold. No data of the person is erased, archived or swept.")))
    })
    .await
}

/// Lifts a legal hold, then redirects to the list.
#[server(endpoint = "lift_hold")]
pub async fn lift_hold(user: UserId, #[server(default)] reason: String) -> Result<(), ConsoleError> {
    submit("/erasure", Query::default().with("lift", user).with("reason", &reason), |engine, ctx| async move {
        erasure::lift_hold(&engine, &ctx, &user.into(), &reason).await?;
        Ok(Flash::done(format!("The legal hold on {} is lifted.", person_name(user).await.as_deref().unwrap_or("the person"))))
    })
    .await
}

/// What a message calls the person whom somebody named in a form.
async fn called(user: &str) -> String {
    match user.trim().parse::<UserId>() {
        Ok(id) => person_name(id).await.unwrap_or_else(|| "The person".to_owned()),
        Err(_) => user.trim().to_owned(),
    }
}

/// The user whom a field names.
fn reference(field: &str, user: &str) -> Result<UserRef, ConsoleError> {
    form::user(field, user).map_err(incomplete)?.ok_or_else(|| incomplete(FieldError::new(field, "is required")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_form_keeps_what_was_chosen_and_nothing_that_was_kept() {
        let row = |place, id| MentionRef { place, id: Uuid::from_u128(id) };
        let chosen = [row(MentionPlace::Memory, 1), row(MentionPlace::Memory, 2), row(MentionPlace::Turns, 3)];
        let flash = Flash { typed: ticks(&chosen).with("reason", "Case 31").href(""), refused: true, ..Flash::default() };
        assert_eq!(ticked(&Query::parse(&flash.without_secrets().typed)), chosen);
        assert!(ticked(&Query::default()).is_empty());
        let sent = ["keep".to_owned(), chosen[2].to_string()].map(|text| MentionText::try_from(text).unwrap().0);
        assert_eq!(sent, [None, Some(chosen[2])]);
        assert!(MentionText::try_from(String::new()).is_err());
    }
}
