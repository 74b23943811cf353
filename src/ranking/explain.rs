//! The explanation of a hit, in words.

use super::Ranked;
use crate::memories::model::Memory;
use crate::memories::{self, Whose};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{AgentId, Breakdown, Criterion, Hit, MatchedBy, Part, Source, Trust};
use words::hybrid;
use words::quote::Speaker;
use words::stems;

/// Turns a ranked memory into a hit with its explanation.
pub fn hit(ranked: Ranked, asked: &BTreeMap<String, u32>, commons: AgentId, now: DateTime<Utc>) -> Hit {
    let matched_words = matched(&ranked, asked);
    let explanation = sentence(&ranked, &matched_words, now);
    let memory = ranked.candidate.memory;
    let evidence = evidence(&memory);
    let is_shared = memory.agent_id == commons;
    // What is shared counts as another agent's until somebody looks who wrote it.
    let provenance = memories::provenance(&memory, Some(memory.agent_id).filter(|_| !is_shared), false);
    let attribution = memories::opening(&memory, if is_shared { Whose::Agent(None) } else { Whose::Own });
    // Until somebody looks: shared memories that people confirmed are marked later.
    let trust = match (is_shared, memories::said_by(&memory).is_quoted()) {
        (true, _) => Trust::Unreviewed,
        (false, true) => Trust::Captured,
        (false, false) => Trust::Own,
    };
    Hit {
        evidence,
        similarity: ranked.breakdown.similarity,
        recency_score: ranked.breakdown.recency,
        score: ranked.score,
        breakdown: ranked.breakdown,
        matched_by: ranked.matched_by,
        matched_words,
        matched_scope: memory.scope,
        contradicts: Vec::new(),
        attribution,
        explanation,
        memory: memories::fields(memory, commons, trust, provenance, now),
    }
}

/// The words of the query that a memory holds, in the memory's spelling: those of topic, title, content and summary, as they are indexed.
pub fn matched(ranked: &Ranked, asked: &BTreeMap<String, u32>) -> Vec<String> {
    stems::matched_words(&ranked.candidate.memory.searched_text(), asked)
}

/// The score as a sentence.
pub fn sentence(ranked: &Ranked, matched_words: &[String], now: DateTime<Utc>) -> String {
    let memory = &ranked.candidate.memory;
    // `decay` counts from the last write, the others from when it was last stated.
    let since = if ranked.breakdown.parts.is_empty() { memory.updated_at } else { memory.stated_at };
    let days = (now - since).num_days().max(0);
    let score = score_sentence(&ranked.breakdown, ranked.matched_by, ranked.score, matched_words, days);
    match memories::provenance(memory, None, false).place().filter(|_| ranked.is_elsewhere) {
        Some(place) => format!("Holds for {place}, not for yours. {score}"),
        None => score,
    }
}

/// The score of a memory that was written or stated `days` ago, as a sentence.
pub fn score_sentence(breakdown: &Breakdown, matched_by: MatchedBy, score: f64, matched_words: &[String], days: i64) -> String {
    let age = match days {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    };
    let how = how_found(matched_by, breakdown.similarity, breakdown.similarity >= breakdown.floor, matched_words);
    let (sum, recency) = (sum_of(&breakdown.parts), breakdown.recency);
    if breakdown.parts.is_empty() {
        format!("{how}; written {age} (× {recency:.2}), which makes {score:.2}.")
    } else if breakdown.parts.iter().any(|part| part.name == Criterion::Recency) {
        format!("{how}; stated {age}. Score: {sum}, which makes {score:.2}.")
    } else {
        format!("{how}. Score: {sum}; stated {age} (× {:.2}), which makes {score:.2}.", hybrid::kept(recency))
    }
}

/// How something was found, and by which words; `relevant` is whether it reaches the floor.
pub fn how_found(matched_by: MatchedBy, similarity: f64, relevant: bool, matched_words: &[String]) -> String {
    let how = match (matched_by, relevant) {
        (MatchedBy::Vector, true) => format!("Close in meaning ({similarity:.2})"),
        (MatchedBy::Both, true) => format!("Close in meaning ({similarity:.2}) and matches by words"),
        (MatchedBy::Lexical, true) => format!("Matches by words ({similarity:.2})"),
        (MatchedBy::Vector | MatchedBy::Both, false) => format!("Not close enough in meaning ({similarity:.2})"),
        (MatchedBy::Lexical, false) => format!("Too few words match ({similarity:.2})"),
    };
    let shared = match matched_words {
        [] => String::new(),
        words => format!(", shares {}", words.iter().take(5).map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ")),
    };
    format!("{how}{shared}")
}

/// The terms of a sum, the largest first: `words 0.20 + meaning 0.09 − question 0.03`.
pub fn sum_of(parts: &[Part]) -> String {
    let mut parts: Vec<(&str, f64)> = parts.iter().map(|part| (part.name.as_str(), part.value * part.weight)).collect();
    parts.retain(|(_, value)| value.abs() >= 0.005);
    parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let mut sum = String::new();
    for (name, value) in parts {
        sum += match (sum.is_empty(), value < 0.0) {
            (true, false) => "",
            (true, true) => "−",
            (false, false) => " + ",
            (false, true) => " − ",
        };
        sum += &format!("{name} {:.2}", value.abs());
    }
    sum
}

/// What supports a memory: its reference, or the place where it was said.
pub fn evidence(memory: &Memory) -> Option<String> {
    evidence_of(memory.evidence_ref.as_deref(), &memory.source)
}

/// A reference, or the place where something was said.
pub fn evidence_of(reference: Option<&str>, source: &Source) -> Option<String> {
    reference.map(str::to_owned).or_else(|| source.place())
}

/// As [`evidence`], in a prompt: a place in a captured source is its file or the conversation, as a person would say it, unless the text was
/// said elsewhere since. Its bytes are for programs and pages.
pub fn cited(memory: &Memory) -> Option<String> {
    if !memory.evidence_ref.as_deref().is_some_and(is_place_in_source) {
        return evidence(memory);
    }
    if memory.source.platform != memories::CAPTURE {
        return memory.source.place();
    }
    let origin = memories::said_by(memory);
    Some(match (&memory.filename, origin.speaker) {
        (Some(file), _) => file.clone(),
        (None, Speaker::Person) => format!("a conversation with {}", origin.who()),
        (None, _) => "a conversation".to_owned(),
    })
}

/// Whether a reference is one that capture makes: `source <id>, bytes 0 to 44`.
fn is_place_in_source(reference: &str) -> bool {
    let place = reference.strip_prefix("source ").and_then(|place| place.split_once(", bytes "));
    place.is_some_and(|(id, _)| Uuid::parse_str(id).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory;

    #[test]
    fn a_prompt_cites_the_file_or_the_conversation_and_no_bytes() {
        let place = format!("source {}, bytes 120 to 164", Uuid::nil());
        let of = |reference: &str, speaker: Option<&str>, file: Option<&str>, trust| {
            let mut memory = memory("ferry", "The ferry leaves at six.");
            (memory.evidence_ref, memory.trust) = (Some(reference.to_owned()), trust);
            (memory.source.speaker, memory.filename) = (speaker.map(str::to_owned), file.map(str::to_owned));
            memory.source.platform = memories::CAPTURE.into();
            cited(&memory).unwrap()
        };
        assert_eq!(of(&place, Some("Mina"), None, Trust::Captured), "a conversation with Mina");
        assert_eq!(of(&place, Some("user"), None, Trust::Captured), "a conversation with the user");
        assert_eq!(of(&place, None, None, Trust::Captured), "a conversation");
        assert_eq!(of(&place, Some("Unknown"), None, Trust::Captured), "a conversation", "nobody is called so");
        assert_eq!(of(&place, Some("Mina"), None, Trust::Own), "a conversation", "the agent reworded it");
        assert_eq!(of(&place, Some("Mina"), Some("timetable.md"), Trust::Captured), "timetable.md");
        for reference in ["ticket 4711", "source code of the ferry, bytes 3 to 9"] {
            assert_eq!(of(reference, None, None, Trust::Captured), reference, "an agent's own reference");
        }
        let corrected =
            Memory { evidence_ref: Some(place), filename: Some("timetable.md".into()), ..memory("ferry", "It leaves at five.") };
        assert_eq!(cited(&corrected).as_deref(), Some("slack"), "the file does not say that");
    }
}
