//! The fields of a schema as rows: what is nested follows its parent, one level deeper.

use serde_json::{Map, Value};

/// Deepest level that is shown.
const DEEPEST: usize = 5;

/// The kind of a row that names one of several forms of an object.
pub const FORM: &str = "form";

/// One field of an object.
pub struct Field {
    /// 0 for the fields of the outermost object.
    pub depth: usize,
    pub name: String,
    /// What its value is, in a few words.
    pub kind: String,
    pub required: bool,
    pub about: String,
    /// Limits and the default value, a few words each.
    pub limits: Vec<String>,
    /// The texts that it may have, with what they mean.
    pub values: Vec<(String, String)>,
}

/// The rows of a schema, with required fields before the others. Empty for a schema without fields.
pub fn fields(document: &Value, schema: &Value) -> Vec<Field> {
    let mut reader = Reader { document, rows: vec![], within: vec![] };
    reader.push_fields(schema, 0);
    reader.rows
}

/// One value as a row, such as a parameter.
pub fn field(document: &Value, name: &str, required: bool, about: &Value, schema: &Value) -> Field {
    Reader { document, rows: vec![], within: vec![] }.row(name, required, about, schema, 0)
}

/// What a value is, in a few words.
pub fn kind(document: &Value, schema: &Value) -> String {
    Reader { document, rows: vec![], within: vec![] }.kind(schema)
}

struct Reader<'a> {
    document: &'a Value,
    rows: Vec<Field>,
    /// The components that are being read, which may refer to themselves.
    within: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn push_fields(&mut self, schema: &'a Value, depth: usize) {
        let component = schema["$ref"].as_str();
        if depth > DEEPEST || component.is_some_and(|name| self.within.contains(&name)) {
            return;
        }
        self.within.extend(component);
        let schema = resolve(self.document, schema);
        let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut properties: Vec<_> = schema["properties"].as_object().into_iter().flatten().collect();
        properties.sort_by_key(|(name, _)| !required.contains(&name.as_str()));
        for (name, property) in properties {
            let row = self.row(name, required.contains(&name.as_str()), &property["description"], property, depth);
            self.rows.push(row);
            self.push_fields(property, depth + 1);
        }
        match ways(schema).as_slice() {
            [] => {}
            [only] => self.push_fields(only, depth),
            several => {
                for way in several.iter().filter(|way| has_fields(self.document, way)) {
                    self.push_way(way, depth);
                }
            }
        }
        if schema["items"].is_object() {
            self.push_fields(&schema["items"], depth);
        }
        if schema["additionalProperties"].is_object() {
            self.push_fields(&schema["additionalProperties"], depth);
        }
        self.within.truncate(self.within.len() - usize::from(component.is_some()));
    }

    /// One of several forms of an object: its name, then its fields.
    fn push_way(&mut self, way: &'a Value, depth: usize) {
        let name = way["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or("either");
        let about = text(&resolve(self.document, way)["description"]);
        let (required, limits, values) = (false, vec![], vec![]);
        self.rows.push(Field { depth, name: name.to_owned(), kind: FORM.into(), required, about, limits, values });
        self.push_fields(way, depth + 1);
    }

    fn row(&self, name: &str, required: bool, about: &Value, schema: &'a Value, depth: usize) -> Field {
        let plain = self.plain(schema);
        let about = if about.is_string() { text(about) } else { text(&plain["description"]) };
        let limits = limits(plain, schema);
        Field { depth, name: name.to_owned(), kind: self.kind(schema), required, about, limits, values: values(self.document, plain) }
    }

    /// The schema without references, and without `null` as another way.
    fn plain(&self, schema: &'a Value) -> &'a Value {
        let schema = resolve(self.document, schema);
        match ways(schema).as_slice() {
            [only] => self.plain(only),
            _ => schema,
        }
    }

    fn kind(&self, schema: &'a Value) -> String {
        let schema = self.plain(schema);
        let several = ways(schema);
        if !values(self.document, schema).is_empty() && !schema["items"].is_object() {
            return "text".into();
        }
        if several.len() > 1 {
            let mut kinds: Vec<String> = several.iter().map(|way| self.kind(way)).collect();
            kinds.dedup();
            return kinds.join(" or ");
        }
        let types = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).find(|one| *one != "null"),
            one => one.as_str(),
        };
        match (types, schema["format"].as_str()) {
            (Some("string"), Some("uuid")) => "UUID".into(),
            (Some("string"), Some("date-time")) => "time".into(),
            (Some("string"), _) => "text".into(),
            (Some("boolean"), _) => "true or false".into(),
            (Some("array"), _) => format!("list of {}", plural(&self.kind(&schema["items"]))),
            (Some("object"), _) if schema["additionalProperties"].is_object() => {
                format!("object of {} by name", plural(&self.kind(&schema["additionalProperties"])))
            }
            (Some(other), _) => other.to_owned(),
            (None, _) => "any JSON".into(),
        }
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "text" | "any JSON" | "object" | "integer" | "number" | "UUID" | "time" => format!("{kind}s").replace("JSONs", "JSON"),
        other => other.to_owned(),
    }
}

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    schema["$ref"].as_str().and_then(|path| document.pointer(path.trim_start_matches('#'))).unwrap_or(schema)
}

/// The forms that a value may have, except for `null`.
fn ways(schema: &Value) -> Vec<&Value> {
    let ways = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    ways.into_iter().flatten().filter(|way| way["type"] != "null").collect()
}

fn has_fields(document: &Value, schema: &Value) -> bool {
    let schema = resolve(document, schema);
    schema["properties"].is_object() || ways(schema).iter().any(|way| has_fields(document, way))
}

/// The texts that a value, or each item of a list, may have.
fn values(document: &Value, schema: &Value) -> Vec<(String, String)> {
    let schema = resolve(document, schema);
    if schema["items"].is_object() {
        return values(document, &schema["items"]);
    }
    let listed = schema["enum"].as_array().into_iter().flatten().filter(|value| !value.is_null()).map(|value| (text(value), String::new()));
    let constant = schema.get("const").map(|value| (text(value), text(&schema["description"])));
    let of_ways = ways(schema);
    let of_ways =
        of_ways.iter().filter(|way| way.get("const").is_some() || way.get("enum").is_some()).flat_map(|way| values(document, way));
    listed.chain(constant).chain(of_ways).collect()
}

/// The limits of a value in words. `outer` may have a default value beside a reference.
fn limits(schema: &Value, outer: &Value) -> Vec<String> {
    let Some(fields) = schema.as_object() else { return vec![] };
    let mut limits = Vec::new();
    limits.extend(range(fields, "minLength", "maxLength", " characters"));
    limits.extend(range(fields, "minItems", "maxItems", " items"));
    limits.extend(range(fields, "minimum", "maximum", ""));
    match outer.get("default").or(fields.get("default")) {
        None | Some(Value::Null | Value::Array(_) | Value::Object(_)) => {}
        Some(default) => limits.push(format!("default: {}", text(default))),
    }
    limits
}

fn range(fields: &Map<String, Value>, least: &str, most: &str, unit: &str) -> Option<String> {
    match (fields.get(least).filter(|least| least.as_f64() != Some(0.0) || fields.contains_key(most)), fields.get(most)) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
        (Some(least), None) if least.as_f64() == Some(1.0) && !unit.is_empty() => Some("not empty".into()),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nested_fields_follow_their_parent_and_a_component_within_itself_ends() {
        let document = json!({ "components": { "schemas": { "Node": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "children": { "type": "array", "items": { "$ref": "#/components/schemas/Node" } },
                "name": { "type": "string", "minLength": 1, "maxLength": 9 },
                "parent": { "anyOf": [{ "$ref": "#/components/schemas/Node" }, { "type": "null" }] },
            },
        } } } });
        let outer = json!({ "type": "object", "properties": { "node": { "$ref": "#/components/schemas/Node" } } });
        let rows = fields(&document, &outer);
        let rows: Vec<_> = rows.iter().map(|row| (row.depth, row.name.as_str(), row.kind.as_str(), row.limits.join(", "))).collect();
        let none = String::new;
        assert_eq!(
            rows,
            [
                (0, "node", "object", none()),
                (1, "name", "text", "1 to 9 characters".into()),
                (1, "children", "list of objects", none()),
                (1, "parent", "object", none()),
            ]
        );
    }

    #[test]
    fn values_are_listed_with_what_they_mean() {
        let schema = json!({ "oneOf": [{ "enum": ["a"], "type": "string" }, { "const": "b", "description": "The second." }] });
        let row = field(&json!({}), "letter", true, &Value::Null, &schema);
        assert_eq!(row.values, [("a".to_owned(), String::new()), ("b".to_owned(), "The second.".to_owned())]);
        assert_eq!(row.kind, "text");
    }
}
