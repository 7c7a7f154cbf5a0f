//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod connection;
#[path = "../../../conform/tests/kit_program/mod.rs"]
mod kit_program;
mod record;
mod stores;
mod transport;
mod wire;
