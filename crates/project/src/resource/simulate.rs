//! The plan of a change without its provider.

use objchange::change::{
    PlanResourceChange, PlannedChange, PlannedResource, Provider, SimulatedProvider, plan_change,
};
use objchange::schema::UnknownPathKind;
use objchange::value::Path;
use objchange_files::input::{Size, Source};
use objchange_module::TerraformData;

use super::{ResourceError, Subject, check_path, read_written};

impl Subject<'_> {
    /// Plans the change by a simulated provider, or sees whether this planned object keeps the contract, which may be so large.
    /// The provider wants changes of these parts to replace the object.
    ///
    /// # Errors
    ///
    /// The planned object cannot be used, or there is no such part.
    pub fn plan(
        &self,
        planned: Option<(Source, Size)>,
        requires_replace: &[Path],
    ) -> Result<PlannedChange, ResourceError> {
        let schema = &self.request.schema;
        for path in requires_replace {
            match check_path(schema, "requires_replace", path) {
                // A provider may name an element of a set, which only a value tells.
                Err(ResourceError::NoSuchPart { error, .. })
                    if error.kind == UnknownPathKind::NotAnElement => {}
                checked => checked?,
            }
        }
        let requires_replace = requires_replace.to_vec();
        let plan = match planned.map(|(source, limit)| read_written(source, schema, limit)).transpose()? {
            Some(planned) => {
                let mut answer = PlannedResource::new(planned);
                answer.requires_replace = requires_replace;
                let mut provider = |_: &PlanResourceChange| Ok(answer.clone());
                plan_change(&self.request, &mut provider as &mut dyn Provider)?
            }
            None => {
                let mut simulated = SimulatedProvider { requires_replace };
                let mut terraform_data;
                let provider: &mut dyn Provider = if self.resource_type == TerraformData::TYPE {
                    terraform_data = TerraformData(simulated);
                    &mut terraform_data
                } else {
                    &mut simulated
                };
                plan_change(&self.request, provider)?
            }
        };
        Ok(plan)
    }
}
