use crate::{
    features::people::{self, PersonPath},
    islands::Target,
    ui::text::{excerpt, short, visible},
};
use std::collections::HashSet;
use wire::{Place, UserId};

/// Most characters of a definition or a content.
const EXCERPT: usize = 80;

/// Where places are: each person once, before the profiles that agents keep of them. `q` is the text that named them.
pub fn targets(places: Vec<Place>, q: &str) -> Vec<Target> {
    let mut met = HashSet::new();
    let each = |place: Place| {
        let whole = match &place {
            Place::Person { user_id, name, .. } if met.insert(*user_id) => Some(person(*user_id, name.clone())),
            _ => None,
        };
        whole.into_iter().chain([target(place, q)])
    };
    places.into_iter().flat_map(each).collect()
}

/// The page of a person.
fn person(id: UserId, name: Option<String>) -> Target {
    let label = visible(&name.unwrap_or_else(|| id.to_string()));
    Target { kind: "Person".to_owned(), label, detail: String::new(), href: people::page(id) }
}

fn target(place: Place, q: &str) -> Target {
    let words: Vec<String> = q.split_whitespace().map(str::to_owned).collect();
    let (kind, label, detail, href) = match place {
        Place::Agent { id, slug, name } => ("Agent", slug, name, format!("/agents/{id}")),
        Place::Project { id, slug, name } => ("Project", slug, name, format!("/projects/{id}")),
        Place::Memory { id, short_id, topic, agent_slug, deleted } => {
            let deleted = if deleted { " · deleted" } else { "" };
            ("Memory", topic, format!("{short_id} · {agent_slug}{deleted}"), format!("/memories/{id}"))
        }
        Place::Content { id, topic, content, agent_slug } => {
            ("Memory", topic, format!("{} · {agent_slug}", excerpt(&content, &words, EXCERPT)), format!("/memories/{id}"))
        }
        Place::Section { document_id, chunk_id, citation, content } => {
            ("Document", citation, excerpt(&content, &words, EXCERPT), format!("/knowledge/documents/{document_id}#chunk-{chunk_id}"))
        }
        Place::Term { id, term, definition } => ("Term", term, short(&definition, EXCERPT), format!("/vocabulary/terms/{id}")),
        Place::Document { id, title, reference, collection } => {
            let detail = reference.map_or_else(|| collection.clone(), |reference| format!("{reference} · {collection}"));
            ("Document", title, detail, format!("/knowledge/documents/{id}"))
        }
        Place::Person { agent_id, agent_slug, user_id, name } => {
            let page = PersonPath { agent: agent_id, user: Some(user_id) };
            ("Profile", name.unwrap_or_else(|| user_id.to_string()), format!("profile of {agent_slug}"), page.href())
        }
    };
    Target { kind: kind.to_owned(), label: visible(&label), detail: visible(&detail), href }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;
    use wire::AgentId;

    #[test]
    fn a_person_comes_once_before_the_profiles_of_agents() {
        let (mina, agent) = (UserId(Uuid::from_u128(7)), AgentId(Uuid::nil()));
        let of = |slug: &str| Place::Person { agent_id: agent, agent_slug: slug.into(), user_id: mina, name: Some("Mina".into()) };
        let found: Vec<_> =
            targets(vec![of("atlas"), of("binky")], "mina").into_iter().map(|one| (one.kind, one.label, one.detail)).collect();
        let named = |kind: &str, detail: &str| (kind.to_owned(), "Mina".to_owned(), detail.to_owned());
        assert_eq!(found, [named("Person", ""), named("Profile", "profile of atlas"), named("Profile", "profile of binky")]);
        assert_eq!(targets(vec![of("atlas")], "mina")[0].href, format!("/people/{mina}"));
    }
}
