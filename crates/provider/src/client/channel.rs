//! One connection to a provider.

use std::error::Error as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::uri::{PathAndQuery, Uri};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::AbortHandle;
use tokio_rustls::TlsConnector;
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::{Code, Status, Streaming};
use tonic_prost::ProstCodec;

use super::handshake::Address;
use crate::ErrorKind;
use crate::tls::SERVER_NAME;
use crate::wire::MAX_MESSAGE;

/// A stream of bytes in both directions.
pub(crate) trait Io: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Io for T {}

/// The maximum size of headers in bytes. gRPC sends the message of an error in a header.
// hyper's default is 16 KiB.
const MAX_HEADERS: u32 = 1 << 20;

/// A connection; it ends when this is dropped.
pub(crate) struct Channel {
    sender: SendRequest<Body>,
    driver: AbortHandle,
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Channel {
    /// Connects to an address, with TLS if a configuration for it is given.
    pub(crate) async fn connect(address: &Address, tls: Option<ClientConfig>) -> io::Result<Self> {
        match address {
            #[cfg(unix)]
            Address::Unix(path) => Self::encrypted(tokio::net::UnixStream::connect(path).await?, tls).await,
            #[cfg(not(unix))]
            Address::Unix(_) => Err(io::Error::other("there are no unix sockets here")),
            Address::Tcp(address) => {
                let stream = tokio::net::TcpStream::connect(address).await?;
                // Each call is one small message, which Nagle's algorithm would hold back.
                stream.set_nodelay(true)?;
                Self::encrypted(stream, tls).await
            }
        }
    }

    async fn encrypted(io: impl Io, tls: Option<ClientConfig>) -> io::Result<Self> {
        match tls {
            None => Self::over(io).await,
            Some(config) => {
                let name = ServerName::try_from(SERVER_NAME).map_err(io::Error::other)?;
                Self::over(TlsConnector::from(Arc::new(config)).connect(name, io).await?).await
            }
        }
    }

    pub(crate) async fn over(io: impl Io) -> io::Result<Self> {
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .max_header_list_size(MAX_HEADERS)
            .handshake(TokioIo::new(io))
            .await
            .map_err(io::Error::other)?;
        let driver = tokio::spawn(async move {
            // Each call on the connection returns its error.
            let _ = connection.await;
        });
        Ok(Self { sender, driver: driver.abort_handle() })
    }

    /// Whether the connection is closed for sending.
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    pub(crate) async fn unary<Q, A>(&self, path: String, question: Q) -> Result<A, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let codec: ProstCodec<Q, A> = ProstCodec::default();
        let answer = ready(self.sender.clone())
            .await?
            .unary(tonic::Request::new(question), as_path(path)?, codec)
            .await?;
        Ok(answer.into_inner())
    }

    /// Sends many messages, and gets one.
    pub(crate) async fn upload<Q, A>(&self, path: String, questions: Vec<Q>) -> Result<A, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let codec: ProstCodec<Q, A> = ProstCodec::default();
        let questions = tonic::Request::new(tokio_stream::iter(questions));
        let answer =
            ready(self.sender.clone()).await?.client_streaming(questions, as_path(path)?, codec).await?;
        Ok(answer.into_inner())
    }

    /// Reads a stream in the background. It ends with the connection.
    pub(crate) fn spawn_stream<Q, A, F>(
        &self,
        path: String,
        question: Q,
        listen: impl FnOnce(Streaming<A>) -> F + Send + 'static,
    ) where
        Q: Message + 'static,
        A: Message + Default + 'static,
        F: Future<Output = ()> + Send,
    {
        let sender = self.sender.clone();
        tokio::spawn(async move {
            if let Ok(stream) = Self::stream_of(sender, path, question).await {
                listen(stream).await;
            }
        });
    }

    pub(crate) async fn stream<Q, A>(&self, path: String, question: Q) -> Result<Streaming<A>, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        Self::stream_of(self.sender.clone(), path, question).await
    }

    async fn stream_of<Q, A>(
        sender: SendRequest<Body>,
        path: String,
        question: Q,
    ) -> Result<Streaming<A>, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let codec: ProstCodec<Q, A> = ProstCodec::default();
        let question = tonic::Request::new(question);
        let answer = ready(sender).await?.server_streaming(question, as_path(path)?, codec).await?;
        Ok(answer.into_inner())
    }
}

async fn ready(sender: SendRequest<Body>) -> Result<Grpc<Http2>, Status> {
    // A request of HTTP/2 names a host, and a Unix socket has none. grpc-go sends `localhost` there, too.
    let mut grpc = Grpc::with_origin(Http2(sender), Uri::from_static("http://localhost"))
        // By default tonic reads at most 4 MiB, and the schemas of large providers are larger.
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE);
    grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    Ok(grpc)
}

fn as_path(path: String) -> Result<PathAndQuery, Status> {
    path.try_into().map_err(|_| Status::internal("the name of the call is not a path"))
}

/// The kind of an error of the connection.
pub(crate) fn error_kind(status: &Status) -> ErrorKind {
    // The library has no other sign of it.
    let is_too_large =
        status.code() == Code::OutOfRange && status.message().contains("message length too large");
    match status.code() {
        Code::Unimplemented => ErrorKind::Unimplemented,
        _ if is_too_large => ErrorKind::TooLarge { reason: status.message().to_owned() },
        code => {
            let source = status.source().map(|source| format!(": {source}")).unwrap_or_default();
            ErrorKind::Status { code: name(code), message: format!("{}{source}", status.message()) }
        }
    }
}

/// The names as Go prints them, and as people know them.
fn name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Canceled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}

/// One HTTP/2 connection as the service that gRPC is spoken over.
#[derive(Clone)]
struct Http2(SendRequest<Body>);

impl tower_service::Service<http::Request<Body>> for Http2 {
    type Response = http::Response<hyper::body::Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(self.0.send_request(request))
    }
}
