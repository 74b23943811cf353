//! The bars: what this server should reach, and what a run says about each. Pure.

use super::caller::{BATCH, CALL, Operation, Task};
use super::peer;
use super::plan::Compares;
use super::report::{Report, Row};
use super::work::Work;
use serde::Serialize;

const MIB: f64 = 1024.0 * 1024.0;

/// On which side of its limit a figure should be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

/// What a run says about a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Reached,
    Missed,
    /// A reference spread by more than a quarter, or the server refused something.
    Discarded,
    /// The run had no such agent, no such number of clients or no peer.
    NotMeasured,
}

/// One bar.
#[derive(Clone, Debug, Serialize)]
pub struct Bar {
    pub name: String,
    pub limit: Limit,
    pub unit: &'static str,
    pub measured: Option<f64>,
    pub outcome: Outcome,
}

impl Bar {
    /// Of a figure that a run has, or has not measured.
    fn of(name: impl Into<String>, limit: Limit, unit: &'static str, measured: Option<f64>) -> Self {
        let reached = |value: f64| match limit {
            Limit::AtMost(most) => value <= most,
            Limit::AtLeast(least) => value >= least,
        };
        let outcome = match measured {
            None => Outcome::NotMeasured,
            Some(value) if reached(value) => Outcome::Reached,
            Some(_) => Outcome::Missed,
        };
        Self { name: name.into(), limit, unit, measured, outcome }
    }

    /// Of a figure of a row, which may be discarded.
    fn of_row(name: impl Into<String>, limit: Limit, unit: &'static str, row: Option<&Row>, value: impl Fn(&Row) -> Option<f64>) -> Self {
        let discarded = row.is_some_and(|row| row.discarded);
        let bar = Self::of(name, limit, unit, row.filter(|row| !row.discarded).and_then(value));
        if discarded { Self { outcome: Outcome::Discarded, ..bar } } else { bar }
    }

    /// The limit in words.
    pub fn wanted(&self) -> String {
        let (side, value) = match self.limit {
            Limit::AtMost(most) => ("≤", most),
            Limit::AtLeast(least) => ("≥", least),
        };
        format!("{side} {value} {}", self.unit)
    }

    /// What was measured, in words.
    pub fn result(&self) -> String {
        self.measured.map_or_else(|| "–".into(), |value| if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") })
    }

    /// The outcome in words.
    pub fn verdict(&self) -> &'static str {
        match self.outcome {
            Outcome::Reached => "reached",
            Outcome::Missed => "missed",
            Outcome::Discarded => "discarded",
            Outcome::NotMeasured => "not measured",
        }
    }
}

/// Every bar, with what a run says about it.
pub fn bars(report: &Report) -> Vec<Bar> {
    let parts = [recall, growth, load, writes, console_and_documents, process, peers, model];
    parts.into_iter().flat_map(|part| part(report)).collect()
}

const RATIO: &str = "×";
const MS: &str = "ms";

/// The row of a task of an agent with so many memories.
fn row(report: &Report, compares: Compares, task: Task, memories: usize) -> Option<&Row> {
    report.rows.iter().find(|row| row.compares == compares && row.task == task && row.memories == memories)
}

/// The p95 of a row itself, in milliseconds; absent if the server refused something, because a refusal is fast.
fn p95(row: Option<&Row>) -> Option<f64> {
    row.filter(|row| row.summary.failed == 0).map(|row| row.summary.p95_ms)
}

/// A recall by one client.
fn recall(report: &Report) -> Vec<Bar> {
    let embedding = Task::Ask(Operation::Recall, true);
    let at = |size: usize| {
        let row = row(report, Compares::Latency, embedding, size);
        let name = |what: &str| format!("recall at {size}, {what}");
        [
            Bar::of_row(name("÷ (embedding + rows by id)"), Limit::AtMost(1.25), RATIO, row, |row| row.ratio),
            Bar::of_row(name("all besides these two, p50"), Limit::AtMost(1.0), MS, row, |row| row.rest_ms),
        ]
    };
    [1_000, 10_000].into_iter().flat_map(at).collect()
}

/// A recall as the memory grows. Every word of the questions is in a large part of the memories.
fn growth(report: &Report) -> Vec<Bar> {
    let known = Task::Ask(Operation::Recall, false);
    let ratio = |few: usize, many: usize, most: f64| {
        let reference = |row: &&Row| row.references.iter().any(|reference| reference.name.ends_with(&format!(" among {few}")));
        let row = row(report, Compares::Growth, known, many).filter(reference);
        Bar::of_row(format!("recall at {many} ÷ at {few}, p50"), Limit::AtMost(most), RATIO, row, |row| row.ratio)
    };
    let slowest = |size: usize, most: f64| {
        let p95 = p95(row(report, Compares::Latency, known, size));
        Bar::of(format!("recall at {size} without embedding, p95"), Limit::AtMost(most), MS, p95)
    };
    let agents = report.rows.iter().find(|row| row.compares == Compares::Agents);
    let among = format!("recall among {} agents ÷ among 10, p50", report.plan.agents);
    vec![
        ratio(1_000, 10_000, 1.3),
        ratio(10_000, 100_000, 2.0),
        slowest(100_000, 10.0),
        slowest(1_000_000, 40.0),
        Bar::of_row(among, Limit::AtMost(1.2), RATIO, agents, |row| row.ratio),
    ]
}

/// Several clients, and other work beside a recall.
fn load(report: &Report) -> Vec<Bar> {
    let known = Task::Ask(Operation::Recall, false);
    let together = |clients: usize| {
        report.rows.iter().find(move |row| row.compares == Compares::Throughput && row.task == known && row.clients == clients)
    };
    let mut bars = vec![
        Bar::of("recall by 16 clients without embedding, p95", Limit::AtMost(50.0), MS, p95(together(16))),
        Bar::of_row("recalls by 4 clients ÷ search statements", Limit::AtLeast(0.8), RATIO, together(4), |row| row.ratio),
    ];
    bars.extend(Work::ALL.map(|work| {
        let row = report.rows.iter().find(|row| row.work == Some(work));
        Bar::of_row(format!("recall beside {} ÷ alone, p50", work.name()), Limit::AtMost(1.3), RATIO, row, |row| row.ratio)
    }));
    bars
}

fn writes(report: &Report) -> Vec<Bar> {
    let usual = report.plan.sizes.get(report.plan.usual()).copied().unwrap_or_default();
    let batch = row(report, Compares::Latency, Task::Ask(Operation::Batch, false), usual).filter(|row| row.summary.failed == 0);
    let remember = row(report, Compares::Latency, Task::Ask(Operation::Remember, true), usual);
    vec![
        Bar::of(
            format!("memories in batches at {usual} without embedding"),
            Limit::AtLeast(1_000.0),
            "a second",
            batch.map(|row| row.summary.per_second * BATCH as f64),
        ),
        Bar::of_row(
            format!("remember at {usual}, beyond the embedding ÷ one durable commit"),
            Limit::AtMost(1.3),
            RATIO,
            remember,
            |row| row.above,
        ),
    ]
}

fn console_and_documents(report: &Report) -> Vec<Bar> {
    let largest = report.plan.sizes.last().copied().unwrap_or_default();
    let is_page = |row: &&Row| matches!(row.task, Task::Ask(Operation::Page(_), _));
    let pages: Vec<&Row> = report.rows.iter().filter(is_page).collect();
    // A refusal is fast.
    let slowest = pages.iter().map(|row| row.summary.p95_ms).reduce(f64::max).filter(|_| pages.iter().all(|row| row.summary.failed == 0));
    let documents = p95(row(report, Compares::Nothing, Task::Ask(Operation::Knowledge, false), largest));
    vec![
        Bar::of(format!("slowest page of the console at {largest}, p95"), Limit::AtMost(50.0), MS, slowest),
        Bar::of(format!("search among {} parts of documents, p95", report.loaded.chunks), Limit::AtMost(15.0), MS, documents),
    ]
}

fn process(report: &Report) -> Vec<Bar> {
    let resident = report.process.and_then(|process| process.resident_bytes).map(|bytes| bytes as f64 / MIB);
    let largest = report.plan.sizes.last().copied().unwrap_or_default();
    vec![
        Bar::of("start until ready", Limit::AtMost(2_000.0), MS, report.process.map(|process| process.ready_ms)),
        Bar::of(format!("memory of the server after recalls, up to {largest}"), Limit::AtMost(450.0), "MiB", resident),
    ]
}

fn peers(report: &Report) -> Vec<Bar> {
    let at = |size: usize| {
        let row = row(report, Compares::Peer, Task::Ask(Operation::Recall, false), size);
        let name = |what: &str| format!("recall at {size} ÷ LangGraph's search, {what}");
        [
            Bar::of_row(name("p50"), Limit::AtMost(1.0), RATIO, row, |row| row.ratio),
            Bar::of_row(name("p95"), Limit::AtMost(1.0), RATIO, row, |row| row.ratio_p95),
        ]
    };
    let found = report.labelled.as_ref().and_then(|labelled| Some(labelled.ours / labelled.peer?));
    let recall = Bar::of("recall@10 on labelled questions ÷ LangGraph's", Limit::AtLeast(1.8), RATIO, found);
    [1_000, peer::MEMORIES_MAX].into_iter().flat_map(at).chain([recall]).collect()
}

fn model(report: &Report) -> Vec<Bar> {
    let row = |compares: Compares| report.rows.iter().find(|row| row.compares == compares);
    let texts = format!("texts a second in calls of {CALL} ÷ one by one");
    vec![
        Bar::of_row("embedding ÷ ONNX Runtime alone, p50", Limit::AtMost(1.2), RATIO, row(Compares::Runtime), |row| row.ratio),
        Bar::of_row(texts, Limit::AtLeast(3.0), RATIO, row(Compares::Texts), |row| row.ratio),
    ]
}
