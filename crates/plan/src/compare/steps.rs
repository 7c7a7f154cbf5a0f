//! The steps of a plan: the one reading of a set of changes that comparisons and hashes share.

use std::borrow::Cow;

use objchange::schema::{Block, SchemaDocumentError};

use super::address_map::Maps;
use super::comparison::{PlannedStep, StepActions};
use super::error::{CompareError, ComparedPlan};
use super::shown::Hidden;
use crate::canonical::{Canonical, CanonicalWriter, SchemaPart, Side, write_text};
use crate::ignore::IgnoredPaths;
use crate::ignored_update::IgnoredUpdates;
use crate::report::{is_shown, previous_address};
use crate::walk::Sides;
use objchange_document::ChangeSet;
use objchange_document::DocumentError;
use objchange_document::Text;
use objchange_document::changes::{ActionInvocation, InvokedConfig, ResourceActions};
use objchange_document::changes::{ChangeValues, ChangedResource, Importing, OutputChange, ValueChange};
use objchange_document::json::{Json, Raw, View, fitted_marks, marks_or_all};
use objchange_document::{Schemas, StatedMarks};

/// The kind of object that a step changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Group {
    Resource,
    Output,
    Invocation,
    Drift,
}

/// One thing that a plan does, or a resource that it knows and leaves as it is.
pub(super) struct PlanStep<'c, 't> {
    pub(super) group: Group,
    /// The address in the second plan, if addresses are mapped.
    pub(super) address: Text<'t>,
    /// The address before a move, in the same way.
    pub(super) previous: Option<Text<'t>>,
    /// Tells it from other steps of the address: the key of a deposed object, or the trigger of an action.
    pub(super) key: Vec<Text<'t>>,
    /// It does something.
    pub(super) is_done: bool,
    /// It updates ignored paths alone, and so counts as nothing that is done.
    pub(super) is_ignored: bool,
    source: Source<'c, 't>,
}

#[derive(Clone, Copy)]
enum Source<'c, 't> {
    Resource { resource: &'c ChangedResource<'t>, is_deferred: bool },
    Output(&'c OutputChange<'t>),
    Invocation { invocation: &'c ActionInvocation<'t>, is_deferred: bool },
}

/// All steps of a plan by what they are about, their addresses and keys; each of these is there once.
pub(super) fn steps<'c, 't>(
    changes: &'c ChangeSet<'t>,
    plan: ComparedPlan,
    maps: &Maps<'_>,
    schemas: &Schemas,
    ignored: &IgnoredPaths,
) -> Result<Vec<PlanStep<'c, 't>>, CompareError> {
    if changes.errored {
        return Err(CompareError::Errored { plan });
    }
    let updates = IgnoredUpdates::new(changes, ignored);
    let mut steps = Vec::with_capacity(changes.resources.len());
    steps.extend(
        changes.resources.iter().filter_map(|one| PlanStep::resource(one, Group::Resource, false, maps)),
    );
    leave_out_ignored(&mut steps, plan, schemas, &updates)?;
    // Without other changes, applying the plan records the drift.
    if !steps.iter().any(|step| step.is_done) {
        steps.extend(
            changes.drift.iter().filter_map(|one| PlanStep::resource(one, Group::Drift, false, maps)),
        );
        leave_out_ignored(&mut steps, plan, schemas, &updates)?;
    }
    let deferred = changes.deferred.iter();
    steps.extend(deferred.filter_map(|one| PlanStep::resource(&one.resource, Group::Resource, true, maps)));
    let outputs = steps.len();
    steps.extend(changes.outputs.iter().map(PlanStep::output));
    leave_out_ignored(&mut steps[outputs..], plan, schemas, &updates)?;
    steps.extend(changes.invocations.iter().map(|one| PlanStep::invocation(one, false, maps)));
    let deferred = changes.deferred_invocations.iter();
    steps.extend(deferred.map(|one| PlanStep::invocation(&one.invocation, true, maps)));
    steps.sort_by(|a, b| a.order().cmp(&b.order()));
    for step in &steps {
        if matches!(step.actions(), StepActions::Change(ResourceActions::Unknown)) {
            return Err(CompareError::UnknownActions { plan, address: step.own_address().to_string() });
        }
    }
    // Which of them belongs to a step of the other plan could not be told.
    if let Some(two) = steps.windows(2).find(|two| two[0].order() == two[1].order()) {
        return Err(CompareError::Twice { plan, address: two[0].own_address().to_string() });
    }
    Ok(steps)
}

/// Marks the steps that update ignored paths alone as nothing that is done.
fn leave_out_ignored(
    steps: &mut [PlanStep<'_, '_>],
    plan: ComparedPlan,
    schemas: &Schemas,
    updates: &IgnoredUpdates<'_>,
) -> Result<(), CompareError> {
    // Otherwise each step would look for its schema.
    if updates.is_none() {
        return Ok(());
    }
    for step in steps.iter_mut().filter(|step| step.is_done) {
        let is_ignored = match step.source {
            Source::Resource { resource, is_deferred: false } => {
                let addresses = [&*resource.address, &*step.address];
                updates.has_resource(resource, schemas.of_change(resource)?, &addresses)
            }
            Source::Output(output) => updates.has_output(output),
            Source::Resource { .. } | Source::Invocation { .. } => continue,
        };
        step.is_ignored = is_ignored.map_err(|error| CompareError::Document { plan, error })?;
        step.is_done = !step.is_ignored;
    }
    Ok(())
}

impl<'c, 't> PlanStep<'c, 't> {
    /// None if it is neither something that is done nor a resource that stays as it is.
    pub(super) fn resource(
        resource: &'c ChangedResource<'t>,
        group: Group,
        is_deferred: bool,
        maps: &Maps<'_>,
    ) -> Option<Self> {
        let is_done = is_shown(resource) || is_deferred;
        if !is_done && resource.change.actions != ResourceActions::NoOp {
            return None;
        }
        Some(Self {
            group,
            address: maps.apply(&resource.address),
            previous: previous_address(resource).map(|previous| maps.apply(previous)),
            key: resource.deposed.iter().cloned().collect(),
            is_done,
            is_ignored: false,
            source: Source::Resource { resource, is_deferred },
        })
    }

    pub(super) fn output(output: &'c OutputChange<'t>) -> Self {
        Self {
            group: Group::Output,
            address: output.name.clone(),
            previous: None,
            key: Vec::new(),
            is_done: output.change.actions != ResourceActions::NoOp,
            is_ignored: false,
            source: Source::Output(output),
        }
    }

    pub(super) fn invocation(
        invocation: &'c ActionInvocation<'t>,
        is_deferred: bool,
        maps: &Maps<'_>,
    ) -> Self {
        let key = match (&invocation.trigger, &invocation.invoked) {
            (Some(trigger), _) => {
                // One resource may trigger an action by several blocks, at several places of each.
                let place = format!("{}.{}", trigger.block_index, trigger.list_index);
                vec![maps.apply(&trigger.resource_address), trigger.event.clone(), Text::from(place)]
            }
            (None, Some(Some(caller))) => vec![maps.apply(caller)],
            (None, _) => Vec::new(),
        };
        Self {
            group: Group::Invocation,
            address: maps.apply(&invocation.address),
            previous: None,
            key,
            is_done: true,
            is_ignored: false,
            source: Source::Invocation { invocation, is_deferred },
        }
    }

    /// The sort key of steps, which also pairs those of two plans. It includes deferral, because a deferred step may
    /// have the address of one that is applied.
    pub(super) fn order(&self) -> (Group, &str, &[Text<'t>], bool) {
        (self.group, &self.address, &self.key, self.is_deferred())
    }

    fn is_deferred(&self) -> bool {
        matches!(
            self.source,
            Source::Resource { is_deferred: true, .. } | Source::Invocation { is_deferred: true, .. }
        )
    }

    /// The addresses by which ignored paths name it: that of its plan, and the one it is mapped to. Outputs have none.
    fn addresses(&self) -> Vec<&str> {
        match self.source {
            Source::Output(_) => Vec::new(),
            Source::Resource { .. } | Source::Invocation { .. } => vec![self.own_address(), &self.address],
        }
    }

    /// The address as it is in this plan.
    pub(super) fn own_address(&self) -> &Text<'t> {
        match self.source {
            Source::Resource { resource, .. } => &resource.address,
            Source::Output(output) => &output.name,
            Source::Invocation { invocation, .. } => &invocation.address,
        }
    }

    fn actions(&self) -> StepActions {
        match self.change() {
            Some(change) => StepActions::Change(change.actions),
            None => StepActions::Invoke,
        }
    }

    fn change(&self) -> Option<&'c ValueChange<'t>> {
        match self.source {
            Source::Resource { resource, .. } => Some(&resource.change),
            Source::Output(output) => Some(&output.change),
            Source::Invocation { .. } => None,
        }
    }

    fn importing(&self) -> Option<&'c Importing<'t>> {
        self.change()?.importing.as_ref()
    }

    fn provider(&self) -> &str {
        match self.source {
            Source::Resource { resource, .. } => &resource.provider_name,
            Source::Output(_) => "",
            Source::Invocation { invocation, .. } => &invocation.provider_name,
        }
    }

    /// The step without its values.
    pub(super) fn planned(&self) -> PlannedStep<'t> {
        let (deposed, previous_address, provider, trigger) = match self.source {
            Source::Resource { resource, .. } => (
                resource.deposed.clone(),
                previous_address(resource).cloned(),
                Some(resource.provider_name.clone()),
                None,
            ),
            Source::Output(_) => (None, None, None, None),
            Source::Invocation { invocation, .. } => {
                let trigger = match (&invocation.trigger, &invocation.invoked) {
                    (Some(trigger), _) => Some((trigger.resource_address.clone(), trigger.event.clone())),
                    (None, Some(Some(caller))) => Some((caller.clone(), Text::default())),
                    (None, _) => None,
                };
                (None, None, Some(invocation.provider_name.clone()), trigger)
            }
        };
        PlannedStep {
            address: self.own_address().clone(),
            deposed,
            previous_address,
            actions: self.actions(),
            is_deferred: self.is_deferred(),
            importing: self.importing().cloned(),
            provider: provider.filter(|name| !name.is_empty()),
            trigger,
        }
    }

    /// The bytes of everything except import and values; equal for equal changes.
    pub(super) fn header(&self) -> Vec<u8> {
        let mut bytes = vec![self.group as u8, u8::from(self.is_deferred())];
        write_text(&self.address, &mut bytes);
        write_texts(self.key.iter().map(Text::as_str), &mut bytes);
        write_texts(self.previous.iter().map(Text::as_str), &mut bytes);
        write_text(self.provider(), &mut bytes);
        match self.actions() {
            StepActions::Change(actions) => write_texts(actions.words().iter().copied(), &mut bytes),
            StepActions::Invoke => write_texts(std::iter::once("invoke"), &mut bytes),
        }
        bytes
    }

    /// The bytes of what is imported.
    pub(super) fn import(&self, writer: &mut CanonicalWriter<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(importing) = self.importing() {
            bytes.push(1);
            write_texts(importing.id.iter().map(Text::as_str), &mut bytes);
            if let Some(identity) = importing.whole_identity() {
                match Json::parse(identity) {
                    Ok(json) => {
                        let (value, nothing) = (json.view(), json.view().bool(false));
                        let sensitive = value.bool(self.is_masked(identity));
                        let side = Side { value, unknown: nothing, sensitive };
                        bytes.extend_from_slice(
                            writer
                                .side(
                                    side,
                                    SchemaPart::Unknown,
                                    &self.addresses(),
                                    &["importing", "identity"],
                                )
                                .bytes(),
                        );
                    }
                    Err(_) => write_text(identity, &mut bytes),
                }
            }
        }
        bytes
    }

    /// Whether an identity has values of masked names. It is sensitive as a whole then.
    fn is_masked(&self, identity: &str) -> bool {
        let names = self.change().map(|change| &change.masked_names);
        names.is_some_and(|names| matches!(names.hiding(identity), Cow::Owned(_)))
    }

    /// Whether it is not known yet what is imported.
    pub(super) fn is_import_unknown(&self) -> bool {
        self.importing().is_some_and(|importing| importing.id.is_none() && importing.identity.is_none())
    }

    /// The marks that the sections of its plan have for its values.
    pub(super) fn stated<'s>(&self, marks: &'s StatedMarks<'t>) -> Option<View<'s, 't>> {
        match self.source {
            Source::Resource { resource, .. } => marks.view(&resource.address),
            Source::Output(output) => marks.output_view(&output.name),
            Source::Invocation { .. } => None,
        }
    }

    /// Whether its values are compared: a no-op's are not.
    pub(super) fn has_values(&self) -> bool {
        self.actions() != StepActions::Change(ResourceActions::NoOp)
    }

    /// Whether the values of two steps have equal JSON, so that they need not be read.
    pub(super) fn is_written_alike(&self, other: &PlanStep<'_, '_>) -> bool {
        let is_same_type = match (self.source, other.source) {
            (Source::Resource { resource: a, .. }, Source::Resource { resource: b, .. }) => {
                *a.resource_type == *b.resource_type
                    && *a.mode == *b.mode
                    && a.provider_name == b.provider_name
            }
            (Source::Output(_), Source::Output(_)) => true,
            _ => false,
        };
        is_same_type && matches!((self.written(), other.written()), (Some(a), Some(b)) if a == b)
    }

    fn written(&self) -> Option<[&'t str; 7]> {
        let ChangeValues::Written(values) = &self.change()?.values else { return None };
        let raws = [
            values.before,
            values.after,
            values.after_unknown,
            values.before_sensitive,
            values.after_sensitive,
            values.before_identity,
            values.after_identity,
        ];
        Some(raws.map(|raw| raw.text()))
    }

    /// Reads the identities before and after; `None` without identities.
    pub(super) fn identities<'s>(
        &'s self,
        changes: &ChangeSet<'t>,
        plan: ComparedPlan,
    ) -> Result<Option<Identities<'s, 't>>, CompareError> {
        let Some(values) = self.change().and_then(|change| change.values.written()) else { return Ok(None) };
        let raws = [values.before_identity, values.after_identity];
        if raws.iter().all(|raw| raw.text() == "null") {
            return Ok(None);
        }
        let read = |raw: Raw<'t>| {
            Json::read(&raw).map_err(|error| {
                let location = format!("the change of {}", self.own_address());
                let error = DocumentError::from_json(&error, changes.document.0, &location);
                CompareError::Document { plan, error }
            })
        };
        Ok(Some(Identities {
            before: read(raws[0])?,
            after: read(raws[1])?,
            is_hidden: raws.iter().any(|raw| self.is_masked(raw.text())),
            addresses: self.addresses(),
        }))
    }

    /// Reads the values.
    pub(super) fn read<'s>(
        &'s self,
        changes: &ChangeSet<'t>,
        schemas: &'s Schemas,
        plan: ComparedPlan,
    ) -> Result<StepValues<'s, 't>, CompareError>
    where
        'c: 's,
    {
        let document = changes.document.0;
        let unreadable = |error: DocumentError| CompareError::Document { plan, error };
        let location = || format!("the change of {}", self.own_address());
        let (sides, schema) = match self.source {
            Source::Resource { resource, .. } => {
                let sides = Sides::read(document, &resource.change.values, location).map_err(unreadable)?;
                (sides, schemas.of_change(resource)?)
            }
            Source::Output(output) => {
                (Sides::read(document, &output.change.values, location).map_err(unreadable)?, None)
            }
            Source::Invocation { invocation, .. } => {
                let read = |raw: Option<Raw<'t>>| match raw {
                    Some(raw) => Json::read(&raw)
                        .map_err(|error| unreadable(DocumentError::from_json(&error, document, &location()))),
                    None => Ok(Json::null()),
                };
                let sides = match &invocation.config {
                    InvokedConfig::Planned(planned) => Sides::from_planned(planned),
                    InvokedConfig::Written(config) => {
                        let after = read(config.values)?;
                        Sides {
                            before: Json::null(),
                            unknown: read(config.unknown)?,
                            before_sensitive: Json::null(),
                            after_sensitive: marks_or_all(read(config.sensitive)?, &after),
                            replace: Json::null(),
                            after,
                        }
                    }
                };
                (sides, schemas.of_action(invocation)?)
            }
        };
        let name = match self.source {
            Source::Output(output) => Some(&*output.name),
            _ => None,
        };
        Ok(StepValues { sides, schema, output: name, addresses: self.addresses() })
    }
}

fn write_texts<'x>(texts: impl Iterator<Item = &'x str> + Clone, bytes: &mut Vec<u8>) {
    // Without the count, a text could be taken for a part of the list that follows.
    crate::canonical::write_len(texts.clone().count(), bytes);
    texts.for_each(|text| write_text(text, bytes));
}

/// The identities of the object of a step. No schema calls them sensitive, and a plan has only known ones.
pub(super) struct Identities<'s, 't> {
    before: Json<'t>,
    after: Json<'t>,
    /// They have values of masked names.
    pub(super) is_hidden: bool,
    addresses: Vec<&'s str>,
}

impl<'t> Identities<'_, 't> {
    /// Two absent ones.
    pub(super) fn none() -> Self {
        Self { before: Json::null(), after: Json::null(), is_hidden: false, addresses: Vec::new() }
    }

    /// The mark of everything.
    pub(super) fn all(&self) -> View<'_, 't> {
        self.before.view().bool(true)
    }

    /// The identities before and after.
    pub(super) fn canonical(&self, writer: &mut CanonicalWriter<'_>) -> [Canonical<'_, 't>; 2] {
        [(&self.before, "before_identity"), (&self.after, "after_identity")].map(|(identity, name)| {
            let (value, nothing) = (identity.view(), identity.view().bool(false));
            let sensitive = value.bool(self.is_hidden && !value.is_null());
            let side = Side { value, unknown: nothing, sensitive };
            writer.side(side, SchemaPart::Unknown, &self.addresses, &[name])
        })
    }
}

/// The values of a step.
pub(super) struct StepValues<'s, 't> {
    sides: Sides<'t>,
    schema: Option<&'s Block>,
    /// The name of the output whose values these are.
    output: Option<&'s str>,
    addresses: Vec<&'s str>,
}

impl<'t> StepValues<'_, 't> {
    fn canonical<'v>(&'v self, writer: &mut CanonicalWriter<'_>, side: Side<'v, 't>) -> Canonical<'v, 't> {
        let output = self.output.map(|name| ["output", name]);
        let prefix = output.as_ref().map_or(&[][..], |prefix| prefix);
        writer.side(side, SchemaPart::of_block(self.schema), &self.addresses, prefix)
    }

    /// The side before.
    pub(super) fn before(&self, writer: &mut CanonicalWriter<'_>) -> Canonical<'_, 't> {
        self.canonical(writer, Side::before(&self.sides))
    }

    /// The side after.
    pub(super) fn after(&self, writer: &mut CanonicalWriter<'_>) -> Canonical<'_, 't> {
        self.canonical(writer, Side::after(&self.sides))
    }

    /// Whether there is a value after, known or not.
    pub(super) fn has_after(&self) -> bool {
        !self.sides.after.view().is_null() || self.sides.unknown.view().has_true()
    }

    /// Hides what is sensitive here.
    pub(super) fn hide(&self, hidden: &mut Hidden) {
        let Sides { before, after, unknown, before_sensitive, after_sensitive, .. } = &self.sides;
        for (value, marks) in [(before, before_sensitive), (after, after_sensitive)] {
            // A mark for a key that is not there may be meant for another one.
            let fitted = fitted_marks(marks.view(), value.view(), unknown.view());
            hidden.add(fitted.as_ref().unwrap_or(marks).view());
        }
    }
}

impl From<SchemaDocumentError> for CompareError {
    fn from(error: SchemaDocumentError) -> Self {
        Self::Schemas(error)
    }
}
