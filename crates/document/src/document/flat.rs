//! Objects as Terraform before 0.12 kept them in state files: texts by paths, such as `"tags.%": "1"`, `"tags.a": "b"`.
//!
//! | key | meaning |
//! |---|---|
//! | `size` | a text, number or bool |
//! | `tags.%`, `tags.KEY` | the number of elements of a map; one of them |
//! | `rule.#`, `rule.POSITION.port` | the number of elements of a list; a part of one of them |
//! | `rule.#`, `rule.HASH.port` | the number of elements of a set; a part of one of them |
//!
//! Only a schema tells sets from lists, and numbers from texts. Keys of nothing in it are left out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use objchange::schema::Block;
use objchange::{Type, Value};

use super::object::{Fault, coerced_block};
use crate::json::{Json, JsonError, Raw, Shape};

/// How deep lists and maps without a schema may be within each other: deeper ones are no object of Terraform before 0.12.
const DEEPEST: usize = 100;

/// Where a value was to be known only later.
const UNKNOWN: &str = "74D93920-ED26-11E3-AC10-0800200C9A66";

/// The object in the type of a schema.
pub(super) fn of_schema(raw: Raw<'_>, schema: &Block) -> Result<Value, Fault> {
    let mut flat = Flat::read(raw)?;
    let attributes = schema.implied_type();
    let value = flat.value("", attributes).map_err(|problem| Fault::value(raw, &problem))?;
    coerced_block(raw, &value, schema)
}

/// The object without a schema: sets are lists, and all else is text.
pub(super) fn of_shape(raw: Raw<'_>) -> Result<Value, Fault> {
    Ok(Flat::read(raw)?.object_of_shape("", 0))
}

/// The JSON of the object without a schema.
pub(super) fn nested(flat: &str) -> Option<String> {
    let value = of_shape(Raw::new(flat)).ok()?;
    value.to_json(value.ty()).ok()
}

struct Flat<'t> {
    texts: BTreeMap<Cow<'t, str>, String>,
    /// How many more elements lists may have: a count alone must not fill memory.
    elements: usize,
}

impl<'t> Flat<'t> {
    fn read(raw: Raw<'t>) -> Result<Self, Fault> {
        let mut texts = BTreeMap::new();
        let read = raw.reader().members(|key, reader| {
            let place = reader.clone();
            let text = match Json::next(reader)?.view().shape() {
                Shape::String(text) => text.to_string(),
                Shape::Null => String::new(),
                _ => return Err(place.error("a text is required")),
            };
            match texts.insert(key, text) {
                None => Ok(()),
                Some(_) => Err(place.error("this key stands twice in one object")),
            }
        });
        read.map_err(|error: JsonError| Fault::from(error))?;
        Ok(Self { elements: 4 * texts.len() + 1_000, texts })
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.texts.get(key).map(|text| &**text)
    }

    /// The rest of each key that begins with a prefix.
    fn behind<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = &'s str> {
        let keys =
            self.texts.range::<str, _>((Bound::Included(prefix), Bound::Unbounded)).map(|(key, _)| &**key);
        keys.map_while(move |key| key.strip_prefix(prefix))
    }

    /// The names behind a prefix, up to the next dot, without that of a count.
    fn names(&self, prefix: &str) -> BTreeSet<String> {
        let names = self.behind(prefix).filter_map(|rest| rest.split('.').next());
        names.filter(|name| !matches!(*name, "#" | "%" | "")).map(str::to_owned).collect()
    }

    /// The value of a type at a key; that at the empty key is the object itself.
    fn value(&mut self, key: &str, ty: &Type) -> Result<Value, Problem> {
        let inside = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
        let problem = |what| Problem { key: key.to_owned(), what };
        let counted = |flat: &Self, sign: &str| {
            let count = flat.text(&inside(sign)).map(str::to_owned);
            count.map(|count| if count == UNKNOWN { None } else { Some(count) })
        };
        match ty {
            Type::Dynamic => Ok(self.of_shape(key, 0)),
            Type::Object(object) => {
                let attributes = object.attributes().iter();
                let attributes =
                    attributes.map(|(name, ty)| Ok((name.clone(), self.value(&inside(name), ty)?)));
                Ok(Value::object(attributes.collect::<Result<Vec<_>, Problem>>()?))
            }
            Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Map(_) => {
                let sign = if matches!(ty, Type::Map(_)) { "%" } else { "#" };
                let count = match counted(self, sign) {
                    None => return Ok(Value::null(ty.without_optional())),
                    Some(None) => return Ok(Value::unknown(ty.without_optional())),
                    Some(Some(count)) => count,
                };
                match ty {
                    Type::Map(element) => self.map(&inside(""), element),
                    Type::Set(element) => {
                        let names = self.names(&inside(""));
                        let elements = names.iter().map(|name| self.value(&inside(name), element));
                        Ok(Value::tuple(elements.collect::<Result<Vec<_>, _>>()?))
                    }
                    _ => {
                        let count: usize =
                            count.parse().map_err(|_| problem("the count of a list is no number"))?;
                        self.elements = self
                            .elements
                            .checked_sub(count)
                            .ok_or_else(|| problem("the count of a list is larger than what is there"))?;
                        let element = |index: usize| match ty {
                            Type::Tuple(tuple) => tuple.elements().get(index),
                            ty => ty.element(),
                        };
                        let elements = (0..count).map(|index| {
                            let element = element(index).unwrap_or(&Type::Dynamic);
                            self.value(&inside(&index.to_string()), element)
                        });
                        Ok(Value::tuple(elements.collect::<Result<Vec<_>, _>>()?))
                    }
                }
            }
            primitive => match self.text(key) {
                None => Ok(Value::null(primitive.clone())),
                Some(UNKNOWN) => Ok(Value::unknown(primitive.clone())),
                Some(text) => Value::from(text).convert(primitive).map_err(|_| {
                    problem(if *primitive == Type::Number {
                        "a number is required"
                    } else {
                        "a bool is required"
                    })
                }),
            },
        }
    }

    fn map(&mut self, prefix: &str, element: &Type) -> Result<Value, Problem> {
        let is_primitive = matches!(element, Type::String | Type::Number | Type::Bool);
        // A key of texts may have dots itself.
        let keys: BTreeSet<String> = match is_primitive {
            true => self.behind(prefix).filter(|rest| *rest != "%").map(str::to_owned).collect(),
            false => self.names(prefix),
        };
        let elements = keys.into_iter().map(|key| {
            let value = self.value(&format!("{prefix}{key}"), element)?;
            Ok((key, value))
        });
        Ok(Value::object(elements.collect::<Result<Vec<_>, Problem>>()?))
    }

    /// The value at a key, by the counts that are there.
    fn of_shape(&self, key: &str, depth: usize) -> Value {
        let inside = format!("{key}.");
        let has = |sign: &str| self.texts.contains_key(&*format!("{inside}{sign}"));
        if depth < DEEPEST && has("%") {
            let keys = self.behind(&inside).filter(|rest| *rest != "%");
            let text = |rest: &str| self.text(&format!("{inside}{rest}")).unwrap_or_default().to_owned();
            return Value::object(
                keys.map(|rest| (rest.to_owned(), Value::from(text(rest)))).collect::<Vec<_>>(),
            );
        }
        if depth < DEEPEST && has("#") {
            let mut names: Vec<String> = self.names(&inside).into_iter().collect();
            names.sort_by_key(|name| name.parse::<u64>().unwrap_or(u64::MAX));
            let element = |name: &String| self.of_shape(&format!("{inside}{name}"), depth + 1);
            return Value::tuple(names.iter().map(element).collect::<Vec<_>>());
        }
        match self.text(key) {
            Some(text) => Value::from(text),
            None => self.object_of_shape(&inside, depth + 1),
        }
    }

    fn object_of_shape(&self, prefix: &str, depth: usize) -> Value {
        let text = |rest: &str| Value::from(self.text(&format!("{prefix}{rest}")).unwrap_or_default());
        let attributes: Vec<(String, Value)> = match depth < DEEPEST {
            true => {
                let names = self.names(prefix).into_iter();
                names.map(|name| (name.clone(), self.of_shape(&format!("{prefix}{name}"), depth))).collect()
            }
            false => self.behind(prefix).map(|rest| (rest.to_owned(), text(rest))).collect(),
        };
        Value::object(attributes)
    }
}

/// A problem with the value at a key.
struct Problem {
    key: String,
    what: &'static str,
}

impl Fault {
    /// Names the attribute alone: keys behind it may be those of a sensitive map.
    fn value(raw: Raw<'_>, problem: &Problem) -> Self {
        let name = problem.key.split('.').next().unwrap_or_default();
        Self::at(raw, format!("{name}: {}", problem.what))
    }
}

#[cfg(test)]
mod tests {
    use objchange::schema::{Attribute, NestedBlock, NestingMode};

    use super::*;

    fn schema() -> Block {
        let attribute = Attribute::optional;
        let rule = Block::new([("port", attribute(Type::Number)), ("open", attribute(Type::Bool))], []);
        Block::new(
            [
                ("id", attribute(Type::String)),
                ("size", attribute(Type::Number)),
                ("tags", attribute(Type::map(Type::String))),
                ("zones", attribute(Type::set(Type::String))),
                ("none", attribute(Type::list(Type::String))),
            ],
            [("rule", NestedBlock::new(NestingMode::List, rule))],
        )
    }

    const FLAT: &str = r##"{"id":"i","size":"10","tags.%":"2","tags.a":"b","tags.c.d":"e","zones.#":"2","zones.12":"x",
        "zones.7":"y","rule.#":"2","rule.0.port":"80","rule.0.open":"true","rule.1.port":"443","gone":"z"}"##;

    fn shown(value: Result<Value, Fault>) -> String {
        value.map_or_else(|fault| fault.in_text("").message, |value| value.to_string())
    }

    #[test]
    fn a_schema_tells_the_types() {
        assert_eq!(
            shown(of_schema(Raw::new(FLAT), &schema())),
            r#"{id = "i", none = null, rule = [{open = true, port = 80}, {open = null, port = 443}], size = 10, tags = {"a" = "b", "c.d" = "e"}, zones = ["x", "y"]}"#
        );
    }

    #[test]
    fn without_one_counts_tell_the_shape() {
        assert_eq!(
            shown(of_shape(Raw::new(FLAT))),
            r#"{gone = "z", id = "i", rule = [{open = "true", port = "80"}, {port = "443"}], size = "10", tags = {a = "b", c.d = "e"}, zones = ["y", "x"]}"#
        );
    }

    #[test]
    fn what_does_not_fit_is_named_without_its_values() {
        for (flat, message) in [
            (r#"{"size":"hunter"}"#, "size: a number is required"),
            (r##"{"rule.#":"1","rule.0.open":"hunter"}"##, "rule: a bool is required"),
            (r##"{"rule.#":"hunter"}"##, "rule: the count of a list is no number"),
            (r##"{"rule.#":"1000000000000"}"##, "rule: the count of a list is larger than what is there"),
            (r#"{"size":10}"#, "a text is required"),
        ] {
            assert_eq!(shown(of_schema(Raw::new(flat), &schema())), message, "{flat}");
        }
    }

    #[test]
    fn any_depth_is_read() {
        let mut keys = Vec::new();
        let mut key = "a".to_owned();
        for _ in 0..2_000 {
            keys.push(format!("\"{key}.#\":\"1\""));
            key += ".0";
        }
        keys.push(format!("\"{key}\":\"x\""));
        let text = format!("{{{}}}", keys.join(","));
        assert!(of_shape(Raw::new(&text)).is_ok());
    }
}
