//! Lints: what is suspicious in policies, without a plan.

use objchange_rego::{RuleId, SourceFile, unused_imports};

use super::error::PolicyLocation;
use super::rules::title;
use super::{Policies, PolicyError, PolicyFile};

/// The kind of imports that nothing uses.
pub const UNUSED_IMPORT: &str = "unused-import";
/// The kind of rules that are neither evaluated nor used.
pub const UNUSED_RULE: &str = "unused-rule";

/// Something suspicious in a policy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Lint {
    /// Where it is.
    pub place: PolicyLocation,
    /// The kind, for reports: [`UNUSED_IMPORT`] or [`UNUSED_RULE`].
    pub kind: &'static str,
    /// A sentence about it.
    pub message: String,
}

impl Policies {
    /// Imports that nothing mentions, and rules that no rule which is evaluated leads to: it has another name than meant, or
    /// is left over. `files` are those that the policies were made of.
    ///
    /// # Errors
    ///
    /// One of the files is not Rego.
    pub fn lints(&self, files: &[PolicyFile]) -> Result<Vec<Lint>, PolicyError> {
        let mut lints = Vec::new();
        for file in files {
            let source = SourceFile { name: file.name.clone(), text: file.text.clone() };
            let unused = unused_imports(&source)
                .map_err(|errors| PolicyError::of_policies(&errors, &self.options.time()))?;
            lints.extend(unused.into_iter().map(|(name, location)| Lint {
                place: location.into(),
                kind: UNUSED_IMPORT,
                message: format!("the import {name} is not used"),
            }));
        }
        let program = &self.compiled.program;
        let evaluated = self.compiled.rules.iter().map(|rule| rule.id);
        let roots: Vec<RuleId> = evaluated.chain(self.compiled.exceptions.values().copied()).collect();
        let unused = program.unused_rules(&roots);
        for rule in program.rules().filter(|rule| unused.binary_search(&rule.id).is_ok()) {
            let Some(location) = rule.definitions.first() else { continue };
            lints.push(Lint {
                place: location.clone().into(),
                kind: UNUSED_RULE,
                message: format!("{} is neither evaluated nor used by a rule that is", title(rule.path)),
            });
        }
        lints.sort();
        Ok(lints)
    }
}
