//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod conform;
mod connection;
mod explain;
mod flow;
mod hints;
mod random;
mod record;
mod repair;
mod run;
mod samples;
mod scale;
mod stores;
mod transport;
mod wire;
