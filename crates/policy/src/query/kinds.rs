//! The kinds of values that can be equal, and the comparisons in an expression.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cel::common::types::{CelList, Kind};
use cel::common::value::Val;
use objchange::value::Path;
use objchange_plan::IgnoredPath;

use crate::collection::Marked;

/// Some kinds of values: those that an expression can have, as far as that is known. Numbers of all types are one kind,
/// as they can be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u16);

const NAMES: [&str; 8] =
    ["null", "a boolean", "a number", "a string", "bytes", "a list", "a map", "the name of a type"];

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ANY: Self = Self(u16::MAX);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOL: Self = Self(1 << 1);
    pub(super) const NUMBER: Self = Self(1 << 2);
    pub(super) const STRING: Self = Self(1 << 3);
    pub(super) const BYTES: Self = Self(1 << 4);
    pub(super) const LIST: Self = Self(1 << 5);
    pub(super) const MAP: Self = Self(1 << 6);
    pub(super) const TYPE: Self = Self(1 << 7);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether no value of these is equal to one of the others.
    pub(super) const fn never_equal(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }

    fn from_value(value: &dyn Val) -> Self {
        match value.get_type().kind() {
            Kind::NullType => Self::NULL,
            Kind::Boolean => Self::BOOL,
            // CEL compares numbers of different types by their value: `1 == 1.0` holds.
            Kind::Int | Kind::UInt | Kind::Double => Self::NUMBER,
            Kind::String => Self::STRING,
            Kind::Bytes => Self::BYTES,
            Kind::List => Self::LIST,
            Kind::Map => Self::MAP,
            Kind::Type => Self::TYPE,
            // Optional values, durations and the like are not distinguished.
            _ => Self::ANY,
        }
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = NAMES.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0);
        for (index, (_, name)) in names.enumerate() {
            write!(f, "{}{name}", if index == 0 { "" } else { " or " })?;
        }
        Ok(())
    }
}

/// How often the values of one comparison were of kinds that can be equal, over all items of a document.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    comparable: AtomicU64,
    /// The kinds of a pair that never is equal, or 0.
    different: AtomicU64,
}

/// A path that is written in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WrittenPath {
    /// A value at it is looked for.
    Read(Path),
    /// Values at it are told from others: a path of `changes_only`.
    Ignored(IgnoredPath),
}

/// A path that is written in an expression, and whether any resource had it: of one that is read, the attribute.
#[derive(Debug)]
pub(super) struct PathReads {
    path: WrittenPath,
    looked: AtomicBool,
    found: AtomicBool,
}

/// Statistics of an expression's comparisons and lookups. For each comparison: whether a pair was comparable, and an
/// example of one that was not. For each path: whether it was looked up, and whether the attribute existed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparisons {
    pairs: Vec<(bool, Option<(u16, u16)>)>,
    paths: Vec<(bool, bool)>,
}

impl PathReads {
    pub(super) fn new(path: &WrittenPath) -> Self {
        Self { path: path.clone(), looked: AtomicBool::new(false), found: AtomicBool::new(false) }
    }

    /// Takes note that this path was looked for in a resource.
    pub(super) fn note(all: &[Self], path: &Path, sides: &[Option<Marked<'_, '_>>; 2]) {
        // Keys further down differ from object to object. The attribute comes from the schema of the type.
        let attribute: Path = path.steps().iter().take(1).cloned().collect();
        for reads in all.iter().filter(|reads| matches!(&reads.path, WrittenPath::Read(own) if own == path)) {
            // Saying that a secret object lacks an attribute would tell something of it.
            let has = |side: &Marked<'_, '_>| side.is_sensitive() || !side.at(&attribute).is_absent();
            reads.looked.fetch_or(sides.iter().any(Option::is_some), Ordering::Relaxed);
            reads.found.fetch_or(sides.iter().flatten().any(has), Ordering::Relaxed);
        }
    }

    /// Takes note of the paths of `changes_only`, and which of them an item has.
    pub(super) fn note_ignored(all: &[Self], paths: &[IgnoredPath], are_found: &[bool]) {
        for (path, is_found) in paths.iter().zip(are_found) {
            let is_own = |reads: &&Self| matches!(&reads.path, WrittenPath::Ignored(own) if own == path);
            for reads in all.iter().filter(is_own) {
                reads.looked.store(true, Ordering::Relaxed);
                reads.found.fetch_or(*is_found, Ordering::Relaxed);
            }
        }
    }

    fn seen(&self) -> (bool, bool) {
        (self.looked.load(Ordering::Relaxed), self.found.load(Ordering::Relaxed))
    }
}

impl Comparison {
    /// Takes note of the values of `==` or `!=`.
    pub(super) fn note(&self, a: &dyn Val, b: &dyn Val) {
        self.note_kinds(Kinds::from_value(a), Kinds::from_value(b));
    }

    /// Takes note of the values of `in`.
    pub(super) fn note_contained(&self, element: &dyn Val, container: &dyn Val) {
        match container.downcast_ref::<CelList>() {
            Some(list) => list.inner().iter().for_each(|other| self.note(element, other.as_ref())),
            // `in` looks for a key of a map, and the keys of JSON objects are strings.
            None => self.note_kinds(Kinds::from_value(element), Kinds::STRING),
        }
    }

    fn note_kinds(&self, a: Kinds, b: Kinds) {
        if a == Kinds::NULL || b == Kinds::NULL {
            // Anything may be null: that tells nothing of what else it can be.
        } else if a.never_equal(b) {
            self.different.store(u64::from(a.0) << 16 | u64::from(b.0), Ordering::Relaxed);
        } else {
            self.comparable.store(1, Ordering::Relaxed);
        }
    }

    fn seen(&self) -> (bool, Option<(u16, u16)>) {
        let different = self.different.load(Ordering::Relaxed);
        let pair = (different != 0).then_some(((different >> 16) as u16, different as u16));
        (self.comparable.load(Ordering::Relaxed) != 0, pair)
    }
}

impl Comparisons {
    pub(super) fn new(all: &[Comparison], paths: &[PathReads]) -> Self {
        Self {
            pairs: all.iter().map(Comparison::seen).collect(),
            paths: paths.iter().map(PathReads::seen).collect(),
        }
    }

    /// Adds what was seen in another document.
    pub fn add(&mut self, other: &Self) {
        self.pairs.resize(self.pairs.len().max(other.pairs.len()), (false, None));
        for (all, (comparable, different)) in self.pairs.iter_mut().zip(&other.pairs) {
            all.0 |= comparable;
            all.1 = all.1.or(*different);
        }
        self.paths.resize(self.paths.len().max(other.paths.len()), (false, false));
        for (all, (looked, found)) in self.paths.iter_mut().zip(&other.paths) {
            all.0 |= looked;
            all.1 |= found;
        }
    }

    /// The kinds of the comparisons whose values never were comparable, with the position of each comparison.
    pub(super) fn impossible(&self) -> impl Iterator<Item = (usize, [Kinds; 2])> {
        self.pairs.iter().enumerate().filter_map(|(index, seen)| match seen {
            (false, Some((a, b))) => Some((index, [Kinds(*a), Kinds(*b)])),
            _ => None,
        })
    }

    /// The positions of the paths that no resource has in which they were looked for.
    pub(super) fn unfound_paths(&self) -> impl Iterator<Item = usize> {
        self.paths.iter().enumerate().filter(|(_, (looked, found))| *looked && !found).map(|(index, _)| index)
    }
}
