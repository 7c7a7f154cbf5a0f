//! The sensitive marks of a plan, joined by addresses of instances and names of outputs.
//!
//! The sections of a plan repeat values, and not all repeat the marks. Terraform 1.9 to 1.15 omits the schema's marks
//! from `planned_values` of replaced objects, and the drift of a moved object has the marks of its old type. So a mark
//! in one section applies in all.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{DocumentError, Plan, Sensitive, State, StateResource};
use crate::changes::WrittenValues;
use crate::json::{Json, Raw, Shape, View, fitted_marks, union_marks};

/// The sensitive marks that the sections of a plan have for its objects and outputs. A mark for a part that its value
/// lacks marks the whole value around it: a mistake hides, and does not show.
///
/// ```
/// use objchange_document::{Plan, StatedMarks};
///
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","planned_values":{"root_module":{"resources":[{"address":"disk.a","mode":"managed",
///     "type":"disk","name":"a","values":{"key":"x"},"sensitive_values":{"key":true}}]}}}"#,
/// )?;
/// let marks = StatedMarks::new(&plan)?;
/// let of_disk = marks.view("disk.a").and_then(|marks| marks.get("key"));
/// assert!(of_disk.is_some_and(|mark| mark.is_true()));
/// assert!(marks.view("disk.b").is_none());
/// # Ok::<(), objchange_document::DocumentError>(())
/// ```
#[derive(Debug, Default)]
pub struct StatedMarks<'t> {
    /// By the address of the instance.
    instances: HashMap<String, Arc<Json<'t>>>,
    /// By the name of the output of the root module.
    outputs: HashMap<String, Arc<Json<'t>>>,
}

/// All marks of a kind, by address or name.
struct Collected<'t> {
    document: &'t str,
    by_address: HashMap<String, Vec<Arc<Json<'t>>>>,
    /// The addresses that one object has before and after it is moved.
    moved: HashMap<String, Vec<String>>,
    /// Most instances of a resource have equal marks, which are read once; `None` if they mark nothing.
    known: HashMap<&'t str, Option<Arc<Json<'t>>>>,
}

impl<'t> Collected<'t> {
    fn new(document: &'t str) -> Self {
        Self { document, by_address: HashMap::new(), moved: HashMap::new(), known: HashMap::new() }
    }

    fn read(&self, part: &Raw<'t>, address: &str) -> Result<Json<'t>, DocumentError> {
        Json::read(part).map_err(|error| {
            DocumentError::from_json(&error, self.document, &format!("{address}: sensitive values"))
        })
    }

    /// Adds the marks of a value, of which some may be unknown.
    fn add(
        &mut self,
        address: &str,
        marks: &Raw<'t>,
        value: &Raw<'t>,
        unknown: Option<&Raw<'t>>,
    ) -> Result<(), DocumentError> {
        let read = match self.known.get(marks.text()) {
            Some(read) => read.clone(),
            None => {
                let read = self.read(marks, address)?;
                let read = read.view().says_something().then(|| Arc::new(read));
                self.known.insert(marks.text(), read.clone());
                read
            }
        };
        let Some(read) = read else { return Ok(()) };
        let fitted = if read.view().is_bool() {
            None
        } else {
            let value = self.read(value, address)?;
            let unknown = unknown.map_or_else(|| Ok(Json::null()), |unknown| self.read(unknown, address))?;
            fitted_marks(read.view(), value.view(), unknown.view())
        };
        self.add_read(address, fitted.map_or(read, Arc::new));
        Ok(())
    }

    fn add_read(&mut self, address: &str, marks: Arc<Json<'t>>) {
        let all = self.by_address.entry_ref(address).or_default();
        if !all.iter().any(|known| Arc::ptr_eq(known, &marks) || known == &marks) {
            all.push(marks);
        }
    }

    fn add_change(&mut self, address: &str, values: &WrittenValues<'t>) -> Result<(), DocumentError> {
        self.add(address, &values.before_sensitive, &values.before, None)?;
        self.add(address, &values.after_sensitive, &values.after, Some(&values.after_unknown))
    }

    fn add_state(
        &mut self,
        resources: &[StateResource<'t>],
        unknown: &HashMap<&str, Raw<'t>>,
    ) -> Result<(), DocumentError> {
        resources.iter().try_for_each(|resource| match &resource.sensitive {
            Sensitive::Values(marks) => {
                let unknown = unknown.get(&*resource.address);
                self.add(&resource.address, marks, &resource.values, unknown)
            }
            Sensitive::Paths(_) => Ok(()),
        })
    }

    fn add_move(&mut self, one: &str, other: &str) {
        for (from, to) in [(one, other), (other, one)] {
            self.moved.entry_ref(from).or_default().push(to.to_owned());
        }
    }

    fn joined(&self) -> HashMap<String, Arc<Json<'t>>> {
        let mut united: HashMap<Vec<*const Json<'t>>, Arc<Json<'t>>> = HashMap::new();
        let mut joined = HashMap::new();
        for address in self.by_address.keys().chain(self.moved.keys()) {
            if joined.contains_key(address) {
                continue;
            }
            let addresses = std::iter::once(address).chain(self.moved.get(address).into_iter().flatten());
            let all: Vec<&Arc<Json<'t>>> =
                addresses.filter_map(|address| self.by_address.get(address)).flatten().collect();
            if all.is_empty() {
                continue;
            }
            // Most instances of a resource share their marks, so that most unions are known by the pointers to these.
            let union = united.entry(all.iter().map(|marks| Arc::as_ptr(marks)).collect());
            let union = union.or_insert_with(|| {
                let views: Vec<View<'_, 't>> = all.iter().map(|marks| marks.view()).collect();
                Arc::new(union_marks(&views))
            });
            joined.insert(address.clone(), Arc::clone(union));
        }
        joined
    }
}

impl<'t> StatedMarks<'t> {
    /// Joins what the sections of a plan say.
    ///
    /// # Errors
    ///
    /// A section has not the form that it is to have. The error says where.
    pub fn new(plan: &Plan<'t>) -> Result<Self, DocumentError> {
        let configuration = plan.configuration().unwrap_or(Raw::NULL);
        let configuration = Json::read(&configuration)
            .map_err(|error| DocumentError::from_json(&error, plan.text(), "configuration"))?;
        Self::beside(plan, configuration.view())
    }

    /// Like [`StatedMarks::new`], with the configuration that was read already.
    ///
    /// # Errors
    ///
    /// As [`StatedMarks::new`].
    pub fn beside(plan: &Plan<'t>, configuration: View<'_, 't>) -> Result<Self, DocumentError> {
        let (mut instances, mut outputs) = (Collected::new(plan.text()), Collected::new(plan.text()));
        let mut unknown = HashMap::new();
        for resource in plan.changes.all_resources() {
            if let Some(values) = resource.change.values.written() {
                instances.add_change(&resource.address, values)?;
            }
            if let Some(previous) = &resource.previous_address {
                instances.add_move(&resource.address, previous);
            }
        }
        for resource in &plan.changes.resources {
            if let Some(values) = resource.change.values.written().filter(|_| resource.deposed.is_none()) {
                unknown.insert(&*resource.address, values.after_unknown);
            }
        }
        for output in &plan.changes.outputs {
            if let Some(values) = output.change.values.written() {
                outputs.add_change(&output.name, values)?;
            }
        }
        let planned = plan.planned_values().map(|part| State::parse_values(plan.text(), part)).transpose();
        let planned =
            planned.map_err(|error| DocumentError::from_json(&error, plan.text(), "planned_values"))?;
        let prior = plan.prior_state().map(|part| State::parse_within(plan.text(), part)).transpose();
        let prior = prior.map_err(|error| DocumentError::from_json(&error, plan.text(), "prior_state"))?;
        let all = Arc::new(Json::null().view().bool(true).to_json());
        let nothing = HashMap::new();
        for (state, unknown) in
            planned.iter().map(|state| (state, &unknown)).chain(prior.iter().map(|state| (state, &nothing)))
        {
            instances.add_state(&state.resources, unknown)?;
            for output in state.outputs.iter().filter(|output| output.sensitive) {
                outputs.add_read(&output.name, Arc::clone(&all));
            }
        }
        let declared = configuration.get("root_module").and_then(|root| root.get("outputs"));
        for (name, output) in declared.into_iter().flat_map(|outputs| outputs.members().iter()) {
            if says_sensitive(output) {
                outputs.add_read(name, Arc::clone(&all));
            }
        }
        Ok(Self { instances: instances.joined(), outputs: outputs.joined() })
    }

    /// The marks of an instance's values, in their shape.
    pub fn of_instance(&self, address: &str) -> Option<Arc<Json<'t>>> {
        self.instances.get(address).cloned()
    }

    /// A view of what [`StatedMarks::of_instance`] gives.
    pub fn view(&self, address: &str) -> Option<View<'_, 't>> {
        self.instances.get(address).map(|marks| marks.view())
    }

    /// Everything that is said of instances, by their addresses.
    pub fn instances(&self) -> impl Iterator<Item = (&str, View<'_, 't>)> {
        self.instances.iter().map(|(address, marks)| (address.as_str(), marks.view()))
    }

    /// The marks of a root module output's value, in its shape.
    pub fn of_output(&self, name: &str) -> Option<Arc<Json<'t>>> {
        self.outputs.get(name).cloned()
    }

    /// A view of what [`StatedMarks::of_output`] gives.
    pub fn output_view(&self, name: &str) -> Option<View<'_, 't>> {
        self.outputs.get(name).map(|marks| marks.view())
    }
}

/// Whether a variable or output of a configuration is declared sensitive. Anything but a bool hides it.
///
/// ```
/// use objchange_document::says_sensitive;
/// use objchange_document::json::Json;
///
/// assert!(says_sensitive(Json::parse(r#"{"sensitive":true}"#)?.view()));
/// assert!(says_sensitive(Json::parse(r#"{"sensitive":"yes"}"#)?.view()));
/// assert!(!says_sensitive(Json::parse("{}")?.view()));
/// # Ok::<(), objchange_document::json::JsonError>(())
/// ```
pub fn says_sensitive(declared: View<'_, '_>) -> bool {
    declared.get("sensitive").is_some_and(|said| !matches!(said.shape(), Shape::Null | Shape::Bool(false)))
}
