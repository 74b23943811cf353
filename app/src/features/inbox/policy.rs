use super::{
    api::read_policy,
    policy_input::{ALLOW, KEEP_OUT, LIMIT, PolicyInput},
};
use crate::{
    Flash,
    features::people::matter_name,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Choice, PostForm, SelectField, awaited, choice, fact, or_error, reading, text},
};
use leptos::prelude::*;
use wire::{CapturePolicy, Matter, OperatorRole, Promotion, SensitiveMatters, Sharing};

/// The kinds of memories with what the policy says about each, and a sentence.
fn kinds(policy: &CapturePolicy) -> [(&'static str, &'static str, &'static str, Promotion); 6] {
    [
        ("episodes", "Episodes", "What happened: a meeting, an outage, a conversation.", policy.episodes),
        ("profile", "Facts about people", "What a person is, has or prefers.", policy.profile),
        (
            "decisions",
            "Decisions",
            "What was decided. A decision also needs a rationale to become active without review.",
            policy.decisions,
        ),
        ("others", "Project facts, artifacts and hints", "Everything else.", policy.others),
        (
            "own_statements",
            "Statements about oneself",
            "What a person says of themselves in a conversation, unless it is sensitive. Agents see that nobody confirmed it.",
            policy.own_statements,
        ),
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
    let policy = reading(read_policy());
    let who = ViewerResource::shared();
    view! {
        <PageHead title="Capture policy">"What becomes a memory without review, and where text may be sent."</PageHead>
        {awaited(async move {
            let (may_edit, flash) = who.allows(OperatorRole::Admin).await;
            or_error(policy.await, |policy| match may_edit {
                true => view! { <Edit policy flash /> }.into_any(),
                false => view! { <Read policy /> }.into_any(),
            })
        })}
    }
}

/// What becomes shared by itself, in words.
fn sharing(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::ByHand => "Only by hand",
        Sharing::Confirmed => "Once confirmed",
        Sharing::All => "Once written",
    }
}

fn sharings() -> Vec<Choice> {
    Sharing::ALL.iter().map(|each| choice(each.as_str(), sharing(*each))).collect()
}

/// A share in percent, as the form and the page show it.
fn percent(share: f32) -> String {
    format!("{:.0}", share * 100.0)
}

#[component]
fn Edit(policy: CapturePolicy, flash: Option<Flash>) -> impl IntoView {
    let typed = flash.as_ref().map(|flash| Query::parse(&flash.typed));
    let before = typed.as_ref().map(PolicyInput::read);
    let confidence = before.as_ref().map_or_else(|| percent(policy.confidence_min), |input| input.confidence_min.clone());
    let shared = before.as_ref().map_or(policy.shared_profiles, |input| input.shared_profiles == "true");
    let matters = Matter::ALL.iter().map(|matter| {
        let typed = before.as_ref().map(|input| input.matter(*matter)).map(|(choice, days)| (choice.to_owned(), days.to_owned()));
        let error = flash.as_ref().and_then(|flash| flash.field(matter.as_str()));
        view! { <MatterFields matter=*matter typed=typed.unwrap_or_else(|| entered(policy.sensitive.days(*matter))) error /> }
    });
    let matters = matters.collect_view();
    let outside = before.as_ref().map_or(policy.outside_models, |input| input.outside_models == "true");
    let sharing = before.as_ref().map_or_else(|| policy.sharing.as_str().to_owned(), |input| input.sharing.clone());
    let sharing_error = flash.as_ref().and_then(|flash| flash.field("sharing"));
    let error = flash.as_ref().and_then(|flash| flash.field("confidence_min"));
    let one = move |(name, label, says, now): (&'static str, &'static str, &'static str, Promotion)| {
        let choices = Promotion::ALL.iter().map(|each| choice(each.as_str(), promotion(*each))).collect();
        let value = typed.as_ref().map_or_else(|| now.as_str().to_owned(), |typed| typed.text(name));
        view! { <Rule name label says value choices error=None /> }
    };
    view! {
        <PostForm class="card max-w-3xl divide-y divide-line px-4" action="/console/api/set_capture_policy">
            {kinds(&policy).map(one).collect_view()}
            <Rule name="sharing" label="Sharing" value=sharing choices=sharings() error=sharing_error
                says="Which memories with the scope project, repo or global all agents read. Memories of one agent or session are never \
                shared by themselves." />
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
                        required
                        min="0"
                        max="100"
                        value=confidence
                        aria-invalid=error.as_ref().map(|_| "true")
                        aria-describedby="confidence-says"
                    />
                    {error.map(|text| view! { <p class="mt-1 text-xs text-danger">{text}</p> })}
                </div>
            </div>
            <Consent name="outside_models" label="Send text to outside models" checked=outside
                says="If ticked, captured text may be sent to a model on another server. If not, it is read on this server only." />
            <fieldset class="py-4">
                <legend class="float-left w-full font-medium">"Sensitive matters in profiles"</legend>
                <p class="clear-left text-sm text-soft">
                    "Profiles hold entries about a matter only if you allow it. With a number of days, an entry ends that long after its last "
                    "observation. What you keep out is removed from profiles, too. Matters are recognised by words in English, German, French, "
                    "Spanish, Portuguese, Italian, Dutch, Russian, Arabic, Hindi, Chinese and Japanese, and by words that whoever "
                    "runs the server adds."
                </p>
                <div class="mt-2 space-y-2">{matters}</div>
            </fieldset>
            <Consent name="shared_profiles" label="Share the commons’ profiles with all agents" checked=shared
                says="If ticked, every agent also reads what the profile of the commons says about a person. If not, each agent \
                reads its own profile only." />
            <div class="py-4"><button class="button button-primary" type="submit">"Save policy"</button></div>
        </PostForm>
    }
}

/// A rule of the policy with its choices.
#[component]
fn Rule(
    name: &'static str,
    label: &'static str,
    says: &'static str,
    value: String,
    choices: Vec<Choice>,
    error: Option<String>,
) -> impl IntoView {
    view! {
        <div class="grid items-center gap-x-6 gap-y-2 py-4 sm:grid-cols-[minmax(0,1fr)_14rem]">
            <div>
                <p class="font-medium" aria-hidden="true">{label}</p>
                <p class="text-sm text-soft">{says}</p>
            </div>
            <SelectField name label bare=true value choices error />
        </div>
    }
}

/// A checkbox that allows something.
#[component]
fn Consent(name: &'static str, label: &'static str, says: &'static str, checked: bool) -> impl IntoView {
    view! {
        <label class="flex items-start gap-3 py-4">
            <input class="mt-1 shrink-0" type="checkbox" name=name value="true" checked=checked />
            <span><span class="block font-medium">{label}</span> <span class="block text-sm text-soft">{says}</span></span>
        </label>
    }
}

/// The choice and the days of a matter, as the form has them.
fn entered(days: Option<i32>) -> (String, String) {
    match days {
        None => (ALLOW.to_owned(), String::new()),
        Some(0) => (KEEP_OUT.to_owned(), String::new()),
        Some(days) => (LIMIT.to_owned(), days.to_string()),
    }
}

/// The fields of one sensitive matter: whether profiles may hold it, and for how many days.
#[component]
fn MatterFields(matter: Matter, typed: (String, String), error: Option<String>) -> impl IntoView {
    let (name, label, (value, days)) = (matter.as_str(), matter_name(matter), typed);
    let (id, error_id) = (format!("{name}-days"), format!("{name}-error"));
    let described = error.as_ref().map(|_| error_id.clone());
    view! {
        <div class="group flex flex-wrap items-center gap-x-3 gap-y-1">
            <span class="w-28" aria-hidden="true">{label}</span>
            <div class="w-44">
                <SelectField
                    name
                    label
                    bare=true
                    value
                    choices=vec![choice(KEEP_OUT, "Keep out"), choice(ALLOW, "Allow"), choice(LIMIT, "Allow for some days")]
                />
            </div>
            // Without a limit there are no days to enter. They are a text that the server checks, because a browser would refuse the form
            // for a wrong number that is hidden, and say nothing.
            <div class="hidden items-center gap-3 group-has-[option[value=limit]:checked]:flex">
                <label class="text-sm text-soft" for=id.clone()>"Days" <span class="sr-only">{format!(" for {}", label.to_lowercase())}</span></label>
                <div class="w-24">
                    <input
                        class="input"
                        id=id
                        name=format!("{name}_days")
                        type="text"
                        inputmode="numeric"
                        value=days
                        aria-invalid=error.as_ref().map(|_| "true")
                        aria-describedby=described
                    />
                </div>
            </div>
            {error.map(|text| view! { <p class="w-full text-xs text-danger" id=error_id>{text}</p> })}
        </div>
    }
}

/// What the policy says about each sensitive matter, in words.
fn allowed(of: SensitiveMatters) -> String {
    let one = |matter: &Matter| match of.days(*matter) {
        None => Some(matter_name(*matter).to_owned()),
        Some(0) => None,
        Some(days) => Some(format!("{} for {}", matter_name(*matter), text::count(days.into(), "day", "days"))),
    };
    let allowed: Vec<String> = Matter::ALL.iter().filter_map(one).collect();
    if allowed.is_empty() { "None".to_owned() } else { allowed.join(", ") }
}

#[component]
fn Read(policy: CapturePolicy) -> impl IntoView {
    let one = |(_, label, _, now): (&'static str, &'static str, &'static str, Promotion)| fact(label, promotion(now));
    view! {
        <dl class="facts card max-w-3xl p-4" data-testid="policy">
            {kinds(&policy).map(one).collect_view()}
            {fact("Sharing", sharing(policy.sharing))}
            {fact("Minimum confidence", view! { {percent(policy.confidence_min)} " %" })}
            {fact("Sensitive matters in profiles", allowed(policy.sensitive))}
            {fact("Profiles of the commons", if policy.shared_profiles { "Shared with all agents" } else { "Not shared" })}
            {fact("Outside models", if policy.outside_models { "Text may be sent to them" } else { "Text stays on this server" })}
        </dl>
        <p class="mt-3 text-sm text-soft">"Changing the policy requires the role “admin”."</p>
    }
}
