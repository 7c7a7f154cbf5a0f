//! Integration tests of the crate's public interface.

mod actions;
mod arguments;
mod beside_errors;
mod contract_secrets;
mod diagnostics;
mod hostile;
mod instances;
mod laws;
mod load;
mod missing;
mod missing_law;
mod moves;
mod plan;
mod providers;
mod secrets;
mod simulated;
mod sources;
mod state;
mod test_files;
mod testing;
mod triggers;
mod undecided;
mod variables;
