//! A plan as others know it: the document of `terraform show -json`, and changes for reports.

use crate::ModulePlan;
use crate::config::Config;
use crate::plan::RelevantAttribute;

/// Which attributes of which resources the changes may come from.
pub fn relevant_attributes(_: &Config, _: &ModulePlan) -> Vec<RelevantAttribute> {
    Vec::new()
}
