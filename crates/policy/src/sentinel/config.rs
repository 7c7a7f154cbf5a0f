//! The items of a configuration.

use crate::Marked;
use crate::tfconfig::{Expressions, ModuleCall, Output, Provider, Provisioner, Resource, Variable};
use objchange_plan::Text;
use objchange_sentinel::Value;

use super::document::CollectionKind;
use super::items::{Item, Labels, Read, texts};
use super::place::{Part, Place};

fn part<'v, 't>(expressions: &'v Expressions<'t>) -> Read<'v, 't> {
    Ok(expressions.exact().map(Marked::plain))
}

fn text(text: &Text<'_>) -> Value {
    Value::from(&**text)
}

impl<'t> Item<'t> for Provider<'t> {
    const FIELDS: &'static [&'static str] = &[
        "alias",
        "config",
        "full_name",
        "module_address",
        "name",
        "provider_config_key",
        "version_constraint",
    ];

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "alias" => text(&self.alias),
            "full_name" => text(&self.full_name),
            "module_address" => text(&self.module_address),
            "name" => text(&self.name),
            "provider_config_key" => text(&self.provider_config_key),
            "version_constraint" => text(&self.version_constraint),
            _ => place.expressions(Part::Config, &self.config),
        }
    }

    fn part(&self, _: Part) -> Read<'_, 't> {
        part(&self.config)
    }
}

impl<'t> Item<'t> for Resource<'t> {
    const FIELDS: &'static [&'static str] = &[
        "address",
        "config",
        "count",
        "depends_on",
        "for_each",
        "mode",
        "module_address",
        "name",
        "provider_config_key",
        "provisioners",
        "type",
    ];

    fn labels(&self) -> Labels<'_> {
        Labels {
            address: &self.address,
            module_address: &self.module_address,
            mode: &self.mode,
            resource_type: &self.resource_type,
            provider_name: "",
        }
    }

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "name" => text(&self.name),
            "provider_config_key" => text(&self.provider_config_key),
            "count" => place.expressions(Part::Count, &self.count),
            "for_each" => place.expressions(Part::ForEach, &self.for_each),
            "depends_on" => texts(&self.depends_on),
            "provisioners" => {
                let keys = self.provisioners.iter().map(|of| format!("{}:{}", of.resource_address, of.index));
                Value::from(
                    keys.map(|key| place.item(CollectionKind::Provisioners, &key)).collect::<Vec<_>>(),
                )
            }
            _ => place.expressions(Part::Config, &self.config),
        }
    }

    fn part(&self, of: Part) -> Read<'_, 't> {
        part(match of {
            Part::Count => &self.count,
            Part::ForEach => &self.for_each,
            _ => &self.config,
        })
    }
}

impl<'t> Item<'t> for Provisioner<'t> {
    const FIELDS: &'static [&'static str] = &["config", "index", "resource_address", "type"];

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "index" => text(&self.index),
            "resource_address" => text(&self.resource_address),
            // That of its own; the label is of resources.
            "type" => text(&self.provisioner_type),
            _ => place.expressions(Part::Config, &self.config),
        }
    }

    fn part(&self, _: Part) -> Read<'_, 't> {
        part(&self.config)
    }
}

impl<'t> Item<'t> for Variable<'t> {
    const FIELDS: &'static [&'static str] = &["default", "description", "module_address", "name"];

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "description" => text(&self.description),
            "module_address" => text(&self.module_address),
            "name" => text(&self.name),
            _ => place.value(Part::Value, self.part(Part::Value)),
        }
    }

    fn part(&self, _: Part) -> Read<'_, 't> {
        Ok(Some(self.default()))
    }
}

impl<'t> Item<'t> for Output<'t> {
    const FIELDS: &'static [&'static str] =
        &["depends_on", "description", "module_address", "name", "sensitive", "value"];

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "depends_on" => texts(&self.depends_on),
            "description" => text(&self.description),
            "module_address" => text(&self.module_address),
            "name" => text(&self.name),
            "sensitive" => Value::from(self.sensitive),
            _ => place.expressions(Part::Config, &self.value),
        }
    }

    fn part(&self, _: Part) -> Read<'_, 't> {
        part(&self.value)
    }
}

impl<'t> Item<'t> for ModuleCall<'t> {
    const FIELDS: &'static [&'static str] = &[
        "config",
        "count",
        "depends_on",
        "for_each",
        "module_address",
        "name",
        "source",
        "version_constraint",
    ];

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "count" => place.expressions(Part::Count, &self.count),
            "depends_on" => texts(&self.depends_on),
            "for_each" => place.expressions(Part::ForEach, &self.for_each),
            "module_address" => text(&self.module_address),
            "name" => text(&self.name),
            "source" => text(&self.source),
            "version_constraint" => text(&self.version_constraint),
            _ => place.expressions(Part::Config, &self.config),
        }
    }

    fn part(&self, of: Part) -> Read<'_, 't> {
        part(match of {
            Part::Count => &self.count,
            Part::ForEach => &self.for_each,
            _ => &self.config,
        })
    }
}
