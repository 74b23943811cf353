//! What an erasure does with phrases that agents proposed: they are topics of memories, which may be a person's words.

use db::{DbError, Tx, sql};
use sqlx::FromRow;
use uuid::Uuid;
use wire::{DecisionId, MemoryId, TenantId};

/// How many proposals only these memories made, and how often they made any.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn phrases_of(tx: &mut Tx, tenant: TenantId, ids: &[MemoryId]) -> Result<(i64, i64), DbError> {
    tx.row(sql!(
        [tenant, ids],
        r"select (select count(*) from term_proposals p
                   where p.tenant_id = $1
                     and p.id in (select proposal_id from proposal_memories where tenant_id = $1 and memory_id = any($2))
                     and not exists (select from proposal_memories o
                                      where o.tenant_id = $1 and o.proposal_id = p.id and (o.memory_id = any($2)) is not true)),
                 (select count(*) from proposal_memories where tenant_id = $1 and memory_id = any($2))"
    ))
    .await
}

#[derive(FromRow)]
struct Gone {
    phrase: String,
    normal: String,
    decision_id: Option<Uuid>,
    id: Uuid,
}

/// Removes what memories proposed, and the proposals that nobody else made or that are named, with their phrases in decisions; the ids of
/// the proposals and decisions.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn delete_phrases(tx: &mut Tx, tenant: TenantId, ids: &[MemoryId], named: &[Uuid]) -> Result<Vec<Uuid>, DbError> {
    let left: Vec<Uuid> = tx
        .values(sql!(
            [tenant, ids, named],
            r"delete from proposal_memories where tenant_id = $1 and (memory_id = any($2) or proposal_id = any($3)) returning proposal_id"
        ))
        .await?;
    let proposals: Vec<Uuid> = left.iter().chain(named).copied().collect();
    let gone: Vec<Gone> = tx
        .rows(sql!(
            [tenant, &proposals],
            r"delete from term_proposals p
           where p.tenant_id = $1 and p.id = any($2)
             and not exists (select from proposal_memories m where m.tenant_id = $1 and m.proposal_id = p.id)
          returning phrase, normal, decision_id, id"
        ))
        .await?;
    tx.run(sql!(
        [tenant, &proposals],
        r"update term_proposals p set count = (select count(*) from proposal_memories m where m.tenant_id = $1 and m.proposal_id = p.id)
           where p.tenant_id = $1 and p.id = any($2)"
    ))
    .await?;
    let decisions: Vec<Uuid> = tx
        .values(sql!(
            [
                tenant,
                gone.iter().filter_map(|one| one.decision_id).collect::<Vec<_>>(),
                gone.iter().map(|one| one.phrase.clone()).collect::<Vec<_>>(),
                gone.iter().map(|one| one.normal.clone()).collect::<Vec<_>>()
            ],
            r"update decisions d
             set subjects = array(select s from unnest(d.subjects) s where s <> all($3)), reason = null,
                 forms = array(select f from unnest(d.forms) f where f <> all($4))
           where d.tenant_id = $1 and (d.id = any($2) or d.subjects && $3 or d.forms && $4)
          returning d.id"
        ))
        .await?;
    Ok(gone.into_iter().map(|one| one.id).chain(decisions).collect())
}

/// Empties what people wrote into decisions.
#[tracing::instrument(level = "debug", skip_all, fields(%tenant, ids = ids.len()))]
pub async fn empty_decisions(tx: &mut Tx, tenant: TenantId, ids: &[DecisionId]) -> Result<u64, DbError> {
    tx.changed(sql!(
        [tenant, ids],
        "update decisions set subjects = '{}', forms = '{}', reason = null where tenant_id = $1 and id = any($2)"
    ))
    .await
}
