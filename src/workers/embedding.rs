//! The embedding models of this process: it follows which one is the current one, and fills in the vectors of those that the installation keeps.

use crate::model_change::{self, Filler};
use async_recursion::async_recursion as boxed;
use foundation::engine::LoadedModel;
use foundation::registry::{self, ModelState};
use foundation::{Engine, Error};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often a process looks which models are kept, and which one is the current one.
const FOLLOW_EVERY: Duration = Duration::from_secs(2);
/// How long it waits before it loads a model again that could not be loaded.
const LOAD_AGAIN: Duration = Duration::from_secs(60);
/// How long it waits between two passes over all texts: as many times as long as a pass took in which nothing was left to do, and within these.
const REST: u32 = 20;
const REST_MIN: Duration = Duration::from_secs(2);
const REST_MAX: Duration = Duration::from_secs(60);

/// The kept models that are loaded, by name, and when the others could not be loaded.
#[derive(Default)]
pub struct Kept {
    loaded: Mutex<BTreeMap<String, Arc<LoadedModel>>>,
    failed: Mutex<BTreeMap<String, Instant>>,
}

impl Kept {
    fn get(&self, name: &str) -> Option<Arc<LoadedModel>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Those that are loaded.
    fn all(&self) -> Vec<Arc<LoadedModel>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Whether a model failed a moment ago.
    fn has_just_failed(&self, name: &str) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get(name).is_some_and(|at| at.elapsed() < LOAD_AGAIN)
    }

    /// Forgets the models that are no longer kept.
    fn retain(&self, kept: &[ModelState]) {
        let is_kept = |name: &String| kept.iter().any(|model| model.name == *name);
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).retain(|name, _| is_kept(name));
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).retain(|name, _| is_kept(name));
    }

    /// Loads a model that is not loaded. What went wrong is stored, so that people see it where they look at the models.
    async fn load(&self, engine: &Engine, model: &ModelState) -> Result<(), Error> {
        if self.get(&model.name).is_some() || self.has_just_failed(&model.name) {
            return Ok(());
        }
        let own = engine.current();
        let loaded = if own.model().name == model.name { Ok(own.loaded()) } else { engine.load(&model.name).await };
        let fault = loaded.as_ref().err().map(Error::chain);
        if let Some(fault) = &fault {
            tracing::warn!(model = model.name, fault, "the embedding model could not be loaded; this process keeps its present model");
        }
        match loaded {
            Ok(loaded) => {
                self.loaded.lock().unwrap_or_else(PoisonError::into_inner).insert(model.name.clone(), loaded);
            }
            Err(_) => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(model.name.clone(), Instant::now());
            }
        }
        Ok(registry::store::set_fault(engine.db().control.system(), &model.name, fault.as_deref()).await?)
    }
}

/// Loads the models that are kept, until it is stopped, and makes the current one that of this process.
pub async fn follow(engine: Engine, kept: Arc<Kept>, stop: CancellationToken) {
    loop {
        if let Err(error) = follow_once(&engine, &kept).await {
            tracing::warn!(%error, "the state of the embedding models could not be read; it will be tried again");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(FOLLOW_EVERY) => {}
        }
    }
}

/// Looks once which models are kept, loads those that are not loaded, and makes the current one that of this process.
///
/// # Errors
/// When the database is out of reach. A model that cannot be loaded is no error: the process keeps the one that it has.
#[boxed]
pub async fn follow_once(engine: &Engine, kept: &Kept) -> Result<(), Error> {
    let models: Vec<ModelState> = model_change::models(engine).await?.into_iter().filter(|model| model.is_kept).collect();
    kept.retain(&models);
    for model in &models {
        kept.load(engine, model).await?;
    }
    let current = models.iter().find(|model| model.is_current).and_then(|model| kept.get(&model.name));
    if let Some(current) = current.filter(|current| current.name() != engine.current().model().name) {
        tracing::info!(model = current.name(), "this process uses another embedding model from now on");
        engine.make_current(current);
    }
    Ok(())
}

/// Fills in the vectors of the kept models, until it is stopped.
pub async fn fill(engine: Engine, kept: Arc<Kept>, stop: CancellationToken) {
    let filler = Filler::new(&engine, stop.clone());
    while !stop.is_cancelled() {
        let start = Instant::now();
        let rest = match fill_once(&engine, &kept, &filler).await {
            Ok(0) => (start.elapsed() * REST).clamp(REST_MIN, REST_MAX),
            Ok(_) => REST_MIN,
            Err(error) => {
                tracing::warn!(%error, "vectors could not be filled in; it will be tried again");
                REST_MAX
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(rest) => {}
        }
    }
    if let Err(error) = filler.release(&engine).await {
        tracing::warn!(%error, "another process waits a minute before it fills in vectors");
    }
}

/// Fills in once what the kept models lack; how many texts got a vector. As long as the model was never changed there is nothing to fill in:
/// writes and their jobs bring the vectors. A model that is out of reach, or that an organisation cannot pay for, holds up no other one.
///
/// # Errors
/// When a database is out of reach: what is done stays.
#[boxed]
pub async fn fill_once(engine: &Engine, kept: &Kept, filler: &Filler) -> Result<usize, Error> {
    let models = model_change::models(engine).await?;
    let was_changed = models.iter().any(|model| model.is_current && model.current_since.is_some() || model.is_kept && !model.is_current);
    if !was_changed {
        return Ok(0);
    }
    let mut filled = 0;
    for ctx in model_change::organisations(engine).await? {
        for model in kept.all() {
            let engine = engine.with_model(model);
            let is_current = models.iter().any(|model| model.is_current && model.name == engine.model().name);
            // What is found by its words until then says so.
            if is_current {
                model_change::mark_awaiting(&engine, &ctx).await?;
            }
            let new = match model_change::fill(&engine, &ctx, filler).await {
                Err(error @ Error::Db(_)) => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, tenant = %ctx.tenant_id, model = engine.model().name, "vectors are missing; the next pass tries again");
                    0
                }
                Ok(new) => new,
            };
            if is_current && new > 0 {
                model_change::mark_awaiting(&engine, &ctx).await?;
            }
            filled += new;
        }
    }
    Ok(filled)
}
