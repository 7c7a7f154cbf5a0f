//! The sources and provider versions that a plan was made from.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// The sources and provider versions that a plan was made from: those in its plan file, or in the directory that was planned.
/// Documents do not have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanOrigin {
    /// The hashes of configuration files by their paths: sources may hold secrets, and are large.
    pub(crate) sources: BTreeMap<String, [u8; 32]>,
    /// The versions of providers by the lock file, if there is one.
    pub(crate) providers: Option<BTreeMap<String, String>>,
}

impl PlanOrigin {
    /// These configuration files, by path and text, and these versions of providers, if a lock file says them.
    pub fn new<'s>(
        sources: impl IntoIterator<Item = (&'s str, &'s str)>,
        providers: Option<BTreeMap<String, String>>,
    ) -> Self {
        let sources = sources.into_iter();
        let sources = sources.map(|(path, text)| (path.to_owned(), Sha256::digest(text).into())).collect();
        Self { sources, providers }
    }
}
