//! Tests of modules: `*.tftest.hcl` files with their runs, mocks and overrides, as `terraform test` runs them.
//!
//! ```text
//! files ── TestSuite::load ──▶ TestSuite ── TestRunner::run_file ──▶ FileReport ──┬─ text
//!                                                                                ├─ messages of `-json`
//!                                                                                └─ JUnit
//! ```
//!
//! A run plans with the planner, applies in memory, and evaluates its assertions with what names mean then. Nothing is made
//! outside, no provider is started, and no provisioner runs: providers that are not mocked are simulated, and what apply
//! makes up for them is named in the report.

mod assertion;
mod assumed;
mod coverage;
mod difference;
mod expected;
mod file;
mod junit;
mod load;
mod messages;
mod mock;
mod order;
mod overrides;
mod report;
mod run;
mod scope;
mod text;
mod typing;
mod values;

pub(crate) use assumed::Assumed;
pub use coverage::{CoveredKind, CoveredPart, TestCoverage};
pub use file::{TestOptions, TestRunner};
pub use load::{TestSuite, TestTexts};
pub use report::{CleanUp, FailedElements, FileReport, RunOutcome, RunReport, TestReport, TestStatus};
pub use text::{Output, Stream, TestPrinter};
