//! Writing documents: in the transactions that change what they derive from, and their vectors later.

use super::draft::{Attachment, Draft, of_attachment, of_entity, of_leaf, of_schema, searched_text};
use super::store;
use crate::profile::Subject;
use crate::profile::apply::lock_profile;
use db::Tx;
use foundation::jobs::{self, NewEvent, Origin, Task};
use foundation::usage::Payer;
use foundation::{Engine, Error, OpContext};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;
use verb::verb;
use wire::{AgentId, ConnectionEntity, ContextType, UserId};

/// Documents embedded per call of the model, and calls per job: a lease is short.
const BATCH: i64 = 32;
const CALLS: usize = 8;

/// Gives new leaves their documents. The caller has locked the profile.
pub(in crate::profile) async fn index_leaves(engine: &Engine, ctx: &OpContext, tx: &mut Tx, subject: Subject) -> Result<(), Error> {
    let leaves = store::unindexed_leaves(tx, ctx.tenancy(), subject).await?;
    put(engine, ctx, tx, subject, leaves.into_iter().map(of_leaf).collect()).await.map(drop)
}

/// Replaces the documents of a connection's schema. The caller has locked the profile.
pub(in crate::profile) async fn index_schema(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    subject: Subject,
    (connection, name, schema): (Uuid, &str, Option<&Value>),
) -> Result<(), Error> {
    let drafts = schema.map(|schema| of_schema(connection, name, schema)).unwrap_or_default();
    replace(engine, ctx, tx, subject, ContextType::ToolSchema, connection, drafts).await
}

/// Replaces the documents of a connection's entities, which have the ids of their rows. The caller has locked the profile.
pub(super) async fn index_entities(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    subject: Subject,
    connection: Uuid,
    entities: &[(Uuid, ConnectionEntity)],
) -> Result<(), Error> {
    let drafts = entities.iter().flat_map(|(id, entity)| of_entity(connection, *id, entity)).collect();
    replace(engine, ctx, tx, subject, ContextType::ToolEntity, connection, drafts).await
}

/// Stores the documents of one type that a connection has, and removes its others. Those that did not change keep their vectors.
async fn replace(
    engine: &Engine,
    ctx: &OpContext,
    tx: &mut Tx,
    subject: Subject,
    context_type: ContextType,
    connection: Uuid,
    drafts: Vec<Draft>,
) -> Result<(), Error> {
    let kept = put(engine, ctx, tx, subject, drafts).await?;
    Ok(store::drop_documents(tx, ctx.tenancy(), subject, context_type, connection, &kept).await?)
}

/// Stores documents without the texts that may carry instructions, and requests the vectors of new ones; the keys of all.
async fn put(engine: &Engine, ctx: &OpContext, tx: &mut Tx, subject: Subject, drafts: Vec<Draft>) -> Result<Vec<Uuid>, Error> {
    let harmless = drafts.into_iter().filter(Draft::is_harmless);
    let drafts: Vec<(Uuid, Draft)> = harmless.map(|draft| (engine.clock().id(), draft)).collect();
    if drafts.is_empty() {
        return Ok(vec![]);
    }
    let (keys, any_new) = store::put_documents(tx, ctx.tenancy(), subject, &drafts, engine.clock().now()).await?;
    if any_new {
        request(engine, ctx, tx, subject).await?;
    }
    Ok(keys)
}

/// Requests the vectors of a subject's documents.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub async fn request(engine: &Engine, ctx: &OpContext, tx: &mut Tx, subject: Subject) -> Result<(), Error> {
    let origin = Origin { user_id: subject.user_id, ..Origin::default() };
    let payload = json!(IndexPayload { user_id: subject.user_id });
    let event = NewEvent { origin, ..NewEvent::pending(engine, Task::IndexProfile, payload) };
    Ok(jobs::store::insert_with_origin(tx, ctx.tenancy(), subject.agent_id, &event).await?)
}

/// Gives a part of an attachment its documents, unless it was erased meanwhile. To repeat it changes nothing.
#[verb]
pub async fn index_attachment(engine: &Engine, ctx: &OpContext, subject: Subject, attachment: &Attachment<'_>) -> Result<(), Error> {
    let drafts = of_attachment(attachment);
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if store::hold_source(&mut tx, ctx.tenancy(), subject, attachment.source_id, attachment.text).await? {
        put(engine, ctx, &mut tx, subject, drafts).await?;
    }
    tx.commit().await?;
    engine.jobs().wake();
    Ok(())
}

/// Whose documents a job works on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct IndexPayload {
    pub user_id: Option<UserId>,
}

/// Gives leaves and schemas that came with an import their documents, and all documents that lack one their vector.
///
/// # Errors
/// When the model or the database is out of reach: the job is tried again, and finished documents keep their vectors.
#[verb]
pub async fn index_profile(engine: &Engine, ctx: &OpContext, agent_id: AgentId, payload: &IndexPayload) -> Result<&'static str, Error> {
    let subject = Subject { agent_id, user_id: payload.user_id };
    index_imported(engine, ctx, subject).await?;
    let payer = Payer::of(ctx, agent_id, subject.user_id);
    let model = engine.model();
    for _ in 0..CALLS {
        let lookup = super::lookup(engine, ctx, subject).await?;
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        let batch = store::unembedded(&mut tx, &lookup, BATCH).await?;
        tx.commit().await?;
        if batch.is_empty() {
            return Ok("embedded");
        }
        let texts = batch.iter().map(|document| searched_text(&document.metadata, &document.content)).collect();
        let vectors = engine.embed_batch_for_job(payer, texts).await?;
        let vectors: Vec<(Uuid, Vec<f32>)> = batch.iter().map(|document| document.id).zip(vectors).collect();
        let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
        // Whoever removes documents meanwhile locks the same rows, in another order.
        lock_profile(&mut tx, subject).await?;
        store::put_vectors(&mut tx, ctx.tenancy(), subject, &model.name, &vectors).await?;
        tx.commit().await?;
    }
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    request(engine, ctx, &mut tx, subject).await?;
    tx.commit().await?;
    engine.jobs().wake();
    Ok("more to come")
}

async fn index_imported(engine: &Engine, ctx: &OpContext, subject: Subject) -> Result<(), Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    lock_profile(&mut tx, subject).await?;
    let now = engine.clock().now();
    let leaves = store::unindexed_leaves(&mut tx, ctx.tenancy(), subject).await?;
    let schemas = store::unindexed_schemas(&mut tx, ctx.tenancy(), subject, now).await?;
    let of_schemas = schemas.iter().flat_map(|(id, name, schema)| of_schema(*id, name, schema));
    let drafts = leaves.into_iter().map(of_leaf).chain(of_schemas).filter(Draft::is_harmless);
    let drafts: Vec<(Uuid, Draft)> = drafts.map(|draft| (engine.clock().id(), draft)).collect();
    if !drafts.is_empty() {
        store::put_documents(&mut tx, ctx.tenancy(), subject, &drafts, now).await?;
    }
    Ok(tx.commit().await?)
}
