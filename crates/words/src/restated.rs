//! Whether a statement gives the matter of an earlier one another number, in the same words.

use crate::minutes::Minutes;
use wire::MemoryKind;

/// Words that say that something changed, in the languages of extraction that separate words.
#[rustfmt::skip]
const NOW: &[&str] = &[
    "now", "jetzt", "nun", "inzwischen", "maintenant", "désormais", "ahora", "agora", "ora", "adesso", "nu", "теперь", "сейчас", "الآن", "अब",
];

/// The same within a sentence of Chinese or Japanese.
const NOW_WITHIN: &[&str] = &["现在", "現在", "如今", "目前", "今は", "いまは"];

/// Words before a number that is a value: it is, has or becomes so much.
#[rustfmt::skip]
const IS: &[&str] = &[
    "is", "are", "was", "were", "be", "has", "have", "had", "equals", "to",
    "ist", "sind", "war", "hat", "habe", "haben", "beträgt", "lautet", "auf",
    "est", "sont", "a", "ai", "ont", "avons", "vaut", "à",
    "es", "son", "está", "tiene", "tienen", "tengo", "tenemos",
    "é", "são", "tem", "têm", "tenho", "temos", "para",
    "è", "sono", "ha", "hanno", "ho", "abbiamo",
    "zijn", "heeft", "hebben", "heb", "naar",
    "равен", "равна", "равно", "составляет", "имеет", "هو", "هي",
];

/// Ends of words before such a number, in Chinese and Japanese.
const IS_AT_END: &[&str] = &["是", "为", "為", "有", "等于", "到", "は", "が", "に"];

/// Words after a number that is a value: what it counts, or the verb of Hindi.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "ms", "min", "km", "cm", "mm", "kg", "mg", "ml", "kw", "hz", "mhz", "ghz", "px",
    "am", "pm", "uhr", "percent", "prozent", "usd", "eur", "gbp", "euro", "euros", "dollar", "dollars", "pounds", "рублей",
    "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month", "months", "year", "years",
    "sekunden", "minuten", "stunde", "stunden", "tag", "tage", "woche", "wochen", "monat", "monate", "jahr", "jahre",
    "secondes", "heure", "heures", "jour", "jours", "semaine", "semaines", "mois", "ans",
    "segundos", "minutos", "hora", "horas", "día", "días", "semana", "semanas", "meses", "años", "dias", "mês", "anos",
    "secondi", "minuti", "ore", "giorni", "settimane", "mesi", "anni",
    "seconden", "uur", "dagen", "weken", "maanden", "jaar",
    "секунд", "минут", "часа", "часов", "дня", "дней", "недели", "недель", "месяца", "месяцев", "лет",
    "دقيقة", "ساعات", "ساعة", "أيام", "سنوات", "मिनट", "घंटे", "दिन", "साल", "है", "हैं", "था", "थे",
];

/// Beginnings of what follows such a number, in Chinese and Japanese.
const UNITS_AT_START: &[&str] =
    &["小时", "个小时", "分钟", "秒", "天", "个月", "元", "公里", "公斤", "点", "時間", "分間", "日間", "週間", "円"];

/// Whether a statement says the same as an earlier one with other values: "The port is 6544 now" after "The port is 5544". A number that may be
/// part of a name, such as that of "Host 3", is no value: other numbers there tell of other things. An episode tells what happened once, so it
/// must say that something changed.
pub fn restates(kind: MemoryKind, statement: &str, earlier: &str) -> bool {
    let (Some(new), Some(old)) = (Statement::read(statement), Statement::read(earlier)) else { return false };
    let is_same = |at: usize| new.has(&old, at) || new.is_value(at) && old.is_value(at);
    let (length, is_other) = (new.tokens.len(), |at| !new.has(&old, at));
    let restated = length == old.tokens.len() && (0..length).all(is_same) && (0..length).any(is_other);
    restated && (kind != MemoryKind::Episode || new.now)
}

struct Statement {
    /// Its words and numbers, without those that say that something changed.
    tokens: Vec<Token>,
    now: bool,
}

/// A word, in lower case, or a number with its marks: 3.5, 10:30.
struct Token {
    text: String,
    is_number: bool,
    /// A sign says that it is a value: =5, €5, 5 %.
    has_sign: bool,
}

impl Statement {
    /// Absent for what replies to somebody or tells a day: its words alone do not say what it is about.
    fn read(statement: &str) -> Option<Self> {
        let minutes = Minutes::parse(statement);
        let alone = minutes.as_ref().is_none_or(|minutes| minutes.question.is_none() && minutes.note.is_none());
        let mut read = Self { tokens: tokens(minutes.map_or(statement, |minutes| minutes.words)), now: false };
        for token in read.tokens.iter_mut().filter(|token| !token.is_number) {
            for now in NOW_WITHIN {
                read.now |= token.text.contains(now);
                token.text = token.text.replace(now, "");
            }
        }
        let before = read.tokens.len();
        read.tokens.retain(|token| !NOW.contains(&token.text.as_str()));
        read.now |= read.tokens.len() < before;
        read.tokens.retain(|token| !token.text.is_empty());
        alone.then_some(read)
    }

    /// Whether another statement has the same word or number at a place.
    fn has(&self, other: &Self, at: usize) -> bool {
        self.tokens.get(at).map(|token| &token.text) == other.tokens.get(at).map(|token| &token.text)
    }

    /// Whether a number is a value: by its sign, as a time, by a verb before it or a unit after it.
    fn is_value(&self, at: usize) -> bool {
        let word =
            |at: Option<usize>| at.and_then(|at| self.tokens.get(at)).filter(|token| !token.is_number).map(|token| token.text.as_str());
        let is_time = |text: &str| text.split_once(':').is_some_and(|(hour, minute)| hour.len() <= 2 && minute.len() == 2);
        let is_said = |word: &str| IS.contains(&word) || IS_AT_END.iter().any(|end| word.ends_with(end));
        let is_unit = |word: &str| UNITS.contains(&word) || UNITS_AT_START.iter().any(|start| word.starts_with(start));
        self.tokens.get(at).is_some_and(|token| {
            let has_word = || word(at.checked_sub(1)).is_some_and(is_said) || word(Some(at + 1)).is_some_and(is_unit);
            token.is_number && (token.has_sign || is_time(&token.text) || has_word())
        })
    }
}

/// The words and numbers of a text; letters and digits that touch are two.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let is = |at: usize, of: fn(char) -> bool| chars.get(at).copied().is_some_and(of);
    let is_digit = |at: usize| is(at, char::is_numeric);
    let is_inside = |at: usize| is(at, |c| ".,:/-–'’".contains(c)) && is_digit(at + 1);
    let (mut tokens, mut at, mut has_sign) = (Vec::new(), 0, false);
    while let Some(c) = chars.get(at).copied() {
        let start = at;
        let is_number = c.is_numeric();
        if is_number {
            while is_digit(at) || is_inside(at) {
                at += 1;
            }
        } else {
            while is(at, char::is_alphabetic) {
                at += 1;
            }
        }
        if at == start {
            has_sign = "=:：≈~$€£¥₹₽—–".contains(c) || has_sign && c.is_whitespace();
            at += 1;
            continue;
        }
        let next = chars.iter().skip(at).find(|c| !c.is_whitespace());
        has_sign |= next.is_some_and(|c| "%％°€$£¥₹₽".contains(*c));
        tokens.push(Token { text: chars.iter().take(at).skip(start).collect::<String>().to_lowercase(), is_number, has_sign });
        has_sign = false;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_of_a_thing_is_another_thing() {
        for (value, named) in [
            ("The port is 5544.", "Host 12 has 16 GB."),
            ("Der Port ist jetzt 5544.", "Zimmer 12 hat 3 Fenster."),
            ("Le port est 5544.", "La chambre 12 a 3 lits."),
            ("El puerto es 5544.", "La sala 12 tiene 3 mesas."),
            ("A porta é 5544.", "A sala 12 tem 3 mesas."),
            ("La porta è 5544.", "La stanza 12 ha 3 letti."),
            ("De poort is 5544.", "Kamer 12 heeft 3 ramen."),
            ("Порт — 5544.", "Порт 12 открыт."),
            ("المنفذ هو 5544.", "الغرفة 12 كبيرة."),
            ("पोर्ट 5544 है।", "कमरा 12 बड़ा है।"),
            ("端口是5544。", "12号房间有3张桌子。"),
            ("ポートは5544です。", "会議室12は広いです。"),
            ("Port: 5544", "The cluster runs version 12."),
            ("The ticket costs 5544 euros.", "v12 is on host-12."),
            ("The ticket costs €5544.", "The 12 o'clock train is late on track 12."),
        ] {
            assert!(restates(MemoryKind::Project, &value.replace("5544", "6544"), value), "{value}");
            assert!(!restates(MemoryKind::Project, &named.replace("12", "13"), named), "{named}");
        }
        for (earlier, later) in [
            ("Host 3 has 16 GB.", "Host 3 has 32 GB."),
            ("Zimmer 12 hat 3 Fenster.", "Zimmer 12 hat 4 Fenster."),
            ("The stand-up begins at 10:30.", "The stand-up begins at 9:45."),
            ("Mina works 80 %.", "Mina works 60 %."),
            ("服务器3有16GB内存。", "服务器3现在有32GB内存。"),
        ] {
            assert!(restates(MemoryKind::Project, later, earlier), "{later}");
        }
        assert!(!restates(MemoryKind::Project, "Host 4 has 32 GB.", "Host 3 has 16 GB."), "one of the two is another host");
        assert!(restates(MemoryKind::Episode, "端口现在是6544。", "端口是5544。"));
    }

    #[test]
    fn another_number_in_the_same_words_replaces() {
        let earlier = "Vera, 3 May 2026: “The staging port is 5544.”";
        for (kind, later, is) in [
            (MemoryKind::Profile, "Vera, 4 May 2026: “The staging port is 6544 now.”", true),
            (MemoryKind::Project, "Vera, 4 May 2026: “The staging port is 6544.”", true),
            (MemoryKind::Episode, "Vera, 4 May 2026: “The staging port is now 6544.”", true),
            (MemoryKind::Episode, "Vera, 4 May 2026: “The staging port is 6544.”", false),
            (MemoryKind::Project, "Vera, 4 May 2026: “The review port is 6544 now.”", false),
            (MemoryKind::Project, "Vera, 4 May 2026: “The staging port is 5544 now.”", false),
            (MemoryKind::Project, "Vera, 4 May 2026: “The staging port is not 6544.”", false),
            (MemoryKind::Project, "Idris asked “Which one?” Vera, 4 May 2026: “The staging port is 6544.”", false),
            (MemoryKind::Project, "The staging port is 6544.", true),
        ] {
            assert_eq!(restates(kind, later, earlier), is, "{kind} {later}");
        }
        assert!(!restates(MemoryKind::Profile, "My sister Lena bakes.", "My sister Mina bakes."), "there may be two of them");
    }
}
