//! Whether a chain is whole, and whether it is still the expected one.

use super::chain;
use super::store::{self, Link, Texts};
use crate::engine::Engine;
use crate::error::Error;
use crate::op::OpContext;
use std::fmt::{Display, Formatter};
use std::str::FromStr;
use verb::verb;
use wire::TenantId;

/// Links that are read at a time.
const BATCH: i64 = 1000;

/// Number and hash of the last entry of a chain, as text `<number>:<hash>`. An anchor that is kept outside the database shows later that
/// the end of the chain was cut off; the chain itself cannot show that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub entries: i64,
    pub hash: Vec<u8>,
}

impl Anchor {
    /// The anchor of a chain without entries.
    fn genesis() -> Self {
        Self { entries: 0, hash: chain::GENESIS.to_vec() }
    }
}

impl Display for Anchor {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.entries, hex::encode(&self.hash))
    }
}

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "must be <number of entries>:<hash>, with the hash in 64 hexadecimal digits";
        let (entries, hash) = text.split_once(':').ok_or(FORM)?;
        let entries = entries.parse().ok().filter(|entries: &i64| *entries >= 0).ok_or(FORM)?;
        let hash = hex::decode(hash).ok().filter(|hash| hash.len() == 32).ok_or(FORM)?;
        Ok(Self { entries, hash })
    }
}

/// What is wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The entry at this place was changed, removed or inserted.
    Entry(i64),
    /// The texts of the entry at this place were changed.
    Texts(i64),
    /// The chain is shorter than expected: its end was cut off.
    Cut,
    /// The chain is valid, but not the expected one.
    Replaced,
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Entry(seq) => write!(f, "the chain is broken at entry {seq}: a row was changed, removed or inserted"),
            Self::Texts(seq) => write!(f, "the texts of entry {seq} were changed"),
            Self::Cut => f.write_str("the chain is shorter than expected: its end was cut off"),
            Self::Replaced => f.write_str("the chain has another hash than expected: it was rewritten"),
        }
    }
}

/// What a verification of the chain found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The last entry up to which everything is right.
    pub head: Anchor,
    /// Entries among them whose texts were erased.
    pub erased: i64,
    /// The first thing that is wrong.
    pub fault: Option<Fault>,
}

/// Recomputes a tenant's chain from its first entry, and compares it with an earlier anchor.
#[verb(role = Admin)]
pub async fn verify(engine: &Engine, ctx: &OpContext, expected: Option<&Anchor>) -> Result<Verified, Error> {
    let mut verified = Verified { head: Anchor::genesis(), erased: 0, fault: None };
    let replaced = |head: &Anchor| expected.is_some_and(|expected| expected.entries == head.entries && expected.hash != head.hash);
    if replaced(&verified.head) {
        return Ok(Verified { fault: Some(Fault::Replaced), ..verified });
    }
    loop {
        let links = store::links(engine.db().control.system(), ctx.tenant_id, verified.head.entries, BATCH).await?;
        if links.is_empty() {
            let cut = expected.is_some_and(|expected| expected.entries > verified.head.entries);
            return Ok(Verified { fault: cut.then_some(Fault::Cut), ..verified });
        }
        for link in links {
            let fault = fault_of(ctx.tenant_id, &link, &verified.head);
            if fault.is_some() {
                return Ok(Verified { fault, ..verified });
            }
            verified.erased += i64::from(matches!(link.texts, Texts::Erased { .. }));
            verified.head = Anchor { entries: link.seq, hash: link.hash };
            if replaced(&verified.head) {
                return Ok(Verified { fault: Some(Fault::Replaced), ..verified });
            }
        }
    }
}

/// What is wrong with a link that should follow `head`.
fn fault_of(tenant: TenantId, link: &Link, head: &Anchor) -> Option<Fault> {
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
        _ => None,
    }
}

/// The anchor of every tenant that has entries.
pub async fn anchors(engine: &Engine) -> Result<Vec<(TenantId, Anchor)>, Error> {
    let heads = store::heads(engine.db().control.system()).await?;
    Ok(heads.into_iter().map(|head| (head.tenant_id, Anchor { entries: head.seq, hash: head.hash })).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_reads_back_and_nothing_else_does() {
        let anchor = Anchor { entries: 12, hash: (0..32).collect() };
        assert_eq!(anchor.to_string().parse(), Ok(anchor.clone()));
        let hash = hex::encode(&anchor.hash);
        for wrong in [
            String::new(),
            "12".into(),
            format!("-1:{hash}"),
            format!("x:{hash}"),
            format!("12:{}", &hash[1..]),
            format!("12:{hash}0"),
            format!("12:{}é", &hash[2..]),
        ] {
            assert!(wrong.parse::<Anchor>().is_err(), "{wrong}");
        }
    }
}
