//! Consolidation (stubs; the real module replaces this file).
use crate::api::*;
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;

pub async fn inbox(_: &Engine, _: &OpContext, _: &InboxFilter) -> Result<Page<InboxItem>, Error> {
    unimplemented!()
}
/// Items by id, decided or not, in the order of `ids`.
pub async fn items(_: &Engine, _: &OpContext, _: &[MemoryId]) -> Result<Vec<InboxItem>, Error> {
    unimplemented!()
}
/// What `decide` would do.
pub async fn preview(_: &Engine, _: &OpContext, _: &[MemoryId], _: &InboxVerdict) -> Result<InboxOutcome, Error> {
    unimplemented!()
}
pub async fn decide(_: &Engine, _: &OpContext, _: &[MemoryId], _: InboxVerdict) -> Result<InboxOutcome, Error> {
    unimplemented!()
}
/// Accepts or declines a proposal about two memories.
pub async fn decide_pair(_: &Engine, _: &OpContext, _: PairId, _accept: bool) -> Result<(), Error> {
    unimplemented!()
}
pub async fn quarantine(_: &Engine, _: &OpContext, _after: Option<&str>) -> Result<Page<QuarantineItem>, Error> {
    unimplemented!()
}
/// Releases a turn (it is extracted like any other) or dismisses it.
pub async fn decide_quarantine(_: &Engine, _: &OpContext, _: QuarantineId, _release: bool) -> Result<(), Error> {
    unimplemented!()
}
pub async fn policy(_: &Engine, _: &OpContext) -> Result<CapturePolicy, Error> {
    unimplemented!()
}
pub async fn set_policy(_: &Engine, _: &OpContext, _: CapturePolicy) -> Result<(), Error> {
    unimplemented!()
}
