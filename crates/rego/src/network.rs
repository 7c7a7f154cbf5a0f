//! The network as policies see it. The host has it: this crate opens no connection.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

/// The host's implementation of `http.send` and `net.lookup_ip_addr`.
pub trait Network: fmt::Debug + Send + Sync {
    /// Sends a request and waits for the response.
    ///
    /// # Errors
    ///
    /// There is no response within the time of the request, or a larger one than is read.
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, NetworkError>;

    /// Looks up the addresses of a host name.
    ///
    /// # Errors
    ///
    /// There is no answer within this time, or no such name.
    fn lookup(&self, name: &str, timeout: Duration) -> Result<Vec<IpAddr>, NetworkError>;
}

/// A request of `http.send`. `Debug` leaves out parts that may be secret.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct HttpRequest {
    /// The method, in capitals.
    pub method: String,
    /// The address, which begins with `http://` or `https://`.
    pub url: String,
    /// The headers, by name in byte order.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<String>,
    /// How long it may take in all.
    pub timeout: Duration,
    /// Redirects are followed, at most 10.
    pub follows_redirects: bool,
    /// The certificate of the server is checked.
    pub verifies_certificate: bool,
    /// How often it is sent again after a failure.
    pub retries: u32,
}

/// A server's response. `Debug` does not show the content.
#[derive(Clone)]
pub struct HttpResponse {
    /// The code of the status, such as 200.
    pub status_code: u16,
    /// The text of the status line after the version, such as `200 OK`.
    pub status: String,
    /// The headers; one that is repeated is there several times.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest").field("method", &self.method).finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpResponse").field("status_code", &self.status_code).finish_non_exhaustive()
    }
}

/// Why the network gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct NetworkError {
    /// The problem.
    pub message: String,
}

impl NetworkError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}
