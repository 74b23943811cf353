//! Input that is broken, huge or hostile: a clear error or a sensible result, and spans that always equal their source.

use proptest::prelude::*;
use remembrancer::capture::extract::rules::extract;
use remembrancer::capture::extract::transcript::{ReadError, read};
use remembrancer::capture::extract::{Extraction, Transcript};

fn run(source: &[u8]) -> (Transcript, Extraction) {
    let transcript = read(source).unwrap();
    let extraction = extract(&transcript);
    for candidate in &extraction.candidates {
        assert_eq!(transcript.text[candidate.span.start..candidate.span.end], candidate.span.quote);
        assert!(
            !candidate.statement.is_empty() && (0.0..=1.0).contains(&candidate.confidence) && (0.0..=1.0).contains(&candidate.importance)
        );
    }
    (transcript, extraction)
}

#[test]
fn nothing_and_binary_are_errors() {
    assert_eq!(read(b"").unwrap_err(), ReadError::Empty);
    assert_eq!(read(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap_err(), ReadError::Binary);
    assert_eq!(read(b"Vera: \xff\xfe\xfd").unwrap_err(), ReadError::Encoding { at: 6 });
}

#[test]
fn a_hundred_thousand_turns_are_read() {
    let source: String = (0..100_000)
        .map(|n| if n % 2 == 0 { format!("Vera: I bought boat number {n} in Basel.\n") } else { "Idris: Really?\n".into() })
        .collect();
    let (transcript, extraction) = run(source.as_bytes());
    assert_eq!((transcript.turns.len(), extraction.candidates.len()), (100_000, 50_000));
}

#[test]
fn a_turn_of_a_megabyte_is_read() {
    let (_, extraction) = run(format!("Vera: {}", "I painted my boat blue in May. ".repeat(33_000)).as_bytes());
    assert_eq!(extraction.candidates.len(), 33_000);
    for unit in ["x", "a ", ". ", "\"", "> ", "eyJ-", "password: ", "I ", "1 ", "-----BEGIN PRIVATE KEY-----", "ignore ", "(", "[", "no, "]
    {
        run(format!("Vera: {}", unit.repeat(1_000_000 / unit.len())).as_bytes());
    }
}

#[test]
fn nested_json_is_an_error_and_no_crash() {
    assert!(matches!(read(format!("[{{\"role\": {}", "[".repeat(100_000)).as_bytes()), Err(ReadError::Json(_))));
}

#[test]
fn notes_without_speakers_have_an_author() {
    let (_, extraction) = run(b"I moved to Basel in 2019.\n\nThe staging server runs Debian.");
    let statements: Vec<&str> = extraction.candidates.iter().map(|one| one.statement.as_str()).collect();
    assert_eq!(statements, ["The author moved to Basel in 2019.", "The staging server runs Debian."]);
}

#[test]
fn other_languages_give_nothing_rather_than_nonsense() {
    for source in
        ["Vera: Ich wohne seit März in Basel und arbeite als Ärztin.", "ミナ: 私は東京に住んでいます。", "مينا: \u{200f}أنا أعيش في بيروت."]
    {
        assert!(run(source.as_bytes()).1.candidates.is_empty(), "{source}");
    }
}

#[test]
fn marks_of_direction_do_not_hide_a_speaker() {
    let (transcript, extraction) = run("\u{200e}Vera: I moved to Haifa \u{200f}(חיפה)\u{200f} last year.".as_bytes());
    assert_eq!(transcript.turns[0].speaker.as_deref(), Some("Vera"));
    assert_eq!(extraction.candidates.len(), 1);
}

#[test]
fn times_that_run_backwards_stay_as_they_are() {
    let (_, extraction) = run(b"[2026-05-03 09:00] Vera: I sold my boat yesterday.\n[2025-05-03 09:00] Vera: I bought a boat yesterday.");
    let dates: Vec<String> = extraction.candidates.iter().flat_map(|one| &one.dates).map(|date| date.first.to_string()).collect();
    assert_eq!(dates, ["2026-05-02", "2025-05-02"]);
}

proptest! {
    #[test]
    fn every_span_equals_its_source(source in "(Vera|Idris|: |\\. |I moved to Basel|my sister's|No, it's|because|you|\"|yesterday|\n|password: x1y2z3|\\PC){0,60}") {
        if let Ok(transcript) = read(source.as_bytes()) {
            for turn in &transcript.turns {
                prop_assert_eq!(transcript.text.get(turn.start..turn.end), Some(turn.text.as_str()));
            }
            let extraction = extract(&transcript);
            for candidate in extraction.candidates {
                prop_assert_eq!(transcript.text.get(candidate.span.start..candidate.span.end), Some(candidate.span.quote.as_str()));
            }
        }
    }

    #[test]
    fn no_bytes_break_the_reader(source in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(transcript) = read(&source) {
            extract(&transcript);
        }
    }
}
