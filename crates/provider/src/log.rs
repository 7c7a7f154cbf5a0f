//! The standard error of a provider: lines, and the dump of a crash.

use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most lines that are kept, the newest.
const MAX_LINES: usize = 2_000;

/// The most of one line that is kept, in bytes.
const MAX_LINE: usize = 64 << 10;

/// How many bytes of a crash are kept: Go prints the stack of every goroutine.
const MAX_CRASH: usize = 256 << 10;

/// The kept lines of a provider's standard error.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Log {
    lines: Vec<LogLine>,
    left_out: u64,
    crash: Option<String>,
}

impl Log {
    /// How many earlier lines were not kept.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The lines, the oldest first.
    pub fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    /// The dump of a crash, from `panic:` or `fatal error:` on.
    pub fn crash(&self) -> Option<&str> {
        self.crash.as_deref()
    }
}

/// A line may say anything, so only their number is shown.
impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Log({} lines{})", self.lines.len(), if self.crash.is_some() { ", a crash" } else { "" })
    }
}

/// One line of a provider's log.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// Its level.
    pub level: Level,
    /// The message.
    pub message: String,
    /// The part of the provider that wrote it.
    pub module: Option<String>,
    /// The time, as the provider writes it.
    pub timestamp: Option<String>,
    /// Its other fields, by name; values as JSON.
    pub fields: Vec<(String, String)>,
}

/// A line may say anything, so only its length is shown.
impl fmt::Debug for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.message.len();
        f.debug_struct("LogLine").field("level", &self.level).field("length", &length).finish_non_exhaustive()
    }
}

/// The level of a line of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// The line has no level.
    Unstated,
    /// Every step.
    Trace,
    /// For people who look for an error.
    Debug,
    /// For people who run the provider.
    Info,
    /// Something may be wrong.
    Warn,
    /// Something is wrong.
    Error,
}

impl Level {
    /// The level of this name, in either case.
    fn named(name: &str) -> Option<Self> {
        let levels = [
            ("trace", Self::Trace),
            ("debug", Self::Debug),
            ("info", Self::Info),
            ("warn", Self::Warn),
            ("error", Self::Error),
        ];
        levels.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, level)| level)
    }
}

impl LogLine {
    /// Reads a line: an object in JSON with `@message` and similar keys, or any text.
    ///
    /// ```
    /// use objchange_provider::client::{Level, LogLine};
    ///
    /// let line = LogLine::parse(r#"{"@level":"warn","@message":"slow","@module":"sdk","tries":3}"#);
    /// assert_eq!((line.level, line.message.as_str()), (Level::Warn, "slow"));
    /// assert_eq!(line.fields, [("tries".into(), "3".into())]);
    /// assert_eq!(LogLine::parse("[INFO] ready").level, Level::Info);
    /// ```
    pub fn parse(line: &str) -> Self {
        let line = line.trim_end();
        if let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(line)
            // Providers in Go log through hclog, which writes an object with this key on each line.
            && fields.contains_key("@message")
        {
            return Self::structured(fields);
        }
        // go-plugin takes the level of any other line from such a prefix, too.
        let stated = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let level = stated.and_then(|(name, _)| Level::named(name.trim())).unwrap_or(Level::Unstated);
        let (message, fields) = (line.to_owned(), Vec::new());
        Self { level, message, module: None, timestamp: None, fields }
    }

    fn structured(mut fields: serde_json::Map<String, serde_json::Value>) -> Self {
        let mut take = |key: &str| match fields.remove(key) {
            Some(serde_json::Value::String(text)) => Some(text),
            other => other.map(|value| value.to_string()),
        };
        let level = take("@level").and_then(|name| Level::named(&name)).unwrap_or(Level::Unstated);
        let message = take("@message").unwrap_or_default();
        let (module, timestamp) = (take("@module"), take("@timestamp"));
        let fields = fields.into_iter().map(|(key, value)| (key, value.to_string())).collect();
        Self { level, message, module, timestamp, fields }
    }
}

/// Records a provider's output while it runs.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    lines: VecDeque<LogLine>,
    /// How many lines there were in all.
    count: u64,
    crash: Option<String>,
    /// The provider will write no more.
    closed: bool,
}

impl Recorder {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records all lines until the input ends.
    pub(crate) fn drain(&self, input: impl Read) {
        let mut input = BufReader::new(input);
        while let Some(line) = read_line(&mut input) {
            self.push(&String::from_utf8_lossy(&line));
        }
        self.state().closed = true;
    }

    /// Keeps a line.
    pub(crate) fn push(&self, line: &str) {
        let mut state = self.state();
        if let Some(crash) = &mut state.crash {
            if crash.len() + line.len() < MAX_CRASH {
                crash.push_str(line);
                crash.push('\n');
            }
        // The runtime of Go writes these itself, past any logger, and all that follows belongs to them.
        } else if line.starts_with("panic: ") || line.starts_with("fatal error: ") {
            state.crash = Some(format!("{line}\n"));
        } else {
            if state.lines.len() == MAX_LINES {
                state.lines.pop_front();
            }
            state.lines.push_back(LogLine::parse(line));
            state.count += 1;
        }
    }

    /// The present length of the log, in lines.
    pub(crate) fn position(&self) -> u64 {
        self.state().count
    }

    /// The lines since a position, and a crash at any time.
    pub(crate) fn since(&self, position: u64) -> Log {
        let state = self.state();
        let wanted = state.count.saturating_sub(position);
        let skipped = state.lines.len().saturating_sub(usize::try_from(wanted).unwrap_or(usize::MAX));
        let lines: Vec<LogLine> = state.lines.iter().skip(skipped).cloned().collect();
        let left_out = wanted.saturating_sub(lines.len() as u64);
        Log { lines, left_out, crash: state.crash.clone() }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }
}

/// The next line without its line break, cut if it is too long; `None` at the end and if reading fails.
pub(crate) fn read_line(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let mut is_anything = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => &[],
        };
        if buffer.is_empty() {
            return is_anything.then_some(line);
        }
        is_anything = true;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        line.extend_from_slice(&part[..part.len().min(MAX_LINE - line.len())]);
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Some(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_takes_all_that_follows() {
        let log = Recorder::default();
        log.drain(&b"{\"@message\":\"a\"}\nplain\npanic: oh\n\ngoroutine 1:\n"[..]);
        let all = log.since(0);
        assert_eq!(all.lines().iter().map(|l| l.message.as_str()).collect::<Vec<_>>(), ["a", "plain"]);
        assert_eq!(all.crash(), Some("panic: oh\n\ngoroutine 1:\n"));
        assert_eq!(log.since(1).lines().len(), 1);
        assert!(log.is_closed());
    }

    /// A reader that is interrupted before each part, and fails in the end.
    struct Interrupted(Vec<&'static [u8]>, bool);

    impl std::io::Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 = !self.1;
            match self.0.is_empty() {
                true => Err(std::io::ErrorKind::BrokenPipe.into()),
                false if self.1 => Err(std::io::ErrorKind::Interrupted.into()),
                false => {
                    let part = self.0.remove(0);
                    buffer[..part.len()].copy_from_slice(part);
                    Ok(part.len())
                }
            }
        }
    }

    #[test]
    fn an_interruption_is_not_the_end_and_an_error_is() {
        let mut input = std::io::BufReader::new(Interrupted(vec![b"on", b"e\ntw", b"o"], false));
        let lines: Vec<_> = std::iter::from_fn(|| read_line(&mut input)).collect();
        assert_eq!(lines, [b"one", b"two"]);
    }

    #[test]
    fn what_is_kept_has_bounds() {
        let log = Recorder::default();
        let long = vec![b'x'; MAX_LINE * 3];
        let short = b"\ny".repeat(MAX_LINES + 10);
        log.drain(long.chain(&short[..]));
        assert_eq!(log.since(0).lines().len(), MAX_LINES);
        // The long line, and ten of the short ones.
        assert_eq!((log.since(0).left_out(), log.since(11).left_out()), (11, 0));
        let log = Recorder::default();
        log.drain(&long[..]);
        assert_eq!(log.since(0).lines()[0].message.len(), MAX_LINE);
        let log = Recorder::default();
        log.drain(b"panic: a\n".chain(&b"goroutine\n".repeat(MAX_CRASH)[..]));
        assert!(log.since(0).crash().unwrap().len() <= MAX_CRASH);
    }
}
