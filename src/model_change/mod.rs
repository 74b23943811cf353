//! Changing the embedding model while the server runs: its vectors are filled in beside those of the current one, both are compared, one step
//! makes it the current one, and another one goes back until the former model is dropped. The model is the server's: no organisation has another.

mod compare;
mod fill;
pub mod store;

pub use compare::{Comparison, Labelled, compare, logged};
pub use fill::{Filler, Kind, fill, lacking};
pub use store::Filled;

use async_recursion::async_recursion as boxed;
use foundation::identity::{self, store as tenants};
use foundation::registry::{self, EmbeddingModel, ModelState};
use foundation::{Engine, Error, OpContext};
use verb::verb;

/// Texts that may lack a vector when a model becomes the current one: those of the last seconds. They are found by their words until then.
const FEW: usize = 32;
/// How many texts are counted that lack a vector.
const COUNTED: usize = 10_000;
/// Vectors that are deleted in one transaction.
const DROPPED: i64 = 5_000;

/// Every registered model, the current one first.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn models(engine: &Engine) -> Result<Vec<ModelState>, Error> {
    Ok(registry::store::states(engine.db().control.system()).await?)
}

/// The contexts of all organisations.
///
/// # Errors
/// When the database is out of reach.
#[boxed]
pub async fn organisations(engine: &Engine) -> Result<Vec<OpContext>, Error> {
    let mut all = Vec::new();
    for slug in tenants::tenant_slugs(engine.db().control.system()).await? {
        all.push(identity::open_tenant(engine, &slug).await?);
    }
    Ok(all)
}

/// A registered model, and how much of an organisation has a vector of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelProgress {
    pub state: ModelState,
    /// By kind of text; empty for a model that is not kept.
    pub progress: Vec<(Kind, Filled)>,
}

/// Every registered model, the current one first, with an organisation's progress in those that are kept.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[verb(role = Admin)]
pub async fn overview(engine: &Engine, ctx: &OpContext) -> Result<Vec<ModelProgress>, Error> {
    let mut all = Vec::new();
    for state in models(engine).await? {
        let kept = registry::registered(&engine.db().control, &state.name).await?.filter(|_| state.is_kept);
        let progress = match &kept {
            Some(model) => progress(engine, ctx, model).await?,
            None => Vec::new(),
        };
        all.push(ModelProgress { state, progress });
    }
    Ok(all)
}

/// How many texts of an organisation there are, and how many have a vector of a model, by kind.
///
/// # Errors
/// `Forbidden` without the role `admin`.
#[verb(role = Admin)]
pub async fn progress(engine: &Engine, ctx: &OpContext, model: &EmbeddingModel) -> Result<Vec<(Kind, Filled)>, Error> {
    let mut progress = Vec::new();
    for kind in Kind::ALL {
        let mut tx = fill::begin(engine, ctx, kind).await?;
        let filled = match kind {
            Kind::Memories => store::count_memories(&mut tx, ctx.tenant_id, model).await?,
            Kind::Sections => store::count_sections(&mut tx, ctx.tenant_id, model).await?,
            Kind::Profiles => store::count_documents(&mut tx, ctx.tenant_id, model).await?,
            Kind::Terms => store::count_terms(&mut tx, ctx.tenant_id, model).await?,
        };
        tx.commit().await?;
        progress.push((kind, filled));
    }
    Ok(progress)
}

/// Marks what of an organisation waits for a vector of the engine's model, which is the current one, after another one was.
///
/// # Errors
/// When a database is out of reach.
#[verb]
pub async fn mark_awaiting(engine: &Engine, ctx: &OpContext) -> Result<(), Error> {
    let mut tx = fill::begin(engine, ctx, Kind::Memories).await?;
    let memories = store::mark_awaiting_memories(&mut tx, ctx.tenant_id, engine.model()).await?;
    tx.commit().await?;
    let mut tx = fill::begin(engine, ctx, Kind::Sections).await?;
    let sections = store::mark_awaiting_sections(&mut tx, ctx.tenant_id, engine.model()).await?;
    tx.commit().await?;
    tracing::debug!(memories, sections, "marked what waits for a vector of the current model");
    Ok(())
}

/// Keeps a model beside the current one: a running server or worker fills in its vectors. It is loaded first, so that a broken one is refused.
///
/// # Errors
/// `Invalid` for a model that the registry does not have; `Misconfigured` for one that cannot be loaded or gives no vectors:
/// nothing is changed.
#[boxed]
pub async fn add(engine: &Engine, name: &str) -> Result<(), Error> {
    named(engine, name).await?;
    let added = engine.with_model(engine.load(name).await?);
    // A provider that is configured wrongly is loaded all the same.
    added.probe().await.map_err(|error| Error::Misconfigured(format!("{name} gives no vectors: {error}")))?;
    registry::store::set_kept(engine.db().control.system(), name, true).await?;
    tracing::info!(model = name, "the embedding model is kept from now on");
    Ok(())
}

/// Makes a kept model the current one, in one step: running servers follow within seconds, and requests that have begun keep the former one.
///
/// # Errors
/// `Invalid` for a model that the registry does not have; `Conflict` for one that is not kept, or that more than the texts of the last seconds
/// lack a vector of, unless it is to be done `anyway`; `Misconfigured` for one that cannot be loaded. Nothing is changed then.
#[boxed]
pub async fn switch(engine: &Engine, name: &str, anyway: bool) -> Result<(), Error> {
    if !named(engine, name).await?.is_kept {
        return Err(Error::Conflict(format!("{name} has no vectors yet: run 'remembrancer model add {name}' first")));
    }
    let target = engine.with_model(engine.load(name).await?);
    let lacking = if anyway { 0 } else { lacking_of_all(&target).await? };
    if lacking > FEW {
        let count = if lacking > COUNTED { format!("more than {COUNTED}") } else { lacking.to_string() };
        return Err(Error::Conflict(format!(
            "{count} texts lack a vector of {name}: a running server fills them in ('remembrancer model list' shows how far it is); with \
             --anyway they are found by their words until then"
        )));
    }
    if !registry::store::make_current(engine.db().control.system(), name, engine.clock().now()).await? {
        return Err(Error::Conflict(format!("{name} was dropped meanwhile: run 'remembrancer model add {name}' again")));
    }
    tracing::info!(model = name, "the embedding model is the current one from now on");
    Ok(())
}

/// Makes the model the current one again that was it before; its name.
///
/// # Errors
/// `Conflict` when there is none that is still kept, and as [`switch`].
#[boxed]
pub async fn rollback(engine: &Engine, anyway: bool) -> Result<String, Error> {
    let former = models(engine).await?.into_iter().filter(|model| model.is_kept && model.current_until.is_some());
    let former = former.max_by_key(|model| model.current_until);
    let former = former.ok_or_else(|| Error::Conflict("no earlier model is kept, so there is nothing to go back to".into()))?;
    switch(engine, &former.name, anyway).await?;
    Ok(former.name)
}

/// Keeps a model no longer, and deletes its vectors; how many. To repeat it deletes what a process stored meanwhile.
///
/// # Errors
/// `Invalid` for a model that the registry does not have; `Conflict` for the current one.
#[boxed]
pub async fn drop_model(engine: &Engine, name: &str) -> Result<u64, Error> {
    named(engine, name).await?;
    if !registry::store::set_kept(engine.db().control.system(), name, false).await? {
        return Err(Error::Conflict(format!("{name} is the current model: switch to another one before you drop it")));
    }
    let model = registry::registered(&engine.db().control, name).await?.ok_or(Error::NotFound("embedding model"))?;
    let mut dropped = 0;
    for ctx in organisations(engine).await? {
        dropped += drop_vectors(engine, &ctx, &model).await?;
    }
    tracing::info!(model = name, dropped, "the embedding model is kept no longer");
    Ok(dropped)
}

/// Deletes an organisation's vectors of a model, some in each transaction; how many.
async fn drop_vectors(engine: &Engine, ctx: &OpContext, model: &EmbeddingModel) -> Result<u64, Error> {
    let mut dropped = 0;
    loop {
        let mut tx = fill::begin(engine, ctx, Kind::Memories).await?;
        let of_memory = store::drop_memory_vectors(&mut tx, ctx.tenant_id, model, DROPPED).await?;
        tx.commit().await?;
        let mut tx = fill::begin(engine, ctx, Kind::Sections).await?;
        let of_knowledge = store::drop_knowledge_vectors(&mut tx, ctx.tenant_id, model, DROPPED).await?;
        tx.commit().await?;
        if of_memory + of_knowledge == 0 {
            return Ok(dropped);
        }
        dropped += of_memory + of_knowledge;
    }
}

/// How many texts of all organisations lack a vector of the engine's model, of those that it can read; little more than [`COUNTED`] at most.
///
/// # Errors
/// When a database is out of reach.
#[boxed]
pub async fn lacking_of_all(engine: &Engine) -> Result<usize, Error> {
    let mut count = 0;
    for ctx in organisations(engine).await? {
        if count <= COUNTED {
            count += lacking(engine, &ctx, COUNTED + 1).await?;
        }
    }
    Ok(count)
}

/// A registered model.
async fn named(engine: &Engine, name: &str) -> Result<ModelState, Error> {
    let all = models(engine).await?;
    let names = all.iter().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = all.into_iter().find(|model| model.name == name);
    found.ok_or_else(|| Error::invalid("model", format!("is «{name}», which the registry does not have; it has {names}")))
}
