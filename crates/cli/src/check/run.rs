//! Running cases over the cores, their verdicts in the order of the input.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use objchange::case::{CaseVerdict, MalformedCase};
use objchange_project::OPERATIONS;
use objchange_text::{BoundedLine, BoundedLines, utf8_reader};

use super::Only;
use crate::input::{NOTHING_PIPED_IN, Source};
use crate::pool::{self, Abandoned, Queue};

/// The result of one case.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// From 1.
    pub(crate) line: u64,
    pub(crate) duration: Duration,
    pub(crate) verdict: CaseVerdict,
}

/// What the run of the inputs tells, in the order of the inputs.
pub(crate) enum Event {
    /// The cases of this input follow.
    Input(String),
    /// A case of the last input.
    Verdict(Verdict),
    /// The last input ends.
    End,
    /// The last input cannot be read any further.
    Unreadable(io::Error),
}

/// Cases are handed out in batches of this many lines or bytes, whichever comes first.
const BATCH_LINES: usize = 64;
const BATCH_BYTES: usize = 256 * 1024;

/// Runs all cases of the inputs and hands over what happens, in order, until `handle` fails.
///
/// At any time only a bounded number of lines is in memory.
pub(crate) fn run<E>(
    inputs: &[Source],
    only: &Only,
    progress: &ProgressBar,
    mut handle: impl FnMut(Event) -> Result<(), E>,
) -> Result<(), E> {
    pool::in_order(
        4,
        |queue| read_all(inputs, progress, queue),
        |lines: Vec<BoundedLine>| {
            lines.iter().map(|line| Event::Verdict(judge(line, only))).collect::<Vec<_>>()
        },
        |events| events.into_iter().try_for_each(&mut handle),
    )
}

/// Batches of lines, and what happens.
type Lanes = Queue<Vec<BoundedLine>, Vec<Event>>;

/// Reads the inputs until nobody listens.
fn read_all(inputs: &[Source], progress: &ProgressBar, queue: &Lanes) -> Result<(), Abandoned> {
    for input in inputs {
        queue.answer(vec![Event::Input(input.to_string())])?;
        let opened = if input.is_terminal() { Err(io::Error::other(NOTHING_PIPED_IN)) } else { input.open() };
        let text = opened.and_then(|reader| utf8_reader(progress.wrap_read(reader)));
        let end = match text {
            Ok(reader) => read_one(reader, queue)?,
            Err(error) => Event::Unreadable(error),
        };
        queue.answer(vec![end])?;
    }
    Ok(())
}

/// Hands out the lines of one input, and says how it ends.
fn read_one(reader: impl Read, queue: &Lanes) -> Result<Event, Abandoned> {
    let hand_out = |lines: &mut Vec<BoundedLine>| queue.job(std::mem::take(lines));
    let mut batch = Vec::new();
    let mut bytes = 0;
    for line in BoundedLines::new(reader) {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                hand_out(&mut batch)?;
                return Ok(Event::Unreadable(error));
            }
        };
        bytes += line.text.as_ref().map_or(0, String::len);
        batch.push(line);
        if batch.len() == BATCH_LINES || bytes >= BATCH_BYTES {
            hand_out(&mut batch)?;
            bytes = 0;
        }
    }
    hand_out(&mut batch)?;
    Ok(Event::End)
}

fn judge(line: &BoundedLine, only: &Only) -> Verdict {
    let start = Instant::now();
    let verdict = match &line.text {
        Ok(text) => CaseVerdict::of_line(text, &OPERATIONS, |id| only.has(id)),
        Err(error) => {
            MalformedCase { column: error.column(), message: error.to_string(), is_object: false }.into()
        }
    };
    Verdict { line: line.number, duration: start.elapsed(), verdict }
}
