//! Marks: what must not be shown, kept beside a value (spec section 1, "Marks").

use std::fmt;
use std::sync::Arc;

use super::path::PathTrie;
use super::{Descend, Marked, Path, Repr, Value};

/// A set of marks on one value.
///
/// ```
/// use objchange::value::Marks;
///
/// let both = Marks::SENSITIVE | Marks::EPHEMERAL;
/// assert!(both.contains(Marks::SENSITIVE));
/// assert_eq!(both.len(), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Marks(u8);

impl Marks {
    /// No mark.
    pub const NONE: Self = Self(0);
    /// The value is never shown.
    pub const SENSITIVE: Self = Self(1);
    /// The value is never stored in a plan or state.
    pub const EPHEMERAL: Self = Self(2);

    /// Whether there is no mark.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many distinct marks there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether all marks of `other` are here.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Marks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Marks {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [(Self::SENSITIVE, "sensitive"), (Self::EPHEMERAL, "ephemeral")];
        f.debug_set().entries(names.iter().filter(|(m, _)| self.contains(*m)).map(|(_, n)| n)).finish()
    }
}

impl Value {
    /// The marks of the value itself.
    pub fn marks(&self) -> Marks {
        match &self.0 {
            Repr::Marked(m) => m.marks,
            _ => Marks::NONE,
        }
    }

    /// The value without its own marks; those of its parts stay.
    pub fn unmarked(&self) -> &Value {
        match &self.0 {
            Repr::Marked(m) => &m.value,
            _ => self,
        }
    }

    /// Takes the marks off the value itself; those of its parts stay.
    #[doc(alias = "Unmark")]
    pub fn unmark(&self) -> (Value, Marks) {
        (self.unmarked().clone(), self.marks())
    }

    /// The same value with these marks in addition to its own.
    #[doc(alias = "WithMarks")]
    #[must_use]
    pub fn with_marks(self, marks: Marks) -> Value {
        let all = self.marks() | marks;
        if all == self.marks() {
            return self;
        }
        let value = match self.0 {
            Repr::Marked(m) => m.value.clone(),
            repr => Value(repr),
        };
        Value(Repr::Marked(Arc::new(Marked { marks: all, value })))
    }

    /// The same value marked as sensitive.
    #[must_use]
    pub fn sensitive(self) -> Value {
        self.with_marks(Marks::SENSITIVE)
    }

    /// Takes all marks off, at every depth; gives them together.
    #[doc(alias = "UnmarkDeep")]
    pub fn unmark_deep(&self) -> (Value, Marks) {
        let mut marks = Marks::NONE;
        let value = self.strip(&mut |m| marks |= m);
        (value, marks)
    }

    fn strip(&self, found: &mut impl FnMut(Marks)) -> Value {
        if !self.contains_marked() {
            return self.clone();
        }
        found(self.marks());
        self.unmarked().map_children(|child| child.strip(found))
    }

    /// All marks at any depth together.
    pub fn marks_deep(&self) -> Marks {
        let mut all = self.marks();
        if self.contains_marked() {
            for child in self.children() {
                all |= child.marks_deep();
            }
        }
        all
    }

    /// Takes all marks off, at every depth; gives them with the path of each marked part, parents first.
    #[doc(alias = "UnmarkDeepWithPaths")]
    pub fn unmark_deep_with_paths(&self) -> (Value, Vec<(Path, Marks)>) {
        let mut paths = Vec::new();
        self.walk(|path, value| {
            if value.is_marked() {
                paths.push((path.to_path(), value.marks()));
            }
            if value.contains_marked() { Descend::Into } else { Descend::Over }
        });
        (self.unmark_deep().0, paths)
    }

    /// Puts marks on the parts at these paths; a path that leads nowhere is ignored, and a mark inside of a
    /// set element goes to the set.
    ///
    /// ```
    /// use objchange::Value;
    ///
    /// let value = Value::object([("password", Value::from("x").sensitive()), ("port", Value::from(1))]);
    /// let (plain, marks) = value.unmark_deep_with_paths();
    /// assert!(!plain.contains_marked());
    /// assert_eq!(plain.mark_with_paths(&marks), value);
    /// ```
    #[doc(alias = "MarkWithPaths")]
    #[must_use]
    pub fn mark_with_paths(&self, paths: &[(Path, Marks)]) -> Value {
        if paths.is_empty() {
            return self.clone();
        }
        let mut trie = PathTrie::default();
        for (path, marks) in paths {
            *trie.insert(path) |= *marks;
        }
        mark(self, &trie)
    }
}

fn mark(value: &Value, at: &PathTrie<Marks>) -> Value {
    let inside = if at.is_leaf() {
        value.clone()
    } else {
        value.map_steps(|step, child| at.child(step).map_or_else(|| child.clone(), |next| mark(child, next)))
    };
    inside.with_marks(*at.value())
}
