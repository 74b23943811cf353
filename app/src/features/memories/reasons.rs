use leptos::prelude::*;

/// Why something was decided and what was rejected; nothing if neither is known.
#[component]
pub fn Reasons(rationale: Option<String>, alternatives: Vec<String>, class: &'static str) -> impl IntoView {
    let rationale = rationale.map(|text| {
        view! {
            <div>
                <dt class="text-soft">"Rationale"</dt>
                <dd class="break-words whitespace-pre-wrap" dir="auto">{text}</dd>
            </div>
        }
    });
    let listed = alternatives.into_iter().map(|text| view! { <li class="break-words" dir="auto">{text}</li> }).collect::<Vec<_>>();
    let rejected = (!listed.is_empty()).then(|| {
        view! {
            <div>
                <dt class="text-soft">"Rejected alternatives"</dt>
                <dd><ul class="list-disc pl-5">{listed}</ul></dd>
            </div>
        }
    });
    (rationale.is_some() || rejected.is_some())
        .then(|| view! { <dl class=format!("space-y-2 text-sm {class}") data-testid="reasons">{rationale} {rejected}</dl> })
}
