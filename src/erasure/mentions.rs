//! Mentions of a person in rows of others: finding them for an admin, and erasing those that the admin chose.

use super::key::Key;
use super::memories::{self, PART, erase_phrases};
use super::rows::erase_texts;
use super::store::{self, Known, MentionRow, PLACES, Place, Stored};
use super::turns;
use db::Tx;
use extract::redact::quote;
use foundation::{Engine, Error, OpContext, identity};
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{DecisionId, MemoryId, Mention, MentionPlace, MentionRef, UserId};

/// Most mentions of one place that are listed.
const LISTED: i64 = 100;

/// What a person is searched by: the names that were typed, and what the organisation calls the person.
pub(super) fn searched(names: &[String], user: UserId, known: &Known) -> Vec<String> {
    let own = [Some(user.to_string()), known.external_ref.clone(), known.name.clone()];
    let mut all: Vec<String> = names.iter().cloned().chain(own.into_iter().flatten()).map(|name| name.trim().to_owned()).collect();
    all.retain(|name| !name.is_empty());
    all.sort();
    all.dedup();
    all
}

/// Opens a transaction on the database of a place, over every agent's and user's rows.
async fn begin(engine: &Engine, ctx: &OpContext, at: &Place) -> Result<Tx, Error> {
    let db = engine.db();
    let database = match at.database {
        "agent_memory" => &db.memory,
        "shared_kb" => &db.kb,
        _ => &db.control,
    };
    let mut tx = database.begin(ctx.tenancy()).await?;
    db::lift_statement_timeout(&mut tx).await?;
    Ok(tx)
}

/// Rows that mention a person and are not the person's own, with what goes with each, and whether there are more than these. With `ticked`,
/// only these rows.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn search(
    engine: &Engine,
    ctx: &OpContext,
    user: UserId,
    names: &[String],
    ticked: Option<&[MentionRef]>,
) -> Result<(Vec<Mention>, bool), Error> {
    let (mut mentions, mut more) = (Vec::new(), false);
    let by_place = ticked.map(grouped);
    for at in PLACES.iter().filter(|at| ticked.is_some() || at.place != MentionPlace::Turns) {
        let ids = by_place.as_ref().map(|places| places.get(&at.place).cloned().unwrap_or_default());
        if ids.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let most = if ids.is_some() { i64::MAX } else { LISTED };
        let mut tx = begin(engine, ctx, at).await?;
        let found = store::find(&mut tx, at, ctx.tenant_id, user, names, ids.as_deref(), most).await?;
        tx.commit().await?;
        more |= i64::try_from(found.len()).is_ok_and(|found| found == most);
        for MentionRow { id, user_id, text } in found {
            let row = MentionRef { place: at.place, id };
            let (excerpt, names) = quote(&text, names);
            match mentions.iter_mut().find(|mention: &&mut Mention| mention.row() == row) {
                Some(known) => {
                    let fresh: Vec<String> = names.into_iter().filter(|name| !known.names.contains(name)).collect();
                    known.names.extend(fresh);
                }
                None => mentions.push(Mention { place: at.place, id, user_id, user_name: None, excerpt, names, extent: None }),
            }
        }
    }
    let users: Vec<UserId> = mentions.iter().filter_map(|mention| mention.user_id).collect();
    let called = identity::user_names(engine, ctx, &users).await?;
    for mention in &mut mentions {
        mention.user_name = mention.user_id.and_then(|user| called.get(&user).cloned());
        if matches!(mention.place, MentionPlace::Source | MentionPlace::Turns) {
            mention.extent = turns::extent(engine, ctx, mention.id, names).await?;
        }
    }
    Ok((mentions, more))
}

/// Ids by place.
pub(super) fn grouped(rows: &[MentionRef]) -> BTreeMap<MentionPlace, Vec<Uuid>> {
    let mut places: BTreeMap<MentionPlace, Vec<Uuid>> = BTreeMap::new();
    for row in rows {
        places.entry(row.place).or_default().push(row.id);
    }
    places
}

/// The users to whom mentions belong.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn owners(engine: &Engine, ctx: &OpContext, rows: &[MentionRef]) -> Result<Vec<UserId>, Error> {
    let (places, mut users) = (grouped(rows), Vec::new());
    for at in &PLACES {
        if let Some(ids) = places.get(&at.place) {
            let mut tx = begin(engine, ctx, at).await?;
            users.extend(store::owners(&mut tx, at, ctx.tenant_id, ids).await?);
            tx.commit().await?;
        }
    }
    Ok(users)
}

/// Erases the mentions of a request, with the texts of the audit log about them. Doing it again changes nothing.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, rows = stored.ticked.len()))]
pub(super) async fn erase(engine: &Engine, ctx: &OpContext, key: &Key, stored: &Stored) -> Result<(), Error> {
    let (db, tenant) = (engine.db(), ctx.tenant_id);
    for (place, ids) in grouped(&stored.ticked) {
        if !matches!(place, MentionPlace::AuditText | MentionPlace::Turns) {
            erase_texts(engine, ctx, &ids).await?;
        }
        match place {
            MentionPlace::Memory => {
                let memories: Vec<MemoryId> = ids.into_iter().map(MemoryId).collect();
                for part in memories.chunks(PART) {
                    memories::erase(engine, ctx, key, part).await?;
                }
            }
            MentionPlace::Proposal => erase_phrases(engine, ctx, &[], &ids).await?,
            MentionPlace::Decision => {
                let decisions: Vec<DecisionId> = ids.into_iter().map(DecisionId).collect();
                let mut tx = db.kb.begin_erasure(tenant).await?;
                store::empty_decisions(&mut tx, tenant, &decisions).await?;
                tx.commit().await?;
            }
            MentionPlace::Turns => turns::erase(engine, ctx, key, &ids, stored).await?,
            MentionPlace::Source | MentionPlace::Event | MentionPlace::Retrieval | MentionPlace::Quarantine | MentionPlace::Expectation => {
                let mut tx = db.memory.begin_erasure(tenant).await?;
                match place {
                    MentionPlace::Source => store::delete_sources(&mut tx, tenant, stored.request.id, &ids, engine.clock().now()).await?,
                    MentionPlace::Retrieval => store::delete_retrievals(&mut tx, tenant, &ids).await?,
                    MentionPlace::Event => drop(store::delete_where(&mut tx, "events", "id", tenant, &ids).await?),
                    MentionPlace::Expectation => drop(store::delete_where(&mut tx, "expectations", "id", tenant, &ids).await?),
                    _ => drop(store::delete_where(&mut tx, "quarantine", "id", tenant, &ids).await?),
                }
                tx.commit().await?;
            }
            MentionPlace::Action | MentionPlace::Step | MentionPlace::View | MentionPlace::AuditText => {
                let mut tx = db.control.begin_erasure(tenant).await?;
                match place {
                    MentionPlace::Action => store::delete_reports(&mut tx, "actions", "action_terms", tenant, &ids).await?,
                    MentionPlace::Step => store::delete_reports(&mut tx, "workflow_steps", "workflow_step_terms", tenant, &ids).await?,
                    MentionPlace::View => drop(store::delete_where(&mut tx, "saved_views", "id", tenant, &ids).await?),
                    _ => drop(store::delete_where(&mut tx, "audit_texts", "event_id", tenant, &ids).await?),
                }
                tx.commit().await?;
            }
            MentionPlace::Term | MentionPlace::Document | MentionPlace::ExpectationSet => {}
        }
    }
    Ok(())
}
