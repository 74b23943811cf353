//! One operation of the document while its handler's types describe it.

use super::refusals::{self, Refusal};
use super::schemas::Schemas;
use axum::http::StatusCode;
use remembrancer::tools::SchemaOf;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The parameters, the body and the responses of an operation.
pub struct Operation<'a> {
    path: &'a str,
    schemas: &'a mut Schemas,
    /// How a request that is not valid is refused.
    invalid: Refusal,
    parameters: Vec<Value>,
    body: Option<Value>,
    responses: BTreeMap<u16, Value>,
}

impl<'a> Operation<'a> {
    pub fn new(path: &'a str, invalid: Refusal, schemas: &'a mut Schemas) -> Self {
        Self { path, schemas, invalid, parameters: vec![], body: None, responses: BTreeMap::new() }
    }

    /// Describes the variable segment of the path, if it has one.
    pub fn path_parameter<T: JsonSchema>(&mut self) {
        if let Some((name, _)) = self.path.split_once('{').and_then(|(_, rest)| rest.split_once('}')) {
            let mut schema = self.schemas.input(|generator| generator.subschema_for::<T>());
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description")).unwrap_or_default();
            self.parameters.push(json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema }));
            self.refuses(Refusal::NotFound);
        }
    }

    /// Describes each field of `T` as a parameter of the query.
    pub fn query_parameters<T: JsonSchema>(&mut self) {
        let schema = self.schemas.input(|generator| generator.subschema_for::<T>());
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let mut field = Schemas::not_null(field.clone());
            let description = field.as_object_mut().and_then(|field| field.remove("description")).unwrap_or_default();
            let required = required.iter().any(|one| one == name);
            self.parameters.push(json!({ "name": name, "in": "query", "required": required, "description": description, "schema": field }));
        }
        self.refuses_invalid();
    }

    /// Describes a header that a caller may send.
    pub fn header_parameter(&mut self, name: &str, description: &str, schema: Value) {
        self.parameters.push(json!({ "name": name, "in": "header", "required": false, "description": description, "schema": schema }));
    }

    /// Adds a parameter that the document's components describe.
    pub fn shared_parameter(&mut self, name: &str) {
        self.parameters.push(json!({ "$ref": format!("#/components/parameters/{name}") }));
    }

    /// Describes the body as JSON of one type.
    pub fn json_body(&mut self, schema: SchemaOf) {
        let schema = self.schemas.input(schema);
        self.body("application/json", schema);
    }

    /// Describes the body.
    pub fn body(&mut self, media_type: &str, schema: Value) {
        self.bodies(&[(media_type, schema)]);
    }

    /// Describes a body that may have one of several media types.
    pub fn bodies(&mut self, bodies: &[(&str, Value)]) {
        let content: serde_json::Map<String, Value> =
            bodies.iter().map(|(media_type, schema)| ((*media_type).to_owned(), json!({ "schema": schema }))).collect();
        self.body = Some(json!({ "required": true, "content": content }));
        self.refuses_invalid();
        self.refuses(Refusal::TooLarge);
        self.refuses(Refusal::UnsupportedMediaType);
    }

    /// Describes an answer of JSON of one type.
    pub fn answers_json<T: JsonSchema>(&mut self, status: StatusCode, description: &str) {
        self.answers_schema(status, description, |generator| generator.subschema_for::<T>());
    }

    /// Describes an answer of JSON.
    pub fn answers_schema(&mut self, status: StatusCode, description: &str, schema: SchemaOf) {
        let schema = self.schemas.output(schema);
        self.answers(status, description, &[("application/json", schema)]);
    }

    /// Describes an answer with its media types. A status that was described before gets another media type.
    pub fn answers(&mut self, status: StatusCode, description: &str, content: &[(&str, Value)]) {
        let response = self.responses.entry(status.as_u16()).or_insert_with(|| refusals::response(description, json!({})));
        for (media_type, schema) in content {
            response["content"][*media_type] = json!({ "schema": schema });
        }
    }

    /// Adds a header to the answer with a status.
    pub fn answers_with_header(&mut self, status: StatusCode, name: &str, description: &str) {
        if let Some(response) = self.responses.get_mut(&status.as_u16()) {
            response["headers"][name] = json!({ "description": description, "required": true, "schema": { "type": "string" } });
        }
    }

    /// Says that the operation may be refused.
    pub fn refuses(&mut self, refusal: Refusal) {
        self.responses.insert(refusal.status().as_u16(), refusal.reference());
    }

    /// Says that a part of the request may not be valid.
    pub fn refuses_invalid(&mut self) {
        self.refuses(self.invalid);
    }

    /// Says that a caller may repeat the request with the same `Idempotency-Key`, and the effect happens once.
    pub fn is_idempotent_with_key(&mut self) {
        self.shared_parameter("IdempotencyKey");
        for (_, response) in self.responses.range_mut(200..300) {
            response["headers"]["Idempotent-Replayed"] = json!({ "$ref": "#/components/headers/IdempotentReplayed" });
        }
        self.refuses_invalid();
        self.refuses(Refusal::Conflict);
        if !self.responses.contains_key(&422) {
            self.refuses(Refusal::KeyReused);
        }
    }

    /// The operation as the document has it.
    pub fn finish(self) -> Map<String, Value> {
        let mut fields = Map::new();
        let responses: Map<String, Value> = self.responses.into_iter().map(|(status, response)| (status.to_string(), response)).collect();
        fields.insert("responses".into(), responses.into());
        if !self.parameters.is_empty() {
            fields.insert("parameters".into(), self.parameters.into());
        }
        if let Some(body) = self.body {
            fields.insert("requestBody".into(), body);
        }
        fields
    }
}
