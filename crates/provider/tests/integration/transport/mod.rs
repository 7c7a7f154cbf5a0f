//! Failures between a client and a provider's process: each is reported, and no process is left.

#![cfg(unix)]

mod faults;
mod program;
mod start;
