//! Primitive values; strings may hold JSON, YAML or several lines.

use objchange::Type;

use super::{json, sequence, yaml};
use crate::diff::{Diff, DiffAction, Kind, Line, Primitive, Scalar};
use crate::walk::{Change, Dialect};
use objchange_document::Text;
use objchange_document::json::{Json, Reader, Shape, View};

/// The diff of a value without parts.
///
/// `string` says that its type is string, or unknown.
pub(super) fn primitive<'t>(change: &Change<'_, 't>, string: bool) -> Diff<'t> {
    let action = change.leaf_action();
    let (before, after) = match action {
        DiffAction::NoOp | DiffAction::Create => (change.after, change.after),
        DiffAction::Delete => (change.before, change.before),
        DiffAction::Update => (change.before, change.after),
    };
    let within = Within { dialect: change.dialect, depth: change.depth };
    let mut kind =
        strings(before, after, action, within).unwrap_or_else(|| pair(change.before, change.after, string));
    if let (DiffAction::Update, Kind::Primitive(primitive)) = (action, &mut kind) {
        primitive.white_space = is_white_space(before, after, change.dialect);
    }
    Diff::new(action, kind).replacing(change.forces_replacement())
}

/// The diff of an unchanged primitive of this type, if it is one: a fast path with the result of [`primitive`].
pub(super) fn unchanged<'t>(change: &Change<'_, 't>, ty: &Type) -> Option<Diff<'t>> {
    let string = match ty {
        Type::String => true,
        Type::Number | Type::Bool => false,
        _ => return None,
    };
    let is_plain = || !change.after.is_special_string() && !change.after.is_empty_string();
    if !change.is_unmarked_equal() || change.after.is_null() || !is_plain() {
        return None;
    }
    let kind = pair(change.before, change.after, string);
    Some(Diff::new(DiffAction::NoOp, kind).replacing(change.forces_replacement()))
}

/// The place of a string, as far as it affects its content.
#[derive(Clone, Copy)]
struct Within {
    dialect: Dialect,
    depth: usize,
}

/// The kind of a pair of strings that holds JSON or several lines; `None` for other pairs.
fn strings<'t>(
    before: View<'_, 't>,
    after: View<'_, 't>,
    action: DiffAction,
    within: Within,
) -> Option<Kind<'t>> {
    if !before.is_special_string() && !after.is_special_string() {
        return None;
    }
    // Each string in a string is a level: see `embedded`.
    let within = Within { depth: within.depth + 1, ..within };
    let (old, new) = (embedded(before, within), embedded(after, within));
    match (&old, &new) {
        // Equal JSON under different text is shown as a change of white space, whatever else changes there (Terraform 1.11).
        (Some(old), Some(new)) => {
            let value = Box::new(documents(old.view(), new.view(), action, within));
            let is_same = action == DiffAction::Update && value.action == DiffAction::NoOp;
            let notation = is_same && within.dialect.is_own_format() && !differs_in_space(before, after);
            Some(Kind::Json { value, notation })
        }
        // One side is JSON: Terraform shows `jsonencode(…) -> "x"`.
        (Some(_), None) | (None, Some(_)) => {
            let side = |value: View<'_, 't>, inner: &Option<Json<'_>>, action| {
                let kind = match inner {
                    Some(inner) => {
                        let value = Box::new(documents(inner.view(), inner.view(), action, within));
                        Kind::Json { value, notation: false }
                    }
                    None => lines(value, value, within.dialect).unwrap_or_else(|| pair(value, value, true)),
                };
                Box::new(Diff::new(action, kind))
            };
            Some(Kind::TypeChange {
                before: side(before, &old, DiffAction::Delete),
                after: side(after, &new, DiffAction::Create),
            })
        }
        (None, None) => {
            both_yaml(before, after, action, within).or_else(|| lines(before, after, within.dialect))
        }
    }
}

/// Parses JSON in a string; `None` if it nests too deeply.
///
/// The nesting around the string counts: JSON in strings in JSON would otherwise give each layer the depth of the
/// first, and overflow the stack.
fn embedded<'v>(value: View<'v, '_>, within: Within) -> Option<Json<'v>> {
    let text = value.as_str()?;
    // Terraform treats only objects and arrays as JSON, so that `"5"` stays a string.
    if !text.starts_with(['{', '[']) {
        return None;
    }
    if within.dialect.is_opentofu() {
        // OpenTofu decodes the first JSON value and ignores text after it.
        return Json::next(&mut Reader::new(text).at_depth(within.depth)).ok();
    }
    // Most texts that begin like JSON and go on otherwise fail here, before they are parsed.
    text.trim_end().ends_with(['}', ']']).then(|| Json::parse_at_depth(text, within.depth).ok())?
}

/// Whether the texts of two documents are equal but for white space outside of strings.
fn differs_in_space(before: View<'_, '_>, after: View<'_, '_>) -> bool {
    fn written(text: &str) -> impl Iterator<Item = char> {
        let (mut is_quoted, mut is_escaped) = (false, false);
        text.chars().filter(move |c| {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if is_quoted => is_escaped = true,
                '"' => is_quoted = !is_quoted,
                _ => {}
            }
            is_quoted || !c.is_whitespace()
        })
    }
    let texts = before.as_str().zip(after.as_str());
    texts.is_some_and(|(before, after)| written(before).eq(written(after)))
}

/// The diff of the YAML in two strings, if both hold YAML and differ in more than comments and spelling.
fn both_yaml<'t>(
    before: View<'_, 't>,
    after: View<'_, 't>,
    action: DiffAction,
    within: Within,
) -> Option<Kind<'t>> {
    if !within.dialect.is_own_format() || action != DiffAction::Update {
        return None;
    }
    let (old, new) = (before.as_str()?, after.as_str()?);
    // Different comments may change the meaning, so compare such texts by lines.
    if !yaml::comments(old).eq(yaml::comments(new)) {
        return None;
    }
    let (old, new) = (yaml::to_json(old)?, yaml::to_json(new)?);
    let old = Json::parse_at_depth(&old, within.depth).ok()?;
    let new = Json::parse_at_depth(&new, within.depth).ok()?;
    let value = documents(old.view(), new.view(), action, within);
    // No difference but spelling: the lines show it.
    (value.action != DiffAction::NoOp).then(|| Kind::Yaml { value: Box::new(value) })
}

fn documents<'v, 't>(
    before: View<'v, 'v>,
    after: View<'v, 'v>,
    action: DiffAction,
    within: Within,
) -> Diff<'t> {
    let (before, after) = match action {
        DiffAction::Create => (before.null(), after),
        DiffAction::Delete => (before, after.null()),
        DiffAction::NoOp | DiffAction::Update => (before, after),
    };
    let mut change = Change::new(before, after, within.dialect.without_schema());
    change.before_explicit = action != DiffAction::Create;
    change.after_explicit = action != DiffAction::Delete;
    change.depth = within.depth;
    json::shape(&change).into_owned()
}

fn lines<'t>(before: View<'_, 't>, after: View<'_, 't>, dialect: Dialect) -> Option<Kind<'t>> {
    let is_multiline = |value: View<'_, '_>| value.as_str().is_some_and(|text| text.contains('\n'));
    if !is_multiline(before) && !is_multiline(after) {
        return None;
    }
    let trims = Trims::new(before, after, dialect);
    let (old, new) = (side(before, trims), side(after, trims));
    let line = |action, text: &Option<&str>| Line { action, text: text.map(|t| Text::from(t).into_owned()) };
    if before == after {
        let lines = new.iter().map(|text| line(DiffAction::NoOp, text)).collect();
        return Some(Kind::Text { lines, white_space: false });
    }
    let mut lines = Vec::with_capacity(old.len().max(new.len()));
    for (i, j) in sequence::line_places(&old, &new, dialect).iter() {
        let (i, j) = (i.map(|i| &old[i]), j.map(|j| &new[j]));
        if let Some(text) = i.filter(|_| i == j) {
            lines.push(line(DiffAction::NoOp, text));
            continue;
        }
        lines.extend(i.map(|text| line(DiffAction::Delete, text)));
        lines.extend(j.map(|text| line(DiffAction::Create, text)));
    }
    Some(Kind::Text { lines, white_space: is_white_space(before, after, dialect) })
}

/// Whether nothing but white space changes in a text, for formats of our own.
fn is_white_space(before: View<'_, '_>, after: View<'_, '_>, dialect: Dialect) -> bool {
    let visible = |text| str::chars(text).filter(|c| !c.is_whitespace());
    dialect.is_own_format()
        && before != after
        && before.as_str().zip(after.as_str()).is_some_and(|(a, b)| visible(a).eq(visible(b)))
}

/// Where white space around texts of several lines is left out.
#[derive(Clone, Copy)]
struct Trims {
    start: bool,
    end: bool,
}

impl Trims {
    fn new(before: View<'_, '_>, after: View<'_, '_>, dialect: Dialect) -> Self {
        match (before.as_str(), after.as_str()) {
            // Formats of our own show that it changes.
            (Some(before), Some(after)) if dialect.is_own_format() => {
                let start = |text: &str| text.len() - text.trim_start().len();
                let end = |text: &str| text.trim_end().len();
                Self {
                    start: before[..start(before)] == after[..start(after)],
                    end: before[end(before)..] == after[end(after)..],
                }
            }
            // Terraform 1.11 trims a text of several lines as a whole before it compares the lines.
            _ => Self { start: true, end: true },
        }
    }
}

/// The lines of one side. A text that ends with a line break has an empty line at its end, unless white space there is left out.
fn side<'v>(value: View<'v, '_>, trims: Trims) -> Vec<Option<&'v str>> {
    match value.as_str() {
        None => vec![None],
        Some(text) if text.contains('\n') => {
            let text = if trims.start { text.trim_start() } else { text };
            let text = if trims.end { text.trim_end() } else { text };
            text.split('\n').map(Some).collect()
        }
        Some(text) => vec![Some(text)],
    }
}

fn pair<'t>(before: View<'_, 't>, after: View<'_, 't>, string: bool) -> Kind<'t> {
    let old = scalar(before);
    let new = if before.is_same(after) { old.clone() } else { scalar(after) };
    let null_string = string && old == Scalar::Null;
    Kind::Primitive(Primitive { before: old, after: new, null_string, white_space: false })
}

fn scalar<'t>(value: View<'_, 't>) -> Scalar<'t> {
    match value.shape() {
        Shape::Bool(b) => Scalar::Bool(b),
        Shape::Number(_) => Scalar::Number(value.text().unwrap_or_default()),
        Shape::String(_) => Scalar::String(value.text().unwrap_or_default()),
        // Neither can be in a position of a primitive type; whatever does is shown as having no value.
        Shape::Null | Shape::Array(_) | Shape::Object(_) => Scalar::Null,
    }
}
