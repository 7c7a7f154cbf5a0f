//! Selects the resources of a document to show.

use wildmatch::WildMatch;

use crate::address_glob::AddressGlob;
use crate::ignore::IgnoredPath;
use objchange_document::changes::ChangedResource;
use objchange_document::changes::ResourceActions;

/// Selects the resources of a document; the default selects all.
///
/// Values of one kind (addresses, modules, types, actions) are alternatives; a resource must match one of each kind. An
/// address matches all instances if it has no key, and everything inside if it is a module.
///
/// ```
/// use objchange_document::changes::ResourceActions;
/// use objchange_plan::Filter;
///
/// let filter = Filter::default().address("module.net").without("*.aws_eip.*");
/// let matches = |address| filter.matches(address, "aws_vpc", ResourceActions::Create);
/// assert!(matches("module.net[0].aws_vpc.main") && !matches("module.net[0].aws_eip.main"));
/// assert!(!matches("aws_vpc.main"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Filter {
    addresses: Vec<AddressGlob>,
    without: Vec<AddressGlob>,
    modules: Vec<AddressGlob>,
    types: Vec<WildMatch>,
    actions: Vec<ResourceActions>,
    only_drift: bool,
    without_drift: bool,
    ignored: Vec<IgnoredPath>,
}

impl Filter {
    /// Adds resources whose address matches; `*` matches any text, `?` any character.
    #[must_use]
    pub fn address(mut self, glob: &str) -> Self {
        self.addresses.push(AddressGlob::new(glob));
        self
    }

    /// No resources whose address matches, as of [`Filter::address`].
    #[must_use]
    pub fn without(mut self, glob: &str) -> Self {
        self.without.push(AddressGlob::new(glob));
        self
    }

    /// Also resources in the module whose address matches, and in the modules inside.
    #[must_use]
    pub fn module(mut self, glob: &str) -> Self {
        self.modules.push(AddressGlob::new(glob));
        self
    }

    /// Also resources whose type matches.
    #[must_use]
    pub fn resource_type(mut self, glob: &str) -> Self {
        self.types.push(WildMatch::new(glob));
        self
    }

    /// Adds resources with one of these actions. Unknown actions match, too, because they may be among these.
    #[must_use]
    pub fn actions(mut self, actions: &[ResourceActions]) -> Self {
        self.actions.extend(actions);
        self
    }

    /// Nothing but what has changed outside of Terraform, also what does not matter to the plan.
    #[must_use]
    pub fn only_drift(mut self) -> Self {
        self.only_drift = true;
        self
    }

    /// Leaves out what has changed outside of Terraform.
    #[must_use]
    pub fn without_drift(mut self) -> Self {
        self.without_drift = true;
        self
    }

    /// Ignores values at this path, too: they are folded, and an update of ignored paths alone is no change.
    #[must_use]
    pub fn ignoring(mut self, path: IgnoredPath) -> Self {
        self.ignored.push(path);
        self
    }

    /// The paths that are ignored.
    pub fn ignored(&self) -> &[IgnoredPath] {
        &self.ignored
    }

    /// Whether drift is left out.
    pub fn is_without_drift(&self) -> bool {
        self.without_drift
    }

    /// Whether all resources are shown.
    pub fn is_all(&self) -> bool {
        self.addresses.is_empty()
            && self.without.is_empty()
            && self.modules.is_empty()
            && self.types.is_empty()
            && self.actions.is_empty()
            && !self.only_drift
    }

    /// Whether nothing but drift is shown.
    pub fn is_only_drift(&self) -> bool {
        self.only_drift
    }

    /// Whether a resource with this address, of this type and with these actions is shown, where it has drifted if only
    /// drift is shown.
    pub fn matches(&self, address: &str, resource_type: &str, actions: ResourceActions) -> bool {
        self.matches_place(address, resource_type)
            && (self.actions.is_empty()
                || self.actions.contains(&actions)
                // An unknown action may be any of them.
                || matches!(actions, ResourceActions::Unknown))
    }

    pub(super) fn matches_change(&self, resource: &ChangedResource<'_>) -> bool {
        self.matches(&resource.address, &resource.resource_type, resource.change.actions)
    }

    /// Whether an action with this address and type is shown, unless it belongs to a resource's change.
    pub(super) fn matches_action(&self, address: &str, action_type: &str) -> bool {
        self.matches_place(address, action_type) && self.actions.is_empty() && !self.only_drift
    }

    /// Whether a resource with this address and of this type is shown, whatever happens to it.
    pub fn matches_place(&self, address: &str, resource_type: &str) -> bool {
        let any = |patterns: &[AddressGlob]| patterns.iter().any(|pattern| pattern.matches(address));
        (self.addresses.is_empty() || any(&self.addresses))
            && !any(&self.without)
            && (self.modules.is_empty() || self.modules.iter().any(|module| module.contains(address)))
            && (self.types.is_empty() || self.types.iter().any(|glob| glob.matches(resource_type)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ADDRESSES: [&str; 10] = [
        "a.b",
        "a.b[0]",
        r#"a.b["x.y"]"#,
        "module.net.a.b",
        r#"module.net["k"].a.b[0]"#,
        r#"module.net["k"].module.sub[1].a.b"#,
        r#"module.net["l.m"].data.a.b"#,
        "module.network.a.b",
        "module.other.a.b",
        "data.a.b",
    ];

    #[test]
    fn an_address_names_instances_and_what_is_inside() {
        for (pattern, expected) in [
            ("a.b", &[0, 1, 2][..]),
            ("a.b[0]", &[1]),
            (r#"a.b["x.y"]"#, &[2]),
            ("module.net", &[3, 4, 5, 6]),
            (r#"module.net["k"]"#, &[4, 5]),
            (r#"module.net["*"]"#, &[4, 5, 6]),
            ("module.net.module.sub", &[5]),
            ("module.net.a.b", &[3, 4]),
            ("module.net.a", &[]),
            ("module", &[]),
            ("module.n*", &[3, 4, 5, 6, 7]),
            ("module.net*.a.b", &[3, 4, 5, 6, 7]),
            ("data.a.b", &[9]),
            ("*.b", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            ("*.net", &[]),
            ("", &[]),
        ] {
            let filter = Filter::default().address(pattern);
            let matched: Vec<usize> =
                (0..ADDRESSES.len()).filter(|i| filter.matches_place(ADDRESSES[*i], "a")).collect();
            assert_eq!(matched, expected, "{pattern}");
            let filter = Filter::default().without(pattern);
            let left = ADDRESSES.iter().filter(|address| filter.matches_place(address, "a")).count();
            assert_eq!(left, ADDRESSES.len() - expected.len(), "{pattern}");
        }
        let filter = Filter::default().module("module.net").resource_type("aws_*");
        assert!(filter.matches_place(ADDRESSES[5], "aws_vpc") && !filter.matches_place(ADDRESSES[5], "vpc"));
        assert!(!Filter::default().module("a.b").matches_place("a.b", "a"));
    }

    proptest! {
        #[test]
        fn what_a_glob_matches_it_still_matches(
            glob in r#"[a*?.\["\]\\m]{0,12}|module\.[a*]\.[a*b.]{0,4}"#,
            address in r#"[a.\["\]\\mé]{0,12}|module\.a\.[ab.]{1,4}"#,
        ) {
            let is_matched = Filter::default().address(&glob).matches_place(&address, "");
            prop_assert!(is_matched || !WildMatch::new(&glob).matches(&address));
            prop_assert!(Filter::default().address(&address.replace(['*', '?'], "")).matches_place(&address, ""));
        }
    }
}
