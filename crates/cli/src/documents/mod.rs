//! Many documents: found by name, glob or folder, processed in parallel, with the answers in the order of the
//! inputs.
//!
//! ```text
//! arguments ──find──▶ Inputs ──for_each──▶ answer(&Document) on every core ──▶ handle(&name, answer), in order
//! ```
//!
//! A few documents for each core are in memory at any time, whatever the number of inputs.

mod errored;

use std::io::{self, BufReader};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use objchange_plan::{DocumentError, DocumentKind};
use objchange_project::{Input, Inputs};
use objchange_text::json::{DocumentBytes, Documents};
use objchange_text::utf8_reader;

pub(crate) use self::errored::ErroredPlans;
use crate::exit::{self, CommandError};
use crate::input::Source;
use crate::module_plan::{PlanInputs, planned_document};
use crate::pool::{self, Abandoned, Queue};

/// Which documents a command is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// What their files are called, where a folder is searched for them.
    pub(crate) extensions: &'static [&'static str],
    /// Their kind. Other documents that a folder has are skipped.
    pub(crate) kinds: &'static [DocumentKind],
    /// What they are called, in the plural.
    pub(crate) name: &'static str,
}

impl Wanted {
    pub(crate) const PLANS: Self =
        Self { extensions: &["json"], kinds: &[DocumentKind::Plan], name: "plans" };
    pub(crate) const PLANS_AND_STATES: Self = Self {
        extensions: &["json", "tfstate"],
        kinds: &[DocumentKind::Plan, DocumentKind::State, DocumentKind::StateFile],
        name: "plans or states",
    };
}

/// The documents that arguments name. A directory with configuration files is planned as a module.
pub(crate) fn find(
    arguments: &[PathBuf],
    wanted: Wanted,
    modules: &PlanInputs<'_>,
) -> Result<Inputs, CommandError> {
    let plan = |directory: &_| match planned_document(directory, modules) {
        Ok(text) => Ok(Ok(text)),
        Err(CommandError::Unusable(message)) => Ok(Err(message)),
        Err(error) => Err(error),
    };
    Inputs::find(arguments, wanted.extensions, plan, &exit::remark)
}

/// The text of one document, and where it is from.
#[derive(Debug)]
pub(crate) struct Document {
    /// Its file, with the line where the file holds a document a line.
    pub(crate) name: String,
    pub(crate) text: Arc<String>,
    /// Whether it is the only document that was asked about: an answer need not name it.
    pub(crate) is_alone: bool,
    /// Where in its file it begins, from 1, if the file holds a document a line.
    line: Option<u64>,
    /// Whether it was found in a folder and not named.
    is_found: bool,
}

impl Document {
    /// What is wrong with the document, after its file and place.
    pub(crate) fn complaint(&self, error: &DocumentError) -> String {
        let DocumentError { line, column, location, problem, .. } = error;
        let location = if location.is_empty() { String::new() } else { format!("{location}: ") };
        // The name of a document that is a line of its file ends with that line.
        let line = if self.line.is_some() { String::new() } else { format!(":{line}") };
        format!("{}{line}:{column}: {location}{problem}", self.name)
    }
}

/// What became of all documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// How many were answered to.
    pub(crate) answered: u64,
    /// How many inputs or documents could not be, which was said.
    pub(crate) failed: u64,
}

/// Reads all documents, asks `answer` about each on one of the cores, and hands over its answers in the order of the
/// inputs, with the document's name where there are more than one.
///
/// An errored plan is refused unless `errored` allows it.
///
/// What cannot be read or answered (`answer` gives the sentence, see [`Document::complaint`]) is said on
/// standard error and counted, and the others are answered to all the same. What a folder holds beside the
/// wanted documents is skipped, which is said once at the end.
pub(crate) fn for_each<A: Send>(
    inputs: &Inputs,
    wanted: Wanted,
    errored: ErroredPlans,
    answer: impl Fn(&Document) -> Result<A, String> + Sync,
    mut handle: impl FnMut(Option<&str>, A) -> io::Result<()>,
) -> io::Result<Summary> {
    let answer = |document: &Document| errored.check(document).and_then(|()| answer(document));
    let progress = Progress::of_sources(inputs.sources());
    let mut summary = Summary::default();
    let mut passed_over = PassedOver::default();
    let handle = |outcome: Outcome<A>| {
        progress.tell(|| match outcome {
            Outcome::Answered(name, answer) => {
                summary.answered += 1;
                handle(name.as_deref(), answer)
            }
            Outcome::Failed(message) => {
                summary.failed += 1;
                exit::complain(&message)
            }
            Outcome::PassedOver(name) => {
                passed_over.note(name);
                Ok(())
            }
        })
    };
    let bar = progress.bar.clone();
    let read = |queue: &Queue<Document, Outcome<A>>| read_all(inputs, &bar, queue);
    pool::in_order(1, read, |document| outcome(document, wanted, &answer), handle)?;
    progress.finish();
    passed_over.tell(wanted);
    Ok(summary)
}

enum Outcome<A> {
    Answered(Option<String>, A),
    Failed(String),
    PassedOver(String),
}

/// Reads the inputs until nobody listens.
fn read_all<A>(
    inputs: &Inputs,
    bar: &ProgressBar,
    queue: &Queue<Document, Outcome<A>>,
) -> Result<(), Abandoned> {
    for input in &inputs.list {
        let source = match input {
            Input::Source { source, .. } => source,
            Input::Planned { name, text } => {
                queue.job(Document {
                    name: name.clone(),
                    text: Arc::clone(text),
                    is_alone: inputs.are_one_name,
                    line: None,
                    is_found: false,
                })?;
                continue;
            }
            Input::Missing(message) => {
                queue.answer(Outcome::Failed(message.clone()))?;
                continue;
            }
        };
        let opened = source
            .open_text()
            .and_then(|reader| utf8_reader(bar.wrap_read(reader)).map_err(|error| source.unreadable(error)));
        let reader = match opened {
            Ok(reader) => BufReader::with_capacity(128 * 1024, reader),
            Err(error) => {
                queue.answer(Outcome::Failed(error.to_string()))?;
                continue;
            }
        };
        for read in Documents::new(reader) {
            let text = read
                .map_err(|error| source.unreadable(error))
                .and_then(|DocumentBytes { line, bytes }| Ok((line, source.text(bytes, line.unwrap_or(1))?)));
            match text {
                Ok((line, text)) => queue.job(Document {
                    name: match line {
                        Some(line) => format!("{source}:{line}"),
                        None => source.to_string(),
                    },
                    text: Arc::new(text),
                    is_alone: inputs.are_one_name && line.is_none(),
                    line,
                    is_found: matches!(input, Input::Source { is_found: true, .. }),
                })?,
                Err(error) => queue.answer(Outcome::Failed(error.to_string()))?,
            }
        }
    }
    Ok(())
}

fn outcome<A>(
    document: Document,
    wanted: Wanted,
    answer: &impl Fn(&Document) -> Result<A, String>,
) -> Outcome<A> {
    let is_other = || DocumentKind::detect(&document.text).is_ok_and(|kind| !wanted.kinds.contains(&kind));
    if document.is_found && (!looks_like_an_object(&document.text) || is_other()) {
        return Outcome::PassedOver(document.name);
    }
    // The others are answered to even where one of them finds a defect.
    match panic::catch_unwind(AssertUnwindSafe(|| answer(&document))) {
        Ok(Ok(answer)) => Outcome::Answered((!document.is_alone).then_some(document.name), answer),
        Ok(Err(message)) => Outcome::Failed(message),
        Err(_) => Outcome::Failed(format!("{}: this is a bug in objchange", document.name)),
    }
}

/// Whether it may be a document at all, even one that was cut off.
fn looks_like_an_object(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{')
}

/// Documents of folders that are not what is wanted.
#[derive(Default)]
struct PassedOver {
    first: Vec<String>,
    count: usize,
}

impl PassedOver {
    fn note(&mut self, name: String) {
        self.count += 1;
        if self.first.len() < 3 {
            self.first.push(name);
        }
    }

    fn tell(&self, wanted: Wanted) {
        if self.count == 0 {
            return;
        }
        let more = match self.count - self.first.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        exit::note(&format!(
            "skipped, because they are not {}: {}{more}",
            wanted.name,
            self.first.join(", ")
        ));
    }
}

/// How far the work is, shown on standard error if that is a terminal and there is time to see it.
pub(crate) struct Progress {
    pub(crate) bar: ProgressBar,
    begun: Instant,
}

impl Progress {
    /// Of things that are counted.
    pub(crate) fn count(total: usize) -> Self {
        Self::with(ProgressBar::new(total as u64), "{bar:30} {pos}/{len} {elapsed}")
    }

    /// Of what is read from these.
    pub(crate) fn of_sources<'s>(sources: impl Iterator<Item = &'s Source>) -> Self {
        let (bar, template) = match sources.map(Source::size).sum::<Option<u64>>() {
            Some(total) => (ProgressBar::new(total), "{bar:30} {bytes}/{total_bytes} {elapsed}"),
            None => (ProgressBar::new_spinner(), "{spinner} {bytes} {elapsed}"),
        };
        Self::with(bar, template)
    }

    fn with(bar: ProgressBar, template: &str) -> Self {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let bar = match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        Self { bar, begun: Instant::now() }
    }

    /// One more is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// All is done, or given up.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Writes something while the bar is out of the way.
    pub(crate) fn tell<T>(&self, write: impl FnOnce() -> T) -> T {
        if self.bar.is_hidden() && self.begun.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.suspend(write)
    }
}
