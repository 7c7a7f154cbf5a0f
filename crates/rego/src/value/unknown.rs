//! What a value that is not known yet depends on.

use std::sync::Arc;

/// What is not known yet: the numbers, given by the host, of everything that a value depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unknown(Arc<Vec<u32>>);

impl Unknown {
    /// Something that depends on one thing.
    pub fn new(id: u32) -> Self {
        Self(Arc::new(vec![id]))
    }

    /// Something that depends on all of these.
    pub fn from_ids(ids: impl IntoIterator<Item = u32>) -> Self {
        let mut ids: Vec<u32> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self(Arc::new(ids))
    }

    /// What it depends on, in ascending order.
    pub fn ids(&self) -> &[u32] {
        &self.0
    }

    /// Something that depends on what either depends on. Shares the list where one contains the other.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if Arc::ptr_eq(&self.0, &other.0) || contains(&self.0, &other.0) {
            return self.clone();
        }
        if contains(&other.0, &self.0) {
            return other.clone();
        }
        Self::from_ids(self.0.iter().chain(other.0.iter()).copied())
    }
}

/// Whether a sorted list contains all elements of another.
fn contains(all: &[u32], some: &[u32]) -> bool {
    if some.len() > all.len() {
        return false;
    }
    let mut rest = all.iter();
    some.iter().all(|id| rest.any(|other| other == id))
}
