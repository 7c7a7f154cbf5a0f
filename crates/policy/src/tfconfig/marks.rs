//! Sensitive parts of a configuration: values that it marks itself, and constants of attributes that the plan's changes
//! mark. The configuration section has no marks of attributes.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;
use objchange::address::strip_keys;
use objchange::schema::{Attribute, Block, NestedType, NestingMode, ProviderSchemas, SchemaKind};
use objchange_plan::{DocumentError, Json, Plan, Raw, Schemas, Shape, StatedMarks, View, says_sensitive};

use crate::collection::read;

/// The sensitive parts of a configuration.
pub(crate) struct ConfigMarks<'t> {
    configuration: Json<'t>,
    stated: StatedMarks<'t>,
    /// By the address of the resource.
    resources: HashMap<String, Arc<Names>>,
    providers: ProviderSecrets,
}

/// The sensitive arguments of providers, which no plan marks.
#[derive(Debug, Default)]
enum ProviderSecrets {
    /// Nothing of it is hidden.
    #[default]
    Shown,
    /// By the address of the provider; all constants of a provider that is not there.
    Hidden(HashMap<String, Arc<Names>>),
}

/// Names of sensitive attributes, nested. Positions and keys in lists are skipped: a mark in one element or instance
/// applies to all.
#[derive(Debug, Default)]
pub(crate) struct Names {
    all: bool,
    below: BTreeMap<String, Names>,
}

impl<'t> ConfigMarks<'t> {
    pub(crate) fn new(plan: &Plan<'t>) -> Result<Self, DocumentError> {
        let configuration = plan.configuration().unwrap_or(Raw::NULL);
        let configuration = read(plan.text(), &configuration, "configuration")?;
        let stated = StatedMarks::beside(plan, configuration.view())?;
        let mut names: HashMap<String, Names> = HashMap::new();
        for (address, marks) in stated.instances() {
            names.entry(strip_keys(address)).or_default().add(marks);
        }
        let schemas = plan.schemas().and_then(Schemas::document);
        if let (Some(schemas), Some(root)) = (schemas, configuration.view().get("root_module")) {
            add_schemas(root, "", schemas, &mut names);
        }
        let resources = names.into_iter().map(|(address, names)| (address, Arc::new(names))).collect();
        let marks = Self { configuration, stated, resources, providers: ProviderSecrets::Shown };
        Ok(schemas.into_iter().fold(marks, Self::hiding_providers))
    }

    /// Hides the constants in provider configurations that their schemas call sensitive, and all constants of providers
    /// without a readable schema.
    pub(crate) fn hiding_providers(self, schemas: &ProviderSchemas) -> Self {
        let mut hidden = HashMap::new();
        for provider in schemas.providers() {
            if let Ok(Some(schema)) = schemas.get(provider, SchemaKind::Provider, "") {
                hidden.insert(provider.to_owned(), Arc::new(Names::of_block(&schema.block)));
            }
        }
        Self { providers: ProviderSecrets::Hidden(hidden), ..self }
    }

    /// The marks in the sections of the plan.
    pub(crate) fn stated(&self) -> &StatedMarks<'t> {
        &self.stated
    }

    /// The sensitive arguments of a provider's configuration.
    pub(crate) fn of_provider(&self, full_name: &str) -> Option<Arc<Names>> {
        match &self.providers {
            ProviderSecrets::Shown => None,
            ProviderSecrets::Hidden(known) => Some(known.get(full_name).cloned().unwrap_or_else(Names::all)),
        }
    }

    pub(crate) fn configuration(&self) -> View<'_, 't> {
        self.configuration.view()
    }

    /// The sensitive attributes of a resource.
    pub(crate) fn of_resource(&self, address: &str) -> Option<Arc<Names>> {
        self.resources.get(address).cloned()
    }

    /// Like [`ConfigMarks::of_resource`], by the address of an instance.
    pub(crate) fn of_instance(&self, address: &str) -> Option<Arc<Names>> {
        self.of_resource(&strip_keys(address))
    }

    /// Whether a variable of the root module is sensitive.
    pub(crate) fn is_sensitive_variable(&self, name: &str) -> bool {
        let root = self.configuration().get("root_module");
        root.and_then(|root| root.get("variables")?.get(name)).is_some_and(says_sensitive)
    }
}

/// Adds what schemas call sensitive or write-only of the resources of a module and of those that it calls, which a
/// configuration does not say: each constant is there. Where providers have types of one name, all that one of them says counts.
fn add_schemas(
    module: View<'_, '_>,
    prefix: &str,
    schemas: &ProviderSchemas,
    names: &mut HashMap<String, Names>,
) {
    let text =
        |of: View<'_, '_>, name: &str| of.get(name).and_then(View::as_str).unwrap_or_default().to_owned();
    for resource in module.get("resources").iter().flat_map(|resources| resources.elements().iter()) {
        let kind = match text(resource, "mode").as_str() {
            "data" => SchemaKind::DataSource,
            "ephemeral" => SchemaKind::EphemeralResource,
            _ => SchemaKind::Resource,
        };
        let resource_type = text(resource, "type");
        let found =
            schemas.providers().filter_map(|provider| match schemas.get(provider, kind, &resource_type) {
                Ok(schema) => schema.map(|schema| Names::of_block(&schema.block)),
                // Nobody knows: all of it may be.
                Err(_) => Some(Names { all: true, ..Names::default() }),
            });
        let known = names.entry(format!("{prefix}{}", text(resource, "address"))).or_default();
        found.for_each(|found| known.join(found));
    }
    for (name, call) in module.get("module_calls").iter().flat_map(|calls| calls.members().iter()) {
        if let Some(called) = call.get("module") {
            add_schemas(called, &format!("{prefix}module.{name}."), schemas, names);
        }
    }
}

impl Names {
    /// All of it.
    pub(crate) fn all() -> Arc<Self> {
        Arc::new(Self { all: true, below: BTreeMap::new() })
    }

    /// The attributes that a schema calls sensitive or write-only.
    fn of_block(block: &Block) -> Self {
        let mut names = Self::default();
        for (name, attribute) in block.attributes() {
            names.add_attribute(name, attribute);
        }
        for (name, nested) in block.block_types() {
            names.add_nested(name, nested.nesting, Self::of_block(&nested.block));
        }
        names
    }

    /// Below a map are its keys, which no schema knows: it is sensitive as a whole if anything in it is.
    fn add_nested(&mut self, name: &str, nesting: NestingMode, names: Self) {
        let names = match nesting {
            NestingMode::Map if names.has_any() => Self { all: true, below: BTreeMap::new() },
            _ => names,
        };
        self.below.insert(name.to_owned(), names);
    }

    fn has_any(&self) -> bool {
        self.all || self.below.values().any(Self::has_any)
    }

    fn add_attribute(&mut self, name: &str, attribute: &Attribute) {
        let mut names = Self { all: attribute.sensitive || attribute.write_only, ..Self::default() };
        for (name, attribute) in attribute.nested().into_iter().flat_map(NestedType::attributes) {
            names.add_attribute(name, attribute);
        }
        let nesting = attribute.nested().map_or(NestingMode::Single, NestedType::nesting);
        self.add_nested(name, nesting, names);
    }

    /// The names in these marks.
    pub(crate) fn of_marks<'v, 't: 'v>(marks: impl Iterator<Item = View<'v, 't>>) -> Self {
        let mut names = Self::default();
        marks.for_each(|marks| names.add(marks));
        names
    }

    /// The arguments of a call whose variables are sensitive.
    pub(crate) fn of_arguments(call: View<'_, '_>) -> Option<Arc<Self>> {
        let variables = call.get("module")?.get("variables")?.members();
        let sensitive = variables.iter().filter(|(_, variable)| says_sensitive(*variable));
        let below: BTreeMap<_, _> =
            sensitive.map(|(name, _)| (name.to_owned(), Self { all: true, ..Self::default() })).collect();
        (!below.is_empty()).then(|| Arc::new(Self { all: false, below }))
    }

    pub(crate) fn has_all(&self) -> bool {
        self.all
    }

    /// The sensitive names of a member.
    pub(crate) fn below(&self, name: &str) -> Option<&Self> {
        if self.all { Some(self) } else { self.below.get(name) }
    }

    fn join(&mut self, other: Self) {
        self.all |= other.all;
        for (name, names) in other.below {
            self.below.entry(name).or_default().join(names);
        }
    }

    fn add(&mut self, marks: View<'_, '_>) {
        match marks.shape() {
            Shape::Null | Shape::Bool(false) => {}
            Shape::Bool(true) | Shape::String(_) | Shape::Number(_) => self.all = true,
            Shape::Array(elements) => elements.iter().for_each(|element| self.add(element)),
            Shape::Object(members) => {
                for (name, marks) in members.iter().filter(|(_, marks)| !marks.is_empty()) {
                    self.below.entry(name.to_owned()).or_default().add(marks);
                }
            }
        }
    }
}
