//! The objects of a provider in plans and states, to learn it with.

use objchange::Value;
use objchange::address::ProviderAddress;
use objchange::schema::Block;
use objchange_document::{Document, PlanFile};
use objchange_model::GivenObject;

/// The objects of a provider in plans and states.
#[derive(Debug, Default)]
pub struct DocumentObjects {
    /// The objects, with their types.
    pub objects: Vec<GivenObject>,
    /// How many do not fit the schema of their type: another version of the provider wrote them.
    pub of_other_schemas: usize,
}

impl DocumentObjects {
    /// Adds the objects of a provider in a plan or state. `block` finds the schema of a type.
    pub fn add<'b>(&mut self, file: &PlanFile, provider: &str, block: impl Fn(&str) -> Option<&'b Block>) {
        let without_marks = |value: Value| value.unmark_deep().0;
        let is_of = |name: &str| ProviderAddress::normalized(name) == provider;
        match file.document() {
            Document::State(state) => {
                for resource in state.instances().filter(|resource| is_of(&resource.provider_name)) {
                    let Some(block) = block(&resource.resource_type) else { continue };
                    let object = state.object(resource, block).ok();
                    self.push(
                        &resource.resource_type,
                        object.map(|prior| (Some(without_marks(prior)), None)),
                    );
                }
            }
            Document::Plan(plan) => {
                let all = plan.changes.resources.iter();
                let managed = all.filter(|change| &*change.mode == "managed" && change.deposed.is_none());
                for change in managed.filter(|change| is_of(&change.provider_name)) {
                    let Some(block) = block(&change.resource_type) else { continue };
                    let (prior, planned) = (change.prior_object(block), change.planned_object(block));
                    let objects = prior.ok().zip(planned.ok()).map(|(prior, planned)| {
                        let planned = without_marks(planned);
                        (prior.map(without_marks), Some(planned).filter(|planned| !planned.is_null()))
                    });
                    self.push(&change.resource_type, objects);
                }
            }
        }
    }

    fn push(&mut self, type_name: &str, objects: Option<(Option<Value>, Option<Value>)>) {
        match objects {
            Some((prior, planned)) => {
                self.objects.push(GivenObject { type_name: type_name.into(), prior, planned });
            }
            None => self.of_other_schemas += 1,
        }
    }
}
