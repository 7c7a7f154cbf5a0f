//! The actions that a plan invokes: which are shown below which change, which by themselves, how many they are.

use std::mem;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::{Filter, ReportEntry, Schemas, ShowError};
use crate::diff;
use crate::diff::{Block, Diff, DiffAction, Kind};
use crate::novelty::Novelty;
use crate::walk::{Dialect, Sides};
use objchange_document::ChangeSet;
use objchange_document::Program;
use objchange_document::Text;
use objchange_document::changes::{ActionInvocation, ActionTrigger, InvokedConfig, TriggerTime};
use objchange_document::changes::{ChangeValues, ChangedResource, WrittenValues};
use objchange_document::json::Raw;

/// The text about an invoked action. The diff beside it is its configuration, unless that is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionHeader<'p> {
    /// The address of the action.
    pub address: Text<'p>,
    /// The action type.
    pub r#type: Text<'p>,
    /// The name in its module.
    pub name: Text<'p>,
    /// The resource that called what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_from: Option<Text<'p>>,
}

/// An invoked action, and why it is invoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation<'p> {
    /// The address of the action.
    pub address: Text<'p>,
    /// The address of the resource whose change triggers it, and whether it is invoked before that; `None` if the
    /// document says neither.
    pub trigger: Option<(Option<TriggerTime>, Text<'p>)>,
    /// It was invoked explicitly.
    pub is_asked_for: bool,
}

/// An invoked action and its configuration.
pub type ReportAction<'p> = ReportEntry<'p, ActionHeader<'p>>;

/// The actions of a plan that are shown.
pub(super) struct Actions<'p, 't> {
    /// Those that changes trigger, by the address of what changes, in their order.
    triggered: HashMap<&'p str, Vec<(&'p ActionInvocation<'t>, &'p ActionTrigger<'t>)>>,
    /// Those that were asked for.
    invoked: Vec<&'p ActionInvocation<'t>>,
    /// All of them, whether they are shown or not.
    all: Vec<Invocation<'p>>,
}

impl<'p, 't> Actions<'p, 't> {
    /// Those of a plan with these changes that are shown, as far as the program knows of actions, and the filter lets them through:
    /// an action goes with the change that triggers it.
    pub(super) fn new(
        set: &'p ChangeSet<'t>,
        program: Program,
        changes: &[&'p ChangedResource<'t>],
        filter: &Filter,
    ) -> Self {
        let mut actions = Self { triggered: HashMap::new(), invoked: Vec::new(), all: Vec::new() };
        if !Novelty::ActionInvocations.is_in(program) || set.invocations.is_empty() {
            return actions;
        }
        // Terraform 1.14 prints an invocation below the change that triggers it, and only counts it if that change is
        // not shown.
        actions.triggered.extend(changes.iter().map(|change| (&*change.address, Vec::new())));
        for invocation in &set.invocations {
            let is_wanted = filter.matches_action(&invocation.address, &invocation.action_type);
            let trigger = invocation.trigger.as_ref();
            let change = trigger
                .and_then(|trigger| Some((trigger, actions.triggered.get_mut(&*trigger.resource_address)?)));
            if change.is_some() || is_wanted {
                actions.all.push(Invocation {
                    address: invocation.address.clone(),
                    trigger: trigger.map(|trigger| (trigger.time(), trigger.resource_address.clone())),
                    is_asked_for: invocation.invoked.is_some(),
                });
            }
            if let Some((trigger, of_change)) = change {
                of_change.push((invocation, trigger));
            }
            if invocation.invoked.is_some() && is_wanted {
                actions.invoked.push(invocation);
            }
        }
        for of_change in actions.triggered.values_mut() {
            // Stable, because Terraform leaves ties in the order of the document: before-create and before-destroy of
            // one replacement.
            of_change.sort_by_key(|(_, trigger)| (trigger.block_index, trigger.list_index));
        }
        actions
    }

    /// Those that were asked for, and all of them, whether they are shown or not.
    pub(super) fn take_lists(&mut self) -> (Vec<&'p ActionInvocation<'t>>, Vec<Invocation<'p>>) {
        (mem::take(&mut self.invoked), mem::take(&mut self.all))
    }

    /// Those that the change of a resource triggers, before it or after it.
    pub(super) fn of_change(
        &self,
        address: &str,
        time: TriggerTime,
    ) -> impl Iterator<Item = &'p ActionInvocation<'t>> {
        let triggered = self.triggered.get(address).into_iter().flatten();
        triggered.filter(move |(_, trigger)| trigger.time() == Some(time)).map(|(invocation, _)| *invocation)
    }
}

/// The header of an action.
pub(super) fn header<'p>(invocation: &'p ActionInvocation<'_>, program: Program) -> ActionHeader<'p> {
    let caller = invocation.invoked.clone().flatten();
    let says_address = Novelty::InvocationAddress.is_in(program);
    ActionHeader {
        address: invocation.address.clone(),
        r#type: invocation.action_type.clone(),
        name: invocation.name.clone(),
        called_from: caller.filter(|_| says_address),
    }
}

/// The configuration of an action as a diff without changes; hidden if there is none.
pub(super) fn configuration<'p>(
    document: &str,
    invocation: &'p ActionInvocation<'_>,
    schemas: &'p Schemas,
    dialect: Dialect,
) -> Result<Diff<'p>, ShowError> {
    let mut sides = match &invocation.config {
        InvokedConfig::Planned(planned) => Sides::from_values(planned.after(), planned.after(), &[]),
        InvokedConfig::Written(config) => {
            let Some(values) = config.values else {
                // Terraform prints no line `config` then.
                let none = Diff::new(DiffAction::NoOp, Kind::Block(Block::default()));
                return Ok(Diff { hidden: true, ..none });
            };
            let sensitive = config.sensitive.unwrap_or(Raw::NULL);
            let values = ChangeValues::Written(WrittenValues {
                // Terraform prints a configuration as it prints a state: with both sides the same.
                before: values,
                after: values,
                after_unknown: config.unknown.unwrap_or(Raw::NULL),
                before_sensitive: sensitive,
                after_sensitive: sensitive,
                ..WrittenValues::default()
            });
            Sides::read(document, &values, || format!("{}: config_values", invocation.address))?
        }
    };
    if dialect.is_own_format() {
        sides = sides.hiding(None);
    }
    let replaced = sides.replaced();
    let planned = match &invocation.config {
        InvokedConfig::Planned(planned) => planned.schema(),
        InvokedConfig::Written(_) => None,
    };
    let schema = match planned {
        Some(schema) => Some(schema),
        None => schemas.of_action(invocation)?,
    };
    Ok(diff::body(sides.change(&replaced, dialect), schema))
}
