//! Sensitive parts of a configuration: values that it marks itself, and constants of attributes that the plan's changes
//! mark. The configuration section has no marks of attributes.

use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;
use objchange::address::strip_keys;
use objchange::schema::{ProviderSchemas, SchemaKind};

use super::{DocumentError, HiddenNames, Plan, Schemas, StatedMarks, says_sensitive};
use crate::json::{Json, Raw, View};
use crate::mask::MaskedNames;

/// The sensitive parts of a configuration.
///
/// ```
/// use objchange_document::{ConfigMarks, HiddenNames, Plan};
///
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","resource_changes":[{"address":"disk.a[0]","mode":"managed","type":"disk","name":"a",
///     "provider_name":"p","change":{"actions":["create"],"before":null,"after":{"key":"x"},
///     "after_sensitive":{"key":true}}}]}"#,
/// )?;
/// let marks = ConfigMarks::new(&plan)?;
/// let of_disk = marks.of_resource("disk.a").unwrap();
/// assert!(of_disk.below("key").is_some_and(HiddenNames::has_all));
/// # Ok::<(), objchange_document::DocumentError>(())
/// ```
pub struct ConfigMarks<'t> {
    configuration: Json<'t>,
    stated: StatedMarks<'t>,
    /// By the address of the resource.
    resources: HashMap<String, Arc<HiddenNames>>,
    providers: ProviderSecrets,
    masked: MaskedNames,
}

/// The sensitive arguments of providers, which no plan marks.
#[derive(Debug, Default)]
enum ProviderSecrets {
    /// Nothing of it is hidden.
    #[default]
    Shown,
    /// By the address of the provider; all constants of a provider that is not there.
    Hidden(HashMap<String, Arc<HiddenNames>>),
}

impl<'t> ConfigMarks<'t> {
    /// Takes the marks from the sections of a plan, its schemas and its masked names.
    ///
    /// # Errors
    ///
    /// A section has not the form that it is to have. The error says where.
    pub fn new(plan: &Plan<'t>) -> Result<Self, DocumentError> {
        let configuration = plan.configuration().unwrap_or(Raw::NULL);
        let configuration = Json::read(&configuration)
            .map_err(|error| DocumentError::from_json(&error, plan.text(), "configuration"))?;
        let stated = StatedMarks::beside(plan, configuration.view())?;
        let mut names: HashMap<String, HiddenNames> = HashMap::new();
        for (address, marks) in stated.instances() {
            // All instances share one block of the configuration, so a mark of one hides its constants.
            names.entry(strip_keys(address)).or_default().add(marks);
        }
        let schemas = plan.schemas().and_then(Schemas::document);
        if let (Some(schemas), Some(root)) = (schemas, configuration.view().get("root_module")) {
            add_schemas(root, "", schemas, &mut names);
        }
        let resources = names.into_iter().map(|(address, names)| (address, Arc::new(names))).collect();
        let masked = plan.masked_names().clone();
        let marks = Self { configuration, stated, resources, providers: ProviderSecrets::Shown, masked };
        Ok(schemas.into_iter().fold(marks, Self::hiding_providers))
    }

    /// Hides the constants in provider configurations that their schemas call sensitive, and all constants of providers
    /// without a readable schema.
    pub fn hiding_providers(self, schemas: &ProviderSchemas) -> Self {
        let mut hidden = HashMap::new();
        for provider in schemas.providers() {
            if let Ok(Some(schema)) = schemas.get(provider, SchemaKind::Provider, "") {
                hidden.insert(provider.to_owned(), Arc::new(HiddenNames::of_block(&schema.block)));
            }
        }
        Self { providers: ProviderSecrets::Hidden(hidden), ..self }
    }

    /// The marks in the sections of the plan.
    pub fn stated(&self) -> &StatedMarks<'t> {
        &self.stated
    }

    /// The sensitive arguments of a provider's configuration.
    pub fn of_provider(&self, full_name: &str) -> Option<Arc<HiddenNames>> {
        match &self.providers {
            ProviderSecrets::Shown => None,
            ProviderSecrets::Hidden(known) => {
                Some(known.get(full_name).cloned().unwrap_or_else(|| Arc::new(HiddenNames::everything())))
            }
        }
    }

    /// The configuration itself.
    pub fn configuration(&self) -> View<'_, 't> {
        self.configuration.view()
    }

    /// The sensitive attributes of a resource.
    pub fn of_resource(&self, address: &str) -> Option<Arc<HiddenNames>> {
        self.resources.get(address).cloned()
    }

    /// Like [`ConfigMarks::of_resource`], by the address of an instance.
    pub fn of_instance(&self, address: &str) -> Option<Arc<HiddenNames>> {
        self.of_resource(&strip_keys(address))
    }

    /// The values to hide of these expressions: those with these names, and masked ones.
    pub fn masking(
        &self,
        hidden: Option<Arc<HiddenNames>>,
        expressions: Option<View<'_, '_>>,
    ) -> Option<Arc<HiddenNames>> {
        HiddenNames::with_masked(hidden, expressions, &self.masked)
    }

    /// Whether a variable of the root module is sensitive.
    pub fn is_sensitive_variable(&self, name: &str) -> bool {
        if self.masked.matches(name) {
            return true;
        }
        let root = self.configuration().get("root_module");
        root.and_then(|root| root.get("variables")?.get(name)).is_some_and(says_sensitive)
    }
}

impl fmt::Debug for ConfigMarks<'_> {
    /// Without the configuration, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigMarks").finish_non_exhaustive()
    }
}

/// Adds what schemas call sensitive or write-only of the resources of a module and of those that it calls, which a
/// configuration does not say: each constant is there. Where providers have types of one name, all that one of them says counts.
fn add_schemas(
    module: View<'_, '_>,
    prefix: &str,
    schemas: &ProviderSchemas,
    names: &mut HashMap<String, HiddenNames>,
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
                Ok(schema) => schema.map(|schema| HiddenNames::of_block(&schema.block)),
                // Nobody knows: all of it may be.
                Err(_) => Some(HiddenNames::everything()),
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
