//! Text as people paste it, brought back to the messages that Terraform wrote: without boxes, colours, the stamps of logs, and
//! the line breaks of a narrow terminal.

use serde::Deserialize;

/// A message: what stands behind `Error:`, and the paragraphs below it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// What it is headed with; empty where the text begins in the middle of a message.
    pub(super) summary: String,
    /// What is below, each paragraph in one line.
    pub(super) paragraphs: Vec<String>,
}

impl Message {
    fn is_empty(&self) -> bool {
        self.summary.is_empty() && self.paragraphs.is_empty()
    }
}

/// What tells a line of Terraform's log.
const LEVELS: [&str; 5] = ["[TRACE]", "[DEBUG]", "[INFO]", "[WARN]", "[ERROR]"];

/// Whether a line is one of Terraform's log.
pub(super) fn is_logged(line: &str) -> bool {
    LEVELS.iter().any(|level| line.contains(level))
}

/// The messages of a text.
pub(super) fn messages(text: &str) -> Vec<Message> {
    let mut pages = Pages::default();
    for line in text.lines() {
        match told_as_json(line) {
            Some(told) => pages.whole(told),
            None => pages.line(line),
        }
    }
    pages.end_message();
    pages.done
}

#[derive(Default)]
struct Pages {
    done: Vec<Message>,
    message: Message,
    /// The lines of the summary go on until the first empty one.
    in_summary: bool,
    paragraph_ended: bool,
}

impl Pages {
    fn line(&mut self, line: &str) {
        let Some(line) = bare(line) else { return self.end_message() };
        if let Some(summary) = heading(&line) {
            self.end_message();
            summary.clone_into(&mut self.message.summary);
            self.in_summary = true;
            return;
        }
        if line.is_empty() {
            (self.in_summary, self.paragraph_ended) = (false, true);
            return;
        }
        // What a log says is one line a message, and an item of a list one a problem.
        let stands_alone = line.starts_with("- ") || is_logged(&line);
        if self.in_summary && !is_sentence_start(&line) {
            self.message.summary.push(' ');
            self.message.summary.push_str(&line);
            return;
        }
        self.in_summary = false;
        match self.message.paragraphs.last_mut() {
            Some(paragraph) if !self.paragraph_ended && !stands_alone => {
                paragraph.push(' ');
                paragraph.push_str(&line);
            }
            _ => self.message.paragraphs.push(line),
        }
        self.paragraph_ended = false;
    }

    fn whole(&mut self, message: Message) {
        self.end_message();
        self.done.push(message);
    }

    fn end_message(&mut self) {
        (self.in_summary, self.paragraph_ended) = (false, false);
        let message = std::mem::take(&mut self.message);
        if !message.is_empty() {
            self.done.push(message);
        }
    }
}

/// Where the detail follows right below the summary, as in the texts of issues, it begins like this.
fn is_sentence_start(line: &str) -> bool {
    ["When ", "Provider ", "After ", "While ", "The ", "Terraform ", "Call ", "Plugin "]
        .iter()
        .any(|word| line.starts_with(word))
}

/// What Terraform writes with `-json`: a line a message.
fn told_as_json(line: &str) -> Option<Message> {
    #[derive(Deserialize)]
    struct Line {
        diagnostic: Told,
    }
    #[derive(Deserialize)]
    struct Told {
        summary: String,
        #[serde(default)]
        detail: String,
    }
    let start = line.find('{').filter(|_| line.contains("\"diagnostic\""))?;
    let Line { diagnostic } = serde_json::from_str(&line[start..]).ok()?;
    let mut below = Pages::default();
    diagnostic.detail.lines().for_each(|line| below.line(line));
    below.end_message();
    let paragraphs = below.done.into_iter().flat_map(|message| message.paragraphs).collect();
    Some(Message { summary: diagnostic.summary, paragraphs })
}

/// What is behind `Error:` or `Warning:`.
fn heading(line: &str) -> Option<&str> {
    ["Error: ", "Warning: "].iter().find_map(|word| {
        // A log, or a tool around Terraform, may write something before it.
        let at = line.find(word)?;
        let before = line[..at].trim_end();
        let is_prefix = before.is_empty() || before.ends_with([']', ':', '>', '*']) || !before.contains(' ');
        is_prefix.then(|| line[at + word.len()..].trim())
    })
}

/// The line without what surrounds it; `None` where it is the edge of a box.
fn bare(line: &str) -> Option<String> {
    let plain = without_colours(line);
    if plain.contains(['╷', '╵']) {
        return None;
    }
    let inside = match plain.split_once('│') {
        Some((before, inside)) if before.len() < 200 => inside,
        _ => without_stamp(&plain),
    };
    Some(inside.trim().to_owned())
}

/// The stamp that services for builds write before each line: `2026-01-02T03:04:05.6789Z `.
fn without_stamp(line: &str) -> &str {
    let is_stamp = |word: &str| {
        word.len() >= 20 && word.ends_with('Z') && word.as_bytes().get(10) == Some(&b'T') && word.is_ascii()
    };
    match line.trim_start().split_once(' ') {
        Some((word, rest)) if is_stamp(word) => rest,
        _ => line,
    }
}

fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = rest[at + 1..]
            .trim_start_matches('[')
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        // The letter that ends it.
        let mut letters = rest.chars();
        if letters.next().is_some_and(|c| c.is_ascii_alphabetic()) {
            rest = letters.as_str();
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str, summary: &str, paragraphs: &[&str]) {
        let paragraphs = paragraphs.iter().map(|&paragraph| paragraph.to_owned()).collect();
        assert_eq!(messages(text), [Message { summary: summary.into(), paragraphs }]);
    }

    #[test]
    fn what_surrounds_a_message_is_taken_off() {
        let wanted = ["When applying x: was a.", "This is a bug."];
        for text in [
            "Error: Provider produced y\n\nWhen applying\nx: was a.\n\nThis is a bug.",
            "╷\n│ Error: Provider produced y\n│ \n│ When applying x: was\n│ a.\n│ \n│ This is a bug.\n╵\n",
            "\u{1b}[31m│\u{1b}[0m \u{1b}[1mError: \u{1b}[0mProvider produced y\n│\n│ When applying x: was a.\n│\n│ This is a bug.",
            "2026-01-02T03:04:05.678Z Error: Provider produced y\n2026-01-02T03:04:05.678Z \n2026-01-02T03:04:05.678Z When applying x: was a.\n2026-01-02T03:04:05.678Z \n2026-01-02T03:04:05.678Z This is a bug.",
            "Error: Provider produced y\nWhen applying x: was a.\n\nThis is a bug.",
            "10:00:01.000 STDERR [net] terraform: │ Error: Provider produced y\n10:00:01.000 STDERR [net] terraform: │ \n10:00:01.000 STDERR [net] terraform: │ When applying x: was a.\n10:00:01.000 STDERR [net] terraform: │ \n10:00:01.000 STDERR [net] terraform: │ This is a bug.",
            r#"{"@level":"error","diagnostic":{"severity":"error","summary":"Provider produced y","detail":"When applying x: was a.\n\nThis is a bug."}}"#,
        ] {
            read(text, "Provider produced y", &wanted);
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
