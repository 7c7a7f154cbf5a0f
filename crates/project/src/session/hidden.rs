//! Hides secrets wherever a provider repeats them: in its messages and in its log.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use objchange::Value;
use objchange::change::ProviderSecrets;
use objchange::schema::Block;
use objchange_text::Notice;
use objchange_text::bounded;

/// The secrets of a session: sensitive values of its objects, by marks and schemas.
pub struct Hidden<'r> {
    state: RefCell<State>,
    /// Hears what a session says while it runs: whoever interrupts a change must learn at once what happens to it.
    listener: &'r dyn Fn(Notice),
}

#[derive(Default)]
struct State {
    secrets: ProviderSecrets,
    /// The marked values themselves, for a recorder that begins later.
    values: Vec<Value>,
    /// Warnings that were shown already.
    said: HashSet<String>,
}

/// Only how many there are is shown.
impl fmt::Debug for Hidden<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hidden({})", self.state.borrow().values.len())
    }
}

impl<'r> Hidden<'r> {
    /// Starts without secrets. `listener` receives warnings of providers at once, with secrets hidden.
    pub fn new(listener: &'r dyn Fn(Notice)) -> Self {
        Self { state: RefCell::default(), listener }
    }

    /// Says something that has no secrets.
    pub(super) fn remark(&self, notice: Notice) {
        (self.listener)(notice);
    }

    /// Remembers what of an object is sensitive: by its marks, and by its schema.
    pub fn learn(&self, schema: &Block, object: &Value) {
        self.learn_new(&schema.mark_hidden(object), |secrets, marked| secrets.learn(schema, marked));
    }

    /// Remembers what is marked, in a value of no declared type.
    pub fn learn_marked(&self, value: &Value) {
        self.learn_new(value, ProviderSecrets::learn_marked);
    }

    fn learn_new(&self, value: &Value, learn: impl FnOnce(&mut ProviderSecrets, &Value)) {
        if !value.contains_marked() {
            return;
        }
        let state = &mut *self.state.borrow_mut();
        // Several steps of a change learn one object, and each text is searched for all secrets.
        if state.values.contains(value) {
            return;
        }
        state.values.push(value.clone());
        learn(&mut state.secrets, value);
    }

    /// The text as it may be relayed: without secrets, and not longer than anybody reads.
    pub fn relay(&self, text: &str) -> String {
        bounded(&self.hide(text)).into_owned()
    }

    /// Relays a warning, unless it was relayed before: a provider is asked the same several times.
    pub fn warn(&self, text: &str) {
        let text = self.relay(text);
        let is_new = self.state.borrow_mut().said.insert(text.clone());
        if is_new {
            self.remark(Notice::Warning(text));
        }
    }

    /// The object with those strings marked that hold a secret, wherever the provider has put it.
    pub fn mark(&self, object: &Value) -> Value {
        self.state.borrow().secrets.mark_in(object)
    }

    /// All marked values that were learned, in that order.
    pub fn values(&self) -> Vec<Value> {
        self.state.borrow().values.clone()
    }

    /// The text without secrets.
    pub fn hide(&self, text: &str) -> String {
        self.state.borrow().secrets.hide(text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_everywhere() {
        const COVER: &str = objchange_text::redact::SENSITIVE;
        let hidden = Hidden::new(&|_| {});
        hidden.learn_marked(&Value::object([
            ("a", Value::from("hunter").sensitive()),
            ("b", Value::from("hunter2").sensitive()),
            ("c", Value::object([("d", Value::from("two\nlines")), ("e", Value::from(12345))]).sensitive()),
            ("f", Value::from("open")),
        ]));
        let covered = hidden.hide(r"hunter, hunter2, two\nlines, 12345 and open");
        assert_eq!(covered, format!("{COVER}, {COVER}, {COVER}, {COVER} and open"));
        assert!(!format!("{hidden:?}").contains("hunter"));
    }
}
