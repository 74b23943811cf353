//! `remembrancer model`: changes the embedding model while the server runs.

use super::Failure;
use clap::Subcommand;
use foundation::identity::{self, open_tenant};
use foundation::registry::{self, EmbeddingModel, ModelState};
use foundation::{Engine, OpContext};
use remembrancer::model_change::{self, Comparison, Filled, Kind, Labelled};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wire::{MemoryId, UserRef};

#[derive(Subcommand)]
pub enum Model {
    /// Print which embedding models there are, which one is in use, and how many texts have a vector of each
    List,
    /// Keep a model beside the one in use: a running server fills in its vectors
    Add {
        /// As the list has it
        name: String,
    },
    /// Print how much of what agents find is the same with a model and with the one in use
    Compare {
        /// A model that was added
        name: String,
        /// Questions with the memories that answer them, as JSON lines: {"tenant", "agent", "user", "query", "memory_ids"}
        #[arg(long, value_name = "FILE")]
        questions: Option<PathBuf>,
        /// Only the logged questions of this tenant
        #[arg(long)]
        tenant: Option<String>,
        /// Most logged questions of each tenant, newest first
        #[arg(long, default_value_t = 200)]
        most: usize,
        /// Compare even if vectors are missing
        #[arg(long)]
        anyway: bool,
    },
    /// Use a model that was added, from now on
    Switch {
        name: String,
        /// Switch even if vectors are missing: these texts are found by their words until they have one
        #[arg(long)]
        anyway: bool,
    },
    /// Use the model again that was in use before
    Rollback {
        /// Switch even if vectors are missing: these texts are found by their words until they have one
        #[arg(long)]
        anyway: bool,
    },
    /// Delete the vectors of a model that is not in use
    Drop { name: String },
}

/// Lists or changes the embedding models.
///
/// # Errors
/// A sentence that says what to do.
pub async fn run(engine: &Engine, command: Model) -> Result<(), Failure> {
    match command {
        Model::List => list(engine).await?,
        Model::Add { name } => {
            model_change::add(engine, &name).await?;
            println!("a running server fills in the vectors of {name}; 'remembrancer model list' shows how far it is");
        }
        Model::Compare { name, questions, tenant, most, anyway } => {
            let questions = Questions { file: questions, tenant, most };
            compare(engine, &name, &questions, anyway).await?;
        }
        Model::Switch { name, anyway } => {
            model_change::switch(engine, &name, anyway).await?;
            println!("{name} is in use: running servers follow within seconds; 'remembrancer model rollback' goes back");
        }
        Model::Rollback { anyway } => println!("{} is in use again", model_change::rollback(engine, anyway).await?),
        Model::Drop { name } => println!("deleted {} vectors of {name}", model_change::drop_model(engine, &name).await?),
    }
    Ok(())
}

async fn list(engine: &Engine) -> Result<(), Failure> {
    println!("{:<26} {:<10} {:>10}  texts with a vector", "model", "state", "dimensions");
    for state in model_change::models(engine).await? {
        let filled = if state.is_kept { filled(engine, &state.name).await? } else { String::new() };
        println!("{:<26} {:<10} {:>10}  {filled}", state.name, named(&state), state.dimension);
        if let Some(fault) = &state.fault {
            println!("  a server could not load it: {fault}");
        }
    }
    Ok(())
}

fn named(state: &ModelState) -> &'static str {
    match (state.is_current, state.is_kept) {
        (true, _) => "in use",
        (false, true) => "kept",
        (false, false) => "available",
    }
}

/// How many texts of all organisations have a vector of a model, by kind.
async fn filled(engine: &Engine, name: &str) -> Result<String, Failure> {
    let model = registered(engine, name).await?;
    let mut sum: BTreeMap<Kind, Filled> = BTreeMap::new();
    for ctx in model_change::organisations(engine).await? {
        for (kind, filled) in model_change::progress(engine, &ctx, &model).await? {
            let entry = sum.entry(kind).or_default();
            entry.total += filled.total;
            entry.filled += filled.filled;
        }
    }
    let kinds = sum.into_iter().map(|(kind, Filled { total, filled })| format!("{} {filled} of {total}", kind.as_str()));
    Ok(kinds.collect::<Vec<_>>().join(", "))
}

async fn registered(engine: &Engine, name: &str) -> Result<EmbeddingModel, Failure> {
    let model = registry::registered(&engine.db().control, name).await?;
    model.ok_or_else(|| format!("the model registry does not have {name}: 'remembrancer model list' shows what it has").into())
}

/// Where the questions of a comparison come from: the logs, and a file.
struct Questions {
    file: Option<PathBuf>,
    tenant: Option<String>,
    most: usize,
}

/// A line of a file of questions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    tenant: String,
    /// The agent's slug.
    agent: String,
    user: Option<UserRef>,
    query: String,
    memory_ids: Vec<MemoryId>,
}

async fn compare(engine: &Engine, name: &str, questions: &Questions, anyway: bool) -> Result<(), Failure> {
    let states = model_change::models(engine).await?;
    let current = states.iter().find(|state| state.is_current).ok_or("no embedding model is in use")?;
    if !states.iter().any(|state| state.is_kept && !state.is_current && state.name == name) {
        return Err(format!("{name} is not kept beside the model in use: run 'remembrancer model add {name}' first").into());
    }
    let (one, other) = (engine.with_model(engine.load(&current.name).await?), engine.with_model(engine.load(name).await?));
    let lacking = if anyway { 0 } else { model_change::lacking_of_all(&other).await? };
    if lacking > 0 {
        return Err(format!("{lacking} texts lack a vector of {name}: wait until a server has filled them in, or add --anyway").into());
    }
    let mut sum = Comparison::default();
    for (ctx, asked) in asked(engine, questions).await? {
        model_change::compare(&one, &other, &ctx, &asked, &mut sum).await?;
    }
    print(&sum, &current.name, name);
    Ok(())
}

/// The questions by organisation.
async fn asked(engine: &Engine, questions: &Questions) -> Result<Vec<(OpContext, Vec<Labelled>)>, Failure> {
    let mut all = Vec::new();
    let contexts = match &questions.tenant {
        Some(tenant) => vec![open_tenant(engine, tenant).await?],
        None => model_change::organisations(engine).await?,
    };
    for ctx in contexts {
        let logged = model_change::logged(engine, &ctx, questions.most).await?;
        all.push((ctx, logged));
    }
    for line in questions.file.as_deref().map(read).transpose()?.unwrap_or_default() {
        let ctx = open_tenant(engine, &line.tenant).await?;
        let agent_id = identity::agent_by_slug(engine, &ctx, &line.agent).await?.id;
        let user_id = match &line.user {
            Some(user) => identity::known_user(engine, &ctx, user).await?,
            None => None,
        };
        all.push((ctx, vec![Labelled { agent_id, user_id, query: line.query, memory_ids: line.memory_ids }]));
    }
    Ok(all)
}

fn read(file: &Path) -> Result<Vec<Line>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(at, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {} of {} is not a question: {error}", at + 1, file.display()).into())
    });
    read.collect()
}

fn print(sum: &Comparison, current: &str, name: &str) {
    match sum.overlap() {
        Some(overlap) => println!("overlap@10 of {current} and {name}: {overlap:.3} ({} questions)", sum.answered),
        None => println!("no question found anything, so there is nothing to compare"),
    }
    if let Some([one, other]) = sum.recall() {
        println!("recall@10 of {current}: {one:.3}\nrecall@10 of {name}: {other:.3}");
    }
    if sum.skipped > 0 {
        println!("{} questions were skipped: their agent or user is gone", sum.skipped);
    }
}
