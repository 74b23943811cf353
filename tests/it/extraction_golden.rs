//! A golden run over short transcripts that were written for it: what is extracted, what is quarantined, and how much of what should be
//! found is found. `UPDATE_SNAPSHOT=1` rewrites the snapshot; read the difference before you commit it.

use extract::quotes::extract;
use extract::transcript::read;
use std::fmt::Write;

const TRANSCRIPTS: &str = include_str!("golden/transcripts.txt");
const SNAPSHOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/golden/snapshot.txt");

#[test]
fn thirty_transcripts_give_the_memories_of_the_snapshot() {
    let (mut report, mut wanted, mut found, mut made, mut right, mut transcripts) = (String::new(), 0, 0, 0, 0, 0);
    for block in TRANSCRIPTS.split("=== ").filter(|block| !block.is_empty()) {
        let (name, body) = block.split_once('\n').unwrap();
        let (expected, lines): (Vec<&str>, Vec<&str>) = body.lines().partition(|line| line.starts_with("--- "));
        let expected: Vec<&str> = expected.iter().map(|line| &line[4..]).collect();
        let transcript = read(lines.join("\n").as_bytes()).unwrap();
        let extraction = extract(&transcript);
        writeln!(report, "=== {name}").unwrap();
        for one in &extraction.candidates {
            assert_eq!(transcript.text[one.span.start..one.span.end], one.span.quote);
            let subject = one.subject.as_deref().unwrap_or("-");
            writeln!(
                report,
                "{} / {} / {} / {subject} / {}{}",
                one.kind,
                one.scope,
                one.category.unwrap(),
                one.topic,
                if one.corrects { " / corrects" } else { "" }
            )
            .unwrap();
            writeln!(report, "  {} ({:.2}, {:.2})", one.statement, one.confidence, one.importance).unwrap();
            if one.rationale.is_some() || !one.alternatives.is_empty() {
                writeln!(report, "  why: {}; not: {}", one.rationale.as_deref().unwrap_or("-"), one.alternatives.join(", ")).unwrap();
            }
        }
        for one in &extraction.quarantined {
            writeln!(report, "quarantined: {}", one.reasons.join(" ")).unwrap();
        }
        for kind in &transcript.removed {
            writeln!(report, "removed: {kind}").unwrap();
        }
        let holds = |quote: &str| extraction.candidates.iter().any(|one| one.span.quote.contains(quote));
        for missed in expected.iter().filter(|quote| !holds(quote)) {
            writeln!(report, "missed: {missed}").unwrap();
        }
        transcripts += 1;
        wanted += expected.len();
        found += expected.iter().filter(|quote| holds(quote)).count();
        made += extraction.candidates.len();
        right += extraction.candidates.iter().filter(|one| expected.iter().any(|quote| one.span.quote.contains(quote))).count();
    }
    writeln!(report, "=== {transcripts} transcripts\nprecision {right}/{made}, recall {found}/{wanted}").unwrap();
    if std::env::var_os("UPDATE_SNAPSHOT").is_some() {
        std::fs::write(SNAPSHOT, &report).unwrap();
    }
    assert_eq!(report, std::fs::read_to_string(SNAPSHOT).unwrap());
}
