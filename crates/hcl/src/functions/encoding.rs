//! Text as base64, percent encoding, other character sets.

use std::borrow::Cow;
use std::io::Read as _;
use std::sync::LazyLock;

use data_encoding::{BASE64, Encoding, Specification};
use encoding_rs::{UTF_16BE, UTF_16LE};
use objchange::{Type, Value};

use super::{Answer, gzip, quote, string, text, unknown};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let mut add = |name, body: fn(&str) -> Answer| {
        functions.insert(name, Function::new([string("str")], Type::String, move |a, _| body(text(a, 0))));
    };
    add("base64encode", |text| Ok(BASE64.encode(text.as_bytes()).into()));
    add("base64gzip", |text| Ok(BASE64.encode(&gzip::compress(text.as_bytes())).into()));
    add("urlencode", |text| Ok(url_encode(text).into()));
    let encoded = string("str").unknown().marked();
    functions.insert("base64decode", Function::new([encoded], Type::String, decode));
    let parameters = [string("string"), string("encoding")];
    functions.insert("textencodebase64", Function::new(parameters, Type::String, encode_text));
    let parameters = [string("source"), string("encoding")];
    functions.insert("textdecodebase64", Function::new(parameters, Type::String, decode_text));
}

impl Functions {
    /// With the functions that OpenTofu has and Terraform has not, and without those that it lacks.
    #[must_use]
    pub fn of_opentofu(mut self) -> Self {
        self.insert(
            "urldecode",
            Function::new([string("str")], Type::String, |a, _| url_decoded(text(a, 0))),
        );
        let gunzip =
            Function::new([string("str")], Type::String, |arguments, _| unzipped(text(arguments, 0)));
        self.insert("base64gunzip", gunzip);
        self.insert("cidrcontains", super::network::cidr_contains());
        self
    }
}

/// Decodes a text that is encoded for a URL.
fn url_decoded(encoded: &str) -> Answer {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                let byte = digits
                    .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok());
                bytes.push(byte.ok_or_else(|| FunctionError::argument(0, "invalid URL escape"))?);
                rest = &rest[2..];
            }
            other => bytes.push(*other),
        }
    }
    let decoded = String::from_utf8(bytes);
    Ok(decoded.map_err(|_| FunctionError::argument(0, "the result is no valid UTF-8"))?.into())
}

/// The maximum number of bytes to unpack: a few bytes of gzip can unpack to gigabytes.
const MAX_UNZIPPED: u64 = 64 << 20;

/// The text that was packed by gzip and encoded in Base64.
#[allow(clippy::disallowed_methods, reason = "`take` limits it")]
fn unzipped(encoded: &str) -> Answer {
    let wrong = |what: &'static str| FunctionError::argument(0, what);
    let packed = LENIENT.decode(encoded.as_bytes()).map_err(|_| wrong("failed to decode base64 data"))?;
    let mut bytes = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(&packed[..]).take(MAX_UNZIPPED + 1);
    reader.read_to_end(&mut bytes).map_err(|_| wrong("failed to gunzip bytes"))?;
    if bytes.len() as u64 > MAX_UNZIPPED {
        return Err(wrong("the result is longer than 64 MiB"));
    }
    Ok(String::from_utf8(bytes).map_err(|_| wrong("the result is no valid UTF-8"))?.into())
}

/// Base64 as Go reads it: line ends in it do not matter, nor do bits that are left over.
pub(super) static LENIENT: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification: Specification = BASE64.specification();
    specification.ignore.push_str("\r\n");
    specification.check_trailing_bits = false;
    // The specification of standard base64 stays one.
    specification.encoding().unwrap_or(BASE64)
});

fn decode(arguments: &[Value], _: &Type) -> Answer {
    let Some(text) = arguments[0].as_str() else {
        return Ok(unknown(Type::String).with_marks(arguments[0].marks()));
    };
    let bytes = LENIENT.decode(text.as_bytes());
    let bytes =
        bytes.map_err(|_| FunctionError::new(format!("failed to decode base64 data {}", quote(text))))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| FunctionError::new("the result of decoding the provided string is not valid UTF-8"))?;
    Ok(Value::from(text).with_marks(arguments[0].marks()))
}

/// As in a query: a space is `+`.
fn url_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            // Go's `url.QueryEscape` leaves these as they are: `urlencode("a b~")` is `a+b~` (Terraform 1.11.4).
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte.into()),
            b' ' => out.push('+'),
            _ => {
                out.push('%');
                out.push_str(&data_encoding::HEXUPPER.encode(&[byte]));
            }
        }
    }
    out
}

/// A character set by its IANA name.
enum Charset {
    Utf8,
    /// Big-endian, and whether a byte order mark is written and understood.
    Utf16 {
        big_endian: bool,
        marked: bool,
    },
    /// ASCII and Latin-1, where code points up to this one are bytes.
    Bytes(u32),
    Other(&'static encoding_rs::Encoding),
}

fn charset(name: &str, position: usize) -> Result<Charset, FunctionError> {
    let lower = name.to_ascii_lowercase();
    Ok(match lower.as_str() {
        "utf-8" | "csutf8" => Charset::Utf8,
        // Big-endian with a byte order mark: `textencodebase64("a", "UTF-16")` is `/v8AYQ==` (Terraform 1.11.4).
        "utf-16" | "csutf16" => Charset::Utf16 { big_endian: true, marked: true },
        "utf-16be" | "csutf16be" => Charset::Utf16 { big_endian: true, marked: false },
        "utf-16le" | "csutf16le" => Charset::Utf16 { big_endian: false, marked: false },
        "us-ascii" | "iso646-us" | "ansi_x3.4-1968" | "us" | "csascii" => Charset::Bytes(0x7f),
        "iso-8859-1" | "iso_8859-1" | "latin1" | "l1" | "iso-ir-100" | "csisolatin1" | "cp819" | "ibm819" => {
            Charset::Bytes(0xff)
        }
        // Terraform refuses these names, which browsers know but IANA has not registered.
        label if ["cp12", "x-", "iso88", "dos-", "cn-"].iter().any(|start| label.starts_with(start)) => {
            return Err(unsupported(name, position));
        }
        "ascii" | "gb2312" | "utf8" | "koi" | "koi8" | "logical" | "visual" | "sjis" | "shift-jis"
        | "ms932" | "unicode-1-1-utf-8" | "x-user-defined" | "replacement" => {
            return Err(unsupported(name, position));
        }
        label => Charset::Other(
            encoding_rs::Encoding::for_label(label.as_bytes()).ok_or_else(|| unsupported(name, position))?,
        ),
    })
}

fn unsupported(name: &str, position: usize) -> FunctionError {
    let name = quote(name);
    let message = format!("{name} is not a supported IANA encoding name or alias in this Terraform version");
    FunctionError::argument(position, message)
}

impl Charset {
    /// Its registered name.
    fn name(&self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16 { marked: true, .. } => "UTF-16",
            Self::Utf16 { big_endian: true, .. } => "UTF-16BE",
            Self::Utf16 { .. } => "UTF-16LE",
            Self::Bytes(0x7f) => "US-ASCII",
            Self::Bytes(_) => "ISO_8859-1:1987",
            Self::Other(encoding) => match encoding.name() {
                "ISO-8859-2" => "ISO_8859-2:1987",
                "ISO-8859-3" => "ISO_8859-3:1988",
                "ISO-8859-4" => "ISO_8859-4:1988",
                "ISO-8859-5" => "ISO_8859-5:1988",
                "ISO-8859-6" => "ISO_8859-6:1987",
                "ISO-8859-7" => "ISO_8859-7:1987",
                "ISO-8859-8" => "ISO_8859-8:1988",
                "EUC-JP" => "Extended_UNIX_Code_Packed_Format_for_Japanese",
                name => name,
            },
        }
    }
}

fn encode_text(arguments: &[Value], _: &Type) -> Answer {
    let text = text(arguments, 0);
    let charset = charset(super::text(arguments, 1), 1)?;
    let missing = || {
        let name = charset.name();
        let message = format!("the given string contains characters that cannot be represented in {name}");
        FunctionError::argument(0, message)
    };
    let bytes = match charset {
        Charset::Utf8 => text.as_bytes().to_vec(),
        Charset::Utf16 { big_endian, marked } => {
            let units = marked.then_some(0xfeff).into_iter().chain(text.encode_utf16());
            let bytes = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
            units.flat_map(bytes).collect()
        }
        Charset::Bytes(last) => {
            let byte = |c: char| u8::try_from(u32::from(c)).ok().filter(|byte| u32::from(*byte) <= last);
            text.chars().map(byte).collect::<Option<Vec<u8>>>().ok_or_else(missing)?
        }
        Charset::Other(encoding) => match encoding.encode(text) {
            (bytes, _, false) if !is_made_up(encoding, text) => bytes.into_owned(),
            _ => return Err(missing()),
        },
    };
    Ok(BASE64.encode(&bytes).into())
}

fn decode_text(arguments: &[Value], _: &Type) -> Answer {
    let charset = charset(text(arguments, 1), 1)?;
    let bytes = LENIENT.decode(text(arguments, 0).as_bytes()).map_err(|error| {
        let at = error.position;
        // The doubled verb is Terraform's.
        let message = format!("the given value is has an invalid base64 symbol at offset {at}");
        FunctionError::argument(0, message)
    })?;
    let text = match charset {
        Charset::Utf8 => String::from_utf8(bytes).ok(),
        Charset::Utf16 { big_endian, marked } => {
            let (encoding, bytes) = match bytes.as_slice() {
                [0xff, 0xfe, rest @ ..] if marked => (UTF_16LE, rest),
                [0xfe, 0xff, rest @ ..] if marked => (UTF_16BE, rest),
                bytes => (if big_endian { UTF_16BE } else { UTF_16LE }, bytes),
            };
            decoded(encoding, bytes)
        }
        Charset::Bytes(last) => {
            let character = |byte: &u8| Some(char::from(*byte)).filter(|c| u32::from(*c) <= last);
            bytes.iter().map(character).collect()
        }
        Charset::Other(encoding) => decoded(encoding, &bytes).filter(|text| !is_made_up(encoding, text)),
    };
    let missing = || {
        let name = charset.name();
        FunctionError::argument(
            0,
            format!("the given string contains symbols that are not defined for {name}"),
        )
    };
    text.map(Value::from).ok_or_else(missing)
}

fn decoded(encoding: &'static encoding_rs::Encoding, bytes: &[u8]) -> Option<String> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).map(Cow::into_owned)
}

/// Whether a text has control characters from bytes that the encoding leaves undefined. Only browsers decode these bytes.
fn is_made_up(encoding: &'static encoding_rs::Encoding, text: &str) -> bool {
    encoding.name().starts_with("windows-") && text.contains(|c| matches!(c, '\u{80}'..='\u{9f}'))
}
