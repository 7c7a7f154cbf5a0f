//! The rows by the thresholds of Hunt and Szymanski: for lists whose elements occur a few times.
//!
//! A row changes the thresholds of the row above only where its element occurs. The changes are logged, so that
//! the walk can take them back row by row.

use super::walk::{Places, Rows};

/// The thresholds after some rows of the table, with the data to get back to the rows above.
pub(super) struct Thresholds<'a> {
    xs: &'a [Option<u32>],
    places: &'a Places,
    /// The place in `ys` that ends the shortest part with a common subsequence of each length, from 1.
    thresholds: Vec<u32>,
    /// How many rows the thresholds are after.
    row: usize,
    /// The changes by the rows from `start` on.
    log: Vec<Change>,
    start: usize,
    /// The thresholds at which earlier blocks start, whose changes are no longer in the log.
    blocks: Vec<(usize, Vec<u32>)>,
}

/// A threshold that a row has set.
struct Change {
    row: u32,
    index: u32,
    /// The threshold before; `NONE` if there was none.
    old: u32,
}

/// No place.
const NONE: u32 = u32::MAX;

impl<'a> Thresholds<'a> {
    /// After all rows.
    ///
    /// `room` bounds the log: where the changes are more, they are made again, a block of rows at a time, while the
    /// walk comes by.
    pub(super) fn new(xs: &'a [Option<u32>], places: &'a Places, room: usize) -> Self {
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
}

impl Rows for Thresholds<'_> {
    fn last_threshold(&self, end: usize) -> Option<usize> {
        let length = self.thresholds.partition_point(|threshold| (*threshold as usize) < end);
        Some(self.thresholds[length.checked_sub(1)?] as usize)
    }

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
