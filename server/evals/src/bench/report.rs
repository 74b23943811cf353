//! What was measured, as JSON and as tables.

use super::caller::Operation;
use super::load::Loaded;
use super::machine::Machine;
use super::rounds::{SPREAD_MAX, Summary};
use super::{Plan, chart};
use serde::Serialize;
use std::fmt::{Display, Formatter, Result as Formatted};

/// How the vectors of loaded memories are made.
const VECTORS: &str = "Vectors of loaded memories are made from those of phrases; what is measured with embedding uses the model.";
const MIB: f64 = 1024.0 * 1024.0;

/// All that was measured in one run.
#[derive(Debug, Serialize)]
pub struct Report {
    pub machine: Machine,
    /// The name of the embedding model.
    pub model: String,
    pub plan: Plan,
    pub loaded: Loaded,
    /// The agents that were measured.
    pub agents: Vec<Counted>,
    pub rows: Vec<Row>,
    /// Bytes of the three databases, at the end.
    pub database_bytes: i64,
    /// Bytes of memory that Postgres holds; none if it is on another machine.
    pub postgres_bytes: Option<u64>,
    /// A process of its own on the loaded databases; none if none was started.
    pub process: Option<Process>,
}

/// A server that was started for itself.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Process {
    /// From its start until `/readyz` says so.
    pub ready_ms: f64,
    /// Bytes of memory after some recalls by each agent; none where the system does not say it.
    pub resident_bytes: Option<u64>,
}

/// An agent as it was before it was measured.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Counted {
    /// Memories that were written for it.
    pub written: usize,
    /// Its live memories: some of those written said the same as another.
    pub memories: i64,
    /// The mean number of memories that a recall returned.
    pub hits: f64,
}

/// What the ratio of a row compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Compares {
    /// The milliseconds of one client with the sum of the references: the lower, the better.
    Latency,
    /// The operations a second of several clients with those of the reference: the higher, the better.
    Throughput,
    /// The milliseconds of one client with those of LangGraph's PostgresStore: the lower, the better.
    Peer,
}

/// One operation, measured beside its references.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub operation: Operation,
    /// Whether the server embeds each text: a recall of a question that it knows does not, nor a write whose vector is made.
    pub embedding: bool,
    /// Memories that were written for the agent before.
    pub memories: usize,
    pub clients: usize,
    pub compares: Compares,
    #[serde(flatten)]
    pub summary: Summary,
    /// `select 1` in the same rounds.
    pub select_1: Summary,
    pub references: Vec<Compared>,
    /// The median over the rounds; none if the row is discarded.
    pub ratio: Option<f64>,
    /// A reference spread by more than a quarter, or the server refused something.
    pub discarded: bool,
}

/// A reference of a row.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    pub name: String,
    #[serde(flatten)]
    pub summary: Summary,
    /// The distance between the quartiles of its rounds, as a share of their median; none if nothing was measured.
    pub spread: Option<f64>,
}

impl Report {
    /// The latencies by size, as an image in SVG.
    pub fn chart(&self) -> String {
        chart::svg(&self.rows)
    }
}

impl Row {
    /// The operation, and whether it embeds.
    pub fn name(&self) -> String {
        let operation = match self.operation {
            Operation::Remember => "remember",
            Operation::Batch => "batch of 50",
            Operation::Recall => "recall",
            Operation::Context => "context",
            Operation::Messages => "2 messages",
        };
        if self.embedding { format!("{operation}, embedding") } else { operation.into() }
    }

    fn result(&self) -> String {
        self.ratio.map_or_else(|| "discarded".into(), |ratio| format!("{ratio:.2}"))
    }

    fn references(&self) -> String {
        let one = |reference: &Compared| {
            let Summary { p50_ms, per_second, .. } = reference.summary;
            let value = if self.compares == Compares::Throughput { format!("{per_second:.0}/s") } else { format!("{p50_ms:.2} ms") };
            let spread = reference.spread.unwrap_or(f64::INFINITY);
            let mark = if spread > SPREAD_MAX { format!(" (spreads by {:.0} %)", spread * 100.0) } else { String::new() };
            format!("{} {value}{mark}", reference.name)
        };
        self.references.iter().map(one).collect::<Vec<_>>().join(" + ")
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        let Machine { processor, cores, optimised, postgres, fsync, synchronous_commit } = &self.machine;
        writeln!(
            f,
            "{}, {cores} cores, Postgres {postgres} (fsync {fsync}, synchronous_commit {synchronous_commit}), model {}, {} build",
            processor.as_deref().unwrap_or("unknown processor"),
            self.model,
            if *optimised { "optimised" } else { "UNOPTIMISED" }
        )?;
        let Loaded { memories, seconds, per_second, seconds_of_work_after } = &self.loaded;
        writeln!(
            f,
            "Loaded {memories} memories in {seconds:.0} s (in batches {per_second:.0} a second), and {seconds_of_work_after:.0} s of work after them."
        )?;
        writeln!(f, "{VECTORS}")?;
        for Counted { written, memories, hits } in &self.agents {
            writeln!(
                f,
                "The agent of {written} has {memories} live memories beside {} other agents; a recall returns {hits:.1}.",
                self.plan.agents
            )?;
        }
        self.table(f, Compares::Latency, "Latency in ms, 1 client; the ratio is to the sum of the references (lower is better)")?;
        self.table(f, Compares::Throughput, "Operations a second; the ratio is to those of the reference (higher is better)")?;
        match &self.plan.peer {
            Some(version) => self.table(f, Compares::Peer, &format!("Latency beside a search of LangGraph's PostgresStore {version}"))?,
            None => writeln!(f, "\nNo peer was measured: --peers names a Python with LangGraph's PostgresStore.")?,
        }
        self.sizes(f)
    }
}

impl Report {
    fn table(&self, f: &mut Formatter<'_>, compares: Compares, title: &str) -> Formatted {
        writeln!(f, "\n{title}\n")?;
        writeln!(
            f,
            "{:<22} {:>9} {:>7} {:>9} {:>9} {:>9} {:>9} {:>7} {:>10}  references, median",
            "operation", "memories", "clients", "p50", "p95", "p99", "a second", "failed", "ratio"
        )?;
        for row in self.rows.iter().filter(|row| row.compares == compares) {
            let Summary { p50_ms, p95_ms, p99_ms, per_second, failed, .. } = row.summary;
            writeln!(
                f,
                "{:<22} {:>9} {:>7} {p50_ms:>9.2} {p95_ms:>9.2} {p99_ms:>9.2} {per_second:>9.1} {failed:>7} {:>10}  {} (select 1: {:.2} ms)",
                row.name(),
                row.memories,
                row.clients,
                row.result(),
                row.references(),
                row.select_1.p50_ms
            )?;
        }
        Ok(())
    }

    fn sizes(&self, f: &mut Formatter<'_>) -> Formatted {
        let mib = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".into(), |bytes| format!("{:.0} MiB", bytes as f64 / MIB));
        writeln!(f, "\nDatabases: {:.0} MiB on disk. Memory of Postgres: {}.", self.database_bytes as f64 / MIB, mib(self.postgres_bytes))?;
        match &self.process {
            Some(Process { ready_ms, resident_bytes }) => writeln!(
                f,
                "A server of its own was ready after {ready_ms:.0} ms and held {} of memory after {} recalls by each agent.",
                mib(*resident_bytes),
                super::KNOWN
            ),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(p50_ms: f64) -> Summary {
        Summary { operations: 8, p50_ms, p95_ms: 2.0 * p50_ms, p99_ms: 3.0 * p50_ms, per_second: 1000.0 / p50_ms, failed: 0 }
    }

    /// A recall among so many memories, beside a reference that spreads.
    fn row(memories: usize, p50_ms: f64, spread: f64) -> Row {
        let ratio = Some(1.5).filter(|_| spread <= SPREAD_MAX);
        Row {
            operation: Operation::Recall,
            embedding: true,
            memories,
            clients: 1,
            compares: Compares::Latency,
            summary: summary(p50_ms),
            select_1: summary(0.1),
            references: vec![Compared { name: "rows by id".into(), summary: summary(0.4), spread: Some(spread) }],
            ratio,
            discarded: ratio.is_none(),
        }
    }

    #[test]
    fn a_discarded_row_says_which_reference_spread() {
        assert_eq!((row(100, 3.0, 0.1).result(), row(100, 3.0, 0.1).references()), ("1.50".into(), "rows by id 0.40 ms".into()));
        let discarded = row(100, 3.0, 0.4);
        assert_eq!((discarded.result().as_str(), discarded.name().as_str()), ("discarded", "recall, embedding"));
        assert_eq!(discarded.references(), "rows by id 0.40 ms (spreads by 40 %)");
    }

    #[test]
    fn the_chart_has_a_line_for_each_operation_and_a_point_for_each_size() {
        let rows = [row(100, 2.0, 0.1), row(1_000, 3.0, 0.1), row(10_000, 9.0, 0.4)];
        let chart = chart::svg(&rows);
        assert!(chart.starts_with("<svg ") && chart.ends_with("</svg>\n"), "{chart}");
        assert_eq!((chart.matches("<polyline").count(), chart.matches("<circle").count()), (2, 6), "{chart}");
        assert!(chart.contains(">10,000<") && chart.contains("recall, embedding") && !chart.contains("NaN"), "{chart}");
        assert!(!chart::svg(&[]).contains("NaN"));
    }
}
