use super::{
    api::topology,
    graph::{Drawing, Graph, focus_on},
};
use crate::{
    layout::PageHead,
    query::use_query,
    ui::{DataTable, EmptyCard, Icon, Shape, awaited, columns, or_error, reading, text},
};
use leptos::prelude::*;
use wire::Component;

/// The topology page: components and their dependencies, as a drawing and a table.
#[component]
pub fn TopologyPage() -> impl IntoView {
    let focus = use_query().get("component").map(str::to_owned);
    let list = reading(topology());
    view! {
        <PageHead title="Topology">"Components from your architecture files. Arrows point to dependencies."</PageHead>
        {awaited(async move {
            or_error(list.await, |components| match components.is_empty() {
                true => view! {
                    <EmptyCard shape=Shape::Knowledge title="No components yet" href="/knowledge/upload" link="Upload documents"
                        says="Components and their dependencies are read from documents that are called ARCHITECTURE.md." />
                }
                .into_any(),
                false => view! { <Whole components focus /> }.into_any(),
            })
        })}
    }
}

#[component]
fn Whole(components: Vec<Component>, focus: Option<String>) -> impl IntoView {
    let graph = Graph::of(&components);
    let node = focus.as_deref().and_then(|name| graph.find(name));
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let total = format!(
        "{} · {}",
        text::count(count(graph.nodes.len()), "component", "components"),
        text::count(count(graph.edges.len()), "dependency", "dependencies")
    );
    let rows = components.into_iter().map(|component| {
        let current = node.is_some() && graph.find(&component.name) == node;
        view! { <Row component current /> }
    });
    let rows = rows.collect_view();
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">{total}</p>
        {focus.map(|name| view! { <Focus graph=graph.clone() name node /> })}
        <Drawing graph=graph.clone() focus=node />
        <div class="card mt-5">
            <DataTable label="Components" rows heads=columns([
                ("Component", ""), ("Depends on", "hidden w-64 @3xl:table-cell"), ("Depended on by", "hidden w-64 @3xl:table-cell"),
            ]) />
        </div>
    }
}

/// The chosen component and its neighbours in words, above the drawing.
#[component]
fn Focus(graph: Graph, name: String, node: Option<usize>) -> impl IntoView {
    let name_of = |node: usize| graph.nodes.get(node).map(|(name, _)| name.clone()).unwrap_or_default();
    let neighbours = match node {
        None => view! { <p>"No component is called “" {name} "”."</p> }.into_any(),
        Some(node) => {
            let needs = graph.edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| name_of(*to)).collect();
            let needed = graph.edges.iter().filter(|(_, to)| *to == node).map(|(from, _)| name_of(*from)).collect();
            view! {
                <p class="break-words"><strong class="font-medium">{name_of(node)}</strong> " needs (solid): " {names(needs)}</p>
                <p class="break-words">"Needed by (dashed): " {names(needed)}</p>
            }
            .into_any()
        }
    };
    view! {
        <div class="card mb-3 flex items-start gap-3 px-4 py-2.5 text-sm" data-testid="focus">
            <div class="min-w-0 grow space-y-0.5">{neighbours}</div>
            <a class="button button-quiet -mr-2" href="/knowledge/topology" data-keys="Escape">
                <Icon shape=Shape::Close />
                "Show all"
            </a>
        </div>
    }
}

#[component]
fn Row(component: Component, current: bool) -> impl IntoView {
    let Component { name, description, depends_on, depended_on_by, document_id, path } = component;
    view! {
        <tr data-testid="component" aria-current=current.then_some("true")>
            <td>
                <a class="font-medium break-words" href=focus_on(&name)>{name.clone()}</a>
                <p class="break-words text-soft">{description}</p>
                <p class="mt-1.5 text-xs break-all"><a href=format!("/knowledge/documents/{document_id}")>{path}</a></p>
                <div class="mt-1 space-y-0.5 text-xs text-soft @3xl:hidden">
                    <p class="break-words">"Depends on: " {names(depends_on.clone())}</p>
                    <p class="break-words">"Depended on by: " {names(depended_on_by.clone())}</p>
                </div>
            </td>
            <td class="hidden break-words @3xl:table-cell">{names(depends_on)}</td>
            <td class="hidden break-words @3xl:table-cell">{names(depended_on_by)}</td>
        </tr>
    }
}

fn names(names: Vec<String>) -> impl IntoView {
    if names.is_empty() {
        return view! { <span class="text-soft">"nothing"</span> }.into_any();
    }
    let last = names.len() - 1;
    let one = |(i, name): (usize, String)| {
        view! {
            <a class="underline" href=focus_on(&name)>{name.clone()}</a>
            {(i < last).then_some(", ")}
        }
    };
    names.into_iter().enumerate().map(one).collect_view().into_any()
}
