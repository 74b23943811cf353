use super::{api::read_policy, policy_input::PolicyInput, tabs::Tabs};
use crate::{
    Flash,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{ErrorView, SelectField, Skeleton, choice},
};
use leptos::prelude::*;
use remembrancer::api::{CapturePolicy, OperatorRole, Promotion, SensitiveMatters};

/// The kinds of memories with what the policy says about each, and a sentence.
fn kinds(policy: &CapturePolicy) -> [(&'static str, &'static str, &'static str, Promotion); 5] {
    [
        ("episodes", "Episodes", "What happened: a meeting, an outage, a conversation.", policy.episodes),
        ("profile", "Facts about people", "What a person is, has or prefers.", policy.profile),
        (
            "decisions",
            "Decisions",
            "What was decided. A decision also needs a rationale to become active without review.",
            policy.decisions,
        ),
        ("others", "Project facts, artifacts and hints", "Everything else that is found.", policy.others),
        ("commons", "Shared memories", "What agents write to the memory that all agents of the organisation share.", policy.commons),
    ]
}

fn promotion(promotion: Promotion) -> &'static str {
    match promotion {
        Promotion::Automatic => "Active without review",
        Promotion::Review => "Waits in the inbox",
    }
}

/// The page of the capture policy. Administrators change it, others read it.
#[component]
pub fn PolicyPage() -> impl IntoView {
    let policy = Resource::new(|| (), |()| read_policy());
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Capture policy">"What becomes a memory without review, and where text may be sent."</PageHead>
        <Tabs />
        <Transition fallback=|| view! { <div class="card"><Skeleton rows=4 /></div> }>
            {move || Suspend::new(async move {
                let viewer = who.await.ok();
                let may_edit = viewer.as_ref().is_some_and(|viewer| viewer.profile.has(OperatorRole::Admin));
                let flash = viewer.and_then(|viewer| viewer.flash).filter(|flash| flash.refused);
                match policy.await {
                    Ok(policy) if may_edit => view! { <Edit policy flash /> }.into_any(),
                    Ok(policy) => view! { <Read policy /> }.into_any(),
                    Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
                }
            })}
        </Transition>
    }
}

/// A share in percent, as the form and the page show it.
fn percent(share: f32) -> String {
    format!("{:.0}", share * 100.0)
}

#[component]
fn Edit(policy: CapturePolicy, flash: Option<Flash>) -> impl IntoView {
    let before = flash.as_ref().map(|flash| PolicyInput::read(&Query::parse(&flash.typed)));
    let typed = before.as_ref().map_or_else(|| percent(policy.confidence_min), |input| input.confidence_min.clone());
    let sensitive = before.as_ref().map_or(policy.sensitive, PolicyInput::sensitive);
    let outside = before.as_ref().map_or(policy.outside_models, |input| input.outside_models == "true");
    let error = flash.as_ref().and_then(|flash| flash.field("confidence_min"));
    let one = |(name, label, says, now): (&'static str, &'static str, &'static str, Promotion)| {
        let choices = Promotion::ALL.iter().map(|each| choice(each.as_str(), promotion(*each))).collect();
        let value = before.as_ref().map(|input| match name {
            "episodes" => input.episodes.clone(),
            "profile" => input.profile.clone(),
            "decisions" => input.decisions.clone(),
            "commons" => input.commons.clone(),
            _ => input.others.clone(),
        });
        view! {
            <div class="grid items-center gap-x-6 gap-y-2 py-4 sm:grid-cols-[minmax(0,1fr)_14rem]">
                <div>
                    <p class="font-medium" aria-hidden="true">{label}</p>
                    <p class="text-sm text-soft">{says}</p>
                </div>
                <SelectField name label bare=true value=value.unwrap_or_else(|| now.as_str().to_owned()) choices />
            </div>
        }
    };
    view! {
        <form class="card max-w-3xl divide-y divide-line px-4" method="post" action="/console/api/set_capture_policy">
            {kinds(&policy).map(one).collect_view()}
            <div class="grid items-center gap-x-6 gap-y-2 py-4 sm:grid-cols-[minmax(0,1fr)_14rem]">
                <div>
                    <label class="font-medium" for="confidence">"Minimum confidence, in percent"</label>
                    <p class="text-sm text-soft" id="confidence-says">"A candidate with less confidence waits in the inbox."</p>
                </div>
                <div>
                    <input
                        class="input"
                        id="confidence"
                        name="confidence_min"
                        type="number"
                        min="0"
                        max="100"
                        value=typed
                        aria-invalid=error.as_ref().map(|_| "true")
                        aria-describedby="confidence-says"
                    />
                    {error.map(|text| view! { <p class="mt-1 text-xs text-danger">{text}</p> })}
                </div>
            </div>
            <label class="flex items-start gap-3 py-4">
                <input class="mt-1" type="checkbox" name="outside_models" value="true" checked=outside />
                <span>
                    <span class="block font-medium">"Send text to outside models"</span>
                    <span class="block text-sm text-soft">
                        "If ticked, captured text may be sent to a model on another server. If not, it is read on this server only."
                    </span>
                </span>
            </label>
            <fieldset class="py-4">
                <legend class="float-left w-full font-medium">"Sensitive matters in profiles"</legend>
                <p class="clear-left text-sm text-soft">
                    "Observations about these matters are part of a person's profile only if you tick them."
                </p>
                <div class="mt-2 flex flex-wrap gap-x-6 gap-y-2">
                    {matters(sensitive)
                        .map(|(name, label, ticked)| {
                            view! {
                                <label class="flex items-center gap-2">
                                    <input type="checkbox" name=name value="true" checked=ticked />
                                    {label}
                                </label>
                            }
                        })
                        .collect_view()}
                </div>
            </fieldset>
            <div class="py-4"><button class="button button-primary" type="submit">"Save policy"</button></div>
        </form>
    }
}

/// Sensitive matters with the names of their fields and their labels.
fn matters(of: SensitiveMatters) -> [(&'static str, &'static str, bool); 4] {
    [("health", "Health", of.health), ("faith", "Faith", of.faith), ("politics", "Politics", of.politics), ("money", "Money", of.money)]
}

/// The labels of the sensitive matters that profiles may hold.
fn allowed(of: SensitiveMatters) -> String {
    let labels: Vec<&str> = matters(of).into_iter().filter(|(_, _, allowed)| *allowed).map(|(_, label, _)| label).collect();
    if labels.is_empty() { "None".to_owned() } else { labels.join(", ") }
}

#[component]
fn Read(policy: CapturePolicy) -> impl IntoView {
    let one = |(_, label, _, now): (&'static str, &'static str, &'static str, Promotion)| {
        view! { <dt>{label}</dt> <dd>{promotion(now)}</dd> }
    };
    view! {
        <dl class="facts card max-w-3xl p-4" data-testid="policy">
            {kinds(&policy).map(one).collect_view()}
            <dt>"Minimum confidence"</dt>
            <dd>{percent(policy.confidence_min)} " %"</dd>
            <dt>"Sensitive matters in profiles"</dt>
            <dd>{allowed(policy.sensitive)}</dd>
            <dt>"Outside models"</dt>
            <dd>{if policy.outside_models { "Text may be sent to them" } else { "Text stays on this server" }}</dd>
        </dl>
        <p class="mt-3 text-sm text-soft">"Changing the policy takes the role “admin”."</p>
    }
}
