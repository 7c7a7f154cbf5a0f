//! Finds configured elements of sets that a plan changes. Terraform compares such sets only by their length, because elements have
//! no keys by which they could be found.

use objchange::Value;
use objchange::schema::{Attribute, AttributeType, Block, NestedType, NestingMode};
use objchange::value::{Kind, Map, Path};

/// The most elements of a set that are compared with each other, which is quadratic.
const MAX_ELEMENTS: usize = 64;

/// Compares a configured object with its planned one.
type InObject<'i> = dyn Fn(&Value, &Value, &Path, &mut Vec<Path>) + 'i;

/// The sets of objects with a configured element whose values no planned one has: a default has replaced one of them, for
/// example.
pub(super) fn changed_sets(block: &Block, config: &Value, planned: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    of_block(block, config, planned, &Path::root(), &mut found);
    found
}

fn of_block(block: &Block, config: &Value, planned: &Value, path: &Path, found: &mut Vec<Path>) {
    of_attributes(block.attributes(), config, planned, path, found);
    for (name, nested) in block.block_types() {
        let Some((config, planned)) = config.attribute(name).zip(planned.attribute(name)) else { continue };
        let path = path.clone().attribute(name.clone());
        let inside = |config: &Value, planned: &Value, path: &Path, found: &mut Vec<Path>| {
            of_block(&nested.block, config, planned, path, found);
        };
        of_objects(nested.nesting, (config, planned), &path, &inside, found);
    }
}

fn of_attributes<N: AsRef<str>>(
    attributes: &[(N, Attribute)],
    config: &Value,
    planned: &Value,
    path: &Path,
    found: &mut Vec<Path>,
) {
    for (name, attribute) in attributes {
        let name = name.as_ref();
        let AttributeType::Nested(nested) = &attribute.ty else { continue };
        let Some((config, planned)) = config.attribute(name).zip(planned.attribute(name)) else { continue };
        let path = path.clone().attribute(name);
        let inside = |config: &Value, planned: &Value, path: &Path, found: &mut Vec<Path>| {
            of_nested(nested, config, planned, path, found);
        };
        of_objects(nested.nesting(), (config, planned), &path, &inside, found);
    }
}

fn of_nested(nested: &NestedType, config: &Value, planned: &Value, path: &Path, found: &mut Vec<Path>) {
    of_attributes(nested.attributes(), config, planned, path, found);
}

fn of_objects(
    nesting: NestingMode,
    (config, planned): (&Value, &Value),
    path: &Path,
    inside: &InObject<'_>,
    found: &mut Vec<Path>,
) {
    let (config, planned) = (config.unmarked(), planned.unmarked());
    match nesting {
        NestingMode::Single | NestingMode::Group => inside(config, planned, path, found),
        NestingMode::Map => {
            for (key, config) in config.as_map().into_iter().flat_map(Map::iter) {
                if let Some(planned) = planned.element(key) {
                    inside(config, planned, &path.clone().index(key.as_str()), found);
                }
            }
        }
        NestingMode::List => {
            let elements = config.as_elements().unwrap_or_default();
            for (i, (config, planned)) in
                std::iter::zip(elements, planned.as_elements().unwrap_or_default()).enumerate()
            {
                inside(config, planned, &path.clone().index(i as u64), found);
            }
        }
        NestingMode::Set => {
            let (Some(config), Some(planned)) = (config.as_elements(), planned.as_elements()) else { return };
            let is_comparable = config.len() == planned.len() && config.len() <= MAX_ELEMENTS;
            let has = |element: &Value| planned.iter().any(|planned| keeps(element, planned));
            if is_comparable && !config.iter().all(has) {
                found.push(path.clone());
            }
        }
        _ => {}
    }
}

/// Whether a planned value has everything that is configured. Values that are left out or not known may become any.
fn keeps(config: &Value, planned: &Value) -> bool {
    let (config, planned) = (config.unmarked(), planned.unmarked());
    match (config.kind(), planned.kind()) {
        (Kind::Null | Kind::Unknown(_), _) | (_, Kind::Unknown(_)) => true,
        (Kind::Object(members), _) => members
            .iter()
            .all(|(name, config)| planned.attribute(name).is_some_and(|planned| keeps(config, planned))),
        (Kind::List(one) | Kind::Tuple(one), Kind::List(other) | Kind::Tuple(other)) => {
            one.len() == other.len()
                && std::iter::zip(one, other).all(|(config, planned)| keeps(config, planned))
        }
        (Kind::Set(one), Kind::Set(other)) => {
            one.len() > MAX_ELEMENTS || one.iter().all(|one| other.iter().any(|other| keeps(one, other)))
        }
        (Kind::Map(one), _) => {
            one.iter().all(|(key, one)| planned.element(key).is_some_and(|other| keeps(one, other)))
        }
        _ => config.identical(planned),
    }
}

#[cfg(test)]
mod tests {
    use objchange::Type;
    use objchange::schema::NestedBlock;

    use super::*;

    fn block() -> Block {
        let rule = Block::new(
            [
                ("port", Attribute::required(Type::Number)),
                ("protocol", Attribute::optional_computed(Type::String)),
            ],
            [],
        );
        Block::new::<&str>([], [("rule", NestedBlock::new(NestingMode::Set, rule))])
    }

    fn rules(all: &[(i64, Option<&str>)]) -> Value {
        let rules = all.iter().map(|(port, protocol)| {
            let protocol = protocol.map_or(Value::null(Type::String), Value::from);
            Value::object([("port", Value::from(*port)), ("protocol", protocol)])
        });
        block().coerce_config(&Value::object([("rule", Value::tuple(rules))])).unwrap()
    }

    #[test]
    fn a_configured_element_must_be_planned() {
        let config = rules(&[(53, Some("udp")), (80, None)]);
        let changed = |planned: &Value| {
            let found = changed_sets(&block(), &config, planned);
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(changed(&rules(&[(53, Some("udp")), (80, Some("tcp"))])).is_empty());
        // The default is written over the configured value.
        assert_eq!(changed(&rules(&[(53, Some("tcp")), (80, Some("tcp"))])), ["rule"]);
    }
}
