//! Addresses of one plan that have another name in the other.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use objchange::address::{InstanceAddress, ModuleAddress, steps};
use objchange_text::visible;
use thiserror::Error;

use objchange_document::Text;

/// Maps a module or resource of the first plan to another address in the second:
/// `module.staging=module.prod`.
///
/// Everything in a module moves with it. Without a key, each instance keeps its own. An empty side is the root module.
///
/// ```
/// use objchange_plan::compare::AddressMap;
///
/// let map: AddressMap = "module.staging=module.prod".parse()?;
/// assert_eq!(map.apply("module.staging[0].aws_vpc.main").as_deref(), Some("module.prod[0].aws_vpc.main"));
/// assert_eq!(map.apply("module.other.aws_vpc.main"), None);
/// assert!("module.staging=aws_vpc.main".parse::<AddressMap>().is_err());
/// # Ok::<(), objchange_plan::compare::AddressMapError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressMap {
    from: String,
    to: String,
}

/// Why a text does not map addresses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddressMapError {
    /// There is no `=` outside of keys.
    #[error("expected two addresses such as `module.staging=module.prod`")]
    NoEquals,
    /// A side is not an address.
    #[error("`{}` is the address of neither a module nor a resource", visible(.0))]
    NoAddress(String),
    /// One side is a module, and the other one a resource.
    #[error("`{}` and `{}` are not both modules or both resources", visible(.0), visible(.1))]
    Unlike(String, String),
}

impl AddressMapError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoEquals => "no_equals",
            Self::NoAddress(_) => "no_address",
            Self::Unlike(..) => "unlike",
        }
    }
}

impl FromStr for AddressMap {
    type Err = AddressMapError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut is_quoted, mut is_escaped) = (false, false);
        let equals = text.bytes().position(|byte| {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_quoted => is_escaped = true,
                b'"' => is_quoted = !is_quoted,
                _ => {}
            }
            byte == b'=' && !is_quoted
        });
        let (from, to) = equals.map(|at| (&text[..at], &text[at + 1..])).ok_or(AddressMapError::NoEquals)?;
        let is_module = |text: &str| match (text.parse::<ModuleAddress>(), text.parse::<InstanceAddress>()) {
            (Ok(_), _) => Ok(true),
            (_, Ok(_)) => Ok(false),
            _ => Err(AddressMapError::NoAddress(text.chars().take(200).collect())),
        };
        if is_module(from)? != is_module(to)? {
            return Err(AddressMapError::Unlike(from.to_owned(), to.to_owned()));
        }
        Ok(Self { from: from.to_owned(), to: to.to_owned() })
    }
}

impl fmt::Display for AddressMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.from, self.to)
    }
}

impl AddressMap {
    /// The address in the second plan; `None` if this says nothing of it.
    pub fn apply(&self, address: &str) -> Option<String> {
        let mut rest = steps(address);
        let (mut keys, mut end) = (Vec::new(), 0);
        for step in named_steps(&self.from) {
            let other = rest.next()?;
            if other.name != step.name || !step.key.is_empty() && other.key != step.key {
                return None;
            }
            keys.push(if step.key.is_empty() { other.key } else { "" });
            end = other.end;
        }
        // The key of the innermost step goes to the innermost one.
        let to: Vec<_> = named_steps(&self.to).collect();
        let mut mapped = String::with_capacity(address.len() + self.to.len());
        for (index, step) in to.iter().enumerate() {
            let from_end = to.len() - index;
            let key = keys.len().checked_sub(from_end).map_or("", |at| keys[at]);
            mapped.push_str(if index == 0 { "" } else { "." });
            mapped.push_str(step.name);
            mapped.push_str(if step.key.is_empty() { key } else { step.key });
        }
        let rest = address[end..].trim_start_matches('.');
        if !mapped.is_empty() && !rest.is_empty() {
            mapped.push('.');
        }
        mapped.push_str(rest);
        Some(mapped)
    }
}

/// The addresses of one plan that have another name in the other.
pub(super) struct Maps<'m> {
    maps: &'m [AddressMap],
    is_used: Vec<Cell<bool>>,
}

impl<'m> Maps<'m> {
    pub(super) fn new(maps: &'m [AddressMap]) -> Self {
        Self { maps, is_used: vec![Cell::new(false); maps.len()] }
    }

    /// The address by the first of these that names it.
    pub(super) fn apply<'t>(&self, address: &Text<'t>) -> Text<'t> {
        for (map, is_used) in self.maps.iter().zip(&self.is_used) {
            if let Some(mapped) = map.apply(address) {
                is_used.set(true);
                return Text::from(mapped);
            }
        }
        address.clone()
    }

    /// Those that name nothing.
    pub(super) fn unused(&self) -> impl Iterator<Item = &AddressMap> {
        self.maps.iter().zip(&self.is_used).filter(|(_, is_used)| !is_used.get()).map(|(map, _)| map)
    }
}

/// The steps of an address; none for an empty one.
fn named_steps(address: &str) -> impl Iterator<Item = objchange::address::AddressStep<'_>> {
    steps(address).filter(|step| !address.is_empty() || !step.name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_module_goes_with_it() {
        for (map, address, expected) in [
            ("module.a=module.b", "module.a.t.n", Some("module.b.t.n")),
            (
                "module.a=module.b",
                "module.a[\"x.y\"].module.c.t.n[0]",
                Some("module.b[\"x.y\"].module.c.t.n[0]"),
            ),
            ("module.a[0]=module.b", "module.a[0].t.n", Some("module.b.t.n")),
            ("module.a[0]=module.b", "module.a[1].t.n", None),
            ("module.a[\"=\"]=module.a[\"b\"]", "module.a[\"=\"].t.n", Some("module.a[\"b\"].t.n")),
            ("module.a=module.b.module.c", "module.a[1].t.n", Some("module.b.module.c[1].t.n")),
            ("module.a.module.x=module.c", "module.a[1].module.x[2].t.n", Some("module.c[2].t.n")),
            ("module.a=", "module.a.t.n", Some("t.n")),
            ("=module.b", "t.n[0]", Some("module.b.t.n[0]")),
            ("t.n=t.m", "t.n[0]", Some("t.m[0]")),
            ("t.n=t.m", "t.nn[0]", None),
            ("data.t.n=data.t.m", "data.t.n", Some("data.t.m")),
            ("module.a=module.b", "t.n", None),
            ("module.a=module.b", "", None),
        ] {
            let map: AddressMap = map.parse().unwrap();
            assert_eq!(map.apply(address).as_deref(), expected, "{map} {address}");
        }
        let kind = |text: &str| text.parse::<AddressMap>().unwrap_err().kind();
        assert_eq!(
            ["module.a", "module.a=x", "module.a=t.n", "module.a[\"=\"]"].map(kind),
            ["no_equals", "no_address", "unlike", "no_equals"]
        );
    }
}
