//! Parses addresses.

use std::str::FromStr;

use super::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ModuleStep, ResourceAddress};

/// Why a text is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {}: {kind}; write an address like module.net[\"a\"].aws_instance.web[0]", self.offset + 1)]
#[non_exhaustive]
pub struct AddressError {
    /// The problem.
    pub kind: AddressErrorKind,
    /// The byte in the text with the problem, from 0.
    pub offset: usize,
}

/// A problem with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum AddressErrorKind {
    /// A name is expected here.
    #[error("expected a name of letters, digits, _ and -")]
    ExpectedName,
    /// The address of a module is not followed by a resource.
    #[error("expected a resource: a type and a name")]
    ExpectedResource,
    /// Brackets hold neither a number nor a string.
    #[error("an instance key is a whole number or a string in double quotes")]
    ExpectedKey,
    /// A key in a place that has no instances.
    #[error("a key can follow the name of a module or of a resource only")]
    MisplacedKey,
    /// A key does not end.
    #[error("the instance key is not closed")]
    UnclosedKey,
    /// A key has an escape that strings of configuration do not have.
    #[error("the key has an escape other than \\n, \\r, \\t, \\\", \\\\, \\uXXXX and \\UXXXXXXXX")]
    InvalidEscape,
    /// A key contains a template sequence.
    #[error("an instance key cannot have ${{…}} or %{{…}}; for these characters, write $${{ or %%{{")]
    Template,
    /// The text continues after the address.
    #[error("the address ends here, but the text continues")]
    TrailingText,
}

impl AddressErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::ExpectedName => "expected_name",
            Self::ExpectedResource => "expected_resource",
            Self::ExpectedKey => "expected_key",
            Self::MisplacedKey => "misplaced_key",
            Self::UnclosedKey => "unclosed_key",
            Self::InvalidEscape => "invalid_escape",
            Self::Template => "template",
            Self::TrailingText => "trailing_text",
        }
    }
}

impl FromStr for ModuleAddress {
    type Err = AddressError;

    /// Reads the address of a module instance; an empty text is the root module.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let mut parser = Parser { text, at: 0 };
        let mut steps = Vec::new();
        while parser.at < text.len() {
            if !steps.is_empty() && !parser.take('.') {
                return Err(parser.error(AddressErrorKind::TrailingText));
            }
            let start = parser.at;
            match parser.module()? {
                Some(step) => steps.push(step),
                None => return Err(AddressError { kind: AddressErrorKind::TrailingText, offset: start }),
            }
        }
        Ok(Self(steps))
    }
}

impl FromStr for ResourceAddress {
    type Err = AddressError;

    /// Reads the address of a resource, without an instance key.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let mut parser = Parser { text, at: 0 };
        let address = parser.resource()?;
        parser.end(address)
    }
}

impl FromStr for InstanceAddress {
    type Err = AddressError;

    /// Reads the address of one instance of a resource.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let mut parser = Parser { text, at: 0 };
        let resource = parser.resource()?;
        let key = parser.key()?;
        parser.end(Self { resource, key })
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn error(&self, kind: AddressErrorKind) -> AddressError {
        AddressError { kind, offset: self.at }
    }

    fn take(&mut self, c: char) -> bool {
        let is_there = self.rest().starts_with(c);
        self.at += if is_there { c.len_utf8() } else { 0 };
        is_there
    }

    fn end<T>(&self, value: T) -> Result<T, AddressError> {
        match self.rest() {
            "" => Ok(value),
            rest if rest.starts_with('[') => Err(self.error(AddressErrorKind::MisplacedKey)),
            _ => Err(self.error(AddressErrorKind::TrailingText)),
        }
    }

    /// An identifier of configuration.
    fn name(&mut self) -> Result<&'t str, AddressError> {
        use unicode_ident::{is_xid_continue, is_xid_start};
        let rest = self.rest();
        // HCL's identifiers are those of Unicode (UAX 31), with `_` allowed first and `-` after that.
        if !rest.starts_with(|c| is_xid_start(c) || c == '_') {
            return Err(self.error(AddressErrorKind::ExpectedName));
        }
        let end = rest.find(|c| !(is_xid_continue(c) || c == '-')).unwrap_or(rest.len());
        self.at += end;
        Ok(&rest[..end])
    }

    /// A name with the dot before it.
    fn next_name(&mut self) -> Result<&'t str, AddressError> {
        match self.rest().chars().next() {
            Some('.') => {
                self.at += 1;
                self.name()
            }
            Some('[') => Err(self.error(AddressErrorKind::MisplacedKey)),
            _ => Err(self.error(AddressErrorKind::ExpectedResource)),
        }
    }

    /// A module step, if one comes next.
    fn module(&mut self) -> Result<Option<ModuleStep>, AddressError> {
        let start = self.at;
        if self.name()? != "module" {
            self.at = start;
            return Ok(None);
        }
        let name = self.next_name()?.to_owned();
        Ok(Some(ModuleStep { name, key: self.key()? }))
    }

    fn resource(&mut self) -> Result<ResourceAddress, AddressError> {
        let mut steps = Vec::new();
        while let Some(step) = self.module()? {
            steps.push(step);
            if !self.take('.') {
                return Err(self.error(AddressErrorKind::ExpectedResource));
            }
        }
        let first = self.name()?;
        let mode = match first {
            "data" => Mode::Data,
            // Ephemeral resources came with Terraform 1.10.
            "ephemeral" => Mode::Ephemeral,
            _ => Mode::Managed,
        };
        let resource_type = if mode == Mode::Managed { first } else { self.next_name()? };
        let name = self.next_name()?;
        Ok(ResourceAddress {
            module: ModuleAddress(steps),
            mode,
            resource_type: resource_type.to_owned(),
            name: name.to_owned(),
        })
    }

    /// An instance key, if one comes next.
    fn key(&mut self) -> Result<Option<InstanceKey>, AddressError> {
        if !self.take('[') {
            return Ok(None);
        }
        let key = if self.take('"') {
            InstanceKey::String(self.string()?)
        } else {
            let rest = self.rest();
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..end].parse().map_err(|_| self.error(AddressErrorKind::ExpectedKey))?;
            self.at += end;
            InstanceKey::Number(number)
        };
        match self.rest().chars().next() {
            Some(']') => {
                self.at += 1;
                Ok(Some(key))
            }
            None => Err(self.error(AddressErrorKind::UnclosedKey)),
            Some(_) => Err(self.error(AddressErrorKind::ExpectedKey)),
        }
    }

    /// The rest of a string after its opening quote, with the closing one.
    fn string(&mut self) -> Result<String, AddressError> {
        let mut key = String::new();
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next().filter(|c| !matches!(c, '\n' | '\r')) else {
                return Err(self.error(AddressErrorKind::UnclosedKey));
            };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(key);
                }
                '\\' => {
                    let (c, length) = escape(rest).ok_or(self.error(AddressErrorKind::InvalidEscape))?;
                    key.push(c);
                    self.at += length;
                }
                '$' | '%' if rest[1..].starts_with('{') => return Err(self.error(AddressErrorKind::Template)),
                // `$${` and `%%{` are HCL's escapes, and Terraform writes them in addresses. A reader of JSON strings
                // would keep both characters.
                '$' | '%' if rest[1..].starts_with([c]) && rest[2..].starts_with('{') => {
                    key.extend([c, '{']);
                    self.at += 3;
                }
                c => {
                    key.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }
}

/// Decodes the escape at the start of the text. Also returns its length in bytes.
fn escape(text: &str) -> Option<(char, usize)> {
    let simple = |c| Some((c, 2));
    match text.as_bytes().get(1)? {
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'"' => simple('"'),
        b'\\' => simple('\\'),
        kind @ (b'u' | b'U') => {
            let end = if *kind == b'u' { 6 } else { 10 };
            let digits = text.get(2..end).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
            Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, end))
        }
        _ => None,
    }
}
