//! Ephemeral resources.

use objchange::value::{Marks, Path};
use objchange::{Type, Value};
use objchange_hcl::{Decoded, Scope, Variables};

use super::graph::ResourceNode;
use super::managed::Instance;
use super::resource::value_place;
use super::walk::Walk;
use crate::marking::mark_kept;
use crate::providers::{DataAnswer, ProvidersExt};

impl<'c> Walk<'_, 'c> {
    /// An ephemeral resource: open while planning, unless its configuration is not known; its values are unknown without
    /// its provider.
    pub(crate) fn ephemeral(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
    ) -> Value {
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        let schema = instance.schema;
        let ty = if resource.is_inferred { Type::Dynamic } else { schema.block.implied_type().clone() };
        let unknown = Value::unknown(ty).with_marks(Marks::EPHEMERAL);
        if !self.preconditions(instance, resource, &scope) {
            return unknown;
        }
        let Some(decoded) = self.ephemeral_config(instance, resource, &scope) else { return unknown };
        let (config, marks) = decoded.value.unmark_deep_with_paths();
        if resource.is_inferred || !config.is_wholly_known() {
            return unknown;
        }
        let address = instance.address.to_string();
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        let value = match self.providers.open(instance.provider, &address, schema, &config) {
            DataAnswer::NotKnown => return unknown,
            DataAnswer::Known(value, warnings) => {
                self.provider_diagnostics(warnings, Some(&address), Some(&place));
                value
            }
            DataAnswer::Failed(found) => {
                self.provider_diagnostics(found, Some(&address), Some(&place));
                return unknown;
            }
        };
        let value = mark_kept(&schema.block, &value.mark_where_present(&marks));
        self.secrets.learn(&schema.block, &value);
        let value = value.with_marks(Marks::EPHEMERAL);
        self.postconditions(instance, resource, &scope, &value);
        value
    }

    /// The configuration of an ephemeral resource, in which ephemeral values are at home.
    pub(crate) fn ephemeral_config<'r>(
        &mut self,
        instance: &Instance<'_>,
        resource: &'r ResourceNode<'c>,
        scope: &Scope<'_>,
    ) -> Option<Decoded<'r>> {
        let decoded = self.decoded_config(instance, resource, scope)?;
        self.validated(instance, resource, decoded)
    }
}
