//! Options for the object to plan.

use std::path::{Path, PathBuf};

use objchange_project::resource::{IgnoredChange, ResourceInputs};

use crate::configuration::GivenArgs;
use crate::options::MaxInput;

/// The object to plan.
#[derive(Debug, clap::Args)]
pub(crate) struct SubjectArgs {
    /// The resource type, e.g. `aws_instance`; not needed for a configuration block
    #[arg(long = "type", value_name = "TYPE")]
    resource_type: Option<String>,

    /// The current object, or a state to take it from: a state file or the output of `terraform show -json`. Without it
    /// the object is new
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,

    /// The object's address in the state, e.g. `module.web["a"].aws_instance.this[0]`
    #[arg(long, value_name = "ADDRESS", requires = "prior")]
    address: Option<String>,

    /// The desired object (`null` destroys it), or a resource block in a configuration file or module directory, e.g.
    /// `main.tf:aws_instance.web["a"]`
    #[arg(long, value_name = "FILE|FILE.tf[:ADDRESS]|DIR[:ADDRESS]")]
    config: PathBuf,

    #[command(flatten)]
    given: GivenArgs,

    /// Ignore changes to this path, e.g. `tags["Name"]`, or `all`; can be repeated
    #[arg(long, value_name = "PATH")]
    ignore_changes: Vec<IgnoredChange>,

    /// Replace the object even if nothing requires it
    #[arg(long)]
    replace: bool,

    /// When replacing, create the new object before destroying the old one
    #[arg(long)]
    create_before_destroy: bool,

    /// Print JSON (schema/plan-report.schema.json)
    #[arg(long)]
    pub(crate) json: bool,
}

impl SubjectArgs {
    /// The desired object, or a configuration.
    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    /// The inputs as the library takes them.
    pub(crate) fn inputs(&self, max_input: MaxInput) -> ResourceInputs<'_> {
        ResourceInputs {
            resource_type: self.resource_type.as_deref(),
            prior: self.prior.as_deref(),
            address: self.address.as_deref(),
            max_input: max_input.size,
            config: &self.config,
            given: self.given.given(),
            ignore_changes: &self.ignore_changes,
            replace: self.replace,
            create_before_destroy: self.create_before_destroy,
        }
    }
}
