use crate::{ConsoleError, query::Query, ui::text};
use serde::{Deserialize, Serialize};
use wire::{FieldError, RequestId, UploadedFile};

/// The result of the last form, kept in the session until the next page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// How to undo what the message is about, if that is possible.
    #[serde(default)]
    pub inverse: Option<Inverse>,
    /// What became of the files of an upload.
    #[serde(default)]
    pub uploaded: Vec<UploadedFile>,
}

/// The form that undoes something: the path of a server function and its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inverse {
    pub action: String,
    pub fields: Vec<(String, String)>,
    /// The name of its button; empty: “Undo”.
    #[serde(default)]
    pub name: String,
}

impl Flash {
    /// Most characters of a refused form that are kept, encoded as a query; bounds the session.
    pub const TYPED_MAX: usize = 300_000;

    /// A message about a form that succeeded.
    pub fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A message about a form that changed nothing: somebody else was faster, or nothing of it could be used.
    pub fn unchanged(text: impl Into<String>) -> Self {
        Self { refused: true, ..Self::done(text) }
    }

    /// A message about a form that was refused, with what was typed into it.
    pub fn refused(error: &ConsoleError, typed: &str) -> Self {
        let typed = typed.chars().take(Self::TYPED_MAX).collect();
        let (text, fields) = (text::sentence(&readable(error)), error.fields.clone());
        Self { refused: true, fields, typed, request_id: error.request_id, ..Self::done(text) }
    }

    /// The same message with the form that undoes what it is about.
    pub fn undone_by<const N: usize>(self, function: &str, fields: [(&str, String); N]) -> Self {
        let fields = fields.map(|(name, value)| (name.to_owned(), value)).into();
        Self { inverse: Some(Inverse { action: format!("/console/api/{function}"), fields, name: String::new() }), ..self }
    }

    /// The same message with another name of the button that undoes.
    pub fn undo_named(mut self, name: &str) -> Self {
        if let Some(inverse) = &mut self.inverse {
            name.clone_into(&mut inverse.name);
        }
        self
    }

    /// The message as a session keeps it: what was typed has no secrets, as if it had been stored. Ids stay as they are.
    pub fn without_secrets(mut self) -> Self {
        use words::guard::without_secrets;
        let is_id = |text: &str| text.len() == 36 && uuid::Uuid::try_parse(text).is_ok();
        // Ids, with versions or in the parts of a key: digits of some look like those of a card.
        let is_named = |part: &str| is_id(part) || part == "nobody" || part.len() < 7 && part.bytes().all(|byte| byte.is_ascii_digit());
        let names = |text: &str| text.split([',', ':', '/']).all(is_named) && text.split([',', ':', '/']).any(is_id);
        let clean = |text: String| if names(&text) { text } else { without_secrets(text) };
        self.typed = Query::parse(&self.typed).map(clean).href("");
        self.text = without_secrets(self.text);
        for field in &mut self.fields {
            field.message = without_secrets(std::mem::take(&mut field.message));
        }
        for file in &mut self.uploaded {
            file.path = without_secrets(std::mem::take(&mut file.path));
            for failure in &mut file.failures {
                failure.path = without_secrets(std::mem::take(&mut failure.path));
                failure.reason = without_secrets(std::mem::take(&mut failure.reason));
            }
        }
        self
    }

    /// The reason that was typed into a refused form, and its error.
    pub fn reason(flash: Option<Self>) -> (String, Option<String>) {
        flash.map(|flash| (Query::parse(&flash.typed).text("reason"), flash.field("reason"))).unwrap_or_default()
    }

    /// What was typed into the refused form whose field `name` had this value, and the error of its field `field`. The value tells the
    /// forms of one kind on a page apart.
    pub fn refused_at(&self, (name, value): (&str, &str), field: &str) -> Option<(Query, Option<String>)> {
        let typed = Query::parse(&self.typed);
        (self.refused && typed.get(name) == Some(value)).then(|| (typed, self.field(field)))
    }

    pub fn field(&self, field: &str) -> Option<String> {
        self.fields.iter().find(|f| f.field == field).map(|f| text::sentence(&f.message))
    }
}

/// The message of an error, which begins with the name of its first field in the request, with the name that people read.
fn readable(error: &ConsoleError) -> String {
    let named = error.fields.first().and_then(|first| {
        let rest = error.message.strip_prefix(first.field.as_str())?;
        Some(format!("{}{rest}", text::field_name(&first.field)))
    });
    named.unwrap_or_else(|| error.message.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_fields_as_people_do() {
        let error = |field: &str, message: &str| ConsoleError {
            message: message.to_owned(),
            ..ConsoleError::invalid(vec![FieldError::new(field, "is not known")])
        };
        let says = |error: ConsoleError| Flash::refused(&error, "").text;
        assert_eq!(says(error("memory_input.user_id", "memory_input.user_id is not known")), "User id is not known.");
        assert_eq!(says(error("user_id", "Correct the marked field.")), "Correct the marked field.");
    }

    #[test]
    fn what_was_typed_loses_its_secrets_and_nothing_else() {
        let key = format!("gh{}_{}", "p", ["a1B2c3D4e5F6", "g7H8i9J0k1L2", "m3N4o5P6q7R8"].concat());
        // Its digits are those of a card.
        let id = ["01945a3c-aaaa-7aaa-", "8111-", "111111111112"].concat();
        let typed = Query::default().with("shown", format!("{id}:1,{id}:22")).with("entry", format!("{id}/nobody/{id}"));
        let kept = |typed: &Query| {
            let flash = Flash { typed: typed.href(""), refused: true, ..Flash::done("No.") };
            Query::parse(&flash.without_secrets().typed)
        };
        let plain = typed.with("reason", "She asked = twice & kept it");
        assert_eq!(kept(&plain), plain);
        let secret = kept(&typed.with("reason", format!("the key is {key}")).with("content", format!("token:{key}")));
        assert!(!secret.href("").contains(&key) && secret.text("reason").starts_with("the key is"), "{secret:?}");
        assert_eq!(secret.without(&["reason", "content"]), typed);
    }
}
