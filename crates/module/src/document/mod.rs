//! A plan as the document that `terraform show -json` writes, and as changes for reports; reports of its references.
//!
//! The document is written from its beginning to its end, so that a large plan needs no more memory than its text.

mod actions;
mod change_set;
mod changes;
mod checks;
mod configuration;
mod explanation;
mod expressions;
mod graph;
mod json;
mod provider_keys;
mod state;
mod values;

pub use crate::order::compare_instances;
pub use crate::plan::relevant_attributes;
pub use change_set::{change_set, changed_resource, saved_change_set};
pub(crate) use configuration::resource_address;
pub use explanation::ExplanationReport;
pub use graph::GraphReport;

use std::collections::BTreeMap;

use objchange::Value;
use objchange_document::{MissingKind, Prediction, Version};
use smol_str::SmolStr;

pub(crate) use self::json::JsonWriter;
use crate::Schemas;
use crate::config::Config;
use crate::plan::{Deferrals, ModulePlan, PlannedStateObject, RelevantAttribute, RelevantStep};
use crate::state::{PriorState, StateOutput};

/// The version of the format of plan documents that is written.
pub const FORMAT_VERSION: &str = "1.2";

/// The program and the time in a document.
#[derive(Debug, Clone, Copy)]
pub struct DocumentInfo<'a> {
    /// The version of Terraform whose rules were followed: `1.15.5`.
    pub terraform_version: &'a str,
    /// The plan was made without its providers. The suffix of its version says so.
    pub is_simulated: bool,
    /// How it was made then. Without its providers the suffix says this, too.
    pub prediction: Prediction,
    /// When the plan was made: `2026-01-01T00:00:00Z`.
    pub timestamp: &'a str,
}

impl DocumentInfo<'_> {
    /// The version in the document: its suffix says that the plan is a prediction.
    pub fn version(&self) -> String {
        match self.is_simulated {
            true => self.prediction.version(self.terraform_version),
            false => self.terraform_version.to_owned(),
        }
    }
}

/// The document that `terraform show -json` writes of a plan, in one line without a line break at its end.
///
/// Resources whose actions only a provider can tell are in `deferred_changes`, with the reason `instances_unknown` or
/// `import_unknown`. Objects that are updated or replaced have the reason `replacement_unknown`. Those whose actions depend
/// on `missing`, the inputs that the plan was made without, have `input_missing` or `action_unknown`.
pub fn write_plan(plan: &ModulePlan, config: &Config, schemas: &Schemas, info: &DocumentInfo<'_>) -> String {
    let parts = Parts {
        planned_state: &plan.planned_state,
        deferrals: &Deferrals::default(),
        prior_outputs: &state::outputs(plan),
        config: Some(config),
    };
    write(plan, &parts, schemas, info)
}

/// Like [`write_plan`], for a plan that Terraform has made: the outputs of its prior state are already the new ones, as far
/// as these are known. Without a configuration the document has no `configuration`: an empty one would say that nothing is
/// configured. Terraform leaves changes and actions to the next plan for reasons of its own.
pub fn write_saved_plan(
    plan: &ModulePlan,
    deferrals: &Deferrals,
    config: Option<&Config>,
    schemas: &Schemas,
    info: &DocumentInfo<'_>,
) -> String {
    let mut planned: Vec<_> = plan.changes.iter().filter_map(PlannedStateObject::after).collect();
    // A plan file has only its own marks.
    planned.iter_mut().for_each(|object| object.has_marks_of_schema = false);
    let parts =
        Parts { planned_state: &planned, deferrals, prior_outputs: &plan.prior_state.outputs, config };
    write(plan, &parts, schemas, info)
}

/// The parts that plans made here and those of Terraform have in different places.
struct Parts<'a> {
    planned_state: &'a [PlannedStateObject],
    deferrals: &'a Deferrals,
    prior_outputs: &'a BTreeMap<SmolStr, StateOutput>,
    config: Option<&'a Config>,
}

fn write(plan: &ModulePlan, parts: &Parts<'_>, schemas: &Schemas, info: &DocumentInfo<'_>) -> String {
    let Parts { planned_state, deferrals, prior_outputs, config } = *parts;
    let version = Version::parse(info.terraform_version).unwrap_or(Version::NEWEST);
    let mut json = JsonWriter::of_version(version.parts());
    json.object(|json| {
        json.string_member("format_version", FORMAT_VERSION);
        let is_simulated = info.is_simulated || !plan.missing.is_empty();
        json.string_member("terraform_version", &DocumentInfo { is_simulated, ..*info }.version());
        // The order of keys is that of Terraform, which leaves out empty sections but for `planned_values` and
        // `configuration`.
        json.member_unless_empty("variables", |json| json.variables(plan));
        json.member("planned_values", |json| json.planned_values(plan, planned_state, schemas));
        json.member_unless_empty("resource_drift", |json| json.resource_changes(&plan.drift));
        json.member_unless_empty("resource_changes", |json| json.resource_changes(&plan.changes));
        json.member_unless_empty("deferred_changes", |json| {
            json.deferred_changes(&plan.undecided, deferrals);
        });
        json.member_unless_empty("deferred_action_invocations", |json| {
            json.deferred_action_invocations(&deferrals.invocations);
        });
        json.member_unless_empty("output_changes", |json| json.output_changes(plan));
        json.member_unless_empty("action_invocations", |json| json.action_invocations(&plan.invocations));
        json.prior_state(plan, prior_outputs, schemas, info.terraform_version);
        if let Some(config) = config {
            json.member("configuration", |json| json.configuration(config, schemas));
        }
        json.member_unless_empty("relevant_attributes", |json| {
            json.relevant_attributes(&plan.relevant_attributes);
        });
        json.member_unless_empty("checks", |json| json.checks(&plan.checks));
        json.string_member("timestamp", info.timestamp);
        // Terraform writes them since 1.8.
        if version.parts() >= (1, 8) {
            json.bool_member("applyable", plan.applyable);
            json.bool_member("complete", plan.complete);
        }
        if !plan.missing.is_empty() {
            json.member("missing", |json| {
                // Writing to a string does not fail.
                json.plain(serde_json::to_string(&plan.missing).unwrap_or_default());
            });
        }
        json.bool_member("errored", plan.errored);
    });
    json.into_string()
}

/// The document that `terraform show -json` writes of a state, in one line without a line break at its end.
pub fn write_state(state: &PriorState, schemas: &Schemas, terraform_version: &str) -> String {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.string_member("format_version", "1.0");
        json.string_member("terraform_version", terraform_version);
        if !state.outputs.is_empty() || state.resources.values().any(|resource| !resource.is_empty()) {
            json.member("values", |json| {
                json.object(|json| json.state_values(state, &state.outputs, schemas));
            });
        }
    });
    json.into_string()
}

/// The values of a state, as test runs print them.
pub(crate) fn state_values(state: &PriorState, schemas: &Schemas) -> serde_json::Value {
    let mut json = JsonWriter::default();
    json.object(|json| json.state_values(state, &state.outputs, schemas));
    serde_json::from_str(&json.into_string()).unwrap_or_default()
}

/// The parts of a plan that test runs print.
pub(crate) fn output_and_resource_changes(plan: &ModulePlan) -> serde_json::Value {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.member_unless_empty("resource_drift", |json| json.resource_changes(&plan.drift));
        json.member_unless_empty("resource_changes", |json| json.resource_changes(&plan.changes));
        json.member_unless_empty("output_changes", |json| json.output_changes(plan));
        json.member_unless_empty("relevant_attributes", |json| {
            json.relevant_attributes(&plan.relevant_attributes);
        });
    });
    serde_json::from_str(&json.into_string()).unwrap_or_default()
}

impl JsonWriter {
    fn variables(&mut self, plan: &ModulePlan) {
        // A variable without a value has none here, either.
        let missing = plan.missing.iter().filter(|missing| missing.kind == MissingKind::Variable);
        let missing = missing.filter_map(|missing| Some((missing.address.strip_prefix("var.")?, None)));
        let given = plan.variables.iter().map(|(name, value)| (name.as_str(), Some(value)));
        let all: BTreeMap<&str, Option<&Value>> = missing.chain(given).collect();
        self.object(|json| {
            for (name, value) in all {
                json.member(name, |json| {
                    json.object(|json| {
                        if let Some(value) = value {
                            json.member("value", |json| json.known(value));
                        }
                    });
                });
            }
        });
    }

    fn relevant_attributes(&mut self, attributes: &[RelevantAttribute]) {
        self.array(|json| {
            for attribute in attributes {
                json.object(|json| {
                    json.string_member("resource", &attribute.resource);
                    json.member("attribute", |json| {
                        json.array(|json| {
                            for step in &attribute.path {
                                match step {
                                    RelevantStep::Name(name) => json.string(name),
                                    RelevantStep::Index(position) => json.plain(position),
                                }
                            }
                        });
                    });
                });
            }
        });
    }
}

#[cfg(test)]
mod tests;
