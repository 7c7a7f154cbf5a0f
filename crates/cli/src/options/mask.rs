//! Options for values that are hidden by their names.

use objchange_plan::{MaskedName, MaskedNames};

/// Which values to hide by their names, for commands that read plans and states.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct MaskArgs {
    /// Treat values of this name as sensitive, e.g. `*password*`: attributes, keys of maps, outputs, variables, values beside
    /// such a `name` or `key`, and texts with lines such as `password: x` or JSON. Upper and lower case are alike. Can be
    /// repeated
    #[arg(long, value_name = "NAME-GLOB")]
    mask: Vec<MaskedName>,
}

impl MaskArgs {
    /// No names.
    pub(crate) const NONE: &'static Self = &Self { mask: Vec::new() };

    /// The names as the library takes them.
    pub(crate) fn names(&self) -> MaskedNames {
        MaskedNames::new(self.mask.iter().cloned())
    }
}
