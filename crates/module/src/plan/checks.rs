//! The results of conditions, gathered by the object that has them.

use std::collections::BTreeMap;

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ResourceAddress};
use smol_str::SmolStr;

use super::conditions::worst;
use super::{CheckInstance, CheckKind, CheckResult, CheckStatus};

/// The results of all conditions.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    objects:
        BTreeMap<(Vec<SmolStr>, CheckKind, String), BTreeMap<InstanceAddress, (CheckStatus, Vec<String>)>>,
}

impl Checks {
    /// Says that an object has conditions, whether it has instances or not.
    pub(crate) fn declare(&mut self, kind: CheckKind, module: &[SmolStr], name: &str) {
        self.objects.entry((module.to_vec(), kind, name.to_owned())).or_default();
    }

    /// Adds the results of an instance; those of one that is there already come in addition.
    pub(crate) fn instance(
        &mut self,
        kind: CheckKind,
        module: &ModuleAddress,
        name: &str,
        key: Option<InstanceKey>,
        statuses: &[CheckStatus],
        problems: Vec<String>,
    ) {
        let path: Vec<SmolStr> = module.0.iter().map(|step| step.name.as_str().into()).collect();
        let (mode, resource_type, own_name) = parts(kind, name);
        let resource = ResourceAddress { module: module.clone(), mode, resource_type, name: own_name };
        let instances = self.objects.entry((path, kind, name.to_owned())).or_default();
        let entry = instances
            .entry(InstanceAddress { resource, key })
            .or_insert_with(|| (CheckStatus::Pass, Vec::new()));
        entry.0 = worst(statuses.iter().copied().chain([entry.0]));
        entry.1.extend(problems);
    }

    /// All of them, in the order of their addresses as texts.
    pub(crate) fn finish(self) -> Vec<CheckResult> {
        let results = self.objects.into_iter().map(|((module, kind, name), instances)| {
            let status = match instances.is_empty() {
                true => CheckStatus::Unknown,
                false => worst(instances.values().map(|(status, _)| *status)),
            };
            let instances: Vec<CheckInstance> = instances
                .into_iter()
                .map(|(address, (status, problems))| CheckInstance { address, status, problems })
                .collect();
            let instances = (!instances.is_empty()).then_some(instances);
            CheckResult { kind, module, name, status, instances }
        });
        let mut results: Vec<CheckResult> = results.collect();
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
