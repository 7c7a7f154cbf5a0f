//! The two ends of a move.

use std::fmt;

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ModuleStep, ResourceAddress};
use objchange_hcl::MoveTarget;
use smol_str::SmolStr;

/// Which instances an end of a move names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Keys {
    /// Each, as the module that declares the move may have several instances.
    Each,
    /// All together: the call or resource itself.
    All,
    /// One.
    One(Option<InstanceKey>),
}

/// An end of a move, seen from the root module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// The calls, each with its instances.
    pub(super) steps: Vec<(String, Keys)>,
    /// The resource; without one, the end is the last of the calls.
    pub(super) resource: Option<(Mode, String, String, Keys)>,
}

impl Endpoint {
    /// An end of a `moved` block in this module. `is_one` says that it names a single instance.
    pub(super) fn new(module: &[SmolStr], target: &MoveTarget, is_one: bool) -> Self {
        let mut steps: Vec<_> = module.iter().map(|name| (name.to_string(), Keys::Each)).collect();
        let one = |step: &ModuleStep| (step.name.clone(), Keys::One(step.key.clone()));
        match target {
            MoveTarget::Module(address) => {
                steps.extend(address.0.iter().map(one));
                if let (Some((_, keys)), false) = (steps.last_mut(), is_one) {
                    *keys = Keys::All;
                }
                Self { steps, resource: None }
            }
            MoveTarget::Resource(InstanceAddress { resource, key }) => {
                steps.extend(resource.module.0.iter().map(one));
                let keys = if is_one { Keys::One(key.clone()) } else { Keys::All };
                let resource = (resource.mode, resource.resource_type.clone(), resource.name.clone(), keys);
                Self { steps, resource: Some(resource) }
            }
        }
    }

    /// One instance of a resource.
    pub(super) fn instance(address: &ResourceAddress, key: Option<InstanceKey>) -> Self {
        let address = InstanceAddress { resource: address.clone(), key };
        Self::new(&[], &MoveTarget::Resource(address), true)
    }

    /// The calls or the resource around, by which ends are found that have to do with one another.
    pub(super) fn head(&self) -> (&str, &str) {
        match (&self.resource, self.steps.first()) {
            (_, Some((name, _))) => ("", name),
            (Some((_, resource_type, name, _)), None) => (resource_type, name),
            (None, None) => ("", ""),
        }
    }

    /// Whether all that the other end names is part of what this one names.
    pub(super) fn contains(&self, other: &Self) -> bool {
        let steps = std::iter::zip(&self.steps, &other.steps);
        let mut steps = steps.map(|(a, b)| a.0 == b.0 && a.1.contains(&b.1));
        match (&self.resource, &other.resource) {
            _ if !steps.all(|contains| contains) => false,
            (None, _) => self.steps.len() <= other.steps.len(),
            (Some(a), Some(b)) => {
                self.steps.len() == other.steps.len()
                    && (a.0, &a.1, &a.2) == (b.0, &b.1, &b.2)
                    && a.3.contains(&b.3)
            }
            (Some(_), None) => false,
        }
    }

    /// Whether what the other end names is a part of what this one names, and not all of it.
    pub(super) fn is_around(&self, other: &Self) -> bool {
        self.contains(other) && !other.contains(self)
    }

    /// The leading module calls with a single instance each. Everything that this end names is in that module.
    pub(super) fn fixed(&self) -> ModuleAddress {
        let fixed = self.steps.iter().map_while(|(name, keys)| match keys {
            Keys::One(key) => Some(ModuleStep { name: name.clone(), key: key.clone() }),
            Keys::Each | Keys::All => None,
        });
        ModuleAddress(fixed.collect())
    }

    /// The first module, in order, that may be what the end names: [`fixed`](Self::fixed), and the call behind that.
    pub(super) fn first_module(&self) -> ModuleAddress {
        let mut first = self.fixed();
        let next = self.steps.get(first.0.len());
        first.0.extend(next.map(|(name, _)| ModuleStep { name: name.clone(), key: None }));
        first
    }

    /// The only resource that the end names, or has instances of, if one instance is named of each call.
    pub(super) fn exact_resource(&self) -> Option<ResourceAddress> {
        let fixed = self.fixed();
        (fixed.0.len() == self.steps.len()).then(|| self.resource_in(fixed)).flatten()
    }

    /// Whether the calls are the first of this module's address.
    pub(super) fn is_start_of(&self, module: &ModuleAddress) -> bool {
        self.steps.len() <= module.0.len()
            && std::iter::zip(&self.steps, &module.0)
                .all(|((name, keys), step)| *name == step.name && keys.has(&step.key))
    }

    /// Whether the resource is this one, or one of its instances is named.
    pub(super) fn is_resource(&self, address: &ResourceAddress) -> bool {
        self.resource.as_ref().is_some_and(|(mode, resource_type, name, _)| {
            self.steps.len() == address.module.0.len()
                && (*mode, resource_type, name) == (address.mode, &address.resource_type, &address.name)
                && self.is_start_of(&address.module)
        })
    }

    /// The address of a module in what this end names, when it comes from the other end.
    pub(super) fn module_from(&self, from: &Self, module: &ModuleAddress) -> ModuleAddress {
        let key = |i: usize| module.0.get(i).and_then(|step| step.key.clone());
        let steps = self.steps.iter().enumerate().map(|(i, (name, keys))| {
            let key = match keys {
                Keys::One(one) => one.clone(),
                // The module that declares the move is the same at both ends.
                Keys::Each => key(i),
                Keys::All => key(from.steps.len() - 1),
            };
            ModuleStep { name: name.clone(), key }
        });
        ModuleAddress(steps.chain(module.0.iter().skip(from.steps.len()).cloned()).collect())
    }

    /// The address of the resource that this end names, in that module.
    pub(super) fn resource_in(&self, module: ModuleAddress) -> Option<ResourceAddress> {
        let (mode, resource_type, name, _) = self.resource.clone()?;
        Some(ResourceAddress { module, mode, resource_type, name })
    }

    /// The noun for this end, at first mention and later.
    pub(super) fn noun(&self) -> (&'static str, &'static str) {
        match &self.resource {
            Some((_, _, _, Keys::One(_))) => ("resource instance", "instance"),
            Some(_) => ("resource", "resource"),
            None if matches!(self.steps.last(), Some((_, Keys::One(_)))) => ("module instance", "instance"),
            None => ("module call", "call"),
        }
    }

    /// The address in this instance of the module that declares the move.
    pub(super) fn in_instance(&self, module: &ModuleAddress) -> String {
        let mut address = self.clone();
        for ((_, keys), step) in std::iter::zip(&mut address.steps, &module.0) {
            *keys = Keys::One(step.key.clone());
        }
        if let Some((_, keys @ Keys::All)) = address.steps.last_mut() {
            *keys = Keys::One(None);
        }
        if let Some((_, _, _, keys @ Keys::All)) = &mut address.resource {
            *keys = Keys::One(None);
        }
        address.to_string()
    }
}

impl Keys {
    fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Each | Self::All, _) | (_, Self::Each) => true,
            (Self::One(_), Self::All) => false,
            (Self::One(a), Self::One(b)) => a == b,
        }
    }

    pub(super) fn has(&self, key: &Option<InstanceKey>) -> bool {
        match self {
            Self::Each | Self::All => true,
            Self::One(one) => one == key,
        }
    }
}

/// As messages about cycles write it: `module.b[*].aws_instance.a[0]`.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, keys)) in self.steps.iter().enumerate() {
            let separator = if i > 0 { "." } else { "" };
            write!(f, "{separator}module.{name}{keys}")?;
        }
        let Some((mode, resource_type, name, keys)) = &self.resource else { return Ok(()) };
        let separator = if self.steps.is_empty() { "" } else { "." };
        let mode = if *mode == Mode::Data { "data." } else { "" };
        write!(f, "{separator}{mode}{resource_type}.{name}{keys}")
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each | Self::All => f.write_str("[*]"),
            Self::One(Some(key)) => write!(f, "{key}"),
            Self::One(None) => Ok(()),
        }
    }
}
