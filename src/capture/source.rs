//! Sources: what is sent in, without its secrets, under an id that follows from its text.

use super::media;
use super::store::{self, Body, NewSource};
use chrono_tz::Tz;
use db::Tx;
use extract::parts::{PART_MAX, Part, split};
use extract::transcript::{self, ReadError};
use extract::{Role, Transcript, Turn};
use foundation::heavy::off_thread;
use foundation::idempotency::Once;
use foundation::identity::{acting_for, count_source};
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext, sessions};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use tokio::sync::Semaphore;
use uuid::Uuid;
use verb::verb;
use wire::{
    ATTACHMENT_MAX, AgentId, CaptureMode, FILENAME_MAX, KeyScope, MemoryScope, SOURCE_MAX, SourceDetails, SourceForm, SourceId, SourceKind,
    SourceResponse, TITLE_MAX, UserId, UserRef,
};
use words::guard::{Redacted, redact};

/// Characters of a title that is made from a text.
const TITLE: usize = 80;
/// Sources of more bytes than this are read a few at a time.
const LARGE: usize = 256 * 1024;
/// Places for large sources that are being read.
static LARGE_READS: Semaphore = Semaphore::const_new(2);

/// What an operator captures for an agent.
#[derive(Clone, Debug)]
pub struct Paste {
    pub agent_id: AgentId,
    pub mode: CaptureMode,
    pub scope: Option<MemoryScope>,
    pub project_id: Option<Uuid>,
    pub title: Option<String>,
    pub filename: Option<String>,
    /// Of the times in the text that have none; UTC by default.
    pub time_zone: Option<String>,
    /// On whose behalf: the source and its memories are this person's.
    pub user_id: Option<UserRef>,
    pub text: String,
}

/// Stores a source without reading anything out of it. Secrets become markers before anything is stored or hashed. The same text of the same
/// agent and user is stored once for each time zone that makes its times different.
///
/// # Errors
/// `Forbidden` without `capture:write`; `OverQuota` for a key that sent its share of the day; `Invalid` for the field `content` if it is
/// empty, too large, no text and no attachment, or a conversation that cannot be read: a table, or JSON without messages; `Invalid` for an
/// unknown `time_zone`.
#[verb(bytes = content.len())]
pub async fn add_source(engine: &Engine, ctx: &OpContext, details: SourceDetails, content: Vec<u8>) -> Result<SourceResponse, Error> {
    let agent = ctx.agent_id()?;
    ctx.require(KeyScope::CaptureWrite)?;
    let details = Admitted::new(details)?;
    let ctx = &acting_for(engine, ctx, details.user_id.as_ref()).await?;
    let once = Once::new(engine, ctx, "add_source", &details.clone().with(Admitted::new(Sha256::digest(&content).to_vec())?))?;
    count_source(engine, ctx, content.len()).await?;
    let read = Read::new(details, content).await?;
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    let answer = read.store(engine, ctx, &mut tx, agent).await?;
    once.commit(tx, &answer, &[]).await?;
    Ok(answer)
}

/// A source that was read and checked.
pub(super) struct Read {
    details: SourceDetails,
    form: SourceForm,
    redacted: Vec<String>,
    bytes: usize,
    turns: usize,
    timed: usize,
    speakers: usize,
    skipped: usize,
    warnings: Vec<String>,
    /// Of the whole text as it will be stored.
    digest: Vec<u8>,
    /// The time zone, if it changes a time.
    zone: Option<Tz>,
    title: String,
    parts: Vec<Part>,
    /// Bytes that are no text; then there is one part without a text.
    binary: Option<Binary>,
}

/// An attachment that is not text.
struct Binary {
    media_type: String,
    bytes: Vec<u8>,
}

impl Read {
    /// Reads a source: in a thread of its own, because a large one takes a second.
    ///
    /// # Errors
    /// `Invalid`, naming the field.
    pub async fn new(details: Admitted<SourceDetails>, content: Vec<u8>) -> Result<Self, Error> {
        let mut checks = Checks::default();
        let size = content.len();
        checks
            .that(size <= SOURCE_MAX, "content", format!("has {size} bytes; at most {SOURCE_MAX} are allowed: send it in several sources"))
            .optional_text("title", details.title.as_deref(), TITLE_MAX)
            .optional_text("filename", details.filename.as_deref(), FILENAME_MAX)
            .optional_text("attachment_id", details.attachment_id.as_deref(), FILENAME_MAX)
            .that(details.media_type.as_deref().is_none_or(media::is_valid), "media_type", "must be a media type such as application/pdf")
            .that(details.time_zone.is_none() || zone(&details).is_some(), "time_zone", "is not a time zone such as Europe/Zurich")
            .done()?;
        let details = details.into_inner();
        if details.form == Some(SourceForm::Attachment) && !transcript::is_text(&content) {
            return Self::binary(details, content);
        }
        // A caller that waits no longer leaves its thread behind: the thread keeps the place, so that few are left.
        let place = if size > LARGE { LARGE_READS.acquire().await.ok() } else { None };
        let read = off_thread(move || {
            let read = Self::from_bytes(details, &content);
            drop(place);
            read
        });
        read.await?
    }

    /// One statement as a source of its own: its text is not searched for turns.
    pub fn statement(details: Admitted<SourceDetails>, text: &str) -> Self {
        let Redacted { text, removed } = redact(text.trim());
        let (speaker, role, end) = (None, Role::Person, text.len());
        let turn = Turn { speaker, role, at: None, local: false, start: 0, end, text: text.clone(), cleared: false };
        Self::of(details.into_inner(), Transcript { turns: vec![turn], text, removed, ..Transcript::default() })
    }

    fn from_bytes(details: SourceDetails, content: &[u8]) -> Result<Self, Error> {
        let is_material = matches!(details.form, Some(SourceForm::Attachment | SourceForm::Document | SourceForm::ToolOutput));
        let read = match transcript::read(content) {
            // Tables and data are material like any other text; as conversations they would be misread.
            Err(ReadError::Foreign { .. } | ReadError::Shape(_)) if is_material => transcript::read_plain(content),
            read => read,
        };
        Ok(Self::of(details, read.map_err(refusal)?))
    }

    /// An attachment that is not text: it is kept and not read.
    fn binary(details: SourceDetails, bytes: Vec<u8>) -> Result<Self, Error> {
        let size = bytes.len();
        let message = format!("has {size} bytes and is not text; an attachment that is not text may have {ATTACHMENT_MAX} bytes");
        Checks::default().that(size <= ATTACHMENT_MAX, "content", message).done()?;
        let media_type = details.media_type.clone().unwrap_or_else(|| media::guess(&bytes).to_owned());
        let title = details.title.clone().or_else(|| details.filename.clone()).unwrap_or_else(|| media_type.clone());
        Ok(Self {
            form: SourceForm::Attachment,
            redacted: vec![],
            bytes: size,
            turns: 0,
            timed: 0,
            speakers: 0,
            skipped: 0,
            warnings: vec![],
            digest: Sha256::digest(&bytes).to_vec(),
            zone: None,
            title,
            parts: vec![Part { text: String::new(), turns: vec![] }],
            binary: Some(Binary { media_type, bytes }),
            details,
        })
    }

    fn of(details: SourceDetails, mut transcript: Transcript) -> Self {
        let zone = zone(&details);
        let digest = Sha256::digest(&transcript.text).to_vec();
        let title = details.title.clone().or_else(|| details.filename.clone()).unwrap_or_else(|| beginning(&transcript));
        let form = details.form.unwrap_or(SourceForm::Transcript);
        let speakers = transcript
            .turns
            .iter()
            .filter(|turn| turn.role != Role::Machine)
            .filter_map(|turn| turn.speaker.as_deref())
            .collect::<HashSet<_>>()
            .len();
        Self {
            form,
            redacted: transcript.removed.iter().map(ToString::to_string).collect(),
            bytes: transcript.text.len(),
            turns: transcript.turns.len(),
            timed: transcript.turns.iter().filter(|turn| turn.at.is_some()).count(),
            speakers,
            skipped: transcript.skipped,
            warnings: warnings(&transcript, form, speakers, zone),
            digest,
            zone: zone.filter(|zone| transcript::zone::settle(&mut transcript.turns, *zone)),
            title,
            parts: split(&transcript, PART_MAX),
            binary: None,
            details,
        }
    }

    /// Stores the parts, unless they are there.
    #[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
    pub async fn store(self, engine: &Engine, ctx: &OpContext, tx: &mut Tx, agent: AgentId) -> Result<SourceResponse, Error> {
        let user = ctx.user();
        let id = |part: i32| source_id(agent, user, (self.form, self.zone), &self.digest, part);
        let whole = id(1);
        let now = engine.clock().now();
        // A host knows better than its caller's arguments which session a source is from.
        let session_id = ctx.agent_session(agent).map(|(id, _)| id).or(self.details.session_id);
        let details = SourceDetails { session_id, ..self.details };
        let count = i32::try_from(self.parts.len()).unwrap_or(i32::MAX);
        let mut known = false;
        for (part, number) in self.parts.iter().zip(1..) {
            let turns = serde_json::to_value(&part.turns).map_err(Error::failed("turns cannot be serialised"))?;
            let source = NewSource {
                id: id(number),
                whole,
                part: number,
                parts: count,
                kind: kind(self.form),
                form: self.form,
                title: &self.title,
                details: &details,
                body: match &self.binary {
                    Some(Binary { media_type, bytes }) => Body::Bytes { media_type, bytes },
                    None => Body::Text(&part.text),
                },
                turns,
                user,
                now,
            };
            known = !store::insert_source(tx, ctx.tenancy(), agent, &source).await?;
            if known {
                break;
            }
        }
        if !known {
            let said: Vec<_> = self.parts.iter().flat_map(|part| &part.turns).filter_map(|turn| Some(turn.at?.to_utc())).collect();
            sessions::add_messages(tx, ctx, agent, self.turns, &said, now).await?;
        }
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        Ok(SourceResponse {
            source_id: whole,
            known,
            bytes: number(self.bytes),
            turns: number(self.turns),
            timed_turns: number(self.timed),
            speakers: number(self.speakers),
            skipped_messages: number(self.skipped),
            warnings: self.warnings,
            parts: i64::from(count),
            redacted: self.redacted,
            media_type: self.binary.map(|binary| binary.media_type),
        })
    }
}

/// The zone that the sender names.
fn zone(details: &SourceDetails) -> Option<Tz> {
    details.time_zone.as_deref()?.parse().ok()
}

/// The id follows from agent, user, form, text and zone: the bytes of somebody else tell nobody anything, and erasing one user's source leaves
/// the others' alone. A UUID of version 8 over SHA-256.
fn source_id(agent: AgentId, user: Option<UserId>, (form, zone): (SourceForm, Option<Tz>), digest: &[u8], part: i32) -> SourceId {
    let mut hasher = Sha256::new();
    hasher.update(b"source");
    hasher.update(agent.0.as_bytes());
    hasher.update(user.map_or([0; 16], |user| user.0.into_bytes()));
    hasher.update(form.as_str());
    hasher.update(part.to_le_bytes());
    hasher.update(digest);
    hasher.update(zone.map_or("", |zone| zone.name()));
    let mut bytes = [0; 16];
    for (byte, hashed) in bytes.iter_mut().zip(hasher.finalize()) {
        *byte = hashed;
    }
    SourceId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

fn kind(form: SourceForm) -> SourceKind {
    match form {
        SourceForm::Transcript | SourceForm::Summary => SourceKind::Conversation,
        SourceForm::Note => SourceKind::Manual,
        SourceForm::ToolOutput => SourceKind::Run,
        SourceForm::Document | SourceForm::Attachment => SourceKind::Document,
    }
}

fn refusal(error: ReadError) -> Error {
    let keep = match error {
        ReadError::Binary => "; send it with the form attachment to keep it without reading it",
        _ => "",
    };
    Error::invalid("content", format!("{error}{keep}"))
}

/// What the sender should know about how a source was read.
fn warnings(transcript: &Transcript, form: SourceForm, speakers: usize, zone: Option<Tz>) -> Vec<String> {
    // Times in a document matter little, unless people speak in it.
    let matters = speakers > 0 || matches!(kind(form), SourceKind::Conversation | SourceKind::Manual);
    let local = if zone.is_none() && matters { transcript.turns.iter().filter(|turn| turn.local).count() } else { 0 };
    let times = match local {
        1 => "1 time has no time zone and was".to_owned(),
        n => format!("{n} times have no time zone and were"),
    };
    let unclear = "Whether the day or the month comes first cannot be told, so the turns have no time.";
    let nobody = no_speakers(form, speakers, transcript.turns.len()).map(str::to_owned);
    let unclear = transcript.unclear_dates.then(|| unclear.to_owned());
    let local = (local > 0).then(|| format!("{times} read as UTC: send time_zone, such as Europe/Zurich."));
    [nobody, unclear, local].into_iter().flatten().collect()
}

/// What should be known about a conversation in which nobody is named.
pub(super) fn no_speakers(form: SourceForm, speakers: usize, turns: usize) -> Option<&'static str> {
    let nobody = form == SourceForm::Transcript && speakers == 0 && turns > 0;
    nobody.then_some("No speakers were found: the text is read as the words of one author.")
}

/// The first words that somebody says.
fn beginning(transcript: &Transcript) -> String {
    let text = transcript.turns.first().map_or(transcript.text.as_str(), |turn| turn.text.as_str());
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}
