//! Differences in words, for the text and the Markdown page.

use objchange_text::redact::SENSITIVE;
use objchange_text::{quote_into, visible};

use super::comparison::{
    ComparedSide, Comparison, ComparisonCounts, Difference, DifferenceKind, PlannedStep, StepActions,
    ValueDifference, ValueStep,
};
use super::origin::{OriginDifferences, ProviderDifference, SourceDifference, SourceDifferenceKind};
use super::shown::ShownValue;
use crate::render::shared::identifier_or_quoted;
use objchange_document::changes::ResourceActions;

/// The maximum number of characters of a string, and of a list or an object, in a line.
const MAX_STRING: usize = 100;
const MAX_VALUE: usize = 300;
/// The number of characters to show before the first difference in a long string.
const CONTEXT: usize = 20;

/// A heading, and the differences below it.
pub(super) type Section<'c, 't> = (&'static str, Vec<&'c Difference<'t>>);

/// The differences in the order in which they are read.
pub(super) fn sections<'c, 't>(comparison: &'c Comparison<'t>) -> Vec<Section<'c, 't>> {
    let kinds = [
        ("Only in A", DifferenceKind::OnlyInA),
        ("Only in B", DifferenceKind::OnlyInB),
        ("Different actions", DifferenceKind::OtherAction),
        ("Different values", DifferenceKind::OtherValues),
        ("As expected", DifferenceKind::Expected),
    ];
    let of_kind = |kind| comparison.resources.iter().filter(|one| one.kind == kind).collect();
    let resources = kinds.into_iter().map(|(title, kind)| (title, of_kind(kind)));
    let others = [
        ("Outputs", &comparison.outputs),
        ("Actions", &comparison.invocations),
        ("Changed outside", &comparison.drift),
    ];
    let others = others.into_iter().map(|(title, all)| (title, all.iter().collect()));
    resources.chain(others).filter(|(_, all): &Section<'_, '_>| !all.is_empty()).collect()
}

/// A difference between the sources or provider versions of two plans: its sign, its name and a description.
pub(super) struct OriginLine {
    pub(super) sign: char,
    pub(super) name: String,
    pub(super) description: String,
}

/// The sections about what the plans were made from.
pub(super) fn origin_sections(comparison: &Comparison<'_>) -> Vec<(&'static str, Vec<OriginLine>)> {
    let Some(OriginDifferences { sources, providers }) = &comparison.origins else { return Vec::new() };
    let source = |source: &SourceDifference| {
        let (sign, description) = match source.difference {
            SourceDifferenceKind::OnlyInA => ('-', "only in A"),
            SourceDifferenceKind::OnlyInB => ('+', "only in B"),
            SourceDifferenceKind::OtherText => ('!', "another text"),
        };
        OriginLine { sign, name: source.path.clone(), description: description.to_owned() }
    };
    let provider = |ProviderDifference { provider, a, b }: &ProviderDifference| {
        let (sign, description) = match (a, b) {
            (Some(a), Some(b)) => ('!', format!("{a} in A, {b} in B")),
            (Some(a), None) => ('-', format!("{a}, only in A")),
            (None, b) => ('+', format!("{}, only in B", b.as_deref().unwrap_or_default())),
        };
        OriginLine { sign, name: provider.clone(), description }
    };
    let sections = [
        ("Sources", sources.iter().map(source).collect()),
        ("Versions of providers", providers.iter().flatten().map(provider).collect::<Vec<_>>()),
    ];
    sections.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

/// Whether the plans do the same.
pub(super) fn verdict(counts: &ComparisonCounts) -> &'static str {
    match (counts.surprises(), counts.expected) {
        (0, 0) => "Both plans do the same",
        (0, _) => "The plans differ as expected",
        _ => "The plans differ",
    }
}

/// How much differs.
pub(super) fn totals(counts: &ComparisonCounts) -> String {
    let ComparisonCounts { only_in_a, only_in_b, other_action, other_values, incomplete, expected, same } =
        *counts;
    if counts.surprises() + expected == 0 {
        return if same == 0 { "nothing".to_owned() } else { objchange_text::counted(same, "change") };
    }
    let parts = [
        (only_in_a, "only in A"),
        (only_in_b, "only in B"),
        (other_action, "with different actions"),
        (other_values, "with different values"),
        (incomplete, "of the plans is incomplete"),
        (expected, "as expected"),
        (same, "the same"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// The sign of a difference.
pub(super) fn sign(kind: DifferenceKind) -> char {
    match kind {
        DifferenceKind::OnlyInA => '-',
        DifferenceKind::OnlyInB => '+',
        DifferenceKind::OtherAction | DifferenceKind::OtherValues => '!',
        DifferenceKind::Expected => '~',
    }
}

/// The name of what differs, as it is.
pub(super) fn name(difference: &Difference<'_>) -> String {
    let mut name = difference.address.to_string();
    if let Some(key) = difference.b.as_ref().or(difference.a.as_ref()).and_then(|step| step.deposed.as_ref())
    {
        name += &format!(" (deposed object {key})");
    }
    match &difference.a {
        Some(a) if a.address != difference.address => name + &format!(" ({} in A)", a.address),
        _ => name,
    }
}

/// Describes the step of each plan.
pub(super) fn describe(difference: &Difference<'_>) -> String {
    match (&difference.a, &difference.b) {
        (Some(a), Some(b)) => {
            let is_other_provider = a.provider != b.provider;
            let (in_a, in_b) = (describe_step(a, is_other_provider), describe_step(b, is_other_provider));
            // Addresses that are mapped to each other are the same.
            let is_same = difference.kind != DifferenceKind::OtherAction && a.importing == b.importing;
            match (is_same || in_a == in_b, in_a.contains(", ") || in_b.contains(", ")) {
                (true, _) => in_b,
                (false, false) => format!("{in_a} in A, {in_b} in B"),
                (false, true) => format!("{in_a} in A; {in_b} in B"),
            }
        }
        (Some(a), None) => format!("{}, only in A", describe_step(a, false)),
        (None, Some(b)) => format!("{}, only in B", describe_step(b, false)),
        (None, None) => String::new(),
    }
}

/// Describes a step.
fn describe_step(step: &PlannedStep<'_>, with_provider: bool) -> String {
    let mut text = match step.actions {
        StepActions::Invoke => "invoke".to_owned(),
        StepActions::Change(actions) => verb(actions),
    };
    if let Some((resource, event)) = &step.trigger {
        let event = if event.is_empty() { "called from".to_owned() } else { format!("{event} of") };
        text += &format!(" ({event} {resource})");
    }
    if let Some(previous) = &step.previous_address {
        text += &format!(", moved from {previous}");
    }
    if let Some(importing) = &step.importing {
        text += ", imported";
        if let Some(id) = &importing.id {
            text += " from ";
            quote_into(id, &mut text);
        } else if let Some(identity) = &importing.identity {
            text += &format!(" by {identity}");
        }
    }
    if step.is_deferred {
        text += ", left to the next plan";
    }
    if with_provider {
        text += &format!(", by {}", step.provider.as_deref().unwrap_or("a provider that is not named"));
    }
    text
}

fn verb(actions: ResourceActions) -> String {
    let verb = match actions {
        ResourceActions::NoOp => "no change",
        ResourceActions::Create => "create",
        ResourceActions::Read => "read",
        ResourceActions::Update => "update",
        ResourceActions::Delete => "destroy",
        ResourceActions::DeleteThenCreate => "replace",
        ResourceActions::CreateThenDelete => "replace, creating first",
        ResourceActions::Forget => "forget",
        ResourceActions::CreateThenForget => "replace, creating first and keeping the old object",
        ResourceActions::ForgetThenCreate => "replace, keeping the old object",
        ResourceActions::Unknown => "an unknown action",
    };
    verb.to_owned()
}

/// A value that differs, in a line without sign.
pub(super) fn value(difference: &ValueDifference<'_>) -> String {
    let mut line = path(&difference.path);
    if line.is_empty() {
        line.push_str("value");
    }
    line.push_str(match (difference.side, difference.is_identity) {
        (ComparedSide::Before, false) => " (before)",
        (ComparedSide::After, false) => "",
        (ComparedSide::Both, false) => " (before and after)",
        (ComparedSide::Before, true) => " (identity before)",
        (ComparedSide::After, true) => " (identity)",
        (ComparedSide::Both, true) => " (identity before and after)",
    });
    line.push_str(": ");
    if let Some([a, b]) = difference.unpaired {
        return line + &format!("too many elements to pair, {a} only in A and {b} only in B");
    }
    match (&difference.a, &difference.b) {
        (ShownValue::Sensitive, ShownValue::Sensitive) if difference.expected => {
            line += SENSITIVE;
            line += ", known only in B";
        }
        (ShownValue::Sensitive, ShownValue::Sensitive) => {
            line += SENSITIVE;
            line += " differs";
        }
        (a, ShownValue::Absent) => line += &format!("{} only in A", one(a)),
        (ShownValue::Absent, b) => line += &format!("{} only in B", one(b)),
        (ShownValue::String(a), ShownValue::String(b)) => {
            let start = common_start(a, b);
            line += &format!("{} in A, {} in B", excerpt(a, start), excerpt(b, start));
        }
        (a, b) => line += &format!("{} in A, {} in B", one(a), one(b)),
    }
    line
}

/// The path of a value.
fn path(steps: &[ValueStep<'_>]) -> String {
    let mut out = String::new();
    for step in steps {
        match step {
            ValueStep::Name(name) => {
                let shown = identifier_or_quoted(name);
                match shown.starts_with('"') {
                    true => out += &format!("[{shown}]"),
                    false => {
                        out.push_str(if out.is_empty() { "" } else { "." });
                        out.push_str(&shown);
                    }
                }
            }
            ValueStep::Position(position) => out += &format!("[{position}]"),
            ValueStep::Element(members) if members.is_empty() => out.push_str("[*]"),
            ValueStep::Element(members) => {
                out.push('[');
                for (index, (key, value)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { ", " });
                    out.push_str(&format!("{} = ", identifier_or_quoted(key)));
                    write(value, &mut out, usize::MAX);
                }
                out.push(']');
            }
        }
    }
    out
}

/// Formats one value.
fn one(value: &ShownValue<'_>) -> String {
    let mut out = String::new();
    write(value, &mut out, MAX_VALUE);
    out
}

/// Writes a value, and no more than about so many bytes of it.
fn write(value: &ShownValue<'_>, out: &mut String, limit: usize) {
    match value {
        ShownValue::Absent => out.push_str("nothing"),
        ShownValue::Unknown => out.push_str("(known after apply)"),
        ShownValue::Sensitive => out.push_str(SENSITIVE),
        ShownValue::Null => out.push_str("null"),
        ShownValue::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        ShownValue::Number(text) => out.push_str(start(text, MAX_STRING)),
        ShownValue::String(text) => out.push_str(&excerpt(text, 0)),
        ShownValue::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                if out.len() > limit {
                    out.push('…');
                    break;
                }
                write(element, out, limit);
            }
            out.push(']');
        }
        ShownValue::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                if out.len() > limit {
                    out.push('…');
                    break;
                }
                out.push_str(&format!("{} = ", identifier_or_quoted(start(key, MAX_STRING))));
                write(member, out, limit);
            }
            out.push('}');
        }
    }
}

/// The maximum number of characters of a text.
fn start(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// How many bytes two texts have in common, up to whole characters.
fn common_start(a: &str, b: &str) -> usize {
    let pairs = a.char_indices().zip(b.chars());
    let first = pairs.clone().find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    first.unwrap_or_else(|| a.len().min(b.len()))
}

/// Quotes a string. A long one is cut to the part around this byte, with `…` for the rest.
fn excerpt(text: &str, at: usize) -> String {
    let mut out = String::new();
    if text.chars().nth(MAX_STRING).is_none() {
        quote_into(text, &mut out);
        return out;
    }
    let from = text[..at].char_indices().rev().nth(CONTEXT - 1).map_or(0, |(from, _)| from);
    let part = start(&text[from..], MAX_STRING);
    out.push_str(if from > 0 { "…" } else { "" });
    quote_into(part, &mut out);
    out.push_str(if from + part.len() < text.len() { "…" } else { "" });
    out
}

/// The lines of a difference below its first one, each with its sign.
pub(super) fn value_lines<'d>(difference: &'d Difference<'_>) -> impl Iterator<Item = (char, String)> + 'd {
    difference.values.iter().map(|one| {
        let sign = match (&one.a, &one.b) {
            _ if one.expected => '~',
            (ShownValue::Absent, ShownValue::Absent) => '!',
            (ShownValue::Absent, _) => '+',
            (_, ShownValue::Absent) => '-',
            _ => '!',
        };
        (sign, visible(&value(one)).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strings_are_shown_where_they_differ() {
        let (long, other) = ("é".repeat(200) + "x", "é".repeat(200) + "y");
        let at = common_start(&long, &other);
        assert_eq!(at, 400);
        assert_eq!(excerpt(&long, at), format!("…\"{}x\"", "é".repeat(20)));
        assert_eq!(excerpt(&long, 0), format!("\"{}\"…", "é".repeat(100)));
        assert_eq!(common_start("ab", "abc"), 2);
        assert_eq!(excerpt("a\nb", 1), r#""a\nb""#);
    }
}
