//! Which resources of a document are shown.

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
    globs: Vec<String>,
    actions: Vec<ResourceActions>,
}

impl Filter {
    /// Also resources whose address matches; `*` stands for any text, every other character for itself.
    #[must_use]
    pub fn address(mut self, glob: impl Into<String>) -> Self {
        self.globs.push(glob.into());
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

    /// Whether a resource with this address is shown.
    pub fn matches_address(&self, address: &str) -> bool {
        self.globs.is_empty() || self.globs.iter().any(|glob| matches(glob, address))
    }
}

/// The first part must be at the start, the last at the end, the others in between, each as early as it can.
fn matches(glob: &str, address: &str) -> bool {
    let Some((first, rest)) = glob.split_once('*') else { return glob == address };
    let Some(mut address) = address.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return address.ends_with(part);
        }
        let Some(at) = address.find(part) else { return false };
        address = &address[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_text() {
        for (glob, address, expected) in [
            ("a.b", "a.b", true),
            ("a.b", "a.bc", false),
            ("*", "", true),
            ("a*", "a.b[0]", true),
            ("*[0]", "a.b[0]", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("a*a", "a", false),
            ("**x", "x", true),
        ] {
            assert_eq!(matches(glob, address), expected, "{glob} {address}");
        }
    }
}
