//! Whether two statements say the same, and if not, what differs. By words, pure.
//!
//! A vector proposes that two texts are near; this decides. Near is not the same: "the review is at 3" and "the review is at 4" are as near
//! as two texts can be. If it cannot tell, they count as different.

mod lexicon;
mod order;
mod pair;
mod speakers;
mod statement;

use super::minutes::Minutes;
use pair::{Pair, plain};
use statement::Statement;
use unicode_normalization::UnicodeNormalization;

/// How two statements relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// They say the same: the same words, but for articles, word forms and the order of the parts.
    Same,
    /// They are about the same matter and say different things of it.
    Differs(Difference),
    /// They are about different matters, or it cannot be told.
    Other,
    /// Statements of which it is known that they are about different matters, however near their vectors are: a vector sees the speaker and
    /// the day, too.
    Apart,
}

/// In what two statements about one matter differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    Number,
    Identifier,
    /// A name, or the person or thing that the statement is about.
    Name,
    Subject,
    Date,
    Unit,
    Negation,
    Opposite,
    /// The same words, but who does what to whom is the other way round.
    Order,
    /// What was, is, or will be.
    Time,
    Symbol,
    Words,
}

impl Difference {
    /// What differs, as answers say it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Identifier => "identifier",
            Self::Name | Self::Subject => "name",
            Self::Date => "date",
            Self::Unit => "unit",
            Self::Negation => "negation",
            Self::Opposite => "opposite",
            Self::Order => "order",
            Self::Time => "time",
            Self::Symbol => "symbol",
            Self::Words => "words",
        }
    }
}

impl Likeness {
    /// Whether both cannot be true of one moment: they give one matter different values, or one denies the other.
    pub fn is_conflict(self) -> bool {
        use Difference::{Date, Name, Negation, Number, Opposite, Unit};
        matches!(self, Self::Differs(Number | Name | Date | Unit | Negation | Opposite))
    }
}

/// Compares two statements. In English, forms of one word and a few synonyms count as the same word, linking words may come and go, and a few
/// orders of the same words say the same. In other languages the words, their order and the marks between them must agree. Of minutes, the
/// words and the speaker count, not the day on which they were said.
pub fn compare(one: &str, other: &str) -> Likeness {
    let (mine, yours) = (Minutes::parse(one), Minutes::parse(other));
    match (&mine, &yours) {
        (None, None) => of_words(one, other).0,
        (Some(mine), Some(yours)) => speakers::compare(mine, yours),
        (Some(said), None) => speakers::compare_with_text(said, other),
        (None, Some(said)) => speakers::compare_with_text(said, one),
    }
}

/// As [`compare`], of words alone, and whether both are read as English.
fn of_words(one: &str, other: &str) -> (Likeness, bool) {
    let (mut one, mut other) = (Statement::read(one), Statement::read(other));
    let english = one.latin && other.latin && (one.marked_english || other.marked_english);
    (likeness(&mut one, &mut other, english), english)
}

fn likeness(one: &mut Statement, other: &mut Statement, english: bool) -> Likeness {
    one.stem(english);
    other.stem(english);
    let pair = Pair { one: &one.tokens, other: &other.tokens, english };
    let (mine, yours) = pair.own();
    if let Some(difference) = pair.difference(&mine, &yours) {
        return if pair.one_matter(&mine, &yours) { Likeness::Differs(difference) } else { Likeness::Other };
    }
    // No word is left that only one of them has.
    if plain(pair.one).ne(plain(pair.other)) && !(english && order::says_the_same(pair.one, pair.other)) {
        return Likeness::Differs(Difference::Order);
    }
    if !english && one.marks != other.marks { Likeness::Differs(Difference::Symbol) } else { Likeness::Same }
}

/// Whether two texts are the same when case, width, blanks and punctuation are set aside.
pub fn equal(one: &str, other: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> {
        text.nfkc().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace())
    }
    letters(one).eq(letters(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps;
    use proptest::prelude::*;

    /// Both ways, because neither text is the first by right.
    fn both(one: &str, other: &str) -> Likeness {
        let likeness = compare(one, other);
        assert_eq!(compare(other, one), likeness, "{one} / {other}");
        likeness
    }

    #[test]
    fn the_same_words_say_the_same() {
        for (one, other) in [
            ("Vera likes green tea.", "Vera likes the green tea"),
            ("ＶＥＲＡ likes tea", "Vera likes tea."),
            ("The release notes are kept in the wiki.", "In the wiki the release notes are kept."),
            ("The crew meets every Thursday at noon.", "The crew meets at noon every Thursday."),
            ("Mina swims in the lake on Sundays.", "Mina swims on Sundays in the lake."),
            ("Idris is allergic to wool.", "Idris has a wool allergy."),
            ("Mina prefers Kakoune as her editor.", "Kakoune is the editor that Mina prefers."),
            ("The board decided to use Kafka.", "The board has decided on Kafka."),
            ("Reports must be filed within thirty days.", "Reports have to be filed within 30 days."),
            ("Green is Vera's favourite colour.", "Vera's favorite color is green."),
            ("Vera paid Idris.", "Idris was paid by Vera."),
            ("Vera's birthday is on 3 May.", "Vera's birthday is on May 3."),
            ("Mina owns three boats.", "Mina has 3 boats."),
            ("Vera hat zwei Boote.", "Vera hat 2 Boote."),
            ("Idris moved to Ghent in May.", "In May Idris moved to Ghent."),
            ("Every Friday at 4 the logs are rotated.", "The logs get rotated every Friday at 4."),
            ("Mina owns a boat and a bike.", "Mina owns a bike and a boat."),
            ("Ghent is where Idris works.", "Idris works in Ghent."),
            ("Berth 2 is free until noon", "Until noon berth 2 is free."),
            ("After work Mina swims in the lake.", "Mina swims in the lake after work."),
            ("犬が庭にいる。", "犬が庭にいる"),
        ] {
            assert_eq!(both(one, other), Likeness::Same, "{one} / {other}");
        }
    }

    #[test]
    fn what_differs_is_named() {
        use Difference as D;
        for (one, other, difference) in [
            ("The review starts at 3pm.", "The review starts at 4 pm.", D::Number),
            ("The heater is at -5 degrees.", "The heater is at 5 degrees.", D::Number),
            ("Use version 1.2.3 of the client.", "Use version 1.3.2 of the client.", D::Number),
            ("Cabin B12 sleeps four.", "Cabin B13 sleeps four.", D::Identifier),
            ("Backups go to store-1.", "Backups go to store-2.", D::Identifier),
            ("Idris speaks Dutch and Welsh.", "Idris speaks Dutch and Greek.", D::Name),
            ("Vera is afraid of heights.", "Mina is afraid of heights.", D::Subject),
            ("The gym is closed on Mondays.", "The gym is closed on Sundays.", D::Date),
            ("The token lives 15 minutes.", "The token lives 15 hours.", D::Unit),
            ("Vera eats fish.", "Vera does not eat fish.", D::Negation),
            ("Mina can drive.", "Mina can't drive.", D::Negation),
            ("Access is for admins.", "Access is for admins only.", D::Negation),
            ("Restart after the update.", "Restart before the update.", D::Opposite),
            ("The offer was accepted by Idris.", "The offer was rejected by Idris.", D::Opposite),
            ("Vera paid Idris.", "Idris paid Vera.", D::Order),
            ("Vera paid Idris.", "Vera was paid by Idris.", D::Order),
            ("Idris gave Vera the book.", "Vera gave the book to Idris.", D::Order),
            ("Vera is Idris's boss.", "Idris is Vera's boss.", D::Order),
            ("Vera's sister is a doctor.", "Vera is a doctor's sister.", D::Order),
            ("The dog chases the cat.", "The cat chases the dog.", D::Order),
            ("Vera speaks before Idris.", "Before Vera Idris speaks.", D::Order),
            ("Boat 2 of fleet 5 is sold.", "Boat 5 of fleet 2 is sold.", D::Order),
            ("Bern is Vera's home town.", "Bern was Vera's home town.", D::Time),
            ("Mood of the team: 🙂", "Mood of the team: 🙁", D::Symbol),
            ("Is Vera in Bern?", "Vera is in Bern.", D::Symbol),
            ("Vera works for Idris.", "Vera works with Idris.", D::Words),
            ("The owner of the mail room is Vera.", "The owner of the tool room is Vera.", D::Words),
            ("Mina eats raw carrots.", "Mina eats carrots.", D::Words),
            ("Vera sings.", "Vera stopped singing.", D::Words),
        ] {
            assert_eq!(both(one, other), Likeness::Differs(difference), "{one} / {other}");
        }
    }

    #[test]
    fn no_small_word_and_no_mark_hides_a_difference() {
        for (one, other) in [
            // Who, whom and when.
            ("Mina thanked Vera on Friday.", "On Friday Vera thanked Mina."),
            ("Idris sent the parcel to Mina.", "The parcel was sent to Idris by Mina."),
            ("The old lamp lights the room.", "The lamp lights the old room."),
            ("Mina does not own a boat but rents a car.", "Mina owns a boat but does not rent a car."),
            ("Only Mina may sign.", "Mina may only sign."),
            ("If Mina signs, Idris ships.", "If Idris ships, Mina signs."),
            ("The pump house is locked.", "The house pump is locked."),
            ("I visit her on Friday.", "On Friday she visits me."),
            ("Mina's nurse called Idris.", "The nurse called Idris."),
            // What must be, is and was.
            ("The pump must be replaced.", "The pump has been replaced."),
            ("The pump is being replaced.", "The pump is replaced."),
            ("Guests must register.", "Guests should register."),
            ("Mina needs a boat.", "Mina has a boat."),
            ("Carry the boxes from the attic to the cellar.", "Carry the boxes from the cellar to the attic."),
            ("The crew meets before lunch on Thursday.", "The crew meets on Thursday after lunch."),
            ("Mina is a nurse.", "Mina has a nurse."),
            ("Few guests came.", "A few guests came."),
            ("Mina has a boat.", "Mina has boats."),
            ("The IT budget is fixed.", "It is the budget that is fixed."),
            ("The gate is open when it rains.", "The gate is open, it rains."),
            ("The firm of the employer is in Ghent.", "The firm of the employee is in Ghent."),
            ("The 2nd pump is broken.", "The 2 pumps are broken."),
            // Marks and case.
            ("Use pumps 3-5.", "Use pumps 3, 5."),
            ("The offset is (-7).", "The offset is (7)."),
            ("The limit is 10² bytes.", "The limit is 102 bytes."),
            ("The disk has 20 Gb.", "The disk has 20 GB."),
            ("Written in C#.", "Written in C."),
            ("Run a && b.", "Run a || b."),
            ("Copy the .env file.", "Copy the env file."),
            ("The column is is_open.", "The column is has_open."),
            ("The region is us-west-2.", "The region is west-2."),
            ("Мина ест, Вера пьёт чай.", "Мина ест Вера, пьёт чай."),
            ("Sprich mit Sie.", "Sprich mit sie."),
        ] {
            assert_ne!(both(one, other), Likeness::Same, "{one} / {other}");
        }
    }

    #[test]
    fn no_language_hides_a_difference() {
        for (one, other) in [
            ("Der Vertrag läuft bis zum 31. März.", "Der Vertrag läuft bis zum 30. März."),
            ("Idris trinkt Bier.", "Idris trinkt kein Bier."),
            ("Idris grüßt Vera.", "Vera grüßt Idris."),
            ("Mina habite à Lyon.", "Mina habite à Nantes."),
            ("Le rapport est accepté.", "Le rapport est refusé."),
            ("La reunión es antes del almuerzo.", "La reunión es después del almuerzo."),
            ("Idris não come peixe.", "Idris come peixe."),
            ("Il server ha 16 GB di memoria.", "Il server ha 32 GB di memoria."),
            ("Mina werkt op maandag.", "Mina werkt op dinsdag."),
            ("Ключ у Веры.", "Ключ у Мины."),
            ("Заказ отправлен.", "Заказ не отправлен."),
            ("فيرا تسكن في برن.", "فيرا تسكن في روما."),
            ("رأى إدريس فيرا", "رأى فيرا إدريس"),
            ("वेरा ने इदरीस को बुलाया", "इदरीस ने वेरा को बुलाया"),
            ("会议改到三点。", "会议改到四点。"),
            ("猫が犬を追う。", "犬が猫を追う。"),
            ("ประตูเปิด", "ประตูปิด"),
            ("Ankara'da yaşıyor.", "İzmir'de yaşıyor."),
            ("Vera çay içmiyor.", "Vera çay içiyor."),
            ("열쇠는 서랍에 있다.", "열쇠는 상자에 있다."),
            ("🟢", "🔴"),
        ] {
            assert_ne!(both(one, other), Likeness::Same, "{one} / {other}");
        }
    }

    #[test]
    fn other_matters_are_no_conflict() {
        for (one, other) in [
            ("Vera lives in Bern.", "Idris plays the cello."),
            ("Mina drinks coffee in the morning.", "Mina runs five miles on Sunday."),
            ("", "Vera lives in Bern."),
        ] {
            assert_eq!(both(one, other), Likeness::Other, "{one} / {other}");
        }
        assert!(both("The review is on Wednesday at ten.", "The review is on Thursday at eleven.").is_conflict());
        assert!(both("Idris has 2 children.", "Idris has 3 children.").is_conflict());
        assert!(!both("Vera lives in Bern.", "Vera lives in Bern with her sister.").is_conflict());
        assert!(!both("Boat 2 of fleet 5 is sold.", "Boat 5 of fleet 2 is sold.").is_conflict());
    }

    #[test]
    fn minutes_are_compared_by_what_was_said() {
        use Difference as D;
        let (may, june) = ("Vera, 3 May 2026", "Vera, 4 June 2026");
        let lisbon = "I am flying to Lisbon next Tuesday.";
        for (one, other, likeness) in [
            // The day on which something was said is none of its dates.
            (format!("{may}: “The gym is closed on Mondays.”"), format!("{june}: “The gym is closed on Mondays.”"), Likeness::Same),
            (format!("{may}: “I live in Bern.”"), "Vera: “I live in Bern.”".into(), Likeness::Same),
            (format!("{may}: “I live in Bern.”"), format!("{june}: “I live in Basel.”"), Likeness::Differs(D::Name)),
            (format!("{may}: “I live in Bern.”"), format!("{may}: “Mina plays the cello.”"), Likeness::Apart),
            // Two speakers, each about themselves; and both about one matter.
            (format!("{may}: “I live in Bern.”"), "Mina, 3 May 2026: “I live in Bern.”".into(), Likeness::Apart),
            (format!("{may}: “I live in Bern.”"), "Mina, 3 May 2026: “I live in Basel.”".into(), Likeness::Apart),
            (format!("{may}: “Vivo en Berna.”"), "Mina, 3 May 2026: “Vivo en Basilea.”".into(), Likeness::Apart),
            ("Somebody: “I live in Bern.”".into(), "Somebody: “I live in Basel.”".into(), Likeness::Apart),
            (format!("{may}: “The review is on Wednesday.”"), "Mina: “The review is on Thursday.”".into(), Likeness::Differs(D::Date)),
            (format!("{may}: “The review is on Wednesday.”"), "Mina: “The review is on Wednesday.”".into(), Likeness::Differs(D::Subject)),
            // An answer says the same only if the question does, and "next Tuesday" only if it is the same one.
            (
                format!("Idris asked “How old is your boat?” {may}: “It is from 1990.”"),
                format!("Idris asked “How old is your car?” {june}: “It is from 1990.”"),
                Likeness::Apart,
            ),
            (
                format!("Idris asked “How old is your boat?” {may}: “It is from 1990.”"),
                format!("Mina asked “How old is your boat?” {june}: “It is from 1985.”"),
                Likeness::Differs(D::Number),
            ),
            (
                format!("{may}: “{lisbon}” (next Tuesday: 5 May 2026)"),
                format!("{june}: “{lisbon}” (next Tuesday: 9 June 2026)"),
                Likeness::Apart,
            ),
            // Beside what nobody is quoted with.
            (format!("{may}: “I live in Bern.”"), "Idris lives in Basel.".into(), Likeness::Apart),
            (format!("{may}: “I live in Bern.”"), "Vera lives in Basel.".into(), Likeness::Differs(D::Name)),
            (format!("{may}: “The gym is closed on Mondays.”"), "The gym is closed on Sundays.".into(), Likeness::Differs(D::Date)),
            (format!("{may}: “The gym is closed on Mondays.”"), "The gym is closed on Mondays.".into(), Likeness::Same),
        ] {
            assert_eq!(both(&one, &other), likeness, "{one} / {other}");
        }
        // A text that holds a quotation is compared as a whole.
        assert!(both("On 3 May Vera said “stop” twice.", "On 4 May Vera said “stop” twice.").is_conflict());
    }

    #[test]
    fn one_digit_in_a_long_text_is_seen() {
        let text = |number: u32| {
            format!("{} The gauge read {number} bar. {}", "All quiet on deck. ".repeat(400), "Nothing to report. ".repeat(400))
        };
        assert_eq!(both(&text(41), &text(47)), Likeness::Differs(Difference::Number));
        assert_eq!(both(&text(41), &text(41)), Likeness::Same);
    }

    /// Texts for which a search from each word to the end would take minutes.
    #[test]
    fn long_statements_are_compared_in_linear_time() {
        let many = |text: &str| text.repeat(100_000 / text.len());
        for (one, other) in [
            (many("not "), many("no ")),
            (many("got a "), many("has a ")),
            (many("is a boat "), many("is a boat ")),
            (many("in the wiki "), many("the wiki in ")),
            (format!("Idris {}", many("for to ")), format!("Idris {}", many("with to "))),
            (format!("{}pays x", many("b ")), format!("x {}pays", many("b "))),
            (format!("In c {} is b", many("b ")), format!("{} is b in c", many("b "))),
            (format!("pays {}by {}", many("b "), many("b ")), format!("{}pays {}", many("b "), many("b "))),
            (many("a-"), many("a_")),
            (many("ay"), many("a'")),
            (many("\u{301}"), many("(")),
        ] {
            both(&one, &other);
        }
    }

    #[test]
    fn four_times_the_words_are_compared_in_four_times_the_steps() {
        for (one, other) in [
            ("17 ", "18 "),
            ("7 of 12, ", "12 of 7, "),
            ("rope ", "rope "),
            ("red rope ", "rope red "),
            ("never no ", "not nobody "),
            ("only if not ", "not if only "),
            ("[(", ")]"),
            ("#-", "-#"),
            ("a-b_c/", "a/b_c-"),
            ("Mina's Idris's ", "Idris's Mina's "),
            ("was paid by Vera ", "Vera paid "),
            ("in May on 3 ", "on 3 in May "),
            ("is where it is ", "it is where is "),
            ("猫が", "犬が"),
            ("x", "y"),
        ] {
            let what = format!("{one} / {other}");
            steps::assert_linear_in(&what, |times| {
                let (mine, yours) = (one.repeat(times), other.repeat(times));
                compare(&mine, &yours);
                compare(&format!("Vera is {mine}"), &format!("{mine}is Vera"));
            });
        }
    }

    #[test]
    fn a_long_passive_is_read() {
        let whom = "very ".repeat(300);
        assert_eq!(
            both(
                &format!("The {whom}old boat was painted by the {whom}old man."),
                &format!("The {whom}old man painted the {whom}old boat.")
            ),
            Likeness::Same
        );
    }

    proptest! {
        #[test]
        fn a_text_says_the_same_as_itself_and_no_text_breaks_it(
            one in "(Vera(, 3 May 2026)?: “\\PC{1,20}”|Somebody: “I am “|\\PC{0,60})",
            other in "(Mina(, 3 May 2026)?: “\\PC{1,20}”|\\PC{0,60})",
        ) {
            prop_assert_eq!(compare(&one, &one), Likeness::Same);
            prop_assert_eq!(compare(&one, &other), compare(&other, &one));
        }

        /// A number that changes is never lost, in no language.
        #[test]
        fn another_number_is_another_fact(words in "[a-zà-ÿа-яء-ي ]{0,30}", a in 0_u32..10_000, b in 0_u32..10_000) {
            prop_assume!(a != b);
            prop_assert_ne!(compare(&format!("{words} {a}"), &format!("{words} {b}")), Likeness::Same);
        }
    }
}
