use super::{
    input::{VerdictInput, is_same},
    words::kind,
};
use crate::{
    Flash,
    features::capture::ProjectField,
    ids::Versions,
    islands::TermField,
    query::Query,
    ui::{Choice, PostForm, SelectField, TextField, choice, text},
};
use leptos::prelude::*;
use uuid::Uuid;
use wire::{InboxItem, MemoryKind, MemoryScope, REASON_MAX};

/// The forms to confirm or reject one candidate. A key focuses each, Enter sends it.
#[component]
pub fn Verdicts(
    item: InboxItem,
    /// Projects by id and slug.
    projects: Vec<(Uuid, String)>,
    /// The refused form, if it was about this candidate.
    flash: Option<Flash>,
    here: String,
    next: String,
) -> impl IntoView {
    let (id, shown) = (item.id.to_string(), String::from(Versions(vec![(item.id, item.version)])));
    let refused = flash.map(|flash| (VerdictInput::read(&Query::parse(&flash.typed)), flash));
    let error = |what: &str, field: &str| refused.as_ref().filter(|(input, _)| input.what == what)?.1.field(field);
    let before = refused.as_ref().map(|(input, _)| input.clone()).unwrap_or_default();
    let (reason, reason_error) = (before.reason.clone(), error("reject", "reason"));
    let wrong = ["content", "new_kind", "topic", "scope", "project", "project_id", "share"].map(|field| error("confirm", field));
    let common = |what: &str| {
        [("ids", id.clone()), ("shown", shown.clone()), ("what", what.to_owned()), ("done", next.clone()), ("form", here.clone())]
    };
    view! {
        <div class="@container sticky bottom-0 -mx-4 -mb-4 space-y-3 border-t border-line bg-surface px-4 py-3 shadow-[0_-4px_12px_-8px_rgb(0_0_0/0.25)]">
            <PostForm class="group flex flex-wrap items-start gap-2" action="/console/api/decide_candidates" fields=common("confirm")>
                <button class="button button-primary" type="submit" data-keys="c Enter">
                    "Confirm"
                    <kbd class="kbd hidden border-current! text-current! md:inline" aria-hidden="true">"c"</kbd>
                </button>
                <Adjust item projects before wrong />
                <p class="scripted hidden self-center text-xs text-soft @xl:block">
                    "j next, k previous, c confirm, r reject, m merge, u undo, Enter sends"
                </p>
            </PostForm>
            <PostForm class="flex items-start gap-2" action="/console/api/decide_candidates" fields=common("reject")>
                <div class="min-w-0 grow">
                    <TextField
                        name="reason"
                        label="Reason for rejection"
                        bare=true
                        hint="Reason for rejection"
                        value=reason
                        required=true
                        most=REASON_MAX
                        key="r"
                        error=reason_error
                    />
                </div>
                <button class="button button-danger" type="submit">
                    "Reject"
                    <kbd class="kbd hidden border-current! text-current! md:inline" aria-hidden="true">"r"</kbd>
                </button>
            </PostForm>
        </div>
    }
}

/// The folded fields that edit a candidate before it is confirmed.
#[component]
fn Adjust(
    item: InboxItem,
    projects: Vec<(Uuid, String)>,
    before: VerdictInput,
    /// The errors of the statement, the kind, the topic, the scope, the project and the readers.
    wrong: [Option<String>; 7],
) -> impl IntoView {
    let open = wrong.iter().any(Option::is_some);
    let [content_error, kind_error, topic_error, scope_error, project_error, other_error, share_error] = wrong;
    let scope = item.scope.as_str();
    let confirmed = before.what == "confirm";
    // A field that was left as it was shows what the candidate has now.
    let kept = |typed: String, was: &str, now: &str| if confirmed && !is_same(&typed, was) { typed } else { now.to_owned() };
    let content = kept(before.content, &before.content_was, &item.content);
    let chosen_kind = kept(before.new_kind, &before.new_kind_was, item.kind.as_str());
    let topic = kept(before.topic, &before.topic_was, &item.topic);
    let chosen = kept(before.scope, &before.scope_was, scope);
    view! {
        <details class="min-w-0 grow open:basis-full" open=open>
            <summary class="button button-quiet">"Edit before confirming…"</summary>
            <div class="mt-2 space-y-1">
                <label class="label" for="statement">"Statement"</label>
                <textarea
                    class="input"
                    id="statement"
                    name="content"
                    rows="3"
                    dir="auto"
                    aria-invalid=content_error.as_ref().map(|_| "true")
                    aria-describedby=if content_error.is_some() { "statement-hint statement-error" } else { "statement-hint" }
                >
                    {text::editable(&content)}
                </textarea>
                {content_error.map(|error| view! { <p class="text-xs text-danger" id="statement-error">{error}</p> })}
                <p class="text-xs text-soft" id="statement-hint">
                    "If you change it, agents recall it as your words of today. The history keeps what was proposed."
                </p>
            </div>
            <div class="mt-3 grid gap-3 sm:grid-cols-2">
                <SelectField name="new_kind" label="Kind" value=chosen_kind choices=kinds() error=kind_error />
                <input type="hidden" name="content_was" value=item.content />
                <input type="hidden" name="new_kind_was" value=item.kind.as_str() />
                <input type="hidden" name="topic_was" value=item.topic />
                <input type="hidden" name="scope_was" value=scope />
                <div><TermField id="topic" name="topic" label="Topic" value=topic error=topic_error /></div>
                <SelectField name="scope" label="Scope" value=chosen choices=scopes(item.scope) error=scope_error />
                <ProjectField projects value=before.project error=project_error.or(other_error) />
                <SelectField name="share" label="Read by" value=before.share choices=readers() error=share_error />
            </div>
        </details>
    }
}

pub fn kinds() -> Vec<Choice> {
    MemoryKind::ALL.iter().map(|one| choice(one.as_str(), &kind(*one))).collect()
}

/// Who may read a memory once it is confirmed.
fn readers() -> Vec<Choice> {
    vec![choice("", "As the policy says"), choice("yes", "All agents"), choice("no", "This agent only")]
}

/// The scopes to choose from, and the candidate's own.
fn scopes(own: MemoryScope) -> Vec<Choice> {
    let usual = [MemoryScope::Agent, MemoryScope::Project, MemoryScope::Global];
    let others = (!usual.contains(&own)).then_some(own);
    usual.into_iter().chain(others).map(|scope| choice(scope.as_str(), scope.as_str())).collect()
}
