//! The changes that match as a table: a Parquet file, or Arrow's IPC format for streams.

use std::collections::HashSet;
use std::error::Error;
use std::io::{self, BufWriter, IntoInnerError, IsTerminal, Stdout, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use objchange_files::write_file::{Access, NewFile, StartedFile};
use objchange_plan::{Plan, Schemas};
use objchange_policy::columns::{Row, RowError, RowKind, RowsBuilder, changes, schema};
use objchange_policy::query::{CollectionKind, FoundItem};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::documents::Document;
use crate::exit::{CommandError, unusable};

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableForm {
    Parquet,
    Arrow,
}

/// The rows of a table of these items, if they are changes.
pub(super) fn row_kind(of: CollectionKind) -> Option<RowKind> {
    match of {
        CollectionKind::ResourceChanges => Some(RowKind::Changes),
        CollectionKind::ResourceDrift => Some(RowKind::Drift),
        CollectionKind::OutputChanges => Some(RowKind::Outputs),
        _ => None,
    }
}

/// The rows of items that were found in a document.
pub(super) fn rows(
    document: &Document,
    of: RowKind,
    schemas: &Schemas,
    items: &[FoundItem],
) -> Result<Vec<Row>, String> {
    let keys: HashSet<&str> = items.iter().map(|item| &*item.key).collect();
    let plan = Plan::parse(&document.text).map_err(|error| document.complaint(&error))?;
    if plan.lacks_changes() {
        return Err(format!("{}: {}", document.name, RowError::LacksChanges));
    }
    let rows = changes(&document.name, &plan, of, schemas, |key| keys.contains(key));
    rows.map_err(|error| match error {
        RowError::Document(error) => document.complaint(&error),
        error => format!("{}: {error}", document.name),
    })
}

/// Where a table is written.
#[derive(Debug)]
pub(super) enum Destination {
    File(StartedFile),
    Output(Stdout),
}

impl Destination {
    pub(super) fn open(out: Option<&Path>) -> Result<Self, CommandError> {
        match out {
            Some(path) => {
                let file = NewFile::create(path, Access::Usual).and_then(NewFile::start);
                Ok(Self::File(file.map_err(|error| unusable(format!("{}: {error}", path.display())))?))
            }
            None if io::stdout().is_terminal() => {
                Err("the output is binary: write it to a file with --out FILE".into())
            }
            None => Ok(Self::Output(io::stdout())),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Output(output) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Output(output) => output.flush(),
        }
    }
}

/// A table that is being written.
pub(super) struct Table {
    rows: RowsBuilder,
    writer: TableWriter,
}

enum TableWriter {
    Parquet(Box<ArrowWriter<BufWriter<Destination>>>),
    Arrow(Box<StreamWriter<BufWriter<Destination>>>),
}

/// Rows of about so many bytes are held in memory, and make a row group of a Parquet file.
const ROW_GROUP: usize = 64 << 20;

impl Table {
    pub(super) fn new(form: TableForm, of: RowKind, out: Destination) -> io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 16, out);
        let writer = match form {
            TableForm::Arrow => {
                TableWriter::Arrow(Box::new(StreamWriter::try_new(out, &schema(of)).map_err(of_arrow)?))
            }
            TableForm::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let writer = ArrowWriter::try_new(out, schema(of), Some(properties)).map_err(of_parquet)?;
                TableWriter::Parquet(Box::new(writer))
            }
        };
        Ok(Self { rows: RowsBuilder::new(of), writer })
    }

    pub(super) fn push(&mut self, rows: &[Row]) -> io::Result<()> {
        for row in rows {
            self.rows.push(row);
            if self.rows.is_full() {
                self.write()?;
            }
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let batch: RecordBatch = self.rows.finish().map_err(of_arrow)?;
        match &mut self.writer {
            TableWriter::Arrow(writer) => writer.write(&batch).map_err(of_arrow),
            TableWriter::Parquet(writer) => {
                writer.write(&batch).map_err(of_parquet)?;
                if writer.in_progress_size() < ROW_GROUP {
                    return Ok(());
                }
                writer.flush().map_err(of_parquet)
            }
        }
    }

    /// Writes the rest, and puts a file into its place.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if !self.rows.is_empty() {
            self.write()?;
        }
        let out = match self.writer {
            TableWriter::Arrow(writer) => writer.into_inner().map_err(of_arrow)?,
            TableWriter::Parquet(writer) => writer.into_inner().map_err(of_parquet)?,
        };
        match out.into_inner().map_err(IntoInnerError::into_error)? {
            Destination::File(file) => file.finish(),
            Destination::Output(mut output) => output.flush(),
        }
    }
}

/// The error of the file or the pipe, if that is what it is.
fn of_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => of_source(error),
        other => io::Error::other(other),
    }
}

fn of_source(error: Box<dyn Error + Send + Sync>) -> io::Error {
    match error.downcast::<io::Error>() {
        Ok(error) => *error,
        Err(other) => io::Error::other(other),
    }
}
