//! Cells within a number of bytes.

use crate::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use uuid::Uuid;

/// A cell that was not used in the last so many searches makes room for another. A cell in use does not: two agents for which there is no room
/// together would push each other out with each search, and reading a cell costs more than it saves.
const IDLE: u64 = 256;
/// How many searches later a cell that could not be kept is tried again.
const AGAIN: u64 = 4_096;
/// Refusals that are remembered.
const REFUSED_MAX: usize = 10_000;

/// Whose memories or chunks a cell has, with vectors of which model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub tenant: Uuid,
    /// Absent: the chunks of the organisation's documents.
    pub agent: Option<Uuid>,
    /// Absent: memories without a user.
    pub user: Option<Uuid>,
    pub model: Arc<str>,
}

struct Entry {
    cell: Arc<Cell>,
    bytes: usize,
    /// The number of the last search that used it.
    used: u64,
}

#[derive(Default)]
struct State {
    cells: HashMap<Key, Entry>,
    bytes: usize,
    searches: u64,
    /// Cells that could not be kept, with the number of the search.
    refused: HashMap<Key, u64>,
}

/// Cells of many owners. The lock is held to look a cell up, never to search or to free it.
pub struct Cache {
    room: usize,
    state: Mutex<State>,
}

impl Cache {
    /// Room for so many bytes; 0 keeps nothing.
    pub fn new(room: usize) -> Self {
        Self { room, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_off(&self) -> bool {
        self.room == 0
    }

    /// Those cells of a search that are there. Nothing if none is, or if one that is not could not be kept lately.
    pub fn get(&self, keys: &[Key]) -> Option<Vec<Option<Arc<Cell>>>> {
        let mut state = self.state();
        state.searches += 1;
        let now = state.searches;
        if keys.iter().any(|key| state.is_refused(key)) || !keys.iter().any(|key| state.cells.contains_key(key)) {
            return None;
        }
        let mut cell = |key: &Key| {
            let entry = state.cells.get_mut(key)?;
            entry.used = now;
            Some(Arc::clone(&entry.cell))
        };
        Some(keys.iter().map(&mut cell).collect())
    }

    /// Those of some cells that are worth reading: neither there nor refused lately.
    pub fn missing(&self, keys: Vec<Key>) -> Vec<Key> {
        let state = self.state();
        if keys.iter().any(|key| state.is_refused(key)) {
            return vec![];
        }
        keys.into_iter().filter(|key| !state.cells.contains_key(key)).collect()
    }

    /// Whether there is room for so many bytes more, or idle cells could make it.
    pub fn has_room(&self, bytes: usize) -> bool {
        let state = self.state();
        let idle: usize = state.cells.values().filter(|entry| state.searches - entry.used > IDLE).map(|entry| entry.bytes).sum();
        state.bytes - idle + bytes <= self.room
    }

    /// Keeps a cell, in place of an older one of the same owner. The idle cells that were used longest ago make room; without room it is refused.
    pub fn put(&self, key: Key, cell: Arc<Cell>) -> bool {
        // Dropped after the lock.
        let mut freed = Vec::new();
        let mut state = self.state();
        let bytes = cell.bytes();
        let before = state.remove(&key);
        let used = before.as_ref().map_or(state.searches, |before| before.used);
        freed.extend(before);
        while state.bytes + bytes > self.room {
            let searches = state.searches;
            let idle = state.cells.iter().filter(|(_, entry)| searches - entry.used > IDLE).min_by_key(|(_, entry)| entry.used);
            let Some(idle) = idle.map(|(key, _)| key.clone()) else {
                state.refuse(key);
                return false;
            };
            freed.extend(state.remove(&idle));
        }
        state.bytes += bytes;
        state.refused.remove(&key);
        state.cells.insert(key, Entry { cell, bytes, used });
        true
    }

    /// Remembers that a cell cannot be kept.
    pub fn refuse(&self, key: Key) {
        let freed = self.state().refuse(key);
        drop(freed);
    }

    /// Drops a cell.
    pub fn remove(&self, key: &Key) {
        let freed = self.state().remove(key);
        drop(freed);
    }

    /// Drops the cells of a tenant.
    pub fn clear(&self, tenant: Uuid) {
        let mut state = self.state();
        state.cells.retain(|key, _| key.tenant != tenant);
        state.bytes = state.cells.values().map(|entry| entry.bytes).sum();
    }

    /// How many bytes the cells take.
    pub fn bytes(&self) -> usize {
        self.state().bytes
    }
}

impl State {
    fn is_refused(&self, key: &Key) -> bool {
        self.refused.get(key).is_some_and(|at| self.searches - at < AGAIN)
    }

    fn remove(&mut self, key: &Key) -> Option<Entry> {
        let removed = self.cells.remove(key)?;
        self.bytes -= removed.bytes;
        Some(removed)
    }

    fn refuse(&mut self, key: Key) -> Option<Entry> {
        let removed = self.remove(&key);
        if self.refused.len() >= REFUSED_MAX {
            self.refused.clear();
        }
        self.refused.insert(key, self.searches);
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(agent: u128) -> Key {
        Key { tenant: Uuid::nil(), agent: Some(Uuid::from_u128(agent)), user: None, model: "model".into() }
    }

    fn cell() -> Arc<Cell> {
        Arc::new(Cell::new(3, 0))
    }

    #[test]
    fn a_cell_in_use_stays_and_an_idle_one_makes_room() {
        let cache = Cache::new(cell().bytes());
        assert!(cache.has_room(cell().bytes()) && cache.put(key(1), cell()));
        assert!(!cache.has_room(cell().bytes()) && !cache.put(key(2), cell()));
        assert!(cache.get(&[key(1), key(2)]).is_none() && cache.missing(vec![key(2)]).is_empty(), "refused lately");
        let there = cache.get(&[key(1), key(3)]).unwrap();
        assert!(there[0].is_some() && there[1].is_none());
        for _ in 0..=IDLE {
            assert!(cache.get(&[key(4)]).is_none());
        }
        assert!(cache.has_room(cell().bytes()) && cache.put(key(2), cell()));
        assert!(cache.get(&[key(1)]).is_none() && cache.get(&[key(2)]).is_some());
        assert_eq!((cache.bytes(), cache.missing(vec![key(1), key(3)])), (cell().bytes(), vec![key(1), key(3)]));
        cache.remove(&key(2));
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn a_cache_without_room_keeps_nothing() {
        let cache = Cache::new(0);
        assert!(cache.is_off() && !cache.put(key(1), cell()) && cache.get(&[key(1)]).is_none());
    }
}
