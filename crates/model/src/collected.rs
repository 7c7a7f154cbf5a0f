//! Sets that a provider collects from arguments, such as the domain names of a certificate.

use std::collections::BTreeSet;

use objchange::schema::Block;
use objchange::value::{Kind, Object};
use objchange::{Type, Value};
use smol_str::SmolStr;

use crate::empty::has_nothing;
use crate::fact::Collected;

/// The most arguments without a value that are tried beside those that have the texts of a set.
const MAX_BESIDE: usize = 48;

/// The longest set that is compared with arguments.
const MAX_TEXTS: usize = 64;

/// The ways in which a planned set may have been collected from one argument, or from two of which one may be left out.
pub(crate) fn collections(schema: &Block, config: &Value, planned: &Value) -> Vec<Collected> {
    let Some((attribute, texts)) = texts_of_set(planned) else { return Vec::new() };
    let is_argument =
        |name: &str| schema.attribute(name).is_some_and(|attribute| attribute.required || attribute.optional);
    let members = || {
        let members = config.as_object().into_iter().flat_map(Object::iter);
        members.filter(|(name, _)| is_argument(name))
    };
    let mut filled: Vec<(&SmolStr, BTreeSet<&str>)> = Vec::new();
    for (name, value) in members() {
        if let Some(own) = texts_of_argument(value)
            && !own.is_empty()
            && own.is_subset(&texts)
        {
            filled.push((name, own));
        }
    }
    let empty: Vec<&SmolStr> = members()
        .filter(|(_, value)| has_nothing(value) && may_have_texts(value.ty()))
        .map(|(name, _)| name)
        .take(MAX_BESIDE)
        .collect();
    let collected = |names: &[&SmolStr]| {
        let mut arguments: Vec<SmolStr> = names.iter().map(|name| (*name).clone()).collect();
        arguments.sort_unstable();
        Collected { arguments, attribute: attribute.clone() }
    };
    let mut found = Vec::new();
    for (i, (name, own)) in filled.iter().enumerate() {
        if own.len() == texts.len() {
            found.push(collected(&[name]));
            found.extend(empty.iter().map(|other| collected(&[name, other])));
        }
        for (other, others) in &filled[i + 1..] {
            if own.union(others).count() == texts.len() {
                found.push(collected(&[name, other]));
            }
        }
    }
    found
}

impl Collected {
    /// The set of this type for a configuration; `None` if an argument is not known, none has a text, or it is no such set.
    pub(crate) fn set(&self, config: &Value, ty: &Type) -> Option<Value> {
        let mut texts = BTreeSet::new();
        for argument in &self.arguments {
            let value = config.attribute(argument)?;
            if !value.is_null() {
                texts.extend(texts_of_argument(value)?);
            }
        }
        let Type::Set(element) = ty else { return None };
        // Without any of the arguments the provider has nothing to collect, and may choose.
        if texts.is_empty() {
            return None;
        }
        let elements: Option<Vec<Value>> = texts
            .into_iter()
            .map(|text| match (&self.attribute, element.as_object()) {
                (None, None) => Some(Value::from(text)),
                (Some(attribute), Some(object))
                    if object.attributes().iter().any(|(name, _)| name == attribute) =>
                {
                    Some(Value::object(object.attributes().iter().map(|(name, ty)| {
                        let is_it = name == attribute;
                        let value = if is_it { Value::from(text) } else { Value::unknown(ty.clone()) };
                        (name.clone(), value)
                    })))
                }
                _ => None,
            })
            .collect();
        Value::tuple(elements?).convert(ty).ok()
    }
}

/// The texts in a set of texts; or in one attribute of the objects of a set, with its name, if all others are unknown.
fn texts_of_set(planned: &Value) -> Option<(Option<SmolStr>, BTreeSet<&str>)> {
    let Kind::Set(elements) = planned.kind() else { return None };
    if elements.is_empty() || elements.len() > MAX_TEXTS {
        return None;
    }
    let mut attribute = None;
    let mut texts = BTreeSet::new();
    for element in elements {
        let text = match element.as_object() {
            None => element.as_str()?,
            Some(object) => {
                let mut known = object.iter().filter(|(_, member)| member.is_known());
                let (name, text) = known.next().filter(|_| known.next().is_none())?;
                // All objects have the same one.
                if attribute.get_or_insert_with(|| name.clone()) != name || object.len() < 2 {
                    return None;
                }
                text.as_str()?
            }
        };
        texts.insert(text);
    }
    (texts.len() == elements.len()).then_some((attribute, texts))
}

/// The texts of an argument that is wholly known.
fn texts_of_argument(value: &Value) -> Option<BTreeSet<&str>> {
    if let Some(text) = value.as_str() {
        return Some(BTreeSet::from([text]));
    }
    match value.kind() {
        Kind::List(elements) | Kind::Set(elements) => elements.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn may_have_texts(ty: &Type) -> bool {
    *ty == Type::String || matches!(ty, Type::List(element) | Type::Set(element) if **element == Type::String)
}

#[cfg(test)]
mod tests {
    use objchange::schema::Attribute;

    use super::*;

    fn config(name: &str, others: Option<&[&str]>, mode: Option<&str>) -> Value {
        let ty = Type::set(Type::String);
        let others = others.map_or(Value::null(ty.clone()), |others| {
            Value::tuple(others.iter().map(|other| Value::from(*other))).convert(&ty).unwrap()
        });
        let mode = mode.map_or(Value::null(Type::String), Value::from);
        Value::object([("name", Value::from(name)), ("others", others), ("mode", mode)])
    }

    fn records(names: &[&str]) -> Value {
        let objects = names.iter().map(|name| {
            Value::object([("domain", Value::from(*name)), ("record", Value::unknown(Type::String))])
        });
        let tuple = Value::tuple(objects.collect::<Vec<_>>());
        let element = tuple.as_elements().unwrap()[0].ty().clone();
        tuple.convert(&Type::set(element)).unwrap()
    }

    fn schema() -> Block {
        let text = || Attribute::optional(Type::String);
        let others = Attribute::optional(Type::set(Type::String));
        Block::new([("name", text()), ("others", others), ("mode", text())], [])
    }

    #[test]
    fn a_set_is_collected_from_arguments() {
        let both =
            Collected { arguments: vec!["name".into(), "others".into()], attribute: Some("domain".into()) };
        for (config, names) in [
            (config("a", None, None), &["a"][..]),
            (config("a", Some(&["b", "a"]), None), &["a", "b"]),
            (config("a", Some(&[]), Some("c")), &["a"]),
        ] {
            let planned = records(names);
            if config.attribute("others").is_some_and(|others| others.len() != Some(0)) {
                assert!(collections(&schema(), &config, &planned).contains(&both), "{config}");
            }
            assert!(both.set(&config, planned.ty()).unwrap().identical(&planned), "{config}");
        }
        // Another text is in it, or one is missing.
        assert!(
            collections(&schema(), &config("a", Some(&["b"]), None), &records(&["a", "b", "c"])).is_empty()
        );
        assert!(!collections(&schema(), &config("a", Some(&["b"]), None), &records(&["a"])).contains(&both));
        // An argument that is not known may add anything.
        let unknown =
            Value::object([("name", Value::from("a")), ("others", Value::unknown(Type::set(Type::String)))]);
        assert!(both.set(&unknown, records(&["a"]).ty()).is_none());
    }
}
