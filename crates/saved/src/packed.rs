//! The plan in a plan file, for showing its changes: the values of a change are decoded when it is shown, and dropped then.

use std::ops::Range;
use std::sync::Arc;

use objchange::schema::Block;
use objchange::value::Path;
use objchange_module::document::{compare_changes, saved_change_set};
use objchange_module::plan::{Deferrals, ModulePlan, PlannedObject};
use objchange_module::{ProviderAddress, Schemas};
use objchange_plan::{
    ChangeSet, ChangeValues, ChangedResource, Facts, MadePlan, PackedValues, PlanMode, PlannedValues, Version,
};
use objchange_text::Notice;

use crate::decoded::{DecodedPlan, notices};
use crate::error::SavedPlanError;
use crate::message::{self, Content};
use crate::plan::SavedPlan;
use crate::reading::Reading;

/// The plan in a plan file, whose values are still to be decoded. It may hold secrets.
pub struct PackedPlan {
    file: SavedPlan,
    /// Without the values of changes.
    plan: ModulePlan,
    /// Where the changes are in the message, in the order of the plan.
    changes: Vec<Range<usize>>,
    drift: Vec<Range<usize>>,
    deferrals: Deferrals,
    schemas: Schemas,
    notices: Vec<Notice>,
}

impl std::fmt::Debug for PackedPlan {
    /// Without its values, which may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PackedPlan").field("mode", &self.file.header.mode).finish_non_exhaustive()
    }
}

impl PackedPlan {
    pub(crate) fn new(file: SavedPlan, schemas: &Schemas) -> Result<Self, SavedPlanError> {
        let version = file.header.terraform_version.as_str();
        let unread = file.snapshot.config(version).err();
        let of_version = schemas.clone().of_version(Version::parse(version).unwrap_or(Version::NEWEST));
        let Reading { mut plan, deferrals, lacks_marks, ranges: [changes, drift], .. } =
            Reading::new(&file, &of_version, true)?;
        file.header.add_to(&mut plan);
        let changes = sort(&mut plan.changes, changes);
        let drift = sort(&mut plan.drift, drift);
        let lacks_marks: Vec<String> = lacks_marks.iter().map(ProviderAddress::for_display).collect();
        let invokes = plan.invocations.len() + deferrals.invocations.len() > 0;
        let notices = notices(version, unread.as_ref(), &lacks_marks, invokes);
        Ok(Self { plan, changes, drift, deferrals, schemas: schemas.clone(), notices, file })
    }

    /// Notes and warnings about it.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }
}

/// Puts objects and their places into the order of documents.
fn sort(objects: &mut Vec<PlannedObject>, ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut pairs: Vec<_> = std::mem::take(objects).into_iter().zip(ranges).collect();
    pairs.sort_by(|(a, _), (b, _)| compare_changes(a, b));
    let (sorted, ranges) = pairs.into_iter().unzip();
    *objects = sorted;
    ranges
}

impl MadePlan for PackedPlan {
    fn changes(&self) -> ChangeSet<'_> {
        let mut set = saved_change_set(&self.plan, &self.deferrals);
        self.add_values(&mut set.resources, &self.plan.changes, &self.changes, false);
        self.add_values(&mut set.drift, &self.plan.drift, &self.drift, true);
        set
    }

    /// An empty text where something in the file cannot be read that showing its changes does not need: whatever decides by a
    /// document refuses that.
    fn document(&self) -> String {
        DecodedPlan::new(&self.file, &self.schemas).map(|plan| plan.document()).unwrap_or_default()
    }

    fn facts(&self) -> Facts {
        self.file.header.facts()
    }

    fn terraform_version(&self) -> &str {
        &self.file.header.terraform_version
    }

    fn mode(&self) -> PlanMode {
        self.file.header.mode
    }

    fn schemas(&self) -> Option<Arc<objchange_plan::Schemas>> {
        None
    }
}

impl PackedPlan {
    /// Gives changes, in the order of documents, their values.
    fn add_values<'p>(
        &'p self,
        resources: &mut [ChangedResource<'p>],
        objects: &'p [PlannedObject],
        ranges: &[Range<usize>],
        is_drift: bool,
    ) {
        for ((resource, object), range) in resources.iter_mut().zip(objects).zip(ranges) {
            let entry = self.file.message.get(range.clone()).unwrap_or_default();
            resource.change.values =
                ChangeValues::Packed(Arc::new(PackedChange { file: &self.file, object, entry, is_drift }));
        }
    }
}

/// The values of one change.
struct PackedChange<'p> {
    file: &'p SavedPlan,
    object: &'p PlannedObject,
    entry: &'p [u8],
    is_drift: bool,
}

impl PackedValues for PackedChange<'_> {
    fn schema(&self) -> Option<&Block> {
        self.object.schema.as_ref().map(|schema| &schema.block)
    }

    fn replaced_paths(&self) -> &[Path] {
        &self.object.replace_paths
    }

    fn unpack(&self) -> Result<PlannedValues, String> {
        let PlannedObject { action, reason, schema, provider, previous_address, .. } = self.object;
        let message: message::ResourceChange =
            message::decode(Content::Bytes(self.entry), "a change").map_err(|error| error.to_string())?;
        let change = message.change.unwrap_or_default();
        let has_moved = self.is_drift && previous_address.is_some();
        let hidden = self.file.hidden(schema.is_some(), *action, *reason, has_moved);
        let values = self.file.values(&change, *action, schema.as_deref(), hidden, &message.addr, provider);
        let (before, after) = values.map_err(|error| error.to_string())?;
        Ok(PlannedValues::new(self.schema(), &before, &after, self.object.replace_paths.clone()))
    }
}
