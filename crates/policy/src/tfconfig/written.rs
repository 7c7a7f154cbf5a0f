//! The collections of a configuration, as policy authors know them.

use serde::ser::{SerializeMap, Serializer};

use super::{ModuleCall, Output, Provider, Provisioner, Resource, TfConfig, Variable};
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
    Provider(of) {
        "provider_config_key": Text = Text(&of.provider_config_key),
        "name": Text = Text(&of.name),
        "full_name": Text = Text(&of.full_name),
        "alias": Text = Text(&of.alias),
        "module_address": Text = Text(&of.module_address),
        "config": Expressions = Expressions(&of.config),
        "version_constraint": Text = Text(&of.version_constraint),
    }
    Resource(of) {
        "address": Text = Text(&of.address),
        "module_address": Text = Text(&of.module_address),
        "mode": Mode = Text(&of.mode),
        "type": Text = Text(&of.resource_type),
        "name": Text = Text(&of.name),
        "provider_config_key": Text = Text(&of.provider_config_key),
        "provisioners": Provisioners = Provisioners(&of.provisioners),
        "config": Expressions = Expressions(&of.config),
        "count": Expressions = Expressions(&of.count),
        "for_each": Expressions = Expressions(&of.for_each),
        "depends_on": Texts = Texts((&of.depends_on).into()),
    }
    Provisioner(of) {
        "resource_address": Text = Text(&of.resource_address),
        "type": Text = Text(&of.provisioner_type),
        "index": Text = Text(&of.index),
        "config": Expressions = Expressions(&of.config),
    }
    Variable(of) {
        "module_address": Text = Text(&of.module_address),
        "name": Text = Text(&of.name),
        "default": Value = Value(Some(of.default())),
        "description": Text = Text(&of.description),
    }
    Output(of) {
        "module_address": Text = Text(&of.module_address),
        "name": Text = Text(&of.name),
        "sensitive": Bool = Bool(of.sensitive),
        "value": Expressions = Expressions(&of.value),
        "description": Text = Text(&of.description),
        "depends_on": Texts = Texts((&of.depends_on).into()),
    }
    ModuleCall(of) {
        "module_address": Text = Text(&of.module_address),
        "name": Text = Text(&of.name),
        "source": Text = Text(&of.source),
        "config": Expressions = Expressions(&of.config),
        "count": Expressions = Expressions(&of.count),
        "for_each": Expressions = Expressions(&of.for_each),
        "depends_on": Texts = Texts((&of.depends_on).into()),
        "version_constraint": Text = Text(&of.version_constraint),
    }
}
