//! The instances of modules, with the values of what is in them.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use objchange::address::{InstanceKey, ModuleAddress, ModuleStep};
use objchange::{Type, Value};
use objchange_hcl::{ActionName, ResourceName};
use smol_str::SmolStr;

use crate::config::ModuleId;

/// Which instance of a module; 0 is the root.
pub(crate) type ModuleInstanceId = usize;

/// An instance of a module.
#[derive(Debug)]
pub(crate) struct ModuleInstance {
    pub(crate) module: ModuleId,
    pub(crate) address: ModuleAddress,
    /// The instance that calls it.
    pub(crate) parent: Option<ModuleInstanceId>,
    /// `count` and `each` in the arguments of its call.
    pub(crate) repetition: Repetition,
    /// It represents an unknown number of instances.
    pub(crate) is_undecided: bool,
    /// Made-up values decide whether it exists.
    pub(crate) is_invented: bool,
    /// Nothing of it is made: it has these outputs.
    pub(crate) overridden: Option<Value>,
    pub(crate) variables: HashMap<SmolStr, Value>,
    pub(crate) locals: HashMap<SmolStr, Value>,
    pub(crate) outputs: HashMap<SmolStr, Value>,
    /// Whole resources: an object, a tuple of them, or an object of them by key.
    pub(crate) resources: HashMap<ResourceName, Value>,
    pub(crate) calls: HashMap<SmolStr, Expanded<ModuleInstanceId>>,
    /// The instances of actions.
    pub(crate) actions: HashMap<ActionName, Expanded<Repetition>>,
}

/// The instances of something, with what each of them is here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expanded<T> {
    /// One, without a key.
    Single(T),
    /// By `count`.
    Count(Vec<T>),
    /// By `for_each`, in the order of the keys.
    ForEach(BTreeMap<String, T>),
    /// Unknown instances, represented by one value.
    Undecided(T),
}

/// The values of `count` and `each`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repetition {
    pub(crate) count_index: Option<Value>,
    pub(crate) each: Option<(Value, Value)>,
}

impl ModuleInstance {
    pub(crate) fn new(module: ModuleId, address: ModuleAddress, parent: Option<ModuleInstanceId>) -> Self {
        Self {
            module,
            address,
            parent,
            repetition: Repetition::default(),
            is_undecided: false,
            is_invented: false,
            overridden: None,
            variables: HashMap::new(),
            locals: HashMap::new(),
            outputs: HashMap::new(),
            resources: HashMap::new(),
            calls: HashMap::new(),
            actions: HashMap::new(),
        }
    }

    /// The address of an instance of one of its calls.
    pub(crate) fn child_address(&self, call: &str, key: Option<InstanceKey>) -> ModuleAddress {
        let mut address = self.address.clone();
        address.0.push(ModuleStep { name: call.to_owned(), key });
        address
    }
}

impl<T> Expanded<T> {
    /// Whether it is known which instances there are.
    pub(crate) fn is_decided(&self) -> bool {
        !matches!(self, Self::Undecided(_))
    }

    /// Each instance with its key.
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = (Option<InstanceKey>, &T)> + '_> {
        match self {
            Self::Single(one) | Self::Undecided(one) => Box::new(std::iter::once((None, one))),
            Self::Count(all) => {
                Box::new(all.iter().enumerate().map(|(i, one)| (Some(InstanceKey::Number(i as u64)), one)))
            }
            Self::ForEach(all) => {
                Box::new(all.iter().map(|(key, one)| (Some(InstanceKey::String(key.clone())), one)))
            }
        }
    }

    /// Whether there may be any instance.
    pub(crate) fn has_instances(&self) -> bool {
        self.iter().next().is_some()
    }

    /// Maps the value of each instance.
    pub(crate) fn map<U>(&self, mut f: impl FnMut(Option<InstanceKey>, &T) -> U) -> Expanded<U> {
        match self {
            Self::Single(one) => Expanded::Single(f(None, one)),
            Self::Undecided(one) => Expanded::Undecided(f(None, one)),
            Self::Count(all) => Expanded::Count(
                all.iter().enumerate().map(|(i, one)| f(Some(InstanceKey::Number(i as u64)), one)).collect(),
            ),
            Self::ForEach(all) => Expanded::ForEach(
                all.iter()
                    .map(|(key, one)| (key.clone(), f(Some(InstanceKey::String(key.clone())), one)))
                    .collect(),
            ),
        }
    }
}

impl Expanded<Value> {
    /// The value for references when only some instances exist. Missing ones are left out, or unknown in a list where
    /// leaving them out would renumber later ones.
    pub(crate) fn only(self, is_there: impl Fn(Option<InstanceKey>) -> bool) -> Self {
        let unknown = || Value::unknown(Type::Dynamic);
        match self {
            Self::Single(_) if !is_there(None) => Self::Single(unknown()),
            Self::Count(all) => {
                let there: Vec<bool> =
                    (0..all.len()).map(|i| is_there(Some(InstanceKey::Number(i as u64)))).collect();
                let length = there.iter().rposition(|is_there| *is_there).map_or(0, |last| last + 1);
                let values = std::iter::zip(all, there).take(length);
                Self::Count(
                    values.map(|(value, is_there)| if is_there { value } else { unknown() }).collect(),
                )
            }
            Self::ForEach(all) => {
                let is_there = |key: &String| is_there(Some(InstanceKey::String(key.clone())));
                Self::ForEach(all.into_iter().filter(|(key, _)| is_there(key)).collect())
            }
            other => other,
        }
    }

    /// Adds instances of the state that are no longer declared, in the order of their keys.
    pub(crate) fn with_others<'k>(self, others: impl IntoIterator<Item = (&'k InstanceKey, Value)>) -> Self {
        match self {
            Self::Count(mut all) => {
                for (key, value) in others {
                    let InstanceKey::Number(n) = key else { continue };
                    // Positions of a tuple have no gaps. An instance behind a gap would get the index of another one.
                    if *n == all.len() as u64 {
                        all.push(value);
                    }
                }
                Self::Count(all)
            }
            Self::ForEach(mut all) => {
                for (key, value) in others {
                    let InstanceKey::String(key) = key else { continue };
                    all.entry(key.clone()).or_insert(value);
                }
                Self::ForEach(all)
            }
            other => other,
        }
    }

    /// All of them as what references see.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Single(one) => one.clone(),
            Self::Undecided(_) => Value::unknown(Type::Dynamic),
            // Terraform 1.11.4 makes a tuple and an object, not a list and a map: instances may differ in type.
            Self::Count(all) => Value::tuple(all.iter().cloned()),
            Self::ForEach(all) => Value::object(all.iter().map(|(key, value)| (key, value.clone()))),
        }
    }
}

impl Repetition {
    /// The names that expressions have for it.
    pub(crate) fn names(&self) -> Vec<(&'static str, Value)> {
        let mut names = Vec::with_capacity(2);
        if let Some(index) = &self.count_index {
            names.push(("count", Value::object([("index", index.clone())])));
        }
        if let Some((key, value)) = &self.each {
            names.push(("each", Value::object([("key", key.clone()), ("value", value.clone())])));
        }
        names
    }
}
