//! Schemas of mocked providers that nobody has: what the configuration and the mocks say of their types.
//!
//! A type has the attributes and blocks that are written in any of its blocks, those that mocks give, and every name that is
//! referred to anywhere, of any type. Nobody knows which of them are computed, so all may be. Values that neither the
//! configuration nor a mock gives are made up, and decide nothing.

use std::collections::{BTreeMap, BTreeSet};

use objchange::Value;
use objchange::address::Mode;
use objchange::schema::{Block, NestingMode, ProviderSchemas};
use objchange::value::{Kind, Path};
use objchange_hcl::{Body, MoveTarget, Scope, Variables, evaluate};
use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;

use super::load::{SuiteFile, TestSuite};
use crate::inferred::Written;
use crate::plan::evaluated::dynamic;
use crate::{ProviderAddress, Schemas};

/// Arguments that Terraform itself has in every resource: no schema may have them.
const META_ARGUMENTS: [&str; 7] =
    ["connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"];

/// The providers without schemas that mocks take the place of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assumed {
    pub(crate) providers: BTreeSet<ProviderAddress>,
    /// The names of attributes whose parts are referred to: their values are no texts.
    structured: BTreeSet<SmolStr>,
    /// The types with names whose elements are referred to by numbers: these have no sets.
    lists: BTreeSet<(SmolStr, SmolStr)>,
}

impl Assumed {
    /// Whether an attribute or block of a type is a list for certain.
    pub(super) fn is_list(&self, resource_type: &str, name: &str) -> bool {
        self.lists.contains(&(resource_type.into(), name.into()))
    }

    /// Whether an attribute that nothing gives may be a text: most are, such as `id` and `arn`.
    pub(super) fn is_text(&self, name: &str) -> bool {
        let is_plural = name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("us");
        !is_plural && !self.structured.contains(name)
    }
}

impl TestSuite {
    /// Whether test files mock all of a provider: each one that uses it does, and no run makes something of it that cannot be
    /// mocked without a schema.
    pub fn mocks_all_of(&self, provider: &ProviderAddress) -> bool {
        let is_mocked = |file: &SuiteFile| {
            let mut modules = file.modules.iter().map(|module| &self.modules[*module].config);
            let is_used = modules.any(|config| config.providers().contains(provider));
            let is_it = |name: &SmolStr| self.provider_named(file, name) == *provider;
            let has_block = file.file.providers.iter().any(|block| is_it(&block.name));
            !is_used || !has_block && file.file.mock_providers.iter().any(|mock| is_it(&mock.name))
        };
        let has_others = self.configs().any(|config| {
            config.modules.iter().enumerate().any(|(id, module)| {
                let mut ephemeral =
                    module.config.resources.keys().filter(|name| name.mode == Mode::Ephemeral);
                ephemeral.any(|name| config.provider_config_of(id, name).provider == *provider)
                    || module
                        .config
                        .actions
                        .keys()
                        .any(|name| config.provider_config_of_action(id, name).provider == *provider)
            })
        });
        !has_others && self.files.iter().all(is_mocked)
    }

    /// Adds schemas of these providers, made of what the configuration and the mocks say of them.
    pub fn assume_schemas(&self, schemas: &mut Schemas, providers: BTreeSet<ProviderAddress>) {
        let names = self.referred_names();
        let mut all = Map::new();
        for provider in &providers {
            let mut parts = json!({"provider": {"version": 0, "block": self.provider_block(provider)}});
            for (mode, key) in [(Mode::Managed, "resource_schemas"), (Mode::Data, "data_source_schemas")] {
                let types = self.types(provider, mode).into_iter();
                let types: Map<String, Json> = types
                    .map(|(name, mut written)| {
                        written.attributes.extend(self.mocked_names(mode, &name));
                        (name.to_string(), json!({"version": 0, "block": block(&written, Some(&names))}))
                    })
                    .collect();
                parts[key] = Json::Object(types);
            }
            all.insert(provider.to_string(), parts);
        }
        let document = json!({"format_version": "1.0", "provider_schemas": all}).to_string();
        // A name that no schema may have leaves the schemas missing, which is reported as before.
        let Ok(document) = ProviderSchemas::parse(document) else { return };
        let structured = names.into_iter().filter(|(_, is_structured)| *is_structured);
        let structured = structured.map(|(name, _)| name).collect();
        let lists = self.numbered_names();
        schemas.push_assumed(document, Assumed { providers, structured, lists });
    }

    /// All that is written in the blocks of each type.
    fn types(&self, provider: &ProviderAddress, mode: Mode) -> BTreeMap<SmolStr, Written> {
        let mut bodies: BTreeMap<SmolStr, Vec<Body>> = BTreeMap::new();
        for config in self.configs() {
            for (id, module) in config.modules.iter().enumerate() {
                let resources = module.config.resources.iter().filter(|(name, _)| name.mode == mode);
                let own =
                    resources.filter(|(name, _)| config.provider_config_of(id, name).provider == *provider);
                for (name, resource) in own {
                    bodies.entry(name.resource_type.clone()).or_default().push(resource.body.generic());
                }
            }
        }
        let written = |bodies: Vec<Body>| Written::new(&bodies.iter().collect::<Vec<_>>());
        bodies.into_iter().map(|(name, bodies)| (name, written(bodies))).collect()
    }

    /// The schema of the configuration of a provider.
    fn provider_block(&self, provider: &ProviderAddress) -> Json {
        let mut bodies = Vec::new();
        for config in self.configs() {
            for (id, module) in config.modules.iter().enumerate() {
                let blocks = module.config.providers.iter();
                let own = blocks.filter(|block| config.provider_named(id, &block.name) == *provider);
                bodies.extend(own.map(|block| block.body.generic()));
            }
        }
        block(&Written::new(&bodies.iter().collect::<Vec<_>>()), None)
    }

    /// The names that mocks of a type give, and overrides of any.
    fn mocked_names(&self, mode: Mode, type_name: &str) -> BTreeSet<SmolStr> {
        let mut found = BTreeSet::new();
        for file in &self.files {
            let mocks = file.mocks.iter().flatten();
            let objects = mocks.clone().flat_map(|data| &data.objects);
            let objects = objects.filter(|object| object.mode == mode && object.type_name == type_name);
            let runs = file.file.runs.iter().flat_map(|run| &run.overrides);
            let overrides = mocks.flat_map(|data| &data.overrides).chain(&file.file.overrides).chain(runs);
            let overrides = overrides.filter(|overriding| match &overriding.target {
                MoveTarget::Resource(address) => address.resource.resource_type == type_name,
                MoveTarget::Module(_) => false,
            });
            let values = objects.filter_map(|object| object.defaults.as_ref());
            for given in values.chain(overrides.filter_map(|overriding| overriding.values.as_ref())) {
                // Only the names matter, and these depend on no variable.
                let names: Variables = [("var", dynamic()), ("run", dynamic())].into_iter().collect();
                let value = evaluate(&given.expr, &Scope::new(&names), objchange_hcl::Functions::pure()).0;
                let members = value.as_object().into_iter().flat_map(objchange::value::Object::iter);
                found.extend(members.map(|(name, _)| name.clone()));
            }
        }
        found
    }

    /// The names behind dots in all files, and in brackets, and whether more steps follow one of them. Which object a name is of
    /// cannot be told in general: it may be that of a loop.
    fn referred_names(&self) -> BTreeMap<SmolStr, bool> {
        let mut found = BTreeMap::from([(SmolStr::new("id"), false)]);
        let texts = self.configs().flat_map(|config| config.sources.iter());
        for (_, text, _) in texts {
            for (at, _) in text.match_indices(['.', '"']) {
                let rest = &text[at + 1..];
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let (name, after) = rest.split_at(length);
                if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                    continue;
                }
                if text[..at + 1].ends_with('"') && !(text[..at].ends_with('[') && after.starts_with("\"]")) {
                    continue;
                }
                let after = after.trim_start_matches("\"]");
                *found.entry(name.into()).or_default() |= after.starts_with(['.', '[']);
            }
        }
        found.retain(|name, _| !META_ARGUMENTS.contains(&name.as_str()));
        found
    }

    /// The names in front of a number in brackets, each with all names before it, among which is the type.
    fn numbered_names(&self) -> BTreeSet<(SmolStr, SmolStr)> {
        let mut found = BTreeSet::new();
        for (_, text, _) in self.configs().flat_map(|config| config.sources.iter()) {
            for (at, _) in text.match_indices('[') {
                if text[at + 1..].starts_with(|c: char| c.is_ascii_digit()) {
                    let names: Vec<&str> = names_before(&text[..at]).collect();
                    if let Some((name, before)) = names.split_last() {
                        found.extend(before.iter().map(|before| ((*before).into(), (*name).into())));
                    }
                }
            }
        }
        found
    }
}

/// The names in a reference that ends here: those between dots and brackets.
fn names_before(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | '"' | '*');
    let start =
        text.rfind(|c| !is_part(c)).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    text[start..].split(['.', '[', ']', '"', '*']).filter(|name| !name.is_empty())
}

/// The schema of a block as JSON. Without `names` nothing in it is computed.
fn block(written: &Written, names: Option<&BTreeMap<SmolStr, bool>>) -> Json {
    let mut attributes = Map::new();
    for name in written.attributes.iter().chain(names.into_iter().flat_map(BTreeMap::keys)) {
        if !written.blocks.contains_key(name) && !META_ARGUMENTS.contains(&name.as_str()) {
            let attribute = json!({"type": "dynamic", "optional": true, "computed": names.is_some()});
            attributes.insert(name.to_string(), attribute);
        }
    }
    let blocks: Map<String, Json> = written
        .blocks
        .iter()
        .map(|(name, inner)| {
            (name.to_string(), json!({"nesting_mode": "list", "block": block(inner, names)}))
        })
        .collect();
    json!({"attributes": attributes, "block_types": blocks})
}

/// The parts of an object that neither its configuration nor a mock gives.
pub(super) fn not_given(schema: &Block, config: &Value, given: Option<&Value>) -> Vec<Path> {
    let mut found = Vec::new();
    add_not_given(schema, config, given, &Path::root(), &mut found);
    found
}

fn add_not_given(schema: &Block, config: &Value, given: Option<&Value>, path: &Path, found: &mut Vec<Path>) {
    let given = |name: &str| given?.attribute(name).cloned();
    for (name, _) in schema.attributes() {
        let is_configured = config.attribute(name).is_some_and(|value| !value.is_null());
        if !is_configured && given(name).is_none() {
            found.push(path.clone().attribute(name.clone()));
        }
    }
    for (name, nested) in
        schema.block_types().iter().filter(|(_, nested)| nested.nesting == NestingMode::List)
    {
        let blocks = config.attribute(name).map(|blocks| blocks.unmark().0);
        let Some(Kind::List(elements) | Kind::Tuple(elements)) = blocks.as_ref().map(Value::kind) else {
            continue;
        };
        for (at, element) in elements.iter().enumerate() {
            let path = path.clone().attribute(name.clone()).index(at as i64);
            add_not_given(&nested.block, element, given(name).as_ref(), &path, found);
        }
    }
}
