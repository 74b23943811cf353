//! The catalogue of metrics: the name of each, what it measures, and its meaning. A metric that is not listed here does not exist.
//!
//! `agent_memory_` and `shared_kb_` measure agents' calls, `remembrancer_` the process itself.

#[cfg(test)]
mod dashboard;

use metrics::Unit;

/// How a metric moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only up, from 0 at the start of the process.
    Counter,
    /// Up and down.
    Gauge,
    /// Observations, in buckets.
    Histogram,
}

/// One line of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    pub unit: Unit,
    /// Names of its labels. Their values are few: an agent's words never become one.
    pub labels: &'static [&'static str],
    /// What it says, in a sentence.
    pub help: &'static str,
}

const fn counter(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Metric {
    Metric { name, kind: Kind::Counter, unit: Unit::Count, labels, help }
}

const fn gauge(name: &'static str, unit: Unit, labels: &'static [&'static str], help: &'static str) -> Metric {
    Metric { name, kind: Kind::Gauge, unit, labels, help }
}

const fn histogram(name: &'static str, unit: Unit, help: &'static str) -> Metric {
    Metric { name, kind: Kind::Histogram, unit, labels: &[], help }
}

/// Every metric there is.
pub const METRICS: &[Metric] = &[
    histogram("agent_memory_recall_seconds", Unit::Seconds, "How long a recall took until its answer was ready."),
    histogram("agent_memory_recall_hits", Unit::Count, "Memories in the answer of a recall."),
    histogram("agent_memory_recall_knowledge_hits", Unit::Count, "Pieces of shared knowledge in the answer of a recall."),
    counter("agent_memory_recall_floor_cuts_total", &[], "Memories that a recall scored below the relevance floor."),
    counter(
        "agent_memory_recall_degraded_total",
        &["part"],
        "Recalls that were answered although a part could not run: vocabulary, embedding, balance (nothing left to pay for the embedding), memory or knowledge.",
    ),
    counter(
        "agent_memory_recall_zero_hits_total",
        &["agent_id", "query_topic"],
        "Recalls that found neither a memory nor knowledge although the agent expected a result; topics outside the vocabulary count as other.",
    ),
    counter(
        "agent_memory_recall_silences_total",
        &["cause", "expected"],
        "Recalls that found no memory, by cause: nothing_stored, below_floor, filtered_out or degraded.",
    ),
    counter(
        "agent_memory_recall_cache_total",
        &["outcome"],
        "Searches of agents with enough memories for the recall cache: hit (answered from the cache) or miss (answered by the database).",
    ),
    gauge("remembrancer_recall_cache_bytes", Unit::Bytes, &[], "Memory that the recall cache takes, at most RECALL_CACHE_MB."),
    histogram("agent_memory_remember_seconds", Unit::Seconds, "How long it took to store a memory."),
    counter(
        "agent_memory_remember_total",
        &["outcome"],
        "What happened to memories that agents stored: created, revised (a near-duplicate, now a new version), amended (the same content with more details) or unchanged (repeated).",
    ),
    counter("agent_memory_forget_total", &[], "Memories that agents forgot."),
    counter(
        "agent_memory_sources_missed_total",
        &["source", "state"],
        "Sources that were missing from a search over all sources (memory, audit, workflow or knowledge), by state: timed_out or unavailable.",
    ),
    counter(
        "agent_memory_contexts_total",
        &["cut"],
        "Contexts that were assembled, and whether something was cut to fit the budget: true or false.",
    ),
    counter(
        "agent_memory_injected_facts_total",
        &["used"],
        "Memories in contexts whose answers were reported, and whether the answer uses them: true or false.",
    ),
    counter(
        "agent_memory_observations_total",
        &["category"],
        "Observations that agents recorded: fact, preference, project_details, correction, scaffold_update or learned_fact.",
    ),
    counter("agent_memory_profile_leaves_total", &[], "Values that were added to profiles."),
    counter("agent_memory_user_context_search_total", &[], "Searches in what is known about a person and their connections."),
    counter("shared_kb_search_total", &[], "Searches by shared_kb_search. Recalls are not counted."),
    counter(
        "shared_kb_recall_cache_total",
        &["outcome"],
        "Searches of organisations with enough chunks of documents for the recall cache: hit (answered from the cache) or miss (answered by the database).",
    ),
    counter("remembrancer_vocabulary_proposals_total", &[], "Proposals of unknown phrases. The same phrase counts each time."),
    counter("remembrancer_vocabulary_decisions_total", &["kind"], "Decisions on the vocabulary, including undone ones and undoing."),
    counter("remembrancer_knowledge_ingested_total", &[], "Documents that were added or changed by this process."),
    counter("remembrancer_knowledge_failures_total", &[], "Files or entries that this process failed to ingest."),
    histogram("remembrancer_embedding_seconds", Unit::Seconds, "How long the model took for one text or one batch."),
    counter(
        "remembrancer_embedding_missed_total",
        &[],
        "Writes and queries that continued without a vector, because the model failed or was late.",
    ),
    counter(
        "remembrancer_balance_refused_total",
        &["purpose"],
        "Calls of models that were refused because nothing was left to pay for them, by purpose: embedding, extraction, synthesis, condensation or evaluation.",
    ),
    counter("remembrancer_retrieval_log_dropped_total", &[], "Recalls that were answered and are missing from the retrieval log."),
    counter("remembrancer_context_log_dropped_total", &[], "Contexts that were assembled and are missing from the context log."),
    counter(
        "remembrancer_near_misses_skipped_total",
        &[],
        "Recalls that found nothing and were logged without near misses, because there were too many.",
    ),
    counter("remembrancer_outbox_delivered_total", &[], "Outbox rows that were carried to another database."),
    gauge(
        "remembrancer_outbox_waiting",
        Unit::Count,
        &["database"],
        "Outbox rows that are not delivered, including rows that were set aside.",
    ),
    gauge("remembrancer_outbox_lag_seconds", Unit::Seconds, &["database"], "Age of the oldest outbox row that is not delivered."),
    gauge(
        "remembrancer_audit_entries",
        Unit::Count,
        &[],
        "Entries of the audit log, of all tenants. It never falls unless the end of a chain was cut off.",
    ),
    gauge("remembrancer_events", Unit::Count, &["database", "state"], "Jobs in the queue: pending, running, failed (tried again) or dead."),
    counter(
        "remembrancer_refused_total",
        &["limit"],
        "Requests refused by a limit: requests (of a key), unknown_credentials or sign_in (both of an address).",
    ),
    gauge("remembrancer_build_info", Unit::Count, &["version", "commit"], "Always 1: its labels say which program the process runs."),
    gauge("remembrancer_database_up", Unit::Count, &["database"], "1 if the database answered this scrape, 0 if not."),
    counter("remembrancer_statements_cancelled_total", &[], "Statements that took longer than STATEMENT_TIMEOUT_SECONDS."),
    gauge("remembrancer_connections", Unit::Count, &[], "Open HTTP connections; at MAX_CONNECTIONS more wait until one closes."),
    counter(
        "remembrancer_jobs_total",
        &["task", "outcome"],
        "Attempts at jobs by how they ended: done, failed, dead or waiting (for a balance).",
    ),
    counter("remembrancer_messages_total", &[], "Messages of sessions that were stored."),
    counter("remembrancer_archived_total", &["reason"], "Memories that were archived: faded, expired, limit or early."),
    gauge("remembrancer_agent_episodes", Unit::Count, &["agent_id"], "Episodes of an agent that may fade, as the last sweep counted them."),
    gauge("remembrancer_agent_episodes_max", Unit::Count, &["agent_id"], "The most episodes that an agent may have."),
    counter("remembrancer_extracted_candidates_total", &[], "Candidates that were extracted from captured sources and are new."),
];

/// Describes every metric to the recorder of this process.
pub fn describe() {
    for metric in METRICS {
        let Metric { name, kind, unit, labels, help } = *metric;
        match kind {
            Kind::Counter => metrics::describe_counter!(name, unit, help),
            Kind::Gauge => metrics::describe_gauge!(name, unit, help),
            Kind::Histogram => metrics::describe_histogram!(name, unit, help),
        }
        // A counter that has not moved reads 0: if it appeared only with its first step, nobody would see that step.
        if kind == Kind::Counter && labels.is_empty() {
            metrics::counter!(name).increment(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    const PREFIXES: [&str; 3] = ["agent_memory_", "remembrancer_", "shared_kb_"];

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
    }

    fn read(path: &str) -> String {
        std::fs::read_to_string(root().join(path)).unwrap()
    }

    fn alerts() -> Value {
        serde_saphyr::from_str(&read("docs/observability/alerts.yml")).unwrap()
    }

    fn dashboard() -> Value {
        serde_json::from_str(&read("docs/observability/dashboard.json")).unwrap()
    }

    /// Rust files below a directory, but for this one.
    fn sources(dir: &Path, into: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("src/telemetry.rs") {
                into.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }

    fn word(kind: Kind) -> &'static str {
        match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        }
    }

    /// The strings of a document, at any depth.
    fn strings<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => into.push(text),
            Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
            Value::Object(fields) => fields.values().for_each(|field| strings(field, into)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether Prometheus has a series of that name: a histogram is its buckets, sum and count.
    fn is_exported(series: &str) -> bool {
        METRICS.iter().any(|metric| match metric.kind {
            Kind::Histogram => ["_bucket", "_sum", "_count"].into_iter().any(|part| series.strip_suffix(part) == Some(metric.name)),
            Kind::Counter | Kind::Gauge => series == metric.name,
        })
    }

    #[test]
    fn the_catalogue_is_what_is_measured() {
        let mut texts = Vec::new();
        for dir in ["src", "crates", "server"] {
            sources(&root().join(dir), &mut texts);
        }
        let mut measured = BTreeMap::new();
        for (text, kind) in texts.iter().flat_map(|text| [Kind::Counter, Kind::Gauge, Kind::Histogram].map(|kind| (text, word(kind)))) {
            for call in text.split(&format!("{kind}!(")).skip(1) {
                let name = call.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
                measured.insert(name.expect("the name of a metric is a literal"), kind);
            }
        }
        let catalogue: BTreeMap<&str, &str> = METRICS.iter().map(|metric| (metric.name, word(metric.kind))).collect();
        assert_eq!(measured, catalogue);
        assert_eq!(catalogue.len(), METRICS.len(), "a metric is listed twice");
    }

    #[test]
    fn names_keep_to_the_conventions() {
        for metric in METRICS {
            let name = metric.name;
            assert!(PREFIXES.iter().any(|prefix| name.starts_with(prefix)), "{name}");
            assert_eq!(name.ends_with("_total"), metric.kind == Kind::Counter, "{name}");
            assert_eq!(name.ends_with("_seconds"), metric.unit == Unit::Seconds, "{name}");
            assert!(metric.help.ends_with('.'), "{name}");
        }
    }

    #[test]
    fn alerts_and_dashboard_name_only_what_exists_and_leave_nothing_out() {
        let (alerts, dashboard) = (alerts(), dashboard());
        let mut texts = Vec::new();
        strings(&alerts, &mut texts);
        strings(&dashboard, &mut texts);
        let words = texts.into_iter().flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        let named: BTreeSet<&str> = words.filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix))).collect();
        let unknown: Vec<_> = named.iter().filter(|series| !is_exported(series)).collect();
        assert!(unknown.is_empty(), "not in the catalogue: {unknown:?}");
        let unseen: Vec<_> =
            METRICS.iter().map(|metric| metric.name).filter(|name| !named.iter().any(|series| series.starts_with(name))).collect();
        assert!(unseen.is_empty(), "nobody would see them: {unseen:?}");
    }

    /// The expressions of a document, at any depth.
    fn expressions<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, field)| match field.as_str() {
                Some(text) if name == "expr" => into.push(text),
                _ => expressions(field, into),
            }),
            Value::Array(items) => items.iter().for_each(|item| expressions(item, into)),
            _ => {}
        }
    }

    /// Whether every bracket of an expression without strings is closed, in order.
    fn is_closed(expression: &str) -> bool {
        let mut open = Vec::new();
        let closes = expression.chars().all(|c| match c {
            '(' | '{' | '[' => {
                open.push(c);
                true
            }
            ')' => open.pop() == Some('('),
            '}' => open.pop() == Some('{'),
            ']' => open.pop() == Some('['),
            _ => true,
        });
        closes && open.is_empty()
    }

    /// The names in the lists that begin with `start` and end with `end`.
    fn listed<'a>(expression: &'a str, start: &'a str, end: char) -> impl Iterator<Item = &'a str> {
        let lists = expression.split(start).skip(1).filter_map(move |rest| rest.split(end).next());
        let names = lists.flat_map(|list| list.split(',')).map(str::trim);
        names.map(|name| name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default())
    }

    #[test]
    fn expressions_are_closed_and_use_labels_that_their_metrics_have() {
        let (alerts, dashboard) = (alerts(), dashboard());
        let mut texts = Vec::new();
        expressions(&alerts, &mut texts);
        let rules = texts.len();
        expressions(&dashboard, &mut texts);
        assert!(rules > 0 && texts.len() > rules);
        for text in texts {
            assert_eq!(text.matches('"').count() % 2, 0, "{text}");
            let expression: String = text.split('"').step_by(2).collect();
            assert!(is_closed(&expression), "{text}");
            let words: Vec<&str> = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
            let metrics = METRICS.iter().filter(|metric| words.iter().any(|word| word.starts_with(metric.name)));
            let labels: BTreeSet<&str> = metrics.flat_map(|metric| metric.labels).copied().chain(["instance", "job", "le"]).collect();
            let unknown: Vec<_> =
                listed(&expression, "{", '}').chain(listed(&expression, "by (", ')')).filter(|label| !labels.contains(label)).collect();
            assert!(unknown.is_empty(), "no label of its metrics: {unknown:?} in {text}");
        }
    }

    #[test]
    fn every_alert_waits_is_graded_and_says_what_to_do() {
        let alerts = alerts();
        let rules: Vec<&Value> = alerts["groups"].as_array().unwrap().iter().flat_map(|group| group["rules"].as_array().unwrap()).collect();
        assert!(!rules.is_empty());
        for rule in &rules {
            let name = rule["alert"].as_str().unwrap();
            assert!(rule["expr"].is_string() && rule["for"].is_string(), "{name}");
            assert!(["info", "warning", "critical"].contains(&rule["labels"]["severity"].as_str().unwrap()), "{name}");
            let mut sentences = Vec::new();
            strings(&rule["annotations"], &mut sentences);
            assert_eq!(sentences.len(), 2, "{name} has a summary and a description");
            let labels: BTreeSet<&str> = listed(rule["expr"].as_str().unwrap(), "by (", ')').collect();
            for named in sentences.iter().flat_map(|sentence| listed(sentence, "$labels.", ' ')) {
                assert!(labels.contains(named), "{name} has no label {named}");
            }
        }
        let names: BTreeSet<&str> = rules.iter().filter_map(|rule| rule["alert"].as_str()).collect();
        assert_eq!(names.len(), rules.len(), "an alert's name is taken twice");
    }
}
