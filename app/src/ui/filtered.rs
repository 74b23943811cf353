use crate::{
    ConsoleError,
    query::{Query, use_query},
};
use leptos::prelude::*;
use remembrancer::api::FieldError;
use serde::{Serialize, de::DeserializeOwned};

/// A filter parsed from a URL, or the fields that cannot be parsed.
pub type Parsed<T> = Result<T, Vec<FieldError>>;

/// The query of the page and the filter parsed from it. The filter loads the list; the fields of the form show the query.
pub struct Filtered<T: Send + Sync + 'static> {
    pub query: Memo<Query>,
    pub filter: Memo<Parsed<T>>,
}

impl<T: Send + Sync + 'static> Clone for Filtered<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Filtered<T> {}

impl<T: Clone + PartialEq + Send + Sync + 'static> Filtered<T> {
    /// Parses the URL with `read`.
    pub fn by(read: fn(&Query) -> Parsed<T>) -> Self {
        let query = use_query();
        Self { query, filter: Memo::new(move |_| query.with(read)) }
    }

    /// Loads `find` for the filter. A filter that cannot be parsed is an error and loads nothing.
    pub fn load<R, F>(self, find: fn(T) -> F) -> Resource<Result<R, ConsoleError>>
    where
        R: Serialize + DeserializeOwned + Send + Sync + 'static,
        F: Future<Output = Result<R, ConsoleError>> + Send + 'static,
    {
        Resource::new(move || self.filter.get(), move |filter| async move { find(filter.map_err(ConsoleError::invalid)?).await })
    }

    /// The same fields for a component that several filters share.
    pub fn fields(self) -> Filtered<()> {
        let read = |filter: &Parsed<T>| filter.as_ref().map(drop).map_err(Clone::clone);
        Filtered { query: self.query, filter: Memo::new(move |_| self.filter.with(read)) }
    }

    /// The value of the field `name`.
    pub fn value(self, name: &'static str) -> Signal<String> {
        Signal::derive(move || self.query.with(|query| query.text(name)))
    }

    /// The error of the field `name`.
    pub fn error(self, name: &'static str) -> Signal<Option<String>> {
        Signal::derive(move || self.filter.with(|filter| Some(filter.as_ref().err()?.iter().find(|e| e.field == name)?.message.clone())))
    }
}

/// The loaded answer, or the error.
#[component]
pub fn Answered<R>(
    answer: Resource<Result<R, ConsoleError>>,
    /// The view of an answer.
    show: fn(R, Query) -> AnyView,
    query: Memo<Query>,
) -> impl IntoView
where
    R: Clone + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    view! {
        <div class="mt-4">
            <Suspense>
                {move || Suspend::new(async move {
                    match answer.await {
                        Ok(answer) => show(answer, query.get_untracked()),
                        Err(error) => view! { <div class="card"><super::ErrorView error /></div> }.into_any(),
                    }
                })}
            </Suspense>
        </div>
    }
}
