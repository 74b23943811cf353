use super::leaf::{CitedLeaf, LeafView};
use crate::ui::{Icon, Shape, text};
use leptos::prelude::*;

/// One key of a profile with its leaves and the keys below it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Branch {
    key: String,
    leaves: Vec<CitedLeaf>,
    below: Vec<Branch>,
}

impl Branch {
    fn add(&mut self, path: &[String], cited: CitedLeaf) {
        let Some((key, rest)) = path.split_first() else { return self.leaves.push(cited) };
        match self.below.iter_mut().find(|branch| folded(&branch.key) == folded(key)) {
            Some(branch) => branch.add(rest, cited),
            None => {
                let mut branch = Self { key: key.clone(), ..Self::default() };
                branch.add(rest, cited);
                self.below.push(branch);
            }
        }
    }
}

/// Keys that differ only in case, white space or underscores are the same key.
fn folded(key: &str) -> String {
    key.split(|c: char| c.is_whitespace() || c == '_').filter(|word| !word.is_empty()).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Leaves of a profile as a tree of keys.
#[component]
pub fn Tree(leaves: Vec<CitedLeaf>, may_forget: bool) -> impl IntoView {
    let mut root = Branch::default();
    for cited in leaves {
        root.add(&cited.leaf.path.clone(), cited);
    }
    view! { <ul class="space-y-4">{root.below.into_iter().map(|branch| key(branch, may_forget)).collect_view()}</ul> }
}

fn key(branch: Branch, may_forget: bool) -> AnyView {
    let Branch { key: name, leaves, below } = branch;
    let (disputed, plain): (Vec<_>, Vec<_>) = leaves.into_iter().partition(|cited| cited.leaf.disputed);
    let conflict = (!disputed.is_empty()).then(|| {
        view! {
            <div class="rounded-md border border-line-strong p-3" data-testid="disputed">
                <p class="mb-2 flex items-center gap-1.5 text-sm text-warn"><Icon shape=Shape::Alert />"These contradict each other. Agents read both."</p>
                <div class="grid gap-4 sm:grid-cols-2">
                    {disputed.into_iter().map(|cited| view! { <LeafView cited may_forget /> }).collect_view()}
                </div>
            </div>
        }
    });
    let children = (!below.is_empty()).then(|| {
        view! { <ul class="mt-3 space-y-3 border-l border-line pl-4">{below.into_iter().map(|branch| key(branch, may_forget)).collect_view()}</ul> }
    });
    view! {
        <li>
            <p class="mb-1 text-xs font-medium wrap-anywhere text-soft" dir="auto">{text::visible(&name)}</p>
            <div class="space-y-3">
                {plain.into_iter().map(|cited| view! { <LeafView cited may_forget /> }).collect_view()} {conflict}
            </div>
            {children}
        </li>
    }
    .into_any()
}
