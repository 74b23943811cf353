//! How important a message is, by its words in twelve languages. In other languages a message has the base importance.

use super::phrases::{Phrases, Words};
use crate::guard::fold::is_unspaced;
use std::sync::LazyLock;
use wire::{Factor, FactorShare, ImportanceWeights};

/// Requests to remember something.
static EXPLICIT: LazyLock<Phrases> = LazyLock::new(|| Phrases::named("explicit"));
static DECISIONS: LazyLock<Phrases> = LazyLock::new(|| Phrases::named("decision"));
static ACTIONS: LazyLock<Phrases> = LazyLock::new(|| Phrases::named("action"));
static APPROVALS: LazyLock<Phrases> = LazyLock::new(|| Phrases::named("approval"));
/// Before a request to remember, these words make it a statement: "I remember that".
const STATED: &[&str] = &["i", "i'll", "we", "they", "he", "she", "not", "don't", "can't", "cannot", "couldn't", "never", "didn't", "to"];
/// Directly before an action, or one word before that, these words say that it was not done.
const NOT: &[&str] = &["not", "nicht", "pas", "no", "não", "non", "niet", "не", "لم", "नहीं"];
#[rustfmt::skip]
const CURRENCIES: &[&str] = &[
    "usd", "eur", "chf", "gbp", "jpy", "cny", "rmb", "sek", "nok", "dkk", "inr", "rub", "brl", "dollars", "dollar", "euros", "euro", "francs", "pounds",
    "cents", "franken", "dólares", "dólar", "reais", "pesos", "dollari", "sterline", "franchi", "рублей", "рубля", "руб", "долларов", "евро",
    "دولار", "دولارا", "يورو", "درهم", "रुपये", "रुपए", "रुपयों", "डॉलर", "यूरो",
];
/// Signs of money.
const SIGNS: &[char] = &['$', '€', '£', '¥', '₹', '₽'];
/// What follows an amount where nothing separates words.
const CURRENCIES_UNSPACED: &[&str] = &["元", "円", "块", "塊", "美元", "欧元", "歐元", "日元", "ドル", "ユーロ"];

/// The importance of a message, and what it was computed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// 0 to 1.
    pub value: f32,
    pub factors: Vec<FactorShare>,
}

impl Importance {
    /// Whether a factor is among those of the message.
    pub fn has(&self, factor: Factor) -> bool {
        self.factors.iter().any(|share| share.factor == factor)
    }
}

/// The base plus the weights of the factors in the text, cut to 0 to 1. A request to remember makes it 1, of somebody who may ask for it: a
/// tool cannot.
pub fn importance(text: &str, may_ask: bool, weights: &ImportanceWeights) -> Importance {
    let words = Words::of(text);
    let found = [
        (Factor::Explicit, words.phrase(&EXPLICIT, is_request).filter(|_| may_ask)),
        (Factor::Decision, words.phrase(&DECISIONS, |_| true)),
        (Factor::Action, words.phrase(&ACTIONS, is_done)),
        (Factor::Amount, words.pair(is_amount).or_else(|| unspaced_amount(text))),
        (Factor::Approval, words.phrase(&APPROVALS, |_| true)),
        (Factor::SmallTalk, words.small_talk()),
    ];
    let factors: Vec<FactorShare> = found
        .into_iter()
        .filter_map(|(factor, words)| words.map(|words| FactorShare { factor, weight: weights.of(factor), words }))
        .collect();
    let sum: f32 = weights.base + factors.iter().map(|share| share.weight).sum::<f32>();
    let explicit = factors.iter().any(|share| share.factor == Factor::Explicit);
    Importance { value: if explicit { 1.0 } else { sum.clamp(0.0, 1.0) }, factors }
}

/// Whether "remember that …" asks for it. "Do you remember that?" does not.
fn is_request(before: &[(String, &str)]) -> bool {
    let word = |back: usize| before.len().checked_sub(back).and_then(|at| before.get(at)).map_or("", |(word, _)| word.as_str());
    let asks = word(1) == "you" && ["do", "did", "don't", "if", "as"].contains(&word(2));
    !STATED.contains(&word(1)) && !asks
}

fn is_done(before: &[(String, &str)]) -> bool {
    !before.iter().rev().take(2).any(|(word, _)| NOT.contains(&word.as_str()))
}

/// "$1,200", "1.200 EUR", "€5k", "300 dollars".
fn is_amount(written: &str, next: &str) -> bool {
    let written = written.trim_matches(|c: char| "\"'“”‘’().,;:!?".contains(c));
    let number = |text: &str| text.starts_with(char::is_numeric);
    let code = CURRENCIES.contains(&next);
    (written.starts_with(SIGNS) && number(written.trim_start_matches(SIGNS))) || (number(written) && (code || written.ends_with(SIGNS)))
}

/// "3000元", "5万円".
fn unspaced_amount(text: &str) -> Option<String> {
    let in_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '百' | '千' | '万' | '萬' | '億' | '亿');
    let numbers = text.match_indices(|c: char| c.is_ascii_digit()).filter_map(|(at, _)| text.get(at..));
    numbers.filter(|_| text.contains(is_unspaced)).find_map(|number| {
        let unit = number.find(|c| !in_number(c))?;
        let currency = CURRENCIES_UNSPACED.iter().find(|currency| number.get(unit..).is_some_and(|rest| rest.starts_with(**currency)))?;
        number.get(..unit + currency.len()).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn factors(text: &str) -> Vec<Factor> {
        importance(text, true, &ImportanceWeights::default()).factors.into_iter().map(|share| share.factor).collect()
    }

    #[test]
    fn words_show_the_factors() {
        use Factor::{Action, Amount, Approval, Decision, Explicit, SmallTalk};
        for (text, expected) in [
            ("Please remember that the port is 8443.", vec![Explicit]),
            ("Can you remember this for me?", vec![Explicit]),
            ("Do you remember that evening?", vec![]),
            ("I remember that evening.", vec![]),
            ("I can't remember that.", vec![]),
            ("We decided to move the release to Monday.", vec![Decision]),
            ("The migration is done.", vec![Action]),
            ("The migration is not done.", vec![]),
            ("The budget is $1,200 a month.", vec![Amount]),
            ("It costs 300 dollars.", vec![Amount]),
            ("Idris approved 1200 EUR.", vec![Amount, Approval]),
            ("Thanks, sounds good!", vec![SmallTalk]),
            ("ok", vec![SmallTalk]),
            ("Good morning! The deploy runs at ten.", vec![]),
            ("There are 14 boats in the harbour.", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(factors(text), expected, "{text:?}");
        }
    }

    #[test]
    fn words_show_the_factors_in_twelve_languages() {
        use Factor::{Action, Amount, Approval, Decision, Explicit, SmallTalk};
        for (text, expected) in [
            ("Bitte merk dir: Tee ohne Milch.", Explicit),
            ("Wir haben uns für Blau entschieden.", Decision),
            ("Die Rechnung ist bezahlt.", Action),
            ("Idris hat den Antrag genehmigt.", Approval),
            ("Das kostet 300 Franken.", Amount),
            ("Vielen Dank, bis morgen!", SmallTalk),
            ("N'oublie pas que Mina est absente.", Explicit),
            ("Nous avons décidé de partir.", Decision),
            ("Le colis est envoyé.", Action),
            ("La demande est refusée.", Approval),
            ("Merci beaucoup, à demain !", SmallTalk),
            ("Atlas, recuerda que Mina no toma leche.", Explicit),
            ("Decidimos esperar al lunes.", Decision),
            ("El informe está enviado.", Action),
            ("Idris aprobó el plan.", Approval),
            ("Cuesta 300 dólares.", Amount),
            ("¡Muchas gracias!", SmallTalk),
            ("Não se esqueça: Mina chega hoje.", Explicit),
            ("A partir de agora usamos o azul.", Decision),
            ("O relatório foi concluído.", Action),
            ("O pedido foi aprovado.", Approval),
            ("Muito obrigada, até logo!", SmallTalk),
            ("Ricordati del tè.", Explicit),
            ("D'ora in poi usiamo il blu.", Decision),
            ("La fattura è pagata.", Action),
            ("La richiesta è stata respinta.", Approval),
            ("Grazie mille!", SmallTalk),
            ("Onthoud dat Mina geen melk drinkt.", Explicit),
            ("We hebben besloten te wachten.", Decision),
            ("De rekening is betaald.", Action),
            ("Het plan is goedgekeurd.", Approval),
            ("Dank je wel, tot straks!", SmallTalk),
            ("Запомни: чай без молока.", Explicit),
            ("Мы решили подождать.", Decision),
            ("Отчёт отправлен, всё готово.", Action),
            ("Идрис одобрил план.", Approval),
            ("Это стоит 300 рублей.", Amount),
            ("Большое спасибо!", SmallTalk),
            ("لا تنس أن مينا لا تشرب الحليب.", Explicit),
            ("قررنا أن ننتظر.", Decision),
            ("تم إرسال التقرير.", Action),
            ("وافق إدريس على الخطة.", Approval),
            ("السعر ٣٠٠ دولار.", Amount),
            ("شكرا جزيلا!", SmallTalk),
            ("यह याद रखें: चाय बिना दूध।", Explicit),
            ("हमने इंतज़ार का निर्णय लिया।", Decision),
            ("काम हो गया।", Action),
            ("योजना मंज़ूर है।", Approval),
            ("कीमत 300 रुपये है।", Amount),
            ("बहुत धन्यवाद!", SmallTalk),
            ("请记住：茶不加奶。", Explicit),
            ("我们决定等到周一。", Decision),
            ("报告已发送。", Action),
            ("计划得到批准。", Approval),
            ("价格是3000元。", Amount),
            ("好的，谢谢！", SmallTalk),
            ("覚えておいて、お茶はミルクなしで。", Explicit),
            ("月曜日まで待つと決めました。", Decision),
            ("報告書を送りました。", Action),
            ("計画は承認された。", Approval),
            ("値段は5万円だ。", Amount),
            ("ありがとうございます！", SmallTalk),
        ] {
            assert_eq!(factors(text), [expected], "{text}");
        }
    }

    #[test]
    fn words_that_look_alike_show_no_factor() {
        for text in [
            "Die Rechnung ist nicht bezahlt.",
            "Ich merke mir das schon.",
            "Le colis n'est pas envoyé.",
            "Vera recuerda que llovió.",
            "El informe no está enviado.",
            "Mina ricorda che pioveva.",
            "A fatura não foi paga.",
            "De rekening is niet betaald.",
            "Ещё не отправлено.",
            "لم يتم إرسال التقرير.",
            "काम नहीं हुआ।",
            "报告还没有发送。",
            "まだ完了していません。",
            "Danke für den Bericht über den Hafen.",
            "お茶が好きです。",
            "一共有14艘船。",
        ] {
            assert_eq!(factors(text), [], "{text}");
        }
    }

    #[test]
    fn factors_add_up_and_name_their_words() {
        let weights = ImportanceWeights::default();
        let both = importance("Mina approved €5,000 for the fair.", true, &weights);
        assert!((both.value - 0.9).abs() < 1e-6, "{both:?}");
        assert_eq!(both.factors.iter().map(|share| share.words.as_str()).collect::<Vec<_>>(), ["€5,000 for", "approved"]);
        assert_eq!(importance("Remember this: tea, no milk.", true, &weights).value, 1.0);
        assert!((importance("Thank you!", true, &weights).value - 0.15).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn it_is_always_between_0_and_1(text in "\\PC{0,80}", base in -3.0_f32..3.0, decision in -3.0_f32..3.0) {
            let weights = ImportanceWeights { base, decision, ..ImportanceWeights::default() };
            prop_assert!((0.0..=1.0).contains(&importance(&text, true, &weights).value));
        }
    }
}
