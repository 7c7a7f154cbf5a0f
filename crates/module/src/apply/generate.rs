//! Values for computed attributes: given ones, else generated ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode};
use objchange::value::{ConvertError, Kind, Path};
use objchange::{Type, Value};
use smol_str::SmolStr;

/// Generates values. Equal seeds give equal values for equal addresses and paths.
#[derive(Debug, Clone, Copy, Default)]
pub struct GeneratedValues {
    seed: u64,
    /// Texts have the shape that the names of their attributes promise. Those of mocks do not, as in Terraform.
    has_shapes: bool,
}

/// Numbers that look random, for functions such as `uuid`: the same ones again after the same start.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberSequence(Arc<AtomicU64>);

impl NumberSequence {
    /// Begins anew, with the numbers of these values.
    pub(crate) fn start(&self, values: GeneratedValues) {
        self.0.store(values.seed, Ordering::Relaxed);
    }

    pub(crate) fn next(&self) -> u64 {
        mixed(self.0.fetch_add(GOLDEN, Ordering::Relaxed))
    }
}

/// An object cannot be completed with the given values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FillError {
    /// The attribute.
    pub path: Path,
    /// The problem.
    pub problem: FillProblem,
}

/// A problem with a given value. Never shows the value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FillProblem {
    /// It cannot be converted to the type of the attribute: the type, and why.
    Conversion {
        /// The type of the attribute.
        wanted: String,
        /// Why, in words.
        reason: String,
        /// The type of the value.
        found: String,
    },
    /// An object was needed for nested objects; what was found.
    NotAnObject(String),
}

impl GeneratedValues {
    /// Values for a seed, and for texts that tell several uses of it apart.
    pub fn new(seed: u64, contexts: &[&str]) -> Self {
        let seed = contexts.iter().fold(mixed(seed), |seed, context| hashed(seed, context.as_bytes()));
        Self { seed, has_shapes: false }
    }

    /// Other values than these, as repeatable as they are.
    pub fn again(&self) -> Self {
        Self { seed: mixed(self.seed), ..*self }
    }

    /// These values, with texts in the shape that the names of their attributes promise: ARNs, CIDRs, dates.
    pub(super) fn with_shapes(&self) -> Self {
        Self { has_shapes: true, ..*self }
    }

    fn at(&self, address: &str, what: &str) -> u64 {
        hashed(hashed(self.seed, address.as_bytes()), what.as_bytes())
    }

    /// Eight letters and digits.
    pub fn text(&self, address: &str, path: &Path) -> String {
        // The mocks of Terraform 1.11.4 generate eight of these for a string, 0 for a number, and empty lists and maps.
        const CHARS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        let mut state = self.at(address, &path.to_string());
        let mut next = || {
            state = mixed(state);
            char::from(CHARS[(state % 36) as usize])
        };
        (0..8).map(|_| next()).collect()
    }

    /// A text in the shape that the name of the attribute promises, or else of letters and digits.
    pub(crate) fn text_for(&self, address: &str, path: &Path) -> Value {
        self.with_shapes().value(&Type::String, address, path)
    }

    /// A UUID.
    pub fn uuid(&self, address: &str, what: &str) -> String {
        let first = self.at(address, what);
        let second = mixed(first);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            first >> 32,
            (first >> 16) & 0xffff,
            first & 0xffff,
            second >> 48,
            second & 0xffff_ffff_ffff
        )
    }

    /// A number with 18 digits.
    pub fn digits(&self, address: &str, what: &str) -> String {
        const FIRST: u64 = 100_000_000_000_000_000;
        (FIRST + self.at(address, what) % (9 * FIRST)).to_string()
    }

    /// A value of a type.
    pub(crate) fn value(&self, ty: &Type, address: &str, path: &Path) -> Value {
        match ty {
            Type::String => {
                let shaped = self.has_shapes.then(|| super::shapes::text(self, address, path)).flatten();
                Value::from(shaped.unwrap_or_else(|| self.text(address, path)))
            }
            Type::Number => Value::from(0),
            Type::Bool => Value::from(false),
            Type::Object(object) => Value::object(object.attributes().iter().map(|(name, ty)| {
                (name.clone(), self.value(ty, address, &path.clone().attribute(name.clone())))
            })),
            // Lists, sets and maps are empty; what may be anything is null.
            Type::Tuple(_) | Type::Dynamic => Value::null(ty.clone()),
            Type::List(element) => {
                Value::list::<Value>((**element).clone(), []).unwrap_or_else(|_| Value::null(ty.clone()))
            }
            Type::Set(element) => {
                Value::set::<Value>((**element).clone(), []).unwrap_or_else(|_| Value::null(ty.clone()))
            }
            Type::Map(element) => {
                Value::map::<&str, Value>((**element).clone(), []).unwrap_or_else(|_| Value::null(ty.clone()))
            }
        }
    }

    fn nested(&self, nested: &NestedType, address: &str, path: &Path) -> Value {
        match nested.nesting() {
            NestingMode::Single | NestingMode::Group => {
                let attribute = |(name, attribute): &(SmolStr, Attribute)| {
                    (name.clone(), self.attribute(attribute, address, &path.clone().attribute(name.clone())))
                };
                Value::object(nested.attributes().iter().map(attribute))
            }
            _ => self.value(nested.implied_type(), address, path),
        }
    }

    fn attribute(&self, attribute: &Attribute, address: &str, path: &Path) -> Value {
        match &attribute.ty {
            _ if !attribute.computed => Value::null(attribute.implied_type().clone()),
            AttributeType::Plain(ty) => self.value(ty, address, path),
            AttributeType::Nested(nested) => self.nested(nested, address, path),
        }
    }

    /// Fills unknown parts of an object: with given values, by attribute, else with generated ones. One given object
    /// serves all elements of nested objects. `is_invented` receives the generated paths.
    ///
    /// # Errors
    ///
    /// A given value that is needed is not of the right type.
    pub fn fill(
        &self,
        schema: &Block,
        object: &Value,
        given: Option<&Value>,
        address: &str,
        invented: &mut Vec<Path>,
    ) -> Result<Value, FillError> {
        let mut filling = Filling { values: self, address, invented };
        let members = Members { attributes: schema.attributes(), blocks: schema.block_types() };
        let filled = filling.members(members, object, given, &Path::root())?;
        // Collections are there as lists of objects of any kind.
        schema.coerce_config(&filled).map_err(|error| FillError {
            path: Path::root(),
            problem: FillProblem::Conversion {
                wanted: "object".to_owned(),
                reason: error.to_string(),
                found: "object".to_owned(),
            },
        })
    }
}

/// The attributes and blocks of an object, by its schema.
#[derive(Clone, Copy)]
struct Members<'s> {
    attributes: &'s [(SmolStr, Attribute)],
    blocks: &'s [(SmolStr, NestedBlock)],
}

struct Filling<'f> {
    values: &'f GeneratedValues,
    address: &'f str,
    invented: &'f mut Vec<Path>,
}

impl Filling<'_> {
    fn members(
        &mut self,
        schema: Members<'_>,
        object: &Value,
        given: Option<&Value>,
        path: &Path,
    ) -> Result<Value, FillError> {
        let Some(members) = object.as_object() else { return Ok(object.clone()) };
        if object.is_wholly_known() {
            return Ok(object.clone());
        }
        let mut all: Vec<(SmolStr, Value)> = members.iter().map(|(n, v)| (n.clone(), v.clone())).collect();
        for (name, part) in all.iter_mut().filter(|(_, part)| !part.is_wholly_known()) {
            let given = given.and_then(|given| part_of(given, name));
            let path = path.clone().attribute(name.clone());
            if let Some((_, attribute)) = schema.attributes.iter().find(|(other, _)| other == name) {
                *part = self.attribute(attribute, part, given.as_ref(), &path)?;
            } else if let Some((_, blocks)) = schema.blocks.iter().find(|(other, _)| other == name) {
                *part = self.blocks(blocks, part, given.as_ref(), &path)?;
            }
        }
        Ok(Value::object(all))
    }

    fn attribute(
        &mut self,
        attribute: &Attribute,
        part: &Value,
        given: Option<&Value>,
        path: &Path,
    ) -> Result<Value, FillError> {
        match (&attribute.ty, part.is_known()) {
            (AttributeType::Nested(nested), true) => {
                let members = Members { attributes: nested.attributes(), blocks: &[] };
                self.elements(nested.nesting(), part, path, given, |filling, element, given, path| {
                    filling.members(members, element, given, path)
                })
            }
            // An unknown element inside a known list or map belongs to no attribute.
            (AttributeType::Plain(_), true) => Ok(part.clone()),
            (_, false) => match given {
                Some(given) => converted(given, attribute).map_err(|error| FillError {
                    path: path.clone(),
                    problem: FillProblem::Conversion {
                        wanted: attribute.implied_type().friendly_name().clone(),
                        reason: error.kind.to_string(),
                        found: given.ty().friendly_name().clone(),
                    },
                }),
                None => {
                    self.invented.push(path.clone());
                    Ok(self.values.attribute(attribute, self.address, path))
                }
            },
        }
    }

    fn blocks(
        &mut self,
        blocks: &NestedBlock,
        part: &Value,
        given: Option<&Value>,
        path: &Path,
    ) -> Result<Value, FillError> {
        if !part.is_known() {
            // Blocks that a provider may add: it adds none.
            return Ok(match blocks.nesting {
                NestingMode::Single | NestingMode::Group => Value::null(part.ty().clone()),
                _ => self.values.value(part.ty(), self.address, path),
            });
        }
        let members = Members { attributes: blocks.block.attributes(), blocks: blocks.block.block_types() };
        self.elements(blocks.nesting, part, path, given, |filling, element, given, path| {
            filling.members(members, element, given, path)
        })
    }

    /// Completes each element; the given value must be one object, which serves all.
    fn elements(
        &mut self,
        nesting: NestingMode,
        part: &Value,
        path: &Path,
        given: Option<&Value>,
        complete: impl Fn(&mut Self, &Value, Option<&Value>, &Path) -> Result<Value, FillError>,
    ) -> Result<Value, FillError> {
        let is_single = matches!(nesting, NestingMode::Single | NestingMode::Group);
        let mut wrong = None;
        let mut one = |filling: &mut Self, element: &Value, path: Path| {
            if element.is_wholly_known() || wrong.is_some() {
                return element.clone();
            }
            if let Some(given) = given.filter(|given| members_of(given).is_none()) {
                let found = given.ty().friendly_name().clone();
                wrong = Some(FillError { path, problem: FillProblem::NotAnObject(found) });
                return element.clone();
            }
            match complete(filling, element, given, &path) {
                Ok(value) => value,
                Err(error) => {
                    wrong = Some(error);
                    element.clone()
                }
            }
        };
        let completed = match part.kind() {
            _ if is_single => one(self, part, path.clone()),
            Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
                let elements = elements.iter().enumerate();
                Value::tuple(
                    elements
                        .map(|(i, element)| one(self, element, path.clone().index(i as i64)))
                        .collect::<Vec<_>>(),
                )
            }
            Kind::Map(map) => {
                let elements = map.iter();
                let completed = elements.map(|(key, element)| {
                    (key.clone(), one(self, element, path.clone().index(key.as_str())))
                });
                Value::object(completed.collect::<Vec<_>>())
            }
            _ => part.clone(),
        };
        match wrong {
            Some(error) => Err(error),
            None => Ok(completed),
        }
    }
}

/// The members of what is written as an object.
fn members_of(value: &Value) -> Option<Vec<(SmolStr, Value)>> {
    match value.kind() {
        Kind::Object(object) => Some(object.iter().map(|(n, v)| (n.clone(), v.clone())).collect()),
        Kind::Map(map) => Some(map.iter().map(|(n, v)| (n.clone(), v.clone())).collect()),
        _ => None,
    }
}

fn part_of(value: &Value, name: &str) -> Option<Value> {
    value.attribute(name).or_else(|| value.element(name)).cloned()
}

/// The step of splitmix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The next number of a sequence that looks random (splitmix64).
fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number for bytes after others (FNV-1a, mixed).
fn hashed(seed: u64, bytes: &[u8]) -> u64 {
    // The hasher of the standard library may change with a release of Rust, and equal seeds would give other values.
    let hash = bytes.iter().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mixed(hash)
}

/// Converts a given value to the attribute's type. The error does not quote keys of sensitive values.
fn converted(given: &Value, attribute: &Attribute) -> Result<Value, ConvertError> {
    let ty = attribute.implied_type();
    given.convert(ty).map_err(|error| match attribute.sensitive || attribute.write_only {
        true => given.clone().sensitive().convert(ty).err().unwrap_or(error),
        false => error,
    })
}
