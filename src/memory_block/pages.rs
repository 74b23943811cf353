//! The pages of `/memory list`: each fits into one message of a chat, and together they hold every memory. Pure.

use super::command::{Line, lines};
use super::prompt::title;
use wire::Category;
use words::quote::inline;
use words::shorten;

/// Longest page, in UTF-16 code units. Telegram takes 4,096 in a message; the rest is for what a channel adds, such as the asterisks of
/// headings in Markdown.
pub(super) const PAGE_MAX: usize = 4000;
/// Most characters of a memory in an answer. Entries that were added to the list have 500 at most, other memories 16 KiB.
pub(super) const SHOWN_MAX: usize = 1000;

const TITLE: &str = "📝 Your memories:";
const DELETING: &str = "Use /memory delete <id> to remove a memory.";

/// A memory as the list shows it.
pub(super) struct Shown {
    pub id: String,
    pub category: Option<Category>,
    pub content: String,
    /// Who shared it and where it holds; empty if neither is known.
    pub note: String,
}

/// A page of the list, counted from 1. If there are several, it says which one it is and how to see the next one.
pub(super) fn page(memories: &[Shown], number: usize) -> Vec<Line> {
    if memories.is_empty() {
        return lines("I remember nothing yet.");
    }
    let mut pages = divide(memories);
    let count = pages.len();
    if !(1..=count).contains(&number) {
        let pages = if count == 1 { "page" } else { "pages" };
        return lines(&format!("There is no page {number}: the list has {count} {pages}. Use /memory list to see the first one."));
    }
    let mut shown = lines(TITLE);
    shown.append(&mut pages[number - 1]);
    shown.push(Line::Text(String::new()));
    if count > 1 {
        shown.push(Line::Text(position(number, count)));
    }
    shown.push(Line::Text(DELETING.to_owned()));
    shown
}

/// Which page it is, and the command for the next one.
fn position(number: usize, count: usize) -> String {
    match number < count {
        true => format!("Page {number} of {count}. Use /memory list {} to see the next one.", number + 1),
        false => format!("Page {number} of {count}."),
    }
}

/// The memories of each page under the headings of their categories.
fn divide(memories: &[Shown]) -> Vec<Vec<Line>> {
    // There are never more pages than memories.
    let widest = position(memories.len(), memories.len() + 1);
    let frame: usize = [TITLE, "", &widest, DELETING].iter().map(|text| units(&lines(text)).max(1)).sum();
    let (mut pages, mut left, mut heading): (Vec<Vec<Line>>, usize, _) = (Vec::new(), 0, None);
    for memory in memories {
        let note = if memory.note.is_empty() { String::new() } else { format!(" ({})", memory.note) };
        let entry = Line::Text(format!("• [{}] {}{note}", memory.id, inline(&shorten(&memory.content, SHOWN_MAX))));
        let category = memory.category.map_or("other", Category::as_str);
        let headed = vec![Line::Text(String::new()), Line::Heading(title(category)), entry.clone()];
        let next = if heading == Some(memory.category) { vec![entry] } else { headed.clone() };
        match pages.last_mut().filter(|_| units(&next) <= left) {
            Some(page) => {
                left -= units(&next);
                page.extend(next);
            }
            None => {
                left = PAGE_MAX.saturating_sub(frame + units(&headed));
                pages.push(headed);
            }
        }
        heading = Some(memory.category);
    }
    pages
}

fn units(lines: &[Line]) -> usize {
    lines.iter().map(Line::units).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn memory(number: usize, category: Category, content: &str) -> Shown {
        Shown { id: format!("{number:08}"), category: Some(category), content: content.into(), note: String::new() }
    }

    fn text(page: &[Line]) -> String {
        page.iter().map(Line::text).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_list_that_fits_has_one_page_and_does_not_say_so() {
        let list = [memory(1, Category::Person, "Idris leads the choir"), memory(2, Category::Project, "Zephyr sails in May")];
        let expected = "📝 Your memories:\n\nPerson\n• [00000001] Idris leads the choir\n\nProject\n• [00000002] Zephyr sails in May\n\n\
                        Use /memory delete <id> to remove a memory.";
        assert_eq!(text(&page(&list, 1)), expected);
        assert_eq!(text(&page(&list, 2)), "There is no page 2: the list has 1 page. Use /memory list to see the first one.");
        assert_eq!(text(&page(&[], 3)), "I remember nothing yet.");
    }

    #[test]
    fn each_page_repeats_the_heading_and_names_the_next_one() {
        let list: Vec<_> = (0..9).map(|number| memory(number, Category::Context, &"wool ".repeat(190))).collect();
        let pages: Vec<String> = (1..=3).map(|number| text(&page(&list, number))).collect();
        assert!(pages.iter().all(|page| page.starts_with("📝 Your memories:\n\nContext\n• [")), "{pages:?}");
        for (page, position) in
            pages.iter().zip(["1 of 3. Use /memory list 2 to", "2 of 3. Use /memory list 3 to", "3 of 3.\nUse /memory delete"])
        {
            assert!(page.contains(&format!("\n\nPage {position}")), "{page}");
        }
        assert!(text(&page(&list, 4)).starts_with("There is no page 4: the list has 3 pages."));
    }

    proptest! {
        #[test]
        fn every_memory_is_on_one_page_and_every_page_fits(
            contents in proptest::collection::vec(prop_oneof![4 => "[a-z😀 ]{5,500}", 1 => "[a-z😀\\[: id]{900,4200}"], 1..40)
        ) {
            let category = |number: usize| Category::ALL[number * Category::ALL.len() / contents.len()];
            let list: Vec<_> = contents.iter().enumerate().map(|(number, content)| memory(number, category(number), content)).collect();
            let count = divide(&list).len();
            let mut shown = Vec::new();
            for number in 1..=count {
                let page = page(&list, number);
                prop_assert!(text(&page).encode_utf16().count() <= PAGE_MAX);
                shown.extend(page.iter().filter_map(|line| line.text().strip_prefix("• [")?.get(..8).map(str::to_owned)));
            }
            prop_assert_eq!(shown, list.iter().map(|memory| memory.id.clone()).collect::<Vec<_>>());
        }
    }
}
