//! All SQL of the vocabulary: terms, proposals, decisions, and how proposals arrive.

mod decisions;
mod terms;

pub use decisions::{
    DecisionRow, ProposalRow, count_decisions, count_proposals, decided_together, decisions, decisions_about, history, insert_decision,
    list_decisions, list_proposals, mark_undone, mark_unused, met_in, met_phrases, proposals, reopen, settle, undone_by,
};
pub use terms::{
    TermRow, apply, count_terms, list_terms, nearest_terms, newest, next_version, put_term_vector, rows, term_named, term_names, unembedded,
};

use db::{DbError, SystemPool, Tx, begin, lock, lock_key, sql};
use foundation::audit::Proposal;
use uuid::Uuid;
use wire::{EventId, TenantId};

/// Takes the lock that serialises changes of a tenant's vocabulary.
pub async fn lock_vocabulary(tx: &mut Tx, tenant: TenantId) -> Result<(), DbError> {
    lock(tx, lock_key(&[b"vocabulary", tenant.0.as_bytes()])).await
}

/// Counts a proposal once per delivery: adds to the open one, to a rejected one or, if the phrase became known meanwhile, to the one that
/// made it known. Otherwise it opens one, also for a phrase that is no longer a term.
pub async fn deliver_proposal(kb: &SystemPool, tenant: TenantId, event: EventId, id: Uuid, proposal: &Proposal) -> Result<(), DbError> {
    let mut tx = begin(kb).await?;
    lock(&mut tx, lock_key(&[b"proposal", tenant.0.as_bytes(), proposal.normal.as_bytes()])).await?;
    let known: Option<Uuid> = tx
        .value_if_any(sql!(
            [tenant, &proposal.normal],
            r"select id from term_proposals
           where tenant_id = $1 and normal = $2 and (status in ('open', 'rejected')
                 or exists (select 1 from canonical_terms t where t.tenant_id = $1 and t.normal = $2 and t.valid_to is null)
                 or exists (select 1 from term_aliases a where a.tenant_id = $1 and a.normal = $2 and a.valid_to is null))
           order by (status = 'open') desc, last_seen desc, id desc limit 1"
        ))
        .await?;
    let proposal_id = match known {
        Some(id) => id,
        None => {
            tx.run(sql!(
                [tenant, id, &proposal.phrase, &proposal.normal, proposal.seen_at],
                r"insert into term_proposals (tenant_id, id, phrase, normal, status, count, first_seen, last_seen)
                  values ($1, $2, $3, $4, 'open', 0, $5, $5)"
            ))
            .await?;
            id
        }
    };
    let counted = tx
        .changed(sql!(
            [tenant, event, proposal_id, proposal.agent_id, proposal.memory_id, proposal.seen_at],
            r"insert into proposal_memories (tenant_id, event_id, proposal_id, agent_id, memory_id, seen_at) values ($1, $2, $3, $4, $5, $6)
          on conflict (tenant_id, event_id) do nothing"
        ))
        .await?;
    if counted > 0 {
        tx.run(sql!(
            [tenant, proposal_id, proposal.seen_at],
            r"update term_proposals set count = count + 1, last_seen = greatest(last_seen, $3), unused = false
               where tenant_id = $1 and id = $2"
        ))
        .await?;
    }
    Ok(tx.commit().await?)
}
