//! A whole provider on trial: every fault is found, and shown by the smallest configuration.

mod faults;
mod interrupted;
mod provider;
mod same;
mod secrets;
