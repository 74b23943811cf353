//! A call of an operation with curl.

use serde_json::Value;

/// Stands for the id of something.
const ID: &str = "01900000-0000-7000-8000-000000000000";
/// Stands for the short id of a memory.
const SHORT_ID: &str = "k3v9x2aq";
/// Stands for a name.
const NAME: &str = "harbour";

/// The command, one argument a line.
pub fn curl(method: &str, path: &str, operation: &Value) -> String {
    let mut arguments = vec![format!("curl{} \"$URL{}\"", verb(method), filled(path, operation))];
    for scheme in operation["security"].as_array().into_iter().flatten().filter_map(Value::as_object).flat_map(|one| one.keys()) {
        arguments.push(match scheme.as_str() {
            "botSecret" => "-H \"X-Telegram-Bot-Api-Secret-Token: $SECRET\"".into(),
            _ => "-H \"Authorization: Bearer $KEY\"".into(),
        });
    }
    for (media_type, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        arguments.push(format!("-H 'Content-Type: {media_type}'"));
        arguments.push(match &content["schema"]["examples"][0] {
            Value::Null => "--data-binary @file".into(),
            example => format!("-d '{example}'"),
        });
    }
    arguments.join(" \\\n  ")
}

/// curl sends GET, and POST with a body, by itself.
fn verb(method: &str) -> String {
    if matches!(method, "get" | "post") { String::new() } else { format!(" -X {}", method.to_uppercase()) }
}

/// The path with a value in place of its variable.
fn filled(path: &str, operation: &Value) -> String {
    let parameters = operation["parameters"].as_array().into_iter().flatten().filter(|parameter| parameter["in"] == "path");
    parameters.fold(path.to_owned(), |path, parameter| {
        let name = parameter["name"].as_str().unwrap_or_default();
        let schema = &parameter["schema"];
        let value = match (&schema["format"], &schema["pattern"]) {
            (Value::String(format), _) if format == "uuid" => ID,
            // A memory can also be named by its id.
            (_, Value::String(_)) => SHORT_ID,
            _ => NAME,
        };
        path.replace(&format!("{{{name}}}"), value)
    })
}

#[cfg(test)]
mod tests {
    use super::curl;
    use serde_json::json;

    #[test]
    fn a_command_names_what_the_operation_needs() {
        let operation = json!({
            "security": [{ "apiKey": [] }],
            "parameters": [{ "name": "id", "in": "path", "schema": { "type": "string", "format": "uuid" } }],
            "requestBody": { "content": { "application/json": { "schema": { "examples": [{ "a": 1 }] } } } },
        });
        let command = curl("put", "/api/things/{id}", &operation);
        let lines: Vec<&str> = command.lines().collect();
        assert_eq!(
            lines,
            [
                "curl -X PUT \"$URL/api/things/01900000-0000-7000-8000-000000000000\" \\",
                "  -H \"Authorization: Bearer $KEY\" \\",
                "  -H 'Content-Type: application/json' \\",
                "  -d '{\"a\":1}'",
            ]
        );
    }
}
