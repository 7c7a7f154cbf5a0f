//! What of a configuration must not be shown: what it calls sensitive itself, and the constants of attributes that the
//! changes of the plan call sensitive. Nothing in the configuration of a plan says that of an attribute.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use objchange::address::strip_keys;
use objchange_plan::{DocumentError, Json, Plan, Raw, Shape, View};

use crate::collection::read;

/// What of a configuration must not be shown.
pub(crate) struct ConfigMarks<'t> {
    configuration: Json<'t>,
    /// By the address of the resource.
    resources: HashMap<String, Arc<Names>>,
}

/// Names of attributes, however deep, of which all is sensitive. Positions and keys in lists are skipped:
/// what is sensitive in one element or instance is so in all.
#[derive(Debug, Default)]
pub(crate) struct Names {
    all: bool,
    below: BTreeMap<String, Names>,
}

impl<'t> ConfigMarks<'t> {
    pub(crate) fn new(plan: &Plan<'t>) -> Result<Self, DocumentError> {
        let configuration = plan.configuration().unwrap_or(Raw::NULL);
        let configuration = read(plan.text(), &configuration, "configuration")?;
        let mut names: HashMap<String, Names> = HashMap::new();
        // Most instances of a resource say the same, and most resources nothing.
        let mut seen = HashSet::new();
        for resource in plan.changes.all_resources() {
            let Some(values) = resource.change.values.written() else { continue };
            for marks in [&values.before_sensitive, &values.after_sensitive] {
                let says_something = !matches!(marks.text(), "{}" | "false" | "null");
                if says_something && memchr::memmem::find(marks.text().as_bytes(), b"true").is_some() {
                    let address = strip_keys(&resource.address);
                    if seen.insert((address.clone(), marks.text())) {
                        let location = format!("{}: change", resource.address);
                        names.entry(address).or_default().add(read(plan.text(), marks, &location)?.view());
                    }
                }
            }
        }
        let resources = names.into_iter().map(|(address, names)| (address, Arc::new(names))).collect();
        Ok(Self { configuration, resources })
    }

    pub(crate) fn configuration(&self) -> View<'_, 't> {
        self.configuration.view()
    }

    /// What is sensitive of a resource.
    pub(crate) fn of_resource(&self, address: &str) -> Option<Arc<Names>> {
        self.resources.get(address).cloned()
    }

    /// Like [`ConfigMarks::of_resource`], by the address of an instance.
    pub(crate) fn of_instance(&self, address: &str) -> Option<Arc<Names>> {
        self.of_resource(&strip_keys(address))
    }

    /// Whether a variable of the root module is sensitive.
    pub(crate) fn is_sensitive_variable(&self, name: &str) -> bool {
        let root = self.configuration().get("root_module");
        root.and_then(|root| root.get("variables")?.get(name)).is_some_and(says_sensitive)
    }
}

/// Whether a variable or output is called sensitive. What is neither yes nor no must not open it.
pub(crate) fn says_sensitive(declared: View<'_, '_>) -> bool {
    declared.get("sensitive").is_some_and(|said| !matches!(said.shape(), Shape::Null | Shape::Bool(false)))
}

impl Names {
    /// All of it.
    pub(crate) fn all() -> Arc<Self> {
        Arc::new(Self { all: true, below: BTreeMap::new() })
    }

    /// What these marks call sensitive.
    pub(crate) fn of_marks<'v, 't: 'v>(marks: impl Iterator<Item = View<'v, 't>>) -> Self {
        let mut names = Self::default();
        marks.for_each(|marks| names.add(marks));
        names
    }

    /// The arguments of a call whose variables are sensitive.
    pub(crate) fn of_arguments(call: View<'_, '_>) -> Option<Arc<Self>> {
        let variables = call.get("module")?.get("variables")?.members();
        let sensitive = variables.iter().filter(|(_, variable)| says_sensitive(*variable));
        let below: BTreeMap<_, _> =
            sensitive.map(|(name, _)| (name.to_owned(), Self { all: true, ..Self::default() })).collect();
        (!below.is_empty()).then(|| Arc::new(Self { all: false, below }))
    }

    pub(crate) fn has_all(&self) -> bool {
        self.all
    }

    /// What is sensitive of a member.
    pub(crate) fn below(&self, name: &str) -> Option<&Self> {
        if self.all { Some(self) } else { self.below.get(name) }
    }

    fn add(&mut self, marks: View<'_, '_>) {
        match marks.shape() {
            Shape::Null | Shape::Bool(false) => {}
            Shape::Bool(true) | Shape::String(_) | Shape::Number(_) => self.all = true,
            Shape::Array(elements) => elements.iter().for_each(|element| self.add(element)),
            Shape::Object(members) => {
                for (name, marks) in members.iter().filter(|(_, marks)| !marks.is_empty()) {
                    self.below.entry(name.to_owned()).or_default().add(marks);
                }
            }
        }
    }
}
