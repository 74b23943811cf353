use super::quote::Quotes;
use crate::ui::Titled;
use leptos::prelude::*;
use wire::InboxQuote;

/// The places that say what a memory says; nothing if it came without a source.
#[component]
pub fn Evidence(quotes: Vec<InboxQuote>) -> impl IntoView {
    (!quotes.is_empty()).then(|| {
        view! {
            <Titled id="evidence" title="Evidence">
                <div class="card p-4"><Quotes quotes /></div>
            </Titled>
        }
    })
}
