//! Evaluations: each loads a file of known answers and measures what the engine makes of it; [`bench`] measures how fast a server is.
//!
//! Each evaluation has a module with the lines of its file, `evaluate`, and a report that prints itself. The caller opens the databases,
//! which fill up.

mod agents;
pub mod bench;
pub mod calibration;
pub mod capture;
pub mod context;
pub mod extraction;
mod file_clock;
pub mod profile;
pub mod retrieval;

use indicatif::{ProgressBar, ProgressStyle};
use serde::de::DeserializeOwned;
use std::path::Path;
use tokio::io::{AsyncBufReadExt, BufReader};

/// An error that stops an evaluation.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Hits per question: as many as an agent would ask for.
const HITS: u32 = 10;
const LINE_MAX: usize = 1024 * 1024;

/// Reads a file of JSON lines; empty ones are skipped.
///
/// # Errors
/// When a line cannot be read; the error names it.
pub async fn read<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, Failure> {
    let opened = tokio::fs::File::open(file).await.map_err(|error| format!("{}: {error}", file.display()))?;
    let (mut lines, mut number) = (Vec::new(), 0);
    let mut reader = BufReader::new(opened).lines();
    while let Some(line) = reader.next_line().await.map_err(|error| format!("{}: line {}: {error}", file.display(), number + 1))? {
        number += 1;
        if line.len() > LINE_MAX {
            return Err(format!("{}: line {number} is longer than {LINE_MAX} bytes", file.display()).into());
        }
        if !line.trim().is_empty() {
            lines.push(serde_json::from_str(&line).map_err(|error| format!("{}: line {number}: {error}", file.display()))?);
        }
    }
    Ok(lines)
}

fn bar(len: usize, message: impl Into<String>) -> Result<ProgressBar, Failure> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}")?;
    Ok(ProgressBar::new(len as u64).with_style(style).with_message(message.into()))
}

/// nDCG with one grade of relevance: `Σ 1 / log2(place + 2)` over the wanted ones among the `first`, divided by that of the best order.
fn gain(places: &[usize], wanted: usize, first: usize) -> f64 {
    let discount = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let best: f64 = (0..wanted.min(first)).map(discount).sum();
    let got = places.iter().filter(|place| **place < first).fold(0.0, |sum, place| sum + discount(*place));
    if best > 0.0 { got / best } else { 0.0 }
}

/// A percentile of values by the nearest rank; `share` is 0 to 1. 0 for no values.
fn percentile(values: &[f64], share: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let place = (share * values.len() as f64).ceil() as usize;
    values.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
}
