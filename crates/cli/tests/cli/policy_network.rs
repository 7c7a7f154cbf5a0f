//! `objchange policy --allow-net`: requests of policies.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange};

/// A request as a server has seen it.
#[derive(Debug, Clone)]
struct ReceivedRequest {
    line: String,
    headers: Vec<String>,
    body: String,
}

/// A server on this machine, for as long as the program runs.
struct Server {
    url: String,
    seen: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
        let noted = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let noted = Arc::clone(&noted);
                thread::spawn(move || answer(stream.unwrap(), &noted));
            }
        });
        Self { url, seen }
    }

    fn seen(&self) -> Vec<ReceivedRequest> {
        self.seen.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, seen: &Mutex<Vec<ReceivedRequest>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() <= 2 {
            break;
        }
        lines.push(line.trim_end().to_lowercase());
    }
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let first = lines.remove(0);
    let path = first.split(' ').nth(1).unwrap().to_owned();
    let body = String::from_utf8(body).unwrap();
    seen.lock().unwrap().push(ReceivedRequest { line: first, headers: lines, body });
    let (status, headers, body) = match &*path {
        "/json" => {
            ("200 OK", "Content-Type: application/json\r\nX-A: 1\r\nX-A: 2", r#"{"limit":3}"#.to_owned())
        }
        "/yaml" => ("200 OK", "Content-Type: application/yaml", "limit: 4".to_owned()),
        "/text" => ("404 Not Found", "Content-Type: text/plain", "{\"limit\": 5}".to_owned()),
        "/broken" => ("200 OK", "Content-Type: application/json", "{".to_owned()),
        "/from" => ("302 Found", "Location: /json", String::new()),
        "/large" => ("200 OK", "Content-Type: text/plain", "a".repeat(17 << 20)),
        // It never answers.
        _ => return thread::park(),
    };
    let length = body.len();
    // The program may have gone.
    _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{headers}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}

const SECRET: &str = "hunter2x";

fn plan() -> String {
    json!({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": [{
        "address": "t.a", "mode": "managed", "type": "t", "name": "a", "provider_name": "p", "change": {
            "actions": ["create"], "before": null, "after": {"secret": SECRET, "size": 3}, "after_unknown": {},
            "after_sensitive": {"secret": true}}}]})
    .to_string()
}

/// Evaluates a policy of which this is the body, with `msg` as its message.
fn deny(server: &Server, body: &str, more: &[&str]) -> Output {
    let body = body.replace("URL", &server.url);
    let text = format!(
        "package main\n\nchange := input.tfplan.resource_changes[_].change\n\n\
        deny contains msg if {{\n{body}\n}}\n"
    );
    let folder = Folder::with("network", &[("p.rego", &*text)]);
    let rego = folder.at("p.rego");
    objchange([&["policy", "--rego", rego.to_str().unwrap()], more].concat(), plan())
}

fn messages(output: &Output) -> Vec<Value> {
    let report: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let rules = report["rules"].as_array().unwrap().iter();
    rules.flat_map(|rule| rule["findings"].as_array().unwrap()).map(|one| one["message"].clone()).collect()
}

const ALLOWED: &[&str] = &["--allow-net", "--json"];

#[test]
fn http_send_answers_as_in_opa() {
    let server = Server::start();
    for (call, value, expected) in [
        (r#"{"method": "get", "url": "URL/json"}"#, "response.status", "200 OK"),
        (r#"{"method": "get", "url": "URL/json"}"#, "response.body.limit", "3"),
        (r#"{"method": "get", "url": "URL/json"}"#, r#"response.headers["x-a"]"#, r#"["1", "2"]"#),
        (r#"{"method": "get", "url": "URL/json"}"#, "response.raw_body", r#"{"limit":3}"#),
        (r#"{"method": "get", "url": "URL/yaml"}"#, "response.body.limit", "4"),
        (r#"{"method": "get", "url": "URL/text"}"#, "[response.status_code, response.body]", "[404, null]"),
        (r#"{"method": "get", "url": "URL/broken"}"#, "response.body", "null"),
        (r#"{"method": "get", "url": "URL/text", "force_json_decode": true}"#, "response.body.limit", "5"),
        (r#"{"method": "get", "url": "URL/from"}"#, "response.status_code", "302"),
        (r#"{"method": "get", "url": "URL/from", "enable_redirect": true}"#, "response.body.limit", "3"),
        (
            r#"{"method": "get", "url": "URL/silent", "timeout": "200ms", "raise_error": false}"#,
            "[response.status_code, response.error.code]",
            r#"[0, "eval_http_send_network_error"]"#,
        ),
        (
            r#"{"method": "get", "url": "URL/large", "raise_error": false, "cache": true}"#,
            "response.status_code",
            "0",
        ),
    ] {
        let body = format!("\tresponse := http.send({call})\n\tmsg := sprintf(\"%v\", [{value}])");
        let output = deny(&server, &body, ALLOWED);
        assert_eq!(messages(&output), [json!(expected)], "{call}: {output:?}");
    }
}

#[test]
fn a_request_is_sent_once_and_only_with_its_own_values() {
    let server = Server::start();
    let body = "\tresponse := http.send({\"method\": \"post\", \"url\": \"URL/json\", \
        \"headers\": {\"X-Key\": \"v\"}, \"body\": {\"size\": change.after.size}})\n\
        \tresponse.body.limit == 3\n\tmsg := \"too large\"";
    let output = deny(&server, body, ALLOWED);
    assert_eq!(messages(&output), ["too large"], "{output:?}");
    let body = "\thttp.send({\"method\": \"get\", \"url\": \"URL/json\", \"body\": change.after}).body.limit == 3\n\
        \tmsg := \"secret\"";
    let output = deny(&server, body, ALLOWED);
    let all = format!("{}{}", output.stdout, output.stderr);
    // The server's answer may depend on the secret.
    assert!(!messages(&output).contains(&json!("secret")) && !all.contains(SECRET), "{output:?}");
    assert_eq!(messages(&output).len(), 1, "{output:?}");
    let seen = server.seen();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen[0].line.starts_with("post /json "), "{seen:?}");
    assert!(seen[0].headers.contains(&"x-key: v".to_owned()), "{seen:?}");
    assert_eq!(seen[0].body, r#"{"size":3}"#);
    assert!(seen[1].body.contains(SECRET), "{seen:?}");
}

#[test]
fn a_request_without_an_answer_is_a_warning_or_a_failure() {
    let server = Server::start();
    let body = "\thttp.send({\"method\": \"get\", \"url\": \"URL/silent?key=v\", \"timeout\": \"200ms\"})\n\tmsg := \"a\"";
    let output = deny(&server, body, &["--allow-net"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.stderr.contains("http.send: GET http://") && output.stderr.contains("timed out"),
        "{output:?}"
    );
    assert!(!output.stderr.contains("key=v"), "{output:?}");
    let output = deny(&server, body, &["--allow-net", "--strict-builtin-errors"]);
    assert_eq!(output.code, 1, "{output:?}");
    let body = "\thttp.send({\"method\": \"get\", \"url\": \"URL/silent\", \"timeout\": 0})\n\tmsg := \"a\"";
    let output = deny(&server, body, &["--allow-net", "--timeout", "1"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("--timeout"), "{output:?}");
    // An option that is not supported must not make a rule pass.
    let body =
        "\thttp.send({\"method\": \"get\", \"url\": \"URL/json\", \"tls_ca_cert\": \"x\"})\n\tmsg := \"a\"";
    let output = deny(&server, body, &["--allow-net"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("tls_ca_cert is not supported"), "{output:?}");
}

#[test]
fn names_are_looked_up() {
    let server = Server::start();
    let body = "\t\"127.0.0.1\" in net.lookup_ip_addr(\"localhost\")\n\tmsg := \"local\"";
    assert_eq!(messages(&deny(&server, body, ALLOWED)), ["local"]);
    let output = deny(&server, body, &[]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("--allow-net"), "{output:?}");
}

/// Applies a Sentinel policy, in which `URL` is that of the server.
fn apply(server: &Server, text: &str, more: &[&str]) -> Output {
    let text = format!("import \"http\"\nimport \"json\"\n\n{}\n", text.replace("URL", &server.url));
    let folder = Folder::with("sentinel-network", &[("p.sentinel", &*text)]);
    let policy = folder.at("p.sentinel");
    objchange([&["sentinel", "apply", policy.to_str().unwrap(), "--plan", "-"], more].concat(), plan())
}

#[test]
fn sentinel_policies_use_the_network_where_they_may() {
    let server = Server::start();
    let refused = apply(&server, "main = rule { http.get(\"URL/json\").status_code is 200 }", &[]);
    assert!(refused.code == 3 && refused.stdout.contains("--allow-net"), "{refused:?}");
    for (text, expected) in [
        ("json.unmarshal(http.get(\"URL/json\").body).limit is 3", 0),
        ("http.get(\"URL/json\").headers[\"Content-Type\"] is \"application/json\"", 0),
        ("http.get(\"URL/from\").status_code is 200", 0),
        ("http.accept_status_codes([200, 404]).get(\"URL/text\").status_code is 404", 0),
        ("http.client.accept_status_codes([404]).with_retries(1).get(\"URL/text\").status_code is 404", 0),
        // By default any other status than 200 is an error of the policy.
        ("http.get(\"URL/text\").status_code is 404", 3),
        ("http.with_timeout(1).get(\"URL/silent\").status_code is 200", 3),
        ("http.get(\"file:///etc/passwd\").status_code is 200", 3),
        ("http.get(undefined).status_code is 200", 2),
    ] {
        let output = apply(&server, &format!("main = rule {{ {text} }}"), &["--allow-net"]);
        assert_eq!(output.code, expected, "{text}: {output:?}");
    }
    let before = server.seen().len();
    let text = "request = http.request(\"URL/json\").with_header(\"X-Key\", \"v\").with_basic_auth(\"ann\", \"pass\")\n\
        sent = http.post(request.with_body(\"{}\"))\nagain = http.post(request.with_body(\"{}\"))\n\
        main = rule { sent.status_code is 200 and again.body is sent.body }";
    let output = apply(&server, text, &["--allow-net"]);
    assert_eq!(output.code, 0, "{output:?}");
    let seen = &server.seen()[before..];
    assert_eq!(seen.len(), 1, "equal requests have one answer: {seen:?}");
    assert!(seen[0].line.starts_with("post /json "), "{seen:?}");
    assert!(seen[0].headers.contains(&"x-key: v".to_owned()), "{seen:?}");
    assert!(seen[0].headers.contains(&"authorization: basic yw5uonbhc3m=".to_owned()), "{seen:?}");
    assert_eq!(seen[0].body, "{}");
}

#[test]
fn no_server_sees_what_stands_for_a_secret() {
    let server = Server::start();
    let text = "import \"tfplan/v2\" as tfplan\n\nsecret = tfplan.resource_changes[\"t.a\"].change.after.secret\n\
        sent = http.post(http.request(\"URL/json\").with_body(secret))\n\
        print(secret)\nmain = rule { sent.status_code is 404 }";
    let output = apply(&server, text, &["--allow-net"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(!format!("{}{}", output.stdout, output.stderr).contains(SECRET), "{output:?}");
    let bodies: Vec<String> = server.seen().into_iter().map(|one| one.body).collect();
    assert_eq!(bodies, [SECRET]);
}
