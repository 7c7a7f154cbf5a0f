//! Changes of resources and outputs.

use std::sync::{Arc, OnceLock};

use objchange_document::changes::{
    ChangeValues, ChangedIndex, ChangedResource, DocumentText, Importing, ResourceActions, ValueChange,
};
use objchange_document::json::{Json, View, doubtful_marks};
use objchange_document::{DocumentError, Index, MaskedNames, StatedMarks, Text};
use objchange_plan::Sides;
#[cfg(feature = "query")]
use objchange_plan::{DifferOnlyAt, IgnoredPath, PathRoot, differ_only_at, updates_values_alone};

use super::{Marked, is_there, items, simplified};
use crate::simulated::{Simulated, is_own, key};

/// The change of one resource instance, or of a deposed object of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ResourceChange<'t> {
    /// The address of the instance, as Terraform writes it.
    pub address: Text<'t>,
    /// The address of its module; empty in the root module.
    pub module_address: Text<'t>,
    /// `managed` or `data`.
    pub mode: Text<'t>,
    /// The resource type.
    pub resource_type: Text<'t>,
    /// The name in its module.
    pub name: Text<'t>,
    /// The `count` index or `for_each` key.
    pub index: Option<Index<'t>>,
    /// The provider's address; before Terraform 0.13 its name alone.
    pub provider_name: Text<'t>,
    /// The key of the deposed object; empty for a current one.
    pub deposed: Text<'t>,
    /// The address before a move; empty if it was not moved.
    pub previous_address: Text<'t>,
    /// Why it is changed, such as `replace_because_tainted`; empty if nothing is said.
    pub action_reason: Text<'t>,
    /// The action.
    pub change: Change<'t>,
}

/// The change of an output of the root module.
#[derive(Debug)]
#[non_exhaustive]
pub struct OutputChange<'t> {
    /// The name of the output.
    pub name: Text<'t>,
    /// The action.
    pub change: Change<'t>,
}

/// The two sides of a change. They are read when they are first looked into.
#[derive(Debug)]
pub struct Change<'t> {
    /// Terraform's actions: serialized, an ordered list such as `["delete","create"]`.
    pub actions: ResourceActions,
    /// Whether that is known. Where the plan was made without asking its providers, an update may be a replacement, or
    /// nothing at all.
    pub are_actions_known: bool,
    /// The identifier or identity that it is imported by.
    pub importing: Option<Importing<'t>>,
    /// The names whose values are hidden in its identities.
    masked_names: MaskedNames,
    /// Nobody has the schema of its object, so all of the value after is unknown.
    is_schemaless: bool,
    /// Where the value after is marked as unknown, it may be known all the same, because the provider was not asked.
    are_marks_doubtful: bool,
    values: ChangeValues<'t>,
    document: DocumentText<'t>,
    /// The address or name, for errors.
    name: Text<'t>,
    /// It is the change of an output, whose name this is.
    #[cfg(feature = "query")]
    is_output: bool,
    /// Nothing happens but an update of values, whatever actions it invokes.
    #[cfg(feature = "query")]
    is_plain_update: bool,
    /// The marks that any section of the plan has for its object.
    stated: Option<Arc<Json<'t>>>,
    sides: OnceLock<Result<Box<Read<'t>>, DocumentError>>,
}

/// The sides, once they are read; marks that mark nothing are `false`.
#[derive(Debug)]
struct Read<'t> {
    sides: Sides<'t>,
    unknown: Json<'t>,
    /// The marks of unknown values that may turn out known; `None` if none may.
    doubtful: Option<Json<'t>>,
}

impl<'t> ResourceChange<'t> {
    pub(crate) fn new(
        text: &'t str,
        resource: &ChangedResource<'t>,
        simulated: &Simulated<'t>,
        stated: &StatedMarks<'t>,
        #[cfg_attr(not(feature = "query"), expect(unused_variables, reason = "queries alone ask for it"))]
        is_trigger: bool,
    ) -> Result<Self, DocumentError> {
        let index = resource.index.as_ref().map_or(Ok(None), ChangedIndex::read).map_err(|error| {
            DocumentError::from_json(&error, text, &format!("{}: index", resource.address))
        })?;
        Ok(Self {
            address: resource.address.clone(),
            module_address: resource.module_address.clone().unwrap_or_default(),
            mode: resource.mode.clone(),
            resource_type: resource.resource_type.clone(),
            name: resource.name.clone(),
            index,
            provider_name: resource.provider_name.clone(),
            deposed: resource.deposed.clone().unwrap_or_default(),
            previous_address: resource.previous_address.clone().unwrap_or_default(),
            action_reason: resource.action_reason.clone().unwrap_or_default(),
            change: Change {
                is_schemaless: simulated.is_schemaless(&resource.provider_name),
                #[cfg(feature = "query")]
                is_plain_update: updates_values_alone(resource) && !is_trigger,
                are_marks_doubtful: simulated.hides_unknown_marks(is_own(resource)),
                ..Change::new(
                    text,
                    &resource.address,
                    &resource.change,
                    !simulated.hides_actions(&key(resource)),
                    stated.of_instance(&resource.address),
                )
            },
        })
    }

    /// Its key in the collection: the address, and of a deposed object `:` and its key.
    pub fn key(&self) -> Text<'t> {
        match self.deposed.is_empty() {
            true => self.address.clone(),
            false => Text::from(format!("{}:{}", self.address, self.deposed)),
        }
    }
}

impl<'t> OutputChange<'t> {
    pub(crate) fn new(
        text: &'t str,
        output: &objchange_document::changes::OutputChange<'t>,
        simulated: &Simulated<'t>,
        stated: &StatedMarks<'t>,
    ) -> Self {
        let is_known = !simulated.hides_output(&output.name);
        let marks = stated.of_output(&output.name);
        let change = Change::new(text, &output.name, &output.change, is_known, marks);
        let change = Change {
            are_marks_doubtful: simulated.hides_unknown_marks(false),
            #[cfg(feature = "query")]
            is_output: true,
            ..change
        };
        Self { name: output.name.clone(), change }
    }
}

impl<'t> Change<'t> {
    /// A change on its own, with the marks that any section of the document has for its object. It does not know which
    /// values a missing provider leaves unknown: only [`TfPlan`](crate::tfplan::TfPlan) does.
    pub(crate) fn by_itself(
        document: &'t str,
        name: &Text<'t>,
        change: &ValueChange<'t>,
        stated: Option<Arc<Json<'t>>>,
    ) -> Self {
        Self::new(document, name, change, true, stated)
    }

    pub(crate) fn new(
        text: &'t str,
        name: &Text<'t>,
        change: &ValueChange<'t>,
        are_actions_known: bool,
        stated: Option<Arc<Json<'t>>>,
    ) -> Self {
        Self {
            actions: change.actions,
            are_actions_known,
            importing: change.importing.clone(),
            masked_names: change.masked_names.clone(),
            is_schemaless: false,
            are_marks_doubtful: false,
            #[cfg(feature = "query")]
            is_output: false,
            #[cfg(feature = "query")]
            is_plain_update: change.actions == ResourceActions::Update,
            values: change.values.clone(),
            document: DocumentText(text),
            name: name.clone(),
            stated,
            sides: OnceLock::new(),
        }
    }

    /// The actions of Terraform, if they are known.
    pub fn known_actions(&self) -> Option<ResourceActions> {
        self.are_actions_known.then_some(self.actions)
    }

    /// The value before, wholly known; null if absent.
    ///
    /// # Errors
    ///
    /// The document is not JSON there.
    pub fn before(&self) -> Result<Marked<'_, 't>, DocumentError> {
        let sides = self.sides()?;
        Ok(Marked::known(sides.before.view(), self.sensitive(sides)))
    }

    /// The value after, as far as it is known; null if absent.
    ///
    /// [`Marked::at`] tells whether the part at a path is known, unknown until apply, or absent, and [`Marked::full`]
    /// is the `after_full` of policies.
    ///
    /// # Errors
    ///
    /// The document is not JSON there.
    pub fn after(&self) -> Result<Marked<'_, 't>, DocumentError> {
        let Read { sides, unknown, .. } = self.read()?;
        let value = Some(sides.after.view()).filter(|_| self.has_after());
        Ok(Marked::partly_known(value, unknown.view(), self.sensitive(sides)))
    }

    /// The unknown marks of the value after, in its shape: `true` for unknown parts.
    ///
    /// # Errors
    ///
    /// The document is not JSON there.
    pub fn after_unknown(&self) -> Result<View<'_, 't>, DocumentError> {
        Ok(self.sides()?.unknown.view())
    }

    /// The unknown marks of the value after, with their sensitive ones: keys in them may be secret. In a plan that was made
    /// without its providers a mark may be false in the end, so it is unknown itself.
    ///
    /// # Errors
    ///
    /// The document is not JSON there.
    pub fn unknown(&self) -> Result<Marked<'_, 't>, DocumentError> {
        let Read { sides, doubtful, .. } = self.read()?;
        let (written, sensitive) = (sides.unknown.view(), self.sensitive(sides));
        Ok(match doubtful {
            Some(doubtful) => Marked::partly_known(Some(written), doubtful.view(), sensitive),
            None => Marked::known(written, sensitive),
        })
    }

    /// Whether values that are marked as unknown may turn out known while planning, because the provider was not asked.
    #[cfg(feature = "query")]
    pub(crate) fn has_doubtful_marks(&self) -> bool {
        self.are_marks_doubtful
    }

    /// The paths that force the replacement.
    ///
    /// # Errors
    ///
    /// The document is not JSON there.
    pub fn replace_paths(&self) -> Result<View<'_, 't>, DocumentError> {
        Ok(self.sides()?.replace.view())
    }

    /// Whether this is an update of values at these paths alone, by the rule of ignored paths, and which of the paths are there. A
    /// value elsewhere that is unknown may change, too.
    ///
    /// # Errors
    ///
    /// The document is not JSON there.
    #[cfg(feature = "query")]
    pub(crate) fn changes_only(&self, paths: &[IgnoredPath]) -> Result<DifferOnlyAt, DocumentError> {
        let thing = match self.is_output {
            true => PathRoot::Output(&self.name),
            false => PathRoot::Resource(&self.name),
        };
        let DifferOnlyAt { is_only, are_found } = differ_only_at(paths, self.sides()?, thing);
        Ok(DifferOnlyAt { is_only: is_only && self.is_plain_update, are_found })
    }

    /// The identities before and after, by which the provider finds the object, as JSON.
    pub fn identities(&self) -> [Option<&str>; 2] {
        let ChangeValues::Written(values) = &self.values else { return [None, None] };
        [&values.before_identity, &values.after_identity].map(|part| is_there(part).then(|| part.text()))
    }

    /// The names whose values are hidden in its identities, which have no marks.
    #[cfg(feature = "query")]
    pub(crate) fn masked_names(&self) -> &MaskedNames {
        &self.masked_names
    }

    /// Whether there is a value after, known or not.
    fn has_after(&self) -> bool {
        match &self.values {
            ChangeValues::Written(values) => is_there(&values.after),
            ChangeValues::Planned(values) => !values.after().is_null(),
            _ => true,
        }
    }

    fn sides(&self) -> Result<&Sides<'t>, DocumentError> {
        Ok(&self.read()?.sides)
    }

    fn read(&self) -> Result<&Read<'t>, DocumentError> {
        let read = || {
            let sides = Sides::read(self.document.0, &self.values, || format!("{}: change", self.name))?;
            let (before_sensitive, after_sensitive) =
                (simplified(sides.before_sensitive), simplified(sides.after_sensitive));
            let unknown = match self.is_schemaless && self.has_after() {
                true => sides.unknown.view().bool(true).to_json(),
                false => simplified(sides.unknown.clone()),
            };
            let doubtful = self.are_marks_doubtful.then(|| doubtful_marks(unknown.view()));
            let sides = Sides { before_sensitive, after_sensitive, ..sides };
            Ok(Box::new(Read { sides, unknown, doubtful }))
        };
        match self.sides.get_or_init(read) {
            Ok(read) => Ok(read),
            Err(error) => Err(error.clone()),
        }
    }

    /// A mark on either side, or in another section of the plan, applies to both sides: the text of a secret may be on
    /// the other.
    fn sensitive<'s>(&'s self, sides: &'s Sides<'t>) -> [View<'s, 't>; 2] {
        let [before, after] = [sides.before_sensitive.view(), sides.after_sensitive.view()];
        match &self.stated {
            // All that both sides say is in it, unless they say it of everything.
            Some(stated) if !before.is_true() => [stated.view(), after],
            _ => [before, after],
        }
    }
}

items! {
    Change(item) {
        // Sentinel has these four members alone: neither `before_sensitive` nor `replace_paths`, which `raw` has.
        "actions": Actions = Actions { planned: item.actions, is_known: item.are_actions_known },
        "before": Value = Value(Some(item.before()?.without_null_marks())),
        // A wholly unknown output has an undefined value after.
        "after": Value = Value(match item.after()? {
            after if after.exact().is_none() && item.after_unknown()?.is_true() => None,
            after => Some(after.without_null_marks()),
        }),
        "after_unknown": Marks = Marks(item.unknown()?),
    }
    ResourceChange(item) {
        "address": Text = Text(&item.address),
        "module_address": Text = Text(&item.module_address),
        "mode": Mode = Text(&item.mode),
        "type": Text = Text(&item.resource_type),
        "name": Text = Text(&item.name),
        "index": Index = Index(item.index.as_ref()),
        "provider_name": Text = Text(&item.provider_name),
        "deposed": Text = Text(&item.deposed),
        "change": Change = Change(&item.change),
    }
    OutputChange(item) {
        "name": Text = Text(&item.name),
        "change": Change = Change(&item.change),
    }
}
