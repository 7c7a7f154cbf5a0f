//! `sockaddr`.

use std::net::IpAddr;

use super::utf8;
use crate::builtins::native;
use crate::value::{Done, Native, Value, fault};

pub(super) static NATIVES: [Native; 4] = [
    native("is_contained", 2, 2, true, |_, a| {
        let (outer, inner) = (network(&a[0])?, network(&a[1])?);
        Ok(Value::Bool(outer.contains(inner)))
    }),
    native("is_equal", 2, 2, true, |_, a| Ok(Value::Bool(network(&a[0])? == network(&a[1])?))),
    native("is_ipv4", 1, 1, true, |_, a| {
        Ok(Value::Bool(parse(&utf8(&a[0])?).is_some_and(|net| net.bits == 32)))
    }),
    native("is_ipv6", 1, 1, true, |_, a| {
        Ok(Value::Bool(parse(&utf8(&a[0])?).is_some_and(|net| net.bits == 128)))
    }),
];

/// An address or a range of them.
#[derive(Clone, Copy, PartialEq)]
struct Network {
    address: u128,
    prefix: u32,
    /// How many bits an address of its kind has.
    bits: u32,
}

impl Network {
    fn contains(self, inner: Network) -> bool {
        let differing = self.address ^ inner.address;
        let host_bits = self.bits - self.prefix;
        self.bits == inner.bits
            && self.prefix <= inner.prefix
            && differing.checked_shr(host_bits).unwrap_or(0) == 0
    }
}

fn parse(text: &str) -> Option<Network> {
    let (address, prefix) =
        text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
    let (address, bits) = match address.parse().ok()? {
        IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
        IpAddr::V6(address) => (u128::from(address), 128),
    };
    let prefix = match prefix {
        None => bits,
        Some(prefix) if prefix.bytes().all(|byte| byte.is_ascii_digit()) => prefix.parse().ok()?,
        Some(_) => return None,
    };
    (prefix <= bits).then_some(Network { address, prefix, bits })
}

fn network(value: &Value) -> Done<Network> {
    let text = utf8(value)?;
    match parse(&text) {
        Some(network) => Ok(network),
        None => fault("this is neither an address nor a range of addresses"),
    }
}
