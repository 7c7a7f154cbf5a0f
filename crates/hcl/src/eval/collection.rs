//! Evaluates object constructors.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use objchange::value::{Kind, Marks};
use objchange::{Type, Value};
use objchange_text::Span;
use smol_str::SmolStr;

use super::{Evaluator, Failed, Scope, dynamic};
use crate::syntax::ast::{ExprKind, Item};

pub(super) const AMBIGUOUS_KEY: &str = "Ambiguous attribute key";
pub(super) const NULL_KEY: &str = "Null value as key";

/// An evaluated object key.
enum Key {
    Is(SmolStr),
    /// Unknown: the object has an attribute of unknown name.
    Unknown,
}

impl Evaluator<'_> {
    pub(super) fn object(&mut self, items: &[Item], scope: &Scope<'_>) -> Value {
        let mut attributes: Vec<(SmolStr, Value)> = Vec::with_capacity(items.len());
        let mut marks = Marks::NONE;
        let mut is_known = true;
        for item in items {
            let key = self.object_key(item, &mut marks, scope);
            // Values are evaluated even beside a bad key, so that their errors are reported, too.
            let value = self.value(&item.value, scope);
            match key {
                // HCL accepts a repeated key: the last value wins (`{a = 1, a = 2}` is `{a = 2}`, Terraform
                // 1.11.4).
                Ok(Key::Is(name)) => attributes.push((name, value)),
                Ok(Key::Unknown) | Err(Failed) => is_known = false,
            }
        }
        // An unknown key loses the marks of all others (HCL 2.24).
        if is_known { Value::object(attributes).with_marks(marks) } else { dynamic() }
    }

    fn object_key(&mut self, item: &Item, marks: &mut Marks, scope: &Scope<'_>) -> Result<Key, Failed> {
        let span = item.key.span;
        let value = match &item.key.kind {
            // A bare word is the name itself.
            ExprKind::Variable(variable) if variable.steps.is_empty() => {
                // Through a value, so that the name is in NFC like all strings.
                let name = Value::from(variable.name.clone());
                return Ok(Key::Is(name.as_str().unwrap_or_default().into()));
            }
            ExprKind::Variable(_) => {
                let detail = "If this expression is intended to be a reference, wrap it in parentheses. If it's \
                              instead intended as a literal name containing periods, wrap it in quotes to create a \
                              string literal.";
                return self.failed(AMBIGUOUS_KEY, span, detail);
            }
            // `null` as a bare word is a name.
            ExprKind::Literal(value) if value.is_null() => return Ok(Key::Is("null".into())),
            _ => {
                let errors = self.errors();
                let value = self.value(&item.key, scope);
                if self.failed_since(errors) {
                    return Err(Failed);
                }
                value
            }
        };
        // HCL points to the value if the key is null, and to the key if it has the wrong type.
        self.key_of(&value, marks, (NULL_KEY, item.value.span), ("Incorrect key type", span))
    }

    /// The key from a value. Reports a null, and a value that is not text.
    fn key_of(
        &mut self,
        value: &Value,
        marks: &mut Marks,
        null: (&'static str, Span),
        mismatch: (&'static str, Span),
    ) -> Result<Key, Failed> {
        // The marks of keys go on the whole object, because it shows which keys it has.
        *marks |= value.marks();
        if value.is_null() {
            return self.failed(null.0, null.1, "Can't use a null value as a key.");
        }
        let key = match value.convert(&Type::String) {
            Ok(key) => key,
            Err(error) => {
                let detail = format!("Can't use this value as a key: {}.", error.kind);
                return self.failed(mismatch.0, mismatch.1, detail);
            }
        };
        Ok(match key.kind() {
            Kind::String(name) => Key::Is(name.into()),
            _ => Key::Unknown,
        })
    }

    /// An object of the JSON syntax: no name is in it twice.
    pub(super) fn properties(&mut self, items: &[Item], scope: &Scope<'_>) -> Value {
        let mut attributes: HashMap<SmolStr, Value> = HashMap::with_capacity(items.len());
        let mut marks = Marks::NONE;
        let mut is_known = true;
        for item in items {
            let errors = self.errors();
            let key = self.value(&item.key, scope);
            let invalid = ("Invalid object key expression", item.key.span);
            let key = match self.failed_since(errors) {
                true => Err(Failed),
                false => self.key_of(&key, &mut marks, invalid, invalid),
            };
            let value = self.value(&item.value, scope);
            match key {
                Ok(Key::Is(name)) => match attributes.entry(name) {
                    // The name may come from a value that must not be shown.
                    Entry::Occupied(_) => {
                        let detail = "An attribute of this name was already defined.";
                        self.error("Duplicate object attribute", item.key.span, detail);
                    }
                    Entry::Vacant(new) => {
                        new.insert(value);
                    }
                },
                Ok(Key::Unknown) | Err(Failed) => is_known = false,
            }
        }
        if is_known { Value::object(attributes).with_marks(marks) } else { dynamic() }
    }
}
