//! What orders to an agent look like, in twelve languages, as data.
//!
//! A pattern is a row of words. `a|b` is one of them, `a_b` two words in a row, `a~` any word that begins so, `*` up to three words and `**`
//! up to seven. `^` before a pattern or a word: a clause begins there. Case, accents and points do not matter.

mod english;
mod germanic;
mod others;
mod romance;

/// What an order wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Dismiss,
    Reveal,
    Hide,
    Persona,
    Command,
    Rights,
    Memory,
    Reader,
}

impl Order {
    /// The finding, as a reviewer reads it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Dismiss => "It asks to ignore instructions.",
            Self::Reveal => "It asks for the instructions of an agent, or for its data.",
            Self::Hide => "It asks to hide something from the user.",
            Self::Persona => "It gives an agent another role, or lifts its limits.",
            Self::Command => "It tells an agent what to do or to say.",
            Self::Rights => "It gives somebody rights.",
            Self::Memory => "It dictates what to remember.",
            Self::Reader => "It speaks to an agent.",
        }
    }
}

/// All patterns, by groups of languages.
pub const PATTERNS: &[&[(Order, &str)]] = &[english::PATTERNS, germanic::PATTERNS, romance::PATTERNS, others::PATTERNS];

/// Before an order these make it a report: "I ignored", "they told us to ignore".
#[rustfmt::skip]
pub const REPORTERS: &[&str] = &[
    "i", "we", "he", "she", "they", "who", "people", "didn't", "nobody", "somebody", "attackers", "attacks", "phrase", "phrases", "text", "words",
    "prompt", "said", "says", "saying", "told", "tells", "asked", "asks", "asking", "wrote", "writes", "claims", "claimed", "reads", "like",
    "example", "called", "sentence", "tried", "tries", "trying", "wanted", "advised", "reported", "demanded", "injection", "detects", "detect",
    "blocked", "quotes", "quoted", "instead", "sagte", "sagt", "schrieb", "bat", "forderte", "behauptet", "stand", "wie", "satz", "ich", "wir", "er",
    "sie", "dit", "disait", "ecrit", "demande", "demandait", "phrase", "je", "nous", "il", "elle", "ils", "dijo", "dice", "escribio", "pidio",
    "frase", "yo", "nosotros", "ella", "ellos", "disse", "escreveu", "pediu", "eu", "nos", "ele", "ela", "eles", "detto", "scritto", "chiesto",
    "io", "noi", "lui", "lei", "loro", "zei", "schreef", "vroeg", "zin", "ik", "wij", "hij", "zij", "сказал", "сказала", "написал", "написала",
    "попросил", "попросила", "просил", "фраза", "он", "она", "они", "мы", "я", "قال", "قالت", "كتب", "طلب", "عبارة", "कहा", "लिखा", "बोला",
];
/// The same in scripts without spaces, anywhere in the sentence.
#[rustfmt::skip]
pub const REPORTED: &[&str] = &["说过", "说了", "写道", "写着", "他说", "她说", "提到了", "這句", "这句", "例如", "と言", "と書", "と述", "という", "と頼"];
