use super::links::{disputes, relation};
use crate::ui::svg::arrow_head;
use leptos::prelude::*;
use wire::{MemoryLink, MemoryStatus, Relation};

/// Sizes of the boxes and of the gaps between them.
const WIDE: f64 = 208.0;
const HIGH: f64 = 46.0;
const ASIDE: f64 = 60.0;
const BELOW: f64 = 12.0;
const EDGE: f64 = 16.0;
/// Most characters of a topic in a box.
const LETTERS: usize = 25;
/// Most boxes on one side; the list below has all links.
const MOST: usize = 8;

/// The positions of the boxes: incoming links on the left, this memory in the middle, outgoing links on the right.
#[derive(Debug, PartialEq)]
struct Plan {
    width: f64,
    height: f64,
    here: (f64, f64),
    left: Vec<(f64, f64)>,
    right: Vec<(f64, f64)>,
}

#[expect(clippy::cast_precision_loss, reason = "a side has at most eight boxes")]
fn plan(left: usize, right: usize) -> Plan {
    let tall = |n: usize| n as f64 * (HIGH + BELOW) - BELOW;
    let height = tall(left.max(right).max(1)) + 2.0 * EDGE;
    let column = |x: f64, n: usize| (0..n).map(|i| (x, (height - tall(n)) / 2.0 + i as f64 * (HIGH + BELOW))).collect::<Vec<_>>();
    // A side without boxes takes no space.
    let middle = if left > 0 { EDGE + WIDE + ASIDE } else { EDGE };
    let end = if right > 0 { middle + WIDE + ASIDE } else { middle };
    Plan { width: end + WIDE + EDGE, height, here: (middle, (height - HIGH) / 2.0), left: column(EDGE, left), right: column(end, right) }
}

/// The path from the right edge of one box to the left edge of another.
fn path(from: (f64, f64), to: (f64, f64)) -> String {
    let (x1, y1, x2, y2) = (from.0 + WIDE, from.1 + HIGH / 2.0, to.0, to.1 + HIGH / 2.0);
    let bend = (x2 - x1) / 2.0;
    format!("M{x1:.1} {y1:.1}C{:.1} {y1:.1} {:.1} {y2:.1} {x2:.1} {y2:.1}", x1 + bend, x2 - bend)
}

#[component]
pub fn Graph(topic: String, links: Vec<MemoryLink>) -> impl IntoView {
    let all = links.len();
    // A symmetric link belongs to neither side; it is drawn on the right.
    let both_ways = |link: &MemoryLink| matches!(link.relation, Relation::Contradicts | Relation::RelatedTo);
    let (right, left): (Vec<_>, Vec<_>) = links.into_iter().partition(|link| link.outgoing || both_ways(link));
    let (left, right): (Vec<_>, Vec<_>) = (left.into_iter().take(MOST).collect(), right.into_iter().take(MOST).collect());
    let shown = left.len() + right.len();
    let plan = plan(left.len(), right.len());
    let (width, height, here) = (format!("{:.0}", plan.width), format!("{:.0}", plan.height), plan.here);
    let incoming = left.iter().zip(&plan.left).map(|(link, at)| line(link, path(*at, here))).collect_view();
    let outgoing = right.iter().zip(&plan.right).map(|(link, at)| line(link, path(here, *at))).collect_view();
    let ends = left.into_iter().zip(plan.left).chain(right.into_iter().zip(plan.right));
    let boxes = ends.map(|(link, at)| view! { <End link at /> }).collect_view();
    let label = "This memory and the memories linked to it. The list below has the same data.";
    let head = |id, class| arrow_head(id, class, "auto-start-reverse");
    view! {
        <div>
            <div class="overflow-x-auto" tabindex="0" role="region" aria-label="Drawing of the links" data-testid="link-graph">
                <svg class="mx-auto block" width=width.clone() height=height.clone() viewBox=format!("0 0 {width} {height}") role="group" aria-label=label>
                    <defs>{head("link-head", "fill-line-strong")} {head("link-head-warn", "fill-warn")}</defs>
                    <g fill="none" aria-hidden="true">{incoming} {outgoing}</g>
                    <rect
                        class="fill-accent-wash stroke-accent stroke-2"
                        x=here.0.to_string()
                        y=here.1.to_string()
                        width=WIDE.to_string()
                        height=HIGH.to_string()
                        rx="8"
                    />
                    {words(here, "This memory", "fill-accent text-xs", &topic)}
                    {boxes}
                </svg>
            </div>
            {(shown < all).then(|| view! { <p class="px-4 pb-2 text-xs text-soft">{format!("Drawn: {shown} of {all} links. The list has all.")}</p> })}
        </div>
    }
}

/// An arrow with its heads: two for a contradiction, none for a mere relation, otherwise one in the direction of the link.
fn line(link: &MemoryLink, path: String) -> impl IntoView + use<> {
    let (class, head) =
        if disputes(link) { ("stroke-warn stroke-2", "url(#link-head-warn)") } else { ("stroke-line-strong", "url(#link-head)") };
    let start = (link.relation == Relation::Contradicts).then_some(head);
    let end = (link.relation != Relation::RelatedTo).then_some(head);
    let dashes = link.other_deleted.then_some("4 4");
    view! { <path class=class d=path marker-start=start marker-end=end stroke-dasharray=dashes /> }
}

/// Shortens a topic to the width of a box.
fn fitting(topic: &str) -> String {
    if topic.chars().count() > LETTERS { topic.chars().take(LETTERS - 1).chain(['…']).collect() } else { topic.to_owned() }
}

/// Two lines of text in a box; the lower one is shortened to fit.
fn words(at: (f64, f64), above: impl Into<String>, class: &'static str, below: &str) -> impl IntoView {
    let inside = WIDE - 20.0;
    view! {
        <svg x=(at.0 + 10.0).to_string() y=at.1.to_string() width=inside.to_string() height=HIGH.to_string() aria-hidden="true">
            <text class=class y="18">
                {above.into()}
            </text>
            // A space, so that screen readers do not join the two lines.
            " "
            <text class="fill-ink text-sm font-medium" y="36">
                {fitting(below)}
            </text>
        </svg>
    }
}

#[component]
fn End(link: MemoryLink, at: (f64, f64)) -> impl IntoView {
    let says = match (link.other_deleted, link.other_status) {
        (true, _) => format!("{} · deleted", relation(&link)),
        (false, MemoryStatus::Active | MemoryStatus::Contradicted) => relation(&link).to_owned(),
        (false, status) => format!("{} · {status}", relation(&link)),
    };
    let (shape, class) = if disputes(&link) {
        ("fill-warn-wash stroke-warn stroke-2", "fill-warn text-xs font-semibold")
    } else {
        ("fill-surface stroke-line-strong", "fill-soft text-xs")
    };
    // The accessible name must contain the visible text.
    let shown = fitting(&link.other_topic);
    let label = if shown == link.other_topic { format!("{says} {shown}") } else { format!("{says} {shown} {}", link.other_topic) };
    view! {
        <a class="group" href=format!("/memories/{}", link.other_id) aria-label=label>
            <rect
                class=format!("{shape} group-hover:stroke-accent group-focus-visible:stroke-accent group-focus-visible:stroke-3")
                x=at.0.to_string()
                y=at.1.to_string()
                width=WIDE.to_string()
                height=HIGH.to_string()
                rx="8"
                stroke-dasharray=link.other_deleted.then_some("4 4")
            />
            {words(at, says, class, &link.other_topic)}
        </a>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_stand_apart_and_inside_the_drawing() {
        for (left, right) in [(0, 1), (1, 0), (3, 2), (8, 8)] {
            let plan = plan(left, right);
            let all: Vec<_> = plan.left.iter().chain(&plan.right).chain([&plan.here]).copied().collect();
            assert_eq!(all.len(), left + right + 1);
            for (i, (x, y)) in all.iter().enumerate() {
                assert!(
                    *x >= EDGE && *y >= EDGE && x + WIDE <= plan.width - EDGE && y + HIGH <= plan.height - EDGE,
                    "{left}/{right}: {plan:?}"
                );
                for (other_x, other_y) in all.iter().skip(i + 1) {
                    assert!((x - other_x).abs() >= WIDE + ASIDE || (y - other_y).abs() >= HIGH + BELOW, "{left}/{right}: {plan:?}");
                }
            }
        }
    }

    #[test]
    fn lines_lead_from_edge_to_edge() {
        let plan = plan(1, 1);
        assert_eq!(path(plan.left[0], plan.here), "M224.0 39.0C254.0 39.0 254.0 39.0 284.0 39.0");
        assert_eq!(path(plan.here, plan.right[0]), "M492.0 39.0C522.0 39.0 522.0 39.0 552.0 39.0");
    }
}
