//! The columns of rows.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::{Row, RowKind};

/// A column: its name, and what of a row is in it.
type Column = (&'static str, Cell);

#[derive(Clone, Copy)]
enum Cell {
    /// A text that each row has.
    Name(fn(&Row) -> &str),
    Text(fn(&Row) -> Option<&str>),
    Texts(fn(&Row) -> &[String]),
    Truth(fn(&Row) -> Option<bool>),
}

const CHANGES: &[Column] = &[
    ("file", Cell::Name(|row| &row.file)),
    ("address", Cell::Text(|row| row.address.as_deref())),
    ("module", Cell::Text(|row| row.module.as_deref())),
    ("mode", Cell::Text(|row| row.mode.as_deref())),
    ("type", Cell::Text(|row| row.resource_type.as_deref())),
    ("name", Cell::Text(|row| row.name.as_deref())),
    ("key", Cell::Text(|row| row.key.as_deref())),
    ("deposed", Cell::Text(|row| row.deposed.as_deref())),
    ("provider", Cell::Text(|row| row.provider.as_deref())),
    ("actions", Cell::Texts(|row| &row.actions)),
    ("reason", Cell::Text(|row| row.reason.as_deref())),
    ("changed_paths", Cell::Texts(|row| &row.changed_paths)),
    ("replace_paths", Cell::Texts(|row| &row.replace_paths)),
    ("before", Cell::Text(|row| row.before.as_deref())),
    ("after", Cell::Text(|row| row.after.as_deref())),
    ("has_unknown", Cell::Truth(|row| row.has_unknown)),
    ("has_sensitive", Cell::Truth(|row| row.has_sensitive)),
    ("terraform_version", Cell::Text(|row| row.terraform_version.as_deref())),
    ("time", Cell::Text(|row| row.time.as_deref())),
    ("error", Cell::Text(|row| row.error.as_deref())),
];

const FINDINGS: &[Column] = &[
    ("file", Cell::Name(|row| &row.file)),
    ("address", Cell::Text(|row| row.address.as_deref())),
    ("kind", Cell::Text(|row| row.kind)),
    ("severity", Cell::Text(|row| row.severity)),
    ("message", Cell::Text(|row| row.message.as_deref())),
    ("terraform_version", Cell::Text(|row| row.terraform_version.as_deref())),
    ("time", Cell::Text(|row| row.time.as_deref())),
    ("error", Cell::Text(|row| row.error.as_deref())),
];

fn columns(kind: RowKind) -> &'static [Column] {
    match kind {
        RowKind::Changes | RowKind::Drift | RowKind::Outputs => CHANGES,
        RowKind::Findings => FINDINGS,
    }
}

/// The columns of such rows, in their order.
pub fn schema(kind: RowKind) -> SchemaRef {
    let field = |(name, cell): &Column| match cell {
        Cell::Name(_) => Field::new(*name, DataType::Utf8, false),
        Cell::Text(_) => Field::new(*name, DataType::Utf8, true),
        // No text of a list is missing, but the builder makes lists that may lack some, and both must agree.
        Cell::Texts(_) => Field::new_list(*name, Field::new_list_field(DataType::Utf8, true), false),
        Cell::Truth(_) => Field::new(*name, DataType::Boolean, true),
    };
    Arc::new(Schema::new(columns(kind).iter().map(field).collect::<Vec<_>>()))
}

/// Collects rows into columns.
#[derive(Debug)]
pub struct RowsBuilder {
    schema: SchemaRef,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    size: usize,
}

/// The cells of a column so far, and where they come from.
#[derive(Debug)]
enum ColumnBuilder {
    Name(StringBuilder, fn(&Row) -> &str),
    Text(StringBuilder, fn(&Row) -> Option<&str>),
    Texts(ListBuilder<StringBuilder>, fn(&Row) -> &[String]),
    Truth(BooleanBuilder, fn(&Row) -> Option<bool>),
}

/// The size from which on a batch ends.
const BATCH_SIZE: usize = 16 << 20;
const BATCH_ROWS: usize = 1 << 16;

impl RowsBuilder {
    /// A builder without rows.
    pub fn new(kind: RowKind) -> Self {
        let columns = columns(kind).iter().map(|(_, cell)| match *cell {
            Cell::Name(cell) => ColumnBuilder::Name(StringBuilder::new(), cell),
            Cell::Text(cell) => ColumnBuilder::Text(StringBuilder::new(), cell),
            Cell::Texts(cell) => ColumnBuilder::Texts(ListBuilder::new(StringBuilder::new()), cell),
            Cell::Truth(cell) => ColumnBuilder::Truth(BooleanBuilder::new(), cell),
        });
        Self { schema: schema(kind), columns: columns.collect(), rows: 0, size: 0 }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &Row) {
        for column in &mut self.columns {
            match column {
                ColumnBuilder::Name(builder, cell) => builder.append_value(cell(row)),
                ColumnBuilder::Text(builder, cell) => builder.append_option(cell(row)),
                ColumnBuilder::Texts(builder, cell) => {
                    cell(row).iter().for_each(|text| builder.values().append_value(text));
                    builder.append(true);
                }
                ColumnBuilder::Truth(builder, cell) => builder.append_option(cell(row)),
            }
        }
        self.rows += 1;
        self.size += row.size();
    }

    /// Whether it has no rows.
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
        let columns = self.columns.iter_mut().map(|column| -> ArrayRef {
            match column {
                ColumnBuilder::Name(builder, _) | ColumnBuilder::Text(builder, _) => {
                    Arc::new(builder.finish())
                }
                ColumnBuilder::Texts(builder, _) => Arc::new(builder.finish()),
                ColumnBuilder::Truth(builder, _) => Arc::new(builder.finish()),
            }
        });
        RecordBatch::try_new(Arc::clone(&self.schema), columns.collect())
    }
}
