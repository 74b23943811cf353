use crate::{
    ConsoleError, Flash,
    guard::{incomplete, operator},
    query::Query,
    submit::submit,
};
use leptos::prelude::*;
use remembrancer::erasure;
use serde::{Deserialize, Serialize};
use wire::{Erasure, ErasureDetail, ErasureId, ErasurePreview, FieldError, LegalHold, MentionRef, NewErasure, UserId, UserRef};

/// The requests and the open legal holds.
pub struct ErasureList {
    pub requests: Vec<Erasure>,
    pub holds: Vec<LegalHold>,
}

/// Reads the page of erasures.
pub async fn erasures() -> Result<ErasureList, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(ErasureList { requests: erasure::requests(&engine, &ctx).await?, holds: erasure::holds(&engine, &ctx).await? })
}

/// What the erasure of a user would remove; one name a line.
pub async fn preview_erasure(user: String, names: String) -> Result<ErasurePreview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(erasure::preview(&engine, &ctx, &reference(&user)?, &lines(&names)).await?)
}

pub async fn read_erasure(id: ErasureId) -> Result<ErasureDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(erasure::show(&engine, &ctx, id).await?)
}

/// Requests an erasure, then redirects to the list, or back to the form if it is refused.
#[server(endpoint = "request_erasure")]
pub async fn request_erasure(
    #[server(default)] user: String,
    #[server(default)] names: String,
    #[server(default)] reason: String,
    #[server(default)] mentions: Vec<MentionText>,
) -> Result<(), ConsoleError> {
    let form = Query::default().with("user", &user).with("names", &names).href("/erasure/new");
    submit(("/erasure", &form), Query::default().with("reason", &reason), |engine, ctx| async move {
        let mentions = mentions.into_iter().map(|MentionText(row)| row).collect();
        let new = NewErasure { user: reference(&user)?, reason, names: lines(&names), mentions };
        erasure::request(&engine, &ctx, new).await?;
        Ok(Flash::done("Requested. Another admin must confirm it."))
    })
    .await
}

/// A mention in a form: `<place>:<id>`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MentionText(pub MentionRef);

impl TryFrom<String> for MentionText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl From<MentionText> for String {
    fn from(MentionText(row): MentionText) -> Self {
        row.to_string()
    }
}

/// Confirms a request of another admin, then redirects to it.
#[server(endpoint = "confirm_erasure")]
pub async fn confirm_erasure(id: ErasureId) -> Result<(), ConsoleError> {
    submit(&format!("/erasure/{id}"), Query::default(), |engine, ctx| async move {
        erasure::confirm(&engine, &ctx, id).await?;
        Ok(Flash::done("Confirmed. The erasure is running and cannot be undone. Reload this page to see its progress."))
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

/// Puts a user under a legal hold, then redirects to the list.
#[server(endpoint = "set_hold")]
pub async fn set_hold(#[server(default)] user: String, #[server(default)] reason: String) -> Result<(), ConsoleError> {
    submit("/erasure", Query::default().with("user", &user).with("reason", &reason), |engine, ctx| async move {
        erasure::hold(&engine, &ctx, &reference(&user)?, &reason).await?;
        // No undo: the form that lifts it is on the same page, and an old message could lift what somebody else has set since.
        Ok(Flash::done("The user is under a legal hold. No data of the user is erased, archived or swept."))
    })
    .await
}

/// Lifts a legal hold, then redirects to the list.
#[server(endpoint = "lift_hold")]
pub async fn lift_hold(user: UserId, #[server(default)] reason: String) -> Result<(), ConsoleError> {
    submit("/erasure", Query::default().with("lift", user).with("reason", &reason), |engine, ctx| async move {
        erasure::lift_hold(&engine, &ctx, &user.into(), &reason).await?;
        Ok(Flash::done("The legal hold is lifted."))
    })
    .await
}

fn reference(user: &str) -> Result<UserRef, ConsoleError> {
    user.trim().parse().map_err(|message: String| incomplete(FieldError::new("user", message)))
}

/// One name a line, without empty ones.
fn lines(names: &str) -> Vec<String> {
    names.lines().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}
