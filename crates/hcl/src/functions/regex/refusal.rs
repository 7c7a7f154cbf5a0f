//! What Go says of a text that is not a pattern.

/// What is wrong, and the part of the pattern that is.
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) part: String,
}

const ESCAPE: &str = "invalid escape sequence";
const RANGE: &str = "invalid character class range";

/// What is wrong with a pattern that was refused; `None` if Go may take it.
pub(super) fn refusal(pattern: &str) -> Option<Refusal> {
    let mut reader = Reader { pattern, at: 0, groups: 0, property: None, counted: None };
    match reader.read() {
        Err(refusal) => Some(refusal),
        // Nothing else is wrong, so it is the name of a class that is not known, or repetitions in one another.
        Ok(()) => reader
            .property
            .map(|part| Refusal { code: RANGE, part })
            .or(reader.counted.map(|part| Refusal { code: "invalid repeat count", part })),
    }
}

struct Reader<'p> {
    pattern: &'p str,
    at: usize,
    groups: usize,
    /// The first class of Unicode that is named.
    property: Option<String>,
    /// The last repetition by numbers.
    counted: Option<String>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.pattern[self.at..]
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        self.at += if found { prefix.len() } else { 0 };
        found
    }

    /// The part from a place up to here is wrong.
    fn wrong<T>(&self, code: &'static str, start: usize) -> Result<T, Refusal> {
        Err(Refusal { code, part: self.pattern[start..self.at].to_owned() })
    }

    fn read(&mut self) -> Result<(), Refusal> {
        // Whether there is something to repeat, and where the repetition right before this place begins.
        let (mut has_operand, mut repetition) = (false, None);
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            if self.repetition()? {
                if !has_operand {
                    return self.wrong("missing argument to repetition operator", start);
                }
                self.eat("?");
                if let Some(before) = repetition.replace(start) {
                    return self.wrong("invalid nested repetition operator", before);
                }
                continue;
            }
            repetition = None;
            self.next();
            has_operand = match c {
                '(' => {
                    self.group(start)?;
                    false
                }
                '|' => false,
                ')' if self.groups == 0 => {
                    self.at = self.pattern.len();
                    return self.wrong("unexpected )", 0);
                }
                ')' => {
                    self.groups -= 1;
                    true
                }
                '[' => {
                    self.class(start)?;
                    true
                }
                '\\' => {
                    self.escape(start)?;
                    true
                }
                _ => true,
            };
        }
        if self.groups > 0 { self.wrong("missing closing )", 0) } else { Ok(()) }
    }

    /// Takes `*`, `+`, `?` or `{2,3}`.
    fn repetition(&mut self) -> Result<bool, Refusal> {
        if self.rest().starts_with(['*', '+', '?']) {
            self.at += 1;
            return Ok(true);
        }
        let Some((inner, _)) = self.rest().strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            return Ok(false);
        };
        let (lower, upper) = inner.split_once(',').unwrap_or((inner, inner));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(lower) || !(upper.is_empty() || is_number(upper)) {
            return Ok(false);
        }
        let number = |digits: &str| digits.parse().unwrap_or(u32::MAX);
        let (least, most) = (number(lower), if upper.is_empty() { number(lower) } else { number(upper) });
        let (start, length) = (self.at, inner.len() + 2);
        self.at += length;
        if least > most || most > 1000 {
            return self.wrong("invalid repeat count", start);
        }
        self.counted = Some(self.pattern[start..self.at].to_owned());
        Ok(true)
    }

    /// What follows an opening parenthesis.
    fn group(&mut self, start: usize) -> Result<(), Refusal> {
        if !self.eat("?") {
            self.groups += 1;
            return Ok(());
        }
        if self.eat("P<") || self.eat("<") {
            let name = self.rest().split_once('>').map(|(name, _)| name.to_owned());
            self.at += name.as_ref().map_or(self.rest().len(), |name| name.len() + 1);
            let is_name = |name: &String| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            if !name.as_ref().is_some_and(is_name) {
                return self.wrong("invalid named capture", start);
            }
            self.groups += 1;
            return Ok(());
        }
        let (mut is_off, mut has_flag) = (false, false);
        loop {
            match self.next() {
                Some('i' | 'm' | 's' | 'U') => has_flag = true,
                Some('-') if !is_off => (is_off, has_flag) = (true, false),
                Some(':') if !is_off || has_flag => {
                    self.groups += 1;
                    return Ok(());
                }
                Some(')') if !is_off || has_flag => return Ok(()),
                _ => return self.wrong("invalid or unsupported Perl syntax", start),
            }
        }
    }

    /// What follows a backslash outside of brackets.
    fn escape(&mut self, start: usize) -> Result<(), Refusal> {
        if self.eat("Q") {
            let rest = self.rest();
            self.at += rest.find("\\E").map_or(rest.len(), |end| end + 2);
            return Ok(());
        }
        match self.rest().chars().next() {
            Some('A' | 'b' | 'B' | 'z') => {
                self.at += 1;
                Ok(())
            }
            _ => self.letter_class(start).unwrap_or_else(|| self.escaped(start).map(|_| ())),
        }
    }

    /// `\d`, `\pL` and the like, from the letter on, if it is one of them.
    fn letter_class(&mut self, start: usize) -> Option<Result<(), Refusal>> {
        match self.rest().chars().next()? {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => self.at += 1,
            'p' | 'P' => {
                self.at += 1;
                match self.next() {
                    Some('{') => match self.rest().find('}') {
                        Some(end) => self.at += end + 1,
                        None => {
                            self.at = self.pattern.len();
                            return Some(self.wrong(RANGE, start));
                        }
                    },
                    Some(_) => {}
                    None => return Some(self.wrong(RANGE, start)),
                }
                self.property.get_or_insert(self.pattern[start..self.at].to_owned());
            }
            _ => return None,
        }
        Some(Ok(()))
    }

    /// The character that an escape means. Reads from after the backslash.
    fn escaped(&mut self, start: usize) -> Result<char, Refusal> {
        let Some(c) = self.next() else {
            return Err(Refusal { code: "trailing backslash at end of expression", part: String::new() });
        };
        let code = match c {
            '0'..='7' => {
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
            'x' => self.hexadecimal(start)?,
            'a' => 7,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
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

    /// What follows an opening bracket, up to the closing one.
    fn class(&mut self, open: usize) -> Result<(), Refusal> {
        self.eat("^");
        let mut is_first = true;
        while is_first || !self.eat("]") {
            is_first = false;
            let start = self.at;
            if let Some((name, _)) = self.rest().strip_prefix("[:").and_then(|rest| rest.split_once(":]")) {
                let is_known = CLASSES.contains(&name.strip_prefix('^').unwrap_or(name));
                self.at += name.len() + 4;
                if !is_known {
                    return self.wrong(RANGE, start);
                }
                continue;
            }
            if self.eat("\\") {
                match self.letter_class(start) {
                    Some(found) => {
                        found?;
                        continue;
                    }
                    None => self.at = start,
                }
            }
            let first = self.class_character(open)?;
            if self.rest().starts_with('-') && !self.rest().starts_with("-]") {
                self.at += 1;
                if self.class_character(open)? < first {
                    return self.wrong(RANGE, start);
                }
            }
        }
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

/// The classes of POSIX.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];
