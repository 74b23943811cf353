//! The icons of islands. A shape is a path, drawn on 16 by 16 with a stroke of 1.5.

use leptos::prelude::*;

pub const CLOSE: &str = "m4 4 8 8M12 4l-8 8";
pub const COPY: &str = "M5.75 5.75h7.5v7.5h-7.5zM10.25 5.75v-3h-7.5v7.5h3";
pub const SOURCES: &str = "M4 2.25h5.5l2.75 2.75v8.75H4zM9.25 2.5v2.75H12M6 8h4M6 10.5h4";

/// An icon beside a text; hidden from screen readers.
#[component]
pub fn Icon(#[prop(into)] shape: &'static str) -> impl IntoView {
    view! {
        <svg class="size-4 shrink-0" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
            <path stroke-linecap="round" stroke-linejoin="round" d=shape />
        </svg>
    }
}
