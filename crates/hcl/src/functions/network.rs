//! Functions on addresses and prefixes of networks.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use objchange::value::Number;
use objchange::{Type, Value};

use super::{Answer, number, string, text, whole};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let host = Function::new([string("prefix"), number("hostnum")], Type::String, host);
    functions.insert("cidrhost", host);
    functions
        .insert("cidrnetmask", Function::new([string("prefix")], Type::String, |a, _| netmask(text(a, 0))));
    let parameters = [string("prefix"), number("newbits"), number("netnum")];
    functions.insert("cidrsubnet", Function::new(parameters, Type::String, subnet));
    let subnets = Function::new([string("prefix")], Type::list(Type::String), subnets);
    functions.insert("cidrsubnets", subnets.variadic(number("newbits")));
}

/// `cidrcontains` of OpenTofu: whether a network contains an address or another network.
pub(super) fn cidr_contains() -> Function {
    Function::new(
        [string("containing_prefix"), string("contained_ip_or_prefix")],
        Type::Bool,
        |arguments, _| {
            let wrong = |position: usize| {
                FunctionError::argument(
                    position,
                    format!("invalid CIDR address: {}", text(arguments, position)),
                )
            };
            let outer = Network::parse(text(arguments, 0)).ok_or_else(|| wrong(0))?;
            let inner = match text(arguments, 1) {
                prefix if prefix.contains('/') => Network::parse(prefix),
                address if address.contains(':') => {
                    v6(address).map(|first| Network { first, prefix: 128, bits: 128 })
                }
                address => v4(address).map(|first| Network { first: first.into(), prefix: 32, bits: 32 }),
            };
            let inner = inner.ok_or_else(|| wrong(1))?;
            if outer.bits != inner.bits {
                return Err(FunctionError::argument(
                    1,
                    "address family mismatch: both must be of IPv4, or both of IPv6",
                ));
            }
            Ok((outer.prefix <= inner.prefix && outer.contains(inner.first)).into())
        },
    )
}

/// A network: its first address, and the length of its prefix.
#[derive(Clone, Copy)]
struct Network {
    first: u128,
    prefix: u32,
    /// 32, or 128.
    bits: u32,
}

/// The prefix of IPv4 addresses that are mapped to IPv6.
const MAPPED: u128 = 0xffff << 32;

impl Network {
    /// Numbers may have zeros in front: Terraform kept the parser that Go had before 1.17.
    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let (address, bits) = match address.contains(':') {
            true => (v6(address)?, 128),
            false => (v4(address)?.into(), 32),
        };
        let prefix = integer(prefix).filter(|prefix| *prefix <= bits)?;
        let network = Self { first: 0, prefix, bits };
        Some(Self { first: address & !network.host_mask(), ..network })
    }

    /// The mask of the bits after the prefix.
    fn host_mask(self) -> u128 {
        low_bits(self.bits - self.prefix)
    }

    fn contains(self, address: u128) -> bool {
        address & !self.host_mask() & low_bits(self.bits) == self.first
    }

    fn is_mapped(self) -> bool {
        self.bits == 128 && is_mapped(self.first)
    }
}

fn is_mapped(address: u128) -> bool {
    address >> 32 == MAPPED >> 32
}

fn low_bits(count: u32) -> u128 {
    u128::MAX.checked_shr(128 - count).unwrap_or(0)
}

fn integer(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

fn v4(text: &str) -> Option<u32> {
    let octets = text.split('.').map(|octet| integer(octet).and_then(|octet| u8::try_from(octet).ok()));
    let octets: [u8; 4] = octets.collect::<Option<Vec<u8>>>()?.try_into().ok()?;
    Some(u32::from_be_bytes(octets))
}

fn v6(text: &str) -> Option<u128> {
    let (head, tail) = text.rsplit_once(':')?;
    let tail = if tail.contains('.') { Ipv4Addr::from(v4(tail)?).to_string() } else { tail.to_owned() };
    let short = |group: &str| {
        let digits = group.trim_start_matches('0');
        if digits.is_empty() && !group.is_empty() { "0".to_owned() } else { digits.to_owned() }
    };
    let mut groups: Vec<String> = head.split(':').map(short).collect();
    groups.push(if tail.contains('.') { tail } else { short(&tail) });
    groups.join(":").parse::<Ipv6Addr>().ok().map(u128::from)
}

/// Formats an address; IPv4 addresses mapped to IPv6 appear in IPv4 form.
fn address(address: u128, bits: u32) -> String {
    if bits == 32 || is_mapped(address) {
        Ipv4Addr::from(address as u32).to_string()
    } else {
        Ipv6Addr::from(address).to_string()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if self.is_mapped() { self.prefix.saturating_sub(96) } else { self.prefix };
        write!(f, "{}/{prefix}", address(self.first, self.bits))
    }
}

/// Parses a network; the error points to this argument.
fn network(text: &str, argument: Option<usize>) -> Result<Network, FunctionError> {
    let message = || format!("invalid CIDR expression: invalid CIDR address: {text}");
    Network::parse(text).ok_or_else(|| FunctionError { argument, ..FunctionError::new(message()) })
}

/// The magnitude of an integer, and whether it is negative.
fn large(value: &Value) -> Result<(bool, u128), FunctionError> {
    let number = value.as_number().filter(|number| number.is_integer());
    let number = number.ok_or(FunctionError::new("value must be a whole number"))?;
    match number.abs().to_string().parse() {
        Ok(magnitude) => Ok((*number < Number::ZERO, magnitude)),
        Err(_) => Err(FunctionError::new("a whole number is required that 128 bits hold")),
    }
}

fn host(arguments: &[Value], _: &Type) -> Answer {
    let network = network(text(arguments, 0), None)?;
    let (negative, magnitude) = large(&arguments[1])?;
    let room = network.bits - network.prefix;
    let number = match negative {
        true => Some(magnitude - 1)
            .filter(|from_end| fits(*from_end, room))
            .and_then(|from_end| network.host_mask().checked_sub(from_end)),
        false => Some(magnitude).filter(|number| fits(*number, room) && *number <= low_bits(network.bits)),
    };
    let number = number.ok_or_else(|| {
        // Those from the end are counted from the beginning before.
        let number = match negative {
            true => format!("-{}", magnitude - 1_u128.checked_shl(room).unwrap_or(0).min(magnitude)),
            false => magnitude.to_string(),
        };
        let prefix = network.prefix;
        FunctionError::new(format!("prefix of {prefix} does not accommodate a host numbered {number}"))
    })?;
    // Terraform takes the position in an address of IPv4 for one in IPv6.
    let shift = if network.is_mapped() { 96 } else { 0 };
    Ok(address(network.first | number << shift, network.bits).into())
}

/// Whether there is room for a number in so many bits. Terraform looks at its last 64 bits only.
fn fits(number: u128, bits: u32) -> bool {
    number as u64 <= 1_u64.checked_shl(bits).map_or(u64::MAX, |count| count - 1)
}

fn netmask(text: &str) -> Answer {
    let network = network(text, None)?;
    let mask = !network.host_mask() & low_bits(network.bits);
    match network.bits {
        32 => Ok(Ipv4Addr::from(mask as u32).to_string().into()),
        _ if network.is_mapped() => Ok(Ipv6Addr::from(mask).to_string().into()),
        _ => Err(FunctionError::new(format!("IPv6 addresses cannot have a netmask: {text}"))),
    }
}

fn subnet(arguments: &[Value], _: &Type) -> Answer {
    let network = network(text(arguments, 0), None)?;
    let more = whole(&arguments[1])?;
    let (negative, number) = large(&arguments[2])?;
    let too_long = || {
        let prefix = network.prefix;
        FunctionError::new(format!("insufficient address space to extend prefix of {prefix} by {more}"))
    };
    let too_many = || {
        let sign = if negative { "-" } else { "" };
        let message =
            format!("prefix extension of {more} does not accommodate a subnet numbered {sign}{number}");
        FunctionError::new(message)
    };
    let prefix = i64::from(network.prefix).checked_add(more).and_then(|prefix| u32::try_from(prefix).ok());
    let prefix = prefix.filter(|prefix| *prefix <= network.bits).ok_or_else(too_long)?;
    let shift = network.bits - prefix;
    // A shorter prefix has no subnets to count: any number that the address has bits for will do.
    if number > low_bits(prefix) || more >= 0 && !fits(number, prefix - network.prefix) {
        return Err(too_many());
    }
    let number = number.checked_shl(shift).unwrap_or(0);
    // A negative number replaces the network instead of counting from its end: `cidrsubnet("10.0.0.0/16", 8, -1)` is
    // `0.0.1.0/24` (Terraform 1.11.4).
    let first = if negative && number > 0 { number } else { network.first | number };
    Ok(Network { first, prefix, bits: network.bits }.to_string().into())
}

/// The maximum number of bits for one subnet, which is also Terraform's limit.
const MAX_NEW_BITS: i64 = 32;

fn subnets(arguments: &[Value], _: &Type) -> Answer {
    let network = network(text(arguments, 0), Some(0))?;
    let mut next = Some(network.first);
    let mut all: Vec<Network> = Vec::new();
    for (i, more) in arguments.iter().enumerate().skip(1) {
        let more = whole(more).map_err(|error| FunctionError { argument: Some(i), ..error })?;
        if more < 1 {
            return Err(FunctionError::argument(i, "must extend prefix by at least one bit"));
        }
        if more > MAX_NEW_BITS {
            return Err(FunctionError::argument(i, "may not extend prefix by more than 32 bits"));
        }
        let prefix = network.prefix + more as u32;
        if prefix > network.bits {
            let family = if network.bits == 32 { "IPv4" } else { "IPv6" };
            let message =
                format!("would extend prefix to {prefix} bits, which is too long for an {family} address");
            return Err(FunctionError::argument(i, message));
        }
        let subnet = Network { prefix, ..network };
        let mask = subnet.host_mask();
        // Each network begins at the first suitable address after the last one.
        let first = next.and_then(|next| next.checked_add(mask)).map(|end| end & !mask);
        // Terraform begins before the network, so that one at the very first address has no room.
        let first =
            first.filter(|first| network.contains(*first) && network.first > 0 && !network.is_mapped());
        let first = first.filter(|first| *first <= low_bits(network.bits));
        let Some(first) = first else {
            // The first one has none before it, and is said to come after the last of the address space.
            let last = Network { first: low_bits(network.bits) & !mask, ..subnet };
            let before = match all.last() {
                _ if network.is_mapped() => "<nil>".to_owned(),
                before => before.unwrap_or(&last).to_string(),
            };
            return Err(FunctionError::argument(
                i,
                format!(
                    "not enough remaining address space for a subnet with a prefix of {prefix} bits after {before}"
                ),
            ));
        };
        all.push(Network { first, ..subnet });
        next = first.checked_add(mask).and_then(|last| last.checked_add(1));
    }
    Ok(Value::list(Type::String, all.iter().map(|subnet| Value::from(subnet.to_string())))?)
}
