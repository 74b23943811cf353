//! `remembrancer doctor`: looks at an installation, and says what is wrong and what to do. It repairs nothing.

mod cache;
mod checks;
mod cluster;
mod facts;
pub mod machine;
mod replica;
mod storage;

use crate::Failure;
use crate::config::{Config, InvalidVariable};
use clap::Args;
use facts::Facts;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Args)]
pub struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    /// It works, and somebody should look at it.
    Warning,
    /// Something does not work, or a protection is off.
    Error,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Finding {
    /// The row of the table in docs/operations.md.
    check: &'static str,
    level: Level,
    finding: String,
    /// Absent if all is well.
    remedy: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, finding: impl Into<String>) -> Self {
        Self { check, level: Level::Ok, finding: finding.into(), remedy: None }
    }

    fn warning(check: &'static str, finding: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, level: Level::Warning, finding: finding.into(), remedy: Some(remedy.into()) }
    }

    fn error(check: &'static str, finding: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, level: Level::Error, finding: finding.into(), remedy: Some(remedy.into()) }
    }

    /// An error whose sentence says what to do.
    fn sentence(check: &'static str, sentence: impl Into<String>) -> Self {
        Self { check, level: Level::Error, finding: sentence.into(), remedy: None }
    }
}

/// All findings, as `--json` prints them.
#[derive(Serialize)]
struct Report {
    /// The worst of the findings.
    level: Level,
    findings: Vec<Finding>,
}

impl Doctor {
    /// Looks at the installation and prints what it finds; the exit status.
    ///
    /// # Errors
    /// When the embedded Postgres, which it may have started, cannot be stopped.
    pub async fn run(&self, config: &Config) -> Result<ExitCode, Failure> {
        let facts = Facts::gather(config).await?;
        self.print(checks::all(&facts))
    }

    /// Reports a setting that is not valid. Nothing else can be looked at then.
    ///
    /// # Errors
    /// When the report cannot be written as JSON.
    pub fn refuse(&self, error: &InvalidVariable) -> Result<ExitCode, Failure> {
        self.print(vec![Finding::sentence("settings", error.to_string())])
    }

    fn print(&self, findings: Vec<Finding>) -> Result<ExitCode, Failure> {
        let level = findings.iter().map(|finding| finding.level).max().unwrap_or(Level::Ok);
        if self.json {
            println!("{}", serde_json::to_string_pretty(&Report { level, findings })?);
        } else {
            findings.iter().for_each(print);
        }
        Ok(ExitCode::from(match level {
            Level::Ok => 0,
            Level::Warning => 1,
            Level::Error => 2,
        }))
    }
}

fn print(finding: &Finding) {
    let Finding { check, level, finding, remedy } = finding;
    let mark = match level {
        Level::Ok => "ok",
        Level::Warning => "warning",
        Level::Error => "ERROR",
    };
    println!("{mark:<8} {check:<12} {finding}");
    if let Some(remedy) = remedy {
        println!("{:<21} → {remedy}", "");
    }
}
