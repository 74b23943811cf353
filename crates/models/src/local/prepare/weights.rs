//! The weights as the graph reads them: where they are, if ONNX Runtime can read them there, or written out beside the graph.

use super::onnx::Kind;
use super::parts::{Part, SCALES, WORDS};
use super::source::{Numbers, Source, Span};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Numbers that share a scale, in 4-bit files and in the bytes that are written here.
pub const BLOCK: usize = 32;
/// Vocabularies of more tokens are kept as bytes: as numbers of 32 bits, the 250,000 rows of a model for a hundred languages are 384 MB.
const ROWS_MAX: usize = 100_000;
/// Rows that are converted at once.
const ROWS: usize = 4096;
/// Places in the file are multiples of this, so that what is mapped into memory is aligned.
const ALIGNMENT: u64 = 64;

/// Where the graph finds each tensor, by name.
pub type Places = BTreeMap<String, Stored>;

/// A tensor in a file beside the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    pub file: String,
    pub kind: Kind,
    pub shape: Vec<usize>,
    pub offset: u64,
    pub bytes: u64,
}

/// A file of tensors that grows.
struct Output<'a, W: Write> {
    file: BufWriter<W>,
    name: &'a str,
    length: u64,
}

impl<W: Write> Output<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Writes a tensor and says where it is.
    fn tensor(&mut self, kind: Kind, shape: Vec<usize>, write: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<Stored> {
        let padding = self.length.next_multiple_of(ALIGNMENT) - self.length;
        self.write(&vec![0; padding as usize])?;
        let offset = self.length;
        write(self)?;
        Ok(Stored { file: self.name.to_owned(), kind, shape, offset, bytes: self.length - offset })
    }
}

/// Writes what the graph cannot read in the source to `output`, a file called `name`, and tells where each tensor is.
///
/// # Errors
/// When a tensor is missing or has another size than the model's sizes say, or a file cannot be read or written.
pub fn place(source: &mut Source, source_name: &str, output: impl Write, name: &str) -> io::Result<Places> {
    let mut output = Output { file: BufWriter::new(output), name, length: 0 };
    let mut places = Places::new();
    for part in source.sizes.parts() {
        let span = span(source, &part)?;
        let Part { name, shape, .. } = part;
        if name == WORDS && shape[0] > ROWS_MAX {
            let scales = [shape[0], shape[1] / BLOCK];
            let mut all_scales = Vec::with_capacity(scales.iter().product());
            let bytes = output.tensor(Kind::I8, shape.clone(), |output| {
                each_row(source, span, shape[1], |numbers| {
                    let (bytes, scales) = quantized(numbers);
                    all_scales.extend(scales);
                    output.write(&bytes)
                })
            })?;
            let scales = output.tensor(Kind::F32, scales.into(), |output| output.write(&little_endian(&all_scales)))?;
            places.extend([(name, bytes), (SCALES.to_owned(), scales)]);
        } else if span.numbers == Numbers::F32 {
            places.insert(name, Stored { file: source_name.to_owned(), kind: Kind::F32, shape, offset: span.offset, bytes: span.bytes });
        } else {
            let row = *shape.last().unwrap_or(&1);
            let stored =
                output.tensor(Kind::F32, shape, |output| each_row(source, span, row, |numbers| output.write(&little_endian(numbers))))?;
            places.insert(name, stored);
        }
    }
    output.file.flush()?;
    Ok(places)
}

/// Where the source has a tensor, if it has all of it.
fn span(source: &Source, part: &Part) -> io::Result<Span> {
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    let found = source.tensors.get(&part.name).or_else(|| source.tensors.get(&part.short));
    let span = *found.ok_or_else(|| invalid(format!("the tensor {} is missing, or its numbers are neither F32 nor F16", part.name)))?;
    let expected = span.numbers.bytes(part.shape.iter().product());
    if span.bytes != expected as u64 {
        return Err(invalid(format!("the tensor {} has {} bytes, not {expected}", part.name, span.bytes)));
    }
    if source.file.metadata()?.len() < span.offset.saturating_add(span.bytes) {
        return Err(invalid("the file is cut short".to_owned()));
    }
    Ok(span)
}

/// Some rows at a time.
fn each_row(source: &mut Source, span: Span, row: usize, mut write: impl FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
    source.file.seek(SeekFrom::Start(span.offset))?;
    let mut left = span.bytes;
    let mut bytes = vec![0; span.numbers.bytes(row * ROWS).min(span.bytes as usize)];
    while left > 0 {
        let now = bytes.len().min(left as usize);
        source.file.read_exact(&mut bytes[..now])?;
        write(&span.numbers.decode(&bytes[..now]))?;
        left -= now as u64;
    }
    Ok(())
}

/// Numbers as bytes from -127 to 127, and the scale of each block.
fn quantized(numbers: &[f32]) -> (Vec<u8>, Vec<f32>) {
    let mut bytes = Vec::with_capacity(numbers.len());
    let mut scales = Vec::with_capacity(numbers.len() / BLOCK);
    for block in numbers.chunks(BLOCK) {
        let scale = block.iter().fold(0.0_f32, |most, number| most.max(number.abs())) / 127.0;
        let times = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        bytes.extend(block.iter().map(|number| ((number * times).round() as i8).to_le_bytes()[0]));
        scales.push(scale);
    }
    (bytes, scales)
}

fn little_endian(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_within_half_a_step_of_its_number() {
        let numbers: Vec<f32> = (0..64).map(|place| ((place * 37 % 64) as f32 - 20.0) / 10.0).chain([0.0; BLOCK]).collect();
        let (bytes, scales) = quantized(&numbers);
        assert_eq!((bytes.len(), scales.len(), scales[2]), (96, 3, 0.0));
        for (place, number) in numbers.iter().enumerate() {
            let scale = scales[place / BLOCK];
            let read = f32::from(i8::from_le_bytes([bytes[place]])) * scale;
            assert!((read - number).abs() <= scale / 2.0 + 1e-6, "{number} was read as {read}");
        }
    }
}
