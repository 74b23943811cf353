//! Mentions of a person in rows of others: finding them for an admin, and erasing those that the admin chose.

use super::key::Key;
use super::memories::{self, PART, erase_phrases};
use super::rows::erase_texts;
use super::store::{self, Known, MentionRow, PLACES, Place};
use db::Tx;
use foundation::{Engine, Error, OpContext};
use std::collections::BTreeMap;
use uuid::Uuid;
use wire::{DecisionId, MemoryId, Mention, MentionPlace, MentionRef, UserId};

/// Most mentions of one place that are listed.
const LISTED: i64 = 100;
/// Characters before and after the name in an excerpt.
const AROUND: usize = 60;

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

/// Rows that mention a person and are not the person's own, and whether there are more than these. With `ticked`, only these rows.
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
    for at in &PLACES {
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
            if !mentions.iter().any(|mention: &Mention| mention.row() == row) {
                mentions.push(Mention { place: at.place, id, user_id, excerpt: excerpt(&text, names) });
            }
        }
    }
    Ok((mentions, more))
}

/// The text around the first of some names.
fn excerpt(text: &str, names: &[String]) -> String {
    let lower = text.to_lowercase();
    let at = names.iter().filter_map(|name| lower.find(&name.to_lowercase())).min().unwrap_or(0);
    // Lower case may be longer: a place in characters is near enough.
    let middle = lower.get(..at).map_or(0, |before| before.chars().count());
    let start = middle.saturating_sub(AROUND);
    let part: String = text.chars().skip(start).take(2 * AROUND + AROUND / 2).collect();
    let front = if start > 0 { "…" } else { "" };
    let back = if text.chars().count() > start + part.chars().count() { "…" } else { "" };
    format!("{front}{}{back}", part.split_whitespace().collect::<Vec<_>>().join(" "))
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

/// Erases rows that mention a person, with the texts of the audit log about them. Doing it again changes nothing.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, rows = rows.len()))]
pub(super) async fn erase(engine: &Engine, ctx: &OpContext, key: &Key, rows: &[MentionRef]) -> Result<(), Error> {
    let (db, tenant) = (engine.db(), ctx.tenant_id);
    for (place, ids) in grouped(rows) {
        if place != MentionPlace::AuditText {
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
            MentionPlace::Source | MentionPlace::Event | MentionPlace::Retrieval | MentionPlace::Quarantine => {
                let mut tx = db.memory.begin_erasure(tenant).await?;
                match place {
                    MentionPlace::Source => store::delete_sources(&mut tx, tenant, &ids).await?,
                    MentionPlace::Retrieval => store::delete_retrievals(&mut tx, tenant, &ids).await?,
                    MentionPlace::Event => drop(store::delete_where(&mut tx, "events", "id", tenant, &ids).await?),
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
            MentionPlace::Term | MentionPlace::Document => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn an_excerpt_shows_the_name_and_what_is_around_it() {
        let names = ["vera".to_owned(), "lindt".to_owned()];
        assert_eq!(excerpt("Ask Vera\nabout tea", &names), "Ask Vera about tea");
        let long = format!("{} Vera {}", "before ".repeat(40), "after ".repeat(40));
        let short = excerpt(&long, &names);
        assert!(short.starts_with('…') && short.ends_with('…') && short.contains("Vera") && short.chars().count() < 160, "{short}");
        assert_eq!(excerpt("İİİ Vera", &names), "İİİ Vera");
        assert_eq!(excerpt("", &names), "");
    }
}
