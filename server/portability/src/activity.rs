//! What agents reported, on its way into the database: rows that exist stay, new ones get their words at once.

use super::import::counted;
use super::lines::{Line, Section, is_searchable};
use super::put;
use super::read::Batch;
use super::store;
use db::{Tenancy, Tx, Users};
use foundation::{Engine, Error, OpContext};
use remembrancer::activity::store::{Text, put_words};
use remembrancer::activity::{Body, Reports};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;
use wire::{ImportCount, UserId};

fn report(line: &Line) -> Option<(Uuid, Option<UserId>, Body)> {
    match line {
        Line::Action(line) => Some((line.id, line.user_id, line.body())),
        Line::WorkflowStep(line) => Some((line.id, line.user_id, line.body())),
        _ => None,
    }
}

async fn begin(engine: &Engine, ctx: &OpContext) -> Result<Tx, Error> {
    Ok(engine.db().control.begin(ctx.tenancy()).await?)
}

/// What a batch would add.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn check(engine: &Engine, ctx: &OpContext, batch: &Batch) -> Result<ImportCount, Error> {
    let ids = batch.lines.iter().filter_map(|(_, line)| report(line)).map(|(id, ..)| json!({ "id": id })).collect();
    let mut tx = begin(engine, ctx).await?;
    let unchanged = store::count_existing(&mut tx, ctx.tenancy(), batch.section, &Value::Array(ids)).await?;
    tx.commit().await?;
    Ok(counted(batch.count(), unchanged))
}

/// Writes a batch.
#[tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor))]
pub(super) async fn write(engine: &Engine, ctx: &OpContext, batch: &Batch) -> Result<ImportCount, Error> {
    let of = if batch.section == Section::Action { Reports::Actions } else { Reports::Steps };
    let rows = put::rows(batch, None)?;
    let mut tx = begin(engine, ctx).await?;
    let added: HashSet<Uuid> = store::put_reports(&mut tx, ctx.tenancy(), batch.section, &rows).await?.into_iter().collect();
    let mut texts: BTreeMap<Option<UserId>, Vec<Text>> = BTreeMap::new();
    for (id, user, body) in batch.lines.iter().filter_map(|(_, line)| report(line)) {
        if added.contains(&id) && is_searchable(&body) {
            texts.entry(user).or_default().push(Text::new(id, body.kind(), &body.searched_text()));
        }
    }
    for (user, texts) in texts {
        let tenancy = Tenancy { users: Users::from(user), ..ctx.tenancy() };
        put_words(&mut tx, tenancy, of, &texts).await?;
    }
    tx.commit().await?;
    Ok(counted(batch.count(), i64::try_from(batch.lines.len() - added.len()).unwrap_or(i64::MAX)))
}
