//! Marks values that a schema calls sensitive or write-only as sensitive.

use super::attribute::{Attribute, NestingMode, Traits};
use super::block::Block;
use super::members::{Member, Members};
use crate::value::{Kind, Marks, StepRef, Value};

/// A value without the schema's marks, and the same with them: a part of another value that is shared with it need not
/// be marked again.
#[derive(Clone, Copy)]
pub(crate) struct Marked<'v> {
    pub(crate) plain: &'v Value,
    pub(crate) marked: &'v Value,
}

impl Block {
    /// Marks each attribute that the schema calls sensitive or write-only as sensitive. Other marks stay.
    /// If objects in a set have something to hide, the set is marked.
    ///
    /// ```
    /// use objchange::schema::{Attribute, Block};
    /// use objchange::{Type, Value};
    ///
    /// let block = Block::new([("token", Attribute::optional(Type::String).sensitive())], []);
    /// let marked = block.mark_hidden(&Value::object([("token", "x")]));
    /// assert_eq!(marked.to_string(), "{token = (sensitive value)}");
    /// ```
    pub fn mark_hidden(&self, value: &Value) -> Value {
        object(Members::Block(self), value, None)
    }

    /// Whether an attribute at any depth is sensitive or write-only.
    ///
    /// ```
    /// use objchange::Type;
    /// use objchange::schema::{Attribute, Block};
    ///
    /// assert!(Block::new([("token", Attribute::optional(Type::String).sensitive())], []).has_hidden());
    /// assert!(!Block::new([("name", Attribute::optional(Type::String))], []).has_hidden());
    /// ```
    pub fn has_hidden(&self) -> bool {
        Members::Block(self).have_hidden()
    }

    /// Like [`mark_hidden`](Self::mark_hidden); reuses the parts that `value` shares with an earlier one.
    pub(crate) fn mark_hidden_like(&self, value: &Value, earlier: Marked<'_>) -> Value {
        object(Members::Block(self), value, Some(earlier))
    }
}

impl Attribute {
    /// Whether it, or an attribute nested in it, is sensitive or write-only.
    pub fn has_hidden(&self) -> bool {
        self.sensitive
            || self.write_only
            || self.nested().is_some_and(|nested| Members::Nested(nested).have_hidden())
    }
}

impl<'v> Marked<'v> {
    fn part(self, step: StepRef<'_>, position: usize) -> Option<Self> {
        let part = |value: &'v Value| match (step, value.kind()) {
            (StepRef::Attribute(name), Kind::Object(object)) => object.get_at(position, name),
            (StepRef::Position(i), Kind::List(elements) | Kind::Tuple(elements)) => elements.get(i),
            (StepRef::Key(key), Kind::Map(map)) => map.get(key),
            _ => None,
        };
        Some(Self { plain: part(self.plain)?, marked: part(self.marked)? })
    }
}

fn object(members: Members<'_>, value: &Value, earlier: Option<Marked<'_>>) -> Value {
    if let Some(earlier) = earlier
        && earlier.plain.same_place(value)
    {
        return earlier.marked.clone();
    }
    let Some(object) = value.as_object().filter(|_| members.have_hidden()) else { return value.clone() };
    let mut parts: Vec<Value> = Vec::new();
    for (position, name, member) in members.hidden() {
        let Some(at) = object.position_at(position, name) else { continue };
        let part = &object.values()[at];
        let earlier = earlier.and_then(|earlier| earlier.part(StepRef::Attribute(name), at));
        let marked = match member {
            // The mark covers all that is inside.
            Member::Attribute(attribute) if attribute.is_hidden() => {
                part.clone().with_marks(Marks::SENSITIVE)
            }
            Member::Attribute(attribute) => match attribute.nested() {
                Some(nested) => objects(Members::Nested(nested), nested.nesting(), part, earlier),
                None => part.clone(),
            },
            Member::Blocks(nested) => objects(Members::Block(&nested.block), nested.nesting, part, earlier),
        };
        if !marked.same_place(part) {
            if parts.is_empty() {
                parts.extend_from_slice(object.values());
            }
            parts[at] = marked;
        }
    }
    if parts.is_empty() { value.clone() } else { value.with_same_content(parts) }
}

/// The objects that a nested block or a nested type holds.
fn objects(members: Members<'_>, nesting: NestingMode, value: &Value, earlier: Option<Marked<'_>>) -> Value {
    match nesting {
        _ if !members.have_hidden() => value.clone(),
        NestingMode::Single | NestingMode::Group => object(members, value, earlier),
        // Before coercion the objects may be in another collection than the schema says.
        _ if matches!(value.kind(), Kind::Set(_)) => {
            let hides = |element: &Value| object(members, element, None).contains_marked();
            match value.as_elements() {
                Some(elements) if elements.iter().any(hides) => value.clone().with_marks(Marks::SENSITIVE),
                _ => value.clone(),
            }
        }
        NestingMode::List | NestingMode::Set | NestingMode::Map => {
            if let Some(earlier) = earlier
                && earlier.plain.same_place(value)
            {
                return earlier.marked.clone();
            }
            let mut position = 0..;
            value.with_parts_marked(|step, part| {
                let position = position.next().unwrap_or_default();
                object(members, part, earlier.and_then(|earlier| earlier.part(step, position)))
            })
        }
    }
}

impl<'s> Members<'s> {
    /// The members with parts to hide, with their positions in the object's type.
    fn hidden(self) -> impl Iterator<Item = (usize, &'s str, Member<'s>)> {
        let members = self.iter().enumerate().map(|(i, (name, member))| (i, name.as_str(), member));
        members.filter(|(_, _, member)| match member {
            Member::Attribute(attribute) => Traits::of_all(std::iter::once(*attribute)).has(Traits::HIDDEN),
            Member::Blocks(nested) => Members::Block(&nested.block).have_hidden(),
        })
    }
}
