//! Why a hit is in the answer, in words.

use super::ranking::Ranked;
use super::words;
use crate::api::{AgentId, Hit, MatchedBy, SourceTag};
use crate::memories::model::recency;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Turns a ranked memory into a hit that explains itself.
pub fn hit(ranked: Ranked, asked: &BTreeMap<String, u32>, commons: AgentId, now: DateTime<Utc>) -> Hit {
    let matched_words = matched(&ranked, asked);
    let explanation = sentence(&ranked, &matched_words, now);
    let memory = ranked.candidate.memory;
    let source_tag = if memory.agent_id == commons { SourceTag::Shared } else { SourceTag::Private };
    let day = memory.updated_at.format("%-d %B %Y");
    let attribution = match source_tag {
        SourceTag::Shared => format!("We remember (from {day}): {}", memory.content),
        _ => format!("I remember (from {day}): {}", memory.content),
    };
    Hit {
        memory_id: memory.id,
        short_id: memory.short_id,
        topic: memory.topic,
        topic_raw: memory.topic_raw,
        evidence: memory.evidence_ref.or_else(|| place(&memory.source)),
        source: memory.source,
        similarity: ranked.breakdown.similarity,
        recency_score: ranked.breakdown.recency,
        source_tag,
        score: ranked.score,
        breakdown: ranked.breakdown,
        matched_by: ranked.matched_by,
        matched_words,
        matched_scope: memory.scope,
        kind: memory.kind,
        status: memory.status,
        contradicts: Vec::new(),
        is_canonical: memory.is_canonical,
        user_id: memory.user_id,
        version: memory.version,
        created_at: memory.created_at,
        updated_at: memory.updated_at,
        freshness: recency(memory.updated_at, now),
        content: memory.content,
        attribution,
        explanation,
    }
}

/// The words of the query that a memory holds, in the memory's spelling.
pub fn matched(ranked: &Ranked, asked: &BTreeMap<String, u32>) -> Vec<String> {
    let memory = &ranked.candidate.memory;
    words::matched_words(&crate::memories::model::embedded_text(&memory.topic, &memory.content), asked)
}

/// The score as a sentence.
pub fn sentence(ranked: &Ranked, matched_words: &[String], now: DateTime<Utc>) -> String {
    let days = (now - ranked.candidate.memory.updated_at).num_days().max(0);
    let age = match days {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    };
    let how = match ranked.matched_by {
        MatchedBy::Vector => format!("Close in meaning ({:.2})", ranked.breakdown.similarity),
        MatchedBy::Both => format!("Close in meaning ({:.2}) and matches by words", ranked.breakdown.similarity),
        MatchedBy::Lexical => format!("Matches by words ({:.2}; its meaning could not be compared)", ranked.breakdown.similarity),
    };
    let shared = match matched_words {
        [] => String::new(),
        words => format!(", shares {}", words.iter().take(5).map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ")),
    };
    if ranked.breakdown.parts.is_empty() {
        return format!("{how}{shared}; written {age} (× {:.2}), which makes {:.2}.", ranked.breakdown.recency, ranked.score);
    }
    let mut parts: Vec<(&str, f64)> = ranked.breakdown.parts.iter().map(|part| (part.name.as_str(), part.value * part.weight)).collect();
    parts.retain(|(_, value)| value.abs() >= 0.005);
    parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let sum: Vec<String> = parts.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
    format!("{how}{shared}; written {age}. {}, which makes {:.2}.", sum.join(" + "), ranked.score)
}

/// The place a source names, as one line.
fn place(source: &crate::api::Source) -> Option<String> {
    let parts = [Some(source.platform.as_str()), source.channel_id.as_deref(), source.thread_id.as_deref(), source.message_id.as_deref()];
    let line = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    (!line.is_empty()).then_some(line)
}
