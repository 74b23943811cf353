//! The fields of a form as they were entered.

use std::str::FromStr;
use wire::{FieldError, UserRef};

/// The value that somebody typed into a field; none if the field is blank.
///
/// # Errors
/// The field with what is expected.
pub fn optional<T: FromStr>(field: &str, text: &str, expected: &str) -> Result<Option<T>, FieldError> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| FieldError::new(field, expected)),
    }
}

/// The user whom somebody named in a field; none if the field is blank.
///
/// # Errors
/// The field, for what names nobody.
pub fn user(field: &str, text: &str) -> Result<Option<UserRef>, FieldError> {
    optional(field, text, "Enter a name, a reference or an id.")
}

/// Defines the fields of a form as they were entered, each a text, with how a query carries them.
macro_rules! form {
    ($(#[$about:meta])* pub struct $form:ident { $($(#[$note:meta])* pub $field:ident: String,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $form {
            $($(#[$note])* pub $field: String,)+
        }

        impl $form {
            /// Reads the fields out of a query.
            pub fn read(query: &$crate::query::Query) -> Self {
                Self { $($field: query.text(stringify!($field)),)+ }
            }

            /// The fields by name, including empty ones.
            pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
                [$((stringify!($field), self.$field.as_str()),)+].into_iter()
            }

            /// Writes the fields into a query, from which a refused form is filled in again.
            pub fn query(&self) -> $crate::query::Query {
                self.fields().fold($crate::query::Query::default(), |query, (name, value)| query.with(name, value))
            }
        }
    };
}

pub(crate) use form;
