//! Makes the sides of a change from MessagePack, as plan files have them, with texts that are borrowed from the file.
//!
//! Only what most changes consist of is read here. Whatever else there is (sets, fractions, text that is not ASCII, promises about
//! unknown values) is read as an engine value, part by part or, where something is wrong, all of it: then the engine says what. In
//! a plan of 1,500 `terraform_data` the engine made 290,000 allocations, where the document took 33,000.

use std::sync::PoisonError;

use objchange::value::StatedTypes;
use objchange::{Type, Value};
use rmp::Marker;

use super::Sides;
use super::values::{UNKNOWN, content, marks};
use objchange_document::changes::PackedSides;
use objchange_document::json::{Builder, Built, Open};

/// Deeper values are left to the engine.
const MAX_DEPTH: usize = 64;

impl<'t> Sides<'t> {
    /// The sides as a plan file has them, without marks of sensitive parts and without paths that force a replacement. `None` if
    /// something is out of the ordinary: [`Sides::from_values`] then makes them from the values, or their reader says what is
    /// wrong.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// use objchange::{Type, Value};
    /// use objchange_document::changes::PackedSides;
    /// use objchange_plan::Sides;
    ///
    /// let (ty, types) = (Type::object([("name", Type::String)]), Mutex::default());
    /// let after = Value::object([("name", "web")]).to_msgpack(&ty)?;
    /// let packed = PackedSides { before: None, after: Some(&after), ty: &ty, types: &types };
    /// let sides = Sides::from_packed(packed).unwrap();
    /// assert!(sides.before.view().is_null());
    /// assert_eq!(sides.after.view().get("name").unwrap().as_str(), Some("web"));
    /// # Ok::<(), objchange::value::WriteError>(())
    /// ```
    pub fn from_packed(packed: PackedSides<'t>) -> Option<Self> {
        // A panic while it is locked leaves types that are whole.
        let mut types = packed.types.lock().unwrap_or_else(PoisonError::into_inner);
        let length = [packed.before, packed.after].into_iter().flatten().map(<[u8]>::len).sum();
        let mut builder = Builder::for_packed(length);
        let mut members = Vec::new();
        let mut before = Cursor::new(packed.before, &mut types);
        let old = before.side(&mut builder, packed.ty, |_| None, |member| members.push(member))?;
        if before.has_unknown {
            return None;
        }
        let mut members = members.into_iter().peekable();
        let known = |name: &str| {
            while members.next_if(|earlier| earlier.name < name).is_some() {}
            members.next_if(|same| same.name == name)
        };
        let mut open = Vec::new();
        let mut after = Cursor::new(packed.after, &mut types);
        let new = after.side(&mut builder, packed.ty, known, |member| {
            if member.is_open {
                open.push(member);
            }
        })?;
        let unknown = match packed.ty {
            _ if !after.has_unknown => None,
            Type::Object(object) if !open.is_empty() => {
                let mut marks = builder.open();
                for Member { name, text, .. } in open {
                    let ty = object.attribute(name)?;
                    if let Some(mark) = Cursor::new(Some(text), &mut types).unknown(&mut builder, ty, 1)? {
                        let key = builder.make_borrowed(name);
                        builder.push_member(key, mark, &mut marks);
                    }
                }
                Some(builder.close_object(marks))
            }
            _ => Cursor::new(packed.after, &mut types).unknown(&mut builder, packed.ty, 0)?,
        };
        let replace = builder.make_array([], |_, built| built);
        let built = builder.finish();
        let nothing = built(Built::bool(false));
        Some(Self {
            before: built(old),
            after: built(new),
            unknown: built(unknown.unwrap_or(Built::bool(false))),
            before_sensitive: nothing.clone(),
            after_sensitive: nothing,
            replace: built(replace),
        })
    }
}

/// A member of the outermost object.
struct Member<'t> {
    name: &'t str,
    /// Its bytes.
    text: &'t [u8],
    /// `None` if it is unknown.
    built: Option<Built>,
    /// Something in it is unknown.
    is_open: bool,
}

/// A place in a message. Each function answers `None` where something is out of the ordinary.
struct Cursor<'r, 't> {
    rest: &'t [u8],
    types: &'r mut StatedTypes,
    has_unknown: bool,
}

/// A member or element that is known; `None` if it is unknown.
type KnownPart = Option<Built>;

impl<'r, 't> Cursor<'r, 't> {
    /// At the start of a value.
    fn new(value: Option<&'t [u8]>, types: &'r mut StatedTypes) -> Self {
        // The byte of null.
        Self { rest: value.unwrap_or(&[0xc0]), types, has_unknown: false }
    }

    /// A whole value. Its members come from `known` where that has equal bytes for the name, and are given to `read` otherwise.
    fn side(
        &mut self,
        builder: &mut Builder<'t>,
        ty: &Type,
        mut known: impl FnMut(&'t str) -> Option<Member<'t>>,
        mut read: impl FnMut(Member<'t>),
    ) -> Option<Built> {
        let built = match ty {
            Type::Object(_) if self.marker()? != Marker::Null => {
                self.object(builder, ty, 0, |cursor, builder, name, ty| {
                    let rest = cursor.rest;
                    if let Some(known) = known(name)
                        && let Some(after) = rest.strip_prefix(known.text)
                    {
                        cursor.rest = after;
                        return Some(known.built);
                    }
                    let others_open = std::mem::take(&mut cursor.has_unknown);
                    let built = cursor.part(builder, ty, 1)?;
                    let text = rest.get(..rest.len() - cursor.rest.len())?;
                    read(Member { name, text, built, is_open: cursor.has_unknown });
                    cursor.has_unknown |= others_open;
                    Some(built)
                })?
            }
            _ => self.part(builder, ty, 0)?.unwrap_or(Built::NULL),
        };
        self.rest.is_empty().then_some(built)
    }

    fn part(&mut self, builder: &mut Builder<'t>, ty: &Type, depth: usize) -> Option<KnownPart> {
        if depth >= MAX_DEPTH {
            return None;
        }
        match self.marker()? {
            Marker::Null => {
                self.take(1)?;
                return Some(Some(Built::NULL));
            }
            marker if is_extension(marker) => {
                if let Some(rest) = self.rest.strip_prefix(UNREFINED) {
                    self.rest = rest;
                    self.has_unknown = true;
                    return Some(None);
                }
                return self.value(builder, ty, depth);
            }
            _ if !is_plain(ty) => return self.value(builder, ty, depth),
            _ => {}
        }
        Some(Some(match ty {
            Type::Bool => match self.take(1)? {
                [0xc2] => Built::bool(false),
                [0xc3] => Built::bool(true),
                _ => return None,
            },
            Type::String => match self.text() {
                Some(text) => builder.make_borrowed(text),
                None => return self.value(builder, ty, depth),
            },
            Type::Number => match self.integer() {
                Some(number) => builder.make_number(&number),
                None => return self.value(builder, ty, depth),
            },
            Type::Dynamic => {
                let ty = self.stated_type()?;
                return self.part(builder, &ty, depth + 1);
            }
            Type::List(element) => {
                let (open, count) = (builder.open(), self.array_len()?);
                self.elements(builder, open, depth, std::iter::repeat_n(&**element, count))?
            }
            Type::Tuple(tuple) => {
                if self.array_len()? != tuple.elements().len() {
                    return None;
                }
                let open = builder.open();
                self.elements(builder, open, depth, tuple.elements().iter())?
            }
            Type::Map(element) => {
                let mut open = builder.open();
                let mut last = None;
                for _ in 0..self.map_len()? {
                    let key = self.text().filter(|key| last < Some(*key))?;
                    last = Some(key);
                    if let Some(built) = self.part(builder, element, depth + 1)? {
                        let key = builder.make_borrowed(key);
                        builder.push_member(key, built, &mut open);
                    }
                }
                builder.close_object(open)
            }
            Type::Object(_) => {
                self.object(builder, ty, depth, |cursor, builder, _, ty| cursor.part(builder, ty, depth + 1))?
            }
            Type::Set(_) => return None,
        }))
    }

    fn elements<'y>(
        &mut self,
        builder: &mut Builder<'t>,
        mut open: Open,
        depth: usize,
        types: impl Iterator<Item = &'y Type>,
    ) -> Option<Built> {
        for ty in types {
            let built = self.part(builder, ty, depth + 1)?;
            builder.push_element(built.unwrap_or(Built::NULL), &mut open);
        }
        Some(builder.close_array(open))
    }

    /// Reads an object. Its attributes must be in the order of its type, as Terraform writes them.
    fn object(
        &mut self,
        builder: &mut Builder<'t>,
        ty: &Type,
        depth: usize,
        mut part: impl FnMut(&mut Self, &mut Builder<'t>, &'t str, &Type) -> Option<KnownPart>,
    ) -> Option<Built> {
        let Type::Object(object) = ty else { return None };
        let attributes = object.attributes();
        if depth >= MAX_DEPTH || self.map_len()? != attributes.len() {
            return None;
        }
        let mut open = builder.open();
        for (name, ty) in attributes {
            let text = self.text().filter(|text| text == name)?;
            if let Some(built) = part(self, builder, text, ty)? {
                let key = builder.make_borrowed(text);
                builder.push_member(key, built, &mut open);
            }
        }
        Some(builder.close_object(open))
    }

    /// Reads one part as an engine value.
    fn value(&mut self, builder: &mut Builder<'t>, ty: &Type, depth: usize) -> Option<KnownPart> {
        let value = self.engine_value(ty)?;
        self.has_unknown |= !value.is_wholly_known();
        Some(value.is_known().then(|| content(builder, &value, depth)))
    }

    fn engine_value(&mut self, ty: &Type) -> Option<Value> {
        let start = self.rest;
        self.skip()?;
        let bytes = start.get(..start.len() - self.rest.len())?;
        Value::from_msgpack_stating(bytes, Some(ty), self.types).ok()
    }

    /// `true` where something is unknown, mirroring the nesting around; `None` if nothing is.
    fn unknown(&mut self, builder: &mut Builder<'t>, ty: &Type, depth: usize) -> Option<Option<Built>> {
        if depth >= MAX_DEPTH {
            return None;
        }
        if is_extension(self.marker()?) {
            return match self.rest.strip_prefix(UNREFINED) {
                Some(rest) => {
                    self.rest = rest;
                    Some(Some(Built::bool(true)))
                }
                None => self.unknown_in_value(builder, ty, depth),
            };
        }
        if self.marker()? == Marker::Null {
            self.take(1)?;
            return Some(None);
        }
        if !is_plain(ty) {
            return self.unknown_in_value(builder, ty, depth);
        }
        let mut is_any = false;
        let mut open = builder.open();
        let built = match ty {
            Type::Bool | Type::String | Type::Number => {
                self.skip()?;
                return Some(None);
            }
            Type::Dynamic => {
                let ty = self.stated_type()?;
                return self.unknown(builder, &ty, depth + 1);
            }
            Type::List(_) | Type::Tuple(_) => {
                for position in 0..self.array_len()? {
                    let mark = self.unknown(builder, type_at(ty, position)?, depth + 1)?;
                    is_any |= mark.is_some();
                    builder.push_element(mark.unwrap_or(Built::bool(false)), &mut open);
                }
                builder.close_array(open)
            }
            Type::Map(_) | Type::Object(_) => {
                for position in 0..self.map_len()? {
                    let key = self.text()?;
                    if let Some(mark) = self.unknown(builder, type_at(ty, position)?, depth + 1)? {
                        is_any = true;
                        let key = builder.make_borrowed(key);
                        builder.push_member(key, mark, &mut open);
                    }
                }
                builder.close_object(open)
            }
            Type::Set(_) => return None,
        };
        Some(is_any.then_some(built))
    }

    fn unknown_in_value(
        &mut self,
        builder: &mut Builder<'t>,
        ty: &Type,
        depth: usize,
    ) -> Option<Option<Built>> {
        let value = self.engine_value(ty)?;
        Some((!value.is_wholly_known()).then(|| marks(builder, &value, &UNKNOWN, depth)))
    }

    fn marker(&self) -> Option<Marker> {
        self.rest.first().map(|byte| Marker::from_u8(*byte))
    }

    fn take(&mut self, count: usize) -> Option<&'t [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// A length behind the marker, in so many bytes.
    fn length(&mut self, bytes: usize) -> Option<usize> {
        let bytes = self.take(1 + bytes)?.get(1..)?;
        Some(bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    /// Text of ASCII characters, which has no other form. Nothing is read if there is something else.
    fn text(&mut self) -> Option<&'t str> {
        let start = self.rest;
        let length = match self.marker()? {
            Marker::FixStr(length) => {
                self.take(1)?;
                usize::from(length)
            }
            Marker::Str8 => self.length(1)?,
            Marker::Str16 => self.length(2)?,
            Marker::Str32 => self.length(4)?,
            _ => return None,
        };
        let text = self.take(length).filter(|text| text.is_ascii());
        if text.is_none() {
            self.rest = start;
        }
        std::str::from_utf8(text?).ok()
    }

    /// A whole number. Nothing is read if there is something else.
    fn integer(&mut self) -> Option<i128> {
        let (length, signed) = match self.marker()? {
            Marker::FixPos(number) => {
                self.take(1)?;
                return Some(number.into());
            }
            Marker::FixNeg(number) => {
                self.take(1)?;
                return Some(number.into());
            }
            Marker::U8 => (1, false),
            Marker::U16 => (2, false),
            Marker::U32 => (4, false),
            Marker::U64 => (8, false),
            Marker::I8 => (1, true),
            Marker::I16 => (2, true),
            Marker::I32 => (4, true),
            Marker::I64 => (8, true),
            _ => return None,
        };
        let bytes = self.take(1 + length)?.get(1..)?;
        let number = bytes.iter().fold(0_i128, |number, byte| number << 8 | i128::from(*byte));
        let limit = 1 << (8 * length - 1);
        Some(if signed && number >= limit { number - 2 * limit } else { number })
    }

    fn array_len(&mut self) -> Option<usize> {
        let length = match self.marker()? {
            Marker::FixArray(length) => self.take(1).map(|_| length.into()),
            Marker::Array16 => self.length(2),
            Marker::Array32 => self.length(4),
            _ => None,
        };
        self.possible(length?)
    }

    fn map_len(&mut self) -> Option<usize> {
        let length = match self.marker()? {
            Marker::FixMap(length) => self.take(1).map(|_| length.into()),
            Marker::Map16 => self.length(2),
            Marker::Map32 => self.length(4),
            _ => None,
        };
        self.possible(length?)
    }

    /// A length is only a claim: each element takes a byte at least.
    fn possible(&self, length: usize) -> Option<usize> {
        (length <= self.rest.len()).then_some(length)
    }

    /// The type beside a value.
    fn stated_type(&mut self) -> Option<Type> {
        if self.array_len()? != 2 {
            return None;
        }
        let length = match self.marker()? {
            Marker::Bin8 => self.length(1)?,
            Marker::Bin16 => self.length(2)?,
            Marker::Bin32 => self.length(4)?,
            _ => return None,
        };
        let text = std::str::from_utf8(self.take(length)?).ok()?;
        self.types.read(text)
    }

    /// Passes one value, of whatever kind.
    fn skip(&mut self) -> Option<()> {
        let mut left = 1_usize;
        while left > 0 {
            left -= 1;
            let length = match self.marker()? {
                Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => {
                    left += self.array_len()?;
                    continue;
                }
                Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => {
                    left += 2 * self.map_len()?;
                    continue;
                }
                Marker::Null | Marker::True | Marker::False | Marker::FixPos(_) | Marker::FixNeg(_) => 1,
                Marker::FixStr(length) => 1 + usize::from(length),
                Marker::U8 | Marker::I8 => 2,
                Marker::U16 | Marker::I16 | Marker::FixExt1 => 3,
                Marker::FixExt2 => 4,
                Marker::U32 | Marker::I32 | Marker::F32 => 5,
                Marker::FixExt4 => 6,
                Marker::U64 | Marker::I64 | Marker::F64 => 9,
                Marker::FixExt8 => 10,
                Marker::FixExt16 => 18,
                Marker::Str8 | Marker::Bin8 => self.length(1)?,
                Marker::Str16 | Marker::Bin16 => self.length(2)?,
                Marker::Str32 | Marker::Bin32 => self.length(4)?,
                Marker::Ext8 => 1 + self.length(1)?,
                Marker::Ext16 => 1 + self.length(2)?,
                Marker::Ext32 => 1 + self.length(4)?,
                Marker::Reserved => return None,
            };
            self.take(length)?;
        }
        Some(())
    }
}

/// Whether values of a type are read here: sets have an order of their own, and elements of collections one type.
fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Set(_) => false,
        Type::List(element) | Type::Map(element) => !element.has_dynamic(),
        _ => true,
    }
}

/// The type of the element or member at a position.
fn type_at(ty: &Type, position: usize) -> Option<&Type> {
    match ty {
        Type::List(element) | Type::Map(element) => Some(element),
        Type::Tuple(tuple) => tuple.elements().get(position),
        Type::Object(object) => Some(&object.attributes().get(position)?.1),
        _ => None,
    }
}

/// An unknown value about which nothing is promised.
const UNREFINED: &[u8] = b"\xd4\x00\x00";

fn is_extension(marker: Marker) -> bool {
    matches!(
        marker,
        Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use objchange::value::{Refinements, StatedTypes};
    use objchange::{Type, Value};
    use proptest::prelude::*;

    use super::PackedSides;
    use crate::walk::Sides;

    fn texts() -> impl Strategy<Value = Value> {
        prop_oneof![
            6 => "[ -~]{0,40}".prop_map(|text| Value::from(text.as_str())),
            1 => Just(Value::from("é\nü")),
            1 => Just(Value::null(Type::String)),
            1 => Just(Value::unknown(Type::String)),
            1 => Just(Value::refined_unknown(Type::String, Refinements { not_null: true, ..Refinements::default() }).unwrap()),
        ]
    }

    fn numbers() -> impl Strategy<Value = Value> {
        prop_oneof![
            6 => any::<i64>().prop_map(Value::from),
            4 => (-300_i64..300).prop_map(Value::from),
            1 => Just(Value::from_json("0.5", &Type::Number).unwrap()),
            1 => Just(Value::from_json("123456789012345678901234567890", &Type::Number).unwrap()),
            1 => Just(Value::null(Type::Number)),
            1 => Just(Value::unknown(Type::Number)),
        ]
    }

    fn several(of: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<Value>> {
        prop::collection::vec(of, 0..4)
    }

    fn named(of: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<(String, Value)>> {
        let names = prop::collection::btree_set("[a-z\u{e9}]{1,3}", 0..4);
        (names, prop::collection::vec(of, 4))
            .prop_map(|(names, values)| names.into_iter().zip(values).collect())
    }

    /// A value that states its own type.
    fn dynamic() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![texts(), numbers(), any::<bool>().prop_map(Value::from)];
        leaf.prop_recursive(3, 16, 4, |part| {
            prop_oneof![several(part.clone()).prop_map(Value::tuple), named(part).prop_map(Value::object)]
        })
    }

    fn objects() -> impl Strategy<Value = Value> {
        let list = several(texts()).prop_map(|all| Value::list(Type::String, all).unwrap());
        let set = several(numbers()).prop_map(|all| Value::set(Type::Number, all).unwrap());
        let map = named(texts()).prop_map(|all| Value::map(Type::String, all).unwrap());
        let inner = (numbers(), texts()).prop_map(|(x, y)| Value::object([("x", x), ("y", y)]));
        let inner_type = Type::object([("x", Type::Number), ("y", Type::String)]);
        let blocks = several(inner).prop_map(move |all| Value::list(inner_type.clone(), all).unwrap());
        let whole = prop_oneof![Just(Value::unknown(Type::Bool)), any::<bool>().prop_map(Value::from)];
        let parts = (texts(), numbers(), list, set, map, blocks, dynamic(), whole);
        parts.prop_map(|(text, number, list, set, map, blocks, any, whole)| {
            Value::object([
                ("any", any),
                ("blocks", blocks),
                ("list", list),
                ("map", map),
                ("number", number),
                ("set", set),
                ("text", text),
                ("whole", whole),
            ])
        })
    }

    /// The type of all objects, whatever their attribute `any` has.
    fn ty() -> Type {
        let inner = Type::object([("x", Type::Number), ("y", Type::String)]);
        Type::object([
            ("any", Type::Dynamic),
            ("blocks", Type::list(inner)),
            ("list", Type::list(Type::String)),
            ("map", Type::map(Type::String)),
            ("number", Type::Number),
            ("set", Type::set(Type::Number)),
            ("text", Type::String),
            ("whole", Type::Bool),
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn sides_from_a_plan_file_are_those_of_its_values(
            before in prop::option::of(objects()),
            after in prop::option::of(objects()),
            keeps in any::<bool>(),
        ) {
            let ty = ty();
            let after = if keeps { before.clone() } else { after };
            let message = |value: &Option<Value>| value.as_ref().map(|value| value.to_msgpack(&ty).unwrap());
            let (old, new) = (message(&before), message(&after));
            let types = Mutex::new(StatedTypes::default());
            let packed = PackedSides { before: old.as_deref(), after: new.as_deref(), ty: &ty, types: &types };
            let sides = Sides::from_packed(packed);
            // Before the change nothing is unknown, and names that are not ASCII are left to the engine.
            if let Some(sides) = sides {
                let value = |value: Option<Value>| value.unwrap_or_else(|| Value::null(ty.clone()));
                let wanted = Sides::from_values(&value(before), &value(after), &[]);
                prop_assert_eq!(sides.before, wanted.before);
                prop_assert_eq!(sides.after, wanted.after);
                prop_assert_eq!(sides.unknown, wanted.unknown);
                prop_assert_eq!(sides.before_sensitive, wanted.before_sensitive);
                prop_assert_eq!(sides.after_sensitive, wanted.after_sensitive);
                prop_assert_eq!(sides.replace, wanted.replace);
            } else {
                let is_odd = |value: &Value| {
                    !value.is_wholly_known() || !value.to_json(value.ty()).unwrap().is_ascii()
                };
                prop_assert!(before.iter().any(is_odd) || after.iter().any(is_odd));
            }
        }

        #[test]
        fn what_is_read_of_changed_bytes_the_engine_reads_alike(
            object in objects(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
            cut in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let (ty, types) = (ty(), Mutex::new(StatedTypes::default()));
            let mut bytes = object.to_msgpack(&ty).unwrap();
            for (at, byte) in changes {
                *at.get_mut(&mut bytes) = byte;
            }
            bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
            let packed = PackedSides { before: None, after: Some(&bytes), ty: &ty, types: &types };
            if let Some(sides) = Sides::from_packed(packed) {
                let value = Value::from_msgpack(&bytes, &ty);
                prop_assert!(value.is_ok(), "{value:?}");
                let wanted = Sides::from_values(&Value::null(ty.clone()), &value.unwrap(), &[]);
                prop_assert_eq!(sides.after, wanted.after);
                prop_assert_eq!(sides.unknown, wanted.unknown);
            }
        }
    }
}
