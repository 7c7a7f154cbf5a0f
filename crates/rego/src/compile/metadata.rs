//! Annotations, which `rego.metadata` returns.

use crate::syntax::ast::{Comment, Module, Rule};
use crate::value::Value;

/// The annotations of a module, each with the line of its subject.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    of_package: Option<Value>,
    of_documents: Vec<(String, Value)>,
    of_rules: Vec<(u32, Value)>,
}

/// Reads the blocks of comments that begin with `# METADATA`.
pub(super) fn read(module: &Module) -> Annotations {
    let mut annotations = Annotations::default();
    let mut comments = &module.comments[..];
    while let Some(begin) = comments.iter().position(|comment| comment.text.trim() == "METADATA") {
        let rest = &comments[begin + 1..];
        let count =
            rest.iter().zip(comments[begin].line + 1..).take_while(|(one, line)| one.line == *line).count();
        annotations.add(module, comments[begin].line, &rest[..count]);
        comments = &rest[count..];
    }
    annotations
}

impl Annotations {
    fn add(&mut self, module: &Module, line: u32, block: &[Comment]) {
        let text: Vec<&str> =
            block.iter().map(|comment| comment.text.strip_prefix(' ').unwrap_or(&comment.text)).collect();
        // A block that is not YAML is an ordinary comment.
        let Ok(Value::Object(members)) = crate::builtins::from_yaml(&text.join("\n")) else { return };
        let is_of_package = module.package_span.line > line;
        let rule = module.rules.iter().filter(|rule| rule.span.line > line).min_by_key(|rule| rule.span.line);
        // As in OPA, a block without `scope` above `package` belongs to the package, and any other to its
        // rule.
        let default = if is_of_package { "package" } else { "rule" };
        let scope = members.get_str("scope").and_then(Value::as_str).unwrap_or(default).to_owned();
        let mut entries: Vec<(Value, Value)> = members
            .iter()
            .map(|(key, value)| match key.as_str() {
                Some("authors") => (key.clone(), authors(value)),
                _ => (key.clone(), value.clone()),
            })
            .collect();
        entries.push((Value::from("scope"), Value::from(scope.as_str())));
        let value = Value::object(entries);
        match (&*scope, rule) {
            ("package" | "subpackages", _) => self.of_package = Some(value),
            ("document", Some(rule)) => self.of_documents.push((rule.head.name.clone(), value)),
            (_, Some(rule)) => self.of_rules.push((rule.span.line, value)),
            _ => {}
        }
    }

    /// The metadata of a rule, and the chain of the rule and its packages.
    pub(super) fn of_rule(&self, module: &Module, rule: &Rule, path: &[String]) -> (Value, Value) {
        let names = |path: &[String]| {
            let names: Vec<Value> = path.iter().map(|name| Value::from(name.as_str())).collect();
            (Value::from("path"), Value::array(names))
        };
        let link = |path: &[String], annotations: Option<&Value>| {
            let annotations = annotations.map(|value| (Value::from("annotations"), value.clone()));
            Value::object(annotations.into_iter().chain([names(path)]).collect::<Vec<_>>())
        };
        let own = self.of_rules.iter().find(|(line, _)| *line == rule.span.line).map(|(_, value)| value);
        let document = self.of_documents.iter().find(|(name, _)| *name == rule.head.name);
        let mut chain = vec![link(path, own)];
        chain.extend(document.map(|(_, value)| link(path, Some(value))));
        chain.extend(self.of_package.as_ref().map(|value| link(&module.package, Some(value))));
        (own.cloned().unwrap_or_else(|| Value::object([])), Value::array(chain))
    }
}

/// `Name <mail>` in its parts.
fn authors(value: &Value) -> Value {
    let Value::Array(authors) = value else { return value.clone() };
    let author = |author: &Value| {
        let Some(text) = author.as_str() else { return author.clone() };
        let member = |name: &str, text: &str| (Value::from(name), Value::from(text.trim()));
        match text.split_once('<').and_then(|(name, rest)| Some((name, rest.strip_suffix('>')?))) {
            // OPA 1.20 gives `# - <c@d>` no name, and a name without a mail address no `email`.
            Some((name, mail)) if name.trim().is_empty() => Value::object([member("email", mail)]),
            Some((name, mail)) => Value::object([member("name", name), member("email", mail)]),
            None => Value::object([member("name", text)]),
        }
    };
    Value::array(authors.iter().map(author).collect::<Vec<_>>())
}
