//! Orders to an agent in plain words: "ignore previous instructions" and its variants, and roles that speak inside a turn.

use super::markup::is_zero_width;
use unicode_normalization::UnicodeNormalization;

const DISMISS: &[&str] = &["bypass", "discard", "disregard", "forget", "ignore", "neglect", "override", "overwrite", "skip"];
#[rustfmt::skip]
const EARLIER: &[&str] = &[
    "above", "all", "any", "current", "earlier", "every", "existing", "foregoing", "former", "initial", "original", "preceding",
    "previous", "prior", "safety", "system", "these", "your",
];
#[rustfmt::skip]
const RULES: &[&str] = &[
    "commands", "constraints", "context", "directions", "directives", "guardrails", "guidelines", "instruction", "instructions",
    "message", "messages", "policies", "programming", "prompt", "prompts", "restrictions", "rules", "safeguards",
];
/// Before the verb these make it a report: "I ignored", "they ignore".
const REPORTERS: &[&str] = &["i", "we", "he", "she", "they", "who", "people", "didn't", "always"];
/// The most words from the verb to what it dismisses.
const REACH: usize = 7;
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "new system prompt", "your system prompt", "the system prompt is", "print your instructions", "reveal your instructions",
    "repeat your instructions", "your new instructions", "new instructions for you", "from now on you must", "from now on you will",
    "from now on you are", "from now on you should", "you are now dan", "you are now in developer mode", "enable developer mode",
    "enter developer mode", "do anything now", "jailbreak mode", "you are no longer bound", "pretend you have no restrictions",
    "without any restrictions", "do not tell the user", "don't tell the user", "do not inform the user", "without telling the user",
    "without informing the user", "hide this from the user", "don't mention this to the user", "do not mention this to the user",
    "when the user asks", "whenever the user asks", "the user has already approved", "the user has authorized", "save to your memory",
    "store in your memory", "add to your memory", "write to your memory", "update your memory", "save this to memory",
    "store this in memory", "in your long-term memory", "in all future conversations", "in all future responses",
    "in every future conversation", "call the tool", "call the function", "execute the following", "run the following command",
    "as an ai you must", "as an ai agent you must", "important instructions for the assistant", "instructions for the ai",
    "note to the ai", "attention ai", "dear ai",
];
/// Roles that may not speak inside somebody's turn.
const ROLES: &[&str] = &["assistant", "developer", "system", "system prompt", "tool"];

/// Why the text may order an agent about.
pub fn reasons(text: &str) -> Vec<String> {
    let folded: String =
        text.nfkc().filter(|c| !is_zero_width(*c)).flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect();
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-')).filter(|word| !word.is_empty()).collect();
    let mut reasons = Vec::new();
    if dismisses(&words) {
        reasons.push("It asks to ignore instructions.".into());
    }
    let joined = format!(" {} ", words.join(" "));
    if let Some(phrase) = PHRASES.iter().find(|phrase| joined.contains(&format!(" {phrase} "))) {
        reasons.push(format!("It speaks to an agent: “{phrase}”."));
    }
    if folded.lines().skip(1).any(is_role) {
        reasons.push("A line in it begins like the turn of a system or an assistant.".into());
    }
    reasons
}

/// A verb of dismissal, then a word for what came before and one for rules, in any order, close together.
fn dismisses(words: &[&str]) -> bool {
    words.iter().enumerate().filter(|(_, word)| DISMISS.contains(word)).any(|(at, _)| {
        let near: Vec<&str> = words.iter().skip(at + 1).take(REACH).copied().collect();
        let reported = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| REPORTERS.contains(before));
        let rule = near.iter().position(|word| RULES.contains(word));
        let earlier = near.iter().position(|word| EARLIER.contains(word));
        !reported && rule.zip(earlier).is_some_and(|(rule, earlier)| rule.abs_diff(earlier) <= 4)
    })
}

/// "System: you are …", "### Assistant: sure, I …"
fn is_role(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | '[' | '>' | '-' | '_'));
    let Some((head, rest)) = line.split_once(':') else { return false };
    let head = head.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | ']' | '_'));
    ROLES.contains(&head) && rest.split_whitespace().count() > 2
}
