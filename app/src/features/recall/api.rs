use crate::{ConsoleError, features::people::with_names, guard::operator};
use remembrancer::recall;
use wire::{
    DiagnoseRequest, Diagnosis, Gate, HealthFilter, OperatorRole, Page, Playground, PlaygroundRequest, RecallHealth, Replay, Retrieval,
    RetrievalDetail, RetrievalFilter, RetrievalId, ZeroHit,
};

/// Counts recalls and zero hits.
pub async fn measure_recall(filter: HealthFilter) -> Result<RecallHealth, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::health(&engine, &ctx, &filter).await?)
}

/// One page of recalls that found nothing, newest first.
pub async fn zero_hits(filter: HealthFilter) -> Result<Page<ZeroHit>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::zero_hits(&engine, &ctx, &filter).await?)
}

/// Runs a recall as an agent and returns every step; nothing without a request. Nothing is logged or counted.
pub async fn try_recall(request: Option<PlaygroundRequest>) -> Result<Option<Playground>, ConsoleError> {
    let Some(request) = request else { return Ok(None) };
    let (engine, ctx) = operator().await?;
    Ok(Some(recall::playground(&engine, &ctx, &request).await?))
}

/// Follows one memory through a recall of an agent; nothing without a request. Nothing is logged or counted.
pub async fn diagnose(request: Option<DiagnoseRequest>) -> Result<Option<Diagnosis>, ConsoleError> {
    let Some(request) = request else { return Ok(None) };
    let (engine, ctx) = operator().await?;
    let mut diagnosis = recall::diagnose(&engine, &ctx, &request).await?;
    // The page offers only what the viewer may do.
    if let Some(memory) = &mut diagnosis.memory {
        memory.restorable &= ctx.require_role(OperatorRole::Operator).is_ok();
    }
    diagnosis.verdict = with_names(diagnosis.verdict).await;
    for gate in diagnosis.gates.iter_mut().filter(|result| result.gate == Gate::User) {
        gate.detail = with_names(std::mem::take(&mut gate.detail)).await;
    }
    Ok(Some(diagnosis))
}

/// One page of the recall log, newest first.
pub async fn list_retrievals(filter: RetrievalFilter) -> Result<Page<Retrieval>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::retrievals(&engine, &ctx, &filter).await?)
}

pub async fn read_retrieval(id: RetrievalId) -> Result<RetrievalDetail, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::retrieval(&engine, &ctx, id, None).await?)
}

/// Why one recall found nothing; nothing if it found something.
pub async fn zero_hit(id: RetrievalId) -> Result<Option<ZeroHit>, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::zero_hit(&engine, &ctx, id).await?)
}

/// Repeats a recall as of its time, and as of now. Nothing is logged or counted.
pub async fn replay_retrieval(id: RetrievalId) -> Result<Replay, ConsoleError> {
    let (engine, ctx) = operator().await?;
    Ok(recall::replay(&engine, &ctx, id, None).await?)
}
