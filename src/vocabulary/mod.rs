//! One vocabulary per tenant: a phrase is looked up at every write and every recall, and an unknown one is proposed for review.

mod normal;
pub mod store;

pub use normal::normal;

use crate::api::TenantId;
use crate::db::{Database, DbError};
use crate::engine::Engine;
use crate::error::{Checks, Error};
use crate::op::{OpContext, Tenancy};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How old a snapshot may be before its version is asked for again.
const STALE_AFTER: Duration = Duration::from_secs(1);

/// A tenant's vocabulary at one version: normal form → canonical term.
#[derive(Debug, Default)]
pub struct Snapshot {
    pub version: i64,
    forms: HashMap<String, String>,
}

/// What a phrase resolved to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The canonical term, or the phrase itself.
    pub topic: String,
    pub is_canonical: bool,
    /// The version it was resolved under; 0 if the vocabulary could not be read.
    pub version: i64,
}

impl Snapshot {
    /// Exact lookup of a phrase among terms and aliases.
    pub fn resolve(&self, phrase: &str) -> Resolved {
        match self.forms.get(&normal(phrase)) {
            Some(term) => Resolved { topic: term.clone(), is_canonical: true, version: self.version },
            None => Resolved { topic: phrase.trim().to_owned(), is_canonical: false, version: self.version },
        }
    }
}

/// Snapshots in process, one per tenant, checked by version at most once a second.
#[derive(Default)]
pub struct Vocabulary {
    snapshots: Mutex<HashMap<TenantId, (Instant, Arc<Snapshot>)>>,
}

impl Vocabulary {
    /// The tenant's vocabulary, at most a second old.
    ///
    /// # Errors
    /// When the database is out of reach and no snapshot was ever taken; an older snapshot is better than none.
    pub async fn snapshot(&self, kb: &Database, tenancy: Tenancy) -> Result<Arc<Snapshot>, DbError> {
        let known = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner).get(&tenancy.tenant).cloned();
        if let Some((checked, snapshot)) = &known
            && checked.elapsed() < STALE_AFTER
        {
            return Ok(Arc::clone(snapshot));
        }
        let known = known.map(|(_, snapshot)| snapshot);
        match (self.refresh(kb, tenancy, known.as_ref()).await, known) {
            (Ok(snapshot), _) => Ok(snapshot),
            (Err(error), Some(old)) => {
                tracing::warn!(%error, version = old.version, "the vocabulary cannot be read; going on with an older version");
                Ok(old)
            }
            (Err(error), None) => Err(error),
        }
    }

    /// The next lookup asks for the version, however fresh the snapshot is.
    fn outdate(&self, tenant: TenantId) {
        self.snapshots.lock().unwrap_or_else(PoisonError::into_inner).remove(&tenant);
    }

    async fn refresh(&self, kb: &Database, tenancy: Tenancy, known: Option<&Arc<Snapshot>>) -> Result<Arc<Snapshot>, DbError> {
        let mut tx = kb.begin(tenancy).await?;
        let version = store::version(&mut tx, tenancy.tenant).await?;
        let snapshot = match known {
            Some(known) if known.version == version => Arc::clone(known),
            _ => Arc::new(Snapshot { version, forms: store::forms(&mut tx, tenancy.tenant).await?.into_iter().collect() }),
        };
        tx.commit().await?;
        let entry = (Instant::now(), Arc::clone(&snapshot));
        self.snapshots.lock().unwrap_or_else(PoisonError::into_inner).insert(tenancy.tenant, entry);
        Ok(snapshot)
    }
}

/// Adds a canonical term with aliases (the command line and the demo; review comes through proposals).
///
/// # Errors
/// `Invalid` for an empty or over-long term, `Conflict` when a form is taken.
pub async fn add_term(engine: &Engine, ctx: &OpContext, term: &str, definition: &str, aliases: &[&str]) -> Result<(), Error> {
    ctx.require_role(crate::api::OperatorRole::Reviewer)?;
    let mut checks = Checks::default();
    checks.text("term", term, crate::api::TOPIC_MAX);
    for alias in aliases {
        checks.text("aliases", alias, crate::api::TOPIC_MAX);
    }
    checks.done()?;
    let normal_form = normal(term);
    let new = store::NewTerm {
        id: engine.clock().id(),
        term,
        normal: &normal_form,
        definition,
        aliases: aliases.iter().map(|alias| (engine.clock().id(), *alias, normal(alias))).collect(),
    };
    let mut tx = engine.db().kb.begin(ctx.tenancy()).await?;
    if store::taken(&mut tx, ctx.tenant_id, &new).await? {
        return Err(Error::Conflict(format!("{term}, or an alias of it, is in the vocabulary already")));
    }
    store::add_term(&mut tx, ctx.tenant_id, &new, engine.clock().now()).await?;
    tx.commit().await?;
    // Who decided reads the decision at once; other servers know it within a second.
    engine.vocabulary().outdate(ctx.tenant_id);
    Ok(())
}
