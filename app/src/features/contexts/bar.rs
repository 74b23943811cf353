use super::words::{block_name, pace_name};
use crate::ui::{
    DataTable,
    chart::{percent, share_of},
    columns, text,
};
use leptos::prelude::*;
use wire::{ContextBlock, Pace};

/// The width of the drawing, in units of the SVG.
const WIDTH: f64 = 760.0;
/// The least width of a block that has tokens.
const LEAST: f64 = 3.0;
/// How strong the colour of neighbours with the same pace is.
const SHADES: [&str; 4] = ["1", "0.7", "0.5", "0.35"];

/// The left edge and the width of a segment.
type Place = (f64, f64);
/// Fill and opacity of a segment.
type Colour = (&'static str, &'static str);

/// The place of each segment, for a bar whose whole width is `scale` tokens.
fn place(tokens: &[u32], scale: u32) -> Vec<Place> {
    let widths: Vec<f64> = tokens
        .iter()
        .map(|tokens| if *tokens == 0 { 0.0 } else { (share_of(f64::from(*tokens), f64::from(scale)) * WIDTH).max(LEAST) })
        .collect();
    // Least widths must not push the bar beyond its end.
    let squeeze = (WIDTH / widths.iter().sum::<f64>().max(1.0)).min(1.0);
    let mut left = 0.0;
    let place = |width: f64| {
        let at = left;
        left += width * squeeze;
        (at, width * squeeze)
    };
    widths.into_iter().map(place).collect()
}

/// How many blocks the stable prefix has: all before the first that changes every turn.
fn stable(blocks: &[ContextBlock]) -> usize {
    blocks.iter().position(|block| block.name.pace() == Pace::Turn).unwrap_or(blocks.len())
}

fn fill(pace: Pace) -> &'static str {
    match pace {
        Pace::Settings => "fill-soft",
        Pace::Memory => "fill-accent",
        Pace::Turn => "fill-good",
    }
}

/// Fill and opacity of each block: the colour of its pace, in a shade that its neighbours do not have.
fn colours(blocks: &[ContextBlock]) -> Vec<Colour> {
    let mut used = [0_usize; 3];
    let colour = |block: &ContextBlock| {
        let pace = block.name.pace();
        let count = &mut used[pace as usize];
        let shade = SHADES.get(*count % SHADES.len()).copied().unwrap_or("1");
        *count += 1;
        (fill(pace), shade)
    };
    blocks.iter().map(colour).collect()
}

fn sum(blocks: &[ContextBlock]) -> u32 {
    blocks.iter().map(|block| block.tokens).sum()
}

fn share(part: u32, whole: u32) -> String {
    percent(share_of(f64::from(part), f64::from(whole)))
}

/// The tokens of a context as a bar with one segment for each block; a line beneath it marks the stable prefix.
#[component]
pub fn TokenBar(
    blocks: Vec<ContextBlock>,
    /// The tokens that the whole width stands for.
    scale: u32,
) -> impl IntoView {
    let total = sum(&blocks);
    let tokens: Vec<u32> = blocks.iter().map(|block| block.tokens).collect();
    let places = place(&tokens, scale);
    let stable = stable(&blocks);
    let end = stable.checked_sub(1).and_then(|last| places.get(last)).map_or(0.0, |(left, width)| left + width);
    let spoken = blocks.iter().map(|block| format!("{} {}", block_name(block.name), text::number(i64::from(block.tokens))));
    let label = format!("{}: {}", text::count(i64::from(total), "token", "tokens"), spoken.collect::<Vec<_>>().join(", "));
    let segment = |((block, (left, width)), (fill, shade)): ((ContextBlock, Place), Colour)| {
        let hint = format!("{}: {} ({})", block_name(block.name), text::number(i64::from(block.tokens)), share(block.tokens, total));
        // A gap tells neighbours apart.
        let drawn = (width - 1.0).max(width / 2.0);
        view! {
            <rect class=fill fill-opacity=shade x=format!("{left:.1}") width=format!("{drawn:.1}") height="24">
                <title>{hint}</title>
            </rect>
        }
    };
    let colours = colours(&blocks);
    view! {
        <svg class="block h-9 w-full" viewBox=format!("0 0 {WIDTH} 34") preserveAspectRatio="none" role="img" aria-label=label>
            <rect class="fill-line" width=WIDTH.to_string() height="24" />
            <g>{blocks.into_iter().zip(places).zip(colours).map(segment).collect_view()}</g>
            {(end > 0.0).then(|| view! { <rect class="fill-ink" y="28" width=format!("{:.1}", end - 1.0) height="3" /> })}
        </svg>
    }
}

/// The legend of the bar: each block with its tokens and its share; a row marks the end of the stable prefix.
#[component]
pub fn Legend(blocks: Vec<ContextBlock>) -> impl IntoView {
    let (total, stable, colours) = (sum(&blocks), stable(&blocks), colours(&blocks));
    let prefix = sum(blocks.get(..stable).unwrap_or_default());
    let mark = (stable > 0).then(|| {
        view! {
            <tr class="bg-sunken" data-testid="stable">
                <th scope="row" class="text-sm! font-medium! text-ink!">
                    <span class="flex items-center gap-2">
                        <svg class="h-1 w-3 shrink-0" viewBox="0 0 12 4" aria-hidden="true"><rect class="fill-ink" width="12" height="4" /></svg>
                        "Stable prefix"
                    </span>
                </th>
                <td class="number font-medium">{text::number(i64::from(prefix))}</td>
                <td class="number font-medium">{share(prefix, total)}</td>
                <td class="hidden text-xs text-soft @lg:table-cell">"the same in the next turn unless memory or settings change"</td>
            </tr>
        }
        .into_any()
    });
    let mut rows: Vec<AnyView> = Vec::new();
    for (block, (fill, shade)) in blocks.into_iter().zip(colours) {
        let row = view! {
            <tr data-testid="block">
                <th scope="row" class="text-sm! font-normal! text-ink!">
                    <span class="flex items-center gap-2">
                        <svg class="size-3 shrink-0" viewBox="0 0 12 12" aria-hidden="true">
                            <rect class=fill fill-opacity=shade width="12" height="12" rx="2" />
                        </svg>
                        {block_name(block.name)}
                    </span>
                </th>
                <td class="number">{text::number(i64::from(block.tokens))}</td>
                <td class="number text-soft">{share(block.tokens, total)}</td>
                <td class="hidden text-xs text-soft @lg:table-cell">{pace_name(block.name.pace())}</td>
            </tr>
        };
        rows.push(row.into_any());
    }
    if let Some(mark) = mark {
        rows.insert(stable, mark);
    }
    view! {
        <DataTable label="Tokens of each block" class="data text-sm" rows heads=columns([
            ("Block", ""), ("Tokens", "number"), ("Share", "number"), ("Changes", "hidden @lg:table-cell"),
        ]) />
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::BlockName;

    fn block(name: BlockName, tokens: u32) -> ContextBlock {
        ContextBlock { name, tokens, bytes: 0, items: vec![] }
    }

    #[test]
    fn segments_follow_each_other_and_stay_in_the_bar() {
        assert_eq!(place(&[100, 300], 400), [(0.0, 190.0), (190.0, 570.0)]);
        assert_eq!(place(&[100, 0, 100], 400), [(0.0, 190.0), (190.0, 0.0), (190.0, 190.0)]);
        let many = place(&[1; 15].map(|one: u32| one * 1_000), 15_000);
        assert!(many.last().is_some_and(|(left, width)| (left + width - WIDTH).abs() < 0.01));
        let tiny = place(&[1, 1, 1_000_000], 1_000_002);
        assert!(tiny.iter().all(|(_, width)| *width > 2.0) && tiny.iter().map(|(_, width)| width).sum::<f64>() <= WIDTH + 0.01, "{tiny:?}");
    }

    #[test]
    fn the_stable_prefix_ends_before_the_first_block_that_changes_every_turn() {
        use BlockName::{Facts, Memory, Skills, SystemPrompt, Time};
        assert_eq!(stable(&[block(SystemPrompt, 5), block(Memory, 5), block(Facts, 5), block(Skills, 5)]), 2);
        assert_eq!((stable(&[block(Time, 5)]), stable(&[])), (0, 0));
    }

    #[test]
    fn neighbours_of_a_pace_have_different_shades() {
        use BlockName::{Directives, Facts, SystemPrompt};
        let colours = colours(&[block(SystemPrompt, 1), block(Directives, 1), block(Facts, 1)]);
        assert_eq!(colours, [("fill-soft", "1"), ("fill-soft", "0.7"), ("fill-good", "1")]);
    }
}
