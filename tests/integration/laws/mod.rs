//! What holds for every input, whatever the schema and the values.

mod choices;
mod contract;
mod equality;
mod merging;
mod misfits;
mod parts;
mod secrets;
mod set_order;
