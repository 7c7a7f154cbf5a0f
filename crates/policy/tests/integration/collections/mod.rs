//! The collections of plans, states and configuration.

mod access;
mod corners;
mod documents;
mod fields;
mod joined;
mod random;
mod reading;
mod secrets;
