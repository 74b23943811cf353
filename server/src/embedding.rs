//! The embedding model of a process: which one it is, where it lies, and how it is loaded.

use crate::Failure;
use crate::config::{Config, Provider};
use db::DatabaseUrls;
use foundation::engine::Loader;
use foundation::registry;
use futures_util::future::BoxFuture;
use models::local::{self, Known, Local, LocalOptions};
use models::openai::{OpenAi, OpenAiOptions};
use models::{EmbedError, Embedder, Role};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use wire::plain;

/// The model of the openai provider unless another is configured.
const OPENAI_MODEL: &str = "text-embedding-3-small";
/// Components of a vector of OpenAI's models.
const OPENAI_DIMENSION: usize = 1536;

/// The name of the embedding model: the current one of the databases. New databases begin with the configured one.
///
/// # Errors
/// When new databases should begin with a model that this program or the registry does not know, or the database is out of reach.
pub async fn model(config: &Config, urls: &DatabaseUrls) -> Result<String, Failure> {
    let wanted = match (config.provider, config.model.as_deref()) {
        (Provider::OpenAi, named) => Some(named.unwrap_or(OPENAI_MODEL)),
        (Provider::Local, named) => named.map(local_model).transpose()?.map(|known| known.name),
    };
    let current = registry::current(urls, wanted).await?.ok_or_else(|| {
        let wanted = wanted.unwrap_or_default();
        format!("EMBEDDING_MODEL is «{wanted}», which is not in the model registry: name a registered one, or add it to the table models")
    })?;
    let newest = local::KNOWN[0].name;
    match wanted {
        Some(wanted) if wanted != current => tracing::warn!(
            "EMBEDDING_MODEL is {wanted}, but these databases have vectors of {current}, which stays the model: to change it while the server \
             runs, use 'remembrancer model add {wanted}' and then 'remembrancer model switch {wanted}'"
        ),
        None if current != newest => tracing::info!(
            "the embedding model is {current}, as before; {newest} reads more languages: to change to it, use 'remembrancer model add \
             {newest}' and then 'remembrancer model switch {newest}'"
        ),
        _ => {}
    }
    Ok(current)
}

fn local_model(name: &str) -> Result<&'static Known, Failure> {
    local::known(name).ok_or_else(|| {
        let names = local::KNOWN.each_ref().map(|known| known.name).join(" and ");
        format!("EMBEDDING_MODEL is «{name}», but EMBEDDING_PROVIDER=local runs {names} only").into()
    })
}

/// A model that was loaded before it was known whether the databases have it.
pub struct Early(Option<Loaded>);

struct Loaded {
    name: String,
    model: Result<Arc<dyn Embedder>, Failure>,
}

/// Loads the model that databases have which were migrated before: to load it takes as long as to look at them. Wait for it in any case: no
/// thread may be in ONNX Runtime when the process ends.
pub async fn load_early(config: &Config, urls: &DatabaseUrls) -> Early {
    // What is wrong with the databases is the matter of whoever migrates them.
    let Ok(Some(name)) = registry::current(urls, None).await else { return Early(None) };
    let model = load(config, &name).await;
    Early(Some(Loaded { name, model }))
}

impl Early {
    /// The model of a name, which is loaded now unless it is this one.
    ///
    /// # Errors
    /// When it cannot be loaded.
    pub async fn or_load(self, config: &Config, name: &str) -> Result<Arc<dyn Embedder>, Failure> {
        match self.0 {
            Some(early) if early.name == name => early.model,
            _ => load(config, name).await,
        }
    }
}

/// Loads the embedding model of a name: a local one, or one of the openai provider.
///
/// # Errors
/// When it cannot be loaded.
async fn load(config: &Config, model: &str) -> Result<Arc<dyn Embedder>, Failure> {
    match local::known(model) {
        Some(known) => {
            let folder = folder(config, known);
            config.installed.provide(known, &folder).map_err(|error| {
                let reason = plain(error);
                format!(
                    "{} cannot be used ({reason}): set REMEMBRANCER_MODEL_DIR to a folder that this user may write to",
                    folder.display()
                )
            })?;
            let options = local_options(config, known);
            let loaded = tokio::task::spawn_blocking(move || Local::load(&options)).await?;
            let advice = format!(
                "REMEMBRANCER_MODEL_DIR must be a folder with {}, and REMEMBRANCER_ONNXRUNTIME the library of ONNX Runtime: \
                 run 'remembrancer setup', or scripts/fetch.sh {} onnxruntime in a clone; new databases that begin with \
                 EMBEDDING_PROVIDER=openai need neither",
                known.folder, known.download
            );
            Ok(Arc::new(loaded.map_err(|error| format!("{}; {advice}", plain(error)))?))
        }
        None => Ok(Arc::new(OpenAi::new(OpenAiOptions {
            base_url: config.openai_base_url.clone(),
            api_key: config.openai_api_key.clone(),
            model: model.to_owned(),
            dimension: OPENAI_DIMENSION,
            timeout: Duration::from_secs(30),
        })?)),
    }
}

/// Where a local model is.
pub fn local_options(config: &Config, model: &'static Known) -> LocalOptions {
    let options = LocalOptions::new(model, folder(config, model), &config.onnxruntime);
    LocalOptions { threads: config.embedding_threads.map_or_else(local::usual_threads, |threads| threads.get().into()), ..options }
}

/// Loads the embedding models that a configuration can reach.
pub struct ModelLoader(Config);

impl ModelLoader {
    pub fn new(config: Config) -> Self {
        Self(config)
    }
}

impl Loader for ModelLoader {
    fn load<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Arc<dyn Embedder>, String>> {
        Box::pin(async move { load(&self.0, name).await.map_err(|error| error.to_string()) })
    }
}

/// The folder of a local model. A folder that has none of that name may be the model's own, as it was when there was one model.
fn folder(config: &Config, model: &Known) -> PathBuf {
    let of_model = config.model_dir.join(model.folder);
    if of_model.is_dir() || !config.model_dir.join("tokenizer.json").is_file() { of_model } else { config.model_dir.clone() }
}

/// The model of an engine without one: its name and its dimension, which the registry checks, and no vectors.
pub struct NoModel {
    name: String,
    dimension: usize,
}

impl NoModel {
    pub fn new(name: String) -> Self {
        let dimension = local::known(&name).map_or(OPENAI_DIMENSION, |known| known.dimension);
        Self { name, dimension }
    }
}

impl Embedder for NoModel {
    fn model(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, _texts: Vec<String>, _role: Role) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async { Err(EmbedError::Unavailable("no model is loaded".into())) })
    }
}
