//! Translates the syntax of RE2 to that of the `regex` crate.
//!
//! They are nearly equal. In RE2 the classes `\d`, `\s`, `\w` and the boundary `\b` are ASCII; a repetition
//! cannot be repeated; a `{` that begins no repetition is itself; `\Q…\E` quotes; in brackets there are no
//! set operations and no brackets; names of groups may begin with a digit. RE2 refuses syntax that only the
//! crate knows.

use super::{Refusal, classes};

/// A pattern in the other syntax.
#[derive(Debug)]
pub(super) struct Translated {
    /// Without names of groups.
    pub(super) text: String,
    /// The names of the groups.
    pub(super) names: Vec<Option<String>>,
    /// About how many characters it would have with its repetitions written out.
    pub(super) size: usize,
}

/// A piece of a pattern, or all that is in a group.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// The most that something in it is repeated by numbers, those in one another multiplied.
    repeats: u32,
    size: usize,
}

const NOTHING: Piece = Piece { repeats: 1, size: 0 };

/// Go's words for errors.
const ESCAPE: &str = "invalid escape sequence";
const RANGE: &str = "invalid character class range";
const COUNT: &str = "invalid repeat count";

/// Translates a pattern of RE2 to the other syntax.
pub(super) fn translate(pattern: &str) -> Result<Translated, Refusal> {
    let mut translator = Translator {
        pattern,
        at: 0,
        out: String::new(),
        names: Vec::new(),
        last: NOTHING,
        groups: vec![NOTHING],
    };
    // Whether there is something to repeat, and where the repetition right before this place begins.
    let (mut has_operand, mut repetition) = (false, None);
    while let Some(c) = translator.rest().chars().next() {
        let start = translator.at;
        if translator.repetition(has_operand, &mut repetition)? {
            continue;
        }
        repetition = None;
        translator.next();
        has_operand = !matches!(c, '(' | '|');
        match c {
            '(' => translator.group(start)?,
            ')' => translator.end_group()?,
            c => {
                let before = translator.out.len();
                match c {
                    '\\' => translator.escape(start)?,
                    '[' => translator.class(start)?,
                    '{' | '}' | ']' => translator.literal(c),
                    c => translator.out.push(c),
                }
                // A Unicode class is as large as many characters.
                let written = &translator.out[before..];
                let is_class = written.contains("\\p{") || written.contains("\\P{");
                translator.end_piece(Piece { repeats: 1, size: if is_class { 100 } else { 1 } });
            }
        }
    }
    if translator.groups.len() > 1 {
        return translator.wrong("missing closing )", 0);
    }
    let size = translator.groups.first().map_or(0, |all| all.size);
    let Translator { out: text, names, .. } = translator;
    Ok(Translated { text, names, size })
}

struct Translator<'p> {
    pattern: &'p str,
    at: usize,
    out: String,
    names: Vec<Option<String>>,
    last: Piece,
    /// The content of each open group; the first is the content outside of all groups.
    groups: Vec<Piece>,
}

/// How often numbers may repeat a part, also when repetitions are nested.
const MAX_REPETITION: u32 = 1000;

/// The classes of POSIX.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// A class that has a name.
enum NamedClass {
    /// A complete class.
    Whole(String),
    /// It needs brackets around it.
    Inside(&'static str),
}

/// The content of a class's brackets, by the letter of its escape.
fn letter_class(letter: char) -> Option<&'static str> {
    match letter {
        'd' | 'D' => Some("0-9"),
        's' | 'S' => Some("\\t\\n\\f\\r "),
        'w' | 'W' => Some("0-9A-Za-z_"),
        _ => None,
    }
}

impl<'p> Translator<'p> {
    fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        self.at += if found { prefix.len() } else { 0 };
        found
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// The part from a place up to here is wrong.
    fn wrong<T>(&self, code: &'static str, start: usize) -> Result<T, Refusal> {
        Err(Refusal { code, part: self.pattern[start..self.at].to_owned() })
    }

    /// Adds a literal character.
    fn literal(&mut self, c: char) {
        // As a code no character has a meaning for the crate, whose syntax has more of them than RE2.
        self.out.push_str(&format!("\\x{{{:x}}}", u32::from(c)));
    }

    /// Takes `*`, `+`, `?` or `{2,3}`, and the `?` behind it.
    fn repetition(&mut self, has_operand: bool, before: &mut Option<usize>) -> Result<bool, Refusal> {
        let start = self.at;
        let count = match self.rest().chars().next() {
            Some('*' | '+' | '?') => {
                self.at += 1;
                1
            }
            Some('{') => match counted(self.rest()) {
                Some((length, lower, upper)) => {
                    self.at += length;
                    let upper = upper.unwrap_or(lower);
                    if lower > upper || upper > MAX_REPETITION {
                        return self.wrong(COUNT, start);
                    }
                    upper.max(1)
                }
                None => return Ok(false),
            },
            _ => return Ok(false),
        };
        if !has_operand {
            return self.wrong("missing argument to repetition operator", start);
        }
        let end = self.at;
        let is_lazy = self.eat("?");
        if let Some(before) = before.replace(start) {
            return self.wrong("invalid nested repetition operator", before);
        }
        let Piece { repeats, size } = self.last;
        if repeats * count > MAX_REPETITION {
            return Err(Refusal { code: COUNT, part: self.pattern[start..end].to_owned() });
        }
        // The part itself has been counted once already.
        self.end_piece(Piece { repeats: repeats * count, size: size.saturating_mul(count as usize - 1) });
        self.out.push_str(&self.pattern[start..end]);
        if is_lazy {
            self.out.push('?');
        }
        Ok(true)
    }

    fn end_piece(&mut self, piece: Piece) {
        self.last = piece;
        if let Some(around) = self.groups.last_mut() {
            around.repeats = around.repeats.max(piece.repeats);
            around.size = around.size.saturating_add(piece.size);
        }
    }

    /// A group is one piece.
    fn end_group(&mut self) -> Result<(), Refusal> {
        let inside = if self.groups.len() > 1 { self.groups.pop() } else { None };
        let Some(inside) = inside else {
            // Go's error quotes the whole pattern.
            self.at = self.pattern.len();
            return self.wrong("unexpected )", 0);
        };
        self.out.push(')');
        self.end_piece(inside);
        Ok(())
    }

    /// Translates the text behind a backslash outside of brackets.
    fn escape(&mut self, start: usize) -> Result<(), Refusal> {
        if self.eat("Q") {
            let rest = self.rest();
            let (quoted, skipped) =
                rest.find("\\E").map_or((rest, rest.len()), |end| (&rest[..end], end + "\\E".len()));
            quoted.chars().for_each(|c| self.literal(c));
            self.at += skipped;
            return Ok(());
        }
        if let Some(class) = self.named_class(start)? {
            match class {
                NamedClass::Whole(class) => self.out.push_str(&class),
                NamedClass::Inside(class) => self.out.push_str(&format!("[{class}]")),
            }
            return Ok(());
        }
        let boundary = match self.rest().chars().next() {
            Some('b') => "(?-u:\\b)",
            Some('B') => "(?-u:\\B)",
            Some('A') => "\\A",
            Some('z') => "\\z",
            _ => {
                let c = self.escaped(start)?;
                self.literal(c);
                return Ok(());
            }
        };
        self.at += 1;
        self.out.push_str(boundary);
        Ok(())
    }

    /// The class of `\d`, `\pL` and their like, from the letter on.
    fn named_class(&mut self, start: usize) -> Result<Option<NamedClass>, Refusal> {
        let Some(letter) = self.rest().chars().next() else { return Ok(None) };
        if let Some(class) = letter_class(letter) {
            self.at += 1;
            return Ok(Some(match letter.is_ascii_uppercase() {
                true => NamedClass::Whole(format!("[^{class}]")),
                false => NamedClass::Inside(class),
            }));
        }
        match letter {
            'p' | 'P' => {
                self.at += 1;
                self.property(letter == 'P', start).map(|class| Some(NamedClass::Whole(class)))
            }
            _ => Ok(None),
        }
    }

    /// `\pL`, `\p{Greek}`, `\p{^Greek}`, behind the letter.
    fn property(&mut self, mut negated: bool, start: usize) -> Result<String, Refusal> {
        let name = match self.next() {
            Some('{') => {
                let Some((name, _)) = self.rest().split_once('}') else {
                    self.at = self.pattern.len();
                    return self.wrong(RANGE, start);
                };
                self.at += name.len() + 1;
                let plain = name.strip_prefix('^');
                negated ^= plain.is_some();
                plain.unwrap_or(name).to_owned()
            }
            Some(c) => c.to_string(),
            None => return self.wrong(RANGE, start),
        };
        match classes::class(&name, negated) {
            Some(class) => Ok(class),
            None => self.wrong(RANGE, start),
        }
    }

    /// The character of an escape, behind the backslash.
    fn escaped(&mut self, start: usize) -> Result<char, Refusal> {
        let Some(c) = self.next() else {
            return Err(Refusal { code: "trailing backslash at end of expression", part: String::new() });
        };
        let code = match c {
            'a' => 7,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            'x' => self.hexadecimal(start)?,
            '0'..='7' => {
                // A number refers back to a group, which is not supported.
                if c != '0' && !self.rest().starts_with(|c: char| c.is_digit(8)) {
                    return self.wrong(ESCAPE, start);
                }
                let mut code = u32::from(c) - u32::from('0');
                for _ in 0..2 {
                    let Some(digit) = self.rest().chars().next().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    self.at += 1;
                }
                code
            }
            c if c.is_ascii_punctuation() => u32::from(c),
            _ => return self.wrong(ESCAPE, start),
        };
        char::from_u32(code).map_or_else(|| self.wrong(ESCAPE, start), Ok)
    }

    /// `41` or `{41}`.
    fn hexadecimal(&mut self, start: usize) -> Result<u32, Refusal> {
        let in_braces = self.eat("{");
        let (mut code, mut count) = (0, 0);
        loop {
            match self.next().map(|c| (c, c.to_digit(16))) {
                Some((_, Some(digit))) => code = code * 16 + digit,
                Some(('}', _)) if in_braces && count > 0 => return Ok(code),
                _ => return self.wrong(ESCAPE, start),
            }
            count += 1;
            if code > u32::from(char::MAX) {
                return self.wrong(ESCAPE, start);
            }
            if !in_braces && count == 2 {
                return Ok(code);
            }
        }
    }

    /// Translates the text behind an opening parenthesis. Names are kept, and flags must be those of RE2.
    fn group(&mut self, start: usize) -> Result<(), Refusal> {
        if !self.eat("?") {
            self.names.push(None);
            self.open_group("(");
            return Ok(());
        }
        if self.eat("P<") || self.eat("<") {
            let name = self.rest().split_once('>').map(|(name, _)| name);
            self.at += name.map_or(self.rest().len(), |name| name.len() + 1);
            let is_name =
                |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let Some(name) = name.filter(is_name) else {
                return self.wrong("invalid named capture", start);
            };
            self.names.push(Some(name.to_owned()));
            self.open_group("(");
            return Ok(());
        }
        let flags = self.at;
        let (mut is_off, mut has_flag) = (false, false);
        let is_group = loop {
            match self.next() {
                Some('i' | 'm' | 's' | 'U') => has_flag = true,
                Some('-') if !is_off => (is_off, has_flag) = (true, false),
                Some(':') if !is_off || has_flag => break true,
                Some(')') if !is_off || has_flag => break false,
                _ => return self.wrong("invalid or unsupported Perl syntax", start),
            }
        };
        let flags = &self.pattern[flags..self.at - 1];
        if is_group {
            self.open_group(&format!("(?{flags}:"));
        } else if !flags.is_empty() {
            // Empty flags change nothing, and would be an error here.
            self.out.push_str(&format!("(?{flags})"));
        }
        Ok(())
    }

    fn open_group(&mut self, text: &str) {
        self.out.push_str(text);
        self.groups.push(NOTHING);
    }

    /// Translates the text behind an opening bracket, up to the closing one.
    fn class(&mut self, open: usize) -> Result<(), Refusal> {
        self.out.push('[');
        if self.eat("^") {
            self.out.push('^');
        }
        let mut is_first = true;
        // A closing bracket at the first place is a character of the class: `[]a]`.
        while is_first || !self.eat("]") {
            is_first = false;
            let start = self.at;
            if let Some((name, _)) = self.rest().strip_prefix("[:").and_then(|rest| rest.split_once(":]")) {
                self.at += name.len() + "[::]".len();
                if !CLASSES.contains(&name.strip_prefix('^').unwrap_or(name)) {
                    return self.wrong(RANGE, start);
                }
                self.out.push_str(&format!("[:{name}:]"));
                continue;
            }
            if self.eat("\\") {
                match self.named_class(start)? {
                    Some(NamedClass::Whole(class)) => self.out.push_str(&class),
                    Some(NamedClass::Inside(class)) => self.out.push_str(class),
                    None => self.at = start,
                }
                if self.at > start {
                    continue;
                }
            }
            let first = self.class_character(open)?;
            let is_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            let last = if is_range {
                self.at += 1;
                self.class_character(open)?
            } else {
                first
            };
            if last < first {
                return self.wrong(RANGE, start);
            }
            self.literal(first);
            if is_range {
                self.out.push('-');
                self.literal(last);
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn class_character(&mut self, open: usize) -> Result<char, Refusal> {
        let start = self.at;
        match self.next() {
            None => self.wrong("missing closing ]", open),
            Some('\\') => self.escaped(start),
            Some(c) => Ok(c),
        }
    }
}

/// The length and the numbers of a repetition `{2}`, `{2,}` or `{2,3}` at the start of a text.
fn counted(text: &str) -> Option<(usize, u32, Option<u32>)> {
    let (inner, _) = text.strip_prefix('{')?.split_once('}')?;
    let number = |digits: &str| -> Option<u32> {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(u32::MAX))
    };
    let length = inner.len() + 2;
    match inner.split_once(',') {
        None => Some((length, number(inner)?, Some(number(inner)?))),
        Some((lower, "")) => Some((length, number(lower)?, None)),
        Some((lower, upper)) => Some((length, number(lower)?, Some(number(upper)?))),
    }
}
