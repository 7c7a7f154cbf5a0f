//! State files: `terraform.tfstate` in version 4.
//!
//! They give what `terraform show -json` gives, in its order: each module before its children, data sources before
//! managed resources, then by type, name and key, and deposed objects after the current one.

use std::cmp::Ordering;
use std::sync::Arc;

use objchange::Value;
use objchange::address::{modules_of, quote_key};
use objchange::value::{Number, Path, PathStep};

use super::error::{DocumentError, Problem};
use super::open;
use super::state::{Module, Sensitive, State, StateResource, output, resources};
use crate::changes::DocumentText;
use crate::json::field::{by_name, flag, list_or_null, object_or_null, text};
use crate::json::{Json, JsonError, Raw, Reader, Shape, View};
use crate::text::Text;

impl<'t> State<'t> {
    /// Reads a state file of version 4.
    ///
    /// # Errors
    ///
    /// The text is not JSON, is cut off, is not a state file, or has another version.
    ///
    /// ```
    /// use objchange_document::State;
    ///
    /// let state = State::parse_file(
    ///     r#"{"version":4,"lineage":"x","resources":[{"mode":"managed","type":"disk","name":"a","instances":[
    ///         {"index_key":0,"attributes":{"size":10}}]}]}"#,
    /// )?;
    /// assert_eq!(&*state.resources[0].address, "disk.a[0]");
    /// # Ok::<(), objchange_document::DocumentError>(())
    /// ```
    pub fn parse_file(file: &'t str) -> Result<Self, DocumentError> {
        let mut state = State { text: DocumentText(file), ..State::default() };
        let mut version = (0, 0);
        let mut stored = Instances {
            all: Vec::new(),
            has_resources: false,
            missing_part: None,
            budget: 16 * file.len() + (1 << 16),
        };
        let mut location = String::new();
        let mut reader = open(file)?;
        let read = reader.members(|key, reader| {
            location.clear();
            location.push_str(&key);
            match &*key {
                "version" => version = (reader.offset(), number(reader)?),
                // At offset 0 no version has been read so far: it may come after what it is about.
                "terraform_version" if version.1 == 4 || version.0 == 0 => {
                    state.terraform_version = text(reader)?;
                }
                // Other versions have another form, and are refused below.
                "resources" if version.1 == 4 || version.0 == 0 => {
                    stored.all.clear();
                    stored.has_resources = !is_next_null(reader);
                    list_or_null(reader, |reader| resource(reader, &mut stored))?;
                }
                "outputs" if version.1 == 4 || version.0 == 0 => {
                    state.outputs.clear();
                    object_or_null(reader, |name, reader| {
                        state.outputs.push(output(name.into(), reader)?);
                        Ok(())
                    })?;
                }
                _ => {
                    reader.raw()?;
                }
            }
            Ok::<(), JsonError>(())
        });
        read.map_err(|error| DocumentError::from_json(&error, file, &location))?;
        reader.end().map_err(|error| DocumentError::from_json(&error, file, ""))?;
        if version.1 != 4 {
            return Err(DocumentError::at(file, version.0, "", Problem::StateFileVersion(version.1)));
        }
        by_name(&mut state.outputs, |output| &output.name);
        state.is_file = true;
        state.missing_part = if stored.has_resources { stored.missing_part } else { Some("`resources`") };
        stored.all.sort_by(Stored::order);
        let modules = modules(stored.all);
        state.has_child_modules = modules.len() > 1;
        state.resources = resources(modules);
        Ok(state)
    }
}

/// The instances that were read.
struct Instances<'t> {
    all: Vec<Stored<'t>>,
    /// There is a list of resources.
    has_resources: bool,
    /// A part that a resource lacks.
    missing_part: Option<&'static str>,
    /// The bytes left for addresses. Each instance repeats the address of its module, so a small file could fill
    /// memory.
    budget: usize,
}

/// An instance, with what its place among the others depends on. A resource without instances has one of these, too:
/// its module is there.
struct Stored<'t> {
    /// The names of the modules around it, each with its key.
    module: Arc<[Text<'t>]>,
    key: Option<Key<'t>>,
    resource: Option<StateResource<'t>>,
}

/// The key of an instance: of `count` or of `for_each`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'t> {
    Position(i64),
    Name(Text<'t>),
}

impl Stored<'_> {
    fn order(&self, other: &Self) -> Ordering {
        self.module.cmp(&other.module).then_with(|| {
            let place = |stored: &Self| {
                stored
                    .resource
                    .as_ref()
                    // `terraform show -json` lists the data sources of a module first, and then the rest by type, name
                    // and key.
                    .map(|r| (&*r.mode != "data", r.resource_type.clone(), r.name.clone()))
            };
            let deposed = |stored: &Self| stored.resource.as_ref().and_then(|r| r.deposed.clone());
            place(self)
                .cmp(&place(other))
                .then_with(|| self.key.cmp(&other.key))
                .then_with(|| deposed(self).cmp(&deposed(other)))
        })
    }
}

/// The modules that these are in and those around them, each before its children; the root is the first.
fn modules<'t>(stored: Vec<Stored<'t>>) -> Vec<Module<'t>> {
    let module = |parent| Module { parent, address: Text::default(), resources: Vec::new() };
    let mut modules = vec![module(None)];
    let mut open: Vec<(Text<'t>, usize)> = Vec::new();
    for Stored { module: names, resource, .. } in stored {
        let common = std::iter::zip(&open, &*names).take_while(|((name, _), wanted)| name == *wanted).count();
        open.truncate(common);
        for name in names.iter().skip(common).cloned() {
            let parent = open.last().map_or(0, |(_, index)| *index);
            open.push((name, modules.len()));
            modules.push(module(Some(parent)));
        }
        let index = open.last().map_or(0, |(_, index)| *index);
        if let Some(resource) = resource {
            modules[index].address = resource.module_address.clone();
            modules[index].resources.push(resource);
        }
    }
    modules
}

/// Reads a resource and adds its instances.
fn resource<'t>(reader: &mut Reader<'t>, stored: &mut Instances<'t>) -> Result<(), JsonError> {
    let mut module = Text::default();
    let mut instances = Raw::NULL;
    let mut has_instances = false;
    let (mut mode, mut resource_type, mut name, mut provider) = Default::default();
    object_or_null(reader, |key, reader| {
        let place = match &*key {
            "module" => &mut module,
            "mode" => &mut mode,
            "type" => &mut resource_type,
            "name" => &mut name,
            "provider" => &mut provider,
            "instances" => {
                has_instances = !is_next_null(reader);
                instances = reader.raw()?;
                return Ok(());
            }
            _ => return reader.raw().map(|_| ()),
        };
        *place = text(reader)?.unwrap_or_default();
        Ok(())
    })?;
    if !has_instances {
        stored.missing_part = Some("`instances` of a resource");
    }
    let before = stored.all.len();
    let modules = module_names(&module);
    list_or_null(&mut instances.reader(), |reader| {
        let mut resource = StateResource {
            module_address: module.clone(),
            mode: mode.clone(),
            resource_type: resource_type.clone(),
            name: name.clone(),
            provider_name: provider_name(&provider),
            provider_config: provider.clone(),
            ..StateResource::default()
        };
        if is_next_null(reader) {
            stored.missing_part = Some("an instance of a resource");
        }
        let key = instance(reader, &mut resource)?;
        resource.address = address(&module, &resource, key.as_ref()).into();
        let left = stored.budget.checked_sub(resource.address.len());
        stored.budget = left.ok_or_else(|| reader.error("the addresses of the instances are too long"))?;
        stored.all.push(Stored { module: Arc::clone(&modules), key, resource: Some(resource) });
        Ok(())
    })?;
    if stored.all.len() == before && !modules.is_empty() {
        stored.all.push(Stored { module: modules, key: None, resource: None });
    }
    Ok(())
}

fn instance<'t>(
    reader: &mut Reader<'t>,
    resource: &mut StateResource<'t>,
) -> Result<Option<Key<'t>>, JsonError> {
    let mut index_key = None;
    let mut flat = Raw::NULL;
    let mut paths = Vec::new();
    object_or_null(reader, |name, reader| {
        match &*name {
            "index_key" => {
                resource.index = Some(reader.clone().raw()?).filter(|index| index.text() != "null");
                index_key = key(reader)?;
            }
            "dependencies" => resource.depends_on = reader.raw()?,
            "status" => {
                let place = reader.clone();
                resource.tainted = match text(reader)?.as_deref().unwrap_or_default() {
                    "" => false,
                    "tainted" => true,
                    _ => {
                        return Err(place.error("the status of an instance is \"tainted\", or there is none"));
                    }
                };
            }
            "schema_version" => resource.schema_version = number(reader)?,
            "private" => resource.private = reader.raw()?,
            "identity" => resource.identity = reader.raw()?,
            "identity_schema_version" => resource.identity_version = number(reader)?,
            "create_before_destroy" => {
                resource.create_before_destroy = flag(reader)?.unwrap_or_default();
            }
            "deposed" => resource.deposed = text(reader)?.filter(|key| !key.is_empty()),
            "attributes" => resource.values = reader.raw()?,
            "attributes_flat" => {
                flat = reader.clone().raw()?;
                object_or_null(reader, |_, reader| text(reader).map(drop))?;
            }
            "sensitive_attributes" => paths = list_or_null(reader, path)?,
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    if resource.values.text() == "null" && flat.text() != "null" {
        (resource.values, resource.is_flat) = (flat, true);
    }
    resource.sensitive = Sensitive::Paths(paths);
    Ok(index_key)
}

fn is_next_null(reader: &mut Reader<'_>) -> bool {
    reader.peek() == Some(b'n')
}

fn key<'t>(reader: &mut Reader<'t>) -> Result<Option<Key<'t>>, JsonError> {
    Ok(match reader.peek() {
        Some(b'0'..=b'9' | b'-') => {
            let position = Json::next(reader)?;
            let Shape::Number(text) = position.view().shape() else { return Ok(None) };
            // Terraform reads such a key as a double, and uses its integer part.
            let whole = || text.parse::<f64>().map_or(0, |position| position as i64);
            Some(Key::Position(text.parse().unwrap_or_else(|_| whole())))
        }
        Some(b'n' | b'"') => text(reader)?.map(Key::Name),
        _ => return Err(reader.error("a number or a string is expected here")),
    })
}

fn number(reader: &mut Reader<'_>) -> Result<u64, JsonError> {
    let error = reader.error("a version is a number without a sign or fraction");
    match Json::next(reader)?.view().shape() {
        Shape::Number(text) => text.parse().map_err(|_| error),
        _ => Err(error),
    }
}

/// A path to what is sensitive.
fn path(reader: &mut Reader<'_>) -> Result<Path, JsonError> {
    let steps = list_or_null(reader, |reader| {
        reader.peek();
        let error = reader.error("this is not a step of a path");
        step(Json::next(reader)?.view()).ok_or(error)
    })?;
    Ok(steps.into_iter().collect())
}

fn step(step: View<'_, '_>) -> Option<PathStep> {
    match (step.get("type")?.as_str()?, step.get("value")?) {
        ("get_attr", name) => Some(PathStep::Attribute(name.as_str()?.into())),
        ("index", key) => Some(PathStep::Index(match key.get("value")?.shape() {
            Shape::String(key) => Value::from(key),
            Shape::Number(position) => Value::from(Number::parse(position).ok()?),
            // An element of a set, which leads to the set alone.
            _ => Value::null(objchange::Type::Dynamic),
        })),
        _ => None,
    }
}

/// The names in the address of a module, each with its key: `module.a["x.y"].module.b` has two.
fn module_names<'t>(module: &Text<'t>) -> Arc<[Text<'t>]> {
    let mut start = 0;
    let names = modules_of(module).map(|address| {
        let name = address[start..].to_owned();
        start = address.len() + 1;
        Text::from(name)
    });
    names.collect()
}

/// The address of a provider as documents have it: the state file has `provider["registry.terraform.io/x/y"]` or, from
/// before Terraform 0.13, `provider.y`, after the module that configures it and before an alias.
fn provider_name<'t>(provider: &str) -> Text<'t> {
    let after = |start: &str| provider.rsplit_once(start).map(|(_, rest)| rest);
    let quoted = after("provider[\"").and_then(|rest| rest.split('"').next());
    let bare = || after("provider.").and_then(|rest| rest.split('.').next());
    Text::from(quoted.or_else(bare).unwrap_or_default().to_owned())
}

fn address(module: &str, resource: &StateResource<'_>, key: Option<&Key<'_>>) -> String {
    let mut address = String::new();
    if !module.is_empty() {
        address.push_str(module);
        address.push('.');
    }
    if &*resource.mode == "data" {
        address.push_str("data.");
    }
    address.push_str(&resource.resource_type);
    address.push('.');
    address.push_str(&resource.name);
    match key {
        None => {}
        Some(Key::Position(position)) => address.push_str(&format!("[{position}]")),
        Some(Key::Name(name)) => {
            address.push('[');
            quote_key(name, &mut address);
            address.push(']');
        }
    }
    address
}

#[cfg(test)]
mod tests;
