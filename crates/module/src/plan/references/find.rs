//! What an address names, among all that was evaluated.

use objchange::Value;
use objchange::address::{InstanceKey, Mode};
use objchange::value::{Kind, Path, PathStep};
use objchange_hcl::ResourceName;
use smol_str::SmolStr;

use super::super::graph::{NodeKey, NodeKind};
use super::super::instances::ModuleInstanceId;
use super::super::walk::Walk;
use super::address;

/// An object in an instance of its module, and a part of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) at: ModuleInstanceId,
    pub(super) node: usize,
    /// The key of the instance, if one is named.
    pub(super) key: Option<Value>,
    /// The attribute, and what is taken out of it.
    pub(super) path: Vec<PathStep>,
}

impl<'c> Walk<'_, 'c> {
    /// What an address names, such as `module.m["a"].aws_instance.web[0].ami`.
    pub(super) fn find_address(&self, text: &str) -> Option<Found> {
        let path: Path = text.parse().ok()?;
        let mut steps = path.steps();
        let mut modules: Vec<(&str, Option<&Value>)> = Vec::new();
        while let [PathStep::Attribute(word), PathStep::Attribute(name), rest @ ..] = steps
            && word == "module"
        {
            let (key, after) = match rest {
                [PathStep::Index(key), after @ ..] => (Some(key), after),
                _ => (None, rest),
            };
            if after.is_empty() {
                let at = self.find_module(&modules)?;
                let node = self.graph.find(&NodeKey::Call(self.world.instances[at].module, name.clone()))?;
                return Some(Found { at, node, key: key.cloned(), path: Vec::new() });
            }
            modules.push((name, key));
            steps = after;
        }
        let at = self.find_module(&modules)?;
        let module = self.world.instances[at].module;
        let name = |steps: &[PathStep], position: usize| match steps.get(position) {
            Some(PathStep::Attribute(name)) => Some(name.clone()),
            _ => None,
        };
        let root = name(steps, 0)?;
        let single: Option<fn(usize, SmolStr) -> NodeKey> = match root.as_str() {
            "var" => Some(NodeKey::Variable),
            "local" => Some(NodeKey::Local),
            "output" => Some(NodeKey::Output),
            "check" => Some(NodeKey::Check),
            _ => None,
        };
        if let Some(key) = single {
            let node = self.graph.find(&key(module, name(steps, 1)?))?;
            return Some(Found { at, node, key: None, path: steps[2..].to_vec() });
        }
        let (mode, first) = match root.as_str() {
            "data" => (Mode::Data, 1),
            "ephemeral" => (Mode::Ephemeral, 1),
            "resource" => (Mode::Managed, 1),
            _ => (Mode::Managed, 0),
        };
        let resource =
            ResourceName { mode, resource_type: name(steps, first)?, name: name(steps, first + 1)? };
        let node = self.graph.find(&NodeKey::Resource(module, resource))?;
        let (key, path) = match &steps[first + 2..] {
            [PathStep::Index(key), path @ ..] => (Some(key.clone()), path),
            path => (None, path),
        };
        Some(Found { at, node, key, path: path.to_vec() })
    }

    /// The first instance of a module; a call without a key may be any of its instances.
    fn find_module(&self, path: &[(&str, Option<&Value>)]) -> Option<ModuleInstanceId> {
        self.world.instances.iter().position(|instance| {
            let steps = &instance.address.0;
            steps.len() == path.len()
                && std::iter::zip(steps, path).all(|(step, (name, key))| {
                    step.name == *name && key.is_none_or(|key| is_key(step.key.as_ref(), key))
                })
        })
    }

    /// The value of an object, or of the part that is meant; none where it has none.
    pub(super) fn value_of(&self, found: &Found) -> Option<Value> {
        let instance = &self.world.instances[found.at];
        let whole = match &self.graph.nodes[found.node].kind {
            NodeKind::Variable(name, _) => instance.variables.get(*name)?,
            NodeKind::Local(name, _) => instance.locals.get(*name)?,
            NodeKind::Output(name, _) => instance.outputs.get(*name)?,
            NodeKind::Resource(resource) => instance.resources.get(resource.name)?,
            _ => return None,
        };
        let key = found.key.clone().map(PathStep::Index);
        part(whole, key.iter().chain(&found.path))
    }

    /// All addresses that can be asked about.
    pub(super) fn addresses(&self) -> Vec<String> {
        let nodes = self.graph.nodes.iter();
        let mut all: Vec<String> = nodes.filter_map(|node| address(self.input.config, node)).collect();
        all.extend(self.plan.changes.iter().map(|change| change.address.to_string()));
        all
    }
}

fn is_key(key: Option<&InstanceKey>, wanted: &Value) -> bool {
    match (key, wanted.kind()) {
        (Some(InstanceKey::String(key)), Kind::String(wanted)) => key == wanted,
        (Some(InstanceKey::Number(key)), Kind::Number(wanted)) => key.to_string() == wanted.to_string(),
        _ => false,
    }
}

/// A part of a value; of what is unknown everything is.
fn part<'p>(whole: &Value, path: impl IntoIterator<Item = &'p PathStep>) -> Option<Value> {
    let mut value = whole;
    for step in path {
        if !value.is_known() {
            return Some(value.clone());
        }
        value = match step {
            PathStep::Attribute(name) => value.attribute(name).or_else(|| value.element(name))?,
            PathStep::Index(key) => match key.kind() {
                Kind::String(key) => value.element(key).or_else(|| value.attribute(key))?,
                Kind::Number(number) => value.index(number.to_string().parse().ok()?)?,
                _ => return None,
            },
        };
    }
    Some(value.clone())
}
