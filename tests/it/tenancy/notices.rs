//! The queries of notices.

use super::queries::{Case, Pooled, Query, control, kept, queries};
use db::Tenancy;
use foundation::notices::store as notices;
use wire::{EventId, Notice, NoticeKind};

/// In the control database; kept apart by tenant.
pub const NOTICES: &[Query] = queries! {
    "notices::head" |tx, c| usize::from(notices::head(tx, c.tenant).await?.is_some());
    "notices::after" |tx, c| notices::after(tx, c.tenant, 0, Some(c.agent), c.commons, 9).await?.len();
    "notices::slugs" |tx, c| notices::slugs(tx, c.tenant).await?.iter().filter(|(agent, _)| *agent == c.agent).count();
};

/// In the database of memories; kept apart by tenant, by agent and by user.
pub const READABLE: &[Query] = queries! {
    "notices::readable" |tx, c| {
        let tenancy = Tenancy { agent: c.agent, commons: c.commons, ..c.ctx.tenancy() };
        notices::readable(tx, tenancy, &[c.id.0]).await?.len()
    };
};

fn notice(case: &Case) -> Notice {
    let (kind, target_id) = (NoticeKind::MemoryStored, case.id.to_string());
    Notice { id: EventId(case.fresh), kind, agent_id: Some(case.agent), target_id, at: case.now }
}

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![
        control("notices::first", |pool, c| Box::pin(async move { Ok(usize::from(notices::first(pool, c.tenant).await?.is_some())) })),
        control("notices::heads", |pool, c| Box::pin(async move { Ok(notices::heads(pool, &[c.tenant.0]).await?.len()) })),
        control("notices::append", |pool, c| kept!(pool, |tx| notices::append(tx, c.tenant, &[notice(c)]).await.map(|()| 0)?)),
    ]
}
