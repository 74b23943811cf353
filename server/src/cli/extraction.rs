//! `remembrancer eval extraction`: how well quoting finds the turns from which people noted something.

use super::Failure;
use remembrancer::capture::eval::{Labelled, Report, evaluate};
use remembrancer::capture::extractor::Quotes;
use std::path::Path;

/// Prints precision, recall and F1 by turn, for what is quoted, for rules of thumb, and for each kind of candidate.
///
/// # Errors
/// When the file cannot be read; the error names the line.
pub async fn extraction(file: &Path, json: bool) -> Result<(), Failure> {
    let text = tokio::fs::read_to_string(file).await.map_err(|error| format!("{}: {error}", file.display()))?;
    let mut lines: Vec<Labelled> = Vec::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        lines.push(serde_json::from_str(line).map_err(|error| format!("{}: line {number}: {error}", file.display()))?);
    }
    let report = evaluate(&Quotes, &lines).await?;
    if json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report);
    }
    Ok(())
}

fn print(report: &Report) {
    println!("{} turns\n", report.turns);
    println!("{:<34} {:>7} {:>10} {:>7} {:>6} {:>20}", "way", "chosen", "precision", "recall", "F1", "statements per turn");
    let kinds = report.kinds.iter().map(|(kind, scores)| (format!("  {kind}"), scores));
    for (name, scores) in report.ways.iter().map(|(name, scores)| (name.clone(), scores)).chain(kinds) {
        println!(
            "{name:<34} {:>7} {:>10.3} {:>7.3} {:>6.3} {:>20.2}",
            scores.chosen, scores.precision, scores.recall, scores.f1, scores.statements
        );
    }
}
