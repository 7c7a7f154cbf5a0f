//! Texts that are JSON, as providers write and compare them.

use serde_json::Value as Json;

use crate::fact::Situation;

/// How a document is like the one before it: the same, the same but for empty members or forms that policies may have, or
/// contained in it.
/// `None` for other texts.
pub(crate) fn likeness(before: &str, after: &str) -> Option<Situation> {
    let (before, after) = (document(before)?, document(after)?);
    if before == after {
        return Some(Situation::Json);
    }
    if without_empty(&before) == without_empty(&after) {
        return Some(Situation::JsonEmpty);
    }
    let singles = [&before, &after].map(|document| without_singles(document, false));
    if singles[0] == singles[1] {
        return Some(Situation::JsonSingle);
    }
    if without_singles(&before, true) == without_singles(&after, true) {
        return Some(Situation::JsonOrder);
    }
    let is_empty = after.as_array().is_some_and(Vec::is_empty)
        || after.as_object().is_some_and(serde_json::Map::is_empty);
    (!is_empty && contains(&before, &after)).then_some(Situation::JsonPart)
}

/// A document with the only elements of arrays in place of these, and perhaps with arrays of plain values in one order.
fn without_singles(document: &Json, is_sorted: bool) -> Json {
    match document {
        Json::Array(elements) => {
            let mut elements: Vec<Json> =
                elements.iter().map(|element| without_singles(element, is_sorted)).collect();
            // The order of objects, such as rules, may matter.
            if is_sorted && !elements.iter().any(Json::is_object) {
                elements.sort_by_cached_key(Json::to_string);
            }
            match elements.len() {
                1 => elements.remove(0),
                _ => Json::Array(elements),
            }
        }
        Json::Object(members) => {
            let members =
                members.iter().map(|(key, member)| (key.clone(), without_singles(member, is_sorted)));
            Json::Object(members.collect())
        }
        other => other.clone(),
    }
}

/// A document without the members of objects that are null or empty.
fn without_empty(document: &Json) -> Json {
    let is_empty = |member: &Json| match member {
        Json::Null => true,
        Json::Array(elements) => elements.is_empty(),
        Json::Object(members) => members.is_empty(),
        _ => false,
    };
    match document {
        Json::Array(elements) => Json::Array(elements.iter().map(without_empty).collect()),
        Json::Object(members) => {
            // A member may be empty once its own empty members are gone.
            let members = members.iter().map(|(key, member)| (key.clone(), without_empty(member)));
            Json::Object(members.filter(|(_, member)| !is_empty(member)).collect())
        }
        other => other.clone(),
    }
}

/// Whether a document has everything that the other one has, in arrays of the same length. The provider may have added the
/// rest as defaults.
fn contains(document: &Json, part: &Json) -> bool {
    match (document, part) {
        (Json::Object(members), Json::Object(parts)) => {
            parts.iter().all(|(key, part)| members.get(key).is_some_and(|member| contains(member, part)))
        }
        (Json::Array(elements), Json::Array(parts)) => {
            elements.len() == parts.len()
                && std::iter::zip(elements, parts).all(|(element, part)| contains(element, part))
        }
        _ => document == part,
    }
}

/// A JSON object or array. Texts with repeated keys or fractions are none.
fn document(text: &str) -> Option<Json> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    objchange_text::json::from_str(text).ok().map(|Strict(value)| value)
}

/// A JSON object or array without white space, with its keys in order, as Go writes it.
pub(crate) fn normal_json(text: &str) -> Option<String> {
    let value = document(text)?;
    // Go escapes these, so that JSON can be put into HTML.
    let escaped = [
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u{2028}", "\\u2028"),
        ("\u{2029}", "\\u2029"),
    ];
    let text = value.to_string();
    Some(escaped.iter().fold(text, |text, (from, to)| text.replace(from, to)))
}

/// A text as [`normal_json`] writes it; one that is no JSON stays as it is.
pub(crate) fn normal(text: &str) -> String {
    normal_json(text).unwrap_or_else(|| text.to_owned())
}

/// Like [`normal_json`], with the key `Version` first.
pub(crate) fn policy_json(text: &str) -> Option<String> {
    let text = normal_json(text)?;
    let Json::Object(mut members) = serde_json::from_str(&text).ok()? else { return None };
    let Some(version) = members.remove("Version") else { return Some(text) };
    let rest = normal_json(&Json::Object(members).to_string())?;
    let rest = rest.strip_prefix('{').filter(|rest| *rest != "}")?;
    Some(format!("{{\"Version\":{version},{rest}"))
}

/// JSON without repeated keys and fractions: different fractions may be rounded to one value.
struct Strict(Json);

impl<'de> serde::Deserialize<'de> for Strict {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Strict;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }
            fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
                Ok(Strict(value.into()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
                Ok(Strict(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
                Ok(Strict(value.into()))
            }
            fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Strict, E> {
                Err(E::custom("a number is not whole"))
            }
            fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
                Ok(Strict(value.into()))
            }
            fn visit_unit<E>(self) -> Result<Strict, E> {
                Ok(Strict(Json::Null))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut all: A) -> Result<Strict, A::Error> {
                let mut elements = Vec::new();
                while let Some(Strict(element)) = all.next_element()? {
                    elements.push(element);
                }
                Ok(Strict(elements.into()))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut all: A) -> Result<Strict, A::Error> {
                let mut members = std::collections::BTreeMap::new();
                while let Some((key, Strict(value))) = all.next_entry::<String, Strict>()? {
                    if members.insert(key, value).is_some() {
                        return Err(serde::de::Error::custom("a key is repeated"));
                    }
                }
                Ok(Strict(Json::Object(members.into_iter().collect())))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_alike_in_these_ways() {
        let policy = r#"{"a":["x","y"],"b":[{"c":"d"}]}"#;
        for (before, after, likeness_of_both) in [
            (policy, r#" {"b": [{"c": "d"}], "a": ["x", "y"]}"#, Some(Situation::Json)),
            (r#"{"a":1,"b":[],"c":{"d":null}}"#, r#"{"a":1,"c":{}}"#, Some(Situation::JsonEmpty)),
            (policy, r#"{"a":["x","y"],"b":{"c":["d"]}}"#, Some(Situation::JsonSingle)),
            (policy, r#"{"a":["y","x"],"b":[{"c":"d"}]}"#, Some(Situation::JsonOrder)),
            (r#"[{"a":1,"b":"default"}]"#, r#"[{"a":1}]"#, Some(Situation::JsonPart)),
            // Something is gone, which no default adds.
            (r#"[{"a":1},{"a":2}]"#, r#"[{"a":1}]"#, None),
            // The order of rules may matter.
            (r#"[{"a":1},{"a":2}]"#, r#"[{"a":2},{"a":1}]"#, None),
            (policy, "{}", None),
            (r#"{"a":1}"#, r#"{"a":2}"#, None),
            (r#"{"a":1.5}"#, r#"{"a":1.5}"#, None),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, None),
            ("text", "text", None),
        ] {
            assert_eq!(likeness(before, after), likeness_of_both, "{before} {after}");
        }
    }
}
