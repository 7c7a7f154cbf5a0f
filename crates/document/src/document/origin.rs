//! The sources and provider versions that a plan was made from.

use std::collections::BTreeMap;

use objchange::address::strip_keys;
use sha2::{Digest, Sha256};

/// The sources and provider versions that a plan was made from: those in its plan file, or in the directory that was planned.
/// Documents do not have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanOrigin {
    /// The hashes of configuration files by their paths: sources may hold secrets, and are large.
    pub sources: BTreeMap<String, [u8; 32]>,
    /// The versions of providers by the lock file, if there is one.
    pub providers: Option<BTreeMap<String, String>>,
    /// The blocks of resources, by their addresses in the configuration.
    blocks: BTreeMap<String, BlockPlace>,
}

/// Where a block of the configuration begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockPlace {
    /// The path of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl PlanOrigin {
    /// These configuration files, by path and text, and these versions of providers, if a lock file says them.
    pub fn new<'s>(
        sources: impl IntoIterator<Item = (&'s str, &'s str)>,
        providers: Option<BTreeMap<String, String>>,
    ) -> Self {
        let sources = sources.into_iter();
        let sources = sources.map(|(path, text)| (path.to_owned(), Sha256::digest(text).into())).collect();
        Self { sources, providers, blocks: BTreeMap::new() }
    }

    /// With the blocks of resources, by their addresses in the configuration, which have no keys: `module.net.aws_vpc.main`.
    #[must_use]
    pub fn with_blocks(self, blocks: BTreeMap<String, BlockPlace>) -> Self {
        Self { blocks, ..self }
    }

    /// The block of the resource with this address, which may have keys.
    ///
    /// ```
    /// use objchange_document::{BlockPlace, PlanOrigin};
    ///
    /// let place = BlockPlace { file: "net/main.tf".to_owned(), line: 3 };
    /// let blocks = [("module.net.aws_vpc.main".to_owned(), place.clone())];
    /// let origin = PlanOrigin::new([], None).with_blocks(blocks.into());
    /// assert_eq!(origin.block("module.net[\"eu\"].aws_vpc.main[0]"), Some(&place));
    /// assert_eq!(origin.block("aws_vpc.main"), None);
    /// ```
    pub fn block(&self, address: &str) -> Option<&BlockPlace> {
        self.blocks.get(&*strip_keys(address))
    }
}
