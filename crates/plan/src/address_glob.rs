//! Globs of addresses.

use objchange::address::{AddressStep, steps, strip_keys};
use wildmatch::WildMatch;

/// The pattern of an address.
#[derive(Debug, Clone)]
pub(crate) struct AddressGlob {
    whole: WildMatch,
    /// It names a key: any may be in the address where it names none at all.
    has_keys: bool,
    /// It can be the address of a module.
    is_module: bool,
    /// The pattern by steps: each name, with the key in brackets if it has one.
    steps: Vec<(WildMatch, Option<WildMatch>)>,
}

impl AddressGlob {
    pub(crate) fn new(glob: &str) -> Self {
        let step = |step: &AddressStep<'_>| {
            (WildMatch::new(step.name), (!step.key.is_empty()).then(|| WildMatch::new(step.key)))
        };
        let parts: Vec<_> = steps(glob).collect();
        // No glob matches `module` here: `*.main` is a resource of this name, not everything in a module of it.
        let is_module = parts.len().is_multiple_of(2)
            && parts.iter().step_by(2).all(|part| part.name == "module" && part.key.is_empty());
        Self {
            whole: WildMatch::new(glob),
            has_keys: parts.iter().any(|part| !part.key.is_empty()),
            is_module,
            steps: parts.iter().map(step).collect(),
        }
    }

    /// Whether it is the address of this, of all its instances, or of a module around it.
    pub(crate) fn matches(&self, address: &str) -> bool {
        self.whole.matches(address)
            // A pattern without keys means all instances.
            || (!self.has_keys && address.contains('[') && self.whole.matches(&strip_keys(address)))
            || self.rest(address).is_some_and(|rest| rest == 0 || self.is_module)
    }

    /// Whether it is the address of a module around this.
    pub(crate) fn contains(&self, address: &str) -> bool {
        self.is_module && self.rest(address).is_some_and(|rest| rest > 0)
    }

    /// How many steps of the address follow those with which it begins, if they are these.
    fn rest(&self, address: &str) -> Option<usize> {
        let mut rest = steps(address);
        for (name, key) in &self.steps {
            let step = rest.next()?;
            if !name.matches(step.name) || key.as_ref().is_some_and(|key| !key.matches(step.key)) {
                return None;
            }
        }
        Some(rest.count())
    }
}
