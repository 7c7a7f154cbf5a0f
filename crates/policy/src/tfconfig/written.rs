//! The collections of a configuration, as policy authors know them.

use serde::ser::{SerializeMap, Serializer};

use super::{ModuleCall, Output, Provider, Resource, TfConfig, Variable};
use crate::collection::{As, Collected, Secrets, items};

impl Collected for TfConfig<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(6))?;
        fields.serialize_entry("providers", &As(&self.providers, secrets))?;
        fields.serialize_entry("resources", &As(&self.resources, secrets))?;
        fields.serialize_entry("provisioners", &As(&self.provisioners, secrets))?;
        fields.serialize_entry("variables", &As(&self.variables, secrets))?;
        fields.serialize_entry("outputs", &As(&self.outputs, secrets))?;
        fields.serialize_entry("module_calls", &As(&self.module_calls, secrets))?;
        fields.end()
    }
}

items! {
    Provider(item) {
        "provider_config_key": Text = Text(&item.provider_config_key),
        "name": Text = Text(&item.name),
        "full_name": Text = Text(&item.full_name),
        "alias": Text = Text(&item.alias),
        "module_address": Text = Text(&item.module_address),
        "config": Expressions = if item.is_schemaless { Value(None) } else { Expressions(&item.config) },
        "version_constraint": Text = Text(&item.version_constraint),
    }
    Resource(item) {
        "address": Text = Text(&item.address),
        "module_address": Text = Text(&item.module_address),
        "mode": Mode = Text(&item.mode),
        "type": Text = Text(&item.resource_type),
        "name": Text = Text(&item.name),
        "provider_config_key": Text = Text(&item.provider_config_key),
        "provisioners": Provisioners = Provisioners(&item.provisioners),
        "config": Expressions = if item.is_schemaless { Value(None) } else { Expressions(&item.config) },
        "count": Expressions = Expressions(&item.count),
        "for_each": Expressions = Expressions(&item.for_each),
        "depends_on": Texts = Texts((&item.depends_on).into()),
    }
    Variable(item) {
        "module_address": Text = Text(&item.module_address),
        "name": Text = Text(&item.name),
        "default": Value = Value(Some(item.default())),
        "description": Text = Text(&item.description),
    }
    Output(item) {
        "module_address": Text = Text(&item.module_address),
        "name": Text = Text(&item.name),
        "sensitive": Bool = Bool(item.sensitive),
        "value": Expressions = Expressions(&item.value),
        "description": Text = Text(&item.description),
        "depends_on": Texts = Texts((&item.depends_on).into()),
    }
    ModuleCall(item) {
        "module_address": Text = Text(&item.module_address),
        "name": Text = Text(&item.name),
        "source": Text = Text(&item.source),
        "config": Expressions = Expressions(&item.config),
        "count": Expressions = Expressions(&item.count),
        "for_each": Expressions = Expressions(&item.for_each),
        "depends_on": Texts = Texts((&item.depends_on).into()),
        "version_constraint": Text = Text(&item.version_constraint),
    }
}
