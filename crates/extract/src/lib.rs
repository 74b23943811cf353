//! From what somebody pasted to candidate memories: no database, no clock and no model.
//!
//! [`transcript::read`] turns a file into one text with turns, without secrets. [`quotes`] proposes candidates from it. Each candidate quotes
//! the place of the text that it comes from.

pub mod parts;
pub mod quotes;
pub mod recalled;
pub mod redact;
pub mod transcript;

use chrono::{DateTime, FixedOffset, Utc};
use serde::{Deserialize, Serialize};
use wire::{Category, MemoryKind, MemoryScope};
use words::guard;

/// A conversation as it is stored: one text without secrets, and the turns in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// What is stored. All offsets are bytes of it.
    pub text: String,
    /// In the order of the text; they do not overlap.
    pub turns: Vec<Turn>,
    /// Secrets that were replaced by a marker, in the order of the text.
    pub removed: Vec<guard::SecretKind>,
    /// Messages of a list that could not be read and were left out.
    #[serde(default)]
    pub skipped: usize,
    /// Dates such as 03/05/2026 of which nobody can tell the day: their turns have no time.
    #[serde(default)]
    pub unclear_dates: bool,
}

/// What one speaker said at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The name as the transcript has it; absent in notes.
    pub speaker: Option<String>,
    pub role: Role,
    /// When it was said, on the clock of the speaker, as far as the transcript says so. Without a zone it is UTC until
    /// [`transcript::zone::settle`] sets one.
    pub at: Option<DateTime<FixedOffset>>,
    /// The transcript has no zone for this time.
    #[serde(skip)]
    pub local: bool,
    /// Where its words begin and end in the transcript's text.
    pub start: usize,
    pub end: usize,
    pub text: String,
    /// A person read it in quarantine and released it: it is not inspected again.
    #[serde(default)]
    pub cleared: bool,
}

/// What a speaker is to the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A person, with or without a name.
    #[default]
    Person,
    /// An LLM agent: what it says about itself is not remembered.
    Assistant,
    /// Instructions and tool outputs: nothing is extracted from them.
    Machine,
}

/// What an extractor found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    pub candidates: Vec<Candidate>,
    /// Turns that may carry instructions for an agent. Nothing is extracted from them, and no synthesis may read them.
    pub quarantined: Vec<Quarantined>,
    /// The byte up to which the text was read.
    pub read_to: usize,
    /// Statements of a model that quote nothing of the text, and were dropped.
    pub dropped: u32,
}

/// A memory that an extractor proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Profile: a fact about a person, an event of their life, a plan. Episode: a passing state. Decision, project, artifact and task hint
    /// as their names say.
    pub kind: MemoryKind,
    /// The narrowest scope that fits. A capture may widen it.
    pub scope: MemoryScope,
    /// A quotation with its speaker, or one fact that a model restates: it can be understood without the conversation.
    pub statement: String,
    /// How sure the speaker is, and how sure the extractor is of its reading: 0 to 1.
    pub confidence: f32,
    /// How much it matters, 0 to 1.
    pub importance: f32,
    /// A topic in a few words: a proposal, not a canonical term.
    pub topic: String,
    /// Whom or what it is about, if that is clear.
    pub subject: Option<String>,
    pub category: Option<Category>,
    /// The time of the turn.
    pub observed_at: Option<DateTime<Utc>>,
    pub span: Span,
    /// Of decisions: why.
    pub rationale: Option<String>,
    /// Of decisions: what was rejected.
    pub alternatives: Vec<String>,
    /// The speaker corrects something that was said before.
    pub corrects: bool,
}

/// A place in the transcript's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    /// Exactly the bytes from `start` to `end`.
    pub quote: String,
}

impl Span {
    /// The place from `start` to `end`; `None` if these are no boundaries of characters in the text.
    pub fn of(text: &str, start: usize, end: usize) -> Option<Self> {
        Some(Self { start, end, quote: text.get(start..end)?.to_owned() })
    }
}

/// A turn that is kept from extraction, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quarantined {
    pub span: Span,
    /// Sentences for the person who reviews it; at least one.
    pub reasons: Vec<String>,
}

/// A turn that may carry instructions for an agent; `None` for an ordinary one, and for one that a person released.
pub fn quarantined(transcript: &Transcript, turn: &Turn) -> Option<Quarantined> {
    let mut reasons = if turn.cleared { Vec::new() } else { guard::inspect(&turn.text) };
    if let Some(name) = turn.speaker.as_deref().filter(|_| !turn.cleared && reasons.is_empty()) {
        reasons = guard::inspect(name);
    }
    let span = Span::of(&transcript.text, turn.start, turn.end).filter(|_| !reasons.is_empty())?;
    Some(Quarantined { span, reasons })
}
