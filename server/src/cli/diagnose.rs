//! `remembrancer diagnose`: why an agent does not get a memory, from a shell.

use super::Failure;
use super::identity::open_agent;
use clap::Args;
use foundation::Engine;
use remembrancer::recall;
use wire::{DiagnoseRequest, Diagnosis, GateOutcome, MemoryRef, Ranking, RecallRequest, UserRef};

#[derive(Args)]
pub struct Diagnose {
    /// The question that should find the memory
    query: String,
    #[arg(long)]
    tenant: String,
    /// The agent that asks
    #[arg(long)]
    agent: String,
    /// The memory, by its id or its short id
    #[arg(long)]
    memory: MemoryRef,
    /// The user on whose behalf it asks: your own reference, or the id that memories carry
    #[arg(long)]
    user: Option<UserRef>,
    /// How many hits it asks for
    #[arg(short, default_value_t = 10)]
    k: u32,
    /// decay, hybrid or hybrid_decay
    #[arg(long)]
    ranking: Option<Ranking>,
}

/// Prints the verdict, how to fix it, and every gate.
///
/// # Errors
/// When there is no such agent, or the question is refused.
pub async fn diagnose(engine: &Engine, command: Diagnose) -> Result<(), Failure> {
    let (ctx, agent_id) = open_agent(engine, &command.tenant, &command.agent).await?;
    let Diagnose { query, memory, user, k, ranking, .. } = command;
    let recall = RecallRequest { k, user_id: user, ranking, ..RecallRequest::new(&query) };
    print(&recall::diagnose(engine, &ctx, &DiagnoseRequest { agent_id, memory, recall }).await?);
    Ok(())
}

fn print(diagnosis: &Diagnosis) {
    println!("{}", diagnosis.verdict);
    if let Some(mend) = diagnosis.stop().and_then(|stop| stop.mend.as_ref()) {
        println!("{}", mend.text);
    }
    println!();
    for result in &diagnosis.gates {
        let mark = match result.outcome {
            GateOutcome::Passed => "passed",
            GateOutcome::Short => "short",
            GateOutcome::Stopped => "STOPPED",
            GateOutcome::Open => "-",
        };
        println!("{:<11} {mark:<8} {}", result.gate.as_str(), result.detail);
    }
}
