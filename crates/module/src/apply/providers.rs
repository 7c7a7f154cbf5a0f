//! Simulated providers that apply: they invent the values that only a real provider could choose.

use std::collections::{BTreeSet, HashMap};

use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, ProviderError,
    planned_data_resource,
};
use objchange::schema::{Block, Schema};
use objchange::value::Path;
use objchange::{Type, Value};
use smol_str::SmolStr;

use super::generate::GeneratedValues;
use crate::ProviderConfigAddress;
use crate::providers::{
    DataAnswer, ProviderCall, ProviderReply, Providers, ProvidersExt, SimulatedProviders, with_attributes,
};

/// Plans as [`SimulatedProviders`] do, and applies: computed attributes without a value get an invented one. The
/// behaviour of `terraform` and `hashicorp/null` is known and followed.
#[derive(Debug, Default)]
pub struct InventingProviders<'f> {
    /// Plans everything.
    pub others: SimulatedProviders<'f>,
    /// The values.
    pub values: GeneratedValues,
    /// The values that were made up so far.
    pub invented: BTreeSet<Invention>,
    /// The paths of `invented`, by the address of the instance.
    paths: HashMap<String, Vec<Path>>,
    /// A plan is being applied: data sources that could not be read while planning get invented values, too.
    pub is_applying: bool,
}

/// An attribute with a value that was made up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Invention {
    /// The resource instance.
    pub address: String,
    /// The attribute: `arn`, `disk[0].id`.
    pub attribute: String,
}

/// Whether this is a provider whose behaviour is known.
fn is_null(provider: &ProviderConfigAddress) -> bool {
    provider.provider.namespace == "hashicorp" && provider.provider.name == "null"
}

impl InventingProviders<'_> {
    /// Providers that make up these values.
    pub fn new(values: GeneratedValues) -> Self {
        Self { values, ..Self::default() }
    }

    /// Remembers parts of an object that somebody else has made up.
    pub(crate) fn note_invented(&mut self, address: &str, paths: Vec<Path>) {
        self.paths.insert(address.to_owned(), paths);
    }

    fn invent(&mut self, address: &str, schema: &Block, object: &Value) -> Result<Value, Vec<Diagnostic>> {
        let mut paths = Vec::new();
        let filled = self.values.with_shapes().fill(schema, object, None, address, &mut paths);
        self.paths.insert(address.to_owned(), paths.clone());
        for path in paths {
            self.invented.insert(Invention { address: address.to_owned(), attribute: path.to_string() });
        }
        // Nothing was given that could be wrong.
        filled.map_err(|_| vec![Diagnostic::error("Values cannot be made up")])
    }

    fn applied(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        request: &ApplyResourceChange,
    ) -> Value {
        let planned = &request.planned;
        let with = |others: &[(&str, Value)]| {
            let members = planned.as_object().map(|object| {
                object.iter().map(|(name, value)| {
                    let other =
                        others.iter().find(|(other, _)| other == name).map(|(_, other)| other.clone());
                    let value = other.filter(|_| !value.is_wholly_known()).unwrap_or_else(|| value.clone());
                    (name.clone(), value)
                })
            });
            members.map_or_else(
                || planned.clone(),
                |members| Value::object(members.collect::<Vec<(SmolStr, _)>>()),
            )
        };
        if provider.provider.is_builtin() {
            let input = planned.attribute("input").cloned().unwrap_or_else(|| Value::null(Type::Dynamic));
            let id = Value::from(self.values.uuid(address, "id"));
            let store = applied_store(request);
            let made: Vec<_> = [("id", id), ("output", input)].into_iter().chain(store).collect();
            return with(&made);
        }
        if is_null(provider) {
            let id = Value::from(self.values.digits(address, "id"));
            return with(&[("id", id)]);
        }
        planned.clone()
    }

    /// `null_data_source`: its inputs are its outputs.
    fn null_data(&self, address: &str, schema: &Schema, config: &Value) -> Value {
        let object = planned_data_resource(&schema.block, config).unwrap_or_else(|_| config.clone());
        let own = |name: &str| config.attribute(name).cloned().filter(|value| !value.is_null());
        let inputs = own("inputs").unwrap_or_else(|| {
            Value::map::<&str, Value>(Type::String, [])
                .unwrap_or_else(|_| Value::null(Type::map(Type::String)))
        });
        let digits = || Value::from(self.values.digits(address, "random"));
        let members = object.as_object().map(|object| {
            object.iter().map(|(name, value)| {
                let value = match &**name {
                    "outputs" => inputs.clone(),
                    "id" => Value::from("static"),
                    "random" => digits(),
                    "has_computed_default" => {
                        own("has_computed_default").unwrap_or_else(|| Value::from("default"))
                    }
                    _ => value.clone(),
                };
                (name.clone(), value)
            })
        });
        members
            .map_or_else(|| object.clone(), |members| Value::object(members.collect::<Vec<(SmolStr, _)>>()))
    }
}

/// The `store` of a `terraform_data` after its change: with the input that was not known before.
fn applied_store(request: &ApplyResourceChange) -> Option<(&'static str, Value)> {
    let store = request.planned.attribute("store").filter(|store| !store.is_null())?;
    let input = request.config.attribute("store")?.attribute("input")?;
    let output = |name: &'static str| {
        let planned = store.attribute(name)?;
        (!planned.is_known()).then(|| (name, input.clone()))
    };
    let outputs: Vec<_> = ["output", "sensitive_output"].into_iter().filter_map(output).collect();
    Some(("store", with_attributes(store, &outputs)))
}

impl Providers for InventingProviders<'_> {
    /// Values are invented when the plan is applied: nothing waits for a provider.
    fn is_simulated(&self, _provider: &ProviderConfigAddress) -> bool {
        false
    }

    fn others(&self) -> Option<&dyn Providers> {
        Some(&self.others)
    }

    fn invents_functions(&self) -> bool {
        true
    }

    fn invented(&self, address: &str) -> Vec<Path> {
        self.paths.get(address).cloned().unwrap_or_default()
    }

    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply {
        match call {
            ProviderCall::Plan(resource_type, address, request) => {
                ProviderReply::Plan(self.planned(provider, resource_type, address, request))
            }
            ProviderCall::ReadData(address, schema, config) => {
                ProviderReply::ReadData(self.data(provider, address, schema, config))
            }
            ProviderCall::Apply(_, address, request) => {
                ProviderReply::Apply(self.made(provider, address, request))
            }
            other => self.others.call(provider, other),
        }
    }
}

impl InventingProviders<'_> {
    fn planned(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        request: &PlanResourceChange,
    ) -> Result<PlannedResource, ProviderError> {
        let mut planned = self.others.plan(provider, resource_type, address, request)?;
        if is_null(provider) && resource_type == "null_resource" && !request.prior.is_null() {
            let is_same = |name: &str| match (request.prior.attribute(name), planned.planned.attribute(name))
            {
                (Some(prior), Some(planned)) => planned.definitely_equals(prior),
                _ => true,
            };
            if !is_same("triggers") {
                planned.requires_replace.push(Path::root().attribute("triggers"));
            }
        }
        Ok(planned)
    }

    fn data(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer {
        if is_null(provider) {
            return DataAnswer::Known(self.null_data(address, schema, config), Vec::new());
        }
        match self.others.read_data(provider, address, schema, config) {
            DataAnswer::NotKnown if self.is_applying => {
                let object = planned_data_resource(&schema.block, config).unwrap_or_else(|_| config.clone());
                match self.invent(address, &schema.block, &object) {
                    Ok(object) => DataAnswer::Known(object, Vec::new()),
                    Err(found) => DataAnswer::Failed(found),
                }
            }
            answer => answer,
        }
    }

    fn made(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        request: &ApplyResourceChange,
    ) -> Result<AppliedResource, ProviderError> {
        let mut answer = AppliedResource::new(request.planned.clone());
        answer.private = request.private.clone();
        answer.identity = request.identity.clone();
        if request.planned.is_null() {
            return Ok(answer);
        }
        let object = self.applied(provider, address, request);
        match self.invent(address, &request.schema, &object) {
            Ok(object) => answer.new_state = Some(object),
            Err(found) => {
                answer.new_state = None;
                answer.diagnostics = found;
            }
        }
        Ok(answer)
    }
}
