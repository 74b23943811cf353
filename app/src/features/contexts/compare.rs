use super::{
    api::compare_contexts,
    bar::TokenBar,
    parts::{Losses, used},
    url::{PATH, compared},
    words::block_name,
};
use crate::{
    layout::{Crumb, PageHead},
    query::Query,
    ui::{Answered, Filtered, TableCard, Time, Titled, columns, text},
};
use leptos::prelude::*;
use wire::{BlockName, ComparedContext, ContextComparison, LineChange, TextLine};

/// The page that compares two contexts, or one and today's assembly.
#[component]
pub fn ContextComparisonPage() -> impl IntoView {
    let filtered = Filtered::by(compared);
    let (query, answer) = (filtered.query.clone(), filtered.load(compare_contexts));
    view! {
        <Crumb href=query.back(PATH) text="Contexts" />
        <PageHead title="Compare contexts">
            "Compare two contexts, or one with what the same request returns now. Comparisons are not logged or counted."
        </PageHead>
        <Answered answer show=|comparison, _: Query| view! { <Compared comparison /> }.into_any() query />
    }
}

#[component]
fn Compared(comparison: ContextComparison) -> impl IntoView {
    let ContextComparison { before, after, lines } = comparison;
    let scale = before.tokens.max(after.tokens);
    let (earlier, later) = (tokens(&before), tokens(&after));
    view! {
        <div class="space-y-6">
            <div class="grid gap-4 lg:grid-cols-2">
                <Side title="Earlier" context=before scale />
                <Side title="Later" context=after scale />
            </div>
            <Blocks earlier later />
            <Titled id="lines" title="Text">
                <Lines lines />
            </Titled>
        </div>
    }
}

#[component]
fn Side(title: &'static str, context: ComparedContext, scale: u32) -> impl IntoView {
    let heading = format!("side-{}", title.to_lowercase());
    let name = match context.id {
        Some(id) => view! { <a href=format!("{PATH}/{id}")>{context.agent_slug}", " <Time at=context.at /></a> }.into_any(),
        None => view! { <span>{context.agent_slug}", today's assembly"</span> }.into_any(),
    };
    view! {
        <section class="card min-w-0 p-4" aria-labelledby=heading.clone() data-testid=heading.clone()>
            <div class="mb-2 flex flex-wrap items-baseline justify-between gap-2">
                <h2 id=heading.clone()>{title}": " {name}</h2>
                <span class="text-sm text-soft">{used(context.tokens, context.budget)}</span>
            </div>
            <TokenBar blocks=context.blocks scale />
            <Losses cut=context.cut degraded=context.degraded />
        </section>
    }
}

fn tokens(context: &ComparedContext) -> Vec<(BlockName, u32)> {
    context.blocks.iter().map(|block| (block.name, block.tokens)).collect()
}

/// Every block of either context, with the tokens that it has in each.
fn pairs(earlier: &[(BlockName, u32)], later: &[(BlockName, u32)]) -> Vec<(BlockName, u32, u32)> {
    let of = |side: &[(BlockName, u32)], name| side.iter().find(|(one, _)| *one == name).map_or(0, |(_, tokens)| *tokens);
    let pair = |name: &BlockName| (*name, of(earlier, *name), of(later, *name));
    BlockName::ALL.iter().map(pair).filter(|(_, before, after)| before + after > 0).collect()
}

/// A difference with its sign: `+12`, `−340`, `0`.
fn signed(before: u32, after: u32) -> String {
    let difference = i64::from(after) - i64::from(before);
    format!("{}{}", if difference > 0 { "+" } else { "" }, text::number(difference))
}

#[component]
fn Blocks(earlier: Vec<(BlockName, u32)>, later: Vec<(BlockName, u32)>) -> impl IntoView {
    let row = |(name, before, after): (BlockName, u32, u32)| {
        view! {
            <tr data-testid="pair">
                <th scope="row" class="text-sm! font-normal! text-ink!">{block_name(name)}</th>
                <td class="number">{text::number(i64::from(before))}</td>
                <td class="number">{text::number(i64::from(after))}</td>
                <td class="number" class:text-soft=before == after>{signed(before, after)}</td>
            </tr>
        }
    };
    let rows = pairs(&earlier, &later).into_iter().map(row).collect_view();
    view! {
        <Titled id="blocks" title="Tokens of each block">
            <TableCard label="Tokens of each block" class="data text-sm" rows heads=columns([
                ("Block", ""), ("Earlier", "number"), ("Later", "number"), ("Difference", "number"),
            ]) />
        </Titled>
    }
}

#[component]
fn Lines(lines: Option<Vec<TextLine>>) -> impl IntoView {
    match lines {
        None => view! {
            <p class="card px-4 py-3 text-sm text-soft" data-testid="lines">"The text of at least one context is no longer stored."</p>
        }
        .into_any(),
        Some(lines) if lines.is_empty() => {
            view! { <p class="card px-4 py-3 text-sm text-good" data-testid="lines">"The texts are the same."</p> }.into_any()
        }
        Some(lines) => view! {
            <div
                class="card overflow-x-hidden py-2 font-mono text-xs"
                tabindex="0"
                role="region"
                aria-label="Lines that differ"
                data-testid="lines"
            >
                {lines.into_iter().map(line).collect_view()}
            </div>
        }
        .into_any(),
    }
}

fn line(line: TextLine) -> AnyView {
    let shown = text::visible(&line.text);
    let (class, sign, content) = match line.change {
        LineChange::Same => ("", " ", view! { <span>{shown}</span> }.into_any()),
        LineChange::Removed => ("bg-danger-wash", "−", view! { <del class="no-underline">{shown}</del> }.into_any()),
        LineChange::Added => ("bg-good-wash", "+", view! { <ins class="no-underline">{shown}</ins> }.into_any()),
        LineChange::Skipped => {
            let skipped = format!("{} unchanged", text::count(i64::from(line.lines), "line", "lines"));
            return view! { <p class="px-3 py-1.5 text-soft">"⋯ " {skipped}</p> }.into_any();
        }
    };
    view! {
        <p class=format!("flex gap-2 px-3 py-px {class}")>
            <span class="w-3 shrink-0 text-soft" aria-hidden="true">{sign}</span>
            <span class="said min-w-0">{content}</span>
        </p>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use BlockName::{Facts, SystemPrompt, Time};

    #[test]
    fn blocks_of_either_side_are_listed_once_in_their_order() {
        let pairs = pairs(&[(Time, 9), (SystemPrompt, 5)], &[(Facts, 40), (Time, 9)]);
        assert_eq!(pairs, [(SystemPrompt, 5, 0), (Facts, 0, 40), (Time, 9, 9)]);
    }

    #[test]
    fn differences_have_a_sign() {
        assert_eq!((signed(5, 17), signed(1_340, 0), signed(3, 3)), ("+12".into(), "−1,340".into(), "0".into()));
    }
}
