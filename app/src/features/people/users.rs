use super::{
    api::{UsersRead, list_users},
    name::page,
};
use crate::{
    Flash,
    layout::{PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{EmptyCard, NothingLeft, PostForm, Shape, TableCard, TextField, awaited, columns, or_error, text},
};
use leptos::prelude::*;
use wire::{AdminUser, OperatorRole, USER_REF_MAX};

/// What operators without the role see.
const NOT_ALLOWED: &str = "Managing users requires the role “admin”. Ask an administrator for it.";
/// Longest name of a user, in characters.
const NAME_MAX: usize = 200;
/// The address of the page.
const PAGE: &str = "/people/users";

/// The page of the users whom the organisation named, with a form that adds one or changes the one that the URL names.
#[component]
pub fn UsersPage() -> impl IntoView {
    let (query, who) = (use_query(), ViewerResource::shared());
    let list = list_users(query.clone());
    view! {
        <PageHead title="Users">
            "The people your agents work for, by your own reference. Users whom only agents named by id are not in this list."
        </PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Admin, NOT_ALLOWED, list).await;
            or_error(answer, |(viewer, read)| {
                let UsersRead { users, next, chosen } = read;
                view! {
                    <div class="items-start gap-6 lg:grid lg:grid-cols-[minmax(0,1fr)_21rem]">
                        <div class="mb-6 min-w-0"><Table users next query /></div>
                        <Edit chosen flash=viewer.refused() />
                    </div>
                }
            })
        })}
    }
}

#[component]
fn Table(users: Vec<AdminUser>, next: Option<String>, query: Query) -> impl IntoView {
    if users.is_empty() {
        return match query.is_later_page() {
            true => view! { <NothingLeft path=PAGE query /> }.into_any(),
            false => view! {
                <EmptyCard shape=Shape::People title="No users yet" href="/people" link="People"
                    says="Add one here. Agents add users as well, by naming your reference in a call." />
            }
            .into_any(),
        };
    }
    let row = |user: AdminUser| {
        let reference = text::visible(&user.external_ref);
        let (label, change) = (format!("Change {reference}"), query.with("user", user.id).href(PAGE));
        view! {
            <tr data-testid="user-row">
                <th scope="row" class="font-normal! whitespace-normal! text-ink!">
                    <a class="font-medium wrap-anywhere" dir="auto" href=page(user.id) title=user.id.to_string()>{reference}</a>
                </th>
                <td class="wrap-anywhere" dir="auto">{user.name.map(|name| text::visible(&name))}</td>
                <td class="w-24"><a href=change aria-label=label data-noscroll="true">"Change"</a></td>
            </tr>
        }
    };
    let first = query.get("after").map(|_| view! { <a class="button" rel="prev" href=PAGE>"First page"</a> });
    let next =
        next.map(|after| view! { <a class="button" rel="next" href=Query::default().with("after", after).href(PAGE)>"Next page"</a> });
    view! {
        <TableCard label="Users" rows=users.into_iter().map(row).collect_view() heads=columns([
            ("Reference", ""), ("Name", ""), ("Change", "w-24"),
        ]) />
        <nav class="flex flex-wrap justify-end gap-2 px-3 py-2" aria-label="Pages">{first} {next}</nav>
    }
    .into_any()
}

/// The form that adds a user, or changes one.
#[component]
fn Edit(chosen: Option<AdminUser>, flash: Option<Flash>) -> impl IntoView {
    let stored = || {
        chosen.as_ref().map_or_else(Query::default, |user| {
            Query::default().with("reference", &user.external_ref).with_some("name", user.name.as_ref())
        })
    };
    let typed = flash.as_ref().map_or_else(stored, |flash| Query::parse(&flash.typed));
    let error = move |name: &str| flash.as_ref().and_then(|flash| flash.field(name));
    let (title, button) = if chosen.is_some() { ("Change a user", "Save user") } else { ("Add a user", "Add user") };
    let id = chosen.as_ref().map(|user| user.id.to_string()).unwrap_or_default();
    let cancel = chosen.is_some().then(|| view! { <a class="button button-quiet" href=PAGE>"Cancel"</a> });
    view! {
        <PostForm class="card space-y-3 p-4" action="/console/api/put_user" label=title fields=[("id", id)]>
            <h2>{title}</h2>
            <TextField
                name="reference"
                label="Your reference"
                required=true
                most=USER_REF_MAX
                hint="crm-4711"
                value=typed.text("reference")
                error=error("external_ref")
            />
            <TextField name="name" label="Name" optional=true most=NAME_MAX hint="Mina" value=typed.text("name") error=error("name") />
            <p class="text-xs text-soft">"Agents may send the reference in place of the id. The memories of a user stay when it changes."</p>
            <div class="flex flex-wrap gap-2">
                <button class="button button-primary" type="submit">{button}</button>
                {cancel}
            </div>
        </PostForm>
    }
}
