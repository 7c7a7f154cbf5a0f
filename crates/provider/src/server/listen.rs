//! The program: environment, handshake, connections.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

use super::connection;
use super::router::Router;
use crate::Provider;
use crate::client::{CLIENT_CERTIFICATE, COOKIE};
use crate::tls::{Identity, Pinned, TlsError};
use crate::wire::Protocol;

/// Serves a provider as Terraform expects it: writes the address to standard output, and ends on request.
///
/// The connection is encrypted if the parent process has a certificate, as Terraform has.
///
/// # Errors
///
/// The program was not started as a provider by Terraform or a similar program, or it cannot listen.
pub async fn serve(provider: Arc<dyn Provider>) -> io::Result<()> {
    if env::var(COOKIE.0).as_deref() != Ok(COOKIE.1) {
        return Err(io::Error::other(
            // The sentence of go-plugin begins like this.
            "This binary is a plugin. It is not meant to be executed directly: Terraform starts it.",
        ));
    }
    let offered = env::var("PLUGIN_PROTOCOL_VERSIONS").unwrap_or_default();
    let protocol = negotiate(&offered);
    let ended = Arc::new(Notify::new());
    let router = Router::new(provider, ended.clone());
    let (tls, certificate) = encryption().map_err(io::Error::other)?;
    let listener = Listener::bind().await?;
    // The 1 is the version of go-plugin's own protocol. Without TLS the last field is there, and empty.
    writeln!(io::stdout(), "1|{}|{}|grpc|{certificate}", protocol.version(), listener.place)?;
    io::stdout().flush()?;
    tokio::select! {
        result = listener.accept_all(&router, tls.as_ref()) => result,
        () = ended.notified() => Ok(()),
    }
}

/// The highest offered version that can be served, or the lowest one of all; the client notices the
/// difference.
fn negotiate(offered: &str) -> Protocol {
    let offered = offered.split(',').filter_map(|version| version.trim().parse().ok());
    // As go-plugin's server: it does not refuse, even if nothing that it serves is offered.
    offered.filter_map(Protocol::from_version).max_by_key(|p| p.version()).unwrap_or(Protocol::V5)
}

/// The encryption of the connection, and our certificate for the handshake; none and empty without a
/// request for it.
fn encryption() -> Result<(Option<TlsAcceptor>, String), TlsError> {
    let Ok(client) = env::var(CLIENT_CERTIFICATE) else { return Ok((None, String::new())) };
    let own = Identity::new()?;
    let config = Pinned::from_pem(&client)?.server(&own)?;
    Ok((Some(TlsAcceptor::from(Arc::new(config))), own.base64()))
}

struct Listener {
    place: String,
    #[cfg(unix)]
    listener: tokio::net::UnixListener,
    #[cfg(not(unix))]
    listener: tokio::net::TcpListener,
    #[cfg(unix)]
    _directory: tempfile::TempDir,
}

impl Listener {
    #[cfg(unix)]
    async fn bind() -> io::Result<Self> {
        // go-plugin's client names a folder of its own here, and removes it when the provider has ended.
        let within = env::var_os("PLUGIN_UNIX_SOCKET_DIR").map_or_else(env::temp_dir, PathBuf::from);
        let directory = tempfile::Builder::new().prefix("plugin").tempdir_in(within)?;
        let path = directory.path().join("socket");
        let listener = tokio::net::UnixListener::bind(&path)?;
        Ok(Self { place: format!("unix|{}", path.display()), listener, _directory: directory })
    }

    #[cfg(not(unix))]
    async fn bind() -> io::Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        Ok(Self { place: format!("tcp|{}", listener.local_addr()?), listener })
    }

    async fn accept_all(&self, router: &Router, tls: Option<&TlsAcceptor>) -> io::Result<()> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            let (router, tls) = (router.clone(), tls.cloned());
            // The client sees the errors of its connection.
            tokio::spawn(async move {
                match tls {
                    Some(tls) => connection(router, tls.accept(stream).await?).await,
                    None => connection(router, stream).await,
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_is_taken() {
        let version = |offered| negotiate(offered).version();
        assert_eq!(
            [version("5,6"), version("6,5"), version("5"), version("4"), version("")],
            [6, 6, 5, 5, 5]
        );
    }
}
