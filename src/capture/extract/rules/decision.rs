//! Decisions with their reasons and rejected alternatives, corrections, explicit wishes to remember, and facts about projects.

use super::pattern::{begins, begins_any, has_any, place};
use super::signals::Signals;
use super::words::{Word, lower, words};
use std::collections::BTreeSet;

/// In plain words (see `signals`): somebody chose.
#[rustfmt::skip]
const DECIDED: &[&str] = &[
    "i decided", "i have decided", "i agreed", "i have agreed", "i chose", "i have chosen", "i are going with", "i am going with",
    "i went with", "i will go with", "i picked", "i settled on", "i opted", "i are switching", "i am switching", "i switched",
    "i will use", "i are using", "i am using", "the decision is", "team decided", "team agreed", "team chose", "it was decided",
    "i rejected", "i ruled out", "i dropped", "i are moving to", "i am moving to", "decision", "decided to",
];
const REASONS: &[&str] =
    &["because of", "because", "due to", "so that", "the reason is", "the reason being", "in order to", "given that", "since"];
const REJECTED: &[&str] =
    &["instead of", "rather than", "over", "as opposed to", "and not", "and rejected", "and dropped", "but not", "not"];
/// What follows "since" when it tells a time.
#[rustfmt::skip]
const TIMES: &[&str] = &[
    "last", "then", "the", "i", "we", "my", "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december", "monday", "yesterday", "birth",
];
const LABELS: &[&str] = &["decision:", "decided:", "resolution:"];
#[rustfmt::skip]
const CORRECTIONS: &[&str] = &[
    "correction", "i meant", "i was wrong", "i made a mistake", "i misspoke", "to correct", "that was wrong", "not anymore",
    "scratch that",
];
#[rustfmt::skip]
const REMEMBER: &[&str] = &[
    "please remember that", "remember that", "please remember", "remember:", "don't forget that", "do not forget that", "don't forget",
    "do not forget", "keep in mind that", "keep in mind", "bear in mind that", "please note that", "note that", "note to self",
    "make a note that", "for future reference", "for your information", "fyi", "important",
];
/// Words of software projects that are rare elsewhere.
#[rustfmt::skip]
const TECHNICAL: &[&str] = &[
    "api", "apis", "backend", "changelog", "ci", "cli", "codebase", "config", "crate", "database", "deploy", "deploys", "deployed",
    "deployment", "deployments", "docker", "endpoint", "endpoints", "frontend", "github", "grafana", "kubernetes", "linter", "mysql",
    "postgres", "prod", "prometheus", "redis", "refactor", "repo", "repository", "rollback", "runbook", "schema", "sql", "sqlite",
    "staging", "terraform", "webhook", "webhooks", "yaml",
];
/// Words that are technical beside another of them.
#[rustfmt::skip]
const HALF_TECHNICAL: &[&str] = &[
    "alert", "alerts", "branch", "bug", "bugs", "build", "builds", "cache", "cluster", "code", "commit", "configuration", "container",
    "dashboard", "dependency", "index", "library", "logs", "merge", "migration", "migrations", "module", "package", "parser",
    "pipeline", "production", "query", "queries", "queue", "release", "releases", "script", "server", "servers", "service", "services",
    "table", "tables", "test", "tests", "timeout", "token", "tokens", "version", "workflow",
];
#[rustfmt::skip]
const HINTS: &[&str] = &[
    "always", "never", "make sure", "be sure", "you need to", "you must", "you have to", "don't", "do not", "before", "remember to",
    "i always", "i never", "run", "use",
];

/// A decision's parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub rationale: Option<String>,
    pub alternatives: Vec<String>,
}

/// The statement as a decision: somebody chose, and says why or what was rejected, or calls it a decision.
pub fn decision(statement: &str, found: &[Word], signals: &Signals) -> Option<Decision> {
    let labelled = LABELS.iter().any(|label| statement.to_lowercase().starts_with(label));
    if !labelled && !signals.says(DECIDED) {
        return None;
    }
    let parts = Decision { rationale: rationale(statement, found), alternatives: alternatives(statement, found) };
    let about_things = is_technical(found);
    (labelled
        || !parts.alternatives.is_empty()
        || (parts.rationale.is_some() && about_things)
        || (about_things && signals.says(DECIDED) && lower(found).iter().any(|word| word.starts_with("decid") || *word == "agreed")))
    .then_some(parts)
}

fn rationale(statement: &str, found: &[Word]) -> Option<String> {
    let lowers = lower(found);
    let (reason, at) = REASONS
        .iter()
        .filter_map(|reason| Some((*reason, place(&lowers, reason)?)))
        .min_by_key(|(reason, at)| (*at, std::cmp::Reverse(reason.len())))?;
    let after = at + reason.split(' ').count();
    let joined = !found.get(at)?.fresh;
    let tells_time = |next: &&str| next.starts_with(|c: char| c.is_ascii_digit()) || (joined && TIMES.contains(next));
    if reason == "since" && lowers.get(after).is_none_or(tells_time) {
        return None;
    }
    clause(statement, found, after, &["instead of", "rather than", "and rejected"])
}

fn alternatives(statement: &str, found: &[Word]) -> Vec<String> {
    let lowers = lower(found);
    let stop = REASONS.iter().filter_map(|reason| place(&lowers, reason)).min().unwrap_or(lowers.len());
    let rejected = REJECTED.iter().find_map(|phrase| {
        let at = place(&lowers, phrase)?;
        let negated = *phrase == "not" && !found.get(at)?.fresh;
        // "over the weekend", "over 30 people"
        let next = lowers.get(at + phrase.split(' ').count())?;
        let spatial = *phrase == "over"
            && (matches!(*next, "the" | "there" | "here" | "a" | "my" | "our" | "time" | "again" | "and" | "to")
                || next.starts_with(|c: char| c.is_ascii_digit()));
        // A reason may say "instead of" too.
        (!negated && !spatial && (at < stop || phrase.contains("instead") || phrase.contains("reject")))
            .then_some(at + phrase.split(' ').count())
    });
    let Some(clause) = rejected.and_then(|after| clause(statement, found, after, REASONS)) else { return Vec::new() };
    clause
        .split(" or ")
        .flat_map(|part| part.split(", "))
        .flat_map(|part| part.split(" and "))
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// The words from `after` until one of `stops` or the end of the clause.
fn clause(statement: &str, found: &[Word], after: usize, stops: &[&str]) -> Option<String> {
    let rest = found.get(after..)?;
    let first = rest.first()?;
    let lowers = lower(rest);
    let stop = stops.iter().filter_map(|stop| place(&lowers, stop)).filter(|at| *at > 0).min();
    let end = match stop.and_then(|stop| rest.get(stop)) {
        Some(word) => word.start,
        None => rest.last()?.end,
    };
    let text = statement.get(first.start..end)?.trim().trim_end_matches([',', '.', ';', ' ', '(']);
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether a sentence corrects something: "No, it is …", "Actually, it's …", "I meant …".
/// "No" after a question is an answer.
pub fn corrects(sentence: &str, found: &[Word], after_question: bool) -> bool {
    let lowers = lower(found);
    let after_no = matches!(lowers.as_slice(), ["no" | "nope" | "sorry" | "wait", next, ..] if matches!(*next, "it's" | "it" | "that's" | "the" | "i" | "i'm" | "she" | "he" | "we" | "my" | "she's" | "he's" | "actually" | "i've" | "they" | "not"))
        && found.get(1).is_some_and(|word| word.fresh);
    let actually = lowers.first() == Some(&"actually") && found.get(1).is_some_and(|word| word.fresh) && !sentence.contains('?');
    // "It's Thursday, not Wednesday."
    let opens = matches!(lowers.first(), Some(&("it's" | "it" | "that's" | "the" | "my" | "i'm" | "she's" | "he's")));
    let contrast = opens && found.len() <= 12 && lowers.windows(2).zip(found).any(|(pair, place)| matches!(pair, ["not", next] if place.fresh && !matches!(*next, "just" | "only" | "to" | "even" | "really" | "a" | "that" | "too" | "sure")));
    (after_no && !after_question) || actually || contrast || has_any(&lowers, CORRECTIONS)
}

/// What somebody asks to remember, if they do: "Remember that I'm allergic to nuts" gives "I'm allergic to nuts".
pub fn to_remember(sentence: &str) -> Option<&str> {
    let found = words(sentence);
    let lowers = lower(&found);
    // "Remember when we …" and "I remember that" recall something; "important" and "fyi" need a colon or comma.
    let start = usize::from(
        matches!(lowers.first(), Some(&("please" | "also" | "and" | "ok" | "okay")))
            && !begins(&lowers, "please remember")
            && !begins(&lowers, "please note"),
    );
    let rest = lowers.get(start..)?;
    let phrase = REMEMBER.iter().map(|phrase| phrase.trim_end_matches(':')).find(|phrase| begins(rest, phrase))?;
    let at = start + phrase.split(' ').count();
    let next = found.get(at)?;
    let separate = phrase.ends_with("that") || next.fresh;
    let wanted = separate
        || (phrase.contains("remember") || phrase.contains("forget"))
            && matches!(next.lower.as_str(), "my" | "i" | "i'm" | "our" | "we" | "the" | "i've" | "we're");
    (wanted && lowers.len() >= at + 3).then(|| sentence.get(next.start..))?
}

pub fn is_technical(found: &[Word]) -> bool {
    let half: BTreeSet<&str> = found.iter().map(|word| word.lower.as_str()).filter(|word| HALF_TECHNICAL.contains(word)).collect();
    half.len() > 1 || found.iter().any(|word| TECHNICAL.contains(&word.lower.as_str()))
}

/// Whether a statement tells how to do something in a project: "Always run the migrations before the tests."
pub fn is_hint(found: &[Word]) -> bool {
    let lowers = lower(found);
    is_technical(found) && begins_any(&lowers, HINTS)
}
