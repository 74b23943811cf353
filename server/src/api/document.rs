//! The OpenAPI document. The table of routes, the types of the handlers and the registry of tools are its only sources, so a new route or
//! tool is in it without being written twice.

use super::openapi::{Operation, Schemas, refusals};
use super::route::{Guard, Route};
use super::table::groups;
use super::telegram::SECRET;
use super::tools;
use remembrancer::tools::{Effect, Tool, all};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use wire::ErrorBody;

const ABOUT: &str = "Durable memory for LLM agents: memories with their sources, versions and scores, the organisation's vocabulary and \
documents.\n\nSend an API key as `Authorization: Bearer rmb_…`. An operation names the scope that the key needs. A caller that serves many \
people names the current one in the header `X-Remembrancer-User`.\n\nEvery error has the same shape: `code` for programs, `message` for \
people, `fields` for the parts of the request that are wrong, and `request_id`, which is also in the header `X-Request-Id`. An address \
that does not exist answers 404 `not_found`, and a method that an address does not have 405 `method_not_allowed`.\n\nA write may carry an \
`Idempotency-Key`. If an answer gets lost, send the request again with the same key: the write runs once.\n\nAgents can call the same \
tools over the Model Context Protocol at `/mcp` (`docs/mcp.md`).";

/// The document.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(build);
    &DOCUMENT
}

fn build() -> Value {
    let mut schemas = Schemas::new();
    let mut paths: Map<String, Value> = Map::new();
    let mut tags = Vec::new();
    for group in groups() {
        tags.push(json!({ "name": group.name, "description": group.about }));
        for route in &group.routes {
            if let Some(operation) = operation_of(route, group.name, &mut schemas) {
                paths.entry(route.path).or_insert_with(|| json!({}))[route.method.as_str().to_lowercase()] = operation;
            }
            if route.path == tools::CALL {
                for tool in all() {
                    let path = route.path.replace("{name}", tool.name);
                    let operation = operation_of_tool(tool, &path, route, group.name, &mut schemas);
                    paths.insert(path, json!({ "post": operation }));
                }
            }
        }
    }
    let error = schemas.output(|generator| generator.subschema_for::<ErrorBody>());
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Remembrancer", "version": env!("CARGO_PKG_VERSION"), "description": ABOUT },
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas.components(),
            "responses": refusals::components(&error),
            "parameters": shared_parameters(),
            "headers": headers(),
            "securitySchemes": security_schemes(),
        },
    })
}

/// The operation of a route, unless it is left out on purpose.
fn operation_of(route: &Route, group: &str, schemas: &mut Schemas) -> Option<Value> {
    let mut operation = Operation::new(route.path, route.invalid, schemas);
    (route.describe?)(&mut operation);
    if route.is_idempotent() {
        operation.is_idempotent_with_key();
    }
    let mut fields = operation.finish();
    fields.insert("operationId".into(), route.id.into());
    fields.insert("summary".into(), route.summary.into());
    fields.insert("tags".into(), json!([group]));
    match route.guard {
        Guard::Open => {}
        Guard::Key => fields.extend(needs(route.scopes.iter().map(|scope| scope.as_str()).collect())),
        Guard::Bot => fields.extend([("security".into(), json!([{ "botSecret": [] }]))]),
    }
    Some(fields.into())
}

/// The operation of a tool: the call of a tool, with the tool's own types.
fn operation_of_tool(tool: &Tool, path: &str, call: &Route, group: &str, schemas: &mut Schemas) -> Value {
    let mut operation = Operation::new(path, call.invalid, schemas);
    tools::describe_call(&mut operation, tool);
    if tool.effect != Effect::Read {
        operation.is_idempotent_with_key();
    }
    let mut fields = operation.finish();
    let effect = match tool.effect {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Delete => "delete",
    };
    fields.insert("operationId".into(), tool.name.into());
    fields.insert("summary".into(), tool.name.into());
    fields.insert("description".into(), tool.description.into());
    fields.insert("tags".into(), json!([group]));
    fields.insert("x-effect".into(), effect.into());
    fields.extend(needs(vec![tool.scope.as_str()]));
    fields.into()
}

/// What an operation says about the key that it needs. In OpenAPI 3.1, the list of a scheme that is not OAuth names roles.
fn needs(scopes: Vec<&str>) -> [(String, Value); 2] {
    [("security".into(), json!([{ "apiKey": scopes }])), ("x-required-scopes".into(), json!(scopes))]
}

fn shared_parameters() -> Value {
    json!({
        "User": {
            "name": "X-Remembrancer-User",
            "in": "header",
            "required": false,
            "description": "The person whom the call is for: a user's id or your own reference to a user (1 to 256 characters). The call \
                then sees that person's memories and those without a user, and stores for that person.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[ -~]*[!-~][ -~]*$" },
        },
        "IdempotencyKey": {
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "A name of your choice for this request. If you send the same request again with the same name, you get the \
                first answer again and nothing is changed twice.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
        },
    })
}

fn headers() -> Value {
    let header =
        |required: bool, description: &str, schema: Value| json!({ "required": required, "description": description, "schema": schema });
    json!({
        "RequestId": header(true, "The id of the request, as in errors and in the log.", json!({ "type": "string", "format": "uuid" })),
        "RetryAfter": header(true, "Seconds to wait before the next attempt.", json!({ "type": "integer", "minimum": 1 })),
        "WwwAuthenticate": header(true, "Always `Bearer`.", json!({ "type": "string" })),
        "IdempotentReplayed": header(
            false,
            "`true` if this is the stored answer to an earlier request with the same `Idempotency-Key`.",
            json!({ "type": "string", "const": "true" })
        ),
    })
}

fn security_schemes() -> Value {
    json!({
        "apiKey": { "type": "http", "scheme": "bearer", "description": "An API key of an agent: `rmb_…`. Create one with `remembrancer key create`." },
        "botSecret": { "type": "apiKey", "in": "header", "name": SECRET, "description": "The secret that Telegram got with `setWebhook`." },
    })
}
