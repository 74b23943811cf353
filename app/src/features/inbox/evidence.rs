use super::{api::read_quotes, quote::Quotes};
use leptos::prelude::*;
use remembrancer::api::MemoryId;

/// The places that say what a memory says; nothing if it came without a source.
#[component]
pub fn EvidenceOf(#[prop(into)] id: Signal<Option<MemoryId>>) -> impl IntoView {
    let quotes = Resource::new(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => read_quotes(id).await.unwrap_or_default(),
                None => Vec::new(),
            }
        },
    );
    view! {
        <Transition fallback=|| ()>
            {move || Suspend::new(async move {
                let quotes = quotes.await;
                (!quotes.is_empty()).then(|| view! {
                    <section class="mt-6" aria-labelledby="evidence">
                        <h2 class="mb-2" id="evidence">"Evidence"</h2>
                        <div class="card p-4"><Quotes quotes /></div>
                    </section>
                })
            })}
        </Transition>
    }
}
