//! Text that came from a memory: it was remembered once and is not remembered again.

use std::ops::Range;

/// How recalls begin a quotation of a memory.
const ATTRIBUTIONS: &[&str] = &["I remember (from ", "We remember (from "];
/// The heading of the memory block in a prompt.
const BLOCK: &str = "## Your Memory";
/// How a line of that block begins.
const ENTRY: &str = "- [id:";

/// The stretches of `text` that a recall or a prompt's memory block wrote, in order.
pub fn stretches(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut start, mut block) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with(BLOCK) {
            block = true;
        } else if block && (trimmed.starts_with("# ") || trimmed.starts_with("## ")) {
            block = false;
        }
        let from =
            if block || trimmed.starts_with(ENTRY) { Some(0) } else { ATTRIBUTIONS.iter().filter_map(|opening| line.find(opening)).min() };
        found.extend(from.map(|from| start + from..start + line.len()));
        start += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::stretches;

    #[test]
    fn quotations_and_blocks_are_covered() {
        let text = "Sure.\n2. I remember (from 3 May 2026): Vera moved.\n## Your Memory\n\nThe following\n### Person\n- [id:1] Vera\n## Task\nGo.\n- [id:2] Mina";
        let found: Vec<&str> = stretches(text).into_iter().map(|range| text[range].trim()).collect();
        assert_eq!(
            found,
            [
                "I remember (from 3 May 2026): Vera moved.",
                "## Your Memory",
                "",
                "The following",
                "### Person",
                "- [id:1] Vera",
                "- [id:2] Mina"
            ]
        );
        assert!(stretches("I remember that day in May.").is_empty());
    }
}
