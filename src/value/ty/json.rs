//! Types as JSON: `"string"`, `["list","string"]`, `["object",{"id":"string"}]`.

use std::fmt;
use std::sync::Arc;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use smol_str::SmolStr;

use super::{ObjectType, Type};
use crate::value::build::normal_form;

impl Serialize for Type {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn wrapped<S: Serializer>(s: S, kind: &str, inner: &impl Serialize) -> Result<S::Ok, S::Error> {
            let mut seq = s.serialize_seq(Some(2))?;
            seq.serialize_element(kind)?;
            seq.serialize_element(inner)?;
            seq.end()
        }
        match self {
            Self::Dynamic => serializer.serialize_str("dynamic"),
            Self::String => serializer.serialize_str("string"),
            Self::Number => serializer.serialize_str("number"),
            Self::Bool => serializer.serialize_str("bool"),
            Self::List(e) => wrapped(serializer, "list", &**e),
            Self::Set(e) => wrapped(serializer, "set", &**e),
            Self::Map(e) => wrapped(serializer, "map", &**e),
            Self::Tuple(t) => wrapped(serializer, "tuple", &t.elements),
            Self::Object(o) if o.optional.is_empty() => wrapped(serializer, "object", &Attributes(o)),
            Self::Object(o) => {
                let mut seq = serializer.serialize_seq(Some(3))?;
                seq.serialize_element("object")?;
                seq.serialize_element(&Attributes(o))?;
                seq.serialize_element(&o.optional)?;
                seq.end()
            }
        }
    }
}

struct Attributes<'a>(&'a ObjectType);

impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.attributes.len()))?;
        for (name, ty) in &self.0.attributes {
            map.serialize_entry(name, ty)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TypeVisitor)
    }
}

struct TypeVisitor;

impl<'de> Visitor<'de> for TypeVisitor {
    type Value = Type;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a type: "string", "number", "bool", "dynamic", or an array such as ["list","string"]"#)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Type, E> {
        match name {
            "string" => Ok(Type::String),
            "number" => Ok(Type::Number),
            "bool" => Ok(Type::Bool),
            "dynamic" => Ok(Type::Dynamic),
            other => Err(E::custom(format_args!("unknown type {other:?}"))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Type, A::Error> {
        fn required<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(
            seq: &mut A,
            kind: &str,
        ) -> Result<T, A::Error> {
            seq.next_element()?
                .ok_or_else(|| de::Error::custom(format_args!("the type {kind:?} lacks its second element")))
        }
        let kind: SmolStr =
            seq.next_element()?.ok_or_else(|| de::Error::custom("an empty array is no type"))?;
        let ty = match kind.as_str() {
            "list" => Type::list(required(&mut seq, &kind)?),
            "set" => Type::set(required(&mut seq, &kind)?),
            "map" => Type::map(required(&mut seq, &kind)?),
            // An empty tuple arrives as null from writers that hold its elements in a nil slice.
            "tuple" => Type::tuple(required::<A, Option<Vec<Type>>>(&mut seq, &kind)?.unwrap_or_default()),
            "object" => {
                let attributes: AttributeList = required(&mut seq, &kind)?;
                let optional: Vec<SmolStr> = seq.next_element()?.unwrap_or_default();
                let optional: Vec<SmolStr> = optional.iter().map(|name| normal_form(name)).collect();
                let object = ObjectType::with_optional(attributes.0, optional.iter().cloned());
                if let Some(name) = optional.iter().find(|name| !object.is_optional(name)) {
                    return Err(de::Error::custom(format_args!(
                        "the optional attribute {name:?} has no type"
                    )));
                }
                Type::Object(Arc::new(object))
            }
            other => return Err(de::Error::custom(format_args!("unknown type {other:?}"))),
        };
        if seq.next_element::<de::IgnoredAny>()?.is_some() {
            return Err(de::Error::custom(format_args!("the type {kind:?} has too many elements")));
        }
        Ok(ty)
    }
}

/// The attributes of an object type as they are in JSON.
struct AttributeList(Vec<(SmolStr, Type)>);

impl<'de> Deserialize<'de> for AttributeList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor;
        impl<'de> Visitor<'de> for ListVisitor {
            type Value = AttributeList;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of attribute names and types")
            }

            fn visit_unit<E: de::Error>(self) -> Result<AttributeList, E> {
                Ok(AttributeList(Vec::new()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AttributeList, A::Error> {
                let mut attributes = Vec::new();
                let mut names = hashbrown::HashSet::new();
                while let Some(name) = map.next_key::<SmolStr>()? {
                    let name = normal_form(&name);
                    if !names.insert(name.clone()) {
                        return Err(de::Error::custom(format_args!("the attribute {name:?} is used twice")));
                    }
                    attributes.push((name, map.next_value::<Type>()?));
                }
                Ok(AttributeList(attributes))
            }
        }
        deserializer.deserialize_any(ListVisitor)
    }
}
