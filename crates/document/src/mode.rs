//! The mode of a plan.

use serde::{Deserialize, Serialize};

/// The mode of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanMode {
    /// To reach what the configuration says.
    #[default]
    Normal,
    /// To destroy everything.
    Destroy,
    /// To update the state to what is there.
    #[serde(alias = "refresh-only")]
    RefreshOnly,
}
