use leptos::prelude::*;

/// A name and its value in a list of facts.
pub fn fact(name: &'static str, value: impl IntoView + 'static) -> impl IntoView {
    view! { <dt>{name}</dt> <dd>{value}</dd> }
}

pub fn fact_as(class: &'static str, name: &'static str, value: impl IntoView + 'static) -> impl IntoView {
    view! { <dt>{name}</dt> <dd class=class>{value}</dd> }
}
