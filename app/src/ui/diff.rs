//! Compares two texts word by word.

use super::text::visible;
use leptos::prelude::*;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::mem::take;

/// What happened to a run of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Same,
    Removed,
    Added,
}

/// The runs that turn `old` into `new`, in words, blanks and punctuation. A blank between two changes belongs to both: `black tea` becomes
/// `green coffee`, not one word and then the other.
pub fn compare(old: &str, new: &str) -> Vec<(Change, String)> {
    let (old, new) = (words(old), words(new));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let (mut runs, mut removed, mut added) = (Vec::new(), String::new(), String::new());
    for (i, op) in ops.iter().enumerate() {
        let (from, to) = (old[op.old_range()].concat(), new[op.new_range()].concat());
        let is_between = (1..ops.len() - 1).contains(&i);
        if op.tag() == DiffTag::Equal && !(is_between && from.trim().is_empty()) {
            let changed = [(Change::Removed, take(&mut removed)), (Change::Added, take(&mut added))];
            runs.extend(changed.into_iter().chain([(Change::Same, from)]));
        } else {
            removed.push_str(&from);
            added.push_str(&to);
        }
    }
    runs.extend([(Change::Removed, removed), (Change::Added, added)]);
    runs.retain(|(_, text)| !text.is_empty());
    runs
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
    fn a_changed_phrase_is_one_change() {
        let runs = compare("Vera drinks black tea at 9:30.", "Vera drinks green coffee at 9:45.");
        let shown: Vec<_> = runs.iter().map(|(change, text)| (*change, text.as_str())).collect();
        let expected = [
            (Same, "Vera drinks "),
            (Removed, "black tea"),
            (Added, "green coffee"),
            (Same, " at 9:"),
            (Removed, "30"),
            (Added, "45"),
            (Same, "."),
        ];
        assert_eq!(shown, expected);
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
