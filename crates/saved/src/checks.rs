//! The results of checks.

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ResourceAddress, module_of};
use objchange_module::plan::{CheckInstance, CheckKind, CheckResult, CheckStatus};
use smol_str::SmolStr;

use crate::error::SavedPlanError;
use crate::message::{CheckObject, CheckResults};

pub(crate) fn check(message: &CheckResults) -> Result<CheckResult, SavedPlanError> {
    let place = message.config_addr.as_str();
    let kind = match message.kind {
        1 => CheckKind::Resource,
        2 => CheckKind::OutputValue,
        3 => CheckKind::Check,
        4 => CheckKind::InputVariable,
        value => return Err(unknown(place, "kind of check", value)),
    };
    let (module, name) = split(place, kind).ok_or_else(|| not_address(place))?;
    let status = status(place, message.status)?;
    let module_steps: ModuleAddress = module.parse().map_err(|_| not_address(place))?;
    let mut instances = message
        .objects
        .iter()
        .map(|object| Ok((object.object_addr.as_str(), instance(object, kind)?)))
        .collect::<Result<Vec<_>, SavedPlanError>>()?;
    // Terraform sorts them by `to_display` as text: `a[10]` comes before `a[1]`.
    instances.sort_by_key(|(address, _)| *address);
    Ok(CheckResult {
        kind,
        module: module_steps.0.iter().map(|step| SmolStr::from(step.name.as_str())).collect(),
        name: name.to_owned(),
        status,
        instances: Some(instances.into_iter().map(|(_, instance)| instance).collect()),
    })
}

fn instance(object: &CheckObject, kind: CheckKind) -> Result<CheckInstance, SavedPlanError> {
    let place = object.object_addr.as_str();
    let (module, name) = split(place, kind).ok_or_else(|| not_address(place))?;
    let address = match kind {
        CheckKind::Resource => place.parse().map_err(|_| not_address(place))?,
        CheckKind::OutputValue | CheckKind::Check | CheckKind::InputVariable => InstanceAddress {
            resource: ResourceAddress {
                module: module.parse().map_err(|_| not_address(place))?,
                mode: Mode::Managed,
                resource_type: String::new(),
                name: name.to_owned(),
            },
            key: None::<InstanceKey>,
        },
    };
    Ok(CheckInstance {
        address,
        status: status(place, object.status)?,
        problems: object.failure_messages.clone(),
    })
}

/// The address of the module, and the object in it: `aws_instance.web`, or a name.
fn split(address: &str, kind: CheckKind) -> Option<(&str, &str)> {
    let module = module_of(address);
    let in_module = if module.is_empty() { address } else { address[module.len()..].strip_prefix('.')? };
    let name = match kind {
        CheckKind::Resource => in_module,
        CheckKind::OutputValue => in_module.strip_prefix("output.")?,
        CheckKind::Check => in_module.strip_prefix("check.")?,
        CheckKind::InputVariable => in_module.strip_prefix("var.")?,
    };
    (!name.is_empty()).then_some((module, name))
}

fn status(place: &str, status: i32) -> Result<CheckStatus, SavedPlanError> {
    match status {
        0 => Ok(CheckStatus::Unknown),
        1 => Ok(CheckStatus::Pass),
        2 => Ok(CheckStatus::Fail),
        3 => Ok(CheckStatus::Error),
        value => Err(unknown(place, "status of a check", value)),
    }
}

pub(crate) fn unknown(place: &str, field: &'static str, value: i32) -> SavedPlanError {
    SavedPlanError::UnknownEnum { place: place.to_owned(), field, value: value.into() }
}

pub(crate) fn not_address(place: &str) -> SavedPlanError {
    SavedPlanError::Message { place: place.to_owned(), problem: "this is not an address".to_owned() }
}
