use crate::{
    features::people::PersonPath,
    islands::Target,
    ui::text::{excerpt, short, visible},
};
use wire::Place;

/// Most characters of a definition or a content.
const EXCERPT: usize = 80;

/// Where a place is; `q` is the text that named it.
pub fn target(place: Place, q: &str) -> Target {
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
            ("Person", name.unwrap_or_else(|| user_id.to_string()), format!("as {agent_slug} knows them"), page.href())
        }
    };
    Target { kind: kind.to_owned(), label: visible(&label), detail: visible(&detail), href }
}
