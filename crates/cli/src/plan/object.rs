//! Objects as people and tools write them: JSON that states no types.
//!
//! Markers of case files (`{"$unknown":{}}`, `{"$sensitive":…}`) are understood everywhere. Where the schema
//! says `dynamic`, `{"type":T,"value":V}` is a value of a stated type, as state files write it; any other
//! JSON has the type that it looks like.

use std::fmt;

use objchange::schema::{Block, CoerceErrorKind};
use objchange::value::{Marks, Path, PathStep, json_message};
use objchange::{Type, Value};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use super::place;

/// Why a text is no object of a resource type, and where. Never shows a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ObjectError {
    /// Where in the text, in bytes from 0.
    pub(crate) offset: usize,
    pub(crate) message: String,
}

/// Whether the markers of case files are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As people write it: with markers.
    Markers,
    /// As Terraform writes it: what looks like a marker is none.
    Plain,
}

impl ObjectError {
    pub(super) fn from_json(text: &str, error: &serde_json::Error) -> Self {
        Self { offset: place::offset(text, error.line(), error.column()), message: json_message(error) }
    }

    /// What is wrong with a part: `path` leads to it, `shown` is the same as it may be shown.
    fn misfit(text: &str, path: &Path, shown: &Path, message: &str) -> Self {
        let place = if shown.is_root() { String::new() } else { format!("{shown}: ") };
        Self { offset: place::offset_of(text, path), message: format!("{place}{message}") }
    }
}

/// Reads an object and brings it into the type of the schema.
pub(crate) fn read(text: &str, schema: &Block, form: Form) -> Result<Value, ObjectError> {
    let Distinct(json) = serde_json::from_str(text).map_err(|e| ObjectError::from_json(text, &e))?;
    let mut reader = Reader { form, path: Vec::new(), hidden_below: None };
    let value = reader.value(json, schema.implied_type()).map_err(|Misfit { path, message }| {
        let shown = match (form, reader.hidden_below) {
            // What of a state is sensitive may be said elsewhere in it.
            (Form::Plain, _) => schema.hide_keys_below(&path, 0),
            (Form::Markers, Some(depth)) => schema.hide_keys_below(&path, depth),
            (Form::Markers, None) => schema.hide_keys(&path),
        };
        ObjectError::misfit(text, &path, &shown, &message)
    })?;
    if value.attribute("format_version").is_some() && schema.attribute("format_version").is_none() {
        let message = "this is a document of Terraform, not an object of a resource".to_owned();
        return Err(ObjectError { offset: 0, message });
    }
    let coerced = schema.coerce_config(&value);
    coerced.map_err(|error| {
        let at = match &error.kind {
            CoerceErrorKind::Unsupported { name } => error.path.clone().attribute(name.clone()),
            _ => error.path.clone(),
        };
        let shown = match form {
            // The same error, without the keys.
            Form::Plain => schema.coerce_config(&value.sensitive()).err().unwrap_or(error),
            Form::Markers => error,
        };
        ObjectError { offset: place::offset_of(text, &at), message: shown.to_string() }
    })
}

/// What is wrong with a part of an object.
struct Misfit {
    path: Path,
    message: String,
}

/// Makes values of JSON whose type is what it looks like, but for what only the expected one can tell.
struct Reader {
    form: Form,
    path: Vec<PathStep>,
    /// How deep the highest marker stands that is open, or was where reading failed: below it keys are not shown.
    hidden_below: Option<usize>,
}

impl Reader {
    fn value(&mut self, json: Json, expected: &Type) -> Result<Value, Misfit> {
        match json {
            Json::Null => Ok(Value::null(Type::Dynamic)),
            Json::Bool(b) => Ok(Value::from(b)),
            Json::String(s) => Ok(Value::from(s)),
            Json::Number(_) => self.stated(&json, &Type::Number),
            Json::Array(elements) => elements
                .into_iter()
                .enumerate()
                .map(|(i, json)| {
                    let expected = match expected {
                        Type::Tuple(tuple) => tuple.elements().get(i).unwrap_or(&Type::Dynamic),
                        other => other.element().unwrap_or(&Type::Dynamic),
                    };
                    self.inside(json, expected, PathStep::Index(Value::from(i)))
                })
                .collect::<Result<Vec<_>, _>>()
                .map(Value::tuple),
            Json::Object(object) => self.object(object, expected),
        }
    }

    fn object(
        &mut self,
        mut object: serde_json::Map<String, Json>,
        expected: &Type,
    ) -> Result<Value, Misfit> {
        if object.len() == 1 && self.form == Form::Markers {
            if object.contains_key("$unknown") {
                return self.stated(&Json::Object(object), expected);
            }
            for (marker, marks) in [("$sensitive", Marks::SENSITIVE), ("$ephemeral", Marks::EPHEMERAL)] {
                if let Some(inside) = object.remove(marker) {
                    let outside = self.hidden_below;
                    self.hidden_below = outside.or(Some(self.path.len()));
                    let value = self.value(inside, expected)?;
                    self.hidden_below = outside;
                    return Ok(value.with_marks(marks));
                }
            }
            if let Some(Json::Object(literal)) = object.get_mut("$literal") {
                let literal = std::mem::take(literal);
                return self.entries(literal, expected);
            }
        }
        if *expected == Type::Dynamic
            && object.len() == 2
            && let (Some(ty), Some(json)) = (object.get("type"), object.get("value"))
            && let Ok(ty) = serde_json::from_value::<Type>(ty.clone())
        {
            return self.stated(json, &ty.without_optional());
        }
        self.entries(object, expected)
    }

    fn entries(&mut self, object: serde_json::Map<String, Json>, expected: &Type) -> Result<Value, Misfit> {
        let step = |name: &str| match expected {
            Type::Map(_) => PathStep::Index(Value::from(name)),
            _ => PathStep::Attribute(name.into()),
        };
        let attributes: Vec<(String, Value)> = object
            .into_iter()
            .map(|(name, json)| {
                let element = match expected {
                    Type::Object(object) => object.attribute(&name).unwrap_or(&Type::Dynamic),
                    other => other.element().unwrap_or(&Type::Dynamic),
                };
                let value = self.inside(json, element, step(&name))?;
                Ok((name, value))
            })
            .collect::<Result<_, _>>()?;
        Ok(Value::object(attributes))
    }

    fn inside(&mut self, json: Json, expected: &Type, step: PathStep) -> Result<Value, Misfit> {
        self.path.push(step);
        let value = self.value(json, expected)?;
        self.path.pop();
        Ok(value)
    }

    /// A value of a type that is stated.
    fn stated(&self, json: &Json, ty: &Type) -> Result<Value, Misfit> {
        let text = json.to_string();
        let value = match self.form {
            Form::Markers => Value::from_marker_json(&text, ty),
            Form::Plain => Value::from_json(&text, ty),
        };
        value.map_err(|error| Misfit {
            path: self.path.iter().chain(error.path.steps()).cloned().collect(),
            message: error.message,
        })
    }
}

/// JSON in which no key stands twice.
struct Distinct(Json);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DistinctVisitor;
        impl<'de> Visitor<'de> for DistinctVisitor {
            type Value = Distinct;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Distinct, E> {
                Ok(Distinct(Json::Null))
            }

            fn visit_bool<E: de::Error>(self, b: bool) -> Result<Distinct, E> {
                Ok(Distinct(Json::Bool(b)))
            }

            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Distinct, E> {
                Ok(Distinct(n.into()))
            }

            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Distinct, E> {
                Ok(Distinct(n.into()))
            }

            fn visit_str<E: de::Error>(self, s: &str) -> Result<Distinct, E> {
                Ok(Distinct(s.into()))
            }

            fn visit_string<E: de::Error>(self, s: String) -> Result<Distinct, E> {
                Ok(Distinct(s.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Distinct, A::Error> {
                let mut elements = Vec::new();
                while let Some(Distinct(element)) = seq.next_element()? {
                    elements.push(element);
                }
                Ok(Distinct(Json::Array(elements)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Distinct, A::Error> {
                let mut object = serde_json::Map::new();
                while let Some(key) = map.next_key::<String>()? {
                    // This is how serde_json hands over a number that must stay exact.
                    if object.is_empty() && key == "$serde_json::private::Number" {
                        let number: String = map.next_value()?;
                        return number.parse().map(|n| Distinct(Json::Number(n))).map_err(de::Error::custom);
                    }
                    if object.contains_key(&key) {
                        // Not named: it may be a key of a map that the schema calls sensitive.
                        return Err(de::Error::custom("this key stands twice in one object"));
                    }
                    let Distinct(value) = map.next_value()?;
                    object.insert(key, value);
                }
                Ok(Distinct(Json::Object(object)))
            }
        }
        deserializer.deserialize_any(DistinctVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(json: &str) -> Block {
        serde_json::from_str(json).unwrap()
    }

    const SCHEMA: &str = r#"{
        "attributes":{
            "id":{"type":"string","computed":true},
            "any":{"type":"dynamic","optional":true},
            "name":{"type":"string","required":true},
            "tags":{"type":["map","string"],"optional":true}},
        "block_types":{"disk":{"nesting_mode":"list","block":{"attributes":{
            "size":{"type":"number","required":true}}}}}}"#;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let schema = block(SCHEMA);
        let value = read(text, &schema, Form::Markers).unwrap();
        assert_eq!(value.to_marker_json(schema.implied_type()).unwrap(), expected);
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = read(text, &block(SCHEMA), Form::Markers).unwrap_err();
        let (line, column) = place::line_and_column(text, error.offset);
        assert_eq!(format!("{line}:{column}: {error}"), expected);
    }

    #[test]
    fn plain_json_takes_the_types_of_the_schema() {
        check(
            r#"{"name":12,"tags":{"a":"b"},"disk":[{"size":"10"}],"any":[1,"x",null]}"#,
            r#"{"any":{"type":["tuple",["number","string","dynamic"]],"value":[1,"x",null]},"disk":[{"size":10}],"id":null,"name":"12","tags":{"a":"b"}}"#,
        );
    }

    #[test]
    fn dynamic_values_may_state_their_type() {
        check(
            r#"{"name":"x","any":{"type":["set","number"],"value":[2,1]}}"#,
            r#"{"any":{"type":["set","number"],"value":[1,2]},"disk":[],"id":null,"name":"x","tags":null}"#,
        );
        check(
            r#"{"name":"x","any":{"type":"t3.micro","value":1}}"#,
            r#"{"any":{"type":["object",{"type":"string","value":"number"}],"value":{"type":"t3.micro","value":1}},"disk":[],"id":null,"name":"x","tags":null}"#,
        );
    }

    #[test]
    fn markers_are_understood() {
        check(
            r#"{"name":{"$unknown":{"string_prefix":"web-"}},"tags":{"$sensitive":{"a":"b"}},"any":{"$literal":{"$unknown":1}}}"#,
            r#"{"any":{"type":["object",{"$unknown":"number"}],"value":{"$literal":{"$unknown":1}}},"disk":[],"id":null,"name":{"$unknown":{"string_prefix":"web-"}},"tags":{"$sensitive":{"a":"b"}}}"#,
        );
    }

    #[test]
    fn what_terraform_writes_has_no_markers() {
        let schema = block(SCHEMA);
        let value = read(r#"{"name":"x","tags":{"$sensitive":"y"}}"#, &schema, Form::Plain).unwrap();
        assert_eq!(value.attribute("tags").unwrap().to_string(), r#"{"$sensitive" = "y"}"#);
    }

    #[test]
    fn errors_name_the_place() {
        refused("{\n  \"name\": oops}", "2:11: a JSON value is expected here");
        refused("{\n  \"name\": \"a\"", "2:13: the text ends too early: is it cut off?");
        refused(
            "{\n  \"name\": \"a\",\n  \"nope\": 1}",
            "3:11: the schema has no attribute or block type \"nope\"",
        );
        refused("{\n  \"name\": \"a\",\n  \"name\": \"b\"\n}", "3:8: this key stands twice in one object");
        refused(
            "{\"name\":\"a\",\n \"disk\":[{\"size\":1},\n  {\"size\": []}]}",
            "3:12: .disk[1].size: a number is required, not a tuple",
        );
        refused("{\"disk\":[]}", "1:1: the attribute \"name\" is required");
    }
}
