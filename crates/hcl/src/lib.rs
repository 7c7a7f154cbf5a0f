//! Terraform's configuration language: from text to values, with unknowns, marks, exact numbers and positions.
//!
//! ```text
//! text ── parse_body ──▶ body ──┬─ references ──▶ which variables are needed
//!                               │
//!                               └─ decode, under a schema ──▶ the config object, and what is wrong
//! text ── parse_expression ──▶ expression ── evaluate ──▶ a value, and what is wrong
//! text ── parse_data ──▶ values that are written out, as in `sentinel.hcl`
//! ```
//!
//! ```
//! use objchange::{Type, Value};
//! use objchange_hcl::{Functions, LineIndex, Scope, Variables, evaluate, parse_expression};
//!
//! let text = "[for port in ports : port + 1 if port > 80]";
//! let expr = parse_expression(text).unwrap();
//! let ports = Value::tuple([Value::from(80), Value::from(443), Value::from("8080")]);
//! let variables: Variables = [("ports", ports.sensitive())].into_iter().collect();
//! let (value, errors) = evaluate(&expr, &Scope::new(&variables), Functions::pure());
//! assert_eq!(value, Value::tuple([444, 8081]).sensitive());
//! assert!(errors.is_empty());
//!
//! // All that is wrong comes at once, each with its place.
//! let errors = evaluate(&parse_expression("prots[0] + \"x\"").unwrap(), &Scope::new(&variables), Functions::pure()).1;
//! let kinds: Vec<&str> = errors.iter().map(|error| error.kind()).collect();
//! assert_eq!(kinds, ["unknown_variable", "invalid_operand"]);
//! let position = LineIndex::new("prots[0] + \"x\"").position(errors[1].subject.unwrap().start);
//! assert_eq!((position.line, position.column), (1, 12));
//! ```
//!
//! # Scope of this crate
//!
//! The behaviour is that of Terraform v1.16 and HCL 2.24, answer by answer: which part of an unknown is known, where a
//! mark goes and where it is lost, which errors come together and what they point to. Negative zero is zero.
//!
//! There is no file, no clock, no network, no module tree: variables come from whoever asks, and so do functions that
//! look at more than their arguments. Nothing that is sensitive is in an error, nor
//! what a loop or a dynamic block takes out of a sensitive collection.
//!
//! # What it costs
//!
//! Reading is linear. Nesting is limited, in the source and in values, so that no text overflows the stack. Evaluating
//! is paid for in steps, of which an evaluation has a fixed number, and so have all variables together and all local
//! values: by the expressions that it comes to, by the values and texts that it makes, by the arguments that calls read,
//! and by templates that are rendered. So no expression fills the memory or goes on for long.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod cases;
mod console;
mod conversion;
mod coverage;
mod data;
mod decode;
mod eval;
mod excerpt;
mod expression_text;
mod function;
mod functions;
mod hidden_source;
mod module;
mod outline;
#[cfg(feature = "snippet")]
mod snippet;
mod sources;
mod suggestion;
mod syntax;
mod version;
mod walk;

pub use cases::OPERATIONS;
pub use console::{asks_type, console_text, console_type};
pub use conversion::conversion_message;
pub use coverage::{BranchHits, Coverage};
pub use data::{Data, DataBlock, parse_data};
pub use decode::{Decoded, Purpose, WrittenAsBlocks, decode, expanded_references, may_be_legacy, references};
pub use eval::{
    DecisiveElements, DiagnosticExt, Scope, TypeConstraint, Variables, constant, elements_that_decide,
    evaluate, evaluate_template,
};
pub use excerpt::Excerpt;
pub use expression_text::expression_text;
pub use function::{Capability, Function, FunctionError, Functions, NO_DIRECTORY, Parameter, not_null};
pub use functions::BaseDirectory;
pub use hidden_source::{HiddenSource, value_source, variable_of_source};
pub use module::{
    CheckConfig, Condition, ConfigBody, ConstantText, DecodedResource, Environment, ImportConfig,
    ImportTarget, Input, LifecycleConfig, MockData, MockObject, MockProvider, ModuleCall, ModuleConfig,
    MoveEndpoint, MoveTarget, MovedConfig, OutputConfig, Override, OverrideDuring, Problems, ProviderConfig,
    ProviderRef, ProvisionerConfig, RemovedConfig, RequiredProvider, ResourceConfig, ResourceName,
    RunCommand, RunModule, RunPlanOptions, SelectError, SelectedResource, SourcePlace, StateStorage,
    TestFile, TestRun, Unfollowed, VariableConfig, VariableValues, each,
};
pub use objchange_text::{Called, Diagnostic, LineIndex, Position, Severity, Span, Summary};
pub use outline::Outline;
#[cfg(feature = "snippet")]
pub use snippet::snippet;
pub use sources::{FileSpan, Places, Sources};
pub use suggestion::{did_you_mean, suggestion};
pub use syntax::{
    Attribute, Block, Body, Expr, JsonBody, Label, parse_body, parse_body_json, parse_expression,
    parse_template,
};
pub use version::VersionConstraints;
pub use walk::{Reference, constant_value, variables};
