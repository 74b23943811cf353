//! Formats numbers, times and excerpts for people.

pub use crate::islands::text::{bytes, count, day, number, relative, sentence, short_day};
use chrono::{DateTime, FixedOffset, TimeDelta, Timelike};
use wire::TOTAL_MAX;

/// Formats a count that stopped early if there may be more: `12`, or `at least 1,200`.
pub fn at_least(n: i64, more: bool) -> String {
    format!("{}{}", if more { "at least " } else { "" }, number(n))
}

/// Formats the total of a list with its noun: `12 memories`, or `more than 10,000 memories` if no more were counted.
pub fn total(n: i64, one: &str, many: &str) -> String {
    if n > TOTAL_MAX { format!("more than {} {many}", number(TOTAL_MAX)) } else { count(n, one, many) }
}

/// Formats a total without a noun: `12`, or `10,000+` if no more were counted.
pub fn total_number(n: i64) -> String {
    if n > TOTAL_MAX { format!("{}+", number(TOTAL_MAX)) } else { number(n) }
}

/// The warning that a selection has more than the `most` items that one action may process.
pub fn first_selected(most: usize) -> String {
    format!("Only the first {most} selected items can be processed at once.")
}

/// Formats a duration: `85 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(time: TimeDelta) -> String {
    let (millis, seconds) = (time.num_milliseconds().max(0), time.num_seconds());
    match seconds {
        _ if millis < 1000 => format!("{millis} ms"),
        ..10 => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Formats a short duration: `0.4 ms`, `85 ms`, `4.2 s`.
pub fn millis(millis: f64) -> String {
    if millis < 9.95 {
        format!("{millis:.1} ms")
    } else if millis < 999.5 {
        format!("{millis:.0} ms")
    } else {
        format!("{:.1} s", millis / 1000.0)
    }
}

/// Formats a time to the second, with the zone that it is in: `14 Jun 2026, 09:12:33 UTC`.
pub fn moment(at: &DateTime<FixedOffset>, zone: &str) -> String {
    format!("{} {zone}", second(at))
}

/// Formats a time to the second: `14 Jun 2026, 09:12:33`.
pub fn second(at: &DateTime<FixedOffset>) -> String {
    format!("{}, {:02}:{:02}:{:02}", day(at.date_naive()), at.hour(), at.minute(), at.second())
}

/// The name of a field of a form or a request, for people: `memory_input.user_id` is "User id".
pub fn field_name(field: &str) -> String {
    let name = match field.rsplit('.').next().unwrap_or_default() {
        "q" => "search".into(),
        name => name.replace('_', " "),
    };
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Text for a `<textarea>` or a `<title>`. Leptos writes the content of these as it is, so this replaces what would end it.
pub fn editable(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Somebody's text with its hidden characters shown by their names. Every text of a memory, a source, a person or an agent passes here.
pub fn visible(text: &str) -> String {
    words::quote::visible(text).into_owned()
}

/// Shortens `text` to `limit` characters and an ellipsis.
pub fn short(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// Cuts at most `limit` characters out of `content`, around the first occurrence of one of `words`.
pub fn excerpt(content: &str, words: &[String], limit: usize) -> String {
    if content.chars().count() <= limit {
        return content.to_owned();
    }
    let start = words.iter().filter_map(|word| content.find(word.as_str())).min().unwrap_or(0);
    let before = content.get(..start).map_or(0, |head| head.chars().count());
    let skip = if before < limit / 2 { 0 } else { before - limit / 4 };
    let mut text: String = content.chars().skip(skip).take(limit).collect();
    if skip > 0 {
        text.insert(0, '…');
    }
    text.push('…');
    text
}

/// Splits `content` at whole `words`; each piece comes with whether it is one of them.
pub fn marked<'a>(content: &'a str, words: &[String]) -> Vec<(&'a str, bool)> {
    let mut pieces = Vec::new();
    let mut rest = content;
    while let Some((at, word)) = first_of(rest, words) {
        let (head, tail) = rest.split_at(at);
        let (hit, tail) = tail.split_at(word.len());
        pieces.extend([(head, false), (hit, true)].into_iter().filter(|(piece, _)| !piece.is_empty()));
        rest = tail;
    }
    pieces.extend((!rest.is_empty()).then_some((rest, false)));
    pieces
}

fn first_of<'a>(text: &str, words: &'a [String]) -> Option<(usize, &'a String)> {
    words.iter().filter(|word| !word.is_empty()).filter_map(|word| Some((whole_word(text, word)?, word))).min_by_key(|(at, _)| *at)
}

fn whole_word(text: &str, word: &str) -> Option<usize> {
    let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let (head, tail) = text.split_at(*at);
        !inside(head.chars().next_back()) && !inside(tail.get(word.len()..).and_then(|t| t.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{TimeZone, Utc};

    #[test]
    fn totals_that_were_not_counted_to_the_end_say_so() {
        let totals = [1, 10_000, 10_001].map(|n| total(n, "memory", "memories"));
        assert_eq!(totals, ["1 memory", "10,000 memories", "more than 10,000 memories"]);
        assert_eq!([1, 10_000, 10_001].map(total_number), ["1", "10,000", "10,000+"]);
    }

    #[test]
    fn moments_name_their_zone() {
        let noon = Utc.with_ymd_and_hms(2026, 6, 14, 12, 0, 0).unwrap().fixed_offset();
        assert_eq!(moment(&noon, "UTC"), "14 Jun 2026, 12:00:00 UTC");
    }

    #[test]
    fn durations_have_two_parts_at_most() {
        let durations = [85, 4_270, 59_999, 200_000, 7_500_000].map(|millis| duration(TimeDelta::milliseconds(millis)));
        assert_eq!(durations, ["85 ms", "4.2 s", "59 s", "3 min 20 s", "2 h 5 min"]);
        assert_eq!(duration(TimeDelta::seconds(-1)), "0 ms");
        assert_eq!([0.04, 9.96, 999.4, 999.6, 4_240.0].map(millis), ["0.0 ms", "10 ms", "999 ms", "1.0 s", "4.2 s"]);
    }

    #[test]
    fn fields_have_names_for_people() {
        assert_eq!(["names", "memory_input.user_id", "q", ""].map(field_name), ["Names", "User id", "Search", ""]);
    }

    #[test]
    fn what_is_shortened_says_so() {
        assert_eq!((short("été", 3), short("été", 2), short("", 0)), ("été".into(), "ét…".into(), String::new()));
    }

    #[test]
    fn excerpts_show_the_word() {
        let (long, words) = (format!("{}Vera likes tea. {}", "é".repeat(500), "z".repeat(500)), vec!["tea".to_owned()]);
        let text = excerpt(&long, &words, 80);
        assert!(text.starts_with('…') && text.ends_with('…') && text.contains("tea"));
        assert_eq!(excerpt("short", &words, 80), "short");
    }

    #[test]
    fn marks_whole_words_only() {
        let words = vec!["tea".to_owned(), "Vera".to_owned()];
        assert_eq!(marked("Vera's steam, tea", &words), [("Vera", true), ("'s steam, ", false), ("tea", true)]);
        assert_eq!(marked("", &words), []);
    }
}
