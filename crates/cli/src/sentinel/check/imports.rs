//! What the imports of Terraform data hold.

use std::sync::Arc;

use objchange_sentinel::{Fields, Shape};

use super::schemas::{Attributes, Schemas};

/// What an import of Terraform data is; nothing if it is another import.
pub(super) fn shape(import: &str, schemas: &Arc<Schemas>) -> Option<Shape> {
    let resources = |part| Shape::map(Resource::shape(part, schemas));
    let state = || {
        let output = record("an output", &["name"], vec![("sensitive", Shape::BOOL), ("value", Shape::ANY)]);
        vec![("resources", resources(Part::State)), ("outputs", Shape::map(output))]
    };
    let fields = match import {
        "tfplan/v2" => {
            let variable = record("a variable", &["name"], vec![("value", Shape::ANY)]);
            let change = record("the change of an output", &[], change(&Shape::ANY));
            let output = record("the change of an output", &["name"], vec![("change", change)]);
            vec![
                ("terraform_version", Shape::STRING),
                ("variables", Shape::map(variable)),
                ("planned_values", record("planned_values", &[], state())),
                ("resource_changes", resources(Part::Change)),
                ("resource_drift", resources(Part::Change)),
                ("output_changes", Shape::map(output)),
                ("raw", Shape::ANY),
            ]
        }
        "tfstate/v2" => {
            let mut fields = state();
            fields.push(("terraform_version", Shape::STRING.or_missing()));
            fields
        }
        "tfconfig/v2" => configuration(resources(Part::Configuration)),
        _ => return None,
    };
    Some(record(&format!("the import {import}"), &[], fields))
}

fn configuration(resources: Shape) -> Vec<(&'static str, Shape)> {
    let names = || Shape::list(Shape::STRING);
    let provider =
        ["provider_config_key", "name", "full_name", "alias", "module_address", "version_constraint"];
    let output = vec![("sensitive", Shape::BOOL), ("value", Shape::ANY), ("depends_on", names())];
    let call = vec![
        ("config", Shape::ANY),
        ("count", Shape::ANY),
        ("for_each", Shape::ANY),
        ("depends_on", names()),
    ];
    vec![
        ("providers", Shape::map(record("a provider", &provider, vec![("config", Shape::ANY)]))),
        ("resources", resources),
        ("provisioners", Shape::map(provisioner())),
        (
            "variables",
            Shape::map(record(
                "a variable",
                &["module_address", "name", "description"],
                vec![("default", Shape::ANY)],
            )),
        ),
        ("outputs", Shape::map(record("an output", &["module_address", "name", "description"], output))),
        (
            "module_calls",
            Shape::map(record(
                "a call of a module",
                &["module_address", "name", "source", "version_constraint"],
                call,
            )),
        ),
        ("strip_index", Shape::FUNCTION),
    ]
}

fn provisioner() -> Shape {
    record("a provisioner", &["resource_address", "type", "index"], vec![("config", Shape::ANY)])
}

/// What a change holds of something of this shape.
fn change(values: &Shape) -> Vec<(&'static str, Shape)> {
    let values = values.or(&Shape::NULL);
    vec![
        ("actions", Shape::list(Shape::STRING)),
        ("before", values.clone()),
        ("after", values.or_missing()),
        ("after_unknown", Shape::ANY),
    ]
}

/// A map with these strings and other values.
fn record(title: &str, strings: &[&'static str], mut fields: Vec<(&'static str, Shape)>) -> Shape {
    fields.extend(strings.iter().map(|name| (*name, Shape::STRING)));
    Shape::fields(Arc::new(Record { title: title.to_owned(), fields }))
}

#[derive(Debug)]
struct Record {
    title: String,
    fields: Vec<(&'static str, Shape)>,
}

impl Fields for Record {
    fn field(&self, name: &str) -> Option<Shape> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, shape)| shape.clone())
    }

    fn names(&self) -> Vec<String> {
        self.fields.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn missing(&self, name: &str) -> String {
        format!("{} has no {name}", self.title)
    }
}

/// Where a resource stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Change,
    State,
    Configuration,
}

/// A resource, of which `type` says what its attributes are.
#[derive(Debug)]
struct Resource {
    part: Part,
    /// Those that it may have; nothing if it may be any.
    types: Option<Vec<String>>,
    schemas: Arc<Schemas>,
}

impl Resource {
    fn shape(part: Part, schemas: &Arc<Schemas>) -> Shape {
        Shape::fields(Arc::new(Self { part, types: None, schemas: Arc::clone(schemas) }))
    }

    fn record(&self) -> Record {
        let values = Attributes::of(&self.schemas, self.types.as_deref());
        let (title, strings, mut fields) = match self.part {
            Part::Change => {
                let change = record("the change of a resource", &[], change(&Shape::fields(values)));
                (
                    "a change of a resource",
                    ["provider_name", "deposed"],
                    vec![("index", Shape::ANY), ("change", change)],
                )
            }
            Part::State => (
                "a resource",
                ["provider_name", "deposed_key"],
                vec![
                    ("index", Shape::ANY),
                    ("values", Shape::fields(values)),
                    ("depends_on", Shape::list(Shape::STRING)),
                    ("tainted", Shape::BOOL),
                ],
            ),
            Part::Configuration => (
                "the configuration of a resource",
                ["provider_config_key", "address"],
                vec![
                    ("provisioners", Shape::list(provisioner())),
                    ("config", Shape::fields(Arc::new(Expressions(values)))),
                    ("count", Shape::ANY),
                    ("for_each", Shape::ANY),
                    ("depends_on", Shape::list(Shape::STRING)),
                ],
            ),
        };
        let strings = ["address", "module_address", "mode", "type", "name"].into_iter().chain(strings);
        fields.extend(strings.map(|name| (name, Shape::STRING)));
        Record { title: title.to_owned(), fields }
    }
}

impl Fields for Resource {
    fn field(&self, name: &str) -> Option<Shape> {
        self.record().field(name)
    }

    fn names(&self) -> Vec<String> {
        self.record().names()
    }

    fn missing(&self, name: &str) -> String {
        self.record().missing(name)
    }

    fn narrowed(&self, field: &str, values: &[String]) -> Option<Arc<dyn Fields>> {
        let types = match &self.types {
            _ if field != "type" => return None,
            // It must be of a type that both say.
            Some(types) => types.iter().filter(|name| values.contains(name)).cloned().collect(),
            None => values.to_vec(),
        };
        Some(Arc::new(Self { part: self.part, types: Some(types), schemas: Arc::clone(&self.schemas) }))
    }
}

/// The expressions that attributes are given, by the names of these.
#[derive(Debug)]
struct Expressions(Arc<Attributes>);

impl Fields for Expressions {
    fn field(&self, name: &str) -> Option<Shape> {
        self.0.field(name).map(|_| Shape::ANY.or_missing())
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn missing(&self, name: &str) -> String {
        self.0.missing(name)
    }
}
