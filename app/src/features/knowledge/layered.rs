//! Lays out a directed graph. Pure: layers by longest path, ordered by barycenter, with arrows as straight as there is room for. In a
//! cycle the closing arrow points to the left; every other arrow points to the right.

use std::{collections::BTreeSet, fmt::Write};

pub const BOX_HEIGHT: f64 = 30.0;
/// Most characters of a name in a box.
pub const LONGEST: usize = 26;

const MARGIN: f64 = 10.0;
/// The gap between neighbours in a layer.
const GAP: f64 = 14.0;
/// The height of an arrow that passes through a layer.
const LANE: f64 = 6.0;
/// The gap between two layers.
const CHANNEL: f64 = 72.0;
/// The width of a character, with some margin.
const CHARACTER: f64 = 7.2;
/// The width of a drawing without edges.
const LOOSE_WIDTH: f64 = 900.0;
const SWEEPS: u32 = 12;

/// A box for each node, in the order of the nodes, and an arrow for each edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<Placed>,
    pub arrows: Vec<Arrow>,
}

/// A box: its upper left corner and its width.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placed {
    pub x: f64,
    pub y: f64,
    pub width: f64,
}

/// An arrow between two nodes as an SVG path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    pub from: usize,
    pub to: usize,
    pub path: String,
}

/// An edge from left to right; `turned` if its arrow points to the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    low: usize,
    high: usize,
    turned: bool,
}

/// An item of a layer: a node, or a lane for an arrow that passes through.
#[derive(Clone, Debug, Default)]
struct Item {
    node: Option<usize>,
    left: Vec<usize>,
    right: Vec<usize>,
    y: f64,
}

/// Lays out nodes by the lengths of their names. Loops and duplicate edges are left out.
pub fn layout(characters: &[usize], edges: &[(usize, usize)]) -> Layout {
    let n = characters.len();
    let edges = acyclic(n, edges);
    let layer_of = longest_paths(n, &edges);
    let joined: BTreeSet<usize> = edges.iter().flat_map(|edge| [edge.low, edge.high]).collect();

    let mut layers = vec![Vec::new(); joined.iter().map(|node| layer_of[*node] + 1).max().unwrap_or(0)];
    let mut items: Vec<Item> = (0..n).map(|node| Item { node: Some(node), ..Item::default() }).collect();
    joined.iter().for_each(|node| layers[layer_of[*node]].push(*node));
    let chains: Vec<Vec<usize>> = edges.iter().map(|edge| chain(edge, &layer_of, &mut items, &mut layers)).collect();
    untangle(&mut layers, &items);
    straighten(&layers, &mut items);

    let box_width = |node: usize| real(characters[node].clamp(5, LONGEST)) * CHARACTER + 20.0;
    let (mut boxes, mut columns, mut x) = (vec![Placed::default(); n], Vec::new(), MARGIN);
    for layer in &layers {
        let width = layer.iter().filter_map(|item| items[*item].node).map(box_width).fold(0.0, f64::max);
        for (item, node) in layer.iter().filter_map(|item| Some((&items[*item], items[*item].node?))) {
            boxes[node] = Placed { x, y: item.y - BOX_HEIGHT / 2.0, width };
        }
        columns.push((x, x + width));
        x += width + CHANNEL;
    }
    let arrows = edges.iter().zip(&chains).map(|(edge, chain)| arrow(edge, chain, layer_of[edge.low], &items, &columns)).collect();

    let width = columns.last().map_or(LOOSE_WIDTH, |(_, right)| right + MARGIN);
    let bottom = layers.iter().flatten().map(|item| items[*item].y + BOX_HEIGHT / 2.0).fold(0.0, f64::max);
    let loose: Vec<usize> = (0..n).filter(|node| !joined.contains(node)).collect();
    let (width, height) = scatter(&loose, box_width, width, bottom, &mut boxes);
    Layout { width, height, boxes, arrows }
}

/// The edges without loops and duplicates, turned around where they would close a cycle.
fn acyclic(n: usize, edges: &[(usize, usize)]) -> Vec<Edge> {
    let edges: BTreeSet<_> = edges.iter().copied().filter(|(from, to)| from != to && *from < n && *to < n).collect();
    let mut next = vec![Vec::new(); n];
    let mut needed = vec![false; n];
    for (from, to) in &edges {
        next[*from].push(*to);
        needed[*to] = true;
    }
    // Depth first, starting at nodes without incoming edges: an edge to a node that is still open closes a cycle.
    let (mut open, mut done, mut closing) = (vec![false; n], vec![false; n], BTreeSet::new());
    for start in (0..n).filter(|node| !needed[*node]).chain(0..n) {
        let mut path = if done[start] { Vec::new() } else { vec![(start, 0)] };
        while let Some((node, at)) = path.pop() {
            open[node] = true;
            match next[node].get(at) {
                Some(to) => {
                    path.push((node, at + 1));
                    if open[*to] {
                        closing.insert((node, *to));
                    } else if !done[*to] {
                        path.push((*to, 0));
                    }
                }
                None => (open[node], done[node]) = (false, true),
            }
        }
    }
    let turn = |(from, to): (usize, usize)| match closing.contains(&(from, to)) {
        true => Edge { low: to, high: from, turned: true },
        false => Edge { low: from, high: to, turned: false },
    };
    edges.into_iter().map(turn).collect()
}

/// The length of the longest path to each node.
fn longest_paths(n: usize, edges: &[Edge]) -> Vec<usize> {
    let (mut layer, mut waiting) = (vec![0; n], vec![0_usize; n]);
    edges.iter().for_each(|edge| waiting[edge.high] += 1);
    let mut ready: Vec<usize> = (0..n).filter(|node| waiting[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for edge in edges.iter().filter(|edge| edge.low == node) {
            layer[edge.high] = layer[edge.high].max(layer[node] + 1);
            waiting[edge.high] -= 1;
            if waiting[edge.high] == 0 {
                ready.push(edge.high);
            }
        }
    }
    layer
}

/// The items of an edge, from its low end to its high end: a lane in every layer between them.
fn chain(edge: &Edge, layer_of: &[usize], items: &mut Vec<Item>, layers: &mut [Vec<usize>]) -> Vec<usize> {
    let mut chain = vec![edge.low];
    for layer in layers.iter_mut().take(layer_of[edge.high]).skip(layer_of[edge.low] + 1) {
        layer.push(items.len());
        chain.push(items.len());
        items.push(Item::default());
    }
    chain.push(edge.high);
    for pair in chain.windows(2) {
        if let [left, right] = *pair {
            items[left].right.push(right);
            items[right].left.push(left);
        }
    }
    chain
}

/// Orders each layer by the positions of its neighbours, back and forth, and keeps the order with the fewest crossings.
fn untangle(layers: &mut Vec<Vec<usize>>, items: &[Item]) {
    let (mut best, mut fewest) = (layers.clone(), crossings(layers, items));
    for sweep in 0..SWEEPS {
        let rightwards = sweep % 2 == 0;
        let order: Vec<usize> = if rightwards { (1..layers.len()).collect() } else { (0..layers.len().saturating_sub(1)).rev().collect() };
        for at in order {
            let beside = positions(&layers[if rightwards { at - 1 } else { at + 1 }], items.len());
            let here = positions(&layers[at], items.len());
            let wish = |item: &usize| {
                let neighbours = if rightwards { &items[*item].left } else { &items[*item].right };
                mean(neighbours.iter().map(|neighbour| real(beside[*neighbour]))).unwrap_or(real(here[*item]))
            };
            layers[at].sort_by(|a, b| wish(a).total_cmp(&wish(b)));
        }
        let now = crossings(layers, items);
        if now < fewest {
            (best, fewest) = (layers.clone(), now);
        }
    }
    *layers = best;
}

fn positions(layer: &[usize], items: usize) -> Vec<usize> {
    let mut positions = vec![0; items];
    layer.iter().enumerate().for_each(|(position, item)| positions[*item] = position);
    positions
}

fn crossings(layers: &[Vec<usize>], items: &[Item]) -> usize {
    let mut crossings = 0;
    for pair in layers.windows(2) {
        let [left, right] = pair else { continue };
        let there = positions(right, items.len());
        let ends: Vec<Vec<usize>> = left.iter().map(|item| items[*item].right.iter().map(|to| there[*to]).collect()).collect();
        for (i, upper) in ends.iter().enumerate() {
            let lower = || ends.iter().skip(i + 1).flatten();
            crossings += upper.iter().map(|end| lower().filter(|other| *other < end).count()).sum::<usize>();
        }
    }
    crossings
}

/// Sets the middle of every item, as close to its neighbours' as order and gaps allow.
fn straighten(layers: &[Vec<usize>], items: &mut [Item]) {
    for layer in layers {
        let wishes = vec![0.0; layer.len()];
        place(layer, &wishes, items);
    }
    for sweep in 0..SWEEPS {
        let rightwards = sweep % 2 == 0;
        for at in 0..layers.len() {
            let layer = &layers[if rightwards { at } else { layers.len() - 1 - at }];
            let wish = |item: &usize| {
                let item = &items[*item];
                mean(item.left.iter().chain(&item.right).map(|other| items[*other].y)).unwrap_or(item.y)
            };
            let wishes: Vec<f64> = layer.iter().map(wish).collect();
            place(layer, &wishes, items);
        }
    }
    let top = layers.iter().flatten().map(|item| items[*item].y).fold(f64::INFINITY, f64::min);
    layers.iter().flatten().for_each(|item| items[*item].y += MARGIN + BOX_HEIGHT / 2.0 - top);
}

/// Places items as close to the wishes as order and gaps allow (least squares): items that would collide share the shift.
fn place(layer: &[usize], wishes: &[f64], items: &mut [Item]) {
    let size = |item: usize| if items[item].node.is_some() { BOX_HEIGHT } else { LANE };
    let mut offsets = vec![0.0];
    for pair in layer.windows(2) {
        if let [upper, lower] = *pair {
            offsets.push(offsets.last().unwrap_or(&0.0) + (size(upper) + size(lower)) / 2.0 + GAP);
        }
    }
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (wish, offset) in wishes.iter().zip(&offsets) {
        let mut block = (wish - offset, 1);
        while let Some((shift, count)) = blocks.pop_if(|(shift, _)| *shift > block.0) {
            block = ((shift * real(count) + block.0 * real(block.1)) / real(count + block.1), count + block.1);
        }
        blocks.push(block);
    }
    let shifts = blocks.into_iter().flat_map(|(shift, count)| std::iter::repeat_n(shift, count));
    for ((item, offset), shift) in layer.iter().zip(offsets).zip(shifts) {
        items[*item].y = shift + offset;
    }
}

/// The arrow of an edge: curved between layers, straight through the layers that it passes.
fn arrow(edge: &Edge, chain: &[usize], first: usize, items: &[Item], columns: &[(f64, f64)]) -> Arrow {
    let mut points = Vec::new();
    for (item, (left, right)) in chain.iter().zip(columns.iter().skip(first)) {
        let y = items[*item].y;
        points.extend([(*left, y), (*right, y)]);
    }
    // The arrow starts and ends at the inner sides of its boxes.
    points = points.iter().skip(1).take(points.len().saturating_sub(2)).copied().collect();
    if edge.turned {
        points.reverse();
    }
    let mut path = String::new();
    for pair in points.chunks_exact(2) {
        if let [(x1, y1), (x2, y2)] = pair {
            let bend = (x1 + x2) / 2.0;
            let _ = write!(path, "{}{x1:.1} {y1:.1}", if path.is_empty() { 'M' } else { 'L' });
            let _ = write!(path, "C{bend:.1} {y1:.1} {bend:.1} {y2:.1} {x2:.1} {y2:.1}");
        }
    }
    let (from, to) = if edge.turned { (edge.high, edge.low) } else { (edge.low, edge.high) };
    Arrow { from, to, path }
}

/// Places nodes without edges in rows below the rest, and returns the size of the drawing.
fn scatter(loose: &[usize], box_width: impl Fn(usize) -> f64, width: f64, bottom: f64, boxes: &mut [Placed]) -> (f64, f64) {
    let each = loose.iter().map(|node| box_width(*node)).fold(0.0, f64::max);
    let width = width.max(each + 2.0 * MARGIN);
    let (mut x, mut y) = (MARGIN, if bottom > 0.0 { bottom + 2.0 * GAP } else { MARGIN });
    for node in loose {
        if x + each + MARGIN > width {
            (x, y) = (MARGIN, y + BOX_HEIGHT + GAP);
        }
        boxes[*node] = Placed { x, y, width: each };
        x += each + GAP;
    }
    // A lane may be lower than every box.
    let bottom = boxes.iter().map(|placed| placed.y + BOX_HEIGHT).fold(bottom, f64::max);
    (width, bottom + MARGIN)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

#[expect(clippy::cast_precision_loss, reason = "how many things are in a drawing")]
fn real(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(n: usize, edges: &[(usize, usize)]) -> Layout {
        layout(&vec![8; n], edges)
    }

    fn overlaps(layout: &Layout) -> usize {
        let apart =
            |a: &Placed, b: &Placed| a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + BOX_HEIGHT <= b.y || b.y + BOX_HEIGHT <= a.y;
        let pairs = layout.boxes.iter().enumerate().flat_map(|(i, a)| layout.boxes.iter().skip(i + 1).map(move |b| (a, b)));
        pairs.filter(|(a, b)| !apart(a, b)).count()
    }

    fn inside(layout: &Layout) -> bool {
        layout.boxes.iter().all(|b| b.x >= 0.0 && b.y >= 0.0 && b.x + b.width <= layout.width && b.y + BOX_HEIGHT <= layout.height)
    }

    #[test]
    fn what_is_needed_stands_to_the_right() {
        // The long way decides: 3 is needed by 0 at once and by way of 1 and 2.
        let layout = drawn(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        let x: Vec<f64> = layout.boxes.iter().map(|b| b.x).collect();
        assert!(x.is_sorted_by(|a, b| a < b), "{x:?}");
        assert_eq!((overlaps(&layout), layout.arrows.len(), inside(&layout)), (0, 4, true));
    }

    #[test]
    fn a_long_arrow_goes_around_the_boxes() {
        let layout = drawn(3, &[(0, 1), (1, 2), (0, 2)]);
        let long = layout.arrows.iter().find(|arrow| (arrow.from, arrow.to) == (0, 2)).unwrap();
        // Where it crosses the middle layer it runs straight, at a height of its own.
        let height: f64 = long.path.split('L').next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
        let middle = layout.boxes[1];
        assert!(height < middle.y || height > middle.y + BOX_HEIGHT, "{height} is not beside {middle:?}");
    }

    #[test]
    fn cycles_are_drawn_with_one_arrow_back() {
        let layout = drawn(3, &[(0, 1), (1, 2), (2, 0)]);
        assert_eq!(layout.arrows.len(), 3);
        let back: Vec<_> = layout.arrows.iter().filter(|a| layout.boxes[a.from].x > layout.boxes[a.to].x).map(|a| (a.from, a.to)).collect();
        assert_eq!(back, [(2, 0)]);
        let both = drawn(2, &[(0, 1), (1, 0), (0, 0), (0, 1)]);
        assert_eq!(both.arrows.iter().map(|a| (a.from, a.to)).collect::<Vec<_>>(), [(0, 1), (1, 0)]);
        assert_eq!(overlaps(&both), 0);
    }

    #[test]
    fn crossings_that_need_not_be_are_not() {
        let layout = drawn(6, &[(0, 5), (1, 4), (2, 3)]);
        let order = |nodes: [usize; 3]| nodes.map(|node| layout.boxes[node].y);
        let (left, right) = (order([0, 1, 2]), order([5, 4, 3]));
        assert_eq!(left, right, "parallel and straight");
    }

    #[test]
    fn what_stands_alone_is_beneath() {
        let layout = drawn(9, &[(0, 1)]);
        let lowest = layout.boxes[..2].iter().map(|b| b.y).fold(0.0, f64::max);
        assert!(layout.boxes[2..].iter().all(|b| b.y > lowest));
        assert_eq!((layout.boxes.len(), overlaps(&layout), inside(&layout)), (9, 0, true));
        let (nothing, alone) = (drawn(0, &[]), drawn(1, &[]));
        assert!(nothing.boxes.is_empty() && inside(&alone) && alone.boxes.len() == 1);
    }

    #[test]
    fn sixty_nodes_have_room_and_are_drawn_alike_each_time() {
        // A small linear congruence draws the edges, some of them backwards.
        let mut seed = 7_usize;
        let mut draw = |below: usize| {
            seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
            seed / 65_536 % below
        };
        let edges: Vec<_> = (0..110).map(|_| (draw(60), draw(60))).collect();
        let layout = drawn(60, &edges);
        assert_eq!((layout.boxes.len(), overlaps(&layout), inside(&layout)), (60, 0, true));
        assert_eq!(layout, drawn(60, &edges));
        assert_eq!(layout.arrows.len(), 106, "one edge is a loop, and three come twice");
        assert!(layout.arrows.iter().all(|arrow| arrow.path.starts_with('M') && !arrow.path.contains("NaN")));
    }

    #[test]
    fn long_names_have_wider_boxes() {
        let layout = layout(&[4, 20, 400], &[(0, 1), (1, 2)]);
        assert!(layout.boxes[0].width < layout.boxes[1].width && layout.boxes[1].width < layout.boxes[2].width);
        assert!(layout.boxes[2].width < 260.0);
    }
}
