//! Records which parts of the source were evaluated.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use objchange_text::Span;

/// Counts how often parts of the source were reached: the branches of conditional expressions in evaluations with
/// [`Functions::recording`](crate::Functions::recording), and the parts that a caller [`hit`](Self::hit)s.
///
/// ```
/// use std::sync::Arc;
///
/// use objchange_hcl::{Coverage, Functions, Scope, Span, Variables, evaluate, parse_expression};
///
/// let coverage = Arc::new(Coverage::default());
/// let functions = Functions::pure().clone().recording(Arc::clone(&coverage));
/// let expr = parse_expression("true ? 1 : 2")?;
/// evaluate(&expr, &Scope::new(&Variables::default()), &functions);
/// let [branches] = &coverage.branches()[..] else { panic!("one expression has branches") };
/// assert_eq!(branches.hits, [1, 0]);
/// # Ok::<(), Vec<objchange_hcl::Diagnostic>>(())
/// ```
#[derive(Debug, Default)]
pub struct Coverage {
    hits: Mutex<Hits>,
}

#[derive(Debug, Default)]
struct Hits {
    parts: HashMap<Span, u64>,
    branches: HashMap<[Span; 2], [u64; 2]>,
}

/// How often the branches of a conditional expression were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct BranchHits {
    /// The branch where the condition is true, and the one where it is false.
    pub spans: [Span; 2],
    /// How often each was taken.
    pub hits: [u64; 2],
}

impl Coverage {
    /// Counts that a part was reached once more.
    pub fn hit(&self, part: Span) {
        *self.lock().parts.entry(part).or_default() += 1;
    }

    /// Counts a conditional expression; `None` if its condition is unknown.
    pub(crate) fn branch(&self, spans: [Span; 2], condition: Option<bool>) {
        let mut hits = self.lock();
        let [yes, no] = hits.branches.entry(spans).or_default();
        match condition {
            Some(true) => *yes += 1,
            Some(false) => *no += 1,
            None => {}
        }
    }

    /// How often a part was reached.
    pub fn hits(&self, part: Span) -> u64 {
        self.lock().parts.get(&part).copied().unwrap_or_default()
    }

    /// All conditional expressions that were evaluated, in the order of the source.
    pub fn branches(&self) -> Vec<BranchHits> {
        let hits = self.lock();
        let mut all: Vec<_> =
            hits.branches.iter().map(|(spans, hits)| BranchHits { spans: *spans, hits: *hits }).collect();
        all.sort_unstable();
        all
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Hits> {
        self.hits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
