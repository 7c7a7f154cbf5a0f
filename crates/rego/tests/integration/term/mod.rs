//! Reads ground terms: JSON, sets, and objects with keys of all types.

use objchange_rego::Value;
use objchange_rego::value::Number;

/// The term that is the whole text, or where it is not one.
pub(crate) fn read(text: &str) -> Result<Value, usize> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.term()?;
    reader.spaces();
    if reader.at == text.len() { Ok(value) } else { Err(reader.at) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, word: &str) -> bool {
        self.spaces();
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), usize> {
        if self.take(word) { Ok(()) } else { Err(self.at) }
    }

    fn term(&mut self) -> Result<Value, usize> {
        for (word, value) in [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("set()", Value::set([])),
        ] {
            if self.take(word) {
                return Ok(value);
            }
        }
        if self.take("[") {
            let mut items = Vec::new();
            while !self.take("]") {
                items.push(self.term()?);
                if !self.take(",") {
                    self.expect("]")?;
                    break;
                }
            }
            return Ok(Value::array(items));
        }
        if self.take("{") {
            return self.braces();
        }
        let len = if self.rest().starts_with('"') {
            let mut escaped = false;
            let end = self.rest()[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            2 + end.ok_or(self.at)?
        } else {
            self.rest().find(|c| ",]}: ".contains(c)).unwrap_or(self.rest().len())
        };
        let token = &self.rest()[..len];
        let value = match Number::parse(token) {
            Some(number) => Value::Number(number),
            None => Value::from_json(token).map_err(|_| self.at)?,
        };
        self.at += len;
        Ok(value)
    }

    fn braces(&mut self) -> Result<Value, usize> {
        if self.take("}") {
            return Ok(Value::object([]));
        }
        let (mut entries, mut items) = (Vec::new(), Vec::new());
        loop {
            let key = self.term()?;
            if self.take(":") {
                entries.push((key, self.term()?));
            } else {
                items.push(key);
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(if entries.is_empty() { Value::set(items) } else { Value::object(entries) })
    }
}
