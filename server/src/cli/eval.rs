//! `remembrancer eval`: measures quality on a file of known answers, in databases that are dropped afterwards.

use super::Failure;
use super::scratch::in_own_databases;
use crate::config::Config;
use crate::serve;
use clap::Subcommand;
use db::DatabaseUrls;
use evals::{calibration, capture, context, extraction, profile, retrieval};
use foundation::Engine;
use serde::Serialize;
use std::fmt::Display;
use std::path::PathBuf;
use tokio_util::task::AbortOnDropHandle;
use wire::Ranking;

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
