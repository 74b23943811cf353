use crate::{
    features::people::PersonPath,
    islands::Target,
    ui::text::{short, visible},
};
use wire::Place;

/// Most characters of a definition.
const EXCERPT: usize = 80;

pub fn target(place: Place) -> Target {
    let (kind, label, detail, href) = match place {
        Place::Agent { id, slug, name } => ("Agent", slug, name, format!("/agents/{id}")),
        Place::Project { id, slug, name } => ("Project", slug, name, format!("/projects/{id}")),
        Place::Memory { id, short_id, topic, agent_slug, deleted } => {
            let deleted = if deleted { " · deleted" } else { "" };
            ("Memory", topic, format!("{short_id} · {agent_slug}{deleted}"), format!("/memories/{id}"))
        }
        Place::Term { id, term, definition } => ("Term", term, short(&definition, EXCERPT), format!("/vocabulary/terms/{id}")),
        Place::Document { id, title, reference, collection } => {
            let detail = reference.map_or_else(|| collection.clone(), |reference| format!("{reference} · {collection}"));
            ("Document", title, detail, format!("/knowledge/documents/{id}"))
        }
        Place::Person { agent_id, agent_slug, user_id, name } => {
            let page = PersonPath { agent: agent_id, user: Some(user_id) };
            ("Person", name.unwrap_or_else(|| user_id.to_string()), format!("as {agent_slug} knows them"), page.href())
        }
    };
    Target { kind: kind.to_owned(), label: visible(&label), detail: visible(&detail), href }
}
