//! One operation on the reference page.

use super::example::curl;
use super::fields::{FORM, Field, field, fields, kind};
use super::prose::{code, prose};
use leptos::prelude::*;
use serde_json::Value;

/// An answer with more fields than this is folded: few readers need all of them.
const OPEN_MOST: usize = 12;

/// Which way a field goes.
#[derive(Clone, Copy)]
enum Direction {
    Request,
    Answer,
}

/// An operation of the document.
#[derive(Clone, Copy)]
pub struct Operation<'a> {
    pub document: &'a Value,
    pub method: &'a str,
    pub path: &'a str,
    pub fields: &'a Value,
}

impl<'a> Operation<'a> {
    pub fn id(self) -> &'a str {
        self.fields["operationId"].as_str().unwrap_or_default()
    }

    pub fn summary(self) -> &'a str {
        self.fields["summary"].as_str().unwrap_or_default()
    }

    /// A component in place of a reference to it.
    fn resolved(self, part: &'a Value) -> &'a Value {
        part["$ref"].as_str().and_then(|path| self.document.pointer(path.trim_start_matches('#'))).unwrap_or(part)
    }

    /// The whole section.
    pub fn view(self) -> AnyView {
        view! {
            <section id=self.id().to_owned() class="card min-w-0 scroll-mt-4">
                <div class="border-b border-line px-4 py-3">
                    <h3 class="font-semibold break-words">{self.summary().to_owned()}</h3>
                    <p class="mt-1 flex items-baseline gap-2 text-sm">
                        <span class=method_style(self.method)>{self.method.to_uppercase()}</span>
                        <code class="min-w-0 font-mono break-all">{self.path.to_owned()}</code>
                    </p>
                    {self.fields["description"].as_str().map(|text| prose(text, "mt-2 max-w-3xl text-soft"))}
                    {self.needs()}
                </div>
                <div class="space-y-5 px-4 py-4">
                    {self.parameters()} {self.body()} {self.answers()} {self.refusals()}
                    {part("Example", view! { <pre class="overflow-x-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs" tabindex="0">{curl(self.method, self.path, self.fields)}</pre> }.into_any())}
                </div>
            </section>
        }
        .into_any()
    }

    /// The credential and the scopes, in a sentence.
    fn needs(self) -> AnyView {
        let scopes: Vec<&str> = self.fields["x-required-scopes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let schemes = self.fields["security"][0].as_object();
        let text = match (schemes.and_then(|schemes| schemes.keys().next()).map(String::as_str), scopes.as_slice()) {
            (None, _) => "Needs no credential.".to_owned(),
            (Some("botSecret"), _) => "Needs the secret of the bot.".to_owned(),
            (Some(_), []) => "Needs an API key with any scope.".to_owned(),
            (Some(_), [scope]) => format!("Needs an API key with the scope `{scope}`."),
            (Some(_), scopes) => {
                let scopes: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
                format!("Needs an API key with the scopes {}.", scopes.join(" and "))
            }
        };
        let effect = match self.fields["x-effect"].as_str() {
            Some("read") => " It changes nothing.",
            Some("delete") => " It deletes data.",
            _ => "",
        };
        prose(&format!("{text}{effect}"), "mt-2")
    }

    fn parameters(self) -> Option<AnyView> {
        let parameters = self.fields["parameters"].as_array()?.iter().map(|parameter| self.resolved(parameter));
        let rows: Vec<AnyView> = parameters
            .map(|parameter| {
                let (name, place) = (parameter["name"].as_str().unwrap_or_default(), parameter["in"].as_str().unwrap_or_default());
                let required = parameter["required"] == true;
                let mut row = field(self.document, name, required, &parameter["description"], &parameter["schema"]);
                row.kind = format!("{}, in the {place}", row.kind);
                row_view(row, Direction::Request)
            })
            .collect();
        Some(part("Parameters", table(rows)))
    }

    fn body(self) -> Option<AnyView> {
        let (media_type, content) = self.fields["requestBody"]["content"].as_object()?.iter().next()?;
        let title = format!("Request body, `{media_type}`");
        Some(part(&title, self.content(&content["schema"], Direction::Request)))
    }

    fn answers(self) -> AnyView {
        let answers = self.responses().filter(|(status, _)| !is_refusal(status, self.fields));
        let views = answers.map(|(status, response)| {
            let about = response["description"].as_str().filter(|about| *about != "Success.").unwrap_or_default();
            let contents: Vec<_> = response["content"].as_object().into_iter().flatten().collect();
            let several = contents.len() > 1;
            let title = contents.iter().fold(format!("Answer `{status}`"), |title, (media_type, _)| format!("{title}, `{media_type}`"));
            let contents = contents.into_iter().map(|(media_type, content)| {
                let label = several.then(|| prose(&format!("`{media_type}`"), "text-soft"));
                view! { {label} {self.folded(&content["schema"])} }
            });
            part(&title, view! { {prose(about, "")} {contents.collect_view()} }.into_any())
        });
        views.collect_view().into_any()
    }

    /// A schema; a long one shows when its reader wants it.
    fn folded(self, schema: &'a Value) -> AnyView {
        let count = fields(self.document, schema).len();
        if count <= OPEN_MOST {
            return self.content(schema, Direction::Answer);
        }
        view! {
            <details class="group">
                <summary class="w-fit text-accent underline-offset-2 hover:underline">
                    <span class="group-open:hidden">{format!("Show {count} fields")}</span>
                    <span class="hidden group-open:inline">"Hide fields"</span>
                </summary>
                <div class="mt-2">{self.content(schema, Direction::Answer)}</div>
            </details>
        }
        .into_any()
    }

    /// A schema: its fields, or a sentence on what it is.
    fn content(self, schema: &'a Value, direction: Direction) -> AnyView {
        let rows = fields(self.document, schema);
        if rows.is_empty() {
            let about = schema["description"].as_str().map(ToOwned::to_owned).unwrap_or_else(|| kind(self.document, schema));
            return prose(&about, "text-soft");
        }
        table(rows.into_iter().map(|row| row_view(row, direction)).collect())
    }

    fn refusals(self) -> Option<AnyView> {
        let refusals = self.responses().filter(|(status, _)| is_refusal(status, self.fields));
        let rows: Vec<AnyView> = refusals
            .map(|(status, response)| {
                let about = response["description"].as_str().unwrap_or_default();
                view! {
                    <div class="grid grid-cols-[2.5rem_minmax(0,1fr)] gap-x-3 border-b border-line px-3 py-2 text-sm last:border-b-0">
                        <dt class="font-mono">{status.to_owned()}</dt>
                        <dd>{code(about)}</dd>
                    </div>
                }
                .into_any()
            })
            .collect();
        (!rows.is_empty()).then(|| part("Errors", table(rows)))
    }

    fn responses(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let responses = self.fields["responses"].as_object();
        responses.into_iter().flatten().map(move |(status, response)| (status.as_str(), self.resolved(response)))
    }
}

/// Whether a response is one of the document's refusals, which all have the one error shape.
fn is_refusal(status: &str, operation: &Value) -> bool {
    operation["responses"][status].get("$ref").is_some()
}

fn method_style(method: &str) -> &'static str {
    match method {
        "get" => "badge border-transparent bg-accent-wash font-mono font-medium text-accent",
        "delete" => "badge border-transparent bg-danger-wash font-mono font-medium text-danger",
        _ => "badge border-transparent bg-good-wash font-mono font-medium text-good",
    }
}

/// A part of an operation under its heading.
fn part(title: &str, content: AnyView) -> AnyView {
    view! {
        <div class="min-w-0 space-y-2">
            <h4 class="text-sm font-semibold">{code(title)}</h4>
            {content}
        </div>
    }
    .into_any()
}

fn table(rows: Vec<AnyView>) -> AnyView {
    view! { <dl class="max-w-4xl rounded-md border border-line">{rows}</dl> }.into_any()
}

/// A field: its name and what it is, beside what it means. On narrow screens one below the other.
fn row_view(field: Field, direction: Direction) -> AnyView {
    const INDENT: [&str; 6] = ["", "pl-4", "pl-8", "pl-12", "pl-16", "pl-20"];
    let name = format!("min-w-0 {}", INDENT.get(field.depth).copied().unwrap_or("pl-20"));
    let below = format!("mt-1 min-w-0 sm:mt-0 sm:pl-0 {}", INDENT.get(field.depth).copied().unwrap_or("pl-20"));
    let note = match (direction, field.required) {
        (Direction::Request, true) => Some(("required", "ml-2 text-xs text-warn")),
        (Direction::Answer, false) if field.kind != FORM => Some(("may be absent", "ml-2 text-xs text-soft")),
        _ => None,
    };
    let bare = field.values.iter().all(|(_, about)| about.is_empty());
    let list = if bare { "mt-1 flex flex-wrap gap-x-2 gap-y-0.5" } else { "mt-1 space-y-0.5" };
    let values = field.values.into_iter().map(|(value, about)| {
        view! {
            <li>
                <code class="rounded-xs bg-sunken px-1 font-mono text-xs">{value}</code>
                {(!about.is_empty()).then(|| view! { <span class="text-soft">" "{code(&about)}</span> })}
            </li>
        }
    });
    let values: Vec<_> = values.collect();
    view! {
        <div class="grid gap-x-4 border-b border-line px-3 py-2 text-sm last:border-b-0 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
            <dt class=name>
                <code class="font-mono font-medium break-words">{field.name}</code>
                {note.map(|(text, class)| view! { <span class=class>{text}</span> })}
                <span class="block text-xs text-soft">{std::iter::once(field.kind).chain(field.limits).collect::<Vec<_>>().join(" · ")}</span>
            </dt>
            <dd class=below>
                {code(&field.about)}
                {(!values.is_empty()).then(|| view! { <ul class=list>{values}</ul> })}
            </dd>
        </div>
    }
    .into_any()
}
