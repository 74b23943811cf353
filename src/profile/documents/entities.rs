//! Entities: what the tool of a connection holds, as the caller's runtime reports it.

use super::store;
use super::write::index_entities;
use crate::profile::Subject;
use crate::profile::apply::lock_profile;
use crate::profile::store::connections;
use foundation::idempotency::Once;
use foundation::identity::acting_for;
use foundation::intake::Admitted;
use foundation::{Checks, Engine, Error, OpContext};
use std::collections::HashSet;
use uuid::Uuid;
use verb::verb;
use wire::{
    ConnectionEntity, ENTITIES_BYTES_MAX, ENTITIES_MAX, ENTITY_KEY_MAX, ENTITY_MAX, KeyScope, PutEntitiesRequest, PutEntitiesResponse,
    UserRef,
};
use words::guard;

/// Replaces the entities of a connection. An entity whose text may carry instructions for an agent is not stored; the answer names it.
///
/// # Errors
/// `Forbidden` without `capture:write`; `NotFound` for a connection of another agent, user or organisation; `Invalid` with every field that
/// is empty, too long or there twice.
#[verb(entities = request.entities.len())]
pub async fn put_entities(
    engine: &Engine,
    ctx: &OpContext,
    id: Uuid,
    request: PutEntitiesRequest,
    user: Option<&UserRef>,
) -> Result<PutEntitiesResponse, Error> {
    let agent_id = ctx.agent_id()?;
    ctx.require(KeyScope::CaptureWrite)?;
    // What is stored is what is checked: a key without its secret may be the same as another, or longer.
    let request = Admitted::new(id)?.with(Admitted::new(request)?);
    let ctx = &acting_for(engine, ctx, user).await?;
    check(&request.1)?;
    let once = Once::new(engine, ctx, "put_entities", &request)?;
    let (harmless, refused): (Vec<_>, Vec<_>) = request.into_inner().1.entities.into_iter().partition(is_harmless);
    let answer = PutEntitiesResponse {
        connection_id: id,
        entities: u32::try_from(harmless.len()).unwrap_or(u32::MAX),
        refused: refused.into_iter().map(|entity| entity.key).collect(),
    };
    let entities: Vec<(Uuid, ConnectionEntity)> = harmless.into_iter().map(|entity| (engine.clock().id(), entity)).collect();
    let (subject, tenancy, now) = (Subject { agent_id, user_id: ctx.user() }, ctx.tenancy(), engine.clock().now());
    let mut tx = engine.db().memory.begin(tenancy).await?;
    if let Some(answer) = once.claim(&mut tx).await? {
        return Ok(answer);
    }
    lock_profile(&mut tx, subject).await?;
    if connections(&mut tx, tenancy, subject, Some(id), 1, now).await?.is_empty() {
        return Err(Error::NotFound("connection"));
    }
    store::put_entities(&mut tx, tenancy, subject, id, &entities, now).await?;
    index_entities(engine, ctx, &mut tx, subject, id, &entities).await?;
    once.commit(tx, &answer, &[]).await?;
    engine.jobs().wake();
    Ok(answer)
}

fn is_harmless(entity: &ConnectionEntity) -> bool {
    guard::inspect(&format!("{}: {}", entity.key, entity.content)).is_empty()
}

fn check(request: &PutEntitiesRequest) -> Result<(), Error> {
    let count = request.entities.len();
    let bytes = request.entities.iter().map(|entity| entity.content.len()).sum::<usize>();
    let mut checks = Checks::default();
    checks.that(count <= ENTITIES_MAX, "entities", format!("has {count} entries; at most {ENTITIES_MAX} are allowed")).that(
        bytes <= ENTITIES_BYTES_MAX,
        "entities",
        format!("has {bytes} bytes of text; at most {ENTITIES_BYTES_MAX} are allowed"),
    );
    let mut keys = HashSet::new();
    for (number, entity) in request.entities.iter().take(ENTITIES_MAX).enumerate() {
        let field = |name: &str| format!("entities[{number}].{name}");
        checks
            .text(&field("key"), &entity.key, ENTITY_KEY_MAX)
            .bytes(&field("content"), &entity.content, ENTITY_MAX)
            .optional_text(&field("message_id"), entity.message_id.as_deref(), ENTITY_KEY_MAX)
            .that(keys.insert(&entity.key), &field("key"), "is the key of an earlier entity");
    }
    checks.done()
}
