//! How much a statement matters and how sure it is: small functions of what its words say.

use super::signals::{Signals, Sort};

/// The least importance of a candidate.
pub const FLOOR: f32 = 0.2;
/// Of a statement that somebody asked to remember.
pub const EXPLICIT: f32 = 0.95;
/// Words by which speakers say that they are not sure, in plain words (see `signals`).
#[rustfmt::skip]
const HEDGES: &[&str] = &[
    "maybe", "perhaps", "possibly", "i think", "i guess", "i suppose", "i believe", "might", "not sure", "kind of", "sort of", "seems",
    "apparently", "i heard", "i assume", "as far as i know", "not certain", "i am thinking", "may be", "probably",
];

/// The importance of a statement about a person, 0 to 1.
///
/// It begins at 0.2. What lasts (health, preferences, roles, relations, habits, possessions) adds 0.2, plans and events 0.15, what something
/// means to the speaker 0.1, each further sort 0.05; each name, number or title 0.05 up to 0.15; each topical word 0.03 up to 0.3. A
/// statement that speaks to the listener, only of a feeling or about everybody loses 0.1, one without the speaker 0.15.
pub fn importance(signals: &Signals) -> f32 {
    let sort = |sort: &Sort| match sort {
        Sort::Health | Sort::Preference | Sort::Role | Sort::Possession | Sort::Relation | Sort::Habit => 0.2,
        Sort::Plan | Sort::Event => 0.15,
        Sort::Meaning => 0.1,
        Sort::Feeling => 0.0,
    };
    let best = signals.sorts.iter().map(sort).fold(0.0, f32::max);
    let further = 0.05 * signals.sorts.iter().filter(|sort| **sort != Sort::Feeling).count().saturating_sub(1).min(3) as f32;
    let concrete = 0.05 * signals.concrete.min(3) as f32;
    let content = 0.03 * signals.content.min(10) as f32;
    let away = if signals.second_person { 0.1 } else { 0.0 } + if signals.first_person { 0.0 } else { 0.15 };
    let general = if signals.general { 0.1 } else { 0.0 };
    let felt = if signals.sorts == [Sort::Feeling] { 0.1 } else { 0.0 };
    (0.2 + best + further + concrete + content - away - felt - general).clamp(0.0, 1.0)
}

/// The confidence of a statement, 0 to 1: 0.85, less 0.25 for a hedge, less 0.1 if it is quoted, because nobody resolved whom its pronouns
/// mean.
pub fn confidence(hedged: bool, quoted: bool) -> f32 {
    0.85 - if hedged { 0.25 } else { 0.0 } - if quoted { 0.1 } else { 0.0 }
}

/// Whether the speaker says that they are not sure.
pub fn hedged(found: &[&str], signals: &Signals) -> bool {
    signals.says(HEDGES) || super::pattern::has_any(found, HEDGES)
}
