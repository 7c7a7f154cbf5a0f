//! Chromium without a window, driven by the protocol of its developer tools through pipes.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use libtest_mimic::Failed;
use serde_json::{Value, json};

/// The browser that is named by `OBJCHANGE_CHROMIUM`, or one that is installed.
pub(crate) fn find() -> Option<PathBuf> {
    if !cfg!(unix) {
        return None;
    }
    // One that is named and not there is an error.
    if let Some(path) = env::var_os("OBJCHANGE_CHROMIUM") {
        return Some(PathBuf::from(path));
    }
    let names =
        ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"];
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// How long an answer may take before the browser is thought to hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one tab. It ends when it is dropped.
pub(crate) struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    last_id: u64,
    session: Option<String>,
    /// Events since the last page was opened.
    events: Vec<Value>,
    folder: PathBuf,
}

impl Browser {
    pub(crate) fn start(path: &Path) -> Result<Self, Failed> {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("objchange-browser-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)?;
        // The browser reads commands from the third file and answers on the fourth.
        let mut process = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#, "sh"])
            .arg(path)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-dev-shm-usage",
            ])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--remote-debugging-pipe", "--window-size=1280,900"])
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (to, out) = (process.stdin.take().ok_or("no input")?, process.stdout.take().ok_or("no output")?);
        let (sender, from) = channel();
        thread::spawn(move || {
            let messages = BufReader::new(out).split(0).map_while(Result::ok);
            for message in messages.filter_map(|message| serde_json::from_slice(&message).ok()) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self { process, to, from, last_id: 0, session: None, events: Vec::new(), folder };
        let target = browser.send("Target.createTarget", &json!({"url": "about:blank"}))?["targetId"].clone();
        let attached =
            browser.send("Target.attachToTarget", &json!({"targetId": target, "flatten": true}))?;
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network", "Audits"] {
            browser.send(&format!("{domain}.enable"), &json!({}))?;
        }
        Ok(browser)
    }

    /// Sends a command, and gives the answer.
    pub(crate) fn send(&mut self, method: &str, parameters: &Value) -> Result<Value, Failed> {
        self.last_id += 1;
        let id = self.last_id;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(message.to_string().as_bytes())?;
        self.to.write_all(&[0])?;
        self.to.flush()?;
        loop {
            let mut answer = self.receive()?;
            if answer["id"] == id {
                return match answer.get("error") {
                    Some(error) => Err(format!("{method}: {error}").into()),
                    None => Ok(answer["result"].take()),
                };
            }
            self.events.push(answer);
        }
    }

    fn receive(&self) -> Result<Value, Failed> {
        self.from.recv_timeout(PATIENCE).map_err(|_| Failed::from("the browser does not answer"))
    }

    /// Opens a page from a file, with what is behind the `#` of its address.
    pub(crate) fn open(&mut self, page: &str, fragment: &str) -> Result<(), Failed> {
        let file = self.folder.join("page.html");
        fs::write(&file, page)?;
        self.open_url(&format!("file://{}#{fragment}", file.display()))
    }

    pub(crate) fn open_url(&mut self, url: &str) -> Result<(), Failed> {
        // From one part of a page to another nothing is loaded.
        self.navigate("about:blank")?;
        self.events.clear();
        self.navigate(url)
    }

    fn navigate(&mut self, url: &str) -> Result<(), Failed> {
        let is_loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        self.events.retain(|event| !is_loaded(event));
        self.send("Page.navigate", &json!({"url": url}))?;
        while !self.events.iter().any(is_loaded) {
            let event = self.receive()?;
            self.events.push(event);
        }
        Ok(())
    }

    /// The value of an expression on the page, of a promise what it promised.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Result<Value, Failed> {
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.send("Runtime.evaluate", &parameters)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(format!("{expression}: {details}").into()),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&mut self, expression: &str) -> Result<(), Failed> {
        let poll = format!(
            "(async () => {{ for (let i = 0; i < 3000; i++) {{ if ({expression}) return true; \
             await new Promise((r) => setTimeout(r, 10)); }} return false; }})()"
        );
        match self.evaluate(&poll)? {
            Value::Bool(true) => Ok(()),
            _ => Err(format!("{expression} does not become true").into()),
        }
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) -> Result<(), Failed> {
        let (text, code) = match key {
            "Enter" => ("\r", 13),
            "Escape" => ("", 27),
            "Tab" => ("", 9),
            key => (key, 0),
        };
        let down = json!({"type": if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "key": key, "text": text,
            "windowsVirtualKeyCode": code});
        self.send("Input.dispatchKeyEvent", &down)?;
        self.send(
            "Input.dispatchKeyEvent",
            &json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
        )?;
        Ok(())
    }

    /// Types a text into what has the focus.
    pub(crate) fn enter(&mut self, text: &str) -> Result<(), Failed> {
        self.send("Input.insertText", &json!({"text": text})).map(|_| ())
    }

    /// The addresses that were requested since the page was opened, and what was said on the console or opened as a dialog.
    pub(crate) fn happened(&mut self) -> Result<(Vec<String>, Vec<String>), Failed> {
        // Give pending events time to arrive before the reply.
        thread::sleep(Duration::from_millis(50));
        self.evaluate("0")?;
        let (mut requests, mut messages) = (Vec::new(), Vec::new());
        for event in &self.events {
            match event["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" => {
                    let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                    requests.push(url.to_owned());
                }
                "Runtime.consoleAPICalled"
                | "Runtime.exceptionThrown"
                | "Log.entryAdded"
                | "Audits.issueAdded"
                | "Page.javascriptDialogOpening" => messages.push(event.to_string()),
                _ => {}
            }
        }
        Ok((requests, messages))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
        _ = fs::remove_dir_all(&self.folder);
    }
}
