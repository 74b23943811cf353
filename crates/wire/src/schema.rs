//! Schemas as a model reads them: everything that it needs to write a correct input, and nothing that costs tokens besides.

use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map, Value, json};

/// The field of an input that asks for every detail.
pub const EXPLAIN: &str = "explain";

/// A type as a schema, written by a generator whose settings decide on the form.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The types of a tool's input and output.
#[derive(Clone, Copy)]
pub struct Types {
    pub input: SchemaOf,
    pub output: SchemaOf,
}

/// The input of a tool, with the name of its type as title.
pub fn input<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.subschema_for::<T>();
    schema.insert("title".into(), T::schema_name().into());
    schema
}

/// The input of a tool that answers in brief, unless its caller asks to explain.
pub fn explainable_input<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = input::<T>(generator);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let explain = json!({ "type": "boolean", "description": "True: every detail." });
        properties.insert(EXPLAIN.into(), explain);
    }
    schema
}

/// The output of a tool.
pub fn output<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// An output that has one of two forms.
pub fn either_output<One: JsonSchema, Other: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [generator.subschema_for::<One>(), generator.subschema_for::<Other>()] })
}

/// A generator of inputs: subschemas are written in place, so nothing has to be looked up.
pub fn inputs() -> SchemaGenerator {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator()
}

/// The JSON Schema of an input, without what a model does not need: titles, formats, examples, `null` as a way to leave a field out, and the
/// description of the whole, which the tool has itself. Of a field's description it keeps the first paragraph: what follows is for people.
/// Limits are left out, because an error names them when they are crossed.
pub fn slim(input: SchemaOf) -> Value {
    let mut schema = input(&mut inputs());
    Slim.transform(&mut schema);
    schema.remove("description");
    schema.to_value()
}

/// Leaves out fields that are `null`.
pub fn without_null(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(fields.map(|(name, value)| (name, without_null(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_null).collect()),
        value => value,
    }
}

#[derive(Clone)]
struct Slim;

impl Transform for Slim {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(fields) = schema.as_object_mut() else { return };
        let limits = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"];
        for name in ["title", "format", "pattern", "examples"].iter().chain(&limits) {
            fields.remove(*name);
        }
        if let Some(Value::String(description)) = fields.get_mut("description") {
            *description = description.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        }
        // A list is described as a whole.
        if let Some(items) = fields.get_mut("items").and_then(Value::as_object_mut) {
            items.remove("description");
        }
        if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
            // Unknown fields are refused everywhere; the outermost object says so.
            for property in properties.values_mut().filter_map(Value::as_object_mut) {
                property.remove("additionalProperties");
            }
        }
        if fields.get("default").is_some_and(|default| [json!(null), json!(false), json!([]), json!({})].contains(default)) {
            fields.remove("default");
        }
        remove_null(fields);
        constants_as_enum(fields);
        if fields.contains_key("enum") {
            fields.remove("type");
        }
    }
}

/// Takes `null` out of the values of a field: one that may be left out need not be `null`.
pub fn remove_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(ways)) = fields.get_mut("anyOf") {
        ways.retain(|way| way.get("type").is_none_or(|one| one != "null"));
        if let [Value::Object(only)] = ways.as_slice() {
            let only = only.clone();
            fields.remove("anyOf");
            for (name, value) in only {
                // What the field says of itself is more exact than what its type says.
                fields.entry(name).or_insert(value);
            }
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// Texts of which each has its own description, as one list: the names say what they mean.
fn constants_as_enum(fields: &mut Map<String, Value>) {
    let Some(Value::Array(ways)) = fields.get("oneOf") else { return };
    let mut names = Vec::new();
    for way in ways {
        match (way.get("const"), way.get("enum")) {
            (Some(name), _) => names.push(name.clone()),
            (None, Some(Value::Array(more))) => names.extend(more.iter().cloned()),
            _ => return,
        }
    }
    fields.remove("oneOf");
    fields.insert("enum".into(), Value::Array(names));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RememberRequest;

    #[test]
    fn inputs_are_described_without_noise() {
        let schema = slim(input::<RememberRequest>);
        let text = schema.to_string();
        for noise in ["$schema", "$ref", "\"title\":\"", "null", "oneOf", "anyOf", "uint32"] {
            assert!(!text.contains(noise), "{noise}: {text}");
        }

        assert_eq!(schema["required"], json!(["topic_raw", "content", "source"]));
        assert_eq!(schema["properties"]["source"]["properties"]["platform"]["type"], "string");
    }

    #[test]
    fn fields_that_are_null_are_left_out() {
        let value = json!({ "a": null, "b": [], "d": "", "e": 0, "f": [{ "g": null }, null] });
        assert_eq!(without_null(value), json!({ "b": [], "d": "", "e": 0, "f": [{}, null] }));
    }
}
