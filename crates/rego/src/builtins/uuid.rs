//! UUIDs.

use super::arguments::{some, text};
use super::{Builtin, Context, Outcome, Types};
use crate::value::{Number, Value};

const S: Types = Types::STRING;

pub(super) const FAMILY: &[Builtin] =
    &[Builtin::new("uuid.parse", &[S], |_, o| parse(o)), Builtin::new("uuid.rfc4122", &[S], random)];

/// A random UUID, which is the same for the same text throughout an evaluation.
fn random(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    text(operands, 0)?;
    some(context.random_of("uuid.rfc4122", &operands[0], |context| {
        let bits = (u128::from(context.random()) << 64) | u128::from(context.random());
        // Version 4 and variant 10 of RFC 4122.
        let bits = bits & !(0xf << 76) | (0x4 << 76);
        let bits = bits & !(0x3 << 62) | (0x2 << 62);
        let hex = format!("{bits:032x}");
        Value::from(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
    }))
}

/// The 16 bytes of a UUID in one of its four forms.
fn bytes(text: &str) -> Option<[u8; 16]> {
    let text = match text.len() {
        45 if text.get(..9)?.eq_ignore_ascii_case("urn:uuid:") => text.get(9..)?,
        // OPA 1.20 does not look at the characters around it, which are usually braces.
        38 => text.get(1..37)?,
        _ => text,
    };
    let hex = match text.len() {
        32 => text.to_owned(),
        36 if [8, 13, 18, 23].iter().all(|at| text.as_bytes()[*at] == b'-') => {
            let groups: Vec<_> = text.split('-').collect();
            groups.concat()
        }
        _ => return None,
    };
    if hex.len() != 32 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u128::from_str_radix(&hex, 16).ok().map(u128::to_be_bytes)
}

fn parse(operands: &[Value]) -> Outcome {
    let Some(uuid) = bytes(text(operands, 0)?) else { return Ok(None) };
    let version = i64::from(uuid[6] >> 4);
    let variant = match uuid[8] {
        b if b & 0xc0 == 0x80 => "RFC4122",
        b if b & 0xe0 == 0xc0 => "Microsoft",
        b if b & 0xe0 == 0xe0 => "Future",
        _ => "Reserved",
    };
    let mut entries =
        vec![(Value::from("version"), Value::int(version)), (Value::from("variant"), Value::from(variant))];
    if version == 1 || version == 2 {
        let node: Vec<_> = uuid[10..].iter().map(|b| format!("{b:02x}")).collect();
        let scope = if uuid[10] & 2 == 2 { "local" } else { "global" };
        let cast = if uuid[10] & 1 == 1 { "multicast" } else { "unicast" };
        let low = u32::from_be_bytes([uuid[0], uuid[1], uuid[2], uuid[3]]);
        let middle = u16::from_be_bytes([uuid[4], uuid[5]]);
        let high = u16::from_be_bytes([uuid[6], uuid[7]]) & 0xfff;
        let since_1582 = u64::from(low) | u64::from(middle) << 32 | u64::from(high) << 48;
        let sequence = u16::from_be_bytes([uuid[8], uuid[9]]) & 0x3fff;
        // 100-nanosecond steps since 15 October 1582.
        let since_1970 = i64::try_from(since_1582).unwrap_or(i64::MAX) - 0x01B2_1DD2_1381_4000;
        // Some times do not fit in 64 bits. OPA 1.20 wraps them around: version 1 with all zeros has the time
        // 6227451273709551616.
        let time = since_1970.wrapping_mul(100);
        entries.extend([
            (Value::from("nodeid"), Value::from(node.join("-"))),
            (Value::from("macvariables"), Value::from(format!("{scope}:{cast}"))),
            (Value::from("time"), Value::int(time)),
            (Value::from("clocksequence"), Value::int(i64::from(sequence))),
        ]);
        if version == 2 {
            let domain = match uuid[9] {
                0 => "Person".to_owned(),
                1 => "Group".to_owned(),
                2 => "Org".to_owned(),
                other => format!("Domain{other}"),
            };
            entries.extend([
                (Value::from("id"), Value::Number(Number::from(i64::from(low)))),
                (Value::from("domain"), Value::from(domain)),
            ]);
        }
    }
    some(Value::object(entries))
}
