//! A walk through a text that knows its line and column.

use objchange_sentinel::Position;

use super::Problem;

/// Where a reader is.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    rest: &'t str,
    at: Position,
    /// How many lists, objects and blocks are open.
    depth: u32,
    /// Whether `$${` stands for `${`, as it does in HCL.
    pub(super) is_hcl: bool,
}

/// What is wrong, and where in the text.
pub(super) type Read<T> = Result<T, Problem>;

/// As deep may values and blocks nest.
const MAX_DEPTH: u32 = 200;

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, is_hcl: bool) -> Self {
        Self { rest: text, at: Position { line: 1, column: 1 }, depth: 0, is_hcl }
    }

    pub(super) fn at(&self) -> Position {
        self.at
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn is_at(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    /// The text up to the end of the line.
    pub(super) fn line(&self) -> &'t str {
        self.rest.split('\n').next().unwrap_or_default()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    /// Goes on behind this text, if it comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_here = self.is_at(text);
        if is_here {
            for _ in text.chars() {
                self.next();
            }
        }
        is_here
    }

    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'t str {
        let from = self.rest;
        while self.peek().is_some_and(&is_wanted) {
            self.next();
        }
        &from[..from.len() - self.rest.len()]
    }

    /// Passes over blanks, newlines and comments.
    pub(super) fn skip(&mut self) -> Read<()> {
        loop {
            self.take_while(char::is_whitespace);
            if self.is_at("#") || self.is_at("//") {
                self.take_while(|c| c != '\n');
            } else if self.is_at("/*") {
                let from = self.at;
                while !self.take("*/") {
                    if self.next().is_none() {
                        return Err(Problem::new(from, "this comment has no end: close it with */"));
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Reads what is within brackets.
    pub(super) fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            return Err(Problem::new(self.at, format!("this nests deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// What an error says that it found here.
    pub(super) fn found(&self) -> String {
        match self.peek() {
            None => "the end of the file".to_owned(),
            Some(c) if is_name(c) => {
                let word = self.line().split(|c| !is_name(c)).next().unwrap_or_default();
                word.chars().take(40).collect()
            }
            Some(c) => c.to_string(),
        }
    }

    pub(super) fn expected(&self, what: &str) -> Problem {
        Problem::new(self.at, format!("expected {what}, found {}", self.found()))
    }
}

/// Whether names of attributes and blocks may have this character.
pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}
