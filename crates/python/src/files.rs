//! The files of folders.

use std::path::PathBuf;

use objchange_files::Walk;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// The files below a folder whose names end in one of these ways, in order.
///
/// Raises `OSError` if a folder or a file cannot be read: files that were not read must not seem to be
/// fine.
#[pyfunction]
pub(crate) fn files_below(py: Python<'_>, folder: PathBuf, endings: Vec<String>) -> PyResult<Vec<PathBuf>> {
    // Python's `glob` and `os.walk` pass over folders that they may not read. `complete` is an error for these.
    let found = py.detach(move || {
        let files = Walk { folder: &folder, depth: usize::MAX, hidden: true }.files(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            endings.iter().any(|ending| name.ends_with(ending.as_str()))
        });
        files.complete(&folder)
    });
    found.map_err(|error| PyOSError::new_err(error.to_string()))
}
