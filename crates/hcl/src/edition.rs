//! Versions of the language.

/// A version of the language: that of Terraform 1 with this minor version.
///
/// Names that came later are refused with the older version's message for unknown names. The names were found with a module
/// for each, run by Terraform 1.6 to 1.15.
///
/// ```
/// use objchange_hcl::{Edition, ModuleConfig, Sources};
///
/// let mut sources = Sources::default();
/// sources.add("main.tf", "variable \"token\" {\n  ephemeral = true\n}\n").unwrap();
/// let (_, problems) = ModuleConfig::read_files(&sources, 0..1, Edition(9));
/// assert_eq!(problems.errors[0].summary, "Unsupported argument");
/// let (_, problems) = ModuleConfig::read_files(&sources, 0..1, Edition(10));
/// assert!(problems.errors.is_empty());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edition(pub u32);

impl Edition {
    /// OpenTofu: its own names are known, and those of Terraform.
    pub const OPENTOFU: Self = Self(1_000_000);
    /// Every name of Terraform is known.
    pub const NEWEST: Self = Self(u32::MAX);
}

impl Edition {
    /// Whether it is the language of OpenTofu.
    pub(crate) fn is_opentofu(self) -> bool {
        self == Self::OPENTOFU
    }
}

impl Default for Edition {
    fn default() -> Self {
        Self::NEWEST
    }
}
