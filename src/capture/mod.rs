//! Capture (stubs; the real module replaces this file).
use crate::api::*;
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;

/// What an operator captures for an agent: stored and captured in one go.
pub struct Paste {
    pub agent_id: AgentId,
    pub mode: CaptureMode,
    pub scope: Option<MemoryScope>,
    pub project_id: Option<uuid::Uuid>,
    pub title: Option<String>,
    pub filename: Option<String>,
    pub text: String,
}
pub async fn paste(_: &Engine, _: &OpContext, _: Paste) -> Result<SourceResponse, Error> {
    unimplemented!()
}
pub async fn sources(_: &Engine, _: &OpContext, _: &SourceFilter) -> Result<Page<SourceRow>, Error> {
    unimplemented!()
}
/// A source with the page of its turns that begins at `turn` (0 is the first).
pub async fn source(_: &Engine, _: &OpContext, _: SourceId, _turn: i64) -> Result<SourceDetail, Error> {
    unimplemented!()
}
pub async fn events(_: &Engine, _: &OpContext, _: &EventFilter) -> Result<Page<EventRow>, Error> {
    unimplemented!()
}
/// Retries dead events; how many.
pub async fn retry(_: &Engine, _: &OpContext, _: &[EventId]) -> Result<i64, Error> {
    unimplemented!()
}
pub async fn numbers(_: &Engine, _: &OpContext) -> Result<CaptureNumbers, Error> {
    unimplemented!()
}
