//! Recorded sessions: the calls and answers of a provider as lines of a case file, with stand-ins for
//! secrets.
//!
//! [`OPERATIONS`](crate::OPERATIONS) judge the lines again, without the provider and with the current
//! rules. Each line expects the verdict from the time of recording.
//!
//! ```
//! use objchange_conform::kit::Kit;
//! use objchange_provider::record::{Recorder, Recording};
//! use objchange_provider::ProviderExt;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (kit, recorder) = (Kit::default(), Recorder::new(Vec::new()));
//! Recording::new(&kit, Some(&recorder)).stop().await?;
//! let lines = String::from_utf8(recorder.finish()?)?;
//! assert!(lines.starts_with(r#"{"op":"provider_call","call":"StopProvider""#));
//! # Ok(())
//! # }
//! ```

mod line;
mod recording;

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use objchange::Value;

use self::line::Line;
pub use self::recording::Recording;
use crate::mask::Masks;

/// The output for lines, and the known secrets.
pub struct Recorder<W>(Mutex<State<W>>);

struct State<W> {
    out: W,
    masks: Masks,
    error: Option<io::Error>,
}

impl<W> fmt::Debug for Recorder<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl<W: Write + Send> Recorder<W> {
    /// Writes the lines there.
    pub fn new(out: W) -> Self {
        Self(Mutex::new(State { out, masks: Masks::default(), error: None }))
    }

    /// Hides the marked parts of this value wherever they occur. Values that schemas call sensitive are
    /// hidden anyway.
    pub fn hide(&self, value: &Value) {
        self.state().masks.learn(value);
    }

    /// Flushes the output.
    ///
    /// # Errors
    ///
    /// Some line could not be written.
    pub fn flush(&self) -> io::Result<()> {
        let mut state = self.state();
        match state.error.take() {
            Some(error) => Err(error),
            None => state.out.flush(),
        }
    }

    /// The writer, when all is written.
    ///
    /// # Errors
    ///
    /// Some line could not be written.
    pub fn finish(self) -> io::Result<W> {
        self.flush()?;
        Ok(self.0.into_inner().unwrap_or_else(PoisonError::into_inner).out)
    }

    fn state(&self) -> MutexGuard<'_, State<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, line: &mut dyn FnMut(&mut Masks) -> Option<Line>) {
        let mut state = self.state();
        let Some(line) = line(&mut state.masks) else { return };
        if state.error.is_none()
            && let Err(error) = writeln!(state.out, "{}", line.text())
        {
            // The call itself has an answer, so the error waits for `flush`.
            state.error = Some(error);
        }
    }
}
