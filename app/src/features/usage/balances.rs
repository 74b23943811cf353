use super::words::{dollars, exhausted};
use crate::{
    Flash,
    features::people::{Person, PersonOf},
    query::Query,
    ui::{Badge, DataTable, PostForm, ReasonField, TextField, Time, Tone, columns, sorting, text},
};
use leptos::prelude::*;
use std::cmp::Reverse;
use wire::{Account, Balances, Credit, UsageLimits, UserId};

/// Stands for a user whom the form asks for.
const NEW_USER: &str = "new";
/// What people call the account of the organisation.
const ORGANISATION: &str = "The organisation";

/// The accounts with limits, the forms that change them, and the latest grants. `user` is whose limits the form changes: the id of a user,
/// `new`, or nothing for the organisation.
#[component]
pub fn Accounts(balances: Balances, may_edit: bool, user: String, flash: Option<Flash>, query: Query) -> impl IntoView {
    let Balances { accounts, credits } = balances;
    let is_chosen = |account: &&Account| account.user_id.map(|id| id.to_string()).unwrap_or_default() == user;
    let limits = accounts.iter().find(is_chosen).map(|account| account.limits).unwrap_or_default();
    let forms = match may_edit {
        true => view! { <Forms user limits flash /> }.into_any(),
        false => view! { <p class="text-sm text-soft">"Changing limits requires the role “admin”."</p> }.into_any(),
    };
    view! {
        <section aria-labelledby="limits">
            <h2 class="mb-1" id="limits">"Credit and quotas"</h2>
            <p class="mb-3 max-w-3xl text-sm text-soft">
                "An account without limits can always call models. When an account runs out of credit or reaches a quota, memories are stored without a vector, \
                searches match words only, and rules replace the chat model. Vectors are added once there is credit again."
            </p>
            <Limited accounts may_edit query />
            {forms}
            {(!credits.is_empty()).then(|| view! { <Credits credits /> })}
        </section>
    }
}

/// Sorts accounts by the column that the URL names, those with the most use first.
fn sort(accounts: &mut [Account], by: Option<&str>) {
    match by {
        Some("cost") => accounts.sort_by_key(|account| Reverse(account.used_dollars)),
        Some("tokens") => accounts.sort_by_key(|account| Reverse(account.used_tokens)),
        _ => {}
    }
}

#[component]
fn Limited(accounts: Vec<Account>, may_edit: bool, query: Query) -> impl IntoView {
    if accounts.is_empty() {
        return view! { <p class="card mb-6 p-4 text-sm" data-testid="unlimited">"No account has limits."</p> }.into_any();
    }
    let mut accounts = accounts;
    sort(&mut accounts, query.get("sort"));
    let head = |key, name| sorting("/usage", &query, key, (name, "number"));
    let heads = (columns([("Account", ""), ("Credit", "number")]), head("cost", "Cost this month"), head("tokens", "Tokens this month"));
    let row = |account: Account| {
        let change = account.user_id.filter(|_| may_edit).map(|id| {
            view! { <a class="ml-2 underline" href=format!("/usage?user={id}#set-limits")>"Change limits"</a> }
        });
        let state = match account.exhausted {
            Some(used_up) => view! { <Badge tone=Tone::Danger text=exhausted(used_up) /> }.into_any(),
            None => view! { <Badge tone=Tone::Good text="Within limits" /> }.into_any(),
        };
        let credit = account.credit.map_or_else(|| "not needed".to_owned(), |left| format!("{} left", dollars(left)));
        let limits = account.limits;
        let used = |used: String, quota: Option<String>| quota.map_or_else(|| "no quota".to_owned(), |quota| format!("{used} of {quota}"));
        let month_dollars = used(dollars(account.used_dollars), limits.month_dollars.map(dollars));
        let month_tokens = used(text::number(account.used_tokens), limits.month_tokens.map(text::number));
        view! {
            <tr data-testid="account">
                <th scope="row" class="min-w-40 font-normal! whitespace-normal!">
                    <span class="wrap-anywhere">{account_name(account.user_id, account.name)}</span>
                    {change}
                    <span class="mt-1 block">{state}</span>
                </th>
                <td class="number">{credit}</td>
                <td class="number">{month_dollars}</td>
                <td class="number">{month_tokens}</td>
            </tr>
        }
    };
    view! {
        <div class="card mb-6 overflow-x-auto" tabindex="0" role="region" aria-label="Accounts with limits">
            <DataTable label="Accounts with limits" class="data" rows=accounts.into_iter().map(row).collect_view() heads />
        </div>
    }
    .into_any()
}

/// Whose account it is. The name of a user whom nobody named is the id.
fn account_name(user: Option<UserId>, name: Option<String>) -> AnyView {
    match user {
        Some(id) => view! { <Person id name=name.filter(|name| *name != id.to_string()) /> }.into_any(),
        None => ORGANISATION.into_any(),
    }
}

#[component]
fn Forms(user: String, limits: UsageLimits, flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let of_grant = flash.clone().filter(|_| typed.get("form") == Some("grant"));
    // What was typed for one account is nothing for the form of another.
    let of_limits = flash.filter(|_| typed.get("form") == Some("limits") && typed.text("user") == user);
    view! {
        <div class="mb-6 grid items-start gap-6 lg:grid-cols-2">
            <Grant flash=of_grant />
            <Limits user limits flash=of_limits />
        </div>
    }
}

#[component]
fn Grant(flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let error = move |name: &str| flash.as_ref().and_then(|flash| flash.field(name));
    view! {
        <PostForm class="card space-y-3 p-4" action="/console/api/grant_credit" label="Grant credit">
            <h3 class="font-medium">"Grant credit"</h3>
            <p class="text-sm text-soft">"After its first grant, an account needs credit to call paid models. A negative amount corrects an earlier grant."</p>
            <div class="grid grid-cols-2 gap-3">
                <TextField name="dollars" label="US dollars" required=true hint="20" value=typed.text("dollars") error=error("dollars") />
                <TextField name="user" label="User" optional=true hint="Empty: the organisation"
                    value=typed.text("user") error=error("user") />
            </div>
            <ReasonField id="grant-reason" typed=typed.text("reason") error=error("reason") hint="Kept with the grant and in the audit log." />
            <button class="button button-primary" type="submit">"Grant credit"</button>
        </PostForm>
    }
}

#[component]
fn Limits(user: String, limits: UsageLimits, flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map_or_else(|| entered(limits), |flash| Query::parse(&flash.typed));
    let error = move |name: &str| flash.as_ref().and_then(|flash| flash.field(name));
    let organisation = || view! { <a href="/usage#set-limits">"Limit the organisation"</a> }.into_any();
    let (title, other, whose) = match user.as_str() {
        "" => ("Limits of the organisation", view! { <a href="/usage?user=new#set-limits">"Limit a user"</a> }.into_any(), None),
        NEW_USER => {
            let field = view! {
                <TextField name="account" label="User" required=true hint="Name, reference or id"
                    value=typed.text("account") error=error("user") />
            };
            ("Limits of a user", organisation(), Some(field.into_any()))
        }
        // A name that can be changed would give somebody else these limits.
        id => {
            let limited = match id.parse::<UserId>() {
                Ok(id) => view! { <PersonOf id /> }.into_any(),
                Err(_) => text::visible(id).into_any(),
            };
            let fixed = view! {
                <input type="hidden" name="account" value=id.to_owned() />
                <p class="text-sm" data-testid="limited">{limited}</p>
            };
            ("Limits of a user", organisation(), Some(fixed.into_any()))
        }
    };
    view! {
        <PostForm class="card space-y-3 p-4" id="set-limits" action="/console/api/set_limits" label=title>
            <div class="flex flex-wrap items-baseline justify-between gap-x-4">
                <h3 class="font-medium">{title}</h3>
                {other}
            </div>
            <p class="text-sm text-soft">
                "Replaces the limits of the account. An empty field means no quota. Quotas renew on the first of each month, UTC."
            </p>
            <input type="hidden" name="user" value=user />
            {whose}
            <div class="grid grid-cols-2 gap-3">
                <TextField
                    name="month_dollars"
                    label="US dollars a month"
                    optional=true
                    hint="100"
                    value=typed.text("month_dollars")
                    error=error("month_dollars")
                />
                <TextField name="month_tokens" label="Tokens a month" optional=true hint="5000000"
                    value=typed.text("month_tokens") error=error("month_tokens") />
            </div>
            <label class="flex items-center gap-2 text-sm">
                <input type="checkbox" name="needs_credit" value="true" checked=typed.get("needs_credit").is_some() />
                "Calls need credit"
            </label>
            <button class="button button-primary" type="submit">"Save limits"</button>
        </PostForm>
    }
}

/// The limits as the form has them.
fn entered(limits: UsageLimits) -> Query {
    Query::default()
        .with("month_dollars", limits.month_dollars.map(|quota| quota.to_string()).unwrap_or_default())
        .with("month_tokens", limits.month_tokens.map(|quota| quota.to_string()).unwrap_or_default())
        .with("needs_credit", if limits.needs_credit { "true" } else { "" })
}

#[component]
fn Credits(credits: Vec<Credit>) -> impl IntoView {
    let row = |credit: Credit| {
        view! {
            <tr data-testid="credit">
                <td class="hidden text-soft @sm:table-cell"><Time at=credit.at /></td>
                <td class="number">{dollars(credit.dollars)}</td>
                <td>
                    <p class="wrap-anywhere">{account_name(credit.user_id, credit.name)}</p>
                    <p class="mt-0.5 text-xs wrap-anywhere text-soft">{text::visible(&credit.by)} ": " {text::visible(&credit.reason)}</p>
                </td>
            </tr>
        }
    };
    view! {
        <section class="card min-w-0">
            <h3 class="border-b border-line px-3 py-2 font-medium">"Grants and corrections"</h3>
            <DataTable label="Grants and corrections" class="data" rows=credits.into_iter().map(row).collect_view() heads=columns([
                ("When", "hidden @sm:table-cell"), ("Amount", "number"), ("Account and reason", ""),
            ]) />
        </section>
    }
}
