//! `http.send` and `net.lookup_ip_addr`: the host's network, as OPA's policies use it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::arguments::{object, some, text};
use super::encoding::check_numbers;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::network::{HttpRequest, HttpResponse, NetworkError};
use crate::value::{Number, Object, Value};

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::networked("http.send", &[Types::OBJECT], send),
    Builtin::networked("net.lookup_ip_addr", &[Types::STRING], lookup),
];

/// The time of a request that does not say how long it may take.
// The default of OPA's `http.send`.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Members that say how responses are kept for other evaluations, where none are.
const CACHING: [&str; 5] =
    ["cache", "cache_ignored_headers", "caching_mode", "force_cache", "force_cache_duration_seconds"];

fn lookup(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let name = text(operands, 0)?;
    let (network, left) = context.network("net.lookup_ip_addr")?;
    let found = network.lookup(name, left.min(TIMEOUT));
    context.charge_now(64)?;
    let addresses = found.map_err(|error| BuiltinError::failed(error.message))?;
    context.charge(64 * addresses.len())?;
    some(Value::set(addresses.iter().map(|address| Value::from(address.to_string())).collect::<Vec<_>>()))
}

fn send(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let members = object(operands, 0)?;
    let request = Request::read(members)?;
    let (network, left) = context.network("http.send")?;
    let http = HttpRequest { timeout: request.http.timeout.min(left), ..request.http };
    let response = network.send(&http);
    // The clock is looked at after each request, because a request may take as long as all other work.
    context.charge_now(256)?;
    match response {
        Ok(response) => request.decoding.value(context, &response).map(Some),
        Err(error) if request.raises_error => Err(BuiltinError::failed(error.message)),
        Err(error) => some(failure(error)),
    }
}

/// The response of a failed request.
fn failure(error: NetworkError) -> Value {
    let code = Value::from("eval_http_send_network_error");
    let error = [(Value::from("code"), code), (Value::from("message"), Value::from(error.message))];
    Value::object([(Value::from("status_code"), Value::int(0)), (Value::from("error"), Value::object(error))])
}

struct Request {
    http: HttpRequest,
    decoding: Decoding,
    /// A request without a response is a failure of the function.
    raises_error: bool,
}

impl Request {
    fn read(members: &Object) -> Result<Self, BuiltinError> {
        let mut http = HttpRequest {
            method: String::new(),
            url: String::new(),
            headers: Vec::new(),
            body: None,
            timeout: TIMEOUT,
            follows_redirects: false,
            verifies_certificate: true,
            retries: 0,
        };
        let mut decoding = Decoding::default();
        let mut raises_error = true;
        let mut headers = BTreeMap::new();
        for (name, value) in members.iter() {
            let name = name.as_str().unwrap_or_default();
            match name {
                "method" => http.method = string(name, value)?.to_uppercase(),
                "url" => http.url = string(name, value)?.to_owned(),
                "body" if http.body.is_none() => {
                    check_numbers(value)?;
                    http.body = Some(value.to_json());
                }
                "body" => {}
                // It goes before `body`, which comes first.
                "raw_body" => http.body = Some(string(name, value)?.to_owned()),
                "headers" => {
                    let all = value.as_object().ok_or_else(|| wrong(name, "an object", value))?;
                    for (name, value) in all.iter() {
                        let Some(name) = name.as_str() else {
                            return Err(failed("the names of \"headers\" must be strings"));
                        };
                        headers.insert(name.to_owned(), string(name, value)?.to_owned());
                    }
                }
                "timeout" => http.timeout = timeout(value)?,
                "enable_redirect" => http.follows_redirects = flag(name, value)?,
                "tls_insecure_skip_verify" => http.verifies_certificate = !flag(name, value)?,
                "force_json_decode" => decoding.forces_json = flag(name, value)?,
                "force_yaml_decode" => decoding.forces_yaml = flag(name, value)?,
                "raise_error" => raises_error = flag(name, value)?,
                "max_retry_attempts" => {
                    let count = value.as_number().and_then(Number::as_i64);
                    let count = count.and_then(|count| u32::try_from(count).ok());
                    http.retries = count.ok_or_else(|| wrong(name, "a whole number from 0", value))?;
                }
                name if CACHING.contains(&name) => {}
                // An unsupported option ends the evaluation: without it the result could be wrong either
                // way.
                name if name.starts_with("tls_") => {
                    return Err(BuiltinError::refused(format!("{name} is not supported")));
                }
                name => {
                    return Err(failed(format!("invalid request parameters(s): {{{}}}", Value::from(name))));
                }
            }
        }
        http.headers = headers.into_iter().collect();
        for (name, text) in [("method", &http.method), ("url", &http.url)] {
            if text.is_empty() {
                return Err(failed(format!("missing required request parameters(s): {{\"{name}\"}}")));
            }
        }
        if !["http://", "https://"].iter().any(|scheme| http.url.starts_with(scheme)) {
            return Err(failed("the url must begin with http:// or https://"));
        }
        Ok(Self { http, decoding, raises_error })
    }
}

fn failed(message: impl Into<String>) -> BuiltinError {
    BuiltinError::failed(message)
}

fn wrong(name: &str, want: &str, value: &Value) -> BuiltinError {
    BuiltinError::wrong_type(format!("{name:?} must be {want} but got {}", value.type_name()))
}

fn string<'v>(name: &str, value: &'v Value) -> Result<&'v str, BuiltinError> {
    value.as_str().ok_or_else(|| wrong(name, "a string", value))
}

fn flag(name: &str, value: &Value) -> Result<bool, BuiltinError> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        _ => Err(wrong(name, "a boolean", value)),
    }
}

/// A number of nanoseconds, or a text such as `1500ms`.
fn timeout(value: &Value) -> Result<Duration, BuiltinError> {
    let value = match value {
        Value::String(text) => super::time::parse_duration(text)?,
        value => Some(value.clone()),
    };
    let nanoseconds = value.as_ref().and_then(Value::as_number).and_then(Number::as_i64);
    match nanoseconds.map(u64::try_from) {
        // Without a timeout the request may take all the time left.
        Some(Ok(0)) => Ok(Duration::MAX),
        Some(Ok(nanoseconds)) => Ok(Duration::from_nanos(nanoseconds)),
        _ => Err(failed("\"timeout\" must be a number of nanoseconds or a duration such as \"5s\"")),
    }
}

/// How `body` of a response is made.
#[derive(Default)]
struct Decoding {
    forces_json: bool,
    forces_yaml: bool,
}

impl Decoding {
    fn value(&self, context: &mut Context<'_>, response: &HttpResponse) -> Result<Value, BuiltinError> {
        let mut headers: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (name, value) in &response.headers {
            headers.entry(name.to_lowercase()).or_default().push(Value::from(value.as_str()));
        }
        let content_type = headers.get("content-type").and_then(|values| values.first()?.as_str());
        let content_type = content_type.unwrap_or_default();
        let is = |kind: &str| content_type.contains(kind);
        context.charge(4 * response.body.len() + 256)?;
        let text = Value::from(&*String::from_utf8_lossy(&response.body));
        // A body that cannot be decoded is null.
        let decoded = if self.forces_json || is("application/json") {
            text.as_str().and_then(|text| Value::from_json(text).ok())
        } else if self.forces_yaml || is("application/yaml") || is("application/x-yaml") {
            yaml(context, &text)?
        } else {
            None
        };
        let headers = headers.into_iter().map(|(name, values)| (Value::from(name), Value::array(values)));
        Ok(Value::object([
            (Value::from("status"), Value::from(response.status.as_str())),
            (Value::from("status_code"), Value::int(response.status_code)),
            (Value::from("body"), decoded.unwrap_or(Value::Null)),
            (Value::from("raw_body"), text),
            (Value::from("headers"), Value::object(headers.collect::<Vec<_>>())),
        ]))
    }
}

fn yaml(context: &mut Context<'_>, text: &Value) -> Result<Option<Value>, BuiltinError> {
    let Some(builtin) = super::lookup("yaml.unmarshal") else { return Ok(None) };
    match builtin.call(context, std::slice::from_ref(text)) {
        Err(error) if error.kind.ends() => Err(error),
        decoded => Ok(decoded.ok().flatten()),
    }
}
