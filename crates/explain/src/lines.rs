//! Cleans pasted lines: removes colours, boxes, log stamps, and the marks of quotes and diffs.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// A line, cleaned.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The output that the line belongs to, if the text mixes several: the prefix of a tool, without times.
    pub(super) stream: String,
    /// It is in a box.
    pub(super) is_boxed: bool,
    /// It begins with a time.
    pub(super) has_time: bool,
    /// It is indented.
    pub(super) is_indented: bool,
    /// Usually one; several if a box was pasted as one line.
    pub(super) pieces: Vec<Piece>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The upper or lower edge of a box.
    Edge { is_lower: bool },
    /// A line of text, which may be empty.
    Text(String),
    /// The start or end of a code block in Markdown.
    Fence,
}

/// The sides of boxes after their UTF-8 was read as Windows-1252, Latin-1, or code page 437 or 850.
const GARBLED: [(&str, &str); 12] = [
    ("â•·", "╷"),
    ("â”‚", "│"),
    ("â•µ", "╵"),
    ("\u{e2}\u{95}\u{b7}", "╷"),
    ("\u{e2}\u{94}\u{82}", "│"),
    ("\u{e2}\u{95}\u{b5}", "╵"),
    ("Γò╖", "╷"),
    ("Γöé", "│"),
    ("Γò╡", "╵"),
    ("ÔòÀ", "╷"),
    ("Ôöé", "│"),
    ("ÔòÁ", "╵"),
];

// `&amp;` comes last, so that `&amp;lt;` becomes `&lt;` and not `<`.
const ENTITIES: [(&str, &str); 9] = [
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#39;", "'"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&#9474;", "│"),
    ("&#9589;", "╵"),
    ("&#9591;", "╷"),
    ("&amp;", "&"),
];

const EDGES: [char; 2] = ['╷', '╵'];
const SIDE: char = '│';

/// Encloses code in Markdown.
const FENCE: &str = "```";

/// The maximum length of a tool's prefix.
const MAX_PREFIX: usize = 200;

/// The maximum number of prefixes that are tried at a time, and of lines below a heading in which they are looked for.
const MAX_PREFIXES: usize = 16;
const LINES_AHEAD: usize = 8;

/// Times and counters in the prefixes of tools; names have one or two digits.
static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{3,}")
});

/// A time as logs have it.
static TIME_OF_DAY: LazyLock<Regex> = LazyLock::new(|| pattern("[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"));

/// Compiles a pattern of this crate.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// Colours, with the escape character or a remainder of it.
static COLOURS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\x1b|\u{fffd}|␛|\^\[|\\x1b|\\u001b|\\033|\\e)?\[[0-9]{1,3}(?:;[0-9]{1,3})*m|\x1b\[?[0-9;]*[A-Za-z]?",
    )
});

/// A fence may be longer, so that it can enclose others.
static LONG_FENCE: LazyLock<Regex> = LazyLock::new(|| pattern("`{4,}"));

/// The time that logs and build services write, with the number of the line before it.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[ \t]*(?:[0-9]{1,6}[ \t]+)?[\[(]?(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ])?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?[ ]?(?:Z|UTC|[A-Z]{1,4}T|[+-][0-9]{2}:?[0-9]{2})?[\])]?(?:[ \t]|$)",
    )
});

/// Prefixes that tools put before each line: Docker's builds, Compose, GitHub's client, Terragrunt.
static TOOL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:#[0-9]+ [0-9.]+ |[A-Za-z0-9_.-]+ +\| |[^\t]{1,100}\t[^\t]{1,100}\t|[ \t]*(?:(?:STDOUT|STDERR|stdout|stderr|ERROR|WARN|INFO)[ \t]+)?(?:\[[^\]]{1,100}\][ \t]+)?(?:terraform|tofu|terragrunt):(?:[ \t]|$))",
    )
});

/// Marks of quotes and diffs, and ASCII drawings of boxes.
static MARKS: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ \t]*(?:[>+|?¦]+(?:[ \t]+|$))+"));

/// Terraform's progress messages, which come between others.
static PROGRESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[^ ]+: (?:Creating|Creation|Still|Refreshing|Reading|Read complete|Modifying|Modifications|Destroying|Destruction|Provisioning|Importing|Import prepared|Preparing|Drift)|^(?:Releasing|Acquiring) state lock",
    )
});

impl Line {
    pub(super) fn new(line: &str) -> Self {
        let mut text = COLOURS.replace_all(line, "").into_owned();
        for (garbled, right) in GARBLED {
            // Most lines have none of these, and `replace` would copy the line for each.
            if text.contains(garbled) {
                text = text.replace(garbled, right);
            }
        }
        // Web pages have entities for characters, and tags for code.
        if text.contains("&#") || text.contains("&quot;") {
            for (name, letter) in ENTITIES {
                text = text.replace(name, letter);
            }
        }
        if let Cow::Owned(short) = LONG_FENCE.replace_all(&text, FENCE) {
            text = short;
        }
        for tag in ["<pre>", "<code>"] {
            text = text.strip_prefix(tag).map(str::to_owned).unwrap_or(text);
        }
        let Stamps { mut stream, has_time, rest: text } = without_stamps(&text);
        let (text, ends_code) = match text.trim_end().strip_suffix(FENCE) {
            // Both fences may be in one line.
            Some(inside) if inside.contains(FENCE) => {
                (inside.trim_start().strip_prefix(FENCE).unwrap_or(inside), false)
            }
            Some(inside) => (inside, true),
            None => (text, false),
        };
        let text = without_emphasis(text);
        let is_side = |c: char| c == SIDE || EDGES.contains(&c);
        let mut line = match text.find(is_side).filter(|at| *at < MAX_PREFIX) {
            Some(at) if is_prose(&text[..at]) => {
                let text_before = Piece::Text(MARKS.replace(&text[..at], "").trim().to_owned());
                let pieces = std::iter::once(text_before).chain(pieces(&text[at..])).collect();
                Self { stream, is_boxed: false, has_time, is_indented: false, pieces }
            }
            Some(at) => {
                let before = text[..at].trim_matches(|c: char| c.is_whitespace() || "+>|?`".contains(c));
                stream += &CLOCK.replace_all(before, "");
                Self { stream, is_boxed: true, has_time, is_indented: false, pieces: pieces(&text[at..]) }
            }
            None => {
                let inside = MARKS.replace(text, "");
                let is_boxed = text.trim_start().starts_with(['|', '¦', '?']) && inside.len() < text.len();
                let is_indented = inside.starts_with([' ', '\t']);
                let inside = inside.trim();
                let pieces = match inside.strip_prefix(FENCE) {
                    Some(code) if is_language(code) => vec![Piece::Fence],
                    Some(code) => vec![Piece::Fence, Piece::Text(code.trim().to_owned())],
                    None if inside.is_empty() && ends_code => Vec::new(),
                    None => vec![Piece::Text(inside.to_owned())],
                };
                Self { stream, is_boxed, has_time, is_indented, pieces }
            }
        };
        if ends_code {
            line.pieces.push(Piece::Fence);
        }
        line
    }

    /// The text of a line that is in no box.
    fn plain(&self) -> Option<&str> {
        match &self.pieces[..] {
            [Piece::Text(text)] if !self.is_boxed => Some(text),
            _ => None,
        }
    }

    /// Whether the line is only a time.
    pub(super) fn is_time(&self) -> bool {
        self.has_time && self.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Text(text) if text.is_empty()))
    }

    /// The line, if it is a progress message.
    pub(super) fn progress(&self) -> Option<&str> {
        match &self.pieces[..] {
            [Piece::Text(text)] if PROGRESS.is_match(text) => Some(text),
            _ => None,
        }
    }
}

/// A line without Markdown's emphasis marks after its last sentence.
fn without_emphasis(text: &str) -> &str {
    let mut inside = ["**", "*", "_"].iter().filter_map(|mark| text.trim_end().strip_suffix(mark));
    inside.find(|inside| inside.ends_with('.')).unwrap_or(text)
}

/// Whether the text before the side of a box is a sentence rather than the prefix of a tool.
fn is_prose(before: &str) -> bool {
    let before = before.trim();
    let count = before.split_whitespace().count();
    // A title may be cut anywhere. The prefixes of tools have only a few words.
    let is_sentence = (before.ends_with(['.', ',', ':']) && count > 5) || count > 8;
    before.starts_with("# ") || (is_sentence && !TIME_OF_DAY.is_match(before))
}

/// Whether a text can follow a fence: nothing, or the name of a language.
fn is_language(text: &str) -> bool {
    text.len() < 20 && !text.contains(char::is_whitespace) && !text.contains(':')
}

/// A tool's prefix of a line.
struct Prefix {
    text: String,
    /// A space is behind it.
    is_apart: bool,
}

impl Prefix {
    /// The prefix before the heading of a message.
    fn before_heading(text: &str) -> Option<Self> {
        let at = ["Error: ", "Warning: "].iter().filter_map(|word| text.find(word)).min()?;
        let before = &text[..at];
        let text = before.trim_end();
        let is_prefix = !text.is_empty() && text.len() < MAX_PREFIX;
        is_prefix.then(|| Self { text: text.to_owned(), is_apart: text.len() < before.len() })
    }

    /// Splits a line after this prefix. Times and line numbers may differ.
    fn split<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (mut wanted, mut rest) = (self.text.as_str(), text);
        while let Some(letter) = wanted.chars().next() {
            if letter.is_ascii_digit() {
                let count = digits(rest);
                if count == 0 {
                    return None;
                }
                (wanted, rest) = (&wanted[digits(wanted)..], &rest[count..]);
            } else {
                (wanted, rest) = (&wanted[letter.len_utf8()..], rest.strip_prefix(letter)?);
            }
        }
        let goes_on = self.is_apart && !rest.is_empty() && !rest.starts_with([' ', '\t']);
        (!goes_on).then(|| (&text[..text.len() - rest.len()], rest.trim()))
    }
}

/// Removes the prefix that an unknown tool wrote before each line. It is recognized because a heading and the lines
/// below it have equal prefixes.
pub(super) fn without_prefixes(lines: &mut [&mut Line]) {
    let mut known: Vec<Prefix> = Vec::new();
    for at in 0..lines.len() {
        let Some(text) = lines[at].plain() else { continue };
        let is_known = |text: &str| known.iter().any(|prefix| prefix.split(text).is_some());
        if let Some(prefix) = Prefix::before_heading(text).filter(|prefix| !is_known(&prefix.text)) {
            let below = &lines[at + 1..(at + 1 + LINES_AHEAD).min(lines.len())];
            let has_it = |line: &&&mut Line| line.plain().is_some_and(|text| prefix.split(text).is_some());
            let count = below.iter().filter(has_it).count();
            // One line that begins like the heading may do so by chance.
            if count > 0 && count >= below.len().min(2) {
                // The newest prefix is tried first, and the oldest one is forgotten.
                known.truncate(MAX_PREFIXES - 1);
                known.insert(0, prefix);
            }
        }
        let found = known.iter().find_map(|prefix| prefix.split(text));
        let Some((tool, rest)) = found else { continue };
        let stream = format!("{}{}", lines[at].stream, CLOCK.replace_all(tool, ""));
        let pieces = vec![Piece::Text(rest.to_owned())];
        *lines[at] =
            Line { stream, is_boxed: false, has_time: lines[at].has_time, is_indented: false, pieces };
    }
}

/// A line without the prefixes of tools.
struct Stamps<'t> {
    /// The prefixes without times.
    stream: String,
    has_time: bool,
    rest: &'t str,
}

fn without_stamps(line: &str) -> Stamps<'_> {
    let (mut stream, mut has_time, mut rest) = (String::new(), false, line);
    // Services put their prefix before that of the tool.
    for _ in 0..4 {
        if let Some(time) = TIME.find(rest) {
            (has_time, rest) = (true, &rest[time.end()..]);
        } else if let Some(tool) = TOOL.find(rest) {
            if !tool.as_str().starts_with('#') {
                stream += tool.as_str().trim();
            }
            rest = &rest[tool.end()..];
        } else {
            break;
        }
    }
    Stamps { stream, has_time, rest }
}

/// The lines of a text that begins with a side of a box.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = text;
    while let Some(side) = rest.chars().next() {
        let after = &rest[side.len_utf8()..];
        let end = after.find(|c: char| c == SIDE || EDGES.contains(&c)).unwrap_or(after.len());
        let inside = after[..end].trim();
        let is_edge = EDGES.contains(&side);
        if is_edge {
            pieces.push(Piece::Edge { is_lower: side == '╵' });
        }
        // Where boxes are inside of boxes, sides follow each other.
        let is_between = pieces.iter().any(|piece| matches!(piece, Piece::Text(_)));
        if !inside.is_empty() || (!is_edge && (is_between || end == after.len())) {
            pieces.push(Piece::Text(inside.to_owned()));
        }
        rest = &after[end..];
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPPER: Piece = Piece::Edge { is_lower: false };
    const LOWER: Piece = Piece::Edge { is_lower: true };

    fn text(text: &str) -> Piece {
        Piece::Text(text.into())
    }

    #[test]
    fn what_surrounds_a_line_is_taken_off() {
        for (line, stream, inside) in [
            ("│ Error: x", "", "Error: x"),
            ("\u{1b}[31m│\u{1b}[0m \u{1b}[1mError: \u{1b}[0mx", "", "Error: x"),
            ("[31m│[0m [0m[1m[31mError: [0m[0m[1mx[0m", "", "Error: x"),
            ("^[[31m│^[[0m Error: x", "", "Error: x"),
            ("â”‚ Error: x", "", "Error: x"),
            ("Γöé Error: x", "", "Error: x"),
            ("| Error: x", "", "Error: x"),
            ("? Error: x", "", "Error: x"),
            ("> │ Error: x", "", "Error: x"),
            ("+ Error: x", "", "Error: x"),
            ("│ │ Error: x", "", "Error: x"),
            ("2026-01-02 03:04:05.678 CEST Error: x", "", "Error: x"),
            ("Error: ```x```", "", "Error: ```x"),
            ("```Error: x```", "", "Error: x"),
            ("2026-01-02T03:04:05.678Z Error: x", "", "Error: x"),
            ("3774 [23:29:14] Error: x", "", "Error: x"),
            ("[2026-01-02T03:04:05+0100] │ Error: x", "", "Error: x"),
            ("10:00:01.000 STDERR [net] terraform: │ Error: x", "STDERR [net] terraform:", "Error: x"),
            ("#12 3.141 │ Error: x", "", "Error: x"),
            ("terraform_1  | Error: x", "terraform_1  |", "Error: x"),
            ("plan\tRun terraform\t2026-01-02T03:04:05.678Z Error: x", "plan\tRun terraform", "Error: x"),
            ("aws_disk.a[0].tags[\"m\"]: y", "", "aws_disk.a[0].tags[\"m\"]: y"),
            ("", "", ""),
        ] {
            let read = Line::new(line);
            assert_eq!((read.stream.as_str(), &read.pieces[..]), (stream, &[text(inside)][..]), "{line}");
        }
    }

    #[test]
    fn a_box_may_be_one_line() {
        let line = Line::new("╷ │ Error: x │ │ When y │ z. ╵");
        let wanted = [UPPER, text("Error: x"), text(""), text("When y"), text("z."), LOWER];
        assert_eq!(line.pieces, wanted);
        assert_eq!(Line::new("│").pieces, [text("")]);
        assert_eq!(Line::new("╷").pieces, [UPPER]);
    }
}
