//! The shapes of the imports of Terraform data, for checking policies without running them.

mod attributes;
mod targets;

use std::sync::Arc;

use objchange_sentinel::{Diagnostic, Fields, LintContext, Shape, lint};

use self::attributes::Attributes;
pub use self::attributes::Schemas;
pub use self::targets::{Target, find_targets};
use super::Configuration;
use crate::{Field, FieldKind, tfconfig, tfplan, tfstate};

/// Finds mistakes in a policy or module over plans, without running it.
///
/// # Errors
///
/// The errors in a text that cannot be parsed.
pub fn check(
    text: &str,
    is_policy: bool,
    configuration: Option<&Configuration>,
    schemas: &Arc<Schemas>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let shape = |import: &str| {
        // It is unknown what a module or mock holds.
        let is_given = configuration.is_some_and(|configuration| configuration.source_of(import).is_some());
        if is_given { Some(Shape::ANY) } else { shape(import, schemas) }
    };
    let globals = configuration.iter().flat_map(|configuration| configuration.globals.keys());
    lint(text, &LintContext { is_policy, globals: globals.cloned().collect(), imports: Some(&shape) })
}

/// The name of syntax errors in reports.
pub const SYNTAX_ERROR: &str = "syntax-error";

/// Like `check`, but syntax errors are findings, too.
pub fn findings(
    text: &str,
    is_policy: bool,
    configuration: Option<&Configuration>,
    schemas: &Arc<Schemas>,
) -> Vec<Diagnostic> {
    // They share one SARIF rule.
    let as_rule = |error| Diagnostic { kind: SYNTAX_ERROR.into(), ..error };
    check(text, is_policy, configuration, schemas)
        .unwrap_or_else(|errors| errors.into_iter().map(as_rule).collect())
}

/// The shape of an import of Terraform data; `None` for other imports.
fn shape(import: &str, schemas: &Arc<Schemas>) -> Option<Shape> {
    let resources = |part| Shape::map(Resource::shape(part, schemas));
    let items = |title, table| Shape::map(record(title, fields(table, &Shape::ANY, &Shape::ANY)));
    let state = || {
        let outputs = items("an output", tfstate::Output::FIELDS);
        vec![("resources", resources(ResourcePlace::State)), ("outputs", outputs)]
    };
    let fields = match import {
        "tfplan/v2" => vec![
            ("terraform_version", Shape::STRING),
            ("variables", items("a variable", tfplan::Variable::FIELDS)),
            ("planned_values", record("planned_values", state())),
            ("resource_changes", resources(ResourcePlace::Change)),
            ("resource_drift", resources(ResourcePlace::Change)),
            ("output_changes", items("the change of an output", tfplan::OutputChange::FIELDS)),
            ("raw", Shape::ANY),
        ],
        "tfstate/v2" => {
            let mut fields = state();
            // A plan for objects that do not exist yet has no state, and so no version of one.
            fields.push(("terraform_version", Shape::STRING.or_missing()));
            fields
        }
        "tfconfig/v2" => vec![
            ("providers", items("a provider", tfconfig::Provider::FIELDS)),
            ("resources", resources(ResourcePlace::Configuration)),
            ("provisioners", Shape::map(provisioner())),
            ("variables", items("a variable", tfconfig::Variable::FIELDS)),
            ("outputs", items("an output", tfconfig::Output::FIELDS)),
            ("module_calls", items("a call of a module", tfconfig::ModuleCall::FIELDS)),
            ("strip_index", Shape::FUNCTION),
        ],
        _ => return None,
    };
    Some(record(&format!("the import {import}"), fields))
}

fn provisioner() -> Shape {
    record("a provisioner", fields(tfconfig::Provisioner::FIELDS, &Shape::ANY, &Shape::ANY))
}

/// The fields of an item: of values of the document and what is configured there are these.
fn fields(table: &[Field], values: &Shape, config: &Shape) -> Vec<(&'static str, Shape)> {
    let shape = |&(name, kind): &Field| {
        let shape = match kind {
            FieldKind::Text | FieldKind::Mode | FieldKind::Status => Shape::STRING,
            FieldKind::Bool => Shape::BOOL,
            FieldKind::Texts | FieldKind::Actions => Shape::list(Shape::STRING),
            FieldKind::Value => values.clone(),
            FieldKind::Expressions if name == "config" => config.clone(),
            FieldKind::Provisioners => Shape::list(provisioner()),
            FieldKind::Change => {
                let mut sides = fields(tfplan::Change::FIELDS, &values.or(&Shape::NULL), config);
                // An output's value after may be undefined.
                let after = sides.iter_mut().find(|(name, _)| *name == "after");
                after.into_iter().for_each(|(_, after)| *after = after.clone().or_missing());
                let has_address = table.iter().any(|(name, _)| *name == "address");
                record(
                    if has_address { "the change of a resource" } else { "the change of an output" },
                    sides,
                )
            }
            _ => Shape::ANY,
        };
        (name, shape)
    };
    table.iter().map(shape).collect()
}

fn record(title: &str, fields: Vec<(&'static str, Shape)>) -> Shape {
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
enum ResourcePlace {
    Change,
    State,
    Configuration,
}

/// A resource whose `type` determines its attributes.
#[derive(Debug)]
struct Resource {
    part: ResourcePlace,
    /// Those that it may have; nothing if it may be any.
    types: Option<Vec<String>>,
    schemas: Arc<Schemas>,
}

impl Resource {
    fn shape(part: ResourcePlace, schemas: &Arc<Schemas>) -> Shape {
        Shape::fields(Arc::new(Self { part, types: None, schemas: Arc::clone(schemas) }))
    }

    fn record(&self) -> Record {
        let values = Attributes::new(&self.schemas, self.types.as_deref());
        let config = Shape::fields(Arc::new(Expressions(Arc::clone(&values))));
        let (title, table) = match self.part {
            ResourcePlace::Change => ("a change of a resource", tfplan::ResourceChange::FIELDS),
            ResourcePlace::State => ("a resource", tfstate::Resource::FIELDS),
            ResourcePlace::Configuration => ("the configuration of a resource", tfconfig::Resource::FIELDS),
        };
        Record { title: title.to_owned(), fields: fields(table, &Shape::fields(values), &config) }
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
