//! Changes and findings as rows of Arrow columns: for programs that look at thousands of plans at once.
//!
//! One row is one change, with what identifies it, its actions, which parts change, and both sides as JSON in the form of
//! reports, without sensitive values. Or it is one finding. A document that cannot be read may be a row with its error, so
//! that none is lost.
//!
//! ```
//! use objchange_document::{PlanFile, Schemas};
//! use objchange_policy::columns::{RowKind, RowsBuilder, rows};
//!
//! let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"disk.a","mode":"managed","type":"disk","name":"a",
//!     "change":{"actions":["update"],"before":{"size":1},"after":{"size":2}}}]}"#;
//! let mut builder = RowsBuilder::new(RowKind::Changes);
//! let file = PlanFile::parse("plan.json", plan.into())?;
//! for row in rows(&file, RowKind::Changes, &Schemas::none())? {
//!     builder.push(&row);
//! }
//! let batch = builder.finish()?;
//! assert_eq!((batch.num_rows(), batch.schema().field(0).name().as_str()), (1, "file"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod table;
#[cfg(feature = "tables")]
mod write;

use std::sync::Arc;

use objchange::Value;
use objchange::schema::SchemaDocumentError;
use objchange::value::{Kind, Number, Path, PathStep};
use objchange_document::changes::{ChangedIndex, ChangedResource, OutputChange, PlannedValues, ValueChange};
use objchange_document::json::{Json, Shape, View};
use objchange_document::{
    ConfigMarks, DocumentError, Finding, Index, Plan, PlanFile, PlanFileError, Schemas, StatedMarks, Text,
    findings,
};

pub use self::table::{RowsBuilder, schema};
#[cfg(feature = "tables")]
pub use self::write::{TableForm, TableWriter};
use crate::ObjectValueError;
use crate::simulated::key;
use crate::tfplan::Change;

/// The kind of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Changes of resources.
    Changes,
    /// Changes of resources outside of Terraform.
    Drift,
    /// Changes of outputs.
    Outputs,
    /// Checks that did not pass, and why a plan may not show everything that happens.
    Findings,
}

/// One change or finding.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Row {
    /// The document that it is from.
    pub file: String,
    /// The address of the resource, or of what a finding is about; `None` of an output.
    pub address: Option<String>,
    /// The address of its module; empty in the root module.
    pub module: Option<String>,
    /// `managed` or `data`.
    pub mode: Option<String>,
    /// The resource type.
    pub resource_type: Option<String>,
    /// The name in its module, or of the output.
    pub name: Option<String>,
    /// The `count` index or `for_each` key, as text.
    pub key: Option<String>,
    /// The key of the object, if it is a deposed one.
    pub deposed: Option<String>,
    /// The address of the provider.
    pub provider: Option<String>,
    /// The actions, in order.
    pub actions: Vec<String>,
    /// Why.
    pub reason: Option<String>,
    /// The paths of the parts that change.
    pub changed_paths: Vec<String>,
    /// The paths that force a replacement, each up to the first part that is sensitive.
    pub replace_paths: Vec<String>,
    /// The value before, as JSON without sensitive parts; `None` if absent.
    pub before: Option<String>,
    /// The value after, likewise; `{"$unknown":{}}` replaces parts that are known only after apply.
    pub after: Option<String>,
    /// Something of the value after is known only after apply.
    pub has_unknown: Option<bool>,
    /// Something of either side is sensitive.
    pub has_sensitive: Option<bool>,
    /// The kind of a finding.
    pub kind: Option<&'static str>,
    /// Its severity.
    pub severity: Option<&'static str>,
    /// The problem.
    pub message: Option<String>,
    /// The version of the program that made the plan.
    pub terraform_version: Option<String>,
    /// When the plan was made, in RFC 3339.
    pub time: Option<String>,
    /// Why the document has no rows.
    pub error: Option<String>,
}

impl Row {
    /// The values that all rows of a plan share.
    fn of_plan(file: &str, plan: &Plan<'_>) -> Self {
        let time = plan.member("timestamp").and_then(|time| serde_json::from_str(time.text()).ok());
        let terraform_version = plan.terraform_version.as_ref().map(ToString::to_string);
        Self { file: file.to_owned(), terraform_version, time, ..Self::default() }
    }

    /// The row of a document that cannot be read.
    pub fn failed(file: &str, error: &str) -> Self {
        Self { file: file.to_owned(), error: Some(error.to_owned()), ..Self::default() }
    }

    /// The row of a plan that has nothing of the wanted kind: it names the plan, and nothing else.
    pub fn empty(file: &str) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let sides = [&self.before, &self.after, &self.address, &self.message, &self.error];
        let paths: usize = self.changed_paths.iter().chain(&self.replace_paths).map(String::len).sum();
        256 + paths + sides.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

/// Why a document has no rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// It is no whole plan.
    #[error("{}", .0.kind)]
    File(#[from] PlanFileError),
    /// A part of it cannot be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The schema of a type cannot be read.
    #[error(transparent)]
    Schema(#[from] SchemaDocumentError),
    /// A value does not fit its schema, or is invalid.
    #[error("{address}: {error}")]
    Value {
        /// The resource or output.
        address: String,
        /// The problem.
        error: ObjectValueError,
    },
    /// Planning ended with an error.
    #[error("planning ended with an error, so the plan lacks changes")]
    Errored,
    /// A value has no form in JSON: a number is infinite.
    #[error("{0}: the value has no form in JSON")]
    NoJson(String),
    /// A value, or what changes in it, is too large for a row.
    #[error("{0}: the value is too large for a row")]
    TooLarge(String),
}

impl RowError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::File(error) => error.kind(),
            Self::Document(error) => error.problem.kind(),
            Self::Schema(error) => error.kind.kind(),
            Self::Value { error, .. } => error.kind(),
            Self::Errored => "errored",
            Self::NoJson(_) => "no_json",
            Self::TooLarge(_) => "too_large",
        }
    }
}

/// The rows of a document: all, or none.
///
/// A plan with an error, or without some of its changes, has no rows of changes. It has findings that say so.
///
/// # Errors
///
/// The file is no whole plan, or a part of it cannot be read.
pub fn rows(file: &PlanFile, kind: RowKind, schemas: &Schemas) -> Result<Vec<Row>, RowError> {
    // Findings say why a plan cannot be judged, so they are made before it is.
    if let (RowKind::Findings, Some(plan)) = (kind, file.plan()) {
        let shared = Row::of_plan(file.name(), plan);
        return Ok(findings(file).into_iter().map(|finding| of_finding(&shared, finding)).collect());
    }
    let plan = file.judged()?;
    if plan.changes.errored {
        return Err(RowError::Errored);
    }
    changes(file.name(), plan, kind, schemas, |_| true)
}

/// The rows of changes with these keys: the address, and of a deposed object `:` and its key; or the name of an output.
///
/// # Errors
///
/// A part of the plan cannot be read.
pub fn changes<'t>(
    file: &str,
    plan: &Plan<'t>,
    kind: RowKind,
    schemas: &Schemas,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Row>, RowError> {
    let listed = match kind {
        RowKind::Changes => &plan.changes.resources,
        RowKind::Drift => &plan.changes.drift,
        RowKind::Outputs => {
            let marks = ConfigMarks::new(plan)?;
            let shared = Row::of_plan(file, plan);
            let outputs = plan.changes.outputs.iter().filter(|output| is_wanted(&output.name));
            let row = |output: &OutputChange<'t>| {
                let row = Row { name: Some(output.name.to_string()), ..shared.clone() };
                let stated = marks.stated().of_output(&output.name);
                with_change(row, plan, &output.name, &output.change, None, stated)
            };
            return outputs.map(row).collect();
        }
        RowKind::Findings => return Ok(Vec::new()),
    };
    of_resources(file, plan, listed.iter().filter(|resource| is_wanted(&key(resource))), schemas)
}

/// The rows of some changes of resources of a plan, whichever they are.
///
/// # Errors
///
/// A part of the plan cannot be read.
pub fn of_resources<'p, 't: 'p>(
    file: &str,
    plan: &Plan<'t>,
    resources: impl IntoIterator<Item = &'p ChangedResource<'t>>,
    schemas: &Schemas,
) -> Result<Vec<Row>, RowError> {
    let marks = ConfigMarks::new(plan)?;
    let shared = Row::of_plan(file, plan);
    let row = |resource| of_resource(&shared, plan, resource, schemas, marks.stated());
    resources.into_iter().map(row).collect()
}

fn of_finding(shared: &Row, finding: Finding) -> Row {
    Row {
        address: finding.address,
        kind: Some(finding.kind.name()),
        severity: Some(finding.severity.name()),
        message: Some(finding.message),
        ..shared.clone()
    }
}

fn of_resource<'t>(
    shared: &Row,
    plan: &Plan<'t>,
    resource: &ChangedResource<'t>,
    schemas: &Schemas,
    stated: &StatedMarks<'t>,
) -> Result<Row, RowError> {
    let text = |text: &Text<'_>| Some(text.to_string());
    let key = resource.index.as_ref().map_or(Ok(None), ChangedIndex::read).map_err(|error| {
        DocumentError::from_json(&error, plan.text(), &format!("{}: index", resource.address))
    })?;
    let row = Row {
        address: text(&resource.address),
        module: Some(resource.module_address.as_ref().map(ToString::to_string).unwrap_or_default()),
        mode: text(&resource.mode),
        resource_type: text(&resource.resource_type),
        name: text(&resource.name),
        key: key.map(|key| match key {
            Index::Number(text) | Index::Key(text) => text.to_string(),
        }),
        deposed: resource.deposed.as_ref().map(ToString::to_string),
        provider: text(&resource.provider_name),
        reason: resource.action_reason.as_ref().map(ToString::to_string),
        ..shared.clone()
    };
    let marks = stated.of_instance(&resource.address);
    with_change(row, plan, &resource.address, &resource.change, schemas.of_change(resource)?, marks)
}

/// The row with what happens.
fn with_change<'t>(
    row: Row,
    plan: &Plan<'t>,
    name: &Text<'t>,
    change: &ValueChange<'t>,
    schema: Option<&objchange::schema::Block>,
    stated: Option<Arc<Json<'t>>>,
) -> Result<Row, RowError> {
    let sides = Change::by_itself(plan.text(), name, change, stated);
    let in_place = |error| RowError::Value { address: name.to_string(), error };
    let before = sides.before()?.to_object(schema).map_err(in_place)?;
    let after = sides.after()?.to_object(schema).map_err(in_place)?;
    let leaves =
        objchange_plan::diff::changed_leaves(&PlannedValues::new(schema, &before, &after, Vec::new()));
    let changed_paths = texts(leaves.into_iter().map(|leaf| leaf.path), name)?;
    let replacing = sides.replace_paths()?;
    let replacing = replacing.elements();
    let replace_paths = texts(replacing.iter().map(|path| shown_path(path, [&before, &after])), name)?;
    Ok(Row {
        actions: change.action_words().into_iter().map(str::to_owned).collect(),
        changed_paths,
        replace_paths,
        has_unknown: Some(!after.is_wholly_known()),
        has_sensitive: Some(before.contains_marked() || after.contains_marked()),
        before: json(&before, name)?,
        after: json(&after, name)?,
        ..row
    })
}

/// Paths as texts, if they are not too long together.
fn texts(paths: impl Iterator<Item = Path>, name: &Text<'_>) -> Result<Vec<String>, RowError> {
    let (mut texts, mut length) = (Vec::new(), 0);
    for path in paths {
        let path = path.to_string();
        length += path.len();
        if length > LONGEST_PATHS {
            return Err(RowError::TooLarge(name.to_string()));
        }
        texts.push(path);
    }
    Ok(texts)
}

/// A path of a document in the two sides of a change, up to the first part that is sensitive, because keys in it may be secrets. A
/// name below the attribute that neither side has may be one, too.
pub fn shown_path(path: View<'_, '_>, sides: [&Value; 2]) -> Path {
    let mut at = sides.map(Some);
    let mut shown = Vec::new();
    for step in path.elements().iter() {
        let here = || at.iter().copied().flatten();
        let is_map = here().any(|value| matches!(value.kind(), Kind::Map(_)));
        let step = match step.shape() {
            _ if here().any(Value::is_marked) => break,
            Shape::String(name) if is_map => PathStep::Index(Value::from(name)),
            Shape::String(name) => PathStep::Attribute(name.into()),
            Shape::Number(text) => match Number::parse(text) {
                Ok(number) => PathStep::Index(Value::from(number)),
                Err(_) => break,
            },
            _ => break,
        };
        let below = Path::from_iter([step.clone()]);
        at = at.map(|value| value?.at(&below));
        let is_name = matches!(&step, PathStep::Attribute(_)) || is_map;
        if is_name && !shown.is_empty() && at == [None, None] {
            break;
        }
        shown.push(step);
    }
    shown.into_iter().collect()
}

/// The maximum length of a text in a row: the offsets of a column have 32 bits.
const LONGEST: usize = 1 << 30;
/// The maximum length of all paths of a row together: below a long key, each of many paths repeats the key.
const LONGEST_PATHS: usize = 64 << 20;

fn json(value: &Value, name: &Text<'_>) -> Result<Option<String>, RowError> {
    // That a sensitive value is null may be the secret.
    if value.is_null() && !value.is_marked() {
        return Ok(None);
    }
    let text = value.to_redacted_json(value.ty()).map_err(|_| RowError::NoJson(name.to_string()))?;
    if text.len() > LONGEST { Err(RowError::TooLarge(name.to_string())) } else { Ok(Some(text)) }
}
