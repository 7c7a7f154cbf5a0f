//! The edits that make an object smaller, the largest first.

use std::collections::VecDeque;
use std::ops::Range;

use objchange::Value;
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode};
use objchange::value::Kind;

use super::super::parts::{parts, with_parts, with_some};

/// The maximum number of edits of one object.
// Far more than the 300 per finding that are tried by default.
const MAX_EDITS: usize = 4_000;

/// A change to one part of a value.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    /// The positions that lead to the part.
    pub(super) at: Vec<usize>,
    pub(super) change: Change,
}

#[derive(Debug, Clone)]
pub(super) enum Change {
    /// Replaces the parts at these positions by an empty value, or removes them (`None`).
    Without(Vec<(usize, Option<Value>)>),
    /// Replaces the part by this value.
    Leaf(Value),
}

/// The value after an edit; `None` if it does not have the part, or the edit changes nothing.
pub(super) fn edit(value: &Value, edit: &Edit) -> Option<Value> {
    let Some((first, rest)) = edit.at.split_first() else {
        let changed = match &edit.change {
            Change::Leaf(new) => new.clone(),
            Change::Without(gone) => {
                let mut parts: Vec<Option<Value>> = parts(value).into_iter().cloned().map(Some).collect();
                for (at, new) in gone {
                    parts.get_mut(*at)?.clone_from(new);
                }
                with_some(value, parts)?
            }
        };
        return (changed != *value).then_some(changed);
    };
    let mut parts: Vec<Value> = parts(value).into_iter().cloned().collect();
    let part = parts.get_mut(*first)?;
    *part = self::edit(part, &Edit { at: rest.to_vec(), change: edit.change.clone() })?;
    with_parts(value, parts)
}

/// The schema of a value's parts.
#[derive(Clone, Copy)]
enum Shape<'s> {
    Block(&'s Block),
    Blocks(&'s NestedBlock),
    Nested(&'s NestedType),
    /// The objects in a collection of a nested type.
    NestedObject(&'s NestedType),
    Plain,
}

/// The edits of a configuration. Those of an unknown part set its value in `known`.
pub(super) fn edits(block: &Block, config: &Value, known: Option<&Value>) -> Vec<Edit> {
    let mut found = EditList { edits: Vec::new() };
    found.value(Shape::Block(block), config, known, &[]);
    found.edits.truncate(MAX_EDITS);
    found.edits
}

/// The edits of `known` at the parts that are unknown in `config`.
pub(super) fn known_edits(config: &Value, known: &Value) -> Vec<Edit> {
    let mut found = EditList { edits: Vec::new() };
    found.known(config, known, &[]);
    found.edits.truncate(MAX_EDITS);
    found.edits
}

struct EditList {
    edits: Vec<Edit>,
}

impl EditList {
    fn push(&mut self, at: &[usize], change: Change) {
        self.edits.push(Edit { at: at.to_vec(), change });
    }

    fn value(&mut self, shape: Shape<'_>, value: &Value, known: Option<&Value>, at: &[usize]) {
        if self.edits.len() >= MAX_EDITS {
            return;
        }
        match value.kind() {
            Kind::Null => {}
            Kind::Unknown(_) => {
                if let Some(known) = known.filter(|known| known.is_known()) {
                    self.push(at, Change::Leaf(known.clone()));
                }
            }
            Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {
                for simpler in simpler(value) {
                    self.push(at, Change::Leaf(simpler));
                }
            }
            Kind::Object(object) => {
                let members: Vec<(usize, Option<Value>)> = object
                    .iter()
                    .enumerate()
                    .filter_map(|(i, (name, part))| {
                        let empty = empty(shape, name, part)?;
                        (empty != *part).then_some((i, Some(empty)))
                    })
                    .collect();
                self.without(at, &members);
                for (i, (name, part)) in object.iter().enumerate() {
                    self.part(member(shape, name), part, known, at, i);
                }
            }
            _ => {
                let parts = parts(value);
                let least = match shape {
                    Shape::Blocks(nested) => usize::try_from(nested.min_items).unwrap_or(usize::MAX),
                    _ => 0,
                };
                let gone: Vec<(usize, Option<Value>)> = (0..parts.len()).map(|i| (i, None)).collect();
                self.without(at, gone.get(least..).unwrap_or_default());
                if least > 0 && least < parts.len() {
                    // The blocks that remain may be irrelevant too, so each of the first ones is removed alone as well.
                    (0..least).for_each(|i| self.push(at, Change::Without(vec![(i, None)])));
                }
                for (i, part) in parts.into_iter().enumerate() {
                    self.part(inside(shape), part, known, at, i);
                }
            }
        }
    }

    fn known(&mut self, config: &Value, known: &Value, at: &[usize]) {
        if !config.is_known() {
            return self.value(Shape::Plain, known, None, at);
        }
        if !config.is_wholly_known() {
            for (i, (config, known)) in parts(config).into_iter().zip(parts(known)).enumerate() {
                let at: Vec<usize> = at.iter().copied().chain([i]).collect();
                self.known(config, known, &at);
            }
        }
    }

    fn part(&mut self, shape: Shape<'_>, part: &Value, known: Option<&Value>, at: &[usize], i: usize) {
        let known = known.and_then(|known| parts(known).get(i).copied());
        let at: Vec<usize> = at.iter().copied().chain([i]).collect();
        self.value(shape, part, known, &at);
    }

    /// Adds edits that remove all of `gone`, then halves of it, down to each part alone.
    fn without(&mut self, at: &[usize], gone: &[(usize, Option<Value>)]) {
        // As in delta debugging (`ddmin`): large steps first, so that many parts without effect go in few trials.
        let mut ranges: VecDeque<Range<usize>> = std::iter::once(0..gone.len()).collect();
        while let Some(range) = ranges.pop_front() {
            if range.is_empty() || self.edits.len() >= MAX_EDITS {
                continue;
            }
            self.push(at, Change::Without(gone[range.clone()].to_vec()));
            if range.len() > 1 {
                let middle = range.start + range.len() / 2;
                ranges.extend([range.start..middle, middle..range.end]);
            }
        }
    }
}

/// The empty value of a member; `None` if the member must have content.
fn empty(shape: Shape<'_>, name: &str, part: &Value) -> Option<Value> {
    let null = || Value::null(part.ty().clone());
    let attribute = |attribute: &Attribute| (!attribute.required).then(null);
    match shape {
        Shape::Block(block) => match (block.attribute(name), block.block_type(name)) {
            (Some(found), _) => attribute(found),
            (None, Some(nested)) if nested.min_items > 0 => None,
            (None, Some(nested)) => match nested.nesting {
                NestingMode::Single => Some(null()),
                // A group cannot be left out: Terraform always sends its object.
                NestingMode::Group => None,
                _ => with_some(part, vec![None; parts(part).len()]),
            },
            (None, None) => None,
        },
        Shape::NestedObject(nested) => nested.attribute(name).and_then(attribute),
        _ => Some(null()),
    }
}

fn member<'s>(shape: Shape<'s>, name: &str) -> Shape<'s> {
    let attribute_shape = |attribute: &'s Attribute| match &attribute.ty {
        AttributeType::Nested(nested) => whole(nested),
        AttributeType::Plain(_) => Shape::Plain,
    };
    match shape {
        Shape::Block(block) => match (block.attribute(name), block.block_type(name)) {
            (Some(attribute), _) => attribute_shape(attribute),
            (None, Some(nested)) => match nested.nesting {
                NestingMode::Single | NestingMode::Group => Shape::Block(&nested.block),
                _ => Shape::Blocks(nested),
            },
            (None, None) => Shape::Plain,
        },
        Shape::NestedObject(nested) => nested.attribute(name).map_or(Shape::Plain, attribute_shape),
        _ => Shape::Plain,
    }
}

fn whole(nested: &NestedType) -> Shape<'_> {
    match nested.nesting() {
        NestingMode::Single | NestingMode::Group => Shape::NestedObject(nested),
        _ => Shape::Nested(nested),
    }
}

fn inside(shape: Shape<'_>) -> Shape<'_> {
    match shape {
        Shape::Blocks(nested) => Shape::Block(&nested.block),
        Shape::Nested(nested) => Shape::NestedObject(nested),
        _ => Shape::Plain,
    }
}

/// Simpler values than a leaf, the simplest first. The search ends, because no chain of simpler values
/// returns to the leaf.
fn simpler(leaf: &Value) -> Vec<Value> {
    match leaf.kind() {
        Kind::Bool(true) => vec![Value::from(false)],
        Kind::Number(number) => match number.as_i64() {
            Some(0) => Vec::new(),
            Some(1) => vec![Value::from(0)],
            Some(other) => vec![Value::from(0), Value::from(1), Value::from(other / 2)],
            None => vec![Value::from(0), Value::from(1)],
        },
        Kind::String("a") => Vec::new(),
        Kind::String(text) => {
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            let half = (!half.is_empty() && half != "a").then(|| Value::from(half));
            [Value::from("a")].into_iter().chain(half).collect()
        }
        _ => Vec::new(),
    }
}
