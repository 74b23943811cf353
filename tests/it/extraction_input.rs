//! Input that is broken, huge or hostile: a clear error or a sensible result, and spans that always equal their source.

use extract::quotes::extract;
use extract::transcript::{ReadError, read};
use extract::{Extraction, Transcript};
use proptest::prelude::*;

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
    // Three sentences each, and fewer at the end of a piece that is read at a time.
    assert!((11_000..11_200).contains(&extraction.candidates.len()), "{}", extraction.candidates.len());
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
    assert_eq!(statements, ["I moved to Basel in 2019.", "The staging server runs Debian."]);
}

#[test]
fn every_language_is_quoted_as_it_is() {
    for (source, statement) in [
        ("Vera: Ich wohne seit März in Basel und arbeite als Ärztin.", "Vera: “Ich wohne seit März in Basel und arbeite als Ärztin.”"),
        ("ミナ: 私は東京に住んでいます。", "ミナ: “私は東京に住んでいます。”"),
    ] {
        assert_eq!(run(source.as_bytes()).1.candidates.into_iter().map(|one| one.statement).collect::<Vec<String>>(), [statement]);
    }
    assert_eq!(run("مينا: \u{200f}أنا أعيش في بيروت.".as_bytes()).1.candidates.len(), 1);
}

/// Who says "I moved to Oslo." after the heads, each of which begins a line; empty for nobody.
fn speakers(lines: &[String]) -> Vec<String> {
    let text = format!("Vera: I live in Basel.\nMina: Good morning.\n{}\nVera: Nice.\n", lines.join("\nMina: Really?\n"));
    let turns = read(text.as_bytes()).unwrap().turns;
    turns.into_iter().filter(|turn| turn.text.contains("I moved to Oslo.")).map(|turn| turn.speaker.unwrap_or_default()).collect()
}

#[test]
fn no_head_gives_its_words_to_the_speaker_before() {
    for (head, once, twice) in [
        ("idris:", "", "idris"),
        ("Idris🚢:", "Idris🚢", "Idris🚢"),
        ("Idris (they/them):", "Idris", "Idris"),
        ("Idris Amin [Acme]:", "Idris Amin", "Idris Amin"),
        ("+41 79 123 45 67:", "+41 79 123 45 67", "+41 79 123 45 67"),
        ("idris.amin@acme.example:", "idris.amin@acme.example", "idris.amin@acme.example"),
        ("@idris:", "", "idris"),
        ("<idris>", "", "idris"),
        ("Idris -", "", "Idris"),
        ("Idris said:", "", "Idris"),
        ("李伟：", "李伟", "李伟"),
        ("Idris :", "Idris", "Idris"),
        ("IDRIS AMIN:", "IDRIS AMIN", "IDRIS AMIN"),
        ("Idris (Host) 09:12\n", "Idris", "Idris"),
        ("[09:12] Idris Amin\n", "", "Idris Amin"),
        ("Idris, 9:12 AM:", "Idris", "Idris"),
        ("Q:", "Q", "Q"),
        ("Note to self:", "", ""),
        ("[09:12]", "", ""),
        ("PM:", "PM", "PM"),
        ("IdrisBot 2000:", "", "IdrisBot 2000"),
        ("~ Idris:", "Idris", "Idris"),
        ("Conan O'Brien:", "Conan O'Brien", "Conan O'Brien"),
        ("Álvaro Núñez:", "Álvaro Núñez", "Álvaro Núñez"),
        ("van der Berg:", "van der Berg", "van der Berg"),
    ] {
        let line = format!("{head} I moved to Oslo.");
        assert_eq!(speakers(std::slice::from_ref(&line)), [once], "{head}");
        assert_eq!(speakers(&[line.clone(), line]), [twice, twice], "{head}");
    }
}

/// Speaker, time and words of each turn.
fn turns(text: &str) -> Vec<(String, String, String)> {
    let time = |turn: &extract::Turn| turn.at.map_or_else(String::new, |at| at.format("%F %R").to_string());
    let turns = read(text.as_bytes()).unwrap().turns;
    turns.into_iter().map(|turn| (turn.speaker.clone().unwrap_or_default(), time(&turn), turn.text)).collect()
}

#[test]
fn copies_of_chat_programs_have_speakers() {
    for (text, at) in [
        (
            "====================\nGuild: Acme\nChannel: Text / general\n====================\n\n[13/05/2026 09:12] vera\nHi, all.\n\n[13/05/2026 09:13] idris\nI moved.\n\n[13/05/2026 09:14] vera\nNice.\n\n[13/05/2026 09:15] idris\nYes.\n\n====================\nExported 4 message(s)",
            "2026-05-13 09:12",
        ),
        ("[09:12] Vera\nHi, all.\n[09:13] Idris\nI moved.\n[09:14] Vera\nNice.\n[09:15] Idris\nYes.", ""),
        ("Vera  9:12 AM\nHi, all.\nIdris  9:13 AM\nI moved.\nVera  9:14 AM\nNice.\nIdris  9:15 AM\nYes.", ""),
        ("Vera  0:00  \nHi, all.\n\nIdris  1:01  \nI moved.\n\nVera  2:02  \nNice.\n\nIdris  3:03  \nYes.", ""),
        (
            "May 13, 2026\n\nWeekly sync - Transcript\n\n00:00:00\n\nVera: Hi, all.\nIdris: I moved.\n\n00:05:00\n\nVera: Nice.\nIdris: Yes.",
            "",
        ),
        ("vera: Hi, all.\nidris: I moved.\nvera: Nice.\nidris: Yes, so it is.\nidris: Yes.", ""),
    ] {
        let turns = turns(text);
        let said = |(name, _, words): &(String, String, String)| format!("{}: {words}", name.to_lowercase());
        let read: Vec<String> = turns.iter().map(said).collect();
        assert!(read.starts_with(&["vera: Hi, all.".to_owned(), "idris: I moved.".into(), "vera: Nice.".into()]), "{read:?}");
        assert!(turns.iter().all(|(name, ..)| ["vera", "idris"].contains(&name.to_lowercase().as_str())), "{read:?}");
        assert!(at.is_empty() || turns[0].1 == at, "{text}");
    }
}

#[test]
fn people_who_speak_once_are_speakers() {
    let text = "Conan O'Brien: I moved to Basel.\nD'Arcy-Smith: I like tea.\nDr. Vera Lind (PhD): I never work on Fridays.";
    assert_eq!(turns(text).into_iter().map(|(name, ..)| name).collect::<Vec<String>>(), ["Conan O'Brien", "D'Arcy-Smith", "Dr. Vera Lind"]);
}

#[test]
fn code_in_a_chat_does_not_speak() {
    let code = "fn main() { let x: i32 = 1; }\nlet x: i32 = 1;\nlet y: i32 = 2;\nname: harbour\nimage: postgres\nHost: example.org\n\
                TypeError: x is not a function\n    at main (a.js:1:2)\nCaused by: java.io.IOException: gone\nTraceback (most recent call last):\n\
                {\"home\": \"Oslo\"}\nsee https://acme.example/a: b\nuser: admin\nat 10:30 we left\nType: AWS::S3";
    let text = format!("Vera: see this\n{code}\nIdris: thanks\n```yaml\nMina: a name in code\n```\nI moved to Oslo.\nVera: nice\n");
    let turns = turns(&text);
    assert!(turns.iter().all(|(name, ..)| ["", "Vera", "Idris"].contains(&name.as_str())), "{turns:?}");
    let moved: Vec<&str> = turns.iter().filter(|(.., words)| words.contains("I moved")).map(|(name, ..)| name.as_str()).collect();
    assert_eq!(moved, ["Idris"], "{turns:?}");
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
    assert_eq!(
        extraction.candidates.iter().map(|one| one.statement.as_str()).collect::<Vec<&str>>(),
        [
            "Vera, 3 May 2026: “I sold my boat yesterday.” (yesterday: 2 May 2026)",
            "Vera, 3 May 2025: “I bought a boat yesterday.” (yesterday: 2 May 2025)",
        ]
    );
}

proptest! {
    #[test]
    fn every_span_equals_its_source(source in "(Vera|Idris|: |\\. |I moved to Basel|my sister's|No, it's|because|you|\"|yesterday|\n|password: x1y2z3|\\PC){0,60}") {
        if let Ok(transcript) = read(source.as_bytes()) {
            for turn in &transcript.turns {
                prop_assert_eq!(transcript.text.get(turn.start..turn.end), Some(turn.text.as_str()));
            }
            for candidate in extract(&transcript).candidates {
                prop_assert_eq!(transcript.text.get(candidate.span.start..candidate.span.end), Some(candidate.span.quote.as_str()));
            }
        }
    }

    #[test]
    fn no_captions_and_no_mail_break_the_reader(
        first in "(WEBVTT\n|1\n|From: Vera\nMessage-ID: 1\n|From: V\nContent-Type: multipart/mixed; boundary=b\n\n--b\n)",
        rest in "(1\n|0:01 --> 0:02\n|<v Vera>|</v>|Vera: |&amp;|<|=\\?utf-8\\?Q\\?|=C3|\\?=|--b\n|Content-Transfer-Encoding: base64\n|[\n =:]|\\PC){0,40}"
    ) {
        if let Ok(transcript) = read(format!("{first}{rest}").as_bytes()) {
            for turn in &transcript.turns {
                prop_assert_eq!(transcript.text.get(turn.start..turn.end), Some(turn.text.as_str()));
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
