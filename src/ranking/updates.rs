//! Where two hits say different things of one matter, the one that was said later comes first. Pure.
//!
//! Recency alone cannot do it: an old statement may share more words with the question than the one that replaced it. Whether a hit replaces
//! another is judged by their words; if that is unclear, the order stays.

use super::Ranked;
use crate::memories::model::Memory;
use chrono::TimeDelta;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use wire::{Criterion, Part, Ranking};
use words::hybrid::{self, is_code};
use words::{normal, stems};

/// Hits that are looked at: as many of the first, and as many that would be the first if none lost for repeating better ones.
pub const FIRST: usize = 10;
/// A statement replaces one that was said at least this much earlier.
const LATER: TimeDelta = TimeDelta::days(1);
/// Most hits with one topic for the topic to name a matter.
const TOPIC_MAX: usize = 5;
/// Longest texts, in characters, that one topic makes statements of one matter, and that common words do.
const BY_TOPIC: usize = 250;
const BY_WORDS: usize = 120;
/// Least number of content words that two statements of one matter share, and least share of those of the shorter one.
const SHARED_MIN: usize = 2;
const SHARE_MIN: f64 = 0.5;

/// Phrases that say that something changed, in the languages that write words apart.
#[rustfmt::skip]
const CHANGES: &[&str] = &[
    // en
    "now", "currently", "no longer", "anymore", "any more", "instead", "from now on", "as of", "switched", "switches", "changed", "changes",
    "moved", "migrated", "replaced", "took over", "taken over", "stopped", "gave up", "given up", "quit", "became",
    // de
    "jetzt", "nun", "inzwischen", "nicht mehr", "stattdessen", "künftig", "ab sofort", "gewechselt", "umgezogen", "ersetzt", "aufgehört",
    // fr
    "maintenant", "désormais", "ne plus", "n est plus", "au lieu", "déménagé", "remplacé", "arrêté", "changé",
    // es, pt, it
    "ahora", "ya no", "desde ahora", "en cambio", "se mudó", "cambió", "dejó de", "agora", "já não", "em vez", "mudou", "deixou de", "adesso",
    "ora", "non più", "invece", "si è trasferita", "si è trasferito", "ha smesso",
    // nl
    "nu", "voortaan", "niet meer", "in plaats", "verhuisd", "vervangen", "gestopt",
    // ru, ar, hi
    "теперь", "сейчас", "больше не", "вместо", "переехал", "переехала", "сменил", "сменила", "الآن", "لم يعد", "لم تعد", "بدلا", "انتقل", "انتقلت",
    "अब", "अब नहीं", "के बजाय",
];
/// The same in Chinese and Japanese.
const CHANGES_UNSPACED: &[&str] = &["现在", "不再", "改为", "改成", "搬到", "今は", "もう", "現在", "変わ", "引っ越"];

/// A hit as the rule sees it. Its words are read only when it is compared.
struct Seen {
    topic: String,
    characters: usize,
    is_code: bool,
    is_named: bool,
    words: OnceCell<Words>,
}

/// The words of a hit.
struct Words {
    /// Of topic and content.
    all: BTreeSet<String>,
    /// Of the content, without the speaker's name.
    content: BTreeSet<String>,
    changes: bool,
}

impl Seen {
    fn new(ranked: &Ranked) -> Self {
        let memory = &ranked.candidate.memory;
        let characters = memory.content.chars().count();
        let punctuation = memory.content.chars().filter(char::is_ascii_punctuation).count();
        let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            topic: normal(&memory.topic),
            characters,
            is_code: is_code(count(characters), count(punctuation)),
            is_named: ranked.breakdown.parts.iter().any(|part| part.name == Criterion::Identifier),
            words: OnceCell::new(),
        }
    }

    fn words(&self, memory: &Memory) -> &Words {
        self.words.get_or_init(|| {
            let of = |text: &str| stems::terms(text).into_keys().collect::<BTreeSet<String>>();
            let content = of(&memory.content);
            let speaker = memory.speaker().map(|name| of(&name)).unwrap_or_default();
            Words {
                all: content.iter().cloned().chain(of(&memory.topic)).collect(),
                content: content.difference(&speaker).cloned().collect(),
                changes: says_change(&memory.content),
            }
        })
    }
}

/// Two hits, of which one may replace the other.
struct Pair<'a> {
    later: (&'a Memory, &'a Seen),
    earlier: (&'a Memory, &'a Seen),
}

impl Pair<'_> {
    /// Whether the later one replaces the earlier; `topics` counts the hits of each topic. What costs nothing is judged first: words are read
    /// only of short statements, of different days.
    fn replaces(&self, topics: &HashMap<String, usize>, question: &[String]) -> bool {
        let ((later, new), (earlier, old)) = (self.later, self.earlier);
        later.stated_at >= earlier.stated_at + LATER
            && new.characters.max(old.characters) <= BY_TOPIC
            && !new.is_code
            && !old.is_code
            && (new.is_named || !old.is_named)
            && self.same_matter(topics)
            && self.answers(question)
    }

    /// Whether both are statements of one matter.
    fn same_matter(&self, topics: &HashMap<String, usize>) -> bool {
        let ((later, new), (earlier, old)) = (self.later, self.earlier);
        if new.topic == old.topic && topics.get(&new.topic).is_some_and(|hits| *hits <= TOPIC_MAX) {
            return true;
        }
        if new.characters.max(old.characters) > BY_WORDS {
            return false;
        }
        let (new, old) = (&new.words(later).content, &old.words(earlier).content);
        let shared = new.intersection(old).count();
        shared >= SHARED_MIN && shared as f64 >= SHARE_MIN * new.len().min(old.len()) as f64 && new != old
    }

    /// Whether the later one answers a question as well as the earlier, or says that something changed.
    fn answers(&self, question: &[String]) -> bool {
        let ((later, new), (earlier, old)) = (self.later, self.earlier);
        let (new, old) = (new.words(later), old.words(earlier));
        new.changes || question.iter().all(|word| !old.all.contains(word) || new.all.contains(word))
    }
}

/// Puts each of the first hits directly before the first one that it replaces. It takes the score of that hit, so that the scores still
/// descend, and a part that says so. Hits from other projects stay behind them, and do not count: the order of a project's own hits does
/// not depend on what is shown beside them.
pub fn put_newer_first(passed: &mut Vec<Ranked>, ranking: Ranking, question: &[String]) {
    let (foreign, mut own): (Vec<Ranked>, Vec<Ranked>) = passed.drain(..).partition(is_foreign);
    let mut rest = own.split_off(own.len().min(FIRST));
    let mut relevances: Vec<f64> = own.iter().chain(&rest).map(|ranked| relevance(ranked, ranking)).collect();
    relevances.sort_by(|a, b| b.total_cmp(a));
    // What was said later may have moved down because it says almost the same as what it replaces.
    if let Some(least) = relevances.get(FIRST - 1) {
        own.extend(rest.extract_if(.., |ranked| {
            let relevance = relevance(ranked, ranking);
            relevance > ranked.score && relevance >= *least
        }));
    }
    put_newer_of_one_project_first(&mut own, ranking, question);
    own.append(&mut rest);
    // Stable: a hit stays directly before the one that it replaces.
    own.sort_by(|a, b| b.score.total_cmp(&a.score));
    passed.extend(own.into_iter().chain(foreign));
}

/// The score of a hit without what it loses for repeating better ones.
fn relevance(ranked: &Ranked, ranking: Ranking) -> f64 {
    let repeats = ranked.breakdown.parts.iter().filter(|part| part.name == Criterion::Repeats);
    let loss: f64 = repeats.map(|part| part.value * part.weight).sum();
    ranked.score - loss * hybrid::factor(ranking, ranked.breakdown.recency)
}

/// Whether a hit holds only in another project than the question's.
fn is_foreign(ranked: &Ranked) -> bool {
    ranked.breakdown.parts.iter().any(|part| part.name == Criterion::Scope && part.value == 0.0)
}

fn put_newer_of_one_project_first(passed: &mut Vec<Ranked>, ranking: Ranking, question: &[String]) {
    let stated = || passed.iter().map(|ranked| ranked.candidate.memory.stated_at);
    if stated().max().zip(stated().min()).is_none_or(|(last, first)| last < first + LATER) {
        return;
    }
    let mut topics: HashMap<String, usize> = HashMap::new();
    for ranked in passed.iter() {
        *topics.entry(normal(&ranked.candidate.memory.topic)).or_default() += 1;
    }
    let mut order: Vec<(Ranked, Seen)> = Vec::with_capacity(passed.len());
    for mut ranked in passed.drain(..) {
        let seen = Seen::new(&ranked);
        let replaces = |(earlier, other): &(Ranked, Seen)| {
            let pair = Pair { later: (&ranked.candidate.memory, &seen), earlier: (&earlier.candidate.memory, other) };
            pair.replaces(&topics, question)
        };
        match order.iter().position(replaces) {
            Some(place) => {
                raise(&mut ranked, ranking, order[place].0.score);
                order.insert(place, (ranked, seen));
            }
            None => order.push((ranked, seen)),
        }
    }
    passed.extend(order.into_iter().map(|(ranked, _)| ranked));
}

/// Gives a hit a higher score, as a part of its sum.
fn raise(ranked: &mut Ranked, ranking: Ranking, score: f64) {
    let weight = score / hybrid::factor(ranking, ranked.breakdown.recency) - hybrid::sum(&ranked.breakdown.parts);
    ranked.breakdown.parts.push(Part { name: Criterion::Newer, value: 1.0, weight });
    ranked.score = score;
}

fn says_change(text: &str) -> bool {
    let text = text.to_lowercase();
    let spaced: String =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).flat_map(|word| [" ", word]).collect::<String>() + " ";
    CHANGES.iter().any(|phrase| spaced.contains(&format!(" {phrase} "))) || CHANGES_UNSPACED.iter().any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Candidate;
    use crate::testing::memory;
    use chrono::DateTime;
    use wire::{Breakdown, MatchedBy};

    fn said(topic: &str, content: &str, days_ago: i64, score: f64) -> Ranked {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let at = now - TimeDelta::days(days_ago);
        let memory = Memory { observed_at: Some(at), stated_at: at, ..memory(topic, content) };
        let parts = vec![Part { name: Criterion::Words, value: 1.0, weight: score }];
        let breakdown = Breakdown { similarity: 0.8, recency: 1.0, floor: 0.2, parts };
        Ranked {
            candidate: Candidate { memory, semantic: Some(0.8), lexical: None },
            matched_by: MatchedBy::Both,
            score,
            breakdown,
            is_elsewhere: false,
        }
    }

    fn order(question: &str, mut hits: Vec<Ranked>) -> Vec<String> {
        let terms: Vec<String> = stems::terms(question).into_keys().collect();
        put_newer_first(&mut hits, Ranking::HybridDecay, &terms);
        let descends = |pair: &[Ranked]| pair[0].score >= pair[1].score || is_foreign(&pair[0]) != is_foreign(&pair[1]);
        assert!(hits.windows(2).all(descends));
        for hit in &hits {
            assert!((hybrid::sum(&hit.breakdown.parts) - hit.score).abs() < 1e-9, "the parts make the score");
        }
        hits.into_iter().map(|hit| hit.candidate.memory.content).collect()
    }

    #[test]
    fn the_later_statement_of_a_matter_comes_first() {
        for (question, topic, old, new) in [
            ("Where does Vera live?", "city", "Vera lives in Bern.", "Vera lives in Thun."),
            ("Where does Vera live?", "city", "Vera lives in Bern.", "Vera moved to Thun in March."),
            ("Which editor does Idris use?", "editor", "Idris uses Helix.", "Idris switched from Helix to Zed."),
            ("Wo wohnt Mina?", "Wohnort", "Mina wohnt in Kiel.", "Mina wohnt jetzt in Lübeck."),
        ] {
            let hits = vec![said(topic, old, 700, 0.9), said("other", "Somebody sings.", 3, 0.6), said(topic, new, 20, 0.5)];
            assert_eq!(order(question, hits)[..2], [new, old], "{question}");
        }
    }

    #[test]
    fn other_matters_and_worse_answers_keep_their_order() {
        for (question, hits) in [
            // Another matter of the same person.
            ("Where does Vera live?", vec![said("city", "Vera lives in Bern.", 700, 0.9), said("pets", "Vera owns two cats.", 20, 0.5)]),
            // The same topic, and the question is about something that only the earlier one has.
            (
                "What is the wifi password?",
                vec![
                    said("office", "The wifi password is on the board.", 700, 0.9),
                    said("office", "The door code is on the board.", 20, 0.5),
                ],
            ),
            // Said on the same day.
            ("Where does Vera live?", vec![said("city", "Vera lives in Bern.", 20, 0.9), said("city", "Vera lives in Thun.", 20, 0.5)]),
        ] {
            let before: Vec<String> = hits.iter().map(|hit| hit.candidate.memory.content.clone()).collect();
            assert_eq!(order(question, hits), before, "{question}");
        }
    }

    #[test]
    fn what_moved_down_because_it_repeats_another_may_still_replace_it() {
        let (old, new) = ("Vera lives in Bern.", "Vera lives in Thun.");
        let mut repeats = said("city", new, 20, 0.65);
        repeats.breakdown.parts.push(Part { name: Criterion::Repeats, value: 1.0, weight: -0.15 });
        repeats.score = 0.5;
        let others = (0..FIRST + 2).map(|n| said(&format!("song {n}"), &format!("Guest {n} sings."), 3, 0.6));
        let hits = std::iter::once(said("city", old, 700, 0.9)).chain(others).chain([repeats]).collect();
        assert_eq!(order("Where does Vera live?", hits)[..2], [new, old]);
    }

    #[test]
    fn hits_from_other_projects_stay_behind_and_do_not_count() {
        let foreign = |mut hit: Ranked| {
            hit.breakdown.parts.push(Part { name: Criterion::Scope, value: 0.0, weight: 0.1 });
            hit
        };
        let (old, new) = ("Vera lives in Bern.", "Vera lives in Thun.");
        let theirs = foreign(said("city", new, 20, 0.5));
        assert_eq!(order("Where does Vera live?", vec![said("city", old, 700, 0.9), theirs]), [old, new]);
        let strangers = (0..FIRST).map(|n| foreign(said("city", &format!("Guest {n} lives in Bern."), 30, 0.95)));
        let hits = strangers.chain([said("city", old, 700, 0.9), said("city", new, 20, 0.5)]).collect();
        assert_eq!(order("Where does Vera live?", hits)[..2], [new, old]);
    }
}
