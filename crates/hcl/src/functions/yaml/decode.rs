//! YAML to the value that it implies.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use objchange::value::Kind;
use objchange::{Type, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};
use smol_str::SmolStr;

use super::super::Answer;
use super::super::encoding::LENIENT;
use super::super::limits::MAX_ELEMENTS;
use super::block_scalar::BlockScalar;
use super::scalar::resolved;
use super::tabs::{Misplaced, Tabs};
use crate::function::FunctionError;

/// Collections nested deeper are not read.
const MAX_DEPTH: usize = 128;

/// The value of a text with one document.
pub(super) fn decoded(text: &str) -> Answer {
    // A carriage return ends a line, alone as well as before a line feed.
    let text = &*match text.contains('\r') {
        true => Cow::from(text.replace("\r\n", "\n").replace('\r', "\n")),
        false => Cow::from(text),
    };
    check_version(text)?;
    if text.chars().skip_while(|c| *c == '\u{feff}').any(is_control) {
        return Err(wrong("control characters are not allowed"));
    }
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        text,
        end: text.chars().count(),
        span: Span::default(),
        tabs: Tabs::new(text),
        anchors: HashMap::new(),
        size: 0,
    };
    loop {
        match reader.next()? {
            Event::StreamStart | Event::Nothing => {}
            Event::DocumentStart(_) => break,
            _ => return Err(wrong("there is no document")),
        }
    }
    let first = reader.next()?;
    let value = reader.node(first, 0)?;
    loop {
        match reader.next()? {
            Event::DocumentEnd | Event::Nothing => {}
            Event::StreamEnd => {
                reader.tabs.end().map_err(|Misplaced| misplaced())?;
                return Ok(value);
            }
            _ => return Err(wrong("there is more than one document")),
        }
    }
}

fn misplaced() -> FunctionError {
    wrong("a tab cannot be indentation")
}

fn wrong(message: impl Into<String>) -> FunctionError {
    FunctionError::new(message.into())
}

/// Only YAML 1.1 may be asked for.
fn check_version(text: &str) -> Result<(), FunctionError> {
    let directives = text.lines().take_while(|line| line.is_empty() || line.starts_with(['%', '#']));
    let versions = directives.filter_map(|line| line.strip_prefix("%YAML"));
    match versions.map(|version| version.split_whitespace().next()).find(|version| *version != Some("1.1")) {
        Some(_) => Err(wrong("the document is in another version of YAML than 1.1")),
        None => Ok(()),
    }
}

fn is_control(c: char) -> bool {
    !matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
        && u32::from(c) < 0x10000
}

struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
    text: &'t str,
    /// The index of the character behind the last one.
    end: usize,
    /// Where the last event is.
    span: Span,
    tabs: Tabs<'t>,
    /// What anchors stand for, and of how many parts it is; nothing while that is being read.
    anchors: HashMap<usize, Option<(Value, usize)>>,
    /// How many parts have been made. A part that an alias repeats counts again, so that a few lines of aliases of
    /// aliases cannot stand for more than anyone can walk through.
    size: usize,
}

const STANDARD: &str = "tag:yaml.org,2002:";

/// The tag in full.
fn full(tag: Option<&Tag>) -> Option<String> {
    tag.map(|tag| format!("{}{}", tag.handle, tag.suffix))
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<Event<'t>, FunctionError> {
        let place = |error: &ScanError| {
            let (line, column) = (error.marker().line(), error.marker().col() + 1);
            wrong(format!("line {line}, column {column}: {}", error.info()))
        };
        match self.events.next_event() {
            Some(Ok((event, span))) => {
                self.tabs.see(&event, span).map_err(|Misplaced| misplaced())?;
                self.span = span;
                Ok(event)
            }
            Some(Err(error)) => Err(place(&error)),
            None => Ok(Event::StreamEnd),
        }
    }

    fn grow(&mut self, parts: usize) -> Result<(), FunctionError> {
        self.size = self.size.saturating_add(parts);
        if self.size > MAX_ELEMENTS { Err(wrong("there are more than 1048576 parts")) } else { Ok(()) }
    }

    fn node(&mut self, event: Event<'t>, depth: usize) -> Answer {
        if depth > MAX_DEPTH {
            return Err(wrong("collections are nested deeper than 128 levels"));
        }
        self.grow(1)?;
        let before = self.size;
        let (anchor, value) = match event {
            Event::Alias(id) => {
                let Some(Some((value, size))) = self.anchors.get(&id).cloned() else {
                    return Err(wrong("an alias stands inside of what it refers to"));
                };
                self.grow(size)?;
                return Ok(value);
            }
            Event::Scalar(text, style, anchor, tag) => {
                let text = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => {
                        self.block_scalar(text, anchor > 0 || tag.is_some(), depth)?
                    }
                    _ => text,
                };
                (anchor, scalar(&text, style, full(tag.as_deref()).as_deref())?)
            }
            Event::SequenceStart(anchor, tag) => {
                check_tag(full(tag.as_deref()), "seq")?;
                self.anchors.insert(anchor, None);
                (anchor, self.sequence(depth)?)
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(full(tag.as_deref()), "map")?;
                self.anchors.insert(anchor, None);
                (anchor, self.mapping(depth)?)
            }
            _ => return Err(wrong("a value is missing")),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, Some((value.clone(), self.size - before)));
        }
        Ok(value)
    }

    /// The text of a block scalar, of which the last one of the document and the document itself may need a correction.
    fn block_scalar(
        &self,
        text: Cow<'t, str>,
        has_properties: bool,
        depth: usize,
    ) -> Result<Cow<'t, str>, FunctionError> {
        let ends_the_document = self.span.end.index() >= self.end;
        if depth > 0 && !ends_the_document {
            return Ok(text);
        }
        let document = self.text;
        let start = document.char_indices().nth(self.span.start.index()).map_or(0, |(at, _)| at);
        let scalar = BlockScalar { text, document, start, has_properties, ends_the_document };
        scalar.corrected().map_err(wrong)
    }

    fn sequence(&mut self, depth: usize) -> Answer {
        let mut elements = Vec::new();
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(Value::tuple(elements)),
                event => elements.push(self.node(event, depth + 1)?),
            }
        }
    }

    /// A later key overrides an earlier one, and what is merged does at its place.
    fn mapping(&mut self, depth: usize) -> Answer {
        let mut members: BTreeMap<SmolStr, Value> = BTreeMap::new();
        loop {
            let event = self.next()?;
            if event == Event::MappingEnd {
                return Ok(Value::object(members));
            }
            let key = self.node(event, depth + 1)?;
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            let key = match key.kind() {
                Kind::Null => return Err(wrong("a key is null")),
                _ => key.convert(&Type::String).map_err(|_| wrong("a key is no text"))?,
            };
            let key = key.as_str().unwrap_or_default();
            if key == "<<" {
                let Kind::Object(merged) = value.kind() else {
                    return Err(wrong("what is merged with << must be a map"));
                };
                members.extend(merged.iter().map(|(name, member)| (name.clone(), member.clone())));
            } else {
                members.insert(key.into(), value);
            }
        }
    }
}

fn check_tag(tag: Option<String>, kind: &str) -> Result<(), FunctionError> {
    match tag {
        Some(tag) if tag.strip_prefix(STANDARD) != Some(kind) => {
            Err(wrong(format!("the tag {tag:?} does not fit")))
        }
        _ => Ok(()),
    }
}

/// In quotes it is text, whatever the tag.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&str>) -> Answer {
    let kind = match tag {
        None => None,
        Some(tag) => match tag.strip_prefix(STANDARD) {
            Some(kind @ ("null" | "bool" | "str" | "int" | "float" | "timestamp" | "binary")) => Some(kind),
            _ => return Err(wrong(format!("the tag {tag:?} is not supported"))),
        },
    };
    if kind == Some("binary") && LENIENT.decode(text.as_bytes()).is_err() {
        return Err(wrong("a value that should be is not base64"));
    }
    match style {
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => return Ok(text.into()),
        // It is a string, written as what it would be in one line.
        ScalarStyle::Literal | ScalarStyle::Folded if kind.is_none() => {
            let value = resolved(text).map_err(wrong)?.map(|value| value.convert(&Type::String));
            return value
                .transpose()
                .map(|value| value.unwrap_or_else(|| text.into()))
                .map_err(|e| wrong(e.to_string()));
        }
        _ => {}
    }
    let is_text = |value: &Value| matches!(value.kind(), Kind::String(_));
    match kind {
        Some("str" | "binary") => Ok(text.into()),
        Some("null") => {
            let value = resolved(text).ok().flatten().filter(|value| !is_text(value));
            Ok(value.unwrap_or(Value::null(Type::Dynamic)))
        }
        _ => match (resolved(text).map_err(wrong)?, kind) {
            (Some(value), Some(kind @ ("bool" | "int" | "float"))) if is_text(&value) => {
                Err(wrong(format!("a value is no {kind}")))
            }
            (Some(value), _) => Ok(value),
            (None, None) => Ok(text.into()),
            (None, Some(kind)) => Err(wrong(format!("a value is no {kind}"))),
        },
    }
}
