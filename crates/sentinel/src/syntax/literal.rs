//! The values of literals.

/// The text within the quotes of a string without escapes.
pub(super) fn plain_string(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    memchr::memchr(b'\\', inner.as_bytes()).is_none().then_some(inner)
}

/// The bytes of a quoted string, or the error and its place.
pub(super) fn string(text: &str) -> Result<Vec<u8>, (usize, String)> {
    if let Some(raw) = text.strip_prefix('`') {
        let raw = raw.strip_suffix('`').unwrap_or(raw);
        // Without carriage returns, so that a file means the same with either kind of line ends.
        return Ok(raw.bytes().filter(|&byte| byte != b'\r').collect());
    }
    let opened = text.strip_prefix('"').unwrap_or(text);
    // An unterminated string has no quote there.
    let inner = opened.strip_suffix('"').unwrap_or(opened);
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(slash) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..slash]);
        let at = text.len() - opened.len() + inner.len() - rest.len() + slash;
        let after = &rest[slash + 1..];
        let length = escape(after, &mut bytes).map_err(|message| (at, message))?;
        rest = &after[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Reads the text behind a backslash; returns its length.
fn escape(text: &str, bytes: &mut Vec<u8>) -> Result<usize, String> {
    let Some(first) = text.chars().next() else {
        return Err("expected an escape sequence after the backslash".to_owned());
    };
    let simple = match first {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '"' => b'"',
        '0'..='7' => return digits(text, 0, 3, 8).and_then(|code| byte(code, bytes)).map(|()| 3),
        'x' => return digits(text, 1, 2, 16).and_then(|code| byte(code, bytes)).map(|()| 3),
        'u' => return digits(text, 1, 4, 16).and_then(|code| point(code, bytes)).map(|()| 5),
        'U' => return digits(text, 1, 8, 16).and_then(|code| point(code, bytes)).map(|()| 9),
        other => return Err(format!("unknown escape sequence \\{other}")),
    };
    bytes.push(simple);
    Ok(1)
}

fn digits(text: &str, from: usize, count: usize, radix: u32) -> Result<u32, String> {
    let digits = text.get(from..from + count).filter(|digits| digits.chars().all(|c| c.is_digit(radix)));
    let code = digits.and_then(|digits| u32::from_str_radix(digits, radix).ok());
    code.ok_or_else(|| format!("expected {count} digits of base {radix} in the escape sequence"))
}

fn byte(code: u32, bytes: &mut Vec<u8>) -> Result<(), String> {
    let byte =
        u8::try_from(code).map_err(|_| "an octal escape sequence is one byte, at most \\377".to_owned())?;
    bytes.push(byte);
    Ok(())
}

fn point(code: u32, bytes: &mut Vec<u8>) -> Result<(), String> {
    let c = char::from_u32(code).ok_or_else(|| format!("{code:#x} is no Unicode character"))?;
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(())
}

/// The number that an integer literal says, which may be one more than fits (for a minus before it).
pub(crate) fn int(text: &str) -> Result<u64, String> {
    let too_large = || "this integer does not fit into 64 bits".to_owned();
    let (digits, radix) = if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        (hex, 16)
    } else if text.len() > 1 && text.starts_with('0') {
        // Documented: a leading zero means octal, so 0600 is 384. Floats may have leading zeros.
        (&text[1..], 8)
    } else {
        (text, 10)
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(format!("expected digits of base {radix}, found {text}"));
    }
    u64::from_str_radix(digits, radix)
        .map_err(|_| too_large())
        .and_then(|number| if number > i64::MIN.unsigned_abs() { Err(too_large()) } else { Ok(number) })
}

/// The number that a float literal says.
pub(super) fn float(text: &str) -> f64 {
    // Rust can parse all floats that the lexer accepts.
    text.parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{int, string};

    #[test]
    fn escapes() {
        assert_eq!(string(r#""a\n\x41\101\u65e5\"""#).unwrap(), "a\nAA日\"".as_bytes());
        assert_eq!(string(r#""\xff\000""#).unwrap(), [0xff, 0]);
        assert_eq!(string("`a\\n\r\nb`").unwrap(), b"a\\n\nb");
        for text in [r#""\ud800""#, r#""\400""#, r#""\q""#, r#""\x4""#, r#""\u12""#] {
            assert_eq!(string(text).unwrap_err().0, 1, "{text}");
        }
        assert_eq!(string(r#""ab\q""#).unwrap_err().0, 3);
        // They do not end.
        for text in [r#""é\"#, r#""é\""#] {
            assert_eq!(string(text).unwrap_err().0, 3, "{text}");
        }
    }

    #[test]
    fn integers() {
        assert_eq!(int("0x1F"), Ok(31));
        assert_eq!(int("0600"), Ok(384));
        assert_eq!(int("0"), Ok(0));
        assert_eq!(int("9223372036854775808"), Ok(1 << 63));
        assert!(int("9223372036854775809").is_err() && int("08").is_err() && int("0x").is_err());
    }
}
