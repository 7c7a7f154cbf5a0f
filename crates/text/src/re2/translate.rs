//! From the syntax of RE2 to that of the `regex` crate.
//!
//! They are nearly the same. In RE2 the classes `\d`, `\s`, `\w` and the boundary `\b` are of ASCII; a repetition
//! cannot be repeated; a `{` that begins none is itself; `\Q…\E` quotes; in brackets there are no set operations
//! and no brackets; names of groups may begin with a digit. And RE2 refuses what only the crate knows.

type Problem = &'static str;

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

/// The pattern in the other syntax.
pub(super) fn translate(pattern: &str) -> Result<Translated, Problem> {
    let mut translator = Translator {
        rest: pattern,
        out: String::new(),
        names: Vec::new(),
        last: NOTHING,
        groups: vec![NOTHING],
    };
    let mut after_repetition = false;
    while let Some(c) = translator.rest.chars().next() {
        let is_repetition = translator.repetition(after_repetition)?;
        if !is_repetition {
            translator.rest = &translator.rest[c.len_utf8()..];
            match c {
                '(' => translator.group()?,
                ')' => translator.end_group(),
                c => {
                    let before = translator.out.len();
                    match c {
                        '\\' => translator.escape()?,
                        '[' => translator.class()?,
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
        after_repetition = is_repetition;
    }
    let size = translator.groups.first().map_or(0, |all| all.size);
    Ok(Translated { text: translator.out, names: translator.names, size })
}

struct Translator<'p> {
    rest: &'p str,
    out: String,
    names: Vec<Option<String>>,
    last: Piece,
    /// What is in each group that is open, first what is outside of them.
    groups: Vec<Piece>,
}

/// How often something may be repeated by numbers, also by several in one another.
const MAX_REPETITION: u32 = 1000;

/// The classes of POSIX.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// The inside of the brackets of a class that a letter stands for.
fn letter_class(letter: char) -> Option<&'static str> {
    match letter {
        'd' | 'D' => Some("0-9"),
        's' | 'S' => Some("\\t\\n\\f\\r "),
        'w' | 'W' => Some("0-9A-Za-z_"),
        _ => None,
    }
}

impl Translator<'_> {
    fn eat(&mut self, prefix: &str) -> bool {
        let after = self.rest.strip_prefix(prefix);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// A character that stands for itself.
    fn literal(&mut self, c: char) {
        self.out.push_str(&format!("\\x{{{:x}}}", u32::from(c)));
    }

    /// Takes `*`, `+`, `?` or `{2,3}`, and the `?` behind it.
    fn repetition(&mut self, after_repetition: bool) -> Result<bool, Problem> {
        let (length, count) = match self.rest.chars().next() {
            Some('*' | '+' | '?') => (1, 1),
            Some('{') => match counted(self.rest) {
                Some((length, lower, upper)) => {
                    let upper = upper.unwrap_or(lower);
                    if lower > upper || upper > MAX_REPETITION {
                        return Err("the pattern has a repetition of more than 1000, or from more to less");
                    }
                    (length, upper.max(1))
                }
                None => return Ok(false),
            },
            _ => return Ok(false),
        };
        if after_repetition {
            return Err("the pattern has a repetition of a repetition");
        }
        let Piece { repeats, size } = self.last;
        if repeats * count > MAX_REPETITION {
            return Err("the pattern has repetitions in one another that come to more than 1000");
        }
        // Once it has been counted already.
        self.end_piece(Piece { repeats: repeats * count, size: size.saturating_mul(count as usize - 1) });
        self.out.push_str(&self.rest[..length]);
        self.rest = &self.rest[length..];
        if self.eat("?") {
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
    fn end_group(&mut self) {
        self.out.push(')');
        let inside = if self.groups.len() > 1 { self.groups.pop() } else { None };
        self.end_piece(inside.unwrap_or(NOTHING));
    }

    fn escape(&mut self) -> Result<(), Problem> {
        if self.eat("Q") {
            let (quoted, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
            quoted.chars().for_each(|c| self.literal(c));
            self.rest = rest;
            return Ok(());
        }
        let letter = self.rest.chars().next().ok_or("the pattern ends with a backslash")?;
        if let Some(class) = letter_class(letter) {
            let not = if letter.is_ascii_uppercase() { "^" } else { "" };
            self.out.push_str(&format!("[{not}{class}]"));
        } else {
            match letter {
                'b' => self.out.push_str("(?-u:\\b)"),
                'B' => self.out.push_str("(?-u:\\B)"),
                'A' => self.out.push_str("\\A"),
                'z' => self.out.push_str("\\z"),
                'p' | 'P' => {
                    self.next();
                    return self.property(letter == 'P');
                }
                _ => {
                    let c = self.escaped()?;
                    self.literal(c);
                    return Ok(());
                }
            }
        }
        self.next();
        Ok(())
    }

    /// `\pL`, `\p{Greek}`, `\p{^Greek}`, behind the letter.
    fn property(&mut self, mut negated: bool) -> Result<(), Problem> {
        let problem = "the pattern has a \\p without the name of a Unicode class";
        let name = match self.next().ok_or(problem)? {
            '{' => {
                let (name, rest) = self.rest.split_once('}').ok_or(problem)?;
                self.rest = rest;
                let plain = name.strip_prefix('^');
                negated ^= plain.is_some();
                plain.unwrap_or(name).to_owned()
            }
            c => c.to_string(),
        };
        if name == "Any" {
            self.out.push_str(if negated { "[^\\s\\S]" } else { "[\\s\\S]" });
            return Ok(());
        }
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(problem);
        }
        self.out.push_str(&format!("\\{}{{{name}}}", if negated { 'P' } else { 'p' }));
        Ok(())
    }

    /// The character that an escape stands for, behind the backslash.
    fn escaped(&mut self) -> Result<char, Problem> {
        let problem = "the pattern has an escape \\ that means nothing";
        let c = self.next().ok_or("the pattern ends with a backslash")?;
        let code = match c {
            'a' => 7,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            'x' => {
                let digits = match self.eat("{") {
                    true => {
                        let (digits, rest) = self.rest.split_once('}').ok_or(problem)?;
                        self.rest = rest;
                        digits
                    }
                    false => {
                        let digits = self.rest.get(..2).ok_or(problem)?;
                        self.rest = &self.rest[2..];
                        digits
                    }
                };
                if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Err(problem);
                }
                u32::from_str_radix(digits, 16).map_err(|_| problem)?
            }
            '0'..='7' => {
                let is_octal = |c: char| c.is_digit(8);
                if c != '0' && !self.rest.starts_with(is_octal) {
                    return Err("the pattern refers back to a group, which is not supported");
                }
                let mut code = u32::from(c) - u32::from('0');
                for _ in 0..2 {
                    let Some(digit) = self.rest.chars().next().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    self.rest = &self.rest[1..];
                }
                code
            }
            c if c.is_ascii_punctuation() => u32::from(c),
            _ => return Err(problem),
        };
        char::from_u32(code).ok_or(problem)
    }

    /// What follows an opening parenthesis: names stay here, and flags are those that RE2 has.
    fn group(&mut self) -> Result<(), Problem> {
        if !self.eat("?") {
            self.names.push(None);
            self.open_group("(");
            return Ok(());
        }
        if self.eat("P<") || self.eat("<") {
            let problem = "the pattern has a group without a valid name";
            let (name, rest) = self.rest.split_once('>').ok_or(problem)?;
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !is_name {
                return Err(problem);
            }
            self.names.push(Some(name.to_owned()));
            self.open_group("(");
            self.rest = rest;
            return Ok(());
        }
        let end = self.rest.find([':', ')']).ok_or("the pattern has a parenthesis that is not closed")?;
        let (flags, rest) = self.rest.split_at(end);
        let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
        let are_flags = |flags: &str| flags.chars().all(|c| matches!(c, 'i' | 'm' | 's' | 'U'));
        if !are_flags(on) || !are_flags(off) || flags.ends_with('-') {
            return Err("the pattern has a group (? that is not supported");
        }
        self.rest = &rest[1..];
        if rest.starts_with(':') {
            self.open_group(&format!("(?{flags}:"));
        } else if !flags.is_empty() {
            // No flags for what follows change nothing, and are an error here.
            self.out.push_str(&format!("(?{flags})"));
        }
        Ok(())
    }

    fn open_group(&mut self, text: &str) {
        self.out.push_str(text);
        self.groups.push(NOTHING);
    }

    /// What follows an opening bracket, up to the closing one.
    fn class(&mut self) -> Result<(), Problem> {
        let problem = "the pattern has a bracket that is not closed";
        self.out.push('[');
        if self.eat("^") {
            self.out.push('^');
        }
        let mut is_first = true;
        while is_first || !self.eat("]") {
            is_first = false;
            if let Some(after) = self.rest.strip_prefix("[:")
                && let Some((name, rest)) = after.split_once(":]")
            {
                if !CLASSES.contains(&name.strip_prefix('^').unwrap_or(name)) {
                    return Err("the pattern has a class [: :] of no known name");
                }
                self.out.push_str(&format!("[:{name}:]"));
                self.rest = rest;
                continue;
            }
            let letter = self.rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
            if let Some((letter, class)) = letter.and_then(|letter| Some((letter, letter_class(letter)?))) {
                let text = if letter.is_ascii_uppercase() { format!("[^{class}]") } else { class.to_owned() };
                self.out.push_str(&text);
                self.rest = &self.rest[2..];
                continue;
            }
            if let Some(letter @ ('p' | 'P')) = letter {
                self.rest = &self.rest[2..];
                self.property(letter == 'P')?;
                continue;
            }
            let first = self.class_character().ok_or(problem)??;
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            let last = if is_range {
                self.rest = &self.rest[1..];
                self.class_character().ok_or(problem)??
            } else {
                first
            };
            if last < first {
                return Err("the pattern has a range from a later to an earlier character");
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

    fn class_character(&mut self) -> Option<Result<char, Problem>> {
        match self.next()? {
            '\\' => Some(self.escaped()),
            c => Some(Ok(c)),
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
