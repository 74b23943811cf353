//! What an operator can open by its name, or by words inside it: agents, projects, memories, terms, documents and people.

use super::agent_names;
use crate::knowledge::{self, CandidateQuery, RankedChunk};
use crate::memories::{self, model::Memory};
use crate::recall::{self, Narrowing};
use crate::{profile, vocabulary};
use db::cursor::Seek;
use foundation::{Checks, Engine, Error, OpContext, identity, projects};
use std::collections::HashMap;
use uuid::Uuid;
use verb::verb;
use wire::{AgentName, DocumentFilter, MemoryFilter, MemoryId, PeopleFilter, Place, Project, TOPIC_MAX, TermFilter, UserId};

/// Most places of each kind.
const EACH: usize = 5;
/// Fewest characters of a text that is looked for in contents.
const WORD: usize = 3;

/// The places that a text names, at most five of each kind: agents and projects by slug or name, memories by id, short id or topic (deleted ones too),
/// terms in use by a part of their name, an alias or the definition, documents in force by title, reference or path, and people by the
/// beginning of their id, reference or name. After them what holds words of a text of at least three characters: other memories in reach,
/// and sections of documents. None for an empty text.
///
/// # Errors
/// `Forbidden` without the role `viewer`; `Invalid` for a text of more than 256 characters.
#[verb(role = Viewer)]
pub async fn places(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Vec<Place>, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    Checks::default().text("q", text, TOPIC_MAX).done()?;
    let agents = agent_names(engine, ctx).await?;
    let mut places = of_agents(&agents, text);
    places.extend(of_projects(engine, ctx, text).await?);
    places.extend(of_memories(engine, ctx, text).await?);
    places.extend(of_knowledge(engine, ctx, text).await?);
    places.extend(of_people(engine, ctx, &agents, text).await?);
    if text.chars().count() >= WORD {
        let inside = with_words(engine, ctx, &agents, text, &places).await?;
        places.extend(inside);
    }
    Ok(places)
}

/// The memories that are not among the known places, and the sections of documents that hold words of a text, best first. No model is asked:
/// the menu looks at each pause in typing.
async fn with_words(engine: &Engine, ctx: &OpContext, agents: &[AgentName], text: &str, known: &[Place]) -> Result<Vec<Place>, Error> {
    let (ids, floors) = (agents.iter().map(|agent| agent.id).collect::<Vec<_>>(), engine.model().floors);
    let question = recall::prepare_words(engine, ctx, text).await;
    let (every, prepared) = (MemoryFilter::default(), &question.prepared);
    let found = recall::candidates(engine, ctx, &ids, &question, Narrowing::Console(&every), floors, EACH).await?;
    let query = CandidateQuery { prepared, kinds: &[], categories: &[], ranking: recall::RANKING, floors, most: EACH, at: None };
    let sections = knowledge::candidates(engine, ctx.tenancy(), &query).await?.into_iter().filter(RankedChunk::passed);
    let is_new = |memory: &Memory| !known.iter().any(|place| matches!(place, Place::Memory { id, .. } if *id == memory.id));
    let content = |memory: Memory| {
        let agent_slug = agents.iter().find(|agent| agent.id == memory.agent_id).map(|agent| agent.slug.clone()).unwrap_or_default();
        Place::Content { id: memory.id, topic: memory.topic, content: memory.content, agent_slug }
    };
    let section = |chunk: RankedChunk| {
        let hit = knowledge::hit(chunk, &prepared.terms);
        Place::Section { document_id: hit.document_id, chunk_id: hit.chunk_id, citation: hit.citation, content: hit.content }
    };
    let contents = found.into_iter().map(|ranked| ranked.candidate.memory).filter(is_new).take(EACH).map(content);
    Ok(contents.chain(sections.map(section)).collect())
}

fn of_agents(agents: &[AgentName], text: &str) -> Vec<Place> {
    let text = text.to_lowercase();
    let named = |agent: &&AgentName| agent.slug.contains(&text) || agent.name.to_lowercase().contains(&text);
    let place = |agent: &AgentName| Place::Agent { id: agent.id, slug: agent.slug.clone(), name: agent.name.clone() };
    agents.iter().filter(named).take(EACH).map(place).collect()
}

async fn of_projects(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Vec<Place>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let projects = projects::store::projects(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let text = text.to_lowercase();
    let named = |project: &Project| project.slug.contains(&text) || project.name.to_lowercase().contains(&text);
    let place = |project: Project| Place::Project { id: project.id, slug: project.slug, name: project.name };
    Ok(projects.into_iter().filter(named).take(EACH).map(place).collect())
}

async fn of_memories(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Vec<Place>, Error> {
    let ids = match Uuid::try_parse(text) {
        Ok(id) => vec![MemoryId(id)],
        Err(_) => {
            let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
            let named = memories::store::named(&mut tx, ctx.tenant_id, text, i64::try_from(EACH).unwrap_or(i64::MAX)).await?;
            tx.commit().await?;
            named
        }
    };
    let rows = memories::rows_by_id(engine, ctx, &ids).await?;
    let place = |row: wire::MemoryRow| Place::Memory {
        id: row.id,
        short_id: row.short_id,
        topic: row.topic,
        agent_slug: row.agent_slug,
        deleted: row.deleted_at.is_some(),
    };
    Ok(rows.into_iter().map(place).collect())
}

async fn of_knowledge(engine: &Engine, ctx: &OpContext, text: &str) -> Result<Vec<Place>, Error> {
    let q = Some(text.to_owned());
    let (of_terms, of_documents) =
        (TermFilter { q: q.clone(), ..TermFilter::default() }, DocumentFilter { q, ..DocumentFilter::default() });
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let terms = vocabulary::store::list_terms(&mut tx, ctx.tenant_id, &of_terms, &Seek::First, EACH).await?;
    let documents = knowledge::store::list_documents(&mut tx, ctx.tenant_id, &of_documents, &Seek::First, EACH).await?;
    tx.commit().await?;
    let terms =
        terms.into_iter().take(EACH).map(|row| Place::Term { id: row.name.lineage, term: row.name.term, definition: row.name.definition });
    let documents = documents.into_iter().take(EACH).map(|row| Place::Document {
        id: row.id,
        title: row.title,
        reference: row.reference,
        collection: row.collection,
    });
    Ok(terms.chain(documents).collect())
}

async fn of_people(engine: &Engine, ctx: &OpContext, agents: &[AgentName], text: &str) -> Result<Vec<Place>, Error> {
    let named = identity::users_named(engine, ctx, text).await?;
    let filter = PeopleFilter { user: Some(text.to_owned()), ..PeopleFilter::default() };
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let people = profile::store::people(&mut tx, ctx.tenant_id, &filter, &named, &Seek::First, EACH).await?;
    tx.commit().await?;
    let users: Vec<UserId> = people.iter().filter_map(|person| person.user_id).collect();
    let names = identity::user_names(engine, ctx, &users).await?;
    let slugs: HashMap<_, _> = agents.iter().map(|agent| (agent.id, agent.slug.as_str())).collect();
    let place = |person: &profile::store::StoredPerson| {
        let (agent_id, user_id) = (person.agent_id, person.user_id?);
        let agent_slug = slugs.get(&agent_id).copied().unwrap_or_default().to_owned();
        Some(Place::Person { agent_id, agent_slug, user_id, name: names.get(&user_id).cloned() })
    };
    Ok(people.iter().filter_map(place).take(EACH).collect())
}
