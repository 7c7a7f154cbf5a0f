//! Bringing a value into the type that its schema implies, as Terraform Core does to configuration.

use smol_str::SmolStr;

use super::attribute::{Attribute, NestingMode};
use super::block::{Block, NestedBlock};
use super::secret_parts::SecretParts;
use crate::value::{ConvertError, ConvertErrorKind, Kind, Path, PathStack, StepRef, Type, Value};

/// The reason why a value cannot be coerced to the type of its schema, with its path. Never holds the
/// value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}", crate::value::place(path))]
#[non_exhaustive]
pub struct CoerceError {
    /// The path of the object with missing or extra members, or of the part of the wrong type.
    pub path: Path,
    /// The problem.
    pub kind: CoerceErrorKind,
}

/// A problem with a value that cannot be brought into the type of its schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CoerceErrorKind {
    /// The value for a block's object is something else.
    #[error("an object is required, not a value of type {}", .found.friendly_name())]
    NotAnObject {
        /// The type found, without names of attributes that may be secret.
        found: Type,
    },
    /// The object has an attribute that the schema knows neither as attribute nor as block type.
    #[error("the schema has no attribute or block type {name:?}")]
    Unsupported {
        /// The attribute; `(sensitive value)` if its name may be secret.
        name: SmolStr,
    },
    /// The object lacks an attribute that the schema requires.
    #[error("the attribute {name:?} is required")]
    Missing {
        /// The attribute.
        name: SmolStr,
    },
    /// The value of an attribute does not convert to the type that the schema says.
    #[error(transparent)]
    Convert(ConvertErrorKind),
    /// The value for a collection of blocks is something else.
    #[error("a {mode} of blocks is required, not a value of type {}", .found.friendly_name())]
    NotBlocks {
        /// How the schema says that the blocks are held: `list`, `set` or `map`.
        mode: &'static str,
        /// The type found, without names of attributes that may be secret.
        found: Type,
    },
    /// Blocks of one collection have different types, because of dynamic attributes or of maps of blocks
    /// that are given as objects.
    #[error("all blocks of a {mode} must have one type, but these have several")]
    MixedBlocks {
        /// How the blocks are held: `list`, `set` or `map`.
        mode: &'static str,
    },
}

impl CoerceErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotAnObject { .. } => "not_an_object",
            Self::Unsupported { .. } => "unsupported",
            Self::Missing { .. } => "missing",
            Self::Convert(kind) => kind.kind(),
            Self::NotBlocks { .. } => "not_blocks",
            Self::MixedBlocks { .. } => "mixed_blocks",
        }
    }

    fn at(self, path: PathStack<'_>) -> CoerceError {
        CoerceError { path: path.to_path(), kind: self }
    }
}

impl From<ConvertError> for CoerceError {
    fn from(error: ConvertError) -> Self {
        Self { path: error.path, kind: CoerceErrorKind::Convert(error.kind) }
    }
}

impl Block {
    /// The value in the type that this schema implies: attributes converted, absent ones that are not
    /// required null, absent blocks empty.
    ///
    /// A null or unknown object stays so. Limits on the number of blocks are not checked. Marks of an object
    /// move to its attributes and blocks.
    ///
    /// # Errors
    ///
    /// The first thing that does not fit: an attribute that the schema lacks, a required one that is absent,
    /// a value that does not convert, something else where blocks belong.
    ///
    /// ```
    /// use objchange::schema::{Attribute, Block};
    /// use objchange::{Type, Value};
    ///
    /// let block = Block::new(
    ///     [("id", Attribute::computed(Type::String)), ("port", Attribute::required(Type::Number))],
    ///     [],
    /// );
    /// let value = block.coerce_value(&Value::object([("port", "80")]))?;
    /// assert_eq!(value.to_string(), "{id = null, port = 80}");
    ///
    /// let error = block.coerce_value(&Value::object([("port", "http")])).unwrap_err();
    /// assert_eq!(error.path.to_string(), "port");
    /// # Ok::<(), objchange::schema::CoerceError>(())
    /// ```
    #[doc(alias = "CoerceValue")]
    pub fn coerce_value(&self, value: &Value) -> Result<Value, CoerceError> {
        object(self, value, BlockForm::AsGiven, SecretParts::new(self, &[value]).root())
    }

    /// Like [`coerce_value`](Self::coerce_value), but with blocks in the collections of configuration and
    /// state, in any case: a list for blocks of a list, and a map for blocks by label. Block types with a
    /// dynamic part, at any depth, are an exception: their blocks may have several types, and are held in a
    /// tuple or an object, as in an [`empty_value`](Self::empty_value).
    ///
    /// # Errors
    ///
    /// As for [`coerce_value`](Self::coerce_value).
    ///
    /// ```
    /// use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
    /// use objchange::{Type, Value};
    ///
    /// let rule = Block::new([("any", Attribute::optional(Type::Dynamic))], []);
    /// let block = Block::new([], [("rule", NestedBlock::new(NestingMode::List, rule))]);
    /// let rules = Value::tuple([Value::object([("any", 1)]), Value::object([("any", "x")])]);
    /// let config = Value::object([("rule", rules)]);
    /// assert_eq!(block.coerce_config(&config)?, config);
    /// assert!(block.coerce_value(&config).is_err());
    /// # Ok::<(), objchange::schema::CoerceError>(())
    /// ```
    pub fn coerce_config(&self, value: &Value) -> Result<Value, CoerceError> {
        object(self, value, BlockForm::AsConfigured, SecretParts::new(self, &[value]).root())
    }
}

/// How the blocks of a list or a map are held in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockForm {
    /// Blocks of a list in a list, blocks by label in the given collection.
    AsGiven,
    /// As configuration and state hold them.
    AsConfigured,
}

fn object(block: &Block, value: &Value, held: BlockForm, path: PathStack<'_>) -> Result<Value, CoerceError> {
    let implied = block.implied_type();
    let given = match value.kind() {
        Kind::Null => return Ok(Value::null(implied.clone())),
        Kind::Unknown(_) => return Ok(Value::unknown(implied.clone())),
        Kind::Object(given) => given,
        _ => return Err(CoerceErrorKind::NotAnObject { found: path.ty(value.ty()) }.at(path)),
    };
    // Coercion drops the promises of an unknown block, so only known values can stay as they are.
    let fits = value.ty() == implied && !implied.has_dynamic();
    if fits && value.is_wholly_known() && !value.contains_marked() {
        return Ok(value.clone());
    }
    let is_unexpected = |name: &str| block.attribute(name).is_none() && block.block_type(name).is_none();
    // Most objects have just the members that the schema says, and then each is at its own position.
    if !given.follows(block.object_type())
        && let Some((name, _)) = given.iter().find(|(name, _)| is_unexpected(name))
    {
        return Err(CoerceErrorKind::Unsupported { name: path.name(name) }.at(path));
    }
    let member = |position: usize, name: &str| {
        given.get_at(position, name).map(|member| member.clone().with_marks(value.marks()))
    };
    let mut values = vec![None; block.object_type().attributes().len()];
    for (position, name, attribute) in block.positioned_attributes() {
        let coerced = match member(position, name) {
            Some(given) => given.convert_at(attribute.accepted_type(), path.attribute(name))?,
            None => absent(attribute, name, path)?,
        };
        values[position] = Some(coerced);
    }
    for (position, name, nested) in block.positioned_blocks() {
        // If a name is both an attribute and a block type, the attribute wins.
        if values[position].is_none() {
            values[position] = Some(blocks(nested, name, member(position, name).as_ref(), held, path)?);
        }
    }
    // Each position belongs to an attribute or a block type.
    Ok(Value::object_like(block.object_type(), values.into_iter().flatten().collect()))
}

fn absent(attribute: &Attribute, name: &SmolStr, path: PathStack<'_>) -> Result<Value, CoerceError> {
    if attribute.optional || attribute.computed {
        Ok(Value::null(attribute.implied_type().without_optional()))
    } else {
        Err(CoerceErrorKind::Missing { name: name.clone() }.at(path))
    }
}

/// The blocks of one block type.
fn blocks(
    nested: &NestedBlock,
    name: &str,
    given: Option<&Value>,
    held: BlockForm,
    parent: PathStack<'_>,
) -> Result<Value, CoerceError> {
    let path = parent.attribute(name);
    let implied = nested.block.implied_type();
    let (mode, ty) = match nested.nesting {
        NestingMode::Single | NestingMode::Group => {
            return match given {
                Some(value) => object(&nested.block, value, held, path),
                None => Ok(nested.empty_value()),
            };
        }
        NestingMode::List => ("list", Type::list(implied.clone())),
        NestingMode::Set => ("set", Type::set(implied.clone())),
        NestingMode::Map => ("map", Type::map(implied.clone())),
    };
    // Blocks with a dynamic part may have several types.
    let apart = held == BlockForm::AsConfigured && implied.has_dynamic();
    let empty = || if apart { nested.empty_value() } else { empty(&ty) };
    let Some(given) = given else { return Ok(empty()) };
    match given.kind() {
        Kind::Null => return Ok(Value::null(ty)),
        Kind::Unknown(_) => return Ok(Value::unknown(ty)),
        Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {
            return Err(CoerceErrorKind::NotBlocks { mode, found: path.ty(given.ty()) }.at(parent));
        }
        _ if given.is_empty() => return Ok(empty().with_marks(given.marks())),
        _ => {}
    }
    let element = |step: StepRef<'_>, value: &Value| object(&nested.block, value, held, path.then(step));
    let mixed = |_| CoerceErrorKind::MixedBlocks { mode }.at(path);
    let sequence = |elements: &[Value]| -> Result<Vec<Value>, CoerceError> {
        elements.iter().enumerate().map(|(i, value)| element(StepRef::Position(i), value)).collect()
    };
    let entries = || -> Result<Vec<(SmolStr, Value)>, CoerceError> {
        let coerced =
            |(key, value): (&SmolStr, &Value)| Ok((key.clone(), element(StepRef::Key(key), value)?));
        match given.kind() {
            Kind::Map(map) => map.iter().map(coerced).collect(),
            Kind::Object(object) => object.iter().map(coerced).collect(),
            _ => Ok(Vec::new()),
        }
    };
    let coerced = match (&ty, given.kind()) {
        // Blocks may have several types once they are converted; only an object holds such elements.
        (Type::Map(_), Kind::Map(_) | Kind::Object(_)) if implied.has_dynamic() => Value::object(entries()?),
        (Type::Map(_), Kind::Object(_)) if held == BlockForm::AsGiven => Value::object(entries()?),
        (Type::Map(_), Kind::Map(_) | Kind::Object(_)) => {
            let entries = entries()?;
            let ty = collection_type(ty, implied, entries.iter().map(|(_, block)| block), Type::map);
            Value::checked_map(&ty, entries).map_err(mixed)?
        }
        (Type::Map(_), _) => {
            return Err(CoerceErrorKind::NotBlocks { mode, found: path.ty(given.ty()) }.at(path));
        }
        (_, kind) => {
            let elements = match kind {
                Kind::List(elements) | Kind::Tuple(elements) => sequence(elements)?,
                Kind::Set(elements) => elements
                    .iter()
                    .map(|value| element(StepRef::Element(value), value))
                    .collect::<Result<_, _>>()?,
                _ => entries()?.into_iter().map(|(_, value)| value).collect(),
            };
            match ty {
                Type::List(_) if apart => Value::tuple(elements),
                Type::List(_) => {
                    let ty = collection_type(ty, implied, elements.iter(), Type::list);
                    Value::checked_list(&ty, elements).map_err(mixed)?
                }
                _ => {
                    let ty = collection_type(ty, implied, elements.iter(), Type::set);
                    Value::checked_set(&ty, elements).map_err(mixed)?
                }
            }
        }
    };
    Ok(coerced.with_marks(given.marks()))
}

/// The type of a collection of blocks: the implied type, unless blocks have another type because they hold
/// a map of blocks that was given as an object.
fn collection_type<'v>(
    implied: Type,
    element: &Type,
    mut blocks: impl Iterator<Item = &'v Value>,
    collection: impl FnOnce(Type) -> Type,
) -> Type {
    if blocks.all(|block| block.ty() == element) { implied } else { collection(Type::Dynamic) }
}

fn empty(ty: &Type) -> Value {
    match ty {
        Type::List(_) => Value::list_like(ty, Vec::new()),
        Type::Set(_) => Value::set_like(ty, Vec::new()),
        _ => Value::map_like(ty, Vec::new()),
    }
}
