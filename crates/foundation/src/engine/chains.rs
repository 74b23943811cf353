//! How far the audit chains are verified: what the engine holds. It imports no other room.

use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use wire::TenantId;

/// Number and hash of the last entry of a chain, as text `<number>:<hash>`. An anchor that is kept outside the database shows later that
/// the end of the chain was cut off; the chain itself cannot show that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub entries: i64,
    pub hash: Vec<u8>,
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

/// How far the chain of a tenant is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// When its first entry was verified.
    pub since: DateTime<Utc>,
    pub verified: Verified,
    /// Entries that are not verified yet.
    pub waiting: i64,
    /// Where the verification before this one ended: the chain still has this entry.
    pub expected: Anchor,
}

/// The verifications of this process.
pub struct Chains {
    known: Mutex<BTreeMap<TenantId, Verification>>,
    /// The turn to verify many entries: one chain at a time.
    turn: Arc<Semaphore>,
}

impl Default for Chains {
    fn default() -> Self {
        Self { known: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Chains {
    /// How far the chain of a tenant came.
    pub fn get(&self, tenant: TenantId) -> Option<Verification> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&tenant).cloned()
    }

    /// Keeps how far the chain of a tenant came, unless another verification has come further.
    pub fn keep(&self, tenant: TenantId, verification: &Verification) {
        let place = |one: &Verification| (one.since, one.verified.head.entries);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(&tenant).is_none_or(|known| place(known) <= place(verification)) {
            known.insert(tenant, verification.clone());
        }
    }

    /// The turn to verify many entries.
    pub fn turn(&self) -> &Arc<Semaphore> {
        &self.turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

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

    #[test]
    fn what_came_further_is_kept() {
        let (chains, tenant) = (Chains::default(), TenantId(Uuid::from_u128(1)));
        let at = |minute: i64, entries: i64| Verification {
            since: DateTime::UNIX_EPOCH + chrono::TimeDelta::minutes(minute),
            verified: Verified { head: Anchor { entries, hash: vec![] }, erased: 0, fault: None },
            waiting: 0,
            expected: Anchor { entries: 0, hash: vec![] },
        };
        for (verification, kept) in
            [(at(1, 5), at(1, 5)), (at(1, 3), at(1, 5)), (at(1, 7), at(1, 7)), (at(2, 1), at(2, 1)), (at(1, 9), at(2, 1))]
        {
            chains.keep(tenant, &verification);
            assert_eq!(chains.get(tenant), Some(kept));
        }
        assert_eq!(chains.get(TenantId(Uuid::from_u128(2))), None);
    }
}
