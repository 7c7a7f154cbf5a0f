//! The plan in a plan file, for showing its changes: the values of a change are decoded when it is shown, and dropped then.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use objchange::schema::{Block, Schema};
use objchange::value::Path;
use objchange_document::changes::{
    ChangeValues, ChangedResource, PackedSides, PackedValues, PlannedValues, ResourceActions, UnpackError,
};
use objchange_document::{ChangeSet, Facts, MadePlan, PlanMode, Text, Version};
use objchange_module::document::{changed_resource, compare_instances, saved_change_set};
use objchange_module::plan::{ActionReason, Deferrals, ModulePlan, PlannedAction};
use objchange_module::{ProviderAddress, Schemas};
use objchange_text::Notice;

use crate::decoded::{DecodedPlan, notices};
use crate::error::SavedPlanError;
use crate::message::{self, Content, each_field};
use crate::plan::SavedPlan;
use crate::reading::{PackedObject, Reading, provider};

/// The plan in a plan file, whose changes are still to be decoded. It may hold secrets.
pub struct PackedPlan {
    file: SavedPlan,
    /// Without its changes and drift.
    plan: ModulePlan,
    /// In the order of documents.
    changes: Vec<Entry>,
    drift: Vec<Entry>,
    deferrals: Deferrals,
    schemas: Schemas,
    /// As they are in the version of Terraform that made the plan.
    of_version: Schemas,
    notices: Vec<Notice>,
}

/// Where a change is in the message, and the schema of its values.
struct Entry {
    range: Range<usize>,
    schema: Option<Arc<Schema>>,
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
        let Reading { mut plan, deferrals, lacks_marks, packed, .. } =
            Reading::new(&file, &of_version, true)?;
        file.header.add_to(&mut plan);
        let [changes, drift] = packed.unwrap_or_default().map(in_order);
        let lacks_marks: Vec<String> = lacks_marks.iter().map(ProviderAddress::for_display).collect();
        let invokes = plan.invocations.len() + deferrals.invocations.len() > 0;
        let notices = notices(version, unread.as_ref(), &lacks_marks, invokes);
        Ok(Self { plan, changes, drift, deferrals, schemas: schemas.clone(), of_version, notices, file })
    }

    /// Notes and warnings about it.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }
}

/// The places of changes, in the order of documents.
fn in_order(mut objects: Vec<PackedObject>) -> Vec<Entry> {
    objects.sort_by(|a, b| compare_instances(&a.address, &b.address).then_with(|| a.deposed.cmp(&b.deposed)));
    // `collect` would keep the room of the objects.
    let mut entries = Vec::with_capacity(objects.len());
    entries.extend(objects.into_iter().map(|PackedObject { range, schema, .. }| Entry { range, schema }));
    entries
}

impl MadePlan for PackedPlan {
    fn changes(&self) -> ChangeSet<'_> {
        let mut set = saved_change_set(&self.plan, &self.deferrals);
        set.resources = self.resources(&self.changes, false);
        set.drift = self.resources(&self.drift, true);
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

    fn workspace(&self) -> Option<&str> {
        self.file.header.workspace.as_deref()
    }

    fn schemas(&self) -> Option<Arc<objchange_document::Schemas>> {
        None
    }
}

impl PackedPlan {
    fn resources<'p>(&'p self, entries: &'p [Entry], is_drift: bool) -> Vec<ChangedResource<'p>> {
        let mut reading = Reading::start(&self.file, &self.of_version, true);
        let resource = |entry: &'p Entry| {
            let bytes = self.file.message.get(entry.range.clone()).unwrap_or_default();
            // All of them were read when the plan was made. If one cannot be read again, it has no action that is known.
            let Ok(Some(object)) = reading.change(Content::Bytes(bytes), is_drift) else { return unread() };
            let texts = Texts::of(bytes);
            let values = PackedChange {
                file: &self.file,
                schema: entry.schema.as_deref(),
                entry: bytes,
                action: object.action,
                reason: object.reason,
                has_moved: is_drift && object.previous_address.is_some(),
                replace_paths: object.replace_paths.clone(),
            };
            let plain = values.plain();
            changed_resource(&object, ChangeValues::Packed { plain, values: Arc::new(values) }, &|text| {
                texts.keep(text)
            })
        };
        entries.iter().map(resource).collect()
    }
}

/// The texts of a change, in the message.
#[derive(Default)]
struct Texts<'p>([&'p str; 3]);

impl<'p> Texts<'p> {
    /// Its address, the one before a move, and the provider.
    fn of(entry: &'p [u8]) -> Self {
        let field =
            |number| only(entry, number).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
        Self([field(13), field(14), field(8)])
    }

    /// A text, borrowed from them if it is a part of one: names and keys are parts of addresses.
    fn keep(&self, text: Cow<'_, str>) -> Text<'p> {
        let part = self.0.iter().find_map(|whole| {
            let at = memmem::find(whole.as_bytes(), text.as_bytes())?;
            whole.get(at..at + text.len())
        });
        part.map_or_else(|| Text::from(text.into_owned()), Text::from)
    }
}

fn unread() -> ChangedResource<'static> {
    let mut resource = ChangedResource::default();
    resource.change.actions = ResourceActions::Unknown;
    resource
}

/// The values of one change.
struct PackedChange<'p> {
    file: &'p SavedPlan,
    schema: Option<&'p Schema>,
    entry: &'p [u8],
    action: PlannedAction,
    reason: Option<ActionReason>,
    /// Drift of an object that had another address.
    has_moved: bool,
    replace_paths: Vec<Path>,
}

impl<'p> PackedChange<'p> {
    /// Both sides, if nothing in them is sensitive or forces a replacement.
    fn plain(&self) -> Option<PackedSides<'p>> {
        let block = &self.schema?.block;
        if block.has_secrets() || !self.replace_paths.is_empty() {
            return None;
        }
        let (before, after) = match (self.action, &plain_values(self.entry)?[..]) {
            (PlannedAction::NoOp, [value]) => (Some(*value), Some(*value)),
            (PlannedAction::Create, [after]) => (None, Some(*after)),
            (PlannedAction::Delete | PlannedAction::Forget, [before]) => (Some(*before), None),
            (PlannedAction::Read | PlannedAction::Update, [before, after]) => (Some(*before), Some(*after)),
            (
                PlannedAction::DeleteThenCreate
                | PlannedAction::CreateThenDelete
                | PlannedAction::CreateThenForget,
                [before, after],
            ) => (Some(*before), Some(*after)),
            _ => return None,
        };
        Some(PackedSides { before, after, ty: block.implied_type(), types: &self.file.types })
    }
}

impl PackedValues for PackedChange<'_> {
    fn schema(&self) -> Option<&Block> {
        self.schema.map(|schema| &schema.block)
    }

    fn replaced_paths(&self) -> &[Path] {
        &self.replace_paths
    }

    fn unpack(&self) -> Result<PlannedValues, UnpackError> {
        let Self { file, schema, action, reason, has_moved, .. } = *self;
        let unpacked = || {
            let message: message::ResourceChange = message::decode(Content::Bytes(self.entry), "a change")?;
            let change = message.change.unwrap_or_default();
            let provider = provider(&message.provider, &message.addr)?;
            let hidden = file.hidden(schema.is_some(), action, reason, has_moved);
            file.values(&change, action, schema, hidden, &message.addr, &provider)
        };
        let (before, after) =
            unpacked().map_err(|error: SavedPlanError| UnpackError::new(error.to_string()))?;
        Ok(PlannedValues::new(self.schema(), &before, &after, self.replace_paths.clone()))
    }
}

/// The values of a change in MessagePack, if nothing in them is sensitive.
fn plain_values(entry: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut values, mut is_plain) = (Vec::with_capacity(2), true);
    let change = only(entry, 9)?;
    each_field(change, |number, content| {
        match (number, content) {
            (2, Content::Bytes(value)) => values.push(only(value, 1)),
            (3 | 4, _) => is_plain = false,
            _ => {}
        }
        Ok(())
    })
    .ok()?;
    if is_plain { values.into_iter().collect() } else { None }
}

/// The bytes of a field that a message has once.
fn only(message: &[u8], wanted: u32) -> Option<&[u8]> {
    let (mut found, mut is_only) = (None, true);
    each_field(message, |number, content| {
        if let (true, Content::Bytes(bytes)) = (number == wanted, content) {
            is_only = found.replace(bytes).is_none();
        }
        Ok(())
    })
    .ok()?;
    found.filter(|_| is_only)
}
