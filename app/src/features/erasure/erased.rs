use leptos::prelude::*;
use wire::ErasureId;

/// What stands where a source or evidence was: which request erased it. Admins may read the request.
#[component]
pub fn SourceErased(request: ErasureId, #[prop(default = "Source erased")] what: &'static str) -> impl IntoView {
    view! {
        <p class="text-sm text-soft" data-testid="source-erased">
            {what} " (" <a class="underline" href=format!("/erasure/{request}")>"request " {short(request)}</a> ")"
        </p>
    }
}

/// The last characters of a request's id, which tell it apart from others of the same minute.
pub fn short(request: ErasureId) -> String {
    let id = request.to_string();
    id.get(id.len().saturating_sub(8)..).unwrap_or_default().to_owned()
}
