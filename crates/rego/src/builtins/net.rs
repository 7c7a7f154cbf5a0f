//! IP addresses and networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::arguments::{items, some, text};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::Value;

const S: Types = Types::STRING;
const ANY: Types = Types::ANY;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("net.cidr_contains", &[S, S], contains),
    // OPA keeps the older name of `net.cidr_contains`.
    Builtin::new("net.cidr_overlap", &[S, S], contains),
    Builtin::new("net.cidr_intersects", &[S, S], |_, o| {
        let (a, b) = (Network::parse(text(o, 0)?)?, Network::parse(text(o, 1)?)?);
        some(a.is_v4 == b.is_v4 && a.first <= b.last && b.first <= a.last)
    }),
    Builtin::new("net.cidr_contains_matches", &[ANY, ANY], contains_matches),
    Builtin::new("net.cidr_merge", &[ANY], merge),
    Builtin::new("net.cidr_expand", &[S], expand),
    Builtin::new("net.cidr_is_valid", &[ANY], |_, o| {
        some(o[0].as_str().is_some_and(|text| Network::parse(text).is_ok()))
    }),
];

/// The range of IPv4 addresses among IPv6 addresses.
const V4: u128 = 0xffff << 32;

/// A range of addresses.
#[derive(Clone, Copy)]
struct Network {
    first: u128,
    last: u128,
    is_v4: bool,
}

fn number_of(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => V4 | u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}

/// An address of version 4, also if it is written as one of version 6.
fn address_of(number: u128) -> IpAddr {
    match u32::try_from(number ^ V4) {
        Ok(low) => IpAddr::V4(Ipv4Addr::from(low)),
        Err(_) => IpAddr::V6(Ipv6Addr::from(number)),
    }
}

impl Network {
    fn parse(text: &str) -> Result<Self, BuiltinError> {
        Self::new(text).ok_or_else(|| BuiltinError::failed(format!("invalid CIDR address: {text}")))
    }

    /// A network such as `10.0.0.0/8`, whose address may be any in it.
    fn new(text: &str) -> Option<Self> {
        let (address, len) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        if len.is_empty() || len.len() > 5 || !len.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let len: u32 = len.parse().ok()?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        if len > width {
            return None;
        }
        Some(Self::around(number_of(address), width - len))
    }

    /// The network of an address with this many variable bits.
    fn around(address: u128, bits: u32) -> Self {
        let rest = 1_u128.checked_shl(bits).map_or(u128::MAX, |size| size - 1);
        let first = address & !rest;
        // OPA 1.20 finds `1.2.3.4` in `::ffff:1.2.3.0/120`, so both ways of writing an address are one.
        Self { first, last: first | rest, is_v4: first >> 32 == V4 >> 32 && bits <= 32 }
    }

    fn contains(&self, other: &Self) -> bool {
        self.is_v4 == other.is_v4 && self.first <= other.first && other.last <= self.last
    }

    /// An address or a network.
    fn address_or_network(text: &str) -> Result<Self, BuiltinError> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::around(number_of(address), 0));
        }
        Self::new(text).ok_or_else(|| {
            BuiltinError::failed(format!(
                "not a valid textual representation of an IP address or CIDR: {text}"
            ))
        })
    }
}

/// How a network is written. It is a power of two in size.
fn network_text(first: u128, bits: u32) -> String {
    match address_of(first) {
        IpAddr::V4(address) if bits <= 32 => format!("{address}/{}", 32 - bits),
        _ => format!("{}/{}", Ipv6Addr::from(first), 128 - bits),
    }
}

fn contains(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let network = Network::parse(text(operands, 0)?)?;
    some(network.contains(&Network::address_or_network(text(operands, 1)?)?))
}

/// The networks of an operand, each with its value in the result.
fn networks<'v>(operands: &'v [Value], index: usize) -> Result<Vec<(Value, &'v str)>, BuiltinError> {
    let first_text = |value: &'v Value| match value {
        Value::String(text) => Ok(text.as_str()),
        Value::Array(array) => array.items().first().and_then(Value::as_str).ok_or(()),
        _ => Err(()),
    };
    let network = |key: Value, value: &'v Value| {
        let text = first_text(value).map_err(|()| {
            let index = index + 1;
            BuiltinError::failed(format!("operand {index}: element must be string or non-empty array"))
        })?;
        Ok((key, text))
    };
    match &operands[index] {
        value @ Value::String(text) => Ok(vec![(value.clone(), text.as_str())]),
        Value::Array(array) => {
            array.iter().enumerate().map(|(i, value)| network(Value::Number(i.into()), value)).collect()
        }
        Value::Set(set) => set.iter().map(|value| network(value.clone(), value)).collect(),
        Value::Object(object) => object.iter().map(|(key, value)| network(key.clone(), value)).collect(),
        _ => Ok(Vec::new()),
    }
}

fn contains_matches(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    // OPA looks at the networks of the second operand for each of the first: of an empty side, nothing on the other is
    // wrong.
    let texts = networks(operands, 0)?;
    let inner = if texts.is_empty() { Vec::new() } else { networks(operands, 1)? };
    if inner.is_empty() {
        return some(Value::set([]));
    }
    let mut outer = Vec::new();
    for (key, text) in texts {
        outer.push((key, Network::parse(text)?));
    }
    let mut matches = Vec::new();
    for (inner_key, text) in inner {
        let inner = Network::address_or_network(text)?;
        for (key, network) in &outer {
            context.charge(8)?;
            if network.contains(&inner) {
                context.charge(128)?;
                matches.push(Value::array([key.clone(), inner_key.clone()]));
            }
        }
    }
    some(Value::set(matches))
}

/// A network; a plain address means the network of its class.
fn network_or_class(text: &str) -> Result<Network, BuiltinError> {
    match text.parse::<Ipv4Addr>() {
        Ok(address) => {
            let len = match address.octets()[0] {
                // OPA 1.20 merges plain addresses as networks of their classes: `10.0.0.0` becomes
                // `10.0.0.0/8`.
                0..128 => 8,
                128..192 => 16,
                192..224 => 24,
                _ => return Err(BuiltinError::failed(format!("invalid CIDR address: {text}"))),
            };
            Ok(Network::around(number_of(IpAddr::V4(address)), 32 - len))
        }
        Err(_) => Network::parse(text),
    }
}

fn merge(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    if !matches!(operands[0], Value::Array(_) | Value::Set(_)) {
        return Err(BuiltinError::failed("operand must be an array"));
    }
    let mut ranges = Vec::new();
    for item in items(operands, 0)? {
        context.charge(64)?;
        let text = item.as_str().ok_or_else(|| BuiltinError::failed("element must be string"))?;
        let network = network_or_class(text)?;
        ranges.push((network.first, network.last));
    }
    ranges.sort_unstable();
    let mut merged: Vec<(u128, u128)> = Vec::new();
    for (first, last) in ranges {
        match merged.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    let mut networks = Vec::new();
    for (mut first, last) in merged {
        loop {
            // The largest network that begins here and ends in time.
            let mut bits = first.trailing_zeros();
            while bits > 0 && Network::around(first, bits).last > last {
                bits -= 1;
            }
            networks.push(Value::from(network_text(first, bits)));
            let end = Network::around(first, bits).last;
            if end >= last {
                break;
            }
            first = end + 1;
        }
    }
    some(Value::set(networks))
}

fn expand(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let network = Network::parse(text(operands, 0)?)?;
    if network.last - network.first >= 1 << 24 {
        return Err(BuiltinError::refused("the network has more than 16777216 addresses"));
    }
    let mut addresses = Vec::new();
    for number in network.first..=network.last {
        context.charge(64)?;
        addresses.push(Value::from(address_of(number).to_string()));
    }
    some(Value::set(addresses))
}
