//! Building the collections of a configuration.

use std::collections::HashSet;
use std::sync::Arc;

use objchange_document::json::{Shape, View};
use objchange_document::{ConfigMarks, DocumentError, HiddenNames, MissingKind, Plan, Text, says_sensitive};

use super::{Expressions, ModuleCall, Output, Provider, Provisioner, Resource, TfConfig, Variable};
use crate::collection::prefixed;

/// The parts of a plan beside the configuration that say more of it.
struct Known<'m, 't> {
    marks: &'m ConfigMarks<'t>,
    schemaless: Schemaless,
}

/// The configurations of providers whose schemas were missing when the plan was made.
struct Schemaless {
    is_any: bool,
    /// The keys of the providers that had schemas.
    others: HashSet<String>,
}

impl Schemaless {
    fn new(plan: &Plan<'_>, configuration: View<'_, '_>) -> Self {
        let missing = plan.missing();
        let missing: HashSet<&str> = missing
            .iter()
            .filter(|missing| missing.kind == MissingKind::Schema)
            .map(|missing| &*missing.address)
            .collect();
        let providers = named(part(configuration, "provider_config"));
        let others = providers.filter(|(_, provider)| !missing.contains(&*text(*provider, "full_name")));
        Self { is_any: !missing.is_empty(), others: others.map(|(key, _)| key.to_string()).collect() }
    }

    /// Whether the provider of this key had no schemas, or may have had none.
    fn has(&self, key: &str) -> bool {
        self.is_any && !self.others.contains(key)
    }
}

impl<'t> TfConfig<'t> {
    /// The collections of the configuration that a plan was made from; without one they are empty.
    ///
    /// # Errors
    ///
    /// That part of the plan is not JSON, or has not the form that it is to have. The error says where.
    pub fn new(plan: &Plan<'t>) -> Result<Self, DocumentError> {
        Self::with_marks(plan, &ConfigMarks::new(plan)?)
    }

    /// Reads the configuration with marks that may hide more.
    pub(crate) fn with_marks(plan: &Plan<'t>, marks: &ConfigMarks<'t>) -> Result<Self, DocumentError> {
        let mut config = Self::default();
        let root = marks.configuration();
        // A `resources` that is no array would look empty, and every policy over it would pass.
        if let (Some(part), Some((wrong, expected))) = (plan.configuration(), wrong_part(root)) {
            let error = part.reader().error(expected);
            return Err(DocumentError::from_json(&error, plan.text(), &format!("configuration.{wrong}")));
        }
        let known = Known { marks, schemaless: Schemaless::new(plan, root) };
        if let Some(providers) = root.get("provider_config") {
            for (key, provider) in named(providers) {
                let provider = Provider::new(&key, provider, &known);
                config.providers.insert(provider.provider_config_key.clone(), provider);
            }
        }
        if let Some(module) = root.get("root_module") {
            config.add_module(module, &Text::default(), &known);
        }
        Ok(config)
    }

    /// Adds a module and those that it calls. How deep they nest was limited when the configuration was read.
    fn add_module(&mut self, module: View<'_, 't>, address: &Text<'t>, known: &Known<'_, 't>) {
        for resource in part(module, "resources").elements().iter() {
            let resource = Resource::new(resource, address, known);
            for provisioner in &resource.provisioners {
                let key = Text::from(format!("{}:{}", provisioner.resource_address, provisioner.index));
                self.provisioners.insert(key, provisioner.clone());
            }
            self.resources.insert(resource.address.clone(), resource);
        }
        for (name, variable) in named(part(module, "variables")) {
            let key = prefixed(address, ':', &name);
            self.variables.insert(key, Variable::new(name, variable, address));
        }
        for (name, output) in named(part(module, "outputs")) {
            let key = prefixed(address, ':', &name);
            self.outputs.insert(key, Output::new(name, output, address, known));
        }
        for (name, call) in named(part(module, "module_calls")) {
            let key = prefixed(address, ':', &name);
            // Instances share the configuration, so module addresses have no keys here.
            let called = prefixed(address, '.', &Text::from(format!("module.{name}")));
            self.module_calls.insert(key, ModuleCall::new(name, call, address, known));
            self.add_module(part(call, "module"), &called, known);
        }
    }
}

/// Finds the first part of a configuration with a wrong shape, and names the right one.
fn wrong_part(root: View<'_, '_>) -> Option<(String, &'static str)> {
    let wrong = |parent: View<'_, '_>, path: &str, name: &str| {
        let is_wrong = match (parent.get(name)?.shape(), name) {
            (Shape::Array(_), "resources") => false,
            (Shape::Object(_), name) => name == "resources",
            _ => true,
        };
        let expected = if name == "resources" { "expected an array" } else { "expected an object" };
        is_wrong.then(|| (format!("{path}{name}"), expected))
    };
    let mut modules = vec![(part(root, "root_module"), "root_module.".to_owned())];
    let mut found = wrong(root, "", "provider_config").or_else(|| wrong(root, "", "root_module"));
    while let (None, Some((module, path))) = (&found, modules.pop()) {
        let names = ["resources", "variables", "outputs", "module_calls"];
        found = names.into_iter().find_map(|name| wrong(module, &path, name));
        for (name, call) in part(module, "module_calls").members().iter() {
            let path = format!("{path}module_calls.{name}.");
            found = found.or_else(|| wrong(call, &path, "module"));
            modules.push((part(call, "module"), format!("{path}module.")));
        }
    }
    found
}

impl<'t> Provider<'t> {
    fn new(key: &Text<'t>, provider: View<'_, 't>, known: &Known<'_, 't>) -> Self {
        let module_address = text(provider, "module_address");
        let hidden = known.marks.of_provider(&text(provider, "full_name"));
        Self {
            provider_config_key: prefixed(&module_address, ':', &own_key(key)),
            name: text(provider, "name"),
            full_name: text(provider, "full_name"),
            alias: text(provider, "alias"),
            module_address,
            config: expressions(provider, "expressions", hidden, known.marks),
            version_constraint: text(provider, "version_constraint"),
            is_schemaless: known.schemaless.has(key),
        }
    }
}

impl<'t> Resource<'t> {
    fn new(resource: View<'_, 't>, module: &Text<'t>, known: &Known<'_, 't>) -> Self {
        let address = prefixed(module, '.', &text(resource, "address"));
        let provisioners = part(resource, "provisioners").elements().iter().enumerate();
        let provisioners = provisioners.map(|(index, provisioner)| Provisioner {
            resource_address: address.clone(),
            provisioner_type: text(provisioner, "type"),
            // A text, as in Sentinel's documentation.
            index: Text::from(index.to_string()),
            config: expressions(provisioner, "expressions", None, known.marks),
        });
        Self {
            module_address: module.clone(),
            mode: text(resource, "mode"),
            resource_type: text(resource, "type"),
            name: text(resource, "name"),
            // Sentinel prefixes the resource's own module even where the provider is configured in the root (808 of 808
            // in published mocks).
            provider_config_key: prefixed(module, ':', &own_key(&text(resource, "provider_config_key"))),
            provisioners: provisioners.collect(),
            config: expressions(resource, "expressions", known.marks.of_resource(&address), known.marks),
            count: expressions(resource, "count_expression", None, known.marks),
            for_each: expressions(resource, "for_each_expression", None, known.marks),
            depends_on: texts(resource, "depends_on"),
            is_schemaless: known.schemaless.has(&text(resource, "provider_config_key")),
            address,
        }
    }
}

impl<'t> Variable<'t> {
    fn new(name: Text<'t>, variable: View<'_, 't>, module: &Text<'t>) -> Self {
        Self {
            module_address: module.clone(),
            name,
            description: text(variable, "description"),
            sensitive: says_sensitive(variable),
            default: part(variable, "default").to_json(),
        }
    }
}

impl<'t> Output<'t> {
    fn new(name: Text<'t>, output: View<'_, 't>, module: &Text<'t>, known: &Known<'_, 't>) -> Self {
        let sensitive = says_sensitive(output);
        let hidden = sensitive.then(|| Arc::new(HiddenNames::everything()));
        Self {
            module_address: module.clone(),
            name,
            sensitive,
            value: expressions(output, "expression", hidden, known.marks),
            description: text(output, "description"),
            depends_on: texts(output, "depends_on"),
        }
    }
}

impl<'t> ModuleCall<'t> {
    fn new(name: Text<'t>, call: View<'_, 't>, module: &Text<'t>, known: &Known<'_, 't>) -> Self {
        Self {
            module_address: module.clone(),
            name,
            source: text(call, "source"),
            config: expressions(call, "expressions", HiddenNames::of_arguments(call), known.marks),
            count: expressions(call, "count_expression", None, known.marks),
            for_each: expressions(call, "for_each_expression", None, known.marks),
            depends_on: texts(call, "depends_on"),
            version_constraint: text(call, "version_constraint"),
        }
    }
}

/// The key of a provider's configuration within its module.
fn own_key<'t>(key: &Text<'t>) -> Text<'t> {
    // Documents have `module.a:aws` for a provider in a module, and `aws` in the root. Sentinel's keys get their module
    // anew.
    match key.rsplit_once(':') {
        Some((_, own)) => Text::from(own.to_owned()),
        None => key.clone(),
    }
}

fn named<'v, 't>(object: View<'v, 't>) -> impl Iterator<Item = (Text<'t>, View<'v, 't>)> {
    std::iter::zip(object.members().keys(), object.members().iter().map(|(_, member)| member))
}

fn part<'v, 't>(view: View<'v, 't>, name: &str) -> View<'v, 't> {
    view.get(name).unwrap_or(view.null())
}

fn text<'t>(view: View<'_, 't>, name: &str) -> Text<'t> {
    part(view, name).text().unwrap_or_default()
}

fn texts<'t>(view: View<'_, 't>, name: &str) -> Vec<Text<'t>> {
    part(view, name).elements().iter().filter_map(View::text).collect()
}

/// The expressions in a part of the configuration, where these names are hidden, and masked ones.
fn expressions<'t>(
    view: View<'_, 't>,
    name: &str,
    hidden: Option<Arc<HiddenNames>>,
    marks: &ConfigMarks<'t>,
) -> Expressions<'t> {
    let expressions = view.get(name);
    Expressions::new(expressions.map(View::to_json), marks.masking(hidden, expressions))
}
