use crate::{
    ConsoleError,
    query::{Query, use_query},
};
use leptos::prelude::*;
use remembrancer::api::FieldError;
use serde::{Serialize, de::DeserializeOwned};

/// What a URL asks for, or what in it cannot be read.
pub type Asked<T> = Result<T, Vec<FieldError>>;

/// What the page's URL asks for, as it changes: what the list is loaded by, and what the fields of its form show.
pub struct Filtered<T: Send + Sync + 'static> {
    pub query: Memo<Query>,
    pub asked: Memo<Asked<T>>,
}

impl<T: Send + Sync + 'static> Clone for Filtered<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Filtered<T> {}

impl<T: Clone + PartialEq + Send + Sync + 'static> Filtered<T> {
    /// Follows the URL through `read`. What `read` leaves out of its answer loads nothing anew.
    pub fn by(read: fn(&Query) -> Asked<T>) -> Self {
        let query = use_query();
        Self { query, asked: Memo::new(move |_| query.with(read)) }
    }

    /// The answer of `find`, asked again with each change; input that cannot be read is an error and asks nobody.
    pub fn load<R, F>(self, find: fn(T) -> F) -> Resource<Result<R, ConsoleError>>
    where
        R: Serialize + DeserializeOwned + Send + Sync + 'static,
        F: Future<Output = Result<R, ConsoleError>> + Send + 'static,
    {
        Resource::new(move || self.asked.get(), move |asked| async move { find(asked.map_err(ConsoleError::invalid)?).await })
    }

    /// What the field `name` shows.
    pub fn value(self, name: &'static str) -> Signal<String> {
        Signal::derive(move || self.query.with(|query| query.text(name)))
    }

    /// What is wrong with the field `name`.
    pub fn error(self, name: &'static str) -> Signal<Option<String>> {
        Signal::derive(move || self.asked.with(|asked| Some(asked.as_ref().err()?.iter().find(|e| e.field == name)?.message.clone())))
    }
}

/// Where the answer stands: bones until there is one, the old one faded while the next is on its way, or why there is none.
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
    let busy = RwSignal::new(false);
    view! {
        <div class="mt-4 transition-opacity" class:opacity-60=move || busy.get() aria-busy=move || busy.get().to_string()>
            <Transition set_pending=busy fallback=|| view! { <div class="card"><super::Skeleton /></div> }>
                {move || Suspend::new(async move {
                    match answer.await {
                        Ok(answer) => show(answer, query.get_untracked()),
                        Err(error) => view! { <div class="card"><super::ErrorView error /></div> }.into_any(),
                    }
                })}
            </Transition>
        </div>
    }
}
