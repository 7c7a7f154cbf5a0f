//! The moves that configuration declares, and those that it implies, in the order in which they are made.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use objchange::address::{InstanceKey, Mode, ResourceAddress};
use objchange_hcl::{MoveTarget, MovedConfig, ResourceConfig, ResourceName, Span};
use smol_str::SmolStr;

use super::endpoint::Endpoint;
use crate::components::components;
use crate::config::{Config, LoadedModule};
use crate::state::PriorState;

/// A move.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// The names of the calls to the module that declares it.
    pub(super) module: Vec<SmolStr>,
    /// Where it is declared.
    pub(super) span: Span,
    pub(super) from: Endpoint,
    pub(super) to: Endpoint,
}

impl Statement {
    /// `None` of a block that moves nothing that Terraform manages.
    fn new(module: &[SmolStr], moved: &MovedConfig) -> Option<Self> {
        let is_one = is_one(&moved.from.target) || is_one(&moved.to.target);
        // Other pairs are an error of the file already: `Invalid "moved" addresses`.
        let is_same_kind = matches!(
            (&moved.from.target, &moved.to.target),
            (MoveTarget::Module(_), MoveTarget::Module(_))
                | (MoveTarget::Resource(_), MoveTarget::Resource(_))
        );
        // Terraform ignores moves of data sources silently: it reads them anew anyway.
        (is_same_kind && is_managed(&moved.from.target) && is_managed(&moved.to.target)).then(|| Self {
            module: module.to_vec(),
            span: moved.header,
            from: Endpoint::new(module, &moved.from.target, is_one),
            to: Endpoint::new(module, &moved.to.target, is_one),
        })
    }

    /// Whether the other one has to be made first.
    fn depends_on(&self, other: &Self) -> bool {
        // A move within the place that this one leaves comes before it, unless it is within the new place, too.
        let is_inside = self.from.contains(&other.to) || self.from.is_around(&other.from);
        other.to.contains(&self.from)
            || is_inside && !self.to.contains(&other.from)
            || other.to.is_around(&self.to)
    }
}

fn is_one(target: &MoveTarget) -> bool {
    match target {
        MoveTarget::Module(address) => address.0.last().is_some_and(|step| step.key.is_some()),
        MoveTarget::Resource(address) => address.key.is_some(),
    }
}

fn is_managed(target: &MoveTarget) -> bool {
    match target {
        MoveTarget::Module(_) => true,
        MoveTarget::Resource(address) => address.resource.mode == Mode::Managed,
    }
}

/// The moves of all `moved` blocks: each module's before those of the modules that it calls.
pub(super) fn declared(config: &Config) -> Vec<Statement> {
    let modules = config.modules.iter();
    modules
        .flat_map(|module| module.config.moved.iter().filter_map(|moved| Statement::new(&module.path, moved)))
        .collect()
}

/// Finds what configuration declares.
pub(super) struct Declared<'c>(HashMap<Vec<&'c str>, &'c LoadedModule>);

impl<'c> Declared<'c> {
    pub(super) fn new(config: &'c Config) -> Self {
        let path = |module: &'c LoadedModule| module.path.iter().map(SmolStr::as_str).collect();
        Self(config.modules.iter().map(|module| (path(module), module)).collect())
    }

    pub(super) fn module<'p>(&self, path: impl Iterator<Item = &'p str>) -> Option<&'c LoadedModule> {
        self.0.get(path.collect::<Vec<_>>().as_slice()).copied()
    }

    pub(super) fn resource(&self, address: &ResourceAddress) -> Option<&'c ResourceConfig> {
        let module = self.module(address.module.0.iter().map(|step| step.name.as_str()))?;
        let name = ResourceName {
            mode: address.mode,
            resource_type: address.resource_type.as_str().into(),
            name: address.name.as_str().into(),
        };
        module.config.resources.get(&name)
    }
}

/// The implied moves of instances whose resource gained or lost `count`. Resources in `moved` blocks are left out.
pub(super) fn implied(config: &Config, explicit: &[Statement], state: &PriorState) -> Vec<Statement> {
    let declared = Declared::new(config);
    let first = Some(InstanceKey::Number(0));
    let mut named: HashMap<(&str, &str), Vec<&Endpoint>> = HashMap::new();
    for end in explicit.iter().flat_map(|statement| [&statement.from, &statement.to]) {
        if let Some((_, resource_type, name, _)) = &end.resource {
            named.entry((resource_type, name)).or_default().push(end);
        }
    }
    let mut statements = Vec::new();
    for (address, resource) in &state.resources {
        if address.mode != Mode::Managed {
            continue;
        }
        let Some(config) = declared.resource(address) else { continue };
        // Terraform implies moves between no key and `[0]` only, and only for resources, never for modules or
        // `for_each`.
        let (from, to) = match (&config.count, &config.for_each) {
            (Some(_), _) => (None, first.clone()),
            (None, None) => (first.clone(), None),
            (None, Some(_)) => continue,
        };
        let names = named.get(&(address.resource_type.as_str(), address.name.as_str()));
        if !resource.instances.contains_key(&from)
            || names.is_some_and(|ends| ends.iter().any(|end| end.is_resource(address)))
        {
            continue;
        }
        statements.push(Statement {
            module: Vec::new(),
            span: config.header,
            from: Endpoint::instance(address, from),
            to: Endpoint::instance(address, to),
        });
    }
    statements
}

/// Moves that wait for one another, by their positions.
pub(super) type Cycle = Vec<usize>;

/// The order in which moves are made.
///
/// # Errors
///
/// Those that wait for one another.
pub(super) fn order(statements: &[Statement]) -> Result<Vec<usize>, Vec<Cycle>> {
    // Ends have to do with one another only where their first names are the same.
    let mut heads: BTreeMap<(&str, &str), BTreeSet<usize>> = BTreeMap::new();
    for (i, statement) in statements.iter().enumerate() {
        for end in [&statement.from, &statement.to] {
            heads.entry(end.head()).or_default().insert(i);
        }
    }
    let mut waits: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); statements.len()];
    for together in heads.values() {
        for &a in together {
            waits[a].extend(
                together.iter().copied().filter(|&b| a != b && statements[a].depends_on(&statements[b])),
            );
        }
    }
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); statements.len()];
    for (a, others) in waits.iter().enumerate() {
        others.iter().for_each(|&b| followers[b].push(a));
    }
    let mut open: Vec<usize> = waits.iter().map(BTreeSet::len).collect();
    // Smallest position first: independent moves keep the order of the configuration.
    let mut ready: BTreeSet<usize> = (0..statements.len()).filter(|&i| open[i] == 0).collect();
    let mut order = Vec::new();
    while let Some(next) = ready.pop_first() {
        order.push(next);
        for &follower in &followers[next] {
            open[follower] -= 1;
            if open[follower] == 0 {
                ready.insert(follower);
            }
        }
    }
    if order.len() == statements.len() { Ok(order) } else { Err(cycles(&waits, &open)) }
}

/// The moves that wait for themselves, together with those on the way back to them.
fn cycles(waits: &[BTreeSet<usize>], open: &[usize]) -> Vec<Cycle> {
    let open_waits = |all: &BTreeSet<usize>| all.iter().copied().filter(|&next| open[next] > 0).collect();
    let waits: Vec<Vec<usize>> = waits.iter().map(open_waits).collect();
    let mut cycles: Vec<Cycle> = components(waits.len(), |at| &waits[at]);
    cycles.retain(|cycle| cycle.len() > 1);
    cycles.iter_mut().for_each(|cycle| cycle.sort_unstable());
    cycles.sort_unstable();
    cycles
}
