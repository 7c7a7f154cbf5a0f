//! What the crate promises, from outside.

mod arguments;
mod diagnostics;
mod state;
mod variables;
