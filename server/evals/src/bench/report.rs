//! What was measured, as JSON, as tables and in Markdown.

use super::bars::{self, Bar};
use super::caller::Task;
use super::chart;
use super::load::Loaded;
use super::machine::Machine;
use super::plan::{Compares, Plan};
use super::rounds::{SPREAD_MAX, Summary};
use super::work::Work;
use chrono::NaiveDate;
use serde::Serialize;
use std::fmt::{Display, Formatter, Result as Formatted};

/// How the vectors of loaded memories are made.
const VECTORS: &str = "Vectors of loaded memories are made from those of phrases; what is measured with embedding uses the model.";
const MIB: f64 = 1024.0 * 1024.0;

/// Which program was measured, and when.
#[derive(Clone, Debug, Serialize)]
pub struct Program {
    pub version: String,
    /// Its commit; none if the program does not know it.
    pub commit: Option<String>,
    /// The day of the run.
    pub date: NaiveDate,
    /// The command line.
    pub command: String,
}

/// All that was measured in one run.
#[derive(Debug, Serialize)]
pub struct Report {
    pub program: Program,
    pub machine: Machine,
    /// The name of the embedding model.
    pub model: String,
    pub plan: Plan,
    pub loaded: Loaded,
    /// The agents that were measured.
    pub agents: Vec<Counted>,
    pub rows: Vec<Row>,
    /// What was found of known answers; none if no file of questions was given.
    pub labelled: Option<Labelled>,
    /// Bytes of the three databases, at the end.
    pub database_bytes: i64,
    /// Bytes of memory that Postgres holds; none if it is on another machine.
    pub postgres_bytes: Option<u64>,
    /// A process of its own on the loaded databases; none if none was started.
    pub process: Option<Process>,
}

/// A report as it is kept.
#[derive(Serialize)]
struct Kept<'a> {
    #[serde(flatten)]
    report: &'a Report,
    bars: Vec<Bar>,
}

/// How many of the memories that hold an answer are among the first ten.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Labelled {
    pub questions: usize,
    pub ours: f64,
    /// Of LangGraph's PostgresStore; none if it was not measured.
    pub peer: Option<f64>,
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

/// A task, measured beside its references.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub name: String,
    #[serde(skip)]
    pub task: Task,
    /// Memories that were written for the agent before.
    pub memories: usize,
    pub clients: usize,
    pub compares: Compares,
    /// What the server did meanwhile, and not beside the references.
    pub work: Option<Work>,
    #[serde(flatten)]
    pub summary: Summary,
    /// `select 1` in the same rounds.
    pub select_1: Summary,
    pub references: Vec<Compared>,
    /// The median over the rounds; none if the row is discarded or nothing is compared. So are the next three.
    pub ratio: Option<f64>,
    /// The same of the 95th percentiles; none where operations a second are compared.
    pub ratio_p95: Option<f64>,
    /// Milliseconds beyond the references, where latencies are compared with what must happen in any case.
    pub rest_ms: Option<f64>,
    /// What is beyond the other references as a multiple of the last one, where there are several.
    pub above: Option<f64>,
    /// A reference spread by more than a quarter, or something was refused.
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

    /// A section of Markdown: the machine, the outcome of each bar, and all tables.
    pub fn markdown(&self) -> String {
        let Program { version, commit, date, command } = &self.program;
        let row = |bar: &Bar| format!("| {} | {} | {} | {} |\n", bar.name, bar.wanted(), bar.result(), bar.verdict());
        format!(
            "### {date}, version {version}, commit {}\n\n{}.\n\n```sh\n{command}\n```\n\n| bar | limit | measured | outcome |\n|---|---|---|---|\n\
             {}\n```text\n{self}```\n",
            commit.as_deref().unwrap_or("unknown"),
            self.machine(),
            self.bars().iter().map(row).collect::<String>()
        )
    }

    /// Everything that was measured, and the outcome of each bar.
    ///
    /// # Errors
    /// When a figure cannot be written as JSON.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(&Kept { report: self, bars: self.bars() })
    }

    /// Every bar, with what this run says about it.
    pub fn bars(&self) -> Vec<Bar> {
        bars::bars(self)
    }

    fn machine(&self) -> String {
        let Machine { processor, cores, optimised, postgres, fsync, synchronous_commit } = &self.machine;
        format!(
            "{}, {cores} cores, Postgres {postgres} (fsync {fsync}, synchronous_commit {synchronous_commit}), model {}, {} build",
            processor.as_deref().unwrap_or("unknown processor"),
            self.model,
            if *optimised { "optimised" } else { "UNOPTIMISED" }
        )
    }
}

impl Row {
    /// The task, and what the server does beside it.
    fn title(&self) -> String {
        self.work.map_or_else(|| self.name.clone(), |work| format!("{} beside {}", self.name, work.name()))
    }

    fn result(&self) -> String {
        let none = if self.discarded { "discarded" } else { "" };
        self.ratio.map_or_else(|| none.into(), |ratio| format!("{ratio:.2}"))
    }

    fn references(&self) -> String {
        let one = |reference: &Compared| {
            let Summary { p50_ms, per_second, .. } = reference.summary;
            let value = if self.compares.rates() { format!("{per_second:.0}/s") } else { format!("{p50_ms:.2} ms") };
            let spread = reference.spread.unwrap_or(f64::INFINITY);
            let mark = if spread > SPREAD_MAX { format!(" (spreads by {:.0} %)", spread * 100.0) } else { String::new() };
            format!("{} {value}{mark}", reference.name)
        };
        self.references.iter().map(one).collect::<Vec<_>>().join(" + ")
    }
}

/// What the rows of each kind are, in the order of the report.
const TABLES: [(Compares, &str); 9] = [
    (Compares::Latency, "Latency in ms, 1 client; the ratio is to the sum of the references (lower is better)"),
    (Compares::Throughput, "Operations a second; the ratio is to those of the reference (higher is better)"),
    (Compares::Growth, "A recall beside one of the next smaller agent (lower is better)"),
    (Compares::Agents, "A recall beside one among few other agents, each as a multiple of its rows by id (lower is better)"),
    (Compares::Work, "A recall beside other work and without it (lower is better)"),
    (Compares::Peer, "A recall beside a search of LangGraph's PostgresStore (lower is better)"),
    (Compares::Runtime, "The model in the server's process beside ONNX Runtime alone (lower is better)"),
    (Compares::Texts, "Texts a second in calls of many beside one by one (higher is better)"),
    (Compares::Nothing, "Pages of the console, and documents, in ms, 1 client"),
];

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        writeln!(f, "{}", self.machine())?;
        let Loaded { memories, seconds, per_second, chunks, seconds_of_documents, seconds_of_work_after } = &self.loaded;
        writeln!(f, "Loaded {memories} memories in {seconds:.0} s (in batches {per_second:.0} a second), {chunks} parts of documents in")?;
        writeln!(f, "{seconds_of_documents:.0} s, and {seconds_of_work_after:.0} s of work after them.")?;
        writeln!(f, "{VECTORS}")?;
        for Counted { written, memories, hits } in &self.agents {
            writeln!(
                f,
                "The agent of {written} has {memories} live memories beside {} other agents; a recall returns {hits:.1}.",
                self.plan.agents
            )?;
        }
        for (compares, title) in TABLES {
            self.table(f, compares, title)?;
        }
        match &self.plan.peer {
            Some(version) => writeln!(f, "\nLangGraph's PostgresStore is langgraph-checkpoint-postgres {version}.")?,
            None => writeln!(f, "\nNo peer was measured: --peers names a Python with LangGraph's PostgresStore.")?,
        }
        if let Some(Labelled { questions, ours, peer }) = &self.labelled {
            let peer = peer.map(|peer| format!(", LangGraph's {peer:.3}")).unwrap_or_default();
            writeln!(f, "{questions} labelled questions: recall@10 is {ours:.3}{peer}.")?;
        }
        self.sizes(f)?;
        writeln!(f, "\n{:<64} {:>16} {:>10}  outcome", "bar", "limit", "measured")?;
        for bar in self.bars() {
            writeln!(f, "{:<64} {:>16} {:>10}  {}", bar.name, bar.wanted(), bar.result(), bar.verdict())?;
        }
        Ok(())
    }
}

impl Report {
    fn table(&self, f: &mut Formatter<'_>, compares: Compares, title: &str) -> Formatted {
        let mut rows = self.rows.iter().filter(|row| row.compares == compares).peekable();
        if rows.peek().is_none() {
            return Ok(());
        }
        writeln!(f, "\n{title}\n")?;
        writeln!(
            f,
            "{:<34} {:>9} {:>7} {:>9} {:>9} {:>9} {:>9} {:>7} {:>10}  references, median",
            "operation", "memories", "clients", "p50", "p95", "p99", "a second", "failed", "ratio"
        )?;
        for row in rows {
            let Summary { p50_ms, p95_ms, p99_ms, per_second, failed, .. } = row.summary;
            writeln!(
                f,
                "{:<34} {:>9} {:>7} {p50_ms:>9.2} {p95_ms:>9.2} {p99_ms:>9.2} {per_second:>9.1} {failed:>7} {:>10}  {} (select 1: {:.2} ms)",
                row.title(),
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
    use crate::bench::caller::Operation;

    fn summary(p50_ms: f64) -> Summary {
        Summary { operations: 8, p50_ms, p95_ms: 2.0 * p50_ms, p99_ms: 3.0 * p50_ms, per_second: 1000.0 / p50_ms, failed: 0 }
    }

    /// A recall among so many memories, beside a reference that spreads.
    fn row(memories: usize, p50_ms: f64, spread: f64) -> Row {
        let ratio = Some(1.5).filter(|_| spread <= SPREAD_MAX);
        Row {
            name: "recall, embedding".into(),
            task: Task::Ask(Operation::Recall, true),
            memories,
            clients: 1,
            compares: Compares::Latency,
            work: None,
            summary: summary(p50_ms),
            select_1: summary(0.1),
            references: vec![Compared { name: "rows by id".into(), summary: summary(0.4), spread: Some(spread) }],
            ratio,
            ratio_p95: ratio,
            rest_ms: ratio,
            above: None,
            discarded: ratio.is_none(),
        }
    }

    fn report(rows: Vec<Row>) -> Report {
        let sizes = vec![100, 1_000, 10_000];
        let plan =
            Plan { sizes, agents: 1_000, clients: vec![], chunks: 0, seconds: 4, rounds: 8, quick: false, most: usize::MAX, peer: None };
        let (version, commit, command) = ("0.1.0".into(), Some("abcdef0".into()), "remembrancer bench --quick".into());
        let machine = Machine {
            processor: None,
            cores: 2,
            optimised: true,
            postgres: "18.1".into(),
            fsync: "on".into(),
            synchronous_commit: "on".into(),
        };
        Report {
            program: Program { version, commit, date: NaiveDate::default(), command },
            machine,
            model: "multilingual-e5-small".into(),
            plan,
            loaded: Loaded { memories: 0, seconds: 1.0, per_second: 1.0, chunks: 0, seconds_of_documents: 0.0, seconds_of_work_after: 0.0 },
            agents: vec![],
            rows,
            labelled: Some(Labelled { questions: 10, ours: 0.75, peer: Some(0.3) }),
            database_bytes: 0,
            postgres_bytes: None,
            process: Some(Process { ready_ms: 2_400.0, resident_bytes: None }),
        }
    }

    #[test]
    fn each_bar_says_how_a_run_fared() {
        // Of three sizes the largest was discarded, and a p95 of 100,000 memories is missing.
        let report = report(vec![row(100, 2.0, 0.1), row(1_000, 3.0, 0.1), row(10_000, 9.0, 0.4)]);
        let bars = report.bars();
        let verdict = |name: &str| {
            let bar = bars.iter().find(|bar| bar.name.starts_with(name)).unwrap_or_else(|| panic!("{name}: {bars:?}"));
            (bar.result(), bar.verdict())
        };
        assert_eq!(verdict("recall at 1000, ÷"), ("1.50".into(), "missed"));
        assert_eq!(verdict("recall at 10000, ÷"), ("–".into(), "discarded"));
        assert_eq!(verdict("recall at 100000 without"), ("–".into(), "not measured"));
        assert_eq!(verdict("recall@10"), ("2.50".into(), "reached"), "more is better");
        assert_eq!(verdict("start until ready"), ("2400".into(), "missed"));
        let markdown = report.markdown();
        assert!(markdown.starts_with("### 1970-01-01, version 0.1.0, commit abcdef0\n"), "{markdown}");
        assert!(markdown.contains("| start until ready | ≤ 2000 ms | 2400 | missed |"), "{markdown}");
        assert!(markdown.contains("```text\n") && markdown.contains("\nrecall, embedding "), "{markdown}");
        let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
        assert_eq!(json["bars"].as_array().unwrap().len(), bars.len());
    }

    #[test]
    fn a_discarded_row_says_which_reference_spread() {
        assert_eq!((row(100, 3.0, 0.1).result(), row(100, 3.0, 0.1).references()), ("1.50".into(), "rows by id 0.40 ms".into()));
        let discarded = row(100, 3.0, 0.4);
        assert_eq!((discarded.result().as_str(), discarded.title().as_str()), ("discarded", "recall, embedding"));
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
