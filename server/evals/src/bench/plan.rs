//! What is measured, beside what, in which order. Pure.

use super::caller::{CALL, Operation, Reference, Task};
use super::peer;
use super::work::Work;
use serde::Serialize;

/// Pages of the console that are measured, with the search of all agents.
pub const PAGES: [&str; 6] = ["/", "/agents", "/memories", "/memories?q=harbour+tram", "/search?q=harbour+tram", "/recall/log"];
/// Clients that work at once beside an agent of at most so many memories, and the largest agent that has other work beside it.
const USUAL: usize = 10_000;

/// What is measured.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Memories of each agent that is measured, the fewest first.
    pub sizes: Vec<usize>,
    /// Other agents, with ten memories each.
    pub agents: usize,
    /// Numbers of clients that work side by side.
    pub clients: Vec<usize>,
    /// Parts of the organisation's documents.
    pub chunks: usize,
    /// How long each row measures the server, in all rounds together; each of its references takes as long.
    pub seconds: u64,
    /// Rounds of a row.
    pub rounds: u32,
    /// Writes are measured for the usual agent alone.
    pub quick: bool,
    /// Operations of a client in a round, at most.
    pub most: usize,
    /// The version of LangGraph's PostgresStore whose searches are measured, too.
    pub peer: Option<String>,
}

/// What the ratio of a row compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Compares {
    /// The milliseconds of one client with the sum of the references: the lower, the better.
    Latency,
    /// The operations a second of several clients with those of the reference: the higher, the better.
    Throughput,
    /// The milliseconds of a recall with those of the next smaller agent: the lower, the better.
    Growth,
    /// The milliseconds of a recall beside other work with those without: the lower, the better.
    Work,
    /// The milliseconds of a recall among many agents with those among few, each beside rows by id: the lower, the better.
    Agents,
    /// The milliseconds of a recall with those of LangGraph's PostgresStore: the lower, the better.
    Peer,
    /// The milliseconds of the model in the server's process with those of ONNX Runtime alone: the lower, the better.
    Runtime,
    /// Texts a second in calls of many with those one by one: the higher, the better.
    Texts,
    /// Nothing: the milliseconds count.
    Nothing,
}

impl Compares {
    /// Whether the ratio is one of operations a second.
    pub fn rates(self) -> bool {
        matches!(self, Self::Throughput | Self::Texts)
    }
}

/// A row that is to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    pub task: Task,
    /// The agent that does it, by its place among the sizes.
    pub of: usize,
    pub clients: usize,
    pub compares: Compares,
    pub references: Vec<Task>,
    /// The agent of the references.
    pub beside: usize,
    /// What the server does beside the task, and not beside its references.
    pub work: Option<Work>,
}

impl Spec {
    fn new(of: usize, task: Task, compares: Compares, references: Vec<Task>) -> Self {
        Self { task, of, clients: 1, compares, references, beside: of, work: None }
    }

    /// An operation of one client, beside what must happen in any case.
    fn alone(of: usize, operation: Operation, embedding: bool) -> Self {
        let references: Vec<Task> = operation.basis(embedding).into_iter().map(Task::Reference).collect();
        let compares = if references.is_empty() { Compares::Nothing } else { Compares::Latency };
        Self::new(of, Task::Ask(operation, embedding), compares, references)
    }

    /// An operation of several clients, beside as many connections that do without the server.
    fn together(of: usize, operation: Operation, embedding: bool, clients: usize) -> Self {
        let reference = if operation.writes() { Reference::Commit } else { Reference::Search };
        let spec = Self::new(of, Task::Ask(operation, embedding), Compares::Throughput, vec![Task::Reference(reference)]);
        Self { clients, ..spec }
    }

    /// A recall that embeds nothing, beside the rows of its hits: what is compared for few and many agents.
    pub fn recall(of: usize) -> Self {
        Self::alone(of, Operation::Recall, false)
    }
}

impl Plan {
    /// The agent that several clients use at once, and beside whose recalls other work is done: the largest usual one.
    pub fn usual(&self) -> usize {
        self.sizes.iter().rposition(|size| *size <= USUAL).unwrap_or(0)
    }

    /// The rows of a run. What reads comes before what writes, of all agents: an agent must not have grown before another one is compared with
    /// it.
    pub fn specs(&self) -> Vec<Spec> {
        let model = [
            Spec::new(0, Task::Reference(Reference::Question), Compares::Runtime, vec![Task::Runtime]),
            Spec::new(0, Task::Reference(Reference::Memories(CALL)), Compares::Texts, vec![Task::Reference(Reference::Memories(1))]),
        ];
        let reads = (0..self.sizes.len()).flat_map(|of| self.reads(of));
        let writers = (0..self.sizes.len()).filter(|of| !self.quick || *of == self.usual());
        let writes = writers.flat_map(|of| self.writes(of));
        // Captures write, too.
        let work = Work::ALL.map(|work| Spec { work: Some(work), ..Spec::new(self.usual(), recall(), Compares::Work, vec![recall()]) });
        model.into_iter().chain(reads).chain(self.everything()).chain(work).chain(writes).collect()
    }

    fn reads(&self, of: usize) -> Vec<Spec> {
        let both = |operation| [Spec::alone(of, operation, false), Spec::alone(of, operation, true)];
        let mut specs = [Operation::Recall, Operation::Context].map(both).concat();
        if let Some(smaller) = of.checked_sub(1) {
            specs.push(Spec { beside: smaller, ..Spec::new(of, recall(), Compares::Growth, vec![recall()]) });
        }
        if self.peer.is_some() && self.sizes[of] <= peer::MEMORIES_MAX {
            specs.push(Spec::new(of, recall(), Compares::Peer, vec![Task::Peer]));
        }
        if of == self.usual() {
            let together = |embedding| self.clients.iter().map(move |clients| Spec::together(of, Operation::Recall, embedding, *clients));
            specs.extend(together(false).chain(together(true)));
        }
        specs
    }

    fn writes(&self, of: usize) -> Vec<Spec> {
        let both = |operation| [Spec::alone(of, operation, false), Spec::alone(of, operation, true)];
        let mut specs = [Operation::Messages, Operation::Remember, Operation::Batch].map(both).concat();
        if of == self.usual() {
            specs.extend(self.clients.iter().map(|clients| Spec::together(of, Operation::Remember, true, *clients)));
        }
        specs
    }

    /// What reads everything of the organisation, as its largest agent.
    fn everything(&self) -> Vec<Spec> {
        let largest = self.sizes.len().saturating_sub(1);
        let pages = PAGES.map(|path| Spec::alone(largest, Operation::Page(path), false));
        let documents = [false, true].map(|embedding| Spec::alone(largest, Operation::Knowledge, embedding));
        pages.into_iter().chain(documents.into_iter().filter(|_| self.chunks > 0)).collect()
    }
}

fn recall() -> Task {
    Task::Ask(Operation::Recall, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let sizes = vec![100, 10_000, 100_000];
        Plan { sizes, agents: 0, clients: vec![1, 64], chunks: 0, seconds: 4, rounds: 8, quick: false, most: usize::MAX, peer: None }
    }

    fn count(plan: &Plan, compares: Compares) -> usize {
        plan.specs().iter().filter(|spec| spec.compares == compares).count()
    }

    #[test]
    fn what_writes_comes_after_every_read_that_is_compared() {
        let specs = plan().specs();
        let writes = |spec: &Spec| matches!(spec.task, Task::Ask(operation, _) if operation.writes());
        let first = specs.iter().position(writes).unwrap();
        assert!(first > 0 && specs[first..].iter().all(writes));
        let first_work = specs.iter().position(|spec| spec.work.is_some()).unwrap();
        assert!(specs[first_work..].iter().all(|spec| spec.work.is_some() || writes(spec)), "captures write");
    }

    #[test]
    fn every_comparison_has_its_agents() {
        let plan = plan();
        assert_eq!((plan.usual(), Plan { sizes: vec![100_000], ..plan.clone() }.usual()), (1, 0));
        assert_eq!((count(&plan, Compares::Latency), count(&plan, Compares::Throughput)), (3 * 10, 3 * 2));
        let growth: Vec<_> = plan.specs().into_iter().filter(|spec| spec.compares == Compares::Growth).collect();
        assert_eq!(growth.iter().map(|spec| (spec.of, spec.beside)).collect::<Vec<_>>(), [(1, 0), (2, 1)]);
        assert!(plan.specs().iter().filter(|spec| spec.clients > 1 || spec.work.is_some()).all(|spec| spec.of == 1));
        assert_eq!((count(&plan, Compares::Work), count(&plan, Compares::Peer), count(&plan, Compares::Nothing)), (3, 0, PAGES.len()));
        assert_eq!(count(&Plan { quick: true, ..plan.clone() }, Compares::Latency), 3 * 4 + 6);
        let with = Plan { peer: Some("3.2.0".into()), chunks: 10, ..plan };
        assert_eq!((count(&with, Compares::Peer), count(&with, Compares::Nothing)), (2, PAGES.len() + 2));
    }
}
