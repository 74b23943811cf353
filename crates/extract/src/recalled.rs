//! Text that came from a memory: it was remembered once and is not remembered again.

use std::ops::Range;
use words::minutes;
use words::quote::ACCORDING;

/// How recalls begin a memory of an agent.
const ATTRIBUTIONS: &[&str] = &["I remember (from ", "We remember (from ", "According to another agent (from "];
/// How they begin one of what another agent shared: with its slug, and then the day.
const OF_AGENT: &str = "According to agent ";
/// What stands before the day where they quote somebody: `According to Vera (on 3 May 2026):`.
const ON: &str = " (on ";
/// The longest day, "30 September 2026", and the character after it.
const DAY_MAX: usize = 18;
/// The heading of the memory block in a prompt.
const BLOCK: &str = "## Your Memory";
/// How a line of that block begins.
const ENTRY: &str = "- [id:";

/// The stretches of `text` that a recall or a prompt's memory block wrote, in order.
pub fn stretches(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut start, mut block, mut quoted) = (Vec::new(), 0, false, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with(BLOCK) {
            block = true;
        } else if block && (trimmed.starts_with("# ") || trimmed.starts_with("## ")) {
            block = false;
        }
        // The further lines of a memory are quotes.
        let goes_on = quoted && trimmed.starts_with('>');
        let from = if block || goes_on || trimmed.starts_with(ENTRY) { Some(0) } else { attribution(line) };
        quoted = from.is_some();
        found.extend(from.map(|from| start + from..start + line.len()));
        start += line.len();
    }
    found
}

/// Where the first quotation of a memory begins in a line.
fn attribution(line: &str) -> Option<usize> {
    let is_slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let of_agent =
        line.match_indices(OF_AGENT).find(|(at, _)| line[at + OF_AGENT.len()..].trim_start_matches(is_slug).starts_with(" (from "));
    let quoted = line.find(ACCORDING).and_then(|first| {
        let (at, _) = line.match_indices(ON).find(|(at, _)| *at > first && begins_with_day(&line[at + ON.len()..]))?;
        line[..at].rfind(ACCORDING)
    });
    ATTRIBUTIONS.iter().filter_map(|opening| line.find(opening)).chain(of_agent.map(|(at, _)| at)).chain(quoted).min()
}

fn begins_with_day(text: &str) -> bool {
    let head: String = text.chars().take(DAY_MAX).collect();
    head.split_once([',', ')']).is_some_and(|(day, _)| minutes::day(day).is_some())
}

#[cfg(test)]
mod tests {
    use super::stretches;

    #[test]
    fn all_lines_of_a_memory_are_covered() {
        let text = "> Is it Bern?\nI remember (from 3 May 2026):\n  > Vera moved.\n  >\n  > To Bern.\nNo.\n> To Basel.";
        let found: String = stretches(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, "I remember (from 3 May 2026):\n  > Vera moved.\n  >\n  > To Bern.\n");
    }

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
        for said in [
            "I remember that day in May.",
            "According to agent Smith (from Bern): it rains.",
            "According to agent atlas, it rains.",
            "According to Vera (on Monday) it rains.",
        ] {
            assert!(stretches(said).is_empty(), "{said}");
        }
    }
}
