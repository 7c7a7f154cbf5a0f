//! The configuration of an object as it is written: a resource block of a file.

use std::collections::BTreeSet;
use std::path::{Path as FilePath, PathBuf};

use objchange::change::{IgnoreChanges, PlanViolation};
use objchange::schema::Block;
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_hcl::{
    Body, Environment, Functions, Lines, Purpose, Resource, Scope, Variables, decode, each, evaluate,
    references, variables,
};
use serde::Serialize;

use crate::configuration::report::Problems;
use crate::configuration::{ConfigurationError, File, Given};
use crate::input::Source;

/// Which block of which file is meant: `main.tf`, `main.tf:aws_instance.web["a"]`.
#[derive(Debug)]
pub(super) struct BlockPlace {
    pub(super) source: Source,
    address: Option<String>,
}

impl BlockPlace {
    /// What an argument says; `None` if it is no file of configuration.
    pub(super) fn of(argument: &FilePath) -> Option<Self> {
        let text = argument.to_str()?;
        let end = match text.find(".tf:") {
            Some(dot) => dot + 3,
            None if text.ends_with(".tf") => text.len(),
            None => return None,
        };
        let address = text.get(end + 1..).map(str::to_owned);
        Some(Self { source: Source::new(&PathBuf::from(&text[..end])), address })
    }
}

/// Why there is no such configuration.
#[derive(Debug, thiserror::Error)]
pub(super) enum WrittenError {
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error("{input}: there is no resource {wanted}{}", has(.known))]
    NoResource { input: Source, wanted: String, known: Vec<String> },
    #[error("{input}: say which resource is meant, as in {input}:{}", .known.join(" or :"))]
    WhichResource { input: Source, known: Vec<String> },
    #[error("{address:?} is no address of a resource, such as aws_instance.web or aws_instance.web[\"a\"]")]
    Address { address: String },
}

fn has(known: &[String]) -> String {
    if known.is_empty() { "; it has none".to_owned() } else { format!("; it has {}", known.join(", ")) }
}

/// Which object of a resource is meant.
#[derive(Debug, Clone, PartialEq)]
enum Key {
    Number(u64),
    Text(String),
}

/// A resource block that was chosen, and what it is in.
#[derive(Debug)]
pub(super) struct Chosen {
    file: File,
    pub(super) resource_type: String,
    name: String,
    key: Option<Key>,
    /// As it is given, or else without a key.
    pub(super) address: String,
}

impl Chosen {
    /// Reads the file, and finds the block: by its address, or the only one of the type.
    pub(super) fn read(place: &BlockPlace, resource_type: Option<&str>) -> Result<Self, WrittenError> {
        let file = File::read(&place.source)?;
        let is_of_type = |ty: &str| resource_type.is_none_or(|wanted| wanted == ty);
        let known = || -> Vec<String> {
            Resource::all(&file.body)
                .filter(|(ty, ..)| is_of_type(ty))
                .map(|(ty, name, _)| format!("{ty}.{name}"))
                .take(8)
                .collect()
        };
        let input = || place.source.clone();
        let Some(address) = &place.address else {
            return match &known()[..] {
                [only] => Self::at(file, only.clone(), only),
                [] => {
                    let wanted = resource_type.map(|ty| format!("of type {ty}")).unwrap_or_default();
                    Err(WrittenError::NoResource { input: input(), wanted, known: Vec::new() })
                }
                _ => Err(WrittenError::WhichResource { input: input(), known: known() }),
            };
        };
        let without_key = address.split('[').next().unwrap_or_default();
        let is_it = |ty: &str, name: &str| format!("{ty}.{name}") == without_key && is_of_type(ty);
        if Resource::all(&file.body).any(|(ty, name, _)| is_it(ty, name)) {
            return Self::at(file, address.clone(), without_key);
        }
        Err(WrittenError::NoResource { input: input(), wanted: address.clone(), known: known() })
    }

    fn at(file: File, address: String, without_key: &str) -> Result<Self, WrittenError> {
        let wrong = || WrittenError::Address { address: address.clone() };
        let key = match address[without_key.len()..].strip_prefix('[') {
            None => None,
            Some(rest) => {
                let text = rest.strip_suffix(']').ok_or_else(wrong)?;
                let number = text.parse().map(Key::Number);
                Some(number.or_else(|_| serde_json::from_str(text).map(Key::Text)).map_err(|_| wrong())?)
            }
        };
        let (resource_type, name) = without_key.split_once('.').ok_or_else(wrong)?;
        let (resource_type, name) = (resource_type.to_owned(), name.to_owned());
        Ok(Self { file, resource_type, name, key, address })
    }

    /// The configuration of the object under its schema.
    pub(super) fn decode(self, schema: &Block, given: &Given) -> Result<Written, WrittenError> {
        let (inputs, functions) = (given.inputs()?, given.functions()?);
        let found = Resource::all(&self.file.body)
            .find(|(ty, name, _)| **ty == self.resource_type && **name == self.name);
        let Some((ty, name, block)) = found else {
            return Err(WrittenError::Address { address: self.address });
        };
        let resource = Resource::of(ty, name, block);
        let own: &[&str] = match &self.key {
            Some(Key::Number(_)) => &["count"],
            Some(Key::Text(_)) => &["each"],
            None => &[],
        };
        let for_each = resource.for_each.filter(|_| matches!(self.key, Some(Key::Text(_))));
        let needed = references(&resource.body, schema, Purpose::Everything);
        let needed = needed.into_iter().chain(for_each.into_iter().flat_map(variables));
        let mut environment = Environment::new(&self.file.body, &inputs, needed, own, &functions);
        let mut errors = resource.errors;
        errors.append(&mut environment.errors);
        match &self.key {
            Some(Key::Number(index)) => {
                environment.variables.insert("count", Value::object([("index", Value::from(*index))]));
            }
            Some(Key::Text(key)) => {
                let collection =
                    for_each.map(|expr| evaluate(expr, &Scope::new(&environment.variables), &functions));
                let element = collection.and_then(|(collection, mut found)| {
                    errors.append(&mut found);
                    each(&collection, key)
                });
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
        let decoded = decode(&resource.body, schema, &Scope::new(&environment.variables), &functions);
        errors.extend(decoded.errors);
        let config = decoded.value;
        if !errors.is_empty() {
            let File { name, text, .. } = self.file;
            return Err(ConfigurationError::Problems(Box::new(Problems { name, text, found: errors })).into());
        }
        Ok(Written {
            config,
            missing: environment.missing,
            create_before_destroy: resource.create_before_destroy,
            ignore_changes: resource.ignore_changes,
            address: self.address,
            body: resource.body,
            variables: environment.variables,
            functions,
            name: self.file.name,
            text: self.file.text,
        })
    }
}

/// The configuration of an object, and what else its block says.
pub(super) struct Written {
    pub(super) config: Value,
    /// What it refers to and nobody gives.
    pub(super) missing: BTreeSet<String>,
    pub(super) create_before_destroy: bool,
    pub(super) ignore_changes: IgnoreChanges,
    pub(super) address: String,
    body: Body,
    variables: Variables,
    functions: Functions,
    name: String,
    text: String,
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

impl Written {
    /// Where in the configuration each violation is.
    pub(super) fn places(&self, schema: &Block, violations: &[PlanViolation]) -> Vec<Place> {
        if violations.is_empty() {
            return Vec::new();
        }
        // What a block comes to knows where it comes from only as long as the block is there.
        let decoded = decode(&self.body, schema, &Scope::new(&self.variables), &self.functions);
        let hidden =
            [schema.sensitive_paths(&decoded.value), schema.write_only_paths(&decoded.value)].concat();
        let lines = Lines::new(&self.text);
        let place = |violation: &PlanViolation| {
            let path = violation.path();
            let span = decoded.place(path);
            let position = lines.position(span.start);
            let source = self.text.get(span.range()).and_then(|text| text.lines().next()).map(str::to_owned);
            let source = source.filter(|_| !hides(schema, &decoded.value, &hidden, path));
            Place { file: self.name.clone(), line: position.line, column: position.column, source }
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
