//! Bytes that are not UTF-8, in texts.
//!
//! OPA's strings may have any bytes, such as those of `base64.decode("/w==")`. Here a byte that is no part of UTF-8 is one of
//! the last private characters of Unicode. Functions that encode or hash a text see the byte, and people see U+FFFD, as OPA
//! prints it.

use std::borrow::Cow;

/// The character of a byte is this much behind it.
const PLANE: u32 = 0x10_FF00;

/// A text of these bytes.
pub(crate) fn text_of_bytes(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) if !has_bytes(&text) => text,
        other => {
            let bytes = other.map_or_else(std::string::FromUtf8Error::into_bytes, String::into_bytes);
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                for character in chunk.valid().chars() {
                    // A private character that stands for a byte here is kept by its own bytes.
                    match byte_of(character) {
                        None => text.push(character),
                        Some(_) => text.extend(character.to_string().bytes().map(character_of)),
                    }
                }
                text.extend(chunk.invalid().iter().copied().map(character_of));
            }
            text
        }
    }
}

/// The bytes of a text.
pub(crate) fn bytes_of_text(text: &str) -> Cow<'_, [u8]> {
    if !has_bytes(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(character.to_string().bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// A text as people see it.
///
/// ```
/// assert_eq!(objchange_rego::value::shown("no bytes"), "no bytes");
/// ```
pub fn shown(text: &str) -> Cow<'_, str> {
    with_each_byte(text, &char::REPLACEMENT_CHARACTER.to_string())
}

/// The text with this in place of each byte that is not UTF-8.
pub(crate) fn with_each_byte<'t>(text: &'t str, replacement: &str) -> Cow<'t, str> {
    if !has_bytes(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(_) => shown.push_str(replacement),
            None => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

fn has_bytes(text: &str) -> bool {
    // All characters of that plane begin with this byte, and hardly any text has one.
    text.bytes().any(|byte| byte == 0xF4) && text.chars().any(|character| byte_of(character).is_some())
}

fn character_of(byte: u8) -> char {
    char::from_u32(PLANE + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn byte_of(character: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(character).checked_sub(PLANE)?).ok()?;
    (!byte.is_ascii()).then_some(byte)
}
