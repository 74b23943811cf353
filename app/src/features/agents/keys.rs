use super::{list::when, new_key::NewKey};
use crate::{
    Flash,
    features::people::Person,
    query::Query,
    ui::{Badge, PostForm, TableCard, Time, Titled, Tone, columns, sorting, text},
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use std::cmp::Reverse;
use wire::{AgentId, AgentKey, KeyId, OperatorProfile, OperatorRole, Toolset};

/// For how many hours a replaced key may go on, and what the form calls that.
const OVERLAPS: [(&str, &str); 4] = [("0", "No longer"), ("1", "One more hour"), ("24", "24 more hours"), ("168", "7 more days")];

/// Sorts keys by the column that the URL names, the most used or latest first. Usually those in force come first.
fn sort(keys: &mut [AgentKey], by: Option<&str>) {
    match by {
        Some("created") => keys.sort_by_key(|key| Reverse(key.created_at)),
        Some("requests") => keys.sort_by_key(|key| Reverse(key.requests)),
        Some("used") => keys.sort_by_key(|key| Reverse(key.last_used_at)),
        _ => {}
    }
}

/// Whether somebody may revoke a key: an admin, and the operator who gave it to a client.
fn may_revoke(who: Option<&OperatorProfile>, key: &AgentKey) -> bool {
    let gave = |who: &OperatorProfile| key.given_by.as_ref().is_some_and(|(operator, _)| *operator == who.id);
    key.revoked_at.is_none() && who.is_some_and(|who| who.has(OperatorRole::Admin) || gave(who))
}

/// Whether a key is neither revoked nor expired.
pub fn is_in_force(key: &AgentKey, now: DateTime<Utc>) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|end| end > now)
}

/// Whether an admin may replace a key by a new one: it is in force, and no client renews it by itself.
fn may_rotate(is_admin: bool, key: &AgentKey, now: DateTime<Utc>) -> bool {
    is_admin && key.given_by.is_none() && is_in_force(key, now)
}

/// The API keys of an agent: what each may do, for whom and by whom, how often it was used and refused, and when and from where it was last
/// used.
#[component]
pub fn Keys(
    id: AgentId,
    keys: Vec<AgentKey>,
    who: Option<OperatorProfile>,
    now: DateTime<Utc>,
    query: Query,
    /// Whether the agent can get keys.
    in_use: bool,
    /// The message about the refused form that makes a key.
    flash: Option<Flash>,
) -> impl IntoView {
    let is_admin = who.as_ref().is_some_and(|who| who.has(OperatorRole::Admin));
    let mut keys = keys;
    sort(&mut keys, query.get("sort"));
    let path = format!("/agents/{id}");
    let head = |key, name, class| sorting(&path, &query, key, (name, class));
    let body = if keys.is_empty() {
        view! {
            <p class="card px-4 py-3 text-sm text-soft">"No keys yet. The agent needs one to call this server. An admin makes it here."</p>
        }
        .into_any()
    } else {
        let rows = keys.into_iter().map(|key| {
            let name = text::visible(&key.name);
            let may_choose = key.revoked_at.is_none() && is_admin;
            let choose = may_choose.then(|| view! { <Choose agent=id id=key.id name=name.clone() chosen=key.toolsets.clone() /> });
            let rotate = may_rotate(is_admin && in_use, &key, now).then(|| view! { <Rotate agent=id id=key.id name=name.clone() /> });
            let revoke = may_revoke(who.as_ref(), &key).then(|| view! { <Revoke agent=id id=key.id name /> });
            let forms = view! { {choose} {rotate} {revoke} }.into_any();
            view! { <Row key now forms /> }
        });
        let rows = rows.collect_view();
        view! {
            <TableCard label="API keys" rows heads=(
                columns([("Key", ""), ("Scopes", "hidden @xl:table-cell")]),
                head("created", "Created", "hidden w-30 @2xl:table-cell"),
                head("requests", "Requests", "number hidden w-26 @md:table-cell"),
                head("used", "Last used", "w-30"),
            ) />
        }
        .into_any()
    };
    view! {
        <Titled id="keys" title="API keys">
            {body}
            {(is_admin && in_use).then(|| view! { <NewKey agent=id flash /> })}
        </Titled>
    }
}

#[component]
fn Row(key: AgentKey, now: DateTime<Utc>, forms: AnyView) -> impl IntoView {
    let scopes = key.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(", ");
    let toolsets = match key.toolsets.contains(&Toolset::All) {
        true => "all".to_owned(),
        false => std::iter::once(&Toolset::Core).chain(&key.toolsets).map(|set| set.as_str()).collect::<Vec<_>>().join(", "),
    };
    // The access of a client goes on when its token has expired.
    let renewable = key.renewable_until.filter(|end| *end > now && key.revoked_at.is_none());
    let expires_at = key.expires_at.filter(|_| renewable.is_none());
    let state = match (key.revoked_at, expires_at) {
        (Some(_), _) => Some(view! { <Badge tone=Tone::Danger text="revoked" /> }),
        (None, Some(end)) if end <= now => Some(view! { <Badge tone=Tone::Warn text="expired" /> }),
        _ => None,
    };
    let requests = text::count(key.requests, "request", "requests");
    let refused = text::count(key.refused, "refused", "refused");
    let refused_at = (key.refused > 0).then_some(key.last_refused_at).flatten();
    let end = expires_at.filter(|end| *end > now && key.revoked_at.is_none());
    view! {
        <tr data-testid="key">
            <td>
                <p class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                    <span class="min-w-0 font-medium break-words">{text::visible(&key.name)}</span>
                    {state}
                </p>
                <p class="font-mono text-xs break-all text-soft">{key.hint}</p>
                {key.user.map(|(id, name)| view! { <p class="text-xs text-soft">"Only for " <Person id name /></p> })}
                {key.given_by.map(|(_, name)| view! { <p class="text-xs break-words text-soft">{format!("Access given by {}", text::visible(&name))}</p> })}
                <p class="text-xs text-soft">{format!("Toolsets: {toolsets}")}</p>
                {renewable.map(|end| view! { <p class="text-xs text-soft">"Renewed by its client. Without use it ends " <Time at=end /></p> })}
                {end.map(|end| view! { <p class="text-xs text-soft">"Expires " <Time at=end /></p> })}
                <p class="mt-1 text-xs break-words text-soft @xl:hidden">{scopes.clone()}</p>
                <p class="mt-1 text-xs text-soft @md:hidden">{format!("{requests}, {refused}")}</p>
                {forms}
            </td>
            <td class="hidden text-sm break-words text-soft @xl:table-cell">{scopes}</td>
            <td class="hidden @2xl:table-cell"><Time at=key.created_at /></td>
            <td class="number hidden @md:table-cell">
                <p>{text::number(key.requests)}</p>
                {refused_at.map(|at| view! { <p class="text-xs text-danger">{refused} <br /> <Time at /></p> })}
            </td>
            <td>
                {when(key.last_used_at)}
                {key.last_used_from.map(|from| view! { <p class="font-mono text-xs break-all text-soft" title="The address of the last request">{from}</p> })}
            </td>
        </tr>
    }
}

/// What the tools of a set are for.
fn says(set: Toolset) -> &'static str {
    match set {
        Toolset::Core => "What every agent needs",
        Toolset::Capture => "Hand over conversations and notes, and report actions",
        Toolset::Knowledge => "Look closer at memories, documents and projects",
        Toolset::Vocabulary => "Look up and propose terms",
        Toolset::Profile => "Read and update what is known about a person",
        Toolset::All => "Every tool",
    }
}

/// The folded form that chooses the toolsets of a key.
#[component]
fn Choose(agent: AgentId, id: KeyId, name: String, chosen: Vec<Toolset>) -> impl IntoView {
    // Every list has the tools of `core`.
    let sets = Toolset::ALL.iter().copied().filter(|set| *set != Toolset::Core).map(|set| {
        view! {
            <label class="flex items-start gap-2 text-xs">
                <input class="shrink-0" type="checkbox" name="toolsets[]" value=set.as_str() checked=chosen.contains(&set) />
                <span>{says(set)} " " <code class="font-mono text-soft">{set.as_str()}</code></span>
            </label>
        }
    });
    let sets = sets.collect_view();
    view! {
        <details class="mt-1">
            <summary class="button button-quiet h-6! px-2! text-xs!">"Change toolsets…"</summary>
            <PostForm
                class="mt-1 space-y-1"
                action="/console/api/set_key_toolsets"
                label=format!("Toolsets of key “{name}”")
                fields=[("id", id.to_string()), ("agent", agent.to_string())]
            >
                <p class="text-xs text-soft">"Clients of the Model Context Protocol list core and these tools, unless they ask for others."</p>
                {sets}
                <button class="button" type="submit">
                    "Save toolsets"
                </button>
            </PostForm>
        </details>
    }
}

/// The folded form that revokes a key.
#[component]
fn Revoke(agent: AgentId, id: KeyId, name: String) -> impl IntoView {
    let label = format!("Revoke key “{name}”");
    view! {
        <details class="mt-1">
            <summary class="button button-quiet h-6! px-2! text-xs!">"Revoke…"</summary>
            <PostForm class="mt-1 space-y-1" action="/console/api/revoke_key" fields=[("id", id.to_string()), ("agent", agent.to_string())]>
                <p class="text-xs text-soft">"It is refused at once. You cannot undo this."</p>
                <button class="button button-danger" type="submit" aria-label=label>
                    "Revoke key"
                </button>
            </PostForm>
        </details>
    }
}

/// The folded form that replaces a key by a new one.
#[component]
fn Rotate(agent: AgentId, id: KeyId, name: String) -> impl IntoView {
    let (label, field) = (format!("Rotate key “{name}”"), format!("overlap-{id}"));
    let option = |(hours, text): (&'static str, &'static str)| {
        let usual = hours == "24";
        view! { <option value=hours selected=usual>{text}</option> }
    };
    view! {
        <details class="mt-1">
            <summary class="button button-quiet h-6! px-2! text-xs!">"Rotate…"</summary>
            <PostForm class="mt-1 space-y-1" action="/console/api/rotate_key" fields=[("id", id.to_string()), ("agent", agent.to_string())]>
                <p class="text-xs text-soft">"Makes a new key with the same rights and shows it once."</p>
                <label class="label" for=field.clone()>"The old key works for"</label>
                <select class="input" id=field name="overlap_hours">{OVERLAPS.into_iter().map(option).collect_view()}</select>
                <button class="button" type="submit" aria-label=label>
                    "Rotate key"
                </button>
            </PostForm>
        </details>
    }
}
