//! The instances of a resource while a plan is applied.

use std::sync::Arc;

use objchange::Value;
use objchange::address::{InstanceKey, Mode};
use objchange::change::{
    ApplyRequest, ApplyResourceChange, InconsistentResultKind, Lifecycle, PlanChangeError, apply_change,
    assert_object_compatible,
};
use objchange::schema::Schema;
use objchange::value::{Marks, Path};
use objchange_hcl::{Scope, Variables};

use crate::marking::mark_kept;
use crate::plan::PlannedAction;
use crate::plan::evaluated::dynamic;
use crate::plan::graph::ResourceNode;
use crate::plan::instances::{Expanded, ModuleInstanceId};
use crate::plan::managed::{ChangeInputs, Instance};
use crate::plan::resource::{instance_address, value_place};
use crate::plan::walk::Walk;
use crate::plan::{CheckKind, PlannedObject};
use crate::providers::{DataAnswer, ProvidersExt};
use crate::state::StateObject;

impl<'c> Walk<'_, 'c> {
    /// Applies what is planned for all instances of a resource, in all instances of its module.
    pub(crate) fn apply_resource(
        &mut self,
        index: usize,
        resource: &ResourceNode<'c>,
        instances: Vec<ModuleInstanceId>,
    ) {
        let Some(schema) = resource.schema else { return };
        let schema = Arc::new(schema.clone());
        for at in instances {
            let (count, for_each) = (resource.config.count.as_ref(), resource.config.for_each.as_ref());
            let Some(expansion) = self.expand(index, at, count, for_each) else { continue };
            if matches!(expansion, Expanded::Undecided(_)) || self.world.instances[at].is_undecided {
                self.world.instances[at].resources.insert(resource.name.clone(), dynamic());
                continue;
            }
            let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
            let module = self.world.instances[at].address.clone();
            let text = crate::plan::graph::resource_text(resource.name);
            for (key, _) in expansion.iter() {
                self.checks.open(CheckKind::Resource, &module, &text, key);
            }
            let values = expansion.map(|key, repetition| {
                let address = instance_address(&module, resource.name, key);
                let Some(provider) = self.provider_instance((index, at), repetition, resource) else {
                    return dynamic();
                };
                let instance =
                    Instance { index, at, address, repetition, schema: &schema, provider: &provider };
                match resource.name.mode {
                    Mode::Managed => self.apply_managed(&instance, resource, &variables),
                    Mode::Data => self.apply_data(&instance, resource, &variables),
                    Mode::Ephemeral => self.ephemeral(&instance, resource, &variables),
                }
            });
            let values = match resource.name.mode == Mode::Managed && self.only_refreshes() {
                true => values.only(|key: Option<InstanceKey>| {
                    self.current(&instance_address(&module, resource.name, key)).is_some()
                }),
                false => values,
            };
            let value = self.with_invented_expansion(index, at, values.to_value());
            self.world.instances[at].resources.insert(resource.name.clone(), value);
        }
    }

    /// Returns the planned change of an instance, if there is a plan.
    fn planned(&self, instance: &Instance<'_>) -> Option<PlannedObject> {
        let applying = self.applying.as_ref()?;
        applying.changes.get(&instance.address).map(|change| (*change).clone())
    }

    /// The object that the state has of an instance; unknown where it has none.
    fn state_value(&self, instance: &Instance<'_>) -> Value {
        let unknown = || Value::unknown(instance.schema.block.implied_type().clone());
        let stored = self.current(&instance.address).map(|object| object.value.clone());
        stored.map_or_else(unknown, |stored| self.stored_with_inventions(instance, stored))
    }

    fn apply_managed(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
    ) -> Value {
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        let planned = match self.planned(instance) {
            None if !self.targets.includes_instance(&instance.address) => return self.state_value(instance),
            None | Some(PlannedObject { action: PlannedAction::Forget | PlannedAction::Delete, .. }) => {
                let value = self.state_value(instance);
                if self.preconditions(instance, resource, &scope)
                    && (self.current(&instance.address).is_some() || instance.address.key.is_none())
                {
                    self.postconditions(instance, resource, &scope, &value);
                }
                return value;
            }
            Some(planned) => planned,
        };
        if !self.preconditions(instance, resource, &scope) {
            return self.state_value(instance);
        }
        let value = match planned.action {
            PlannedAction::NoOp => {
                // The stored value becomes the planned one, whose marks come from the configuration.
                let value = planned.after.clone();
                if let Some(object) = self.current(&instance.address).cloned() {
                    let object = StateObject { value: value.clone(), ..object };
                    self.set_current(&instance.address, &resource.provider_config, Some(object));
                }
                self.stored_with_inventions(instance, value)
            }
            _ => match self.make(instance, resource, &scope, &planned) {
                Some(value) => value,
                None => return Value::unknown(instance.schema.block.implied_type().clone()),
            },
        };
        self.postconditions(instance, resource, &scope, &value);
        value
    }

    /// Makes a planned change; the new object, if that could be made.
    fn make(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
        planned: &PlannedObject,
    ) -> Option<Value> {
        let Instance { address, schema, .. } = instance;
        let decoded = self.config_object(instance, resource, scope)?;
        // A value that made-up ones cannot give is no reason to fail. Nobody knows what a provider would make of another one.
        if !self.configured_inventions.is_empty() && !decoded.value.is_wholly_known() {
            return Some(Value::unknown(schema.block.implied_type().clone()).with_marks(Marks::INVENTED));
        }
        let prior = self.current(address).cloned();
        let inputs = ChangeInputs {
            before: &planned.before,
            config: &decoded.value,
            stored: prior.as_ref(),
            lifecycle: Lifecycle {
                ignore_changes: resource.config.lifecycle.ignore_changes.clone(),
                create_before_destroy: planned.action == PlannedAction::CreateThenDelete,
                // The first plan has decided this; the second one must not decide anew.
                force_replace: planned.action.is_replace(),
                tainted: prior.as_ref().is_some_and(|prior| prior.tainted),
            },
        };
        let text = address.to_string();
        // Terraform plans again before it applies, because more values are known now, and compares both plans.
        let change = match self.plan_change(instance, resource, inputs) {
            Ok(change) => change,
            Err(PlanChangeError::Refused(found)) => {
                let place = |path: &Path| value_place(&resource.body, &decoded, path);
                self.provider_diagnostics(found, Some(&text), Some(&place));
                return None;
            }
            Err(error) => {
                let detail = self.secrets.hide(&format!("{address}: {error}.")).into_owned();
                self.found.error("Change cannot be made", resource.config.header, detail);
                return None;
            }
        };
        if !self.is_consistent(instance, resource, &planned.after, &change.after) {
            return None;
        }
        let mut request = ApplyRequest::new(&schema.block, &change, &decoded.value);
        if let Some(prior) = &prior {
            request.prior_private = prior.private.clone();
        }
        let resource_type = &resource.name.resource_type;
        let mut provider = |question: &ApplyResourceChange| {
            self.providers.apply(instance.provider, resource_type, &text, question)
        };
        let applied = match apply_change(&request, &mut provider) {
            Ok(applied) => applied,
            Err(error) => {
                let detail = self.secrets.hide(&format!("{address}: {error}.")).into_owned();
                self.found.error("Change cannot be made", resource.config.header, detail);
                return None;
            }
        };
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        // The state is saved in spite of errors; only dependents are skipped.
        let failed =
            applied.diagnostics.iter().any(|found| found.severity == objchange::change::Severity::Error)
                || !applied.violations.is_empty();
        self.provider_diagnostics(applied.diagnostics, Some(&text), Some(&place));
        for violation in &applied.violations {
            let detail = format!(
                "When applying changes to {address}, the result is not what was planned: {violation}."
            );
            let detail = self.secrets.hide(&detail).into_owned();
            self.found.error(
                "Provider produced inconsistent result after apply",
                resource.config.header,
                detail,
            );
        }
        let (_, marks) = decoded.value.unmark_deep_with_paths();
        let value = mark_kept(&schema.block, &applied.saved.unmark_deep().0.mark_where_present(&marks));
        // An object that a failed create left behind is saved, too: the next plan replaces it as tainted.
        let object = (!value.is_null()).then(|| StateObject {
            tainted: applied.tainted,
            private: applied.private,
            identity: applied.identity,
            ..StateObject::read(value.clone(), schema)
        });
        self.set_current(address, &resource.provider_config, object);
        if let Some(applying) = &mut self.applying {
            applying.changed.insert(address.clone());
        }
        let prior = prior.map(|prior| prior.value);
        let value = self.with_inventions(instance, resource, prior.as_ref(), value);
        (!failed).then_some(value)
    }

    /// Whether the second plan of a change agrees with what the first one knew.
    fn is_consistent(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        first: &Value,
        second: &Value,
    ) -> bool {
        let violations = assert_object_compatible(&instance.schema.block, first, second);
        for violation in &violations {
            let text = |value: &Option<Value>| value.as_ref()?.as_str().map(str::to_owned);
            let change = match (violation.kind, text(&violation.planned), text(&violation.actual)) {
                (InconsistentResultKind::ValueChanged, Some(was), Some(is)) => {
                    format!(
                        "{}: was cty.StringVal({was:?}), but now cty.StringVal({is:?})",
                        violation.path.suffix()
                    )
                }
                _ => violation.to_string(),
            };
            let detail = format!(
                "When expanding the plan for {} to include new values learned so far during apply, provider \"{}\" produced an \
                 invalid new value for {change}.\n\nThis is a bug in the provider, which should be reported in the provider's \
                 own issue tracker.",
                instance.address, resource.provider_config.provider
            );
            let detail = self.secrets.hide(&detail).into_owned();
            self.found.error("Provider produced inconsistent final plan", None, detail);
        }
        violations.is_empty()
    }

    fn apply_data(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
    ) -> Value {
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        if !self.targets.includes_instance(&instance.address) {
            return self.state_value(instance);
        }
        if !self.preconditions(instance, resource, &scope) {
            return self.state_value(instance);
        }
        let is_read = self.planned(instance).is_some_and(|planned| planned.action == PlannedAction::Read);
        let value = match is_read {
            true => match self.read_while_applying(instance, resource, &scope) {
                Some(value) => value,
                None => return Value::unknown(instance.schema.block.implied_type().clone()),
            },
            false => self.state_value(instance),
        };
        self.postconditions(instance, resource, &scope, &value);
        value
    }

    /// Reads a data source that could not be read while planning.
    fn read_while_applying(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
    ) -> Option<Value> {
        let Instance { address, schema, .. } = instance;
        let schema: &Schema = schema;
        let decoded = self.config_object(instance, resource, scope)?;
        let text = address.to_string();
        let (plain, marks) = decoded.value.unmark_deep_with_paths();
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        match self.providers.read_data(instance.provider, &text, schema, &plain) {
            DataAnswer::Known(value, warnings) => {
                self.provider_diagnostics(warnings, Some(&text), Some(&place));
                let value = mark_kept(&schema.block, &value.mark_where_present(&marks));
                let object = StateObject::read(value.clone(), schema);
                self.set_current(address, &resource.provider_config, Some(object));
                Some(self.with_inventions(instance, resource, None, value))
            }
            DataAnswer::NotKnown => {
                let detail = format!("Nobody can read {address}, not even while applying.");
                self.found.error("Data source cannot be read", resource.config.header, detail);
                None
            }
            DataAnswer::Failed(found) => {
                self.provider_diagnostics(found, Some(&text), Some(&place));
                None
            }
        }
    }
}
