//! Announcements that a tenant's knowledge has changed, for clients that keep a list of it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;
use wire::TenantId;

/// Counts the changes of each tenant that somebody watches. A watcher sees the newest count only, so a burst of changes is one
/// announcement and a slow watcher costs no memory.
#[derive(Default)]
pub struct Changes {
    tenants: Mutex<HashMap<TenantId, watch::Sender<u64>>>,
}

impl Changes {
    pub fn watch(&self, tenant: TenantId) -> watch::Receiver<u64> {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        tenants.retain(|_, sender| !sender.is_closed());
        tenants.entry(tenant).or_default().subscribe()
    }

    /// Announces a change that was committed.
    pub fn announce(&self, tenant: TenantId) {
        let tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = tenants.get(&tenant) {
            sender.send_modify(|count| *count += 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_tenant_hears_of_its_own_changes_only() {
        let (changes, [one, other]) = (Changes::default(), [1, 2].map(|id| TenantId(Uuid::from_u128(id))));
        let (first, second) = (changes.watch(one), changes.watch(other));
        changes.announce(one);
        changes.announce(one);
        assert_eq!((first.has_changed().unwrap(), second.has_changed().unwrap()), (true, false));
        drop(first);
        assert!(!changes.watch(one).has_changed().unwrap(), "an old change is no news");
    }
}
