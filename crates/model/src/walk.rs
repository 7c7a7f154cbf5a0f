//! Walks through the objects of a plan along their schema.

use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode};
use objchange::value::Kind;
use objchange::{Type, Value};

use crate::documents::likeness;
use crate::empty::{are_blank, empty_value, has_nothing, holds_plain_objects, is_empty_value, zeroed};
use crate::fact::{Outcome, Situation};
use crate::sets::{MAX_MATCHED, PriorElements, configured_element, planned_element};

/// The values at one place in the objects of a plan.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'v> {
    pub(crate) config: &'v Value,
    pub(crate) prior: &'v Value,
    pub(crate) proposed: &'v Value,
    /// The answer of a provider, if there is one.
    pub(crate) planned: Option<&'v Value>,
}

/// A part of a planned object.
pub(crate) struct Question<'q> {
    /// Names with dots between them.
    pub(crate) part: &'q str,
    pub(crate) situation: Situation,
    pub(crate) sides: Sides<'q>,
    /// It holds blocks. Without any it is an empty collection, not null.
    pub(crate) are_blocks: bool,
    /// It holds objects with a schema of their own. Their parts are questions, too.
    pub(crate) holds_objects: bool,
    /// The provider may choose its value.
    pub(crate) is_computed: bool,
    /// The schema of the blocks.
    pub(crate) nested: Option<&'q NestedBlock>,
}

impl Question<'_> {
    /// Whether configuration sets the part.
    pub(crate) fn is_set(&self) -> bool {
        let is_left_out = self.sides.config.is_null() || self.are_blocks && has_nothing(self.sides.config);
        !is_left_out
    }
}

/// Decides the planned value of a part; `None` for the proposed value, whose own parts are decided next.
pub(crate) trait Decide {
    fn decide(&mut self, question: &Question<'_>) -> Option<Value>;
}

/// The schema of one object.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
}

/// The schema of a member of an object.
#[derive(Clone, Copy)]
pub(crate) enum Member<'s> {
    Attribute(&'s Attribute),
    Blocks(&'s NestedBlock),
}

impl<'s> Shape<'s> {
    /// All members, by name.
    pub(crate) fn members(self) -> Vec<(&'s str, Member<'s>)> {
        let attributes = match self {
            Self::Block(block) => block.attributes(),
            Self::Nested(nested) => nested.attributes(),
        };
        let attributes = attributes.iter().map(|(name, one)| (name.as_str(), Member::Attribute(one)));
        let blocks = match self {
            Self::Block(block) => block.block_types(),
            Self::Nested(_) => &[],
        };
        attributes.chain(blocks.iter().map(|(name, one)| (name.as_str(), Member::Blocks(one)))).collect()
    }

    pub(crate) fn member(self, name: &str) -> Option<Member<'s>> {
        match self {
            Self::Block(block) => {
                let attribute = block.attribute(name).map(Member::Attribute);
                attribute.or_else(|| block.block_type(name).map(Member::Blocks))
            }
            Self::Nested(nested) => nested.attribute(name).map(Member::Attribute),
        }
    }
}

impl<'s> Member<'s> {
    /// The schema of the objects in it.
    pub(crate) fn shape(self) -> Option<Shape<'s>> {
        match self {
            Self::Attribute(attribute) => attribute.nested().map(Shape::Nested),
            Self::Blocks(nested) => Some(Shape::Block(&nested.block)),
        }
    }
}

/// The member at the end of a path of names.
pub(crate) fn member_at<'s>(block: &'s Block, part: &str) -> Option<Member<'s>> {
    let mut shape = Some(Shape::Block(block));
    let mut member = None;
    for name in part.split('.') {
        let found = shape?.member(name)?;
        shape = found.shape();
        member = Some(found);
    }
    member
}

/// Plans an object: each part is decided, or as proposed.
pub(crate) fn walk(block: &Block, sides: Sides<'_>, decide: &mut dyn Decide) -> Value {
    let is_new = sides.prior.is_null();
    let mut walk = Walk { is_creation: is_new, decide };
    walk.object(Shape::Block(block), &mut String::new(), sides, is_new)
}

/// Plans the only block of a prior object as if configuration had it with nothing in it; `None` if there are several.
pub(crate) fn walk_kept_block(
    nested: &NestedBlock,
    part: &str,
    sides: Sides<'_>,
    decide: &mut dyn Decide,
) -> Option<Value> {
    let before = the_only(sides.prior)?;
    let block = &nested.block;
    let members = block.implied_type().as_object()?.attributes().iter().map(|(name, ty)| {
        let is_block = block.block_type(name).is_some();
        let empty = if is_block { empty_value(ty) } else { None };
        (name.clone(), empty.unwrap_or_else(|| Value::null(ty.clone())))
    });
    let config = Value::object(members);
    let proposed = objchange::change::proposed_new(block, before, &config).ok()?;
    let planned = sides.planned.and_then(the_only);
    let inside = Sides { config: &config, prior: before, proposed: &proposed, planned };
    let mut walk = Walk { is_creation: false, decide };
    let planned = walk.object(Shape::Block(block), &mut part.to_owned(), inside, false);
    match sides.prior.kind() {
        Kind::Object(_) => Some(planned),
        Kind::Map(map) => {
            let key = map.iter().next()?.0.clone();
            Value::map(planned.ty().clone(), [(key, planned)]).ok()
        }
        _ => Some(like(sides.prior, vec![planned])),
    }
}

/// The only object of blocks.
pub(crate) fn the_only(blocks: &Value) -> Option<&Value> {
    match blocks.kind() {
        Kind::Object(_) => Some(blocks),
        Kind::Map(map) if map.len() == 1 => map.iter().next().map(|(_, element)| element),
        _ => blocks.as_elements().filter(|elements| elements.len() == 1)?.first(),
    }
}

struct Walk<'d> {
    /// The whole object is new.
    is_creation: bool,
    decide: &'d mut dyn Decide,
}

impl Walk<'_> {
    fn object(&mut self, shape: Shape<'_>, part: &mut String, sides: Sides<'_>, is_new: bool) -> Value {
        let Some(object) = sides.proposed.as_object() else { return sides.proposed.clone() };
        let nothing = Value::null(Type::Dynamic);
        let mut is_changed = false;
        let mut members = Vec::with_capacity(object.len());
        for (name, proposed) in object.iter() {
            let Some(member) = shape.member(name) else {
                members.push((name.clone(), proposed.clone()));
                continue;
            };
            let of = |value: &Value| value.attribute(name).cloned();
            let (config, prior) = (of(sides.config), of(sides.prior));
            let inside = Sides {
                config: config.as_ref().unwrap_or(&nothing),
                prior: prior.as_ref().unwrap_or(&nothing),
                proposed,
                planned: sides.planned.and_then(|planned| planned.attribute(name)),
            };
            let length = part.len();
            if !part.is_empty() {
                part.push('.');
            }
            part.push_str(name);
            let value = match member {
                Member::Attribute(attribute) => self.attribute(attribute, part, inside, is_new),
                Member::Blocks(nested) => self.blocks(nested, part, inside, is_new),
            };
            part.truncate(length);
            is_changed |= !value.identical(proposed);
            members.push((name.clone(), value));
        }
        if is_changed { Value::object(members) } else { sides.proposed.clone() }
    }

    fn attribute(
        &mut self,
        attribute: &Attribute,
        part: &mut String,
        sides: Sides<'_>,
        is_new: bool,
    ) -> Value {
        if attribute.write_only {
            return Value::null(attribute.implied_type().clone());
        }
        let is_computed = attribute.computed;
        let situation = if !sides.config.is_known() {
            return sides.proposed.clone();
        } else if sides.config.is_null() {
            let is_empty = !is_computed && is_empty_value(sides.prior);
            self.left_out(is_new, sides.prior.is_null(), is_empty)
        } else {
            configured(sides, attribute.nested().is_some(), is_new)
        };
        let holds_objects = attribute.nested().is_some();
        let question =
            Question { part, situation, sides, are_blocks: false, holds_objects, is_computed, nested: None };
        if let Some(value) = self.decide.decide(&question) {
            return value;
        }
        match &attribute.ty {
            AttributeType::Nested(nested) if !sides.config.is_null() => {
                self.elements(nested.nesting(), Shape::Nested(nested), part, sides, is_new)
            }
            _ => sides.proposed.clone(),
        }
    }

    fn blocks(&mut self, nested: &NestedBlock, part: &mut String, sides: Sides<'_>, is_new: bool) -> Value {
        if !sides.config.is_known() {
            return sides.proposed.clone();
        }
        let is_left_out = has_nothing(sides.config);
        let situation = match is_left_out {
            true => match self.left_out(is_new, has_nothing(sides.prior), are_blank(sides.prior)) {
                Situation::Updated if sides.prior.len().is_some_and(|length| length > 1) => {
                    Situation::Several
                }
                situation => situation,
            },
            false => configured(sides, true, is_new),
        };
        let question = Question {
            part,
            situation,
            sides,
            are_blocks: true,
            holds_objects: true,
            is_computed: nested.computed,
            nested: Some(nested),
        };
        if let Some(value) = self.decide.decide(&question) {
            return value;
        }
        match is_left_out {
            true => sides.proposed.clone(),
            false => self.elements(nested.nesting, Shape::Block(&nested.block), part, sides, is_new),
        }
    }

    /// The situation of a part that configuration leaves out.
    fn left_out(&self, is_new: bool, has_nothing: bool, is_empty: bool) -> Situation {
        if self.is_creation {
            Situation::Created
        } else if is_new {
            Situation::Added
        } else if has_nothing {
            Situation::Gained
        } else if is_empty {
            Situation::Emptied
        } else {
            Situation::Updated
        }
    }

    /// Each of the objects that a part holds.
    fn elements(
        &mut self,
        nesting: NestingMode,
        shape: Shape<'_>,
        part: &mut String,
        sides: Sides<'_>,
        is_new: bool,
    ) -> Value {
        let nothing = Value::null(Type::Dynamic);
        let is_one = matches!(nesting, NestingMode::Single | NestingMode::Group);
        if is_one {
            let is_new = is_new || sides.prior.is_null();
            return self.object(shape, part, sides, is_new);
        }
        if let Kind::Map(map) = sides.proposed.kind() {
            let elements: Vec<(_, Value)> = map
                .iter()
                .map(|(key, proposed)| {
                    let prior = sides.prior.element(key);
                    let inside = Sides {
                        config: sides.config.element(key).unwrap_or(&nothing),
                        prior: prior.unwrap_or(&nothing),
                        proposed,
                        planned: sides.planned.and_then(|planned| planned.element(key)),
                    };
                    (key.clone(), self.object(shape, part, inside, is_new || prior.is_none()))
                })
                .collect();
            let element = sides.proposed.ty().element().cloned().unwrap_or(Type::Dynamic);
            return Value::map(element, elements).unwrap_or_else(|_| sides.proposed.clone());
        }
        let Some(all) = sides.proposed.as_elements() else { return sides.proposed.clone() };
        let prior_elements = (nesting == NestingMode::Set).then(|| PriorElements::new(sides.prior));
        let mut elements = Vec::with_capacity(all.len());
        for (i, proposed) in all.iter().enumerate() {
            let inside = match &prior_elements {
                Some(prior_elements) => Sides {
                    config: configured_element(sides.config, proposed, i).unwrap_or(proposed),
                    prior: prior_elements.find(proposed).unwrap_or(&nothing),
                    proposed,
                    planned: sides.planned.and_then(|planned| planned_element(planned, proposed)),
                },
                None => Sides {
                    config: sides.config.index(i).unwrap_or(&nothing),
                    prior: sides.prior.index(i).unwrap_or(&nothing),
                    proposed,
                    planned: sides.planned.and_then(|planned| planned.index(i)),
                },
            };
            // An element of a set that was there before stays as it is.
            if prior_elements.is_some() && inside.prior.identical(proposed) {
                elements.push(proposed.clone());
                continue;
            }
            let is_new = is_new || inside.prior.is_null();
            elements.push(self.object(shape, part, inside, is_new));
        }
        like(sides.proposed, elements)
    }
}

/// The situation of a part that configuration sets.
fn configured(sides: Sides<'_>, has_objects: bool, is_new: bool) -> Situation {
    let Sides { config, prior, .. } = sides;
    if has_objects {
        return if has_nothing(prior) { Situation::Configured } else { Situation::Reconfigured };
    }
    if !config.is_wholly_known() {
        return Situation::PartlyUnknown;
    }
    if prior.identical(config) {
        return Situation::Unchanged;
    }
    if holds_plain_objects(config) && !prior.is_null() && zeroed(prior).identical(&zeroed(config)) {
        return Situation::Alike;
    }
    if config.len() == Some(0) || config.as_str() == Some("") {
        return Situation::Blank;
    }
    // The older SDK tells `false` and 0 from null in new objects alone.
    if prior.is_null() && !is_new && is_empty_value(config) {
        return Situation::Blank;
    }
    if prior.is_null() {
        return Situation::Configured;
    }
    let texts = prior.as_str().zip(config.as_str());
    if let Some(alike) = texts.and_then(|(before, after)| likeness(before, after)) {
        return alike;
    }
    match (prior.as_str(), config.as_str()) {
        (Some(before), Some(after)) if before.trim() == after.trim() => Situation::Space,
        (Some(before), Some(after)) if before.eq_ignore_ascii_case(after) => Situation::Case,
        _ if same_elements(prior, config) => Situation::Order,
        _ => Situation::Reconfigured,
    }
}

/// A text in the case of an outcome; `None` for other outcomes.
pub(crate) fn in_case(outcome: &Outcome, text: &str) -> Option<String> {
    match outcome {
        // Languages differ in the case of other letters.
        _ if !text.is_ascii() => None,
        Outcome::UpperCase => Some(text.to_ascii_uppercase()),
        Outcome::LowerCase => Some(text.to_ascii_lowercase()),
        _ => None,
    }
}

/// The SHA-1 of a text, in hexadecimal digits.
pub(crate) fn sha1_hex(text: &str) -> String {
    use sha1::{Digest, Sha1};
    data_encoding::HEXLOWER.encode(&Sha1::digest(text))
}

/// Whether two lists have the same elements in another order.
fn same_elements(one: &Value, other: &Value) -> bool {
    let (Kind::List(one), Kind::List(other)) = (one.kind(), other.kind()) else { return false };
    if one.len() != other.len() || one.len() > MAX_MATCHED {
        return false;
    }
    let mut left: Vec<&Value> = other.iter().collect();
    one.iter().all(|element| match left.iter().position(|known| known.identical(element)) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    })
}

/// A collection like this one, with these elements.
pub(crate) fn like(collection: &Value, elements: Vec<Value>) -> Value {
    let tuple = Value::tuple(elements);
    tuple.convert(collection.ty()).unwrap_or_else(|_| collection.clone())
}
