//! The model on ONNX Runtime. The library is loaded when the process starts, so it may be missing.

use super::Padded;
use crate::{EmbedError, normalise};
use ort::environment::Environment;
use ort::logging::LogLevel;
use ort::session::Session;
use ort::value::Tensor;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const OUTPUT: &str = "sentence_embedding";

/// ONNX Runtime allows one environment in the life of a process.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// The library, loaded, and where the graph is.
pub struct Onnx {
    environment: Environment,
    graph: PathBuf,
}

impl Onnx {
    /// Loads the library, unless this process has loaded one already.
    ///
    /// # Errors
    /// `Load` when the library is missing, is another one or too old.
    pub fn load(library: &Path, graph: PathBuf) -> Result<Self, EmbedError> {
        Ok(Self { environment: environment(library)?, graph })
    }

    /// A session for one thread. It shares the file of the weights with other sessions.
    ///
    /// # Errors
    /// `Load` when the graph or its weights cannot be read.
    pub fn session(&self) -> Result<Thread, EmbedError> {
        let open = || -> ort::Result<Session> {
            Session::builder(&self.environment)?
                // It runs on the thread that calls it.
                .with_intra_threads(1)?
                // Errors are returned. By default they are printed, too.
                .with_log_level(LogLevel::Fatal)?
                .commit_from_file(&self.graph)
        };
        open().map(Thread).map_err(|error| failed(&self.graph, error))
    }
}

fn environment(library: &Path) -> Result<Environment, EmbedError> {
    let mut loaded = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*loaded {
        return Ok(environment.clone());
    }
    // Official libraries from 1.29 on report to their maker, unless this is off.
    let builder = ort::init_from(library).map_err(|error| failed(library, error))?.with_telemetry(false);
    let environment = builder.build().map_err(|error| failed(library, error))?;
    Ok(loaded.insert(environment).clone())
}

fn failed(path: &Path, reason: impl ToString) -> EmbedError {
    EmbedError::Load { path: path.display().to_string(), reason: reason.to_string() }
}

/// A session of one thread.
pub struct Thread(Session);

impl Thread {
    fn vectors(&mut self, batch: &Padded) -> ort::Result<Vec<Vec<f32>>> {
        let tensor =
            |numbers: &[u32]| Tensor::from_array(([batch.rows, batch.width], numbers.iter().copied().map(i64::from).collect::<Vec<_>>()));
        let outputs = self.0.run(ort::inputs! { "input_ids" => tensor(&batch.ids)?, "attention_mask" => tensor(&batch.mask)? })?;
        let output = outputs.get(OUTPUT).ok_or_else(|| ort::Error::new(format!("the model has no output {OUTPUT}")))?;
        let (_, numbers) = output.try_extract_tensor::<f32>()?;
        Ok(numbers.chunks(numbers.len() / batch.rows).map(<[f32]>::to_vec).collect())
    }

    /// One vector of unit length per row. The batch is not empty.
    pub fn run(&mut self, batch: &Padded) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = self.vectors(batch).map_err(|error| EmbedError::Failed(error.to_string()))?;
        for vector in &mut vectors {
            normalise(vector)?;
        }
        Ok(vectors)
    }
}
