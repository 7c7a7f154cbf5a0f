//! What the crate promises, from outside.

mod moves;
mod state;
