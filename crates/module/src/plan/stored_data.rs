//! Compares the configuration of a data source with the one that it was last read with.

use objchange::Value;
use objchange::schema::{AttributeType, Block, NestedBlock, NestingMode};

/// How many blocks of a set are compared with each other, which is quadratic.
const MAX_BLOCKS: usize = 64;

/// Whether an object in the state was read with this configuration. Arguments that are left out must have no value there,
/// unless the provider computes them: the argument may have been removed since.
pub(super) fn is_read_with(block: &Block, config: &Value, stored: &Value) -> bool {
    let nothing = Value::null(objchange::Type::Dynamic);
    let sides = |name: &str| {
        let of = |object: &Value| object.attribute(name).cloned().unwrap_or_else(|| nothing.clone());
        (of(config), of(stored).unmark_deep().0)
    };
    block.attributes().iter().all(|(name, attribute)| {
        let (config, stored) = sides(name);
        match (config.is_null(), &attribute.ty) {
            (true, _) => attribute.computed || stored.is_null() || objchange_model::is_empty_value(&stored),
            // Objects in attributes may have computed parts.
            (false, AttributeType::Nested(_)) => false,
            (false, AttributeType::Plain(_)) => config.identical(&stored),
        }
    }) && block.block_types().iter().all(|(name, nested)| {
        let (config, stored) = sides(name);
        are_read_with(nested, &config, &stored)
    })
}

fn are_read_with(nested: &NestedBlock, config: &Value, stored: &Value) -> bool {
    let is_read = |config: &Value, stored: &Value| is_read_with(&nested.block, config, stored);
    if config.is_null() || config.len() == Some(0) {
        return stored.is_null() || stored.len() == Some(0);
    }
    match nested.nesting {
        NestingMode::Single | NestingMode::Group => !stored.is_null() && is_read(config, stored),
        NestingMode::List | NestingMode::Set => {
            let (Some(config), Some(stored)) = (config.as_elements(), stored.as_elements()) else {
                return false;
            };
            if config.len() != stored.len() || config.len() > MAX_BLOCKS {
                return false;
            }
            if nested.nesting == NestingMode::List {
                return std::iter::zip(config, stored).all(|(config, stored)| is_read(config, stored));
            }
            // Each block of one side must be one of the other side.
            config.iter().all(|config| stored.iter().any(|stored| is_read(config, stored)))
                && stored.iter().all(|stored| config.iter().any(|config| is_read(config, stored)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use objchange::Type;
    use objchange::schema::Attribute;

    use super::*;

    #[test]
    fn an_object_is_of_the_configuration_that_it_was_read_with() {
        let filter = Block::new(
            [
                ("name", Attribute::required(Type::String)),
                ("values", Attribute::optional(Type::set(Type::String))),
            ],
            [],
        );
        let block = Block::new(
            [
                ("state", Attribute::optional(Type::String)),
                ("kind", Attribute::optional(Type::String)),
                ("id", Attribute::optional_computed(Type::String)),
                ("names", Attribute::computed(Type::list(Type::String))),
            ],
            [("filter", NestedBlock::new(NestingMode::Set, filter))],
        );
        let object = |state: &str, kind: Option<&str>, filters: &[&str]| {
            let filters = filters.iter().map(|name| Value::object([("name", *name)]));
            let kind = kind.map_or(Value::null(Type::String), Value::from);
            let object = Value::object([
                ("state", Value::from(state)),
                ("kind", kind),
                ("filter", Value::tuple(filters)),
            ]);
            block.coerce_config(&object).unwrap()
        };
        let stored = object("available", Some(""), &["a", "b"]);
        assert!(is_read_with(&block, &object("available", None, &["b", "a"]), &stored));
        for other in [
            object("gone", None, &["a", "b"]),
            object("available", Some("x"), &["a", "b"]),
            object("available", None, &["a"]),
            object("available", None, &["a", "c"]),
        ] {
            assert!(!is_read_with(&block, &other, &stored), "{other}");
        }
        // An argument that is gone from the configuration had a value.
        let stored = object("available", Some("x"), &["a"]);
        assert!(!is_read_with(&block, &object("available", None, &["a"]), &stored));
    }
}
