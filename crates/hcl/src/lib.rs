//! Terraform's configuration language: from text to values, with unknowns, marks, exact numbers and positions.
//!
//! ```text
//! text ── parse_body ──▶ body ──┬─ references ──▶ which variables are needed
//!                               │
//!                               └─ decode, under a schema ──▶ the config object, and errors
//! text ── parse_expression ──▶ expression ── evaluate ──▶ a value, and errors
//! text ── parse_data ──▶ values that are written out, as in `sentinel.hcl`
//! text ── as_json ──▶ JSON with expressions as texts
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
//! The behaviour is that of Terraform v1.16 and HCL 2.24, answer by answer: refinements of unknown values, marks, and
//! which errors are reported together and where. The one exception is negative zero, which is zero.
//!
//! The crate has no file, clock, network or module tree. Callers pass variables, and functions that read more than
//! their arguments. Errors quote nothing sensitive, including the elements that a loop or a dynamic block takes out of
//! a sensitive collection.
//!
//! # What it costs
//!
//! Parsing takes linear time. Nesting is limited, in the source and in values, so that no text overflows the stack.
//! Evaluation has a budget of steps: one for each evaluation, one for all variables, and one for all local values. Each
//! expression, value, byte of text, argument and rendered template costs steps, so no expression fills memory or runs
//! for long.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod as_json;
mod cases;
mod console;
mod conversion;
mod coverage;
mod data;
mod decode;
mod edition;
mod eval;
mod excerpt;
mod expression_text;
mod file_calls;
mod function;
mod functions;
mod hidden_source;
mod module;
mod outline;
mod selected;
#[cfg(feature = "snippet")]
mod snippet;
mod sources;
mod suggestion;
mod syntax;
mod walk;

pub use as_json::as_json;
pub use cases::OPERATIONS;
pub use console::{asks_type, console_text, console_type};
pub use conversion::conversion_message;
pub use coverage::{BranchHits, Coverage};
pub use data::{Data, DataBlock, parse_data};
pub use decode::{
    ConfigBody, Decoded, Problems, Purpose, WrittenAsBlocks, decode, expanded_references, may_be_legacy,
    references,
};
pub use edition::Edition;
pub use eval::{
    DecisiveElements, DiagnosticExt, Scope, TypeConstraint, Variables, constant, constant_value,
    elements_that_decide, evaluate, evaluate_template, no_element, wrong_step,
};
pub use excerpt::Excerpt;
pub use expression_text::expression_text;
pub use file_calls::{FileCall, NamedFiles, file_calls, named_files, template_file_calls};
pub use function::{
    Capability, Function, FunctionError, Functions, NO_DIRECTORY, OUTSIDE_DIRECTORIES, Parameter, not_null,
};
pub use functions::{BaseDirectory, KnownFiles, OUTSIDE, relative_path};
pub use hidden_source::{HiddenSource, value_source, variable_of_source};
pub use module::{
    ActionConfig, ActionName, ActionRef, ActionTriggerConfig, CheckConfig, Condition, ConstantText,
    Environment, ImportConfig, ImportTarget, Input, LifecycleConfig, MockData, MockObject, MockProvider,
    ModuleCall, ModuleConfig, MoveEndpoint, MoveTarget, MovedConfig, OnFailure, OutputConfig, Override,
    OverrideDuring, ProviderConfig, ProviderRef, ProvisionerConfig, RemovedConfig, RequiredProvider,
    ResourceConfig, ResourceName, RunCommand, RunModule, RunPlanOptions, StateStorage, TestFile, TestRun,
    TriggerEvent, VariableConfig, VariableValues, each,
};
pub use objchange_text::{
    Diagnostic, DiagnosticsError, FunctionSignature, LineIndex, Position, Severity, Span, Summary,
};
pub use outline::Outline;
pub use selected::{DecodedResource, SelectError, SelectedResource, SourcePlace, Unfollowed};
#[cfg(feature = "snippet")]
pub use snippet::snippet;
pub use sources::{FileSpan, Places, Sources};
pub use suggestion::{did_you_mean, suggestion};
pub use syntax::{
    Attribute, Block, Body, Expr, JsonBody, Label, parse_body, parse_body_json, parse_expression,
    parse_template,
};
pub use walk::{Reference, called_functions, variables};
