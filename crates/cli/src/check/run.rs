//! Running cases over the cores, their verdicts in the order of the input.

use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use objchange::case::{Case, CaseError, Difference, Operation, Outcome};
use objchange_text::json::Reader;
use objchange_text::{BoundedLine, BoundedLines, utf8_reader};

use super::{Only, spelling};
use crate::input::{NOTHING_PIPED_IN, Source};
use crate::pool::{self, Abandoned, Queue};

/// What came of one case.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// From 1.
    pub(crate) line: u64,
    pub(crate) id: Option<String>,
    pub(crate) op: Option<String>,
    pub(crate) duration: Duration,
    pub(crate) result: Result<(), Failure>,
    /// It is none of the cases that were asked for, and was not run.
    pub(crate) left_out: bool,
}

/// Why a case failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The engine gives another answer.
    Different(Box<Difference>),
    /// What stands there is no case.
    Malformed(Malformed),
    /// There is no such operation.
    UnknownOperation,
    /// A defect of the program, which said more on standard error.
    Panicked,
}

/// What is wrong with a line that is no case.
#[derive(Debug, Clone)]
pub(crate) struct Malformed {
    /// In bytes from 1.
    pub(crate) column: usize,
    pub(crate) message: String,
    /// Whether the line is a JSON object at least.
    pub(crate) is_object: bool,
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

/// Everything that a case can ask for.
pub(super) static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    [
        objchange::case::OPERATIONS,
        objchange_hcl::OPERATIONS,
        objchange_plan::OPERATIONS,
        #[cfg(feature = "provider")]
        objchange_provider::OPERATIONS,
    ]
    .concat()
});

pub(super) fn run_case(case: &Case<'_>) -> Outcome {
    match spelling::check(case) {
        Ok(()) => case.run_by(&OPERATIONS),
        Err(error) => Outcome::Unusable(error),
    }
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
    let mut verdict = Verdict {
        line: line.number,
        id: None,
        op: None,
        duration: Duration::ZERO,
        result: Ok(()),
        left_out: false,
    };
    verdict.result = match &line.text {
        Ok(text) => match Case::parse(text) {
            Ok(case) => {
                verdict.id = case.id().map(str::to_owned);
                verdict.op = Some(case.op().to_owned());
                if only.has(case.id()) {
                    outcome(&case)
                } else {
                    verdict.left_out = true;
                    Ok(())
                }
            }
            Err(error) => {
                let mut reader = Reader::strict(text);
                let is_object =
                    reader.peek() == Some(b'{') && reader.skip().and_then(|()| reader.end()).is_ok();
                Err(malformed(&error, is_object))
            }
        },
        Err(error) => Err(Failure::Malformed(Malformed {
            column: error.column(),
            message: error.to_string(),
            is_object: false,
        })),
    };
    verdict.duration = start.elapsed();
    verdict
}

fn outcome(case: &Case<'_>) -> Result<(), Failure> {
    // The other cases are run even where one of them finds a defect.
    match panic::catch_unwind(AssertUnwindSafe(|| run_case(case))) {
        Ok(Outcome::Passed) => Ok(()),
        Ok(Outcome::Failed(difference)) => Err(Failure::Different(Box::new(difference))),
        Ok(Outcome::Unusable(error)) => Err(malformed(&error, true)),
        Ok(_) => Err(Failure::UnknownOperation),
        Err(_) => Err(Failure::Panicked),
    }
}

fn malformed(error: &CaseError, is_object: bool) -> Failure {
    Failure::Malformed(Malformed { column: error.column, message: error.to_string(), is_object })
}
