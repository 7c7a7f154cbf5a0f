//! One resource block on its own: chosen by address or type, and decoded under its schema, to plan that resource alone.

use std::collections::{BTreeMap, BTreeSet};

use objchange::address::{InstanceAddress, InstanceKey, Mode, ResourceAddress};
use objchange::change::IgnoreChanges;
use objchange::schema::Block;
use objchange::value::{Kind, Path};
use objchange::{Type, Value};
use objchange_text::{Diagnostic, listed};
use serde::Serialize;

use crate::decode::{Purpose, decode, references};
use crate::eval::{Scope, Variables, evaluate};
use crate::function::Functions;
use crate::hidden_source::HiddenSource;
use crate::module::{Environment, Input, ModuleConfig, ResourceConfig, VariableValues, each};
use crate::sources::Sources;
use crate::syntax::{Body, Expr};
use crate::walk::variables;

/// Why a configuration has no such resource.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// No resource matches.
    #[error("there is no resource {wanted}{}", has(.known))]
    NoResource {
        /// The requested address.
        wanted: String,
        /// The first few addresses that the configuration has.
        known: Vec<String>,
    },
    /// There are several.
    #[error("it has several resources: {}", .known.join(", "))]
    Several {
        /// The first few of their addresses.
        known: Vec<String>,
    },
    /// The block does not have the instance.
    #[error("{address}: configuration has no such instance; {instances}")]
    NoInstance {
        /// The address of the instance.
        address: String,
        /// Which instances there are.
        instances: String,
    },
    /// The text is not an address of a resource.
    #[error(
        "{address:?} is not the address of a resource, such as aws_instance.web or aws_instance.web[\"a\"]"
    )]
    Address {
        /// The text.
        address: String,
    },
    /// There are errors in the configuration.
    #[error("there are errors in the configuration")]
    Problems {
        /// The errors.
        found: Vec<Diagnostic>,
        /// Parts of the source that must not be shown with them.
        hidden: HiddenSource,
    },
}

impl SelectError {
    /// A stable name of this sort of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoResource { .. } => "no_resource",
            Self::Several { .. } => "several_resources",
            Self::NoInstance { .. } => "no_instance",
            Self::Address { .. } => "invalid_address",
            Self::Problems { .. } => "problems",
        }
    }
}

fn has(known: &[String]) -> String {
    if known.is_empty() { "; it has none".to_owned() } else { format!("; it has {}", known.join(", ")) }
}

/// A block of a managed resource that was chosen, and the module that it is in.
#[derive(Debug)]
pub struct SelectedResource {
    module: ModuleConfig,
    resource_type: String,
    name: String,
    key: Option<InstanceKey>,
    /// As Terraform writes it; without a key if none is given.
    address: String,
    /// The address is given; otherwise it is whichever instance of the block.
    is_named: bool,
}

impl SelectedResource {
    /// Finds the block: by its address, or the only one of the type.
    ///
    /// # Errors
    ///
    /// There is no such block, or there are several.
    pub fn new(
        module: ModuleConfig,
        address: Option<&str>,
        resource_type: Option<&str>,
    ) -> Result<Self, SelectError> {
        let is_of_type = |ty: &str| resource_type.is_none_or(|wanted| wanted == ty);
        let known: Vec<String> = module
            .managed()
            .into_iter()
            .filter(|(name, _)| is_of_type(&name.resource_type))
            .map(|(name, _)| format!("{}.{}", name.resource_type, name.name))
            .take(8)
            .collect();
        let Some(address) = address else {
            return match &known[..] {
                [only] => {
                    let parsed = only.parse();
                    let parsed = parsed.map_err(|_| SelectError::Address { address: only.clone() })?;
                    Ok(Self::at(module, parsed, false))
                }
                [] => {
                    let wanted = resource_type.map(|ty| format!("of type {ty}")).unwrap_or_default();
                    Err(SelectError::NoResource { wanted, known: Vec::new() })
                }
                _ => Err(SelectError::Several { known }),
            };
        };
        let parsed = address.parse::<InstanceAddress>().ok();
        let parsed = parsed.filter(|InstanceAddress { resource, .. }| {
            resource.module.is_root() && resource.mode == Mode::Managed
        });
        let is_it = |ty: &str, name: &str| {
            parsed
                .as_ref()
                .is_some_and(|parsed| parsed.resource.resource_type == ty && parsed.resource.name == name)
                && is_of_type(ty)
        };
        match &parsed {
            Some(parsed)
                if module.managed().iter().any(|(name, _)| is_it(&name.resource_type, &name.name)) =>
            {
                Ok(Self::at(module, parsed.clone(), true))
            }
            Some(_) => Err(SelectError::NoResource { wanted: address.to_owned(), known }),
            None => Err(SelectError::Address { address: address.to_owned() }),
        }
    }

    fn at(module: ModuleConfig, parsed: InstanceAddress, is_named: bool) -> Self {
        let address = parsed.to_string();
        let InstanceAddress { resource: ResourceAddress { resource_type, name, .. }, key } = parsed;
        Self { module, resource_type, name, key, address, is_named }
    }

    /// The module that the block is in.
    pub fn module(&self) -> &ModuleConfig {
        &self.module
    }

    /// The type of the resource.
    pub fn resource_type(&self) -> &str {
        &self.resource_type
    }

    /// The configuration of the object under its schema, with these values of the module's variables.
    ///
    /// # Errors
    ///
    /// There are errors in the configuration, or the block does not have the instance.
    pub fn decode<'s>(
        self,
        schema: &Block,
        sources: &'s Sources,
        inputs: &BTreeMap<String, Input>,
        functions: Functions,
    ) -> Result<DecodedResource<'s>, SelectError> {
        let Some(resource) = self.module.managed_resource(&self.resource_type, &self.name) else {
            return Err(SelectError::Address { address: self.address });
        };
        let (body, found) = resource.body.under(schema);
        let own: &[&str] = match &self.key {
            Some(InstanceKey::Number(_)) => &["count"],
            Some(InstanceKey::String(_)) => &["each"],
            None => &[],
        };
        let for_each =
            resource.for_each.as_ref().filter(|_| matches!(self.key, Some(InstanceKey::String(_))));
        let (values, mut errors) = VariableValues::new(&self.module, sources, inputs, &functions);
        errors.extend(found);
        let needed = references(&body, schema, Purpose::Everything);
        let repeated = resource.count.as_ref().or(resource.for_each.as_ref());
        let needed = needed.into_iter().chain(repeated.into_iter().flat_map(variables));
        let mut environment = Environment::new(&self.module, &values, needed, own, &functions);
        errors.append(&mut environment.errors);
        let repetition = repeated.map(|expr| {
            let (value, mut found) = evaluate(expr, &Scope::new(&environment.variables), &functions);
            errors.append(&mut found);
            value
        });
        let is_certain = match Instances::new(resource, repetition.as_ref()).has(self.key.as_ref()) {
            _ if !self.is_named => true,
            Ok(is_certain) => is_certain,
            Err(instances) if errors.is_empty() => {
                return Err(SelectError::NoInstance { address: self.address, instances });
            }
            Err(_) => true,
        };
        match &self.key {
            Some(InstanceKey::Number(index)) => {
                environment.variables.insert("count", Value::object([("index", Value::from(*index))]));
            }
            Some(InstanceKey::String(key)) => {
                let element = for_each.and(repetition.as_ref()).and_then(|collection| each(collection, key));
                let unknown = || {
                    Value::object([
                        ("key", Value::from(key.as_str())),
                        ("value", Value::unknown(Type::Dynamic)),
                    ])
                };
                environment.variables.insert("each", element.unwrap_or_else(unknown));
            }
            None => {}
        }
        let decoded = decode(&body, schema, &Scope::new(&environment.variables), &functions);
        errors.extend(decoded.errors);
        let config = decoded.value;
        let lifecycle = &resource.lifecycle;
        let of_type =
            |kind: &str, ty: &str| (kind == "resource" && ty == self.resource_type).then_some(schema);
        let hidden = || HiddenSource::new(sources, of_type, []);
        if !errors.is_empty() {
            let hidden = hidden();
            return Err(SelectError::Problems { found: errors, hidden });
        }
        let missing = match environment.missing.is_empty() {
            true => BTreeSet::new(),
            false => {
                let hidden = hidden();
                let names = environment.missing.iter();
                names.map(|name| hidden.reference(sources, name).into_owned()).collect()
            }
        };
        Ok(DecodedResource {
            config,
            missing,
            is_certain,
            unfollowed: Unfollowed {
                replace_triggered_by: lifecycle.replace_triggered_by.iter().filter_map(trigger).collect(),
                conditions: lifecycle.preconditions.len() + lifecycle.postconditions.len(),
            },
            create_before_destroy: lifecycle.create_before_destroy.unwrap_or(false),
            prevent_destroy: lifecycle.prevent_destroy,
            ignore_changes: lifecycle.ignore_changes.clone(),
            address: self.address,
            body: body.into_owned(),
            variables: environment.variables,
            functions,
            sources,
        })
    }
}

/// The resource that an expression of `replace_triggered_by` refers to, with what of it.
fn trigger(expr: &Expr) -> Option<String> {
    let references = variables(expr);
    let resource = references.iter().find(|reference| !matches!(&**reference.name, "count" | "each"));
    resource.map(ToString::to_string)
}

/// Which instances a block has.
enum Instances<'v> {
    One,
    /// As many as this; `None` if that is not known.
    Count(Option<u64>),
    /// One for each element; `None` if they are not known.
    Each(Option<&'v Value>),
}

impl<'v> Instances<'v> {
    fn new(resource: &ResourceConfig, repetition: Option<&'v Value>) -> Self {
        let Some(value) = repetition else { return Self::One };
        // Terraform refuses sensitive values here, so none is listed.
        let value = Some(value).filter(|value| value.is_wholly_known() && !value.contains_marked());
        match resource.count {
            Some(_) => {
                let count = value.and_then(|value| value.convert(&Type::Number).ok());
                Self::Count(count.and_then(|count| count.as_number()?.as_u64()))
            }
            None => Self::Each(value),
        }
    }

    /// Whether an instance with this key is known to exist; the error lists the existing ones.
    fn has(&self, key: Option<&InstanceKey>) -> Result<bool, String> {
        match (self, key) {
            (Self::One, None) => Ok(true),
            (Self::One, Some(_)) => Err("it has neither count nor for_each".to_owned()),
            (Self::Count(None), Some(InstanceKey::Number(_)))
            | (Self::Each(None), Some(InstanceKey::String(_)))
            | (Self::Count(None) | Self::Each(None), None) => Ok(false),
            (Self::Count(Some(count)), Some(InstanceKey::Number(index))) if index < count => Ok(true),
            (Self::Each(Some(value)), Some(InstanceKey::String(key))) if each(value, key).is_some() => {
                Ok(true)
            }
            (Self::Count(None), _) => Err("it has count, so a number such as [0] is needed".to_owned()),
            (Self::Each(None), _) => Err(r#"it has for_each, so a key such as ["a"] is needed"#.to_owned()),
            (Self::Count(Some(0)), _) => Err("count is 0".to_owned()),
            (Self::Count(Some(1)), _) => Err("there is [0]".to_owned()),
            (Self::Count(Some(count)), _) => Err(format!("there are [0] to [{}]", count - 1)),
            (Self::Each(Some(value)), _) => Err(keys(value)),
        }
    }
}

/// Lists the first keys of a collection.
fn keys(collection: &Value) -> String {
    const MOST: usize = 8;
    let quoted = |key: &str| InstanceKey::String(key.to_owned()).to_string();
    let keys: Vec<String> = match collection.kind() {
        Kind::Map(map) => map.iter().map(|(key, _)| quoted(key)).collect(),
        Kind::Object(object) => object.iter().map(|(name, _)| quoted(name)).collect(),
        Kind::Set(elements) => elements.iter().filter_map(Value::as_str).map(quoted).collect(),
        _ => return "for_each is neither a map nor a set of strings".to_owned(),
    };
    match &keys[..keys.len().min(MOST)] {
        [] => "for_each is empty".to_owned(),
        first => format!("there are {}", listed(first, keys.len())),
    }
}

/// The configuration of an object, and what else its block says.
#[derive(Debug)]
pub struct DecodedResource<'s> {
    /// The configured object.
    pub config: Value,
    /// The references without a value.
    pub missing: BTreeSet<String>,
    /// It is known that configuration has this instance.
    pub is_certain: bool,
    /// The parts of the block that planning a single change does not follow.
    pub unfollowed: Unfollowed,
    /// `create_before_destroy` of the block.
    pub create_before_destroy: bool,
    /// `prevent_destroy` of the block.
    pub prevent_destroy: bool,
    /// `ignore_changes` of the block.
    pub ignore_changes: IgnoreChanges,
    /// The address, as Terraform writes it; without a key if none is given.
    pub address: String,
    body: Body,
    variables: Variables,
    functions: Functions,
    sources: &'s Sources,
}

/// The parts of a block that planning a single change does not follow.
#[derive(Debug)]
pub struct Unfollowed {
    replace_triggered_by: Vec<String>,
    conditions: usize,
}

impl Unfollowed {
    /// Notes on arguments and blocks that were not evaluated.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let triggers = self.replace_triggered_by.join(", ");
        let triggered = (!triggers.is_empty()).then(|| {
            format!(
                "not looked at: replace_triggered_by; a change of {triggers} would replace the object as well"
            )
        });
        let checked = (self.conditions > 0)
            .then(|| "not looked at: what precondition and postcondition blocks check".to_owned());
        triggered.into_iter().chain(checked)
    }
}

/// Where in a configuration something is.
#[derive(Debug, Serialize)]
pub struct SourcePlace {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The source, if it may be shown.
    #[serde(skip)]
    pub source: Option<String>,
}

impl DecodedResource<'_> {
    /// Where in the configuration the parts of the object are that have these paths.
    pub fn places<'p>(
        &self,
        schema: &Block,
        paths: impl IntoIterator<Item = &'p Path>,
    ) -> Vec<Option<SourcePlace>> {
        let mut paths = paths.into_iter().peekable();
        if paths.peek().is_none() {
            return Vec::new();
        }
        // Positions borrow from the block, so it is decoded again here.
        let decoded = decode(&self.body, schema, &Scope::new(&self.variables), &self.functions);
        let hidden =
            [schema.sensitive_paths(&decoded.value), schema.write_only_paths(&decoded.value)].concat();
        let files = self.sources.places();
        let place = |path: &Path| {
            let found = files.find(decoded.place(path))?;
            let position = found.start();
            let source = found.lines.text().get(found.span.range()).and_then(|text| text.lines().next());
            let source = source.filter(|_| !hides(schema, &decoded.value, &hidden, path)).map(str::to_owned);
            let file = found.name.to_owned();
            Some(SourcePlace { file, line: position.line, column: position.column, source })
        };
        paths.map(place).collect()
    }
}

/// Whether the configuration of a part might show a sensitive value.
fn hides(schema: &Block, config: &Value, hidden: &[Path], path: &Path) -> bool {
    let steps = path.steps();
    let prefixes = || (0..=steps.len()).rev().map(|n| steps[..n].iter().cloned().collect::<Path>());
    let is_hidden = |path: Path| schema.attribute_by_path(&path).is_some_and(|a| a.sensitive || a.write_only);
    let nearest = prefixes().find_map(|path| config.at(&path));
    prefixes().any(is_hidden)
        || hidden.iter().any(|hidden| hidden.starts_with(path) || path.starts_with(hidden))
        || nearest.is_none_or(Value::contains_marked)
}
