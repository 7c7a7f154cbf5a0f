//! Options for values that are hidden by their names.

use std::sync::OnceLock;

use objchange_document::{MaskedName, MaskedNames};

use crate::exit;

/// Which values to hide by their names, for commands that read plans and states.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct MaskArgs {
    /// Treat values of this name as sensitive, e.g. `*password*`: attributes, keys of maps, outputs, variables, values beside
    /// such a `name` or `key`, and texts with lines such as `password: x` or JSON. Upper and lower case are alike. Can be
    /// repeated
    #[arg(long, value_name = "NAME-GLOB")]
    mask: Vec<MaskedName>,

    #[arg(skip)]
    names: OnceLock<MaskedNames>,
}

/// No names.
static NONE: MaskArgs = MaskArgs { mask: Vec::new(), names: OnceLock::new() };

impl MaskArgs {
    /// No names.
    pub(crate) fn none() -> &'static Self {
        &NONE
    }

    /// The names as the library takes them.
    pub(crate) fn names(&self) -> MaskedNames {
        self.names.get_or_init(|| MaskedNames::new(self.mask.iter().cloned())).clone()
    }

    /// Names the globs that have hidden nothing. A misspelt one would show secrets without a word.
    pub(crate) fn note_unused(&self) {
        self.names().unused().for_each(|name| exit::note(&format!("--mask {name} hides nothing here")));
    }
}
