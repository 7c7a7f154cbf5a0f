//! YAML to values.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput, Tag};

use super::super::{BuiltinError, Context};
use super::scalar::plain;
use crate::value::{MAX_JSON_DEPTH, Value};

/// The first document of a text; null if there is none.
pub(super) fn read(context: &mut Context<'_>, text: &str) -> Result<Value, BuiltinError> {
    context.charge(2 * text.len())?;
    let text = super::tabs::with_spaces(text).map_err(fail)?;
    let unended = if text.ends_with('\n') { usize::MAX } else { text.chars().count() };
    let events = Parser::new_from_str(&text);
    let mut reader = Reader { context, events, anchors: HashMap::new(), at: 0, unended };
    loop {
        match reader.next()? {
            Some(Event::StreamEnd) | None => return Ok(Value::Null),
            Some(Event::DocumentStart(_)) => break,
            Some(_) => {}
        }
    }
    let Some(first) = reader.next()? else { return Ok(Value::Null) };
    let value = reader.node(first, 0)?;
    // The rest of the document must be well-formed.
    while !matches!(reader.next()?, Some(Event::DocumentEnd | Event::StreamEnd) | None) {}
    Ok(value)
}

struct Reader<'t, 'c, 'h> {
    context: &'c mut Context<'h>,
    events: Parser<'t, StrInput<'t>>,
    anchors: HashMap<usize, Value>,
    /// The end of the last event.
    at: usize,
    /// The end of a text whose last line has no end.
    unended: usize,
}

fn fail(message: impl std::fmt::Display) -> BuiltinError {
    BuiltinError::failed(format!("yaml: {message}"))
}

/// The number of nodes in a value, so that aliases of aliases cannot grow without end.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(array) => 1 + array.iter().map(size).sum::<usize>(),
        Value::Object(object) => 1 + object.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// The name of a tag without its prefix, if it is one of YAML's own.
fn core_tag(tag: Option<&Tag>) -> Option<&str> {
    tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str())
}

impl<'t> Reader<'t, '_, '_> {
    fn next(&mut self) -> Result<Option<Event<'t>>, BuiltinError> {
        self.context.charge(64)?;
        match self.events.next() {
            None => Ok(None),
            Some(Ok((event, span))) => {
                self.at = span.end.index();
                Ok(Some(event))
            }
            Some(Err(error)) => Err(fail(format!("line {}: {}", error.marker().line(), error.info()))),
        }
    }

    fn expect(&mut self) -> Result<Event<'t>, BuiltinError> {
        self.next()?.ok_or_else(|| fail("unexpected end of the document"))
    }

    fn node(&mut self, event: Event<'t>, depth: usize) -> Result<Value, BuiltinError> {
        if depth > MAX_JSON_DEPTH {
            return Err(fail("collections are nested too deep"));
        }
        let (anchor, value) = match event {
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).cloned().ok_or_else(|| fail("unknown anchor"))?;
                // Nine levels of ten aliases each make a billion nodes of a text of a few hundred bytes.
                self.context.charge(64 * size(&value))?;
                return Ok(value);
            }
            Event::Scalar(text, style, anchor, tag) => {
                // A line end that the text does not have is not in the value.
                let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let text = match text.strip_suffix('\n') {
                    Some(shorter) if is_block && self.at >= self.unended => shorter,
                    _ => &text,
                };
                (anchor, scalar(text, style, core_tag(tag.as_deref()), tag.is_some())?)
            }
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.expect()? {
                        Event::SequenceEnd => break,
                        event => items.push(self.node(event, depth + 1)?),
                    }
                }
                (anchor, Value::array(items))
            }
            Event::MappingStart(anchor, _) => (anchor, self.mapping(depth)?),
            _ => return Err(fail("unexpected end of the document")),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, BuiltinError> {
        let mut entries = Vec::new();
        let mut merged = Vec::new();
        loop {
            let event = self.expect()?;
            if event == Event::MappingEnd {
                break;
            }
            let is_merge = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let key = self.node(event, depth + 1)?;
            let event = self.expect()?;
            let value = self.node(event, depth + 1)?;
            if is_merge {
                collect_merged(value, &mut merged)?;
                continue;
            }
            let key = match key {
                Value::String(_) => key,
                // JSON has texts as keys alone: OPA 1.20 reads `1: 2` as `{"1": 2}` and `y: 1` as
                // `{"true": 1}`, and refuses `~: 2`.
                Value::Bool(_) | Value::Number(_) => Value::from(key.to_json()),
                _ => return Err(fail(format!("invalid map key of type {}", key.type_name()))),
            };
            entries.push((key, value));
        }
        // The mapping's own keys win over merged ones, and earlier merged ones over later ones.
        merged.reverse();
        merged.extend(entries);
        Ok(Value::object(merged))
    }
}

fn collect_merged(value: Value, merged: &mut Vec<(Value, Value)>) -> Result<(), BuiltinError> {
    match value {
        Value::Object(object) => merged.extend(object.entries().iter().cloned()),
        Value::Array(array) => {
            for item in array.iter() {
                match item {
                    Value::Object(object) => merged.extend(object.entries().iter().cloned()),
                    _ => return Err(fail("map merge requires map or sequence of maps as the value")),
                }
            }
        }
        _ => return Err(fail("map merge requires map or sequence of maps as the value")),
    }
    Ok(())
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&str>, has_tag: bool) -> Result<Value, BuiltinError> {
    match tag {
        Some("str") => return Ok(Value::from(text)),
        Some("binary") => {
            let bytes = super::super::encoding::decode_base64(text).map_err(fail)?;
            let text =
                String::from_utf8(bytes).map_err(|_| fail("!!binary that is not UTF-8 is not supported"))?;
            return Ok(Value::from(text));
        }
        Some(name @ ("int" | "float" | "bool" | "null")) => {
            let value = plain(text);
            let is_right = match (&value, name) {
                (Some(Value::Number(number)), "int") => number.is_whole(),
                (Some(Value::Number(_)), "float")
                | (Some(Value::Bool(_)), "bool")
                | (Some(Value::Null), "null") => true,
                _ => false,
            };
            return value
                .filter(|_| is_right)
                .ok_or_else(|| fail(format!("cannot decode a scalar as a !!{name}")));
        }
        _ => {}
    }
    // OPA 1.20 reads `!foo 1` as a text.
    if style != ScalarStyle::Plain || (has_tag && tag.is_none()) {
        return Ok(Value::from(text));
    }
    // OPA 1.20 refuses `.inf`: "json: unsupported value: +Inf".
    plain(text).ok_or_else(|| BuiltinError::failed(format!("json: unsupported value: {text}")))
}
