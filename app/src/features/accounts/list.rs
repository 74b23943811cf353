use super::{
    api::{Accounts, accounts, names},
    link::NewLink,
    roles::Roles,
};
use crate::{
    Flash,
    guard::takes_passwords,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Badge, Choice, PostForm, SelectField, TableCard, TextField, Time, Titled, Tone, awaited, choice, columns, or_error, text},
};
use leptos::prelude::*;
use wire::{AdminOperator, INVITATION_HOURS, Invitation, InvitationKind, OperatorRole};

/// What operators without the role see.
pub const NOT_ALLOWED: &str = "Managing accounts requires the role “admin”. Ask an administrator for it.";
/// Longest login and name, in characters.
pub const NAME_MAX: usize = 200;
/// For how many hours a link may be valid, and what the form calls that.
const VALID: [(&str, &str); 4] = [("24", "One day"), ("72", "Three days"), ("168", "A week"), ("720", "30 days")];

/// The page of all accounts, with the links that nobody has used and a form that makes one.
#[component]
pub fn AccountsPage() -> impl IntoView {
    let says = match takes_passwords() {
        true => "The people who sign in to this console. A new account begins with an invitation.",
        false => "The people who sign in to this console. A new account begins with a first sign-in at the identity provider.",
    };
    let (list, who) = (accounts(), ViewerResource::shared());
    view! {
        <PageHead title="Accounts">{says}</PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, list).await;
            or_error(answer, |(viewer, accounts)| {
                let me = viewer.profile.login.clone();
                view! { <Whole accounts me flash=viewer.refused() /> }
            })
        })}
    }
}

#[component]
fn Whole(accounts: Accounts, me: String, flash: Option<Flash>) -> impl IntoView {
    let Accounts { accounts, invitations, link } = accounts;
    let link = link.map(|link| view! { <NewLink link /> });
    let rows = accounts.into_iter().map(|account| {
        let is_me = account.login == me;
        view! { <Row account is_me /> }
    });
    let rows = rows.collect_view();
    view! {
        <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div class="mb-6 min-w-0 space-y-6">
                {link}
                <TableCard label="Accounts" rows heads=columns([
                    ("Person", ""), ("Roles", "w-32 @md:w-48"), ("Since", "hidden w-32 @xl:table-cell"),
                ]) />
                <Links invitations />
            </div>
            {takes_passwords().then(|| view! { <Invite flash /> })}
        </div>
    }
}

#[component]
fn Row(account: AdminOperator, is_me: bool) -> impl IntoView {
    let removed = account.disabled_at.map(|_| view! { <Badge text="removed" title="This person cannot sign in." /> });
    view! {
        <tr data-testid="account-row">
            <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                <a class="font-medium wrap-anywhere" href=format!("/accounts/{}", account.id)>{text::visible(&account.name)}</a>
                <span class="ml-2 inline-flex gap-1">
                    {is_me.then(|| view! { <Badge tone=Tone::Accent text="you" /> })}
                    {removed}
                </span>
                <span class="block text-sm wrap-anywhere text-soft">{text::visible(&account.login)}</span>
            </th>
            <td class="text-sm break-words text-soft">{names(&account.roles)}</td>
            <td class="hidden @xl:table-cell"><Time at=account.created_at /></td>
        </tr>
    }
}

/// The links that nobody has used yet.
#[component]
fn Links(invitations: Vec<Invitation>) -> impl IntoView {
    if invitations.is_empty() {
        return view! {
            <Titled id="links" title="Open links">
                <p class="card px-4 py-3 text-sm text-soft">"No open links. Invitations appear here until somebody uses them."</p>
            </Titled>
        }
        .into_any();
    }
    let one = |invitation: Invitation| {
        let login = text::visible(&invitation.login);
        let what = match invitation.kind {
            InvitationKind::Invite => format!("{login} becomes {}", names(&invitation.roles)),
            InvitationKind::Reset => format!("{login} chooses a new password"),
        };
        let (label, by) = (format!("Withdraw the link for {login}"), text::visible(&invitation.created_by));
        view! {
            <li class="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2 text-sm" data-testid="link">
                <div class="min-w-0">
                    <p class="wrap-anywhere">{what}</p>
                    <p class="text-xs wrap-anywhere text-soft">{format!("Made by {by} ")} <Time at=invitation.created_at /> ", valid until " <Time at=invitation.expires_at /></p>
                </div>
                <PostForm action="/console/api/withdraw_invitation" fields=[("id", invitation.id.to_string())]>
                    <button class="button" type="submit" aria-label=label>"Withdraw"</button>
                </PostForm>
            </li>
        }
    };
    view! {
        <Titled id="links" title="Open links">
            <ul class="card divide-y divide-line">{invitations.into_iter().map(one).collect_view()}</ul>
        </Titled>
    }
    .into_any()
}

/// The form that makes an invitation.
#[component]
fn Invite(flash: Option<Flash>) -> impl IntoView {
    let usual = || Query::default().with(OperatorRole::Viewer.as_str(), "yes").with("hours", INVITATION_HOURS);
    let typed = flash.as_ref().map_or_else(usual, |flash| Query::parse(&flash.typed));
    let error = move |name: &str| flash.as_ref().and_then(|flash| flash.field(name));
    let valid: Vec<Choice> = VALID.iter().map(|(hours, name)| choice(hours, name)).collect();
    let (no_roles, no_hours) = (error("roles"), error("hours"));
    view! {
        <PostForm class="card space-y-3 p-4" id="invite" action="/console/api/invite_operator" label="Invite somebody">
            <h2>"Invite somebody"</h2>
            <TextField name="login" label="Login" required=true most=NAME_MAX hint="mina@acme.example" value=typed.text("login") error=error("login") />
            <TextField name="name" label="Name" optional=true most=NAME_MAX hint="same as the login" value=typed.text("name") error=error("name") />
            <Roles typed=typed.clone() error=no_roles />
            <SelectField name="hours" label="The link is valid for" value=typed.text("hours") choices=valid error=no_hours />
            <p class="text-xs text-soft">"You get a one-time link to send. The person opens it and chooses a password that nobody else knows."</p>
            <button class="button button-primary" type="submit">"Make invitation"</button>
        </PostForm>
    }
}
