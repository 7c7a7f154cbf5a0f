//! Finds secrets in files with syntax errors. Without a tree, the look of each line decides.

use objchange_text::Span;

use crate::decode::shape;

/// Names that may be shown wherever they are.
pub(super) struct Known<'k> {
    /// Names of arguments and keys.
    pub(super) is_name: &'k dyn Fn(&str) -> bool,
    /// Those of them whose values are not secret.
    pub(super) is_public: &'k dyn Fn(&str) -> bool,
}

/// Returns the spans to hide in a broken file in native syntax: all but blank lines, brackets, headers of blocks, known
/// names of arguments, and public values. An unknown name may be a key of a secret map.
pub(super) fn native(text: &str, known: &Known<'_>) -> Vec<Span> {
    let mut state = State::Code;
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        if let Some((from, to)) = hidden_of_line(content, &mut state, known) {
            found.push(Span::new((start + from) as u32, (start + to) as u32));
        }
        start += line.len();
    }
    found
}

/// The context of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State<'t> {
    Code,
    /// Up to a line that is this word.
    Heredoc(&'t str),
    /// In the value of an argument, within so many brackets.
    Value(usize),
    /// A string or a heredoc may have begun that does not end where it should.
    Lost,
}

fn hidden_of_line<'t>(line: &'t str, state: &mut State<'t>, known: &Known<'_>) -> Option<(usize, usize)> {
    if let State::Heredoc(end) = *state {
        if line.trim() == end {
            *state = State::Code;
            return None;
        }
        return Some((0, line.len()));
    }
    let is_top = line.starts_with(|c: char| !c.is_whitespace());
    if line.chars().all(is_structure) {
        if let State::Value(depth) = *state {
            *state = within(depth, line);
        }
        return None;
    }
    if is_header(line) && (is_top || *state == State::Code) {
        *state = State::Code;
        return None;
    }
    // `variable "x" { default = 1 }`
    let behind_header = line.find('{').map(|open| open + 1).filter(|behind| is_header(&line[..*behind]));
    let behind_header = behind_header.filter(|_| is_top || *state == State::Code);
    if behind_header.is_some() {
        *state = State::Code;
    } else if *state == State::Code && nested_header(line).is_some_and(known.is_name) {
        return None;
    }
    let from = behind_header.or_else(|| behind_kind(line)).unwrap_or(0);
    let from = from + line[from..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
    let to = line.trim_end_matches(is_structure).len().max(from);
    let whole = Some((from, to));
    let argument = argument(line, from);
    let is_known = argument.is_some_and(|(name, _)| (known.is_name)(name));
    // An argument that is not indented ends what was not closed before it.
    if is_known && is_top {
        *state = State::Code;
    }
    let State::Code = *state else {
        if let State::Value(depth) = *state {
            *state = if is_paired(line) && !line.contains('<') { within(depth, line) } else { State::Lost };
        }
        return whole;
    };
    let Some((name, value)) = argument else {
        let is_comment = line[from..].starts_with(['#', '/']);
        if !is_comment {
            *state = State::Lost;
        }
        return whole;
    };
    *state = behind(&line[value..]);
    if !is_known {
        return whole;
    }
    if (known.is_public)(name) && is_one_value(&line[value..]) {
        return None;
    }
    let value = value + line[value..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
    (value < to).then_some((value, to))
}

/// The state behind a line of a value that is within so many brackets.
fn within(depth: usize, line: &str) -> State<'_> {
    match (depth + line.matches(['{', '[', '(']).count())
        .saturating_sub(line.matches(['}', ']', ')']).count())
    {
        0 => State::Code,
        depth => State::Value(depth),
    }
}

/// The state behind the value of an argument. Only behind a value that is whole the next line can be another argument.
fn behind(value: &str) -> State<'_> {
    if let Some(end) = heredoc_end(value) {
        return State::Heredoc(end);
    }
    let ends_in_the_middle =
        |c: char| !(is_in_name(c) || matches!(c, '"' | ')' | ']' | '}' | '{' | '[' | '('));
    let is_cut = value.trim_end().chars().next_back().is_none_or(ends_in_the_middle);
    if is_cut || !is_paired(value) || value.contains('<') || has_assignment(value) {
        return State::Lost;
    }
    within(0, value)
}

/// Whether there is an equals sign outside of strings and brackets.
fn has_assignment(value: &str) -> bool {
    let (mut depth, mut is_quoted) = (0_usize, false);
    value.chars().any(|c| {
        match c {
            '"' => is_quoted = !is_quoted,
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '=' && depth == 0 && !is_quoted
    })
}

pub(super) fn is_structure(c: char) -> bool {
    c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']' | '(' | ')' | ',')
}

fn is_paired(text: &str) -> bool {
    text.matches('"').count().is_multiple_of(2)
}

/// The name of an argument that begins at this byte, and where its value begins, behind the equals sign.
fn argument(line: &str, from: usize) -> Option<(&str, usize)> {
    let rest = &line[from..];
    let name = &rest[..rest.find(|c: char| !is_in_name(c)).unwrap_or(rest.len())];
    let behind = rest[name.len()..].trim_start();
    let value = behind.strip_prefix('=').filter(|value| !value.starts_with(['=', '>']))?;
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    is_name.then(|| (name, line.len() - value.len()))
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a text is one value, so that no other argument can be in it: the line of another may have come behind it.
fn is_one_value(text: &str) -> bool {
    let quotes = text.matches('"').count();
    let behind = text.rsplit('"').next().unwrap_or_default();
    let is_ended = quotes != 2 || behind.chars().all(is_structure);
    quotes <= 2 && is_ended && !text.contains(['=', '<', '\'', '`', '#', '/']) || is_source(text)
}

/// Whether a text is a string as `source` has it, with slashes.
fn is_source(text: &str) -> bool {
    let inside = text.trim().strip_prefix('"');
    inside.is_some_and(|inside| {
        let inside = inside.strip_suffix('"').unwrap_or(inside);
        inside.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
    })
}

/// Words before the labels of a block, besides those of a file.
const BLOCKS: [&str; 10] = [
    "backend",
    "cloud",
    "dynamic",
    "mock_data",
    "mock_provider",
    "mock_resource",
    "provider_meta",
    "provisioner",
    "run",
    "variables",
];

/// Where a line goes on behind the first word of a block's header.
fn behind_kind(line: &str) -> Option<usize> {
    let start = line.len() - line.trim_start().len();
    let end = start + line[start..].find(' ')?;
    let kind = &line[start..end];
    let is_argument = line[end..].trim_start().starts_with('=');
    ((shape::FILE.has(kind) || BLOCKS.contains(&kind)) && !is_argument).then_some(end)
}

/// Whether a line is the header of a block and nothing else: labels are not secrets.
fn is_header(line: &str) -> bool {
    let Some(header) = line.trim().strip_suffix('{') else { return false };
    let mut words = header.split_whitespace();
    let is_label = |word: &str| {
        let inside = word.strip_prefix('"').and_then(|word| word.strip_suffix('"'));
        inside.is_some_and(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')))
    };
    let kind = words.next().unwrap_or_default();
    let labels: Vec<&str> = words.collect();
    let most = match shape::FILE.labels(kind) {
        Some(labels) => labels.len(),
        None if BLOCKS.contains(&kind) => 1,
        None => return false,
    };
    labels.len() <= most && labels.into_iter().all(is_label)
}

/// The name in a line that is `name {`, as blocks of resources begin.
fn nested_header(line: &str) -> Option<&str> {
    line.trim().strip_suffix('{').map(str::trim_end).filter(|name| name.chars().all(is_in_name))
}

/// The word that ends the heredoc that begins in a line.
fn heredoc_end(line: &str) -> Option<&str> {
    let (_, rest) = line.rsplit_once("<<")?;
    let name = rest.strip_prefix('-').unwrap_or(rest).trim();
    let is_name = !name.is_empty() && name.chars().all(is_in_name);
    is_name.then_some(name)
}

/// Returns the spans to hide in a broken JSON file: all but brackets, commas, JSON's words, and known keys.
pub(super) fn json(text: &str, known: &Known<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let hidden = hidden_of_json(line, known).into_iter();
        found.extend(hidden.map(|(from, to)| Span::new((start + from) as u32, (start + to) as u32)));
        start += line.len();
    }
    found
}

fn hidden_of_json(line: &str, known: &Known<'_>) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let is_separator =
        |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':');
    let mut found = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        if is_separator(bytes[i]) {
            i += 1;
            continue;
        }
        if bytes[i] != b'"' {
            while i < bytes.len() && bytes[i] != b'"' && !is_separator(bytes[i]) {
                i += 1;
            }
            if !matches!(&line[start..i], "true" | "false" | "null") {
                found.push((start, i));
            }
            continue;
        }
        i += 1;
        while i < bytes.len() && !matches!(bytes[i], b'"' | b'\n') {
            i += if bytes[i] == b'\\' { 2 } else { 1 };
        }
        let is_closed = bytes.get(i) == Some(&b'"');
        // A backslash may be the last character, or stand before one of several bytes.
        i = if is_closed { i + 1 } else { line.trim_end_matches(['\r', '\n']).len().max(start + 1) };
        let is_key = is_closed && line[i..].trim_start().starts_with(':');
        if !(is_key && (known.is_name)(&line[start + 1..i - 1])) {
            found.push((start, i));
        }
    }
    found
}

/// Names that Terraform gives to arguments and blocks.
pub(super) fn is_in_vocabulary(name: &str) -> bool {
    let shapes = [
        &shape::FILE,
        &shape::CONDITION,
        &shape::VARIABLE,
        &shape::OUTPUT,
        &shape::LIFECYCLE,
        &shape::RESOURCE,
        &shape::PROVISIONER,
        &shape::CALL,
        &shape::PROVIDER,
        &shape::TERRAFORM,
        &shape::CHECK,
        &shape::MOVED,
        &shape::REMOVED,
        &shape::IMPORT,
    ];
    shapes.iter().any(|shape| shape.has(name)) || BLOCKS.contains(&name) || IN_TESTS.contains(&name)
}

/// Names in test files.
const IN_TESTS: [&str; 14] = [
    "assert",
    "command",
    "defaults",
    "expect_failures",
    "mode",
    "outputs",
    "override_data",
    "override_module",
    "override_resource",
    "plan_options",
    "refresh",
    "state_key",
    "target",
    "values",
];

/// Arguments of Terraform's that hold no secret.
const PUBLIC: [&str; 14] = [
    "command",
    "const",
    "count",
    "depends_on",
    "ephemeral",
    "for_each",
    "nullable",
    "provider",
    "providers",
    "required_version",
    "sensitive",
    "source",
    "type",
    "version",
];

pub(super) fn is_public(name: &str) -> bool {
    PUBLIC.contains(&name)
}
