use crate::islands::term_names;
use leptos::prelude::*;

/// The names that every [`crate::islands::TermField`] of the page suggests.
#[component]
pub fn TermNames() -> impl IntoView {
    let names = Resource::new(|| (), |()| term_names(String::new()));
    view! {
        <Suspense>
            {move || Suspend::new(async move {
                let options = names.await.unwrap_or_default().into_iter().map(|name| view! { <option value=name></option> }).collect_view();
                view! { <datalist id="terms">{options}</datalist> }
            })}
        </Suspense>
    }
}
