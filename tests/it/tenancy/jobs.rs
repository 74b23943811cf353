//! The queries of the queue.

use super::queries::{Case, Pooled, Query, control, queries};
use foundation::jobs::{NewEvent, Origin, PostedJob, State, Task, store as jobs};
use serde_json::json;
use wire::{EventId, EventKind};

fn new_event(case: &Case, task: Task, state: State) -> NewEvent {
    let (kind, origin) = (EventKind::Maintenance, Origin::default());
    NewEvent { id: EventId(case.fresh), kind, task, payload: json!({}), state, origin, now: case.now }
}

/// In the database of memories; kept apart by tenant and by agent.
pub const JOBS: &[Query] = queries! {
    "jobs::unfiled" |tx, c| jobs::unfiled(tx, c.tenant).await? as usize;
    "jobs::insert" |tx, c| {
        jobs::insert(tx, c.tenant, c.agent, &new_event(c, Task::Embed, State::Done)).await?;
        0
    };
};

/// In the database of knowledge; kept apart by tenant.
pub const JOBS_KB: &[Query] = queries! {
    "jobs::depth_of" |tx, c| jobs::depth_of(tx, c.tenant).await?.len();
    "jobs::sweep" |tx, c| jobs::sweep(tx, c.tenant, c.now + chrono::Duration::days(3650), 9).await? as usize;
};

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![
        control("jobs::commons", |pool, c| {
            Box::pin(async move { Ok(usize::from(jobs::commons(pool, c.tenant).await? == Some(c.commons))) })
        }),
        Pooled {
            name: "jobs::deliver",
            kb: true,
            run: |pool, c| {
                let posted = PostedJob { task: Task::EmbedTerms, payload: json!({}), run_after: c.now };
                Box::pin(async move { jobs::deliver(pool, c.tenant, c.agent, EventId(c.fresh), &posted, c.now).await.map(|()| 0) })
            },
        },
    ]
}
