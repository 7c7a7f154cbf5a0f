//! Differences between the texts of versions of Terraform.

use objchange_document::Program;

/// Something that Terraform has not always shown as it does now.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Novelty {
    /// Actions that a plan invokes are shown and counted.
    ActionInvocations,
    /// In the line of counts, only the first word is coloured as a unit.
    CountsWithoutColour,
    /// A replacement that forgets the old object counts as added.
    CreateThenForgetAdds,
    /// An invocation of an action says its address, and who called it.
    InvocationAddress,
}

impl Novelty {
    /// The version that brought it.
    fn since(self) -> (u32, u32) {
        match self {
            Self::ActionInvocations | Self::CountsWithoutColour => (1, 14),
            Self::CreateThenForgetAdds | Self::InvocationAddress => (1, 16),
        }
    }

    /// Whether this program shows it so. OpenTofu has none of these changes of Terraform.
    pub(crate) fn is_in(self, program: Program) -> bool {
        match program {
            Program::Terraform(version) => version.parts() >= self.since(),
            Program::OpenTofu(_) => false,
        }
    }
}
