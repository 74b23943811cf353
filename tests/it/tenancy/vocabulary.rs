//! The queries of the vocabulary: terms, proposals and decisions.

use super::queries::{Pooled, Query, queries};
use db::DbError;
use db::cursor::Seek;
use foundation::terms::store as terms;
use remembrancer::vocabulary::{Plan, store as vocabulary};
use wire::{DecisionId, EventId, ProposalStatus};

/// The phrase of a proposal of the fixture, which is its normal form.
fn phrases() -> [String; 1] {
    ["kettle lore".to_owned()]
}

/// In the database of knowledge; kept apart by tenant.
pub const VOCABULARY: &[Query] = queries! {
    "terms::version" |tx, c| terms::version(tx, c.tenant).await? as usize;
    "terms::state" |tx, c| terms::state(tx, c.tenant).await?.terms.len();
    "terms::state_at" |tx, c| terms::state_at(tx, c.tenant, c.now).await?.terms.len();
    "terms::version_at" |tx, c| terms::version_at(tx, c.tenant, c.now).await? as usize;
    "terms::decided_at" |tx, c| usize::from(terms::decided_at(tx, c.tenant, 1).await?.is_some());
    "vocabulary::next_version" |tx, c| vocabulary::next_version(tx, c.tenant, c.now).await.map(|_| 0)?;
    "vocabulary::count_terms" |tx, c| vocabulary::count_terms(tx, c.tenant, &Default::default()).await? as usize;
    "vocabulary::list_terms" |tx, c| vocabulary::list_terms(tx, c.tenant, &Default::default(), &Seek::First, 10).await?.len();
    "vocabulary::count_proposals" |tx, c| vocabulary::count_proposals(tx, c.tenant, &Default::default()).await? as usize;
    "vocabulary::list_proposals" |tx, c| vocabulary::list_proposals(tx, c.tenant, &Default::default(), &Seek::First, 10).await?.len();
    "vocabulary::count_decisions" |tx, c| vocabulary::count_decisions(tx, c.tenant).await? as usize;
    "vocabulary::rows" |tx, c| vocabulary::rows(tx, c.tenant, &[c.shared.term.0], &[]).await?.0.len();
    "vocabulary::apply" |tx, c| {
        vocabulary::apply(tx, c.tenant, &Plan { close_terms: vec![c.shared.term.0], ..Plan::default() }, c.now).await?;
        0
    };
    "vocabulary::term_names" |tx, c| vocabulary::term_names(tx, c.tenant, &[c.shared.term]).await?.len();
    "vocabulary::newest" |tx, c| usize::from(vocabulary::newest(tx, c.tenant, c.shared.term).await?.is_some());
    "vocabulary::term_named" |tx, c| usize::from(vocabulary::term_named(tx, c.tenant, Some(c.shared.term), "tea").await?.is_some());
    "vocabulary::unembedded" |tx, c| vocabulary::unembedded(tx, c.tenant, "another", 10).await?.len();
    "vocabulary::put_term_vector" |tx, c| {
        vocabulary::put_term_vector(tx, c.tenant, c.shared.term, "all-MiniLM-L6-v2", "intruded", &c.vector).await?;
        0
    };
    "vocabulary::nearest_terms" |tx, c| vocabulary::nearest_terms(tx, c.tenant, "all-MiniLM-L6-v2", &c.vector, 10).await?.len();
    "vocabulary::proposals" |tx, c| vocabulary::proposals(tx, c.tenant, &[c.shared.proposal], true).await?.len();
    "vocabulary::met_in" |tx, c| vocabulary::met_in(tx, c.tenant, c.shared.proposal, 10).await?.len();
    "vocabulary::met_phrases" |tx, c| vocabulary::met_phrases(tx, c.tenant).await?.len();
    "vocabulary::mark_unused" |tx, c| {
        vocabulary::mark_unused(tx, c.tenant, &phrases(), c.now + chrono::Duration::days(1)).await?;
        0
    };
    "vocabulary::settle" |tx, c| {
        vocabulary::settle(tx, c.tenant, &phrases(), &phrases(), ProposalStatus::Rejected, c.shared.decision).await?;
        0
    };
    "vocabulary::reopen" |tx, c| {
        vocabulary::settle(tx, c.tenant, &phrases(), &phrases(), ProposalStatus::Rejected, c.shared.decision).await?;
        sqlx::query("update term_proposals set count = count + 1 where tenant_id = $1 and id = $2")
            .bind(c.tenant).bind(c.shared.proposal).execute(&mut **tx).await?;
        vocabulary::reopen(tx, c.tenant, c.shared.decision, &phrases()).await?;
        0
    };
    "vocabulary::insert_decision" |tx, c| {
        let mut row = vocabulary::decisions(tx, c.tenant, &[c.shared.decision]).await?.pop().ok_or(DbError::NotFound)?;
        row.id = DecisionId(c.fresh);
        vocabulary::insert_decision(tx, c.tenant, &row).await?;
        0
    };
    "vocabulary::mark_undone" |tx, c|
        usize::from(vocabulary::mark_undone(tx, c.tenant, c.shared.decision, DecisionId(c.fresh)).await?);
    "vocabulary::decided_together" |tx, c| {
        sqlx::query("update decisions set together = id where tenant_id = $1 and id = $2")
            .bind(c.tenant).bind(c.shared.decision).execute(&mut **tx).await?;
        vocabulary::decided_together(tx, c.tenant, c.shared.decision).await?.len()
    };
    "vocabulary::undone_by" |tx, c| {
        vocabulary::mark_undone(tx, c.tenant, c.shared.decision, c.shared.decision).await?;
        usize::from(vocabulary::undone_by(tx, c.tenant, c.shared.decision).await?.is_some())
    };
    "vocabulary::decisions" |tx, c| vocabulary::decisions(tx, c.tenant, &[c.shared.decision]).await?.len();
    "vocabulary::history" |tx, c| vocabulary::history(tx, c.tenant, c.shared.term, 10).await?.len();
    "vocabulary::decisions_about" |tx, c| vocabulary::decisions_about(tx, c.tenant, "e", 10).await?.len();
    "vocabulary::list_decisions" |tx, c| vocabulary::list_decisions(tx, c.tenant, &Seek::First, 10).await?.len();
};

/// Run by the role that sees all tenants, for one of them.
pub fn pooled() -> Vec<Pooled> {
    vec![Pooled {
        name: "vocabulary::deliver_proposal",
        kb: true,
        run: |pool, c| {
            let (phrase, normal) = ("intruded".to_owned(), "intruded".to_owned());
            let proposal = foundation::audit::Proposal { phrase, normal, agent_id: c.agent, memory_id: Some(c.id), seen_at: c.now };
            Box::pin(async move { vocabulary::deliver_proposal(pool, c.tenant, EventId(c.fresh), c.fresh, &proposal).await.map(|()| 0) })
        },
    }]
}
