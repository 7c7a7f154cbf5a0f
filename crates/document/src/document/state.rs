//! The state document.

use std::sync::OnceLock;

use objchange::Type;
use objchange::value::Path;
use objchange_text::json::from_str;

use super::error::{DocumentError, Problem};
use super::read_members;
use crate::changes::DocumentText;
use crate::changes::is_builtin;
use crate::json::field::{by_name, flag, list, text};
use crate::json::{JsonError, Raw, Reader};
use crate::text::Text;

/// A state: as `terraform show -json` prints it, or as it is kept in a file.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct State<'t> {
    /// The resources, each module's before those of its child modules.
    pub resources: Vec<StateResource<'t>>,
    /// The outputs of the root module, by name in byte order.
    pub outputs: Vec<StateOutput<'t>>,
    /// The major and minor version of the format; `None` for a state file, a part of a document, or if missing.
    pub format_version: Option<(u64, u64)>,
    /// The version of Terraform that wrote it.
    pub terraform_version: Option<Text<'t>>,
    /// There are modules besides the root.
    pub(super) has_child_modules: bool,
    /// It is kept in a file: values that have no type in the schema stand with their types.
    pub is_file: bool,
    /// A part that every state file has, and this one lacks. Terraform reads such a file as if nothing were there.
    pub missing_part: Option<&'static str>,
    pub(super) text: DocumentText<'t>,
}

/// One resource instance, or a deposed object of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StateResource<'t> {
    /// The address of the instance.
    pub address: Text<'t>,
    /// The address of its module; empty in the root module.
    pub module_address: Text<'t>,
    /// `managed` or `data`.
    pub mode: Text<'t>,
    /// The resource type.
    pub resource_type: Text<'t>,
    /// The name in its module.
    pub name: Text<'t>,
    /// The `count` index or `for_each` key.
    pub index: Option<Raw<'t>>,
    /// The provider's address; before Terraform 0.13 its name alone.
    pub provider_name: Text<'t>,
    /// The addresses of what it depends on: a list, or null.
    pub depends_on: Raw<'t>,
    /// The provider configuration, as a state file has it; empty in documents, which do not tell it.
    pub provider_config: Text<'t>,
    /// The private data of the provider, in base 64: a text, or null. Documents do not have it.
    pub private: Raw<'t>,
    /// The version of the schema that the values are of.
    pub schema_version: u64,
    /// Its replacement is created before it is destroyed. Documents do not tell it.
    pub create_before_destroy: bool,
    /// The identity at its provider, as a state file has it: an object, or null.
    pub identity: Raw<'t>,
    /// The version of the schema that the identity is of, in a state file.
    pub identity_version: u64,
    /// The value.
    pub values: Raw<'t>,
    /// Its sensitive parts.
    pub sensitive: Sensitive<'t>,
    /// The value is kept as Terraform before 0.12 did: texts by paths.
    pub is_flat: bool,
    /// The instance is tainted: it must be replaced.
    pub tainted: bool,
    /// The key of the deposed object.
    pub deposed: Option<Text<'t>>,
    /// The module in which it is, by its position among the modules of the document; 0 is the root.
    pub module: usize,
    /// It is the first of its module, and a module around it has resources too.
    pub follows_resources: bool,
}

impl StateResource<'_> {
    /// Whether its provider is built into Terraform, so that no plugin is needed.
    pub fn is_builtin(&self) -> bool {
        is_builtin(&self.provider_name)
    }
}

/// The parts of a value that a state calls sensitive.
#[derive(Debug, Clone)]
pub enum Sensitive<'t> {
    /// As `terraform show -json` prints it: in the shape of the value, with `true` where it is sensitive.
    Values(Raw<'t>),
    /// As state files keep it. In the values of those, what has no type in the schema stands with its type.
    Paths(Vec<Path>),
}

/// One output of the root module.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StateOutput<'t> {
    /// The name of the output.
    pub name: Text<'t>,
    /// The value.
    pub value: Raw<'t>,
    /// The type, in the form of type constraints.
    pub value_type: Raw<'t>,
    /// The value must not be shown.
    pub sensitive: bool,
    /// The parsed type, once read.
    ty: OnceLock<Option<Type>>,
}

impl StateOutput<'_> {
    /// The type, where a state file has one that can be read.
    pub fn ty(&self) -> Option<&Type> {
        self.ty.get_or_init(|| from_str(self.value_type.text()).ok()).as_ref()
    }
}

impl Default for StateResource<'_> {
    fn default() -> Self {
        Self {
            address: Text::default(),
            module_address: Text::default(),
            mode: Text::from("managed"),
            resource_type: Text::default(),
            name: Text::default(),
            index: None,
            provider_name: Text::default(),
            depends_on: Raw::NULL,
            provider_config: Text::default(),
            private: Raw::NULL,
            schema_version: 0,
            create_before_destroy: false,
            identity: Raw::NULL,
            identity_version: 0,
            values: Raw::NULL,
            sensitive: Sensitive::Values(Raw::NULL),
            is_flat: false,
            tainted: false,
            deposed: None,
            module: 0,
            follows_resources: false,
        }
    }
}

impl<'t> State<'t> {
    /// Reads the document of `terraform show -json`.
    ///
    /// # Errors
    ///
    /// The text is not JSON, is cut off, is not a state, or has a format that is not supported.
    pub fn parse(document: &'t str) -> Result<Self, DocumentError> {
        let state = Self::parse_part(document)?;
        match state.format_version {
            Some(_) => Ok(state),
            None => Err(DocumentError::at(document, 0, "", Problem::NoFormatVersion)),
        }
    }

    /// Like [`State::parse`], also where the format version is left out.
    pub(super) fn parse_part(document: &'t str) -> Result<Self, DocumentError> {
        let mut state = State { text: DocumentText(document), ..State::default() };
        let (format_version, _) = read_members(document, |key, reader, _| member(key, reader, &mut state))?;
        Ok(State { format_version, ..state })
    }

    /// Reads a state document that is a part of another document.
    ///
    /// # Errors
    ///
    /// The part is not a state document.
    pub fn parse_within(document: &'t str, part: Raw<'t>) -> Result<Self, JsonError> {
        let mut state = State { text: DocumentText(document), ..State::default() };
        part.reader().members(|key, reader| member(&key, reader, &mut state))?;
        Ok(state)
    }

    /// Reads the `values` of a state that are a part of another document.
    ///
    /// # Errors
    ///
    /// The part does not have the form of a state's `values`.
    pub fn parse_values(document: &'t str, part: Raw<'t>) -> Result<Self, JsonError> {
        let mut state = State { text: DocumentText(document), ..State::default() };
        values(&mut part.reader(), &mut state)?;
        Ok(state)
    }

    /// Whether there is nothing in the state.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.outputs.is_empty() && !self.has_child_modules
    }

    /// The text that the state was read from.
    pub fn text(&self) -> &'t str {
        self.text.0
    }
}

fn member<'t>(key: &str, reader: &mut Reader<'t>, state: &mut State<'t>) -> Result<(), JsonError> {
    match key {
        "values" => return values(reader, state),
        "terraform_version" => state.terraform_version = text(reader)?,
        _ => {
            reader.raw()?;
        }
    }
    Ok(())
}

fn values<'t>(reader: &mut Reader<'t>, state: &mut State<'t>) -> Result<(), JsonError> {
    state.outputs.clear();
    reader.members(|key, reader| match &*key {
        "root_module" => {
            let modules = modules(reader)?;
            state.has_child_modules = modules.len() > 1;
            state.resources = resources(modules);
            Ok(())
        }
        "outputs" => reader.members(|name, reader| {
            state.outputs.push(output(name.into(), reader)?);
            Ok(())
        }),
        _ => reader.raw().map(|_| ()),
    })?;
    by_name(&mut state.outputs, |output| &output.name);
    Ok(())
}

/// A module, without its children.
pub(super) struct Module<'t> {
    /// The position of the module around it.
    pub(super) parent: Option<usize>,
    pub(super) address: Text<'t>,
    pub(super) resources: Vec<StateResource<'t>>,
}

/// The place of the reader among modules.
enum Level {
    Module(usize),
    ChildrenOf(usize),
}

/// Reads a module and all below it, each before its children: in one pass, and without a call for each level, as how
/// deep they nest is not ours to choose.
fn modules<'t>(reader: &mut Reader<'t>) -> Result<Vec<Module<'t>>, JsonError> {
    let mut modules = Vec::new();
    let mut open = Vec::new();
    let module = |reader: &mut Reader<'t>, modules: &mut Vec<_>, open: &mut Vec<_>, parent| {
        modules.push(Module { parent, address: Text::default(), resources: Vec::new() });
        reader.enter(b'{')?;
        open.push((Level::Module(modules.len() - 1), true));
        Ok(())
    };
    module(reader, &mut modules, &mut open, None)?;
    while let Some((level, is_first)) = open.last_mut() {
        match *level {
            Level::Module(index) => match reader.next_member(is_first)?.as_deref() {
                Some("address") => modules[index].address = text(reader)?.unwrap_or_default(),
                Some("resources") => modules[index].resources = list(reader, resource)?,
                Some("child_modules") => {
                    // The last one of a repeated key wins.
                    modules.truncate(index + 1);
                    reader.enter(b'[')?;
                    open.push((Level::ChildrenOf(index), true));
                }
                Some(_) => {
                    reader.raw()?;
                }
                None => {
                    open.pop();
                }
            },
            Level::ChildrenOf(parent) if reader.next_element(is_first)? => {
                module(reader, &mut modules, &mut open, Some(parent))?;
            }
            Level::ChildrenOf(_) => {
                open.pop();
            }
        }
    }
    Ok(modules)
}

/// Joins the resources of all modules, and tells each its module.
pub(super) fn resources<'t>(modules: Vec<Module<'t>>) -> Vec<StateResource<'t>> {
    let mut resources = Vec::with_capacity(modules.iter().map(|module| module.resources.len()).sum());
    // Whether each module or one around it has had a resource.
    let mut has_had = Vec::with_capacity(modules.len());
    for (index, module) in modules.into_iter().enumerate() {
        let around = module.parent.is_some_and(|parent| has_had[parent]);
        has_had.push(around || !module.resources.is_empty());
        for (i, resource) in module.resources.into_iter().enumerate() {
            resources.push(StateResource {
                module_address: module.address.clone(),
                module: index,
                follows_resources: around && i == 0,
                ..resource
            });
        }
    }
    resources
}

fn resource<'t>(reader: &mut Reader<'t>) -> Result<StateResource<'t>, JsonError> {
    let mut resource = StateResource::default();
    reader.members(|key, reader| {
        let place = match &*key {
            "address" => &mut resource.address,
            "mode" => &mut resource.mode,
            "type" => &mut resource.resource_type,
            "name" => &mut resource.name,
            "provider_name" => &mut resource.provider_name,
            "values" => {
                resource.values = reader.raw()?;
                return Ok(());
            }
            "index" => {
                resource.index = Some(reader.raw()?).filter(|index| index.text() != "null");
                return Ok(());
            }
            "depends_on" => {
                resource.depends_on = reader.raw()?;
                return Ok(());
            }
            "sensitive_values" => {
                resource.sensitive = Sensitive::Values(reader.raw()?);
                return Ok(());
            }
            "tainted" => {
                resource.tainted = flag(reader)?.unwrap_or_default();
                return Ok(());
            }
            "deposed_key" => {
                resource.deposed = text(reader)?.filter(|key| !key.is_empty());
                return Ok(());
            }
            _ => return reader.raw().map(|_| ()),
        };
        *place = text(reader)?.unwrap_or_default();
        Ok(())
    })?;
    Ok(resource)
}

pub(super) fn output<'t>(name: Text<'t>, reader: &mut Reader<'t>) -> Result<StateOutput<'t>, JsonError> {
    let (value, value_type) = (Raw::NULL, Raw::NULL);
    let mut output = StateOutput { name, value, value_type, sensitive: false, ty: OnceLock::new() };
    reader.members(|key, reader| {
        match &*key {
            "value" => output.value = reader.raw()?,
            "type" => output.value_type = reader.raw()?,
            "sensitive" => output.sensitive = flag(reader)?.unwrap_or_default(),
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    Ok(output)
}
