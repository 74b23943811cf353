//! The reference of the HTTP API as a page, rendered from the OpenAPI document. It needs no script.

mod example;
mod fields;
mod operation;
mod prose;

use super::Api;
use super::openapi::{Describe, Operation as Description};
use crate::console::SECURITY_HEADERS;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use leptos::prelude::*;
use operation::Operation;
use prose::prose;
use serde_json::{Value, json};
use std::convert::Infallible;

/// A page of HTML, with the console's policy.
pub struct Page(String);

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        (SECURITY_HEADERS, Html(self.0)).into_response()
    }
}

impl Describe for Page {
    fn describe(operation: &mut Description) {
        operation.answers(StatusCode::OK, "The page.", &[("text/html", json!({ "type": "string" }))]);
    }
}

/// The theme that the reader chose in the console.
pub struct Theme(Option<String>);

impl<S: Sync> FromRequestParts<S> for Theme {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(app::theme_of(&parts.headers)))
    }
}

impl Describe for Theme {
    fn describe(_: &mut Description) {}
}

/// `GET /api/docs`: the reference of this API.
pub async fn page(State(api): State<Api>, Theme(theme): Theme) -> Page {
    Page(render(api.document, theme))
}

fn render(document: &Value, theme: Option<String>) -> String {
    let groups = groups(document);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <link rel="stylesheet" href=concat!("/pkg/", env!("LEPTOS_OUTPUT_NAME"), ".css") />
                <title>"HTTP API · Remembrancer"</title>
            </head>
            <body>
                <a class="skip" href="#main">"Skip to content"</a>
                <div class="mx-auto max-w-[84rem] gap-x-10 px-4 lg:grid lg:grid-cols-[17rem_minmax(0,1fr)] lg:px-6">
                    <nav class="sticky top-0 hidden max-h-dvh self-start overflow-y-auto py-6 text-sm lg:block" aria-label="Operations">{contents(&groups)}</nav>
                    <main id="main" class="min-w-0 py-6">
                        {introduction(document)}
                        <details class="card mt-5 px-4 py-3 text-sm lg:hidden">
                            <summary class="font-medium">"Contents"</summary>
                            <div class="mt-3">{contents(&groups)}</div>
                        </details>
                        {groups.iter().map(group_view).collect_view()}
                    </main>
                </div>
            </body>
        </html>
    }
    .to_html()
}

/// Operations that belong together.
struct Group<'a> {
    id: String,
    name: &'a str,
    about: &'a str,
    operations: Vec<Operation<'a>>,
}

fn groups(document: &Value) -> Vec<Group<'_>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations: Vec<Operation> = paths
        .flat_map(|(path, methods)| {
            methods.as_object().into_iter().flatten().map(move |(method, fields)| Operation { document, method, path, fields })
        })
        .collect();
    let group = |tag: &'_ Value| tag["name"].as_str().unwrap_or_default().to_owned();
    let tags = document["tags"].as_array().into_iter().flatten();
    let groups = tags.map(|tag| {
        let name = group(tag);
        Group {
            id: name.to_lowercase().replace(' ', "-"),
            name: tag["name"].as_str().unwrap_or_default(),
            about: tag["description"].as_str().unwrap_or_default(),
            operations: operations.iter().copied().filter(|operation| operation.fields["tags"][0] == name).collect(),
        }
    });
    groups.collect()
}

fn introduction(document: &Value) -> AnyView {
    let info = &document["info"];
    view! {
        <header class="max-w-3xl space-y-3">
            <p class="text-sm text-soft">{format!("Remembrancer {}", info["version"].as_str().unwrap_or_default())}</p>
            <h1>"HTTP API"</h1>
            {prose(info["description"].as_str().unwrap_or_default(), "")}
            <p>
                "To generate a client, use the description in "<a class="underline" href="/api/openapi.json">"OpenAPI 3.1"</a>
                ". In the examples, " <code class="font-mono text-[0.9em]">"URL"</code>
                " is the address of this server, and "<code class="font-mono text-[0.9em]">"KEY"</code> " an API key."
            </p>
        </header>
    }
    .into_any()
}

fn contents(groups: &[Group]) -> AnyView {
    let group = |group: &Group| {
        let operations = group.operations.iter().map(|operation| {
            view! {
                <li>
                    <a class="block py-0.5 break-words text-soft hover:text-ink" href=format!("#{}", operation.id())>
                        {operation.summary().to_owned()}
                    </a>
                </li>
            }
        });
        view! {
            <li>
                <a class="font-medium text-ink" href=format!("#{}", group.id)>{group.name.to_owned()}</a>
                <ul class="mt-1 border-l border-line pl-3">{operations.collect_view()}</ul>
            </li>
        }
    };
    view! { <ul class="space-y-4">{groups.iter().map(group).collect_view()}</ul> }.into_any()
}

fn group_view(group: &Group) -> AnyView {
    view! {
        <section id=group.id.clone() class="mt-10 scroll-mt-4">
            <h2 class="text-lg">{group.name.to_owned()}</h2>
            {prose(group.about, "mt-1 max-w-3xl text-soft")}
            <div class="mt-4 space-y-5">{group.operations.iter().map(|operation| operation.view()).collect_view()}</div>
        </section>
    }
    .into_any()
}
