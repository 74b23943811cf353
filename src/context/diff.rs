//! Compares two texts line by line. Pure.

use wire::{LineChange, TextLine};

/// Most cells of the comparison's table; texts that differ more show the whole changed part as replaced.
const CELLS: usize = 4_000_000;
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

/// Every line of both texts, by a longest common subsequence of lines.
fn all<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(LineChange, &'a str)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (from, to) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut changes: Vec<_> = old[..head].iter().map(|line| (LineChange::Same, *line)).collect();
    if from.len().saturating_mul(to.len()) > CELLS {
        changes.extend(from.iter().map(|line| (LineChange::Removed, *line)));
        changes.extend(to.iter().map(|line| (LineChange::Added, *line)));
    } else {
        changes.extend(aligned(from, to));
    }
    changes.extend(old[old.len() - tail..].iter().map(|line| (LineChange::Same, *line)));
    changes
}

fn aligned<'a>(from: &[&'a str], to: &[&'a str]) -> Vec<(LineChange, &'a str)> {
    let width = to.len() + 1;
    // How many lines the rests of both texts share.
    let mut shared = vec![0_u32; (from.len() + 1) * width];
    for (i, a) in from.iter().enumerate().rev() {
        for (j, b) in to.iter().enumerate().rev() {
            shared[i * width + j] =
                if a == b { shared[(i + 1) * width + j + 1] + 1 } else { shared[(i + 1) * width + j].max(shared[i * width + j + 1]) };
        }
    }
    let (mut i, mut j, mut changes) = (0, 0, Vec::new());
    while i < from.len() || j < to.len() {
        match (from.get(i), to.get(j)) {
            (Some(a), Some(b)) if a == b => {
                changes.push((LineChange::Same, *a));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), other) if other.is_none() || shared[(i + 1) * width + j] >= shared[i * width + j + 1] => {
                changes.push((LineChange::Removed, *a));
                i += 1;
            }
            (_, Some(b)) => {
                changes.push((LineChange::Added, *b));
                j += 1;
            }
            _ => break,
        }
    }
    changes
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
