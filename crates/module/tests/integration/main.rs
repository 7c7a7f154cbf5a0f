//! What the crate promises, from outside.

mod load;
mod moves;
mod state;
