//! Names of values that are hidden.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::Value as Json;
use thiserror::Error;
use wildmatch::WildMatch;

/// A glob of names whose values are hidden, such as `*password*`. Upper and lower case are alike.
///
/// ```
/// use objchange_plan::MaskedName;
///
/// assert!("*password*".parse::<MaskedName>().is_ok());
/// assert!("".parse::<MaskedName>().is_err());
/// ```
#[derive(Debug, Clone)]
pub struct MaskedName(WildMatch);

impl FromStr for MaskedName {
    type Err = MaskedNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err(MaskedNameError);
        }
        Ok(Self(WildMatch::new_case_insensitive(text)))
    }
}

impl fmt::Display for MaskedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.pattern())
    }
}

/// Why a text is not a glob of names.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected a glob of names, such as `*password*`")]
#[non_exhaustive]
pub struct MaskedNameError;

impl MaskedNameError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        "masked_name"
    }
}

/// Names whose values are hidden, wherever a plan or state has them: attributes, keys of maps, outputs and variables, values
/// beside a `name` or `key` (`{"name": "DB_PASSWORD", "value": "x"}`), and texts that hold such a name with its value, as JSON
/// or as lines of `name: value` or `name=value`. A mark covers all of a text, so that such texts are hidden as a whole.
///
/// ```
/// use objchange_plan::{MaskedNames, PlanFile};
///
/// let names = MaskedNames::new(["*password*".parse()?]);
/// assert!(names.matches("DB_PASSWORD") && !names.matches("user"));
/// assert!(names.is_in_text("user: a\npassword: b\n") && !names.is_in_text("no password here"));
///
/// let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"db.a","mode":"managed","type":"db","name":"a",
///     "provider_name":"p","change":{"actions":["create"],"before":null,"after":{"password":"x"}}}]}"#;
/// let file = PlanFile::parse("plan.json", plan.into())?.with_masked_names(&names)?;
/// assert!(file.text().contains(r#""after_sensitive":{"password":true}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct MaskedNames(Arc<[MaskedName]>);

/// Members that name the value beside them.
const NAMING: [&str; 2] = ["name", "key"];

impl MaskedNames {
    /// These names.
    pub fn new(names: impl IntoIterator<Item = MaskedName>) -> Self {
        Self(names.into_iter().collect())
    }

    /// Whether no value is hidden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether values of this name are hidden.
    pub fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|glob| glob.0.matches(name))
    }

    /// Whether the member of this name is hidden, in an object with these other texts.
    pub fn hides_member<'t>(&self, member: &str, text: impl Fn(&str) -> Option<&'t str>) -> bool {
        self.matches(member)
            || member == "value" && NAMING.iter().filter_map(|name| text(name)).any(|name| self.matches(name))
    }

    /// Whether a text holds such a name with its value: it is JSON, or has a line such as `name: value` or `name=value`.
    pub fn is_in_text(&self, text: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        if text.trim_start().starts_with(['{', '['])
            && let Ok(json) = serde_json::from_str::<Json>(text)
        {
            return self.is_in_json(&json);
        }
        text.lines().filter_map(assigned_name).any(|name| self.matches(name))
    }

    /// The reader bounds how deep JSON nests.
    fn is_in_json(&self, json: &Json) -> bool {
        match json {
            Json::Object(members) => members.iter().any(|(name, member)| {
                self.hides_member(name, |name| members.get(name)?.as_str()) || self.is_in_json(member)
            }),
            Json::Array(elements) => elements.iter().any(|element| self.is_in_json(element)),
            Json::String(text) => self.is_in_text(text),
            _ => false,
        }
    }
}

/// The name in a line such as `name: value`, `- "name": value` or `export NAME=value`.
fn assigned_name(line: &str) -> Option<&str> {
    let (name, _) = line.split_once([':', '='])?;
    let name = name.trim().trim_start_matches("- ").trim_start();
    let name = name.strip_prefix("export ").unwrap_or(name).trim_matches(['"', '\'', ' ']);
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hold_names_as_json_and_in_lines() {
        let names = MaskedNames::new(["*password*".parse().unwrap()]);
        for text in [
            r#"{"a":[{"Password":1}]}"#,
            r#"[{"name":"DB_PASSWORD","value":"x"}]"#,
            r#"{"a":"password: x"}"#,
            "DB_PASSWORD=x",
            "export DB_PASSWORD=x",
            "a:\n  - \"password\": x",
            "[db]\npassword = x",
        ] {
            assert!(names.is_in_text(text), "{text}");
        }
        for text in ["", "a", "my password = x", "{\"a\":\"password\"}", "a: password", "name: DB_PASSWORD"] {
            assert!(!names.is_in_text(text), "{text}");
        }
        assert!(!MaskedNames::default().is_in_text("password=x"));
    }
}
