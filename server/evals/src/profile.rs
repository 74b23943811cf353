//! `remembrancer eval profile`: records the observations of people as agents would, and compares the profiles with what is known about them.

pub mod scores;

use crate::agents::{agent, work};
use crate::file_clock::FileClock;
use crate::{Failure, bar};
use chrono::{DateTime, Utc};
use db::clock::Clock;
use foundation::usage::Payer;
use foundation::{Engine, OpContext, identity};
use remembrancer::capture;
use remembrancer::profile::{self, Verdict};
use scores::{Accuracy, Counts, Label, median};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result as Formatted};
use std::sync::Arc;
use uuid::Uuid;
use wire::{CapturePolicy, ObservationCategory, ObservationRequest, ProfileRequest, ProfileResponse, UserContextRequest};

/// A line of the file. Observations are recorded in the order of the file, which is that of time.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// What an agent observed.
    Observation { person: String, text: String, category: ObservationCategory, at: Option<DateTime<Utc>>, session: Option<Uuid> },
    /// New values of keys of the profile.
    Update { person: String, values: Map<String, Value>, at: Option<DateTime<Utc>>, session: Option<Uuid> },
    /// What the profile should have at a path, and what it must not have.
    Leaf {
        person: String,
        #[serde(default)]
        path: Vec<String>,
        #[serde(default)]
        values: Vec<String>,
        #[serde(default)]
        never: Vec<String>,
    },
}

impl Line {
    fn person(&self) -> &str {
        match self {
            Self::Observation { person, .. } | Self::Update { person, .. } | Self::Leaf { person, .. } => person,
        }
    }
}

/// How one profile did.
#[derive(Serialize)]
pub struct Outcome {
    pub person: String,
    pub observations: usize,
    /// Observations until half of the labels with values were met; none if they never were.
    pub converged: Option<usize>,
    /// Words of the working memory.
    pub words: usize,
    /// The chat model's grades of the working memory.
    pub verdict: Option<Verdict>,
    /// Why there are none.
    pub not_judged: Option<String>,
}

/// The result for a file.
#[derive(Serialize)]
pub struct Report {
    pub people: Vec<Outcome>,
    pub accuracy: Accuracy,
}

/// Records the observations of each person for an agent of their own, and compares the profiles with the labels.
///
/// # Errors
/// When an observation is refused, or the database is out of reach.
pub async fn evaluate(engine: &Engine, lines: &[Line]) -> Result<Report, Failure> {
    let clock = Arc::new(FileClock::new(engine.clock().now()));
    let engine = &engine.with_clock(Arc::<FileClock>::clone(&clock));
    let tenant = identity::create_tenant(engine, "eval", "Evaluation").await?;
    let policy = CapturePolicy { outside_models: engine.chat().is_some(), ..CapturePolicy::default() };
    identity::set_policy(engine, &tenant, policy).await?;
    let mut people: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        people.entry(line.person()).or_default().push(line);
    }
    let bar = bar(people.len(), "people")?;
    let mut report = Report { people: Vec::new(), accuracy: Accuracy::default() };
    for (number, (person, lines)) in people.into_iter().enumerate() {
        let ctx = agent(engine, &tenant, number).await?;
        let (outcome, accuracy) = observe(engine, &clock, &ctx, person, &lines).await?;
        report.people.push(outcome);
        report.accuracy.add(&accuracy);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(report)
}

/// Records the observations of one person, each followed by the work that it causes.
async fn observe(
    engine: &Engine,
    clock: &FileClock,
    ctx: &OpContext,
    person: &str,
    lines: &[&Line],
) -> Result<(Outcome, Accuracy), Failure> {
    let labels: Vec<Label> = lines.iter().filter_map(|line| label(line)).collect();
    let wanted = labels.iter().filter(|label| !label.values.is_empty()).count();
    let (mut observed, mut converged) = (Vec::new(), None);
    for line in lines {
        let Some(observation) = record(engine, clock, ctx, line).await? else { continue };
        observed.push(observation);
        work(engine).await?;
        if converged.is_none() && wanted > 0 {
            let known = known(engine, ctx).await?;
            let met = labels.iter().filter(|label| label.is_met(&known.leaves)).count();
            converged = (2 * met >= wanted).then_some(observed.len());
        }
    }
    let known = known(engine, ctx).await?;
    let (verdict, not_judged) = judge(engine, ctx, &known.working_memory, &observed).await?;
    let words = known.working_memory.split_whitespace().count();
    let outcome = Outcome { person: person.to_owned(), observations: observed.len(), converged, words, verdict, not_judged };
    Ok((outcome, Accuracy::of(&known.leaves, &labels)))
}

fn label(line: &Line) -> Option<Label> {
    match line {
        Line::Leaf { path, values, never, .. } => Some(Label { path: path.clone(), values: values.clone(), never: never.clone() }),
        Line::Observation { .. } | Line::Update { .. } => None,
    }
}

/// Records one line at its time; what a judge reads of it. Nothing for a label.
async fn record(
    engine: &Engine,
    clock: &FileClock,
    ctx: &OpContext,
    line: &Line,
) -> Result<Option<(DateTime<Utc>, String, String)>, Failure> {
    match line {
        Line::Observation { text, category, at, session, .. } => {
            clock.set(*at);
            let (content, category, session_id) = (text.clone(), *category, *session);
            let request =
                ObservationRequest { role: None, content, category, session_id, connection_id: None, user_id: None, commons: false };
            capture::record_observation(engine, ctx, request).await?;
            Ok(Some((clock.now(), category.to_string(), text.clone())))
        }
        Line::Update { values, at, session, .. } => {
            clock.set(*at);
            let (scaffold_updates, session_id) = (values.clone(), *session);
            let request =
                UserContextRequest { scaffold_updates, persistent_info_additions: vec![], session_id, user_id: None, commons: false };
            capture::update_user_context(engine, ctx, request).await?;
            Ok(Some((clock.now(), "scaffold_update".into(), Value::Object(values.clone()).to_string())))
        }
        Line::Leaf { .. } => Ok(None),
    }
}

async fn known(engine: &Engine, ctx: &OpContext) -> Result<ProfileResponse, Failure> {
    Ok(profile::get(engine, ctx, ProfileRequest::default()).await?)
}

/// The grades of a working memory, or why there are none.
async fn judge(
    engine: &Engine,
    ctx: &OpContext,
    working_memory: &str,
    observed: &[(DateTime<Utc>, String, String)],
) -> Result<(Option<Verdict>, Option<String>), Failure> {
    if engine.chat().is_none() {
        return Ok((None, Some("no chat model".into())));
    }
    let payer = Payer::of(ctx, ctx.agent_id()?, None);
    match profile::judge(engine, payer, working_memory, observed).await {
        Ok(verdict) => Ok((Some(verdict), None)),
        Err(error) => Ok((None, Some(error.to_string()))),
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        let Self { people, accuracy } = self;
        let observations: usize = people.iter().map(|one| one.observations).sum();
        writeln!(f, "{} people, {observations} observations\n", people.len())?;
        writeln!(
            f,
            "{:<20} {:>6} {:>6} {:>6} {:>6} {:>10} {:>7} {:>6}",
            "key", "values", "right", "labels", "met", "precision", "recall", "F1"
        )?;
        let total = accuracy.total();
        let keys = accuracy.keys.iter().map(|(key, counts)| (key.as_str(), counts));
        for (key, counts) in keys.chain([("all", &total)]) {
            let Counts { leaves, right, labels, met } = counts;
            let (precision, recall, f1) = (counts.precision(), counts.recall(), counts.f1());
            writeln!(f, "{key:<20} {leaves:>6} {right:>6} {labels:>6} {met:>6} {precision:>10.3} {recall:>7.3} {f1:>6.3}")?;
        }
        writeln!(f, "\nlabels met at any path: {} of {}", accuracy.met_anywhere, total.labels)?;
        writeln!(f, "stale values: {} of {} that a correction replaced", accuracy.stale, accuracy.replaced)?;
        writeln!(f, "values that no profile should have: {} of {}", accuracy.leaked, accuracy.forbidden)?;
        writeln!(f, "disputed values: {}\n", accuracy.disputed)?;
        writeln!(f, "{:<20} {:>12} {:>24} {:>16}", "person", "observations", "until half of the labels", "narrative, words")?;
        for one in people {
            let converged = one.converged.map_or_else(|| "never".into(), |converged| converged.to_string());
            writeln!(f, "{:<20} {:>12} {converged:>24} {:>16}", one.person, one.observations, one.words)?;
        }
        let reached: Vec<usize> = people.iter().filter_map(|one| one.converged).collect();
        let many = reached.len();
        let half = median(reached).map_or_else(|| "never".into(), |half| format!("{half} observations"));
        writeln!(f, "median until half of the labels: {half} ({many} of {} people)\n", people.len())?;
        self.grades(f)
    }
}

impl Report {
    fn grades(&self, f: &mut Formatter<'_>) -> Formatted {
        let verdicts: Vec<Verdict> = self.people.iter().filter_map(|one| one.verdict).collect();
        if !verdicts.is_empty() {
            let mean = |grade: fn(&Verdict) -> u8| verdicts.iter().map(|one| f64::from(grade(one))).sum::<f64>() / verdicts.len() as f64;
            let (complete, concise, recent) = (mean(|one| one.completeness), mean(|one| one.conciseness), mean(|one| one.recency));
            let many = verdicts.len();
            writeln!(f, "narratives, 1 to 5: completeness {complete:.1}, conciseness {concise:.1}, recency {recent:.1} ({many} judged)")?;
        }
        let mut reasons: Vec<&str> = self.people.iter().filter_map(|one| one.not_judged.as_deref()).collect();
        reasons.dedup();
        reasons.iter().try_for_each(|reason| writeln!(f, "narratives: not judged: {reason}"))
    }
}
