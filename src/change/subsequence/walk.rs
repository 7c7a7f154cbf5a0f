//! The walk over the rows of the table, and the places of elements.

/// The rows of the table: the last row is available, earlier ones are restored one by one.
///
/// In each row the lengths grow by one at a few columns, its thresholds, and they are all that the walk asks for.
pub(super) trait Rows {
    /// The last threshold of the row among the first `end` columns.
    fn last_threshold(&self, end: usize) -> Option<usize>;

    /// Goes to the row above.
    fn undo(&mut self);
}

/// The pairs of positions. `None` is an element that the other side does not have.
pub(super) fn walk_back(xs: &[Option<u32>], places: &Places, mut rows: impl Rows) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut end = places.columns;
    for (i, x) in xs.iter().enumerate().rev() {
        let Some(threshold) = rows.last_threshold(end) else { break };
        // The walk goes left until it meets an equal element or the last threshold, where it goes up.
        match places.last_before(*x, end) {
            Some(place) if place >= threshold => {
                pairs.push((i, place));
                end = place;
            }
            _ => end = threshold + 1,
        }
        rows.undo();
    }
    pairs.reverse();
    pairs
}

/// The positions of each element in `ys`.
pub(super) struct Places {
    pub(super) columns: usize,
    /// The start of each name's places, which end at the next start.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Places {
    pub(super) fn new(ys: &[Option<u32>]) -> Self {
        let names = ys.iter().flatten().max().map_or(0, |name| *name as usize + 1);
        let mut starts = vec![0; names + 1];
        for name in ys.iter().flatten() {
            starts[*name as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut places = vec![0; sum as usize];
        for (j, name) in ys.iter().enumerate().rev() {
            if let Some(name) = name {
                let start = &mut starts[*name as usize];
                *start -= 1;
                places[*start as usize] = j as u32;
            }
        }
        Self { columns: ys.len(), starts, places }
    }

    /// The number of names, including those without places.
    pub(super) fn names(&self) -> usize {
        self.starts.len() - 1
    }

    /// The places of an element, ascending.
    pub(super) fn get(&self, name: Option<u32>) -> &[u32] {
        let Some(name) = name else { return &[] };
        match self.starts.get(name as usize..name as usize + 2) {
            Some(&[start, end]) => &self.places[start as usize..end as usize],
            _ => &[],
        }
    }

    pub(super) fn last_before(&self, name: Option<u32>, end: usize) -> Option<usize> {
        let places = self.get(name);
        let count = places.partition_point(|place| (*place as usize) < end);
        Some(places[count.checked_sub(1)?] as usize)
    }
}
