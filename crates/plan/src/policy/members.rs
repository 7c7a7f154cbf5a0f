//! Which parts of the input policies look at.

use std::collections::BTreeSet;

use regorus::unstable::{Module, Ref};

use super::names::{Beginning, Names, imports};
use super::syntax::{Reference, for_each, package};

/// What is looked at, by the first two keys. Building the rest would be in vain.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Somewhere the whole input is meant, or a part of it that is computed.
    all: bool,
    parts: BTreeSet<(String, Option<String>)>,
    /// `after_full` is mentioned.
    pub(super) full: bool,
}

impl Members {
    pub(super) fn of(modules: &[Ref<Module>], names: &Names) -> Self {
        let mut members = Self::default();
        for module in modules {
            let (package, imports) = (package(module), imports(module));
            members.full |= module.package.span.source.get_contents().contains("after_full");
            for rule in &module.policy {
                for_each(rule, &mut |expr| {
                    let Some(reference) = Reference::of(expr) else { return };
                    if let Beginning::Input(prefix) = names.beginning(&reference, &package, &imports) {
                        let mut keys = prefix.into_iter().chain(reference.keys().map(str::to_owned));
                        match keys.next() {
                            None => members.all = true,
                            Some(first) => _ = members.parts.insert((first, keys.next())),
                        }
                    }
                });
            }
        }
        members
    }

    /// Whether a member of the input is looked at.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all || self.parts.iter().any(|(first, _)| first == name)
    }

    /// Whether a member of a member is looked at.
    pub(super) fn has_part(&self, name: &str, part: &str) -> bool {
        self.all
            || self
                .parts
                .iter()
                .any(|(first, second)| first == name && second.as_ref().is_none_or(|second| second == part))
    }
}
