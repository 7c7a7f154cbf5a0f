//! Reads plan documents into plans. Facts that a document lacks, such as the type of an unknown value under a `dynamic`
//! schema, are invented so that the document is written in the same way.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use objchange::address::{InstanceAddress, ResourceAddress};
use objchange::change::PrivateData;
use objchange::schema::{Schema, SchemaKind};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_module::plan::{
    ActionReason, CheckInstance, CheckKind, CheckResult, CheckStatus, Identities, ImportedBy, ModulePlan,
    PlannedAction, PlannedObject, PlannedOutput, PlannedStateObject, RelevantAttribute, RelevantStep,
};
use objchange_module::state::{PriorState, StateInstance, StateObject, StateOutput, StateResource};
use objchange_module::{ProviderAddress, ProviderConfigAddress, Schemas};
use serde_json::Value as Json;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const NULL: Json = Json::Null;

/// The plan of a document, without its configuration.
pub(super) fn plan(text: &str, schemas: &Schemas) -> Result<ModulePlan> {
    let document: Json = serde_json::from_str(text)?;
    let mut plan = ModulePlan::default();
    for (name, variable) in members(&document["variables"]) {
        plan.variables.insert(name.into(), given(&variable["value"])?);
    }
    plan.changes = list(&document["resource_changes"], |json| change(json, schemas))?;
    plan.drift = list(&document["resource_drift"], |json| change(json, schemas))?;
    let declared = &document["planned_values"]["outputs"];
    for (name, json) in members(&document["output_changes"]) {
        plan.outputs.insert(name.into(), output(json, declared.get(name))?);
    }
    let root = &document["planned_values"]["root_module"];
    plan.planned_state = resources(root)
        .into_iter()
        .map(|json| {
            let (address, provider, schema) = named(json, schemas)?;
            let empty = Json::Object(serde_json::Map::new());
            let value = match &json["sensitive_values"] {
                Json::Bool(false) => None,
                sensitive => Some(object(&schema, json.get("values").unwrap_or(&empty), None, sensitive)?),
            };
            let tainted = json["tainted"] == true;
            // The document has all marks.
            let has_marks_of_schema = false;
            Ok(PlannedStateObject {
                address,
                provider,
                value,
                schema: Some(schema),
                identity: None,
                has_marks_of_schema,
                tainted,
            })
        })
        .collect::<Result<_>>()?;
    plan.prior_state = prior_state(&document["prior_state"]["values"], schemas)?;
    plan.checks = list(&document["checks"], check)?;
    plan.relevant_attributes = list(&document["relevant_attributes"], relevant)?;
    plan.applyable = document["applyable"] == true;
    plan.complete = document["complete"] == true;
    plan.errored = document["errored"] == true;
    Ok(plan)
}

fn members(json: &Json) -> impl Iterator<Item = (&str, &Json)> {
    json.as_object().into_iter().flatten().map(|(name, json)| (name.as_str(), json))
}

fn list<T>(json: &Json, read: impl Fn(&Json) -> Result<T>) -> Result<Vec<T>> {
    json.as_array().into_iter().flatten().map(read).collect()
}

fn text(json: &Json) -> Result<&str> {
    json.as_str().ok_or_else(|| format!("no text: {json}").into())
}

/// A value whose type is the one that it looks like.
fn given(json: &Json) -> Result<Value> {
    value(&Type::Dynamic, Some(json), Some(&NULL), &NULL)
}

/// The address, the provider and the schema of a resource.
fn named(json: &Json, schemas: &Schemas) -> Result<(InstanceAddress, ProviderAddress, Arc<Schema>)> {
    let address: InstanceAddress = text(&json["address"])?.parse()?;
    let mut names = text(&json["provider_name"])?.split('/').map(Into::into);
    let mut name = || names.next().unwrap_or_default();
    let provider = ProviderAddress { hostname: name(), namespace: name(), name: name() };
    let kind = if json["mode"] == "data" { SchemaKind::DataSource } else { SchemaKind::Resource };
    let schema = schemas.get(&provider, kind, text(&json["type"])?)?.ok_or("no schema")?;
    Ok((address, provider, Arc::new(schema.clone())))
}

fn object(schema: &Schema, known: &Json, unknown: Option<&Json>, sensitive: &Json) -> Result<Value> {
    value(schema.block.implied_type(), Some(known), unknown, sensitive)
}

/// A value by what is known, unknown and sensitive of it. Where nobody says what is unknown, that is what is absent.
fn value(ty: &Type, known: Option<&Json>, unknown: Option<&Json>, sensitive: &Json) -> Result<Value> {
    let value = match unknown {
        Some(Json::Bool(true)) => unknown_value(ty, sensitive),
        None if known.is_none() => unknown_value(ty, sensitive),
        _ => known_value(ty, known.unwrap_or(&NULL), unknown, sensitive)?,
    };
    Ok(if *sensitive == true { value.sensitive() } else { value })
}

fn unknown_value(ty: &Type, sensitive: &Json) -> Value {
    Value::unknown(match (ty, sensitive) {
        (Type::Dynamic, Json::Array(_)) => Type::tuple([]),
        (Type::Dynamic, Json::Object(_)) => Type::object::<&str>([]),
        _ => ty.clone(),
    })
}

fn known_value(ty: &Type, known: &Json, unknown: Option<&Json>, sensitive: &Json) -> Result<Value> {
    let element = |ty: &Type, i: usize, json: &Json| {
        let sensitive = sensitive.get(i).unwrap_or(&NULL);
        let unknown = unknown.map(|unknown| unknown.get(i).unwrap_or(&NULL));
        value(ty, Some(json), unknown, sensitive)
    };
    let elements = |ty: &Type| {
        let all = known.as_array().into_iter().flatten().enumerate();
        all.map(|(i, json)| element(ty, i, json)).collect::<Result<Vec<_>>>()
    };
    let member = |ty: &Type, name: &str| {
        let sensitive = sensitive.get(name).unwrap_or(&NULL);
        value(ty, known.get(name), unknown.map(|unknown| unknown.get(name).unwrap_or(&NULL)), sensitive)
    };
    let names = || {
        let mut names: Vec<&str> = members(known).map(|(name, _)| name).collect();
        names.extend(unknown.into_iter().flat_map(members).map(|(name, _)| name));
        // A part that is both unknown and sensitive appears only in `after_unknown`.
        names.extend(members(sensitive).map(|(name, _)| name).filter(|_| unknown.is_none()));
        names.sort_unstable();
        names.dedup();
        names
    };
    Ok(match (ty, known) {
        (_, Json::Null) => Value::null(ty.clone()),
        (Type::List(ty), _) => Value::list((**ty).clone(), elements(ty)?)?,
        (Type::Set(ty), Json::Array(all)) => {
            let all = all.iter().enumerate().map(|(i, json)| match (json, unknown) {
                // No provider of these cases has nulls in sets.
                (Json::Null, None) => Ok(Value::unknown((**ty).clone())),
                _ => element(ty, i, json),
            });
            Value::set((**ty).clone(), all.collect::<Result<Vec<_>>>()?)?
        }
        (Type::Map(ty), _) => {
            let members = names().into_iter().map(|name| Ok((name, member(ty, name)?)));
            Value::map((**ty).clone(), members.collect::<Result<Vec<_>>>()?)?
        }
        (Type::Object(object), _) => {
            let members = object.attributes().iter().map(|(name, ty)| Ok((name.clone(), member(ty, name)?)));
            Value::object(members.collect::<Result<Vec<_>>>()?)
        }
        (Type::Tuple(tuple), Json::Array(all)) => {
            let all = std::iter::zip(tuple.elements(), all).enumerate();
            Value::tuple(all.map(|(i, (ty, json))| element(ty, i, json)).collect::<Result<Vec<_>>>()?)
        }
        (Type::Dynamic, Json::Array(_)) => Value::tuple(elements(&Type::Dynamic)?),
        (Type::Dynamic, Json::Object(_)) => {
            let members = names().into_iter().map(|name| Ok((name, member(&Type::Dynamic, name)?)));
            Value::object(members.collect::<Result<Vec<_>>>()?)
        }
        (Type::Dynamic, Json::Bool(value)) => Value::from(*value),
        (Type::Dynamic, Json::Number(number)) => Value::from_json(&number.to_string(), &Type::Number)?,
        (Type::Dynamic, Json::String(text)) => Value::from(text.as_str()),
        _ => Value::from_json(&known.to_string(), ty)?,
    })
}

fn change(json: &Json, schemas: &Schemas) -> Result<PlannedObject> {
    let (address, provider, schema) = named(json, schemas)?;
    let change = &json["change"];
    let side = |name: &str, unknown: &Json| {
        object(&schema, &change[name], Some(unknown), &change[format!("{name}_sensitive")])
    };
    let (before, after) = (side("before", &NULL)?, side("after", &change["after_unknown"])?);
    let replace_paths = list(&change["replace_paths"], |path| {
        let mut steps = Path::root();
        for step in path.as_array().into_iter().flatten() {
            steps = match step.as_u64() {
                Some(position) => steps.index(position),
                None => steps.attribute(text(step)?),
            };
        }
        Ok(steps)
    })?;
    Ok(PlannedObject {
        previous_address: json.get("previous_address").map(|json| text(json)?.parse_address()).transpose()?,
        deposed: json.get("deposed").map(text).transpose()?.map(Into::into),
        action: action(&change["actions"])?,
        reason: json.get("action_reason").map(reason).transpose()?,
        importing: change.get("importing").map(|json| given(&json["id"]).map(ImportedBy::Id)).transpose()?,
        generated_config: None,
        identities: Identities::default(),
        address,
        provider,
        before,
        after,
        schema: Some(schema),
        replace_paths,
    })
}

trait ParseAddress {
    fn parse_address(&self) -> Result<InstanceAddress>;
}

impl ParseAddress for str {
    fn parse_address(&self) -> Result<InstanceAddress> {
        Ok(self.parse()?)
    }
}

fn action(json: &Json) -> Result<PlannedAction> {
    let words = list(json, |word| Ok(text(word)?.to_owned()))?.join(" ");
    Ok(match words.as_str() {
        "no-op" => PlannedAction::NoOp,
        "create" => PlannedAction::Create,
        "read" => PlannedAction::Read,
        "update" => PlannedAction::Update,
        "delete create" => PlannedAction::DeleteThenCreate,
        "create delete" => PlannedAction::CreateThenDelete,
        "delete" => PlannedAction::Delete,
        "forget" => PlannedAction::Forget,
        other => return Err(other.into()),
    })
}

fn reason(json: &Json) -> Result<ActionReason> {
    let all = [
        ActionReason::ReplaceBecauseTainted,
        ActionReason::ReplaceBecauseCannotUpdate,
        ActionReason::ReplaceByRequest,
        ActionReason::ReplaceByTriggers,
        ActionReason::DeleteBecauseNoResourceConfig,
        ActionReason::DeleteBecauseNoModule,
        ActionReason::DeleteBecauseWrongRepetition,
        ActionReason::DeleteBecauseCountIndex,
        ActionReason::DeleteBecauseEachKey,
        ActionReason::DeleteBecauseNoMoveTarget,
        ActionReason::ReadBecauseConfigUnknown,
        ActionReason::ReadBecauseDependencyPending,
        ActionReason::ReadBecauseCheckNested,
    ];
    all.into_iter().find(|reason| *json == reason.as_str()).ok_or_else(|| format!("{json}").into())
}

fn output(change: &Json, declared: Option<&Json>) -> Result<PlannedOutput> {
    let ty = match declared.and_then(|output| output.get("type")) {
        Some(ty) => serde_json::from_value(ty.clone())?,
        None => Type::Dynamic,
    };
    let unknown = &change["after_unknown"];
    Ok(PlannedOutput {
        action: action(&change["actions"])?,
        before: given(&change["before"])?,
        after: value(&ty, Some(&change["after"]), Some(unknown), &NULL)?,
        sensitive: declared.is_some_and(|output| output["sensitive"] == true),
        sensitive_change: change["after_sensitive"] == true,
        declared: declared.is_some(),
    })
}

/// The resources of a module and of all modules in it.
fn resources(module: &Json) -> Vec<&Json> {
    let own = module["resources"].as_array().into_iter().flatten();
    let others = module["child_modules"].as_array().into_iter().flatten().flat_map(resources);
    own.chain(others).collect()
}

fn prior_state(values: &Json, schemas: &Schemas) -> Result<PriorState> {
    let mut state = PriorState::default();
    for (name, output) in members(&values["outputs"]) {
        let ty = serde_json::from_value(output["type"].clone())?;
        let value = value(&ty, Some(&output["value"]), Some(&NULL), &NULL)?;
        state.outputs.insert(name.into(), StateOutput { value, sensitive: output["sensitive"] == true });
    }
    for json in resources(&values["root_module"]) {
        let (address, provider, schema) = named(json, schemas)?;
        let object = StateObject {
            value: object(&schema, &json["values"], Some(&NULL), &json["sensitive_values"])?,
            schema_version: schema.version,
            identity: None,
            tainted: json["tainted"] == true,
            private: PrivateData::default(),
            dependencies: list(
                &json["depends_on"],
                |address| Ok(text(address)?.parse::<ResourceAddress>()?),
            )?,
            create_before_destroy: false,
            lacks_marks: false,
        };
        let resource = state.resources.entry(address.resource).or_insert_with(|| StateResource {
            provider: ProviderConfigAddress { module: Vec::new(), provider, alias: None },
            instances: BTreeMap::new(),
        });
        let instance: &mut StateInstance = resource.instances.entry(address.key).or_default();
        match json.get("deposed_key") {
            Some(key) => _ = instance.deposed.insert(text(key)?.into(), object),
            None => instance.current = Some(object),
        }
    }
    Ok(state)
}

fn check(json: &Json) -> Result<CheckResult> {
    let address = &json["address"];
    let kind = match text(&address["kind"])? {
        "resource" => CheckKind::Resource,
        "output_value" => CheckKind::OutputValue,
        "check" => CheckKind::Check,
        _ => CheckKind::InputVariable,
    };
    let module = text(address.get("module").unwrap_or(&Json::String(String::new())))?.to_owned();
    let names = module.split('.').filter(|name| *name != "module" && !name.is_empty()).map(Into::into);
    let name = match address.get("mode") {
        None => text(&address["name"])?.to_owned(),
        Some(mode) => {
            let prefix = if mode == "data" { "data." } else { "" };
            format!("{prefix}{}.{}", text(&address["type"])?, text(&address["name"])?)
        }
    };
    let instance = |json: &Json| -> Result<CheckInstance> {
        let address = text(&json["address"]["to_display"])?;
        Ok(CheckInstance {
            address: address.parse()?,
            status: status(&json["status"])?,
            problems: list(&json["problems"], |problem| Ok(text(&problem["message"])?.to_owned()))?,
        })
    };
    Ok(CheckResult {
        kind,
        module: names.collect(),
        name,
        status: status(&json["status"])?,
        instances: json.get("instances").map(|instances| list(instances, instance)).transpose()?,
    })
}

fn status(json: &Json) -> Result<CheckStatus> {
    Ok(match text(json)? {
        "pass" => CheckStatus::Pass,
        "fail" => CheckStatus::Fail,
        "unknown" => CheckStatus::Unknown,
        _ => CheckStatus::Error,
    })
}

fn relevant(json: &Json) -> Result<RelevantAttribute> {
    let path = list(&json["attribute"], |step| {
        Ok(match step.as_u64() {
            Some(position) => RelevantStep::Index(position),
            None => RelevantStep::Name(text(step)?.into()),
        })
    })?;
    Ok(RelevantAttribute { resource: text(&json["resource"])?.to_owned(), path })
}
