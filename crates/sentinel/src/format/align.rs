//! Values of a map that are below one another.

/// An entry of a map that begins a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// How many characters come before its value.
    pub(super) width: usize,
    /// The start of its value in the output.
    pub(super) value: usize,
    /// The line that it begins on, if it also ends there.
    pub(super) line: Option<usize>,
}

/// How much longer than the one before a long key may be to share a column with it.
const RATIO: usize = 4;
/// Up to here a key is not long.
const SHORT: usize = 20;

/// Positions and numbers of missing spaces.
pub(super) fn spaces(entries: &[Entry]) -> Vec<(usize, usize)> {
    let mut spaces = Vec::new();
    for run in entries.chunk_by(shares_column) {
        let widest = run.iter().map(|entry| entry.width).max().unwrap_or_default();
        let missing = run.iter().map(|entry| (entry.value, widest - entry.width));
        spaces.extend(missing.filter(|(_, count)| *count > 0));
    }
    spaces
}

/// Whether two entries follow one another line by line and are alike enough: one long key does not pull all other
/// values away from theirs.
fn shares_column(a: &Entry, b: &Entry) -> bool {
    let (Some(first), Some(second)) = (a.line, b.line) else { return false };
    let are_alike = |short: usize, long: usize| long <= SHORT || long < short * RATIO;
    second == first + 1 && are_alike(a.width.min(b.width), a.width.max(b.width))
}

#[cfg(test)]
mod tests {
    use super::{Entry, spaces};

    fn entry(width: usize, line: Option<usize>) -> Entry {
        Entry { width, value: 100 * width, line }
    }

    #[test]
    fn neighbours_share_a_column() {
        let entries =
            [entry(3, Some(1)), entry(9, Some(2)), entry(5, Some(4)), entry(2, None), entry(4, Some(6))];
        assert_eq!(spaces(&entries), [(300, 6)]);
    }

    #[test]
    fn a_much_longer_key_begins_anew() {
        let entries = [entry(5, Some(1)), entry(29, Some(2)), entry(20, Some(3))];
        assert_eq!(spaces(&entries), [(2000, 9)]);
    }
}
