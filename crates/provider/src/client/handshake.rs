//! Reads the line with the address of a provider.

use std::path::PathBuf;

use crate::wire::Protocol;
use crate::{Error, ErrorKind};

/// The address of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    Unix(PathBuf),
    Tcp(String),
}

impl Address {
    pub(crate) fn new(network: &str, address: &str) -> Option<Self> {
        match network {
            "unix" => Some(Self::Unix(address.into())),
            "tcp" => Some(Self::Tcp(address.to_owned())),
            _ => None,
        }
    }
}

/// The first line that a provider's program writes to standard output: its address and its protocol.
///
/// ```
/// use objchange_provider::client::Handshake;
///
/// assert_eq!(Handshake::parse("1|6|unix|/tmp/plugin1|grpc|", &[5, 6])?.protocol(), 6);
/// assert!(Handshake::parse("usage: program [options]", &[5, 6]).is_err());
/// # Ok::<(), objchange_provider::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    pub(super) address: Address,
    pub(super) protocol: Protocol,
    /// The certificate of a provider with TLS, in Base64, whether or not TLS was requested.
    pub(super) certificate: Option<String>,
}

/// Shorter texts are not certificates.
// go-plugin's client has this limit, too.
const MIN_CERTIFICATE: usize = 50;

impl Handshake {
    /// Reads the line, in answer to an offer of these versions of the protocol.
    ///
    /// # Errors
    ///
    /// The line is not a handshake of a provider that speaks gRPC, or its version of the protocol was not
    /// offered.
    pub fn parse(line: &str, offered: &[u32]) -> Result<Self, Error> {
        let fields: Vec<&str> = line.trim().split('|').collect();
        let no_handshake = || {
            let line = line.trim().chars().take(200).collect();
            Error::from(ErrorKind::NoHandshake { line })
        };
        // go-plugin's line: `CORE|APP|NETWORK|ADDRESS|PROTOCOL|SERVER_CERT`. The last field is empty
        // without TLS, and a seventh one may follow.
        let [core, version, network, address, rest @ ..] = &fields[..] else { return Err(no_handshake()) };
        let version: u32 = match (*core, version.parse()) {
            // 1 is go-plugin's own protocol; the version of Terraform's protocol is the second field.
            ("1", Ok(version)) => version,
            _ => return Err(no_handshake()),
        };
        if !matches!(rest.first(), Some(&"grpc")) {
            // Providers before Terraform 0.12 speak net/rpc, and write four fields.
            let is_old = matches!(rest.first(), None | Some(&"netrpc" | &""));
            return Err(if is_old { ErrorKind::NetRpc.into() } else { no_handshake() });
        }
        let protocol = Protocol::from_version(version).filter(|_| offered.contains(&version));
        let Some(protocol) = protocol else {
            let offered = offered.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ");
            return Err(ErrorKind::WrongProtocol { version, offered }.into());
        };
        let address = Address::new(network, address).ok_or_else(no_handshake)?;
        // A certificate means TLS even if the client did not ask for it: the Python framework `tf` 1.2.0
        // always encrypts.
        let certificate = rest.get(1).filter(|c| c.len() > MIN_CERTIFICATE).map(|c| (*c).to_owned());
        Ok(Self { address, protocol, certificate })
    }

    /// The version of the protocol that the provider speaks: 5 or 6.
    pub fn protocol(&self) -> u32 {
        self.protocol.version()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kind(line: &str) -> &'static str {
        Handshake::parse(line, &[5, 6]).map_or_else(|e| e.kind().kind(), |_| "fine")
    }

    #[test]
    fn lines_of_providers() {
        let read = Handshake::parse("1|6|unix|/run/plugin1|grpc|\n", &[5, 6]).unwrap();
        let address = Address::Unix("/run/plugin1".into());
        assert_eq!(read, Handshake { address, protocol: Protocol::V6, certificate: None });
        let certificate = "MIIC".repeat(20);
        let read =
            Handshake::parse(&format!("1|5|tcp|127.0.0.1:1|grpc|{certificate}|false"), &[5, 6]).unwrap();
        assert_eq!((read.protocol, read.certificate), (Protocol::V5, Some(certificate)));
        assert_eq!(kind("1|4|unix|/p|netrpc"), "net_rpc");
        assert_eq!(kind("1|4|unix|/p"), "net_rpc");
        assert_eq!(kind("1|7|unix|/p|grpc"), "wrong_protocol");
        assert_eq!(kind("2|6|unix|/p|grpc"), "no_handshake");
        assert_eq!(kind("1|6|carrier-pigeon|/p|grpc"), "no_handshake");
        assert_eq!(kind("usage: terraform-provider-x"), "no_handshake");
        assert_eq!(kind(""), "no_handshake");
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_refused(line in ".*|[16|]*(unix|tcp|grpc|[|])*") {
            let _ = Handshake::parse(&line, &[5, 6]);
        }
    }
}
