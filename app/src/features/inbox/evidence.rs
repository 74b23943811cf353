use super::quote::Quotes;
use leptos::prelude::*;
use wire::InboxQuote;

/// The places that say what a memory says; nothing if it came without a source.
#[component]
pub fn Evidence(quotes: Vec<InboxQuote>) -> impl IntoView {
    (!quotes.is_empty()).then(|| {
        view! {
            <section aria-labelledby="evidence">
                <h2 class="mb-2" id="evidence">"Evidence"</h2>
                <div class="card p-4"><Quotes quotes /></div>
            </section>
        }
    })
}
