//! Serves any [`Provider`]: as a program that Terraform runs, or at one end of a connection in a test.
//!
//! ```no_run
//! use std::sync::Arc;
//! use objchange_conform::kit::Kit;
//! use objchange_provider::server::serve;
//!
//! # async fn example() -> std::io::Result<()> {
//! // In the `main` of a program called `terraform-provider-example`:
//! serve(Arc::new(Kit::default())).await
//! # }
//! ```

mod answers;
mod listen;
mod router;
mod services;
mod stores;

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;

pub use self::listen::serve;
use self::router::Router;
use crate::Provider;

/// Answers the calls of one connection until it is closed, in both versions of the protocol.
///
/// ```
/// use std::sync::Arc;
/// use objchange_provider::client::{Client, Limits};
/// use objchange_conform::kit::Kit;
/// use objchange_provider::server::serve_connection;
/// use objchange_provider::ProviderExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> objchange_provider::Result<()> {
/// let (here, there) = tokio::io::duplex(64 << 10);
/// tokio::spawn(serve_connection(Arc::new(Kit::default()), there));
/// let client = Client::over(here, 6, Limits::default()).await?;
/// assert!(client.schemas().await?.resources.is_empty());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The connection breaks.
pub async fn serve_connection(
    provider: Arc<dyn Provider>,
    io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    connection(Router::new(provider, Arc::new(Notify::new())), io).await
}

async fn connection(
    router: Router,
    io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    let answer = move |request| {
        let answer = router.clone().answer(request);
        async move { Ok::<_, Infallible>(answer.await) }
    };
    let serving = http2::Builder::new(TokioExecutor::new())
        // Equal to the limit of our client; hyper's default is 16 KiB.
        .max_header_list_size(1 << 20)
        .serve_connection(TokioIo::new(io), service_fn(answer));
    serving.await.map_err(io::Error::other)
}
