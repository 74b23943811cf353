//! The model on candle: slower than ONNX Runtime, and nothing else has to be installed.

use super::{Padded, Runner};
use crate::{EmbedError, normalise};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config, DTYPE};
use std::path::Path;
use std::sync::Arc;

/// The model's weights, shared by all threads.
#[derive(Clone)]
pub struct Candle(Arc<BertModel>);

impl Candle {
    /// Reads the weights.
    ///
    /// # Errors
    /// `Load` with the file that cannot be read.
    pub fn load(directory: &Path, config: &Config) -> Result<Self, EmbedError> {
        let path = directory.join("model.safetensors");
        let failed = |reason: String| EmbedError::Load { path: path.display().to_string(), reason };
        let bytes = std::fs::read(&path).map_err(|e| failed(e.to_string()))?;
        let weights = VarBuilder::from_buffered_safetensors(bytes, DTYPE, &Device::Cpu).map_err(|e| failed(e.to_string()))?;
        Ok(Self(Arc::new(BertModel::load(weights, config).map_err(|e| failed(e.to_string()))?)))
    }

    /// The mean of each text's token vectors, without padding.
    fn pooled(&self, batch: &Padded) -> candle_core::Result<Vec<Vec<f32>>> {
        let shape = (batch.rows, batch.width);
        let ids = Tensor::from_slice(&batch.ids, shape, &Device::Cpu)?;
        let mask = Tensor::from_slice(&batch.mask, shape, &Device::Cpu)?;
        let hidden = self.0.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        let sum = hidden.broadcast_mul(&mask)?.sum(1)?;
        sum.broadcast_div(&mask.sum(1)?)?.to_vec2()
    }
}

impl Runner for Candle {
    fn run(&mut self, batch: &Padded) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = self.pooled(batch).map_err(|e| EmbedError::Failed(e.to_string()))?;
        for vector in &mut vectors {
            normalise(vector)?;
        }
        Ok(vectors)
    }
}
