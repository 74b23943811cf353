use super::{
    api::{LIST, sets},
    words::changes,
};
use crate::ui::{awaited, reading, text};
use leptos::prelude::*;
use wire::{ExpectationRun, ExpectationSetRow};

/// The last runs of all sets in a sentence that leads to them; nothing before the first run.
#[component]
pub fn LastRuns() -> impl IntoView {
    let sets = reading(sets());
    awaited(async move {
        let sets = sets.await.unwrap_or_default();
        summary(&sets).map(|sentence| {
            view! { <p class="mb-4 text-sm" data-testid="last-runs"><a class="underline" href=LIST>"Expectations"</a> ": " {sentence}</p> }
        })
    })
}

fn summary(sets: &[ExpectationSetRow]) -> Option<String> {
    let runs: Vec<&ExpectationRun> = sets.iter().filter_map(|row| row.set.last.as_ref()).collect();
    let (met, counted) = runs.iter().fold((0, 0), |(met, counted), run| (met + run.met, counted + run.counted));
    let (won, lost) = sets.iter().fold((0, 0), |(won, lost), row| (won + row.won, lost + row.lost));
    let number = i64::try_from(runs.len()).unwrap_or(i64::MAX);
    (number > 0).then(|| {
        let sets = text::count(number, "set", "sets");
        format!("{} of {} met in the last run of {sets}; {}.", text::number(met), text::number(counted), changes(won, lost))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use uuid::Uuid;
    use wire::{ExpectationRunId, ExpectationSet, ExpectationSetId, RunCause};

    fn row(met: Option<i64>, lost: i64) -> ExpectationSetRow {
        let run = |met| ExpectationRun {
            id: ExpectationRunId(Uuid::nil()),
            at: DateTime::UNIX_EPOCH,
            cause: RunCause::Changed,
            model: "fake".into(),
            vector_floor: 0.3,
            lexical_floor: 0.3,
            vocabulary_version: 1,
            k: 10,
            expectations: 5,
            counted: 4,
            met,
            recall: None,
            mrr: None,
        };
        let id = ExpectationSetId(Uuid::nil());
        let set = ExpectationSet { id, name: "tea".into(), waiting: false, last: met.map(run), before: None };
        ExpectationSetRow { set, expectations: 5, won: 0, lost }
    }

    #[test]
    fn sets_that_never_ran_are_left_out() {
        assert_eq!(summary(&[row(None, 0)]), None);
        let text = summary(&[row(None, 0), row(Some(3), 1), row(Some(4), 0)]);
        assert_eq!(text.as_deref(), Some("7 of 8 met in the last run of 2 sets; 1 no longer met."));
    }
}
