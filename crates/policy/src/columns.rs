//! Changes as rows of Arrow columns: for programs that look at thousands of plans at once.
//!
//! One row is one change, with what identifies it, its actions, which parts change, and both sides as JSON in the form of
//! reports, in which nothing is told that is sensitive. A document that cannot be read may be a row with its error, so that
//! none is lost.
//!
//! ```
//! use objchange_plan::Schemas;
//! use objchange_policy::columns::{RowKind, RowsBuilder, rows};
//!
//! let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"disk.a","mode":"managed","type":"disk","name":"a",
//!     "change":{"actions":["update"],"before":{"size":1},"after":{"size":2}}}]}"#;
//! let mut builder = RowsBuilder::default();
//! for row in rows("plan.json", plan, RowKind::Changes, &Schemas::none())? {
//!     builder.push(&row);
//! }
//! let batch = builder.finish()?;
//! assert_eq!((batch.num_rows(), batch.schema().field(0).name().as_str()), (1, "file"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use objchange::Value;
use objchange::schema::SchemaDocumentError;
use objchange_plan::{
    ChangedIndex, ChangedResource, Document, DocumentError, Index, Plan, PlannedValues, Schemas, Text,
    ValueChange,
};

use crate::ObjectValueError;
use crate::tfplan::Change;

/// Which changes are rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// What happens to resources.
    Changes,
    /// What has happened to them outside of Terraform.
    Drift,
    /// What happens to outputs.
    Outputs,
}

/// One change.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Row {
    /// The document that it is from.
    pub file: String,
    /// The address of the resource; `None` of an output.
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
    /// The address of the provider.
    pub provider: Option<String>,
    /// What happens, in order.
    pub actions: Vec<String>,
    /// Why.
    pub reason: Option<String>,
    /// The paths of the parts that change.
    pub changed_paths: Vec<String>,
    /// The value before, as JSON without what is sensitive; `None` where there is none.
    pub before: Option<String>,
    /// The value after, likewise; `{"$unknown":{}}` stands for what is known only after apply.
    pub after: Option<String>,
    /// Something of the value after is known only after apply.
    pub has_unknown: Option<bool>,
    /// Something of either side is sensitive.
    pub has_sensitive: Option<bool>,
    /// Why the document has no rows.
    pub error: Option<String>,
}

impl Row {
    /// The row of a document that cannot be read.
    pub fn failed(file: &str, error: &str) -> Self {
        Self { file: file.to_owned(), error: Some(error.to_owned()), ..Self::default() }
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let sides = [&self.before, &self.after, &self.address, &self.error];
        let paths: usize = self.changed_paths.iter().map(String::len).sum();
        256 + paths + sides.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

/// Why a document has no rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// It cannot be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The schema of a type cannot be read.
    #[error(transparent)]
    Schema(#[from] SchemaDocumentError),
    /// A value does not fit its schema, or is none.
    #[error("{address}: {error}")]
    Value {
        /// The resource or output.
        address: String,
        /// What is wrong.
        error: ObjectValueError,
    },
    /// It is a state.
    #[error("this is a state, which has no changes")]
    IsState,
    /// Planning ended with an error.
    #[error("planning ended with an error, so the plan lacks changes")]
    Errored,
    /// Changes are missing from it.
    #[error("changes of some resources or outputs are missing from this plan")]
    LacksChanges,
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
            Self::Document(error) => error.problem.kind(),
            Self::Schema(error) => error.kind.kind(),
            Self::Value { error, .. } => error.kind(),
            Self::IsState => "state",
            Self::Errored => "errored",
            Self::LacksChanges => "lacks_changes",
            Self::NoJson(_) => "no_json",
            Self::TooLarge(_) => "too_large",
        }
    }
}

/// The rows of a document: all, or none.
///
/// # Errors
///
/// The text is no whole plan, or a part of it cannot be read.
pub fn rows(file: &str, text: &str, of: RowKind, schemas: &Schemas) -> Result<Vec<Row>, RowError> {
    let Document::Plan(plan) = Document::parse(text)? else { return Err(RowError::IsState) };
    if plan.changes.errored {
        return Err(RowError::Errored);
    }
    if plan.lacks_changes() {
        return Err(RowError::LacksChanges);
    }
    match of {
        RowKind::Changes => resources(file, &plan, &plan.changes.resources, schemas),
        RowKind::Drift => resources(file, &plan, &plan.changes.drift, schemas),
        RowKind::Outputs => {
            let outputs = plan.changes.outputs.iter().map(|output| {
                let row =
                    Row { file: file.to_owned(), name: Some(output.name.to_string()), ..Row::default() };
                with_change(row, &plan, &output.name, &output.change, None)
            });
            outputs.collect()
        }
    }
}

fn resources(
    file: &str,
    plan: &Plan<'_>,
    resources: &[ChangedResource<'_>],
    schemas: &Schemas,
) -> Result<Vec<Row>, RowError> {
    let text = |text: &Text<'_>| Some(text.to_string());
    let row = |resource: &ChangedResource<'_>| {
        let key = resource.index.as_ref().map_or(Ok(None), ChangedIndex::read).map_err(|error| {
            DocumentError::from_json(&error, plan.text(), &format!("{}: index", resource.address))
        })?;
        let row = Row {
            file: file.to_owned(),
            address: text(&resource.address),
            module: Some(resource.module_address.as_ref().map(ToString::to_string).unwrap_or_default()),
            mode: text(&resource.mode),
            resource_type: text(&resource.resource_type),
            name: text(&resource.name),
            key: key.map(|key| match key {
                Index::Number(text) | Index::Key(text) => text.to_string(),
            }),
            provider: text(&resource.provider_name),
            reason: resource.action_reason.as_ref().map(ToString::to_string),
            ..Row::default()
        };
        with_change(row, plan, &resource.address, &resource.change, schemas.of_change(resource)?)
    };
    resources.iter().map(row).collect()
}

/// The row with what happens.
fn with_change<'t>(
    row: Row,
    plan: &Plan<'t>,
    name: &Text<'t>,
    change: &ValueChange<'t>,
    schema: Option<&objchange::schema::Block>,
) -> Result<Row, RowError> {
    let sides = Change::by_itself(plan.text(), name, change);
    let in_place = |error| RowError::Value { address: name.to_string(), error };
    let before = sides.before()?.to_object(schema).map_err(in_place)?;
    let after = sides.after()?.to_object(schema).map_err(in_place)?;
    let (mut changed_paths, mut length) = (Vec::new(), 0);
    for leaf in PlannedValues::new(schema, &before, &after, Vec::new()).leaves() {
        let path = leaf.path.to_string();
        length += path.len();
        if length > LONGEST_PATHS {
            return Err(RowError::TooLarge(name.to_string()));
        }
        changed_paths.push(path);
    }
    Ok(Row {
        actions: change.actions.words().iter().map(|word| (*word).to_owned()).collect(),
        changed_paths,
        has_unknown: Some(!after.is_wholly_known()),
        has_sensitive: Some(before.contains_marked() || after.contains_marked()),
        before: json(&before, name)?,
        after: json(&after, name)?,
        ..row
    })
}

/// No text of a row is longer: the offsets of a column are 32 bits.
const LONGEST: usize = 1 << 30;
/// All paths of a row together are not longer: below a long key each of many has it.
const LONGEST_PATHS: usize = 64 << 20;

fn json(value: &Value, name: &Text<'_>) -> Result<Option<String>, RowError> {
    if value.is_null() && !value.is_marked() {
        return Ok(None);
    }
    let text = value.to_redacted_json(value.ty()).map_err(|_| RowError::NoJson(name.to_string()))?;
    if text.len() > LONGEST { Err(RowError::TooLarge(name.to_string())) } else { Ok(Some(text)) }
}

/// The columns, in their order.
pub fn schema() -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let texts = |name: &str| Field::new_list(name, Field::new_list_field(DataType::Utf8, true), false);
    let truth = |name: &str| Field::new(name, DataType::Boolean, true);
    Arc::new(Schema::new(vec![
        Field::new("file", DataType::Utf8, false),
        text("address"),
        text("module"),
        text("mode"),
        text("type"),
        text("name"),
        text("key"),
        text("provider"),
        texts("actions"),
        text("reason"),
        texts("changed_paths"),
        text("before"),
        text("after"),
        truth("has_unknown"),
        truth("has_sensitive"),
        text("error"),
    ]))
}

/// Rows on their way into columns.
#[derive(Debug, Default)]
pub struct RowsBuilder {
    file: StringBuilder,
    /// `address`, `module`, `mode`, `type`, `name`, `key` and `provider`.
    identity: [StringBuilder; 7],
    actions: ListBuilder<StringBuilder>,
    reason: StringBuilder,
    changed_paths: ListBuilder<StringBuilder>,
    before: StringBuilder,
    after: StringBuilder,
    has_unknown: BooleanBuilder,
    has_sensitive: BooleanBuilder,
    error: StringBuilder,
    rows: usize,
    size: usize,
}

/// A batch that is larger than this ends.
const BATCH_SIZE: usize = 16 << 20;
const BATCH_ROWS: usize = 1 << 16;

impl RowsBuilder {
    /// Adds a row.
    pub fn push(&mut self, row: &Row) {
        self.file.append_value(&row.file);
        let identity =
            [&row.address, &row.module, &row.mode, &row.resource_type, &row.name, &row.key, &row.provider];
        for (column, text) in self.identity.iter_mut().zip(identity) {
            column.append_option(text.as_ref());
        }
        for (column, texts) in
            [(&mut self.actions, &row.actions), (&mut self.changed_paths, &row.changed_paths)]
        {
            texts.iter().for_each(|text| column.values().append_value(text));
            column.append(true);
        }
        self.reason.append_option(row.reason.as_ref());
        self.before.append_option(row.before.as_ref());
        self.after.append_option(row.after.as_ref());
        self.has_unknown.append_option(row.has_unknown);
        self.has_sensitive.append_option(row.has_sensitive);
        self.error.append_option(row.error.as_ref());
        self.rows += 1;
        self.size += row.size();
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Whether there are enough for a batch.
    pub fn is_full(&self) -> bool {
        self.size >= BATCH_SIZE || self.rows >= BATCH_ROWS
    }

    /// The rows that were added since the last batch.
    ///
    /// # Errors
    ///
    /// The columns do not fit each other, which they always do.
    pub fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        (self.rows, self.size) = (0, 0);
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.file.finish())];
        columns.extend(self.identity.iter_mut().map(|column| -> ArrayRef { Arc::new(column.finish()) }));
        columns.push(Arc::new(self.actions.finish()));
        columns.push(Arc::new(self.reason.finish()));
        columns.push(Arc::new(self.changed_paths.finish()));
        columns.push(Arc::new(self.before.finish()));
        columns.push(Arc::new(self.after.finish()));
        columns.push(Arc::new(self.has_unknown.finish()));
        columns.push(Arc::new(self.has_sensitive.finish()));
        columns.push(Arc::new(self.error.finish()));
        RecordBatch::try_new(schema(), columns)
    }
}
