//! Names of values that are hidden.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use objchange_text::redact::SENSITIVE;
use serde_json::Value as Json;
use thiserror::Error;
use wildmatch::WildMatch;

/// A glob of names whose values are hidden, such as `*password*`. Upper and lower case are alike.
///
/// ```
/// use objchange_document::MaskedName;
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
/// or as `name: value` or `name=value` at the start of a line or of a part of one (`{a: b, password: x}`, `user=a;password=x`), also with
/// the name and its `value` apart from each other, as YAML has them. A mark covers all of a text, so that such texts are hidden as a whole.
///
/// ```
/// use objchange_document::{MaskedNames, PlanFile};
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
pub struct MaskedNames(Arc<[Glob]>);

/// A glob, and whether anything was hidden by it.
#[derive(Debug)]
struct Glob {
    name: MaskedName,
    has_hidden: AtomicBool,
}

/// Members that name the value beside them.
const NAMING: [&str; 2] = ["name", "key"];

impl MaskedNames {
    /// These names.
    pub fn new(names: impl IntoIterator<Item = MaskedName>) -> Self {
        Self(names.into_iter().map(|name| Glob { name, has_hidden: AtomicBool::new(false) }).collect())
    }

    /// Whether no value is hidden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether values of this name are hidden.
    pub fn matches(&self, name: &str) -> bool {
        // All globs are asked, so that none seems to hide nothing because of another one.
        self.0.iter().filter(|glob| glob.is_of(name)).count() > 0
    }

    /// The globs that have hidden nothing so far, in all clones of these names: they may be misspelt.
    pub fn unused(&self) -> impl Iterator<Item = &MaskedName> {
        self.0.iter().filter(|glob| !glob.has_hidden.load(Relaxed)).map(|glob| &glob.name)
    }

    /// Whether the member of this name is hidden, in an object with these other texts.
    pub fn hides_member<'t>(&self, member: &str, text: impl Fn(&str) -> Option<&'t str>) -> bool {
        self.matches(member)
            || member == "value" && NAMING.iter().filter_map(|name| text(name)).any(|name| self.matches(name))
    }

    /// Whether a text holds such a name with its value: it is JSON, or has `name: value` or `name=value` in it.
    pub fn is_in_text(&self, text: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        if text.trim_start().starts_with(['{', '['])
            && let Ok(json) = serde_json::from_str::<Json>(text)
        {
            return self.is_in_json(&json);
        }
        text.lines().filter_map(assigned).any(|line| self.matches(line.name))
            || self.is_named_in_lines(text)
            || self.is_in_flow(text)
    }

    /// Whether a text has such a name with its value within a line: YAML on one line, the address of a page, the parameters of a
    /// connection.
    ///
    /// ```yaml
    /// env: [{name: DB_PASSWORD, value: x}, {password: x}]
    /// ```
    fn is_in_flow(&self, text: &str) -> bool {
        let mut open: Vec<Members<'_>> = Vec::new();
        let mut start = 0;
        for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
            if !matches!(c, '{' | '}' | '[' | ']' | ',' | ';' | '&' | '?' | '\n') {
                continue;
            }
            if let Some(assigned) = assigned(&text[start..at]) {
                if self.matches(assigned.name) {
                    return true;
                }
                if let Some(members) = open.last_mut() {
                    members.take(&assigned);
                    if members.are_of(self) {
                        return true;
                    }
                }
            }
            match c {
                '{' => open.push(Members::default()),
                '}' => drop(open.pop()),
                _ => {}
            }
            start = at + c.len_utf8();
        }
        false
    }

    /// Whether lines have a `value` beside such a `name` or `key`, as YAML does:
    ///
    /// ```yaml
    /// - name: DB_PASSWORD
    ///   value: x
    /// ```
    fn is_named_in_lines(&self, text: &str) -> bool {
        let mut open: Vec<Members<'_>> = Vec::new();
        for line in text.lines().filter(|line| !line.trim_start().is_empty()) {
            let Some(assigned) = assigned(line) else {
                let column = line.len() - line.trim_start().len();
                open.retain(|members| members.column <= column);
                continue;
            };
            let Assigned { column, is_element, .. } = assigned;
            while open.last().is_some_and(|last| last.column > column || last.column == column && is_element)
            {
                open.pop();
            }
            if open.last().is_none_or(|last| last.column < column) {
                open.push(Members { column, ..Members::default() });
            }
            let Some(members) = open.last_mut() else { continue };
            members.take(&assigned);
            if members.are_of(self) {
                return true;
            }
        }
        false
    }

    /// The document with `(sensitive value)` in place of the values of these names. A text that is not JSON is not changed.
    ///
    /// ```
    /// use objchange_document::MaskedNames;
    ///
    /// let names = MaskedNames::new(["*password*".parse()?]);
    /// assert_eq!(names.hiding(r#"{"id":"a","password":"x"}"#), r#"{"id":"a","password":"(sensitive value)"}"#);
    /// assert_eq!(names.hiding(r#"{"id": "a"}"#), r#"{"id": "a"}"#);
    /// # Ok::<(), objchange_document::MaskedNameError>(())
    /// ```
    pub fn hiding<'j>(&self, json: &'j str) -> Cow<'j, str> {
        match serde_json::from_str::<Json>(json) {
            Ok(mut parsed) if self.is_in_json(&parsed) => {
                self.hide(&mut parsed);
                parsed.to_string().into()
            }
            _ => json.into(),
        }
    }

    fn hide(&self, json: &mut Json) {
        match json {
            Json::Object(members) => {
                let is_hidden = |name: &str| self.hides_member(name, |name| members.get(name)?.as_str());
                let hidden: Vec<String> = members.keys().filter(|name| is_hidden(name)).cloned().collect();
                for (name, member) in members.iter_mut() {
                    match hidden.contains(name) {
                        true => *member = SENSITIVE.into(),
                        false => self.hide(member),
                    }
                }
            }
            Json::Array(elements) => elements.iter_mut().for_each(|element| self.hide(element)),
            Json::String(text) if self.is_in_text(text) => *json = SENSITIVE.into(),
            _ => {}
        }
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

impl Glob {
    fn is_of(&self, name: &str) -> bool {
        let is_of = self.name.0.matches(name);
        if is_of {
            self.has_hidden.store(true, Relaxed);
        }
        is_of
    }
}

/// The members of one object that were read so far.
#[derive(Default)]
struct Members<'t> {
    column: usize,
    /// The values of its members of [`NAMING`].
    named: [Option<&'t str>; NAMING.len()],
    has_value: bool,
}

impl<'t> Members<'t> {
    fn take(&mut self, assigned: &Assigned<'t>) {
        match NAMING.iter().position(|naming| *naming == assigned.name) {
            Some(naming) => self.named[naming] = Some(assigned.value),
            None => self.has_value |= assigned.name == "value",
        }
    }

    /// Whether they have a value, and one of these names for it.
    fn are_of(&self, names: &MaskedNames) -> bool {
        self.has_value && self.named.into_iter().flatten().any(|name| names.matches(name))
    }
}

/// A line, or a part of one, such as `name: value`, `- "name": value` or `export NAME=value`.
struct Assigned<'t> {
    /// Where the name begins, in bytes.
    column: usize,
    /// It is the first line of an element of a list.
    is_element: bool,
    name: &'t str,
    value: &'t str,
}

fn assigned(line: &str) -> Option<Assigned<'_>> {
    let (before, value) = line.split_once([':', '='])?;
    let listed = before.trim_start();
    let name = listed.trim_start_matches("- ").trim_start();
    let (column, is_element) = (before.len() - name.len(), name.len() < listed.len());
    let quotes = ['"', '\'', ' '];
    let name = name.strip_prefix("export ").unwrap_or(name).trim_matches(quotes);
    let value =
        value.split(" #").next().unwrap_or_default().trim().trim_end_matches(',').trim_matches(quotes);
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name.then_some(Assigned { column, is_element, name, value })
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
            "env:\n- name: DB_PASSWORD\n  value: x",
            "env:\n  - value: x\n    name: \"DB_PASSWORD\" # of the database",
            "- key: db-password\n\n  from:\n    name: a\n  value: |\n    x",
            "{\n  name  = \"password\"\n  value = \"x\"\n}",
            "password: x",
            "{a: b, password: x}",
            "{a: {b: [1, {'password': x}]}}",
            "env: [{name: DB_PASSWORD, value: x}]",
            "env: [{value: {a: x}, name: DB_PASSWORD}]",
            "[{\n  name: DB_PASSWORD,\n  value: x\n}]",
            "Server=db;Database=a;Password=x",
            "https://db/?user=a&password=x",
        ] {
            assert!(names.is_in_text(text), "{text}");
        }
        for text in ["", "a", "my password = x", "{\"a\":\"password\"}", "a: password", "name: DB_PASSWORD"] {
            assert!(!names.is_in_text(text), "{text}");
        }
        for text in [
            "- name: DB_PASSWORD\n  valueFrom: x\n- name: A\n  value: x",
            "name: DB_PASSWORD\na:\n  value: x",
            "[{name: DB_PASSWORD}, {value: x}]",
            "[{name: DB_PASSWORD, a: {value: x}}]",
            "password, x",
            "{a: b, my password: x}",
        ] {
            assert!(!names.is_in_text(text), "{text}");
        }
        assert!(!MaskedNames::default().is_in_text("password=x"));
    }
}
