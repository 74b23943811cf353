//! A tenant's vocabulary in process: one snapshot per tenant, at most a second old.

use super::model::{State, TermName};
use super::store;
use chrono::{DateTime, Utc};
use db::{Database, DbError, Tenancy};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use wire::TenantId;
use words::normal;

/// How old a snapshot may be before its version is checked again.
const STALE_AFTER: Duration = Duration::from_secs(1);

/// A tenant's vocabulary at one version.
#[derive(Debug, Default)]
pub struct Snapshot {
    pub version: i64,
    pub state: State,
    /// Normal form → place in `state.terms`.
    pub forms: HashMap<String, usize>,
    /// Words of the longest form.
    longest: usize,
}

/// A vocabulary of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    At(DateTime<Utc>),
    /// Just after the decision that made this version; without such a decision, at the given moment.
    Version(i64, DateTime<Utc>),
}

/// The meaning of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The canonical term, or the phrase itself.
    pub topic: String,
    pub is_canonical: bool,
    /// The version it was resolved under; 0 if the vocabulary could not be read.
    pub version: i64,
}

impl Snapshot {
    /// A vocabulary at one version.
    pub fn new(version: i64, state: State) -> Self {
        let places: HashMap<_, _> = state.terms.iter().enumerate().map(|(place, term)| (term.lineage, place)).collect();
        let own = state.terms.iter().enumerate().map(|(place, term)| (term.normal.clone(), place));
        let others = state.aliases.iter().filter_map(|alias| Some((alias.normal.clone(), *places.get(&alias.term_id)?)));
        let forms: HashMap<String, usize> = own.chain(others).collect();
        let longest = forms.keys().map(|form| form.split(' ').count()).max().unwrap_or(0);
        Self { version, state, forms, longest }
    }

    /// Exact lookup of a phrase among terms and aliases.
    pub fn resolve(&self, phrase: &str) -> Resolved {
        match self.find(phrase) {
            Some(term) => Resolved { topic: term.term.clone(), is_canonical: true, version: self.version },
            None => Resolved { topic: phrase.trim().to_owned(), is_canonical: false, version: self.version },
        }
    }

    /// The term that a phrase stands for.
    pub fn find(&self, phrase: &str) -> Option<&TermName> {
        self.forms.get(&normal(phrase)).map(|place| &self.state.terms[*place])
    }

    /// The longest known terms inside a longer phrase, each once, in the order of the phrase.
    pub fn inside(&self, phrase: &str) -> Vec<String> {
        self.terms_inside(phrase).into_iter().map(|term| term.term.clone()).collect()
    }

    /// The longest known term inside a phrase; of equally long ones the first.
    pub fn longest_inside(&self, phrase: &str) -> Option<String> {
        let longest = self.terms_inside(phrase).into_iter().rev().max_by_key(|term| term.term.chars().count());
        longest.map(|term| term.term.clone())
    }

    /// The terms that a phrase contains, the longest at each place.
    pub fn terms_inside(&self, phrase: &str) -> Vec<&TermName> {
        let form = normal(phrase);
        let words: Vec<&str> = form.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
        let (mut at, mut found) = (0, Vec::<&TermName>::new());
        while at < words.len() {
            let lengths = (1..=self.longest.min(words.len() - at)).rev();
            let known = lengths.filter_map(|length| Some((length, *self.forms.get(&words[at..at + length].join(" "))?))).next();
            at += known.map_or(1, |(length, _)| length);
            if let Some((_, place)) = known
                && !found.iter().any(|term| term.id == self.state.terms[place].id)
            {
                found.push(&self.state.terms[place]);
            }
        }
        found
    }
}

/// Snapshots in process, one per tenant, checked by version at most once a second.
#[derive(Default)]
pub struct Snapshots {
    tenants: Mutex<HashMap<TenantId, Cached>>,
}

/// What is cached of a tenant's vocabulary, and from when on it is outdated.
#[derive(Default)]
struct Cached {
    snapshot: Option<Arc<Snapshot>>,
    /// When the read of the snapshot began: it has every earlier decision.
    asked: Option<Instant>,
    outdated: Option<Instant>,
}

impl Cached {
    fn fresh(&self, now: Instant) -> Option<Arc<Snapshot>> {
        let asked = self.asked?;
        (now.duration_since(asked) < STALE_AFTER && self.outdated.is_none_or(|outdated| asked > outdated)).then(|| self.snapshot.clone())?
    }

    /// Stores a snapshot, unless there is one whose read began later: a read that began before a decision may end after it.
    fn keep(&mut self, snapshot: &Arc<Snapshot>, asked: Instant) {
        if self.asked.is_none_or(|before| before <= asked) {
            self.snapshot = Some(Arc::clone(snapshot));
            self.asked = Some(asked);
        }
    }
}

impl Snapshots {
    /// The tenant's vocabulary, at most a second old.
    ///
    /// # Errors
    /// When the database is out of reach and no snapshot was ever taken; an older snapshot is better than none.
    pub async fn snapshot(&self, kb: &Database, tenancy: Tenancy) -> Result<Arc<Snapshot>, DbError> {
        let (fresh, old) = self.cached(tenancy.tenant, |cached| (cached.fresh(Instant::now()), cached.snapshot.clone()));
        if let Some(snapshot) = fresh {
            return Ok(snapshot);
        }
        match (self.refresh(kb, tenancy, old.as_ref()).await, old) {
            (Ok(snapshot), _) => Ok(snapshot),
            (Err(error), Some(old)) => {
                tracing::warn!(%error, version = old.version, "the vocabulary cannot be read; continuing with an older version");
                Ok(old)
            }
            (Err(error), None) => Err(error),
        }
    }

    /// The tenant's vocabulary as it was at a moment.
    pub async fn as_of(&self, kb: &Database, tenancy: Tenancy, moment: Moment) -> Result<Snapshot, DbError> {
        let mut tx = kb.begin(tenancy).await?;
        let (version, at) = match moment {
            Moment::At(at) => (store::version_at(&mut tx, tenancy.tenant, at).await?, at),
            Moment::Version(version, at) => (version, store::decided_at(&mut tx, tenancy.tenant, version).await?.unwrap_or(at)),
        };
        let state = store::state_at(&mut tx, tenancy.tenant, at).await?;
        tx.commit().await?;
        Ok(Snapshot::new(version, state))
    }

    /// Marks the snapshot as outdated: every lookup checks the version, even of a fresh snapshot, until a read succeeds that began after
    /// this call.
    pub fn outdate(&self, tenant: TenantId) {
        self.cached(tenant, |cached| cached.outdated = Some(Instant::now()));
    }

    async fn refresh(&self, kb: &Database, tenancy: Tenancy, old: Option<&Arc<Snapshot>>) -> Result<Arc<Snapshot>, DbError> {
        let asked = Instant::now();
        let mut tx = kb.begin(tenancy).await?;
        let version = store::version(&mut tx, tenancy.tenant).await?;
        let snapshot = match old {
            Some(old) if old.version == version => Arc::clone(old),
            _ => Arc::new(Snapshot::new(version, store::state(&mut tx, tenancy.tenant).await?)),
        };
        tx.commit().await?;
        self.cached(tenancy.tenant, |cached| cached.keep(&snapshot, asked));
        Ok(snapshot)
    }

    fn cached<T>(&self, tenant: TenantId, with: impl FnOnce(&mut Cached) -> T) -> T {
        with(self.tenants.lock().unwrap_or_else(PoisonError::into_inner).entry(tenant).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use db::clock::{Clock, SystemClock};
    use wire::TermId;

    /// A snapshot of terms without aliases.
    fn snapshot(terms: &[&str]) -> Snapshot {
        let (clock, mut state) = (SystemClock, State::default());
        for term in terms {
            state.terms.push(TermName {
                id: clock.id(),
                lineage: TermId(clock.id()),
                term: (*term).into(),
                normal: (*term).into(),
                definition: String::new(),
                category: None,
                created_at: clock.now(),
                valid_from: clock.now(),
            });
        }
        Snapshot::new(1, state)
    }

    #[test]
    fn who_asked_before_a_decision_is_not_believed_after_it() {
        let (before, after) = (Arc::new(snapshot(&[])), Arc::new(snapshot(&["vault"])));
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut cached = Cached { outdated: Some(at(1)), ..Cached::default() };
        cached.keep(&before, at(0));
        assert!(cached.fresh(at(3)).is_none(), "it was asked for before the decision");
        cached.keep(&after, at(2));
        cached.keep(&before, at(0));
        let terms = cached.fresh(at(3)).map(|snapshot| snapshot.state.terms.len());
        assert_eq!(terms, Some(1), "a late answer replaces none that was asked for later");
        assert!(cached.fresh(at(2) + STALE_AFTER).is_none());
    }
}
