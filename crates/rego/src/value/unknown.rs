//! Unknown values: their sources, and facts about them.

use std::sync::Arc;

use super::{Types, Value};

/// A value that is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unknown(Arc<Inner>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Inner {
    /// The host's numbers of everything that it depends on.
    ids: Vec<u32>,
    hint: Option<Hint>,
    origin: Option<Origin>,
}

/// Where a value comes from. Values with one origin are equal, whatever they turn out to be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Origin {
    /// A place of the host.
    Place(u32),
    /// An operation on values that are known, or have origins themselves.
    Operation(Arc<Operation>),
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Operation {
    /// How many values were looked at.
    size: u64,
    name: OperationName,
    operands: Vec<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum OperationName {
    /// A built-in function, or an operator.
    Builtin(&'static str),
    /// A rule or a function of the policies.
    Rule(u32),
}

/// Operations on more values have no origin: comparing those would take too long.
// Origins are compared and hashed like values, and each operation contains those of its operands.
const MOST_OPERANDS: u64 = 256;

impl Origin {
    /// The name of a built-in function or an operator, and its operands.
    pub(crate) fn operation(&self) -> Option<(&'static str, &[Value])> {
        match self {
            Self::Operation(operation) => match operation.name {
                OperationName::Builtin(name) => Some((name, &operation.operands)),
                OperationName::Rule(_) => None,
            },
            Self::Place(_) => None,
        }
    }

    /// The origin of a result, if all operands have theirs.
    pub(crate) fn of(name: OperationName, operands: &[Value]) -> Option<Self> {
        let mut size = 1;
        if operands.iter().all(|operand| operand.count_origins(&mut size)) {
            let operation = Operation { size, name, operands: operands.to_vec() };
            return Some(Self::Operation(Arc::new(operation)));
        }
        None
    }
}

impl Value {
    /// Whether all of its unknown parts have an origin.
    pub(crate) fn has_origin(&self) -> bool {
        match self {
            Self::Unknown(unknown) => unknown.0.origin.is_some(),
            _ if !self.contains_unknown() => true,
            Self::Array(items) => items.iter().all(Self::has_origin),
            Self::Set(items) => items.iter().all(Self::has_origin),
            Self::Object(members) => {
                members.iter().all(|(key, value)| key.has_origin() && value.has_origin())
            }
            _ => true,
        }
    }

    /// Counts its parts; `false` if they are too many, or one has no origin.
    fn count_origins(&self, size: &mut u64) -> bool {
        *size += match self {
            Self::Unknown(unknown) => match &unknown.0.origin {
                None => return false,
                Some(Origin::Place(_)) => 1,
                Some(Origin::Operation(operation)) => operation.size,
            },
            // The parts of known values are also compared when two origins are.
            _ if !self.contains_unknown() => self.parts(),
            _ => 1,
        };
        if *size > MOST_OPERANDS {
            return false;
        }
        match self {
            _ if !self.contains_unknown() => true,
            Self::Array(items) => items.iter().all(|item| item.count_origins(size)),
            Self::Set(items) => items.iter().all(|item| item.count_origins(size)),
            Self::Object(members) => {
                members.iter().all(|(key, value)| key.count_origins(size) && value.count_origins(size))
            }
            _ => true,
        }
    }

    /// The unknown parts that an operation may have read as numbers from texts. Values that the host does not know are JSON.
    pub(crate) fn possible_numbers(&self) -> Option<Unknown> {
        let of_all = |values: &mut dyn Iterator<Item = &Self>| {
            values.filter_map(Self::possible_numbers).reduce(|all, one| all.union(&one))
        };
        match self {
            _ if !self.contains_unknown() => None,
            Self::Unknown(unknown) => match (&unknown.0.hint, &unknown.0.origin) {
                (Some(Hint::Bool | Hint::Text(_) | Hint::Count { .. } | Hint::Marker), _) => None,
                (_, Some(Origin::Place(_))) => None,
                _ => Some(unknown.plain()),
            },
            Self::Array(items) => of_all(&mut items.iter()),
            Self::Set(items) => of_all(&mut items.iter()),
            Self::Object(members) => of_all(&mut members.iter().flat_map(|(key, value)| [key, value])),
            _ => None,
        }
    }

    /// The value with parts that may differ from all others.
    // One element may represent several members that turn out to be different: with an origin they would all
    // be equal.
    pub(crate) fn without_origin(&self) -> Self {
        match self {
            _ if !self.contains_unknown() => self.clone(),
            Self::Unknown(unknown) => Self::Unknown(unknown.without_origin()),
            Self::Array(items) => Self::array(items.iter().map(Self::without_origin).collect::<Vec<_>>()),
            Self::Set(items) => Self::set(items.iter().map(Self::without_origin).collect::<Vec<_>>()),
            Self::Object(members) => {
                let members =
                    members.iter().map(|(key, value)| (key.without_origin(), value.without_origin()));
                Self::object(members.collect::<Vec<_>>())
            }
            _ => self.clone(),
        }
    }
}

/// Facts about an unknown value that hold in any case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Hint {
    /// A value of one of these types.
    Types(Types),
    /// A bool.
    Bool,
    Text(Text),
    /// A whole number within these bounds.
    Count {
        min: usize,
        max: Option<usize>,
    },
    /// A set of these members, and perhaps of some possible ones.
    Set {
        certain: Vec<Value>,
        possible: Vec<Value>,
    },
    /// An array of these elements.
    Array(Vec<(Value, Presence)>),
    /// An object of these members, and perhaps of some possible ones.
    Object {
        certain: Vec<(Value, Value)>,
        possible: Vec<(Value, Value)>,
    },
    /// Policies may ask whether it is unknown: it is `{"$unknown": {}}` to them.
    Marker,
}

/// How often an element of an array is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Presence {
    Once,
    AtMostOnce,
    /// Not at all, or any number of times, with other values.
    AnyTimes,
}

/// How many elements an array has at least and at most.
pub(crate) fn bounds_of(elements: &[(Value, Presence)]) -> (usize, Option<usize>) {
    let certain = elements.iter().filter(|(_, times)| *times == Presence::Once).count();
    let is_listed = elements.iter().all(|(_, times)| *times != Presence::AnyTimes);
    (certain, is_listed.then_some(elements.len()))
}

/// A string of which only the beginning and the end may be known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Text {
    /// The string with a placeholder for each unknown part.
    pub(crate) shown: Value,
    start: Box<str>,
    end: Box<str>,
}

impl Text {
    /// Nothing is known of the string.
    pub(crate) fn open(shown: Value) -> Self {
        Self { shown, start: Box::default(), end: Box::default() }
    }

    pub(crate) fn new(shown: Value, edges: Edges) -> Self {
        Self { shown, start: edges.start.into(), end: edges.end.into() }
    }

    /// How long it is at least.
    pub(crate) fn least_count(&self) -> usize {
        self.start.chars().count() + self.end.chars().count()
    }

    pub(crate) fn may_be(&self, text: &str) -> bool {
        text.len() >= self.start.len() + self.end.len()
            && text.starts_with(&*self.start)
            && text.ends_with(&*self.end)
    }

    pub(crate) fn may_equal(&self, other: &Self) -> bool {
        self.starts_with(&other.start) != Some(false) && self.ends_with(&other.end) != Some(false)
    }

    pub(crate) fn starts_with(&self, text: &str) -> Option<bool> {
        match (self.start.starts_with(text), text.starts_with(&*self.start)) {
            (true, _) => Some(true),
            (false, true) => None,
            (false, false) => Some(false),
        }
    }

    pub(crate) fn ends_with(&self, text: &str) -> Option<bool> {
        match (self.end.ends_with(text), text.ends_with(&*self.end)) {
            (true, _) => Some(true),
            (false, true) => None,
            (false, false) => Some(false),
        }
    }

    /// Whether it certainly contains a text.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.start.contains(text) || self.end.contains(text)
    }
}

/// The known beginning and end of a string that is made of parts.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    start: String,
    end: String,
    has_unknown: bool,
}

impl Edges {
    pub(crate) fn add(&mut self, text: &str) {
        if !self.has_unknown {
            self.start.push_str(text);
        }
        self.end.push_str(text);
    }

    /// A part that is not known, unless it is a string of which something is.
    pub(crate) fn add_unknown(&mut self, part: &Value) {
        let text = match part {
            Value::Unknown(unknown) => match unknown.hint() {
                Some(Hint::Text(text)) => Some(text),
                _ => None,
            },
            _ => None,
        };
        if let Some(text) = text.filter(|_| !self.has_unknown) {
            self.start.push_str(&text.start);
        }
        self.end = text.map_or_else(String::new, |text| text.end.to_string());
        self.has_unknown = true;
    }
}

/// Values that depend on more keep only some of the numbers.
const MOST_IDS: usize = 1000;

impl Unknown {
    /// The value of one place. It equals itself, wherever it is used.
    pub fn new(id: u32) -> Self {
        Self(Arc::new(Inner { ids: vec![id], hint: None, origin: Some(Origin::Place(id)) }))
    }

    /// Like [`Unknown::new`], of a value that has one of these types.
    ///
    /// ```
    /// use objchange_rego::{Unknown, Value, value::Types};
    ///
    /// // A string that is not known yet is true in a condition, and so is null.
    /// let name = Value::Unknown(Unknown::of_types(0, Types::STRING.or(Types::NULL)));
    /// assert!(name.contains_unknown());
    /// ```
    pub fn of_types(id: u32, types: Types) -> Self {
        let (hint, origin) = (Some(Hint::Types(types)), Some(Origin::Place(id)));
        Self(Arc::new(Inner { ids: vec![id], hint, origin }))
    }

    /// A value of one of these types. Unlike values of [`Unknown::of_types`], two of one number may differ.
    ///
    /// ```
    /// use objchange_rego::{Unknown, value::Types};
    ///
    /// let [one, other] = [0, 0].map(|id| Unknown::any_of_types(id, Types::STRING));
    /// assert_eq!(one.ids(), other.ids());
    /// ```
    pub fn any_of_types(id: u32, types: Types) -> Self {
        Self::from_ids([id]).with_hint(Hint::Types(types))
    }

    /// A value that policies may test for being unknown: to them it equals `{"$unknown": {}}`.
    pub fn marker(id: u32) -> Self {
        Self(Arc::new(Inner { ids: vec![id], hint: Some(Hint::Marker), origin: None }))
    }

    /// Something that depends on all of these.
    pub fn from_ids(ids: impl IntoIterator<Item = u32>) -> Self {
        let mut ids: Vec<u32> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        // Sorted before, so that equal sets of dependences keep equal numbers.
        ids.truncate(MOST_IDS);
        Self(Arc::new(Inner { ids, hint: None, origin: None }))
    }

    /// An array with these elements. Those that are marked may be missing, or be there more than once, which depends on
    /// all of `ids`.
    pub fn array(ids: impl IntoIterator<Item = u32>, elements: Vec<(Value, bool)>) -> Self {
        // A possible element may be there several times, with different values.
        let element = |(value, is_possible): (Value, bool)| match is_possible {
            true => (value.without_origin(), Presence::AnyTimes),
            false => (value, Presence::Once),
        };
        Self::from_ids(ids).with_hint(Hint::Array(elements.into_iter().map(element).collect()))
    }

    /// An array of the elements of a set. Those that are marked may turn out to be equal to another, and are missing then.
    ///
    /// ```
    /// use objchange_rego::{Unknown, Value};
    ///
    /// let [one, other] = [1, 2].map(|id| Value::Unknown(Unknown::new(id)));
    /// assert!(one.may_equal(&other));
    /// let set = Unknown::set_as_array([1, 2], vec![(one, false), (other, true)]);
    /// assert_eq!(set.certain().len(), 1);
    /// ```
    pub fn set_as_array(ids: impl IntoIterator<Item = u32>, elements: Vec<(Value, bool)>) -> Self {
        let values: Vec<Value> = elements.iter().map(|(value, _)| value.clone()).collect();
        let element = |(value, is_possible): (Value, bool)| {
            (value, if is_possible { Presence::AtMostOnce } else { Presence::Once })
        };
        let elements = elements.into_iter().map(element).collect();
        // Which elements are equal is decided by their values alone.
        Self::from_ids(ids).with_hint(Hint::Array(elements)).made_by(OperationName::Builtin("set"), &values)
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
            Some(Hint::Array(elements)) => elements
                .iter()
                .filter(|(_, times)| *times == Presence::Once)
                .map(|(value, _)| value)
                .collect(),
            Some(Hint::Object { certain, .. }) => certain.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// The member of this name, if it is an object that has one for certain.
    pub fn member(&self, name: &str) -> Option<&Value> {
        match &self.0.hint {
            // The last one of a repeated key wins.
            Some(Hint::Object { certain, .. }) => {
                certain.iter().rev().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The unknown values behind it, in ascending order. At most 1000 are kept.
    pub fn ids(&self) -> &[u32] {
        &self.0.ids
    }

    /// The text of a value that is certainly a string, with a placeholder for each unknown part.
    pub fn text(&self) -> Option<&str> {
        match &self.0.hint {
            Some(Hint::Text(text)) => text.shown.as_str(),
            _ => None,
        }
    }

    pub(crate) fn hint(&self) -> Option<&Hint> {
        self.0.hint.as_ref()
    }

    /// Equal dependences, with facts about the value.
    pub(crate) fn with_hint(&self, hint: Hint) -> Self {
        Self(Arc::new(Inner { ids: self.0.ids.clone(), hint: Some(hint), origin: None }))
    }

    /// Equal dependences, without facts about the value: another value than this one.
    pub(crate) fn plain(&self) -> Self {
        match (&self.0.hint, &self.0.origin) {
            (None, None) => self.clone(),
            _ => Self(Arc::new(Inner { ids: self.0.ids.clone(), hint: None, origin: None })),
        }
    }

    fn without_origin(&self) -> Self {
        Self(Arc::new(Inner { ids: self.0.ids.clone(), hint: self.0.hint.clone(), origin: None }))
    }

    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.0.origin.as_ref()
    }

    /// Whether it may turn out to be an array. To policies, an unknown value is an object.
    pub(crate) fn may_be_array(&self) -> bool {
        match &self.0.hint {
            None | Some(Hint::Array(_)) => true,
            Some(Hint::Types(types)) => !types.and(Types::ARRAY).is_empty(),
            _ => false,
        }
    }

    /// The result of an operation on these values.
    pub(crate) fn made_by(self, name: OperationName, operands: &[Value]) -> Self {
        match Origin::of(name, operands) {
            None => self,
            origin => Self(Arc::new(Inner { ids: self.0.ids.clone(), hint: self.0.hint.clone(), origin })),
        }
    }

    /// Whether a condition with this value may not hold.
    pub(crate) fn may_be_false(&self) -> bool {
        match self.0.hint {
            None | Some(Hint::Bool | Hint::Marker) => true,
            Some(Hint::Types(types)) => !types.and(Types::BOOLEAN).is_empty(),
            _ => false,
        }
    }

    /// Whether it may have members, and nothing is known about them.
    pub(crate) fn may_hold_anything(&self) -> bool {
        match self.0.hint {
            None => true,
            Some(Hint::Types(types)) => !types.and(Types::COLLECTIONS).is_empty(),
            _ => false,
        }
    }

    /// Combines the dependences of both. Shares the list if one of them has all that is kept: two loops over 1,200 lists of
    /// unknown length took 1.9 GB without that.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (own, others) = (self.ids(), other.ids());
        let is_full = own.len() == MOST_IDS && own.last() < others.first();
        if Arc::ptr_eq(&self.0, &other.0) || is_full || contains(own, others) {
            return self.plain();
        }
        if contains(others, own) {
            return other.plain();
        }
        let ids = merged(own, others);
        match &ids {
            ids if ids == own => self.plain(),
            ids if ids == others => other.plain(),
            _ => Self(Arc::new(Inner { ids, hint: None, origin: None })),
        }
    }
}

/// The elements of two sorted lists in order, each once, and at most so many as are kept.
fn merged(mut own: &[u32], mut others: &[u32]) -> Vec<u32> {
    let mut ids = Vec::with_capacity(MOST_IDS.min(own.len() + others.len()));
    while ids.len() < MOST_IDS {
        let id = match (own.first(), others.first()) {
            (Some(a), Some(b)) => *a.min(b),
            (Some(id), None) | (None, Some(id)) => *id,
            (None, None) => break,
        };
        ids.push(id);
        // A number that both lists begin with is removed from both, so it appears once.
        own = own.strip_prefix(&[id]).unwrap_or(own);
        others = others.strip_prefix(&[id]).unwrap_or(others);
    }
    ids
}

/// Whether a sorted list contains all elements of another.
fn contains(all: &[u32], some: &[u32]) -> bool {
    if some.len() > all.len() {
        return false;
    }
    let mut rest = all.iter();
    some.iter().all(|id| rest.any(|other| other == id))
}
