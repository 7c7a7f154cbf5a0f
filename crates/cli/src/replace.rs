//! Writing a file in place of another.

use std::path::Path;
use std::{fs, io};

/// Writes a file beside the old one, which stays as it is until the new one is whole.
pub(crate) fn file(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let mut new = path.clone().into_os_string();
    new.push(".new");
    let written = fs::write(&new, text)
        .and_then(|()| fs::set_permissions(&new, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&new, &path));
    written.inspect_err(|_| drop(fs::remove_file(&new)))
}
