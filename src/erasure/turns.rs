//! Erasing only the turns of a source that name a person: the other turns stay, with what quotes them.

use super::key::Key;
use super::memories::{self, PART};
use super::store::{self, Places, Stored};
use extract::Role;
use extract::redact::{Redacted, redact};
use foundation::{Engine, Error, OpContext};
use std::collections::BTreeSet;
use uuid::Uuid;
use verb::verb;
use wire::{ErasureId, SourceExtent};

/// The latest request that erased a source, turns of it, or what a memory quoted, by the id of the source or of the memory.
#[verb(role = Viewer)]
pub async fn erased_by(engine: &Engine, ctx: &OpContext, id: Uuid) -> Result<Option<ErasureId>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    let found = store::erased_by(&mut tx, ctx.tenant_id, &[id]).await?;
    tx.commit().await?;
    Ok(found.first().map(|(_, request)| *request))
}

/// How much of a source, named by one of its parts, an erasure may take; `None` if it is gone.
pub(super) async fn extent(engine: &Engine, ctx: &OpContext, part: Uuid, names: &[String]) -> Result<Option<SourceExtent>, Error> {
    let mut tx = engine.db().memory.begin(ctx.tenancy()).await?;
    db::lift_statement_timeout(&mut tx).await?;
    let parts = store::texts(&mut tx, ctx.tenant_id, part).await?;
    let Some(first) = parts.first() else { return Ok(None) };
    let mut extent = SourceExtent { whole: first.id, form: first.form, turns: 0, speakers: 0, naming: 0, bereft: 0, derived: 0, leaves: 0 };
    let all = Places::whole(&parts.iter().map(|part| part.id).collect::<Vec<_>>());
    let (mut some, mut speakers) = (Places::default(), BTreeSet::new());
    for part in &parts {
        let redacted = redact(&part.content, &part.turns, names);
        extent.turns += part.turns.len() as i64;
        extent.naming += redacted.gone as i64;
        speakers.extend(part.turns.iter().filter(|turn| turn.role != Role::Machine).filter_map(|turn| turn.speaker.as_deref()));
        redacted.places.into_iter().for_each(|place| some.add(part.id, place));
    }
    extent.speakers = speakers.len() as i64;
    extent.bereft = store::derived(&mut tx, ctx.tenant_id, &all, false).await?.len() as i64;
    extent.derived = store::derived(&mut tx, ctx.tenant_id, &some, true).await?.len() as i64;
    extent.leaves = store::count_leaves(&mut tx, ctx.tenant_id, &some).await?;
    tx.commit().await?;
    Ok(Some(extent))
}

/// Erases the turns that name a person from some sources, with what quotes or was made from nothing else. Doing it again changes nothing.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, sources = parts.len()))]
pub(super) async fn erase(engine: &Engine, ctx: &OpContext, key: &Key, parts: &[Uuid], stored: &Stored) -> Result<(), Error> {
    let (tenant, names) = (ctx.tenant_id, &stored.names);
    for part in parts {
        let mut tx = engine.db().memory.begin_erasure(tenant).await?;
        let locked = store::lock_sources(&mut tx, tenant, &[*part], None).await?;
        let texts = store::texts(&mut tx, tenant, *part).await?;
        let redacted: Vec<(Uuid, Redacted)> = texts.into_iter().map(|part| (part.id, redact(&part.content, &part.turns, names))).collect();
        let mut places = Places::default();
        redacted.iter().for_each(|(id, part)| part.places.iter().for_each(|place| places.add(*id, place.clone())));
        // The memories first: an attempt that dies in between finds them again, because their evidence and these turns are still there.
        let gone = store::derived(&mut tx, tenant, &places, true).await?;
        store::mark_erased(&mut tx, tenant, stored.request.id, &locked, &places, &gone, engine.clock().now()).await?;
        for memories in gone.chunks(PART) {
            memories::erase(engine, ctx, key, memories).await?;
        }
        store::delete_quotes(&mut tx, tenant, &places).await?;
        store::delete_leaves(&mut tx, tenant, &locked, &places, names).await?;
        let retitled = redacted.first().is_some_and(|(_, part)| part.opening_went());
        for (id, part) in redacted {
            store::put_redacted(&mut tx, tenant, id, &part, names, retitled).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}
