//! `objchange browse` in a real terminal, as far as the system has one to give: without it these tests are ignored.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use pty_process::blocking::{Command, Pty, open};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::json;
use vt100::{MouseProtocolMode, Parser};

use crate::folder::Folder;
use crate::program::{objchange, workspace};

/// How long anything may take. Nothing waits so long that works.
const LONGEST: Duration = Duration::from_secs(60);

const ROWS: u16 = 24;
const COLUMNS: u16 = 80;

type Test = fn() -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let is_absent = open().is_err();
    if is_absent {
        let mut stderr = std::io::stderr();
        _ = writeln!(stderr, "the tests of `browse` are ignored: the system gives no pseudo-terminal");
    }
    let tests: [(&str, Test); 7] = [
        ("a_plan_is_browsed_in_a_terminal", a_plan_is_browsed),
        ("a_plan_on_standard_input_leaves_keys_to_the_terminal", a_plan_on_standard_input),
        ("the_terminal_is_given_back_after_a_signal", a_signal_ends_it),
        ("the_program_is_suspended_and_goes_on", it_is_suspended),
        ("browse_refuses_what_show_refuses", refusals),
        ("browse_says_again_what_could_not_be_shown", an_entry_cannot_be_read),
        ("another_size_is_drawn_again", another_size),
    ];
    let trial = |(name, test)| Trial::test(name, test).with_ignored_flag(is_absent);
    tests.into_iter().map(trial).collect()
}

/// The program in a terminal.
struct Terminal {
    pty: Pty,
    child: Child,
    output: Receiver<Vec<u8>>,
    /// Everything that was written.
    bytes: Vec<u8>,
    parser: Parser,
}

impl Terminal {
    fn start<A: AsRef<OsStr>>(
        arguments: impl IntoIterator<Item = A>,
        input: Option<&Path>,
    ) -> Result<Self, Failed> {
        let (pty, pts) = open()?;
        pty.resize(pty_process::Size::new(ROWS, COLUMNS))?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_objchange"))
            .args(arguments)
            .env("OBJCHANGE_CACHE_DIR", "")
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .current_dir(workspace());
        if let Some(input) = input {
            command = command.stdin(File::open(input)?);
        }
        let child = command.spawn(pts)?;
        let (to, output) = mpsc::channel();
        let mut from = File::from(rustix::io::dup(&pty)?);
        thread::spawn(move || {
            let mut piece = [0; 4096];
            // The terminal ends with an error when nobody has it open any more.
            while let Ok(length @ 1..) = from.read(&mut piece) {
                if to.send(piece[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let size = |size| NonZeroU16::new(size).ok_or("a screen has a size");
        let parser = Parser::new(size(ROWS)?, size(COLUMNS)?, 1_000);
        Ok(Self { pty, child, output, bytes: Vec::new(), parser })
    }

    /// Reads what is written until something is on the screen.
    fn wait_for(&mut self, text: &str) -> Result<(), Failed> {
        self.wait_until(text, |terminal| terminal.contents().contains(text))
    }

    fn wait_until(&mut self, what: &str, is_done: impl Fn(&Self) -> bool) -> Result<(), Failed> {
        let start = Instant::now();
        while !is_done(self) {
            let left = LONGEST.saturating_sub(start.elapsed());
            let Ok(piece) = self.output.recv_timeout(left) else {
                return Err(format!("{what:?} does not come:\n{}", self.contents()).into());
            };
            self.parser.process(&piece);
            self.bytes.extend(piece);
        }
        Ok(())
    }

    fn contents(&self) -> String {
        self.parser.screen().contents()
    }

    fn press(&mut self, keys: &str) -> Result<(), Failed> {
        Ok(self.pty.write_all(keys.as_bytes())?)
    }

    fn pid(&self) -> Result<Pid, Failed> {
        let id = i32::try_from(self.child.id())?;
        Ok(Pid::from_raw(id).ok_or("a process has an id")?)
    }

    /// Waits until the program has ended, and checks that it has given the terminal back.
    fn end(mut self) -> Result<(ExitStatus, String), Failed> {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if start.elapsed() > LONGEST {
                self.child.kill()?;
                return Err(format!("it does not end:\n{}", self.contents()).into());
            }
            thread::sleep(Duration::from_millis(5));
        };
        let modes = tcgetattr(&self.pty).map(|modes| modes.local_modes);
        while let Ok(piece) = self.output.recv_timeout(Duration::from_secs(1)) {
            self.parser.process(&piece);
        }
        let screen = self.parser.screen();
        let is_given_back = !screen.alternate_screen()
            && !screen.hide_cursor()
            && !screen.bracketed_paste()
            && screen.mouse_protocol_mode() == MouseProtocolMode::None;
        if !is_given_back {
            return Err("the screen is not given back".into());
        }
        if let Ok(modes) = modes
            && !modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
        {
            return Err(format!("the terminal is not as it was: {modes:?}").into());
        }
        Ok((status, self.contents()))
    }
}

fn a_plan_is_browsed() -> Result<(), Failed> {
    let mut terminal = Terminal::start(["browse", "examples/fleet/web.json"], None)?;
    terminal.wait_for("Terraform plan: 1 to destroy")?;
    assert!(terminal.parser.screen().alternate_screen() && terminal.parser.screen().hide_cursor());
    terminal.press("JJ")?;
    terminal.wait_for("resource \"aws_instance\" \"web\"")?;
    terminal.press("y")?;
    terminal.wait_for("copied aws_instance.web")?;
    // The address, for the clipboard.
    let copied = b"\x1b]52;c;YXdzX2luc3RhbmNlLndlYg==";
    assert!(terminal.bytes.windows(copied.len()).any(|bytes| bytes == copied));
    terminal.press("/latest\r")?;
    terminal.wait_for("1 found")?;
    terminal.press("\x1b")?;
    terminal.wait_for("? keys")?;
    terminal.press("q")?;
    let (status, contents) = terminal.end()?;
    assert_eq!(status.code(), Some(0));
    assert!(contents.contains("warning: without --schemas"), "{contents}");
    Ok(())
}

fn a_plan_on_standard_input() -> Result<(), Failed> {
    let plan = workspace().join("examples/fleet/web.json");
    let mut terminal = Terminal::start(["browse"], Some(&plan))?;
    terminal.wait_for("Terraform plan: 1 to destroy")?;
    terminal.press("JJ")?;
    terminal.wait_for("resource \"aws_instance\" \"web\"")?;
    terminal.press("\x03")?;
    assert_eq!(terminal.end()?.0.code(), Some(130));
    Ok(())
}

fn a_signal_ends_it() -> Result<(), Failed> {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut terminal = Terminal::start(["browse", "examples/fleet/web.json"], None)?;
        terminal.wait_for("Terraform plan: 1 to destroy")?;
        kill_process(terminal.pid()?, signal)?;
        assert_eq!(terminal.end()?.0.signal(), Some(signal.as_raw()));
    }
    Ok(())
}

fn it_is_suspended() -> Result<(), Failed> {
    let mut terminal = Terminal::start(["browse", "examples/fleet/web.json"], None)?;
    terminal.wait_for("Terraform plan: 1 to destroy")?;
    terminal.press("\x1a")?;
    terminal.wait_until("the other screen", |terminal| !terminal.parser.screen().alternate_screen())?;
    let pid = terminal.pid()?;
    let stopped = waitpid(Some(pid), WaitOptions::UNTRACED)?;
    assert!(stopped.is_some_and(|(_, status)| status.stopped()));
    kill_process(pid, Signal::CONT)?;
    terminal.wait_for("Terraform plan: 1 to destroy")?;
    terminal.press("q")?;
    assert_eq!(terminal.end()?.0.code(), Some(0));
    Ok(())
}

/// Errors read as those of `show`, for any input.
fn refusals() -> Result<(), Failed> {
    let folder = Folder::with(
        "browse-refusals",
        &[
            ("empty.json", ""),
            ("cut.json", r#"{"format_version":"1.2","resource_changes":[{"#),
            ("other.json", r#"{"a":1}"#),
            ("newer.json", r#"{"format_version":"9.0"}"#),
            ("two.json", "{\"format_version\":\"1.2\"}\n{\"format_version\":\"1.2\"}\n"),
            ("state.json", r#"{"format_version":"1.0","values":{}}"#),
            ("bad-schemas.json", "[]"),
        ],
    );
    let path = |name: &str| folder.at(name).to_str().unwrap_or_default().to_owned();
    let plan = "examples/fleet/web.json".to_owned();
    let cases = [
        vec![path("absent.json")],
        vec![path("empty.json")],
        vec![path("cut.json")],
        vec![path("other.json")],
        vec![path("newer.json")],
        vec![path("two.json")],
        vec![path("state.json"), "--mode".into(), "destroy".into()],
        vec![path("state.json"), "--drift".into()],
        vec![plan.clone(), "--schemas".into(), path("bad-schemas.json")],
        vec![plan.clone(), "--max-input".into(), "1K".into()],
        vec![plan, "--as".into(), "pulumi".into()],
        vec!["-".into(), "--schemas".into(), "-".into()],
    ];
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().concat();
    for arguments in cases {
        let with = |command: &str| [vec![command.to_owned()], arguments.clone()].concat();
        let shown = objchange(with("show"), "");
        let (status, contents) = Terminal::start(with("browse"), None)?.end()?;
        assert_eq!((status.code(), shown.code), (Some(2), 2), "{arguments:?}\n{contents}\n{shown:?}");
        // The terminal breaks lines.
        assert!(
            words(&contents).contains(&words(shown.stderr.lines().next().unwrap_or_default())),
            "{arguments:?}\n{contents}\n{shown:?}"
        );
    }
    Ok(())
}

fn an_entry_cannot_be_read() -> Result<(), Failed> {
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let plan = json!({"format_version": "1.2", "resource_changes": [{"address": "a_b.c", "mode": "managed", "type": "a_b",
        "name": "c", "change": {"actions": ["create"], "before": null, "after": {"x": "DEEP"}}}]});
    let folder = Folder::with("browse-entry", &[]);
    folder.write("plan.json", plan.to_string().replace("\"DEEP\"", &deep));
    let path = folder.at("plan.json");
    let mut terminal = Terminal::start([OsStr::new("browse"), path.as_os_str()], None)?;
    terminal.wait_for("Terraform plan: 1 to create")?;
    terminal.press("J")?;
    terminal.wait_for("error: ")?;
    terminal.press("q")?;
    let (status, contents) = terminal.end()?;
    assert_eq!(status.code(), Some(2), "{contents}");
    assert!(contents.contains("nest too deeply"), "{contents}");
    let shown = objchange([OsStr::new("show"), path.as_os_str()], "");
    let error = shown.stderr.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    assert!(contents.replace('\n', "").contains(error), "{contents}\n{shown:?}");
    Ok(())
}

fn another_size() -> Result<(), Failed> {
    let mut terminal = Terminal::start(["browse", "examples/fleet/web.json"], None)?;
    terminal.wait_for("q quit")?;
    terminal.pty.resize(pty_process::Size::new(10, 40))?;
    terminal.bytes.clear();
    // The footer goes to the last row.
    terminal.wait_until("row 10", |terminal| terminal.bytes.windows(5).any(|bytes| bytes == b"\x1b[10;"))?;
    terminal.press("q")?;
    assert_eq!(terminal.end()?.0.code(), Some(0));
    Ok(())
}
