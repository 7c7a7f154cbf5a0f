//! Makes configurations with a given number of elements.

use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};

/// A collection that a configuration may have.
pub(super) struct Collection<'s> {
    pub(super) path: Path,
    pub(super) kind: Kind<'s>,
}

/// The kind of the elements.
pub(super) enum Kind<'s> {
    Plain(&'s Type),
    Nested(&'s Attribute, NestingMode),
    Blocks(&'s NestedBlock),
}

/// The collections at the root of a schema, and in its single blocks and nested objects.
pub(super) fn collections(block: &Block) -> Vec<Collection<'_>> {
    let mut found = Vec::new();
    of_block(block, &Path::root(), &mut found);
    found
}

fn of_block<'s>(block: &'s Block, path: &Path, found: &mut Vec<Collection<'s>>) {
    for (name, attribute) in block.attributes() {
        of_attribute(attribute, path.clone().attribute(name.clone()), found);
    }
    for (name, nested) in block.block_types() {
        let path = path.clone().attribute(name.clone());
        match nested.nesting {
            NestingMode::Single | NestingMode::Group => of_block(&nested.block, &path, found),
            // A limited collection does not grow.
            _ if nested.max_items > 0 => {}
            _ => found.push(Collection { path, kind: Kind::Blocks(nested) }),
        }
    }
}

fn of_attribute<'s>(attribute: &'s Attribute, path: Path, found: &mut Vec<Collection<'s>>) {
    if !(attribute.required || attribute.optional) {
        return;
    }
    match &attribute.ty {
        AttributeType::Plain(ty) if ty.is_collection() => {
            found.push(Collection { path, kind: Kind::Plain(ty) });
        }
        AttributeType::Plain(_) => {}
        AttributeType::Nested(nested) if nested.nesting() == NestingMode::Single => {
            for (name, attribute) in nested.attributes() {
                of_attribute(attribute, path.clone().attribute(name.clone()), found);
            }
        }
        AttributeType::Nested(nested) => {
            found.push(Collection { path, kind: Kind::Nested(attribute, nested.nesting()) });
        }
    }
}

impl Collection<'_> {
    pub(super) fn what(&self) -> String {
        match &self.kind {
            Kind::Plain(Type::List(_)) => "list".into(),
            Kind::Plain(Type::Set(_)) => "set".into(),
            Kind::Plain(_) => "map".into(),
            Kind::Nested(_, mode) => format!("nested {}", mode_name(*mode)),
            Kind::Blocks(nested) => format!("blocks ({})", mode_name(nested.nesting)),
        }
    }

    /// The configuration with this many different elements in the collection; `None` if its type has fewer.
    pub(super) fn filled(&self, config: &Value, n: usize) -> Option<Value> {
        let filled = match &self.kind {
            Kind::Plain(ty) => collection(ty, (0..n).map(|i| element(ty.element()?, i)))?,
            Kind::Nested(attribute, _) => {
                let ty = attribute.implied_type();
                let nested = attribute.nested()?;
                collection(ty, (0..n).map(|i| object(nested.attributes(), i)))?
            }
            Kind::Blocks(nested) => blocks(nested, n)?,
        };
        (n == 0 || filled.len() == Some(n)).then(|| placed(config, self.path.steps(), &filled)).flatten()
    }
}

const fn mode_name(mode: NestingMode) -> &'static str {
    match mode {
        NestingMode::List => "list",
        NestingMode::Set => "set",
        NestingMode::Map => "map",
        _ => "single",
    }
}

/// Replaces the value at a path of names. A null on the way becomes an object of nulls.
fn placed(object: &Value, steps: &[objchange::value::PathStep], new: &Value) -> Option<Value> {
    let Some((objchange::value::PathStep::Attribute(name), rest)) = steps.split_first() else {
        return Some(new.clone());
    };
    let nothing = Value::object(match object.ty() {
        Type::Object(ty) => {
            ty.attributes().iter().map(|(n, ty)| (n.clone(), Value::null(ty.clone()))).collect()
        }
        _ => Vec::new(),
    });
    let object = if object.is_null() { &nothing } else { object };
    let members = object.as_object()?.iter().map(|(member, value)| match member == name {
        true => Some((member.clone(), placed(value, rest, new)?)),
        false => Some((member.clone(), value.clone())),
    });
    Some(Value::object(members.collect::<Option<Vec<_>>>()?))
}

fn collection(ty: &Type, elements: impl Iterator<Item = Option<Value>>) -> Option<Value> {
    let elements: Vec<Value> = elements.collect::<Option<_>>()?;
    match ty {
        Type::List(element) => Value::list((**element).clone(), elements).ok(),
        Type::Set(element) => Value::set((**element).clone(), elements).ok(),
        Type::Map(element) => Value::map((**element).clone(), (0..).map(key).zip(elements)).ok(),
        _ => None,
    }
}

fn blocks(nested: &NestedBlock, n: usize) -> Option<Value> {
    let blocks: Vec<Value> = (0..n).map(|i| members(&nested.block, i)).collect::<Option<_>>()?;
    let implied = nested.implied_type();
    match implied {
        // Blocks of several types need an object or a tuple.
        Type::Dynamic if nested.nesting == NestingMode::Map => {
            Some(Value::object((0..).map(key).zip(blocks)))
        }
        Type::Dynamic => Some(Value::tuple(blocks)),
        _ => collection(&implied, blocks.into_iter().map(Some)),
    }
}

fn key(i: usize) -> String {
    format!("k{i:05}")
}

/// An element of a type, a different one for each number.
fn element(ty: &Type, i: usize) -> Option<Value> {
    Some(match ty {
        Type::String | Type::Dynamic => Value::from(format!("e{i:05}")),
        Type::Number => Value::from(i64::try_from(i).ok()?),
        Type::Bool => Value::from(i.is_multiple_of(2)),
        Type::Object(object) => {
            let part = |(name, ty): &(_, Type)| Some((smol_str::SmolStr::clone(name), element(ty, i)?));
            Value::object(object.attributes().iter().map(part).collect::<Option<Vec<_>>>()?)
        }
        Type::Tuple(tuple) => {
            Value::tuple(tuple.elements().iter().map(|ty| element(ty, i)).collect::<Option<Vec<_>>>()?)
        }
        collection => self::collection(collection, std::iter::once(element(ty.element()?, i)))?,
    })
}

fn object(attributes: &[(smol_str::SmolStr, Attribute)], i: usize) -> Option<Value> {
    let members = attributes.iter().map(|(name, attribute)| Some((name.clone(), configured(attribute, i)?)));
    Some(Value::object(members.collect::<Option<Vec<_>>>()?))
}

/// The elements differ in texts and numbers. Other attributes are set only if they are required.
fn configured(attribute: &Attribute, i: usize) -> Option<Value> {
    let null = || Value::null(attribute.implied_type().clone());
    let may_be_set = attribute.required || attribute.optional;
    Some(match &attribute.ty {
        _ if !may_be_set => null(),
        AttributeType::Plain(ty) if attribute.required || matches!(ty, Type::String | Type::Number) => {
            element(ty, i)?
        }
        AttributeType::Nested(nested) if attribute.required && nested.nesting() == NestingMode::Single => {
            object(nested.attributes(), i)?
        }
        AttributeType::Nested(nested) if attribute.required => {
            collection(attribute.implied_type(), std::iter::once(object(nested.attributes(), i)))?
        }
        _ => null(),
    })
}

fn members(block: &Block, i: usize) -> Option<Value> {
    let attributes =
        block.attributes().iter().map(|(name, attribute)| Some((name.clone(), configured(attribute, i)?)));
    let nested = block.block_types().iter().map(|(name, nested)| {
        let inner = match nested.nesting {
            NestingMode::Group => members(&nested.block, i)?,
            NestingMode::Single if nested.min_items == 0 => Value::null(nested.implied_type()),
            NestingMode::Single => members(&nested.block, i)?,
            // Nobody wants to write so many blocks in each block.
            _ => blocks(nested, usize::try_from(nested.min_items).ok().filter(|least| *least <= 16)?)?,
        };
        Some((name.clone(), inner))
    });
    Some(Value::object(attributes.chain(nested).collect::<Option<Vec<_>>>()?))
}
