//! The plan of a `terraform_data` resource.

use objchange::Value;
use objchange::change::{PlanResourceChange, PlannedResource, Provider, ProviderError, SimulatedProvider};
use objchange::value::{Path, PathStep};

/// Plans as the provider in Terraform itself does: `output` repeats `input`, and is unknown until that is applied; another
/// `triggers_replace` needs a new object.
pub(super) struct TerraformData(pub(super) SimulatedProvider);

impl TerraformData {
    /// The resource type that it is for.
    pub(super) const TYPE: &str = "terraform_data";
}

impl Provider for TerraformData {
    fn plan(&mut self, request: &PlanResourceChange) -> Result<PlannedResource, ProviderError> {
        let mut answer = self.0.plan(request)?;
        let (Some(planned), prior) = (answer.planned.as_object(), request.prior.as_object()) else {
            return Ok(answer);
        };
        let has_changed = |name: &str| prior.is_none_or(|prior| !same(planned.get(name), prior.get(name)));
        let triggers = prior.is_some() && has_changed("triggers_replace");
        if has_changed("input") {
            let output = match planned.get("input") {
                Some(input) if !input.is_null() => Value::unknown(input.ty().clone()),
                input => input.cloned().unwrap_or(Value::null(objchange::Type::Dynamic)),
            };
            let members = planned.iter().map(|(name, value)| {
                (name.clone(), if name == "output" { output.clone() } else { value.clone() })
            });
            answer.planned = Value::object(members).with_marks(answer.planned.marks());
        }
        if triggers {
            let path: Path = [PathStep::Attribute("triggers_replace".into())].into_iter().collect();
            answer.requires_replace.push(path);
        }
        Ok(answer)
    }
}

/// Whether an argument stays as it was, in its type as well.
fn same(planned: Option<&Value>, prior: Option<&Value>) -> bool {
    match (planned, prior) {
        (Some(planned), Some(prior)) => planned.definitely_equals(prior) && planned.ty() == prior.ty(),
        (planned, prior) => planned.is_none() && prior.is_none(),
    }
}
