use leptos::prelude::*;

/// A part of a page with its heading, which has the id.
#[component]
pub fn Titled(id: &'static str, title: &'static str, children: Children) -> impl IntoView {
    view! {
        <section aria-labelledby=id>
            <h2 class="mb-2" id=id>{title}</h2>
            {children()}
        </section>
    }
}
