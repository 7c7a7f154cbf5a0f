//! Walks both sides of a change together, with everything that is known about them.

mod dialect;
mod keys;
mod msgpack;
mod paths;
mod reason;
mod sides;
mod values;

use objchange::schema::Attribute;
use smol_str::SmolStr;

pub(crate) use dialect::{Dialect, PlaceKind};
pub(crate) use keys::Keys;
pub(crate) use paths::{PathList, Paths};
pub use reason::Reason;
pub use sides::Sides;

use crate::diff_action::DiffAction;
use objchange_document::json::View;

/// One place of a resource or output: its value on both sides, whether it exists, and the marks that mirror its
/// nesting.
///
/// `'v` is how long the values live, `'t` how long the text does that they are borrowed from.
#[derive(Debug, Clone)]
pub(crate) struct Change<'v, 't> {
    /// The value before; null if absent.
    pub(crate) before: View<'v, 't>,
    /// The value after; null if absent.
    pub(crate) after: View<'v, 't>,
    /// The value before is there even if it is null.
    pub(crate) before_explicit: bool,
    /// The value after is there even if it is null.
    pub(crate) after_explicit: bool,
    pub(crate) unknown: Unknown<'v, 't>,
    pub(crate) before_sensitive: View<'v, 't>,
    pub(crate) after_sensitive: View<'v, 't>,
    /// The paths that force a replacement.
    pub(crate) replace: Paths<'v, 't>,
    /// The paths worth showing.
    pub(crate) relevant: Paths<'v, 't>,
    pub(crate) dialect: Dialect,
    /// How many values are around this one, those of a JSON string and the string itself included.
    pub(crate) depth: usize,
    /// This is a part of a collection whose parts are not kept.
    pub(crate) within_unmade: bool,
}

/// Where in each object of a change the next member is expected.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Position {
    before: u32,
    after: u32,
    unknown: u32,
    before_sensitive: u32,
    after_sensitive: u32,
}

/// Which parts of the value after are unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unknown<'v, 't> {
    /// None.
    Nothing,
    /// All of it.
    Whole,
    /// As the document says: `true` for all of it, or a value that mirrors the nesting.
    Marks(View<'v, 't>),
    /// The members of these names.
    Members(&'v [(SmolStr, Attribute)]),
}

impl<'v, 't> Unknown<'v, 't> {
    #[inline]
    fn is_whole(self) -> bool {
        match self {
            Unknown::Whole => true,
            Unknown::Marks(marks) => marks.is_true(),
            Unknown::Nothing | Unknown::Members(_) => false,
        }
    }

    fn member(self, key: &str, at: &mut u32) -> Self {
        match self {
            Unknown::Nothing | Unknown::Whole => self,
            Unknown::Marks(marks) => Unknown::Marks(mark_member(marks, key, at)),
            Unknown::Members(members) => {
                // Attributes of schemas are sorted by name.
                let named = members.binary_search_by(|(name, _)| name.as_str().cmp(key)).is_ok();
                if named { Unknown::Whole } else { Unknown::Nothing }
            }
        }
    }

    fn element(self, index: usize) -> Self {
        match self {
            Unknown::Nothing | Unknown::Whole => self,
            Unknown::Marks(marks) => Unknown::Marks(mark_element(marks, index)),
            // Members are those of one object, which has no elements.
            Unknown::Members(_) => Unknown::Nothing,
        }
    }
}

/// The mark of a member: a boolean holds for everything below it, and so does what has no marks.
#[inline]
fn mark_member<'v, 't>(marks: View<'v, 't>, key: &str, at: &mut u32) -> View<'v, 't> {
    if marks.is_bool() || marks.is_empty() {
        return marks;
    }
    marks.get_next(key, at).unwrap_or(marks.bool(false))
}

/// The mark of an element: a boolean holds for everything below it.
fn mark_element<'v, 't>(marks: View<'v, 't>, index: usize) -> View<'v, 't> {
    if marks.is_bool() { marks } else { marks.elements().get(index).unwrap_or(marks.bool(false)) }
}

impl<'v, 't> Change<'v, 't> {
    /// From `before` to `after`, without any marks.
    pub(crate) fn new(before: View<'v, 't>, after: View<'v, 't>, dialect: Dialect) -> Self {
        Self {
            before,
            after,
            before_explicit: false,
            after_explicit: false,
            unknown: Unknown::Nothing,
            before_sensitive: before.bool(false),
            after_sensitive: after.bool(false),
            replace: Paths::none(),
            relevant: Paths::everything(),
            dialect,
            depth: 0,
            within_unmade: false,
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
            Unknown::Nothing => false,
            Unknown::Whole | Unknown::Members(_) => true,
            Unknown::Marks(marks) => marks.has_true(),
        };
        // Mostly the marks of both sides are one value.
        let have_same_marks = self.before_sensitive.is_same(self.after_sensitive);
        unknown || self.before_sensitive.has_true() || !have_same_marks && self.after_sensitive.has_true()
    }

    /// Whether the value was read once and is on both sides, without any mark on the whole of it.
    #[inline]
    pub(crate) fn is_unmarked_same(&self) -> bool {
        self.before.is_same(self.after) && self.before_explicit == self.after_explicit && self.is_unmarked()
    }

    /// Whether both sides are equal and equally there, without any mark on the whole of the value.
    #[inline]
    pub(crate) fn is_unmarked_equal(&self) -> bool {
        self.before_explicit == self.after_explicit && self.is_unmarked() && self.before == self.after
    }

    #[inline]
    fn is_unmarked(&self) -> bool {
        !self.before_sensitive.is_true() && !self.after_sensitive.is_true() && !self.unknown.is_whole()
    }

    /// Whether this place itself forces the replacement.
    pub(crate) fn forces_replacement(&self) -> bool {
        self.replace.is_match()
    }

    pub(crate) fn is_null(&self) -> bool {
        self.before.is_null() && self.after.is_null()
    }

    /// The action on a value without parts.
    pub(crate) fn leaf_action(&self) -> DiffAction {
        let before_there = !self.before.is_null() || self.before_explicit;
        let after_there = !self.after.is_null() || self.after_explicit;
        match (before_there, after_there) {
            (false, true) => DiffAction::Create,
            (true, false) => DiffAction::Delete,
            // A change of sensitivity alone is an update.
            _ if self.before == self.after
                && self.before_explicit == self.after_explicit
                && self.is_before_sensitive() == self.is_after_sensitive() =>
            {
                DiffAction::NoOp
            }
            _ => DiffAction::Update,
        }
    }

    /// The action on a value with parts, before its parts are known.
    pub(crate) fn parent_action(&self) -> DiffAction {
        match (self.before.is_null(), self.after.is_null()) {
            (true, false) => DiffAction::Create,
            (false, true) => DiffAction::Delete,
            _ => DiffAction::NoOp,
        }
    }

    /// The member of this name; the objects say whether it exists.
    pub(crate) fn member(&self, key: &str) -> Self {
        self.next_member(key, &mut Position::default())
    }

    /// Like [`Change::member`], for names that are asked for in their order.
    pub(crate) fn next_member(&self, key: &str, at: &mut Position) -> Self {
        let before = self.before.get_next(key, &mut at.before);
        let after = self.after.get_next(key, &mut at.after);
        let before_sensitive = mark_member(self.before_sensitive, key, &mut at.before_sensitive);
        // Mostly the marks of both sides are one value.
        let after_sensitive = match self.before_sensitive.is_same(self.after_sensitive) {
            true => before_sensitive,
            false => mark_member(self.after_sensitive, key, &mut at.after_sensitive),
        };
        Self {
            before: before.unwrap_or(self.before.null()),
            after: after.unwrap_or(self.after.null()),
            before_explicit: before.is_some(),
            after_explicit: after.is_some(),
            unknown: self.unknown.member(key, &mut at.unknown),
            before_sensitive,
            after_sensitive,
            replace: self.replace.member(key),
            relevant: self.relevant.member(key),
            dialect: self.dialect.member(),
            depth: self.depth + 1,
            within_unmade: self.within_unmade,
        }
    }

    /// An attribute of an object: where it has no value it is absent.
    pub(crate) fn attribute(&self, name: &str, at: &mut Position) -> Self {
        // Attributes without a value are absent by implication; members of maps with null are present.
        Self { before_explicit: false, after_explicit: false, ..self.next_member(name, at) }
    }

    /// The elements at two positions; `None` if there is no such element on a side.
    ///
    /// A missing element has the marks of the position after the last: marks that reach beyond their own side hide the
    /// other side's elements as well, as in Terraform. The rules for elements start anew.
    pub(crate) fn element(&self, before: Option<usize>, after: Option<usize>) -> Self {
        let at = |list: View<'v, 't>, index: Option<usize>| index.and_then(|i| list.elements().get(i));
        let old = at(self.before, before);
        let new = at(self.after, after);
        let mark_before = before.unwrap_or_else(|| self.before.elements().len());
        let mark_after = after.unwrap_or_else(|| self.after.elements().len());
        // The index of replace and relevant paths counts in before, and in after for a new element.
        let place = before.or(after).unwrap_or_default();
        Self {
            before: old.unwrap_or(self.before.null()),
            after: new.unwrap_or(self.after.null()),
            before_explicit: old.is_some(),
            after_explicit: new.is_some(),
            unknown: self.unknown.element(mark_after),
            before_sensitive: mark_element(self.before_sensitive, mark_before),
            after_sensitive: mark_element(self.after_sensitive, mark_after),
            replace: self.replace.element(place),
            relevant: self.relevant.element(place),
            dialect: self.dialect.element(),
            depth: self.depth + 1,
            within_unmade: self.within_unmade,
        }
    }

    /// The sensitive marks of an element before.
    pub(crate) fn before_sensitive_in_element(&self, index: usize) -> View<'v, 't> {
        mark_element(self.before_sensitive, index)
    }

    /// The sensitive marks of an element after.
    pub(crate) fn after_sensitive_in_element(&self, index: usize) -> View<'v, 't> {
        mark_element(self.after_sensitive, index)
    }

    /// The unknown marks of an element after.
    pub(crate) fn unknown_in_element(&self, index: usize) -> Unknown<'v, 't> {
        self.unknown.element(index)
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

    /// Makes everything below relevant, if this place is.
    pub(crate) fn wholly_relevant(&self) -> Self {
        Self { relevant: Paths::everything(), ..self.clone() }
    }

    /// The place made unchanged if nothing here is relevant.
    pub(crate) fn if_relevant(self) -> Self {
        if self.relevant.is_partial_match() { self } else { self.unchanged() }
    }

    /// As if the value and its marks had stayed as they were.
    pub(crate) fn unchanged(self) -> Self {
        // Drift that no relevant path names is shown as if nothing had changed.
        Self {
            after: self.before,
            after_explicit: self.before_explicit,
            unknown: Unknown::Nothing,
            after_sensitive: self.before_sensitive,
            dialect: self.dialect.hidden(),
            ..self
        }
    }

    /// The value without the marks that hide all of it.
    pub(crate) fn without_sensitivity(&self) -> Self {
        Self {
            before_sensitive: self.before.bool(false),
            after_sensitive: self.after.bool(false),
            dialect: self.dialect.hidden(),
            ..self.clone()
        }
    }

    /// The value without the marks that hide all of a side.
    pub(crate) fn without_whole_marks(mut self) -> Self {
        for marks in [&mut self.before_sensitive, &mut self.after_sensitive] {
            if marks.is_true() {
                *marks = marks.bool(false);
            }
        }
        self
    }

    /// The old value of something that becomes unknown, read as a deletion; the parts in `unknown` are not
    /// deleted but become unknown one by one.
    pub(crate) fn becoming_unknown(&self, unknown: Unknown<'v, 't>) -> Self {
        Self {
            after: self.after.null(),
            before_explicit: false,
            after_explicit: false,
            unknown,
            after_sensitive: self.after.bool(false),
            dialect: self.dialect.hidden(),
            ..self.clone()
        }
    }

    /// The deletion of the old value.
    pub(crate) fn deletion(&self) -> Self {
        Self {
            after: self.after.null(),
            after_explicit: false,
            unknown: Unknown::Nothing,
            after_sensitive: self.after.bool(false),
            ..self.clone()
        }
    }

    /// The creation of the new value.
    pub(crate) fn creation(&self) -> Self {
        Self {
            before: self.before.null(),
            before_explicit: false,
            before_sensitive: self.before.bool(false),
            ..self.clone()
        }
    }

    /// The keys that are on either side, sorted.
    pub(crate) fn explicit_keys(&self) -> Keys<'t> {
        Keys::union([self.before, self.after].into_iter())
    }

    /// The keys that are on either side or that a mark names, sorted.
    pub(crate) fn keys(&self) -> Keys<'t> {
        // Unknown and sensitive keys of maps may be missing from the values.
        let named = [self.before, self.after, self.before_sensitive, self.after_sensitive];
        let unknown = match self.unknown {
            Unknown::Marks(marks) => Some(marks),
            _ => None,
        };
        Keys::union(named.into_iter().chain(unknown))
    }

    /// Replaces `""` by null where the dialect treats them alike.
    pub(crate) fn with_null_for_empty(mut self) -> Self {
        if self.dialect.empty_is_null() {
            if self.before.is_empty_string() {
                self.before = self.before.null();
            }
            if self.after.is_empty_string() {
                self.after = self.after.null();
            }
        }
        self
    }

    /// Hides the place on both sides, unless a side is hidden already: for attributes that the schema calls sensitive.
    pub(crate) fn hidden_by_schema(mut self) -> Self {
        // Marks of the document win, because they may cover one side only.
        if !self.is_before_sensitive() && !self.is_after_sensitive() {
            self.before_sensitive = self.before.bool(true);
            self.after_sensitive = self.after.bool(true);
        }
        self
    }
}
