//! The items of collections as values of expressions.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator, Sizer};
use cel::common::types::{CelBool, CelInt, CelList, CelNull, CelString, MAP_TYPE, Type};
use cel::common::value::{CowVal, Val};
use objchange_document::changes::{Importing, ResourceActions};
use objchange_document::{DocumentError, Index, Text};

use super::beside::{Action, Check, DeferredChange};
use super::error::refused;
use super::model::{self, Model, Shape};
use super::node::{self, Keys, Scope, absent, equal_maps, key_of, lazy_map};
use super::question::{self, Question};
use super::result;
use crate::collection::{Change, Collected, Collection, Exact, FieldValue, Item as _, Marked, Redacted};
use crate::simulated::PossibleItem;
use crate::{tfconfig, tfplan, tfstate};

/// An item of the collection that a query asks about.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a, 't>(pub(super) Kind<'a, 't>, pub(super) bool);

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'a, 't> {
    ResourceChange(&'a tfplan::ResourceChange<'t>),
    OutputChange(&'a tfplan::OutputChange<'t>),
    Variable(&'a tfplan::Variable<'t>),
    Resource(&'a tfstate::Resource<'t>),
    Config(&'a tfconfig::Resource<'t>),
    Deferred(&'a DeferredChange<'t>),
    Check(&'a Check<'t>),
    Action(&'a Action<'t>),
    Change(&'a tfplan::Change<'t>),
    Plan(Option<&'a str>, Option<&'a Collection<'t, tfplan::Variable<'t>>>),
    Variables(&'a Collection<'t, tfplan::Variable<'t>>),
    /// An item that there may be, or not; and what it would be.
    Possible(&'a PossibleItem<'t>, &'static Model),
}

impl<'a, 't> Item<'a, 't> {
    /// The words of its actions, as plan documents have them, if it is a change with known actions.
    pub fn actions(self) -> Option<&'static [&'static str]> {
        self.0.change().and_then(tfplan::Change::known_actions).map(ResourceActions::words)
    }

    /// Whether it is not known that there is such an item.
    pub fn is_possible(self) -> bool {
        self.1
    }

    /// The fields other than values: names and actions. An index is text even if it is a number, so that all items have
    /// the same types. No field is secret.
    pub fn fields(self) -> Vec<(&'static str, serde_json::Value)> {
        let scope = Scope::new(true);
        let thing = Thing::new(self.0, &scope);
        let field = |name: &str| match thing
            .field(name)
            .ok()
            .and_then(|field| result::json(&*field, &scope.budget).ok())
        {
            Some(serde_json::Value::Number(number)) => number.to_string().into(),
            field => field.unwrap_or_default(),
        };
        let fields = self.0.model().into_iter().flat_map(|model| model.fields);
        let leaves =
            fields.filter(|(_, kind)| !matches!(Shape::from_kind(*kind), Shape::Any | Shape::Object(_)));
        let leaves = leaves.map(|(name, _)| (*name, field(name)));
        leaves.chain(self.actions().map(|actions| ("actions", actions.into()))).collect()
    }
}

impl<'a, 't> Kind<'a, 't> {
    /// The change of the item, if it is one.
    pub(super) fn change(self) -> Option<&'a tfplan::Change<'t>> {
        match self {
            Self::ResourceChange(resource) => Some(&resource.change),
            Self::OutputChange(output) => Some(&output.change),
            Self::Deferred(deferred) => Some(&deferred.resource.change),
            _ => None,
        }
    }

    fn model(self) -> Option<&'static Model> {
        match self {
            Self::ResourceChange(_) => Some(&model::RESOURCE_CHANGE),
            Self::OutputChange(_) => Some(&model::OUTPUT_CHANGE),
            Self::Variable(_) => Some(&model::VARIABLE),
            Self::Resource(_) => Some(&model::RESOURCE),
            Self::Config(_) => Some(&model::CONFIG_RESOURCE),
            Self::Deferred(_) => Some(&model::DEFERRED_CHANGE),
            Self::Check(_) => Some(&model::CHECK),
            Self::Action(_) => Some(&model::ACTION),
            Self::Change(_) => Some(&model::CHANGE),
            Self::Plan(..) => Some(&model::PLAN),
            Self::Variables(_) => None,
            Self::Possible(_, model) => Some(model),
        }
    }

    /// The address of the module that it is in.
    pub(super) fn module(self) -> &'a str {
        match self {
            Self::ResourceChange(resource) => &resource.module_address,
            Self::Resource(resource) => &resource.module_address,
            Self::Config(resource) => &resource.module_address,
            Self::Deferred(deferred) => &deferred.resource.module_address,
            Self::Check(check) => &check.module_address,
            Self::Action(action) => &action.module_address,
            Self::Possible(item, _) => &item.module_address,
            _ => "",
        }
    }
}

/// An item, or a part of one, as a value of an expression.
pub(super) struct Thing<'a, 't> {
    pub(super) kind: Kind<'a, 't>,
    pub(super) scope: Scope,
    names: OnceLock<Vec<CelString<'a>>>,
}

impl Clone for Thing<'_, '_> {
    fn clone(&self) -> Self {
        Self::new(self.kind, &self.scope)
    }
}

impl fmt::Debug for Thing<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(an item)")
    }
}

type Part<'a> = Result<Box<dyn Val + 'a>, ExecutionError>;

fn index<'a>(index: Option<&'a Index<'_>>) -> Part<'a> {
    Ok(match index {
        None => Box::new(CelNull),
        Some(Index::Number(number)) => node::number(number),
        Some(Index::Key(key)) => Box::new(CelString::from(key.as_str())),
    })
}

/// The error for an unreadable value.
fn unreadable(error: &DocumentError) -> ExecutionError {
    refused(&format!("the value cannot be read: {error}"))
}

impl<'a, 't> Thing<'a, 't> {
    pub(super) fn new(kind: Kind<'a, 't>, scope: &Scope) -> Self {
        Self { kind, scope: scope.clone(), names: OnceLock::new() }
    }

    fn thing(&self, kind: Kind<'a, 't>) -> Part<'a>
    where
        't: 'a,
    {
        Ok(Box::new(Self::new(kind, &self.scope)))
    }

    /// Converts a part without marks of its own.
    fn written(&self, part: &(impl Collected + ?Sized)) -> Part<'a> {
        let cannot_be_read = |_| refused("the value cannot be read");
        let exact = serde_json::to_value(Exact(part)).map_err(cannot_be_read)?;
        if !self.scope.is_masked {
            return self.made(exact);
        }
        let redacted = serde_json::to_value(Redacted(part)).map_err(cannot_be_read)?;
        if redacted != exact {
            self.scope.mask();
        }
        self.made(redacted)
    }

    /// An identity of a change, which has no marks.
    fn identity(&self, text: Option<&str>, change: &Change<'_>) -> Result<serde_json::Value, ExecutionError> {
        let Some(text) = text else { return Ok(serde_json::Value::Null) };
        let shown = match self.scope.is_masked {
            true => change.masked_names().hiding(text),
            false => text.into(),
        };
        if matches!(shown, Cow::Owned(_)) {
            self.scope.mask();
        }
        serde_json::from_str(&shown).map_err(|_| refused("the value cannot be read"))
    }

    fn made(&self, value: serde_json::Value) -> Part<'a> {
        use serde_json::Value;
        Ok(match value {
            Value::Null => Box::new(CelNull),
            Value::Bool(value) => Box::new(CelBool::from(value)),
            Value::Number(number) => node::number(&number.to_string()),
            Value::String(text) => {
                self.scope.budget.pay_text(text.len())?;
                Box::new(CelString::from(text))
            }
            Value::Array(elements) => {
                self.scope.budget.pay(1 + elements.len() as u64)?;
                let elements: Result<Vec<_>, _> =
                    elements.into_iter().map(|element| self.made(element)).collect();
                Box::new(CelList::from(elements?))
            }
            Value::Object(members) => {
                self.scope.budget.pay(1 + members.len() as u64)?;
                let members: Result<std::collections::HashMap<_, _>, ExecutionError> =
                    members.into_iter().map(|(key, member)| Ok((key.into(), self.made(member)?))).collect();
                Box::new(cel::common::types::CelMap::from(members?))
            }
        })
    }

    fn texts(&self, texts: &[Text<'t>]) -> Part<'a> {
        self.scope.budget.pay(texts.len() as u64)?;
        let texts =
            texts.iter().map(|text| Box::new(CelString::from(text.as_str().to_owned())) as Box<dyn Val + 'a>);
        Ok(Box::new(CelList::from(texts.collect::<Vec<_>>())))
    }

    fn field(&self, name: &str) -> Part<'a>
    where
        't: 'a,
    {
        if let Some(question) = Question::named(name) {
            return question::ask(question, self.clone());
        }
        if let Kind::Possible(item, _) = self.kind {
            // Nothing but its names is known of an item that there may be.
            let label = item.label(name).ok_or_else(|| self.scope.unknown())?;
            return Ok(Box::new(CelString::from(label.as_str())));
        }
        if let Some(more) = self.more(name) {
            return more;
        }
        let value = match self.kind {
            Kind::ResourceChange(item) => item.field(name),
            Kind::OutputChange(item) => item.field(name),
            Kind::Variable(item) => item.field(name),
            Kind::Resource(item) => item.field(name),
            Kind::Config(item) => item.field(name),
            Kind::Deferred(item) => item.field(name),
            Kind::Check(item) => item.field(name),
            Kind::Action(item) => item.field(name),
            Kind::Change(item) => item.field(name),
            Kind::Possible(..) => Ok(None),
            Kind::Variables(variables) => match variables.get(name) {
                Some(variable) => return self.thing(Kind::Variable(variable)),
                None => Ok(None),
            },
            Kind::Plan(version, variables) => {
                return match (name, version, variables) {
                    ("terraform_version", Some(version), _) => Ok(Box::new(CelString::from(version))),
                    ("variables", _, Some(variables)) => self.thing(Kind::Variables(variables)),
                    _ => Err(absent()),
                };
            }
        };
        match value.map_err(|error| unreadable(&error))?.ok_or_else(absent)? {
            FieldValue::Text(text) => Ok(Box::new(CelString::from(text.as_str()))),
            FieldValue::Bool(bool) => Ok(Box::new(CelBool::from(bool))),
            FieldValue::Index(key) => index(key),
            FieldValue::Texts(texts) => self.texts(&texts),
            FieldValue::Actions { is_known: false, .. } => Err(self.scope.unknown()),
            FieldValue::Actions { planned, .. } => {
                let words = planned.words().iter();
                let words = words.map(|word| Box::new(CelString::from(*word)) as Box<dyn Val + 'a>);
                Ok(Box::new(CelList::from(words.collect::<Vec<_>>())))
            }
            FieldValue::Value(None) => Err(self.scope.unknown()),
            FieldValue::Value(Some(value)) => node::value(value, &self.scope),
            FieldValue::Marks(marks) => node::marks(marks, &self.scope),
            FieldValue::Expressions(expressions) => self.written(expressions),
            FieldValue::Provisioners(all) => self.written(all),
            FieldValue::Change(change) => self.thing(Kind::Change(change)),
        }
    }

    /// A field that Sentinel's collections do not have.
    fn more(&self, name: &str) -> Option<Part<'a>>
    where
        't: 'a,
    {
        let kind = match self.kind {
            Kind::Deferred(deferred) => Kind::ResourceChange(&deferred.resource),
            kind => kind,
        };
        Some(match (kind, name) {
            (Kind::ResourceChange(item), "previous_address") => {
                Ok(Box::new(CelString::from(item.previous_address.as_str())))
            }
            (Kind::ResourceChange(item), "action_reason") => match item.change.are_actions_known {
                true => Ok(Box::new(CelString::from(item.action_reason.as_str()))),
                false => Err(self.scope.unknown()),
            },
            (Kind::Change(change), "importing") => match &change.importing {
                None => Ok(Box::new(CelNull)),
                // Terraform writes `{"unknown": true}` where the id is known only after apply.
                Some(Importing { id: None, identity: None, .. }) => Err(self.scope.unknown()),
                Some(importing) => self.identity(importing.whole_identity(), change).and_then(|identity| {
                    let id = importing.id.as_deref();
                    self.made(serde_json::json!({ "id": id, "identity": identity }))
                }),
            },
            (Kind::Change(change), "replace_paths") => match change.are_actions_known {
                true => change
                    .replace_paths()
                    .map_err(|error| unreadable(&error))
                    .and_then(|paths| node::value(Marked::known(paths, [paths.bool(false); 2]), &self.scope)),
                false => Err(self.scope.unknown()),
            },
            (Kind::Change(change), "before_identity" | "after_identity") => {
                let [before, after] = change.identities();
                let identity = if name == "before_identity" { before } else { after };
                self.identity(identity, change).and_then(|identity| self.made(identity))
            }
            _ => return None,
        })
    }

    /// The names of the fields.
    fn names(&self) -> &[CelString<'a>] {
        self.names.get_or_init(|| match self.kind {
            Kind::Variables(variables) => variables.keys().map(CelString::from).collect(),
            kind => kind.model().into_iter().flat_map(Model::names).map(CelString::from).collect(),
        })
    }

    /// The values of an item before and after; `None` for null. The absence of an object is no secret.
    pub(super) fn sides(&self) -> Result<[Option<Marked<'a, 't>>; 2], ExecutionError> {
        let is_there = |side: &Marked<'a, 't>| side.exact().is_none_or(|value| !value.is_null());
        let side = |side: Result<Marked<'a, 't>, DocumentError>| match side {
            Ok(side) => Ok(Some(side).filter(is_there)),
            Err(error) => Err(unreadable(&error)),
        };
        Ok(match (self.kind, self.kind.change()) {
            (_, Some(change)) => [side(change.before())?, side(change.after())?],
            (Kind::Resource(resource), None) => [None, side(resource.values())?],
            (Kind::Variable(variable), None) if !variable.is_known => return Err(self.scope.unknown()),
            (Kind::Variable(variable), None) => [None, Some(variable.value())],
            _ => [None, None],
        })
    }
}

impl Indexer for Thing<'_, '_> {
    fn get<'b, 'v>(&'b self, index: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.scope.budget.pay(1)?;
        self.field(key_of(index)?).map(CowVal::Owned)
    }

    fn steal<'v>(self: Box<Self>, index: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(index).map(CowVal::into_owned)
    }
}

impl Sizer for Thing<'_, '_> {
    fn size(&self) -> CelInt {
        CelInt::from(self.names().len() as i64)
    }
}

impl Container for Thing<'_, '_> {
    fn contains(&self, key: &dyn Val) -> Result<bool, ExecutionError> {
        let key = key.downcast_ref::<CelString>();
        Ok(key.is_some_and(|key| self.names().iter().any(|name| name.inner() == key.inner())))
    }
}

impl Iterable for Thing<'_, '_> {
    fn iter<'b, 'v>(&'b self) -> Box<dyn Iterator<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        Box::new(Keys(self.names().iter()))
    }
}

lazy_map!(Thing<'_, '_>);
