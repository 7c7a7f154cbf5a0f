//! Many documents that arguments name, and how far the work on them is.

mod broken;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use objchange_document::Schemas;
use objchange_project::{
    DocumentOutcome, GivenSchemas, InputDocument, Inputs, InputsError, SkippedDocuments, WantedDocuments,
};

pub(crate) use self::broken::BrokenPlans;
#[cfg(feature = "sentinel")]
pub(crate) use self::broken::DoubtfulPlans;
use crate::exit::{self, CommandError};
use crate::hints;
use crate::input::Source;
use crate::module_plan::{PlanInputs, is_module, planned_file};
use crate::schemas::missing_schemas;

/// The consequence of a missing schema.
const SHOWN_WITHOUT_SCHEMA: &str = "values that only a schema marks as sensitive are shown";

/// The documents that arguments name, and the schemas that mark sensitive values in them.
pub(crate) struct FoundDocuments {
    inputs: Inputs,
    schemas: Option<Arc<Schemas>>,
}

/// The documents that arguments name. A directory with configuration files is planned as a module.
pub(crate) fn find(
    arguments: &[PathBuf],
    wanted: WantedDocuments,
    modules: &PlanInputs<'_>,
) -> Result<FoundDocuments, CommandError> {
    // Planning a directory loads the schemas itself.
    let are_all_modules = arguments.iter().all(|argument| is_module(argument));
    let given = match are_all_modules {
        true => GivenSchemas::default(),
        false => {
            let given = modules.schemas.load(modules.max_input);
            given.map_err(|error| exit::unusable(hints::schemas(&error)))?
        }
    };
    let plan_files = modules.plan_files(&given);
    let schemas = given.for_documents();
    let plan = |directory: &_| match planned_file(directory, modules) {
        Ok(file) => Ok(Ok(file)),
        Err(CommandError::Unusable(message) | CommandError::NotPlanned(message)) => {
            Ok(Err(InputsError::Module(message)))
        }
        Err(error) => Err(error),
    };
    let inputs = Inputs::find::<CommandError>(arguments, wanted.extensions, plan)?;
    exit::notices(&inputs.notices);
    let inputs = Inputs { plan_files, max_input: modules.max_input.0, ..inputs };
    Ok(FoundDocuments { inputs, schemas })
}

/// The outcome for all documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// How many were answered to.
    pub(crate) answered: u64,
    /// The sentences that were printed about inputs and documents that could not be answered to.
    pub(crate) failures: Vec<String>,
    /// The sentences about files that cannot be read, which is accepted.
    pub(crate) skipped: Vec<String>,
}

/// Reads all documents, asks `answer` about each on one of the cores, and hands over its answers in the order of the
/// inputs, with the document's name where there are more than one.
///
/// A doubtful plan is refused, and an unreadable file fails, unless `broken` accepts it.
///
/// An input that cannot be read or answered (`answer` gives the sentence) is reported on standard error and in the
/// summary; the others are still answered. Other files in a folder are skipped, with one notice at the end.
pub(crate) fn for_each<A: Send>(
    documents: &FoundDocuments,
    wanted: WantedDocuments,
    broken: BrokenPlans,
    answer: impl Fn(&InputDocument) -> Result<A, String> + Sync,
    mut handle: impl FnMut(Option<&str>, A) -> io::Result<()>,
) -> io::Result<Summary> {
    let FoundDocuments { inputs, schemas } = documents;
    let answer = |document: &InputDocument| {
        exit::notices(document.file.notices());
        broken.doubtful.check(&document.file)?;
        match schemas {
            None => answer(document),
            Some(schemas) => {
                let file = document.file.clone().with_schemas(schemas).map_err(|error| error.to_string())?;
                answer(&InputDocument { file, is_alone: document.is_alone })
            }
        }
    };
    let progress = Progress::of_sources(inputs.sources());
    let mut summary = Summary::default();
    let mut skipped = SkippedDocuments::default();
    let handle = |outcome: DocumentOutcome<A, String>| {
        progress.tell(|| {
            let failure = match outcome {
                DocumentOutcome::Answered(name, answer) => {
                    summary.answered += 1;
                    return handle(name.as_deref(), answer);
                }
                DocumentOutcome::Skipped(name) => {
                    skipped.add(name);
                    return Ok(());
                }
                DocumentOutcome::Unreadable(error) if broken.skip_unreadable => {
                    let message = hints::plan_input(&error);
                    exit::warn(&format!("skipped: {message}"));
                    summary.skipped.push(message);
                    return Ok(());
                }
                DocumentOutcome::Unreadable(error) => hints::plan_input(&error),
                DocumentOutcome::Missing(error) => error.to_string(),
                DocumentOutcome::Failed(message) => message,
            };
            let said = exit::complain(&failure);
            summary.failures.push(failure);
            said
        })
    };
    inputs.each_document(wanted, &|bytes| progress.bar.inc(bytes), answer, handle)?;
    progress.finish();
    // Schemas are looked up while documents are read, so only now all that are missing are known.
    let missing = schemas.iter().filter_map(|schemas| missing_schemas(schemas, true, SHOWN_WITHOUT_SCHEMA));
    missing.for_each(|warning| exit::warn(&warning));
    skipped.note(wanted).iter().for_each(|note| exit::note(note));
    // A gate over nothing would be green.
    if summary.answered == 0 && summary.failures.is_empty() {
        let message = format!("there are no {} that can be read", wanted.name);
        exit::complain(&message)?;
        summary.failures.push(message);
    }
    Ok(summary)
}

/// A progress bar on standard error, if that is a terminal and the work takes longer than a second.
pub(crate) struct Progress {
    pub(crate) bar: ProgressBar,
    begun: Instant,
}

impl Progress {
    /// A bar that counts items.
    pub(crate) fn count(total: usize) -> Self {
        Self::with(ProgressBar::new(total as u64), "{bar:30} {pos}/{len} {elapsed}")
    }

    /// A bar that counts the bytes read from these sources.
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

    /// Ends the bar.
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
