use super::{api::front_page, attention::NeedsAttention, last_day::Last24Hours, start::Start, totals::Totals};
use crate::{
    layout::{NumbersResource, PageHead},
    ui::{ErrorView, awaited, reading},
};
use leptos::prelude::*;

/// The front page: what needs attention, what happened in the last 24 hours, and how much there is.
#[component]
pub fn OverviewPage() -> impl IntoView {
    let numbers = reading(front_page());
    let capture = NumbersResource::expect();
    view! {
        <PageHead title="Overview">"What needs attention, what agents learned and asked, and how much they know."</PageHead>
        {awaited(async move {
            match (numbers.await, capture.await) {
                (Ok(overview), Ok(capture)) => {
                    let inventory = overview.inventory;
                    view! {
                        <div class="space-y-8">
                            {(inventory.agents == 0).then(|| view! { <Start /> })}
                            <NeedsAttention attention=overview.attention capture />
                            <Last24Hours day=overview.last_day />
                            <Totals inventory />
                        </div>
                    }
                    .into_any()
                }
                (Err(error), _) | (_, Err(error)) => view! { <div class="card"><ErrorView error /></div> }.into_any(),
            }
        })}
    }
}
