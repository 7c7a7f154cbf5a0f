//! Addresses as they are written: for patterns, and for documents whose addresses may be anything.

use objchange_text::is_printable;

/// A name in an address, and the key behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressStep<'t> {
    /// The name, without its dot.
    pub name: &'t str,
    /// The key with its brackets, or nothing.
    pub key: &'t str,
    /// The end of the step in the address, in bytes.
    pub end: usize,
}

impl<'t> AddressStep<'t> {
    fn new(address: &'t str, start: usize, key_at: Option<usize>, end: usize) -> Self {
        let key_at = key_at.unwrap_or(end);
        Self { name: &address[start..key_at], key: &address[key_at..end], end }
    }
}

/// Whether the reader of an address is within a key.
#[derive(Default)]
struct Keys {
    depth: usize,
    is_quoted: bool,
    is_escaped: bool,
}

impl Keys {
    /// Whether the next byte is part of no key, brackets included.
    fn is_outside(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_quoted => self.is_escaped = true,
            b'"' if self.depth > 0 => self.is_quoted = !self.is_quoted,
            _ if self.is_quoted => {}
            b'[' => self.depth += 1,
            b']' if self.depth > 0 => self.depth -= 1,
            _ => return self.depth == 0,
        }
        false
    }
}

/// The steps of an address, at the dots outside of keys. Every text has steps, whether it is an address or not.
///
/// ```
/// let steps: Vec<&str> = objchange::address::steps(r#"module.a["x.y"].t.n"#).map(|step| step.name).collect();
/// assert_eq!(steps, ["module", "a", "t", "n"]);
/// ```
pub fn steps(address: &str) -> impl Iterator<Item = AddressStep<'_>> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next.take()?;
        let (mut key_at, mut keys) = (None, Keys::default());
        for (i, byte) in address.bytes().enumerate().skip(start) {
            if !keys.is_outside(byte) {
                key_at = key_at.or(Some(i));
            } else if byte == b'.' {
                next = Some(i + 1);
                return Some(AddressStep::new(address, start, key_at, i));
            }
        }
        Some(AddressStep::new(address, start, key_at, address.len()))
    })
}

/// The address of the module that this address is in; empty in the root module.
///
/// ```
/// use objchange::address::module_of;
///
/// assert_eq!(module_of(r#"module.net["a.b"].module.sub.aws_vpc.main[0]"#), r#"module.net["a.b"].module.sub"#);
/// assert_eq!(module_of("data.aws_ami.x"), "");
/// ```
pub fn module_of(address: &str) -> &str {
    modules_of(address).last().unwrap_or_default()
}

/// The addresses of all modules that this address is in, from the outermost; none in the root module.
///
/// ```
/// let modules: Vec<&str> = objchange::address::modules_of("module.net[0].module.sub.aws_vpc.main").collect();
/// assert_eq!(modules, ["module.net[0]", "module.net[0].module.sub"]);
/// ```
pub fn modules_of(address: &str) -> impl Iterator<Item = &str> {
    let mut steps = steps(address);
    std::iter::from_fn(move || {
        let _call = steps.next().filter(|step| step.name == "module" && step.key.is_empty())?;
        steps.next().map(|name| &address[..name.end])
    })
}

/// The address without instance keys: that of the resource in the configuration. In any other text,
/// everything in brackets is removed.
///
/// ```
/// use objchange::address::strip_keys;
///
/// assert_eq!(strip_keys(r#"module.a["x.y[0]"].aws_vpc.main[0]"#), "module.a.aws_vpc.main");
/// ```
pub fn strip_keys(address: &str) -> String {
    let mut keys = Keys::default();
    let is_outside = |c: &char| keys.is_outside(u8::try_from(*c).unwrap_or(b'x'));
    address.chars().filter(is_outside).collect()
}

/// Appends a key as Terraform writes it between brackets: in double quotes, with the escapes of configuration.
///
/// ```
/// let mut out = String::new();
/// objchange::address::quote_key("a\"${b}", &mut out);
/// assert_eq!(out, r#""a\"$${b}""#);
/// ```
pub fn quote_key(key: &str, out: &mut String) {
    out.push('"');
    let mut chars = key.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' | '\\' => out.extend(['\\', c]),
            // Doubled, because `${` and `%{` begin templates.
            '$' | '%' if chars.peek() == Some(&'{') => out.extend([c, c]),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) <= 0xffff => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
}
