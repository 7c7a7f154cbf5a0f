//! Tabs between tokens, which the parser of OPA takes for spaces in other places than ours.

use std::borrow::Cow;

/// The text with spaces for the tabs that are allowed between tokens.
///
/// # Errors
///
/// A tab is where OPA's parser allows none: before a token that may begin a key of a block, or in an indentation.
pub(super) fn with_spaces(text: &str) -> Result<Cow<'_, str>, String> {
    if !text.contains('\t') {
        return Ok(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes().to_vec();
    let mut scanner =
        Scanner { bytes, at: 0, column: 0, line: 1, flow: 0, may_be_key: true, key: None, indents: vec![-1] };
    scanner.scan().map_err(|message| match scanner.line {
        1 => message.to_owned(),
        line => format!("line {line}: {message}"),
    })?;
    Ok(String::from_utf8(scanner.bytes).map_or(Cow::Borrowed(text), Cow::Owned))
}

struct Scanner {
    bytes: Vec<u8>,
    at: usize,
    column: isize,
    line: usize,
    /// How many brackets are open.
    flow: usize,
    /// A token here may begin a key, as far as blocks are concerned.
    may_be_key: bool,
    /// The column of a token that may be a key.
    key: Option<isize>,
    /// The columns of the blocks that are open.
    indents: Vec<isize>,
}

type Scanned<T = ()> = Result<T, &'static str>;

impl Scanner {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn is_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Whether white space, or the end, is at a position.
    fn is_blank(&self, ahead: usize) -> bool {
        self.at + ahead >= self.bytes.len() || matches!(self.byte(ahead), b' ' | b'\t' | b'\n' | b'\r')
    }

    fn next(&mut self) {
        if self.byte(0) == b'\n' {
            self.line += 1;
            self.column = 0;
        } else {
            self.column += 1;
        }
        self.at += 1;
    }

    fn skip_line(&mut self) {
        while !self.is_end() && self.byte(0) != b'\n' {
            self.next();
        }
    }

    fn indent(&self) -> isize {
        self.indents.last().copied().unwrap_or(-1)
    }

    fn open(&mut self, column: isize) {
        if self.flow == 0 && column > self.indent() {
            self.indents.push(column);
        }
    }

    fn scan(&mut self) -> Scanned {
        loop {
            self.skip_space()?;
            if self.is_end() {
                return Ok(());
            }
            if self.flow == 0 {
                while self.column < self.indent() {
                    self.indents.pop();
                }
            }
            self.token()?;
        }
    }

    fn skip_space(&mut self) -> Scanned {
        loop {
            match self.byte(0) {
                b' ' | b'\r' => {}
                b'\t' if self.flow > 0 || !self.may_be_key => self.bytes[self.at] = b' ',
                b'\t' => return Err("found character that cannot start any token"),
                b'\n' => {
                    if self.flow == 0 {
                        self.may_be_key = true;
                        self.key = None;
                    }
                }
                b'#' if self.at == 0 || matches!(self.bytes[self.at - 1], b' ' | b'\t' | b'\n') => {
                    self.skip_line();
                    continue;
                }
                _ => return Ok(()),
            }
            self.next();
        }
    }

    fn is_document_mark(&self) -> bool {
        let mark = self.bytes.get(self.at..self.at + 3);
        self.column == 0 && (mark == Some(b"---") || mark == Some(b"...")) && self.is_blank(3)
    }

    fn token(&mut self) -> Scanned {
        let column = self.column;
        if self.is_document_mark() {
            (0..3).for_each(|_| self.next());
            self.indents.truncate(1);
            (self.may_be_key, self.key) = (false, None);
            return Ok(());
        }
        match self.byte(0) {
            b'%' if column == 0 => self.skip_line(),
            b'[' | b'{' => {
                self.note_key();
                self.flow += 1;
                self.may_be_key = true;
                self.next();
            }
            b']' | b'}' if self.flow > 0 => {
                self.flow -= 1;
                self.may_be_key = false;
                self.next();
            }
            b',' if self.flow > 0 => {
                self.may_be_key = true;
                self.next();
            }
            b'-' if self.flow == 0 && self.is_blank(1) => {
                self.open(column);
                (self.may_be_key, self.key) = (true, None);
                self.next();
            }
            b'?' if self.flow > 0 || self.is_blank(1) => {
                self.open(column);
                (self.may_be_key, self.key) = (self.flow == 0, None);
                self.next();
            }
            b':' if self.flow > 0 || self.is_blank(1) => {
                self.open(self.key.unwrap_or(column));
                self.may_be_key = self.flow == 0 && self.key.is_none();
                self.key = None;
                self.next();
            }
            b'&' | b'*' | b'!' => {
                self.note_key();
                let ends = |scanner: &Self| {
                    scanner.is_blank(0) || (scanner.flow > 0 && matches!(scanner.byte(0), b',' | b']' | b'}'))
                };
                while !ends(self) {
                    self.next();
                }
                self.may_be_key = false;
            }
            b'|' | b'>' if self.flow == 0 => self.block()?,
            quote @ (b'"' | b'\'') => self.quoted(quote),
            _ => self.plain()?,
        }
        Ok(())
    }

    fn note_key(&mut self) {
        if self.may_be_key && self.flow == 0 {
            self.key = Some(self.column);
        }
    }

    fn quoted(&mut self, quote: u8) {
        self.note_key();
        let line = self.line;
        self.next();
        while !self.is_end() {
            match self.byte(0) {
                b'\\' if quote == b'"' => self.next(),
                b'\'' if quote == b'\'' && self.byte(1) == b'\'' => self.next(),
                end if end == quote => {
                    self.next();
                    break;
                }
                _ => {}
            }
            self.next();
        }
        self.may_be_key = false;
        if self.line != line {
            self.key = None;
        }
    }

    fn plain(&mut self) -> Scanned {
        self.note_key();
        self.may_be_key = false;
        let indent = self.indent() + 1;
        let mut is_after_break = false;
        loop {
            if self.is_document_mark() {
                break;
            }
            let begin = self.at;
            while !self.is_blank(0) {
                let c = self.byte(0);
                let ends_key = c == b':'
                    && (self.is_blank(1)
                        || (self.flow > 0 && matches!(self.byte(1), b',' | b'[' | b']' | b'{' | b'}')));
                if ends_key || (self.flow > 0 && matches!(c, b',' | b'[' | b']' | b'{' | b'}')) {
                    break;
                }
                self.next();
                is_after_break = false;
            }
            if self.at == begin && !self.is_blank(0) || self.is_end() || !self.is_blank(0) {
                // A character that begins no token and no text must not stop the scan.
                if self.at == begin {
                    self.next();
                }
                break;
            }
            while !self.is_end() && self.is_blank(0) {
                match self.byte(0) {
                    b'\t' if is_after_break && self.column < indent => {
                        return Err("found a tab character that violates indentation");
                    }
                    b'\n' => is_after_break = true,
                    _ => {}
                }
                self.next();
            }
            if self.byte(0) == b'#' || (self.flow == 0 && self.column < indent) || self.is_end() {
                break;
            }
        }
        if is_after_break && self.flow == 0 {
            (self.may_be_key, self.key) = (true, None);
        }
        Ok(())
    }

    fn block(&mut self) -> Scanned {
        let mut indent = 0;
        while !self.is_end() && self.byte(0) != b'\n' {
            if self.byte(0).is_ascii_digit() && indent == 0 {
                indent = isize::from(self.byte(0) - b'0') + self.indent().max(0);
            }
            if self.byte(0) == b'#' {
                self.skip_line();
                break;
            }
            self.next();
        }
        self.next();
        let mut most = 0;
        loop {
            while (indent == 0 || self.column < indent) && self.byte(0) == b' ' {
                self.next();
            }
            most = most.max(self.column);
            match self.byte(0) {
                b'\t' if indent == 0 || self.column < indent => {
                    return Err("found a tab character where an indentation space is expected");
                }
                b'\n' => {
                    self.next();
                    continue;
                }
                _ => {}
            }
            if indent == 0 {
                indent = most.max(self.indent() + 1).max(1);
            }
            if self.is_end() || self.column != indent {
                break;
            }
            self.skip_line();
            self.next();
        }
        (self.may_be_key, self.key) = (true, None);
        Ok(())
    }
}
