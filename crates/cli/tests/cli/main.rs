//! The program, run as a user runs it.
#![allow(clippy::print_stderr, reason = "a test says what it skips")]

mod bad_input;
mod check;
mod output;
mod plan;
mod program;
mod schemas;
mod shapes;
mod show;
