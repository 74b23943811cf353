use super::language::Language;
use super::*;
use proptest::prelude::*;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// English prose with what is easily cut wrongly: possessives, quotes, numbers, underscores, names, addresses.
const PROSE: &str = "Vera's team deploys the billing service on Tuesdays, never on Fridays; Idris doesn't agree.
It took 3,000 retries and 4.5 hours until the deploy_window of atlas closed. \"We were unlucky,\" Mina said.
'Quoted' words, the boys' bicycles and rock'n'roll are edge cases, as is https://example.org/a_b?c=d or mina@example.org.
IT told US that running, runs and runners are running; generously organised generations organise generators.
Who am I?
The skies were dying: she tied ties, flies planes, and is skiing early, only, singly, idly and gently.";

fn keys(text: &str) -> Vec<String> {
    terms(text).into_keys().collect()
}

/// Whether a question finds a text by a word.
fn finds(question: &str, text: &str) -> bool {
    let terms = terms(text);
    keys(question).iter().any(|term| terms.contains_key(term))
}

#[test]
fn words_are_folded_stemmed_and_counted() {
    let counts = terms("Vera_prefers Terraform-managed INFRA; Vera's preferences are managed in Terraform.");
    let expected = [("infra", 1), ("manag", 2), ("prefer", 2), ("terraform", 2), ("vera", 2)];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected.map(|(term, count)| (term.to_owned(), count)));
    assert_eq!(keys("the tea of Vera"), ["tea", "vera"]);
    assert_eq!(keys("it\nthe tea of Vera"), ["it", "tea", "vera"], "a topic keeps its words");
    assert_eq!(keys("Who am I?"), ["am", "i", "who"]);
    assert!(has_only_function_words("Who am I?"));
    assert!(["Who is Vera?", "IT", "", "?"].into_iter().all(|text| !has_only_function_words(text)));
    assert_eq!(keys("IT for US"), ["it", "us"], "names are no function words");
}

#[test]
fn english_has_its_plain_stems() {
    let mut expected = BTreeMap::new();
    for line in PROSE.lines() {
        let words: Vec<&str> = line.split('_').flat_map(UnicodeSegmentation::unicode_words).collect();
        let is_function_word = |word: &str| {
            let acronym = word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_uppercase());
            Language::English.has_function_word(&word.to_ascii_lowercase()) && !acronym
        };
        let all = words.iter().all(|word| is_function_word(word));
        for word in words.into_iter().filter(|word| all || !is_function_word(word)) {
            let lower = word.to_ascii_lowercase();
            let word = lower.strip_suffix("'s").unwrap_or(&lower);
            *expected.entry(Stemmer::create(Algorithm::English).stem(word).into_owned()).or_insert(0) += 1;
        }
    }
    assert!(expected.len() > 50);
    assert_eq!(terms(PROSE), expected);
}

#[test]
fn every_language_finds_other_forms_of_a_word() {
    let pairs = [
        ("Which deployments?", "Idris deployed on Friday."),
        ("Welche Häuser hat er?", "Mina wohnt in einem Haus und es ist nicht groß."),
        ("Haus", "Mina kennt die Häuser und sie ist in der Stadt."),
        ("Où sont les maisons ?", "Elle habite dans la maison de Vera."),
        ("¿Dónde están los gatos?", "Ella tiene un gato en la casa."),
        ("Onde estão os gatos?", "Ela tem um gato em casa."),
        ("Dove sono i gatti?", "Lei ha un gatto nella casa."),
        ("Waar zijn de boeken?", "Hij heeft het boek van Idris."),
        ("Где книги?", "Мина читает книгу."),
        ("الكتاب", "قرأت مينا كتاب"),
        ("किताबें", "मीना की किताब मेज पर है"),
        ("数据库在哪里？", "我们的数据库很大。"),
        ("東京の天気", "ミナは東京に住んでいます。"),
        ("กาแฟ", "มีนาชอบดื่มกาแฟทุกเช้า"),
        ("학교에서", "미나는 학교를 좋아한다"),
        ("Kitaplar nerede ve ne zaman?", "Mina bu kitap ile bir gün okudu."),
        ("δρόμοι", "Η Μίνα ξέρει τον δρόμο"),
        ("שָׁלוֹם", "שלום מינה"),
    ];
    for (question, text) in pairs {
        assert!(finds(question, text), "{question}: {:?}, {:?}", keys(question), keys(text));
    }
}

#[test]
fn spellings_of_a_word_are_one_term() {
    let pairs = [
        ("café", "cafe"),
        ("Straße", "STRASSE"),
        ("İzmir", "izmir"),
        ("ısı", "isi"),
        ("Ｔｅａ", "tea"),
        ("smørrebrød", "smorrebrod"),
        ("Łódź", "lodz"),
        ("ёлка", "елка"),
        ("أحمد", "احمد"),
        ("२०२६", "2026"),
        ("zero\u{200d}width", "zerowidth"),
        ("ｶﾞｽ", "ガス"),
    ];
    for (one, other) in pairs {
        assert_eq!(keys(one), keys(other));
    }
    assert_ne!(keys("йод"), keys("иод"), "й is a letter of its own");
    let text = "Wo wohnt Herr Müller und was hat er mit der Post zu tun?";
    assert!(finds("Wer ist Frau Mueller und wo ist sie?", text));
}

#[test]
fn other_languages_have_function_words() {
    assert!(has_only_function_words("Wer bin ich?"));
    assert!(has_only_function_words("Кто я?"));
    assert!(!has_only_function_words("Wer ist Vera?"));
    assert!(!has_only_function_words("谁"));
    assert!(!keys("Vera und Mina sind nicht in der Stadt.").contains(&"nicht".to_owned()));
}

#[test]
fn matched_words_keep_their_spelling() {
    let wanted = terms("which deployments");
    assert_eq!(matched_words("Deployed on Friday; no deploys on Mondays", &wanted), ["Deployed"]);
    assert_eq!(matched_words("我们的数据库很大，数据库很快。", &terms("数据库")), ["数据库"]);
    assert_eq!(matched_words("มีนาชอบดื่มกาแฟทุกเช้า", &terms("กาแฟ")), ["กาแฟ"]);
    assert_eq!(matched_words("Le chat est dans l'Hôtel de Mina.", &terms("hotel")), ["l'Hôtel"]);
}

#[test]
fn difficult_texts_are_cut() {
    assert!(keys("🎉🎉 👩‍👩‍👧").is_empty());
    assert!(keys("'' '").is_empty());
    assert_eq!(keys("x"), ["x"]);
    assert_eq!(keys("茶"), ["茶"]);
    assert_eq!(keys("API를 쓴다"), ["api", "를", "쓴다"]);
    assert_eq!(keys("שלום 42 עולם"), ["42", "עולם", "שלום"]);
    assert_eq!(keys(&"กา".repeat(3000)).len(), 1 + usize::from(keys("กากา").len() == 2));
    assert_eq!(units("'\u{f73}").iter().filter_map(Unit::folded).collect::<Vec<_>>(), ["\u{f71}\u{f72}"]);
}

/// Letters of many scripts, marks and joiners.
fn mixed() -> impl Strategy<Value = String> {
    "[a-zA-ZÀ-ÿĀ-žα-ωΆ-Ώа-яёЁאבגד\u{5b0}-\u{5b9}ء-ي\u{64b}-\u{652}क-हा-ौ一-二あ-んア-ンก-ฮะ-ู가-힣0-9 '_.\u{300}-\u{308}\u{200d}]{0,60}"
}

proptest! {
    // The search for matched words relies on this to skip words.
    #[test]
    fn a_stem_begins_as_its_word(text in mixed()) {
        for unit in units(&text) {
            let languages = [Language::English, Language::German, Language::Spanish, Language::Dutch, Language::Turkish, Language::Finnish];
            for latin in languages {
                let Some(folded) = unit.folded() else { continue };
                if Language::of(folded, latin).keeps_beginnings() {
                    let first = folded.chars().next();
                    prop_assert!(unit_terms(&unit, latin).iter().all(|term| term.chars().next() == first), "{:?}", folded);
                }
            }
        }
    }

    #[test]
    fn no_text_breaks_the_tokeniser(text in "\\PC{0,200}") {
        for (term, count) in terms(&text) {
            prop_assert!(!term.is_empty() && count > 0);
        }
    }

    #[test]
    fn every_term_of_a_text_is_matched_by_it(text in mixed()) {
        let terms = terms(&text);
        prop_assert_eq!(matched_words(&text, &terms).is_empty(), terms.is_empty());
    }

    #[test]
    fn both_forms_of_unicode_have_the_same_terms(text in mixed()) {
        prop_assert_eq!(terms(&text.nfc().collect::<String>()), terms(&text.nfd().collect::<String>()));
    }
}
