//! The rows as bits, 64 columns at a time: for lists that repeat few elements often, and yet differ a lot.
//!
//! Each row is made from the one above by Hyyrö's rule, which takes an addition and three bitwise operations a word.
//! Only some rows are kept: the rest are made again, a block at a time, while the walk comes by.

use super::walk::{Places, Rows};

pub(super) struct Bits<'a> {
    xs: &'a [Option<u32>],
    places: &'a Places,
    /// The columns of frequent elements, by name.
    masks: Vec<Option<Box<[u64]>>>,
    /// The columns of one other element.
    mask: Vec<u64>,
    /// Every `stride`-th row, from the one before the first element on.
    checkpoints: Vec<Vec<u64>>,
    stride: usize,
    /// The rows from the last checkpoint on, up to the one that the walk is in: the bits of the thresholds are 0.
    block: Vec<Vec<u64>>,
    /// How many elements come before the row of the walk.
    row: usize,
}

impl<'a> Bits<'a> {
    /// After all rows.
    pub(super) fn new(xs: &'a [Option<u32>], places: &'a Places) -> Self {
        let words = places.columns.div_ceil(64);
        let mut this = Self {
            xs,
            places,
            masks: Vec::new(),
            mask: vec![0; words],
            checkpoints: Vec::new(),
            stride: xs.len().isqrt().max(1),
            block: Vec::new(),
            row: xs.len(),
        };
        // An own mask pays if filling one takes longer than a row; at most 64 elements are that frequent.
        for name in 0..places.names() {
            let name = Some(name as u32);
            let often = places.get(name).len() > words;
            this.masks.push(often.then(|| {
                let mut mask = vec![0; words];
                fill(&mut mask, places.get(name), true);
                mask.into()
            }));
        }
        let mut row = vec![u64::MAX; words];
        for i in 0..xs.len() {
            if i.is_multiple_of(this.stride) {
                this.checkpoints.push(row.clone());
            }
            this.advance(i, &mut row);
        }
        this.block.push(row);
        this
    }

    /// Makes the row of element `i` from the one above.
    fn advance(&mut self, i: usize, row: &mut [u64]) {
        let Some(name) = self.xs[i] else { return };
        let places = self.places.get(Some(name));
        let own = self.masks[name as usize].as_deref();
        if own.is_none() {
            fill(&mut self.mask, places, true);
        }
        let mut carry = false;
        for (word, mask) in std::iter::zip(row, own.unwrap_or(&self.mask)) {
            let (sum, over) = word.overflowing_add(*word & mask);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            *word = sum | (*word & !mask);
            carry = over || over_again;
        }
        if own.is_none() {
            fill(&mut self.mask, places, false);
        }
    }
}

fn fill(mask: &mut [u64], places: &[u32], set: bool) {
    for place in places {
        let bit = 1 << (place % 64);
        let word = &mut mask[*place as usize / 64];
        *word = if set { *word | bit } else { *word & !bit };
    }
}

impl Rows for Bits<'_> {
    fn last_threshold(&self, end: usize) -> Option<usize> {
        let row = self.block.last()?;
        let below = |word: usize| if word == end / 64 { !(u64::MAX << (end % 64)) } else { u64::MAX };
        let last = (end / 64).min(row.len().checked_sub(1)?);
        (0..=last).rev().find_map(|word| {
            let thresholds = !row[word] & below(word);
            (thresholds != 0).then(|| word * 64 + thresholds.ilog2() as usize)
        })
    }

    fn undo(&mut self) {
        self.block.pop();
        self.row -= 1;
        if self.block.is_empty()
            && let Some(mut row) = self.checkpoints.pop()
        {
            for i in self.checkpoints.len() * self.stride..self.row {
                self.block.push(row.clone());
                self.advance(i, &mut row);
            }
            self.block.push(row);
        }
    }
}
