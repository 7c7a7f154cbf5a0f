//! Models of Terraform providers: facts learned by asking a provider for plans, and plans made with them.
//!
//! A schema does not say which change replaces an object, which default an argument gets, or which computed attribute
//! keeps its value. A provider's plan call does, and needs no service for it. [`Evidence`] merges its answers into a
//! [`TypeModel`] with the number of probes behind each fact, and [`TypeModel::play`] plans an object with it.
//!
//! A fact is stable if all probes agree. Otherwise it *depends* on something, and the value it is about is unknown.
//!
//! ```
//! use objchange::change::{PlanResourceChange, PlannedResource};
//! use objchange::schema::{Attribute, Block};
//! use objchange::{Type, Value};
//! use objchange_model::{Evidence, PlayOptions};
//!
//! let schema = Block::new([("name", Attribute::required(Type::String))], []);
//! let named = |name: &str| Value::object([("name", name)]);
//! let request = |before: &str, after: &str| {
//!     PlanResourceChange::new(&schema, &named(before), &named(after), &named(after))
//! };
//!
//! // A provider that replaces an object whose name changes.
//! let mut evidence = Evidence::new(&schema);
//! let mut answer = PlannedResource::new(named("b"));
//! answer.requires_replace.push(objchange::value::Path::root().attribute("name"));
//! evidence.add(0, &request("a", "b"), &answer);
//! let model = evidence.finish(&|_| false);
//!
//! let played = model.play(&schema, &request("x", "y"), PlayOptions::default());
//! assert_eq!(played.answer.requires_replace[0].to_string(), "name");
//! assert_eq!(model.explain_replacement("name").unwrap(), "name forces replacement in 1 of 1 probes");
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod causes;
mod collected;
mod documents;
mod empty;
mod evidence;
mod fact;
mod given_object;
mod merge;
mod model;
mod play;
mod sets;
mod upgrade;
mod walk;

pub use empty::{empty_value, is_empty_value};
pub use evidence::Evidence;
pub use fact::{
    Cases, Cause, ChangeKind, Collected, Fact, Outcome, PartFacts, Replacement, Replaces, Situation,
};
pub use given_object::GivenObject;
pub use model::{FORMAT, ModelError, ModelInfo, ProviderModel, TypeModel};
pub use play::{PlayOptions, Played};
pub use upgrade::{NotCompared, ProviderVersion, Upgrade, UpgradeChange, UpgradeKind, compare_versions};
