//! Reads, writes and finds files, for all parts of objchange.
//!
//! - [`input`] reads files and standard input as text; [`unpacked`] unpacks documents in gzip.
//! - [`write_file`] writes a file completely or not at all.
//! - [`Walk`] finds the files below a folder.
//! - [`Snapshot`] finds changed files.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod file_error;
pub mod input;
mod packed;
mod snapshot;
mod walk;
pub mod write_file;

pub use file_error::{FileError, FileErrorKind};
pub use packed::{is_packed, unpacked};
pub use snapshot::Snapshot;
pub use walk::{FoundFiles, Walk, capitals, in_lower_case, refuse_link_out};
