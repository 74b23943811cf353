use crate::{layout::ViewerResource, ui::awaited};
use leptos::prelude::*;
use wire::{ErasureId, OperatorRole};

/// What stands where a source or evidence was: which request erased it.
#[component]
pub fn SourceErased(request: ErasureId, #[prop(default = "Source erased")] what: &'static str) -> impl IntoView {
    view! { <p class="text-sm text-soft" data-testid="source-erased">{what} " (" <RequestName request /> ")"</p> }
}

/// The short name of a request, as a link for admins, who alone may read it.
#[component]
pub fn RequestName(request: ErasureId) -> impl IntoView {
    let who = ViewerResource::shared();
    let name = format!("request {}", short(request));
    awaited(async move {
        let (may_read, _) = who.allows(OperatorRole::Admin).await;
        match may_read {
            true => view! { <a class="underline" href=format!("/erasure/{request}")>{name}</a> }.into_any(),
            false => name.into_any(),
        }
    })
}

/// The last characters of a request's id, which tell it apart from others of the same minute.
pub fn short(request: ErasureId) -> String {
    let id = request.to_string();
    id.get(id.len().saturating_sub(8)..).unwrap_or_default().to_owned()
}
