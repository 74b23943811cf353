//! The gates of relevance: the project, the vector, the vocabulary, meaning, words and the floor.

use super::facts::Facts;
use super::{open, passed, short, stopped};
use wire::{Gate, GateResult, Mend, MendLink};
use words::missed;

/// In their order. They are evaluated for any memory, in reach or not.
pub(super) fn gates(facts: &Facts<'_>) -> Vec<GateResult> {
    [scope, vector, vocabulary, similarity, words, floor].iter().map(|gate| gate(facts)).collect()
}

fn scope(facts: &Facts<'_>) -> GateResult {
    let (scoping, memory) = (&facts.agent_recall.scoping, &facts.memory);
    let fit = scoping.fit(memory.scope, memory.project_id, memory.repo_id);
    if !scoping.narrow {
        return passed(Gate::Scope, "The recall is for no project, so every scope fits.");
    }
    if fit > 0.0 {
        let how = if fit < 1.0 { "It belongs to a linked project or to another repository" } else { "Its scope fits" };
        return passed(Gate::Scope, format!("{how}: it has the scope {}.", memory.scope));
    }
    if scoping.shows(fit, facts.semantic, facts.counted_words()) {
        return passed(Gate::Scope, "It belongs to another project, and is relevant enough by meaning or by words.");
    }
    let mend = Mend::new("Link the two projects, or recall for the project to which it belongs.");
    stopped(Gate::Scope, "It belongs to another project, and is not relevant enough by meaning or by words.", mend)
}

fn vector(facts: &Facts<'_>) -> GateResult {
    let model = &facts.model;
    if facts.models.contains(model) {
        return passed(Gate::Vector, format!("It has a vector of the model {model}."));
    }
    let (detail, mend) = match facts.models.as_slice() {
        [] => {
            let mend = "A background job embeds it. If the job failed, retry it on the page Events.";
            (format!("It has no vector of the model {model} yet."), Mend::new(mend).at(MendLink::Events))
        }
        others => {
            let mend =
                "The server fills it in. If it stays without, ask whoever runs the server for the output of remembrancer model list.";
            (format!("Its vector is of the model {}, and recalls use {model}.", others.join(", ")), Mend::new(mend))
        }
    };
    if facts.reaches_floor() { short(Gate::Vector, detail, mend) } else { stopped(Gate::Vector, detail, mend) }
}

fn vocabulary(facts: &Facts<'_>) -> GateResult {
    let (found, memory) = (&facts.found, &facts.memory);
    let Some(means) = &facts.means else {
        return open(Gate::Vocabulary, "The vocabulary could not be read, so the question was not changed.");
    };
    let searched = match (&found.query_canonical, found.inside.as_slice()) {
        (Some(term), _) => format!("The question means the term “{term}”"),
        (None, []) => "The question holds no term".to_owned(),
        (None, terms) => format!("The question holds the terms {}", quoted(terms)),
    };
    let waits = means.topic != memory.topic && means.version > memory.vocabulary_version;
    let detail = match (waits, means.is_canonical) {
        (true, _) => {
            format!("Its phrase “{}” now resolves to “{}”, and it is still filed under “{}”.", memory.topic_raw, means.topic, memory.topic)
        }
        (false, true) => format!("{searched}, and the memory is filed under the term “{}”.", memory.topic),
        (false, false) => format!("{searched}, and the memory’s topic “{}” is not a term.", memory.topic),
    };
    if facts.reaches_floor() {
        return passed(Gate::Vocabulary, detail);
    }
    if waits {
        let mend = Mend::new("A background job refiles it. If the job failed, retry it on the page Events.").at(MendLink::Events);
        return stopped(Gate::Vocabulary, detail, mend);
    }
    match facts.semantic_as_asked {
        Some(as_asked) if as_asked >= found.floors.vector => {
            let (text, floor) = (found.prepared.text.replace('\n', " "), found.floors.vector);
            let detail = format!(
                "The question is searched as “{text}”; as it was asked, the memory would reach the floor ({as_asked:.2}, and it needs {floor:.2})."
            );
            let mend = Mend::new("Check the aliases of the term: one of them may mean something else here.").at(MendLink::Terms);
            stopped(Gate::Vocabulary, detail, mend)
        }
        _ => passed(Gate::Vocabulary, detail),
    }
}

fn similarity(facts: &Facts<'_>) -> GateResult {
    let floor = facts.found.floors.vector;
    match facts.semantic {
        None if facts.found.prepared.vector.is_none() => {
            open(Gate::Similarity, "The embedding model did not answer, so only words are compared.")
        }
        None => open(Gate::Similarity, "It has no vector to compare."),
        Some(cosine) if cosine >= floor => passed(Gate::Similarity, format!("Its similarity is {cosine:.2}, and the floor is {floor:.2}.")),
        Some(cosine) => {
            let [cosine, floor] = missed(cosine, floor);
            let detail = format!("Its similarity is {cosine}, below the floor of {floor}.");
            if facts.words_count() {
                short(Gate::Similarity, detail, more_specific())
            } else {
                stopped(Gate::Similarity, detail, more_specific())
            }
        }
    }
}

fn words(facts: &Facts<'_>) -> GateResult {
    let floor = facts.found.floors.lexical;
    if !facts.words_count() {
        return open(
            Gate::Words,
            format!("The ranking {} compares the words only of memories without a vector.", facts.agent_recall.ranking()),
        );
    }
    let detail = match (facts.lexical, facts.matched_words().as_slice()) {
        (Some(lexical), shared) if lexical >= floor => {
            return passed(Gate::Words, format!("It shares {}: {lexical:.2}, and the floor is {floor:.2}.", quoted(shared)));
        }
        (Some(lexical), shared) => {
            let [lexical, floor] = missed(lexical, floor);
            format!("It shares {}: {lexical}, below the floor of {floor}.", quoted(shared))
        }
        (None, _) => "It shares no word with the question.".to_owned(),
    };
    if facts.semantic.is_some() { short(Gate::Words, detail, alias()) } else { stopped(Gate::Words, detail, alias()) }
}

fn floor(facts: &Facts<'_>) -> GateResult {
    if facts.reaches_floor() {
        return passed(Gate::Floor, "It is relevant enough.");
    }
    stopped(Gate::Floor, "It is not relevant enough, by meaning or by words.", more_specific())
}

fn more_specific() -> Mend {
    Mend::new("Ask more specifically, in the words of the memory. If the question uses another name for the same thing, make it an alias.")
        .at(MendLink::Terms)
}

fn alias() -> Mend {
    Mend::new("If the question uses another name for the same thing, make it an alias of the term.").at(MendLink::Terms)
}

/// “tea”, “kettle”
fn quoted<T: AsRef<str>>(words: &[T]) -> String {
    words.iter().take(5).map(|word| format!("“{}”", word.as_ref())).collect::<Vec<_>>().join(", ")
}
