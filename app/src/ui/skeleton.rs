use leptos::prelude::*;

/// Placeholder rows while a list loads.
#[component]
pub fn Skeleton(#[prop(default = 8)] rows: u32) -> impl IntoView {
    let widths = ["w-2/3", "w-1/2", "w-3/4", "w-3/5"];
    let row = |i: u32| {
        let width = widths.iter().cycle().nth(i as usize).copied().unwrap_or_default();
        view! {
            <div class="flex items-center gap-4 border-b border-line px-3 py-3 last:border-b-0">
                <div class="grow space-y-1.5">
                    <div class="bone h-3.5 w-40"></div>
                    <div class=format!("bone h-3 {width}")></div>
                </div>
                <div class="bone hidden h-3.5 w-20 md:block"></div>
                <div class="bone h-3.5 w-16"></div>
            </div>
        }
    };
    view! {
        <div role="status" data-testid="loading">
            <span class="sr-only">"Loading"</span>
            {(0..rows).map(row).collect_view()}
        </div>
    }
}
