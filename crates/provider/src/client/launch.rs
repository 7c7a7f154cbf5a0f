//! How a provider is started.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::process::Children;

/// Variables that a provider inherits without being named.
const INHERITED: [&str; 2] = ["PATH", "HOME"];

/// Options for starting a provider's program.
///
/// Its environment has `PATH`, `HOME`, the variables of the protocol, and the variables set here, so that a
/// test behaves alike everywhere. `TMPDIR` is a folder of its own, which is removed with the process,
/// unless it is set here.
///
/// ```
/// use std::time::Duration;
/// use objchange_provider::client::Launch;
///
/// let mut launch = Launch::new("./terraform-provider-random");
/// launch.limits.call = Duration::from_secs(10);
/// launch.set("TF_LOG", "debug").inherit("AWS_PROFILE");
/// ```
#[derive(Clone)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments; few providers have any.
    pub arguments: Vec<OsString>,
    /// The working directory; by default that of this program.
    pub directory: Option<PathBuf>,
    /// The offered versions of the protocol. Old providers fail if 5 is missing.
    pub protocols: Vec<u32>,
    /// The timeouts.
    pub limits: Limits,
    /// Asks the provider to encrypt the connection, as Terraform does. Each side makes a certificate for this
    /// connection. A provider that uses TLS without being asked gets TLS anyway.
    pub mtls: bool,
    /// Cuts the provider off from the network. Only Linux can do that, and not everywhere: where it cannot, the provider
    /// does not start.
    pub is_offline: bool,
    /// The list of running processes, to end all of them at once.
    pub children: Children,
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// Timeouts for a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its handshake, and to the connection.
    pub start: Duration,
    /// For one call.
    pub call: Duration,
    /// From the request to end until it has ended. After this time it is killed.
    pub end: Duration,
}

impl Default for Limits {
    /// A minute to start, as in Terraform; five minutes for a call, which Terraform does not limit; two seconds to end.
    fn default() -> Self {
        Self { start: Duration::from_secs(60), call: Duration::from_secs(300), end: Duration::from_secs(2) }
    }
}

/// The values of variables may be secret: only their names are shown.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.environment.iter().map(|(name, _)| name).collect();
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .field("directory", &self.directory)
            .field("protocols", &self.protocols)
            .field("limits", &self.limits)
            .field("mtls", &self.mtls)
            .field("is_offline", &self.is_offline)
            .field("children", &self.children)
            .field("environment", &names)
            .finish()
    }
}

impl Launch {
    /// Starts this program without arguments, and offers both versions of the protocol.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let inherited = INHERITED.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: None,
            // If 6 alone is offered, providers with the SDK of Terraform 0.12 answer with version 4, which is net/rpc.
            protocols: vec![5, 6],
            limits: Limits::default(),
            mtls: false,
            is_offline: false,
            children: Children::default(),
            environment: inherited.collect(),
        }
    }

    /// Sets a variable of its environment.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        let (name, value) = (name.into(), value.into());
        self.environment.retain(|(known, _)| *known != name);
        self.environment.push((name, value));
        self
    }

    /// Passes a variable of this program's environment on, if it is set.
    pub fn inherit(&mut self, name: impl Into<OsString>) -> &mut Self {
        let name = name.into();
        match std::env::var_os(&name) {
            Some(value) => self.set(name, value),
            None => self,
        }
    }
}
