use super::{Icon, Labels, Shape, text};
use crate::{
    ConsoleError,
    query::{Query, use_path, use_query},
};
use leptos::prelude::*;
use leptos_meta::Title;
use wire::ErrorCode;

/// The list that a page belongs to: its URL and the text of the link to it.
fn list_of(path: &str) -> (&'static str, &'static str) {
    let lists = [
        ("/vocabulary", ("/vocabulary/terms", "All terms")),
        ("/knowledge", ("/knowledge", "All documents")),
        ("/accounts", ("/accounts", "All accounts")),
        ("/agents", ("/agents", "All agents")),
        ("/people", ("/people", "All people")),
        ("/projects", ("/projects", "All projects")),
        ("/sources", ("/sources", "All sources")),
        ("/sessions", ("/sessions", "All sessions")),
        ("/inbox", ("/inbox", "All candidates")),
        ("/quality/expectations", ("/quality/expectations", "All expectations")),
        ("/recall/contexts", ("/recall/contexts", "All contexts")),
        ("/recall/log", ("/recall/log", "All recalls")),
    ];
    lists.into_iter().find(|(prefix, _)| path.starts_with(prefix)).map_or(("/memories", "All memories"), |(_, list)| list)
}

/// Where somebody whose input is refused starts over: on the same page, or on the one that leads to it.
fn start_of(path: &str) -> &str {
    match path {
        "/erasure/new" => "/erasure",
        path => path.strip_suffix("/change").unwrap_or(path),
    }
}

/// An error in place of a page or a list, with a link to go on.
#[component]
pub fn ErrorView(error: ConsoleError) -> impl IntoView {
    let title = match error.code {
        ErrorCode::Unauthenticated => "Your session has ended",
        ErrorCode::Forbidden => "Your role does not allow this",
        ErrorCode::NotFound => "Not found",
        ErrorCode::Invalid => "Invalid input",
        ErrorCode::Conflict => "This has changed in the meantime",
        ErrorCode::Unavailable => "Temporarily unavailable",
        _ => "Something went wrong on the server",
    };
    let (path, here) = (use_path(), use_query().href(&use_path()));
    let way_on = match error.code {
        ErrorCode::Unauthenticated => {
            view! { <a class="button" rel="external" href=Query::default().with("next", here).href("/sign-in")>"Sign in"</a> }.into_any()
        }
        ErrorCode::NotFound | ErrorCode::Forbidden => {
            let (href, text) = list_of(&path);
            view! { <a class="button" href=href>{text}</a> }.into_any()
        }
        ErrorCode::Invalid => view! { <a class="button" href=start_of(&path).to_owned()>"Start over"</a> }.into_any(),
        // A plain link reloads the page, so it works without JavaScript too.
        _ => view! { <a class="button" rel="external" href=here>"Try again"</a> }.into_any(),
    };
    // The message only repeats the first of the fields, if there are any.
    let message = match error.fields.len() {
        0 => text::sentence(&error.message),
        1 => "Correct this field:".into(),
        _ => "Correct these fields:".into(),
    };
    let fields = error
        .fields
        .into_iter()
        .map(|f| {
            // "Day: Write a date as 2026-05-31.", and "Day is outside of the period.".
            let is_sentence = f.message.starts_with(|first: char| !first.is_lowercase());
            let says = if is_sentence { format!(": {}", f.message) } else { format!(" {}", f.message) };
            view! { <li><strong class="font-medium">{Labels::of(&f.field)}</strong> {text::sentence(&says)}</li> }
        })
        .collect_view();
    view! {
        <div class="flex flex-col items-center px-6 py-14 text-center" role="alert" data-testid="error">
            <span class="mb-3 rounded-full bg-danger-wash p-2.5 text-danger">
                <Icon shape=Shape::Alert />
            </span>
            <h2 class="mb-1">{title}</h2>
            <p class="max-w-xl text-sm text-soft">{message}</p>
            <ul class="text-sm text-soft">{fields}</ul>
            <div class="mt-4">{way_on}</div>
            {error.request_id.map(|id| view! { <p class="mt-4 font-mono text-xs text-soft">"Request id: " {id.to_string()}</p> })}
        </div>
    }
}

/// The view of an answer, or the error in a card.
pub fn or_error<R, V: IntoView + 'static>(answer: Result<R, ConsoleError>, show: impl FnOnce(R) -> V) -> AnyView {
    match answer {
        Ok(answer) => show(answer).into_any(),
        Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
    }
}

/// The view of the one thing that a page is about, or the error as a page with this title.
pub fn or_missing<R, V: IntoView + 'static>(title: &'static str, answer: Result<R, ConsoleError>, show: impl FnOnce(R) -> V) -> AnyView {
    match answer {
        Ok(answer) => show(answer).into_any(),
        Err(error) => view! {
            <Title text=title />
            <h1 class="sr-only">{title}</h1>
            <div class="card"><ErrorView error /></div>
        }
        .into_any(),
    }
}
