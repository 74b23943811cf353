use super::viewer::ViewerResource;
use crate::ui::{awaited, text};
use leptos::prelude::*;

/// A sentence that says how many days the recall log covers.
#[component]
pub fn LogPeriod() -> impl IntoView {
    let who = ViewerResource::expect();
    let sentence = |days: Option<u32>| match days {
        Some(days) => format!("The log covers the last {}.", text::count(i64::from(days), "day", "days")),
        None => "The log covers every recall.".to_owned(),
    };
    awaited(async move { who.await.ok().map(|viewer| sentence(viewer.log_days)) })
}
