//! Reads the bytes of a file as batches of records: one line in memory at a time, and batches of bounded size.

use super::canonical::{self, Names};
use super::lines::{FORMAT, LINE_MAX, Line, Record, SCHEMA, Section};
use super::mend::{self, Corrections};
use super::values::Hash;
use chrono::{DateTime, Utc};
use foundation::{Error, intake};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};
use wire::{AgentId, Area, FieldError};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Most lines, and most bytes of them, in one batch.
const BATCH_LINES: usize = 500;
const BATCH_BYTES: usize = 2 * 1024 * 1024;
/// Most lines of agents: only these are kept in memory.
const AGENTS_MAX: usize = 100_000;

/// Consecutive lines of one type, each with its number.
pub struct Batch {
    pub section: Section,
    pub lines: Vec<(u64, Line)>,
}

impl Batch {
    /// How many lines it has.
    pub fn count(&self) -> i64 {
        i64::try_from(self.lines.len()).unwrap_or(i64::MAX)
    }

    /// Its records of one type, each with its line.
    pub fn of<T: Record>(&self) -> impl Iterator<Item = (u64, &T)> {
        self.lines.iter().filter_map(|(line, record)| Some((*line, T::of(record)?)))
    }

    /// The line of the record with a key, or else the first.
    pub fn line_of(&self, key: &str) -> u64 {
        self.lines.iter().find(|(_, record)| record.key() == key).or(self.lines.first()).map_or(0, |(line, _)| *line)
    }
}

/// A file that is read from its start to its footer.
pub struct Reader<R> {
    input: R,
    buffer: Vec<u8>,
    /// Number of the line in `buffer`, from 1.
    number: u64,
    /// Bytes of the lines before it.
    passed: u64,
    hash: Sha256,
    /// The schema that the header names.
    schema: u64,
    /// When the file was written.
    moment: DateTime<Utc>,
    corrections: Corrections,
    names: Names,
    counts: BTreeMap<&'static str, u64>,
    only: Option<AgentId>,
    section: Section,
    /// The first line of the next batch, which is read already.
    ahead: Option<(u64, Line)>,
    done: bool,
}

impl<R: AsyncBufRead + Unpin + Send> Reader<R> {
    /// Reads the header. `names` maps the slugs of agents; with `only`, records of another agent are refused. `now` is the latest moment at
    /// which the file can have been written.
    ///
    /// # Errors
    /// `Invalid`, naming the line: no header, or a newer schema.
    pub async fn open(input: R, names: Names, only: Option<AgentId>, now: DateTime<Utc>) -> Result<Self, Error> {
        let mut reader = Self {
            input,
            buffer: Vec::new(),
            number: 0,
            passed: 0,
            hash: Sha256::new(),
            schema: 0,
            moment: now,
            corrections: Corrections::default(),
            names,
            counts: BTreeMap::new(),
            only,
            section: Section::Agent,
            ahead: None,
            done: false,
        };
        reader.header().await?;
        Ok(reader)
    }

    async fn header(&mut self) -> Result<(), Error> {
        let begins = self.advance().await?;
        // An editor may have put a byte order mark in front.
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
        let first = if begins { self.object().ok() } else { None };
        let header = first.filter(|fields| fields.get("format").and_then(Value::as_str) == Some(FORMAT));
        let header = header.ok_or_else(|| at(1, Error::invalid("", format!("is not the header of a {FORMAT} file"))))?;
        match header.get("schema").and_then(Value::as_u64) {
            Some(schema) if schema > SCHEMA => Err(at(
                1,
                Error::invalid(
                    "",
                    format!("says that the file has schema {schema}, but this server reads schemas up to {SCHEMA}: use a newer server"),
                ),
            )),
            Some(schema @ 1..) => {
                self.schema = schema;
                self.moment = mend::moment(&header, self.moment);
                self.seal();
                Ok(())
            }
            _ => Err(at(1, Error::invalid("schema", "must be a number from 1"))),
        }
    }

    /// The next lines of one type; none after the last, once counts and hash of the footer have been checked.
    ///
    /// # Errors
    /// `Invalid`, naming the line and what is wrong with it.
    pub async fn next(&mut self) -> Result<Option<Batch>, Error> {
        let Some(first) = self.line().await? else { return Ok(None) };
        let (section, start) = (self.section, self.passed);
        let mut lines = vec![first];
        while lines.len() < BATCH_LINES && self.passed - start < BATCH_BYTES as u64 {
            let Some(line) = self.line().await? else { break };
            if self.section != section {
                self.ahead = Some(line);
                break;
            }
            lines.push(line);
        }
        Ok(Some(Batch { section, lines }))
    }

    /// When the file was written: the time in its header, or now if that lies ahead.
    pub fn moment(&self) -> DateTime<Utc> {
        self.moment
    }

    /// What was corrected in the lines so far.
    pub fn corrections(&self) -> &Corrections {
        &self.corrections
    }

    /// How many bytes were read.
    pub fn position(&self) -> u64 {
        self.passed
    }

    async fn line(&mut self) -> Result<Option<(u64, Line)>, Error> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        if self.done {
            return Ok(None);
        }
        if !self.advance().await? {
            return Err(self.wrong("is missing: the file ends before its footer, so it was cut off"));
        }
        let mut fields = self.object()?;
        intake::record(&mut fields).map_err(|error| at(self.number, error))?;
        let kind = fields.get("type").and_then(Value::as_str).ok_or_else(|| self.wrong("has no type"))?.to_owned();
        let kind = kind.as_str();
        if kind == "footer" {
            self.footer(&fields)?;
            self.seal();
            if self.advance().await? {
                return Err(self.wrong("comes after the footer"));
            }
            self.done = true;
            return Ok(None);
        }
        let section = Section::named(kind).ok_or_else(|| self.wrong(format!("has the type {kind:?}, which this server does not know")))?;
        if section.schema() > self.schema {
            return Err(self.wrong(format!("is of the type {kind}, which a file of schema {} cannot have", self.schema)));
        }
        if section < self.section {
            return Err(self.wrong(format!("is of the type {kind}, which must come before {}", self.section.as_str())));
        }
        let (number, corrections) = (self.number, &mut self.corrections);
        mend::mend(&mut fields, self.moment, &mut |field, message| corrections.note(number, field, message));
        let line = canonical::read(section, fields, &self.names).map_err(|error| at(number, error))?;
        self.section = section;
        self.admit(section, &line)?;
        *self.counts.entry(section.as_str()).or_default() += 1;
        self.seal();
        Ok(Some((number, line)))
    }

    fn admit(&mut self, section: Section, line: &Line) -> Result<(), Error> {
        let area = section.area();
        if self.only.is_some() && matches!(area, Area::Vocabulary | Area::Knowledge) {
            return Err(
                self.wrong(format!("is a {} of the shared {area}: only an admin can import it, for the whole tenant", section.as_str()))
            );
        }
        if let Line::Agent(agent) = line {
            // A known slug means that agent, even if its id differs here.
            if self.names.id(&agent.slug).is_none() {
                self.names.add(agent.slug.clone(), agent.id);
            }
            if self.counts.get("agent").is_some_and(|agents| *agents >= AGENTS_MAX as u64) {
                return Err(self.wrong(format!("is one agent too many: a file may have at most {AGENTS_MAX}")));
            }
        }
        match (self.only, line.owner().agent()) {
            (Some(only), Some(agent)) if only != agent => {
                let (whose, only) = (self.names.slug(agent), self.names.slug(only));
                Err(self.wrong(format!("belongs to {whose}: this import accepts only records of {only}")))
            }
            _ => Ok(()),
        }
    }

    fn footer(&self, fields: &Map<String, Value>) -> Result<(), Error> {
        let lines: u64 = self.counts.values().sum();
        let counts = serde_json::to_value(&self.counts).map_err(Error::failed("the counts of a file cannot be serialised"))?;
        let sha256 = Hash(self.hash.clone().finalize().to_vec()).hex();
        if fields.get("lines").and_then(Value::as_u64) != Some(lines) || fields.get("counts") != Some(&counts) {
            return Err(
                self.wrong(format!("is the footer, but its counts do not match the {lines} lines before it: some are missing or too many"))
            );
        }
        if fields.get("sha256").and_then(Value::as_str) != Some(sha256.as_str()) {
            return Err(self.wrong("is the footer, but its SHA-256 does not match the lines before it: the file was changed"));
        }
        Ok(())
    }

    /// Counts the current line as read.
    fn seal(&mut self) {
        self.hash.update(&self.buffer);
        self.passed += self.buffer.len() as u64;
    }

    /// Reads the next line, its end included; false at the end of the file. It keeps no more bytes than a line may have.
    async fn advance(&mut self) -> Result<bool, Error> {
        self.buffer.clear();
        self.number += 1;
        loop {
            let part = self.input.fill_buf().await.map_err(Error::failed("the file cannot be read"))?;
            if part.is_empty() {
                return Ok(!self.buffer.is_empty());
            }
            let end = part.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(part.len(), |end| end + 1);
            if self.buffer.len() + length > LINE_MAX {
                return Err(self.wrong(format!("is longer than {LINE_MAX} bytes")));
            }
            self.buffer.extend_from_slice(part.get(..length).unwrap_or_default());
            self.input.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn object(&self) -> Result<Map<String, Value>, Error> {
        let cut = if self.buffer.ends_with(b"\n") { "" } else { "; the file ends in this line, so it was cut off" };
        match serde_json::from_slice(&self.buffer) {
            Ok(Value::Object(fields)) => Ok(fields),
            Ok(_) => Err(self.wrong(format!("is not an object{cut}"))),
            Err(error) => Err(self.wrong(format!("is not JSON: {error}{cut}"))),
        }
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        at(self.number, Error::invalid("", message))
    }
}

/// Adds the number of the line to an error.
pub fn at(line: u64, error: Error) -> Error {
    match error {
        Error::Invalid(fields) => {
            let named = |FieldError { field, message }: FieldError| FieldError {
                field: format!("line {line}"),
                message: if field.is_empty() { message } else { format!("{field} {message}") },
            };
            Error::Invalid(fields.into_iter().map(named).collect())
        }
        other => other,
    }
}
