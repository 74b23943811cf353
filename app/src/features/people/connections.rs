use super::{
    leaf::{CitedLeaf, LeafView},
    tree::Tree,
};
use crate::ui::{Badge, Time, Tone, text};
use leptos::prelude::*;
use uuid::Uuid;
use wire::Connection;

/// The tools that a person uses, each with what agents learned about using it.
#[component]
pub fn Connections(connections: Vec<Connection>, leaves: Vec<CitedLeaf>, may_forget: bool) -> impl IntoView {
    let of = |id: Uuid| leaves.iter().filter(|cited| cited.leaf.connection_id == Some(id)).cloned().collect::<Vec<_>>();
    let known = connections.iter().map(|connection| {
        let learned = of(connection.connection_id);
        view! { <One connection=connection.clone() learned may_forget /> }
    });
    let known = known.collect_view();
    let is_known = |id: Option<Uuid>| connections.iter().any(|connection| Some(connection.connection_id) == id);
    let unknown: Vec<CitedLeaf> = leaves.iter().filter(|cited| !is_known(cited.leaf.connection_id)).cloned().collect();
    let unknown = (!unknown.is_empty()).then(|| {
        view! {
            <li class="p-4">
                <p class="mb-2 text-sm text-soft">"About connections that no agent described"</p>
                <div class="space-y-3">{unknown.into_iter().map(|cited| view! { <LeafView cited may_forget /> }).collect_view()}</div>
            </li>
        }
    });
    view! { <ul class="card divide-y divide-line">{known} {unknown}</ul> }
}

#[component]
fn One(connection: Connection, learned: Vec<CitedLeaf>, may_forget: bool) -> impl IntoView {
    let schema = match connection.schema_expires_at {
        Some(at) => {
            view! { <Badge tone=Tone::Good text="tool schema is current" /> <span class="text-xs text-soft">"Expires " <Time at /></span> }
                .into_any()
        }
        None => view! { <Badge text="no current tool schema" title="None was stored, or it went out of date." /> }.into_any(),
    };
    let learned = if learned.is_empty() {
        view! { <p class="text-sm text-soft">"Nothing was learned about using it yet."</p> }.into_any()
    } else {
        view! { <Tree leaves=learned may_forget /> }.into_any()
    };
    view! {
        <li class="space-y-2 p-4" data-testid="connection">
            <p class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
                <span class="font-medium wrap-anywhere" dir="auto">{text::visible(&connection.name)}</span>
                <span class="font-mono text-xs text-soft">{text::visible(&connection.tool_id)}</span>
                {schema}
            </p>
            {learned}
        </li>
    }
}
