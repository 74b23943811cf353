//! Lists for people: documents, ingestions, topology, index pages. And the topology for agents.

use super::store::{self, DocumentRow};
use crate::memories;
use db::cursor::{Cursor, Seek};
use db::{Planned, Tx};
use documents::index::{self, IndexEntry};
use documents::{html, restore};
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::{BTreeMap, HashMap};
use verb::verb;
use wire::{Chunk, Citation, Component, Document, DocumentDetail, DocumentFilter, DocumentId, IndexPage, IngestRun, Page, TopologyRequest};
use words::normal;
use words::quote::{block, one_line};

/// Rows on one page of the console.
const PAGE: usize = 50;
/// Collections to choose from.
const COLLECTIONS: i64 = 200;
/// Recalls shown on a document's page, and for how many days its citations are counted.
const CITED: i64 = 20;
const CITED_DAYS: i64 = 30;

/// A page of documents, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for an invalid cursor or text.
#[verb(role = Viewer)]
pub async fn documents(engine: &Engine, ctx: &OpContext, filter: &DocumentFilter) -> Result<Page<Document>, Error> {
    Checks::default().optional_text("q", filter.q.as_deref(), 256).optional_text("status", filter.status.as_deref(), 64).done()?;
    let seek = &Seek::from_parameters(filter.after.as_deref(), filter.before.as_deref())?;
    let read = |mut tx: Tx| async move {
        let total = store::count_documents(&mut tx, ctx.tenant_id, filter).await?;
        let rows = store::list_documents(&mut tx, ctx.tenant_id, filter, seek, PAGE).await?;
        tx.commit().await?;
        Ok::<_, Error>((total, rows))
    };
    let (total, rows) = ctx.read(&engine.db().kb, Planned::ByPostgres, read).await?;
    let cited = citations(engine, ctx, rows.iter().map(|row| row.id).collect()).await?;
    let page = seek.clone().page(rows, PAGE, total, |row: &DocumentRow| Cursor { key: row.valid_from, id: row.id.0 });
    Ok(page.map(|row| shown(&row, &cited)))
}

/// The collections that have a document in force, by name; at most 200.
#[verb(role = Viewer)]
pub async fn collections(engine: &Engine, ctx: &OpContext) -> Result<Vec<String>, Error> {
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let collections = store::collections(&mut tx, ctx.tenant_id, COLLECTIONS).await?;
    tx.commit().await?;
    Ok(collections)
}

/// A document with its chunks, its use and its versions, in force or not.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `NotFound` for another tenant's.
#[verb(role = Viewer)]
pub async fn document(engine: &Engine, ctx: &OpContext, id: DocumentId) -> Result<DocumentDetail, Error> {
    let slugs = memories::slugs(engine, ctx).await?;
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let row = store::document(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("document"))?;
    let chunks = store::chunks(&mut tx, ctx.tenant_id, id).await?;
    let versions = store::versions(&mut tx, ctx.tenant_id, &row.collection, &row.path).await?;
    tx.commit().await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let cited = store::citations_of(&mut tx, ctx.tenancy(), id, CITED).await?;
    tx.commit().await?;
    let counted = citations(engine, ctx, vec![id]).await?;
    let chunk = |chunk: store::ChunkRow| Chunk {
        id: chunk.id,
        heading_path: chunk.heading_path,
        html: html::render(&chunk.content),
        content: chunk.content,
        start_byte: i64::from(chunk.start_byte),
        end_byte: i64::from(chunk.end_byte),
        embedded: chunk.embedded,
    };
    let cite = |cited: Citation| Citation { agent_slug: slugs.get(&cited.agent_id).cloned().unwrap_or_default(), ..cited };
    Ok(DocumentDetail {
        document: shown(&row, &counted),
        front_matter: facts(&row.front_matter),
        chunks: chunks.into_iter().map(chunk).collect(),
        cited: cited.into_iter().map(cite).collect(),
        versions,
    })
}

/// A document as a Markdown file, in force or not: its path, and its text as [`restore`] writes it.
///
/// # Errors
/// As [`document`].
#[verb(role = Viewer)]
pub async fn markdown(engine: &Engine, ctx: &OpContext, id: DocumentId) -> Result<(String, String), Error> {
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let row = store::document(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("document"))?;
    let chunks = store::chunks(&mut tx, ctx.tenant_id, id).await?;
    tx.commit().await?;
    let parts = chunks.iter().map(|chunk| (chunk.heading_path.as_slice(), chunk.content.as_str()));
    let text = restore(&row.front_matter, parts);
    Ok((row.path, text))
}

/// A page of ingestions, newest first.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for a foreign cursor.
#[verb(role = Viewer)]
pub async fn runs(engine: &Engine, ctx: &OpContext, after: Option<&str>, before: Option<&str>) -> Result<Page<IngestRun>, Error> {
    let seek = Seek::from_parameters(after, before)?;
    let mut tx = engine.db().kb.begin_snapshot(ctx.tenancy()).await?;
    let total = store::count_runs(&mut tx, ctx.tenant_id).await?;
    let rows = store::list_runs(&mut tx, ctx.tenant_id, &seek, PAGE).await?;
    tx.commit().await?;
    let page = seek.page(rows, PAGE, total, |run: &IngestRun| Cursor { key: run.started_at, id: run.id.0 });
    Ok(page)
}

/// Every component with its neighbours, by name.
#[verb(role = Viewer)]
pub async fn topology(engine: &Engine, ctx: &OpContext) -> Result<Vec<Component>, Error> {
    all_components(engine, ctx).await
}

/// One component with its dependencies in both directions, for an agent.
///
/// # Errors
/// `Forbidden` without `kb:read`, `NotFound` for a component that is in no document.
#[verb(scope = KbRead)]
pub async fn component(engine: &Engine, ctx: &OpContext, request: TopologyRequest) -> Result<Component, Error> {
    Checks::default().text("component", &request.component, 256).done()?;
    let form = normal(&request.component);
    all_components(engine, ctx).await?.into_iter().find(|known| normal(&known.name) == form).ok_or(Error::NotFound("component"))
}

async fn all_components(engine: &Engine, ctx: &OpContext) -> Result<Vec<Component>, Error> {
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let rows = store::components(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let mut known: BTreeMap<String, Component> = BTreeMap::new();
    let mut needs: Vec<(String, String)> = Vec::new();
    for one in rows {
        needs.extend(one.depends_on.iter().map(|other| (one.normal.clone(), other.clone())));
        let new = Component {
            name: one.name,
            description: String::new(),
            depends_on: vec![],
            depended_on_by: vec![],
            document_id: one.document_id,
            path: one.path,
        };
        let component = known.entry(one.normal).or_insert(new);
        if component.description.is_empty() {
            component.description = one.description;
        }
    }
    needs.sort();
    needs.dedup();
    for (from, to) in needs {
        let names = known.get(&from).map(|from| from.name.clone()).zip(known.get(&to).map(|to| to.name.clone()));
        let Some((from_name, to_name)) = names else { continue };
        known.entry(from).and_modify(|component| component.depends_on.push(to_name));
        known.entry(to).and_modify(|component| component.depended_on_by.push(from_name));
    }
    Ok(known.into_values().collect())
}

/// The index pages of everything in force: one per directory, from front matter alone.
#[verb(scope = KbRead)]
pub async fn index(engine: &Engine, ctx: &OpContext) -> Result<Vec<IndexPage>, Error> {
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let rows = store::front_matters(&mut tx, ctx.tenant_id).await?;
    tx.commit().await?;
    let mut collections: BTreeMap<String, Vec<IndexEntry>> = BTreeMap::new();
    for row in rows {
        let fields = row.front_matter.as_object().cloned().unwrap_or_default();
        let entry = index::entry(&row.path, row.reference.as_deref(), &row.title, &row.status, &fields);
        collections.entry(row.collection).or_default().push(entry);
    }
    let one = collections.len() == 1;
    let pages = collections.into_iter().flat_map(|(collection, entries)| {
        index::pages(&entries)
            .into_iter()
            .map(move |(path, content)| IndexPage { path: if one { path } else { format!("{collection}/{path}") }, content })
    });
    Ok(pages.collect())
}

/// The text of a document in force as Markdown, for an agent: by id, by reference (`ADR-005`) or by path. Its paragraphs are quotes.
///
/// # Errors
/// `Forbidden` without `kb:read`, `NotFound` for a document that is not there or no longer in force.
#[verb(scope = KbRead)]
pub async fn full_text(engine: &Engine, ctx: &OpContext, name: &str) -> Result<String, Error> {
    let is_named = |row: &DocumentRow| {
        row.id.to_string() == name
            || row.reference.as_deref() == Some(name)
            || row.path == name
            || name.strip_prefix(&row.collection).and_then(|rest| rest.strip_prefix('/')) == Some(&row.path)
    };
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    let rows = store::front_matters(&mut tx, ctx.tenant_id).await?;
    let row = rows.into_iter().find(is_named).ok_or(Error::NotFound("document"))?;
    let chunks = store::chunks(&mut tx, ctx.tenant_id, row.id).await?;
    tx.commit().await?;
    let mut lines = vec![format!("# {}", one_line(&row.title)), one_line(&document_line(&row))];
    let mut path: &[String] = &[];
    for chunk in &chunks {
        let shared = path.iter().zip(&chunk.heading_path).take_while(|(left, right)| left == right).count();
        for (depth, heading) in chunk.heading_path.iter().enumerate().skip(shared).filter(|(_, heading)| **heading != row.title) {
            lines.push(format!("{} {}", "#".repeat((depth + 1).clamp(2, 6)), one_line(heading)));
        }
        lines.push(block(&chunk.content));
        path = &chunk.heading_path;
    }
    Ok(lines.join("\n\n") + "\n")
}

/// Reference, status, collection and path in one line.
fn document_line(row: &DocumentRow) -> String {
    let parts = [row.reference.as_deref().unwrap_or_default(), &row.status, &format!("{}/{}", row.collection, row.path)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

async fn citations(engine: &Engine, ctx: &OpContext, ids: Vec<DocumentId>) -> Result<HashMap<DocumentId, i64>, Error> {
    let since = engine.clock().now() - chrono::Duration::days(CITED_DAYS);
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let counts = store::citation_counts(&mut tx, ctx.tenancy(), &ids, since).await?;
    tx.commit().await?;
    Ok(counts.into_iter().collect())
}

fn shown(row: &DocumentRow, cited: &HashMap<DocumentId, i64>) -> Document {
    Document {
        id: row.id,
        kind: row.kind,
        reference: row.reference.clone(),
        collection: row.collection.clone(),
        path: row.path.clone(),
        title: row.title.clone(),
        status: row.status.clone(),
        chunks: row.chunks,
        embedded: row.embedded,
        citations: cited.get(&row.id).copied().unwrap_or(0),
        updated_at: row.valid_from,
        retired_at: row.valid_to,
    }
}

fn facts(front_matter: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => {
            items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    front_matter.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect()
}
