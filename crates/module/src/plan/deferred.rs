//! Changes and actions that Terraform leaves to the next plan. Only saved plans have them: nothing is deferred here.

use std::fmt;

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, steps};

use super::{PlannedInvocation, PlannedObject};

/// Everything that a plan of Terraform leaves to the next one.
#[derive(Debug, Default)]
pub struct Deferrals {
    /// The changes of objects.
    pub changes: Vec<DeferredObject>,
    /// The actions, in the order of the document.
    pub invocations: Vec<DeferredInvocation>,
}

impl Deferrals {
    /// The changes in the order of documents.
    pub(crate) fn in_order(&self) -> Vec<&DeferredObject> {
        let mut changes: Vec<_> = self.changes.iter().map(|one| (one.address.order(), one)).collect();
        changes.sort_by(|(a, one), (b, other)| {
            a.cmp(b).then_with(|| one.object.deposed.cmp(&other.object.deposed))
        });
        changes.into_iter().map(|(_, change)| change).collect()
    }
}

/// A change that is left to the next plan.
#[derive(Debug)]
pub struct DeferredObject {
    /// Why.
    pub reason: DeferralReason,
    /// The address, which may be that of any instance.
    pub address: OpenAddress,
    /// The change, as far as it is known. Its own address has no key where the key is unknown.
    pub object: PlannedObject,
}

/// An action that is left to the next plan.
#[derive(Debug)]
pub struct DeferredInvocation {
    /// Why.
    pub reason: DeferralReason,
    /// The action.
    pub invocation: PlannedInvocation,
}

/// Why Terraform leaves something to the next plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeferralReason {
    /// It is not known how many instances there are.
    InstanceCountUnknown,
    /// The configuration of the resource is not known.
    ResourceConfigUnknown,
    /// The configuration of the provider is not known.
    ProviderConfigUnknown,
    /// An object that it needs is not there yet.
    AbsentPrerequisite,
    /// An object that it needs is deferred, too.
    DeferredPrerequisite,
}

impl DeferralReason {
    /// As documents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InstanceCountUnknown => "instance_count_unknown",
            Self::ResourceConfigUnknown => "resource_config_unknown",
            Self::ProviderConfigUnknown => "provider_config_unknown",
            Self::AbsentPrerequisite => "absent_prereq",
            Self::DeferredPrerequisite => "deferred_prereq",
        }
    }
}

/// The address of an instance whose keys may be unknown: `module.m[*].aws_instance.web[*]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAddress {
    /// The address, without keys that are unknown.
    known: InstanceAddress,
    /// The positions of the calls of modules whose keys are unknown; that of the resource comes after them.
    unknown: Vec<usize>,
}

/// An unknown key, as addresses write it.
const UNKNOWN_KEY: &str = "[*]";

impl OpenAddress {
    /// Reads an address; `None` if it is none.
    ///
    /// ```
    /// use objchange_module::plan::OpenAddress;
    ///
    /// let address = OpenAddress::parse("module.m[*].aws_instance.web[*]").unwrap();
    /// assert_eq!(address.to_string(), "module.m[*].aws_instance.web[*]");
    /// assert_eq!(address.known().to_string(), "module.m.aws_instance.web");
    /// assert!(OpenAddress::parse("module[*].m.aws_instance.web").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let mut known = String::with_capacity(text.len());
        let mut open = Vec::new();
        for (at, step) in steps(text).enumerate() {
            if at > 0 {
                known.push('.');
            }
            known.push_str(step.name);
            match step.key {
                UNKNOWN_KEY => open.push(at),
                key => known.push_str(key),
            }
        }
        let known: InstanceAddress = known.parse().ok()?;
        let calls = known.resource.module.0.len();
        let last = steps(text).count() - 1;
        // `module`, and then the name with the key, for each call.
        let position = |at: usize| match at {
            at if at == last => Some(calls),
            at if at < 2 * calls && at % 2 == 1 => Some(at / 2),
            _ => None,
        };
        let unknown = open.into_iter().map(position).collect::<Option<_>>()?;
        Some(Self { known, unknown })
    }

    /// The address, without the keys that are unknown.
    pub fn known(&self) -> &InstanceAddress {
        &self.known
    }

    /// Whether the key of the resource is unknown.
    pub(crate) fn is_key_unknown(&self) -> bool {
        self.unknown.last() == Some(&self.known.resource.module.0.len())
    }

    /// The address of the module, as documents write it; empty for the root module.
    pub(crate) fn module(&self) -> String {
        let ModuleAddress(calls) = &self.known.resource.module;
        let step = |(at, call): (usize, &objchange::address::ModuleStep)| {
            format!("module.{}{}", call.name, self.key_text(at, call.key.as_ref()))
        };
        calls.iter().enumerate().map(step).collect::<Vec<_>>().join(".")
    }

    fn key_text(&self, at: usize, key: Option<&InstanceKey>) -> String {
        match key {
            _ if self.unknown.binary_search(&at).is_ok() => UNKNOWN_KEY.to_owned(),
            Some(key) => key.to_string(),
            None => String::new(),
        }
    }

    /// The sort key in documents: that of other addresses, where an unknown key comes after none, and before all others
    /// (Terraform 1.11.4).
    pub(crate) fn order(&self) -> impl Ord + '_ {
        let InstanceAddress { resource, key } = &self.known;
        let calls = resource.module.0.iter().enumerate();
        let rank = |at: usize, key: Option<&'_ InstanceKey>| {
            (key.is_some() || self.unknown.binary_search(&at).is_ok(), key.cloned())
        };
        let steps: Vec<_> =
            calls.map(|(at, call)| (call.name.as_str(), rank(at, call.key.as_ref()))).collect();
        let of_resource = rank(steps.len(), key.as_ref());
        let is_data = resource.mode == Mode::Data;
        (steps.len(), steps, !is_data, resource.resource_type.as_str(), resource.name.as_str(), of_resource)
    }
}

impl fmt::Display for OpenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InstanceAddress { resource, key } = &self.known;
        let calls = resource.module.0.len();
        let module = self.module();
        if !module.is_empty() {
            write!(f, "{module}.")?;
        }
        let own =
            objchange::address::ResourceAddress { module: ModuleAddress::default(), ..resource.clone() };
        write!(f, "{own}{}", self.key_text(calls, key.as_ref()))
    }
}
