//! Schemas as a model reads them: everything that it needs to write a correct input, and nothing that costs tokens besides.

use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The JSON Schema of an input, without what a caller does not need: titles, names of formats, `null` as a way to leave a field out, and the
/// description of the whole, which the tool has itself. Of a field's description it keeps the first paragraph: what follows is for people,
/// such as limits, which an error names when they are crossed. Subschemas stand in place, so nothing has to be looked up.
pub fn of_input<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.with_transform(Slim).into_generator().into_root_schema_for::<T>();
    schema.remove("description");
    schema.to_value()
}

/// The JSON Schema of an output. Tools leave out fields that are `null`, so these are not required.
pub fn of_output<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.with_transform(WithoutNull).into_generator().into_root_schema_for::<T>().to_value()
}

/// The JSON Schema of an output that has one of two forms.
pub fn of_either_output<One: JsonSchema, Other: JsonSchema>() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().with_transform(WithoutNull).into_generator();
    let forms = [generator.subschema_for::<One>(), generator.subschema_for::<Other>()];
    json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "anyOf": forms, "$defs": generator.take_definitions(true) })
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
        for name in ["title", "format", "$schema"] {
            fields.remove(name);
        }
        if fields.get("minimum").is_some_and(|least| *least == json!(0)) {
            fields.remove("minimum");
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

/// A field that may be left out need not be `null`.
fn remove_null(fields: &mut Map<String, Value>) {
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

#[derive(Clone)]
struct WithoutNull;

impl Transform for WithoutNull {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(fields) = schema.as_object_mut() else { return };
        let Some(Value::Object(properties)) = fields.get("properties") else { return };
        let is_null = |way: &Value| way.get("type").is_some_and(|one| one == "null");
        let nullable = |property: &Value| {
            let types = property.get("type").and_then(Value::as_array).is_some_and(|types| types.iter().any(|one| one == "null"));
            types || property.get("anyOf").and_then(Value::as_array).is_some_and(|ways| ways.iter().any(is_null))
        };
        let nullable: Vec<String> = properties.iter().filter(|(_, property)| nullable(property)).map(|(name, _)| name.clone()).collect();
        if let Some(Value::Array(required)) = fields.get_mut("required") {
            required.retain(|name| !nullable.iter().any(|one| name == one));
        }
        if let Some(Value::Object(properties)) = fields.get_mut("properties") {
            properties.values_mut().filter_map(Value::as_object_mut).for_each(remove_null);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{RecallResponse, RememberRequest};

    #[test]
    fn inputs_are_described_without_noise() {
        let schema = of_input::<RememberRequest>();
        let text = schema.to_string();
        for noise in ["$schema", "$ref", "\"title\":\"", "null", "oneOf", "anyOf", "uint32"] {
            assert!(!text.contains(noise), "{noise}: {text}");
        }

        assert_eq!(schema["required"], json!(["topic_raw", "content", "source"]));
        assert_eq!(schema["properties"]["source"]["properties"]["platform"]["type"], "string");
    }

    #[test]
    fn a_field_that_may_be_null_is_not_required() {
        let schema = of_output::<RecallResponse>();
        let required: Vec<&str> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(required.contains(&"zero_hit") && !required.contains(&"reason"), "{required:?}");
        assert!(!schema["properties"]["query_canonical"].to_string().contains("null"), "{schema}");
    }

    #[test]
    fn fields_that_are_null_are_left_out() {
        let value = json!({ "a": null, "b": [], "d": "", "e": 0, "f": [{ "g": null }, null] });
        assert_eq!(without_null(value), json!({ "b": [], "d": "", "e": 0, "f": [{}, null] }));
    }
}
