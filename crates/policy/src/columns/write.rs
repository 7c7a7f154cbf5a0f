//! Rows as a file of another program: Parquet, or Arrow's IPC format for streams.

use std::error::Error;
use std::fmt;
use std::io::{self, BufWriter, IntoInnerError, Write};

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::{Row, RowKind, RowsBuilder, schema};

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    /// A Parquet file, compressed with Snappy.
    Parquet,
    /// Arrow's IPC format for streams.
    Arrow,
}

/// A table that is being written, in batches of rows.
///
/// ```
/// use objchange_policy::columns::{Row, RowKind, TableForm, TableWriter};
///
/// let mut table = TableWriter::new(TableForm::Parquet, RowKind::Changes, Vec::new())?;
/// table.push(&[Row::failed("plan.json", "it is empty")])?;
/// let file = table.finish()?;
/// assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TableWriter<W: Write + Send> {
    rows: RowsBuilder,
    format: Format<W>,
}

enum Format<W: Write + Send> {
    Parquet(Box<ArrowWriter<BufWriter<W>>>),
    Arrow(Box<StreamWriter<BufWriter<W>>>),
}

impl<W: Write + Send> fmt::Debug for TableWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableWriter").finish_non_exhaustive()
    }
}

/// The approximate size of the rows that are held in memory and become one row group of a Parquet file.
const ROW_GROUP: usize = 64 << 20;

impl<W: Write + Send> TableWriter<W> {
    /// Begins a table.
    ///
    /// # Errors
    ///
    /// It cannot be written to `out`.
    pub fn new(form: TableForm, kind: RowKind, out: W) -> io::Result<Self> {
        let out = BufWriter::with_capacity(1 << 16, out);
        let format = match form {
            TableForm::Arrow => {
                Format::Arrow(Box::new(StreamWriter::try_new(out, &schema(kind)).map_err(of_arrow)?))
            }
            TableForm::Parquet => {
                let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let writer = ArrowWriter::try_new(out, schema(kind), Some(properties)).map_err(of_parquet)?;
                Format::Parquet(Box::new(writer))
            }
        };
        Ok(Self { rows: RowsBuilder::new(kind), format })
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// A batch of them cannot be written.
    pub fn push(&mut self, rows: &[Row]) -> io::Result<()> {
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
        match &mut self.format {
            Format::Arrow(writer) => writer.write(&batch).map_err(of_arrow),
            Format::Parquet(writer) => {
                writer.write(&batch).map_err(of_parquet)?;
                // On its own the writer ends a group only after 1,048,576 rows, which may take gigabytes here.
                if writer.in_progress_size() < ROW_GROUP {
                    return Ok(());
                }
                writer.flush().map_err(of_parquet)
            }
        }
    }

    /// Writes the rest, and gives back what it was written to.
    ///
    /// # Errors
    ///
    /// The rest cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.rows.is_empty() {
            self.write()?;
        }
        let out = match self.format {
            Format::Arrow(writer) => writer.into_inner().map_err(of_arrow)?,
            Format::Parquet(writer) => writer.into_inner().map_err(of_parquet)?,
        };
        out.into_inner().map_err(IntoInnerError::into_error)
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
