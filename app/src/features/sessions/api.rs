use crate::{ConsoleError, features::people::person_names, guard::operator};
use foundation::sessions as engine;
use remembrancer::{capture, recall};
use std::collections::HashMap;
use uuid::Uuid;
use wire::{AgentSession, AgentSessionFilter, Page, Retrieval, RetrievalFilter, SourceFilter, SourceRow, UserId};

/// Sessions with the names of the people on whose behalf they were.
pub type Sessions = (Page<AgentSession>, HashMap<UserId, String>);

/// One page of sessions, the last active first.
pub async fn list_sessions(filter: AgentSessionFilter) -> Result<Sessions, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let page = engine::list(&engine, &ctx, &filter).await?;
    let names = person_names(page.rows.iter().filter_map(|row| row.user_id).collect()).await;
    Ok((page, names))
}

/// A session, with the beginning of what it was given and of what was captured from it.
pub struct Detail {
    pub session: AgentSession,
    /// Contexts and recalls as far as the log has them, oldest first.
    pub given: Page<Retrieval>,
    /// Oldest first.
    pub captured: Page<SourceRow>,
}

pub async fn read_session(id: Uuid) -> Result<Detail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    let session = engine::session(&engine, &ctx, id).await?;
    let given = RetrievalFilter { session_id: Some(id), reversed: true, ..RetrievalFilter::default() };
    let captured = SourceFilter { session_id: Some(id), reversed: true, ..SourceFilter::default() };
    let given = recall::retrievals(&engine, &ctx, &given).await?;
    let captured = capture::sources(&engine, &ctx, &captured).await?;
    Ok(Detail { session, given, captured })
}
