use crate::{ConsoleError, ui::text};
use remembrancer::api::{FieldError, RequestId};
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
}

impl Flash {
    /// Says what was done.
    pub fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), refused: false, fields: Vec::new(), typed: String::new(), request_id: None }
    }

    /// Says why it was not done, and keeps what was typed.
    pub fn refused(error: &ConsoleError, typed: &str) -> Self {
        // A session is no place for a novel, and the limit of the field is far below.
        let typed = typed.chars().take(2000).collect();
        Self { text: text::sentence(&error.message), refused: true, fields: error.fields.clone(), typed, request_id: error.request_id }
    }

    /// What is wrong with `field`, if that is why it was refused.
    pub fn field(&self, field: &str) -> Option<String> {
        self.fields.iter().find(|f| f.field == field).map(|f| text::sentence(&f.message))
    }
}
