use super::text;
use leptos::prelude::*;

/// The line that names the admins of the organisation.
#[component]
pub fn Admins(
    names: Vec<String>,
    /// How the sentence goes on that begins with the name of the only admin. Without it, the line is as for several.
    #[prop(optional)]
    alone: Option<&'static str>,
) -> impl IntoView {
    let names: Vec<String> = names.iter().map(|name| text::visible(name)).collect();
    let says = match (names.as_slice(), alone) {
        ([one], Some(alone)) => format!("{one} {alone}"),
        (names, _) => format!("Admins of this organisation: {}.", names.join(", ")),
    };
    view! { <p class="text-sm wrap-anywhere text-soft" data-testid="admins">{says}</p> }
}
