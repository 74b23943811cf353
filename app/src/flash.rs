use crate::{ConsoleError, ui::text};
use remembrancer::api::{DecisionId, FieldError, RequestId};
use serde::{Deserialize, Serialize};

/// What the last form did, kept in the session until the next page has shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flash {
    pub text: String,
    /// False: it was done. True: it was refused, and the form is shown again.
    pub refused: bool,
    #[serde(default)]
    pub fields: Vec<FieldError>,
    /// What had been typed into the form that was refused.
    #[serde(default)]
    pub typed: String,
    #[serde(default)]
    pub request_id: Option<RequestId>,
    /// The decision on the vocabulary that it tells of, if it can be taken back.
    #[serde(default)]
    pub undo: Option<DecisionId>,
}

impl Flash {
    /// Says what was done.
    pub fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), refused: false, fields: Vec::new(), typed: String::new(), request_id: None, undo: None }
    }

    /// Says why it was not done, and keeps what was typed.
    pub fn refused(error: &ConsoleError, typed: &str) -> Self {
        // A session is no place for a novel, and the limit of the field is far below.
        let typed = typed.chars().take(2000).collect();
        let (text, fields) = (text::sentence(&error.message), error.fields.clone());
        Self { text, refused: true, fields, typed, request_id: error.request_id, undo: None }
    }

    /// What is wrong with `field`, if that is why it was refused.
    pub fn field(&self, field: &str) -> Option<String> {
        self.fields.iter().find(|f| f.field == field).map(|f| text::sentence(&f.message))
    }
}
