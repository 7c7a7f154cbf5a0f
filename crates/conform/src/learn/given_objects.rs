//! Probes the objects that the user supplied in states, plans and configurations.

use objchange::Value;
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType};
use objchange::value::Kind;
use objchange_model::is_empty_value;

use super::objects::has;
use super::probes::{Base, Probed, Prober};
use super::session::Session;
use crate::generate::Spot;
use crate::within;

/// The maximum number of objects of one type that are used.
const MAX_OBJECTS: usize = 6;

/// The number of the first supplied object. Made-up ones have smaller numbers.
pub(super) const FIRST_GIVEN: u64 = 1 << 32;

impl Prober<'_> {
    /// Changes the supplied objects in the same ways as made-up ones.
    pub(super) async fn probe_given(&mut self, session: &mut Session, all: &[Spot<'_>]) -> Probed<()> {
        self.asks_about_given = true;
        let outcome = self.change_given_objects(session, all).await;
        self.asks_about_given = false;
        outcome
    }

    async fn change_given_objects(&mut self, session: &mut Session, all: &[Spot<'_>]) -> Probed<()> {
        let context = session.context.clone();
        let (name, block) = (self.values.name, self.values.block);
        let of_type = context.options.given.iter().filter(|given| given.type_name == name);
        let ty = block.implied_type();
        let fits = |value: &Option<Value>| value.as_ref().is_none_or(|value| value.ty().conforms_to(ty));
        let of_type = of_type.filter(|given| fits(&given.prior) && fits(&given.planned));
        for (number, given) in (FIRST_GIVEN..).zip(of_type.take(MAX_OBJECTS)) {
            let planned = given.planned.as_ref().or(given.prior.as_ref());
            let Some(planned) = planned.filter(|planned| planned.as_object().is_some()) else { continue };
            let whole = self.values.filled(planned, given.prior.as_ref(), number);
            let prior = given.prior.clone().unwrap_or_else(|| whole.clone());
            let Some(config) = self.accepted_config(session, &prior, &whole).await? else { continue };
            self.evidence.add_base(&config);
            let nothing = Value::null(ty.clone());
            self.ask(session, number, &nothing, &config).await?;
            self.ask(session, number, &prior, &config).await?;
            let prior = self.settle(session, whole, &config, number).await?;
            let base = Base { config, prior, number };
            for spot in all.iter().filter(|spot| has(&base.config, &spot.names)) {
                self.probe_change(session, &base, spot).await?;
            }
        }
        Ok(())
    }

    /// A configuration of the object that the provider accepts. It is unknown which computed arguments were configured, so none
    /// is tried first, then all.
    async fn accepted_config(
        &mut self,
        session: &mut Session,
        prior: &Value,
        object: &Value,
    ) -> Probed<Option<Value>> {
        for with_computed in [false, true] {
            let config = Arguments { with_computed }.of_block(self.values.block, object);
            if self.call(session, prior, &config).await?.is_some() {
                return Ok(Some(config));
            }
        }
        Ok(None)
    }
}

/// Extracts configurations from objects.
#[derive(Clone, Copy)]
struct Arguments {
    /// Also includes arguments that the provider may compute.
    with_computed: bool,
}

impl Arguments {
    fn of_block(self, block: &Block, object: &Value) -> Value {
        let Some(members) = object.as_object() else { return object.clone() };
        Value::object(members.iter().map(|(name, value)| {
            let value = match (block.attribute(name), block.block_type(name)) {
                // The older SDK adds `id` to each type, and refuses configuration that sets it.
                (Some(attribute), _) if name == "id" && !attribute.required => {
                    Value::null(value.ty().clone())
                }
                (Some(attribute), _) => self.of_attribute(attribute, value),
                (_, Some(nested)) => self.of_blocks(nested, value),
                _ => value.clone(),
            };
            (name.clone(), value)
        }))
    }

    fn of_blocks(self, nested: &NestedBlock, value: &Value) -> Value {
        each_object(value, &|object| self.of_block(&nested.block, object))
    }

    fn of_attribute(self, attribute: &Attribute, value: &Value) -> Value {
        let is_left_out = !attribute.required
            && (!attribute.optional || attribute.computed && !self.with_computed || is_empty_value(value));
        match &attribute.ty {
            _ if is_left_out => Value::null(value.ty().clone()),
            AttributeType::Nested(nested) => each_object(value, &|object| self.of_nested(nested, object)),
            _ => value.clone(),
        }
    }

    fn of_nested(self, nested: &NestedType, object: &Value) -> Value {
        let Some(members) = object.as_object() else { return object.clone() };
        Value::object(members.iter().map(|(name, value)| {
            let attribute = nested.attributes().iter().find(|(known, _)| known == name);
            let value =
                attribute.map_or_else(|| value.clone(), |(_, attribute)| self.of_attribute(attribute, value));
            (name.clone(), value)
        }))
    }
}

/// Changes each object in a collection, or the value itself if it is an object.
fn each_object(value: &Value, change: &dyn Fn(&Value) -> Value) -> Value {
    match value.kind() {
        Kind::Object(_) => change(value),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            within::elements_like(value, elements.iter().map(change))
        }
        Kind::Map(map) => {
            let element = value.ty().element().cloned().unwrap_or(objchange::Type::Dynamic);
            let elements = map.iter().map(|(key, element)| (key.clone(), change(element)));
            Value::map(element, elements).unwrap_or_else(|_| value.clone())
        }
        _ => value.clone(),
    }
}
