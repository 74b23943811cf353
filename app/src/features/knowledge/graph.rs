use super::layered::{Arrow, BOX_HEIGHT, LONGEST, Layout, Placed, layout};
use crate::{query::Query, ui::svg::arrow_head};
use leptos::prelude::*;
use std::collections::BTreeMap;
use wire::Component;

/// Components as a graph, including those that are only named as a dependency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The names, and whether a document describes each.
    pub nodes: Vec<(String, bool)>,
    /// From the dependent component to the one that it needs.
    pub edges: Vec<(usize, usize)>,
    by_name: BTreeMap<String, usize>,
}

impl Graph {
    /// Builds the graph of `components`, in their order.
    pub fn of(components: &[Component]) -> Self {
        let mut graph = Self::default();
        for component in components {
            let node = graph.node(&component.name);
            graph.nodes[node].1 = true;
        }
        for component in components {
            let here = graph.node(&component.name);
            let needs: Vec<_> = component.depends_on.iter().map(|name| (here, graph.node(name))).collect();
            let needed: Vec<_> = component.depended_on_by.iter().map(|name| (graph.node(name), here)).collect();
            graph.edges.extend(needs.into_iter().chain(needed));
        }
        graph.edges.sort_unstable();
        graph.edges.dedup();
        graph
    }

    /// The node called `name`, regardless of case and separators.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(&plain(name)).copied()
    }

    fn node(&mut self, name: &str) -> usize {
        let nodes = &mut self.nodes;
        *self.by_name.entry(plain(name)).or_insert_with(|| {
            nodes.push((name.to_owned(), false));
            nodes.len() - 1
        })
    }

    fn joined(&self, from: usize, to: usize) -> bool {
        self.edges.binary_search(&(from, to)).is_ok()
    }
}

fn plain(name: &str) -> String {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if letters.is_empty() { name.to_owned() } else { letters }
}

/// The URL of the topology with one component highlighted.
pub fn focus_on(name: &str) -> String {
    Query::default().with("component", name).href("/knowledge/topology")
}

/// The drawing of the graph: each component left of those that it needs.
#[component]
pub fn Drawing(graph: Graph, focus: Option<usize>) -> impl IntoView {
    let characters: Vec<usize> = graph.nodes.iter().map(|(name, _)| name.chars().count()).collect();
    let Layout { width, height, boxes, arrows } = layout(&characters, &graph.edges);
    // Highlighted arrows are drawn last, above the others.
    let (aside, ahead): (Vec<_>, Vec<_>) = arrows.into_iter().partition(|arrow| focus.is_some_and(|f| arrow.from != f && arrow.to != f));
    let arrows = aside.into_iter().chain(ahead).map(|arrow| line(arrow, focus)).collect_view();
    let nodes = boxes.into_iter().enumerate().map(|(node, placed)| block(&graph, node, placed, focus)).collect_view();
    let label = format!("{} components. Arrows point to dependencies. The table below has the same data.", graph.nodes.len());
    let head = |id, class| arrow_head(id, class, "auto");
    view! {
        <div class="card overflow-x-auto" tabindex="0" role="region" aria-label="Drawing of the topology" data-testid="drawing">
            <svg
                class="mx-auto block"
                width=format!("{width:.0}")
                height=format!("{height:.0}")
                viewBox=format!("0 0 {width:.0} {height:.0}")
                role="group"
                aria-label=label
            >
                <defs>{head("head", "fill-line-strong")} {head("head-aside", "fill-line")} {head("head-focus", "fill-accent")}</defs>
                <g fill="none" aria-hidden="true">{arrows}</g>
                <g>{nodes}</g>
            </svg>
        </div>
    }
}

fn line(arrow: Arrow, focus: Option<usize>) -> impl IntoView {
    let (class, head, dashes) = match focus {
        None => ("stroke-line-strong", "url(#head)", None),
        Some(focus) if arrow.from == focus => ("stroke-accent stroke-2", "url(#head-focus)", None),
        Some(focus) if arrow.to == focus => ("stroke-accent stroke-2", "url(#head-focus)", Some("6 4")),
        Some(_) => ("stroke-line", "url(#head-aside)", None),
    };
    view! { <path class=class d=arrow.path marker-end=head stroke-dasharray=dashes /> }
}

fn block(graph: &Graph, node: usize, placed: Placed, focus: Option<usize>) -> impl IntoView + use<> {
    let (name, described) = graph.nodes.get(node).cloned().unwrap_or_default();
    let (shape, ink, dashes) = match focus {
        None => ("fill-surface stroke-line-strong", "fill-ink", None),
        Some(focus) if focus == node => ("fill-accent stroke-accent", "fill-on-accent font-semibold", None),
        Some(focus) if graph.joined(focus, node) => ("fill-accent-wash stroke-accent stroke-2", "fill-ink", None),
        Some(focus) if graph.joined(node, focus) => ("fill-accent-wash stroke-accent stroke-2", "fill-ink", Some("6 4")),
        Some(_) => ("fill-surface stroke-line", "fill-soft", None),
    };
    let shown: String = if name.chars().count() > LONGEST { name.chars().take(LONGEST - 1).chain(['…']).collect() } else { name.clone() };
    // For voice control, the accessible name begins with the visible text.
    let label = if shown == name { name.clone() } else { format!("{shown} {name}") };
    let title = if described { name.clone() } else { format!("{name}: mentioned but not described") };
    let ink = format!("text-xs {ink} {}", if described { "" } else { "italic" });
    let (x, y) = (format!("{:.1}", placed.x + placed.width / 2.0), format!("{:.1}", placed.y + BOX_HEIGHT / 2.0));
    view! {
        <g>
            <a class="group" href=focus_on(&name) aria-label=label aria-current=(focus == Some(node)).then_some("true")>
                <title>{title}</title>
                <rect
                    class=format!("{shape} group-hover:stroke-accent group-focus-visible:stroke-accent group-focus-visible:stroke-3")
                    x=format!("{:.1}", placed.x)
                    y=format!("{:.1}", placed.y)
                    width=format!("{:.1}", placed.width)
                    height=BOX_HEIGHT.to_string()
                    rx="6"
                    stroke-dasharray=dashes
                />
                <text class=ink x=x y=y text-anchor="middle" dominant-baseline="central">
                    {shown}
                </text>
            </a>
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::DocumentId;

    fn component(name: &str, depends_on: &[&str], depended_on_by: &[&str]) -> Component {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Component {
            name: name.to_owned(),
            description: String::new(),
            depends_on: owned(depends_on),
            depended_on_by: owned(depended_on_by),
            document_id: DocumentId(uuid::Uuid::nil()),
            path: String::new(),
        }
    }

    #[test]
    fn names_are_joined_whatever_their_spelling() {
        let graph = Graph::of(&[component("Recall API", &["vector-store", "Clock"], &[]), component("Vector Store", &[], &["recall_api"])]);
        assert_eq!(graph.nodes, [("Recall API".into(), true), ("Vector Store".into(), true), ("Clock".into(), false)]);
        assert_eq!(graph.edges, [(0, 1), (0, 2)]);
        assert_eq!((graph.find("VECTOR STORE"), graph.find("nothing")), (Some(1), None));
        assert_eq!(focus_on("Vector Store"), "/knowledge/topology?component=Vector+Store");
    }
}
