//! Paths as text, with slashes.

use objchange::Type;

use super::{string, text};
use crate::function::{Function, Functions};

pub(super) fn add(functions: &mut Functions) {
    functions.insert(
        "basename",
        Function::new([string("path")], Type::String, |a, _| Ok(base(text(a, 0)).into())),
    );
    functions.insert(
        "dirname",
        Function::new([string("path")], Type::String, |a, _| Ok(directory(text(a, 0)).into())),
    );
}

/// The last element.
fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    // Go's `filepath.Base`: an empty path is `.`, and one of slashes alone is `/`.
    match trimmed.rsplit('/').next() {
        Some("") if path.is_empty() => ".",
        Some("") | None => "/",
        Some(last) => last,
    }
}

/// All but the last element.
fn directory(path: &str) -> String {
    clean(path.rfind('/').map_or("", |at| &path[..=at]))
}

/// The shortest path to the same place, ignoring symbolic links.
pub(super) fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    match (is_absolute, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}
