//! Whether a chain is whole, and whether it is still the expected one.

use super::chain;
use super::store::{self, Link, Texts};
use crate::engine::Engine;
use crate::engine::chains::{Anchor, Fault, Verification, Verified};
use crate::error::Error;
use crate::op::OpContext;
use chrono::TimeDelta;
use std::cmp::Ordering;
use std::sync::Arc;
use verb::verb;
use wire::TenantId;

/// Links that are read at a time.
const BATCH: i64 = 1000;
/// Entries that [`integrity`] verifies before it answers, and those behind its answer: a page must not wait for a long chain.
const AT_ONCE: i64 = 1000;
const BEHIND: i64 = 20_000;
/// How long a verification is continued before one begins at the first entry again.
const FRESH: TimeDelta = TimeDelta::hours(1);

/// The anchor of a chain without entries.
fn genesis() -> Anchor {
    Anchor { entries: 0, hash: chain::GENESIS.to_vec() }
}

/// Nothing is verified.
fn unverified() -> Verified {
    Verified { head: genesis(), erased: 0, fault: None }
}

/// Recomputes a tenant's chain from its first entry, and compares it with an earlier anchor.
#[verb(role = Admin)]
pub async fn verify(engine: &Engine, ctx: &OpContext, expected: Option<&Anchor>) -> Result<Verified, Error> {
    let mut verified = unverified();
    if replaces(&verified.head, expected) {
        return Ok(Verified { fault: Some(Fault::Replaced), ..verified });
    }
    loop {
        let links = store::links(engine.db().control.system(), ctx.tenant_id, verified.head.entries, BATCH).await?;
        if links.is_empty() {
            let cut = expected.is_some_and(|expected| expected.entries > verified.head.entries);
            return Ok(Verified { fault: cut.then_some(Fault::Cut), ..verified });
        }
        for link in links {
            verified = follow(ctx.tenant_id, verified, link, expected);
            if verified.fault.is_some() {
                return Ok(verified);
            }
        }
    }
}

/// Recomputes the last `most` entries of a tenant's chain, however long it is. What was changed before them does not show.
#[verb(role = Admin)]
pub async fn verify_end(engine: &Engine, ctx: &OpContext, most: i64) -> Result<Verified, Error> {
    let control = engine.db().control.system();
    let heads = store::heads(control).await?;
    let entries = heads.iter().find(|head| head.tenant_id == ctx.tenant_id).map_or(0, |head| head.seq);
    let before = (entries - most).max(0);
    let links = store::links(control, ctx.tenant_id, before, most).await?;
    let mut verified = unverified();
    if let Some(first) = links.first().filter(|_| before > 0) {
        verified.head = Anchor { entries: before, hash: first.previous.clone() };
    }
    for link in links {
        verified = follow(ctx.tenant_id, verified, link, None);
        if verified.fault.is_some() {
            break;
        }
    }
    Ok(verified)
}

/// How far the chain is verified. The entries that came since the last call are verified now; of a long chain the rest follows after the
/// answer, a part at each call. After an hour a verification begins at the first entry again.
#[verb(role = Viewer)]
pub async fn integrity(engine: &Engine, ctx: &OpContext) -> Result<Verification, Error> {
    let tenant = ctx.tenant_id;
    let verification = advance(engine, tenant, AT_ONCE).await?;
    if verification.waiting > 0
        && verification.verified.fault.is_none()
        && let Ok(turn) = Arc::clone(engine.chains().turn()).try_acquire_owned()
    {
        let behind = engine.clone();
        engine.defer(async move {
            let _turn = turn;
            if let Err(error) = advance(&behind, tenant, BEHIND).await {
                tracing::warn!(%error, %tenant, "an audit chain could not be verified; it will be tried again");
            }
        });
    }
    Ok(verification)
}

/// Continues the verification of a chain by at most so many entries.
async fn advance(engine: &Engine, tenant: TenantId, most: i64) -> Result<Verification, Error> {
    let now = engine.clock().now();
    let begun = |expected| Verification { since: now, verified: unverified(), waiting: 0, expected };
    let Verification { since, mut verified, waiting, expected } = match engine.chains().get(tenant) {
        Some(known) if now - known.since < FRESH => known,
        Some(known) if known.expected.entries >= known.verified.head.entries => begun(known.expected),
        Some(known) => begun(known.verified.head),
        None => begun(genesis()),
    };
    if verified.fault.is_some() {
        return Ok(Verification { since, verified, waiting, expected });
    }
    let end = anchors(engine).await?.into_iter().find(|(of, _)| *of == tenant).map_or_else(genesis, |(_, end)| end);
    let last = end.entries.min(verified.head.entries + most);
    verified.fault = moved(&verified.head, &end).or_else(|| moved(&expected, &end));
    while verified.fault.is_none() && verified.head.entries < last {
        let links = store::links(engine.db().control.system(), tenant, verified.head.entries, BATCH).await?;
        if links.is_empty() {
            verified.fault = Some(Fault::Cut);
        }
        for link in links {
            if verified.fault.is_none() {
                verified = follow(tenant, verified, link, Some(&expected));
            }
        }
    }
    if let Some(fault) = &verified.fault {
        tracing::error!(%tenant, %fault, "an audit chain is not intact");
    }
    let verification = Verification { since, waiting: (end.entries - verified.head.entries).max(0), verified, expected };
    engine.chains().keep(tenant, &verification);
    Ok(verification)
}

/// What happened to a chain that was verified up to `head` and now ends with `end`.
fn moved(head: &Anchor, end: &Anchor) -> Option<Fault> {
    match end.entries.cmp(&head.entries) {
        Ordering::Less => Some(Fault::Cut),
        Ordering::Equal if end.hash != head.hash => Some(Fault::Replaced),
        _ => None,
    }
}

/// Verifies the link that should follow, and compares it with the expected anchor if that is its place.
fn follow(tenant: TenantId, verified: Verified, link: Link, expected: Option<&Anchor>) -> Verified {
    if let Some(fault) = fault_of(tenant, &link, &verified.head) {
        return Verified { fault: Some(fault), ..verified };
    }
    let erased = verified.erased + i64::from(matches!(link.texts, Texts::Erased { .. }));
    let head = Anchor { entries: link.seq, hash: link.hash };
    Verified { erased, fault: replaces(&head, expected).then_some(Fault::Replaced), head }
}

/// Whether another entry than the expected one is at its place.
fn replaces(head: &Anchor, expected: Option<&Anchor>) -> bool {
    expected.is_some_and(|expected| expected.entries == head.entries && expected.hash != head.hash)
}

/// What is wrong with a link that should follow `head`.
pub(super) fn fault_of(tenant: TenantId, link: &Link, head: &Anchor) -> Option<Fault> {
    let seq = head.entries + 1;
    let hash = match &link.texts {
        Texts::InRow => chain::hash_with_texts(tenant, seq, &link.entry, &head.hash),
        Texts::Beside { hash, .. } | Texts::Erased { hash } => chain::hash(tenant, seq, &link.entry, hash, &head.hash),
    };
    if link.seq != seq || link.previous != head.hash || link.hash != hash {
        return Some(Fault::Entry(seq));
    }
    match &link.texts {
        Texts::Beside { salt, hash } if *hash != chain::texts_hash(salt, &link.entry) => Some(Fault::Texts(seq)),
        // No hash can be computed without the salt, so any other text would pass.
        Texts::Erased { .. } if !store::reads_erased(&link.entry) => Some(Fault::Texts(seq)),
        _ => None,
    }
}

/// The anchor of every tenant that has entries.
pub async fn anchors(engine: &Engine) -> Result<Vec<(TenantId, Anchor)>, Error> {
    let heads = store::heads(engine.db().control.system()).await?;
    Ok(heads.into_iter().map(|head| (head.tenant_id, Anchor { entries: head.seq, hash: head.hash })).collect())
}
