#[cfg(feature = "ssr")]
use super::pages::pages;
use crate::{ConsoleError, codec::Text};
#[cfg(feature = "ssr")]
use crate::{features::people::PersonPath, guard::operator, ui::text::short};
use leptos::{prelude::*, server_fn::codec::GetUrl};
#[cfg(feature = "ssr")]
use remembrancer::{api::Place, overview};
use serde::{Deserialize, Serialize};

/// Somewhere to go: what it is, what it is called, what tells it apart, and its URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    pub kind: String,
    pub label: String,
    pub detail: String,
    pub href: String,
}

/// Pages whose name contains `q`, all of them if it is empty, and what else it names, at most five of each kind.
#[server(endpoint = "places", input = GetUrl, output = Text)]
pub async fn find_places(#[server(default)] q: String) -> Result<Vec<Target>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let named = overview::places(&engine, &ctx, &q).await?;
    Ok(pages(&q).chain(named.into_iter().map(target)).collect())
}

/// Most characters of a definition.
#[cfg(feature = "ssr")]
const EXCERPT: usize = 80;

#[cfg(feature = "ssr")]
fn target(place: Place) -> Target {
    let (kind, label, detail, href) = match place {
        Place::Agent { id, slug, name } => ("Agent", slug, name, format!("/agents/{id}")),
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
    Target { kind: kind.to_owned(), label, detail, href }
}
