//! Bodies of requests, made from the document of the API: a test chooses what each field holds, so no field can be forgotten.

use serde_json::{Map, Value, json};
use server::api::document;

/// An operation that takes a body.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// In capitals.
    pub method: &'static str,
    /// With names in braces.
    pub path: &'static str,
    pub schema: &'static Value,
}

/// A field that holds one value.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// As a caller writes it: `items[0].source.speaker`. `*` stands for a name of the caller's choice.
    pub path: &'a str,
    /// The last part of the path.
    pub name: &'a str,
    pub schema: &'a Value,
}

impl Field<'_> {
    /// Whether it takes any text.
    pub fn is_text(&self) -> bool {
        let plain = |schema: &Value| ["enum", "const", "format", "pattern"].iter().all(|limit| schema.get(limit).is_none());
        plain(self.schema) && is_a(self.schema, "string")
    }

    /// The most characters that it takes, if the document says so.
    pub fn most(&self) -> Option<usize> {
        self.schema["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok())
    }

    /// A value that the document allows.
    fn usual(&self) -> Value {
        let schema = self.schema;
        let given = ["default", "const"].iter().find_map(|name| schema.get(name)).or_else(|| schema["enum"].get(0));
        match (given, schema["format"].as_str()) {
            (Some(value), _) => value.clone(),
            (None, Some("uuid")) => json!("00000000-0000-7000-8000-000000000000"),
            (None, Some("date-time")) => json!("2026-05-03T09:00:00Z"),
            _ if is_a(schema, "string") => json!("tea"),
            _ if is_a(schema, "boolean") => json!(false),
            _ if is_a(schema, "integer") => json!(schema["minimum"].as_i64().unwrap_or(1)),
            _ if is_a(schema, "number") => json!(0.5),
            _ => Value::Null,
        }
    }
}

/// What a field holds: `None` for what the document allows if the field is required, and for nothing otherwise.
pub type Fill<'a> = dyn FnMut(&Field<'_>) -> Option<Value> + 'a;

/// Every operation with a body of JSON.
pub fn operations() -> Vec<Operation> {
    let mut operations = Vec::new();
    for (path, methods) in document()["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let schema = operation.pointer("/requestBody/content/application~1json/schema");
            operations.extend(schema.map(|schema| Operation { method: capitals(method), path, schema }));
        }
    }
    operations
}

fn capitals(method: &str) -> &'static str {
    ["POST", "PUT", "DELETE", "PATCH", "GET"].into_iter().find(|name| name.eq_ignore_ascii_case(method)).unwrap_or("GET")
}

/// A body with every field of a schema: one item in each list, the first of several forms.
pub fn body(schema: &Value, fill: &mut Fill<'_>) -> Value {
    value(schema, "", true, fill).unwrap_or(Value::Null)
}

fn value(schema: &Value, path: &str, is_required: bool, fill: &mut Fill<'_>) -> Option<Value> {
    let schema = resolved(schema);
    let name = path.rsplit('.').next().unwrap_or_default().trim_end_matches("[0]");
    let field = Field { path, name, schema };
    if let Some(fields) = schema["properties"].as_object() {
        return Some(object(schema, fields, path, fill));
    }
    if let Some(items) = schema.get("items") {
        let item = value(items, &format!("{path}[0]"), is_required, fill);
        return item.map(|item| json!([item])).or_else(|| is_required.then(|| json!([])));
    }
    if schema.get("enum").is_none()
        && let Some(first) = ["oneOf", "anyOf", "allOf"].iter().find_map(|name| schema[name].get(0))
    {
        return value(first, path, is_required, fill);
    }
    if schema["additionalProperties"].is_object() || schema["additionalProperties"] == json!(true) {
        return Some(json!({ "tea": value(&schema["additionalProperties"], &format!("{path}.*"), true, fill)? }));
    }
    fill(&field).or_else(|| is_required.then(|| field.usual()))
}

fn object(schema: &Value, fields: &Map<String, Value>, path: &str, fill: &mut Fill<'_>) -> Value {
    let mut made = Map::new();
    for (name, inside) in fields {
        let is_required = schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name));
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if let Some(value) = value(inside, &path, is_required, fill) {
            made.insert(name.clone(), value);
        }
    }
    Value::Object(made)
}

fn resolved(mut schema: &Value) -> &Value {
    while let Some(target) = schema["$ref"].as_str() {
        schema = document().pointer(target.trim_start_matches('#')).unwrap_or(&Value::Null);
    }
    schema
}

fn is_a(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == kind,
        Value::Array(several) => several.iter().any(|one| one == kind),
        _ => false,
    }
}
