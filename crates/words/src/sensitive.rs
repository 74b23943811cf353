//! What a text gives away that is nobody's business by default: health, faith, politics, money and ethnic origin, by words in
//! twelve languages.

use crate::guard::added::{added, is_dense};
use crate::guard::fold::{folded, words};
use crate::lists::lists;
use std::collections::HashMap;
use std::sync::LazyLock;
use wire::Matter;

const WORDS: &str = include_str!("sensitive.txt");
/// What Arabic writes as a part of the next word: "and", "the", "for the".
const PREFIXES: &[&str] = &["وال", "بال", "كال", "فال", "لل", "ال", "و", "ب", "ل"];

/// In place of a language: an added word of a script without spaces, which is looked for in any text.
const DENSE: &str = "dense";

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let added = added().matters.iter().map(|(matter, word)| (if is_dense(word) { DENSE } else { "" }, *matter, word.as_str()));
    entries(WORDS).chain(added).fold(Lists::default(), Lists::with)
});

/// An entry of the file: language, matter, word.
type Entry = (&'static str, Matter, &'static str);

/// The words of all languages, folded.
#[derive(Default)]
struct Lists {
    /// Words, or beginnings of words, with what they give away.
    spaced: HashMap<String, Vec<(Matter, Whole)>>,
    chinese: Vec<(Matter, String)>,
    japanese: Vec<(Matter, String)>,
}

/// Whether an entry is a whole word.
type Whole = bool;

impl Lists {
    fn with(mut self, (language, matter, word): Entry) -> Self {
        let text = folded(word.trim_end_matches('~'));
        match language {
            "zh" => self.chinese.push((matter, text)),
            "ja" => self.japanese.push((matter, text)),
            DENSE => {
                self.chinese.push((matter, text.clone()));
                self.japanese.push((matter, text));
            }
            _ => self.spaced.entry(text).or_default().push((matter, !word.ends_with('~'))),
        }
        self
    }

    /// What a word gives away.
    fn of(&self, word: &str) -> impl Iterator<Item = Matter> {
        let beginnings = word.char_indices().filter_map(|(at, c)| word.get(..at + c.len_utf8()));
        let known = beginnings.filter_map(|beginning| Some((beginning, self.spaced.get(beginning)?)));
        known.flat_map(move |(beginning, entries)| {
            entries.iter().filter(move |(_, whole)| !whole || beginning == word).map(|(matter, _)| *matter)
        })
    }

    /// What a text gives away in a language without blanks.
    fn unspaced(&self, plain: &str) -> impl Iterator<Item = Matter> {
        let list = if plain.contains(is_kana) { &self.japanese } else { &self.chinese };
        list.iter().filter(|(_, part)| plain.contains(part.as_str())).map(|(matter, _)| *matter)
    }
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

/// The sensitive matters that a text is about.
pub fn matters(text: &str) -> Vec<Matter> {
    let plain = folded(text);
    let words = words(&plain);
    // "l'hôpital", "Vera's"
    let parts = words.iter().flat_map(|word| word.text.split('\'')).flat_map(bare);
    let found: Vec<Matter> = parts.flat_map(|part| LISTS.of(part)).chain(LISTS.unspaced(&plain)).collect();
    Matter::ALL.iter().copied().filter(|matter| found.contains(matter)).collect()
}

/// A word, and what it is without what Arabic writes before it.
fn bare(word: &str) -> impl Iterator<Item = &str> {
    std::iter::once(word).chain(PREFIXES.iter().filter_map(|prefix| word.strip_prefix(prefix)))
}

/// The entries of a file in the form of `sensitive.txt`.
fn entries(file: &'static str) -> impl Iterator<Item = Entry> {
    lists(file).flat_map(|(language, name, list)| {
        let matter = Matter::ALL.iter().copied().find(|matter| matter.as_str() == name);
        matter.into_iter().flat_map(move |matter| list.split_whitespace().map(move |word| (language, matter, word)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Matter::{Ethnicity, Faith, Health, Money, Politics};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn matters_are_recognised_in_twelve_languages() {
        for (text, expected) in [
            ("Vera was diagnosed with asthma.", Health),
            ("Idris prays on Fridays.", Faith),
            ("Mina voted last week.", Politics),
            ("Her salaries are paid monthly", Money),
            ("Vera ist seit Mai schwanger.", Health),
            ("Idris geht sonntags in die Kirche.", Faith),
            ("Mina ist in der Gewerkschaft.", Politics),
            ("Vera hat Schulden bei der Bank.", Money),
            ("Vera est à l'hôpital.", Health),
            ("Idris va à la mosquée.", Faith),
            ("Mina est syndiquée.", Politics),
            ("Le salaire de Vera a augmenté.", Money),
            ("Vera está embarazada.", Health),
            ("Idris es católico.", Faith),
            ("Mina va a votar en las elecciones.", Politics),
            ("Vera paga una hipoteca.", Money),
            ("Vera tem uma doença rara.", Health),
            ("Idris vai à igreja.", Faith),
            ("Mina fala muito de política.", Politics),
            ("Vera pediu um empréstimo.", Money),
            ("Vera è allergica alle noci.", Health),
            ("Idris è musulmano.", Faith),
            ("Mina è iscritta al sindacato.", Politics),
            ("Lo stipendio di Vera è basso.", Money),
            ("Vera ligt in het ziekenhuis.", Health),
            ("Idris is katholiek.", Faith),
            ("Mina is lid van de vakbond.", Politics),
            ("Vera heeft een hypotheek.", Money),
            ("У Веры диабет.", Health),
            ("Идрис ходит в мечеть.", Faith),
            ("Мина голосовала за них.", Politics),
            ("Вера взяла кредит.", Money),
            ("فيرا في المستشفى.", Health),
            ("إدريس مسلم.", Faith),
            ("مينا عضو في الحزب.", Politics),
            ("زاد راتب فيرا.", Money),
            ("वेरा बीमार है।", Health),
            ("इदरीस रोज़ मस्जिद जाता है।", Faith),
            ("मीना ने चुनाव में भाग लिया।", Politics),
            ("वेरा का वेतन बढ़ा।", Money),
            ("维拉怀孕了。", Health),
            ("他信佛教。", Faith),
            ("米娜是党员。", Politics),
            ("她的月薪很高。", Money),
            ("ヴェラは糖尿病です。", Health),
            ("イドリスは毎週教会に行く。", Faith),
            ("ミナは労働組合に入っている。", Politics),
            ("ヴェラには借金がある。", Money),
            ("Mina is of mixed ethnicity.", Ethnicity),
            ("Idris hat einen Migrationshintergrund.", Ethnicity),
            ("Mina vient d'une famille berbère.", Ethnicity),
            ("Idris es gitano.", Ethnicity),
            ("Mina tem ascendência indígena.", Ethnicity),
            ("Vera è di etnia curda.", Ethnicity),
            ("Mina is van Koerdische afkomst.", Ethnicity),
            ("Вера по национальности татарка.", Ethnicity),
            ("إدريس من عائلة كردية.", Ethnicity),
            ("मीना आदिवासी समुदाय से है।", Ethnicity),
            ("米娜是少数民族。", Ethnicity),
            ("ミナはアイヌの家系です。", Ethnicity),
            ("Ihre Mutter ist eine Zigeunerin.", Ethnicity),
            ("Её бабушка была цыганкой.", Ethnicity),
            ("他是藏族人。", Ethnicity),
        ] {
            assert_eq!(matters(text), [expected], "{text}");
        }
    }

    #[test]
    fn words_that_look_alike_give_nothing_away() {
        for text in [
            "Vera reads incoming mail and disables notifications.",
            "Vera prefers short e-mails.",
            "The harbour project ships in May.",
            "Mina studies the arts and the hospitality trade.",
            "Please be polite to Christine.",
            "The hypothesis about the diagnostics was wrong.",
            "Vera ist auf der Messe in Bern.",
            "Mina sucht eine Wohnung.",
            "Ich glaube, es war Mina.",
            "Vera ne mange pas de pain.",
            "Je vous prie de patienter.",
            "El partido empieza a las ocho.",
            "Mina foi ao mercado.",
            "La lista è ordinata per nome.",
            "Si prega di chiudere la porta.",
            "Vera houdt van fietsen.",
            "Вера любит поезда.",
            "Операция с базой данных завершена.",
            "دخلت فيرا الغرفة.",
            "وصلت مينا أمس.",
            "वेरा को चाय पसंद है।",
            "जन्मदिन की पार्टी शाम को है।",
            "他教会我游泳。",
            "维拉喜欢喝茶。",
            "新教程已经上线。",
            "ドローンとクローンの話をした。",
            "イドリスはモスクワに住んでいる。",
            "ミナは毎日がんばっている。",
            "Mina drinks arabica before the race.",
            "La stazione di Roma è chiusa.",
            "América Latina es grande.",
            "Происхождение файла неизвестно.",
            "ホテルの滞在日数は三日です。",
            "Le gustan los berberechos.",
            "Il cane di Vera è un meticcio.",
            "Vera aime les plantes autochtones.",
            "Vera isst gern Zigeunerschnitzel.",
            "She plants indigenous trees.",
            "Mina uses Ancestry.com.",
            "Idris has a Caucasian shepherd.",
            "Инженер Цыганков починил насос.",
            "水泳の個人種目に出た。",
            "邮票收藏族",
            "维拉有一只混血狗。",
            "قطة من سلالة نادرة.",
        ] {
            assert_eq!(matters(text), [], "{text}");
        }
    }

    #[test]
    fn every_language_has_words_for_every_matter() {
        let known: BTreeSet<(&str, &str)> = entries(WORDS).map(|(language, matter, _)| (language, matter.as_str())).collect();
        let languages: BTreeSet<&str> = known.iter().map(|(language, _)| *language).collect();
        assert_eq!((languages.len(), known.len()), (12, 12 * Matter::ALL.len()));
        for (_, name, list) in lists(WORDS) {
            assert!(Matter::ALL.iter().any(|matter| matter.as_str() == name), "{name}: {list}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reading(text in "\\PC{0,80}") {
            matters(&text);
        }
    }
}
