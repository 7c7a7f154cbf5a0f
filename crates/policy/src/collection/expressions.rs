//! The expressions in a block of the configuration, as the plan has them, and provisioners.

use std::sync::Arc;

use objchange_document::json::{Json, Shape, View};
use objchange_document::{HiddenNames, Text};
use objchange_text::redact::SENSITIVE;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{As, Collected, Secrets, items};

/// The arguments of a block, or an expression: `{"constant_value": …}`, `{"references": […]}`, and blocks as lists of
/// maps of these. Empty blocks are `{}`. `Debug` shows only the shape.
#[derive(Debug, Clone)]
pub struct Expressions<'t> {
    json: Option<Json<'t>>,
    /// The constants that the plan calls sensitive.
    hidden: Option<Arc<HiddenNames>>,
}

impl<'t> Expressions<'t> {
    pub(crate) fn new(json: Option<Json<'t>>, hidden: Option<Arc<HiddenNames>>) -> Self {
        Self { json, hidden }
    }

    /// Whether anything of it may be sensitive.
    pub fn may_be_sensitive(&self) -> bool {
        self.hidden.is_some()
    }

    /// The expressions, secrets included; `None` if there are none.
    pub fn exact(&self) -> Option<View<'_, 't>> {
        self.json.as_ref().map(Json::view)
    }
}

impl Collected for Expressions<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.json {
            None => serializer.serialize_map(Some(0))?.end(),
            Some(json) => HiddenIn(json.view(), self.hidden.as_deref()).write(secrets, serializer),
        }
    }
}

/// Expressions with what is hidden of their constants.
pub(crate) struct HiddenIn<'v, 't>(pub(crate) View<'v, 't>, pub(crate) Option<&'v HiddenNames>);

/// A constant, or another value without marks of its own, with what is hidden of it.
pub(crate) struct Constant<'v, 't>(pub(crate) View<'v, 't>, pub(crate) Option<&'v HiddenNames>);

impl Collected for HiddenIn<'_, '_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            Some(_) if secrets == Secrets::Hidden => self.serialize(serializer),
            _ => self.0.write(secrets, serializer),
        }
    }
}

impl Serialize for HiddenIn<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, Some(names)) = *self else {
            return As(&self.0, Secrets::Hidden).serialize(serializer);
        };
        match view.shape() {
            Shape::Object(members) => {
                let mut written = serializer.serialize_map(Some(members.len()))?;
                for (key, member) in members.iter() {
                    match key {
                        // All else are names of what is referred to, which are not secret.
                        "constant_value" => written.serialize_entry(key, &Constant(member, Some(names)))?,
                        _ => written.serialize_entry(key, &HiddenIn(member, names.below(key)))?,
                    }
                }
                written.end()
            }
            Shape::Array(elements) => {
                let mut written = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements.iter() {
                    written.serialize_element(&HiddenIn(element, Some(names)))?;
                }
                written.end()
            }
            _ => As(&view, Secrets::Hidden).serialize(serializer),
        }
    }
}

impl Serialize for Constant<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, Some(names)) = *self else {
            return As(&self.0, Secrets::Hidden).serialize(serializer);
        };
        match view.shape() {
            _ if names.has_all() => serializer.serialize_str(SENSITIVE),
            Shape::Object(members) => {
                let members = members.iter().map(|(key, member)| (key, Constant(member, names.below(key))));
                serializer.collect_map(members)
            }
            Shape::Array(elements) => {
                serializer.collect_seq(elements.iter().map(|element| Constant(element, Some(names))))
            }
            _ => As(&view, Secrets::Hidden).serialize(serializer),
        }
    }
}

/// A provisioner of a resource.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Provisioner<'t> {
    /// The address of its resource.
    pub resource_address: Text<'t>,
    /// Its type, such as `local-exec`.
    pub provisioner_type: Text<'t>,
    /// Its position among those of the resource, in digits.
    pub index: Text<'t>,
    /// The expressions in it.
    pub config: Expressions<'t>,
}

items! {
    Provisioner(item) {
        "resource_address": Text = Text(&item.resource_address),
        "type": Text = Text(&item.provisioner_type),
        "index": Text = Text(&item.index),
        "config": Expressions = Expressions(&item.config),
    }
}
