//! The schemas of the document: inputs are written in place, outputs are components that several operations share.

use remembrancer::tools;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The generators of inputs and of outputs: a field with a default value may be left out of an input, and is in every output.
pub struct Schemas {
    inputs: SchemaGenerator,
    outputs: SchemaGenerator,
}

impl Schemas {
    pub fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Self { inputs: tools::inputs(), outputs: settings.with_transform(NullOptional).into_generator() }
    }

    /// An input, with everything that it is made of.
    pub fn input(&mut self, schema: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Value {
        schema(&mut self.inputs).to_value()
    }

    /// An output; its parts are components.
    pub fn output(&mut self, schema: impl FnOnce(&mut SchemaGenerator) -> Schema) -> Value {
        schema(&mut self.outputs).to_value()
    }

    /// Every component that an output refers to.
    pub fn components(mut self) -> Map<String, Value> {
        self.outputs.take_definitions(true)
    }

    /// A schema without `null`, for a parameter: it can be left out, but not be `null`.
    pub fn not_null(mut schema: Value) -> Value {
        if let Some(fields) = schema.as_object_mut() {
            fields.retain(|name, value| name != "default" || !value.is_null());
            tools::remove_null(fields);
        }
        schema
    }
}

/// A field that may be `null` is not required: tools leave such fields out.
#[derive(Clone)]
struct NullOptional;

impl Transform for NullOptional {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(fields) = schema.as_object_mut() else { return };
        let Some(Value::Object(properties)) = fields.get("properties").cloned() else { return };
        if let Some(Value::Array(required)) = fields.get_mut("required") {
            required.retain(|name| name.as_str().and_then(|name| properties.get(name)).is_none_or(|property| !may_be_null(property)));
        }
    }
}

fn may_be_null(property: &Value) -> bool {
    let null = json!("null");
    let types = property["type"].as_array().is_some_and(|types| types.contains(&null));
    types || property["anyOf"].as_array().is_some_and(|ways| ways.iter().any(|way| way["type"] == null))
}
