//! Compares two texts word by word.

use super::text::visible;
use leptos::prelude::*;

/// What happened to a run of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Same,
    Removed,
    Added,
}

/// Most cells of the comparison's table; longer texts show the whole changed part as replaced.
const CELLS: usize = 1_000_000;

/// The runs that turn `old` into `new`, by a longest common subsequence of words, blanks and punctuation.
pub fn compare(old: &str, new: &str) -> Vec<(Change, String)> {
    let (old, new) = (words(old), words(new));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old.iter().skip(head).rev().zip(new.iter().skip(head).rev()).take_while(|(a, b)| a == b).count();
    let (from, to) = (middle(&old, head, tail), middle(&new, head, tail));

    let mut runs = Vec::new();
    push_all(&mut runs, Change::Same, old.iter().take(head));
    if from.len().saturating_mul(to.len()) > CELLS {
        push_all(&mut runs, Change::Removed, from);
        push_all(&mut runs, Change::Added, to);
    } else {
        align(from, to, &mut runs);
    }
    push_all(&mut runs, Change::Same, old.iter().skip(old.len() - tail));
    runs
}

fn middle<'a, 'b>(words: &'b [&'a str], head: usize, tail: usize) -> &'b [&'a str] {
    words.get(head..words.len() - tail).unwrap_or_default()
}

fn align(from: &[&str], to: &[&str], runs: &mut Vec<(Change, String)>) {
    let width = to.len() + 1;
    let mut length = vec![0_u32; (from.len() + 1) * width];
    let at = |length: &[u32], i: usize, j: usize| length.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in from.iter().enumerate().rev() {
        for (j, b) in to.iter().enumerate().rev() {
            let best = if a == b { at(&length, i + 1, j + 1) + 1 } else { at(&length, i + 1, j).max(at(&length, i, j + 1)) };
            if let Some(cell) = length.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    loop {
        match (from.get(i), to.get(j)) {
            (Some(a), Some(b)) if a == b => {
                push(runs, Change::Same, a);
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none() || at(&length, i + 1, j) >= at(&length, i, j + 1) => {
                push(runs, Change::Removed, a);
                i += 1;
            }
            (_, Some(b)) => {
                push(runs, Change::Added, b);
                j += 1;
            }
            _ => return,
        }
    }
}

fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| c.is_alphanumeric() == first.is_alphanumeric() && c.is_whitespace() == first.is_whitespace();
        // Words and blanks are compared as a whole, punctuation sign by sign.
        let end =
            if first.is_alphanumeric() || first.is_whitespace() { rest.find(|c| !same(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, tail) = rest.split_at(end);
        words.push(word);
        rest = tail;
    }
    words
}

fn push_all<'a>(runs: &mut Vec<(Change, String)>, change: Change, words: impl IntoIterator<Item = &'a &'a str>) {
    words.into_iter().for_each(|word| push(runs, change, word));
}

fn push(runs: &mut Vec<(Change, String)>, change: Change, word: &str) {
    match runs.last_mut() {
        Some((last, text)) if *last == change => text.push_str(word),
        _ => runs.push((change, word.to_owned())),
    }
}

/// The newer text, with removed words struck through and added words underlined.
#[component]
pub fn Diff(old: String, new: String) -> impl IntoView {
    let runs = compare(&visible(&old), &visible(&new))
        .into_iter()
        .map(|(change, text)| match change {
            Change::Same => view! { <span>{text}</span> }.into_any(),
            Change::Removed => view! { <del>{text}</del> }.into_any(),
            Change::Added => view! { <ins>{text}</ins> }.into_any(),
        })
        .collect_view();
    view! { <div class="verbatim text-sm">{runs}</div> }
}

/// Both texts beside each other, with removed words struck through in the old one and added words underlined in the new one.
#[component]
pub fn Sides(old: String, new: String, names: (&'static str, &'static str)) -> impl IntoView {
    let runs = compare(&visible(&old), &visible(&new));
    let side = |name: &'static str, other: Change| {
        let own = runs.iter().filter(|(change, _)| *change != other).map(|(change, text)| match change {
            Change::Same => view! { <span>{text.clone()}</span> }.into_any(),
            Change::Removed => view! { <del>{text.clone()}</del> }.into_any(),
            Change::Added => view! { <ins>{text.clone()}</ins> }.into_any(),
        });
        view! {
            <div class="min-w-0 space-y-1">
                <p class="text-xs text-soft">{name}</p>
                <div class="verbatim max-h-80 overflow-y-auto text-sm" tabindex="0" role="group" aria-label=name>{own.collect_view()}</div>
            </div>
        }
    };
    view! { <div class="grid gap-4 sm:grid-cols-2">{side(names.0, Change::Added)} {side(names.1, Change::Removed)}</div> }
}

#[cfg(test)]
mod tests {
    use super::{Change::*, *};

    #[test]
    fn names_the_words_that_changed() {
        let runs = compare("Vera prefers black tea.", "Vera prefers green tea, always.");
        let shown: Vec<_> = runs.iter().map(|(change, text)| (*change, text.as_str())).collect();
        assert_eq!(
            shown,
            [(Same, "Vera prefers "), (Removed, "black"), (Added, "green"), (Same, " tea"), (Added, ", always"), (Same, ".")]
        );
    }

    #[test]
    fn both_sides_can_be_put_together_again() {
        for (old, new) in [("", "a"), ("a", ""), ("a b c", "a b c"), ("one\n two", "one\n\ttwo three"), ("é ü", "ü é"), ("aa", "a")] {
            let side = |leave: Change| compare(old, new).into_iter().filter(|(c, _)| *c != leave).map(|(_, t)| t).collect::<String>();
            assert_eq!((side(Added).as_str(), side(Removed).as_str()), (old, new));
        }
    }

    #[test]
    fn long_texts_are_replaced_as_a_whole() {
        let (old, new) = ("a b ".repeat(2000), "c d ".repeat(2000));
        assert_eq!(compare(&old, &new).len(), 2 + 1);
    }
}
