use super::entry::{Entry, EntryView};
use crate::ui::{Icon, Shape, text};
use leptos::prelude::*;

/// One key of a profile with its entries and the keys below it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Branch {
    key: String,
    entries: Vec<Entry>,
    below: Vec<Branch>,
}

impl Branch {
    fn add(&mut self, path: &[String], entry: Entry) {
        let Some((key, rest)) = path.split_first() else { return self.entries.push(entry) };
        match self.below.iter_mut().find(|branch| folded(&branch.key) == folded(key)) {
            Some(branch) => branch.add(rest, entry),
            None => {
                let mut branch = Self { key: key.clone(), ..Self::default() };
                branch.add(rest, entry);
                self.below.push(branch);
            }
        }
    }
}

/// Keys that differ only in case, white space or underscores are the same key.
fn folded(key: &str) -> String {
    key.split(|c: char| c.is_whitespace() || c == '_').filter(|word| !word.is_empty()).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Entries of a profile as a tree of keys.
#[component]
pub fn Tree(entries: Vec<Entry>, may_forget: bool) -> impl IntoView {
    let mut root = Branch::default();
    for entry in entries {
        root.add(&entry.leaf.path.clone(), entry);
    }
    view! { <ul class="space-y-4">{root.below.into_iter().map(|branch| key(branch, may_forget)).collect_view()}</ul> }
}

fn key(branch: Branch, may_forget: bool) -> AnyView {
    let Branch { key: name, entries, below } = branch;
    let (disputed, plain): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.leaf.disputed);
    let conflict = (!disputed.is_empty()).then(|| {
        view! {
            <div class="rounded-md border border-line-strong p-3" data-testid="disputed">
                <p class="mb-2 flex items-center gap-1.5 text-sm text-warn"><Icon shape=Shape::Alert />"These contradict each other. Agents read both."</p>
                <div class="grid gap-4 sm:grid-cols-2">
                    {disputed.into_iter().map(|entry| view! { <EntryView entry may_forget /> }).collect_view()}
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
                {plain.into_iter().map(|entry| view! { <EntryView entry may_forget /> }).collect_view()} {conflict}
            </div>
            {children}
        </li>
    }
    .into_any()
}
