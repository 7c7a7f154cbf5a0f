//! Findings of checks: which of them fail, and their reports.
//!
//! ```text
//! check ──▶ Case with Findings ── Gate ──▶ Report ──┬─ exit code
//!                                                   ├─ JUnit
//!                                                   └─ SARIF
//! ```
//!
//! - A [`Finding`] is one thing that a check says of a place. A [`Case`] is one thing that was checked, with its findings.
//! - A [`Gate`] decides which findings fail. The others are accepted, for a reason that all reports have.
//! - A [`Report`] takes all cases and gives the exit code, SARIF and JUnit's XML. They agree:
//!   [`Exit::Success`] means that JUnit has no failure and no error, and SARIF no result of level `error`.
//! - A [`Tally`] counts outcomes for the last line of a text.
//!
//! ```
//! use objchange_finding::{Case, Exit, Finding, Forms, Gate, Location, Outcome, Report, Rule};
//! use objchange_text::Severity;
//!
//! let finding = Finding {
//!     severity: Severity::Warning,
//!     ..Finding::new("warn", Outcome::Failed, "no backup", Location::new("policy.rego", 3_u64))
//! };
//! let case = Case::new("warn").with(Gate::ERRORS.judge(finding));
//! let mut report = Report::new("objchange policy", "example/v1", Forms { junit: false, sarif: true });
//! report.rule(&Rule::new("warn", Severity::Warning, "The rule warn"));
//! report.suite("plan.json", Some("plan.json"));
//! report.case(&case);
//! assert_eq!(report.exit(), Exit::Success);
//! assert!(report.sarif().contains("no backup (accepted: warnings do not fail)"));
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod annotations;
mod case;
mod finding;
mod gate;
mod junit;
mod report;
mod sarif;
mod text;

pub use annotations::Annotations;
pub use case::{Case, Verdict};
pub use finding::{Finding, Location, Outcome};
pub use gate::Gate;
pub use report::{Exit, Forms, Report};
pub use sarif::Rule;
pub use text::{Tally, write_test};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
