//! Sets of paths.

use std::borrow::Borrow;

use indexmap::IndexSet;

use super::{Path, PathStep};

/// Distinct paths, in the order of their insertion.
///
/// ```
/// use objchange::value::{Path, PathSet};
///
/// let mut ignored = PathSet::new();
/// ignored.insert(Path::root().attribute("tags"));
///
/// assert!(ignored.contains(&Path::root().attribute("tags")));
/// assert!(!ignored.contains(&Path::root().attribute("tags").index("owner")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathSet(IndexSet<Path>);

impl PathSet {
    /// A set without paths.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a path. Returns whether it is new.
    #[doc(alias = "Add")]
    pub fn insert(&mut self, path: Path) -> bool {
        self.0.insert(path)
    }

    /// Whether this very path is in the set.
    #[doc(alias = "Has")]
    pub fn contains(&self, path: &Path) -> bool {
        self.0.contains(path)
    }

    /// The number of paths.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The paths, in the order of their insertion.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.0.iter()
    }
}

/// Lets a prefix of a path be looked up without a copy.
impl Borrow<[PathStep]> for Path {
    fn borrow(&self) -> &[PathStep] {
        self.steps()
    }
}

impl Extend<Path> for PathSet {
    fn extend<I: IntoIterator<Item = Path>>(&mut self, paths: I) {
        self.0.extend(paths);
    }
}

impl FromIterator<Path> for PathSet {
    fn from_iter<I: IntoIterator<Item = Path>>(paths: I) -> Self {
        Self(paths.into_iter().collect())
    }
}

impl IntoIterator for PathSet {
    type Item = Path;
    type IntoIter = indexmap::set::IntoIter<Path>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a PathSet {
    type Item = &'a Path;
    type IntoIter = indexmap::set::Iter<'a, Path>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
