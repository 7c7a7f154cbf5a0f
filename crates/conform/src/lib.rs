//! Tests whether a provider keeps its contract with Terraform: makes the same calls as Terraform, and judges
//! each answer.
//!
//! - [`judge`] tests one configuration of one resource type, [`run()`] a whole provider.
//! - [`scale`] measures how the time of a plan grows with its data.
//! - [`kit`] writes a provider from schemas and closures, and gives it faults.
//!
//! [`judge`] takes one configuration of one resource type through the life of an object: it is validated,
//! planned, planned again, applied, read, upgraded, planned once more, changed, moved, imported and
//! destroyed. Without [`apply`](Trial::apply) nothing is applied, and calls that need an object are not made.
//! Other components have their own judges, and so do the [schemas](judge_schemas).
//!
//! ```
//! use objchange_conform::{Clause, Trial, judge};
//! use objchange_conform::kit::{faulty, trial_config};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> objchange_provider::Result<()> {
//! let judgement = judge(&faulty(true), "kit_planned_string", &Trial::new(trial_config(true))).await?;
//! let finding = &judgement.findings[0];
//! assert_eq!((finding.clause, finding.path.to_string().as_str()), (Clause::P5, "name"));
//! assert_eq!(
//!     finding.terraform.as_deref(),
//!     Some(r#"planned value cty.StringVal("a-other") does not match config value cty.StringVal("a")"#)
//! );
//! # Ok(())
//! # }
//! ```

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod apply;
mod baseline;
mod case;
mod config_text;
mod corpus;
mod data_and_functions;
mod details;
mod finding;
mod flavor;
mod flow;
mod generate;
mod go;
pub mod hints;
mod import;
pub mod kit;
mod leak;
mod learn;
mod objects;
mod opened;
mod parts;
mod planning;
mod repair;
mod report;
mod report_cases;
mod report_document;
mod report_text;
mod run;
pub mod scale;
mod schemas;
mod secrets;
mod set_elements;
mod shrink;
mod within;

#[doc(no_inline)]
pub use objchange_explain::{Advice, Clause};

pub use self::baseline::{Baseline, BaselineError};
pub use self::case::NoCase;
pub use self::corpus::{Corpus, CorpusError};
pub use self::data_and_functions::{judge_data, judge_function};
pub use self::finding::{Finding, FindingSeverity};
pub use self::flavor::Flavor;
pub use self::flow::{Judgement, Trial, judge};
use self::generate::samples_from;
pub use self::generate::{Sample, any_sample, samples};
#[doc(no_inline)]
pub use self::hints::{Hints, HintsError};
pub use self::learn::{LearnOptions, LearnProgress, Learned, learn};
pub use self::opened::{judge_action, judge_ephemeral, judge_list};
pub use self::repair::{Acceptance, accepted};
use self::repair::{AcceptanceTest, accepted_when, allowed_values};
use self::report::shape;
pub use self::report::{FindingReport, Refusal, Report, RunEnd, Smallest, Subject, Time, TypeReport};
pub use self::report_cases::reported_rules;
pub use self::report_document::ReportDocument;
pub use self::run::{CreatedObjects, LeftoverObject, Options, Progress, Stop, run};
pub use self::schemas::{SchemaFinding, judge_schemas};
pub use self::secrets::without_secrets;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
