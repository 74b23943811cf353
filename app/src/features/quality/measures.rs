use crate::ui::{Tone, chart::percent, text};
use chrono::NaiveDate;
use wire::{QualityCounts, Ratio};

/// Fewer cases than this say little about an agent: one more or less changes the number by five per cent.
const LEAST: i64 = 20;

/// The counts of a day.
pub type Day = (NaiveDate, QualityCounts);

/// One number of the page.
pub struct Measure {
    /// The name of its section in the document.
    pub id: &'static str,
    pub title: &'static str,
    /// What it is, in a sentence.
    pub meaning: &'static str,
    /// What makes it appear.
    pub missing: &'static str,
    pub ratio: fn(&QualityCounts) -> Ratio,
    /// The part in words, for what is left out.
    pub parts: (&'static str, &'static str),
    /// One of the whole, for "on days without …".
    pub one: &'static str,
    /// How the value reads.
    pub shown: fn(f64) -> String,
    /// Part and whole in words. The counts are sums over the days that have a value.
    pub counts: fn(Ratio, &QualityCounts) -> String,
    pub good: Good,
    /// What to do about a value that is not good.
    pub advice: &'static str,
}

/// Which values are good: rules of thumb.
#[derive(Clone, Copy)]
pub enum Good {
    AtLeast(f64),
    AtMost(f64),
    /// In the newer half of the period it is no higher than in the older one. Each half has enough cases.
    NotRising,
}

/// How a value compares with what is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Good,
    Poor,
    /// It says too little.
    TooFew,
}

impl Verdict {
    /// The colour and the words of its badge.
    pub fn badge(self) -> (Tone, &'static str) {
        match self {
            Self::Good => (Tone::Good, "good"),
            Self::Poor => (Tone::Warn, "needs attention"),
            Self::TooFew => (Tone::Plain, "too few to judge"),
        }
    }
}

impl Measure {
    /// The value of a day, if it has one.
    pub fn value(&self, counts: &QualityCounts) -> Option<f64> {
        (self.ratio)(counts).value()
    }

    /// The ratio over several days.
    pub fn over(&self, days: &[Day]) -> Ratio {
        QualityCounts::over(days.iter().map(|(_, counts)| counts), self.ratio)
    }

    /// The sums over the days that have a value.
    pub fn totals(&self, days: &[Day]) -> QualityCounts {
        let mut totals = QualityCounts::default();
        days.iter().filter(|(_, counts)| self.value(counts).is_some()).for_each(|(_, counts)| totals.add(counts));
        totals
    }

    /// What is good, in words.
    pub fn target(&self) -> String {
        match self.good {
            Good::AtLeast(least) => format!("at least {}", (self.shown)(least)),
            Good::AtMost(most) => format!("at most {}", (self.shown)(most)),
            Good::NotRising => "no higher in the newer half of the period than in the older one".to_owned(),
        }
    }

    /// How the value of these days compares with what is good.
    pub fn verdict(&self, days: &[Day]) -> Verdict {
        let value = |days: &[Day]| Some(self.over(days)).filter(|ratio| ratio.whole >= LEAST).and_then(Ratio::value);
        let (older, newer) = days.split_at(days.len() / 2);
        let good = match self.good {
            Good::AtLeast(least) => value(days).map(|value| value >= least),
            Good::AtMost(most) => value(days).map(|value| value <= most),
            Good::NotRising => value(older).zip(value(newer)).map(|(older, newer)| newer <= older),
        };
        match good {
            Some(true) => Verdict::Good,
            Some(false) => Verdict::Poor,
            None => Verdict::TooFew,
        }
    }

    /// What happened on days that have no value, in a sentence: it is not part of the number.
    pub fn left_out(&self, days: &[Day]) -> Option<String> {
        let all: i64 = days.iter().map(|(_, counts)| (self.ratio)(counts).part).sum();
        let left = all - self.over(days).part;
        let (one, many) = self.parts;
        (left > 0).then(|| format!("Not counted: {} on days without {}.", text::count(left, one, many), self.one))
    }
}

/// The numbers of the page, in their order.
pub const MEASURES: [Measure; 5] = [
    Measure {
        id: "utilisation",
        title: "Context utilisation",
        meaning: "Share of the memories in a prompt that the agent's answer uses.",
        missing: "Agents report their answers with POST /api/context/{id}/answer.",
        ratio: QualityCounts::utilisation,
        parts: ("used memory", "used memories"),
        one: "a reported answer",
        shown: percent,
        counts: |ratio, c| {
            let answers = text::count(c.answers, "answer", "answers");
            format!("{} of {} used, {answers} reported", text::number(ratio.part), text::count(ratio.whole, "memory", "memories"))
        },
        good: Good::AtLeast(0.2),
        advice: "If it is lower, prompts hold memories that are not needed: assemble with a smaller budget, and delete what is out of date.",
    },
    Measure {
        id: "observations",
        title: "Observation rate",
        meaning: "Observations for each assembled context.",
        missing: "Agents assemble contexts with assemble_context and record observations with record_observation.",
        ratio: QualityCounts::observation_rate,
        parts: ("observation", "observations"),
        one: "a context",
        shown: decimal,
        counts: |ratio, _| {
            let observations = text::count(ratio.part, "observation", "observations");
            format!("{observations}, {}", text::count(ratio.whole, "context", "contexts"))
        },
        good: Good::AtLeast(0.1),
        advice: "If it is lower, agents learn little from their conversations: check that their instructions name record_observation.",
    },
    Measure {
        id: "growth",
        title: "Profile growth",
        meaning: "New values of a profile in a day. It falls as agents get to know a person.",
        missing: "A profile appears with the first observation about a person.",
        ratio: QualityCounts::growth,
        parts: ("new value", "new values"),
        one: "a profile",
        shown: decimal,
        counts: |ratio, _| {
            let days = text::count(ratio.whole, "day of a profile", "days of profiles");
            format!("{} in {days}", text::count(ratio.part, "new value", "new values"))
        },
        good: Good::NotRising,
        advice: "If it rises, agents meet new people, or store the same thing again in other words: look at the newest entries on the page People.",
    },
    Measure {
        id: "corrections",
        title: "Correction rate",
        meaning: "Share of observations that correct an earlier one. It falls as profiles become accurate.",
        missing: "Agents record corrections with record_observation.",
        ratio: QualityCounts::correction_rate,
        parts: ("correction", "corrections"),
        one: "an observation",
        shown: percent,
        counts: |ratio, _| {
            let observations = text::count(ratio.whole, "observation", "observations");
            format!("{} of {observations}", text::number(ratio.part))
        },
        good: Good::AtMost(0.1),
        advice: "If it is higher, profiles are often wrong: find out on the page People which entries are corrected, and from which sentences they come.",
    },
    Measure {
        id: "repeats",
        title: "Repeated questions",
        meaning: "Share of questions that the agent asked for the same person in the 30 days before, in nearly the same words.",
        missing: "Recalls and assembled contexts count as questions.",
        ratio: QualityCounts::repeat_rate,
        parts: ("repeated question", "repeated questions"),
        one: "a question",
        shown: percent,
        counts: |ratio, _| format!("{} of {}", text::number(ratio.part), text::count(ratio.whole, "question", "questions")),
        good: Good::AtMost(0.2),
        advice: "If it is higher, agents look up again what they could know: find these questions on the page Recalls, and see whether they found an answer.",
    },
];

/// A number with one decimal, or two below one.
fn decimal(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value if value < 1.0 => format!("{value:.2}"),
        value => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(of: &[QualityCounts]) -> Vec<Day> {
        of.iter().map(|counts| (NaiveDate::default(), *counts)).collect()
    }

    #[test]
    fn a_number_is_judged_by_its_own_days() {
        let observed = |observations, contexts| QualityCounts { observations, contexts, ..QualityCounts::default() };
        let [utilisation, rate, growth, corrections, _] = &MEASURES;
        // All observations for all contexts would be good.
        let quiet = days(&[observed(50, 0), observed(1, 40)]);
        assert_eq!((rate.verdict(&quiet), rate.target().as_str()), (Verdict::Poor, "at least 0.10"));
        assert_eq!(rate.left_out(&quiet).as_deref(), Some("Not counted: 50 observations on days without a context."));
        assert_eq!((rate.verdict(&days(&[observed(4, 40)])), rate.left_out(&days(&[observed(4, 40)]))), (Verdict::Good, None));
        assert_eq!(rate.verdict(&days(&[observed(19, 19)])), Verdict::TooFew);
        assert_eq!(rate.verdict(&days(&[observed(30, 0)])), Verdict::TooFew, "no value");

        // An answer to a context without memories says nothing about their use.
        let answered = |answers, injected| QualityCounts { answers, injected, used: injected, ..QualityCounts::default() };
        let answers = days(&[answered(7, 0), answered(2, 30)]);
        assert_eq!(
            (utilisation.counts)(utilisation.over(&answers), &utilisation.totals(&answers)),
            "30 of 30 memories used, 2 answers reported"
        );

        let grown = |leaves| QualityCounts { leaves, profiles: 20, ..QualityCounts::default() };
        assert_eq!(growth.verdict(&days(&[grown(9), grown(3)])), Verdict::Good);
        assert_eq!(growth.verdict(&days(&[grown(3), grown(9)])), Verdict::Poor, "the mean is the same");
        let since_today = QualityCounts { leaves: 9, profiles: 30, ..QualityCounts::default() };
        assert_eq!(growth.verdict(&days(&[QualityCounts::default(), since_today])), Verdict::TooFew, "no older half");
        let one = QualityCounts { leaves: 9, profiles: 1, ..QualityCounts::default() };
        assert_eq!(growth.verdict(&days(&[one, since_today])), Verdict::TooFew, "one profile is no half");

        let corrected = |corrections| QualityCounts { corrections, observations: 100, ..QualityCounts::default() };
        assert_eq!(corrections.verdict(&days(&[corrected(10)])), Verdict::Good);
        assert_eq!(corrections.verdict(&days(&[corrected(11)])), Verdict::Poor);
    }
}
