//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod conform;
mod explained;
mod flow;
mod hints;
mod learn;
mod random;
mod repair;
mod run;
mod samples;
mod scale;
