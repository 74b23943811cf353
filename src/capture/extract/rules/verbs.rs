//! English verb forms, as far as the change from the first to the third person needs them.

/// Past forms that are no base form of another verb, and participles that follow "have".
#[rustfmt::skip]
const PAST: &[&str] = &[
    "ate", "awoke", "became", "been", "began", "beaten", "begun", "bent", "bit", "bled", "blew", "bought", "bound", "bred", "broke",
    "broken", "brought", "built", "burnt", "came", "caught", "chose", "chosen", "clung", "crept", "dealt", "did", "done", "dove",
    "drank", "drawn", "dreamt", "drew", "driven", "drove", "dug", "eaten", "fallen", "fed", "fell", "felt", "fled", "flew", "flown",
    "forgave", "forgot", "forgotten", "fought", "found", "froze", "frozen", "gave", "given", "gone", "got", "gotten", "grew", "grown",
    "had", "heard", "held", "hid", "hidden", "hung", "kept", "knew", "known", "laid", "lain", "leapt", "learnt", "led", "left", "lent",
    "lit", "lost", "made", "meant", "met", "mistook", "overcame", "paid", "ran", "rang", "ridden", "risen", "rode", "rose", "said",
    "sang", "sank", "sat", "saw", "seen", "sent", "shaken", "shone", "shook", "shot", "shown", "slept", "slid", "sold", "sought",
    "spent", "spoke", "spoken", "spun", "stole", "stolen", "stood", "struck", "stuck", "stung", "sung", "swam", "swept", "swore",
    "swung", "taken", "taught", "thought", "threw", "thrown", "told", "took", "tore", "torn", "underwent", "understood", "was", "went",
    "wept", "were", "withdrew", "woke", "woken", "won", "wore", "worn", "written", "wrote", "used",
];
/// Verbs with one form for present and past.
const SAME: &[&str] = &[
    "beat", "bet", "burst", "cast", "cost", "cut", "fit", "hit", "hurt", "let", "put", "quit", "read", "rid", "set", "shut", "split",
    "spread", "thrust", "upset",
];
/// Base forms that look like a past.
const LIKE_PAST: &[&str] =
    &["bleed", "breed", "embed", "exceed", "feed", "heed", "need", "proceed", "seed", "shed", "speed", "succeed", "weed"];
/// Frequent verbs that are hardly ever nouns.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "accept", "add", "adopt", "agree", "appreciate", "ask", "attend", "avoid", "be", "become", "begin", "believe", "belong", "bring", "build",
    "buy", "choose", "come", "cook", "consider", "continue", "count", "create", "decide", "describe", "develop", "do", "draw", "drive", "eat", "enjoy",
    "expect", "explore", "feel", "find", "finish", "forget", "get", "give", "go", "grow", "hate", "have", "hear", "help", "hope",
    "imagine", "join", "keep", "know", "learn", "leave", "like", "listen", "live", "look", "lose", "love", "maintain", "make", "manage", "mean",
    "meet", "miss", "need", "organize", "own", "pay", "plan", "play", "prefer", "prepare", "provide", "read", "realize", "receive",
    "recommend", "remember", "ride", "run", "say", "see", "seem", "sell", "send", "sing", "sit", "sleep", "sound", "speak", "spend", "stand",
    "start", "stay", "suffer", "swim", "take", "talk", "teach", "tell", "tend", "think", "travel", "trust", "try", "understand", "use", "visit",
    "volunteer", "wait", "wake", "walk", "want", "watch", "wear", "wish", "wonder", "work", "write",
];

/// Verbs that are hardly ever nouns, so that their form with "s" is no plural and "and" before them joins verbs.
#[rustfmt::skip]
const NEVER_NOUNS: &[&str] = &[
    "allow", "attend", "become", "believe", "bring", "choose", "create", "do", "eat", "encourage", "enjoy", "feel", "get", "give", "go",
    "have", "hear", "help", "inspire", "join", "keep", "know", "learn", "let", "listen", "live", "lose", "make", "mean", "meet", "pay",
    "prefer", "prepare", "read", "remember", "remind", "see", "seem", "sell", "send", "sing", "sit", "speak", "spend", "take", "teach",
    "tell", "think", "try", "understand", "want", "wear", "write",
];

/// What a word after the subject "I" may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Changes in the third person.
    Present,
    Past,
    /// Present or past: the word alone does not tell.
    Either,
}

/// The form of a word that stands where a verb does.
pub fn form(word: &str) -> Form {
    if is_past(word) {
        Form::Past
    } else if SAME.contains(&word) {
        Form::Either
    } else {
        Form::Present
    }
}

/// Whether a word is a past form or a participle and no base form.
pub fn is_past(word: &str) -> bool {
    PAST.contains(&word) || (word.len() > 3 && word.ends_with("ed") && !LIKE_PAST.contains(&word))
}

/// Whether a word is a frequent verb in its base form.
pub fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

/// Whether a word is a verb in its base form and hardly ever a noun.
pub fn is_never_noun(word: &str) -> bool {
    NEVER_NOUNS.contains(&word)
}

/// Whether a word can follow "have": "been", "finished".
pub fn is_participle(word: &str) -> bool {
    is_past(word) || SAME.contains(&word) || matches!(word, "become" | "come" | "run" | "overcome" | "begun" | "better")
}

/// The third person singular of a base form: "has", "goes", "tries", "watches".
pub fn third_person(base: &str) -> String {
    let before_y = base.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    match base {
        "am" | "be" => "is".into(),
        "have" => "has".into(),
        _ if before_y.is_some() => format!("{}ies", before_y.unwrap_or_default()),
        _ if ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| base.ends_with(end)) => format!("{base}es"),
        _ => format!("{base}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_person_is_spelled_as_it_should_be() {
        for (base, third) in [("have", "has"), ("go", "goes"), ("try", "tries"), ("play", "plays"), ("watch", "watches"), ("am", "is")] {
            assert_eq!(third_person(base), third);
        }
    }

    #[test]
    fn past_and_present_forms_differ() {
        assert_eq!(
            [form("went"), form("need"), form("painted"), form("read"), form("paint")],
            [Form::Past, Form::Present, Form::Past, Form::Either, Form::Present]
        );
    }
}
