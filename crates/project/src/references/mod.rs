//! What refers to what in a module, and why something is unknown: reports of both.

mod explanation;
mod graph;

pub use self::explanation::ExplanationReport;
pub use self::graph::GraphReport;
