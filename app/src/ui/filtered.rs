use super::{Choice, ErrorView, Labels, SelectField, TextField, awaited, reading};
use crate::{
    ConsoleError,
    query::{Query, use_query},
};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use wire::FieldError;

/// A filter parsed from a URL, or the fields that cannot be parsed.
pub type Parsed<T> = Result<T, Vec<FieldError>>;

/// Builds a filter from a URL; `build` is given the list for the errors of fields.
pub fn parsed<T>(build: impl FnOnce(&mut Vec<FieldError>) -> T) -> Parsed<T> {
    let mut errors = Vec::new();
    let filter = build(&mut errors);
    if errors.is_empty() { Ok(filter) } else { Err(errors) }
}

/// Adds an error unless a period ends after it begins.
pub fn check_period(from: Option<DateTime<Utc>>, until: Option<DateTime<Utc>>, errors: &mut Vec<FieldError>) {
    if from.zip(until).is_some_and(|(from, until)| from >= until) {
        errors.push(FieldError::new("until", "The end is before the beginning."));
    }
}

/// The query of the page and the filter parsed from it. The filter loads the list; the fields of the form show the query.
pub struct Filtered<T> {
    pub query: Query,
    pub filter: Parsed<T>,
}

impl<T> Filtered<T> {
    /// Parses the URL with `read`.
    pub fn by(read: fn(&Query) -> Parsed<T>) -> Self {
        Labels::provide();
        let query = use_query();
        Self { filter: read(&query), query }
    }

    /// Loads `find` for the filter. A filter that cannot be parsed is an error and loads nothing.
    pub fn load<R, F>(&self, find: fn(T) -> F) -> impl Future<Output = Result<R, ConsoleError>> + Send + use<T, R, F>
    where
        T: Clone + Send + 'static,
        R: Send + 'static,
        F: Future<Output = Result<R, ConsoleError>> + Send + 'static,
    {
        let filter = self.filter.clone();
        reading(async move { find(filter.map_err(ConsoleError::invalid)?).await })
    }

    /// The same fields for a component that several filters share.
    pub fn fields(&self) -> Filtered<()> {
        Filtered { query: self.query.clone(), filter: self.filter.as_ref().map(drop).map_err(Clone::clone) }
    }

    pub fn value(&self, name: &str) -> String {
        self.query.text(name)
    }

    pub fn error(&self, name: &str) -> Option<String> {
        Some(self.filter.as_ref().err()?.iter().find(|error| error.field == name)?.message.clone())
    }

    pub fn text_field(&self, name: &'static str, label: &'static str, hint: &'static str) -> AnyView {
        view! { <TextField name label hint value=self.value(name) error=self.error(name) /> }.into_any()
    }

    pub fn date_field(&self, name: &'static str, label: &'static str) -> AnyView {
        view! { <TextField name label kind="date" value=self.value(name) error=self.error(name) /> }.into_any()
    }

    pub fn select_field(&self, name: &'static str, label: &'static str, choices: Vec<Choice>) -> AnyView {
        view! { <SelectField name label value=self.value(name) error=self.error(name) choices /> }.into_any()
    }
}

/// A form whose fields become the query of `action`. With JavaScript the page is exchanged in place, and empty fields stay out of the URL.
#[component]
pub fn FilterForm(#[prop(into)] action: String, label: &'static str, children: Children) -> impl IntoView {
    view! {
        // The values come from the URL; after "back" the browser must not restore later input.
        <form method="get" action=action role="search" aria-label=label autocomplete="off">
            {children()}
        </form>
    }
}

/// The buttons of a filter form. With JavaScript a choice applies at once, and the button is for what is typed; `clear` is the URL without
/// filters and is offered if one of `names` is set. The order of the list stays as it is.
#[component]
pub fn FilterButtons(query: Query, names: &'static [&'static str], clear: &'static str) -> impl IntoView {
    let cleared = query.owned("sort").map_or_else(|| clear.to_owned(), |sort| Query::default().with("sort", sort).href(clear));
    view! {
        {query.owned("sort").map(|sort| view! { <input type="hidden" name="sort" value=sort /> })}
        <button class="button button-primary" type="submit" data-applies="">"Apply filters"</button>
        <a class="button button-quiet" class:hidden=!query.any(names) href=cleared>"Clear"</a>
    }
}

/// The loaded answer, or the error.
#[component]
pub fn Answered<R, A>(
    answer: A,
    /// The view of an answer.
    show: fn(R, Query) -> AnyView,
    query: Query,
) -> impl IntoView
where
    R: 'static,
    A: Future<Output = Result<R, ConsoleError>> + Send + 'static,
{
    let shown = awaited(async move {
        match answer.await {
            Ok(answer) => show(answer, query),
            Err(error) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
        }
    });
    view! { <div class="mt-4">{shown}</div> }
}
