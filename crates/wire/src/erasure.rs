//! Erasure of a person: requests that two admins make together, what would go, legal holds, and the signed report.

use super::text_enum::text_enum;
use super::{ErasureId, SourceForm, TenantId, UserId, UserRef};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter};
use std::str::FromStr;
use uuid::Uuid;

/// Days until a request that nobody confirms expires.
pub const ERASURE_DAYS: i64 = 14;
/// Most names of a person that mentions are searched for.
pub const ERASURE_NAMES_MAX: usize = 10;
/// Most characters of such a name.
pub const ERASURE_NAME_MAX: usize = 200;
/// Fewest characters of such a name.
const NAME_MIN: usize = 3;
/// The same with a letter of a script that joins words: a name often has two, and the next word follows without a blank.
const NAME_MIN_UNSPACED: usize = 2;
/// Most mentions that one request may erase.
pub const ERASURE_MENTIONS_MAX: usize = 1000;

/// Letters of scripts that join words: Thai and its neighbours, Hangul, Kana and Han. What follows a name is written as a part of the same
/// word.
pub const JOINED_SCRIPTS: [(char, char); 15] = [
    ('\u{e00}', '\u{eff}'),
    ('\u{1000}', '\u{109f}'),
    ('\u{1100}', '\u{11ff}'),
    ('\u{1780}', '\u{17ff}'),
    ('\u{3005}', '\u{3007}'),
    ('\u{3040}', '\u{318f}'),
    ('\u{31f0}', '\u{31ff}'),
    ('\u{3400}', '\u{4dbf}'),
    ('\u{4e00}', '\u{9fff}'),
    ('\u{a960}', '\u{a97f}'),
    ('\u{ac00}', '\u{d7ff}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{ff66}', '\u{ffdc}'),
    ('\u{20000}', '\u{2ffff}'),
    ('\u{30000}', '\u{3ffff}'),
];

/// Fewest characters of a name that is searched for.
pub fn erasure_name_min(name: &str) -> usize {
    if name.contains(joins_words) { NAME_MIN_UNSPACED } else { NAME_MIN }
}

/// Whether a letter is of a script that joins words.
pub fn joins_words(c: char) -> bool {
    JOINED_SCRIPTS.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// What may stand next to an end of a name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameEnd {
    /// Anything: the script of the name joins words.
    Any,
    /// No letter and no digit: the name is shorter than [`erasure_name_min`], and its script joins words.
    NoLetter,
    /// No letter and no digit of a script that puts blanks between words: “Vera” is in “Veraさん”, and not in “several”.
    NoSpacedLetter,
}

impl NameEnd {
    /// How a name begins and ends.
    pub fn of(name: &str) -> [Self; 2] {
        let is_short = name.chars().count() < erasure_name_min(name);
        let end = |edge: Option<char>| match edge.is_some_and(joins_words) {
            true if is_short => Self::NoLetter,
            true => Self::Any,
            false => Self::NoSpacedLetter,
        };
        [end(name.chars().next()), end(name.chars().next_back())]
    }

    /// Whether a character may stand there; `None` is an end of the text.
    pub fn allows(self, next: Option<char>) -> bool {
        let is_letter = next.is_some_and(char::is_alphanumeric);
        match self {
            Self::Any => true,
            Self::NoLetter => !is_letter,
            Self::NoSpacedLetter => !is_letter || next.is_some_and(joins_words),
        }
    }
}

/// Whether an “s” after a name is its genitive, as in “Veras Auto”: after a letter of a script with blanks between words.
pub fn has_genitive(name: &str) -> bool {
    name.chars().count() >= NAME_MIN && name.chars().next_back().is_some_and(|last| last.is_alphabetic() && !joins_words(last))
}

text_enum! {
    /// How far a request is.
    ErasureState {
        /// For a second admin.
        Waiting = "waiting",
        /// A second admin confirmed it; the job runs or waits for its turn.
        Confirmed = "confirmed",
        /// Everything is erased; the report says what.
        Done = "done",
        /// An admin withdrew it.
        Withdrawn = "withdrawn",
        /// Nobody confirmed it in time.
        Expired = "expired",
    }
}

text_enum! {
    /// What mentions a person.
    MentionPlace {
        Memory = "memory",
        /// A source as a whole.
        Source = "source",
        /// The turns of a source that the person says or is named in; the others stay.
        Turns = "turns",
        Event = "event",
        Retrieval = "retrieval",
        Quarantine = "quarantine",
        Proposal = "proposal",
        Decision = "decision",
        Action = "action",
        Step = "step",
        View = "view",
        Expectation = "expectation",
        AuditText = "audit_text",
        /// The organisation's vocabulary: erasure leaves it.
        Term = "term",
        /// The organisation's documents: erasure leaves them.
        Document = "document",
        /// The name of a set of expectations: erasure leaves it.
        ExpectationSet = "expectation_set",
    }
}

impl MentionPlace {
    /// Whether erasure may remove the mention. Terms are retired, documents are changed where they come from, and sets are deleted.
    pub fn is_erasable(self) -> bool {
        !matches!(self, Self::Term | Self::Document | Self::ExpectationSet)
    }
}

/// A row that mentions a person; its text form is `<place>:<id>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MentionRef {
    pub place: MentionPlace,
    pub id: Uuid,
}

impl Display for MentionRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.place, self.id)
    }
}

impl FromStr for MentionRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, id) = text.split_once(':').ok_or("must be <place>:<id>")?;
        Ok(Self { place: place.parse()?, id: id.parse().map_err(|_| "must be <place>:<id>, where the id is a UUID")? })
    }
}

/// A row that mentions a person and is not the person's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    pub place: MentionPlace,
    pub id: Uuid,
    /// Another user's; absent: nobody's.
    pub user_id: Option<UserId>,
    /// That user's name, or else the organisation's reference to them.
    pub user_name: Option<String>,
    /// The text around the first name in it.
    pub excerpt: String,
    /// Which of the searched names it has; several rows of one mention may each add them.
    pub names: Vec<String>,
    /// Of a source and of its turns: what goes with it.
    pub extent: Option<SourceExtent>,
}

/// How much of a source an erasure may take: the whole, or only the turns that name the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceExtent {
    /// The first part, whose id is that of the source.
    pub whole: Uuid,
    pub form: SourceForm,
    /// Of all parts; 0 for a text without turns.
    pub turns: i64,
    /// Those who speak and have a name.
    pub speakers: i64,
    /// Turns that the person says or is named in.
    pub naming: i64,
    /// Memories that quote nothing but this source: they stay without it, and lose their evidence.
    pub bereft: i64,
    /// Memories that a capture made, and that quote nothing but the turns that name the person: they go with these turns.
    pub derived: i64,
    /// Facts in profiles that cite a part with such a turn: they go with these turns, too.
    pub leaves: i64,
}

impl SourceExtent {
    /// Whether something is left of the source without the turns that name the person.
    pub fn is_divisible(&self) -> bool {
        (1..self.turns).contains(&self.naming)
    }
}

impl Mention {
    /// The row.
    pub fn row(&self) -> MentionRef {
        MentionRef { place: self.place, id: self.id }
    }
}

/// How many rows of a table are, or were, the person's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCount {
    pub database: String,
    pub table: String,
    /// What its rows are, in words. Counts that were stored by an older server have none.
    #[serde(default)]
    pub label: String,
    pub rows: i64,
}

/// A legal hold on a user: while it is open, nothing of the user is erased, archived or swept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct LegalHold {
    pub user_id: UserId,
    /// The user's name, or else the organisation's reference to them, in a list of holds.
    #[sqlx(default)]
    pub user_name: Option<String>,
    pub reason: String,
    pub set_by: String,
    pub set_at: DateTime<Utc>,
}

/// What an erasure would remove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasurePreview {
    pub user_id: UserId,
    pub external_ref: Option<String>,
    pub name: Option<String>,
    pub hold: Option<LegalHold>,
    /// Tables with rows of the person.
    pub tables: Vec<TableCount>,
    /// Rows of others that have one of the names, or the person's id or reference.
    pub mentions: Vec<Mention>,
    /// Whether there are more mentions than are listed.
    pub more: bool,
}

/// A request to erase a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewErasure {
    pub user: UserRef,
    /// Why, without the person's names: the reason stays.
    pub reason: String,
    /// What mentions were searched for.
    pub names: Vec<String>,
    /// The mentions that go, too.
    pub mentions: Vec<MentionRef>,
}

/// A request in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::FromRow)]
pub struct Erasure {
    pub id: ErasureId,
    pub user_id: UserId,
    /// The user's name, or else the organisation's reference to them; absent once the user is erased.
    pub user_name: Option<String>,
    pub reason: String,
    pub state: ErasureState,
    pub requested_by: Uuid,
    pub requested_by_name: String,
    pub requested_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub confirmed_by_name: Option<String>,
    pub confirmed_at: Option<DateTime<Utc>>,
    pub ended_by_name: Option<String>,
    pub ended_at: Option<DateTime<Utc>>,
    /// What the job does now.
    pub step: Option<String>,
    /// How many mentions go, too.
    pub mentions: i64,
}

/// A request with what it would remove, or what it removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureDetail {
    pub request: Erasure,
    /// What mentions were searched for: the names that were typed, and the person's id, reference and name. Emptied at the end.
    pub names: Vec<String>,
    /// The mentions that go, too, as far as they are still there.
    pub ticked: Vec<Mention>,
    /// While the request waits.
    pub preview: Option<ErasurePreview>,
    pub report: Option<SignedReport>,
}

/// What happened to the rows of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasedTable {
    pub database: String,
    pub table: String,
    /// What its rows are, in words. Reports of an older server have none, and are read as they were signed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Rows of the person before the erasure.
    pub found: i64,
    /// Rows of the person after it.
    pub left: i64,
}

/// A table that an erasure leaves, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTable {
    pub database: String,
    pub table: String,
    /// As in [`ErasedTable`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    pub why: String,
}

/// What an erasure did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureReport {
    pub format: String,
    pub tenant_id: TenantId,
    pub request_id: ErasureId,
    pub user_id: UserId,
    pub requested_by: String,
    pub requested_at: DateTime<Utc>,
    pub confirmed_by: String,
    pub confirmed_at: DateTime<Utc>,
    pub finished_at: DateTime<Utc>,
    pub tables: Vec<ErasedTable>,
    /// Rows of others that mentioned the person and went, too: how many of each place.
    pub mentions: Vec<(MentionPlace, i64)>,
    pub kept: Vec<KeptTable>,
    /// What the erasure does not reach.
    pub outside: Vec<String>,
}

/// A report with its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedReport {
    pub report: ErasureReport,
    /// `HMAC-SHA256`.
    pub algorithm: String,
    /// Over the report as compact JSON, 64 hexadecimal digits.
    pub signature: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_without_labels_is_read_as_it_was_signed() {
        let signed = r#"{"database":"agent_memory","table":"sources","found":3,"left":0}"#;
        let table: ErasedTable = serde_json::from_str(signed).unwrap();
        assert_eq!(serde_json::to_string(&table).unwrap(), signed);
    }

    #[test]
    fn a_mention_reads_back_and_nothing_else_does() {
        let mention = MentionRef { place: MentionPlace::AuditText, id: Uuid::from_u128(7) };
        assert_eq!(mention.to_string().parse(), Ok(mention));
        for wrong in ["", "memory", "memory:", "memory:7", "cellar:01900000-0000-7000-8000-000000000000"] {
            assert!(wrong.parse::<MentionRef>().is_err(), "{wrong}");
        }
    }
}
