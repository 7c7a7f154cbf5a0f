//! Unknown values: their sources, and facts about them.

use std::sync::Arc;

use super::Value;

/// A value that is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unknown(Arc<Inner>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Inner {
    /// The host's numbers of everything that it depends on.
    ids: Vec<u32>,
    hint: Option<Hint>,
}

/// Facts about an unknown value that hold in any case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Hint {
    /// A bool.
    Bool,
    /// A string: this one, with a placeholder for each unknown part.
    Text(Value),
    /// A whole number within these bounds.
    Count { min: usize, max: Option<usize> },
    /// A set of these members, and perhaps of some possible ones.
    Set { certain: Vec<Value>, possible: Vec<Value> },
    /// An array of these elements; marked ones may be missing or repeated.
    Array(Vec<(Value, bool)>),
    /// An object of these members, and perhaps of some possible ones.
    Object { certain: Vec<(Value, Value)>, possible: Vec<(Value, Value)> },
    /// Policies may ask whether it is unknown: it is `{"$unknown": {}}` to them.
    Marker,
}

/// Values that depend on more keep only some of the numbers.
const MOST_IDS: usize = 1000;

impl Unknown {
    /// Something that depends on one thing.
    pub fn new(id: u32) -> Self {
        Self(Arc::new(Inner { ids: vec![id], hint: None }))
    }

    /// A value that policies may test for being unknown: to them it equals `{"$unknown": {}}`.
    pub fn marker(id: u32) -> Self {
        Self(Arc::new(Inner { ids: vec![id], hint: Some(Hint::Marker) }))
    }

    /// Something that depends on all of these.
    pub fn from_ids(ids: impl IntoIterator<Item = u32>) -> Self {
        let mut ids: Vec<u32> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        ids.truncate(MOST_IDS);
        Self(Arc::new(Inner { ids, hint: None }))
    }

    /// An array with these elements. Those that are marked may be missing, or be there more than once, which depends on
    /// all of `ids`.
    pub fn array(ids: impl IntoIterator<Item = u32>, elements: Vec<(Value, bool)>) -> Self {
        Self::from_ids(ids).with_hint(Hint::Array(elements))
    }

    /// An object with some members for certain, and others that may be missing, which depends on all of `ids`.
    pub fn object(
        ids: impl IntoIterator<Item = u32>,
        certain: Vec<(Value, Value)>,
        possible: Vec<(Value, Value)>,
    ) -> Self {
        Self::from_ids(ids).with_hint(Hint::Object { certain, possible })
    }

    /// The elements or members that are there for certain, if it is an array or an object for sure.
    pub fn certain(&self) -> Vec<&Value> {
        match &self.0.hint {
            Some(Hint::Array(elements)) => {
                elements.iter().filter(|(_, is_possible)| !is_possible).map(|(value, _)| value).collect()
            }
            Some(Hint::Object { certain, .. }) => certain.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// The unknown values behind it, in ascending order. At most 1000 are kept.
    pub fn ids(&self) -> &[u32] {
        &self.0.ids
    }

    /// The text of a value that is certainly a string, with a placeholder for each unknown part.
    pub fn text(&self) -> Option<&str> {
        match &self.0.hint {
            Some(Hint::Text(text)) => text.as_str(),
            _ => None,
        }
    }

    pub(crate) fn hint(&self) -> Option<&Hint> {
        self.0.hint.as_ref()
    }

    /// Equal dependences, with facts about the value.
    pub(crate) fn with_hint(&self, hint: Hint) -> Self {
        Self(Arc::new(Inner { ids: self.0.ids.clone(), hint: Some(hint) }))
    }

    /// Equal dependences, without facts about the value.
    pub(crate) fn plain(&self) -> Self {
        match self.0.hint {
            None => self.clone(),
            Some(_) => Self(Arc::new(Inner { ids: self.0.ids.clone(), hint: None })),
        }
    }

    /// Whether a condition with this value may not hold.
    pub(crate) fn may_be_false(&self) -> bool {
        matches!(self.0.hint, None | Some(Hint::Bool | Hint::Marker))
    }

    /// Combines the dependences of both. Shares the list if one contains the other.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if Arc::ptr_eq(&self.0, &other.0) || contains(self.ids(), other.ids()) {
            return self.plain();
        }
        if contains(other.ids(), self.ids()) {
            return other.plain();
        }
        Self::from_ids(self.ids().iter().chain(other.ids()).copied())
    }
}

/// Whether a sorted list contains all elements of another.
fn contains(all: &[u32], some: &[u32]) -> bool {
    if some.len() > all.len() {
        return false;
    }
    let mut rest = all.iter();
    some.iter().all(|id| rest.any(|other| other == id))
}
