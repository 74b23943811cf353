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

/// The first leaves. A contradiction stays whole: with one side of it, the others are kept, too.
pub fn first(leaves: Vec<CitedLeaf>, most: usize) -> Vec<CitedLeaf> {
    let place = |cited: &CitedLeaf| cited.leaf.path.iter().map(|key| folded(key)).collect::<Vec<_>>();
    let disputed: Vec<_> = leaves.iter().take(most).filter(|cited| cited.leaf.disputed).map(place).collect();
    let kept = |(n, cited): &(usize, CitedLeaf)| *n < most || (cited.leaf.disputed && disputed.contains(&place(cited)));
    leaves.into_iter().enumerate().filter(kept).map(|(_, cited)| cited).collect()
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

#[cfg(test)]
mod tests {
    use super::super::path::{LeafPath, PersonPath};
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;
    use wire::{AgentId, LeafId, ProfileLeaf, ProfileOrigin, ProfilePart};

    fn cited(n: u128, key: &str, disputed: bool) -> CitedLeaf {
        let leaf_id = LeafId(Uuid::from_u128(n));
        let leaf = ProfileLeaf {
            leaf_id,
            part: ProfilePart::Scaffold,
            profile: ProfileOrigin::Own,
            path: vec![key.to_owned()],
            value: key.into(),
            connection_id: None,
            confidence: 0.5,
            disputed,
            unconfirmed: false,
            observations: 1,
            sessions: 1,
            recurring: false,
            first_seen: DateTime::default(),
            last_seen: DateTime::default(),
            matters: vec![],
            expires_at: None,
            event_ids: vec![],
            memory_ids: vec![],
        };
        let person = PersonPath { agent: AgentId(Uuid::nil()), user: None };
        CitedLeaf { path: LeafPath { person, leaf: leaf_id }, leaf, sentences: vec![], here: String::new() }
    }

    #[test]
    fn a_contradiction_is_not_cut() {
        let leaves = [
            cited(1, "role", false),
            cited(2, "home_town", true),
            cited(3, "goals", false),
            cited(4, "Home town", true),
            cited(5, "employer", true),
            cited(6, "home_town", false),
        ];
        let shown = first(leaves.to_vec(), 2).into_iter().map(|cited| cited.leaf.leaf_id.0.as_u128());
        assert_eq!(shown.collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(first(leaves.to_vec(), 10).len(), 6);
    }
}
