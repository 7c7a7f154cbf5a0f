//! The `tfplan/v2` collections: a plan as policy authors know it from Sentinel's import of that name.
//!
//! A plan is keyed so that one expression finds what it needs without walking modules. Nothing is copied out of the
//! document, and a value is read when it is first looked into.
//!
//! ```
//! use objchange_policy::tfplan::TfPlan;
//! use objchange_document::Plan;
//! use objchange_document::changes::ResourceActions;
//! use objchange_policy::{Answer, Redacted};
//!
//! let plan = Plan::parse(
//!     r#"{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[{
//!         "address":"module.web[0].aws_instance.this","module_address":"module.web[0]","mode":"managed",
//!         "type":"aws_instance","name":"this","provider_name":"registry.terraform.io/hashicorp/aws",
//!         "change":{"actions":["create"],"before":null,"after":{"tags":{"Owner":"ann"},"user_data":"x"},
//!             "after_unknown":{"id":true},"before_sensitive":false,"after_sensitive":{"user_data":true}}}]}"#,
//! )?;
//! let tfplan = TfPlan::new(&plan)?;
//! let mut created = tfplan.resource_changes.values().filter(|rc| rc.change.actions == ResourceActions::Create);
//! assert_eq!(&*created.next().unwrap().address, "module.web[0].aws_instance.this");
//!
//! let change = &tfplan.resource_changes.get("module.web[0].aws_instance.this").unwrap().change;
//! let Answer::Known(owner) = change.after()?.at(&"tags.Owner".parse()?) else { panic!("it is known") };
//! assert_eq!(owner.exact().and_then(|owner| owner.as_str()), Some("ann"));
//! assert!(change.after()?.at(&"id".parse()?).is_unknown());
//! assert!(change.after()?.at(&"tags.Cost".parse()?).is_absent());
//!
//! assert_eq!(
//!     serde_json::to_string(&Redacted(&change.after()?.full()))?,
//!     r#"{"tags":{"Owner":"ann"},"user_data":"(sensitive value)","id":{"$unknown":{}}}"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod raw;

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use objchange_document::changes::{ChangedResource, ResourceActions};
use objchange_document::json::{Json, Raw, Reader};
use objchange_document::{DocumentError, Plan, State, StateResource, StatedMarks, Text};
use objchange_plan::triggering_resources;
use serde::ser::{SerializeMap, Serializer};

pub use crate::collection::{Change, OutputChange, ResourceChange};
#[cfg(feature = "rego")]
pub(crate) use raw::OnlyMembers;
pub use raw::{RawMember, RawPlan};

use crate::collection::{As, Collected, Collection, Marked, Secrets, items, read};
use crate::simulated::Simulated;
use crate::tfstate::TfState;

/// The collections of a plan.
#[derive(Debug)]
#[non_exhaustive]
pub struct TfPlan<'t> {
    /// The version of Terraform that made the plan.
    pub terraform_version: Option<Text<'t>>,
    /// The variables of the root module, by name.
    pub variables: Collection<'t, Variable<'t>>,
    /// The planned state, as far as it is known.
    pub planned_values: TfState<'t>,
    /// The change of each resource instance, by address; for a deposed object with `:` and its key appended.
    pub resource_changes: Collection<'t, ResourceChange<'t>>,
    /// The changes of resource instances made outside of Terraform, by the same keys.
    pub resource_drift: Collection<'t, ResourceChange<'t>>,
    /// The changes of the outputs of the root module, by name.
    pub output_changes: Collection<'t, OutputChange<'t>>,
    /// The document itself.
    pub raw: RawPlan<'t>,
    /// Facts that only the missing providers could tell.
    pub(crate) simulated: Simulated<'t>,
}

/// A variable of the root module, as it is set in the plan.
#[derive(Debug)]
#[non_exhaustive]
pub struct Variable<'t> {
    /// Its name.
    pub name: Text<'t>,
    /// The configuration says that it is sensitive.
    pub sensitive: bool,
    /// It has a value. The plan may have been made without one.
    pub is_known: bool,
    value: Json<'t>,
}

impl<'t> TfPlan<'t> {
    /// The collections of a plan.
    ///
    /// # Errors
    ///
    /// A part of the document has not the form that it is to have. The error says where.
    pub fn new(plan: &Plan<'t>) -> Result<Self, DocumentError> {
        let text = plan.text();
        let planned = plan.planned_values().map(|planned| State::parse_values(text, planned)).transpose();
        let mut planned = planned
            .map_err(|error| DocumentError::from_json(&error, text, "planned_values"))?
            .unwrap_or_default();
        // A deposed object has the address of the current one, and no planned values.
        let changed = || plan.changes.resources.iter().filter(|resource| resource.deposed.is_none());
        let simulated = Simulated::new(plan);
        // Without a schema nobody knows which attributes an object has, so all of it is unknown.
        let everything = Reader::new("true").raw().ok();
        let unknown: HashMap<&str, Raw<'t>> = changed()
            .filter_map(|resource| {
                let after_unknown = resource.change.values.written()?.after_unknown;
                let is_schemaless = simulated.is_schemaless(&resource.provider_name);
                let all = everything.filter(|_| is_schemaless);
                Some((&*resource.address, all.unwrap_or(after_unknown)))
            })
            .collect();
        // Terraform 1.7 to 1.15 list objects that they forget, without their values.
        let forgotten: HashSet<&str> = changed()
            .filter(|resource| resource.change.actions == ResourceActions::Forget)
            .map(|resource| &*resource.address)
            .collect();
        planned.resources.retain(|resource| !forgotten.contains(&*change_address(resource)));
        let raw = RawPlan::new(plan)?;
        let stated = raw.stated();
        let mut output_changes = Collection::with_capacity(plan.changes.outputs.len());
        for output in &plan.changes.outputs {
            output_changes.insert(output.name.clone(), OutputChange::new(text, output, &simulated, stated));
        }
        let triggering = triggering_resources(&plan.changes).collect();
        let terraform_version =
            plan.member("terraform_version").map(|part| read(text, &part, "terraform_version"));
        Ok(Self {
            terraform_version: terraform_version.transpose()?.and_then(|version| version.view().text()),
            variables: variables(plan, &raw, &simulated)?,
            planned_values: TfState::of_plan(
                planned,
                |resource| unknown.get(&*change_address(resource)).copied(),
                stated,
            )?,
            resource_changes: changes(text, &plan.changes.resources, &simulated, stated, &triggering)?,
            resource_drift: changes(text, &plan.changes.drift, &Simulated::default(), stated, &triggering)?,
            output_changes,
            raw,
            simulated,
        })
    }
}

/// The address that a planned resource has in changes: of a data source with `data.`, which planned values leave out.
fn change_address<'r>(resource: &'r StateResource<'_>) -> Cow<'r, str> {
    let (module, address) = (&*resource.module_address, &*resource.address);
    let local = address.strip_prefix(module).unwrap_or(address).trim_start_matches('.');
    match *resource.mode == *"data" && !local.starts_with("data.") {
        true if module.is_empty() => Cow::Owned(format!("data.{local}")),
        true => Cow::Owned(format!("{module}.data.{local}")),
        false => Cow::Borrowed(address),
    }
}

fn changes<'t>(
    text: &'t str,
    resources: &[ChangedResource<'t>],
    simulated: &Simulated<'t>,
    stated: &StatedMarks<'t>,
    triggering: &HashSet<&str>,
) -> Result<Collection<'t, ResourceChange<'t>>, DocumentError> {
    let mut changes = Collection::with_capacity(resources.len());
    for resource in resources {
        let is_trigger = triggering.contains(&*resource.address);
        let change = ResourceChange::new(text, resource, simulated, stated, is_trigger)?;
        changes.insert(change.key(), change);
    }
    Ok(changes)
}

fn variables<'t>(
    plan: &Plan<'t>,
    raw: &RawPlan<'t>,
    simulated: &Simulated<'t>,
) -> Result<Collection<'t, Variable<'t>>, DocumentError> {
    let mut variables = Collection::default();
    let Some(part) = plan.variables() else { return Ok(variables) };
    let read = read(plan.text(), &part, "variables")?;
    let members = read.view().members();
    // `keys` gives names that live as long as the document, and `iter` only such as live as long as `read`.
    for (name, (_, variable)) in std::iter::zip(members.keys(), members.iter()) {
        let value = variable.get("value").unwrap_or(variable.null()).to_json();
        let (sensitive, is_known) =
            (raw.is_sensitive_variable(&name), !simulated.variables.contains(name.as_str()));
        variables.insert(name.clone(), Variable { name, sensitive, is_known, value });
    }
    Ok(variables)
}

impl<'t> Variable<'t> {
    /// Its value.
    pub fn value(&self) -> Marked<'_, 't> {
        let value = self.value.view();
        Marked::known(value, [value.bool(self.sensitive); 2])
    }
}

items! {
    Variable(item) {
        "name": Text = Text(&item.name),
        "value": Value = Value(item.is_known.then(|| item.value())),
    }
}

impl Collected for TfPlan<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        if let Some(version) = &self.terraform_version {
            fields.serialize_entry("terraform_version", version)?;
        }
        fields.serialize_entry("variables", &As(&self.variables, secrets))?;
        fields.serialize_entry("planned_values", &As(&self.planned_values, secrets))?;
        fields.serialize_entry("resource_changes", &As(&self.resource_changes, secrets))?;
        fields.serialize_entry("resource_drift", &As(&self.resource_drift, secrets))?;
        fields.serialize_entry("output_changes", &As(&self.output_changes, secrets))?;
        fields.serialize_entry("raw", &As(&self.raw, secrets))?;
        fields.end()
    }
}
