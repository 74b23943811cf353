//! Relative times ("next Tuesday", "two weeks ago", "vorgestern", "三天前") in twelve languages, resolved against the day of the turn. Pure.

use super::word::{Word, is_unspaced, line, words};
use chrono::{Datelike, Months, NaiveDate, TimeDelta};
use std::{cmp::Reverse, collections::HashMap, sync::LazyLock};
use words::{lists::lists, minutes::format_day, stems};

const TIMES: &str = include_str!("dates.txt");
/// The largest number of periods that is resolved: beyond it a date would be a guess.
const FARTHEST: i64 = 200;

static LANGUAGES: LazyLock<HashMap<&str, Language>> = LazyLock::new(languages);

/// The first and the last day.
type Period = (NaiveDate, NaiveDate);

/// What the words of one language mean.
#[derive(Default)]
struct Language {
    /// The longest first.
    phrases: Vec<Phrase>,
    numbers: Names,
    weekdays: Names,
    months: Names,
    beyond: Vec<Words>,
    unless: Vec<Words>,
}

type Words = Vec<String>;
/// Names in their order: one to twelve, Monday to Sunday, January to December. The longest first.
type Names = Vec<(Words, i64)>;

struct Phrase {
    parts: Vec<Part>,
    /// Absent for a phrase that names no time.
    meaning: Option<(Unit, Count)>,
}

enum Part {
    Word(String),
    Number,
    Weekday,
    Month,
    /// Here none of the words that would make it another word.
    End,
}

#[derive(Clone, Copy)]
enum Unit {
    Day,
    Week,
    Weekend,
    Month,
    Year,
    /// The latest of that name before today, the one of this week, or the one of the week after.
    Weekday,
    /// The one of the week that lies so many weeks away.
    DayOfWeek,
    /// The latest month of that name before this one, the one of this year, or the first after this one.
    Named,
}

/// How many units away.
#[derive(Clone, Copy)]
enum Count {
    Fixed(i64),
    Said { back: bool },
}

/// What was read at one place: how many words, and the time unless they name none.
struct Read {
    length: usize,
    period: Option<Period>,
}

fn languages() -> HashMap<&'static str, Language> {
    let mut languages: HashMap<&str, Language> = HashMap::new();
    for (code, name, list) in lists(TIMES) {
        let language = languages.entry(code).or_default();
        match name {
            "numbers" => language.numbers = names(list),
            "weekdays" => language.weekdays = names(list),
            "months" => language.months = names(list),
            "beyond" => language.beyond = list.split("; ").map(cut).collect(),
            "unless" => language.unless = list.split("; ").map(cut).collect(),
            _ => language.phrases.extend(list.split("; ").map(|phrase| Phrase { parts: parts(phrase), meaning: meaning(name) })),
        }
    }
    for language in languages.values_mut() {
        language.phrases.sort_by_key(|phrase| Reverse(phrase.parts.len()));
    }
    languages
}

/// The words of a name as `words` cuts them in a text.
fn cut(name: &str) -> Words {
    words(name).into_iter().map(|word| word.lower).collect()
}

fn names(list: &str) -> Names {
    let forms = list.split("; ").zip(1..).flat_map(|(forms, place)| forms.split('|').map(move |form| (cut(form), place)));
    let mut names: Names = forms.collect();
    names.sort_by_key(|(words, _)| Reverse(words.len()));
    names
}

fn parts(phrase: &str) -> Vec<Part> {
    let part = |piece: &str| match piece {
        "#" => vec![Part::Number],
        "@" => vec![Part::Weekday],
        "&" => vec![Part::Month],
        "!" => vec![Part::End],
        _ => cut(piece).into_iter().map(Part::Word).collect(),
    };
    phrase.split(' ').flat_map(part).collect()
}

/// "week -1", "day +#"; absent for "none".
fn meaning(name: &str) -> Option<(Unit, Count)> {
    let (unit, count) = name.split_once(' ')?;
    let unit = match unit {
        "day" => Unit::Day,
        "week" => Unit::Week,
        "weekend" => Unit::Weekend,
        "month" => Unit::Month,
        "year" => Unit::Year,
        "weekday" => Unit::Weekday,
        "week-day" => Unit::DayOfWeek,
        "named" => Unit::Named,
        _ => return None,
    };
    let count = match count {
        "-#" => Count::Said { back: true },
        "+#" => Count::Said { back: false },
        fixed => Count::Fixed(fixed.parse().ok()?),
    };
    Some((unit, count))
}

/// The relative times of a text that was said on `day`, with the days that they mean: "next Tuesday: 26 May 2026". Absent if there are none.
pub fn note(text: &str, words: &[Word], day: NaiveDate) -> Option<String> {
    let lowers: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let (latin, unspaced) = (stems::latin_language(text), if text.contains(is_kana) { "ja" } else { "zh" });
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = words.get(at) {
        // A number tells no language; the word behind it does.
        let telling = words.get(at + usize::from(first.is_number())).unwrap_or(first);
        let language = LANGUAGES.get(code(telling, latin, unspaced)).filter(|_| !first.quoted);
        let read = language.and_then(|language| {
            let (before, rest) = lowers.split_at_checked(at)?;
            language.read(if first.first { &[] } else { before }, rest, day)
        });
        let period = read.as_ref().and_then(|read| read.period);
        at += read.map_or(1, |read| read.length);
        if let (Some(period), Some(last)) = (period, words.get(at - 1)) {
            found.push(format!("{}: {}", line(text.get(first.start..last.end).unwrap_or_default()), days(period)));
        }
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// The language whose phrases may hold a word: its script decides, between Chinese and Japanese and among Latin letters the text.
fn code(word: &Word, latin: &'static str, unspaced: &'static str) -> &'static str {
    match word.lower.chars().next().unwrap_or_default() {
        '\u{400}'..='\u{52f}' => "ru",
        '\u{600}'..='\u{6ff}' => "ar",
        '\u{900}'..='\u{97f}' => "hi",
        c if is_unspaced(c) => unspaced,
        _ => latin,
    }
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}')
}

/// A day, a month, a year, or the first and last day of anything else.
fn days((first, last): Period) -> String {
    if first == last {
        format_day(first)
    } else if whole_year(first.year()) == Some((first, last)) {
        first.year().to_string()
    } else if whole_month(first) == Some((first, last)) {
        first.format("%B %Y").to_string()
    } else {
        format!("{} to {}", format_day(first), format_day(last))
    }
}

impl Language {
    /// The phrase that some words begin with; those before it in the sentence say whether its number counts.
    fn read(&self, before: &[&str], rest: &[&str], day: NaiveDate) -> Option<Read> {
        // "This one two weeks ago": a one alone may be no number.
        let is_behind_number = before.last().and_then(|last| self.number(std::slice::from_ref(last))).is_some_and(|(_, count)| count > 1);
        self.phrases.iter().find_map(|phrase| {
            let (length, counted, named) = self.fit(&phrase.parts, rest)?;
            let more = matches!(phrase.parts.first(), Some(Part::Number))
                && (is_behind_number || self.beyond.iter().any(|words| ends_with(before, words)));
            let count = |count| match count {
                Count::Fixed(count) => Some(count),
                Count::Said { back } => counted.filter(|_| !more).map(|count| if back { -count } else { count }),
            };
            let period = phrase.meaning.and_then(|(unit, steps)| period(day, unit, count(steps)?, named));
            Some(Read { length, period })
        })
    }

    /// How many of the words a phrase takes, the number in it, and the place of its weekday or month.
    fn fit(&self, parts: &[Part], words: &[&str]) -> Option<(usize, Option<i64>, i64)> {
        let (mut length, mut counted, mut named) = (0, None, 0);
        for part in parts {
            let rest = words.get(length..)?;
            let (taken, value) = match part {
                Part::Word(word) => rest.first().filter(|first| *first == word).map(|_| (1, 0))?,
                Part::Number => self.number(rest)?,
                Part::Weekday => name(&self.weekdays, rest)?,
                Part::Month => name(&self.months, rest)?,
                Part::End if self.unless.iter().any(|words| starts_with(rest, words)) => return None,
                Part::End => (0, 0),
            };
            match part {
                Part::Number => counted = Some(value),
                Part::Weekday | Part::Month => named = value,
                Part::Word(_) | Part::End => {}
            }
            length += taken;
        }
        Some((length, counted, named))
    }

    fn number(&self, words: &[&str]) -> Option<(usize, i64)> {
        let digits = || words.first().and_then(|word| word.parse().ok()).map(|count| (1, count));
        name(&self.numbers, words).or_else(digits).filter(|(_, count)| (1..=FARTHEST).contains(count))
    }
}

/// The name that the words begin with: how many words it has, and its place.
fn name(names: &Names, words: &[&str]) -> Option<(usize, i64)> {
    names.iter().find(|(name, _)| starts_with(words, name)).map(|(name, place)| (name.len(), *place))
}

fn starts_with(words: &[&str], name: &[String]) -> bool {
    words.get(..name.len()).is_some_and(|words| words == name)
}

fn ends_with(words: &[&str], name: &[String]) -> bool {
    words.len().checked_sub(name.len()).and_then(|from| words.get(from..)).is_some_and(|words| words == name)
}

/// The first and last day of what lies `count` units away; `named` is the place of a weekday or a month.
fn period(day: NaiveDate, unit: Unit, count: i64, named: i64) -> Option<Period> {
    let whole = |day: Option<NaiveDate>| day.map(|day| (day, day));
    match unit {
        Unit::Day => whole(add(day, count)),
        Unit::Week => week(add(day, 7 * count)?),
        // On a Sunday "last weekend" may be the one that ends today; the one before is what most people mean.
        Unit::Weekend => week(add(day, 7 * count)?).and_then(|(_, sunday)| Some((sunday.pred_opt()?, sunday))),
        Unit::Month => {
            let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
            whole_month(if count < 0 { day.checked_sub_months(months)? } else { day.checked_add_months(months)? })
        }
        Unit::Year => whole_year(day.year() + i32::try_from(count).ok()?),
        Unit::Weekday | Unit::DayOfWeek => {
            let this = add(week(day)?.0, named - 1)?;
            let latest = matches!(unit, Unit::Weekday) && count < 0 && this < day;
            whole(add(this, if latest { 0 } else { 7 * count }))
        }
        Unit::Named => {
            let month = u32::try_from(named).ok()?;
            let years = match count {
                -1 if month >= day.month() => -1,
                1 if month <= day.month() => 1,
                _ => 0,
            };
            whole_month(NaiveDate::from_ymd_opt(day.year() + years, month, 1)?)
        }
    }
}

fn add(day: NaiveDate, days: i64) -> Option<NaiveDate> {
    day.checked_add_signed(TimeDelta::try_days(days)?)
}

/// Monday to Sunday around `day`.
fn week(day: NaiveDate) -> Option<Period> {
    let monday = add(day, -i64::from(day.weekday().num_days_from_monday()))?;
    Some((monday, add(monday, 6)?))
}

fn whole_month(day: NaiveDate) -> Option<Period> {
    let first = day.with_day(1)?;
    Some((first, first.checked_add_months(Months::new(1))?.pred_opt()?))
}

fn whole_year(year: i32) -> Option<Period> {
    Some((NaiveDate::from_ymd_opt(year, 1, 1)?, NaiveDate::from_ymd_opt(year, 12, 31)?))
}

#[cfg(test)]
mod tests {
    use super::super::word::words;
    use super::*;
    use proptest::prelude::*;

    fn note_on(sentence: &str, (year, month, day): (i32, u32, u32)) -> String {
        note(sentence, &words(sentence), NaiveDate::from_ymd_opt(year, month, day).unwrap()).unwrap_or_default()
    }

    const THURSDAY: (i32, u32, u32) = (2026, 5, 21);

    #[test]
    fn days_are_resolved() {
        for (phrase, date) in [
            ("yesterday", "20 May 2026"),
            ("tomorrow", "22 May 2026"),
            ("last night", "20 May 2026"),
            ("next Tuesday", "26 May 2026"),
            ("last Friday", "15 May 2026"),
            ("this Saturday", "23 May 2026"),
            ("three days ago", "18 May 2026"),
            ("in 10 days", "31 May 2026"),
            ("the day before yesterday", "19 May 2026"),
            ("two weeks ago", "4 May 2026 to 10 May 2026"),
            ("a couple of weeks ago", "4 May 2026 to 10 May 2026"),
            ("last weekend", "16 May 2026 to 17 May 2026"),
            ("next month", "June 2026"),
            ("last August", "August 2025"),
            ("two years ago", "2024"),
            ("last year", "2025"),
        ] {
            assert_eq!(note_on(&format!("We meet {phrase}."), THURSDAY), format!("{phrase}: {date}"));
        }
    }

    #[test]
    fn the_ends_of_months_and_years_hold() {
        assert_eq!(note_on("in a month", (2026, 12, 31)), "in a month: January 2027");
        assert_eq!(note_on("a month ago", (2024, 3, 31)), "a month ago: February 2024");
        assert_eq!(note_on("yesterday", (2024, 3, 1)), "yesterday: 29 February 2024");
        assert_eq!(note_on("It was number 5. Two days ago it was 6.", THURSDAY), "Two days ago: 19 May 2026", "another sentence");
        assert_eq!(note_on("next Monday", (2026, 5, 18)), "next Monday: 25 May 2026", "said on a Monday");
    }

    #[test]
    fn vague_or_quoted_times_stay_as_they_are() {
        for sentence in ["a few days ago", "in two minutes", "he said \"see you tomorrow\"", "the last thing", "in a row"] {
            assert_eq!(note_on(sentence, THURSDAY), "");
        }
    }

    #[test]
    fn eleven_other_languages_are_read() {
        for (sentence, note) in [
            ("Ich habe den Vertrag vorgestern unterschrieben.", "vorgestern: 19 May 2026"),
            (
                "Wir haben uns vor drei Wochen getroffen, und morgen fahre ich.",
                "vor drei Wochen: 27 April 2026 to 3 May 2026; morgen: 22 May 2026",
            ),
            ("Ich war letzten Freitag bei der Ärztin.", "letzten Freitag: 15 May 2026"),
            ("Je suis allée chez le dentiste hier et il y a deux mois.", "hier: 20 May 2026; il y a deux mois: March 2026"),
            (
                "On se voit après-demain ou la semaine prochaine chez nous.",
                "après-demain: 23 May 2026; la semaine prochaine: 25 May 2026 to 31 May 2026",
            ),
            (
                "Nos mudamos hace tres días y mañana por la mañana tengo una cita.",
                "hace tres días: 18 May 2026; mañana por la mañana: 22 May 2026",
            ),
            ("Eu cheguei ontem e o meu irmão na segunda-feira passada.", "ontem: 20 May 2026; segunda-feira passada: 18 May 2026"),
            (
                "Ho cambiato lavoro due settimane fa e l'altro ieri ho traslocato.",
                "due settimane fa: 4 May 2026 to 10 May 2026; l'altro ieri: 19 May 2026",
            ),
            (
                "Ik ben vorige week verhuisd en over twee dagen is het feest.",
                "vorige week: 11 May 2026 to 17 May 2026; over twee dagen: 23 May 2026",
            ),
            (
                "Я переехал 2 недели назад, а позавчера вышел на работу.",
                "2 недели назад: 4 May 2026 to 10 May 2026; позавчера: 19 May 2026",
            ),
            ("انتقلت إلى البيت الجديد قبل ثلاثة أيام وسأسافر بعد غد.", "قبل ثلاثة أيام: 18 May 2026; بعد غد: 23 May 2026"),
            ("मैंने 3 दिन पहले नौकरी बदली और पिछले साल शादी की।", "3 दिन पहले: 18 May 2026; पिछले साल: 2025"),
            ("我三天前搬家了，下周五开会，去年结婚。", "三天前: 18 May 2026; 下周五: 29 May 2026; 去年: 2025"),
            ("Je suis allée chez le dentiste ce matin et il y a deux mois.", "ce matin: 21 May 2026; il y a deux mois: March 2026"),
            ("Мы переедем через неделю.", "через неделю: 25 May 2026 to 31 May 2026"),
            ("انتقلت قبل يومين.", "قبل يومين: 19 May 2026"),
            ("两天前我搬家了。", "两天前: 19 May 2026"),
            ("3日前に会いました。", "3日前: 18 May 2026"),
            ("下周一起去吧。", "下周: 25 May 2026 to 31 May 2026"),
            ("先週の金曜日に引っ越して、3か月前に仕事を変えました。", "先週の金曜: 15 May 2026; 3か月前: February 2026"),
        ] {
            assert_eq!(note_on(sentence, THURSDAY), note, "{sentence}");
        }
    }

    #[test]
    fn what_looks_like_a_time_is_none() {
        for sentence in [
            "Guten Morgen, wie geht es dir und der Familie?",
            "Ich bin am Montag Morgen mit dem Zug hier.",
            "Por la mañana tomo café y leo el periódico en la cama.",
            "Ik wens je een goede morgen en een fijne dag.",
            "Двадцать два дня назад мы ещё не знали друг друга.",
            "We knew it twenty-two days ago.",
            "We met two or three weeks ago, or 2-3 weeks ago.",
            "We met half a year ago, and this may help.",
            "Am nächsten Morgen sind wir mit dem Zug nach Hause gefahren.",
            "Het was een vroege morgen en we gingen met de trein naar huis.",
            "Ce soir-là, nous étions chez ma sœur avec les enfants.",
            "Через неделю после свадьбы мы переехали.",
            "انتقلنا قبل ثلاثة أيام من الزفاف.",
            "كان هذا قبل عام الفيل.",
            "शादी से 3 दिन पहले हमने घर बदला।",
            "结婚两三天前的事。",
            "結婚式の3日前に会いました。",
            "目前天气很好，以前天天跑步，他很聪明天真。",
            "二十一天前的事，好几天前也一样。",
            "晚上周末都可以，大前年的事。",
            "今日本では5月3日前後に休む。",
            "आज कल मैं बहुत काम करता हूँ।",
            "कल मिलेंगे और परसों भी।",
            "Jag var hemma i dag och i morgon reser vi till henne.",
        ] {
            assert_eq!(note_on(sentence, THURSDAY), "", "{sentence}");
        }
    }

    #[test]
    fn every_phrase_of_the_file_means_what_its_list_says() {
        let known = ["numbers", "beyond", "weekdays", "months", "none", "unless"];
        let unknown: Vec<_> = lists(TIMES).filter(|(_, name, _)| !known.contains(name) && meaning(name).is_none()).collect();
        assert_eq!(unknown, []);
        assert_eq!(LANGUAGES.len(), 12);
        for (code, language) in LANGUAGES.iter() {
            assert!([10, 12].contains(&language.numbers.iter().map(|(_, place)| *place).max().unwrap()), "{code}");
            assert!(language.weekdays.is_empty() || language.weekdays.iter().map(|(_, place)| *place).max() == Some(7), "{code}");
        }
    }

    proptest! {
        #[test]
        fn no_day_and_no_number_overflows(days in 0i32..3_000_000, count in 0u64..u64::MAX, unit in "(day|week|month|year)s?") {
            if let Some(day) = NaiveDate::from_num_days_from_ce_opt(days) {
                let sentence = format!("{count} {unit} ago, in {count} {unit}, last {unit}, next {unit}, next monday");
                note(&sentence, &words(&sentence), day);
            }
        }
    }
}
