//! `base64`.

use data_encoding::{BASE64, BASE64URL, Encoding};

use super::{made, text};
use crate::builtins::native;
use crate::run::Machine;
use crate::value::{Done, Native, Value, fault};

pub(super) static NATIVES: [Native; 4] = [
    native("encode", 1, 1, true, |machine, arguments| encode(machine, &BASE64, &arguments[0])),
    native("decode", 1, 1, true, |machine, arguments| decode(machine, &BASE64, &arguments[0])),
    native("urlencode", 1, 1, true, |machine, arguments| encode(machine, &BASE64URL, &arguments[0])),
    native("urldecode", 1, 1, true, |machine, arguments| decode(machine, &BASE64URL, &arguments[0])),
];

fn encode(machine: &mut Machine<'_>, encoding: &Encoding, value: &Value) -> Done<Value> {
    made(machine, encoding.encode(&text(value)?).into_bytes())
}

fn decode(machine: &mut Machine<'_>, encoding: &Encoding, value: &Value) -> Done<Value> {
    match encoding.decode(&text(value)?) {
        Ok(bytes) => made(machine, bytes),
        Err(error) => fault(format!("this is not base64: {error}")),
    }
}
