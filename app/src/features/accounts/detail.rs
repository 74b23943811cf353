use super::{
    api::{AccountRead, names, read_account},
    link::NewLink,
    list::{NAME_MAX, NOT_ALLOWED},
    roles::Roles,
};
use crate::{
    Flash,
    guard::{by_id, takes_passwords},
    layout::{Crumb, ViewerResource},
    query::{Query, use_param},
    ui::{Icon, PostForm, Shape, TextField, Time, awaited, fact, or_missing, text},
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::{AdminOperator, OperatorId, OperatorRole};

/// The page of one account.
#[component]
pub fn AccountPage() -> impl IntoView {
    let read = by_id(use_param::<OperatorId>("id"), read_account, "No account has this id.");
    let who = ViewerResource::shared();
    view! {
        <Crumb href="/accounts" text="Accounts" />
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, read).await;
            or_missing("Account", answer, |(viewer, read)| view! { <Whole read flash=viewer.refused() /> })
        })}
    }
}

/// The message about a refused form, if it is this form.
fn of_form(flash: Option<&Flash>, form: &str) -> Option<Flash> {
    flash.filter(|flash| Query::parse(&flash.typed).get("form") == Some(form)).cloned()
}

#[component]
fn Whole(read: AccountRead, flash: Option<Flash>) -> impl IntoView {
    let AccountRead { account, now, link } = read;
    let (title, in_use) = (text::visible(&account.name), account.disabled_at.is_none());
    let link = link.map(|link| view! { <NewLink link /> });
    let id = account.id;
    let removed = account.disabled_at.map(|at| {
        view! {
            <p class="rounded-md border border-line bg-sunken px-3 py-2 text-sm text-soft" data-testid="removed">
                "Removed " <Time at /> ". Records of what this person did keep the name."
            </p>
            <Act id action="restore_account" title="Access" button="Give access again"
                says="The person can sign in again, with the roles from before, and with the password if there was one." />
        }
    });
    let has_identity = account.issuer.is_some();
    let forms = in_use.then(|| {
        view! {
            <Change account=account.clone() flash=of_form(flash.as_ref(), "change") />
            {(has_identity || account.attach_until.is_some()).then(|| view! {
                <Act id action="detach_identity" title="Identity" button="Detach identity"
                    says="For a person who has another identity at the provider. Signs the person out everywhere. For three days, the first \
                    sign-in there under the same login gets the account." />
            })}
            {(takes_passwords() && !has_identity).then(|| view! {
                <Act id action="offer_password" title="New password" button="Make link"
                    says="Makes a one-time link with which the person chooses a new password. The old one works until then." />
            })}
            <Act id action="end_sessions" title="Sessions" button="End sessions"
                says="Signs the person out everywhere, and ends the access of clients that the person let in. Signing in works as before." />
            <Remove account=account.clone() flash=of_form(flash.as_ref(), "remove") />
        }
    });
    view! {
        <Title text=title.clone() />
        <h1 class="mb-5 wrap-anywhere">{title}</h1>
        <div class="max-w-2xl space-y-6">
            {link}
            {removed}
            <section class="card" aria-labelledby="account">
                <h2 class="border-b border-line px-4 py-2" id="account">"Account"</h2>
                <dl class="facts p-4">
                    {fact("Login", text::visible(&account.login))}
                    {fact("Roles", names(&account.roles))}
                    {fact("Signs in with", way_in(&account, now))}
                    {fact("Since", view! { <Time at=account.created_at /> })}
                </dl>
            </section>
            {forms}
        </div>
    }
}

/// How the person signs in.
fn way_in(account: &AdminOperator, now: DateTime<Utc>) -> AnyView {
    match (&account.issuer, account.attach_until) {
        (Some(issuer), _) => view! { <span class="wrap-anywhere">{text::visible(issuer)}</span> }.into_any(),
        (None, Some(until)) if until <= now => view! {
            "nothing: the time for a new identity ended " <Time at=until /> ". Detach the identity again to allow three more days."
        }
        .into_any(),
        (None, Some(until)) => view! { "a new identity, until " <Time at=until /> }.into_any(),
        (None, None) => "a password".into_any(),
    }
}

/// The form that changes the name and the roles.
#[component]
fn Change(account: AdminOperator, flash: Option<Flash>) -> impl IntoView {
    let stored = || account.roles.iter().fold(Query::default().with("name", &account.name), |typed, role| typed.with(role.as_str(), "yes"));
    let typed = flash.as_ref().map_or_else(stored, |flash| Query::parse(&flash.typed));
    let error = move |name: &str| flash.as_ref().and_then(|flash| flash.field(name));
    let no_roles = error("roles");
    view! {
        <PostForm class="card space-y-3 p-4" action="/console/api/change_account" label="Name and roles" fields=[("id", account.id.to_string())]>
            <h2>"Name and roles"</h2>
            <TextField name="name" label="Name" required=true most=NAME_MAX value=typed.text("name") error=error("name") />
            <Roles typed=typed.clone() error=no_roles />
            <p class="text-xs text-soft">"Changing the roles ends the sessions of this account."</p>
            <button class="button button-primary" type="submit">"Save account"</button>
        </PostForm>
    }
}

/// A form with nothing but a button.
#[component]
fn Act(id: OperatorId, action: &'static str, title: &'static str, button: &'static str, says: &'static str) -> impl IntoView {
    view! {
        <PostForm class="card space-y-3 p-4" action=format!("/console/api/{action}") label=title fields=[("id", id.to_string())]>
            <h2>{title}</h2>
            <p class="text-sm text-soft">{says}</p>
            <button class="button" type="submit">{button}</button>
        </PostForm>
    }
}

/// The folded form that removes the account.
#[component]
fn Remove(account: AdminOperator, flash: Option<Flash>) -> impl IntoView {
    let open = flash.is_some();
    let (login, error) = (text::visible(&account.login), flash.as_ref().and_then(|flash| flash.field("login")));
    view! {
        <details class="card" open=open>
            <summary class="flex items-center gap-2 px-4 py-2.5 font-medium text-danger">
                <Icon shape=Shape::Delete />
                "Remove…"
            </summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/remove_account" label="Remove the account" fields=[("id", account.id.to_string())]>
                <p class="text-sm wrap-anywhere text-soft">
                    {format!("Ends the access of {login}, all sessions, the access of clients that the person let in, and links that the person made. \
                    Keys stay: rotate those that the person may have copied.")}
                </p>
                <TextField id="confirm-login" name="login" label="Login of the account" required=true value="" error=error
                    note="Type it to confirm." />
                <button class="button button-danger" type="submit">"Remove account"</button>
            </PostForm>
        </details>
    }
}
