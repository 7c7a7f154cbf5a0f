//! Paths as JSON: `[{"attr":"disk"},{"index":0}]`, the form of case files and reports.

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use smol_str::SmolStr;

use crate::value::build::normal_form;
use crate::value::show::SENSITIVE;
use crate::value::{Number, Path, PathStep, Type, Value};

/// Writes the steps as an array of `{"attr":name}` and `{"index":key}`.
///
/// A key that is an element of a set is written as case files write values. A marked key, or one with a
/// marked part, is written as the text `(sensitive value)`.
///
/// ```
/// use objchange::value::Path;
///
/// let path = Path::root().attribute("disk").index(0).attribute("labels").index("env");
/// let json = r#"[{"attr":"disk"},{"index":0},{"attr":"labels"},{"index":"env"}]"#;
/// assert_eq!(serde_json::to_string(&path)?, json);
/// assert_eq!(serde_json::from_str::<Path>(json)?, path);
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.steps())
    }
}

/// Reads the output of [`Serialize`]. A key must be a string, a number or a bool. Keys that are collections
/// cannot be read: JSON does not state their type.
impl<'de> Deserialize<'de> for Path {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<PathStep>::deserialize(deserializer).map(Self::from_iter)
    }
}

/// As a step of a [`Path`].
impl Serialize for PathStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut step = serializer.serialize_map(Some(1))?;
        match self {
            Self::Attribute(name) => step.serialize_entry("attr", name)?,
            Self::Index(key) => step.serialize_entry("index", &Key(key))?,
        }
        step.end()
    }
}

struct Key<'a>(&'a Value);

impl Serialize for Key<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(key) = self;
        if key.contains_marked() {
            return serializer.serialize_str(SENSITIVE);
        }
        if let Some(text) = key.as_str() {
            return serializer.serialize_str(text);
        }
        if let Some(position) = key.as_number().and_then(Number::as_i64) {
            return serializer.serialize_i64(position);
        }
        let json = key.to_marker_json(key.ty()).ok().and_then(|json| RawValue::from_string(json).ok());
        match json {
            Some(json) => json.serialize(serializer),
            // There is an infinite number in it, which JSON has no form for.
            None => serializer.collect_str(key),
        }
    }
}

/// As a step of a [`Path`].
impl<'de> Deserialize<'de> for PathStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum StepForm {
            Attr(SmolStr),
            Index(Box<RawValue>),
        }
        match StepForm::deserialize(deserializer)? {
            StepForm::Attr(name) => Ok(Self::Attribute(normal_form(&name))),
            StepForm::Index(key) => {
                let ty = match key.get().bytes().next() {
                    Some(b'"') => Type::String,
                    Some(b't' | b'f') => Type::Bool,
                    Some(b'-' | b'0'..=b'9') => Type::Number,
                    _ => {
                        return Err(de::Error::custom("the index of a path is a string, a number or a bool"));
                    }
                };
                Value::from_json(key.get(), &ty).map(Self::Index).map_err(|e| de::Error::custom(e.message))
            }
        }
    }
}
