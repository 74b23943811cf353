//! Compares two texts line by line. Pure.

use similar::{Algorithm, ChangeTag, capture_diff_slices};
use wire::{LineChange, TextLine};

/// Lines that are shown around a change.
const AROUND: usize = 2;

/// The lines that turn `old` into `new`, each with its neighbours; nothing if the texts have the same lines.
pub(super) fn compare(old: &str, new: &str) -> Vec<TextLine> {
    let changes = all(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    if changes.iter().all(|(change, _)| *change == LineChange::Same) {
        return vec![];
    }
    fold(&changes)
}

/// Every line of both texts.
fn all<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(LineChange, &'a str)> {
    let change = |tag: ChangeTag| match tag {
        ChangeTag::Equal => LineChange::Same,
        ChangeTag::Delete => LineChange::Removed,
        ChangeTag::Insert => LineChange::Added,
    };
    let runs = capture_diff_slices(Algorithm::Myers, old, new).into_iter().flat_map(|op| op.iter_slices(old, new));
    runs.flat_map(|(tag, lines)| lines.iter().map(move |line| (change(tag), *line))).collect()
}

/// Leaves out the lines that are far from every change, and says how many.
fn fold(changes: &[(LineChange, &str)]) -> Vec<TextLine> {
    let mut near = vec![false; changes.len()];
    for (place, _) in changes.iter().enumerate().filter(|(_, (change, _))| *change != LineChange::Same) {
        near[place.saturating_sub(AROUND)..(place + AROUND + 1).min(changes.len())].fill(true);
    }
    let mut lines: Vec<TextLine> = Vec::new();
    for ((change, text), near) in changes.iter().zip(near) {
        match lines.last_mut() {
            Some(last) if !near && last.change == LineChange::Skipped => last.lines += 1,
            _ if near => lines.push(TextLine { change: *change, text: (*text).to_owned(), lines: 1 }),
            _ => lines.push(TextLine { change: LineChange::Skipped, text: String::new(), lines: 1 }),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(old: &str, new: &str) -> Vec<String> {
        let line = |line: TextLine| match line.change {
            LineChange::Same => format!("={}", line.text),
            LineChange::Removed => format!("-{}", line.text),
            LineChange::Added => format!("+{}", line.text),
            LineChange::Skipped => format!("…{}", line.lines),
        };
        compare(old, new).into_iter().map(line).collect()
    }

    #[test]
    fn changed_lines_come_with_their_neighbours() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni";
        assert_eq!(shown(old, "a\nb\nc\nd\nX\nf\ng\nh\ni"), ["…2", "=c", "=d", "-e", "+X", "=f", "=g", "…2"]);
        assert_eq!(shown(old, "b\nc\nd\ne\nf\ng\nh\ni\nj"), ["-a", "=b", "=c", "…4", "=h", "=i", "+j"]);
        assert_eq!(shown(old, old), Vec::<String>::new());
        assert_eq!(shown("", "a"), ["+a"]);
    }

    #[test]
    fn long_texts_without_a_common_line_are_replaced() {
        let text = |word: &str| (0..3_000).map(|n| format!("{word} {n}\n")).collect::<String>();
        let lines = compare(&text("old"), &text("new"));
        assert_eq!((lines.len(), lines[0].change, lines[5_999].change), (6_000, LineChange::Removed, LineChange::Added));
    }

    proptest! {
        #[test]
        fn both_texts_can_be_put_together_again(old in proptest::collection::vec("[ab]", 0..12), new in proptest::collection::vec("[ab]", 0..12)) {
            let (old, new): (Vec<&str>, Vec<&str>) = (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            let changes = all(&old, &new);
            let side = |without: LineChange| changes.iter().filter(|(c, _)| *c != without).map(|(_, line)| *line).collect::<Vec<_>>();
            prop_assert_eq!(side(LineChange::Added), old);
            prop_assert_eq!(side(LineChange::Removed), new);
        }
    }
}
