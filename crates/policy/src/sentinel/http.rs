//! The import `http`, where policies may use the network.
//!
//! Clients and requests are maps of functions, each of which returns another client or request: no call changes one that
//! there is.

use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use objchange_rego::{HttpRequest, Network};
use objchange_sentinel::{Function, HostError, Import, List, Map, Value};

/// How long a request may take where the policy says nothing about it.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The longest that a policy may ask for.
const MOST_SECONDS: i64 = 3600;

/// The most attempts that a policy may ask for.
const MOST_RETRIES: i64 = 100;

type Made = Result<Value, HostError>;

/// The import of one run.
#[derive(Debug)]
pub(super) struct Http {
    pub(super) network: Arc<dyn Network>,
}

impl Import for Http {
    fn member(&self, name: &str) -> Option<Value> {
        let client =
            Client { network: Arc::clone(&self.network), accepted: vec![200], timeout: TIMEOUT, retries: 0 };
        match name {
            "client" => Some(client.value()),
            "request" => {
                Some(function("request", 1, |arguments| Ok(Request::new(text(&arguments[0])?).value())))
            }
            "methodGet" => Some(Value::from("GET")),
            "methodPost" => Some(Value::from("POST")),
            // The import has all functions of the client.
            name => client.member(name),
        }
    }
}

/// A function whose result is undefined where an argument is.
fn function(name: &'static str, arity: usize, call: impl Fn(&[Value]) -> Made + 'static) -> Value {
    Value::Function(Function::host(name, arity..=arity, move |arguments| {
        match arguments.iter().find(|argument| argument.is_undefined()) {
            Some(undefined) => Ok(undefined.clone()),
            None => call(arguments),
        }
    }))
}

fn text(value: &Value) -> Result<&str, HostError> {
    value.as_str().ok_or_else(|| format!("expected a string, found {}", value.type_name()).into())
}

fn whole(value: &Value, most: i64) -> Result<i64, HostError> {
    match value.seen() {
        Value::Int(number) if (0..=most).contains(number) => Ok(*number),
        Value::Int(_) => Err(format!("expected a number from 0 to {most}").into()),
        other => Err(format!("expected an int, found {}", other.type_name()).into()),
    }
}

/// How requests are sent.
#[derive(Debug, Clone)]
struct Client {
    network: Arc<dyn Network>,
    /// Any other status is an error of the policy.
    accepted: Vec<i64>,
    timeout: Duration,
    retries: u32,
}

const OF_CLIENT: [&str; 6] = ["accept_status_codes", "get", "post", "send", "with_retries", "with_timeout"];

impl Client {
    fn value(&self) -> Value {
        let members = OF_CLIENT.iter().filter_map(|name| Some((*name, self.member(name)?)));
        Value::Map(members.collect::<Map>())
    }

    fn member(&self, name: &str) -> Option<Value> {
        let client = self.clone();
        Some(match name {
            "accept_status_codes" => function("accept_status_codes", 1, move |arguments| {
                let Value::List(codes) = arguments[0].seen() else {
                    return Err(format!("expected a list, found {}", arguments[0].type_name()).into());
                };
                let codes = codes.items().iter().map(|code| whole(code, 999)).collect::<Result<_, _>>()?;
                Ok(Self { accepted: codes, ..client.clone() }.value())
            }),
            "with_retries" => function("with_retries", 1, move |arguments| {
                let retries = u32::try_from(whole(&arguments[0], MOST_RETRIES)?).unwrap_or_default();
                Ok(Self { retries, ..client.clone() }.value())
            }),
            "with_timeout" => function("with_timeout", 1, move |arguments| {
                let seconds = whole(&arguments[0], MOST_SECONDS)?.unsigned_abs();
                Ok(Self { timeout: Duration::from_secs(seconds), ..client.clone() }.value())
            }),
            "get" => function("get", 1, move |arguments| client.send(&arguments[0], Some("GET"))),
            "post" => function("post", 1, move |arguments| client.send(&arguments[0], Some("POST"))),
            "send" => function("send", 1, move |arguments| client.send(&arguments[0], None)),
            _ => return None,
        })
    }

    fn send(&self, asked: &Value, method: Option<&str>) -> Made {
        let request = Request::of(asked)?;
        let method = method.unwrap_or(&request.method).to_owned();
        if !["http://", "https://"].iter().any(|scheme| request.url.starts_with(scheme)) {
            return Err("an address begins with http:// or https://".into());
        }
        let response = self.network.send(&HttpRequest {
            method: method.clone(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
            timeout: self.timeout,
            follows_redirects: true,
            verifies_certificate: true,
            retries: self.retries,
        });
        let response = response.map_err(|error| error.message)?;
        if !self.accepted.contains(&i64::from(response.status_code)) {
            return Err(format!("{method} {}: {}", request.address(), response.status).into());
        }
        let mut headers: Vec<(String, String)> = Vec::new();
        for (name, value) in response.headers {
            let name = written(&name);
            match headers.iter_mut().find(|(other, _)| *other == name) {
                Some((_, values)) => *values = format!("{values}, {value}"),
                None => headers.push((name, value)),
            }
        }
        let headers = headers.iter().map(|(name, value)| (name.as_str(), Value::from(value.as_str())));
        let members = [
            ("body", Value::from(String::from_utf8_lossy(&response.body).into_owned())),
            ("headers", Value::Map(headers.collect::<Map>())),
            ("status_code", Value::from(i64::from(response.status_code))),
        ];
        Ok(Value::Map(members.into_iter().collect::<Map>()))
    }
}

/// The name of a header as people write it: `Content-Type`.
fn written(name: &str) -> String {
    let part = |part: &str| {
        let mut chars = part.chars();
        chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect::<String>()
    };
    name.split('-').map(part).collect::<Vec<_>>().join("-")
}

/// A request, with its parts as members beside the functions that change them.
#[derive(Clone)]
struct Request {
    url: String,
    method: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

impl Request {
    fn new(url: &str) -> Self {
        Self { url: url.to_owned(), method: "GET".to_owned(), headers: Vec::new(), body: None }
    }

    /// The request that a policy passes: an address, or what `request` has made.
    fn of(value: &Value) -> Result<Self, HostError> {
        if let Some(url) = value.as_str() {
            return Ok(Self::new(url));
        }
        let Value::Map(map) = value.seen() else {
            return Err(format!("expected an address or a request, found {}", value.type_name()).into());
        };
        let member = |name: &str| map.get(name).and_then(|value| value.as_str().map(str::to_owned));
        let url = member("url").ok_or("this map is no request")?;
        let headers = match map.get("headers") {
            Some(Value::List(pairs)) => pairs.items().iter().filter_map(pair).collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            url,
            method: member("method").unwrap_or_else(|| "GET".to_owned()),
            headers,
            body: member("body"),
        })
    }

    /// The address without its user and its query, which may hold a password.
    fn address(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        format!("{scheme}://{host}{path}")
    }

    fn with_header(mut self, name: &str, value: String) -> Self {
        let name = name.to_lowercase();
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value));
        self.headers.sort();
        self
    }

    fn value(&self) -> Value {
        let of = |change: fn(Self, &[Value]) -> Result<Self, HostError>| {
            let request = self.clone();
            move |arguments: &[Value]| change(request.clone(), arguments).map(|request| request.value())
        };
        let pair = |(name, value): &(String, String)| {
            Value::List(List::from(vec![Value::from(name.as_str()), Value::from(value.as_str())]))
        };
        let headers: Vec<Value> = self.headers.iter().map(pair).collect();
        let mut members = vec![
            ("url", Value::from(self.url.as_str())),
            ("method", Value::from(self.method.as_str())),
            ("headers", Value::from(headers)),
            (
                "with_header",
                function(
                    "with_header",
                    2,
                    of(|request, a| Ok(request.with_header(text(&a[0])?, text(&a[1])?.to_owned()))),
                ),
            ),
            (
                "with_basic_auth",
                function(
                    "with_basic_auth",
                    2,
                    of(|request, a| {
                        let both = format!("{}:{}", text(&a[0])?, text(&a[1])?);
                        let value = format!("Basic {}", BASE64.encode(both.as_bytes()));
                        Ok(request.with_header("authorization", value))
                    }),
                ),
            ),
            (
                "with_body",
                function(
                    "with_body",
                    1,
                    of(|request, a| Ok(Self { body: Some(text(&a[0])?.to_owned()), ..request })),
                ),
            ),
            (
                "with_method",
                function(
                    "with_method",
                    1,
                    of(|request, a| match text(&a[0])? {
                        method @ ("GET" | "POST") => Ok(Self { method: method.to_owned(), ..request }),
                        _ => Err("the method is GET or POST".into()),
                    }),
                ),
            ),
        ];
        members.extend(self.body.as_deref().map(|body| ("body", Value::from(body))));
        Value::Map(members.into_iter().collect::<Map>())
    }
}

fn pair(pair: &Value) -> Option<(String, String)> {
    let Value::List(pair) = pair else { return None };
    Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_str()?.to_owned()))
}
