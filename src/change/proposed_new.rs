//! The proposed new object: prior state and configuration merged.

use super::ChangeError;
use super::access::{Keyed, ObjectView, elements, not_an_object, set_elements};
use super::set_match::SetMatcher;
use crate::schema::{Attribute, Block, Member, Members, NestedBlock, NestedType, NestingMode, SecretParts};
use crate::value::{Kind, PathStack, SetMerge, StepRef, Type, Value, read_ahead};

/// Merges prior state and configuration into the object that the provider plans from.
///
/// Configured values come from the configuration. Attributes that it leaves to the provider (computed and
/// null) come from the prior state. Set elements are matched by the values that configuration can set.
///
/// The prior value is wholly known or null; configuration may have unknown parts.
///
/// # Errors
///
/// A value does not fit the schema, or a collection of blocks is marked as a whole.
///
/// ```
/// use objchange::change::proposed_new;
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let schema = Block::new(
///     [("id", Attribute::computed(Type::String)), ("size", Attribute::optional(Type::Number))],
///     [],
/// );
/// let prior = Value::object([("id", Value::from("vol-1")), ("size", Value::from(10))]);
/// let config = Value::object([("id", Value::null(Type::String)), ("size", Value::from(20))]);
/// assert_eq!(
///     proposed_new(&schema, &prior, &config)?,
///     Value::object([("id", Value::from("vol-1")), ("size", Value::from(20))]),
/// );
/// # Ok::<(), objchange::change::ChangeError>(())
/// ```
#[doc(alias = "ProposedNew")]
pub fn proposed_new(schema: &Block, prior: &Value, config: &Value) -> Result<Value, ChangeError> {
    merge(schema, prior, config, KeptValues::Prior, SecretParts::new(schema, &[prior, config]).root())
}

/// Like [`proposed_new`], without prior values that a provider may choose anew: an argument or a computed
/// block that is not configured, but has a prior value, is unknown, because an earlier configuration may
/// have set that value.
///
/// # Errors
///
/// As [`proposed_new`].
///
/// ```
/// use objchange::change::proposed_from_config;
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let mut special = Attribute::optional(Type::Bool);
/// special.computed = true;
/// let schema = Block::new([("id", Attribute::computed(Type::String)), ("special", special)], []);
/// let prior = Value::object([("id", Value::from("a")), ("special", Value::from(false))]);
/// let config = Value::object([("id", Value::null(Type::String)), ("special", Value::null(Type::Bool))]);
/// assert_eq!(
///     proposed_from_config(&schema, &prior, &config)?,
///     Value::object([("id", Value::from("a")), ("special", Value::unknown(Type::Bool))]),
/// );
/// # Ok::<(), objchange::change::ChangeError>(())
/// ```
pub fn proposed_from_config(schema: &Block, prior: &Value, config: &Value) -> Result<Value, ChangeError> {
    merge(schema, prior, config, KeptValues::Computed, SecretParts::new(schema, &[prior, config]).root())
}

/// The computed values that stay if configuration leaves them out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptValues {
    /// All computed values keep their prior value.
    Prior,
    /// Only attributes that cannot be configured keep their prior value; others become unknown.
    Computed,
}

impl KeptValues {
    /// The value of a computed attribute that configuration leaves out.
    fn merge<'v>(self, is_argument: bool, prior: &Value) -> Merge<'v> {
        match self {
            Self::Computed if is_argument && !prior.is_null() => {
                Merge::New(Value::unknown(prior.ty().clone()))
            }
            _ => Merge::Prior,
        }
    }
}

/// The planned object of a data resource that is read during apply: each computed attribute that
/// configuration does not set is unknown.
///
/// # Errors
///
/// As [`proposed_new`].
#[doc(alias = "PlannedDataResourceObject")]
pub fn planned_data_resource(schema: &Block, config: &Value) -> Result<Value, ChangeError> {
    proposed_new(schema, &Value::unknown(schema.implied_type().clone()), config)
}

/// Merges a block. If both are null the result is prior; a null prior counts as empty; a null or unknown
/// config gives prior.
pub(super) fn merge(
    schema: &Block,
    prior: &Value,
    config: &Value,
    kept: KeptValues,
    path: PathStack<'_>,
) -> Result<Value, ChangeError> {
    let prior = match (prior.is_null(), config.is_null()) {
        (true, true) => return Ok(prior.clone()),
        // The empty value has the empty groups and collections that Terraform's `ProposedNew` merges into
        // when an object is created.
        (true, false) => schema.empty_value(),
        _ => prior,
    };
    match config.kind() {
        // A block of a list or map that is null keeps its prior block (seen with Terraform 1.16). An
        // unknown configuration has nothing to merge yet.
        Kind::Null | Kind::Unknown(_) => Ok(prior.clone()),
        Kind::Object(_) => merge_members(Members::Block(schema), prior, config, kept, path),
        _ => Err(not_an_object(config, path)),
    }
}

/// The members of an object, each by its own rules; config is not null.
fn merge_members(
    schema: Members<'_>,
    prior: &Value,
    config: &Value,
    kept: KeptValues,
    path: PathStack<'_>,
) -> Result<Value, ChangeError> {
    // Each member of an unknown object is unknown, without the object's marks.
    let prior = if prior.is_known() { prior } else { prior.unmarked() };
    let prior = ObjectView::new(prior, schema);
    let config = ObjectView::new(config, schema);
    let mut merged = MergedObject::new(schema, prior);
    for (position, (name, member)) in schema.iter().enumerate() {
        let before = prior.get(position, name, member, path)?;
        let configured = config.get(position, name, member, path)?;
        let path = path.attribute(name);
        let value = match member {
            Member::Attribute(attribute) => merge_attribute(attribute, &before, &configured, kept, path)?,
            Member::Blocks(nested) => merge_blocks(nested, &before, &configured, kept, path)?,
        };
        merged.push(&before, value);
    }
    Ok(merged.finish(config.value()))
}

/// The members of an object while they are merged.
struct MergedObject<'v> {
    schema: Members<'v>,
    prior: ObjectView<'v>,
    /// Empty as long as all members are prior's.
    values: Vec<Value>,
    /// The number of members so far.
    len: usize,
}

impl<'v> MergedObject<'v> {
    fn new(schema: Members<'v>, prior: ObjectView<'v>) -> Self {
        Self { schema, prior, values: Vec::new(), len: 0 }
    }

    /// Adds a member. A member equal to the prior one shares its memory, so that later comparisons are
    /// O(1).
    fn push(&mut self, prior: &Value, value: Merge<'_>) {
        let value = value.unless(prior);
        if self.values.is_empty() {
            let aligned = self.prior.aligned();
            if value.is_none() && aligned.is_some() {
                self.len += 1;
                return;
            }
            self.values.reserve_exact(self.schema.object_type().attributes().len());
            self.values.extend_from_slice(aligned.and_then(|a| a.get(..self.len)).unwrap_or_default());
        }
        self.values.push(value.unwrap_or_else(|| prior.clone()));
        self.len += 1;
    }

    fn finish(self, config: &Value) -> Value {
        if self.values.len() < self.len {
            return self.prior.value().clone();
        }
        // Types with dynamic parts differ from the schema's: config's own is the likely one then.
        let object = self.schema.object_type();
        let template = match config.ty() {
            Type::Object(ty) if object.attributes().len() == ty.attributes().len() => ty,
            _ => object,
        };
        Value::object_like(template, self.values)
    }
}

/// The merged value of a member.
enum Merge<'v> {
    /// The prior value.
    Prior,
    /// The configured value.
    Config(&'v Value),
    /// A new value.
    New(Value),
}

impl Merge<'_> {
    /// The value, unless it is identical to prior's.
    fn unless(self, prior: &Value) -> Option<Value> {
        match self {
            Self::Prior => None,
            Self::Config(value) => (!value.identical(prior)).then(|| value.clone()),
            Self::New(value) => (!value.identical(prior)).then_some(value),
        }
    }
}

fn merge_attribute<'v>(
    attribute: &Attribute,
    prior: &Value,
    config: &'v Value,
    kept: KeptValues,
    path: PathStack<'_>,
) -> Result<Merge<'v>, ChangeError> {
    if attribute.computed && config.is_null() {
        // An optional and computed attribute with a nested type whose prior value has configured parts was
        // removed from the configuration. `ProposedNew` then plans null instead of keeping the prior value.
        let removed =
            attribute.optional && attribute.nested().is_some_and(|nested| holds_configured(nested, prior));
        return Ok(if removed { Merge::Config(config) } else { kept.merge(attribute.optional, prior) });
    }
    match attribute.nested() {
        Some(nested) => merge_nested(nested, prior, config, kept, path),
        None => Ok(Merge::Config(config)),
    }
}

/// Whether the prior value must come from a configuration: it holds an attribute that is not null and not
/// computed.
fn holds_configured(schema: &NestedType, prior: &Value) -> bool {
    let in_object = |object: &Value| {
        object.as_object().is_some_and(|o| {
            schema.attributes().iter().enumerate().any(|(position, (name, attribute))| {
                o.get_at(position, name).is_some_and(|value| {
                    !value.is_null()
                        && (!attribute.computed
                            || attribute.nested().is_some_and(|nested| holds_configured(nested, value)))
                })
            })
        })
    };
    match schema.nesting() {
        NestingMode::Single | NestingMode::Group => in_object(prior),
        NestingMode::List | NestingMode::Set => {
            prior.as_elements().is_some_and(|elements| elements.iter().any(in_object))
        }
        NestingMode::Map => match prior.kind() {
            Kind::Map(m) => m.iter().any(|(_, v)| in_object(v)),
            Kind::Object(o) => o.values().iter().any(in_object),
            _ => false,
        },
    }
}

fn merge_nested<'v>(
    schema: &NestedType,
    prior: &Value,
    config: &'v Value,
    kept: KeptValues,
    path: PathStack<'_>,
) -> Result<Merge<'v>, ChangeError> {
    // An unknown value of the configuration stays as it is, with its refinements.
    if config.is_null() || !config.is_known() {
        return Ok(Merge::Config(config));
    }
    let members = Members::Nested(schema);
    // Most nested objects do not change: returning prior shares its memory.
    if schema.nesting() != NestingMode::Set && settled(members, prior, config) {
        return Ok(Merge::Prior);
    }
    let object = |prior: &Value, config: &Value, path: PathStack<'_>| {
        if config.is_null() { Ok(config.clone()) } else { merge_members(members, prior, config, kept, path) }
    };
    match schema.nesting() {
        NestingMode::Single | NestingMode::Group => object(prior, config, path),
        NestingMode::List => merge_list(prior, config, path, object),
        NestingMode::Map => merge_map(prior, config, path, object),
        NestingMode::Set => merge_set(members, prior, config, path, object),
    }
    .map(Merge::New)
}

fn merge_blocks<'v>(
    schema: &NestedBlock,
    prior: &Value,
    config: &'v Value,
    kept: KeptValues,
    path: PathStack<'_>,
) -> Result<Merge<'v>, ChangeError> {
    if !config.is_known() {
        return Ok(Merge::Config(config));
    }
    // A computed block that is empty counts as left out, because Terraform sends both forms as null.
    let is_left_out = schema.computed && (config.is_null() || config.is_empty());
    if kept == KeptValues::Computed && is_left_out && !prior.is_empty() {
        return Ok(kept.merge(true, prior));
    }
    if schema.nesting != NestingMode::Set && settled(Members::Block(&schema.block), prior, config) {
        return Ok(Merge::Prior);
    }
    let object =
        |prior: &Value, config: &Value, path: PathStack<'_>| merge(&schema.block, prior, config, kept, path);
    match schema.nesting {
        // A group always exists, so a null one is merged as if it were left out.
        NestingMode::Group if config.is_null() => return Ok(Merge::Prior),
        _ if config.is_null() => return Ok(Merge::Config(config)),
        NestingMode::Single | NestingMode::Group => object(prior, config, path),
        // Terraform 1.16 crashes on a marked collection of blocks.
        _ if config.is_marked() => Err(ChangeError::MarkedBlocks { path: path.to_path() }),
        NestingMode::List => merge_list(prior, config, path, object),
        NestingMode::Map => merge_map(prior, config, path, object),
        NestingMode::Set => merge_set(Members::Block(&schema.block), prior, config, path, object),
    }
    .map(Merge::New)
}

/// Whether merging config into prior surely changes nothing. Never true with sets, where an element may
/// match another one.
fn settled(members: Members<'_>, prior: &Value, config: &Value) -> bool {
    !members.have_sets()
        && prior.is_wholly_known()
        && !prior.is_null()
        && !config.contains_marked()
        && config.identical(prior)
}

/// Whether prior may be used for a collection whose elements are all prior's. An empty collection is taken from
/// config.
fn takes_place_of(prior: &Value, config: &Value) -> bool {
    !prior.is_marked() && !config.is_marked() && prior.len().is_some() && prior.ty() == config.ty()
}

/// Merges a list by index. Elements without a prior one stay unchanged.
fn merge_list(
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
    object: impl Fn(&Value, &Value, PathStack<'_>) -> Result<Value, ChangeError>,
) -> Result<Value, ChangeError> {
    let config_elements = elements(config, path)?;
    // List elements are matched by index, so an element that moved is merged with the prior one at its new
    // index, as in `ProposedNew`.
    let prior_elements = match prior.kind() {
        Kind::Null | Kind::Unknown(_) => &[],
        _ => elements(prior, path)?,
    };
    let mut merged = Vec::with_capacity(config_elements.len());
    let mut all_prior = prior_elements.len() == config_elements.len();
    for (i, element) in config_elements.iter().enumerate() {
        read_ahead(config_elements, i);
        read_ahead(prior_elements, i);
        let path = path.then(StepRef::Position(i));
        let value = match (prior_elements.get(i), prior.is_known()) {
            (Some(prior_element), _) => object(prior_element, element, path)?,
            (None, false) => {
                let ty = prior.ty().element().unwrap_or(&Type::Dynamic);
                object(&Value::unknown(ty.clone()), element, path)?
            }
            // `ProposedNew` leaves an element without a prior one as it is: an unknown block of a list
            // stays unknown here, while in a set or map it becomes an empty block.
            (None, true) => element.clone(),
        };
        all_prior = all_prior && prior_elements.get(i).is_some_and(|p| p.same_place(&value));
        merged.push(value);
    }
    if all_prior && takes_place_of(prior, config) {
        return Ok(prior.clone());
    }
    let merged = match config.kind() {
        Kind::List(_) => Value::list_like(config.ty(), merged),
        _ => Value::tuple(merged),
    };
    Ok(merged.with_marks(config.marks()))
}

/// Merges a map by key; a missing prior element counts as null, or as unknown if prior is.
fn merge_map(
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
    object: impl Fn(&Value, &Value, PathStack<'_>) -> Result<Value, ChangeError>,
) -> Result<Value, ChangeError> {
    let config_entries = Keyed::new(config, path)?;
    let prior_entries = match prior.kind() {
        Kind::Null | Kind::Unknown(_) => None,
        _ => Some(Keyed::new(prior, path)?),
    };
    let mut merged = Vec::with_capacity(config_entries.len());
    let mut all_prior = prior_entries.is_some_and(|p| p.len() == config_entries.len());
    for (key, element) in config_entries.iter() {
        let path = match config_entries {
            Keyed::Map(_) => path.then(StepRef::Key(key)),
            Keyed::Object(_) => path.then(StepRef::Label(key)),
        };
        let found = prior_entries.and_then(|p| p.get(key));
        let value = match found {
            Some(prior_element) => object(prior_element, element, path)?,
            // Unlike a list element, a new map element is merged with null, so that it gets the empty
            // value's groups.
            None if prior.is_known() => object(&Value::null(element.ty().clone()), element, path)?,
            None => object(&Value::unknown(element.ty().clone()), element, path)?,
        };
        all_prior = all_prior && found.is_some_and(|p| p.same_place(&value));
        merged.push((key.clone(), value));
    }
    if all_prior && takes_place_of(prior, config) {
        return Ok(prior.clone());
    }
    let merged = match config.kind() {
        Kind::Map(_) => Value::map_like(config.ty(), merged),
        _ => Value::object(merged),
    };
    Ok(merged.with_marks(config.marks()))
}

/// Merges each element of config with the first prior element that it may come from, or with null.
fn merge_set(
    members: Members<'_>,
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
    object: impl Fn(&Value, &Value, PathStack<'_>) -> Result<Value, ChangeError>,
) -> Result<Value, ChangeError> {
    let config_elements = set_elements(config, path)?;
    let prior_elements = match prior.kind() {
        Kind::Null | Kind::Unknown(_) => &[],
        _ => set_elements(prior, path)?,
    };
    // `ProposedNew` takes the first prior element that could have become this one, and each prior element
    // only once. The matcher finds that element without comparing all pairs.
    let mut matcher = SetMatcher::new(members, prior_elements, config_elements);
    let earlier = if prior.as_elements().is_some() { prior } else { config };
    let mut merged = SetMerge::new(earlier, config_elements.len());
    let mut all_prior = prior_elements.len() == config_elements.len();
    for (i, element) in config_elements.iter().enumerate() {
        read_ahead(config_elements, i);
        let path = path.then(StepRef::Element(element));
        let position = matcher.take(element);
        let value = match position {
            Some(i) => object(&prior_elements[i], element, path)?,
            None => object(&Value::null(element.ty().clone()), element, path)?,
        };
        let unchanged = position.filter(|i| prior_elements[*i].same_place(&value));
        all_prior = all_prior && unchanged.is_some();
        merged.push(value, unchanged);
    }
    if all_prior && takes_place_of(prior, config) {
        return Ok(prior.clone());
    }
    // Equal results are one element, so the set may be smaller than in the configuration.
    Ok(merged.finish().with_marks(config.marks()))
}
