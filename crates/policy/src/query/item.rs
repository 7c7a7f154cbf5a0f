//! The items of collections as values of expressions.

use std::fmt;
use std::sync::OnceLock;

use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator, Sizer};
use cel::common::types::{CelBool, CelInt, CelList, CelNull, CelString, MAP_TYPE, Type};
use cel::common::value::{CowVal, Val};
use objchange_plan::{DocumentError, Index, Text, View};

use super::error::refused;
use super::model::{self, Model, Shape};
use super::node::{self, Keys, Scope, absent, equal_maps, key_of, lazy_map};
use super::question::{self, Question};
use super::result;
use crate::collection::{Collected, Collection, Exact, Marked, Redacted};
use crate::{tfconfig, tfplan, tfstate};

/// An item of the collection that a query asks about.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a, 't>(pub(super) Kind<'a, 't>);

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'a, 't> {
    ResourceChange(&'a tfplan::ResourceChange<'t>),
    OutputChange(&'a tfplan::OutputChange<'t>),
    Variable(&'a tfplan::Variable<'t>),
    Resource(&'a tfstate::Resource<'t>),
    Config(&'a tfconfig::Resource<'t>),
    Change(&'a tfplan::Change<'t>),
    Plan(Option<&'a str>, Option<&'a Collection<'t, tfplan::Variable<'t>>>),
    Variables(&'a Collection<'t, tfplan::Variable<'t>>),
}

impl<'a, 't> Item<'a, 't> {
    /// What happens to it, where something can: the words that plan documents have for that.
    pub fn actions(self) -> Option<&'static [&'static str]> {
        self.0.change().map(|change| change.actions.words())
    }

    /// What is no value of it: its names, and what happens to it. An index is a text, also where it is a number, so that
    /// all items have the same types. Nothing of this is secret.
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
        let leaves = fields.filter(|(_, shape)| !matches!(shape, Shape::Any | Shape::Object(_)));
        let leaves = leaves.map(|(name, _)| (*name, field(name)));
        leaves.chain(self.actions().map(|actions| ("actions", actions.into()))).collect()
    }
}

impl<'a, 't> Kind<'a, 't> {
    /// What happens, where something does.
    pub(super) fn change(self) -> Option<&'a tfplan::Change<'t>> {
        match self {
            Self::ResourceChange(resource) => Some(&resource.change),
            Self::OutputChange(output) => Some(&output.change),
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
            Self::Change(_) => Some(&model::CHANGE),
            Self::Plan(..) => Some(&model::PLAN),
            Self::Variables(_) => None,
        }
    }

    /// The address of the module that it is in.
    pub(super) fn module(self) -> &'a str {
        match self {
            Self::ResourceChange(resource) => &resource.module_address,
            Self::Resource(resource) => &resource.module_address,
            Self::Config(resource) => &resource.module_address,
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

fn text<'a>(text: &'a Text<'_>) -> Part<'a> {
    Ok(Box::new(CelString::from(text.as_str())))
}

fn index<'a>(index: Option<&'a Index<'_>>) -> Part<'a> {
    Ok(match index {
        None => Box::new(CelNull),
        Some(Index::Number(number)) => node::number(number),
        Some(Index::Key(key)) => Box::new(CelString::from(key.as_str())),
    })
}

/// What cannot be read of a document.
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

    /// A side of a change: that there is no object is no secret.
    fn side(&self, side: Result<Marked<'a, 't>, DocumentError>) -> Part<'a>
    where
        't: 'a,
    {
        let side = side.map_err(|error| unreadable(&error))?;
        if side.exact().is_some_and(View::is_null) {
            return Ok(Box::new(CelNull));
        }
        node::value(side, &self.scope)
    }

    /// What has no marks of its own, as it is written.
    fn written(&self, part: &(impl Collected + ?Sized)) -> Part<'a> {
        let written = match self.scope.is_masked {
            true => serde_json::to_value(Redacted(part)),
            false => serde_json::to_value(Exact(part)),
        };
        let written = written.map_err(|_| refused("the value cannot be read"))?;
        self.made(written)
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
        match (self.kind, name) {
            (Kind::ResourceChange(of), "address") => text(&of.address),
            (Kind::ResourceChange(of), "module_address") => text(&of.module_address),
            (Kind::ResourceChange(of), "mode") => text(&of.mode),
            (Kind::ResourceChange(of), "type") => text(&of.resource_type),
            (Kind::ResourceChange(of), "name") => text(&of.name),
            (Kind::ResourceChange(of), "index") => index(of.index.as_ref()),
            (Kind::ResourceChange(of), "provider_name") => text(&of.provider_name),
            (Kind::ResourceChange(of), "deposed") => text(&of.deposed),
            (Kind::ResourceChange(of), "change") => self.thing(Kind::Change(&of.change)),
            (Kind::OutputChange(of), "name") => text(&of.name),
            (Kind::OutputChange(of), "change") => self.thing(Kind::Change(&of.change)),
            (Kind::Variable(of), "name") => text(&of.name),
            (Kind::Variable(of), "value") => node::value(of.value(), &self.scope),
            (Kind::Resource(of), "address") => text(&of.address),
            (Kind::Resource(of), "module_address") => text(&of.module_address),
            (Kind::Resource(of), "mode") => text(&of.mode),
            (Kind::Resource(of), "type") => text(&of.resource_type),
            (Kind::Resource(of), "name") => text(&of.name),
            (Kind::Resource(of), "index") => index(of.index.as_ref()),
            (Kind::Resource(of), "provider_name") => text(&of.provider_name),
            (Kind::Resource(of), "values") => {
                node::value(of.values().map_err(|error| unreadable(&error))?, &self.scope)
            }
            (Kind::Resource(of), "depends_on") => {
                self.texts(&of.depends_on().map_err(|error| unreadable(&error))?)
            }
            (Kind::Resource(of), "tainted") => Ok(Box::new(CelBool::from(of.tainted))),
            (Kind::Resource(of), "deposed_key") => text(&of.deposed_key),
            (Kind::Config(of), "address") => text(&of.address),
            (Kind::Config(of), "module_address") => text(&of.module_address),
            (Kind::Config(of), "mode") => text(&of.mode),
            (Kind::Config(of), "type") => text(&of.resource_type),
            (Kind::Config(of), "name") => text(&of.name),
            (Kind::Config(of), "provider_config_key") => text(&of.provider_config_key),
            (Kind::Config(of), "provisioners") => self.written(of.provisioners.as_slice()),
            (Kind::Config(of), "config") => self.written(&of.config),
            (Kind::Config(of), "count") => self.written(&of.count),
            (Kind::Config(of), "for_each") => self.written(&of.for_each),
            (Kind::Config(of), "depends_on") => self.texts(&of.depends_on),
            (Kind::Change(of), "actions") => {
                let words = of.actions.words().iter();
                let words = words.map(|word| Box::new(CelString::from(*word)) as Box<dyn Val + 'a>);
                Ok(Box::new(CelList::from(words.collect::<Vec<_>>())))
            }
            (Kind::Change(of), "before") => self.side(of.before()),
            (Kind::Change(of), "after") => self.side(of.after()),
            (Kind::Change(of), "after_unknown") => {
                node::marks(of.unknown().map_err(|error| unreadable(&error))?, &self.scope)
            }
            (Kind::Plan(Some(version), _), "terraform_version") => Ok(Box::new(CelString::from(version))),
            (Kind::Plan(_, Some(variables)), "variables") => self.thing(Kind::Variables(variables)),
            (Kind::Variables(of), name) => match of.get(name) {
                Some(variable) => self.thing(Kind::Variable(variable)),
                None => Err(absent()),
            },
            _ => Err(absent()),
        }
    }

    /// The names of the fields.
    fn names(&self) -> &[CelString<'a>] {
        self.names.get_or_init(|| match self.kind {
            Kind::Variables(of) => of.keys().map(CelString::from).collect(),
            of => of.model().into_iter().flat_map(Model::names).map(CelString::from).collect(),
        })
    }

    /// The values that an item has before and after; none where there is no object, which is no secret.
    pub(super) fn sides(&self) -> Result<[Option<Marked<'a, 't>>; 2], ExecutionError> {
        let is_there = |side: &Marked<'a, 't>| side.exact().is_none_or(|value| !value.is_null());
        let side = |side: Result<Marked<'a, 't>, DocumentError>| match side {
            Ok(side) => Ok(Some(side).filter(is_there)),
            Err(error) => Err(unreadable(&error)),
        };
        Ok(match (self.kind, self.kind.change()) {
            (_, Some(change)) => [side(change.before())?, side(change.after())?],
            (Kind::Resource(of), None) => [None, side(of.values())?],
            (Kind::Variable(of), None) => [None, Some(of.value())],
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
