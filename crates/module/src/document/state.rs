//! The sections that are states: `planned_values` and `prior_state`.

use std::collections::BTreeMap;

use objchange::address::{InstanceAddress, ModuleAddress, ResourceAddress};
use objchange::schema::{Schema, SchemaKind};
use objchange::{Type, Value};
use objchange_document::changes::as_written;
use smol_str::SmolStr;

use super::json::JsonWriter;
use crate::Schemas;
use crate::order::compare_in_module;
use crate::plan::{ModulePlan, PlannedAction, PlannedStateObject};
use crate::schemas::schema_kind;
use crate::state::{PriorState, StateObject, StateOutput};

/// The resources of a module instance, with its child modules by address.
struct ModuleTree<T> {
    resources: Vec<T>,
    modules: BTreeMap<String, Self>,
}

impl<T> Default for ModuleTree<T> {
    fn default() -> Self {
        Self { resources: Vec::new(), modules: BTreeMap::new() }
    }
}

impl<T> ModuleTree<T> {
    fn insert(&mut self, module: &ModuleAddress, resource: T) {
        let mut tree = self;
        let mut address = String::new();
        for step in &module.0 {
            if !address.is_empty() {
                address.push('.');
            }
            address.push_str(&step.to_string());
            // Terraform orders `child_modules` by address as text, but in `planned_values` at random below the first level.
            tree = tree.modules.entry(address.clone()).or_default();
        }
        tree.resources.push(resource);
    }

    fn write(&mut self, json: &mut JsonWriter, address: &str, format: &Format<T>) {
        (format.sort)(&mut self.resources);
        json.object(|json| {
            json.member_unless_empty("resources", |json| {
                json.array(|json| self.resources.iter().for_each(|resource| (format.write)(json, resource)));
            });
            json.optional_member("address", Some(address));
            json.member_unless_empty("child_modules", |json| {
                json.array(|json| {
                    for (address, module) in &mut self.modules {
                        module.write(json, address, format);
                    }
                });
            });
        });
    }
}

/// How the resources of a section are ordered and written.
struct Format<'f, T> {
    sort: fn(&mut [T]),
    write: &'f dyn Fn(&mut JsonWriter, &T),
}

/// An object of the prior state.
struct PriorObject<'s> {
    address: InstanceAddress,
    provider: &'s crate::ProviderAddress,
    deposed: Option<&'s SmolStr>,
    object: &'s StateObject,
}

impl JsonWriter {
    pub(super) fn planned_values(
        &mut self,
        plan: &ModulePlan,
        objects: &[PlannedStateObject],
        schemas: &Schemas,
    ) {
        self.object(|json| {
            json.member_unless_empty("outputs", |json| {
                json.object(|json| {
                    for (name, output) in plan.outputs.iter().filter(|(_, output)| output.declared) {
                        json.member(name, |json| {
                            json.object(|json| {
                                // Terraform writes here what the change hides.
                                json.bool_member("sensitive", output.sensitive_change);
                                if output.is_known() {
                                    // A null output that did not exist before has no type.
                                    match output.after.is_null() && output.action == PlannedAction::NoOp {
                                        true => json.output_type(&Value::null(Type::Dynamic)),
                                        false => json.output_type(&output.after),
                                    }
                                    json.member("value", |json| json.known(&output.after));
                                }
                            });
                        });
                    }
                });
            });
            json.member("root_module", |json| {
                let mut tree = ModuleTree::default();
                // Since 1.16 an object that is forgotten is not there.
                let has_forgotten = json.language() < (1, 16);
                for object in objects.iter().filter(|object| has_forgotten || object.value.is_some()) {
                    tree.insert(&object.address.resource.module, (object.address.to_string(), object));
                }
                let format = Format {
                    // As text: `a[10]` comes before `a[1]`.
                    sort: |objects: &mut [(String, &PlannedStateObject)]| {
                        objects.sort_by(|(a, _), (b, _)| a.cmp(b));
                    },
                    write: &|json, (address, object)| {
                        json.object(|json| {
                            json.string_member("address", address);
                            json.planned_object(object, schemas);
                        });
                    },
                };
                tree.write(json, "", &format);
            });
        });
    }

    fn planned_object(&mut self, object: &PlannedStateObject, schemas: &Schemas) {
        let schema = object.schema.as_deref();
        self.instance(&object.address);
        self.string_member("provider_name", &object.provider.to_string());
        self.member("schema_version", |json| json.plain(version(schema)));
        match &object.value {
            Some(value) => self.object_values(schema.filter(|_| object.has_marks_of_schema), value),
            // Terraform 1.11.4 writes `sensitive_values: false` for a forgotten object. The defect is copied.
            None => self.bool_member("sensitive_values", false),
        }
        if let Some(identity) = &object.identity {
            let version = identity_version(&object.provider, &object.address.resource.resource_type, schemas);
            self.identity(Some(version), identity);
        }
        self.true_member("tainted", object.tainted);
    }

    /// Whether documents have identities: since Terraform 1.12.
    pub(super) fn has_identities(&self) -> bool {
        self.language() >= (1, 12)
    }

    fn identity(&mut self, schema_version: Option<i64>, identity: &Value) {
        if !self.has_identities() {
            return;
        }
        if let Some(version) = schema_version {
            self.member("identity_schema_version", |json| json.plain(version));
        }
        self.member("identity", |json| json.known(identity));
    }

    fn object_values(&mut self, schema: Option<&Schema>, value: &Value) {
        let marked = schema.map(|schema| as_written(&schema.block, value));
        let value = marked.as_ref().unwrap_or(value);
        // Left out while nothing is known.
        self.member_unless_empty("values", |json| json.known(value));
        self.member("sensitive_values", |json| json.sensitive_parts(value));
    }

    fn output_type(&mut self, value: &Value) {
        self.member("type", |json| json.plain(value.ty()));
    }

    /// The prior state with these outputs; nothing if it is empty.
    pub(super) fn prior_state(
        &mut self,
        plan: &ModulePlan,
        outputs: &BTreeMap<SmolStr, StateOutput>,
        schemas: &Schemas,
        terraform_version: &str,
    ) {
        if outputs.is_empty()
            && plan.prior_state.resources.values().all(super::super::state::StateResource::is_empty)
        {
            return;
        }
        self.member("prior_state", |json| {
            json.object(|json| {
                json.string_member("format_version", "1.0");
                json.string_member("terraform_version", terraform_version);
                json.member("values", |json| {
                    json.object(|json| json.state_values(&plan.prior_state, outputs, schemas));
                });
            });
        });
    }

    /// The members of the values of a state.
    pub(super) fn state_values(
        &mut self,
        state: &PriorState,
        outputs: &BTreeMap<SmolStr, StateOutput>,
        schemas: &Schemas,
    ) {
        let mut tree = ModuleTree::default();
        for (address, resource) in &state.resources {
            for (key, instance) in &resource.instances {
                let current = instance.current.iter().map(|object| (None, object));
                let deposed = instance.deposed.iter().map(|(key, object)| (Some(key), object));
                for (deposed, object) in current.chain(deposed) {
                    let address = InstanceAddress { resource: address.clone(), key: key.clone() };
                    let provider = &resource.provider.provider;
                    tree.insert(
                        &address.resource.module.clone(),
                        PriorObject { address, provider, deposed, object },
                    );
                }
            }
        }
        self.member_unless_empty("outputs", |json| {
            json.object(|json| outputs.iter().for_each(|(name, output)| json.state_output(name, output)));
        });
        let format = Format {
            // Unlike `planned_values`, numeric keys are in order of their values here: `a[2]` comes before `a[10]`.
            sort: |objects: &mut [PriorObject<'_>]| {
                objects.sort_by(|a, b| {
                    compare_in_module(&a.address, &b.address).then_with(|| a.deposed.cmp(&b.deposed))
                });
            },
            write: &|json, object| json.prior_object(object, schemas),
        };
        self.member("root_module", |json| tree.write(json, "", &format));
    }

    fn state_output(&mut self, name: &str, output: &StateOutput) {
        self.member(name, |json| {
            json.object(|json| {
                json.bool_member("sensitive", output.sensitive);
                json.member("value", |json| json.known(&output.value));
                json.output_type(&output.value);
            });
        });
    }

    fn prior_object(&mut self, prior: &PriorObject<'_>, schemas: &Schemas) {
        let ResourceAddress { mode, resource_type, .. } = &prior.address.resource;
        // A schema that cannot be read has been reported before anything was planned.
        let schema = schemas.get(prior.provider, schema_kind(*mode), resource_type).ok().flatten();
        self.object(|json| {
            json.string_member("address", &prior.address.to_string());
            json.instance(&prior.address);
            json.string_member("provider_name", &prior.provider.to_string());
            json.member("schema_version", |json| json.plain(version(schema)));
            json.object_values(schema, &prior.object.value);
            let mut needed: Vec<String> =
                prior.object.dependencies.iter().map(ResourceAddress::to_string).collect();
            needed.sort_unstable();
            json.strings_member("depends_on", needed);
            json.true_member("tainted", prior.object.tainted);
            json.optional_member("deposed_key", prior.deposed.map(SmolStr::as_str));
            if let Some(identity) = &prior.object.identity {
                let version = identity_version(prior.provider, resource_type, schemas);
                json.identity(prior.deposed.is_none().then_some(version), identity);
            }
        });
    }
}

/// The version of the schema of identities of a type.
fn identity_version(provider: &crate::ProviderAddress, resource_type: &str, schemas: &Schemas) -> i64 {
    version(schemas.get(provider, SchemaKind::Identity, resource_type).ok().flatten())
}

fn version(schema: Option<&Schema>) -> i64 {
    schema.map_or(0, |schema| schema.version)
}

/// The outputs that apply would start from: the new values where they are known, and the old ones.
pub(super) fn outputs(plan: &ModulePlan) -> BTreeMap<SmolStr, StateOutput> {
    let mut outputs = plan.prior_state.outputs.clone();
    for (name, output) in plan.outputs.iter().filter(|(_, output)| output.declared && output.is_known()) {
        if output.after.is_null() {
            outputs.remove(name);
        } else {
            let new = StateOutput { value: output.after.clone(), sensitive: output.sensitive };
            outputs.insert(name.clone(), new);
        }
    }
    outputs
}
