//! What the turns around a turn say about it: the turns beside it, and its session. Pure.
//!
//! A turn is often about what the turn before it asked, and a question is often about one session of many. Facts that an agent noted one
//! after the other are no turns: they have no speaker.

use super::hybrid::{self, APART_MAX, Context, Turn};
use crate::api::MemoryId;
use std::collections::HashMap;

/// Turns of a session that speak for it.
const OF_SESSION: usize = 2;

/// Whether a memory is a turn of a conversation, as far as the turns around it matter: somebody says it, and it fits the question's project.
fn is_turn(turn: &Turn) -> bool {
    turn.speaker.is_some() && turn.scope > 0.0
}

/// For each turn, the cosine of the turn directly before or after it, whichever is higher; 0 where neither was scored. A passage needs none.
pub(super) fn beside<'a>(turns: &[Turn], context: impl Fn(&Turn) -> &'a Context) -> Vec<f64> {
    let cosines: HashMap<MemoryId, f64> =
        turns.iter().filter(|turn| is_turn(turn)).filter_map(|turn| Some((turn.id, turn.semantic?))).collect();
    let one = |turn: &Turn| {
        let [before, after, ..] = context(turn).0;
        let near = [before, after].into_iter().flatten().filter_map(|id| cosines.get(&id).copied()).fold(0.0, f64::max);
        if is_turn(turn) { near * (1.0 - hybrid::passage(turn.characters)) } else { 0.0 }
    };
    turns.iter().map(one).collect()
}

/// For each turn, how well its session matches: half of what words and meaning weigh in the best turns of it, in the mean. The turns of one
/// session follow each other within an hour.
pub(super) fn sessions(turns: &[Turn], covers: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; turns.len()];
    let mut places: Vec<usize> = (0..turns.len()).filter(|place| is_turn(&turns[*place])).collect();
    places.sort_by_key(|place| (turns[*place].conversation, turns[*place].said_at));
    let together = |one: &usize, next: &usize| {
        let (one, next) = (&turns[*one], &turns[*next]);
        one.conversation == next.conversation && next.said_at - one.said_at <= APART_MAX
    };
    for session in places.chunk_by(together) {
        let matched = |place: &usize| hybrid::matched(covers[*place], turns[*place].semantic, turns[*place].characters);
        let mut best: Vec<f64> = session.iter().map(matched).collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let value = best.iter().take(OF_SESSION).sum::<f64>() / OF_SESSION as f64 / 2.0;
        session.iter().for_each(|place| values[*place] = value);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::AgentId;
    use chrono::{DateTime, TimeDelta};
    use uuid::Uuid;

    fn turn(id: u128, minutes: i64, semantic: f64) -> Turn {
        Turn {
            id: MemoryId(Uuid::from_u128(id)),
            content: u64::try_from(id).unwrap(),
            said_at: DateTime::from_timestamp(1_800_000_000, 0).unwrap() + TimeDelta::minutes(minutes),
            conversation: (AgentId(Uuid::nil()), Uuid::nil()),
            speaker: Some("Vera".into()),
            characters: 40,
            terms: 6,
            is_code: false,
            is_named: false,
            is_wanted: false,
            semantic: Some(semantic),
            scope: 1.0,
            recency: 1.0,
            confidence: 1.0,
            asks: false,
            tells_time: false,
        }
    }

    #[test]
    fn a_turn_has_the_meaning_of_the_turns_beside_it() {
        let passage = Turn { characters: 2_500, ..turn(4, 3, 0.2) };
        let fact = Turn { speaker: None, ..turn(5, 4, 0.9) };
        let turns = [turn(1, 0, 0.3), turn(2, 1, 0.8), turn(3, 2, 0.1), passage, fact];
        let neighbours = |turn: &Turn| {
            let id = |at: u128| (1..=5).contains(&at).then(|| MemoryId(Uuid::from_u128(at)));
            let at = turn.id.0.as_u128();
            Context([id(at - 1), id(at + 1), None, None])
        };
        let contexts: HashMap<MemoryId, Context> = turns.iter().map(|turn| (turn.id, neighbours(turn))).collect();
        let values = beside(&turns, |turn| &contexts[&turn.id]);
        assert_eq!(values[..3], [0.8, 0.3, 0.8]);
        assert!((values[3] - 0.01).abs() < 1e-9, "a passage says itself what it is about, and a fact is no turn: {values:?}");
        assert_eq!(values[4], 0.0);
    }

    #[test]
    fn the_two_best_turns_speak_for_a_session() {
        let elsewhere = Turn { conversation: (AgentId(Uuid::nil()), Uuid::max()), ..turn(4, 1, 1.0) };
        let foreign = Turn { scope: 0.0, ..turn(5, 1, 1.0) };
        let turns = [turn(1, 0, 0.8), turn(2, 50, 0.4), turn(3, 200, 0.8), elsewhere, foreign, turn(6, 100, 0.2)];
        let values = sessions(&turns, &[0.0; 6]);
        // Two with one another within an hour, and a third after the second; alone after another hour; alone elsewhere.
        assert!((values[0] - 0.3).abs() < 1e-9 && values[0] == values[1] && values[1] == values[5], "{values:?}");
        assert!((values[2] - 0.2).abs() < 1e-9 && (values[3] - 0.25).abs() < 1e-9, "{values:?}");
        assert_eq!(values[4], 0.0, "another project's memory is judged by itself");
    }
}
