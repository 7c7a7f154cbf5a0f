//! The entries of a map on their way in from a document, in which no key may stand twice.

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::Value;

/// The entries of a map so far.
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
