//! The collections of plans, states and configuration.

mod access;
mod corners;
mod documents;
mod fields;
mod joined;
pub(crate) mod random;
mod reading;
pub(crate) mod secrets;
