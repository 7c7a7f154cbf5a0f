//! The sections of a state.

use objchange::schema::Block;
use serde::{Deserialize, Serialize};

use super::{
    Counts, Entries, Filter, Outcome, OutputHeader, Report, Schemas, Section, ShowError, Warning, header,
};
use crate::diff;
use crate::diff::Diff;
use crate::walk::{Change, Dialect};
use objchange_document::Index;
use objchange_document::Program;
use objchange_document::Text;
use objchange_document::json::{Json, Raw, View, fitted_marks, marks_or_all};
use objchange_document::{DocumentError, DocumentValue, State, StateOutput, StateResource};

/// The text about a resource of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateHeader<'p> {
    /// The address of the instance.
    pub address: Text<'p>,
    /// The address of its module; `None` in the root module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module_address: Option<Text<'p>>,
    /// The key of the deposed object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposed: Option<Text<'p>>,
    /// `managed` or `data`.
    pub mode: Text<'p>,
    /// The resource type.
    pub r#type: Text<'p>,
    /// The name in its module.
    pub name: Text<'p>,
    /// The `count` index or `for_each` key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<Index<'p>>,
    /// The provider's address, or what the document has in its place; `None` if it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_name: Option<Text<'p>>,
    /// The current object is tainted: it must be replaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// Its module, relative to the previous resource's.
    pub module: ModulePlace,
}

/// The module of a resource, relative to the previous one's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModulePlace {
    /// It is in the same module.
    Same,
    /// It is the first of its module, and a module around that has resources too.
    Within,
    /// It is the first of its module, and no module around that has any.
    First,
}

/// The report of a state, its sections in the order of the page.
pub(super) fn report<'p>(
    state: &'p State<'_>,
    schemas: &'p Schemas,
    program: Program,
    dialect: Dialect,
    filter: &Filter,
) -> Report<'p> {
    let mut last_module = None;
    let mut resources = Vec::new();
    for resource in state.resources.iter().filter(|r| filter.matches_place(&r.address, &r.resource_type)) {
        let place = match last_module.replace(resource.module) {
            Some(last) if last == resource.module => ModulePlace::Same,
            _ if resource.follows_resources => ModulePlace::Within,
            _ => ModulePlace::First,
        };
        resources.push((resource, place));
    }
    let lacks_schemas = dialect.is_own_format()
        && resources.iter().any(|(resource, _)| !resource.is_builtin() && !schemas.has_object(resource));
    let outcome = if state.is_empty() {
        Some(Outcome::EmptyState)
    } else {
        (!filter.is_all() && resources.is_empty()).then_some(Outcome::NoResourceMatches)
    };
    let outputs: Vec<_> = state.outputs.iter().filter(|_| filter.is_all()).collect();
    let counts = Counts { resources: resources.len(), outputs: outputs.len(), ..Counts::default() };
    // Terraform 1.11 to 1.16 write version 1.0, and warn of newer ones.
    let is_newer = state.format_version.is_some_and(|version| version > (1, 0));
    let mut sections = Vec::new();
    sections.extend(is_newer.then(|| Section::Warnings(vec![Warning::NewerStateFormat])));
    sections.extend(outcome.map(Section::Outcome));
    sections.push(Section::Resources(Entries::new(
        resources,
        |(resource, place)| state_header(resource, place),
        move |(resource, _)| diff_resource(state, resource, schemas, dialect).map(Some),
    )));
    sections.push(Section::Outputs(Entries::new(
        outputs,
        |output: &StateOutput<'_>| OutputHeader { name: output.name.clone(), actions: None },
        move |output| diff_output(state, output, dialect).map(Some),
    )));
    let of_selection = !filter.is_all();
    Report {
        program,
        counts,
        of_selection,
        lacks_schemas,
        schemas: schemas.origins(),
        sections,
        ..Report::default()
    }
}

fn state_header<'p>(resource: &'p StateResource<'_>, module: ModulePlace) -> StateHeader<'p> {
    StateHeader {
        address: resource.address.clone(),
        module_address: Some(resource.module_address.clone()).filter(|address| !address.is_empty()),
        deposed: resource.deposed.clone(),
        mode: resource.mode.clone(),
        r#type: resource.resource_type.clone(),
        name: resource.name.clone(),
        index: header::index(resource.index),
        provider_name: Some(resource.provider_name.clone()).filter(|name| !name.is_empty()),
        // `terraform show` does not print `(tainted)` for a deposed object.
        tainted: resource.tainted && resource.deposed.is_none(),
        module,
    }
}

fn read<'r>(
    state: &State<'_>,
    raw: &Raw<'r>,
    location: impl Fn() -> String,
) -> Result<Json<'r>, DocumentError> {
    Json::read(raw).map_err(|error| DocumentError::from_json(&error, state.text(), &location()))
}

/// The value as a change that changes nothing.
fn unchanged<'v, 't>(value: View<'v, 't>, sensitive: View<'v, 't>, dialect: Dialect) -> Change<'v, 't> {
    Change { before_sensitive: sensitive, after_sensitive: sensitive, ..Change::new(value, value, dialect) }
}

/// The diff of a resource to itself.
fn diff_resource<'p>(
    state: &State<'_>,
    resource: &'p StateResource<'_>,
    schemas: &'p Schemas,
    dialect: Dialect,
) -> Result<Diff<'p>, ShowError> {
    let schema = schemas.of_state(resource)?;
    match resource.shown(state, schema)? {
        DocumentValue::Read(parts) => diff_parts(state, resource, parts, schema, dialect),
        // Values of a state file are converted, so the diff must own its texts.
        shown => Ok(diff_parts(state, resource, shown.parts(), schema, dialect)?.into_owned()),
    }
}

fn diff_parts<'r>(
    state: &State<'_>,
    resource: &StateResource<'_>,
    [values, marks]: [Raw<'r>; 2],
    schema: Option<&'r Block>,
    dialect: Dialect,
) -> Result<Diff<'r>, ShowError> {
    let values = read(state, &values, || format!("{}: values", resource.address))?;
    let marks = read(state, &marks, || format!("{}: sensitive_values", resource.address))?;
    let fitted =
        dialect.is_own_format().then(|| fitted_marks(marks.view(), values.view(), marks.view().bool(false)));
    let marks = fitted.flatten().unwrap_or_else(|| marks_or_all(marks, &values));
    let change = unchanged(values.view(), marks.view(), dialect);
    Ok(diff::body(change, schema))
}

/// The diff of an output to itself.
fn diff_output<'p>(
    state: &State<'_>,
    output: &'p StateOutput<'_>,
    dialect: Dialect,
) -> Result<Diff<'p>, ShowError> {
    match output.shown(state) {
        None => diff_value(state, output, output.value, dialect),
        Some(value) => Ok(diff_value(state, output, Raw::new(&value), dialect)?.into_owned()),
    }
}

fn diff_value<'r>(
    state: &State<'_>,
    output: &'r StateOutput<'_>,
    value: Raw<'r>,
    dialect: Dialect,
) -> Result<Diff<'r>, ShowError> {
    let value = read(state, &value, || format!("outputs.{}", output.name))?;
    let value = value.view();
    let change = unchanged(value, value.bool(output.sensitive), dialect);
    // A type that cannot be read leaves the shape to decide.
    Ok(match output.ty() {
        Some(ty) => diff::typed(change, ty),
        None => diff::output(change),
    })
}
