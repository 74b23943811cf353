//! The links between a memory and others, as people change them: each change has a reason and can be undone.

use super::{
    api::{called, selected_memories},
    links::disputes,
};
use crate::{
    ConsoleError, Flash,
    guard::{incomplete, own_path},
    ids::Versions,
    query::Query,
    submit::submit,
    ui::{Choice, PostForm, ReasonField, SelectField, TextField, choice},
};
use leptos::prelude::*;
use remembrancer::memories;
use std::fmt;
use wire::{FieldError, LinkRequest, LinkResponse, MemoryDetail, MemoryId, MemoryRef, Relation};

/// A change of the link between the memory of a page and another, as a form names it: `link out supersedes`, `unlink in supports`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LinkChange {
    remove: bool,
    /// From the memory of the page to the other.
    outgoing: bool,
    relation: Relation,
}

impl LinkChange {
    fn parse(text: &str) -> Option<Self> {
        let [verb, way, relation] = <[&str; 3]>::try_from(text.split(' ').collect::<Vec<_>>()).ok()?;
        let side = |text: &str, yes: &str, no: &str| if text == yes { Some(true) } else { (text == no).then_some(false) };
        Some(Self { remove: side(verb, "unlink", "link")?, outgoing: side(way, "out", "in")?, relation: relation.parse().ok()? })
    }

    fn inverse(self) -> Self {
        Self { remove: !self.remove, ..self }
    }

    fn request(self, id: MemoryId, other: MemoryRef) -> LinkRequest {
        let (from, to) = if self.outgoing { (id.into(), other) } else { (other, id.into()) };
        LinkRequest { from, to, relation: self.relation, remove: self.remove, user_id: None }
    }

    /// What it did, in a sentence about what both ends of the link are called.
    fn done(self, [from, to]: [&str; 2]) -> String {
        match (self.remove, self.relation) {
            (false, Relation::Supersedes) => format!("Agents recall {from} and no longer {to}, which is superseded."),
            (false, relation) => format!("Linked: {from} {} {to}.", relation.phrase(true)),
            (true, Relation::Supersedes) => format!("The link was removed. Agents recall {to} again, unless something else supersedes it."),
            (true, Relation::Contradicts) => format!("{from} and {to} no longer contradict each other."),
            (true, _) => "The link was removed.".to_owned(),
        }
    }
}

impl fmt::Display for LinkChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, way) = (if self.remove { "unlink" } else { "link" }, if self.outgoing { "out" } else { "in" });
        write!(f, "{verb} {way} {}", self.relation)
    }
}

/// Links a memory with another or removes their link, then redirects to `done`, also if it is refused. `form` tells the forms of a page
/// apart.
#[server(endpoint = "relate_memories")]
pub async fn relate_memories(
    id: MemoryId,
    #[server(default)] other: String,
    #[server(default)] what: String,
    #[server(default)] reason: String,
    #[server(default)] shown: Versions,
    #[server(default)] form: String,
    #[server(default)] done: String,
) -> Result<(), ConsoleError> {
    let typed = Query::default().with("relate", &form).with("other", &other).with("what", &what).with("reason", &reason);
    let typed = typed.with("shown", String::from(shown.clone()));
    let page = format!("/memories/{id}");
    submit(own_path(&done, &page), typed, |engine, ctx| async move {
        let unknown = |field: &str, message: &str| incomplete(FieldError::new(field, message));
        let change = LinkChange::parse(&what).ok_or_else(|| unknown("what", "Choose how the memories are related."))?;
        let named = other.trim().parse::<MemoryRef>();
        let named = named.map_err(|_| unknown("to", "Enter the id or the short id of a memory, which its page shows."))?;
        let shown = shown.0.into_iter().collect();
        let answer = memories::relate(&engine, &ctx, change.request(id, named), &shown, &reason).await?;
        let ids = [answer.from.memory_id, answer.to.memory_id];
        let rows = memories::rows_by_id(&engine, &ctx, &ids).await.unwrap_or_default();
        // A reviewer without the role viewer reads no rows.
        let names = [&answer.from, &answer.to]
            .map(|end| rows.iter().find(|row| row.id == end.memory_id).map_or_else(|| end.short_id.clone(), |row| called(&row.content)));
        Ok(flash(id, change, &answer, names.each_ref().map(String::as_str)))
    })
    .await
}

fn flash(id: MemoryId, change: LinkChange, answer: &LinkResponse, names: [&str; 2]) -> Flash {
    if !answer.changed {
        return Flash::unchanged(match change.remove {
            false => "No change: this link exists already.",
            true => "No change: there is no such link.",
        });
    }
    let other = if change.outgoing { &answer.to } else { &answer.from };
    let undo = [
        ("id", id.to_string()),
        ("other", other.memory_id.to_string()),
        ("what", change.inverse().to_string()),
        ("reason", "Undone.".to_owned()),
    ];
    Flash::done(change.done(names)).undone_by("relate_memories", undo)
}

/// The versions of a memory and of those that contradict it, as its page shows them.
pub async fn versions_beside(detail: &MemoryDetail) -> Versions {
    let ids: Vec<_> = detail.record.links.iter().filter(|link| disputes(link)).map(|link| link.other_id).collect();
    let others = if ids.is_empty() { Vec::new() } else { selected_memories(ids).await.unwrap_or_default() };
    let own = (detail.memory.id, detail.memory.version);
    Versions(others.into_iter().map(|row| (row.id, row.version)).chain([own]).collect())
}

/// What was typed into a form before it was refused, and the error of its reason.
fn refused(flash: Option<&Flash>, form: &str) -> (Option<Query>, Option<String>) {
    let (typed, error) = flash.and_then(|flash| flash.refused_at(("relate", form), "reason")).unzip();
    (typed, error.flatten())
}

const HINT: &str = "Kept in the audit log. At most 500 characters.";

/// The folded form that says which of two memories is right, or that they do not contradict each other.
#[component]
pub fn Resolve(
    id: MemoryId,
    other: MemoryId,
    /// The versions that the page shows: the decision is about them.
    shown: Versions,
    open: bool,
    here: String,
    flash: Option<Flash>,
) -> impl IntoView {
    // Ids alone: the session keeps those as they are.
    let form = other.to_string();
    let (typed, error) = refused(flash.as_ref(), &form);
    let open = open || typed.is_some();
    let typed = typed.map(|typed| typed.text("reason")).unwrap_or_default();
    let button = |remove: bool, outgoing: bool, relation: Relation, text: &'static str| {
        let what = LinkChange { remove, outgoing, relation }.to_string();
        view! { <button class="button" type="submit" name="what" value=what>{text}</button> }
    };
    view! {
        <details class="mt-1.5" open=open data-testid="resolve">
            <summary class="py-1 text-sm font-medium">"Resolve…"</summary>
            <PostForm class="space-y-3 pt-2" action="/console/api/relate_memories" fields=[
                ("id", id.to_string()), ("other", other.to_string()), ("shown", String::from(shown)), ("form", form), ("done", here),
            ]>
                <p class="text-sm text-soft">
                    "If one is right, or both say the same, the other is superseded: agents no longer recall it. Its content and history are \
                    kept."
                </p>
                <ReasonField id=format!("resolve-{other}") typed error hint=HINT />
                <div class="flex flex-wrap gap-2">
                    {button(false, true, Relation::Supersedes, "Keep this memory")}
                    {button(false, false, Relation::Supersedes, "Keep the other one")}
                    {button(true, true, Relation::Contradicts, "Not a contradiction")}
                </div>
            </PostForm>
        </details>
    }
}

/// The folded form that removes a link.
#[component]
pub fn Unlink(id: MemoryId, other: MemoryId, outgoing: bool, relation: Relation, here: String, flash: Option<Flash>) -> impl IntoView {
    let what = LinkChange { remove: true, outgoing, relation }.to_string();
    let form = format!("{other}/{}", u8::from(outgoing));
    let (typed, error) = refused(flash.as_ref(), &form);
    let open = typed.is_some();
    let typed = typed.map(|typed| typed.text("reason")).unwrap_or_default();
    let field = format!("unlink-{outgoing}-{relation}-{other}");
    view! {
        <details class="mt-1" open=open data-testid="unlink">
            <summary class="py-1 text-soft">"Unlink…"</summary>
            <PostForm class="space-y-3 pt-2" action="/console/api/relate_memories" fields=[
                ("id", id.to_string()), ("other", other.to_string()), ("what", what), ("form", form), ("done", here),
            ]>
                <ReasonField id=field typed error hint=HINT />
                <button class="button" type="submit">"Remove this link"</button>
            </PostForm>
        </details>
    }
}

/// The folded form that links a memory with another.
#[component]
pub fn LinkTo(id: MemoryId, version: i32, here: String, flash: Option<Flash>) -> impl IntoView {
    let (typed, reason_error) = refused(flash.as_ref(), "new");
    let other_error = typed.as_ref().and(flash.as_ref()).and_then(|flash| flash.field("to"));
    let open = typed.is_some();
    let [other, what, reason] = ["other", "what", "reason"].map(|name| typed.as_ref().map(|typed| typed.text(name)).unwrap_or_default());
    let shown = String::from(Versions(vec![(id, version)]));
    view! {
        <details class="card" open=open data-testid="link-to">
            <summary class="px-4 py-2.5 font-medium">"Link…"</summary>
            <PostForm class="space-y-3 px-4 pb-4" action="/console/api/relate_memories" fields=[
                ("id", id.to_string()), ("shown", shown), ("form", "new".to_owned()), ("done", here),
            ]>
                <SelectField name="what" label="This memory" value=what choices=relations() />
                <TextField name="other" label="Other memory" value=other required=true error=other_error note="Its id or its short id." />
                <ReasonField id="link-reason" typed=reason error=reason_error hint=HINT />
                <button class="button button-primary" type="submit">"Link memories"</button>
            </PostForm>
        </details>
    }
}

/// How a memory can be related to another, in either direction.
fn relations() -> Vec<Choice> {
    let ways = |relation: &Relation| {
        let both = relation.phrase(true) != relation.phrase(false);
        let way = |outgoing: bool, relation: Relation| {
            choice(&LinkChange { remove: false, outgoing, relation }.to_string(), relation.phrase(outgoing))
        };
        [Some(way(true, *relation)), both.then(|| way(false, *relation))].into_iter().flatten()
    };
    Relation::ALL.iter().flat_map(ways).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_form_names_a_change_and_its_inverse_takes_it_back() {
        let change = LinkChange::parse("link in supersedes").unwrap();
        assert_eq!(change, LinkChange { remove: false, outgoing: false, relation: Relation::Supersedes });
        assert_eq!(
            (change.to_string(), change.inverse().to_string()),
            ("link in supersedes".to_owned(), "unlink in supersedes".to_owned())
        );
        for wrong in ["", "link", "link in", "link up supports", "join in supports", "link in disproves", "link in supports now"] {
            assert_eq!(LinkChange::parse(wrong), None, "{wrong}");
        }
        let [id, other] = [1, 2].map(|n| MemoryId(Uuid::from_u128(n)));
        let ends = |text: &str| {
            let request = LinkChange::parse(text).unwrap().request(id, other.into());
            (request.from, request.to, request.remove)
        };
        let [this, that] = [id, other].map(MemoryRef::from);
        assert_eq!(ends("link in supersedes"), (that.clone(), this.clone(), false), "the other one is right");
        assert_eq!(ends("unlink out supersedes"), (this, that, true));
    }

    #[test]
    fn each_relation_is_offered_once_in_each_direction() {
        let phrases: Vec<_> = relations().into_iter().map(|(_, phrase)| phrase).collect();
        assert!(phrases.contains(&"is superseded by".to_owned()) && phrases.contains(&"supersedes".to_owned()), "{phrases:?}");
        let mut once = phrases.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), phrases.len());
    }
}
