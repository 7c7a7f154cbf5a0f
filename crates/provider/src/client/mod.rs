//! A client for a provider that runs in another process.
//!
//! A [`Client`] starts a provider's program ([`Launch`]), or attaches to one that runs ([`Reattach`]), and is the
//! [`Provider`](crate::Provider) at the other end. It needs a tokio runtime with input, output and time.
//!
//! The process runs in a group of its own, with a folder of its own for its sockets and temporary files.
//! When the client is dropped, or its [`Children`] are ended, the group is killed and the folder removed:
//! by `Drop` in a panic, by the program's handler of Ctrl-C. On Linux processes that have left the group
//! are found and killed as well, and the kernel kills the provider if this program is killed.
//! [`Client::end`] lets it shut down first.
//!
//! ```no_run
//! use objchange_provider::client::{Client, Launch};
//! use objchange_provider::ProviderExt;
//!
//! # async fn example() -> objchange_provider::Result<()> {
//! let client = Client::start(&Launch::new("./terraform-provider-random")).await?;
//! let schemas = client.schemas().await?;
//! println!("{} resource types", schemas.resources.len());
//! client.end().await;
//! # Ok(())
//! # }
//! ```

mod calls;
mod channel;
#[cfg(unix)]
mod descendants;
mod folder;
mod handshake;
mod launch;
mod non_resource_calls;
mod process;
mod reattach;
mod resources;
mod spawn;
mod stdio;
mod stores;
mod validate;

use std::sync::Arc;
use std::time::Duration;

use objchange::{Type, Value};
use prost::Message;
use rustls::ClientConfig;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout, timeout_at};
use tonic::Status;

use self::channel::{Channel, Io, error_kind};
pub use self::handshake::Handshake;
pub use self::launch::{Launch, Limits};
pub use self::process::Children;
use self::process::Process;
pub(crate) use self::process::{CLIENT_CERTIFICATE, COOKIE};
pub use self::reattach::{REATTACH_VARIABLE, Reattach, Running};
use crate::log::Recorder;
pub use crate::log::{Level, Log, LogLine};
use crate::tls::{Identity, Pinned, TlsError};
use crate::wire::{
    MAX_MESSAGE, Method, Protocol, plugin, read_identities, read_schemas, read_schemas_5, write_value,
};
use crate::wire::{tfplugin5 as pb5, tfplugin6 as pb};
use crate::{Component, Error, ErrorKind, Result, Schemas};

/// How long to wait for the end of a process whose connection is gone.
// The kernel closes the sockets of a process before other processes can see that it has ended.
const CRASH_WAIT: Duration = Duration::from_secs(1);

/// The maximum number of events in one stream.
const MAX_EVENTS: usize = 1_000_000;

/// A connection to a provider. The process that was started for it ends when this is dropped.
pub struct Client {
    channel: Channel,
    protocol: Protocol,
    limits: Limits,
    process: Option<Process>,
    log: Recorder,
    schemas: OnceCell<Arc<Schemas>>,
    /// The version of Terraform that is sent to the provider.
    version: String,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("protocol", &self.protocol)
            .field("pid", &self.pid())
            .finish_non_exhaustive()
    }
}

/// The encryption of the connection. A certificate in the handshake requires TLS, even if the client did
/// not ask for it.
fn encryption(handshake: &Handshake, own: Option<&Identity>) -> Result<Option<ClientConfig>, TlsError> {
    match &handshake.certificate {
        Some(certificate) => Ok(Some(Pinned::from_base64(certificate)?.client(own)?)),
        None if own.is_some() => {
            Err("TLS was requested, but the provider's handshake has no certificate".into())
        }
        None => Ok(None),
    }
}

impl Client {
    /// Starts a provider and connects to it.
    ///
    /// # Errors
    ///
    /// The program cannot be started, is not a provider, speaks no version of the protocol that was offered,
    /// or takes too long. The process is gone then.
    pub async fn start(launch: &Launch) -> Result<Self> {
        let own = launch.mtls.then(Identity::new).transpose();
        let own = own.map_err(|error| ErrorKind::NotStarted { reason: error.to_string() })?;
        let (process, first_line) = Process::start(launch, own.as_ref())?;
        let until = Instant::now() + launch.limits.start;
        let with_log = |kind: ErrorKind, process: &Process| Error::new(kind).with_log(process.log.since(0));
        let line = match timeout_at(until, process.first_line(first_line)).await {
            Err(_) => return Err(with_log(ErrorKind::StartTimeout(launch.limits.start), &process)),
            Ok(Some(line)) => line,
            Ok(None) => {
                // The process has ended, or has closed its standard output. Either way no handshake will come.
                let status = match process.ended(CRASH_WAIT).await {
                    Some(status) => status,
                    None => process.kill(),
                };
                return Err(with_log(ErrorKind::EndedAtStart { status }, &process));
            }
        };
        let handshake = Handshake::parse(&line, &launch.protocols)
            .map_err(|error| error.with_log(process.log.since(0)))?;
        let tls = match encryption(&handshake, own.as_ref()) {
            Ok(tls) => tls,
            Err(error) => {
                return Err(with_log(ErrorKind::NotConnected { reason: error.to_string() }, &process));
            }
        };
        let channel = match timeout_at(until, Channel::connect(&handshake.address, tls)).await {
            Err(_) => return Err(with_log(ErrorKind::StartTimeout(launch.limits.start), &process)),
            Ok(Ok(channel)) => channel,
            Ok(Err(error)) => {
                return Err(with_log(ErrorKind::NotConnected { reason: error.to_string() }, &process));
            }
        };
        let log = process.log.clone();
        let client = Self::new(channel, handshake.protocol, launch.limits, log);
        Ok(Self { process: Some(process), ..client })
    }

    /// Connects to a running provider, which continues to run when this is dropped.
    ///
    /// # Errors
    ///
    /// Nothing listens there.
    pub async fn attach(running: &Running, limits: Limits) -> Result<Self> {
        // Terraform does not use TLS with a provider that it attaches to.
        let channel = match timeout(limits.start, Channel::connect(&running.address, None)).await {
            Err(_) => return Err(ErrorKind::StartTimeout(limits.start).into()),
            Ok(Ok(channel)) => channel,
            Ok(Err(error)) => return Err(ErrorKind::NotConnected { reason: error.to_string() }.into()),
        };
        Ok(Self::new(channel, running.protocol, limits, Recorder::default()))
    }

    /// Connects to a provider over any byte stream, such as one end of [`tokio::io::duplex`] in a test.
    ///
    /// # Errors
    ///
    /// The version of the protocol is neither 5 nor 6, or the other end does not speak HTTP/2.
    pub async fn over(
        io: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
        version: u32,
        limits: Limits,
    ) -> Result<Self> {
        let offered = "5 and 6".to_owned();
        let protocol =
            Protocol::from_version(version).ok_or(ErrorKind::WrongProtocol { version, offered })?;
        Self::over_io(io, protocol, limits).await
    }

    async fn over_io(io: impl Io, protocol: Protocol, limits: Limits) -> Result<Self> {
        let channel = Channel::over(io).await;
        let channel = channel.map_err(|error| ErrorKind::NotConnected { reason: error.to_string() })?;
        Ok(Self::new(channel, protocol, limits, Recorder::default()))
    }

    fn new(channel: Channel, protocol: Protocol, limits: Limits, log: Recorder) -> Self {
        // Before any call: go-plugin forwards a provider's output over this stream, and the provider blocks
        // while nobody reads it.
        stdio::listen(&channel, log.clone());
        let (process, schemas, version) = (None, OnceCell::new(), "1.16.0".to_owned());
        Self { channel, protocol, limits, process, log, schemas, version }
    }

    /// Sets the version of Terraform that is sent to the provider.
    #[must_use]
    pub fn with_terraform_version(self, version: impl Into<String>) -> Self {
        Self { version: version.into(), ..self }
    }

    /// The version of the protocol that the provider speaks: 5 or 6.
    pub fn protocol(&self) -> u32 {
        self.protocol.version()
    }

    /// The process id of a provider that was started for this client.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Process::pid)
    }

    /// Everything that the provider has written to standard error, and to standard output after the
    /// handshake, as far as it is kept. For an attached provider, the output that comes through the
    /// connection.
    pub fn log(&self) -> Log {
        self.log.since(0)
    }

    /// Ends a provider that was started for this client: asks it to shut down, then kills the rest.
    pub async fn end(self) {
        let Some(process) = &self.process else { return };
        // Like go-plugin, which asks a provider to shut down, waits for two seconds, and kills it.
        let path = "/plugin.GRPCController/Shutdown".to_owned();
        // The connection may close before the answer comes.
        let shutdown = self.channel.unary::<_, plugin::Empty>(path, plugin::Empty {});
        let _ = timeout(self.limits.end, shutdown).await;
        process.ended(self.limits.end).await;
        process.kill();
    }

    /// Runs a call. An error gets the name of the call and the log that the provider wrote meanwhile.
    async fn during<T>(&self, method: Method, call: impl Future<Output = Result<T>>) -> Result<T> {
        let position = self.log.position();
        let with_context = |error: Error| match error.kind() {
            // These errors precede the call; the next arm has those of another call that this one needs.
            ErrorKind::UnknownName { .. } | ErrorKind::Unsendable { .. } => error,
            _ if error.call().is_some() => error,
            _ => error.during(method.name(Protocol::V6)).with_log(self.log.since(position)),
        };
        call.await.map_err(with_context)
    }

    async fn unary<Q, A>(&self, method: Method, question: Q) -> Result<A>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        self.in_time(self.channel.unary(self.path(method)?, question)).await
    }

    /// Sends many messages, and returns the one answer.
    async fn send<Q, A>(&self, method: Method, questions: Vec<Q>) -> Result<A>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        self.in_time(self.channel.upload(self.path(method)?, questions)).await
    }

    /// All events of a stream.
    async fn events<Q, A>(&self, method: Method, question: Q) -> Result<Vec<A>>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let path = self.path(method)?;
        let all = async {
            let mut stream = self.channel.stream(path, question).await?;
            let (mut events, mut bytes) = (Vec::new(), 0);
            while let Some(event) = stream.message().await? {
                let event: A = event;
                bytes += event.encoded_len();
                events.push(event);
                if events.len() > MAX_EVENTS || bytes > MAX_MESSAGE {
                    // tonic reports a message above its limit with this status and these words; both become `TooLarge`.
                    return Err(Status::out_of_range("message length too large: a stream without end"));
                }
            }
            Ok(events)
        };
        self.in_time(all).await
    }

    /// The path of a call, if the version of the protocol has it.
    fn path(&self, method: Method) -> Result<String> {
        if !method.is_in(self.protocol) {
            return Err(ErrorKind::Unimplemented.into());
        }
        Ok(method.path(self.protocol))
    }

    /// Waits for an answer within the time limit, or finds out how the provider ended.
    async fn in_time<A>(&self, answer: impl Future<Output = Result<A, Status>>) -> Result<A> {
        let kind = match timeout(self.limits.call, answer).await {
            Ok(Ok(answer)) => return Ok(answer),
            Err(_) => ErrorKind::Timeout(self.limits.call),
            // When the connection breaks, the status does not tell the reason, but the exit status of the process does.
            Ok(Err(_)) if self.channel.is_closed() => match &self.process {
                Some(process) => match process.ended(CRASH_WAIT).await {
                    Some(status) => ErrorKind::Crashed { status },
                    None => ErrorKind::Disconnected,
                },
                None => ErrorKind::Disconnected,
            },
            Ok(Err(status)) => error_kind(&status),
        };
        Err(kind.into())
    }

    async fn known(&self) -> Result<&Arc<Schemas>> {
        self.schemas.get_or_try_init(|| self.fetch()).await
    }

    async fn fetch(&self) -> Result<Arc<Schemas>> {
        let mut schemas = match self.protocol {
            Protocol::V5 => {
                let question = pb5::get_provider_schema::Request {};
                read_schemas_5(self.during(Method::SCHEMA, self.unary(Method::SCHEMA, question)).await?)
            }
            Protocol::V6 => {
                let question = pb::get_provider_schema::Request {};
                read_schemas(self.during(Method::SCHEMA, self.unary(Method::SCHEMA, question)).await?)
            }
        };
        // Identities came with Terraform 1.12; older providers answer "unimplemented".
        let question = pb::get_resource_identity_schemas::Request {};
        let method = Method::IDENTITY_SCHEMAS;
        match self.during(method, self.unary(method, question)).await {
            Ok(identities) => read_identities(identities, &mut schemas),
            Err(error) if error.is_unimplemented() => {}
            Err(error) => return Err(error),
        }
        Ok(Arc::new(schemas))
    }

    /// The type of a configuration or object.
    async fn ty(&self, component: Component, name: &str) -> Result<Type> {
        let schemas = self.known().await?;
        match schemas.block(component, name) {
            Some(block) => Ok(block.implied_type().clone()),
            // The provider has no configuration of its own.
            None if component == Component::Provider => Ok(Value::object::<&str, Value>([]).ty().clone()),
            None => Err(ErrorKind::UnknownName { what: component.noun(), name: name.to_owned() }.into()),
        }
    }

    /// The `provider_meta` of a module: always null.
    async fn meta(&self) -> Result<Option<pb::DynamicValue>> {
        match &self.known().await?.meta {
            // Terraform sends `provider_meta` only if the provider declares a schema for it.
            Some(_) => write_value("provider_meta", &Value::null(Type::Dynamic), &Type::Dynamic),
            None => Ok(None),
        }
    }

    async fn identity_type(&self, name: &str) -> Result<Option<&Type>> {
        Ok(self.known().await?.identity(name))
    }
}
