//! Filling in: texts that lack a vector of a kept model get one, batch by batch. What lacks one is asked of the databases, so a process that
//! is killed loses nothing and the next one goes on.

use super::store;
use crate::knowledge::{self, store as sections};
use crate::memories::model::Memory;
use crate::memories::store::{self as memories, Embedded};
use crate::profile::Subject;
use crate::profile::documents::{self, store as profiles};
use crate::vocabulary::store as terms;
use db::Tx;
use foundation::registry::store as registry;
use foundation::{Engine, Error, OpContext};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, ChunkId, MemoryId, TermId};

/// Texts embedded per call of the model.
const BATCH: i64 = 32;
/// How long a process may be silent before another one fills in. A call of the model may take 20 seconds.
const LEASE: Duration = Duration::from_secs(60);

/// What has vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Memories,
    Sections,
    Profiles,
    Terms,
}

impl Kind {
    /// In the order in which they are filled in.
    pub const ALL: [Self; 4] = [Self::Memories, Self::Sections, Self::Profiles, Self::Terms];

    /// As a column of a list.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Sections => "sections",
            Self::Profiles => "profiles",
            Self::Terms => "terms",
        }
    }
}

/// Whoever fills in vectors: one process at a time for each model.
pub struct Filler {
    id: Uuid,
    stop: CancellationToken,
}

impl Filler {
    /// One that ends when it is stopped.
    pub fn new(engine: &Engine, stop: CancellationToken) -> Self {
        Self { id: engine.clock().id(), stop }
    }

    /// Whether it may go on: it was not stopped, the model is kept, and no other process fills it in.
    async fn holds(&self, engine: &Engine) -> Result<bool, Error> {
        if self.stop.is_cancelled() {
            return Ok(false);
        }
        let now = engine.clock().now();
        Ok(registry::hold_filling(engine.db().control.system(), &engine.model().name, self.id, now, now + LEASE).await?)
    }

    /// Leaves the processor to others for as long as a batch took.
    async fn rest(&self, took: Duration) {
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = tokio::time::sleep(took) => {}
        }
    }

    /// Lets other processes go on at once.
    ///
    /// # Errors
    /// When the database is out of reach.
    pub async fn release(&self, engine: &Engine) -> Result<(), Error> {
        Ok(registry::end_filling(engine.db().control.system(), self.id).await?)
    }
}

/// A text that lacks a vector.
struct Lacking {
    what: What,
    text: String,
}

/// Whose text it is.
enum What {
    Memory(Box<Memory>),
    Section(ChunkId),
    Document(Subject, Uuid),
    Term(TermId),
}

/// Gives the texts of an organisation that lack a vector of the engine's model one; how many got one. A text in a language that the model does
/// not know gets none.
///
/// # Errors
/// When the model or a database is out of reach, or nothing is left to pay for the model: what is done stays, and the next call goes on.
#[verb]
pub async fn fill(engine: &Engine, ctx: &OpContext, filler: &Filler) -> Result<usize, Error> {
    let mut filled = 0;
    for kind in Kind::ALL {
        let mut last = None;
        while filler.holds(engine).await? {
            let start = Instant::now();
            let page = page(engine, ctx, kind, last.as_ref()).await?;
            if page.is_empty() {
                break;
            }
            filled += embed(engine, ctx, &page).await?;
            last = page.into_iter().last().map(|lacking| lacking.what);
            filler.rest(start.elapsed()).await;
        }
    }
    Ok(filled)
}

/// How many texts of an organisation lack a vector of the engine's model, of those that it can read; it stops counting after `most`.
///
/// # Errors
/// When a database is out of reach.
#[verb]
pub async fn lacking(engine: &Engine, ctx: &OpContext, most: usize) -> Result<usize, Error> {
    let mut lacking = 0;
    for kind in Kind::ALL {
        let mut last = None;
        while lacking < most {
            let page = page(engine, ctx, kind, last.as_ref()).await?;
            if page.is_empty() {
                break;
            }
            lacking += page.iter().filter(|lacking| engine.reads(&lacking.text)).count();
            last = page.into_iter().last().map(|lacking| lacking.what);
        }
    }
    Ok(lacking)
}

/// The texts after the last one that lack a vector of the engine's model.
async fn page(engine: &Engine, ctx: &OpContext, kind: Kind, last: Option<&What>) -> Result<Vec<Lacking>, Error> {
    let (tenant, model, tokens) = (ctx.tenant_id, engine.model(), engine.tokens());
    let mut tx = begin(engine, ctx, kind).await?;
    let page = match kind {
        Kind::Memories => {
            let after = match last {
                Some(What::Memory(memory)) => (memory.agent_id, memory.id),
                _ => (AgentId(Uuid::nil()), MemoryId(Uuid::nil())),
            };
            let memories = store::memories_without(&mut tx, tenant, model, after, BATCH).await?.into_iter();
            memories.map(|memory| Lacking { text: memory.embedded_text(), what: What::Memory(Box::new(memory)) }).collect()
        }
        Kind::Sections => {
            let after = if let Some(What::Section(id)) = last { *id } else { ChunkId(Uuid::nil()) };
            let sections = store::sections_without(&mut tx, tenant, model, after, BATCH).await?.into_iter();
            let text = |chunk: &sections::Unembedded| {
                knowledge::embedded_text(chunk.reference.as_deref(), &chunk.title, &chunk.heading_path, &chunk.content, &*tokens)
            };
            sections.map(|chunk| Lacking { text: text(&chunk), what: What::Section(chunk.id) }).collect()
        }
        Kind::Profiles => {
            let after = match last {
                Some(What::Document(subject, id)) => (subject.agent_id, *id),
                _ => (AgentId(Uuid::nil()), Uuid::nil()),
            };
            let documents = store::documents_without(&mut tx, tenant, model, after, BATCH).await?.into_iter();
            let what = |one: &store::Document| What::Document(Subject { agent_id: one.agent_id, user_id: one.user_id }, one.id);
            documents.map(|one| Lacking { what: what(&one), text: documents::searched_text(&one.metadata, &one.content) }).collect()
        }
        Kind::Terms => {
            let after = if let Some(What::Term(id)) = last { *id } else { TermId(Uuid::nil()) };
            let terms = store::terms_without(&mut tx, tenant, model, after, BATCH).await?.into_iter();
            terms.map(|(id, text)| Lacking { what: What::Term(id), text }).collect()
        }
    };
    tx.commit().await?;
    Ok(page)
}

/// Embeds the texts that the model can read; how many got a vector.
async fn embed(engine: &Engine, ctx: &OpContext, page: &[Lacking]) -> Result<usize, Error> {
    let known: Vec<&Lacking> = page.iter().filter(|lacking| engine.reads(&lacking.text)).collect();
    if known.is_empty() {
        return Ok(0);
    }
    let texts = known.iter().map(|lacking| lacking.text.clone()).collect();
    let vectors = engine.embed_batch_for_job(ctx.into(), texts).await?;
    // Each in a transaction of its own, so that no writer waits for another one's text, and none in a circle.
    for (lacking, vector) in known.iter().zip(&vectors) {
        put(engine, ctx, lacking, vector).await?;
    }
    Ok(known.len())
}

/// Stores a vector, unless the text changed while the model worked: then it has the vector of the change, or lacks one again.
async fn put(engine: &Engine, ctx: &OpContext, lacking: &Lacking, vector: &[f32]) -> Result<(), Error> {
    let (name, now) = (&engine.model().name, engine.clock().now());
    match &lacking.what {
        What::Memory(memory) => {
            let mut tx = begin(engine, ctx, Kind::Memories).await?;
            let current = memories::by_ids(&mut tx, ctx.tenancy(), Some(memory.agent_id), &[memory.id], true).await?.pop();
            if current.is_some_and(|current| current.topic == memory.topic && current.content_hash == memory.content_hash) {
                let embedded = Embedded { model: name, vector };
                memories::add_vector(&mut tx, ctx.tenancy(), memory.agent_id, memory.id, embedded, now).await?;
            }
            tx.commit().await?;
        }
        What::Section(id) => {
            let mut tx = begin(engine, ctx, Kind::Sections).await?;
            sections::put_chunk_vector(&mut tx, ctx.tenant_id, *id, (name.as_str(), vector), false, now).await?;
            tx.commit().await?;
        }
        What::Document(subject, id) => {
            let mut tx = begin(engine, ctx, Kind::Profiles).await?;
            profiles::put_vectors(&mut tx, ctx.tenancy(), *subject, name, &[(*id, vector.to_vec())]).await?;
            tx.commit().await?;
        }
        What::Term(id) => {
            let mut tx = begin(engine, ctx, Kind::Terms).await?;
            terms::put_term_vector(&mut tx, ctx.tenant_id, *id, name, &lacking.text, vector).await?;
            tx.commit().await?;
        }
    }
    Ok(())
}

/// A transaction on the database of a kind of text.
pub(super) async fn begin(engine: &Engine, ctx: &OpContext, kind: Kind) -> Result<Tx, Error> {
    let database = match kind {
        Kind::Memories | Kind::Profiles => &engine.db().memory,
        Kind::Sections | Kind::Terms => &engine.db().kb,
    };
    Ok(database.begin(ctx.tenancy()).await?)
}
