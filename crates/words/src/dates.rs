//! Times in questions and texts: months and days in words, and whether a text mentions a time. In twelve languages, pure.

use crate::guard::fold::is_unspaced;
use crate::guard::view::plain;
use crate::lists::lists;
use chrono::{Datelike, Days, NaiveDate};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

const TIMES: &str = include_str!("dates.txt");
/// English words that name a time together with a period.
const BEFORE_PERIODS: [&str; 8] = ["last", "next", "this", "past", "few", "every", "other", "couple"];
const PERIODS: [&str; 13] =
    ["day", "week", "weekend", "month", "year", "night", "morning", "afternoon", "evening", "spring", "summer", "autumn", "winter"];
/// Most words of a phrase of `dates.txt`.
const PHRASE: usize = 3;
/// Words between a day and its month: "3rd of October", "3 de mayo".
const LINKS: [&str; 3] = ["of", "de", "del"];
/// People often talk about a day some days later.
const TOLD_LATER: u64 = 7;

/// A month, a day or a year that a question names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dates {
    month: u32,
    day: Option<u32>,
    year: Option<i32>,
}

impl Dates {
    /// Whether something said on `day` may be about it: from its first day until a week after its last.
    pub fn hold(&self, day: NaiveDate) -> bool {
        let years = match self.year {
            Some(year) => year..=year,
            None => day.year() - 1..=day.year(),
        };
        years.into_iter().filter_map(|year| self.in_year(year)).any(|(first, last)| first <= day && day <= last + Days::new(TOLD_LATER))
    }

    fn in_year(&self, year: i32) -> Option<(NaiveDate, NaiveDate)> {
        match self.day {
            Some(day) => NaiveDate::from_ymd_opt(year, self.month, day).map(|day| (day, day)),
            None => {
                let first = NaiveDate::from_ymd_opt(year, self.month, 1)?;
                let next = if self.month == 12 {
                    NaiveDate::from_ymd_opt(year + 1, 1, 1)
                } else {
                    NaiveDate::from_ymd_opt(year, self.month + 1, 1)
                };
                Some((first, next?.pred_opt()?))
            }
        }
    }
}

static ASKS: LazyLock<Phrases> = LazyLock::new(|| Phrases::named("asks"));
static BEGINS: LazyLock<Phrases> = LazyLock::new(|| Phrases::named("when"));
static TELLS: LazyLock<Phrases> = LazyLock::new(|| Phrases::named("times"));
static IN: LazyLock<HashSet<(&str, &str)>> = LazyLock::new(|| {
    let all = lists(TIMES).filter(|(_, name, _)| *name == "in");
    all.flat_map(|(language, _, list)| list.split("; ").map(move |word| (language, word))).collect()
});
static MONTHS: LazyLock<HashMap<String, Vec<Month>>> = LazyLock::new(months);

/// A name of a month.
struct Month {
    language: &'static str,
    number: u32,
    written: &'static str,
    sure: Sure,
}

/// When a name means the month.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sure {
    Always,
    /// Behind a word such as "in", or beside a day.
    InPlace,
    /// Beside a day or a year.
    Beside,
}

fn months() -> HashMap<String, Vec<Month>> {
    let (mut names, mut numbers): (HashMap<String, Vec<Month>>, HashMap<&str, u32>) = Default::default();
    for (language, _, list) in lists(TIMES).filter(|(_, name, _)| *name == "months") {
        for forms in list.split("; ") {
            let number = numbers.entry(language).or_default();
            *number += 1;
            for form in forms.split('|') {
                let sure = match form.chars().next_back() {
                    Some('!') => Sure::InPlace,
                    Some('#') => Sure::Beside,
                    _ => Sure::Always,
                };
                let written = form.trim_end_matches(['!', '#']);
                names.entry(written.to_lowercase()).or_default().push(Month { language, number: *number, written, sure });
            }
        }
    }
    names
}

/// Phrases of all languages.
struct Phrases {
    spaced: HashSet<Vec<&'static str>>,
    unspaced: Vec<&'static str>,
}

impl Phrases {
    fn named(name: &str) -> Self {
        let all = lists(TIMES).filter(|(_, known, _)| *known == name).flat_map(|(_, _, list)| list.split("; "));
        let (unspaced, spaced): (Vec<&str>, Vec<&str>) = all.partition(|phrase| phrase.contains(is_unspaced));
        Self { spaced: spaced.into_iter().map(|phrase| phrase.split([' ', '-']).collect()).collect(), unspaced }
    }

    /// Whether the words begin with a phrase.
    fn begin(&self, words: &[&str]) -> bool {
        (1..=PHRASE).filter_map(|length| words.get(..length)).any(|row| self.spaced.contains(row))
    }

    /// Whether a text in lower case with these words has a phrase.
    fn occur(&self, text: &str, words: &[&str]) -> bool {
        (0..words.len()).any(|at| self.begin(&words[at..])) || self.unspaced.iter().any(|phrase| text.contains(phrase))
    }
}

/// The words of a text. The signs of Devanagari are parts of words.
fn tokens(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && !('\u{900}'..='\u{963}').contains(&c)).filter(|word| !word.is_empty()).collect()
}

fn day(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &word[digits.len()..];
    let day: u32 = digits.parse().ok()?;
    ((1..=31).contains(&day) && ["", "st", "nd", "rd", "th"].contains(&suffix)).then_some(day)
}

fn year(word: &str) -> Option<i32> {
    word.parse().ok().filter(|year| word.len() == 4 && (1900..2100).contains(year))
}

/// The month that a question names, with its day and year if it has them: “7 May”, “May 7th, 2023”, “in October”, “3 de mayo”, “5月3日”.
pub fn in_question(query: &str) -> Option<Dates> {
    let query: String = query.chars().map(plain).collect();
    let words = tokens(&query);
    let named = || (0..words.len()).find_map(|place| at(&words, place));
    let (month, day) = named().or_else(|| unspaced(&query))?;
    let years = || query.split(|c: char| !c.is_ascii_digit()).find_map(year);
    Some(Dates { month, day, year: years() })
}

/// The month that is named at this place, and its day.
fn at(words: &[&str], place: usize) -> Option<(u32, Option<u32>)> {
    let word = words.get(place)?;
    let back = |distance: usize| place.checked_sub(distance).map_or("", |at| words[at]);
    let before = day(if LINKS.contains(&back(1)) { back(2) } else { back(1) });
    let next = || words.get(place + 1).copied().unwrap_or_default();
    let behind = back(1).to_lowercase();
    MONTHS.get(&word.to_lowercase())?.iter().find_map(|month| {
        // Other languages write neither a day behind the month nor a month of another word with its year only.
        let (after, dated) = if month.language == "en" { (day(next()), year(next()).is_some()) } else { (None, false) };
        let beside = before.is_some() || after.is_some() || dated;
        let fits = match month.sure {
            Sure::Always => true,
            Sure::InPlace => month.written == *word && (beside || IN.contains(&(month.language, behind.as_str()))),
            Sure::Beside => month.written == *word && beside,
        };
        fits.then_some((month.number, after.or(before)))
    })
}

/// A month in digits, as Chinese and Japanese write it: “5月”, “5月3日”.
fn unspaced(query: &str) -> Option<(u32, Option<u32>)> {
    query.split_once('月').and_then(|(head, tail)| {
        let month = head.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok().filter(|month| (1..=12).contains(month))?;
        let (number, rest) = tail.split_at(tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len()));
        Some((month, day(number).filter(|_| rest.starts_with(['日', '号', '號']))))
    })
}

/// Whether a question asks for a time.
pub fn asks_when(query: &str) -> bool {
    let query = query.to_lowercase();
    let words = tokens(&query);
    BEGINS.begin(&words) || ASKS.occur(&query, &words)
}

/// Whether a text mentions a time: a day, a month, a year, “last week”.
pub fn tells_time(text: &str) -> bool {
    let text: String = text.to_lowercase().chars().map(plain).collect();
    let words = tokens(&text);
    // Months that are also other words do not count.
    let month = |word: &str| MONTHS.get(word).is_some_and(|months| months.iter().any(|month| month.sure == Sure::Always));
    let together = |pair: &[&str]| BEFORE_PERIODS.contains(&pair[0]) && PERIODS.contains(&pair[1].strip_suffix('s').unwrap_or(pair[1]));
    let numbers = || text.split(|c: char| !c.is_ascii_digit());
    words.iter().any(|word| month(word) || year(word).is_some())
        || words.windows(2).any(together)
        || TELLS.occur(&text, &words)
        || text.contains('年') && numbers().any(|number| year(number).is_some())
        || unspaced(&text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn on(year: i32, month: u32, day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(year, month, day).unwrap()
    }

    #[test]
    fn months_days_and_years_are_read_from_questions() {
        for (query, month, day, year) in [
            ("What did Vera plant on 7 May 2026?", 5, Some(7), Some(2026)),
            ("What did Vera plant on May 7th?", 5, Some(7), None),
            ("the 3rd of October", 10, Some(3), None),
            ("Where was Idris in Sept 2025", 9, None, Some(2025)),
        ] {
            assert_eq!(in_question(query), Some(Dates { month, day, year }), "{query}");
        }
        assert_eq!(in_question("What may Mina march for?"), None, "verbs are no months");
    }

    #[test]
    fn what_is_told_within_a_week_may_be_about_the_day() {
        let october = in_question("in October").unwrap();
        assert!(october.hold(on(2026, 10, 1)) && october.hold(on(2026, 11, 7)));
        assert!(!october.hold(on(2026, 9, 30)) && !october.hold(on(2026, 11, 8)));
        let new_year = in_question("on December 31").unwrap();
        assert!(new_year.hold(on(2027, 1, 5)), "over the end of the year");
        assert!(!in_question("31 December 2025").unwrap().hold(on(2027, 1, 5)));
    }

    #[test]
    fn questions_for_a_time_and_texts_that_tell_one() {
        assert!(asks_when("When does the boat sail?") && asks_when("On what day?") && asks_when("how long has she known?"));
        assert!(!asks_when("Who knows when?"));
        assert!(tells_time("They met last summer") && tells_time("since 2019") && tells_time("On Friday.") && tells_time("a few weeks"));
        assert!(!tells_time("It may rain; they march on"));
    }

    #[test]
    fn months_are_read_in_twelve_languages() {
        for (query, month, day, year) in [
            ("Was pflanzte Vera am 3. März 2026?", 3, Some(3), Some(2026)),
            ("Was geschah im Mai?", 5, None, None),
            ("Qu'a dit Mina le 3 mars ?", 3, Some(3), None),
            ("Où était Idris en mai ?", 5, None, None),
            ("¿Qué plantó Vera el 7 de mayo de 2026?", 5, Some(7), Some(2026)),
            ("O que Mina disse em março?", 3, None, None),
            ("Dove era Idris a maggio?", 5, None, None),
            ("Waar was Idris op 5 mei?", 5, Some(5), None),
            ("Что сказала Мина 3 мая?", 5, Some(3), None),
            ("ماذا قالت مينا في مارس؟", 3, None, None),
            ("ماذا حدث في ٣ مايو؟", 5, Some(3), None),
            ("मई में वेरा ने क्या लगाया?", 5, None, None),
            ("2026年5月3日米娜说了什么？", 5, Some(3), Some(2026)),
            ("１０月にミナは何を植えましたか。", 10, None, None),
        ] {
            assert_eq!(in_question(query), Some(Dates { month, day, year }), "{query}");
        }
    }

    #[test]
    fn words_that_look_like_months_are_none() {
        for query in [
            "May we plant a tree?",
            "What did Jan plant?",
            "Did June meet Vera?",
            "Who landed on Mars?",
            "Who ate the 3 Mars bars?",
            "Does Idris like mayo?",
            "Non è mai 3 volte in ritardo?",
            "Mina ha mai visto il mare?",
            "O que Vera set out dez?",
            "Wie heißt Jan mit Nachnamen?",
            "Wat zei mei?",
            "Где живёт Марта?",
            "هل مارس إدريس الرياضة؟",
            "三个月后做什么？",
            "あと3ヶ月です",
        ] {
            assert_eq!(in_question(query), None, "{query}");
        }
    }

    #[test]
    fn times_are_recognised_in_twelve_languages() {
        for (question, text) in [
            ("Wann fährt das Boot?", "Letzte Woche war es ruhig."),
            ("Depuis quand Mina le sait-elle ?", "Elle est venue mardi."),
            ("¿Cuándo sale el barco?", "Se vieron el año pasado."),
            ("Quando sai o barco?", "Ela veio na segunda-feira."),
            ("Che giorno parte la barca?", "È arrivata ieri."),
            ("Hoe lang weet Mina het al?", "Ze kwam vorige week."),
            ("Когда отплывает лодка?", "Они виделись в октябре."),
            ("متى يبحر القارب؟", "التقيا الأسبوع الماضي."),
            ("नाव कब चलेगी?", "वे पिछले साल मिले।"),
            ("船什么时候开？", "他们去年见过面。"),
            ("船はいつ出ますか。何日ですか。", "先週会いました。"),
        ] {
            assert!(asks_when(question) && !asks_when(text), "{question}");
            assert!(tells_time(text) && !tells_time(question), "{text}");
        }
        for text in ["Mina isst gern Brot.", "Mina ne mange jamais.", "Он дома.", "वेरा घर पर है।", "她喜欢茶。", "いつもお茶を飲む。"]
        {
            assert!(!asks_when(text) && !tells_time(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reading(text in "\\PC{0,80}") {
            if let Some(dates) = in_question(&text) {
                dates.hold(on(2024, 2, 29));
            }
            tells_time(&text);
        }
    }
}
