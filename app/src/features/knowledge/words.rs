//! Labels of documents.

use crate::ui::text;
use wire::{Document, DocumentKind};

pub fn kind_name(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Spec => "specification",
        DocumentKind::Adr => "decision",
        DocumentKind::Architecture => "architecture",
        DocumentKind::Glossary => "glossary",
        DocumentKind::Document => "document",
    }
}

/// `3 without vector`, while chunks of the document have no vector yet and only their words are searched.
pub fn waiting(document: &Document) -> Option<String> {
    let missing = document.chunks - document.embedded;
    (missing > 0).then(|| format!("{} without vector", text::number(missing)))
}
