//! Reads which running providers to attach to.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::handshake::Address;
use crate::wire::Protocol;
use crate::{Error, ErrorKind};

/// The environment variable in which Terraform looks for running providers.
pub const REATTACH_VARIABLE: &str = "TF_REATTACH_PROVIDERS";

/// The running providers that a value of `TF_REATTACH_PROVIDERS` names, by their addresses.
///
/// ```
/// use objchange_provider::client::Reattach;
///
/// let value = r#"{"registry.terraform.io/hashicorp/random":{"Protocol":"grpc","ProtocolVersion":6,
///     "Pid":12345,"Test":true,"Addr":{"Network":"unix","String":"/run/plugin12345"}}}"#;
/// let reattach: Reattach = value.parse()?;
/// assert_eq!(reattach.addresses().collect::<Vec<_>>(), ["registry.terraform.io/hashicorp/random"]);
/// assert!("{}".parse::<Reattach>()?.find("random").is_none());
/// # Ok::<(), objchange_provider::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reattach(BTreeMap<String, Running>);

/// A running provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    pub(super) address: Address,
    pub(super) protocol: Protocol,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Raw {
    protocol: String,
    #[serde(default)]
    protocol_version: u32,
    addr: RawAddress,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RawAddress {
    network: String,
    string: String,
}

impl FromStr for Reattach {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = |reason: String| Error::from(ErrorKind::Reattach { reason });
        let raw: BTreeMap<String, Raw> =
            serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        let running = |(name, raw): (String, Raw)| {
            if raw.protocol != "grpc" {
                return Err(bad(format!("{name}: the protocol is {:?}, and must be \"grpc\"", raw.protocol)));
            }
            // A missing version means 5, the oldest: providers may leave it out outside of acceptance tests.
            let version = if raw.protocol_version == 0 { 5 } else { raw.protocol_version };
            let protocol = Protocol::from_version(version).ok_or_else(|| {
                bad(format!("{name}: version {version} of the protocol is not supported, only 5 and 6 are"))
            })?;
            let address = Address::new(&raw.addr.network, &raw.addr.string).ok_or_else(|| {
                bad(format!("{name}: the network is {:?}, and must be unix or tcp", raw.addr.network))
            })?;
            Ok((name, Running { address, protocol }))
        };
        raw.into_iter().map(running).collect::<Result<_, _>>().map(Self)
    }
}

impl Reattach {
    /// The addresses of the providers.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The provider with this address, which may be shortened: `hashicorp/random`, `random`.
    pub fn find(&self, address: &str) -> Option<&Running> {
        let full = |address: &str| match address.split('/').count() {
            1 => format!("registry.terraform.io/hashicorp/{address}"),
            2 => format!("registry.terraform.io/{address}"),
            _ => address.to_owned(),
        };
        let wanted = full(address);
        self.0.iter().find(|(known, _)| full(known) == wanted).map(|(_, running)| running)
    }

    /// The provider with this address. If there is only one provider, it is chosen for any address.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Reattach`]: no provider has this address, and there is not exactly one.
    pub fn choose(&self, address: &str) -> Result<&Running, Error> {
        let only = || self.0.values().next().filter(|_| self.0.len() == 1);
        self.find(address).or_else(only).ok_or_else(|| {
            let known: Vec<&str> = self.addresses().collect();
            let reason = format!("it names no provider {address}, only {}", known.join(", "));
            Error::from(ErrorKind::Reattach { reason })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> String {
        text.parse::<Reattach>().unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error_for = |protocol: &str, version: u32, network: &str| {
            reason(&format!(
                r#"{{"random":{{"Protocol":"{protocol}","ProtocolVersion":{version},"Pid":1,"Test":true,
                    "Addr":{{"Network":"{network}","String":"/p"}}}}}}"#
            ))
        };
        assert!(error_for("netrpc", 6, "unix").contains("must be \"grpc\""));
        assert!(error_for("grpc", 9, "unix").contains("version 9"));
        assert!(error_for("grpc", 6, "ipx").contains("must be unix or tcp"));
        assert!(reason("[]").starts_with("the reattach value: "));
    }

    #[test]
    fn short_addresses_are_known() {
        let text = r#"{"hashicorp/random":{"Protocol":"grpc","ProtocolVersion":5,"Pid":1,"Test":true,
            "Addr":{"Network":"tcp","String":"127.0.0.1:1"}}}"#;
        let reattach: Reattach = text.parse().unwrap();
        for address in ["random", "hashicorp/random", "registry.terraform.io/hashicorp/random"] {
            assert_eq!(reattach.find(address), reattach.choose("other").ok(), "{address}");
        }
        assert_eq!(reattach.find("registry.opentofu.org/hashicorp/random"), None);
    }
}
