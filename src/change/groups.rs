//! Positions grouped by a hash, without an allocation for each group.

use std::hash::Hasher;

use hashbrown::HashMap;

use crate::value::hasher;

/// One hash of two.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut hash = hasher();
    hash.write_u64(a);
    hash.write_u64(b);
    hash.finish()
}

/// One hash of a hash and a key.
pub(super) fn mix_key(a: u64, key: &str) -> u64 {
    let mut hash = hasher();
    hash.write_u64(a);
    hash.write(key.as_bytes());
    hash.finish()
}

/// Positions with equal hashes, ascending within each group.
pub(super) struct Groups {
    /// The range of positions for each hash.
    ranges: HashMap<u64, (u32, u32)>,
    positions: Vec<u32>,
}

impl Groups {
    /// Groups positions, given ascending, by their hashes.
    pub(super) fn new(hashed: &[(u64, u32)]) -> Self {
        let mut ranges: HashMap<u64, (u32, u32)> = HashMap::with_capacity(hashed.len());
        for (hash, _) in hashed {
            ranges.entry(*hash).or_default().1 += 1;
        }
        // Each range starts where the one before ends, and is filled from its start.
        let mut start = 0;
        for range in ranges.values_mut() {
            let length = range.1;
            *range = (start, start);
            start += length;
        }
        let mut positions = vec![0; hashed.len()];
        for (hash, position) in hashed {
            if let Some((_, end)) = ranges.get_mut(hash)
                && let Some(slot) = positions.get_mut(*end as usize)
            {
                *slot = *position;
                *end += 1;
            }
        }
        Self { ranges, positions }
    }

    /// The positions of this hash.
    pub(super) fn get(&self, hash: u64) -> &[u32] {
        self.ranges
            .get(&hash)
            .and_then(|(from, to)| self.positions.get(*from as usize..*to as usize))
            .unwrap_or_default()
    }

    /// Passes over the first positions of this hash for good, as long as they are done with; gives the rest.
    pub(super) fn skip(&mut self, hash: u64, done: impl Fn(usize) -> bool) -> &[u32] {
        let Some((from, to)) = self.ranges.get_mut(&hash) else { return &[] };
        while from < to && self.positions.get(*from as usize).is_some_and(|p| done(*p as usize)) {
            *from += 1;
        }
        self.positions.get(*from as usize..*to as usize).unwrap_or_default()
    }
}
