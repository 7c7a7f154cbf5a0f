//! Paths to parts of values.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use hashbrown::HashMap;
use smol_str::SmolStr;

use super::show::{SENSITIVE, nameless};
use super::{Kind, Number, Type, Value};
use objchange_text::visible_json;

mod parse;

use parse::is_name;
pub use parse::{ParsePathError, ParsePathErrorKind};

/// The path to a part of a value: the steps from the root.
///
/// Written as in configuration: `disk[0].size`. An attribute's name that is not an identifier is quoted:
/// `labels."a b"`. [`suffix`](Self::suffix) writes it behind an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Path(Vec<PathStep>);

/// One step of a [`Path`]. Marks on keys are ignored in comparisons.
#[derive(Clone)]
pub enum PathStep {
    /// To an attribute of an object.
    Attribute(SmolStr),
    /// To an element: a number for a list or tuple, a string for a map, the element itself for a set.
    Index(Value),
}

impl Path {
    /// The path of the root.
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// The steps from the root.
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Whether this is the path of the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path one step further, to an attribute.
    #[must_use]
    pub fn attribute(mut self, name: impl Into<SmolStr>) -> Self {
        self.0.push(PathStep::Attribute(name.into()));
        self
    }

    /// The path one step further, to an element.
    #[must_use]
    pub fn index(mut self, key: impl Into<Value>) -> Self {
        self.0.push(PathStep::Index(key.into()));
        self
    }

    /// The path as it follows an address or another path, with a dot in front of an attribute:
    /// `.disk[0].size`. Terraform's messages write paths in this form, also where no address is before them.
    pub fn suffix(&self) -> impl fmt::Display + use<> {
        self.0.iter().map(ToString::to_string).collect::<String>()
    }

    /// Whether `other` is a prefix of this path.
    pub fn starts_with(&self, other: &Path) -> bool {
        self.0.starts_with(&other.0)
    }
}

impl FromIterator<PathStep> for Path {
    fn from_iter<I: IntoIterator<Item = PathStep>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = self.0.iter();
        match steps.next() {
            Some(PathStep::Attribute(name)) => write!(f, "{}", attribute(name))?,
            Some(first) => write!(f, "{first}")?,
            None => {}
        }
        steps.try_for_each(|step| write!(f, "{step}"))
    }
}

/// An element of a set that is not a string or number is written as `[…]`.
impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => write!(f, ".{}", attribute(name)),
            Self::Index(key) if key.contains_marked() => write!(f, "[{SENSITIVE}]"),
            Self::Index(key) => match key.kind() {
                Kind::Number(n) => write!(f, "[{n}]"),
                Kind::String(s) => write!(f, "[{}]", quoted(s)),
                Kind::Bool(b) => write!(f, "[{b}]"),
                _ => f.write_str("[…]"),
            },
        }
    }
}

/// The name of an attribute, in quotes unless it is an identifier.
fn attribute(name: &str) -> Cow<'_, str> {
    if is_name(name) { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

/// As in JSON, which is how configuration would write it, too.
fn quoted(text: &str) -> String {
    visible_json(&serde_json::Value::from(text).to_string())
}

impl fmt::Debug for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for PathStep {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Attribute(a), Self::Attribute(b)) => a == b,
            (Self::Index(a), Self::Index(b)) => a.same_content(b),
            _ => false,
        }
    }
}

impl Eq for PathStep {}

impl Hash for PathStep {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Attribute(name) => name.hash(state),
            Self::Index(key) => key.hash(state),
        }
    }
}

/// A borrowed path on a walk: the steps so far, each linked to the one before. Nothing is allocated until
/// the whole path is needed. A copy is O(1).
///
/// Walks pass it to callbacks, and [`convert_at`](Value::convert_at) takes it. It knows how much of its
/// part may be shown. Keys inside of a marked value are marked in the resulting [`Path`], so that they are
/// not shown.
///
/// ```
/// use objchange::Value;
/// use objchange::value::{Descend, Path};
///
/// let value = Value::object([("ports", Value::tuple([80, 443]))]);
/// let mut found: Option<Path> = None;
/// value.visit(|path, part| {
///     if part == &Value::from(443) {
///         found = Some(path.to_path());
///     }
///     Descend::Into
/// });
/// assert_eq!(found.unwrap().to_string(), "ports[1]");
/// ```
#[derive(Clone, Copy)]
pub struct PathStack<'a> {
    at: At<'a>,
    /// This is inside of a marked value.
    hidden: bool,
}

/// The position of a path on a walk.
#[derive(Clone, Copy)]
enum At<'a> {
    /// The start of the walk: some steps from the root, or none.
    Start(&'a [PathStep], Option<&'a dyn PathRedactor>),
    /// One step further.
    Step(StepRef<'a>, &'a PathStack<'a>),
}

/// One step of a path under way.
#[derive(Clone, Copy)]
pub(crate) enum StepRef<'a> {
    Attribute(&'a str),
    /// To an entry that the rules call an attribute although its name is data.
    Label(&'a str),
    Position(usize),
    Key(&'a str),
    Element(&'a Value),
}

/// How much of a part of a value may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disclosure {
    All,
    /// The place and the names of its parts but no content, because some of that is secret.
    Names,
    Nothing,
}

/// Knows which parts of the objects on a walk may be shown. Asked only when a walk finds something to
/// report, not at each step.
pub(crate) trait PathRedactor: Sync {
    /// The path without secrets, and how much of the part there may be shown.
    fn disclose(&self, path: &Path) -> (Path, Disclosure);
}

/// The parts of errors that are found here. All errors are made with these functions, which leave secrets
/// out.
impl PathStack<'_> {
    /// The path as an owned value.
    pub fn to_path(self) -> Path {
        self.disclose().0
    }

    /// The value, unless it is or holds a secret.
    pub(crate) fn value(self, value: &Value) -> Option<Value> {
        (self.disclose().1 == Disclosure::All && !value.contains_marked()).then(|| value.clone())
    }

    /// The type of a value, without the names of attributes where they may be secret.
    pub(crate) fn ty(self, value: &Type) -> Type {
        if self.disclose().1 == Disclosure::All { value.clone() } else { nameless(value) }
    }

    /// A name that something inside has.
    pub(crate) fn name(self, name: &SmolStr) -> SmolStr {
        if self.disclose().1 == Disclosure::Nothing { SENSITIVE.into() } else { name.clone() }
    }

    pub(crate) fn disclose(self) -> (Path, Disclosure) {
        let mut steps = Vec::with_capacity(self.depth());
        let (mut at, mut redactor) = (Some(self), None);
        while let Some(stack) = at {
            match stack.at {
                At::Step(..) => steps.extend(stack.last()),
                At::Start(start, over) => {
                    steps.extend(start.iter().rev().cloned());
                    redactor = over;
                }
            }
            at = stack.before();
        }
        steps.reverse();
        let path = Path(steps);
        let (path, told) = match redactor {
            Some(redactor) => redactor.disclose(&path),
            None => (path, Disclosure::All),
        };
        (path, if self.hidden { Disclosure::Nothing } else { told })
    }
}

impl<'a> PathStack<'a> {
    /// The path of the root.
    pub const ROOT: PathStack<'static> = PathStack { at: At::Start(&[], None), hidden: false };

    /// The path of the root of objects with secrets.
    pub(crate) fn under(redactor: &'a dyn PathRedactor) -> Self {
        Self { at: At::Start(&[], Some(redactor)), hidden: false }
    }

    /// The number of steps from the root.
    pub fn depth(self) -> usize {
        let (mut steps, mut stack) = (0, self);
        loop {
            match stack.at {
                At::Start(start, _) => return steps + start.len(),
                At::Step(_, before) => (steps, stack) = (steps + 1, *before),
            }
        }
    }

    /// Whether this is the path of the root.
    pub fn is_root(self) -> bool {
        matches!(self.at, At::Start([], _))
    }

    /// The last step, if there is one.
    ///
    /// ```
    /// use objchange::Value;
    /// use objchange::value::{Descend, PathStack, PathStep};
    ///
    /// let value = Value::object([("token", Value::from("x")), ("size", Value::from(1))]);
    /// let mut redacted = 0;
    /// value.visit(|path, _| {
    ///     redacted += usize::from(matches!(path.last(), Some(PathStep::Attribute(name)) if name == "token"));
    ///     Descend::Into
    /// });
    /// assert_eq!(redacted, 1);
    /// assert!(PathStack::ROOT.last().is_none());
    /// ```
    pub fn last(self) -> Option<PathStep> {
        match self.at {
            At::Start(start, _) => start.last().cloned(),
            // Being inside of a secret part hides the key, not the place of the part.
            At::Step(StepRef::Label(name), before) if before.hidden => {
                Some(PathStep::Index(Value::from(name).sensitive()))
            }
            At::Step(step, before) => Some(match PathStep::from(step) {
                PathStep::Index(key) if before.hidden => PathStep::Index(key.sensitive()),
                step => step,
            }),
        }
    }

    /// The path one step less far, up to where the walk began.
    fn before(self) -> Option<PathStack<'a>> {
        match self.at {
            At::Start(..) => None,
            At::Step(_, before) => Some(*before),
        }
    }

    pub(crate) fn then(&'a self, step: StepRef<'a>) -> PathStack<'a> {
        PathStack { at: At::Step(step, self), hidden: self.hidden }
    }

    /// The path with everything that follows hidden, if `hidden`.
    pub(crate) fn hide(self, hidden: bool) -> PathStack<'a> {
        PathStack { hidden: self.hidden || hidden, ..self }
    }

    /// Whether this is inside of a marked value.
    pub(crate) fn is_hidden(self) -> bool {
        self.hidden
    }

    pub(crate) fn attribute(&'a self, name: &'a str) -> PathStack<'a> {
        self.then(StepRef::Attribute(name))
    }
}

/// Inside of a part with a marked key, keys are hidden.
impl<'a> From<&'a Path> for PathStack<'a> {
    fn from(path: &'a Path) -> Self {
        let is_marked = |step: &PathStep| matches!(step, PathStep::Index(key) if key.contains_marked());
        Self { at: At::Start(&path.0, None), hidden: path.0.iter().any(is_marked) }
    }
}

impl From<PathStack<'_>> for Path {
    fn from(path: PathStack<'_>) -> Self {
        path.to_path()
    }
}

/// As the [`Path`].
impl fmt::Display for PathStack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_path().fmt(f)
    }
}

impl fmt::Debug for PathStack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_path(), f)
    }
}

impl From<StepRef<'_>> for PathStep {
    fn from(step: StepRef<'_>) -> Self {
        match step {
            StepRef::Attribute(name) | StepRef::Label(name) => Self::Attribute(name.into()),
            StepRef::Position(i) => Self::Index(Value::from(Number::from(i as u64))),
            StepRef::Key(key) => Self::Index(Value::from(key)),
            StepRef::Element(element) => Self::Index(element.clone()),
        }
    }
}

/// Something for each of many paths, found step by step while a value is walked.
#[derive(Debug, Default)]
pub(crate) struct PathTrie<T> {
    value: T,
    children: HashMap<PathStep, PathTrie<T>>,
}

impl<T: Default> PathTrie<T> {
    pub(crate) fn insert(&mut self, path: &Path) -> &mut T {
        let node = path.0.iter().fold(self, |node, step| node.children.entry(step.clone()).or_default());
        &mut node.value
    }

    pub(crate) fn value(&self) -> &T {
        &self.value
    }

    pub(crate) fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }

    pub(crate) fn child(&self, step: StepRef<'_>) -> Option<&PathTrie<T>> {
        if self.children.is_empty() { None } else { self.children.get(&PathStep::from(step)) }
    }

    /// The steps that lead on from here.
    pub(crate) fn children(&self) -> impl Iterator<Item = (&PathStep, &PathTrie<T>)> {
        self.children.iter()
    }

    pub(crate) fn child_at(&self, step: &PathStep) -> Option<&PathTrie<T>> {
        self.children.get(step)
    }
}

/// One node after the other: a path may be longer than the stack is deep.
impl<T> Drop for PathTrie<T> {
    fn drop(&mut self) {
        let mut rest: Vec<_> = self.children.drain().collect();
        while let Some((_, mut node)) = rest.pop() {
            rest.extend(node.children.drain());
        }
    }
}
