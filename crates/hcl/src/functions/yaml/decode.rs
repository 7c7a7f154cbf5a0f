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
use super::fault::{NO_TOKEN, parsed, scanned, translated};
use super::rewrite::Difference;
use super::scalar::resolved;
use super::separators::{LineSeparator, Separators};
use super::tabs::{Misplaced, Tabs};
use crate::function::FunctionError;

/// The maximum nesting of collections.
const MAX_DEPTH: usize = 128;

/// The value of a text with one document.
pub(super) fn decoded(text: &str) -> Answer {
    // A carriage return ends a line, alone as well as before a line feed, and so does U+0085.
    let mut text = match text.contains(['\r', '\u{85}']) {
        true => Cow::from(text.replace("\r\n", "\n").replace(['\r', '\u{85}'], "\n")),
        false => Cow::from(text),
    };
    let mut indented = Vec::new();
    let mut indentations = MAX_INDENTED;
    let mut rewritings = MIN_REWRITINGS.max(MAX_REREAD / text.len().max(1));
    loop {
        let changed = with_indentation(&text, &indented);
        match read(&changed) {
            Ok(value) => return Ok(value),
            Err(Unreadable::Wrong(error)) => return Err(error),
            Err(Unreadable::Different { difference, line, column, error }) => {
                let rewritten = difference.rewritten(&changed, line, column);
                let Some(rewritten) = rewritten.filter(|_| rewritings > 0) else { return Err(error) };
                rewritings -= 1;
                // The indentation of its lines is in it.
                indented.clear();
                text = Cow::Owned(rewritten);
            }
            Err(Unreadable::NotIndented { first_line, error }) => {
                // The line that is meant, or one behind it, where the last attempt was not enough.
                let after = indented.partition_point(|line| *line < first_line);
                let line = std::iter::zip(first_line.., &indented[after..])
                    .take_while(|(line, other)| line == *other);
                let line = first_line + line.count();
                if indentations == 0 || line > text.split('\n').count() {
                    return Err(error);
                }
                indentations -= 1;
                indented.insert(indented.partition_point(|other| *other < line), line);
            }
        }
    }
}

/// Why a text cannot be read.
enum Unreadable {
    Wrong(FunctionError),
    /// A line in brackets or quotes is indented less than the part around them. Terraform's reader accepts it, and reads it
    /// as if it were indented more. The line is this one or a later one.
    NotIndented {
        first_line: usize,
        error: FunctionError,
    },
    /// Terraform's reader reads this place in another way; the line begins with 1, the column with 0.
    Different {
        difference: Difference,
        line: usize,
        column: usize,
        error: FunctionError,
    },
}

impl From<FunctionError> for Unreadable {
    fn from(error: FunctionError) -> Self {
        Self::Wrong(error)
    }
}

/// The maximum number of lines to indent further: each makes the reader start again.
const MAX_INDENTED: usize = 64;

/// The reader starts again after each difference between the readers is rewritten: at most this often, or until it has
/// read `MAX_REREAD` bytes if that is more.
const MIN_REWRITINGS: usize = 64;
const MAX_REREAD: usize = 1 << 24;

/// The maximum indentation that counts when a line is indented further than the deepest one.
const MAX_INDENTATION: usize = 1024;

/// The text, in which these lines (the first is 1) are indented more than any other.
fn with_indentation<'t>(text: &'t str, lines: &[usize]) -> Cow<'t, str> {
    if lines.is_empty() {
        return text.into();
    }
    // The marks of entries count as well: `- - a: "b` is at 4.
    let indentation = |line: &str| line.bytes().take_while(|byte| b" -?".contains(byte)).count();
    let deepest = text.split('\n').map(indentation).max().unwrap_or_default();
    let indentation = " ".repeat(1 + deepest.min(MAX_INDENTATION));
    let mut changed = String::with_capacity(text.len() + lines.len() * indentation.len());
    for (number, line) in std::iter::zip(1_usize.., text.split_inclusive('\n')) {
        if lines.binary_search(&number).is_ok() {
            changed.push_str(&indentation);
        }
        changed.push_str(line);
    }
    changed.into()
}

fn read(text: &str) -> Result<Value, Unreadable> {
    check_version(text)?;
    if text.chars().skip_while(|c| *c == '\u{feff}').any(is_control) {
        return Err(wrong("control characters are not allowed").into());
    }
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        text,
        end: text.chars().count(),
        span: Span::default(),
        tabs: Tabs::new(text),
        separators: Separators::new(text),
        brackets: 0,
        place: (0, 0),
        anchors: HashMap::new(),
        size: 0,
    };
    loop {
        match reader.next()? {
            Event::StreamStart | Event::Nothing => {}
            Event::DocumentStart(_) => break,
            _ => {
                // The end is behind the last line.
                let lines = text.lines().count().max(1);
                return Err(wrong(format!("on line {lines}, column 1: missing start of document")).into());
            }
        }
    }
    let first = reader.next()?;
    let value = reader.node(first, 0)?;
    loop {
        match reader.next()? {
            Event::DocumentEnd | Event::Nothing => {}
            Event::StreamEnd => {
                reader.tabs.end().map_err(misplaced)?;
                reader.separators.end().map_err(|LineSeparator| {
                    wrong("a line ends with U+2028 or U+2029; use a line feed, or write it as \\L or \\P in quotes")
                })?;
                return Ok(value);
            }
            _ => {
                let error = wrong("unexpected extra content after value");
                return Err(located(&error, reader.span).into());
            }
        }
    }
}

fn misplaced(Misplaced { line }: Misplaced) -> FunctionError {
    wrong(scanned(NO_TOKEN, line))
}

fn wrong(message: impl Into<String>) -> FunctionError {
    FunctionError::new(message.into())
}

/// Only YAML 1.1 may be asked for.
fn check_version(text: &str) -> Result<(), FunctionError> {
    let directives = text.lines().take_while(|line| line.is_empty() || line.starts_with(['%', '#']));
    let versions = directives.filter_map(|line| line.strip_prefix("%YAML"));
    match versions.map(|version| version.split_whitespace().next()).find(|version| *version != Some("1.1")) {
        Some(_) => Err(wrong("found incompatible YAML document")),
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
    separators: Separators,
    /// How many collections are open that are in brackets, or inside of such.
    brackets: usize,
    /// A place in the text, in characters and in bytes, that moves forward.
    place: (usize, usize),
    /// The value of each anchor and its number of parts; `None` while the value is being read.
    anchors: HashMap<usize, Option<(Value, usize)>>,
    /// How many parts have been made. A part that an alias repeats counts again, so that a few lines of aliases of
    /// aliases cannot make a value too large to walk through.
    size: usize,
}

const STANDARD: &str = "tag:yaml.org,2002:";

/// The tag in full.
fn full(tag: Option<&Tag>) -> Option<String> {
    tag.map(|tag| format!("{}{}", tag.handle, tag.suffix))
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<Event<'t>, Unreadable> {
        let place = |error: &ScanError| {
            let (line, column) = (error.marker().line(), error.marker().col() + 1);
            let wrong = wrong(translated(error.info(), line, column, self.text));
            match error.info() {
                "invalid indentation" | "invalid indentation in flow construct" => {
                    Unreadable::NotIndented { first_line: line, error: wrong }
                }
                // Points to the opening quote.
                "invalid indentation in quoted scalar" => {
                    Unreadable::NotIndented { first_line: line + 1, error: wrong }
                }
                info => match Difference::of_error(info) {
                    Some(difference) => {
                        Unreadable::Different { difference, line, column: column - 1, error: wrong }
                    }
                    None => Unreadable::Wrong(wrong),
                },
            }
        };
        match self.events.next_event() {
            Some(Ok((event, span))) => {
                self.tabs.see(&event, span).map_err(misplaced)?;
                self.separators.see(&event, span);
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

    /// Notes whether the collection that begins is in brackets.
    fn enter(&mut self) {
        let start = self.span.start.index();
        if start < self.place.0 {
            self.place = (0, 0);
        }
        let rest = &self.text[self.place.1..];
        let bytes = rest.char_indices().nth(start - self.place.0).map_or(rest.len(), |(at, _)| at);
        self.place = (start, self.place.1 + bytes);
        let is_bracket = self.text[self.place.1..].starts_with(['[', '{']);
        self.brackets += usize::from(is_bracket || self.brackets > 0);
    }

    /// Explains why Terraform's reader refuses a text in brackets: `?` and `:` are marks there, and `?` begins a key.
    fn mark_in_brackets(&self, text: &str) -> Unreadable {
        let (line, column) = (self.span.start.line(), self.span.start.col());
        // Terraform has a message for each mark and place of it.
        let words = "? and : in brackets need quotes";
        let error = wrong(format!("on line {line}, column {}: {words}", column + 1));
        match text.starts_with('?') && text.len() > 1 {
            true => Unreadable::Different { difference: Difference::KeyMark, line, column, error },
            false => error.into(),
        }
    }

    fn node(&mut self, event: Event<'t>, depth: usize) -> Result<Value, Unreadable> {
        if depth > MAX_DEPTH {
            return Err(wrong("collections are nested deeper than 128 levels").into());
        }
        self.grow(1)?;
        let before = self.size;
        let place = self.span;
        let (anchor, value) = match event {
            Event::Alias(id) => {
                let Some(Some((value, size))) = self.anchors.get(&id).cloned() else {
                    return Err(wrong("an alias is inside of what it refers to").into());
                };
                self.grow(size)?;
                return Ok(value);
            }
            Event::Scalar(text, ScalarStyle::Plain, ..) if text.starts_with(['|', '>']) => {
                return Err(wrong(scanned(NO_TOKEN, self.span.start.line())).into());
            }
            Event::Scalar(text, ScalarStyle::Plain, ..)
                if self.brackets > 0 && (text.starts_with(':') || text.contains('?')) =>
            {
                return Err(self.mark_in_brackets(&text));
            }
            Event::Scalar(text, style, anchor, tag) => {
                let text = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => {
                        self.block_scalar(text, anchor > 0 || tag.is_some(), depth)?
                    }
                    _ => text,
                };
                let value = scalar(&text, style, full(tag.as_deref()).as_deref());
                (anchor, value.map_err(|error| located(&error, place))?)
            }
            Event::SequenceStart(anchor, tag) => {
                check_tag(full(tag.as_deref()), "seq", "sequence").map_err(|error| located(&error, place))?;
                self.anchors.insert(anchor, None);
                self.enter();
                (anchor, self.sequence(depth)?)
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(full(tag.as_deref()), "map", "mapping").map_err(|error| located(&error, place))?;
                self.anchors.insert(anchor, None);
                self.enter();
                (anchor, self.mapping(depth)?)
            }
            _ => return Err(wrong("a value is missing").into()),
        };
        if anchor > 0 {
            self.anchors.insert(anchor, Some((value.clone(), self.size - before)));
        }
        Ok(value)
    }

    /// Returns the text of a block scalar, corrected at the end of the document.
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

    fn sequence(&mut self, depth: usize) -> Result<Value, Unreadable> {
        let mut elements = Vec::new();
        loop {
            match self.next()? {
                Event::SequenceEnd => {
                    self.brackets = self.brackets.saturating_sub(1);
                    return Ok(Value::tuple(elements));
                }
                event => elements.push(self.node(event, depth + 1)?),
            }
        }
    }

    /// A later key overrides an earlier one. Merged keys count at the place of their merge.
    fn mapping(&mut self, depth: usize) -> Result<Value, Unreadable> {
        let mut members: BTreeMap<SmolStr, Value> = BTreeMap::new();
        loop {
            let event = self.next()?;
            let is_text = match &event {
                Event::MappingEnd => {
                    self.brackets = self.brackets.saturating_sub(1);
                    return Ok(Value::object(members));
                }
                Event::Alias(_) => return Err(located(&only_strings(), self.span).into()),
                Event::Scalar(.., tag) => full(tag.as_deref()).is_some_and(|tag| tag.ends_with(":str")),
                _ => false,
            };
            let place = self.span;
            let key = self.node(event, depth + 1)?;
            let key = match key.kind() {
                Kind::Null => return Err(located(&wrong("mapping key cannot be null"), place).into()),
                _ => key.convert(&Type::String).map_err(|_| located(&only_strings(), place))?,
            };
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            let key = key.as_str().unwrap_or_default();
            if key == "<<" && !is_text {
                let Kind::Object(merged) = value.kind() else {
                    let found = value.ty().friendly_name();
                    return Err(located(&wrong(format!("cannot merge {found} into mapping")), place).into());
                };
                members.extend(merged.iter().map(|(name, member)| (name.clone(), member.clone())));
            } else {
                members.insert(key.into(), value);
            }
        }
    }
}

fn only_strings() -> FunctionError {
    wrong("only strings are allowed as mapping keys")
}

/// Adds a position to an error.
fn located(error: &FunctionError, place: Span) -> FunctionError {
    wrong(parsed(&error.message, place.start.line(), place.start.col() + 1))
}

fn check_tag(tag: Option<String>, kind: &str, name: &str) -> Result<(), FunctionError> {
    match tag {
        Some(tag) if tag.strip_prefix(STANDARD) != Some(kind) => {
            Err(wrong(format!("can't interpret {name} as {tag}")))
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
            _ => return Err(wrong(format!("unsupported tag \"{tag}\""))),
        },
    };
    if kind == Some("binary") && LENIENT.decode(text.as_bytes()).is_err() {
        return Err(wrong("a value that should be is not base64"));
    }
    match style {
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => return Ok(text.into()),
        // The result is a string, even if the text would be another type in one line: it is resolved, then converted.
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
                Err(wrong(format!("cannot parse \"{text}\" as {STANDARD}{kind}")))
            }
            (Some(value), _) => Ok(value),
            (None, None) => Ok(text.into()),
            (None, Some(kind)) => Err(wrong(format!("cannot parse \"{text}\" as {STANDARD}{kind}"))),
        },
    }
}
