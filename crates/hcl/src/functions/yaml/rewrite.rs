//! Rewrites YAML that Terraform's reader accepts, but the parser used here refuses or reads differently.

/// A difference between the two readers, at the character where the parser notices it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// In brackets, `?` marks a key even without a space after it: `[?a]` is `[? a]`.
    KeyMark,
    /// Tabs between a colon and its value, and between `?` and a key in brackets, are spaces.
    Tabs,
    /// In brackets, `-` alone is a text: `[-]` is `["-"]`.
    Hyphen,
    /// In double quotes, `\'` is `'`. A line may also end with `\` and U+2028 or U+2029, which join it to the next one.
    Escape,
}

impl Difference {
    /// The difference that may have caused an error of the parser.
    pub(super) fn of_error(info: &str) -> Option<Self> {
        match info {
            "':' must be followed by a valid YAML whitespace"
            | "expected whitespace"
            | "tabs disallowed in this context" => Some(Self::Tabs),
            "plain scalar cannot start with '-' followed by ,[]{}" => Some(Self::Hyphen),
            "while parsing a quoted scalar, found unknown escape character" => Some(Self::Escape),
            _ => None,
        }
    }

    /// The text rewritten so that both readers accept it; `None` if Terraform refuses it, too.
    pub(super) fn rewritten(self, text: &str, line: usize, column: usize) -> Option<String> {
        let start = match line.checked_sub(2) {
            Some(before) => text.match_indices('\n').nth(before)?.0 + 1,
            None => 0,
        };
        let at = start + text[start..].char_indices().nth(column)?.0;
        let replaced = |from: usize, to: usize, by: &str| [&text[..from], by, &text[to..]].concat();
        match self {
            Self::KeyMark => text[at..].starts_with('?').then(|| replaced(at + 1, at + 1, " ")),
            Self::Hyphen => {
                let is_alone = text[at..].strip_prefix('-')?.starts_with([',', ']', '}']);
                is_alone.then(|| replaced(at, at + 1, "\"-\""))
            }
            Self::Tabs => {
                // The parser may have read them already.
                let before = text[start..at].trim_end_matches([' ', '\t']);
                let end = at + text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len();
                // If a line begins with the mark, tabs would be indentation.
                let begins_line = before.trim_start_matches([' ', '-', '?', ':']).is_empty();
                (!begins_line && before.ends_with([':', '?']))
                    .then(|| replaced(start + before.len(), end, " "))
            }
            Self::Escape => {
                let quoted = &text[at..];
                let mut is_escaped = false;
                let (from, c) = quoted.char_indices().find(|(_, c)| {
                    let is_it = is_escaped && (*c == '\'' || SEPARATORS.contains(c));
                    is_escaped = *c == '\\' && !is_escaped;
                    is_it
                })?;
                if c == '\'' {
                    return Some(replaced(at + from - 1, at + from, ""));
                }
                let (end, breaks) = folded(&quoted[from + c.len_utf8()..]);
                Some(replaced(at + from - 1, at + from + c.len_utf8() + end, &breaks))
            }
        }
    }
}

const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// The length of the text that is folded into the end of the previous line, and the line breaks that remain of it.
fn folded(text: &str) -> (usize, String) {
    let (mut rest, mut breaks) = (text, String::new());
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        let escape = match rest.chars().next() {
            Some('\n') => r"\n",
            Some('\u{2028}') => r"\L",
            Some('\u{2029}') => r"\P",
            _ => return (text.len() - rest.len(), breaks),
        };
        breaks += escape;
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
}
