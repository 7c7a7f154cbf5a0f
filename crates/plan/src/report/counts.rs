//! Counts of things by kind: made once, for the text, the summary, JSON and gates.

use serde::{Deserialize, Serialize};

use super::Summary;
use super::header::previous_address;
use crate::novelty::Novelty;
use objchange_document::Program;
use objchange_document::changes::ChangedResource;
use objchange_document::changes::ResourceActions;

/// Counts of all selected changes by kind, shown or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Counts {
    /// Resources that are created.
    pub create: usize,
    /// Data sources that are read during apply.
    pub read: usize,
    /// Resources that are updated in-place.
    pub update: usize,
    /// Resources that are replaced, also where the old object is kept.
    pub replace: usize,
    /// Replaced resources whose old object is forgotten after the new one is created.
    pub create_then_forget: usize,
    /// Replaced resources whose old object is forgotten before the new one is created.
    pub forget_then_create: usize,
    /// Resources that are destroyed, and not created again.
    pub delete: usize,
    /// Resources that are no longer managed, and neither destroyed nor replaced.
    pub forget: usize,
    /// Resources that have another address, whatever else happens to them.
    pub r#move: usize,
    /// Resources that are imported, whatever else happens to them.
    pub import: usize,
    /// Resources with unknown actions.
    pub unknown: usize,
    /// Resources whose change is left to the next plan.
    pub defer: usize,
    /// Actions that are invoked.
    pub invoke: usize,
    /// Outputs that change.
    pub outputs: usize,
    /// Resources that have changed outside of Terraform, whether that matters to the plan or not.
    pub drift: usize,
    /// Resources of a state.
    pub resources: usize,
}

impl Counts {
    /// Those of resources that change, move or are imported.
    pub(super) fn from_changes<'r, 't: 'r>(
        changes: impl IntoIterator<Item = &'r ChangedResource<'t>>,
    ) -> Self {
        let mut counts = Self::default();
        changes.into_iter().for_each(|resource| counts.add(resource));
        counts
    }

    fn add(&mut self, resource: &ChangedResource<'_>) {
        match resource.change.actions {
            ResourceActions::NoOp => {}
            ResourceActions::Create => self.create += 1,
            ResourceActions::Read => self.read += 1,
            ResourceActions::Update => self.update += 1,
            ResourceActions::Delete => self.delete += 1,
            ResourceActions::Forget => self.forget += 1,
            ResourceActions::Unknown => self.unknown += 1,
            ResourceActions::DeleteThenCreate | ResourceActions::CreateThenDelete => self.replace += 1,
            ResourceActions::CreateThenForget => {
                self.replace += 1;
                self.create_then_forget += 1;
            }
            ResourceActions::ForgetThenCreate => {
                self.replace += 1;
                self.forget_then_create += 1;
            }
        }
        self.r#move += usize::from(previous_address(resource).is_some());
        self.import += usize::from(resource.change.importing.is_some());
    }

    /// Whether applying the plan would do anything. Drift does not count.
    pub fn is_change(&self) -> bool {
        let Self { create, read, update, replace, delete, forget, r#move, import, unknown, .. } = *self;
        create + read + update + replace + delete + forget + r#move + import + unknown > 0
            || self.defer + self.invoke + self.outputs > 0
    }

    /// The counts as the program prints them: a replacement counts as added and destroyed.
    pub(super) fn summary(&self, program: Program, of_selection: bool) -> Summary {
        // `terraform show` counts a replacement as one to add and one to destroy, unless the old object is kept.
        let both = self.replace - self.create_then_forget - self.forget_then_create;
        let kept = match program {
            Program::OpenTofu(_) => self.forget_then_create,
            // Before Terraform 1.16 an object that is created while another one is forgotten counted nowhere.
            _ if Novelty::CreateThenForgetAdds.is_in(program) => self.create_then_forget,
            Program::Terraform(_) => 0,
        };
        let forgotten = self.forget + self.forget_then_create;
        Summary {
            import: self.import,
            add: self.create + both + kept,
            change: self.update,
            destroy: self.delete + both,
            // Only OpenTofu's line of counts names forgotten objects.
            forget: if program.is_opentofu() { forgotten } else { 0 },
            invoke: self.invoke,
            of_selection,
        }
    }
}
