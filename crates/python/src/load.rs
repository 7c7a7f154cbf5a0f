//! Reading documents: paths, bytes, files and texts.

use std::path::PathBuf;

use objchange_document::{MaskedName, MaskedNames};
use objchange_files::input::{Contents, MAX_DOCUMENT, Size, Source};
use objchange_files::{is_packed, unpacked};
use objchange_project::{PlanFileReader, SchemaLookup};
use objchange_text::json::place;
use objchange_text::{Notice, read_at_most, utf8_reader};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};

use crate::choice::Texts;
use crate::document::{HeldDocument, new_object};
use crate::error::{Failure, has_code, unreadable};
use crate::schemas::SchemasArg;

/// Something to read: where it is from, and its bytes once they are read.
pub(crate) enum Input {
    File(PathBuf),
    Bytes(Vec<u8>),
    Text(String),
}

impl Input {
    /// A path, bytes, or an object with a method `read`.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        // Bytes are the document. Only `str` and path objects are paths, although `open` takes `bytes` as a path, too.
        if let Some(bytes) = bytes(object) {
            return Ok(Self::Bytes(bytes));
        }
        if object.is_instance_of::<PyString>() || object.hasattr("__fspath__")? {
            return Ok(Self::File(object.extract()?));
        }
        if !object.hasattr("read")? {
            return Err(PyTypeError::new_err("expected a path, bytes, or an open file"));
        }
        let read = object.call_method0("read")?;
        Self::given(&read).ok_or_else(|| PyTypeError::new_err("`read()` must give bytes or str"))
    }

    /// A text, or the bytes of one.
    pub(crate) fn given(object: &Bound<'_, PyAny>) -> Option<Self> {
        match object.cast::<PyString>() {
            // A `str` may hold half of a surrogate pair, which no UTF-8 can.
            Ok(text) => text.to_cow().ok().map(|text| Self::Text(text.into_owned())),
            Err(_) => bytes(object).map(Self::Bytes),
        }
    }

    pub(crate) fn name(&self) -> Option<String> {
        match self {
            Self::File(path) => Some(path.display().to_string()),
            Self::Bytes(_) | Self::Text(_) => None,
        }
    }

    /// The text. It takes a while: the GIL is released meanwhile.
    pub(crate) fn read(self, py: Python<'_>) -> PyResult<String> {
        let name = self.name();
        match self.contents(py)? {
            Contents::Text(text) => Ok(text),
            Contents::PlanFile(_) => {
                let message = "this is a plan file, which `objchange.load` reads; text is expected here";
                Err(Failure::new("DocumentError", "plan_file", message).in_file(name.as_deref()).into())
            }
        }
    }

    /// The text, or the bytes of a plan file.
    fn contents(self, py: Python<'_>) -> PyResult<Contents> {
        let name = self.name();
        let bytes = match self {
            Self::Text(text) => return Ok(Contents::Text(text)),
            Self::Bytes(bytes) => py.detach(|| unpacked_bytes(bytes))?,
            Self::File(path) => {
                let source = Source::File(path.clone());
                py.detach(|| source.bytes_as_allowed(MAX_DOCUMENT)).map_err(|error| match error.system() {
                    // Without a code of the system, it is what the bytes are that cannot be read.
                    Some(system) if has_code(system) => unreadable(&path, system),
                    Some(system) => damaged(&system.to_string()).in_file(name.as_deref()).into(),
                    None => too_large(&error.reason()).in_file(name.as_deref()).into(),
                })?
            }
        };
        if Contents::is_plan_file(&bytes) {
            return Ok(Contents::PlanFile(bytes));
        }
        Ok(Contents::Text(py.detach(|| decoded(bytes, name.as_deref()))?))
    }
}

/// Bytes of a document, unpacked if gzip has packed them.
fn unpacked_bytes(bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    if !is_packed(&bytes) {
        return Ok(bytes);
    }
    let unpacked = unpacked(&bytes[..]).and_then(|reader| read_at_most(reader, MAX_DOCUMENT + 1));
    match unpacked {
        Ok(unpacked) if unpacked.len() as u64 > MAX_DOCUMENT => {
            Err(too_large(&format!("unpacked this is more than {}", Size(MAX_DOCUMENT))))
        }
        unpacked => unpacked.map_err(|error| damaged(&error.to_string())),
    }
}

fn too_large(reason: &str) -> Failure {
    Failure::new("DocumentError", "too_large", reason)
}

fn damaged(reason: &str) -> Failure {
    Failure::new("DocumentError", "damaged", reason)
}

fn bytes(object: &Bound<'_, PyAny>) -> Option<Vec<u8>> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Some(bytes.as_bytes().to_vec());
    }
    if let Ok(bytes) = object.cast::<PyByteArray>() {
        return Some(bytes.to_vec());
    }
    // `tobytes` copies, and so reads views that are not contiguous, too.
    let tobytes = object
        .get_type()
        .name()
        .is_ok_and(|name| name == "memoryview")
        .then(|| object.call_method0("tobytes"));
    tobytes?.ok()?.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes().to_vec())
}

/// The text in these bytes, which are UTF-8 or UTF-16.
fn decoded(bytes: Vec<u8>, file: Option<&str>) -> Result<String, Failure> {
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe])
        || bytes.starts_with(&[0xfe, 0xff])
        // JSON begins with two ASCII characters, and so UTF-16 without a mark has a zero among its first two bytes
        // (RFC 4627).
        || bytes.iter().take(2).any(|byte| *byte == 0);
    let has_mark = bytes.starts_with(&[0xef, 0xbb, 0xbf]);
    let bytes = match is_utf16 || has_mark {
        false => bytes,
        true => {
            // UTF-8 takes at most three bytes for two of UTF-16, so twice the length is enough for all of the text.
            let limit = 2 * bytes.len() as u64;
            let read = utf8_reader(&bytes[..]).and_then(|reader| read_at_most(reader, limit));
            read.map_err(|error| Failure::new("DocumentError", "encoding", error.to_string()).in_file(file))?
        }
    };
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let (line, column) = place(&before, before.len());
        Failure::new("DocumentError", "encoding", "the text is neither UTF-8 nor UTF-16")
            .at(line, column)
            .in_file(file)
    })
}

pub(crate) fn read_document<'py>(
    py: Python<'py>,
    input: Input,
    schemas: Option<SchemasArg>,
    mask: Texts,
) -> PyResult<Bound<'py, PyAny>> {
    let file = input.name();
    let masked = masked_names(mask)?;
    let contents = input.contents(py)?;
    let schemas = schemas.unwrap_or_default().0;
    let held = py.detach(|| {
        let name = file.as_deref().unwrap_or("the document");
        let reader = PlanFileReader::new(schemas.document.clone(), SchemaLookup::none()).masking(masked);
        let read = reader.read_contents(name, contents);
        let read = read.map_err(|error| Failure::plan_input(&error, file.as_deref()))?;
        HeldDocument::new(read, &schemas, file)
    })?;
    // With the filter `error` a warning is raised as an exception, and there is no document then.
    for notice in held.plan_file().notices() {
        // Notes, such as that values are hidden without schemas, do not mean that the document may be wrong.
        if let Notice::Warning(_) = notice {
            warn(py, None, &notice.to_string())?;
        }
    }
    new_object(py, held)
}

/// Names whose values are hidden.
pub(crate) fn masked_names(mask: Texts) -> Result<MaskedNames, Failure> {
    let names = mask.0.into_iter().map(|text| text.parse::<MaskedName>()).collect::<Result<Vec<_>, _>>();
    let names = names.map_err(|error| Failure::new("OptionError", error.kind(), error.to_string()))?;
    Ok(MaskedNames::new(names))
}

/// Warns with `DocumentWarning` of something in a document.
pub(crate) fn warn(py: Python<'_>, file: Option<&str>, warning: &str) -> PyResult<()> {
    let class = py.import("objchange._errors")?.getattr("DocumentWarning")?;
    let named = file.map_or_else(|| warning.to_owned(), |file| format!("{file}: {warning}"));
    py.import("warnings")?.call_method1("warn", (named, class, 2))?;
    Ok(())
}

/// Reads a plan or a state: a path, bytes, or an open file.
///
/// The source is the output of ``terraform show -json``, a plan file that ``terraform plan -out`` saved, or a state file, packed by
/// gzip or not. ``schemas``, the output of
/// ``terraform providers schema -json``, tell which values are sets and which are sensitive as well:
/// `Schemas`, or a source to read them from. ``mask`` has globs of names, such as ``"*password*"``, whose values are sensitive:
/// attributes, keys of maps, outputs, variables and texts that hold such a name.
///
/// Raises `DocumentError` and `SchemaError`, each with its place, `OptionError` for an empty glob, and the errors of ``open``. Warns with
/// `DocumentWarning` of text around the document.
///
/// >>> objchange.load(plan_path).changes[0].address
/// 'disk.a'
#[pyfunction]
#[pyo3(signature = (source, /, schemas=None, *, mask=Texts::default()))]
#[pyo3(text_signature = "(source, /, schemas=None, *, mask=())")]
pub(crate) fn load<'py>(
    source: &Bound<'py, PyAny>,
    schemas: Option<SchemasArg>,
    mask: Texts,
) -> PyResult<Bound<'py, PyAny>> {
    read_document(source.py(), Input::new(source)?, schemas, mask)
}

/// Reads a plan or a state that is at hand as text. Otherwise as `load`.
///
/// >>> objchange.loads('{"format_version": "1.2", "resource_changes": []}').changes[:]
/// []
#[pyfunction]
#[pyo3(signature = (text, /, schemas=None, *, mask=Texts::default()))]
#[pyo3(text_signature = "(text, /, schemas=None, *, mask=())")]
pub(crate) fn loads<'py>(
    text: &Bound<'py, PyAny>,
    schemas: Option<SchemasArg>,
    mask: Texts,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Input::given(text).ok_or_else(|| PyTypeError::new_err("expected str or bytes"))?;
    read_document(text.py(), input, schemas, mask)
}
