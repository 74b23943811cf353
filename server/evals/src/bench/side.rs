//! One row: the task and its references take turns, round after round.

use super::Target;
use super::caller::{Caller, Limit, Measured, Operation, Reference, Task, slice};
use super::plan::{Compares, Plan, Spec};
use super::report::{Compared, Row};
use super::rounds::{self, Slice, Summary, spread};
use super::work::Work;
use crate::Failure;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Operations of one caller in a slice, at most: what was stored must stay small beside what was loaded.
const READS_MAX: usize = 5_000;
const WRITES_MAX: usize = 25;
const BATCHES_MAX: usize = 2;
/// `select 1` of a slice, at most.
const FLOOR_MAX: usize = 100;
/// Connections of a reference, at most: more than there are cores do not make Postgres faster.
const CONNECTIONS_MAX: usize = 8;
/// Operations of each caller before the first round: statements are prepared and pages are read by then. They do not count.
const WARM_UP: usize = 2;

/// Measures a row: in each round each reference, and then the task.
///
/// # Errors
/// When a connection breaks.
pub async fn row(target: &Target, plan: &Plan, agents: &[Arc<Measured>], spec: &Spec) -> Result<Row, Failure> {
    let (of, beside) = (&agents[spec.of], &agents[spec.beside]);
    let mut ours = Side::new(target, plan, of, (spec.task, spec.clients)).await?;
    let mut floor = Side::new(target, plan, of, (Task::Reference(Reference::One), 1)).await?;
    let mut references = Vec::new();
    for task in &spec.references {
        references.push((*task, Side::new(target, plan, beside, (*task, spec.clients)).await?));
    }
    // The first recalls of an agent fill the recall cache in the background.
    target.engine.finish_deferred().await;
    for _ in 0..plan.rounds {
        floor.turn().await?;
        for (_, reference) in &mut references {
            reference.turn().await?;
        }
        match spec.work {
            None => ours.turn().await?,
            Some(work) => ours.turn_beside(work, target, of).await?,
        }
    }
    Ok(compared(
        spec,
        (of, beside),
        &ours.slices,
        &floor.slices,
        &references.into_iter().map(|(task, side)| (task, side.slices)).collect::<Vec<_>>(),
    ))
}

/// The row of what was measured.
fn compared(spec: &Spec, (of, beside): (&Measured, &Measured), ours: &[Slice], floor: &[Slice], references: &[(Task, Vec<Slice>)]) -> Row {
    let value: fn(&Slice) -> f64 = if spec.compares.rates() { Slice::rate } else { Slice::p50 };
    // A refusal is fast: nothing is compared with it.
    let refused = ours.iter().chain(references.iter().flat_map(|(_, slices)| slices)).any(|slice| slice.failed > 0);
    let values = |slices: &[Slice], value: fn(&Slice) -> f64| slices.iter().map(value).collect::<Vec<_>>();
    let each = |value: fn(&Slice) -> f64| references.iter().map(|(_, slices)| values(slices, value)).collect::<Vec<_>>();
    let rounds = each(value);
    let steady = !refused && !rounds.is_empty() && rounds.iter().all(|rounds| spread(rounds) <= rounds::SPREAD_MAX);
    let ratio = |value| rounds::ratio(&values(ours, value), &each(value)) * texts(spec);
    let latency = spec.compares == Compares::Latency;
    let name = |task: Task| if spec.compares == Compares::Growth { format!("{} among {}", task.name(), beside.size) } else { task.name() };
    let summarised = |((task, slices), rounds): (&(Task, Vec<Slice>), &Vec<f64>)| Compared {
        name: name(*task),
        summary: Summary::of(slices),
        spread: Some(spread(rounds)).filter(|spread| spread.is_finite()),
    };
    Row {
        name: spec.task.name(),
        task: spec.task,
        memories: of.size,
        clients: spec.clients,
        compares: spec.compares,
        work: spec.work,
        summary: Summary::of(ours),
        select_1: Summary::of(floor),
        ratio: steady.then(|| ratio(value)),
        ratio_p95: (steady && !spec.compares.rates()).then(|| ratio(Slice::p95)),
        rest_ms: (steady && latency).then(|| rounds::rest(&values(ours, value), &rounds)),
        above: (steady && latency && rounds.len() > 1).then(|| rounds::above(&values(ours, value), &rounds)),
        discarded: !steady && !rounds.is_empty() || refused,
        references: references.iter().zip(&rounds).map(summarised).collect(),
    }
}

/// How many texts each operation has for one of its reference, where texts are compared.
fn texts(spec: &Spec) -> f64 {
    match (spec.compares, spec.task) {
        (Compares::Texts, Task::Reference(Reference::Memories(many))) => many as f64,
        _ => 1.0,
    }
}

/// One side of a comparison, and what it did so far.
struct Side {
    callers: Vec<Caller>,
    slices: Vec<Slice>,
    limit: Limit,
}

impl Side {
    /// Callers of a task, connected and warm.
    async fn new(target: &Target, plan: &Plan, of: &Arc<Measured>, (task, clients): (Task, usize)) -> Result<Self, Failure> {
        let length = Duration::from_secs(plan.seconds) / plan.rounds.max(1);
        let limit = Limit { length, most: plan.most.min(most(task, clients)) };
        let number = if matches!(task, Task::Ask(..)) { clients } else { clients.min(CONNECTIONS_MAX) };
        let mut callers = Vec::new();
        for _ in 0..number {
            callers.push(Caller::new(target, of, task).await?);
        }
        let warm_up = Limit { most: WARM_UP.min(limit.most), ..limit };
        Ok(Self { callers: slice(callers, warm_up).await?.0, slices: Vec::new(), limit })
    }

    /// Works for a slice.
    async fn turn(&mut self) -> Result<(), Failure> {
        let (callers, done) = slice(std::mem::take(&mut self.callers), self.limit).await?;
        self.callers = callers;
        self.slices.push(done);
        Ok(())
    }

    /// The same while the server has other work, which is finished afterwards.
    async fn turn_beside(&mut self, work: Work, target: &Target, of: &Arc<Measured>) -> Result<(), Failure> {
        let stop = CancellationToken::new();
        let (target, of, stopped) = (target.clone(), Arc::clone(of), stop.clone());
        let working = AbortOnDropHandle::new(tokio::spawn(async move { work.repeat(&target, &of, &stopped).await }));
        let done = self.turn().await;
        stop.cancel();
        working.await??;
        done
    }
}

/// Operations of one of several clients in a slice, at most.
fn most(task: Task, clients: usize) -> usize {
    match task {
        Task::Ask(Operation::Batch, _) => BATCHES_MAX,
        Task::Ask(operation, _) if operation.writes() => (WRITES_MAX / clients.max(1)).max(1),
        Task::Reference(Reference::One) => FLOOR_MAX,
        _ => READS_MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::store::Reach;
    use uuid::Uuid;

    fn agent(size: usize) -> Measured {
        let reach = Reach { tenant: Uuid::nil(), agents: vec![], model: "all-MiniLM-L6-v2".into() };
        Measured { size, key: String::new(), reach, asked: vec![] }
    }

    /// Rounds of one operation each.
    fn rounds(times: [f64; 4]) -> Vec<Slice> {
        times.into_iter().map(|time| Slice { times: vec![time], seconds: time / 1000.0, failed: 0 }).collect()
    }

    #[test]
    fn what_writes_stores_little() {
        let remember = Task::Ask(Operation::Remember, true);
        assert_eq!([1, 4, 64].map(|clients| most(remember, clients)), [25, 6, 1]);
        assert_eq!((most(Task::Ask(Operation::Batch, true), 1), most(Task::Ask(Operation::Recall, true), 64)), (2, READS_MAX));
    }

    #[test]
    fn a_remember_is_compared_above_its_embedding() {
        let plan =
            Plan { sizes: vec![1_000], agents: 0, clients: vec![], chunks: 0, seconds: 1, rounds: 4, quick: false, most: 1, peer: None };
        let remember = plan.specs().into_iter().find(|spec| spec.task == Task::Ask(Operation::Remember, true)).unwrap();
        let of = agent(1_000);
        let references: Vec<_> = remember.references.iter().copied().zip([rounds([8.0; 4]), rounds([2.0; 4])]).collect();
        let row = compared(&remember, (&of, &of), &rounds([11.0, 11.0, 11.0, 11.0]), &[], &references);
        assert_eq!((row.above, row.rest_ms, row.ratio), (Some(1.5), Some(1.0), Some(1.1)));
        let mut wide = references.clone();
        wide[1].1 = rounds([2.0, 4.0, 2.0, 4.0]);
        let discarded = compared(&remember, (&of, &of), &rounds([11.0; 4]), &[], &wide);
        assert!(discarded.discarded && discarded.ratio.is_none() && discarded.above.is_none());
    }

    #[test]
    fn batches_are_compared_by_their_texts() {
        let plan =
            Plan { sizes: vec![1_000], agents: 0, clients: vec![], chunks: 0, seconds: 1, rounds: 4, quick: false, most: 1, peer: None };
        let texts = plan.specs().into_iter().find(|spec| spec.compares == Compares::Texts).unwrap();
        let (of, single) = (agent(1_000), vec![(texts.references[0], rounds([4.0; 4]))]);
        let row = compared(&texts, (&of, &of), &rounds([64.0; 4]), &[], &single);
        assert_eq!(row.ratio, Some(2.0));
    }
}
