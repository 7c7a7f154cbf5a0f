//! The walk answered from the *edit frontiers* of Myers' algorithm: for lists with few edits.
//!
//! Only some of the frontiers are kept: the rest are computed again, a block at a time, while the walk comes by.

/// The pairs of positions; `None` if finding them takes more than `work`, counted in diagonals and elements
/// looked at. `None` among the elements is one that the other side does not have.
///
/// Such elements change no length in the table. So the frontiers are those of the two lists without them,
/// and only the walk itself passes them.
pub(super) fn walk_back(xs: &[Option<u32>], ys: &[Option<u32>], work: usize) -> Option<Vec<(usize, usize)>> {
    let common_xs: Vec<u32> = xs.iter().copied().flatten().collect();
    let common_ys: Vec<u32> = ys.iter().copied().flatten().collect();
    let mut frontiers = Frontiers::within(work, &common_xs, &common_ys)?;
    let mut pairs = Vec::new();
    let (mut i, mut j) = (xs.len(), ys.len());
    // The position in the lists of common elements, and the number of edits up to it.
    let (mut ci, mut cj) = (common_xs.len(), common_ys.len());
    let mut edits = frontiers.edits;
    while i > 0 && j > 0 {
        match (xs[i - 1], ys[j - 1]) {
            (_, None) => j -= 1,
            (None, Some(_)) if cj == 0 => break,
            (Some(x), Some(y)) if x == y => {
                i -= 1;
                j -= 1;
                ci -= 1;
                cj -= 1;
                pairs.push((i, j));
            }
            (x, Some(_)) => {
                // Skipping y keeps the length unless that costs an edit more, not one less.
                if edits > 0 && frontiers.reaches(edits - 1, ci, cj - 1) {
                    j -= 1;
                    cj -= 1;
                    edits -= 1;
                } else {
                    i -= 1;
                    if x.is_some() {
                        ci -= 1;
                        edits -= 1;
                    }
                }
            }
        }
    }
    pairs.reverse();
    Some(pairs)
}

/// The furthest points of the table that can be reached with each number of edits.
struct Frontiers<'a> {
    xs: &'a [u32],
    ys: &'a [u32],
    /// The edits that turn all of `xs` into all of `ys`.
    edits: usize,
    /// Every `STRIDE`-th frontier, from 0.
    checkpoints: Vec<Frontier>,
    /// The frontiers from checkpoint `block` on, up to the next one.
    block: usize,
    cache: Vec<Frontier>,
    stride: usize,
}

/// How far along each diagonal `d` edits lead: diagonal `k = x - y` at index `k - low`.
#[derive(Clone)]
struct Frontier {
    /// The lowest diagonal; every second one follows.
    low: isize,
    /// The furthest x of each diagonal, plus one; 0 where the diagonal is out of reach.
    reach: Vec<u32>,
}

impl Frontier {
    fn get(&self, k: isize) -> Option<usize> {
        let index = k - self.low;
        if index < 0 || index % 2 != 0 {
            return None;
        }
        self.reach.get((index / 2) as usize).and_then(|r| (*r as usize).checked_sub(1))
    }
}

impl<'a> Frontiers<'a> {
    /// The frontiers up to the end of both, unless they take more than `work`.
    fn within(work: usize, xs: &'a [u32], ys: &'a [u32]) -> Option<Self> {
        let mut left = work;
        let mut this = Self {
            xs,
            ys,
            edits: 0,
            checkpoints: Vec::new(),
            block: usize::MAX,
            cache: Vec::new(),
            stride: 64,
        };
        let mut frontier = this.first();
        let end = xs.len() as isize - ys.len() as isize;
        while frontier.get(end) != Some(xs.len()) {
            if this.edits.is_multiple_of(this.stride) {
                this.checkpoints.push(frontier.clone());
                // Few checkpoints for many edits: d/s of them with d entries, and s more while walking.
                if this.checkpoints.len() > 4 * this.stride {
                    this.stride *= 2;
                    let mut index = 0;
                    this.checkpoints.retain(|_| {
                        index += 1;
                        index % 2 == 1
                    });
                }
            }
            let (next, done) = this.next(&frontier);
            left = left.checked_sub(done)?;
            frontier = next;
            this.edits += 1;
        }
        if this.edits.is_multiple_of(this.stride) {
            this.checkpoints.push(frontier);
        }
        Some(this)
    }

    fn first(&self) -> Frontier {
        Frontier { low: 0, reach: vec![self.slide(0, 0) as u32 + 1] }
    }

    /// Follows equal elements from a point; gives the x where they end.
    fn slide(&self, x: usize, y: usize) -> usize {
        let equal = std::iter::zip(&self.xs[x..], &self.ys[y..]).take_while(|(a, b)| a == b).count();
        x + equal
    }

    /// The frontier after one more edit, and the number of steps for it.
    fn next(&self, from: &Frontier) -> (Frontier, usize) {
        let (n, m) = (self.xs.len() as isize, self.ys.len() as isize);
        let high = from.low + 2 * (from.reach.len() as isize - 1);
        let parity =
            |k: isize, bound: isize| if (k - bound) % 2 == 0 { bound } else { bound + (k - bound).signum() };
        // Diagonals beyond the table's corners hold no points.
        let low = (from.low - 1).max(parity(from.low - 1, -m));
        let high = (high + 1).min(parity(high + 1, n));
        let mut reach = Vec::with_capacity(((high - low) / 2 + 1).max(0) as usize);
        let mut slid = 0;
        let mut k = low;
        while k <= high {
            let from_left = from.get(k - 1).map(|x| x + 1).filter(|x| *x <= self.xs.len());
            let from_above = from.get(k + 1).filter(|x| *x as isize - k <= m);
            reach.push(from_left.max(from_above).map_or(0, |x| {
                let y = (x as isize - k) as usize;
                let end = self.slide(x, y);
                slid += end - x;
                end as u32 + 1
            }));
            k += 2;
        }
        let done = reach.len() + slid;
        (Frontier { low, reach }, done)
    }

    /// Whether `edits` edits are enough to reach the point.
    fn reaches(&mut self, edits: usize, x: usize, y: usize) -> bool {
        let block = edits / self.stride;
        if self.block != block {
            let mut frontier = self.checkpoints[block].clone();
            self.cache.clear();
            let last = (self.edits - block * self.stride).min(self.stride - 1);
            for _ in 0..last {
                let (next, _) = self.next(&frontier);
                self.cache.push(std::mem::replace(&mut frontier, next));
            }
            self.cache.push(frontier);
            self.block = block;
        }
        let k = x as isize - y as isize;
        self.cache[edits % self.stride].get(k).is_some_and(|reach| reach >= x)
    }
}
