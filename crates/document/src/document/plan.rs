//! The plan document.

use std::sync::{Arc, OnceLock};

use objchange::address::modules_of;
use objchange_text::json::one_line;

use super::error::{DocumentError, Problem};
use super::{Missing, PlanSection, State, StateResource, open, read_members};
use crate::changes::DocumentText;
use crate::changes::ResourceActions;
use crate::changes::{
    ChangeSet, ChangeValues, ChangedIndex, ChangedResource, Deferred, Importing, OutputChange,
    RelevantAttribute, ValueChange, WrittenValues, deferred_invocation, invocation, not_passed,
};
use crate::json::field::{bracketed, by_name, flag, keep, list, text};
use crate::json::{Json, JsonError, Raw, Reader};
use crate::mask::MaskedNames;
use crate::text::Text;
use crate::{Prediction, Schemas};

/// A plan as `terraform show -json PLANFILE` prints it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Plan<'t> {
    /// The major and minor version of the format; `None` if missing.
    pub format_version: Option<(u64, u64)>,
    /// The action.
    pub changes: ChangeSet<'t>,
    /// The version of the program that wrote it.
    pub terraform_version: Option<Text<'t>>,
    /// All members of the document, also those above, as they are there.
    members: Vec<(Text<'t>, Raw<'t>)>,
    pub(super) missing: Vec<Missing>,
    /// The schemas that say what is sensitive in its configuration, if any are known.
    pub(super) schemas: Option<Arc<Schemas>>,
    /// The names whose values are hidden in its configuration.
    pub(super) masked: MaskedNames,
    /// For each section that was asked for, whether it is missing.
    pub(super) lacks: [OnceLock<bool>; PlanSection::ALL.len()],
}

impl<'t> Plan<'t> {
    /// Reads a plan document.
    ///
    /// # Errors
    ///
    /// The text is not JSON, is cut off, is not a plan, or has a format that is not supported.
    pub fn parse(document: &'t str) -> Result<Self, DocumentError> {
        let plan = Self::parse_part(document)?;
        match plan.format_version {
            Some(_) => Ok(plan),
            None => Err(DocumentError::at(document, 0, "", Problem::NoFormatVersion)),
        }
    }

    /// Like [`Plan::parse`], also where the format version is left out.
    pub(super) fn parse_part(document: &'t str) -> Result<Self, DocumentError> {
        let mut plan = Plan::default();
        let changes = &mut plan.changes;
        changes.document = DocumentText(document);
        let (format_version, members) = read_members(document, |key, reader, location| match key {
            "resource_changes" => keep(&mut changes.resources, resources(reader, location)),
            "resource_drift" => keep(&mut changes.drift, resources(reader, location)),
            "deferred_changes" => keep(&mut changes.deferred, list(reader, deferred)),
            "action_invocations" => keep(&mut changes.invocations, list(reader, invocation)),
            "deferred_action_invocations" => {
                keep(&mut changes.deferred_invocations, list(reader, deferred_invocation))
            }
            "output_changes" => keep(&mut changes.outputs, outputs(reader)),
            "relevant_attributes" => keep(&mut changes.relevant_attributes, list(reader, relevant)),
            "applyable" => keep(&mut changes.applyable, flag(reader)),
            "complete" => keep(&mut changes.complete, flag(reader)),
            "terraform_version" => keep(&mut plan.terraform_version, text(reader)),
            "errored" => keep(&mut changes.errored, flag(reader).map(Option::unwrap_or_default)),
            // Terraform never writes null in place of a section. A plan with `"resource_changes": null` passed every
            // policy, query and check.
            "planned_values" | "prior_state" | "configuration" | "variables" => {
                bracketed(reader, b'{').map(|_| ())
            }
            "checks" => bracketed(reader, b'[').map(|_| ()),
            _ => reader.raw().map(|_| ()),
        })?;
        let mut plan = Plan { format_version, members, ..plan };
        // `terraform_data` is planned as Terraform itself does it, so a plan of nothing else is no prediction.
        plan.changes.predicted = plan.is_simulated() && plan.has_providers();
        plan.missing = plan.read_missing();
        plan.changes.lacks_input = !plan.missing.is_empty();
        plan.changes.checks = plan.checks().map(not_passed).unwrap_or_default();
        Ok(plan)
    }

    /// The members of the document in its order, also those that this crate does not know, none of them read.
    ///
    /// ```
    /// use objchange_document::Plan;
    /// use objchange_document::json::Json;
    ///
    /// let plan = Plan::parse(r#"{"format_version":"1.2","variables":{"size":{"value":3}},"new":[]}"#)?;
    /// assert_eq!(plan.members().map(|(name, _)| name).collect::<Vec<_>>(), ["format_version", "variables", "new"]);
    /// let variables = Json::read(&plan.variables().unwrap())?;
    /// assert!(variables.view().get("size").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn members(&self) -> impl Iterator<Item = (&str, Raw<'t>)> {
        self.members.iter().map(|(name, raw)| (name.as_str(), *raw))
    }

    /// The member of this name; of a repeated one the last.
    pub fn member(&self, name: &str) -> Option<Raw<'t>> {
        self.members.iter().rev().find(|(other, _)| other == name).map(|(_, raw)| *raw)
    }

    /// The values of the root module's variables: by name, each an object with a `value`.
    pub fn variables(&self) -> Option<Raw<'t>> {
        self.member("variables")
    }

    /// The planned state as far as it is known, in the form of a state's `values`.
    pub fn planned_values(&self) -> Option<Raw<'t>> {
        self.member("planned_values")
    }

    /// The state that the plan starts from: a whole state document.
    pub fn prior_state(&self) -> Option<Raw<'t>> {
        self.member("prior_state")
    }

    /// The configuration that the plan was made from.
    pub fn configuration(&self) -> Option<Raw<'t>> {
        self.member("configuration")
    }

    /// The results of checks: an array.
    pub fn checks(&self) -> Option<Raw<'t>> {
        self.member("checks")
    }

    /// The schemas that the plan was read with. They say what is sensitive in its configuration, which the document
    /// does not.
    pub fn schemas(&self) -> Option<&Schemas> {
        self.schemas.as_deref()
    }

    /// The names whose values are hidden. The document has marks of its own for all of them but those of variables and in
    /// expressions of the configuration, which have no place for marks.
    pub fn masked_names(&self) -> &MaskedNames {
        &self.masked
    }

    /// Whether the plan was made without its providers. Then it lacks facts that only they know: which updates replace
    /// an object, and drift. The version says so: `1.16.0+simulated`.
    pub fn is_simulated(&self) -> bool {
        self.prediction().is_some()
    }

    /// How the plan was made, if it was made without its providers.
    pub fn prediction(&self) -> Option<Prediction> {
        Prediction::of_version(self.terraform_version.as_deref()?)
    }

    /// Whether the plan was made without its providers and without refreshing: it trusts the state. The version says
    /// so: `1.16.0+simulated.unrefreshed`.
    pub fn is_unrefreshed(&self) -> bool {
        self.prediction().is_some_and(|prediction| !prediction.is_refreshed)
    }

    /// The managed objects of the prior state, if the plan lists no changes, so that it is about these alone: it only
    /// refreshes.
    pub fn refreshed_alone(&self) -> Vec<StateResource<'t>> {
        let lists_changes = !self.changes.resources.is_empty() || !self.changes.deferred.is_empty();
        let prior = self.prior_state().filter(|_| !lists_changes);
        let prior = prior.and_then(|part| State::parse_within(self.text(), part).ok()).unwrap_or_default();
        prior.resources.into_iter().filter(|object| *object.mode == *"managed").collect()
    }

    /// Whether something changes, or may have drifted, whose provider is not a part of Terraform.
    fn has_providers(&self) -> bool {
        let deferred = self.changes.deferred.iter().map(|deferred| &deferred.resource);
        let mut resources = self.changes.resources.iter().chain(deferred);
        resources.any(|resource| !resource.is_builtin())
            || self.refreshed_alone().iter().any(|object| !object.is_builtin())
    }

    /// The text that the plan was read from.
    pub fn text(&self) -> &'t str {
        self.changes.document.0
    }
}

/// Reads resources; `location` follows them, so that an error can name the one.
fn resources<'t>(
    reader: &mut Reader<'t>,
    location: &mut String,
) -> Result<Vec<ChangedResource<'t>>, JsonError> {
    let start = location.len();
    let mut index = 0;
    let resources = list(reader, |reader| {
        location.truncate(start);
        location.push_str(&format!("[{index}]"));
        index += 1;
        resource(reader)
    })?;
    location.truncate(start);
    Ok(resources)
}

impl<'t> ChangedResource<'t> {
    /// Reads one element of `resource_changes`.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or no change of a resource.
    pub fn parse(document: &'t str) -> Result<Self, DocumentError> {
        let mut reader = open(document)?;
        let read = resource(&mut reader).and_then(|resource| reader.end().map(|()| resource));
        read.map_err(|error| DocumentError::from_json(&error, document, ""))
    }
}

fn resource<'t>(reader: &mut Reader<'t>) -> Result<ChangedResource<'t>, JsonError> {
    let mut resource = ChangedResource::default();
    let (entry, mut has_change, mut address) = (reader.clone(), false, None);
    reader.members(|key, reader| {
        let place = match &*key {
            "address" => return keep(&mut address, text(reader)),
            "mode" => &mut resource.mode,
            "type" => &mut resource.resource_type,
            "name" => &mut resource.name,
            "provider_name" => &mut resource.provider_name,
            "previous_address" => return keep(&mut resource.previous_address, text(reader)),
            "module_address" => return keep(&mut resource.module_address, text(reader)),
            "deposed" => return keep(&mut resource.deposed, text(reader)),
            "action_reason" => return keep(&mut resource.action_reason, text(reader)),
            "index" => {
                let index = reader.raw().map(|raw| Some(raw).filter(|raw| raw.text() != "null"));
                return keep(&mut resource.index, index.map(|index| index.map(ChangedIndex::Written)));
            }
            // Readers of JSON differ in which of two they take: one could approve what another applies.
            "change" if has_change => return Err(entry.error("this entry has two members `change`")),
            "change" => {
                has_change = true;
                return keep(&mut resource.change, value_change(reader));
            }
            _ => return reader.raw().map(|_| ()),
        };
        keep(place, text(reader).map(Option::unwrap_or_default))
    })?;
    if !has_change {
        return Err(entry.error("there is no `change` here: the document does not say what happens"));
    }
    resource.address = address.ok_or_else(|| {
        entry.error("there is no `address` here: the document does not say to what something happens")
    })?;
    if let Some(contradiction) = contradiction(&resource) {
        return Err(entry.error(contradiction));
    }
    // Absent is written as an empty string by some versions.
    for optional in [
        &mut resource.previous_address,
        &mut resource.module_address,
        &mut resource.deposed,
        &mut resource.action_reason,
    ] {
        if optional.as_deref() == Some("") {
            *optional = None;
        }
    }
    Ok(resource)
}

/// Returns the contradiction in a change, whose effect nobody knows then. Data sources and ephemeral resources, by their
/// mode and address, are not created, updated or replaced.
fn contradiction(resource: &ChangedResource<'_>) -> Option<&'static str> {
    match (&*resource.mode, resource.change.actions) {
        (_, ResourceActions::NoOp | ResourceActions::Read | ResourceActions::Unknown) => None,
        // A plan that destroys everything forgets data sources, and OpenTofu 1.11 opens ephemeral resources.
        (mode @ "data", ResourceActions::Delete | ResourceActions::Forget)
        | (mode @ "ephemeral", ResourceActions::Create) => {
            let module = modules_of(&resource.address).last().map_or(0, |module| module.len() + 1);
            let own = resource.address.get(module..).and_then(|own| own.strip_prefix(mode));
            let has_mode = own.is_some_and(|own| own.starts_with('.'));
            (!has_mode).then_some("the `mode` and the `address` of this entry contradict each other")
        }
        ("data" | "ephemeral", _) => Some("a resource of this `mode` cannot have these `actions`"),
        _ => None,
    }
}

fn value_change<'t>(reader: &mut Reader<'t>) -> Result<ValueChange<'t>, JsonError> {
    let (entry, mut has_actions) = (reader.clone(), false);
    let mut change = ValueChange::default();
    let mut values = WrittenValues::default();
    reader.members(|key, reader| {
        let place = match &*key {
            "before" => &mut values.before,
            "after" => &mut values.after,
            "after_unknown" => &mut values.after_unknown,
            "before_sensitive" => &mut values.before_sensitive,
            "after_sensitive" => &mut values.after_sensitive,
            "replace_paths" => &mut values.replace_paths,
            "before_identity" => &mut values.before_identity,
            "after_identity" => &mut values.after_identity,
            "actions" if has_actions => return Err(entry.error("this change has two members `actions`")),
            "actions" => {
                has_actions = true;
                (change.actions, change.unknown_actions) = actions(reader)?;
                return Ok(());
            }
            "importing" => return keep(&mut change.importing, importing(reader)),
            "generated_config" => {
                let config = text(reader)?;
                change.has_generated_config = config.is_some_and(|c| !c.is_empty());
                return Ok(());
            }
            _ => return reader.raw().map(|_| ()),
        };
        keep(place, reader.raw())
    })?;
    if !has_actions {
        return Err(entry.error("there are no `actions` here: the document does not say what happens"));
    }
    let [before, after] = [&values.before_identity, &values.after_identity].map(Raw::text);
    change.changes_identity = before != "null" && before != after;
    change.values = ChangeValues::Written(values);
    Ok(change)
}

fn importing<'t>(reader: &mut Reader<'t>) -> Result<Option<Importing<'t>>, JsonError> {
    if crate::json::field::is_null(reader)? {
        return Ok(None);
    }
    let mut importing = Importing::default();
    reader.members(|key, reader| match &*key {
        "id" => keep(&mut importing.id, text(reader)),
        "identity" => {
            keep(&mut importing.identity, reader.raw().map(|raw| Some(Text::from(one_line(raw.text())))))
        }
        _ => reader.raw().map(|_| ()),
    })?;
    importing.id = importing.id.filter(|id| !id.is_empty());
    importing.identity = importing.identity.filter(|identity| identity.starts_with('{'));
    Ok(Some(importing))
}

/// The actions, and their words if they are unknown.
fn actions<'t>(reader: &mut Reader<'t>) -> Result<(ResourceActions, Vec<Text<'t>>), JsonError> {
    let start = reader.clone();
    let words = list(reader, text)?;
    let count = words.len();
    let words: Vec<Text<'t>> = words.into_iter().flatten().collect();
    if count == 0 || words.len() < count {
        return Err(start.error("these are not actions: expected words, such as `create`"));
    }
    let actions = ResourceActions::of_words(&words.iter().map(Text::as_str).collect::<Vec<_>>());
    Ok((actions, if actions == ResourceActions::Unknown { words } else { Vec::new() }))
}

fn deferred<'t>(reader: &mut Reader<'t>) -> Result<Deferred<'t>, JsonError> {
    let mut deferred = Deferred::default();
    reader.members(|key, reader| match &*key {
        "reason" => keep(&mut deferred.reason, text(reader).map(Option::unwrap_or_default)),
        "resource_change" => keep(&mut deferred.resource, resource(reader)),
        _ => reader.raw().map(|_| ()),
    })?;
    Ok(deferred)
}

fn outputs<'t>(reader: &mut Reader<'t>) -> Result<Vec<OutputChange<'t>>, JsonError> {
    let mut outputs = Vec::new();
    reader.members(|name, reader| {
        outputs.push(OutputChange { name: name.into(), change: value_change(reader)? });
        Ok(())
    })?;
    by_name(&mut outputs, |output| &output.name);
    Ok(outputs)
}

fn relevant<'t>(reader: &mut Reader<'t>) -> Result<RelevantAttribute<'t>, JsonError> {
    let mut relevant = RelevantAttribute { resource: Text::default(), path: Json::null() };
    reader.members(|key, reader| match &*key {
        "resource" => keep(&mut relevant.resource, text(reader).map(Option::unwrap_or_default)),
        "attribute" => keep(&mut relevant.path, Json::next(reader)),
        _ => reader.raw().map(|_| ()),
    })?;
    Ok(relevant)
}
