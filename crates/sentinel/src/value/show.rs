//! Prints values as text.

use super::{Budget, Done, Key, Value};

/// Writes a value as `print` does: strings bare, but quoted within collections.
pub(crate) fn show(value: &Value, quoted: bool, out: &mut Vec<u8>, budget: &mut Budget) -> Done<()> {
    let before = out.len();
    let value = budget.look(value);
    budget.touch(value);
    match value {
        Value::Undefined(_) => out.extend(b"undefined"),
        Value::Null => out.extend(b"null"),
        Value::Bool(bool) => out.extend(bool.to_string().bytes()),
        Value::Int(int) => out.extend(int.to_string().bytes()),
        Value::Float(float) => out.extend(show_float(*float).bytes()),
        Value::String(text) if quoted => quote(text.as_bytes(), out),
        Value::String(text) => out.extend(text.as_bytes()),
        Value::List(list) => {
            out.push(b'[');
            budget.deeper(|budget| {
                for (index, item) in list.items().iter().enumerate() {
                    if index > 0 {
                        out.extend(b", ");
                    }
                    show(item, true, out, budget)?;
                }
                Ok(())
            })?;
            out.push(b']');
        }
        Value::Map(map) => {
            out.push(b'{');
            budget.deeper(|budget| {
                for (index, (key, value)) in map.entries().iter().enumerate() {
                    if index > 0 {
                        out.extend(b", ");
                    }
                    show_key(key, out, budget)?;
                    out.extend(b": ");
                    show(value, true, out, budget)?;
                }
                Ok(())
            })?;
            out.push(b'}');
        }
        Value::Function(_) => out.extend(b"func"),
        // An unknown value is never made of another one.
        Value::Rule(_) | Value::Unknown(_) => out.extend(b"rule"),
        Value::Object(object) => out.extend(object.to_string().bytes()),
    }
    // Nested text was counted before, and is at most half of this.
    budget.make(out.len() - before)?;
    budget.fits(out.len())
}

fn show_key(key: &Key, out: &mut Vec<u8>, budget: &mut Budget) -> Done<()> {
    show(&key.to_value(), true, out, budget)
}

fn quote(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// The shortest text of a float, with an exponent if it is very large or small.
pub(crate) fn show_float(float: f64) -> String {
    if float.is_nan() {
        return "NaN".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let size = float.abs();
    if size == 0.0 || (1e-4..1e21).contains(&size) {
        return float.to_string();
    }
    let text = format!("{float:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |exponent| ("-", exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::{Value, show_float};

    #[test]
    fn floats() {
        let cases = [
            (1.5, "1.5"),
            (0.0, "0"),
            (1e21, "1e+21"),
            (1e-5, "1e-05"),
            (123_456_789.0, "123456789"),
            (f64::NEG_INFINITY, "-Inf"),
        ];
        for (float, text) in cases {
            assert_eq!(show_float(float), text);
        }
    }

    #[test]
    fn collections() {
        let list = Value::from(vec![Value::from("a\"\n"), Value::Null, Value::undefined(), Value::from(1)]);
        assert_eq!(format!("{list:?}"), r#"["a\"\n", null, undefined, 1]"#);
    }
}
