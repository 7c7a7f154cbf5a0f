//! The sensitive marks of a plan, joined by addresses of instances and names of outputs.
//!
//! The sections of a plan repeat values, and not all repeat the marks. Terraform 1.9 to 1.15 omits the schema's marks
//! from `planned_values` of replaced objects, and the drift of a moved object has the marks of its old type. So a mark
//! in one section applies in all.

use std::sync::Arc;

use hashbrown::HashMap;
use objchange_plan::{DocumentError, Json, Plan, Raw, Sensitive, State, StateResource, View, union_marks};

use crate::collection::read;
use crate::tfconfig::says_sensitive;

/// The sensitive marks of a plan.
#[derive(Debug, Default)]
pub(crate) struct StatedMarks<'t> {
    /// By the address of the instance.
    instances: HashMap<String, Arc<Json<'t>>>,
    /// By the name of the output of the root module.
    outputs: HashMap<String, Arc<Json<'t>>>,
}

/// The texts of marks, by address or name.
#[derive(Default)]
struct Texts<'t> {
    by_address: HashMap<String, Vec<Raw<'t>>>,
    /// The addresses that one object has before and after it is moved.
    moved: HashMap<String, Vec<String>>,
}

impl<'t> Texts<'t> {
    fn add(&mut self, address: &str, marks: &Raw<'t>) {
        let says_something = !matches!(marks.text(), "" | "{}" | "false" | "null");
        if !says_something || memchr::memmem::find(marks.text().as_bytes(), b"true").is_none() {
            return;
        }
        let texts = self.by_address.entry(address.to_owned()).or_default();
        if !texts.iter().any(|known| known.text() == marks.text()) {
            texts.push(*marks);
        }
    }

    fn add_state(&mut self, resources: &[StateResource<'t>]) {
        for resource in resources {
            if let Sensitive::Values(marks) = &resource.sensitive {
                self.add(&resource.address, marks);
            }
        }
    }

    fn add_move(&mut self, one: &str, other: &str) {
        for (from, to) in [(one, other), (other, one)] {
            self.moved.entry(from.to_owned()).or_default().push(to.to_owned());
        }
    }
}

impl<'t> StatedMarks<'t> {
    /// All that the sections of a plan say.
    ///
    /// # Errors
    ///
    /// A section has not the form that it is to have. The error says where.
    pub(crate) fn new(plan: &Plan<'t>, configuration: View<'_, 't>) -> Result<Self, DocumentError> {
        let (mut texts, mut outputs) = (Texts::default(), Texts::default());
        // The marks of an output that is sensitive.
        let all = Raw::new("true");
        for resource in plan.changes.all_resources() {
            if let Some(values) = resource.change.values.written() {
                texts.add(&resource.address, &values.before_sensitive);
                texts.add(&resource.address, &values.after_sensitive);
            }
            if let Some(previous) = &resource.previous_address {
                texts.add_move(&resource.address, previous);
            }
        }
        for output in &plan.changes.outputs {
            if let Some(values) = output.change.values.written() {
                outputs.add(&output.name, &values.before_sensitive);
                outputs.add(&output.name, &values.after_sensitive);
            }
        }
        let planned = plan.planned_values().map(|part| State::parse_values(plan.text(), part)).transpose();
        let planned =
            planned.map_err(|error| DocumentError::from_json(&error, plan.text(), "planned_values"))?;
        let prior = plan.prior_state().map(|part| State::parse_within(plan.text(), part)).transpose();
        let prior = prior.map_err(|error| DocumentError::from_json(&error, plan.text(), "prior_state"))?;
        for state in planned.into_iter().chain(prior) {
            texts.add_state(&state.resources);
            for output in state.outputs.iter().filter(|output| output.sensitive) {
                outputs.add(&output.name, &all);
            }
        }
        let declared = configuration.get("root_module").and_then(|root| root.get("outputs"));
        for (name, output) in declared.into_iter().flat_map(|outputs| outputs.members().iter()) {
            if says_sensitive(output) {
                outputs.add(name, &all);
            }
        }
        Ok(Self { instances: joined(plan.text(), &texts)?, outputs: joined(plan.text(), &outputs)? })
    }

    /// The marks of an instance's values, in their shape.
    pub(crate) fn of_instance(&self, address: &str) -> Option<Arc<Json<'t>>> {
        self.instances.get(address).cloned()
    }

    /// A view of what [`StatedMarks::of_instance`] gives.
    pub(crate) fn view(&self, address: &str) -> Option<View<'_, 't>> {
        self.instances.get(address).map(|marks| marks.view())
    }

    /// Everything that is said of instances.
    pub(crate) fn instances(&self) -> impl Iterator<Item = (&str, View<'_, 't>)> {
        self.instances.iter().map(|(address, marks)| (address.as_str(), marks.view()))
    }

    /// The marks of a root module output's value, in its shape.
    pub(crate) fn of_output(&self, name: &str) -> Option<Arc<Json<'t>>> {
        self.outputs.get(name).cloned()
    }

    /// A view of what [`StatedMarks::of_output`] gives.
    pub(crate) fn output_view(&self, name: &str) -> Option<View<'_, 't>> {
        self.outputs.get(name).map(|marks| marks.view())
    }
}

/// Marks by address. Most instances of a resource have equal marks, which are read once.
fn joined<'t>(text: &'t str, texts: &Texts<'t>) -> Result<HashMap<String, Arc<Json<'t>>>, DocumentError> {
    let mut read_once: HashMap<Vec<&'t str>, Arc<Json<'t>>> = HashMap::new();
    let mut instances = HashMap::new();
    let no_moves = Vec::new();
    let addresses = texts.by_address.keys().chain(texts.moved.keys());
    for address in addresses {
        if instances.contains_key(address) {
            continue;
        }
        let moved = texts.moved.get(address).unwrap_or(&no_moves);
        let all = std::iter::once(address).chain(moved).filter_map(|address| texts.by_address.get(address));
        let all: Vec<&Raw<'t>> = all.flatten().collect();
        if all.is_empty() {
            continue;
        }
        let key: Vec<&'t str> = all.iter().map(|marks| marks.text()).collect();
        let marks = match read_once.get(&key) {
            Some(marks) => Arc::clone(marks),
            None => {
                let marks =
                    all.iter().map(|marks| read(text, marks, &format!("{address}: sensitive values")));
                let marks: Vec<Json<'t>> = marks.collect::<Result<_, _>>()?;
                let views: Vec<View<'_, 't>> = marks.iter().map(Json::view).collect();
                let marks = Arc::new(union_marks(&views));
                read_once.insert(key, Arc::clone(&marks));
                marks
            }
        };
        instances.insert(address.clone(), marks);
    }
    Ok(instances)
}
