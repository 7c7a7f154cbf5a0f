//! The walk answered from the *thresholds* of Hunt and Szymanski: for lists whose elements occur a few times.
//!
//! In each row of the table the lengths grow by one at a few columns, its thresholds, and they are all that the
//! walk asks for. A row changes those of the row above only where its element occurs. The changes are logged, so
//! that the walk can take them back row by row.

/// The pairs of positions. `None` is an element that the other side does not have.
///
/// `room` bounds the log: where the changes are more, they are made again, a block of rows at a time, while the
/// walk comes by.
pub(super) fn walk_back(xs: &[Option<u32>], ys: &[Option<u32>], room: usize) -> Vec<(usize, usize)> {
    let places = Places::of(ys);
    let mut rows = Rows::new(xs, &places, room);
    let mut pairs = Vec::new();
    let mut j = ys.len();
    let mut length = rows.thresholds.len();
    for i in (0..xs.len()).rev() {
        let Some(last) = length.checked_sub(1) else { break };
        // The walk goes left until it meets an equal element or the last threshold, where it goes up.
        let threshold = rows.thresholds[last] as usize;
        match places.last_before(xs[i], j) {
            Some(place) if place >= threshold => {
                pairs.push((i, place));
                j = place;
                length = last;
            }
            _ => j = threshold + 1,
        }
        rows.undo();
    }
    pairs.reverse();
    pairs
}

/// Where each element stands in `ys`.
struct Places {
    /// Where the places of each name begin; those of the next end them.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Places {
    fn of(ys: &[Option<u32>]) -> Self {
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
        Self { starts, places }
    }

    fn get(&self, name: Option<u32>) -> &[u32] {
        let Some(name) = name else { return &[] };
        match self.starts.get(name as usize..name as usize + 2) {
            Some(&[start, end]) => &self.places[start as usize..end as usize],
            _ => &[],
        }
    }

    fn last_before(&self, name: Option<u32>, end: usize) -> Option<usize> {
        let places = self.get(name);
        let count = places.partition_point(|place| (*place as usize) < end);
        Some(places[count.checked_sub(1)?] as usize)
    }
}

/// The thresholds after some rows of the table, and what leads back to those of the rows above.
struct Rows<'a> {
    xs: &'a [Option<u32>],
    places: &'a Places,
    /// The place in `ys` that ends the shortest part with a common subsequence of each length, from 1.
    thresholds: Vec<u32>,
    /// How many rows the thresholds are after.
    row: usize,
    /// What the rows from `start` on have changed.
    log: Vec<Change>,
    start: usize,
    /// The thresholds at which earlier blocks start, whose changes are no longer in the log.
    blocks: Vec<(usize, Vec<u32>)>,
}

/// A threshold that a row has set.
struct Change {
    row: u32,
    index: u32,
    /// What it was; `NONE` if there was none.
    old: u32,
}

/// No place.
const NONE: u32 = u32::MAX;

impl<'a> Rows<'a> {
    /// After all rows.
    fn new(xs: &'a [Option<u32>], places: &'a Places, room: usize) -> Self {
        let mut this = Self {
            xs,
            places,
            thresholds: Vec::new(),
            row: 0,
            log: Vec::new(),
            start: 0,
            blocks: Vec::new(),
        };
        let mut block = Vec::new();
        while this.row < xs.len() {
            if this.log.len() > room {
                this.log.clear();
                let next = this.thresholds.clone();
                this.blocks.push((this.start, std::mem::replace(&mut block, next)));
                this.start = this.row;
            }
            this.advance();
        }
        this
    }

    /// Adds the next row.
    fn advance(&mut self) {
        let mut end = self.thresholds.len();
        // From the last place on, so that each sees the thresholds of the row above.
        for place in self.places.get(self.xs[self.row]).iter().rev() {
            let index = self.thresholds[..end].partition_point(|threshold| threshold < place);
            end = index;
            let old = match self.thresholds.get_mut(index) {
                Some(threshold) => std::mem::replace(threshold, *place),
                None => {
                    self.thresholds.push(*place);
                    NONE
                }
            };
            if old != *place {
                self.log.push(Change { row: self.row as u32, index: index as u32, old });
            }
        }
        self.row += 1;
    }

    /// Takes the last row back.
    fn undo(&mut self) {
        if self.row == self.start
            && let Some((start, thresholds)) = self.blocks.pop()
        {
            let end = self.row;
            (self.row, self.start, self.thresholds) = (start, start, thresholds);
            while self.row < end {
                self.advance();
            }
        }
        self.row -= 1;
        while let Some(Change { index, old, .. }) = self.log.pop_if(|change| change.row as usize == self.row)
        {
            if old == NONE {
                self.thresholds.truncate(index as usize);
            } else {
                self.thresholds[index as usize] = old;
            }
        }
    }
}
