//! The network for policies, with `--allow-net`.

use std::net::{IpAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use ureq::http::{HeaderMap, Request, Response};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body};

use super::{HttpRequest, HttpResponse, Network, NetworkError};

/// The maximum size of a response.
const MAX_BODY: u64 = 16 << 20;

/// The maximum number of redirects to follow, as in OPA.
const MAX_REDIRECTS: u32 = 10;

/// The pause before a request is sent again. It doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The network of this machine, with the proxies of the environment and the certificates of the system.
#[derive(Debug)]
pub struct Internet;

static CERTIFICATES: LazyLock<Arc<Vec<Certificate<'static>>>> = LazyLock::new(|| {
    let certificates = rustls_native_certs::load_native_certs().certs;
    Arc::new(certificates.iter().map(|der| Certificate::from_der(der).to_owned()).collect())
});

impl Network for Internet {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, NetworkError> {
        let end = Instant::now().checked_add(request.timeout);
        let left = || end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
        let mut pause = FIRST_PAUSE;
        let mut retries = request.retries;
        loop {
            let failed = match attempt(request, left()) {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            // After a pause that takes all the time that is left, nothing could be asked any more.
            if retries == 0 || left() <= pause {
                return Err(failed);
            }
            retries -= 1;
            thread::sleep(pause);
            pause *= 2;
        }
    }

    fn lookup(&self, name: &str, timeout: Duration) -> Result<Vec<IpAddr>, NetworkError> {
        // A lookup by the system cannot be cancelled, so it runs in a thread that outlives the timeout.
        let (sender, receiver) = mpsc::channel();
        let asked = (name.to_owned(), 0);
        let thread = thread::Builder::new().spawn(move || {
            let found = asked.to_socket_addrs().map(|all| all.map(|one| one.ip()).collect());
            // The receiver may have given up.
            drop(sender.send(found));
        });
        thread.map_err(|error| NetworkError::new(error.to_string()))?;
        match receiver.recv_timeout(timeout) {
            Ok(Ok(addresses)) => Ok(addresses),
            Ok(Err(error)) => Err(NetworkError::new(format!("lookup {name}: {error}"))),
            Err(_) => Err(NetworkError::new(format!("lookup {name}: timed out"))),
        }
    }
}

fn attempt(request: &HttpRequest, timeout: Duration) -> Result<HttpResponse, NetworkError> {
    let failed = |error: &dyn std::fmt::Display| {
        // The query may hold a password.
        let url = request.url.split(['?', '#']).next().unwrap_or_default();
        NetworkError::new(format!("{} {url}: {error}", request.method))
    };
    let mut message = Request::builder().method(request.method.as_str()).uri(request.url.as_str());
    for (name, value) in &request.headers {
        message = message.header(name, value);
    }
    let agent = agent(request, timeout);
    let answer = match &request.body {
        Some(body) => message.body(body.as_str()).map_err(|error| failed(&error)).map(|it| agent.run(it)),
        None => message.body(()).map_err(|error| failed(&error)).map(|it| agent.run(it)),
    };
    let mut response = match answer? {
        Ok(response) => response,
        Err(ureq::Error::Timeout(_)) => return Err(failed(&"request timed out")),
        Err(error) => return Err(failed(&error)),
    };
    let reader = response.body_mut().as_reader();
    // The byte beyond the limit tells a response of just that size from a longer one.
    let body = objchange_text::read_at_most(reader, MAX_BODY + 1).map_err(|error| failed(&error))?;
    if body.len() as u64 > MAX_BODY {
        return Err(failed(&format_args!("the response has more than {} MiB", MAX_BODY >> 20)));
    }
    Ok(HttpResponse {
        status_code: response.status().as_u16(),
        status: status(&response),
        headers: headers(response.headers()),
        body,
    })
}

fn agent(request: &HttpRequest, timeout: Duration) -> Agent {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    // Reading the certificates of the system costs time, and http without redirects needs none.
    let is_secure = request.url.starts_with("https") || request.follows_redirects;
    let certificates = if is_secure { Arc::clone(&CERTIFICATES) } else { Arc::default() };
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::Specific(certificates))
        .disable_verification(!request.verifies_certificate)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let config = Agent::config_builder()
        // OPA gives policies every response, with its `status_code`.
        .http_status_as_error(false)
        .allow_non_standard_methods(true)
        .max_redirects(if request.follows_redirects { MAX_REDIRECTS } else { 0 })
        .max_redirects_will_error(request.follows_redirects)
        .user_agent(concat!("objchange/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .timeout_global(Some(timeout));
    config.build().new_agent()
}

/// The text that belongs to the code, as servers usually write it.
fn status(response: &Response<Body>) -> String {
    let status = response.status();
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

fn headers(all: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    all.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect()
}
