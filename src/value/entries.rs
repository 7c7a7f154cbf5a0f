//! Entries by key on their way in: in order, each key once.

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::Value;

/// The entries of a map read so far, without repeated keys.
#[derive(Default)]
pub(super) struct UniqueEntries {
    entries: Vec<(SmolStr, Value)>,
    /// The keys, once they do not come in order any more.
    seen: Option<HashSet<SmolStr>>,
}

impl UniqueEntries {
    pub(super) fn with_capacity(n: usize) -> Self {
        Self { entries: Vec::with_capacity(n), seen: None }
    }

    /// Whether this key was not there before; asked once for each key, before its value is pushed.
    pub(super) fn is_new(&mut self, key: &SmolStr) -> bool {
        match (&mut self.seen, self.entries.last()) {
            (Some(seen), _) => seen.insert(key.clone()),
            (None, Some((last, _))) if key <= last => {
                let mut seen: HashSet<SmolStr> = self.entries.iter().map(|(k, _)| k.clone()).collect();
                let is_new = seen.insert(key.clone());
                self.seen = Some(seen);
                is_new
            }
            // In order so far, so no key can be like this one.
            (None, _) => true,
        }
    }

    pub(super) fn push(&mut self, key: SmolStr, value: Value) {
        self.entries.push((key, value));
    }

    pub(super) fn into_entries(self) -> Vec<(SmolStr, Value)> {
        self.entries
    }
}

/// Sorts entries by key. If a key is repeated the last entry wins.
pub(crate) fn sort_by_key<K: Ord, T>(entries: &mut Vec<(K, T)>) {
    if entries.is_sorted_by(|a, b| a.0 < b.0) {
        return;
    }
    // A stable sort keeps the later of two entries with one key behind the earlier.
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });
}
