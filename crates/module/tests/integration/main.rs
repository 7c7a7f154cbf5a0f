//! What the crate promises, from outside.

mod arguments;
mod diagnostics;
mod load;
mod moves;
mod state;
mod variables;
