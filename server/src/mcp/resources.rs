//! Resources: what a client can attach to a conversation without calling a tool.

use super::uri::{DOCUMENT_TEMPLATE, MEMORY_TEMPLATE, Name};
use foundation::{Engine, Error, OpContext};
use remembrancer::{knowledge, memories, memory_block};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use wire::{IndexPage, KeyScope, MemoryRecord};
use words::quote::{block, inline};

const MARKDOWN: &str = "text/markdown";

/// The resources that the caller may read: the memory block, and each index page of shared knowledge.
pub async fn list(engine: &Engine, ctx: &OpContext) -> Result<Vec<Resource>, Error> {
    let mut resources = Vec::new();
    if ctx.require(KeyScope::MemoryRead).is_ok() {
        let block = Resource::new(Name::Block.uri(), "memory");
        let description = "What the agent remembers about the person it talks to, for the beginning of a conversation.";
        resources.push(block.with_title("Your memory").with_description(description).with_mime_type(MARKDOWN));
    }
    if ctx.require(KeyScope::KbRead).is_ok() {
        let page = |IndexPage { path, .. }| {
            let resource = Resource::new(Name::IndexPage(path.clone()).uri(), path).with_mime_type(MARKDOWN);
            resource.with_description("An index of documents of the organisation.")
        };
        resources.extend(knowledge::index(engine, ctx).await?.into_iter().map(page));
    }
    Ok(resources)
}

/// The templates of the other resources that the caller may read.
pub fn templates(ctx: &OpContext) -> Vec<ResourceTemplate> {
    let mut templates = Vec::new();
    if ctx.require(KeyScope::MemoryRead).is_ok() {
        let memory = ResourceTemplate::new(MEMORY_TEMPLATE, "memory").with_title("A memory");
        templates.push(memory.with_description("One memory, by its id or short id.").with_mime_type(MARKDOWN));
    }
    if ctx.require(KeyScope::KbRead).is_ok() {
        let document = ResourceTemplate::new(DOCUMENT_TEMPLATE, "document").with_title("A document");
        let description = "One document of the organisation, by its id, its reference such as ADR-005, or its path.";
        templates.push(document.with_description(description).with_mime_type(MARKDOWN));
    }
    templates
}

/// The text of a resource.
///
/// # Errors
/// `NotFound` for an address that names nothing, and the errors of the verbs.
pub async fn read(engine: &Engine, ctx: &OpContext, uri: &str) -> Result<ResourceContents, Error> {
    let text = match Name::parse(uri).ok_or(Error::NotFound("resource"))? {
        Name::Block => memory_block::prompt(engine, ctx, None).await?.text,
        Name::IndexPage(path) => {
            let pages = knowledge::index(engine, ctx).await?;
            pages.into_iter().find(|page| page.path == path).ok_or(Error::NotFound("page"))?.content
        }
        Name::Memory(id) => {
            ctx.require(KeyScope::MemoryRead)?;
            let id = id.parse().map_err(|_| Error::NotFound("memory"))?;
            markdown(&memories::record(engine, ctx, &id, None).await?, ctx)
        }
        Name::Document(name) => knowledge::full_text(engine, ctx, &name).await?,
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

/// A memory for a model to read. Its content is a quotation, whoever said it: it may have lines of its own.
fn markdown(memory: &MemoryRecord, ctx: &OpContext) -> String {
    let title = inline(memory.title.as_deref().unwrap_or(&memory.topic));
    let mut lines = vec![format!("# {title} [{}]", memory.short_id), String::new(), block(&memory.content), String::new()];
    let origin = memories::origin_of_record(memory, ctx.agent_id().ok());
    lines.extend(origin.is_quoted().then(|| format!("- According to: {}", origin.who())));
    lines.push(format!("- Confirmed by a person: {}", if memory.provenance.confirmed { "yes" } else { "no" }));
    lines.extend(memory.provenance.place().map(|place| format!("- Holds for: {place}")));
    lines.push(format!("- Topic: {}", inline(&memory.topic)));
    lines.push(format!("- Status: {}, version {}", memory.status, memory.version));
    lines.push(format!("- Source: {}", inline(memory.source_ref.as_deref().unwrap_or(&memory.source.platform))));
    lines.push(format!("- Last changed: {}", memory.updated_at.format("%Y-%m-%d")));
    lines.extend(memory.evidence_ref.iter().map(|evidence| format!("- Evidence: {}", inline(evidence))));
    lines.extend(memory.links.iter().map(|link| {
        let (other, topic) = (&link.other_short_id, inline(&link.other_topic));
        if link.outgoing { format!("- {} [{other}] {topic}", link.relation) } else { format!("- [{other}] {topic} {} this", link.relation) }
    }));
    lines.push(String::new());
    lines.join("\n")
}
