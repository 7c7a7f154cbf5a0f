//! Takes over the screen of the terminal, and restores it when the program ends, panics or gets a signal.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;
use std::{panic, thread};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event as TerminalEvent,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute, queue, terminal};
use objchange_plan::Outline;
use objchange_plan::report::ShowError;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::app::{App, Settings};
use crate::draw::draw;
use crate::update::{Effect, Event, update};

/// Whether the terminal is taken over and must be restored.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The screen, until it is dropped.
#[derive(Debug)]
pub struct Screen {
    // Buffered, so that a frame is sent in one piece, which matters over a network.
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    /// The initial columns and rows.
    size: (u16, u16),
}

/// How the user ended the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With the key for it.
    Quit {
        /// With the error of an item that could not be shown.
        error: Option<String>,
    },
    /// With Ctrl-C.
    Interrupted,
}

/// A message to the main loop.
enum Message {
    Terminal(TerminalEvent),
    /// Keys can no longer be read.
    Failed(io::Error),
    #[cfg(unix)]
    Signal(i32),
}

impl Screen {
    /// Takes the screen.
    ///
    /// # Errors
    ///
    /// If standard output is not a terminal that can be used.
    pub fn enter() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                // The terminal must be restored first, or the message of the panic would vanish with the screen.
                give_back();
                before(info);
            }));
        });
        let terminal = new_terminal()?;
        let size = terminal.size()?;
        // The screen exists before the terminal is taken, so that a start that fails halfway is undone when it is
        // dropped.
        let screen = Self { terminal, size: (size.width, size.height) };
        take(true)?;
        // From here on, changes of the size are noticed.
        crossterm::event::poll(Duration::ZERO)?;
        Ok(screen)
    }

    /// Shows the items of a report until the user quits. `explain` turns the error of an item into text.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be read or written any more.
    pub fn show<'r>(
        &mut self,
        outline: Outline<'r, '_>,
        settings: Settings,
        explain: impl Fn(ShowError) -> String + 'r,
    ) -> io::Result<End> {
        let mut app = App::new(outline, settings, Box::new(explain), self.size);
        let end = self.run(&mut app)?;
        Ok(if end == Effect::Interrupt { End::Interrupted } else { End::Quit { error: app.error } })
    }

    /// Runs the main loop. Returns the effect that ends it.
    fn run(&mut self, app: &mut App<'_, '_>) -> io::Result<Effect> {
        let messages = listen()?;
        loop {
            self.terminal.draw(|frame| draw(app, frame))?;
            let mut next = match app.search.progress() {
                // Without a search in progress, waiting here uses no processor time.
                None => messages.recv().ok(),
                Some(_) => match messages.try_recv() {
                    Ok(message) => Some(message),
                    Err(TryRecvError::Disconnected) => None,
                    Err(TryRecvError::Empty) => {
                        update(app, Event::Idle);
                        continue;
                    }
                },
            };
            if next.is_none() {
                return Err(io::Error::other("keys can no longer be read"));
            }
            // Draws once for all messages that have arrived.
            while let Some(message) = next {
                if let Some(end) = self.handle(app, message)? {
                    return Ok(end);
                }
                next = messages.try_recv().ok();
            }
        }
    }

    fn handle(&mut self, app: &mut App<'_, '_>, message: Message) -> io::Result<Option<Effect>> {
        let event = match message {
            Message::Terminal(event) => event,
            Message::Failed(error) => return Err(error),
            #[cfg(unix)]
            Message::Signal(signal) => return self.signal(app, signal).map(|()| None),
        };
        match update(app, Event::Terminal(event)) {
            Effect::None => {}
            end @ (Effect::Quit | Effect::Interrupt) => return Ok(Some(end)),
            Effect::Copy(text) => {
                let out = self.terminal.backend_mut();
                execute!(out, CopyToClipboard::to_clipboard_from(text))?;
            }
            Effect::TakeMouse(takes) => take_mouse(takes)?,
            #[cfg(unix)]
            Effect::Suspend => self.signal(app, signal_hook::consts::SIGTSTP)?,
            #[cfg(not(unix))]
            Effect::Suspend => {}
        }
        Ok(None)
    }

    /// Restores the terminal and performs the default action of the signal.
    #[cfg(unix)]
    fn signal(&mut self, app: &mut App<'_, '_>, signal: i32) -> io::Result<()> {
        use signal_hook::consts::SIGCONT;
        give_back();
        // Nothing can catch SIGSTOP, so after SIGCONT alone the shell may have used the terminal in between.
        if signal != SIGCONT {
            // The program stops here and may later continue, or it ends.
            signal_hook::low_level::emulate_default_handler(signal)?;
        }
        take(app.has_mouse)?;
        // The screen is empty again. `Terminal::clear` would ask for the place of the cursor, and the thread of the keys gets
        // the answer.
        self.terminal = new_terminal()?;
        let size = self.terminal.size()?;
        update(app, Event::Terminal(TerminalEvent::Resize(size.width, size.height)));
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn new_terminal() -> io::Result<Terminal<CrosstermBackend<BufWriter<Stdout>>>> {
    Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout())))
}

fn take(takes_mouse: bool) -> io::Result<()> {
    terminal::enable_raw_mode()?;
    IS_TAKEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
    if takes_mouse { take_mouse(true) } else { Ok(()) }
}

fn take_mouse(takes: bool) -> io::Result<()> {
    let mut out = io::stdout();
    if takes { execute!(out, EnableMouseCapture) } else { execute!(out, DisableMouseCapture) }
}

/// Restores the terminal, if it is taken. Errors cannot be reported any more.
fn give_back() {
    // A panic, a signal and the end of the screen all call this, and only the first call must act.
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    _ = queue!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    _ = out.flush();
    _ = terminal::disable_raw_mode();
}

/// Reports that keys are no longer read, even if their thread panics. Otherwise nothing could end the program.
struct KeysEnd(Sender<Message>);

impl Drop for KeysEnd {
    fn drop(&mut self) {
        _ = self.0.send(Message::Failed(io::Error::other("keys can no longer be read")));
    }
}

/// Reads keys and signals, each in a thread of its own.
fn listen() -> io::Result<Receiver<Message>> {
    let (to, messages) = mpsc::channel();
    #[cfg(unix)]
    listen_to_signals(to.clone())?;
    let keys = move || {
        let to = KeysEnd(to);
        while let Ok(event) = crossterm::event::read().map_err(|error| to.0.send(Message::Failed(error))) {
            if to.0.send(Message::Terminal(event)).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("keys".into()).spawn(keys)?;
    Ok(messages)
}

#[cfg(unix)]
fn listen_to_signals(to: Sender<Message>) -> io::Result<()> {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    let mut signals =
        signal_hook::iterator::Signals::new([SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP])?;
    let hear = move || {
        let mut ends = false;
        for signal in signals.forever() {
            let goes_on = matches!(signal, SIGCONT | SIGTSTP);
            // A second signal ends the program at once, even if it is busy.
            if ends && !goes_on || to.send(Message::Signal(signal)).is_err() {
                _ = signal_hook::low_level::emulate_default_handler(signal);
            }
            ends |= !goes_on;
        }
    };
    thread::Builder::new().name("signals".into()).spawn(hear).map(drop)
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::num::NonZeroU16;

    use super::Screen;

    const ON_SCREEN: &str = "OBJCHANGE_TEST_PANICS_ON_SCREEN";

    /// The other half of the test below, in a terminal of its own.
    #[test]
    fn panics_if_it_is_asked_to() {
        if std::env::var_os(ON_SCREEN).is_some() {
            let _screen = Screen::enter().expect("there is a terminal");
            panic!("on purpose");
        }
    }

    #[test]
    fn what_is_said_of_a_panic_is_on_the_screen_that_was_there_before() {
        let Ok((mut pty, pts)) = pty_process::blocking::open() else {
            use std::io::Write;
            _ = writeln!(std::io::stderr(), "ignored: the system gives no pseudo-terminal");
            return;
        };
        let name = concat!(module_path!(), "::panics_if_it_is_asked_to");
        let name = name.split_once("::").expect("a crate and a module").1;
        let program = std::env::current_exe().expect("this program");
        let command = pty_process::blocking::Command::new(program)
            .args([name, "--exact", "--nocapture", "--test-threads=1"])
            .env(ON_SCREEN, "1");
        let mut child = command.spawn(pts).expect("it starts");
        let size = |size| NonZeroU16::new(size).expect("a size");
        let mut parser = vt100::Parser::new(size(50), size(200), 0);
        let mut piece = [0; 4096];
        let mut was_other_screen = false;
        // Reading a terminal fails when no process has it open any more.
        while let Ok(length @ 1..) = pty.read(&mut piece) {
            for byte in &piece[..length] {
                parser.process(&[*byte]);
                was_other_screen |= parser.screen().alternate_screen();
            }
        }
        assert!(!child.wait().expect("it ends").success());
        let screen = parser.screen();
        assert!(was_other_screen && !screen.alternate_screen() && !screen.hide_cursor());
        assert!(screen.contents().contains("on purpose"), "{}", screen.contents());
    }
}
