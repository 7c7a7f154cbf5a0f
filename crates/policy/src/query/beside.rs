//! The parts of a plan that Sentinel's `tfplan/v2` lacks: deferred changes, checks and invoked actions.

#![expect(unreachable_pub, reason = "`items` makes fields of public items, too")]

use objchange::address::module_of;
use objchange_document::changes::{
    ActionInvocation, ChangeValues, ChangedResource, InvokedConfig, WrittenValues,
};
use objchange_document::json::{Json, Raw, View};
use objchange_document::{DocumentError, Plan, Text};
use objchange_plan::Sides;

use crate::collection::{Marked, ResourceChange, items, read};
use crate::tfplan::TfPlan;

/// A change that is left to the next plan.
#[derive(Debug)]
pub(super) struct DeferredChange<'t> {
    /// Why, such as `provider_config_unknown`.
    reason: Text<'t>,
    pub(super) resource: ResourceChange<'t>,
    /// Only the missing providers know whether it is left.
    pub(super) is_possible: bool,
}

/// Something that is checked: a `check` block, or the conditions of a resource, an output or a variable.
#[derive(Debug)]
pub(super) struct Check<'t> {
    pub(super) address: Text<'t>,
    pub(super) module_address: Text<'t>,
    kind: Text<'t>,
    /// `None` if it is known after apply.
    status: Option<Json<'t>>,
    problems: Vec<Text<'t>>,
}

/// An action that is invoked, or left to the next plan.
#[derive(Debug)]
pub(super) struct Action<'t> {
    pub(super) address: Text<'t>,
    pub(super) module_address: Text<'t>,
    action_type: Text<'t>,
    name: Text<'t>,
    provider_name: Text<'t>,
    /// Why it is left to the next plan; empty if it is not.
    reason: Text<'t>,
    /// The resource whose change triggers it, or that calls it.
    resource: Text<'t>,
    event: Text<'t>,
    sides: Sides<'t>,
    /// Only the missing providers know whether it is invoked.
    pub(super) is_possible: bool,
}

impl<'t> DeferredChange<'t> {
    /// All of a plan.
    pub(super) fn all(plan: &Plan<'t>, tfplan: &TfPlan<'t>) -> Result<Vec<Self>, DocumentError> {
        let deferred = plan.changes.deferred.iter().map(|deferred| {
            let resource: &ChangedResource<'t> = &deferred.resource;
            let change =
                ResourceChange::new(plan.text(), resource, &tfplan.simulated, tfplan.raw.stated(), false)?;
            Ok(Self {
                reason: deferred.reason.clone(),
                resource: change,
                is_possible: deferred.is_undecided(),
            })
        });
        deferred.collect()
    }
}

impl<'t> Check<'t> {
    /// All of a plan.
    pub(super) fn all(plan: &Plan<'t>) -> Result<Vec<Self>, DocumentError> {
        let Some(part) = plan.checks() else { return Ok(Vec::new()) };
        let checks = read(plan.text(), &part, "checks")?;
        Ok(checks.view().elements().iter().map(Self::of).collect())
    }

    fn of(check: View<'_, 't>) -> Self {
        let address = check.get("address").map(View::to_json);
        let of_address = |name| address.as_ref().and_then(|address| address.view().get(name)?.text());
        let is_unknown = |part: View<'_, 't>| {
            !matches!(part.get("status").and_then(View::as_str), Some("pass" | "fail" | "error"))
        };
        let instances = || check.get("instances").into_iter().flat_map(|all| all.elements().iter());
        let problems = instances().filter_map(|instance| instance.get("problems"));
        let messages = problems.flat_map(|problems| problems.elements().iter());
        Self {
            address: of_address("to_display").unwrap_or_default(),
            module_address: of_address("module").unwrap_or_default(),
            kind: of_address("kind").unwrap_or_default(),
            status: check.get("status").filter(|_| !is_unknown(check)).map(View::to_json),
            problems: messages.filter_map(|problem| problem.get("message")?.text()).collect(),
        }
    }

    /// The messages of its conditions; `None` if they are known after apply.
    pub(super) fn problems(&self) -> Option<&[Text<'t>]> {
        self.status.as_ref().map(|_| &self.problems[..])
    }
}

impl<'t> Action<'t> {
    /// All of a plan.
    pub(super) fn all(plan: &Plan<'t>, tfplan: &TfPlan<'t>) -> Result<Vec<Self>, DocumentError> {
        let now = plan.changes.invocations.iter().map(|invocation| (invocation, Text::default()));
        let later = plan.changes.deferred_invocations.iter();
        let later = later.map(|deferred| (&deferred.invocation, deferred.reason.clone()));
        now.chain(later).map(|(invocation, reason)| Self::new(plan, tfplan, invocation, reason)).collect()
    }

    fn new(
        plan: &Plan<'t>,
        tfplan: &TfPlan<'t>,
        invocation: &ActionInvocation<'t>,
        reason: Text<'t>,
    ) -> Result<Self, DocumentError> {
        let address = &invocation.address;
        let sides = match &invocation.config {
            InvokedConfig::Planned(planned) => Sides::from_values(planned.after(), planned.after(), &[]),
            InvokedConfig::Written(config) => {
                let [values, unknown, sensitive] =
                    [config.values, config.unknown, config.sensitive].map(|part| part.unwrap_or(Raw::NULL));
                let values = ChangeValues::Written(WrittenValues {
                    after: values,
                    after_unknown: unknown,
                    before_sensitive: sensitive,
                    after_sensitive: sensitive,
                    ..WrittenValues::default()
                });
                Sides::read(plan.text(), &values, || format!("{address}: config"))?
            }
        };
        let trigger = invocation.trigger.as_ref();
        let resource = trigger.map(|trigger| trigger.resource_address.clone());
        let resource = resource.or_else(|| invocation.invoked.clone().flatten()).unwrap_or_default();
        Ok(Self {
            module_address: module_of(address).to_owned().into(),
            address: address.clone(),
            action_type: invocation.action_type.clone(),
            name: invocation.name.clone(),
            provider_name: invocation.provider_name.clone(),
            reason,
            // An update that is open may turn out to change nothing, and then triggers nothing.
            is_possible: tfplan.simulated.hides_actions(&resource),
            resource,
            event: trigger.map(|trigger| trigger.event.clone()).unwrap_or_default(),
            sides,
        })
    }

    fn config(&self) -> Marked<'_, 't> {
        let Sides { after, unknown, before_sensitive, after_sensitive, .. } = &self.sides;
        let sensitive = [before_sensitive.view(), after_sensitive.view()];
        Marked::partly_known(Some(after.view()), unknown.view(), sensitive)
    }
}

items! {
    DeferredChange(item) {
        "reason": Text = Text(&item.reason),
        "address": Text = Text(&item.resource.address),
        "module_address": Text = Text(&item.resource.module_address),
        "mode": Mode = Text(&item.resource.mode),
        "type": Text = Text(&item.resource.resource_type),
        "name": Text = Text(&item.resource.name),
        "index": Index = Index(item.resource.index.as_ref()),
        "provider_name": Text = Text(&item.resource.provider_name),
        "deposed": Text = Text(&item.resource.deposed),
        "change": Change = Change(&item.resource.change),
    }
    Check(item) {
        "address": Text = Text(&item.address),
        "module_address": Text = Text(&item.module_address),
        "kind": Text = Text(&item.kind),
        "status": Status = Value(item.status.as_ref().map(|status| Marked::plain(status.view()))),
        "problems": Texts = match item.problems() {
            Some(problems) => Texts(problems.into()),
            None => Value(None),
        },
    }
    Action(item) {
        "address": Text = Text(&item.address),
        "module_address": Text = Text(&item.module_address),
        "type": Text = Text(&item.action_type),
        "name": Text = Text(&item.name),
        "provider_name": Text = Text(&item.provider_name),
        "config": Value = Value(Some(item.config())),
        "resource": Text = Text(&item.resource),
        "event": Text = Text(&item.event),
        "reason": Text = Text(&item.reason),
    }
}
