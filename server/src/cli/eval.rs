//! `remembrancer eval`: measures quality on a file of known answers, in databases that are dropped afterwards; or, of expectations, in the
//! databases of the server.

use super::Failure;
use super::scratch::in_own_databases;
use crate::config::Config;
use crate::serve::{self, IfAbsent, Opened};
use clap::Subcommand;
use db::DatabaseUrls;
use evals::{calibration, capture, context, extraction, profile, retrieval};
use foundation::{Engine, identity, usage};
use serde::Serialize;
use std::fmt::Display;
use std::path::PathBuf;
use tokio_util::task::AbortOnDropHandle;
use wire::{ExpectationRun, ExpectationRunId, ExpectationSetRow, Ranking, RunCause};

#[derive(Subcommand)]
pub enum Eval {
    /// Load memories and questions (JSON lines) and print how well each ranking finds the evidence
    Retrieval {
        file: PathBuf,
        /// Only this ranking
        #[arg(long)]
        ranking: Option<Ranking>,
        /// Only as if everything had just been said; otherwise first at the age that the file gives (its newest memory is of today)
        #[arg(long)]
        fresh: bool,
        /// Write what each question found to this file (JSON lines)
        #[arg(long, value_name = "FILE")]
        questions: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Compare the cosines of labelled questions and pairs (JSON lines) with the thresholds of the embedding model, and propose others
    Calibrate {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Capture conversations (JSON lines), confirm what was extracted, and print how well recall finds the evidence of questions
    Capture { file: PathBuf },
    /// Record observations of people (JSON lines) and print how well the profiles fit what is known about them
    Profile {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Assemble contexts for tasks (JSON lines) and print how well they hold the facts of each, with parts of memory switched off
    Context {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Extract candidates from labelled turns (JSON lines) and print how well they fit what people noted
    Extraction {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run the sets of expectations of a tenant on its memory, keep the runs, and print recall@k, MRR and what changed; fails if one is
    /// not met any more
    Expectations {
        /// The name of a set; without it, all sets
        set: Option<String>,
        #[arg(long)]
        tenant: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs an evaluation and prints its report.
///
/// # Errors
/// When a line cannot be read (the error names it), or a database is out of reach.
pub async fn run(config: Config, command: Eval) -> Result<(), Failure> {
    match command {
        Eval::Retrieval { file, ranking, fresh, questions, json } => {
            let lines = retrieval::read(&file).await?;
            let evaluate = move |engine, urls| async move { retrieval::evaluate(&engine, &urls, &lines, ranking, fresh).await };
            let reports = evaluated(config, evaluate).await?;
            if let Some(path) = &questions {
                tokio::fs::write(path, reports.questions()).await.map_err(|error| format!("{}: {error}", path.display()))?;
            }
            print(&reports, json)
        }
        Eval::Calibrate { files, json } => {
            let mut lines: Vec<calibration::Line> = Vec::new();
            for file in &files {
                lines.extend(evals::read::<calibration::Line>(file).await?);
            }
            let report = evaluated(config, move |engine, _| async move { calibration::evaluate(&engine, &lines).await });
            print(&report.await?, json)
        }
        Eval::Capture { file } => {
            let lines: Vec<retrieval::Line> = evals::read(&file).await?;
            let report = evaluated(config, move |engine, urls| async move { capture::evaluate(&engine, &urls, &lines).await });
            print!("{}", report.await?);
            Ok(())
        }
        Eval::Profile { file, json } => {
            let lines: Vec<profile::Line> = evals::read(&file).await?;
            let report = evaluated(config, move |engine, _| async move { profile::evaluate(&engine, &lines).await });
            print(&report.await?, json)
        }
        Eval::Context { file, json } => {
            let lines: Vec<context::Line> = evals::read(&file).await?;
            let report = evaluated(config, move |engine, _| async move { context::evaluate(&engine, &lines).await });
            print(&report.await?, json)
        }
        Eval::Expectations { set, tenant, json } => expect(&config, &tenant, set.as_deref(), json).await,
        Eval::Extraction { file, json } => print(&extraction::evaluate(&evals::read(&file).await?).await?, json),
    }
}

/// Prints a report for people, or as JSON.
fn print(report: &(impl Serialize + Display), json: bool) -> Result<(), Failure> {
    if json {
        println!("{}", serde_json::to_string_pretty(report)?);
    } else {
        print!("{report}");
    }
    Ok(())
}

/// Runs an evaluation in databases of its own.
async fn evaluated<T: Send + 'static, F: Future<Output = Result<T, Failure>> + Send + 'static>(
    config: Config,
    evaluate: impl FnOnce(Engine, DatabaseUrls) -> F,
) -> Result<T, Failure> {
    let work = |config: Config, urls: DatabaseUrls| async move {
        let (engine, _) = serve::open_at(&config, urls.clone()).await?;
        // On a worker thread, like requests: on this one every wake-up would cross threads.
        let done = AbortOnDropHandle::new(tokio::spawn(evaluate(engine.clone(), urls))).await;
        engine.db().close().await;
        done?
    };
    in_own_databases(config, "eval", work).await
}

/// Runs sets of expectations in the databases of the server.
async fn expect(config: &Config, tenant: &str, set: Option<&str>, json: bool) -> Result<(), Failure> {
    let Opened { engine, postgres } = serve::open(config, IfAbsent::Refuse).await?;
    let done = run_sets(&engine, tenant, set, json).await;
    if let Err(error) = usage::flush(&engine).await {
        tracing::warn!(%error, "the use of models could not be written to the ledger");
    }
    engine.db().close().await;
    if let Some(postgres) = postgres {
        postgres.stop().await?;
    }
    done
}

async fn run_sets(engine: &Engine, tenant: &str, set: Option<&str>, json: bool) -> Result<(), Failure> {
    let ctx = identity::open_tenant(engine, tenant).await?;
    let mut rows: Vec<ExpectationSetRow> = Vec::new();
    for row in expectations::sets(engine, &ctx).await? {
        if set.is_none_or(|name| name == row.set.name) {
            let id = ExpectationRunId(engine.clock().id());
            let run = expectations::evaluate(engine, &ctx, row.set.id, RunCause::Requested, id).await?;
            // A run of the server meanwhile hides no loss.
            rows.push(expectations::since(engine, &ctx, row, run).await?);
        }
    }
    if let (Some(name), true) = (set, rows.is_empty()) {
        return Err(format!("there is no set of expectations called {name}").into());
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        rows.iter().for_each(print_set);
    }
    let lost: i64 = rows.iter().map(|row| row.lost).sum();
    if lost > 0 {
        return Err(format!("{lost} expectations that were met are not met any more: see them on the console's page Expectations").into());
    }
    Ok(())
}

fn print_set(row: &ExpectationSetRow) {
    let Some(last) = &row.set.last else { return };
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let before = |of: fn(&ExpectationRun) -> Option<f64>| match &row.set.before {
        Some(before) => format!(" (before {})", number(of(before))),
        None => String::new(),
    };
    println!(
        "{}: {} of {} met; recall@{} {}{}; MRR {}{}; {} won, {} lost; model {}, vocabulary {}",
        row.set.name,
        last.met,
        last.counted,
        last.k,
        number(last.recall),
        before(|run| run.recall),
        number(last.mrr),
        before(|run| run.mrr),
        row.won,
        row.lost,
        last.model,
        last.vocabulary_version
    );
}
