//! Predicts what Terraform or OpenTofu will do to a resource, and checks the contract between provider and core.
//!
//! Terraform Core merges prior state and configuration into a *proposed new* object, a provider turns that
//! into a plan, and Core checks the plan, decides the action and shows the differences. After apply it checks
//! the result. This crate does the same, with the same results, for other programs: planners, harnesses that
//! test providers, tools that read plans.
//!
//! ```text
//! prior state ─┐
//!              ├─ proposed_new ──▶ provider plans ──▶ assert_plan_valid ──▶ action ──▶ diff ──▶ people, tools
//! config ──────┘                                                            │
//!                                                    provider applies ──▶ assert_object_compatible ──▶ new state
//! ```
//!
//! ```
//! use objchange::change::{Action, action_for_change, assert_object_compatible, assert_plan_valid, proposed_new};
//! use objchange::schema::{Attribute, Block};
//! use objchange::{Type, Value};
//!
//! // The schema of a resource type, usually read from `terraform providers schema -json`.
//! let schema = Block::new(
//!     [("id", Attribute::computed(Type::String)), ("size", Attribute::optional(Type::Number))],
//!     [],
//! );
//! let prior = Value::object([("id", Value::from("vol-1")), ("size", Value::from(10))]);
//! let config = Value::object([("id", Value::null(Type::String)), ("size", Value::from(20))]);
//!
//! // Values that configuration leaves to the provider stay as they were.
//! let proposed = proposed_new(&schema, &prior, &config)?;
//! assert_eq!(proposed, Value::object([("id", Value::from("vol-1")), ("size", Value::from(20))]));
//!
//! // A provider may only choose computed values.
//! let planned = proposed;
//! assert!(assert_plan_valid(&schema, &prior, &config, &planned).is_empty());
//! assert_eq!(action_for_change(&prior, &planned), Action::Update);
//!
//! // After apply the object must equal the plan.
//! let actual = Value::object([("id", Value::from("vol-1")), ("size", Value::from(16))]);
//! let errors = assert_object_compatible(&schema, &planned, &actual);
//! assert_eq!(errors[0].to_string(), "size: was planned as (20), but is (16)");
//! # Ok::<(), objchange::change::ChangeError>(())
//! ```
//!
//! # The modules
//!
//! - [`address`]: addresses of modules, resources and instances, in Terraform's written form.
//! - [`value`]: the model of values. Types, exact numbers, unknowns and their promises, marks, paths, set
//!   order, the two equalities, conversion; JSON, MessagePack and the JSON of case files.
//! - [`schema`]: the model of resource types. Blocks, attributes and nesting; reading provider schemas,
//!   coercion, validation, sensitive paths.
//! - [`change`]: changes of resources. Each function around a provider, and [`change::plan_change`] and
//!   [`change::apply_change`], which call all of them in order.
//!
//! # Scope of this crate
//!
//! The behaviour is that of Terraform v1.16 and go-cty v1.18, answer by answer: the order of sets, the
//! equality of unknowns, the choice of the prior element for a configured one. Where they crash, this crate
//! returns an error. Four things differ on purpose: negative zero is zero; numbers with an exponent beyond
//! 5,000, or with more digits, are refused; an unknown list is not expanded beyond 1,048,576 elements; and
//! values that nest deeper than 127 levels are refused.
//!
//! There is no graph, no evaluation of configuration, no input or output, no clock. Sensitive parts of values
//! never appear in `Debug`, `Display` or errors; they are written by the explicit formats alone.
//!
//! # What it costs
//!
//! All functions take time linear in the size of their input, or n·log n, for inputs that occur. Values
//! share their parts, and an unchanged part is recognised without another walk. Sets are matched by hashes
//! over the parts that must be equal. Only two kinds of sets are compared pair by pair: those where each
//! element has a shape of its own, and those whose elements differ in nothing that a hash can see. A
//! longest common subsequence is linear if few elements are edited, n·log n if each occurs a few times, and
//! n²/64 at worst; see [`change::common_subsequence`].

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod address;
pub mod change;
pub mod schema;
pub mod value;

pub use value::{Type, Value};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
