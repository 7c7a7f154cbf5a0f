//! The provider in Terraform itself: `terraform_data`.

use objchange::change::{PlanResourceChange, PlannedResource, Provider, ProviderError, SimulatedProvider};
use objchange::schema::Schema;
use objchange::value::Path;
use objchange::{Type, Value};
use smol_str::SmolStr;

/// Plans `terraform_data`: `output` repeats `input`, and is unknown until that is applied, unless the object is new and
/// has none; another `triggers_replace` needs a new object.
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
        let output = has_changed("input").then(|| {
            let output = match planned.get("input") {
                // A new object without `input` has a known `output` from the start: null. An update to null leaves it
                // unknown.
                Some(input) if prior.is_some() || !input.is_null() => Value::unknown(input.ty().clone()),
                input => input.cloned().unwrap_or(Value::null(Type::Dynamic)),
            };
            ("output", output)
        });
        let id = is_new.then(|| ("id", objchange_hcl::not_null(Value::unknown(Type::String))));
        let others: Vec<_> = output.into_iter().chain(id).collect();
        answer.planned = with_attributes(&answer.planned, &others);
        if is_replaced {
            answer.requires_replace.push(Path::root().attribute("triggers_replace"));
        }
        Ok(answer)
    }
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
pub(super) fn with_attributes(object: &Value, others: &[(&str, Value)]) -> Value {
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
