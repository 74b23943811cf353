//! The page on which a person writes a memory for an agent.

use super::{filters::all, new_input::MemoryInput};
use crate::{
    ConsoleError, Flash,
    features::{capture::ProjectField, inbox::kinds, projects::project_names, vocabulary::TermNames},
    guard::{finish, invalid, operator},
    islands::TermField,
    layout::{Crumb, PageHead, ViewerResource},
    query::{Query, use_query},
    ui::{
        AreaField, Choice, PostForm, SelectField, TextField, awaited, choice, or_error,
        text::{count, short},
    },
};
use leptos::prelude::*;
use remembrancer::{memories, overview};
use uuid::Uuid;
use wire::{
    AgentName, Category, EVIDENCE_MAX, MemoryKind, OperatorRole, RATIONALE_MAX, RememberResponse, Retention, SUBJECT_MAX, SUMMARY_MAX,
    SimilarMemory, TITLE_MAX,
};

const PAGE: &str = "/memories/new";
const NOT_ALLOWED: &str = "Adding memories requires the role “operator”. Ask an administrator for it.";
/// Most characters of a similar memory in the message.
const EXCERPT: usize = 80;

/// The link to the form, with an agent chosen, for those who may send it.
#[component]
pub fn NewMemoryLink(
    /// The id of the agent, or nothing.
    #[prop(into)]
    agent: String,
) -> impl IntoView {
    let who = ViewerResource::expect();
    awaited(async move {
        let may_add = who.await.is_ok_and(|viewer| viewer.profile.has(OperatorRole::Operator));
        may_add.then(|| view! { <a class="underline" href=Query::default().with("agent", agent).href(PAGE)>"New memory"</a> })
    })
}

/// The page of the form. `agent` of its URL chooses the agent.
#[component]
pub fn NewMemoryPage() -> impl IntoView {
    let (who, query) = (ViewerResource::shared(), use_query());
    view! {
        <Crumb href="/memories" text="Memories" />
        <PageHead title="New memory">
            "Agents quote you as the speaker. The memory is private to the agent until somebody shares it."
        </PageHead>
        {awaited(async move {
            let answer = who.permitted(OperatorRole::Operator, NOT_ALLOWED, choices()).await;
            or_error(answer, |(viewer, (agents, projects))| view! { <NewMemoryForm agents projects flash=viewer.refused() query /> })
        })}
        <TermNames />
    }
}

/// The agents, without what all share, and the projects to choose from.
async fn choices() -> Result<(Vec<AgentName>, Vec<(Uuid, String)>), ConsoleError> {
    let (engine, ctx) = operator().await?;
    let mut agents = overview::agent_names(&engine, &ctx).await?;
    agents.retain(|agent| agent.id != ctx.commons_id && !agent.retired);
    Ok((agents, project_names().await.unwrap_or_default()))
}

/// Stores a memory for an agent, then redirects to its page, or back to the form if it is refused.
#[server(endpoint = "new_memory")]
pub async fn new_memory(#[server(flatten)] input: MemoryInput) -> Result<(), ConsoleError> {
    let stored = store(&input).await;
    let page = stored.as_ref().map(|stored| format!("/memories/{}", stored.memory_id)).unwrap_or_default();
    finish(stored.map(|stored| Flash::done(summary(&stored))), &page, PAGE, &input.query().href("")).await
}

async fn store(input: &MemoryInput) -> Result<RememberResponse, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let (agent, request) = input.request(engine.clock().now()).map_err(invalid)?;
    Ok(memories::remember_by_hand(&engine, &ctx, agent, request).await?)
}

/// What became of a new memory, and which similar ones differ.
fn summary(stored: &RememberResponse) -> String {
    let mut text = match (stored.unchanged, stored.was_update) {
        (true, _) => "This memory exists already. Nothing was added.",
        (false, true) => "A memory with the same meaning existed. Its content was replaced by yours.",
        (false, false) => "The memory was added.",
    }
    .to_owned();
    if !stored.similar.is_empty() {
        let number = i64::try_from(stored.similar.len()).unwrap_or(i64::MAX);
        let near = count(number, "similar memory differs", "similar memories differ");
        let named: Vec<String> = stored.similar.iter().map(similar).collect();
        let kept = if number > 1 { " All are kept until you correct or delete one." } else { "" };
        text.push_str(&format!(" {near}: {}.{kept}", named.join(", ")));
    }
    if !stored.redacted.is_empty() {
        text.push_str(&format!(" Secrets were replaced before it was stored: {}.", stored.redacted.join(", ")));
    }
    text
}

/// `“The ferry leaves from quay 3.” (number)`.
fn similar(memory: &SimilarMemory) -> String {
    format!("“{}” ({})", short(&memory.content, EXCERPT), memory.differs)
}

#[component]
fn NewMemoryForm(
    agents: Vec<AgentName>,
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
    /// The refused form.
    flash: Option<Flash>,
    /// The agent of the URL.
    query: Query,
) -> impl IntoView {
    let before = MemoryInput::read(&flash.as_ref().map_or(query, |flash| Query::parse(&flash.typed)));
    let error = move |names: &[&str]| flash.as_ref().and_then(|flash| names.iter().find_map(|name| flash.field(name)));
    let kind = if before.kind.is_empty() { MemoryKind::Profile.to_string() } else { before.kind };
    let retention = if before.retention.is_empty() { Retention::Permanent.to_string() } else { before.retention };
    let named = agents.into_iter().map(|agent| (agent.id.to_string(), agent.slug));
    let agents = std::iter::once(choice("", "Choose an agent")).chain(named).collect();
    view! {
        <PostForm class="group card max-w-4xl divide-y divide-line" action="/console/api/new_memory" label="New memory">
            <div class="space-y-3 p-4">
                <AreaField
                    id="content" name="content" label="Content" rows="4" value=before.content required=true dir="auto"
                    note="One fact, preference or decision." error=error(&["content"])
                />
                <div class="grid items-start gap-3 sm:grid-cols-2">
                    <div><TermField id="topic_raw" name="topic_raw" label="Topic" value=before.topic_raw error=error(&["topic_raw"]) /></div>
                    <SelectField name="agent" label="Agent" required=true value=before.agent choices=agents error=error(&["agent"]) />
                    <SelectField name="kind" label="Kind" value=kind choices=kinds() error=error(&["kind"]) />
                    <SelectField name="scope" label="Scope" value=before.scope choices=scopes() error=error(&["scope"]) />
                    <ProjectField projects value=before.project error=error(&["project", "project_id"]) />
                    <TextField
                        name="user" label="Person" optional=true value=before.user
                        note="Name, reference or id. Only recalls for this person find the memory." error=error(&["user", "user_id"])
                    />
                </div>
            </div>
            <div class="grid items-start gap-3 p-4 sm:grid-cols-2">
                <TextField name="subject" label="Subject" optional=true value=before.subject most=SUBJECT_MAX
                    note="Whom or what it is about: a name." error=error(&["subject"]) />
                <TextField name="title" label="Title" optional=true value=before.title most=TITLE_MAX error=error(&["title"]) />
                <AreaField id="summary" name="summary" label="Summary" optional=true rows="2" value=before.summary most=SUMMARY_MAX
                    error=error(&["summary"]) />
                <TextField name="evidence_ref" label="Evidence" optional=true value=before.evidence_ref most=EVIDENCE_MAX
                    note="What supports it: an address, a commit." error=error(&["evidence_ref"]) />
                <AreaField id="rationale" name="rationale" label="Rationale of a decision" optional=true rows="2" value=before.rationale
                    most=RATIONALE_MAX error=error(&["rationale"]) />
                <AreaField id="alternatives" name="alternatives" label="Rejected alternatives" optional=true rows="2"
                    value=before.alternatives
                    note="One per line." error=error(&["alternatives"]) />
                <SelectField name="retention" label="Retention" value=retention choices=retentions() error=error(&["retention"]) />
                <SelectField name="category" label="Heading in prompts" value=before.category choices=all("None", Category::ALL)
                    error=error(&["category"]) />
                <TextField name="confidence" label="Confidence" optional=true value=before.confidence hint="1"
                    note="From 0 to 1." error=error(&["confidence"]) />
                <TextField name="importance" label="Importance" optional=true value=before.importance
                    note="From 0 to 1. Without it, the policy decides." error=error(&["importance"]) />
                <TextField name="said_on" label="Said on" optional=true kind="date" value=before.said_on
                    note="If it was said on another day than today." error=error(&["said_on", "source.observed_at"]) />
                <label class="flex items-center gap-2 text-sm">
                    <input type="checkbox" name="pinned" value="true" checked=!before.pinned.is_empty() />
                    "Pinned: never expires, is never archived"
                </label>
            </div>
            <div class="flex gap-2 p-4">
                <button class="button button-primary" type="submit">"Add memory"</button>
                <a class="button button-quiet" href="/memories">"Cancel"</a>
            </div>
        </PostForm>
    }
}

/// The scopes that a person can name; a repository or a session is only known to agents.
fn scopes() -> Vec<Choice> {
    vec![
        choice("agent", "Agent: only for this agent"),
        choice("project", "Project: within one project"),
        choice("global", "Global: everywhere"),
    ]
}

fn retentions() -> Vec<Choice> {
    Retention::ALL.iter().map(|one| choice(one.as_str(), one.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::MemoryId;

    #[test]
    fn the_message_names_what_is_near_and_differs() {
        let near = |content: &str, differs: &str| SimilarMemory {
            memory_id: MemoryId(Uuid::nil()),
            short_id: "k3v9x2aq".into(),
            content: content.into(),
            differs: differs.into(),
        };
        let stored = |similar: Vec<SimilarMemory>| RememberResponse {
            memory_id: MemoryId(Uuid::nil()),
            short_id: "k3v9x2ar".into(),
            topic: "quay".into(),
            is_canonical: false,
            was_update: false,
            unchanged: false,
            previous_version: None,
            awaits_review: false,
            redacted: vec![],
            similar,
            degraded: vec![],
        };
        assert_eq!(summary(&stored(vec![])), "The memory was added.");
        assert_eq!(
            summary(&stored(vec![near("The ferry leaves from quay 3.", "number")])),
            "The memory was added. 1 similar memory differs: “The ferry leaves from quay 3.” (number)."
        );
        assert_eq!(
            summary(&stored(vec![near("The ferry leaves from quay 3.", "number"), near("No ferry leaves.", "negation")])),
            "The memory was added. 2 similar memories differ: “The ferry leaves from quay 3.” (number), “No ferry leaves.” (negation). \
             All are kept until you correct or delete one."
        );
        assert!(summary(&RememberResponse { unchanged: true, ..stored(vec![]) }).starts_with("This memory exists already"));
    }
}
