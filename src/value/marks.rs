//! Marks: labels on values that must not be shown.

use std::fmt;
use std::ops::{BitOr, ControlFlow};
use std::sync::Arc;

use triomphe::ThinArc;

use super::path::PathTrie;
use super::{Descend, Flags, Head, Kind, Marked, Path, PathStep, Repr, StepRef, Type, Value};

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
    /// The value was made up in place of a provider, or depends on one that was: nothing may be decided by it. It is no
    /// secret.
    pub const INVENTED: Self = Self(4);

    /// Whether there is no mark.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of distinct marks.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The marks without those of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all marks of `other` are here.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Marks {
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
        let names =
            [(Self::SENSITIVE, "sensitive"), (Self::EPHEMERAL, "ephemeral"), (Self::INVENTED, "invented")];
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

    /// Adds these marks to the value's own.
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

    /// Marks the value as sensitive.
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
        // Content does not change, so hashes and the order of sets are kept.
        self.unmarked().with_parts_marked(|_, child| child.strip(found))
    }

    /// Takes these marks off, at every depth, and calls `found` with the path of each part that had any of them.
    ///
    /// ```
    /// use objchange::Value;
    /// use objchange::value::Marks;
    ///
    /// let id = Value::from("x").with_marks(Marks::INVENTED | Marks::SENSITIVE);
    /// let value = Value::object([("id", id)]);
    /// let mut paths = Vec::new();
    /// let value = value.without_marks(Marks::INVENTED, &mut |path| paths.push(path.to_string()));
    /// assert_eq!(paths, ["id"]);
    /// assert_eq!(value.marks_deep(), Marks::SENSITIVE);
    /// ```
    #[must_use]
    pub fn without_marks(&self, marks: Marks, found: &mut dyn FnMut(Path)) -> Value {
        if !self.contains_marked() || self.marks_deep().without(marks) == self.marks_deep() {
            return self.clone();
        }
        self.visit(|path, value| {
            if value.marks() != value.marks().without(marks) {
                found(path.to_path());
            }
            if value.contains_marked() { Descend::Into } else { Descend::Over }
        });
        let kept = self.unmark_deep_with_paths().1.into_iter().map(|(path, own)| (path, own.without(marks)));
        let kept: Vec<(Path, Marks)> = kept.filter(|(_, own)| !own.is_empty()).collect();
        self.unmark_deep().0.mark_where_present(&kept)
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
        self.visit(|path, value| {
            if value.is_marked() {
                paths.push((path.to_path(), value.marks()));
            }
            if value.contains_marked() { Descend::Into } else { Descend::Over }
        });
        (self.unmark_deep().0, paths)
    }

    /// Puts marks on the parts at these paths; a mark inside of a set element goes to the set. Paths that lead nowhere are
    /// skipped: Terraform Core puts the marks of a configuration on the planned object in this way.
    ///
    /// ```
    /// use objchange::Value;
    ///
    /// let value = Value::object([("password", Value::from("x").sensitive()), ("port", Value::from(1))]);
    /// let (plain, marks) = value.unmark_deep_with_paths();
    /// assert!(!plain.contains_marked());
    /// assert_eq!(plain.mark_where_present(&marks), value);
    /// ```
    #[doc(alias = "MarkWithPaths")]
    #[must_use]
    pub fn mark_where_present(&self, paths: &[(Path, Marks)]) -> Value {
        if paths.is_empty() { self.clone() } else { mark(self, &marks_by_path(paths)) }
    }

    /// Visits each text in marked parts: strings, numbers, keys of maps, attribute names that `declared`
    /// lacks, and the prefixes of unknown strings.
    ///
    /// These are the texts to search for in text that may repeat a secret.
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let login = Value::object([("user", Value::from("ann")), ("login", Value::object([("k3y", 12)]).sensitive())]);
    /// let mut texts = Vec::new();
    /// login.visit_marked_texts(&Type::Dynamic, &mut |text| texts.push(text.to_owned()));
    /// assert_eq!(texts, ["k3y", "12"]);
    ///
    /// texts.clear();
    /// login.visit_marked_texts(login.ty(), &mut |text| texts.push(text.to_owned()));
    /// assert_eq!(texts, ["12"]);
    /// ```
    pub fn visit_marked_texts(&self, declared: &Type, visit: &mut dyn FnMut(&str)) {
        visit_texts(self, declared, false, visit);
    }

    /// Whether the same parts of two values with equal content are sensitive. Ephemeral marks are ignored,
    /// because ephemeral values are not saved.
    pub fn same_sensitive_parts(&self, other: &Value) -> bool {
        if self.same_place(other) || !self.contains_marked() && !other.contains_marked() {
            return true;
        }
        self.marks().contains(Marks::SENSITIVE) == other.marks().contains(Marks::SENSITIVE)
            && self.len() == other.len()
            && std::iter::zip(self.children(), other.children()).all(|(a, b)| a.same_sensitive_parts(b))
    }
}

/// Collects the marks for many paths.
fn marks_by_path(paths: &[(Path, Marks)]) -> PathTrie<Marks> {
    let mut trie = PathTrie::default();
    for (path, marks) in paths {
        *trie.insert(path) |= *marks;
    }
    trie
}

/// Does the work of [`Value::visit_marked_texts`], inside of a marked part if `is_secret`.
fn visit_texts(value: &Value, declared: &Type, is_secret: bool, visit: &mut dyn FnMut(&str)) {
    let is_secret = is_secret || value.is_marked();
    if !is_secret && !value.contains_marked() {
        return;
    }
    let element = declared.element().unwrap_or(&Type::Dynamic);
    match value.unmarked().kind() {
        Kind::String(text) if is_secret => visit(text),
        Kind::Number(number) if is_secret => visit(&number.to_string()),
        Kind::Unknown(refinements) if is_secret => {
            if let Some(prefix) = &refinements.string_prefix {
                visit(prefix);
            }
        }
        Kind::List(parts) | Kind::Set(parts) => {
            parts.iter().for_each(|part| visit_texts(part, element, is_secret, visit));
        }
        Kind::Tuple(parts) => {
            let types = match declared {
                Type::Tuple(tuple) => tuple.elements(),
                _ => &[],
            };
            for (index, part) in parts.iter().enumerate() {
                visit_texts(part, types.get(index).unwrap_or(&Type::Dynamic), is_secret, visit);
            }
        }
        Kind::Map(map) => {
            for (key, part) in map.iter() {
                if is_secret {
                    visit(key);
                }
                visit_texts(part, element, is_secret, visit);
            }
        }
        Kind::Object(object) => {
            for (name, part) in object.iter() {
                let ty = declared.as_object().and_then(|object| object.attribute(name));
                if is_secret && ty.is_none() {
                    visit(name);
                }
                visit_texts(part, ty.unwrap_or(&Type::Dynamic), is_secret, visit);
            }
        }
        _ => {}
    }
}

/// Finds a map's entry in an object that the map has become, or the other way round: a value with dynamic
/// parts may be either.
fn entry(value: &Value, step: &PathStep) -> Option<usize> {
    match (value.kind(), step) {
        (Kind::Object(object), PathStep::Index(key)) => object.object_type().position(key.as_str()?),
        (Kind::Map(map), PathStep::Attribute(name)) => map.position(name),
        _ => None,
    }
}

fn mark(value: &Value, at: &PathTrie<Marks>) -> Value {
    let mut parts: Vec<Value> = Vec::new();
    let mut of_elements = Marks::NONE;
    for (step, at) in at.children() {
        let Some(position) = value.position_of(step).or_else(|| entry(value, step)) else { continue };
        let Some(part) = value.part(position).map(|part| mark(part, at)) else { continue };
        if matches!(value.kind(), Kind::Set(_)) {
            of_elements |= part.marks_deep();
            continue;
        }
        if parts.is_empty() {
            parts.extend(value.children().cloned());
        }
        parts[position] = part;
    }
    let inside = if parts.is_empty() { value.clone() } else { value.with_same_content(parts) };
    let inside = inside.with_marks(of_elements);
    inside.with_marks(*at.value())
}

impl Value {
    /// Replaces each part of the container by itself with other marks. Everything known about the content
    /// of the whole stays, so nothing is hashed or sorted again. Marks of set elements go to the set.
    pub(crate) fn with_parts_marked(&self, mut change: impl FnMut(StepRef<'_>, &Value) -> Value) -> Value {
        // In cty no set holds marked elements: `SetVal` moves their marks to the set.
        if let Repr::Set(elements) = &self.unmarked().0 {
            let found =
                elements.slice.iter().map(|element| change(StepRef::Element(element), element).marks_deep());
            return self.clone().with_marks(found.fold(Marks::NONE, Marks::bitor));
        }
        let mut parts = Vec::with_capacity(self.len().unwrap_or_default());
        let mut is_same = true;
        let _: ControlFlow<()> = self.each_step(|step, child| {
            let part = change(step, child);
            is_same = is_same && part.same_place(child);
            parts.push(part);
            ControlFlow::Continue(())
        });
        if is_same { self.clone() } else { self.with_same_content(parts) }
    }

    /// A container like this one, whose parts differ from its own in their marks alone.
    pub(crate) fn with_same_content(&self, parts: Vec<Value>) -> Value {
        let Some(head) = self.unmarked().head() else { return self.clone() };
        let marked = if parts.iter().any(Value::contains_marked) { Flags::MARKED } else { Flags::default() };
        let flags = head.flags.without(Flags::MARKED).with(marked);
        let head = Head { ty: head.ty.clone(), hash: head.hash, flags };
        let repr = match &self.unmarked().0 {
            Repr::List(_) => Repr::List(ThinArc::from_header_and_iter(head, parts.into_iter())),
            Repr::Tuple(_) => Repr::Tuple(ThinArc::from_header_and_iter(head, parts.into_iter())),
            Repr::Object(_) => Repr::Object(ThinArc::from_header_and_iter(head, parts.into_iter())),
            Repr::Map(m) => {
                let entries: Vec<_> = m.slice.iter().map(|(key, _)| key.clone()).zip(parts).collect();
                Repr::Map(ThinArc::from_header_and_iter(head, entries.into_iter()))
            }
            _ => return self.clone(),
        };
        Value(repr).with_marks(self.marks())
    }
}
