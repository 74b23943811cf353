use crate::{ConsoleError, features::people::EntryPath, ids::Ids, ui::text};
use remembrancer::api::{DecisionId, FieldError, MemoryId, PairId, RequestId, UploadedFile};
use serde::{Deserialize, Serialize};

/// The result of the last form, kept in the session until the next page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flash {
    pub text: String,
    /// Whether the form was refused and is shown again.
    pub refused: bool,
    #[serde(default)]
    pub fields: Vec<FieldError>,
    /// The input of the refused form.
    #[serde(default)]
    pub typed: String,
    #[serde(default)]
    pub request_id: Option<RequestId>,
    /// The decision that the message is about, if it can be undone.
    #[serde(default)]
    pub undo: Option<DecisionId>,
    /// The candidates whose decision can be undone.
    #[serde(default)]
    pub candidates: Ids<MemoryId>,
    /// The proposal about two memories whose decision can be undone.
    #[serde(default)]
    pub pair: Option<PairId>,
    /// The entry of a profile that was forgotten, which can be undone.
    #[serde(default)]
    pub entry: Option<EntryPath>,
    /// What became of the files of an upload.
    #[serde(default)]
    pub uploaded: Vec<UploadedFile>,
}

impl Flash {
    /// Most characters of a refused form that are kept, encoded as a query; bounds the session.
    pub const TYPED_MAX: usize = 300_000;

    /// A message about a form that succeeded.
    pub fn done(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            refused: false,
            fields: Vec::new(),
            typed: String::new(),
            request_id: None,
            undo: None,
            candidates: Ids::default(),
            pair: None,
            entry: None,
            uploaded: Vec::new(),
        }
    }

    /// A message about a form that was refused, with what was typed into it.
    pub fn refused(error: &ConsoleError, typed: &str) -> Self {
        let typed = typed.chars().take(Self::TYPED_MAX).collect();
        let (text, fields) = (text::sentence(&error.message), error.fields.clone());
        Self { refused: true, fields, typed, request_id: error.request_id, ..Self::done(text) }
    }

    /// The error of `field`, if it has one.
    pub fn field(&self, field: &str) -> Option<String> {
        self.fields.iter().find(|f| f.field == field).map(|f| text::sentence(&f.message))
    }
}
