use crate::{
    ConsoleError, Flash,
    features::session::check_limit,
    guard::{console, finish, incomplete, keep_who, not_found, open_session, operator, signed_in},
    once,
    query::Query,
    submit::submit,
    ui::text,
};
use chrono::{DateTime, Utc};
use foundation::{Engine, OpContext, identity};
use leptos::prelude::*;
use wire::{
    AdminOperator, FieldError, INVITATION_HOURS, Invitation, InvitationId, MadeInvitation, NewInvitation, OperatorId, OperatorRole,
    OperatorSettings,
};

/// The page of all accounts.
const PAGE: &str = "/accounts";

/// Everything on the page of all accounts.
pub struct Accounts {
    pub accounts: Vec<AdminOperator>,
    pub invitations: Vec<Invitation>,
    /// A link that was just made. Nobody can read it again.
    pub link: Option<String>,
}

pub async fn accounts() -> Result<Accounts, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let accounts = identity::list_operators(&engine, &ctx).await?;
    let invitations = identity::list_invitations(&engine, &ctx).await?;
    Ok(Accounts { accounts, invitations, link: once::take(PAGE).await })
}

/// One account.
pub struct AccountRead {
    pub account: AdminOperator,
    pub now: DateTime<Utc>,
    /// A link that was just made for it. Nobody can read it again.
    pub link: Option<String>,
}

pub async fn read_account(id: OperatorId) -> Result<AccountRead, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(AccountRead { account: one(&engine, &ctx, id).await?, now: engine.clock().now(), link: once::take(&page(id)).await })
}

/// Makes a link with which a person gets an account, then redirects to the list, which shows the link once.
#[server(endpoint = "invite_operator")]
pub async fn invite_operator(
    #[server(default)] login: String,
    #[server(default)] name: String,
    #[server(default)] roles: Vec<OperatorRole>,
    #[server(default)] hours: u32,
) -> Result<(), ConsoleError> {
    let typed = ticked(&roles).with("login", &login).with("name", &name).with("hours", hours);
    submit(PAGE, typed, |engine, ctx| async move {
        let login = login.trim().to_owned();
        let name = Some(name.trim()).filter(|name| !name.is_empty()).map_or_else(|| login.clone(), str::to_owned);
        let made = identity::invite(&engine, &ctx, NewInvitation { login, name, roles, hours }).await?;
        offer(PAGE, made).await
    })
    .await
}

/// Withdraws a link that nobody has used, then redirects to the list.
#[server(endpoint = "withdraw_invitation")]
pub async fn withdraw_invitation(id: InvitationId) -> Result<(), ConsoleError> {
    submit(PAGE, Query::default().with("id", id), |engine, ctx| async move {
        identity::withdraw_invitation(&engine, &ctx, id).await?;
        Ok(Flash::done("Withdrawn. The link no longer works."))
    })
    .await
}

/// Changes the name and the roles of an account, then redirects to its page.
#[server(endpoint = "change_account")]
pub async fn change_account(
    id: OperatorId,
    #[server(default)] name: String,
    #[server(default)] roles: Vec<OperatorRole>,
) -> Result<(), ConsoleError> {
    let typed = ticked(&roles).with("form", "change").with("name", &name);
    submit(&page(id), typed, |engine, ctx| async move {
        let before = one(&engine, &ctx, id).await?;
        let settings = OperatorSettings { name: Some(name.trim().to_owned()), roles: Some(roles) };
        let after = identity::change_operator(&engine, &ctx, id, settings).await?;
        Ok(Flash::done(match (after.name == before.name, after.roles == before.roles) {
            (true, true) => "Nothing changed: name and roles were the same.".to_owned(),
            (false, true) => format!("Changed the name to {}.", text::visible(&after.name)),
            (_, false) => format!("Changed the roles to {}. Sessions of the account have ended.", names(&after.roles)),
        }))
    })
    .await
}

/// Makes a link with which the person of an account chooses a new password, then redirects to its page, which shows the link once.
#[server(endpoint = "offer_password")]
pub async fn offer_password(id: OperatorId) -> Result<(), ConsoleError> {
    submit(&page(id), Query::default(), |engine, ctx| async move {
        let made = identity::offer_password(&engine, &ctx, id, INVITATION_HOURS).await?;
        offer(&page(id), made).await
    })
    .await
}

/// Ends the sessions of an account, then redirects to its page.
#[server(endpoint = "end_sessions")]
pub async fn end_sessions(id: OperatorId) -> Result<(), ConsoleError> {
    submit(&page(id), Query::default(), |engine, ctx| async move {
        identity::end_sessions(&engine, &ctx, id).await?;
        Ok(Flash::done("The sessions have ended, and clients that the person let in have no access. Signing in works as before."))
    })
    .await
}

/// Detaches an account from the identity at the provider, then redirects to its page.
#[server(endpoint = "detach_identity")]
pub async fn detach_identity(id: OperatorId) -> Result<(), ConsoleError> {
    submit(&page(id), Query::default(), |engine, ctx| async move {
        identity::detach_identity(&engine, &ctx, id).await?;
        Ok(Flash::done("Detached. The next sign-in under this login gets the account."))
    })
    .await
}

/// Ends the access of an account, whose login was typed to confirm it, then redirects to the list.
#[server(endpoint = "remove_account")]
pub async fn remove_account(id: OperatorId, #[server(default)] login: String) -> Result<(), ConsoleError> {
    submit((PAGE, &page(id)), Query::default().with("form", "remove").with("login", &login), |engine, ctx| async move {
        let account = one(&engine, &ctx, id).await?;
        if login.trim() != account.login {
            return Err(incomplete(FieldError::new("login", "Type the login of the account as it is shown.")));
        }
        identity::disable_operator(&engine, &ctx, id).await?;
        Ok(Flash::done(format!("Removed {}. Access and sessions have ended.", text::visible(&account.name))))
    })
    .await
}

/// Gives a removed account access again, then redirects to its page.
#[server(endpoint = "restore_account")]
pub async fn restore_account(id: OperatorId) -> Result<(), ConsoleError> {
    submit(&page(id), Query::default(), |engine, ctx| async move {
        identity::restore_operator(&engine, &ctx, id).await?;
        Ok(Flash::done("The account has access again, with the roles and the password from before."))
    })
    .await
}

/// Changes the password of whoever is signed in and opens a new session, then redirects to the form.
#[server(endpoint = "change_password")]
pub async fn change_password(#[server(default)] current: String, #[server(default)] new: String) -> Result<(), ConsoleError> {
    const FORM: &str = "/password";
    let changed = async {
        let (engine, ctx, profile) = signed_in().await?;
        check_limit(&console()?, &profile.login)?;
        let admission = identity::change_password(&engine, &ctx, &current, &new).await?;
        keep_who(Some(admission.operator));
        open_session(admission).await?;
        Ok(Flash::done("Changed. Your other sessions have ended."))
    };
    // What was typed are passwords: nothing of it is kept.
    finish(changed.await, FORM, FORM, "").await
}

fn page(id: OperatorId) -> String {
    format!("{PAGE}/{id}")
}

/// An account of the organisation.
async fn one(engine: &Engine, ctx: &OpContext, id: OperatorId) -> Result<AdminOperator, ConsoleError> {
    let accounts = identity::list_operators(engine, ctx).await?;
    accounts.into_iter().find(|account| account.id == id).ok_or_else(|| not_found("No account has this id."))
}

/// Hands a link to the page at `path`, and says so.
async fn offer(path: &str, made: MadeInvitation) -> Result<Flash, ConsoleError> {
    let url = console()?.public_url;
    let login = text::visible(&made.invitation.login);
    let says = format!("Made a link for {login}. Copy it now and send it: it is shown once.");
    once::show(path, made.link.map(|link| format!("{url}{link}")), says).await
}

/// Ticked roles, as a refused form keeps them.
fn ticked(roles: &[OperatorRole]) -> Query {
    roles.iter().fold(Query::default(), |typed, role| typed.with(role.as_str(), "yes"))
}

/// The names of roles in a sentence.
pub fn names(roles: &[OperatorRole]) -> String {
    roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", ")
}
