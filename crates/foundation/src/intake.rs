//! The gate for text from outside. A request becomes [`Admitted`] by a walk over its serialised form, so a new field needs no line here:
//! every text and every key of a map loses its secrets, NUL is refused, names become one plain line. Content stays as it was sent.
//!
//! Ids of other systems are not rewritten, because two of them would become one, and so would what they name. An id that holds a secret is
//! refused.

use crate::error::Error;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::ops::Deref;
use words::guard::{self, SecretKind};
use words::names;

/// Fields that hold a name: people read it in one line, beside other text.
const NAMES: [&str; 5] = ["speaker", "platform", "name", "filename", "subject"];

/// What came from outside and passed the gate. [`crate::idempotency::Once`] takes nothing else.
#[derive(Clone, Debug)]
pub struct Admitted<T> {
    inner: T,
    removed: Vec<SecretKind>,
}

impl<T: Serialize + DeserializeOwned> Admitted<T> {
    /// Lets a request in.
    ///
    /// # Errors
    /// `Invalid` for a text with NUL and for an id that holds a secret, each with the name of its field; `Internal` for a type that cannot
    /// be read back from its own JSON.
    pub fn new(request: T) -> Result<Self, Error> {
        let mut value = serde_json::to_value(&request).map_err(Error::failed("a request cannot be serialised"))?;
        let mut walk = Walk::default();
        walk.visit("", &mut value)?;
        let Walk { removed, changed, .. } = walk;
        // Most requests hold nothing to change, and are not read again.
        let inner =
            if changed { serde_json::from_value(value).map_err(Error::failed("an admitted request cannot be read"))? } else { request };
        Ok(Self { inner, removed })
    }
}

impl Admitted<String> {
    /// Lets an id of another system in, from a path or a parameter of this name.
    ///
    /// # Errors
    /// `Invalid` for an id with NUL or a secret.
    pub fn id(field: &str, id: &str) -> Result<Self, Error> {
        check_id(field, id)?;
        Ok(Self { inner: id.to_owned(), removed: Vec::new() })
    }

    /// Lets a text in, from a path or a parameter of this name.
    ///
    /// # Errors
    /// `Invalid` for a text with NUL.
    pub fn text(field: &str, mut text: String) -> Result<Self, Error> {
        let mut walk = Walk::default();
        walk.text(field, field, &mut text)?;
        Ok(Self { inner: text, removed: walk.removed })
    }
}

impl<T> Admitted<T> {
    /// What was admitted.
    pub fn into_inner(self) -> T {
        self.inner
    }

    /// The kinds of the secrets that were removed.
    pub fn removed(&self) -> &[SecretKind] {
        &self.removed
    }

    /// Both as one request.
    pub fn with<U>(self, other: Admitted<U>) -> Admitted<(T, U)> {
        Admitted { inner: (self.inner, other.inner), removed: [self.removed, other.removed].concat() }
    }
}

impl<T> Deref for Admitted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: Serialize> Serialize for Admitted<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.inner.serialize(serializer)
    }
}

/// JSON without secrets, for a record that comes without a request: a line of an import. Its names stay as they were stored.
///
/// # Errors
/// As [`Admitted::new`].
pub fn record(fields: &mut Map<String, Value>) -> Result<(), Error> {
    Walk { keeps_names: true, ..Walk::default() }.fields("", fields)
}

/// Why texts may carry instructions for an agent, in sentences for a reviewer: of each text in a serialised form, and of all of them together.
///
/// # Errors
/// `Internal` for what cannot be serialised.
pub fn findings(texts: &impl Serialize) -> Result<Vec<String>, Error> {
    let value = serde_json::to_value(texts).map_err(Error::failed("texts cannot be serialised"))?;
    let mut all = Vec::new();
    collect(value, &mut all);
    let mut reasons: Vec<String> = all.iter().flat_map(|text| guard::inspect(text)).collect();
    if reasons.is_empty() && all.len() > 1 {
        // A sentence may begin in one text and end in the next.
        reasons = all.windows(2).flat_map(|two| guard::inspect(&two.join(" "))).collect();
        reasons.extend(guard::inspect(&all.join(" ")));
    }
    let mut seen = HashSet::new();
    reasons.retain(|reason| seen.insert(reason.clone()));
    Ok(reasons)
}

/// Every text of a serialised form.
fn collect(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.into_iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.into_iter().for_each(|(_, value)| collect(value, texts)),
        _ => {}
    }
}

/// A reason that somebody typed, without secrets. The audit log takes no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// The reason as it is kept.
    pub fn new(text: &str) -> Self {
        Self(guard::without_secrets(text.trim().to_owned()))
    }

    /// The reason as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a text is a UUID or a SHA-256: some of them have digits like those of a card.
fn names_a_row(text: &str) -> bool {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash || (text.len() == 36 && uuid::Uuid::try_parse(text).is_ok())
}

/// Whether a field holds an id of another system.
fn is_id(field: &str) -> bool {
    field.ends_with("_id")
}

/// Refuses an id of another system that holds a secret or NUL.
///
/// # Errors
/// `Invalid`, naming the field.
pub fn check_id(field: &str, id: &str) -> Result<(), Error> {
    check_nul(field, id)?;
    if names_a_row(id) {
        return Ok(());
    }
    match guard::redact(id).removed.first() {
        Some(kind) => Err(Error::invalid(field, format!("looks like a secret ({kind}): send an id that is none"))),
        None => Ok(()),
    }
}

fn check_nul(field: &str, text: &str) -> Result<(), Error> {
    if text.contains('\0') { Err(Error::invalid(field, "must not contain NUL")) } else { Ok(()) }
}

/// A walk over the JSON of a request.
#[derive(Default)]
struct Walk {
    keeps_names: bool,
    removed: Vec<SecretKind>,
    changed: bool,
}

impl Walk {
    fn visit(&mut self, path: &str, value: &mut Value) -> Result<(), Error> {
        match value {
            Value::String(text) => self.text(path, "", text),
            Value::Array(items) => items.iter_mut().zip(0..).try_for_each(|(item, number)| self.visit(&format!("{path}[{number}]"), item)),
            Value::Object(fields) => self.fields(path, fields),
            _ => Ok(()),
        }
    }

    fn fields(&mut self, path: &str, fields: &mut Map<String, Value>) -> Result<(), Error> {
        for (key, mut value) in std::mem::take(fields) {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            check_nul(&path, &key)?;
            match &mut value {
                Value::String(text) => self.text(&path, &key, text)?,
                value => self.visit(&path, value)?,
            }
            fields.insert(self.key(key), value);
        }
        Ok(())
    }

    /// A text under a key. The key may give a secret away, as `password` does.
    fn text(&mut self, path: &str, key: &str, text: &mut String) -> Result<(), Error> {
        if is_id(key) {
            return check_id(path, text);
        }
        check_nul(path, text)?;
        if names_a_row(text) && !["pass", "pwd", "secret", "token", "key"].iter().any(|word| key.contains(word)) {
            return Ok(());
        }
        let clean = guard::redact_under(key, text);
        self.changed |= !clean.removed.is_empty();
        self.removed.extend(clean.removed);
        *text = clean.text;
        if NAMES.contains(&key) && !self.keeps_names {
            let plain = names::name(text);
            self.changed |= plain != *text;
            *text = plain;
        }
        Ok(())
    }

    fn key(&mut self, key: String) -> String {
        let before = self.removed.len();
        let clean = guard::take_secrets(key, &mut self.removed);
        self.changed |= self.removed.len() > before;
        clean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Sent {
        content: String,
        speaker: Option<String>,
        message_id: Option<String>,
        meta: Value,
    }

    fn sent(content: &str) -> Sent {
        Sent { content: content.into(), speaker: None, message_id: None, meta: json!(null) }
    }

    fn key() -> String {
        format!("gh{}_{}", "p", ["a1B2c3D4e5F6", "g7H8i9J0k1L2", "m3N4o5P6q7R8"].concat())
    }

    #[test]
    fn an_id_with_the_digits_of_a_card_stays() {
        let id = ["01945a3c-aaaa-7aaa-", "8111-", "111111111112"].concat();
        let mut fields = json!({ "id": id, "ids": [id], "user_id": id }).as_object().unwrap().clone();
        let before = fields.clone();
        record(&mut fields).unwrap();
        assert_eq!(fields, before);
    }

    #[test]
    fn every_text_and_every_key_loses_its_secrets() {
        let key = key();
        let meta = json!({ "steps": [format!("use {key}")], key.clone(): 1, "password": "hunter2horse", "count": 3 });
        let admitted = Admitted::new(Sent { meta, ..sent(&format!("It is {key}.")) }).unwrap();
        let text = serde_json::to_string(&admitted).unwrap();
        assert!(!text.contains(&key) && !text.contains("hunter2horse"), "{text}");
        assert_eq!((admitted.removed().len(), &admitted.meta["count"]), (4, &json!(3)));
    }

    #[test]
    fn content_stays_as_it_was_sent_and_names_become_one_plain_line() {
        let request = Sent { speaker: Some(" Ve\u{202e}ra\n\u{7}System: e\u{301} ".into()), ..sent(" a\r\n\u{200f}b\te\u{301} ") };
        let admitted = Admitted::new(request).unwrap().into_inner();
        assert_eq!(admitted.content, " a\r\n\u{200f}b\te\u{301} ");
        assert_eq!(admitted.speaker.as_deref(), Some("Vera System: \u{e9}"));
        assert_eq!(names::name("می\u{200c}خواهم 👩\u{200d}👧"), "می\u{200c}خواهم 👩\u{200d}👧");
        assert_eq!(names::speaker(&"x".repeat(300)).len(), names::SPEAKER_MAX);
    }

    #[test]
    fn an_id_is_refused_instead_of_rewritten() {
        let request = Sent { message_id: Some(key()), ..sent("tea") };
        assert_eq!(Admitted::new(request).unwrap_err().fields()[0].field, "message_id");
        assert_eq!(Admitted::id("session", &key()).unwrap_err().fields()[0].field, "session");
    }

    #[test]
    fn nul_is_refused_where_it_is() {
        for (meta, field) in [(json!({ "steps": ["a", "b\0"] }), "meta.steps[1]"), (json!({ "a\0": 1 }), "meta.a\0")] {
            assert_eq!(Admitted::new(Sent { meta, ..sent("tea") }).unwrap_err().fields()[0].field, field);
        }
    }
}
