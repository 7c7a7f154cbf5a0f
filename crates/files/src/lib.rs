//! Files as all parts of objchange read, write and find them.
//!
//! - [`input`] reads files and standard input as text.
//! - [`write_file`] writes a file whole or not at all.
//! - [`Walk`] finds the files below a folder.

#![forbid(unsafe_code)]

pub mod input;
mod walk;
pub mod write_file;

pub use walk::{FoundFiles, Walk};
