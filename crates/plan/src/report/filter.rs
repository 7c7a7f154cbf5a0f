//! Which resources of a document are shown.

use wildmatch::WildMatch;

use crate::document::ResourceActions;

/// Which resources of a document are shown: all, unless it says otherwise.
///
/// ```
/// use objchange_plan::{Filter, ResourceActions};
///
/// let filter = Filter::default().address("module.net*.aws_*");
/// assert!(filter.matches("module.net[0].aws_vpc.main", ResourceActions::Create));
/// assert!(!filter.matches("aws_vpc.main", ResourceActions::Create));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Filter {
    globs: Vec<WildMatch>,
    actions: Vec<ResourceActions>,
}

impl Filter {
    /// Also resources whose address matches; `*` stands for any text, `?` for any character.
    #[must_use]
    pub fn address(mut self, glob: &str) -> Self {
        self.globs.push(WildMatch::new(glob));
        self
    }

    /// Also resources with one of these actions.
    #[must_use]
    pub fn actions(mut self, actions: &[ResourceActions]) -> Self {
        self.actions.extend(actions);
        self
    }

    /// Whether everything is shown.
    pub fn is_all(&self) -> bool {
        self.globs.is_empty() && self.actions.is_empty()
    }

    /// Whether a resource with this address and these actions is shown.
    pub fn matches(&self, address: &str, actions: ResourceActions) -> bool {
        self.matches_address(address) && (self.actions.is_empty() || self.actions.contains(&actions))
    }

    /// Whether an action with this address is shown, which is none that happens to a resource.
    pub(crate) fn matches_action(&self, address: &str) -> bool {
        self.matches_address(address) && self.actions.is_empty()
    }

    /// Whether a resource with this address is shown.
    pub fn matches_address(&self, address: &str) -> bool {
        self.globs.is_empty() || self.globs.iter().any(|glob| glob.matches(address))
    }
}
