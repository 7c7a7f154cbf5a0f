//! The tests of this crate from outside.

mod format;
mod play;
mod upgrade;
