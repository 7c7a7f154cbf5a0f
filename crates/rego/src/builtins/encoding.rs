//! JSON, base64, hexadecimal and URL encodings.

use data_encoding::{BASE64, BASE64URL, BASE64URL_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};

use super::arguments::{object, some, text};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Object, Value, bytes_of_text, text_of_bytes};

const S: Types = Types::STRING;
const O: Types = Types::OBJECT;
const ANY: Types = Types::ANY;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("json.marshal", &[ANY], |context, o| {
        context.charge_text_of(&o[0])?;
        check_numbers(&o[0])?;
        some(o[0].to_json())
    }),
    Builtin::new("json.marshal_with_options", &[ANY, O], marshal_with_options),
    Builtin::new("json.unmarshal", &[S], |context, o| {
        context.charge(2 * text(o, 0)?.len())?;
        match Value::from_json(text(o, 0)?) {
            Ok(value) => some(value),
            Err(error) => Err(BuiltinError::failed(error.message())),
        }
    }),
    Builtin::new("json.is_valid", &[ANY], |context, o| {
        let Some(text) = o[0].as_str() else { return some(false) };
        context.charge(2 * text.len())?;
        some(Value::from_json(text).is_ok())
    }),
    Builtin::new("base64.encode", &[S], |context, o| encode(context, o, |bytes| BASE64.encode(bytes))),
    Builtin::new("base64.decode", &[S], |context, o| decode(context, o, decode_base64)),
    Builtin::new("base64.is_valid", &[ANY], |context, o| {
        let Some(text) = o[0].as_str() else { return some(false) };
        context.charge(text.len())?;
        some(decode_base64(text).is_ok())
    }),
    Builtin::new("base64url.encode", &[S], |context, o| encode(context, o, |bytes| BASE64URL.encode(bytes))),
    Builtin::new("base64url.encode_no_pad", &[S], |context, o| {
        encode(context, o, |bytes| BASE64URL_NOPAD.encode(bytes))
    }),
    Builtin::new("base64url.decode", &[S], |context, o| decode(context, o, decode_base64url)),
    Builtin::new("hex.encode", &[S], |context, o| encode(context, o, |bytes| HEXLOWER.encode(bytes))),
    Builtin::new("hex.decode", &[S], |context, o| {
        decode(context, o, |text| match text.len() % 2 {
            // Go's decoder accepts capital letters as well.
            0 => HEXLOWER_PERMISSIVE
                .decode(text.as_bytes())
                .map_err(|error| format!("encoding/hex: invalid byte at {}", error.position)),
            _ => Err("encoding/hex: odd length hex string".to_owned()),
        })
    }),
    Builtin::new("urlquery.encode", &[S], |context, o| {
        context.charge(3 * text(o, 0)?.len())?;
        some(encode_query(text(o, 0)?))
    }),
    Builtin::new("urlquery.decode", &[S], |context, o| decode(context, o, |text| decode_percent(text, true))),
    Builtin::new("urlquery.encode_object", &[O], encode_query_object),
    Builtin::new("urlquery.decode_object", &[S], decode_query_object),
];

/// Numbers that are not written as JSON writes them cannot be written as JSON.
pub(super) fn check_numbers(value: &Value) -> Result<(), BuiltinError> {
    match value.number_not_in_json() {
        Some(number) => Err(BuiltinError::failed(format!("json: invalid number literal \"{number}\""))),
        None => Ok(()),
    }
}

fn encode(context: &mut Context<'_>, operands: &[Value], encode: impl Fn(&[u8]) -> String) -> Outcome {
    let text = text(operands, 0)?;
    context.charge(2 * text.len())?;
    some(encode(&bytes_of_text(text)))
}

fn decode(
    context: &mut Context<'_>,
    operands: &[Value],
    decode: impl Fn(&str) -> Result<Vec<u8>, String>,
) -> Outcome {
    let text = text(operands, 0)?;
    context.charge(text.len())?;
    some(text_of_bytes(decode(text).map_err(BuiltinError::failed)?))
}

/// Go's decoder skips line ends.
fn without_line_ends(text: &str) -> String {
    text.replace(['\r', '\n'], "")
}

pub(super) fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let error = |at: usize| format!("illegal base64 data at input byte {at}");
    // OPA 1.20 decodes `YR==`, whose last bits are not zero, and refuses `YQ` without its padding.
    BASE64.decode(without_line_ends(text).as_bytes()).or_else(|failed| {
        // Bits behind the last byte are ignored.
        let mut lenient = data_encoding::BASE64.specification();
        lenient.check_trailing_bits = false;
        match lenient.encoding() {
            Ok(encoding) => {
                encoding.decode(without_line_ends(text).as_bytes()).map_err(|e| error(e.position))
            }
            Err(_) => Err(error(failed.position)),
        }
    })
}

/// With or without padding.
pub(super) fn decode_base64url(text: &str) -> Result<Vec<u8>, String> {
    let text = without_line_ends(text);
    let mut lenient = BASE64URL_NOPAD.specification();
    lenient.check_trailing_bits = false;
    // OPA 1.20 decodes both `YQ` and `YQ==`.
    if text.len().is_multiple_of(4) && text.ends_with('=') {
        lenient.padding = Some('=');
    }
    let encoding = lenient.encoding().map_err(|error| error.to_string())?;
    encoding
        .decode(text.as_bytes())
        .map_err(|error| format!("illegal base64 data at input byte {}", error.position))
}

/// The text in a query: a space is `+`.
pub(super) fn encode_query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in bytes_of_text(text).iter().copied() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            _ => {
                out.push('%');
                out.push_str(&data_encoding::HEXUPPER.encode(&[byte]));
            }
        }
    }
    out
}

/// The bytes of a text with `%41` and, in a query, `+`.
pub(super) fn decode_percent(text: &str, is_query: bool) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'%' => {
                let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                let is_hex = |digits: &&str| digits.bytes().all(|b| b.is_ascii_hexdigit());
                let Some(decoded) =
                    digits.filter(is_hex).and_then(|digits| u8::from_str_radix(digits, 16).ok())
                else {
                    let shown = String::from_utf8_lossy(&after[..after.len().min(2)]);
                    return Err(format!("invalid URL escape {}", Value::from(format!("%{shown}"))));
                };
                out.push(decoded);
                rest = &after[2..];
            }
            b'+' if is_query => out.push(b' '),
            other => out.push(*other),
        }
    }
    Ok(out)
}

fn encode_query_object(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut pairs: Vec<String> = Vec::new();
    // Keys that are not strings are written as JSON.
    for (key, value) in object(operands, 0)?.json_members() {
        let wrong_value =
            || BuiltinError::wrong_type("operand 1 values must be string, array[string], or set[string]");
        let values = match value {
            Value::String(_) => std::slice::from_ref(value),
            Value::Array(array) => array.items(),
            Value::Set(set) => set.items(),
            _ => return Err(wrong_value()),
        };
        for value in values {
            let value = value.as_str().ok_or_else(wrong_value)?;
            context.charge(3 * (key.len() + value.len()))?;
            pairs.push(format!("{}={}", encode_query(&key), encode_query(value)));
        }
    }
    some(pairs.join("&"))
}

fn decode_query_object(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let text = text(operands, 0)?;
    context.charge(4 * text.len())?;
    let mut values: std::collections::BTreeMap<String, Vec<Value>> = std::collections::BTreeMap::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        if pair.contains(';') {
            return Err(BuiltinError::failed("invalid semicolon separator in query"));
        }
        // In OPA 1.20 `a=1&a=2&b` is `{"a": ["1", "2"], "b": [""]}`.
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decode = |text| decode_percent(text, true).map(text_of_bytes).map_err(BuiltinError::failed);
        values.entry(decode(key)?).or_default().push(Value::from(decode(value)?));
    }
    let entries: Vec<_> =
        values.into_iter().map(|(key, values)| (Value::from(key), Value::array(values))).collect();
    some(Value::object(entries))
}

fn marshal_with_options(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let options = object(operands, 1)?;
    let (mut indent, mut prefix, mut pretty) = ("\t", "", None);
    for (key, value) in options.iter() {
        let wrong = |want: &str| {
            let got = value.type_name();
            BuiltinError::wrong_type(format!(
                "operand 2 key {key} failed cast to {want}: operand 0 must be {want} but got {got}"
            ))
        };
        match (key.as_str(), value) {
            (Some("indent"), Value::String(text)) => indent = text,
            (Some("prefix"), Value::String(text)) => prefix = text,
            (Some("pretty"), Value::Bool(value)) => pretty = Some(*value),
            (Some("indent" | "prefix"), _) => return Err(wrong("string")),
            (Some("pretty"), _) => return Err(wrong("boolean")),
            _ => {
                return Err(BuiltinError::wrong_type(format!(
                    "operand 2 object contained unknown key {key}"
                )));
            }
        }
    }
    check_numbers(&operands[0])?;
    // As in OPA 1.20: any option asks for lines, unless `pretty` says otherwise.
    if !pretty.unwrap_or(!options.is_empty()) {
        context.charge_text_of(&operands[0])?;
        return some(operands[0].to_json());
    }
    let mut layout = Layout { indent, prefix, context, out: prefix.to_owned() };
    layout.write(&operands[0], 0)?;
    some(layout.out)
}

/// Writes JSON with one member a line.
struct Layout<'l, 'h> {
    indent: &'l str,
    prefix: &'l str,
    context: &'l mut Context<'h>,
    out: String,
}

impl Layout<'_, '_> {
    fn line(&mut self, depth: usize) -> Result<(), BuiltinError> {
        self.context.charge(1 + self.prefix.len() + depth * self.indent.len())?;
        self.out.push('\n');
        self.out.push_str(self.prefix);
        self.out.extend(std::iter::repeat_n(self.indent, depth));
        Ok(())
    }

    fn write(&mut self, value: &Value, depth: usize) -> Result<(), BuiltinError> {
        match value {
            Value::Array(array) if !array.is_empty() => self.write_items(array.items(), depth),
            Value::Set(set) if !set.is_empty() => self.write_items(set.items(), depth),
            Value::Object(object) if !object.is_empty() => self.write_members(object, depth),
            other => {
                let before = self.out.len();
                other.write_json(&mut self.out);
                self.context.charge(self.out.len() - before)
            }
        }
    }

    fn write_items(&mut self, items: &[Value], depth: usize) -> Result<(), BuiltinError> {
        for (i, item) in items.iter().enumerate() {
            self.out.push(if i == 0 { '[' } else { ',' });
            self.line(depth + 1)?;
            self.write(item, depth + 1)?;
        }
        self.line(depth)?;
        self.out.push(']');
        Ok(())
    }

    fn write_members(&mut self, object: &Object, depth: usize) -> Result<(), BuiltinError> {
        for (i, (key, value)) in object.json_members().into_iter().enumerate() {
            self.out.push(if i == 0 { '{' } else { ',' });
            self.line(depth + 1)?;
            Value::from(key).write_json(&mut self.out);
            self.out.push_str(": ");
            self.write(value, depth + 1)?;
        }
        self.line(depth)?;
        self.out.push('}');
        Ok(())
    }
}
