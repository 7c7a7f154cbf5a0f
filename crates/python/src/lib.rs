//! The compiled part of the Python package `objchange`: a thin shell over the libraries.
//!
//! It has no rules of its own. The GIL is released around every call of a library; afterwards [`value`]
//! alone makes Python objects of the results. All classes are frozen, so that threads may share their
//! objects.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod case;
mod change;
mod choice;
mod columns;
mod comparison;
mod document;
mod engine;
mod error;
mod explain;
mod files;
mod hcl;
mod load;
mod module;
mod page;
mod policy;
mod program;
mod query;
mod schema;
mod schemas;
mod sensitive;
mod sequence;
mod set;
mod state;
mod unknown;
mod value;

use pyo3::prelude::*;

/// The compiled part of the package.
// Without `gil_used = false` a free-threaded Python (PEP 703) turns the GIL on for the whole process when it imports
// the package.
#[pymodule(gil_used = false)]
mod _objchange {
    #[pymodule_export]
    use super::case::{CaseResult, run_case};
    #[pymodule_export]
    use super::change::{ChangeList, OutputChange, OutputList, ResourceChange};
    #[pymodule_export]
    use super::columns::ChangeStream;
    #[pymodule_export]
    use super::comparison::Comparison;
    #[pymodule_export]
    use super::document::{AnyDocument, Plan, State};
    #[pymodule_export]
    use super::engine::{
        PlannedChange, Violation, assert_object_compatible, assert_plan_valid, plan_change, proposed_new,
    };
    #[pymodule_export]
    use super::explain::explain;
    #[pymodule_export]
    use super::files::files_below;
    #[pymodule_export]
    use super::hcl::evaluate;
    #[pymodule_export]
    use super::load::{load, loads};
    #[pymodule_export]
    use super::module::{graph, plan_module};
    #[pymodule_export]
    use super::policy::{PolicyResult, RegoPolicies, RuleResult, SentinelPolicies};
    #[pymodule_export]
    use super::program::run_program;
    #[pymodule_export]
    use super::query::{QueryItem, QueryResult, query};
    #[pymodule_export]
    use super::schema::Schema;
    #[pymodule_export]
    use super::schemas::Schemas;
    #[pymodule_export]
    use super::sensitive::Sensitive;
    #[pymodule_export]
    use super::set::Set;
    #[pymodule_export]
    use super::state::{OutputValue, ResourceList, StateResource};
    #[pymodule_export]
    use super::unknown::Unknown;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("UNKNOWN", super::unknown::singleton(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
