//! The arguments of a call as models and hosts write them, brought into the form that the schema of the tool describes.
//!
//! Clients write `null` for what they leave out, numbers and objects as text, and a day where a time belongs. Over HTTP such an input is
//! refused.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, SecondsFormat, Utc};
use foundation::Error;
use remembrancer::tools::{self, Effect, Tool};
use serde_json::{Map, Number, Value, json};
use std::collections::HashMap;
use std::sync::LazyLock;
use uuid::Uuid;
use wire::FieldError;
use words::{quote, shorten};

/// Most arguments that an error names as unknown.
const UNKNOWN_MAX: usize = 10;
/// Longest path of an unknown argument that is named, in characters.
const PATH_MAX: usize = 60;

/// Arguments that fit the schema of their tool.
#[derive(Debug, PartialEq)]
pub struct Fitted {
    pub input: Value,
    /// The paths of arguments that the tool does not have and reads without. They are left out of the input.
    pub ignored: Vec<String>,
}

/// The schema of a tool's input with formats, limits and examples.
fn schema(tool: &Tool) -> &'static Value {
    static SCHEMAS: LazyLock<HashMap<&'static str, Value>> =
        LazyLock::new(|| tools::all().iter().map(|tool| (tool.name, (tool.types.input)(&mut tools::inputs()).to_value())).collect());
    SCHEMAS.get(tool.name).unwrap_or(&Value::Null)
}

/// Brings arguments into the form of a tool's schema.
///
/// # Errors
/// `Invalid`: every argument that is missing or cannot be read, with what is expected and an example; an unknown one, unless the tool only
/// reads.
pub fn fit(tool: &Tool, arguments: Map<String, Value>, now: DateTime<Utc>) -> Result<Fitted, Error> {
    let (schema, only_reads) = (schema(tool), tool.effect == Effect::Read);
    let example = schema.pointer("/examples/0").unwrap_or(&Value::Null);
    let mut fit = Fit { example, only_reads, now, ignored: Vec::new(), wrong: Vec::new() };
    let input = fit.object(schema, arguments, "");
    if fit.wrong.is_empty() { Ok(Fitted { input, ignored: fit.ignored }) } else { Err(Error::Invalid(fit.wrong)) }
}

struct Fit<'a> {
    /// An example of the whole input.
    example: &'a Value,
    only_reads: bool,
    now: DateTime<Utc>,
    ignored: Vec<String>,
    wrong: Vec<FieldError>,
}

impl Fit<'_> {
    fn object(&mut self, schema: &Value, given: Map<String, Value>, path: &str) -> Value {
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let nothing = Map::new();
        let properties = match schema.get("properties").and_then(Value::as_object) {
            Some(properties) => properties,
            None if is_closed => &nothing,
            None => return Value::Object(given),
        };
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut fitted = Map::new();
        for (name, value) in given {
            let path = join(path, &name);
            match properties.get(&name).map(without_null) {
                Some(schema) if self.is_absent(&name, schema, &value, required.contains(&name.as_str())) => {}
                Some(schema) => drop(fitted.insert(name, self.value(schema, value, &path))),
                None if is_closed => self.unknown(shorten(&quote::inline(&path), PATH_MAX), properties),
                None => drop(fitted.insert(name, value)),
            }
        }
        for name in required.into_iter().filter(|name| !fitted.contains_key(*name)) {
            let path = join(path, name);
            self.refuse("is required:", &path, properties.get(name).map_or(&Value::Null, without_null));
        }
        Value::Object(fitted)
    }

    /// Whether a client leaves an argument out by sending it: as `null`, or as an empty text where no empty text can be meant. An empty text
    /// is refused where it may be a mistake that costs something: nobody's memory, or one that is in no project.
    fn is_absent(&self, name: &str, schema: &Value, value: &Value, is_required: bool) -> bool {
        let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
        let says_whose = name == "user_id" || (!self.only_reads && matches!(name, "project_id" | "repo_id"));
        let means_text = || match kind(schema) {
            Kind::Text => is_required || !(name.ends_with("_id") || schema.get("pattern").is_some() || schema.get("minLength").is_some()),
            Kind::Any => true,
            _ => false,
        };
        value.is_null() || (is_blank && !says_whose && !means_text())
    }

    /// Notes an argument that the tool does not have. A read goes on without it. A write does not: without `userId` it would store a memory
    /// for nobody.
    fn unknown(&mut self, path: String, known: &Map<String, Value>) {
        if self.only_reads {
            self.ignored.push(path);
        } else if self.wrong.len() < UNKNOWN_MAX {
            let known: Vec<&str> = known.keys().map(String::as_str).collect();
            self.wrong.push(FieldError::new(path, format!("is unknown: expected one of {}", known.join(", "))));
        }
    }

    fn value(&mut self, schema: &Value, value: Value, path: &str) -> Value {
        let fitted = match (kind(schema), value) {
            (Kind::Object, value) => match from_text(value, Value::is_object) {
                Value::Object(fields) => return self.object(schema, fields, path),
                _ => None,
            },
            (Kind::List, value) => match from_text(value, Value::is_array) {
                Value::Array(items) => return self.list(schema, items, path),
                _ => None,
            },
            (Kind::Choice(names), Value::String(text)) => {
                let (exact, same) = (|name: &&&str| **name == text, |name: &&&str| name.eq_ignore_ascii_case(text.trim()));
                names.iter().find(exact).or_else(|| names.iter().find(same)).map(|name| json!(name))
            }
            (Kind::Whole, value) => number(&value).and_then(whole).filter(|number| is_within(schema, number)).map(Value::Number),
            (Kind::Number, value) => number(&value).filter(|number| is_within(schema, number)).map(Value::Number),
            (Kind::Flag, Value::String(text)) => text.trim().to_ascii_lowercase().parse().ok().map(Value::Bool),
            (Kind::Time, Value::String(text)) => self.time(text.trim(), path).map(Value::String),
            (Kind::Id, Value::String(text)) => Uuid::try_parse(text.trim()).ok().map(|id| json!(id)),
            // Some clients send the id of a message or a thread as a number.
            (Kind::Text, Value::Number(number)) if !number.is_f64() => Some(json!(number.to_string())),
            (Kind::Flag, value @ Value::Bool(_)) | (Kind::Text, value @ Value::String(_)) | (Kind::Any, value) => Some(value),
            _ => None,
        };
        fitted.unwrap_or_else(|| {
            self.refuse("must be", path, schema);
            Value::Null
        })
    }

    /// A time. A date is the midnight in UTC with which it begins; where a period ends, it is the next midnight, because the day belongs to
    /// the period. An `as_of` of today is now: it may not be in the future.
    fn time(&self, text: &str, path: &str) -> Option<String> {
        let Ok(date) = text.parse::<NaiveDate>() else { return text.parse::<DateTime<Utc>>().ok().map(|_| text.to_owned()) };
        let begin = date.and_time(NaiveTime::MIN).and_utc();
        let end = begin.checked_add_days(Days::new(1))?;
        let time = match path.rsplit('.').next() {
            Some("until") => end,
            Some("as_of") if begin <= self.now => end.min(self.now),
            _ => begin,
        };
        Some(time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }

    fn list(&mut self, schema: &Value, items: Vec<Value>, path: &str) -> Value {
        let Some(of_item) = schema.get("items").map(without_null) else { return Value::Array(items) };
        items.into_iter().enumerate().map(|(index, item)| self.value(of_item, item, &format!("{path}[{index}]"))).collect()
    }

    /// Notes what is wrong with an argument: the reason, what is expected, and an example.
    fn refuse(&mut self, reason: &str, path: &str, schema: &Value) {
        let pointer = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
        let example = self.example.pointer(&pointer).cloned().unwrap_or_else(|| sample(schema));
        let message = format!("{reason} {}, for example {example}", expected(schema));
        self.wrong.push(FieldError::new(path, message));
    }
}

/// What a schema describes.
enum Kind<'a> {
    Object,
    List,
    /// One of some names.
    Choice(Vec<&'a str>),
    Whole,
    Number,
    Flag,
    Time,
    Id,
    Text,
    /// Something that has several forms.
    Any,
}

fn kind(schema: &Value) -> Kind<'_> {
    if let Some(names) = choices(schema) {
        return Kind::Choice(names);
    }
    let types = schema.get("type").map_or(&[][..], |types| types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice));
    let mut types = types.iter().filter_map(Value::as_str).filter(|name| *name != "null");
    match (types.next(), types.next(), schema.get("format").and_then(Value::as_str)) {
        (Some("object"), None, _) => Kind::Object,
        (Some("array"), None, _) => Kind::List,
        (Some("integer"), None, _) => Kind::Whole,
        (Some("number"), None, _) => Kind::Number,
        (Some("boolean"), None, _) => Kind::Flag,
        (Some("string"), None, Some("date-time")) => Kind::Time,
        (Some("string"), None, Some("uuid")) => Kind::Id,
        (Some("string"), None, _) => Kind::Text,
        _ => Kind::Any,
    }
}

/// The names of which a value must be one.
fn choices(schema: &Value) -> Option<Vec<&str>> {
    if let Some(names) = schema.get("enum").and_then(Value::as_array) {
        return names.iter().filter(|name| !name.is_null()).map(Value::as_str).collect();
    }
    if let Some(name) = schema.get("const") {
        return name.as_str().map(|name| vec![name]);
    }
    let ways = schema.get("oneOf").and_then(Value::as_array)?;
    let names: Option<Vec<_>> = ways.iter().map(choices).collect();
    names.map(|names| names.concat())
}

/// The one form besides `null` that a value may have.
fn without_null(schema: &Value) -> &Value {
    let Some(ways) = schema.get("anyOf").and_then(Value::as_array) else { return schema };
    let mut ways = ways.iter().filter(|way| way.get("type").is_none_or(|kind| kind != "null"));
    match (ways.next(), ways.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

/// A value, or the one that is written in it as JSON.
fn from_text(value: Value, is_meant: fn(&Value) -> bool) -> Value {
    let read = value.as_str().and_then(|text| serde_json::from_str(text).ok()).filter(is_meant);
    read.unwrap_or(value)
}

/// A number, or the one that is written in a text.
fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => serde_json::from_str(text.trim()).ok(),
        _ => None,
    }
}

/// A whole number, which some clients write as `5.0`.
fn whole(number: Number) -> Option<Number> {
    if !number.is_f64() {
        return Some(number);
    }
    let whole = number.as_f64().filter(|number| number.fract() == 0.0)?;
    serde_json::from_str(&format!("{whole:.0}")).ok()
}

fn is_within(schema: &Value, number: &Number) -> bool {
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    let number = number.as_f64().unwrap_or(f64::NAN);
    limit("minimum").is_none_or(|least| number >= least) && limit("maximum").is_none_or(|most| number <= most)
}

/// What a value must be, in words.
fn expected(schema: &Value) -> String {
    let limits = match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        _ => String::new(),
    };
    match kind(schema) {
        Kind::Object => "an object".into(),
        Kind::List => "a list".into(),
        Kind::Choice(names) => format!("one of {}", names.join(", ")),
        Kind::Whole => format!("a whole number{limits}"),
        Kind::Number => format!("a number{limits}"),
        Kind::Flag => "true or false".into(),
        Kind::Time => "a time (RFC 3339) or a date".into(),
        Kind::Id => "an id".into(),
        Kind::Text | Kind::Any => "a text".into(),
    }
}

/// A value that fits a schema.
fn sample(schema: &Value) -> Value {
    match kind(schema) {
        Kind::Object => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            required.map(|name| (name.to_owned(), sample(without_null(&schema["properties"][name])))).collect()
        }
        Kind::List => Value::Array(schema.get("items").map(|items| sample(without_null(items))).into_iter().collect()),
        Kind::Choice(names) => json!(names.first()),
        Kind::Whole | Kind::Number => {
            let default = schema.get("default").filter(|default| !default.is_null());
            default.or_else(|| schema.get("maximum")).cloned().unwrap_or(json!(1))
        }
        Kind::Flag => json!(true),
        Kind::Time => json!("2026-11-28T09:30:00Z"),
        Kind::Id => json!("01900000-0000-7000-8000-000000000000"),
        Kind::Text | Kind::Any => json!("tea"),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str, arguments: Value) -> Result<Fitted, Error> {
        let Value::Object(arguments) = arguments else { panic!("{arguments} is no object") };
        fit(tools::find(tool).unwrap(), arguments, "2026-11-28T12:00:00Z".parse().unwrap())
    }

    fn message(tool: &str, arguments: Value) -> String {
        of(tool, arguments).unwrap_err().to_string()
    }

    #[test]
    fn arguments_are_read_as_they_are_meant() {
        let recall = |arguments: Value| {
            let fitted = of("agent_memory_recall", arguments).unwrap();
            assert!(fitted.ignored.is_empty(), "{fitted:?}");
            fitted.input
        };
        for (given, expected) in [
            (json!({ "query": "tea", "k": null, "as_of": null, "filters": null }), json!({ "query": "tea" })),
            (json!({ "query": "tea", "k": "5", "expected": "True" }), json!({ "query": "tea", "k": 5, "expected": true })),
            (json!({ "query": "tea", "k": 5.0 }), json!({ "query": "tea", "k": 5 })),
            (json!({ "query": "tea", "k": "", "as_of": " ", "user_id": null }), json!({ "query": "tea" })),
            (json!({ "query": "tea", "as_of": "2026-11-27" }), json!({ "query": "tea", "as_of": "2026-11-28T00:00:00Z" })),
            (json!({ "query": "tea", "as_of": "2026-11-28" }), json!({ "query": "tea", "as_of": "2026-11-28T12:00:00Z" })),
            (json!({ "query": "tea", "as_of": "2026-11-29" }), json!({ "query": "tea", "as_of": "2026-11-29T00:00:00Z" })),
            (
                json!({ "query": "tea", "filters": { "from": "2026-11-28", "until": "2026-11-28" } }),
                json!({ "query": "tea", "filters": { "from": "2026-11-28T00:00:00Z", "until": "2026-11-29T00:00:00Z" } }),
            ),
            (
                json!({ "query": "tea", "as_of": "2026-11-28T09:30:00+01:00" }),
                json!({ "query": "tea", "as_of": "2026-11-28T09:30:00+01:00" }),
            ),
            (json!({ "query": "tea", "ranking": "HYBRID" }), json!({ "query": "tea", "ranking": "hybrid" })),
            (
                json!({ "query": "tea", "filters": r#"{"kinds": ["Decision"], "from": "2026-11-01", "project_id": ""}"# }),
                json!({ "query": "tea", "filters": { "kinds": ["decision"], "from": "2026-11-01T00:00:00Z" } }),
            ),
            (
                json!({ "query": "tea", "filters": { "kinds": r#"["task_hint"]"# } }),
                json!({ "query": "tea", "filters": { "kinds": ["task_hint"] } }),
            ),
        ] {
            assert_eq!(recall(given), expected);
        }
    }

    #[test]
    fn a_text_that_looks_like_something_else_stays_a_text() {
        for text in ["42", "true", "null", "[1]", r#"{"a": 1}"#, "2026-11-28", ""] {
            assert_eq!(of("agent_memory_recall", json!({ "query": text })).unwrap().input, json!({ "query": text }));
        }
        let numbered =
            of("agent_memory_remember", json!({ "topic_raw": "t", "content": "c", "source": { "platform": "x", "message_id": 7 } }));
        assert_eq!(numbered.unwrap().input["source"]["message_id"], "7");
    }

    #[test]
    fn an_empty_text_means_neither_nobody_nor_no_project() {
        assert_eq!(of("agent_memory_recall", json!({ "query": "tea", "user_id": "" })).unwrap().input["user_id"], "");
        for field in ["user_id", "project_id"] {
            let sent = json!({ "topic_raw": "t", "content": "c", field: " ", "source": { "platform": "x", "thread_id": "" } });
            let read = tools::read::<wire::RememberRequest>(of("agent_memory_remember", sent).unwrap().input);
            assert_eq!(read.unwrap_err().fields()[0].field, field);
        }
        let expected = "repo_id must be an id, for example \"01900000-0000-7000-8000-000000000000\"";
        assert_eq!(
            message("agent_memory_remember", json!({ "topic_raw": "t", "content": "c", "repo_id": "", "source": { "platform": "x" } })),
            expected
        );
    }

    #[test]
    fn a_read_goes_on_without_unknown_arguments() {
        let mut fitted = of("agent_memory_recall", json!({ "query": "tea", "mood": 1, "filters": { "colour": "red" } })).unwrap();
        fitted.ignored.sort();
        let odd = of("agent_memory_recall", json!({ "query": "tea", "a\n[id: b]": 1, ("x".repeat(9_000)): 1 })).unwrap().ignored;
        assert!(odd.iter().all(|name| !name.contains('\n') && name.chars().count() <= PATH_MAX), "{odd:?}");
        assert_eq!(of("list_projects", json!({ "limit": 3 })).unwrap(), Fitted { input: json!({}), ignored: vec!["limit".into()] });
        assert_eq!(
            fitted,
            Fitted { input: json!({ "query": "tea", "filters": {} }), ignored: vec!["filters.colour".into(), "mood".into()] }
        );
    }

    #[test]
    fn a_write_with_unknown_arguments_is_refused() {
        let known = "memory_id, reason, user_id";
        for name in ["dry_run", "userId"] {
            let expected = format!("{name} is unknown: expected one of {known}");
            assert_eq!(message("agent_memory_forget", json!({ "memory_id": "k3v9x2aq", name: true })), expected);
        }
        let source = json!({ "platform": "slack", "mood": "good" });
        let nested = of("agent_memory_remember", json!({ "topic_raw": "t", "content": "c", "source": source })).unwrap_err();
        assert_eq!(nested.fields()[0].field, "source.mood");
        let many: Map<String, Value> = (0..50).map(|n| (format!("x{n}"), Value::Null)).collect();
        assert_eq!(of("agent_memory_forget", Value::Object(many)).unwrap_err().fields().len(), UNKNOWN_MAX + 1, "and memory_id is missing");
    }

    #[test]
    fn errors_say_what_is_expected_with_an_example() {
        for (arguments, expected) in [
            (json!({}), "query is required: a text, for example \"Which editor does Vera use?\""),
            (json!({ "query": null }), "query is required: a text, for example \"Which editor does Vera use?\""),
            (json!({ "query": [] }), "query must be a text, for example \"Which editor does Vera use?\""),
            (json!({ "query": "t", "k": "ten" }), "k must be a whole number from 1 to 100, for example 10"),
            (json!({ "query": "t", "k": -1 }), "k must be a whole number from 1 to 100, for example 10"),
            (json!({ "query": "t", "k": 1.5 }), "k must be a whole number from 1 to 100, for example 10"),
            (json!({ "query": "t", "expected": "yes" }), "expected must be true or false, for example true"),
            (json!({ "query": "t", "as_of": "May" }), "as_of must be a time (RFC 3339) or a date, for example \"2026-11-28T09:30:00Z\""),
            (json!({ "query": "t", "filters": "all" }), "filters must be an object, for example {}"),
            (
                json!({ "query": "t", "filters": { "project_id": "harbour" } }),
                "filters.project_id must be an id, for example \"01900000-0000-7000-8000-000000000000\"",
            ),
        ] {
            assert_eq!(message("agent_memory_recall", arguments), expected);
        }
        let kinds = message("agent_memory_recall", json!({ "query": "t", "filters": { "kinds": ["hunch"] } }));
        assert!(kinds.starts_with("filters.kinds[0] must be one of profile, ") && kinds.ends_with(", for example \"profile\""), "{kinds}");
        let several = of("agent_memory_remember", json!({ "content": 1.5, "source": {} })).unwrap_err();
        let fields: Vec<_> = several.fields().iter().map(|one| one.field.as_str()).collect();
        assert_eq!(fields, ["content", "source.platform", "topic_raw"]);
    }

    /// Otherwise a number out of range would be refused by the type of its field, in the words of Rust.
    #[test]
    fn the_schema_of_every_whole_number_has_its_limits() {
        fn check(schema: &Value, path: &str, count: &mut usize) {
            if matches!(kind(schema), Kind::Whole) {
                *count += 1;
                assert!(schema.get("minimum").is_some() && schema.get("maximum").is_some(), "{path}: {schema}");
            }
            for (name, inner) in schema.as_object().into_iter().flatten() {
                check(inner, &format!("{path}/{name}"), count);
            }
        }
        let mut count = 0;
        for tool in tools::all() {
            check(schema(tool), tool.name, &mut count);
        }
        assert!(count > 3, "{count}");
    }
}
