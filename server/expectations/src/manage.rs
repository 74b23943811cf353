//! What people do to sets: add an expectation where a memory was missed, remove one, delete a set.

use crate::store::{self, StoredExpectation};
use db::Tx;
use foundation::audit::{self, NewEntry};
use foundation::identity::{self, Agent};
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext};
use remembrancer::memories;
use serde_json::json;
use verb::verb;
use wire::{
    EXPECTATION_NOTE_MAX, EXPECTATION_SET_NAME_MAX, EXPECTATION_SETS_MAX, EXPECTATIONS_MAX, EXPECTED_MEMORIES_MAX, ExpectationId,
    ExpectationSetId, MemoryId, MemoryRef, NewExpectation, QUERY_MAX,
};

/// Adds an expectation to a set, which is made if there is none of this name. An expectation that the set already has is not added again.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for another tenant's agent; `Invalid` for a text that is empty or too long, a user
/// that is missing or unknown, and a memory that the organisation does not have; `Conflict` when there are 50 sets or the set has 500
/// expectations.
#[verb(role = Reviewer)]
pub async fn expect(engine: &Engine, ctx: &OpContext, new: NewExpectation) -> Result<(ExpectationSetId, ExpectationId), Error> {
    let new = Admitted::new(new)?.into_inner();
    check(&new)?;
    let agent = identity::all_agents(engine, ctx).await?.into_iter().find(|agent| agent.id == new.agent_id);
    let agent = agent.ok_or(Error::NotFound("agent"))?;
    let user_id = identity::user_of_agent(engine, ctx, &agent, new.user_id.as_ref()).await?;
    let now = engine.clock().now();
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let memory_ids = named(&mut tx, ctx, &agent, &new.memories).await?;
    store::lock_sets(&mut tx, ctx.tenant_id).await?;
    let set_id = set_of(engine, ctx, &mut tx, new.set.trim()).await?;
    let note = new.note.map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
    let expectation = StoredExpectation {
        id: ExpectationId(engine.clock().id()),
        set_id,
        agent_id: agent.id,
        user_id,
        query: new.query.trim().to_owned(),
        memory_ids,
        origin: new.origin,
        note,
        added_by: ctx.actor.name().to_owned(),
        created_at: now,
    };
    if let Some(id) = store::same(&mut tx, ctx.tenant_id, &expectation).await? {
        return Ok((set_id, id));
    }
    store::insert(&mut tx, ctx.tenant_id, &expectation).await?;
    let entry = NewEntry::new(engine, ctx, "expectation.added", "expectation", expectation.id, "expectation added");
    let entry = entry.agent(agent.id).changes(json!({ "set_id": set_id, "memory_ids": expectation.memory_ids }));
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.relay().wake();
    Ok((set_id, expectation.id))
}

fn check(new: &NewExpectation) -> Result<(), Error> {
    let most = EXPECTED_MEMORIES_MAX;
    Checks::default()
        .text("set", &new.set, EXPECTATION_SET_NAME_MAX)
        .that(!new.set.trim().contains(char::is_control), "set", "must be one line")
        .bytes("query", &new.query, QUERY_MAX)
        .that((1..=most).contains(&new.memories.len()), "memories", format!("must name 1 to {most} memories"))
        .limit("note", new.note.as_deref().unwrap_or_default(), EXPECTATION_NOTE_MAX)
        .done()
}

/// The memories that somebody named: of a short id the agent's own before a shared one, and these before other agents' memories.
async fn named(tx: &mut Tx, ctx: &OpContext, agent: &Agent, names: &[MemoryRef]) -> Result<Vec<MemoryId>, Error> {
    let (tenancy, reach) = (ctx.tenancy(), [agent.id, ctx.commons_id]);
    let mut ids = Vec::new();
    for name in names {
        let mut found = match name {
            MemoryRef::Id(id) => memories::store::by_ids(tx, tenancy, None, &[*id], false).await?,
            MemoryRef::Short(short) => memories::store::by_short(tx, tenancy, &reach, short, false).await?,
        };
        if let (MemoryRef::Short(short), true) = (name, found.is_empty()) {
            found = memories::store::by_short(tx, tenancy, &[], short, false).await?;
        }
        let memory = found.into_iter().next();
        let memory =
            memory.ok_or_else(|| Error::invalid("memories", format!("names {name}, and no memory of this organisation has that id")))?;
        if !ids.contains(&memory.id) {
            ids.push(memory.id);
        }
    }
    Ok(ids)
}

/// The set of a name, which is made if there is none.
async fn set_of(engine: &Engine, ctx: &OpContext, tx: &mut Tx, name: &str) -> Result<ExpectationSetId, Error> {
    if let Some(id) = store::set_named(tx, ctx.tenant_id, name).await? {
        if store::count(tx, ctx.tenant_id, id).await? >= EXPECTATIONS_MAX {
            return Err(Error::Conflict(format!("the set has {EXPECTATIONS_MAX} expectations already: remove one, or choose another set")));
        }
        return Ok(id);
    }
    if store::count_sets(tx, ctx.tenant_id).await? >= EXPECTATION_SETS_MAX {
        return Err(Error::Conflict(format!("there are {EXPECTATION_SETS_MAX} sets already: delete one, or choose one of them")));
    }
    let id = ExpectationSetId(engine.clock().id());
    store::insert_set(tx, ctx.tenant_id, id, name, engine.clock().now()).await?;
    Ok(id)
}

/// Removes an expectation with its results, and returns its set. The numbers of earlier runs stay.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for one that the organisation does not have; `Conflict` while its user is under a
/// legal hold.
#[verb(role = Reviewer)]
pub async fn remove(engine: &Engine, ctx: &OpContext, id: ExpectationId) -> Result<ExpectationSetId, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    check_holds(&mut tx, ctx, None, Some(id)).await?;
    let (set_id, agent) = store::remove(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("expectation"))?;
    let entry = NewEntry::new(engine, ctx, "expectation.removed", "expectation", id, "expectation removed");
    let entry = entry.agent(agent).changes(json!({ "set_id": set_id }));
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.relay().wake();
    Ok(set_id)
}

/// Deletes a set with its expectations and runs, and returns its name.
///
/// # Errors
/// `Forbidden` without the role `reviewer`; `NotFound` for one that the organisation does not have; `Conflict` while a user of one of its
/// expectations is under a legal hold.
#[verb(role = Reviewer)]
pub async fn delete_set(engine: &Engine, ctx: &OpContext, id: ExpectationSetId) -> Result<String, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    store::lock_sets(&mut tx, ctx.tenant_id).await?;
    check_holds(&mut tx, ctx, Some(id), None).await?;
    let name = store::delete_set(&mut tx, ctx.tenant_id, id).await?.ok_or(Error::NotFound("set of expectations"))?;
    let entry = NewEntry::new(engine, ctx, "expectation.set_deleted", "expectation_set", id, "set of expectations deleted");
    audit::record(&mut tx, ctx.tenant_id, ctx.commons_id, &entry).await?;
    tx.commit().await?;
    engine.relay().wake();
    Ok(name)
}

/// Refuses to remove the words of a user who is under a legal hold: those of a set, or of one expectation.
async fn check_holds(tx: &mut Tx, ctx: &OpContext, set: Option<ExpectationSetId>, one: Option<ExpectationId>) -> Result<(), Error> {
    if store::held(tx, ctx.tenant_id, set, one).await? > 0 {
        return Err(Error::Conflict("it holds words of a user who is under a legal hold: it stays until an admin lifts the hold".into()));
    }
    Ok(())
}
