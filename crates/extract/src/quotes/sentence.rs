//! What a sentence shows: whether it is a statement, of which kind, and what it names.

use super::patterns::{Match, PATTERNS, Sort};
use super::topic::is_name;
use super::word::{Word, quotes, units, words};
use std::collections::HashSet;

/// The fewest words of a sentence that is kept for what it says.
const STATEMENT_MIN: usize = 3;
/// The most words of a courtesy.
const COURTESY_MAX: usize = 8;
/// How questions end in Chinese and Japanese, with and without their mark.
const ASKING: &[&str] = &["吗", "嗎", "呢", "ですか", "ますか", "でしょうか", "ましたか"];

/// A sentence with its place in the transcript's text.
#[derive(Clone, Debug)]
pub struct Sentence {
    pub start: usize,
    pub end: usize,
    /// How much it says; see [`units`].
    pub units: usize,
    pub question: bool,
    pub courtesy: bool,
    /// It asks an assistant to do something now, and proposes nothing besides.
    pub order: bool,
    /// It asks to remember what was said before it.
    pub reminder: bool,
    pub hedged: bool,
    pub first_person: bool,
    /// It begins with yes or no.
    pub replies: bool,
    /// It begins with a word that points to what was said before.
    pub points: bool,
    pub named: bool,
    /// It has a number or tells a time: a month, a day of the week, "tomorrow".
    pub numbered: bool,
    /// Why it is proposed to a person: [`Sort::Remember`], [`Sort::Decide`], [`Sort::Meant`], [`Sort::Fact`], [`Sort::Project`] or
    /// [`Sort::Prefer`].
    pub sort: Option<Sort>,
    /// It begins like a correction of something that was said before.
    pub corrects: bool,
    /// Its numbers, dates and names, in lower case: what a correction shares with what it corrects.
    pub values: Vec<String>,
}

impl Sentence {
    /// The sentence from `start` on. `speakers` has the words of their names: an address is no information.
    pub fn new(start: usize, text: &str, speakers: &HashSet<String>) -> Self {
        let words = words(text);
        let found = PATTERNS.find(text, &words);
        let is = |sort: Sort| found.iter().any(|one| one.sort == sort);
        let is_named = |word: &Word| is_name(word) && !speakers.contains(&word.lower);
        let opening = opening(&found);
        let opens = |sort: Sort| found.iter().any(|one| one.sort == sort && one.from == opening);
        let units = units(&words).max(text.split_whitespace().count());
        let question = is_question(text);
        let reminder = PATTERNS.only_asks_to_remember(&words, &found);
        let sort = sort(&found).filter(|sort| {
            let claim = matches!(sort, Sort::Fact | Sort::Project | Sort::Prefer);
            let is_condition = claim && opens(Sort::If);
            !question && !reminder && units >= STATEMENT_MIN && !is_condition
        });
        let mut values: Vec<String> =
            words.iter().filter(|word| word.is_number() || is_named(word)).map(|word| word.lower.clone()).collect();
        let days = found.iter().filter(|one| one.sort == Sort::Calendar).filter_map(|one| words.get(one.from..one.to));
        values.extend(days.map(|day| day.iter().map(|word| word.lower.as_str()).collect::<String>()));
        Self {
            start,
            end: start + text.len(),
            units,
            question,
            courtesy: is(Sort::Courtesy) && units <= COURTESY_MAX && (question || sort.is_none()),
            order: is_order(&words, &found, sort),
            reminder,
            hedged: is(Sort::Hedge),
            first_person: is(Sort::First),
            replies: found.iter().any(|one| one.sort == Sort::Reply && one.from == 0),
            points: opens(Sort::Points),
            named: words.iter().any(is_named),
            numbered: is(Sort::Calendar) || is(Sort::When) || words.iter().any(Word::is_number),
            sort,
            corrects: !question && (is(Sort::Meant) || is(Sort::Actually)),
            values,
        }
    }

    /// Whether it states something, as far as its form says. `assisted`: orders are for an assistant.
    pub fn is_statement(&self, assisted: bool) -> bool {
        !(self.question || self.courtesy || self.reminder || self.order && assisted)
    }
}

/// How many words stand before the statement: "oh well, yes".
fn opening(found: &[Match]) -> usize {
    let fillers = found.iter().filter(|one| one.sort == Sort::Filler);
    fillers.fold(0, |opening, one| if one.from == opening { one.to } else { opening })
}

/// Whether a sentence asks for something now: "explain why we use Postgres". What it says in another clause or as a reason is a statement all
/// the same, and what is to be remembered or always done is no order.
fn is_order(words: &[Word], found: &[Match], sort: Option<Sort>) -> bool {
    let orders = || found.iter().filter(|one| one.sort == Sort::Order);
    let is = |sort: Sort| found.iter().any(|one| one.sort == sort);
    if sort.is_none() || orders().next().is_none() {
        return orders().next().is_some();
    }
    let within = |order: &Match, one: &Match| {
        let between = order.to.min(one.to)..=order.from.max(one.from);
        let reason = found.iter().any(|other| other.sort == Sort::Because && between.contains(&other.from));
        !reason && !words.get(between).unwrap_or_default().iter().any(|word| word.fresh)
    };
    let mut proposals = found.iter().filter(|one| one.sort.is_kept() || one.sort == Sort::Meant);
    sort != Some(Sort::Remember) && !is(Sort::Wish) && proposals.all(|one| orders().any(|order| within(order, one)))
}

/// Why a sentence is proposed to a person, if it is.
fn sort(found: &[Match]) -> Option<Sort> {
    let is = |sort: Sort| found.iter().any(|one| one.sort == sort);
    if is(Sort::Resolve) && (is(Sort::Because) || is(Sort::Instead)) {
        return Some(if is(Sort::Remember) { Sort::Remember } else { Sort::Decide });
    }
    // What somebody wants to be done always is a preference: "from now on write tests first".
    if is(Sort::Wish) && !is(Sort::Remember) {
        return Some(Sort::Prefer);
    }
    let plain = [Sort::Remember, Sort::Decide, Sort::Meant, Sort::Fact, Sort::Project, Sort::Prefer].into_iter().find(|sort| is(*sort));
    // "I have been on nights since March."
    plain.or((is(Sort::Lasting) && is(Sort::First)).then_some(Sort::Fact))
}

/// Whether a sentence ends like a question, and not inside somebody else's words.
fn is_question(text: &str) -> bool {
    let asks = |c: char| matches!(c, '?' | '？' | '؟');
    let bare = text.trim_end_matches(|c: char| !c.is_alphanumeric() && !asks(c));
    let inside = bare.chars().fold(false, quotes) && !text.starts_with(|c: char| quotes(false, c));
    let particle = ASKING.iter().any(|ending| bare.ends_with(*ending));
    particle || bare.ends_with(asks) && !inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Sentence {
        Sentence::new(0, text, &HashSet::from(["vera".to_owned()]))
    }

    #[test]
    fn questions_courtesies_and_orders_state_nothing() {
        for text in
            ["Where do you work?", "Thanks a lot!", "Wie geht es dir?", "¿Qué tal?", "住在东京吗？", "東京に住んでいますか。", "Спасибо!"]
        {
            assert!(!read(text).is_statement(false), "{text}");
        }
        assert!(!read("Please rephrase this.").is_statement(true) && read("Please rephrase this.").is_statement(false));
        assert!(!read("Mina asked: “Where are you?”").question && read("“Where are you?”").question);
    }

    #[test]
    fn conditions_are_no_facts_and_negations_are_part_of_one() {
        assert_eq!(read("If I am a guest, I bring wine.").sort, None);
        assert_eq!(read("Wenn ich in Bern wohne, komme ich.").sort, None);
        assert_eq!(read("I no longer eat meat.").sort, Some(Sort::Fact));
        assert_eq!(read("Am I a guest?").sort, None);
    }

    #[test]
    fn a_choice_needs_its_reason_to_be_a_decision() {
        assert_eq!(read("I decided to take a walk.").sort, None);
        assert_eq!(read("I decided on Postgres because the team knows it.").sort, Some(Sort::Decide));
    }

    #[test]
    fn what_a_sentence_names() {
        let sentence = read("We meet Mina at Kestrel on Tuesday at 10, Vera.");
        assert_eq!(sentence.values, ["mina", "kestrel", "tuesday", "10", "tuesday"]);
        assert!(sentence.named && sentence.numbered && sentence.first_person);
        assert_eq!(read("星期二我们在港口见面。").values, ["星期二"]);
        assert!(read("We meet in May.").numbered && !read("We may meet.").numbered, "a month or a verb");
    }
}
