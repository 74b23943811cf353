//! What operators read: the profiles of all agents, and one profile with what explains it.

use super::connections;
use super::model::{Leaf, Subject};
use super::read::View;
use super::store::{self, Cited, StoredPerson};
use super::versions;
use crate::memories::slugs;
use db::cursor::{Cursor, Seek};
use db::{Planned, Tx};
use foundation::{Checks, Engine, Error, OpContext, identity};
use std::collections::HashMap;
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, CitedSentence, EventId, LeafEvidence, LeafId, Page, PeopleFilter, PersonDetail, PersonRow, USER_REF_MAX, UserId};
use words::shorten;

/// Profiles on one page. Each is read as a whole, because what is visible is decided on every read.
const PAGE: usize = 25;
/// The confidence from which an entry counts as confident.
const CONFIDENT: f64 = 0.5;
/// Most sentences that are shown for an entry, and most characters of one.
const SENTENCES: usize = 5;
const SENTENCE_MAX: usize = 600;

/// A page of the organisation's profiles, those that changed last first, with the true total.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid filter or cursor.
#[verb(role = Viewer)]
pub async fn people(engine: &Engine, ctx: &OpContext, filter: &PeopleFilter) -> Result<Page<PersonRow>, Error> {
    Checks::default().optional_text("user", filter.user.as_deref(), USER_REF_MAX).done()?;
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let (slugs, policy) = (slugs(engine, ctx).await?, identity::capture_policy(engine, ctx).await?);
    let named = &match &filter.user {
        Some(text) => identity::users_named(engine, ctx, text).await?,
        None => Vec::new(),
    };
    let read = |mut tx: Tx| async move {
        let total = store::count_people(&mut tx, ctx.tenant_id, filter, named).await?;
        let stored = store::people(&mut tx, ctx.tenant_id, filter, named, seek, PAGE).await?;
        let page = seek.clone().page(stored, PAGE, total, |one: &StoredPerson| Cursor { key: one.updated_at, id: one.id });
        let mut views = HashMap::new();
        for person in &page.rows {
            views.insert(person.id, View::load(&mut tx, ctx.tenancy(), subject(person), &policy, engine.clock().now()).await?);
        }
        tx.commit().await?;
        Ok::<_, Error>((page, views))
    };
    let (page, views) = ctx.read(&engine.db().memory, Planned::ByPostgres, read).await?;
    let users: Vec<UserId> = page.rows.iter().filter_map(|person| person.user_id).collect();
    let names = identity::user_names(engine, ctx, &users).await?;
    Ok(page.map(|person| row(&person, views.get(&person.id), &slugs, &names)))
}

fn subject(person: &StoredPerson) -> Subject {
    Subject { agent_id: person.agent_id, user_id: person.user_id }
}

fn row(person: &StoredPerson, view: Option<&View>, slugs: &HashMap<AgentId, String>, names: &HashMap<UserId, String>) -> PersonRow {
    let rated = view.map(View::rated).unwrap_or_default();
    let count = |chosen: fn(&(f64, bool)) -> bool| i64::try_from(rated.iter().filter(|one| chosen(one)).count()).unwrap_or(i64::MAX);
    PersonRow {
        agent_id: person.agent_id,
        agent_slug: slug(slugs, person.agent_id),
        user_id: person.user_id,
        user_name: person.user_id.and_then(|user| names.get(&user).cloned()),
        summary: view.map(|view| first_sentence(&view.working_memory())).unwrap_or_default(),
        entries: count(|_| true),
        confident: count(|(confidence, _)| *confidence >= CONFIDENT),
        disputed: count(|(_, disputed)| *disputed),
        updated_at: person.updated_at,
    }
}

fn slug(slugs: &HashMap<AgentId, String>, agent: AgentId) -> String {
    slugs.get(&agent).cloned().unwrap_or_else(|| agent.to_string())
}

fn first_sentence(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let end = line.char_indices().find(|(at, c)| {
        let after = line.get(at + c.len_utf8()..).unwrap_or_default();
        matches!(c, '.' | '!' | '?') && after.starts_with(char::is_whitespace)
    });
    end.and_then(|(at, _)| line.get(..=at)).unwrap_or(line).to_owned()
}

/// What an agent knows about a person, with what each entry cites, the person's connections, and a page of the history: its newest changes,
/// or those before a version.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for a `before` below 1; `NotFound` if the agent knows nothing and has no connection.
#[verb(role = Viewer)]
pub async fn person(engine: &Engine, ctx: &OpContext, subject: Subject, before: Option<i64>) -> Result<PersonDetail, Error> {
    Checks::default().that(before.is_none_or(|before| before > 0), "before", "must be the number of a version, 1 or more").done()?;
    let (slugs, policy) = (slugs(engine, ctx).await?, identity::capture_policy(engine, ctx).await?);
    let mut tx = engine.db().memory.begin_snapshot(ctx.tenancy()).await?;
    let view = View::load(&mut tx, ctx.tenancy(), subject, &policy, engine.clock().now()).await?;
    if view.updated_at().is_none() && view.connections().is_empty() {
        return Err(Error::NotFound("profile"));
    }
    let profile = view.response(&mut tx, ctx.tenancy(), &[subject.agent_id]).await?;
    let history = versions::read(&mut tx, ctx.tenancy(), subject, before, policy.sensitive, view.read_at()).await?;
    let sources: Vec<Uuid> = view.leaves().iter().flat_map(|leaf| latest(leaf).map(|(source, _)| source)).collect();
    let cited = store::cited(&mut tx, ctx.tenancy(), subject.agent_id, &sources).await?;
    tx.commit().await?;
    let users: Vec<UserId> = subject.user_id.into_iter().collect();
    let user_name = identity::user_names(engine, ctx, &users).await?.into_values().next();
    let cited: HashMap<Uuid, Cited> = cited.into_iter().map(|one| (one.id.0, one)).collect();
    Ok(PersonDetail {
        agent_id: subject.agent_id,
        agent_slug: slug(&slugs, subject.agent_id),
        commons: subject.agent_id == ctx.commons_id,
        shared_profiles: policy.shared_profiles,
        user_id: subject.user_id,
        user_name,
        profile,
        connections: view.connections().iter().map(|one| connections::described(&view, one.clone())).collect(),
        evidence: view.leaves().iter().map(|leaf| evidence(leaf, &cited)).collect(),
        history,
    })
}

/// The latest citations of a leaf, newest first: the source and the observation.
fn latest(leaf: &Leaf) -> impl Iterator<Item = (Uuid, Uuid)> {
    leaf.source_ids.iter().copied().zip(leaf.event_ids.iter().copied()).rev().take(SENTENCES)
}

fn evidence(leaf: &Leaf, cited: &HashMap<Uuid, Cited>) -> LeafEvidence {
    let sentence = |(source, event): (Uuid, Uuid)| {
        let Cited { id, content, session_id, created_at } = cited.get(&source)?;
        let text = shorten(content, SENTENCE_MAX);
        Some(CitedSentence { source_id: *id, event_id: EventId(event), text, at: *created_at, session_id: *session_id })
    };
    LeafEvidence { leaf_id: LeafId(leaf.id), sentences: latest(leaf).filter_map(sentence).collect() }
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn the_first_sentence_ends_where_it_ends() {
        for (text, first) in [
            ("Role: engineer. Vera lives in Bern.", "Role: engineer."),
            ("Version 2.1 ships in May! Then rest.", "Version 2.1 ships in May!"),
            ("Role: engineer\nTime zone: UTC.", "Role: engineer"),
            ("Déjà vu? Oui.", "Déjà vu?"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
