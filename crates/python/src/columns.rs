//! Changes and findings of many documents as an Arrow stream.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use objchange_document::Schemas;
use objchange_files::input::{Contents, MAX_DOCUMENT};
use objchange_files::unpacked;
use objchange_policy::ObjectValueError;
use objchange_policy::columns::{Row, RowError, RowKind, RowsBuilder, rows, schema};
use objchange_project::{PlanFileReader, PlanInputError, SchemaLookup, pool};
use objchange_text::json::Documents;
use objchange_text::{counted, read_at_most, utf8_reader};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::choice::Texts;
use crate::error::Failure;
use crate::load::masked_names;
use crate::schemas::SchemasArg;

/// The changes or findings of many plans as an Arrow stream. Any library that knows Arrow's interface for streams takes it, as
/// often as it wants: the plans are read each time.
#[pyclass(frozen, module = "objchange.arrow")]
#[derive(Debug)]
pub struct ChangeStream {
    paths: Vec<PathBuf>,
    of: RowKind,
    schemas: Arc<Schemas>,
    plan_files: Arc<PlanFileReader>,
    /// Whether a document that cannot be read ends the stream.
    fails: bool,
    lines: Option<(u64, u64, u64)>,
    every_plan: bool,
}

#[pymethods]
impl ChangeStream {
    #[new]
    #[pyo3(signature = (paths, *, of="changes", schemas=None, errors="raise", lines=None, every_plan=false, mask=Texts::default()))]
    #[pyo3(
        text_signature = "(paths, *, of='changes', schemas=None, errors='raise', lines=None, every_plan=False, mask=())"
    )]
    fn py_new(
        paths: Vec<PathBuf>,
        of: &str,
        schemas: Option<SchemasArg>,
        errors: &str,
        lines: Option<(u64, u64, u64)>,
        every_plan: bool,
        mask: Texts,
    ) -> PyResult<Self> {
        let of = match of {
            "changes" => RowKind::Changes,
            "drift" => RowKind::Drift,
            "outputs" => RowKind::Outputs,
            "findings" => RowKind::Findings,
            _ => {
                let message = "of is one of changes, drift, outputs and findings";
                return Err(Failure::new("OptionError", "of", message).into());
            }
        };
        let fails = match errors {
            "raise" => true,
            "rows" => false,
            _ => {
                let message = "errors is \"raise\" or \"rows\"";
                return Err(Failure::new("OptionError", "errors", message).into());
            }
        };
        let given = schemas.unwrap_or_default().0;
        let plan_files = PlanFileReader::new(given.document.clone(), SchemaLookup::none());
        let plan_files = Arc::new(plan_files.masking(masked_names(mask)?));
        Ok(Self { paths, of, schemas: Arc::clone(&given.shown), plan_files, fails, lines, every_plan })
    }

    /// A new stream, for libraries that know Arrow: `DuckDB`, for one, takes a first one for the names of the columns.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // By the Arrow PyCapsule interface this is a wish: callers convert to another schema themselves.
        let _ = requested_schema;
        let batches = Batches {
            inputs: Inputs { paths: self.paths.clone().into(), lines: self.lines, open: None },
            of: self.of,
            schemas: Arc::clone(&self.schemas),
            plan_files: Arc::clone(&self.plan_files),
            fails: self.fails,
            every_plan: self.every_plan,
            builder: RowsBuilder::new(self.of),
            ready: VecDeque::new(),
            has_failed: false,
        };
        stream(py, Box::new(batches))
    }

    fn __repr__(&self) -> String {
        let of = match self.of {
            RowKind::Changes => "changes",
            RowKind::Drift => "drift",
            RowKind::Outputs => "outputs",
            RowKind::Findings => "findings",
        };
        format!("<ChangeStream: {of} in {}>", counted(self.paths.len(), "file"))
    }
}

fn stream(py: Python<'_>, batches: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'_, PyCapsule>> {
    // The consumer owns the stream and releases it (Arrow's C stream interface), so that it cannot be handed out again.
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), c"arrow_array_stream")
}

/// A stream of these rows.
pub(crate) fn capsule<'py>(py: Python<'py>, of: RowKind, rows: &[Row]) -> PyResult<Bound<'py, PyCapsule>> {
    let batches = py.detach(|| {
        let (mut builder, mut batches) = (RowsBuilder::new(of), Vec::new());
        for row in rows {
            builder.push(row);
            if builder.is_full() {
                batches.push(builder.finish());
            }
        }
        if !builder.is_empty() {
            batches.push(builder.finish());
        }
        batches
    });
    stream(py, Box::new(RecordBatchIterator::new(batches, schema(of))))
}

/// Why there are no rows of changes at hand.
pub(crate) fn row_failure(error: &RowError, file: Option<&str>) -> Failure {
    match error {
        RowError::Document(error) => Failure::document(error, file),
        RowError::Schema(error) => Failure::schemas(error, None),
        RowError::Value { error: ObjectValueError::Schema(_), .. } => {
            Failure::new("SchemaError", error.kind(), error.to_string()).in_file(file)
        }
        error => Failure::new("DocumentError", error.kind(), error.to_string()).in_file(file),
    }
}

/// An input: its name, and what is in it or why it cannot be read.
type Input = (String, Result<Contents, String>);

/// The documents of a file.
type FileDocuments = Documents<BufReader<Box<dyn Read + Send>>>;

/// The content of a file.
enum Opened {
    Documents(Box<FileDocuments>),
    PlanFile(Vec<u8>),
}

/// The documents of all files, one after the other.
struct Inputs {
    paths: VecDeque<PathBuf>,
    /// The bytes of each file that hold a document a line, from and up to, and the number of the first line; `None` is all.
    lines: Option<(u64, u64, u64)>,
    open: Option<(String, Box<FileDocuments>)>,
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inputs").field("paths", &self.paths).finish_non_exhaustive()
    }
}

impl Inputs {
    fn open(&self, path: &Path) -> io::Result<Opened> {
        let mut file = File::open(path)?;
        // Spark's workers each read a range of lines. Files with a byte order mark are not divided, so a range is
        // UTF-8.
        let Some((start, end, first)) = self.lines else {
            let mut file = unpacked(file)?;
            let head = read_at_most(&mut file, HEAD)?;
            let is_plan_file = Contents::is_plan_file(&head);
            let file = io::Cursor::new(head).chain(file);
            return Ok(match is_plan_file {
                true => Opened::PlanFile(read_at_most(file, MAX_DOCUMENT)?),
                false => {
                    let reader = BufReader::new(utf8_reader(file)?);
                    Opened::Documents(Box::new(Documents::new(reader, MAX_DOCUMENT)))
                }
            });
        };
        file.seek(SeekFrom::Start(start))?;
        let part: Box<dyn Read + Send> = Box::new(file.take(end.saturating_sub(start)));
        Ok(Opened::Documents(Box::new(Documents::of_lines(BufReader::new(part), first, MAX_DOCUMENT))))
    }
}

impl Iterator for Inputs {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        loop {
            let (name, documents) = match &mut self.open {
                Some(open) => (&open.0, &mut open.1),
                None => {
                    let path = self.paths.pop_front()?;
                    let name = path.display().to_string();
                    match self.open(&path) {
                        Ok(Opened::PlanFile(bytes)) => return Some((name, Ok(Contents::PlanFile(bytes)))),
                        Ok(Opened::Documents(documents)) => {
                            let open = self.open.insert((name, documents));
                            (&open.0, &mut open.1)
                        }
                        Err(error) => return Some((name, Err(format!("cannot be read: {error}")))),
                    }
                }
            };
            match documents.next() {
                Some(Ok(document)) => {
                    let name = match document.line {
                        Some(line) => format!("{name}:{line}"),
                        None => name.clone(),
                    };
                    let text = String::from_utf8(document.bytes).map(Contents::Text);
                    return Some((name, text.map_err(|_| "the text is neither UTF-8 nor UTF-16".to_owned())));
                }
                Some(Err(error)) => {
                    let name = name.clone();
                    self.open = None;
                    return Some((name, Err(format!("cannot be read: {error}"))));
                }
                None => self.open = None,
            }
        }
    }
}

/// The batches, made on demand, on all cores.
#[derive(Debug)]
struct Batches {
    inputs: Inputs,
    of: RowKind,
    schemas: Arc<Schemas>,
    plan_files: Arc<PlanFileReader>,
    /// Whether a document that cannot be read ends the stream.
    fails: bool,
    /// Whether a plan that has no rows gets one that names it.
    every_plan: bool,
    builder: RowsBuilder,
    ready: VecDeque<RecordBatch>,
    has_failed: bool,
}

/// The bytes that tell a plan file from text.
const HEAD: u64 = 8;

/// How many documents or bytes are read before they are processed in parallel. With 64 documents of 20 KB
/// in place of 16 MiB, the cores waited for each other most of the time on a busy machine.
const MOST_TEXTS: usize = 4096;
const MOST_BYTES: usize = 16 << 20;

impl Batches {
    /// The next documents to process in parallel.
    fn texts(&mut self) -> Vec<Input> {
        let (mut texts, mut bytes) = (Vec::new(), 0);
        while texts.len() < MOST_TEXTS && bytes < MOST_BYTES {
            let Some((name, text)) = self.inputs.next() else { break };
            bytes += text.as_ref().map_or(0, |contents| match contents {
                Contents::Text(text) => text.len(),
                // Documents have 20 times the length of plan files and more.
                Contents::PlanFile(bytes) => 20 * bytes.len(),
            });
            texts.push((name, text));
        }
        texts
    }
}

/// The rows of these documents, in their order, made on all cores.
fn all_rows(
    texts: &[Input],
    of: RowKind,
    schemas: &Schemas,
    plan_files: &PlanFileReader,
) -> Vec<Result<Vec<Row>, Box<Row>>> {
    let mut all = Vec::with_capacity(texts.len());
    let work = |text: &Input| {
        let defect = |_| Err(Box::new(Row::failed(&text.0, "this shows a defect of objchange")));
        // Arrow asks for batches through a function of C, and a panic that reaches it aborts the process. Here it is
        // the error of one document.
        panic::catch_unwind(AssertUnwindSafe(|| rows_of(text, of, schemas, plan_files)))
            .unwrap_or_else(defect)
    };
    let Ok(()) = pool::each(texts, work, |rows| {
        all.push(rows);
        Ok::<_, Infallible>(())
    });
    all
}

fn rows_of(
    (name, contents): &Input,
    of: RowKind,
    schemas: &Schemas,
    plan_files: &PlanFileReader,
) -> Result<Vec<Row>, Box<Row>> {
    let failed = |error: &str| Box::new(Row::failed(name, error));
    let file = match contents {
        Err(error) => return Err(failed(error)),
        Ok(contents) => plan_files.read_contents(name, contents.clone()).map_err(|error| match error {
            PlanInputError::Document(error) => failed(&error.kind.to_string()),
            PlanInputError::Saved { error, .. } => failed(&error.to_string()),
            error => failed(&error.to_string()),
        })?,
    };
    rows(&file, of, schemas).map_err(|error| Box::new(Row::failed(name, &error.to_string())))
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.has_failed {
            let texts = self.texts();
            if texts.is_empty() {
                if self.builder.is_empty() {
                    return None;
                }
                return Some(self.builder.finish());
            }
            let answers = all_rows(&texts, self.of, &self.schemas, &self.plan_files);
            for ((name, _), rows) in texts.iter().zip(answers) {
                let rows = match rows {
                    Ok(rows) if rows.is_empty() && self.every_plan => vec![Row::empty(name)],
                    Ok(rows) => rows,
                    Err(row) if self.fails => {
                        self.has_failed = true;
                        let error = row.error.unwrap_or_default();
                        return Some(Err(ArrowError::ExternalError(format!("{}: {error}", row.file).into())));
                    }
                    Err(row) => vec![*row],
                };
                for row in &rows {
                    self.builder.push(row);
                    if self.builder.is_full() {
                        match self.builder.finish() {
                            Ok(batch) => self.ready.push_back(batch),
                            Err(error) => return Some(Err(error)),
                        }
                    }
                }
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        schema(self.of)
    }
}
