//! Values of documents as values of expressions: nothing is converted that is not looked at.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator, Sizer};
use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelNull, CelString, CelUInt, Kind, MAP_TYPE, Type,
};
use cel::common::value::{CowVal, Val};
use objchange_document::json::Shape;
use objchange_text::redact::SENSITIVE;

use super::budget::Budget;
use super::kinds::PathReads;
use super::unknown::UnknownReads;
use crate::collection::Marked;

/// How values are looked at.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) budget: Arc<Budget>,
    /// Whether `(sensitive value)` replaces what is sensitive: for all that is shown.
    pub(super) is_masked: bool,
    pub(super) unknown: Arc<UnknownReads>,
    /// Whether something sensitive was replaced.
    pub(super) has_masked: Arc<AtomicBool>,
    /// The paths that are written in the expression.
    pub(super) paths: Arc<[PathReads]>,
}

impl Scope {
    pub(super) fn new(is_masked: bool) -> Self {
        Self {
            budget: Arc::default(),
            is_masked,
            unknown: Arc::default(),
            has_masked: Arc::default(),
            paths: Arc::default(),
        }
    }

    /// Begins with another item or column.
    pub(super) fn renew(&self) {
        self.budget.renew();
        self.unknown.renew();
        self.has_masked.store(false, Relaxed);
    }

    /// Takes note that something sensitive is replaced.
    pub(super) fn mask(&self) {
        self.has_masked.store(true, Relaxed);
    }

    /// Whether something sensitive was replaced. Whatever is computed after that is not the answer.
    pub(super) fn has_masked(&self) -> bool {
        self.has_masked.load(Relaxed)
    }

    /// The error of looking at something that is unknown until apply.
    pub(super) fn unknown(&self) -> ExecutionError {
        self.unknown.refuse()
    }
}

/// An object of a document.
pub(super) struct Node<'a> {
    value: Marked<'a, 'a>,
    /// The value consists of marks. Sensitive marks become one bool, because their keys may be secret.
    are_marks: bool,
    scope: Scope,
    keys: OnceLock<Vec<CelString<'a>>>,
}

/// Nothing of the value: it may be secret.
impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(an object)")
    }
}

/// A part of a document.
pub(super) fn value<'a>(value: Marked<'a, 'a>, scope: &Scope) -> Result<Box<dyn Val + 'a>, ExecutionError> {
    part(value, false, scope)
}

/// The marks of a change.
pub(super) fn marks<'a>(marks: Marked<'a, 'a>, scope: &Scope) -> Result<Box<dyn Val + 'a>, ExecutionError> {
    part(marks, true, scope)
}

fn part<'a>(
    value: Marked<'a, 'a>,
    are_marks: bool,
    scope: &Scope,
) -> Result<Box<dyn Val + 'a>, ExecutionError> {
    // An unknown is not a value, and least of all null.
    if value.is_unknown() {
        return Err(scope.unknown());
    }
    let Some(view) = value.exact() else { return Err(absent()) };
    if scope.is_masked && value.is_sensitive() {
        // Marks that are one bool are shown as they are.
        if !are_marks || !view.is_bool() {
            scope.mask();
        }
        return Ok(match are_marks {
            true => Box::new(CelBool::from(view.has_true())),
            false => Box::new(CelString::from(SENSITIVE)),
        });
    }
    Ok(match view.shape() {
        Shape::Null => Box::new(CelNull),
        Shape::Bool(value) => Box::new(CelBool::from(value)),
        Shape::Number(text) => number(text),
        Shape::String(text) => {
            scope.budget.pay_text(text.len())?;
            Box::new(CelString::from(text))
        }
        Shape::Array(elements) => {
            scope.budget.pay(1 + elements.len() as u64)?;
            let mut list: Vec<Box<dyn Val + 'a>> = Vec::with_capacity(elements.len());
            for (index, element) in value.elements().enumerate() {
                if element.is_unknown() {
                    scope.unknown.pass();
                }
                match index < elements.len() && !element.is_unknown() {
                    true => list.push(part(element, are_marks, scope)?),
                    // Null as in the document. `pass` has noted it: an answer that may depend on it is undecided.
                    false if index < elements.len() || scope.is_masked => list.push(Box::new(CelNull)),
                    // Marks go on behind the last element.
                    false => {}
                }
            }
            Box::new(CelList::from(list))
        }
        Shape::Object(_) => Box::new(Node { value, are_marks, scope: scope.clone(), keys: OnceLock::new() }),
    })
}

/// An integer where it is written as one and fits in 64 bits, and else a double.
pub(super) fn number<'a>(text: &str) -> Box<dyn Val + 'a> {
    if let Ok(integer) = text.parse::<i64>() {
        return Box::new(CelInt::from(integer));
    }
    if let Ok(integer) = text.parse::<u64>() {
        return Box::new(CelUInt::from(integer));
    }
    // Every number of JSON is one of Rust; beyond the largest double it is infinite.
    Box::new(CelDouble::from(text.parse::<f64>().unwrap_or(f64::NAN)))
}

/// The name by which a value is indexed.
pub(super) fn key_of(index: &dyn Val) -> Result<&str, ExecutionError> {
    match index.downcast_ref::<CelString>() {
        Some(key) => Ok(key.inner()),
        None => Err(absent()),
    }
}

/// The error for an absent name. It does not quote the name, which may be secret.
pub(super) fn absent() -> ExecutionError {
    ExecutionError::no_such_key("")
}

impl Indexer for Node<'_> {
    fn get<'b, 'v>(&'b self, index: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let key = key_of(index)?;
        let Some(member) = self.value.there(key) else {
            return Err(match self.is_unknown(key) {
                true => self.scope.unknown.refuse_member(),
                false => absent(),
            });
        };
        self.scope.budget.pay(1)?;
        Ok(CowVal::Owned(part(member, self.are_marks, &self.scope)?))
    }

    fn steal<'v>(self: Box<Self>, index: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(index).map(CowVal::into_owned)
    }
}

impl<'a> Node<'a> {
    /// Whether a member that is not there is unknown, or has parts that are.
    fn is_unknown(&self, key: &str) -> bool {
        self.value.part_of(key).has_unknown()
    }

    /// Takes note that the names of the members are looked at. Those of a value are certain, also where the members are unknown:
    /// an object that is planned keeps its attributes, and a map its keys. Marks of unknown members may be missing in the end.
    fn note_names(&self) {
        if self.are_marks && self.value.has_unknown() {
            self.scope.unknown.pass();
        }
    }

    /// The names of the members; of marks those that the document has.
    fn names(&self) -> impl std::iter::Iterator<Item = &'a str> {
        let written = self.value.exact().map_or(0, |value| value.members().len());
        // `members` gives unknown ones last.
        let count = if self.are_marks { written } else { usize::MAX };
        self.value.members().map(|(name, _)| name).take(count)
    }

    /// Whether a mark may be missing after all: its provider may make the value known, and documents have no mark of it then.
    fn may_lack(&self, key: &str) -> bool {
        self.are_marks && self.is_unknown(key)
    }
}

impl Sizer for Node<'_> {
    fn size(&self) -> CelInt {
        self.note_names();
        CelInt::from(self.names().count() as i64)
    }
}

impl Container for Node<'_> {
    fn contains(&self, key: &dyn Val) -> Result<bool, ExecutionError> {
        let Some(key) = key.downcast_ref::<CelString>() else { return Ok(false) };
        if self.may_lack(key.inner()) {
            self.scope.unknown.pass();
        }
        let is_there = self.value.there(key.inner()).is_some();
        Ok(is_there || !self.are_marks && self.is_unknown(key.inner()))
    }
}

impl Iterable for Node<'_> {
    fn iter<'b, 'v>(&'b self) -> Box<dyn Iterator<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        self.note_names();
        let keys = self.keys.get_or_init(|| self.names().map(CelString::from).collect());
        Box::new(Keys(keys.iter()))
    }
}

/// Names on loan.
pub(super) struct Keys<'b, 'a>(pub(super) std::slice::Iter<'b, CelString<'a>>);

impl<'b, 'a: 'v, 'v> Iterator<'b, 'v> for Keys<'b, 'a> {
    fn next(&mut self) -> Option<&'b (dyn Val + 'v)> {
        self.0.next().map(|key| key as &(dyn Val + 'v))
    }
}

/// Makes an object a CEL map whose members are made on demand.
macro_rules! lazy_map {
    ($object:ty) => {
        impl Val for $object {
            fn get_type(&self) -> &Type {
                &MAP_TYPE
            }

            fn cel_type() -> &'static Type {
                &MAP_TYPE
            }

            fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }

            fn as_sizer(&self) -> Option<&dyn Sizer> {
                Some(self)
            }

            fn as_container(&self) -> Option<&dyn Container> {
                Some(self)
            }

            fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }

            fn equals(&self, other: &dyn Val) -> bool {
                equal_maps(self, other).unwrap_or(false)
            }

            fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
            where
                Self: 'v,
            {
                Box::new(self.clone())
            }
        }
    };
}
pub(super) use lazy_map;

impl Clone for Node<'_> {
    fn clone(&self) -> Self {
        Self {
            value: self.value,
            are_marks: self.are_marks,
            scope: self.scope.clone(),
            keys: OnceLock::new(),
        }
    }
}

lazy_map!(Node<'_>);

/// Whether two values are equal, whatever maps and lists are made of.
pub(super) fn equal(a: &dyn Val, b: &dyn Val) -> bool {
    let kinds = (a.get_type().kind(), b.get_type().kind());
    match kinds {
        (Kind::Map, Kind::Map) => equal_maps(a, b).unwrap_or(false),
        (Kind::List, Kind::List) => match (a.downcast_ref::<CelList>(), b.downcast_ref::<CelList>()) {
            (Some(a), Some(b)) => {
                let (a, b) = (a.inner(), b.inner());
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a.as_ref(), b.as_ref()))
            }
            _ => false,
        },
        _ => a.equals(b),
    }
}

/// Compares two values, one of which is a map.
pub(super) fn equal_maps(a: &dyn Val, b: &dyn Val) -> Option<bool> {
    if b.get_type().kind() != Kind::Map || a.as_sizer()?.size() != b.as_sizer()?.size() {
        return Some(false);
    }
    let (of_a, of_b, names_of_b) = (a.as_indexer()?, b.as_indexer()?, b.as_container()?);
    let mut keys = a.as_iterable()?.iter();
    while let Some(key) = keys.next() {
        // They differ whatever the value of the member is, which may be unknown.
        if !names_of_b.contains(key).unwrap_or(false) {
            return Some(false);
        }
        match (of_a.get(key), of_b.get(key)) {
            (Ok(a), Ok(b)) if equal(a.as_ref(), b.as_ref()) => {}
            _ => return Some(false),
        }
    }
    Some(true)
}
