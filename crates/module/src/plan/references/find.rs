//! Finds an address among the evaluated objects.

use objchange::Value;
use objchange::address::{InstanceKey, Mode};
use objchange::value::{Kind, Path, PathStep};
use objchange_hcl::{Body, Expr, ResourceName, variables};
use smol_str::SmolStr;

use super::super::graph::{NodeKey, NodeKind};
use super::super::instances::ModuleInstanceId;
use super::super::resource::instance_address;
use super::super::walk::Walk;
use super::address;
use crate::subject::{Subject, SubjectKind, parse};

/// An object in an instance of its module, and a part of it.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct ObjectPart {
    pub(in super::super) at: ModuleInstanceId,
    pub(in super::super) node: usize,
    /// The key of the instance, if one is named.
    pub(in super::super) key: Option<Value>,
    /// The attribute, and what is taken out of it.
    pub(in super::super) path: Vec<PathStep>,
}

impl<'c> Walk<'_, 'c> {
    /// Finds an address such as `module.m["a"].aws_instance.web[0].ami`.
    pub(super) fn find_address(&self, text: &str) -> Option<ObjectPart> {
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
                return Some(ObjectPart { at, node, key: key.cloned(), path: Vec::new() });
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
            return Some(ObjectPart { at, node, key: None, path: steps[2..].to_vec() });
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
        Some(ObjectPart { at, node, key, path: path.to_vec() })
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
    pub(in super::super) fn value_of(&self, found: &ObjectPart) -> Option<Value> {
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

    /// The objects that a reference names in an instance of a module.
    pub(in super::super) fn targets(&self, subject: &Subject, at: usize) -> Vec<ObjectPart> {
        let instance = &self.world.instances[at];
        let module = instance.module;
        let rest: Vec<PathStep> = subject.rest.iter().map(|(step, _)| step.clone()).collect();
        let find = |key: NodeKey| self.graph.find(&key);
        let one = |node: Option<usize>, key: Option<Value>| {
            node.map(|node| ObjectPart { at, node, key, path: rest.clone() }).into_iter().collect::<Vec<_>>()
        };
        match &subject.kind {
            SubjectKind::Variable(name) => one(find(NodeKey::Variable(module, name.clone())), None),
            SubjectKind::Local(name) => one(find(NodeKey::Local(module, name.clone())), None),
            SubjectKind::Resource { name, key } => {
                one(find(NodeKey::Resource(module, name.clone())), key.clone())
            }
            SubjectKind::Module { call, key, output } => {
                let is_missing = self.input.config.missing_modules.contains_key(&(module, call.clone()));
                let calls = instance.calls.get(call).filter(|calls| calls.is_decided());
                if is_missing || instance.calls.contains_key(call) && calls.is_none() {
                    let node = find(NodeKey::Call(module, call.clone()));
                    return node
                        .map(|node| ObjectPart { at, node, key: None, path: Vec::new() })
                        .into_iter()
                        .collect();
                }
                let Some(calls) = calls else { return Vec::new() };
                let key = key.as_ref().and_then(key_of);
                let children = calls.iter().filter(|(own, _)| key.is_none() || *own == key);
                let found = children.flat_map(|(_, child)| {
                    let inner = self.world.instances[*child].module;
                    let outputs = self.input.config.modules[inner].config.outputs.keys();
                    let wanted = outputs.filter(|name| output.as_ref().is_none_or(|output| output == *name));
                    wanted
                        .filter_map(|name| find(NodeKey::Output(inner, name.clone())))
                        .map(|node| ObjectPart { at: *child, node, key: None, path: rest.clone() })
                        .collect::<Vec<_>>()
                });
                found.collect()
            }
            _ => Vec::new(),
        }
    }

    /// The address of what was found, with its keys.
    pub(in super::super) fn name_of(&self, found: &ObjectPart) -> String {
        let node = &self.graph.nodes[found.node];
        let module = &self.world.instances[found.at].address;
        let mut name = match &node.kind {
            NodeKind::Resource(resource) => {
                instance_address(module, resource.name, found.key.as_ref().and_then(key_of)).to_string()
            }
            _ => {
                let own = address(self.input.config, node).unwrap_or_default();
                let own = own.rsplit_once("module.").map_or(own.as_str(), |(_, rest)| match &node.kind {
                    NodeKind::Call(..) => rest,
                    _ => rest.split_once('.').map_or(rest, |(_, name)| name),
                });
                let own = match &node.kind {
                    NodeKind::Call(..) => format!("module.{own}"),
                    _ => own.to_owned(),
                };
                if module.is_root() { own } else { format!("{module}.{own}") }
            }
        };
        if !found.path.is_empty() {
            let path: Path = found.path.iter().cloned().collect();
            name.push_str(&path.suffix().to_string());
        }
        name
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

/// Converts a value to an instance key.
pub(in super::super) fn key_of(key: &Value) -> Option<InstanceKey> {
    match key.kind() {
        Kind::String(key) => Some(InstanceKey::String(key.to_owned())),
        Kind::Number(number) => number.to_string().parse().ok().map(InstanceKey::Number),
        _ => None,
    }
}

/// The references of expressions.
pub(in super::super) fn subjects(expressions: &[&Expr]) -> Vec<Subject> {
    let references = expressions.iter().flat_map(|expr| variables(expr));
    references.filter_map(|reference| parse(&reference).0).collect()
}

/// The expressions in a body and its blocks.
pub(in super::super) fn in_body<'b>(body: &'b Body, expressions: &mut Vec<&'b Expr>) {
    expressions.extend(body.attributes.iter().map(|attribute| &attribute.expr));
    body.blocks.iter().for_each(|block| in_body(&block.body, expressions));
}
