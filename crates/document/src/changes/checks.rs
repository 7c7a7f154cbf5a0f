//! The checks of a plan that did not pass.

use serde::{Deserialize, Serialize};

use crate::json::{Json, Raw, View};
use crate::text::Text;

/// A check that failed, or whose result is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check<'p> {
    /// The address of what is checked.
    pub address: Text<'p>,
    /// The kind of what is checked: `check`, `resource`, `output_value` or `var`; empty where the document does not say it.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub kind: Text<'p>,
    /// The result.
    pub status: CheckStatus,
    /// The messages of its conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Text<'p>>,
}

/// The result of a check that did not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// A condition does not hold.
    Fail,
    /// A condition could not be evaluated.
    Error,
    /// The result is known after apply, or the document does not say it.
    Unknown,
}

fn is_empty(text: &Text<'_>) -> bool {
    text.is_empty()
}

/// Those of these checks that did not pass.
pub(crate) fn not_passed<'t>(checks: Raw<'t>) -> Vec<Check<'t>> {
    // The JSON itself is valid here, so an error means another shape than Terraform's: no checks.
    let Ok(checks) = Json::read(&checks) else { return Vec::new() };
    checks.view().elements().iter().filter_map(check).collect()
}

fn check<'t>(check: View<'_, 't>) -> Option<Check<'t>> {
    let status = match check.get("status").and_then(View::as_str) {
        Some("pass") => return None,
        Some("fail") => CheckStatus::Fail,
        Some("error") => CheckStatus::Error,
        _ => CheckStatus::Unknown,
    };
    let of_address = |name| check.get("address").and_then(|address| address.get(name)?.text());
    let instances = check.get("instances").map(|instances| instances.elements().iter());
    let problems = instances.into_iter().flatten().filter_map(|instance| instance.get("problems"));
    let messages = problems.flat_map(|problems| problems.elements().iter());
    Some(Check {
        address: of_address("to_display").unwrap_or_default(),
        kind: of_address("kind").unwrap_or_default(),
        status,
        problems: messages.filter_map(|problem| problem.get("message")?.text()).collect(),
    })
}
