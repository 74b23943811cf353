//! The numbers of the quality page. For operators.

use super::repeat::{Question, repeated};
use super::store::{self, Period};
use crate::recall::period::Span;
use chrono::{Days, NaiveDate};
use db::{Planned, Tx};
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::BTreeMap;
use verb::verb;
use wire::{BarUnit, Quality, QualityCounts, QualityFilter};

/// Periods, in days.
const PERIODS: [u32; 3] = [7, 30, 90];
/// How far before the period a question may have been asked before.
const BEFORE: Days = Days::new(30);
/// Most questions that are compared, the newest.
const QUESTIONS: i64 = 5000;

/// How agents use memory, by day: what answers use of it, observations and corrections, the growth of profiles, repeated questions. The cost
/// is bounded by the rows of the period and by 5,000 questions.
///
/// # Errors
/// `Forbidden` without the role `viewer`, `Invalid` for a period that is not offered.
#[verb(role = Viewer)]
pub async fn measure(engine: &Engine, ctx: &OpContext, filter: &QualityFilter) -> Result<Quality, Error> {
    let days = filter.days.unwrap_or(30);
    Checks::default().that(PERIODS.contains(&days), "days", "must be one of 7, 30, 90").done()?;
    let now = engine.clock().now();
    let span = Span::last_days(now, days, chrono_tz::Tz::UTC);
    let (first, today) = (span.from.date_naive(), now.date_naive());
    let period = &Period { tenant: ctx.tenant_id, agent: filter.agent_id, since: span.from };
    let before = &Period { since: span.from.checked_sub_days(BEFORE).unwrap_or(span.from), ..*period };
    let mut counts: BTreeMap<NaiveDate, QualityCounts> =
        span.bars(BarUnit::Day).starts.into_iter().map(|from| (from.date_naive(), QualityCounts::default())).collect();

    let read = |mut tx: Tx| async move {
        let (answers, contexts) = (store::answers(&mut tx, period).await?, store::contexts(&mut tx, period).await?);
        let (observations, leaves) = (store::observations(&mut tx, period).await?, store::leaves(&mut tx, period).await?);
        let profiles = store::profiles(&mut tx, period).await?;
        let questions = store::questions(&mut tx, before, QUESTIONS + 1).await?;
        tx.commit().await?;
        Ok::<_, Error>((answers, contexts, observations, leaves, profiles, questions))
    };
    let rows = ctx.read(&engine.db().memory, Planned::ByPostgres, read).await?;
    let (answers, contexts, observations, leaves, profiles, mut questions) = rows;
    for (day, answers, injected, used) in answers {
        let of_day = counts.entry(day).or_default();
        (of_day.answers, of_day.injected, of_day.used) = (answers, injected, used);
    }
    for (day, contexts) in contexts {
        counts.entry(day).or_default().contexts = contexts;
    }
    for (day, observations, corrections) in observations {
        let of_day = counts.entry(day).or_default();
        (of_day.observations, of_day.corrections) = (observations, corrections);
    }
    for (day, leaves) in leaves {
        counts.entry(day).or_default().leaves = leaves;
    }

    let questions_cut = questions.len() as i64 > QUESTIONS;
    questions.truncate(QUESTIONS as usize);
    questions.reverse();
    count_profiles(&mut counts, &profiles);
    count_questions(&mut counts, &questions);
    counts.retain(|day, _| (first..=today).contains(day));
    let mut totals = QualityCounts::default();
    counts.values().for_each(|of_day| totals.add(of_day));
    Ok(Quality { totals, days: counts.into_iter().collect(), questions_cut })
}

/// Adds up the profiles that were made by the end of each day. Those from before the period come without a day.
fn count_profiles(counts: &mut BTreeMap<NaiveDate, QualityCounts>, made: &[(Option<NaiveDate>, i64)]) {
    let mut there: i64 = made.iter().filter(|(day, _)| day.is_none()).map(|(_, profiles)| profiles).sum();
    for (day, of_day) in counts.iter_mut() {
        there += made.iter().filter(|(made, _)| *made == Some(*day)).map(|(_, profiles)| profiles).sum::<i64>();
        of_day.profiles = there;
    }
}

/// Counts the questions, ordered by time, of the days that are counted.
fn count_questions(counts: &mut BTreeMap<NaiveDate, QualityCounts>, questions: &[Question]) {
    for (question, repeats) in questions.iter().zip(repeated(questions)) {
        if let Some(of_day) = counts.get_mut(&question.at.date_naive()) {
            of_day.questions += 1;
            of_day.repeated += i64::from(repeats);
        }
    }
}
