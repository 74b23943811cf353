//! Everything that is known of one person, read with few connections at a time.

use super::{
    api::{browse_people, read_profile, read_user},
    path::PersonPath,
};
use crate::{
    ConsoleError,
    features::inbox::quotes_of,
    guard::{not_found, operator},
    ui::reading,
};
use foundation::identity::User;
use remembrancer::{capture, erasure, memories, recall};
use wire::{
    Erasure, InboxQuote, LegalHold, MemoryFilter, MemoryRow, Page, PeopleFilter, PersonDetail, Retrieval, RetrievalFilter, SourceFilter,
    SourceRow, StateFilter, UserId, UserRef,
};

/// Rows of each kind on the page of a person; the list of all is one link away.
pub const LISTED: usize = 10;

/// What is known of a person, of each kind the first [`LISTED`].
#[derive(Clone)]
pub struct Known {
    pub id: UserId,
    /// Absent: the organisation never named the person.
    pub user: Option<User>,
    /// How many agents keep a profile of the person.
    pub profiles: i64,
    /// Those that changed last.
    pub details: Vec<PersonDetail>,
    /// How many memories of any agent and state there are.
    pub memories: i64,
    /// Those that were written last, each with the places that say it.
    pub remembered: Vec<(MemoryRow, Vec<InboxQuote>)>,
    /// The recalls on behalf of the person that the log has.
    pub recalls: Page<Retrieval>,
    /// The texts that were captured on behalf of the person.
    pub sources: Page<SourceRow>,
}

impl Known {
    /// What pages call the person.
    pub fn name(&self) -> Option<String> {
        self.user.clone().map(|user| user.name.unwrap_or(user.external_ref))
    }

    fn is_nothing(&self) -> bool {
        self.user.is_none() && self.profiles + self.memories + self.recalls.total + self.sources.total == 0
    }
}

/// Everything that is known of a person.
///
/// # Errors
/// If nothing is.
pub async fn read_known(id: UserId) -> Result<Known, ConsoleError> {
    let profiles = PeopleFilter { user: Some(id.to_string()), ..PeopleFilter::default() };
    let (profiles, memories) = (reading(browse_people(profiles)), reading(memories_of(id)));
    let (recalls, sources) = (reading(recalls_of(id)), reading(sources_of(id)));
    let user = read_user(id).await?;
    let (profiles, memories) = (profiles.await?, memories.await?);
    let rows: Vec<_> = memories.rows.into_iter().take(LISTED).collect();
    let quotes = reading(quotes_of(rows.iter().map(|row| row.id).collect()));
    let mut known = Known {
        id,
        user,
        profiles: profiles.total,
        details: Vec::new(),
        memories: memories.total,
        remembered: Vec::new(),
        recalls: recalls.await?,
        sources: sources.await?,
    };
    // One after the other: side by side they would take most of the connections that all pages share.
    for row in profiles.rows.iter().take(LISTED) {
        known.details.push(read_profile(PersonPath { agent: row.agent_id, user: row.user_id }, None).await?);
    }
    let mut quotes = quotes.await?;
    for row in rows {
        let of_row = quotes.remove(&row.id).unwrap_or_default();
        known.remembered.push((row, of_row));
    }
    if known.is_nothing() { Err(not_found("Nothing is known of this person.")) } else { Ok(known) }
}

async fn memories_of(id: UserId) -> Result<Page<MemoryRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let filter = MemoryFilter { user_id: Some(UserRef::Id(id)), state: Some(StateFilter::All), ..MemoryFilter::default() };
    Ok(memories::browse(&engine, &ctx, &filter).await?)
}

async fn recalls_of(id: UserId) -> Result<Page<Retrieval>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let filter = RetrievalFilter { user_id: Some(UserRef::Id(id)), ..RetrievalFilter::default() };
    Ok(recall::retrievals(&engine, &ctx, &filter).await?)
}

async fn sources_of(id: UserId) -> Result<Page<SourceRow>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let filter = SourceFilter { user_id: Some(UserRef::Id(id)), ..SourceFilter::default() };
    Ok(capture::sources(&engine, &ctx, &filter).await?)
}

/// What only admins read of a person.
pub struct Legal {
    pub hold: Option<LegalHold>,
    /// Requests to erase the person, newest first.
    pub requests: Vec<Erasure>,
}

/// The legal hold on a person, and the requests to erase them among the latest of the organisation.
pub async fn read_legal(id: UserId) -> Result<Legal, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let holds = erasure::holds(&engine, &ctx).await?;
    let mut requests = erasure::requests(&engine, &ctx).await?;
    requests.retain(|request| request.user_id == id);
    Ok(Legal { hold: holds.into_iter().find(|hold| hold.user_id == id), requests })
}
