//! The providers of the cases: their schemas, and the rules in the `README.md` beside the cases.

use std::collections::BTreeMap;

use objchange::change::{Diagnostic, PlanResourceChange, PlannedResource, ProviderError};
use objchange::schema::{Schema, SchemaKind};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_document::{Form, read_object};
use objchange_module::plan::ImportedBy;
use objchange_module::{
    Answered, DataAnswer, ImportAnswer, MoveObject, ProviderCall, ProviderConfigAddress, ProviderObject,
    ProviderReply, Providers, ProvidersExt,
};
use serde_json::Value as Json;

use super::case::Case;

/// Answers for the providers of a case: with what was recorded, and else as another one does.
pub(crate) struct CaseProviders<'c, P> {
    pub(crate) case: &'c Case,
    /// Calls that were not recorded are answered by the provider's rules.
    pub(crate) has_rules: bool,
    pub(crate) simulated: P,
}

/// Answers for a data source by its rule.
fn by_rule(config: &Value) -> Value {
    let names = |names: &[String]| {
        let names = names.iter().map(|name| Value::from(name.as_str()));
        Value::list(Type::String, names).unwrap_or_else(|_| Value::unknown(Type::list(Type::String)))
    };
    let key = config.attribute("key").map(|key| key.as_str().unwrap_or_default());
    let rule = |name: &str, value: &Value| match (name, key) {
        ("id", None) => Value::from("zones"),
        ("names", None) => names(&["z1", "z2", "z3"].map(String::from)),
        ("id", Some(key)) => Value::from(format!("lookup/{key}")),
        ("out", Some(key)) => Value::from(format!("out of {key}")),
        ("secret", Some(key)) => Value::from(format!("secret of {key}")),
        ("names", Some(key)) => names(&[format!("{key}-0"), format!("{key}-1")]),
        ("count_of", Some(_)) => Value::from(2),
        _ => value.clone(),
    };
    let members = config.as_object().into_iter().flat_map(objchange::value::Object::iter);
    Value::object(members.map(|(name, value)| (name.clone(), rule(name, value))))
}

/// Arguments whose change needs a new object.
fn forces_replacement(resource_type: &str) -> Option<&'static str> {
    match resource_type {
        "sim_thing" => Some("force"),
        "null_resource" => Some("triggers"),
        _ => None,
    }
}

fn object(json: &Json, schema: &Schema) -> Result<Value, Vec<Diagnostic>> {
    read_object(&json.to_string(), &schema.block, Form::Plain)
        .map_err(|error| vec![Diagnostic::error(error.to_string())])
}

/// An object that has these attributes, and is empty else.
fn filled(schema: &Schema, known: &BTreeMap<&str, Value>) -> Value {
    let empty = schema.block.empty_value();
    let names = schema.block.attributes().iter().map(|(name, _)| name);
    let names = names.chain(schema.block.block_types().iter().map(|(name, _)| name));
    let attributes = names.filter_map(|name| {
        let value = known.get(name.as_str()).or(empty.attribute(name))?;
        Some((name.clone(), value.clone()))
    });
    Value::object(attributes.collect::<Vec<_>>())
}

fn text<'v>(object: &'v Value, name: &str) -> Option<&'v str> {
    object.attribute(name)?.as_str()
}

fn told(mut diagnostic: Diagnostic, detail: &str, attribute: &str) -> Vec<Diagnostic> {
    diagnostic.detail = detail.to_owned();
    diagnostic.path = Some(Path::default().attribute(attribute));
    vec![diagnostic]
}

impl<P: Providers> Providers for CaseProviders<'_, P> {
    fn is_simulated(&self, _provider: &ProviderConfigAddress) -> bool {
        false
    }

    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply {
        match call {
            ProviderCall::Validate(kind, type_name, config) => {
                ProviderReply::Validate(self.validate(provider, kind, type_name, config))
            }
            ProviderCall::Configure(config) => ProviderReply::Configure(self.configure(provider, config)),
            ProviderCall::Plan(resource_type, address, request) => {
                ProviderReply::Plan(self.plan(provider, resource_type, address, request))
            }
            ProviderCall::Read(resource_type, address, schema, object) => {
                ProviderReply::Read(self.read(provider, resource_type, address, schema, object))
            }
            ProviderCall::ReadData(address, schema, config) => {
                ProviderReply::ReadData(self.read_data(provider, address, schema, config))
            }
            ProviderCall::Import(address, schema, by) => {
                ProviderReply::Import(self.import(provider, address, schema, by))
            }
            ProviderCall::Move(request) => ProviderReply::Move(self.move_object(provider, request)),
            other => self.simulated.call(provider, other),
        }
    }
}

impl<P: Providers> CaseProviders<'_, P> {
    fn validate(
        &mut self,
        provider: &ProviderConfigAddress,
        kind: SchemaKind,
        type_name: &str,
        config: &Value,
    ) -> Vec<Diagnostic> {
        match (kind, type_name, text(config, "name")) {
            (SchemaKind::Resource, "sim_thing", Some("bad!")) => {
                told(Diagnostic::error("Invalid name"), "A name has no exclamation mark.", "name")
            }
            (SchemaKind::Resource, "sim_thing", Some("warn!")) => {
                let detail = "A name should not have an exclamation mark.";
                told(Diagnostic::warning("Strange name"), detail, "name")
            }
            _ => self.simulated.validate(provider, kind, type_name, config),
        }
    }

    fn configure(&mut self, provider: &ProviderConfigAddress, config: &Value) -> Vec<Diagnostic> {
        if text(config, "region") == Some("nowhere") {
            return told(Diagnostic::error("Cannot reach region"), "Nobody answers.", "region");
        }
        self.simulated.configure(provider, config)
    }

    fn plan(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        request: &PlanResourceChange,
    ) -> Result<PlannedResource, ProviderError> {
        let mut planned = self.simulated.plan(provider, resource_type, address, request)?;
        if let Some(name) = forces_replacement(resource_type) {
            let before = request.prior.attribute(name);
            let after = request.proposed.attribute(name);
            if before.is_some() && after.is_some() && before != after {
                planned.requires_replace.push(Path::default().attribute(name));
            }
        }
        Ok(planned)
    }

    fn read(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        schema: &Schema,
        object: &ProviderObject,
    ) -> Answered<ProviderObject> {
        let plain = &object.value;
        let Some(remote) = text(plain, "id").and_then(|id| self.case.remote.get(id)) else {
            return self.simulated.read(provider, resource_type, address, schema, object);
        };
        let found = |value| Ok((ProviderObject { value, ..object.clone() }, Vec::new()));
        let Json::Object(changed) = remote else {
            return found(Value::null(schema.block.implied_type().clone()));
        };
        let names = schema.block.attributes().iter().map(|(name, _)| name);
        let names = names.chain(schema.block.block_types().iter().map(|(name, _)| name));
        let attributes = names.filter_map(|name| {
            let value = match changed.get(name.as_str()) {
                Some(Json::String(text)) => Value::from(text.as_str()),
                Some(Json::Number(number)) => Value::from(number.as_i64()?),
                Some(Json::Bool(bool)) => Value::from(*bool),
                _ => plain.attribute(name)?.clone(),
            };
            Some((name.clone(), value))
        });
        found(Value::object(attributes))
    }

    fn read_data(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer {
        if text(config, "key") == Some("missing!") {
            let error = told(Diagnostic::error("Not found"), "Nothing has this key.", "key");
            return DataAnswer::Failed(error);
        }
        match self.case.answers.data.get(address).map(|answer| object(answer, schema)) {
            Some(Ok(answer)) => DataAnswer::Known(answer, Vec::new()),
            Some(Err(error)) => DataAnswer::Failed(error),
            None if self.has_rules && !provider.provider.is_builtin() => {
                DataAnswer::Known(by_rule(config), Vec::new())
            }
            None => self.simulated.read_data(provider, address, schema, config),
        }
    }

    fn import(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        by: &ImportedBy,
    ) -> ImportAnswer {
        match self.case.answers.imports.get(address).map(|answer| object(answer, schema)) {
            Some(Ok(answer)) => ImportAnswer::Known(ProviderObject::new(answer), Vec::new()),
            Some(Err(error)) => ImportAnswer::Failed(error),
            None if self.has_rules && !provider.provider.is_builtin() => {
                let id = by.id().unwrap_or_default();
                let name = id.rsplit('/').next().unwrap_or_default();
                let known = BTreeMap::from([
                    ("id", Value::from(id)),
                    ("name", Value::from(name)),
                    ("note", Value::from(format!("note-of-{name}"))),
                    ("status", Value::from(format!("status-of-{name}"))),
                ]);
                ImportAnswer::Known(ProviderObject::new(filled(schema, &known)), Vec::new())
            }
            None => self.simulated.import(provider, address, schema, by),
        }
    }

    fn move_object(
        &mut self,
        provider: &ProviderConfigAddress,
        request: &MoveObject<'_>,
    ) -> Answered<ProviderObject> {
        let schema = request.schema;
        match (request.from_type, request.to_type) {
            ("sim_old", "sim_thing") => {
                let mut known: BTreeMap<&str, Value> = BTreeMap::new();
                for name in ["id", "name", "size"] {
                    known.extend(request.object.value.attribute(name).map(|value| (name, value.clone())));
                }
                known.extend(
                    [("note", "moved"), ("status", "moved")].map(|(name, text)| (name, Value::from(text))),
                );
                Ok((ProviderObject::new(filled(schema, &known)), Vec::new()))
            }
            (_, ty) if ty.starts_with("sim_") => {
                let mut error = Diagnostic::error("Cannot move");
                error.detail = "Only sim_old becomes sim_thing.".to_owned();
                Err(vec![error])
            }
            _ => self.simulated.move_object(provider, request),
        }
    }
}
