//! The form that makes a candidate of words that extraction missed.

use crate::{
    ConsoleError, Flash,
    features::inbox::kinds,
    guard::{finish, operator},
    query::Query,
    ui::{AreaField, PostForm, SelectField, TextField, landing},
};
use leptos::prelude::*;
use remembrancer::capture::{self, Added, Selection};
use wire::{MemoryKind, SourceId};

/// A page of turns to which a reviewer adds candidates.
pub struct Adding {
    /// The first turn of the page.
    pub from: usize,
    /// The turn whose form is open.
    pub open: Option<usize>,
    /// The refused form.
    pub flash: Option<Flash>,
}

/// The URL that opens the form at a turn, on the page that begins at `from`.
pub fn form_at(source: SourceId, from: usize, turn: usize) -> String {
    landing(&page(from).with("add", turn).href(&format!("/sources/{source}")), &format!("turn-{turn}"))
}

/// The query of the page that begins at a turn.
fn page(from: usize) -> Query {
    if from == 0 { Query::default() } else { Query::default().with("turn", from) }
}

/// Makes a candidate of words of a turn, then redirects to it, or back to the form if it is refused.
#[server(endpoint = "add_candidate")]
pub async fn add_candidate(
    source: SourceId,
    turn: usize,
    #[server(default)] from: usize,
    #[server(default)] words: String,
    kind: MemoryKind,
    #[server(default)] topic: String,
) -> Result<(), ConsoleError> {
    let form = form_at(source, from, turn);
    let typed = Query::default().with("turn", turn).with("words", &words).with("kind", kind).with("topic", &topic).href("");
    let added = add(source, Selection { turn, words, kind, topic: Some(topic) }).await;
    let done = added.as_ref().map(|added| address(source, added)).unwrap_or_default();
    finish(added.map(|added| told(&added)), &done, &form, &typed).await
}

async fn add(source: SourceId, selection: Selection) -> Result<Added, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(capture::add_candidate(&engine, &ctx, source, selection).await?)
}

/// The URL of what quotes the words now.
fn address(source: SourceId, added: &Added) -> String {
    match added.waits {
        true => Query::default().with("source", source).with("focus", added.memory_id).href("/inbox"),
        false => format!("/memories/{}", added.memory_id),
    }
}

fn told(added: &Added) -> Flash {
    Flash::done(match (added.is_new, added.waits) {
        (true, _) => "The candidate was added.",
        (false, true) => "This candidate says it already. The words are part of its evidence.",
        (false, false) => "This memory says it already. The words are part of its evidence.",
    })
}

/// The form, at the turn where it is open. Without a turn it is hidden until the script of the console moves it to the
/// turn whose words are selected.
#[component]
pub fn AddCandidate(source: SourceId, turn: Option<usize>, from: usize, flash: Option<Flash>) -> impl IntoView {
    let number = turn.map(|turn| turn.to_string()).unwrap_or_default();
    let refused = flash.filter(|flash| flash.refused_at(("turn", &number), "").is_some());
    let [wrong, topic_error] = ["words", "topic"].map(|field| refused.as_ref().and_then(|flash| flash.field(field)));
    let typed = refused.as_ref().map(|flash| Query::parse(&flash.typed)).unwrap_or_default();
    let kind = typed.get("kind").unwrap_or(MemoryKind::Profile.as_str()).to_owned();
    let close = page(from).href(&format!("/sources/{source}"));
    view! {
        <div id="add-candidate" hidden=turn.is_none()>
            <PostForm class="mt-3 space-y-3 rounded-md border border-line bg-sunken p-3" action="/console/api/add_candidate" label="New candidate" fields=[
                ("source", source.to_string()), ("turn", number), ("from", from.to_string()),
            ]>
                <AreaField
                    id="words"
                    name="words"
                    label="Words"
                    rows="3"
                    value=typed.text("words")
                    required=true
                    dir="auto"
                    note="Words of this turn, exactly as they stand."
                    error=wrong
                />
                <div class="grid items-start gap-3 sm:grid-cols-2">
                    <SelectField name="kind" label="Kind" value=kind choices=kinds() />
                    <TextField name="topic" label="Topic" optional=true value=typed.text("topic") error=topic_error />
                </div>
                <div class="flex gap-2">
                    <button class="button button-primary" type="submit">"Add candidate"</button>
                    <a class="button button-quiet" href=close data-noscroll="true">"Cancel"</a>
                </div>
            </PostForm>
        </div>
    }
}
