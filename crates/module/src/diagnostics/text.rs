//! Errors and warnings as Terraform prints them without colour.

use std::collections::HashMap;
use std::fmt::Write;

use objchange_text::{visible, visible_lines};

use super::printer::{Message, is_described};
use super::{Comparison, DiagnosticPrinter, Diagnostics, Severity};

/// The summary of an assertion of a `check` block that does not hold.
pub(crate) const ASSERT_FAILED: &str = "Check block assertion failed";
/// The summary of an assertion that is unknown until apply.
pub(crate) const ASSERT_UNKNOWN: &str = "Check block assertion known after apply";

/// The maximum length of a line of a detail: Terraform has 78 columns without a terminal, and leaves the last one free.
const WIDTH: usize = 77;

/// Summaries that are repeated for each assertion instead of being grouped.
const OF_CHECKS: [&str; 2] = [ASSERT_FAILED, ASSERT_UNKNOWN];

impl DiagnosticPrinter<'_> {
    /// All of them as `terraform plan` prints them: an empty line before each.
    ///
    /// Warnings with the same summary are shown once, with the number of the others, as Terraform does; those of `check`
    /// blocks and those without a place are all shown.
    pub fn text(&self, diagnostics: &Diagnostics) -> String {
        self.texts(diagnostics).into_iter().map(|(_, text)| text).collect()
    }

    /// Formats each diagnostic, with its severity.
    pub(crate) fn texts(&self, diagnostics: &Diagnostics) -> Vec<(Severity, String)> {
        self.texts_of_width(diagnostics, WIDTH)
    }

    /// Formats each diagnostic with lines of at most this width.
    pub(crate) fn texts_of_width(&self, diagnostics: &Diagnostics, width: usize) -> Vec<(Severity, String)> {
        let mut texts = Vec::new();
        let messages = self.messages(diagnostics);
        let grouped = |message: &Message<'_>| {
            let summary = message.diagnostic.summary.to_string();
            let is_grouped = message.severity == Severity::Warning
                && message.place.is_some()
                && !OF_CHECKS.contains(&&*summary);
            is_grouped.then_some(summary)
        };
        let mut others: HashMap<String, usize> = HashMap::new();
        for summary in messages.iter().filter_map(grouped) {
            *others.entry(summary).or_default() += 1;
        }
        for message in &messages {
            let more = match grouped(message).map(|summary| others.remove(&summary)) {
                // The first of them was shown.
                Some(None) => continue,
                Some(Some(count)) => count - 1,
                None => 0,
            };
            let mut out = String::new();
            write(message, width, &mut out);
            match more {
                0 => {}
                1 => out.push_str("\n(and one more similar warning elsewhere)\n"),
                n => {
                    let _ = writeln!(out, "\n(and {n} more similar warnings elsewhere)");
                }
            }
            texts.push((message.severity, out));
        }
        texts
    }
}

// Writing to a string does not fail.
fn write(message: &Message<'_>, width: usize, out: &mut String) {
    let word = match message.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    // The names of a cycle are lines.
    let _ = write!(out, "\n{word}: {}\n\n", visible_lines(&message.diagnostic.summary));
    if let Some(address) = message.address {
        let end = if message.place.is_some() { "," } else { "" };
        let _ = writeln!(out, "  with {}{end}", visible(address));
    }
    if let Some(place) = &message.place {
        let _ = write!(out, "  on {} line {}", visible(&place.file), place.start.line);
        if let Some(context) = place.snippet.as_ref().and_then(|snippet| snippet.context.as_ref()) {
            let _ = write!(out, ", in {}", visible(context));
        }
        out.push_str(":\n");
        if place.snippet.is_none() {
            out.push_str("  (source code not available)\n");
        }
    }
    if let Some(snippet) = message.place.as_ref().and_then(|place| place.snippet.as_ref()) {
        for (i, line) in snippet.source.text.split('\n').enumerate() {
            let _ = writeln!(out, "{:4}: {}", snippet.first_line as usize + i, visible_line(line));
        }
        let called = message.called().filter(|called| is_described(called));
        let called = called.map(|called| format!("while calling {called}"));
        let values = &message.diagnostic.values;
        let values = values.iter().map(|(name, statement)| format!("{name} {statement}"));
        let values: Vec<String> = called.into_iter().chain(values).collect();
        if !values.is_empty() || message.comparison.is_some() {
            out.push_str("    ├────────────────\n");
        }
        if let Some(comparison) = message.comparison {
            write_comparison(comparison, out);
        }
        if message.comparison.is_none_or(|comparison| comparison.is_verbose) {
            for value in values {
                for (i, line) in value.split('\n').enumerate() {
                    let indent = if i == 0 { "" } else { "  " };
                    let _ = writeln!(out, "    │ {indent}{}", visible(line));
                }
            }
        }
    }
    if message.place.is_some() || message.address.is_some() {
        out.push('\n');
    }
    if !message.diagnostic.detail.is_empty() {
        for line in message.diagnostic.detail.split('\n') {
            wrap_at(line, width, out);
        }
    }
}

/// Both sides of an assertion that does not hold, where they differ.
fn write_comparison(comparison: &Comparison, out: &mut String) {
    if comparison.is_verbose {
        for (name, side) in [("LHS", &comparison.left), ("RHS", &comparison.right)] {
            let _ = writeln!(out, "    │ {name}:");
            for line in side.split('\n') {
                let _ = writeln!(out, "    │   {}", visible(line));
            }
        }
    }
    if let Some(warning) = comparison.warning() {
        let _ = writeln!(out, "    │ Warning: {warning}");
    }
    let lines = comparison.lines();
    if !lines.is_empty() {
        out.push_str("    │ Diff:\n    │ --- actual\n    │ +++ expected\n");
        for line in lines {
            let _ = writeln!(out, "    │ {}", visible(&line));
        }
    }
    out.push('\n');
}

/// Makes control characters visible, except tabs.
fn visible_line(line: &str) -> String {
    line.split('\t').map(visible).collect::<Vec<_>>().join("\t")
}

/// A line of a detail, on several lines where it is long. One that begins with a blank is left as it is.
pub(crate) fn wrap(line: &str, out: &mut String) {
    wrap_at(line, WIDTH, out);
}

fn wrap_at(line: &str, most: usize, out: &mut String) {
    if line.starts_with(' ') {
        let _ = writeln!(out, "{}", visible(line));
        return;
    }
    let mut width = 0;
    for word in line.split(' ') {
        let word = visible(word);
        let length = word.chars().count();
        if width > 0 && width + 1 + length > most {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(&word);
        width += length;
    }
    out.push('\n');
}
