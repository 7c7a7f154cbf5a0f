//! What can go wrong between a client and a provider's process: it is told, and no process is left.

#![cfg(unix)]

mod faults;
mod program;
mod start;
