use super::{
    api::{read_balances, usage},
    balances::Accounts,
    chart::Days,
    input::filter,
    words::{calls, dollars, purpose},
};
use crate::{
    features::{memories::AgentField, views::FilterBar},
    layout::{PageHead, ViewerResource},
    query::Query,
    ui::{
        Answered, DataTable, Empty, Filtered, Shape, awaited,
        chart::{length, share_of},
        columns, or_error, reading, text,
    },
};
use leptos::prelude::*;
use wire::{OperatorRole, UsageReport, UsageShare, Usd, ViewPage};

const NAMES: &[&str] = &["from", "until", "agent", "model"];

/// The page of what calls of models cost. Administrators set the limits, others read them.
#[component]
pub fn UsagePage() -> impl IntoView {
    let filtered = Filtered::by(filter);
    let (query, report) = (filtered.query.clone(), filtered.load(usage));
    let (user, here, accounts) = (query.text("user"), query.clone(), reading(read_balances()));
    let who = ViewerResource::shared();
    view! {
        <PageHead title="Usage">"What model calls cost, and their limits. The local model is free and has no limits."</PageHead>
        <FilterBar page=ViewPage::Usage label="Usage" query=filtered.query.clone() names=NAMES>
            {filtered.date_field("from", "From (UTC)")}
            {filtered.date_field("until", "Until (UTC)")}
            <AgentField value=filtered.value("agent") labelled=true error=filtered.error("agent") />
            {filtered.text_field("model", "Model", "Exact name")}
        </FilterBar>
        <Answered answer=report show=|report, query| view! { <Report report query /> }.into_any() query />
        {awaited(async move {
            let (may_edit, flash) = who.allows(OperatorRole::Admin).await;
            or_error(accounts.await, |balances| view! { <Accounts balances may_edit user flash query=here /> })
        })}
    }
}

#[component]
fn Report(report: UsageReport, query: Query) -> impl IntoView {
    let UsageReport { from, until, total, days, agents, models, purposes, users } = report;
    if total.calls == 0 {
        return view! { <div class="card mb-6"><NoCalls filtered=query.any(NAMES) /></div> }.into_any();
    }
    // Whose limits the form below sets, and the order of accounts, are no part of the report.
    let file = query.without(&["user", "sort"]).href("/usage.csv");
    let period = format!("{} – {} (UTC)", text::day(from), text::day(until));
    let purposes = purposes.into_iter().map(|share| UsageShare { name: share.name.map(|name| purpose(&name).to_owned()), ..share });
    view! {
        <div class="mb-2 flex flex-wrap items-baseline gap-x-3 text-sm text-soft">
            <p data-testid="total"><strong class="font-medium text-ink">{dollars(total.dollars)}</strong> " for " {calls(total)} ", " {period}</p>
            <p class="ml-auto">
                "Export as "
                <a class="underline" href=file rel="external" download="">"CSV"</a>
            </p>
        </div>
        <Days days />
        <div class="mb-6 grid items-start gap-6 lg:grid-cols-2">
            <Shares title="By agent" shares=agents none="The organisation" />
            <Shares title="By model" shares=models none="" />
            <Shares title="By purpose" shares=purposes.collect() none="" />
            <Shares title="By user" shares=users none="Without a user" />
        </div>
    }
    .into_any()
}

/// A table of shares with bars.
#[component]
fn Shares(
    title: &'static str,
    shares: Vec<UsageShare>,
    /// The name of what has none.
    none: &'static str,
) -> impl IntoView {
    let by_cost = shares.iter().any(|share| share.usage.dollars > Usd::ZERO);
    let size = move |share: &UsageShare| length(if by_cost { share.usage.dollars.as_micros() } else { share.usage.tokens() });
    let most = shares.iter().map(size).fold(0.0, f64::max);
    let row = move |share: UsageShare| {
        let width = format!("{:.1}", share_of(size(&share), most) * 96.0);
        view! {
            <tr>
                <th scope="row" class="font-normal! whitespace-normal!">
                    <span class="text-sm wrap-anywhere">{share.name.map_or_else(|| none.to_owned(), |name| text::visible(&name))}</span>
                    <svg class="mt-1 block h-1.5 w-full max-w-40" viewBox="0 0 96 8" preserveAspectRatio="none" aria-hidden="true">
                        <rect class="fill-line" width="96" height="8" rx="2" />
                        <rect class="fill-chart" width=width height="8" rx="2" />
                    </svg>
                </th>
                <td class="number w-52 text-sm sm:w-60">
                    <strong class="font-medium">{dollars(share.usage.dollars)}</strong>
                    <span class="block text-xs text-soft">{calls(share.usage)}</span>
                </td>
            </tr>
        }
    };
    view! {
        <section class="card min-w-0">
            <div class="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-2">
                <h2>{title}</h2>
                <p class="text-xs text-soft">"A full bar is the largest."</p>
            </div>
            <DataTable label=title bare=true heads=columns([(title, ""), ("Cost", "")]) rows=shares.into_iter().map(row).collect_view() />
        </section>
    }
}

#[component]
fn NoCalls(filtered: bool) -> impl IntoView {
    let (title, clear) = match filtered {
        true => ("No calls match these filters", Some(view! { <a class="button mt-3" href="/usage">"Clear filters"</a> })),
        false => ("No calls in the last 30 days", None),
    };
    view! {
        <Empty shape=Shape::Usage title=title>
            <p>"Usage appears here when agents call a model. Only outside models cost money. LLM_MODEL and EMBEDDING_MODEL of the server choose them."</p>
            {clear}
        </Empty>
    }
}
