//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod architecture;
mod cases;
mod common;
mod conversion;
mod debug;
mod formats;
mod interchange;
mod laws;
mod schema;
mod unknown;
mod violations;
mod walks;
