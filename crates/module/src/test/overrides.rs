//! Overrides: which one counts for an object, and what it says.

use std::collections::BTreeMap;

use objchange::Value;
use objchange::address::{InstanceAddress, Mode};
use objchange_hcl::{
    Attribute, Functions, MoveTarget, Override, OverrideDuring, Scope, Span, Variables, evaluate,
};

use crate::plan::OverriddenModule;
use crate::{Diagnostics, ProviderConfigAddress};

/// Given values for an object, by an override.
#[derive(Debug)]
struct GivenBy {
    /// The provider whose `mock_provider` block has the override, which applies only to its objects. `None` outside of one.
    mock: Option<ProviderConfigAddress>,
    given: GivenValues,
}

/// Given values for an object.
#[derive(Debug, Clone, Default)]
pub(super) struct GivenValues {
    /// An object; `None` without values.
    pub(super) values: Option<Value>,
    /// Where they are written: `a.tftest.hcl:3,5-5,6`.
    pub(super) place: String,
    pub(super) during: OverrideDuring,
}

/// The overrides of a run.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    resources: BTreeMap<String, Vec<GivenBy>>,
    pub(super) modules: Vec<OverriddenModule>,
}

/// The override of a level; when the values count where it does not say so; and the mock that it stands in, if it does.
pub(super) type LeveledOverride<'o> =
    (&'o Override, Option<OverrideDuring>, Option<&'o ProviderConfigAddress>);

impl Overrides {
    /// Reads the overrides of these levels; the first for a target wins. Returns also errors in their values.
    pub(super) fn new<'o>(
        levels: impl IntoIterator<Item = LeveledOverride<'o>>,
        functions: &Functions,
        is_new: bool,
        place: impl Fn(Span) -> String,
    ) -> (Self, Diagnostics) {
        let functions = (functions, is_new);
        let mut found = Diagnostics::default();
        let mut all = Self::default();
        for (overriding, during, mock) in levels {
            let values = overriding.values.as_ref();
            match &overriding.target {
                MoveTarget::Resource(address) => {
                    let key = address.to_string();
                    // Levels come in order of precedence, so the first override of a target counts.
                    let of_target = all.resources.entry(key).or_default();
                    if of_target.iter().any(|other| other.mock.is_none() || other.mock.as_ref() == mock) {
                        continue;
                    }
                    let Some(values) = object(values, "values", overriding, functions, &mut found) else {
                        continue;
                    };
                    let span = overriding.values.as_ref().map(whole);
                    let given = GivenValues {
                        values,
                        place: span.map(&place).unwrap_or_default(),
                        during: overriding.during.or(during).unwrap_or_default(),
                    };
                    of_target.push(GivenBy { mock: mock.cloned(), given });
                }
                MoveTarget::Module(target) => {
                    if all.modules.iter().any(|other| other.target == *target) {
                        continue;
                    }
                    let Some(outputs) = object(values, "outputs", overriding, functions, &mut found) else {
                        continue;
                    };
                    let outputs = outputs.unwrap_or_else(|| Value::object::<&str, Value>([]));
                    all.modules.push(OverriddenModule { target: target.clone(), outputs });
                }
            }
        }
        (all, found)
    }

    /// The override of an instance of this provider: its own, else that for all instances.
    pub(super) fn find(&self, provider: &ProviderConfigAddress, address: &str) -> Option<&GivenValues> {
        if self.resources.is_empty() {
            return None;
        }
        let find = |target: &str| {
            let mut of_target = self.resources.get(target)?.iter();
            let found = of_target.find(|by| by.mock.as_ref().is_none_or(|mock| mock == provider))?;
            Some(&found.given)
        };
        // As in Terraform 1.11.4, a target with a key beats one without, even if the latter is on a closer level.
        find(address).or_else(|| {
            let mut address: InstanceAddress = address.parse().ok()?;
            address.key.take()?;
            find(&address.to_string())
        })
    }
}

/// All of an argument.
pub(super) fn whole(attribute: &Attribute) -> Span {
    attribute.name_span.to(attribute.expr.span)
}

/// The value of an argument that is an object; the outer `None` where it is wrong. Names mean nothing in it.
fn object(
    attribute: Option<&Attribute>,
    name: &str,
    overriding: &Override,
    (functions, is_new): (&Functions, bool),
    found: &mut Diagnostics,
) -> Option<Option<Value>> {
    let Some(attribute) = attribute else { return Some(None) };
    let value = constant_of(attribute, functions, found)?;
    if value.as_object().is_none() {
        let (article, kind) = match (&overriding.target, name) {
            (MoveTarget::Module(_), _) => ("an", "override_module"),
            (MoveTarget::Resource(address), _) => match address.resource.mode {
                Mode::Managed => ("a", "override_resource"),
                Mode::Data => ("a", "override_data"),
                Mode::Ephemeral => ("a", "override_ephemeral"),
            },
        };
        // Since 1.15 Terraform calls the attribute of all overrides `outputs`.
        let (article, name) = if is_new { ("an", "outputs") } else { (article, name) };
        let detail = format!("{kind} blocks must specify {article} {name} attribute that is an object.");
        found.error(
            ("invalid_values_attribute", format!("Invalid {name} attribute")),
            whole(attribute),
            detail,
        );
        return None;
    }
    Some(Some(value))
}

/// The value of an argument in which no variable means anything.
pub(super) fn constant_of(
    attribute: &Attribute,
    functions: &Functions,
    found: &mut Diagnostics,
) -> Option<Value> {
    let nothing = Value::object::<&str, Value>([]);
    let names: Variables = [("var", nothing.clone()), ("run", nothing)].into_iter().collect();
    let (value, errors) = evaluate(&attribute.expr, &Scope::new(&names), functions);
    let is_right = errors.is_empty();
    found.errors(errors);
    is_right.then_some(value)
}
