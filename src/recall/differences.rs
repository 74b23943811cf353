//! Why a replay differs from the log: the memories whose numbers differ, and the fields behind these numbers.

use super::log::LoggedMemory;
use crate::memories::model::Memory;
use std::collections::{HashMap, HashSet};
use wire::{Considered, Criterion, MatchedBy, MemoryId};

/// Smaller differences are rounding: the database and this process round differently.
const TOLERANCE: f64 = 5e-4;
/// The fields that decide how well a memory fits the project of a question.
const SCOPE: &str = "scope or project";
/// Most memories that one sentence names.
const NAMED: usize = 10;

/// The differences between the memories that the log considered, `then`, and those that a replay considers, `now`: a sentence each. `known`
/// has those of them that are still stored, and `fit` is how well their scope fits the question. The versions of `unrecorded` ones do not
/// record title, summary, category, subject, confidence and day.
pub fn of_memories(
    then: &[LoggedMemory],
    now: &[LoggedMemory],
    known: &HashMap<MemoryId, Memory>,
    unrecorded: &HashSet<MemoryId>,
    fit: impl Fn(&Memory) -> f64,
) -> Vec<String> {
    let (mut sentences, mut worded, mut vague) = (Vec::new(), Vec::new(), Vec::new());
    for one in then {
        let Some(memory) = known.get(&one.memory_id) else {
            sentences.push(format!("Memory {} is no longer stored.", one.memory_id));
            continue;
        };
        let (short, recorded) = (&memory.short_id, !unrecorded.contains(&memory.id));
        match now.iter().find(|other| other.memory_id == one.memory_id) {
            // A memory that does not fit the project is not shown, even if its words match well.
            None if part(one, Criterion::Scope).is_some_and(|scope| differ(scope, fit(memory))) => {
                sentences.push(changed(&[SCOPE], short));
            }
            None if recorded => vague.push(format!("Memory {short} was a candidate then and is not one now.")),
            None => worded.push((memory, one.version)),
            Some(other) if other.version != one.version => {
                let (was, is) = (one.version, other.version);
                sentences.push(format!("History of memory {short} has changed since: version {was} answered, and version {is} would now."));
            }
            Some(other) => {
                let fields = fields(one, other);
                if !fields.is_empty() {
                    sentences.push(changed(&fields, short));
                }
                if !vector_differs(one, other) && differ(value(one, Criterion::Meaning), value(other, Criterion::Meaning)) {
                    vague.push(format!("Turns around memory {short} have changed since."));
                }
                match words_differ(one, other) {
                    true if recorded => vague.push(format!("Words of memory {short}, or of the turns around it, have changed since.")),
                    true => worded.push((memory, one.version)),
                    false => {}
                }
            }
        }
    }
    for one in now.iter().filter(|one| !then.iter().any(|other| other.memory_id == one.memory_id)) {
        match known.get(&one.memory_id) {
            Some(memory) if unrecorded.contains(&memory.id) => worded.push((memory, one.version)),
            Some(memory) => vague.push(format!("Memory {} is a candidate now and was not one then.", memory.short_id)),
            None => {}
        }
    }
    // If a name is set aside now, or a memory has left the project, the words of all others have other values.
    if !sentences.is_empty() {
        worded.retain(|(memory, version)| is_described(memory) || memory.version > *version);
    }
    sentences.extend(of_words(worded));
    if sentences.is_empty() { vague } else { sentences }
}

/// The differences between the chunks that were cited.
pub fn of_knowledge(then: &[Considered], now: &[Considered]) -> Vec<String> {
    let cited = |list: &[Considered]| -> Vec<_> {
        let cited = list.iter().filter(|one| one.rank.is_some());
        cited.filter_map(|one| Some((one.chunk_id?, one.title.clone()))).collect()
    };
    let (then, now) = (cited(then), cited(now));
    let only = |one: &[(_, String)], other: &[(_, String)]| -> Vec<String> {
        let missing = one.iter().filter(|(id, _)| !other.iter().any(|(known, _)| known == id));
        missing.map(|(_, title)| title.clone()).collect()
    };
    let gone = only(&then, &now).into_iter().map(|title| format!("A passage of “{title}” was cited then and is not available now."));
    let new = only(&now, &then).into_iter().map(|title| format!("A passage of “{title}” is cited now and was not then."));
    gone.chain(new).collect()
}

/// The fields of a memory, other than its words, that now have other values.
fn fields(one: &LoggedMemory, other: &LoggedMemory) -> Vec<&'static str> {
    let mut fields = Vec::new();
    for name in [
        (Criterion::Confidence, "confidence"),
        (Criterion::Speaker, "category or subject"),
        (Criterion::Date, "day on which it was said"),
        (Criterion::Scope, SCOPE),
        (Criterion::Length, "content"),
    ] {
        if differ(value(one, name.0), value(other, name.0)) {
            fields.push(name.1);
        }
    }
    if vector_differs(one, other) {
        fields.push("vector");
    }
    if differ(one.recency, other.recency) {
        fields.push("time of the last write");
    }
    fields
}

/// Whether its own vector is another one, or missing. Its meaning alone does not say so: the turns around it lend it some.
fn vector_differs(one: &LoggedMemory, other: &LoggedMemory) -> bool {
    let by_meaning = one.matched_by != MatchedBy::Lexical && other.matched_by != MatchedBy::Lexical;
    let [was, is] = [one, other].map(|one| value(one, Criterion::Meaning));
    by_meaning && differ(one.similarity, other.similarity) || differ(was, is) && was.min(is) <= 0.0
}

fn words_differ(one: &LoggedMemory, other: &LoggedMemory) -> bool {
    if one.parts.is_empty() {
        return one.matched_by == MatchedBy::Lexical && differ(one.similarity, other.similarity);
    }
    differ(value(one, Criterion::Words), value(other, Criterion::Words))
}

fn part(one: &LoggedMemory, name: Criterion) -> Option<f64> {
    one.parts.iter().find(|part| part.name == name).map(|part| part.value)
}

fn value(one: &LoggedMemory, name: Criterion) -> f64 {
    part(one, name).unwrap_or_default()
}

fn differ(one: f64, other: f64) -> bool {
    (one - other).abs() > TOLERANCE
}

/// A sentence about the fields of words that old versions do not record: title and summary (content and topic are in every version). How
/// rare a word is depends on all memories, so among several perhaps only one has changed. A memory with neither field that was not written
/// since is left out if another one has such a field.
fn of_words(mut memories: Vec<(&Memory, i32)>) -> Option<String> {
    if memories.iter().any(|(memory, _)| is_described(memory)) {
        memories.retain(|(memory, version)| is_described(memory) || memory.version > *version);
    }
    match memories.as_slice() {
        [] => None,
        [(memory, _)] => {
            let field = match (&memory.title, &memory.summary) {
                (Some(_), None) => "title",
                (None, Some(_)) => "summary",
                _ => "title or summary",
            };
            Some(changed(&[field], &memory.short_id))
        }
        several => {
            let names: Vec<&str> = several.iter().take(NAMED).map(|(memory, _)| memory.short_id.as_str()).collect();
            let more = if several.len() > NAMED { format!(" and {} more", several.len() - NAMED) } else { String::new() };
            Some(format!("Title or summary of at least one of the memories {}{more} has changed since.", names.join(", ")))
        }
    }
}

fn is_described(memory: &Memory) -> bool {
    memory.title.is_some() || memory.summary.is_some()
}

/// “Title of memory AB12CD34 has changed since.”
fn changed(fields: &[&str], short: &str) -> String {
    let text = fields.join(" and ");
    let mut letters = text.chars();
    let text: String = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    format!("{text} of memory {short} {} changed since.", if fields.len() > 1 { "have" } else { "has" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory;
    use wire::Part;

    fn logged(memory: &Memory, words: f64, confidence: f64) -> LoggedMemory {
        let part = |name, value| Part { name, value, weight: 1.0 };
        LoggedMemory {
            memory_id: memory.id,
            agent_id: memory.agent_id,
            version: 1,
            similarity: 0.5,
            recency: 1.0,
            score: words + confidence,
            parts: vec![part(Criterion::Words, words), part(Criterion::Confidence, confidence)],
            matched_by: MatchedBy::Both,
            passed: true,
            rank: Some(1),
        }
    }

    fn named(short: &str) -> Memory {
        Memory { short_id: short.into(), ..memory("tea", "Vera likes tea") }
    }

    fn told(then: &[LoggedMemory], now: &[LoggedMemory], known: &[&Memory], unrecorded: &[&Memory]) -> Vec<String> {
        let known = known.iter().map(|memory| (memory.id, (*memory).clone())).collect();
        of_memories(then, now, &known, &unrecorded.iter().map(|memory| memory.id).collect(), |_| 0.0)
    }

    #[test]
    fn fields_are_named_with_their_memory() {
        let (one, two) = (named("AAAAAAAA"), Memory { title: Some("Tea".into()), ..named("BBBBBBBB") });
        let then = [logged(&one, 0.5, 1.0), logged(&two, 0.5, 1.0)];
        let now = [logged(&one, 0.5, 0.4), logged(&two, 0.9, 1.0)];
        let both = told(&then, &now, &[&one, &two], &[&one, &two]);
        assert_eq!(both, ["Confidence of memory AAAAAAAA has changed since.", "Title of memory BBBBBBBB has changed since."]);
        assert_eq!(
            told(&then, &now, &[&one, &two], &[]),
            ["Confidence of memory AAAAAAAA has changed since."],
            "words follow from others'"
        );
        assert_eq!(told(&then, &then, &[&one, &two], &[&one, &two]), [] as [&str; 0]);
    }

    #[test]
    fn words_of_several_are_told_as_a_doubt() {
        let (one, two) = (named("AAAAAAAA"), named("BBBBBBBB"));
        let (then, now) = ([logged(&one, 0.5, 1.0)], [logged(&one, 0.4, 1.0), logged(&two, 0.9, 1.0)]);
        let doubt = ["Title or summary of at least one of the memories AAAAAAAA, BBBBBBBB has changed since."];
        assert_eq!(told(&then, &now, &[&one, &two], &[&one, &two]), doubt);
        let vague = told(&then, &now, &[&one, &two], &[]);
        let expected = [
            "Words of memory AAAAAAAA, or of the turns around it, have changed since.",
            "Memory BBBBBBBB is a candidate now and was not one then.",
        ];
        assert_eq!(vague, expected);
        assert_eq!(told(&then, &[], &[&one], &[]), ["Memory AAAAAAAA was a candidate then and is not one now."]);
        let titled = Memory { title: Some("Tea".into()), ..two.clone() };
        let sure = told(&then, &now, &[&one, &titled], &[&one, &titled]);
        assert_eq!(sure, ["Title of memory BBBBBBBB has changed since."], "the other one never had any");
        let rewritten = Memory { version: 2, ..one.clone() };
        let unsure = told(&then, &now, &[&rewritten, &titled], &[&rewritten, &titled]);
        assert_eq!(unsure, doubt, "a summary goes with its content");
    }

    #[test]
    fn another_vector_is_told_from_other_turns_around() {
        let one = named("AAAAAAAA");
        let logged = |similarity: f64, meaning: f64| {
            let mut logged = LoggedMemory { similarity, ..logged(&one, 0.5, 1.0) };
            logged.parts.push(Part { name: Criterion::Meaning, value: meaning, weight: 1.25 });
            logged
        };
        let since = |similarity, meaning| told(&[logged(0.5, 0.5)], &[logged(similarity, meaning)], &[&one], &[&one]);
        assert_eq!(since(0.5, 0.45), ["Turns around memory AAAAAAAA have changed since."]);
        assert_eq!(since(0.4, 0.4), ["Vector of memory AAAAAAAA has changed since."]);
        assert_eq!(since(0.5, 0.0), ["Vector of memory AAAAAAAA has changed since."]);
    }

    #[test]
    fn what_moved_to_another_project_is_named() {
        let one = named("AAAAAAAA");
        let mut then = logged(&one, 0.5, 1.0);
        then.parts.push(Part { name: Criterion::Scope, value: 1.0, weight: 0.2 });
        assert_eq!(told(&[then], &[], &[&one], &[&one]), ["Scope or project of memory AAAAAAAA has changed since."]);
    }

    #[test]
    fn what_is_erased_or_has_another_history_is_named() {
        let (one, two) = (named("AAAAAAAA"), named("BBBBBBBB"));
        let then = [logged(&one, 0.5, 1.0), logged(&two, 0.5, 1.0)];
        let now = [LoggedMemory { version: 2, ..logged(&two, 0.5, 1.0) }];
        let gone = format!("Memory {} is no longer stored.", one.id);
        let history = "History of memory BBBBBBBB has changed since: version 1 answered, and version 2 would now.";
        assert_eq!(told(&then, &now, &[&two], &[]), [gone.as_str(), history]);
    }
}
