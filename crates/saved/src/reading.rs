//! Reads the plan message: its changes, outputs, actions and checks, with the schemas of their types.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use objchange::address::{InstanceAddress, Mode, ModuleAddress, ResourceAddress};
use objchange::schema::{Schema, SchemaKind};
use objchange::value::{Number, Path, PathStep};
use objchange::{Type, Value};
use objchange_document::PlanMode;
use objchange_module::config::Config;
use objchange_module::plan::{
    ActionAddress, Deferrals, DeferredInvocation, DeferredObject, Identities, ImportedBy, InvocationTrigger,
    ModulePlan, OpenAddress, PlannedAction, PlannedInvocation, PlannedObject, PlannedOutput,
    RelevantAttribute, RelevantStep,
};
use objchange_module::state::PriorState;
use objchange_module::{ProviderAddress, ProviderConfigAddress, Schemas, Severity};
use smol_str::SmolStr;

use crate::checks::{check, not_address};
use crate::enums::{action, deferral_reason, reason, trigger_event};
use crate::error::SavedPlanError;
use crate::identities;
use crate::message::{self, Content, DynamicValue, each_field};
use crate::plan::SavedPlan;
use crate::sides::Hidden;
use crate::values::{SchemaCopies, all_hidden, marked, path};

/// The most bytes of one change. Providers cannot send an object of more than 256 MiB, and real ones have kilobytes.
const MAX_CHANGE: usize = 64 << 20;

/// The most entries of each list of a plan.
const MAX_LIST: usize = 1 << 20;

/// How much of an address that is too long is in an error, in characters.
const SHOWN_ADDRESS: usize = 200;

/// The most modules around a resource.
const MAX_MODULES: usize = 256;

/// Where a change is in the message, and its place among others.
pub(crate) struct PackedObject {
    pub(crate) address: InstanceAddress,
    pub(crate) deposed: Option<SmolStr>,
    pub(crate) schema: Option<Arc<Schema>>,
    pub(crate) range: Range<usize>,
}

/// A plan while its message is read.
pub(crate) struct Reading<'s> {
    file: &'s SavedPlan,
    copies: SchemaCopies<'s>,
    /// The changes and the drift, if they are left as they are in the message.
    pub(crate) packed: Option<[Vec<PackedObject>; 2]>,
    /// The providers without schemas, so that sensitive values of their objects lack marks.
    pub(crate) lacks_marks: BTreeSet<ProviderAddress>,
    pub(crate) plan: ModulePlan,
    pub(crate) deferrals: Deferrals,
    /// The variables that were set.
    variables: BTreeMap<SmolStr, Value>,
}

impl<'s> Reading<'s> {
    /// Reads all fields of the message. If it `packs`, the changes and the drift are not in the plan.
    pub(crate) fn new(
        file: &'s SavedPlan,
        schemas: &'s Schemas,
        packs: bool,
    ) -> Result<Self, SavedPlanError> {
        let mut reading = Self::start(file, schemas, packs);
        each_field(&file.message, |number, content| reading.field(number, content))?;
        Ok(reading)
    }

    /// Before anything is read.
    pub(crate) fn start(file: &'s SavedPlan, schemas: &'s Schemas, packs: bool) -> Self {
        Self {
            file,
            copies: SchemaCopies::new(schemas),
            packed: packs.then(Default::default),
            lacks_marks: BTreeSet::new(),
            plan: ModulePlan::default(),
            deferrals: Deferrals::default(),
            variables: BTreeMap::new(),
        }
    }
}

impl Reading<'_> {
    fn field(&mut self, number: u32, content: Content<'_>) -> Result<(), SavedPlanError> {
        match number {
            2 => {
                let variable: message::Variable = message::decode(content, "variables")?;
                let value = variable.value.unwrap_or_default();
                let place = format!("var.{}", variable.name);
                let value = self.file.value(&value, Some(&Type::Dynamic), &place, None)?;
                self.variables.insert(variable.name.into(), value);
            }
            3 => self.listed(content, false)?,
            18 => self.listed(content, true)?,
            4 => self.output(message::decode(content, "output_changes")?)?,
            15 => {
                let attribute = relevant(message::decode(content, "relevant_attributes")?)?;
                push(&mut self.plan.relevant_attributes, attribute, "relevant attributes")?;
            }
            19 => {
                let found = check(&message::decode(content, "check_results")?)?;
                push(&mut self.plan.checks, found, "checks")?;
            }
            // Released versions of Terraform refuse `-allow-deferral`, but print such a plan.
            27 => {
                let object = self.deferred_change(content)?;
                push(&mut self.deferrals.changes, object, "deferred changes")?;
            }
            // Terraform writes them since 1.14.
            30 => {
                let message = message::decode(bounded(content, "action_invocations")?, "action_invocations")?;
                let invocation = self.invocation(message)?;
                push(&mut self.plan.invocations, invocation, "actions")?;
            }
            31 => {
                let list = "deferred_action_invocations";
                let message: message::DeferredInvocation = message::decode(bounded(content, list)?, list)?;
                let invocation = message.invocation.ok_or_else(|| broken(list, "an entry has no action"))?;
                let invocation = self.invocation(invocation)?;
                let reason = deferral_reason(message.deferred, &invocation.address)?;
                let deferred = DeferredInvocation { reason, invocation };
                push(&mut self.deferrals.invocations, deferred, "deferred actions")?;
            }
            _ => {}
        }
        Ok(())
    }

    fn listed(&mut self, content: Content<'_>, is_drift: bool) -> Result<(), SavedPlanError> {
        let Some(object) = self.change(content, is_drift)? else { return Ok(()) };
        let name = if is_drift { "changes outside of Terraform" } else { "changes" };
        let Some(packed) = &mut self.packed else {
            let list = if is_drift { &mut self.plan.drift } else { &mut self.plan.changes };
            return push(list, object, name);
        };
        let range = self.file.range(content).ok_or_else(|| broken(name, "an entry is not a message"))?;
        let PlannedObject { address, deposed, schema, .. } = object;
        let object = PackedObject { address, deposed, schema, range };
        push(&mut packed[usize::from(is_drift)], object, name)
    }

    /// The change of an object; `None` if documents leave it out.
    pub(crate) fn change(
        &mut self,
        content: Content<'_>,
        is_drift: bool,
    ) -> Result<Option<PlannedObject>, SavedPlanError> {
        let list = if is_drift { "resource_drift" } else { "resource_changes" };
        let message: message::ResourceChange = message::decode(bounded(content, list)?, list)?;
        let place = message.addr.as_str();
        if place.is_empty() {
            return Err(broken(list, "a change has no address"));
        }
        let address: InstanceAddress = place.parse().map_err(|_| not_address(place))?;
        let action = action(message.change.as_ref().map_or(0, |change| change.action), place)?;
        // Files of `terraform plan -destroy` have these, and Terraform leaves them out of the document.
        if action == PlannedAction::Delete && address.resource.mode == Mode::Data {
            return Ok(None);
        }
        // These objects only moved. Terraform shows them in documents of `-refresh-only` plans alone.
        if is_drift && action == PlannedAction::NoOp && self.file.header.mode != PlanMode::RefreshOnly {
            return Ok(None);
        }
        self.object(message, address, is_drift, self.packed.is_some()).map(Some)
    }

    fn deferred_change(&mut self, content: Content<'_>) -> Result<DeferredObject, SavedPlanError> {
        let list = "deferred_changes";
        let message: message::DeferredChange = message::decode(bounded(content, list)?, list)?;
        let change = message.change.ok_or_else(|| broken(list, "an entry has no change"))?;
        let place = change.addr.as_str();
        if place.is_empty() {
            return Err(broken(list, "a change has no address"));
        }
        let address = OpenAddress::parse(place).ok_or_else(|| not_address(place))?;
        let reason = deferral_reason(message.deferred, &address)?;
        // A plan has a few of them, if any.
        let object = self.object(change, address.known().clone(), false, false)?;
        Ok(DeferredObject { reason, address, object })
    }

    /// An action that is invoked.
    fn invocation(
        &mut self,
        message: message::ActionInvocation,
    ) -> Result<PlannedInvocation, SavedPlanError> {
        let place = message.addr.as_str();
        let address = ActionAddress::parse(place).ok_or_else(|| not_address(place))?;
        check_depth(&address.module, place)?;
        let provider = provider(&message.provider, place)?;
        let schema = self.copies.get(&provider, SchemaKind::Action, &address.name.action_type)?;
        let config = message.config_value.ok_or_else(|| broken(place, "the action has no configuration"))?;
        let ty = schema.as_deref().map(|schema| schema.block.implied_type());
        let config = self.file.value(&config, ty, place, Some(&provider))?;
        let config = marked(&config, &message.sensitive_config_paths, place)?;
        // The file never has the marks of the schemas of actions (Terraform 1.15.5).
        let config = match schema {
            Some(_) => config,
            None => {
                self.lacks_marks.insert(provider.clone());
                all_hidden(&config)
            }
        };
        let trigger = match message.trigger {
            None => return Err(broken(place, "nothing says why the action is invoked")),
            Some(message::Trigger::Asked(_)) => InvocationTrigger::Asked,
            Some(message::Trigger::Change(trigger)) => {
                let position = |at: i64| {
                    usize::try_from(at).map_err(|_| broken(place, "the place of its trigger is negative"))
                };
                let resource = trigger.triggering_resource_addr.as_str();
                InvocationTrigger::Change {
                    resource: resource.parse().map_err(|_| not_address(resource))?,
                    event: trigger_event(trigger.trigger_event, place)?,
                    block: position(trigger.action_trigger_block_index)?,
                    index: position(trigger.actions_list_index)?,
                    on_failure: None,
                }
            }
        };
        Ok(PlannedInvocation { address, provider, schema, config, trigger })
    }

    fn object(
        &mut self,
        message: message::ResourceChange,
        address: InstanceAddress,
        is_drift: bool,
        packs: bool,
    ) -> Result<PlannedObject, SavedPlanError> {
        let place = message.addr.as_str();
        check_depth(&address.resource.module, place)?;
        let previous: Option<InstanceAddress> = match message.prev_run_addr.as_str() {
            "" => None,
            text => Some(text.parse().map_err(|_| not_address(text))?),
        };
        let previous = previous.filter(|previous| *previous != address);
        let provider = provider(&message.provider, place)?;
        let change = message.change.ok_or_else(|| broken(place, "the change has no content"))?;
        let kind = match address.resource.mode {
            Mode::Managed => SchemaKind::Resource,
            Mode::Data => SchemaKind::DataSource,
            Mode::Ephemeral => return Err(broken(place, "an ephemeral resource is in no plan")),
        };
        let schema = self.copies.get(&provider, kind, &address.resource.resource_type)?;
        let action = action(change.action, place)?;
        let reason = reason(message.action_reason, place)?;
        let hidden = self.file.hidden(schema.is_some(), action, reason, is_drift && previous.is_some());
        if hidden != Hidden::default() {
            self.lacks_marks.insert(provider.clone());
        }
        let (before, after) = match packs {
            true => (Value::null(Type::Dynamic), Value::null(Type::Dynamic)),
            false => self.file.values(&change, action, schema.as_deref(), hidden, place, &provider)?,
        };
        let replace_paths = message.required_replace.iter().map(|one| path(one, place));
        let identity_schema =
            self.copies.get(&provider, SchemaKind::Identity, &address.resource.resource_type)?;
        let identity_type = identity_schema.as_deref().map(|schema| schema.block.implied_type());
        let importing = change.importing.as_ref().map(|importing| match &importing.identity {
            _ if importing.unknown => Ok::<_, SavedPlanError>(ImportedBy::Id(Value::unknown(Type::String))),
            Some(identity) => {
                Ok(ImportedBy::Identity(self.file.value(identity, identity_type, place, Some(&provider))?))
            }
            None => Ok(ImportedBy::Id(importing.id.as_str().into())),
        });
        let identity = |value: &Option<DynamicValue>| {
            let value = value.as_ref().filter(|value| !value.msgpack.is_empty());
            let value = value
                .map(|value| self.file.value(value, identity_type, place, Some(&provider)))
                .transpose()?;
            Ok::<_, SavedPlanError>(value.filter(|value| !value.is_null()))
        };
        let identities = Identities {
            before: identity(&change.before_identity)?,
            after: identity(&change.after_identity)?,
        };
        Ok(PlannedObject {
            previous_address: previous,
            provider,
            deposed: Some(message.deposed_key.as_str()).filter(|key| !key.is_empty()).map(Into::into),
            action,
            reason,
            before,
            after,
            schema,
            replace_paths: replace_paths.collect::<Result<_, _>>()?,
            importing: importing.transpose()?,
            generated_config: Some(change.generated_config).filter(|text| !text.is_empty()),
            identities,
            address,
        })
    }

    fn output(&mut self, message: message::OutputChange) -> Result<(), SavedPlanError> {
        let place = format!("output.{}", message.name);
        let broken =
            |problem: &str| SavedPlanError::Message { place: place.clone(), problem: problem.to_owned() };
        if message.name.is_empty() {
            return Err(broken("an output has no name"));
        }
        let change = message.change.ok_or_else(|| broken("the change has no content"))?;
        let action = action(change.action, &place)?;
        let (before, after) = self.file.sides(&change, action, Some(&Type::Dynamic), &place, None)?;
        let output = PlannedOutput {
            action,
            before,
            after,
            sensitive: message.sensitive,
            sensitive_change: message.sensitive,
            declared: action != PlannedAction::Delete,
        };
        if self.plan.outputs.len() >= MAX_LIST {
            return Err(SavedPlanError::TooMany { list: "outputs", limit: MAX_LIST });
        }
        match self.plan.outputs.insert(message.name.as_str().into(), output) {
            None => Ok(()),
            Some(_) => Err(broken("the output is in the plan twice")),
        }
    }

    /// Reads the state.
    pub(crate) fn state(&mut self, schemas: &Schemas) -> Result<(), SavedPlanError> {
        let (mut state, diagnostics) = PriorState::read(&self.file.state, schemas)?;
        if let Some(address) = state.unreadable.first() {
            let provider = state.resources.get(&address.resource).map(|resource| &resource.provider.provider);
            let locked = provider.and_then(|provider| Some((provider, self.file.locked().get(provider)?)));
            let version = locked.map_or_else(
                || "the version that the plan was made with".to_owned(),
                |(provider, version)| format!("version {version} of {}", provider.for_display()),
            );
            return Err(SavedPlanError::StateOfResource(format!(
                "the schemas do not fit {address}; give those of {version}"
            )));
        }
        let error = diagnostics.iter().find(|found| found.diagnostic.severity == Severity::Error);
        if let Some(error) = error {
            return Err(SavedPlanError::StateOfResource(error.diagnostic.summary.to_string()));
        }
        if self.file.has_no_marks() {
            for (address, resource) in &mut state.resources {
                let provider = &resource.provider.provider;
                let kind = match address.mode {
                    Mode::Data => SchemaKind::DataSource,
                    Mode::Managed | Mode::Ephemeral => SchemaKind::Resource,
                };
                if self.copies.get(provider, kind, &address.resource_type)?.is_some() {
                    continue;
                }
                self.lacks_marks.insert(provider.clone());
                for instance in resource.instances.values_mut() {
                    for object in instance.current.iter_mut().chain(instance.deposed.values_mut()) {
                        object.value = all_hidden(&object.value);
                    }
                }
            }
        }
        for ResourceAddress { module, resource_type, name, .. } in state.resources.keys() {
            check_depth(module, &format!("{resource_type}.{name}"))?;
        }
        identities::add(&self.file.state, &mut state, &mut self.copies)?;
        self.plan.prior_state = state;
        Ok(())
    }

    /// Adds the variables: those that were set, and the defaults of the others. There are none without a configuration,
    /// which alone says which of them are sensitive.
    pub(crate) fn variables(&mut self, config: Option<&Config>) {
        let Some(root) = config.and_then(|config| config.modules.first()) else { return };
        let set = std::mem::take(&mut self.variables);
        let declared = &root.config.variables;
        self.plan.variables = declared
            .iter()
            // Terraform shows the default of an ephemeral variable, even if it was set.
            .filter(|(name, variable)| variable.ephemeral || !set.contains_key(*name))
            .filter_map(|(name, variable)| Some((name.clone(), variable.default.clone()?)))
            .collect();
        let is_ephemeral = |name: &SmolStr| declared.get(name).is_some_and(|variable| variable.ephemeral);
        self.plan.variables.extend(set.into_iter().filter(|(name, _)| !is_ephemeral(name)));
    }
}

/// The provider in the address of its configuration.
pub(crate) fn provider(text: &str, place: &str) -> Result<ProviderAddress, SavedPlanError> {
    text.parse::<ProviderConfigAddress>().map(|address| address.provider).map_err(|_| not_address(place))
}

/// Refuses an address in too many modules: the document repeats it for each of them.
fn check_depth(module: &ModuleAddress, place: &str) -> Result<(), SavedPlanError> {
    if module.0.len() <= MAX_MODULES {
        return Ok(());
    }
    let place = place.chars().take(SHOWN_ADDRESS).collect();
    Err(SavedPlanError::Message { place, problem: format!("it is in more than {MAX_MODULES} modules") })
}

fn broken(place: &str, problem: &str) -> SavedPlanError {
    SavedPlanError::Message { place: place.to_owned(), problem: problem.to_owned() }
}

/// Refuses an entry of a list that is too long.
fn bounded<'m>(content: Content<'m>, list: &str) -> Result<Content<'m>, SavedPlanError> {
    match content {
        Content::Bytes(bytes) if bytes.len() > MAX_CHANGE => {
            Err(broken(list, &format!("an entry has more than {MAX_CHANGE} bytes")))
        }
        content => Ok(content),
    }
}

fn push<T>(list: &mut Vec<T>, entry: T, name: &'static str) -> Result<(), SavedPlanError> {
    if list.len() >= MAX_LIST {
        return Err(SavedPlanError::TooMany { list: name, limit: MAX_LIST });
    }
    list.push(entry);
    Ok(())
}

fn relevant(message: message::RelevantAttribute) -> Result<RelevantAttribute, SavedPlanError> {
    let place = message.resource.as_str();
    if place.is_empty() {
        return Err(SavedPlanError::Message {
            place: "relevant_attributes".to_owned(),
            problem: "an attribute has no resource".to_owned(),
        });
    }
    let steps: Path = path(&message.attr.unwrap_or_default(), place)?;
    let step = |step: &PathStep| match step {
        PathStep::Attribute(name) => Ok(RelevantStep::Name(name.clone())),
        PathStep::Index(key) => match (key.as_str(), key.as_number().and_then(Number::as_u64)) {
            (Some(name), _) => Ok(RelevantStep::Name(name.into())),
            (None, Some(position)) => Ok(RelevantStep::Index(position)),
            (None, None) => Err(not_address(place)),
        },
    };
    Ok(RelevantAttribute {
        path: steps.steps().iter().map(step).collect::<Result<_, _>>()?,
        resource: message.resource,
    })
}
