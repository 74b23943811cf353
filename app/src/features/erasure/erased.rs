use crate::{layout::ViewerResource, ui::awaited};
use leptos::prelude::*;
use wire::{ErasureId, OperatorRole};

/// What stands where a source or evidence was: which request erased it. It is a link for admins, who alone may read the request.
#[component]
pub fn SourceErased(request: ErasureId, #[prop(default = "Source erased")] what: &'static str) -> impl IntoView {
    let who = ViewerResource::shared();
    let named = format!("request {}", short(request));
    view! {
        <p class="text-sm text-soft" data-testid="source-erased">
            {what} " ("
            {awaited(async move {
                let (may_read, _) = who.allows(OperatorRole::Admin).await;
                match may_read {
                    true => view! { <a class="underline" href=format!("/erasure/{request}")>{named}</a> }.into_any(),
                    false => named.into_any(),
                }
            })}
            ")"
        </p>
    }
}

/// The last characters of a request's id, which tell it apart from others of the same minute.
pub fn short(request: ErasureId) -> String {
    let id = request.to_string();
    id.get(id.len().saturating_sub(8)..).unwrap_or_default().to_owned()
}
