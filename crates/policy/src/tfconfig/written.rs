//! The collections of a configuration, as policy authors know them.

use serde::ser::{SerializeMap, Serializer};

use super::{ModuleCall, Output, Provider, Provisioner, Resource, TfConfig, Variable};
use crate::collection::{As, Collected, Secrets};

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

impl Collected for Provider<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(7))?;
        fields.serialize_entry("provider_config_key", &self.provider_config_key)?;
        fields.serialize_entry("name", &self.name)?;
        fields.serialize_entry("full_name", &self.full_name)?;
        fields.serialize_entry("alias", &self.alias)?;
        fields.serialize_entry("module_address", &self.module_address)?;
        fields.serialize_entry("config", &As(&self.config, secrets))?;
        fields.serialize_entry("version_constraint", &self.version_constraint)?;
        fields.end()
    }
}

impl Collected for Resource<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(11))?;
        fields.serialize_entry("address", &self.address)?;
        fields.serialize_entry("module_address", &self.module_address)?;
        fields.serialize_entry("mode", &self.mode)?;
        fields.serialize_entry("type", &self.resource_type)?;
        fields.serialize_entry("name", &self.name)?;
        fields.serialize_entry("provider_config_key", &self.provider_config_key)?;
        fields.serialize_entry("provisioners", &As(self.provisioners.as_slice(), secrets))?;
        fields.serialize_entry("config", &As(&self.config, secrets))?;
        fields.serialize_entry("count", &As(&self.count, secrets))?;
        fields.serialize_entry("for_each", &As(&self.for_each, secrets))?;
        fields.serialize_entry("depends_on", &self.depends_on)?;
        fields.end()
    }
}

impl Collected for Provisioner<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(4))?;
        fields.serialize_entry("resource_address", &self.resource_address)?;
        fields.serialize_entry("type", &self.provisioner_type)?;
        fields.serialize_entry("index", &self.index)?;
        fields.serialize_entry("config", &As(&self.config, secrets))?;
        fields.end()
    }
}

impl Collected for Variable<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(4))?;
        fields.serialize_entry("module_address", &self.module_address)?;
        fields.serialize_entry("name", &self.name)?;
        fields.serialize_entry("default", &As(&self.default(), secrets))?;
        fields.serialize_entry("description", &self.description)?;
        fields.end()
    }
}

impl Collected for Output<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(6))?;
        fields.serialize_entry("module_address", &self.module_address)?;
        fields.serialize_entry("name", &self.name)?;
        fields.serialize_entry("sensitive", &self.sensitive)?;
        fields.serialize_entry("value", &As(&self.value, secrets))?;
        fields.serialize_entry("description", &self.description)?;
        fields.serialize_entry("depends_on", &self.depends_on)?;
        fields.end()
    }
}

impl Collected for ModuleCall<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(8))?;
        fields.serialize_entry("module_address", &self.module_address)?;
        fields.serialize_entry("name", &self.name)?;
        fields.serialize_entry("source", &self.source)?;
        fields.serialize_entry("config", &As(&self.config, secrets))?;
        fields.serialize_entry("count", &As(&self.count, secrets))?;
        fields.serialize_entry("for_each", &As(&self.for_each, secrets))?;
        fields.serialize_entry("depends_on", &self.depends_on)?;
        fields.serialize_entry("version_constraint", &self.version_constraint)?;
        fields.end()
    }
}
