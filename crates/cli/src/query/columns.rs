//! The changes that match as a table: a Parquet file, or Arrow's IPC format for streams.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Stdout, Write};
use std::path::Path;

use objchange_document::{PlanFile, Schemas};
use objchange_files::write_file::{Access, NewFile, StartedFile};
use objchange_policy::columns::{Row, RowError, RowKind, TableWriter, changes};
use objchange_policy::query::{CollectionKind, FoundItem};

use crate::exit::{CommandError, unusable};

/// The rows of a table of these items, if they are changes.
pub(super) fn row_kind(kind: CollectionKind) -> Option<RowKind> {
    match kind {
        CollectionKind::ResourceChanges => Some(RowKind::Changes),
        CollectionKind::ResourceDrift => Some(RowKind::Drift),
        CollectionKind::OutputChanges => Some(RowKind::Outputs),
        _ => None,
    }
}

/// The rows of items that were found in a document.
pub(super) fn rows(
    file: &PlanFile,
    kind: RowKind,
    schemas: &Schemas,
    items: &[FoundItem],
) -> Result<Vec<Row>, String> {
    let keys: HashSet<&str> = items.iter().map(|item| &*item.key).collect();
    // A plan with missing changes or unknown actions would become a table with fewer rows, which nobody can see later.
    let plan = file.judged().map_err(|error| error.to_string())?;
    let rows = changes(file.name(), plan, kind, schemas, |key| keys.contains(key));
    rows.map_err(|error| match error {
        RowError::Document(error) => file.error(error).to_string(),
        error => format!("{}: {error}", file.name()),
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
        match out.filter(|path| path.as_os_str() != "-") {
            Some(path) => {
                // The file gets its name only when it is complete: a reader must not find a table without its end,
                // which in Parquet holds the schema.
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

/// Writes the rest, and puts a file into its place.
pub(super) fn finish(table: TableWriter<Destination>) -> io::Result<()> {
    match table.finish()? {
        Destination::File(file) => file.finish(),
        Destination::Output(mut output) => output.flush(),
    }
}
