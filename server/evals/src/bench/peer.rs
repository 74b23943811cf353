//! LangGraph's PostgresStore, driven by a Python that has it: the same memories and vectors in the same Postgres, searched beside a recall.

use super::caller::{Limit, Measured};
use super::rounds::Slice;
use super::store::Sql;
use crate::Failure;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use uuid::Uuid;

/// The largest agent whose memories are given to it: each goes through Python.
pub const MEMORIES_MAX: usize = 10_000;

/// Answers each line of its input with a line.
const SCRIPT: &str = include_str!("peer.py");
/// Memories in one request.
const PAGE: i64 = 250;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(300);

/// The version of the store that a Python has.
///
/// # Errors
/// When it cannot be started, or has none; the error says why.
pub async fn peer_version(python: &Path) -> Result<String, Failure> {
    let script = "import langgraph.store.postgres, importlib.metadata; print(importlib.metadata.version('langgraph-checkpoint-postgres'))";
    let output = Command::new(python).args(["-c", script]).stdin(Stdio::null()).kill_on_drop(true).output();
    let output = output.await.map_err(|error| format!("{}: {error}", python.display()))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let reason = errors.lines().last().unwrap_or_default();
        return Err(format!("{} has no langgraph-checkpoint-postgres with psycopg: {reason}", python.display()).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A running Python with the memories of one agent.
pub struct Peer {
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    /// Dropping it ends the process.
    _process: Child,
}

impl Peer {
    /// Gives the store the memories of an agent and the questions that it was asked, with their vectors.
    ///
    /// # Errors
    /// When Python fails, which says why on its standard error, or a database is out of reach.
    pub async fn start(python: &Path, url: &str, of: &Measured, sql: &mut Sql) -> Result<Self, Failure> {
        let mut process =
            Command::new(python).args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let (input, output) = process.stdin.take().zip(process.stdout.take()).ok_or("Python has no pipes")?;
        let mut peer = Self { input, output: BufReader::new(output).lines(), _process: process };
        let dimension = of.asked.first().map_or(0, |asked| asked.vector.len());
        peer.send(&json!({ "url": url, "dimension": dimension, "agent": of.reach.agents.first() })).await?;
        let mut after = Uuid::nil();
        loop {
            let page = sql.vectors(&of.reach, dimension, after, PAGE).await?;
            let Some((last, ..)) = page.last() else { break };
            after = *last;
            let put: Vec<Value> = page.iter().map(|(id, text, vector)| json!({ "id": id, "text": text, "vector": vector })).collect();
            peer.send(&json!({ "put": put })).await?;
        }
        let ask: Vec<Value> = of.asked.iter().map(|asked| json!({ "text": asked.text, "vector": asked.vector })).collect();
        peer.send(&json!({ "ask": ask })).await?;
        Ok(peer)
    }

    /// The ids of the ten hits for each question that it was given, in their order.
    ///
    /// # Errors
    /// When Python fails.
    pub async fn hits(&mut self) -> Result<Vec<Vec<Uuid>>, Failure> {
        Ok(serde_json::from_value(self.send(&json!({ "find": true })).await?)?)
    }

    /// Searches for a slice. Times are those of the search in Python.
    ///
    /// # Errors
    /// When Python fails.
    pub async fn repeat(&mut self, limit: Limit) -> Result<Slice, Failure> {
        let answer = self.send(&json!({ "seconds": limit.length.as_secs_f64(), "most": limit.most })).await?;
        let times = answer["times"].as_array().ok_or("LangGraph's store gave no times")?;
        Ok(Slice { times: times.iter().filter_map(Value::as_f64).collect(), seconds: 0.0, failed: 0 })
    }

    async fn send(&mut self, request: &Value) -> Result<Value, Failure> {
        let line = format!("{request}\n");
        let exchange = async {
            self.input.write_all(line.as_bytes()).await?;
            self.input.flush().await?;
            self.output.next_line().await
        };
        let answer = timeout(ANSWER, exchange).await.map_err(|_| "LangGraph's store did not answer in time")??;
        let answer = answer.ok_or("the Python process of LangGraph's store ended")?;
        Ok(serde_json::from_str(&answer)?)
    }
}
