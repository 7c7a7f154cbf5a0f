//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod builtins;
mod language;
mod random;
mod term;
mod values;
