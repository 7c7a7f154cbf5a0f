//! The configuration of an object as it is written: a resource block of a file.

use std::collections::BTreeSet;
use std::path::{Path as FilePath, PathBuf};

use objchange::address::{InstanceAddress, InstanceKey, Mode, ResourceAddress};
use objchange::change::{IgnoreChanges, PlanViolation};
use objchange::schema::Block;
use objchange::value::{Kind, Path};
use objchange::{Type, Value};
use objchange_hcl::{
    Body, Environment, Expr, Functions, HiddenSource, ModuleConfig, Purpose, ResourceConfig, Scope, Sources,
    VariableValues, Variables, decode, each, evaluate, references, variables,
};
use serde::Serialize;

use crate::configuration::{Configuration, ConfigurationError, Given, ends_like_configuration};

/// Which block of which configuration is meant: `main.tf`, `main.tf.json:aws_instance.web["a"]`, `.:aws_instance.web`.
#[derive(Debug)]
pub(crate) struct BlockPlace {
    pub(super) path: PathBuf,
    address: Option<String>,
}

impl BlockPlace {
    /// What an argument says; `None` if it is no configuration.
    pub(super) fn of(argument: &FilePath) -> Option<Self> {
        let Some(text) = argument.to_str() else {
            return argument.is_dir().then(|| Self { path: argument.to_owned(), address: None });
        };
        let ends = || text.match_indices(':').map(|(colon, _)| colon).chain([text.len()]);
        let directory = || ends().find(|end| FilePath::new(&text[..*end]).is_dir());
        let end = ends_like_configuration(text).or_else(directory)?;
        let address = text.get(end + 1..).map(str::to_owned);
        Some(Self { path: PathBuf::from(&text[..end]), address })
    }
}

/// Why there is no such configuration.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResourceConfigError {
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error("{}: there is no resource {wanted}{}", path.display(), has(.known))]
    NoResource { path: PathBuf, wanted: String, known: Vec<String> },
    #[error("{0}: say which resource is meant, as in {0}:{1}", path.display(), .known.join(" or :"))]
    WhichResource { path: PathBuf, known: Vec<String> },
    #[error("{address}: configuration has no such instance; {instances}")]
    NoInstance { address: String, instances: String },
    #[error(
        "{address:?} is not the address of a resource, such as aws_instance.web or aws_instance.web[\"a\"]"
    )]
    Address { address: String },
}

fn has(known: &[String]) -> String {
    if known.is_empty() { "; it has none".to_owned() } else { format!("; it has {}", known.join(", ")) }
}

/// A resource block that was chosen, and what it is in.
#[derive(Debug)]
pub(super) struct SelectedBlock<'s> {
    configuration: &'s Configuration,
    module: ModuleConfig,
    pub(super) resource_type: String,
    name: String,
    key: Option<InstanceKey>,
    /// As Terraform writes it; without a key if none is given.
    pub(super) address: String,
    /// The address is given; otherwise it is whichever instance of the block.
    is_named: bool,
}

impl<'s> SelectedBlock<'s> {
    /// Reads what the files say, and finds the block: by its address, or the only one of the type.
    pub(super) fn read(
        place: &BlockPlace,
        configuration: &'s Configuration,
        resource_type: Option<&str>,
    ) -> Result<Self, ResourceConfigError> {
        let module = configuration.module()?;
        let is_of_type = |ty: &str| resource_type.is_none_or(|wanted| wanted == ty);
        let known: Vec<String> = module
            .managed()
            .into_iter()
            .filter(|(name, _)| is_of_type(&name.resource_type))
            .map(|(name, _)| format!("{}.{}", name.resource_type, name.name))
            .take(8)
            .collect();
        let path = || place.path.clone();
        let Some(address) = &place.address else {
            return match &known[..] {
                [only] => {
                    let parsed = only.parse();
                    let parsed =
                        parsed.map_err(|_| ResourceConfigError::Address { address: only.clone() })?;
                    Ok(Self::at(configuration, module, parsed, false))
                }
                [] => {
                    let wanted = resource_type.map(|ty| format!("of type {ty}")).unwrap_or_default();
                    Err(ResourceConfigError::NoResource { path: path(), wanted, known: Vec::new() })
                }
                _ => Err(ResourceConfigError::WhichResource { path: path(), known }),
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
                Ok(Self::at(configuration, module, parsed.clone(), true))
            }
            Some(_) => Err(ResourceConfigError::NoResource { path: path(), wanted: address.clone(), known }),
            None => Err(ResourceConfigError::Address { address: address.clone() }),
        }
    }

    fn at(
        configuration: &'s Configuration,
        module: ModuleConfig,
        parsed: InstanceAddress,
        is_named: bool,
    ) -> Self {
        let address = parsed.to_string();
        let InstanceAddress { resource: ResourceAddress { resource_type, name, .. }, key } = parsed;
        Self { configuration, module, resource_type, name, key, address, is_named }
    }

    /// The configuration of the object under its schema.
    pub(super) fn decode(
        self,
        schema: &Block,
        given: &Given,
    ) -> Result<DecodedConfig<'s>, ResourceConfigError> {
        let (inputs, functions) = (given.inputs(self.configuration, &self.module)?, given.functions()?);
        let Some(resource) = self.module.managed_resource(&self.resource_type, &self.name) else {
            return Err(ResourceConfigError::Address { address: self.address });
        };
        let (body, found) = resource.body.under(schema);
        let own: &[&str] = match &self.key {
            Some(InstanceKey::Number(_)) => &["count"],
            Some(InstanceKey::String(_)) => &["each"],
            None => &[],
        };
        let for_each =
            resource.for_each.as_ref().filter(|_| matches!(self.key, Some(InstanceKey::String(_))));
        let sources = &self.configuration.sources;
        let (values, mut errors) = VariableValues::new(&self.module, sources, &inputs, &functions);
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
                return Err(ResourceConfigError::NoInstance { address: self.address, instances });
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
        if !errors.is_empty() {
            let of_type =
                |kind: &str, ty: &str| (kind == "resource" && ty == self.resource_type).then_some(schema);
            let hidden = HiddenSource::new(sources, of_type, []);
            return Err(ConfigurationError::Problems { found: errors, hidden }.into());
        }
        Ok(DecodedConfig {
            config,
            missing: environment.missing,
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
    /// As many as this; `None` where that is not known.
    Count(Option<u64>),
    /// One for each element; `None` where they are not known.
    Each(Option<&'v Value>),
}

impl<'v> Instances<'v> {
    fn new(resource: &ResourceConfig, repetition: Option<&'v Value>) -> Self {
        let Some(value) = repetition else { return Self::One };
        // Terraform refuses what is sensitive here; then it is not listed either.
        let value = Some(value).filter(|value| value.is_wholly_known() && !value.contains_marked());
        match resource.count {
            Some(_) => {
                let count = value.and_then(|value| value.convert(&Type::Number).ok());
                Self::Count(count.and_then(|count| count.as_number()?.as_u64()))
            }
            None => Self::Each(value),
        }
    }

    /// Whether it is known that there is an instance with this key. If there is none, which there are.
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

/// The keys of a collection, the first few of them.
fn keys(collection: &Value) -> String {
    const MOST: usize = 8;
    let quoted = |key: &str| InstanceKey::String(key.to_owned()).to_string();
    let keys: Vec<String> = match collection.kind() {
        Kind::Map(map) => map.iter().map(|(key, _)| quoted(key)).collect(),
        Kind::Object(object) => object.iter().map(|(name, _)| quoted(name)).collect(),
        Kind::Set(elements) => elements.iter().filter_map(Value::as_str).map(quoted).collect(),
        _ => return "for_each is neither a map nor a set of strings".to_owned(),
    };
    let more = keys.len().saturating_sub(MOST);
    match &keys[..keys.len() - more] {
        [] => "for_each is empty".to_owned(),
        shown if more == 0 => format!("there are {}", shown.join(", ")),
        shown => format!("there are {} and {more} more", shown.join(", ")),
    }
}

/// The configuration of an object, and what else its block says.
pub(super) struct DecodedConfig<'s> {
    pub(super) config: Value,
    /// What it refers to and nobody gives.
    pub(super) missing: BTreeSet<String>,
    /// It is known that configuration has this instance.
    pub(super) is_certain: bool,
    pub(super) unfollowed: Unfollowed,
    pub(super) create_before_destroy: bool,
    pub(super) prevent_destroy: bool,
    pub(super) ignore_changes: IgnoreChanges,
    pub(super) address: String,
    body: Body,
    variables: Variables,
    functions: Functions,
    sources: &'s Sources,
}

/// What a block says that one change by itself does not show.
pub(super) struct Unfollowed {
    replace_triggered_by: Vec<String>,
    conditions: usize,
}

impl Unfollowed {
    /// What of it there is to be told.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
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
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
    /// What stands there, where it may be shown.
    #[serde(skip)]
    pub(super) source: Option<String>,
}

impl DecodedConfig<'_> {
    /// Where in the configuration each violation is.
    pub(super) fn places(&self, schema: &Block, violations: &[PlanViolation]) -> Vec<Option<Place>> {
        if violations.is_empty() {
            return Vec::new();
        }
        // What a block comes to knows where it comes from only as long as the block is there.
        let decoded = decode(&self.body, schema, &Scope::new(&self.variables), &self.functions);
        let hidden =
            [schema.sensitive_paths(&decoded.value), schema.write_only_paths(&decoded.value)].concat();
        let files = self.sources.places();
        let place = |violation: &PlanViolation| {
            let path = violation.path();
            let span = decoded.place(path);
            let found = files.find(span)?;
            let position = found.start();
            let source = found.lines.text().get(found.span.range()).and_then(|text| text.lines().next());
            let source = source.filter(|_| !hides(schema, &decoded.value, &hidden, path)).map(str::to_owned);
            Some(Place { file: found.name.to_owned(), line: position.line, column: position.column, source })
        };
        violations.iter().map(place).collect()
    }
}

/// Whether the configuration of a part might show what is sensitive.
fn hides(schema: &Block, config: &Value, hidden: &[Path], path: &Path) -> bool {
    let steps = path.steps();
    let prefixes = || (0..=steps.len()).rev().map(|n| steps[..n].iter().cloned().collect::<Path>());
    let is_hidden = |path: Path| schema.attribute_by_path(&path).is_some_and(|a| a.sensitive || a.write_only);
    let nearest = prefixes().find_map(|path| config.at(&path));
    prefixes().any(is_hidden)
        || hidden.iter().any(|hidden| hidden.starts_with(path) || path.starts_with(hidden))
        || nearest.is_none_or(Value::contains_marked)
}
