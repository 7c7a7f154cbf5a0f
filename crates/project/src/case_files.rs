//! Case files: their cases run over the cores, with the verdicts in the order of the input.

use std::fmt;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use objchange_case::{CaseFailure, CaseVerdict, MalformedCase, blessing};
use objchange_files::input::{NOTHING_PIPED_IN, Source};
use objchange_text::{BoundedLine, BoundedLines, utf8_reader};

use crate::OPERATIONS;
use crate::counted_read::CountedRead;
use crate::pool::{self, Abandoned, Queue};

/// The result of the case on a line.
#[derive(Debug)]
pub struct CaseLine {
    /// From 1.
    pub line: u64,
    /// How long it ran.
    pub duration: Duration,
    /// The result.
    pub verdict: CaseVerdict,
}

/// An input that is not a case file, or cannot be read.
#[derive(Debug)]
pub struct UnusableCases {
    /// Its name.
    pub input: String,
    /// Line and column in bytes, both from 1, where it is known.
    pub place: Option<(u64, usize)>,
    /// The problem.
    pub message: String,
}

impl fmt::Display for UnusableCases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {}", self.input, self.message),
            None => write!(f, "{}: {}", self.input, self.message),
        }
    }
}

/// Events of a run of case files, in the order of the inputs.
#[derive(Debug)]
pub enum CaseEvent {
    /// The cases of the input with this name follow.
    Input(String),
    /// A case of the last input.
    Case(CaseLine),
    /// The last input is no case file, or cannot be read any further.
    Unusable(UnusableCases),
}

/// Runs the cases whose id is wanted on all cores, and calls `handle` with the events in the order of the inputs. It stops if
/// `handle` fails. `count` gets the number of bytes of each read, for progress.
///
/// Only a bounded number of lines is in memory at any time.
///
/// # Errors
///
/// Those of `handle`.
pub fn run_case_files<E>(
    inputs: &[Source],
    wants: impl Fn(Option<&str>) -> bool + Sync,
    count: &(dyn Fn(u64) + Sync),
    mut handle: impl FnMut(CaseEvent) -> Result<(), E>,
) -> Result<(), E> {
    let mut input = LastInput::default();
    let judge_all = |lines: Vec<BoundedLine>| {
        lines.iter().map(|line| Event::Line(judge(line, &wants))).collect::<Vec<_>>()
    };
    pool::in_order(
        pool::cores(),
        4,
        |queue| read_all(inputs, count, queue),
        judge_all,
        |events| events.into_iter().try_for_each(|event| input.handle(event, &mut handle)),
    )
}

enum Event {
    /// The lines of this input follow.
    Input(String),
    /// A line of the last input.
    Line(CaseLine),
    /// The last input ends.
    End,
    /// The last input cannot be read any further.
    Unreadable(io::Error),
}

/// A batch ends at this many lines or bytes, whichever comes first.
const BATCH_LINES: usize = 64;
const BATCH_BYTES: usize = 256 * 1024;

/// Batches of lines, and what happens.
type Lanes = Queue<Vec<BoundedLine>, Vec<Event>>;

/// Reads the inputs until the receiver is gone.
fn read_all(inputs: &[Source], count: &(dyn Fn(u64) + Sync), queue: &Lanes) -> Result<(), Abandoned> {
    for input in inputs {
        queue.answer(vec![Event::Input(input.to_string())])?;
        // On a terminal the program would wait for somebody to type cases.
        let opened = if input.is_terminal() { Err(io::Error::other(NOTHING_PIPED_IN)) } else { input.open() };
        let text = opened.and_then(|reader| utf8_reader(CountedRead::new(reader, count)));
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

fn judge(line: &BoundedLine, wants: impl Fn(Option<&str>) -> bool) -> CaseLine {
    let start = Instant::now();
    let verdict = match &line.text {
        Ok(text) => CaseVerdict::of_line(text, &OPERATIONS, wants),
        Err(error) => {
            MalformedCase { column: error.column(), message: error.to_string(), is_object: false }.into()
        }
    };
    CaseLine { line: line.number, duration: start.elapsed(), verdict }
}

/// The input that is being read.
#[derive(Default)]
struct LastInput {
    name: String,
    /// Lines that are not JSON objects, held back until it is clear that this is a case file at all.
    held: Vec<CaseLine>,
    is_case_file: bool,
    given_up: bool,
}

/// A file that begins with more lines without JSON is not a case file.
const MAX_HELD: usize = 100;

impl LastInput {
    fn handle<E>(
        &mut self,
        event: Event,
        handle: &mut impl FnMut(CaseEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        match event {
            Event::Input(name) => {
                *self = Self { name: name.clone(), ..Self::default() };
                handle(CaseEvent::Input(name))
            }
            Event::Line(_) if self.given_up => Ok(()),
            Event::Line(line) => {
                let is_json = !matches!(
                    line.verdict.failure,
                    Some(CaseFailure::Malformed(MalformedCase { is_object: false, .. }))
                );
                self.held.push(line);
                if is_json || self.is_case_file {
                    self.is_case_file = true;
                    return self.held.drain(..).try_for_each(|line| handle(CaseEvent::Case(line)));
                }
                if self.held.len() == MAX_HELD { handle(self.no_case_file()) } else { Ok(()) }
            }
            Event::End if self.is_case_file || self.given_up => Ok(()),
            Event::End => handle(self.no_case_file()),
            Event::Unreadable(error) => handle(self.unusable(None, error.to_string())),
        }
    }

    fn no_case_file(&mut self) -> CaseEvent {
        self.given_up = true;
        let first = self.held.first().map(|held| (held.line, &held.verdict.failure));
        let (place, why) = match first {
            Some((line, Some(CaseFailure::Malformed(m)))) => ((line, m.column), m.message.clone()),
            _ => ((1, 1), "it is empty".to_owned()),
        };
        let message = format!("this is not a case file, which has a JSON object on each line: {why}");
        self.unusable(Some(place), message)
    }

    fn unusable(&self, place: Option<(u64, usize)>, message: String) -> CaseEvent {
        CaseEvent::Unusable(UnusableCases { input: self.name.clone(), place, message })
    }
}

/// A case file in which answers that are wanted have been replaced by those that cases get.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BlessedCases {
    /// The text of the file.
    pub text: String,
    /// The lines that changed, from 1.
    pub blessed: Vec<u64>,
    /// The lines that no answer makes pass: they are invalid, crash, or their answers contain sensitive values.
    pub unchanged: Vec<u64>,
}

impl BlessedCases {
    /// Writes the answers that the cases on these lines (from 1, in order) get into what they want.
    pub fn new(text: &str, lines: &[u64]) -> Self {
        let mut all = Self { text: String::with_capacity(text.len()), ..Self::default() };
        let mut lines = lines.iter().peekable();
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let is_asked = lines.next_if_eq(&&number).is_some();
            match is_asked.then(|| blessing(line, &OPERATIONS)) {
                Some(Some((range, want))) => {
                    all.blessed.push(number);
                    all.text += &line[..range.start];
                    all.text += &want;
                    all.text += &line[range.end..];
                    continue;
                }
                Some(None) => all.unchanged.push(number),
                None => {}
            }
            all.text += line;
        }
        all
    }
}
