//! The provider in Terraform itself: `terraform_data`.

use objchange::change::{
    Diagnostic, PlanResourceChange, PlannedResource, Provider, ProviderError, SimulatedProvider,
};
use objchange::schema::Schema;
use objchange::value::Path;
use objchange::{Type, Value};
use smol_str::SmolStr;

/// Plans `terraform_data`: `output` repeats `input`, and is unknown until that is applied, unless there is none; another
/// `triggers_replace` needs a new object. Since 1.16 it has a `store`, whose input is not kept; before, `output` is unknown
/// where an `input` is taken away.
#[derive(Debug, Clone, Default)]
pub struct TerraformData(pub SimulatedProvider);

impl TerraformData {
    /// The resource type that it is for.
    pub const TYPE: &str = "terraform_data";

    /// The attributes that a configuration sets, and that only the provider may set.
    pub(crate) fn read_only(config: &Value) -> impl Iterator<Item = &'static str> {
        let is_set = |name: &&str| config.attribute(name).is_some_and(|value| !value.is_null());
        ["id", "output"].into_iter().filter(is_set)
    }
}

impl Provider for TerraformData {
    fn plan(&mut self, request: &PlanResourceChange) -> Result<PlannedResource, ProviderError> {
        let mut answer = self.0.plan(request)?;
        let (Some(planned), prior) = (answer.planned.as_object(), request.prior.as_object()) else {
            return Ok(answer);
        };
        let has_changed = |name: &str| prior.is_none_or(|prior| !same(planned.get(name), prior.get(name)));
        let is_replaced = prior.is_some() && has_changed("triggers_replace");
        let is_new = planned.get("id").is_some_and(|id| !id.is_known());
        let has_store = planned.get("store").is_some();
        let kept_output = prior.and_then(|prior| prior.get("output")).filter(|_| !is_replaced);
        let output = match has_changed("input") {
            false => kept_output.map(|output| ("output", output.clone())),
            true => Some((
                "output",
                match planned.get("input") {
                    // A new object without `input` has a known `output` from the start: null. An update to null leaves it
                    // unknown.
                    Some(input) if !input.is_null() || prior.is_some() && !has_store => {
                        Value::unknown(input.ty().clone())
                    }
                    input => input.cloned().unwrap_or(Value::null(Type::Dynamic)),
                },
            )),
        };
        let store = match has_store {
            true => planned_store(request, planned.get("store"), &mut answer.requires_replace),
            false => Ok(None),
        };
        let store = match store {
            Ok(store) => store,
            Err(error) => {
                answer.diagnostics.push(error);
                return Ok(answer);
            }
        };
        let id = is_new.then(|| ("id", objchange_hcl::not_null(Value::unknown(Type::String))));
        let store = store.map(|store| ("store", store));
        let others: Vec<_> = output.into_iter().chain(id).chain(store).collect();
        answer.planned = with_attributes(&answer.planned, &others);
        if is_replaced {
            answer.requires_replace.push(Path::root().attribute("triggers_replace"));
        }
        Ok(answer)
    }
}

/// The planned `store`, where one is configured. Its `output` is the `input` that was given when its `version` was another
/// one; a sensitive one is `sensitive_output` instead.
fn planned_store(
    request: &PlanResourceChange,
    planned: Option<&Value>,
    requires_replace: &mut Vec<Path>,
) -> Result<Option<Value>, Diagnostic> {
    let nothing = || Value::null(Type::Dynamic);
    let part = |object: &Value, name: &str| object.attribute(name).cloned().unwrap_or_else(nothing);
    let config = part(&request.config, "store");
    let Some(store) = planned.filter(|store| !store.is_null() && !config.is_null()) else {
        return Ok(None);
    };
    if !store.is_known() {
        return Ok(None);
    }
    let flag = |name: &'static str| {
        let value = part(&config, name);
        if value.is_known() {
            return Ok(value.as_bool() == Some(true));
        }
        let mut error = Diagnostic::error("unexpected unknown value");
        error.detail =
            format!("the {name:?} attribute must be known in order to plan changes to this resource");
        error.path = Some(Path::root().attribute("store").attribute(name));
        Err(error)
    };
    let (replaces, is_sensitive) = (flag("replace")?, flag("sensitive")?);
    let with_output = |output: Value| {
        let outputs = match is_sensitive {
            true => [("output", nothing()), ("sensitive_output", output)],
            false => [("output", output), ("sensitive_output", nothing())],
        };
        Ok(Some(with_attributes(store, &outputs)))
    };
    let input = part(&config, "input");
    let made = || Value::unknown(Type::Dynamic);
    let Some(prior) = request.prior.attribute("store").filter(|prior| !prior.is_null()) else {
        return with_output(if input.is_null() { nothing() } else { made() });
    };
    let stored = match part(prior, "sensitive").as_bool() {
        Some(true) => part(prior, "sensitive_output"),
        _ => part(prior, "output"),
    };
    let (version, known) = (part(&config, "version"), part(prior, "version"));
    let is_same = match version.is_null() && known.is_null() {
        // Nothing but the input itself says whether it is another one.
        true => same(Some(&input), Some(&stored)) || input.is_null() && stored.is_null(),
        false => same(Some(&version), Some(&known)),
    };
    if is_same {
        return with_output(stored);
    }
    if replaces {
        requires_replace.push(Path::root().attribute("store").attribute("input"));
    }
    with_output(made())
}

/// Whether an argument stays as it was, in its type as well.
fn same(planned: Option<&Value>, prior: Option<&Value>) -> bool {
    match (planned, prior) {
        // Terraform 1.11.4 replaces the object if `triggers_replace` changes from 1 to "1".
        (Some(planned), Some(prior)) => planned.definitely_equals(prior) && planned.ty() == prior.ty(),
        (planned, prior) => planned.is_none() && prior.is_none(),
    }
}

/// The object with other values for some attributes.
pub(crate) fn with_attributes(object: &Value, others: &[(&str, Value)]) -> Value {
    let Some(members) = object.as_object() else { return object.clone() };
    let value = |name: &SmolStr, value: &Value| {
        others
            .iter()
            .find(|(other, _)| other == name)
            .map_or_else(|| value.clone(), |(_, other)| other.clone())
    };
    let members = members.iter().map(|(name, member)| (name.clone(), value(name, member)));
    Value::object(members).with_marks(object.marks())
}

/// The object that an import gives: its identifier, and nothing else.
pub(super) fn imported(schema: &Schema, id: &str) -> Value {
    with_attributes(schema.block.empty_value(), &[("id", Value::from(id))])
}

/// The `terraform_data` that a `null_resource` is moved to. Its triggers become an object, as people write them.
pub(super) fn from_null_resource(schema: &Schema, object: &Value) -> Value {
    let part = |name: &str| object.attribute(name).cloned().unwrap_or_else(|| Value::null(Type::Dynamic));
    let triggers = part("triggers");
    let triggers = match triggers.as_map() {
        Some(map) => Value::object(map.iter().map(|(key, value)| (key.as_str(), value.clone()))),
        None => triggers,
    };
    with_attributes(schema.block.empty_value(), &[("id", part("id")), ("triggers_replace", triggers)])
}
