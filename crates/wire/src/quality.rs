//! Quality: what answers use of the contexts that were assembled for them, and numbers of profiles and questions by day.

use super::{AgentId, ContextId, MemoryId, UserRef};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// Longest answer that is reported, in bytes.
pub const ANSWER_MAX: usize = 64 * 1024;

/// Body of `POST /api/context/{id}/answer`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(extend("examples" = [{ "text": "We deploy on Fridays, so please merge by Thursday." }]))]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    /// What your model answered to the prompt. It is compared and not stored.
    ///
    /// 1 byte to 64 KiB.
    #[schemars(length(min = 1))]
    pub text: String,
    /// The person you are talking to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserRef>,
}

/// Answer of `POST /api/context/{id}/answer`: which memories of the context the reported answer uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnswerUse {
    pub context_id: ContextId,
    /// Memories in the context that can still be read.
    pub injected: i64,
    /// The memories that the answer uses: it has at least half of their words.
    pub used: Vec<MemoryId>,
}

/// Which days the quality page counts, and of which agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QualityFilter {
    /// 7, 30 or 90; 30 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Counts of one day, or of all days of a period together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityCounts {
    /// Answers that were reported.
    pub answers: i64,
    /// Memories in the contexts of these answers, and those that the answers use.
    pub injected: i64,
    pub used: i64,
    /// Contexts that were assembled.
    pub contexts: i64,
    /// Observations that agents recorded, and those that correct an earlier one.
    pub observations: i64,
    pub corrections: i64,
    /// Values of structured profiles that were seen for the first time and are still shown.
    pub leaves: i64,
    /// Profiles at the end of the day; of a period, the sum over its days.
    pub profiles: i64,
    /// Questions, and those that repeat an earlier one.
    pub questions: i64,
    pub repeated: i64,
}

/// A part of a whole, or what there is for each of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    pub part: i64,
    pub whole: i64,
}

impl Ratio {
    /// The part divided by the whole; nothing without a whole.
    pub fn value(self) -> Option<f64> {
        (self.whole > 0).then(|| self.part as f64 / self.whole as f64)
    }
}

impl QualityCounts {
    /// The share of injected memories that answers use.
    pub fn utilisation(&self) -> Ratio {
        Ratio { part: self.used, whole: self.injected }
    }

    /// Observations for each assembled context.
    pub fn observation_rate(&self) -> Ratio {
        Ratio { part: self.observations, whole: self.contexts }
    }

    /// New values of a profile in a day.
    pub fn growth(&self) -> Ratio {
        Ratio { part: self.leaves, whole: self.profiles }
    }

    /// The share of observations that correct an earlier one.
    pub fn correction_rate(&self) -> Ratio {
        Ratio { part: self.corrections, whole: self.observations }
    }

    /// The share of questions that repeat an earlier one.
    pub fn repeat_rate(&self) -> Ratio {
        Ratio { part: self.repeated, whole: self.questions }
    }

    /// A ratio over several days. A day without the whole has no ratio, so its part does not count either: the ratio of a period is never
    /// above that of its highest day.
    pub fn over<'a>(days: impl IntoIterator<Item = &'a Self>, ratio: fn(&Self) -> Ratio) -> Ratio {
        days.into_iter()
            .map(ratio)
            .filter(|day| day.whole > 0)
            .fold(Ratio::default(), |sum, day| Ratio { part: sum.part + day.part, whole: sum.whole + day.whole })
    }

    /// Adds the counts of another day.
    pub fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        self.injected += other.injected;
        self.used += other.used;
        self.contexts += other.contexts;
        self.observations += other.observations;
        self.corrections += other.corrections;
        self.leaves += other.leaves;
        self.profiles += other.profiles;
        self.questions += other.questions;
        self.repeated += other.repeated;
    }
}

/// How memory works for the people it is about, over a period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    pub totals: QualityCounts,
    /// One entry per day (UTC), oldest first, without gaps.
    pub days: Vec<(NaiveDate, QualityCounts)>,
    /// True: there were more questions than are compared, and the oldest are left out.
    pub questions_cut: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_a_period_is_not_above_its_highest_day() {
        // Observations on a day without a context: dividing all of them by all contexts gives 6.5.
        let days = [(9, 0), (4, 2), (1, 2)].map(|(observations, contexts)| QualityCounts { observations, contexts, ..Default::default() });
        let rate = |counts: &QualityCounts| counts.observation_rate().value();
        assert_eq!(days.each_ref().map(rate), [None, Some(2.0), Some(0.5)]);
        let over = QualityCounts::over(&days, QualityCounts::observation_rate);
        assert_eq!((over, over.value()), (Ratio { part: 5, whole: 4 }, Some(1.25)));
        assert_eq!(QualityCounts::over(&days[..1], QualityCounts::observation_rate).value(), None);
    }
}
