//! What a batch of observations says about a person: by rules, or by a chat model whose answer is validated against the observations.

use super::apply::{Drawn, WorkingMemory};
use super::model::{Leaf, NewLeaf, Part};
use super::read::View;
use super::rules::{self, Observation};
use super::sensitive;
use super::working_memory::{WORDS_MAX, count_words, cut};
use foundation::Engine;
use foundation::usage::{Payer, Purpose};
use models::chat::{ChatError, Question};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use wire::{EventId, SensitiveMatters};
use words::guard;
use words::tree::{self, Entry, folded, render};
use words::{shorten, stems};

/// Most bytes of the known profile that a model reads; the most certain leaves come first.
const SCAFFOLD_BYTES: usize = 24 * 1024;
/// Longest fact, in characters.
const FACT_MAX: usize = 1000;
/// Longest value of a leaf, in characters.
const VALUE_MAX: usize = 2000;

/// What a model answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    /// An object, or the text of one.
    updated_scaffold: Value,
    updated_working_memory: String,
    facts_to_embed: Vec<String>,
}

/// The leaves that observations give by their keys, categories and patterns.
pub fn by_rules(observations: &[Observation], allowed: SensitiveMatters) -> Drawn {
    Drawn { new_leaves: observations.iter().flat_map(|one| rules::leaves(one, allowed)).collect(), ..Drawn::default() }
}

/// The leaves, the working memory and the facts that a chat model draws from observations: one call, or a second one if that text is too long.
/// Observations of connections and of sensitive matters that profiles may not hold are not sent; without others there is no call. Facts are by the observation that
/// they come from.
///
/// # Errors
/// When the model does not answer, or answers something unusable.
pub async fn by_model(
    engine: &Engine,
    payer: Payer,
    view: &View,
    observations: &[Observation],
    allowed: SensitiveMatters,
) -> Result<(Drawn, HashMap<EventId, String>), ChatError> {
    let structured: Vec<Observation> = observations.iter().filter(|one| one.is_structured()).cloned().collect();
    let sent: Vec<&Observation> =
        observations.iter().filter(|one| one.connection_id.is_none() && !sensitive::is_kept_out(&one.content, allowed)).collect();
    let mut drawn = by_rules(&structured, allowed);
    if sent.is_empty() {
        return Ok((drawn, HashMap::new()));
    }
    let text = question(view, &sent);
    let mut reply = ask(engine, payer, text.clone()).await?;
    let length = count_words(&reply.updated_working_memory);
    if length > WORDS_MAX {
        let again =
            format!("{text}{}\n", json!({ "note": format!("Your last working memory had {length} words. Write at most {WORDS_MAX}.") }));
        reply = ask(engine, payer, again).await?;
    }
    for entry in entries(reply.updated_scaffold)? {
        match new_leaf(view, &sent, entry, allowed) {
            Some(new_leaf) if new_leaf.cites.is_empty() => {}
            Some(new_leaf) => drawn.new_leaves.push(new_leaf),
            None => drawn.dropped += 1,
        }
    }
    let text = cut(&guard::without_secrets(reply.updated_working_memory));
    if guard::inspect(&text).is_empty() && !text.contains('\0') {
        let seen = view.leaves().iter().map(|leaf| leaf.id).collect();
        drawn.working_memory =
            Some(WorkingMemory { text, read_at: view.read_at(), seen }).filter(|working_memory| !working_memory.text.is_empty());
    } else {
        drawn.dropped += 1;
    }
    let facts = facts(&sent, reply.facts_to_embed, &mut drawn.dropped);
    Ok((drawn, facts))
}

async fn ask(engine: &Engine, payer: Payer, text: String) -> Result<Reply, ChatError> {
    let question = Question { instructions: include_str!("instructions.md").into(), text, name: "profile", schema: schema() };
    let answer = engine.ask(payer, Purpose::Synthesis, question).await?;
    serde_json::from_value(answer).map_err(|_| unusable("it does not follow the schema"))
}

fn unusable(what: impl Into<String>) -> ChatError {
    ChatError::BadResponse(what.into())
}

/// What the model reads: one JSON object a line, in which no text can pass for structure.
fn question(view: &View, sent: &[&Observation]) -> String {
    let mut rated: Vec<(&Leaf, f64)> = view.leaves().iter().zip(view.rated()).map(|(leaf, (confidence, _))| (leaf, confidence)).collect();
    // What is unconfirmed would come back in the working memory, and a value that is not sent stays as it is.
    rated.retain(|(leaf, _)| leaf.part == Part::Scaffold && !leaf.unconfirmed);
    rated.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut size = 0;
    let known = rated.into_iter().map(|(leaf, _)| leaf).take_while(|leaf| {
        size += leaf.path.iter().map(String::len).sum::<usize>() + leaf.value.to_string().len();
        size <= SCAFFOLD_BYTES
    });
    let scaffold = render(known.map(|leaf| (leaf.path.as_slice(), &leaf.value, leaf.listed)));
    let mut lines = vec![json!({ "working_memory": view.working_memory() }), json!({ "scaffold": scaffold })];
    let observation = |(number, one): (usize, &&Observation)| {
        let mut line = json!({ "observation": number, "type": one.event_type, "text": one.content });
        if one.by_agent {
            line["said_by"] = "agent".into();
        }
        line
    };
    lines.extend(sent.iter().enumerate().map(observation));
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

/// The entries of an answer's scaffold.
fn entries(scaffold: Value) -> Result<Vec<Entry>, ChatError> {
    let scaffold = tree::normalise(scaffold).map_err(|error| unusable(format!("the scaffold {error}")))?;
    if !scaffold.is_object() {
        return Err(unusable("the scaffold is not an object"));
    }
    tree::flatten(&[], &scaffold).map_err(|error| unusable(format!("the scaffold {error}")))
}

/// A leaf with the observations that support it: none if it is known and not observed again. `None` if it is new and nothing supports it, or
/// if it may not be part of a profile.
fn new_leaf(view: &View, sent: &[&Observation], entry: Entry, allowed: SensitiveMatters) -> Option<NewLeaf> {
    let Entry { path, value, listed } = entry;
    let value = match value {
        Value::String(text) => Value::String(shorten(&guard::without_secrets(text), VALUE_MAX)),
        value => value,
    };
    let mut new_leaf = NewLeaf { part: Part::Scaffold, connection_id: None, path, value, listed, corrects: false, cites: Vec::new() };
    let hash = new_leaf.hash();
    let text = plain(&new_leaf.value);
    let is_known = view.leaves().iter().any(|leaf| leaf.leaf_hash == hash);
    let support: Vec<&&Observation> = match is_known {
        true => sent.iter().filter(|one| says(&one.content, &text)).collect(),
        false => sent.iter().filter(|one| supports(&one.content, &new_leaf)).collect(),
    };
    new_leaf.cites = support.iter().map(|one| one.citation()).collect();
    new_leaf.corrects = support.iter().any(|one| one.corrects());
    let whole = format!("{} {text}", new_leaf.path.join(" "));
    let harmless = !sensitive::is_kept_out(&whole, allowed) && guard::inspect(&whole).is_empty();
    (is_known || harmless && !support.is_empty()).then_some(new_leaf)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether a text has a value of two words or more in it, word by word.
fn says(text: &str, value: &str) -> bool {
    let (text, value) = (folded(text), folded(value));
    value.contains(' ') && text.contains(&value)
}

/// Whether a text has at least half of a leaf's terms: those of its value, or those of its key where the value has none.
fn supports(text: &str, leaf: &NewLeaf) -> bool {
    let named = if leaf.value.is_boolean() { leaf.path.join(" ") } else { plain(&leaf.value) };
    share(text, &named) >= 0.5
}

/// The share of the terms of `part` that a text has.
fn share(text: &str, part: &str) -> f64 {
    let (there, wanted) = (stems::terms(text), stems::terms(part));
    let common = wanted.keys().filter(|term| there.contains_key(*term)).count();
    if wanted.is_empty() { 0.0 } else { common as f64 / wanted.len() as f64 }
}

/// Facts by the observation that supports them best. One that none supports, or that may carry instructions, is dropped and counted.
fn facts(sent: &[&Observation], facts: Vec<String>, dropped: &mut usize) -> HashMap<EventId, String> {
    let mut of: HashMap<EventId, String> = HashMap::new();
    for fact in facts {
        let fact = shorten(&guard::without_secrets(fact.trim().replace('\0', "")), FACT_MAX);
        let rated = sent.iter().map(|one| (share(&one.content, &fact), one));
        let best = rated.max_by(|(one, _), (other, _)| one.total_cmp(other)).filter(|(share, _)| *share >= 0.5);
        match best.filter(|_| guard::inspect(&fact).is_empty()) {
            Some((_, one)) => {
                let text = of.entry(one.event_id).or_default();
                *text = format!("{text} {fact}").trim().to_owned();
            }
            None => *dropped += 1,
        }
    }
    of
}

/// The schema of an answer: strict, so every field is required. No strict schema can describe an object with free keys, hence the text.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "updated_scaffold": { "type": "string" },
            "updated_working_memory": { "type": "string" },
            "facts_to_embed": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["updated_scaffold", "updated_working_memory", "facts_to_embed"],
        "additionalProperties": false,
    })
}
