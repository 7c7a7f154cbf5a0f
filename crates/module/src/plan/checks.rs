//! The results of conditions, gathered by the object that has them.

use std::collections::BTreeMap;

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ResourceAddress};
use smol_str::SmolStr;

use super::conditions::worst;
use super::{CheckInstance, CheckKind, CheckResult, CheckStatus};

/// The results of all conditions.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    objects: BTreeMap<Object, CheckedObject>,
}

/// An object of configuration: the calls to its module, its kind, and its name there.
type Object = (Vec<SmolStr>, CheckKind, String);

#[derive(Debug, Default)]
struct CheckedObject {
    /// How many conditions each instance has.
    conditions: usize,
    /// The instances are known, even if there are none.
    is_expanded: bool,
    instances: BTreeMap<InstanceAddress, Results>,
}

/// The results of an instance's conditions; some may not have been evaluated.
#[derive(Debug, Default)]
struct Results {
    statuses: Vec<CheckStatus>,
    problems: Vec<String>,
}

impl Checks {
    /// Says that an object has so many conditions, whether it has instances or not.
    pub(crate) fn declare(&mut self, kind: CheckKind, module: &[SmolStr], name: &str, conditions: usize) {
        self.objects.entry((module.to_vec(), kind, name.to_owned())).or_default().conditions = conditions;
    }

    /// Says that the instances of an object are known.
    pub(crate) fn expand(&mut self, kind: CheckKind, module: &[SmolStr], name: &str) {
        if let Some(found) = self.objects.get_mut(&(module.to_vec(), kind, name.to_owned())) {
            found.is_expanded = true;
        }
    }

    /// Says that there is an instance of a declared object.
    pub(crate) fn open(
        &mut self,
        kind: CheckKind,
        module: &ModuleAddress,
        name: &str,
        key: Option<InstanceKey>,
    ) {
        self.results(kind, module, name, key);
    }

    /// Adds what some conditions of an instance have come to.
    pub(crate) fn instance(
        &mut self,
        kind: CheckKind,
        module: &ModuleAddress,
        name: &str,
        key: Option<InstanceKey>,
        statuses: &[CheckStatus],
        problems: Vec<String>,
    ) {
        if let Some(results) = self.results(kind, module, name, key) {
            results.statuses.extend(statuses);
            results.problems.extend(problems);
        }
    }

    fn results(
        &mut self,
        kind: CheckKind,
        module: &ModuleAddress,
        name: &str,
        key: Option<InstanceKey>,
    ) -> Option<&mut Results> {
        let path: Vec<SmolStr> = module.0.iter().map(|step| step.name.as_str().into()).collect();
        let (mode, resource_type, own_name) = parts(kind, name);
        let resource = ResourceAddress { module: module.clone(), mode, resource_type, name: own_name };
        let found = self.objects.get_mut(&(path, kind, name.to_owned()))?;
        Some(found.instances.entry(InstanceAddress { resource, key }).or_default())
    }

    /// All of them, in the order of their addresses as texts.
    pub(crate) fn finish(self) -> Vec<CheckResult> {
        let results = self.objects.into_iter().map(|((module, kind, name), found)| {
            let conditions = found.conditions;
            let instance = |(address, results): (InstanceAddress, Results)| {
                // A failed precondition keeps postconditions from being evaluated; these are unknown.
                let open = results.statuses.len() < conditions;
                let unjudged = open.then_some(CheckStatus::Unknown);
                let status = worst(results.statuses.into_iter().chain(unjudged));
                CheckInstance { address, status, problems: results.problems }
            };
            let instances: Vec<CheckInstance> = found.instances.into_iter().map(instance).collect();
            let unexpanded = (!found.is_expanded).then_some(CheckStatus::Unknown);
            let status = worst(instances.iter().map(|instance| instance.status).chain(unexpanded));
            let instances = (!instances.is_empty()).then_some(instances);
            CheckResult { kind, module, name, status, instances }
        });
        let mut results: Vec<CheckResult> = results.collect();
        // Terraform sorts `checks` by `to_display` as text, with all kinds mixed.
        results.sort_by_cached_key(CheckResult::to_display);
        results
    }
}

/// Mode, type and name of what has the conditions; only resources have a type.
fn parts(kind: CheckKind, name: &str) -> (Mode, String, String) {
    if kind != CheckKind::Resource {
        return (Mode::Managed, String::new(), name.to_owned());
    }
    let (mode, rest) = match name.strip_prefix("data.") {
        Some(rest) => (Mode::Data, rest),
        None => match name.strip_prefix("ephemeral.") {
            Some(rest) => (Mode::Ephemeral, rest),
            None => (Mode::Managed, name),
        },
    };
    let (resource_type, name) = rest.split_once('.').unwrap_or(("", rest));
    (mode, resource_type.to_owned(), name.to_owned())
}
