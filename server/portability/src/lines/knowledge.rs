//! Lines of knowledge: documents through time, their text in chunks, and what they say about components.

use super::record::record;
use super::{Owner, Record, SOURCE_MAX, WORD_MAX, entries};
use crate::values::{Hash, Stamp};
use documents::{FILE_MAX, check_path};
use foundation::Checks;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::FromRow;
use wire::{CONTENT_MAX, ChunkId, DocumentId, DocumentKind, TITLE_MAX, TOPIC_MAX};
use words::normal;

/// Longest reference, in characters.
const REFERENCE_MAX: usize = 512;
/// Most headings above a chunk.
const HEADINGS_MAX: usize = 16;

/// One text of a document; in force if it has no end. Its chunks hold the text itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct DocumentLine {
    pub id: DocumentId,
    pub kind: DocumentKind,
    pub reference: Option<String>,
    pub collection: String,
    pub path: String,
    pub title: String,
    pub status: String,
    pub front_matter: Value,
    /// Of the file: an ingestion leaves files with a known hash alone.
    pub content_hash: Hash,
    /// The rules and the model that divided it into chunks: an ingestion with others divides it again.
    #[serde(default)]
    pub chunking: String,
    pub created_at: Stamp,
    pub valid_from: Stamp,
    pub valid_to: Option<Stamp>,
}

/// A part of a document's text. A server keeps no other copy of the text. Words and vectors derive from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ChunkLine {
    pub id: ChunkId,
    pub document_id: DocumentId,
    pub ordinal: i32,
    pub heading_path: Vec<String>,
    pub start_byte: i32,
    pub end_byte: i32,
    pub content: String,
}

/// What a document says about a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromRow)]
#[serde(deny_unknown_fields)]
pub struct ComponentLine {
    pub document_id: DocumentId,
    pub ordinal: i32,
    pub name: String,
    pub description: String,
    pub depends_on: Vec<String>,
}

impl Record for DocumentLine {
    record! {
        Document in "documents", of_users: false, by: [id], author: none, derived: none,
        owner: |_| Owner::Organisation, needs: |_| [],
    }

    fn check(&self, checks: &mut Checks) {
        checks
            .optional_text("reference", self.reference.as_deref(), REFERENCE_MAX)
            .text("collection", &self.collection, WORD_MAX)
            .text("title", &self.title, TITLE_MAX)
            .limit("status", &self.status, WORD_MAX)
            .limit("chunking", &self.chunking, super::NAME_MAX)
            .that(self.front_matter.is_object(), "front_matter", "must be an object");
        if let Err(problem) = check_path(&self.path) {
            checks.that(false, "path", problem);
        }
        let bytes = self.front_matter.to_string().len();
        checks.that(bytes <= SOURCE_MAX, "front_matter", format!("has {bytes} bytes as JSON; at most {SOURCE_MAX} are allowed"));
    }
}

impl Record for ChunkLine {
    record! {
        Chunk in "chunks", of_users: false, by: [id], author: none, derived: none,
        owner: |_| Owner::Organisation, needs: |it| [("document", it.document_id.to_string())],
    }

    fn check(&self, checks: &mut Checks) {
        let file = i32::try_from(FILE_MAX).unwrap_or(i32::MAX);
        checks
            .that(self.ordinal >= 0, "ordinal", "must not be negative")
            .that(self.heading_path.len() <= HEADINGS_MAX, "heading_path", format!("has more than {HEADINGS_MAX} headings"))
            .that((0..=file).contains(&self.start_byte), "start_byte", format!("must be from 0 to {file}"))
            .that((self.start_byte..=file).contains(&self.end_byte), "end_byte", format!("must be from start_byte to {file}"))
            .bytes("content", &self.content, CONTENT_MAX);
        for heading in &self.heading_path {
            checks.text("heading_path", heading, TOPIC_MAX);
        }
    }
}

impl Record for ComponentLine {
    record! {
        Component in "components", of_users: false, by: [document_id, ordinal], author: none, derived: { |it| normal = normal(&it.name) },
        owner: |_| Owner::Organisation, needs: |it| [("document", it.document_id.to_string())],
    }

    fn check(&self, checks: &mut Checks) {
        let bytes = self.description.len();
        checks
            .that(self.ordinal >= 0, "ordinal", "must not be negative")
            .text("name", &self.name, TOPIC_MAX)
            .that(bytes <= SOURCE_MAX, "description", format!("has {bytes} bytes; at most {SOURCE_MAX} are allowed"))
            .that(!self.description.contains('\0'), "description", "must not contain NUL");
        entries(checks, "depends_on", &self.depends_on);
        for form in &self.depends_on {
            checks.text("depends_on", form, TOPIC_MAX);
        }
    }
}
