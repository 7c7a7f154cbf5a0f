//! Filling an object with values.

use std::cell::Cell;

use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode};
use objchange::{Type, Value};
use objchange_provider::Component;
use smol_str::SmolStr;

use super::dice::Dice;
use super::spots::is_configurable;
use super::{corner, plausible};
use crate::Hints;
use crate::hints::{Numbering, inside};

/// The most optional values of a sample. Deeply nested types and blocks could have exponentially many.
const MAX_OPTIONAL: u32 = 20_000;

/// The most values of a sample, required ones included.
const MAX_VALUES: u32 = 200_000;

/// The most levels of optional random values.
const MAX_RANDOM_DEPTH: usize = 12;

/// Makes the values of one sample.
pub(in super::super) struct Maker<'a> {
    component: Component,
    name: &'a str,
    hints: &'a Hints,
    pub(in super::super) at: Numbering,
    /// How many optional values may still be made.
    left: Cell<u32>,
    /// How many values were made.
    made: Cell<u32>,
}

/// Which optional members are set.
pub(in super::super) enum Taste<'d> {
    Nothing,
    Everything,
    Random(&'d mut Dice),
}

/// Sets a member at the end of a path, whatever the taste.
#[derive(Clone, Copy)]
pub(in super::super) struct Put<'p> {
    pub(in super::super) names: &'p [SmolStr],
    pub(in super::super) what: What<'p>,
}

#[derive(Clone, Copy)]
pub(in super::super) enum What<'p> {
    /// A value that a provider is likely to accept.
    Plausible,
    /// Blocks or objects with all of their members.
    Full,
    /// This value, converted.
    Value(&'p Value),
    /// This many blocks, objects or elements.
    Many(usize, Are),
}

/// How several elements relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Are {
    Different,
    Same,
    /// All but the first have all of their members.
    Fuller,
    /// The first ones have these keys or labels, if the collection has any.
    Called(&'static [&'static str]),
}

impl<'p> Put<'p> {
    /// The part of this that concerns the member of this name.
    fn at(self, name: &str) -> Option<Self> {
        let (first, names) = self.names.split_first()?;
        (first == name).then_some(Self { names, ..self })
    }

    /// The value to set here, if the path ends here.
    fn here(self) -> Option<What<'p>> {
        self.names.is_empty().then_some(self.what)
    }
}

impl Taste<'_> {
    /// The number of elements or blocks to make.
    fn count(&mut self, least: usize, most: usize) -> usize {
        match self {
            Self::Nothing => least,
            Self::Everything => most.min(least.max(2)),
            Self::Random(dice) => {
                let more = [0, 1, 1, 1, 2, 3][dice.below(6)];
                (least.max(more)).min(most)
            }
        }
    }
}

impl<'a> Maker<'a> {
    pub(in super::super) fn new(
        component: Component,
        name: &'a str,
        hints: &'a Hints,
        at: Numbering,
    ) -> Self {
        Self { component, name, hints, at, left: Cell::new(MAX_OPTIONAL), made: Cell::new(0) }
    }

    /// A whole configuration. It is not a valid one where [it is too large](Self::is_too_large).
    pub(in super::super) fn config(
        &self,
        block: &Block,
        mut taste: Taste<'_>,
        put: Option<Put<'_>>,
    ) -> Value {
        self.left.set(MAX_OPTIONAL);
        self.made.set(0);
        let value = self.block(block, &mut String::new(), 0, &mut taste, put);
        block.coerce_config(&value).unwrap_or(value)
    }

    /// Whether the schema requires more values than anyone would configure, so that some of them are missing.
    pub(in super::super) fn is_too_large(&self) -> bool {
        self.made.get() > MAX_VALUES
    }

    /// Counts values that are made.
    fn count_made(&self, count: usize) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.made.set(self.made.get().saturating_add(count));
    }

    /// Counts an optional value.
    fn count_optional(&self) {
        self.left.set(self.left.get().saturating_sub(1));
    }

    /// The number of elements or blocks.
    fn count(&self, taste: &mut Taste<'_>, least: usize, most: usize) -> usize {
        if self.left.get() == 0 { least } else { taste.count(least, most) }
    }

    /// Whether one more optional member is set.
    fn takes(&self, taste: &mut Taste<'_>, depth: usize) -> bool {
        let wants = match taste {
            Taste::Nothing => false,
            Taste::Everything => true,
            Taste::Random(dice) => depth < MAX_RANDOM_DEPTH && dice.percent(35),
        };
        let takes = wants && self.left.get() > 0;
        if takes {
            self.count_optional();
        }
        takes
    }

    fn block(
        &self,
        block: &Block,
        path: &mut String,
        n: u64,
        taste: &mut Taste<'_>,
        put: Option<Put<'_>>,
    ) -> Value {
        let mut members = self.attributes(block.attributes(), path, n, taste, put);
        for (name, nested) in block.block_types() {
            let put = put.and_then(|put| put.at(name));
            members.push((
                name.clone(),
                inside(path, name, &mut |path| self.blocks(nested, path, n, taste, put)),
            ));
        }
        Value::object(members)
    }

    fn attributes(
        &self,
        attributes: &[(SmolStr, Attribute)],
        path: &mut String,
        n: u64,
        taste: &mut Taste<'_>,
        put: Option<Put<'_>>,
    ) -> Vec<(SmolStr, Value)> {
        let mut members = Vec::new();
        self.count_made(attributes.len());
        for (name, attribute) in attributes {
            let put = put.and_then(|put| put.at(name));
            let value = inside(path, name, &mut |path| self.attribute(name, attribute, path, n, taste, put));
            members.push((name.clone(), value));
        }
        members
    }

    fn attribute(
        &self,
        name: &str,
        attribute: &Attribute,
        path: &mut String,
        n: u64,
        taste: &mut Taste<'_>,
        put: Option<Put<'_>>,
    ) -> Value {
        let ty = attribute.implied_type();
        let null = || Value::null(ty.clone());
        if !is_configurable(attribute) {
            return null();
        }
        if let Some(What::Value(value)) = put.and_then(Put::here) {
            return value.convert(attribute.accepted_type()).unwrap_or_else(|_| null());
        }
        let is_wanted = put.is_some() || attribute.required || self.takes(taste, depth(path));
        let given = self.hints.hinted(self.component, self.name, path);
        let numbering = Numbering { sequence: self.at.sequence + n, ..self.at };
        if let Some(value) = given.and_then(|given| given.value(attribute.accepted_type(), numbering)) {
            // Values from hints for sensitive attributes are secret, marked or not.
            let is_secret = (attribute.sensitive || attribute.write_only) && !value.is_null();
            let value = if is_secret { value.sensitive() } else { value };
            let is_better = is_wanted && !(value.is_null() && attribute.required);
            return if is_better {
                value
            } else if is_wanted {
                self.own(name, attribute, path, n, taste, put)
            } else {
                null()
            };
        }
        if is_wanted { self.own(name, attribute, path, n, taste, put) } else { null() }
    }

    /// The value of an attribute that is set, where hints say nothing.
    fn own(
        &self,
        name: &str,
        attribute: &Attribute,
        path: &mut String,
        n: u64,
        taste: &mut Taste<'_>,
        put: Option<Put<'_>>,
    ) -> Value {
        match &attribute.ty {
            AttributeType::Plain(ty) => match (put.and_then(Put::here), ty.element()) {
                (Some(What::Many(count, are)), Some(element)) => {
                    let keys = if let Are::Called(keys) = are { keys } else { &[] };
                    self.collection(ty, element, name, (count, keys), n, taste)
                }
                _ => self.value(ty, name, n, taste),
            },
            AttributeType::Nested(nested) => self.nested(nested, path, n, taste, put),
        }
    }

    fn nested(
        &self,
        nested: &NestedType,
        path: &mut String,
        n: u64,
        taste: &mut Taste<'_>,
        put: Option<Put<'_>>,
    ) -> Value {
        let here = put.and_then(Put::here);
        let count = if let Some(What::Many(count, _)) = here { count } else { 1 };
        held(nested.nesting(), count, here, n, taste, &mut |n, taste| {
            Value::object(self.attributes(nested.attributes(), path, n, taste, put))
        })
    }

    fn blocks(
        &self,
        nested: &NestedBlock,
        path: &mut String,
        n: u64,
        taste: &mut Taste<'_>,
        put: Option<Put<'_>>,
    ) -> Value {
        let here = put.and_then(Put::here);
        // The protocol has an `int64` here, and so a faulty schema may require any number.
        let least = usize::try_from(nested.min_items).unwrap_or(usize::MAX).min(1_000);
        let most = match usize::try_from(nested.max_items).unwrap_or(usize::MAX) {
            // In the protocol, 0 means no limit.
            0 => 3.max(least),
            most => most,
        };
        // A group always exists in Terraform, configured or not.
        let is_group = nested.nesting == NestingMode::Group;
        let count = match here {
            Some(What::Value(value)) => return value.clone(),
            Some(What::Many(count, _)) => count,
            _ if put.is_some() => least.max(1),
            _ if least > 0 || is_group || self.takes(taste, depth(path)) => self.count(taste, least, most),
            _ => 0,
        };
        let count = if self.is_too_large() { 0 } else { count };
        if count == 0 && nested.nesting == NestingMode::Single {
            return Value::null(nested.implied_type());
        }
        held(nested.nesting, count, here, n, taste, &mut |n, taste| {
            self.block(&nested.block, path, n, taste, put)
        })
    }

    /// A value of a plain type.
    pub(in super::super) fn value(&self, ty: &Type, name: &str, n: u64, taste: &mut Taste<'_>) -> Value {
        let number = self.at.sequence + n;
        self.count_made(1);
        self.count_optional();
        if let Taste::Random(dice) = &mut *taste
            && ty.is_primitive()
            && dice.percent(12)
        {
            let which = dice.below(100);
            return match ty {
                Type::String => corner::text(which).1,
                Type::Number => corner::number(which).1,
                _ => Value::from(which % 2 == 0),
            };
        }
        match ty {
            Type::String => Value::from(plausible::text(name, number)),
            Type::Number => Value::from(plausible::number(name, number)),
            Type::Bool => Value::from(match taste {
                Taste::Random(dice) => dice.percent(50),
                _ => true,
            }),
            Type::List(element) | Type::Set(element) | Type::Map(element) => {
                let count = self.count(taste, 0, 3).max(usize::from(!matches!(taste, Taste::Random(_))));
                self.collection(ty, element, name, (count, &[]), n, taste)
            }
            Type::Tuple(tuple) => {
                Value::tuple(tuple.elements().iter().map(|ty| self.value(ty, name, n, taste)))
            }
            Type::Object(object) => Value::object(
                object.attributes().iter().map(|(name, ty)| (name.clone(), self.value(ty, name, n, taste))),
            ),
            _ => match taste {
                Taste::Random(dice) => corner::anything(dice.below(corner::ANYTHING)).1,
                _ => Value::from(plausible::text(name, number)),
            },
        }
    }

    /// A list, set or map of this many elements, which differ as far as their type lets them.
    pub(in super::super) fn collection(
        &self,
        ty: &Type,
        element: &Type,
        name: &str,
        (count, keys): (usize, &[&str]),
        n: u64,
        taste: &mut Taste<'_>,
    ) -> Value {
        let keys = match &mut *taste {
            Taste::Random(dice) if matches!(ty, Type::Map(_)) => {
                let which = dice.percent(15).then(|| dice.below(corner::KEYS.len()));
                which.map_or(keys, |which| &corner::KEYS[which..=which])
            }
            _ => keys,
        };
        let key = |i: usize| keys.get(i).map_or_else(|| format!("key{i}"), |key| (*key).to_owned());
        let may_be_null = element.is_primitive() && !matches!(ty, Type::Set(_));
        let mut element = |i: usize| {
            let is_null = match &mut *taste {
                Taste::Random(dice) => may_be_null && dice.percent(3),
                _ => false,
            };
            if is_null {
                Value::null(element.clone())
            } else {
                self.value(element, name, n + i as u64, taste)
            }
        };
        let all = match ty {
            Type::Map(_) => Value::object((0..count).map(|i| (key(i), element(i)))),
            _ => Value::tuple((0..count).map(&mut element)),
        };
        all.convert(ty).unwrap_or_else(|_| Value::null(ty.clone()))
    }
}

/// This many objects, in the form that the nesting mode requires.
fn held(
    nesting: NestingMode,
    count: usize,
    here: Option<What<'_>>,
    n: u64,
    taste: &mut Taste<'_>,
    object: &mut dyn FnMut(u64, &mut Taste<'_>) -> Value,
) -> Value {
    let mut nth = |i: usize| {
        let n = if matches!(here, Some(What::Many(_, Are::Same))) { n } else { n + i as u64 };
        match here {
            Some(What::Full) => object(n, &mut Taste::Everything),
            Some(What::Many(_, Are::Fuller)) if i > 0 => object(n, &mut Taste::Everything),
            _ => object(n, taste),
        }
    };
    match nesting {
        NestingMode::Single | NestingMode::Group => nth(0),
        NestingMode::Map => Value::object((0..count).map(|i| match here {
            Some(What::Many(_, Are::Called(keys))) if i < keys.len() => (keys[i].to_owned(), nth(i)),
            _ => (format!("key{i}"), nth(i)),
        })),
        _ => Value::tuple((0..count).map(nth)),
    }
}

/// How many steps a path has.
fn depth(path: &str) -> usize {
    path.matches('.').count()
}
