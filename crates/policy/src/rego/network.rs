//! The responses of the network while rules were evaluated over a document.
//!
//! Rules are evaluated several times: without secrets, to see what may be shown, and as if nothing were unknown. Only the
//! first evaluation sends requests. The others see the same answers to the same requests. A request that is another one
//! without the secrets has no answer then, so that nothing that depends on it is shown.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use objchange_rego::{HttpRequest, HttpResponse, Network, NetworkError};

type Answers<K, V> = Mutex<HashMap<K, Result<V, NetworkError>>>;

/// A network, and what it has answered.
#[derive(Debug)]
pub(crate) struct Remembered {
    network: Arc<dyn Network>,
    is_closed: AtomicBool,
    responses: Answers<HttpRequest, HttpResponse>,
    addresses: Answers<String, Vec<IpAddr>>,
}

impl Remembered {
    pub(crate) fn new(network: Arc<dyn Network>) -> Self {
        let is_closed = AtomicBool::new(false);
        Self { network, is_closed, responses: Mutex::default(), addresses: Mutex::default() }
    }

    /// From now on there are only the answers that there have been.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// The first answer counts, also where two threads ask at once.
    fn answer<K: std::hash::Hash + Eq, V: Clone>(
        &self,
        answers: &Answers<K, V>,
        question: K,
        ask: impl FnOnce() -> Result<V, NetworkError>,
    ) -> Result<V, NetworkError> {
        let lock = || answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = lock().get(&question) {
            return answer.clone();
        }
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(NetworkError::new("there is no answer without the values that must not be shown"));
        }
        let answer = ask();
        lock().entry(question).or_insert(answer).clone()
    }
}

impl Network for Remembered {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, NetworkError> {
        // How much time is left of the evaluation does not make it another request.
        let question = HttpRequest { timeout: Duration::ZERO, ..request.clone() };
        self.answer(&self.responses, question, || self.network.send(request))
    }

    fn lookup(&self, name: &str, timeout: Duration) -> Result<Vec<IpAddr>, NetworkError> {
        self.answer(&self.addresses, name.to_owned(), || self.network.lookup(name, timeout))
    }
}
