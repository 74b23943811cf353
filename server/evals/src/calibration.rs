//! `remembrancer eval calibrate`: how the cosines of the embedding model are distributed over labelled questions and pairs, and which
//! thresholds follow.

pub mod thresholds;

use crate::retrieval;
use crate::{Failure, bar};
use foundation::registry::EmbeddingModel;
use foundation::{Engine, OpContext, identity};
use remembrancer::memories::model::embedded_text;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fmt::{Display, Formatter, Result as Formatted};
use thresholds::{Cost, Distribution, Sides, cosine};
use words::compare::{Likeness, compare};

/// Texts that are embedded at once.
const BATCH: usize = 32;

/// A line of a file: one of those of [`retrieval`], or a pair, which has no `type`.
pub enum Line {
    Retrieval(retrieval::Line),
    Pair(Pair),
}

/// Two statements, and whether they say the same.
#[derive(Deserialize)]
pub struct Pair {
    topic: Option<String>,
    /// `distinct`: they have nothing to do with one another. The other kinds name in what they differ.
    kind: Option<String>,
    first: String,
    second: String,
    right: Right,
}

/// How many memories two statements should be.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Right {
    One,
    Two,
}

/// What two statements are to one another, as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Unrelated,
    /// They are about one matter and say different things of it.
    Related,
    Same,
}

/// A pair with its cosine and what its words say.
#[derive(Clone, Copy, Debug)]
struct Judged {
    group: Group,
    likeness: Likeness,
    cosine: f64,
}

/// A threshold of the model, and the one that the file proposes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Threshold {
    name: &'static str,
    /// Questions or pairs that should reach it, and those that should not.
    right: usize,
    wrong: usize,
    in_force: Cost,
    /// Absent if the file has no example of one side.
    proposed: Option<Cost>,
}

/// What a file says about a model.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    model: String,
    /// Texts in a language that the model does not know: they have no vector and are left out.
    unknown: usize,
    cosines: Vec<(&'static str, Distribution)>,
    thresholds: Vec<Threshold>,
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let has_type = value.get("type").is_some();
        let line =
            if has_type { serde_json::from_value(value).map(Self::Retrieval) } else { serde_json::from_value(value).map(Self::Pair) };
        line.map_err(D::Error::custom)
    }
}

impl Pair {
    fn group(&self) -> Group {
        match (self.right, self.kind.as_deref()) {
            (Right::One, _) => Group::Same,
            (Right::Two, Some("distinct")) => Group::Unrelated,
            (Right::Two, _) => Group::Related,
        }
    }

    /// A statement as it is embedded.
    fn embedded(&self, statement: &str) -> String {
        self.topic.as_deref().map_or_else(|| statement.to_owned(), |topic| embedded_text(topic, statement))
    }

    fn judge(&self, texts: &Texts) -> Option<Judged> {
        let cosine = cosine(texts.get(&self.embedded(&self.first))?, texts.get(&self.embedded(&self.second))?);
        Some(Judged { group: self.group(), likeness: compare(&self.first, &self.second), cosine })
    }
}

impl Judged {
    fn reaches_related(self) -> Option<bool> {
        Some(self.group != Group::Unrelated)
    }

    /// Above this threshold, two texts with the same words are one memory, and an update is suggested for two that differ.
    fn reaches_suggestion(self) -> Option<bool> {
        match self.likeness {
            Likeness::Same => Some(self.group == Group::Same),
            Likeness::Differs(_) => Some(self.group != Group::Unrelated),
            Likeness::Other | Likeness::Apart => None,
        }
    }

    /// This threshold decides only where the words cannot tell.
    fn reaches_dedup(self) -> Option<bool> {
        (self.likeness == Likeness::Other).then_some(self.group == Group::Same)
    }
}

/// The vectors of texts. Those that the model does not know have none.
type Texts = HashMap<String, Vec<f32>>;

/// The memories of a file, as they are embedded, by scope and key.
type Memories<'a> = HashMap<&'a str, HashMap<&'a str, String>>;

/// Embeds everything that a file holds and compares its cosines with the thresholds of the engine's model.
///
/// # Errors
/// When a question names what is not in the file, the model does not answer, or a database is out of reach.
pub async fn evaluate(engine: &Engine, lines: &[Line]) -> Result<Report, Failure> {
    let tenant = identity::create_tenant(engine, "eval-calibrate", "Evaluation").await?;
    let memories = memories(lines);
    let pairs: Vec<&Pair> = lines.iter().filter_map(|line| if let Line::Pair(pair) = line { Some(pair) } else { None }).collect();
    let of_pairs = pairs.iter().flat_map(|pair| [pair.embedded(&pair.first), pair.embedded(&pair.second)]);
    let all: BTreeSet<String> = memories.values().flat_map(HashMap::values).cloned().chain(of_pairs).collect();
    let (known, unknown): (Vec<String>, Vec<String>) = all.into_iter().partition(|text| engine.reads(text));
    let texts = embed(engine, &tenant, known).await?;
    let (questions, unread) = questions(engine, &tenant, lines, &memories, &texts).await?;
    let judged: Vec<Judged> = pairs.iter().filter_map(|pair| pair.judge(&texts)).collect();
    Ok(Report::of(engine.model(), unknown.len() + unread, &questions, &judged))
}

fn memories(lines: &[Line]) -> Memories<'_> {
    let mut memories = Memories::new();
    for line in lines {
        if let Line::Retrieval(retrieval::Line::Memory { scope, key, text, topic, .. }) = line {
            memories.entry(scope).or_default().insert(key, embedded_text(topic.as_deref().unwrap_or(scope), text));
        }
    }
    memories
}

async fn embed(engine: &Engine, tenant: &OpContext, texts: Vec<String>) -> Result<Texts, Failure> {
    let bar = bar(texts.len(), "texts")?;
    let mut embedded = Texts::new();
    for batch in texts.chunks(BATCH) {
        let vectors = engine.embed_batch_for_job(tenant.into(), batch.to_vec()).await;
        let vectors = vectors.map_err(|error| format!("the embedding model does not answer: {error}"))?;
        embedded.extend(batch.iter().cloned().zip(vectors));
        bar.inc(batch.len() as u64);
    }
    bar.finish_and_clear();
    Ok(embedded)
}

/// The cosines of questions with the memories that answer them, and of those that nothing answers with the nearest memory of their scope; and
/// how many questions the model cannot read.
async fn questions(
    engine: &Engine,
    tenant: &OpContext,
    lines: &[Line],
    memories: &Memories<'_>,
    texts: &Texts,
) -> Result<(Sides, usize), Failure> {
    let (mut sides, mut unread) = (Sides::default(), 0);
    for line in lines {
        let Line::Retrieval(line) = line else { continue };
        let (scope, query, evidence) = match line {
            retrieval::Line::Question { scope, query, evidence, .. } => (scope, query, Some(evidence)),
            retrieval::Line::OffTopic { scope, query } => (scope, query, None),
            retrieval::Line::Memory { .. } => continue,
        };
        let of_scope = memories.get(scope.as_str()).ok_or_else(|| format!("a question names the scope {scope}, which has no memories"))?;
        if !engine.reads(query) {
            unread += 1;
            continue;
        }
        let vector = engine.embed_query(tenant.into(), query).await.map_err(|_| "the embedding model does not answer")?;
        let cosine_with = |text: &String| texts.get(text).map(|other| cosine(&vector, other));
        match evidence {
            Some(keys) => {
                for key in keys {
                    let text = of_scope.get(key.as_str());
                    let text = text.ok_or_else(|| format!("the evidence {key} is not a memory of the scope {scope}"))?;
                    sides.right.extend(cosine_with(text));
                }
            }
            None => sides.wrong.extend(of_scope.values().filter_map(cosine_with).max_by(f64::total_cmp)),
        }
    }
    Ok((sides, unread))
}

impl Report {
    fn of(model: &EmbeddingModel, unknown: usize, questions: &Sides, pairs: &[Judged]) -> Self {
        let of_group =
            |group: Group| Distribution::of(&pairs.iter().filter(|pair| pair.group == group).map(|pair| pair.cosine).collect::<Vec<_>>());
        let cosines = vec![
            ("questions that nothing answers", Distribution::of(&questions.wrong)),
            ("questions and their answers", Distribution::of(&questions.right)),
            ("unrelated pairs", of_group(Group::Unrelated)),
            ("related pairs", of_group(Group::Related)),
            ("pairs that say the same", of_group(Group::Same)),
        ];
        let thresholds = vec![
            Threshold::of("vector_floor", model.floors.vector, questions),
            Threshold::of("related_threshold", model.related_threshold, &sides(pairs, Judged::reaches_related)),
            Threshold::of("suggestion_threshold", model.suggestion_threshold, &sides(pairs, Judged::reaches_suggestion)),
            Threshold::of("dedup_threshold", model.dedup_threshold, &sides(pairs, Judged::reaches_dedup)),
        ];
        Self { model: model.name.clone(), unknown, cosines, thresholds }
    }
}

/// The cosines of the pairs that a threshold decides on.
fn sides(pairs: &[Judged], reaches: fn(Judged) -> Option<bool>) -> Sides {
    let mut sides = Sides::default();
    for pair in pairs {
        match reaches(*pair) {
            Some(true) => sides.right.push(pair.cosine),
            Some(false) => sides.wrong.push(pair.cosine),
            None => {}
        }
    }
    sides
}

impl Threshold {
    fn of(name: &'static str, in_force: f64, sides: &Sides) -> Self {
        let (right, wrong) = (sides.right.len(), sides.wrong.len());
        Self { name, right, wrong, in_force: sides.cost(in_force), proposed: sides.propose() }
    }

    /// A threshold with what it costs.
    fn columns(&self, Cost { threshold, lost, let_in }: Cost) -> String {
        format!("{threshold:>10.2} {:>12} {:>12}", format!("{lost} of {}", self.right), format!("{let_in} of {}", self.wrong))
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        writeln!(f, "{}; {} texts left out, because it does not know their language\n", self.model, self.unknown)?;
        writeln!(
            f,
            "{:<31} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "cosines", "count", "p1", "p5", "p25", "p50", "p75", "p95", "p99"
        )?;
        for (name, Distribution { count, p1, p5, p25, p50, p75, p95, p99 }) in &self.cosines {
            writeln!(f, "{name:<31} {count:>6} {p1:>6.3} {p5:>6.3} {p25:>6.3} {p50:>6.3} {p75:>6.3} {p95:>6.3} {p99:>6.3}")?;
        }
        writeln!(
            f,
            "\n{:<21} {:>10} {:>12} {:>12} {:>10} {:>12} {:>12}",
            "threshold", "in force", "right lost", "wrong in", "proposed", "right lost", "wrong in"
        )?;
        for threshold in &self.thresholds {
            let proposed = threshold.proposed.map_or_else(|| format!("{:>10}", "none"), |cost| threshold.columns(cost));
            writeln!(f, "{:<21} {} {proposed}", threshold.name, threshold.columns(threshold.in_force))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foundation::registry::Floors;
    use words::compare::Difference;

    fn model() -> EmbeddingModel {
        EmbeddingModel {
            name: "model".into(),
            dimension: 384,
            dedup_threshold: 0.9,
            suggestion_threshold: 0.8,
            related_threshold: 0.6,
            term_threshold: 0.5,
            floors: Floors { vector: 0.3, lexical: 0.2 },
        }
    }

    #[test]
    fn each_threshold_is_measured_on_what_it_decides() {
        let pair = |group, likeness, cosine| Judged { group, likeness, cosine };
        let number = Likeness::Differs(Difference::Number);
        let pairs = [
            pair(Group::Unrelated, Likeness::Other, 0.1),
            pair(Group::Related, number, 0.95),
            pair(Group::Related, Likeness::Other, 0.7),
            pair(Group::Same, Likeness::Other, 0.85),
            pair(Group::Same, Likeness::Same, 0.75),
        ];
        let questions = Sides { right: vec![0.5, 0.25], wrong: vec![0.2] };
        let report = Report::of(&model(), 1, &questions, &pairs);
        let [floor, related, suggestion, dedup] = report.thresholds.as_slice() else { unreachable!("four thresholds") };
        assert_eq!((floor.in_force.lost, floor.in_force.let_in, floor.right, floor.wrong), (1, 0, 2, 1));
        assert_eq!(related.proposed, Some(Cost { threshold: 0.4, lost: 0, let_in: 0 }));
        assert_eq!((suggestion.right, suggestion.wrong, suggestion.in_force.lost, suggestion.proposed), (2, 0, 1, None));
        assert_eq!((dedup.right, dedup.wrong, dedup.in_force.lost), (1, 2, 1), "a number that differs is no matter of cosines");
        assert!(report.to_string().contains("vector_floor                0.30       1 of 2       0 of 1"), "{report}");
    }

    #[test]
    fn the_example_has_pairs_of_every_group() {
        let file = include_str!("../../../examples/retrieval/pairs.jsonl");
        let groups: Vec<Group> = file.lines().map(|line| serde_json::from_str::<Pair>(line).unwrap().group()).collect();
        let count = |group: Group| groups.iter().filter(|one| **one == group).count();
        assert_eq!([Group::Same, Group::Related, Group::Unrelated].map(count), [10, 10, 10]);
    }

    #[test]
    fn a_line_without_a_type_is_a_pair() {
        let read = |line: &str| serde_json::from_str::<Line>(line);
        let group = |line: &str| if let Ok(Line::Pair(pair)) = read(line) { Some(pair.group()) } else { None };
        assert_eq!(group(r#"{"first": "Vera likes tea", "second": "Tea is liked by Vera", "right": "one"}"#), Some(Group::Same));
        assert_eq!(group(r#"{"kind": "distinct", "first": "a", "second": "b", "right": "two"}"#), Some(Group::Unrelated));
        assert_eq!(group(r#"{"kind": "number", "language": "en", "first": "1", "second": "2", "right": "two"}"#), Some(Group::Related));
        assert!(matches!(read(r#"{"type": "off_topic", "scope": "en", "query": "?"}"#), Ok(Line::Retrieval(_))));
        assert!(read(r#"{"first": "a", "right": "one"}"#).is_err_and(|error| error.to_string().contains("second")));
    }
}
