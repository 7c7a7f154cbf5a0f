//! Restores Terraform's messages from pasted text, without the line breaks of a narrow terminal.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::lines::{Line, Piece, pattern, without_prefixes};
use super::place::{address_and_path, place, without_label};
use super::plugin_log;
use crate::Clause;

/// A message: the heading after `Error:`, and the paragraphs below it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// The heading; empty if the text begins in the middle of a message.
    pub(super) summary: String,
    /// The address of the resource instance, if the message has a line for it.
    pub(super) address: Option<String>,
    /// The address that Terraform imported to, from a line before.
    pub(super) importing: Option<String>,
    /// The provider, if the log names it.
    pub(super) provider: Option<String>,
    /// The message is in the provider's log.
    pub(super) is_log: bool,
    /// The message is only the title of a text.
    pub(super) is_title: bool,
    /// The text below, each paragraph in one line.
    pub(super) paragraphs: Vec<String>,
}

impl Message {
    fn is_empty(&self) -> bool {
        self.summary.is_empty() && self.paragraphs.is_empty()
    }
}

/// Levels, which identify lines of Terraform's log.
const LEVELS: [&str; 5] = ["[TRACE]", "[DEBUG]", "[INFO]", "[WARN]", "[ERROR]"];

/// Whether a line is one of Terraform's log.
pub(super) fn is_logged(line: &str) -> bool {
    LEVELS.iter().any(|level| line.contains(level))
}

/// The message in a line of Terraform's log, without its level and the step that failed.
pub(super) fn without_log(line: &str) -> &str {
    let Some((_, said)) = line.split_once("] ").filter(|_| is_logged(line)) else { return line };
    said.split_once(", err: ").map_or(said, |(_, said)| said).trim()
}

/// The start of a provider's stack trace.
pub(super) const TRACE: &str = "Stack trace from the ";

/// The stream of Terraform's log, which may come between the lines of its messages.
const LOG: &str = "[log]";

/// The maximum nesting of boxes.
const MAX_CUT: usize = 8;

/// An entry of a text.
enum Entry {
    /// A complete message.
    Message(Message),
    Line(Line),
}

/// The messages of a text.
pub(super) fn messages(text: &str) -> Vec<Message> {
    let mut entries: Vec<Entry> = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        at += 1;
        if let Some((message, count)) = plugin_log::message(&lines[at - 1..]) {
            at += count - 1;
            entries.push(Entry::Message(message));
        } else if let Some(message) = from_json(line) {
            entries.push(Entry::Message(message));
        } else if let Some((tool, inside)) = unpacked(line) {
            entries.extend(inside.lines().map(|line| Entry::Line(Line::new(&format!("{tool}{line}")))));
        } else {
            entries.push(Entry::Line(Line::new(line)));
        }
    }
    let lines = entries.iter_mut().filter_map(|entry| match entry {
        Entry::Line(line) => Some(line),
        Entry::Message(_) => None,
    });
    without_prefixes(&mut lines.collect::<Vec<_>>());
    // Some services write the time in a line of its own above the text.
    let has_lines = |is_it: fn(&Line) -> bool| {
        entries.iter().any(|entry| matches!(entry, Entry::Line(line) if is_it(line)))
    };
    let is_above = has_lines(Line::is_time) && !has_lines(|line| line.has_time && !line.is_time());
    let mut pages = Pages::default();
    for entry in entries {
        match entry {
            Entry::Line(line) if is_above && line.is_time() => {}
            Entry::Message(message) => pages.whole(message),
            Entry::Line(line) => pages.line(line),
        }
    }
    plugin_log::joined(pages.finish())
}

/// The messages so far, and those that are being read: at most one for each output in the text.
#[derive(Default)]
struct Pages {
    /// With which of all it was.
    done: Vec<(usize, Message)>,
    open: Vec<(String, Page)>,
    count: usize,
    /// Messages that were interrupted by another box, each with its output and the number of its box.
    cut: Vec<(String, Page)>,
    /// The output whose box is open.
    in_box: Option<String>,
    after_log: bool,
    /// Whether the line is in a block of code of Markdown.
    is_code: bool,
    /// The object that is being imported.
    importing: Option<String>,
}

impl Pages {
    fn line(&mut self, line: Line) {
        if let Some(progress) = line.progress() {
            if let Some((address, _)) = progress.trim_start_matches('`').split_once(": Importing from ID")
                && address_and_path(address).is_some()
            {
                self.importing = Some(address.to_owned());
            }
            return;
        }
        let stream = self.stream(&line);
        if line.is_boxed && self.in_box.as_ref() != Some(&stream) {
            // The first lines of a box may have lost their left side.
            let begun = |page: &Page| page.is_heading() || !page.paragraph_ended;
            let has_side = matches!(line.pieces.first(), Some(Piece::Edge { is_lower: false }));
            let headless =
                self.open.iter().position(|(page_stream, page)| *page_stream == line.stream && begun(page));
            let headless = headless.filter(|_| !has_side);
            if let Some(at) =
                headless.filter(|_| !self.open.iter().any(|(page_stream, _)| *page_stream == stream))
            {
                self.open[at].0.clone_from(&stream);
            }
        }
        self.in_box = if line.is_boxed { Some(stream.clone()) } else { self.in_box.take() };
        for piece in line.pieces {
            match piece {
                Piece::Edge { is_lower } => {
                    self.edge(&stream, is_lower);
                    self.in_box = None;
                }
                // Code ends the prose before it. A heading may stand before it.
                Piece::Fence => {
                    self.is_code = !self.is_code;
                    let open = std::mem::take(&mut self.open);
                    let (open, ended): (Vec<_>, Vec<_>) =
                        open.into_iter().partition(|(_, page)| page.is_heading() && !page.is_code);
                    self.open = open;
                    for (_, page) in ended {
                        self.keep(page.number, page.message);
                    }
                    self.in_box = None;
                }
                Piece::Text(text) => {
                    if text.is_empty() && !line.is_boxed {
                        self.in_box = None;
                    }
                    self.turn(&stream, &text);
                    self.text(&stream, &text);
                }
            }
        }
    }

    /// The edge of a box. Two runs that print at the same time begin a box inside of another one's.
    fn edge(&mut self, stream: &str, is_lower: bool) {
        let at = self.open.iter().position(|(page_stream, _)| page_stream == stream);
        let is_inside = !is_lower && self.cut.len() < MAX_CUT;
        if let Some(at) = at.filter(|at| is_inside && self.open[*at].1.is_in_sentence()) {
            let cut = self.open.remove(at);
            self.cut.push(cut);
            return;
        }
        // The lower edge belongs to the message that is complete.
        let is_complete = |page: &Page| !page.message.paragraphs.is_empty() && !page.is_in_sentence();
        let other =
            self.cut.iter().rposition(|(page_stream, page)| page_stream == stream && is_complete(page));
        match other.filter(|_| is_lower && at.is_some_and(|at| !is_complete(&self.open[at].1))) {
            Some(other) => {
                let (_, page) = self.cut.remove(other);
                self.keep(page.number, page.message);
            }
            None => {
                self.end(stream);
                // The rest belongs to the other one.
                if is_lower
                    && let Some(other) = self.cut.iter().rposition(|(page_stream, _)| page_stream == stream)
                {
                    let page = self.cut.remove(other);
                    self.open.push(page);
                }
            }
        }
    }

    /// Switches to the message that a line belongs to, where boxes are mixed.
    fn turn(&mut self, stream: &str, text: &str) {
        if self.cut.is_empty() || text.is_empty() {
            return;
        }
        let at = self.open.iter().position(|(page_stream, _)| page_stream == stream);
        let open = at.map(|at| &self.open[at].1);
        let takes_it = if heading(text).is_some() {
            |page: &Page| page.message.is_empty()
        } else if is_sentence_start(text) || located(text).is_some() {
            |page: &Page| !page.message.is_empty() && !page.is_in_sentence()
        } else {
            Page::is_in_sentence
        };
        let goes_on = open.is_some_and(|page| page.paragraph_ended || takes_it(page));
        if goes_on || (open.is_none() && heading(text).is_some()) {
            return;
        }
        let Some(other) =
            self.cut.iter().rposition(|(page_stream, page)| page_stream == stream && takes_it(page))
        else {
            return;
        };
        let page = self.cut.remove(other);
        match at {
            Some(at) => self.cut.push(std::mem::replace(&mut self.open[at], page)),
            None => {
                // The box has begun, and its heading is yet to come.
                self.count += 1;
                let begun = Page { number: self.count, ..Page::default() };
                self.cut.push((stream.to_owned(), begun));
                self.open.push(page);
            }
        }
    }

    /// The output that a line belongs to.
    fn stream(&mut self, line: &Line) -> String {
        let is_log = matches!(&line.pieces[..], [Piece::Text(text)] if is_logged(text));
        let goes_on = self.after_log && line.is_indented && !line.is_boxed;
        self.after_log = is_log || goes_on;
        match &self.in_box {
            _ if self.after_log => LOG.to_owned(),
            // The viewer wraps long lines of a box.
            Some(open) if !line.is_boxed && line.stream.is_empty() => open.clone(),
            _ if line.is_boxed => format!("{}│", line.stream),
            _ => line.stream.clone(),
        }
    }

    fn page(&mut self, stream: &str) -> &mut Page {
        let at = self.open.iter().position(|(page_stream, _)| page_stream == stream).unwrap_or_else(|| {
            self.count += 1;
            let page = Page { number: self.count, is_code: self.is_code, ..Page::default() };
            self.open.push((stream.to_owned(), page));
            self.open.len() - 1
        });
        &mut self.open[at].1
    }

    fn text(&mut self, stream: &str, line: &str) {
        // Reports of an SDK begin like messages.
        let is_reported = |(page_stream, page): &(String, Page)| {
            let last = page.message.paragraphs.last();
            page_stream == stream && last.is_some_and(|last| last.ends_with("to the provider developer:"))
        };
        if let Some(summary) = heading(line).filter(|_| !self.open.iter().any(is_reported)) {
            self.end(stream);
            let importing = self.importing.clone();
            let page = self.page(stream);
            summary.clone_into(&mut page.message.summary);
            page.message.importing = importing;
            // A title is one line.
            page.message.is_title = line.starts_with('#');
            page.in_summary = !page.message.is_title;
            return;
        }
        // A stack trace may belong to another provider than the text above it.
        if line.starts_with(TRACE) {
            self.end(stream);
        }
        self.page(stream).text(line);
    }

    fn end(&mut self, stream: &str) {
        if let Some(at) = self.open.iter().position(|(page_stream, _)| page_stream == stream) {
            let (_, page) = self.open.remove(at);
            self.keep(page.number, page.message);
        }
    }

    fn whole(&mut self, message: Message) {
        self.count += 1;
        let count = self.count;
        self.keep(count, message);
    }

    fn keep(&mut self, number: usize, message: Message) {
        if !message.is_empty() {
            self.done.push((number, message));
        }
    }

    fn finish(mut self) -> Vec<Message> {
        let cut = std::mem::take(&mut self.cut);
        for (_, page) in std::mem::take(&mut self.open).into_iter().chain(cut) {
            self.keep(page.number, page.message);
        }
        // Where outputs are mixed, messages end in another order than they begin.
        self.done.sort_by_key(|(number, _)| *number);
        self.done.into_iter().map(|(_, message)| message).collect()
    }
}

/// A message that is being read.
#[derive(Default)]
pub(super) struct Page {
    number: usize,
    /// It began in a block of code.
    is_code: bool,
    pub(super) message: Message,
    /// The summary continues until the first empty line.
    in_summary: bool,
    paragraph_ended: bool,
}

impl Page {
    /// A message with this heading, and nothing below it yet.
    pub(super) fn from_summary(summary: &str) -> Self {
        let message = Message { summary: summary.to_owned(), ..Message::default() };
        Self { message, in_summary: true, ..Self::default() }
    }

    /// Whether it has a heading and nothing else so far.
    fn is_heading(&self) -> bool {
        !self.message.summary.is_empty() && self.message.paragraphs.is_empty()
    }

    /// Whether it has text that does not end a sentence.
    fn is_in_sentence(&self) -> bool {
        let ends = |text: &String| text.ends_with(['.', ':', '{', ',']);
        !self.paragraph_ended
            && self.message.paragraphs.last().is_some_and(|last| !ends(last) || last.ends_with(','))
    }

    pub(super) fn text(&mut self, line: &str) {
        // The lines below list the values of the expression in the source above.
        if line.is_empty() || line.starts_with('├') {
            (self.in_summary, self.paragraph_ended) = (false, true);
            return;
        }
        if let Some(address) = located(line).or_else(|| declared(line).filter(|_| !self.message.is_title)) {
            self.message.address.get_or_insert(address);
            self.in_summary = false;
        }
        // Each line of a log is one message, and each item of a list one problem.
        let stands_alone = ["- ", "* ", "error: "].iter().any(|start| line.starts_with(start))
            || (line.starts_with('*') && !line.starts_with("**"))
            || is_logged(line)
            || line.starts_with("terraform-provider-")
            || is_trace(line);
        if self.in_summary && !is_sentence_start(line) && !stands_alone {
            self.message.summary.push(' ');
            self.message.summary.push_str(line);
            return;
        }
        self.in_summary = false;
        match self.message.paragraphs.last_mut() {
            Some(paragraph) if !self.paragraph_ended && !stands_alone => {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
            _ => self.message.paragraphs.push(line.to_owned()),
        }
        // The text may follow directly after the place.
        self.paragraph_ended = self.message.paragraphs.last().is_some_and(|last| is_place(last));
    }
}

/// The line of the source below the place: `12: resource "aws_disk" "a" {`.
static SOURCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[0-9]+: "));

/// Whether a paragraph is a complete place in the configuration: `with aws_disk.a,`, `on main.tf line 1, in …:`, and the
/// source line.
pub(super) fn is_place(paragraph: &str) -> bool {
    let is_address =
        paragraph.starts_with("with ") && paragraph.ends_with(',') && located(paragraph).is_some();
    let is_file = paragraph.starts_with("on ") && paragraph.contains(" line ") && paragraph.ends_with(':');
    is_address || is_file || SOURCE.is_match(paragraph)
}

/// Whether a line begins a detail. In issues the detail often follows the summary without an empty line.
pub(super) fn is_sentence_start(line: &str) -> bool {
    const STARTS: [&str; 19] = [
        "When ",
        "Provider ",
        "provider ",
        "After ",
        "While ",
        "The ",
        "Terraform ",
        "OpenTofu ",
        "Call ",
        "Plugin ",
        "with ",
        "on ",
        "This ",
        "An ",
        "Error ",
        "Instance ",
        "Could ",
        "Stack trace ",
        "Received ",
    ];
    // Only a path may be left of the detail.
    STARTS.iter().any(|word| line.starts_with(word)) || line.starts_with('.')
}

/// Whether this is the first line of a plugin's crash report.
fn is_trace(line: &str) -> bool {
    line.starts_with(TRACE) || line.starts_with("panic: ") || line.starts_with("fatal error: ")
}

/// The address in `with aws_disk.a[0],` or in `on main.tf line 1, in resource "aws_disk" "a":`.
fn located(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("with ") {
        let (address, _) = place(rest, &[","])?;
        let address = without_label(address);
        let is_provider = address.starts_with("provider[") || address.contains(".provider[");
        let is_address = address.contains('.') && !address.contains(' ') || address.contains('[');
        return (is_address && !is_provider).then(|| address.to_owned());
    }
    let (_, place) = line.strip_prefix("on ")?.split_once(", in ")?;
    block(place)
}

/// The address in the line of the source below the place: `12: resource "aws_disk" "a" {`.
fn declared(line: &str) -> Option<String> {
    block(SOURCE.find(line).map(|number| line[number.end()..].trim_start())?)
}

/// The address in the header of a block: `resource "aws_disk" "a"`, or in JSON `resource.aws_disk.a:`.
fn block(text: &str) -> Option<String> {
    if let Some(address) = text.strip_prefix("resource.") {
        return Some(address.strip_suffix(':')?.to_owned())
            .filter(|address| address_and_path(address).is_some());
    }
    let (kind, rest) = text.split_once(" \"")?;
    let (ty, rest) = rest.split_once("\" \"")?;
    let (name, _) = rest.split_once('"')?;
    match kind {
        "resource" => Some(format!("{ty}.{name}")),
        "data" | "ephemeral" | "action" | "list" => Some(format!("{kind}.{ty}.{name}")),
        _ => None,
    }
}

/// Reads a line of Terraform's output with `-json`, which has one message per line.
fn from_json(line: &str) -> Option<Message> {
    #[derive(Deserialize)]
    struct Logged {
        diagnostic: Diagnostic,
    }
    #[derive(Deserialize)]
    struct Diagnostic {
        summary: String,
        #[serde(default)]
        detail: String,
        #[serde(default)]
        address: Option<String>,
    }
    let start = line.find('{').filter(|_| line.contains("\"diagnostic\""))?;
    let Logged { diagnostic } = serde_json::from_str(&line[start..]).ok()?;
    // The summary may have several paragraphs.
    let (summary, more) = diagnostic.summary.split_once('\n').unwrap_or((&diagnostic.summary, ""));
    let mut below = Page::from_summary(summary.trim());
    more.lines().chain([""]).chain(diagnostic.detail.lines()).for_each(|line| below.text(line.trim()));
    let Message { summary, address, paragraphs, .. } = below.message;
    let address = diagnostic.address.or(address);
    Some(Message { summary, address, paragraphs, ..Message::default() })
}

/// Terragrunt's lines in the form of logfmt.
static LOGFMT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(?:time=\S+ )?level=[a-z]+ (?:prefix=(\S+) )?(?:tf-?path=\S+ )?msg=(.*?)(?: (?:prefix|tf-?path)=(\S+))*$"#,
    )
});

/// The message inside one log entry, and the name of its log.
fn unpacked(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    if let Some(read) = LOGFMT.captures(line).filter(|_| line.contains("level=")) {
        let part = |at| read.get(at).map(|part| part.as_str());
        let said = part(2)?;
        let origin = part(1).or(part(3)).unwrap_or_default().trim_matches(['[', ']', '"']);
        let tool = if origin.is_empty() || origin.contains(']') {
            String::new()
        } else {
            format!("[{origin}] terraform: ")
        };
        let said = serde_json::from_str::<String>(said).unwrap_or_else(|_| said.to_owned());
        return Some((tool, if said.is_empty() { " ".into() } else { said }));
    }
    // In a JSON log, the text is a member of the entry.
    let is_object = line.starts_with('{') && line.ends_with('}');
    let read = || serde_json::from_str::<BTreeMap<String, serde_json::Value>>(line).ok();
    let names = ["msg", "message", "@message", "log", "text", "textPayload"];
    if let Some(read) = is_object.then(read).flatten()
        && let Some(said) = names.iter().find_map(|name| read.get(*name)?.as_str())
        // A single line is read as it is.
        && said.contains('\n')
    {
        return Some((String::new(), said.to_owned()));
    }
    escaped(line).map(|said| (String::new(), said))
}

/// The lines within this line that a tool joined with `\n`.
fn escaped(line: &str) -> Option<String> {
    const STARTS: [&str; 8] =
        ["Error: ", "When ", "Provider ", "\u{2502}", r"\u2502", "\u{1b}[", r"\u001b[", r"\x1b["];
    let is_start = |(at, _): (usize, &str)| {
        let rest = line[at + 2..].trim_start_matches(r"\n").trim_start();
        STARTS.iter().any(|start| rest.starts_with(start))
    };
    if !line.match_indices(r"\n").any(is_start) {
        return None;
    }
    let (mut lines, mut rest) = (String::new(), line);
    while let Some(at) = rest.find('"') {
        let mut strings = serde_json::Deserializer::from_str(&rest[at..]).into_iter::<String>();
        let Some(Ok(text)) = strings.next() else {
            // In other quotes, or cut off.
            lines +=
                &rest.replace(r"\n", "\n").replace(r"\t", "\t").replace("\\\"", "\"").replace(r"\\", r"\");
            break;
        };
        rest = &rest[at + strings.byte_offset()..];
        if text.contains('\n') {
            lines += &text;
            lines.push('\n');
        }
    }
    if lines.is_empty() {
        lines = line.replace(r"\n", "\n").replace(r"\t", "\t");
    }
    Some(lines)
}

/// The text after `Error:` or `Warning:`, or a line that consists of one of Terraform's headings.
fn heading(line: &str) -> Option<&str> {
    let is_title = line.starts_with('#');
    let line = line.trim_matches(['`', '*', '#', ' ']);
    let behind = ["Error: ", "Warning: ", "Error:** ", "Warning:** ", "Error**: ", "Warning**: "]
        .iter()
        .find_map(|word| {
            // A log, or a tool that runs Terraform, may write a prefix.
            let at = line.find(word)?;
            let before = line[..at].trim_end();
            let is_prefix =
                before.is_empty() || before.ends_with([']', ':', '>', '*']) || !before.contains(' ');
            let behind = line[at + word.len()..].trim();
            is_prefix.then(|| behind.strip_prefix("```").unwrap_or(behind))
        });
    // A title may go on.
    let is_known = |known: &str| match line.strip_prefix(known) {
        Some(rest) => rest.is_empty() || (is_title && rest.starts_with(' ')),
        None => false,
    };
    let mut known = Clause::ALL.iter().filter_map(|clause| clause.terraform_summary());
    let is_of_show = OF_SHOW.iter().any(|begin| line.starts_with(begin));
    behind.or_else(|| (is_of_show || known.any(is_known)).then_some(line))
}

/// The errors of `terraform show -json`, which have no heading.
const OF_SHOW: [&str; 2] = ["Failed to marshal state to json: ", "Failed to marshal plan to json: "];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str, summary: &str, paragraphs: &[&str]) {
        let paragraphs = paragraphs.iter().map(|&paragraph| paragraph.to_owned()).collect();
        assert_eq!(
            messages(text),
            [Message { summary: summary.into(), paragraphs, ..Message::default() }],
            "{text}"
        );
    }

    #[test]
    fn what_surrounds_a_message_is_taken_off() {
        let wanted = ["When applying x: was a.", "This is a bug."];
        for text in [
            "Error: Provider produced y\n\nWhen applying\nx: was a.\n\nThis is a bug.",
            "╷\n│ Error: Provider produced y\n│ \n│ When applying x: was\n│ a.\n│ \n│ This is a bug.\n╵\n",
            "╷ │ Error: Provider produced y │ │ When applying x: was │ a. │ │ This is a bug. ╵",
            "Error: Provider produced y\n│\n│ When applying x: was a.\n│\n│ This is a bug.",
            "\u{1b}[31m│\u{1b}[0m \u{1b}[1mError: \u{1b}[0mProvider produced y\n│\n│ When applying x: was a.\n│\n│ This is a bug.",
            "2026-01-02T03:04:05.678Z Error: Provider produced y\n2026-01-02T03:04:05.678Z \n2026-01-02T03:04:05.678Z When applying x: was a.\n2026-01-02T03:04:05.678Z \n2026-01-02T03:04:05.678Z This is a bug.",
            "Error: Provider produced y\nWhen applying x: was a.\n\nThis is a bug.",
            "10:00:01.000 STDERR [net] terraform: │ Error: Provider produced y\n10:00:01.000 STDERR [net] terraform: │ \n10:00:01.000 STDERR [net] terraform: │ When applying x: was a.\n10:00:01.000 STDERR [net] terraform: │ \n10:00:01.000 STDERR [net] terraform: │ This is a bug.",
            r#"{"@level":"error","diagnostic":{"severity":"error","summary":"Provider produced y","detail":"When applying x: was a.\n\nThis is a bug."}}"#,
            "[net] Error: Provider produced y\n[net] \n[net] When applying x:\n[net] was a.\n[net]\n[net] This is a bug.",
            "Jan 02 03:04:05 host tool[7]: Error: Provider produced y\nJan 02 03:04:06 host tool[7]: \nJan 02 03:04:06 host tool[7]: When applying x: was a.\nJan 02 03:04:06 host tool[7]: \nJan 02 03:04:06 host tool[7]: This is a bug.",
            "```\nError: Provider produced y\n\nWhen applying x: was a.\n\nThis is a bug.```",
            " Error: Provider produced y\n When applying x:\n│ was a.\n│ \n│ This is a bug.",
            r#"failed: {"msg": "\nError: Provider produced y\n\nWhen applying x: was a.\n\nThis is a bug.\n"}"#,
            r"\nError: Provider produced y\n\nWhen applying x: was a.\n\nThis is a bug.\n",
            // Progress, and a line that a terminal wrapped.
            "│ Error: Provider produced y\n│ \n│ When applying x:\naws_disk.a: Still creating... [10s elapsed]\nwas a.\n│ \n│ This is a bug.",
        ] {
            read(text, "Provider produced y", &wanted);
        }
    }

    #[test]
    fn boxes_of_two_outputs_are_told_apart() {
        let lines = |page_stream: &str, name: &str| {
            ["╷", "│ Error: Provider produced y", "│ ", &format!("│ When applying {name}."), "╵"]
                .map(|line| format!("10:00:01.000 STDERR [{page_stream}] terraform: {line}\n"))
        };
        let (one, other) = (lines("one", "a"), lines("other", "b"));
        let mixed: String = one.iter().zip(&other).flat_map(|(one, other)| [one.as_str(), other]).collect();
        let all = messages(&mixed);
        let paragraphs: Vec<&str> = all.iter().map(|message| message.paragraphs[0].as_str()).collect();
        assert_eq!(paragraphs, ["When applying a.", "When applying b."]);
    }

    #[test]
    fn the_place_of_a_message_is_its_address() {
        for (text, address) in [
            (
                "│ Error: x\n│ \n│   with module.a.t_disk.b[\"c, d\"],\n│   on main.tf line 1, in resource \"t_disk\" \"b\":",
                "module.a.t_disk.b[\"c, d\"]",
            ),
            ("Error: x\n\n  on main.tf line 1, in data \"t_disk\" \"b\":\n  1: data", "data.t_disk.b"),
        ] {
            assert_eq!(messages(text)[0].address.as_deref(), Some(address));
        }
    }

    #[test]
    fn a_long_summary_goes_on() {
        read(
            "Error: Provider deferred changes when Terraform did not\nallow deferrals\n\nThe text.",
            "Provider deferred changes when Terraform did not allow deferrals",
            &["The text."],
        );
    }

    #[test]
    fn a_text_without_a_heading_is_a_message() {
        read("When applying x: was a.", "", &["When applying x: was a."]);
    }
}
