use super::{input::VerdictInput, policy_input::PolicyInput, url::back, words::summary};
use crate::{
    ConsoleError, Flash,
    features::memories::seen,
    guard::{finish, incomplete, operator, own_path},
    ids::{Ids, Versions},
    query::Query,
    submit::submit,
    ui::text::short,
};
use foundation::identity;
use leptos::prelude::*;
use remembrancer::{consolidation, erasure, memories::Shown};
use std::collections::HashMap;
use wire::{
    AgentId, BULK_MAX, CapturePolicy, ErasureId, InboxFilter, InboxItem, InboxOutcome, InboxQuote, InboxVerdict, MemoryId, Page,
    QuarantineId, QuarantineItem, Suggestion, SuggestionFilter, SuggestionId,
};

/// The effect of a verdict on candidates, before it is given.
pub struct Preview {
    pub items: Vec<InboxItem>,
    /// Absent for a rejection, which changes nothing but the candidates.
    pub outcome: Option<InboxOutcome>,
}

/// One page of candidates, oldest first, without their quotes.
pub async fn browse_inbox(filter: InboxFilter) -> Result<Page<InboxItem>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(consolidation::inbox(&engine, &ctx, &filter).await?.map(slim))
}

/// A candidate with its quotes and the suggestions about it; none if no memory has this id.
pub async fn read_candidate(id: MemoryId) -> Result<Option<InboxItem>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(consolidation::items(&engine, &ctx, &[id]).await?.into_iter().next())
}

/// What says what a memory says: quotes of sources, and the request that erased a source of it.
#[derive(Clone, Debug, Default)]
pub struct Quoted {
    pub quotes: Vec<InboxQuote>,
    pub erased_by: Option<ErasureId>,
}

/// The places in sources that say what a memory says, with the words around each.
pub async fn read_quotes(id: MemoryId) -> Result<Quoted, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let quotes = consolidation::quotes(&engine, &ctx, &[id]).await?.into_iter().map(|(_, quote)| quote).collect();
    Ok(Quoted { quotes, erased_by: erasure::erased_by(&engine, &ctx, id.0).await? })
}

/// The same places for several memories, in one transaction, without the requests that erased sources.
pub async fn quotes_of(ids: Vec<MemoryId>) -> Result<HashMap<MemoryId, Vec<InboxQuote>>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let mut quotes: HashMap<_, Vec<_>> = HashMap::new();
    for (id, quote) in consolidation::quotes(&engine, &ctx, &ids).await? {
        quotes.entry(id).or_default().push(quote);
    }
    Ok(quotes)
}

pub async fn consider_candidates(ids: Vec<MemoryId>, input: VerdictInput) -> Result<Preview, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let ids: Vec<_> = ids.into_iter().take(BULK_MAX).collect();
    let items = consolidation::items(&engine, &ctx, &ids).await?.into_iter().map(slim).collect();
    let outcome = match input.verdict() {
        Ok(verdict @ InboxVerdict::Confirm { .. }) if !ids.is_empty() => Some(consolidation::preview(&engine, &ctx, &ids, &verdict).await?),
        _ => None,
    };
    Ok(Preview { items, outcome })
}

/// Gives candidates the same verdict as they were shown, then redirects to `done`, or back to `form` if it is refused.
#[server(endpoint = "decide_candidates")]
pub async fn decide_candidates(
    ids: Ids<MemoryId>,
    shown: Versions,
    #[server(flatten)] input: VerdictInput,
    #[server(default)] done: String,
    #[server(default)] form: String,
) -> Result<(), ConsoleError> {
    // Browsers end the lines of a field with both characters.
    let input = VerdictInput { content: input.content.replace("\r\n", "\n"), ..input };
    let typed = input.query().with("ids", String::from(ids.clone())).with("shown", String::from(shown.clone())).href("");
    let result = async { decide(&ids.0, input.verdict().map_err(incomplete)?, seen(shown, &ids.0)?).await };
    finish(result.await, own_path(&done, "/inbox"), own_path(&form, "/inbox"), &typed).await
}

/// Undoes the decision on candidates, then redirects to `done`; in the inbox, a single candidate opens again.
#[server(endpoint = "undo_candidates")]
pub async fn undo_candidates(ids: Ids<MemoryId>, #[server(default)] done: String) -> Result<(), ConsoleError> {
    let done = own_path(&done, "/inbox");
    let (path, query) = done.split_once('?').unwrap_or((done, ""));
    let done = match ids.0.as_slice() {
        [id] if path == "/inbox" => back(&Query::parse(query), Some(*id)),
        _ => done.to_owned(),
    };
    finish(decide(&ids.0, InboxVerdict::Undo, Shown::default()).await, &done, &done, "").await
}

/// Accepts or declines suggestions about two memories each as they were shown, then redirects to `done`, or back to `form` if it is refused.
#[server(endpoint = "decide_pair")]
pub async fn decide_pair(
    id: Ids<SuggestionId>,
    accept: bool,
    #[server(default)] same: bool,
    shown: Versions,
    #[server(default)] done: String,
    #[server(default)] form: String,
) -> Result<(), ConsoleError> {
    let typed = Query::default().with("pair", String::from(id.clone())).with("shown", String::from(shown.clone()));
    let done = own_path(&done, "/inbox");
    submit((done, own_path(&form, done)), typed, |engine, ctx| async move {
        let shown = seen(shown, &[])?;
        let decided = match same {
            true => consolidation::merge_suggestions(&engine, &ctx, &id.0, &shown).await?,
            false => consolidation::decide_suggestions(&engine, &ctx, &id.0, accept, &shown).await?,
        };
        let what = if decided.len() == 1 { "The suggestion was".to_owned() } else { format!("{} suggestions were", decided.len()) };
        let text = match same {
            true => "Merged. The earlier memory has the quotes of the later one.".to_owned(),
            false => format!("{what} {}.", if accept { "accepted" } else { "declined" }),
        };
        Ok(Flash::done(text).undone_by("undo_pair", [("id", String::from(Ids(decided)))]))
    })
    .await
}

/// Undoes the decision about suggestions, then redirects to `done`.
#[server(endpoint = "undo_pair")]
pub async fn undo_pair(id: Ids<SuggestionId>, #[server(default)] done: String) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/inbox"), Query::default(), |engine, ctx| async move {
        consolidation::undo_suggestions(&engine, &ctx, &id.0).await?;
        Ok(Flash::done("Undone. The memories are as before, and the suggestion waits again."))
    })
    .await
}

/// One page of suggestions about active memories.
pub async fn browse_suggestions(filter: SuggestionFilter) -> Result<Page<Suggestion>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(consolidation::suggestions(&engine, &ctx, &filter).await?)
}

/// Compares active memories at once, of all agents or of one, then redirects to the page of suggestions.
#[server(endpoint = "survey")]
pub async fn survey(#[server(default)] agent: Option<AgentId>) -> Result<(), ConsoleError> {
    let page = agent.map_or_else(Query::default, |agent| Query::default().with("agent", agent)).href("/inbox/suggestions");
    submit(&page, Query::default(), |engine, ctx| async move {
        consolidation::survey_now(&engine, &ctx, agent).await?;
        Ok(Flash::done("Active memories are being compared. Reload this page in a moment."))
    })
    .await
}

/// One page of turns in quarantine.
pub async fn browse_quarantine(after: Option<String>) -> Result<Page<QuarantineItem>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(consolidation::quarantine(&engine, &ctx, after.as_deref()).await?)
}

/// Releases a turn for extraction, or dismisses it, then redirects to `done`.
#[server(endpoint = "decide_quarantine")]
pub async fn decide_quarantine(id: QuarantineId, release: bool, #[server(default)] done: String) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/inbox/quarantine"), Query::default(), |engine, ctx| async move {
        consolidation::decide_quarantine(&engine, &ctx, id, release).await?;
        Ok(match release {
            true => Flash::done("Released. The turn is read like any other."),
            false => Flash::done("Dismissed. No memory is made from the turn.").undone_by("undo_dismissal", [("id", id.to_string())]),
        })
    })
    .await
}

/// Undoes the dismissal of a turn, then redirects to `done`.
#[server(endpoint = "undo_dismissal")]
pub async fn undo_dismissal(id: QuarantineId, #[server(default)] done: String) -> Result<(), ConsoleError> {
    submit(own_path(&done, "/inbox/quarantine"), Query::default(), |engine, ctx| async move {
        consolidation::undo_dismissal(&engine, &ctx, id).await?;
        Ok(Flash::done("Undone. The turn waits in quarantine again."))
    })
    .await
}

/// What the tenant lets happen without a person.
pub async fn read_policy() -> Result<CapturePolicy, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(identity::policy(&engine, &ctx).await?)
}

/// Changes the policy, then redirects to its page.
#[server(endpoint = "set_capture_policy")]
pub async fn set_policy(#[server(flatten)] input: PolicyInput) -> Result<(), ConsoleError> {
    submit("/inbox/policy", input.query(), |engine, ctx| async move {
        identity::set_policy(&engine, &ctx, input.policy().map_err(incomplete)?).await?;
        Ok(Flash::done("The policy was saved. It applies to candidates from now on."))
    })
    .await
}

async fn decide(ids: &[MemoryId], verdict: InboxVerdict, shown: Shown) -> Result<Flash, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let outcome = consolidation::decide(&engine, &ctx, ids, verdict.clone(), &shown).await?;
    let text = summary(&verdict, &outcome);
    if outcome.changed.is_empty() {
        return Ok(Flash::unchanged(text));
    }
    let done = Flash::done(text);
    if verdict == InboxVerdict::Undo {
        return Ok(done);
    }
    Ok(done.undone_by("undo_candidates", [("ids", Ids(outcome.changed).into())]))
}

/// Most characters of a statement in a list.
const EXCERPT: usize = 280;

/// What a list shows of a candidate.
fn slim(item: InboxItem) -> InboxItem {
    let mut suggestions = item.pairs;
    for suggestion in &mut suggestions {
        (suggestion.other_content, suggestion.reason, suggestion.other_quote) = (String::new(), String::new(), None);
    }
    InboxItem {
        content: short(&item.content, EXCERPT),
        quotes: Vec::new(),
        rationale: None,
        alternatives: Vec::new(),
        pairs: suggestions,
        ..item
    }
}
