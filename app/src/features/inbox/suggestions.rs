use super::{about_candidate::Answer, api::browse_suggestions, quote::ShortQuote, url};
use crate::{
    Flash,
    features::{
        memories::{AgentField, Changed},
        views::FilterBar,
    },
    ids::Versions,
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{Empty, EmptyCard, Filtered, Icon, NothingLeft, Pager, PostForm, Shape, Time, awaited, landing, landing_beside, or_error, text},
};
use leptos::prelude::*;
use wire::{AgentId, OperatorRole, Page, SUGGESTIONS_MAX, SuggestedMemory, Suggestion, SuggestionRelation, ViewPage};

/// The page of active memories that may say the same or contradict each other.
#[component]
pub fn SuggestionsPage() -> impl IntoView {
    let filtered = Filtered::by(url::suggestions);
    let (query, list) = (filtered.query.clone(), filtered.load(browse_suggestions));
    let agent = filtered.filter.as_ref().ok().and_then(|filter| filter.agent_id);
    let who = ViewerResource::expect();
    view! {
        <PageHead title="Suggestions">"Active memories that may say the same or contradict each other. Nothing changes until you decide."</PageHead>
        <div class="mb-4">
            <FilterBar page=ViewPage::Suggestions label="Suggestions" query=filtered.query.clone() names=url::SUGGESTIONS>
                <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            </FilterBar>
        </div>
        {awaited(async move {
            let (profile, flash) = who.await.ok().map(|viewer| (viewer.profile, viewer.flash)).unzip();
            let has = |role| profile.as_ref().is_some_and(|profile| profile.has(role));
            let (may_decide, may_compare) = (has(OperatorRole::Reviewer), has(OperatorRole::Operator));
            let body = or_error(list.await, |page| match page.rows.is_empty() {
                true if query.is_later_page() => view! { <NothingLeft path="/inbox/suggestions" query /> }.into_any(),
                true => view! { <Nothing filtered=query.any(url::SUGGESTIONS) /> }.into_any(),
                false => view! { <Suggestions page query may_decide flash=flash.flatten() /> }.into_any(),
            });
            view! { {may_compare.then(|| view! { <CompareNow agent /> })} {body} }
        })}
    }
}

#[component]
fn CompareNow(agent: Option<AgentId>) -> impl IntoView {
    let label = if agent.is_some() { "Compare this agent’s memories now" } else { "Compare memories now" };
    view! {
        <PostForm class="mb-4" action="/console/api/survey">
            {agent.map(|agent| view! { <input type="hidden" name="agent" value=agent.to_string() /> })}
            <button class="button" type="submit">{label}</button>
        </PostForm>
    }
}

#[component]
fn Suggestions(page: Page<Suggestion>, query: Query, may_decide: bool, flash: Option<Flash>) -> impl IntoView {
    let here = query.href("/inbox/suggestions");
    let ids: Vec<_> = page.rows.iter().map(|item| item.id).collect();
    let one = |mut group: Vec<Suggestion>| {
        let done = landing_beside(&here, "s-", &ids, group[0].id);
        let form = landing(&here, &format!("s-{}", group[0].id));
        let all = joined(&group);
        let flash = flash.clone().filter(|flash| flash.refused_at(("pair", &all), "").is_some());
        match group.len() {
            1 => view! { <SuggestionCard item=group.remove(0) may_decide done form flash /> }.into_any(),
            _ => view! { <Group suggestions=group may_decide done form flash /> }.into_any(),
        }
    };
    let rows = groups(page.rows).into_iter().map(one).collect_view();
    view! {
        <p class="mb-2 text-sm text-soft" data-testid="total">
            {text::total(page.total, "suggestion", "suggestions")}
            {(page.total >= SUGGESTIONS_MAX)
                .then(|| format!(" wait. Decide some of them: the comparison adds none while {SUGGESTIONS_MAX} wait."))}
        </p>
        <ul class="max-w-4xl space-y-4">{rows}</ul>
        <Pager path="/inbox/suggestions" query previous=None next=page.next names=("Previous", "Next") />
    }
}

/// The ids of suggestions that are decided in one step.
fn joined(suggestions: &[Suggestion]) -> String {
    suggestions.iter().map(|suggestion| suggestion.id.to_string()).collect::<Vec<_>>().join(",")
}

/// The field that names the versions of memories that were shown.
fn versions<'a>(memories: impl IntoIterator<Item = &'a SuggestedMemory>) -> String {
    Versions(memories.into_iter().map(|memory| (memory.id, memory.version)).collect()).into()
}

/// Duplicates of one another together, everything else alone, in the order of the list.
fn groups(suggestions: Vec<Suggestion>) -> Vec<Vec<Suggestion>> {
    let mut groups: Vec<Vec<Suggestion>> = Vec::new();
    for suggestion in suggestions {
        let touches = |group: &Vec<Suggestion>| {
            group.iter().any(|other| {
                let shares = [other.from.id, other.to.id].iter().any(|id| [suggestion.from.id, suggestion.to.id].contains(id));
                [other.relation, suggestion.relation] == [SuggestionRelation::Duplicates; 2] && shares
            })
        };
        let (mut together, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(touches);
        groups = rest;
        let mut group: Vec<Suggestion> = together.drain(..).flatten().collect();
        group.push(suggestion);
        groups.push(group);
    }
    groups
}

/// Memories that may all say the same: merged in one step.
#[component]
fn Group(suggestions: Vec<Suggestion>, may_decide: bool, done: String, form: String, flash: Option<Flash>) -> impl IntoView {
    let (first, ids, agent) = (suggestions[0].id, joined(&suggestions), suggestions[0].agent_slug.clone());
    let mut memories: Vec<SuggestedMemory> = Vec::new();
    for memory in suggestions.into_iter().flat_map(|suggestion| [suggestion.to, suggestion.from]) {
        if memories.iter().all(|known| known.id != memory.id) {
            memories.push(memory);
        }
    }
    // Ids ascend as memories are stored.
    memories.sort_by_key(|memory| memory.id);
    let shown = versions(&memories);
    let title = format!("{} memories may say the same.", memories.len());
    let names = std::iter::once("Kept").chain(std::iter::repeat("Merged into it"));
    let sides = memories.into_iter().zip(names).map(|(memory, name)| view! { <Side memory name /> }).collect_view();
    view! {
        <li id=format!("s-{first}") tabindex="-1" class="card @container overflow-hidden" data-testid="suggestion-group">
            <div class="flex items-start gap-2 border-b border-line bg-sunken px-4 py-2 text-sm">
                <span class="pt-0.5"><Icon shape=Shape::Copy /></span>
                <p class="min-w-0 flex-1 font-medium">{title}</p>
                <span class="max-w-1/3 shrink-0 truncate pt-0.5 text-xs text-soft">{agent}</span>
            </div>
            <div class="px-4 pt-4 empty:hidden"><Changed flash /></div>
            <div class="grid gap-4 p-4 @lg:grid-cols-2">{sides}</div>
            {may_decide.then(|| view! {
                <div class="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
                    <p class="min-w-48 flex-1 text-sm text-soft">"Merging keeps the memory that was stored first, which gets the quotes of the others."</p>
                    <div class="flex flex-wrap gap-2">
                        <Answer ids=ids.clone() accept=true shown=shown.clone() done=done.clone() form=form.clone() class="button">"Merge all"</Answer>
                        <Answer ids accept=false shown done form class="button button-quiet">"Decline all"</Answer>
                    </div>
                </div>
            })}
        </li>
    }
}

#[component]
fn SuggestionCard(item: Suggestion, may_decide: bool, done: String, form: String, flash: Option<Flash>) -> impl IntoView {
    let shown = versions([&item.from, &item.to]);
    let (title, shape, consequence, verb) = match item.relation {
        SuggestionRelation::Duplicates => (
            "Two memories may say the same",
            Shape::Copy,
            "Merging keeps the earlier memory, which gets the quotes of the later one.",
            "Merge them",
        ),
        SuggestionRelation::Contradicts => (
            "Two memories may contradict each other",
            Shape::Alert,
            "Linked memories stay in recall, and each answer names both sides. If they say the same, the earlier one gets the quotes of the later one.",
            "Link as contradiction",
        ),
        SuggestionRelation::Supersedes => (
            "A later memory may correct an earlier one",
            Shape::Alert,
            "The earlier memory is superseded and leaves recall.",
            "Accept correction",
        ),
    };
    let same = (item.relation == SuggestionRelation::Contradicts).then(|| {
        let ids = item.id.to_string();
        view! {
            <Answer ids accept=true same=true shown=shown.clone() done=done.clone() form=form.clone() class="button">"They say the same"</Answer>
        }
    });
    view! {
        <li id=format!("s-{}", item.id) tabindex="-1" class="card @container overflow-hidden" data-testid="suggestion">
            <div class="flex items-start gap-2 border-b border-line bg-sunken px-4 py-2 text-sm">
                <span class="pt-0.5"><Icon shape /></span>
                <p class="min-w-0 flex-1"><span class="font-medium">{title}"."</span>" "{item.reason}</p>
                <span class="max-w-1/3 shrink-0 truncate pt-0.5 text-xs text-soft">{item.agent_slug}</span>
            </div>
            <div class="px-4 pt-4 empty:hidden"><Changed flash /></div>
            <div class="grid gap-4 p-4 @lg:grid-cols-2">
                <Side memory=item.to name="Earlier" />
                <Side memory=item.from name="Later" />
            </div>
            {may_decide.then(|| view! {
                <div class="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2">
                    <p class="min-w-48 flex-1 text-sm text-soft">{consequence}</p>
                    <div class="flex flex-wrap gap-2">
                        <Answer ids=item.id.to_string() accept=true shown=shown.clone() done=done.clone() form=form.clone() class="button">{verb}</Answer>
                        {same}
                        <Answer ids=item.id.to_string() accept=false shown done form class="button button-quiet">"Decline"</Answer>
                    </div>
                </div>
            })}
        </li>
    }
}

#[component]
fn Side(memory: SuggestedMemory, name: &'static str) -> impl IntoView {
    view! {
        <div class="min-w-0 space-y-1.5">
            <p class="flex flex-wrap items-center gap-x-2 text-xs text-soft">
                <span>{name}</span>
                <Time at=memory.said_at />
                <a class="font-mono" href=format!("/memories/{}", memory.id)>{memory.short_id}</a>
            </p>
            <p class="text-sm break-words whitespace-pre-wrap" dir="auto">{text::visible(&memory.content)}</p>
            {memory.quote.map(|evidence| view! { <ShortQuote evidence /> })}
        </div>
    }
}

#[component]
fn Nothing(filtered: bool) -> impl IntoView {
    if filtered {
        return view! {
            <div class="card">
                <Empty shape=Shape::Done title="No suggestions for this agent">
                    <p class="mb-3">"Its new and changed memories are compared with its others once a day."</p>
                    <a class="button button-quiet" href="/inbox/suggestions">"Show all agents"</a>
                </Empty>
            </div>
        }
        .into_any();
    }
    view! {
        <EmptyCard shape=Shape::Done title="No suggestions" href="/memories" link="Browse memories"
            says="Once a day, new and changed memories are compared with the others of the same agent and user. Duplicates and contradictions \
            appear here, and new memories that may replace an older one." />
    }
    .into_any()
}
