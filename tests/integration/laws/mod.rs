//! Laws that hold for every schema and all values.

mod choices;
mod contract;
mod equality;
mod merging;
mod misfits;
mod parts;
mod secrets;
mod set_order;
