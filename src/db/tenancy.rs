//! Whose rows a transaction sees.

use crate::api::{AgentId, TenantId};
use uuid::Uuid;

/// Stands for every agent of a tenant in the policies of row-level security.
pub const EVERY_AGENT: AgentId = AgentId(Uuid::max());

/// The settings that the policies of row-level security read; they travel with BEGIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenancy {
    pub tenant: TenantId,
    pub agent: AgentId,
    pub commons: AgentId,
}
