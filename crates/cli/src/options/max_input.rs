//! The limit for everything that a command reads.

use crate::input::Size;

/// How large a document may be: a plan, a state, schemas, an object. Every command that reads one has this option.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct MaxInput {
    /// Maximum size of each input, e.g. `500M` or `4G`. Documents are held in memory; this guards against endless input
    #[arg(long = "max-input", value_name = "SIZE", default_value = "1G", help_heading = None)]
    pub(crate) size: Size,
}
