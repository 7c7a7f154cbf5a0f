//! The structured change: before, after and everything that is known about them, walked together.

mod paths;

use objchange::schema::Attribute;
use smol_str::SmolStr;

pub(crate) use paths::{PathList, Paths};

use crate::diff::Action;
use crate::json::Json;
use crate::text::Text;

static NULL: Json<'static> = Json::Null;
static FALSE: Json<'static> = Json::Bool(false);
static TRUE: Json<'static> = Json::Bool(true);

/// What is known at one place of a resource or output: its value on both sides, whether it stands there at
/// all, and the marks that mirror its nesting.
///
/// `'v` is how long the values live, `'t` how long the text does that they are borrowed from.
#[derive(Debug, Clone)]
pub(crate) struct Change<'v, 't> {
    /// The value before; null where there is none.
    pub(crate) before: &'v Json<'t>,
    /// The value after; null where there is none.
    pub(crate) after: &'v Json<'t>,
    /// The value before is there even if it is null.
    pub(crate) before_explicit: bool,
    /// The value after is there even if it is null.
    pub(crate) after_explicit: bool,
    pub(crate) unknown: Unknown<'v, 't>,
    pub(crate) before_sensitive: &'v Json<'t>,
    pub(crate) after_sensitive: &'v Json<'t>,
    /// What forces the replacement.
    pub(crate) replace: Paths<'v, 't>,
    /// What is worth showing.
    pub(crate) relevant: Paths<'v, 't>,
    /// The schema around uses what the legacy SDK could not express, so that `""` is not null.
    pub(crate) modern: bool,
    /// How many values are around this one, those of a JSON string and the string itself included.
    pub(crate) depth: usize,
    /// This is a part of a collection whose parts are not kept.
    pub(crate) within_deferred: bool,
}

/// Where in each object of a change the next member is expected.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Position {
    before: usize,
    after: usize,
    unknown: usize,
    before_sensitive: usize,
    after_sensitive: usize,
}

/// Which parts of the value after are unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unknown<'v, 't> {
    /// As the document says: `true` for all of it, or a value that mirrors the nesting.
    Marks(&'v Json<'t>),
    /// The members of these names.
    Members(&'v [(SmolStr, Attribute)]),
}

impl<'v, 't> Unknown<'v, 't> {
    /// Nothing is unknown.
    pub(crate) const NONE: Self = Unknown::Marks(&FALSE);

    fn is_whole(self) -> bool {
        matches!(self, Unknown::Marks(Json::Bool(true)))
    }

    fn member(self, key: &str, at: &mut usize) -> Self {
        match self {
            Unknown::Marks(marks) => Unknown::Marks(mark_member(marks, key, at)),
            Unknown::Members(members) => {
                let named = members.binary_search_by(|(name, _)| name.as_str().cmp(key)).is_ok();
                Unknown::Marks(if named { &TRUE } else { &FALSE })
            }
        }
    }

    fn element(self, index: usize) -> Self {
        match self {
            Unknown::Marks(marks) => Unknown::Marks(mark_element(marks, index)),
            Unknown::Members(_) => Self::NONE,
        }
    }

    fn keys(self) -> impl Iterator<Item = &'v Text<'t>> {
        let members = match self {
            Unknown::Marks(marks) => marks.members(),
            Unknown::Members(_) => &[],
        };
        members.iter().map(|(key, _)| key)
    }
}

/// The mark of a member: a boolean holds for everything below it.
fn mark_member<'v, 't>(marks: &'v Json<'t>, key: &str, at: &mut usize) -> &'v Json<'t> {
    match marks {
        Json::Bool(_) => marks,
        _ => marks.get_next(key, at).unwrap_or(&FALSE),
    }
}

/// The mark of an element: a boolean holds for everything below it.
fn mark_element<'v, 't>(marks: &'v Json<'t>, index: usize) -> &'v Json<'t> {
    match marks {
        Json::Bool(_) => marks,
        _ => marks.elements().get(index).unwrap_or(&FALSE),
    }
}

impl<'v, 't> Change<'v, 't> {
    /// From `before` to `after`, without any marks.
    pub(crate) fn new(before: &'v Json<'t>, after: &'v Json<'t>) -> Self {
        Self {
            before,
            after,
            before_explicit: false,
            after_explicit: false,
            unknown: Unknown::NONE,
            before_sensitive: &FALSE,
            after_sensitive: &FALSE,
            replace: Paths::none(),
            relevant: Paths::everything(),
            modern: false,
            depth: 0,
            within_deferred: false,
        }
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.unknown.is_whole()
    }

    pub(crate) fn is_before_sensitive(&self) -> bool {
        self.before_sensitive.is_true()
    }

    pub(crate) fn is_after_sensitive(&self) -> bool {
        self.after_sensitive.is_true()
    }

    /// Whether anything in the value is unknown or sensitive.
    pub(crate) fn has_marks(&self) -> bool {
        let unknown = match self.unknown {
            Unknown::Marks(marks) => marks.has_true(),
            Unknown::Members(_) => true,
        };
        unknown || self.before_sensitive.has_true() || self.after_sensitive.has_true()
    }

    /// Whether this place itself forces the replacement.
    pub(crate) fn forces_replacement(&self) -> bool {
        self.replace.is_match()
    }

    pub(crate) fn is_null(&self) -> bool {
        self.before.is_null() && self.after.is_null()
    }

    /// What happens to a value that has no parts.
    pub(crate) fn leaf_action(&self) -> Action {
        let before_there = !self.before.is_null() || self.before_explicit;
        let after_there = !self.after.is_null() || self.after_explicit;
        match (before_there, after_there) {
            (false, true) => Action::Create,
            (true, false) => Action::Delete,
            _ if self.before == self.after
                && self.before_explicit == self.after_explicit
                && self.is_before_sensitive() == self.is_after_sensitive() =>
            {
                Action::NoOp
            }
            _ => Action::Update,
        }
    }

    /// What happens to a value with parts, before its parts are looked at.
    pub(crate) fn parent_action(&self) -> Action {
        match (self.before.is_null(), self.after.is_null()) {
            (true, false) => Action::Create,
            (false, true) => Action::Delete,
            _ => Action::NoOp,
        }
    }

    /// The member of this name, which is there or not as the objects say.
    pub(crate) fn member(&self, key: &str) -> Self {
        self.next_member(key, &mut Position::default())
    }

    /// As [`Change::member`], for names that are asked for in their order.
    pub(crate) fn next_member(&self, key: &str, at: &mut Position) -> Self {
        let before = self.before.get_next(key, &mut at.before);
        let after = self.after.get_next(key, &mut at.after);
        Self {
            before: before.unwrap_or(&NULL),
            after: after.unwrap_or(&NULL),
            before_explicit: before.is_some(),
            after_explicit: after.is_some(),
            unknown: self.unknown.member(key, &mut at.unknown),
            before_sensitive: mark_member(self.before_sensitive, key, &mut at.before_sensitive),
            after_sensitive: mark_member(self.after_sensitive, key, &mut at.after_sensitive),
            replace: self.replace.member(key),
            relevant: self.relevant.member(key),
            modern: self.modern,
            depth: self.depth + 1,
            within_deferred: self.within_deferred,
        }
    }

    /// An attribute of an object: where it has no value it is absent.
    pub(crate) fn attribute(&self, name: &str, at: &mut Position) -> Self {
        Self { before_explicit: false, after_explicit: false, ..self.next_member(name, at) }
    }

    /// The elements at two positions; `None` where there is no such element on a side.
    ///
    /// Elements start anew as legacy.
    pub(crate) fn element(&self, before: Option<usize>, after: Option<usize>) -> Self {
        let at = |list: &'v Json<'t>, index: Option<usize>| index.and_then(|i| list.elements().get(i));
        let old = at(self.before, before);
        let new = at(self.after, after);
        let mark = |marks, index: Option<usize>| index.map_or(&FALSE, |i| mark_element(marks, i));
        let place = before.or(after).unwrap_or_default();
        Self {
            before: old.unwrap_or(&NULL),
            after: new.unwrap_or(&NULL),
            before_explicit: old.is_some(),
            after_explicit: new.is_some(),
            unknown: after.map_or(Unknown::NONE, |i| self.unknown.element(i)),
            before_sensitive: mark(self.before_sensitive, before),
            after_sensitive: mark(self.after_sensitive, after),
            replace: self.replace.element(place),
            relevant: self.relevant.element(place),
            modern: false,
            depth: self.depth + 1,
            within_deferred: self.within_deferred,
        }
    }

    pub(crate) fn is_element_unknown(&self, index: usize) -> bool {
        self.unknown.element(index).is_whole()
    }

    pub(crate) fn is_element_sensitive_before(&self, index: usize) -> bool {
        mark_element(self.before_sensitive, index).is_true()
    }

    pub(crate) fn is_element_sensitive_after(&self, index: usize) -> bool {
        mark_element(self.after_sensitive, index).is_true()
    }

    /// The same change, all of which is relevant if this place is.
    pub(crate) fn wholly_relevant(&self) -> Self {
        Self { relevant: Paths::everything(), ..self.clone() }
    }

    /// The place made unchanged if nothing here is relevant.
    pub(crate) fn if_relevant(self) -> Self {
        if self.relevant.is_partial_match() { self } else { self.unchanged() }
    }

    /// As if the value and its marks had stayed as they were.
    pub(crate) fn unchanged(self) -> Self {
        Self {
            after: self.before,
            after_explicit: self.before_explicit,
            unknown: Unknown::NONE,
            after_sensitive: self.before_sensitive,
            modern: false,
            ..self
        }
    }

    /// The value without the marks that hide all of it.
    pub(crate) fn without_sensitivity(&self) -> Self {
        Self { before_sensitive: &FALSE, after_sensitive: &FALSE, modern: false, ..self.clone() }
    }

    /// The value without the marks that hide all of a side.
    pub(crate) fn without_whole_marks(mut self) -> Self {
        for marks in [&mut self.before_sensitive, &mut self.after_sensitive] {
            if marks.is_true() {
                *marks = &FALSE;
            }
        }
        self
    }

    /// The old value of something that becomes unknown, read as a deletion; the parts in `unknown` are not
    /// deleted but become unknown one by one.
    pub(crate) fn becoming_unknown(&self, unknown: Unknown<'v, 't>) -> Self {
        Self {
            after: &NULL,
            before_explicit: false,
            after_explicit: false,
            unknown,
            after_sensitive: &FALSE,
            modern: false,
            ..self.clone()
        }
    }

    /// The deletion of the old value.
    pub(crate) fn deletion(&self) -> Self {
        Self {
            after: &NULL,
            after_explicit: false,
            unknown: Unknown::NONE,
            after_sensitive: &FALSE,
            ..self.clone()
        }
    }

    /// The creation of the new value.
    pub(crate) fn creation(&self) -> Self {
        Self { before: &NULL, before_explicit: false, before_sensitive: &FALSE, ..self.clone() }
    }

    /// The keys that stand on either side, sorted.
    pub(crate) fn explicit_keys(&self) -> Vec<Text<'t>> {
        let before = self.before.members().iter().map(|(key, _)| key);
        let after = self.after.members().iter().map(|(key, _)| key);
        sorted(before.chain(after))
    }

    /// The keys that stand on either side or that a mark names, sorted.
    pub(crate) fn keys(&self) -> Vec<Text<'t>> {
        let values = [self.before, self.after, self.before_sensitive, self.after_sensitive];
        let named = values.into_iter().flat_map(|v| v.members().iter().map(|(key, _)| key));
        sorted(named.chain(self.unknown.keys()))
    }

    /// The same place where `""` is null, if it is a legacy one.
    pub(crate) fn without_legacy_empty(mut self) -> Self {
        if !self.modern {
            let is_empty = |value: &Json<'_>| value.as_str() == Some("");
            if is_empty(self.before) {
                self.before = &NULL;
            }
            if is_empty(self.after) {
                self.after = &NULL;
            }
        }
        self
    }

    /// The same place, wholly hidden on both sides if no side is: what the schema calls sensitive.
    pub(crate) fn hidden_by_schema(mut self) -> Self {
        if !self.is_before_sensitive() && !self.is_after_sensitive() {
            self.before_sensitive = &TRUE;
            self.after_sensitive = &TRUE;
        }
        self
    }
}

fn sorted<'v, 't: 'v>(keys: impl Iterator<Item = &'v Text<'t>>) -> Vec<Text<'t>> {
    let mut keys: Vec<&Text<'t>> = keys.collect();
    if !keys.is_sorted() {
        keys.sort_unstable();
    }
    keys.dedup();
    keys.into_iter().cloned().collect()
}
