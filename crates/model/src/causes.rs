//! The arguments and blocks that a plan changes.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use objchange::Value;
use objchange::schema::{Block, NestingMode};
use objchange::value::Kind;
use smol_str::SmolStr;

use crate::empty::has_nothing;
use crate::fact::{Cause, ChangeKind};
use crate::walk::{Member, Shape};

/// The arguments that configuration sets in a new object.
pub(crate) fn set_arguments(block: &Block, config: &Value) -> BTreeSet<Cause> {
    let mut changed = CauseCollector(BTreeSet::new());
    changed.set(Shape::Block(block), &mut String::new(), config);
    changed.0
}

/// The arguments and blocks that differ between a planned object and the prior one. Computed parts that are left out
/// count as results, not as causes.
pub(crate) fn changes(block: &Block, prior: &Value, config: &Value, planned: &Value) -> BTreeSet<Cause> {
    let mut changed = CauseCollector(BTreeSet::new());
    changed.object(Shape::Block(block), &mut String::new(), [prior, config, planned]);
    changed.0
}

/// Collects what changes in an object.
struct CauseCollector(BTreeSet<Cause>);

impl CauseCollector {
    fn add(&mut self, kind: ChangeKind, part: &str) {
        self.0.insert(Cause { kind, part: SmolStr::new(part) });
    }

    fn set(&mut self, shape: Shape<'_>, part: &mut String, config: &Value) {
        let Some(object) = config.as_object() else { return };
        for (name, value) in object.iter() {
            let Some(member) = shape.member(name) else { continue };
            if has_nothing(value) && !matches!(member, Member::Attribute(_)) || value.is_null() {
                continue;
            }
            inside(part, name, &mut |part| {
                self.add(kind(&Value::null(value.ty().clone()), value), part);
                if let Some(shape) = member.shape() {
                    each_object(value, &mut |object| self.set(shape, part, object));
                }
            });
        }
    }

    fn object(&mut self, shape: Shape<'_>, part: &mut String, [prior, config, planned]: [&Value; 3]) {
        let nothing = Value::null(objchange::Type::Dynamic);
        let Some(object) = planned.as_object() else { return };
        for (name, planned) in object.iter() {
            let Some(member) = shape.member(name) else { continue };
            let prior = prior.attribute(name).unwrap_or(&nothing);
            let config = config.attribute(name).unwrap_or(&nothing);
            inside(part, name, &mut |part| self.member(member, part, [prior, config, planned]));
        }
    }

    fn member(&mut self, member: Member<'_>, part: &mut String, [prior, config, planned]: [&Value; 3]) {
        // The older SDK writes no elements in place of null as soon as anything changes.
        let stays_empty = has_nothing(prior) && planned.is_known() && has_nothing(planned);
        if planned.identical(prior) || stays_empty {
            return;
        }
        match member {
            Member::Attribute(attribute) => {
                let is_argument = attribute.required || attribute.optional;
                if !is_argument || attribute.computed && config.is_null() {
                    return;
                }
                match attribute.nested() {
                    // The configured value decides: a provider may plan it in another form, or leave it unknown.
                    None => self.add(kind(prior, if config.is_null() { planned } else { config }), part),
                    Some(nested) => {
                        let sides = [prior, config, planned];
                        self.elements(nested.nesting(), Shape::Nested(nested), part, sides);
                    }
                }
            }
            // The provider computes blocks that are left out and unknown: they are a result.
            Member::Blocks(_) if has_nothing(config) && !planned.is_known() => {}
            Member::Blocks(nested) => {
                let sides = [prior, config, planned];
                self.elements(nested.nesting, Shape::Block(&nested.block), part, sides);
            }
        }
    }

    fn elements(
        &mut self,
        nesting: NestingMode,
        shape: Shape<'_>,
        part: &mut String,
        [prior, config, planned]: [&Value; 3],
    ) {
        let nothing = Value::null(objchange::Type::Dynamic);
        if has_nothing(prior) || has_nothing(planned) || !planned.is_known() {
            return self.add(kind(prior, planned), part);
        }
        if matches!(nesting, NestingMode::Single | NestingMode::Group) {
            return self.object(shape, part, [prior, config, planned]);
        }
        if prior.len() != planned.len() {
            return self.add(ChangeKind::Value, part);
        }
        match (nesting, planned.kind()) {
            (_, Kind::Map(map)) => {
                if map.iter().any(|(key, _)| prior.element(key).is_none()) {
                    return self.add(ChangeKind::Value, part);
                }
                for (key, planned) in map.iter() {
                    let prior = prior.element(key).unwrap_or(&nothing);
                    let config = config.element(key).unwrap_or(&nothing);
                    self.object(shape, part, [prior, config, planned]);
                }
            }
            (NestingMode::Set, _) => {
                let before = self.0.len();
                self.set_elements(shape, part, prior, planned);
                if self.0.len() == before {
                    self.add(ChangeKind::Value, part);
                }
            }
            _ => {
                let elements = planned.as_elements().unwrap_or_default();
                for (i, planned) in elements.iter().enumerate() {
                    let prior = prior.index(i).unwrap_or(&nothing);
                    let config = config.index(i).unwrap_or(&nothing);
                    self.object(shape, part, [prior, config, planned]);
                }
            }
        }
    }

    /// The parts that differ between the elements that only one of two sets has: an element of a set has no key by which
    /// its old value could be found.
    fn set_elements(&mut self, shape: Shape<'_>, part: &mut String, prior: &Value, planned: &Value) {
        let count = |set: &Value, sign: i64, counts: &mut HashMap<Value, i64>| {
            for element in set.as_elements().unwrap_or_default() {
                *counts.entry(element.clone()).or_default() += sign;
            }
        };
        let mut counts = HashMap::new();
        count(prior, -1, &mut counts);
        count(planned, 1, &mut counts);
        // By name: how much more often each value is there after the change than before.
        let mut values: HashMap<SmolStr, HashMap<Value, i64>> = HashMap::new();
        for (element, count) in counts.into_iter().filter(|(_, count)| *count != 0) {
            for (name, value) in element.as_object().into_iter().flat_map(objchange::value::Object::iter) {
                *values.entry(name.clone()).or_default().entry(value.clone()).or_default() += count;
            }
        }
        for (name, counts) in values {
            let is_argument = match shape.member(&name) {
                Some(Member::Attribute(attribute)) => attribute.required || attribute.optional,
                Some(Member::Blocks(_)) => true,
                None => false,
            };
            if is_argument && counts.values().any(|count| *count != 0) {
                let nothing = Value::null(objchange::Type::Dynamic);
                let of = |sign: i64| {
                    let values: Vec<&Value> = counts
                        .iter()
                        .filter(|(_, count)| **count * sign > 0)
                        .map(|(value, _)| value)
                        .collect();
                    if values.is_empty() { vec![&nothing] } else { values }
                };
                let (lost, gained) = (of(-1), of(1));
                // Nobody knows which of them belong together. The kind depends on whether there was a value, not on which.
                let empty = lost.iter().find(|value| has_nothing(value));
                let full = lost.iter().find(|value| !has_nothing(value));
                for prior in empty.into_iter().chain(full) {
                    for planned in &gained {
                        let kind = kind(prior, planned);
                        inside(part, &name, &mut |part| self.add(kind, part));
                    }
                }
            }
        }
    }
}

/// How a value changes.
fn kind(prior: &Value, planned: &Value) -> ChangeKind {
    match (has_nothing(prior), has_nothing(planned) && planned.is_known(), planned.as_bool()) {
        (_, _, Some(true)) => ChangeKind::True,
        (_, _, Some(false)) => ChangeKind::False,
        (_, true, _) => ChangeKind::Unset,
        (true, ..) => ChangeKind::Set,
        _ => ChangeKind::Value,
    }
}

/// Each object of a collection of objects, or the one object.
fn each_object(value: &Value, visit: &mut dyn FnMut(&Value)) {
    match value.kind() {
        Kind::Object(_) => visit(value),
        Kind::Map(map) => map.iter().for_each(|(_, element)| visit(element)),
        _ => value.as_elements().unwrap_or_default().iter().for_each(visit),
    }
}

/// Visits a part of this part.
fn inside(part: &mut String, name: &str, visit: &mut dyn FnMut(&mut String)) {
    let length = part.len();
    if !part.is_empty() {
        part.push('.');
    }
    part.push_str(name);
    visit(part);
    part.truncate(length);
}
