//! Questions that repeat an earlier one of the same user, by their words. Pure.

use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeSet, HashMap};
use wire::{AgentId, UserId};
use words::stems;

/// The least Jaccard index of two questions that are nearly the same: four of five words.
const ALIKE: (usize, usize) = (4, 5);
/// How long a question is remembered.
const DAYS: i64 = 30;
/// Nearer in time, two questions belong to one turn: an agent may assemble a context and search for the same words.
const TURN_MINUTES: i64 = 10;

/// A question that an agent asked.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Question {
    pub agent_id: AgentId,
    pub user_id: Option<UserId>,
    pub at: DateTime<Utc>,
    pub query: String,
}

/// Which of these questions, ordered by time, are nearly the same as one that the agent asked for the same user in the 30 days before, at
/// least ten minutes earlier: the Jaccard index of their content words is 0.8 or more.
///
/// Two sets whose index is this high have a term in common among the first `n - ⌈0.8 n⌉ + 1` of their `n` terms in any fixed order, so only
/// questions with such a term are compared.
pub fn repeated(questions: &[Question]) -> Vec<bool> {
    let terms: Vec<BTreeSet<String>> = questions.iter().map(|one| content_terms(&one.query)).collect();
    let mut by_term: HashMap<(AgentId, Option<UserId>, &str), Vec<usize>> = HashMap::new();
    let mut repeats = Vec::with_capacity(questions.len());
    for (place, (question, own)) in questions.iter().zip(&terms).enumerate() {
        let (agent, user) = (question.agent_id, question.user_id);
        let earlier = |other: &usize| {
            let passed = question.at - questions[*other].at;
            passed >= TimeDelta::minutes(TURN_MINUTES) && passed <= TimeDelta::days(DAYS) && are_alike(own, &terms[*other])
        };
        let asked = |term: &str| by_term.get(&(agent, user, term)).is_some_and(|others| others.iter().rev().any(earlier));
        repeats.push(prefix(own).any(asked));
        for term in prefix(own) {
            by_term.entry((agent, user, term)).or_default().push(place);
        }
    }
    repeats
}

/// The terms of a question; none of one that has only function words, such as "What is it?", which says nothing alone.
fn content_terms(query: &str) -> BTreeSet<String> {
    if stems::has_only_function_words(query) { BTreeSet::new() } else { stems::terms(query).into_keys().collect() }
}

/// The terms of which one is also among these terms of any set that is alike.
fn prefix(terms: &BTreeSet<String>) -> impl Iterator<Item = &str> {
    let least = (terms.len() * ALIKE.0).div_ceil(ALIKE.1);
    let length = if terms.is_empty() { 0 } else { terms.len() - least + 1 };
    terms.iter().take(length).map(String::as_str)
}

/// Whether the Jaccard index of two sets is high enough. Two empty sets are not alike.
fn are_alike(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    common > 0 && common * ALIKE.1 >= all * ALIKE.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn question(minutes: i64, user: u128, query: &str) -> Question {
        let at = DateTime::from_timestamp(1_780_000_000, 0).unwrap() + TimeDelta::minutes(minutes);
        Question { agent_id: AgentId(Uuid::from_u128(1)), user_id: Some(UserId(Uuid::from_u128(user))), at, query: query.into() }
    }

    #[test]
    fn a_question_repeats_one_of_the_same_user_with_nearly_the_same_words() {
        let asked = [
            question(0, 1, "Which day do we deploy the harbour service?"),
            question(5, 1, "Which day do we deploy the harbour service?"),
            question(60, 2, "Which day do we deploy the harbour service?"),
            question(61, 1, "On which day is the harbour service deployed?"),
            question(62, 1, "Which day do we deploy the kettle?"),
            question(63, 1, "What is it?"),
            question(90, 1, "What is it?"),
            question(61 + 30 * 24 * 60, 1, "Which day do we deploy the harbour service?"),
            question(62 + 60 * 24 * 60, 1, "Which day do we deploy the harbour service?"),
        ];
        assert_eq!(repeated(&asked), [false, false, false, true, false, false, false, true, false]);
    }

    proptest! {
        #[test]
        fn the_shortcut_finds_what_comparing_all_pairs_finds(asked in proptest::collection::vec((0_u128..2, 0_usize..64, 5_i64..20_000), 0..40)) {
            let nouns = ["harbour", "kettle", "violin", "orchard", "lantern", "bridge"];
            let mut at = 0;
            let list: Vec<Question> = asked.iter().map(|(user, set, later)| {
                at += later;
                let query: Vec<&str> = nouns.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, noun)| *noun).collect();
                question(at, *user, &query.join(" "))
            }).collect();
            let sets: Vec<BTreeSet<String>> = list.iter().map(|one| stems::terms(&one.query).into_keys().collect()).collect();
            let brute: Vec<bool> = (0..list.len()).map(|i| (0..i).any(|j| {
                let passed = list[i].at - list[j].at;
                list[i].user_id == list[j].user_id && passed >= TimeDelta::minutes(TURN_MINUTES) && passed <= TimeDelta::days(DAYS)
                    && are_alike(&sets[i], &sets[j])
            })).collect();
            prop_assert_eq!(repeated(&list), brute);
        }
    }
}
