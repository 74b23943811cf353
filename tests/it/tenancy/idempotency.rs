//! The queries of idempotent requests and their answers.

use super::queries::{Query, queries};
use foundation::idempotency::store as idempotency;
use remembrancer::memories::store as memories;
use serde_json::json;

/// In every database; kept apart by tenant, by agent and by user.
pub const IDEMPOTENCY: &[Query] = queries! {
    "idempotency::insert" |tx, c| { idempotency::insert(tx, c.ctx.tenancy(), c.request("tea-2"), c.now).await?; 0 };
    "idempotency::find" |tx, c| usize::from(idempotency::find(tx, c.ctx.tenancy(), c.request("tea-1"), c.long_ago()).await?.is_some());
    "idempotency::delete_expired" |tx, c| {
        idempotency::delete_expired(tx, c.ctx.tenancy(), c.request("tea-1"), c.now + chrono::Duration::days(1)).await? as usize
    };
    "idempotency::add_memories" |tx, c|
        idempotency::add_memories(tx, c.ctx.tenancy(), c.request("tea-1"), &[c.other]).await? as usize;
    "idempotency::put_answer" |tx, c| idempotency::put_answer(tx, c.ctx.tenancy(), c.request("tea-1"), &json!("intruded"), &[]).await? as usize;
};

/// In the database of memories alone: answers are repeated and erased with the memories that they name.
pub const IDEMPOTENCY_MEMORY: &[Query] = queries! {
    "idempotency::is_out_of_reach" |tx, c|
        usize::from(!idempotency::is_out_of_reach(tx, c.ctx.tenancy(), &[c.id], c.now).await?);
    "idempotency::erase" |tx, c| {
        memories::mark_deleted(tx, c.ctx.tenancy(), &c.memory, "intruder", None, c.now).await?;
        idempotency::erase(tx, c.ctx.tenancy(), c.id).await? as usize
    };
};
