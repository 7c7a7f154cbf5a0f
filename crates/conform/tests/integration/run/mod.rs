//! A whole provider on trial: every fault is found, and shown by the smallest configuration.

mod checked;
mod faults;
mod interrupted;
mod planted;
mod provider;
mod same;
mod secrets;
mod variants;
